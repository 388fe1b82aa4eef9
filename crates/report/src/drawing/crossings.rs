//! Few crossings: rows are sorted by the mean place of what their cells are connected with, down and up in turn.

use super::layers::Layers;

/// How often all rows are sorted, and how often without getting better.
const SWEEPS: usize = 24;
const PATIENCE: usize = 4;

/// Orders the rows; the best order seen is kept.
pub(super) fn reduce(layers: &mut Layers) {
    let mut best = layers.rows.clone();
    let mut fewest = crossings(layers);
    let mut in_vain = 0;
    for sweep in 0..SWEEPS {
        if fewest == 0 || in_vain == PATIENCE {
            break;
        }
        sort_rows(layers, sweep % 2 == 0);
        let now = crossings(layers);
        in_vain += 1;
        if now < fewest {
            (fewest, in_vain) = (now, 0);
            best.clone_from(&layers.rows);
        }
    }
    layers.rows = best;
}

fn sort_rows(layers: &mut Layers, down: bool) {
    let mut position = layers.positions();
    let count = layers.rows.len();
    for i in 0..count {
        let row = if down { i } else { count - 1 - i };
        let cells = std::mem::take(&mut layers.rows[row]);
        let fixed = if down { &layers.above } else { &layers.below };
        let mut keyed: Vec<(f64, usize)> = cells
            .into_iter()
            .map(|cell| {
                let fixed = fixed[cell].iter().map(|&other| position[other] as f64);
                // A line that turns stands right of the node it turns to.
                let beside = layers.beside[cell].map(|node| position[node] as f64 + 0.5);
                let (sum, n) = fixed.chain(beside).fold((0.0, 0), |(sum, n), p| (sum + p, n + 1));
                let mean = if n == 0 { position[cell] as f64 } else { sum / f64::from(n) };
                (mean, cell)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(position[a.1].cmp(&position[b.1])));
        layers.rows[row] = keyed.into_iter().map(|(_, cell)| cell).collect();
        layers.rows[row].iter().enumerate().for_each(|(i, &cell)| position[cell] = i);
    }
}

/// How often lines between neighbouring rows cross.
pub(super) fn crossings(layers: &Layers) -> usize {
    let position = layers.positions();
    let mut total = 0;
    for (row, next) in layers.rows.iter().zip(layers.rows.iter().skip(1)) {
        // Lines from left to right; each crosses the earlier ones that end right of it. A Fenwick tree counts those.
        let mut tree = vec![0_usize; next.len() + 1];
        let mut before = 0;
        for &cell in row {
            let mut ends: Vec<usize> = layers.below[cell].iter().map(|&c| position[c]).collect();
            ends.sort_unstable();
            for &end in &ends {
                let mut at = end + 1;
                let mut not_right = 0;
                while at > 0 {
                    not_right += tree[at];
                    at &= at - 1;
                }
                total += before - not_right;
            }
            for &end in &ends {
                let mut at = end + 1;
                while at <= next.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
            before += ends.len();
        }
    }
    total
}
