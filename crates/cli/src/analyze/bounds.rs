//! Array bounds: for each load and store whether it stays within its object, and why.

use super::Facts;
use super::origin::{Origin, Source, Walk};
use super::ranges::shown;
use crate::subject::Subject;
use lw_ir::Value;
use lw_report::{Fact, Level, Step};
use lw_sparse::analyses::{Access, Bounds, Intervals, Object, Ranges, Reason, Region, Verdict};
use lw_sparse::meaning::{Arg, Expr, Extent, Meaning};
use lw_sparse::{Def, Options, Pos, Solution, Ssify, Strategy, Version, View, solve_on};

/// What was solved.
struct Solved<'a, 'u> {
    subject: &'a Subject<'u>,
    view: &'a View,
    ranges: &'a Solution<Option<Intervals>>,
    regions: &'a Solution<Region>,
}

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let program = &subject.program;
    let view = Ssify::new(subject.code.clone()).view(Strategy::ABCD);
    let ranges = solve_on(program, &view, &mut Ranges, Options::WIDENING);
    let mut analysis = Bounds { view: &view, ranges: &ranges };
    let regions = solve_on(program, &view, &mut analysis, Options::WIDENING);
    let solved = Solved { subject, view: &view, ranges: &ranges, regions: &regions };
    for access in analysis.accesses(program, &regions) {
        let (write, address, pointer) = subject.access(access.pos);
        let (level, text, label) = match access.verdict {
            _ if access.reason == Reason::NeverExecuted => {
                (Level::Proved, "is never executed", "never executed")
            }
            Verdict::Inside => (Level::Proved, "is in bounds", "proved in bounds"),
            Verdict::Outside => (Level::Wrong, "is out of bounds", "out of bounds"),
            Verdict::Unknown => (Level::Open, "may be out of bounds", "not proved"),
        };
        let what = if write { "store" } else { "load" };
        let place = subject.place(access.pos);
        let mut fact = Fact::new(level, place, subject.target(address), format!("({what}) {text}"))
            .with("access", what)
            .with("bytes", access.bytes)
            .with("reason", name(access.reason));
        if let Region::In { object, lo, hi } = access.region {
            fact = fact
                .with("object", solved.object(object))
                .with("offset", vec![lo.to_string(), hi.to_string()]);
            if let Extent::Bytes(size) = access.extent {
                fact = fact.with("size", size);
            }
        }
        fact.why = solved.why(&access, pointer);
        facts.add(fact, label);
    }
}

impl Subject<'_> {
    /// Whether a load or store writes, and its address as a value and as an operand.
    pub(super) fn access(&self, pos: Pos) -> (bool, Value, Arg) {
        let expr = self.program.expr(self.code.instr(pos));
        let write = matches!(expr, Expr::Store { .. });
        let pointer = match expr {
            Expr::Load { pointer, .. } | Expr::Store { pointer, .. } => pointer,
            _ => Arg::Other,
        };
        (write, self.function[self.inst(pos)].args[usize::from(write)], pointer)
    }
}

/// The reason in JSON.
fn name(reason: Reason) -> &'static str {
    match reason {
        Reason::NeverExecuted => "never-executed",
        Reason::Offsets => "offsets",
        Reason::Difference { .. } => "difference",
        Reason::ArrayType { .. } => "array-type",
        Reason::UnknownObject => "unknown-object",
        Reason::UnknownSize => "unknown-size",
        Reason::UnknownAccess => "unknown-access",
        Reason::BeforeStart => "before-start",
        Reason::BehindEnd => "behind-end",
    }
}

fn say(text: String) -> Vec<Step> {
    vec![Step { text, place: None }]
}

impl Solved<'_, '_> {
    fn object(&self, object: Object) -> String {
        match object {
            Object::Alloc(pos) => self.subject.allocation(pos),
            Object::Global(global) => self.subject.global(global),
        }
    }

    fn version(&self, version: Version) -> String {
        self.subject.var(self.view.var(version))
    }

    fn extent(&self, extent: Extent) -> String {
        match extent {
            Extent::Bytes(bytes) => format!("has {bytes} bytes"),
            Extent::Elements { count, size, .. } => {
                let count = match count {
                    Arg::Var(var) => self.subject.var(var),
                    Arg::Int(count) => count.to_string(),
                    _ => "some number".into(),
                };
                match size {
                    1 => format!("has {count} bytes"),
                    _ => format!("has {count} times {size} bytes"),
                }
            }
            Extent::Unknown => "has a size that is not known".into(),
        }
    }

    fn why(&self, access: &Access, pointer: Arg) -> Vec<Step> {
        match access.reason {
            Reason::NeverExecuted => Vec::new(),
            Reason::ArrayType { count } => {
                let mut steps =
                    say(format!("the index fits the array type, which has {count} elements"));
                steps.extend(self.indices(access.pos, pointer));
                steps
            }
            Reason::UnknownObject => self.unknown(access.pos, pointer),
            Reason::UnknownAccess => say("how many bytes are accessed is not known".into()),
            Reason::Difference { index, count } => {
                let mut steps = self.offsets(access);
                let (index, count) = (self.version(index), self.version(count));
                steps.extend(say(format!("{index} is always less than {count}")));
                steps
            }
            Reason::Offsets | Reason::UnknownSize | Reason::BeforeStart | Reason::BehindEnd => {
                let mut steps = self.offsets(access);
                if access.verdict != Verdict::Inside {
                    steps.extend(self.indices(access.pos, pointer));
                }
                steps
            }
        }
    }

    /// Where in its object an access may be.
    fn offsets(&self, access: &Access) -> Vec<Step> {
        let Region::In { object, lo, hi } = access.region else { return Vec::new() };
        let far = 1 << 60;
        let offset = match (lo, hi) {
            (lo, hi) if lo == hi => lo.to_string(),
            (lo, hi) if lo <= -far && hi >= far => "any number".into(),
            (lo, hi) if hi >= far => format!("{lo} or more"),
            (lo, hi) if lo <= -far => format!("{hi} or less"),
            (lo, hi) => format!("{lo} to {hi}"),
        };
        let length =
            access.bytes.map_or("an unknown number of bytes".into(), |b| format!("{b} bytes"));
        let (name, extent) = (self.object(object), self.extent(access.extent));
        let place = match object {
            Object::Alloc(pos) => Some(self.subject.allocation_place(pos)),
            Object::Global(_) => None,
        };
        vec![Step { text: format!("{length} at offset {offset} of {name}, which {extent}"), place }]
    }

    /// The ranges of the indices of the address an access is made through.
    fn indices(&self, pos: Pos, pointer: Arg) -> Vec<Step> {
        let Arg::Var(var) = pointer else { return Vec::new() };
        let mut version = self.view.uses(pos).find(|&(v, _)| v == var).and_then(|(_, v)| v);
        while let Some(at) = version {
            version = match self.view.def(at) {
                Def::Instr(def) => return self.index_steps(def),
                Def::Sigma(sigma, _) => Some(self.view.sigmas()[sigma as usize].source),
                Def::Copy(copy) => Some(self.view.copies()[copy as usize].source),
                Def::Param | Def::Phi(_) => None,
            };
        }
        Vec::new()
    }

    fn index_steps(&self, def: Pos) -> Vec<Step> {
        let subject = self.subject;
        let Expr::Address { indices, .. } = subject.program.expr(subject.code.instr(def)) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        for (arg, bits, _) in indices {
            let Arg::Var(index) = arg else { continue };
            let version = self.view.uses(def).find(|&(v, _)| v == index).and_then(|(_, v)| v);
            let range = version.and_then(|v| self.ranges.of(v).clone());
            let range = range.unwrap_or_else(|| Intervals::full(bits));
            let name = subject.var(index);
            let text = if range.is_full() {
                format!("nothing is known of the index {name}")
            } else {
                format!("the index {name} is in {}", shown(&range))
            };
            steps.push(Step { text, place: Some(subject.place(def)) });
        }
        steps
    }

    /// Why it is not known which object a pointer points into.
    fn unknown(&self, pos: Pos, pointer: Arg) -> Vec<Step> {
        let matters = |source: Source| match source {
            Source::Version(version) => *self.regions.of(version) == Region::Bottom,
            Source::Global(_) => false,
            Source::Null | Source::Other => true,
        };
        let refines = |_, _| false;
        let (subject, view) = (self.subject, self.view);
        let walk = Walk { subject, view, matters: &matters, refines: &refines };
        let origins = walk.origins(pos, pointer);
        let mut steps: Vec<Step> = origins.into_iter().map(|origin| self.step(origin)).collect();
        if steps.is_empty() {
            steps = say("the pointer may point into several objects".into());
        }
        steps.extend(self.indices(pos, pointer));
        steps
    }

    fn step(&self, origin: Origin) -> Step {
        let subject = self.subject;
        let result = |pos| subject.action(subject.inst(pos));
        let unknown = "the object behind it is not known";
        let (text, place) = match origin {
            Origin::Param(var) => {
                (format!("{} is a parameter: {unknown}", subject.var(var)), Some(subject.start))
            }
            Origin::Null(pos) => ("the pointer may be null".into(), Some(subject.place(pos))),
            Origin::Load(pos) => (
                format!("{} is loaded from memory: {unknown}", result(pos)),
                Some(subject.place(pos)),
            ),
            Origin::Call(pos) => (
                format!("{} is the result of a call: {unknown}", result(pos)),
                Some(subject.place(pos)),
            ),
            Origin::Meet(pos) => (
                format!("{} may point into several objects", result(pos)),
                Some(subject.place(pos)),
            ),
            Origin::Global(global) => (format!("{} is a global", subject.global(global)), None),
            Origin::Tested(edge) => {
                let from = subject.code.graph().source(edge);
                ("tested".into(), Some(subject.fork_place(from)))
            }
            Origin::Alloc(pos) | Origin::Used(pos) | Origin::Address(pos) | Origin::Other(pos) => {
                (format!("{} is not followed further", result(pos)), Some(subject.place(pos)))
            }
        };
        Step { text, place }
    }
}
