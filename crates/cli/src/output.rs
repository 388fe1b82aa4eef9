//! Writing: standard output that may be closed, and files that are whole or not there.

use crate::Done;
use crate::failure::Failure;
use std::io::Write;
use std::path::Path;

/// Prints text to standard output.
pub(crate) fn show(text: &str) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a file under a temporary name and renames it, so that nobody sees half of it. Devices and pipes are written to.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Done {
    let fail = |error: std::io::Error| Failure::cannot(format!("{}: {error}", path.display()));
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return std::fs::write(path, bytes).map_err(fail);
    }
    let name = path.file_name().ok_or_else(|| {
        Failure::cannot(format!("{}: this is not the name of a file", path.display()))
    })?;
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    std::fs::write(&temporary, bytes).map_err(fail)?;
    std::fs::rename(&temporary, path).map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        fail(error)
    })
}
