//! What `lw divergence --format sarif` writes, held against the schema of SARIF 2.1.0.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema, as the crate has it that `crates/report/tests/schema` pins.
fn schema() -> Value {
    let manifest = root().join("crates/report/tests/schema/Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(&manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let package = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    let text = std::fs::read_to_string(package.join("src/schema.json")).unwrap();
    // One pattern has a lone bracket, as regular expressions of JavaScript may.
    serde_json::from_str(&text.replace("{2}]?$\"", "{2}\\\\]?$\"")).unwrap()
}

fn sarif(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_lw"))
        .args(["divergence", "--format", "sarif"])
        .args(args)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_schema_holds() {
    let schema = jsonschema::validator_for(&schema()).expect("a schema");
    let errors = |log: &Value| -> Vec<String> {
        let shown = |e: jsonschema::ValidationError<'_>| format!("{} at {}", e, e.instance_path());
        schema.iter_errors(log).map(shown).collect()
    };
    let programs: [&[&str]; 4] = [
        &["examples/tiles.cu", "--block", "16,16"],
        &["examples/walk.c", "-f", "all_walks", "--loop", "23"],
        &["tests/divergence/calls.cu"],
        &["tests/divergence/nvptx_temporal.ll"],
    ];
    let mut results = 0;
    for args in programs {
        let log = sarif(args);
        assert_eq!(errors(&log), Vec::<String>::new(), "{args:?}");
        results += log["runs"][0]["results"].as_array().map_or(0, Vec::len);
    }
    assert!(results > 10, "{results} results");
    // The schema is not one that holds of anything.
    let mut log = sarif(programs[0]);
    log["runs"][0]["results"][0]["level"] = "bad".into();
    assert_eq!(errors(&log).len(), 1);
    log["runs"][0]["colour"] = 1.into();
    assert!(errors(&log).len() > 1);
}
