//! Random Scheme programs. Most operands are of a kind that makes sense where they stand, so that most programs run for a
//! while; some are not, since errors are part of the language.

mod more;

use super::Rng;

/// A random Scheme program that uses most of the core. It may stop with an error, or never.
pub fn scheme(seed: u64) -> String {
    let mut source =
        Source { rng: Rng::new(seed), out: String::new(), fresh: 0, scope: Vec::new() };
    let point = "(define-record-type point (make-point px py) point? (px point-x set-point-x!) (py point-y))\n";
    source.put(point);
    for _ in 0..2 + source.rng.below(6) {
        let kind = source.kind();
        let name = source.name("g");
        source.put(&format!("(define {name} "));
        let recursive = matches!(kind, Kind::Procedure(_)) && source.rng.one_in(3);
        if recursive {
            source.scope.push((name.clone(), kind));
        }
        source.expr(kind, 4);
        source.put(")\n");
        if !recursive {
            source.scope.push((name, kind));
        }
    }
    for _ in 0..1 + source.rng.below(3) {
        source.expr(Kind::Any, 5);
        source.put("\n");
    }
    source.out
}

/// What an expression should be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Number,
    /// Decides something.
    Test,
    List,
    /// Of some number of arguments.
    Procedure(usize),
}

struct Source {
    rng: Rng,
    out: String,
    fresh: usize,
    scope: Vec<(String, Kind)>,
}

impl Source {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn kind(&mut self) -> Kind {
        let count = self.rng.below(3);
        let procedures = [Kind::Procedure(count), Kind::Procedure(1)];
        match self.rng.below(6) {
            0 => Kind::Any,
            1 | 2 => Kind::Number,
            3 => Kind::List,
            4 => procedures[0],
            _ => procedures[1],
        }
    }

    fn form(&mut self, head: &str, kinds: &[Kind], depth: usize) {
        self.put(&format!("({head}"));
        for kind in kinds {
            self.put(" ");
            self.expr(*kind, depth);
        }
        self.put(")");
    }

    fn one_of(&mut self, heads: &[&str], kinds: &[Kind], depth: usize) {
        let at = self.rng.below(heads.len());
        self.form(heads[at], kinds, depth);
    }

    /// An expression in the scope of some more variables.
    fn inside(&mut self, names: &[(String, Kind)], kind: Kind, depth: usize) {
        let before = self.scope.len();
        self.scope.extend_from_slice(names);
        self.expr(kind, depth);
        self.scope.truncate(before);
    }

    fn lambda(&mut self, count: usize, depth: usize) {
        let mut params: Vec<(String, Kind)> =
            (0..count).map(|_| (self.name("p"), Kind::Any)).collect();
        let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
        let mut list = format!("({})", names.join(" "));
        if self.rng.one_in(6) {
            self.fresh += 1;
            let rest = format!("r{}", self.fresh);
            list = if names.is_empty() {
                rest.clone()
            } else {
                format!("({} . {rest})", names.join(" "))
            };
            params.push((rest, Kind::List));
        }
        self.put(&format!("(lambda {list} "));
        self.inside(&params, Kind::Any, depth);
        self.put(")");
    }

    fn atom(&mut self, kind: Kind) {
        let fits = |(_, other): &&(String, Kind)| kind == Kind::Any || *other == kind;
        let known: Vec<String> =
            self.scope.iter().filter(fits).map(|(name, _)| name.clone()).collect();
        if !known.is_empty() && !self.rng.one_in(4) {
            let at = self.rng.below(known.len());
            return self.put(&known[at]);
        }
        let atoms: &[&str] = match kind {
            Kind::Any => &["#t", "#f", "'a", "\"s\"", "'(1 (b . #(c)))", "#\\c", "car", "+", "0"],
            Kind::Number => &[
                "0", "1", "2", "-3", "2.5", "-1", "0.0", "-0.5", "1/3", "-7/2", "1e300", "1e-300",
                "+inf.0",
            ],
            Kind::Test => &["#t", "#f"],
            Kind::List => &["'()", "'(1 a)", "'((x) 2.5)"],
            Kind::Procedure(0) => &["list", "+", "vector"],
            Kind::Procedure(1) => &["list", "not", "pair?", "vector"],
            Kind::Procedure(_) => &["cons", "list", "eq?", "vector"],
        };
        let at = self.rng.below(atoms.len());
        self.put(atoms[at]);
    }

    fn expr(&mut self, kind: Kind, depth: usize) {
        // Now and then something of the wrong kind.
        let kind = if self.rng.one_in(60) { Kind::Any } else { kind };
        if depth == 0 || self.rng.one_in(6) {
            return self.atom(kind);
        }
        let depth = depth - 1;
        match self.rng.below(6) {
            0 => {
                let test = [Kind::Any, Kind::Test, Kind::Test][self.rng.below(3)];
                return self.form("if", &[test, kind, kind], depth);
            }
            1 => {
                let (x, bound) = (self.name("l"), self.kind());
                self.put(&format!("(let (({x} "));
                self.expr(bound, depth);
                self.put(")) ");
                self.inside(&[(x, bound)], kind, depth);
                return self.put(")");
            }
            2 => return self.form("begin", &[Kind::Any, kind], depth),
            _ => {}
        }
        match kind {
            Kind::Any => self.any(depth),
            Kind::Number => self.number(depth),
            Kind::Test => self.test(depth),
            Kind::Procedure(count) => self.lambda(count, depth),
            Kind::List => match self.rng.below(4) {
                0 => self.form("cons", &[Kind::Any, Kind::List], depth),
                1 => self.form("list", &[Kind::Any, Kind::Any], depth),
                2 => self.form("map", &[Kind::Procedure(1), Kind::List], depth),
                _ => self.one_of(&["append", "cons"], &[Kind::List, Kind::List], depth),
            },
        }
    }

    fn number(&mut self, depth: usize) {
        let (one, two) = (&[Kind::Number][..], &[Kind::Number, Kind::Number][..]);
        match self.rng.below(12) {
            0 => self.one_of(&["-", "abs", "square", "1+", "-1+", "+", "max", "/"], one, depth),
            1 => self.one_of(&["floor", "ceiling", "truncate", "round"], one, depth),
            2 if self.rng.one_in(3) => self.form("exact->inexact", one, depth),
            2 => self.one_of(&["max", "min", "/"], two, depth),
            3 => {
                // Of integers, mostly not by zero.
                let at = self.rng.below(6);
                let divide = ["quotient", "remainder", "modulo", "floor-quotient", "gcd", "lcm"];
                self.put(&format!("({} (truncate ", divide[at]));
                self.expr(Kind::Number, depth);
                let by = ["3", "-2", "0", "4.0"][self.rng.below(4)];
                self.put(&format!(") {by})"));
            }
            4 => self.one_of(&["+", "*", "-", "min"], &[two, one].concat(), depth),
            5 => {
                // Of different types and signs it matters how many there are.
                let mixed = ["'(-7/2 2.5)", "'(0.5 -1 -1/3)", "'(1/3 -3)", "'(-0.5 1/3)"];
                let numbers = match self.rng.below(8) {
                    at if at < mixed.len() => mixed[at].to_string(),
                    _ => self.form_text("list", two, depth),
                };
                let first = ["", " 2", " -1"][self.rng.below(3)];
                let rule = ["+", "*", "-", "max", "gcd", "*"][self.rng.below(6)];
                self.put(&format!("(apply {rule}{first} {numbers})"));
            }
            6 if self.rng.one_in(2) => {
                // Between its two uses a variable is assigned.
                let m = self.name("m");
                let first = ["1", "-2", "0.5", "1e-300"][self.rng.below(4)];
                let rule = ["*", "-", "+", "max"][self.rng.below(4)];
                self.put(&format!("(let (({m} {first})) ({rule} {m} (begin (set! {m} "));
                self.expr(Kind::Number, depth);
                self.put(&format!(") {m})))"));
            }
            6 => self.form("length", &[Kind::List], depth),
            7 => {
                let small = self.name("s");
                self.put(&format!("(let (({small} (* 1e-300 "));
                self.expr(Kind::Number, 0);
                self.put(&format!("))) (* {small} {small}))"));
            }
            _ => self.one_of(&["+", "-", "*"], two, depth),
        }
    }

    fn test(&mut self, depth: usize) {
        let two = &[Kind::Number, Kind::Number];
        match self.rng.below(5) {
            0 => self.one_of(&["zero?", "positive?", "negative?"], &[Kind::Number], depth),
            1 => self.one_of(&["number?", "pair?", "procedure?", "not"], &[Kind::Any], depth),
            2 => self.one_of(&["and", "or"], &[Kind::Test, Kind::Test], depth),
            _ => self.one_of(&["<", "<=", "=", ">=", ">"], two, depth),
        }
    }

    /// The text of a form, to stand elsewhere.
    fn form_text(&mut self, head: &str, kinds: &[Kind], depth: usize) -> String {
        let before = self.out.len();
        self.form(head, kinds, depth);
        self.out.split_off(before)
    }

    /// Reads something of a value if it has it.
    fn guarded(&mut self, test: &str, read: &str, depth: usize) {
        let x = self.name("t");
        self.put(&format!("(let (({x} "));
        self.expr(Kind::Any, depth);
        self.put(&format!(")) (if ({test} {x}) ({read} {x}) {x}))"));
    }

    fn any(&mut self, depth: usize) {
        match self.rng.below(24) {
            0..=4 => {
                let count = self.rng.below(3);
                let kinds: Vec<Kind> = std::iter::once(Kind::Procedure(count))
                    .chain((0..count).map(|_| Kind::Any))
                    .collect();
                self.put("(");
                for (at, kind) in kinds.into_iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.expr(kind, depth);
                }
                self.put(")");
            }
            5 => self.guarded("pair?", "car", depth),
            6 => self.guarded("pair?", "cdr", depth),
            7 => self.guarded("point?", "point-x", depth),
            8 => self.guarded("vector?", "vector-length", depth),
            9 => {
                // Procedures stay procedures, so that calls go on to make sense.
                let open = self
                    .scope
                    .iter()
                    .filter(|(_, kind)| *kind == Kind::Any)
                    .map(|(name, _)| name.clone());
                let open: Vec<String> = open.collect();
                match open.len() {
                    0 => self.atom(Kind::Any),
                    count => {
                        let at = self.rng.below(count);
                        self.form(&format!("set! {}", open[at]), &[Kind::Any], depth);
                    }
                }
            }
            10 => {
                let k = self.name("k");
                self.put(&format!("(call/cc (lambda ({k}) "));
                self.inside(&[(k, Kind::Procedure(1))], Kind::Any, depth);
                self.put("))");
            }
            11 => self.form("apply", &[Kind::Procedure(1), Kind::Any, Kind::List], 0),
            12 => {
                let (a, b) = (self.name("a"), self.name("b"));
                self.put("(call-with-values (lambda () ");
                self.form("values", &[Kind::Any, Kind::Any], depth);
                self.put(&format!(") (lambda ({a} {b}) "));
                self.inside(&[(a, Kind::Any), (b, Kind::Any)], Kind::Any, depth);
                self.put("))");
            }
            13 => self.form("make-point", &[Kind::Any, Kind::Any], depth),
            14 => self.one_of(&["vector", "cons"], &[Kind::Any, Kind::Any], depth),
            15 => {
                let e = self.name("e");
                self.put(&format!("(guard ({e} (#t "));
                self.inside(&[(e, Kind::Any)], Kind::Any, depth);
                self.put(")) ");
                self.one_of(&["raise", "begin", "raise-continuable"], &[Kind::Any], depth);
                self.put(")");
            }
            16 => {
                let v = self.name("v");
                self.put(&format!("(let (({v} (vector 0 1))) (vector-set! {v} 1 "));
                self.expr(Kind::Any, depth);
                self.put(&format!(") (vector-ref {v} 1))"));
            }
            17 => {
                self.put("(force (delay ");
                self.expr(Kind::Any, depth);
                self.put("))");
            }
            18 => {
                self.put("(dynamic-wind (lambda () 0) ");
                self.expr(Kind::Procedure(0), depth);
                self.put(" (lambda () 1))");
            }
            19 => self.form("for-each", &[Kind::Procedure(1), Kind::List], depth),
            20 => self.mutation(depth),
            21 => self.binding(depth),
            22 => self.library(depth),
            _ => self.control(depth),
        }
    }
}
