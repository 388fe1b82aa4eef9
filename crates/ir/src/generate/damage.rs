//! Damaged text: what a parser must survive.

use super::Rng;

/// Words of the text form that make damage interesting.
const WORDS: &[&str] = &[
    "func",
    "declare",
    "global",
    "constant",
    "type",
    "opaque",
    "layout",
    "attrs",
    "align",
    "phi",
    "shadow",
    "when",
    "total",
    "br",
    "label",
    "switch",
    "indirectbr",
    "blockaddress",
    "unreachable",
    "ret",
    "void",
    "i1",
    "i32",
    "i0",
    "i8388608",
    "i16777217",
    "ptr",
    "float",
    "x86_fp80",
    "token",
    "metadata",
    "<4 x i32>",
    "<0 x i8>",
    "<vscale x 2 x i64>",
    "[4 x i32]",
    "[18446744073709551615 x i64]",
    "{ i32, ptr }",
    "zeroinitializer",
    "undef",
    "poison",
    "null",
    "true",
    "none",
    "foreign 7",
    "!4294967295",
    "!99999999999",
    "0x",
    "0xfffffffffffffffffffffffffffffffff",
    "-1",
    "1e400",
    "99999999999999999999999999999999999999999",
    "%",
    "@",
    "%x",
    "@f",
    "@0",
    "...",
    "addrspace(4294967296)",
    "cc 5",
    "nuw nsw",
    "fast",
    "inbounds",
    "volatile",
    "seq_cst",
    "syncscope(\"x\")",
    "cmpxchg",
    "weak",
    "atomicrmw",
    "fence",
    "call",
    "invoke",
    "landingpad",
    "cleanup",
    "resume",
    "opaque \"call\" \"rwt\"",
    "extractvalue",
    "insertvalue",
    "shufflevector",
    "getelementptr",
    "alloca",
    "load",
    "store",
    "ballot",
    "reduce_add",
    "mask",
    "lane",
    "c\"\\00\\FF\"",
    "\"",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ":",
    "=",
    ";",
    "\n",
    "\u{3c6}",
    "to",
    "vscale",
];

/// The text with a few random changes.
pub fn damage(rng: &mut Rng, text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..1 + rng.below(4) {
        text = once(rng, &text);
    }
    text
}

fn once(rng: &mut Rng, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return WORDS[rng.below(WORDS.len())].into();
    }
    let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(10) {
        0 => {
            lines.remove(a);
            lines.join("\n")
        }
        1 => {
            lines.insert(a, lines[b]);
            lines.join("\n")
        }
        2 => {
            lines.swap(a, b);
            lines.join("\n")
        }
        3 => {
            let mut bytes = text.as_bytes().to_vec();
            let at = rng.below(bytes.len());
            bytes[at] =
                if rng.one_in(2) { rng.below(256) as u8 } else { b' ' + rng.below(95) as u8 };
            String::from_utf8_lossy(&bytes).into_owned()
        }
        4 => {
            let mut cut = rng.below(text.len() + 1);
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text[..cut].into()
        }
        n => {
            // A word is dropped, doubled, replaced, or changes places with another of the line.
            let mut words = words(lines[a]);
            if words.is_empty() {
                return text.into();
            }
            let (i, j) = (rng.below(words.len()), rng.below(words.len()));
            match n {
                5 => drop(words.remove(i)),
                6 => words.insert(i, words[j].clone()),
                7 => words.swap(i, j),
                8 => {
                    let other = self::words(lines[b]);
                    if let Some(word) = other.get(rng.below(other.len().max(1))) {
                        words[i] = word.clone();
                    }
                }
                _ => words[i] = WORDS[rng.below(WORDS.len())].into(),
            }
            let line = words.concat();
            lines[a] = &line;
            lines.join("\n")
        }
    }
}

/// The words of a line with the space behind each.
fn words(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut kind = 0;
    for c in line.chars() {
        let here = match c {
            c if c.is_alphanumeric() || "_.%@".contains(c) => 1,
            ' ' => kind.max(2),
            _ => 3,
        };
        let starts = here == 3 || here != kind && c != ' ' || all.is_empty();
        match all.last_mut() {
            Some(last) if !starts => last.push(c),
            _ => all.push(c.into()),
        }
        kind = if c == ' ' { 0 } else { here };
    }
    all
}
