//! The first triangle, without a window: draws into a texture, reads the texture back, and writes it to
//! `target/triangle.png`.

use onze::prelude::*;

const SHADER: &str = include_str!("triangle.wgsl");
const EXTENT: u32 = 256;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 2],
    color: [f32; 3],
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, mut ctx) = create_device(&DeviceDesc::default())?;
    let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
    let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
    let layout = device.create_input_layout_of::<Corner>(&vs)?;
    let vertices = device.create_vertex_buffer(&[
        Corner { position: [0.0, 0.7], color: [1.0, 0.2, 0.1] },
        Corner { position: [0.7, -0.6], color: [0.1, 0.8, 0.2] },
        Corner { position: [-0.7, -0.6], color: [0.2, 0.3, 1.0] },
    ])?;
    let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, EXTENT, EXTENT)?;

    ctx.clear_render_target_view(&target.render_target_view, [0.02, 0.02, 0.04, 1.0]);
    ctx.om_set_render_targets(&target.render_target_view, None);
    ctx.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
    ctx.ia_set_input_layout(&layout);
    ctx.ia_set_vertex_buffers(0, &vertices);
    ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    ctx.vs_set_shader(&vs);
    ctx.ps_set_shader(&ps);
    ctx.draw(vertices.len(), 0);

    let pixels = ctx.read_texture_2d(&target.texture, 0)?;
    std::fs::create_dir_all("target")?;
    image::save_buffer("target/triangle.png", &pixels, EXTENT, EXTENT, image::ColorType::Rgba8)?;
    Ok(())
}
