//! Stack objects of random loops as compilers have them: allocated once, living for an iteration, with addresses computed before the
//! loop.

use lw_ir::generate::Rng;
use lw_ir::types::Type;
use lw_ir::{Block, Builder, Function, InsertAt, Inst, Op, Value};

/// Moves the objects of a block of the loop to one before it; their life begins in the first and perhaps ends in `last`.
pub(super) fn allocate_before(
    out: &mut Function,
    rng: &mut Rng,
    before: Block,
    first: Block,
    last: Block,
) {
    let is_fixed = |&inst: &Inst| {
        matches!(out[inst].op, Op::Alloca(_)) && out.as_constant(out[inst].args[0]).is_some()
    };
    let objects: Vec<Inst> = out.insts(first).iter().copied().filter(is_fixed).collect();
    let mut moved: Vec<Value> = Vec::new();
    for &object in &objects {
        out.move_inst(object, InsertAt::End(before));
        let pointer = out.result(object);
        moved.push(pointer);
        mark(out, "llvm.lifetime.start.p0", first, pointer);
        if rng.one_in(2) {
            mark(out, "llvm.lifetime.end.p0", last, pointer);
        }
    }
    for inst in out.insts(first).to_vec() {
        let constant = |&arg: &Value| out.as_constant(arg).is_some();
        if matches!(out[inst].op, Op::Gep(_))
            && moved.contains(&out[inst].args[0])
            && out[inst].args[1..].iter().all(constant)
            && rng.one_in(2)
        {
            moved.push(out.result(inst));
            out.move_inst(inst, InsertAt::End(before));
        }
    }
}

/// Calls an intrinsic at the start of a block.
pub(super) fn mark(out: &mut Function, name: &str, at: Block, pointer: Value) {
    let mut b = Builder::new(out);
    let (_, signature, callee) = b.declare(name, Type::Void, &[Type::PTR]);
    b.switch_to(at);
    b.call(signature, callee, &[pointer]);
    let call = *out.insts(at).last().expect("it was just made");
    out.move_inst(call, InsertAt::Start(at));
}
