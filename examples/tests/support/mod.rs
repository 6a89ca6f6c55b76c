//! Code shared by the tests of the example programs: temporary folders, displays, and runs of the demo.

#[allow(dead_code, reason = "not every test draws")]
pub(crate) mod picture;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

#[allow(dead_code, reason = "not every test has one")]
pub(crate) struct Folder(pub(crate) PathBuf);

#[allow(dead_code, reason = "not every test has one")]
impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onze-examples-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Time limit for each wait, far longer than a busy machine needs, so a test that exceeds it is stuck.
#[allow(dead_code, reason = "not every test waits")]
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

#[allow(dead_code, reason = "not every test runs it")]
pub(crate) fn scene() -> Command {
    Command::new(env!("CARGO_BIN_EXE_multithreaded_scene"))
}

/// Whether one of the environment variables names a display, failing the test if none does although
/// `ONZE_REQUIRE_DISPLAY` is set.
#[allow(dead_code, reason = "not every system has one that is tested")]
pub(crate) fn has_display(variables: &[&str]) -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
    if variables.iter().any(is_set) {
        return true;
    }
    assert!(std::env::var_os("ONZE_REQUIRE_DISPLAY").is_none(), "there is no display: {variables:?}");
    println!("not run: there is no display");
    false
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    picture::assert_silent(command, &output);
    output
}
