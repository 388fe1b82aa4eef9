//! Names of vector functions that are wanted.
//!
//! `lw.` and a mangled name as the vector function ABI has them. An integer of less than 64 bits that is linear does not wrap around;
//! arguments are passed as the pipeline makes them: vectors as they are, the mask as a vector of bits, and nothing in memory; results as
//! [`results`](super::results) says.

use crate::abi::{ParamKind, Step, VariantName};
use lw_divergence::Stride;
use lw_ir::types::{Scalar, Type};
use lw_ir::{DataLayout, Function};

const PREFIX: &str = "lw.";

/// The name of the vector function that a variant describes.
pub fn name_of(wanted: &VariantName) -> String {
    format!("{PREFIX}{wanted}")
}

/// The same for the machine of the caller, which has more than that of the scalar function: `tag` stands for it.
pub(crate) fn name_for(wanted: &VariantName, tag: u64) -> String {
    format!("{PREFIX}{tag:016x}.{wanted}")
}

/// Whether a name asks for a vector function for the machine of the caller.
pub(super) fn is_for_caller(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| !rest.starts_with("_ZGV"))
}

/// What a name asks for.
pub fn request(name: &str) -> Option<VariantName> {
    let rest = name.strip_prefix(PREFIX)?;
    match rest.split_once('.') {
        Some((tag, wanted)) if tag.len() == 16 && u64::from_str_radix(tag, 16).is_ok() => {
            wanted.parse().ok()
        }
        _ => rest.parse().ok(),
    }
}

/// The vector functions that a function calls by such names, and the names.
pub fn requests(function: &Function) -> Vec<(String, VariantName)> {
    let mut all: Vec<(String, VariantName)> = Vec::new();
    for (_, inst) in function.all_insts() {
        let Some(name) = crate::callee::name(function, inst) else { continue };
        if let Some(wanted) = request(name)
            && !all.iter().any(|(known, _)| known == name)
        {
            all.push((name.into(), wanted));
        }
    }
    all
}

/// The shapes of the parameters of a function.
pub(super) fn shapes(
    function: &Function,
    wanted: &VariantName,
    layout: &DataLayout,
) -> Vec<Stride> {
    let shape = |(&ty, &(kind, _)): (&Type, &(ParamKind, Option<u64>))| match (kind, ty) {
        (ParamKind::Uniform, _) => Stride::uniform_aligned(1),
        (ParamKind::Linear(Step::Constant(step)), Type::Scalar(Scalar::Int(bits))) if bits < 64 => {
            Stride::exact(bits, step, 1)
        }
        (ParamKind::Linear(Step::Constant(step)), Type::Scalar(scalar)) => {
            Stride::strided(layout.scalar_bits(scalar), step, 1, wanted.lanes)
        }
        _ => Stride::varying_aligned(1),
    };
    function.signature.params.iter().zip(&wanted.params).map(shape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_wanted() {
        let wanted: VariantName = "_ZGVdM8ul4v_callee.of.mine".parse().unwrap();
        assert_eq!(request(&name_of(&wanted)), Some(wanted.clone()));
        assert_eq!(request(&name_for(&wanted, 7)), request(&name_of(&wanted)));
        assert!(is_for_caller(&name_for(&wanted, 7)) && !is_for_caller(&name_of(&wanted)));
        assert_eq!(request("_ZGVdM8ul4v_callee"), None);
        assert_eq!(request("lw.callee"), None);
    }
}
