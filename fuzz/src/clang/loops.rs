//! Marked loops: how they count, and what iterations hand on.

use super::generate::{Kind, Writer};

/// What an iteration hands on to the next, or leaves behind.
struct Carried {
    /// Before the loop.
    declared: String,
    /// The clause that says so.
    clause: String,
    /// At the start of the iteration, and at its end.
    first: String,
    last: String,
    /// Behind the loop.
    kept: String,
}

impl Writer {
    /// A function with a marked loop.
    pub(super) fn function(&mut self, number: usize) {
        self.begin(14);
        let openmp = !self.rng.one_in(3);
        self.open(&format!("NOINLINE static void f{number}(int n, const struct in *restrict in, struct out *restrict out)"));
        let mut carried = Vec::new();
        for at in 0..self.rng.below(3) {
            carried.push(self.carried(at, openmp));
        }
        for it in &carried {
            self.line(&it.declared);
        }
        let clauses: Vec<&str> = carried.iter().map(|it| it.clause.as_str()).collect();
        let width = ["", " simdlen(4)", " simdlen(8)"][self.rng.below(3)];
        self.line(&match openmp {
            true => format!("#pragma omp simd{width} {}", clauses.join(" ")),
            false => "#pragma clang loop vectorize(assume_safety)".into(),
        });
        let head = match self.rng.below(5) {
            0 => "for (int i = n - 1; i >= 0; i--)",
            1 => "for (long i = 0; i < n; i += 2)",
            2 => "for (unsigned i = 0; i < (unsigned)n; i++)",
            3 => "for (int i = 0; i != n; i++)",
            _ => "for (int i = 0; i < n; i++)",
        };
        self.open(head);
        self.in_iteration = true;
        for it in &carried {
            self.line(&it.first);
        }
        self.line("unsigned v0 = in->u[i];");
        self.see("v0", Kind::Unsigned, true);
        match self.rng.one_in(3) {
            true => self.left_early(7),
            false => self.block(7),
        }
        for it in &carried {
            self.line(&it.last);
        }
        self.in_iteration = false;
        self.close();
        for it in &carried {
            self.line(&it.kept);
        }
        self.close();
    }

    fn carried(&mut self, at: usize, openmp: bool) -> Carried {
        self.in_iteration = true;
        let name = format!("c{at}");
        let kept = format!("out->r[{at}] = {name};");
        let it = match self.rng.below(15) {
            0 | 1 => {
                let op = ["+", "*", "&", "|", "^"][self.rng.below(5)];
                let value = self.expression(Kind::Unsigned, 2);
                let condition = self.condition(1);
                let guard =
                    if self.rng.one_in(2) { format!("if ({condition}) ") } else { String::new() };
                Carried {
                    declared: format!("unsigned {name} = 3;"),
                    clause: format!("reduction({op} : {name})"),
                    first: String::new(),
                    last: format!("{guard}{name} {op}= {value};"),
                    kept,
                }
            }
            2 => {
                let (word, op) = [("max", ">"), ("min", "<")][self.rng.below(2)];
                let value = self.expression(Kind::Unsigned, 1);
                Carried {
                    declared: format!("unsigned {name} = 1000;"),
                    clause: format!("reduction({word} : {name})"),
                    first: format!("unsigned m{at} = {value};"),
                    last: format!("if (m{at} {op} {name}) {name} = m{at};"),
                    kept,
                }
            }
            3 => {
                let (op, first) = [("&&", 1), ("||", 0)][self.rng.below(2)];
                let condition = self.condition(1);
                Carried {
                    declared: format!("int {name} = {first};"),
                    clause: format!("reduction({op} : {name})"),
                    first: String::new(),
                    last: format!("{name} = {name} {op} ({condition});"),
                    kept,
                }
            }
            4 => {
                let value = self.expression(Kind::Unsigned, 1);
                Carried {
                    declared: format!("unsigned {name} = 1000, at{at} = 0;"),
                    clause: String::new(),
                    first: format!("unsigned m{at} = {value};"),
                    last: format!(
                        "if (m{at} < {name}) {{ {name} = m{at}; at{at} = (unsigned)i; }}"
                    ),
                    kept: format!("{kept} out->r[4 + {at}] = at{at};"),
                }
            }
            5 if openmp => {
                let value = self.expression(Kind::Unsigned, 1);
                Carried {
                    declared: format!("unsigned {name} = 5;"),
                    clause: format!("lastprivate({name})"),
                    first: format!("{name} = {value};"),
                    last: format!("{name} += v0;"),
                    kept: format!("if (n > 0) {kept}"),
                }
            }
            5 => {
                let value = self.expression(Kind::Float, 1);
                Carried {
                    declared: format!("float {name} = 0.125f;"),
                    clause: String::new(),
                    first: String::new(),
                    last: format!("{name} += {value};"),
                    kept: format!("out->rf[{at}] = num({name});"),
                }
            }
            6 if openmp => {
                let array = ["unsigned", "float"][self.rng.below(2)];
                Carried {
                    declared: format!("{array} {name}[4];"),
                    clause: format!("private({name})"),
                    first: format!("for (int z = 0; z < 4; z++) {name}[z] = in->b[i] + z;"),
                    last: format!(
                        "{name}[v0 & 3] += 2; out->s[i] = (short)({name}[1] + {name}[(v0 >> 2) & 3]);"
                    ),
                    kept: String::new(),
                }
            }
            6 => Carried {
                declared: format!("unsigned {name} = 4;"),
                clause: String::new(),
                first: format!("unsigned m{at} = in->u[i] * 3;"),
                last: format!("out->l[2 * i] = m{at} - {name}; {name} = m{at};"),
                kept,
            },
            7 if openmp => self.updated(at),
            8 if openmp => {
                let value = self.expression(Kind::Unsigned, 1);
                Carried {
                    declared: format!("unsigned {name}[4] = {{1, 2, 3, 4}};"),
                    clause: format!("lastprivate({name})"),
                    first: format!(
                        "for (unsigned z = 0; z < 4; z++) {name}[(z + in->b[i]) & 3] = {value} + z;"
                    ),
                    last: format!(
                        "{name}[in->b[i] & 3] += v0; out->u[2 * i + 1] = {name}[v0 & 3];"
                    ),
                    kept: format!(
                        "if (n > 0) for (int z = 0; z < 4; z++) out->r[{at}] = out->r[{at}] * 31 + {name}[z];"
                    ),
                }
            }
            9 => {
                let array = ["u", "f", "d", "b", "s", "l"][self.rng.below(6)];
                let op = ["<", ">", "<=", ">="][self.rng.below(4)];
                let ty = ["unsigned", "int", "long"][self.rng.below(3)];
                let best = format!("in->{array}[i] {op} in->{array}[{name}]");
                Carried {
                    declared: format!("{ty} {name} = {};", self.rng.below(64)),
                    clause: String::new(),
                    first: format!("if ({best}) {name} = ({ty})i;"),
                    last: String::new(),
                    kept,
                }
            }
            10 => {
                let (ty, none) =
                    [("int", "< 0"), ("long", "== -1"), ("int", "== -1")][self.rng.below(3)];
                let condition = self.condition(2);
                let [first, second] = [format!("{name} {none}"), format!("({condition})")];
                let both = match self.rng.below(2) {
                    0 => format!("{first} && {second}"),
                    _ => format!("{second} && {first}"),
                };
                Carried {
                    declared: format!("{ty} {name} = {};", ["-1", "-1", "5"][self.rng.below(3)]),
                    clause: String::new(),
                    first: String::new(),
                    last: format!("if ({both}) {name} = ({ty})i;"),
                    kept,
                }
            }
            11 => {
                let condition = self.condition(1);
                let value = self.expression(Kind::Unsigned, 2);
                let compare = ["<", ">", "<=", ">="][self.rng.below(4)];
                let none = [format!("{name} < 0"), format!("b{at} {compare} x{at}")];
                let [first, second] = &none;
                let either = match self.rng.below(5) {
                    0 => format!("{second} || {first}"),
                    1 => format!("{first} ? ({condition}) : {second}"),
                    _ => format!("{first} || {second}"),
                };
                let guard =
                    if self.rng.one_in(2) { format!("({condition}) && ") } else { String::new() };
                Carried {
                    declared: format!("int {name} = -1; unsigned b{at} = 9;"),
                    clause: String::new(),
                    first: String::new(),
                    last: format!(
                        "{{ unsigned x{at} = ({value}) & 63; if ({guard}({either})) {{ b{at} = x{at}; {name} = (int)i; }} }}"
                    ),
                    kept: format!("{kept} out->r[{at}] += b{at} * 5;"),
                }
            }
            // What the iteration before found, and the one before that.
            12 => Carried {
                declared: format!("unsigned {name} = 4, o{at} = 7;"),
                clause: String::new(),
                first: format!("unsigned m{at} = in->u[i] * 3;"),
                last: format!(
                    "out->l[2 * i] = m{at} - {name} + o{at}; o{at} = {name}; {name} = m{at};"
                ),
                kept: [kept.clone(), format!("{kept} out->r[4 + {at}] = o{at};")]
                    [self.rng.below(2)]
                .clone(),
            },
            // What follows from the number of the iteration.
            13 => {
                let nexts = [
                    "-C",
                    "C ^ 9",
                    "77 - C",
                    "C << 1",
                    "C >> 3",
                    "(C + 5) & 31",
                    "C + (unsigned)i",
                ];
                let next = nexts[self.rng.below(nexts.len())].replace('C', &name);
                Carried {
                    declared: format!("unsigned {name} = {};", self.rng.below(200)),
                    clause: String::new(),
                    first: String::new(),
                    last: format!("out->u[2 * i + 1] = v0 * {name}; {name} = {next};"),
                    kept,
                }
            }
            _ => {
                let step = 1 + self.rng.below(3);
                Carried {
                    declared: format!("unsigned {name} = 11;"),
                    clause: format!("linear({name} : {step})"),
                    first: String::new(),
                    last: format!("out->b[i] = {name}; {name} += {step};"),
                    kept,
                }
            }
        };
        self.in_iteration = false;
        it
    }

    /// An array that iterations update, at the end or in an inner loop.
    fn updated(&mut self, at: usize) -> Carried {
        let name = format!("c{at}");
        let kind = [Kind::Unsigned, Kind::Long][self.rng.below(2)];
        let (index, value) = (self.expression(Kind::Unsigned, 1), self.expression(kind, 1));
        let (condition, ops) = (self.condition(1), ["+", "*", "^", "|", "&"]);
        let op = ops[self.rng.below(ops.len())];
        let element = format!("{name}[({index}) & 7]");
        let (clause, last) = match self.rng.below(6) {
            0 => (op, format!("if ({condition}) {element} {op}= {value};")),
            1 => (op, format!("for (unsigned z = 0; z < 8; z++) {name}[z] {op}= {value} + z;")),
            2 => (op, format!("for (unsigned z = {index} & 7; z; z--) {name}[z] {op}= {value};")),
            3 => {
                let less =
                    format!("unsigned m{at} = ({index}) & 7; {} w{at} = {value};", kind.name());
                ("min", format!("{less} if (w{at} < {name}[m{at}]) {name}[m{at}] = w{at};"))
            }
            4 => ("||", format!("{element} = {element} || ({condition});")),
            _ => (op, format!("{element} {op}= {value}; {name}[v0 & 7] {op}= in->u[i];")),
        };
        // What is true is one.
        let first = if clause == "||" { "0, 1" } else { "3, 1000, 77, 5, 9, 1, 2, 6" };
        let section = if self.rng.one_in(2) { "[:8]" } else { "" };
        Carried {
            declared: format!("{} {name}[8] = {{{first}}};", kind.name()),
            clause: format!("reduction({clause} : {name}{section})"),
            first: String::new(),
            last,
            kept: format!(
                "for (int z = 0; z < 8; z++) out->r[{at}] = out->r[{at}] * 31 + (unsigned){name}[z];"
            ),
        }
    }
}
