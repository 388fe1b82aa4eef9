//! 0-CFA: engines against one another, runs of Scheme programs against their flow sets.

use crate::{Subject, Target, Verdict};
use lw_cfa::{generate, oracle};
use lw_ir::generate::Coverage;

/// Half of the subjects are constraint programs, which have every shape; half are Scheme programs, which run.
#[derive(Default)]
pub struct Cfa;

impl Target for Cfa {
    const NAME: &'static str = "cfa";
    const RUNS: u64 = 20_000;

    fn subject(&self, seed: u64) -> Subject {
        match seed % 2 {
            0 => Subject::Constraints(seed / 2),
            _ => Subject::Scheme(generate::scheme(seed / 2)),
        }
    }

    fn check(&mut self, subject: &Subject, _: &mut Coverage) -> Verdict {
        let checked = match subject {
            Subject::Constraints(seed) => {
                let gap = [0, 0, 4, 20][*seed as usize % 4];
                oracle::engines_agree(&generate::spaced(generate::flow(*seed), gap))
            }
            // While shrinking, a name may have lost its definition.
            Subject::Scheme(text) => match oracle::sound_by_type_and_sign(text, 5_000) {
                Ok(_) => Ok(()),
                Err(error) if error.contains("nothing defines") => return Verdict::Nothing(error),
                Err(error) => Err(error),
            },
            _ => Ok(()),
        };
        checked.map_or_else(Verdict::Different, |()| Verdict::Same)
    }
}
