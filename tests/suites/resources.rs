//! Tests of buffers and textures: creation, views, formats, contents, copies and maps.

#[path = "../tests/back_buffers.rs"]
mod back_buffers;
#[path = "../tests/casts.rs"]
mod casts;
#[path = "../tests/clear_view.rs"]
mod clear_view;
#[path = "../tests/clears.rs"]
mod clears;
#[path = "../tests/copies.rs"]
mod copies;
#[path = "../tests/creation.rs"]
mod creation;
#[path = "../tests/depth_copies.rs"]
mod depth_copies;
#[path = "../tests/format_copies.rs"]
mod format_copies;
#[path = "../tests/formats.rs"]
mod formats;
#[path = "../tests/map.rs"]
mod map;
#[path = "../tests/packed.rs"]
mod packed;
#[path = "../tests/partial_updates.rs"]
mod partial_updates;
#[path = "../tests/planes.rs"]
mod planes;
#[path = "../tests/raw_buffers.rs"]
mod raw_buffers;
#[path = "../tests/structured_buffers.rs"]
mod structured_buffers;
#[path = "../tests/texture_files.rs"]
mod texture_files;
#[path = "../tests/texture_shapes.rs"]
mod texture_shapes;
#[path = "../tests/typed.rs"]
mod typed;
#[path = "../tests/views.rs"]
mod views;
#[path = "../tests/written_conversions.rs"]
mod written_conversions;
#[path = "../tests/written_textures.rs"]
mod written_textures;
