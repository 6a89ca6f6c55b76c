//! Asteroids: a complete game with a title screen, waves, a saucer, power-ups, a high score, and input
//! recording.
//!
//! This example demonstrates:
//!
//! * `render/` records each frame on four deferred contexts, each on its own thread, and executes their
//!   command lists in order. Each rock needs a map, a write and a draw, whereas sparks and letters are
//!   instances in a dynamic vertex buffer.
//! * `rules.rs` computes the next state from the world and the buttons, with bit-identical results on every
//!   machine. Recorded input therefore leads to the same game everywhere, for example with
//!   `--input demo --frames 1500 --out picture.png`.
//!
//! Arrows or WASD steer, Space shoots, and P or Escape pauses, while Escape on the title ends the program.
//!
//! | file | contents |
//! | --- | --- |
//! | `numbers`, `world`, `rules`, `game` | the simulation |
//! | `input`, `replay`, `score`, `session` | buttons, recorded input, the high score, and a game's session |
//! | `effects`, `streak`, `font` | glowing effects, and letters made of strokes |
//! | `camera`, `render/` | drawing |
//! | `tests`, `bot` | tests of the simulation, and the autopilot that generates `demo.txt` |
#![cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "a browser has no files and prints no state"))]

#[cfg(test)]
mod bot;
mod camera;
mod effects;
mod font;
mod game;
mod input;
mod numbers;
mod render;
mod replay;
mod rules;
mod score;
mod session;
mod streak;
#[cfg(test)]
mod tests;
mod world;

use std::cell::RefCell;
use std::rc::Rc;

use onze_winit::{Frame, Setup, WindowDesc};

use render::Renderer;
use replay::{DEMO, Replay};
use session::Session;

struct Options {
    window: WindowDesc,
    input: Option<Replay>,
    #[cfg(not(target_arch = "wasm32"))]
    record: Option<std::path::PathBuf>,
}

const DEMO_NAME: &str = "demo";

#[cfg(not(target_arch = "wasm32"))]
impl Options {
    fn new(window: WindowDesc) -> onze_winit::Result<Self> {
        let Arguments { window: arguments, input, record } = clap::Parser::parse();
        let mut window = window.with(arguments);
        let input = input.map(|path| read(&path)).transpose()?;
        if let Some(replay) = &input {
            window.frames = window.frames.or(Some(replay.len().max(1)));
        }
        Ok(Self { window, input, record })
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
#[command(about = "A game: arrows or WASD steer, Space shoots, P pauses")]
struct Arguments {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Play recorded input, one step for each frame, and print the state at the end; `demo` is part of the
    /// program
    #[arg(long, value_name = "FILE")]
    input: Option<std::path::PathBuf>,
    /// Write the pressed buttons into a file for `--input`
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    record: Option<std::path::PathBuf>,
}

/// Reads recorded input from a file, or the built-in input for the name `demo`.
#[cfg(not(target_arch = "wasm32"))]
fn read(path: &std::path::Path) -> onze_winit::Result<Replay> {
    if path.as_os_str() == DEMO_NAME {
        return Ok(Replay::parse(DEMO)?);
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Replay::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?)
}

#[cfg(target_arch = "wasm32")]
impl Options {
    /// Parses the query of the web page's address: the window's options, and `?demo` or `?input=demo`.
    fn new(window: WindowDesc) -> onze_winit::Result<Self> {
        let search = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
        let query = web_sys::UrlSearchParams::new_with_str(&search).ok();
        let plays = query.is_some_and(|query| {
            query.has(DEMO_NAME) || query.get("input").is_some_and(|input| input == DEMO_NAME)
        });
        let input = plays.then(|| Replay::parse(DEMO)).transpose()?;
        Ok(Self { window: window.with_args(), input })
    }
}

/// Creates the frame function of a session, which does not draw frames before `first_drawn` because they are
/// not shown.
fn game(
    session: Rc<RefCell<Session>>,
    first_drawn: u32,
    setup: &mut Setup<'_>,
) -> onze_winit::Result<impl FnMut(&mut Frame<'_>) -> onze_winit::Result<()> + use<>> {
    let mut renderer = Renderer::new(setup.device, setup.context)?;
    let mut frames = 0;
    Ok(move |frame: &mut Frame<'_>| {
        let mut session = session.borrow_mut();
        if !session.advance(frame) {
            frame.exit();
        }
        frames += 1;
        if frames >= first_drawn {
            renderer.draw(frame, session.view())?;
        }
        Ok(())
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> onze_winit::Result<()> {
    let options = Options::new(WindowDesc::new("Asteroids", 960, 540).with_depth())?;
    let is_replay = options.input.is_some();
    // Replays and pictures must be the same for every user, so they do not show the saved high score.
    let high_score = if is_replay || options.window.picture.is_some() { 0 } else { score::load() };
    let session = Rc::new(RefCell::new(Session::new(options.input, options.record.is_some(), high_score)));
    let played = session.clone();
    let first_drawn = options.window.picture.as_ref().and(options.window.frames).unwrap_or(0);
    onze_winit::run(options.window, move |setup| game(played, first_drawn, setup))?;
    let mut session = session.borrow_mut();
    session.save();
    if let (Some(path), Some(text)) = (options.record, session.recorded()) {
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if is_replay {
        println!("{}", session.game.summary());
    }
    Ok(())
}

#[cfg(target_arch = "wasm32")]
fn main() -> onze_winit::Result<()> {
    let options = Options::new(WindowDesc::new("Asteroids", 960, 540).with_depth())?;
    let high_score = if options.input.is_some() { 0 } else { score::load() };
    let session = Rc::new(RefCell::new(Session::new(options.input, false, high_score)));
    onze_winit::run(options.window, move |setup| game(session, 0, setup))
}
