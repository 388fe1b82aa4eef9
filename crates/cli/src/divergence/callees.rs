//! The functions that chains of causes go into. They are read when the first chain does.

use crate::subject::{Listings, Subject};
use crate::units::Unit;
use lw_ir::Function;
use lw_report::Report;
use std::cell::RefCell;
use std::rc::Rc;

/// The functions of a module that are called, and the report to which their listings go.
pub(super) struct Callees<'u> {
    all: &'u [Unit],
    state: RefCell<State<'u>>,
}

struct State<'u> {
    report: Report,
    listings: Listings,
    subjects: Vec<Rc<Subject<'u>>>,
}

impl<'u> Callees<'u> {
    pub(super) fn new(all: &'u [Unit], report: Report) -> Callees<'u> {
        let state = State { report, listings: Listings::new(), subjects: Vec::new() };
        Callees { all, state: RefCell::new(state) }
    }

    /// A function that is looked at itself.
    pub(super) fn chosen(&self, unit: &'u Unit) -> Subject<'u> {
        let State { report, listings, .. } = &mut *self.state.borrow_mut();
        Subject::new(unit, listings.places(unit, report))
    }

    /// A function that is called.
    pub(super) fn subject(&self, function: &'u Function) -> Option<Rc<Subject<'u>>> {
        let State { report, listings, subjects } = &mut *self.state.borrow_mut();
        let known = subjects.iter().find(|subject| std::ptr::eq(subject.function, function));
        if let Some(known) = known {
            return Some(known.clone());
        }
        let unit = self.all.iter().find(|unit| std::ptr::eq(&raw const unit.function, function))?;
        let subject = Rc::new(Subject::new(unit, listings.places(unit, report)));
        subjects.push(subject.clone());
        Some(subject)
    }

    pub(super) fn into_report(self) -> Report {
        self.state.into_inner().report
    }
}
