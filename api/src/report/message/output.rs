//! Where messages are logged: `tracing`, or the standard error output where nobody listens to it; in a browser its
//! console.

use tracing::subscriber::NoSubscriber;

use super::{Message, Severity};

/// Logs a message through `tracing`. Without a subscriber it goes to the standard error output, in a browser to the
/// console, so that a new program is told of its mistakes before it has any logging.
pub(super) fn log(message: &Message) {
    // A subscriber that filters the message out has decided about it.
    if has_subscriber() {
        trace(message);
    } else if is_printed(message.severity) {
        print(message);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn print(message: &Message) {
    use std::io::Write as _;
    // Output that is closed is no reason to panic, as `eprintln` would.
    let _ = writeln!(std::io::stderr().lock(), "onze: {message}");
}

#[cfg(target_arch = "wasm32")]
fn print(message: &Message) {
    let text = format!("onze: {message}").into();
    match message.severity {
        Severity::Corruption | Severity::Error => web_sys::console::error_1(&text),
        Severity::Warning | Severity::Info | Severity::Message => web_sys::console::warn_1(&text),
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
