//! The WGSL functions of 1D textures and of written textures.
//!
//! A 1D texture of Direct3D 11 is a 2D texture of height 1 in wgpu, whose own 1D textures have neither mip
//! levels nor slices and cannot be render targets.
//!
//! wgpu binds all depth slices of a 3D texture that is written through a view of some slices. The functions
//! therefore add the first slice to each position and access none after the last. The [driver
//! constants](super::super::driver_constants) hold both.

use naga::{ImageDimension, StorageAccess};
use onze_ddi::{ScalarKind, TextureDimension};

use crate::objects::shader::{
    driver_constants::{COUNT_VECTORS, CountSlot},
    passes::wgsl::elements::{ATOMICS, as_declared, as_viewed, scalar_name},
    specialization::view_slots::ViewSlot,
};

/// Returns the functions of a 1D texture that is read, for the declared kind and the kind of the view.
/// Samples use the middle of the only row.
pub(super) fn text_of_row(kind: ScalarKind, view: ScalarKind) -> String {
    let (name, image) = (scalar_name(kind), scalar_name(view));
    let load = as_declared("textureLoad(words, vec2<u32>(index, 0u), level)", kind, view);
    let samples = if kind == ScalarKind::Float && view == ScalarKind::Float {
        "
        fn sample(s: sampler, x: f32) -> vec4<f32> { return textureSample(words, s, vec2<f32>(x, 0.5)); }
        fn sample_first(s: sampler, x: f32) -> vec4<f32> {
            return textureSampleLevel(words, s, vec2<f32>(x, 0.5), 0.0);
        }
        fn sample_level(s: sampler, x: f32, level: f32) -> vec4<f32> {
            return textureSampleLevel(words, s, vec2<f32>(x, 0.5), level);
        }
        fn sample_bias(s: sampler, x: f32, bias: f32) -> vec4<f32> {
            return textureSampleBias(words, s, vec2<f32>(x, 0.5), bias);
        }
        fn sample_grad(s: sampler, x: f32, ddx: f32, ddy: f32) -> vec4<f32> {
            return textureSampleGrad(words, s, vec2<f32>(x, 0.5), vec2<f32>(ddx, 0.0), vec2<f32>(ddy, 0.0));
        }"
    } else {
        ""
    };
    format!(
        "
        @group(0) @binding(0) var words: texture_2d<{image}>;
        fn elements() -> u32 {{ return textureDimensions(words).x; }}
        fn elements_of_level(level: u32) -> u32 {{ return textureDimensions(words, level).x; }}
        fn levels() -> u32 {{ return textureNumLevels(words); }}
        fn load(index: u32, level: u32) -> vec4<{name}> {{ return {load}; }}
        {samples}"
    )
}

/// Returns the functions of a written 1D texture. The caller declares the format.
pub(super) fn text_of_written_row(kinds: (ScalarKind, ScalarKind), access: StorageAccess) -> String {
    let (variable, accesses) =
        (storage_variable("2d", kinds.1, access), accesses("vec2<u32>(at, 0u)", kinds, access));
    format!(
        "
        {variable}
        fn elements() -> u32 {{ return textureDimensions(words).x; }}
        fn is_there(at: u32) -> bool {{ return true; }}
        {}",
        accesses.replace("PLACE", "u32")
    )
}

/// Returns the functions of written depth slices, for the declared kind and the kind of the view. The caller
/// declares the format.
pub(super) fn text_of_depth_slices(
    kinds: (ScalarKind, ScalarKind),
    access: StorageAccess,
    count: CountSlot,
) -> String {
    let first = count.first_byte();
    let variable = storage_variable("3d", kinds.1, access);
    let accesses = accesses("at + vec3<u32>(0u, 0u, first())", kinds, access);
    format!(
        "
        struct DriverConstants {{ counts: array<vec4<u32>, {COUNT_VECTORS}> }}
        @group(0) @binding(0) var<uniform> driver_constants: DriverConstants;
        {variable}
        fn slices() -> u32 {{ return driver_constants.counts[{}][{}]; }}
        fn first() -> u32 {{ return driver_constants.counts[{}][{}]; }}
        fn elements() -> vec3<u32> {{ return vec3<u32>(textureDimensions(words).xy, slices()); }}
        fn is_there(at: vec3<u32>) -> bool {{ return at.z < slices(); }}
        {}",
        count.vector(),
        count.component(),
        first.vector(),
        first.component(),
        accesses.replace("PLACE", "vec3<u32>")
    )
}

/// Returns the functions of a texture that is written through a view of another kind. The caller declares the
/// format.
pub(super) fn text_of_other_kind(
    (dim, arrayed): (ImageDimension, bool),
    (declared, view): (ScalarKind, ScalarKind),
    access: StorageAccess,
) -> String {
    let (dimension, place) = match (dim, arrayed) {
        (ImageDimension::D3, _) => ("3d", "vec3<u32>"),
        (_, true) => ("2d_array", "vec2<u32>, slice: u32"),
        (_, false) => ("2d", "vec2<u32>"),
    };
    let variable = storage_variable(dimension, view, access);
    let accesses = accesses(if arrayed { "at, slice" } else { "at" }, (declared, view), access);
    let accesses = accesses.replace("if is_there(at)", "");
    format!("{variable}\n{}", accesses.replace("PLACE", place))
}

/// Returns functions that read zeros and write nothing. The functions have no arguments, because they would
/// not matter.
pub(super) fn text_of_no_texture(slot: &ViewSlot) -> String {
    let kind = scalar_name(slot.kind);
    let atomics: String = ATOMICS.iter().map(|name| format!("fn of_{name}() {{}}\n")).collect();
    let size = if slot.texture == Some(TextureDimension::D3) { "vec3<u32>" } else { "vec2<u32>" };
    format!(
        "
        fn elements() -> {size} {{ return {size}(); }}
        fn levels() -> u32 {{ return 0u; }}
        fn load() -> vec4<{kind}> {{ return vec4<{kind}>(); }}
        fn store() {{}}
        {atomics}"
    )
}

/// Returns the declaration of a storage texture with components of a kind.
fn storage_variable(dimension: &str, kind: ScalarKind, access: StorageAccess) -> String {
    let components = if access.contains(StorageAccess::ATOMIC) { "r" } else { "rgba" };
    let format = match kind {
        ScalarKind::Float => "float",
        ScalarKind::Sint => "sint",
        ScalarKind::Uint => "uint",
    };
    let access = if access.contains(StorageAccess::ATOMIC) { "atomic" } else { "read_write" };
    format!("@group(0) @binding(1) var words: texture_storage_{dimension}<{components}32{format}, {access}>;")
}

/// Returns the functions for the shader's kind of access. `PLACE` is the type of a position, `texel` converts
/// a position to texel coordinates, and `is_there` returns whether the texel exists. The kinds are the
/// declared one and that of the view.
fn accesses(texel: &str, (kind, view): (ScalarKind, ScalarKind), access: StorageAccess) -> String {
    let mut text = String::new();
    let name = scalar_name(kind);
    if access.contains(StorageAccess::ATOMIC) {
        for name in ATOMICS {
            let function = name.replace("atomic", "textureAtomic");
            text += &format!(
                "fn of_{name}(at: PLACE, value: {}) {{ if is_there(at) {{ {function}(words, {texel}, value); }} }}\n",
                scalar_name(kind)
            );
        }
        return text;
    }
    if access.contains(StorageAccess::LOAD) {
        text += &format!(
            "fn load(at: PLACE) -> vec4<{name}> {{
                if is_there(at) {{ return {}; }}
                return vec4<{name}>();
            }}\n",
            as_declared(&format!("textureLoad(words, {texel})"), kind, view)
        );
    }
    if access.contains(StorageAccess::STORE) {
        text += &format!(
            "fn store(at: PLACE, value: vec4<{name}>) {{
                if is_there(at) {{ textureStore(words, {texel}, {}); }}
            }}\n",
            as_viewed("value", kind, view)
        );
    }
    text
}
