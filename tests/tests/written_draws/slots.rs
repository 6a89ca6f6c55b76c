//! The slots that unordered-access views share with render targets, and the bindings that exclude each other.

use super::*;

/// Views share their slots with targets, so a pixel shader without targets may use slot 0.
#[test]
fn slot_0_is_free_without_targets() {
    on_each(&gpu_matrix(), |h| {
        let (scene, ps) = (Fixture::new(h), pixel_shader(h, "in_slot_0"));
        let numbers = zeros(h, COUNT);
        let written = uav(h, &numbers);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.ps_set_shader(&ps);
            cx.om_set_render_targets_and_unordered_access_views(None, None, 0, &written, &[]);
            cx.draw(3, 0);
        });
        assert_eq!(read(h, &numbers), [3; COUNT as usize]);
    });
}

fn bound(cx: &DeviceContext) -> (usize, Vec<u32>) {
    let (targets, _, views) = cx.om_get_render_targets_and_unordered_access_views(0, 8);
    let slots = (0..).zip(&views).filter_map(|(slot, view)| view.as_ref().map(|_| slot)).collect();
    (targets.iter().flatten().count(), slots)
}

#[test]
fn targets_and_views_share_eight_slots() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsInvalid, MessageId::SetUnorderedAccessViewsInvalid]);
        let scene = Fixture::new(h);
        let buffers = [zeros(h, 8), zeros(h, 8)];
        let [a, b] = buffers.each_ref().map(|buffer| uav(h, buffer));
        let other = h.device.create_texture_2d(&scene.target.desc(), None).unwrap();
        let other = h.device.create_render_target_view(&other, None).unwrap();
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let reported = |id| device.info_queue().take().iter().any(|m| m.id == id);
        let invalid = MessageId::SetRenderTargetsInvalid;

        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &b], &[]);
        assert_eq!(bound(cx), (1, vec![1, 2]));
        // These calls are invalid for different reasons, so none of them changes a binding.
        cx.om_set_render_targets_and_unordered_access_views([&scene.rtv, &other], None, 1, &a, &[]);
        assert!(reported(invalid), "slot 1 is a target's");
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 7, [&a, &b], &[]);
        assert!(reported(invalid), "slot 8 does not exist");
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &a], &[]);
        assert!(reported(invalid), "a view twice");
        cx.om_set_unordered_access_views(8, &a);
        assert!(reported(MessageId::SetUnorderedAccessViewsInvalid));
        assert_eq!(bound(cx), (1, vec![1, 2]));
        // Binding targets keeps the views in all slots that the targets do not use.
        cx.om_set_render_targets([&scene.rtv, &other], None);
        assert_eq!(bound(cx), (2, vec![2]));
        cx.om_set_render_targets(None, None);
        assert_eq!(bound(cx), (0, vec![2]));
        cx.om_set_render_targets([&scene.rtv, &other], None);
        // Binding views keeps the targets in lower slots and replaces all other views.
        cx.om_set_unordered_access_views(1, &a);
        assert_eq!(bound(cx), (1, vec![1]));
        cx.om_set_unordered_access_views(3, &b);
        assert_eq!(bound(cx), (1, vec![3]));
        cx.om_set_unordered_access_views(0, None);
        assert_eq!(bound(cx), (0, vec![]));
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 1, [&a, &b], &[]);
        cx.om_set_render_targets_and_unordered_access_views(&scene.rtv, None, 2, &a, &[]);
        assert_eq!(bound(cx), (1, vec![2]));
        cx.clear_state();
        assert_eq!(bound(cx), (0, vec![]));
        h.take_errors();
    });
}

#[test]
fn a_written_view_excludes_inputs_by_part() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[
            MessageId::SetIndexBufferHazard,
            MessageId::SetRenderTargetsHazard,
            MessageId::SetShaderResourcesHazard,
            MessageId::SetUnorderedAccessViewsHazard,
            MessageId::SetVertexBuffersHazard,
        ]);
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER | BindFlags::SHADER_RESOURCE;
        let desc = BufferDesc::raw(256, flags | BindFlags::UNORDERED_ACCESS).label("all");
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let view = |first| {
            let desc = UnorderedAccessViewDesc::raw_buffer(first, 16);
            h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap()
        };
        let (low, high) = (view(0), view(16));
        let desc = ShaderResourceViewDesc::raw_buffer(0, 16);
        let read = h.device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
        let desc = ShaderResourceViewDesc::raw_buffer(32, 16);
        let apart = h.device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let reported = |id| device.info_queue().take().iter().any(|m| m.id == id);
        let is_none = |cx: &DeviceContext| {
            let vertices = cx.ia_get_vertex_buffers(0, 2).iter().all(|(buffer, ..)| buffer.is_none());
            [vertices, cx.ia_get_index_buffer().0.is_none(), cx.ps_get_shader_resources(0, 1)[0].is_none()]
        };
        let vertices = || [VertexBufferBinding::new(&buffer, 4); 2];

        for stage in ["pixel", "compute"] {
            let set = |cx: &mut DeviceContext, view| match stage {
                "pixel" => cx.om_set_unordered_access_views(0, view),
                _ => cx.cs_set_unordered_access_views(0, view),
            };
            cx.ia_set_vertex_buffers(0, vertices());
            cx.ia_set_index_buffer(&buffer, Format::R16_UINT, 0);
            cx.ps_set_shader_resources(0, [&read, &apart]);
            assert_eq!(is_none(cx), [false; 3]);
            set(cx, Some(&low));
            assert_eq!(is_none(cx), [true; 3], "{stage}");
            assert!(reported(MessageId::SetUnorderedAccessViewsHazard));
            assert!(cx.ps_get_shader_resources(1, 1)[0].is_some(), "it sees another part");
            // A buffer cannot be bound as an input while it is bound for writing.
            cx.ia_set_vertex_buffers(0, vertices());
            assert!(reported(MessageId::SetVertexBuffersHazard));
            cx.ia_set_index_buffer(&buffer, Format::R16_UINT, 0);
            assert!(reported(MessageId::SetIndexBufferHazard));
            cx.ps_set_shader_resources(0, &read);
            assert!(reported(MessageId::SetShaderResourcesHazard));
            assert_eq!(is_none(cx), [true; 3], "{stage}");
            set(cx, None);
        }
        // Views of the pixel stage and the compute stage exclude each other only if they show a common part.
        cx.om_set_unordered_access_views(0, [&low, &high]);
        cx.cs_set_unordered_access_views(5, &high);
        assert_eq!(bound(cx).1, [0]);
        cx.om_set_render_targets_and_unordered_access_views(None, None, 3, &high, &[]);
        assert!(reported(MessageId::SetRenderTargetsHazard));
        assert!(cx.cs_get_unordered_access_views(0, 8).iter().all(Option::is_none));
        assert_eq!(bound(cx).1, [3]);
        cx.clear_state();
        h.take_errors();
    });
}

#[test]
fn an_empty_slot_reads_zero_and_ignores_stores() {
    on_each(&gpu_matrix(), |h| {
        let (scene, append) = (Fixture::new(h), pixel_shader(h, "append"));
        let items = zeros(h, 4);
        let appended = uav(h, &items);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.ps_set_shader(&append);
            cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
            // The slot of the counter is empty and reads as zero, so each draw appends at index 0.
            cx.om_set_unordered_access_views(3, &appended);
            cx.draw(3, 0);
            cx.draw(3, 0);
        });
        assert_eq!(read(h, &items), [1, 0, 0, 0]);
        h.assert_reported(MessageId::DispatchUnorderedAccessNotSet);
    });
}
