//! Random programs that call through pointers, as text of the lock-step IR: tables and structs in globals, on the stack and in the heap,
//! copies, casts, variable arguments, aggregates, function pointers as parameters and results, and code outside that is called back.
//!
//! Values have kinds, so that programs are defined:
//!
//! | kind | what it points to |
//! | --- | --- |
//! | function | a leaf: `i64 (i64)` |
//! | row | `ROW` functions |
//! | cell | a function somewhere in a row |
//! | box | `{ row, function }` |
//! | pack | `{ number, box, two functions, worker }` |
//! | device | `{ number, function, function }` |
//! | table | three devices or more |
//! | tagged | `{ tag, f }`: a leaf if the tag is 0, else `void (i64)` |
//! | worker | takes a box, a function and a number, and yields a function |
//! | visitor | takes a cell and a number, and calls what is there |
//!
//! `globals` has what is there from the start, `statements` and `calls` what bodies do, `tables` what they do with arrays of structs, `control` where they branch, and `outside` the code that
//! the analysis does not get to see.

mod calls;
mod control;
mod globals;
mod outside;
mod statements;
mod tables;

use lw_cfa::generate::Rng;
use std::fmt::Write;

/// How many functions a row has.
const ROW: usize = 4;

/// The statements after which most pointers are still followed: rows, boxes, tables and workers.
const FOLLOWED: usize = ((1 << 15) - 1) | (1 << 24) | (1 << 25);

/// Arrays of structs and nothing else. Sets stay small, and functions are many: so what is at the wrong place shows.
const TABLES: usize = 1 << 24;

/// How many leaves a program has that has many of them.
const MANY: usize = 40;

/// Begins the part of a program that is outside.
const OUTSIDE: &str = "; outside";

/// What names stand for, by kind.
#[derive(Clone, Default)]
struct Scope {
    functions: Vec<String>,
    rows: Vec<String>,
    cells: Vec<String>,
    boxes: Vec<String>,
    packs: Vec<String>,
    tagged: Vec<String>,
    tables: Vec<String>,
    devices: Vec<String>,
    workers: Vec<String>,
    visitors: Vec<String>,
}

struct Gen {
    rng: Rng,
    out: String,
    /// The next name.
    next: usize,
    /// The block that is written.
    block: String,
    /// How deeply branches nest.
    depth: usize,
    at: Scope,
    leaves: usize,
    hands: usize,
    /// Which statements it has: a program with few kinds of them says more about each.
    kinds: usize,
}

/// The program of a seed. It starts at `@main`.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let kinds = match rng.below(6) {
        0 => usize::MAX,
        1 | 2 => FOLLOWED,
        3 => TABLES,
        _ => rng.below(1 << statements::KINDS) & rng.below(1 << statements::KINDS),
    };
    // With few functions each is soon everywhere; with many, one that is missing shows.
    let leaves = match rng.below(3) {
        0 => MANY,
        _ if kinds == TABLES => MANY,
        _ => 3 + rng.below(5),
    };
    let hands = if kinds == TABLES { 1 } else { 1 + rng.below(4) };
    let mut made = Gen {
        rng,
        out: String::new(),
        next: 0,
        block: String::new(),
        depth: 0,
        at: Scope::default(),
        leaves,
        hands,
        kinds,
    };
    made.globals();
    for hand in 0..hands {
        made.begin(&format!("work{hand}(ptr %b, ptr %f, i64 %n) -> ptr"));
        made.at.boxes.push("%b".into());
        made.at.functions.push("%f".into());
        made.body();
        let result = made.function();
        made.end(&format!("ret ptr {result}"));
    }
    made.begin("main(i64 %n) -> i64");
    made.body();
    made.end("ret i64 0");
    let _ = writeln!(made.out, "{OUTSIDE}");
    made.out.push_str(outside::CODE);
    made.out
}

/// A program as the analysis sees it, and as it runs: there, what it declares is defined.
pub(crate) fn parts(text: &str) -> (String, String) {
    let (inside, outside) = text.split_once(OUTSIDE).unwrap_or((text, ""));
    let declared = |line: &&str| outside.is_empty() || !outside::declares(line);
    let whole: Vec<&str> = inside.lines().filter(declared).chain(outside.lines()).collect();
    (inside.to_string(), whole.join("\n"))
}

impl Gen {
    /// A new function, and what is at hand in it.
    fn begin(&mut self, head: &str) {
        let _ = writeln!(self.out, "func @{head} {{");
        self.label("entry");
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        self.at = Scope {
            functions: names(&["@leaf0", "@leaf1", "@leaf_a", "@leaf_b"]),
            rows: names(&["@row1", "@row_a"]),
            cells: names(&["@cell_a", "@lone"]),
            boxes: names(&["@box"]),
            packs: names(&["@pack"]),
            tagged: names(&["@tagged0", "@tagged1"]),
            tables: names(&[
                "@devices",
                "@many",
                "getelementptr inbounds (i8, ptr @registry, i64 8)",
            ]),
            devices: names(&["@device"]),
            workers: names(&["@work0"]),
            visitors: names(&["@visit0", "@visit1"]),
        };
        if self.kinds == FOLLOWED {
            self.at.functions.truncate(2);
            self.at.rows.truncate(1);
            self.at.cells.remove(0);
        }
        if self.kinds == TABLES {
            self.at.functions.truncate(1);
            self.at.tables = vec![self.pick(|at| &at.tables)];
        }
    }

    fn end(&mut self, last: &str) {
        self.put(last);
        self.out.push_str("}\n\n");
    }

    fn label(&mut self, name: &str) {
        let _ = writeln!(self.out, "{name}:");
        self.block = name.into();
    }

    fn leaf(&mut self) -> String {
        format!("@leaf{}", self.rng.below(self.leaves))
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn pick(&mut self, kind: impl Fn(&Scope) -> &Vec<String>) -> String {
        let count = kind(&self.at).len();
        let at = self.rng.below(count);
        kind(&self.at)[at].clone()
    }

    fn function(&mut self) -> String {
        self.pick(|at| &at.functions)
    }

    /// One that is at hand, or any by its name.
    fn any_function(&mut self) -> String {
        if self.rng.below(2) == 0 { self.function() } else { self.leaf() }
    }

    fn put(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    /// `%name = …`.
    fn line(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.put(&format!("{name} = {text}"));
        name
    }

    fn store(&mut self, what: &str, place: &str) {
        self.put(&format!("store ptr {what}, ptr {place}, align 8"));
    }

    fn load(&mut self, place: &str) -> String {
        self.line(&format!("load ptr, ptr {place}, align 8"))
    }

    /// An index below a bound, constant or not.
    fn index(&mut self, below: usize) -> String {
        if self.rng.below(2) == 0 {
            return self.rng.below(below).to_string();
        }
        let sum = self.rng.below(9);
        let sum = self.line(&format!("add i64 %n, {sum}"));
        self.line(&format!("urem i64 {sum}, {below}"))
    }

    /// Whether %n is one number or another.
    fn condition(&mut self) -> String {
        let bound = 1 + self.rng.below(5);
        self.line(&format!("icmp ult i64 %n, {bound}"))
    }
}
