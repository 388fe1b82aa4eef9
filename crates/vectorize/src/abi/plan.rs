//! How a variant takes its arguments and gives its result.

use super::name::{Isa, ParamKind, Step, VariantName};
use super::registers::{MaskForm, Pieces};
use crate::decline::Declined;
use lw_ir::DataLayout;
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::types::{Scalar, Signature, Type};

/// How a parameter arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrives {
    /// As it is: it is uniform, or the value of the first lane.
    Scalar,
    /// The value of the first lane, and a parameter says by how much it grows.
    Steps(u32),
    /// In registers.
    Lanes(Pieces),
    /// The address of the value of the first lane, an integer of so many bytes, and by how much the value grows.
    Values(u64, i64),
}

/// The size of the integer that a parameter refers to.
fn referenced(attrs: &AttrListData, param: usize) -> Option<u64> {
    let size = attrs.param(param).iter().find_map(|attr| match attr {
        Attr::Int(name, size) if &**name == "dereferenceable" => Some(*size),
        _ => None,
    });
    size.filter(|size| matches!(size, 1 | 2 | 4 | 8))
}

/// How a variant of a function is called.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) variant: &'a VariantName,
    pub(crate) lanes: u32,
    pub(crate) params: Vec<Arrives>,
    pub(crate) mask: Option<MaskForm>,
    /// The registers of the result.
    pub(crate) result: Option<Pieces>,
}

impl<'a> Plan<'a> {
    /// The plan for a function of this signature and with these attributes.
    ///
    /// # Errors
    /// Why there cannot be such a variant.
    pub(crate) fn new(
        signature: &Signature,
        attrs: &AttrListData,
        variant: &'a VariantName,
        layout: &DataLayout,
    ) -> Result<Plan<'a>, Declined> {
        let decline = |reason: String, help: &str| Err(Declined::region(reason, help));
        let lanes = match (variant.isa, variant.lanes) {
            (Isa::Sve, _) | (_, None) => {
                let help = "no variants for scalable vectors are made; use `simdlen` and NEON";
                return decline(format!("the variant `{variant}`"), help);
            }
            (_, Some(lanes)) => lanes,
        };
        let types = &signature.params;
        if types.len() != variant.params.len() || signature.varargs {
            let reason = format!("`{variant}` does not fit the {} parameters", types.len());
            return decline(reason, "declare the variant for this signature");
        }
        let mut params = Vec::new();
        for (i, (&ty, &(kind, _))) in types.iter().zip(&variant.params).enumerate() {
            let number = matches!(ty, Type::Scalar(Scalar::Int(1..=64) | Scalar::Ptr(_)));
            params.push(match kind {
                ParamKind::Uniform => Arrives::Scalar,
                _ if kind.step().is_some_and(|step| matches!(step, Step::Constant(_))) && number => {
                    Arrives::Scalar
                }
                ParamKind::Linear(Step::Param(step)) if number => {
                    let uniform = variant.params.get(step as usize).map(|&(kind, _)| kind);
                    let wide = types.get(step as usize).and_then(|ty| ty.int_bits());
                    if uniform != Some(ParamKind::Uniform) || wide.is_none() {
                        let reason = format!("the step of parameter {i} of `{variant}`");
                        return decline(reason, "a step is a uniform integer parameter");
                    }
                    Arrives::Steps(step)
                }
                _ if kind.is_vector() => match Pieces::of(variant.isa, lanes, ty, layout) {
                    Some(pieces) => Arrives::Lanes(pieces),
                    None => {
                        let reason =
                            format!("no vectors are passed for parameter {i} of `{variant}`");
                        return decline(reason, "declare it uniform, or pass its parts");
                    }
                },
                ParamKind::LinearReference('U', Step::Constant(step)) => {
                    match referenced(attrs, i) {
                        Some(bytes) => Arrives::Values(bytes, step),
                        None => {
                            let help = "refer to an integer";
                            return decline(format!("parameter {i} of `{variant}`"), help);
                        }
                    }
                }
                _ => {
                    let help = "integers, pointers and references are linear, by a constant or, for \
                                integers and pointers, by a parameter";
                    return decline(format!("parameter {i} of `{variant}`"), help);
                }
            });
        }
        let result = match signature.ret {
            Type::Void => None,
            ty => match Pieces::of(variant.isa, lanes, ty, layout) {
                Some(pieces) => Some(pieces),
                None => {
                    let help = "return a number or a pointer";
                    return decline(format!("the result of `{variant}`"), help);
                }
            },
        };
        let mask = match variant.masked {
            false => None,
            true => {
                let characteristic = variant.characteristic(signature);
                let form = MaskForm::of(variant.isa, lanes, characteristic, layout);
                if form.is_none() {
                    return decline(format!("the mask of `{variant}`"), "use fewer lanes");
                }
                form
            }
        };
        Ok(Plan { variant, lanes, params, mask, result })
    }

    /// Whether the result is written to memory.
    pub(crate) fn in_memory(&self) -> Option<Pieces> {
        self.result.filter(|pieces| pieces.count > 1)
    }

    /// The signature of the variant of a function of this one.
    pub(crate) fn signature(&self, scalar: &Signature) -> Signature {
        let mut params: Vec<Type> = self.in_memory().map(|_| Type::PTR).into_iter().collect();
        let each = |pieces: Pieces| std::iter::repeat_n(pieces.ty, pieces.count as usize);
        for (&arrives, &ty) in self.params.iter().zip(&scalar.params) {
            match arrives {
                Arrives::Lanes(pieces) => params.extend(each(pieces)),
                _ => params.push(ty),
            }
        }
        match self.mask {
            None => {}
            Some(MaskForm::Bits(ty)) => params.push(ty),
            Some(MaskForm::Vectors(pieces)) => params.extend(each(pieces)),
        }
        let ret = match self.result {
            Some(pieces) if pieces.count == 1 => pieces.ty,
            _ => Type::Void,
        };
        Signature { ret, params: params.into(), varargs: false }
    }

    /// The size in bits of the widest vector that is passed.
    pub(crate) fn widest(&self, scalar: &Signature, layout: &DataLayout) -> u32 {
        let signature = self.signature(scalar);
        let bits = |&ty: &Type| match ty {
            Type::Vector(scalar, lanes) => lanes.count * layout.scalar_bits(scalar),
            _ => 0,
        };
        signature.params.iter().chain([&signature.ret]).map(bits).max().unwrap_or(0)
    }
}
