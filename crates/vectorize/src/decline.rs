//! Why a region is left as it is.

use lw_ir::{Function, Inst};
use std::fmt;

/// A region that cannot be vectorized: what stands in the way, where, and what would help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declined {
    /// The instruction as the text form writes it, if one is to blame.
    pub inst: Option<String>,
    /// Where that instruction came from: an index into the table of whoever imported the function.
    pub origin: Option<u32>,
    /// What stands in the way.
    pub reason: String,
    /// What would help.
    pub help: String,
}

impl Declined {
    /// The region as a whole is to blame.
    pub fn region(reason: impl Into<String>, help: impl Into<String>) -> Declined {
        Declined { inst: None, origin: None, reason: reason.into(), help: help.into() }
    }

    /// An instruction is to blame.
    pub fn at(
        function: &Function,
        inst: Inst,
        reason: impl Into<String>,
        help: impl Into<String>,
    ) -> Declined {
        let origin = function[inst].origin.expand().map(|o| o.as_u32());
        let shown = function.display_inst(inst);
        let suffix = origin.map(|o| format!("!{o}")).unwrap_or_default();
        let shown = shown.trim().strip_suffix(&suffix).unwrap_or(&shown).trim();
        let shown = if function[inst].derived { shown.trim_end_matches(" from") } else { shown };
        Declined { inst: Some(shown.into()), origin, ..Declined::region(reason, help) }
    }
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(inst) = &self.inst {
            write!(f, "`{inst}`: ")?;
        }
        write!(f, "{}; {}", self.reason, self.help)
    }
}

impl std::error::Error for Declined {}
