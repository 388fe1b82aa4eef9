//! `--format llvm`: what `opt -passes='print<uniformity>'` would print, by our analysis.

use super::Args;
use crate::failure::Failure;
use lw_divergence::llvm::{self, BlockWords, Gpu, Solver, Words};
use lw_llvm::{Context, FunctionTexts};

pub(super) fn text(args: &Args) -> Result<String, Failure> {
    let context = Context::new();
    let mut module = args.input.llvm(&context)?;
    let triple = module.triple();
    let Some(gpu) = Gpu::of_triple(&triple) else {
        return Err(Failure::cannot(format!(
            "{}: --format llvm wants a program for nvptx or amdgcn, this one is for `{triple}`",
            args.input.input.display()
        )));
    };
    let texts = module.function_texts();
    let mut bridge = module.bridge()?;
    let ids = bridge.functions();
    let functions: Vec<_> = ids.into_iter().map(|id| bridge.import(id).function).collect();
    let wanted = args.input.function.as_deref().map(|name| name.trim_start_matches('@'));
    let (mut out, mut solver) = (String::new(), Solver::new());
    for (function, text) in functions.iter().zip(texts) {
        if wanted.is_some_and(|name| name != text.name) || function.entry().is_none() {
            continue;
        }
        let found = solver.solve(function, gpu);
        out += &llvm::print(function, &found, gpu, &words(text));
    }
    if out.is_empty() {
        let names: Vec<&str> = functions.iter().filter_map(|f| f.name.as_str()).collect();
        return Err(Failure::cannot(format!(
            "{}: there is no function `{}`; there are: {}",
            args.input.input.display(),
            wanted.unwrap_or_default(),
            names.join(", ")
        )));
    }
    Ok(out)
}

fn words(text: FunctionTexts) -> Words {
    let block = |(name, insts)| BlockWords { name, insts };
    Words {
        function: text.name,
        params: text.params,
        blocks: text.blocks.into_iter().map(block).collect(),
    }
}
