//! Comparison of Rust structures with the constant buffers of shaders.

use onze::prelude::*;
use onze_tests::{Config, Harness, on_each};

/// A vector of 12 bytes after a float, as HLSL packs them, although WGSL would align the vector to 16 bytes.
#[derive(Copy, Clone, Pod, Zeroable, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Lamp {
    intensity: f32,
    tint_color: [f32; 3],
}

#[derive(Copy, Clone, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    view_proj: [[f32; 4]; 4],
    lamps: [Lamp; 2],
    #[constants(name = "clock")]
    time: f32,
    _padding: [f32; 3],
}

const HLSL: &str = "
    struct Lamp { float intensity; float3 tintColor; };
    cbuffer Scene : register(b2) { float4x4 viewProj; Lamp lamps[2]; float clock; };
    float4 main() : SV_Target { return viewProj[0] + lamps[1].tintColor.xyzz * lamps[0].intensity + clock; }";

const WGSL: &str = "
    struct Lamp { intensity: f32, tint_color: vec3f }
    struct Scene { view_proj: mat4x4f, lamps: array<Lamp, 2>, clock: f32 }
    @group(0) @binding(2) var<uniform> scene: Scene;
    @fragment fn main() -> @location(0) vec4f {
        return scene.view_proj[0] + vec4f(scene.lamps[1].tint_color, scene.clock) * scene.lamps[0].intensity;
    }";

fn mismatch<T: ConstantFields>(h: &Harness, source: ShaderSource<'_>, slot: u32) -> String {
    let shader = h.device.create_pixel_shader(source).unwrap();
    shader.check_constant_buffer::<T>(slot).map_or_else(|error| error.to_string(), |()| String::new())
}

#[test]
fn a_structure_with_the_offsets_of_the_shader_passes() {
    on_each(&[Config::NULL], |h| {
        assert_eq!(mismatch::<Scene>(h, ShaderSource::hlsl(HLSL, "main"), 2), "");
        let fields: Vec<_> =
            Scene::FIELDS.iter().map(|f| (f.name, f.offset, f.size, f.count, f.fields.len())).collect();
        let expected = [
            ("view_proj", 0, 64, 4, 0),
            ("lamps", 64, 32, 2, 2),
            ("clock", 96, 4, 1, 0),
            ("_padding", 100, 12, 3, 0),
        ];
        assert_eq!(fields, expected);
    });
}

#[test]
fn a_structure_is_compared_with_wgsl_member_by_member() {
    on_each(&[Config::NULL], |h| {
        let words = mismatch::<Scene>(h, ShaderSource::wgsl(WGSL, "main"), 2);
        for part in [
            "the elements of `lamps` are 16 bytes apart in the structure and 32 in the shader",
            "`lamps.tint_color` is at byte 4 in the structure and at byte 16 in the shader; add 12 bytes of padding before it",
            "`clock` is at byte 96 in the structure and at byte 128 in the shader; add 32 bytes of padding before it",
        ] {
            assert!(words.contains(part), "{words}");
        }
    });
}

/// The sizes are equal, but the offsets differ, because HLSL moves `direction` to the next register.
#[test]
fn wrong_packing_of_equal_size_is_named_with_the_padding() {
    #[derive(Copy, Clone, NoUninit, ConstantFields)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[repr(C)]
    struct Light {
        size: [f32; 2],
        direction: [f32; 3],
        range: f32,
        spare: [f32; 2],
    }
    on_each(&[Config::NULL], |h| {
        let text = "cbuffer Light { float2 size; float3 direction; float range; };
            float4 main() : SV_Target { return float4(direction * range, size.x); }";
        let words = mismatch::<Light>(h, ShaderSource::hlsl(text, "main"), 0);
        assert!(
            words.contains(
                "`direction` is at byte 8 in the structure and at byte 16 in the shader; add 8 bytes of padding before it"
            ),
            "{words}"
        );
        assert!(words.contains("b0 of") && words.contains("Light"), "{words}");
        // The missing padding before `direction` also moves `range`, but it must be reported only once.
        assert_eq!(words.matches("bytes of padding").count(), 1, "{words}");
        // If there is too much padding, the message must ask the user to remove it.
        let text = "cbuffer Light { float2 size; float range; }; float4 main() : SV_Target { return size.x * range; }";
        let words = mismatch::<Light>(h, ShaderSource::hlsl(text, "main"), 0);
        assert!(
            words.contains(
                "`range` is at byte 20 in the structure and at byte 8 in the shader; remove 12 bytes"
            ),
            "{words}"
        );
    });
}

#[test]
fn arrays_matrices_and_missing_fields_are_compared() {
    #[derive(Copy, Clone, NoUninit, ConstantFields)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[repr(C)]
    struct Weights {
        weights: [f32; 4],
        turn: [[f32; 3]; 3],
        last: f32,
    }
    #[derive(Copy, Clone, NoUninit, ConstantFields)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[repr(C)]
    struct Padded {
        weights: [[f32; 4]; 4],
        turn: [[f32; 4]; 3],
    }
    on_each(&[Config::NULL], |h| {
        let text = "cbuffer Weights { float weights[4]; float3x3 turn; };
            float4 main() : SV_Target { return weights[3] + turn[0].xyzz; }";
        let words = mismatch::<Weights>(h, ShaderSource::hlsl(text, "main"), 0);
        assert!(
            words.contains(
                "the elements of `weights` are 4 bytes apart in the structure and 16 in the shader"
            ),
            "{words}"
        );
        assert!(words.contains("`turn` has 36 bytes in the structure and 44 in the shader"), "{words}");
        assert_eq!(mismatch::<Padded>(h, ShaderSource::hlsl(text, "main"), 0), "");
        let text = "struct Weights { weights: array<vec4f, 4>, turn: mat3x3f, bias: vec4f, gain: vec4f }
            @group(0) @binding(0) var<uniform> w: Weights;
            @fragment fn main() -> @location(0) vec4f { return w.weights[1] + w.turn[0].xyzz + w.bias + w.gain; }";
        let words = mismatch::<Padded>(h, ShaderSource::wgsl(text, "main"), 0);
        assert!(words.contains("`bias` (bytes 112 to 128 of the shader) has no field"), "{words}");
        assert!(words.contains("the structure has 112 bytes; add the field at its end"), "{words}");
    });
}

#[test]
fn a_slot_without_a_constant_buffer_lists_the_others() {
    on_each(&[Config::NULL], |h| {
        for source in [ShaderSource::hlsl(HLSL, "main"), ShaderSource::wgsl(WGSL, "main")] {
            let words = mismatch::<Scene>(h, source, 0);
            assert!(words.contains("no constant buffer in b0") && words.contains("(b2)"), "{words}");
        }
    });
}

#[test]
fn a_buffer_of_one_matrix_is_compared_by_place() {
    #[derive(Copy, Clone, NoUninit, ConstantFields)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[repr(C)]
    struct Camera {
        matrix: [[f32; 4]; 4],
    }
    on_each(&[Config::NULL], |h| {
        let text = "@group(0) @binding(0) var<uniform> to_clip: mat4x4f;
            @fragment fn main() -> @location(0) vec4f { return to_clip[0]; }";
        assert_eq!(mismatch::<Camera>(h, ShaderSource::wgsl(text, "main"), 0), "");
        let text = "cbuffer Camera { float4x4 to_clip; }; float4 main() : SV_Target { return to_clip[0]; }";
        assert_eq!(mismatch::<Camera>(h, ShaderSource::hlsl(text, "main"), 0), "");
    });
}

/// WGSL aligns each column of a matrix with three rows to 16 bytes.
#[test]
fn packed_columns_of_three_are_reported_in_wgsl() {
    #[derive(Copy, Clone, NoUninit, ConstantFields)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[repr(C)]
    struct Turn {
        turn: [[f32; 3]; 3],
        _padding: [f32; 3],
    }
    on_each(&[Config::NULL], |h| {
        let text = "struct Turn { turn: mat3x3f } @group(0) @binding(0) var<uniform> t: Turn;
            @fragment fn main() -> @location(0) vec4f { return t.turn[0].xyzz; }";
        let words = mismatch::<Turn>(h, ShaderSource::wgsl(text, "main"), 0);
        assert!(words.contains("`turn` has 36 bytes in the structure and 44 in the shader"), "{words}");
    });
}
