//! Child processes: a crash takes one of them, not the run.
//!
//! A child writes `at SEED` before it begins with a seed, `failed SEED WHY` when it does not hold, and at its end the
//! counts of what was covered. Who ends without saying so has crashed at the seed it named last.

use crate::subject::Subject;
use crate::{Target, Verdict};
use lw_ir::generate::Coverage;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What became of a child.
#[derive(Default)]
pub(crate) struct End {
    /// The first seed that failed, and why.
    pub(crate) failure: Option<(u64, String)>,
    /// Whether that seed ended the process.
    crashed: bool,
    /// What was covered.
    pub(crate) counts: BTreeMap<String, u64>,
}

/// After so long without a word a child is stuck.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same while shrinking, where small programs are fast.
const IMPATIENCE: Duration = Duration::from_secs(2);

/// The panic that happened last, with its place.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Checks seeds in this process, until one fails.
pub(crate) fn serve<T: Target>(target: &mut T, first: u64, count: u64) {
    quiet_panics();
    let mut coverage = Coverage::default();
    let mut out = std::io::stdout().lock();
    for seed in (0..count).map(|i| first.wrapping_add(i)) {
        let _ = writeln!(out, "at {seed}").and_then(|()| out.flush());
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let subject = target.subject(seed);
            subject.count(&mut coverage);
            target.check(&subject, &mut coverage)
        }));
        if let Some(why) = failure(checked) {
            let _ = writeln!(out, "failed {seed} {}", why.replace('\n', " "));
            break;
        }
    }
    for (name, n) in coverage.counts() {
        let _ = writeln!(out, "count {n} {name}");
    }
    let _ = writeln!(out, "done");
}

fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(|e| e.into_inner()) = info.to_string();
    }));
}

fn failure(checked: std::thread::Result<Verdict>) -> Option<String> {
    match checked {
        Ok(Verdict::Different(why)) => Some(why),
        Ok(_) => None,
        Err(_) => Some(PANIC.lock().unwrap_or_else(|e| e.into_inner()).clone()),
    }
}

/// Does with a seed what others do with it, in this process.
pub(crate) fn serve_as_it_is<T: Target>(target: &mut T, seed: u64) {
    println!("at {seed}");
    let subject = target.subject(seed);
    target.as_it_is(&subject);
    println!("done");
}

/// Runs seeds in children: the first goes on until it ends, the next behind a seed that ends the process as it is.
pub(crate) fn run(first: u64, count: u64) -> End {
    let (behind, mut next) = (first.wrapping_add(count), first);
    let mut not_ours = 0;
    loop {
        let left = behind.wrapping_sub(next).to_string();
        let mut end = command(&["--chunk", &next.to_string(), &left], PATIENCE);
        match end.failure {
            Some((seed, _)) if end.crashed && ends_as_it_is(seed) => {
                not_ours += 1;
                next = seed.wrapping_add(1);
            }
            _ => {
                if not_ours > 0 {
                    end.counts.insert(ENDS_AS_IT_IS.into(), not_ours);
                }
                return end;
            }
        }
    }
}

/// How programs are counted that end the process as they are.
const ENDS_AS_IT_IS: &str = "feature\tnot checked: others end with them";

/// Whether the process ends with a seed that is not even checked.
fn ends_as_it_is(seed: u64) -> bool {
    command(&["--as-it-is", &seed.to_string()], PATIENCE).crashed
}

fn command(args: &[&str], patience: Duration) -> End {
    let mut end = End::default();
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            end.failure = Some((0, error.to_string()));
            return end;
        }
    };
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            end.failure = Some((0, error.to_string()));
            return end;
        }
    };
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return end;
    };
    let (mut at, mut done) = (0, false);
    let began = Instant::now();
    let spoke = AtomicU64::new(0);
    let finished = std::sync::atomic::AtomicBool::new(false);
    let mut said = String::new();
    let child = Mutex::new(child);
    let status = std::thread::scope(|scope| {
        let errors = scope.spawn(move || {
            let mut text = Vec::new();
            let _ = std::io::Read::read_to_end(&mut stderr, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let (child, spoke, finished) = (&child, &spoke, &finished);
        scope.spawn(move || {
            while !finished.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                let silent = began
                    .elapsed()
                    .saturating_sub(Duration::from_millis(spoke.load(Ordering::Relaxed)));
                if silent > patience {
                    let _ = child.lock().unwrap_or_else(|e| e.into_inner()).kill();
                    return;
                }
            }
        });
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            spoke.store(began.elapsed().as_millis() as u64, Ordering::Relaxed);
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let (number, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let number = number.parse().unwrap_or(0);
            match word {
                "at" => at = number,
                "failed" => end.failure = Some((number, text.into())),
                "count" => drop(end.counts.insert(text.into(), number)),
                "done" => done = true,
                _ => {}
            }
        }
        finished.store(true, Ordering::Relaxed);
        said = errors.join().unwrap_or_default();
        child.lock().unwrap_or_else(|e| e.into_inner()).wait()
    });
    if !done && end.failure.is_none() {
        let status = status.map_or_else(|e| e.to_string(), |status| status.to_string());
        let last = said.lines().last().unwrap_or_default();
        end.failure = Some((at, format!("the process ended: {status} {last}")));
        end.crashed = true;
    }
    end
}

/// Checks what is in a file instead of what belongs to the seed.
pub(crate) fn check_file<T: Target>(target: &mut T, seed: u64, file: &Path) -> ExitCode {
    quiet_panics();
    println!("at {seed}");
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let subject = match std::fs::read(file) {
            Ok(content) => target.subject(seed).with_content(&content),
            Err(error) => panic!("{error}"),
        };
        match subject {
            Some(subject) => target.check(&subject, &mut Coverage::default()),
            None => Verdict::Nothing("not readable".into()),
        }
    }));
    if let Some(why) = failure(checked) {
        println!("failed {seed} {}", why.replace('\n', " "));
    }
    println!("done");
    ExitCode::SUCCESS
}

/// Why a subject fails, in a process of its own; `None` if it does not.
pub(crate) fn fails_alone(seed: u64, subject: &Subject) -> Option<String> {
    let file = std::env::temp_dir().join(format!("lw-fuzz-{}.lw", std::process::id()));
    std::fs::write(&file, subject.content()).ok()?;
    let end = command(&["--replay", &seed.to_string(), "--module", file.to_str()?], IMPATIENCE);
    let _ = std::fs::remove_file(&file);
    end.failure.map(|(_, why)| why)
}
