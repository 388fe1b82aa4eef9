//! How much each analysis finds uniform, over kernels written for this: the layout of 000 Fig. 4.

use crate::baselines::{self, Kind};
use crate::refute::Seen;
use crate::times::{self, TRIPLE, Times};
use lw_divergence::targets::{Gpu, Target};
use lw_divergence::{Affine, Basic, Divergence, Lattice, Stride, analyze};
use lw_ir::Function;
use lw_llvm::{Context, Uniformity};
use lw_sparse::function::node;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The analyses, in the order of the tables.
pub(crate) const ANALYSES: [&str; 7] =
    ["basic", "stride", "affine", "strongpd", "gated", "pd", "llvm"];

/// How kernels are launched: four warps.
const BLOCK: [u32; 3] = [128, 1, 1];

/// Instructions, branches and loops.
pub(crate) type Counts = [u64; 3];

/// What was found in a suite.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) kernels: u64,
    pub(crate) total: Counts,
    /// By analysis.
    pub(crate) uniform: [Counts; ANALYSES.len()],
    /// By analysis: what it claims to be uniform and our basic lattice does not.
    pub(crate) beyond: [Counts; ANALYSES.len()],
    /// By analysis: how many of these claims about instructions an execution refutes.
    pub(crate) refuted: [u64; ANALYSES.len()],
    /// These claims, in words.
    pub(crate) claims: Vec<String>,
}

impl Suite {
    pub(crate) fn add(&mut self, other: &Suite) {
        self.kernels += other.kernels;
        let sum = |into: &mut Counts, from: &Counts| {
            into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
        };
        sum(&mut self.total, &other.total);
        for i in 0..ANALYSES.len() {
            sum(&mut self.uniform[i], &other.uniform[i]);
            sum(&mut self.beyond[i], &other.beyond[i]);
            self.refuted[i] += other.refuted[i];
        }
        self.claims.extend(other.claims.iter().cloned());
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let counts = |c: &Counts| json!({"instructions": c[0], "branches": c[1], "loops": c[2]});
        let each = |table: &[Counts; ANALYSES.len()]| {
            let entries = ANALYSES.iter().zip(table).map(|(name, c)| ((*name).into(), counts(c)));
            serde_json::Value::Object(entries.collect())
        };
        json!({
            "suite": self.name, "kernels": self.kernels, "total": counts(&self.total),
            "uniform": each(&self.uniform), "beyond_basic": each(&self.beyond),
            "refuted": ANALYSES.iter().zip(self.refuted).map(|(name, n)| ((*name).to_string(), n.into()))
                .collect::<serde_json::Map<_, _>>(),
            "claims": self.claims,
        })
    }
}

/// Compiles a file of kernels to bitcode.
fn compile(path: &Path) -> Result<Vec<u8>, String> {
    let cuda = path.extension().is_some_and(|e| e == "cu");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let mut command = Command::new(Path::new(&prefix).join("bin/clang"));
    if cuda {
        command.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"]);
        command.args(["--cuda-gpu-arch=sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx70"]);
        command.arg("-fms-extensions");
    } else {
        command.arg(format!("--target={TRIPLE}"));
    }
    command.args(["-O1", "-fno-unroll-loops", "-emit-llvm", "-c", "-o", "-"]).arg(path);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{}: {}", path.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

/// The files of kernels in a folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cu"));
    files.sort();
    Ok(files)
}

/// The verdicts of one analysis on a kernel: whether instructions, branches and loops are uniform, in the order of `subjects`.
type Answer = [Vec<bool>; 3];

/// What is counted in a kernel: instructions with a result, blocks that branch, headers of loops.
struct Subjects {
    insts: Vec<(u32, u32, lw_ir::Value)>,
    branches: Vec<(u32, lw_ir::Block)>,
    loops: Vec<lw_ir::Block>,
}

fn subjects(function: &Function, found: &Divergence<Basic>) -> Subjects {
    let code = found.view().code();
    let mut all = Subjects { insts: Vec::new(), branches: Vec::new(), loops: Vec::new() };
    for (b, &block) in function.blocks().iter().enumerate() {
        if !code.is_reachable(node(block)) {
            continue;
        }
        for (i, &inst) in function.insts(block).iter().enumerate() {
            if let Some(result) = function[inst].result.expand() {
                all.insts.push((b as u32, i as u32, result));
            }
        }
        if code.graph().successors(node(block)).windows(2).any(|pair| pair[0] != pair[1]) {
            all.branches.push((b as u32, block));
        }
        if code.loops().headed_by(node(block)).is_some() {
            all.loops.push(block);
        }
    }
    all
}

fn ours<L: Lattice>(all: &Subjects, found: &Divergence<L>) -> Answer {
    let left: Vec<lw_ir::Block> = found.divergent_loops().map(|(header, _)| header).collect();
    [
        all.insts.iter().map(|&(_, _, v)| found.is_uniform(v)).collect(),
        all.branches.iter().map(|&(_, b)| !found.is_divergent(b)).collect(),
        all.loops.iter().map(|header| !left.contains(header)).collect(),
    ]
}

fn theirs(function: &Function, all: &Subjects, verdicts: &Uniformity) -> Answer {
    let mut first = function.params().len();
    let mut starts = Vec::new();
    for &block in function.blocks() {
        starts.push(first);
        first += function.insts(block).len();
    }
    let at = |b: u32, i: usize| !verdicts.divergent[starts[b as usize] + i];
    let last = |b: u32, block: lw_ir::Block| at(b, function.insts(block).len() - 1);
    let left = |header: &lw_ir::Block| {
        let position = function.blocks().iter().position(|b| b == header);
        verdicts.cycles.iter().any(|c| Some(c.header as usize) == position && (c.left || c.assumed))
    };
    [
        all.insts.iter().map(|&(b, i, _)| at(b, i as usize)).collect(),
        all.branches.iter().map(|&(b, block)| last(b, block)).collect(),
        all.loops.iter().map(|header| !left(header)).collect(),
    ]
}

fn baseline(function: &Function, all: &Subjects, found: &Divergence<Basic>, kind: Kind) -> Answer {
    let verdicts = baselines::run(function, found, kind);
    [
        all.insts.iter().map(|(_, _, v)| !verdicts.varying.contains(v)).collect(),
        all.branches.iter().map(|&(_, b)| !verdicts.branches.contains(&node(b))).collect(),
        all.loops.iter().map(|&b| !verdicts.loops.contains(&node(b))).collect(),
    ]
}

/// Counts over a file of kernels.
pub(crate) fn of_file(path: &Path, repeat: u32) -> Result<(Suite, Times), String> {
    let bitcode = compile(path)?;
    let context = Context::new();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut module = context.parse_module(&bitcode, &name).map_err(|e| e.to_string())?;
    module.run_passes("function(lcssa)", None).map_err(|e| e.to_string())?;
    let llvm = module.uniformity(&times::machine()?);
    let layout = module.layout().map_err(|e| e.to_string())?;
    let (functions, _) = times::import(&mut module)?;
    let program = module.import().map_err(|e| e.to_string())?;
    let mut suite = Suite { name, ..Suite::default() };
    let target = Target::new(Gpu::Nvptx).with_block(BLOCK);
    for (function, llvm) in functions.iter().zip(&llvm) {
        if !lw_divergence::targets::is_kernel(function) {
            continue;
        }
        suite.kernels += 1;
        let options = target.options(Some(layout.clone()));
        let basic = analyze(function, &target.sources::<Basic>(function), &options);
        let stride = analyze(function, &target.sources::<Stride>(function), &options);
        let affine = analyze(function, &target.sources::<Affine<1>>(function), &options);
        let all = subjects(function, &basic);
        let answers: [Answer; ANALYSES.len()] = [
            ours(&all, &basic),
            ours(&all, &stride),
            ours(&all, &affine),
            baseline(function, &all, &basic, Kind::StrongPd),
            baseline(function, &all, &basic, Kind::Gated),
            baseline(function, &all, &basic, Kind::Reconvergence),
            theirs(function, &all, llvm),
        ];
        let mut seen: Option<Seen> = None;
        for what in 0..3 {
            suite.total[what] += answers[0][what].len() as u64;
            for (i, answer) in answers.iter().enumerate() {
                for (j, &uniform) in answer[what].iter().enumerate() {
                    suite.uniform[i][what] += u64::from(uniform);
                    if uniform && !answers[0][what][j] {
                        suite.beyond[i][what] += 1;
                        if matches!(ANALYSES[i], "stride" | "affine") {
                            continue;
                        }
                        if seen.is_none() {
                            seen = Some(Seen::of(&program, function)?);
                        }
                        let value = (what == 0).then(|| all.insts[j].2);
                        let said = match (value, &seen) {
                            (Some(value), Some(seen)) if seen.refutes(value) => {
                                suite.refuted[i] += 1;
                                "refuted by an execution"
                            }
                            (Some(value), Some(seen)) if seen.reached(value) => {
                                "not refuted by executions that came there"
                            }
                            _ => "no execution came there",
                        };
                        suite.claim(function, &all, (i, what, j), said);
                    }
                }
            }
        }
    }
    let times = times::measure(&suite.name, &mut module, repeat)?;
    Ok((suite, times))
}

impl Suite {
    fn claim(
        &mut self,
        function: &Function,
        all: &Subjects,
        at: (usize, usize, usize),
        said: &str,
    ) {
        let (analysis, what, j) = at;
        let subject = match what {
            0 => function.display_value(all.insts[j].2).to_string(),
            1 => format!("the branch of {}", baselines::name(function, node(all.branches[j].1))),
            _ => format!("the loop {}", baselines::name(function, node(all.loops[j]))),
        };
        let kernel = function.name.as_str().unwrap_or("?");
        self.claims.push(format!("{}: @{kernel}: {subject}: {said}", ANALYSES[analysis]));
    }
}
