//! Installing packages with apt and components with rustup: as root, with `sudo` where that asks for no password,
//! else by telling the person what to type.

use std::process::{Command, Stdio};

use crate::run::{self, Failure, Result};

/// The apt commands that install `packages`, without `sudo`.
pub(crate) fn apt_commands(packages: &[&str]) -> Vec<Vec<String>> {
    if packages.is_empty() {
        return Vec::new();
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    // A machine that just started may still be updating itself: wait for its lock.
    let mut install = words(&[
        "apt-get",
        "-o",
        "DPkg::Lock::Timeout=120",
        "install",
        "--yes",
        "--no-install-recommends",
    ]);
    install.extend(words(packages));
    vec![words(&["apt-get", "-o", "DPkg::Lock::Timeout=120", "update"]), install]
}

/// Installs packages.
pub(crate) fn apt(packages: &[&str]) -> Result {
    let commands = apt_commands(packages);
    if commands.is_empty() {
        return Ok(());
    }
    let typed: Vec<_> = commands.iter().map(|words| words.join(" ")).collect();
    let typed = typed.join("\n  ");
    if !works(Command::new("apt-get").arg("--version")) {
        return Err(Failure::missing(format!(
            "there is no apt-get here; install what these would:\n  {typed}"
        )));
    }
    let Some(privilege) = privilege() else {
        return Err(Failure::missing(format!(
            "installing needs root, and sudo is absent or asks for a password; run these as root, then start again:\n  {typed}"
        )));
    };
    for words in commands {
        let words: Vec<_> = privilege.iter().map(|word| (*word).to_owned()).chain(words).collect();
        run::echo(Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null())).map_err(|failure| {
            Failure::missing(format!(
                "{}\nLLVM 22 is in the security suite of Debian 12 (bookworm-security, component main): \
                 is it among the sources of apt?",
                failure.message
            ))
        })?;
    }
    Ok(())
}

/// The words before `apt-get` that give it the rights it needs, if anything does.
fn privilege() -> Option<&'static [&'static str]> {
    let root = run::quiet(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0");
    if root {
        return Some(&["env", "DEBIAN_FRONTEND=noninteractive"]);
    }
    let sudo = works(Command::new("sudo").args(["-n", "true"]));
    sudo.then_some(&["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"])
}

/// Whether rustup manages the Rust toolchain.
pub(crate) fn has_rustup() -> bool {
    works(Command::new("rustup").arg("--version"))
}

/// Adds components to the Rust toolchain.
pub(crate) fn rustup(components: &[&str]) -> Result {
    if components.is_empty() {
        return Ok(());
    }
    run::echo(Command::new("rustup").args(["component", "add"]).args(components))
}

fn works(command: &mut Command) -> bool {
    run::quiet(command).is_ok()
}
