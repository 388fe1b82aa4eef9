//! What analyses must live up to, for tests and fuzz targets.
//!
//! [`executions`]: what an analysis claims of a function holds whenever the interpreter runs it. [`reference`](mod@reference): the
//! sparse solver yields what the dense one does. Each answers `Ok`, or says what is wrong and shows the program.

pub mod executions;
pub mod reference;
