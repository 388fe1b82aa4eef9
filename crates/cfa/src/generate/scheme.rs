//! Random Scheme programs. Most operands are of a kind that makes sense where they stand, so that most programs run for a
//! while; some are not, since errors are part of the language.

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
        [Kind::Any, Kind::Number, Kind::List, Kind::Procedure(count), Kind::Procedure(1)]
            [self.rng.below(5)]
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
            Kind::Number => &["0", "1", "2", "-3", "2.5"],
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
            0 => return self.form("if", &[Kind::Any, kind, kind], depth),
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
            Kind::Number => self.one_of(&["+", "-", "*"], &[Kind::Number, Kind::Number], depth),
            Kind::Procedure(count) => self.lambda(count, depth),
            Kind::List => match self.rng.below(4) {
                0 => self.form("cons", &[Kind::Any, Kind::List], depth),
                1 => self.form("list", &[Kind::Any, Kind::Any], depth),
                2 => self.form("map", &[Kind::Procedure(1), Kind::List], depth),
                _ => self.one_of(&["append", "cons"], &[Kind::List, Kind::List], depth),
            },
        }
    }

    /// Reads something of a value if it has it.
    fn guarded(&mut self, test: &str, read: &str, depth: usize) {
        let x = self.name("t");
        self.put(&format!("(let (({x} "));
        self.expr(Kind::Any, depth);
        self.put(&format!(")) (if ({test} {x}) ({read} {x}) {x}))"));
    }

    fn any(&mut self, depth: usize) {
        match self.rng.below(20) {
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
            _ => self.form("for-each", &[Kind::Procedure(1), Kind::List], depth),
        }
    }
}
