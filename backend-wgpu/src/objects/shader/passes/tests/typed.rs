//! Tests of typed buffers, 1D textures and written textures.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{ResourceKind, ResourceSlot, ScalarKind, ShaderCode, ShaderStage, TextureDimension};

use super::languages::specialized;
use crate::{
    objects::shader::{
        DriverBlock, SeenBindings, SeenKind, SeenSlots, SeenView, Specialization, ViewSlot,
        formats::{scalar_kind, storage_format},
        passes::wgsl::elements::scalar_name,
    },
    testing::shader_code,
};

/// Shaders with typed buffers: read through function arguments, written, and counted atomically.
const TYPED: [(ShaderStage, &str); 3] = [
    (
        ShaderStage::Vertex,
        "
        @group(1) @binding(2) var first: texture_1d<KIND>;
        @group(1) @binding(3) var second: texture_1d<KIND>;
        fn load(buffer: texture_1d<KIND>, at: i32) -> vec4f { return vec4f(textureLoad(buffer, at, 0)); }
        fn sum(a: texture_1d<KIND>, scale: f32, b: texture_1d<KIND>) -> vec4f { return load(a, 1) + scale * load(b, 2); }
        @vertex fn main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
            let size = textureDimensions(first) + textureNumLevels(second);
            return sum(first, 2.0, second) + sum(second, 3.0, first) + load(first, i32(index)) + f32(size);
        }",
    ),
    (
        ShaderStage::Compute,
        "
        @group(1) @binding(127) var input: texture_1d<KIND>;
        @group(3) @binding(7) var output: texture_storage_1d<STORAGE, read_write>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            if id.x < textureDimensions(output) {
                textureStore(output, id.x, textureLoad(output, id.x + 1) + textureLoad(input, id.x, 0));
            }
        }",
    ),
    (
        ShaderStage::Compute,
        "
        @group(3) @binding(0) var counts: texture_storage_1d<COUNTED, atomic>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            textureAtomicAdd(counts, id.x, COUNT(1));
            textureAtomicMin(counts, i32(id.x), COUNT(1));
        }",
    ),
];

/// Returns the shader with its typed buffers in the reflection.
fn with_typed_buffers(code: &ShaderCode, kind: ScalarKind) -> ShaderCode {
    let mut code = code.clone();
    for (handle, variable) in code.module.global_variables.iter() {
        let (slot, name, binding) = (variable.binding.unwrap().binding, String::new(), handle);
        let sample = match kind {
            ScalarKind::Float => onze_ddi::SampleKind::Float,
            ScalarKind::Sint => onze_ddi::SampleKind::Sint,
            ScalarKind::Uint => onze_ddi::SampleKind::Uint,
        };
        match code.module.types[variable.ty].inner {
            naga::TypeInner::Image { class: naga::ImageClass::Storage { access, format }, .. } => {
                let kind = match naga::Scalar::from(format).kind {
                    naga::ScalarKind::Sint => ScalarKind::Sint,
                    naga::ScalarKind::Uint => ScalarKind::Uint,
                    _ => ScalarKind::Float,
                };
                let kind = onze_ddi::UnorderedAccessKind::TypedBuffer { kind, access };
                let slot = onze_ddi::UnorderedAccessSlot { slot, name, kind, binding };
                code.reflection.unordered_access.push(slot);
            }
            _ => {
                let (dimension, multisampled) = (TextureDimension::D1, false);
                let kind = ResourceKind::Texture { dimension, multisampled, sample };
                code.reflection.resources.push(ResourceSlot { slot, name, kind, binding });
            }
        }
    }
    code
}

/// The test covers every format of naga, and an empty slot.
#[test]
fn a_written_texture_has_the_format_of_the_view() {
    use onze_ddi::{ScalarKind, UnorderedAccessKind, UnorderedAccessSlot};
    for format in onze_ddi::Format::ALL.iter().copied() {
        let (Some(kind), Some(storage)) = (scalar_kind(format), storage_format(format)) else {
            continue;
        };
        if storage == naga::StorageFormat::Bgra8Unorm {
            // GLSL lacks this format, so OpenGL adapters lack it as well.
            continue;
        }
        let declared = match kind {
            ScalarKind::Float => "rgba32float",
            ScalarKind::Sint => "rgba32sint",
            ScalarKind::Uint => "rgba32uint",
        };
        let scalar = scalar_name(kind);
        let source = format!(
            "@group(3) @binding(1) var image: texture_storage_2d_array<{declared}, write>;
            @compute @workgroup_size(1) fn main() {{
                let last = textureNumLayers(image) - 1u;
                textureStore(image, textureDimensions(image) - vec2u(1u), last, vec4<{scalar}>());
            }}"
        );
        let mut code = (*shader_code(ShaderStage::Compute, &source, Vec::new())).clone();
        let (binding, _) = code.module.global_variables.iter().next().unwrap();
        let access = naga::StorageAccess::STORE;
        let kind = UnorderedAccessKind::Texture { dimension: TextureDimension::D2Array, kind, access };
        code.reflection.unordered_access.push(UnorderedAccessSlot {
            slot: 1,
            name: String::new(),
            kind,
            binding,
        });
        for seen in [Some(format), None] {
            let seen: SeenSlots =
                seen.map(|format| [Some(SeenView { format, kind: SeenKind::Texture })].into());
            let is_bound = seen.is_some();
            let seen = SeenBindings { views: seen, ..SeenBindings::default() };
            let specialization = Specialization { seen, ..Specialization::default() };
            let module = specialized(&code, &specialization);
            let formats = module.global_variables.iter().map(|(_, v)| match module.types[v.ty].inner {
                naga::TypeInner::Image { class: naga::ImageClass::Storage { format, .. }, .. } => {
                    Some(format)
                }
                _ => None,
            });
            let expected = if is_bound { vec![Some(storage)] } else { Vec::new() };
            assert_eq!(formats.collect::<Vec<_>>(), expected, "{format:?}");
        }
    }
}

/// Returns whether a slot accepts a view of a 1D texture of the format.
fn is_row(slot: &ViewSlot, format: onze_ddi::Format) -> bool {
    let counts = slot.access.contains(naga::StorageAccess::ATOMIC);
    let is_word = matches!(format, onze_ddi::Format::R32_UINT | onze_ddi::Format::R32_SINT);
    // GLSL has no storage textures of this format.
    let is_blue_first = format == onze_ddi::Format::B8G8R8A8_UNORM;
    !slot.unordered || storage_format(format).is_some() && !is_blue_first && (!counts || is_word)
}

/// The test covers every format, with views of buffers and of 1D textures in each subset of the slots.
#[test]
fn a_typed_buffer_leaves_no_image() {
    for (stage, source) in TYPED {
        for format in onze_ddi::Format::ALL.iter().copied() {
            let Some(kind) = scalar_kind(format) else { continue };
            let (storage, counted) = match kind {
                ScalarKind::Float => ("rgba32float", "r32uint"),
                ScalarKind::Sint => ("rgba32sint", "r32sint"),
                ScalarKind::Uint => ("rgba32uint", "r32uint"),
            };
            let count = if counted == "r32sint" { "i32" } else { "u32" };
            let source = source
                .replace("KIND", scalar_name(kind))
                .replace("STORAGE", storage)
                .replace("COUNTED", counted)
                .replace("COUNT", count);
            let code = with_typed_buffers(&shader_code(stage, &source, Vec::new()), kind);
            let slots = ViewSlot::all(&code.reflection);
            let rows = SeenKind::Row { filters: false };
            let kinds = [SeenKind::Buffer, rows].into_iter();
            for (bound, kind) in kinds.flat_map(|kind| (0..1 << slots.len()).map(move |bound| (bound, kind)))
            {
                let is_bound = |at: usize| {
                    bound & (1 << at) != 0
                        && slots[at].takes(format)
                        && (kind != rows || is_row(&slots[at], format))
                };
                let seen: Vec<_> =
                    (0..slots.len()).map(|at| is_bound(at).then_some(SeenView { format, kind })).collect();
                let any = seen.iter().any(Option::is_some);
                let seen: SeenSlots = any.then(|| seen.into());
                let seen = SeenBindings { views: seen, ..SeenBindings::default() };
                let block = any.then_some(DriverBlock::Counts);
                let module = specialized(&code, &Specialization { block, seen, ..Specialization::default() });
                if kind == rows {
                    continue;
                }
                let mut variables = module.global_variables.iter();
                let is_image = |ty| matches!(module.types[ty].inner, naga::TypeInner::Image { .. });
                assert!(
                    !variables.any(|(_, variable)| is_image(variable.ty)),
                    "{format:?} {bound}: no image is left"
                );
                let bindings =
                    module.global_variables.iter().filter(|(_, variable)| variable.binding.is_some());
                // Atomic operations require elements of one word, so nothing is used for other formats.
                let is_word = matches!(format, onze_ddi::Format::R32_UINT | onze_ddi::Format::R32_SINT);
                let is_used = is_word || !source.contains("atomic>");
                let used = (0..slots.len()).filter(|at| is_bound(*at)).count() + usize::from(any);
                let expected = if is_used { used } else { 0 };
                assert_eq!(bindings.count(), expected, "{format:?} {bound} of {source}");
            }
        }
    }
}
