//! Text in several sizes and colours: a paragraph that wraps at the window's width, a line that sways, and
//! the text that you type. Backspace deletes, Tab shows the atlas, and Escape ends the program.
//!
//! The crate `glyph_brush` lays out the glyphs and rasterizes new glyphs into an atlas, a texture with one
//! channel. Each glyph is an instance with a rectangle in the window, a rectangle in the atlas, and a colour,
//! so all text, in all fonts and sizes, needs only one draw. This example demonstrates:
//!
//! * **Atlas**: `UpdateSubresource` with a box writes only the new glyphs.
//! * **Crisp glyphs** are aligned to whole pixels and have one texel per pixel.
//! * **Blending**: a texel of the atlas is the fraction of the pixel that the glyph covers. Because the
//!   window's format is sRGB, the hardware blends in linear light, so light text on a dark background has the
//!   same weight as dark text on a light background.

use glyph_brush::ab_glyph::FontArc;
use glyph_brush::{
    BrushAction, BrushError, FontId, GlyphBrush, GlyphBrushBuilder, GlyphCruncher, GlyphVertex,
    HorizontalAlign, Layout, Section, Text,
};
use onze::prelude::*;
use onze_winit::winit::{event::WindowEvent, keyboard::KeyCode};
use onze_winit::{Frame, Game, Setup, WindowDesc};

const SHADER: &str = include_str!("text.wgsl");

const SANS: FontId = FontId(0);
const MONO: FontId = FontId(1);

/// Initial width and height of the atlas in texels. The atlas grows when it is full.
const ATLAS: (u32, u32) = (256, 256);

const MOST_TYPED: usize = 400;

const INTRO: &str = "A glyph is drawn once, by the processor, when its size is first used. From then on it is a part \
                     of a texture. ";
const OUTRO: &str = " has no text, and needs none: a glyph is a small picture, a word is a few instances, and a page \
                     is one draw. Make the window narrower: the lines break elsewhere. Press Tab to see the texture. ";

/// A glyph: an instance for the vertex shader, drawn as a strip of four corners.
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Glyph {
    place: [f32; 4],
    part: [f32; 4],
    /// Colour of the glyph in sRGB, one byte per channel.
    color: [u8; 4],
    sway: f32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Ink {
    color: [u8; 4],
    sways: bool,
}

fn ink(color: u32) -> Ink {
    let [_, r, g, b] = color.to_be_bytes();
    Ink { color: [r, g, b, 255], sways: false }
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    window: [f32; 2],
    pivot: [f32; 2],
    turn: [f32; 2],
    time: f32,
    wave: f32,
}

/// Converts a glyph to an instance and rounds its position to whole pixels, because the layout's positions
/// are fractional.
fn instance(vertex: GlyphVertex<'_, Ink>) -> Glyph {
    let (place, part, ink) = (vertex.pixel_coords, vertex.tex_coords, vertex.extra);
    let (x, y) = (place.min.x.round(), place.min.y.round());
    let (width, height) = (place.width().round(), place.height().round());
    Glyph {
        place: [x, y, x + width, y + height],
        part: [part.min.x, part.min.y, part.max.x, part.max.y],
        color: ink.color,
        sway: f32::from(u8::from(ink.sways)),
    }
}

fn create_atlas(
    device: &Device,
    (width, height): (u32, u32),
) -> Result<(Texture2d, ShaderResourceView), onze::Error> {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8_UNORM, width, height) };
    let texture = device.create_texture_2d(&desc, None)?;
    let view = texture.create_shader_resource_view()?;
    Ok((texture, view))
}

struct TextGame {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    constants: ConstantBuffer<Constants>,
    blend: BlendState,
    sampler: SamplerState,
    atlas: (Texture2d, ShaderResourceView),
    /// The instance buffer, whose capacity may exceed `count`.
    glyphs: VertexBuffer<Glyph>,
    /// Number of instances: the glyphs of the text, and one last instance that shows the atlas.
    count: u32,
    brush: GlyphBrush<Glyph, Ink>,
    typed: String,
    shows_atlas: bool,
}

impl TextGame {
    fn new(setup: &Setup<'_>) -> onze_winit::Result<Self> {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let fonts = vec![
            FontArc::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT)?,
            FontArc::try_from_slice(epaint_default_fonts::HACK_REGULAR)?,
        ];
        let brush = GlyphBrushBuilder::using_fonts(fonts)
            .initial_cache_size(ATLAS)
            // A letter can begin anywhere within a pixel. The cache rasterizes at most one glyph image per
            // quarter pixel, and the instance is then moved to a whole pixel.
            .draw_cache_position_tolerance(0.25)
            .multithread(false)
            .build();
        let zero = Constants { window: [0.0; 2], pivot: [0.0; 2], turn: [0.0; 2], time: 0.0, wave: 0.0 };
        Ok(Self {
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            layout: device.create_input_layout_of::<Glyph>(&vs)?,
            vs,
            constants: device.create_constant_buffer(&zero)?,
            blend: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            // A pixel of an aligned glyph reads exactly one texel, so only the swaying line needs filtering.
            sampler: device.create_sampler_state(&SamplerDesc::default())?,
            atlas: create_atlas(device, ATLAS)?,
            glyphs: device.create_dynamic_vertex_buffer(1024)?,
            count: 0,
            brush,
            typed: String::new(),
            shows_atlas: false,
        })
    }

    /// Queues a section and returns its lower edge, in pixels from the top.
    fn write(&mut self, section: &Section<'_, Ink>) -> f32 {
        self.brush.queue(section);
        self.brush.glyph_bounds(section).map_or(section.screen_position.1, |bounds| bounds.max.y)
    }

    /// Queues all sections with text scaled by `unit`, and returns the pivot of the swaying line.
    fn write_page(&mut self, width: f32, height: f32, unit: f32) -> [f32; 2] {
        let text = |text, size: f32, ink| Text {
            text,
            scale: (size * unit).round().into(),
            font_id: SANS,
            extra: ink,
        };
        let centered = Layout::default_single_line().h_align(HorizontalAlign::Center);
        let middle = (width * 0.5).round();
        let margin = (36.0 * unit).round();

        let headline =
            Section::new().with_layout(centered).with_screen_position((middle, (18.0 * unit).round()));
        let headline = headline.add_text(text("Every glyph ", 62.0, ink(0xF4F1E8))).add_text(text(
            "an instance",
            62.0,
            ink(0xFFB454),
        ));
        let y = self.write(&headline);

        let atlas = if self.shows_atlas { 0.5 * margin + self.atlas_side(unit) } else { 0.0 };
        let bounds = (width - 2.0 * margin - atlas, f32::INFINITY);
        let page =
            Section::new().with_screen_position((margin, (y + 12.0 * unit).round())).with_bounds(bounds);
        let code = |word, color| text(word, 22.0, ink(color)).with_font_id(MONO);
        let paragraph = page
            .clone()
            .add_text(text(INTRO, 25.0, ink(0xC9D1D9)))
            .add_text(code("Direct3D 11", 0x7FD1B9))
            .add_text(text(OUTRO, 25.0, ink(0xC9D1D9)))
            .add_text(code("draw_instanced", 0x82AAFF));
        let y = self.write(&paragraph);

        // All texts of a line share one baseline, even if their sizes differ.
        let sizes = [12.0, 15.0, 19.0, 25.0, 34.0, 48.0, 70.0];
        let colors = [0xE06C75, 0xE5A07B, 0xE5C07B, 0x98C379, 0x56B6C2, 0x61AFEF, 0xC678DD];
        let mut ladder = Section::new().with_screen_position((margin, (y + 6.0 * unit).round()));
        for (size, color) in sizes.into_iter().zip(colors) {
            ladder = ladder.add_text(text("Sphinx ", size, ink(color)));
        }
        let y = self.write(&ladder);

        let typed = self.typed.clone();
        let shown = if typed.is_empty() { ("type something", 0x5C6773) } else { (typed.as_str(), 0xF4F1E8) };
        let line = page
            .with_screen_position((margin, (y + 8.0 * unit).round()))
            .add_text(code("> ", 0xFFB454))
            .add_text(code(shown.0, shown.1))
            .add_text(code("_", 0xFFB454));
        self.write(&line);

        let swaying = Ink { sways: true, ..ink(0x7FD1B9) };
        let bottom = (height - 74.0 * unit).round();
        let line = Section::new().with_layout(centered).with_screen_position((middle, bottom));
        self.write(&line.add_text(text("The vertex shader moves this line", 34.0, swaying)));
        [middle, bottom + 17.0 * unit]
    }

    fn atlas_side(&self, unit: f32) -> f32 {
        (256.0 * unit).round()
    }

    /// Uploads new glyphs to the atlas, and writes the instances if the text has changed.
    fn update(&mut self, context: &mut DeviceContext, width: f32, unit: f32) -> onze_winit::Result<()> {
        let action = loop {
            let texture = &self.atlas.0;
            let draw = |part: glyph_brush::Rectangle<u32>, texels: &[u8]| {
                let to = Box3d::rect(part.min[0], part.min[1], part.max[0], part.max[1]);
                context.update_subresource(texture, 0, Some(to), texels, part.width(), 0);
            };
            match self.brush.process_queued(draw, instance) {
                Ok(action) => break action,
                Err(BrushError::TextureTooSmall { suggested }) => {
                    self.brush.resize_texture(suggested.0, suggested.1);
                    self.atlas = create_atlas(&context.device(), suggested)?;
                }
            }
        };
        // If the text has not changed, the instances of the last frame are reused.
        if let BrushAction::Draw(mut glyphs) = action {
            let (side, margin) = (self.atlas_side(unit), (36.0 * unit).round());
            let (x, y) = (width - margin - side, (106.0 * unit).round());
            let color = ink(0x8B949E).color;
            glyphs.push(Glyph {
                place: [x, y, x + side, y + side],
                part: [0.0, 0.0, 1.0, 1.0],
                color,
                sway: 0.0,
            });
            self.count = glyphs.len() as u32;
            if self.count > self.glyphs.len() {
                self.glyphs =
                    context.device().create_dynamic_vertex_buffer(glyphs.len().next_power_of_two())?;
            }
            context.update(&self.glyphs, &glyphs)?;
        }
        Ok(())
    }
}

impl Game for TextGame {
    fn frame(&mut self, frame: &mut Frame<'_>) -> onze_winit::Result<()> {
        if frame.input.key_pressed(KeyCode::Escape) {
            frame.exit();
        }
        if frame.input.key_pressed(KeyCode::Tab) {
            self.shows_atlas = !self.shows_atlas;
        }
        let (time, width, height) = (frame.time, frame.width as f32, frame.height as f32);
        let unit = (height / 540.0).min(width / 960.0).max(0.5);
        let pivot = self.write_page(width, height, unit);
        self.update(frame.context, width, unit)?;

        let (sin, cos) = (0.05 * (time * 1.3 + 1.0).sin()).sin_cos();
        let wave = 5.0 * unit;
        let constants = Constants { window: [width, height], pivot, turn: [cos, sin], time, wave };
        let context = frame.begin([0.012, 0.015, 0.024, 1.0]);
        context.update(&self.constants, &constants)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.glyphs);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_shader(&self.ps);
        context.ps_set_shader_resources(0, &self.atlas.1);
        context.ps_set_samplers(0, &self.sampler);
        context.om_set_blend_state(&self.blend, [1.0; 4], u32::MAX);
        let count = if self.shows_atlas { self.count } else { self.count.saturating_sub(1) };
        context.draw_instanced(4, count, 0, 0);
        Ok(())
    }

    /// Handles typed text, after winit has applied the keyboard's layout and dead keys.
    fn event(&mut self, event: &WindowEvent) {
        let WindowEvent::KeyboardInput { event, .. } = event else { return };
        if !event.state.is_pressed() {
            return;
        }
        for letter in event.text.iter().flat_map(|text| text.chars()) {
            match letter {
                '\u{8}' => drop(self.typed.pop()),
                '\r' => self.typed.push('\n'),
                letter if !letter.is_control() && self.typed.len() < MOST_TYPED => self.typed.push(letter),
                _ => {}
            }
        }
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Text", 960, 540).with_args(), |setup| TextGame::new(setup))
}
