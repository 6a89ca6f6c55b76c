//! valgrind, which counts instructions where time is too noisy to compare.

use crate::{command, error::Error, packages};

/// Installs valgrind where it is missing and the figures to compare with are known.
pub(crate) fn ensure_valgrind() -> Result<(), Error> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) && !command::is_on_path("valgrind") {
        packages::install("valgrind is not installed", &["valgrind"])?;
    }
    Ok(())
}
