//! What rustc takes for its linker: compiles bitcode, then calls the linker.

use super::code;
use super::compile::{Work, is_bitcode};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Links as the arguments say; the exit status of the linker.
///
/// # Errors
/// What of ours went wrong, in words.
pub fn link(arguments: impl IntoIterator<Item = OsString>) -> Result<u8, String> {
    let (work, linker) = Work::resume()?;
    let mut all = Vec::new();
    for argument in arguments {
        match argument.as_bytes().strip_prefix(b"@") {
            Some(list) => all.push(response(&work, Path::new(OsStr::from_bytes(list)))?),
            None => all.extend(linked(&work, argument)?),
        }
    }
    let status = Command::new(&linker).args(all).status();
    Ok(code(status.map_err(|error| format!("{}: {error}", linker.display()))?))
}

/// What the linker gets in place of an argument.
fn linked(work: &Work, argument: OsString) -> Result<Option<OsString>, String> {
    if is_bitcode(Path::new(&argument)) {
        return Ok(Some(work.compile(Path::new(&argument))?.into()));
    }
    // The linker has nothing to optimize any more, unless other crates are bitcode.
    if work.lto {
        return Ok(Some(argument));
    }
    let text = argument.to_string_lossy();
    let of_plugin = |part: &str| part.starts_with("-plugin-opt");
    let ours = text.strip_prefix("-Wl,").unwrap_or(&text).split(',').all(of_plugin);
    Ok((!ours).then_some(argument))
}

/// A list of arguments in a file, one in each line, in which a backslash stands before what would end one.
fn response(work: &Work, list: &Path) -> Result<OsString, String> {
    let failed = |error| format!("{}: {error}", list.display());
    let text = fs::read_to_string(list).map_err(failed)?;
    let mut out = String::new();
    for line in text.lines() {
        if let Some(argument) = linked(work, unescaped(line).into())? {
            out.push_str(&escaped(&argument.to_string_lossy()));
            out.push('\n');
        }
    }
    let path = work.fresh(".arguments");
    fs::write(&path, out).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut argument = OsString::from("@");
    argument.push(path);
    Ok(argument)
}

fn unescaped(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

fn escaped(argument: &str) -> String {
    let special = |c: char| matches!(c, '\\' | ' ');
    argument.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_arguments_are_read_and_written() {
        let name = "a folder\\with/spaces.o";
        assert_eq!(escaped(name), "a\\ folder\\\\with/spaces.o");
        assert_eq!(unescaped(&escaped(name)), name);
    }
}
