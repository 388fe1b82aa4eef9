//! The Rust program of the corpus: `rust_driver FILE…` compresses each file with miniz_oxide at several levels,
//! restores it, and prints sizes and checksums. Drop glue, trait objects, closures, hash maps and, where panics
//! unwind, landing pads take part as well. The output depends on nothing but the files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::process::ExitCode;

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;

fn main() -> ExitCode {
    let mut failures = 0;
    for path in std::env::args().skip(1) {
        match std::fs::read(&path) {
            Ok(data) => failures += compress_and_restore(&path, &data),
            Err(error) => {
                println!("{path}: {error}");
                failures += 1;
            }
        }
    }
    words_and_shapes();
    #[cfg(panic = "unwind")]
    panics();
    println!("{}", if failures == 0 { "ok" } else { "failed" });
    ExitCode::from(u8::from(failures != 0))
}

/// Compresses `data` at several levels; returns how many levels failed to restore it.
fn compress_and_restore(path: &str, data: &[u8]) -> u32 {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut failures = 0;
    for level in [0, 1, 6, 9] {
        let packed = compress_to_vec_zlib(data, level);
        let same = decompress_to_vec_zlib(&packed).is_ok_and(|restored| restored == data);
        println!(
            "{name} level {level}: {} -> {} {:08x} restored {same}",
            data.len(),
            packed.len(),
            fnv(&packed)
        );
        failures += u32::from(!same);
        let mut damaged = packed;
        if let Some(byte) = damaged.last_mut() {
            *byte ^= 1;
        }
        println!(
            "  damaged: {}",
            if decompress_to_vec_zlib(&damaged).is_ok() { "accepted" } else { "refused" }
        );
    }
    failures
}

fn fnv(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String;
}

struct Square(f64);
struct Ring {
    outer: f64,
    inner: f64,
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
    fn name(&self) -> String {
        format!("square {:.1}", self.0)
    }
}

impl Shape for Ring {
    fn area(&self) -> f64 {
        std::f64::consts::PI * (self.outer.powi(2) - self.inner.powi(2))
    }
    fn name(&self) -> String {
        format!("ring {:?}", (self.outer, self.inner))
    }
}

fn words_and_shapes() {
    let text = "the lanes of the loom weave the lanes of the cloth";
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> =
        counts.into_iter().map(|(word, count)| ((usize::MAX - count, word), count)).collect();
    let mut line = String::new();
    for ((_, word), count) in &sorted {
        let _ = write!(line, "{word}={count} ");
    }
    println!("{}", line.trim_end());

    let mut shapes: Vec<Box<dyn Shape>> = vec![
        Box::new(Square(1.5)),
        Box::new(Ring { outer: 2.0, inner: 1.0 }),
        Box::new(Square(0.25)),
    ];
    shapes.sort_by(|a, b| a.area().total_cmp(&b.area()));
    for shape in &shapes {
        println!("{}: {:.6}", shape.name(), shape.area());
    }
    let worker = std::thread::spawn(|| (1..=20u64).product::<u64>());
    println!("20! = {:?}", worker.join().ok());
    println!(
        "parsed {:?} {:?}",
        "1.25e3".parse::<f64>(),
        "x1".parse::<i32>().map_err(|error| error.to_string())
    );
}

/// Panics that unwind through frames with values to drop.
#[cfg(panic = "unwind")]
fn panics() {
    struct Noisy(u32);
    impl Drop for Noisy {
        fn drop(&mut self) {
            println!("dropped {}", self.0);
        }
    }
    fn fall(depth: u32, values: &[u32]) -> u32 {
        let _guard = Noisy(depth);
        if depth == 0 { values[values.len()] } else { fall(depth - 1, values) + 1 }
    }
    std::panic::set_hook(Box::new(|info| println!("panic: {}", info.payload().is::<String>())));
    let outcome = std::panic::catch_unwind(|| fall(3, &[1, 2, 3]));
    println!("caught {}", outcome.is_err());
}
