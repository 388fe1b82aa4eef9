//! A report in the Static Analysis Results Interchange Format, version 2.1.0, for editors and code hosts.
//!
//! Facts with a [`kind`](Fact::kind) that is among the rules become results; the others are left out. The chain of reasons is a
//! code flow, from the cause to what it leads to.

use crate::model::{Fact, Level, Listing, ListingKind, Place, Report};
use serde_json::{Map, Value, json};

/// A kind of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The kind of the facts that it is about.
    pub id: &'static str,
    /// What such a result says, in one sentence.
    pub short: &'static str,
    /// Why it matters and what to do.
    pub help: &'static str,
    /// How bad it is.
    pub severity: Severity,
}

/// How bad a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Wrong.
    Error,
    /// Worth a look.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report in SARIF.
pub fn sarif(report: &Report, rules: &[Rule]) -> Value {
    let mut facts: Vec<&Fact> = report.facts.iter().collect();
    facts.sort_by_key(|fact| (fact.place, fact.level));
    let results = facts.into_iter().filter_map(|fact| {
        let index = rules.iter().position(|rule| rule.id == fact.kind)?;
        Some(result(report, fact, index, &rules[index]))
    });
    let results: Vec<Value> = results.collect();
    let notes: Vec<Value> = report
        .notes
        .iter()
        .map(|note| json!({ "level": "note", "message": { "text": note } }))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lw",
                "fullName": format!("Laneweaver: {}", report.kind),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "artifacts": report.listings.iter().map(artifact).collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.short },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": rule.severity.name() },
    })
}

fn artifact(listing: &Listing) -> Value {
    let mut object = json!({ "location": { "uri": uri(&listing.name) } });
    // What is no file is in the results itself.
    if listing.kind == ListingKind::Ir {
        object["contents"] = json!({ "text": listing.lines.join("\n") });
    }
    object
}

/// A path as a reference: what such references may not contain is written as numbers.
fn uri(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut out = String::from(if absolute { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte.into());
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn result(report: &Report, fact: &Fact, index: usize, rule: &Rule) -> Value {
    let level = match fact.level {
        Level::Wrong => Severity::Error,
        _ => rule.severity,
    };
    let subject =
        if fact.subject.is_empty() { String::new() } else { format!("{} ", fact.subject) };
    let mut place = location(report, fact.place);
    if !fact.function.is_empty() {
        let function = json!([{ "name": fact.function, "kind": "function" }]);
        place.insert("logicalLocations".into(), function);
    }
    let mut object = json!({
        "ruleId": rule.id,
        "ruleIndex": index,
        "level": level.name(),
        "message": { "text": format!("{subject}{}", fact.text) },
        "locations": [place],
    });
    let mut steps: Vec<Value> = fact
        .why
        .iter()
        .rev()
        .map(|step| {
            let place = step.place.unwrap_or(fact.place);
            let mut place = location(report, place);
            place.insert("message".into(), json!({ "text": step.text }));
            json!({ "location": place })
        })
        .collect();
    if !steps.is_empty() {
        let mut last = location(report, fact.place);
        last.insert("message".into(), json!({ "text": format!("{subject}{}", fact.text) }));
        steps.push(json!({ "location": last }));
        object["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    if !fact.data.is_empty() {
        object["properties"] = Value::Object(fact.data.clone());
    }
    object
}

fn location(report: &Report, place: Place) -> Map<String, Value> {
    let listing = report.listing(place.listing);
    let mut physical = json!({
        "artifactLocation": { "uri": uri(&listing.name), "index": place.listing.index() },
    });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
        let before = (place.column as usize).checked_sub(1);
        if let Some(before) = before {
            // Compilers count bytes.
            let letters = listing.line(place.line).get(..before).map(|text| text.chars().count());
            physical["region"]["startColumn"] = json!(letters.unwrap_or(before) + 1);
        }
    }
    let mut object = Map::new();
    object.insert("physicalLocation".into(), physical);
    object
}

#[cfg(test)]
mod tests {
    use super::{Rule, Severity, sarif, uri};
    use crate::model::{Fact, Level, Listing, Place, Report};
    use serde_json::{Value, json};

    const RULES: &[Rule] = &[
        Rule { id: "other", short: "Other.", help: "-", severity: Severity::Error },
        Rule { id: "part", short: "Threads part.", help: "Look.", severity: Severity::Warning },
    ];

    fn report() -> Report {
        let mut report = Report::new("divergence", "k.cu");
        let file = report.add(Listing::source("a dir/k.cu", "é = x;\nif (x)\n"));
        let ir = report.add(Listing::ir("@f", "func @f() {"));
        let fact = Fact::new(Level::Open, Place::new(file, 2, 5), "x", "differs")
            .kind("part")
            .because("x is a parameter", Some(Place::new(file, 1, 6)))
            .with("depth", 2);
        report.facts.push(fact);
        report.facts.push(Fact::new(Level::Fact, Place::new(ir, 1, 0), "y", "is uniform"));
        report.notes.push("nothing is known of the launch".into());
        report
    }

    #[test]
    fn facts_with_a_rule_become_results() {
        let value = sarif(&report(), RULES);
        let run = &value["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 1);
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], "part");
        assert_eq!(result["ruleIndex"], 1);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"], json!({ "uri": "a%20dir/k.cu", "index": 0 }));
        assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 5 }));
        let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        // The é has two bytes and is one letter.
        let first = &steps[0]["location"]["physicalLocation"]["region"];
        assert_eq!(*first, json!({ "startLine": 1, "startColumn": 5 }));
        assert_eq!(steps.as_array().unwrap().len(), 2);
        assert_eq!(run["artifacts"][1]["contents"]["text"], "func @f() {");
    }

    /// The rules of the schema for the objects that are written: which properties there may be, and which there must.
    const OBJECTS: &[(&str, &[&str], &[&str])] = &[
        ("log", &["version", "runs"], &["$schema", "inlineExternalProperties", "properties"]),
        ("run", &["tool"], &["columnKind", "artifacts", "invocations", "results", "properties"]),
        ("tool", &["driver"], &["extensions", "properties"]),
        ("toolComponent", &["name"], &["fullName", "version", "rules", "informationUri"]),
        (
            "reportingDescriptor",
            &["id"],
            &["shortDescription", "fullDescription", "help", "defaultConfiguration"],
        ),
        ("reportingConfiguration", &[], &["level", "enabled", "rank"]),
        ("message", &["text"], &["markdown", "id", "arguments"]),
        ("artifact", &[], &["location", "contents", "mimeType"]),
        ("artifactContent", &["text"], &["binary", "rendered"]),
        ("artifactLocation", &["uri"], &["index", "uriBaseId"]),
        ("invocation", &["executionSuccessful"], &["toolExecutionNotifications"]),
        ("notification", &["message"], &["level", "locations"]),
        (
            "result",
            &["message"],
            &["ruleId", "ruleIndex", "level", "locations", "codeFlows", "properties"],
        ),
        ("location", &[], &["physicalLocation", "logicalLocations", "message", "id"]),
        ("physicalLocation", &["artifactLocation"], &["region", "contextRegion"]),
        ("region", &["startLine"], &["startColumn", "endLine", "endColumn"]),
        ("logicalLocation", &["name"], &["kind", "fullyQualifiedName"]),
        ("codeFlow", &["threadFlows"], &["message"]),
        ("threadFlow", &["locations"], &["message", "id"]),
        ("threadFlowLocation", &["location"], &["importance"]),
    ];

    /// What a property of an object holds.
    const PROPERTIES: &[(&str, &str, &str)] = &[
        ("log", "runs", "run"),
        ("run", "tool", "tool"),
        ("tool", "driver", "toolComponent"),
        ("toolComponent", "rules", "reportingDescriptor"),
        ("reportingDescriptor", "shortDescription", "message"),
        ("reportingDescriptor", "help", "message"),
        ("reportingDescriptor", "defaultConfiguration", "reportingConfiguration"),
        ("run", "artifacts", "artifact"),
        ("artifact", "location", "artifactLocation"),
        ("artifact", "contents", "artifactContent"),
        ("run", "invocations", "invocation"),
        ("invocation", "toolExecutionNotifications", "notification"),
        ("notification", "message", "message"),
        ("run", "results", "result"),
        ("result", "message", "message"),
        ("result", "locations", "location"),
        ("result", "codeFlows", "codeFlow"),
        ("codeFlow", "threadFlows", "threadFlow"),
        ("threadFlow", "locations", "threadFlowLocation"),
        ("threadFlowLocation", "location", "location"),
        ("location", "physicalLocation", "physicalLocation"),
        ("location", "logicalLocations", "logicalLocation"),
        ("location", "message", "message"),
        ("physicalLocation", "artifactLocation", "artifactLocation"),
        ("physicalLocation", "region", "region"),
    ];

    fn check(kind: &str, value: &Value) {
        let object = value.as_object().unwrap_or_else(|| panic!("{kind}: {value}"));
        let (_, required, allowed) = OBJECTS.iter().find(|(name, ..)| *name == kind).unwrap();
        for key in *required {
            assert!(object.contains_key(*key), "{kind} without {key}: {value}");
        }
        for (key, value) in object {
            let known = required.contains(&key.as_str()) || allowed.contains(&key.as_str());
            assert!(known, "{kind} has no {key}");
            match key.as_str() {
                "level" => {
                    assert!(["none", "note", "warning", "error"].contains(&value.as_str().unwrap()))
                }
                "startLine" | "startColumn" => assert!(value.as_u64().unwrap() >= 1),
                "columnKind" => assert!(
                    ["utf16CodeUnits", "unicodeCodePoints"].contains(&value.as_str().unwrap())
                ),
                "uri" => {
                    assert!(!value.as_str().unwrap().contains([' ', '<', '>', '\\', '^', '`']))
                }
                _ => {}
            }
            if let Some((.., inner)) = PROPERTIES.iter().find(|(k, p, _)| *k == kind && p == key) {
                match value {
                    Value::Array(all) => all.iter().for_each(|value| check(inner, value)),
                    one => check(inner, one),
                }
            }
        }
    }

    #[test]
    fn the_rules_of_the_schema_hold() {
        let value = sarif(&report(), RULES);
        assert_eq!(value["version"], "2.1.0");
        check("log", &value);
    }

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("/a b/é.c"), "file:///a%20b/%C3%A9.c");
    }
}
