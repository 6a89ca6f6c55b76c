//! Typical mistakes of new users. Each mistake causes exactly one message or error, whose text contains the
//! necessary words.
//!
//! A row is one mistake in an otherwise correct program, on a device with the default descriptor. The text
//! must contain the object's label, the violated rule and the fix, and the row lists words of each.
//! `ONZE_MISTAKES_PRINT=1` prints all texts for review by a reader who does not know the library.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "mistakes/binding.rs"]
mod binding;
#[path = "mistakes/commands.rs"]
mod commands;
#[path = "mistakes/correct_draws.rs"]
mod correct_draws;
#[path = "mistakes/creation.rs"]
mod creation;
#[path = "mistakes/drawing.rs"]
mod drawing;
#[path = "mistakes/presenting.rs"]
mod presenting;
#[path = "mistakes/resources.rs"]
mod resources;
#[path = "mistakes/scene.rs"]
mod scene;
#[path = "mistakes/shaders.rs"]
mod shaders;
#[path = "mistakes/tessellation.rs"]
mod tessellation;
#[path = "mistakes/views.rs"]
mod views;

use onze::prelude::*;
use onze_tests::{Backend, Config, Harness, windowless};

use scene::Scene;

/// The result of a mistake's function: an error if a call has failed.
type Outcome = Result<(), onze::Error>;

type RightProgram = (&'static str, fn(&mut Scene) -> Outcome);

/// A mistake, and the words that its message must contain.
struct Mistake {
    name: &'static str,
    words: &'static [&'static str],
    make: fn(&mut Scene) -> Outcome,
}

const fn row(name: &'static str, words: &'static [&'static str], make: fn(&mut Scene) -> Outcome) -> Mistake {
    Mistake { name, words, make }
}

/// Text that no message may contain: internal names, and values in `Debug` format.
const INTERNALS: [&str; 14] = [
    "Expression [",
    "naga::",
    "Some(",
    "Handle",
    "wgpu error",
    "Features(",
    "Flags(",
    "Capabilities(",
    "Usages(",
    "Viewport {",
    "Box3d {",
    "ConstantRange {",
    "[Srgb",
    "Features {",
];

/// Starts a device with the default descriptor, except that the driver type and the debug layer are set
/// explicitly.
fn start(config: Config) -> Option<Harness> {
    let DeviceDesc { driver_type, .. } = config.desc();
    Harness::start_with(config, &DeviceDesc { driver_type, debug: true, ..DeviceDesc::default() })
}

/// Starts a device like [`start`], on a driver whose swap chains need no window.
fn start_windowless(config: Config) -> Option<Harness> {
    let driver = match config.backend {
        Backend::Null => onze_null::driver(),
        Backend::Gpu => onze_wgpu::driver(),
    };
    let driver_type = DriverType::Custom(windowless(driver));
    Harness::start_with(config, &DeviceDesc { driver_type, debug: true, ..DeviceDesc::default() })
}

/// Starts a device like [`start`], if it has hull and domain shaders.
fn start_tessellation(config: Config) -> Option<Harness> {
    start(config).filter(|harness| harness.has_feature(Features::TESSELLATION))
}

type Start = fn(Config) -> Option<Harness>;

/// Returns all messages of `make`, and its error, once the GPU has completed the commands.
fn said(start: Start, config: Config, make: fn(&mut Scene) -> Outcome) -> Option<Vec<String>> {
    let harness = start(config)?;
    let mut scene = Scene::new(harness);
    assert_eq!(scene.take_messages(), [""; 0], "a correct program is silent");
    let outcome = make(&mut scene);
    scene.finish();
    let mut said = scene.take_messages();
    if let Err(error) = outcome {
        // The info queue also contains the error's text, so that message is removed.
        let error = error.to_string();
        said.retain(|message| !message.contains(&error));
        said.push(error);
    }
    Some(said)
}

/// Checks the messages that a mistake caused, and returns a description of the first fault, or `None` if the
/// messages are as expected.
fn judge(mistake: &Mistake, said: &[String]) -> Option<String> {
    let [one] = said else { return Some(format!("{} messages instead of one: {said:#?}", said.len())) };
    let missing: Vec<_> = mistake.words.iter().filter(|word| !one.contains(**word)).collect();
    if !missing.is_empty() {
        return Some(format!("{missing:?} is missing in: {one}"));
    }
    let internal = INTERNALS.iter().find(|word| one.contains(**word))?;
    Some(format!("the internal name {internal:?} is in: {one}"))
}

fn check(mistakes: &[Mistake]) {
    check_with(start, mistakes);
}

fn check_with(start: Start, mistakes: &[Mistake]) {
    let prints = std::env::var_os("ONZE_MISTAKES_PRINT").is_some();
    let mut failures = Vec::new();
    for config in [Config::NULL, Config::GPU] {
        for mistake in mistakes {
            let Some(said) = said(start, config, mistake.make) else { continue };
            if prints && (config.backend == Backend::Gpu) {
                println!("* {}\n  {}", mistake.name, said.join("\n  "));
            }
            if let Some(why) = judge(mistake, &said) {
                failures.push(format!("{} ({:?}): {why}", mistake.name, config.backend));
            }
        }
    }
    assert!(failures.is_empty(), "{} mistakes:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn creation_mistakes_are_reported() {
    check(creation::MISTAKES);
}

#[test]
fn shader_mistakes_are_reported() {
    check(shaders::MISTAKES);
}

#[test]
fn binding_mistakes_are_reported() {
    check(binding::MISTAKES);
}

#[test]
fn drawing_mistakes_are_reported() {
    check(drawing::MISTAKES);
}

#[test]
fn resource_mistakes_are_reported() {
    check(resources::MISTAKES);
}

#[test]
fn mistakes_in_other_commands_are_reported() {
    check(commands::MISTAKES);
}

#[test]
fn tessellation_mistakes_are_reported() {
    check_with(start_tessellation, tessellation::MISTAKES);
}

#[test]
fn swap_chain_mistakes_are_reported() {
    check_with(start_windowless, presenting::MISTAKES);
}

#[test]
fn at_least_55_mistakes_have_unique_names() {
    let all = [
        creation::MISTAKES,
        shaders::MISTAKES,
        binding::MISTAKES,
        drawing::MISTAKES,
        resources::MISTAKES,
        commands::MISTAKES,
        tessellation::MISTAKES,
        presenting::MISTAKES,
    ]
    .concat_names();
    let mut names = all.clone();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() == all.len() && all.len() >= 55, "{} of {}", names.len(), all.len());
}

trait ConcatNames {
    fn concat_names(&self) -> Vec<&'static str>;
}

impl<const N: usize> ConcatNames for [&[Mistake]; N] {
    fn concat_names(&self) -> Vec<&'static str> {
        self.iter().flat_map(|mistakes| mistakes.iter().map(|m| m.name)).collect()
    }
}

/// These programs are correct, even if some are unusual, so they must cause no message.
#[test]
fn correct_programs_are_silent() {
    let starts: [(Start, &[RightProgram]); 2] =
        [(start, correct_draws::RIGHT), (start_windowless, presenting::RIGHT)];
    for config in [Config::NULL, Config::GPU] {
        for (start, programs) in starts {
            for (name, program) in programs {
                let Some(said) = said(start, config, *program) else { continue };
                assert_eq!(said, [""; 0], "{name}, {:?}", config.backend);
            }
        }
    }
}

#[test]
fn the_debug_layer_is_on_in_debug_builds() {
    assert_eq!(DeviceDesc::default().debug, cfg!(debug_assertions));
}

#[test]
fn a_cause_is_reported_once_for_many_draws() {
    let Some(harness) = start(Config::NULL) else { return };
    let mut scene = Scene::new(harness);
    scene.bind();
    scene.context.ps_set_shader_resources(0, None);
    for start_vertex in 0..100 {
        scene.context.draw(3, start_vertex);
    }
    let said = scene.take_messages();
    // One message is about the empty slot, and one is about the vertex buffer that is too small from the
    // second draw on.
    assert_eq!(said.len(), 2, "{said:#?}");
    // A change of unrelated state must not repeat any message.
    scene.context.rs_set_viewports(Viewport::sized(8.0, 8.0));
    scene.context.draw(3, 0);
    assert_eq!(scene.take_messages(), [""; 0]);
    scene.context.vs_set_constant_buffers(0, None);
    scene.context.draw(3, 0);
    assert_eq!(scene.take_messages().len(), 1);
}
