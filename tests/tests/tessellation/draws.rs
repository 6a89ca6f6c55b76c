//! Draws of tessellated patches.

use onze::prelude::*;
use onze_tests::{CommandPath, Target, gpu_matrix, on_each};

/// Patches of one control point, each a square of the target's 4 x 4 cells. The pixel shader returns the number of the
/// patch and the domain location.
const SQUARES: &str = "
    cbuffer Constants : register(b0) { float4 factors; float inside; };
    struct Cell { uint number : NUMBER; };
    Cell vs_main(uint number : SV_VertexID) { Cell c; c.number = number; return c; }

    struct Factors { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; uint patch : PATCH; };
    Factors constants(InputPatch<Cell, 1> cells, uint patch : SV_PrimitiveID) {
        Factors f;
        f.edges[0] = factors.x; f.edges[1] = factors.y; f.edges[2] = factors.z; f.edges[3] = factors.w;
        f.inside[0] = inside; f.inside[1] = inside;
        f.patch = patch;
        return f;
    }
    [domain(\"quad\")] [partitioning(\"fractional_odd\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
    [patchconstantfunc(\"constants\")]
    Cell hs_main(InputPatch<Cell, 1> cells, uint point : SV_OutputControlPointID) { return cells[point]; }

    struct Vertex { float4 position : SV_Position; float2 location : LOCATION; nointerpolation uint patch : PATCH; };
    [domain(\"quad\")]
    Vertex ds_main(Factors f, float2 uv : SV_DomainLocation, const OutputPatch<Cell, 1> cells) {
        Vertex v;
        float2 at = (float2(cells[0].number % 4, cells[0].number / 4) + uv) / 2 - 1;
        v.position = float4(at.x, -at.y, 0.5, 1);
        v.location = uv;
        v.patch = f.patch;
        return v;
    }
    float4 ps_main(Vertex v) : SV_Target { return float4(v.location, v.patch / 16.0, 1); }";

#[test]
fn squares_cover_the_target() {
    on_each(&gpu_matrix(), |h| {
        let d = &h.device;
        let source = |name| ShaderSource::hlsl(SQUARES, name);
        let vs = d.create_vertex_shader(source("vs_main")).unwrap();
        let hs = d.create_hull_shader(source("hs_main")).unwrap();
        let ds = d.create_domain_shader(source("ds_main")).unwrap();
        let ps = d.create_pixel_shader(source("ps_main")).unwrap();
        let mut pictures = Vec::new();
        for factors in [[1.0_f32; 5], [1.0, 3.0, 5.0, 7.0, 4.5], [64.0; 5]] {
            let mut block = [0.0_f32; 8];
            block[..5].copy_from_slice(&factors);
            let desc = BufferDesc::immutable(32, BindFlags::CONSTANT_BUFFER);
            let constants = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&block))).unwrap();
            let target = Target::new(&h.device, 64, 64);
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    target.bind(cx);
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    cx.vs_set_shader(&vs);
                    cx.hs_set_shader(&hs);
                    cx.ds_set_shader(&ds);
                    cx.ps_set_shader(&ps);
                    cx.hs_set_constant_buffers(0, &constants);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
                    cx.draw(16, 0);
                });
                pictures.push(target.read(h));
            }
        }
        h.assert_silent();
        for picture in &pictures {
            for (at, texel) in picture.iter().enumerate() {
                let (x, y) = (at % 64, at / 64);
                let patch = x / 16 + y / 16 * 4;
                let [red, green, blue, _] = texel.to_le_bytes();
                let near = |value: u8, expected: f32| (f32::from(value) / 255.0 - expected).abs() < 0.02;
                let location = |at: usize| ((at % 16) as f32 + 0.5) / 16.0;
                let is_right =
                    near(red, location(x)) && near(green, location(y)) && near(blue, patch as f32 / 16.0);
                assert!(is_right, "{x} {y}: {texel:x}");
            }
        }
        h.assert_silent();
    });
}
