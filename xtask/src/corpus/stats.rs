//! What `lw roundtrip --stats=json` reports, and what it must report.

use serde_json::Value;

use crate::run::{Failure, Result};

/// At most this share of the instructions may stay opaque.
const OPAQUE: f64 = 0.001;

/// What must be the same before and after.
const KEPT: &[&str] = &["instructions", "calls", "debug_locations", "debug_records"];

/// The report on one module.
pub(super) struct Stats {
    pub(super) functions: u64,
    pub(super) instructions: u64,
    pub(super) opaque: u64,
    /// The rules it breaks, in words.
    pub(super) broken: Vec<String>,
}

impl Stats {
    pub(super) fn read(json: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(json).map_err(|error| {
            Failure::step(format!("`lw roundtrip --stats=json` printed no JSON: {error}"))
        })?;
        let number = |key: &str| {
            value[key].as_u64().ok_or_else(|| {
                Failure::step(format!("`lw roundtrip --stats=json` gives no number `{key}`"))
            })
        };
        let stats = Stats {
            functions: number("functions")?,
            instructions: number("instructions_before")?,
            opaque: number("opaque_total")?,
            broken: Vec::new(),
        };
        let mut broken = Vec::new();
        let rebuilt = number("functions_rebuilt")?;
        if rebuilt < stats.functions {
            broken.push(format!("{rebuilt} of {} functions rebuilt", stats.functions));
        }
        for what in KEPT {
            let (before, after) =
                (number(&format!("{what}_before"))?, number(&format!("{what}_after"))?);
            if before != after {
                broken.push(format!("{before} {} became {after}", what.replace('_', " ")));
            }
        }
        if stats.opaque_share() > OPAQUE {
            broken.push(format!(
                "{} of {} instructions opaque: {}",
                stats.opaque, stats.instructions, value["opaque"]
            ));
        }
        let explained = value["differences"].as_array().is_some_and(|list| !list.is_empty());
        if value["text_equal"] != Value::Bool(true) && !explained {
            broken.push("the text differs and no difference is listed".to_owned());
        }
        Ok(Stats { broken, ..stats })
    }

    pub(super) fn opaque_share(&self) -> f64 {
        self.opaque as f64 / self.instructions.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Stats;

    const GOOD: &str = r#"{"functions": 2, "functions_rebuilt": 2, "instructions_before": 5000, "instructions_after": 5000,
        "calls_before": 7, "calls_after": 7, "debug_locations_before": 0, "debug_locations_after": 0,
        "debug_records_before": 1, "debug_records_after": 1, "opaque": {"va_arg": 5}, "opaque_total": 5,
        "text_equal": true, "differences": []}"#;

    fn broken(from: &str, to: &str) -> usize {
        Stats::read(&GOOD.replace(from, to)).map_or(usize::MAX, |stats| stats.broken.len())
    }

    #[test]
    fn each_rule_is_checked() {
        assert_eq!(broken("", ""), 0);
        assert_eq!(broken(r#"rebuilt": 2"#, r#"rebuilt": 1"#), 1);
        assert_eq!(broken(r#"calls_after": 7"#, r#"calls_after": 6"#), 1);
        assert_eq!(broken(r#"records_after": 1"#, r#"records_after": 0"#), 1);
        assert_eq!(broken(r#"opaque_total": 5"#, r#"opaque_total": 6"#), 1);
        assert_eq!(broken("true", "false"), 1);
        assert_eq!(
            broken(r#"true, "differences": []"#, r#"false, "differences": ["order of uses"]"#),
            0
        );
        assert!(Stats::read("{}").is_err());
        assert!(Stats::read("not JSON").is_err());
    }
}
