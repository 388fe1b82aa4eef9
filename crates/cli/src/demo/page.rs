//! The page: the table, and for each example its source, its control flow before and after linearization, and its machine code.
//! It needs nothing else: style and pictures are in it.

use super::examples::Example;
use super::lockstep::Lockstep;
use super::stages::{Picture, Stages};
use super::{Shown, assembly, table, width};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use lw_kernels::{FLAGS, Input, Verdict};
use lw_report::{drawing, escape};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// Pictures wider than this, in pixels, stand below each other.
const WIDE: u32 = 1000;

/// The whole page.
pub(super) fn page(machine: &str, all: &[Shown<'_>], lockstep: &Lockstep) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Laneweaver: the examples</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n\
         <div class=\"top\">\n<div>\n<h1>What <code>lw cc</code> makes of loops</h1>\n\
         <p>Each example is a file with one <code>#pragma omp simd</code> or <code>declare simd</code>, compiled with <code>{}</code>: by clang 22 as it is, \
         by clang 22 with <code>-fopenmp-simd</code>, and by <code>lw cc</code>. All three ran on the same data, by turns; times are medians of CPU time on one \
         core of {}. Results were compared bit by bit, and are the same but where the table gives a difference, which other mathematical functions make.</p>\n",
        drawing::STYLE,
        escape(&FLAGS.join(" ")),
        escape(machine),
    );
    write_table(&mut out, all);
    out.push_str("</div>\n<div>\n");
    for shown in all {
        if let Some(png) = &shown.picture {
            let title = escape(shown.example.title);
            let data = BASE64_STANDARD.encode(png);
            let _ = writeln!(
                out,
                "<img alt=\"{title}\" src=\"data:image/png;base64,{data}\"><p class=\"soft\">{title}, as the vectorized loop computed it</p>"
            );
        }
    }
    out.push_str("</div>\n</div>\n");
    write_lockstep(&mut out, lockstep);
    for (i, shown) in all.iter().enumerate() {
        write_example(&mut out, shown, i == 0);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn write_table(out: &mut String, all: &[Shown<'_>]) {
    out.push_str(
        "<table>\n<tr><th>example</th><th>input</th><th class=\"number\">clang</th><th class=\"number\">-fopenmp-simd</th>\
         <th class=\"number\">lw cc</th><th class=\"number\">speed-up</th><th></th></tr>\n",
    );
    let rows = || all.iter().flat_map(|shown| &shown.rows);
    let most = rows().map(|row| row.speed_up(2)).fold(1.0, f64::max);
    for shown in all {
        for (i, row) in shown.rows.iter().enumerate() {
            let title = match i {
                0 => format!(
                    "<a href=\"#{}\">{}</a>",
                    shown.example.stem(),
                    escape(shown.example.title)
                ),
                _ => String::new(),
            };
            let [clang, simd, ours] =
                [0, 1, 2].map(|number| table::time(row.cells[number].seconds));
            let up = row.speed_up(2);
            let class = [if i == 0 { "first" } else { "" }, if up < 1.0 { "slow" } else { "" }];
            let _ = writeln!(
                out,
                "<tr class=\"{}\"><td>{title}</td><td>{}</td><td class=\"number\">{clang}</td><td class=\"number\">{simd}</td>\
                 <td class=\"number\">{ours}</td><td class=\"number up\">{up:.2}</td>\
                 <td class=\"scale\"><span class=\"bar\" style=\"width:{:.1}%\"></span> {}</td></tr>",
                class.join(" "),
                escape(&row.name),
                100.0 * up / most,
                different(row),
            );
        }
    }
    let rows: Vec<&Input> = rows().collect();
    let _ = writeln!(
        out,
        "</table>\n<p>The geometric mean of the speed-ups over scalar clang is <b>{:.2}</b>.</p>",
        table::mean(&rows)
    );
}

/// What the row says about the results, if they are not the same bit by bit.
fn different(row: &Input) -> String {
    match &row.cells[2].verdict {
        _ if row.is_wrong() => "<span class=\"different\">different results</span>".into(),
        Verdict::Within(difference) => {
            format!("<span class=\"soft\">results within {}</span>", escape(difference))
        }
        _ => String::new(),
    }
}

fn write_lockstep(out: &mut String, lockstep: &Lockstep) {
    let data = BASE64_STANDARD.encode(&lockstep.picture);
    let _ = writeln!(
        out,
        "<h2>Lanes in lock step</h2>\n<p>Lanes of a vector execute the same instructions. Where a branch is <em>divergent</em>, some lanes would go one way and some \
         the other; linearization lets all of them go both ways, and a mask says for whom it counts. Branches that all lanes take together stay branches.</p>\n\
         <figure><img alt=\"which threads work in which block\" src=\"data:image/svg+xml;base64,{data}\">\
         <figcaption>The interpreter of the lock-step IR ran the loop with eight threads: {:.0} % of the lanes did work, the others waited.</figcaption></figure>",
        lockstep.share
    );
}

/// The machine code of the first one is there to see, that of others after a click.
fn write_example(out: &mut String, shown: &Shown<'_>, is_first: bool) {
    let example = shown.example;
    let best = shown.rows.iter().map(|row| row.speed_up(2)).fold(0.0, f64::max);
    let _ = writeln!(
        out,
        "<section id=\"{}\">\n<h2>{} <span class=\"soft\">{}</span> <span class=\"up\">{best:.1} times</span></h2>",
        example.stem(),
        escape(example.title),
        code(example.shows),
    );
    for remark in &shown.built.remarks {
        let _ = writeln!(out, "<p class=\"remark\"><code>{}</code></p>", escape(remark));
    }
    let _ = writeln!(
        out,
        "<div class=\"source\"><h3>{}</h3>\n<pre>{}</pre></div>",
        escape(example.file),
        source(example.shown())
    );
    match &shown.stages {
        Ok(stages) => write_stages(out, stages, width(&shown.built)),
        Err(_) => out.push_str("<p>It was not vectorized.</p>\n"),
    }
    write_assembly(out, shown, if is_first { " open" } else { "" });
    out.push_str("</section>\n");
}

fn write_stages(out: &mut String, stages: &Stages, width: u32) {
    let is_wide = |picture: &Picture| picture.width() > WIDE;
    let wide = if is_wide(&stages.before) || is_wide(&stages.after) { " wide" } else { "" };
    let _ = writeln!(
        out,
        "<p class=\"legend\"><span class=\"divergent\">lanes part here</span><span class=\"masked\">only some lanes take part</span>\
         <span>all lanes together</span></p>\n<div class=\"pair{wide}\">"
    );
    let before = format!("Before: one lane of {width}");
    for (head, picture) in
        [(before.as_str(), &stages.before), ("After linearization", &stages.after)]
    {
        let _ = writeln!(
            out,
            "<div><h3>{head}: <span class=\"soft\">{}</span></h3>\n<div class=\"picture\">{}</div></div>",
            counts(picture),
            picture.svg
        );
    }
    out.push_str("</div>\n");
}

fn counts(picture: &Picture) -> String {
    let mut text = format!(
        "{} blocks, {} divergent and {} uniform branches",
        picture.blocks, picture.divergent, picture.uniform
    );
    if picture.masked > 0 {
        let _ = write!(text, ", {} blocks with a mask", picture.masked);
    }
    text
}

fn write_assembly(out: &mut String, shown: &Shown<'_>, open: &str) {
    let [scalar, vector] = &shown.built.assembly;
    let kernel = shown.example.kernel;
    let symbol = vector_symbol(shown.example, vector, width(&shown.built));
    let parts = [
        ("lw cc", assembly::function(vector, &symbol)),
        ("clang", assembly::function(scalar, kernel)),
    ];
    let _ = writeln!(
        out,
        "<details{open}><summary>Machine code</summary>\n<div class=\"pair assembly\">"
    );
    for (who, lines) in parts {
        let Some(lines) = lines else { continue };
        let is_code = |line: &&String| line.starts_with(' ');
        let all = lines.iter().filter(is_code).count();
        let vectors = lines.iter().filter(is_code).filter(|line| assembly::is_vector(line)).count();
        let _ = write!(
            out,
            "<div><h3>{who} <span class=\"soft\">{all} instructions, {vectors} on vectors or masks</span></h3>\n<pre>"
        );
        for line in &lines {
            let tag = match (line.starts_with(' '), assembly::is_vector(line)) {
                (false, _) => ("<i>", "</i>"),
                (true, true) => ("<b>", "</b>"),
                (true, false) => ("", ""),
            };
            let _ = writeln!(out, "{}{}{}", tag.0, escape(line), tag.1);
        }
        out.push_str("</pre></div>\n");
    }
    out.push_str("</div></details>\n");
}

/// The function that holds the vector code: the one with the loop, or the variant that the loop calls.
fn vector_symbol(example: &Example, text: &str, width: u32) -> String {
    let end = format!("_{}", example.kernel);
    let is_it = |name: &&str| {
        name.starts_with("_ZGV")
            && name.ends_with(&end)
            && name[5..].starts_with(&format!("N{width}"))
    };
    let variant = example.shapes.and_then(|_| assembly::symbols(text).filter(is_it).last());
    variant.unwrap_or(example.kernel).to_string()
}

/// Source with numbered lines, comments and pragmas marked.
fn source(text: &str) -> String {
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        let class = match line.trim_start() {
            t if t.starts_with("#pragma") => "pragma",
            t if t.starts_with("//") => "comment",
            _ => "",
        };
        let number = i + 1;
        let _ = writeln!(
            out,
            "<span class=\"no\">{number}</span><span class=\"{class}\">{}</span>",
            escape(line)
        );
    }
    out
}

/// Text with `code` in it.
fn code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(i, part)| match i % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::{code, source};

    #[test]
    fn marks_are_set_and_text_is_escaped() {
        assert_eq!(code("a `b<c` d"), "a <code>b&lt;c</code> d");
        let lines = source("#pragma omp simd\n  // why\nx < y;");
        assert!(lines.contains("<span class=\"pragma\">#pragma omp simd</span>"));
        assert!(lines.contains("<span class=\"comment\">  // why</span>"));
        assert!(lines.contains("x &lt; y;"));
    }
}
