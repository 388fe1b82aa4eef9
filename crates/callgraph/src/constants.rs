//! Constants: what they point to, and what global variables hold at first.

use lw_cfa::flow::{Node, ValueId};
use lw_ir::constant::ConstantExpr;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::{CompoundData, Types};
use lw_ir::{Constant, ConstantKind, DataLayout, Op, Type};

use crate::build::Build;
use crate::objects::ObjectId;
use crate::world::Target;

/// What a value of the program may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Val {
    /// Nothing.
    Nothing,
    /// What a node of the flow program has.
    Node(Node),
    /// That, so many bytes on.
    At(Node, i64),
}

/// Where a constant stands.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// What its symbols stand for.
    pub(crate) targets: &'a [Target],
    pub(crate) types: &'a Types,
    pub(crate) layout: &'a DataLayout,
}

impl<'a> Scope<'a> {
    /// What a constant points to.
    pub(crate) fn value(self, build: &mut Build<'_>, constant: &Constant) -> Val {
        match &constant.kind {
            ConstantKind::Symbol(symbol) => {
                self.target(build, self.targets[symbol.as_u32() as usize])
            }
            ConstantKind::Foreign(_) => Val::Nothing,
            ConstantKind::Aggregate(parts) => {
                let nodes = parts.iter().filter_map(|part| {
                    let value = self.value(build, part);
                    build.node(value)
                });
                let nodes: Vec<Node> = nodes.collect();
                build.union(&nodes)
            }
            ConstantKind::Expr(expr) => self.expression(build, expr),
            _ => Val::Nothing,
        }
    }

    fn target(self, build: &mut Build<'_>, target: Target) -> Val {
        match target {
            Target::Function(id) => Val::Node(Node::Value(id.0)),
            Target::Variable(part, index) => match build.global(part, index) {
                Some(object) => Val::Node(Node::Value(build.objects[object as usize].start)),
                None => Val::Nothing,
            },
            Target::Alias(part, index) => {
                let world = build.world;
                let module = world.parts[part].module;
                let targets = &world.globals[part];
                let scope = Scope { targets, types: &module.types, layout: &module.layout };
                scope.value(build, world.alias(part, index))
            }
            Target::Outside => Val::Node(Node::Value(build.unknown)),
            Target::Intrinsic => Val::Nothing,
        }
    }

    fn expression(self, build: &mut Build<'_>, expr: &ConstantExpr) -> Val {
        match &expr.op {
            Op::Gep(elem) => {
                let base = self.value(build, &expr.args[0]);
                let index = |at: usize| expr.args.get(at + 1).and_then(Constant::as_i128);
                let indices = expr.args.len() - 1;
                build.moved(base, offset(self.types, self.layout, *elem, indices, index))
            }
            Op::Cast(CastOp::Trunc) => self.value(build, &expr.args[0]),
            // The distance to an address leads to where it starts, not to where it ends.
            Op::Binary(BinOp::Sub) => self.value(build, &expr.args[0]),
            Op::Binary(_) => {
                let values: Vec<Val> = expr.args.iter().map(|arg| self.value(build, arg)).collect();
                let within = |value: Val| build.node(value).map(|node| build.within(node));
                let nodes: Vec<Node> = values.into_iter().filter_map(within).collect();
                build.union(&nodes)
            }
            _ => {
                let values: Vec<Val> = expr.args.iter().map(|arg| self.value(build, arg)).collect();
                let nodes: Vec<Node> =
                    values.into_iter().filter_map(|value| build.node(value)).collect();
                build.union(&nodes)
            }
        }
    }

    /// Puts a constant into an object, so many bytes from its start.
    pub(crate) fn fill(
        self,
        build: &mut Build<'_>,
        object: ObjectId,
        at: u64,
        constant: &Constant,
    ) {
        match &constant.kind {
            ConstantKind::Aggregate(parts) => {
                let offsets = match self.types.compound(constant.ty) {
                    Some(CompoundData::Struct { .. }) => self
                        .layout
                        .struct_layout(self.types, constant.ty)
                        .map(|(offsets, _)| offsets),
                    _ => None,
                };
                let mut next = at;
                for (index, part) in parts.iter().enumerate() {
                    let start = match &offsets {
                        Some(offsets) => at + offsets.get(index).copied().unwrap_or_default(),
                        None => next,
                    };
                    self.fill(build, object, start, part);
                    next = start + self.layout.alloc_size(self.types, part.ty).unwrap_or_default();
                }
            }
            ConstantKind::Symbol(_) | ConstantKind::Expr(_) => {
                let value = self.value(build, constant);
                let Some(node) = build.node(value) else { return };
                let size = self.layout.store_size(self.types, constant.ty).unwrap_or(1);
                for var in build.write_vars(object, Some(at as i64), size) {
                    match node {
                        Node::Value(value) => build.flow.init.push((var, value)),
                        Node::Var(from) => build.link(var, from),
                    }
                }
            }
            _ => {}
        }
    }
}

impl Build<'_> {
    /// What a value may point to, as one node.
    pub(crate) fn node(&mut self, value: Val) -> Option<Node> {
        match value {
            Val::Nothing => None,
            Val::Node(node) => Some(node),
            Val::At(Node::Value(value), offset) => Some(Node::Value(self.value_at(value, offset))),
            Val::At(node, _) => Some(self.within(node)),
        }
    }

    fn value_at(&mut self, value: ValueId, offset: i64) -> ValueId {
        match self.pointees[value as usize] {
            Some((object, Some(slot))) => {
                self.pointer_to(object, offset + (slot * self.word) as i64)
            }
            _ => value,
        }
    }

    /// The union of nodes, all of them values or variables that hold whatever is reached.
    fn union(&mut self, nodes: &[Node]) -> Val {
        match nodes {
            [] => Val::Nothing,
            [node] => Val::Node(*node),
            _ => {
                let var = self.fresh();
                for node in nodes {
                    match node {
                        Node::Value(value) => self.flow.init.push((var, *value)),
                        Node::Var(from) => self.link(var, *from),
                    }
                }
                Val::Node(Node::Var(var))
            }
        }
    }

    /// A pointer that was moved by so many bytes, or by nobody knows how many.
    pub(crate) fn moved(&mut self, base: Val, by: Option<i64>) -> Val {
        match (base, by) {
            (Val::Nothing, _) => Val::Nothing,
            (_, Some(0)) => base,
            (Val::Node(node), Some(by)) => Val::At(node, by),
            (Val::At(node, from), Some(by)) => match from.checked_add(by) {
                Some(0) => Val::Node(node),
                Some(sum) => Val::At(node, sum),
                None => Val::Node(self.within(node)),
            },
            (Val::Node(node) | Val::At(node, _), None) => Val::Node(self.within(node)),
        }
    }
}

/// The distance in bytes of an address computation; `None` if it is not constant.
pub(crate) fn offset(
    types: &Types,
    layout: &DataLayout,
    elem: Type,
    indices: usize,
    index: impl Fn(usize) -> Option<i128>,
) -> Option<i64> {
    let mut ty = elem;
    let mut sum = 0i64;
    for at in 0..indices {
        let number = i64::try_from(index(at)?).ok()?;
        let step = if at == 0 {
            number.checked_mul(i64::try_from(layout.alloc_size(types, elem)?).ok()?)?
        } else {
            match (ty, types.compound(ty)) {
                (_, Some(CompoundData::Array { elem, .. })) => {
                    ty = *elem;
                    number.checked_mul(i64::try_from(layout.alloc_size(types, ty)?).ok()?)?
                }
                (_, Some(CompoundData::Struct { .. })) => {
                    let (offsets, _) = layout.struct_layout(types, ty)?;
                    let index = usize::try_from(number).ok()?;
                    ty = types.element(ty, index as u64)?;
                    i64::try_from(*offsets.get(index)?).ok()?
                }
                (Type::Vector(scalar, _), _) => {
                    ty = Type::Scalar(scalar);
                    number.checked_mul(i64::try_from(layout.store_size(types, ty)?).ok()?)?
                }
                _ => return None,
            }
        };
        sum = sum.checked_add(step)?;
    }
    Some(sum)
}
