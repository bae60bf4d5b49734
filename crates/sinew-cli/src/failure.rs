//! Why a command stopped, and the exit code that says so to a script.

use std::path::PathBuf;

use sinew_asset::{AssetError, RuntimeFileError};

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line asks for something that cannot be: exit code 1.
    #[error("{0}")]
    Usage(String),
    /// The file system said no: exit code 2.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// `read`, `write`.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not what it should be: exit code 3, or 5 where it needs a feature that is not read.
    #[error("{file}: {source}")]
    Asset {
        /// The file.
        file: String,
        /// What is wrong.
        source: AssetError,
    },
    /// A runtime file is not what it should be: exit code 3, or 5 where it is of another version.
    #[error("{file}: {source}")]
    Runtime {
        /// The file.
        file: String,
        /// What is wrong.
        source: RuntimeFileError,
    },
    /// The input is sound as a file, but what was asked of it cannot be done: exit code 3.
    #[error("{file}: {message}")]
    Input {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A mistake of sinew's own: exit code 4.
    #[error("internal error: {0}")]
    Internal(String),
    /// Findings, differences or broken promises over the limit: exit code 7. Already reported.
    #[error("{0}")]
    Over(String),
}

impl Failure {
    /// The exit code, as listed by `sinew --help`.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 1,
            Self::Io { .. } => 2,
            Self::Asset { source, .. } if source.is_unsupported() => 5,
            Self::Asset { source, .. } if source.is_io() => 2,
            Self::Runtime { source: RuntimeFileError::File(error), .. } if error.is_io() => 2,
            Self::Runtime {
                source: RuntimeFileError::Version { .. } | RuntimeFileError::Required { .. },
                ..
            } => 5,
            Self::Asset { .. } | Self::Runtime { .. } | Self::Input { .. } => 3,
            Self::Internal(_) => 4,
            Self::Over(_) => 7,
        }
    }

    pub(crate) fn input(file: impl Into<String>, message: impl ToString) -> Self {
        Self::Input { file: file.into(), message: message.to_string() }
    }

    pub(crate) fn write(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { doing: "write", path: path.into(), source }
    }
}
