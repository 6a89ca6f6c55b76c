//! The pass for textures in `t` slots whose view has components of another kind: the shader reads their bits.
//!
//! Direct3D 11 calls such a mismatch invalid, and its debug layer reports it. Its hardware converts by the
//! format of the view and passes the bits to the shader, so this driver does the same: a texel of -1 in
//! `R32_SINT` is 0xffffffff in a `Texture2D<uint>`. Samplers do not read such textures, because wgpu filters
//! by the declared kind.
//!
//! The slots that the [typed pass](super::typed) rewrites have code for the format of the view anyway.

use naga::{
    Arena, Expression, GlobalVariable, Handle, ImageClass, ImageDimension, Module, Span, Type, TypeInner,
};
use onze_ddi::{ScalarKind, ShaderStage};

use crate::objects::shader::{
    bindings::{RESOURCE_GROUP, binding},
    rewrite::{
        calls::{self, ExpressionCalls, ReplacementCall},
        image_arguments,
        snippet::Snippet,
        variables::variable_at,
    },
    specialization::textures::OtherKind,
};

use super::{
    context::{ModulePass, PassScope},
    wgsl::elements::{as_declared, scalar_name},
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "other_kinds",
    scope: PassScope::Shader,
    applies: |context| context.key.seen.others.is_some(),
    run: |context| {
        let Some(others) = &context.key.seen.others else { return };
        apply(&mut context.module, context.stage, others);
    },
};

/// A texture of the module, with its new code.
struct RetypedTexture {
    variable: Handle<GlobalVariable>,
    /// WGSL function that loads from the texture.
    text: String,
}

/// Rewrites the loads of a module.
fn apply(module: &mut Module, stage: ShaderStage, others: &[OtherKind]) {
    let textures: Vec<_> = others.iter().filter_map(|other| retyped(module, stage, *other)).collect();
    image_arguments::resolve(module, &|variable| textures.iter().any(|texture| texture.variable == variable));
    let mut functions = Arena::new();
    let loads: Vec<_> = textures
        .iter()
        .map(|texture| {
            let mut snippet = Snippet::new(module, &texture.text, &[("image", Some(texture.variable))]);
            snippet.retype("image");
            (texture.variable, snippet.import(&mut functions).get("load").copied())
        })
        .collect();
    let mut calls = ExpressionCalls::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let all: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in all {
            let Expression::ImageLoad { image, coordinate, array_index, sample, level } = expression else {
                continue;
            };
            let Ok(Expression::GlobalVariable(variable)) = function.expressions.try_get(image) else {
                continue;
            };
            let load = loads.iter().find(|(of, _)| of == variable).and_then(|(_, load)| *load);
            let Some(target) = load else { continue };
            let before = function.expressions.len();
            // Converts the bits, because a negative index is out of range as a large unsigned number as well.
            let mut as_word = |expr| {
                let bits = Expression::As { expr, kind: naga::ScalarKind::Uint, convert: None };
                function.expressions.append(bits, Span::UNDEFINED)
            };
            let arguments = [Some(coordinate), array_index, sample.or(level)];
            let arguments = arguments.into_iter().flatten().map(&mut as_word).collect();
            let emits = Some(function.expressions.range_from(before));
            let call = ReplacementCall { function: target, arguments, emits, result: Some(handle) };
            calls.insert((place, handle), call);
        }
    }
    calls::insert(module, functions, &calls, &mut |_, _| None);
}

/// Returns the variable of a texture, and WGSL that declares it with the view's type and loads from it.
fn retyped(
    module: &Module,
    stage: ShaderStage,
    OtherKind { slot, kind: view }: OtherKind,
) -> Option<RetypedTexture> {
    let variable = variable_at(module, RESOURCE_GROUP, binding(stage, slot))?;
    let Type { inner: TypeInner::Image { dim, arrayed, class: ImageClass::Sampled { kind, multi } }, .. } =
        module.types[module.global_variables[variable].ty]
    else {
        return None;
    };
    let kind = match kind {
        naga::ScalarKind::Float => ScalarKind::Float,
        naga::ScalarKind::Sint => ScalarKind::Sint,
        naga::ScalarKind::Uint => ScalarKind::Uint,
        naga::ScalarKind::Bool | naga::ScalarKind::AbstractInt | naga::ScalarKind::AbstractFloat => {
            return None;
        }
    };
    let (dimension, at) = match dim {
        ImageDimension::D2 => ("2d", "vec2<u32>"),
        ImageDimension::D3 => ("3d", "vec3<u32>"),
        // Cube maps have no loads, and wgpu has no 1D textures with the features of Direct3D 11.
        ImageDimension::Cube | ImageDimension::D1 => return None,
    };
    let samples = if multi { "multisampled_" } else { "" };
    let (array, slice, given) = if arrayed { ("_array", "slice: u32, ", "slice, ") } else { ("", "", "") };
    let loaded = as_declared(&format!("textureLoad(image, at, {given}part)"), kind, view);
    let text = format!(
        "@group(0) @binding(0) var image: texture_{samples}{dimension}{array}<{}>;
        fn load(at: {at}, {slice}part: u32) -> vec4<{}> {{ return {loaded}; }}",
        scalar_name(view),
        scalar_name(kind),
    );
    Some(RetypedTexture { variable, text })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_load_of_another_kind_returns_the_bits() {
        let text = "
            @group(0) @binding(10) var one: texture_2d<u32>;
            @group(0) @binding(16) var several: texture_multisampled_2d<f32>;
            @group(0) @binding(22) var same: texture_2d_array<i32>;
            @group(0) @binding(28) var layers: texture_2d_array<i32>;
            fn load(image: texture_2d<u32>, at: vec2i) -> vec4u { return textureLoad(image, at, 0); }
            @fragment fn main() -> @location(0) vec4f {
                let a = load(one, vec2i(-1, i32(textureNumLevels(one))));
                let b = textureLoad(several, vec2u(a.xy), 2);
                let c = textureLoad(same, vec2u(b.xy), 1, 0) + textureLoad(layers, vec2u(b.xy), 1, 0);
                return b + vec4f(c);
            }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        let others = [(1, ScalarKind::Sint), (2, ScalarKind::Uint), (4, ScalarKind::Float)];
        apply(&mut module, ShaderStage::Pixel, &others.map(|(slot, kind)| OtherKind { slot, kind }));
        let info = crate::objects::shader::passes::tests::languages::validate(&module).unwrap();
        let text = naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty());
        let text = text.unwrap();
        for part in [
            "one: texture_2d<i32>",
            "several: texture_multisampled_2d<u32>",
            "same: texture_2d_array<i32>",
            "layers: texture_2d_array<f32>",
            "bitcast<vec4<u32>>(",
            "bitcast<vec4<f32>>(",
            "bitcast<vec4<i32>>(",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
