//! Loops whose bodies grow: one unit of code, over and over.

use std::fmt::Write;

/// A shape of code: its name, what it is about, and the body of a loop of so many units.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// About how many instructions a unit has.
    unit: usize,
    body: fn(usize) -> Body,
}

/// The blocks between the header and the latch of a loop. The first is `%b0`, the last jumps to `%latch`.
#[derive(Default)]
struct Body {
    /// What stands before the loop.
    before: String,
    /// More φs of its header.
    phis: String,
    blocks: String,
}

pub(crate) const SHAPES: &[Shape] = &[
    Shape {
        name: "accesses",
        about: "one block of loads, sums and stores",
        unit: 6,
        body: accesses,
    },
    Shape { name: "ifs", about: "one divergent `if` behind the other", unit: 7, body: ifs },
    Shape {
        name: "nested ifs",
        about: "each divergent `if` in the one before",
        unit: 5,
        body: nested_ifs,
    },
    Shape {
        name: "uniform ifs",
        about: "uniform `if`s with divergent ones in them",
        unit: 10,
        body: uniform_ifs,
    },
    Shape {
        name: "ladder",
        about: "early exits from a block, all to its end",
        unit: 4,
        body: ladder,
    },
    Shape {
        name: "whiles",
        about: "one small divergent loop behind the other",
        unit: 7,
        body: whiles,
    },
    Shape {
        name: "nests",
        about: "four divergent loops in each other, over and over",
        unit: 25,
        body: nests,
    },
    Shape {
        name: "switches",
        about: "one divergent `switch` of eight cases behind the other",
        unit: 21,
        body: switches,
    },
    Shape {
        name: "wide switch",
        about: "one divergent `switch` of all cases",
        unit: 3,
        body: wide_switch,
    },
    Shape {
        name: "exits",
        about: "divergent loops with three exits to different places",
        unit: 17,
        body: exits,
    },
    Shape {
        name: "searches",
        about: "divergent loops that all may end the iteration",
        unit: 11,
        body: searches,
    },
    Shape {
        name: "breaks",
        about: "one divergent loop that is left from everywhere",
        unit: 4,
        body: breaks,
    },
    Shape { name: "sum", about: "one block that adds to one number", unit: 4, body: sum },
    Shape {
        name: "records",
        about: "fields of records, one block of loads",
        unit: 3,
        body: records,
    },
    Shape { name: "stack", about: "an array on the stack for each unit", unit: 7, body: stack },
];

impl Shape {
    /// A function with a loop of about so many instructions. The header of the loop is its second block.
    pub(crate) fn function(&self, instructions: usize) -> String {
        let Body { before, phis, blocks } = (self.body)((instructions / self.unit).max(1));
        format!(
            "func @f(ptr %a, ptr %b, i64 %n, i32 %u) -> void {{\n\
             entry:\n{before}  br label %head\n\
             head:\n  %i = phi i64 [ 0, %entry ], [ %next, %latch ]\n{phis}\
             \x20 %p = getelementptr i32, ptr %a, i64 %i\n  %x = load i32, ptr %p, align 4\n  br label %b0\n\
             {blocks}\
             latch:\n  %next = add i64 %i, 1\n  %more = icmp slt i64 %next, %n\n\
             \x20 br i1 %more, label %head, label %end\n\
             end:\n  ret void\n}}\n"
        )
    }
}

fn blocks(blocks: String) -> Body {
    Body { blocks, ..Body::default() }
}

/// The result of the unit before unit `i`.
fn result_before(i: usize) -> String {
    if i == 0 { "%x".into() } else { format!("%r{}", i - 1) }
}

/// What comes behind unit `i` of `n`.
fn next(i: usize, n: usize) -> String {
    next_or(i, n, "latch")
}

/// The same, if another block is behind them all.
fn next_or(i: usize, n: usize, last: &str) -> String {
    if i + 1 < n { format!("b{}", i + 1) } else { last.into() }
}

/// The end of the block in front of the latch: a value is stored.
fn store(value: &str) -> String {
    format!(
        "  %out = getelementptr i32, ptr %b, i64 %i\n  store i32 {value}, ptr %out, align 4\n  br label %latch\n"
    )
}

fn accesses(n: usize) -> Body {
    let mut text = String::from("b0:\n");
    for i in 0..n {
        let _ = writeln!(
            text,
            "  %i{i} = add i64 %i, {}\n  %p{i} = getelementptr i32, ptr %a, i64 %i{i}\n  %x{i} = load i32, ptr %p{i}, align 4\n\
             \x20 %y{i} = add i32 %x{i}, %x\n  %q{i} = getelementptr i32, ptr %b, i64 %i{i}\n  store i32 %y{i}, ptr %q{i}, align 4",
            i * 16
        );
    }
    blocks(text + "  br label %latch\n")
}

fn ifs(n: usize) -> Body {
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(
            text,
            "b{i}:\n  %c{i} = icmp slt i32 {from}, {i}\n  br i1 %c{i}, label %t{i}, label %e{i}\n\
             t{i}:\n  %y{i} = add i32 {from}, %x\n  %z{i} = mul i32 %y{i}, %y{i}\n  br label %e{i}\n\
             e{i}:\n  %r{i} = phi i32 [ {from}, %b{i} ], [ %z{i}, %t{i} ]\n  br label %{}",
            next(i, n)
        );
    }
    blocks(store_last(text, n))
}

/// Puts a store of the last unit's value in front of the latch.
fn store_last(text: String, n: usize) -> String {
    text.replace("label %latch", "label %last") + "last:\n" + &store(&format!("%r{}", n - 1))
}

fn nested_ifs(n: usize) -> Body {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(
            text,
            "b{i}:\n  %y{i} = add i32 %x, {i}\n  %c{i} = icmp slt i32 %y{i}, 7\n  br i1 %c{i}, label %b{}, label %e{i}",
            i + 1
        );
    }
    let _ = writeln!(text, "b{n}:\n  br label %e{}", n - 1);
    for i in (0..n).rev() {
        let from = if i + 1 < n { format!("e{}", i + 1) } else { format!("b{n}") };
        let to = if i > 0 { format!("e{}", i - 1) } else { "last".into() };
        let _ = writeln!(
            text,
            "e{i}:\n  %r{i} = phi i32 [ %y{i}, %b{i} ], [ %x, %{from} ]\n  br label %{to}"
        );
    }
    blocks(text + "last:\n" + &store("%r0"))
}

fn uniform_ifs(n: usize) -> Body {
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(
            text,
            "b{i}:\n  %u{i} = icmp slt i32 %u, {i}\n  br i1 %u{i}, label %s{i}, label %e{i}\n\
             s{i}:\n  %c{i} = icmp slt i32 {from}, {i}\n  br i1 %c{i}, label %t{i}, label %j{i}\n\
             t{i}:\n  %y{i} = add i32 {from}, %x\n  br label %j{i}\n\
             j{i}:\n  %z{i} = phi i32 [ {from}, %s{i} ], [ %y{i}, %t{i} ]\n  br label %e{i}\n\
             e{i}:\n  %r{i} = phi i32 [ {from}, %b{i} ], [ %z{i}, %j{i} ]\n  br label %{}",
            next(i, n)
        );
    }
    blocks(store_last(text, n))
}

fn ladder(n: usize) -> Body {
    let mut text = String::new();
    let mut phi = String::new();
    for i in 0..n {
        let next = next_or(i, n, "fall");
        let _ = writeln!(
            text,
            "b{i}:\n  %y{i} = add i32 %x, {i}\n  %c{i} = icmp slt i32 %y{i}, 7\n  br i1 %c{i}, label %last, label %{next}"
        );
        let _ = write!(phi, "[ %y{i}, %b{i} ], ");
    }
    let _ = writeln!(text, "fall:\n  br label %last\nlast:\n  %r = phi i32 {phi}[ 0, %fall ]");
    blocks(text + &store("%r"))
}

fn whiles(n: usize) -> Body {
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(
            text,
            "b{i}:\n  br label %w{i}\n\
             w{i}:\n  %k{i} = phi i32 [ {from}, %b{i} ], [ %d{i}, %t{i} ]\n  %c{i} = icmp sgt i32 %k{i}, {i}\n  br i1 %c{i}, label %t{i}, label %e{i}\n\
             t{i}:\n  %d{i} = sub i32 %k{i}, 3\n  br label %w{i}\n\
             e{i}:\n  %r{i} = add i32 %k{i}, %x\n  br label %{}",
            next(i, n)
        );
    }
    blocks(store_last(text, n))
}

fn nests(n: usize) -> Body {
    const DEPTH: usize = 4;
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(text, "b{i}:\n  br label %h{i}x0");
        for d in 0..DEPTH {
            let outer = if d == 0 { format!("b{i}") } else { format!("h{i}x{}", d - 1) };
            let inner = if d + 1 < DEPTH { format!("h{i}x{}", d + 1) } else { format!("t{i}x{d}") };
            let _ = writeln!(
                text,
                "h{i}x{d}:\n  %k{i}x{d} = phi i32 [ {from}, %{outer} ], [ %n{i}x{d}, %t{i}x{d} ]\n  br label %{inner}"
            );
        }
        for d in (0..DEPTH).rev() {
            let out = if d == 0 { format!("e{i}") } else { format!("t{i}x{}", d - 1) };
            let _ = writeln!(
                text,
                "t{i}x{d}:\n  %n{i}x{d} = add i32 %k{i}x{d}, {}\n  %c{i}x{d} = icmp slt i32 %n{i}x{d}, %x\n\
                 \x20 br i1 %c{i}x{d}, label %h{i}x{d}, label %{out}",
                d + 1
            );
        }
        let _ = writeln!(text, "e{i}:\n  %r{i} = sub i32 %n{i}x0, {i}\n  br label %{}", next(i, n));
    }
    blocks(store_last(text, n))
}

fn switches(n: usize) -> Body {
    const CASES: usize = 8;
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let cases: Vec<String> = (0..CASES).map(|c| format!("{c}: label %c{i}x{c}")).collect();
        let _ = writeln!(
            text,
            "b{i}:\n  %m{i} = and i32 {from}, 15\n  switch i32 %m{i}, label %e{i} [{}]",
            cases.join(", ")
        );
        let mut phi = format!("[ {from}, %b{i} ]");
        for c in 0..CASES {
            let _ = writeln!(
                text,
                "c{i}x{c}:\n  %y{i}x{c} = add i32 {from}, {}\n  br label %e{i}",
                c * i
            );
            let _ = write!(phi, ", [ %y{i}x{c}, %c{i}x{c} ]");
        }
        let _ = writeln!(text, "e{i}:\n  %r{i} = phi i32 {phi}\n  br label %{}", next(i, n));
    }
    blocks(store_last(text, n))
}

fn wide_switch(n: usize) -> Body {
    let cases: Vec<String> = (0..n).map(|c| format!("{c}: label %c{c}")).collect();
    let mut text = format!("b0:\n  switch i32 %x, label %last [{}]\n", cases.join(", "));
    let mut phi = String::from("[ 0, %b0 ]");
    for c in 0..n {
        let _ = writeln!(text, "c{c}:\n  %y{c} = mul i32 %x, {c}\n  br label %last");
        let _ = write!(phi, ", [ %y{c}, %c{c} ]");
    }
    let _ = writeln!(text, "last:\n  %r = phi i32 {phi}");
    blocks(text + &store("%r"))
}

fn exits(n: usize) -> Body {
    let mut text = String::new();
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(
            text,
            "b{i}:\n  br label %w{i}\n\
             w{i}:\n  %k{i} = phi i32 [ {from}, %b{i} ], [ %d{i}, %v{i} ]\n  %c{i} = icmp sgt i32 %k{i}, {i}\n  br i1 %c{i}, label %t{i}, label %f{i}\n\
             t{i}:\n  %d{i} = sub i32 %k{i}, 3\n  %g{i} = icmp eq i32 %d{i}, %x\n  br i1 %g{i}, label %o{i}, label %v{i}\n\
             v{i}:\n  %m{i} = icmp slt i32 %d{i}, %u\n  br i1 %m{i}, label %w{i}, label %q{i}\n\
             f{i}:\n  %y{i} = add i32 %k{i}, %x\n  br label %e{i}\n\
             o{i}:\n  %z{i} = mul i32 %d{i}, %x\n  br label %e{i}\n\
             q{i}:\n  %s{i} = xor i32 %d{i}, %x\n  br label %e{i}\n\
             e{i}:\n  %r{i} = phi i32 [ %y{i}, %f{i} ], [ %z{i}, %o{i} ], [ %s{i}, %q{i} ]\n  br label %{}",
            next(i, n)
        );
    }
    blocks(store_last(text, n))
}

fn searches(n: usize) -> Body {
    let mut text = String::new();
    let mut phi = String::new();
    for i in 0..n {
        let from = result_before(i);
        let next = next_or(i, n, "fall");
        let _ = writeln!(
            text,
            "b{i}:\n  br label %w{i}\n\
             w{i}:\n  %k{i} = phi i32 [ {from}, %b{i} ], [ %d{i}, %t{i} ]\n  %c{i} = icmp sgt i32 %k{i}, {i}\n  br i1 %c{i}, label %t{i}, label %e{i}\n\
             t{i}:\n  %d{i} = sub i32 %k{i}, 3\n  %g{i} = icmp eq i32 %d{i}, %x\n  br i1 %g{i}, label %last, label %w{i}\n\
             e{i}:\n  %r{i} = add i32 %k{i}, %x\n  br label %{next}"
        );
        let _ = write!(phi, "[ %d{i}, %t{i} ], ");
    }
    let _ = writeln!(text, "fall:\n  br label %last\nlast:\n  %r = phi i32 {phi}[ 0, %fall ]");
    blocks(text + &store("%r"))
}

fn breaks(n: usize) -> Body {
    let mut text = String::from(
        "b0:\n  br label %w\nw:\n  %k = phi i32 [ 0, %b0 ], [ %d, %v ]\n  br label %s0\n",
    );
    let mut phi = String::new();
    for i in 0..n {
        let next = if i + 1 < n { format!("s{}", i + 1) } else { "v".into() };
        let _ = writeln!(
            text,
            "s{i}:\n  %y{i} = add i32 %x, {i}\n  %c{i} = icmp slt i32 %y{i}, %k\n  br i1 %c{i}, label %last, label %{next}"
        );
        let _ = write!(phi, "[ %y{i}, %s{i} ], ");
    }
    let _ = writeln!(
        text,
        "v:\n  %d = add i32 %k, 1\n  %m = icmp slt i32 %d, %u\n  br i1 %m, label %w, label %last\n\
         last:\n  %r = phi i32 {phi}[ 0, %v ]"
    );
    blocks(text + &store("%r"))
}

fn records(n: usize) -> Body {
    let mut text =
        String::from("b0:\n  %j = mul i64 %i, 3\n  %base = getelementptr i32, ptr %a, i64 %j\n");
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(
            text,
            "  %p{i} = getelementptr i32, ptr %base, i64 {}\n  %x{i} = load i32, ptr %p{i}, align 4\n  %r{i} = add i32 {from}, %x{i}",
            i / 2 * 30 + i % 2
        );
    }
    blocks(store_last(text + "  br label %latch\n", n))
}

fn sum(n: usize) -> Body {
    let mut text = String::from("b0:\n");
    for i in 0..n {
        let from = if i == 0 { "%s".into() } else { format!("%s{}", i - 1) };
        let _ = writeln!(
            text,
            "  %i{i} = add i64 %i, {}\n  %p{i} = getelementptr i32, ptr %a, i64 %i{i}\n  %x{i} = load i32, ptr %p{i}, align 4\n\
             \x20 %s{i} = add i32 {from}, %x{i}",
            i * 16
        );
    }
    let phis = format!("  %s = phi i32 [ 0, %entry ], [ %s{}, %latch ]\n", n - 1);
    Body { phis, blocks: text + "  br label %latch\n", ..Body::default() }
}

fn stack(n: usize) -> Body {
    let mut before = String::new();
    let mut text = String::from("b0:\n");
    for i in 0..n {
        let from = result_before(i);
        let _ = writeln!(before, "  %o{i} = alloca [4 x i32], i32 1, align 4");
        let _ = writeln!(
            text,
            "  store i32 {from}, ptr %o{i}, align 4\n  %m{i} = and i32 {from}, 3\n  %w{i} = zext i32 %m{i} to i64\n\
             \x20 %q{i} = getelementptr i32, ptr %o{i}, i64 %w{i}\n  store i32 %x, ptr %q{i}, align 4\n\
             \x20 %y{i} = load i32, ptr %o{i}, align 4\n  %r{i} = add i32 %y{i}, {i}"
        );
    }
    Body { before, phis: String::new(), blocks: store_last(text + "  br label %latch\n", n) }
}
