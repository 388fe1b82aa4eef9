//! Constants as values.

use super::Machine;
use super::bytes::Sizes;
use super::error::ErrorKind;
use super::eval_mem::GepPlan;
use super::eval_vector::zero;
use super::pure;
use super::value::Val;
use crate::constant::{Constant, ConstantExpr, ConstantKind};
use crate::inst::Op;
use crate::symbols::Symbols;
use crate::types::{Scalar, Type, Types};

/// Where a constant stands: what its types and symbols mean.
pub(crate) struct Scope<'a, 'm> {
    pub(crate) machine: &'a mut Machine<'m>,
    pub(crate) sizes: Sizes<'m>,
    pub(crate) symbols: &'m Symbols,
    /// The position of the function it stands in.
    pub(crate) code: Option<usize>,
}

/// The value of a constant.
pub(crate) fn evaluate(scope: &mut Scope<'_, '_>, constant: &Constant) -> Result<Val, ErrorKind> {
    let types = scope.sizes.types;
    Ok(match &constant.kind {
        ConstantKind::Int(bits) => match constant.ty {
            Type::Scalar(Scalar::Int(width)) => Val::from_bits(width, bits.clone()),
            ty => {
                return Err(ErrorKind::Unsupported(format!("an integer constant of type {ty:?}")));
            }
        },
        ConstantKind::Float(bits) => match (constant.ty, bits.to_u128()) {
            (Type::Scalar(Scalar::Float(kind)), Some(bits)) => Val::Float(kind, bits),
            (ty, _) => {
                return Err(ErrorKind::Unsupported(format!("a float constant of type {ty:?}")));
            }
        },
        ConstantKind::Zero => zero(types, constant.ty)?,
        ConstantKind::Undef => Val::Undef,
        ConstantKind::Poison => Val::Poison,
        ConstantKind::Symbol(symbol) => {
            let name = &scope.symbols.get(*symbol).name;
            Val::Ptr(scope.machine.symbol_address(name)?)
        }
        ConstantKind::BlockAddress(block) => match scope.code {
            Some(index) => Val::Ptr(scope.machine.block_address(index, *block)?),
            None => {
                return Err(ErrorKind::Unsupported("a block address outside a function".into()));
            }
        },
        ConstantKind::Aggregate(elements) => {
            let all: Result<Vec<Val>, ErrorKind> =
                elements.iter().map(|e| evaluate(scope, e)).collect();
            Val::elems(all?)
        }
        ConstantKind::Data(_) => {
            let count = types.element_count(constant.ty).unwrap_or(0);
            let mut all = Vec::new();
            for i in 0..count {
                let element = constant.element(types, i);
                let element = element.ok_or_else(|| {
                    ErrorKind::Unsupported("a data constant that is cut short".into())
                })?;
                all.push(evaluate(scope, &element)?);
            }
            Val::elems(all)
        }
        ConstantKind::Expr(expr) => expression(scope, constant.ty, expr)?,
        ConstantKind::Foreign(_) if constant.ty == Type::Metadata => Val::Unit,
        ConstantKind::Foreign(number) => {
            return Err(ErrorKind::Unsupported(format!(
                "constant {number} of the module it was imported from"
            )));
        }
    })
}

fn expression(scope: &mut Scope<'_, '_>, ty: Type, expr: &ConstantExpr) -> Result<Val, ErrorKind> {
    let mut args = Vec::new();
    for arg in &expr.args {
        args.push(evaluate(scope, arg)?);
    }
    let types: Vec<Type> = expr.args.iter().map(|arg| arg.ty).collect();
    let plan = match &expr.op {
        Op::Gep(elem) => Some(GepPlan::new(scope.sizes, *elem, expr.args.len() - 1, |i| {
            index_of(scope.sizes.types, expr.args.get(i + 1)?)
        })?),
        _ => None,
    };
    let context = pure::Context {
        sizes: scope.sizes,
        memory: &scope.machine.memory,
        op: &expr.op,
        flags: expr.flags,
        ty,
        types: &types,
        plan: plan.as_ref(),
    };
    let refs: Vec<&Val> = args.iter().collect();
    let evaluated = pure::evaluate(&context, &refs);
    evaluated.unwrap_or_else(|| {
        Err(ErrorKind::Unsupported(format!("the constant expression {:?}", expr.op)))
    })
}

/// The number that a constant index of a struct is, also as a vector of equal numbers.
pub(crate) fn index_of(types: &Types, constant: &Constant) -> Option<u64> {
    let scalar = match constant.ty {
        Type::Vector(..) => constant.element(types, 0)?,
        _ => constant.clone(),
    };
    match scalar.kind {
        ConstantKind::Zero => Some(0),
        _ => u64::try_from(scalar.as_u128()?).ok(),
    }
}
