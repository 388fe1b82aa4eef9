//! Running commands: echoed, with errors that name the command and say what to do.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Why a task stopped, and the exit status that says so.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl Failure {
    /// A step did not do what it should: exit status 1.
    pub(crate) fn step(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 1 }
    }

    /// A tool, a package or a file is missing: exit status 2.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 2 }
    }

    /// The command line is wrong: exit status 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 2 }
    }
}

/// What a task returns.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// Adds what was being done to an I/O error.
pub(crate) trait During<T> {
    fn during(self, what: impl std::fmt::Display) -> Result<T>;
}

impl<T> During<T> for std::io::Result<T> {
    fn during(self, what: impl std::fmt::Display) -> Result<T> {
        self.map_err(|error| Failure::step(format!("{what}: {error}")))
    }
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            words.push(format!("{}={}", name.to_string_lossy(), quoted(value)));
        }
    }
    words.push(quoted(command.get_program()));
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Echoes the command and runs it on our own terminal.
pub(crate) fn echo(command: &mut Command) -> Result {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| not_started(command, &error))?;
    succeeded(command, status, "")
}

/// Echoes the command, runs it and hands each line of its output to `seen` after printing it.
pub(crate) fn echo_lines(command: &mut Command, mut seen: impl FnMut(&str)) -> Result {
    println!("$ {}", shown(command));
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.during(shown(command))?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            seen(&line);
        }
    }
    let status = child.wait().during(shown(command))?;
    succeeded(command, status, "")
}

/// Runs the command without a word and returns its standard output. What it said goes into the error.
pub(crate) fn quiet(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))?;
    succeeded(command, output.status, &String::from_utf8_lossy(&output.stderr))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the command for at most `limit`. Its output must go to files: nothing reads a pipe meanwhile.
pub(crate) fn limited(command: &mut Command, limit: Duration) -> Result<ExitStatus> {
    let mut child =
        command.stdin(Stdio::null()).spawn().map_err(|error| not_started(command, &error))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().during(shown(command))? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            // It may end by itself right now; either way it is gone afterwards.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::step(format!(
                "`{}` still ran after {} s",
                shown(command),
                limit.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn succeeded(command: &Command, status: ExitStatus, said: &str) -> Result {
    if status.success() {
        return Ok(());
    }
    let mut message = format!("`{}` failed ({status})", shown(command));
    let lines: Vec<_> = said.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(40)..];
    for line in last {
        message.push_str("\n  ");
        message.push_str(line);
    }
    Err(Failure::step(message))
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    match error.kind() {
        ErrorKind::NotFound => {
            Failure::missing(format!("`{program}` was not found; `cargo xtask setup` installs it"))
        }
        _ => Failure::missing(format!("`{program}` could not be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::{limited, quiet, shown};

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("cargo");
        command.args(["doc", "a b", "it's"]).env("RUSTDOCFLAGS", "-Dwarnings");
        assert_eq!(shown(&command), r"RUSTDOCFLAGS=-Dwarnings cargo doc 'a b' 'it'\''s'");
    }

    #[test]
    fn a_missing_tool_is_status_2_and_a_failing_one_status_1() {
        let missing = quiet(&mut Command::new("laneweaver-no-such-tool")).unwrap_err();
        assert_eq!(missing.code, 2);
        assert!(missing.message.contains("cargo xtask setup"));
        let failing = quiet(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        assert_eq!(failing.code, 1);
        assert!(failing.message.contains("why"));
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        let failure =
            limited(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap_err();
        assert!(failure.message.contains("still ran"));
    }
}
