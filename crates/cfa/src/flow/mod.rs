//! 0-CFA (004 §4): which expressions are reached, and which values each variable may have.
//!
//! A [`Program`] is what all engines read: variables, abstract values, and operations, each guarded by the expression it
//! belongs to. The solution is the least (r, σ) such that the entry is in r and for each operation whose expression is in r:
//!
//! | operation | what must hold |
//! | --- | --- |
//! | `Copy` | σ(dst) ⊇ 𝒜(src) |
//! | `Goto` | the target is in r |
//! | `If` | `yes` is in r if 𝒜(test) has a value but `#f`, `no` if it has `#f` |
//! | `Call` | for each lambda of 𝒜(f) that accepts the number of arguments: σ(xᵢ) ⊇ 𝒜(aᵢ), its body is in r |
//! | `Load` | for each object of the class in 𝒜(base): σ(dst) ⊇ σ(its field) |
//! | `Store` | for each object of the class in 𝒜(base): σ(its field) ⊇ 𝒜(src) |
//! | `Map` | for each value of 𝒜(src): σ(dst) has what a table says |
//!
//! 𝒜 of a variable is σ of it, 𝒜 of a value is that value. The fields of an object are variables. `set!` and primitives of 004 are
//! some of these followed by the call of their continuation. The unknown value calls what it is given, from outside.

mod constants;
pub mod cuda;
mod delta;
mod flatten;
mod image;
pub mod linear;
mod lower;
mod matrix;
mod numbers;
mod reference;
mod set;

use crate::prims::{Class, Classes};

pub use lower::{Lowered, lower};
pub use set::Set;

/// A variable, or a field of an abstract object.
pub type Var = u32;
/// An abstract value.
pub type ValueId = u32;
/// An expression.
pub type Expr = u32;

/// An atomic expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The values of a variable.
    Var(Var),
    /// One value.
    Value(ValueId),
}

/// What becomes of arguments beyond the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The call is not accepted.
    None,
    /// They are dropped.
    Ignored,
    /// They go to a list: the variable, and the pair that the list is made of.
    List(Var, ValueId),
}

/// A lambda expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Its parameters.
    pub params: Vec<Var>,
    /// What becomes of further arguments.
    pub rest: Rest,
    /// Its body.
    pub body: Expr,
}

/// An abstract value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A procedure or continuation.
    Lambda(Lambda),
    /// Any value of a class.
    Basic(Class),
    /// What one place makes.
    Object {
        /// Its class.
        class: Class,
        /// Which record type, if it is a record.
        record: u32,
        /// The first of its fields.
        field: Var,
        /// How many fields it has.
        fields: u32,
    },
}

/// Which objects an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The class.
    pub class: Class,
    /// The record type, if it is a record.
    pub record: u32,
    /// The field.
    pub index: u32,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Copy { dst: Var, src: Node },
    Goto { to: Expr },
    If { test: Node, yes: Expr, no: Expr },
    Call { f: Node, args: Vec<Node>, spread: Option<Var> },
    Load { dst: Var, base: Node, field: Field },
    Store { base: Node, field: Field, src: Node },
    Map { dst: Var, src: Node, table: u32 },
}

/// What a primitive yields for values of each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// By class.
    pub classes: Vec<Classes>,
    /// For records of other types than this one, what it yields.
    pub other_record: Option<(u32, Classes)>,
}

/// A program as the engines read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// How many variables there are.
    pub vars: u32,
    /// The abstract values.
    pub values: Vec<Value>,
    /// The operations of each expression: `ops[starts[e]..starts[e + 1]]`.
    pub starts: Vec<u32>,
    /// The operations.
    pub ops: Vec<Op>,
    /// Where it starts.
    pub entry: Expr,
    /// What the store holds from the start.
    pub init: Vec<(Var, ValueId)>,
    /// The tables of `Map`.
    pub tables: Vec<Table>,
    /// Which value stands for a class.
    pub basics: Vec<Option<ValueId>>,
    /// Collects what code outside of the program gets to see, if there is such code.
    pub escape: Option<Var>,
}

impl Program {
    /// How many expressions there are.
    pub fn exprs(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// The operations of an expression.
    pub fn ops_of(&self, expr: Expr) -> std::ops::Range<usize> {
        self.starts[expr as usize] as usize..self.starts[expr as usize + 1] as usize
    }

    /// The value that stands for a class.
    pub fn basic(&self, class: Class) -> Option<ValueId> {
        self.basics.get(class as usize).copied().flatten()
    }

    /// The lambda expression that a value is.
    pub fn lambda(&self, value: ValueId) -> Option<&Lambda> {
        match &self.values[value as usize] {
            Value::Lambda(lambda) => Some(lambda),
            _ => None,
        }
    }

    /// The lambda expression that a value is, if it accepts so many arguments and makes no list of them.
    fn plain(&self, value: ValueId, given: usize) -> Option<&Lambda> {
        self.lambda(value).filter(|lambda| match lambda.rest {
            Rest::None => given == lambda.params.len(),
            Rest::Ignored => given >= lambda.params.len(),
            Rest::List(..) => false,
        })
    }

    /// The field of a value that an operation is about, if it has such a field.
    pub fn field(&self, value: ValueId, of: Field) -> Option<Var> {
        match &self.values[value as usize] {
            Value::Object { class, record, field, fields }
                if *class == of.class && *record == of.record && of.index < *fields =>
            {
                Some(field + of.index)
            }
            _ => None,
        }
    }

    /// Whether a value is the unknown one.
    pub fn is_unknown(&self, value: ValueId) -> bool {
        self.values[value as usize] == Value::Basic(Class::Unknown)
    }

    /// What a table yields for a value.
    pub fn image(&self, table: u32, value: ValueId) -> Classes {
        let table = &self.tables[table as usize];
        let class = match &self.values[value as usize] {
            Value::Lambda(_) => Class::Procedure,
            Value::Basic(class) => *class,
            Value::Object { class, record, .. } => match table.other_record {
                Some((expected, classes)) if *class == Class::Record && *record != expected => {
                    return classes;
                }
                _ => *class,
            },
        };
        table.classes[class as usize]
    }

    /// The flows of a call to a lambda expression, if it accepts the arguments: its parameters and what they get.
    pub fn bind(
        &self,
        lambda: &Lambda,
        args: &[Node],
        spread: Option<Var>,
        mut flow: impl FnMut(Var, Node),
    ) -> bool {
        let (given, wanted) = (args.len(), lambda.params.len());
        let accepted = match spread {
            None => given == wanted || (given > wanted && lambda.rest != Rest::None),
            Some(_) => given <= wanted || lambda.rest != Rest::None,
        };
        if !accepted {
            return false;
        }
        lambda.params.iter().zip(args).for_each(|(param, arg)| flow(*param, *arg));
        if let Some(spread) = spread {
            lambda.params.iter().skip(given).for_each(|param| flow(*param, Node::Var(spread)));
        }
        if let Rest::List(rest, pair) = lambda.rest {
            if let Value::Object { field: car, .. } = self.values[pair as usize] {
                args.iter().skip(wanted).for_each(|arg| flow(car, *arg));
                spread.iter().for_each(|spread| flow(car, Node::Var(*spread)));
            }
            if given > wanted || spread.is_some() {
                flow(rest, Node::Value(pair));
            }
            if given <= wanted
                && let Some(null) = self.basic(Class::Null)
            {
                flow(rest, Node::Value(null));
            }
        }
        true
    }

    /// What happens to a value that code outside of the program sees: it is called and changed with unknown values.
    /// Yields variables that get the unknown value, and those that code outside sees as well.
    pub fn expose(
        &self,
        value: ValueId,
        mut unknown: impl FnMut(Var),
        mut seen: impl FnMut(Var),
    ) -> Option<Expr> {
        match &self.values[value as usize] {
            Value::Lambda(lambda) => {
                lambda.params.iter().for_each(|param| unknown(*param));
                if let Rest::List(rest, _) = lambda.rest {
                    unknown(rest);
                }
                Some(lambda.body)
            }
            Value::Object { field, fields, .. } => {
                (*field..field + fields).for_each(&mut unknown);
                (*field..field + fields).for_each(&mut seen);
                None
            }
            Value::Basic(_) => None,
        }
    }
}

/// The reachable expressions r and the store σ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solution {
    /// The expressions that are reached.
    pub reached: Set,
    /// The values of each variable.
    pub store: Vec<Set>,
}

impl Solution {
    /// The values of an atomic expression.
    pub fn values(&self, node: Node) -> Set {
        match node {
            Node::Var(var) => self.store[var as usize].clone(),
            Node::Value(value) => [value].into_iter().collect(),
        }
    }

    /// Whether everything in another solution is in this one.
    pub fn includes(&self, other: &Solution) -> bool {
        other.reached.iter().all(|expr| self.reached.contains(expr))
            && self
                .store
                .iter()
                .zip(&other.store)
                .all(|(mine, theirs)| theirs.iter().all(|value| mine.contains(value)))
    }

    /// How many facts it has: reached expressions and values of variables.
    pub fn facts(&self) -> usize {
        self.reached.len() + self.store.iter().map(Set::len).sum::<usize>()
    }
}

/// How a program is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A worklist, written to be obviously right.
    Reference,
    /// Difference propagation.
    Delta,
    /// The linear encoding of 004 §6 on rows of bits, with some number of threads.
    Matrix(usize),
    /// EigenCFA's variant: everything counts as reached. The solution includes those of the others.
    Eigen,
}

/// Solves a program.
pub fn solve(program: &Program, engine: Engine) -> Solution {
    match engine {
        Engine::Reference => reference::solve(program),
        Engine::Delta => delta::solve(program, false),
        Engine::Matrix(threads) => matrix::solve(program, threads.max(1)),
        Engine::Eigen => delta::solve(program, true),
    }
}
