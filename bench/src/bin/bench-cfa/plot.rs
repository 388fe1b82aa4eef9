//! Growth as a picture: time by N, both logarithmic.

use crate::runs::Run;
use std::fmt::Write;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const COLORS: [&str; 5] = ["#1b6ca8", "#d1495b", "#edae49", "#66a182", "#8d5a97"];

/// Draws one line for each engine.
pub(crate) fn svg(runs: &[Run]) -> String {
    let mut engines: Vec<&str> = runs.iter().map(|run| run.engine.as_str()).collect();
    engines.sort_unstable();
    engines.dedup();
    let point = |run: &Run| Some((run.n? as f64, run.took.as_secs_f64() * 1e3));
    let points: Vec<(f64, f64)> = runs.iter().filter_map(point).collect();
    let bounds = |value: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(value);
        (all.clone().fold(f64::MAX, f64::min), all.fold(f64::MIN_POSITIVE, f64::max))
    };
    let (across, up) = (bounds(|p| p.0), bounds(|p| p.1));
    let scale = |v: f64, (from, to): (f64, f64)| (v / from).ln() / (to / from).ln().max(1e-9);
    let place = |(n, time): (f64, f64)| {
        (LEFT + WIDTH * scale(n, across), TOP + HEIGHT * (1.0 - scale(time, up)))
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\">0-CFA of F(N): milliseconds by N (both logarithmic)</text>\n\
         <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>\n",
        LEFT + WIDTH + 110.0,
        TOP + HEIGHT + 40.0
    );
    ticks(&mut out, &points, place, up);
    for (i, engine) in engines.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let line: Vec<(f64, f64)> =
            runs.iter().filter(|run| run.engine == *engine).filter_map(point).map(place).collect();
        let path: Vec<String> = line.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (x, y) in &line {
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{engine}</text>",
            LEFT + 12.0,
            TOP + 20.0 + 16.0 * i as f64
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The sizes, and powers of ten.
fn ticks(
    out: &mut String,
    points: &[(f64, f64)],
    place: impl Fn((f64, f64)) -> (f64, f64),
    (low, high): (f64, f64),
) {
    let mut sizes: Vec<u64> = points.iter().map(|point| point.0 as u64).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for n in sizes {
        let (x, _) = place((n as f64, low));
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{n}</text>",
            TOP + HEIGHT + 18.0
        );
    }
    for power in low.log10().ceil() as i32..=high.log10().floor() as i32 {
        let time = 10f64.powi(power);
        let (_, y) = place((points[0].0, time));
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{time}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y + 4.0
        );
    }
}
