//! Which pointers are followed.
//!
//! Following every pointer through memory makes sets large: in a program of any size most of memory is connected. So a pointer to an
//! object is followed through registers, parameters and results only. One that is put into memory, is passed to a call through a pointer,
//! or gets outside becomes the unknown value there, and its object is open to everybody who has that value. Memory holds functions and
//! the unknown value, then, and an object is either *tame*, and all accesses to it are known, or part of what is not followed.
//!
//! The rewriting is offline: a variable is *marked* if what it has may get into memory; pointers to objects that flow into marked
//! variables are replaced.

use lw_cfa::flow::{Node, Op, Var};

use crate::build::Build;
use crate::objects::EVERY;

impl Build<'_> {
    /// Replaces pointers that are not followed.
    pub(crate) fn tame(&mut self, taken: &[bool]) {
        let marked = self.marked(taken);
        let is_object = |node: &Node| match node {
            Node::Value(value) => self.pointees[*value as usize].is_some(),
            Node::Var(_) => false,
        };
        let unknown = Node::Value(self.unknown);
        let elements = self.objects.iter().any(|object| !object.elements.is_empty());
        let mut ops = Vec::with_capacity(self.flow.ops.len());
        let mut starts = Vec::with_capacity(self.flow.starts.len());
        let mut wild = Vec::new();
        for expr in 0..self.flow.exprs() {
            starts.push(ops.len() as u32);
            for op in &self.flow.ops[self.flow.ops_of(expr)] {
                if let Op::Load { field, .. } | Op::Store { field, .. } = op
                    && !elements
                    && field.record == EVERY
                {
                    continue;
                }
                let mut op = op.clone();
                let mut replace = |node: &mut Node| {
                    if is_object(node) {
                        wild.push(*node);
                        *node = unknown;
                    }
                };
                match &mut op {
                    Op::Copy { dst, src } if marked[*dst as usize] => replace(src),
                    Op::Store { src, .. } => replace(src),
                    Op::Call { args, .. } => args.iter_mut().for_each(replace),
                    _ => {}
                }
                ops.push(op);
                let escape = self.escape;
                ops.extend(wild.drain(..).map(|src| Op::Copy { dst: escape, src }));
            }
        }
        starts.push(ops.len() as u32);
        let mut init = Vec::with_capacity(self.flow.init.len());
        for (var, value) in &self.flow.init {
            if marked[*var as usize] && *var != self.escape && is_object(&Node::Value(*value)) {
                init.extend([(*var, self.unknown), (self.escape, *value)]);
            } else {
                init.push((*var, *value));
            }
        }
        (self.flow.ops, self.flow.starts, self.flow.init) = (ops, starts, init);
    }

    /// The variables of which what they have may get into memory, or outside.
    fn marked(&self, taken: &[bool]) -> Vec<bool> {
        let vars = self.flow.vars as usize;
        let mut marked = vec![false; vars];
        let mut work: Vec<Var> = Vec::new();
        let mut mark = |node: Node| {
            if let Node::Var(var) = node
                && !std::mem::replace(&mut marked[var as usize], true)
            {
                work.push(var);
            }
        };
        for (first, count) in &self.memory {
            (*first..first + count).for_each(|var| mark(Node::Var(var)));
        }
        mark(Node::Var(self.escape));
        for (vars, _) in self.funcs.iter().zip(taken).filter(|(_, taken)| **taken) {
            mark(Node::Var(vars.ret));
        }
        let returns: rustc_hash::FxHashSet<Var> = self.funcs.iter().map(|vars| vars.k).collect();
        let returns = |f: &Node| matches!(f, Node::Var(f) if returns.contains(f));
        let mut sources: Vec<(Var, Var)> = Vec::new();
        for op in &self.flow.ops {
            match op {
                Op::Store { src, .. } => mark(*src),
                Op::Call { f, args, .. } if args.len() > 1 || !returns(f) => {
                    args.iter().for_each(|arg| mark(*arg));
                }
                Op::Copy { dst, src: Node::Var(src) } => sources.push((*dst, *src)),
                Op::Load { dst, base: Node::Var(base), field } if self.moves(*field) => {
                    sources.push((*dst, *base));
                }
                _ => {}
            }
        }
        sources.sort_unstable();
        while let Some(dst) = work.pop() {
            let first = sources.partition_point(|(to, _)| *to < dst);
            for (_, src) in sources[first..].iter().take_while(|(to, _)| *to == dst) {
                if !std::mem::replace(&mut marked[*src as usize], true) {
                    work.push(*src);
                }
            }
        }
        marked
    }
}
