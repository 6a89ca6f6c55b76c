//! Prints the output of the benchmark to the standard streams.

use std::io::{ErrorKind, Write};

use onze_benches::error::Error;

/// Prints to the standard output. A closed pipe, as in `bench | head -1`, is not an error.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::File { path: "the standard output".to_owned(), reason: error.to_string() })
        }
        _ => Ok(()),
    }
}

/// Prints a line to the standard error stream, unless that is closed.
pub(crate) fn print_error(line: &str) {
    // Ignore the result, because a failure cannot be reported anywhere else.
    let _ = writeln!(std::io::stderr(), "{line}");
}
