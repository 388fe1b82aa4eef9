//! Functions with a given graph, and their reducible copies.

use lw_graph::{Graph, LoopForest, Node};
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::{Block, Function, InsertAt, InstData, Op, Type, Value};
use lw_sparse::Program;
use lw_sparse::function::block;
use std::collections::HashMap;

/// A function with this graph behind an entry block. Every block counts how many blocks were executed before it (`t`); a block
/// with several successors takes the one that a number of its own, shifted by that count, says.
pub(crate) fn function(graph: &Graph) -> String {
    let n = graph.node_count();
    let params: Vec<String> = (0..n).map(|b| format!("i64 %s{b}")).collect();
    let mut text = format!("func @f({}) -> i64 {{\nentry:\n  br label %b0\n", params.join(", "));
    for b in graph.nodes() {
        let i = b.index();
        let mut from: Vec<usize> = graph.predecessors(b).map(|p| p.index()).collect();
        from.sort_unstable();
        from.dedup();
        let entry = (i == 0).then(|| "[ 0, %entry ]".to_string());
        let t = match from[..] {
            [] if i == 0 => "0".to_string(),
            // A single predecessor needs no φ; behind a loop the analysis has to put one there.
            [p] if i != 0 => format!("%n{p}"),
            _ => format!("%t{i}"),
        };
        text += &format!("b{i}:\n");
        if t.starts_with("%t") {
            let args = from.iter().map(|p| format!("[ %n{p}, %b{p} ]"));
            let args: Vec<String> = entry.into_iter().chain(args).collect();
            text += &format!("  %t{i} = phi i64 {}\n", args.join(", "));
        }
        text += &format!("  %n{i} = add i64 {t}, 1\n");
        let targets = graph.successors(b);
        match targets {
            [] => text += &format!("  ret i64 %n{i}\n"),
            [only] => text += &format!("  br label %b{}\n", only.index()),
            [first, rest @ ..] => {
                text += &format!("  %x{i} = lshr i64 %s{i}, {t}\n  %c{i} = and i64 %x{i}, 3\n");
                let case = |(k, to): (usize, &Node)| format!("{}: label %b{}", k + 1, to.index());
                let cases: Vec<String> = rest.iter().enumerate().map(case).collect();
                let cases = cases.join(", ");
                text += &format!("  switch i64 %c{i}, label %b{} [{cases}]\n", first.index());
            }
        }
    }
    text + "}\n"
}

/// A reducible copy of a function, and the values that took the place of others.
pub(crate) struct Copy {
    pub(crate) function: Function,
    replaced: HashMap<Value, Value>,
    /// By entry of an irreducible cycle: the block in front of it.
    pub(crate) dispatch: HashMap<Block, Block>,
}

impl Copy {
    /// Each cycle with several entries gets a block that all edges to its entries go through, and that sends control on.
    pub(crate) fn of(function: &Function) -> Copy {
        let (replaced, dispatch) = (HashMap::new(), HashMap::new());
        let mut copy = Copy { function: function.clone(), replaced, dispatch };
        loop {
            let loops = LoopForest::compute(&copy.function.graph());
            let Some(l) = loops.irreducible_loops().next() else { return copy };
            let entries: Vec<Block> = loops.entries(l).into_iter().map(block).collect();
            copy.one_entry(&entries);
        }
    }

    /// What a value is in the copy.
    pub(crate) fn value(&self, value: Value) -> Value {
        self.replaced.get(&value).map_or(value, |&new| self.value(new))
    }

    fn one_entry(&mut self, entries: &[Block]) {
        let f = &mut self.function;
        // Each edge gets a block, so that what it brings along has a place; parallel edges get one.
        let mut edges: Vec<(Block, usize)> = Vec::new();
        let mut sources: Vec<Block> = Vec::new();
        for b in f.blocks().to_vec() {
            for (number, &entry) in entries.iter().enumerate() {
                if f.successors(b).contains(&entry) {
                    let between = f.add_block();
                    let jump = InstData::new(Op::Br, Type::Void, &[]).with_targets(&[entry]);
                    f.insert(InsertAt::End(between), jump);
                    let terminator = f.terminator(b).expect("it has successors");
                    let to_entry = f[terminator].targets.iter_mut().filter(|t| **t == entry);
                    to_entry.for_each(|target| *target = between);
                    edges.push((between, number));
                    sources.push(b);
                }
            }
        }
        let from: Vec<Block> = edges.iter().map(|&(b, _)| b).collect();
        let dispatch = f.add_named_block("dispatch");
        let merge = |f: &mut Function, ty: Type, values: &[Value]| {
            let data = InstData::new(Op::Phi, ty, values).with_targets(&from);
            let phi = f.insert(InsertAt::End(dispatch), data);
            f.result(phi)
        };
        for (number, &entry) in entries.iter().enumerate() {
            self.dispatch.insert(entry, dispatch);
            for phi in f.phis(entry).collect::<Vec<_>>() {
                let ty = f[phi].ty;
                let nothing = f.constant(Constant { ty, kind: ConstantKind::Undef });
                let bring = |(&(_, to), &source): (&(Block, usize), &Block)| {
                    let own = f[phi].incoming().find(|&(_, from)| from == source);
                    own.filter(|_| to == number).map_or(nothing, |(value, _)| value)
                };
                let values: Vec<Value> = edges.iter().zip(&sources).map(bring).collect();
                let (old, new) = (f.result(phi), merge(f, ty, &values));
                f.replace_uses(old, new);
                self.replaced.insert(old, new);
                f.erase(phi);
            }
        }
        let number = |f: &mut Function, i: usize| f.constant(Constant::int(Type::I32, i as i128));
        let ways: Vec<Value> = edges.iter().map(|&(_, to)| number(f, to)).collect();
        let way = merge(f, Type::I32, &ways);
        for &b in &from {
            let jump = f.terminator(b).expect("it leads to an entry");
            f[jump].targets[0] = dispatch;
        }
        let cases: Vec<Value> = (1..entries.len()).map(|i| number(f, i)).collect();
        let args: Vec<Value> = [way].into_iter().chain(cases).collect();
        let switch = InstData::new(Op::Switch, Type::Void, &args).with_targets(entries);
        f.insert(InsertAt::End(dispatch), switch);
    }
}
