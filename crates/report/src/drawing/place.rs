//! Places: the horizontal position of each cell, after Brandes and Köpf, *Fast and Simple Horizontal Coordinate Assignment*.
//!
//! Each cell is aligned with a median neighbour, in four ways: with the row above or below, from the left or from the right.
//! Aligned cells form vertical blocks; blocks are pushed together. The middle of the four results is taken.

use super::layers::Layers;
use std::collections::HashSet;

/// Room between cells.
const GAP: f64 = 24.0;
/// Room between two lines.
const NARROW: f64 = 10.0;

/// The middle of each cell; the leftmost edge is at zero.
pub(super) fn place(layers: &Layers) -> Vec<f64> {
    let cells = layers.rank.len();
    if cells == 0 {
        return Vec::new();
    }
    let conflicts = conflicts(layers);
    let mut results: Vec<(Vec<f64>, bool)> = Vec::new();
    for from_above in [true, false] {
        for from_left in [true, false] {
            let mut rows = layers.rows.clone();
            if !from_above {
                rows.reverse();
            }
            if !from_left {
                rows.iter_mut().for_each(|row| row.reverse());
            }
            let neighbours = if from_above { &layers.above } else { &layers.below };
            let root = align(&rows, neighbours, &conflicts, cells);
            let mut x = compact(layers, &rows, &root);
            if !from_left {
                x.iter_mut().for_each(|x| *x = -*x);
            }
            results.push((x, from_left));
        }
    }
    let extent = |x: &[f64]| {
        let edges = x.iter().zip(&layers.width);
        edges.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (x, w)| {
            (lo.min(x - w / 2.0), hi.max(x + w / 2.0))
        })
    };
    let extents: Vec<(f64, f64)> = results.iter().map(|(x, _)| extent(x)).collect();
    let narrowest = extents.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let (lo, hi) = narrowest.unwrap_or_default();
    for ((x, from_left), extent) in results.iter_mut().zip(extents) {
        let shift = if *from_left { lo - extent.0 } else { hi - extent.1 };
        x.iter_mut().for_each(|x| *x += shift);
    }
    let mut x: Vec<f64> = (0..cells)
        .map(|cell| {
            let mut four = [0, 1, 2, 3].map(|i| results[i].0[cell]);
            four.sort_by(f64::total_cmp);
            f64::midpoint(four[1], four[2])
        })
        .collect();
    let left = extent(&x).0;
    x.iter_mut().for_each(|x| *x -= left);
    x
}

/// Links that cross a line between two bends; such lines are kept straight instead.
fn conflicts(layers: &Layers) -> HashSet<(usize, usize)> {
    let position = layers.positions();
    let mut found = HashSet::new();
    for pair in layers.rows.windows(2) {
        let (row, next) = (&pair[0], &pair[1]);
        let inner = |cell: usize| {
            let mut above = layers.above[cell].iter().copied();
            above.find(|&up| layers.is_bend(cell) && layers.is_bend(up))
        };
        let (mut left, mut scanned) = (0, 0);
        for (i, &cell) in next.iter().enumerate() {
            let straight = inner(cell);
            if straight.is_none() && i + 1 < next.len() {
                continue;
            }
            let right = straight.map_or(row.len(), |up| position[up]);
            for &lower in &next[scanned..=i] {
                for &upper in &layers.above[lower] {
                    let crosses = position[upper] < left || position[upper] > right;
                    if crosses && !(layers.is_bend(upper) && layers.is_bend(lower)) {
                        found.insert((upper, lower));
                    }
                }
            }
            (left, scanned) = (right, i + 1);
        }
    }
    found
}

/// The first cell of the block each cell belongs to.
fn align(
    rows: &[Vec<usize>],
    neighbours: &[Vec<usize>],
    conflicts: &HashSet<(usize, usize)>,
    cells: usize,
) -> Vec<usize> {
    let mut root: Vec<usize> = (0..cells).collect();
    let mut has_next = vec![false; cells];
    let mut position = vec![0; cells];
    for row in rows {
        row.iter().enumerate().for_each(|(i, &cell)| position[cell] = i);
    }
    for row in rows {
        let mut free_from = 0;
        for &cell in row {
            let mut with = neighbours[cell].clone();
            with.sort_by_key(|&other| position[other]);
            if with.is_empty() {
                continue;
            }
            for middle in [(with.len() - 1) / 2, with.len() / 2] {
                let other = with[middle];
                let crosses =
                    conflicts.contains(&(cell, other)) || conflicts.contains(&(other, cell));
                if root[cell] == cell
                    && !has_next[other]
                    && position[other] >= free_from
                    && !crosses
                {
                    has_next[other] = true;
                    root[cell] = root[other];
                    free_from = position[other] + 1;
                }
            }
        }
    }
    root
}

/// Blocks as far left as they can be, then as far right as that costs nothing.
fn compact(layers: &Layers, rows: &[Vec<usize>], root: &[usize]) -> Vec<f64> {
    let cells = root.len();
    let mut right_of: Vec<Vec<(usize, f64)>> = vec![Vec::new(); cells];
    let mut waiting = vec![0_usize; cells];
    for row in rows {
        for pair in row.windows(2) {
            let both_bends = pair.iter().all(|&cell| layers.is_bend(cell));
            let gap = if both_bends { NARROW } else { GAP };
            let apart = layers.width[pair[0]] / 2.0 + gap + layers.width[pair[1]] / 2.0;
            right_of[root[pair[0]]].push((root[pair[1]], apart));
            waiting[root[pair[1]]] += 1;
        }
    }
    let mut x = vec![0.0_f64; cells];
    let mut order: Vec<usize> = (0..cells).filter(|&c| root[c] == c && waiting[c] == 0).collect();
    let mut next = 0;
    while let Some(&block) = order.get(next) {
        next += 1;
        for &(other, apart) in &right_of[block] {
            x[other] = x[other].max(x[block] + apart);
            waiting[other] -= 1;
            if waiting[other] == 0 {
                order.push(other);
            }
        }
    }
    for &block in order.iter().rev() {
        let room = right_of[block].iter().map(|&(other, apart)| x[other] - apart);
        let room = room.fold(f64::INFINITY, f64::min);
        if room.is_finite() {
            x[block] = x[block].max(room);
        }
    }
    (0..cells).map(|cell| x[root[cell]]).collect()
}
