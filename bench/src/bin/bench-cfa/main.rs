//! The engines of 0-CFA beside Ascent, as N grows, on a real program, and on the GPU where there is one. Needs no LLVM.
#![forbid(unsafe_code)]

mod datalog;
mod plot;
mod runs;
mod subject;
mod tables;

use clap::Parser;
use lw_cfa::flow::Engine;
use lw_cfa::flow::cuda::{Error, Gpu, Options};
use runs::Run;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use subject::Subject;

#[derive(Parser)]
struct Args {
    /// Where to write the results; a plot goes beside it, as SVG
    #[arg(long)]
    json: Option<PathBuf>,
    /// How often what is short runs; the fastest counts
    #[arg(long, default_value_t = 3)]
    repeat: u32,
    /// Up to which N growth is shown
    #[arg(long, default_value_t = 4096)]
    growth: usize,
    /// The N at which the engines are held against Ascent
    #[arg(long, default_value_t = 512)]
    peer: usize,
    /// A Scheme file, or a folder with some, as the real program
    #[arg(long)]
    program: Option<PathBuf>,
    /// The N for the GPU
    #[arg(long, default_value_t = 8192)]
    cuda: usize,
    /// Leaves out Ascent and growth
    #[arg(long)]
    only_cuda: bool,
    /// Leaves out `matrix` beside the GPU, which takes longest
    #[arg(long)]
    no_matrix: bool,
    /// Small numbers, for a quick look
    #[arg(long)]
    quick: bool,
    /// Threads of `matrix`; as many as there are cores if not given
    #[arg(long)]
    threads: Option<usize>,
    /// Tries settings of the GPU on F(N) instead, for N as given by `--cuda`
    #[arg(long, hide = true)]
    tune: bool,
    /// Runs one variant on the GPU once without graphs and nothing else, for a profiler: cuda-1, cuda-4 or unpartitioned
    #[arg(long, hide = true)]
    spin: Option<String>,
    /// Tries or profiles on a random constraint program of this size
    #[arg(long, hide = true)]
    random: Option<u32>,
    /// Profiles with so many bytes of the GPU's memory
    #[arg(long, hide = true)]
    memory: Option<u64>,
    /// How many threads share an operation
    #[arg(long, hide = true, default_value_t = 32)]
    lanes: u32,
}

impl Args {
    /// What the GPU is tried or profiled on.
    fn subject(&self) -> Result<Subject, String> {
        match (&self.program, self.random) {
            (Some(path), _) => Subject::program(path),
            (None, Some(size)) => Ok(Subject::random(size)),
            (None, None) => Subject::family(self.cuda),
        }
    }
}

fn main() -> ExitCode {
    match bench(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("bench-cfa: results differ");
            ExitCode::from(1)
        }
        Err(message) => {
            eprintln!("bench-cfa: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench(args: &Args) -> Result<bool, String> {
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get());
    let threads = args.threads.unwrap_or(cores);
    let mut results = tables::Results { threads, ..Default::default() };
    let mut gpu = open(&mut results)?;
    if let Some(variant) = &args.spin {
        let gpu = gpu.as_mut().ok_or("no GPU to profile")?;
        return spin(args, gpu, variant);
    }
    if args.tune {
        let gpu = gpu.as_mut().ok_or("no GPU to tune for")?;
        return tune(args, gpu);
    }
    let engines = [Engine::Delta, Engine::Matrix(1), Engine::Matrix(threads)];
    if !args.only_cuda {
        let most = if args.quick { 512 } else { args.growth };
        let sizes = (6..).map(|log| 1 << log).take_while(|n| *n <= most);
        for n in sizes {
            let subject = Subject::family(n)?;
            eprintln!("F({n}) …");
            for engine in engines {
                results.growth.push(runs::cpu(&subject, engine, args.repeat)?);
            }
            if let Some(gpu) = &mut gpu {
                let run = runs::cuda(gpu, &subject, "cuda", &Options::default(), args.repeat)?;
                results.growth.push(run);
            }
        }
        // After the others: a process that has not had its memory yet pays for getting it.
        let subject = Subject::family(if args.quick { 128 } else { args.peer })?;
        for engine in engines {
            results.peer.push(runs::cpu(&subject, engine, args.repeat)?);
        }
        results.peer.push(runs::ascent(&subject, args.repeat)?);
    }
    let program = args.program.as_ref().map(|path| Subject::program(path)).transpose()?;
    let random = Subject::random(if args.quick { 200 } else { 2000 });
    for subject in program.iter().chain(Some(&random)) {
        eprintln!("{} …", subject.name);
        for engine in engines {
            results.program.push(runs::cpu(subject, engine, args.repeat)?);
        }
        if let Some(gpu) = &mut gpu {
            results.program.extend(variants(gpu, subject, args.repeat)?);
        }
    }
    if let Some(gpu) = &mut gpu {
        let n = if args.quick { 1024 } else { args.cuda };
        let subject = Subject::family(n)?;
        eprintln!("F({n}) on the GPU …");
        results.cuda.extend(variants(gpu, &subject, args.repeat)?);
        results.cuda.push(runs::cpu(&subject, Engine::Delta, 1)?);
        if !args.no_matrix {
            results.cuda.push(runs::cpu(&subject, Engine::Matrix(1), 1)?);
        }
        let options = Options { measure: true, ..Options::default() };
        let measured = runs::cuda(gpu, &subject, "cuda-4", &options, 1)?;
        results.traffic = measured.gpu.map_or(0, |stats| stats.traffic);
    }
    tables::print(&results);
    let plot = (!results.growth.is_empty()).then_some(|| plot::svg(&results.growth));
    lw_bench::save_results(args.json.as_deref(), &tables::json(&results), plot)?;
    let same = |runs: &[Run]| runs.iter().all(|run| run.same);
    Ok([&results.peer, &results.growth, &results.program, &results.cuda]
        .into_iter()
        .all(|runs| same(runs)))
}

/// Opens the GPU, if there is one; says why not otherwise.
fn open(results: &mut tables::Results) -> Result<Option<Gpu>, String> {
    let start = Instant::now();
    match Gpu::open(&Options::default()) {
        Ok(gpu) => {
            results.open = start.elapsed();
            results.gpu = Some(gpu.name.clone());
            Ok(Some(gpu))
        }
        Err(error @ Error::Driver(_)) => Err(error.to_string()),
        Err(error) => {
            eprintln!("without a GPU: {error}");
            Ok(None)
        }
    }
}

fn variant(name: &str) -> Option<Options> {
    match name {
        "cuda-1" => Some(Options { streams: 1, ..Options::default() }),
        "cuda-4" => Some(Options::default()),
        "unpartitioned" => Some(Options { unpartitioned: true, streams: 1, ..Options::default() }),
        _ => None,
    }
}

fn variants(gpu: &mut Gpu, subject: &Subject, repeat: u32) -> Result<Vec<Run>, String> {
    let each = ["cuda-1", "cuda-4", "unpartitioned"].into_iter();
    each.filter_map(|name| Some((name, variant(name)?)))
        .map(|(name, options)| runs::cuda(gpu, subject, name, &options, repeat))
        .collect()
}

fn spin(args: &Args, gpu: &mut Gpu, name: &str) -> Result<bool, String> {
    let options = variant(name).ok_or_else(|| format!("no variant `{name}`"))?;
    let options = Options { graph: false, lanes: args.lanes, memory: args.memory, ..options };
    let subject = args.subject()?;
    let run = runs::cuda(gpu, &subject, name, &options, 1)?;
    println!("{} {name}: {:?} {:?}", subject.name, run.took, run.gpu);
    Ok(run.same)
}

fn tune(args: &Args, gpu: &mut Gpu) -> Result<bool, String> {
    let subject = args.subject()?;
    let mut same = true;
    for blocks in [1, 2, 4] {
        for (streams, lanes, batch) in [(1, 32, 96), (4, 32, 96), (4, 8, 96), (4, 32, 384)] {
            let options = Options { blocks, streams, lanes, batch, ..Options::default() };
            let run = runs::cuda(gpu, &subject, "tune", &options, args.repeat)?;
            same &= run.same;
            let stats = run.gpu.unwrap_or_default();
            println!(
                "{} blocks {blocks} streams {streams} lanes {lanes} batch {batch}: {:.1?}; upload {:.1?}, {} rounds {:.1?}, download {:.1?}{}",
                subject.name,
                run.took,
                stats.upload,
                stats.rounds,
                stats.solve,
                stats.download,
                if run.same { "" } else { " DIFFERS" }
            );
        }
    }
    Ok(same)
}
