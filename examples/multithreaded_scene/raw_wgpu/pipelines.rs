//! Pipelines and their binding layouts.

use super::resources::{COLOR, DEPTH, SHADOW};
use crate::constants::{LightConstants, MaterialConstants, ObjectConstants, PassConstants};
use crate::plan::Pass;
use crate::shaders;
use onze_examples::content::{AlphaMode, Vertex};

/// Group and binding of each shader variable, where groups that change less often come first, as wgpu
/// recommends.
const BINDINGS: [(&str, u32, u32); 16] = [
    ("view", 0, 0),
    ("lights", 0, 1),
    ("shadow_map", 0, 2),
    ("shadow_sampler", 0, 3),
    ("material", 1, 0),
    ("base_color_texture", 1, 1),
    ("metallic_roughness_texture", 1, 2),
    ("normal_texture", 1, 3),
    ("occlusion_texture", 1, 4),
    ("emissive_texture", 1, 5),
    ("base_color_sampler", 1, 6),
    ("metallic_roughness_sampler", 1, 7),
    ("normal_sampler", 1, 8),
    ("occlusion_sampler", 1, 9),
    ("emissive_sampler", 1, 10),
    ("object", 2, 0),
];

/// An empty fragment stage for draws that only change the stencil, because wgpu requires a fragment stage in
/// a pass with a colour target.
const NO_PIXEL_SHADER: &str = "\n@fragment fn ps_none() {}\n";

/// Returns a shader source with Direct3D 11's slots replaced by [`BINDINGS`].
fn rebound(source: &str) -> String {
    let line = |line: &str| -> Option<String> {
        let (_, declaration) = line.strip_prefix("@group(")?.split_once(" var")?;
        let (name, _) = declaration.split_once(':')?;
        let name = name.rsplit(' ').next()?;
        let (_, group, binding) = BINDINGS.iter().find(|binding| binding.0 == name)?;
        Some(format!("@group({group}) @binding({binding}) var{declaration}\n"))
    };
    source.lines().map(|text| line(text).unwrap_or_else(|| format!("{text}\n"))).collect()
}

#[derive(Debug)]
pub(super) struct Layouts {
    pub(super) shadow_pass: wgpu::BindGroupLayout,
    pub(super) scene_pass: wgpu::BindGroupLayout,
    pub(super) material: wgpu::BindGroupLayout,
    pub(super) object: wgpu::BindGroupLayout,
}

impl Layouts {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let make = |label, entries: &[(wgpu::ShaderStages, wgpu::BindingType)]| {
            let entries: Vec<_> = (0..)
                .zip(entries)
                .map(|(binding, &(visibility, ty))| wgpu::BindGroupLayoutEntry {
                    binding,
                    visibility,
                    ty,
                    count: None,
                })
                .collect();
            let desc = wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries };
            device.create_bind_group_layout(&desc)
        };
        let (both, pixel) = (wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::ShaderStages::FRAGMENT);
        let view = (both, uniform(size_of::<PassConstants>(), false));
        let comparison = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let color = (pixel, texture(wgpu::TextureSampleType::Float { filterable: true }));
        let filtering = (pixel, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering));
        let mut material = vec![(pixel, uniform(size_of::<MaterialConstants>(), false))];
        material.extend([[color; 5], [filtering; 5]].into_iter().flatten());
        Self {
            shadow_pass: make("shadow pass", &[view]),
            scene_pass: make(
                "scene pass",
                &[
                    view,
                    (pixel, uniform(size_of::<LightConstants>(), false)),
                    (pixel, texture(wgpu::TextureSampleType::Depth)),
                    (pixel, comparison),
                ],
            ),
            material: make("material", &material),
            object: make("object", &[(both, uniform(size_of::<ObjectConstants>(), true))]),
        }
    }
}

fn uniform(size: usize, has_dynamic_offset: bool) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset,
        min_binding_size: wgpu::BufferSize::new(size as u64),
    }
}

fn texture(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    pub(super) pass: Pass,
    pub(super) alpha: AlphaMode,
    pub(super) clockwise: bool,
    pub(super) both_sides: bool,
}

impl Surface {
    fn all() -> impl Iterator<Item = Self> {
        let alphas = [AlphaMode::Opaque, AlphaMode::Mask(0.0), AlphaMode::Blend];
        let sides = [(false, false), (false, true), (true, false), (true, true)];
        Pass::ALL.into_iter().flat_map(move |pass| {
            alphas.into_iter().flat_map(move |alpha| {
                sides.map(|(clockwise, both_sides)| Self { pass, alpha, clockwise, both_sides })
            })
        })
    }

    pub(super) fn index(self) -> usize {
        let alpha = match self.alpha {
            AlphaMode::Opaque => 0,
            AlphaMode::Mask(_) => 1,
            AlphaMode::Blend => 2,
        };
        let sides = usize::from(self.clockwise) * 2 + usize::from(self.both_sides);
        (self.pass as usize * 3 + alpha) * 4 + sides
    }

    /// Whether the pipeline reads the material, which is false only for shadows of objects without holes.
    pub(super) fn has_material(self) -> bool {
        self.pass != Pass::Shadow || matches!(self.alpha, AlphaMode::Mask(_))
    }
}

#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) surfaces: Vec<wgpu::RenderPipeline>,
    pub(super) mark_water: wgpu::RenderPipeline,
    pub(super) water: wgpu::RenderPipeline,
    pub(super) sky: wgpu::RenderPipeline,
    pub(super) mirrored_sky: wgpu::RenderPipeline,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts) -> Self {
        let maker = Maker::new(device, layouts);
        let water = Draw { vertex: "vs_surface", ..Draw::default() };
        let sky = Draw {
            vertex: "vs_sky",
            fragment: Some("ps_sky"),
            both_sides: true,
            depth: depth(false, wgpu::CompareFunction::LessEqual, None),
            ..Draw::default()
        };
        Self {
            surfaces: Surface::all().map(|surface| maker.surface(surface)).collect(),
            mark_water: maker.make(Draw {
                fragment: Some("ps_none"),
                write_mask: wgpu::ColorWrites::empty(),
                depth: depth(false, wgpu::CompareFunction::Less, Some(MARK)),
                ..water.clone()
            }),
            water: maker.make(Draw {
                fragment: Some("ps_water"),
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                ..water
            }),
            mirrored_sky: maker.make(Draw {
                depth: depth(false, wgpu::CompareFunction::LessEqual, Some(EQUAL)),
                ..sky.clone()
            }),
            sky: maker.make(sky),
        }
    }
}

const MARK: wgpu::StencilFaceState =
    wgpu::StencilFaceState { pass_op: wgpu::StencilOperation::Replace, ..wgpu::StencilFaceState::IGNORE };
const EQUAL: wgpu::StencilFaceState =
    wgpu::StencilFaceState { compare: wgpu::CompareFunction::Equal, ..wgpu::StencilFaceState::IGNORE };

/// Returns the depth and stencil state for passes that draw the picture.
fn depth(
    write: bool,
    compare: wgpu::CompareFunction,
    stencil: Option<wgpu::StencilFaceState>,
) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: stencil.map_or_else(wgpu::StencilState::default, |face| wgpu::StencilState {
            front: face,
            back: face,
            read_mask: 0xff,
            write_mask: 0xff,
        }),
        bias: wgpu::DepthBiasState::default(),
    }
}

#[derive(Debug, Clone)]
struct Draw {
    vertex: &'static str,
    /// Entry point of the fragment stage, or `None` if the pass has no colour target and the objects have no
    /// holes.
    fragment: Option<&'static str>,
    clockwise: bool,
    both_sides: bool,
    depth: wgpu::DepthStencilState,
    blend: Option<wgpu::BlendState>,
    write_mask: wgpu::ColorWrites,
    has_material: bool,
}

impl Default for Draw {
    fn default() -> Self {
        Self {
            vertex: "vs_surface",
            fragment: None,
            clockwise: false,
            both_sides: false,
            depth: depth(true, wgpu::CompareFunction::Less, None),
            blend: None,
            write_mask: wgpu::ColorWrites::ALL,
            has_material: false,
        }
    }
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    layouts: &'a Layouts,
    surface: wgpu::ShaderModule,
    sky: wgpu::ShaderModule,
}

impl<'a> Maker<'a> {
    fn new(device: &'a wgpu::Device, layouts: &'a Layouts) -> Self {
        let module = |label, source: String| {
            let source = wgpu::ShaderSource::Wgsl(source.into());
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
        };
        Self {
            device,
            layouts,
            surface: module("surface", rebound(shaders::SURFACE) + NO_PIXEL_SHADER),
            sky: module("sky", rebound(shaders::SKY)),
        }
    }

    fn surface(&self, surface: Surface) -> wgpu::RenderPipeline {
        let Surface { pass, alpha, clockwise, both_sides } = surface;
        let is_masked = matches!(alpha, AlphaMode::Mask(_));
        let is_blended = alpha == AlphaMode::Blend;
        let draw = Draw { clockwise, both_sides, has_material: surface.has_material(), ..Draw::default() };
        if pass == Pass::Shadow {
            let depth = wgpu::DepthStencilState {
                format: SHADOW,
                bias: wgpu::DepthBiasState { slope_scale: 1.5, ..wgpu::DepthBiasState::default() },
                ..depth(true, wgpu::CompareFunction::Less, None)
            };
            return self.make(Draw { fragment: is_masked.then_some("ps_shadow_cut"), depth, ..draw });
        }
        let stencil = (pass == Pass::Mirror).then_some(EQUAL);
        self.make(Draw {
            fragment: Some(if is_masked { "ps_surface_cut" } else { "ps_surface" }),
            depth: depth(!is_blended, wgpu::CompareFunction::Less, stencil),
            blend: is_blended.then_some(wgpu::BlendState::ALPHA_BLENDING),
            ..draw
        })
    }

    fn make(&self, draw: Draw) -> wgpu::RenderPipeline {
        let is_shadow = draw.depth.format == SHADOW;
        let is_sky = draw.vertex == "vs_sky";
        let module = if is_sky { &self.sky } else { &self.surface };
        let pass = if is_shadow { &self.layouts.shadow_pass } else { &self.layouts.scene_pass };
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[
                Some(pass),
                draw.has_material.then_some(&self.layouts.material),
                (!is_sky).then_some(&self.layouts.object),
            ],
            immediate_size: 0,
        });
        let vertices = wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![
                0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32x2, 4 => Float32x2, 5 => Unorm16x4
            ],
        };
        let vertices = [Some(vertices)];
        let color = wgpu::ColorTargetState { format: COLOR, blend: draw.blend, write_mask: draw.write_mask };
        let targets = [Some(color)];
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(draw.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: if is_sky { &[] } else { &vertices },
            },
            primitive: wgpu::PrimitiveState {
                front_face: if draw.clockwise { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode: (!draw.both_sides).then_some(wgpu::Face::Back),
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: Some(draw.depth),
            multisample: wgpu::MultisampleState::default(),
            fragment: draw.fragment.map(|entry| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: if is_shadow { &[] } else { &targets },
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_binding_of_the_shaders_has_its_new_place() {
        for source in [shaders::SURFACE, shaders::SKY] {
            let module = naga::front::wgsl::parse_str(&rebound(source)).unwrap();
            let bound = module
                .global_variables
                .iter()
                .filter_map(|(_, variable)| Some((variable.name.clone()?, variable.binding?)));
            for (name, binding) in bound {
                let place = BINDINGS.iter().find(|binding| binding.0 == name).unwrap();
                assert_eq!((binding.group, binding.binding), (place.1, place.2), "{name}");
            }
        }
    }

    #[test]
    fn the_index_of_a_surface_is_its_place() {
        let indices: Vec<_> = Surface::all().map(Surface::index).collect();
        assert_eq!(indices, (0..36).collect::<Vec<_>>());
    }
}
