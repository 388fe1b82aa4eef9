//! Random C: functions with a marked loop each, helpers, and a `main` that prints what the functions leave.
//!
//! Nothing is undefined: arithmetic is unsigned, indices are cut, divisors are odd, loops end. Iterations only write elements of their
//! own, but in loops of which nothing is promised (`checked`). What is not a number is written as one. Some iterations would end the
//! program, if a number were larger than any is.

use lw_graph::generate::Rng;
use std::fmt::Write;

/// What comes first.
const TOP: &str = "#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned char byte;
struct in { unsigned u[64]; float f[64]; double d[64]; byte b[64]; short s[64]; unsigned long long l[64]; };
struct out { unsigned u[128]; float f[128]; double d[128]; byte b[128]; short s[128]; unsigned long long l[128]; unsigned r[8]; float rf[4]; };
struct pair { unsigned a; float b; unsigned c[2]; };
static struct in data;
#define NOINLINE __attribute__((noinline))
static inline unsigned cut(double x) { return x > -1e6 && x < 1e6 ? (unsigned)(int)x : 7u; }
static inline float num(float x) { return x == x ? x + 0.0f : 0.5f; }
static inline double num2(double x) { return x == x ? x + 0.0 : 0.5; }
unsigned limit = ~0u;
static inline unsigned checked(unsigned x) { if (x > limit) abort(); return x; }
static inline const unsigned *place(const unsigned *p, unsigned x) { if (x <= limit) return p + (x & 63); abort(); }
";

/// What comes last; `CALLS` are the functions.
const MAIN: &str = "
static unsigned long long sum(const void *p, unsigned long n) {
  const byte *b = p;
  unsigned long long h = 1469598103934665603ull;
  while (n--) h = (h ^ *b++) * 1099511628211ull;
  return h;
}
static void (*const all[])(int, const struct in *restrict, struct out *restrict) = {CALLS};
int main(void) {
  static const int counts[] = {0, 1, 3, 8, 17, 33, 63};
  unsigned state = SEED;
  for (int i = 0; i < 64; i++) {
    state = state * 1664525u + 1013904223u;
    data.u[i] = state >> (state & 16);
    data.f[i] = (int)(state >> 8 & 4095) / 16.0f - 90;
    data.d[i] = (int)(state >> 4 & 8191) / 32.0 - 100;
    data.b[i] = state >> 11;
    data.s[i] = (short)(state >> 9);
    data.l[i] = (unsigned long long)state * 2654435761u;
  }
  for (unsigned f = 0; f < sizeof all / sizeof *all; f++)
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
      static struct out out;
      memset(&out, 17, sizeof out);
      for (int i = 0; i < 128; i++) out.f[i] = i, out.d[i] = i;
      all[f](counts[c], &data, &out);
      printf(\"f%u(%d) %llx %llx %llx %llx %llx %llx %llx %llx\\n\", f, counts[c], sum(out.u, sizeof out.u), sum(out.f, sizeof out.f),
             sum(out.d, sizeof out.d), sum(out.b, sizeof out.b), sum(out.s, sizeof out.s), sum(out.l, sizeof out.l),
             sum(out.r, sizeof out.r), sum(out.rf, sizeof out.rf));
    }
}
";

/// How many functions there are at most.
const FUNCTIONS: usize = 5;

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Unsigned,
    Float,
    Double,
    Long,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Unsigned, Kind::Unsigned, Kind::Unsigned, Kind::Float, Kind::Double, Kind::Long];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Unsigned => "unsigned",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Long => "unsigned long long",
        }
    }

    /// How the arrays of this type are called.
    pub(super) fn letter(self) -> &'static str {
        match self {
            Kind::Unsigned => "u",
            Kind::Float => "f",
            Kind::Double => "d",
            Kind::Long => "l",
        }
    }

    /// An expression of the type as one that is a number.
    pub(super) fn number(self, text: &str) -> String {
        match self {
            Kind::Float => format!("num({text})"),
            Kind::Double => format!("num2({text})"),
            _ => text.to_owned(),
        }
    }
}

/// An array that is in sight, with a power of two of elements.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    kind: Kind,
    length: usize,
}

/// A helper: `unsigned (unsigned, float)`, or one that also takes an array.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    takes_array: bool,
}

/// What is written, and what is in sight.
pub(super) struct Writer {
    pub(super) rng: Rng,
    text: String,
    indent: usize,
    names: usize,
    /// Variables in sight; those that may be assigned come with `true`.
    variables: Vec<(String, Kind, bool)>,
    arrays: Vec<Array>,
    pairs: Vec<String>,
    helpers: Vec<Helper>,
    /// How many statements may still be written.
    budget: usize,
    /// Whether there is an iteration with elements of its own.
    pub(super) in_iteration: bool,
    /// How many inner loops there are around.
    loops: usize,
}

/// What stands between the first and the last part of the program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut writer = Writer::new(seed);
    for _ in 0..1 + writer.rng.below(3) {
        writer.helper();
    }
    let count = 3 + writer.rng.below(FUNCTIONS - 2);
    for number in 0..count {
        match writer.rng.one_in(4) {
            true => writer.checked(number),
            false => writer.function(number),
        }
    }
    writer.text
}

/// The program with all that it needs.
pub(crate) fn whole(seed: u64, text: &str) -> String {
    let is_there = |name: &String| text.contains(&format!("static void {name}("));
    let calls: Vec<String> = (0..FUNCTIONS).map(|n| format!("f{n}")).filter(is_there).collect();
    let main = MAIN.replace("CALLS", &calls.join(", "));
    format!("{TOP}{text}{}", main.replace("SEED", &(seed as u32 | 1).to_string()))
}

impl Writer {
    fn new(seed: u64) -> Writer {
        Writer {
            rng: Rng::new(seed),
            text: String::new(),
            indent: 0,
            names: 0,
            variables: Vec::new(),
            arrays: Vec::new(),
            pairs: Vec::new(),
            helpers: Vec::new(),
            budget: 0,
            in_iteration: false,
            loops: 0,
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 2 * self.indent);
    }

    pub(super) fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    pub(super) fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    pub(super) fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    pub(super) fn kind(&mut self) -> Kind {
        Kind::ALL[self.rng.below(Kind::ALL.len())]
    }

    /// Adds a variable that is in sight from now on.
    pub(super) fn see(&mut self, name: &str, kind: Kind, assignable: bool) {
        self.variables.push((name.to_owned(), kind, assignable));
    }

    /// Writes statements that see what is in sight now; what they declare is not in sight behind them.
    pub(super) fn block(&mut self, statements: usize) {
        let seen = (self.variables.len(), self.arrays.len(), self.pairs.len());
        for _ in 0..statements {
            self.statement();
        }
        self.variables.truncate(seen.0);
        self.arrays.truncate(seen.1);
        self.pairs.truncate(seen.2);
    }

    /// Forgets all that is in sight, and has so many statements.
    pub(super) fn begin(&mut self, budget: usize) {
        self.variables.clear();
        self.arrays.clear();
        self.pairs.clear();
        (self.budget, self.loops) = (budget, 0);
    }

    fn helper(&mut self) {
        let name = self.fresh("h");
        let takes_array = self.rng.one_in(3);
        self.begin(5);
        let inline = if self.rng.one_in(2) { "NOINLINE " } else { "" };
        if !takes_array && self.rng.one_in(3) {
            let branch = ["", " inbranch", " notinbranch"][self.rng.below(3)];
            self.line(&format!("#pragma omp declare simd{branch}"));
        }
        let extra = if takes_array { ", unsigned *t" } else { "" };
        self.open(&format!("static {inline}unsigned {name}(unsigned x, float y{extra})"));
        self.see("x", Kind::Unsigned, true);
        self.see("y", Kind::Float, true);
        if takes_array {
            self.arrays.push(Array { name: "t".into(), kind: Kind::Unsigned, length: 4 });
        } else if self.rng.one_in(4) {
            self.line("if ((x & 7) == 0) return 3;");
            self.line(&format!("x += {name}((x & 7) - 1, y * 0.5f);"));
        }
        self.block(2);
        if self.rng.one_in(2) {
            let (condition, value) = (self.condition(2), self.expression(Kind::Unsigned, 1));
            self.line(&format!("if ({condition}) return {value};"));
            self.block(1);
        }
        let value = self.expression(Kind::Unsigned, 2);
        self.line(&format!("return {value};"));
        self.close();
        self.helpers.push(Helper { name, takes_array });
    }

    fn statement(&mut self) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        match self.rng.below(16) {
            0 | 1 => self.declare(),
            2..=4 => self.assign(),
            5 | 6 => self.choose(),
            7 => self.repeat(),
            8 => self.switch(),
            9 => self.declare_array(),
            10 | 11 => self.set_element(),
            12 => self.declare_pair(),
            13 if self.loops > 0 => {
                let condition = self.condition(1);
                let word = ["break", "continue"][self.rng.below(2)];
                self.line(&format!("if ({condition}) {word};"));
            }
            14 if self.in_iteration && self.rng.one_in(4) => {
                let value = self.expression(Kind::Unsigned, 1);
                self.line(&format!("if ({value} > limit) abort();"));
            }
            _ if self.in_iteration => self.store(),
            _ => self.assign(),
        }
    }

    fn declare(&mut self) {
        let (kind, name) = (self.kind(), self.fresh("v"));
        let value = self.expression(kind, 2);
        self.line(&format!("{} {name} = {value};", kind.name()));
        self.see(&name, kind, true);
    }

    fn assign(&mut self) {
        let places: Vec<(String, Kind)> = self
            .variables
            .iter()
            .filter(|(.., assignable)| *assignable)
            .map(|(name, kind, _)| (name.clone(), *kind))
            .collect();
        if places.is_empty() {
            return self.declare();
        }
        let (name, kind) = places[self.rng.below(places.len())].clone();
        let value = self.expression(kind, 2);
        let op = ["=", "+=", "-=", "*="][self.rng.below(4)];
        self.line(&format!("{name} {op} {value};"));
    }

    fn choose(&mut self) {
        let condition = self.condition(2);
        self.open(&format!("if ({condition})"));
        self.block(2);
        self.close();
        if self.rng.one_in(2) {
            self.open("else");
            self.block(2);
            self.close();
        }
    }

    fn repeat(&mut self) {
        if self.loops > 1 {
            return self.assign();
        }
        let (name, bound) = (self.fresh("k"), self.expression(Kind::Unsigned, 1));
        let head = match self.rng.below(4) {
            0 => format!("for (unsigned {name} = {bound} & 7; {name}; {name} >>= 1)"),
            1 => format!("for (int {name} = (int)({bound} & 7); {name} >= 0; {name} -= 2)"),
            2 => format!("for (unsigned {name} = 0; {name} < 5; {name}++)"),
            _ => format!("for (unsigned {name} = 0; {name} < ({bound} & 7); {name}++)"),
        };
        self.open(&head);
        self.loops += 1;
        let seen = self.variables.len();
        self.see(&name, Kind::Unsigned, false);
        self.block(3);
        self.variables.truncate(seen);
        self.loops -= 1;
        self.close();
    }

    /// Statements that control may leave for what comes behind them.
    pub(super) fn left_early(&mut self, statements: usize) {
        self.open("do");
        self.loops += 1;
        self.block(statements);
        self.loops -= 1;
        self.indent -= 1;
        self.line("} while (0);");
    }

    fn switch(&mut self) {
        let on = self.expression(Kind::Unsigned, 1);
        self.open(&format!("switch ({on} & 3)"));
        let loops = std::mem::take(&mut self.loops);
        for case in 0..2 + self.rng.below(2) {
            self.open(&format!("case {case}:"));
            self.block(1);
            self.close();
            if !self.rng.one_in(4) {
                self.line("break;");
            }
        }
        if self.rng.one_in(2) {
            self.open("default:");
            self.block(1);
            self.close();
        }
        self.loops = loops;
        self.close();
    }

    fn declare_array(&mut self) {
        let (kind, name) = (self.kind(), self.fresh("t"));
        let length = [4, 4, 8][self.rng.below(3)];
        let values: Vec<String> = (0..length).map(|_| self.expression(kind, 1)).collect();
        self.line(&format!("{} {name}[{length}] = {{{}}};", kind.name(), values.join(", ")));
        self.arrays.push(Array { name, kind, length });
    }

    fn declare_pair(&mut self) {
        let name = self.fresh("p");
        let (a, b) = (self.expression(Kind::Unsigned, 1), self.expression(Kind::Float, 1));
        self.line(&format!("struct pair {name} = {{{a}, {b}, {{1, 2}}}};"));
        self.pairs.push(name);
    }

    fn set_element(&mut self) {
        if !self.pairs.is_empty() && self.rng.one_in(3) {
            let pair = self.pairs[self.rng.below(self.pairs.len())].clone();
            let index = self.expression(Kind::Unsigned, 1);
            let value = self.expression(Kind::Unsigned, 1);
            let field = match self.rng.below(3) {
                0 => "a".to_owned(),
                1 => format!("c[{index} & 1]"),
                _ => "c[1]".to_owned(),
            };
            return self.line(&format!("{pair}.{field} += {value};"));
        }
        if self.arrays.is_empty() {
            return self.declare_array();
        }
        let array = self.arrays[self.rng.below(self.arrays.len())].clone();
        let (index, value) = (self.index(array.length), self.expression(array.kind, 2));
        let op = ["=", "+="][self.rng.below(2)];
        self.line(&format!("{}[{index}] {op} {value};", array.name));
    }

    fn store(&mut self) {
        let kind = self.kind();
        let value = self.expression(kind, 2);
        let value = kind.number(&value);
        match self.rng.below(8) {
            0 => {
                let value = self.expression(Kind::Unsigned, 2);
                let letter = ["b", "s"][self.rng.below(2)];
                self.line(&format!("out->{letter}[i] = {value};"));
            }
            1 => self.line(&format!("out->{}[2 * i + 1] = {value};", kind.letter())),
            2 if matches!(kind, Kind::Unsigned | Kind::Long) => {
                self.line(&format!("out->{}[2 * i] += {value};", kind.letter()));
            }
            _ => self.line(&format!("out->{}[2 * i] = {value};", kind.letter())),
        }
    }

    fn index(&mut self, length: usize) -> String {
        match self.rng.one_in(2) {
            true => self.rng.below(length).to_string(),
            false => format!("({}) & {}", self.expression(Kind::Unsigned, 1), length - 1),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.one_in(3) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = ["&&", "||"][self.rng.below(2)];
            return format!("({a} {op} {b})");
        }
        let kind = self.kind();
        let (a, b) = (self.expression(kind, depth.min(1)), self.expression(kind, 0));
        let op = ["<", ">", "<=", ">=", "==", "!="][self.rng.below(6)];
        match kind {
            Kind::Unsigned if self.rng.one_in(2) => format!("(int)({a}) {op} (int)({b})"),
            Kind::Unsigned => format!("({a} & 15) {op} ({b} & 15)"),
            _ => format!("{a} {op} {b}"),
        }
    }

    pub(super) fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let (a, b) = (self.expression(kind, depth - 1), self.expression(kind, depth - 1));
        if self.rng.one_in(6) {
            let condition = self.condition(1);
            return format!("({condition} ? {a} : {b})");
        }
        let n = self.rng.below(11);
        match kind {
            Kind::Float | Kind::Double => match n {
                0 => format!("({a} * 0.25{})", if kind == Kind::Float { "f" } else { "" }),
                1 | 2 => format!("({a} - {b})"),
                3 | 4 => format!("({a} * {b})"),
                5 => match kind {
                    Kind::Float => format!("fabsf({a})"),
                    _ => format!("fabs({a})"),
                },
                6 => format!(
                    "({})(int)({} & 1023)",
                    kind.name(),
                    self.expression(Kind::Unsigned, depth - 1)
                ),
                _ => format!("({a} + {b})"),
            },
            Kind::Unsigned | Kind::Long => match n {
                0 => format!("({a} / ({b} | 1))"),
                1 => format!("({a} % ({b} | 3))"),
                2 => format!("({a} >> ({b} & 15))"),
                3 => format!("({a} << ({b} & 7))"),
                4 => format!("({a} * {b})"),
                5 => format!("({a} ^ {b})"),
                6 => format!("({a} & {b})"),
                7 if kind == Kind::Unsigned => self.call(),
                8 => format!("cut({})", self.expression(Kind::Double, depth - 1)),
                9 if kind == Kind::Unsigned && self.in_iteration => match self.rng.one_in(2) {
                    true => format!("checked({a})"),
                    false => format!("*place(in->u, {a})"),
                },
                _ => format!("({a} + {b})"),
            },
        }
    }

    fn call(&mut self) -> String {
        let (x, y) = (self.expression(Kind::Unsigned, 0), self.expression(Kind::Float, 0));
        if self.helpers.is_empty() {
            return format!("(unsigned)__builtin_popcount({x})");
        }
        let Helper { name, takes_array } = self.helpers[self.rng.below(self.helpers.len())].clone();
        if !takes_array {
            return format!("{name}({x}, {y})");
        }
        let fits = |array: &&Array| array.kind == Kind::Unsigned;
        match self.arrays.iter().rfind(fits) {
            Some(array) => format!("{name}({x}, {y}, {})", array.name),
            None => format!("({x} - 1)"),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let known: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, of, _)| *of == kind)
            .map(|(name, ..)| name.clone())
            .collect();
        let arrays: Vec<Array> =
            self.arrays.iter().filter(|array| array.kind == kind).cloned().collect();
        match self.rng.below(8) {
            0 => match kind {
                Kind::Float => format!("{}.5f", self.rng.below(9)),
                Kind::Double => format!("{}.25", self.rng.below(9)),
                Kind::Unsigned => format!("{}u", self.rng.below(40)),
                Kind::Long => format!("{}ull", self.rng.below(400)),
            },
            1 if !arrays.is_empty() => {
                let array = &arrays[self.rng.below(arrays.len())];
                let index = match self.rng.one_in(2) {
                    true => self.rng.below(array.length).to_string(),
                    false => match self.variables.iter().find(|(_, of, _)| *of == Kind::Unsigned) {
                        Some((name, ..)) => format!("{name} & {}", array.length - 1),
                        None => "0".into(),
                    },
                };
                format!("{}[{index}]", array.name)
            }
            2 if kind == Kind::Unsigned && !self.pairs.is_empty() => {
                let pair = &self.pairs[self.rng.below(self.pairs.len())];
                format!("{pair}.{}", ["a", "c[0]", "c[1]"][self.rng.below(3)])
            }
            3 | 4 if self.in_iteration => match (kind, self.rng.below(4)) {
                (Kind::Unsigned, 0) => "in->b[i]".into(),
                (Kind::Unsigned, 1) => "(unsigned)in->s[i]".into(),
                (Kind::Unsigned, 2) => "in->u[in->b[i] & 63]".into(),
                (_, 3) => format!("in->{}[{}]", kind.letter(), self.rng.below(64)),
                _ => format!("in->{}[i]", kind.letter()),
            },
            _ if !known.is_empty() => known[self.rng.below(known.len())].clone(),
            _ => match kind {
                Kind::Float => "1.5f".into(),
                Kind::Double => "2.75".into(),
                Kind::Unsigned => "9u".into(),
                Kind::Long => "77ull".into(),
            },
        }
    }
}
