//! Checks that a function is well formed: LLVM's rules for SSA and types, and those of predicated execution (001 §4.10).
//!
//! | rule | module |
//! | --- | --- |
//! | blocks end in one terminator, φs come first and match the edges | `shape` |
//! | types and constants are made of what fits together | `constants` |
//! | operands have the number and the types that an operation asks for | `types` |
//! | flags and modifiers stand only where they mean something | `modifiers` |
//! | definitions dominate uses; a predicate dominates its block (001 Def. 11, rule 1) | `dominance` |
//! | called functions are functions (001 Def. 11, rule 2) | `types` |
//!
//! Rule 3 of Def. 11, predicated def-before-use, speaks of executions; the interpreter checks it.

mod constants;
mod dominance;
mod modifiers;
mod shape;
mod types;

use crate::entities::{Block, Inst};
use crate::function::Function;
use crate::module::Module;
use std::fmt;

/// A rule that a function breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The function.
    pub function: String,
    /// The block, as the text form names it.
    pub block: Option<String>,
    /// The instruction, as the text form writes it.
    pub inst: Option<String>,
    /// The rule that is broken.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.function)?;
        if let Some(block) = &self.block {
            write!(f, ", block {block}")?;
        }
        if let Some(inst) = &self.inst {
            write!(f, ", `{inst}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks all rules. The errors come in the order of the blocks.
pub fn verify(function: &Function) -> Result<(), Vec<VerifyError>> {
    verify_structure(function)?;
    finish(function, dominance::check)
}

/// Checks all rules but those about dominance: what it takes to build the function somewhere else without harm.
pub fn verify_structure(function: &Function) -> Result<(), Vec<VerifyError>> {
    finish(function, |report| {
        shape::check(report);
        if report.errors.is_empty() {
            constants::check(report);
        }
        if report.errors.is_empty() {
            types::check(report);
            modifiers::check(report);
        }
    })
}

/// Checks the global variables and aliases of a module, and all its functions.
pub fn verify_module(module: &Module) -> Result<(), Vec<VerifyError>> {
    let global =
        |message| VerifyError { function: "module".into(), block: None, inst: None, message };
    let mut errors: Vec<VerifyError> =
        constants::check_globals(module).into_iter().map(global).collect();
    for function in &module.functions {
        errors.extend(verify(function).err().unwrap_or_default());
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn finish(
    function: &Function,
    check: impl FnOnce(&mut Report<'_>),
) -> Result<(), Vec<VerifyError>> {
    let mut report = Report { function, errors: Vec::new() };
    check(&mut report);
    if report.errors.is_empty() { Ok(()) } else { Err(report.errors) }
}

/// What was found so far.
struct Report<'f> {
    function: &'f Function,
    errors: Vec<VerifyError>,
}

impl Report<'_> {
    fn add(&mut self, block: Option<Block>, inst: Option<String>, message: impl Into<String>) {
        self.errors.push(VerifyError {
            function: self.function.name.to_string(),
            block: block.map(|b| self.function.display_block(b)),
            inst,
            message: message.into(),
        });
    }

    fn block(&mut self, block: Block, message: impl Into<String>) {
        self.add(Some(block), None, message);
    }

    fn inst(&mut self, block: Block, inst: Inst, message: impl Into<String>) {
        let shown = self.function.display_inst(inst);
        self.add(Some(block), Some(shown), message);
    }
}
