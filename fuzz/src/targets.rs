//! The targets.

use crate::{Subject, Target, Verdict};
use lw_ir::Module;
use lw_ir::generate::damage::damage;
use lw_ir::generate::{Coverage, Observed, Options, Program, Rng, generate, lockstep};
use lw_ir::interp::{Machine, Run, Val};
use lw_llvm::Context;
use lw_llvm::differential::{Differential, compare_texts};
use lw_sparse::generate as registers;
use lw_sparse::oracle::executions::{flip_undemanded, sound_all};
use lw_sparse::oracle::reference::{compare_all, compare_on_memory};
use std::path::PathBuf;
use std::process::Command;

fn program(seed: u64, options: &Options) -> Subject {
    Subject::Program(Box::new(generate(seed, options)))
}

/// The interpreter with one thread against machine code.
#[derive(Default)]
pub struct InterpVsJit(Option<Differential>);

impl Target for InterpVsJit {
    const NAME: &'static str = "interp-vs-jit";
    const RUNS: u64 = 20_000;

    fn subject(&self, seed: u64) -> Subject {
        program(seed, &Options::single_thread())
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        let differential = self.0.get_or_insert_with(|| {
            Differential::new().unwrap_or_else(|error| panic!("no machine code here: {error}"))
        });
        differential.compare(program, coverage)
    }
}

/// W threads in lock step against W runs of one thread.
#[derive(Default)]
pub struct Lockstep;

impl Target for Lockstep {
    const NAME: &'static str = "lockstep";
    const RUNS: u64 = 20_000;

    fn subject(&self, seed: u64) -> Subject {
        // Every fourth program has operations across threads; those are held against their definition.
        let options = if seed % 4 == 3 { Options::everything() } else { Options::lockstep() };
        program(seed, &options)
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Some(program) = subject.program() else { return Verdict::Same };
        let Program { seed, .. } = *program;
        let threads = 1 + (seed % 4) as usize;
        if seed % 4 == 3 {
            return match lockstep::check_horizontal(program, 4, seed) {
                Ok(None) => Verdict::Same,
                Ok(Some(wrong)) => Verdict::Different(wrong),
                Err(error) => {
                    coverage.add_error(&error);
                    Verdict::Nothing(error.to_string())
                }
            };
        }
        let run = Run { trace: true, step_limit: lockstep::STEPS, ..Run::default() };
        coverage.add_run(&program.module, &program.run(4, &run));
        lockstep::compare(program, threads + 1)
    }
}

/// The IR to LLVM and back, as text and body by body.
#[derive(Default)]
pub struct Roundtrip;

impl Target for Roundtrip {
    const NAME: &'static str = "roundtrip";
    const RUNS: u64 = 20_000;

    fn subject(&self, seed: u64) -> Subject {
        let options =
            Options { libm: true, undefined: 20, loose_floats: true, ..Options::single_thread() };
        program(seed, &options)
    }

    fn check(&mut self, subject: &Subject, _: &mut Coverage) -> Verdict {
        subject.program().map_or(Verdict::Same, |program| compare_texts(&program.module))
    }
}

/// The sparse analyses: on functions of few bits against the dense solver, on all functions against executions.
#[derive(Default)]
pub struct Sparse;

/// The width of the integers of those functions.
const FEW_BITS: u32 = 4;

impl Target for Sparse {
    const NAME: &'static str = "sparse";
    const RUNS: u64 = 100_000;

    fn subject(&self, seed: u64) -> Subject {
        if seed.is_multiple_of(2) {
            return program(seed / 2, &Options::single_thread());
        }
        let objects = seed % 8 == 7;
        let options =
            registers::Options { bits: FEW_BITS, objects, ..registers::Options::default() };
        let program = registers::random(seed / 2, &options);
        if objects {
            return Subject::Registers(Box::new(program));
        }
        let function = registers::function(&program, FEW_BITS);
        Subject::Module(Box::new(Module { functions: vec![function], ..Module::default() }))
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let verdict =
            |result: Result<(), String>| result.map_or_else(Verdict::Different, |()| Verdict::Same);
        match subject {
            Subject::Module(module) => verdict(check_few_bits(module)),
            Subject::Registers(program) => verdict(compare_all(&**program)),
            Subject::Program(program) => {
                let run = Run { trace: true, ..Run::default() };
                match program.run(1, &run) {
                    Ok(observed) => verdict(check_execution(program, &observed)),
                    Err(error) => {
                        coverage.add_error(&error);
                        Verdict::Nothing(error.to_string())
                    }
                }
            }
            _ => Verdict::Same,
        }
    }
}

fn check_few_bits(module: &Module) -> Result<(), String> {
    let Some(function) = module.functions.first() else { return Ok(()) };
    compare_all(function)?;
    let Some(name) = function.name.as_str() else { return Ok(()) };
    let mut rng = Rng::new(function.inst_count() as u64);
    let flipped = flip_undemanded(function, &mut rng);
    let flipped = flipped.map(|function| Module { functions: vec![function], ..module.clone() });
    for _ in 0..3 {
        let arg = |rng: &mut Rng| Val::int(FEW_BITS, rng.below(1 << FEW_BITS) as i128);
        let args = vec![function.params().iter().map(|_| arg(&mut rng)).collect()];
        let run = Run { trace: true, step_limit: 3000, ..Run::default() };
        let Ok(outcome) = Machine::new(module).run(name, &args, &run) else { continue };
        if let Some(trace) = &outcome.trace {
            sound_all(function, trace)?;
        }
        if let Some(flipped) = &flipped {
            let run = Run { step_limit: 6000, ..Run::default() };
            let now = Machine::new(flipped).run(name, &args, &run).map(|now| now.results);
            if now.as_ref() != Ok(&outcome.results) {
                let (now, before) = (now, outcome.results);
                return Err(format!(
                    "demanded bits: {before:?}, with others flipped {now:?}\n{flipped}"
                ));
            }
        }
    }
    Ok(())
}

fn check_execution(program: &Program, observed: &Observed) -> Result<(), String> {
    let Some(function) = program.module.function(&program.entry) else { return Ok(()) };
    if let Some(trace) = &observed.outcome.trace {
        sound_all(function, trace)?;
    }
    // The dense solver takes its time.
    if program.seed.is_multiple_of(8) {
        compare_on_memory(function)?;
    }
    let Some(flipped) = flip_undemanded(function, &mut Rng::new(program.seed)) else {
        return Ok(());
    };
    let mut other = program.clone();
    let at = other.module.functions.iter().position(|f| f.name == flipped.name);
    at.into_iter().for_each(|at| other.module.functions[at] = flipped.clone());
    match other.run(1, &Run::default()) {
        Ok(now) if (&now.results, &now.memory) == (&observed.results, &observed.memory) => Ok(()),
        Ok(_) => Err(format!("demanded bits: flipping others matters\n{}", other.module)),
        Err(error) => Err(format!("demanded bits: with others flipped, {error}\n{}", other.module)),
    }
}

/// Damaged text: nothing panics, what is read prints and reads back, what verifies runs.
#[derive(Default)]
pub struct Parser;

impl Target for Parser {
    const NAME: &'static str = "parser";
    const RUNS: u64 = 50_000;

    fn subject(&self, seed: u64) -> Subject {
        let options = Options { blocks: 8, insts: 5, ..Options::everything() };
        let program = generate(seed / 8, &options);
        let mut rng = Rng::new(seed);
        let mut text = program.module.to_string();
        if !seed.is_multiple_of(8) {
            text = damage(&mut rng, &text);
        }
        Subject::Text(Box::new(program), text)
    }

    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict {
        let Subject::Text(program, text) = subject else { return Verdict::Same };
        let module = match lw_ir::parse_module(text) {
            Ok(module) => module,
            Err(error) if *text == program.module.to_string() => {
                return Verdict::Different(format!("what was printed does not parse: {error}"));
            }
            Err(_) => return Verdict::Nothing("not read".into()),
        };
        let once = module.to_string();
        match lw_ir::parse_module(&once) {
            Err(error) => {
                return Verdict::Different(format!("what was printed does not parse: {error}"));
            }
            Ok(again) if again.to_string() != once => {
                let again = again.to_string();
                let lines = once.lines().zip(again.lines()).find(|(a, b)| a != b);
                let (a, b) = lines.unwrap_or(("an end", "another end"));
                return Verdict::Different(format!("`{a}` printed and parsed is `{b}`"));
            }
            Ok(_) => {}
        }
        if lw_ir::verify_module(&module).is_err() {
            return Verdict::Same;
        }
        // What verifies can be built: LLVM's own verifier may refuse it, but nothing may crash.
        drop(Context::new().emit_module("damaged", &module));
        let run = Run { step_limit: 20_000, ..Run::default() };
        let inputs = &program.inputs;
        let fits = module.function(&program.entry).is_some_and(|f| {
            let same = |(a, b): (&lw_ir::Type, &lw_ir::Type)| a == b || a.scalar() == b.scalar();
            f.signature.params.len() == inputs.params.len()
                && f.signature.params.iter().zip(&inputs.types()).all(same)
        });
        if fits {
            coverage.add_run(&module, &inputs.run(&module, &program.entry, 0..2, &run));
        }
        Verdict::Same
    }
}

/// The command line: whatever it is given, it ends with an exit code and a message.
#[derive(Default)]
pub struct CommandLine(Option<PathBuf>);

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "run", "print", "roundtrip", "analyze", "sparse", "divergence", "callgraph", "cfa", "doctor", "help", "-a", "ranges", "null", "--form", "ssi", "essa",
    "--entry", "--engine", "matrix", "reference", "eigen", "--format", "json", "html", "dot", "--assume-unknown", "--library", "--emit", "cps",
    "--instrument", "out.bc", "--observed", "--help", "--version", "-h", "-V", "-o", "--output", "--", "-", "FILE",
    "/nonexistent.ll", "/", "", "-t", "--threads", "0", "1", "4", "2000", "-1", "99999999999999999999", "--function", "-f",
    "f", "main", "f.h0", "--seed", "--schedule", "greedy", "stack", "reconvergence-stack", "--semantics", "freezing",
    "oblivious", "--trace", "--dot", "--stats", "--stats=json", "--all", "lane", "lane*", "lane*1e400+nan", "lane*-7+3",
    "[1,2,3,4]", "[", "<1,2>", "<>", "i32:[1,2]", "f64:[nan,inf]", "i8*4096", "i64*99999999999999", "i8*0@lane", "i7*3", "ptr",
    "true", "0x1p3", "1e999", "x=y", "=", "\u{3c6}", "/dev/null", "--analysis", "constants", "ranges", "bits", "null", "bounds", "classes",
    "--form", "ssi", "essa", "--shapes", "uniform,varying", "lane", "strided:4:8", "p=uniform:64", "--loop", "3", "12", "--block", "32,2,1", "8x8",
    "0,1", "--lattice", "basic", "stride", "affine", "--format", "text", "json", "sarif", "html", "llvm", "--why", "7", "%x3",
];

/// Arguments that fit most functions.
fn argument(rng: &mut Rng, ty: lw_ir::Type) -> String {
    let pick = |rng: &mut Rng, all: &[&str]| all[rng.below(all.len())].to_string();
    match ty {
        lw_ir::Type::Vector(elem, lanes) => {
            let one = argument(rng, lw_ir::Type::Scalar(elem));
            format!("<{}>", vec![one; lanes.count as usize].join(","))
        }
        ty if ty.is_ptr() => pick(rng, &["i8*8192", "i64*1024", "i8*8192", "f32*16@lane"]),
        ty if ty.float_kind().is_some() => pick(rng, &["1.5", "-0.0", "lane*0.25", "inf", "nan"]),
        _ => pick(rng, &["1", "0", "lane", "-1", "lane*3+1", "127", "true"]),
    }
}

/// The commands, by how often they are tried.
const COMMANDS: &[&str] = &[
    "run",
    "run",
    "print",
    "roundtrip",
    "doctor",
    "analyze",
    "sparse",
    "divergence",
    "divergence",
    "callgraph",
    "cfa",
];

/// Flags that fit most functions.
fn divergence_flags(rng: &mut Rng, args: &mut Vec<String>) {
    let mut add = |flag: &str, all: &[&str]| {
        if rng.one_in(2) {
            args.extend([flag.into(), all[rng.below(all.len())].into()]);
        }
    };
    add("--lattice", &["basic", "stride", "affine"]);
    add("--format", &["text", "json", "sarif", "html", "text"]);
    add("--block", &["32", "8,8", "64,2,2", "5,3"]);
    add("--function", &["f"]);
    add("--threads", &["4", "8"]);
    add("--shapes", &["uniform,uniform,lane", "uniform:8,uniform,strided:1:4"]);
    add("--why", &["3", "9", "%x3"]);
}

impl Target for CommandLine {
    const NAME: &'static str = "cli";
    const RUNS: u64 = 2_000;

    fn subject(&self, seed: u64) -> Subject {
        let mut rng = Rng::new(seed);
        let options = Options { blocks: 6, insts: 4, ..Options::single_thread() };
        let module = generate(seed / 4, &options).module;
        let mut args: Vec<String> = Vec::new();
        let command = COMMANDS[rng.below(COMMANDS.len())];
        args.push(command.into());
        if command != "doctor" {
            args.push("FILE".into());
        }
        if command == "analyze" {
            let all = ["constants", "ranges", "bits", "null", "bounds", "classes"];
            args.extend(["--analysis".into(), all[rng.below(all.len())].into()]);
        }
        if command == "divergence" {
            divergence_flags(&mut rng, &mut args);
        }
        if command == "run" {
            // Damage may make loops endless.
            args.extend(["--steps", "100000", "-f", "f", "-t"].map(String::from));
            args.push((1 + rng.below(4)).to_string());
            let params = module.function("f").map(|f| f.signature.params.to_vec());
            for ty in params.unwrap_or_default() {
                args.push(argument(&mut rng, ty));
            }
        }
        for _ in 0..rng.below(4) {
            let word = WORDS[rng.below(WORDS.len())];
            let at = rng.below(args.len() + 1);
            match rng.below(3) {
                0 if at < args.len() && at != 2 && at != 3 => args[at] = word.into(),
                1 if at < args.len() && at != 2 && at != 3 => drop(args.remove(at)),
                _ => args.insert(at, word.into()),
            }
        }
        let mut text = match rng.below(3) {
            _ if command == "cfa" => lw_cfa::generate::scheme(seed),
            0 => module.to_string(),
            _ => {
                let context = lw_llvm::Context::new();
                context.emit_module("random", &module).map_or(String::new(), |llvm| llvm.to_text())
            }
        };
        if rng.below(4) > 0 {
            text = damage(&mut rng, &text);
        }
        Subject::Command(args, text.into_bytes())
    }

    fn check(&mut self, subject: &Subject, _: &mut Coverage) -> Verdict {
        let Subject::Command(args, content) = subject else { return Verdict::Same };
        let limited = args.windows(2).any(|pair| pair[0] == "--steps" && pair[1] == "100000");
        if !limited && args.iter().any(|arg| arg == "run") {
            return Verdict::Nothing("it may not end".into());
        }
        let lw = self.0.get_or_insert_with(find_lw);
        let extension = if content.starts_with(b"layout") { "lw" } else { "ll" };
        let file = std::env::temp_dir().join(format!("lw-cli-{}.{extension}", std::process::id()));
        if let Err(error) = std::fs::write(&file, content) {
            return Verdict::Nothing(error.to_string());
        }
        let path = file.display().to_string();
        let args = args.iter().map(|arg| if arg == "FILE" { path.as_str() } else { arg });
        // Whatever it writes, it writes there.
        let place = std::env::temp_dir().join(format!("lw-cli-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&place);
        let mut command = Command::new(&*lw);
        command.args(args).current_dir(&place).stdin(std::process::Stdio::null());
        let output = command.output();
        let _ = std::fs::remove_dir_all(&place);
        let _ = std::fs::remove_file(&file);
        let output = match output {
            Ok(output) => output,
            // An argument with a NUL, for one.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => return Verdict::Same,
            Err(error) => {
                panic!("{}: {error}; build it with `cargo build --release -p lw`", lw.display())
            }
        };
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("panicked at") {
            let line = said.lines().find(|l| l.contains("panicked at")).unwrap_or_default();
            return Verdict::Different(line.into());
        }
        match output.status.code() {
            Some(0..=2) => Verdict::Same,
            _ => Verdict::Different(format!("it ended with {}", output.status)),
        }
    }
}

/// The command: named by the variable `LW`, or built beside this program.
fn find_lw() -> PathBuf {
    if let Some(path) = std::env::var_os("LW") {
        return path.into();
    }
    let here = std::env::current_exe().unwrap_or_default();
    here.with_file_name("lw")
}
