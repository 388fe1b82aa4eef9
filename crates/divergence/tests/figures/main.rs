//! The figures of the papers that show verdicts. Where a drawing is missing, its caption and the text around it say what it shows.

mod affine;
mod control;
mod joins;
mod lanes;
mod lives;
mod stack;
mod stride;

use lw_divergence::{Basic, Divergence, Lattice, Options, Sources, analyze};
use lw_ir::{Block, Function, Inst, Value, parse_function};

/// A function that was analysed, by names.
struct Figure<L> {
    function: Function,
    divergence: Divergence<L>,
}

/// Analyses a function whose parameters have these shapes.
fn figure<L: Lattice>(text: &str, params: &[L], threads: Option<u32>) -> Figure<L> {
    let function = parse_function(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let sources = Sources::params(params.iter().cloned());
    let options = Options { threads, ..Options::default() };
    let divergence = analyze(&function, &sources, &options);
    Figure { function, divergence }
}

/// With the basic lattice: `u` and `v` for each parameter.
fn basic(text: &str, params: &str) -> Figure<Basic> {
    let shape = |c: char| if c == 'u' { Basic::Uniform } else { Basic::Varying };
    let params: Vec<Basic> = params.chars().map(shape).collect();
    figure(text, &params, None)
}

impl<L: Lattice> Figure<L> {
    fn value(&self, name: &str) -> Value {
        (0..self.function.value_count())
            .map(|i| Value::from_u32(i as u32))
            .find(|&v| self.function.value_name(v).and_then(|n| n.as_str()) == Some(name))
            .unwrap_or_else(|| panic!("no value {name}"))
    }

    fn block(&self, name: &str) -> Block {
        let named =
            |b: &&Block| self.function.block_name(**b).and_then(|n| n.as_str()) == Some(name);
        *self.function.blocks().iter().find(named).unwrap_or_else(|| panic!("no block {name}"))
    }

    fn inst(&self, name: &str) -> Inst {
        self.function.def_inst(self.value(name)).expect("an instruction")
    }

    fn uniform(&self, name: &str) -> bool {
        self.divergence.is_uniform(self.value(name))
    }

    fn shape(&self, name: &str) -> String {
        self.divergence.shape(self.value(name)).to_string()
    }

    fn divergent(&self, block: &str) -> bool {
        self.divergence.is_divergent(self.block(block))
    }

    /// What a value is where the terminator of a block reads it.
    fn uniform_at_end(&self, name: &str, block: &str) -> bool {
        let end = self.function.terminator(self.block(block)).expect("a terminator");
        let fact = self.divergence.fact_at_use(&self.function, end, self.value(name));
        fact.expect("the terminator reads it").is_uniform()
    }

    /// The chain of causes as text, for values that are varying.
    fn why(&self, name: &str) -> Vec<String> {
        let chain = self.divergence.explain(self.value(name));
        let named = |v: Value| self.function.value_name(v).map_or("?".into(), |n| n.to_string());
        chain.iter().map(|link| format!("{}: {:?}", named(link.value), link.cause)).collect()
    }
}
