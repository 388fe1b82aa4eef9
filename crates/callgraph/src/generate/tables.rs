//! Arrays of structs: elements by numbers that are not constant, fields by constants, in all the ways addresses are written.
//!
//! A *table* is at least [`LENGTH`] devices, a *device* is `{ number, function, function }`.

use super::Gen;

/// How many devices a table has at least.
pub(super) const LENGTH: usize = 3;

/// `24 * WRAPS` is 8 in 64 bits.
const WRAPS: i64 = 768_614_336_404_564_651;
/// `24 * WRAPS_32` is 8 in 32 bits.
const WRAPS_32: i64 = 178_956_971;
/// From -24, read without a sign from 32 bits, to 8.
const BACK_32: i64 = 8 - ((1 << 32) - 24);

/// Functions that get tables and devices: one walks from device to device, one from field to field, one exchanges fields, one gets the device before and one the tenth
/// before, and one goes back to the first function of a table, and from there to the last.
pub(super) const FIXED: &str = "\
func @walk(ptr %t, i64 %n) -> ptr {
entry:
  br label %head
head:
  %d = phi ptr [ %t, %entry ], [ %next, %head ]
  %i = phi i64 [ 0, %entry ], [ %more, %head ]
  %p = getelementptr inbounds %device, ptr %d, i64 0, i32 1
  %f = load ptr, ptr %p, align 8
  %r = call i64 (i64) %f(i64 %n)
  %next = getelementptr inbounds %device, ptr %d, i64 1
  %more = add i64 %i, 1
  %test = icmp ult i64 %more, 3
  br i1 %test, label %head, label %done
done:
  %last = getelementptr inbounds i8, ptr %d, i64 16
  %g = load ptr, ptr %last, align 8
  ret ptr %g
}

func @exchange(ptr %t, ptr %f, i64 %i) -> ptr {
entry:
  %o = mul nsw i64 %i, 24
  %o8 = add nsw i64 %o, 8
  %p = getelementptr inbounds i8, ptr %t, i64 %o8
  %old = load ptr, ptr %p, align 8
  store ptr %f, ptr %p, align 8
  %q = getelementptr inbounds %device, ptr %t, i64 %i, i32 2
  %g = load ptr, ptr %q, align 8
  store ptr %old, ptr %q, align 8
  ret ptr %g
}

func @behind(ptr %d, ptr %f, i64 %n) -> i64 {
entry:
  %p = getelementptr i8, ptr %d, i64 32
  %g = load ptr, ptr %p, align 8
  %r = call i64 (i64) %g(i64 %n)
  %q = getelementptr i8, ptr %d, i64 40
  store ptr %f, ptr %q, align 8
  ret i64 %r
}

func @far_behind(ptr %d, ptr %f, i64 %n) -> i64 {
entry:
  %p = getelementptr i8, ptr %d, i64 248
  %g = load ptr, ptr %p, align 8
  %r = call i64 (i64) %g(i64 %n)
  %q = getelementptr i8, ptr %d, i64 256
  store ptr %f, ptr %q, align 8
  ret i64 %r
}

func @step(ptr %t, i64 %n) -> ptr {
entry:
  br label %head
head:
  %o = phi i64 [ 8, %entry ], [ %next, %head ]
  %p = getelementptr inbounds i8, ptr %t, i64 %o
  %f = load ptr, ptr %p, align 8
  %r = call i64 (i64) %f(i64 %n)
  %next = add nsw i64 %o, 24
  %test = icmp ult i64 %next, 72
  br i1 %test, label %head, label %done
done:
  ret ptr %f
}

func @beside(ptr %p, i64 %i, i64 %n) -> i64 {
entry:
  %back = sub nsw i64 0, %i
  %o = mul nsw i64 %back, 24
  %o8 = add nsw i64 %o, -8
  %q = getelementptr inbounds i8, ptr %p, i64 %o8
  %f = load ptr, ptr %q, align 8
  %r = call i64 (i64) %f(i64 %n)
  %last = getelementptr inbounds i8, ptr %q, i64 56
  %g = load ptr, ptr %last, align 8
  %s = call i64 (i64) %g(i64 %n)
  ret i64 %s
}

";

impl Gen {
    pub(super) fn use_devices(&mut self) {
        match self.rng.below(9) {
            0 => self.new_table(),
            1 => {
                let device = self.element();
                self.at.devices.push(device);
            }
            2 | 3 => {
                let place = self.field();
                let function = self.load(&place);
                self.at.functions.push(function);
            }
            4 | 5 => {
                let (place, function) = (self.field(), self.function());
                self.store(&function, &place);
            }
            6 => {
                let chosen = self.one_of_two();
                self.at.devices.push(chosen);
            }
            _ => self.give_table(),
        }
    }

    /// A table on the stack or in the heap.
    fn new_table(&mut self) {
        let table = match self.rng.below(3) {
            0 => self.line("call ptr (i64) @malloc(i64 72)"),
            1 => self.line("alloca [72 x i8], i32 1, align 8"),
            _ => self.line("alloca [3 x %device], i32 1, align 8"),
        };
        for at in [8, 16, 32, 40, 56, 64] {
            let function = self.any_function();
            let place = self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {at}"));
            self.store(&function, &place);
        }
        self.at.tables.push(table);
    }

    /// A number, not known to be constant.
    fn hidden(&mut self, number: i64) -> String {
        let zero = self.line("sub i64 %n, %n");
        self.line(&format!("add i64 {zero}, {number}"))
    }

    /// A device that is at hand, or one of a table.
    fn one_of_two(&mut self) -> String {
        let (a, b) = (self.pick(|at| &at.devices), self.element());
        let test = self.condition();
        self.line(&format!("select i1 {test}, ptr {a}, ptr {b}"))
    }

    /// A device of a table.
    fn element(&mut self) -> String {
        let table = self.pick(|at| &at.tables);
        let at = self.index(LENGTH);
        match self.rng.below(6) {
            0 => self.line(&format!(
                "getelementptr inbounds [3 x %device], ptr {table}, i64 0, i64 {at}"
            )),
            1 => {
                let by = self.line(&format!("mul nsw i64 {at}, 24"));
                self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {by}"))
            }
            2 => {
                let by = self.line(&format!("mul i64 {at}, 24"));
                self.line(&format!("getelementptr i8, ptr {table}, i64 {by}"))
            }
            3 => {
                let last =
                    self.line(&format!("getelementptr inbounds %device, ptr {table}, i64 2"));
                let by = self.line(&format!("sub nsw i64 0, {at}"));
                self.line(&format!("getelementptr inbounds %device, ptr {last}, i64 {by}"))
            }
            4 => self.line(&format!("getelementptr %device, ptr {table}, i64 {at}")),
            _ => self.line(&format!("getelementptr inbounds %device, ptr {table}, i64 {at}")),
        }
    }

    /// The place of a function in a device.
    fn field(&mut self) -> String {
        let which = 1 + self.rng.below(2);
        if self.rng.below(2) == 0 {
            let device = self.pick(|at| &at.devices);
            return match self.rng.below(2) {
                0 => self.line(&format!(
                    "getelementptr inbounds %device, ptr {device}, i32 0, i32 {which}"
                )),
                _ => self.line(&format!("getelementptr i8, ptr {device}, i64 {}", 8 * which)),
            };
        }
        let (table, at) = (self.pick(|at| &at.tables), self.index(LENGTH));
        match self.rng.below(5) {
            0 => {
                let first = self
                    .line(&format!("getelementptr inbounds i8, ptr {table}, i64 {}", 8 * which));
                self.line(&format!("getelementptr inbounds %device, ptr {first}, i64 {at}"))
            }
            1 => {
                let by = self.line(&format!("mul nsw i64 {at}, 24"));
                let by = self.line(&format!("add nsw i64 {by}, {}", 8 * which));
                self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {by}"))
            }
            2 => self.wrapped(&table),
            _ => self.line(&format!(
                "getelementptr inbounds %device, ptr {table}, i64 {at}, i32 {which}"
            )),
        }
    }

    /// The first function of a table, by a multiple of the size of a device.
    fn wrapped(&mut self, table: &str) -> String {
        match self.rng.below(4) {
            0 => {
                let at = self.hidden(WRAPS);
                self.line(&format!("getelementptr %device, ptr {table}, i64 {at}"))
            }
            1 => {
                let at = self.hidden(WRAPS);
                let by = self.line(&format!("mul i64 {at}, 24"));
                self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {by}"))
            }
            2 => {
                let at = self.hidden(-1);
                let at = self.line(&format!("trunc i64 {at} to i32"));
                let by = self.line(&format!("mul nsw i32 {at}, 24"));
                let by = self.line(&format!("zext i32 {by} to i64"));
                let by = self.line(&format!("add nsw i64 {by}, {BACK_32}"));
                self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {by}"))
            }
            _ => {
                let at = self.hidden(WRAPS_32);
                let at = self.line(&format!("trunc i64 {at} to i32"));
                let by = self.line(&format!("mul i32 {at}, 24"));
                let by = self.line(&format!("zext i32 {by} to i64"));
                self.line(&format!("getelementptr inbounds i8, ptr {table}, i64 {by}"))
            }
        }
    }

    /// Functions get tables, devices, the place before a device, and the place of a function in one.
    fn give_table(&mut self) {
        let (table, function) = (self.pick(|at| &at.tables), self.function());
        match self.rng.below(4) {
            0 => {
                let callee = ["@walk", "@step"][self.rng.below(2)];
                let result =
                    self.line(&format!("call ptr (ptr, i64) {callee}(ptr {table}, i64 %n)"));
                self.at.functions.push(result);
            }
            1 => {
                let at = self.index(LENGTH);
                let result = self.line(&format!(
                    "call ptr (ptr, ptr, i64) @exchange(ptr {table}, ptr {function}, i64 {at})"
                ));
                self.at.functions.push(result);
            }
            2 => {
                let device = match self.rng.below(3) {
                    0 => self.pick(|at| &at.devices),
                    1 => self.one_of_two(),
                    _ => self.element(),
                };
                let (callee, devices) = [("@behind", 1), ("@far_behind", 10)][self.rng.below(2)];
                let before = match self.rng.below(2) {
                    0 => {
                        self.line(&format!("getelementptr i8, ptr {device}, i64 -{}", 24 * devices))
                    }
                    _ => {
                        let back = self.hidden(-devices);
                        self.line(&format!("getelementptr %device, ptr {device}, i64 {back}"))
                    }
                };
                let _ = self.line(&format!(
                    "call i64 (ptr, ptr, i64) {callee}(ptr {before}, ptr {function}, i64 %n)"
                ));
            }
            _ => {
                let at = self.index(LENGTH);
                let place = self
                    .line(&format!("getelementptr inbounds %device, ptr {table}, i64 {at}, i32 2"));
                let _ = self.line(&format!(
                    "call i64 (ptr, i64, i64) @beside(ptr {place}, i64 {at}, i64 %n)"
                ));
            }
        }
    }
}
