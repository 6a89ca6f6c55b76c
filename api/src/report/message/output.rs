//! Logs messages through `tracing` or, without a subscriber, to standard error or a browser's console.

use tracing::subscriber::NoSubscriber;

use super::{Message, Severity};

/// Logs a message through `tracing`, or prints it without a subscriber, so that programs without a logging
/// setup also show their mistakes.
pub(super) fn log(message: &Message) {
    // A message that the subscriber filters out is not printed.
    if has_subscriber() {
        trace(message);
    } else if is_printed(message.severity) {
        print(message);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn print(message: &Message) {
    use std::io::Write as _;
    // `eprintln` would panic if standard error is closed.
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

/// Whether this thread has a subscriber.
fn has_subscriber() -> bool {
    tracing::dispatcher::has_been_set()
        && tracing::dispatcher::get_default(|dispatch| !dispatch.is::<NoSubscriber>())
}

/// Whether messages of a severity are printed without a subscriber, as only probable mistakes are.
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
