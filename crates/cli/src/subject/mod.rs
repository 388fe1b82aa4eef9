//! The function an analysis looks at, and how to speak of it: places, names of variables, expressions as in the source.

mod listings;
mod words;

pub(crate) use listings::{Listings, Places};

use crate::units::Unit;
use cranelift_entity::SecondaryMap;
use lw_graph::{Edge, Node};
use lw_ir::{Function, Inst, Op, Printer, Value};
use lw_llvm::Holds;
use lw_report::Place;
use lw_sparse::{Code, Pos, Var, WithLayout, function};
use std::sync::Arc;

/// Gives each instruction without a place that of the one before it.
fn fill<'i>(places: &mut SecondaryMap<Inst, Option<Place>>, insts: impl Iterator<Item = &'i Inst>) {
    let mut last = None;
    for &inst in insts {
        places[inst] = places[inst].or(last);
        last = places[inst];
    }
}

/// A function, its tables, and words for its parts.
pub(crate) struct Subject<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) function: &'a Function,
    pub(crate) program: WithLayout<'a>,
    pub(crate) code: Arc<Code>,
    pub(crate) printer: Printer<'a>,
    /// Variables of the source that a value is.
    pub(crate) names: SecondaryMap<Value, Option<&'a str>>,
    /// Variables of the source that lie at an address.
    pub(crate) objects: SecondaryMap<Value, Option<&'a str>>,
    places: SecondaryMap<Inst, Option<Place>>,
    /// The same, with neighbours' places where there is none.
    filled: SecondaryMap<Inst, Option<Place>>,
    /// Where the function begins.
    pub(crate) start: Place,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(unit: &'a Unit, (start, places): Places) -> Subject<'a> {
        let function = &unit.function;
        let mut names: SecondaryMap<Value, Option<&str>> = SecondaryMap::new();
        let mut objects = names.clone();
        for variable in &unit.source.variables {
            // The first record names a value: that of the variable it was computed for.
            let (map, value) = match variable.holds {
                Holds::Value(value) => (&mut names, value),
                Holds::Address(value) => (&mut objects, value),
                Holds::Constant(_) => continue,
            };
            map[value] = map[value].or(Some(variable.name.as_str()));
        }
        let program = WithLayout { function, layout: &unit.module.layout };
        let mut filled = places.clone();
        for &block in function.blocks() {
            fill(&mut filled, function.insts(block).iter().rev());
            fill(&mut filled, function.insts(block).iter());
        }
        Subject {
            unit,
            function,
            program,
            code: Arc::new(Code::new(&program)),
            printer: Printer::new(function),
            names,
            objects,
            places,
            filled,
            start,
        }
    }

    /// Whether the function has debug information.
    pub(crate) fn has_source(&self) -> bool {
        self.unit.source.function.is_some()
    }

    /// The instruction at a position.
    pub(crate) fn inst(&self, pos: Pos) -> Inst {
        function::inst(self.code.instr(pos))
    }

    /// Where an instruction stands. Those without a place of their own (φs) stand with the next one that has one.
    pub(crate) fn place(&self, pos: Pos) -> Place {
        self.filled[self.inst(pos)].unwrap_or(self.start)
    }

    /// The same by the instruction.
    pub(crate) fn place_of(&self, inst: Inst) -> Place {
        self.filled[inst].unwrap_or(self.start)
    }

    /// Where an instruction stands, if it has a place of its own.
    pub(crate) fn own_place(&self, inst: Inst) -> Option<Place> {
        self.places[inst]
    }

    /// Where a block begins, if any of its instructions has a place.
    pub(crate) fn block_place(&self, block: Node) -> Option<Place> {
        self.function.insts(function::block(block)).iter().find_map(|&inst| self.places[inst])
    }

    /// Where a block decides where to go: at its condition, if that is computed in it.
    pub(crate) fn fork_place(&self, block: Node) -> Place {
        let block = function::block(block);
        let Some(terminator) = self.function.terminator(block) else { return self.start };
        let condition = self.function[terminator].args.first();
        let condition = condition.and_then(|&value| self.function.def_inst(value));
        let here = condition.filter(|&inst| self.function.block_of(inst) == Some(block));
        let places = [here.and_then(|inst| self.places[inst]), self.filled[terminator]];
        places.into_iter().flatten().next().unwrap_or(self.start)
    }

    /// Whether a reader knows the variable: it has a name in the source, or there is no source.
    pub(crate) fn is_named(&self, var: Var) -> bool {
        !self.has_source() || self.names[function::value(var)].is_some()
    }

    /// A variable in words.
    pub(crate) fn var(&self, var: Var) -> String {
        self.value(function::value(var))
    }

    /// The condition of the branch an edge belongs to, if it has two, and its truth on the edge.
    pub(crate) fn truth(&self, edge: Edge) -> Option<(Value, bool)> {
        let graph = self.code.graph();
        let terminator = self.function.terminator(function::block(graph.source(edge)))?;
        let data = &self.function[terminator];
        (data.op == Op::CondBr).then(|| (data.args[0], graph.position(edge) == 0))
    }

    /// When control takes an edge: `if i < n is true`, `in case 3`.
    pub(crate) fn condition(&self, edge: Edge) -> String {
        if let Some((condition, truth)) = self.truth(edge) {
            return format!("if {} is {truth}", self.value(condition));
        }
        let graph = self.code.graph();
        let (from, position) = (function::block(graph.source(edge)), graph.position(edge));
        let Some(terminator) = self.function.terminator(from) else { return String::new() };
        let data = &self.function[terminator];
        match (&data.op, position) {
            (Op::Switch, 0) => "in the default case".into(),
            (Op::Switch, n) => format!("in case {}", self.value(data.args[n])),
            _ => format!("towards {}", self.printer.block(function::block(graph.target(edge)))),
        }
    }
}
