//! The page of `lw divergence` in a browser: its script runs, links source and picture, and shows a chain of causes.
//!
//! `cargo xtask setup` installs the browser.

use std::path::Path;
use std::process::Command;

#[test]
fn the_script_shows_the_first_chain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiles.html");
    let made = Command::new(env!("CARGO_BIN_EXE_lw"))
        .args(["divergence", "examples/tiles.cu", "--block", "16,16", "--format", "html", "-o"])
        .arg(&page)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let shown = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--dump-dom",
        ])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap_or_else(|e| panic!("chromium: {e}; `cargo xtask setup` installs it"));
    let dom = String::from_utf8_lossy(&shown.stdout);
    // Before the script ran, chains are empty and nothing is lit.
    assert!(
        dom.contains("<h3>__syncthreads is not reached by all threads of a block</h3><ol><li>"),
        "{dom}"
    );
    assert!(dom.contains("line lit") || dom.contains(" lit\""), "no line is lit");
    assert!(
        dom.contains("<g class=\"node divergent from\"")
            || dom.contains("<g class=\"node barrier from\"")
    );
    assert!(
        dom.contains("<g class=\"node join to\""),
        "the blocks where threads meet are not shown"
    );
}
