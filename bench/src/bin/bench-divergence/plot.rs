//! How time grows with n, ours and LLVM's, as an SVG: one panel per family, both axes logarithmic.

use crate::families::FAMILIES;
use crate::times::{Growth, Times};
use std::fmt::Write;

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 220.0;

/// Draws all families.
pub(crate) fn svg(growth: &[Growth]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * (WIDTH + 80.0),
        2.0 * (HEIGHT + 70.0)
    );
    let micros = |t: std::time::Duration| (t.as_secs_f64() * 1e6).max(1.0);
    let times = growth.iter().flat_map(|row| [micros(row.times.ours), micros(row.times.llvm)]);
    let (low, high) = (times.clone().fold(f64::MAX, f64::min), times.fold(1.0, f64::max));
    let sizes = growth.iter().map(|row| row.n as f64);
    let (least, most) = (sizes.clone().fold(f64::MAX, f64::min), sizes.fold(1.0, f64::max));
    let scale = |v: f64, from: f64, to: f64| (v / from).ln() / (to / from).ln().max(1e-9);
    for (i, (family, _)) in FAMILIES.iter().enumerate() {
        let x = (i % 2) as f64 * (WIDTH + 80.0) + 60.0;
        let y = (i / 2) as f64 * (HEIGHT + 70.0) + 30.0;
        let mut text = |x: f64, y: f64, anchor: &str, color: &str, words: &str| {
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
            );
        };
        text(x, y - 10.0, "start", "black", &format!("{family}: µs by n"));
        text(x, y + HEIGHT + 15.0, "start", "black", &format!("{least:.0}"));
        text(x + WIDTH, y + HEIGHT + 15.0, "end", "black", &format!("n = {most:.0}"));
        text(x - 5.0, y + HEIGHT, "end", "black", &format!("{low:.0}"));
        text(x - 5.0, y + 10.0, "end", "black", &format!("{high:.0}"));
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>"
        );
        type Side = fn(&Times) -> std::time::Duration;
        let sides: [(&str, &str, Side); 2] =
            [("ours", "#1b6ca8", |t| t.ours), ("UniformityInfo", "#d1495b", |t| t.llvm)];
        for (side, (name, color, time)) in sides.iter().enumerate() {
            let points: Vec<String> = growth
                .iter()
                .filter(|row| row.family == *family)
                .map(|row| {
                    let at = x + WIDTH * scale(row.n as f64, least, most);
                    let up = y + HEIGHT * (1.0 - scale(micros(time(&row.times)), low, high));
                    format!("{at:.1},{up:.1}")
                })
                .collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
                points.join(" ")
            );
            let down = y + 18.0 + 14.0 * side as f64;
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{down:.1}\" fill=\"{color}\">{name}</text>",
                x + 10.0
            );
        }
    }
    out.push_str("</svg>\n");
    out
}
