//! The page of `lw divergence` in a browser: its script runs, links source and picture, and shows a chain of causes.
//!
//! Runs where a browser of the Chromium family is installed (`apt-get install chromium`).

use std::path::Path;
use std::process::Command;

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let works = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    names.into_iter().find(works)
}

#[test]
fn the_script_shows_the_first_chain() {
    let Some(browser) = browser() else {
        eprintln!("no browser is installed; nothing was checked");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiles.html");
    let made = Command::new(env!("CARGO_BIN_EXE_lw"))
        .args(["divergence", "examples/tiles.cu", "--block", "16,16", "--format", "html", "-o"])
        .arg(&page)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let shown = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--dump-dom",
        ])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
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
