//! Rules of stream output: several streams, appending, automatic draws, queries and predicates.

use onze::{Features, QueryResult, SoStatistics, StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each, wait_for};

/// A vertex shader whose output is the number of the vertex.
const VERTEX: &str = "
    struct V { nointerpolation uint number : NUMBER; };
    V vs_main(uint number : SV_VertexID) { V v; v.number = number; return v; }";

const UNTOUCHED: u32 = 0xffff_fff0;

fn target(device: &Device, words: u32, flags: BindFlags) -> Buffer {
    let contents = vec![UNTOUCHED; words as usize];
    let desc = BufferDesc::new(4 * words, BindFlags::STREAM_OUTPUT | flags);
    device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap()
}

fn words(h: &mut Harness, buffer: &Buffer) -> Vec<u32> {
    h.immediate.read_buffer(buffer).unwrap()
}

fn answer<Q: QueryResult>(h: &mut Harness, query: &Q) -> Q::Data {
    wait_for("a query", || h.immediate.get_data(query, false).unwrap())
}

/// Binds a vertex shader that writes the numbers of its vertices, and the shader that captures them.
struct Numbers {
    vs: VertexShader,
    so: GeometryShader,
}

impl Numbers {
    fn new(device: &Device) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::hlsl(VERTEX, "vs_main")).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
        Self { vs, so }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.gs_set_shader(&self.so);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
    }
}

#[test]
fn each_stream_has_its_own_buffer_and_counts() {
    on_each(&gpu_matrix(), |h| {
        // Stream n gets n + 1 points for each point, and stream 3 gets none of the first point.
        let text = format!(
            "{VERTEX}
            struct A {{ uint a : A; }};
            struct P {{ float4 position : SV_Position; nointerpolation uint color : COLOR; }};
            [maxvertexcount(10)]
            void main(point V v[1], inout PointStream<A> s0, inout PointStream<A> s1, inout PointStream<P> s2,
                      inout PointStream<A> s3) {{
                uint n = v[0].number;
                A a; P p;
                a.a = n; s0.Append(a);
                a.a = 100 + n; s1.Append(a); s1.Append(a);
                p.position = float4((n * 2 + 1) / 4.0 - 1, 0, 0, 1); p.color = 200 + n;
                s2.Append(p); s2.Append(p); s2.Append(p);
                if (n > 0) {{ a.a = 300 + n; s3.Append(a); }}
            }}
            uint ps_main(P p) : SV_Target {{ return p.color; }}"
        );
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main")).unwrap();
        let entries = [
            SoDeclarationEntry::new("a", 0, 1),
            SoDeclarationEntry::new("A", 0, 1).stream(1).slot(1),
            SoDeclarationEntry::new("SV_POSITION", 0, 1).stream(2).slot(2),
            SoDeclarationEntry::new("COLOR", 0, 1).stream(2).slot(2),
            SoDeclarationEntry::new("A", 0, 1).stream(3).slot(3),
        ];
        let source = ShaderSource::hlsl(&text, "main");
        let so = h.device.create_geometry_shader_with_stream_output(source, &entries, &[], Some(2)).unwrap();
        let picture = Target::with_format(&h.device, Format::R32_UINT, 4, 1);
        for how in CommandPath::ALL {
            let buffers = [4, 5, 24, 4].map(|words| target(&h.device, words, BindFlags::empty()));
            let statistics =
                [0, 1, 2, 3].map(|stream| h.device.create_so_statistics_query(Some(stream)).unwrap());
            let overflows =
                [Some(0), Some(1), None].map(|stream| h.device.create_so_overflow_predicate(stream).unwrap());
            h.record(how, |cx| {
                cx.clear_render_target_view(&picture.view, [0.0; 4]);
                cx.om_set_render_targets(&picture.view, None);
                cx.rs_set_viewports(Viewport::sized(4.0, 1.0));
                cx.vs_set_shader(&vs);
                cx.gs_set_shader(&so);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.so_set_targets(buffers.each_ref().map(|buffer| StreamOutputBinding::new(buffer, 0)));
                statistics.iter().for_each(|query| cx.begin(query));
                overflows.iter().for_each(|query| cx.begin(query));
                cx.draw(3, 0);
                overflows.iter().for_each(|query| cx.end(query));
                statistics.iter().for_each(|query| cx.end(query));
            });
            let u = UNTOUCHED;
            assert_eq!(words(h, &buffers[0]), [0, 1, 2, u], "{how:?}");
            assert_eq!(words(h, &buffers[1]), [100, 100, 101, 101, 102], "{how:?}, a point without room");
            let point = |n: u32| [((n * 2 + 1) as f32 / 4.0 - 1.0).to_bits(), 200 + n];
            let points: Vec<_> = [0, 0, 0, 1, 1, 1, 2, 2, 2].into_iter().flat_map(point).collect();
            assert_eq!(words(h, &buffers[2])[..18], points, "{how:?}");
            assert_eq!(words(h, &buffers[3]), [301, 302, u, u], "{how:?}");
            let expected = [(3, 3), (5, 6), (9, 9), (2, 2)];
            for (query, (written, needed)) in statistics.iter().zip(expected) {
                let found = answer(h, query);
                let expected =
                    SoStatistics { num_primitives_written: written, primitives_storage_needed: needed };
                assert_eq!(found, expected, "{how:?}");
            }
            assert_eq!(overflows.each_ref().map(|query| answer(h, query)), [false, true, true], "{how:?}");
            assert_eq!(picture.read(h), [200, 201, 202, 0], "{how:?}, the rasterized stream");
        }
    });
}

#[test]
fn draws_append_to_the_filled_size_of_a_buffer() {
    on_each(&gpu_matrix(), |h| {
        let numbers = Numbers::new(&h.device);
        let buffer = target(&h.device, 8, BindFlags::empty());
        let other = target(&h.device, 2, BindFlags::empty());
        // A list that appends uses the filled size at its execution.
        let mut deferred = h.device.create_deferred_context().unwrap();
        numbers.bind(&mut deferred);
        deferred.so_set_targets(StreamOutputBinding::append(&buffer));
        deferred.draw(1, 0);
        let list = deferred.finish_command_list(false).unwrap();
        let cx = &mut h.immediate;
        numbers.bind(cx);
        cx.so_set_targets(StreamOutputBinding::new(&buffer, 8));
        cx.draw(2, 0);
        cx.so_set_targets(StreamOutputBinding::new(&other, 0));
        cx.draw(3, 0);
        cx.so_set_targets(None);
        cx.execute_command_list(&list, true);
        // The list has not set the filled size, and its bindings are gone.
        cx.so_set_targets(StreamOutputBinding::append(&buffer));
        cx.draw(2, 0);
        cx.execute_command_list(&list, true);
        let u = UNTOUCHED;
        assert_eq!(words(h, &buffer), [u, u, 0, 1, 0, 0, 1, 0]);
        assert_eq!(words(h, &other), [0, 1]);
        // Nothing more fits, and an offset beyond the buffer has no room.
        let cx = &mut h.immediate;
        numbers.bind(cx);
        cx.so_set_targets(StreamOutputBinding::append(&buffer));
        cx.draw(4, 0);
        cx.so_set_targets(StreamOutputBinding::new(&buffer, 400));
        cx.draw(4, 0);
        cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
        cx.draw(1, 5);
        cx.so_set_targets(None);
        assert_eq!(words(h, &buffer), [0, u, 0, 1, 0, 0, 1, 0]);
    });
}

#[test]
fn automatic_draws_have_the_vertices_that_were_written() {
    on_each(&gpu_matrix(), |h| {
        let numbers = Numbers::new(&h.device);
        let [from, to] = [16, 16].map(|words| target(&h.device, words, BindFlags::VERTEX_BUFFER));
        // Adds 10 to the numbers.
        let text = "struct V { nointerpolation uint number : NUMBER; };
            V main(uint number : NUMBER) { V v; v.number = number + 10; return v; }";
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
        let layout = [InputElementDesc::new("NUMBER", 0, Format::R32_UINT)];
        let layout = h.device.create_input_layout(&layout, &vs).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
        for (offset, stride, expected) in [
            (0, 4, &[10, 11, 12, 13, 14, 15][..]),
            (8, 4, &[12, 13, 14, 15]),
            (4, 8, &[11, 13]),
            (24, 4, &[]),
            (40, 4, &[]),
            (0, 0, &[]),
        ] {
            for how in CommandPath::ALL {
                h.watch.allow(&[MessageId::DrawVertexStrideZero, MessageId::DrawVertexStrideTooShort]);
                h.record(how, |cx| {
                    numbers.bind(cx);
                    cx.so_set_targets(StreamOutputBinding::new(&from, 0));
                    cx.draw(6, 0);
                    cx.so_set_targets(StreamOutputBinding::new(&to, 0));
                    cx.ia_set_input_layout(&layout);
                    cx.ia_set_vertex_buffers(0, &[(Some(from.clone()), stride, offset)][..]);
                    cx.vs_set_shader(&vs);
                    cx.gs_set_shader(&so);
                    cx.draw_auto();
                    cx.so_set_targets(None);
                });
                let found = words(h, &to);
                assert_eq!(found[..expected.len()], *expected, "{how:?}, {offset}, {stride}");
            }
        }
        // Two buffers that take turns.
        h.record(CommandPath::Immediate, |cx| {
            numbers.bind(cx);
            cx.so_set_targets(StreamOutputBinding::new(&from, 0));
            cx.draw(3, 0);
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&so);
            cx.ia_set_input_layout(&layout);
            for turn in 0..4 {
                let (read, written) = if turn % 2 == 0 { (&from, &to) } else { (&to, &from) };
                cx.so_set_targets(None);
                cx.ia_set_vertex_buffers(0, &[(Some(read.clone()), 4, 0)][..]);
                cx.so_set_targets(StreamOutputBinding::new(written, 0));
                cx.draw_auto();
            }
            cx.so_set_targets(None);
        });
        assert_eq!(words(h, &from)[..4], [40, 41, 42, 3]);
    });
}

#[test]
fn automatic_draws_are_rasterized() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            struct P { float4 position : SV_Position; nointerpolation uint color : COLOR; };
            P emit(uint n : SV_VertexID) { P p = { float4((n * 2 + 1) / 4.0 - 1, 0, 0, 1), n + 5 }; return p; }
            P pass(float4 position : POSITION, uint color : COLOR) { P p = { position, color }; return p; }
            [maxvertexcount(1)] void twice(point P v[1], inout PointStream<P> to) {
                P p = v[0]; p.color *= 2; to.Append(p);
            }
            uint ps_main(P p) : SV_Target { return p.color; }";
        let [emit, pass] = ["emit", "pass"]
            .map(|name| h.device.create_vertex_shader(ShaderSource::hlsl(text, name)).unwrap());
        let gs = h.device.create_geometry_shader(ShaderSource::hlsl(text, "twice")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(text, "ps_main")).unwrap();
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4), SoDeclarationEntry::new("COLOR", 0, 1)];
        let so = h.device.create_geometry_shader_with_stream_output(&emit, &entries, &[], Some(0)).unwrap();
        let layout = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R32_UINT),
        ];
        let layout = h.device.create_input_layout(&layout, &pass).unwrap();
        let buffer = target(&h.device, 5 * 8, BindFlags::VERTEX_BUFFER);
        let pictures = [0; 3].map(|_| Target::with_format(&h.device, Format::R32_UINT, 4, 1));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.rs_set_viewports(Viewport::sized(4.0, 1.0));
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.ps_set_shader(&ps);
                cx.vs_set_shader(&emit);
                cx.gs_set_shader(&so);
                for (number, picture) in pictures.iter().enumerate() {
                    cx.clear_render_target_view(&picture.view, [0.0; 4]);
                    cx.om_set_render_targets(&picture.view, None);
                    if number == 0 {
                        cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                        cx.draw(3, 0);
                        cx.so_set_targets(None);
                        cx.ia_set_input_layout(&layout);
                        cx.ia_set_vertex_buffers(0, &[(Some(buffer.clone()), 20, 0)][..]);
                        cx.vs_set_shader(&pass);
                    } else {
                        cx.gs_set_shader((number == 2).then_some(&gs));
                        cx.draw_auto();
                    }
                }
            });
            let found = pictures.each_ref().map(|picture| picture.read(h));
            assert_eq!(found, [[5, 6, 7, 0], [5, 6, 7, 0], [10, 12, 14, 0]], "{how:?}");
        }
    });
}

#[test]
fn an_overflow_skips_commands() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::PREDICATION) {
            return;
        }
        let numbers = Numbers::new(&h.device);
        let buffer = target(&h.device, 4, BindFlags::empty());
        for (vertices, value, skips) in
            [(4, true, false), (5, true, true), (4, false, true), (5, false, false)]
        {
            let overflow = h.device.create_so_overflow_predicate(Some(0)).unwrap();
            let picture = Target::with_format(&h.device, Format::R32_UINT, 1, 1);
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&picture.view, [1.0; 4]);
                numbers.bind(cx);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                cx.begin(&overflow);
                cx.draw(vertices, 0);
                cx.end(&overflow);
                cx.set_predication(&overflow, value);
                cx.clear_render_target_view(&picture.view, [2.0; 4]);
                cx.set_predication(None, false);
            });
            assert_eq!(picture.read(h), [if skips { 1 } else { 2 }], "{vertices} vertices, {value}");
        }
    });
}

#[test]
fn only_the_declared_components_are_written() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            struct V { float4 position : SV_Position; float3 a : A; int2 b : B1; };
            V main(uint n : SV_VertexID) {
                V v = { float4(1, 2, 3, 4) + 10 * n, float3(5, 6, 7) + 10 * n, int2(-8, 9 + n) };
                return v;
            }";
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
        let entries = [
            SoDeclarationEntry::new("A", 0, 2).start_component(1),
            SoDeclarationEntry::gap(1),
            SoDeclarationEntry::new("sv_position", 0, 1).start_component(3),
            SoDeclarationEntry::new("b", 1, 2).slot(2),
        ];
        let strides = [20, 0, 12];
        let so = h.device.create_geometry_shader_with_stream_output(&vs, &entries, &strides, None).unwrap();
        let [first, third] = [10, 6].map(|words| target(&h.device, words, BindFlags::empty()));
        h.record(CommandPath::Deferred, |cx| {
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&so);
            cx.ia_set_primitive_topology(PrimitiveTopology::LineList);
            let bindings = [&first, &third].map(|buffer| Some(StreamOutputBinding::new(buffer, 0)));
            cx.so_set_targets([bindings[0], None, bindings[1]]);
            cx.draw(3, 0);
        });
        let (f, u) = (f32::to_bits, UNTOUCHED);
        let expected = [f(6.0), f(7.0), u, f(4.0), u, f(16.0), f(17.0), u, f(14.0), u];
        assert_eq!(words(h, &first), expected);
        assert_eq!(words(h, &third), [(-8_i32) as u32, 9, u, (-8_i32) as u32, 10, u]);
    });
}

#[test]
fn system_values_are_written_like_other_outputs() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::CLIP_DISTANCES) {
            return;
        }
        let text = "
            struct V {
                float4 position : SV_Position;
                float2 clip : SV_ClipDistance1;
                float cull : SV_CullDistance;
                uint slice : SV_RenderTargetArrayIndex;
            };
            V main(uint n : SV_VertexID) { V v = { float4(n, 0, 0, 1), float2(2, 3), -4, n + 5 }; return v; }";
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
        let entries = [
            SoDeclarationEntry::new("SV_ClipDistance", 1, 2),
            SoDeclarationEntry::new("SV_CullDistance", 0, 1),
            SoDeclarationEntry::new("SV_RenderTargetArrayIndex", 0, 1),
        ];
        let so = h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
        let buffer = target(&h.device, 8, BindFlags::empty());
        h.record(CommandPath::Immediate, |cx| {
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&so);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
            cx.draw(2, 0);
        });
        let f = f32::to_bits;
        assert_eq!(words(h, &buffer), [f(2.0), f(3.0), f(-4.0), 5, f(2.0), f(3.0), f(-4.0), 6]);
    });
}

#[test]
fn variables_of_a_shader_may_have_any_name() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            var<private> ring0: array<u32, 4>;
            var<private> produced: u32;
            struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat) number: u32 }
            @vertex fn main(@builtin(vertex_index) n: u32) -> Out {
                ring0[n % 4u] = n * 3u;
                produced = 7u;
                return Out(vec4f(), ring0[n % 4u] + produced);
            }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let entries = [SoDeclarationEntry::at_location(0, 1)];
        let so = h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
        let buffer = target(&h.device, 4, BindFlags::empty());
        h.record(CommandPath::Immediate, |cx| {
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&so);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
            cx.draw(3, 0);
        });
        assert_eq!(words(h, &buffer), [7, 10, 13, UNTOUCHED]);
    });
}

#[test]
fn a_target_may_hold_the_arguments_of_its_draw() {
    on_each(&gpu_matrix(), |h| {
        let numbers = Numbers::new(&h.device);
        for how in CommandPath::ALL {
            let desc = BufferDesc::indirect(64, BindFlags::STREAM_OUTPUT);
            let buffer = h.device.create_buffer(&desc, None).unwrap();
            let arguments = [3, 1, 0, 0].into_iter().chain([UNTOUCHED; 12]).collect::<Vec<u32>>();
            h.record(how, |cx| {
                cx.update_subresource(&buffer, 0, None, &arguments, 0, 0);
                numbers.bind(cx);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 16));
                cx.draw_instanced_indirect(&buffer, 0);
                cx.so_set_targets(StreamOutputBinding::append(&buffer));
                cx.draw_instanced_indirect(&buffer, 0);
                cx.so_set_targets(None);
            });
            let found = words(h, &buffer);
            let mut expected = arguments;
            expected[4..10].copy_from_slice(&[0, 1, 2, 0, 1, 2]);
            assert_eq!(found, expected, "{how:?}");
        }
    });
}

#[test]
fn stream_output_sees_the_pictures_before_it() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            cbuffer Constants : register(b0) { uint number; };
            Texture2D<uint> image : register(t0);
            float4 vs_main(uint k : SV_VertexID) : SV_Position {
                return float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0, 1);
            }
            uint ps_main() : SV_Target { return number; }
            struct V { nointerpolation uint number : NUMBER; };
            V so_main() { V v; v.number = image[uint2(0, 0)]; return v; }";
        let hlsl = |entry| ShaderSource::hlsl(text, entry);
        let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let reader = h.device.create_vertex_shader(hlsl("so_main")).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = h.device.create_geometry_shader_with_stream_output(&reader, &entries, &[], None).unwrap();
        let constants =
            h.device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        let [image, other] = [0; 2].map(|_| Target::with_format(&h.device, Format::R32_UINT, 1, 1));
        let image_view = image.texture.create_shader_resource_view().unwrap();
        for how in CommandPath::ALL {
            let buffer = target(&h.device, 5, BindFlags::empty());
            h.record(how, |cx| {
                cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                cx.ps_set_constant_buffers(0, &constants);
                cx.ps_set_shader(&ps);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                for (number, next) in [(3, Some(&other.view)), (5, None), (9, Some(&other.view)), (4, None)] {
                    cx.update_subresource(&constants, 0, None, &[number, 0, 0, 0], 0, 0);
                    cx.vs_set_shader_resources(0, None::<&ShaderResourceView>);
                    cx.om_set_render_targets(&image.view, None);
                    cx.vs_set_shader(&vs);
                    cx.gs_set_shader(None);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.draw(3, 0);
                    cx.om_set_render_targets(next, None);
                    cx.vs_set_shader_resources(0, &image_view);
                    cx.vs_set_shader(&reader);
                    cx.gs_set_shader(&so);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                    cx.draw(1, 0);
                }
                cx.so_set_targets(None);
            });
            assert_eq!(words(h, &buffer), [3, 5, 9, 4, UNTOUCHED], "{how:?}");
        }
    });
}

#[test]
fn a_large_draw_writes_all_vertices_in_order() {
    // The driver starts at most 2^20 threads, so some of them have two invocations.
    const POINTS: u32 = (1 << 20) + 5;
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    let text = format!(
        "{VERTEX}
        [maxvertexcount(1)] void main(point V v[1], inout PointStream<V> to) {{
            if (v[0].number % 4 != 1) to.Append(v[0]);
        }}"
    );
    let numbers = Numbers::new(&h.device);
    let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
    let source = ShaderSource::hlsl(text.as_str(), "main");
    let some = h.device.create_geometry_shader_with_stream_output(source, &entries, &[], None).unwrap();
    for (so, is_written) in [(&numbers.so, (|_| true) as fn(&u32) -> bool), (&some, |number| number % 4 != 1)]
    {
        let buffer = target(&h.device, POINTS + 1, BindFlags::empty());
        h.record(CommandPath::Immediate, |cx| {
            numbers.bind(cx);
            cx.gs_set_shader(so);
            cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
            cx.draw(POINTS, 0);
            cx.so_set_targets(None);
        });
        let mut expected: Vec<u32> = (0..POINTS).filter(is_written).collect();
        expected.resize(POINTS as usize + 1, UNTOUCHED);
        let found = words(&mut h, &buffer);
        let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(first, None, "{:?}", first.map(|at| (found[at], expected[at])));
    }
    drop((numbers, some));
    h.finish();
}
