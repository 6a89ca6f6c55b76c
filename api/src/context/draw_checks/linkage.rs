//! Checks that semantics match between the input layout and the vertex shader, and between the vertex shader
//! and the pixel shader.
//!
//! Only shaders in HLSL have semantics to compare. WGSL, SPIR-V and GLSL connect stages by location, so a pair with
//! such a shader is checked only by location and type ([`crate::shader::check_linkage`]).

use onze_ddi::ShaderStage;

use crate::{
    context::DeviceContext,
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
    shader::Shader,
};

impl DeviceContext {
    /// Reports semantics that differ between stages although the registers and types match.
    pub(super) fn check_semantics(&self) {
        let Some(vs) = self.stage_shader(ShaderStage::Vertex) else { return };
        if let Some(layout) = self.core.rt.bound.input_layout.and_then(|h| self.core.shared(h.key()))
            && let Some(text) = layout_mismatch(layout, vs)
        {
            self.report_about(MessageId::DrawLinkageSemantics, [layout.key, vs.key], text);
        }
        if let Some(ps) = self.stage_shader(ShaderStage::Pixel)
            && let Some(text) = signature_mismatch(vs, ps)
        {
            self.report_about(MessageId::DrawLinkageSemantics, [vs.key, ps.key], text);
        }
    }
}

fn shader(object: &ObjectShared) -> Option<&Shader> {
    match &object.data {
        ObjectData::Shader(shader) => Some(shader),
        _ => None,
    }
}

/// Describes the differences between the signatures of a vertex shader and a pixel shader, or returns `None`
/// if there are none or if one of the shaders is not in HLSL.
pub(in crate::context) fn signature_mismatch(vs: &ObjectShared, ps: &ObjectShared) -> Option<String> {
    let mismatches = shader(vs)?.signature_mismatches(shader(ps)?);
    let list = mismatches.join("; ");
    (!list.is_empty()).then(|| format!("{} and {}: {list}", vs.name(), ps.name()))
}

/// Describes the inputs of an HLSL vertex shader that a layout supplies from an element with a different
/// semantic.
fn layout_mismatch(layout: &ObjectShared, vs: &ObjectShared) -> Option<String> {
    let ObjectData::InputLayout(layout_data) = &layout.data else { return None };
    let shader = shader(vs)?;
    if !shader.has_semantics() {
        return None;
    }
    let mut mismatches = Vec::new();
    for input in &shader.code.reflection.inputs {
        let Some(fed) = layout_data.semantics.iter().find(|fed| fed.location == input.location) else {
            continue;
        };
        if fed.index != input.semantic_index || !fed.name.eq_ignore_ascii_case(&input.semantic_name) {
            mismatches.push(format!(
                "the element `{}{}` feeds the input `{}{}`",
                fed.name, fed.index, input.semantic_name, input.semantic_index
            ));
        }
    }
    let list = mismatches.join("; ");
    (!list.is_empty()).then(|| format!("{} and {}: {list}", layout.name(), vs.name()))
}
