//! The functions of 1D textures, which are 2D textures of height 1 in wgpu: its own have neither mip levels nor slices, and
//! cannot be targets.

use naga::StorageAccess;
use onze_ddi::ScalarKind;

use super::{
    elements::scalar_name,
    other_kinds::{as_declared, as_viewed},
    typed::ATOMICS,
};

/// Of a texture that is read, as the shader declares it and as the view has it. A sampler finds the middle of the only row.
pub(super) fn text(kind: ScalarKind, view: ScalarKind) -> String {
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

/// Of a texture that is written. Its format is declared by the caller.
pub(super) fn text_of_writes(kinds: (ScalarKind, ScalarKind), access: StorageAccess) -> String {
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

/// The variable of a storage texture, in a format that has such components.
pub(super) fn storage_variable(dimension: &str, kind: ScalarKind, access: StorageAccess) -> String {
    let components = if access.contains(StorageAccess::ATOMIC) { "r" } else { "rgba" };
    let format = match kind {
        ScalarKind::Float => "float",
        ScalarKind::Sint => "sint",
        ScalarKind::Uint => "uint",
    };
    let access = if access.contains(StorageAccess::ATOMIC) { "atomic" } else { "read_write" };
    format!("@group(0) @binding(1) var words: texture_storage_{dimension}<{components}32{format}, {access}>;")
}

/// The functions that a shader with such an access calls: `PLACE` is the type of a place, of which `texel` is that of a
/// texel, and `is_there` says whether there is one. The kinds are the declared one and that of the view.
pub(super) fn accesses(texel: &str, (kind, view): (ScalarKind, ScalarKind), access: StorageAccess) -> String {
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
