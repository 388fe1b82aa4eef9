//! Arithmetic: exact as fractions, inexact as machine numbers. Complex numbers and those beyond 64 bits are not interpreted.

use super::heap::Val;
use super::{Step, stop};

/// A fraction in lowest terms; the second number is above zero.
type Exact = (i128, i128);

/// What a procedure on numbers yields.
pub(super) fn apply(name: &str, args: &[Val]) -> Step<Val> {
    let exact = |arg: &Val| match arg {
        Val::Int(n) => Some((i128::from(*n), 1)),
        Val::Ratio(over, under) => Some((i128::from(*over), i128::from(*under))),
        _ => None,
    };
    let real = |arg: &Val| match arg {
        Val::Real(x) => Some(*x),
        arg => exact(arg).map(|(over, under)| over as f64 / under as f64),
    };
    let Some(reals) = args.iter().map(real).collect::<Option<Vec<f64>>>() else {
        return stop(format!("{name} is not interpreted for these arguments"));
    };
    match (name, args.iter().map(exact).collect::<Option<Vec<Exact>>>()) {
        ("exact->inexact" | "inexact", _) if reals.len() == 1 => Ok(Val::Real(reals[0])),
        (_, Some(args)) => exactly(name, &args),
        (_, None) => inexactly(name, &reals),
    }
}

/// The fraction that a constant is, if it is small.
pub(super) fn fraction(text: &str) -> Option<Val> {
    let (over, under) = text.split_once('/')?;
    number((over.parse().ok()?, under.parse().ok()?)).ok()
}

/// A fraction as a value.
fn number((over, under): Exact) -> Step<Val> {
    let large = || stop("an integer is too large");
    if under == 0 {
        return stop("a division by zero");
    }
    let common = gcd(over, under).max(1) * under.signum();
    match (i64::try_from(over / common), i64::try_from(under / common)) {
        (Ok(over), Ok(1)) => Ok(Val::Int(over)),
        (Ok(over), Ok(under)) => Ok(Val::Ratio(over, under)),
        _ => large(),
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn sum(a: Exact, b: Exact) -> Option<Exact> {
    Some((a.0.checked_mul(b.1)?.checked_add(b.0.checked_mul(a.1)?)?, a.1.checked_mul(b.1)?))
}

fn product(a: Exact, b: Exact) -> Option<Exact> {
    Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?))
}

fn ratio(a: Exact, b: Exact) -> Option<Exact> {
    (b.0 != 0).then(|| product(a, (b.1 * b.0.signum(), b.0.abs())))?
}

fn minus((over, under): Exact) -> Exact {
    (-over, under)
}

/// Numbers in lowest terms are compared crosswise.
fn ordered(args: &[Exact], holds: fn(&i128, &i128) -> bool) -> Step<Val> {
    let pair = |pair: &[Exact]| holds(&(pair[0].0 * pair[1].1), &(pair[1].0 * pair[0].1));
    Ok(Val::Bool(args.windows(2).all(pair)))
}

fn exactly(name: &str, args: &[Exact]) -> Step<Val> {
    let checked = |value: Option<Exact>| match value {
        Some(value) => number(value),
        None => stop("a number is too large, or a division by zero"),
    };
    let small = |(over, under): Exact| i64::try_from(over).is_ok() && i64::try_from(under).is_ok();
    let fold = |start: Exact, rest: &[Exact], f: fn(Exact, Exact) -> Option<Exact>| {
        let step = |sofar: Exact, next: &Exact| {
            let (over, under) = f(sofar, *next)?;
            let common = gcd(over, under).max(1);
            Some((over / common, under / common)).filter(|value| small(*value))
        };
        checked(rest.iter().try_fold(start, step))
    };
    let whole = args.iter().all(|arg| arg.1 == 1);
    match (name, args) {
        ("+", _) => fold((0, 1), args, sum),
        ("*", _) => fold((1, 1), args, product),
        ("-", [only]) => number(minus(*only)),
        ("-", [first, rest @ ..]) => fold(*first, rest, |a, b| sum(a, minus(b))),
        ("/", [only]) => checked(ratio((1, 1), *only)),
        ("/", [first, rest @ ..]) => fold(*first, rest, ratio),
        ("max" | "min", [first, rest @ ..]) => {
            let larger = |a: Exact, b: Exact| if a.0 * b.1 >= b.0 * a.1 { a } else { b };
            let smaller = |a: Exact, b: Exact| if a.0 * b.1 <= b.0 * a.1 { a } else { b };
            let choose = |a, b: &Exact| if name == "max" { larger(a, *b) } else { smaller(a, *b) };
            number(rest.iter().fold(*first, choose))
        }
        ("abs" | "magnitude", [only]) => number((only.0.abs(), only.1)),
        ("square", [only]) => checked(product(*only, *only)),
        ("1+", [only]) => checked(sum(*only, (1, 1))),
        ("-1+" | "1-", [only]) => checked(sum(*only, (-1, 1))),
        ("floor", [(over, under)]) => number((over.div_euclid(*under), 1)),
        ("ceiling", [(over, under)]) => number((-(-over).div_euclid(*under), 1)),
        ("truncate", [(over, under)]) => number((over / under, 1)),
        ("round", [(over, under)]) => {
            let (below, twice) = (over.div_euclid(*under), 2 * over.rem_euclid(*under));
            let up = twice > *under || twice == *under && below % 2 != 0;
            number((below + i128::from(up), 1))
        }
        ("numerator", [only]) => number((only.0, 1)),
        ("denominator", [only]) => number((only.1, 1)),
        ("exact" | "inexact->exact", [only]) => number(*only),
        ("zero?", [only]) => Ok(Val::Bool(only.0 == 0)),
        ("positive?", [only]) => Ok(Val::Bool(only.0 > 0)),
        ("negative?", [only]) => Ok(Val::Bool(only.0 < 0)),
        ("=", _) => ordered(args, |a, b| a == b),
        ("<", _) => ordered(args, |a, b| a < b),
        (">", _) => ordered(args, |a, b| a > b),
        ("<=", _) => ordered(args, |a, b| a <= b),
        (">=", _) => ordered(args, |a, b| a >= b),
        _ if !whole => stop(format!("{name} is not interpreted for fractions")),
        ("odd?", [n]) => Ok(Val::Bool(n.0 % 2 != 0)),
        ("even?", [n]) => Ok(Val::Bool(n.0 % 2 == 0)),
        ("gcd", _) => number((args.iter().fold(0, |all, n| gcd(all, n.0)), 1)),
        ("lcm", _) => {
            let step = |all: i128, n: &Exact| match gcd(all, n.0) {
                0 => Some(0),
                common => (all / common).checked_mul(n.0.abs()),
            };
            checked(args.iter().try_fold(1, step).map(|value| (value, 1)))
        }
        (_, [a, b]) if b.0 != 0 => integers(name, a.0, b.0),
        _ => stop(format!("{name} is not interpreted, or divides by zero")),
    }
}

/// Two integers, the second not zero.
fn integers(name: &str, a: i128, b: i128) -> Step<Val> {
    let rest = a % b;
    let down = rest != 0 && (rest < 0) != (b < 0);
    match name {
        "quotient" | "truncate-quotient" => number((a / b, 1)),
        "remainder" | "truncate-remainder" => number((rest, 1)),
        "floor-quotient" => number((a / b - i128::from(down), 1)),
        "modulo" | "floor-remainder" => number((if down { rest + b } else { rest }, 1)),
        _ => stop(format!("{name} is not interpreted")),
    }
}

fn inexactly(name: &str, args: &[f64]) -> Step<Val> {
    let real = |value: f64| Ok(Val::Real(value));
    let ordered = |holds: fn(&f64, &f64) -> bool| {
        Ok(Val::Bool(args.windows(2).all(|pair| holds(&pair[0], &pair[1]))))
    };
    match (name, args) {
        ("+", _) => real(args.iter().sum()),
        ("*", _) => real(args.iter().product()),
        ("-", [only]) => real(-only),
        ("-", [first, rest @ ..]) => real(rest.iter().fold(*first, |a, b| a - b)),
        ("/", [only]) => real(1.0 / only),
        ("/", [first, rest @ ..]) => real(rest.iter().fold(*first, |a, b| a / b)),
        ("max", [first, rest @ ..]) => real(rest.iter().fold(*first, |a, b| a.max(*b))),
        ("min", [first, rest @ ..]) => real(rest.iter().fold(*first, |a, b| a.min(*b))),
        ("abs" | "magnitude", [only]) => real(only.abs()),
        ("square", [only]) => real(only * only),
        ("1+", [only]) => real(only + 1.0),
        ("-1+" | "1-", [only]) => real(only - 1.0),
        ("floor", [only]) => real(only.floor()),
        ("ceiling", [only]) => real(only.ceil()),
        ("truncate", [only]) => real(only.trunc()),
        ("round", [only]) => real(only.round_ties_even()),
        ("zero?", [only]) => Ok(Val::Bool(*only == 0.0)),
        ("positive?", [only]) => Ok(Val::Bool(*only > 0.0)),
        ("negative?", [only]) => Ok(Val::Bool(*only < 0.0)),
        ("=", _) => ordered(|a, b| a == b),
        ("<", _) => ordered(|a, b| a < b),
        (">", _) => ordered(|a, b| a > b),
        ("<=", _) => ordered(|a, b| a <= b),
        (">=", _) => ordered(|a, b| a >= b),
        ("quotient" | "truncate-quotient", [a, b]) => real((a / b).trunc()),
        ("floor-quotient", [a, b]) => real((a / b).floor()),
        ("remainder" | "truncate-remainder", [a, b]) => real(a % b),
        ("modulo" | "floor-remainder", [a, b]) => {
            let rest = a % b;
            real(if rest != 0.0 && (rest < 0.0) != (*b < 0.0) { rest + b } else { rest })
        }
        _ => stop(format!("{name} is not interpreted")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::Halt;
    use crate::prims::{self, Effect};

    /// Numbers of every class, also the extremes.
    const SAMPLES: &[Val] = &[
        Val::Int(-7),
        Val::Int(-1),
        Val::Int(0),
        Val::Int(1),
        Val::Int(2),
        Val::Int(12),
        Val::Ratio(-7, 2),
        Val::Ratio(-1, 3),
        Val::Ratio(1, 3),
        Val::Ratio(1, 2),
        Val::Ratio(5, 2),
        Val::Ratio(1, i64::MAX),
        Val::Real(f64::NEG_INFINITY),
        Val::Real(-1e300),
        Val::Real(-2.5),
        Val::Real(-5e-324),
        Val::Real(-0.0),
        Val::Real(0.0),
        Val::Real(5e-324),
        Val::Real(0.5),
        Val::Real(1e300),
        Val::Real(f64::INFINITY),
        Val::Real(f64::NAN),
    ];

    /// What a rule says of some numbers, and whether it says anything.
    fn allowed(effect: Effect, args: &[Val]) -> Option<prims::Classes> {
        let classes: Vec<_> = args.iter().map(|arg| arg.class()).collect();
        match (effect, classes.as_slice()) {
            (Effect::Number(rule, _), [a, b]) => Some(rule.two(*a, *b)),
            (Effect::Number(rule, _), [a]) => Some(rule.one(*a)),
            (Effect::Compares(order), [a, b]) => Some(order.two(*a, *b)),
            _ => None,
        }
    }

    /// Every procedure on one or two numbers, on all samples: what it yields is what its rule allows.
    #[test]
    fn arithmetic_obeys_the_rules() {
        let mut seen = 0;
        for entry in prims::all() {
            let pairs = SAMPLES.iter().flat_map(|a| SAMPLES.iter().map(move |b| vec![*a, *b]));
            for args in SAMPLES.iter().map(|a| vec![*a]).chain(pairs) {
                let fits = entry.min <= args.len() && entry.max.is_none_or(|max| args.len() <= max);
                let Some(classes) = allowed(entry.effect, &args).filter(|_| fits) else { continue };
                match apply(entry.name, &args) {
                    Ok(value) => {
                        let found = value.class();
                        assert!(
                            classes.has(found),
                            "({} {args:?}) yields {value:?}, allowed are {:?}",
                            entry.name,
                            classes.iter().collect::<Vec<_>>()
                        );
                        seen += 1;
                    }
                    Err(Halt::Stopped(_)) => {}
                    Err(_) => panic!("({} {args:?})", entry.name),
                }
            }
        }
        assert!(seen > 8_000, "only {seen} results");
    }

    /// A rule that allows everything would be right, too.
    #[test]
    fn the_rules_say_something() {
        use crate::prims::Class::*;
        use crate::signs::{Arith, Order};
        let of = |classes: &[prims::Class]| prims::Classes::of(classes);
        assert_eq!(Arith::Sum.two(PosInt, PosInt), of(&[PosInt]));
        assert_eq!(Arith::Sum.two(PosInt, PosRatio), of(&[PosRatio]));
        assert_eq!(Arith::Difference.two(NegInt, PosInt), of(&[NegInt]));
        assert_eq!(Arith::Difference.two(ZeroInt, PosReal), of(&[NegReal]));
        assert_eq!(Arith::Product.two(NegInt, NegInt), of(&[PosInt]));
        assert_eq!(Arith::Product.two(NegReal, PosReal), of(&[NegReal, ZeroReal]));
        assert_eq!(Arith::Ratio.two(PosInt, NegInt), of(&[NegInt, NegRatio]));
        assert_eq!(Arith::Ratio.two(PosInt, ZeroInt), of(&[]));
        assert_eq!(Arith::Max.two(NegInt, PosInt), of(&[PosInt]));
        assert_eq!(Arith::Min.two(NegInt, PosRatio), of(&[NegInt]));
        assert_eq!(Arith::Quotient.two(PosInt, PosInt), of(&[ZeroInt, PosInt]));
        assert_eq!(Arith::FloorQuotient.two(NegInt, PosInt), of(&[NegInt]));
        assert_eq!(Arith::Modulo.two(PosInt, NegInt), of(&[NegInt, ZeroInt]));
        assert_eq!(Arith::Remainder.two(NegInt, PosInt), of(&[NegInt, ZeroInt]));
        assert_eq!(Arith::Gcd.two(NegInt, ZeroInt), of(&[PosInt]));
        assert_eq!(Arith::Lcm.two(NegInt, ZeroInt), of(&[ZeroInt]));
        assert_eq!(Arith::Abs.one(NegRatio), of(&[PosRatio]));
        assert_eq!(Arith::Floor.one(NegRatio), of(&[NegInt]));
        assert_eq!(Arith::Ceiling.one(NegRatio), of(&[NegInt, ZeroInt]));
        assert_eq!(Arith::Denominator.one(NegRatio), of(&[PosInt]));
        assert_eq!(Arith::Square.one(NegInt), of(&[PosInt]));
        assert_eq!(Arith::Successor.one(ZeroInt), of(&[PosInt]));
        assert_eq!(Arith::Predecessor.one(ZeroInt), of(&[NegInt]));
        assert_eq!(Order::Less.two(NegInt, ZeroInt), of(&[True]));
        assert_eq!(Order::Equal.two(ZeroInt, ZeroReal), of(&[True]));
        assert_eq!(Order::GreaterOrEqual.two(Nan, PosInt), of(&[False]));
        assert_eq!(Order::Less.two(PosInt, PosInt), of(&[False, True]));
        assert_eq!(Arith::Sum.two(Complex, Str), of(&[]));
    }
}
