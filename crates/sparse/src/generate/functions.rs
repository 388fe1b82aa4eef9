//! Register programs as functions of the lock-step IR.

use crate::code::Code;
use crate::meaning::{Arg, Expr, Fact, Meaning};
use crate::program::Var;
use crate::registers::Registers;
use crate::ssify::Ssify;
use crate::strategy::Strategy;
use crate::view::Version;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::types::{Signature, Type, Types};
use lw_ir::{Builder, Function, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A register program as an SSA function with eight parameters. Divisors are made odd and shift amounts small, so that it
/// rarely traps; what the register program does not compute comes from the parameters.
pub fn function(program: &Registers, bits: u32) -> Function {
    let ty = Type::int(bits);
    let signature = Signature { ret: ty, params: vec![ty; 8].into(), varargs: false };
    let mut function = Function::new("f", signature, Types::default());
    let code = Arc::new(Code::new(program));
    let view = Ssify::new(code.clone()).view(Strategy::SSA);
    let order = code.dominators().preorder().to_vec();
    let mut blocks = HashMap::new();
    for &node in &order {
        blocks.insert(node, function.add_block());
    }
    let mut values: HashMap<Version, Value> = HashMap::new();
    let params = function.params().to_vec();
    let mut b = Builder::new(&mut function);
    for (i, version) in code.params().iter().enumerate().map(|(i, _)| (i, view.param(i))) {
        values.insert(version.unwrap(), params[i % 8]);
    }
    for &node in &order {
        b.switch_to(blocks[&node]);
        for &phi in view.phis_at(node) {
            let value = b.phi(ty, &[]);
            values.insert(view.phis()[phi as usize].result, value);
        }
    }
    let mut fresh = 0;
    for &node in &order {
        b.switch_to(blocks[&node]);
        for pos in code.body(node) {
            let instr = code.instr(pos);
            let uses: Vec<(Var, Option<Version>)> = view.uses(pos).collect();
            let of = |b: &mut Builder<'_>, arg: Arg| match arg {
                Arg::Var(var) => {
                    let version = uses.iter().find(|u| u.0 == var).and_then(|u| u.1);
                    match version {
                        Some(version) => values[&version],
                        None => b.int(ty, 0),
                    }
                }
                Arg::Int(value) => b.int(ty, value as i128),
                _ => b.int(ty, 0),
            };
            let value = match program.expr(instr) {
                Expr::Copy(arg) => {
                    let (x, zero) = (of(&mut b, arg), b.int(ty, 0));
                    b.binary(BinOp::Add, x, zero)
                }
                Expr::Binary { op, args, .. } => {
                    let (x, mut y) = (of(&mut b, args[0]), of(&mut b, args[1]));
                    let shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
                    match args[1] {
                        Arg::Int(value) if op.may_trap() => y = b.int(ty, (value | 1) as i128),
                        Arg::Int(value) if shift => {
                            y = b.int(ty, (value % u128::from(bits)) as i128);
                        }
                        _ if op.may_trap() => {
                            let one = b.int(ty, 1);
                            y = b.binary(BinOp::Or, y, one);
                        }
                        _ if shift => {
                            let limit = b.int(ty, i128::from(bits - 1).min(3));
                            y = b.binary(BinOp::And, y, limit);
                        }
                        _ => {}
                    }
                    b.binary(op, x, y)
                }
                Expr::Compare { pred, args, .. } => {
                    let (x, y) = (of(&mut b, args[0]), of(&mut b, args[1]));
                    let truth = b.icmp(pred, x, y);
                    b.cast(CastOp::ZExt, truth, ty)
                }
                _ => {
                    fresh += 1;
                    params[fresh % 8]
                }
            };
            for (_, version) in view.defs(pos) {
                values.insert(version.unwrap(), value);
            }
        }
        let to: Vec<_> = code.graph().successors(node).iter().map(|s| blocks[s]).collect();
        let mut facts = Vec::new();
        for position in 0..to.len() {
            program.facts(node, position, &mut |fact| facts.push((position, fact)));
        }
        let tests: Vec<_> = view.tests(node).collect();
        let of = |b: &mut Builder<'_>, arg: Arg| match arg {
            Arg::Var(var) => match tests.iter().find(|t| t.0 == var).and_then(|t| t.1) {
                Some(version) => values[&version],
                None => b.int(ty, 0),
            },
            Arg::Int(value) => b.int(ty, value as i128),
            _ => b.int(ty, 0),
        };
        match (to.len(), facts.first()) {
            (0, _) => {
                let last = code.body(node).next_back().and_then(|pos| view.uses(pos).next());
                let version = last.and_then(|(_, version)| version);
                b.ret(Some(version.map_or(params[0], |version| values[&version])));
            }
            (1, _) => drop(b.br(to[0])),
            (2, Some((_, Fact::Compare(pred, _, args)))) => {
                let (x, y) = (of(&mut b, args[0]), of(&mut b, args[1]));
                let truth = b.icmp(*pred, x, y);
                b.cond_br(truth, to[0], to[1]);
            }
            (2, _) => {
                fresh += 1;
                let (x, y) = (params[fresh % 8], b.int(ty, (fresh as i128) % 5));
                let truth = b.icmp(IntPred::Slt, x, y);
                b.cond_br(truth, to[0], to[1]);
            }
            (n, _) => {
                let value = params[fresh % 8];
                let cases: Vec<_> = (1..n).map(|i| (b.int(ty, i as i128), to[i])).collect();
                b.switch(value, to[0], &cases);
            }
        }
    }
    for &node in &order {
        for &phi in view.phis_at(node) {
            let result = values[&view.phis()[phi as usize].result];
            for (arg, from) in view.phi_args(phi).zip(code.graph().predecessors(node)) {
                if !code.is_reachable(from) {
                    continue;
                }
                let value = arg.map_or_else(|| b.int(ty, 0), |arg| values[&arg]);
                b.add_incoming(result, value, blocks[&from]);
            }
        }
    }
    function
}
