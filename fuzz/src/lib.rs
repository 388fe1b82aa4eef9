//! Fuzz targets: what they share.
//!
//! A [`Target`] says what is made from a seed and what must hold of it. [`main`] does the rest: it runs seeds in child
//! processes, so that a crash of machine code or a full stack is a finding like any other, shrinks the first failure,
//! prints it with the command that repeats it, and says at the end what was covered.

pub mod callgraph;
pub mod cfa;
mod child;
pub mod clang;
pub mod divergence;
mod flags;
pub mod mutations;
mod subject;
pub mod targets;
pub mod vectorize;

pub use flags::Flags;
pub use subject::Subject;

use lw_ir::generate::Coverage;
pub use lw_ir::generate::lockstep::Verdict;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Something that must hold for every seed.
pub trait Target {
    /// The name of the binary.
    const NAME: &'static str;
    /// How many seeds are run if nothing else is asked for.
    const RUNS: u64;

    /// What belongs to a seed.
    fn subject(&self, seed: u64) -> Subject;

    /// Whether it holds.
    fn check(&mut self, subject: &Subject, coverage: &mut Coverage) -> Verdict;

    /// What others do with the subject as it is. Where this ends the process, an end while checking is no finding.
    fn as_it_is(&mut self, _: &Subject) {}
}

/// How many seeds a child process runs.
const CHUNK: u64 = 250;

/// Runs a target as its flags say.
pub fn main<T: Target>(mut target: T) -> ExitCode {
    let flags = match Flags::read(std::env::args().skip(1), T::NAME, T::RUNS) {
        Ok(flags) => flags,
        Err(message) => {
            println!("{message}");
            return ExitCode::from(2);
        }
    };
    if let Some((first, count)) = flags.chunk {
        child::serve(&mut target, first, count);
        return ExitCode::SUCCESS;
    }
    if let Some(seed) = flags.as_it_is {
        child::serve_as_it_is(&mut target, seed);
        return ExitCode::SUCCESS;
    }
    if let Some(file) = &flags.module {
        return child::check_file(&mut target, flags.replay.unwrap_or(0), file);
    }
    if let Some(seed) = flags.replay {
        return replay::<T>(&target, seed);
    }
    run::<T>(&target, &flags)
}

/// Runs chunk after chunk until time is up, enough was run, or something failed.
fn run<T: Target>(target: &T, flags: &Flags) -> ExitCode {
    let start = Instant::now();
    let mut coverage = Coverage::default();
    let limit = flags.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let (mut done, mut last) = (0, Instant::now());
    loop {
        let left = match limit {
            Some(limit) if start.elapsed() >= limit => 0,
            Some(_) => u64::MAX,
            None => flags.runs - done,
        };
        if left == 0 {
            break;
        }
        let chunks: Vec<(u64, u64)> = (0..jobs)
            .map(|i| (i * CHUNK, left.saturating_sub(i * CHUNK).min(CHUNK)))
            .filter(|(_, count)| *count > 0)
            .map(|(offset, count)| (flags.seed.wrapping_add(done + offset), count))
            .collect();
        let ends: Vec<child::End> = std::thread::scope(|scope| {
            let all: Vec<_> = chunks
                .iter()
                .map(|&(first, count)| scope.spawn(move || child::run(first, count)))
                .collect();
            all.into_iter().map(|one| one.join().unwrap_or_default()).collect()
        });
        for (end, (first, count)) in ends.iter().zip(&chunks) {
            coverage.add_counts(&end.counts);
            if let Some((seed, why)) = &end.failure {
                let number = done + (seed - first) + 1;
                println!("{}: seed {seed}, program {number}: {why}", T::NAME);
                println!("found after {number} programs, {:.1} s", start.elapsed().as_secs_f64());
                if !flags.brief {
                    report::<T>(target, *seed, why);
                    println!("{coverage}");
                }
                return ExitCode::FAILURE;
            }
            done += count;
        }
        if last.elapsed() > Duration::from_secs(5) {
            last = Instant::now();
            let speed = done as f64 / start.elapsed().as_secs_f64();
            println!("{}: {done} programs, {speed:.0} per second", T::NAME);
        }
    }
    println!("{coverage}");
    let seconds = start.elapsed().as_secs_f64();
    println!("{}: {done} programs, no failure, {seconds:.1} s", T::NAME);
    ExitCode::SUCCESS
}

fn replay<T: Target>(target: &T, seed: u64) -> ExitCode {
    let end = child::run(seed, 1);
    match end.failure {
        Some((_, why)) => {
            println!("{}: seed {seed}: {why}", T::NAME);
            report::<T>(target, seed, &why);
            ExitCode::FAILURE
        }
        None => {
            println!("{}", target.subject(seed));
            println!("{}: seed {seed}: no failure", T::NAME);
            ExitCode::SUCCESS
        }
    }
}

/// Prints a smaller subject that fails too, and how to repeat it.
fn report<T: Target>(target: &T, seed: u64, why: &str) {
    let subject = target.subject(seed);
    println!("shrinking …");
    let mut last = String::new();
    let small = subject.shrink(|candidate| {
        let now = child::fails_alone(seed, candidate).filter(|now| kind(now) == kind(why));
        if let Some(now) = &now {
            last.clone_from(now);
        }
        now.is_some()
    });
    println!("{small}\n{last}");
    println!("repeat with: cargo xtask fuzz {} -- --replay {seed}", T::NAME);
}

/// What kind of failure a message is about: its first words, without numbers.
fn kind(why: &str) -> String {
    let words = why.split_whitespace().take(4);
    words.map(|word| word.trim_matches(|c: char| !c.is_alphabetic())).collect::<Vec<_>>().join(" ")
}
