//! Random programs that call through pointers, as text of the lock-step IR: tables, structs, stack and heap memory, copies, casts,
//! function pointers as parameters and results.
//!
//! Values have kinds, so that programs are defined: a *function* is one of the leaves, a *row* points to `ROW` of them, a *cell* to one
//! somewhere in a row, a *box* to `{ row, function }`, a *worker* takes a box, a function and a number, and yields a function.

use lw_cfa::generate::Rng;
use std::fmt::Write;

/// How many functions a row has.
const ROW: usize = 4;

struct Gen {
    rng: Rng,
    out: String,
    /// The next name.
    next: usize,
    functions: Vec<String>,
    rows: Vec<String>,
    cells: Vec<String>,
    boxes: Vec<String>,
    workers: Vec<String>,
    leaves: usize,
    hands: usize,
}

/// The program of a seed. It starts at `@main`.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let (leaves, hands) = (3 + rng.below(5), 1 + rng.below(4));
    let mut made = Gen {
        rng,
        out: String::new(),
        next: 0,
        functions: Vec::new(),
        rows: Vec::new(),
        cells: Vec::new(),
        boxes: Vec::new(),
        workers: Vec::new(),
        leaves,
        hands,
    };
    made.globals();
    for leaf in 0..leaves {
        let _ = writeln!(
            made.out,
            "func @leaf{leaf}(i64 %x) -> i64 {{\nentry:\n  ret i64 {leaf}\n}}\n"
        );
    }
    for hand in 0..hands {
        let _ = writeln!(made.out, "func @work{hand}(ptr %b, ptr %f, i64 %n) -> ptr {{\nentry:");
        made.start();
        made.boxes.push("%b".into());
        made.functions.push("%f".into());
        made.body();
        let result = made.function();
        let _ = writeln!(made.out, "  ret ptr {result}\n}}\n");
    }
    made.out.push_str("func @main(i64 %n) -> i64 {\nentry:\n");
    made.start();
    made.body();
    made.out.push_str("  ret i64 0\n}\n");
    made.out
}

impl Gen {
    fn leaf(&mut self) -> String {
        format!("@leaf{}", self.rng.below(self.leaves))
    }

    fn globals(&mut self) {
        self.out.push_str(
            "layout \"e-i64:64-f80:128-n8:16:32:64-S128\"\n%box = type { ptr, ptr }\n%entry = type { i64, ptr, ptr }\n\
             declare @malloc : ptr (i64)\n\
             declare @llvm.memcpy.p0.p0.i64 : void (ptr, ptr, i64, i1)\n",
        );
        for row in 0..2 {
            let all: Vec<String> = (0..ROW).map(|_| format!("ptr {}", self.leaf())).collect();
            let kind = ["constant", "global"][row];
            let _ = writeln!(self.out, "@row{row} = {kind} [4 x ptr] [{}]", all.join(", "));
        }
        let entries: Vec<String> = (0..3)
            .map(|number| {
                let worker = self.rng.below(self.hands);
                let leaf = self.leaf();
                format!("%entry {{i64 {number}, ptr {leaf}, ptr @work{worker}}}")
            })
            .collect();
        let _ = writeln!(self.out, "@table = constant [3 x %entry] [{}]", entries.join(", "));
        let leaf = self.leaf();
        let _ = writeln!(self.out, "@box = global %box {{ptr @row1, ptr {leaf}}}");
        let _ = writeln!(self.out, "@hand = global ptr @work{}\n", self.rng.below(self.hands));
    }

    /// A new function body: what is at hand from the start.
    fn start(&mut self) {
        self.functions = vec!["@leaf0".into(), "@leaf1".into()];
        self.rows = vec!["@row1".into()];
        self.cells.clear();
        self.boxes = vec!["@box".into()];
        self.workers = vec!["@work0".into()];
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn pick(&mut self, kind: impl Fn(&Gen) -> &Vec<String>) -> String {
        let count = kind(self).len();
        let at = self.rng.below(count);
        kind(self)[at].clone()
    }

    fn function(&mut self) -> String {
        self.pick(|made| &made.functions)
    }

    /// `%name = …`.
    fn line(&mut self, text: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.out, "  {name} = {text}");
        name
    }

    fn store(&mut self, what: &str, place: &str) {
        let _ = writeln!(self.out, "  store ptr {what}, ptr {place}, align 8");
    }

    /// An index below a row's length, constant or not.
    fn index(&mut self, below: usize) -> String {
        if self.rng.below(2) == 0 {
            return self.rng.below(below).to_string();
        }
        let sum = self.rng.below(9);
        let sum = self.line(&format!("add i64 %n, {sum}"));
        self.line(&format!("urem i64 {sum}, {below}"))
    }

    fn body(&mut self) {
        for _ in 0..4 + self.rng.below(14) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.rng.below(17) {
            0 => self.new_row(),
            1 => self.new_box(),
            2 => {
                let (row, at) = (self.pick(|made| &made.rows), self.index(ROW));
                let cell =
                    self.line(&format!("getelementptr [4 x ptr], ptr {row}, i64 0, i64 {at}"));
                self.cells.push(cell);
            }
            3 | 4 if !self.cells.is_empty() => {
                let cell = self.pick(|made| &made.cells);
                let loaded = self.line(&format!("load ptr, ptr {cell}, align 8"));
                self.functions.push(loaded);
            }
            5 if !self.cells.is_empty() => {
                let (cell, function) = (self.pick(|made| &made.cells), self.function());
                self.store(&function, &cell);
            }
            6 => {
                let (to, from) = (self.pick(|made| &made.rows), self.pick(|made| &made.rows));
                let from = if self.rng.below(3) == 0 { "@row0".to_string() } else { from };
                let size = if self.rng.below(2) == 0 {
                    "32".to_string()
                } else {
                    let half = self.line("urem i64 %n, 5");
                    self.line(&format!("mul i64 {half}, 8"))
                };
                if to != from {
                    let copy = "call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64";
                    // Two names may mean one row, of which a copy is the same as none.
                    let _ =
                        writeln!(self.out, "  {copy}(ptr {to}, ptr {from}, i64 {size}, i1 false)");
                }
            }
            7 => {
                let (a, b) = (self.function(), self.function());
                let test = self.line("icmp ult i64 %n, 3");
                let chosen = self.line(&format!("select i1 {test}, ptr {a}, ptr {b}"));
                self.functions.push(chosen);
            }
            8 => {
                let function = self.function();
                let number = self.line(&format!("ptrtoint ptr {function} to i64"));
                let again = self.line(&format!("inttoptr i64 {number} to ptr"));
                self.functions.push(again);
            }
            9 => self.use_box(),
            10 => {
                let (entry, at) = (self.index(3), 1 + self.rng.below(2));
                let place = self.line(&format!(
                    "getelementptr [3 x %entry], ptr @table, i64 0, i64 {entry}, i32 {at}"
                ));
                let loaded = self.line(&format!("load ptr, ptr {place}, align 8"));
                if at == 1 { self.functions.push(loaded) } else { self.workers.push(loaded) }
            }
            11 => {
                let worker = self.pick(|made| &made.workers);
                self.store(&worker, "@hand");
            }
            12 => {
                let worker = self.line("load ptr, ptr @hand, align 8");
                self.workers.push(worker);
            }
            13 => self.call_worker(),
            14 => {
                let count = ROW * 8;
                let bits = self.function();
                let cell = self.line(&format!("call ptr (i64) @malloc(i64 {count})"));
                self.fill(&cell, &bits);
            }
            _ => {
                let function = self.function();
                let _ = self.line(&format!("call i64 (i64) {function}(i64 %n)"));
            }
        }
    }

    /// Puts functions into all places of new memory, so that none is undefined.
    fn fill(&mut self, row: &str, first: &str) {
        for at in 0..ROW {
            let what = if at == 0 { first.to_string() } else { self.function() };
            let cell = self.line(&format!("getelementptr ptr, ptr {row}, i64 {at}"));
            self.store(&what, &cell);
        }
        self.rows.push(row.to_string());
    }

    fn new_row(&mut self) {
        let row = self.line("alloca [4 x ptr], i32 1, align 8");
        let first = self.function();
        self.fill(&row, &first);
    }

    fn new_box(&mut self) {
        let place = match self.rng.below(2) {
            0 => self.line("alloca %box, i32 1, align 8"),
            _ => self.line("call ptr (i64) @malloc(i64 16)"),
        };
        let (row, function) = (self.pick(|made| &made.rows), self.function());
        self.store(&row, &place);
        let second = self.line(&format!("getelementptr %box, ptr {place}, i32 0, i32 1"));
        self.store(&function, &second);
        self.boxes.push(place);
    }

    fn use_box(&mut self) {
        let place = self.pick(|made| &made.boxes);
        let second = self.line(&format!("getelementptr %box, ptr {place}, i32 0, i32 1"));
        match self.rng.below(4) {
            0 => {
                let row = self.line(&format!("load ptr, ptr {place}, align 8"));
                self.rows.push(row);
            }
            1 => {
                let row = self.pick(|made| &made.rows);
                self.store(&row, &place);
            }
            2 => {
                let function = self.line(&format!("load ptr, ptr {second}, align 8"));
                self.functions.push(function);
            }
            _ => {
                let function = self.function();
                self.store(&function, &second);
            }
        }
    }

    fn call_worker(&mut self) {
        let (place, function) = (self.pick(|made| &made.boxes), self.function());
        let callee = match self.rng.below(2) {
            0 => self.pick(|made| &made.workers),
            _ => format!("@work{}", self.rng.below(self.hands)),
        };
        let result = self.line(&format!(
            "call ptr (ptr, ptr, i64) {callee}(ptr {place}, ptr {function}, i64 %n)"
        ));
        self.functions.push(result);
    }
}
