//! Calls that no exception leaves: the program is ended instead, as what is `noexcept`, and the body of an OpenMP loop, has it.
//!
//! ```text
//! before:  %r = invoke i32 (i32) @f(i32 %x) to label %next unwind label %end        here:  %r = call i32 (i32) @f(i32 %x)
//! end:     %e = landingpad … catch ptr null                                                 attrs(fn: "laneweaver-terminates"=…)
//!          … call void (ptr) @__clang_call_terminate(ptr …)                                 br %next
//!          unreachable
//! ```
//!
//! They are calls like others for the vectorizer, and calls it makes of them have the same attribute. Where a function becomes LLVM's
//! again (`lw-llvm`), calls with it become what they were.

use crate::callee;
use crate::edit;
use lw_ir::attrs::{Attr, AttrListData, TERMINATES};
use lw_ir::constant::ConstantKind;
use lw_ir::{Block, Function, Inst, Op};

/// What gives back the memory of an exception that could not be made (`throw X(…)`, where the constructor throws).
const FREES: &str = "__cxa_free_exception";

/// What C++ compilers call where an exception may go no further.
const ENDS: [&str; 2] = ["__clang_call_terminate", "_ZSt9terminatev"];

/// Makes calls of the `invoke`s that end the program on exceptions.
pub(crate) fn make_calls(f: &mut Function) {
    for b in f.blocks().to_vec() {
        let Some(inst) = f.terminator(b) else { continue };
        let (Op::Invoke(info), &[next, pad]) = (&f[inst].op, &f[inst].targets[..]) else {
            continue;
        };
        let Some(end) = end_of(f, pad) else { continue };
        let mut info = info.clone();
        let mut attrs = f.call_attrs(info.attrs).clone();
        let attr = Attr::Text(TERMINATES.as_bytes().into(), end.as_bytes().into());
        attrs.function.push(attr);
        info.attrs = f.attr_lists.intern(attrs);
        (f[inst].op, f[inst].targets) = (Op::Call(info), Default::default());
        edit::jump(f, b, next);
        for phi in f.phis(pad).collect::<Vec<_>>() {
            edit::remove_incoming(f, phi, b);
        }
    }
}

/// What ends the program behind a landing pad that catches everything, if nothing is done there that anybody could notice.
fn end_of(f: &Function, pad: Block) -> Option<&str> {
    let (mut at, mut end) = (pad, None);
    // A way of two blocks: several pads may share the call.
    for _ in 0..2 {
        for &inst in f.insts(at) {
            match &f[inst].op {
                Op::LandingPad(info) => {
                    let all = f[inst].args.iter().zip(&info.filters);
                    let null =
                        |arg| f.as_constant(arg).map(|c| &c.kind) == Some(&ConstantKind::Zero);
                    all.into_iter().find(|&(&arg, &filter)| !filter && null(arg))?;
                }
                Op::Phi | Op::ExtractValue(_) | Op::Br => {}
                Op::Call(_) if callee::name(f, inst) == Some(FREES) => {}
                Op::Call(_) => end = Some(callee::name(f, inst).filter(|n| ENDS.contains(n))?),
                Op::Unreachable => return end,
                _ => return None,
            }
        }
        at = f.successors(at).first().copied()?;
    }
    None
}

/// The attribute of a call that says so.
pub(crate) fn attr_of(f: &Function, inst: Inst) -> Option<&Attr> {
    let Op::Call(info) = &f[inst].op else { return None };
    let AttrListData { function, .. } = f.call_attrs(info.attrs);
    function
        .iter()
        .find(|attr| matches!(attr, Attr::Text(key, _) if **key == *TERMINATES.as_bytes()))
}
