//! The kinds of views, with their names in messages and the bind flags that they need.

use onze_ddi::{BindFlags, ResourceDesc};

use crate::{
    report::Error,
    validate::{flag_names, resource_name},
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ViewKind {
    /// A view through which shaders read a resource.
    ShaderResource,
    /// A view through which draws write colours.
    RenderTarget,
    /// A view that depth and stencil tests use.
    DepthStencil,
    /// A view through which shaders read and write a resource.
    UnorderedAccess,
}

impl ViewKind {
    /// The bind flag that a resource needs for views of this kind.
    pub(super) const fn bind_flag(self) -> BindFlags {
        match self {
            Self::ShaderResource => BindFlags::SHADER_RESOURCE,
            Self::RenderTarget => BindFlags::RENDER_TARGET,
            Self::DepthStencil => BindFlags::DEPTH_STENCIL,
            Self::UnorderedAccess => BindFlags::UNORDERED_ACCESS,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ShaderResource => "shader-resource view",
            Self::RenderTarget => "render-target view",
            Self::DepthStencil => "depth-stencil view",
            Self::UnorderedAccess => "unordered-access view",
        }
    }
}

/// Checks that the back buffer has the bind flag for a view, as set by the swap chain's descriptor.
pub(crate) fn back_buffer_view(back_buffer: &ResourceDesc, kind: ViewKind) -> Result<(), Error> {
    let (needed, found) = (kind.bind_flag(), back_buffer.bind_flags());
    let checked = if found.contains(needed) {
        return Ok(());
    } else if kind == ViewKind::ShaderResource {
        invalid!(
            "it is a back buffer without BindFlags::{}, found {}; add the flag to `SwapChainDesc::buffer_usage`",
            flag_names(needed),
            flag_names(found)
        )
    } else {
        invalid!(
            "it is a back buffer, which can only be a render target and a shader resource; make a texture with \
             BindFlags::{} for this",
            flag_names(needed)
        )
    };
    checked.map_err(|e| e.about(format_args!("{} of {}", kind.name(), resource_name(back_buffer))))
}
