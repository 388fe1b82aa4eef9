//! Random programs three ways: in the interpreter, through LLVM's IR and back, and as machine code.
//!
//! A program is called through a function that finds everything in one buffer ([`lw_ir::generate::pack`]); what
//! interpreter and machine code leave in it must be the same wherever the interpreter says that it is defined.

use crate::jit::Jit;
use crate::module::{Context, Module};
use crate::roundtrip::{RoundtripOptions, roundtrip};
use crate::target::{OptLevel, TargetMachine};
use lw_ir::generate::lockstep::{STEPS, Verdict};
use lw_ir::generate::pack::Pack;
use lw_ir::generate::{Coverage, Inputs, Program, comparable};
use lw_ir::interp::Run;

/// How machine code is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// As fast as it can be.
    Plain,
    /// The code generator optimizes.
    Generated,
    /// LLVM's passes and the code generator optimize.
    Optimized,
}

impl Level {
    /// The level for a seed: all take their turn, the cheap one more often.
    pub fn of(seed: u64) -> Level {
        match seed % 4 {
            0 | 1 => Level::Plain,
            2 => Level::Generated,
            _ => Level::Optimized,
        }
    }
}

/// Compares the interpreter with machine code for this machine.
pub struct Differential {
    plain: TargetMachine,
    optimizing: TargetMachine,
}

/// What the interpreter says about the buffer of one thread.
type Interpreted = Result<(Vec<Option<u8>>, bool, u64), lw_ir::interp::RunError>;

/// What `Level::Optimized` runs: the passes that rely on what the program promises. `default<O2>` finds more of LLVM's own
/// bugs than of ours: on random programs `vector-combine` of LLVM 22 may not end.
const PASSES: &str = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),cgscc(inline),\
    function(sroa,gvn,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),adce)";

/// For how many threads each program is run, one after the other.
const THREADS: usize = 2;

impl Differential {
    /// Code for this machine.
    ///
    /// # Errors
    /// If LLVM has no code generator for it.
    pub fn new() -> crate::Result<Differential> {
        Ok(Differential {
            plain: TargetMachine::host(OptLevel::None)?,
            optimizing: TargetMachine::host(OptLevel::Default)?,
        })
    }

    /// Compares the interpreter with machine code on a random program.
    pub fn compare(&self, program: &Program, coverage: &mut Coverage) -> Verdict {
        let Program { seed, module, entry, inputs, defined } = program;
        let verdict = self.compare_module(module, entry, inputs, Level::of(*seed), coverage);
        verdict.for_program(*defined)
    }

    /// The same for a module that may not be the program the inputs were made with.
    pub fn compare_module(
        &self,
        module: &lw_ir::Module,
        entry: &str,
        inputs: &Inputs,
        level: Level,
        coverage: &mut Coverage,
    ) -> Verdict {
        let Some(pack) = Pack::new(module, entry, inputs) else {
            return Verdict::Nothing(format!("there is no function {entry}"));
        };
        let mut module = module.clone();
        module.functions.push(pack.function.clone());
        let buffers: Vec<Vec<u8>> = (0..THREADS).map(|t| pack.buffer(&module, inputs, t)).collect();
        let run = Run { step_limit: STEPS, ..Run::default() };
        let interpret = |module: &lw_ir::Module| -> Vec<Interpreted> {
            buffers.iter().map(|buffer| pack.interpret(module, buffer, &run)).collect()
        };
        let wanted = interpret(&module);
        for one in &wanted {
            match one {
                Ok((bytes, open, steps)) => coverage.add_result(bytes, *open, *steps),
                Err(error) => coverage.add_error(error),
            }
            if let Err(error) = one
                && !error.kind.is_undefined_behaviour()
                && !error.kind.is_limit()
            {
                return Verdict::Different(format!("the interpreter fails: {error}"));
            }
        }
        let context = Context::new();
        let mut llvm = match context.emit_module("random", &module) {
            Ok(llvm) => llvm,
            Err(error) => return Verdict::Different(format!("emission fails: {error}")),
        };
        match llvm.import() {
            Ok(imported) => {
                for (thread, (a, b)) in wanted.iter().zip(interpret(&imported)).enumerate() {
                    let same = match (a, &b) {
                        (Ok((a, ..)), Ok((b, ..))) => a == b,
                        (Err(a), Err(b)) => a.kind.is_limit() == b.kind.is_limit(),
                        _ => false,
                    };
                    if !same {
                        let shown = match b {
                            Ok(_) => "it yields something else".into(),
                            Err(error) => error.to_string(),
                        };
                        return Verdict::Different(format!(
                            "thread {thread}: the interpreter on what was emitted and imported: {shown}"
                        ));
                    }
                }
            }
            Err(error) => return Verdict::Different(format!("import fails: {error}")),
        }
        let has_variables = module.globals.iter().any(|global| !global.constant);
        if wanted.iter().any(|one| matches!(one, Ok((_, false, _)))) {
            match self.execute(&mut llvm, &pack, &buffers, &wanted, level, has_variables) {
                Ok(None) => {}
                Ok(Some(difference)) => return Verdict::Different(difference),
                Err(error) => {
                    return Verdict::Different(format!("machine code cannot be made: {error}"));
                }
            }
        }
        let undefined = |one: &Interpreted| match one {
            Err(error) if error.kind.is_undefined_behaviour() => Some(error.to_string()),
            _ => None,
        };
        match wanted.iter().find_map(undefined) {
            Some(why) => Verdict::Undefined(why),
            None => Verdict::Same,
        }
    }

    /// Makes machine code of a module and does not run it.
    ///
    /// # Errors
    /// If LLVM cannot.
    pub fn compile(&self, module: &lw_ir::Module, level: Level) -> crate::Result<()> {
        let context = Context::new();
        self.generate(&mut context.emit_module("random", module)?, level).map(drop)
    }

    fn generate(&self, llvm: &mut Module<'_>, level: Level) -> crate::Result<Jit> {
        let target = if level == Level::Plain { &self.plain } else { &self.optimizing };
        if level == Level::Optimized {
            llvm.run_passes(PASSES, Some(target))?;
        }
        let mut jit = Jit::new()?;
        jit.add(llvm, target)?;
        Ok(jit)
    }

    /// Runs machine code where the interpreter knows what must come out.
    fn execute(
        &self,
        llvm: &mut Module<'_>,
        pack: &Pack,
        buffers: &[Vec<u8>],
        wanted: &[Interpreted],
        level: Level,
        has_variables: bool,
    ) -> crate::Result<Option<String>> {
        let jit = self.generate(llvm, level)?;
        let name = pack.function.name.as_str().unwrap_or_default();
        for (thread, (buffer, wanted)) in buffers.iter().zip(wanted).enumerate() {
            let Ok((wanted, open, _)) = wanted else {
                // What the program did to its globals, nobody knows.
                break;
            };
            // A second call would not find the globals as the first did.
            if *open || thread > 0 && has_variables {
                break;
            }
            let mut memory = Aligned::new(buffer);
            // SAFETY: the function is `void (ptr)`, and the interpreter found no undefined behaviour in it for this
            // buffer: it stays within the buffer and its own variables, and returns.
            unsafe { jit.call_packed(name, memory.bytes())? };
            let found = memory.bytes();
            let wrong = (0..found.len()).find(|&i| wanted[i].is_some_and(|byte| byte != found[i]));
            if let Some(at) = wrong {
                return Ok(Some(format!(
                    "thread {thread}, {level:?}: byte {at} of the buffer is {:#04x} in the interpreter and {:#04x} in machine code",
                    wanted[at].unwrap_or_default(),
                    found[at],
                )));
            }
        }
        Ok(None)
    }
}

/// Memory aligned as the interpreter aligns its buffers.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(content: &[u8]) -> Aligned {
        let mut memory = vec![0; content.len() + 64];
        let start = memory.as_ptr().align_offset(64);
        memory[start..start + content.len()].copy_from_slice(content);
        Aligned { memory, start, len: content.len() }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

/// Sends a module to LLVM and back, by every way there is; each must leave it as it was.
pub fn compare_texts(module: &lw_ir::Module) -> Verdict {
    match texts(module) {
        Ok(None) => Verdict::Same,
        Ok(Some(difference)) => Verdict::Different(difference),
        Err(error) => Verdict::Different(error.to_string()),
    }
}

fn texts(module: &lw_ir::Module) -> crate::Result<Option<String>> {
    let context = Context::new();
    let mut llvm = context.emit_module("random", module)?;
    let before = llvm.to_text();
    let imported = llvm.import()?;
    let first = |what: &str, a: &str, b: &str| {
        let both = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        let (a, b) = both.unwrap_or(("an end", "another end"));
        Ok(Some(format!("{what}: `{}` became `{}`", a.trim(), b.trim())))
    };
    let (wanted, found) = (comparable(module), comparable(&imported));
    if wanted != found {
        return first("emitted and imported", &wanted, &found);
    }
    let parsed = match lw_ir::parse_module(&imported.to_string()) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Some(format!("the imported module does not parse: {error}"))),
    };
    let again = Context::new();
    let after = again.emit_module("random", &parsed)?.to_text();
    let plain = |text: &str| -> String {
        let strip =
            |line: &str| line.split("; preds").next().unwrap_or_default().trim_end().to_string();
        text.lines().map(strip).collect::<Vec<_>>().join("\n")
    };
    if plain(&before) != plain(&after) {
        return first("printed, parsed and emitted", &plain(&before), &plain(&after));
    }
    let report = roundtrip(&mut llvm, RoundtripOptions::default(), |_, _| {})?;
    Ok(report.differences.first().map(|d| format!("body by body: {d}")))
}
