//! Δ^W, the variables of all threads in one call, and the two ways in which they are touched (001 §4.6).

use super::Semantics;
use super::code::{Code, Slot};
use super::control::Mask;
use super::error::ErrorKind;
use super::value::Val;
use crate::entities::Value;
use cranelift_entity::EntityRef;

/// The variables of one call of a function: a row of W values for each.
pub(crate) struct Env {
    values: Vec<Val>,
    pub(crate) threads: usize,
}

impl Env {
    /// No variable is assigned yet: all are ⊤.
    pub(crate) fn new(code: &Code<'_>, threads: usize) -> Env {
        Env { values: vec![Val::Passive; code.variables * threads], threads }
    }

    /// *eval* for one thread: a variable by looking it up, a constant as it is.
    pub(crate) fn eval<'a>(
        &'a self,
        code: &'a Code<'_>,
        value: Value,
        thread: usize,
    ) -> Result<&'a Val, ErrorKind> {
        match &code.slots[value.index()] {
            Slot::Variable(row) => Ok(&self.values[*row as usize * self.threads + thread]),
            Slot::Constant(constant) => Ok(constant),
            Slot::Unknown(why) => Err(why.clone()),
        }
    }

    /// Assigns a variable on one thread, whatever its activation.
    pub(crate) fn set(&mut self, code: &Code<'_>, variable: Value, thread: usize, value: Val) {
        if let Slot::Variable(row) = code.slots[variable.index()] {
            self.values[row as usize * self.threads + thread] = value;
        }
    }

    /// [UPD-ENV] for the threads that execute passively: under the oblivious interpretation they lose the variable,
    /// under the freezing one they keep it.
    pub(crate) fn update_passive(
        &mut self,
        code: &Code<'_>,
        variable: Value,
        amask: &Mask,
        semantics: Semantics,
    ) {
        if semantics == Semantics::Oblivious {
            for thread in 0..self.threads {
                if !amask[thread] {
                    self.set(code, variable, thread, Val::Passive);
                }
            }
        }
    }

    /// The vector projection of a variable (Def. 9).
    pub(crate) fn vec(&self, code: &Code<'_>, variable: Value) -> Vec<Val> {
        (0..self.threads)
            .map(|t| self.eval(code, variable, t).cloned().unwrap_or(Val::Unit))
            .collect()
    }
}
