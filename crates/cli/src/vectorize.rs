//! `lw vectorize`.

use crate::failure::Failure;
use crate::names::{self, Named};
use crate::output::{show, write_file};
use crate::{Done, compile, input, units};
use lw_ir::Function;
use lw_llvm::{Context, FileKind, Module, OptLevel, TargetMachine};
use lw_vectorize::across;
use lw_vectorize::calls::{Calls, Math, vectorize_callees};
use lw_vectorize::{Boscc, Declined, Pipeline, Region, Stage};
use std::path::PathBuf;
use std::sync::Arc;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The text form of the lock-step IR
    Lw,
    /// LLVM's text
    Ll,
    /// LLVM's bitcode
    Bc,
    /// Assembly
    S,
    /// An object file
    O,
}

/// How precise mathematical functions are.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Precision {
    /// As the scalar ones
    Scalar,
    /// As those of libmvec; calls that may set errno stay scalar
    Libmvec,
    /// As those of SLEEF; calls that may set errno stay scalar
    Sleef,
}

/// Vectorizes a function: many calls become one that works on vectors.
#[derive(clap::Args)]
#[command(after_help = "Shapes, one for each parameter, and behind `->` that of the result:
  u    the same for all lanes; stays scalar
  v    one value for each lane; becomes a vector
  c    one more for each lane (integers, none of which wraps around as a signed number; for pointers in bytes); stays scalar,
       that of lane 0
  sN   N more for each lane
  aN   behind u, v, c or sN: the value of lane 0 is a multiple of N

Exit codes: 0 the function was vectorized, 1 it was declined (the reason is on standard error), 2 bad input.

C and C++ are compiled by clang with -O1 -g; flags behind `--` are for clang.

Examples:
  lw vectorize examples/escape.c --function escape --shapes 'v, v, u -> v' --width 8
  lw vectorize examples/escape.c --function escape --width 8 --emit o -o escape.o -- -march=native
  lw vectorize escape.ll --function escape --width 8 --stop-after linearize --emit lw")]
pub(crate) struct Args {
    /// A program: .ll, .bc, .lw, C or C++
    input: PathBuf,
    /// The function to vectorize; one of C++ as in the source: `f`, `ns::T::f`, `f(int)` if there are several
    #[arg(short, long, value_name = "NAME")]
    function: String,
    /// The shapes of its parameters and result; without it all are varying
    #[arg(short, long)]
    shapes: Option<String>,
    /// The number of lanes
    #[arg(short, long, default_value_t = 8, value_parser = width)]
    width: u32,
    /// A last parameter says which lanes take part
    #[arg(long)]
    masked: bool,
    /// Branches around code that no lane is active in
    #[arg(long)]
    boscc: bool,
    /// Mathematical functions: `scalar` ones for each lane, or those of `libmvec`, with an error of up to 4 ULP, or of `sleef`
    /// (link with `-lsleef`), of about 1 ULP; calls with `afn` are always taken from libmvec, if not from SLEEF
    #[arg(long, value_enum, default_value_t = Precision::Scalar)]
    math: Precision,
    /// How the vector function is called; by default NAME with `_v` and the width
    #[arg(long, value_name = "NEW", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Stops after this stage and writes the function as it is then
    #[arg(long, value_name = "STAGE", value_parser = ["canonicalize", "divergent-loops", "gadgets", "linearize", "interleave", "widen"])]
    stop_after: Option<String>,
    /// What is written; by default what the ending of FILE says, else LLVM's text
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// Into this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Flags for clang
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Reads a number of lanes.
fn width(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(1) => Err("one lane is no vector; widths are between 2 and 4096".into()),
        Ok(width @ 2..=4096) => Ok(width),
        _ => Err("widths are between 2 and 4096".into()),
    }
}

impl Args {
    /// What is written.
    fn form(&self) -> Emit {
        let ending = self.output.as_ref().and_then(|path| path.extension()?.to_str());
        self.emit.unwrap_or(match ending {
            Some("o") => Emit::O,
            Some("s" | "S") => Emit::S,
            Some("bc") => Emit::Bc,
            Some("lw") => Emit::Lw,
            _ => Emit::Ll,
        })
    }
}

pub(crate) fn main(mut args: Args) -> Done {
    let stop = args.stop_after.as_deref().and_then(Stage::from_name).unwrap_or(Stage::Widen);
    if stop != Stage::Widen && args.form() != Emit::Lw {
        return Err(Failure::cannot("--stop-after: LLVM cannot express this stage; use --emit lw"));
    }
    let context = Context::new();
    let source = compile::is_source(&args.input);
    if !args.flags.is_empty() && !source {
        let path = args.input.display();
        return Err(Failure::cannot(format!("{path}: flags for clang go with C and C++")));
    }
    let mut llvm = if source {
        let flags: Vec<String> = ["-O1".to_owned()].into_iter().chain(args.flags.clone()).collect();
        Some(compile::compile(&context, &args.input, &flags)?)
    } else if input::kind_or_source(&args.input)? == input::Kind::Llvm {
        Some(input::llvm_module(&context, &args.input)?)
    } else {
        None
    };
    let module = match &mut llvm {
        Some(llvm) => llvm.import()?,
        None => input::program(&args.input)?,
    };
    let names = module.functions.iter().filter_map(|f| f.name.as_str());
    match names::find(&args.function, names) {
        Named::One(name) => args.function = name,
        Named::Several(all) => return Err(units::several(&args.input, &args.function, &all)),
        Named::None => {}
    }
    let scalar = input::function(&module, &args.function, &args.input)?;
    let mut region = Region::new(args.width, module.layout.clone());
    if let Some(shapes) = &args.shapes {
        region = region.read_shapes(scalar, shapes).map_err(Failure::cannot)?;
    }
    let bodies = match &llvm {
        Some(llvm) => llvm.bodies(),
        None => module.functions.iter().filter_map(|f| Some(f.name.as_str()?.into())).collect(),
    };
    let math = match args.math {
        Precision::Scalar => Math::Approximate,
        Precision::Libmvec => Math::Libmvec,
        Precision::Sleef => Math::Sleef,
    };
    region.calls = Arc::new(Calls { bodies: bodies.into_iter().collect(), math, isa: None });
    region.masked = args.masked;
    region.boscc = if args.boscc { Boscc::Always } else { Boscc::Never };
    let done = run(scalar, &region, stop);
    match done {
        Ok(mut vector) => finish(&args, &mut vector, &region, &mut llvm, &context, module),
        Err(declined) => decline(&args, &mut llvm, &declined),
    }
}

fn run(scalar: &Function, region: &Region, stop: Stage) -> Result<Function, Declined> {
    let mut pipeline = Pipeline::new(scalar, region)?;
    for stage in Stage::ALL.into_iter().take_while(|&stage| stage <= stop) {
        pipeline.run(stage)?;
    }
    Ok(pipeline.function)
}

/// Says why, and where.
fn decline(args: &Args, llvm: &mut Option<Module<'_>>, declined: &Declined) -> Done {
    let mut place = format!("{}: {}", args.input.display(), args.function);
    if let (Some(llvm), Some(origin)) = (llvm, declined.origin) {
        let mut bridge = llvm.bridge()?;
        let id = bridge.find(&args.function)?;
        let imported = bridge.import(id);
        let source = bridge.source(&imported)?;
        let f = &imported.function;
        let is_it =
            |inst: lw_ir::Inst| f[inst].origin.expand().is_some_and(|o| o.as_u32() == origin);
        let found = f.all_insts().find(|&(_, inst)| is_it(inst));
        if let Some(at) = found.and_then(|(_, inst)| source.insts[inst].as_ref()) {
            place = format!("{}:{}:{}", at.file.display(), at.line, at.column);
        }
    }
    eprintln!("lw: {place}: not vectorized: {declined}");
    Err(Failure::No)
}

fn finish<'c>(
    args: &Args,
    vector: &mut Function,
    region: &Region,
    llvm: &mut Option<Module<'c>>,
    context: &'c Context,
    mut module: lw_ir::Module,
) -> Done {
    let name = args.name.clone().unwrap_or_else(|| format!("{}_v{}", args.function, args.width));
    if module.function(&name).is_some() {
        let other = if args.name.is_some() { "choose another --name" } else { "use --name" };
        return Err(Failure::cannot(format!("there is a function `{name}` already; {other}")));
    }
    vector.name = name.as_str().into();
    let there = |name: &str| module.function(name).is_some();
    let import = |name: &str| module.function(name).cloned();
    let callees = vectorize_callees(vector, &region.calls, &region.layout, there, import);
    if args.form() == Emit::Lw {
        let rest = callees.iter().map(|callee| format!("\n{}", callee.vector));
        return write(args, (vector.to_string() + &rest.collect::<String>()).as_bytes());
    }
    let mut emitted;
    if llvm.is_none() {
        for function in &mut module.functions {
            across::one_lane(function);
        }
    }
    let out = match llvm {
        Some(llvm) => {
            let mut bridge = llvm.bridge()?;
            let id = bridge.find(&args.function)?;
            let origins = bridge.import(id).origins;
            let new = bridge.add_function(vector, Some(&origins))?;
            bridge.export(new, id);
            for callee in &callees {
                let id = bridge.find(&callee.scalar)?;
                let origins = bridge.import(id).origins;
                bridge.add_function(&callee.vector, Some(&origins))?;
            }
            // What is left in scalar code means one lane.
            for name in llvm.callers_of(across::PREFIX) {
                let mut bridge = llvm.bridge()?;
                let id = bridge.find(&name)?;
                let mut imported = bridge.import(id);
                if across::one_lane(&mut imported.function) {
                    bridge.replace_body(&imported.function, &imported.origins)?;
                }
            }
            llvm
        }
        None => {
            module.functions.push(vector.clone());
            module.functions.extend(callees.into_iter().map(|callee| callee.vector));
            emitted = context.emit_module(&args.input.display().to_string(), &module)?;
            &mut emitted
        }
    };
    out.verify()?;
    let bytes = match args.form() {
        Emit::Ll => out.to_text().into_bytes(),
        Emit::Bc => out.to_bitcode(),
        Emit::S | Emit::O => {
            let target = TargetMachine::host(OptLevel::Default)?;
            let kind = if args.form() == Emit::S { FileKind::Assembly } else { FileKind::Object };
            out.run_passes("default<O2>", Some(&target))?;
            target.generate(out, kind)?
        }
        Emit::Lw => unreachable!("written above"),
    };
    write(args, &bytes)
}

fn write(args: &Args, bytes: &[u8]) -> Done {
    match (&args.output, std::str::from_utf8(bytes)) {
        (Some(path), _) => write_file(path, bytes),
        (None, Ok(text)) => show(text),
        (None, Err(_)) => Err(Failure::cannot("this is no text; name a file with -o")),
    }
}
