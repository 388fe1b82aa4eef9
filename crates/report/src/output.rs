//! Writing: standard output, and files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes to a file, or to standard output if there is none.
///
/// A file is written under a temporary name and renamed, so that nobody sees half of it; devices and pipes are written to.
/// Errors name the file.
pub fn write(
    path: Option<&Path>,
    with: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match path {
        None => write_into(io::stdout().lock(), with),
        Some(path) => write_file(path, with)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

fn write_into(
    target: impl Write,
    with: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, target);
    with(&mut out)?;
    out.flush()
}

fn write_file(path: &Path, with: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return write_into(File::create(path)?, with);
    }
    let name = path.file_name().ok_or(io::Error::other("this is not the name of a file"))?;
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = File::create(&temporary).and_then(|file| write_into(file, with));
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the files in a folder of its own.
    fn names(dir: &Path) -> Vec<String> {
        let all = fs::read_dir(dir).unwrap();
        all.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let dir = std::env::temp_dir().join(format!("lw-report-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("out.json");
        let half = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        };
        let error = write(Some(&path), half).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: no more", path.display()));
        assert_eq!(names(&dir), [""; 0], "nothing is left behind");
        write(Some(&path), |out| out.write_all(b"whole")).unwrap();
        write(Some(&path), half).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"whole", "the old file is kept");
        assert_eq!(names(&dir), ["out.json"]);
        fs::remove_dir_all(&dir).unwrap();
        let error = write(Some(&dir.join("x")), half).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
