//! `lw rustc`: rustc whose marked loops are vectorized.

use crate::Done;
use crate::failure::Failure;
use std::ffi::OsString;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Arguments of rustc
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Ends as rustc does, or says why it cannot.
pub(crate) fn main(args: Args) -> Done {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    match lw_driver::rust::rustc(&rustc, args.arguments) {
        Ok(code) => std::process::exit(code.into()),
        Err(error) => Err(Failure::cannot(error)),
    }
}
