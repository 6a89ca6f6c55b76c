//! What the debug layer says about a draw: bindings that its shaders read and that are missing or of
//! another kind. Nothing here changes what is drawn; it runs only with the debug flag.

use onze_ddi::{
    ComponentKind, GraphicsStage, Handle, Key, ResourceKind, SampleKind, ScalarKind, ShaderReflection,
    ShaderStage, TextureDimension, TextureViewDesc, UnorderedAccessKind, ViewDesc, ViewDimension, kind,
};

use super::{DeviceContext, draw::reflection};
use crate::{
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
};

/// A message and its details.
pub(super) type Finding = (MessageId, String);

impl DeviceContext {
    /// Reports what a draw would read or write otherwise than its author meant.
    pub(super) fn report_draw_findings(&self) {
        let bound = &self.core.rt.bound;
        let mut findings = Vec::new();
        if bound.viewports.is_empty() {
            findings.push((MessageId::DrawViewportNotSet, "no viewport is set".to_owned()));
        }
        if bound.render_targets.high() == 0 && bound.depth_stencil_view.is_none() {
            findings.push((MessageId::DrawNoTargets, "no target is bound".to_owned()));
        }
        self.find_vertex_buffers(&mut findings);
        for stage in GraphicsStage::ALL {
            let shader = bound.stages[stage].shader.and_then(|h| self.core.shared(h.key()));
            if let Some(reflection) = shader.and_then(reflection) {
                findings.extend(self.stage_findings(stage.into(), reflection));
                if stage == GraphicsStage::Pixel {
                    self.find_outputs(reflection, &mut findings);
                }
            }
        }
        self.report_findings(findings);
    }

    pub(super) fn report_findings(&self, findings: Vec<Finding>) {
        for (id, details) in findings {
            self.report(id, details);
        }
    }

    /// What a stage's shader reads or writes otherwise than its author meant.
    pub(super) fn stage_findings(&self, stage: ShaderStage, shader: &ShaderReflection) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.find_constant_buffers(stage, shader, &mut findings);
        self.find_resources(stage, shader, &mut findings);
        self.find_samplers(stage, shader, &mut findings);
        self.find_unordered_access(shader, &mut findings);
        findings
    }

    fn find_vertex_buffers(&self, findings: &mut Vec<Finding>) {
        let bound = &self.core.rt.bound;
        let layout = bound.input_layout.and_then(|h: Handle<kind::ElementLayout>| self.core.shared(h.key()));
        let Some(ObjectData::InputLayout(elements)) = layout.map(|l| &l.data) else { return };
        let missing = |slot: u32| bound.vertex_buffers.at(slot as usize).buffer.is_none();
        let mut slots: Vec<u32> =
            elements.iter().map(|e| e.input_slot).filter(|slot| missing(*slot)).collect();
        slots.sort_unstable();
        slots.dedup();
        findings.extend(slots.into_iter().map(|s| (MessageId::DrawVertexBufferNotSet, format!("slot {s}"))));
    }

    fn find_constant_buffers(
        &self,
        stage: ShaderStage,
        shader: &ShaderReflection,
        findings: &mut Vec<Finding>,
    ) {
        for wanted in &shader.constant_buffers {
            let place = format!("b{} of the {stage:?} stage (`{}`)", wanted.slot, wanted.name);
            let binding = self.core.rt.bound.stages[stage].constant_buffers.at(wanted.slot as usize);
            let size = binding
                .buffer
                .and_then(|h| self.core.handles.runtime::<crate::device_core::HandleState>(h.key()));
            let Some(size) = size.map(|state| state.byte_width) else {
                findings.push((MessageId::DrawConstantBufferNotSet, place));
                continue;
            };
            let first = binding.first_constant.saturating_mul(16);
            let seen = size.saturating_sub(first).min(binding.num_constants * 16);
            if seen < wanted.size {
                let text = format!("{place} has {seen} bytes, the shader reads {}", wanted.size);
                findings.push((MessageId::DrawConstantBufferTooSmall, text));
            }
        }
    }

    fn find_resources(&self, stage: ShaderStage, shader: &ShaderReflection, findings: &mut Vec<Finding>) {
        for wanted in &shader.resources {
            let place = format!("t{} of the {stage:?} stage (`{}`)", wanted.slot, wanted.name);
            let view = self.core.rt.bound.stages[stage].shader_resources.at(wanted.slot as usize);
            match view.and_then(|h| self.core.shared(h.key())).and_then(ObjectShared::view) {
                None => findings.push((MessageId::DrawShaderResourceNotSet, place)),
                Some((desc, resource)) if !fits(desc, resource, wanted.kind) => {
                    let text = format!("{place} declares {:?}, the view is {}", wanted.kind, words(desc));
                    findings.push((MessageId::DrawShaderResourceMismatch, text));
                }
                Some(_) => {}
            }
        }
    }

    fn find_unordered_access(&self, shader: &ShaderReflection, findings: &mut Vec<Finding>) {
        for wanted in &shader.unordered_access {
            let place = format!("u{} (`{}`)", wanted.slot, wanted.name);
            let view = self.core.rt.bound.cs_unordered_access_views.at(wanted.slot as usize);
            let UnorderedAccessKind::Buffer { stride, .. } = wanted.kind;
            match view.and_then(|h| self.core.shared(h.key())).and_then(ObjectShared::view) {
                None => findings.push((MessageId::DispatchUnorderedAccessNotSet, place)),
                Some((ViewDesc::Buffer(view), _)) if view.stride == stride => {}
                Some((desc, _)) => {
                    let text = format!("{place} declares {:?}, the view is {}", wanted.kind, words(desc));
                    findings.push((MessageId::DispatchUnorderedAccessMismatch, text));
                }
            }
        }
    }

    fn find_samplers(&self, stage: ShaderStage, shader: &ShaderReflection, findings: &mut Vec<Finding>) {
        for wanted in &shader.samplers {
            let place = format!("s{} of the {stage:?} stage (`{}`)", wanted.slot, wanted.name);
            let sampler = self.core.rt.bound.stages[stage].samplers.at(wanted.slot as usize);
            match sampler.and_then(|h| self.core.shared(h.key())).map(|s| &s.data) {
                Some(ObjectData::Sampler(desc)) if desc.filter.comparison != wanted.comparison => {
                    findings.push((MessageId::DrawSamplerMismatch, place));
                }
                Some(_) => {}
                None => findings.push((MessageId::DrawSamplerNotSet, place)),
            }
        }
    }

    fn find_outputs(&self, shader: &ShaderReflection, findings: &mut Vec<Finding>) {
        let targets = self.core.rt.bound.render_targets.get(None).iter().enumerate();
        for (slot, target) in
            targets.filter_map(|(slot, target)| Some((slot, self.view_of(target.as_ref()?.key())?)))
        {
            let Some(output) = shader.output(slot as u32) else { continue };
            let kind = scalar_kind(target.format.component_kind());
            if kind != output.kind {
                let text = format!("output {slot} is {:?}, the target is {:?}", output.kind, target.format);
                findings.push((MessageId::DrawRenderTargetMismatch, text));
            }
        }
    }

    fn view_of(&self, key: Key) -> Option<&TextureViewDesc> {
        self.core.shared(key)?.view().and_then(|(desc, _)| desc.texture())
    }
}

/// What a shader sees of components of a kind.
pub(super) const fn scalar_kind(kind: ComponentKind) -> ScalarKind {
    match kind {
        ComponentKind::Uint => ScalarKind::Uint,
        ComponentKind::Sint => ScalarKind::Sint,
        ComponentKind::Unknown
        | ComponentKind::Typeless
        | ComponentKind::Float
        | ComponentKind::Unorm
        | ComponentKind::Snorm
        | ComponentKind::Depth => ScalarKind::Float,
    }
}

/// A view in words.
fn words(view: &ViewDesc) -> String {
    match view {
        ViewDesc::Texture(view) => format!("{:?} of {:?}", view.dimension, view.format),
        ViewDesc::Buffer(view) => format!("a buffer of elements of {} bytes", view.stride),
    }
}

/// Whether a view is what a shader declares.
fn fits(view: &ViewDesc, resource: &ObjectShared, wanted: ResourceKind) -> bool {
    let (view, dimension, sample) = match (view, wanted) {
        (ViewDesc::Texture(view), ResourceKind::Texture { dimension, sample, .. }) => {
            (view, dimension, sample)
        }
        (ViewDesc::Buffer(view), ResourceKind::Buffer { stride, .. }) => return view.stride == stride,
        (ViewDesc::Texture(_), ResourceKind::Buffer { .. })
        | (ViewDesc::Buffer(_), ResourceKind::Texture { .. }) => return false,
    };
    let dimension = match dimension {
        TextureDimension::D2 => {
            matches!(view.dimension, ViewDimension::Texture2d | ViewDimension::Texture2dMs)
        }
        TextureDimension::D2Array => {
            matches!(view.dimension, ViewDimension::Texture2dArray | ViewDimension::Texture2dMsArray)
        }
        TextureDimension::Cube => view.dimension == ViewDimension::TextureCube,
        TextureDimension::CubeArray => view.dimension == ViewDimension::TextureCubeArray,
        TextureDimension::D1 | TextureDimension::D3 => false,
    };
    let depth =
        resource.resource_desc().is_some_and(|d| d.bind_flags().contains(onze_ddi::BindFlags::DEPTH_STENCIL));
    let kind = scalar_kind(view.format.component_kind());
    dimension
        && match sample {
            SampleKind::Float => kind == ScalarKind::Float,
            SampleKind::Depth => depth,
            SampleKind::Sint => kind == ScalarKind::Sint,
            SampleKind::Uint => kind == ScalarKind::Uint,
        }
}
