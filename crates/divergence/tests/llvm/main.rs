//! The `llvm` format beside what LLVM itself prints, on files and on random kernels.

mod files;
mod random;
mod short;

use lw_divergence::llvm::{self, BlockWords, Gpu, Words};
use lw_llvm::{Context, OptLevel, TargetMachine};

/// What LLVM prints of each function of a module, and what we do.
fn both(text: &[u8], name: &str) -> Vec<(String, String)> {
    let context = Context::new();
    let mut module = context.parse_module(text, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let triple = module.triple();
    let machine = TargetMachine::new(&triple, "", "", OptLevel::Default).expect("the target");
    let theirs = module.uniformity(&machine);
    let gpu = Gpu::of_triple(&triple).expect("threads diverge on the target");
    let texts = module.function_texts();
    let mut bridge = module.bridge().expect("it can be imported");
    let ids = bridge.functions();
    let functions: Vec<_> = ids.into_iter().map(|id| bridge.import(id).function).collect();
    let one = |((function, text), theirs): ((&lw_ir::Function, lw_llvm::FunctionTexts), _)| {
        let theirs: lw_llvm::Uniformity = theirs;
        let found = llvm::Solver::new().solve(function, gpu);
        short::same_as_the_engine(function, gpu, &found);
        let theirs = format!("UniformityInfo for function '{}':\n{}", text.name, theirs.text);
        (theirs, llvm::print(function, &found, gpu, &words(text)))
    };
    functions.iter().zip(texts).zip(theirs).map(one).collect()
}

fn words(text: lw_llvm::FunctionTexts) -> Words {
    let block = |(name, insts)| BlockWords { name, insts };
    Words {
        function: text.name,
        params: text.params,
        blocks: text.blocks.into_iter().map(block).collect(),
    }
}

/// LLVM lists arguments, cycles and temporal divergence in the order of addresses in memory.
fn ordered(text: &str) -> String {
    let (head, blocks) = text.split_at(text.find("\nBLOCK ").unwrap_or(text.len()));
    let (lists, temporal) = head.split_at(head.find("\nTEMPORAL").unwrap_or(head.len()));
    let mut lines: Vec<String> = Vec::new();
    for line in lists.lines() {
        match lines.last_mut() {
            // What is indented is sorted below its heading.
            Some(last) if line.starts_with("  ") => {
                let mut items: Vec<&str> = last.lines().skip(1).chain([line]).collect();
                items.sort_unstable();
                let heading = last.lines().next().unwrap_or_default();
                let sorted = std::iter::once(heading).chain(items).collect::<Vec<_>>().join("\n");
                *last = sorted;
            }
            _ => lines.push(line.to_string()),
        }
    }
    let mut entries: Vec<&str> = temporal.split("\n\n").collect();
    if let Some(first) = entries.first_mut() {
        *first = first.strip_prefix("\nTEMPORAL DIVERGENCE LIST:\n").unwrap_or(first);
    }
    entries.sort_unstable();
    format!("{}\n{}{blocks}", lines.join("\n"), entries.join("\n\n"))
}
