//! Runs the kernels and prints what they compute, and to the standard error how long it took.
//!
//! ```sh
//! RUSTC_WORKSPACE_WRAPPER=lw-rustc RUSTFLAGS='-C target-cpu=native -C remark=laneweaver' cargo run --release -p lw-example-rust
//! ```
#![forbid(unsafe_code)]

use kernels::{collatz_x8, look_up, mandelbrot_row, place_of_minimum, squares};
use std::time::Instant;

const WIDTH: usize = 768;
const HEIGHT: usize = 512;

/// A number for what a list holds.
#[laneweaver::loops]
fn checksum(numbers: &[u32]) -> u32 {
    let mut sum = 0u32;
    for (i, &n) in numbers.iter().enumerate() {
        sum = sum.wrapping_add((i as u32).wrapping_mul(2_654_435_761) ^ n);
    }
    sum
}

fn main() {
    let mut picture = vec![0; WIDTH * HEIGHT];
    let start = Instant::now();
    for (y, row) in picture.chunks_exact_mut(WIDTH).enumerate() {
        mandelbrot_row(row, -2.2, 3.2 / WIDTH as f32, y as f32 / 240.0 - 1.06, 256);
    }
    eprintln!("Mandelbrot set: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    println!("Mandelbrot set: {:#010x}", checksum(&picture));

    let steps: Vec<u32> = (0..4096)
        .flat_map(|first: u32| collatz_x8(std::array::from_fn(|lane| first * 8 + lane as u32), 500))
        .collect();
    println!("Collatz: {:#010x}, at most {:?}", checksum(&steps), steps.iter().max());

    let numbers: Vec<f32> = (0..1013).map(|i| ((i * 37) % 101) as f32 - 20.0).collect();
    println!("squares: {}, minimum at {:?}", squares(&numbers), place_of_minimum(&numbers));

    let mut found = vec![0.0; 1000];
    let places: Vec<u32> = (0..1000).map(|i| (i * 7919) % 1100).collect();
    look_up(&mut found, &numbers, &places);
    println!("looked up: {}", squares(&found));
}
