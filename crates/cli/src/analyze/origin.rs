//! Where a pointer comes from, so that a report can say why something is known of it, or why not.

use crate::subject::Subject;
use lw_graph::Edge;
use lw_sparse::meaning::{Arg, Expr, Meaning};
use lw_sparse::{Def, Pos, Var, Version, View};
use std::collections::HashSet;

/// So many origins are named at most.
const MOST: usize = 3;

/// Something a pointer can be, as far as a walk is concerned.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Version(Version),
    Null,
    Global(u32),
    Other,
}

/// Where a walk ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// A parameter.
    Param(Var),
    /// Memory that this instruction allocates.
    Alloc(Pos),
    /// A global variable.
    Global(u32),
    /// The null pointer, which this instruction uses.
    Null(Pos),
    /// A load.
    Load(Pos),
    /// A call.
    Call(Pos),
    /// A branch that learned something about it.
    Tested(Edge),
    /// An instruction behind which more is known.
    Used(Pos),
    /// Where definitions meet, none of which is part of the story.
    Meet(Pos),
    /// An address computed from something that is fine by itself.
    Address(Pos),
    /// Anything else.
    Other(Pos),
}

/// A walk from versions to their origins.
pub(super) struct Walk<'a, 'u> {
    pub(super) subject: &'a Subject<'u>,
    pub(super) view: &'a View,
    /// Whether something is part of the story: where definitions meet, only such operands are followed.
    pub(super) matters: &'a dyn Fn(Source) -> bool,
    /// Whether more is known of the second version than of the first.
    pub(super) refines: &'a dyn Fn(Version, Version) -> bool,
}

impl Walk<'_, '_> {
    /// The origins of what an instruction reads.
    pub(super) fn origins(&self, pos: Pos, arg: Arg) -> Vec<Origin> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        self.arg(pos, arg, None, &mut found, &mut seen);
        found
    }

    fn arg(
        &self,
        pos: Pos,
        arg: Arg,
        edge: Option<Edge>,
        found: &mut Vec<Origin>,
        seen: &mut HashSet<Version>,
    ) {
        let source = match arg {
            Arg::Var(var) => match self.version(pos, var, edge) {
                Some(version) => Source::Version(version),
                None => return,
            },
            Arg::Null => Source::Null,
            Arg::Global(global) => Source::Global(global),
            _ => Source::Other,
        };
        if !(self.matters)(source) || found.len() >= MOST {
            return;
        }
        let origin = match source {
            Source::Version(version) => return self.version_origins(version, found, seen),
            Source::Null => Origin::Null(pos),
            Source::Global(global) => Origin::Global(global),
            Source::Other => Origin::Other(pos),
        };
        push(found, origin);
    }

    /// The version of a variable that an instruction reads, a φ on an edge.
    fn version(&self, pos: Pos, var: Var, edge: Option<Edge>) -> Option<Version> {
        let mut uses = self.view.uses(pos);
        match edge {
            None => uses.find(|&(v, _)| v == var)?.1,
            Some(edge) => {
                let edges = self.subject.code.phi_uses(pos);
                uses.zip(edges).find(|&((v, _), (_, e))| v == var && e == edge)?.0.1
            }
        }
    }

    fn version_origins(
        &self,
        version: Version,
        found: &mut Vec<Origin>,
        seen: &mut HashSet<Version>,
    ) {
        if !seen.insert(version) {
            return;
        }
        match self.view.def(version) {
            Def::Param => push(found, Origin::Param(self.view.var(version))),
            Def::Instr(pos) => self.instr_origins(pos, found, seen),
            Def::Phi(phi) => {
                for arg in self.view.phi_args(phi).flatten() {
                    if (self.matters)(Source::Version(arg)) && found.len() < MOST {
                        self.version_origins(arg, found, seen);
                    }
                }
            }
            Def::Sigma(sigma, edge) => {
                let source = self.view.sigmas()[sigma as usize].source;
                if (self.refines)(source, version) {
                    push(found, Origin::Tested(edge));
                } else {
                    self.version_origins(source, found, seen);
                }
            }
            Def::Copy(copy) => {
                let copy = self.view.copies()[copy as usize];
                if (self.refines)(copy.source, version) {
                    push(found, Origin::Used(copy.pos));
                } else {
                    self.version_origins(copy.source, found, seen);
                }
            }
        }
    }

    fn instr_origins(&self, pos: Pos, found: &mut Vec<Origin>, seen: &mut HashSet<Version>) {
        let (program, code) = (&self.subject.program, &self.subject.code);
        let before = found.len();
        match program.expr(code.instr(pos)) {
            Expr::Alloc(_) => push(found, Origin::Alloc(pos)),
            Expr::Load { .. } => push(found, Origin::Load(pos)),
            Expr::Call { .. } => push(found, Origin::Call(pos)),
            Expr::Copy(arg) => self.arg(pos, arg, None, found, seen),
            Expr::Select { args, .. } => {
                args.into_iter().for_each(|arg| self.arg(pos, arg, None, found, seen));
                if found.len() == before {
                    push(found, Origin::Meet(pos));
                }
            }
            Expr::Address { base, .. } => {
                self.arg(pos, base, None, found, seen);
                if found.len() == before {
                    push(found, Origin::Address(pos));
                }
            }
            Expr::Phi => {
                for &edge in code.graph().predecessor_edges(code.block(pos)) {
                    let arg = program.phi_arg(code.instr(pos), code.graph().source(edge));
                    self.arg(pos, arg, Some(edge), found, seen);
                }
                if found.is_empty() {
                    push(found, Origin::Meet(pos));
                }
            }
            _ => push(found, Origin::Other(pos)),
        }
    }
}

fn push(found: &mut Vec<Origin>, origin: Origin) {
    if !found.contains(&origin) {
        found.push(origin);
    }
}
