//! What a solution says about the source: callees of calls, values of variables, code that is never reached, calls that must fail.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Analysis;
use crate::cps::{Ae, Exp, Label, LamId, Rest, print::class_name};
use crate::expand::core::{Core, Lam, Term, Var};
use crate::flow::{Node, Value, ValueId};
use crate::source::{FileId, Loc, Sources};

/// A call of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where it stands.
    pub loc: Loc,
    /// The procedure it stands in; `None` at top level.
    pub inside: Option<Lam>,
    /// Whether it is ever reached.
    pub reached: bool,
    /// The procedures it may call. Continuations are none of them.
    pub callees: Vec<Lam>,
    /// Whether it may call a continuation.
    pub continuation: bool,
    /// Whether it may call what nobody knows.
    pub unknown: bool,
    /// Why it must fail, if it is reached and no value of the operator accepts it.
    pub error: Option<String>,
}

impl Call {
    /// Whether it could be replaced by the body of its only callee.
    pub fn is_inlinable(&self) -> bool {
        self.callees.len() == 1 && !self.unknown && !self.continuation
    }
}

/// A value that a variable may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What it is, in a word.
    pub what: String,
    /// Where it is made, if it is made in the source.
    pub loc: Option<Loc>,
}

/// What a solution says about the files of a program. The sets of calls and variables may be large: they are looked up when somebody
/// asks, one after the other.
pub struct Findings<'a> {
    analysis: &'a Analysis,
    of_interest: Vec<(u32, u32)>,
    /// The lambda expression that each expression of the core program stands in.
    inside: FxHashMap<Term, Lam>,
    /// Whether each expression of the core program is a copy from the prelude: nobody wrote it there.
    copied: Vec<bool>,
    /// The calls, in the order of the source.
    calls: Vec<(Term, Label)>,
    /// The variables, in the order of the source.
    variables: Vec<Var>,
    /// All that a value may look like, in order and each once.
    known: Vec<Known>,
    /// Where each value of the program is among them.
    rank: Vec<u32>,
}

/// What a solution says about some files.
pub fn findings<'a>(analysis: &'a Analysis, sources: &Sources, files: &[FileId]) -> Findings<'a> {
    let Analysis { core, cps, .. } = analysis;
    let mut found = Findings {
        analysis,
        of_interest: sources.ranges(files),
        inside: enclosing(analysis),
        copied: copied(analysis),
        calls: Vec::new(),
        variables: Vec::new(),
        known: Vec::new(),
        rank: Vec::new(),
    };
    let calls = cps.calls.iter().filter(|(term, _)| found.of_interest(core.loc(*term)));
    let mut calls: Vec<(Term, Label)> = calls.copied().collect();
    calls.sort_by_key(|(term, _)| core.loc(*term));
    let mut variables: Vec<Var> = (0..core.vars.len() as u32)
        .map(Var)
        .filter(|var| found.of_interest(core.vars[var.0 as usize].loc))
        .collect();
    variables.sort_by_key(|var| (core.vars[var.0 as usize].loc, *var));
    (found.calls, found.variables) = (calls, variables);
    found.know();
    found
}

fn copied(analysis: &Analysis) -> Vec<bool> {
    let mut copied = vec![false; analysis.core.terms.len()];
    analysis.core.copied.iter().for_each(|range| copied[range.clone()].fill(true));
    copied
}

/// The lambda expression around each expression. Without recursion, since programs may be deep.
fn enclosing(analysis: &Analysis) -> FxHashMap<Term, Lam> {
    let core = &analysis.core;
    let mut inside = FxHashMap::default();
    let mut work: Vec<(Term, Option<Lam>)> = vec![(core.body, None)];
    let mut seen = FxHashSet::default();
    while let Some((term, lam)) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Some(lam) = lam {
            inside.insert(term, lam);
        }
        let mut visit = |part: Term| work.push((part, lam));
        match core.term(term) {
            Core::Void | Core::Quote(_) | Core::Ref(_) => {}
            Core::Lambda(of) => work.push((core.lambda(*of).body, Some(*of))),
            Core::CaseLambda(all) => {
                work.extend(all.iter().map(|of| (core.lambda(*of).body, Some(*of))));
            }
            Core::If(test, yes, no) => [*test, *yes, *no].into_iter().for_each(visit),
            Core::Set(_, value) => visit(*value),
            Core::Begin(all) => all.iter().copied().for_each(visit),
            Core::Letrec(_, steps) => steps.iter().for_each(|(_, step)| visit(*step)),
            Core::Call(f, args) => std::iter::once(f).chain(args).copied().for_each(visit),
            Core::Prim { args, .. } => args.iter().copied().for_each(visit),
            Core::Receive(_, values, body) => [*values, *body].into_iter().for_each(visit),
        }
    }
    inside
}

fn made(analysis: &Analysis) -> FxHashMap<ValueId, Loc> {
    let Analysis { core, cps, lowered, .. } = analysis;
    let mut made = FxHashMap::default();
    for (expr, value) in &lowered.made {
        if let Some(Some(term)) = cps.sources.get(*expr as usize) {
            made.insert(*value, core.loc(*term));
        }
    }
    for (datum, (pair, vector)) in &lowered.constants {
        let loc = core.data.loc(*datum);
        made.extend([(*pair, loc), (*vector, loc)]);
    }
    for (lam, pair) in &lowered.rests {
        if let Some(source) = cps.lambda(*lam).source {
            made.insert(*pair, core.lambda(source).loc);
        }
    }
    made
}

impl Findings<'_> {
    fn of_interest(&self, loc: Loc) -> bool {
        self.of_interest.iter().any(|(start, end)| (*start..*end).contains(&loc.0))
    }

    fn is_reached(&self, label: Label) -> bool {
        self.analysis.solution.reached.contains(label.0)
    }

    /// The calls, in the order of the source.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = Call> {
        self.calls.iter().map(|(term, label)| self.call(*term, *label))
    }

    fn call(&self, term: Term, label: Label) -> Call {
        let Analysis { core, cps, lowered, solution } = self.analysis;
        let mut call = Call {
            loc: core.loc(term),
            inside: self.inside.get(&term).copied(),
            reached: self.is_reached(label),
            callees: Vec::new(),
            continuation: false,
            unknown: false,
            error: None,
        };
        let Exp::Call { f, args, spread } = cps.exp(label) else { return call };
        let node = match f {
            Ae::Var(x) => Node::Var(x.0),
            Ae::Lam(lam) => Node::Value(lam.0),
            _ => return call,
        };
        if !call.reached {
            return call;
        }
        let values = solution.values(node);
        // The first argument is the continuation.
        let given = args.len() - usize::from(*spread);
        let (mut procedures, mut wanted) = (0, Vec::new());
        for value in values.iter() {
            match &lowered.program.values[value as usize] {
                Value::Lambda(_) => {
                    procedures += 1;
                    let lambda = cps.lambda(LamId(value));
                    match (lambda.accepts(given, *spread), lambda.source) {
                        (true, Some(source)) => call.callees.push(source),
                        (true, None) => call.continuation = true,
                        (false, Some(_)) => {
                            let count = lambda.params.len().saturating_sub(1);
                            wanted.push(Some((count, lambda.rest != Rest::None)));
                        }
                        (false, None) => wanted.push(None),
                    }
                }
                Value::Basic(crate::prims::Class::Unknown) => call.unknown = true,
                _ => {}
            }
        }
        call.callees.sort();
        call.callees.dedup();
        let nothing = call.callees.is_empty() && !call.continuation && !call.unknown;
        if nothing && !values.is_empty() {
            call.error = Some(match procedures {
                0 => "what is called is not a procedure".into(),
                _ => format!(
                    "{} arguments for a procedure that takes {}",
                    given.saturating_sub(1),
                    numbers(wanted)
                ),
            });
        }
        call
    }

    /// The variables, in the order of the source, with their values.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = (Var, Vec<&Known>)> {
        self.variables.iter().map(|var| (*var, self.values(*var)))
    }

    fn values(&self, var: Var) -> Vec<&Known> {
        let values = self.analysis.values_of(var).iter();
        let mut ranks: Vec<u32> = values.map(|value| self.rank[value as usize]).collect();
        ranks.sort();
        ranks.dedup();
        ranks.iter().map(|rank| &self.known[*rank as usize]).collect()
    }

    /// Finds out what each value looks like.
    fn know(&mut self) {
        let made = made(self.analysis);
        let values = 0..self.analysis.lowered.program.values.len() as ValueId;
        let all: Vec<Known> = values.map(|value| self.known(value, &made)).collect();
        let order = |a: &Known, b: &Known| (&a.what, a.loc).cmp(&(&b.what, b.loc));
        self.known = all.clone();
        self.known.sort_by(order);
        self.known.dedup();
        let rank = |value: &Known| self.known.partition_point(|other| order(other, value).is_lt());
        self.rank = all.iter().map(|value| rank(value) as u32).collect();
    }

    fn known(&self, value: ValueId, made: &FxHashMap<ValueId, Loc>) -> Known {
        let Analysis { core, cps, lowered, .. } = self.analysis;
        match &lowered.program.values[value as usize] {
            Value::Basic(class) => Known { what: class_name(*class).into(), loc: None },
            Value::Lambda(_) => match cps.lambda(LamId(value)).source {
                Some(source) => {
                    let lambda = core.lambda(source);
                    let loc = Some(lambda.loc).filter(|loc| self.of_interest(*loc));
                    let name = lambda.name.as_deref().unwrap_or("lambda");
                    Known { what: format!("procedure {name}"), loc }
                }
                None => Known { what: "continuation".into(), loc: None },
            },
            Value::Object { class, record, .. } => {
                let what = match core.records.get(*record as usize) {
                    Some(ty) if *class == crate::prims::Class::Record => {
                        format!("record {}", ty.name)
                    }
                    _ => class_name(*class).to_lowercase(),
                };
                let loc = made.get(&value).copied().filter(|loc| self.of_interest(*loc));
                Known { what, loc }
            }
        }
    }

    /// The procedures that are never called.
    pub fn never_called(&self) -> Vec<Lam> {
        let Analysis { core, cps, .. } = self.analysis;
        let mut never: Vec<Lam> = (0..core.lambdas.len() as u32)
            .map(Lam)
            .filter(|lam| self.of_interest(core.lambda(*lam).loc))
            .filter(|lam| !self.copied[core.lambda(*lam).body.0 as usize])
            .filter(|lam| {
                let made = cps.of_core.get(lam.0 as usize).copied().flatten();
                made.is_some_and(|made| !self.is_reached(cps.lambda(made).body))
            })
            .collect();
        never.sort_by_key(|lam| core.lambda(*lam).loc);
        never
    }

    /// Branches of conditionals that are never taken.
    pub fn never_taken(&self) -> Vec<Loc> {
        let Analysis { core, cps, .. } = self.analysis;
        let mut never = Vec::new();
        for (at, exp) in cps.exps.iter().enumerate() {
            if let Exp::If { yes, no, .. } = exp
                && self.is_reached(Label(at as u32))
            {
                let dead = [yes, no].into_iter().filter(|branch| !self.is_reached(**branch));
                let written = dead.filter_map(|branch| *cps.sources.get(branch.0 as usize)?);
                let written = written.filter(|term| !self.copied[term.0 as usize]);
                never.extend(written.map(|term| core.loc(term)));
            }
        }
        never.retain(|loc| self.of_interest(*loc));
        never.sort();
        never.dedup();
        never
    }
}

/// How many arguments procedures take: exactly or at least so many, or, of continuations, others than were given.
fn numbers(mut wanted: Vec<Option<(usize, bool)>>) -> String {
    wanted.sort();
    wanted.dedup();
    let say = |wanted: &Option<(usize, bool)>| match wanted {
        Some((count, false)) => count.to_string(),
        Some((count, true)) => format!("at least {count}"),
        None => "others".into(),
    };
    wanted.iter().map(say).collect::<Vec<_>>().join(" or ")
}
