//! The functions of `laneweaver.h`: calls of them are operations across threads, and what is left of them in scalar code means one lane.

use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::ops::{BinOp, CastOp, Horizontal, IntPred, ReduceOp};
use lw_ir::types::Type;
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// What the names of these functions begin with.
pub const PREFIX: &str = "__lw_";

/// The operation that a call of a function of `laneweaver.h` is; `None` if it is another call, or not declared as there.
fn operation(function: &Function, call: Inst) -> Option<Op> {
    let data = &function[call];
    let name = crate::callee::name(function, call)?.strip_prefix(PREFIX)?;
    let args: Vec<Type> = data.args[1..].iter().map(|&arg| function.ty(arg)).collect();
    let op = match name {
        "mask" => return (args.is_empty() && data.ty == Type::I1).then_some(Op::Mask),
        _ => match Horizontal::from_name(name) {
            Some(op) => op,
            None => typed(name)?,
        },
    };
    let same = |ty: &Type| *ty == data.ty;
    let number = matches!(data.ty, Type::Scalar(_)) && data.ty.int_bits() != Some(1);
    let is_int = |ty: &Type| ty.int_bits().is_some();
    let fits = match op {
        Horizontal::Any | Horizontal::All => args == [Type::I1] && data.ty == Type::I1,
        Horizontal::Ballot | Horizontal::Popcount => args == [Type::I1] && is_int(&data.ty),
        Horizontal::Lane | Horizontal::Lanes => args.is_empty() && is_int(&data.ty),
        Horizontal::Broadcast | Horizontal::Reduce(_) => args.len() == 1 && same(&args[0]),
        Horizontal::Extract | Horizontal::Shuffle => {
            args.len() == 2 && same(&args[0]) && is_int(&args[1])
        }
        Horizontal::Insert => {
            args.len() == 3 && same(&args[0]) && is_int(&args[1]) && same(&args[2])
        }
        Horizontal::Compact => args.len() == 2 && same(&args[0]) && args[1] == Type::I1,
    };
    let float = data.ty.float_kind().is_some();
    let of_kind = match op {
        Horizontal::Reduce(ReduceOp::FAdd | ReduceOp::FMul | ReduceOp::FMin | ReduceOp::FMax) => {
            float
        }
        Horizontal::Reduce(_) => !float,
        Horizontal::Any | Horizontal::All => true,
        _ => number,
    };
    (fits && of_kind).then_some(Op::Horizontal(op))
}

/// Whether a function calls functions of `laneweaver.h`.
pub(crate) fn asks(function: &Function) -> bool {
    let name = |inst| crate::callee::name(function, inst);
    function.all_insts().any(|(_, inst)| name(inst).is_some_and(|name| name.starts_with(PREFIX)))
}

/// Whether it is a call of `lw_most`.
fn asks_most(function: &Function, call: Inst) -> bool {
    let named = crate::callee::name(function, call).and_then(|it| it.strip_prefix(PREFIX));
    let data = &function[call];
    let given = || data.args[1..].iter().map(|&arg| function.ty(arg));
    named == Some("most") && data.ty == Type::I1 && given().eq([Type::I1])
}

/// Writes `lw_most` out: twice the lanes on which the condition holds are more than the lanes that take part.
fn write_majority(function: &mut Function, call: Inst) -> Value {
    let data = function[call].clone();
    let insert = |function: &mut Function, op: Op, ty: Type, args: &[Value]| {
        let new =
            function.insert(InsertAt::Before(call), InstData::new(op, ty, args).made_from(&data));
        function.result(new)
    };
    let popcount = Op::Horizontal(Horizontal::Popcount);
    let on = function.constant(Constant::bool(true));
    let holds = insert(function, popcount.clone(), Type::I32, &[data.args[1]]);
    let here = insert(function, popcount, Type::I32, &[on]);
    let twice = insert(function, Op::Binary(BinOp::Add), Type::I32, &[holds, holds]);
    insert(function, Op::ICmp(IntPred::Ugt), Type::I1, &[twice, here])
}

/// Replaces calls by what `value` makes of each; whether there were some.
fn replace_calls(
    function: &mut Function,
    calls: &[Inst],
    mut value: impl FnMut(&mut Function, Inst) -> Value,
) -> bool {
    let values: FxHashMap<Value, Value> =
        calls.iter().map(|&it| (function.result(it), value(function, it))).collect();
    edit::replace_all(function, &values);
    calls.iter().for_each(|&it| function.erase(it));
    !calls.is_empty()
}

/// The operation of a name that ends in a type: `broadcast_f32`, `reduce_min_u64`.
fn typed(name: &str) -> Option<Horizontal> {
    let (name, ty) = name.rsplit_once('_')?;
    let kind = ty.strip_suffix("32").or_else(|| ty.strip_suffix("64"))?;
    let Some(reduction) = name.strip_prefix("reduce_") else {
        return Horizontal::from_name(name).filter(|op| op.arity() > 0);
    };
    let op = match (reduction, kind) {
        ("min", "i") => "smin",
        ("min", "u") => "umin",
        ("max", "i") => "smax",
        ("max", "u") => "umax",
        ("add", "f") => "fadd",
        ("mul", "f") => "fmul",
        ("min", "f") => "fmin",
        ("max", "f") => "fmax",
        (other, "i" | "u") => other,
        _ => return None,
    };
    ReduceOp::from_name(op).map(Horizontal::Reduce)
}

/// Turns calls of functions of `laneweaver.h` into what they mean; whether there were some.
pub(crate) fn recognise(function: &mut Function) -> bool {
    let calls = calls(function);
    for (inst, op) in &calls {
        let data = &mut function[*inst];
        data.op = op.clone();
        data.args.remove(0);
        data.derived = data.origin.is_some();
    }
    let most = calls_of_most(function);
    replace_calls(function, &most, write_majority) || !calls.is_empty()
}

/// Gives calls of functions of `laneweaver.h` the meaning they have for one lane; whether there were some.
pub fn one_lane(function: &mut Function) -> bool {
    let blocks = function.blocks().to_vec();
    one_lane_in(function, &blocks)
}

/// Does so in some blocks.
pub(crate) fn one_lane_in(function: &mut Function, blocks: &[Block]) -> bool {
    let within =
        |f: &Function| -> Vec<Inst> { blocks.iter().flat_map(|&b| f.insts(b)).copied().collect() };
    let known = |&inst: &Inst| Some((inst, operation(function, inst)?));
    let (calls, ops): (Vec<Inst>, Vec<Op>) = within(function).iter().filter_map(known).unzip();
    let mut ops = ops.iter();
    let alone =
        |function: &mut Function, inst| alone(function, inst, ops.next().expect("one each"));
    let some = replace_calls(function, &calls, alone);
    let most: Vec<Inst> =
        within(function).into_iter().filter(|&inst| asks_most(function, inst)).collect();
    replace_calls(function, &most, |function, inst| function[inst].args[1]) || some
}

fn calls(function: &Function) -> Vec<(Inst, Op)> {
    let insts = function.all_insts();
    insts.filter_map(|(_, inst)| Some((inst, operation(function, inst)?))).collect()
}

fn calls_of_most(function: &Function) -> Vec<Inst> {
    function.all_insts().map(|(_, inst)| inst).filter(|&it| asks_most(function, it)).collect()
}

/// What one lane gets.
fn alone(function: &mut Function, inst: Inst, op: &Op) -> Value {
    let data = function[inst].clone();
    let before = |function: &mut Function, op: Op, ty: Type, args: &[Value]| {
        let new = InstData::new(op, ty, args).made_from(&data);
        let new = function.insert(InsertAt::Before(inst), new);
        function.result(new)
    };
    let Op::Horizontal(op) = op else { return function.constant(Constant::bool(true)) };
    match op {
        Horizontal::Ballot | Horizontal::Popcount => {
            before(function, Op::Cast(CastOp::ZExt), data.ty, &[data.args[1]])
        }
        Horizontal::Lane => function.constant(Constant::int(data.ty, 0)),
        Horizontal::Lanes => function.constant(Constant::int(data.ty, 1)),
        Horizontal::Insert => {
            let zero = function.constant(Constant::int(function.ty(data.args[2]), 0));
            let equal = Op::ICmp(IntPred::Eq);
            let here = before(function, equal, Type::I1, &[data.args[2], zero]);
            before(function, Op::Select, data.ty, &[here, data.args[3], data.args[1]])
        }
        _ => data.args[1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "
declare @__lw_any : i1 (i1)
declare @__lw_mask : i1 ()
declare @__lw_lane : i32 ()
declare @__lw_popcount : i32 (i1)
declare @__lw_most : i1 (i1)
declare @__lw_insert_f32 : float (float, i32, float)
declare @__lw_reduce_min_u32 : i32 (i32)
declare @__lw_reduce_min_f32 : float (float)
declare @__lw_shuffle_f32 : i32 (i32)
func @f(i32 %x, float %y, i1 %c) -> float {
entry:
  %any = call i1 (i1) @__lw_any(i1 %c)
  %mask = call i1 () @__lw_mask()
  %lane = call i32 () @__lw_lane()
  %most = call i1 (i1) @__lw_most(i1 %c)
  %n = call i32 (i1) @__lw_popcount(i1 %most)
  %m = call i32 (i32) @__lw_reduce_min_u32(i32 %n)
  %a = call float (float, i32, float) @__lw_insert_f32(float %y, i32 %lane, float 1.0)
  %b = call float (float) @__lw_reduce_min_f32(float %a)
  %odd = call i32 (i32) @__lw_shuffle_f32(i32 %m)
  ret float %b
}";

    #[test]
    fn calls_are_operations_across_threads() {
        let mut module = lw_ir::parse_module(ALL).unwrap();
        let function = &mut module.functions[0];
        assert!(recognise(function));
        lw_ir::verify(function).unwrap();
        let text = function.to_string();
        for line in [
            "%any = any i1 (i1 %c)",
            "%mask = mask",
            "%lane = lane i32",
            "popcount i32 (i1 %c)",
            "popcount i32 (i1 true)",
            "icmp ugt",
            "%m = reduce_umin i32 (i32 %n)",
            "%b = reduce_fmin float (float %a)",
            // This is not how it is declared.
            "%odd = call i32 (i32) @__lw_shuffle_f32",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn what_is_left_means_one_lane() {
        let mut module = lw_ir::parse_module(ALL).unwrap();
        let function = &mut module.functions[0];
        assert!(one_lane(function));
        lw_ir::verify(function).unwrap();
        let text = function.to_string();
        assert!(text.contains("zext i1 %c to i32"), "{text}");
        assert!(text.contains("icmp eq i32 0, 0"), "{text}");
        assert_eq!(text.matches("call").count(), 1, "{text}");
        assert!(!one_lane(function));
    }
}
