//! What all ways to show a report share: which lines appear, and the facts of each.

use crate::model::{Count, Fact, Level, Listing, ListingId, Report};

/// Lines without facts that may lie between two shown ranges before they count as one.
const GAP: u32 = 2;

/// A run of lines that is shown without interruption.
pub(crate) struct Hunk<'r> {
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// What is in it.
    pub(crate) names: Vec<&'r str>,
}

/// The facts of each line of a listing, and which further lines its reader needs.
pub(crate) struct Lines<'r> {
    /// Sorted by line, column and level.
    facts: Vec<&'r Fact>,
    /// Lines that reasons mention.
    mentioned: Vec<u32>,
}

impl<'r> Lines<'r> {
    /// The facts of all listings, by listing.
    pub(crate) fn of(report: &'r Report) -> Vec<Lines<'r>> {
        let mut all: Vec<Lines<'r>> =
            report.listings.iter().map(|_| Lines { facts: vec![], mentioned: vec![] }).collect();
        for fact in &report.facts {
            all[fact.place.listing.index()].facts.push(fact);
            for place in fact.why.iter().filter_map(|step| step.place) {
                all[place.listing.index()].mentioned.push(place.line);
            }
        }
        for lines in &mut all {
            lines.facts.sort_by_key(|fact| (fact.place.line, fact.place.column, fact.level));
            lines.mentioned.sort_unstable();
            lines.mentioned.dedup();
        }
        all
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.mentioned.is_empty()
    }

    /// Whether a reason speaks of a line.
    pub(crate) fn mentions(&self, line: u32) -> bool {
        self.mentioned.binary_search(&line).is_ok()
    }

    /// The facts of a line.
    pub(crate) fn at(&self, line: u32) -> &[&'r Fact] {
        let start = self.facts.partition_point(|fact| fact.place.line < line);
        let end = self.facts.partition_point(|fact| fact.place.line <= line);
        &self.facts[start..end]
    }

    /// The runs of lines of a listing that are shown, in order.
    pub(crate) fn hunks(&self, listing: &'r Listing) -> Vec<Hunk<'r>> {
        let named = listing.shown.iter().map(|(first, last, name)| (*first, *last, name.as_str()));
        let single = self.facts.iter().map(|fact| fact.place.line);
        let single = single.chain(self.mentioned.iter().copied()).map(|line| (line, line, ""));
        let mut ranges: Vec<(u32, u32, &str)> = named.chain(single).collect();
        ranges.sort();
        let mut hunks: Vec<Hunk<'r>> = Vec::new();
        for (first, last, name) in ranges {
            match hunks.last_mut() {
                Some(hunk) if first <= hunk.last + 1 + GAP => hunk.last = hunk.last.max(last),
                _ => hunks.push(Hunk { first, last, names: Vec::new() }),
            }
            if let Some(hunk) = hunks.last_mut()
                && !name.is_empty()
            {
                hunk.names.push(name);
            }
        }
        hunks
    }
}

/// The listings that have something to show, with their facts.
pub(crate) fn shown(report: &Report) -> Vec<(ListingId, &Listing, Lines<'_>)> {
    let with_lines = Lines::of(report).into_iter().zip(&report.listings).enumerate();
    with_lines
        .map(|(index, (lines, listing))| (ListingId(index as u32), listing, lines))
        .filter(|(_, listing, lines)| !lines.is_empty() || !listing.shown.is_empty())
        .collect()
}

/// `12 accesses: 1 out of bounds, 11 proved`, bad news first; mere facts as `constants: 3`.
pub(crate) fn summary(report: &Report) -> String {
    let (facts, verdicts): (Vec<&Count>, _) =
        sorted_counts(report).into_iter().partition(|count| count.level == Level::Fact);
    let mut parts: Vec<String> =
        verdicts.iter().map(|c: &&Count| format!("{} {}", c.count, c.label)).collect();
    if let (Some(first), Some([one, many])) = (parts.first_mut(), report.things) {
        let total: u64 = verdicts.iter().map(|count| count.count).sum();
        *first = format!("{total} {}: {first}", if total == 1 { one } else { many });
    }
    parts.extend(facts.iter().map(|c| format!("{}: {}", c.label, c.count)));
    if parts.is_empty() { "nothing found".into() } else { parts.join(", ") }
}

/// The counts, bad news first.
pub(crate) fn sorted_counts(report: &Report) -> Vec<&Count> {
    let mut counts: Vec<&Count> = report.counts.iter().collect();
    counts.sort_by_key(|count| count.level);
    counts
}
