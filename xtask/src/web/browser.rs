//! Headless Chromium, driven through chromedriver with W3C's WebDriver protocol (JSON over HTTP).

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use image::RgbImage;
use serde_json::{Value, json};

use crate::command::is_on_path;
use crate::error::Error;
use crate::packages::install;

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Chromium's options: no window, no background network traffic, and no colour conversion.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--window-size=1000,800",
];

/// Options that enable WebGPU on Chromium's software adapter.
const WEBGPU_FLAGS: &[&str] = &[
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-angle=swiftshader",
];

pub(super) struct Browser {
    driver: Child,
    agent: ureq::Agent,
    session: String,
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::Web(format!("chromedriver: {what}"))
}

pub(super) fn ensure() -> Result<(), Error> {
    if is_on_path("chromedriver") {
        return Ok(());
    }
    install("chromedriver is missing", &["chromium", "chromium-driver"])
}

/// Returns the manifest of the browser's Vulkan driver, if the file exists, because with another driver many
/// pixels of filtered textures would differ.
pub(super) fn vulkan_driver() -> Option<PathBuf> {
    let folders = ["/usr/lib/chromium", "/usr/lib64/chromium-browser", "/opt/google/chrome"];
    folders.iter().map(|folder| Path::new(folder).join("vk_swiftshader_icd.json")).find(|path| path.exists())
}

/// Returns the port from the line that chromedriver prints after it has started.
fn port_of(line: &str) -> Option<u16> {
    line.strip_prefix("ChromeDriver was started successfully on port ")?
        .trim_end()
        .trim_end_matches('.')
        .parse()
        .ok()
}

impl Browser {
    pub(super) fn start(has_webgpu: bool) -> Result<Self, Error> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let driver =
            command.spawn().map_err(|source| Error::Start { command: "chromedriver".to_owned(), source })?;
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        // From here on, all return paths end the driver.
        let mut browser = Self { driver, agent: config.into(), session: String::new() };
        let mut lines =
            BufReader::new(browser.driver.stdout.take().ok_or_else(|| wrong("it has no output"))?).lines();
        let port = lines.find_map(|line| port_of(&line.ok()?)).ok_or_else(|| wrong("it does not start"))?;
        let flags: Vec<_> = FLAGS
            .iter()
            .chain(if has_webgpu { WEBGPU_FLAGS } else { &["--disable-features=WebGPU"] })
            .collect();
        let session = browser.call(
            "POST",
            &format!("http://127.0.0.1:{port}/session"),
            &json!({ "capabilities": { "alwaysMatch": {
                "goog:chromeOptions": { "args": flags },
                "goog:loggingPrefs": { "browser": "ALL" },
            } } }),
        )?;
        let id = session["sessionId"].as_str().ok_or_else(|| wrong("the session has no identifier"))?;
        browser.session = format!("http://127.0.0.1:{port}/session/{id}");
        Ok(browser)
    }

    fn call(&self, method: &str, address: &str, body: &Value) -> Result<Value, Error> {
        let answer = match method {
            "POST" => self.agent.post(address).send_json(body),
            "DELETE" => self.agent.delete(address).call(),
            _ => self.agent.get(address).call(),
        };
        let mut value: Value = answer.and_then(|mut answer| answer.body_mut().read_json()).map_err(wrong)?;
        match value["value"].take() {
            Value::Object(error) if error.contains_key("error") => Err(wrong(&error["message"])),
            value => Ok(value),
        }
    }

    fn post(&self, command: &str, body: &Value) -> Result<Value, Error> {
        self.call("POST", &format!("{}/{command}", self.session), body)
    }

    pub(super) fn open(&self, address: &str) -> Result<(), Error> {
        self.post("url", &json!({ "url": address })).map(drop)
    }

    pub(super) fn errors(&self) -> Result<Vec<String>, Error> {
        let log = self.post("se/log", &json!({ "type": "browser" }))?;
        let entries = log.as_array().map(Vec::as_slice).unwrap_or_default();
        let errors = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        Ok(errors.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// Returns the text of the first element that matches a CSS selector, if there is one.
    pub(super) fn text(&self, selector: &str) -> Result<Option<String>, Error> {
        let script = "return document.querySelector(arguments[0])?.textContent ?? null";
        let text = self.post("execute/sync", &json!({ "script": script, "args": [selector] }))?;
        Ok(text.as_str().map(str::to_owned))
    }

    /// Returns a screenshot of the web page's canvas, or `None` if the canvas does not exist yet.
    pub(super) fn canvas(&self) -> Result<Option<RgbImage>, Error> {
        let found = self.post("elements", &json!({ "using": "css selector", "value": "canvas" }))?;
        let Some(id) = found[0][ELEMENT].as_str() else { return Ok(None) };
        let address = format!("{}/element/{id}/screenshot", self.session);
        let Ok(picture) = self.call("GET", &address, &Value::Null) else {
            return Ok(None);
        };
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(picture.as_str().unwrap_or_default())
            .map_err(wrong)?;
        Ok(Some(image::load_from_memory(&bytes).map_err(wrong)?.into_rgb8()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Ends the browser, or does nothing if it has already ended.
            drop(self.call("DELETE", &self.session, &Value::Null));
        }
        // Both calls fail only if the driver has already ended.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_chromedrivers_output() {
        assert_eq!(port_of("ChromeDriver was started successfully on port 41233.\n"), Some(41233));
        assert_eq!(port_of("Starting ChromeDriver 156.0 on port 0"), None);
    }
}
