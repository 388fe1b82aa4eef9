//! The executions printed in 001 (and 002), as tests named after their figures.
//!
//! The pictures are missing from the text; the graphs are rebuilt from captions, tables and the sentences around them.

mod common;
mod divergence;
mod lock_step;
mod rules;
mod schedules;
