//! `lw demo`: results are compared, pictures and the page are whole.
//!
//! `cargo xtask setup` installs the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn demo(name: &str, args: &[&str]) -> (PathBuf, Output) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    // The plug-in lies beside the tests: cargo builds it for them.
    let plugin = std::env::current_exe().unwrap().with_file_name("liblaneweaver.so");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lw"));
    command.args(["demo", "--seconds", "0.01", "--output"]).arg(&dir).args(args);
    let output = command.env("LANEWEAVER_PLUGIN", plugin).output().unwrap();
    (dir, output)
}

/// What every example compares is checked here: the command fails if one of them differs.
#[test]
fn all_examples_are_vectorized_and_agree() {
    let (dir, output) = demo("all", &[]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(dir.join("index.html")).unwrap();
    assert!(!page.contains("not vectorized"), "an example was declined");
    let sections: Vec<&str> = page.split("<section id=").skip(1).collect();
    for section in &sections {
        let drawings = section.matches("<svg ").count();
        let name = section.lines().next().unwrap_or_default();
        assert_eq!(drawings, 2, "{name}: one picture before, one after");
        assert!(section.contains("iterations at a time"), "{name}: no remark");
        assert_eq!(section.matches("<pre>").count(), 3, "{name}: source and two assemblies");
        let after = section.split("After linearization").nth(1).unwrap();
        assert!(after.contains(" 0 divergent and"), "{name}: a divergent branch is left");
    }
    let results = std::fs::read_to_string(dir.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    let rows = results["rows"].as_array().unwrap();
    assert!(rows.len() >= sections.len() && sections.len() >= 10);
    assert!(rows.iter().all(|row| row["same"] == true));
}

#[test]
fn the_page_needs_nothing_else_and_is_shown_by_a_browser() {
    let (dir, output) = demo("page", &["--only", "mandelbrot"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let png = std::fs::read(dir.join("mandelbrot.png")).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!((png[16..24]), [0, 0, 3, 0, 0, 0, 2, 0], "768 times 512 points");
    let page = dir.join("index.html");
    let text = std::fs::read_to_string(&page).unwrap();
    for outside in ["src=\"http", "href=\"http", "url(", "<script"] {
        assert!(!text.contains(outside), "{outside}");
    }
    // The browser closes what is left open, and drops what does not belong: what it has in the end is what was written.
    let shown = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap_or_else(|e| panic!("chromium: {e}; `cargo xtask setup` installs it"));
    let dom = String::from_utf8_lossy(&shown.stdout);
    for tag in ["<svg ", "<section ", "<tr", "<img ", "<pre>", "</section>"] {
        assert_eq!(dom.matches(tag).count(), text.matches(tag).count(), "{tag}");
    }
}

#[test]
fn what_does_not_exist_is_named() {
    let (_, output) = demo("unknown", &["--only", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no example `nothing`; there are mandelbrot,"), "{said}");
}
