//! GPU objects: buffers, textures, views, shaders, state objects, queries, and their memory.
//!
//! An object is created once, on any thread, and its description never changes. The objects of a device share
//! the state in [`DeviceObjects`]. This module imports only the services.

pub(crate) mod allocator;
pub(crate) mod buffer;
pub(crate) mod cast_log;
pub(crate) mod depth_data;
mod device_objects;
pub(crate) mod family;
pub(crate) mod identity;
pub(crate) mod null_objects;
pub(crate) mod query;
pub(crate) mod resource;
pub(crate) mod resource_factory;
pub(crate) mod shader;
pub(crate) mod staging;
pub(crate) mod state;
pub(crate) mod surface;
pub(crate) mod texture;
pub(crate) mod view;

pub(crate) use device_objects::DeviceObjects;
