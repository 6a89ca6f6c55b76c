//! The first triangle, without a window: draws it and writes `target/triangle.png`.

use onze::prelude::*;

const SHADER: &str = include_str!("triangle.wgsl");
const EXTENT: u32 = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, mut ctx) = create_device(&DeviceDesc::default())?;
    let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
    let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
    let position = InputElementDesc::new("POSITION", 0, Format::R32G32_FLOAT);
    let color = InputElementDesc::new("COLOR", 0, Format::R32G32B32_FLOAT);
    let layout = device.create_input_layout(&[position, color], &vs)?;
    let corners: [[f32; 5]; 3] =
        [[0.0, 0.7, 1.0, 0.2, 0.1], [0.7, -0.6, 0.1, 0.8, 0.2], [-0.7, -0.6, 0.2, 0.3, 1.0]];
    let vertices = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &corners)?;
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM_SRGB, EXTENT, EXTENT);
    let picture = device.create_texture_2d(&desc, None)?;
    let target = device.create_render_target_view(&picture, None)?;

    ctx.clear_render_target_view(&target, [0.02, 0.02, 0.04, 1.0]);
    ctx.om_set_render_targets(&target, None);
    ctx.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
    ctx.ia_set_input_layout(&layout);
    ctx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&vertices, 20));
    ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    ctx.vs_set_shader(&vs);
    ctx.ps_set_shader(&ps);
    ctx.draw(3, 0);

    let pixels = ctx.read_texture_2d(&picture, 0)?;
    std::fs::create_dir_all("target")?;
    image::save_buffer("target/triangle.png", &pixels, EXTENT, EXTENT, image::ColorType::Rgba8)?;
    Ok(())
}
