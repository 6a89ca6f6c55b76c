//! Counting instructions with valgrind's callgrind. The counts repeat from run to run, even on a busy machine.
//!
//! A program that counts starts itself under valgrind, with arguments for one measurement. Only instructions
//! within [`counted_work`] are counted.

use std::ffi::OsStr;
use std::process::Command;

use crate::error::Error;

/// Runs the current program under callgrind, and returns the number of instructions within [`counted_work`].
///
/// # Errors
/// Returns an error if valgrind is missing, the program fails, or it counts nothing.
pub fn count<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<f64, Error> {
    // Above this size, glibc maps memory directly, so growing a vector does not copy it. Otherwise the number
    // of copies would depend on the other contents of the heap.
    const LARGE_BLOCKS: &str = "glibc.malloc.mmap_threshold=16384";
    let program = std::env::current_exe().map_err(|error| Error::NotCounted(error.to_string()))?;
    let output = Command::new("valgrind")
        .env("GLIBC_TUNABLES", LARGE_BLOCKS)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted_work*"])
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|error| {
            Error::NotCounted(format!("valgrind does not run ({error}): install the package valgrind"))
        })?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected =
        said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<f64>().ok());
    match collected {
        Some(collected) if output.status.success() && collected > 0.0 => Ok(collected),
        _ => Err(Error::NotCounted(said.into_owned())),
    }
}

/// Does some work, and counts its instructions if the program runs under [`count`]. Callgrind finds this
/// function by its name, so it must not be inlined.
///
/// # Errors
/// Returns the error of the work.
#[inline(never)]
pub fn counted_work<E>(work: &mut dyn FnMut() -> Result<(), E>) -> Result<(), E> {
    work()
}
