//! Objects in place of the bitcode in an archive.

use super::compile::{Work, is_bitcode, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Compiles the members of an archive that are bitcode. The archive is replaced as a whole.
pub(super) fn compile_members(work: &Work, archive: &Path) -> Result<(), String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let archive = archive.canonicalize().map_err(|error| failed(archive, error))?;
    let folder = work.fresh("");
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
    run(Command::new("llvm-ar-22").arg("x").arg(&archive).current_dir(&folder))?;
    let mut members = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| failed(&folder, error))? {
        let member = entry.map_err(|error| failed(&folder, error))?.path();
        if is_bitcode(&member) {
            let object = work.compile(&member)?;
            fs::rename(&object, &member).map_err(|error| failed(&member, error))?;
            members.push(member);
        }
    }
    if members.is_empty() {
        return Ok(());
    }
    members.sort();
    let new = archive.with_extension(format!("lw-{}", std::process::id()));
    fs::copy(&archive, &new).map_err(|error| failed(&new, error))?;
    let replaced = run(Command::new("llvm-ar-22").arg("rs").arg(&new).args(&members));
    let done =
        replaced.and_then(|_| fs::rename(&new, &archive).map_err(|error| failed(&archive, error)));
    if done.is_err() {
        // The error says what went wrong; this would only hide it.
        let _ = fs::remove_file(&new);
    }
    done
}
