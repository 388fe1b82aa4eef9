//! The command line of rustc, as far as it matters here.

use std::ffi::{OsStr, OsString};

/// The crate whose attributes mark functions, as crates that depend on it call it.
const ATTRIBUTES: &str = "laneweaver";

/// Our name among the passes of `-C remark=…`.
const REMARKS: &str = "laneweaver";

/// What a command line asks for.
#[derive(Debug, Default)]
pub(super) struct Invocation {
    /// All of it.
    pub(super) arguments: Vec<OsString>,
    /// Without what we do in place of rustc.
    passed: Vec<OsString>,
    marked: bool,
    /// `0` to `3`, `s` or `z`.
    pub(super) level: String,
    /// Whether it only asks for something to be printed, or makes a macro.
    other: bool,
    links: Option<bool>,
    debug_information: bool,
    /// Whether remarks about marked loops are to be printed.
    pub(super) remarks: bool,
    /// Options of the plug-in, which are given as those of LLVM.
    pub(super) ours: Vec<String>,
    /// The linker that the user named.
    pub(super) linker: Option<OsString>,
    /// Whether the user wants bitcode, which is linked and optimized later.
    pub(super) bitcode: bool,
    /// Whether the user wants rustc, or the linker, to optimize all crates together.
    pub(super) lto: bool,
    /// `-o`
    pub(super) output: Option<OsString>,
    pub(super) out_dir: Option<OsString>,
}

impl Invocation {
    pub(super) fn read(arguments: &[OsString]) -> Invocation {
        let mut it = Invocation {
            arguments: arguments.to_vec(),
            level: "0".into(),
            ..Invocation::default()
        };
        let mut at = 0;
        while at < arguments.len() {
            let (option, value, words) = split(&arguments[at..]);
            if !it.take(option.as_deref().unwrap_or_default(), &value) {
                it.passed.extend_from_slice(&arguments[at..at + words]);
            }
            at += words;
        }
        it
    }

    /// Notes what an option says; whether rustc must not see it.
    fn take(&mut self, option: &str, value: &OsStr) -> bool {
        let text = value.to_string_lossy();
        match option {
            "-C" | "--codegen" => return self.take_codegen(&text, value),
            "-O" => self.level = "3".into(),
            "-g" => self.debug_information = true,
            "-o" => self.output = Some(value.into()),
            "--out-dir" => self.out_dir = Some(value.into()),
            "--extern" => {
                let named = text.split('=').next().unwrap_or_default();
                self.marked |= named.rsplit(':').next() == Some(ATTRIBUTES);
            }
            "--emit" => {
                let link = text.split(',').any(|kind| kind.split('=').next() == Some("link"));
                self.links = Some(link || self.links == Some(true));
            }
            "--crate-type" => self.other |= text.split(',').any(|kind| kind == "proc-macro"),
            "--print" | "-V" | "-vV" | "--version" | "--explain" | "-h" | "--help" => {
                self.other = true;
            }
            _ => {}
        }
        false
    }

    fn take_codegen(&mut self, text: &str, value: &OsStr) -> bool {
        let (name, set) = text.split_once('=').unwrap_or((text, ""));
        match name {
            "opt-level" => self.level = set.into(),
            "debuginfo" => self.debug_information = !matches!(set, "0" | "none"),
            "linker-plugin-lto" => self.bitcode = !matches!(set, "no" | "off" | "n" | "false"),
            "llvm-args" => {
                let is_ours = |word: &str| word.starts_with("-laneweaver-");
                if set.split_whitespace().all(is_ours) {
                    self.ours.extend(set.split_whitespace().map(str::to_owned));
                    return true;
                }
            }
            "lto" => self.lto = !matches!(set, "no" | "off" | "n" | "false"),
            // There is one unit, and it is compiled here.
            "incremental" | "codegen-units" => return true,
            "linker" => {
                self.linker = value.to_str().and_then(|v| v.split_once('=')).map(|v| v.1.into());
                return true;
            }
            "remark" => {
                self.remarks |= set.split_whitespace().any(|pass| pass == REMARKS || pass == "all");
                return set == REMARKS;
            }
            _ => {}
        }
        false
    }

    /// Whether there may be marked loops in an object that is made.
    pub(super) fn is_ours(&self) -> bool {
        self.marked && self.level != "0" && !self.other && self.links != Some(false)
    }

    /// The arguments that make rustc write bitcode for us.
    pub(super) fn for_rustc(&self, linker: &std::path::Path) -> Vec<OsString> {
        let mut all = self.passed.clone();
        let mut add = |option: &str| all.extend(["-C".into(), option.into()]);
        add("linker-plugin-lto");
        add("no-prepopulate-passes");
        add("codegen-units=1");
        if self.remarks && !self.debug_information {
            add("debuginfo=line-tables-only");
        }
        let mut named = OsString::from("linker=");
        named.push(linker);
        all.extend(["-C".into(), named]);
        all
    }
}

/// An option, its value, and how many words they are.
fn split(words: &[OsString]) -> (Option<String>, OsString, usize) {
    const WITH_VALUE: [&str; 8] =
        ["-C", "--codegen", "-o", "--out-dir", "--extern", "--emit", "--crate-type", "--print"];
    let Some(first) = words[0].to_str().filter(|word| word.starts_with('-')) else {
        return (None, OsString::new(), 1);
    };
    if WITH_VALUE.contains(&first) {
        let value = words.get(1).cloned().unwrap_or_default();
        return (Some(first.into()), value, words.len().min(2));
    }
    let joined = |option: &str| {
        let rest = first.strip_prefix(option)?;
        let rest = if option.starts_with("--") { rest.strip_prefix('=')? } else { rest };
        Some((Some(option.to_string()), OsString::from(rest), 1))
    };
    WITH_VALUE
        .iter()
        .find_map(|option| joined(option))
        .unwrap_or_else(|| (Some(first.into()), OsString::new(), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Invocation {
        Invocation::read(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn only_optimized_crates_that_are_marked_and_linked_are_ours() {
        let marked = "--crate-name x src/lib.rs --extern laneweaver=/a/libb.so";
        assert!(read(&format!("{marked} -C opt-level=3")).is_ours());
        assert!(read(&format!("{marked} -Copt-level=s --emit=dep-info,metadata,link")).is_ours());
        assert!(read("-O x.rs --extern priv,noprelude:laneweaver=/a/libb.so").is_ours());
        assert!(!read(marked).is_ours());
        assert!(!read(&format!("{marked} -O --emit=dep-info,metadata")).is_ours());
        assert!(!read(&format!("{marked} -O --crate-type proc-macro")).is_ours());
        assert!(!read(&format!("{marked} -O --print=file-names")).is_ours());
        assert!(!read("-O x.rs --extern other=/a/laneweaver.so").is_ours());
    }

    #[test]
    fn what_is_done_here_is_not_done_by_rustc() {
        let it = read(
            "-C linker=/my/cc -Cincremental=/i -O --codegen remark=laneweaver -C debuginfo=0 -o out x.rs",
        );
        let passed = it.for_rustc(std::path::Path::new("/l"));
        let passed: Vec<_> = passed.iter().map(|word| word.to_str().unwrap()).collect();
        let wanted = "-O -C debuginfo=0 -o out x.rs -C linker-plugin-lto -C no-prepopulate-passes \
                      -C codegen-units=1 -C debuginfo=line-tables-only -C linker=/l";
        assert_eq!(passed.join(" "), wanted);
        assert_eq!(it.linker, Some("/my/cc".into()));
        assert_eq!(it.output, Some("out".into()));
        assert!(it.remarks && !it.bitcode);
    }
}
