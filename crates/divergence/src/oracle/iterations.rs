//! In which iterations of the loops around them threads are.
//!
//! Runs come with tags of their own. They are the same as these on reducible graphs; in cycles with several entries the machine counts
//! from one of the entries, and claims are about the iterations of a reducible copy, which begin at any of them.

use crate::control::Control;
use lw_graph::Node;
use lw_ir::interp::{Step, Tag};
use lw_sparse::function::node;

/// The tag of each thread in the block it executed last.
pub(super) struct Iterations(Vec<Tag>);

impl Iterations {
    pub(super) fn new(threads: usize) -> Iterations {
        Iterations(vec![Tag::default(); threads])
    }

    pub(super) fn of(&self, thread: usize) -> &Tag {
        &self.0[thread]
    }

    /// The threads of the control mask are in the block of this step now.
    pub(super) fn enter(&mut self, control: &Control, step: &Step) {
        let to = node(step.block);
        for (t, tag) in self.0.iter_mut().enumerate().filter(|&(t, _)| step.cmask[t]) {
            match step.before[t].came_from.map(node) {
                None => *tag = Tag::default(),
                Some(from) => {
                    let path: Vec<Node> = control.copy.path(from, to).collect();
                    path.windows(2).for_each(|pair| follow(control, tag, pair[0], pair[1]));
                }
            }
        }
    }
}

/// g_qp of 000 Def. 3.1, for an edge of the copy.
fn follow(control: &Control, tag: &mut Tag, from: Node, to: Node) {
    let loops = control.loops();
    match loops.headed_by(to).filter(|&l| loops.contains(l, from)) {
        Some(l) => {
            tag.0.truncate(loops.loop_depth(l));
            if let Some(last) = tag.0.last_mut() {
                *last += 1;
            }
        }
        None => {
            tag.0.truncate(loops.common(from, to).map_or(0, |l| loops.loop_depth(l)));
            tag.0.resize(loops.depth(to), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Iterations;
    use crate::{Basic, Options, Sources, analyze};
    use lw_ir::interp::{Machine, Run, Val};
    use lw_ir::parse_module;

    fn tags(text: &str, args: &[Vec<Val>]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let module = parse_module(text).unwrap();
        let f = &module.functions[0];
        let found = analyze(f, &Sources::params([Basic::Varying]), &Options::default());
        let run = Run { threads: args.len(), trace: true, ..Run::default() };
        let outcome = Machine::new(&module).run("f", args, &run).unwrap();
        let mut iterations = Iterations::new(args.len());
        let mut seen = Vec::new();
        for step in outcome.trace.unwrap().top() {
            iterations.enter(found.control(), step);
            let here = |t: &usize| step.cmask[*t];
            let ours = (0..args.len()).filter(here).map(|t| iterations.of(t).to_string());
            let theirs = (0..args.len()).filter(here).map(|t| step.tags[t].to_string());
            let block = f.display_block(step.block).to_string().replace('%', "");
            seen.push((block, ours.collect(), theirs.collect()));
        }
        seen
    }

    #[test]
    fn reducible_loops_are_counted_as_the_machine_does() {
        let text = "func @f(i32 %a) -> i32 {
A:
  br label %H
H:
  %i = phi i32 [ 0, %A ], [ %ii, %L ]
  br label %I
I:
  %j = phi i32 [ 0, %H ], [ %jj, %I ]
  %jj = add i32 %j, 1
  %in = icmp slt i32 %jj, %a
  br i1 %in, label %I, label %L
L:
  %ii = add i32 %i, 1
  %more = icmp slt i32 %ii, 3
  br i1 %more, label %H, label %X
X:
  ret i32 %i
}";
        let args = [1, 3, 2].map(|a| vec![Val::i32(a)]);
        for (block, ours, theirs) in tags(text, &args) {
            assert_eq!(ours, theirs, "{block}");
        }
    }

    /// Coming to either entry of a cycle begins an iteration.
    #[test]
    fn each_entry_of_a_cycle_counts() {
        let text = "func @f(i32 %a) -> i32 {
A:
  br label %P
P:
  %i = phi i32 [ %a, %A ], [ %k, %Q ]
  %j = add i32 %i, 1
  %go = icmp slt i32 %a, 100
  br i1 %go, label %Q, label %X
Q:
  %k = phi i32 [ %j, %P ], [ 0, %B ]
  %more = icmp slt i32 %k, 2
  br i1 %more, label %P, label %X
B:
  br label %Q
X:
  ret i32 %a
}";
        // B cannot be reached here, so this is a loop like others; from A, B can.
        let irreducible = text.replacen(
            "  br label %P",
            "  %odd = icmp eq i32 %a, 1\n  br i1 %odd, label %B, label %P",
            1,
        );
        let all = tags(&irreducible, &[vec![Val::i32(0)]]);
        let ours: Vec<(&str, &str)> =
            all.iter().map(|(b, ours, _)| (b.as_str(), ours[0].as_str())).collect();
        let expected =
            [("A", "⟨⟩"), ("P", "⟨0⟩"), ("Q", "⟨1⟩"), ("P", "⟨2⟩"), ("Q", "⟨3⟩"), ("X", "⟨⟩")];
        assert_eq!(ours, expected);
    }
}
