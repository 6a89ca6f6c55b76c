//! GPU objects: buffers, textures, views, shaders, state objects, queries, and their memory.

pub(crate) mod allocator;
pub(crate) mod buffer;
pub(crate) mod identity;
pub(crate) mod null_objects;
pub(crate) mod query;
pub(crate) mod resource;
pub(crate) mod shader;
pub(crate) mod stage;
pub(crate) mod staging;
pub(crate) mod state;
pub(crate) mod texture;
pub(crate) mod view;
