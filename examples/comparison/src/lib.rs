//! Three example programs of Onze, written with wgpu and with macroquad: `triangle_window`, `textured_cube` and
//! `sprite_batch`. The table of lines in the README counts them, and a test compares it with them.
//!
//! They are written as a user of those libraries would write them who wants the same picture and a window that can be
//! resized, in few lines and without a lack of care. macroquad has no mips and no lit material; the rest is equal.
#![forbid(unsafe_code)]

pub mod window;
