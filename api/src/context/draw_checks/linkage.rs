//! Checks that semantics match between the input layout and the vertex shader, and between the neighbours of
//! the chain.
//!
//! Only shaders in HLSL have semantics to compare. WGSL, SPIR-V and GLSL connect stages by location, so a pair with
//! such a shader is checked only by location and type ([`crate::shader::check_chain`]).

use onze_ddi::ShaderStage;

use crate::{
    context::{DeviceContext, draw_checks::geometry::shader_data},
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
    shader::links,
};

impl DeviceContext {
    /// Reports semantics that differ between stages although the registers and types match.
    pub(super) fn check_semantics(&self) {
        if let Some(vs) = self.stage_shader(ShaderStage::Vertex)
            && let Some(layout) = self.core.rt.bound.input_layout.and_then(|h| self.core.shared(h.key()))
            && let Some(text) = layout_mismatch(layout, vs)
        {
            self.report_about(MessageId::DrawLinkageSemantics, [layout.key, vs.key], text);
        }
        for (previous, next) in links(self.chain()) {
            if let Some(text) = signature_mismatch(previous, next) {
                self.report_about(MessageId::DrawLinkageSemantics, [previous.key, next.key], text);
            }
        }
    }
}

/// Describes the differences between the signatures of two neighbours of a chain. Returns `None` unless both
/// are in HLSL.
pub(in crate::context) fn signature_mismatch(previous: &ObjectShared, next: &ObjectShared) -> Option<String> {
    let mismatches = shader_data(previous)?.signature_mismatches(shader_data(next)?);
    let list = mismatches.join("; ");
    (!list.is_empty()).then(|| format!("{} and {}: {list}", previous.name(), next.name()))
}

/// Describes the inputs of an HLSL vertex shader that a layout supplies from an element with a different
/// semantic.
fn layout_mismatch(layout: &ObjectShared, vs: &ObjectShared) -> Option<String> {
    let ObjectData::InputLayout(layout_data) = &layout.data else { return None };
    let shader = shader_data(vs)?;
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
