//! Changing a function in place, without cursors: each helper names what it changes.

use crate::entities::{Block, Inst, Value};
use crate::function::Function;
use crate::inst::{InsertAt, InstData, Op};
use crate::types::Type;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

impl Function {
    /// Makes every operand and predicate that is `old` be `new`.
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        for b in 0..self.layout.len() {
            let block = self.layout[b];
            if self.predicate(block) == Some(old) {
                self.set_predicate(block, Some(new));
            }
            for i in 0..self.blocks[block].insts.len() {
                let inst = self.blocks[block].insts[i];
                for arg in &mut self.insts[inst].args {
                    if *arg == old {
                        *arg = new;
                    }
                }
            }
        }
    }

    /// Takes an instruction out of its block. Its result must have no use left.
    pub fn erase(&mut self, inst: Inst) {
        let (block, index) = self.position(inst);
        self.blocks[block].insts.remove(index);
        self.insts[inst].block = None.into();
    }

    /// Takes some instructions of a block out of it, in linear time. Their results must have no use left.
    pub fn erase_all(&mut self, block: Block, gone: &[Inst]) {
        for &inst in gone {
            debug_assert_eq!(self.block_of(inst), Some(block));
            self.insts[inst].block = None.into();
        }
        if !gone.is_empty() {
            let (blocks, insts) = (&mut self.blocks, &self.insts);
            blocks[block].insts.retain(|&inst| insts[inst].block.is_some());
        }
    }

    /// Places instructions that stand in no block before or after others, in time linear in the blocks of those. At the same place
    /// they keep their order.
    ///
    /// # Panics
    /// If the place is that of a block.
    pub fn place_all(&mut self, places: &[(InsertAt, Inst)]) {
        let mut before: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        let mut after: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        let mut blocks: Vec<Block> = Vec::new();
        for &(at, inst) in places {
            let (other, list) = match at {
                InsertAt::Before(other) => (other, before.entry(other)),
                InsertAt::After(other) => (other, after.entry(other)),
                InsertAt::Start(_) | InsertAt::End(_) => panic!("beside an instruction"),
            };
            list.or_default().push(inst);
            let block = self.block_of(other).expect("the instruction stands in no block");
            self.insts[inst].block = Some(block).into();
            blocks.push(block);
        }
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let old = std::mem::take(&mut self.blocks[block].insts);
            let new = &mut self.blocks[block].insts;
            for inst in old {
                new.extend(before.get(&inst).into_iter().flatten());
                new.push(inst);
                new.extend(after.get(&inst).into_iter().flatten());
            }
        }
    }

    /// Moves an instruction to another place.
    pub fn move_inst(&mut self, inst: Inst, to: InsertAt) {
        self.erase(inst);
        self.place(to, inst);
    }

    /// Removes a block and its instructions. No terminator or φ may mention it any more.
    pub fn erase_block(&mut self, block: Block) {
        for inst in std::mem::take(&mut self.blocks[block].insts) {
            self.insts[inst].block = None.into();
        }
        self.layout.retain(|&b| b != block);
    }

    /// Removes blocks and their instructions, in time linear in all blocks. No terminator or φ of others may mention them any more.
    pub fn erase_blocks(&mut self, gone: &[Block]) {
        if gone.is_empty() {
            return;
        }
        let mut stays: SecondaryMap<Block, bool> = SecondaryMap::with_default(true);
        for &block in gone {
            stays[block] = false;
            for inst in std::mem::take(&mut self.blocks[block].insts) {
                self.insts[inst].block = None.into();
            }
        }
        self.layout.retain(|&b| stays[b]);
    }

    /// Puts a new block on the edge that target `index` of the terminator of `from` takes, and returns it.
    ///
    /// The φs of the old successor now have the new block as incoming block, once for this edge.
    ///
    /// # Panics
    /// If `from` has no such edge.
    pub fn split_edge(&mut self, from: Block, index: usize) -> Block {
        let terminator = self.terminator(from).expect("only a block with a terminator has edges");
        let to = self[terminator].targets[index];
        let parallel = self[terminator].targets.iter().filter(|&&t| t == to).count();
        let middle = self.add_block();
        self.move_last_behind(from);
        self[terminator].targets[index] = middle;
        let jump = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[to]);
        self.insert(InsertAt::End(middle), jump);
        for phi in self.phis(to).collect::<Vec<_>>() {
            self.reroute_phi(phi, from, middle, parallel > 1);
        }
        middle
    }

    /// Makes the entry of a φ for `from` one for `to`. With `keep`, other entries for `from` stay.
    fn reroute_phi(&mut self, phi: Inst, from: Block, to: Block, keep: bool) {
        let data = &mut self[phi];
        let Some(found) = data.targets.iter().position(|&b| b == from) else { return };
        data.targets[found] = to;
        debug_assert!(keep || !data.targets.contains(&from));
    }

    /// Splits a block before `inst`: what comes before stays, the rest moves to the block that is returned.
    ///
    /// The old block gets no terminator; the caller adds one. φs that named the old block as incoming name the new one.
    pub fn split_block(&mut self, inst: Inst) -> Block {
        let (block, _) = self.position(inst);
        let tail = self.split_off(inst);
        self.move_last_behind(block);
        for successor in self.successors(tail).to_vec() {
            for phi in self.phis(successor).collect::<Vec<_>>() {
                for target in &mut self[phi].targets {
                    if *target == block {
                        *target = tail;
                    }
                }
            }
        }
        tail
    }

    fn move_last_behind(&mut self, block: Block) {
        let after = self.layout.iter().position(|&b| b == block).expect("blocks are in the layout");
        let last = self.layout.pop().expect("there is a block");
        self.layout.insert(after + 1, last);
    }

    /// Moves blocks, each right behind another that stays where it is, in time linear in all blocks.
    pub fn place_blocks(&mut self, behind: &[(Block, Block)]) {
        let moved: FxHashMap<Block, Block> = behind.iter().copied().collect();
        let mut stays: SecondaryMap<Block, bool> = SecondaryMap::with_default(true);
        behind.iter().for_each(|&(_, block)| stays[block] = false);
        let old = std::mem::take(&mut self.layout);
        for block in old.into_iter().filter(|&block| stays[block]) {
            self.layout.push(block);
            self.layout.extend(moved.get(&block));
        }
    }

    /// Splits a block as [`split_block`](Function::split_block) does, but the new block is the last, and φs still name the old one: who
    /// splits many blocks mends all φs in one pass.
    pub fn split_off(&mut self, inst: Inst) -> Block {
        let (block, index) = self.position(inst);
        let tail = self.add_block();
        let moved = self.blocks[block].insts.split_off(index);
        for &inst in &moved {
            self.insts[inst].block = Some(tail).into();
        }
        self.blocks[tail].insts = moved;
        let predicate = self.predicate(block);
        self.set_predicate(tail, predicate);
        tail
    }
}
