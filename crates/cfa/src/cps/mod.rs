//! Continuation-passing style (004 §3).
//!
//! ```text
//! e  ::= (ae ae …) | (set! x ae ae) | (prim op ae … ae) | (if ae e e) | (fix ((x lam) …) e) | (halt)
//! ae ::= c | x | lam        lam ::= (λ (x … . x) e)
//! ```
//!
//! `fix` is not in the paper: it binds names to lambda expressions, for `letrec*` and for the join after an `if`. A name
//! that is bound to several lambda expressions stands for the one that accepts the arguments. The continuation is the
//! first argument, since lambda expressions may have rest arguments. With `spread`, the last argument of a call or
//! primitive is a list of further arguments.

mod continuations;
mod convert;
pub(crate) mod print;

use crate::expand::core::{Lam, Term};
use crate::prims::{Class, Op};
use crate::read::Datum;
use crate::source::Loc;

pub use convert::convert;

/// A variable. Those of the core program come first, with the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// A lambda expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LamId(pub u32);

/// An atomic expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ae {
    /// A variable.
    Var(Var),
    /// A lambda expression.
    Lam(LamId),
    /// Any value of a class.
    Basic(Class),
    /// A constant of the source.
    Quote(Datum),
}

/// What a lambda expression does with arguments beyond its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There must be none.
    None,
    /// They are a list.
    List(Var),
    /// They are dropped.
    Ignored,
}

/// A lambda expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Its parameters, the continuation first if it is no continuation itself.
    pub params: Vec<Var>,
    /// What happens to further arguments.
    pub rest: Rest,
    /// Its body.
    pub body: Label,
    /// Whether it is a continuation.
    pub continuation: bool,
    /// The lambda expression of the core program that it stands for.
    pub source: Option<Lam>,
    /// Where it was written.
    pub loc: Loc,
}

impl Lambda {
    /// Whether it accepts so many arguments; with `spread`, a list of further ones comes with them.
    pub fn accepts(&self, given: usize, spread: bool) -> bool {
        let wanted = self.params.len();
        given == wanted || (given > wanted && self.rest != Rest::None) || (given < wanted && spread)
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exp {
    /// A call.
    Call {
        /// What is called.
        f: Ae,
        /// With what.
        args: Vec<Ae>,
        /// Whether the last argument is a list of arguments.
        spread: bool,
    },
    /// Assigns, then goes on.
    Set {
        /// The variable.
        x: Var,
        /// Its new value.
        value: Ae,
        /// The continuation.
        k: Ae,
    },
    /// A primitive operation.
    Prim {
        /// What is done.
        op: Op,
        /// With what.
        args: Vec<Ae>,
        /// Whether the last argument is a list of arguments.
        spread: bool,
        /// The continuation.
        k: Ae,
    },
    /// A conditional.
    If {
        /// What decides.
        test: Ae,
        /// Where control goes if it is not `#f`.
        yes: Label,
        /// Where control goes if it is `#f`.
        no: Label,
    },
    /// Binds names to lambda expressions.
    Fix {
        /// The names.
        bindings: Vec<(Var, LamId)>,
        /// Where they are used.
        body: Label,
    },
    /// The end.
    Halt,
}

/// A program in continuation-passing style.
#[derive(Clone, Debug, Default)]
pub struct Cps {
    /// The expressions.
    pub exps: Vec<Exp>,
    /// The source expression of each, if it has one.
    pub sources: Vec<Option<Term>>,
    /// The lambda expressions.
    pub lambdas: Vec<Lambda>,
    /// The names of the variables.
    pub vars: Vec<Box<str>>,
    /// Where it starts.
    pub entry: Option<Label>,
    /// The expression that makes each call of the source; calls of lambda expressions in place have none.
    pub calls: Vec<(Term, Label)>,
    /// The continuations that `call/cc` makes into procedures, by source expression.
    pub escapes: Vec<(Term, Vec<LamId>)>,
    /// The lambda expression of each of the core program's.
    pub of_core: Vec<Option<LamId>>,
}

impl Cps {
    /// A new variable.
    pub fn add_var(&mut self, name: &str) -> Var {
        self.vars.push(name.into());
        Var(self.vars.len() as u32 - 1)
    }

    /// A new expression, to be written later.
    pub fn reserve(&mut self, source: Option<Term>) -> Label {
        self.exps.push(Exp::Halt);
        self.sources.push(source);
        Label(self.exps.len() as u32 - 1)
    }

    /// A new lambda expression.
    pub fn add_lambda(
        &mut self,
        params: Vec<Var>,
        rest: Rest,
        body: Label,
        continuation: bool,
    ) -> LamId {
        let loc = Loc::default();
        self.lambdas.push(Lambda { params, rest, body, continuation, source: None, loc });
        LamId(self.lambdas.len() as u32 - 1)
    }

    /// Writes an expression.
    pub fn set(&mut self, label: Label, exp: Exp) {
        self.exps[label.0 as usize] = exp;
    }

    /// An expression.
    pub fn exp(&self, label: Label) -> &Exp {
        &self.exps[label.0 as usize]
    }

    /// A lambda expression.
    pub fn lambda(&self, lam: LamId) -> &Lambda {
        &self.lambdas[lam.0 as usize]
    }
}
