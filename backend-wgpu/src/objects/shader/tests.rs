//! Shaders on the adapter at hand, against layouts that follow the plan.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{ResourceSlot, ShaderReflection};

use super::*;
use crate::objects::stage;
use crate::testing::{self, assert_refused};

/// A shader as the runtime would hand it over, with the resources that a test is about.
fn code(stage: ShaderStage, source: &str, resources: Vec<ResourceSlot>) -> Arc<ShaderCode> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let info =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
            .validate(&module)
            .unwrap();
    let reflection = ShaderReflection {
        stage,
        constant_buffers: Vec::new(),
        resources,
        samplers: Vec::new(),
        unordered_access: Vec::new(),
        workgroup_size: [0; 3],
        sampled_pairs: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        uses_vertex_index: false,
        uses_instance_index: false,
        uses_position: false,
        uses_front_facing: false,
        runs_per_sample: false,
        uses_sample_mask: false,
        writes_depth: false,
        writes_sample_mask: false,
        dual_source: false,
        discards: false,
    };
    Arc::new(ShaderCode { module, info, entry_point: "main".into(), reflection })
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
    let shader = Shader::new(&device.gpu, &code(ShaderStage::Pixel, PIXEL, Vec::new()), "pixel").unwrap();
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
    let vertex = Shader::new(&device.gpu, &code(ShaderStage::Vertex, vertex, Vec::new()), "vertex").unwrap();
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
                    module: &vertex.module,
                    entry_point: Some(&vertex.code.entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader.module,
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
    let mut wrong = (*code(ShaderStage::Pixel, PIXEL, Vec::new())).clone();
    for (_, variable) in wrong.module.global_variables.iter_mut() {
        variable.binding = None;
    }
    assert_refused(Shader::new(&device.gpu, &Arc::new(wrong), "wrong"), "");
    runtime.assert_clean();
}

#[test]
fn a_shader_with_too_many_buffers_is_refused_by_name() {
    let Some((device, _)) = testing::gpu() else { return };
    let code = code(ShaderStage::Pixel, PIXEL, Vec::new());
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
    assert_refused(Shader::new(&device.gpu, &Arc::new(with_buffer), "buffer"), "structured buffers");
}
