//! What a run does is held against the solution.

use super::heap::Val;
use super::{Halt, Machine, Step};
use crate::cps::{Ae, Exp};
use crate::expand::core::{Lam, Term};
use crate::flow::{Value as Abstract, ValueId};
use crate::prims::Class;

impl Machine<'_> {
    /// The abstract values of a value; a procedure of several clauses has several.
    pub(super) fn abstraction(&self, value: Val) -> Vec<ValueId> {
        let basic = |class| self.analysis.lowered.program.basic(class).into_iter().collect();
        match value {
            Val::Closure(closure) => {
                let lams = self.heap.closures[closure as usize].lams.iter();
                lams.filter_map(|lam| self.analysis.cps.of_core[lam.0 as usize])
                    .map(|lam| lam.0)
                    .collect()
            }
            Val::Escape(_, term) => {
                self.escapes.get(&term).into_iter().flatten().map(|lam| lam.0).collect()
            }
            Val::Object(object) => vec![self.heap.objects[object as usize].abstraction],
            value => basic(value.class()),
        }
    }

    /// Holds a value against the flow set of a variable.
    pub(super) fn check(&self, var: u32, value: Val, what: impl Fn() -> String) -> Step<()> {
        let set = &self.analysis.solution.store[var as usize];
        for expected in self.abstraction(value) {
            if !set.contains(expected) {
                let known = &self.analysis.lowered.program.values[expected as usize];
                return Err(Halt::Unsound(format!(
                    "{} has the value {known:?}, which is not in its flow set",
                    what()
                )));
            }
        }
        Ok(())
    }

    /// Holds a field of an object against the flow set of the abstract object's.
    pub(super) fn check_field(&mut self, object: u32, index: usize) -> Step<()> {
        self.checked += 1;
        let object = &self.heap.objects[object as usize];
        let Abstract::Object { class, field, .. } =
            &self.analysis.lowered.program.values[object.abstraction as usize]
        else {
            return Ok(());
        };
        let var = match class {
            Class::Vector => *field,
            Class::Table => field + (index % 2) as u32,
            _ => field + index as u32,
        };
        self.check(var, object.fields[index], || format!("field {index} of a {class:?}"))
    }

    pub(super) fn check_call(&mut self, term: Term, lam: Lam) -> Step<()> {
        let analysis = self.analysis;
        let (Some(id), Some(label)) = (analysis.cps.of_core[lam.0 as usize], self.calls.get(&term))
        else {
            return Ok(());
        };
        self.checked += 1;
        let name = || analysis.core.lambda(lam).name.clone().unwrap_or_default();
        if let Exp::Call { f: Ae::Var(x), .. } = &analysis.cps.exps[*label as usize]
            && !analysis.solution.store[x.0 as usize].contains(id.0)
        {
            return Err(Halt::Unsound(format!(
                "call {label} calls {} (λ{}), which is not among its callees",
                name(),
                id.0
            )));
        }
        if !analysis.solution.reached.contains(analysis.cps.lambda(id).body.0) {
            return Err(Halt::Unsound(format!(
                "the body of {} (λ{}) runs but is not reached",
                name(),
                id.0
            )));
        }
        Ok(())
    }

    /// Makes an object of an abstract one.
    pub(super) fn object(&mut self, abstraction: ValueId, fields: Vec<Val>) -> Step<Val> {
        let object = self.heap.object(&self.analysis.lowered.program, abstraction, fields);
        for index in 0..self.heap.objects[object as usize].fields.len() {
            self.check_field(object, index)?;
        }
        Ok(Val::Object(object))
    }
}
