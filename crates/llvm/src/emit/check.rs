//! What LLVM cannot express, found before anything is built.

use crate::bridge::SideTable;
use crate::error::{Error, Result};
use lw_ir::{Function, Op};

/// Checks that every block and instruction has a counterpart in LLVM.
pub(super) fn representable(function: &Function, side: Option<&SideTable>) -> Result<()> {
    let fail = |reason: String| Err(Error::Emit { function: function.name.to_string(), reason });
    if let Err(errors) = lw_ir::verify_structure(function) {
        return fail(errors[0].to_string());
    }
    if function.blocks().is_empty() {
        return fail("it has no body".into());
    }
    for &block in function.blocks() {
        if function.predicate(block).is_some() {
            let block = function.display_block(block);
            return fail(format!("block {block} has a predicate, which only widening can realize"));
        }
    }
    for (_, inst) in function.all_insts() {
        let data = &function[inst];
        let reason = match &data.op {
            _ if data.total => "is `total`",
            Op::Mask | Op::Horizontal(_) => "works across threads",
            Op::Phi if data.shadow().is_some() => "has a shadow operand",
            Op::Opaque(_) => match (data.origin.expand(), side) {
                (Some(origin), Some(side))
                    if (origin.as_u32() as usize) < side.insts.len() && !data.derived =>
                {
                    continue;
                }
                _ => "is opaque and its origin is unknown",
            },
            _ => continue,
        };
        return fail(format!("`{}` {reason}", function.display_inst(inst)));
    }
    Ok(())
}
