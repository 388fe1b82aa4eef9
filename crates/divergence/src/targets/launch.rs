//! Launches: which threads are together, and what their numbers are.

use crate::Scope;
use crate::lattice::Thread;

/// Blocks of a known size, in warps of so many threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The size of a block in three dimensions.
    pub block: [u32; 3],
    /// How many threads run in lock step.
    pub warp: u32,
    /// Whether the threads of a warp are together, or those of a block.
    pub scope: Scope,
}

/// Lane *t* of each group has a multiple of `align` plus `stride` times *t*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) stride: i64,
    pub(super) align: u64,
}

impl Launch {
    /// The most threads of a block that are looked at one by one. GPUs have no larger blocks.
    pub const LIMIT: u32 = 1024;

    /// How many threads a block has, if they are not too many.
    pub fn threads(&self) -> Option<u32> {
        let [x, y, z] = self.block;
        x.checked_mul(y)?.checked_mul(z).filter(|&n| n > 0 && n <= Launch::LIMIT)
    }

    /// The number of a thread in three dimensions: x counts fastest.
    pub fn thread(&self, linear: u32) -> Thread {
        let [x, y, _] = self.block.map(|size| size.max(1));
        [linear % x, linear / x % y, linear / x / y]
    }

    /// The threads that are together, by their linear numbers: the warps of a block, or all of it.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let all: Vec<u32> = (0..self.threads().unwrap_or(0)).collect();
        match self.scope {
            Scope::Block => vec![all],
            Scope::Warp => all.chunks(self.warp.max(1) as usize).map(<[u32]>::to_vec).collect(),
        }
    }

    /// The line on which the values of all groups lie, if there is one: found by looking at all threads.
    pub(super) fn line(&self, of: &dyn Fn(u32) -> u64) -> Option<Line> {
        let groups = self.groups();
        let value = |t: u32| i64::try_from(of(t)).ok();
        let pair = groups.iter().find(|group| group.len() > 1);
        let stride = match pair {
            Some(pair) => value(pair[1])? - value(pair[0])?,
            None => 0,
        };
        let mut align = 0;
        for group in &groups {
            let first = value(*group.first()?)?;
            align = gcd(align, first.unsigned_abs());
            for (lane, &t) in group.iter().enumerate() {
                if value(t)? != first + stride * i64::try_from(lane).ok()? {
                    return None;
                }
            }
        }
        (!groups.is_empty()).then_some(Line { stride, align })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
