//! Shaders in HLSL, SPIR-V and GLSL, and shaders that are composed from modules.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use naga::{
    ShaderStage as Stage,
    back::spv,
    valid::{Capabilities, ValidationFlags, Validator},
};
use onze::prelude::*;
use onze_tests::{Config, Harness, Target, assert_error, gpu_matrix, on_each};

/// The picture's shaders in WGSL, with every register type and with vertex inputs that have semantics.
const WGSL: &str = "
    struct Constants { tint: vec4f }
    @group(0) @binding(2) var<uniform> constants: Constants;
    @group(1) @binding(3) var albedo: texture_2d<f32>;
    @group(2) @binding(1) var nearest: sampler;
    struct Varying { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs_main(@location(1) texcoord1: vec2f, @location(0) position: vec3f) -> Varying {
        return Varying(vec4f(position, 1.0), texcoord1);
    }
    @fragment fn ps_main(in: Varying) -> @location(0) vec4f {
        return textureSample(albedo, nearest, in.uv) * constants.tint;
    }";

const GLSL_VERTEX: &str = "#version 450
    layout(location = 1) in vec2 texcoord1;
    layout(location = 0) in vec3 position;
    layout(location = 0) out vec2 uv;
    void main() {
        gl_Position = vec4(position, 1.0);
        uv = texcoord1;
    }";

const GLSL_PIXEL: &str = "#version 450
    layout(set = 0, binding = 2) uniform Constants { vec4 tint; } constants;
    layout(set = 1, binding = 3) uniform texture2D albedo;
    layout(set = 2, binding = 1) uniform sampler nearest;
    layout(location = 0) in vec2 uv;
    layout(location = 0) out vec4 color;
    void main() { color = texture(sampler2D(albedo, nearest), uv) * constants.tint; }";

const HLSL: &str = "
    cbuffer Constants : register(b2) { float4 tint; };
    Texture2D albedo : register(t3);
    SamplerState nearest : register(s1);
    struct Varying { float4 position : SV_Position; float2 uv : TEXCOORD; };
    Varying vs_main(float2 uv : TEXCOORD1, float3 position : POSITION) {
        Varying result = { float4(position, 1), uv };
        return result;
    }
    float4 ps_main(Varying input) : SV_Target { return albedo.Sample(nearest, input.uv) * tint; }";

/// Compiles an entry point of a WGSL program to SPIR-V, giving inputs the names that DXC gives them.
fn spirv(text: &str, stage: Stage, entry_point: &str) -> Vec<u8> {
    let mut module = naga::front::wgsl::parse_str(text).unwrap();
    for point in &mut module.entry_points {
        for argument in &mut point.function.arguments {
            argument.name = argument.name.take().map(|name| format!("in.var.{}", name.to_uppercase()));
        }
    }
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let options = spv::Options {
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        ..spv::Options::default()
    };
    let point = spv::PipelineOptions { shader_stage: stage, entry_point: entry_point.to_owned() };
    let words = spv::write_vec(&module, &info, &options, Some(&point)).unwrap();
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    texcoord1: [f32; 2],
}

fn draw(h: &mut Harness, vs: ShaderSource<'_>, ps: ShaderSource<'_>) -> Vec<u32> {
    let device = h.device.clone();
    let (target, vs) = (Target::new(&device, 16, 16), device.create_vertex_shader(vs).unwrap());
    let ps = device.create_pixel_shader(ps).unwrap();
    let corners = [
        Corner { position: [-0.9, 0.8, 0.0], texcoord1: [0.0, 0.0] },
        Corner { position: [0.7, 0.6, 0.0], texcoord1: [1.0, 0.0] },
        Corner { position: [-0.5, -0.7, 0.0], texcoord1: [0.0, 1.0] },
    ];
    let texels = [0xff00_00ff_u32, 0xff00_ff00, 0xffff_0000, 0xffff_ffff];
    let albedo = device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 2, 2, &texels).unwrap();
    let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
    let cx = &mut h.immediate;
    cx.clear_state();
    target.bind(cx);
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.ia_set_input_layout(&device.create_input_layout_of::<Corner>(&vs).unwrap());
    cx.ia_set_vertex_buffers(0, &device.create_vertex_buffer(&corners).unwrap());
    cx.vs_set_shader(&vs);
    cx.ps_set_shader(&ps);
    cx.ps_set_constant_buffers(2, &device.create_constant_buffer(&[1.0_f32, 0.5, 1.0, 1.0]).unwrap());
    cx.ps_set_shader_resources(3, &albedo.create_shader_resource_view().unwrap());
    cx.ps_set_samplers(1, &device.create_sampler_state(&sampler).unwrap());
    cx.draw(3, 0);
    let texels = target.read(h);
    h.immediate.clear_state();
    h.assert_silent();
    texels
}

#[test]
fn hlsl_draws_the_picture_of_wgsl() {
    on_each(&gpu_matrix(), |h| {
        let expected = draw(h, ShaderSource::wgsl(WGSL, "vs_main"), ShaderSource::wgsl(WGSL, "ps_main"));
        let (vs, ps) = (ShaderSource::hlsl(HLSL, "vs_main"), ShaderSource::hlsl(HLSL, "ps_main"));
        assert_eq!(draw(h, vs, ps), expected);
    });
}

fn compiled(entry_point: &str, profile: &str) -> Vec<u8> {
    let options = onze::hlsl::CompileOptions::default();
    let profile = profile.parse().unwrap();
    onze::hlsl::compile(HLSL, "picture.hlsl", entry_point, profile, &options).unwrap().to_bytes().unwrap()
}

#[test]
fn compiled_hlsl_draws_the_picture_of_its_text() {
    on_each(&gpu_matrix(), |h| {
        let expected = draw(h, ShaderSource::hlsl(HLSL, "vs_main"), ShaderSource::hlsl(HLSL, "ps_main"));
        let (vs, ps) = (compiled("vs_main", "vs_4_0"), compiled("ps_main", "ps_5_0"));
        assert_eq!(draw(h, ShaderSource::compiled(&vs), ShaderSource::compiled(&ps)), expected);
    });
}

#[test]
fn compiled_hlsl_of_another_stage_or_damaged_is_refused() {
    on_each(&[Config::NULL], |h| {
        let mut bytes = compiled("vs_main", "vs_5_0");
        h.device.create_vertex_shader(ShaderSource::compiled(&bytes)).unwrap();
        let error = h.device.create_pixel_shader(ShaderSource::compiled(&bytes)).unwrap_err().to_string();
        assert!(error.contains("`vs_main` is a vertex shader, not a pixel shader"), "{error}");
        *bytes.last_mut().unwrap() ^= 1;
        for (bytes, words) in [
            (&bytes[..], "damaged: its checksum"),
            (b"DXBC", "was given DXBC"),
            (b"other", "are not a stored shader"),
        ] {
            let error = h.device.create_vertex_shader(ShaderSource::compiled(bytes)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        h.assert_reported(MessageId::CreateShaderInvalid);
    });
}

#[test]
fn hlsl_shaders_reflect_their_declarations() {
    on_each(&[Config::NULL], |h| {
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(HLSL, "vs_main")).unwrap();
        let inputs: Vec<_> = vs.hlsl_reflection().unwrap().inputs.iter().collect();
        let semantics = inputs.iter().map(|input| (&*input.semantic_name, input.semantic_index, input.mask));
        assert_eq!(semantics.collect::<Vec<_>>(), [("TEXCOORD", 1, 0b11), ("POSITION", 0, 0b111)]);
        let ps = compiled("ps_main", "ps_5_0");
        let ps = h.device.create_pixel_shader(ShaderSource::compiled(&ps)).unwrap();
        let reflection = ps.hlsl_reflection().unwrap();
        assert_eq!(reflection.resource("albedo").unwrap().slot, 3);
        assert_eq!(reflection.variable("tint").map(|tint| (tint.offset, tint.size)), Some((0, 16)));
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(WGSL, "ps_main")).unwrap();
        assert_eq!(ps.hlsl_reflection(), None);
        assert!(ps.reflection().is_some());
    });
}

#[test]
fn hlsl_is_read_from_a_file_with_includes_and_macros() {
    on_each(&[Config::NULL], |h| {
        let folder = std::env::temp_dir().join(format!("onze-hlsl-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tint.hlsli"), "static const float4 tint = float4(1, STRENGTH, 1, 1);")
            .unwrap();
        let path = folder.join("main.hlsl");
        let text = "#include \"tint.hlsli\"\nfloat4 main() : SV_Target { return tint; }";
        std::fs::write(&path, text).unwrap();
        let macros = [onze::hlsl::Macro::new("STRENGTH", "0.5")];
        let mut options = onze::hlsl::CompileOptions::default();
        options.preprocess.macros = &macros;
        h.device.create_pixel_shader(ShaderSource::hlsl_file_with(&path, "main", &options)).unwrap();
        // Without the macro, the included file has an error, and without a path, the source cannot include
        // files.
        let error =
            h.device.create_pixel_shader(ShaderSource::hlsl_file(&path, "main")).unwrap_err().to_string();
        assert!(error.contains("tint.hlsli(1,") && error.contains("STRENGTH"), "{error}");
        let error =
            h.device.create_pixel_shader(ShaderSource::hlsl_with(text, "main", &options)).unwrap_err();
        assert!(error.to_string().contains("X1505"), "{error}");
        let missing = folder.join("missing.hlsl");
        let error = h.device.create_pixel_shader(ShaderSource::hlsl_file(&missing, "main")).unwrap_err();
        assert!(error.to_string().contains("missing.hlsl"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
        h.assert_reported(MessageId::CreateShaderInvalid);
    });
}

#[test]
fn warnings_of_hlsl_are_messages() {
    on_each(&[Config::NULL], |h| {
        h.watch.expect(&[MessageId::ShaderCompilerWarning]);
        let text = "float4 main(float4 a : A) : SV_Target { float2 b = a; return b.xyxy; }";
        h.device.create_pixel_shader(ShaderSource::hlsl(text, "main")).unwrap();
        let messages = h.device.info_queue().take();
        assert!(
            matches!(&messages[..], [warning] if warning.id == MessageId::ShaderCompilerWarning
                && warning.description.contains("shader.hlsl(1,52): warning X3206")),
            "{messages:?}"
        );
    });
}

#[test]
fn spirv_draws_the_picture_of_wgsl() {
    on_each(&gpu_matrix(), |h| {
        let expected = draw(h, ShaderSource::wgsl(WGSL, "vs_main"), ShaderSource::wgsl(WGSL, "ps_main"));
        assert!(expected.iter().any(|texel| *texel == 0xff00_7f00 || *texel == 0xff00_8000), "{expected:x?}");
        let (vs, ps) = (spirv(WGSL, Stage::Vertex, "vs_main"), spirv(WGSL, Stage::Fragment, "ps_main"));
        let found = draw(h, ShaderSource::spirv(&vs, "vs_main"), ShaderSource::spirv(&ps, "ps_main"));
        assert_eq!(found, expected);
    });
}

#[test]
fn glsl_draws_the_picture_of_wgsl() {
    on_each(&gpu_matrix(), |h| {
        let expected = draw(h, ShaderSource::wgsl(WGSL, "vs_main"), ShaderSource::wgsl(WGSL, "ps_main"));
        assert_eq!(draw(h, ShaderSource::glsl(GLSL_VERTEX), ShaderSource::glsl(GLSL_PIXEL)), expected);
    });
}

#[test]
fn mistakes_in_glsl_have_a_line_and_a_column() {
    on_each(&[Config::NULL], |h| {
        let broken = GLSL_PIXEL.replace("color = texture", "colour = texture");
        let error = h.device.create_pixel_shader(ShaderSource::glsl(&broken)).unwrap_err().to_string();
        assert!(error.contains("colour") && error.contains(":7:"), "{error}");
        // Registers are checked by the same rules as in WGSL.
        let wrong = GLSL_PIXEL.replace("set = 1", "set = 0");
        let error = h.device.create_pixel_shader(ShaderSource::glsl(&wrong)).unwrap_err().to_string();
        assert!(error.contains("albedo") && error.contains("in set 1, the t registers"), "{error}");
        assert_error!(h.device.create_pixel_shader(ShaderSource::glsl("")), InvalidArg);
        h.assert_reported(MessageId::CreateShaderInvalid);
    });
}

#[test]
fn broken_spirv_is_an_error() {
    on_each(&[Config::NULL], |h| {
        let module = spirv(WGSL, Stage::Vertex, "vs_main");
        let error = h.device.create_vertex_shader(ShaderSource::spirv(&module, "main")).unwrap_err();
        assert!(error.to_string().contains("vs_main"), "{error}");
        for len in 0..module.len() {
            let _ = h.device.create_vertex_shader(ShaderSource::spirv(&module[..len], "vs_main"));
        }
        for text in [&b"not SPIR-V"[..], b"", b"\x03\x02\x23\x07"] {
            assert_error!(h.device.create_vertex_shader(ShaderSource::spirv(text, "vs_main")), InvalidArg);
        }
        h.assert_reported(MessageId::CreateShaderInvalid);
        // `include_bytes!` does not align the bytes of a file, so unaligned bytes must work as well.
        let shifted: Vec<u8> = std::iter::once(0).chain(module).collect();
        h.device.create_vertex_shader(ShaderSource::spirv(&shifted[1..], "vs_main")).unwrap();
    });
}

const MODULE: &str = "#define_import_path paint
    fn tinted(color: vec4f, tint: vec4f) -> vec4f { return color * tint; }
    #ifdef HALF
    const STRENGTH: f32 = 0.5;
    #else
    const STRENGTH: f32 = f32(#{STRENGTH});
    #endif";

#[test]
fn a_composed_shader_draws_with_its_imports_and_definitions() {
    on_each(&gpu_matrix(), |h| {
        let mut modules = onze::ShaderModules::new();
        modules.add(MODULE).unwrap();
        let text = format!(
            "#import paint::{{tinted, STRENGTH}}\n{}",
            WGSL.replace("in.uv) * constants.tint", "in.uv).xyzw;").replace(
                "return textureSample(albedo, nearest, in.uv).xyzw;;",
                "return tinted(textureSample(albedo, nearest, in.uv), vec4f(1.0, STRENGTH, 1.0, 1.0));"
            )
        );
        let text = text
            .replace("struct Constants { tint: vec4f }\n", "")
            .replace("@group(0) @binding(2) var<uniform> constants: Constants;", "");
        let vs = ShaderSource::wgsl(WGSL, "vs_main");
        let expected = draw(h, vs, ShaderSource::wgsl(WGSL, "ps_main"));
        for (definition, is_half) in [(("HALF", true.into()), true), (("STRENGTH", 1_u32.into()), false)] {
            let composed = modules.compose(&text, [definition]).unwrap();
            let found = draw(h, composed.source("vs_main"), composed.source("ps_main"));
            assert_eq!(found == expected, is_half, "{found:x?}");
        }
    });
}

#[test]
fn errors_in_modules_are_reported() {
    let mut modules = onze::ShaderModules::new();
    let error = modules.add("fn nameless() {}").unwrap_err().to_string();
    assert!(error.contains("define_import_path"), "{error}");
    modules.add(MODULE.split("#ifdef").next().unwrap()).unwrap();
    let error = modules.compose("#import missing::f\nfn g() { f(); }", []).unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
    let error = modules.compose("#import paint::tinted\nfn g() -> f32 { return tinted(1.0); }", []);
    assert_error!(error, InvalidArg);
}

fn container(part: &[u8; 4]) -> Vec<u8> {
    let mut bytes = b"DXBC".to_vec();
    bytes.extend([0; 24]);
    bytes.extend([1, 0, 0, 0, 36, 0, 0, 0]);
    bytes.extend(part);
    bytes
}

/// Passes a program in each language to each constructor: text to all constructors, and bytes to those that
/// accept bytes.
#[test]
fn a_program_of_another_language_names_its_constructor() {
    let spirv = spirv(WGSL, Stage::Fragment, "ps_main");
    let stored = compiled("ps_main", "ps_5_0");
    let (dxbc, dxil) = (container(b"SHEX"), container(b"DXIL"));
    let hlsl = "use `ShaderSource::hlsl`";
    let programs: [(&str, &[u8], &str, &str); 7] = [
        ("WGSL", WGSL.as_bytes(), "WGSL (`@vertex`)", "use `ShaderSource::wgsl`"),
        ("HLSL", HLSL.as_bytes(), "HLSL (`cbuffer`)", hlsl),
        ("GLSL", GLSL_PIXEL.as_bytes(), "GLSL (`#version`)", "use `ShaderSource::glsl`"),
        ("SPIR-V", &spirv, "SPIR-V", "use `ShaderSource::spirv`"),
        ("DXBC", &dxbc, "DXBC, the bytecode of FXC", "give the source in HLSL: use `ShaderSource::hlsl`"),
        ("DXIL", &dxil, "DXIL, the bytecode of DXC", "give the source in HLSL: use `ShaderSource::hlsl`"),
        ("stored", &stored, "a stored shader of `onze-hlsl`", "use `ShaderSource::compiled`"),
    ];
    let file = std::env::temp_dir().join(format!("onze-languages-{}.hlsl", std::process::id()));
    let pairs = std::cell::Cell::new(0);
    on_each(&[Config::NULL], |h| {
        h.watch.expect(&[MessageId::CreateShaderInvalid]);
        for (name, bytes, found, cure) in programs {
            let check = |expected: &str, constructor: &str, source: ShaderSource<'_>| {
                let result = h.device.create_pixel_shader(source);
                if expected == name {
                    let _ = result;
                    return;
                }
                pairs.set(pairs.get() + 1);
                let error = result.unwrap_err().to_string();
                let words = format!("`ShaderSource::{constructor}` was given {found}; {cure}");
                assert_eq!(error, words, "{name} for {expected}");
            };
            if let Ok(text) = std::str::from_utf8(bytes) {
                check("WGSL", "wgsl", ShaderSource::wgsl(text, "ps_main"));
                check("HLSL", "hlsl", ShaderSource::hlsl(text, "ps_main"));
                check("GLSL", "glsl", ShaderSource::glsl(text));
            }
            std::fs::write(&file, bytes).unwrap();
            check("HLSL", "hlsl_file", ShaderSource::hlsl_file(&file, "ps_main"));
            check("SPIR-V", "spirv", ShaderSource::spirv(bytes, "ps_main"));
            check("stored", "compiled", ShaderSource::compiled(bytes));
        }
        h.device.info_queue().clear();
    });
    std::fs::remove_file(&file).unwrap();
    // The two constructors for other text languages refuse each of the three texts, and all three text
    // constructors refuse the two binary containers that happen to be valid UTF-8. Each of the three
    // constructors for files or bytes refuses six of the seven programs.
    assert_eq!(pairs.get(), 3 * 2 + 2 * 3 + 3 * 6);
}

/// Errors in GLSL and SPIR-V use the terms of these languages.
#[test]
fn glsl_and_spirv_mistakes_use_their_own_terms() {
    on_each(&[Config::NULL], |h| {
        h.watch.expect(&[MessageId::CreateShaderInvalid]);
        let glsl = |declarations: &str, body: &str| {
            let text = format!(
                "#version 450\n{declarations}\nlayout(location = 0) out vec4 color; void main() {{ {body} }}"
            );
            h.device.create_pixel_shader(ShaderSource::glsl(&text)).unwrap_err().to_string()
        };
        let block = |place: &str| format!("layout({place}) uniform Tint {{ vec4 tint; }};");
        for (declarations, body, words) in [
            (
                block("set = 1, binding = 0"),
                "color = tint;",
                "belongs in set 0, the b registers, not in set 1",
            ),
            (
                block("set = 0, binding = 20"),
                "color = tint;",
                "the slots are b0 to b13, so give it another binding",
            ),
            ("layout(location = 40) in vec4 a;".to_owned(), "color = a;", "is at layout(location = 40)"),
        ] {
            let error = glsl(&declarations, body);
            assert!(error.contains(words), "{error}");
            assert!(!error.contains('@') && !error.contains("wgsl"), "{error}");
        }
        let wrong = WGSL.replace("@group(0) @binding(2)", "@group(2) @binding(2)");
        let module = spirv(&wrong, Stage::Fragment, "ps_main");
        let error =
            h.device.create_pixel_shader(ShaderSource::spirv(&module, "ps_main")).unwrap_err().to_string();
        assert!(error.contains("belongs in DescriptorSet 0") && !error.contains('@'), "{error}");
        let error =
            h.device.create_pixel_shader(ShaderSource::spirv(&module, "main")).unwrap_err().to_string();
        assert!(error.contains("no entry point `main`") && error.contains("`ps_main`"), "{error}");
        h.device.info_queue().clear();
    });
}
