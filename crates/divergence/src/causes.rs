//! Causes: why a value is not uniform, as a chain back to where divergence starts.
//!
//! Each version that is not uniform has one [`Cause`], and most causes lead to another version that was not uniform before. Times
//! decide: what is named as a cause stopped being uniform earlier, so chains end.

use crate::analysis::{NEVER, State, node_of};
use crate::divergence::Divergence;
use crate::lattice::Lattice;
use crate::merge::{Incoming, arriving, incoming, mixing_branch};
use crate::objects::Cause as ObjectCause;
use lw_graph::Node;
use lw_ir::{Block, Function, Inst, Op, Value};
use lw_sparse::function::{block, inst, value, var};
use lw_sparse::{Def, Pos, Version, View};

/// Why a value is not uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is given: a parameter, an induction variable, the result of a named call.
    Source,
    /// It is the number of the thread, or another operation that treats threads differently.
    Lane,
    /// It is computed or merged from another value that is not uniform.
    Operand(Value),
    /// Threads that parted at a branch enter this block over different edges.
    Join {
        /// Where they meet.
        block: Block,
        /// Where they parted.
        branch: Block,
    },
    /// Threads leave a loop in different iterations and take the value of their last one along.
    LoopExit {
        /// The outermost loop they leave.
        header: Block,
        /// Where they parted.
        branch: Block,
    },
    /// It is loaded from a place that is not the same for all threads.
    Address(Value),
    /// It is loaded from a stack object whose copies differ between threads.
    Object(ObjectCause),
    /// It is loaded atomically or as volatile, or the result of an atomic operation.
    Atomic,
    /// It is the address of the thread's own stack object.
    OwnObject,
    /// It is the result of a call of which nothing is known.
    Call,
    /// It is what a function of the module returns for arguments like these: the chain goes on in there.
    Returned,
    /// Threads that parted at a branch come back from different returns of the function.
    Returns {
        /// Where they parted.
        branch: Block,
    },
    /// It is a parameter, and the caller gives a value that is not uniform: the chain goes on there.
    Argument,
    /// It is the result of something that the IR does not model.
    Opaque,
    /// It depends on which threads are active, and a branch or predicate decides that.
    Activation(Option<Block>),
    /// It is executed at different times by threads that parted at a branch.
    Unsynchronized(Block),
}

/// A cause, and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recorded {
    cause: Cause,
    next: Option<Version>,
}

/// A step of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The value that is not uniform.
    pub value: Value,
    /// Why.
    pub cause: Cause,
}

/// The causes of all versions that are not uniform.
pub(crate) fn record<L: Lattice>(state: &State<'_, L>, view: &View) -> Vec<Option<Recorded>> {
    let one = |version: Version| {
        let bad = state.since[version.index()] != NEVER;
        bad.then(|| Recorder { state, view, version }.record())
    };
    view.versions().map(one).collect()
}

struct Recorder<'a, 'f, L> {
    state: &'a State<'f, L>,
    view: &'a View,
    version: Version,
}

impl<L: Lattice> Recorder<'_, '_, L> {
    fn record(&self) -> Recorded {
        let given = value(self.view.var(self.version));
        let is_given = self.state.own[self.view.var(self.version).index()] == Some(self.version)
            && self.state.sources.values.contains_key(&given);
        match self.view.def(self.version) {
            _ if is_given => Recorded { cause: Cause::Source, next: None },
            Def::Param => Recorded { cause: Cause::Source, next: None },
            Def::Phi(_) => self.merged(),
            Def::Instr(pos) if self.view.code().is_phi(pos) => self.merged(),
            Def::Instr(pos) => self.computed(pos),
            Def::Sigma(sigma, _) => self.operand(self.view.sigmas()[sigma as usize].source),
            Def::Copy(copy) => self.operand(self.view.copies()[copy as usize].source),
        }
    }

    fn since(&self, version: Version) -> u32 {
        self.state.since[version.index()]
    }

    fn operand(&self, version: Version) -> Recorded {
        let cause = Cause::Operand(value(self.view.var(version)));
        Recorded { cause, next: Some(version) }
    }

    /// The version a branch decides by.
    fn condition(&self, branch: Node) -> Option<Version> {
        let pos = self.view.code().positions(branch).last()?;
        let data = &self.state.function[inst(self.view.code().instr(pos))];
        let decides = *data.args.first()?;
        let version = self.view.used(pos, var(decides))?;
        (self.since(version) != NEVER).then_some(version)
    }

    fn by_branch(&self, branch: Node, cause: Cause) -> Recorded {
        Recorded { cause, next: self.condition(branch) }
    }

    /// The earliest of these versions that stopped being uniform before this one did.
    fn earliest(&self, versions: impl Iterator<Item = Version>) -> Option<Version> {
        let before = versions.filter(|&v| self.since(v) < self.since(self.version));
        before.min_by_key(|&v| self.since(v))
    }

    fn merged(&self) -> Recorded {
        let (state, view) = (self.state, self.view);
        let def = view.def(self.version);
        let at = crate::analysis::place(view, self.version);
        let control = &state.control;
        let operands = incoming(state, view, def);
        let versions = operands.iter().filter_map(|(_, operand)| match operand {
            Incoming::Version(version) => Some(*version),
            Incoming::Constant(_) => None,
        });
        let data = self.earliest(versions);
        for &(edge, operand) in &operands {
            let Some((outermost, branch)) = control.divergent_exit(edge) else { continue };
            let Incoming::Version(version) = operand else { continue };
            let changed = state.facts[version.index()].is_uniform()
                && !arriving(state, view, edge, operand).is_uniform();
            if changed {
                let header = block(control.header(outermost));
                let cause = Cause::LoopExit { header, branch: block(branch) };
                return self.by_branch(branch, cause);
            }
        }
        // What was there first: the divergent join or an operand.
        let mixing = mixing_branch(state, &operands);
        let join = mixing.filter(|branch| {
            let since = state.branch_since[branch.index()];
            since < self.since(self.version) && data.is_none_or(|d| since < self.since(d))
        });
        match (join, data) {
            (Some(branch), _) => {
                let cause = Cause::Join { block: block(at), branch: block(branch) };
                self.by_branch(branch, cause)
            }
            (None, Some(version)) => self.operand(version),
            (None, None) => match mixing {
                Some(branch) => {
                    let cause = Cause::Join { block: block(at), branch: block(branch) };
                    self.by_branch(branch, cause)
                }
                None => {
                    let branch = state.activation.varies(at);
                    let next = branch.and_then(|branch| self.condition(branch));
                    Recorded { cause: Cause::Activation(branch.map(block)), next }
                }
            },
        }
    }

    fn computed(&self, pos: Pos) -> Recorded {
        let (state, view) = (self.state, self.view);
        let function = state.function;
        let this = inst(view.code().instr(pos));
        let at = view.code().block(pos);
        let data = &function[this];
        let uses = data.args.iter().filter(|&&arg| function.as_constant(arg).is_none());
        let uses = uses.filter_map(|&arg| view.used(pos, var(arg)));
        let operand = self.earliest(uses);
        let alone = |cause: Cause| Recorded { cause, next: None };
        let by =
            |branch: Node, cause: fn(Block) -> Cause| self.by_branch(branch, cause(block(branch)));
        match &data.op {
            Op::Alloca(_) => alone(Cause::OwnObject),
            Op::Mask => {
                let branch = state.activation.varies(at);
                let next = match branch {
                    Some(branch) => self.condition(branch),
                    None => self.predicate(at),
                };
                Recorded { cause: Cause::Activation(branch.map(block)), next }
            }
            Op::Load(access) if !access.is_simple() => alone(Cause::Atomic),
            Op::Load(_) => self.loaded(this, pos, at),
            Op::AtomicRmw(..) | Op::CmpXchg(_) => alone(Cause::Atomic),
            Op::Opaque(_) | Op::LandingPad(_) | Op::VaArg => alone(Cause::Opaque),
            Op::Horizontal(_) => match (operand, state.control.desynchronized(at)) {
                (Some(version), _) => self.operand(version),
                (None, Some(branch)) => by(branch, Cause::Unsynchronized),
                (None, None) => alone(Cause::Lane),
            },
            _ => match operand {
                Some(version) => self.operand(version),
                None if matches!(data.op, Op::Call(_) | Op::Invoke(_)) => alone(Cause::Call),
                None => {
                    let branch = state.activation.varies(at);
                    let next = branch.and_then(|branch| self.condition(branch));
                    Recorded { cause: Cause::Activation(branch.map(block)), next }
                }
            },
        }
    }

    /// The version of the predicate of a block.
    fn predicate(&self, at: Node) -> Option<Version> {
        let predicate = self.state.function.predicate(block(at))?;
        let pos = self.view.code().positions(at).last()?;
        self.view.used(pos, var(predicate))
    }

    fn loaded(&self, this: Inst, pos: Pos, at: Node) -> Recorded {
        let (state, view) = (self.state, self.view);
        let address = state.function[this].args[0];
        let fact = state.used(view, pos, address);
        let version = view.used(pos, var(address));
        if !fact.own.is_empty() && fact.shape.is_uniform() {
            let cause = fact.own.iter().find_map(|object| state.objects.varying(object));
            let next = match cause {
                Some(ObjectCause::Join { branch, .. }) => self.condition(branch),
                Some(ObjectCause::Store(store)) => self.stored(store),
                None => None,
            };
            return Recorded { cause: cause.map_or(Cause::OwnObject, Cause::Object), next };
        }
        match state.control.desynchronized(at) {
            Some(branch) if fact.is_uniform() => {
                self.by_branch(branch, Cause::Unsynchronized(block(branch)))
            }
            _ => Recorded { cause: Cause::Address(address), next: version },
        }
    }

    /// What makes a store write different things on different threads.
    fn stored(&self, store: Inst) -> Option<Version> {
        let (state, view) = (self.state, self.view);
        let at = node_of(state.function, store)?;
        let mut positions = view.code().positions(at);
        let pos = positions.find(|&pos| inst(view.code().instr(pos)) == store)?;
        let data = &state.function[store];
        let read = data.args.iter().filter(|&&arg| state.function.as_constant(arg).is_none());
        let read = read.filter_map(|&arg| view.used(pos, var(arg)));
        let differing = read.filter(|v| !state.facts[v.index()].shape.is_uniform());
        self.earliest(differing).or_else(|| self.predicate(at))
    }
}

impl<L: Lattice> Divergence<L> {
    /// Why a value is not uniform where it is defined; `None` if it is.
    pub fn cause(&self, of: Value) -> Option<Cause> {
        let version = self.own.get(var(of).index()).copied().flatten()?;
        self.recorded[version.index()].map(|recorded| recorded.cause)
    }

    /// The chain of causes from a value back to where divergence starts; empty if the value is uniform.
    pub fn explain(&self, of: Value) -> Vec<Link> {
        self.explain_version(self.own.get(var(of).index()).copied().flatten())
    }

    /// The same where an instruction reads the value: behind a loop it may not be uniform although it was.
    pub fn explain_use(&self, function: &Function, user: Inst, operand: Value) -> Vec<Link> {
        self.explain_version(self.version_at_use(function, user, operand))
    }

    fn explain_version(&self, version: Option<Version>) -> Vec<Link> {
        let mut chain: Vec<Link> = Vec::new();
        let mut at = version;
        while let Some(version) = at
            && let Some(recorded) = self.recorded[version.index()]
        {
            chain.push(Link { value: value(self.view.var(version)), cause: recorded.cause });
            at =
                recorded.next.filter(|next| self.since[next.index()] < self.since[version.index()]);
        }
        chain
    }

    /// The chain for the branch at the end of a block.
    pub fn explain_branch(&self, function: &Function, branch: Block) -> Vec<Link> {
        let decides = function.terminator(branch).and_then(|t| function[t].args.first().copied());
        match decides {
            Some(decides) if function.as_constant(decides).is_none() => self.explain(decides),
            _ => Vec::new(),
        }
    }

    /// Whether an operand of an instruction stopped being uniform before its result did.
    pub(crate) fn came_first(&self, function: &Function, operand: Value, user: Inst) -> bool {
        let result = function[user].result.expand();
        let result = result.and_then(|v| self.own.get(var(v).index()).copied().flatten());
        let operand = self.version_at_use(function, user, operand);
        match (operand, result) {
            (Some(operand), Some(result)) => {
                self.since[operand.index()] < self.since[result.index()]
            }
            _ => false,
        }
    }
}
