//! Asteroids: a whole game, with a title, waves, a saucer, powers, a high score, and input that can be recorded.
//!
//! What is worth learning:
//!
//! * `render/` records each frame on four deferred contexts, each on a thread of its own, and executes their lists in
//!   order. A rock is a map, a write and a draw; sparks and letters are instances in a dynamic vertex buffer.
//! * `rules.rs` is a function of the world and the buttons, with the same bits on every machine. So a recorded input
//!   gives the same game everywhere, and the same picture: `--input demo --frames 1500 --out picture.png`.
//!
//! Arrows or WASD steer, Space shoots, P or Escape pauses. Escape on the title ends the program.
//!
//! | file | contents |
//! | --- | --- |
//! | `numbers`, `world`, `rules`, `game` | the simulation |
//! | `input`, `replay`, `score`, `session` | buttons, files of buttons, the high score, and what connects all |
//! | `effects`, `streak`, `font` | what glows, and letters made of it |
//! | `camera`, `render/` | how it is drawn |
//! | `tests`, `bot` | tests of the simulation, and an autopilot, which has played `demo.txt` |
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

/// The window and the session that the options ask for.
struct Options {
    window: WindowDesc,
    input: Option<Replay>,
    #[cfg(not(target_arch = "wasm32"))]
    record: Option<std::path::PathBuf>,
}

/// The name of the input that is part of the program.
const DEMO_NAME: &str = "demo";

#[cfg(not(target_arch = "wasm32"))]
impl Options {
    /// The options of the command line.
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

/// The command line.
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
#[command(about = "A game: arrows or WASD steer, Space shoots, P pauses")]
struct Arguments {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Play recorded input, one step for each frame, and print the state at the end; `demo` is part of the program
    #[arg(long, value_name = "FILE")]
    input: Option<std::path::PathBuf>,
    /// Write what is pressed into a file for `--input`
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    record: Option<std::path::PathBuf>,
}

/// Reads recorded input.
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
    /// The options of the page's address: those of the window, and `?demo` or `?input=demo`.
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

/// Makes the game of a session. The frames before the `first_drawn` one are not drawn: nobody sees them.
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
    // Pictures, too, are the same for everyone.
    let high_score = if is_replay || options.window.picture.is_some() { 0 } else { score::load() };
    let session = Rc::new(RefCell::new(Session::new(options.input, options.record.is_some(), high_score)));
    let played = session.clone();
    // A picture is of the last frame.
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
