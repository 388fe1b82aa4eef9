//! Calls of workers, with more arguments than parameters, and of code outside.

use super::Gen;

impl Gen {
    pub(super) fn call_worker(&mut self) {
        let (place, function) = (self.pick(|at| &at.boxes), self.function());
        let callee = match self.rng.below(2) {
            0 => self.pick(|at| &at.workers),
            _ => format!("@work{}", self.rng.below(self.hands)),
        };
        let result = self.line(&format!(
            "call ptr (ptr, ptr, i64) {callee}(ptr {place}, ptr {function}, i64 %n)"
        ));
        self.at.functions.push(result);
    }

    /// Variable arguments, by name and through a pointer.
    pub(super) fn call_with_more(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.function());
        let callee = match self.rng.below(2) {
            0 => "@vary".into(),
            _ => self.load("@varies"),
        };
        let result =
            self.line(&format!("call ptr (i64, ...) {callee}(i64 %n, ptr {a}, ptr {b}, ptr {c})"));
        self.at.functions.push(result);
    }

    /// Functions that take functions and yield one of them.
    pub(super) fn choose_worker(&mut self) {
        let callee = match self.rng.below(2) {
            0 => "@choose".into(),
            _ => self.load("@chooser"),
        };
        let workers = self.rng.below(2) == 0;
        let [a, b] = [(); 2].map(|()| match workers {
            true => self.pick(|at| &at.workers),
            false => self.pick(|at| &at.visitors),
        });
        let chosen =
            self.line(&format!("call ptr (ptr, ptr, i64) {callee}(ptr {a}, ptr {b}, i64 %n)"));
        if workers {
            self.at.workers.push(chosen);
        } else {
            let cell = self.pick(|at| &at.cells);
            let _ = self.line(&format!("call i64 (ptr, i64) {chosen}(ptr {cell}, i64 %n)"));
            self.at.visitors.push(chosen);
        }
    }

    /// Code outside gets something, and something comes back.
    pub(super) fn outside(&mut self) {
        let (function, cell) = (self.function(), self.pick(|at| &at.cells));
        match self.rng.below(9) {
            0 => {
                let _ =
                    self.line(&format!("call i64 (ptr, i64) @out_apply(ptr {function}, i64 %n)"));
            }
            1 => self.put(&format!("call void (ptr) @out_keep(ptr {function})")),
            2 => {
                let kept = self.line("call ptr () @out_recall()");
                self.at.functions.push(kept);
            }
            3 => self.put(&format!("call void (ptr) @out_poke(ptr {cell})")),
            4 => {
                let _ = self.line(&format!("call i64 (ptr, i64) @out_peek(ptr {cell}, i64 %n)"));
            }
            5 => {
                // It keeps the memory, so it must not be on the stack.
                let row = ["@row1", "@row2"][self.rng.below(2)];
                self.put(&format!("call void (ptr) @out_lend(ptr {row})"));
            }
            6 => {
                let _ = self.line("call i64 (i64) @out_touch(i64 %n)");
            }
            7 => {
                let (row, visit) = (self.pick(|at| &at.rows), self.pick(|at| &at.visitors));
                let _ = self.line(&format!(
                    "call i64 (ptr, ptr, i64) @out_each(ptr {row}, ptr {visit}, i64 %n)"
                ));
            }
            _ => {
                self.store(&function, "@out_slot");
                let found = self.load("@out_slot");
                self.at.functions.push(found);
            }
        }
    }
}
