//! The prologue: which commands move before the passes of a section, and which of them begin a section.
//!
//! Each test draws to the texels of a strip, one texel for each draw, so that a wrong order of a command and a
//! draw shows in the texel of that draw.

use std::sync::Arc;

use onze_ddi::{
    DsvFlags, Format, HandleType, InputClassification, PrimitiveTopology, ShaderStage, SubresourceRange,
    TextureViewDesc, ViewDimension, Viewport,
};

use super::{
    copying::{copy_bytes, download, upload},
    scene::{Bench, COVER, Recording, TINT, WHITE, color},
};
use crate::{
    objects::{allocator::Storage, resource::Resource, shader::Shader, view::View},
    record::command::{Bind, Command},
};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

const LENGTH: u32 = 100;

type Texel = [u8; 4];
const NONE: Texel = [0; 4];
const FULL: Texel = [255; 4];
/// The first two components of a colour, padded with zeros.
const RED: Texel = [255, 0, 0, 0];
const GREEN: Texel = [0, 255, 0, 0];

/// Covers the viewport with the first texel of the texture in t0.
const SAMPLE: &str = "
    @group(1) @binding(0) var image: texture_2d<f32>;
    @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2(0), 0); }";

/// Like `SAMPLE`, with the sum of the texel and the colour in the constant buffer b0.
const SUM: &str = "
    @group(0) @binding(0) var<uniform> tint: vec4f;
    @group(1) @binding(0) var image: texture_2d<f32>;
    @fragment fn main() -> @location(0) vec4f { return tint + textureLoad(image, vec2(0), 0); }";

/// Covers the viewport with the first element of the buffer in t0.
const ELEMENTS: &str = "
    @group(1) @binding(0) var<storage> colors: array<vec4f>;
    @fragment fn main() -> @location(0) vec4f { return colors[0]; }";

/// Moves the vertices down, so that the missing vertex of a triangle is not in the centre of the viewport.
const FETCH: &str = "
    @vertex fn main(@location(0) at: vec2f) -> @builtin(position) vec4f {
        return vec4f(at.x, at.y - 3.0, 0.5, 1.0);
    }";

/// A target of 100 texels, and the objects that most tests draw with.
struct Strip {
    bench: Bench,
    target: Arc<Resource>,
    rtv: Arc<View>,
    cover: Arc<Shader>,
    tint: Arc<Shader>,
    white: Arc<Shader>,
    /// The components (1, 0) and (0, 1), which shaders read as colours through padded copies.
    red: Arc<Storage>,
    green: Arc<Storage>,
}

/// A texture of one texel, whose colour changes from `OLD` to `NEW`.
struct ChangingTexel {
    texture: Arc<Resource>,
    srv: Arc<View>,
    old: Arc<Storage>,
    new: Arc<Storage>,
}

const OLD: Texel = [0, 0, 40, 0];
const NEW: Texel = [0, 0, 80, 0];

impl ChangingTexel {
    fn new(bench: &Bench) -> Self {
        let texture = bench.target(RGBA8, 1, 1);
        let [old, new] = [OLD, NEW].map(|texel| bench.buffer(&texel));
        Self { srv: bench.srv(&texture, RGBA8), texture, old, new }
    }

    fn upload_old(&self, page: &mut Recording) {
        upload(page, &self.old, &self.texture, [1, 1, 1]);
    }

    fn upload_new(&self, page: &mut Recording) {
        upload(page, &self.new, &self.texture, [1, 1, 1]);
    }
}

/// The result of a run: passes, command buffers, and the texels of the strip.
type Outcome = (u32, usize, Vec<Texel>);

impl Strip {
    fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let target = bench.target(RGBA8, LENGTH, 1);
        let [red, green] = [[1.0f32, 0.0], [0.0, 1.0]].map(|pair| bench.buffer(bytemuck::cast_slice(&pair)));
        Some(Self {
            rtv: bench.rtv(&target, RGBA8),
            target,
            cover: bench.vertex(COVER),
            tint: bench.pixel(TINT),
            white: bench.pixel(WHITE),
            red,
            green,
            bench,
        })
    }

    /// Returns a page that draws to the strip.
    fn page(&self) -> Recording {
        let mut page = Recording::default();
        page.targets(&[Some(&self.rtv)], None).shaders(&self.cover, Some(&self.white));
        page
    }

    /// Returns a page that first clears the strip.
    fn first_page(&self) -> Recording {
        let mut page = Recording::default();
        page.clear(&self.rtv, [0.0; 4]).targets(&[Some(&self.rtv)], None);
        page.shaders(&self.cover, Some(&self.white));
        page
    }

    fn run(&mut self, pages: Vec<Recording>) -> Outcome {
        let encoded = self.bench.encode(pages);
        assert_eq!(encoded.error, None);
        let (passes, buffers) = (encoded.stats.passes, encoded.command_buffers.len());
        self.bench.device.gpu.queue.submit(encoded.command_buffers);
        self.bench.runtime.assert_clean();
        (passes, buffers, self.texels())
    }

    fn texels(&self) -> Vec<Texel> {
        let texels = self.bench.texels(&self.target, 0, 0);
        texels.chunks(4).map(|texel| texel.try_into().unwrap()).collect()
    }

    /// Draws with the constants of a buffer that is shorter than the shader's block.
    fn draw_padded(&self, page: &mut Recording, at: u32, constants: &Arc<Storage>) {
        page.shaders(&self.cover, Some(&self.tint));
        page.constants(ShaderStage::Pixel, constants, 0, 8).cell(at);
    }

    fn draw_white(&self, page: &mut Recording, at: u32) {
        page.shaders(&self.cover, Some(&self.white)).cell(at);
    }

    /// Creates a buffer without the contents of another one.
    fn constants(&self) -> Arc<Storage> {
        self.bench.buffer(&[0; 8])
    }

    /// Records commands after which a padded copy of the result begins a section: a write to it, and a draw.
    fn write_early(&self, page: &mut Recording, at: u32) -> Arc<Storage> {
        let constants = self.constants();
        copy_bytes(page, (&self.red, 0), (&constants, 0), 8);
        self.draw_white(page, at);
        constants
    }

    /// Returns a page that uploads the old colour of a texel before [`Strip::write_early`], with that texel
    /// and the written constants.
    fn page_with_texel(&self) -> (Recording, ChangingTexel, Arc<Storage>) {
        let (mut page, texel) = (self.first_page(), ChangingTexel::new(&self.bench));
        texel.upload_old(&mut page);
        let constants = self.write_early(&mut page, 0);
        (page, texel, constants)
    }
}

impl Recording {
    /// Draws to one texel.
    fn cell(&mut self, at: u32) -> &mut Self {
        self.viewport(Viewport { top_left_x: at as f32, ..Viewport::sized(1.0, 1.0) }).draw(3, 0)
    }

    fn texture(&mut self, view: &Arc<View>) -> &mut Self {
        let object = self.view(view);
        self.push(Bind::ShaderResource { stage: ShaderStage::Pixel, slot: 0, object })
    }
}

#[test]
fn padded_constants_see_the_writes_before_them() {
    let Some(mut strip) = Strip::new() else { return };
    let (red, green) = (strip.red.clone(), strip.green.clone());
    let constants = strip.constants();
    let mut page = strip.first_page();
    strip.draw_white(&mut page, 0);
    strip.draw_padded(&mut page, 1, &constants);
    for (at, source) in [(2, &red), (3, &green), (4, &red)] {
        copy_bytes(&mut page, (source, 0), (&constants, 0), 8);
        strip.draw_padded(&mut page, at, &constants);
    }
    copy_bytes(&mut page, (&green, 0), (&constants, 0), 8);
    let (passes, buffers, texels) = strip.run(vec![page]);
    assert_eq!(texels[..5], [FULL, NONE, RED, GREEN, RED]);
    assert_eq!((passes, buffers), (1, 2), "all copies are in one prologue");
}

#[test]
fn a_write_before_the_pass_begins_one_section() {
    let Some(mut strip) = Strip::new() else { return };
    let green = strip.green.clone();
    let mut page = strip.first_page();
    let constants = strip.write_early(&mut page, 0);
    strip.draw_padded(&mut page, 1, &constants);
    for at in 2..20 {
        strip.draw_padded(&mut page, at, &constants);
        strip.draw_white(&mut page, 20 + at);
    }
    copy_bytes(&mut page, (&green, 0), (&constants, 0), 8);
    strip.draw_padded(&mut page, 20, &constants);
    let (passes, buffers, texels) = strip.run(vec![page]);
    assert!(texels[1..20].iter().all(|texel| *texel == RED), "{texels:?}");
    assert_eq!((texels[0], texels[20], texels[22]), (FULL, GREEN, FULL));
    assert_eq!((passes, buffers), (2, 3), "the write, then a prologue and a pass");
}

/// An earlier pass has read all constants, which are then updated one by one.
#[test]
fn updates_of_inputs_of_earlier_passes_begin_one_section() {
    let Some(mut strip) = Strip::new() else { return };
    let other = strip.bench.rtv(&strip.bench.target(RGBA8, LENGTH, 1), RGBA8);
    let (old, new) = ([0.0; 4], strip.bench.buffer(&color([1.0; 4])));
    let constants: Vec<_> = (0..8).map(|_| strip.bench.buffer(&color(old))).collect();
    let mut earlier = Recording::default();
    earlier.targets(&[Some(&other)], None).shaders(&strip.cover, Some(&strip.tint));
    let mut page = strip.first_page();
    strip.draw_white(&mut page, 0);
    page.shaders(&strip.cover, Some(&strip.tint));
    for (at, constants) in (1..).zip(&constants) {
        earlier.constants(ShaderStage::Pixel, constants, 0, 16).cell(at);
        copy_bytes(&mut page, (&new, 0), (constants, 0), 16);
        page.constants(ShaderStage::Pixel, constants, 0, 16).cell(at);
    }
    let (passes, buffers, texels) = strip.run(vec![earlier, page]);
    assert_eq!(texels[..9], [FULL; 9]);
    assert_eq!((passes, buffers), (3, 3));
}

#[test]
fn a_write_to_bytes_that_the_pass_reads_splits_it() {
    let Some(mut strip) = Strip::new() else { return };
    let (red, green) = (strip.red.clone(), strip.green.clone());
    let constants = strip.bench.buffer(&color([0.0, 0.0, 1.0, 1.0]));
    let mut page = strip.first_page();
    let full = |strip: &Strip, page: &mut Recording, at: u32| {
        page.shaders(&strip.cover, Some(&strip.tint)).constants(ShaderStage::Pixel, &constants, 0, 16);
        page.cell(at);
    };
    full(&strip, &mut page, 0);
    for (at, source) in [(1, &red), (3, &green), (5, &red), (7, &green)] {
        copy_bytes(&mut page, (source, 0), (&constants, 0), 8);
        full(&strip, &mut page, at);
        strip.draw_padded(&mut page, at + 1, &constants);
    }
    let (passes, buffers, texels) = strip.run(vec![page]);
    let [with_red, with_green] = [RED, GREEN].map(|[r, g, ..]| [r, g, 255, 255]);
    let expected = [[0, 0, 255, 255], with_red, RED, with_green, GREEN, with_red, RED, with_green, GREEN];
    assert_eq!(texels[..9], expected);
    assert_eq!((passes, buffers), (9, 1), "each write and each padded copy ends a pass");
}

#[test]
fn a_draw_that_begins_a_section_keeps_its_reads() {
    let Some(mut strip) = Strip::new() else { return };
    let sum = strip.bench.pixel(SUM);
    let (mut page, texel, constants) = strip.page_with_texel();
    page.shaders(&strip.cover, Some(&sum)).texture(&texel.srv);
    page.constants(ShaderStage::Pixel, &constants, 0, 8).cell(1);
    texel.upload_new(&mut page);
    page.cell(2);
    let (passes, buffers, texels) = strip.run(vec![page]);
    assert_eq!(texels[..3], [FULL, [255, 0, 40, 0], [255, 0, 80, 0]]);
    assert_eq!((passes, buffers), (3, 3), "the upload follows a draw of its section");
}

#[test]
fn cached_resources_are_declared_in_each_section() {
    let Some(mut strip) = Strip::new() else { return };
    let sample = strip.bench.pixel(SAMPLE);
    let (mut page, texel, constants) = strip.page_with_texel();
    page.shaders(&strip.cover, Some(&sample)).texture(&texel.srv).cell(1);
    strip.draw_padded(&mut page, 2, &constants);
    page.shaders(&strip.cover, Some(&sample)).cell(3);
    texel.upload_new(&mut page);
    page.cell(4);
    let (passes, buffers, texels) = strip.run(vec![page]);
    assert_eq!(texels[..5], [FULL, OLD, RED, OLD, NEW]);
    assert_eq!((passes, buffers), (3, 3));
}

/// Vertices, indices and elements of a structured buffer are updated between draws that read padded copies.
#[test]
fn padded_inputs_see_the_writes_before_them() {
    let Some(mut strip) = Strip::new() else { return };
    let bench = &strip.bench;
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let (fetch, elements) = (bench.vertex(FETCH), bench.pixel(ELEMENTS));
    // The third vertex is beyond the buffer, so it is (0, 0).
    let shown = bench.buffer(bytemuck::cast_slice(&[[-9.0f32, 9.0], [9.0, 9.0]]));
    let hidden = bench.buffer(bytemuck::cast_slice(&[[9.0f32; 2]; 2]));
    let vertices = bench.buffer(&[0; 16]);
    let (first, other) = (bench.buffer(&[1, 0, 2, 0]), bench.buffer(&[3, 0, 3, 0]));
    let indices = bench.buffer(&[0; 4]);
    let (red, green) = (strip.red.clone(), strip.green.clone());
    let part = strip.constants();
    let mut page = strip.first_page();
    strip.draw_white(&mut page, 0);
    let mut expected = vec![FULL];
    for (n, is_shown) in [true, false, true].into_iter().enumerate() {
        let at = 1 + 3 * n as u32;
        copy_bytes(&mut page, (if is_shown { &shown } else { &hidden }, 0), (&vertices, 0), 16);
        page.shaders(&fetch, Some(&strip.white)).layout(&layout).vertices(&vertices, 8, 0, 16);
        page.cell(at);
        // The third index is beyond the buffer, so it is 0. The vertices 3, 3 and 0 cover nothing.
        copy_bytes(&mut page, (if is_shown { &first } else { &other }, 0), (&indices, 0), 4);
        page.shaders(&strip.cover, Some(&strip.white)).indices(&indices, false, 0, 4);
        page.viewport(Viewport { top_left_x: (at + 1) as f32, ..Viewport::sized(1.0, 1.0) });
        page.push(Command::DrawIndexed { index_count: 3, start_index: 0, base_vertex: 0 });
        copy_bytes(&mut page, (if is_shown { &red } else { &green }, 0), (&part, 0), 8);
        page.shaders(&strip.cover, Some(&elements));
        let object = page.buffer(&part);
        let (stage, format) = (ShaderStage::Pixel, crate::record::command::ViewFormat::default());
        page.push(Command::SetResourceBuffer { stage, slot: 0, format, object, offset: 0, size: 8 });
        page.cell(at + 2);
        let color = if is_shown { RED } else { GREEN };
        let drawn = if is_shown { FULL } else { NONE };
        expected.extend([drawn, drawn, color]);
    }
    let (_, _, texels) = strip.run(vec![page]);
    assert_eq!(texels[..expected.len()], expected);
}

/// Draws of a topology with adjacency gather their indices in the prologue, with a copy and a dispatch.
#[test]
fn gathered_indices_see_the_writes_before_them() {
    let Some(mut strip) = Strip::new() else { return };
    let bench = &strip.bench;
    // Every second index belongs to an adjacent vertex. Vertex 3 is a corner, so 3, 3, 3 covers nothing.
    let words = |indices: [u16; 6]| bench.buffer(bytemuck::cast_slice(&indices));
    let (shown, hidden) = (words([0, 9, 1, 9, 2, 9]), words([3, 9, 3, 9, 3, 9]));
    let indices = words([0; 6]);
    let arguments = bench.buffer(bytemuck::cast_slice(&[6u32, 1, 0, 0, 0]));
    for is_early in [false, true] {
        for is_indirect in [false, true] {
            let mut page = strip.first_page();
            if is_early {
                copy_bytes(&mut page, (&shown, 0), (&indices, 0), 12);
            }
            strip.draw_white(&mut page, 0);
            let mut expected = vec![FULL];
            for (at, is_shown) in (1..).zip([true, false, true, true, false]) {
                copy_bytes(&mut page, (if is_shown { &shown } else { &hidden }, 0), (&indices, 0), 12);
                page.push(Bind::Topology(PrimitiveTopology::TriangleListAdj));
                page.indices(&indices, false, 0, 12);
                page.viewport(Viewport { top_left_x: at as f32, ..Viewport::sized(1.0, 1.0) });
                if is_indirect {
                    let object = page.buffer(&arguments);
                    page.push(Command::DrawIndirect { indexed: true, object, offset: 0 });
                } else {
                    page.push(Command::DrawIndexed { index_count: 6, start_index: 0, base_vertex: 0 });
                }
                expected.push(if is_shown { FULL } else { NONE });
            }
            copy_bytes(&mut page, (&hidden, 0), (&indices, 0), 12);
            let (passes, buffers, texels) = strip.run(vec![page]);
            let what = format!("early {is_early}, indirect {is_indirect}");
            assert_eq!(texels[..expected.len()], expected, "{what}");
            assert_eq!((passes, buffers), if is_early { (2, 3) } else { (1, 2) }, "{what}");
        }
    }
}

/// The shader does not read SV_VertexID, so only the gathering copies arguments.
#[test]
fn gathered_indices_see_the_arguments_written_before_them() {
    let Some(mut strip) = Strip::new() else { return };
    let indices = strip.bench.buffer(bytemuck::cast_slice(&[0u16, 9, 1, 9, 2, 9]));
    let source = strip.bench.buffer(bytemuck::cast_slice(&[6u32, 1, 0, 0, 0]));
    let arguments = strip.bench.buffer(&[0; 20]);
    let corners = [[-9.0f32, 9.0], [9.0, 9.0], [0.0, 0.0]];
    let vertices = strip.bench.buffer(bytemuck::cast_slice(&corners));
    let layout = strip.bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let fetch = strip.bench.vertex(FETCH);
    let mut page = strip.first_page();
    copy_bytes(&mut page, (&source, 0), (&arguments, 0), 20);
    strip.draw_white(&mut page, 0);
    page.shaders(&fetch, Some(&strip.white)).layout(&layout).vertices(&vertices, 8, 0, 24);
    page.push(Bind::Topology(PrimitiveTopology::TriangleListAdj)).indices(&indices, false, 0, 12);
    let object = page.buffer(&arguments);
    for at in 1..4 {
        page.viewport(Viewport { top_left_x: at as f32, ..Viewport::sized(1.0, 1.0) });
        page.push(Command::DrawIndirect { indexed: true, object, offset: 0 });
    }
    let (passes, buffers, texels) = strip.run(vec![page]);
    assert_eq!(texels[..4], [FULL; 4]);
    assert_eq!((passes, buffers), (2, 3));
}

/// The shader reads SV_VertexID, so two arguments of each draw are copied before the pass.
#[test]
fn a_hundred_indirect_draws_end_one_pass() {
    let Some(mut strip) = Strip::new() else { return };
    let words: Vec<_> = (0..LENGTH).flat_map(|n| [if n % 3 == 0 { 2u32 } else { 3 }, 1, 0, 0]).collect();
    let from = strip.bench.buffer(bytemuck::cast_slice(&words));
    let zeros = strip.bench.buffer(&vec![0; 4 * words.len()]);
    let arguments = strip.bench.buffer(&vec![0; 4 * words.len()]);
    let size = 4 * words.len() as u64;
    let mut page = strip.first_page();
    copy_bytes(&mut page, (&from, 0), (&arguments, 0), size);
    let object = page.buffer(&arguments);
    for at in 0..LENGTH {
        page.viewport(Viewport { top_left_x: at as f32, ..Viewport::sized(1.0, 1.0) });
        page.push(Command::DrawIndirect { indexed: false, object, offset: 16 * at });
    }
    copy_bytes(&mut page, (&zeros, 0), (&arguments, 0), size);
    let (passes, buffers, texels) = strip.run(vec![page]);
    let expected: Vec<_> = (0..LENGTH).map(|n| if n % 3 == 0 { NONE } else { FULL }).collect();
    assert_eq!(texels, expected);
    assert_eq!((passes, buffers), (2, 3));
}

#[test]
fn bundles_declare_their_reads_in_each_section() {
    let Some(mut strip) = Strip::new() else { return };
    let (sample, texel) = (strip.bench.pixel(SAMPLE), ChangingTexel::new(&strip.bench));
    let mut list = strip.page();
    list.shaders(&strip.cover, Some(&sample)).texture(&texel.srv);
    (0..16).for_each(|_| _ = list.cell(3));
    let padded = strip.constants();
    strip.draw_padded(&mut list, 4, &padded);
    list.shaders(&strip.cover, Some(&sample));
    (0..16).for_each(|_| _ = list.cell(5));
    list.page.draws = 33;
    list.page.is_listed = true;
    let list = list.finish();
    for execution in 0..4 {
        let mut before = strip.first_page();
        texel.upload_old(&mut before);
        copy_bytes(&mut before, (&strip.green, 0), (&padded, 0), 8);
        let constants = strip.write_early(&mut before, 0);
        strip.draw_padded(&mut before, 1, &constants);
        let mut after = strip.page();
        texel.upload_new(&mut after);
        copy_bytes(&mut after, (&strip.red, 0), (&padded, 0), 8);
        after.shaders(&strip.cover, Some(&sample)).texture(&texel.srv).cell(6);
        let pages = vec![before.finish(), list.clone(), after.finish()];
        let passes = strip.bench.run_pages(pages).passes;
        assert_eq!(list.page.encoding.is_replayed(), execution > 0);
        let expected = [FULL, RED, NONE, OLD, GREEN, OLD, NEW];
        assert_eq!(strip.texels()[..7], expected, "execution {execution}");
        assert_eq!(passes, 3, "execution {execution}");
    }
}

/// wgpu copies only whole slices of depth, so a part goes through memory, in several commands.
#[test]
fn a_part_of_depth_is_copied_before_its_reads() {
    let Some(mut strip) = Strip::new() else { return };
    let format = Format::R32_TYPELESS;
    let (depth, color) = (strip.bench.depth(format, 2, 2), strip.bench.target(RGBA8, 2, 2));
    let dsv = strip.bench.dsv(&depth, Format::D32_FLOAT, DsvFlags::empty());
    let rtv = strip.bench.rtv(&color, RGBA8);
    let constants = strip.constants();
    let mut page = Recording::default();
    page.clear_depth(&dsv, 1, 1.0, 0).targets(&[Some(&rtv)], Some(&dsv));
    page.shaders(&strip.cover, Some(&strip.white)).viewport(Viewport::sized(1.0, 2.0)).draw(2, 0);
    let mut rest = strip.first_page();
    strip.draw_white(&mut rest, 0);
    download(&mut rest, &depth, &constants, [1, 1, 1]);
    strip.draw_white(&mut rest, 1);
    strip.draw_padded(&mut rest, 2, &constants);
    let (passes, buffers, texels) = strip.run(vec![page, rest]);
    assert_eq!(texels[..3], [FULL, FULL, RED]);
    assert_eq!((passes, buffers), (4, 3), "the padded copy begins a section");
}

/// A member lacks writes of an earlier section, which are copied into it although only a part is read.
#[test]
fn copies_stay_after_updates_of_members() {
    let Some(mut strip) = Strip::new() else { return };
    let bench = &strip.bench;
    let ten = bench.pixel("@fragment fn main() -> @location(0) vec4u { return vec4u(10u); }");
    let sample = bench.pixel(SAMPLE);
    let texture = bench.mipped(Format::R8G8B8A8_TYPELESS, 2, 2);
    let view = |kind, format, first_mip| {
        let range = SubresourceRange { first_mip, mips: 1, ..SubresourceRange::FIRST };
        let (dimension, flags) = (ViewDimension::Texture2d, DsvFlags::empty());
        bench.view(kind, &texture, &TextureViewDesc { format, dimension, range, flags })
    };
    let drawn = [0, 1].map(|mip| view(HandleType::RenderTargetView, Format::R8G8B8A8_UINT, mip));
    let read = [0, 1].map(|mip| view(HandleType::ShaderResourceView, RGBA8, mip));
    let mut rows = vec![0; 512];
    rows[..4].copy_from_slice(&[0, 0, 80, 0]);
    let new = bench.buffer(&rows);
    let mut page = Recording::default();
    let constants = strip.constants();
    copy_bytes(&mut page, (&strip.red, 0), (&constants, 0), 8);
    page.shaders(&strip.cover, Some(&ten));
    for target in &drawn {
        page.targets(&[Some(target)], None).draw(3, 0);
    }
    let mut rest = strip.first_page();
    strip.draw_white(&mut rest, 0);
    strip.draw_padded(&mut rest, 1, &constants);
    rest.shaders(&strip.cover, Some(&sample)).texture(&read[1]).cell(2);
    upload(&mut rest, &new, &texture, [2, 2, 1]);
    rest.texture(&read[0]).cell(3);
    let (_, buffers, texels) = strip.run(vec![page, rest]);
    assert_eq!(texels[..4], [FULL, RED, [10; 4], [0, 0, 80, 0]]);
    assert_eq!(buffers, 3);
}
