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

/// What a name asks for.
pub fn request(name: &str) -> Option<VariantName> {
    name.strip_prefix(PREFIX)?.parse().ok()
}

/// The vector functions that a function calls by such names.
pub fn requests(function: &Function) -> Vec<VariantName> {
    let mut all: Vec<VariantName> = Vec::new();
    for (_, inst) in function.all_insts() {
        let found = crate::callee::name(function, inst).and_then(request);
        all.extend(found.filter(|wanted| !all.contains(wanted)));
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
        assert_eq!(request(&name_of(&wanted)), Some(wanted));
        assert_eq!(request("_ZGVdM8ul4v_callee"), None);
        assert_eq!(request("lw.callee"), None);
    }
}
