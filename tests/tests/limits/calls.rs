//! Context calls with the last slot or the largest count, and calls above these limits, which change nothing
//! and are reported.

use onze::{Rect, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, on_each};

struct Things {
    targets: Vec<RenderTargetView>,
    written: Vec<UnorderedAccessView>,
    read: ShaderResourceView,
    sampler: SamplerState,
    buffer: Buffer,
    constants: Buffer,
}

impl Things {
    fn new(device: &Device) -> Self {
        let target = || Target::new(device, 1, 1).view;
        let structured = |_| device.create_structured_buffer(&[0_u32]).unwrap();
        let buffers: Vec<_> = (0..9).map(structured).collect();
        Self {
            targets: (0..9).map(|_| target()).collect(),
            written: buffers.iter().map(|buffer| buffer.unordered_access_view.clone()).collect(),
            read: structured(0).shader_resource_view.clone(),
            sampler: device.create_sampler_state(&SamplerDesc::default()).unwrap(),
            buffer: device.create_buffer(&BufferDesc::new(4096, BindFlags::VERTEX_BUFFER), None).unwrap(),
            constants: device
                .create_buffer(&BufferDesc::new(1 << 17, BindFlags::CONSTANT_BUFFER), None)
                .unwrap(),
        }
    }
}

type Call = fn(&mut DeviceContext, &Things);

/// The constant's name, a call at the limit, a call above the limit, and the message and text that the second
/// call causes.
type Row = (&'static str, Call, Call, MessageId, &'static str);

fn viewports(count: usize) -> Vec<Viewport> {
    vec![Viewport::sized(1.0, 1.0); count]
}

fn rects(count: usize) -> Vec<Rect> {
    vec![Rect { left: 0, top: 0, right: 1, bottom: 1 }; count]
}

fn vertices(buffer: &Buffer, stride: u32) -> VertexBufferBinding<'_> {
    VertexBufferBinding::new(buffer, stride)
}

const fn window(first_constant: u32, num_constants: u32) -> [ConstantRange; 1] {
    [ConstantRange { first_constant, num_constants }]
}

const ROWS: &[Row] = &[
    (
        "D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE, viewports",
        |cx, _| cx.rs_set_viewports(&viewports(16)),
        |cx, _| cx.rs_set_viewports(&viewports(17)),
        MessageId::SetViewportsInvalid,
        "17 viewports; there are at most 16",
    ),
    (
        "D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE, rectangles",
        |cx, _| cx.rs_set_scissor_rects(&rects(16)),
        |cx, _| cx.rs_set_scissor_rects(&rects(17)),
        MessageId::SetScissorRectsInvalid,
        "17 rectangles; there are at most 16",
    ),
    (
        "D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT",
        |cx, things| cx.ia_set_vertex_buffers(31, vertices(&things.buffer, 4)),
        |cx, things| cx.ia_set_vertex_buffers(32, vertices(&things.buffer, 4)),
        MessageId::SetVertexBuffersInvalid,
        "32",
    ),
    (
        "D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES, strides",
        |cx, things| cx.ia_set_vertex_buffers(0, vertices(&things.buffer, 2048)),
        |cx, things| cx.ia_set_vertex_buffers(0, vertices(&things.buffer, 2049)),
        MessageId::SetVertexBuffersInvalid,
        "2049 bytes; it is at most 2048",
    ),
    (
        "D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT",
        |cx, things| cx.vs_set_constant_buffers(13, &things.constants),
        |cx, things| cx.vs_set_constant_buffers(14, &things.constants),
        MessageId::SetConstantBuffersInvalid,
        "14",
    ),
    (
        "D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT",
        |cx, things| cx.ps_set_constant_buffers1(0, &things.constants, &window(4096, 4096)),
        |cx, things| cx.ps_set_constant_buffers1(0, &things.constants, &window(0, 4112)),
        MessageId::SetConstantBuffers1Invalid,
        "4096",
    ),
    (
        "a window's first constant",
        |cx, things| cx.ps_set_constant_buffers1(0, &things.constants, &window(16, 16)),
        |cx, things| cx.ps_set_constant_buffers1(0, &things.constants, &window(15, 16)),
        MessageId::SetConstantBuffers1Invalid,
        "15",
    ),
    (
        "D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT",
        |cx, things| cx.ps_set_shader_resources(127, &things.read),
        |cx, things| cx.ps_set_shader_resources(128, &things.read),
        MessageId::SetShaderResourcesInvalid,
        "128",
    ),
    (
        "D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT",
        |cx, things| cx.cs_set_samplers(15, &things.sampler),
        |cx, things| cx.cs_set_samplers(16, &things.sampler),
        MessageId::SetSamplersInvalid,
        "16",
    ),
    (
        "D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT",
        |cx, things| cx.om_set_render_targets(&things.targets[..8], None),
        |cx, things| cx.om_set_render_targets(&things.targets[..], None),
        MessageId::SetRenderTargetsInvalid,
        "9 targets were given; at most 8",
    ),
    (
        "D3D11_PS_CS_UAV_REGISTER_COUNT",
        |cx, things| cx.cs_set_unordered_access_views(0, &things.written[..8]),
        |cx, things| cx.cs_set_unordered_access_views(0, &things.written[..]),
        MessageId::SetUnorderedAccessViewsInvalid,
        "slots are 0 to 7",
    ),
    (
        "D3D11_PS_CS_UAV_REGISTER_COUNT, shared with targets",
        |cx, Things { targets, written, .. }| {
            cx.om_set_render_targets_and_unordered_access_views(&targets[..5], None, 5, &written[..3], &[]);
        },
        |cx, Things { targets, written, .. }| {
            cx.om_set_render_targets_and_unordered_access_views(&targets[..5], None, 5, &written[..4], &[]);
        },
        MessageId::SetRenderTargetsInvalid,
        "slots are 0 to 7",
    ),
    (
        "D3D11_PS_CS_UAV_REGISTER_COUNT, in the slot of a target",
        |cx, Things { targets, written, .. }| {
            cx.om_set_render_targets_and_unordered_access_views(&targets[..7], None, 7, &written[..1], &[]);
        },
        |cx, Things { targets, written, .. }| {
            cx.om_set_render_targets_and_unordered_access_views(&targets[..7], None, 6, &written[..1], &[]);
        },
        MessageId::SetRenderTargetsInvalid,
        "slot 6",
    ),
];

#[test]
fn a_call_beyond_a_limit_changes_nothing_and_is_reported() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[
            MessageId::SetConstantBuffers1Invalid,
            MessageId::SetConstantBuffersInvalid,
            MessageId::SetRenderTargetsInvalid,
            MessageId::SetSamplersInvalid,
            MessageId::SetScissorRectsInvalid,
            MessageId::SetShaderResourcesInvalid,
            MessageId::SetUnorderedAccessViewsInvalid,
            MessageId::SetVertexBuffersInvalid,
            MessageId::SetViewportsInvalid,
        ]);
        let things = Things::new(&h.device);
        for (constant, at_limit, beyond, id, words) in ROWS {
            h.immediate.clear_state();
            at_limit(&mut h.immediate, &things);
            let messages = h.device.info_queue().take();
            assert!(messages.is_empty(), "{constant}: {messages:#?}");
            beyond(&mut h.immediate, &things);
            let messages = h.device.info_queue().take();
            let is_reported = |message: &Message| message.id == *id && message.description.contains(words);
            assert!(messages.len() == 1 && messages.iter().all(is_reported), "{constant}: {messages:#?}");
        }
    });
}

const COUNTED: &str = "
    RWStructuredBuffer<uint> count : register(u0);
    [numthreads(1, 1, 1)] void main() { InterlockedAdd(count[0], 1); }";

fn counted_groups(h: &mut Harness, dispatch: impl FnOnce(&mut DeviceContext)) -> u32 {
    let cs = h.device.create_compute_shader(ShaderSource::hlsl(COUNTED, "main")).unwrap();
    let count = h.device.create_structured_buffer(&[0_u32]).unwrap();
    h.record(CommandPath::Immediate, |cx| {
        cx.cs_set_shader(&cs);
        cx.cs_set_unordered_access_views(0, &count.unordered_access_view);
        dispatch(cx);
    });
    h.immediate.read_buffer::<u32>(&count.buffer).unwrap()[0]
}

#[test]
fn a_dispatch_has_at_most_65535_groups_in_a_dimension() {
    on_each(&[Config::GPU], |h| {
        for [x, y, z] in [[65535, 1, 1], [1, 65535, 1], [1, 1, 65535]] {
            let row = format!("D3D11_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION, {x}, {y}, {z}");
            let indirect = |h: &mut Harness, groups: [u32; 3]| {
                let desc = BufferDesc::indirect(12, BindFlags::empty());
                let arguments = h.device.create_buffer(&desc, Some(bytemuck::bytes_of(&groups))).unwrap();
                counted_groups(h, |cx| cx.dispatch_indirect(&arguments, 0))
            };
            assert_eq!(counted_groups(h, |cx| cx.dispatch(x, y, z)), 65535, "{row}");
            assert_eq!(indirect(h, [x, y, z]), 65535, "{row}, indirect");
            h.assert_silent();
            let above = [x, y, z].map(|size| if size == 1 { 1 } else { 65536 });
            let [x, y, z] = above;
            assert_eq!(counted_groups(h, |cx| cx.dispatch(x, y, z)), 0, "{row} + 1");
            h.assert_reported(MessageId::DispatchTooLarge);
            assert_eq!(indirect(h, above), 0, "{row} + 1, indirect");
            h.assert_silent();
        }
    });
}
