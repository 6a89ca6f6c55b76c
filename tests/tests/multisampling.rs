//! Multisampled textures: creation, draws, resolves, copies and shader reads.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "multisampling/clear_view.rs"]
mod clear_view;
#[path = "multisampling/coverage.rs"]
mod coverage;
#[path = "multisampling/larger_depth.rs"]
mod larger_depth;
#[path = "multisampling/resolve.rs"]
mod resolve;
#[path = "multisampling/textures.rs"]
mod textures;

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Quad};

const RGBA8: Format = Format::R8G8B8A8_UNORM;
const SIZE: u32 = 4;
const WHITE: [f32; 4] = [1.0; 4];
const ALL: u32 = u32::MAX;

fn counts(h: &Harness, format: Format) -> impl Iterator<Item = u32> + use<> {
    let device = h.device.clone();
    (2..=32).filter(move |count| device.check_multisample_quality_levels(format, *count) > 0)
}

struct Samples {
    count: u32,
    texture: Texture2d,
    target: RenderTargetView,
}

impl Samples {
    fn new(h: &Harness, format: Format, count: u32) -> Self {
        Self::seen_as(h, format, format, count)
    }

    /// Creates a texture of `format`, which may be typeless, with views of the format `view`.
    fn seen_as(h: &Harness, format: Format, view: Format, count: u32) -> Self {
        let desc = Texture2dDesc { sample_count: count, ..Texture2dDesc::render_target(format, SIZE, SIZE) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let desc = RenderTargetViewDesc { format: view, ..Default::default() };
        let target = h.device.create_render_target_view(&texture, Some(&desc)).unwrap();
        Self { count, texture, target }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.om_set_render_targets(&self.target, None);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
    }

    /// Returns all samples as 0xAABBGGRR, texel by texel and row by row.
    fn read(&self, h: &mut Harness) -> Vec<u32> {
        read_samples(h, &self.texture, 0, self.count, "texture_multisampled_2d<f32>")
    }
}

fn result(h: &Harness, format: Format) -> Texture2d {
    h.device.create_texture_2d(&Texture2dDesc::render_target(format, SIZE, SIZE), None).unwrap()
}

fn cover(cx: &mut DeviceContext, samples: &Samples, quad: &Quad, color: [f32; 4], mask: u32) {
    samples.bind(cx);
    cx.om_set_blend_state(None, [1.0; 4], mask);
    quad.draw(cx, color);
}

/// Returns all samples of a texture, texel by texel, as a shader reads them.
fn read_samples(h: &mut Harness, texture: &Texture2d, slice: u32, count: u32, declared: &str) -> Vec<u32> {
    // The shader can read only the first slice, because WGSL has no arrays of multisampled textures.
    assert_eq!(slice, 0, "WGSL has no arrays of samples");
    let load = "textureLoad(samples, vec2u(at.x / COUNT, at.y), at.x % COUNT)"
        .replace("COUNT", &format!("{count}u"));
    let color = match declared {
        "texture_depth_multisampled_2d" => format!("vec4f({load}, 0.0, 0.0, 1.0)"),
        declared if declared.contains("f32") => load,
        _ => format!("vec4f({load}) / 255.0"),
    };
    let source = format!(
        "@group(1) @binding(0) var samples: {declared};
        @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {{
            let at = vec2u(position.xy);
            return {color};
        }}"
    );
    let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&source, "main")).unwrap();
    let view = texture.create_shader_resource_view().unwrap();
    let (quad, wide) = (Quad::new(&h.device), onze_tests::Target::new(&h.device, SIZE * count, SIZE));
    h.record(CommandPath::Immediate, |cx| {
        wide.bind(cx);
        quad.bind(cx);
        cx.ps_set_shader(&ps);
        cx.ps_set_shader_resources(0, &view);
        quad.set(cx, WHITE, Quad::ALL, 0.0);
        cx.draw(4, 0);
    });
    wide.read(h)
}

/// Returns the average of a texel of which `part` of `count` samples have the colour `color` and all other
/// samples have the colour `over`.
fn mixed(color: [f32; 4], over: [f32; 4], part: u32, count: u32) -> [f32; 4] {
    let share = part as f32 / count as f32;
    [0, 1, 2, 3].map(|c| color[c] * share + over[c] * (1.0 - share))
}

fn pack(color: [f32; 4]) -> u32 {
    u32::from_le_bytes(color.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8))
}
