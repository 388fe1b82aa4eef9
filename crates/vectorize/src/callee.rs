//! What is called.

use lw_ir::{Function, Inst, Op};

/// The name of the function a call names.
pub(crate) fn name(function: &Function, call: Inst) -> Option<&str> {
    let data = &function[call];
    data.op.call()?;
    let symbol = function.as_symbol(*data.args.first()?)?;
    function.symbols.get(symbol).name.as_str()
}

/// Whether a call says something about the program and does nothing, so that it may be left out.
pub(crate) fn is_dropped(function: &Function, call: Inst) -> bool {
    const HINTS: [&str; 7] = [
        "llvm.assume",
        "llvm.lifetime.",
        "llvm.dbg.",
        "llvm.experimental.noalias.scope.decl",
        "llvm.sideeffect",
        "llvm.donothing",
        "llvm.invariant.",
    ];
    matches!(function[call].op, Op::Call(_))
        && name(function, call).is_some_and(|name| HINTS.iter().any(|hint| name.starts_with(hint)))
}
