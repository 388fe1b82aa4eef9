//! The table of speed-ups.

use lw_kernels::{Input, Verdict};

const EIGHTHS: [&str; 9] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// The line above the rows.
pub(super) fn head() -> String {
    format!(
        "{:<21} {:<24} {:>9} {:>13} {:>9}  speed-up\n",
        "example", "input", "clang", "-fopenmp-simd", "lw cc"
    )
}

/// A row of an example. Its title stands in its first row.
pub(super) fn row(title: &str, row: &Input) -> String {
    let [clang, simd, ours] = [0, 1, 2].map(|number| time(row.cells[number].seconds));
    let up = row.speed_up(2);
    let verdict = match &row.cells[2].verdict {
        _ if row.is_wrong() => "  DIFFERENT RESULTS".to_string(),
        Verdict::Within(difference) => format!("  within {difference}"),
        _ => String::new(),
    };
    format!(
        "{title:<21} {:<24} {clang:>9} {simd:>13} {ours:>9} {up:>6.2}x {}{verdict}\n",
        row.name,
        bar(up)
    )
}

/// The bar of a speed-up, two letters for each.
fn bar(up: f64) -> String {
    let eighths = (up.clamp(0.0, 20.0) * 16.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A time with three digits.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 0.1 => format!("{s:.2} s"),
        s if s >= 0.01 => format!("{:.1} ms", s * 1e3),
        s if s >= 0.001 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// The geometric mean of the speed-ups.
pub(super) fn mean(rows: &[&Input]) -> f64 {
    let sum: f64 = rows.iter().map(|row| row.speed_up(2).ln()).sum();
    (sum / rows.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::{bar, mean, row, time};
    use lw_kernels::{Cell, Input, Verdict};

    fn example(ours: f64, last: Verdict) -> Input {
        let cell = |seconds, verdict| Cell { seconds, verdict };
        let cells = vec![cell(1.0, Verdict::Same), cell(1.0, Verdict::Same), cell(ours, last)];
        Input { name: "x".into(), runs: 3, cells }
    }

    #[test]
    fn bars_grow_with_the_speed_up() {
        assert_eq!(bar(1.0), "██");
        assert_eq!(bar(1.25), "██▌");
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1e9).chars().count(), 40);
    }

    #[test]
    fn different_results_are_said() {
        assert!(row("t", &example(0.5, Verdict::Same)).ends_with("2.00x ████\n"));
        assert!(row("t", &example(0.5, Verdict::Different)).contains("DIFFERENT"));
        assert_eq!(mean(&[&example(0.5, Verdict::Same), &example(0.125, Verdict::Same)]), 4.0);
        assert_eq!((time(0.0000123), time(0.0123)), ("12 µs".into(), "12.3 ms".into()));
    }
}
