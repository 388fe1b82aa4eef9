//! What `lw cc` says a kernel has, in the columns of 001 Fig. 13.1, and what it did with it, by its remarks.

use serde_json::{Value, json};
use std::fmt::Write;

/// Counts of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Statistics {
    kernel: String,
    /// How many iterations are done at a time; none if the loop was left as it was.
    width: Option<u32>,
    /// What was counted, and how often, in the order of the remark; with several loops, together.
    counts: Vec<(String, u32)>,
}

/// What was there.
const COLUMNS: [&str; 14] = [
    "uniform branches",
    "divergent branches",
    "uniform loops",
    "divergent loops",
    "uniform exits",
    "divergent exits",
    "loads without a mask",
    "loads with a uniform mask",
    "loads with a mask",
    "stores without a mask",
    "stores with a uniform mask",
    "stores with a mask",
    "uniform stack objects",
    "varying stack objects",
];

/// What was done, for one and for many, and what it is called here.
const NAMES: [[&str; 3]; 7] = [
    ["branch around code of no lane", "branches around code of no lane", "BOSCC gadgets"],
    ["uniform access", "uniform accesses", "uniform accesses"],
    ["contiguous access", "contiguous accesses", "contiguous accesses"],
    ["access of a field", "accesses of fields", "accesses of fields"],
    ["gather or scatter", "gathers or scatters", "gathers and scatters"],
    ["call of a vector function", "calls of vector functions", "vector calls"],
    ["instruction per lane", "instructions per lane", "instructions per lane"],
];

impl Statistics {
    /// Reads the remarks about a kernel.
    pub(crate) fn read(kernel: String, remarks: &[String]) -> Statistics {
        let mut statistics = Statistics { kernel, width: None, counts: Vec::new() };
        let mut lines: Vec<(&str, bool)> = Vec::new();
        for remark in remarks {
            let all = remark.split_once(": statistics of ");
            let done = remark.split_once(": vectorized loop, ");
            let Some((line, said)) = all.or(done) else { continue };
            // A function that is also inlined where it is called is vectorized in both places.
            if lines.contains(&(line, all.is_some())) {
                continue;
            }
            lines.push((line, all.is_some()));
            let Some((how, parts)) = said.split_once(": ") else { continue };
            statistics.width = how.split(' ').next().and_then(|width| width.parse().ok());
            for part in parts.split(", ") {
                let Some((count, words)) = part.split_once(' ') else { continue };
                let Ok(count) = count.parse() else { continue };
                statistics.add(words, count, all.is_some());
            }
        }
        statistics
    }

    /// Adds what was there, or else what was done. What became of branches and loops is already said by what was there.
    fn add(&mut self, words: &str, count: u32, was_there: bool) {
        let known = NAMES.iter().find(|[one, many, _]| words == *one || words == *many);
        let said = ["branch", "divergent loop"].iter().any(|start| words.starts_with(start));
        let name = match known {
            Some([_, _, name]) => name,
            None if said && !was_there => return,
            None => words,
        };
        match self.counts.iter_mut().find(|(counted, _)| counted == name) {
            Some((_, sum)) => *sum += count,
            None => self.counts.push((name.to_string(), count)),
        }
    }

    fn count(&self, name: &str) -> u32 {
        self.counts.iter().find(|(counted, _)| counted == name).map_or(0, |&(_, count)| count)
    }

    /// All of it.
    pub(crate) fn json(&self) -> Value {
        let counts: serde_json::Map<String, Value> =
            self.counts.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
        json!({ "kernel": self.kernel, "width": self.width, "counts": counts })
    }
}

/// A line for each kernel, a column for everything that remarks count.
pub(crate) fn table(all: &[Statistics]) -> String {
    let done = NAMES.iter().map(|[_, _, name]| *name);
    let mut names: Vec<&str> = COLUMNS.iter().copied().chain(done).collect();
    for (name, _) in all.iter().flat_map(|statistics| &statistics.counts) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    // Words of a heading stand below each other.
    let rows = names.iter().map(|name| name.split(' ').count()).max().unwrap_or(1);
    let widths: Vec<usize> = names
        .iter()
        .map(|name| name.split(' ').map(str::len).max().unwrap_or(0).max(4) + 2)
        .collect();
    let mut text = String::new();
    for line in 0..rows {
        let _ = write!(text, "{:<22}{:>7}", "", if line + 1 == rows { "width" } else { "" });
        for (name, width) in names.iter().zip(&widths) {
            let words: Vec<&str> = name.split(' ').collect();
            let above = rows - words.len();
            let word = line.checked_sub(above).map_or("", |at| words[at]);
            let _ = write!(text, "{word:>width$}");
        }
        text.push('\n');
    }
    for statistics in all {
        let width = statistics.width.map_or("scalar".to_string(), |width| width.to_string());
        let _ = write!(text, "{:<22}{width:>7}", statistics.kernel);
        for (name, width) in names.iter().zip(&widths) {
            match statistics.count(name) {
                0 => _ = write!(text, "{:>width$}", ""),
                count => _ = write!(text, "{count:>width$}"),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Statistics, table};

    #[test]
    fn counts_of_all_loops_are_added_those_of_copies_are_not() {
        let remarks = [
            "line 3: vectorized loop, 16 iterations at a time: 2 divergent loops, 1 branch became a mask, 2 branches stayed".to_string(),
            "line 3: statistics of 16 lanes: 2 uniform branches, 1 divergent branches, 2 divergent loops".to_string(),
            "line 9: vectorized loop, 16 iterations at a time: 3 branches became masks, 5 new things".to_string(),
            "line 9: statistics of 16 lanes: 3 divergent branches".to_string(),
            "line 9: vectorized loop, 16 iterations at a time: 4 branches became masks".to_string(),
            "line 9: statistics of 16 lanes: 4 divergent branches".to_string(),
            "line 9: loop not vectorized: 7 branches stayed".to_string(),
        ];
        let statistics = Statistics::read("k".into(), &remarks);
        assert_eq!(statistics.width, Some(16));
        assert_eq!(statistics.count("divergent branches"), 4);
        assert_eq!(statistics.count("uniform branches"), 2);
        assert_eq!(statistics.count("divergent loops"), 2);
        let text = table(&[statistics, Statistics::read("left".into(), &[])]);
        assert!(text.contains("new") && text.contains("things"), "{text}");
        assert!(
            text.lines().last().is_some_and(|line| line.ends_with(' ') && line.contains("scalar"))
        );
    }
}
