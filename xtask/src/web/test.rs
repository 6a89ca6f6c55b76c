//! Tests the examples in a browser: each picture must equal the picture that the same program draws without a
//! browser.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use image::RgbImage;

use super::at;
use super::browser::{self, Browser};
use super::picture::difference;
use super::server::Server;
use crate::command::{self, cargo};
use crate::error::Error;
use crate::examples::Example;
use crate::gpu;

const SIZE: &str = "320x240";

const PATIENCE: Duration = Duration::from_secs(300);

const INTERVAL: Duration = Duration::from_millis(100);

/// The program that contains the checks without pictures.
pub(super) const CHECKS: &str = "browser_checks";

/// The package of [`CHECKS`].
pub(super) const CHECKS_PACKAGE: &str = "onze-browser-tests";

const CHECKS_PAGE: &str = include_str!("checks.html");

/// The text of the checks page when all checks have passed.
const PASSED: &str = "all checks passed";

const ERROR: &str = ".onze-error";

pub(super) fn run(root: &Path, examples: &[&Example], folder: &Path) -> Result<(), Error> {
    gpu::ensure_adapter()?;
    browser::ensure()?;
    let server = Server::start(folder, 0)?;
    let browser = Browser::start(true)?;
    check(&browser, &server, folder)?;
    for example in examples {
        let program = example.name;
        let expected = expected(root, example, folder)?;
        let options: String =
            example.options.iter().map(|(name, value)| format!("&{name}={value}")).collect();
        browser.open(&format!("{}?program={program}&size={SIZE}{options}", server.address()))?;
        let actual = shown(&browser, program, &expected);
        expect_no_errors(&browser, program)?;
        let (actual, difference) = actual?;
        let path = folder.join(format!("{program}-browser.png"));
        actual.save(&path).map_err(|error| Error::Web(format!("{}: {error}", path.display())))?;
        if let Some(difference) = difference {
            return Err(Error::Web(format!("{program}: {difference}; see {}", path.display())));
        }
        println!("web: {program}: the picture is correct: {}", path.display());
    }
    drop(browser);
    refuses_a_browser_without_webgpu(&server, examples)
}

fn expect_no_errors(browser: &Browser, program: &str) -> Result<(), Error> {
    let errors = browser.errors()?;
    if errors.is_empty() {
        return Ok(());
    }
    Err(Error::Web(format!("{program}: the console has errors: {}", errors.join("; "))))
}

fn check(browser: &Browser, server: &Server, folder: &Path) -> Result<(), Error> {
    let page = folder.join("checks.html");
    std::fs::write(&page, CHECKS_PAGE).map_err(|error| at(&page, &error))?;
    browser.open(&format!("{}checks.html", server.address()))?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        expect_no_errors(browser, CHECKS)?;
        match browser.text("body")?.map(|text| text.trim().to_owned()) {
            Some(text) if text == PASSED => {
                println!("web: {CHECKS}: {text}");
                return Ok(());
            }
            Some(text) if !text.is_empty() => return Err(Error::Web(format!("{CHECKS}: {text}"))),
            _ => sleep(INTERVAL),
        }
    }
    Err(Error::Web(format!("{CHECKS}: the checks do not end")))
}

fn expected(root: &Path, example: &Example, folder: &Path) -> Result<RgbImage, Error> {
    let path = folder.join(format!("{}-desktop.png", example.name));
    let mut run = cargo();
    run.args(["run", "--quiet", "--bin", example.name, "--", "--size", SIZE]);
    run.args(example.args()).arg("--out").arg(&path);
    if let Some(driver) = browser::vulkan_driver() {
        run.env("VK_DRIVER_FILES", driver);
    }
    command::run(run.current_dir(root))?;
    let bytes = std::fs::read(&path).map_err(|error| at(&path, &error))?;
    let picture = image::load_from_memory(&bytes);
    Ok(picture.map_err(|error| Error::Web(format!("{}: {error}", path.display())))?.into_rgb8())
}

/// Returns the canvas when it is correct, or after the timeout together with a description of the difference.
fn shown(browser: &Browser, program: &str, expected: &RgbImage) -> Result<(RgbImage, Option<String>), Error> {
    let begin = Instant::now();
    loop {
        if let Some(text) = browser.text(ERROR)? {
            return Err(Error::Web(format!("{program}: the web page shows an error: {text}")));
        }
        let is_over = begin.elapsed() > PATIENCE;
        match browser.canvas()? {
            Some(actual) => {
                let difference = difference(expected, &actual);
                if is_over || difference.is_none() {
                    return Ok((actual, difference));
                }
            }
            None if is_over => return Err(Error::Web(format!("{program}: the web page has no canvas"))),
            None => {}
        }
        sleep(INTERVAL);
    }
}

/// Returns an error unless the web page reports that WebGPU is missing.
fn refuses_a_browser_without_webgpu(server: &Server, examples: &[&Example]) -> Result<(), Error> {
    let browser = Browser::start(false)?;
    let Some(Example { name: program, .. }) = examples.first() else { return Ok(()) };
    browser.open(&format!("{}?program={program}", server.address()))?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        match browser.text(ERROR)? {
            Some(text) if text.contains("no WebGPU") => {
                println!("web: without WebGPU the web page says: {text}");
                return Ok(());
            }
            Some(text) => return Err(Error::Web(format!("without WebGPU the web page says: {text}"))),
            None => sleep(INTERVAL),
        }
    }
    Err(Error::Web("without WebGPU the web page says nothing".to_owned()))
}
