//! Stream output: bindings, draws and queries. The vertices in the buffers are not read here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, assert_error, matrix, on_each};

const BOTH: BindFlags = BindFlags::STREAM_OUTPUT.union(BindFlags::VERTEX_BUFFER);

const VERTEX: &str = "
    struct V { @builtin(position) place: vec4f, @location(0) uv: vec2f }
    @vertex fn main(@builtin(vertex_index) number: u32) -> V { return V(vec4f(f32(number)), vec2f()); }
    @vertex fn other() -> @builtin(position) vec4f { return vec4f(); }
    struct I { @builtin(position) place: vec4f, @location(0) @interpolate(flat) uv: vec2u }
    @vertex fn integers() -> I { return I(); }";

/// Runs a test on each configuration whose device has stream output.
fn on_each_with_streams(test: impl Fn(&mut Harness)) {
    on_each(&matrix(), |h| {
        if h.has_feature(Features::STREAM_OUTPUT) {
            test(h);
        }
    });
}

fn buffer(device: &Device, flags: BindFlags) -> Buffer {
    device.create_buffer(&BufferDesc::new(96, flags), None).unwrap()
}

fn vertex(device: &Device, entry_point: &str) -> VertexShader {
    device.create_vertex_shader(ShaderSource::wgsl(VERTEX, entry_point)).unwrap()
}

/// Creates a shader that captures the position and the location 0 of the vertex shader `main`.
fn capture(device: &Device, rasterized_stream: Option<u32>) -> GeometryShader {
    let entries = [SoDeclarationEntry::new("SV_POSITION", 0, 4), SoDeclarationEntry::new("uv", 0, 2)];
    let vs = vertex(device, "main");
    device.create_geometry_shader_with_stream_output(&vs, &entries, &[24], rasterized_stream).unwrap()
}

fn reported(h: &Harness, id: MessageId) -> bool {
    h.device.info_queue().take().iter().any(|message| message.id == id)
}

#[test]
fn devices_without_stream_output_refuse_shaders_and_queries() {
    on_each(&matrix(), |h| {
        if h.has_feature(Features::STREAM_OUTPUT) {
            return;
        }
        let source = ShaderSource::wgsl(VERTEX, "main");
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4)];
        let shader = h.device.create_geometry_shader_with_stream_output(source, &entries, &[], None);
        assert_error!(shader, Unsupported);
        assert_error!(h.device.create_so_statistics_query(None), Unsupported);
        assert_error!(h.device.create_so_overflow_predicate(Some(1)), Unsupported);
        assert_eq!(h.immediate.so_get_targets(), [None, None, None, None]);
        h.immediate.so_set_targets(None);
        h.immediate.draw_auto();
        h.take_errors();
    });
}

#[test]
fn targets_are_bound_replaced_and_cleared() {
    on_each_with_streams(|h| {
        let buffers: Vec<_> = (0..4).map(|_| buffer(&h.device, BindFlags::STREAM_OUTPUT)).collect();
        let all: Vec<_> = buffers.iter().map(StreamOutputBinding::append).collect();
        let bound = |h: &Harness| h.immediate.so_get_targets();
        let some = |slot: usize| Some(buffers[slot].clone());
        h.immediate.so_set_targets(&all);
        assert_eq!(bound(h), [some(0), some(1), some(2), some(3)]);
        let before = bound(h);
        h.immediate.so_set_targets([None, Some(StreamOutputBinding::new(&buffers[3], 8))]);
        assert_eq!(bound(h), [None, some(3), None, None]);
        h.immediate.so_set_targets(&before);
        assert_eq!(bound(h), before);
        h.immediate.so_set_targets(StreamOutputBinding::append(&buffers[2]));
        assert_eq!(bound(h), [some(2), None, None, None]);
        // A state without targets and back.
        let mut other = h.device.create_device_context_state();
        h.immediate.swap_device_context_state(&mut other);
        assert_eq!(bound(h), [None, None, None, None]);
        h.immediate.swap_device_context_state(&mut other);
        assert_eq!(bound(h), [some(2), None, None, None]);
        h.immediate.so_set_targets(None);
        assert_eq!(bound(h), [None, None, None, None]);
        h.immediate.so_set_targets(&all[..2]);
        h.immediate.clear_state();
        assert_eq!(bound(h), [None, None, None, None]);
    });
}

#[test]
fn invalid_targets_are_reported_and_skipped() {
    on_each_with_streams(|h| {
        let [a, b] =
            [buffer(&h.device, BindFlags::STREAM_OUTPUT), buffer(&h.device, BindFlags::STREAM_OUTPUT)];
        let plain = buffer(&h.device, BindFlags::VERTEX_BUFFER);
        h.immediate.so_set_targets(StreamOutputBinding::new(&a, 0));
        let new = StreamOutputBinding::new;
        let rows: [&[Option<StreamOutputBinding<'_>>]; 6] = [
            &[Some(new(&b, 0)), Some(new(&plain, 0))],
            &[Some(new(&b, 2))],
            &[Some(new(&b, u32::MAX - 1))],
            &[Some(new(&b, 0)), None, Some(new(&b, 4))],
            &[Some(StreamOutputBinding::append(&b)), Some(StreamOutputBinding::append(&b))],
            &[None, None, None, None, Some(new(&b, 0))],
        ];
        for row in rows {
            h.immediate.so_set_targets(row);
            h.assert_reported(MessageId::SetStreamTargetsInvalid);
            assert_eq!(h.immediate.so_get_targets()[0].as_ref(), Some(&a), "{row:?}");
        }
        // Offsets beyond the buffer are valid, and such a buffer receives nothing.
        h.immediate.so_set_targets(new(&b, u32::MAX - 3));
        h.assert_silent();
        assert_eq!(h.immediate.so_get_targets()[0].as_ref(), Some(&b));
        h.immediate.clear_state();
    });
}

#[test]
fn a_buffer_is_never_a_target_and_an_input() {
    on_each_with_streams(|h| {
        let flags = BOTH | BindFlags::INDEX_BUFFER | BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let desc = BufferDesc::structured(96, 16, flags);
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let view = h.device.create_shader_resource_view(&buffer, None).unwrap();
        let written = h.device.create_unordered_access_view(&buffer, None).unwrap();
        let cx = &mut h.immediate;
        let bind: [fn(&mut ImmediateContext, &Buffer, &ShaderResourceView, &UnorderedAccessView); 4] = [
            |cx, buffer, _, _| cx.ia_set_vertex_buffers(2, VertexBufferBinding::new(buffer, 16)),
            |cx, buffer, _, _| cx.ia_set_index_buffer(buffer, Format::R32_UINT, 0),
            |cx, _, view, _| cx.gs_set_shader_resources(5, view),
            |cx, _, _, written| cx.cs_set_unordered_access_views(1, written),
        ];
        let is_bound: [fn(&ImmediateContext) -> bool; 4] = [
            |cx| cx.ia_get_vertex_buffers(2, 1)[0].0.is_some(),
            |cx| cx.ia_get_index_buffer().0.is_some(),
            |cx| cx.gs_get_shader_resources(5, 1)[0].is_some(),
            |cx| cx.cs_get_unordered_access_views(1, 1)[0].is_some(),
        ];
        let ids = [
            MessageId::SetVertexBuffersHazard,
            MessageId::SetIndexBufferHazard,
            MessageId::SetShaderResourcesHazard,
            MessageId::SetUnorderedAccessViewsHazard,
        ];
        h.watch.expect(&ids);
        h.watch.expect(&[MessageId::SetStreamTargetsHazard]);
        for (at, (bind, is_bound)) in bind.into_iter().zip(is_bound).enumerate() {
            bind(cx, &buffer, &view, &written);
            assert!(is_bound(cx), "{at}");
            cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
            assert!(!is_bound(cx), "{at}: the new target unbinds the input");
            assert_eq!(cx.so_get_targets()[0].as_ref(), Some(&buffer));
            bind(cx, &buffer, &view, &written);
            // An unordered-access view is an output too, so the new output replaces the old one.
            let is_output = at == 3;
            assert_eq!(is_bound(cx), is_output, "{at}");
            assert_eq!(cx.so_get_targets()[0].is_some(), !is_output, "{at}");
            cx.clear_state();
        }
        let messages = h.device.info_queue().take();
        assert!(
            messages.iter().filter(|message| message.id == MessageId::SetStreamTargetsHazard).count() > 0
        );
        for id in ids {
            assert!(messages.iter().any(|message| message.id == id), "{id:?}");
        }
    });
}

#[test]
fn the_bound_vertex_shader_has_the_captured_outputs() {
    on_each_with_streams(|h| {
        let so = capture(&h.device, None);
        let target = buffer(&h.device, BindFlags::STREAM_OUTPUT);
        h.immediate.gs_set_shader(&so);
        h.immediate.so_set_targets(StreamOutputBinding::new(&target, 0));
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        for (entry_point, is_valid) in [("main", true), ("other", false), ("integers", false), ("main", true)]
        {
            h.immediate.vs_set_shader(&vertex(&h.device, entry_point));
            h.immediate.draw(4, 0);
            if is_valid {
                h.assert_silent();
            } else {
                h.assert_reported(MessageId::DrawStreamOutputMismatch);
            }
        }
        h.immediate.clear_state();
    });
}

#[test]
fn nothing_else_is_needed_if_nothing_is_rasterized() {
    on_each_with_streams(|h| {
        let pixel =
            "@fragment fn main(@location(7) missing: vec4f) -> @location(0) vec4f { return missing; }";
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(pixel, "main")).unwrap();
        let target = buffer(&h.device, BindFlags::STREAM_OUTPUT);
        for rasterized_stream in [None, Some(0)] {
            h.immediate.vs_set_shader(&vertex(&h.device, "main"));
            h.immediate.gs_set_shader(&capture(&h.device, rasterized_stream));
            h.immediate.so_set_targets(StreamOutputBinding::new(&target, 0));
            h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
            // Without a target or a viewport, the draw still writes to the buffer.
            h.immediate.draw(4, 0);
            assert!(h.device.info_queue().take().is_empty());
            h.immediate.ps_set_shader(&ps);
            h.immediate.draw(4, 0);
            match rasterized_stream {
                None => assert!(h.device.info_queue().take().is_empty()),
                Some(_) => h.assert_reported(MessageId::DrawLinkage),
            }
            h.immediate.ps_set_shader(None);
            h.immediate.ia_set_primitive_topology(PrimitiveTopology::PatchList4);
            h.immediate.draw(4, 0);
            match rasterized_stream {
                None => assert!(h.device.info_queue().take().is_empty()),
                Some(_) => h.assert_reported(MessageId::DrawNoHullShader),
            }
            h.immediate.clear_state();
        }
    });
}

#[test]
fn the_pixel_shader_reads_the_rasterized_stream() {
    on_each_with_streams(|h| {
        let text = "
            struct V { @builtin(position) place: vec4f }
            struct A { @builtin(position) place: vec4f, @location(0) a: vec4f }
            struct B { @builtin(position) place: vec4f, @location(1) b: vec4f }
            struct C { @location(1) c: vec4f }
            fn append0(v: A) {} fn append1(v: B) {} fn append2(v: C) {}
            fn main(v: array<V, 1>) {
                append0(A(v[0].place, vec4f())); append1(B(v[0].place, vec4f())); append2(C());
            }";
        let desc = GeometryShaderDesc::new(InputPrimitive::Point, 3, &[StreamTopology::Points; 3]);
        let source = ShaderSource::wgsl_geometry(text, "main", &desc);
        let pixel = "
            @fragment fn a(@location(0) v: vec4f) -> @location(0) vec4f { return v; }
            @fragment fn b(@location(1) v: vec4f) -> @location(0) vec4f { return v; }";
        let target = buffer(&h.device, BindFlags::STREAM_OUTPUT);
        let plain = h.device.create_geometry_shader(source).unwrap();
        let entries = [SoDeclarationEntry::new("a", 0, 4)];
        h.immediate.vs_set_shader(&vertex(&h.device, "other"));
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        h.immediate.so_set_targets(StreamOutputBinding::new(&target, 0));
        let rows = [
            (Some(0), "a", None),
            (Some(0), "b", Some(MessageId::DrawLinkage)),
            (Some(1), "a", Some(MessageId::DrawLinkage)),
            (Some(1), "b", None),
            (Some(2), "b", Some(MessageId::DrawNoPosition)),
            (None, "b", None),
        ];
        for (stream, entry_point, error) in rows {
            let gs = h.device.create_geometry_shader_with_stream_output(&plain, &entries, &[], stream);
            h.immediate.gs_set_shader(&gs.unwrap());
            let ps = h.device.create_pixel_shader(ShaderSource::wgsl(pixel, entry_point)).unwrap();
            h.immediate.ps_set_shader(&ps);
            h.immediate.draw(3, 0);
            match error {
                None => h.assert_silent(),
                Some(error) => h.assert_reported(error),
            }
        }
        h.immediate.clear_state();
    });
}

#[test]
fn an_empty_slot_of_the_declaration_is_a_warning() {
    on_each_with_streams(|h| {
        h.watch.expect(&[MessageId::DrawStreamTargetNotSet]);
        h.immediate.vs_set_shader(&vertex(&h.device, "main"));
        h.immediate.gs_set_shader(&capture(&h.device, None));
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        h.immediate.draw(4, 0);
        assert!(reported(h, MessageId::DrawStreamTargetNotSet));
        let target = buffer(&h.device, BindFlags::STREAM_OUTPUT);
        h.immediate.so_set_targets(StreamOutputBinding::new(&target, 0));
        h.immediate.draw(4, 0);
        assert!(!reported(h, MessageId::DrawStreamTargetNotSet));
        h.immediate.clear_state();
    });
}

#[test]
fn draw_auto_needs_a_streamed_vertex_buffer() {
    on_each_with_streams(|h| {
        let (streamed, plain) = (buffer(&h.device, BOTH), buffer(&h.device, BindFlags::VERTEX_BUFFER));
        h.watch.allow(&[MessageId::DrawNoTargets, MessageId::DrawViewportNotSet]);
        h.immediate.vs_set_shader(&vertex(&h.device, "main"));
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        h.immediate.draw_auto();
        h.assert_reported(MessageId::DrawAutoInvalid);
        h.immediate.ia_set_vertex_buffers(0, VertexBufferBinding::new(&plain, 16));
        h.immediate.ia_set_vertex_buffers(1, VertexBufferBinding::new(&streamed, 16));
        h.immediate.draw_auto();
        h.assert_reported(MessageId::DrawAutoInvalid);
        h.immediate.ia_set_vertex_buffers(0, VertexBufferBinding::new(&streamed, 16));
        h.immediate.draw_auto();
        h.assert_silent();
        // The rules of other draws apply too.
        h.immediate.vs_set_shader(None);
        h.immediate.draw_auto();
        h.assert_reported(MessageId::DrawNoVertexShader);
        h.immediate.clear_state();
    });
}

#[test]
fn lists_contain_stream_output() {
    on_each_with_streams(|h| {
        let (target, source) = (buffer(&h.device, BOTH), buffer(&h.device, BOTH));
        let (vs, so) = (vertex(&h.device, "main"), capture(&h.device, None));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.vs_set_shader(&vs);
                cx.gs_set_shader(&so);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.so_set_targets(StreamOutputBinding::new(&target, 0));
                cx.draw(3, 0);
                cx.so_set_targets(StreamOutputBinding::append(&source));
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&target, 24));
                cx.draw_auto();
            });
            h.assert_silent();
        }
    });
}

#[test]
fn queries_of_every_stream_are_created() {
    on_each_with_streams(|h| {
        for stream in [None, Some(0), Some(1), Some(2), Some(3)] {
            let statistics = h.device.create_so_statistics_query(stream).unwrap();
            let overflow = h.device.create_so_overflow_predicate(stream).unwrap();
            let one = |stream: u32| stream as usize..stream as usize + 1;
            assert_eq!(statistics.query_type().streams(), Some(one(stream.unwrap_or(0))));
            assert_eq!(overflow.query_type().streams(), Some(stream.map_or(0..4, one)));
            h.immediate.begin(&statistics);
            h.immediate.begin(&overflow);
            h.immediate.end(&statistics);
            h.immediate.end(&overflow);
            h.wait();
            assert_eq!(h.immediate.get_data(&statistics, false).unwrap(), Some(SoStatistics::default()));
            assert_eq!(h.immediate.get_data(&overflow, false).unwrap(), Some(false));
            if h.has_feature(Features::PREDICATION) {
                h.immediate.set_predication(&overflow, true);
                assert_eq!(h.immediate.get_predication().0.as_ref(), Some(&*overflow));
                h.immediate.set_predication(None, false);
            }
            let misc_flags = QueryMiscFlags::PREDICATEHINT;
            let hint = QueryDesc { misc_flags, ..overflow.query_type().into() };
            assert_error!(h.device.create_predicate(hint), InvalidArg);
        }
        assert_error!(h.device.create_so_statistics_query(Some(4)), InvalidArg);
        assert_error!(h.device.create_so_overflow_predicate(Some(4)), InvalidArg);
        h.take_errors();
    });
}

#[test]
fn shaders_are_created_from_sources_and_shaders() {
    on_each_with_streams(|h| {
        let device = &h.device;
        let hlsl = "
            struct V { float4 place : SV_Position; };
            V vs() { return (V)0; }
            [maxvertexcount(1)] void gs(point V v[1], inout PointStream<V> s) { s.Append(v[0]); }
            float4 ps() : SV_Target { return 1; }";
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4)];
        let create = |source: StreamOutputSource<'_>| {
            device.create_geometry_shader_with_stream_output(source, &entries, &[], Some(0))
        };
        let stage = |shader: &GeometryShader| shader.reflection().unwrap().stage;
        let of_vs = create(ShaderSource::hlsl(hlsl, "vs").into()).unwrap();
        assert_eq!(stage(&of_vs), ShaderStage::Vertex);
        let of_gs = create(ShaderSource::hlsl(hlsl, "gs").into()).unwrap();
        assert_eq!(stage(&of_gs), ShaderStage::Geometry);
        let again = create((&of_gs).into()).unwrap();
        assert!(again != of_gs && stage(&again) == ShaderStage::Geometry);
        assert_eq!(stage(&create((&vertex(&h.device, "main")).into()).unwrap()), ShaderStage::Vertex);
        assert_eq!(stage(&create(ShaderSource::wgsl(VERTEX, "main").into()).unwrap()), ShaderStage::Vertex);
        assert_error!(create(ShaderSource::hlsl(hlsl, "ps").into()), InvalidArg);
        assert_error!(create(ShaderSource::wgsl(VERTEX, "missing").into()), InvalidArg);
        h.take_errors();
    });
}

#[test]
fn a_vertex_type_declares_its_fields() {
    #[derive(Clone, Copy, Zeroable, Pod, Vertex)]
    #[repr(C)]
    struct Fields {
        #[vertex(skip)]
        first: [u32; 300],
        position: [f32; 3],
        #[vertex(location = 4)]
        cell: [i32; 2],
        #[vertex(skip)]
        last: u32,
    }
    let entries = SoDeclarationEntry::of::<Fields>().unwrap();
    let gap = SoDeclarationEntry::gap;
    let fields = [
        gap(255),
        gap(45),
        SoDeclarationEntry::new("POSITION", 0, 3),
        SoDeclarationEntry::at_location(4, 2),
        gap(1),
    ];
    assert_eq!(entries, fields);
    #[derive(Clone, Copy, Zeroable, Pod, Vertex)]
    #[repr(C)]
    struct Packed {
        color: [u8; 4],
    }
    let text = SoDeclarationEntry::of::<Packed>().unwrap_err().to_string();
    assert!(text.contains("COLOR0 is R8G8B8A8_UNORM at offset 0"), "{text}");
}

#[test]
fn typed_buffers_are_targets_and_vertex_buffers() {
    on_each_with_streams(|h| {
        let typed = h.device.create_stream_vertex_buffer::<[f32; 6]>(4).unwrap();
        assert_eq!((typed.len(), typed.desc().bind_flags, typed.desc().usage), (4, BOTH, Usage::Default));
        assert_error!(h.device.create_stream_vertex_buffer::<[f32; 6]>(0), InvalidArg);
        let filled = h.device.create_buffer_with(BOTH, &[[1.0_f32; 6]; 4]).unwrap();
        assert_eq!(filled.desc().usage, Usage::Default, "draws write the buffer");
        h.immediate
            .so_set_targets([StreamOutputBinding::new(&typed, 0), StreamOutputBinding::append(&filled)]);
        assert_eq!(h.immediate.so_get_targets()[..2], [Some((*typed).clone()), Some(filled)]);
        h.immediate.so_set_targets(None);
        h.immediate.ia_set_vertex_buffers(0, &typed);
        h.take_errors();
    });
}
