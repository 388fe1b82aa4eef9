//! The command line of a subcommand, taken apart piece by piece: flags, options with a value, what follows `--`,
//! and then the names that are left.

use crate::run::{Failure, Result};

/// Arguments not yet taken.
pub(crate) struct Args {
    left: Vec<String>,
    /// What followed `--`, for the program that is run.
    pub(crate) after: Vec<String>,
}

impl Args {
    pub(crate) fn new(mut arguments: Vec<String>) -> Self {
        let end = arguments.iter().position(|argument| argument == "--");
        let after = end.map_or_else(Vec::new, |at| arguments.split_off(at).split_off(1));
        Args { left: arguments, after }
    }

    /// Takes `--name`; says whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.left.len();
        self.left.retain(|argument| argument != name);
        self.left.len() != before
    }

    /// Takes the first `--name VALUE` or `--name=VALUE`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let prefix = format!("{name}=");
        if let Some(at) = self.left.iter().position(|argument| argument.starts_with(&prefix)) {
            return Ok(Some(self.left.remove(at).split_off(prefix.len())));
        }
        let Some(at) = self.left.iter().position(|argument| argument == name) else {
            return Ok(None);
        };
        self.left.remove(at);
        if at == self.left.len() {
            return Err(Failure::usage(format!("`{name}` needs a value")));
        }
        Ok(Some(self.left.remove(at)))
    }

    /// Takes `--name N`, a number.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.value(name)? else {
            return Ok(None);
        };
        let number =
            text.parse().map_err(|_| Failure::usage(format!("`{name} {text}`: not a number")))?;
        Ok(Some(number))
    }

    /// The names left over. Anything that looks like an option was not understood.
    pub(crate) fn names(self) -> Result<Vec<String>> {
        match self.left.iter().find(|argument| argument.starts_with('-')) {
            Some(unknown) => Err(Failure::usage(format!("unknown option `{unknown}`; see --help"))),
            None => Ok(self.left),
        }
    }

    /// Like [`names`](Self::names), for a command that takes none.
    pub(crate) fn none(self) -> Result {
        match self.names()?.first() {
            Some(name) => Err(Failure::usage(format!("unexpected argument `{name}`; see --help"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn flags_values_names_and_the_rest() {
        let mut args = args("one --quick --seed 7 --minutes=3 two -- --quick x");
        assert!(args.flag("--quick"));
        assert!(!args.flag("--slow"));
        assert_eq!(args.number("--seed").ok(), Some(Some(7)));
        assert_eq!(args.number("--minutes").ok(), Some(Some(3)));
        assert_eq!(args.after, ["--quick", "x"]);
        assert_eq!(args.names().ok(), Some(vec!["one".to_owned(), "two".to_owned()]));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(args("--what").names().is_err());
        assert!(args("name").none().is_err());
        assert!(args("--seed").number("--seed").is_err());
        assert!(args("--seed x").number("--seed").is_err());
    }
}
