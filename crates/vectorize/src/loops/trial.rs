//! Which is faster, the vector loop or the scalar one?
//!
//! Where lanes part, that depends on the data: lanes that go different ways wait for each other, and no table of costs knows how
//! long. So both are tried. The loop is timed whenever control passes it, and the faster one is taken the next time; the other
//! gets its turn ever more seldom, so that trials take at most about a hundredth of the time (`trial.lw`). Both
//! compute the same, bit by bit: what the clock says decides about time alone.
//!
//! Where lanes let each other go along there are two trials in each other: lanes together or not, and if not, whether as a vector at all. The inner one tells the
//! outer one when it took the slower way: an entry that lost time by trying says nothing of what the outer one compares.
//!
//! Each loop has a variable of its own, which threads of the program share. They do not wait for each other; what one writes
//! another may overwrite, and no more is lost than a measurement.

use super::shape::LoopShape;
use crate::edit;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::ops::BinOp;
use lw_ir::symbols::SymbolKind;
use lw_ir::types::Type;
use lw_ir::{Builder, Function, Value};

/// How many bytes the variable of a loop has; all are zero at first.
pub const STATE_BYTES: u64 = 20;

/// A trial of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The name of the variable that remembers what was found.
    pub state: String,
    /// The intrinsic that reads a clock.
    pub clock: &'static str,
    /// The variable of the trial that this one is part of: of what it does if iterations are not done together.
    pub within: Option<String>,
}

/// The functions that trials call.
pub fn functions() -> Vec<Function> {
    let module = lw_ir::parse_module(include_str!("trial.lw")).expect("it is correct");
    module.functions
}

/// A trial that is going on.
pub(super) struct Begun {
    state: Value,
    start: Value,
    /// Whether the vector loop is to be taken.
    pub(super) choice: Value,
}

impl Trial {
    /// Begins at the end of the preheader.
    pub(super) fn begin(&self, f: &mut Function, shape: &LoopShape) -> Begun {
        let state = variable(f, &self.state);
        let mut b = Builder::new(f);
        b.switch_to(shape.preheader);
        let (_, ty, choose) = b.declare("laneweaver.choose", Type::I1, &[Type::PTR]);
        let choice = b.call(ty, choose, &[state]).expect("it is a truth value");
        Begun { state, start: self.time(&mut b), choice }
    }

    /// Ends behind the loop, which did so many iterations, together (`vector`) or not.
    pub(super) fn end(
        &self,
        f: &mut Function,
        shape: &LoopShape,
        begun: &Begun,
        iterations: Value,
        vector: Value,
    ) {
        let jump = f.terminator(shape.exit).expect("it leads on");
        let to = f[jump].targets[0];
        f.erase(jump);
        let within = self.within.as_ref().map(|outer| variable(f, outer));
        let mut b = Builder::new(f);
        b.switch_to(shape.exit);
        let now = self.time(&mut b);
        let time = b.binary(BinOp::Sub, now, begun.start);
        let params = [Type::PTR, Type::I64, Type::I64, Type::I1];
        let (_, ty, note) = b.declare("laneweaver.note", Type::Void, &params);
        b.call(ty, note, &[begun.state, time, iterations, vector]);
        if let Some(outer) = within {
            let (_, ty, doubt) = b.declare("laneweaver.doubt", Type::Void, &[Type::PTR; 2]);
            b.call(ty, doubt, &[begun.state, outer]);
        }
        edit::jump(f, shape.exit, to);
    }

    fn time(&self, b: &mut Builder<'_>) -> Value {
        let (_, ty, clock) = b.declare(self.clock, Type::I64, &[]);
        b.call(ty, clock, &[]).expect("it is a number")
    }
}

/// The address of the variable of a loop.
fn variable(f: &mut Function, name: &str) -> Value {
    let ty = f.types.array(Type::I8, STATE_BYTES);
    let symbol = f.symbols.intern(name.into(), || SymbolKind::Variable { ty, constant: false });
    f.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) })
}
