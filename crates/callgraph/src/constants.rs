//! Constants: what they point to, and what global variables hold at first.

use lw_cfa::flow::{Node, ValueId};
use lw_ir::constant::ConstantExpr;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::{CompoundData, Types};
use lw_ir::{Constant, ConstantKind, DataLayout, Flags, Op};

use crate::build::Build;
use crate::distance::{self, Distance};
use crate::objects::ObjectId;
use crate::world::Target;

/// What a value of the program may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Val {
    /// Nothing.
    Nothing,
    /// What a node of the flow program has.
    Node(Node),
    /// That, so many bytes on. `inside` says that what it points to is in the same object or just behind it, else anywhere.
    At { base: Node, by: i64, inside: bool },
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
                let index = |at: usize| {
                    let number = expr.args.get(at + 1).and_then(Constant::as_i128);
                    let number = number.and_then(|number| i64::try_from(number).ok());
                    number.map_or(Distance::ANY, Distance::exactly)
                };
                let indices = expr.args.len() - 1;
                let by = distance::of_gep(self.types, self.layout, *elem, indices, index);
                build.moved(base, by, expr.flags.contains(Flags::INBOUNDS))
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
                let place = build.start_of(object);
                for var in build.write_vars(object, place, at as i64, size) {
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
            Val::At { base: Node::Value(value), by, inside } => {
                Some(Node::Value(self.value_at(value, by, inside)))
            }
            Val::At { base, by, inside } => {
                let element = self.elements(base, by.unsigned_abs()).filter(|_| inside);
                Some(element.map_or_else(|| self.within(base), |(element, _)| element))
            }
        }
    }

    fn value_at(&mut self, value: ValueId, by: i64, inside: bool) -> ValueId {
        let Some((object, place)) = self.pointees[value as usize] else { return value };
        self.pointer_to(object, place, by, inside)
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

    /// A pointer that was moved. `inside` promises that this did not lead out of its object.
    pub(crate) fn moved(&mut self, val: Val, by: Distance, inside: bool) -> Val {
        let (base, from, was_inside) = match val {
            Val::Nothing => return val,
            Val::Node(base) => (base, 0, true),
            Val::At { base, by, inside } => (base, by, inside),
        };
        let at = |base, by, inside| match by {
            0 => Val::Node(base),
            _ => Val::At { base, by, inside },
        };
        let Some(sum) = from.checked_add(by.by) else { return Val::Node(self.within(base)) };
        if by.every == 0 {
            return if by.by == 0 { val } else { at(base, sum, inside && was_inside) };
        }
        match base {
            _ if !inside => {}
            Node::Value(value) => {
                let start = self.value_at(value, from, was_inside);
                return at(Node::Value(self.element_of(start, by.every)), by.by, true);
            }
            Node::Var(_) if was_inside => {
                if let Some((element, stride)) = self.elements(base, by.every) {
                    return at(element, sum.rem_euclid(stride), true);
                }
            }
            Node::Var(_) => {}
        }
        Val::Node(self.within(base))
    }

    /// A pointer that was moved by nobody knows how much.
    pub(crate) fn anywhere(&mut self, val: Val) -> Val {
        self.moved(val, Distance::ANY, false)
    }
}
