//! Three example programs of Onze, written with wgpu and with macroquad: `triangle_window`, `textured_cube` and
//! `sprite_batch`. The book's chapter "From wgpu" has a table of their line counts, which a test compares with the files.
//!
//! The programs draw the same picture in a window that can be resized, in as few lines as careful code allows. macroquad
//! has neither mips nor a lit material, so its cube is simpler. Everything else is equal.
#![forbid(unsafe_code)]

pub mod window;
