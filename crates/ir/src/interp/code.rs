//! A function made ready to execute: constants are values, variables have rows, address computations have a plan.

use super::Machine;
use super::bytes::Sizes;
use super::cfg::Cfg;
use super::constants;
use super::error::ErrorKind;
use super::eval_mem::GepPlan;
use super::value::Val;
use crate::entities::{Block, Inst};
use crate::function::{Function, ValueDef};
use crate::inst::Op;
use crate::types::Type;
use cranelift_entity::{EntityRef, SecondaryMap};

/// Where the value of an operand is found.
pub(crate) enum Slot {
    /// In this row of the environment.
    Variable(u32),
    /// Here.
    Constant(Val),
    /// Nowhere: the interpreter does not know this constant. Using it is an error.
    Unknown(ErrorKind),
}

/// A function made ready to execute.
pub(crate) struct Code<'m> {
    pub(crate) function: &'m Function,
    /// The position of the function in its module.
    pub(crate) index: usize,
    pub(crate) entry: Block,
    pub(crate) cfg: Cfg,
    /// By value.
    pub(crate) slots: Vec<Slot>,
    /// How many rows an environment has.
    pub(crate) variables: usize,
    /// By instruction, for address computations.
    pub(crate) plans: SecondaryMap<Inst, Option<Result<GepPlan, ErrorKind>>>,
    /// By block: how many φs it has.
    pub(crate) phis: SecondaryMap<Block, usize>,
    /// By block: how many of its instructions come before its predicate is known.
    pub(crate) preludes: SecondaryMap<Block, usize>,
}

impl<'m> Code<'m> {
    pub(crate) fn new(machine: &mut Machine<'m>, index: usize) -> Result<Code<'m>, ErrorKind> {
        let function = &machine.module.functions[index];
        let layout = &machine.module.layout;
        let sizes = Sizes { types: &function.types, layout };
        let Some(entry) = function.entry() else {
            return Err(ErrorKind::UnknownFunction(function.name.to_string()));
        };
        let mut slots = Vec::with_capacity(function.value_count());
        let mut variables = 0;
        for i in 0..function.value_count() {
            let value = crate::entities::Value::new(i);
            slots.push(match function.def(value) {
                ValueDef::Const(constant) => {
                    let mut scope = constants::Scope {
                        machine,
                        sizes,
                        symbols: &function.symbols,
                        code: Some(index),
                    };
                    match constants::evaluate(&mut scope, constant) {
                        Ok(known) => Slot::Constant(known),
                        Err(why) => Slot::Unknown(why),
                    }
                }
                _ => {
                    variables += 1;
                    Slot::Variable(variables as u32 - 1)
                }
            });
        }
        let mut plans = SecondaryMap::new();
        let mut phis = SecondaryMap::new();
        let mut preludes = SecondaryMap::new();
        for &block in function.blocks() {
            for &inst in function.insts(block) {
                if let Op::Gep(elem) = function[inst].op {
                    plans[inst] = Some(gep_plan(function, sizes, inst, elem));
                }
            }
            phis[block] = function.phis(block).count();
            preludes[block] = prelude(function, block);
        }
        let cfg = Cfg::new(function, entry);
        Ok(Code { function, index, entry, cfg, slots, variables, plans, phis, preludes })
    }
}

fn gep_plan(
    function: &Function,
    sizes: Sizes<'_>,
    inst: Inst,
    elem: Type,
) -> Result<GepPlan, ErrorKind> {
    let args = &function[inst].args;
    GepPlan::new(sizes, elem, args.len() - 1, |i| {
        let constant = function.as_constant(*args.get(i + 1)?)?;
        constants::index_of(&function.types, constant)
    })
}

/// How many instructions, φs included, stand before the predicate of a block is known: none if it is defined
/// elsewhere, else those up to its definition. They are `total` (001 Def. 11, rule 1).
fn prelude(function: &Function, block: Block) -> usize {
    let definition = function.predicate(block).and_then(|p| function.def_inst(p));
    match definition {
        Some(inst) if function.block_of(inst) == Some(block) => function.position(inst).1 + 1,
        _ => 0,
    }
}
