//! The texts facts refer to: source files where there is debug information, else the function in the text of the IR.

use crate::units::Unit;
use cranelift_entity::SecondaryMap;
use lw_ir::Inst;
use lw_llvm::Location;
use lw_report::{Listing, ListingId, Place, Report};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The source files that were met.
pub(crate) struct Listings {
    files: HashMap<Arc<Path>, ListingId>,
    here: PathBuf,
}

/// Where a function begins, and where its instructions stand.
pub(crate) type Places = (Place, SecondaryMap<Inst, Option<Place>>);

impl Listings {
    pub(crate) fn new() -> Listings {
        Listings { files: HashMap::new(), here: std::env::current_dir().unwrap_or_default() }
    }

    /// Where a function begins and where its instructions stand. Its lines are marked to be shown.
    pub(crate) fn places(&mut self, unit: &Unit, report: &mut Report) -> Places {
        match &unit.source.function {
            Some(start) => self.in_source(unit, start, report),
            None => in_ir(unit, report),
        }
    }

    fn in_source(&mut self, unit: &Unit, start: &Location, report: &mut Report) -> Places {
        let first = self.place(start, report);
        let mut places = SecondaryMap::new();
        let mut last = start.line;
        for (_, inst) in unit.function.all_insts() {
            let Some(location) = &unit.source.insts[inst] else { continue };
            places[inst] = Some(self.place(location, report));
            if location.file == start.file && !location.inlined {
                last = last.max(location.line);
            }
        }
        let listing = &mut report.listings[first.listing.index()];
        // The brace that closes the function has no instruction if the function ends before it.
        last += u32::from(listing.line(last + 1).trim() == "}");
        listing.shown.push((start.line, last, unit.name()));
        (first, places)
    }

    fn place(&mut self, location: &Location, report: &mut Report) -> Place {
        let listing = match self.files.get(&location.file) {
            Some(&known) => known,
            None => {
                let path = location.file.strip_prefix(&self.here).unwrap_or(&location.file);
                let name = path.display().to_string();
                let listing = match std::fs::read(&location.file) {
                    Ok(bytes) => Listing::source(&name, &String::from_utf8_lossy(&bytes)),
                    Err(_) => Listing::missing(&name),
                };
                let id = report.add(listing);
                self.files.insert(location.file.clone(), id);
                id
            }
        };
        Place::new(listing, location.line, location.column)
    }
}

fn in_ir(unit: &Unit, report: &mut Report) -> Places {
    let text = unit.function.to_string();
    // Types and declarations come first.
    let start = text.lines().position(|line| line.starts_with("func ")).unwrap_or(0);
    let text: Vec<&str> = text.lines().skip(start).collect();
    let mut listing = Listing::ir(&unit.name(), &text.join("\n"));
    listing.shown.push((1, text.len() as u32, unit.name()));
    let listing = report.add(listing);
    let mut places = SecondaryMap::new();
    let mut line = 1;
    for &block in unit.function.blocks() {
        line += 1;
        for &inst in unit.function.insts(block) {
            line += 1;
            places[inst] = Some(Place::new(listing, line, 0));
        }
    }
    (Place::new(listing, 1, 0), places)
}
