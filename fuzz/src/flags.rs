//! The command line of a fuzz target.

use std::path::PathBuf;

/// What a run is asked to do.
#[derive(Clone, Debug)]
pub struct Flags {
    /// How many seeds.
    pub runs: u64,
    /// Or for how long.
    pub minutes: Option<u64>,
    /// The first seed.
    pub seed: u64,
    /// Only this seed.
    pub replay: Option<u64>,
    /// With `replay`: not what belongs to the seed but what is in this file.
    pub module: Option<PathBuf>,
    /// What a child process runs.
    pub chunk: Option<(u64, u64)>,
    /// The seed that a child process does not check, to see whether others end with it.
    pub as_it_is: Option<u64>,
    /// Whether a failure is only named.
    pub brief: bool,
}

impl Flags {
    /// Reads them.
    ///
    /// # Errors
    /// A message with all there are.
    pub fn read(
        words: impl Iterator<Item = String>,
        name: &str,
        runs: u64,
    ) -> Result<Flags, String> {
        let help = format!(
            "Usage: {name} [--runs N | --minutes M] [--seed S] [--replay SEED] [--brief]\n\n  \
             --runs N       stop after N seeds (default {runs})\n  \
             --minutes M    stop after M minutes\n  \
             --seed S       begin with this seed (default 0)\n  \
             --replay SEED  only this one; prints and shrinks it\n  \
             --brief        name a failure, do not shrink it"
        );
        let mut flags = Flags {
            runs,
            minutes: None,
            seed: 0,
            replay: None,
            module: None,
            chunk: None,
            as_it_is: None,
            brief: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            if word == "--brief" {
                flags.brief = true;
                continue;
            }
            let value = words.next().ok_or_else(|| help.clone())?;
            let number =
                || value.parse::<u64>().map_err(|_| format!("{word} {value}: no number\n{help}"));
            match word.as_str() {
                "--runs" => flags.runs = number()?,
                "--minutes" => flags.minutes = Some(number()?),
                "--seed" => flags.seed = number()?,
                "--replay" => flags.replay = Some(number()?),
                "--as-it-is" => flags.as_it_is = Some(number()?),
                "--module" => flags.module = Some(value.into()),
                "--chunk" => {
                    let count = words.next().and_then(|count| count.parse().ok());
                    flags.chunk = Some((number()?, count.ok_or_else(|| help.clone())?));
                }
                _ => return Err(help),
            }
        }
        Ok(flags)
    }
}
