//! Masked variants: a branch on the mask around the whole function, and the pipeline does the rest.

use crate::edit;
use lw_ir::constant::Constant;
use lw_ir::types::{Signature, Type};
use lw_ir::{Block, Function, InsertAt, InstData, Op, Value, ValueDef};
use rustc_hash::FxHashMap;

/// The function with one more parameter, an `i1`. Threads on which it is false return at once, with no particular result.
pub(crate) fn branch_on_mask(function: &Function) -> Function {
    let params: Box<[Type]> = function.signature.params.iter().copied().chain([Type::I1]).collect();
    let signature = Signature { params, ..function.signature.clone() };
    let mut out = Function::new(function.name.clone(), signature, function.types.clone());
    out.convention = function.convention;
    out.attrs = function.attrs.clone();
    out.attr_lists = function.attr_lists.clone();
    out.symbols = function.symbols.clone();
    out.sync_scopes = function.sync_scopes.clone();
    let entry = out.add_named_block("masked");
    let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
    for &b in function.blocks() {
        let new = out.add_block();
        out.set_block_name(new, function.block_name(b).cloned());
        blocks.insert(b, new);
    }
    let mut values: FxHashMap<Value, Value> =
        function.params().iter().copied().zip(out.params().iter().copied()).collect();
    for (&old, &new) in &values.clone() {
        out.set_value_name(new, function.value_name(old).cloned());
    }
    for (b, inst) in function.all_insts() {
        let data = &function[inst];
        let mut new = InstData::new(data.op.clone(), data.ty, &data.args).with_flags(data.flags);
        new.total = data.total;
        new.origin = data.origin;
        new.targets = data.targets.iter().map(|t| blocks[t]).collect();
        let new = out.insert(InsertAt::End(blocks[&b]), new);
        if let Some(result) = data.result.expand() {
            values.insert(result, out.result(new));
            out.set_value_name(out.result(new), function.value_name(result).cloned());
        }
    }
    for b in out.blocks().to_vec() {
        for inst in out.insts(b).to_vec() {
            for i in 0..out[inst].args.len() {
                let old = out[inst].args[i];
                let new = match function.def(old) {
                    ValueDef::Const(constant) => out.constant((**constant).clone()),
                    _ => values[&old],
                };
                out[inst].args[i] = new;
            }
        }
    }
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
