//! Vertex buffers, and pictures whose texels are compared with computed values.

use bytemuck::{Pod, Zeroable};
use onze::{
    BindFlags, Buffer, BufferDesc, ComparisonFunc, Device, DeviceContext, Format, InputElementDesc,
    InputLayout, MapType, PixelShader, PrimitiveTopology, ShaderSource, VertexBufferBinding, VertexShader,
};

use crate::{CommandPath, Harness, Target, drawing::is_close};

/// Opaque black as 0xAABBGGRR, the background of all pictures that [`expect`] draws.
pub const BLACK: u32 = 0xff00_0000;
/// Opaque red as 0xAABBGGRR, as stored in an R8G8B8A8_UNORM texel.
pub const RED: u32 = 0xff00_00ff;
/// Opaque green as 0xAABBGGRR, as stored in an R8G8B8A8_UNORM texel.
pub const GREEN: u32 = 0xff00_ff00;
/// Opaque blue as 0xAABBGGRR, as stored in an R8G8B8A8_UNORM texel.
pub const BLUE: u32 = 0xffff_0000;
/// Opaque white as 0xAABBGGRR, as stored in an R8G8B8A8_UNORM texel.
pub const WHITE: u32 = 0xffff_ffff;

/// A vertex of a [`Painter`], with a position and a colour.
#[derive(Copy, Clone, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Position in clip space, with a w of 1 added by the vertex shader.
    pub position: [f32; 3],
    /// Colour as 0xAABBGGRR, interpolated by the rasterizer across a triangle.
    pub color: u32,
}

impl Vertex {
    /// Creates a vertex from a position in clip space and a colour.
    pub const fn new(x: f32, y: f32, z: f32, color: u32) -> Self {
        Self { position: [x, y, z], color }
    }

    /// Creates a vertex from a position in pixels of a square target, relative to its top left corner.
    pub fn at(size: u32, x: f32, y: f32, color: u32) -> Self {
        let scale = 2.0 / size as f32;
        Self::new(x * scale - 1.0, 1.0 - y * scale, 0.0, color)
    }
}

/// WGSL source of the vertex shader and the pixel shader of a [`Painter`].
pub const PAINTER: &str = "
    struct Corner { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    @vertex
    fn vs_main(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> Corner {
        return Corner(vec4<f32>(position, 1.0), color);
    }

    @fragment
    fn ps_main(corner: Corner) -> @location(0) vec4<f32> { return corner.color; }
";

/// Draws buffers of [`Vertex`] without transforming the positions.
#[derive(Clone, Debug)]
pub struct Painter {
    /// The vertex shader, which returns its inputs POSITION and COLOR unchanged.
    pub vs: VertexShader,
    /// The pixel shader, which returns the interpolated colour.
    pub ps: PixelShader,
    /// The input layout of [`Vertex`], with both elements in the buffer of slot 0.
    pub layout: InputLayout,
}

impl Painter {
    /// Creates the shaders and the input layout, or panics if the device reports an error.
    pub fn new(device: &Device) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(PAINTER, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::wgsl(PAINTER, "ps_main")).unwrap();
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
        ];
        let layout = device.create_input_layout(&elements, &vs).unwrap();
        Self { vs, ps, layout }
    }

    /// Binds the shaders, the input layout, the given vertices and the given topology.
    pub fn bind(&self, cx: &mut DeviceContext, vertices: &Buffer, topology: PrimitiveTopology) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(vertices, size_of::<Vertex>() as u32));
        cx.ia_set_primitive_topology(topology);
    }
}

/// Creates a buffer with the given bind flags, usually for vertices or indices, that contains `data`.
pub fn buffer<T: Pod>(device: &Device, flags: BindFlags, data: &[T]) -> Buffer {
    device.create_buffer_with(flags, data).unwrap()
}

/// Creates a vertex buffer with the size and contents of `data`.
pub fn vertices<T: Pod>(device: &Device, data: &[T]) -> Buffer {
    buffer(device, BindFlags::VERTEX_BUFFER, data)
}

/// Creates a dynamic buffer of vertices or indices, and fills it with a discarding map on `context`.
pub fn discarded<T: Pod>(
    device: &Device,
    context: &mut DeviceContext,
    flags: BindFlags,
    data: &[T],
) -> Buffer {
    let desc = BufferDesc::dynamic(size_of_val(data) as u32, flags);
    let buffer = device.create_buffer(&desc, None).unwrap();
    context.map(&buffer, 0, MapType::WriteDiscard).unwrap().copy_from_slice(bytemuck::cast_slice(data));
    buffer
}

/// Draws on a black background on each path, and asserts that each texel of `target` equals the value of
/// `expected` for its x and y, within one step per channel. `draw` is called with the target bound and a
/// viewport that covers it.
pub fn expect(
    h: &mut Harness,
    target: &Target,
    what: &str,
    draw: impl Fn(&mut DeviceContext),
    expected: impl Fn(u32, u32) -> u32,
) {
    for how in CommandPath::ALL {
        h.record(how, |cx| {
            cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.0, 1.0]);
            target.bind(cx);
            draw(cx);
        });
        let texels = target.read(h);
        for y in 0..target.height {
            for x in 0..target.width {
                let (texel, wanted) = (target.at(&texels, x, y), expected(x, y));
                assert!(
                    is_close(texel, wanted, 1),
                    "{what}, {how:?}: ({x}, {y}) is {texel:#010x}, not {wanted:#010x}"
                );
            }
        }
    }
}

/// Returns the vertices of sixteen squares in a 16 x 16 picture, each four texels wide with its own colour.
/// The four vertices of square `n` begin at index `4 * n`.
pub fn squares() -> Vec<Vertex> {
    (0..16).flat_map(|n| [(0, 4), (0, 0), (4, 4), (4, 0)].map(|corner| square_corner(n, corner))).collect()
}

fn square_corner(n: u32, (x, y): (u32, u32)) -> Vertex {
    Vertex::at(16, (n % 4 * 4 + x) as f32, (n / 4 * 4 + y) as f32, square_color(n))
}

/// Returns the colour of square `n` of [`squares`], different for all sixteen squares.
pub fn square_color(n: u32) -> u32 {
    0xff00_0000 | (40 + n * 13) << 16 | (250 - n * 11) << 8 | (n * 16)
}

/// Returns the expected texels of a picture that contains only those [`squares`] for which `which` returns
/// true.
pub fn squares_only(which: impl Fn(u32) -> bool) -> impl Fn(u32, u32) -> u32 {
    move |x, y| {
        let n = y / 4 * 4 + x / 4;
        if which(n) { square_color(n) } else { BLACK }
    }
}

/// Creates an index buffer with 16-bit or 32-bit indices, depending on the format.
pub fn indices_of(device: &Device, format: Format, indices: &[u32]) -> Buffer {
    match format {
        Format::R16_UINT => {
            let narrow: Vec<u16> = indices.iter().map(|i| *i as u16).collect();
            buffer(device, BindFlags::INDEX_BUFFER, &narrow)
        }
        _ => buffer(device, BindFlags::INDEX_BUFFER, indices),
    }
}

/// All comparison functions of Direct3D 11, in the order of their numeric values.
pub const COMPARISONS: [ComparisonFunc; 8] = [
    ComparisonFunc::Never,
    ComparisonFunc::Less,
    ComparisonFunc::Equal,
    ComparisonFunc::LessEqual,
    ComparisonFunc::Greater,
    ComparisonFunc::NotEqual,
    ComparisonFunc::GreaterEqual,
    ComparisonFunc::Always,
];

/// Returns whether the comparison of a new value with an old one passes, where `new` is the stencil reference
/// for a stencil test.
pub fn passes<T: PartialOrd>(func: ComparisonFunc, new: T, old: T) -> bool {
    match func {
        ComparisonFunc::Never => false,
        ComparisonFunc::Less => new < old,
        ComparisonFunc::Equal => new == old,
        ComparisonFunc::LessEqual => new <= old,
        ComparisonFunc::Greater => new > old,
        ComparisonFunc::NotEqual => new != old,
        ComparisonFunc::GreaterEqual => new >= old,
        ComparisonFunc::Always => true,
    }
}

const COVER: &str = "
    @vertex
    fn vs_main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4<f32> {
        return vec4<f32>(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
    }
";

/// A pixel shader that runs exactly once for every texel of the viewport.
#[derive(Clone, Debug)]
pub struct Cover {
    vs: VertexShader,
    ps: PixelShader,
}

impl Cover {
    /// Compiles a pixel shader in which `declarations` declares textures and samplers, and `body` returns a
    /// colour and may use the pixel's `position`.
    pub fn new(device: &Device, declarations: &str, body: &str) -> Self {
        let source = format!(
            "{declarations}
            @fragment
            fn ps_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {{ {body} }}"
        );
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(COVER, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap(),
        }
    }

    /// Binds the shaders and draws a triangle that covers the viewport.
    pub fn draw(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(None);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.draw(3, 0);
    }
}
