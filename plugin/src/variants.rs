//! The bodies of the variants that `#pragma omp declare simd` asks for.
//!
//! Clang notes the names of the variants as attributes of the function, and writes none of them. For each name whose body is not
//! there yet the function is vectorized as the name says.

use lw_ir::{DataLayout, Function};
use lw_llvm::{Bridge, Module, Result};
use lw_vectorize::Statistics;
use lw_vectorize::abi::{VariantName, abi_calls, abi_function, neon_variants, stand_ins};
use lw_vectorize::across;
use lw_vectorize::calls::{Calls, Math, vectorize_callees};
use lw_vectorize::target::default_alignment;
use std::collections::HashSet;

/// What became of a variant.
pub struct Made {
    /// The scalar function.
    pub function: String,
    /// The name of the variant.
    pub variant: String,
    /// What was done, or why nothing was.
    pub outcome: std::result::Result<Statistics, String>,
    /// Why the variant calls the function for each lane, if it does.
    pub each_lane: Option<String>,
}

/// Writes the bodies of all variants that a module asks for. `math` says which mathematical functions may be those of libmvec.
///
/// Of functions that only the module can call none are made: where they are called from vector code they are vectorized for the call. What
/// is not made is no longer asked for, so that it is not called either. Of functions that cannot be vectorized variants are made that call
/// them for each lane: files that see only the declaration call them.
///
/// # Errors
/// If the module cannot be read. It is not changed then.
pub fn make_variants(module: &mut Module<'_>, math: Math) -> Result<Vec<Made>> {
    let mut made = Vec::new();
    let mut wanted = Vec::new();
    for (function, names) in module.variant_names() {
        match module.is_local(&function) {
            true => module.forget_variants(&function, &names),
            false => wanted.push((function, names)),
        }
    }
    if wanted.is_empty() {
        return Ok(made);
    }
    let bodies = module.bodies().into_iter().collect();
    let calls = Calls { bodies, math, isa: None };
    // Nobody can call a function by a name that says other parameters than it has.
    let mut forgotten = Vec::new();
    let mut bridge = module.bridge()?;
    for (function, names) in wanted {
        let id = bridge.find(&function)?;
        let imported = bridge.import(id);
        let scalar = &imported.function;
        let layout = bridge.layout().clone();
        let (wanted, unfit) = names_of(&names, scalar, &layout);
        forgotten.push((function.clone(), unfit));
        for name in wanted {
            let variant = name.as_ref().map_or(String::new(), VariantName::to_string);
            let mut each_lane = None;
            let outcome = name.and_then(|name| {
                let (vector, statistics) = abi_function(scalar, &name, &layout, &calls)
                    .or_else(|declined| {
                        each_lane = Some(declined.to_string());
                        abi_calls(scalar, &name, &layout).map_err(|_| declined)
                    })
                    .map_err(|declined| declined.to_string())?;
                let new = bridge
                    .add_function(&vector, Some(&imported.origins))
                    .map_err(|error| error.to_string())?;
                bridge.link_like(new, id);
                let calls = Calls { isa: Some(name.isa), ..calls.clone() };
                make_callees(&mut bridge, &vector, &calls).map_err(|error| error.to_string())?;
                Ok(statistics)
            });
            made.push(Made { function: function.clone(), variant, outcome, each_lane });
        }
    }
    for (function, names) in forgotten {
        module.forget_variants(&function, &names);
    }
    for failed in made.iter().filter(|made| made.outcome.is_err()) {
        module.forget_variants(&failed.function, std::slice::from_ref(&failed.variant));
    }
    Ok(made)
}

/// The variants that a function is to have: those that clang names, each once, and those that gcc calls by other names. Beside them the
/// names that are none of the function's.
fn names_of(
    names: &[String],
    scalar: &Function,
    layout: &DataLayout,
) -> (Vec<std::result::Result<VariantName, String>>, Vec<String>) {
    let (mut named, mut unfit) = (Vec::new(), Vec::new());
    for name in names {
        let mut parsed: std::result::Result<VariantName, String> = name.parse();
        let fitting = parsed.as_ref().ok();
        if let Some(fitting) = fitting.and_then(|n| n.without_this(&scalar.signature, layout)) {
            unfit.push(name.clone());
            parsed = Ok(fitting);
        }
        named.push(parsed);
    }
    let by_gcc: Vec<_> =
        named.iter().flatten().flat_map(|name| name.with_steps_of_gcc(&scalar.signature)).collect();
    named.extend(by_gcc.into_iter().map(Ok));
    let aligned = default_alignment(scalar);
    let mut all = named.clone();
    for name in named.iter().flatten() {
        let plain = name.without_alignment(aligned);
        let theirs: Vec<_> = [Some(name), plain.as_ref()]
            .into_iter()
            .flatten()
            .filter_map(|name| name.for_gcc(&scalar.signature, layout))
            .collect();
        let neon = neon_variants(scalar, plain.as_ref().unwrap_or(name), layout);
        all.extend(plain.into_iter().chain(theirs).chain(neon).map(Ok));
    }
    let mut seen = HashSet::new();
    all.retain(|name| name.as_ref().map_or(true, |name| seen.insert(name.clone())));
    (all, unfit)
}

/// Makes the vector functions that a vector function calls, as far as they are not there yet, and stand-ins for those that other files may have
/// by another name.
///
/// # Errors
/// If one of them cannot be built.
pub fn make_callees(bridge: &mut Bridge<'_, '_>, vector: &Function, calls: &Calls) -> Result<()> {
    let layout = bridge.layout().clone();
    let there: HashSet<String> = bridge
        .functions()
        .into_iter()
        .filter_map(|id| bridge.name(id).as_str().map(String::from))
        .collect();
    let import = |name: &str| {
        let id = bridge.find(name).ok()?;
        Some(bridge.import(id).function)
    };
    let made = vectorize_callees(vector, calls, &layout, |name| there.contains(name), import);
    for callee in made {
        let id = bridge.find(&callee.scalar)?;
        let origins = bridge.import(id).origins;
        bridge.add_function(&callee.vector, Some(&origins))?;
    }
    for stand_in in stand_ins(vector, &layout) {
        if !stand_in.name.as_str().is_some_and(|name| there.contains(name)) {
            let id = bridge.add_function(&stand_in, None)?;
            bridge.let_others_replace(id);
        }
    }
    Ok(())
}

/// Gives operations across lanes that are left in scalar code the meaning they have for one lane. Whether there were some.
///
/// # Errors
/// If a body cannot be put back.
pub fn lower_one_lane(module: &mut Module<'_>) -> Result<bool> {
    let callers = module.callers_of(across::PREFIX);
    if callers.is_empty() {
        return Ok(false);
    }
    let mut bridge = module.bridge()?;
    for name in callers {
        let id = bridge.find(&name)?;
        let mut imported = bridge.import(id);
        if across::one_lane(&mut imported.function) {
            bridge.replace_body(&imported.function, &imported.origins)?;
        }
    }
    Ok(true)
}

/// What there was, in words.
pub fn census(statistics: &Statistics) -> String {
    let counted = statistics.census.columns().into_iter().filter(|&(_, count)| count > 0);
    counted.map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
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
    add(statistics.boscc, "branch around code of no lane", "branches around code of no lane");
    add(statistics.widened.contiguous, "contiguous access", "contiguous accesses");
    add(statistics.widened.uniform, "uniform access", "uniform accesses");
    add(statistics.widened.interleaved, "access of a field", "accesses of fields");
    add(statistics.widened.gathers, "gather or scatter", "gathers or scatters");
    add(statistics.widened.together, "call of a vector function", "calls of vector functions");
    add(statistics.widened.each_lane, "instruction per lane", "instructions per lane");
    add(
        statistics.widened.errno,
        "function per lane that may set errno (-fno-math-errno: together)",
        "functions per lane that may set errno (-fno-math-errno: together)",
    );
    if parts.is_empty() { "straight code".into() } else { parts.join(", ") }
}
