//! Output to the standard streams, without a panic if a stream is closed.

use std::io::{ErrorKind, Write};

use crate::error::DemoError;

/// Prints to the standard output, where a closed pipe, as in `demo | head -1`, is not an error.
pub(crate) fn print(text: &str) -> Result<(), DemoError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(DemoError::Print(error.to_string())),
        _ => Ok(()),
    }
}

/// Prints a line to the standard error stream, unless that is closed.
pub(crate) fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
