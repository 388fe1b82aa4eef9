//! A module of the corpus, ready to be measured.

use lw_bench::Program;
use lw_ir::Function;
use lw_llvm::{Context, Module};

/// A module and its functions in the lock-step IR, in the order in which LLVM has them.
pub(crate) struct Subject<'ctx> {
    pub(crate) name: String,
    pub(crate) module: Module<'ctx>,
    pub(crate) functions: Vec<Function>,
}

/// The passes that follow clang, by configuration.
pub(crate) fn passes(config: &str) -> Option<&'static str> {
    (config == "O0").then_some("function(sroa,simplifycfg)")
}

impl<'ctx> Subject<'ctx> {
    /// Reads a module, runs the passes of its configuration, and imports its functions.
    pub(crate) fn read(context: &'ctx Context, program: &Program) -> Result<Subject<'ctx>, String> {
        let mut module = context.read_module(&program.path).map_err(|e| e.to_string())?;
        if let Some(passes) = passes(&program.config) {
            module.run_passes(passes, None).map_err(|e| e.to_string())?;
        }
        let mut bridge = module.bridge().map_err(|e| e.to_string())?;
        let ids = bridge.functions();
        let functions = ids.into_iter().map(|id| bridge.import(id).function).collect();
        let name = format!("{} {}", program.config, program.name);
        Ok(Subject { name, module, functions })
    }

    /// How many instructions it has.
    pub(crate) fn instructions(&self) -> usize {
        self.functions.iter().map(Function::inst_count).sum()
    }
}
