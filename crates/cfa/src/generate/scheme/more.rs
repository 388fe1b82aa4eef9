//! Objects that change, other ways to bind names, the library, and control.

use super::{Kind, Source};

impl Source {
    /// An object that is made, changed and read.
    pub(super) fn mutation(&mut self, depth: usize) {
        let o = self.name("o");
        let (make, change, read) = [
            ("(cons 1 2)", "set-car! O", "(car O)"),
            ("(cons 1 2)", "set-cdr! O", "(cdr O)"),
            ("(make-point 1 2)", "set-point-x! O", "(point-x O)"),
            ("(make-hash-table)", "hash-table-set! O 'key", "(hash-table-ref/default O 'key #f)"),
            ("(make-hash-table)", "hash-table-set! O 2", "(hash-table-keys O)"),
            ("(make-vector 3 'a)", "vector-set! O 2", "(vector->list O)"),
            ("(list 1 2)", "list-set! O 1", "(reverse O)"),
        ][self.rng.below(7)];
        self.put(&format!("(let (({o} {make})) ({} ", change.replace('O', &o)));
        self.expr(Kind::Any, depth);
        self.put(&format!(") {})", read.replace('O', &o)));
    }

    /// Names that are bound in other ways than by `let`.
    pub(super) fn binding(&mut self, depth: usize) {
        let (a, b) = (self.name("a"), self.name("b"));
        let (open, close) = [
            ("(let-values (((A . B) (values X 2 3))) ", ")"),
            ("(let* ((A X) (B (list A))) ", ")"),
            ("(letrec ((A (lambda (B) X)) (B 1)) ", ")"),
            ("(let () (define A X) (define (B . r) (cons A r)) ", ")"),
            ("(receive (A B) (values 1 X) ", ")"),
            ("(let ((A 1) (B X)) (fluid-let ((A B)) ", "))"),
            ("(let-syntax ((A (syntax-rules () ((_ e) (list e 1))))) (let ((B (A X))) ", "))"),
        ][self.rng.below(7)];
        let (before, after) = open.split_once('X').unwrap_or((open, ""));
        let named = |text: &str| text.replace('A', &a).replace('B', &b);
        self.put(&named(before));
        self.expr(Kind::Any, depth);
        self.put(&named(after));
        // Of these names some are syntax, so only the second is used.
        self.inside(&[(b, Kind::Any)], Kind::Any, depth);
        self.put(close);
    }

    /// Procedures of the library.
    pub(super) fn library(&mut self, depth: usize) {
        let (any, list) = (Kind::Any, Kind::List);
        match self.rng.below(10) {
            0 => self.one_of(&["memq", "member", "assq"], &[any, list], 0),
            1 => self.one_of(&["reverse", "list-copy", "list->vector", "length"], &[list], depth),
            2 => self.one_of(&["filter", "map", "filter-map"], &[Kind::Procedure(1), list], depth),
            3 => self.one_of(&["fold-left", "fold-right"], &[Kind::Procedure(2), any, list], depth),
            4 => {
                let v = self.form_text("vector", &[any, any], depth);
                self.put("(vector-map ");
                self.expr(Kind::Procedure(1), depth);
                self.put(&format!(" {v})"));
            }
            5 => self.one_of(&["equal?", "eq?", "eqv?"], &[any, any], depth),
            6 => self.one_of(&["number->string", "abs"], &[Kind::Number], depth),
            7 => self.one_of(&["list", "vector", "append"], &[list, list, list], depth),
            8 => self.form("append!", &[Kind::List, Kind::List], depth),
            _ => self.one_of(&["cons*", "list"], &[any, any, list], depth),
        }
    }

    /// Loops, choices, and ways out.
    pub(super) fn control(&mut self, depth: usize) {
        let (i, x) = (self.name("i"), self.name("x"));
        match self.rng.below(6) {
            0 => {
                self.put(&format!("(let loop (({i} 0) ({x} '())) (if (< {i} 3) (loop (+ {i} 1) "));
                self.inside(&[(i, Kind::Number), (x.clone(), Kind::Any)], Kind::Any, depth);
                self.put(&format!(") {x}))"));
            }
            1 => {
                self.put(&format!("(do (({i} 2 (- {i} 1)) ({x} #f "));
                self.inside(&[(i.clone(), Kind::Number), (x.clone(), Kind::Any)], Kind::Any, depth);
                self.put(&format!(")) ((zero? {i}) {x}))"));
            }
            2 => {
                self.put("(case ");
                self.expr(Kind::Number, depth);
                self.put(" ((0 1) ");
                self.expr(Kind::Any, depth);
                self.put(&format!(") ((2 -3) => (lambda ({x}) "));
                self.inside(&[(x, Kind::Number)], Kind::Any, depth);
                self.put(")) (else 'other))");
            }
            3 => {
                self.put(&format!("(with-exception-handler (lambda ({x}) "));
                self.inside(&[(x, Kind::Any)], Kind::Any, depth);
                self.put(") (lambda () (raise-continuable ");
                self.expr(Kind::Any, depth);
                self.put(")))");
            }
            4 => {
                self.put(&format!("(let (({x} (make-parameter 1))) (parameterize (({x} "));
                self.expr(Kind::Any, depth);
                self.put(&format!(")) ({x})))"));
            }
            _ => {
                self.put(&format!("((case-lambda (({x}) "));
                self.inside(&[(x.clone(), Kind::Any)], Kind::Any, depth);
                self.put(&format!(") (({i} . {x}) (cons {i} {x}))) "));
                let count = 1 + self.rng.below(3);
                for _ in 0..count {
                    self.expr(Kind::Any, depth);
                    self.put(" ");
                }
                self.put(")");
            }
        }
    }
}
