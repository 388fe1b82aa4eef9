//! What no later stage can carry.

use crate::decline::Declined;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::ops::TailKind;
use lw_ir::types::{CompoundData, Type};
use lw_ir::{Function, Inst, Op};

/// Declines what no later stage can carry.
pub(super) fn check(function: &Function) -> Result<(), Declined> {
    if function.entry().is_none() {
        return Err(Declined::region("the function has no body", "give its definition"));
    }
    if function.signature.varargs {
        let help = "vectorize a function with fixed parameters";
        return Err(Declined::region("the function takes variable arguments", help));
    }
    for &ty in function.signature.params.iter().chain([&function.signature.ret]) {
        if !is_splittable(function, ty) && ty != Type::Void {
            let help = "pass numbers, pointers, or structs of them";
            return Err(Declined::region("a parameter or result has no elements", help));
        }
    }
    for &block in function.blocks() {
        if function.predicate(block).is_some() {
            let help = "start from code that branches";
            return Err(Declined::region("a block has a predicate already", help));
        }
        for &inst in function.insts(block) {
            instruction(function, inst)?;
        }
    }
    Ok(())
}

/// Functions that return when another one gives back what they take: a lock, or the right to initialize a `static` variable. Lanes that call one
/// after the other would wait for ever. A function that gives it back itself is called for each lane.
const WAITS: [&str; 17] = [
    "__cxa_guard_acquire",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "pthread_cond_wait",
    "pthread_barrier_wait",
    "mtx_lock",
    "cnd_wait",
    "sem_wait",
    "omp_set_lock",
    "omp_set_nest_lock",
    "__kmpc_critical",
    "__kmpc_ordered",
    "_ZNSt5mutex4lockEv",
    "_ZNSt12shared_mutex4lockEv",
];

fn instruction(function: &Function, inst: Inst) -> Result<(), Declined> {
    let decline = |reason: &str, help: &str| Err(Declined::at(function, inst, reason, help));
    let data = &function[inst];
    if data.total || data.shadow().is_some() {
        return decline("it says what passive threads do already", "start from code that branches");
    }
    if data.ty != Type::Void && !is_splittable(function, data.ty) {
        return decline("its type has no elements", "keep it out of the region");
    }
    for &arg in &data.args {
        if function.as_constant(arg).is_some_and(mentions_block) {
            return decline("it mentions the address of a block", "use a switch");
        }
        if matches!(function.ty(arg), Type::Metadata | Type::Token) {
            return decline("an operand is no value", "keep it out of the region");
        }
    }
    match &data.op {
        Op::IndirectBr => decline("a jump to an address", "use a switch"),
        Op::Invoke(_) | Op::LandingPad(_) | Op::Resume => {
            decline("exceptions may pass through", "mark what is called noexcept")
        }
        Op::Opaque(_) => decline("the vectorizer does not know it", "keep it out of the region"),
        Op::VaArg => decline("variable arguments", "vectorize a function with fixed parameters"),
        Op::Alloca(info) => {
            let fixed = function.as_constant(data.args[0]).and_then(Constant::as_u128);
            if fixed.is_none() || info.inalloca || info.swifterror {
                return decline("stack memory of unknown size", "use an array of fixed size");
            }
            Ok(())
        }
        Op::Call(_) if crate::callee::name(function, inst).is_some_and(|n| WAITS.contains(&n)) => {
            decline(
                "a lane would wait for another one",
                "lock around it, or in a function that it calls and that unlocks again",
            )
        }
        Op::Call(info) => {
            let attrs = function.call_attrs(info.attrs);
            if attrs.has("returns_twice") {
                return decline("the call may return twice", "keep it out of the region");
            }
            if info.tail == TailKind::MustTail {
                return decline("the call must reuse the frame", "call it in the usual way");
            }
            if !info.bundles.is_empty() && !crate::callee::is_dropped(function, inst) {
                return decline("the call has operand bundles", "keep it out of the region");
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether values of a type can be split into numbers and pointers.
fn is_splittable(function: &Function, ty: Type) -> bool {
    match ty {
        Type::Void | Type::Token | Type::Metadata => false,
        Type::Scalar(_) => true,
        Type::Vector(_, lanes) => !lanes.scalable,
        Type::Compound(_) => match function.types.compound(ty) {
            Some(CompoundData::Array { elem, len }) => *len <= 64 && is_splittable(function, *elem),
            Some(CompoundData::Struct { fields: Some(fields), .. }) => {
                fields.iter().all(|&field| is_splittable(function, field))
            }
            _ => false,
        },
    }
}

fn mentions_block(constant: &Constant) -> bool {
    match &constant.kind {
        ConstantKind::BlockAddress(_) | ConstantKind::Foreign(_) => true,
        ConstantKind::Aggregate(parts) => parts.iter().any(mentions_block),
        ConstantKind::Expr(expr) => expr.args.iter().any(mentions_block),
        _ => false,
    }
}
