//! A pixel shader that samples textures with every instruction, and the comparison of its pictures with the
//! reference.

use std::collections::HashMap;

use onze::prelude::*;
use onze_tests::{Harness, Target, shapes::Cover};

use super::{
    Lod, Sample,
    reference::{Found, Image, Level},
};

/// The sampled textures, each with three levels, the first of 6 x 5 texels.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum SampledTexture {
    Color,
    OneComponent,
    Signed,
    Slices,
    Depth,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SampleInstruction {
    Level,
    Auto,
    Bias,
    Gradient,
    /// A gradient that is not parallel to the axes.
    Skewed,
    /// Like `Auto`, but a pixel's area is four times as long as wide.
    Stretched,
    Offset,
    Gather,
    /// `textureSampleCompareLevel`, which always uses level 0.
    Zero,
}

impl SampleInstruction {
    pub(super) const ALL: [Self; 6] =
        [Self::Level, Self::Auto, Self::Bias, Self::Gradient, Self::Offset, Self::Gather];
}

const SIZE: [usize; 2] = [6, 5];
const LEVELS: usize = 3;
const PIXELS: u32 = 16;

fn level_size(level: usize) -> [usize; 3] {
    [(SIZE[0] >> level).max(1), (SIZE[1] >> level).max(1), 1]
}

/// Returns a texel's component as a number from 0 to 15.
fn number(slice: usize, level: usize, x: usize, y: usize, component: usize) -> usize {
    (x * 7 + y * 13 + level * 5 + component * 3 + slice * 11) * 37 % 16
}

pub(super) struct Scene {
    kind: SampledTexture,
    pub(super) image: Image,
    texture: Texture2d,
    view: ShaderResourceView,
    target: Target,
    covers: HashMap<SampleInstruction, Cover>,
}

impl Scene {
    pub(super) fn new(h: &mut Harness, kind: SampledTexture) -> Self {
        let slice = usize::from(kind == SampledTexture::Slices);
        let levels = (0..LEVELS).map(|level| {
            let size = level_size(level);
            let texels = (0..size[0] * size[1]).map(|n| kind.texel(slice, level, n % size[0], n / size[0]));
            Level { size, texels: texels.collect() }
        });
        let range = if kind == SampledTexture::Signed { [-1.0, 1.0] } else { [0.0, 1.0] };
        let range = if kind == SampledTexture::Depth { [f64::MIN, f64::MAX] } else { range };
        let components = match kind {
            SampledTexture::Color | SampledTexture::Slices => 4,
            SampledTexture::Signed => 2,
            SampledTexture::OneComponent | SampledTexture::Depth => 1,
        };
        let image = Image { axes: 2, levels: levels.collect(), range, components, min_lod: 0.0 };
        let (texture, view) = kind.view(h);
        let target = Target::with_format(&h.device, Format::R32G32B32A32_FLOAT, PIXELS, PIXELS);
        Self { kind, image, texture, view, target, covers: HashMap::new() }
    }

    /// Sets the minimum level of the texture and of the reference.
    pub(super) fn set_min_lod(&mut self, h: &mut Harness, min_lod: f32) {
        h.immediate.set_resource_min_lod(&self.texture, min_lod);
        self.image.min_lod = min_lod.into();
    }

    fn sample(&self, way: SampleInstruction, x: u32, y: u32) -> Sample {
        let [column, row] = [f64::from(x) + 0.5, f64::from(y) + 0.5];
        let [width, height] = SIZE.map(|size| size as f64);
        let mut sample = Sample {
            // These coordinates avoid the edges between texels.
            at: [column * 0.231 - 1.37, column * 0.187 - 1.13, 0.0],
            lod: Lod::Exact(row * 0.3125 - 1.0),
            offset: [0; 3],
            reference: (self.kind == SampledTexture::Depth).then_some(0.5),
        };
        match way {
            SampleInstruction::Level => {}
            SampleInstruction::Auto
            | SampleInstruction::Bias
            | SampleInstruction::Offset
            | SampleInstruction::Zero => {
                // The coordinates advance by two texels per pixel.
                let change = [[2.0 / width, 0.0, 0.0], [0.0, 2.0 / height, 0.0]];
                sample.at = [column * change[0][0] - 1.37, row * change[1][1] - 1.13, 0.0];
                let bias = if way == SampleInstruction::Bias { 0.75 } else { 0.0 };
                sample.lod = if way == SampleInstruction::Zero {
                    Lod::Exact(0.0)
                } else {
                    Lod::Gradient(change, bias)
                };
                sample.offset = if way == SampleInstruction::Offset { [-3, 2, 0] } else { [0; 3] };
            }
            SampleInstruction::Stretched => {
                let change = [[1.0 / width, 0.0, 0.0], [0.0, 4.0 / height, 0.0]];
                sample.at = [column * change[0][0] - 1.37, row * change[1][1] - 1.13, 0.0];
                sample.lod = Lod::Gradient(change, 0.0);
            }
            SampleInstruction::Gradient => {
                let texels = ((row / 4.0).floor() - 1.0).exp2();
                sample.lod = Lod::Gradient([[texels / width, 0.0, 0.0], [0.0, texels / height, 0.0]], 0.0);
            }
            SampleInstruction::Skewed => {
                let change = [[0.5 / width, 1.0 / height, 0.0], [0.0, row * 0.25 / height, 0.0]];
                sample.lod = Lod::Gradient(change, 0.0);
            }
            SampleInstruction::Gather => sample.offset = [1, -2, 0],
        }
        sample
    }

    fn shader(&self, way: SampleInstruction) -> (String, String) {
        let [width, height] = SIZE.map(|size| size as f64);
        let (texture, layer) = match self.kind {
            SampledTexture::Slices => ("texture_2d_array<f32>", ", 1"),
            SampledTexture::Depth => ("texture_depth_2d", ""),
            SampledTexture::Color | SampledTexture::OneComponent | SampledTexture::Signed => {
                ("texture_2d<f32>", "")
            }
        };
        let is_depth = self.kind == SampledTexture::Depth;
        let sampler = if is_depth { "sampler_comparison" } else { "sampler" };
        let declarations =
            format!("@group(1) @binding(3) var t: {texture}; @group(2) @binding(2) var s: {sampler};");
        let by_column = "let at = vec2<f32>(p.x * 0.231 - 1.37, p.x * 0.187 - 1.13);".to_owned();
        let by_pixel = |x: f64, y: f64| {
            format!("let at = vec2<f32>(p.x * {x:?} / {width:?} - 1.37, p.y * {y:?} / {height:?} - 1.13);")
        };
        let place = format!("t, s, at{layer}");
        let (at, read) = match (way, is_depth) {
            (SampleInstruction::Level, _) => {
                (by_column, format!("textureSampleLevel({place}, p.y * 0.3125 - 1.0)"))
            }
            (SampleInstruction::Auto, false) => (by_pixel(2.0, 2.0), format!("textureSample({place})")),
            (SampleInstruction::Auto, true) => {
                (by_pixel(2.0, 2.0), format!("vec4<f32>(textureSampleCompare({place}, 0.5))"))
            }
            (SampleInstruction::Zero, _) => {
                (by_pixel(2.0, 2.0), format!("vec4<f32>(textureSampleCompareLevel({place}, 0.5))"))
            }
            (SampleInstruction::Bias, _) => (by_pixel(2.0, 2.0), format!("textureSampleBias({place}, 0.75)")),
            (SampleInstruction::Offset, _) => {
                (by_pixel(2.0, 2.0), format!("textureSample({place}, vec2<i32>(-3, 2))"))
            }
            (SampleInstruction::Stretched, _) => (by_pixel(1.0, 4.0), format!("textureSample({place})")),
            (SampleInstruction::Gradient, _) => {
                let texels = "exp2(floor(p.y / 4.0) - 1.0)";
                let dx = format!("vec2<f32>({texels} / {width:?}, 0.0)");
                let dy = format!("vec2<f32>(0.0, {texels} / {height:?})");
                (by_column, format!("textureSampleGrad({place}, {dx}, {dy})"))
            }
            (SampleInstruction::Skewed, _) => {
                let dx = format!("vec2<f32>(0.5 / {width:?}, 1.0 / {height:?})");
                let dy = format!("vec2<f32>(0.0, p.y * 0.25 / {height:?})");
                (by_column, format!("textureSampleGrad({place}, {dx}, {dy})"))
            }
            (SampleInstruction::Gather, false) => {
                (by_column, format!("textureGather(2, {place}, vec2<i32>(1, -2))"))
            }
            (SampleInstruction::Gather, true) => {
                (by_column, format!("textureGatherCompare({place}, 0.5, vec2<i32>(1, -2))"))
            }
        };
        (declarations, format!("let p = position.xy; {at} return {read};"))
    }

    fn found(&self, desc: &SamplerDesc, way: SampleInstruction, x: u32, y: u32) -> Found {
        let sample = self.sample(way, x, y);
        if way == SampleInstruction::Gather {
            let component = if self.kind == SampledTexture::Depth { 0 } else { 2 };
            return self.image.gather(desc, component, &sample);
        }
        self.image.sample(desc, &sample)
    }
}

impl SampledTexture {
    fn texel(self, slice: usize, level: usize, x: usize, y: usize) -> [f64; 4] {
        let number = |component| number(slice, level, x, y, component) as f64;
        match self {
            Self::Color | Self::Slices => [0, 1, 2, 3].map(|n| number(n) * 17.0 / 255.0),
            Self::OneComponent => [number(0) * 17.0 / 255.0, 0.0, 0.0, 1.0],
            Self::Signed => [(number(0) - 8.0) * 15.0 / 127.0, (number(1) - 8.0) * 15.0 / 127.0, 0.0, 1.0],
            Self::Depth => [number(0) / 16.0, 0.0, 0.0, 1.0],
        }
    }

    fn view(self, h: &mut Harness) -> (Texture2d, ShaderResourceView) {
        let [width, height] = SIZE.map(|size| size as u32);
        if self == Self::Depth {
            return depth_view(h);
        }
        let (format, components, slices) = match self {
            Self::OneComponent => (Format::R8_UNORM, 1, 1),
            Self::Signed => (Format::R8G8_SNORM, 2, 1),
            Self::Slices => (Format::R8G8B8A8_UNORM, 4, 3),
            Self::Color | Self::Depth => (Format::R8G8B8A8_UNORM, 4, 1),
        };
        let most = if self == Self::Signed { 127.0 } else { 255.0 };
        let mut all = Vec::new();
        for (slice, level) in (0..slices).flat_map(|slice| (0..LEVELS).map(move |level| (slice, level))) {
            let size = level_size(level);
            let texels = (0..size[0] * size[1]).flat_map(|n| {
                self.texel(slice, level, n % size[0], n / size[0]).into_iter().take(components)
            });
            let bytes: Vec<u8> = texels.map(|value| (value * most).round() as i32 as u8).collect();
            all.push((bytes, size[0] * components));
        }
        let data: Vec<_> = all
            .iter()
            .map(|(bytes, pitch)| SubresourceData { bytes, row_pitch: *pitch as u32, depth_pitch: 0 })
            .collect();
        let desc = Texture2dDesc {
            mip_levels: LEVELS as u32,
            array_size: slices as u32,
            misc_flags: MiscFlags::RESOURCE_CLAMP,
            ..Texture2dDesc::new(format, width, height)
        };
        let texture = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
        let view = h.device.create_shader_resource_view(&texture, None).unwrap();
        (texture, view)
    }
}

fn depth_view(h: &mut Harness) -> (Texture2d, ShaderResourceView) {
    let [width, height] = SIZE.map(|size| size as u32);
    let d = h.device.clone();
    let desc = Texture2dDesc {
        mip_levels: LEVELS as u32,
        misc_flags: MiscFlags::RESOURCE_CLAMP,
        bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
        ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, width, height)
    };
    let texture = d.create_texture_2d(&desc, None).unwrap();
    let state = DepthStencilDesc { depth_func: ComparisonFunc::Always, ..DepthStencilDesc::default() };
    let state = d.create_depth_stencil_state(&state).unwrap();
    let vs = "
        @vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4<f32> {
            return vec4<f32>(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
        }";
    let vs = d.create_vertex_shader(ShaderSource::wgsl(vs, "main")).unwrap();
    for level in 0..LEVELS {
        let output = DepthStencilViewDesc::texture_2d(Format::D32_FLOAT, level as u32);
        let output = d.create_depth_stencil_view(&texture, Some(&output)).unwrap();
        let ps = format!(
            "@fragment fn main(@builtin(position) p: vec4<f32>) -> @builtin(frag_depth) f32 {{
                return f32(((u32(p.x) * 7u + u32(p.y) * 13u + {}u) * 37u) % 16u) / 16.0;
            }}",
            level * 5
        );
        let ps = d.create_pixel_shader(ShaderSource::wgsl(&ps, "main")).unwrap();
        let size = level_size(level);
        let cx = &mut h.immediate;
        cx.om_set_render_targets(None::<&RenderTargetView>, &output);
        cx.om_set_depth_stencil_state(&state, 0);
        cx.rs_set_viewports(Viewport::sized(size[0] as f32, size[1] as f32));
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.draw(3, 0);
        cx.clear_state();
    }
    let input = ShaderResourceViewDesc::format(Format::R32_FLOAT);
    let view = d.create_shader_resource_view(&texture, Some(&input)).unwrap();
    (texture, view)
}

/// Asserts that the adapter's samples match the reference within 1/64, a tolerance that is needed because
/// weights on two axes and between levels have 8 bits, and because texels have 8 bits.
pub(super) fn compare(h: &mut Harness, scene: &mut Scene, desc: &SamplerDesc, way: SampleInstruction) {
    let d = h.device.clone();
    let (declarations, body) = scene.shader(way);
    let cover = scene.covers.entry(way).or_insert_with(|| Cover::new(&d, &declarations, &body)).clone();
    let sampler = d.create_sampler_state(desc).unwrap();
    let cx = &mut h.immediate;
    scene.target.bind(cx);
    cx.ps_set_shader_resources(3, &scene.view);
    cx.ps_set_samplers(2, &sampler);
    cover.draw(cx);
    let texels = h.read(&scene.target.texture, 0);
    let texels: &[[f32; 4]] = bytemuck::cast_slice(&texels);
    let mut compared = 0;
    for (n, texel) in (0..).zip(texels) {
        let (x, y) = (n % PIXELS, n / PIXELS);
        let Some(expected) = scene.found(desc, way, x, y) else { continue };
        compared += 1;
        // A comparison returns the same result in all components.
        let is_close = texel.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1.0 / 64.0);
        assert!(
            is_close,
            "{:?}, {way:?}, {desc:?}: ({x}, {y}) is {texel:?}, not {expected:?}: {:?}",
            scene.kind,
            scene.sample(way, x, y)
        );
    }
    assert!(compared > PIXELS * PIXELS / 2, "{way:?}, {desc:?}: only {compared} samples have one result");
}
