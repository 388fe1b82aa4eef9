//! From source text to a solution, with everything in between.

use crate::cps::{self, Cps, Exp, LamId};
use crate::expand::core::{Program, Term};
use crate::expand::{self, Options};
use crate::flow::{self, Engine, Lowered, Node, Set, Solution};
use crate::source::{FileId, Result, Sources};

/// A program in all its forms, before anything is known of it.
pub struct Forms {
    /// The program in the core language.
    pub core: Program,
    /// The program in continuation-passing style.
    pub cps: Cps,
    /// The program as the engines read it.
    pub lowered: Lowered,
}

impl Forms {
    /// Reads, expands, converts and lowers the files of a program.
    pub fn of(sources: &mut Sources, files: &[FileId], options: Options) -> Result<Forms> {
        let core = expand::program(sources, files, options)?;
        let cps = cps::convert(&core);
        let records: Vec<u32> =
            core.records.iter().map(|record| record.fields.len() as u32).collect();
        let lowered = flow::lower(&cps, &core.data, &records, options.constants);
        Ok(Forms { core, cps, lowered })
    }

    /// With what an engine found.
    pub fn solved(self, solution: Solution) -> Analysis {
        let Forms { core, cps, lowered } = self;
        Analysis { core, cps, lowered, solution }
    }
}

/// A program in all its forms, and what 0-CFA found.
pub struct Analysis {
    /// The program in the core language.
    pub core: Program,
    /// The program in continuation-passing style.
    pub cps: Cps,
    /// The program as the engines read it.
    pub lowered: Lowered,
    /// The solution.
    pub solution: Solution,
}

impl Analysis {
    /// Analyses the files of a program.
    pub fn run(
        sources: &mut Sources,
        files: &[FileId],
        options: Options,
        engine: Engine,
    ) -> Result<Analysis> {
        let forms = Forms::of(sources, files, options)?;
        let solution = flow::solve(&forms.lowered.program, engine);
        Ok(forms.solved(solution))
    }

    /// The values that a variable of the core program may have.
    pub fn values_of(&self, var: crate::expand::core::Var) -> &Set {
        &self.solution.store[var.0 as usize]
    }

    /// The lambda expressions that a call of the core program may call; `None` if it is never reached, or calls a lambda
    /// expression in place.
    pub fn callees(&self, term: Term) -> Option<Vec<LamId>> {
        let (_, label) = self.cps.calls.iter().find(|(call, _)| *call == term)?;
        let Exp::Call { f, args, spread } = self.cps.exp(*label) else { return None };
        if !self.solution.reached.contains(label.0) {
            return None;
        }
        let node = match f {
            cps::Ae::Var(x) => Node::Var(x.0),
            cps::Ae::Lam(lam) => Node::Value(lam.0),
            _ => return Some(Vec::new()),
        };
        let given = args.len() - usize::from(*spread);
        let accepts = |lam: &LamId| self.cps.lambda(*lam).accepts(given, *spread);
        let lambdas = self.cps.lambdas.len() as u32;
        let values = self.solution.values(node);
        Some(values.iter().filter(|value| *value < lambdas).map(LamId).filter(accepts).collect())
    }
}
