//! Direct3D 11's validation rules for descriptors, maps, copies and state, as pure functions.
//!
//! The functions have no access to a device; the device's capabilities are arguments, so tests can try each
//! rule with any device. There are two types of results:
//!
//! * Functions for creation and maps return an [`Error`](crate::Error). They first check the rules of
//!   Direct3D 11 and fail with [`InvalidArg`](crate::Error::InvalidArg), and then check the device and fail
//!   with [`Unsupported`](crate::Error::Unsupported) and the name of the missing feature.
//! * Functions for commands, which return nothing to the application, return the reason as a string for the
//!   info queue.

/// An [`Error::InvalidArg`](crate::Error::InvalidArg) with a formatted reason.
macro_rules! invalid {
    ($($reason:tt)*) => {
        Err($crate::report::Error::InvalidArg(format!($($reason)*)))
    };
}

/// An [`Error::Unsupported`](crate::Error::Unsupported) with a formatted reason.
macro_rules! unsupported {
    ($($reason:tt)*) => {
        Err($crate::report::Error::Unsupported(format!($($reason)*)))
    };
}

mod buffer;
mod clear;
mod clear_view;
mod copy;
mod described;
mod input_layout;
mod map;
mod query;
mod raster;
mod resolve;
mod state;
mod stream_output;
mod texture;
mod usage;
mod view;
mod view_desc;

#[cfg(test)]
mod tests;

pub(crate) use buffer::buffer;
pub(crate) use clear::clear_bits;
pub(crate) use clear_view::{clear_boxes, clear_view_color, clear_view_words};
pub(crate) use copy::{
    copy_region, copy_resource, copy_structure_count, generate_mips, packed_region, read_subresource,
    update_constants, update_subresource,
};
pub(crate) use input_layout::{element_formats, input_layout};
pub(crate) use map::{MapPlace, NoOverwriteBuffers, map};
pub(crate) use query::{predicate, query};
pub(crate) use raster::{VIEWPORT_SLOTS, scissor_rects, viewports};
pub(crate) use resolve::resolve_subresource;
pub(crate) use state::{blend, depth_stencil, rasterizer, sampler};
pub use stream_output::SoDeclarationEntry;
pub(crate) use stream_output::{StreamShader, stream_output};
pub(crate) use texture::{sample_levels, size_words, subresource_data, texture, texture_layout};
pub(crate) use view::{
    ViewKind, back_buffer_view, buffer_view_support, depth_stencil_view, render_target_view,
    shader_resource_view, unordered_access_view, view_support,
};
pub use view_desc::{
    BufferExSrvFlags, BufferUavFlags, DepthStencilViewDesc, DepthStencilViewDimension, RenderTargetViewDesc,
    RenderTargetViewDimension, ShaderResourceViewDesc, ShaderResourceViewDimension, UnorderedAccessViewDesc,
    UnorderedAccessViewDimension,
};

use onze_ddi::{Features, PipelineCaps, ResourceDesc};

use crate::report::Error;

/// The type and label of a resource for messages: `buffer "camera"`, or `a buffer without a label`.
pub(crate) fn resource_name(desc: &ResourceDesc) -> String {
    let (kind, label) = match desc {
        ResourceDesc::Buffer(desc) => ("buffer", &desc.label),
        ResourceDesc::Texture(desc) => ("texture", &desc.label),
    };
    named(kind, label.as_deref().unwrap_or_default())
}

/// Formats flags as their names, as in `VERTEX_BUFFER | INDEX_BUFFER`, or as `none`.
pub(crate) fn flag_names<F: bitflags::Flags>(flags: F) -> String {
    let names: Vec<_> = flags.iter_names().map(|(name, _)| name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" | ") }
}

/// The type and label of an object for messages, where the label may be empty.
pub(crate) fn named(kind: &str, label: &str) -> String {
    match label {
        "" if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {kind} without a label"),
        "" => format!("a {kind} without a label"),
        label => format!("{kind} \"{label}\""),
    }
}

/// Fails with the names of the missing features if the device lacks a feature that `what` needs.
fn need(caps: &PipelineCaps, feature: Features, what: impl std::fmt::Display) -> Result<(), Error> {
    if caps.features.contains(feature) {
        return Ok(());
    }
    unsupported!("{what} needs {}, which this device lacks", feature_names(feature.difference(caps.features)))
}

/// The names of features, as in "`Features::COMPUTE` and `Features::INDIRECT`".
pub(crate) fn feature_names(features: Features) -> String {
    let names: Vec<_> = features.iter_names().map(|(name, _)| format!("`Features::{name}`")).collect();
    names.join(" and ")
}
