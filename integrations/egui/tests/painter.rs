//! The painter's documented behaviour, with one test for each guarantee.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::{Arc, Mutex};

use egui::{
    ClippedPrimitive, Color32, ColorImage, Mesh, PaintCallback, Pos2, Rect, TextureFilter, TextureId,
    TextureOptions, TexturesDelta,
    epaint::{ImageDelta, Primitive, Vertex},
    pos2, vec2,
};
use onze::{
    BindFlags, BufferDesc, DeviceContext, Error, Format, PixelShader, PrimitiveTopology, Severity,
    ShaderResourceViewDesc, ShaderSource, VertexShader,
};
use onze_egui::{Callback, Painter};
use onze_tests::{
    CommandPath, Config, Harness, Target, assert_error,
    drawing::{assert_all, assert_texel, is_close},
    gpu_matrix, on_each,
};

const WHITE: u32 = 0xffff_ffff;
const BLACK: u32 = 0xff00_0000;
const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;
const BLUE: u32 = 0xffff_0000;

const IMAGE: TextureId = TextureId::Managed(0);

fn rect(x: f32, y: f32, width: f32, height: f32) -> Rect {
    Rect::from_min_size(pos2(x, y), vec2(width, height))
}

/// Creates a rectangle that shows the region `uv` of a texture.
fn quad(id: TextureId, rect: Rect, uv: Rect, color: Color32) -> Mesh {
    let mut mesh = Mesh::with_texture(id);
    mesh.add_rect_with_uv(rect, uv, color);
    mesh
}

fn picture(id: TextureId, at: Rect) -> Mesh {
    quad(id, at, rect(0.0, 0.0, 1.0, 1.0), Color32::WHITE)
}

fn clipped(clip_rect: Rect, mesh: Mesh) -> ClippedPrimitive {
    ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
}

fn all(mesh: Mesh) -> ClippedPrimitive {
    clipped(Rect::EVERYTHING, mesh)
}

fn set(id: TextureId, delta: ImageDelta) -> TexturesDelta {
    let mut textures = TexturesDelta::default();
    textures.push(id, delta);
    textures
}

fn image(width: usize, height: usize, pixels: Vec<Color32>) -> ColorImage {
    ColorImage::new([width, height], pixels)
}

fn white() -> TexturesDelta {
    set(IMAGE, ImageDelta::full(image(1, 1, vec![Color32::WHITE]), TextureOptions::NEAREST))
}

/// Draws one frame over black at one pixel per point, and returns the pixels.
fn draw(
    h: &mut Harness,
    painter: &mut Painter,
    target: &Target,
    textures: TexturesDelta,
    primitives: &[ClippedPrimitive],
) -> Vec<u32> {
    h.immediate.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
    painter.paint(&mut h.immediate, &target.view, 1.0, textures, primitives).unwrap();
    target.read(h)
}

/// Runs a test with a painter and a target, and fails if the debug layer reported anything.
fn with_painter(width: u32, height: u32, test: impl Fn(&mut Harness, &mut Painter, &Target)) {
    on_each(&[Config::GPU], |h| {
        let mut painter = Painter::new(&h.device).unwrap();
        let target = Target::new(&h.device, width, height);
        test(h, &mut painter, &target);
        let messages = h.device.info_queue().take();
        assert!(messages.is_empty(), "{messages:?}");
    });
}

#[test]
fn a_part_of_a_texture_is_updated() {
    with_painter(4, 4, |h, painter, target| {
        let whole = ImageDelta::full(image(4, 4, vec![Color32::RED; 16]), TextureOptions::NEAREST);
        let patch = image(2, 1, vec![Color32::GREEN, Color32::BLUE]);
        let mut textures = set(IMAGE, whole);
        textures.push(IMAGE, ImageDelta::partial([1, 2], patch, TextureOptions::NEAREST));
        let shown = [all(picture(IMAGE, rect(0.0, 0.0, 4.0, 4.0)))];
        let mut expected = [RED; 16];
        (expected[9], expected[10]) = (GREEN, BLUE);
        assert_eq!(draw(h, painter, target, textures, &shown), expected);
        // A later frame may update only a region of the texture.
        let patch = image(1, 2, vec![Color32::WHITE, Color32::BLACK]);
        let textures = set(IMAGE, ImageDelta::partial([3, 0], patch, TextureOptions::NEAREST));
        (expected[3], expected[7]) = (WHITE, BLACK);
        assert_eq!(draw(h, painter, target, textures, &shown), expected);
    });
}

#[test]
fn a_whole_update_keeps_the_texture_of_the_same_size() {
    with_painter(2, 2, |h, painter, target| {
        let shown = [all(picture(IMAGE, rect(0.0, 0.0, 2.0, 2.0)))];
        let mut update = |h: &mut Harness, size: usize, color: Color32, expected: u32| {
            let delta = ImageDelta::full(image(size, size, vec![color; size * size]), TextureOptions::LINEAR);
            assert_all(&draw(h, painter, target, set(IMAGE, delta), &shown), expected, "updated");
            painter.texture(IMAGE).unwrap().clone()
        };
        let first = update(h, 2, Color32::RED, RED);
        assert_eq!(update(h, 2, Color32::GREEN, GREEN), first);
        assert_ne!(update(h, 3, Color32::BLUE, BLUE), first);
    });
}

#[test]
fn an_update_of_a_part_of_nothing_is_an_error() {
    with_painter(2, 2, |h, painter, target| {
        let patch = ImageDelta::partial([0, 0], image(1, 1, vec![Color32::RED]), TextureOptions::LINEAR);
        let result = painter.paint(&mut h.immediate, &target.view, 1.0, set(IMAGE, patch), &[]);
        assert_error!(result, NotFound);
    });
}

/// Draws 12 pixels from a texture with a black and a white texel, with texture coordinates from -1 to 2.
fn stripes(options: TextureOptions) -> Vec<u8> {
    let shown = Mutex::new(Vec::new());
    with_painter(12, 1, |h, painter, target| {
        let texels = image(2, 1, vec![Color32::BLACK, Color32::WHITE]);
        let mesh = quad(IMAGE, rect(0.0, 0.0, 12.0, 1.0), rect(-1.0, 0.0, 3.0, 1.0), Color32::WHITE);
        let texels = draw(h, painter, target, set(IMAGE, ImageDelta::full(texels, options)), &[all(mesh)]);
        *shown.lock().unwrap() = texels.iter().map(|texel| *texel as u8).collect();
    });
    shown.into_inner().unwrap()
}

#[test]
fn the_options_of_a_texture_are_those_of_its_sampler() {
    if stripes(TextureOptions::NEAREST).is_empty() {
        return; // there is no GPU
    }
    assert_eq!(stripes(TextureOptions::NEAREST), [0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255]);
    assert_eq!(stripes(TextureOptions::NEAREST_REPEAT), [0, 0, 255, 255].repeat(3));
    let mirrored = [255, 255, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0];
    assert_eq!(stripes(TextureOptions::NEAREST_MIRRORED_REPEAT), mirrored);
    let close = |shown: &[u8], expected: &[u8]| {
        assert!(shown.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1), "{shown:?}, not {expected:?}");
    };
    close(&stripes(TextureOptions::LINEAR), &[0, 0, 0, 0, 0, 64, 191, 255, 255, 255, 255, 255]);
    close(&stripes(TextureOptions::LINEAR_REPEAT), &[64, 64, 191, 191].repeat(3));
    // Each pixel here is smaller than a texel, so only the magnification filter matters.
    let magnified = TextureOptions { minification: TextureFilter::Nearest, ..TextureOptions::LINEAR };
    assert_eq!(stripes(magnified), stripes(TextureOptions::LINEAR));
}

/// Draws a texture of 8 x 8 texels, in alternating black and white columns, into 2 x 2 pixels.
fn minified(h: &mut Harness, painter: &mut Painter, target: &Target, options: TextureOptions) -> Vec<u32> {
    let columns = (0..64).map(|n| if n % 2 == 0 { Color32::BLACK } else { Color32::WHITE }).collect();
    let textures = set(IMAGE, ImageDelta::full(image(8, 8, columns), options));
    // The coordinates are moved right by a fraction of a texel, because otherwise each pixel's centre would
    // be between two texels.
    let mesh = quad(IMAGE, rect(0.0, 0.0, 2.0, 2.0), rect(0.05, 0.0, 1.0, 1.0), Color32::WHITE);
    draw(h, painter, target, textures, &[all(mesh)])
}

#[test]
fn a_mip_mode_makes_mip_levels() {
    with_painter(2, 2, |h, painter, target| {
        painter.set_dithering(false);
        let plain = minified(h, painter, target, TextureOptions::NEAREST);
        assert!(plain.iter().all(|texel| [BLACK, WHITE].contains(texel)), "{plain:x?}");
        // Linear minification would mix two texels even with one level, so only the magnification filter is
        // linear here.
        let both = TextureOptions { magnification: TextureFilter::Linear, ..TextureOptions::NEAREST };
        assert_eq!(minified(h, painter, target, both), plain, "the minification filter is used");
        for mode in [TextureFilter::Nearest, TextureFilter::Linear] {
            let options = TextureOptions::NEAREST.with_mipmap_mode(Some(mode));
            let grey = minified(h, painter, target, options);
            assert!(grey.iter().all(|texel| is_close(*texel, 0xff80_8080, 2)), "{grey:x?}");
            // An update of the texture generates its mip levels again.
            let patch = image(8, 4, vec![Color32::RED; 32]);
            let textures = set(IMAGE, ImageDelta::partial([0, 0], patch, options));
            let shown = [all(picture(IMAGE, rect(0.0, 0.0, 2.0, 2.0)))];
            let texels = draw(h, painter, target, textures, &shown);
            assert_texel(target, &texels, (0, 0), RED, "updated");
            assert!(is_close(target.at(&texels, 1, 1), 0xff80_8080, 2), "{texels:x?}");
        }
    });
}

#[test]
fn textures_of_the_program_are_shown_as_their_format_says() {
    with_painter(2, 1, |h, painter, target| {
        painter.set_dithering(false);
        let texels = [[200_u8, 100, 50, 255]; 4];
        let view = |format| {
            let texture = h.device.create_texture_2d_with(format, 2, 2, &texels).unwrap();
            texture.create_shader_resource_view().unwrap()
        };
        let (plain, srgb) = (view(Format::R8G8B8A8_UNORM), view(Format::R8G8B8A8_UNORM_SRGB));
        let half = 0x3800_u16; // 0.5 in 16 bits
        let floats = [[half, half, half, 0x3c00]; 1];
        let texture = h.device.create_texture_2d_with(Format::R16G16B16A16_FLOAT, 1, 1, &floats).unwrap();
        let float = texture.create_shader_resource_view().unwrap();
        let id = painter.register_texture(&plain, TextureOptions::NEAREST).unwrap();
        let other = painter.register_texture(&srgb, TextureOptions::LINEAR).unwrap();
        assert_ne!(id, other);
        let both =
            [all(picture(id, rect(0.0, 0.0, 1.0, 1.0))), all(picture(other, rect(1.0, 0.0, 1.0, 1.0)))];
        let shown = draw(h, painter, target, TexturesDelta::default(), &both);
        assert_all(&shown, 0xff32_64c8, "both have the same bytes");
        // Linear light of 0.5 is encoded as 188 in sRGB.
        painter.update_texture(other, &float, TextureOptions::LINEAR).unwrap();
        let shown = draw(h, painter, target, TexturesDelta::default(), &both);
        assert!(is_close(shown[0], 0xff32_64c8, 1) && is_close(shown[1], 0xffbc_bcbc, 1), "{shown:x?}");
        // A mesh with a freed texture is not drawn, and the debug layer reports it.
        painter.free_texture(id);
        let shown = draw(h, painter, target, TexturesDelta::default(), &both);
        assert_eq!(shown[0], BLACK);
        let messages = h.device.info_queue().take();
        assert!(messages.len() == 1 && messages[0].severity == Severity::Warning, "{messages:?}");
    });
}

#[test]
fn a_buffer_is_no_texture_of_an_interface() {
    with_painter(1, 1, |h, painter, _| {
        let desc = BufferDesc::structured(16, 4, BindFlags::SHADER_RESOURCE);
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let view = h.device.create_shader_resource_view(&buffer, None::<&ShaderResourceViewDesc>).unwrap();
        assert_error!(painter.register_texture(&view, TextureOptions::LINEAR), InvalidArg);
    });
}

#[test]
fn a_freed_texture_is_drawn_in_its_last_frame() {
    with_painter(1, 1, |h, painter, target| {
        let shown = [all(picture(IMAGE, rect(0.0, 0.0, 1.0, 1.0)))];
        let mut textures = white();
        textures.free(IMAGE);
        assert_eq!(draw(h, painter, target, textures, &shown), [WHITE]);
        assert!(painter.texture(IMAGE).is_none());
    });
}

#[test]
fn freed_textures_leave_no_object() {
    with_painter(1, 1, |h, painter, target| {
        let mut frame = |h: &mut Harness| {
            let mut textures = white();
            textures.free(IMAGE);
            draw(h, painter, target, textures, &[all(picture(IMAGE, rect(0.0, 0.0, 1.0, 1.0)))]);
            h.wait();
            h.immediate.flush();
            h.immediate.flush();
            h.device.statistics().live_objects
        };
        frame(h);
        let before = frame(h);
        for _ in 0..10 {
            frame(h);
        }
        assert_eq!(frame(h), before);
    });
}

#[test]
fn clip_rectangles_cut_and_may_lie_anywhere() {
    with_painter(8, 8, |h, painter, target| {
        let white_everywhere = || picture(IMAGE, rect(-10.0, -10.0, 100.0, 100.0));
        for (clip, seen) in [
            (rect(2.0, 3.0, 4.0, 2.0), Some((2, 3, 6, 5))),
            (rect(-5.0, -5.0, 7.0, 7.0), Some((0, 0, 2, 2))),
            (rect(6.0, 6.0, 1000.0, 1000.0), Some((6, 6, 8, 8))),
            (rect(1.4, 1.6, 2.0, 2.0), Some((1, 2, 3, 4))), // whole pixels
            (Rect::EVERYTHING, Some((0, 0, 8, 8))),
            (rect(8.0, 0.0, 5.0, 8.0), None),
            (rect(-9.0, 0.0, 9.0, 8.0), None),
            (rect(0.0, 100.0, 8.0, 8.0), None),
            (rect(3.0, 3.0, 0.0, 5.0), None),
            (Rect::NOTHING, None),
            (Rect::NAN, None),
        ] {
            let primitives = [
                clipped(clip, white_everywhere()),
                all(quad(IMAGE, rect(7.0, 7.0, 1.0, 1.0), Rect::ZERO, Color32::RED)),
            ];
            let texels = draw(h, painter, target, white(), &primitives);
            let (left, top, right, bottom) = seen.unwrap_or_default();
            for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
                let inside = (left..right).contains(&x) && (top..bottom).contains(&y);
                let expected = if (x, y) == (7, 7) {
                    RED // a mesh behind one that is cut off
                } else if inside {
                    WHITE
                } else {
                    BLACK
                };
                assert_eq!(target.at(&texels, x, y), expected, "{clip:?} at {x}, {y}");
            }
        }
    });
}

/// Creates one rectangle for each pixel of a target, either all in one mesh or each in its own mesh.
fn mosaic(width: u32, height: u32, one_mesh: bool) -> (Vec<ClippedPrimitive>, Vec<u32>) {
    let (mut meshes, mut texels) = (vec![Mesh::with_texture(IMAGE)], Vec::new());
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let color = Color32::from_rgb(x as u8, y as u8, (x * 7 + y * 13) as u8);
        if !one_mesh {
            let mut mesh = Mesh::with_texture(IMAGE);
            // Vertices that no index refers to make the indices of the meshes differ.
            mesh.vertices = vec![Vertex::default(); texels.len() % 3];
            meshes.push(mesh);
        }
        let one = rect(x as f32, y as f32, 1.0, 1.0);
        meshes.last_mut().unwrap().add_rect_with_uv(one, Rect::ZERO, color);
        texels.push(u32::from_le_bytes(color.to_array()));
    }
    (meshes.into_iter().map(all).collect(), texels)
}

#[test]
fn buffers_grow_for_meshes_of_any_size() {
    with_painter(256, 128, |h, painter, target| {
        // 131072 vertices in one mesh need 32-bit indices. The next frames have many meshes, one mesh, and
        // many meshes again.
        for (width, height, one_mesh) in
            [(16, 4, true), (256, 128, true), (64, 64, false), (2, 2, true), (256, 64, false)]
        {
            let (primitives, expected) = mosaic(width, height, one_mesh);
            let texels = draw(h, painter, target, white(), &primitives);
            for (n, expected) in expected.into_iter().enumerate() {
                let (x, y) = (n as u32 % width, n as u32 / width);
                assert_eq!(target.at(&texels, x, y), expected, "{x}, {y} of {width} x {height}");
            }
        }
    });
}

#[test]
fn nothing_draws_nothing() {
    with_painter(2, 2, |h, painter, target| {
        let empty = || all(Mesh::with_texture(IMAGE));
        assert_all(&draw(h, painter, target, TexturesDelta::default(), &[]), BLACK, "no primitives");
        let only = draw(h, painter, target, TexturesDelta::default(), &[empty(), empty()]);
        assert_all(&only, BLACK, "empty meshes");
        let white_quad = all(picture(IMAGE, rect(0.0, 0.0, 2.0, 2.0)));
        let between = draw(h, painter, target, white(), &[empty(), white_quad, empty()]);
        assert_all(&between, WHITE, "between empty meshes");
    });
}

#[test]
fn a_target_is_of_this_device_and_has_pixels() {
    with_painter(2, 2, |h, painter, target| {
        for pixels_per_point in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let result = painter.paint(&mut h.immediate, &target.view, pixels_per_point, white(), &[]);
            assert_error!(result, InvalidArg);
        }
        let other = Harness::start(Config::NULL).unwrap();
        let foreign = Target::new(&other.device, 2, 2);
        let result = painter.paint(&mut h.immediate, &foreign.view, 1.0, white(), &[]);
        assert_error!(result, InvalidArg);
        drop(foreign);
        other.finish();
    });
}

fn decoded(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value < 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[test]
fn colors_are_the_same_in_targets_of_all_formats() {
    on_each(&[Config::GPU], |h| {
        let mut painter = Painter::new(&h.device).unwrap();
        painter.set_dithering(false);
        let colors: Vec<_> =
            (0..256_u32).map(|n| Color32::from_rgb(n as u8, 255 - n as u8, (n * 5) as u8)).collect();
        let textures =
            || set(IMAGE, ImageDelta::full(image(256, 1, colors.clone()), TextureOptions::NEAREST));
        let shown = [all(picture(IMAGE, rect(0.0, 0.0, 256.0, 1.0)))];
        for format in [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB] {
            let target = Target::with_format(&h.device, format, 256, 1);
            let texels = draw(h, &mut painter, &target, textures(), &shown);
            for (texel, color) in texels.iter().zip(&colors) {
                assert!(
                    is_close(*texel, u32::from_le_bytes(color.to_array()), 1),
                    "{format:?}: {texel:x} {color:?}"
                );
            }
        }
        let target = Target::with_format(&h.device, Format::R32G32B32A32_FLOAT, 256, 1);
        h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
        painter.paint(&mut h.immediate, &target.view, 1.0, textures(), &shown).unwrap();
        let bytes = h.read(&target.texture, 0);
        let texels: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
        for (texel, color) in texels.chunks_exact(4).zip(&colors) {
            assert!((texel[0] - decoded(color.r())).abs() < 1e-3, "{texel:?} {color:?}");
        }
    });
}

#[test]
fn alpha_is_premultiplied() {
    on_each(&[Config::GPU], |h| {
        let mut painter = Painter::new(&h.device).unwrap();
        painter.set_dithering(false);
        let half_red = Color32::from_rgba_premultiplied(100, 0, 0, 128);
        let light = Color32::from_rgba_premultiplied(60, 60, 60, 0); // adds
        let one = |x: f32, color| all(quad(IMAGE, rect(x, 0.0, 1.0, 1.0), Rect::ZERO, color));
        let shown = [
            all(quad(IMAGE, rect(0.0, 0.0, 2.0, 1.0), Rect::ZERO, Color32::from_rgb(0, 100, 200))),
            one(0.0, half_red),
            one(1.0, light),
        ];
        let target = Target::new(&h.device, 2, 1);
        let texels = draw(h, &mut painter, &target, white(), &shown);
        assert_texel(&target, &texels, (0, 0), 0xff64_3264, "translucent");
        assert_texel(&target, &texels, (1, 0), 0xffff_a03c, "additive");
        // The same blend in linear light produces another colour, but the same alpha.
        let target = Target::with_format(&h.device, Format::R8G8B8A8_UNORM_SRGB, 2, 1);
        let texels = draw(h, &mut painter, &target, white(), &shown);
        let green = target.at(&texels, 0, 0) >> 8 & 0xff;
        assert!((decoded(green as u8) - decoded(100) * 127.0 / 255.0).abs() < 0.01, "{green}");
        // Over an empty target, the alpha is the drawn colour's alpha.
        let target = Target::new(&h.device, 1, 1);
        h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
        painter.paint(&mut h.immediate, &target.view, 1.0, white(), &[one(0.0, half_red)]).unwrap();
        assert_eq!(target.read(h), [0x8000_0064]);
    });
}

#[test]
fn dithering_keeps_what_eight_bits_hold_and_spreads_the_rest() {
    with_painter(64, 64, |h, painter, target| {
        let everywhere = rect(0.0, 0.0, 64.0, 64.0);
        let flat = [all(quad(IMAGE, everywhere, Rect::ZERO, Color32::from_gray(77)))];
        assert!(draw(h, painter, target, white(), &flat).iter().all(|texel| *texel == 0xff4d_4d4d));
        let mut gradient = quad(IMAGE, everywhere, Rect::ZERO, Color32::from_gray(77));
        gradient.vertices[1].color = Color32::from_gray(79);
        gradient.vertices[3].color = Color32::from_gray(79);
        let bands = |texels: &[u32]| texels[..64].windows(2).filter(|pair| pair[0] != pair[1]).count();
        let shown = [all(gradient)];
        assert!(bands(&draw(h, painter, target, white(), &shown)) > 4);
        painter.set_dithering(false);
        assert!(bands(&draw(h, painter, target, white(), &shown)) <= 2);
    });
}

/// A callback that covers the viewport with one colour.
#[derive(Clone)]
struct Fill {
    vs: VertexShader,
    ps: PixelShader,
}

impl Fill {
    fn new(h: &Harness) -> Self {
        let source = "
            @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                return vec4f(f32(i & 1u) * 2.0 - 1.0, 1.0 - f32(i >> 1u) * 2.0, 0.5, 1.0);
            }
            @fragment fn ps_main() -> @location(0) vec4f { return vec4f(0.0, 0.0, 1.0, 1.0); }";
        Self {
            vs: h.device.create_vertex_shader(ShaderSource::wgsl(source, "vs_main")).unwrap(),
            ps: h.device.create_pixel_shader(ShaderSource::wgsl(source, "ps_main")).unwrap(),
        }
    }

    fn draw(&self, context: &mut DeviceContext) {
        context.ia_set_input_layout(None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        context.draw(4, 0);
    }
}

fn callback(clip_rect: Rect, callback: PaintCallback) -> ClippedPrimitive {
    ClippedPrimitive { clip_rect, primitive: Primitive::Callback(callback) }
}

#[test]
fn a_callback_draws_between_meshes() {
    on_each(&gpu_matrix(), |h| {
        let mut painter = Painter::new(&h.device).unwrap();
        let target = Target::new(&h.device, 8, 8);
        let fill = Fill::new(h);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let infos = seen.clone();
        let blue = Callback::at(rect(1.0, 1.0, 2.0, 3.0), move |context, info| {
            infos.lock().unwrap().push((info.viewport, info.scissor, info.target_size, info.aspect_ratio()));
            fill.draw(context);
            Ok(())
        });
        let primitives = [
            all(picture(IMAGE, rect(0.0, 0.0, 8.0, 8.0))),
            // A point is two pixels wide, so the clip rectangle cuts off the last row.
            callback(rect(0.0, 0.0, 4.0, 3.5), blue.clone()),
            all(quad(IMAGE, rect(0.0, 0.0, 1.5, 1.5), Rect::ZERO, Color32::RED)),
            callback(rect(9.0, 9.0, 4.0, 4.0), blue.clone()),
        ];
        for how in CommandPath::ALL {
            h.immediate.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            h.record(how, |context| painter.paint(context, &target.view, 2.0, white(), &primitives).unwrap());
            let texels = target.read(h);
            for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
                let expected = if x < 3 && y < 3 {
                    RED
                } else if (2..6).contains(&x) && (2..7).contains(&y) {
                    BLUE
                } else {
                    WHITE
                };
                assert_eq!(target.at(&texels, x, y), expected, "{x}, {y}");
            }
            let (viewport, scissor, size, aspect_ratio) = seen.lock().unwrap().remove(0);
            assert_eq!((viewport.top_left_x, viewport.top_left_y), (2.0, 2.0));
            assert_eq!((viewport.width, viewport.height, aspect_ratio), (4.0, 6.0, 4.0 / 6.0));
            assert_eq!((scissor.left, scissor.top, scissor.right, scissor.bottom), (0, 0, 8, 7));
            assert_eq!(size, [8, 8]);
            assert!(seen.lock().unwrap().is_empty(), "hidden callbacks are not called");
        }
        assert_eq!(h.device.info_queue().take(), []);
    });
}

#[test]
fn a_callback_half_outside_is_not_squeezed() {
    with_painter(4, 4, |h, painter, target| {
        let fill = Fill::new(h);
        let seen = Arc::new(Mutex::new(None));
        let info = seen.clone();
        let blue = Callback::at(rect(-6.0, 2.0, 8.0, 8.0), move |context, seen| {
            *info.lock().unwrap() = Some(seen.viewport);
            fill.draw(context);
            Ok(())
        });
        let texels = draw(h, painter, target, white(), &[callback(Rect::EVERYTHING, blue)]);
        let viewport = seen.lock().unwrap().unwrap();
        assert_eq!((viewport.top_left_x, viewport.width, viewport.height), (-6.0, 8.0, 8.0));
        for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
            let expected = if x < 2 && y >= 2 { BLUE } else { BLACK };
            assert_eq!(target.at(&texels, x, y), expected, "{x}, {y}");
        }
    });
}

#[test]
fn errors_of_callbacks_are_returned() {
    with_painter(1, 1, |h, painter, target| {
        let failing = Callback::at(rect(0.0, 0.0, 1.0, 1.0), |_, _| Err(Error::Fail("no teapot".to_owned())));
        let result = painter.paint(
            &mut h.immediate,
            &target.view,
            1.0,
            white(),
            &[callback(Rect::EVERYTHING, failing)],
        );
        assert_error!(result, Fail);
        // A callback that belongs to another painter is not called, and the debug layer reports it.
        let foreign = PaintCallback { rect: rect(0.0, 0.0, 1.0, 1.0), callback: Arc::new(5) };
        painter
            .paint(&mut h.immediate, &target.view, 1.0, white(), &[callback(Rect::EVERYTHING, foreign)])
            .unwrap();
        assert_eq!(h.device.info_queue().take().len(), 1);
    });
}

/// Draws two frames of triangles with two textures, one of which changes between them, and expects the same
/// pictures on every command path.
#[test]
fn deferred_contexts_draw_the_same() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, 64, 64);
        let mut pictures = Vec::new();
        for how in CommandPath::ALL {
            let mut painter = Painter::new(&h.device).unwrap();
            h.immediate.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            for frame in 0..3_u32 {
                let (textures, primitives) = scene(frame);
                h.record(how, |context| {
                    painter.paint(context, &target.view, 1.5, textures, &primitives).unwrap();
                });
            }
            pictures.push(target.read(h));
        }
        assert!(pictures[0].iter().filter(|texel| **texel != BLACK).count() > 500);
        assert!(pictures[1..].iter().all(|picture| *picture == pictures[0]), "not the same");
        assert_eq!(h.device.info_queue().take(), []);
    });
}

fn scene(frame: u32) -> (TexturesDelta, Vec<ClippedPrimitive>) {
    let grey = |n: u32| Color32::from_gray((n * 37) as u8);
    let mut textures = TexturesDelta::default();
    let checks = TextureId::Managed(1);
    if frame == 0 {
        textures = white();
        let image = image(8, 8, (0..64).map(grey).collect());
        let options = TextureOptions::LINEAR.with_mipmap_mode(Some(TextureFilter::Linear));
        textures.push(checks, ImageDelta::full(image, options));
    } else {
        let at = [frame as usize, 2];
        let patch = image(2, 2, vec![Color32::RED; 4]);
        let options = TextureOptions::LINEAR.with_mipmap_mode(Some(TextureFilter::Linear));
        textures.push(checks, ImageDelta::partial(at, patch, options));
    }
    let triangles = (0..40).map(|n| {
        let (x, y) = ((n * 7 % 40) as f32, (n * 11 % 40 + frame * 2) as f32);
        let mut mesh = Mesh::with_texture(if n % 3 == 0 { checks } else { IMAGE });
        for (dx, dy) in [(0.0, 0.0), (9.0, 2.0), (3.0, 8.0)] {
            let color = Color32::from_rgba_unmultiplied((n * 5) as u8, (n * 9) as u8, 200, 150);
            let (pos, uv) = (Pos2::new(x + dx, y + dy), Pos2::new(dx / 9.0, dy / 8.0));
            mesh.vertices.push(Vertex { pos, uv, color });
        }
        mesh.indices = vec![0, 1, 2];
        clipped(rect(x, y, 6.0, 6.0), mesh)
    });
    (textures, triangles.collect())
}
