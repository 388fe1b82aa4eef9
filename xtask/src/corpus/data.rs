//! The files that the compressors are run on: about 2 MB of text, repetition, noise and corner cases, the same
//! bytes on every machine.

use std::path::PathBuf;

use crate::run::{During, Result};

fn folder() -> PathBuf {
    super::folder().join("data")
}

/// A file: its name and its content.
type Generated = (&'static str, fn() -> Vec<u8>);

const FILES: &[Generated] = &[
    ("empty.bin", Vec::new),
    ("mixed.bin", mixed),
    ("noise.bin", noise),
    ("one.bin", || vec![b'x']),
    ("repeat.bin", repetition),
    ("text.txt", text),
];

/// The files, in the order in which programs are given them.
pub(super) fn paths() -> Vec<PathBuf> {
    FILES.iter().map(|(name, _)| folder().join(name)).collect()
}

/// Writes the files that are missing or differ.
pub(super) fn generate() -> Result {
    std::fs::create_dir_all(folder()).during(folder().display())?;
    for (path, (_, content)) in paths().iter().zip(FILES) {
        let content = content();
        if std::fs::read(path).is_ok_and(|found| found == content) {
            continue;
        }
        std::fs::write(path, content).during(path.display())?;
    }
    Ok(())
}

/// Marsaglia's xorshift: any deterministic source of noise does.
struct Noise(u64);

impl Noise {
    /// The upper half: a byte of the lower one tells a bit of the next, which bzip2 finds out.
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}

/// Sentences with frequent and rare words.
fn text() -> Vec<u8> {
    const SYLLABLES: [&str; 16] = [
        "lo", "om", "wea", "ve", "lane", "warp", "weft", "thr", "ead", "ing", "silk", "en", "er",
        "ly", "cloth", "ed",
    ];
    let mut noise = Noise(0x1eaf);
    let words: Vec<String> = (0..1500)
        .map(|_| (0..=noise.below(3)).map(|_| SYLLABLES[noise.below(16)]).collect())
        .collect();
    let mut text = String::new();
    while text.len() < 800_000 {
        for word in 0..4 + noise.below(12) {
            // Squaring makes the first words the frequent ones.
            let at = noise.below(words.len()) * noise.below(words.len()) / words.len();
            text.push_str(if word == 0 { "" } else { " " });
            text.push_str(&words[at]);
        }
        text.push_str(if noise.below(9) == 0 { ".\n\n" } else { ". " });
    }
    text.into_bytes()
}

/// Long runs and a period that a window of 32 KiB cannot hold.
fn repetition() -> Vec<u8> {
    let mut noise = Noise(0x2eaf);
    let period: Vec<u8> = (0..50_000).map(|_| noise.next() as u8).collect();
    let mut bytes = Vec::new();
    for round in 0..8u8 {
        bytes.extend_from_slice(&period);
        bytes.extend(std::iter::repeat_n(round, 20_000));
        bytes.extend((0..10_000).map(|at| (at % 7) as u8));
    }
    bytes
}

fn noise() -> Vec<u8> {
    let mut noise = Noise(0x3eaf);
    (0..200_000).map(|_| noise.next() as u8).collect()
}

/// Records of numbers, as programs write them, with stretches of noise and text between.
fn mixed() -> Vec<u8> {
    let mut noise = Noise(0x4eaf);
    let text = text();
    let mut bytes = Vec::new();
    while bytes.len() < 400_000 {
        for record in 0..noise.below(200) as u32 {
            bytes.extend_from_slice(&record.to_le_bytes());
            bytes.extend_from_slice(&(noise.below(1000) as u16).to_le_bytes());
            bytes.extend_from_slice(&(f64::from(record) * 0.25).to_le_bytes());
        }
        let at = noise.below(text.len() - 2000);
        let (length, stray) = (noise.below(2000), noise.below(500));
        bytes.extend_from_slice(&text[at..at + length]);
        bytes.extend((0..stray).map(|_| noise.next() as u8));
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bytes_never_change() {
        let sum = |bytes: Vec<u8>| {
            bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            })
        };
        let sums = [super::text(), super::repetition(), super::noise(), super::mixed()].map(sum);
        let known = [
            0xf17b_ab61_fd9d_4253,
            0xfa46_5674_ef78_c4a5,
            0xd38d_926c_b573_9f3d,
            0xa719_16e4_1e45_9c44,
        ];
        assert_eq!(sums, known);
    }
}
