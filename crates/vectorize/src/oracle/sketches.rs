//! A small program around one rule that programs made at random do not put to the test: their loops end whatever happens.

use lw_ir::generate::{self, Inputs, Param, Program, Rng};
use lw_ir::interp::Val;
use lw_ir::{DataLayout, Type, parse_module};

/// For how many threads there are arguments.
const THREADS: usize = 16;

/// A loop in a block that few threads enter, or none, as often as a number says that is read there: if no thread is there, nobody
/// has read it.
pub(super) fn seldom_entered(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x736b_6574);
    let (few, at) = (1 + rng.below(3), rng.below(16));
    let op = ["add", "xor", "mul", "sub"][rng.below(4)];
    let (test, first, second) = match rng.below(4) {
        0 => ("ne", "L", "X"),
        1 => ("ult", "L", "X"),
        2 => ("uge", "X", "L"),
        _ => ("eq", "X", "L"),
    };
    let text = format!(
        "func @f(ptr %t, i8 %a, i8 %b) -> i8 {{
        A:
          %c = icmp ult i8 %a, {few}
          br i1 %c, label %P, label %E
        P:
          %p = getelementptr i8, ptr %t, i64 {at}
          %n = load i8, ptr %p, align 1
          %m = and i8 %n, 3
          %last = add i8 %m, 1
          br label %L
        L:
          %i = phi i8 [ 0, %P ], [ %j, %L ]
          %s = phi i8 [ %b, %P ], [ %u, %L ]
          %u = {op} i8 %s, %a
          %j = add i8 %i, 1
          %go = icmp {test} i8 %j, %last
          br i1 %go, label %{first}, label %{second}
        X:
          %v = phi i8 [ %u, %L ]
          br label %E
        E:
          %r = phi i8 [ %b, %A ], [ %v, %X ]
          ret i8 %r
        }}"
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.layout = DataLayout::parse(generate::X86_64).expect("a data layout");
    let mut byte = || Val::Int(rng.below(8) as u128);
    let params = vec![
        Param::Table,
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
    ];
    let table = (0..16).map(|_| rng.below(256) as u8).collect();
    let inputs = Inputs { params, memory: vec![0; 256], part: 16, table, threads: THREADS };
    Program { seed, module, entry: "f".into(), inputs, defined: true }
}
