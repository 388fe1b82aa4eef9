//! A picture of a run in lock step: a row for each thread, a column for each block that was scheduled.

use lw_ir::Function;
use lw_ir::interp::{Next, Trace};
use std::fmt::Write;

const CELL: usize = 14;
const LEFT: usize = 70;
const TOP: usize = 62;

/// Colours for blocks, told apart also by people who see few colours.
const COLOURS: [&str; 8] =
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#994455"];

/// The picture as SVG, in colours that work on light and dark pages.
pub(crate) fn draw(function: &Function, trace: &Trace, title: &str) -> String {
    let steps: Vec<_> = trace.top().collect();
    let threads = steps.first().map_or(0, |step| step.active.len());
    let blocks = function.blocks();
    let colour = |block| {
        let index = blocks.iter().position(|&b| b == block).unwrap_or(0);
        COLOURS[index % COLOURS.len()]
    };
    let grid_width = steps.len() * CELL;
    let legend_y = TOP + threads * CELL + 24;
    let width = (LEFT + grid_width + 20).max(LEFT + 420);
    let height = legend_y + 36;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>text {{ fill: #222 }} .idle {{ fill: #8883 }} \
         @media (prefers-color-scheme: dark) {{ text {{ fill: #ddd }} }}</style>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n\
         <text x=\"{LEFT}\" y=\"46\">blocks in the order they are scheduled, one column each</text>\n",
        escape(title),
    );
    for thread in 0..threads {
        let y = TOP + thread * CELL;
        let _ = writeln!(svg, "<text x=\"8\" y=\"{}\">thread {thread}</text>", y + 11);
        for (column, step) in steps.iter().enumerate() {
            let x = LEFT + column * CELL;
            let done = matches!(step.before[thread].next, Next::Done(_));
            let fill = if step.active[thread] {
                format!("fill=\"{}\"", colour(step.block))
            } else if done {
                continue;
            } else {
                "class=\"idle\"".to_string()
            };
            let size = CELL - 2;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" rx=\"2\" {fill}/>"
            );
        }
    }
    let mut x = LEFT;
    let seen = blocks.iter().filter(|&&block| steps.iter().any(|step| step.block == block));
    for &block in seen {
        let name = function.display_block(block);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{legend_y}\">block {}</text>",
            legend_y - 9,
            colour(block),
            x + 14,
            escape(&name),
        );
        x += 40 + 8 * (name.len() + 5);
    }
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{}\" width=\"10\" height=\"10\" class=\"idle\"/>\
         <text x=\"{}\" y=\"{}\">waits for the others</text>\n</svg>",
        legend_y + 11,
        LEFT + 14,
        legend_y + 20,
    );
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
