//! Changing a function in place, without cursors: each helper names what it changes.

use crate::entities::{Block, Inst, Value};
use crate::function::Function;
use crate::inst::{InsertAt, InstData, Op};
use crate::types::Type;

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
        let after = self.layout.iter().position(|&b| b == from).expect("blocks are in the layout");
        self.layout.pop();
        self.layout.insert(after + 1, middle);
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
        let (block, index) = self.position(inst);
        let tail = self.add_block();
        let after = self.layout.iter().position(|&b| b == block).expect("blocks are in the layout");
        self.layout.pop();
        self.layout.insert(after + 1, tail);
        let moved = self.blocks[block].insts.split_off(index);
        for &inst in &moved {
            self.insts[inst].block = Some(tail).into();
        }
        self.blocks[tail].insts = moved;
        let predicate = self.predicate(block);
        self.set_predicate(tail, predicate);
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
}
