//! AllocaSSA (001 §6.6): stack objects that are the same on all threads.
//!
//! Each thread has its own copy of a stack object. The copies are the same if all threads do the same to them: write uniform
//! values at uniform offsets, and leave the object in the same state wherever threads that parted meet again. The states of an
//! object form an SSA graph: `Def` at the `alloca`, `Write` at stores, `Join` where states meet, which is at the iterated
//! dominance frontier of the others. A divergent join or exit at a `Join` makes the object varying (001 Fig. 6.13), unless nobody
//! asks for the state any more (`life.rs`).
//!
//! Only objects are tracked whose address stays in the function: it is offset, merged, compared, loaded from and stored to.

mod life;

use crate::control::{Control, News};
use crate::fact::{Object, ObjectSet};
use life::Life;
use lw_graph::{DominatorTree, FrontierScratch, Frontiers, Node};
use lw_ir::{Function, Inst, Op, Value};
use lw_sparse::Code;
use lw_sparse::function::node;
use rustc_hash::{FxHashMap, FxHashSet};

/// The stack objects of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    objects: Vec<Data>,
    by_alloca: FxHashMap<Inst, Object>,
    /// The objects a pointer may point into, whatever its shape has become.
    pointees: FxHashMap<Value, ObjectSet>,
    /// Of the graph whose joins count; there is one if there are objects.
    dominators: Option<DominatorTree>,
}

#[derive(Clone, Debug)]
struct Data {
    alloca: Inst,
    stores: Vec<Inst>,
    loads: Vec<Inst>,
    /// Blocks that write it.
    writers: Vec<Node>,
    /// Blocks where its states meet, ascending.
    joins: Vec<Node>,
    /// The marks of its life.
    marks: Vec<Inst>,
    /// Whether its address goes through a φ.
    merged: bool,
    life: Option<Life>,
    /// Whether it is given that threads may share it.
    given: bool,
    varying: Option<Cause>,
}

/// Why an object is not the same on all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A store of different values, or to different places, or by some of the threads.
    Store(Inst),
    /// Threads that parted at this branch meet in this block with different states of the object.
    Join {
        /// Where they meet.
        block: Node,
        /// Where they parted.
        branch: Node,
    },
}

impl Objects {
    /// Finds the objects whose address stays in the function and is not given from outside.
    /// Threads share those that are `known`.
    pub(crate) fn find(
        function: &Function,
        code: &Code,
        control: &Control,
        given: &dyn Fn(Value) -> bool,
        known: &FxHashSet<Inst>,
    ) -> Objects {
        let allocas: Vec<Inst> = function
            .all_insts()
            .filter(|(_, inst)| matches!(function[*inst].op, Op::Alloca(_)))
            .filter(|(_, inst)| !function[*inst].result.expand().is_some_and(given))
            .map(|(_, inst)| inst)
            .collect();
        let mut all = Objects::default();
        if allocas.is_empty() {
            return all;
        }
        let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
        for (_, inst) in function.all_insts() {
            for &arg in &function[inst].args {
                if function.as_constant(arg).is_none() {
                    users.entry(arg).or_default().push(inst);
                }
            }
        }
        let frontiers = Frontiers::compute(code.graph(), code.dominators());
        let graph = control.copied_graph().unwrap_or(code.graph());
        let dominators = match control.copied_graph() {
            Some(copy) => DominatorTree::compute(copy),
            None => code.dominators().clone(),
        };
        let mut scratch = FrontierScratch::new();
        for alloca in allocas {
            if all.objects.len() as u32 == Object::LIMIT {
                break;
            }
            let Some((mut data, pointers)) = follow(function, &users, alloca) else { continue };
            let block = |inst: Inst| function.block_of(inst).map(node);
            data.writers = data.stores.iter().filter_map(|&inst| block(inst)).collect();
            let places = data.writers.iter().copied().chain(block(alloca));
            data.joins = frontiers.iterated(places, &mut scratch);
            data.joins.sort_unstable();
            // A φ may still have the address of an object that a loop allocated before.
            let once = block(alloca).is_some_and(|b| b == code.graph().entry());
            if once || !data.merged {
                data.marks.push(alloca);
                let accesses = (&*data.loads, &*data.stores, &*data.marks);
                data.life = Life::find(function, (graph, &dominators), accesses);
            }
            data.given = known.contains(&alloca);
            let object = Object(all.objects.len() as u32);
            all.objects.push(data);
            all.by_alloca.insert(alloca, object);
            for pointer in pointers {
                let known = all.pointees.entry(pointer).or_default();
                *known = known.union(object.into());
            }
        }
        all.dominators = Some(dominators);
        all
    }

    /// The object of an `alloca`.
    pub(crate) fn of_alloca(&self, inst: Inst) -> Option<Object> {
        self.by_alloca.get(&inst).copied()
    }

    /// The `alloca` of an object.
    pub(crate) fn alloca(&self, object: Object) -> Inst {
        self.objects[object.0 as usize].alloca
    }

    /// The objects a pointer may point into.
    pub(crate) fn pointees(&self, pointer: Value) -> ObjectSet {
        self.pointees.get(&pointer).copied().unwrap_or_default()
    }

    /// Why an object is varying.
    pub(crate) fn varying(&self, object: Object) -> Option<Cause> {
        self.objects[object.0 as usize].varying
    }

    /// The loads that may read an object.
    pub(crate) fn loads(&self, object: Object) -> &[Inst] {
        &self.objects[object.0 as usize].loads
    }

    /// Makes an object varying; whether that is new.
    pub(crate) fn make_varying(&mut self, object: Object, cause: Cause) -> bool {
        let data = &mut self.objects[object.0 as usize];
        let new = data.varying.is_none() && !data.given;
        if new {
            data.varying = Some(cause);
        }
        new
    }

    /// [DA-JOIN-D]: the objects that a new divergent branch makes varying.
    pub(crate) fn meet(&mut self, control: &Control, branch: Node, news: &News) -> Vec<Object> {
        let mut found = Vec::new();
        let Some(dominators) = &self.dominators else { return found };
        for (i, data) in self.objects.iter_mut().enumerate() {
            if data.varying.is_some() || data.given {
                continue;
            }
            let life = data.life.as_ref();
            let is_live = |block: Node| life.is_none_or(|life| life.is_live(control.gate(block)));
            let is_over = |block: Node| {
                life.is_some_and(|life| life.is_over(control, dominators, branch, block))
            };
            let joins = |&&block: &&Node| data.joins.binary_search(&block).is_ok();
            let mut met = news.joins.iter().filter(joins).filter(|&&block| !is_over(block));
            let at_join = met.next().map(|&block| Cause::Join { block, branch });
            // Left in different iterations, a loop that writes leaves different states behind.
            let loops = control.loops();
            let at_exit = || {
                let into = |&block: &Node| control.graph().predecessor_edges(block).to_vec();
                news.blocks.iter().flat_map(into).find_map(|edge| {
                    let (outermost, branch) = control.divergent_exit(edge)?;
                    let block = control.graph().target(edge);
                    let writes = data.writers.iter().any(|&w| loops.contains(outermost, w));
                    (writes && is_live(block)).then_some(Cause::Join { block, branch })
                })
            };
            data.varying = at_join.or_else(at_exit);
            if data.varying.is_some() {
                found.push(Object(i as u32));
            }
        }
        found
    }
}

/// Follows the address of an object; `None` if it gets out of sight.
fn follow(
    function: &Function,
    users: &FxHashMap<Value, Vec<Inst>>,
    alloca: Inst,
) -> Option<(Data, Vec<Value>)> {
    let start = function[alloca].result.expand()?;
    let mut data = Data {
        alloca,
        stores: vec![],
        loads: vec![],
        writers: vec![],
        joins: vec![],
        marks: vec![],
        merged: false,
        life: None,
        given: false,
        varying: None,
    };
    let mut pointers = vec![start];
    let mut known = FxHashSet::from_iter([start]);
    let mut next = 0;
    while let Some(&pointer) = pointers.get(next) {
        next += 1;
        for &user in users.get(&pointer).map_or(&[][..], Vec::as_slice) {
            let inst = &function[user];
            let derived = match &inst.op {
                _ if inst.total => return None,
                Op::Load(access) if access.is_simple() => {
                    data.loads.push(user);
                    None
                }
                Op::Store(access) if access.is_simple() && inst.args[0] != pointer => {
                    data.stores.push(user);
                    None
                }
                Op::Gep(_) if inst.args[1..].iter().all(|&arg| arg != pointer) => {
                    inst.result.expand()
                }
                Op::Phi if inst.shadow().is_none() => {
                    data.merged = true;
                    inst.result.expand()
                }
                Op::Select => inst.result.expand(),
                Op::ICmp(_) => None,
                Op::Call(_) if is_lifetime(function, user) => {
                    data.marks.extend((pointer == start).then_some(user));
                    None
                }
                _ => return None,
            };
            if let Some(derived) = derived
                && known.insert(derived)
            {
                pointers.push(derived);
            }
        }
    }
    data.stores.sort();
    data.stores.dedup();
    Some((data, pointers))
}

fn is_lifetime(function: &Function, call: Inst) -> bool {
    let symbol = function[call].args.first().and_then(|&callee| function.as_symbol(callee));
    let name = symbol.and_then(|symbol| function.symbols.get(symbol).name.as_str());
    name.is_some_and(|name| name.starts_with("llvm.lifetime."))
}
