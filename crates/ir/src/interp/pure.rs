//! Operations without effect on one thread, in instructions and in constant expressions alike.

use super::bytes::Sizes;
use super::error::ErrorKind;
use super::eval_int::{map1, map2};
use super::eval_mem::GepPlan;
use super::memory::Memory;
use super::value::Val;
use super::{eval_cast, eval_float, eval_int, eval_mem, eval_vector};
use crate::flags::Flags;
use crate::inst::Op;
use crate::types::{Scalar, Type};

/// An operation and what it needs to know beside its operands.
pub(crate) struct Context<'a> {
    pub(crate) sizes: Sizes<'a>,
    pub(crate) memory: &'a Memory,
    pub(crate) op: &'a Op,
    pub(crate) flags: Flags,
    /// The type of the result.
    pub(crate) ty: Type,
    /// The types of the operands.
    pub(crate) types: &'a [Type],
    /// How the address is computed, for `getelementptr`.
    pub(crate) plan: Option<&'a GepPlan>,
}

/// The result, or `None` if the operation is not one of these.
pub(crate) fn evaluate(context: &Context<'_>, args: &[&Val]) -> Option<Result<Val, ErrorKind>> {
    let &Context { sizes, memory, op, flags, ty, types, plan } = context;
    Some(match op {
        Op::Binary(op) => match ty.scalar() {
            Some(Scalar::Int(bits)) => {
                map2(ty, args[0], args[1], |a, b| eval_int::binary(*op, flags, bits, a, b))
            }
            Some(Scalar::Float(kind)) => {
                map2(ty, args[0], args[1], |a, b| eval_float::binary(*op, flags, kind, a, b))
            }
            _ => Err(ErrorKind::Unsupported(format!("`{}` on the type {ty:?}", op.name()))),
        },
        Op::FNeg => map1(ty, args[0], |a| eval_float::negate(flags, a)),
        Op::ICmp(pred) => {
            let width = types[0].scalar().map_or(0, |scalar| sizes.layout.scalar_bits(scalar));
            map2(types[0], args[0], args[1], |a, b| eval_int::icmp(*pred, flags, width, a, b))
        }
        Op::FCmp(pred) => {
            map2(types[0], args[0], args[1], |a, b| eval_float::fcmp(*pred, flags, a, b))
        }
        Op::Cast(op) => eval_cast::cast(*op, flags, sizes, memory, types[0], ty, args[0]),
        Op::Select => {
            let lanes = types[0].lanes().map(|lanes| lanes.count as usize);
            Ok(eval_float::promised(flags, eval_vector::select(args[0], args[1], args[2], lanes)))
        }
        Op::ExtractElement => Ok(eval_vector::extract_element(types[0], args[0], args[1])),
        Op::InsertElement => {
            eval_vector::insert_element(sizes.types, ty, args[0], args[1], args[2])
        }
        Op::ShuffleVector(mask) => {
            eval_vector::shuffle_vector(sizes.types, types[0], args[0], args[1], mask)
        }
        Op::ExtractValue(path) => Ok(eval_vector::extract_value(args[0], path)),
        Op::InsertValue(path) => eval_vector::insert_value(sizes.types, ty, args[0], args[1], path),
        Op::Gep(_) => match plan {
            Some(plan) => eval_mem::gep(plan, flags, sizes, memory, ty, types, args),
            None => Err(ErrorKind::Unsupported("an address computation without a plan".into())),
        },
        _ => return None,
    })
}
