//! One program after the other in the same memory.

use crate::analysis::Analysis;
use crate::chains::Chains;
use crate::code::Code;
use crate::engine::{Memory, Options, Solution};
use crate::program::Program;
use crate::ssify::Ssify;
use crate::view::View;
use std::sync::Arc;

/// Splits and solves one program after the other, as [`solve`](crate::solve) does. Tables, view and values of one are where those of
/// the one before were: most programs are small, and finding memory would take a good part of the time.
///
/// ```
/// use lw_sparse::{Options, Solver, analyses::Ranges};
///
/// let mut solver = Solver::default();
/// for (text, greatest) in [("lshr i8 %x, 4", 15), ("and i8 %x, 3", 3)] {
///     let text = format!("func @f(i8 %x) -> i8 {{ entry:  %y = {text}  ret i8 %y }}");
///     let function = lw_ir::parse_function(&text).unwrap();
///     let (view, ranges) = solver.solve(&function, &mut Ranges, Options::WIDENING);
///     let first = view.versions().next().unwrap();
///     assert_eq!(ranges.of(first).as_ref().unwrap().uhi(), greatest);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Solver<D> {
    ssify: Option<Ssify>,
    view: View,
    /// What the view is of while tables are made: nothing.
    nothing: Arc<Code>,
    chains: Chains,
    memory: Memory<D>,
}

impl<D> Default for Solver<D> {
    fn default() -> Self {
        let nothing = Arc::new(Code::nothing());
        let (view, chains, memory) =
            (View::new(nothing.clone()), Chains::default(), Memory::default());
        Solver { ssify: None, view, nothing, chains, memory }
    }
}

impl<D: Clone + PartialEq + std::fmt::Debug> Solver<D> {
    /// Splits the live ranges of a program as an analysis wants it and solves the analysis.
    pub fn solve<P: Program + ?Sized, A: Analysis<P, Domain = D>>(
        &mut self,
        program: &P,
        analysis: &mut A,
        options: Options,
    ) -> (&View, &Solution<D>) {
        // The tables of the program before are only used again if nobody has them.
        self.view.code = self.nothing.clone();
        Ssify::read(&mut self.ssify, program, analysis);
        self.split_and_solve(program, analysis, options)
    }

    /// The same, given the tables of what the analysis looks at.
    pub fn solve_tables<P: Program + ?Sized, A: Analysis<P, Domain = D>>(
        &mut self,
        program: &P,
        code: &Arc<Code>,
        analysis: &mut A,
        options: Options,
    ) -> (&View, &Solution<D>) {
        Ssify::again(&mut self.ssify, code.clone());
        self.split_and_solve(program, analysis, options)
    }

    fn split_and_solve<P: Program + ?Sized, A: Analysis<P, Domain = D>>(
        &mut self,
        program: &P,
        analysis: &mut A,
        options: Options,
    ) -> (&View, &Solution<D>) {
        let Solver { ssify, view, chains, memory, .. } = self;
        if let Some(ssify) = ssify {
            ssify.split_for(view, program, analysis);
        }
        view.read_now();
        chains.turn_to(view);
        memory.solve(program, view, chains, analysis, options);
        (view, &memory.solution)
    }
}
