//! A report as JSON, for other programs. The keys are described in `docs/analyze.md` and stay.

use crate::model::{Place, Report};
use serde_json::{Map, Value, json};

/// The version of the keys below.
const VERSION: u32 = 1;

/// The report as JSON.
pub fn json(report: &Report) -> Value {
    let mut facts: Vec<_> = report.facts.iter().collect();
    facts.sort_by_key(|fact| (fact.place, fact.level));
    let facts = facts.into_iter().map(|fact| {
        let mut object = place(report, Some(fact.place));
        object.insert("level".into(), fact.level.name().into());
        object.insert("function".into(), fact.function.clone().into());
        if !fact.kind.is_empty() {
            object.insert("kind".into(), fact.kind.into());
        }
        object.insert("subject".into(), fact.subject.clone().into());
        object.insert("text".into(), fact.text.clone().into());
        let why = fact.why.iter().map(|step| {
            let mut object = place(report, step.place);
            object.insert("text".into(), step.text.clone().into());
            Value::Object(object)
        });
        object.insert("why".into(), why.collect());
        object.insert("data".into(), Value::Object(fact.data.clone()));
        Value::Object(object)
    });
    let files = report.listings.iter().map(|l| json!({ "name": l.name, "kind": l.kind }));
    json!({
        "version": VERSION,
        "analysis": report.kind,
        "input": report.subject,
        "summary": report.counts,
        "notes": report.notes,
        "files": files.collect::<Vec<_>>(),
        "facts": facts.collect::<Vec<_>>(),
    })
}

fn place(report: &Report, place: Option<Place>) -> Map<String, Value> {
    let mut object = Map::new();
    if let Some(place) = place {
        object.insert("file".into(), report.listing(place.listing).name.clone().into());
        object.insert("line".into(), place.line.into());
        if place.column > 0 {
            object.insert("column".into(), place.column.into());
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::json;
    use crate::model::{Fact, Level, Listing, Place, Report};

    #[test]
    fn all_keys_are_there() {
        let mut report = Report::new("bounds", "x.c");
        let file = report.add(Listing::source("x.c", "a[i]\n"));
        let fact = Fact::new(Level::Wrong, Place::new(file, 1, 2), "a[i]", "is outside")
            .because("i is 9", Some(Place::new(file, 1, 0)))
            .with("size", 8);
        report.facts.push(fact);
        report.count(Level::Wrong, "out of bounds");
        let expected = serde_json::json!({
            "version": 1, "analysis": "bounds", "input": "x.c", "notes": [],
            "summary": [{ "level": "wrong", "label": "out of bounds", "count": 1 }],
            "files": [{ "name": "x.c", "kind": "source" }],
            "facts": [{
                "file": "x.c", "line": 1, "column": 2, "level": "wrong", "function": "", "subject": "a[i]",
                "text": "is outside", "why": [{ "text": "i is 9", "file": "x.c", "line": 1 }], "data": { "size": 8 },
            }],
        });
        assert_eq!(json(&report), expected);
    }
}
