//! The core language that programs are expanded to.
//!
//! ```text
//! e ::= datum | x | (lambda (x … . x) e) | (case-lambda …) | (if e e e) | (set! x e) | (begin e …)
//!     | (letrec* (x …) step …) | (e e …) | (op e …) | (receive (x … . x) e e)
//! ```
//!
//! A program is plain data: tables indexed by `u32`s. Each variable is bound in one place, so that 0-CFA's one
//! address per variable needs no renaming.

use crate::prims::Op;
use crate::read::{Data, Datum};
use crate::source::Loc;

/// A variable of the core program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// An expression of the core program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u32);

/// A lambda expression of the core program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lam(pub u32);

/// The parameters of a lambda expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formals {
    /// One argument each.
    pub params: Vec<Var>,
    /// The list of the other arguments.
    pub rest: Option<Var>,
}

impl Formals {
    /// Whether a call with this many arguments is accepted.
    pub fn accepts(&self, count: usize) -> bool {
        count == self.params.len() || (self.rest.is_some() && count > self.params.len())
    }
}

/// A lambda expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Its parameters.
    pub formals: Formals,
    /// Its body.
    pub body: Term,
    /// Where it was written.
    pub loc: Loc,
    /// The name it was given, if any.
    pub name: Option<Box<str>>,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// The unspecified value.
    Void,
    /// A constant.
    Quote(Datum),
    /// A variable.
    Ref(Var),
    /// A procedure.
    Lambda(Lam),
    /// A procedure that takes the first of these that accepts its arguments.
    CaseLambda(Vec<Lam>),
    /// A conditional.
    If(Term, Term, Term),
    /// An assignment; its value is unspecified.
    Set(Var, Term),
    /// One after the other; the value of the last.
    Begin(Vec<Term>),
    /// Variables in the scope of all steps; a step may define one of them. The value of the last step.
    Letrec(Vec<Var>, Vec<(Option<Var>, Term)>),
    /// A call.
    Call(Term, Vec<Term>),
    /// A primitive operation. With `spread`, the last argument is a list of further arguments.
    Prim {
        /// What is done.
        op: Op,
        /// With what.
        args: Vec<Term>,
        /// Whether the last argument is a list of arguments.
        spread: bool,
    },
    /// Binds the values of an expression in a body.
    Receive(Formals, Term, Term),
}

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarInfo {
    /// Its name in the source.
    pub name: Box<str>,
    /// Where it is bound.
    pub loc: Loc,
}

/// A record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordType {
    /// Its name in the source.
    pub name: Box<str>,
    /// The names of its fields.
    pub fields: Vec<Box<str>>,
}

/// A program in the core language.
#[derive(Default)]
pub struct Program {
    /// The constants.
    pub data: Data,
    /// What each expression is.
    pub terms: Vec<Core>,
    /// Where each expression was written.
    pub locs: Vec<Loc>,
    /// The variables.
    pub vars: Vec<VarInfo>,
    /// The lambda expressions.
    pub lambdas: Vec<Lambda>,
    /// The record types.
    pub records: Vec<RecordType>,
    /// The whole program.
    pub body: Term,
    /// Expressions that are copies of procedures of the prelude, as ranges.
    pub(crate) copied: Vec<std::ops::Range<usize>>,
}

impl Program {
    /// What an expression is.
    pub fn term(&self, term: Term) -> &Core {
        &self.terms[term.0 as usize]
    }

    /// Where an expression was written.
    pub fn loc(&self, term: Term) -> Loc {
        self.locs[term.0 as usize]
    }

    /// A lambda expression.
    pub fn lambda(&self, lam: Lam) -> &Lambda {
        &self.lambdas[lam.0 as usize]
    }

    pub(crate) fn add(&mut self, core: Core, loc: Loc) -> Term {
        self.terms.push(core);
        self.locs.push(loc);
        Term(self.terms.len() as u32 - 1)
    }

    pub(crate) fn add_var(&mut self, name: &str, loc: Loc) -> Var {
        self.vars.push(VarInfo { name: name.into(), loc });
        Var(self.vars.len() as u32 - 1)
    }

    pub(crate) fn add_lambda(&mut self, formals: Formals, body: Term, loc: Loc) -> Lam {
        self.lambdas.push(Lambda { formals, body, loc, name: None });
        Lam(self.lambdas.len() as u32 - 1)
    }
}
