//! `lw cc -O3`, as build systems call it, in place of clang: objects and build time where nothing is marked, and the same behaviour with every loop vectorized that may be.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::behaviour::observe;
use super::build::{self, Compilation};
use super::{Case, choose, data, loops};
use crate::run::{self, During, Failure, Result};
use crate::{jobs, place};

const CONFIG: &str = "O3native";

/// Each file is compiled so often by either compiler; the best time counts.
const ROUNDS: usize = 3;

/// At most so much more time where nothing is marked.
const GROWTH: f64 = 1.03;

/// Builds these programs, or all, with the optimized `lw`.
pub(super) fn check(names: &[String]) -> Result {
    let mut make = place::cargo();
    run::echo(make.args(["build", "--quiet", "--release", "-p", "laneweaver", "-p", "lw-driver"]))?;
    let lw = place::target().join("release/lw-cc");
    let cases = choose(&loops::programs(names), Some(CONFIG))?;
    let _lock = super::lock()?;
    data::generate()?;
    println!("\nprogram      files  clang s  lw cc s  ratio  loops vectorized");
    let (mut clang, mut ours, mut count) = (0.0, 0.0, 0);
    for case in cases {
        let program = Program::new(case, &lw)?;
        let times = program.unmarked()?;
        let vectorized = program.all_legal()?;
        println!(
            "{:<12} {:>5}  {:>7.2}  {:>7.2}  {:>5.3}  {vectorized:>5}",
            case.0.name,
            program.compilations.len(),
            times.0,
            times.1,
            times.1 / times.0
        );
        clang += times.0;
        ours += times.1;
        count += vectorized;
    }
    println!("all                 {clang:>7.2}  {ours:>7.2}  {:>5.3}  {count:>5}", ours / clang);
    if ours > clang * GROWTH {
        return Err(Failure::step(format!("`lw cc` takes over {GROWTH} times as long as clang")));
    }
    if names.is_empty() { loops::enough(count) } else { Ok(()) }
}

struct Program<'a> {
    case: Case,
    lw: &'a Path,
    folder: PathBuf,
    compilations: Vec<Compilation>,
}

impl<'a> Program<'a> {
    fn new(case: Case, lw: &'a Path) -> Result<Self> {
        let folder = super::folder().join(CONFIG).join("driver").join(case.0.name);
        std::fs::create_dir_all(&folder).during(folder.display())?;
        Ok(Program { case, lw, folder, compilations: build::compilations(case)? })
    }

    fn object(&self, index: usize, by: &str) -> PathBuf {
        self.folder.join(format!("{index}.{by}.o"))
    }

    /// The seconds that clang and `lw cc` take for the program as it is; the objects must be the same.
    fn unmarked(&self) -> Result<(f64, f64)> {
        let (mut clang, mut ours) = (0.0, 0.0);
        for (i, compilation) in self.compilations.iter().enumerate() {
            let objects = [self.object(i, "clang"), self.object(i, "lw")];
            let mut best = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                let clang = [place::llvm_tool("clang").into_os_string()];
                let lw = [self.lw.as_os_str().to_owned()];
                for (k, compiler) in [&clang[..], &lw[..]].into_iter().enumerate() {
                    let mut words = compiler.to_vec();
                    words.extend(compilation.to_object(&objects[k]));
                    best[k] = best[k].min(seconds(&words)?);
                }
            }
            let read = |path: &PathBuf| std::fs::read(path).during(path.display());
            if read(&objects[0])? != read(&objects[1])? {
                let [a, b] = objects.map(|path| path.display().to_string());
                return Err(Failure::step(format!("{a} and {b} differ")));
            }
            clang += best[0];
            ours += best[1];
        }
        Ok((clang, ours))
    }

    /// How many loops are vectorized with `--vectorize-all-legal`; the program must do what clang's does.
    fn all_legal(&self) -> Result<usize> {
        let indices: Vec<usize> = (0..self.compilations.len()).collect();
        let counts = jobs::each(&indices, |&i| {
            let remarks = self.folder.join(format!("{i}.yaml"));
            let mut command = Command::new(self.lw);
            command.arg("--vectorize-all-legal");
            command.arg(format!("-foptimization-record-file={}", remarks.display()));
            command.arg("-foptimization-record-passes=laneweaver");
            run::quiet(command.args(self.compilations[i].to_object(&self.object(i, "all"))))?;
            loops::vectorized(&remarks)
        })?;
        let wanted = self.behaviour("clang")?;
        if !wanted.good() {
            let place = self.folder.join("clang-run");
            return Err(Failure::step(format!("clang's program fails: see {}", place.display())));
        }
        match wanted.difference(&self.behaviour("all")?) {
            Some(difference) => {
                Err(Failure::step(format!("{difference}: see {}", self.folder.display())))
            }
            None => Ok(counts.iter().sum()),
        }
    }

    fn behaviour(&self, by: &str) -> Result<super::behaviour::Behaviour> {
        let program = self.folder.join(by);
        let mut link = Command::new(place::llvm_tool("clang"));
        link.args((0..self.compilations.len()).map(|i| self.object(i, by)));
        run::quiet(link.args(["-lm", "-ldl", "-lpthread", "-o"]).arg(&program))?;
        observe(self.case.0, &program, &self.folder.join(format!("{by}-run")))
    }
}

/// The seconds of processor time that a command takes.
fn seconds(words: &[std::ffi::OsString]) -> Result<f64> {
    let mut command = Command::new("bash");
    command.args(["-c", "TIMEFORMAT='%U %S'; time \"$@\" 2>/dev/null", "time"]).args(words);
    let output = command.output().during("bash")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let times: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match times[..] {
        [user, system] if output.status.success() => Ok(user + system),
        _ => Err(Failure::step(format!("{} failed: {text}", run::shown(&command)))),
    }
}
