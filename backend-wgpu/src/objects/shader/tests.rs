//! Shaders on the adapter at hand, against layouts that follow the plan.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{ResourceKind, ResourceSlot, ScalarKind, ShaderStage};

use super::*;
use crate::objects::stage;
use crate::testing::{self, assert_refused, shader_code};

/// A writer of naga: the text in its language, or "" for one without text.
type Write = fn(&naga::Module, &naga::valid::ModuleInfo) -> Result<String, String>;

fn words(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

/// SPIR-V, MSL, HLSL, GLSL and WGSL.
const WRITERS: [Write; 5] = [
    |module, info| {
        use naga::back::spv::{Options, PipelineOptions, write_vec};
        let options = Options { lang_version: (1, 3), ..Options::default() };
        let entry = &module.entry_points[0];
        let pipeline = PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone() };
        write_vec(module, info, &options, Some(&pipeline)).map(|_| String::new()).map_err(words)
    },
    |module, info| {
        use naga::back::msl::{Options, PipelineOptions, write_string};
        let options = Options { lang_version: (2, 4), ..Options::default() };
        let written = write_string(module, info, &options, &PipelineOptions::default());
        written.map(|(text, _)| text).map_err(words)
    },
    |module, info| {
        use naga::back::hlsl::{Options, PipelineOptions, ShaderModel, Writer};
        let shader_model = ShaderModel::V6_0;
        let options = Options { shader_model, fake_missing_bindings: true, ..Options::default() };
        let (mut text, pipeline) = (String::new(), PipelineOptions::default());
        let written = Writer::new(&mut text, &options, &pipeline).write(module, info, None).map(|_| ());
        written.map(|()| text).map_err(words)
    },
    |module, info| {
        use naga::back::glsl::{Options, PipelineOptions, Version, Writer};
        let options = Options { version: Version::Desktop(450), ..Options::default() };
        let entry = &module.entry_points[0];
        let (shader_stage, entry_point) = (entry.stage, entry.name.clone());
        let pipeline = PipelineOptions { shader_stage, entry_point, multiview: None };
        let (mut text, policies) = (String::new(), naga::proc::BoundsCheckPolicies::default());
        let written = Writer::new(&mut text, module, info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write().map(|_| ()));
        written.map(|()| text).map_err(words)
    },
    |module, info| {
        use naga::back::wgsl::{WriterFlags, write_string};
        let text = write_string(module, info, WriterFlags::empty()).map_err(words)?;
        let again = naga::front::wgsl::parse_str(&text).map_err(words)?;
        assert_eq!(again.entry_points[0].stage, module.entry_points[0].stage);
        Ok(text)
    },
];

pub(super) fn validate(module: &naga::Module) -> Result<naga::valid::ModuleInfo, String> {
    let capabilities = naga::valid::Capabilities::all();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(module).map_err(words)
}

/// Puts a specialised module through naga's writers. All those must take it that take the shader as it was: which
/// these are. Every module that a test has specialised comes by here.
pub(super) fn write_in_all_languages(code: &ShaderCode, module: &naga::Module) -> [bool; 5] {
    let Ok(before) = validate(&code.module) else {
        // Some tests are about what wgpu says to a wrong module.
        return [false; 5];
    };
    let info = validate(module).unwrap();
    let [(given, before), (module, info)] =
        [(&code.module, &before), (module, &info)].map(|(module, info)| {
            naga::back::pipeline_constants::process_overrides(
                module,
                info,
                None,
                &naga::back::PipelineConstants::default(),
            )
            .unwrap()
        });
    WRITERS.map(|write| {
        if write(&given, &before).is_err() {
            return false;
        }
        let text = match write(&module, &info) {
            // The driver leaves these to wgpu's samplers where it has to write GLSL.
            Err(words) if words.contains("`textureLoad` from depth textures is not supported in GLSL") => {
                return false;
            }
            text => text.unwrap(),
        };
        assert!(text.is_empty() || text.contains("DriverConstants") == has_block(&module), "{text}");
        true
    })
}

fn has_block(module: &naga::Module) -> bool {
    module.global_variables.iter().any(|(_, variable)| variable.name.as_deref() == Some("driver_constants"))
}

/// Shaders that ask for every kind of size, in every way.
const ASKING: [(ShaderStage, &str); 3] = [
    (
        ShaderStage::Pixel,
        "
        @group(1) @binding(0) var plain: texture_2d<f32>;
        @group(1) @binding(1) var layers: texture_2d_array<f32>;
        @group(1) @binding(2) var cube: texture_cube<f32>;
        @group(1) @binding(3) var samples: texture_multisampled_2d<f32>;
        @group(1) @binding(4) var volume: texture_3d<u32>;
        @group(1) @binding(5) var shadow: texture_depth_2d;
        struct Out { @location(1) color: vec4f, @builtin(frag_depth) depth: f32 }
        fn level(image: texture_2d<f32>, level: u32) -> vec2u {
            var size = vec2u(0u);
            loop {
                if level > 3u { break; }
                size += textureDimensions(image, level);
                continuing { break if size.x > 7u; }
            }
            return size;
        }
        @fragment fn main(@builtin(position) at: vec4f) -> Out {
            var sum = textureDimensions(plain) + textureDimensions(layers, 1) + level(plain, u32(at.x));
            switch textureNumLevels(plain) {
                case 0u: { sum += textureDimensions(cube); }
                default: { sum += textureDimensions(samples) * textureNumSamples(samples); }
            }
            let deep = textureDimensions(volume);
            sum += deep.xy + deep.zz + textureDimensions(shadow);
            sum.x += textureNumLayers(layers);
            return Out(vec4f(vec2f(sum), 0.0, 1.0), 0.5);
        }",
    ),
    (
        ShaderStage::Vertex,
        "
        struct Tail { first: vec4f, rest: array<vec4f> }
        @group(1) @binding(1) var<storage> tail: Tail;
        @group(1) @binding(9) var<storage> plain: array<f32>;
        @vertex fn main() -> @builtin(position) vec4f {
            return vec4f(f32(arrayLength(&tail.rest)), f32(arrayLength(&plain)), plain[1], 1.0);
        }",
    ),
    (
        ShaderStage::Compute,
        "
        @group(1) @binding(0) var<storage> input: array<u32>;
        @group(3) @binding(7) var<storage, read_write> output: array<u32>;
        fn length() -> u32 { return arrayLength(&output); }
        fn twice() -> u32 { let once = length(); return once + length(); }
        @compute @workgroup_size(1) fn main() {
            if arrayLength(&input) > 1u { output[0] = twice(); } else { output[1] = input[0]; }
        }",
    ),
];

#[test]
fn every_specialised_module_is_written_in_all_languages() {
    for (stage, source) in ASKING {
        let code = shader_code(stage, source, Vec::new());
        for block in [None, Some(DriverBlock::Counts), Some(DriverBlock::CountsAndStarts)] {
            let exact_counts = block.is_some();
            for depth_location in [None, Some(0)] {
                let module = specialization::specialize(
                    &code,
                    &Specialization { block, depth_location, ..Specialization::default() },
                );
                assert_eq!(has_block(&module), exact_counts, "{stage:?}");
                let asks = |function: &naga::Function| {
                    function.expressions.iter().any(|(_, expression)| {
                        matches!(
                            expression,
                            naga::Expression::ImageQuery { .. } | naga::Expression::ArrayLength(_)
                        )
                    })
                };
                assert_ne!(asks(&module.entry_points[0].function), exact_counts, "{stage:?}");
                let text = format!("{module:?}");
                let has_depth = text.contains("FragDepth");
                assert_eq!(has_depth, stage == ShaderStage::Pixel && depth_location.is_none(), "{stage:?}");
            }
        }
    }
}

/// Pixel shaders whose outputs are a value, a structure, and nothing.
const GIVING: [&str; 5] = [
    "@fragment fn main() {}",
    "@fragment fn main(@builtin(position) at: vec4f) { if at.x < 1.0 { discard; } }",
    "@fragment fn main() -> @location(1) vec4u { return vec4u(7u); }",
    "@fragment fn main() -> @builtin(frag_depth) f32 { return 0.5; }",
    "struct Out { @location(1) b: vec2f, @location(0) a: vec4f, @builtin(sample_mask) mask: u32, @location(2) c: f32 }
    @fragment fn main(@location(0) at: vec4f) -> Out { return Out(at.xy, at, 1u, at.z); }",
];

#[test]
fn a_sample_counter_is_one_more_output_in_all_languages() {
    for source in GIVING {
        for location in [0, 1, 5] {
            let depth_location = source.contains("frag_depth").then_some(3);
            let code = shader_code(ShaderStage::Pixel, source, Vec::new());
            let count_location = Some(location);
            // Beside a target that the shader does not write.
            let fills_first =
                (location == 5 && !source.contains("location(0) a")).then_some(ScalarKind::Sint);
            let special =
                Specialization { count_location, depth_location, fills_first, ..Specialization::default() };
            let module = specialization::specialize(&code, &special);
            let result = module.entry_points[0].function.result.clone().unwrap();
            let bindings: Vec<_> = match &module.types[result.ty].inner {
                naga::TypeInner::Struct { members, .. } => {
                    members.iter().map(|m| m.binding.clone()).collect()
                }
                _ => vec![result.binding],
            };
            let outputs = |wanted: u32| {
                let is_there = |binding: &&Option<naga::Binding>| matches!(binding, Some(naga::Binding::Location { location: at, .. }) if *at == wanted);
                bindings.iter().filter(is_there).count()
            };
            assert_eq!(outputs(location), 1, "{source}: {bindings:?}");
            assert!(fills_first.is_none() || outputs(0) == 1, "{source}: {bindings:?}");
        }
    }
}

/// Pixel shaders that give colours of all sizes and kinds, alone or with what else a pixel shader gives.
const COLORED: [&str; 5] = [
    "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }",
    "@fragment fn main(@location(1) at: f32) -> @location(0) f32 { return at; }",
    "struct Out { @location(0) first: vec3f, @location(2) second: vec2i, @location(1) third: u32 }
    @fragment fn main() -> Out { return Out(); }",
    "struct Out { @builtin(frag_depth) depth: f32, @location(0) color: vec2f, @builtin(sample_mask) mask: u32 }
    @fragment fn main(@builtin(sample_index) at: u32) -> Out { return Out(0.5, vec2f(1.0), 1u << at); }",
    "@fragment fn main() -> @builtin(sample_mask) u32 { return 2u; }",
];

#[test]
fn outputs_are_rewritten_in_all_languages() {
    for source in COLORED {
        let code = shader_code(ShaderStage::Pixel, source, Vec::new());
        let has_mask = source.contains("sample_mask");
        let hidden_depth = source.contains("frag_depth").then_some(3);
        for widened in [0, 1, 5, 7] {
            for alpha in [AlphaUse::Plain, AlphaUse::Kills, AlphaUse::Covers(4)] {
                for (depth_location, mask_kills) in [(None, false), (hidden_depth, has_mask)] {
                    // A shader's own mask switches alpha off, and alpha is there.
                    let is_plain = alpha == AlphaUse::Plain;
                    if !is_plain && (has_mask || widened & 1 == 0 && !source.contains("vec4f")) {
                        continue;
                    }
                    let outputs = Outputs { widened, alpha, mask_kills, ..Outputs::default() };
                    let specialization =
                        Specialization { depth_location, outputs, ..Specialization::default() };
                    let module = specialization::specialize(&code, &specialization);
                    let text = format!("{module:?}");
                    let kills = alpha == AlphaUse::Kills || mask_kills;
                    assert_eq!(text.contains("Kill"), kills, "{outputs:?} of {source}");
                    let covers = matches!(alpha, AlphaUse::Covers(_));
                    assert_eq!(text.contains("SampleMask"), covers || has_mask, "{outputs:?} of {source}");
                }
            }
        }
    }
}

#[test]
fn colours_become_numbers_of_the_targets_kind_with_the_same_bits() {
    let source = "struct Out { @location(0) a: vec2f, @location(1) b: u32, @location(2) c: vec4i }
    @fragment fn main() -> Out { return Out(vec2f(1.0), 2u, vec4i(3)); }";
    let code = shader_code(ShaderStage::Pixel, source, Vec::new());
    let mut outputs = Outputs { widened: 1, ..Outputs::default() };
    outputs.recast[0] = Some(ScalarKind::Uint);
    outputs.recast[1] = Some(ScalarKind::Float);
    let module = specialization::specialize(&code, &Specialization { outputs, ..Specialization::default() });
    let result = module.entry_points[0].function.result.as_ref().unwrap();
    let naga::TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
        panic!("{result:?}")
    };
    let types: Vec<_> = members.iter().map(|member| module.types[member.ty].inner.clone()).collect();
    let vector = |scalar| naga::TypeInner::Vector { size: naga::VectorSize::Quad, scalar };
    let number = naga::TypeInner::Scalar(naga::Scalar::F32);
    assert_eq!(types, [vector(naga::Scalar::U32), number, vector(naga::Scalar::I32)]);
}

/// Vertex shaders that read the numbers of vertices and instances, in every way.
const NUMBERING: [&str; 3] = [
    "@vertex fn main(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f { return vec4f(f32(vertex)); }",
    "
    struct In { @location(3) at: vec2f, @builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32 }
    struct Out { @builtin(position) at: vec4f, @location(0) @interpolate(flat) instance: u32 }
    @group(1) @binding(0) var<storage> offsets: array<u32>;
    fn place(in: In) -> vec4f { return vec4f(in.at, f32(in.vertex), f32(arrayLength(&offsets))); }
    @vertex fn main(in: In) -> Out { return Out(place(in), in.instance + offsets[in.vertex]); }",
    "
    @group(1) @binding(0) var<storage> offsets: array<u32>;
    fn length() -> u32 { return arrayLength(&offsets); }
    @vertex fn main(
        @location(0) at: vec2f, @builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32
    ) -> @builtin(position) vec4f {
        var index = vertex;
        index += length();
        return vec4f(at, f32(index), f32(instance));
    }",
];

#[test]
fn the_numbers_of_indirect_draws_are_less_their_starts() {
    for source in NUMBERING {
        let code = shader_code(ShaderStage::Vertex, source, Vec::new());
        for block in [None, Some(DriverBlock::Counts), Some(DriverBlock::CountsAndStarts)] {
            let module =
                specialization::specialize(&code, &Specialization { block, ..Specialization::default() });
            let entry_point = &module.entry_points[0].function;
            let subtracts = |(_, expression): &(_, &naga::Expression)| {
                matches!(expression, naga::Expression::Binary { op: naga::BinaryOperator::Subtract, .. })
            };
            let found = entry_point.expressions.iter().filter(subtracts).count();
            let numbers = source.matches("@builtin(vertex_index)").count()
                + source.matches("@builtin(instance_index)").count();
            let starts = block == Some(DriverBlock::CountsAndStarts);
            assert_eq!(found, if starts { numbers } else { 0 }, "{source}");
            let entry_points = module.entry_points.len();
            assert_eq!((entry_points, has_block(&module)), (1, block.is_some()), "{source}");
        }
    }
}

#[test]
fn what_a_shader_asks_for_is_found_once() {
    let counted = |(stage, source)| counts::counted(&shader_code(stage, source, Vec::new()));
    let [pixel, vertex, compute] = ASKING.map(counted);
    let textures: Vec<_> = (0..6).map(|slot| CountedResource::Texture { slot }).collect();
    let mut found: Vec<_> = pixel.iter().map(|counted| counted.of).collect();
    found.sort_by_key(|of| textures.iter().position(|texture| texture == of));
    assert_eq!(found, textures);
    let lengths = |counted: &[CountedBinding], size| -> Vec<_> {
        let mut lengths: Vec<_> = counted
            .iter()
            .map(|counted| match counted.of {
                CountedResource::Texture { slot } => panic!("t{slot} is no buffer"),
                CountedResource::Buffer { slot, elements } => (slot, elements.in_bytes(size)),
                CountedResource::WrittenBuffer { slot, elements } => (slot + 1000, elements.in_bytes(size)),
            })
            .collect();
        lengths.sort_unstable();
        lengths
    };
    assert_eq!(lengths(&vertex, 40), [(1, 1), (9, 10)]);
    assert_eq!(lengths(&vertex, 8), [(1, 0), (9, 2)]);
    assert_eq!(lengths(&compute, 12), [(0, 3), (1007, 3)]);
}

/// A function that is given several textures asks for the size of each as wgpu has it.
#[test]
fn a_question_about_several_textures_stays() {
    let source = "
        @group(1) @binding(0) var one: texture_2d<f32>;
        @group(1) @binding(1) var other: texture_2d<f32>;
        fn size(image: texture_2d<f32>) -> vec2u { return textureDimensions(image); }
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(vec2f(size(one) + textureDimensions(other)), vec2f(size(other)));
        }";
    let code = shader_code(ShaderStage::Pixel, source, Vec::new());
    let [counted] = counts::counted(&code)[..] else { panic!("it asks for one by itself") };
    assert_eq!(counted.of, CountedResource::Texture { slot: 1 });
    let module = specialization::specialize(
        &code,
        &Specialization { block: Some(DriverBlock::Counts), ..Specialization::default() },
    );
    let questions = format!("{module:?}").matches("ImageQuery").count();
    assert_eq!(questions, 2, "that of the function, and that of the answer");
}

const PIXEL: &str = "
    @group(0) @binding(3) var<uniform> tint: vec4f;
    @group(1) @binding(3) var image: texture_2d<f32>;
    @group(2) @binding(3) var image_sampler: sampler;
    @fragment fn main() -> @location(0) vec4f {
        return tint * textureSampleLevel(image, image_sampler, vec2f(0.5), 0.0);
    }";

#[test]
fn a_shader_has_its_bindings_where_the_plan_says() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let shader =
        Shader::new(&device.gpu, &shader_code(ShaderStage::Pixel, PIXEL, Vec::new()), "pixel").unwrap();
    // wgpu agrees only with a layout that has the same places.
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    let layout = |entries: &[wgpu::BindGroupLayoutEntry]| {
        device.gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
    };
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: None,
    };
    let image = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    let constants = layout(&[entry(binding(stage::PIXEL, 3), uniform)]);
    let resources =
        layout(&[entry(binding(stage::PIXEL, 3), image), entry(sampler_binding(stage::PIXEL, 3), sampler)]);
    let mut groups = [None; GROUPS];
    groups[CONSTANT_GROUP] = Some(&constants);
    groups[RESOURCE_GROUP] = Some(&resources);
    let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let vertex =
        Shader::new(&device.gpu, &shader_code(ShaderStage::Vertex, vertex, Vec::new()), "vertex").unwrap();
    device
        .gpu
        .guarded(|| {
            let layout = device.gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                bind_group_layouts: &groups,
                ..wgpu::PipelineLayoutDescriptor::default()
            });
            device.gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &vertex.modules.get(&device.gpu, &Specialization::default()),
                    entry_point: Some(&vertex.code.entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader.modules.get(&device.gpu, &Specialization::default()),
                    entry_point: Some(&shader.code.entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        })
        .unwrap();
    runtime.assert_clean();
}

#[test]
fn a_rejected_shader_is_refused_in_wgpu_s_words() {
    let Some((device, runtime)) = testing::gpu() else { return };
    // A module that is wrong: the runtime never hands one over, but its validator may know less.
    let mut wrong = (*shader_code(ShaderStage::Pixel, PIXEL, Vec::new())).clone();
    for (_, variable) in wrong.module.global_variables.iter_mut() {
        variable.binding = None;
    }
    assert_refused(Shader::new(&device.gpu, &Arc::new(wrong), "wrong"), "");
    runtime.assert_clean();
}

#[test]
fn a_shader_with_too_many_buffers_is_refused_by_name() {
    let Some((device, _)) = testing::gpu() else { return };
    let code = shader_code(ShaderStage::Pixel, PIXEL, Vec::new());
    let binding = code.module.global_variables.iter().next().unwrap().0;
    let mut with_buffer = (*code).clone();
    let slot = |slot| ResourceSlot {
        slot,
        name: String::new(),
        kind: ResourceKind::Buffer { stride: 4, size: 4 },
        binding,
    };
    with_buffer.reflection.resources =
        (0..=device.gpu.limits.max_storage_buffers_per_shader_stage).map(slot).collect();
    assert_refused(
        Shader::new(&device.gpu, &Arc::new(with_buffer), "buffer"),
        "structured, raw and typed buffers, and counters",
    );
}

/// wgpu does not check the memory.
#[test]
fn a_group_that_shares_more_than_the_adapter_has_is_refused() {
    let Some((device, _)) = testing::gpu() else { return };
    let sharing = |bytes: u32| {
        let text = format!(
            "var<workgroup> tile: array<u32, {}>; @compute @workgroup_size(1) fn main() {{ tile[0] = 1u; }}",
            bytes / 4
        );
        shader_code(ShaderStage::Compute, &text, Vec::new())
    };
    let most = device.gpu.limits.max_compute_workgroup_storage_size;
    assert!(Shader::new(&device.gpu, &sharing(most), "tile").is_ok());
    assert_refused(
        Shader::new(&device.gpu, &sharing(most + 4), "tile"),
        &format!("shares {} bytes of memory, and the adapter has {most}", most + 4),
    );
}

/// Shaders with typed buffers: read in a graphics stage, through arguments of functions; written, and counted in.
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

/// With the reflection of its typed buffers.
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

/// For each format that naga has, and for no view.
#[test]
fn written_textures_are_declared_in_all_languages() {
    use onze_ddi::{ScalarKind, UnorderedAccessKind, UnorderedAccessSlot};
    for format in onze_ddi::Format::ALL.iter().copied() {
        let (Some(kind), Some(storage)) = (elements::scalar_kind(format), storage_format(format)) else {
            continue;
        };
        if storage == naga::StorageFormat::Bgra8Unorm {
            // GLSL has none, and so no adapter of OpenGL.
            continue;
        }
        let declared = match kind {
            ScalarKind::Float => "rgba32float",
            ScalarKind::Sint => "rgba32sint",
            ScalarKind::Uint => "rgba32uint",
        };
        let scalar = elements::scalar_name(kind);
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
            let module = specialization::specialize(&code, &specialization);
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

/// Whether a view of a 1D texture of a format can be in a slot.
fn is_row(slot: &ViewSlot, format: onze_ddi::Format) -> bool {
    let counts = slot.access.contains(naga::StorageAccess::ATOMIC);
    let is_word = matches!(format, onze_ddi::Format::R32_UINT | onze_ddi::Format::R32_SINT);
    // GLSL has no such storage textures.
    let is_blue_first = format == onze_ddi::Format::B8G8R8A8_UNORM;
    !slot.unordered || storage_format(format).is_some() && !is_blue_first && (!counts || is_word)
}

/// For each format, for none, and for a view in one of two slots, of a buffer and of a 1D texture.
#[test]
fn typed_buffers_are_written_in_all_languages() {
    for (stage, source) in TYPED {
        for format in onze_ddi::Format::ALL.iter().copied() {
            let Some(kind) = elements::scalar_kind(format) else { continue };
            let (storage, counted) = match kind {
                ScalarKind::Float => ("rgba32float", "r32uint"),
                ScalarKind::Sint => ("rgba32sint", "r32sint"),
                ScalarKind::Uint => ("rgba32uint", "r32uint"),
            };
            let count = if counted == "r32sint" { "i32" } else { "u32" };
            let source = source
                .replace("KIND", elements::scalar_name(kind))
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
                let module = specialization::specialize(
                    &code,
                    &Specialization { block, seen, ..Specialization::default() },
                );
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
                // Only elements of one word are counted in: of others nothing is used.
                let is_word = matches!(format, onze_ddi::Format::R32_UINT | onze_ddi::Format::R32_SINT);
                let is_used = is_word || !source.contains("atomic>");
                let used = (0..slots.len()).filter(|at| is_bound(*at)).count() + usize::from(any);
                let expected = if is_used { used } else { 0 };
                assert_eq!(bindings.count(), expected, "{format:?} {bound} of {source}");
            }
        }
    }
}

/// Shaders that read constants in every way, and take and give what they can.
const READING: [(ShaderStage, &str); 3] = [
    (
        ShaderStage::Vertex,
        "
        struct Part { direction: vec3<f32>, size: f32 }
        struct Constants { turn: mat3x3<f32>, parts: array<Part, 3>, small: mat2x2<f32>, last: f32 }
        @group(0) @binding(3) var<uniform> c: Constants;
        @group(0) @binding(0) var<uniform> whole: vec4<f32>;
        struct Input { @builtin(vertex_index) v: u32, @builtin(instance_index) i: u32, @location(0) at: vec3<f32> }
        struct Output { @location(1) @interpolate(flat) n: u32, @builtin(position) position: vec4<f32> }
        fn part(n: u32) -> Part { return c.parts[n % 3u]; }
        @vertex fn vs_main(in: Input) -> Output {
            let p = part(in.i);
            var sum = c.turn * in.at + p.direction * c.parts[1].size + c.turn[in.v % 3u];
            for (var n = 0u; n < 3u; n++) { sum += vec3<f32>(c.small[n % 2u], c.last) + part(n).direction; }
            return Output(in.i, vec4<f32>(sum, whole[in.v % 4u]));
        }",
    ),
    (
        ShaderStage::Vertex,
        "
        @group(0) @binding(0) var<uniform> c: array<vec4<f32>, 16>;
        @vertex fn vs_main() -> @builtin(position) vec4<f32> { return c[3]; }",
    ),
    (
        ShaderStage::Pixel,
        "
        struct Constants { color: vec4<f32>, flags: vec4<u32> }
        @group(0) @binding(0) var<uniform> c: Constants;
        @group(0) @binding(3) var<uniform> other: Constants;
        @fragment fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
            let copy = other;
            if (c.flags.x & 1u) != 0u && at.x < copy.color.x { discard; }
            return c.color + dpdx(at) * c.color.w;
        }",
    ),
];

#[test]
fn constants_by_index_are_written_in_all_languages() {
    for (stage, source) in READING {
        let code = shader_code(stage, source, Vec::new());
        for location in [None, Some(4)] {
            if stage == ShaderStage::Pixel && location.is_none() {
                continue;
            }
            for which in [&[0][..], &[3], &[0, 3]] {
                let slots =
                    which.iter().map(|slot| IndexedSlot { slot: *slot, field: *slot as u8 % 3, step: 2 });
                let by_index = Some(ByIndex { slots: slots.collect(), location });
                let specialization = Specialization { by_index, ..Specialization::default() };
                // Validates it, and writes it.
                let module = specialization::specialize(&code, &specialization);
                let is_window = |variable: &naga::GlobalVariable| {
                    matches!(module.types[variable.ty].inner, naga::TypeInner::Array { stride: 256.., .. })
                };
                let windows =
                    module.global_variables.iter().filter(|(_, variable)| is_window(variable)).count();
                let declared = |slot: &&u32| source.contains(&format!("@binding({slot})"));
                let expected = which.iter().filter(declared).count();
                assert_eq!(windows, expected, "{stage:?} {which:?}");
            }
        }
    }
}

#[test]
fn positions_are_invariant_in_both_forms() {
    for (stage, source) in READING {
        let code = shader_code(stage, source, Vec::new());
        let by_index = ByIndex { slots: vec![IndexedSlot { slot: 0, field: 0, step: 0 }], location: Some(4) };
        for by_index in [None, Some(by_index)] {
            let specialization = Specialization { by_index, ..Specialization::default() };
            let module = specialization::specialize(&code, &specialization);
            let text = format!("{:?}{:?}", module.types, module.entry_points[0].function.result);
            let marked = text.contains("Position { invariant: true }");
            assert_eq!(marked, stage == ShaderStage::Vertex, "{text}");
        }
    }
}
