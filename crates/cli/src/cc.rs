//! `lw cc` and `lw c++`: clang with the plug-in.

use crate::Done;
use crate::failure::Failure;
use lw_driver::{Language, become_clang};
use std::ffi::OsString;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Arguments of clang
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes clang, or says why it cannot.
pub(crate) fn main(args: Args, language: Language) -> Done {
    Err(Failure::cannot(become_clang(language, args.arguments)))
}
