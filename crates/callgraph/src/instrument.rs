//! Programs that tell what they call through pointers.

use lw_ir::{Builder, Function, InsertAt, Inst, InstData, Op, Type};

/// The function that is told: `void lw_indirect_call(i32 site, ptr callee)`.
pub const LOGGER: &str = "lw_indirect_call";

/// The calls of a function that do not name their callee, in order. Intrinsics and inline assembly are none of them.
pub fn indirect_calls(function: &Function) -> Vec<Inst> {
    let indirect = |inst: &Inst| {
        let data = &function[*inst];
        data.op.call().is_some() && function.as_constant(data.args[0]).is_none()
    };
    function.all_insts().map(|(_, inst)| inst).filter(indirect).collect()
}

/// Inserts a call of the logger before each call through a pointer. `next` is the number of the first; returns how many there were.
pub fn instrument(function: &mut Function, next: u32) -> u32 {
    let calls = indirect_calls(function);
    for (index, &call) in calls.iter().enumerate() {
        let mut builder = Builder::new(function);
        let (_, ty, logger) = builder.declare(LOGGER, Type::Void, &[Type::I32, Type::PTR]);
        let site = builder.int(Type::I32, i128::from(next) + index as i128);
        let attrs = function.attr_lists.empty();
        let info = lw_ir::inst::CallInfo::new(ty, attrs);
        let callee = function[call].args[0];
        let data = InstData::new(Op::Call(Box::new(info)), Type::Void, &[logger, site, callee]);
        function.insert(InsertAt::Before(call), data);
    }
    calls.len() as u32
}
