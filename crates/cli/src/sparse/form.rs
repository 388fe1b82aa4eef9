//! The forms by name: those of 003 Fig. 5, and what literature calls them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lw_sparse::Strategy;

/// A form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub(super) name: &'static str,
    alias: &'static str,
    pub(super) strategy: Strategy,
    used_for: &'static str,
}

const fn form(
    name: &'static str,
    alias: &'static str,
    strategy: Strategy,
    used_for: &'static str,
) -> Form {
    Form { name, alias, strategy, used_for }
}

const FORMS: [Form; 10] = [
    form("ssa", "reaching-definitions", Strategy::SSA, "reaching definitions"),
    form("ssi", "redundancy", Strategy::SSI, "partial redundancies; static single information"),
    form("essa", "abcd", Strategy::ABCD, "array bounds, ranges, taint; extended SSA"),
    form("stephenson", "bits", Strategy::STEPHENSON, "bit widths, both directions"),
    form("mahlke", "bit-width", Strategy::MAHLKE, "bit widths without conditions"),
    form("ssu", "class-inference", Strategy::CLASS_INFERENCE, "class inference; static single use"),
    form("occurrence-typing", "hochstadt", Strategy::OCCURRENCE_TYPING, "types at tests"),
    form("null-pointers", "null", Strategy::NULL_POINTERS, "null pointers"),
    form("ccp", "constants", Strategy::CCP, "constants that learn from tests for equality"),
    form("divergence", "lcssa", Strategy::DIVERGENCE, "values that leave loops; loop-closed SSA"),
];

/// Reads the name of a form. Help lists the forms with their strategies.
pub(super) fn parser() -> impl TypedValueParser<Value = Form> {
    let values = FORMS.map(|form| {
        let help = format!("{}: {} (also {})", form.strategy, form.used_for, form.alias);
        PossibleValue::new(form.name).alias(form.alias).help(help)
    });
    PossibleValuesParser::new(values).map(|name: String| {
        let named = |form: &&Form| form.name == name || form.alias == name;
        *FORMS.iter().find(named).expect("one of the values above")
    })
}
