//! Three of Onze's example programs, rewritten with wgpu and with macroquad: `triangle_window`,
//! `textured_cube` and `sprite_batch`. The book's chapter "From wgpu" has a table of their line counts, and a
//! test compares the table with the files.
//!
//! All versions of a program draw the same picture in a resizable window, in as few lines as careful code
//! allows. The exception is macroquad's cube, which is simpler because macroquad has neither mip levels nor a
//! lit material.
#![forbid(unsafe_code)]

pub mod window;
