//! Some columns of the store: of 𝛔, of what is new in it, and of what is found meanwhile.

use super::Found;
use crate::flow::image::FLAG;

/// The words of a row that are not zero.
#[derive(Clone, Copy, Default)]
struct Range {
    lo: u32,
    hi: u32,
}

impl Range {
    fn of(self) -> std::ops::Range<usize> {
        self.lo as usize..self.hi as usize
    }

    fn include(&mut self, other: Range) {
        if self.lo == self.hi {
            *self = other;
        } else if other.lo < other.hi {
            *self = Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) };
        }
    }
}

pub(super) struct Tile {
    /// The first word, and how many there are.
    first: usize,
    width: usize,
    sigma: Vec<u64>,
    delta: Vec<u64>,
    next: Vec<u64>,
    sigma_range: Vec<Range>,
    delta_range: Vec<Range>,
    next_range: Vec<Range>,
    /// The variables that changed in the last round.
    pub(super) dirty: Vec<u32>,
}

impl Tile {
    pub(super) fn new(vars: usize, first: usize, width: usize) -> Tile {
        let rows = || vec![0; vars * width];
        let ranges = || vec![Range::default(); vars];
        Tile {
            first,
            width,
            sigma: rows(),
            delta: rows(),
            next: rows(),
            sigma_range: ranges(),
            delta_range: ranges(),
            next_range: ranges(),
            dirty: Vec::new(),
        }
    }

    /// All of a round: rows are united, and what is found becomes part of 𝛔, and what is new.
    pub(super) fn flow(&mut self, found: &Found) {
        let before = std::mem::take(&mut self.dirty);
        for (var, value) in &found.puts {
            self.put(*var as usize, *value as usize);
        }
        for (dst, src) in &found.items {
            self.unite(*dst as usize, *src);
        }
        before.into_iter().for_each(|var| self.delta_range[var as usize] = Range::default());
        self.commit();
    }

    fn grow(&mut self, var: usize, range: Range) {
        if self.next_range[var].hi == 0 {
            self.dirty.push(var as u32);
        }
        self.next_range[var].include(range);
    }

    fn put(&mut self, var: usize, value: usize) {
        let Some(word) = (value / 64).checked_sub(self.first).filter(|word| *word < self.width)
        else {
            return;
        };
        let (at, bit) = (var * self.width + word, 1 << (value % 64));
        if (self.sigma[at] | self.next[at]) & bit == 0 {
            self.next[at] |= bit;
            self.grow(var, Range { lo: word as u32, hi: word as u32 + 1 });
        }
    }

    /// 𝛔 + 𝐚 ⊗ 𝐯 for one entry of 𝐚.
    fn unite(&mut self, dst: usize, source: u32) {
        let src = (source & !FLAG) as usize;
        let (rows, range) = match source & FLAG {
            0 => (&self.sigma, self.sigma_range[src]),
            _ => (&self.delta, self.delta_range[src]),
        };
        if range.lo == range.hi || src == dst {
            return;
        }
        let from = &rows[src * self.width..][range.of()];
        let old = &self.sigma[dst * self.width..][range.of()];
        // Mostly nothing is new. Looking at all words without stopping early runs on whole vectors.
        if from.iter().zip(old).fold(0, |all, (from, old)| all | from & !old) == 0 {
            return;
        }
        let next = &mut self.next[dst * self.width..][range.of()];
        for ((from, old), next) in from.iter().zip(old).zip(next) {
            *next |= from & !old;
        }
        self.grow(dst, range);
    }

    fn commit(&mut self) {
        for var in &self.dirty {
            let var = *var as usize;
            let range = std::mem::take(&mut self.next_range[var]);
            let row = |rows: std::ops::Range<usize>| {
                var * self.width + rows.start..var * self.width + rows.end
            };
            let at = row(range.of());
            let next = &mut self.next[at.clone()];
            self.delta[at.clone()].copy_from_slice(next);
            for (sigma, next) in self.sigma[at].iter_mut().zip(next.iter_mut()) {
                *sigma |= std::mem::take(next);
            }
            self.delta_range[var] = range;
            self.sigma_range[var].include(range);
        }
    }

    /// The words of a variable that are not zero, from `lo` on: of 𝛔, or of what is new.
    fn words(&self, var: u32, only_new: bool) -> (usize, usize) {
        let ranges = if only_new { &self.delta_range } else { &self.sigma_range };
        let range = ranges[var as usize].of();
        (range.start, range.end)
    }

    /// Reads a row: the number of each word, what is new in it, and the rest of it.
    pub(super) fn scan(&self, var: u32, only_new: bool, mut each: impl FnMut(usize, u64, u64)) {
        let row = var as usize * self.width;
        let (lo, hi) = self.words(var, only_new);
        let news = self.delta_range[var as usize].of();
        for word in lo..hi {
            let new = if news.contains(&word) { self.delta[row + word] } else { 0 };
            each(self.first + word, new, self.sigma[row + word] & !new);
        }
    }

    /// After which word of a whole row there is nothing from this tile.
    pub(super) fn end(&self, var: usize) -> usize {
        match self.sigma_range[var].of() {
            range if range.is_empty() => 0,
            range => self.first + range.end,
        }
    }

    /// Copies a row to its place in a whole one.
    pub(super) fn copy_to(&self, var: usize, row: &mut [u64]) {
        let range = self.sigma_range[var].of();
        if range.is_empty() {
            return;
        }
        let from = &self.sigma[var * self.width..][range.clone()];
        row[self.first + range.start..self.first + range.end].copy_from_slice(from);
    }
}
