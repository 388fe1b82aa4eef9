//! Response files: `@FILE` stands for the arguments in a file, quoted as GNU tools quote them.
//!
//! Clang reads them itself. Only those that name one of our arguments are expanded here, since clang would refuse it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// No file that names itself goes on for ever.
const DEPTH: usize = 16;

/// The arguments with all files expanded of which one `is_wanted`; and all arguments there are, in files or not.
pub(crate) fn expanded(
    words: Vec<OsString>,
    is_wanted: impl Fn(&OsStr) -> bool,
) -> (Vec<OsString>, Vec<OsString>) {
    let windows = words.iter().any(|word| word == "--rsp-quoting=windows");
    let (mut passed, mut all) = (Vec::new(), Vec::new());
    for word in words {
        let inside = match windows {
            true => None,
            false => within(&word, DEPTH),
        };
        match inside {
            Some(inside) => {
                match inside.iter().any(|word| is_wanted(word)) {
                    true => passed.extend(inside.iter().cloned()),
                    false => passed.push(word),
                }
                all.extend(inside);
            }
            None => {
                passed.push(word.clone());
                all.push(word);
            }
        }
    }
    (passed, all)
}

/// The arguments in a file, if a word names one. Files in it are looked for where the compiler was started, as clang does.
fn within(word: &OsStr, depth: usize) -> Option<Vec<OsString>> {
    let name = word.as_bytes().strip_prefix(b"@").filter(|_| depth > 0)?;
    let text = std::fs::read(OsStr::from_bytes(name)).ok()?;
    // Clang reads UTF-16 too.
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return None;
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let inside = tokens(text).into_iter();
    Some(inside.flat_map(|word| within(&word, depth - 1).unwrap_or_else(|| vec![word])).collect())
}

/// Words between white space. A backslash takes the next character as it is, inside of quotes too.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                let next = bytes.next().unwrap_or(b'\\');
                word.get_or_insert_default().push(next);
            }
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(byte),
            b'"' | b'\'' => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            b' ' | b'\t' | b'\r' | b'\n' | 0 => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_by_gnu_tools() {
        let text = b"-O2 \"a b\"\\ c 'd\"e' \"f\\\"g\"\n\t-DX='1 2'h \"\" \\\\";
        let words = ["-O2", "a b c", "d\"e", "f\"g", "-DX=1 2h", "", "\\"];
        assert_eq!(tokens(text), words);
    }

    #[test]
    fn files_without_our_arguments_stay_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(folder.path().join("plain"), "-c x.c").unwrap();
        std::fs::write(folder.path().join("outer"), format!("-g @{}", path("inner"))).unwrap();
        std::fs::write(folder.path().join("inner"), "--force -O2").unwrap();
        let own = folder.path().join("itself");
        std::fs::write(&own, format!("-O1 @{}", own.display())).unwrap();
        let file = |name: &str| format!("@{}", path(name));
        let words = [file("plain"), file("outer"), file("itself"), "@nowhere".into()];
        let (passed, all) =
            expanded(words.iter().map(OsString::from).collect(), |word| word == "--force");
        let wanted = [&*file("plain"), "-g", "--force", "-O2", &file("itself"), "@nowhere"];
        assert_eq!(passed, wanted);
        assert!(all.starts_with(&["-c".into(), "x.c".into(), "-g".into()]), "{all:?}");
    }
}
