//! A watch on a device's debug messages, because a test must declare the messages that it causes.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use onze::{Device, DeviceDesc, Error, ImmediateContext, InfoQueue, MessageId, Severity};

/// When dropped, compares the messages of the debug layer with the messages that the test declared.
///
/// Declarations use message identifiers instead of texts, so that tests do not repeat the message table. A
/// message is counted even if the test took it from the queue, filtered it or cleared it. Messages of
/// [`Severity::Info`] and [`Severity::Message`] are exempt, because they report no mistake.
#[derive(Debug)]
#[must_use = "a watch that is dropped at once checks nothing"]
pub struct Watch {
    info: InfoQueue,
    declared: RefCell<BTreeMap<MessageId, Declared>>,
    allows_all: Cell<bool>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Declared {
    /// The message may occur. Tests use this for random programs, and for messages that occur in only some
    /// configurations.
    Allowed,
    /// The message must occur, or the watch panics.
    Expected,
}

impl Watch {
    /// Watches the messages of a device from this call until the watch is dropped.
    pub fn new(device: &Device) -> Self {
        let info = device.info_queue().clone();
        Self { info, declared: RefCell::default(), allows_all: Cell::new(false) }
    }

    /// Declares messages that the test causes on purpose and that must each occur on this device.
    pub fn expect(&self, ids: &[MessageId]) {
        self.declared.borrow_mut().extend(ids.iter().map(|&id| (id, Declared::Expected)));
    }

    /// Declares messages that may occur, for example only in some configurations or random programs.
    pub fn allow(&self, ids: &[MessageId]) {
        let mut declared = self.declared.borrow_mut();
        for &id in ids {
            declared.entry(id).or_insert(Declared::Allowed);
        }
    }

    /// Declares every message, for tests with random commands and tests that compare the messages themselves.
    pub fn allow_all(&self) {
        self.allows_all.set(true);
    }

    /// Describes each difference between the declared and the reported messages.
    fn differences(&self) -> Vec<String> {
        let declared = self.declared.borrow();
        let last_texts = self.info.messages();
        let difference = |&id: &MessageId| {
            let count = self.info.count(id);
            match declared.get(&id) {
                Some(Declared::Expected) if count == 0 => {
                    Some(format!("{id:?} was expected but not reported"))
                }
                None if count > 0 && id.severity() <= Severity::Warning => {
                    let text = last_texts.iter().rev().find(|message| message.id == id);
                    let text = text.map_or("the test took the text", |message| message.description.as_str());
                    Some(format!("{id:?} was reported {count} times but not declared: {text}"))
                }
                _ => None,
            }
        };
        MessageId::ALL.iter().filter_map(difference).collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking() || self.allows_all.get() {
            return;
        }
        let differences = self.differences();
        assert!(differences.is_empty(), "messages of the debug layer:\n{}", differences.join("\n"));
    }
}

/// Creates a device whose messages must be declared. Bind the watch before the device, so that the device is
/// dropped first and the watch sees the messages of the device's destruction.
///
/// # Errors
/// Returns the error of [`onze::create_device`] if the device cannot be created.
pub fn watched_device(desc: &DeviceDesc) -> Result<(Watch, Device, ImmediateContext), Error> {
    let (device, immediate) = onze::create_device(desc)?;
    // The output is muted, because many tests cause messages on purpose and read them from the queue.
    device.info_queue().set_mute_debug_output(true);
    Ok((Watch::new(&device), device, immediate))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        panic::{AssertUnwindSafe, catch_unwind},
        path::{Path, PathBuf},
    };

    use super::*;
    use crate::Config;

    /// Returns the panic message of a watch after `declare` ran and, if `warns` is set, one warning was
    /// reported.
    fn panic_of(declare: impl FnOnce(&Watch), warns: bool) -> Option<String> {
        let (watch, device, mut immediate) = watched_device(&Config::NULL.desc()).unwrap();
        declare(&watch);
        if warns {
            immediate.end_event();
            // Messages that were taken from the queue are counted as well.
            assert_eq!(device.info_queue().take().len(), 1);
        }
        drop((device, immediate));
        let panic = catch_unwind(AssertUnwindSafe(|| drop(watch))).err()?;
        Some(*panic.downcast::<String>().unwrap())
    }

    #[test]
    fn a_watch_panics_at_undeclared_and_missing_messages() {
        let id = MessageId::EndEventWithoutBegin;
        let undeclared = panic_of(|_| (), true).unwrap();
        assert!(undeclared.contains("EndEventWithoutBegin was reported 1 times"), "{undeclared}");
        let missing = panic_of(|watch| watch.expect(&[id]), false).unwrap();
        assert!(missing.contains("EndEventWithoutBegin was expected"), "{missing}");
        let weakened = panic_of(
            |watch| {
                watch.expect(&[id]);
                watch.allow(&[id]);
            },
            false,
        );
        assert!(weakened.is_some(), "allowing an expected message does not make it optional");
        let other = panic_of(|watch| watch.allow(&[MessageId::DeviceRemoved]), true);
        assert!(other.is_some(), "a declaration is for one identifier");
        for declare in [|watch: &Watch| watch.expect(&[MessageId::EndEventWithoutBegin]), Watch::allow_all] {
            assert_eq!(panic_of(declare, true), None);
        }
        assert_eq!(panic_of(|watch| watch.allow(&[id]), false), None);
        assert_eq!(panic_of(|_| (), false), None);
    }

    #[test]
    fn a_watch_ignores_information() {
        let (watch, device, immediate) = watched_device(&Config::NULL.desc()).unwrap();
        device.info_queue().add_application_message(Severity::Info, "hello");
        drop((device, immediate, watch));
    }

    /// Returns all Rust files of a folder and its subfolders.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
        nested.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
    }

    #[test]
    fn tests_create_all_devices_with_a_watch() {
        for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")) {
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in (1..).zip(text.lines()) {
                let creates = line.contains("create_device(") || line.contains("create_device_async(");
                assert!(!creates, "{}:{number}: use `watched_device`", path.display());
                let takes_apart = line.contains("Harness { ") && line.contains("= ");
                let keeps = line.contains("watch");
                assert!(!takes_apart || keeps, "{}:{number}: keep the harness's `watch`", path.display());
            }
        }
    }
}
