//! The transfer functions, one for each form.

use super::Solver;
use crate::flow::image::{FLAG, Form, NONE};
use crate::flow::set::bits;
use crate::prims::Class;

impl Solver<'_> {
    /// Applies the operations that are active, form by form.
    pub(super) fn apply(&mut self) {
        let mut lists = std::mem::take(&mut self.active);
        for (form, ops) in lists.iter_mut().enumerate() {
            for op in ops.drain(..) {
                match form {
                    _ if form == Form::Copy as usize => self.copy(op),
                    _ if form == Form::Put as usize => self.put(op),
                    _ if form == Form::If as usize => self.conditional(op),
                    _ if form == Form::Map as usize => self.map(op),
                    _ if form == Form::Load as usize => self.load(op),
                    _ if form == Form::Store as usize => self.store(op),
                    _ if form == Form::Expose as usize => self.expose(op),
                    _ => self.call(op),
                }
            }
        }
        // The memory of the lists is used again.
        self.active = lists;
    }

    fn operands(&self, op: u32) -> [u32; 3] {
        [0, 1, 2].map(|i| self.image.ops[i][op as usize])
    }

    fn is_fresh(&self, op: u32) -> bool {
        self.started[op as usize] == self.round
    }

    fn copy(&mut self, op: u32) {
        let [dst, src, _] = self.operands(op);
        self.emit(dst, src, self.is_fresh(op));
    }

    fn put(&mut self, op: u32) {
        let [dst, value, _] = self.operands(op);
        self.found.puts.push((dst, value));
    }

    fn reach(&mut self, expr: u32) {
        if !std::mem::replace(&mut self.reached[expr as usize], true) {
            self.found.fresh.push(expr);
        }
    }

    /// 𝛔(dst) ⊇ 𝒜(node): all of it for a value that is new to the operation, else what is new.
    fn emit(&mut self, dst: u32, node: u32, all: bool) {
        if node & FLAG != 0 {
            if all {
                self.found.puts.push((dst, node & !FLAG));
            }
        } else if all && self.some[node as usize] {
            self.found.items.push((dst, node));
        } else if !all && self.is_new(node) {
            self.found.items.push((dst, node | FLAG));
        }
    }

    /// The values of a key, 64 at a time: the first, those that are new to the operation, and if wanted the others.
    fn scan(
        &mut self,
        op: u32,
        key: u32,
        want_old: bool,
        mut each: impl FnMut(&mut Self, u32, u64, u64),
    ) {
        let fresh = self.is_fresh(op);
        if !fresh && !want_old && !self.is_new(key) {
            return;
        }
        let mut words = Vec::new();
        for tile in &self.tiles {
            tile.scan(key, !fresh && !want_old, |word, new, old| {
                let (new, old) = if fresh { (new | old, 0) } else { (new, old) };
                if new | old != 0 {
                    words.push((word as u32 * 64, new, old));
                }
            });
        }
        for (first, new, old) in words {
            each(self, first, new, if want_old { old } else { 0 });
        }
    }

    fn call(&mut self, op: u32) {
        let image = self.image;
        let [f, at, count] = self.operands(op);
        let args = &image.args[at as usize..][..count as usize];
        let spread = image.args[(at + count) as usize];
        let more = args.iter().chain([&spread]).any(|arg| arg & FLAG == 0 && self.is_new(*arg));
        let words = image.restful.len();
        let plain = &image.plain[count as usize * words..][..words];
        self.scan(op, f, more, |solver, first, new, old| {
            let fits = mask(plain, first);
            let (plain_new, plain_old) =
                if spread == NONE { (new & fits, old & fits) } else { (0, 0) };
            // The usual case, an argument at a time: 𝐚ᵢ ⊗ 𝐯ᵢ.
            for (i, arg) in args.iter().enumerate() {
                let var =
                    |value: u32| image.params.all[image.params.starts[value as usize] as usize + i];
                bits(plain_new).for_each(|bit| solver.emit(var(first + bit), *arg, true));
                if arg & FLAG == 0 && solver.is_new(*arg) {
                    bits(plain_old).for_each(|bit| solver.emit(var(first + bit), *arg, false));
                }
            }
            bits(plain_new).for_each(|bit| solver.reach(image.body[(first + bit) as usize]));
            let others = if spread == NONE {
                mask(&image.restful, first)
            } else {
                mask(&image.lambdas, first)
            };
            for bit in bits((new | old) & others) {
                solver.bind(first + bit, args, spread, new >> bit & 1 == 1);
            }
            let unknown = image.unknown.wrapping_sub(first);
            if unknown < 64 && (new | old) >> unknown & 1 == 1 && image.escape != NONE {
                for arg in args.iter().chain(Some(&spread).filter(|spread| **spread != NONE)) {
                    solver.emit(image.escape, *arg, new >> unknown & 1 == 1);
                }
            }
        });
    }

    /// What a call gives to a lambda expression that takes more arguments than it has parameters, or a call by a list of
    /// arguments to any.
    fn bind(&mut self, lambda: u32, args: &[u32], spread: u32, all: bool) {
        let image = self.image;
        let params = image.params.of(lambda);
        let (given, wanted) = (args.len(), params.len());
        let more = mask(&image.restful, lambda / 64 * 64) >> (lambda % 64) & 1 == 1;
        let accepted = if spread == NONE {
            given == wanted || (given > wanted && more)
        } else {
            given <= wanted || more
        };
        if !accepted {
            return;
        }
        if all {
            self.reach(image.body[lambda as usize]);
        }
        params.iter().zip(args).for_each(|(param, arg)| self.emit(*param, *arg, all));
        params.iter().skip(given).for_each(|param| self.emit(*param, spread, all));
        let [rest, pair, car] = [0, 1, 2].map(|i| image.rest[i][lambda as usize]);
        if rest == NONE {
            return;
        }
        if car != NONE {
            args.iter().skip(wanted).for_each(|arg| self.emit(car, *arg, all));
            if spread != NONE {
                self.emit(car, spread, all);
            }
        }
        if all && (given > wanted || spread != NONE) {
            self.found.puts.push((rest, pair));
        }
        if all && given <= wanted && image.null != NONE {
            self.found.puts.push((rest, image.null));
        }
    }

    fn conditional(&mut self, op: u32) {
        let image = self.image;
        let [test, yes, no] = self.operands(op);
        let bit = |value: u32, first: u32| match value.wrapping_sub(first) {
            at @ 0..64 => 1 << at,
            _ => 0,
        };
        self.scan(op, test, false, |solver, first, new, _| {
            let (falsy, unknown): (u64, u64) = (bit(image.falsy, first), bit(image.unknown, first));
            if new & !falsy != 0 {
                solver.reach(yes);
            }
            if new & (falsy | unknown) != 0 {
                solver.reach(no);
            }
        });
    }

    fn map(&mut self, op: u32) {
        let image = self.image;
        let [src, dst, table] = self.operands(op);
        let size = Class::ALL.len() + 2;
        let table = &image.tables[table as usize * size..][..size];
        let (expected, other) = (table[size - 2], table[size - 1]);
        self.scan(op, src, false, |solver, first, new, _| {
            let mut images = 0;
            for value in bits(new).map(|bit| (first + bit) as usize) {
                let record = image.value_record[value];
                let is_other = expected != NONE && record != NONE && record != expected;
                images |= if is_other { other } else { table[image.value_class[value] as usize] };
            }
            for class in bits(images.into()).filter(|class| (*class as usize) < Class::ALL.len()) {
                let value = image.basic[class as usize];
                if value != NONE {
                    solver.found.puts.push((dst, value));
                }
            }
        });
    }

    /// The field of a value that a load or store is about.
    fn field(&self, value: u32, field: u32) -> Option<u32> {
        let image = self.image;
        let (kind, index) =
            (image.field_of_kind[field as usize], image.field_index[field as usize]);
        let [has, first, fields] = [0, 1, 2].map(|i| image.object[i][value as usize]);
        (has == kind && index < fields).then_some(first + index)
    }

    fn load(&mut self, op: u32) {
        let image = self.image;
        let [base, dst, field] = self.operands(op);
        self.scan(op, base, true, |solver, first, new, old| {
            for bit in bits(new | old) {
                let value = first + bit;
                match solver.field(value, field) {
                    Some(field) => solver.emit(dst, field, new >> bit & 1 == 1),
                    None if value == image.unknown => solver.found.puts.push((dst, value)),
                    None => {}
                }
            }
        });
    }

    fn store(&mut self, op: u32) {
        let image = self.image;
        let [base, src, field] = self.operands(op);
        let more = src & FLAG == 0 && self.is_new(src);
        self.scan(op, base, more, |solver, first, new, old| {
            for bit in bits(new | old) {
                let (value, all) = (first + bit, new >> bit & 1 == 1);
                match solver.field(value, field) {
                    Some(field) => solver.emit(field, src, all),
                    None if value == image.unknown && image.escape != NONE => {
                        solver.emit(image.escape, src, all)
                    }
                    None => {}
                }
            }
        });
    }

    /// What code outside of the program does with what it sees.
    fn expose(&mut self, op: u32) {
        let image = self.image;
        let [escape, ..] = self.operands(op);
        self.scan(op, escape, true, |solver, first, new, old| {
            for bit in bits(new | old) {
                let (value, all) = (first + bit, new >> bit & 1 == 1);
                let is_lambda = mask(&image.lambdas, first) >> bit & 1 == 1;
                if is_lambda && all {
                    let rest = image.rest[0][value as usize];
                    let rest = Some(rest).filter(|rest| *rest != NONE);
                    for var in image.params.of(value).iter().copied().chain(rest) {
                        solver.found.puts.push((var, image.unknown));
                    }
                    solver.reach(image.body[value as usize]);
                }
                let [field, fields] = [1, 2].map(|i| image.object[i][value as usize]);
                for var in field..field + if is_lambda { 0 } else { fields } {
                    if all {
                        solver.found.puts.push((var, image.unknown));
                    }
                    solver.emit(escape, var, all);
                }
            }
        });
    }
}

/// 64 bits of a row over all values.
fn mask(row: &[u32], first: u32) -> u64 {
    let at = first as usize / 32;
    row[at] as u64 | (row[at + 1] as u64) << 32
}
