//! The scene that the benchmarks record: one small triangle that the rasterizer clips away, drawn with
//! two shaders that read a constant buffer.

use onze::prelude::*;

const SHADER: &str = r"
struct Object { offset: vec4<f32>, color: vec4<f32> }
@group(0) @binding(0) var<uniform> object: Object;
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return vec4(position, 1.0) + object.offset;
}
@fragment fn ps_main() -> @location(0) vec4<f32> {
    return object.color;
}
";

/// What a draw of the benchmark binds.
#[derive(Debug)]
pub struct Workload {
    target: RenderTargetView,
    layout: InputLayout,
    vertices: Buffer,
    indices: Buffer,
    vs: VertexShader,
    ps: PixelShader,
    constants: Buffer,
    camera: Buffer,
}

impl Workload {
    /// Makes the objects.
    ///
    /// # Errors
    /// Whatever the device says.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 256, 256);
        let target = device.create_texture_2d(&target, None)?;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        // Behind the far plane: every stage but the rasterizer has work.
        let triangle: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [0.1, 0.0, 2.0], [0.0, 0.1, 2.0]];
        Ok(Self {
            target: device.create_render_target_view(&target, None)?,
            layout: device
                .create_input_layout(&[InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT)], &vs)?,
            vertices: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &triangle)?,
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &[0_u16, 1, 2, 0])?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            vs,
            constants: device.create_buffer(&BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER), None)?,
            camera: device.create_buffer(&BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER), None)?,
        })
    }

    /// Binds everything that all draws have in common.
    pub fn begin(&self, ctx: &mut DeviceContext) {
        ctx.om_set_render_targets(&self.target, None);
        ctx.rs_set_viewports(Viewport::sized(256.0, 256.0));
        ctx.ia_set_input_layout(&self.layout);
        ctx.ia_set_vertex_buffers(0, VertexBuffer::new(&self.vertices, 12));
        ctx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        ctx.vs_set_shader(&self.vs);
        ctx.ps_set_shader(&self.ps);
        ctx.vs_set_constant_buffers(0, &self.constants);
        ctx.ps_set_constant_buffers(0, &self.constants);
    }

    /// One draw with nothing changed.
    pub fn draw(&self, ctx: &mut DeviceContext) {
        ctx.draw_indexed(3, 0, 0);
    }

    /// One draw with its own 64 bytes of constants.
    ///
    /// # Errors
    /// Whatever the map says.
    pub fn map_and_draw(&self, ctx: &mut DeviceContext, index: u32) -> Result<(), Error> {
        ctx.map(&self.constants, 0, MapType::WriteDiscard)?.write(0, &[index as f32; 16]);
        ctx.draw_indexed(3, 0, 0);
        Ok(())
    }

    /// Two binds that change the slot and one draw.
    pub fn bind_and_draw(&self, ctx: &mut DeviceContext) {
        ctx.vs_set_constant_buffers(0, &self.camera);
        ctx.vs_set_constant_buffers(0, &self.constants);
        ctx.draw_indexed(3, 0, 0);
    }
}
