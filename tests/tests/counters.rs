//! Hidden counters of unordered-access views: initial counts, appending, consuming, and copies of counters.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "counters/ends.rs"]
mod ends;
#[path = "counters/programs.rs"]
mod programs;

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Quad, Target, gpu_matrix, matrix, on_each};

const KEEP: u32 = u32::MAX;

/// Shaders that use the counter of `u1`, and in some cases also the elements of `u1` or the list in `u2`.
const SHADER: &str = "
    struct Groups { x: u32, y: u32, z: u32 }
    @group(3) @binding(1) var<storage, read_write> ids: array<u32>;
    @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;
    @group(3) @binding(2) var<storage, read_write> others: array<u32>;
    @group(4) @binding(2) var<storage, read_write> other_count: atomic<u32>;
    @group(3) @binding(3) var<storage, read_write> arguments: array<Groups>;
    @group(4) @binding(3) var<storage, read_write> argument_count: atomic<u32>;
    @group(3) @binding(4) var<storage, read_write> seen: array<atomic<u32>, 4>;
    @group(0) @binding(0) var<uniform> numbers: vec4u;

    // IncrementCounter: each thread gets its own number.
    @compute @workgroup_size(4) fn increment(@builtin(global_invocation_id) id: vec3u) {
        ids[id.x] = atomicAdd(&count, 1u);
    }
    // DecrementCounter.
    @compute @workgroup_size(4) fn decrement(@builtin(global_invocation_id) id: vec3u) {
        ids[id.x] = atomicSub(&count, 1u) - 1u;
    }
    // Increments the counter without accessing elements.
    @compute @workgroup_size(1) fn only_count() { atomicAdd(&count, numbers.x); }
    // Append.
    @compute @workgroup_size(4) fn append(@builtin(global_invocation_id) id: vec3u) {
        ids[atomicAdd(&count, 1u)] = 100u + id.x;
    }
    // Consumes from one list and appends to the other.
    @compute @workgroup_size(4) fn pass_on() {
        let element = ids[atomicSub(&count, 1u) - 1u];
        others[atomicAdd(&other_count, 1u)] = element;
    }
    // Writes the value of the counter, plus 1.
    @compute @workgroup_size(1) fn show() { others[0] = atomicLoad(&count) + 1u; }
    // Appends the arguments of a dispatch.
    @compute @workgroup_size(1) fn append_arguments() {
        arguments[atomicAdd(&argument_count, 1u)] = Groups(numbers.x, numbers.y, numbers.z);
    }
    // Counts its groups and records the largest group IDs.
    @compute @workgroup_size(1) fn note(@builtin(workgroup_id) id: vec3u) {
        atomicAdd(&seen[0], 1u);
        atomicMax(&seen[1], id.x);
        atomicMax(&seen[2], id.y);
        atomicMax(&seen[3], id.z);
    }";

fn shader(h: &Harness, entry_point: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

fn numbers(h: &Harness, numbers: [u32; 4]) -> ConstantBuffer<[u32; 4]> {
    h.device.create_constant_buffer(&numbers).unwrap()
}

/// Creates a structured buffer of words, and a view of the buffer with a counter.
fn list(h: &Harness, elements: u32) -> (Buffer, UnorderedAccessView) {
    let desc = BufferDesc::structured(4, elements, BindFlags::UNORDERED_ACCESS).label("list");
    let buffer = h.device.create_buffer(&desc, None).unwrap();
    let view = counted(h, &buffer, 0, u32::MAX);
    (buffer, view)
}

fn counted(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::counted_buffer(first, count);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

fn words(h: &Harness, count: u32) -> Buffer {
    let desc = BufferDesc::new(4 * count, BindFlags::VERTEX_BUFFER);
    h.device.create_buffer(&desc, Some(&[7, 0, 0, 0].repeat(count as usize))).unwrap()
}

fn read(h: &mut Harness, buffer: &Buffer) -> Vec<u32> {
    h.immediate.read_buffer(buffer).unwrap()
}

fn count(h: &mut Harness, view: &UnorderedAccessView) -> u32 {
    let copy = words(h, 1);
    h.immediate.copy_structure_count(&copy, 0, view);
    read(h, &copy)[0]
}

/// Returns a function that draws, and thereby ends the page if command pages are limited to one draw.
fn end_page(h: &Harness) -> impl Fn(&mut DeviceContext) + use<> {
    let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
    move |cx| {
        target.bind(cx);
        quad.draw(cx, [1.0; 4]);
    }
}

fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

/// The numbers are those in Wine's test of counters.
#[test]
fn counters_count_as_in_direct3d_11() {
    on_each(&matrix(), |h| {
        let (increment, decrement) = (shader(h, "increment"), shader(h, "decrement"));
        for how in CommandPath::ALL {
            let (ids, view) = list(h, 64);
            let seen = |drawn: u32, h: &Harness| if h.draws() { drawn } else { 7 };
            assert_eq!(count(h, &view), seen(0, h), "a new counter, {how:?}");
            h.record(how, |cx| cx.cs_set_unordered_access_views_with_counts(1, &view, &[8]));
            assert_eq!(count(h, &view), seen(8, h), "an initial count, {how:?}");
            h.record(how, |cx| cx.cs_set_unordered_access_views_with_counts(1, &view, &[KEEP]));
            assert_eq!(count(h, &view), seen(8, h), "-1, {how:?}");
            h.record(how, |cx| cx.cs_set_unordered_access_views(1, &view));
            assert_eq!(count(h, &view), seen(8, h), "no initial counts, {how:?}");
            h.record(how, |cx| {
                cx.cs_set_shader(&increment);
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[0]);
                cx.dispatch(16, 1, 1);
            });
            assert_eq!(count(h, &view), seen(64, h), "16 groups of 4, {how:?}");
            if h.draws() {
                assert!(sorted(read(h, &ids)).into_iter().eq(0..64), "each number once, {how:?}");
            }
            h.record(how, |cx| {
                cx.cs_set_shader(&decrement);
                cx.cs_set_unordered_access_views(1, &view);
                cx.dispatch(16, 1, 1);
            });
            assert_eq!(count(h, &view), seen(0, h), "decremented, {how:?}");
            if h.draws() {
                assert!(sorted(read(h, &ids)).into_iter().eq(0..64), "each number once, {how:?}");
            }
        }
    });
}

#[test]
fn consume_returns_every_appended_element() {
    on_each(&gpu_matrix(), |h| {
        let (append, pass_on) = (shader(h, "append"), shader(h, "pass_on"));
        for how in CommandPath::ALL {
            let (elements, view) = list(h, 8);
            let (others, other) = list(h, 8);
            h.immediate.update_subresource(&elements, 0, None, &[1_u32, 2, 3, 4, 5, 6, 7, 8], 0, 0);
            let counts = words(h, 4);
            h.record(how, |cx| {
                cx.cs_set_shader(&pass_on);
                cx.cs_set_unordered_access_views_with_counts(1, [&view, &other], &[8, KEEP]);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 0, &view);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 4, &view);
                cx.copy_structure_count(&counts, 8, &other);
                cx.cs_set_shader(&append);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 12, &view);
            });
            assert_eq!(read(h, &counts), [4, 0, 8, 4], "{how:?}");
            let found = read(h, &others);
            assert_eq!(sorted(found[..4].to_vec()), [5, 6, 7, 8], "the last ones first, {how:?}");
            assert_eq!(sorted(found[4..].to_vec()), [1, 2, 3, 4], "{how:?}");
            let found = sorted(read(h, &elements)[..4].to_vec());
            assert_eq!(found, [100, 101, 102, 103], "{how:?}");
        }
    });
}

#[test]
fn dispatches_run_with_arguments_that_were_appended() {
    on_each(&gpu_matrix(), |h| {
        let (append, note) = (shader(h, "append_arguments"), shader(h, "note"));
        let sets = [[4, 2, 1, 0], [4, 1, 1, 0], [3, 1, 1, 0]].map(|set| numbers(h, set));
        for how in CommandPath::ALL {
            let desc = BufferDesc::structured(12, 4, BindFlags::UNORDERED_ACCESS);
            let list = h.device.create_buffer(&desc, None).unwrap();
            let desc = UnorderedAccessViewDesc {
                format: Format::UNKNOWN,
                dimension: Some(UnorderedAccessViewDimension::Buffer {
                    first_element: 0,
                    num_elements: 4,
                    flags: BufferUavFlags::APPEND,
                }),
                ..Default::default()
            };
            let view = h.device.create_unordered_access_view(&list, Some(&desc)).unwrap();
            // A structured buffer cannot contain indirect arguments.
            let arguments =
                h.device.create_buffer(&BufferDesc::indirect(48, BindFlags::empty()), None).unwrap();
            let (seen, seen_view) = {
                let desc = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS);
                let buffer = h.device.create_buffer(&desc, None).unwrap();
                let view = buffer.create_unordered_access_view().unwrap();
                (buffer, view)
            };
            let counts = words(h, 1);
            h.record(how, |cx| {
                cx.cs_set_shader(&append);
                cx.cs_set_unordered_access_views_with_counts(3, [&view, &seen_view], &[0, 0]);
                for set in &sets {
                    cx.cs_set_constant_buffers(0, set);
                    cx.dispatch(1, 1, 1);
                }
                cx.copy_structure_count(&counts, 0, &view);
                cx.copy_subresource_region(&arguments, 0, [0; 3], &list, 0, None);
                cx.cs_set_shader(&note);
                for set in 0..4 {
                    cx.dispatch_indirect(&arguments, 12 * set);
                }
            });
            assert_eq!(read(h, &counts), [3], "{how:?}");
            assert_eq!(read(h, &seen), [15, 3, 1, 0], "{how:?}");
        }
    });
}

#[test]
fn each_view_of_a_buffer_has_a_counter_of_its_own() {
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        for how in CommandPath::ALL {
            let (elements, whole) = list(h, 16);
            let halves = [counted(h, &elements, 0, 8), counted(h, &elements, 8, 8)];
            h.record(how, |cx| {
                cx.cs_set_shader(&append);
                for (view, start) in halves.iter().zip([2, 1]) {
                    cx.cs_set_unordered_access_views_with_counts(1, view, &[start]);
                    cx.dispatch(1, 1, 1);
                }
            });
            assert_eq!([&halves[0], &halves[1], &whole].map(|view| count(h, view)), [6, 5, 0], "{how:?}");
            let found: Vec<_> = read(h, &elements).into_iter().map(|n| n != 0).collect();
            let expected: Vec<_> = (0..16).map(|n| (2..6).contains(&n) || (9..13).contains(&n)).collect();
            assert_eq!(found, expected, "{how:?}");
        }
    });
}

#[test]
fn binding_a_bound_view_again_sets_its_count() {
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        let end_page = end_page(h);
        for how in CommandPath::ALL {
            let (elements, view) = list(h, 24);
            let counts = words(h, 3);
            h.record(how, |cx| {
                cx.cs_set_shader(&append);
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[1]);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 0, &view);
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[10]);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 4, &view);
                cx.cs_set_unordered_access_views_with_counts(1, [Some(&view), None, None], &[20, 5, KEEP]);
                end_page(cx);
                end_page(cx);
                cx.dispatch(1, 1, 1);
                cx.copy_structure_count(&counts, 8, &view);
            });
            assert_eq!(read(h, &counts), [5, 14, 24], "{how:?}");
            let found: Vec<_> = read(h, &elements).into_iter().map(|n| n != 0).collect();
            let expected: Vec<_> =
                (0..24).map(|n| (1..5).contains(&n) || (10..14).contains(&n) || n >= 20).collect();
            assert_eq!(found, expected, "{how:?}");
        }
    });
}

/// At the start of a page, a preamble binds the views again but does not set the counter again.
#[test]
fn an_initial_count_is_set_once_across_pages() {
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        let end_page = end_page(h);
        for how in CommandPath::ALL {
            let (_, view) = list(h, 64);
            h.record(how, |cx| {
                cx.cs_set_shader(&append);
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[3]);
                for _ in 0..5 {
                    cx.dispatch(1, 1, 1);
                    end_page(cx);
                }
            });
            assert_eq!(count(h, &view), 23, "{how:?}");
        }
        let (_, view) = list(h, 64);
        h.immediate.cs_set_shader(&append);
        h.immediate.cs_set_unordered_access_views_with_counts(1, &view, &[3]);
        for _ in 0..3 {
            h.immediate.dispatch(1, 1, 1);
            h.immediate.flush();
        }
        assert_eq!(count(h, &view), 15);
    });
}

#[test]
fn a_list_sets_counts_each_time_that_it_is_executed() {
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        let (_, view) = list(h, 64);
        let (_, kept) = list(h, 64);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let copies = words(h, 2);
        deferred.cs_set_shader(&append);
        deferred.cs_set_unordered_access_views_with_counts(1, &view, &[2]);
        deferred.dispatch(2, 1, 1);
        deferred.copy_structure_count(&copies, 0, &view);
        deferred.cs_set_unordered_access_views(1, &kept);
        deferred.dispatch(1, 1, 1);
        deferred.copy_structure_count(&copies, 4, &kept);
        let inner = deferred.finish_command_list(false).unwrap();
        for execution in 1..3 {
            h.immediate.execute_command_list(&inner, false);
            assert_eq!(read(h, &copies), [10, 4 * execution]);
        }
        // The list runs twice in one submission and once within another list.
        h.immediate.execute_command_list(&inner, false);
        h.immediate.execute_command_list(&inner, true);
        assert_eq!(read(h, &copies), [10, 16]);
        deferred.execute_command_list(&inner, false);
        deferred.execute_command_list(&inner, true);
        let outer = deferred.finish_command_list(false).unwrap();
        h.immediate.execute_command_list(&outer, false);
        h.immediate.execute_command_list(&outer, false);
        assert_eq!(read(h, &copies), [10, 32]);
        assert_eq!([count(h, &view), count(h, &kept)], [10, 32]);
    });
}

/// After a list, the immediate context's views are bound again and their counters keep the current values.
#[test]
fn state_that_is_restored_after_a_list_keeps_counters() {
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        let (_, view) = list(h, 64);
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.cs_set_shader(&append);
        deferred.cs_set_unordered_access_views(1, &view);
        deferred.dispatch(1, 1, 1);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.cs_set_shader(&append);
        h.immediate.cs_set_unordered_access_views_with_counts(1, &view, &[9]);
        h.immediate.execute_command_list(&list, true);
        h.immediate.dispatch(1, 1, 1);
        assert_eq!(count(h, &view), 17);
    });
}

#[test]
fn a_missing_counter_reads_zero_and_is_not_written() {
    on_each(&[Config::GPU, gpu_matrix()[1]], |h| {
        let show = shader(h, "show");
        let (only_count, one) = (shader(h, "only_count"), numbers(h, [1; 4]));
        let (elements, view) = list(h, 4);
        let plain = elements.create_unordered_access_view().unwrap();
        let desc = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS);
        for bound in [None, Some(&plain)] {
            let shown = h.device.create_buffer(&desc, None).unwrap();
            let shown_view = shown.create_unordered_access_view().unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_constant_buffers(0, &one);
                // The second call replaces the bindings of the first.
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[5]);
                cx.cs_set_unordered_access_views_with_counts(1, [bound, Some(&shown_view)], &[6, 7]);
                cx.cs_set_shader(&only_count);
                cx.dispatch(1, 1, 1);
                cx.cs_set_shader(&show);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(read(h, &shown)[0], 1, "{bound:?}");
            assert_eq!(count(h, &view), 5, "{bound:?}");
            let id = if bound.is_none() {
                MessageId::DispatchUnorderedAccessNotSet
            } else {
                MessageId::DispatchUnorderedAccessMismatch
            };
            h.assert_reported(id);
        }
    });
}

/// An indirect draw reads its count from a counter that a dispatch in the same frame changed.
#[test]
fn an_indirect_draw_takes_its_count_from_a_counter() {
    const POINTS: &str = "
        @vertex fn vs_main(@location(0) at: u32) -> @builtin(position) vec4f {
            return vec4f((f32(at % 16u) + 0.5) / 8.0 - 1.0, 0.0, 0.0, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0); }";
    on_each(&gpu_matrix(), |h| {
        let append = shader(h, "append");
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(POINTS, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(POINTS, "ps_main")).unwrap();
        let element = InputElementDesc::new("AT", 0, Format::R32_UINT).per_instance();
        let layout = h.device.create_input_layout(&[element], &vs).unwrap();
        let at =
            h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &(0..16).collect::<Vec<u32>>()).unwrap();
        let target = Target::new(&h.device, 16, 1);
        for how in CommandPath::ALL {
            let (_, view) = list(h, 16);
            let arguments = BufferDesc::indirect(16, BindFlags::empty());
            let contents = bytemuck::bytes_of(&[1_u32, 0, 0, 0]).to_vec();
            let arguments = h.device.create_buffer(&arguments, Some(&contents)).unwrap();
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.cs_set_shader(&append);
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[1]);
                cx.dispatch(2, 1, 1);
                target.bind(cx);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&at, 4));
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.copy_structure_count(&arguments, 4, &view);
                cx.draw_instanced_indirect(&arguments, 0);
                // A count that is set later does not affect the earlier draw.
                cx.cs_set_unordered_access_views_with_counts(1, &view, &[16]);
            });
            let found: Vec<_> = target.read(h).iter().map(|texel| *texel == u32::MAX).collect();
            assert_eq!(found, (0..16).map(|n| n < 9).collect::<Vec<_>>(), "{how:?}");
        }
    });
}

/// Covers staging, default and dynamic buffers, including a constant buffer whose memory changed at a
/// discard.
#[test]
fn a_counter_is_copied_to_any_buffer_that_copies_write() {
    on_each(&gpu_matrix(), |h| {
        let (_, view) = list(h, 4);
        for how in CommandPath::ALL {
            let contents: Vec<u32> = (1..9).collect();
            let bytes: &[u8] = bytemuck::cast_slice(&contents);
            let constants = BufferDesc::new(32, BindFlags::CONSTANT_BUFFER);
            let constants = h.device.create_buffer(&constants, Some(bytes)).unwrap();
            let dynamic = BufferDesc::dynamic(32, BindFlags::CONSTANT_BUFFER);
            let dynamic = h.device.create_buffer(&dynamic, Some(bytes)).unwrap();
            let staging =
                h.device.create_buffer(&BufferDesc::staging(32, CpuAccessFlags::READ), Some(bytes)).unwrap();
            h.immediate.map(&dynamic, 0, MapType::WriteDiscard).unwrap().copy_from_slice(bytes);
            h.record(how, |cx| {
                cx.cs_set_unordered_access_views_with_counts(0, &view, &[55]);
                for buffer in [&constants, &dynamic, &staging] {
                    cx.copy_structure_count(buffer, 28, &view);
                }
            });
            let mapped = h.immediate.map(&staging, 0, MapType::Read).unwrap().to_vec();
            assert_eq!(bytemuck::pod_collect_to_vec::<u8, u32>(&mapped)[7], 55, "{how:?}, mapped");
            for buffer in [&constants, &dynamic, &staging] {
                assert_eq!(read(h, buffer), [1, 2, 3, 4, 5, 6, 7, 55], "{how:?} {:?}", buffer.desc());
            }
        }
    });
}

#[test]
fn copies_that_do_not_fit_are_ignored() {
    on_each(&matrix(), |h| {
        let (elements, view) = list(h, 4);
        let plain = elements.create_unordered_access_view().unwrap();
        let target = words(h, 2);
        let id = MessageId::CopyStructureCountInvalid;
        let immutable =
            BufferDesc { usage: Usage::Immutable, ..BufferDesc::new(8, BindFlags::VERTEX_BUFFER) };
        let immutable = h.device.create_buffer(&immutable, Some(&[0; 8])).unwrap();
        for (dst, offset, view) in [
            (&target, 8, &view),
            (&target, u32::MAX - 3, &view),
            (&target, 2, &view),
            (&target, 0, &plain),
            (&immutable, 0, &view),
        ] {
            for how in [CommandPath::Immediate, CommandPath::Deferred] {
                h.record(how, |cx| cx.copy_structure_count(dst, offset, view));
                h.assert_reported(id);
            }
        }
        let mapped = h.device.create_buffer(&BufferDesc::staging(8, CpuAccessFlags::WRITE), None).unwrap();
        let token = h.immediate.map_owned(&mapped, 0, MapType::Write).unwrap();
        h.immediate.copy_structure_count(&mapped, 0, &view);
        h.assert_reported(id);
        h.immediate.unmap(token);
        assert_eq!(read(h, &target), [7, 7]);
    });
}

#[test]
fn a_call_needs_one_initial_count_per_view() {
    on_each(&matrix(), |h| {
        let ((_, one), (_, other)) = (list(h, 4), list(h, 4));
        h.immediate.cs_set_unordered_access_views_with_counts(0, &one, &[3]);
        for counts in [&[1][..], &[1, 2, 3]] {
            h.immediate.cs_set_unordered_access_views_with_counts(0, [&other, &one], counts);
            h.assert_reported(MessageId::SetUnorderedAccessViewsInvalid);
        }
        // A call that is refused for another reason does not set any count either.
        h.immediate.cs_set_unordered_access_views_with_counts(7, [&other, &one], &[4, 5]);
        h.assert_reported(MessageId::SetUnorderedAccessViewsInvalid);
        assert_eq!(h.immediate.cs_get_unordered_access_views(0, 2), [Some(one.clone()), None]);
        let expected = if h.draws() { [3, 0] } else { [7, 7] };
        assert_eq!([count(h, &one), count(h, &other)], expected);
    });
}

/// The counter of a dropped view does not affect a view that is created later.
#[test]
fn a_new_view_counts_from_zero_after_another_was_dropped() {
    on_each(&gpu_matrix(), |h| {
        let increment = shader(h, "increment");
        for round in 0..6 {
            let (ids, view) = list(h, 4);
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&increment);
                cx.cs_set_unordered_access_views(1, &view);
                cx.dispatch(1, 1, 1);
            });
            if round % 2 == 0 {
                assert_eq!(sorted(read(h, &ids)), [0, 1, 2, 3], "{round}");
            }
            assert_eq!(count(h, &view), 4, "{round}");
        }
    });
}
