// The ways in which Rust writes loops. Compiled with rustc and with `lw rustc`, it prints the same. A loop behind `//~` is vectorized, or not.

#[laneweaver::loops]
fn indexed(a: &mut [f32], b: &[f32], k: f32) {
    for i in 0..a.len() { //~ loop not vectorized: an iteration may panic
        a[i] = b[i] * k;
    }
}

#[laneweaver::loops(width = 4, independent)]
fn promised(a: &mut [f32], b: &[f32], k: f32) {
    let b = &b[..a.len()];
    for i in 0..a.len() { //~ vectorized loop, 4 iterations
        a[i] += b[i] * k;
    }
}

#[laneweaver::loops]
fn zipped(a: &mut [f32], b: &[f32], least: f32) {
    for (a, b) in a.iter_mut().zip(b) { //~ vectorized
        if *b > least {
            *a = b / least;
        }
    }
}

#[laneweaver::loops]
fn in_order(b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for b in b { //~ vectorized
        sum += b * 0.1;
    }
    sum
}

#[laneweaver::loops]
fn smallest(b: &[f32]) -> (f32, usize) {
    let (mut best, mut at) = (f32::MAX, 0);
    for (i, &b) in b.iter().enumerate() { //~ vectorized
        if b < best {
            (best, at) = (b, i);
        }
    }
    (best, at)
}

#[laneweaver::loops]
fn steps(a: &mut [f32], n: usize) {
    for i in (1..n).step_by(3) { //~ vectorized
        if let Some(a) = a.get_mut(i) {
            *a = i as f32 * 0.5;
        }
    }
}

#[laneweaver::loops]
fn reversed(a: &mut [f32; 100], n: usize) {
    for i in (1..n.min(99)).rev() { //~ vectorized
        a[i] = i as f32 - 0.5;
    }
}

#[laneweaver::loops]
fn zipped_with_reversed(a: &mut [f32], b: &[f32]) {
    for (a, b) in a.iter_mut().zip(b.iter().rev()) { //~ vectorized
        *a = b * 2.0 + 1.0;
    }
}

#[laneweaver::loops]
fn prefix_sums(a: &mut [u32]) {
    for i in 1..a.len() { //~ loop not vectorized: a read
        a[i] = a[i].wrapping_add(a[i - 1]);
    }
}

#[laneweaver::loops]
fn chunks(a: &mut [f32], b: &[f32]) {
    for (a, b) in a.iter_mut().zip(b.chunks_exact(4)) { //~ vectorized
        *a = b[0] + b[1] * b[2] - b[3];
    }
}

#[laneweaver::loops(independent)]
fn whiles(a: &mut [u32], b: &[u32]) {
    let b = &b[..a.len()];
    let mut i = 0;
    while i < a.len() { //~ vectorized
        a[i] = collatz(b[i]);
        i += 1;
    }
}

#[inline(never)]
fn collatz(mut x: u32) -> u32 {
    let mut n = 0;
    while x > 1 {
        x = if x & 1 == 1 { x.wrapping_mul(3) + 1 } else { x / 2 };
        n += 1;
        if n > 500 {
            return 0;
        }
    }
    n
}

#[laneweaver::loops]
fn optional(a: &mut [u32], b: &[u32], at: &[usize]) {
    for (a, &i) in a.iter_mut().zip(at) { //~ vectorized
        let Some(&x) = b.get(i) else { continue };
        match x % 4 {
            0 => *a = x,
            1 | 2 => *a += x,
            _ => *a = a.wrapping_mul(x),
        }
    }
}

#[derive(Clone, Copy)]
enum Change {
    Add(u32),
    Turn,
    Scale(f32),
}

#[laneweaver::loops]
fn cases(a: &mut [f32], changes: &[Change]) {
    for (a, &change) in a.iter_mut().zip(changes) { //~ vectorized
        *a = match change {
            Change::Add(x) => *a + x as f32,
            Change::Turn => -*a,
            Change::Scale(by) => *a * by,
        };
    }
}

#[laneweaver::loops]
fn narrow(b: &[u8]) -> (u8, i8) {
    let (mut sum, mut most) = (3u8, i8::MIN);
    for &x in b { //~ vectorized
        sum = sum.wrapping_add(x);
        most = most.max(x as i8);
    }
    (sum, most)
}

#[laneweaver::loops]
fn math(a: &mut [f64]) {
    for a in a { //~ vectorized
        *a = a.abs().sqrt() + a.floor().mul_add(2.0, 1.0) + a.sin();
    }
}

#[laneweaver::loops]
fn rows(out: &mut [f32], from: &[f32], width: usize) {
    for (out, row) in out.iter_mut().zip(from.chunks_exact(width)) { //~ vectorized
        let mut sum = 0.0;
        for x in row {
            sum += x;
        }
        *out = sum;
    }
}

struct Grid {
    width: usize,
    cells: Vec<u8>,
}

impl Grid {
    #[laneweaver::loops]
    fn alive(&self, next: &mut [u8]) {
        let inside = self.width + 1..self.cells.len() - self.width;
        for i in inside { //~ vectorized
            let (up, down) = (i - self.width, i + self.width);
            let around = [up - 1, up, up + 1, i - 1, i + 1, down - 1, down];
            let alive = |at: usize| self.cells.get(at).copied().unwrap_or(0);
            let count: u8 = around.iter().map(|&at| alive(at)).sum();
            if let Some(next) = next.get_mut(i) {
                *next = u8::from(count == 3 || alive(i) == 1 && count == 2);
            }
        }
    }
}

// The counter of a range that includes its end is not a plain one.
#[laneweaver::loops]
fn inclusive(a: &mut [f32; 100], n: usize) {
    for i in 1..=n.min(99) { //~ loop not vectorized: `%
        a[i] = i as f32 * 3.0;
    }
}

#[laneweaver::simd(width = 4, uniform(table))]
fn chosen(at: u32, table: &[f32]) -> f32 { //~ vectorized loop, 4 iterations
    if at < 5 { table.get(at as usize).map_or(0.5, |x| x * 2.0) } else { -1.0 }
}

fn main() {
    let b: Vec<f32> = (0..100).map(|i| ((i * 37) % 101) as f32 - 20.5).collect();
    let numbers: Vec<u32> = (0..100).map(|i| i * 7919 % 1013).collect();
    let at: Vec<usize> = (0..100).map(|i| i * 31 % 130).collect();
    for n in [0, 1, 7, 16, 61, 97] {
        let mut a: [f32; 100] = std::array::from_fn(|i| i as f32);
        indexed(&mut a[..n], &b, 0.3);
        promised(&mut a[..n], &b, 0.3);
        zipped(&mut a[1..n + 1], &b[2..], 3.0);
        println!("{n} {a:?}\n{} {:?}", in_order(&b[..n]), smallest(&b[..n]));
        steps(&mut a, n);
        reversed(&mut a, n);
        zipped_with_reversed(&mut a[n / 2..n], &b[..n]);
        inclusive(&mut a, n);
        println!("{a:?}");
        chunks(&mut a[..n], &b);
        rows(&mut a[..n / 4], &b, n / 25 + 1);
        println!("{a:?}");
        let mut c = numbers.clone();
        whiles(&mut c[..n], &numbers);
        prefix_sums(&mut c[..n / 3]);
        optional(&mut c[..n], &numbers, &at);
        println!("{c:?}");
        let change = |&x: &u32| match x % 3 {
            0 => Change::Add(x),
            1 => Change::Turn,
            _ => Change::Scale(0.5),
        };
        cases(&mut a[..n], &numbers.iter().map(change).collect::<Vec<_>>());
        println!("{a:?}");
        println!("{:?}", narrow(&numbers[..n].iter().map(|&x| x as u8).collect::<Vec<_>>()));
        let mut d: Vec<f64> = b[..n].iter().map(|&x| f64::from(x) / 3.0).collect();
        math(&mut d);
        println!("{d:?}");
    }
    let grid = Grid { width: 20, cells: (0..400).map(|i| u8::from(i * 7919 % 31 < 12)).collect() };
    let mut next = vec![0; 400];
    grid.alive(&mut next);
    println!("{next:?}\n{:?}", chosen_x4([1, 7, 0, 4], &b));
    for short in [0, 13, 40] {
        let mut a = [0.0; 60];
        let failed = std::panic::catch_unwind(move || indexed(&mut a, &b_of(short), 2.0));
        println!("{:?}", failed.unwrap_err().downcast_ref::<String>());
    }
}

fn b_of(n: usize) -> Vec<f32> {
    vec![1.0; n]
}
