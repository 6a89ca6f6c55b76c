//! Tests of shader creation on the available adapter.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use onze_ddi::{CreateError, ResourceKind, ResourceSlot, ShaderStage};

use super::*;
use crate::{
    services::gpu::Gpu,
    testing::{self, assert_refused, shader_code},
};

const PIXEL: &str = "
    @group(0) @binding(3) var<uniform> tint: vec4f;
    @group(1) @binding(3) var image: texture_2d<f32>;
    @group(2) @binding(3) var image_sampler: sampler;
    @fragment fn main() -> @location(0) vec4f {
        return tint * textureSampleLevel(image, image_sampler, vec2f(0.5), 0.0);
    }";

/// Creates a pipeline of a pixel shader and a vertex shader without bindings.
fn draw_pipeline(
    gpu: &Gpu,
    shader: &Shader,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> Result<wgpu::RenderPipeline, CreateError> {
    let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let vertex =
        Shader::new(gpu, &shader_code(ShaderStage::Vertex, vertex, Vec::new()), None, "vertex").unwrap();
    gpu.guarded(|| {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: groups,
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex.modules.get(gpu, &Specialization::default()),
                entry_point: Some(vertex.modules.entry_point()),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &shader.modules.get(gpu, &Specialization::default()),
                entry_point: Some(shader.modules.entry_point()),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}

#[test]
fn a_shader_has_the_bindings_of_the_driver() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let shader =
        Shader::new(&device.gpu, &shader_code(ShaderStage::Pixel, PIXEL, Vec::new()), None, "pixel").unwrap();
    // wgpu accepts the pipeline only if the layout and the shader have the same bindings.
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
    let constants = layout(&[entry(binding(ShaderStage::Pixel, 3), uniform)]);
    let resources = layout(&[
        entry(binding(ShaderStage::Pixel, 3), image),
        entry(sampler_binding(ShaderStage::Pixel, 3), sampler),
    ]);
    let mut groups = [None; GROUPS];
    groups[CONSTANT_GROUP] = Some(&constants);
    groups[RESOURCE_GROUP] = Some(&resources);
    draw_pipeline(&device.gpu, &shader, &groups).unwrap();
    runtime.assert_clean();
}

#[test]
fn a_stage_that_wgpu_lacks_is_refused_by_name() {
    let Some((device, runtime)) = testing::gpu() else { return };
    for stage in [ShaderStage::Hull, ShaderStage::Domain, ShaderStage::Geometry] {
        let code = shader_code(stage, "@compute @workgroup_size(1) fn main() {}", Vec::new());
        assert_refused(Shader::new(&device.gpu, &code, None, "test"), &format!("{} shaders", stage.name()));
    }
    runtime.assert_clean();
}

#[test]
fn each_key_has_one_module() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let code = shader_code(ShaderStage::Pixel, PIXEL, Vec::new());
    let shader = Shader::new(&device.gpu, &code, None, "pixel").unwrap();
    let kills = Outputs { alpha: AlphaUse::Kills, ..Outputs::default() };
    let seen = |single| {
        let seen = SeenBindings { single, ..SeenBindings::default() };
        Specialization { seen, ..Specialization::default() }
    };
    let keys = [
        Specialization::default(),
        Specialization { outputs: kills, ..Specialization::default() },
        Specialization { outputs: kills, count_location: Some(1), ..Specialization::default() },
        Specialization { count_location: Some(1), ..Specialization::default() },
        Specialization { count_location: Some(2), ..Specialization::default() },
        seen(1 << 3),
        seen(1 << 4),
    ];
    let modules = || keys.each_ref().map(|key| shader.modules.get(&device.gpu, key));
    let (first, second) = (modules(), modules());
    for (at, module) in first.iter().enumerate() {
        let equal: Vec<_> = (0..keys.len()).filter(|other| second[*other] == *module).collect();
        assert_eq!(equal, [at], "{:?}", keys[at]);
    }
    runtime.assert_clean();
}

#[test]
fn an_invalid_shader_is_refused_with_the_message_of_wgpu() {
    let Some((device, runtime)) = testing::gpu() else { return };
    // The runtime never passes an invalid module, but its validator may be older than wgpu's.
    let mut wrong = (*shader_code(ShaderStage::Pixel, PIXEL, Vec::new())).clone();
    for (_, variable) in wrong.module.global_variables.iter_mut() {
        variable.binding = None;
    }
    assert_refused(Shader::new(&device.gpu, &Arc::new(wrong), None, "wrong"), "");
    runtime.assert_clean();
}

#[test]
fn a_shader_with_too_many_buffers_gets_an_error_naming_them() {
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
        Shader::new(&device.gpu, &Arc::new(with_buffer), None, "buffer"),
        "structured, raw and typed buffers, and counters",
    );
}

/// wgpu does not check the size of group-shared memory.
#[test]
fn a_group_that_shares_too_much_memory_is_refused() {
    let Some((device, _)) = testing::gpu() else { return };
    let sharing = |bytes: u32| {
        let text = format!(
            "var<workgroup> tile: array<u32, {}>; @compute @workgroup_size(1) fn main() {{ tile[0] = 1u; }}",
            bytes / 4
        );
        shader_code(ShaderStage::Compute, &text, Vec::new())
    };
    let most = device.gpu.limits.max_compute_workgroup_storage_size;
    assert!(Shader::new(&device.gpu, &sharing(most), None, "tile").is_ok());
    assert_refused(
        Shader::new(&device.gpu, &sharing(most + 4), None, "tile"),
        &format!("shares {} bytes of memory, and the adapter has {most}", most + 4),
    );
}
