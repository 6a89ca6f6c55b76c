//! The debug layer's checks, which find mistakes in draws that make the image wrong or black. The checks run
//! only with the debug flag and do not change the draw.
//!
//! Most draws with such a mistake are valid, so a check reports only situations that an application is
//! unlikely to intend. Bindings are divided into parts ([`DrawPart`]), and a part is checked again after it
//! has changed, while the ranges of vertices and indices are compared for each draw ([`input`]).

pub(super) mod geometry;
pub(super) mod input;
pub(super) mod linkage;
mod output;
pub(super) mod tessellation;

use naga::StorageAccess;
use onze_ddi::{
    BufferViewDesc, ComponentKind, Format, GraphicsStage, Key, ResourceDesc, ResourceKind, ResourceSlot,
    SampleKind, ScalarKind, ShaderReflection, ShaderStage, SlotClass, TextureDimension, TextureViewDesc,
    UnorderedAccessKind, ViewDesc, ViewDimension,
};

use super::{
    DeviceContext,
    draw::{reflection, terms},
    object_use::setter_prefix,
};
use crate::{
    device_core::{HandleState, ObjectData, ObjectShared},
    report::MessageId,
    shader::SourceLanguage,
};

bitflags::bitflags! {
    /// The parts of a context's state that are checked separately.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub(crate) struct DrawPart: u8 {
        /// The vertex buffers and the index buffer, with their offsets and formats.
        const INPUT = 0x1;
        /// The slots of the vertex stage: its constant buffers, views and samplers. The other stages' parts
        /// have the same contents.
        const VERTEX = 0x2;
        const HULL = 0x4;
        const DOMAIN = 0x8;
        const GEOMETRY = 0x10;
        const PIXEL = 0x20;
        /// Targets, viewports, and the rasterizer and output-merger states.
        const OUTPUT = 0x40;
        /// The input layout and the shaders. Their signatures must match.
        const SHADERS = 0x80;
    }
}

impl DrawPart {
    /// Returns the part that contains the slots of a stage. It is empty for compute, which draws do not use.
    pub(crate) const fn of_stage(stage: ShaderStage) -> Self {
        match stage {
            ShaderStage::Vertex => Self::VERTEX,
            ShaderStage::Hull => Self::HULL,
            ShaderStage::Domain => Self::DOMAIN,
            ShaderStage::Geometry => Self::GEOMETRY,
            ShaderStage::Pixel => Self::PIXEL,
            ShaderStage::Compute => Self::empty(),
        }
    }
}

impl DeviceContext {
    /// Reports unintended reads and writes of a draw, in the parts that have changed.
    pub(super) fn report_draw_findings(&mut self, parts: DrawPart) {
        if parts.contains(DrawPart::SHADERS) {
            self.check_semantics();
        }
        if parts.contains(DrawPart::INPUT) {
            let limits = self.check_input();
            self.core.rt.draw.set_limits(limits);
        }
        for stage in GraphicsStage::ALL {
            if parts.intersects(DrawPart::of_stage(stage.into()))
                && let Some(shader) = self.stage_shader(stage.into())
                && let Some(reflection) = reflection(shader)
                // Stream output of a vertex shader reads no resources of the geometry stage.
                && (stage != GraphicsStage::Geometry || reflection.stage == ShaderStage::Geometry)
            {
                self.check_stage(stage.into(), shader, reflection);
            }
        }
        if parts.contains(DrawPart::OUTPUT) {
            self.check_output();
        }
    }

    /// Records that a call writes to a resource, where `key` identifies the resource or a view of it.
    pub(super) fn note_contents(&self, key: Key) {
        if self.core.rt.draw.has_debug_layer()
            && let Some(shared) = self.core.shared(key)
        {
            shared.set_written();
        }
    }

    pub(super) fn stage_shader(&self, stage: ShaderStage) -> Option<&ObjectShared> {
        self.core.shared(self.core.rt.bound.stages[stage].shader?.key())
    }

    /// Reports unintended reads and writes of a stage's shader.
    pub(super) fn check_stage(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        self.find_constant_buffers(stage, shader, code);
        self.find_resources(stage, shader, code);
        self.find_samplers(stage, shader, code);
        self.find_unordered_access(stage, shader, code);
        self.find_counters(stage, shader, code);
    }

    fn find_constant_buffers(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        for wanted in &code.constant_buffers {
            let (slot, size) = (wanted.slot, wanted.size);
            let name = || variable(shader, SlotClass::ConstantBuffer, slot, &wanted.name);
            let binding = self.core.rt.bound.stages[stage].constant_buffers.at(slot as usize);
            let place = || format!("slot b{slot} of the {} stage", stage.name());
            let buffer = binding.buffer.map(|h| h.key());
            let state = buffer.and_then(|key| self.core.handles.runtime::<HandleState>(key));
            let Some(state) = state else {
                let text = format_args!(
                    "{} is empty, and {} reads `{}` there, of {size} bytes; bind a buffer with \
                     `{}_set_constant_buffers`",
                    place(),
                    shader.name(),
                    name(),
                    setter_prefix(stage)
                );
                self.report_about(MessageId::DrawConstantBufferNotSet, [shader.key], text);
                continue;
            };
            let first = binding.first_constant.saturating_mul(16);
            let seen = state.byte_width.saturating_sub(first).min(binding.num_constants.saturating_mul(16));
            if seen < size {
                let text = format_args!(
                    "{} in {} shows {seen} bytes, and {} reads `{}` there, of {size} bytes; make the buffer, or the \
                     part of it that is bound, at least as large",
                    self.name_of(buffer),
                    place(),
                    shader.name(),
                    name()
                );
                let about = [Some(shader.key), buffer];
                self.report_about(MessageId::DrawConstantBufferTooSmall, about, text);
            }
        }
    }

    fn find_resources(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        for wanted in &code.resources {
            let slot = wanted.slot;
            let name = || variable(shader, SlotClass::ShaderResource, slot, &wanted.name);
            let view = self.core.rt.bound.stages[stage].shader_resources.at(slot as usize);
            let view = view.and_then(|h| self.core.shared(h.key()));
            let place = || format!("slot t{slot} of the {} stage", stage.name());
            match view.and_then(|view| Some((view, view.view()?))) {
                None => {
                    let text = format_args!(
                        "{} is empty, and {} reads `{}` there; bind a view with `{}_set_shader_resources`",
                        place(),
                        shader.name(),
                        name(),
                        setter_prefix(stage)
                    );
                    self.report_about(MessageId::DrawShaderResourceNotSet, [shader.key], text);
                }
                Some((view, (desc, resource))) if !fits(desc, resource, wanted.kind) => {
                    let text = format_args!(
                        "{} in {} is {}, and {} declares `{}` there as {}, which reads {}; bind a view of that kind, or \
                         change the declaration",
                        view.name(),
                        place(),
                        view_words(desc),
                        shader.name(),
                        name(),
                        terms(shader).map(|terms| terms.resource(wanted)).unwrap_or_default(),
                        reading(desc, resource, wanted, code)
                    );
                    self.report_about(MessageId::DrawShaderResourceMismatch, [shader.key, view.key], text);
                }
                Some(_) => {}
            }
        }
    }

    fn find_unordered_access(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        for wanted in &code.unordered_access {
            let slot = wanted.slot;
            let name = || variable(shader, SlotClass::UnorderedAccess, slot, &wanted.name);
            let view = self.core.rt.bound.stages[stage].unordered_access_views.at(slot as usize);
            let view = view.and_then(|h| self.core.shared(h.key()));
            match view.and_then(|view| Some((view, view.view()?.0))) {
                None => {
                    let text = format_args!(
                        "slot u{slot} of the {} stage is empty, and {} writes `{}` there; bind a view with `{}`",
                        stage.name(),
                        shader.name(),
                        name(),
                        view_setter(stage)
                    );
                    self.report_about(MessageId::DispatchUnorderedAccessNotSet, [shader.key], text);
                }
                Some((_, view)) if is_written_as(view, wanted.kind) => {}
                Some((view, desc)) => {
                    let Some(terms) = terms(shader) else { continue };
                    let (declared, cure) = terms.unordered_access_and_cure(desc, wanted);
                    let text = format_args!(
                        "{} in slot u{slot} of the {} stage is {}, and {} declares `{}` there as {declared}; {cure}",
                        view.name(),
                        stage.name(),
                        view_words(desc),
                        shader.name(),
                        name()
                    );
                    self.report_about(
                        MessageId::DispatchUnorderedAccessMismatch,
                        [shader.key, view.key],
                        text,
                    );
                }
            }
        }
    }

    fn find_counters(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        for wanted in &code.counters {
            let slot = wanted.slot;
            let counter = || counter(shader, slot, &wanted.name);
            let view = self.core.rt.bound.stages[stage].unordered_access_views.at(slot as usize);
            let view = view.and_then(|h| self.core.shared(h.key()));
            match view.and_then(|view| Some((view, view.view()?.0))) {
                // The empty slot has already been reported, because the shader also uses the view itself.
                None if code.unordered_access(slot).is_some() => {}
                None => {
                    let text = format_args!(
                        "slot u{slot} of the {} stage is empty, and {} counts with {} there; bind a view with `{}`",
                        stage.name(),
                        shader.name(),
                        counter(),
                        view_setter(stage)
                    );
                    self.report_about(MessageId::DispatchUnorderedAccessNotSet, [shader.key], text);
                }
                Some((_, ViewDesc::Buffer(view))) if view.counter => {}
                Some((view, _)) => {
                    let text = format_args!(
                        "{} in slot u{slot} of the {} stage has no counter, and {} counts with {}; make the view with \
                         BufferUavFlags::COUNTER or APPEND",
                        view.name(),
                        stage.name(),
                        shader.name(),
                        counter()
                    );
                    self.report_about(
                        MessageId::DispatchUnorderedAccessMismatch,
                        [shader.key, view.key],
                        text,
                    );
                }
            }
        }
    }

    fn find_samplers(&self, stage: ShaderStage, shader: &ObjectShared, code: &ShaderReflection) {
        for wanted in &code.samplers {
            let slot = wanted.slot;
            let name = || variable(shader, SlotClass::Sampler, slot, &wanted.name);
            let sampler = self.core.rt.bound.stages[stage].samplers.at(slot as usize);
            let place = || format!("slot s{slot} of the {} stage", stage.name());
            match sampler.and_then(|h| self.core.shared(h.key())).map(|s| &s.data) {
                Some(ObjectData::Sampler(desc)) if desc.filter.is_comparison() != wanted.comparison => {
                    let (is, filter) = if wanted.comparison {
                        ("does not compare", "a comparison filter")
                    } else {
                        ("compares", "a filter without comparison")
                    };
                    let language = terms(shader).map_or(SourceLanguage::Wgsl, |terms| terms.language);
                    let text = format_args!(
                        "the sampler in {} {is}, and {} declares `{}` there as {}; bind a sampler with {filter}, or \
                         change the declaration",
                        place(),
                        shader.name(),
                        name(),
                        language.sampler(wanted.comparison)
                    );
                    self.report_about(
                        MessageId::DrawSamplerMismatch,
                        [Some(shader.key), sampler.map(|h| h.key())],
                        text,
                    );
                }
                Some(_) => {}
                None => {
                    let text = format_args!(
                        "{} is empty, and {} uses `{}` there; bind a sampler with `{}_set_samplers`",
                        place(),
                        shader.name(),
                        name(),
                        setter_prefix(stage)
                    );
                    self.report_about(MessageId::DrawSamplerNotSet, [shader.key], text);
                }
            }
        }
    }

    /// Returns the kind and label of an object that is open in this context.
    pub(super) fn name_of(&self, key: Option<Key>) -> String {
        key.and_then(|key| self.core.shared(key)).map(ObjectShared::name).unwrap_or_default()
    }
}

/// Returns the name that the shader's source gives to the variable in a slot.
fn variable(shader: &ObjectShared, class: SlotClass, slot: u32, name: &str) -> String {
    terms(shader).map_or_else(|| name.to_owned(), |terms| terms.variable(class, slot, name))
}

/// Describes a slot's counter, which is a variable in WGSL but has no name in HLSL.
fn counter(shader: &ObjectShared, slot: u32, name: &str) -> String {
    match terms(shader) {
        Some(terms) if terms.language == SourceLanguage::Hlsl => {
            format!("the counter of `{}`", terms.variable(SlotClass::UnorderedAccess, slot, name))
        }
        _ => format!("`{name}`, the counter"),
    }
}

/// Returns the shader type of a format's components.
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

/// Returns the name of the call that binds unordered-access views to a stage.
const fn view_setter(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Compute => "cs_set_unordered_access_views",
        _ => "om_set_render_targets_and_unordered_access_views",
    }
}

fn view_words(view: &ViewDesc) -> String {
    match view {
        ViewDesc::Texture(view) => format!("a {:?} of {:?}", view.dimension, view.format),
        ViewDesc::Buffer(view) if view.raw => "a raw buffer, of words of 4 bytes".to_owned(),
        ViewDesc::Buffer(BufferViewDesc { format, .. }) if *format != Format::UNKNOWN => {
            format!("a typed buffer of {format:?}")
        }
        ViewDesc::Buffer(view) => format!("a buffer of elements of {} bytes", view.stride),
    }
}

/// Returns the sample count of a resource, which is 1 for a buffer.
fn samples(resource: &ObjectShared) -> u32 {
    match resource.resource_desc() {
        Some(ResourceDesc::Texture(desc)) => desc.sample_count,
        Some(ResourceDesc::Buffer(_)) | None => 1,
    }
}

/// Returns whether a view matches the declaration that a shader has for its `u` slot.
fn is_written_as(view: &ViewDesc, wanted: UnorderedAccessKind) -> bool {
    match (wanted, view) {
        (UnorderedAccessKind::Buffer { stride, atomic, .. }, ViewDesc::Buffer(view)) => match view.typed() {
            None => view.stride == stride,
            Some(format) => {
                wanted.has_words_of(format) && atomic == Some(scalar_kind(format.component_kind()))
            }
        },
        (UnorderedAccessKind::TypedBuffer { kind, access }, ViewDesc::Buffer(view)) => {
            is_typed_as(view, kind) && has_atomics(view.format, access)
        }
        (UnorderedAccessKind::Texture { dimension, kind, access }, ViewDesc::Texture(view)) => {
            has_dimension(view, dimension)
                && scalar_kind(view.format.component_kind()) == kind
                && has_atomics(view.format, access)
        }
        (UnorderedAccessKind::TypedBuffer { kind, access }, ViewDesc::Texture(view)) => {
            has_dimension(view, TextureDimension::D1)
                && scalar_kind(view.format.component_kind()) == kind
                && has_atomics(view.format, access)
        }
        (_, ViewDesc::Buffer(_) | ViewDesc::Texture(_)) => false,
    }
}

/// Returns whether a format supports the atomic operations that a shader uses, if any.
fn has_atomics(format: Format, access: StorageAccess) -> bool {
    !access.contains(StorageAccess::ATOMIC) || matches!(format, Format::R32_UINT | Format::R32_SINT)
}

/// Returns whether a view of a texture has the declared dimension.
fn has_dimension(view: &TextureViewDesc, dimension: TextureDimension) -> bool {
    match dimension {
        TextureDimension::D2 => {
            matches!(view.dimension, ViewDimension::Texture2d | ViewDimension::Texture2dMs)
        }
        // WGSL has no 1D arrays, so shaders declare them as 2D arrays.
        TextureDimension::D2Array => matches!(
            view.dimension,
            ViewDimension::Texture1dArray | ViewDimension::Texture2dArray | ViewDimension::Texture2dMsArray
        ),
        TextureDimension::Cube => view.dimension == ViewDimension::TextureCube,
        TextureDimension::CubeArray => view.dimension == ViewDimension::TextureCubeArray,
        TextureDimension::D1 => view.dimension == ViewDimension::Texture1d,
        TextureDimension::D3 => view.dimension == ViewDimension::Texture3d,
    }
}

/// Returns whether a view of a buffer is typed and its components have the given type.
fn is_typed_as(view: &BufferViewDesc, kind: ScalarKind) -> bool {
    view.typed().is_some_and(|format| scalar_kind(format.component_kind()) == kind)
}

/// Describes how a shader reads a view that does not match its declaration.
fn reading(
    view: &ViewDesc,
    resource: &ObjectShared,
    wanted: &ResourceSlot,
    code: &ShaderReflection,
) -> &'static str {
    let is_sampled = code.sampled_pairs.iter().any(|pair| pair.resource == wanted.slot);
    let is_fixed = is_depth(resource)
        || matches!(
            wanted.kind,
            ResourceKind::Texture { sample: SampleKind::Depth, .. }
                | ResourceKind::Texture {
                    dimension: TextureDimension::Cube | TextureDimension::CubeArray,
                    ..
                }
        );
    match wanted.kind {
        _ if !has_shape(view, resource, wanted.kind) => "as zero",
        ResourceKind::Buffer { .. } => "its bytes as they are",
        ResourceKind::Texture { .. } if is_sampled || is_fixed => "as zero",
        ResourceKind::Texture { .. } => "the bits of its components as they are",
    }
}

/// Returns whether a view matches a shader's declaration in shape and in the type of its elements.
fn fits(view: &ViewDesc, resource: &ObjectShared, wanted: ResourceKind) -> bool {
    has_shape(view, resource, wanted) && has_elements(view, resource, wanted)
}

/// Returns whether a view has the declared kind of resource.
fn has_shape(view: &ViewDesc, resource: &ObjectShared, wanted: ResourceKind) -> bool {
    match (view, wanted) {
        (ViewDesc::Texture(view), ResourceKind::Texture { dimension, multisampled, .. }) => {
            // A view with a multisampled dimension may belong to a texture with one sample, because shaders
            // can read such a texture as multisampled or not.
            let has_samples =
                samples(resource) > 1 || (multisampled && view.dimension == ViewDimension::Texture2dMs);
            has_dimension(view, dimension) && has_samples == multisampled
        }
        (ViewDesc::Buffer(view), ResourceKind::Buffer { .. }) => view.typed().is_none(),
        (ViewDesc::Buffer(view), ResourceKind::Texture { .. }) => {
            view.typed().is_some() && wanted.typed_buffer().is_some()
        }
        (ViewDesc::Texture(_), ResourceKind::Buffer { .. }) => false,
    }
}

/// Returns whether the element type of a view matches the declaration.
fn has_elements(view: &ViewDesc, resource: &ObjectShared, wanted: ResourceKind) -> bool {
    match (view, wanted) {
        (ViewDesc::Texture(view), ResourceKind::Texture { sample, .. }) => {
            let kind = scalar_kind(view.format.component_kind());
            match sample {
                SampleKind::Depth => is_depth(resource),
                SampleKind::Float | SampleKind::Sint | SampleKind::Uint => kind == sample.scalar_kind(),
            }
        }
        (ViewDesc::Buffer(view), ResourceKind::Buffer { stride, .. }) => view.stride == stride,
        (ViewDesc::Buffer(view), ResourceKind::Texture { .. }) => {
            wanted.typed_buffer().is_some_and(|kind| is_typed_as(view, kind))
        }
        (ViewDesc::Texture(_), ResourceKind::Buffer { .. }) => false,
    }
}

/// Returns whether a resource can be a depth target.
fn is_depth(resource: &ObjectShared) -> bool {
    resource
        .resource_desc()
        .is_some_and(|desc| desc.bind_flags().contains(onze_ddi::BindFlags::DEPTH_STENCIL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_graphics_stage_has_a_part_of_its_own() {
        let mut seen = DrawPart::INPUT | DrawPart::OUTPUT | DrawPart::SHADERS;
        for stage in GraphicsStage::ALL {
            let part = DrawPart::of_stage(stage.into());
            assert!(!part.is_empty() && !seen.intersects(part), "{stage:?}");
            seen |= part;
        }
        assert_eq!(seen, DrawPart::all());
        assert!(DrawPart::of_stage(ShaderStage::Compute).is_empty());
    }
}
