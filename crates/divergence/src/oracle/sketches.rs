//! Sketches: small programs around one rule of the analysis each, for rules that programs made at random seldom put to the test.
//!
//! | sketch | the rule |
//! | --- | --- |
//! | `passive_equality` | what a branch tests says nothing about threads that pass it passively |
//! | `passive_range` | the same of ranges |
//! | `far_exit` | an edge out of several loops is left in different iterations of the outermost of them |
//! | `one_iteration` | an equality with a value of a loop holds for one iteration |
//! | `equal_strides` | lanes equally far apart compare alike, unless some of them wrap |
//! | `two_latches` | threads of one iteration go at different times if they went over different latches before |
//! | `early_around` | the same, if they left an inner loop in different iterations straight to the header |
//! | `two_entries` | iterations of a cycle with two entries begin at both |
//! | `meet_inside` | threads of one iteration of a cycle with two entries go at different times if they part in it |
//! | `unknown_call` | a function nobody knows may yield anything |
//!
//! The frame is fixed, and all numbers, operations and conditions in it are random.

use lw_ir::generate::{self, Inputs, Param, Program, Rng};
use lw_ir::interp::{HostCall, Machine, Val};
use lw_ir::{DataLayout, Type, parse_module};
use std::sync::Arc;

/// For how many threads there are arguments.
const THREADS: usize = 4;

/// A function that no module defines. Runs answer for it ([`answer_unknown`]).
const UNKNOWN: &str = "unknown";

/// Whether the program of a seed is a sketch.
pub fn is_sketch(seed: u64) -> bool {
    seed / 4 % 8 == 7
}

/// Lets a machine answer calls of the function nobody knows: with another number for each thread.
pub(super) fn answer_unknown(machine: &mut Machine<'_>) {
    let answer = |call: &mut HostCall<'_>| {
        let given = call.size(0)?;
        Ok(Val::Int(u128::from(given as u8 ^ (call.thread as u8 + 1))))
    };
    machine.host(UNKNOWN, Arc::new(answer));
}

/// The body of a function, without its head, and what its parameters are given. They are called `%a`, `%b` and so on.
struct Sketch {
    before: String,
    params: Vec<Param>,
    body: String,
}

/// The sketch of a seed.
///
/// # Panics
/// If the text of a sketch is none.
pub fn sketch(seed: u64) -> Program {
    const ALL: [fn(&mut Rng) -> Sketch; 10] = [
        passive_equality,
        passive_range,
        far_exit,
        one_iteration,
        equal_strides,
        two_latches,
        early_around,
        two_entries,
        meet_inside,
        unknown_call,
    ];
    let mut rng = Rng::new(seed ^ 0x736b_6574);
    let Sketch { before, params, body } = ALL[rng.below(ALL.len())](&mut rng);
    let inputs =
        Inputs { params, memory: vec![0; 64], part: 16, table: vec![0; 16], threads: THREADS };
    let typed = |(name, ty)| match ty {
        Type::I1 => format!("i1 %{name}"),
        Type::I64 => format!("i64 %{name}"),
        _ => format!("i8 %{name}"),
    };
    let head: Vec<String> = ('a'..).zip(inputs.types()).map(typed).collect();
    let text = format!("{before}func @f({}) -> i8 {{\n{body}}}\n", head.join(", "));
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.layout = DataLayout::parse(generate::X86_64).expect("a data layout");
    Program { seed, module, entry: "f".into(), inputs, defined: true }
}

fn byte(rng: &mut Rng, below: usize) -> Val {
    Val::Int(rng.below(below) as u128)
}

fn uniform(rng: &mut Rng, below: usize) -> Param {
    Param::Uniform(Type::I8, byte(rng, below))
}

fn varying(rng: &mut Rng, below: usize) -> Param {
    Param::Varying(Type::I8, (0..THREADS).map(|_| byte(rng, below)).collect())
}

fn bits(rng: &mut Rng) -> Param {
    Param::Varying(Type::I1, (0..THREADS).map(|_| Val::bool(rng.one_in(2))).collect())
}

/// A value that is varying or, now and then, uniform.
fn mostly_varying(rng: &mut Rng, below: usize) -> Param {
    if rng.one_in(5) { uniform(rng, below) } else { varying(rng, below) }
}

fn one<'s>(rng: &mut Rng, of: &[&'s str]) -> &'s str {
    of[rng.below(of.len())]
}

/// A branch that goes to the first block where two values are equal.
fn if_equal(rng: &mut Rng, values: [&str; 2], then: &str, other: &str) -> [String; 2] {
    let [x, y] = if rng.one_in(2) { values } else { [values[1], values[0]] };
    let (test, first, second) =
        if rng.one_in(2) { ("eq", then, other) } else { ("ne", other, then) };
    let test = format!("  %same = icmp {test} i8 {x}, {y}\n");
    [test, format!("  br i1 %same, label %{first}, label %{second}\n")]
}

/// A varying value is compared with a uniform one, and the branch stands in a block that some threads execute passively.
fn passive_equality(rng: &mut Rng) -> Sketch {
    let params = vec![varying(rng, 3), uniform(rng, 3), bits(rng)];
    let [test, branch] = if_equal(rng, ["%a", "%b"], "Y", "N");
    let when = one(rng, &[" when %c", " when %c", ""]);
    let at = one(rng, &["Y", "Y", "N"]);
    let mut body = format!("A:\n{test}  br label %T\nT:{when}\n{branch}");
    for name in ["Y", "N"] {
        let used = if at == name { "  %y = add i8 %a, 1\n" } else { "" };
        body += &format!("{name}:\n{used}  br label %E\n");
    }
    body += "E:\n  ret i8 %a\n";
    Sketch { before: String::new(), params, body }
}

/// A branch leaves one number for a varying value, and stands in a block that some threads execute passively.
fn passive_range(rng: &mut Rng) -> Sketch {
    let params = vec![varying(rng, 4), bits(rng)];
    let (test, used) = [
        ("eq i8 %a, 2", "add i8 %a, 1"),
        ("ult i8 %a, 1", "xor i8 %a, 5"),
        ("ult i8 %a, 2", "lshr i8 %a, 1"),
    ][rng.below(3)];
    let when = one(rng, &[" when %b", " when %b", ""]);
    let body = format!(
        "A:
  %few = icmp {test}
  br label %T
T:{when}
  br i1 %few, label %Y, label %N
Y:
  %y = {used}
  %z = add i8 %y, 1
  ret i8 %z
N:
  ret i8 %a
"
    );
    Sketch { before: String::new(), params, body }
}

/// Two loops; an edge leaves both of them. What is defined in the outer one differs behind it if threads part in either.
fn far_exit(rng: &mut Rng) -> Sketch {
    let params = vec![mostly_varying(rng, 4), mostly_varying(rng, 4), uniform(rng, 4)];
    let (skip, stay) = (one(rng, &["%a", "%b", "%c"]), one(rng, &["%a", "%b", "%c"]));
    let leave = one(rng, &["%a", "%b", "%c"]);
    let op = one(rng, &["add", "mul", "xor"]);
    let seen = one(rng, &["%o", "%i", "%k"]);
    let body = format!(
        "A:
  br label %O
O:
  %i = phi i8 [ 0, %A ], [ %ii, %L ]
  %o = {op} i8 %i, 3
  %skip = icmp ult i8 %i, {skip}
  br i1 %skip, label %L, label %H
H:
  %j = phi i8 [ 0, %O ], [ %jj, %M ]
  %k = {op} i8 %i, %j
  %jj = add i8 %j, 1
  %leave = icmp eq i8 %jj, {leave}
  br i1 %leave, label %X, label %M
M:
  %stay = icmp ult i8 %j, {stay}
  br i1 %stay, label %H, label %L
L:
  %ii = add i8 %i, 1
  %again = icmp ult i8 %ii, 6
  br i1 %again, label %O, label %Z
X:
  %x = add i8 {seen}, 1
  ret i8 %x
Z:
  ret i8 0
"
    );
    Sketch { before: String::new(), params, body }
}

/// Each thread leaves when a counter is its own number.
fn one_iteration(rng: &mut Rng) -> Sketch {
    let params = vec![mostly_varying(rng, 6), uniform(rng, 3)];
    let counted = one(rng, &["%i", "%i", "%u"]);
    let op = one(rng, &["add", "xor", "sub"]);
    let [test, branch] = if_equal(rng, ["%a", counted], "X", "L");
    let used = one(rng, &["%a", "%a", "%i"]);
    let body = format!(
        "A:
  br label %H
H:
  %i = phi i8 [ 0, %A ], [ %ii, %L ]
  %u = {op} i8 %i, %b
{test}{branch}L:
  %ii = add i8 %i, 1
  %again = icmp ult i8 %ii, 7
  br i1 %again, label %H, label %Z
X:
  %x = add i8 {used}, 1
  ret i8 %x
Z:
  ret i8 %a
"
    );
    Sketch { before: String::new(), params, body }
}

/// Lanes on two lines that are equally steep, near the ends of a small type.
fn equal_strides(rng: &mut Rng) -> Sketch {
    let near = |rng: &mut Rng| {
        let middle = [0, 128, 256][rng.below(3)];
        Param::Uniform(Type::I8, Val::Int(((middle + 253 + rng.below(6)) % 256) as u128))
    };
    let params = vec![Param::Thread, near(rng), near(rng)];
    let width = ["i8", "i8", "i4", "i3"][rng.below(4)];
    let narrow = |name: &str, from: &str| match width {
        "i8" => format!("  %{name} = add i8 {from}, 0\n"),
        _ => format!("  %{name} = trunc i8 {from} to {width}\n"),
    };
    let op = one(rng, &["add", "add", "sub"]);
    let test =
        one(rng, &["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne", "slt"]);
    let stride = 1 + rng.below(3);
    let body = format!(
        "A:
  %t = trunc i64 %a to {width}
  %s = mul {width} %t, {stride}
{}{}  %x = {op} {width} %u, %s
  %y = {op} {width} %v, %s
  %less = icmp {test} {width} %x, %y
  br i1 %less, label %B, label %C
B:
  br label %C
C:
  %r = phi i8 [ 1, %A ], [ 2, %B ]
  ret i8 %r
",
        narrow("u", "%b"),
        narrow("v", "%c"),
    );
    Sketch { before: String::new(), params, body }
}

/// Memory that threads write.
const SHARED: &str = "@shared = global i8 0\n";

/// `%q`: what threads learn from each other about `%a`, or find in memory that they write.
fn ask(rng: &mut Rng) -> &'static str {
    match rng.below(5) {
        0 => "  %q = any i1 (i1 %a)\n",
        1 => "  %q = all i1 (i1 %a)\n",
        2 => "  %s = ballot i8 (i1 %a)\n  %q = icmp ne i8 %s, 0\n",
        3 => "  %q = broadcast i1 (i1 %a)\n",
        _ => {
            "  %s = load i8, ptr @shared, align 1\n  %n = add i8 %s, 1\n  store i8 %n, ptr @shared, align 1\n  \
             %q = trunc i8 %s to i1\n"
        }
    }
}

fn rounds(rng: &mut Rng) -> Param {
    Param::Uniform(Type::I8, Val::Int(3 + rng.below(6) as u128))
}

/// Threads go back to the header over different latches.
fn two_latches(rng: &mut Rng) -> Sketch {
    let params = vec![bits(rng), bits(rng), rounds(rng)];
    let asked = ask(rng);
    let (early, late) = if rng.one_in(2) { (asked, "") } else { ("", asked) };
    let body = format!(
        "A:
  br label %H
H:
  %i = phi i8 [ 0, %A ], [ %j, %L ], [ %j, %M ]
{early}  %j = add i8 %i, 1
  br label %B
B:
{late}  %v = xor i1 %q, true
  %more = icmp ult i8 %j, %c
  br i1 %more, label %S, label %X
S:
  br i1 %b, label %L, label %M
L:
  br label %H
M:
  br label %H
X:
  %w = xor i1 %q, true
  ret i8 %i
"
    );
    Sketch { before: SHARED.into(), params, body }
}

/// Threads go back to the header out of an inner loop, each in its own iteration of that.
fn early_around(rng: &mut Rng) -> Sketch {
    let params = vec![bits(rng), mostly_varying(rng, 4), rounds(rng)];
    let asked = ask(rng);
    let body = format!(
        "A:
  br label %H
H:
  %i = phi i8 [ 0, %A ], [ %j, %I ]
{asked}  %j = add i8 %i, 1
  %more = icmp ult i8 %j, %c
  br i1 %more, label %I, label %X
I:
  %k = phi i8 [ 0, %H ], [ %l, %J ]
  %leave = icmp uge i8 %k, %b
  br i1 %leave, label %H, label %J
J:
  %l = add i8 %k, 1
  br label %I
X:
  %w = xor i1 %q, true
  ret i8 %i
"
    );
    Sketch { before: SHARED.into(), params, body }
}

/// A cycle with two entries, P and Q, which threads enter with different values of `%a`.
fn two_entries(rng: &mut Rng) -> Sketch {
    let params = vec![
        mostly_varying(rng, 3),
        uniform(rng, 3),
        uniform(rng, 3),
        bits(rng),
        mostly_varying(rng, 8),
        rounds(rng),
    ];
    let limits = [one(rng, &["%e", "%f", "%f"]), one(rng, &["%e", "%f", "%f"])];
    let [test, branch] = if_equal(rng, ["%a", "%b"], "P", "B");
    let asked = one(rng, &["any i1 (i1 %d)", "all i1 (i1 %d)", "broadcast i1 (i1 %d)"]);
    let start = rng.below(3);
    let body = format!(
        "A:
{test}{branch}B:
  %other = icmp eq i8 %a, %c
  br i1 %other, label %Q, label %Z
P:
  %i = phi i8 [ 0, %A ], [ %l, %Q ]
  %s = phi i1 [ false, %A ], [ %q, %Q ]
  %v = xor i1 %s, true
  %j = add i8 %i, 1
  %go = icmp ult i8 %j, {}
  br i1 %go, label %Q, label %X
Q:
  %k = phi i8 [ {start}, %B ], [ %j, %P ]
  %q = {asked}
  %l = add i8 %k, 1
  %more = icmp ult i8 %l, {}
  br i1 %more, label %P, label %X
X:
  %r = phi i8 [ %j, %P ], [ %l, %Q ]
  %x = add i8 %a, 1
  ret i8 %r
Z:
  ret i8 %a
",
        limits[0], limits[1]
    );
    Sketch { before: String::new(), params, body }
}

/// Threads enter a cycle at P or at Q, all of them at the same; they part in B and meet in Z, where they count in memory.
fn meet_inside(rng: &mut Rng) -> Sketch {
    let params = vec![bits(rng), bits(rng), rounds(rng), uniform(rng, 3)];
    let asked = one(rng, &["any i1 (i1 %a)", "all i1 (i1 %a)", "trunc i8 %s to i1"]);
    // Which entry the machine counts from depends on the order.
    let first = one(rng, &["label %P, label %Q", "label %Q, label %P"]);
    let body = format!(
        "A:
  %high = icmp ult i8 %d, 2
  br i1 %high, {first}
P:
  br label %Z
Z:
  %s = load i8, ptr @shared, align 1
  %n = add i8 %s, 1
  store i8 %n, ptr @shared, align 1
  %q = {asked}
  %more = icmp ult i8 %s, %c
  br i1 %more, label %Q, label %X
Q:
  %t = phi i8 [ 0, %A ], [ %s, %Z ]
  %low = and i8 %t, 3
  %again = icmp eq i8 %low, 2
  br i1 %again, label %P, label %B
B:
  br i1 %b, label %L, label %M
L:
  br label %Z
M:
  br label %Z
X:
  %w = xor i1 %q, true
  ret i8 %s
"
    );
    Sketch { before: SHARED.into(), params, body }
}

/// A call that no attribute and no table knows, with uniform arguments.
fn unknown_call(rng: &mut Rng) -> Sketch {
    let params = vec![uniform(rng, 9), mostly_varying(rng, 9)];
    let attrs = one(rng, &["", " attrs(fn: nounwind)"]);
    let given = one(rng, &["%a", "%a", "%b", "7"]);
    let body = format!(
        "A:
  %r = call i8 (i8) @{UNKNOWN}(i8 {given})
  %small = icmp ult i8 %r, 4
  br i1 %small, label %B, label %C
B:
  br label %C
C:
  %y = phi i8 [ 1, %A ], [ 2, %B ]
  ret i8 %y
"
    );
    Sketch { before: format!("declare @{UNKNOWN} : i8 (i8){attrs}\n"), params, body }
}
