//! What people look at: facts and findings at places in listings, as text, JSON, or one HTML page; graphs as pictures;
//! results for editors (SARIF); pages to look around in ([`explorer`]). [`write()`] puts any of it into files that are whole or not there.
//!
//! A [`Report`] knows nothing of programs or analyses. It has *listings* (the lines of source files, or of a program in
//! some other text), *facts* that stand at a line and a column of a listing, and counts on top. Three functions show it:
//!
//! ```
//! use lw_report::{Fact, Level, Listing, Place, Report};
//!
//! let mut report = Report::new("bounds", "sum.c");
//! let file = report.add(Listing::source("sum.c", "int a[4];\nint f(int i) { return a[i]; }\n"));
//! let fact = Fact::new(Level::Open, Place::new(file, 2, 23), "a[i]", "may be out of bounds")
//!     .because("i is a parameter, never tested", None);
//! report.facts.push(fact);
//! report.count(Level::Open, "not proved");
//!
//! assert!(lw_report::text(&report).contains("   2 | int f(int i) { return a[i]; }\n"));
//! assert!(lw_report::html(&report).starts_with("<!doctype html>"));
//! assert_eq!(lw_report::json(&report)["facts"][0]["line"], 2);
//! ```
#![forbid(unsafe_code)]

pub mod drawing;
mod escape;
pub mod explorer;
mod html;
mod json;
mod model;
mod object;
mod order;
mod output;
mod sarif;
mod text;

pub use escape::escape;
pub use html::html;
pub use json::json;
pub use model::{Count, Fact, Level, Listing, ListingId, ListingKind, Place, Report, Step};
pub use object::Object;
pub use output::write;
pub use sarif::{Rule, Severity, sarif};
pub use text::text;
