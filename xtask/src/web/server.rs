//! A server for the files in one folder, reachable only from this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Request, Response};

use crate::error::Error;

pub(super) const PORT: u16 = 8011;

pub(super) struct Server {
    http: Arc<tiny_http::Server>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves a folder on a port, or on a free port if `port` is 0.
    pub(super) fn start(folder: &Path, port: u16) -> Result<Self, Error> {
        let http = tiny_http::Server::http(("127.0.0.1", port))
            .map_err(|error| Error::Web(format!("port {port} cannot be served: {error}")))?;
        let http = Arc::new(http);
        let (requests, folder) = (http.clone(), folder.to_owned());
        let thread = thread::spawn(move || {
            for request in requests.incoming_requests() {
                answer(&folder, request);
            }
        });
        Ok(Self { http, thread: Some(thread) })
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}/", self.http.server_addr())
    }

    pub(super) fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // The thread runs until the program ends.
            drop(thread.join());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.http.unblock();
    }
}

fn answer(folder: &Path, request: Request) {
    let found = file(folder, request.url()).and_then(|path| Some((std::fs::read(&path).ok()?, kind(&path)?)));
    // If the browser has disconnected, it needs no response.
    let _ = match found {
        Some((bytes, kind)) => request.respond(Response::from_data(bytes).with_header(kind)),
        None => request.respond(Response::empty(404)),
    };
}

/// Returns the file for an address, but only if the file is directly in the folder.
fn file(folder: &Path, url: &str) -> Option<PathBuf> {
    let name = url.split('?').next()?.strip_prefix('/')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    match name {
        "" => Some(folder.join("index.html")),
        name => name.chars().all(is_plain).then(|| folder.join(name)),
    }
}

/// Returns the content type of a file, because browsers load modules only if the type is correct.
fn kind(path: &Path) -> Option<Header> {
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    Some(Header { field: "Content-Type".parse().ok()?, value: value.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let folder = Path::new("folder");
        for (url, expected) in [
            ("/", Some("index.html")),
            ("/?program=a", Some("index.html")),
            ("/a_bg.wasm", Some("a_bg.wasm")),
            ("/../Cargo.toml", None),
            ("/a/b.js", None),
            ("a.js", None),
        ] {
            assert_eq!(file(folder, url), expected.map(|name| folder.join(name)), "{url}");
        }
    }
}
