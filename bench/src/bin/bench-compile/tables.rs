//! The tables, and the same as JSON.

use crate::Results;
use crate::growth::{Growth, PARTS, power};
use crate::unmarked::Unmarked;
use serde_json::json;

/// The rows of each shape.
pub(crate) fn by_shape(growth: &[Growth]) -> Vec<Vec<&Growth>> {
    growth.chunk_by(|a, b| a.shape == b.shape).map(|rows| rows.iter().collect()).collect()
}

/// Prints all tables.
pub(crate) fn print(results: &Results) {
    if !results.growth.is_empty() {
        print_growth(&by_shape(&results.growth));
    }
    if !results.unmarked.is_empty() {
        print_unmarked(&results.unmarked);
    }
}

fn print_growth(shapes: &[Vec<&Growth>]) {
    println!(
        "microseconds per instruction of the scalar function, by about how many it has; the power with which time grows over the last decade\n"
    );
    print!("{:<12}", "");
    let longest = shapes.iter().max_by_key(|rows| rows.len());
    let sizes = longest.into_iter().flatten();
    sizes.for_each(|row| print!(" {:>7}", row.size));
    println!(" {:>6}", "power");
    for rows in shapes {
        print!("{:<12}", rows[0].shape);
        rows.iter().for_each(|row| print!(" {:>7.2}", row.micros()));
        println!(" {:>6.2}", power(rows, None).unwrap_or(f64::NAN));
    }
    println!("\nby part of the work, at the largest size: microseconds per instruction (power)\n");
    print!("{:<12}", "");
    PARTS.iter().for_each(|part| print!(" {part:>15}"));
    println!(" {:>9}", "grows to");
    for rows in shapes {
        let Some(last) = rows.last() else { continue };
        print!("{:<12}", last.shape);
        for (part, took) in last.took.iter().enumerate() {
            let micros = took.as_secs_f64() * 1e6 / last.instructions as f64;
            let power = power(rows, Some(part)).unwrap_or(f64::NAN);
            print!(" {:>15}", format!("{micros:.2} ({power:.2})"));
        }
        println!(" {:>8.1}x", last.vector as f64 / last.instructions as f64);
    }
}

fn print_unmarked(unmarked: &[Unmarked]) {
    println!(
        "\nmilliseconds of CPU time in `opt -O3` on code without marks: the passes of the plug-in beside LLVM's loop vectorizer\n"
    );
    println!(
        "{:<12} {:>9} {:>16} {:>7} {:>12} {:>12}",
        "", "plug-in", "loop vectorizer", "ratio", "all passes", "without it"
    );
    let sum = |of: fn(&Unmarked) -> f64| unmarked.iter().map(of).sum::<f64>();
    let all = Unmarked {
        name: "all".into(),
        ours: sum(|u| u.ours),
        theirs: sum(|u| u.theirs),
        all: [sum(|u| u.all[0]), sum(|u| u.all[1])],
    };
    for row in unmarked.iter().chain([&all]) {
        println!(
            "{:<12} {:>9.1} {:>16.1} {:>7.3} {:>12.0} {:>12.0}",
            row.name,
            row.ours * 1e3,
            row.theirs * 1e3,
            row.ratio(),
            row.all[0] * 1e3,
            row.all[1] * 1e3
        );
    }
}

/// The same as JSON.
pub(crate) fn json(results: &Results) -> serde_json::Value {
    let shapes = by_shape(&results.growth);
    let powers =
        shapes.iter().map(|rows| json!({"shape": rows[0].shape, "power": power(rows, None)}));
    json!({
        "growth": results.growth.iter().map(Growth::json).collect::<Vec<_>>(),
        "powers": powers.collect::<Vec<_>>(),
        "unmarked": results.unmarked.iter().map(Unmarked::json).collect::<Vec<_>>(),
    })
}
