//! What bodies do.

use super::{FOLLOWED, Gen, ROW};

/// How many kinds of statements there are, beside calls.
pub(super) const KINDS: usize = 26;

impl Gen {
    pub(super) fn statement(&mut self) {
        // What a program does not have is a call.
        let kind = match self.rng.below(KINDS + 3) {
            kind if kind < KINDS && self.kinds >> kind & 1 == 0 => self.allowed(),
            kind => kind,
        };
        match kind {
            0 => self.new_row(),
            1 => self.new_box(),
            2 => self.new_cell(),
            3 | 4 => {
                let cell = self.pick(|at| &at.cells);
                let loaded = self.load(&cell);
                self.at.functions.push(loaded);
            }
            5 => {
                let (cell, function) = (self.pick(|at| &at.cells), self.function());
                self.store(&function, &cell);
            }
            6 => self.copy_memory(),
            7 => {
                let (a, b) = (self.function(), self.function());
                let test = self.condition();
                let chosen = self.line(&format!("select i1 {test}, ptr {a}, ptr {b}"));
                let chosen = self.line(&format!("freeze ptr {chosen}"));
                self.at.functions.push(chosen);
            }
            8 => self.through_numbers(),
            9 => self.use_box(),
            10 => self.use_table(),
            11 => {
                let worker = self.pick(|at| &at.workers);
                self.store(&worker, "@hand");
            }
            12 => {
                let worker = self.load("@hand");
                self.at.workers.push(worker);
            }
            13 => self.call_worker(),
            14 => self.new_heap_row(),
            15 => self.use_pack(),
            16 => self.use_tagged(),
            17 => self.use_aggregate(),
            18 => self.use_vector(),
            19 => self.use_atomics(),
            20 => self.call_with_more(),
            21 => self.choose_worker(),
            22 => self.outside(),
            23 => self.control(),
            24 => self.use_devices(),
            25 => self.give_cell(),
            _ => {
                let function = self.function();
                let _ = self.line(&format!("call i64 (i64) {function}(i64 %n)"));
            }
        }
    }

    /// One of the kinds that a program has, or a call.
    fn allowed(&mut self) -> usize {
        let kinds: Vec<usize> = (0..KINDS).filter(|kind| self.kinds >> kind & 1 == 1).collect();
        kinds.get(self.rng.below(kinds.len() + 1)).copied().unwrap_or(KINDS)
    }

    /// One of several ways to do something; the last is the plainest.
    fn variant(&mut self, count: usize) -> usize {
        if self.kinds == FOLLOWED { count - 1 } else { self.rng.below(count) }
    }

    /// Puts functions into all places of new memory, so that none is undefined.
    fn fill(&mut self, row: &str) {
        for at in 0..ROW {
            let what = self.any_function();
            let cell = self.line(&format!("getelementptr ptr, ptr {row}, i64 {at}"));
            self.store(&what, &cell);
        }
        self.at.rows.push(row.to_string());
    }

    fn new_row(&mut self) {
        let row = self.line("alloca [4 x ptr], i32 1, align 8");
        self.fill(&row);
    }

    fn new_heap_row(&mut self) {
        let row = match self.rng.below(2) {
            0 => self.line("call ptr (i64) @malloc(i64 32)"),
            _ => self.line("call ptr (i64, i64) @calloc(i64 4, i64 8)"),
        };
        if self.variant(3) > 0 {
            return self.fill(&row);
        }
        self.fill(&row);
        // From now on only what it became counts.
        self.at.rows.pop();
        let moved = self.line(&format!("call ptr (ptr, i64) @realloc(ptr {row}, i64 64)"));
        let at = self.index(ROW);
        let cell = self.line(&format!("getelementptr ptr, ptr {moved}, i64 {at}"));
        let kept = self.load(&cell);
        self.at.functions.push(kept);
        self.at.rows.push(moved);
    }

    fn new_cell(&mut self) {
        let cell = match self.variant(4) {
            0 => self.load("@middle"),
            1 => {
                let at = self.index(2);
                let place =
                    self.line(&format!("getelementptr [2 x ptr], ptr @rows, i64 0, i64 {at}"));
                let row = self.load(&place);
                self.at.rows.push(row.clone());
                self.line(&format!("getelementptr i8, ptr {row}, i64 16"))
            }
            _ => {
                let (row, at) = (self.pick(|at| &at.rows), self.index(ROW));
                self.line(&format!("getelementptr [4 x ptr], ptr {row}, i64 0, i64 {at}"))
            }
        };
        self.at.cells.push(cell);
    }

    /// A cell elsewhere: chosen from two, or in the hands of a function that is called by name.
    fn give_cell(&mut self) {
        let (cell, function) = (self.pick(|at| &at.cells), self.function());
        match self.rng.below(3) {
            0 => {
                let (other, test) = (self.pick(|at| &at.cells), self.condition());
                let chosen = self.line(&format!("select i1 {test}, ptr {cell}, ptr {other}"));
                self.at.cells.push(chosen);
            }
            1 => {
                let visitor = ["@visit0", "@visit1"][self.rng.below(2)];
                let _ = self.line(&format!("call i64 (ptr, i64) {visitor}(ptr {cell}, i64 %n)"));
            }
            _ => {
                let _ = self.line(&format!(
                    "call i64 (ptr, ptr, i64) @put(ptr {cell}, ptr {function}, i64 %n)"
                ));
            }
        }
    }

    /// Copies of memory: whole, in part, or byte by byte.
    fn copy_memory(&mut self) {
        let copy = ["memcpy", "memmove"][self.rng.below(2)];
        let copy = format!("call void (ptr, ptr, i64, i1) @llvm.{copy}.p0.p0.i64");
        match self.variant(4) {
            0 => {
                let (to, from) = (self.pick(|at| &at.boxes), self.pick(|at| &at.boxes));
                self.put(&format!("{copy}(ptr {to}, ptr {from}, i64 16, i1 false)"));
            }
            1 => {
                let (to, from) = (self.pick(|at| &at.cells), self.pick(|at| &at.cells));
                for byte in 0..8 {
                    let at = self.line(&format!("getelementptr i8, ptr {from}, i64 {byte}"));
                    let value = self.line(&format!("load i8, ptr {at}, align 1"));
                    let at = self.line(&format!("getelementptr i8, ptr {to}, i64 {byte}"));
                    self.put(&format!("store i8 {value}, ptr {at}, align 1"));
                }
            }
            _ => {
                let (to, from) = (self.pick(|at| &at.rows), self.pick(|at| &at.rows));
                let from = if self.rng.below(3) == 0 { "@row0".to_string() } else { from };
                let size = if self.rng.below(2) == 0 {
                    "32".to_string()
                } else {
                    let half = self.line("urem i64 %n, 5");
                    self.line(&format!("mul i64 {half}, 8"))
                };
                // Two names may mean one row, of which a copy is the same as none.
                self.put(&format!("{copy}(ptr {to}, ptr {from}, i64 {size}, i1 false)"));
            }
        }
    }

    /// A function as a number: cast, tagged, kept in memory.
    fn through_numbers(&mut self) {
        let function = self.function();
        let mut number = self.line(&format!("ptrtoint ptr {function} to i64"));
        match self.variant(3) {
            0 => {
                let tagged = self.line(&format!("or i64 {number}, 1"));
                number = self.line(&format!("and i64 {tagged}, -2"));
            }
            1 => {
                let cell = self.pick(|at| &at.cells);
                self.put(&format!("store i64 {number}, ptr {cell}, align 8"));
                let cell = self.pick(|at| &at.cells);
                number = self.line(&format!("load i64, ptr {cell}, align 8"));
            }
            _ => {}
        }
        let again = self.line(&format!("inttoptr i64 {number} to ptr"));
        self.at.functions.push(again);
    }

    fn use_table(&mut self) {
        if self.variant(3) == 0 {
            let at = self.index(3);
            let offset = self.line(&format!("mul i64 {at}, 4"));
            let loaded = self.line(&format!(
                "call ptr (ptr, i64) @llvm.load.relative.i64(ptr @relative, i64 {offset})"
            ));
            return self.at.functions.push(loaded);
        }
        let (entry, at) = (self.index(3), 1 + self.rng.below(2));
        let place = self
            .line(&format!("getelementptr [3 x %entry], ptr @table, i64 0, i64 {entry}, i32 {at}"));
        let loaded = self.load(&place);
        if at == 1 { self.at.functions.push(loaded) } else { self.at.workers.push(loaded) }
    }

    fn new_box(&mut self) {
        let place = match self.rng.below(2) {
            0 => self.line("alloca %box, i32 1, align 8"),
            _ => self.line("call ptr (i64) @malloc(i64 16)"),
        };
        let (row, function) = (self.pick(|at| &at.rows), self.function());
        self.store(&row, &place);
        let second = self.line(&format!("getelementptr %box, ptr {place}, i32 0, i32 1"));
        self.store(&function, &second);
        self.at.boxes.push(place);
    }

    fn use_box(&mut self) {
        let place = self.pick(|at| &at.boxes);
        let second = self.line(&format!("getelementptr %box, ptr {place}, i32 0, i32 1"));
        match self.rng.below(4) {
            0 => {
                let row = self.load(&place);
                self.at.rows.push(row);
            }
            1 => {
                let row = self.pick(|at| &at.rows);
                self.store(&row, &place);
            }
            2 => {
                let function = self.load(&second);
                self.at.functions.push(function);
            }
            _ => {
                let function = self.function();
                self.store(&function, &second);
            }
        }
    }

    /// Structs in structs: fields by constant paths, and by a number in the array.
    fn use_pack(&mut self) {
        let pack = self.pick(|at| &at.packs);
        let field = |path: &str| format!("getelementptr %pack, ptr {pack}, i32 0, {path}");
        match self.rng.below(5) {
            0 => {
                let inner = self.line(&field("i32 1"));
                self.at.boxes.push(inner);
            }
            1 => {
                let at = self.index(2);
                let cell = self.line(&field(&format!("i32 2, i64 {at}")));
                self.at.cells.push(cell);
            }
            2 => {
                let place = self.line(&field("i32 3"));
                let worker = self.load(&place);
                self.at.workers.push(worker);
            }
            3 => {
                let (place, worker) = (self.line(&field("i32 3")), self.pick(|at| &at.workers));
                self.store(&worker, &place);
            }
            _ => {
                let copy = self.line("alloca %pack, i32 1, align 8");
                self.put(&format!(
                    "call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(ptr {copy}, ptr {pack}, i64 48, i1 false)"
                ));
                self.at.packs.push(copy);
            }
        }
    }

    /// A field that holds functions of two types; a tag says which. A result may be dropped, if the function is named: what comes out of
    /// memory that is not followed is assumed to have the type of the call.
    fn use_tagged(&mut self) {
        let tagged = self.pick(|at| &at.tagged);
        let place = self.line(&format!("getelementptr %tagged, ptr {tagged}, i32 0, i32 1"));
        match self.rng.below(3) {
            0 => {
                let new = self.line("alloca %tagged, i32 1, align 8");
                let place = self.line(&format!("getelementptr %tagged, ptr {new}, i32 0, i32 1"));
                let tag = self.rng.below(2);
                let what = if tag == 0 { self.leaf() } else { "@act1".into() };
                self.put(&format!("store i64 {tag}, ptr {new}, align 8"));
                self.store(&what, &place);
                self.at.tagged.push(new);
            }
            1 => {
                let function = self.load(&place);
                self.put(&format!("call void (i64) {function}(i64 %n)"));
            }
            _ => {
                let [leaf, act, done] = ["leaf", "act", "done"].map(|name| {
                    self.next += 1;
                    format!("{name}_{}", self.next)
                });
                let function = self.load(&place);
                let tag = self.line(&format!("load i64, ptr {tagged}, align 8"));
                let test = self.line(&format!("icmp eq i64 {tag}, 0"));
                self.put(&format!("br i1 {test}, label %{leaf}, label %{act}"));
                self.label(&leaf);
                let _ = self.line(&format!("call i64 (i64) {function}(i64 %n)"));
                self.put(&format!("br label %{done}"));
                self.label(&act);
                self.put(&format!("call void (i64) {function}(i64 %n)"));
                self.put(&format!("br label %{done}"));
                self.label(&done);
            }
        }
    }

    /// Boxes as values: put together, passed, returned, stored.
    fn use_aggregate(&mut self) {
        let (place, function) = (self.pick(|at| &at.boxes), self.function());
        let mut whole = self.line(&format!("load %box, ptr {place}, align 8"));
        whole = self.line(&format!("insertvalue %box {whole}, ptr {function}, 1"));
        if self.rng.below(2) == 0 {
            let other = self.function();
            whole = self.line(&format!(
                "call %box (%box, ptr, i64) @trade(%box {whole}, ptr {other}, i64 %n)"
            ));
        }
        let (row, function) = (
            self.line(&format!("extractvalue %box {whole}, 0")),
            self.line(&format!("extractvalue %box {whole}, 1")),
        );
        self.at.rows.push(row);
        self.at.functions.push(function);
        let place = self.pick(|at| &at.boxes);
        self.put(&format!("store %box {whole}, ptr {place}, align 8"));
    }

    fn use_vector(&mut self) {
        let (a, b, at) = (self.function(), self.function(), self.index(2));
        let one = self.line(&format!("insertelement <2 x ptr> poison, ptr {a}, i64 0"));
        let two = self.line(&format!("insertelement <2 x ptr> {one}, ptr {b}, i64 1"));
        let turned = self.line(&format!("shufflevector <2 x ptr> {two}, <2 x ptr> poison, [1, 0]"));
        let chosen = self.line(&format!("extractelement <2 x ptr> {turned}, i64 {at}"));
        self.at.functions.push(chosen);
    }

    fn use_atomics(&mut self) {
        let (cell, new) = (self.pick(|at| &at.cells), self.function());
        let old = if self.rng.below(2) == 0 {
            self.line(&format!("atomicrmw xchg ptr {cell}, ptr {new} seq_cst, align 8"))
        } else {
            let expected = self.function();
            let both = self.line(&format!(
                "cmpxchg ptr {cell}, ptr {expected}, ptr {new} acq_rel monotonic, align 8"
            ));
            self.line(&format!("extractvalue {{ ptr, i1 }} {both}, 0"))
        };
        self.at.functions.push(old);
    }
}
