//! Arithmetic becomes operations.
//!
//! By type, what numbers become is the union over the arguments: one `Map` each. By sign, it depends on two numbers at once:
//! σ(dst) ⊇ rule(u, v) for all u of 𝒜(a) and v of 𝒜(b). That is a distinction of cases: for each class c of numbers there is an
//! expression that is reached if a has a value of c, and in it b is mapped by rule(c, ·). So engines need no rule for it.

use super::lower::{Lower, TableKey};
use super::{Node, Op, Value, ValueId, Var};
use crate::cps::Ae;
use crate::prims::{Class, Classes};
use crate::signs::{Arith, Constants, NUMBERS, Order, Shape};

/// A rule for two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    Arith(Arith),
    Compares(Order),
}

impl Rule {
    fn of(self, left: Class, right: Class) -> Classes {
        let two = |left: Class, right: Class| match self {
            Rule::Arith(rule) => rule.two(left, right),
            Rule::Compares(order) => order.two(left, right),
        };
        numbers(|left| numbers(|right| two(left, right))(right))(left)
    }
}

/// The type of which a class is a sign.
pub(super) fn type_of(class: Class) -> Option<Class> {
    let types = [Class::Int, Class::Ratio, Class::Real].into_iter();
    types.filter(|whole| *whole != class).find(|whole| Classes::of(&[*whole]).closed().has(class))
}

/// What becomes of a class of numbers; of all of them, if nobody knows which.
fn numbers(rule: impl Fn(Class) -> Classes) -> impl Fn(Class) -> Classes {
    move |class| match class {
        Class::Unknown => NUMBERS.iter().fold(Classes::default(), |all, of| all.and(rule(*of))),
        class => rule(class),
    }
}

impl Lower<'_> {
    pub(super) fn number(
        &mut self,
        rule: Arith,
        also: Classes,
        args: &[Node],
        spread: bool,
        k: Ae,
    ) {
        let shape = rule.shape();
        let fixed = matches!(shape, Shape::Two | Shape::One | Shape::Kinds);
        if self.constants == Constants::Types || spread && fixed || shape == Shape::Kinds {
            let table = self.kind_table(also);
            // No argument at all yields 0 or 1.
            let none = [Class::ZeroInt, Class::PosInt];
            let none = none.map(|class| Node::Value(self.basic(class)));
            return match args.is_empty() || spread {
                true => self.map(table, &[args, &none].concat(), k),
                false => self.map(table, args, k),
            };
        }
        let (dst, next) = self.result(k);
        match (shape, args) {
            (Shape::One, [only]) => self.one(rule, dst, *only),
            (Shape::Two, [a, b]) => self.operands(Rule::Arith(rule), dst, *a, *b),
            (Shape::Fold(none), _) => self.fold(rule, none, dst, args, spread),
            (Shape::Against, [only]) if !spread => self.one(rule, dst, *only),
            (Shape::Against, [first, rest @ ..]) => {
                // The list may have no elements, or all of them.
                if let (true, [] | [_]) = (spread, rest) {
                    self.one(rule, dst, *first);
                }
                let rest = if rest.is_empty() { args } else { rest };
                self.leftwards(rule, dst, *first, rest, spread);
            }
            _ => {}
        }
        self.push(next);
    }

    /// Sums and the like: what no argument yields, then one argument after the other.
    fn fold(&mut self, rule: Arith, none: Option<Class>, dst: Var, args: &[Node], spread: bool) {
        let none = none.map(|class| Node::Value(self.basic(class)));
        match (args, spread) {
            ([], _) => none.into_iter().for_each(|src| self.push(Op::Copy { dst, src })),
            ([only], false) => self.one(rule, dst, *only),
            // The elements of a list: nothing but them, in any number.
            ([items], true) => {
                none.into_iter().for_each(|src| self.push(Op::Copy { dst, src }));
                self.one(rule, dst, *items);
                self.leftwards(rule, dst, *items, args, true);
            }
            ([first, rest @ ..], _) => {
                if let (true, [_]) = (spread, rest) {
                    self.one(rule, dst, *first);
                }
                self.leftwards(rule, dst, *first, rest, spread);
            }
        }
    }

    /// Applies a rule to a first number and the next, to what that yields and the next, and so on. With `spread`, the last
    /// stands for any number of them.
    fn leftwards(&mut self, rule: Arith, dst: Var, first: Node, rest: &[Node], spread: bool) {
        let rule = Rule::Arith(rule);
        let (steps, items) = match rest {
            [steps @ .., items] if spread => (steps, Some(*items)),
            _ => (rest, None),
        };
        let mut sofar = first;
        for arg in steps {
            let to = self.fresh();
            self.operands(rule, to, sofar, *arg);
            sofar = Node::Var(to);
        }
        if let Some(items) = items {
            let all = self.fresh();
            if !steps.is_empty() {
                self.push(Op::Copy { dst: all, src: sofar });
            }
            self.both(rule, all, sofar, items);
            self.both(rule, all, Node::Var(all), items);
            sofar = Node::Var(all);
        }
        self.push(Op::Copy { dst, src: sofar });
    }

    fn one(&mut self, rule: Arith, dst: Var, src: Node) {
        let table = self.table(TableKey::One(rule), numbers(|class| rule.one(class)));
        self.push(Op::Map { dst, src, table });
    }

    /// The same for two operands as they are written. A variable that is never assigned is one number each time.
    pub(super) fn operands(&mut self, rule: Rule, dst: Var, a: Node, b: Node) {
        match a {
            Node::Var(x) if a == b && !self.assigned.contains(&x) => {
                let table = self.table(TableKey::Same(rule), numbers(|of| rule.of(of, of)));
                self.push(Op::Map { dst, src: a, table });
            }
            _ => self.both(rule, dst, a, b),
        }
    }

    /// σ(dst) ⊇ rule(u, v) for all u and v.
    fn both(&mut self, rule: Rule, dst: Var, a: Node, b: Node) {
        match (a, b) {
            (Node::Value(a), _) => {
                if let Some(class) = self.number_class(a) {
                    let table = self.after(rule, class);
                    self.push(Op::Map { dst, src: b, table });
                }
            }
            (Node::Var(_), Node::Value(b)) => {
                if let Some(class) = self.number_class(b) {
                    let key = TableKey::Before(rule, class);
                    let table = self.table(key, |left| rule.of(left, class));
                    self.push(Op::Map { dst, src: a, table });
                }
            }
            (Node::Var(_), Node::Var(_)) => {
                for class in NUMBERS {
                    let yes = Classes::of(&[Class::True]);
                    let is = |of| if of == *class { yes } else { Classes::default() };
                    let table = self.table(TableKey::Is(*class), numbers(is));
                    let test = self.fresh();
                    self.push(Op::Map { dst: test, src: a, table });
                    let case = (self.cps.exps.len() + self.cases.len()) as u32;
                    self.push(Op::If { test: Node::Var(test), yes: case, no: case });
                    let table = self.after(rule, *class);
                    self.cases.push(Op::Map { dst, src: b, table });
                }
            }
        }
    }

    fn after(&mut self, rule: Rule, left: Class) -> u32 {
        self.table(TableKey::After(rule, left), |right| rule.of(left, right))
    }

    /// The class of a constant that may be a number.
    fn number_class(&self, value: ValueId) -> Option<Class> {
        match &self.out.program.values[value as usize] {
            Value::Basic(class) => Some(*class),
            _ => None,
        }
    }

    /// Whether a number is of some classes.
    pub(super) fn sign_table(&mut self, classes: Classes) -> u32 {
        let of = |has: bool, class| if has { Classes::of(&[class]) } else { Classes::default() };
        let known = move |class: Class| {
            let signs = Classes::of(&[class]).closed();
            let numbers = signs.iter().filter(|class| NUMBERS.contains(class));
            let (yes, no): (Vec<Class>, Vec<Class>) = numbers.partition(|sign| classes.has(*sign));
            of(!yes.is_empty(), Class::True).and(of(!no.is_empty(), Class::False))
        };
        self.table(TableKey::Signs(classes), numbers(known))
    }

    fn kind_table(&mut self, also: Classes) -> u32 {
        let (int, ratio) = (Classes::of(&[Class::Int]), Classes::of(&[Class::Ratio]));
        let real = Classes::of(&[Class::Real]);
        let kinds = move |class: Class| match type_of(class).unwrap_or(class) {
            Class::Int => int.and(also).closed(),
            Class::Ratio => int.and(ratio).closed(),
            Class::Real => real.closed(),
            Class::Complex => Classes::of(NUMBERS),
            _ => Classes::default(),
        };
        self.table(TableKey::Kinds(also), numbers(kinds))
    }
}
