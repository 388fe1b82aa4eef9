//! What can go wrong at the boundary.

use std::fmt;
use std::path::PathBuf;

/// Why LLVM or the boundary to it refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The input is not LLVM IR.
    Parse {
        /// The file or buffer.
        name: String,
        /// The line, if the input is text.
        line: Option<(u32, u32)>,
        /// What LLVM says.
        message: String,
    },
    /// LLVM's verifier found the module broken.
    Broken(String),
    /// There is no function of this name with a body.
    NoFunction {
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// The IR cannot be emitted as it is.
    Emit {
        /// The function.
        function: String,
        /// What stands in the way.
        reason: String,
    },
    /// The origins belong to another module, or to a body that has been replaced since.
    StaleOrigins,
    /// LLVM refused a pass pipeline, target, object or JIT request.
    Llvm(String),
}

/// The result of a call into LLVM.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Parse { name, line: Some((line, column)), message } => {
                write!(f, "{name}:{line}:{column}: {message}")
            }
            Error::Parse { name, line: None, message } => write!(f, "{name}: {message}"),
            Error::Broken(message) => write!(f, "LLVM's verifier: {}", message.trim_end()),
            Error::NoFunction { name, available } => {
                write!(f, "there is no function `{name}` with a body")?;
                match &available[..] {
                    [] => write!(f, "; the module has none"),
                    list if list.len() <= 20 => write!(f, "; there are: {}", list.join(", ")),
                    list => {
                        write!(
                            f,
                            "; there are {}, among them: {}",
                            list.len(),
                            list[..20].join(", ")
                        )
                    }
                }
            }
            Error::Emit { function, reason } => write!(f, "{function} cannot be emitted: {reason}"),
            Error::StaleOrigins => {
                write!(
                    f,
                    "the function was imported from another module, or its body was replaced since"
                )
            }
            Error::Llvm(message) => write!(f, "LLVM: {message}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
