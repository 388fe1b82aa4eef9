//! 0-CFA as Datalog, with Ascent: the peer. F(N) needs calls, copies and jumps only, so the rules are those of `flow` for these.

use ascent::ascent;
use lw_cfa::flow::{Node, Op, Program, Rest, Value};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

ascent! {
    struct Datalog;
    relation reach(u32);
    relation store(u32, u32);
    relation copy(u32, u32, u32);
    relation put(u32, u32, u32);
    relation goto(u32, u32);
    relation call(u32, u32, u32);
    relation call_known(u32, u32, u32);
    relation accepts(u32, u32);
    relation body(u32, u32);
    relation arg(u32, u32, u32);
    relation arg_known(u32, u32, u32);
    relation param(u32, u32, u32);
    relation callee(u32, u32);

    store(d, v) <-- reach(e), put(e, d, v);
    store(d, v) <-- reach(e), copy(e, d, s), store(s, v);
    reach(t) <-- reach(e), goto(e, t);
    callee(e, l) <-- reach(e), call(e, f, j), store(f, l), accepts(l, j);
    callee(e, l) <-- reach(e), call_known(e, l, j), accepts(l, j);
    reach(b) <-- callee(_, l), body(l, b);
    store(p, v) <-- callee(e, l), arg(e, i, s), param(l, i, p), store(s, v);
    store(p, v) <-- callee(e, l), arg_known(e, i, v), param(l, i, p);
}

/// The program as facts; an operation that F(N) does not have is an error.
fn facts(program: &Program) -> Result<Datalog, String> {
    let mut facts = Datalog::default();
    facts.reach.push((program.entry,));
    facts.store.extend(&program.init);
    let mut arities = BTreeSet::new();
    for e in 0..program.exprs() {
        for op in &program.ops[program.ops_of(e)] {
            match op {
                Op::Copy { dst, src: Node::Var(src) } => facts.copy.push((e, *dst, *src)),
                Op::Copy { dst, src: Node::Value(value) } => facts.put.push((e, *dst, *value)),
                Op::Goto { to } => facts.goto.push((e, *to)),
                Op::Call { f, args, spread: None } => {
                    arities.insert(args.len());
                    match f {
                        Node::Var(f) => facts.call.push((e, *f, args.len() as u32)),
                        Node::Value(l) => facts.call_known.push((e, *l, args.len() as u32)),
                    }
                    for (i, arg) in args.iter().enumerate() {
                        match arg {
                            Node::Var(s) => facts.arg.push((e, i as u32, *s)),
                            Node::Value(v) => facts.arg_known.push((e, i as u32, *v)),
                        }
                    }
                }
                op => return Err(format!("{op:?} is not in F(N)")),
            }
        }
    }
    for (l, value) in program.values.iter().enumerate() {
        let Value::Lambda(lambda) = value else { continue };
        let (l, wanted) = (l as u32, lambda.params.len());
        facts.body.push((l, lambda.body));
        facts.param.extend(lambda.params.iter().enumerate().map(|(i, p)| (l, i as u32, *p)));
        let accepted = |j: &&usize| **j == wanted || (**j > wanted && lambda.rest != Rest::None);
        facts.accepts.extend(arities.iter().filter(accepted).map(|j| (l, *j as u32)));
    }
    Ok(facts)
}

/// How long Ascent takes, and whether it finds as many facts as there are.
pub(crate) fn time(program: &Program, facts_expected: usize) -> Result<(Duration, bool), String> {
    let mut datalog = facts(program)?;
    let start = Instant::now();
    datalog.run();
    let took = start.elapsed();
    Ok((took, datalog.store.len() + datalog.reach.len() == facts_expected))
}
