//! Conversions between a shader's numbers and texels, according to section 3.2.3 of the functional
//! specification of Direct3D 11.3. Covers stores through unordered-access views, outputs to render targets,
//! and loads.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze::{Error, FormatSupport, ddi::ComponentKind};
use onze_tests::{
    CommandPath, Config, Harness, Random, on_each,
    texels::{self, Bits},
};

/// Returns the letter of the shader's component type, and the storage format in the shader's declaration.
fn words(format: Format) -> (char, &'static str) {
    match format.component_kind() {
        ComponentKind::Uint => ('u', "rgba32uint"),
        ComponentKind::Sint => ('i', "rgba32sint"),
        _ => ('f', "rgba32float"),
    }
}

/// Returns a texture of `width` texels in each format that shaders can write on this adapter.
fn writable(h: &Harness, width: u32) -> Vec<(Format, Texture2d)> {
    let formats = Format::ALL.iter().copied();
    let found = formats.filter(|format| h.has_format(*format, FormatSupport::TYPED_UNORDERED_ACCESS_VIEW));
    let textures = found.filter_map(|format| {
        let bind_flags = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
        let desc = Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, width, 1) };
        match h.device.create_texture_2d(&desc, None) {
            Ok(texture) => Some((format, texture)),
            Err(Error::Unsupported(_)) => {
                h.take_errors();
                None
            }
            Err(error) => panic!("{format:?}: {error}"),
        }
    });
    textures.collect()
}

/// Returns numbers at and beyond the limits of all formats with a component type, and numbers between two
/// representable values.
fn numbers(kind: ComponentKind) -> Vec<u32> {
    let steps = [2, 8, 10, 16].map(|bits| (1_u32 << bits) - 1);
    match kind {
        ComponentKind::Uint => {
            let ends = steps.iter().flat_map(|most| [most - 1, *most, most + 1]);
            ends.chain([0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX]).collect()
        }
        ComponentKind::Sint => {
            let ends = [7, 15].into_iter().map(|bits| 1_i32 << bits);
            let ends = ends.flat_map(|end| [end - 2, end - 1, end, end + 1, 1 - end, -end, -end - 1]);
            let ends = ends.chain([0, 1, -1, i32::MAX, i32::MIN]);
            ends.map(|number| number as u32).collect()
        }
        _ => {
            let positive = steps.iter().flat_map(|most| {
                let step = 1.0 / f64::from(*most);
                let signed = 1.0 / f64::from(*most / 2);
                [0.2, 0.45, 0.55, 0.8, 1.0, 1.45, 1.55]
                    .into_iter()
                    .flat_map(move |at| [at * step, 1.0 - at * step, at * signed, 1.0 - at * signed])
            });
            let others = [
                0.0,
                0.25,
                0.5,
                1.0,
                1.0 + 1e-6,
                1.5,
                2.0,
                3.75,
                100.0,
                1e-7,
                6e-8,
                1e-5,
                2e-3,
                65504.0,
                65519.0,
                65520.0,
                64512.0,
                65024.0,
                1e6,
                1e30,
                1e-30,
                f64::INFINITY,
                f64::NAN,
            ];
            let all = positive.chain(others).flat_map(|number| [number, -number]);
            all.map(|number| (number as f32).to_bits()).collect()
        }
    }
}

/// Maximum difference between a stored number and the exact result, in steps of the format (3.2.3.6).
const STORE_STEPS: f64 = 0.6;
/// Maximum difference for pixel shader outputs, in steps of the format. It is larger than [`STORE_STEPS`],
/// because llvmpipe truncates outputs to R10G10B10A2_UNORM instead of rounding them.
const OUTPUT_STEPS: f64 = 0.99;

/// Returns whether a texel's component is the converted number, which may differ from the exact result by
/// `steps`.
fn is_right(format: Format, bits: u32, number: u32, found: u32, steps: f64) -> bool {
    let (value, texel) = (f64::from(f32::from_bits(number)), f64::from(f32::from_bits(found)));
    let most = ((1_u64 << bits) - 1) as f64;
    match format.component_kind() {
        // Larger numbers are clamped to the range of the format.
        ComponentKind::Uint => u64::from(found) == u64::from(number).min((1 << bits) - 1),
        ComponentKind::Sint => {
            let end = 1_i64 << (bits - 1);
            i64::from(found as i32) == i64::from(number as i32).clamp(-end, end - 1)
        }
        // Direct3D 11 converts NaN to 0, but Vulkan leaves the result to the adapter. llvmpipe stores 1, and
        // it draws 1 to UNORM targets and -1 to SNORM targets.
        ComponentKind::Unorm | ComponentKind::Snorm if value.is_nan() => texel == 0.0 || texel.abs() == 1.0,
        // Numbers outside the format's range are converted exactly to the nearest end of the range.
        ComponentKind::Unorm => {
            let exact = value.clamp(0.0, 1.0) * most;
            let is_end = value <= 0.0 || value >= 1.0;
            ((texel * most).round() - exact).abs() <= if is_end { 0.0 } else { steps }
        }
        ComponentKind::Snorm => {
            let most = ((1_u64 << (bits - 1)) - 1) as f64;
            let exact = value.clamp(-1.0, 1.0) * most;
            let is_end = value == 0.0 || value.abs() >= 1.0;
            ((texel * most).round() - exact).abs() <= if is_end { 0.0 } else { steps }
        }
        _ if bits == 32 => texels::is_same(format, number, found),
        // 16-bit floats have a sign, but 11-bit and 10-bit floats do not. The result may be rounded up or
        // down.
        _ => {
            let mantissa = if bits == 16 { 10 } else { bits as i32 - 5 };
            let largest = (2.0 - 2_f64.powi(-mantissa)) * 32768.0;
            let value = if bits == 16 { value } else { value.max(0.0) };
            if f32::from_bits(number).is_nan() {
                texel.is_nan()
            } else if value.is_infinite() {
                texel == value
            } else if value.abs() > largest {
                texel == largest.copysign(value) || texel == f64::INFINITY.copysign(value)
            } else {
                let exponent = value.abs().max(2_f64.powi(-14)).log2().floor() as i32;
                (texel - value).abs() < 2_f64.powi(exponent - mantissa)
            }
        }
    }
}

const WIDTH: u32 = 512;

/// Returns texels that together contain each number of a format's type in each component.
fn texels(format: Format) -> Vec<Bits> {
    let numbers = numbers(format.component_kind());
    assert!(numbers.len() <= WIDTH as usize, "{} numbers", numbers.len());
    let component = |n: u32, component: u32| numbers[(n + 7 * component) as usize % numbers.len()];
    (0..WIDTH).map(|n| [0, 1, 2, 3].map(|at| component(n, at))).collect()
}

fn store_all(h: &mut Harness, format: Format, image: &Texture2d, given: &[Bits]) -> Vec<u8> {
    let (letter, declared) = words(format);
    let text = format!(
        "@group(1) @binding(0) var<storage> given: array<vec4<{letter}32>>;
        @group(3) @binding(0) var image: texture_storage_2d<{declared}, write>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            textureStore(image, id.xy, given[id.x]);
        }}"
    );
    let cs = h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap();
    let desc = BufferDesc::structured(16, given.len() as u32, BindFlags::SHADER_RESOURCE);
    let given = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(given))).unwrap();
    let given = given.create_shader_resource_view().unwrap();
    let view = h.device.create_unordered_access_view(image, None).unwrap();
    h.record(CommandPath::Immediate, |cx| {
        cx.cs_set_shader(&cs);
        cx.cs_set_shader_resources(0, &given);
        cx.cs_set_unordered_access_views(0, &view);
        cx.dispatch(image.desc().width.div_ceil(64), 1, 1);
    });
    h.read(image, 0)
}

/// Stores numbers around all range limits to each component, in every format that shaders can write here.
#[test]
fn stores_clamp_round_and_convert_to_the_format() {
    on_each(&[Config::GPU], |h| {
        let textures = writable(h, WIDTH);
        assert!(textures.len() >= 12, "{} formats", textures.len());
        for (format, image) in textures {
            let given = texels(format);
            let stored = store_all(h, format, &image, &given);
            if format.component_kind() == ComponentKind::Snorm {
                // The two smallest numbers both represent -1, but stores must produce only the larger of
                // them.
                let size = usize::from(format.component_bits()[0] / 8);
                let is_least =
                    |number: &[u8]| number[size - 1] == 0x80 && number[..size - 1].iter().all(|b| *b == 0);
                assert!(!stored.chunks(size).any(is_least), "{format:?}");
            }
            assert_converted(format, &given, &stored, STORE_STEPS);
        }
    });
}

/// Returns whether shaders can draw to a format that this file models, which excludes sRGB formats because
/// they convert the colour first.
fn is_drawn(h: &Harness, format: Format) -> bool {
    h.has_format(format, FormatSupport::RENDER_TARGET) && !format.is_srgb()
}

/// Draws a row with one texel for each element of `given`.
fn draw_all(h: &mut Harness, format: Format, given: &[Bits]) -> Vec<u8> {
    let (letter, _) = words(format);
    let text = format!(
        "@group(1) @binding(0) var<storage> given: array<vec4<{letter}32>>;
        @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {{
            return vec4f(f32(i / 2u) * 4.0 - 1.0, f32(i % 2u) * 4.0 - 1.0, 0.0, 1.0);
        }}
        @fragment fn ps_main(@builtin(position) at: vec4f) -> @location(0) vec4<{letter}32> {{
            return given[u32(at.x)];
        }}"
    );
    let vs = h.device.create_vertex_shader(ShaderSource::wgsl(&text, "vs_main")).unwrap();
    let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&text, "ps_main")).unwrap();
    let desc = BufferDesc::structured(16, given.len() as u32, BindFlags::SHADER_RESOURCE);
    let given = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(given))).unwrap();
    let given = given.create_shader_resource_view().unwrap();
    let target = h.device.create_render_target(format, WIDTH, 1).unwrap();
    h.record(CommandPath::Immediate, |cx| {
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        cx.ps_set_shader_resources(0, &given);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports(Viewport::sized(WIDTH as f32, 1.0));
        cx.om_set_render_targets(&target.render_target_view, None);
        cx.draw(3, 0);
    });
    h.read(&target.texture, 0)
}

#[test]
fn outputs_clamp_round_and_convert_to_the_target() {
    on_each(&[Config::GPU], |h| {
        let formats: Vec<_> = Format::ALL.iter().copied().filter(|format| is_drawn(h, *format)).collect();
        assert!(formats.len() >= 20, "{} formats", formats.len());
        for format in formats {
            let given = texels(format);
            let drawn = draw_all(h, format, &given);
            assert_converted(format, &given, &drawn, OUTPUT_STEPS);
        }
    });
}

/// Checks each component of a row of texels against the number that the shader wrote.
fn assert_converted(format: Format, given: &[Bits], row: &[u8], steps: f64) {
    let bits = format.component_bits();
    for (given, texel) in given.iter().zip(row.chunks(format.bytes_per_block() as usize)) {
        let found = texels::load(format, texel);
        for component in (0..4).filter(|component| bits[*component] > 0) {
            let (number, found) = (given[component], found[component]);
            assert!(
                is_right(format, bits[component].into(), number, found, steps),
                "{format:?} {component}: {number:#x} ({:?}) became {found:#x} ({:?})",
                f32::from_bits(number),
                f32::from_bits(found)
            );
        }
    }
}

/// Loads each format as a shader resource and, if possible, through an unordered-access view. Missing
/// components are 0, except that a missing alpha is 1.
#[test]
fn loads_convert_from_the_format() {
    on_each(&[Config::GPU], |h| {
        let mut random = Random::new(1);
        for (format, image) in writable(h, WIDTH) {
            let (letter, declared) = words(format);
            // The first half contains texels of the numbers, and the second half contains random bits.
            let mut bytes: Vec<u8> =
                texels(format).iter().flat_map(|texel| texels::store(format, *texel)).collect();
            let half = bytes.len() / 2;
            bytes.truncate(half);
            bytes.extend(random.bytes(half));
            h.immediate.update_subresource(&image, 0, None, &bytes, format.row_pitch(WIDTH), 0);
            let declarations = [
                (
                    format!("@group(1) @binding(0) var image: texture_2d<{letter}32>;"),
                    "textureLoad(image, id.xy, 0)",
                ),
                (
                    format!("@group(3) @binding(0) var image: texture_storage_2d<{declared}, read_write>;"),
                    "textureLoad(image, id.xy)",
                ),
            ];
            for (unordered, (declaration, load)) in declarations.iter().enumerate() {
                let unordered = unordered == 1;
                // Direct3D 11 guarantees loads through unordered-access views only for these formats, so
                // support for all other formats depends on the adapter.
                if unordered && format.component_bits() != [32, 0, 0, 0] {
                    continue;
                }
                let text = format!(
                    "{declaration}
                    @group(3) @binding(1) var<storage, read_write> found: array<vec4<{letter}32>>;
                    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
                        found[id.x] = {load};
                    }}"
                );
                let cs = h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap();
                let flags = BindFlags::UNORDERED_ACCESS;
                let found = h.device.create_buffer(&BufferDesc::structured(16, WIDTH, flags), None).unwrap();
                let written = found.create_unordered_access_view().unwrap();
                let read = h.device.create_shader_resource_view(&image, None).unwrap();
                let both = h.device.create_unordered_access_view(&image, None).unwrap();
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&cs);
                    cx.cs_set_unordered_access_views(1, &written);
                    if unordered {
                        cx.cs_set_unordered_access_views(0, &both);
                    } else {
                        cx.cs_set_shader_resources(0, &read);
                    }
                    cx.dispatch(WIDTH / 64, 1, 1);
                });
                let found: Vec<Bits> = h.immediate.read_buffer(&found).unwrap();
                let size = format.bytes_per_block() as usize;
                let is_norm = matches!(format.component_kind(), ComponentKind::Unorm | ComponentKind::Snorm);
                for (texel, found) in bytes.chunks(size).zip(found) {
                    let expected = texels::load(format, texel);
                    let is_right = |(a, b): (&u32, &u32)| {
                        let distance = (f32::from_bits(*a) - f32::from_bits(*b)).abs();
                        texels::is_same(format, *a, *b) || (is_norm && distance < 1e-6)
                    };
                    assert!(
                        expected.iter().zip(&found).all(is_right),
                        "{format:?}, unordered {unordered}: {texel:x?} is {found:x?}, not {expected:x?}"
                    );
                }
                h.assert_silent();
            }
        }
    });
}
