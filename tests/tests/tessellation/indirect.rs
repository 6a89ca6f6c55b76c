//! Indirect draws of patches, whose number only the GPU knows.

use onze::{MessageId, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, on_each, wait_for};

use super::stages::Stages;

/// The configurations that store all patches at once, in two parts, and one at a time.
const FORMS: [Config; 3] = [
    Config::GPU,
    Config { geometry_memory: Some(4 << 10), ..Config::GPU },
    Config { geometry_memory: Some(0), ..Config::GPU },
];

/// Patches that cover the viewport. The stages pass on the number of the vertex and that of the patch.
const SHADERS: &str = "
    struct V { uint n : N; };
    V vs_main(uint n : N, uint instance : SV_InstanceID) { V v; v.n = n + 1000 * instance; return v; }
    struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; uint id : ID; };
    C constants(InputPatch<V, 2> v, uint id : SV_PrimitiveID) {
        C c;
        c.e[0] = c.e[1] = c.e[2] = c.e[3] = c.i[0] = c.i[1] = 1;
        c.id = id;
        return c;
    }
    [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"point\")] [outputcontrolpoints(1)]
    [patchconstantfunc(\"constants\")]
    V hs_main(InputPatch<V, 2> v) { return v[1]; }
    struct D { float4 position : SV_Position; nointerpolation uint2 n : N; };
    [domain(\"quad\")] D ds_main(C c, float2 uv : SV_DomainLocation, const OutputPatch<V, 1> v) {
        D d;
        d.position = float4(uv.x * 2 - 1, 1 - uv.y * 2, 0.5, 1);
        d.n = uint2(v[0].n, c.id);
        return d;
    }
    uint ps_main(D d) : SV_Target { return d.n.x * 1000 + d.n.y; }";

/// Shaders with vertex and index buffers.
struct Scene {
    stages: Stages,
    layout: InputLayout,
    vertices: Buffer,
    indices: Buffer,
}

const VERTICES: u32 = 60;

impl Scene {
    /// `output` is the topology of the tessellator's primitives.
    fn new(device: &Device, output: &str) -> Self {
        let stages = Stages::new(device, &SHADERS.replace("point\")]", &format!("{output}\")]")));
        let numbers: Vec<u32> = (0..VERTICES).collect();
        let indices: Vec<u16> = (0..VERTICES as u16).rev().collect();
        let vertex_desc = BufferDesc::immutable(4 * VERTICES, BindFlags::VERTEX_BUFFER);
        let index_desc = BufferDesc::immutable(2 * VERTICES, BindFlags::INDEX_BUFFER);
        let elements = [InputElementDesc::new("N", 0, Format::R32_UINT)];
        Self {
            layout: device.create_input_layout(&elements, &stages.vs).unwrap(),
            stages,
            vertices: device.create_buffer(&vertex_desc, Some(bytemuck::cast_slice(&numbers))).unwrap(),
            indices: device.create_buffer(&index_desc, Some(bytemuck::cast_slice(&indices))).unwrap(),
        }
    }

    /// Draws patches directly or indirectly.
    fn draw(&self, device: &Device, cx: &mut DeviceContext, draw: &PatchDraw, is_indirect: bool) {
        let PatchDraw { is_indexed, first, count, instances } = *draw;
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 4));
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList2);
        if is_indexed {
            cx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        }
        match (is_indirect, is_indexed) {
            (false, false) => cx.draw_instanced(count, instances, first, 0),
            (false, true) => cx.draw_indexed_instanced(count, instances, first, 0, 0),
            (true, _) => {
                let words = [count, instances, first, 0, 0];
                let desc = BufferDesc::indirect(20, BindFlags::empty());
                let arguments = device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
                match is_indexed {
                    true => cx.draw_indexed_instanced_indirect(&arguments, 0),
                    false => cx.draw_instanced_indirect(&arguments, 0),
                }
            }
        }
    }
}

#[derive(Copy, Clone, Debug)]
struct PatchDraw {
    is_indexed: bool,
    first: u32,
    count: u32,
    instances: u32,
}

/// Draws whose patches are within the buffers.
fn draws() -> impl Iterator<Item = PatchDraw> {
    let all = [[0, 0, 1], [0, 1, 1], [0, 2, 0], [4, 2, 1], [0, 59, 1], [10, 50, 1], [10, 20, 3]];
    all.into_iter().flat_map(|[first, count, instances]| {
        [false, true].map(|is_indexed| PatchDraw { is_indexed, first, count, instances })
    })
}

#[test]
fn all_patches_within_the_buffers_are_drawn() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let scene = Scene::new(&device, "point");
        let entries = [SoDeclarationEntry::new("N", 0, 2)];
        for draw in draws() {
            let [expected, found] = [false, true].map(|is_indirect| {
                scene.stages.capture(h, &entries, |cx| scene.draw(&device, cx, &draw, is_indirect))
            });
            assert_eq!(expected.len() as u32, draw.count / 2 * draw.instances * 8, "{draw:?}");
            assert_eq!(found, expected, "{draw:?}");
        }
    });
}

#[test]
fn patches_of_all_parts_are_drawn_in_order() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let scene = Scene::new(&device, "triangle_cw");
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        for draw in draws() {
            let [expected, found] = [false, true].map(|is_indirect| {
                h.record(CommandPath::Immediate, |cx| {
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    target.bind(cx);
                    scene.stages.bind(cx);
                    scene.draw(&device, cx, &draw, is_indirect);
                });
                target.read(h)
            });
            assert_eq!(expected.iter().any(|texel| *texel != 0), draw.count / 2 * draw.instances > 0);
            assert_eq!(found, expected, "{draw:?}");
        }
        h.assert_silent();
    });
}

#[test]
fn parts_of_indirect_draws_are_counted_once() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let Ok(query) = device.create_pipeline_statistics_query() else { return };
        let scene = Scene::new(&device, "triangle_cw");
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        for draw in draws() {
            let [expected, found] = [false, true].map(|is_indirect| {
                h.record(CommandPath::Immediate, |cx| {
                    target.bind(cx);
                    scene.stages.bind(cx);
                    cx.begin(&query);
                    scene.draw(&device, cx, &draw, is_indirect);
                    cx.end(&query);
                });
                wait_for("statistics", || h.immediate.get_data(&query, false).unwrap())
            });
            assert_eq!(found, expected, "{draw:?}");
        }
        h.assert_silent();
    });
}

#[test]
fn patches_without_memory_are_reported() {
    on_each(&FORMS[2..3], |h| {
        let device = h.device.clone();
        let scene = Scene::new(&device, "point");
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        let draw = |h: &mut Harness, instances| {
            let draw = PatchDraw { is_indexed: true, first: 0, count: VERTICES, instances };
            h.record(CommandPath::Immediate, |cx| {
                target.bind(cx);
                scene.stages.bind(cx);
                scene.draw(&device, cx, &draw, true);
            });
            // The number of patches arrives with the first submission, and the driver reads it with the second.
            h.wait();
            h.wait();
        };
        draw(h, 1);
        assert!(h.device.info_queue().take().is_empty());
        draw(h, 3);
        h.watch.expect(&[MessageId::DrawUnsupported]);
        let messages = h.device.info_queue().take();
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].description.contains("60 patches of indirect draws"), "{messages:?}");
    });
}
