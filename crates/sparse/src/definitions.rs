//! Where the variables of a program are defined.

use crate::code::NONE;
use crate::program::Var;
use lw_graph::rows::Rows;

/// By variable: its definitions.
#[derive(Clone, Debug)]
pub(crate) enum Definitions {
    /// One of each. A definition has its index in [`Code::defs`](crate::code::Code), parameters follow: the numbers of the
    /// *original* versions.
    Single { original: Vec<u32>, instrs: u32 },
    /// Indices in [`Code::defs`](crate::code::Code), in program order, and in the list of parameters.
    Several { instrs: Rows<u32>, param: Vec<u32> },
}

/// None of none.
impl Default for Definitions {
    fn default() -> Self {
        Definitions::Single { original: Vec::new(), instrs: 0 }
    }
}

impl Definitions {
    /// Finds those of a program, in the memory of what was there.
    pub(crate) fn find(&mut self, ssa: bool, variables: usize, params: &[Var], defs: &[Var]) {
        if !ssa {
            *self = Definitions::several(variables, params, defs);
            return;
        }
        let mut numbers = match std::mem::take(self) {
            Definitions::Single { original, .. } => original,
            Definitions::Several { param, .. } => param,
        };
        numbers.clear();
        numbers.resize(variables, NONE);
        for (number, var) in defs.iter().chain(params).enumerate() {
            numbers[var.index()] = number as u32;
        }
        *self = Definitions::Single { original: numbers, instrs: defs.len() as u32 };
    }

    fn several(variables: usize, params: &[Var], defs: &[Var]) -> Definitions {
        let mut param = vec![NONE; variables];
        for (index, var) in params.iter().enumerate() {
            param[var.index()] = index as u32;
        }
        let defs = defs.iter().enumerate().map(|(i, var)| (var.index(), i as u32));
        Definitions::Several { instrs: Rows::group(variables, defs), param }
    }

    /// The definitions by instructions.
    #[inline]
    pub(crate) fn instrs(&self, var: Var) -> &[u32] {
        match self {
            Definitions::Single { original, instrs } => match &original[var.index()] {
                def if def < instrs => std::slice::from_ref(def),
                _ => &[],
            },
            Definitions::Several { instrs, .. } => instrs.row(var.index()),
        }
    }

    /// The index among the parameters.
    #[inline]
    pub(crate) fn param(&self, var: Var) -> Option<usize> {
        let index = match self {
            Definitions::Single { original, instrs } => match original[var.index()] {
                NONE => NONE,
                number => number.checked_sub(*instrs).unwrap_or(NONE),
            },
            Definitions::Several { param, .. } => param[var.index()],
        };
        (index != NONE).then_some(index as usize)
    }

    /// By variable: the number of its original version, in an SSA program; [`NONE`] if it has none.
    #[inline]
    pub(crate) fn originals(&self) -> Option<&[u32]> {
        match self {
            Definitions::Single { original, .. } => Some(original),
            Definitions::Several { .. } => None,
        }
    }

    /// The number of the original version, in an SSA program.
    #[inline]
    pub(crate) fn original(&self, var: Var) -> Option<u32> {
        match self {
            Definitions::Single { original, .. } => {
                Some(original[var.index()]).filter(|&number| number != NONE)
            }
            Definitions::Several { .. } => None,
        }
    }
}
