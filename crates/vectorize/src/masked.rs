//! Masked variants: a branch on the mask around the whole function, and the pipeline does the rest.

use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::types::{Signature, Type};
use lw_ir::{Function, InsertAt, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// The function with one more parameter, an `i1`. Threads on which it is false return at once, with no particular result.
pub(crate) fn branch_on_mask(function: &Function) -> Function {
    let params: Box<[Type]> = function.signature.params.iter().copied().chain([Type::I1]).collect();
    let signature = Signature { params, ..function.signature.clone() };
    let mut out = edit::empty_like(function, signature);
    let entry = out.add_named_block("masked");
    let params: FxHashMap<Value, Value> =
        function.params().iter().copied().zip(out.params().iter().copied()).collect();
    for (&old, &new) in &params {
        out.set_value_name(new, function.value_name(old).cloned());
    }
    let blocks = edit::copy_body(function, &mut out, params);
    let body = function.entry().map(|b| blocks[&b]);
    let end = out.add_named_block("unmasked");
    let ret = out.signature.ret;
    let mut data = InstData::new(Op::Ret, Type::Void, &[]);
    if ret != Type::Void {
        let poison = out.constant(Constant::poison(ret));
        data = InstData::new(Op::Ret, Type::Void, &[poison]);
    }
    out.insert(InsertAt::End(end), data);
    let mask = *out.params().last().expect("there is a mask");
    match body {
        Some(body) => edit::branch(&mut out, entry, mask, [body, end]),
        None => edit::jump(&mut out, entry, end),
    };
    out
}
