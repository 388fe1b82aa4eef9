//! `lw cfa`: the command of `lw-cfa`.

use crate::Done;
use crate::failure::Failure;

pub(crate) use lw_cfa::command::Args;

pub(crate) fn main(args: Args) -> Done {
    Ok(lw_cfa::command::run(&args)?.write()?)
}

impl From<lw_cfa::command::Failure> for Failure {
    fn from(failure: lw_cfa::command::Failure) -> Self {
        match failure {
            lw_cfa::command::Failure::Cannot(message) => Failure::Cannot(message),
            lw_cfa::command::Failure::Missing(message) => Failure::Missing(message),
        }
    }
}
