//! Descriptions of an object's use as an argument, for messages about objects that cannot be used.

use std::fmt;

use onze_ddi::ShaderStage;

/// An argument of a call. Each call creates such a value, but it is read only if an object is refused. The
/// value therefore fits into a register, and its constructors are inlined, so that only a constant in the
/// cold path remains.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ObjectUse {
    call: Call,
    stage: Option<ShaderStage>,
    place: ArgumentRole,
}

#[derive(Copy, Clone, Debug)]
enum ArgumentRole {
    Only,
    Slot(u16),
    Source,
    Destination,
    DepthStencil,
}

macro_rules! calls {
    ($($call:ident $name:literal,)*) => {
        /// The calls with object arguments, without the stage prefix of their names.
        #[derive(Copy, Clone, Debug)]
        pub(crate) enum Call {
            $($call,)*
        }

        impl Call {
            const fn name(self) -> &'static str {
                match self {
                    $(Self::$call => $name,)*
                }
            }
        }
    };
}
calls! {
    Begin "begin",
    ClearDepthStencilView "clear_depth_stencil_view",
    ClearRenderTargetView "clear_render_target_view",
    ClearView "clear_view",
    DiscardResource "discard_resource",
    DiscardView "discard_view",
    ClearUnorderedAccessViewFloat "clear_unordered_access_view_float",
    CopyResource "copy_resource",
    CopyStructureCount "copy_structure_count",
    CopySubresourceRegion "copy_subresource_region",
    CsSetUnorderedAccessViews "cs_set_unordered_access_views",
    OmSetUnorderedAccessViews "om_set_unordered_access_views",
    OmSetRenderTargetsAndUnorderedAccessViews "om_set_render_targets_and_unordered_access_views",
    CsSetUnorderedAccessViewsWithCounts "cs_set_unordered_access_views_with_counts",
    DispatchIndirect "dispatch_indirect",
    DrawIndexedInstancedIndirect "draw_indexed_instanced_indirect",
    DrawInstancedIndirect "draw_instanced_indirect",
    End "end",
    ClearUnorderedAccessViewUint "clear_unordered_access_view_uint",
    GenerateMips "generate_mips",
    GetData "get_data",
    IaSetIndexBuffer "ia_set_index_buffer",
    IaSetInputLayout "ia_set_input_layout",
    IaSetVertexBuffers "ia_set_vertex_buffers",
    Map "map",
    OmSetBlendState "om_set_blend_state",
    OmSetDepthStencilState "om_set_depth_stencil_state",
    OmSetRenderTargets "om_set_render_targets",
    Present "present",
    ResolveSubresource "resolve_subresource",
    RsSetState "rs_set_state",
    SetConstantBuffers "set_constant_buffers",
    SetPredication "set_predication",
    SetConstantBuffers1 "set_constant_buffers1",
    SetResourceMinLod "set_resource_min_lod",
    SetSamplers "set_samplers",
    SetShader "set_shader",
    SetShaderResources "set_shader_resources",
    SoSetTargets "so_set_targets",
    UpdateSubresource "update_subresource",
}

impl ObjectUse {
    #[inline]
    pub(crate) const fn of(call: Call) -> Self {
        Self { call, stage: None, place: ArgumentRole::Only }
    }

    #[inline]
    pub(crate) const fn in_slot(self, slot: usize) -> Self {
        Self { place: ArgumentRole::Slot(slot as u16), ..self }
    }

    #[inline]
    pub(crate) const fn as_source(self) -> Self {
        Self { place: ArgumentRole::Source, ..self }
    }

    #[inline]
    pub(crate) const fn as_destination(self) -> Self {
        Self { place: ArgumentRole::Destination, ..self }
    }

    #[inline]
    pub(crate) const fn as_depth_stencil(self) -> Self {
        Self { place: ArgumentRole::DepthStencil, ..self }
    }

    /// Adds the stage, whose prefix becomes part of the call's name.
    #[inline]
    pub(crate) const fn of_stage(self, stage: ShaderStage) -> Self {
        Self { stage: Some(stage), ..self }
    }
}

impl fmt::Display for ObjectUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.stage.map_or("", setter_prefix);
        let dash = if prefix.is_empty() { "" } else { "_" };
        write!(f, "`{prefix}{dash}{}`", self.call.name())?;
        match self.place {
            ArgumentRole::Only => Ok(()),
            ArgumentRole::Slot(slot) => write!(f, " for slot {slot}"),
            ArgumentRole::Source => f.write_str(" as `src`"),
            ArgumentRole::Destination => f.write_str(" as `dst`"),
            ArgumentRole::DepthStencil => f.write_str(" as `depth_stencil`"),
        }
    }
}

/// Returns the name prefix of a stage's setters.
pub(super) const fn setter_prefix(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vs",
        ShaderStage::Hull => "hs",
        ShaderStage::Domain => "ds",
        ShaderStage::Geometry => "gs",
        ShaderStage::Pixel => "ps",
        ShaderStage::Compute => "cs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_names_the_call_and_the_argument() {
        let setter = ObjectUse::of(Call::SetSamplers).of_stage(ShaderStage::Pixel).in_slot(3);
        assert_eq!(setter.to_string(), "`ps_set_samplers` for slot 3");
        assert_eq!(ObjectUse::of(Call::CopyResource).as_source().to_string(), "`copy_resource` as `src`");
        assert_eq!(ObjectUse::of(Call::Begin).to_string(), "`begin`");
        assert!(size_of::<ObjectUse>() <= size_of::<u64>());
    }
}
