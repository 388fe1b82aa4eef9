//! What is written on the command line: shapes of parameters, sizes of blocks.

use super::plain_name;
use crate::failure::Failure;
use crate::run::show_type;
use crate::units::Unit;
use lw_divergence::Lattice;
use lw_divergence::targets::Launch;
use lw_ir::types::{Scalar, Type};

/// `X[,Y[,Z]]`.
pub(super) fn block(text: &str) -> Result<[u32; 3], String> {
    let mut block = [1; 3];
    let mut parts = text.split([',', 'x']);
    for size in &mut block {
        let Some(part) = parts.next() else { break };
        let wrong = |_| format!("`{text}` is not X,Y,Z: numbers of threads, such as 32,8");
        *size = part.trim().parse().map_err(wrong)?;
    }
    let product = block.iter().try_fold(1u32, |all, &size| all.checked_mul(size));
    match product {
        _ if parts.next().is_some() => Err("a block has three dimensions".into()),
        Some(0) => Err("a block without threads".into()),
        Some(n) if n <= Launch::LIMIT => Ok(block),
        _ => Err(format!("a block has at most {} threads", Launch::LIMIT)),
    }
}

/// A shape as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    Varying,
    Strided { stride: i64, align: u64 },
    Lane,
}

fn written(text: &str) -> Result<Written, String> {
    let mut parts = text.split(':');
    let word = parts.next().unwrap_or_default();
    let numbers: Vec<&str> = parts.collect();
    let align = |at: usize| match numbers.get(at) {
        None => Ok(1),
        Some(text) => {
            let number = text.parse::<u64>().ok().filter(|&n| n > 0);
            number.ok_or_else(|| format!("`{text}` is not an alignment"))
        }
    };
    let shape = match (word, numbers.len()) {
        ("uniform" | "u", 0 | 1) => Written::Strided { stride: 0, align: align(0)? },
        ("varying" | "v", 0) => Written::Varying,
        ("lane", 0) => Written::Lane,
        ("strided" | "s", 1 | 2) => {
            let stride =
                numbers[0].parse().map_err(|_| format!("`{}` is not a stride", numbers[0]))?;
            Written::Strided { stride, align: align(1)? }
        }
        _ => {
            let known = "uniform[:ALIGN], varying, strided:STRIDE[:ALIGN], lane";
            return Err(format!("`{text}` is no shape; there are: {known}"));
        }
    };
    Ok(shape)
}

/// The shapes of the parameters of a function: those that are written, `default` for the others.
pub(super) fn params<L: Lattice>(
    texts: &[String],
    unit: &Unit,
    names: &dyn Fn(usize) -> String,
    threads: Option<u32>,
    default: impl Fn(usize) -> L,
) -> Result<Vec<L>, Failure> {
    let function = &unit.function;
    let types = &function.signature.params;
    let list = || {
        let one = |(i, &ty): (usize, &Type)| format!("{} {}", show_type(ty), names(i));
        let all: Vec<String> = types.iter().enumerate().map(one).collect();
        let name = plain_name(unit);
        match all.len() {
            0 => format!("{name} has no parameters"),
            1 => format!("{name} has one parameter: {}", all[0]),
            n => format!("{name} has {n} parameters: {}", all.join(", ")),
        }
    };
    let mut shapes: Vec<L> = (0..types.len()).map(default).collect();
    let positional = texts.iter().filter(|text| !text.contains('=')).count();
    if positional > types.len() {
        return Err(Failure::cannot(format!("{positional} shapes were given, but {}", list())));
    }
    for (i, text) in texts.iter().enumerate() {
        let (position, text) = match text.split_once('=') {
            None => (i, text.as_str()),
            Some((name, shape)) => {
                let found = (0..types.len()).find(|&i| names(i).trim_start_matches('%') == name);
                let unknown =
                    || Failure::cannot(format!("there is no parameter `{name}`; {}", list()));
                (found.ok_or_else(unknown)?, shape)
            }
        };
        if position >= types.len() {
            return Err(Failure::cannot(format!(
                "a shape without a parameter: `{text}`; {}",
                list()
            )));
        }
        let shape = written(text).map_err(|why| Failure::cannot(format!("--shapes: {why}")))?;
        let ty = types[position];
        let layout = &unit.module.layout;
        let bits = match ty {
            Type::Scalar(Scalar::Int(bits)) => Some(bits),
            Type::Scalar(Scalar::Ptr(space)) => Some(layout.pointer_bits(space)),
            _ => None,
        };
        let bits = bits.filter(|bits| *bits <= 64);
        shapes[position] = match (shape, bits) {
            (Written::Varying, _) => L::varying(),
            (Written::Strided { stride: 0, align: 1 }, None) => L::uniform(),
            (Written::Strided { stride, align }, Some(bits)) => {
                L::strided(bits, stride, align, false, threads)
            }
            (Written::Lane, Some(bits)) if !ty.is_ptr() => L::lane(bits, threads),
            _ => {
                return Err(Failure::cannot(format!(
                    "`{text}` does not fit parameter {} {}, which is no {}integer of at most 64 bits",
                    names(position),
                    show_type(ty),
                    if shape == Written::Lane { "" } else { "pointer and no " },
                )));
            }
        };
    }
    Ok(shapes)
}

#[cfg(test)]
mod tests {
    use super::{Written, block, written};

    #[test]
    fn blocks() {
        assert_eq!(block("256"), Ok([256, 1, 1]));
        assert_eq!(block("16,8"), Ok([16, 8, 1]));
        assert_eq!(block("8x8x2"), Ok([8, 8, 2]));
        assert!(block("0").is_err() && block("1,2,3,4").is_err() && block("a").is_err());
        assert!(block("2048").is_err() && block("65536,65536").is_err());
    }

    #[test]
    fn shapes() {
        assert_eq!(written("u:64"), Ok(Written::Strided { stride: 0, align: 64 }));
        assert_eq!(written("strided:-4:8"), Ok(Written::Strided { stride: -4, align: 8 }));
        assert_eq!(written("lane"), Ok(Written::Lane));
        for wrong in
            ["", "strided", "strided:x", "uniform:0", "varying:1", "lane:2", "strided:1:2:3"]
        {
            assert!(written(wrong).is_err(), "{wrong}");
        }
    }
}
