//! Where messages are logged: `tracing`, or the standard error output where nobody listens to it.

use std::io::Write as _;

use tracing::subscriber::NoSubscriber;

use super::{Message, Severity};

/// Logs a message through `tracing`. Without a subscriber it goes to the standard error output, so that a new program
/// is told of its mistakes before it has any logging.
pub(super) fn log(message: &Message) {
    // A subscriber that filters the message out has decided about it.
    if has_subscriber() {
        trace(message);
    } else if is_printed(message.severity) {
        // Output that is closed is no reason to panic, as `eprintln` would.
        let _ = writeln!(std::io::stderr().lock(), "onze: {message}");
    }
}

/// Whether events of this thread go anywhere.
fn has_subscriber() -> bool {
    tracing::dispatcher::has_been_set()
        && tracing::dispatcher::get_default(|dispatch| !dispatch.is::<NoSubscriber>())
}

/// The standard error output gets what is probably a mistake. What has only something to say would be noise there.
const fn is_printed(severity: Severity) -> bool {
    matches!(severity, Severity::Corruption | Severity::Error | Severity::Warning)
}

fn trace(message: &Message) {
    let Message { id, category, description, .. } = message;
    match message.severity {
        Severity::Corruption | Severity::Error => {
            tracing::error!(target: "onze::debug", ?id, ?category, "{description}");
        }
        Severity::Warning => tracing::warn!(target: "onze::debug", ?id, ?category, "{description}"),
        Severity::Info | Severity::Message => {
            tracing::info!(target: "onze::debug", ?id, ?category, "{description}");
        }
    }
}
