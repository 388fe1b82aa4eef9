//! Loops before and after strip mining, in the interpreter.

use lw_ir::interp::{Machine, Run, Val};
use lw_ir::{Block, Function, Module, parse_module};
use lw_vectorize::Statistics;
use lw_vectorize::loops::{LoopOptions, Remainder, vectorize_loop};

/// How many iterations are done at a time.
const WIDTHS: [u32; 6] = [2, 3, 4, 7, 8, 16];
/// How many iterations there are.
pub(crate) const COUNTS: [i64; 10] = [0, 1, 2, 3, 7, 8, 15, 16, 33, 50];

/// A module of this function and the intrinsics it may call.
pub(crate) fn module(text: &str) -> Module {
    let declare = |name: &str| format!("declare @llvm.{name}.i32 : i32 (i32, i32)\n");
    let lives = ["start", "end"].map(|it| format!("declare @llvm.lifetime.{it}.p0 : void (ptr)\n"));
    let text = ["smin", "smax", "umin", "umax"].map(declare).concat() + &lives.concat() + text;
    parse_module(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The block called `loop`.
pub(crate) fn header(function: &Function) -> Block {
    let named = |&&b: &&Block| function.block_name(b).and_then(|n| n.as_str()) == Some("loop");
    *function.blocks().iter().find(named).expect("the header is called `loop`")
}

/// What `f(memory, n)` returns and leaves in memory.
pub(crate) fn run(module: &Module, data: &[u8], n: i64) -> (String, Vec<Option<u8>>) {
    let mut machine = Machine::new(module);
    let memory = machine.alloc_buffer(data).expect("memory");
    let args = vec![Val::Ptr(memory), Val::i64(n)];
    let outcome = machine.run("f", &[args], &Run::default());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{module}"));
    let bytes = machine.read_bytes(memory, data.len() as u64).expect("memory");
    (format!("{:?}", outcome.values()), bytes)
}

/// Numbers that look random, small, and often equal.
pub(crate) fn data() -> Vec<u8> {
    let mut x = 12345u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 16) % 23
    };
    (0..64).flat_map(|_| (next() as f32 - 11.0).to_le_bytes()).collect()
}

/// Vectorizes the loop for each width, with both remainders and the options that a function sets, and compares. What was done, by width
/// and remainder.
pub(crate) fn check_with(text: &str, set: impl Fn(&Function, &mut LoopOptions)) -> Vec<Statistics> {
    let scalar = module(text);
    let data = data();
    let mut all = Vec::new();
    for width in WIDTHS {
        for remainder in [Remainder::Scalar, Remainder::Masked] {
            let mut options = LoopOptions::new(width, scalar.layout.clone());
            let f = scalar.function("f").expect("it is there");
            options.remainder = remainder;
            set(f, &mut options);
            let done = vectorize_loop(f, header(f), &options);
            let (vector, statistics) = done.unwrap_or_else(|why| panic!("{why}\n{text}"));
            lw_ir::verify(&vector).unwrap_or_else(|errors| panic!("{}\n{vector}", errors[0]));
            let mut module = scalar.clone();
            module.functions = vec![vector];
            for n in COUNTS {
                let (wanted, seen) = (run(&scalar, &data, n), run(&module, &data, n));
                assert_eq!(wanted, seen, "width {width}, {remainder:?}, n = {n}\n{module}");
            }
            all.push(statistics);
        }
    }
    all
}
