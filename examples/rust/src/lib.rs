//! Kernels that are marked for `lw rustc`. Any Rust compiler compiles them; under `lw rustc` they work on vectors.
#![forbid(unsafe_code)]

/// How many steps each point of a row of the Mandelbrot set takes to escape. Neighbours leave the inner loop at different times.
#[laneweaver::loops]
pub fn mandelbrot_row(steps: &mut [u32], left: f32, pixel: f32, cy: f32, limit: u32) {
    for (column, steps) in steps.iter_mut().enumerate() {
        let cx = left + pixel * column as f32;
        let (mut x, mut y, mut n) = (cx, cy, 0);
        while n < limit && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            n += 1;
        }
        *steps = n;
    }
}

/// How many steps it takes a number to reach one: [`collatz_x8`] does it for eight.
#[laneweaver::simd(width = 8, uniform(limit))]
pub fn collatz(mut x: u32, limit: u32) -> u32 {
    let mut steps = 0;
    while x > 1 && steps < limit {
        x = if x & 1 == 0 { x / 2 } else { x.wrapping_mul(3).wrapping_add(1) };
        steps += 1;
    }
    steps
}

/// The sum of squares, in any order.
#[laneweaver::loops(reorder)]
pub fn squares(numbers: &[f32]) -> f32 {
    let mut sum = 0.0;
    for x in numbers {
        sum += x * x;
    }
    sum
}

/// The place of the first of the smallest numbers.
#[laneweaver::loops]
pub fn place_of_minimum(numbers: &[f32]) -> Option<usize> {
    let (mut least, mut place) = (f32::INFINITY, None);
    for (i, &x) in numbers.iter().enumerate() {
        if x < least {
            (least, place) = (x, Some(i));
        }
    }
    place
}

/// What a table has at some places; zero outside of it.
#[laneweaver::loops]
pub fn look_up(found: &mut [f32], table: &[f32], places: &[u32]) {
    for (found, &place) in found.iter_mut().zip(places) {
        *found = table.get(place as usize).copied().unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_do_what_the_function_does() {
        let numbers = [1, 2, 3, 7, 9, 27, 97, 871];
        assert_eq!(collatz_x8(numbers, 100), numbers.map(|x| collatz(x, 100)));
    }
}
