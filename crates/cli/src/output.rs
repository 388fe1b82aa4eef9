//! Writing: standard output that may be closed, and files that are whole or not there.

use crate::Done;
use std::path::Path;

/// Prints text to standard output.
pub(crate) fn show(text: &str) -> Done {
    Ok(lw_report::write(None, |out| out.write_all(text.as_bytes()))?)
}

/// Writes a file under a temporary name and renames it, so that nobody sees half of it. Devices and pipes are written to.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Done {
    Ok(lw_report::write(Some(path), |out| out.write_all(bytes))?)
}
