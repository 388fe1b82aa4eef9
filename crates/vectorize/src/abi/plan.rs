//! How a variant takes its arguments and gives its result.

use super::name::{Isa, ParamKind, Step, VariantName};
use super::registers::{MaskForm, Passing, Pieces};
use crate::decline::Declined;
use lw_ir::DataLayout;
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::types::{Scalar, Signature, Type, Types};

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

/// Of what the ABI passes vectors.
const NUMBERS: &str =
    "there are vectors of integers of up to 64 bits, `float`, `double` and pointers";

/// A type in words that are not LLVM's.
fn words(ty: Type) -> String {
    match ty {
        Type::Scalar(Scalar::Int(bits)) => format!("an integer of {bits} bits"),
        Type::Scalar(Scalar::Float(kind)) => format!("a float of {} bits", kind.bits()),
        Type::Vector(..) => "a short vector or a complex number".into(),
        _ => "a struct".into(),
    }
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
    /// The plan for a function of this signature and with these attributes, with so many lanes; of scalable vectors, for each unit of
    /// `vscale`.
    ///
    /// # Errors
    /// Why there cannot be such a variant.
    pub(crate) fn new(
        signature: &Signature,
        attrs: &AttrListData,
        variant: &'a VariantName,
        lanes: u32,
        layout: &DataLayout,
    ) -> Result<Plan<'a>, Declined> {
        let decline = |reason: String, help: &str| Err(Declined::region(reason, help));
        let types = &signature.params;
        if signature.varargs {
            let reason = "the function takes any number of arguments";
            return decline(reason.into(), "declare all of them, without `...`");
        }
        if types.len() != variant.params.len() {
            let reason = format!("{} parameters are passed for `{variant}`", types.len());
            let help = "what is passed in several parts, or not at all, has no lanes: pass numbers and pointers";
            return decline(reason, help);
        }
        if !lanes.is_power_of_two() {
            let help = "`simdlen` is a power of two";
            return decline(format!("`{variant}` has {lanes} lanes"), help);
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
                        let reason = format!("parameter {i} of `{variant}` is {}", words(ty));
                        let help = format!("{NUMBERS}; declare it uniform, or pass another type");
                        return decline(reason, &help);
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
                    let reason = format!("the result of `{variant}` is {}", words(ty));
                    return decline(reason, NUMBERS);
                }
            },
        };
        if variant.isa != Isa::Sve && lanes == 1 {
            let help = "one lane is no vector: `simdlen` is two or more";
            return decline(format!("`{variant}` has one lane"), help);
        }
        let mask = match variant.masked {
            false => None,
            true => {
                let like = match variant.isa {
                    Isa::Neon => variant.narrowest(signature, layout),
                    _ => variant.characteristic(signature),
                };
                let form = MaskForm::of(variant.isa, lanes, like, layout);
                if form.is_none() {
                    let reason = format!("the mask of `{variant}` has {lanes} bits");
                    return decline(reason, "at most 64 are passed; use fewer lanes");
                }
                form
            }
        };
        Ok(Plan { variant, lanes, params, mask, result })
    }

    /// Whether the result is written to memory.
    pub(crate) fn in_memory(&self) -> Option<Pieces> {
        self.result.filter(|&pieces| self.returning(pieces) == Passing::Memory)
    }

    /// How the pieces of an argument are passed.
    pub(crate) fn passing(&self, pieces: Pieces) -> Passing {
        pieces.passing(self.variant.isa, false)
    }

    /// How the pieces of the result are returned.
    pub(crate) fn returning(&self, pieces: Pieces) -> Passing {
        pieces.passing(self.variant.isa, true)
    }

    /// The signature of the variant of a function of this one.
    pub(crate) fn signature(&self, scalar: &Signature, types: &mut Types) -> Signature {
        let mut params: Vec<Type> = self.in_memory().map(|_| Type::PTR).into_iter().collect();
        let mut pass = |params: &mut Vec<Type>, pieces: Pieces| match self.passing(pieces) {
            Passing::Each => params.extend(std::iter::repeat_n(pieces.ty, pieces.count as usize)),
            Passing::Array => params.push(types.array(pieces.ty, pieces.count.into())),
            Passing::Memory => params.push(Type::PTR),
        };
        for (&arrives, &ty) in self.params.iter().zip(&scalar.params) {
            match arrives {
                Arrives::Lanes(pieces) => pass(&mut params, pieces),
                _ => params.push(ty),
            }
        }
        match self.mask {
            None => {}
            Some(MaskForm::Bits(ty) | MaskForm::Predicate(ty)) => params.push(ty),
            Some(MaskForm::Vectors(pieces)) => pass(&mut params, pieces),
        }
        let ret = match self.result.map(|pieces| (pieces, self.returning(pieces))) {
            Some((pieces, Passing::Each)) => pieces.ty,
            Some((pieces, Passing::Array)) => types.array(pieces.ty, pieces.count.into()),
            _ => Type::Void,
        };
        Signature { ret, params: params.into(), varargs: false }
    }

    /// The parameter through which the result is returned, if it has a register of its own: by what attribute.
    pub(crate) fn result_attr(&self, types: &mut Types) -> Option<Attr> {
        let pieces = self.in_memory().filter(|_| self.variant.isa == Isa::Neon)?;
        let all = types.array(pieces.ty, pieces.count.into());
        Some(Attr::Type("sret".into(), all))
    }

    /// The size in bits of the widest vector that is passed.
    pub(crate) fn widest(&self, layout: &DataLayout) -> u32 {
        let mask = match self.mask {
            Some(MaskForm::Vectors(pieces)) => Some(pieces),
            _ => None,
        };
        let lanes = self.params.iter().filter_map(|arrives| match arrives {
            Arrives::Lanes(pieces) => Some(*pieces),
            _ => None,
        });
        let all = lanes.chain(mask).chain(self.result);
        all.map(|pieces| pieces.bytes(layout) as u32 * 8)
            .filter(|&bits| bits >= 64)
            .max()
            .unwrap_or(0)
    }
}
