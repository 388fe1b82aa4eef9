//! How the time for an instruction grows with the size of a loop, as an SVG: a line for each shape, the axis of sizes logarithmic.

use crate::growth::Growth;
use crate::tables::by_shape;
use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const COLORS: [&str; 15] = [
    "#1b6ca8", "#d1495b", "#3f9b6f", "#e09f3e", "#9c6fb6", "#777777", "#8c564b", "#17a2a8",
    "#e377c2", "#4b5320", "#bcbd22", "#000000", "#5b8ff9", "#c8403f", "#7f00ff",
];

/// Draws all shapes.
pub(crate) fn svg(growth: &[Growth]) -> String {
    let shapes = by_shape(growth);
    let sizes = || growth.iter().map(|row| row.instructions as f64);
    let (least, most) = (sizes().fold(f64::MAX, f64::min), sizes().fold(1.0, f64::max));
    let times = || growth.iter().map(Growth::micros);
    let (low, high) = (times().fold(f64::MAX, f64::min), times().fold(0.1, f64::max));
    let (low, high) = (low.log2().floor(), high.log2().ceil());
    let x = |size: f64| LEFT + WIDTH * (size / least).ln() / (most / least).ln().max(1e-9);
    let y = |micros: f64| TOP + HEIGHT * (1.0 - (micros.log2() - low) / (high - low).max(1e-9));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        LEFT + WIDTH + 130.0,
        TOP + HEIGHT + 50.0
    );
    let mut text = |x: f64, y: f64, anchor: &str, color: &str, words: &str| {
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
        );
    };
    text(
        10.0,
        18.0,
        "start",
        "black",
        "Microseconds per instruction of the scalar function, by its size: flat is linear time",
    );
    text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 36.0, "middle", "black", "instructions");
    let mut lines = String::new();
    let mut line = |from: [f64; 2], to: [f64; 2]| {
        let _ = writeln!(
            lines,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
            from[0], from[1], to[0], to[1]
        );
    };
    for step in low as i32..=high as i32 {
        let micros = f64::from(step).exp2();
        line([LEFT, y(micros)], [LEFT + WIDTH, y(micros)]);
        text(LEFT - 6.0, y(micros) + 4.0, "end", "black", &format!("{micros}"));
    }
    for size in
        [100.0, 1_000.0, 10_000.0, 100_000.0].into_iter().filter(|s| (least..=most).contains(s))
    {
        line([x(size), TOP], [x(size), TOP + HEIGHT]);
        text(x(size), TOP + HEIGHT + 16.0, "middle", "black", &format!("{size}"));
    }
    for (number, rows) in shapes.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let points: Vec<String> = rows
            .iter()
            .map(|row| format!("{:.1},{:.1}", x(row.instructions as f64), y(row.micros())))
            .collect();
        let _ = writeln!(
            lines,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let down = TOP + 10.0 + 16.0 * number as f64;
        text(LEFT + WIDTH + 14.0, down, "start", color, rows[0].shape);
    }
    out + &lines + "</svg>\n"
}
