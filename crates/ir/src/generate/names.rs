//! Names for some of the values and blocks of a function.

use super::Rng;
use crate::entities::Value;
use crate::function::Function;

/// Names, plain and odd ones, each once.
pub(super) fn give(rng: &mut Rng, f: &mut Function) {
    let results: Vec<Value> =
        f.all_insts().filter_map(|(_, inst)| f[inst].result.expand()).collect();
    for (i, value) in f.params().to_vec().into_iter().chain(results).enumerate() {
        if rng.one_in(3) {
            let name = match rng.below(12) {
                0 => format!("odd name {i}"),
                1 => format!("q\"{i}\\"),
                2 => format!("x.{i}-$"),
                _ => format!("x{i}"),
            };
            f.set_value_name(value, Some(name.into()));
        }
    }
    for (i, block) in f.blocks().to_vec().into_iter().enumerate() {
        if rng.one_in(3) {
            let name = if rng.one_in(12) { format!("b {i}") } else { format!("b{i}") };
            f.set_block_name(block, Some(name.into()));
        }
    }
}
