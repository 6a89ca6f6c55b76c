//! The basic parts of most pictures: a target, and a rectangle of one colour.

use bytemuck::{Pod, Zeroable};
use onze::{
    BindFlags, Buffer, BufferDesc, Device, DeviceContext, Format, MapType, PixelShader, PrimitiveTopology,
    RenderTargetView, ShaderSource, Texture2d, Texture2dDesc, VertexShader, Viewport,
};

use crate::Harness;

/// A texture to draw into, with its view and its size in texels.
#[derive(Clone, Debug)]
pub struct Target {
    /// The texture, in R8G8B8A8_UNORM or in the format that was passed to [`Target::with_format`].
    pub texture: Texture2d,
    /// A view of the whole texture.
    pub view: RenderTargetView,
    /// Width of the texture and of its viewport, in texels.
    pub width: u32,
    /// Height of the texture and of its viewport, in texels.
    pub height: u32,
}

impl Target {
    /// Creates a target of R8G8B8A8_UNORM with the given size in texels.
    pub fn new(device: &Device, width: u32, height: u32) -> Self {
        Self::with_format(device, Format::R8G8B8A8_UNORM, width, height)
    }

    /// Creates a target of the given format and size in texels.
    pub fn with_format(device: &Device, format: Format, width: u32, height: u32) -> Self {
        let texture =
            device.create_texture_2d(&Texture2dDesc::render_target(format, width, height), None).unwrap();
        let view = device.create_render_target_view(&texture, None).unwrap();
        Self { texture, view, width, height }
    }

    /// Returns a viewport that covers the whole target, with depths from 0 to 1.
    pub fn viewport(&self) -> Viewport {
        Viewport::sized(self.width as f32, self.height as f32)
    }

    /// Binds this target without a depth target, and sets a viewport that covers the target.
    pub fn bind(&self, context: &mut DeviceContext) {
        context.om_set_render_targets(&self.view, None);
        context.rs_set_viewports(self.viewport());
    }

    /// Returns the target's texels row by row, each as a word 0xAABBGGRR.
    pub fn read(&self, harness: &mut Harness) -> Vec<u32> {
        harness.read_u32(&self.texture, 0)
    }

    /// Returns the texel at a position in the result of [`Target::read`].
    pub fn at(&self, texels: &[u32], x: u32, y: u32) -> u32 {
        texels[(y * self.width + x) as usize]
    }
}

/// Returns whether two colours 0xAABBGGRR differ by at most `tolerance` in each channel.
pub fn is_close(a: u32, b: u32, tolerance: u8) -> bool {
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

/// Asserts that every texel has the colour 0xAABBGGRR, within one step per channel.
pub fn assert_all(texels: &[u32], expected: u32, what: &str) {
    let wrong = texels.iter().position(|texel| !is_close(*texel, expected, 1));
    if let Some(index) = wrong {
        panic!("{what}: texel {index} is {:#010x}, not {expected:#010x}", texels[index]);
    }
}

/// Asserts that one texel has the colour 0xAABBGGRR, within one step per channel.
pub fn assert_texel(target: &Target, texels: &[u32], (x, y): (u32, u32), expected: u32, what: &str) {
    let texel = target.at(texels, x, y);
    assert!(is_close(texel, expected, 1), "{what}: ({x}, {y}) is {texel:#010x}, not {expected:#010x}");
}

/// The constants that [`Quad`]'s shaders read for one rectangle.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C)]
struct Constants {
    color: [f32; 4],
    rect: [f32; 4],
    depth: [f32; 4],
}

/// WGSL source of the vertex shader and the pixel shader of a [`Quad`].
pub const QUAD: &str = "
    struct Constants { color: vec4<f32>, rect: vec4<f32>, depth: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;

    @vertex
    fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let right = (index & 2u) != 0u;
        let top = (index & 1u) != 0u;
        let r = constants.rect;
        return vec4<f32>(select(r.x, r.z, right), select(r.y, r.w, top), constants.depth.x, 1.0);
    }

    @fragment
    fn ps_main() -> @location(0) vec4<f32> {
        return constants.color;
    }
";

/// Draws rectangles of one colour, with draws that discard the constant buffer and write new constants.
#[derive(Clone, Debug)]
pub struct Quad {
    /// The vertex shader, which reads the rectangle and the depth from the constants in slot 0.
    pub vs: VertexShader,
    /// The pixel shader, which returns the colour from the constants in slot 0.
    pub ps: PixelShader,
    /// The dynamic constant buffer, whose contents each draw discards and writes again.
    pub constants: Buffer,
}

impl Quad {
    /// The whole viewport in clip space: left, bottom, right and top.
    pub const ALL: [f32; 4] = [-1.0, -1.0, 1.0, 1.0];

    /// Creates the shaders and the constant buffer, or panics if the device reports an error.
    pub fn new(device: &Device) -> Self {
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(QUAD, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(QUAD, "ps_main")).unwrap(),
            constants: device
                .create_buffer(
                    &BufferDesc::dynamic(size_of::<Constants>() as u32, BindFlags::CONSTANT_BUFFER),
                    None,
                )
                .unwrap(),
        }
    }

    /// Binds the shaders, binds the constants to both stages, and sets the topology to triangle strips.
    pub fn bind(&self, context: &mut DeviceContext) {
        context.ia_set_input_layout(None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
    }

    /// Writes the constants of the next draw without drawing, for tests that issue the draw themselves.
    pub fn set(&self, context: &mut DeviceContext, color: [f32; 4], rect: [f32; 4], depth: f32) {
        let constants = Constants { color, rect, depth: [depth, 0.0, 0.0, 0.0] };
        context.map(&self.constants, 0, MapType::WriteDiscard).unwrap().write(0, &constants);
    }

    /// Draws a front-facing quad of one colour over the whole viewport at depth 0.
    pub fn draw(&self, context: &mut DeviceContext, color: [f32; 4]) {
        self.draw_at(context, color, Self::ALL, 0.0);
    }

    /// Draws a rectangle (left, bottom, right, top in clip space) at the given depth.
    pub fn draw_at(&self, context: &mut DeviceContext, color: [f32; 4], rect: [f32; 4], depth: f32) {
        self.bind(context);
        self.set(context, color, rect, depth);
        context.draw(4, 0);
    }
}
