//! Known and demanded bits.

use super::Facts;
use lw_report::{Fact, Level};
use lw_sparse::analyses::{DemandedBits, KnownBits};
use lw_sparse::meaning::Meaning;
use lw_sparse::{Def, Options, Ssify, Strategy, solve_on};

pub(super) fn run(facts: &mut Facts<'_, '_>) {
    let subject = facts.subject;
    let (program, code) = (&subject.program, &subject.code);
    let view = Ssify::new(code.clone()).view(Strategy::STEPHENSON);
    let known = solve_on(program, &view, &mut KnownBits, Options::default());
    let demanded = solve_on(program, &view, &mut DemandedBits, Options::default());
    for version in view.versions() {
        let var = view.var(version);
        let place = match view.def(version) {
            Def::Param => subject.start,
            Def::Instr(pos) => subject.place(pos),
            _ => continue,
        };
        let Some(bits) = program.width(var).filter(|&bits| bits > 1) else { continue };
        if !facts.all && !subject.is_named(var) {
            continue;
        }
        let Some(value) = *known.of(version) else { continue };
        let all = u128::MAX >> (128 - bits);
        let used = *demanded.of(version) & all;
        let mut parts = Vec::new();
        if value.zeros != 0 || value.ones != 0 {
            parts.push(format!("is {}", pattern(bits, value.zeros, value.ones)));
            if value.width() < bits {
                parts.push(format!("fits in {} of {bits} bits", value.width()));
            }
        }
        if used == 0 {
            parts.push("is not needed".into());
        } else if used != all {
            parts.push(format!("only bits {} matter", spans(used)));
        }
        if parts.is_empty() {
            continue;
        }
        let fact = Fact::new(Level::Fact, place, subject.var(var), parts.join(", "))
            .with("bits", bits)
            .with("zeros", format!("{:#x}", value.zeros))
            .with("ones", format!("{:#x}", value.ones))
            .with("width", value.width())
            .with("demanded", format!("{used:#x}"));
        facts.add(fact, "values with known or unused bits");
    }
}

/// The bits from high to low, `x` where unknown; long runs as `0…`.
fn pattern(bits: u32, zeros: u128, ones: u128) -> String {
    let digit = |bit: u32| match (zeros >> bit & 1, ones >> bit & 1) {
        (1, _) => '0',
        (_, 1) => '1',
        _ => 'x',
    };
    let digits: Vec<char> = (0..bits).rev().map(digit).collect();
    digits
        .chunk_by(|a, b| a == b)
        .map(
            |run| {
                if run.len() > 8 {
                    format!("{}…", run[0])
                } else {
                    run.iter().collect::<String>()
                }
            },
        )
        .collect()
}

/// Sets of bits as spans: `0-7, 12`.
fn spans(mut set: u128) -> String {
    let mut parts = Vec::new();
    while set != 0 {
        let first = set.trailing_zeros();
        let length = (!(set >> first)).trailing_zeros();
        let last = first + length - 1;
        parts.push(if length == 1 { first.to_string() } else { format!("{first}-{last}") });
        set &= if last == 127 { 0 } else { u128::MAX << (last + 1) };
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{pattern, spans};

    #[test]
    fn bits_in_words() {
        assert_eq!(pattern(8, 0xf0, 0x01), "0000xxx1");
        assert_eq!(pattern(32, 0xffff_fff0, 0), "0…xxxx");
        assert_eq!(spans(0b1000_0111), "0-2, 7");
        assert_eq!(spans(u128::MAX), "0-127");
    }
}
