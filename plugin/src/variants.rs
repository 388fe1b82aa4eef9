//! The bodies of the variants that `#pragma omp declare simd` asks for.
//!
//! Clang notes the names of the variants as attributes of the function, and writes none of them. For each name whose body is not
//! there yet the function is vectorized as the name says.

use lw_llvm::{Module, Result};
use lw_vectorize::Statistics;
use lw_vectorize::abi::{VariantName, abi_function};

/// What became of a variant.
pub struct Made {
    /// The scalar function.
    pub function: String,
    /// The name of the variant.
    pub variant: String,
    /// What was done, or why nothing was.
    pub outcome: std::result::Result<Statistics, String>,
}

/// Writes the bodies of all variants that a module asks for.
///
/// # Errors
/// If the module cannot be read. It is not changed then.
pub fn make_variants(module: &mut Module<'_>) -> Result<Vec<Made>> {
    let wanted = module.variant_names();
    let mut made = Vec::new();
    if wanted.is_empty() {
        return Ok(made);
    }
    let mut bridge = module.bridge()?;
    for (function, names) in wanted {
        let id = bridge.find(&function)?;
        let imported = bridge.import(id);
        let scalar = &imported.function;
        let layout = bridge.layout().clone();
        let mut wanted: Vec<std::result::Result<VariantName, String>> = Vec::new();
        for name in &names {
            let name: std::result::Result<VariantName, String> = name.parse();
            let gcc = name.as_ref().ok().and_then(|name| name.for_gcc(scalar, &layout));
            wanted.extend([name].into_iter().chain(gcc.map(Ok)));
        }
        for name in wanted {
            let variant = name.as_ref().map_or(String::new(), VariantName::to_string);
            let outcome = name.and_then(|name| {
                let (vector, statistics) = abi_function(scalar, &name, &layout)
                    .map_err(|declined| declined.to_string())?;
                let new = bridge
                    .add_function(&vector, Some(&imported.origins))
                    .map_err(|error| error.to_string())?;
                bridge.link_like(new, id);
                Ok(statistics)
            });
            made.push(Made { function: function.clone(), variant, outcome });
        }
    }
    Ok(made)
}

/// What was done, in words.
pub fn words(statistics: &Statistics) -> String {
    let mut parts = Vec::new();
    let mut add = |count: usize, one: &str, many: &str| {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    add(statistics.divergent_loops, "divergent loop", "divergent loops");
    add(statistics.folded_branches, "branch became a mask", "branches became masks");
    add(statistics.kept_branches, "branch stayed", "branches stayed");
    add(statistics.widened.contiguous, "contiguous access", "contiguous accesses");
    add(statistics.widened.uniform, "uniform access", "uniform accesses");
    add(statistics.widened.gathers, "gather or scatter", "gathers or scatters");
    add(statistics.widened.each_lane, "instruction per lane", "instructions per lane");
    if parts.is_empty() { "straight code".into() } else { parts.join(", ") }
}
