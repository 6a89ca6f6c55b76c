//! A contact sheet of all formats that shaders can read, and of the filters and address modes of samplers.
//!
//! A cell shows the GPU's result on the left and the CPU's expected result on the right. The line below is
//! green if the results match, and red otherwise. A striped cell means that the adapter does not support the
//! format. Colours are drawn over a pattern of squares that is visible where alpha is less than 1. Integers
//! and signed numbers are scaled to the displayable range.
//!
//! * `codec` and `blocks` encode a picture in every format and decode it to the expected colours.
//! * `sampler` emulates a sampler on the CPU: point and linear filters, mip levels, minimum, maximum,
//!   comparison and address modes.
//!
//! A filter's label contains its modes for minification, for magnification, and between mip levels. In a
//! filter's cell, the level of detail grows from -1 at the top to 2.5 at the bottom. Comparisons read only
//! the first level. Escape closes the window.

mod blocks;
mod codec;
mod sampler;

use glyph_brush::ab_glyph::FontArc;
use glyph_brush::{BrushAction, GlyphBrushBuilder, Section, Text};
use onze::ddi::ComponentKind;
use onze::prelude::*;
use onze_winit::{Frame, Setup, WindowDesc, winit::keyboard::KeyCode};

use TextureAddressMode::{Border, Clamp, Mirror, MirrorOnce, Wrap};
use codec::Color;

const SHADER: &str = include_str!("formats.wgsl");

/// Number of cells per row and per column.
const GRID: (u32, u32) = (15, 8);
/// The window's size in pixels, with room for two lines of text under each cell.
const WINDOW: (u32, u32) = (1020, 544);

/// Number of texels per row of the test picture.
const SIDE: usize = 16;
/// Number of grid points per row at which a sampler is evaluated.
const POINTS: usize = 32;

const BORDER: Color = [0.9, 0.5, 0.1, 1.0];

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    scale: Color,
    bias: Color,
    range: [f32; 4],
    side: f32,
    reference: f32,
    is_usable: f32,
    padding: f32,
}

const PLAIN: Constants = Constants {
    scale: [1.0; 4],
    bias: [0.0; 4],
    range: [0.0; 4],
    side: SIDE as f32,
    reference: sampler::REFERENCE,
    is_usable: 1.0,
    padding: 0.0,
};

/// A letter's rectangle in the window and its rectangle in the atlas, as fractions of the window's and the
/// atlas's size.
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Letter {
    place: [f32; 4],
    part: [f32; 4],
}

struct Cell {
    label: String,
    shader: &'static str,
    seen: Option<ShaderResourceView>,
    expected: ShaderResourceView,
    sampler: Option<SamplerState>,
    constants: ConstantBuffer<Constants>,
}

/// Returns the test picture: a rainbow that fades towards the corners.
fn picture(side: usize) -> Vec<Color> {
    let color = |n: usize| {
        let [u, v] = [n % side, n / side].map(|place| (place as f32 + 0.5) / side as f32);
        let [r, g, b] =
            [0.0, 0.33, 0.67].map(|at| 0.5 + 0.5 * (std::f32::consts::TAU * (0.8 * u + 0.25 * v + at)).cos());
        let away = (2.0 * u - 1.0).powi(2) + (2.0 * v - 1.0).powi(2);
        [r, g, b, (1.5 - away).clamp(0.0, 1.0)]
    };
    (0..side * side).map(color).collect()
}

/// Creates a square texture of 32-bit floats, so that it stores the expected colours exactly.
fn float_view(device: &Device, side: usize, colors: &[Color]) -> Result<ShaderResourceView, onze::Error> {
    let side = side as u32;
    device
        .create_texture_2d_with(Format::R32G32B32A32_FLOAT, side, side, colors)?
        .create_shader_resource_view()
}

/// Splits a format's name into two lines: the components and their type.
fn label(format: Format) -> String {
    let name = format!("{format:?}");
    if format.is_depth_stencil() {
        return name.replace("_S8", "\nS8");
    }
    let last = name.rfind('_').unwrap_or(name.len());
    let is_word =
        |at: &usize| name[at + 1..].split('_').next().is_some_and(|word| !word.contains(char::is_numeric));
    let at = name.match_indices('_').map(|(at, _)| at).find(is_word).unwrap_or(last);
    format!("{}\n{}", &name[..at], name[at..].trim_start_matches('_'))
}

/// Draws the red channel of each level into the depth texture's mip level, because depth textures cannot be
/// uploaded to.
fn draw_depth(
    context: &mut DeviceContext,
    texture: &Texture2d,
    levels: &[sampler::Level],
) -> Result<(), onze::Error> {
    let device = context.device();
    let state = DepthStencilDesc { depth_func: ComparisonFunc::Always, ..DepthStencilDesc::default() };
    context.om_set_depth_stencil_state(&device.create_depth_stencil_state(&state)?, 0);
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    context.vs_set_shader(&device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?);
    context.ps_set_shader(&device.create_pixel_shader(ShaderSource::wgsl(SHADER, "depth_main"))?);
    let format = texture.desc().format.depth_stencil_format().unwrap_or_default();
    for (level, (side, colors)) in levels.iter().enumerate() {
        let desc = DepthStencilViewDesc::texture_2d(format, level as u32);
        let view = device.create_depth_stencil_view(texture, Some(&desc))?;
        context.om_set_render_targets(None, Some(&view));
        context.rs_set_viewports(Viewport::sized(*side as f32, *side as f32));
        context.ps_set_shader_resources(0, &float_view(&device, *side, colors)?);
        context.draw(3, 0);
    }
    context.clear_state();
    Ok(())
}

/// Creates the cell of a depth format. The texture has the typeless format `of`, the depth view has the
/// format `format`, and the shader resource view has the format `seen`.
fn depth_cell(
    context: &mut DeviceContext,
    (format, of, seen): (Format, Format, Format),
) -> Result<Cell, onze::Error> {
    let device = context.device();
    let picture = picture(SIDE);
    let steps = match format {
        Format::D16_UNORM => 65_535.0,
        Format::D24_UNORM_S8_UINT => 16_777_215.0,
        _ => 4_294_967_296.0_f32,
    };
    let expected: Vec<_> =
        picture.iter().map(|[r, ..]| [(r * steps).round() / steps, 0.0, 0.0, 1.0]).collect();
    let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE;
    let is_usable = device.check_format_support(format).contains(FormatSupport::DEPTH_STENCIL);
    let view = match is_usable {
        true => {
            let desc =
                Texture2dDesc { bind_flags, ..Texture2dDesc::depth_stencil(of, SIDE as u32, SIDE as u32) };
            let texture = device.create_texture_2d(&desc, None)?;
            draw_depth(context, &texture, &[(SIDE, picture)])?;
            Some(device.create_shader_resource_view(
                &texture,
                Some(&ShaderResourceViewDesc::texture_2d(seen, 0, 1)),
            )?)
        }
        false => None,
    };
    Ok(Cell {
        label: label(format),
        shader: "float_main",
        seen: view,
        expected: float_view(&device, SIDE, &expected)?,
        sampler: None,
        constants: device
            .create_constant_buffer(&Constants { is_usable: f32::from(u8::from(is_usable)), ..PLAIN })?,
    })
}

/// Creates a format's cell, whose constants scale the values to the displayable range.
fn format_cell(device: &Device, format: Format) -> Result<Cell, onze::Error> {
    let encoded = codec::encode(format, SIDE, &picture(SIDE));
    let is_usable =
        device.check_format_support(format).contains(FormatSupport::TEXTURE2D | FormatSupport::SHADER_LOAD);
    let seen = match is_usable {
        true => Some(
            device
                .create_texture_2d_with(format, SIDE as u32, SIDE as u32, &encoded.bytes)?
                .create_shader_resource_view()?,
        ),
        false => None,
    };
    let mut constants = Constants { is_usable: f32::from(u8::from(is_usable)), ..PLAIN };
    let kind = format.component_kind();
    for (n, bits) in format.component_bits().into_iter().enumerate().filter(|(_, bits)| *bits > 0) {
        let most = (f64::from(bits).exp2() - 1.0) as f32;
        (constants.scale[n], constants.bias[n]) = match kind {
            ComponentKind::Uint => (1.0 / most, 0.0),
            ComponentKind::Sint => (1.0 / most, 0.5),
            ComponentKind::Snorm => (0.5, 0.5),
            _ => (1.0, 0.0),
        };
    }
    let shader = match kind {
        ComponentKind::Uint => "unsigned_main",
        ComponentKind::Sint => "signed_main",
        _ => "float_main",
    };
    Ok(Cell {
        label: label(format),
        shader,
        seen,
        expected: float_view(device, SIDE, &encoded.colors)?,
        sampler: None,
        constants: device.create_constant_buffer(&constants)?,
    })
}

/// Returns the mip levels of the samplers' texture: checkered squares with a different tint on each level.
fn levels() -> Vec<sampler::Level> {
    let level = |side: usize, tint: Color| {
        let texel = |n: usize| {
            let (x, y) = (n % side, n / side);
            let part = 0.15 + 0.7 * ((x * 5 + y * 3) % 8) as f32 / 7.0;
            let part = if (x + y) % 2 == 0 { part } else { 1.0 - part };
            tint.map(|color| color * part)
        };
        (side, (0..side * side).map(texel).map(|[r, g, b, _]| [r, g, b, 1.0]).collect())
    };
    vec![
        level(8, [0.5, 0.8, 1.0, 1.0]),
        level(4, [1.0, 0.6, 0.6, 1.0]),
        level(2, [0.6, 1.0, 0.5, 1.0]),
        level(1, [1.0; 4]),
    ]
}

/// Creates a sampler's cell, where `range` is the shader's range of coordinates and levels of detail.
fn sampler_cell(
    context: &mut DeviceContext,
    label: String,
    desc: &SamplerDesc,
    range: [f32; 4],
) -> Result<Cell, onze::Error> {
    let device = context.device();
    let levels = levels();
    let is_comparison = desc.filter.is_comparison();
    let expected: Vec<_> = (0..POINTS * POINTS)
        .map(|n| {
            let [x, y] = [n % POINTS, n / POINTS].map(|place| (place as f32 + 0.5) / POINTS as f32);
            let at = [x, y].map(|part| range[0] + part * range[1]);
            // `SampleCmp` in a loop needs an explicit level, so comparisons read the first level.
            let lod = if is_comparison { 0.0 } else { range[2] + y * range[3] };
            sampler::sample(desc, &levels, at, lod)
        })
        .collect();
    let side = levels[0].0 as u32;
    let texture = if is_comparison {
        // The red channel is drawn as depth, so the texture must be bindable as a depth target.
        let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE;
        let desc = Texture2dDesc {
            mip_levels: 0,
            bind_flags,
            ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, side, side)
        };
        let texture =
            device.create_texture_2d(&Texture2dDesc { format: Format::R32_TYPELESS, ..desc }, None)?;
        draw_depth(context, &texture, &levels)?;
        texture
    } else {
        let contents: Vec<_> = levels
            .iter()
            .map(|(side, colors)| SubresourceData {
                bytes: bytemuck::cast_slice(colors),
                row_pitch: 16 * *side as u32,
                depth_pitch: 0,
            })
            .collect();
        device
            .create_texture_2d(&Texture2dDesc::new(Format::R32G32B32A32_FLOAT, side, side), Some(&contents))?
    };
    let seen = match is_comparison {
        true => device.create_shader_resource_view(
            &texture,
            Some(&ShaderResourceViewDesc::texture_2d(Format::R32_FLOAT, 0, u32::MAX)),
        )?,
        false => texture.create_shader_resource_view()?,
    };
    Ok(Cell {
        label,
        shader: if is_comparison { "compared_main" } else { "sampled_main" },
        seen: Some(seen),
        expected: float_view(&device, POINTS, &expected)?,
        sampler: Some(device.create_sampler_state(desc)?),
        constants: device.create_constant_buffer(&Constants { range, side: POINTS as f32, ..PLAIN })?,
    })
}

fn cells(context: &mut DeviceContext) -> Result<Vec<Cell>, onze::Error> {
    let device = context.device();
    let is_shown = |format: &&Format| {
        let is_depth = format.is_depth_stencil() || format.has_depth() || format.has_stencil();
        let is_none = matches!(**format, Format::R10G10B10_XR_BIAS_A2_UNORM);
        !(format.is_typeless() || is_depth || is_none)
    };
    let mut cells: Vec<_> = Format::ALL
        .iter()
        .filter(is_shown)
        .map(|format| format_cell(&device, *format))
        .collect::<Result<_, _>>()?;
    for formats in [
        (Format::D32_FLOAT_S8X24_UINT, Format::R32G8X24_TYPELESS, Format::R32_FLOAT_X8X24_TYPELESS),
        (Format::D32_FLOAT, Format::R32_TYPELESS, Format::R32_FLOAT),
        (Format::D24_UNORM_S8_UINT, Format::R24G8_TYPELESS, Format::R24_UNORM_X8_TYPELESS),
        (Format::D16_UNORM, Format::R16_TYPELESS, Format::R16_UNORM),
    ] {
        cells.push(depth_cell(context, formats)?);
    }
    for filter in Filter::ALL {
        let step = |linear: bool| if linear || filter.anisotropic { "lin" } else { "pt" };
        let steps =
            format!("{} {} {}", step(filter.min_linear), step(filter.mag_linear), step(filter.mip_linear));
        let reduction = format!("{:?}", filter.reduction).to_lowercase();
        let label = format!("{}\n{reduction}", if filter.anisotropic { "anisotropic" } else { &steps });
        let desc =
            SamplerDesc { comparison_func: ComparisonFunc::LessEqual, ..SamplerDesc::new(filter, Wrap) };
        cells.push(sampler_cell(context, label, &desc, [-0.25, 1.5, -1.0, 3.5])?);
    }
    for mode in [Wrap, Mirror, Clamp, Border, MirrorOnce] {
        let desc = SamplerDesc { border_color: BORDER, ..SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, mode) };
        cells.push(sampler_cell(context, format!("address\n{mode:?}"), &desc, [-1.5, 3.0, 0.0, 0.0])?);
    }
    Ok(cells)
}

/// Lays out the labels of all cells, and returns the glyph atlas and the letters.
fn labels(
    device: &Device,
    cells: &[Cell],
) -> onze_winit::Result<(ShaderResourceView, VertexBuffer<Letter>, u32)> {
    let font = FontArc::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT)?;
    let side = 512;
    let mut brush =
        GlyphBrushBuilder::using_font(font).initial_cache_size((side, side)).multithread(false).build();
    let [width, height] = [WINDOW.0, WINDOW.1].map(|size| size as f32);
    for (n, cell) in cells.iter().enumerate() {
        let (left, top, cell_width, cell_height) = place(n, width, height);
        let text = Text::new(&cell.label).with_scale(10.0);
        let section = Section::default().with_screen_position((left, top + cell_height * 0.62));
        brush.queue(section.with_bounds((cell_width + 4.0, cell_height)).add_text(text));
    }
    let mut texels = vec![0_u8; (side * side) as usize];
    let draw = |part: glyph_brush::Rectangle<u32>, from: &[u8]| {
        for (row, line) in from.chunks(part.width() as usize).enumerate() {
            let start = (part.min[1] as usize + row) * side as usize + part.min[0] as usize;
            texels[start..start + line.len()].copy_from_slice(line);
        }
    };
    let letter = |glyph: glyph_brush::GlyphVertex<'_>| {
        let (to, from) = (glyph.pixel_coords, glyph.tex_coords);
        let (x, y) = (to.min.x.round(), to.min.y.round());
        let (right, bottom) = (x + to.width().round(), y + to.height().round());
        Letter {
            place: [x / width, y / height, right / width, bottom / height],
            part: [from.min.x, from.min.y, from.max.x, from.max.y],
        }
    };
    let letters = match brush.process_queued(draw, letter)? {
        BrushAction::Draw(letters) => letters,
        BrushAction::ReDraw => Vec::new(),
    };
    let atlas = device
        .create_texture_2d_with(Format::R8_UNORM, side, side, &texels)?
        .create_shader_resource_view()?;
    Ok((atlas, device.create_vertex_buffer(&letters)?, letters.len() as u32))
}

/// Returns left, top, width and height of a cell in the window, without the gap between cells.
fn place(n: usize, width: f32, height: f32) -> (f32, f32, f32, f32) {
    let (column, row) = (n as u32 % GRID.0, n as u32 / GRID.0);
    let (cell_width, cell_height) = (width / GRID.0 as f32, height / GRID.1 as f32);
    let gap = cell_width / 17.0;
    (
        column as f32 * cell_width + gap / 2.0,
        row as f32 * cell_height + gap,
        cell_width - gap,
        cell_height - gap,
    )
}

fn start(
    setup: &mut Setup<'_>,
) -> onze_winit::Result<impl FnMut(&mut Frame<'_>) -> onze_winit::Result<()> + use<>> {
    let device = setup.device;
    let pixel = |name: &str| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
    let names = ["float_main", "unsigned_main", "signed_main", "sampled_main", "compared_main"];
    let shaders: Vec<_> =
        names.iter().map(|name| Ok((*name, pixel(name)?))).collect::<Result<_, onze::Error>>()?;
    let whole = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
    let text_vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "text_vs_main"))?;
    let text_ps = pixel("text_ps_main")?;
    let layout = device.create_input_layout_of::<Letter>(&text_vs)?;
    let blend = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?;
    let linear = device.create_sampler_state(&SamplerDesc::default())?;
    let cells = cells(setup.context)?;
    let (atlas, letters, count) = labels(device, &cells)?;
    Ok(move |frame: &mut Frame<'_>| {
        if frame.input.key_pressed(KeyCode::Escape) {
            frame.exit();
        }
        let (width, height) = (frame.width as f32, frame.height as f32);
        let context = frame.begin([0.008, 0.01, 0.014, 1.0]);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&whole);
        for (n, cell) in cells.iter().enumerate() {
            let (top_left_x, top_left_y, cell_width, cell_height) = place(n, width, height);
            context.rs_set_viewports(Viewport {
                top_left_x,
                top_left_y,
                ..Viewport::sized(cell_width, cell_height * 0.6)
            });
            context.ps_set_shader(
                shaders.iter().find(|(name, _)| *name == cell.shader).map(|(_, shader)| shader),
            );
            context.ps_set_constant_buffers(0, &cell.constants);
            context.ps_set_shader_resources(0, [cell.seen.as_ref(), Some(&cell.expected)]);
            context.ps_set_samplers(0, cell.sampler.as_ref());
            context.draw(3, 0);
        }
        context.rs_set_viewports(Viewport::sized(width, height));
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.ia_set_input_layout(&layout);
        context.ia_set_vertex_buffers(0, &letters);
        context.vs_set_shader(&text_vs);
        context.ps_set_shader(&text_ps);
        context.ps_set_shader_resources(0, &atlas);
        context.ps_set_samplers(0, &linear);
        context.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
        context.draw_instanced(4, count, 0, 0);
        Ok(())
    })
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Formats", WINDOW.0, WINDOW.1).with_args(), start)
}
