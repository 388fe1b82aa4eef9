//! Files that say from what another file was made, so that it is made again only when that changed.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{self, During, Result};

/// What an output is made from: a command and the contents of its inputs.
pub(super) struct Key(String);

impl Key {
    /// `version` names the tool that runs: an update of it makes everything stale.
    pub(super) fn new(version: &str, command: &Command, inputs: &[PathBuf]) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        version.hash(&mut hasher);
        run::shown(command).hash(&mut hasher);
        for input in inputs {
            std::fs::read(input).during(input.display())?.hash(&mut hasher);
        }
        Ok(Key(format!("{:016x}\n", hasher.finish())))
    }

    /// Whether `output` exists and was made from this.
    pub(super) fn fits(&self, output: &Path) -> bool {
        output.is_file() && std::fs::read_to_string(stamp(output)).is_ok_and(|text| text == self.0)
    }

    /// Makes `output` by `make` unless it fits. A failure half-way leaves no stamp. Says whether it was made.
    pub(super) fn make(&self, output: &Path, make: impl FnOnce() -> Result) -> Result<bool> {
        if self.fits(output) {
            return Ok(false);
        }
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).during(folder.display())?;
        }
        // Absent is as good as removed.
        let _ = std::fs::remove_file(stamp(output));
        make()?;
        std::fs::write(stamp(output), &self.0).during(output.display())?;
        Ok(true)
    }
}

fn stamp(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".stamp");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::Key;

    #[test]
    fn made_once_until_an_input_changes() -> Result<(), String> {
        let folder = std::env::temp_dir().join(format!("lw-stamp-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (input, output) = (folder.join("in"), folder.join("out"));
        let build = |text: &str| -> Result<bool, String> {
            std::fs::write(&input, text).map_err(|error| error.to_string())?;
            let key = Key::new("1", &Command::new("copy"), std::slice::from_ref(&input))
                .map_err(|failure| failure.message)?;
            let copy = || {
                std::fs::copy(&input, &output)
                    .map(drop)
                    .map_err(|error| crate::run::Failure::step(error.to_string()))
            };
            key.make(&output, copy).map_err(|failure| failure.message)
        };
        assert!(build("one")?);
        assert!(!build("one")?);
        assert!(build("two")?);
        std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
    }
}
