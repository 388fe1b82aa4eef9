//! Variants for where nobody else has them by the name they are called.
//!
//! gcc calls a variant with a constant step by other names than clang, and which depends on whether the parameter has a sign
//! ([`VariantName::with_steps_of_gcc`]). Who writes variants writes them by all these names; who calls one cannot know by which name gcc has
//! it. So the caller brings one along that calls the function for each lane, which is left out where another file has the real one.

use super::entry::abi_calls;
use super::name::VariantName;
use crate::callee;
use lw_ir::symbols::SymbolKind;
use lw_ir::{DataLayout, Function};

/// Stand-ins for the variants that a function calls, if gcc may have called them by other names.
pub fn stand_ins(caller: &Function, layout: &DataLayout) -> Vec<Function> {
    let called = caller.all_insts().filter_map(|(_, inst)| callee::name(caller, inst));
    let mut names: Vec<&str> = called.filter(|name| name.starts_with("_ZGV")).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter_map(|name| stand_in(caller, &name.parse().ok()?, layout)).collect()
}

fn stand_in(caller: &Function, name: &VariantName, layout: &DataLayout) -> Option<Function> {
    // The loop that does the rest of the iterations calls the function itself.
    let scalar = caller.symbols.get(caller.symbols.find(&name.base.as_str().into())?);
    let SymbolKind::Function { ty, attrs } = &scalar.kind else { return None };
    let signature = caller.types.signature(*ty)?.clone();
    if name.with_steps_of_gcc(&signature).is_empty() {
        return None;
    }
    let mut declaration = Function::new(scalar.name.clone(), signature, caller.types.clone());
    declaration.attrs = (**attrs).clone();
    declaration.attrs.function = caller.attrs.function.clone();
    Some(abi_calls(&declaration, name, layout).ok()?.0)
}
