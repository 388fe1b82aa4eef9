//! How a command fails: a message and an exit code.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command ends without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The answer is no; what was printed says why.
    No,
    /// The request cannot be carried out.
    Cannot(String),
    /// This machine lacks what it takes.
    Missing(String),
    /// Nobody reads what we print any more.
    Closed,
}

impl Failure {
    pub(crate) fn cannot(message: impl Display) -> Failure {
        Failure::Cannot(message.to_string())
    }

    pub(crate) fn report(self) -> ExitCode {
        match self {
            Failure::No => ExitCode::from(1),
            Failure::Closed => ExitCode::SUCCESS,
            Failure::Cannot(message) => {
                eprintln!("lw: {message}");
                ExitCode::from(2)
            }
            Failure::Missing(message) => {
                eprintln!("lw: {message}");
                ExitCode::from(3)
            }
        }
    }
}

impl From<lw_llvm::Error> for Failure {
    fn from(error: lw_llvm::Error) -> Self {
        Failure::cannot(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::cannot(error),
        }
    }
}
