//! A triangle in a window that can be resized, drawn by shaders in HLSL without any buffer.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc};

const SHADER: &str = "
    struct Corner { float4 position : SV_Position; float3 color : COLOR; };

    Corner VS(uint i : SV_VertexID) {
        const float2 positions[3] = { float2(0.0, 0.7), float2(0.7, -0.6), float2(-0.7, -0.6) };
        const float3 colors[3] = { float3(1.0, 0.2, 0.1), float3(0.1, 0.8, 0.2), float3(0.2, 0.3, 1.0) };
        Corner corner = { float4(positions[i], 0.0, 1.0), colors[i] };
        return corner;
    }

    float4 PS(Corner corner) : SV_Target { return float4(corner.color, 1.0); }";

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Triangle", 640, 480).with_args(), |setup| {
        let vs = setup.device.create_vertex_shader(ShaderSource::hlsl(SHADER, "VS"))?;
        let ps = setup.device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?;
        Ok(move |frame: &mut Frame<'_>| {
            let context = frame.begin([0.02, 0.02, 0.04, 1.0]);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw(3, 0);
            Ok(())
        })
    })
}
