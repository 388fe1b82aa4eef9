//! The tables as pictures: what 003 Figs 11–13 show, and growth with size, in one SVG.

use crate::Row;
use crate::times::{Growth, SIDES, STRATEGIES, Times, exponent};
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 260.0;
const COLORS: [&str; 3] = ["#1b6ca8", "#d1495b", "#66a182"];

/// Draws everything.
pub(crate) fn svg(rows: &[Row]) -> String {
    let mut all = Times::default();
    rows.iter().for_each(|row| all.add(&row.times));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * (WIDTH + 60.0),
        3.0 * (HEIGHT + 60.0)
    );
    let share = |a: Duration, b: Duration| 100.0 * a.as_secs_f64() / b.as_secs_f64().max(1e-9);
    let bars = |value: &dyn Fn(Duration, u64) -> f64| -> Vec<(&str, f64)> {
        let named = STRATEGIES.iter().zip(&all.strategies);
        named.map(|((name, _), &(time, added))| (*name, value(time, added))).collect()
    };
    let ssi = all.strategy("ssi");
    panel(&mut out, 0, "time, % of SSI", &bars(&|time, _| share(time, ssi)));
    panel(&mut out, 1, "time, % of opt -O1", &bars(&|time, _| share(time, all.opt)));
    let more = |added: u64| 100.0 * added as f64 / all.instructions.max(1) as f64;
    panel(&mut out, 2, "φ, σ and copies, % of instructions", &bars(&|_, added| more(added)));
    let growth: Vec<Growth> = rows.iter().flat_map(|row| row.growth.iter().copied()).collect();
    scatter(&mut out, 3, &growth, "instructions", |g| g.instructions);
    scatter(&mut out, 4, &growth, "operands before and after", Growth::handled);
    scatter(&mut out, 5, &growth, "operands, and blocks live in", Growth::handled_and_live);
    out.push_str("</svg>\n");
    out
}

fn corner(place: usize) -> (f64, f64) {
    let (column, row) = ((place % 2) as f64, (place / 2) as f64);
    (column * (WIDTH + 60.0) + 50.0, row * (HEIGHT + 60.0) + 30.0)
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ =
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn panel(out: &mut String, place: usize, title: &str, bars: &[(&str, f64)]) {
    let (x, y) = corner(place);
    let most = bars.iter().map(|bar| bar.1).fold(1e-9, f64::max);
    text(out, (x, y - 10.0), "start", title);
    let step = HEIGHT / bars.len().max(1) as f64;
    for (i, (name, value)) in bars.iter().enumerate() {
        let top = y + i as f64 * step;
        let length = (WIDTH - 130.0) * value / most;
        text(out, (x + 80.0, top + step * 0.6), "end", name);
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            x + 86.0,
            step * 0.8,
            COLORS[0]
        );
        text(out, (x + 90.0 + length, top + step * 0.6), "start", &format!("{value:.2}"));
    }
}

/// Microseconds by the size of a function, both logarithmic.
fn scatter(
    out: &mut String,
    place: usize,
    growth: &[Growth],
    unit: &str,
    size: impl Fn(&Growth) -> u64,
) {
    let (x, y) = corner(place);
    let title = format!("µs to split a function, by {unit} (log)");
    text(out, (x, y - 10.0), "start", &title);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let sizes = growth.iter().map(|g| size(g) as f64);
    let (least, most) = (sizes.clone().fold(f64::MAX, f64::min), sizes.fold(1.0, f64::max));
    let times = growth.iter().flat_map(|g| [g.abcd, g.ssi, g.singer]).map(micros);
    let (low, high) = (times.clone().fold(f64::MAX, f64::min), times.fold(1.0, f64::max));
    let scale = |v: f64, (from, to): (f64, f64)| (v / from).ln() / (to / from).ln().max(1e-9);
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>"
    );
    for (i, (name, time)) in SIDES.iter().enumerate() {
        for g in growth {
            let at = x + WIDTH * scale(size(g) as f64, (least, most));
            let up = y + HEIGHT * (1.0 - scale(micros(time(g)).max(low), (low, high)));
            let _ = writeln!(
                out,
                "<circle cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"1.5\" fill=\"{}\" fill-opacity=\"0.6\"/>",
                COLORS[i]
            );
        }
        let exponent = exponent(growth, &size, time);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{name}: size to the {exponent:.2}</text>",
            x + 10.0,
            y + 16.0 + 14.0 * i as f64,
            COLORS[i]
        );
    }
    text(out, (x, y + HEIGHT + 14.0), "start", &format!("{least:.0}"));
    text(out, (x + WIDTH, y + HEIGHT + 14.0), "end", &format!("{most:.0} {unit}"));
    text(out, (x - 4.0, y + HEIGHT), "end", &format!("{low:.2}"));
    text(out, (x - 4.0, y + 10.0), "end", &format!("{high:.0}"));
}
