//! Numbers: R7RS §7.1.1, all radices and both exactness prefixes.

/// A number. Those that machine numbers do not hold exactly stay text.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// An exact integer.
    Int(i64),
    /// An exact integer beyond 64 bits, as it was written.
    Large(Box<str>),
    /// An exact fraction that is no integer, as it was written.
    Ratio(Box<str>),
    /// An inexact real.
    Real(f64),
    /// A complex number that is not real, as it was written.
    Complex(Box<str>),
}

/// The number that a token is; `None` if it is none.
pub(crate) fn parse(token: &str) -> Option<Number> {
    let (mut radix, mut exact, mut rest) = (10, None, token);
    while let Some(after) = rest.strip_prefix('#') {
        let prefix = after.chars().next()?.to_ascii_lowercase();
        match prefix {
            'x' => radix = 16,
            'd' => radix = 10,
            'o' => radix = 8,
            'b' => radix = 2,
            'e' => exact = Some(true),
            'i' => exact = Some(false),
            _ => return None,
        }
        rest = &after[1..];
    }
    let first = rest.bytes().next()?;
    let start = first.is_ascii_alphanumeric() && (first as char).is_digit(radix);
    if !start && !matches!(first, b'+' | b'-' | b'.') {
        return None;
    }
    real(rest, radix, exact, token).or_else(|| complex(rest, radix, token))
}

fn integer(text: &str, radix: u32) -> Option<Result<i64, ()>> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    Some(i64::from_str_radix(text, radix).map_err(drop))
}

fn real(text: &str, radix: u32, exact: Option<bool>, token: &str) -> Option<Number> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "+inf.0" => return Some(Number::Real(f64::INFINITY)),
        "-inf.0" => return Some(Number::Real(f64::NEG_INFINITY)),
        "+nan.0" | "-nan.0" => return Some(Number::Real(f64::NAN)),
        _ => {}
    }
    if let Some(value) = integer(text, radix) {
        return Some(match (value, exact) {
            (Ok(value), Some(false)) => Number::Real(value as f64),
            (Ok(value), _) => Number::Int(value),
            (Err(()), Some(false)) => Number::Real(digits_as_real(text, radix)),
            (Err(()), _) => Number::Large(token.into()),
        });
    }
    if let Some((over, under)) = text.split_once('/') {
        let (over, under) = (
            integer(over, radix)?,
            integer(under, radix).filter(|_| !under.starts_with(['+', '-']))?,
        );
        let (above, below) = text.split_once('/')?;
        return Some(match (over, under, exact) {
            (_, Ok(0), _) => return None,
            (_, _, Some(false)) => {
                Number::Real(digits_as_real(above, radix) / digits_as_real(below, radix))
            }
            (Ok(a), Ok(b), _) if a % b == 0 => Number::Int(a / b),
            (Ok(0), ..) => Number::Int(0),
            (Err(()), ..) if divides(below, above, radix)? => Number::Large(token.into()),
            _ => Number::Ratio(token.into()),
        });
    }
    if radix != 10 || !decimal_shape(&lower) {
        return None;
    }
    let value: f64 = lower.parse().ok()?;
    Some(match exact {
        Some(true) if !is_whole(&lower) => Number::Ratio(token.into()),
        // Whole numbers up to there are what they were parsed to.
        Some(true) if value.abs() < 9e15 => Number::Int(value as i64),
        Some(true) => Number::Large(token.into()),
        _ => Number::Real(value),
    })
}

fn digits_as_real(text: &str, radix: u32) -> f64 {
    let digits = text.chars().filter_map(|c| c.to_digit(radix));
    let value = digits.fold(0.0, |value, digit| value * radix as f64 + digit as f64);
    if text.starts_with('-') { -value } else { value }
}

/// Whether a number in decimal notation is an integer.
fn is_whole(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    // An exponent that large leaves no doubt.
    let limit = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    let exponent = exponent.parse().unwrap_or(limit);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole.trim_start_matches(['+', '-']), fraction].concat();
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    zeros == digits.len() || exponent - fraction.len() as i64 + zeros as i64 >= 0
}

/// The most digits, one number's times the other's, for which a division is tried.
const DIVISION: usize = 100_000_000;

/// Whether one number divides another without rest; `None` if they are too long to tell. By hand, digit by digit.
fn divides(divisor: &str, number: &str, radix: u32) -> Option<bool> {
    let digits = |text: &str| -> Vec<u32> {
        let digits = text.chars().filter_map(|c| c.to_digit(radix));
        digits.skip_while(|digit| *digit == 0).collect()
    };
    let (divisor, number) = (digits(divisor), digits(number));
    if divisor.is_empty() || divisor.len().checked_mul(number.len())? > DIVISION {
        return None;
    }
    let mut rest: Vec<u32> = Vec::new();
    for digit in number {
        if !rest.is_empty() || digit != 0 {
            rest.push(digit);
        }
        while (rest.len(), &rest) >= (divisor.len(), &divisor) {
            let mut borrow = 0;
            let low = rest.iter_mut().rev();
            for (at, digit) in low.enumerate() {
                let take = divisor.iter().rev().nth(at).copied().unwrap_or(0) + borrow;
                borrow = u32::from(*digit < take);
                *digit = *digit + radix * borrow - take;
            }
            let zeros = rest.iter().take_while(|digit| **digit == 0).count();
            rest.drain(..zeros);
        }
    }
    Some(rest.is_empty())
}

/// Digits, at most one point, an exponent; at least one digit.
fn decimal_shape(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let points = mantissa.bytes().filter(|byte| *byte == b'.').count();
    let good = |text: &str| integer(text, 10).is_some();
    digits > 0 && points <= 1 && digits + points == mantissa.len() && exponent.is_none_or(good)
}

/// `a+bi`, `+i`, `a@b`.
fn complex(text: &str, radix: u32, token: &str) -> Option<Number> {
    let part = |text: &str| real(text, radix, None, text).is_some();
    if let Some((size, angle)) = text.split_once('@') {
        return (part(size) && part(angle)).then(|| Number::Complex(token.into()));
    }
    let body = text.strip_suffix(['i', 'I'])?;
    // The sign of the imaginary part is the last one that no exponent has.
    let signs = body.char_indices().filter(|(_, c)| matches!(c, '+' | '-'));
    let exponent = |at: usize| radix == 10 && at > 0 && body[..at].ends_with(['e', 'E']);
    let at = signs.map(|(at, _)| at).rfind(|at| !exponent(*at))?;
    let (re, im) = body.split_at(at);
    let good = (re.is_empty() || part(re)) && (im.len() == 1 || part(im));
    good.then(|| Number::Complex(token.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_shape() {
        let int = |n| Some(Number::Int(n));
        assert_eq!(parse("12"), int(12));
        assert_eq!(parse("-12"), int(-12));
        assert_eq!(parse("#xFf"), int(255));
        assert_eq!(parse("#e#b101"), int(5));
        assert_eq!(parse("#o-17"), int(-15));
        assert_eq!(parse("6/3"), int(2));
        assert_eq!(parse("1/3"), Some(Number::Ratio("1/3".into())));
        assert_eq!(parse("#i1/2"), Some(Number::Real(0.5)));
        assert_eq!(parse("#e1e3"), int(1000));
        assert_eq!(parse(".5"), Some(Number::Real(0.5)));
        assert_eq!(parse("1."), Some(Number::Real(1.0)));
        assert_eq!(parse("-1.5e-3"), Some(Number::Real(-0.0015)));
        assert_eq!(parse("+inf.0"), Some(Number::Real(f64::INFINITY)));
        assert_eq!(
            parse("99999999999999999999"),
            Some(Number::Large("99999999999999999999".into()))
        );
        let large = |text: &str| Some(Number::Large(text.into()));
        let ratio = |text: &str| Some(Number::Ratio(text.into()));
        assert_eq!(parse("20000000000000000000/2"), large("20000000000000000000/2"));
        assert_eq!(
            parse("-60000000000000000000/20000000000000000000"),
            large("-60000000000000000000/20000000000000000000")
        );
        assert_eq!(parse("20000000000000000001/2"), ratio("20000000000000000001/2"));
        assert_eq!(parse("7/20000000000000000000"), ratio("7/20000000000000000000"));
        assert_eq!(parse("0/20000000000000000000"), int(0));
        assert_eq!(parse("#i1/20000000000000000000"), Some(Number::Real(5e-20)));
        assert_eq!(parse("#e1.5"), ratio("#e1.5"));
        assert_eq!(parse("#e1.50e1"), int(15));
        assert_eq!(parse("#e1e400"), large("#e1e400"));
        assert_eq!(parse("#e-1e-400"), ratio("#e-1e-400"));
        assert_eq!(parse("#e0e-400"), int(0));
        assert_eq!(parse("#e1.00000000000000000001"), ratio("#e1.00000000000000000001"));
        for complex in ["1+2i", "+i", "-2.5e+3-i", "1@2"] {
            assert_eq!(parse(complex), Some(Number::Complex(complex.into())));
        }
        for symbol in
            ["+", "-", "...", "1+", "-x", "+x", "a", "e5", ".e1", "1/0", "1/-2", "#y1", "-1+"]
        {
            assert_eq!(parse(symbol), None, "{symbol}");
        }
    }
}
