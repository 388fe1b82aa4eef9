//! Speed-ups as bars, in the layout of 001 Figs 13.7 to 13.9, and times by spread factor, in that of Figs 13.3 to 13.6.

use crate::compilers::Column;
use crate::measure::Row;
use std::fmt::Write;

/// The color of a compiler, the same in all plots.
fn color(name: &str) -> &'static str {
    match name {
        "clang" => "#777777",
        "clang simd" => "#e09f3e",
        "gcc simd" => "#9c6fb6",
        "ispc" => "#c8403f",
        "lw" => "#3f9b6f",
        _ => "#1b6ca8",
    }
}

/// Names of plots, and the plots as SVG. Plots without data are left out.
pub(crate) fn plots(columns: &[Column], rows: &[Row]) -> Vec<(&'static str, String)> {
    let names: Vec<&str> = columns.iter().map(|column| column.compiler.name()).collect();
    let plots = [("speed-ups", bars(&names, rows)), ("spread", spread(&names, rows))];
    plots.into_iter().filter_map(|(name, svg)| Some((name, svg?))).collect()
}

/// A picture that grows.
struct Svg(String);

impl Svg {
    fn text(&mut self, x: f64, y: f64, anchor: &str, color: &str, words: &str) {
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
        );
    }

    fn line(&mut self, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2], color: &str) {
        let _ = writeln!(
            self.0,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" stroke=\"{color}\"/>"
        );
    }

    /// What each color means, in a row.
    fn legend(&mut self, x: f64, y: f64, names: &[(usize, &str)]) {
        for (place, &(_, name)) in names.iter().enumerate() {
            let at = x + 90.0 * place as f64;
            let color = color(name);
            let _ = writeln!(
                self.0,
                "<rect x=\"{at:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{color}\"/>",
                y - 9.0
            );
            self.text(at + 14.0, y, "start", "black", name);
        }
    }

    fn finish(self, width: f64, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.0
        )
    }
}

/// A group of bars for each kernel: how much faster than scalar clang, the geometric mean of its inputs; the axis is logarithmic.
fn bars(names: &[&str], rows: &[Row]) -> Option<String> {
    const LEFT: f64 = 150.0;
    const WIDTH: f64 = 560.0;
    const TOP: f64 = 50.0;
    const BAR: f64 = 6.0;
    let groups: Vec<&[Row]> = rows.chunk_by(|a, b| a.kernel == b.kernel).collect();
    let mean = |group: &[Row], number: usize| {
        let ups: Option<Vec<f64>> = group.iter().map(|row| row.speed_up(number)).collect();
        let ups = ups.filter(|ups| !ups.is_empty())?;
        Some((ups.iter().map(|up| up.ln()).sum::<f64>() / ups.len() as f64).exp())
    };
    let all: Vec<f64> =
        groups.iter().flat_map(|group| (1..names.len()).filter_map(|n| mean(group, n))).collect();
    if all.is_empty() {
        return None;
    }
    let low = all.iter().fold(0.5, |a: f64, &b| a.min(b)).max(0.01).log2().floor();
    let high = all.iter().fold(2.0, |a: f64, &b| a.max(b)).min(1024.0).log2().ceil();
    let place = |up: f64| LEFT + WIDTH * (up.log2() - low) / (high - low);
    let mut svg = Svg(String::new());
    svg.text(10.0, 18.0, "start", "black", "Times faster than scalar clang, by kernel");
    let legend: Vec<(usize, &str)> = names.iter().copied().enumerate().skip(1).collect();
    svg.legend(LEFT, 36.0, &legend);
    let counts = groups.iter().map(|group| group[0].cells[1..].iter().flatten().count());
    let height = TOP + counts.map(|count| BAR * count as f64 + 5.0).sum::<f64>();
    for step in low as i32..=high as i32 {
        let up = f64::from(step).exp2();
        let shade = if step == 0 { "black" } else { "#dddddd" };
        svg.line([place(up), TOP - 5.0], [place(up), height], shade);
        svg.text(place(up), height + 14.0, "middle", "black", &format!("{up}"));
    }
    let mut y = TOP;
    for group in &groups {
        let start = y;
        for (number, name) in names.iter().enumerate().skip(1) {
            let Some(up) = mean(group, number) else { continue };
            let (from, to) = (place(1.0), place(up.clamp(low.exp2(), high.exp2())));
            let _ = writeln!(
                svg.0,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                from.min(to),
                (to - from).abs().max(0.7),
                BAR - 1.0,
                color(name)
            );
            y += BAR;
        }
        svg.text(LEFT - 6.0, f64::midpoint(start, y) + 3.0, "end", "black", &group[0].kernel);
        y += 5.0;
    }
    Some(svg.finish(LEFT + WIDTH + 30.0, height + 24.0))
}

/// A panel for each kernel with a spread factor: milliseconds by spread factor, random points; a line for each compiler.
fn spread(names: &[&str], rows: &[Row]) -> Option<String> {
    const ACROSS: usize = 4;
    const WIDTH: f64 = 190.0;
    const HEIGHT: f64 = 120.0;
    const TOP: f64 = 60.0;
    let factor = |row: &Row| row.input.strip_prefix("random, spread ")?.parse::<f64>().ok();
    let groups: Vec<&[Row]> = rows
        .chunk_by(|a, b| a.kernel == b.kernel)
        .filter(|group| group.iter().any(|row| factor(row).is_some()))
        .collect();
    if groups.is_empty() {
        return None;
    }
    let mut svg = Svg(String::new());
    let mut shown: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    shown.retain(|&(number, _)| groups[0][0].cells[number].is_some());
    svg.text(10.0, 18.0, "start", "black", "Milliseconds by spread factor, random points");
    svg.legend(10.0, 36.0, &shown);
    for (place, group) in groups.iter().enumerate() {
        let x = (place % ACROSS) as f64 * (WIDTH + 55.0) + 45.0;
        let y = (place / ACROSS) as f64 * (HEIGHT + 45.0) + TOP;
        let points = |number: usize| {
            let mut points: Vec<(f64, f64)> = group
                .iter()
                .filter_map(|row| Some((factor(row)?, row.cells[number].as_ref()?.seconds * 1e3)))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let lines: Vec<(usize, Vec<(f64, f64)>)> =
            shown.iter().map(|&(number, _)| (number, points(number))).collect();
        let most = lines.iter().flat_map(|(_, line)| line).map(|p| p.1).fold(1e-6, f64::max);
        svg.text(x, y - 6.0, "start", "black", &group[0].kernel);
        svg.text(x - 4.0, y + 9.0, "end", "black", &format!("{most:.3}"));
        svg.text(x - 4.0, y + HEIGHT, "end", "black", "0");
        for tenth in [1, 5, 10] {
            let at = x + WIDTH * f64::from(tenth) / 10.0;
            svg.line([at, y + HEIGHT], [at, y + HEIGHT + 4.0], "#999999");
            let label = format!("{}", f64::from(tenth) / 10.0);
            svg.text(at, y + HEIGHT + 15.0, "middle", "black", &label);
        }
        let _ = writeln!(
            svg.0,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999999\"/>"
        );
        for (number, line) in lines {
            let points: Vec<String> = line
                .iter()
                .map(|(factor, ms)| {
                    format!("{:.1},{:.1}", x + WIDTH * factor, y + HEIGHT * (1.0 - ms / most))
                })
                .collect();
            let _ = writeln!(
                svg.0,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
                points.join(" "),
                color(names[number])
            );
        }
    }
    let down = groups.len().div_ceil(ACROSS) as f64;
    Some(svg.finish(ACROSS as f64 * (WIDTH + 55.0) + 10.0, TOP + down * (HEIGHT + 45.0)))
}
