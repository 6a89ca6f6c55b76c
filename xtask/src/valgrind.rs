//! valgrind, which counts instructions, because times are too noisy for comparisons.

use crate::{command, error::Error, packages};

/// Installs valgrind if it is missing and there are reference counts for the platform.
pub(crate) fn ensure_valgrind() -> Result<(), Error> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) && !command::is_on_path("valgrind") {
        packages::install("valgrind is not installed", &["valgrind"])?;
    }
    Ok(())
}
