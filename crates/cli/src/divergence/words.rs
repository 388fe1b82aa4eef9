//! Causes as sentences, with the places they speak of.

use super::callees::Callees;
use crate::subject::Subject;
use lw_divergence::causes::Link;
use lw_divergence::{Cause, ObjectCause, Step as CauseStep};
use lw_ir::{Block, Inst, Op, Value, ValueDef};
use lw_report::{Place, Step};
use lw_sparse::function::{block, node};

/// A step on the way from a value back to where divergence starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reason {
    pub(super) text: String,
    pub(super) place: Option<Place>,
    pub(super) block: Option<Block>,
}

impl Reason {
    pub(super) fn step(&self) -> Step {
        Step { text: self.text.clone(), place: self.place }
    }
}

/// Longer chains are cut in the middle.
const LONGEST: usize = 24;

/// How registers are called in sources.
const NAMES: &[(&str, &str)] = &[
    ("llvm.nvvm.read.ptx.sreg.tid.", "threadIdx."),
    ("llvm.nvvm.read.ptx.sreg.ctaid.", "blockIdx."),
    ("llvm.nvvm.read.ptx.sreg.ntid.", "blockDim."),
    ("llvm.nvvm.read.ptx.sreg.nctaid.", "gridDim."),
    ("llvm.nvvm.read.ptx.sreg.", ""),
    ("llvm.nvvm.barrier.cta.sync.aligned.all", "__syncthreads"),
    ("llvm.nvvm.barrier0", "__syncthreads"),
    ("llvm.amdgcn.", ""),
];

/// Speaks of a function.
pub(super) struct Words<'a, 'u> {
    subject: &'a Subject<'u>,
    /// Whether the threads are iterations.
    iterations: bool,
}

impl<'a, 'u> Words<'a, 'u> {
    pub(super) fn new(subject: &'a Subject<'u>, iterations: bool) -> Words<'a, 'u> {
        Words { subject, iterations }
    }

    /// A value in words.
    pub(super) fn value(&self, value: Value) -> String {
        pretty(&self.subject.value(value))
    }

    /// What lies at an address.
    pub(super) fn target(&self, address: Value) -> String {
        pretty(&self.subject.target(address))
    }

    /// An instruction in words.
    pub(super) fn callee(&self, call: Inst) -> String {
        let callee = self.subject.function[call].args.first();
        callee.map_or_else(String::new, |&callee| self.value(callee))
    }

    /// The chain of causes of a value in words. Steps that say the same as their neighbours are left out. Where it goes into other
    /// functions, `callees` know these.
    pub(super) fn chain(&self, steps: &[CauseStep<'u>], callees: &Callees<'u>) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        let last = steps.len().saturating_sub(1);
        for (i, step) in steps.iter().enumerate() {
            let reason = if std::ptr::eq(step.function, self.subject.function) {
                self.one(&step.link, i == last)
            } else {
                callees.subject(step.function).and_then(|subject| {
                    let words = Words::new(&subject, false);
                    let reason = words.one(&step.link, i == last)?;
                    let name = super::plain_name(subject.unit);
                    // The picture shows the caller.
                    Some(Reason {
                        text: format!("in `{name}`: {}", reason.text),
                        block: None,
                        ..reason
                    })
                })
            };
            if reason.is_some() && reasons.last() != reason.as_ref() {
                reasons.extend(reason);
            }
        }
        if reasons.len() > LONGEST {
            let left_out = reasons.len() - LONGEST;
            let text = format!("… {left_out} steps like these …");
            reasons.splice(
                LONGEST / 2..LONGEST / 2 + left_out,
                [Reason { text, place: None, block: None }],
            );
        }
        reasons
    }

    /// A step, unless it says nothing new.
    fn one(&self, link: &Link, last: bool) -> Option<Reason> {
        match link.cause {
            Cause::Operand(of)
                if !last
                    && (self.value(link.value) == self.value(of)
                        || self.is_plumbing(link.value)) =>
            {
                None
            }
            _ => Some(self.reason(link)),
        }
    }

    /// Casts and address computations in between.
    fn is_plumbing(&self, value: Value) -> bool {
        let function = self.subject.function;
        let op = function.def_inst(value).map(|inst| &function[inst].op);
        self.subject.has_source() && matches!(op, Some(Op::Cast(_) | Op::Freeze))
    }

    fn branch(&self, at: Block) -> String {
        let place = self.subject.fork_place(node(at));
        let function = self.subject.function;
        let decides = function.terminator(at).and_then(|t| function[t].args.first().copied());
        match decides {
            Some(decides) => format!("`{}` (line {})", self.value(decides), place.line),
            None => format!("line {}", place.line),
        }
    }

    fn reason(&self, link: &Link) -> Reason {
        let function = self.subject.function;
        let name = self.value(link.value);
        let inst = function.def_inst(link.value);
        let mut place = Some(inst.map_or(self.subject.start, |inst| self.subject.place_of(inst)));
        let mut at = inst.and_then(|inst| function.block_of(inst));
        let text = match link.cause {
            Cause::Source => self.source(link.value, &name),
            Cause::Lane => format!("`{name}` is the number of the thread"),
            Cause::Operand(of) => format!("`{name}` is computed from `{}`", self.value(of)),
            Cause::Join { block, branch } => {
                place = self.subject.block_place(node(block)).or(place);
                at = Some(block);
                format!(
                    "`{name}` has another value on each way here, and threads part at {}",
                    self.branch(branch)
                )
            }
            Cause::LoopExit { header, branch } => {
                let line = self.subject.fork_place(node(header)).line;
                place = Some(self.subject.fork_place(node(branch)));
                at = Some(branch);
                format!(
                    "threads leave the loop at line {line} in different iterations, because of {}, and take `{name}` along",
                    self.branch(branch)
                )
            }
            Cause::Address(address) => {
                format!("`{name}` is loaded from places that differ: {}", self.value(address))
            }
            Cause::Object(ObjectCause::Store(store)) => {
                place = Some(self.subject.place_of(store));
                at = function.block_of(store);
                format!(
                    "`{name}` is in the thread's own memory, where something else is stored on each thread"
                )
            }
            Cause::Object(ObjectCause::Join { block: meet, branch }) => {
                place = self.subject.block_place(meet).or(place);
                at = Some(block(meet));
                format!(
                    "`{name}` is in the thread's own memory, which some threads change and others do not: they part at {}",
                    self.branch(block(branch))
                )
            }
            Cause::Atomic => {
                format!("`{name}` is read atomically: each thread may find something else")
            }
            Cause::OwnObject => format!("`{name}` is the address of the thread's own memory"),
            Cause::Call => self.call(link.value, &name),
            Cause::Returned => {
                let callee = inst.map_or_else(String::new, |call| self.callee(call));
                format!("`{name}` is what `{callee}` returns")
            }
            Cause::Returns { branch } => {
                place = Some(self.subject.fork_place(node(branch)));
                at = Some(branch);
                format!(
                    "threads part at {} and come back from different returns",
                    self.branch(branch)
                )
            }
            Cause::Argument => format!("`{name}` is given by the caller"),
            Cause::Opaque => format!("nothing is known of `{name}`"),
            Cause::Activation(Some(branch)) => {
                format!(
                    "`{name}` depends on which threads are here; they part at {}",
                    self.branch(branch)
                )
            }
            Cause::Activation(None) => format!("`{name}` depends on which threads are here"),
            Cause::Unsynchronized(branch) => format!(
                "`{name}` is found at different times by threads that part at {}",
                self.branch(branch)
            ),
        };
        Reason { text, place, block: at }
    }

    fn source(&self, value: Value, name: &str) -> String {
        let function = self.subject.function;
        match (function.def(value), function.def_inst(value).map(|inst| &function[inst].op)) {
            (ValueDef::Param(_), _) => {
                format!("`{name}` is a parameter that differs between threads")
            }
            (_, Some(Op::Phi)) if self.iterations => {
                format!(
                    "`{name}` is another value in each iteration of the loop, and iterations are the threads"
                )
            }
            _ => format!("`{name}` is the number of the thread in the launch"),
        }
    }

    fn call(&self, value: Value, name: &str) -> String {
        let call = self.subject.function.def_inst(value);
        let callee = call.map_or_else(String::new, |call| self.callee(call));
        if callee.starts_with("threadIdx.") || callee.contains("workitem.id") || callee == "laneid"
        {
            return format!("`{callee}` is the number of the thread");
        }
        if ["get_global_id", "get_local_id"].iter().any(|known| callee.contains(known)) {
            return format!("`{name}` is the number of the thread");
        }
        format!(
            "`{name}`: nothing is known of what `{callee}` returns, or it returns something else to each thread"
        )
    }
}

/// Names as in sources: of registers, of shared memory, of functions of C++.
pub(super) fn pretty(text: &str) -> String {
    let mut text = text.to_string();
    while let Some(at) = text.find("addrspacecast (ptr addrspace(")
        && let Some(name) = text[at..].find('@').map(|name| at + name + 1)
        && let Some(end) = text[name..].find(" to ptr)").map(|end| name + end)
    {
        let (name, end) = (text[name..end].to_string(), end + " to ptr)".len());
        // (*object)[i] is what a pointer to an array would need.
        let (start, rest) = match text[..at].ends_with("(*") && text[end..].starts_with(')') {
            true => (at - 2, end + 1),
            false => (at, end),
        };
        text.replace_range(start..rest, &name);
    }
    while let Some(at) = text.find("_Z") {
        let end = text[at..].find(|c| !is_name(c)).map_or(text.len(), |end| at + end);
        let name = source_name(&text[at..end]).unwrap_or_else(|| text[at + 2..end].to_string());
        text.replace_range(at..end, &name);
    }
    for (long, short) in NAMES {
        while let Some(at) = text.find(long) {
            text.replace_range(at..at + long.len(), short);
            let end = text[at..].find("(…)").map(|end| at + end);
            // Registers are no calls in sources.
            if let Some(end) =
                end.filter(|&end| !short.starts_with("__") && text[at..end].chars().all(is_name))
            {
                text.replace_range(end..end + "(…)".len(), "");
            }
        }
    }
    text
}

/// The last plain name in a mangled one: that of a function, or of a variable in a function.
fn source_name(mangled: &str) -> Option<String> {
    let rest = mangled.strip_prefix("_Z")?;
    let part = |text: &str| {
        // Functions that are `static` have an L before their name.
        let text = text.strip_prefix('L').unwrap_or(text);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = text[..digits].parse().ok()?;
        text.get(digits..digits + length).map(str::to_owned)
    };
    match rest.strip_prefix('Z') {
        // A variable of a function stands behind it.
        Some(local) => {
            local.match_indices('E').filter_map(|(at, _)| part(&local[at + 1..])).next_back()
        }
        None => part(rest),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_')
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn registers_have_the_names_of_the_source() {
        let long = "((llvm.nvvm.read.ptx.sreg.ctaid.x(…) * 4) + llvm.nvvm.read.ptx.sreg.tid.y(…))";
        assert_eq!(pretty(long), "((blockIdx.x * 4) + threadIdx.y)");
        assert_eq!(pretty("llvm.nvvm.barrier.cta.sync.aligned.all"), "__syncthreads");
        assert_eq!(pretty("f(…)"), "f(…)");
        let tile = "(*addrspacecast (ptr addrspace(3) @_ZZ9transposePfPKfiE4tile to ptr))[i][j]";
        assert_eq!(pretty(tile), "tile[i][j]");
        assert_eq!(pretty("_Z3sumPfPKf(…)"), "sum(…)");
        assert_eq!(pretty("_ZL6bucketi(…)"), "bucket(…)");
        assert_eq!(pretty("_ZN1a1bEv"), "N1a1bEv");
    }
}
