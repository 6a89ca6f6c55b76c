//! A display for the tests that open a window.
//!
//! On Linux without `DISPLAY`, an X server without a screen (Xvfb) runs during the tests, but otherwise the
//! tests use the system's own display.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::command::{self, is_on_path};
use crate::error::Error;
use crate::packages::{has_library, install};

/// The libraries that winit 0.30 opens at run time for an X11 window, with their Debian packages. They must
/// be installed explicitly, because winit does not link to them and so no package dependency installs them.
const WINDOW_LIBRARIES: &[(&str, &str)] = &[
    ("libX11.so.6", "libx11-6"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libXcursor.so.1", "libxcursor1"),
    ("libXi.so.6", "libxi6"),
    ("libxcb.so.1", "libxcb1"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
];

const XVFB_PACKAGE: &str = "xvfb";

const XVFB_TIMEOUT: Duration = Duration::from_secs(30);

/// Number of checks whether a server has ended, before the server is killed.
const XVFB_END_CHECKS: u32 = 100;

/// Time between two of these checks.
const XVFB_END_INTERVAL: Duration = Duration::from_millis(20);

fn has_x_display(display: Option<&OsStr>) -> bool {
    display.is_some_and(|display| !display.is_empty())
}

pub(crate) fn ensure_window_libraries() -> Result<(), Error> {
    if !cfg!(target_os = "linux") || !has_x_display(env::var_os("DISPLAY").as_deref()) {
        return Ok(());
    }
    match missing_packages(has_library, true)[..] {
        [] => Ok(()),
        ref packages => install("a library for windows is missing", packages),
    }
}

/// Ensures that there is a display, and returns the server if one was started.
pub(crate) fn ensure_display() -> Result<Option<Xvfb>, Error> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let has_display = has_x_display(env::var_os("DISPLAY").as_deref());
    let packages = missing_packages(has_library, has_display || is_on_path("Xvfb"));
    if !packages.is_empty() {
        install("a program or library for the window tests is missing", &packages)?;
    }
    if has_display { Ok(None) } else { Xvfb::start().map(Some) }
}

fn missing_packages(has_library: impl Fn(&str) -> bool, has_server: bool) -> Vec<&'static str> {
    let libraries = WINDOW_LIBRARIES.iter().filter(|(library, _)| !has_library(library));
    let packages = libraries.map(|(_, package)| *package);
    packages.chain((!has_server).then_some(XVFB_PACKAGE)).collect()
}

/// An X server without a screen, which ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Xvfb {
    server: Child,
    pub(crate) display: String,
}

impl Xvfb {
    /// Starts a server and waits until it is ready, with a display number of its choice.
    fn start() -> Result<Self, Error> {
        let mut command = Command::new("Xvfb");
        // The server writes its display number to an inherited descriptor, which is its standard output here.
        // Without `-noreset` it would restart each time the last window closes, and reject new windows during
        // the restart.
        command.args(["-displayfd", "1", "-noreset", "-nolisten", "tcp"]);
        command.args(["-screen", "0", "1920x1080x24"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let server = command.spawn().map_err(|source| Error::Start { command: "Xvfb".to_owned(), source })?;
        // From here on, all return paths end the server.
        let mut xvfb = Self { server, display: String::new() };
        let number = first_line(xvfb.server.stdout.take());
        let log = whole_text(xvfb.server.stderr.take());
        match number.recv_timeout(XVFB_TIMEOUT).as_deref().map(display_of) {
            Ok(Some(display)) => {
                println!("set-up: started Xvfb as display {display}");
                xvfb.display = display;
                Ok(xvfb)
            }
            _ => {
                drop(xvfb);
                let log = log.recv_timeout(XVFB_TIMEOUT).unwrap_or_default();
                let detail = match log.trim() {
                    "" => String::new(),
                    log => format!("; its output was: {log}"),
                };
                Err(Error::Xvfb { seconds: XVFB_TIMEOUT.as_secs(), detail })
            }
        }
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        // A server that is asked to end removes its socket and lock file, but a killed server does not. This
        // uses `kill`, because every system's shell has that command.
        let ask = format!("kill {}", self.server.id());
        if command::succeeds(Command::new("sh").args(["-c", &ask])) {
            for _ in 0..XVFB_END_CHECKS {
                if matches!(self.server.try_wait(), Ok(Some(_))) {
                    return;
                }
                thread::sleep(XVFB_END_INTERVAL);
            }
        }
        // Both calls fail only if the server has already ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn display_of(line: &str) -> Option<String> {
    line.trim().parse::<u32>().ok().map(|number| format!(":{number}"))
}

/// Reads the first line on a thread, so that the caller can stop waiting for it.
fn first_line(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stream) = stream {
        thread::spawn(move || {
            let mut line = String::new();
            if BufReader::new(stream).read_line(&mut line).is_ok() {
                // If the caller has stopped waiting, the receiver no longer exists.
                let _ = sender.send(line);
            }
        });
    }
    receiver
}

/// Reads a stream to its end on a thread, so that its writer never blocks.
fn whole_text(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stream) = stream {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // Text that was read before an error is still worth showing.
            let _ = stream.read_to_end(&mut bytes);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_packages_are_installed() {
        assert_eq!(missing_packages(|_| true, true), [""; 0]);
        assert_eq!(missing_packages(|_| true, false), ["xvfb"]);
        assert_eq!(missing_packages(|library| library != "libXi.so.6", true), ["libxi6"]);
        let all: Vec<_> = WINDOW_LIBRARIES.iter().map(|(_, package)| *package).collect();
        assert_eq!(missing_packages(|_| false, true), all);
    }

    #[test]
    fn an_empty_display_variable_is_ignored() {
        assert!(has_x_display(Some(OsStr::new(":0"))));
        assert!(!has_x_display(Some(OsStr::new(""))));
        assert!(!has_x_display(None));
    }

    #[test]
    fn the_display_has_the_number_from_the_servers_output() {
        assert_eq!(display_of("99\n").as_deref(), Some(":99"));
        assert_eq!(display_of(""), None);
        assert_eq!(display_of("error\n"), None);
    }

    #[test]
    fn streams_are_read_on_threads() {
        assert_eq!(first_line(Some(&b"7\nrest"[..])).recv().unwrap(), "7\n");
        assert_eq!(whole_text(Some(&b"one\ntwo"[..])).recv().unwrap(), "one\ntwo");
        assert!(first_line(None::<&[u8]>).recv().is_err());
    }

    #[test]
    fn a_server_ends_when_its_value_is_dropped() {
        // The test step has installed Xvfb on Linux, and other systems have nothing to test here.
        if !cfg!(target_os = "linux") || !is_on_path("Xvfb") {
            println!("skipped, because Xvfb is not installed");
            return;
        }
        let first = Xvfb::start().unwrap();
        let second = Xvfb::start().unwrap();
        assert_ne!(first.display, second.display, "each server has its own display");
        let process = format!("/proc/{}", first.server.id());
        assert!(std::path::Path::new(&process).exists());
        drop(first);
        assert!(!std::path::Path::new(&process).exists());
    }
}
