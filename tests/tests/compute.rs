//! Compute shaders: dispatches that read constants, views and samplers and write structured buffers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "compute/clears.rs"]
mod clears;
#[path = "compute/sizes.rs"]
mod sizes;

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Quad, Target, gpu_matrix, matrix, on_each};

const COUNT: u32 = 64;

/// Several compute shaders. `main` computes `scale * input + offset`, adds the red of a texel, and writes the
/// sum to each element.
const SHADER: &str = "
    struct Constants { scale: u32, offset: u32, wide: vec4u }
    @group(0) @binding(1) var<uniform> constants: Constants;
    @group(1) @binding(2) var<storage> input: array<u32>;
    @group(1) @binding(3) var image: texture_2d<f32>;
    @group(2) @binding(4) var point: sampler;
    @group(3) @binding(5) var<storage, read_write> output: array<u32>;

    @compute @workgroup_size(16)
    fn main(@builtin(global_invocation_id) id: vec3u) {
        let red = textureSampleLevel(image, point, vec2f(0.5), 0.0).r;
        output[id.x] = constants.scale * input[id.x] + constants.offset + u32(red * 255.0);
    }

    @compute @workgroup_size(16)
    fn double(@builtin(global_invocation_id) id: vec3u) {
        output[id.x] = 2u * output[id.x];
    }

    @compute @workgroup_size(16)
    fn count(@builtin(global_invocation_id) id: vec3u) {
        output[id.x] = id.x + 1u;
    }

    @compute @workgroup_size(1)
    fn groups(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
        let at = (id.z * count.y + id.y) * count.x + id.x;
        output[at] = id.x | id.y << 8u | id.z << 16u;
    }";

fn shader(h: &Harness, entry_point: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

fn buffer(h: &Harness, contents: &[u32]) -> Buffer {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let desc = BufferDesc::structured(4, contents.len() as u32, flags).label("numbers");
    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(contents))).unwrap()
}

fn uav(h: &Harness, buffer: &Buffer) -> UnorderedAccessView {
    h.device.create_unordered_access_view(buffer, None).unwrap()
}

fn srv(h: &Harness, buffer: &Buffer) -> ShaderResourceView {
    h.device.create_shader_resource_view(buffer, None).unwrap()
}

fn uav_of(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::buffer(first, count);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

fn read(h: &mut Harness, buffer: &Buffer) -> Vec<u32> {
    h.immediate.read_buffer(buffer).unwrap()
}

fn zeros(h: &Harness) -> Buffer {
    buffer(h, &[0; COUNT as usize])
}

fn numbers() -> Vec<u32> {
    (0..COUNT).map(|n| n * n).collect()
}

/// Returns the computed values for the wgpu driver, or zeros for the null driver, because it does not
/// compute.
fn expected(h: &Harness, computed: impl Fn(u32) -> u32) -> Vec<u32> {
    if h.draws() { (0..COUNT).map(computed).collect() } else { vec![0; COUNT as usize] }
}

#[test]
fn a_dispatch_reads_and_writes_all_it_binds() {
    on_each(&matrix(), |h| {
        let main = shader(h, "main");
        let input = buffer(h, &numbers());
        let input = srv(h, &input);
        let constants = [3_u32, 7, 0, 0, 0, 0, 0, 0];
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &constants).unwrap();
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8_UNORM, 1, 1) };
        let texel = SubresourceData { bytes: &[100], row_pitch: 1, depth_pitch: 0 };
        let image = h.device.create_texture_2d(&desc, Some(&[texel])).unwrap();
        let image = h.device.create_shader_resource_view(&image, None).unwrap();
        let sampler = h.device.create_sampler_state(&SamplerDesc::default()).unwrap();
        for how in CommandPath::ALL {
            let output = zeros(h);
            let view = uav(h, &output);
            h.record(how, |cx| {
                cx.cs_set_shader(&main);
                cx.cs_set_constant_buffers(1, &constants);
                cx.cs_set_shader_resources(2, [&input, &image]);
                cx.cs_set_samplers(4, &sampler);
                cx.cs_set_unordered_access_views(5, &view);
                cx.dispatch(COUNT / 16, 1, 1);
            });
            assert_eq!(read(h, &output), expected(h, |n| 3 * n * n + 107), "{how:?}");
        }
    });
}

#[test]
fn dispatches_see_the_writes_of_earlier_dispatches() {
    on_each(&gpu_matrix(), |h| {
        let (count, double) = (shader(h, "count"), shader(h, "double"));
        for how in CommandPath::ALL {
            let output = zeros(h);
            let (view, copy) = (uav(h, &output), zeros(h));
            h.record(how, |cx| {
                cx.cs_set_unordered_access_views(5, &view);
                cx.cs_set_shader(&count);
                cx.dispatch(COUNT / 16, 1, 1);
                cx.cs_set_shader(&double);
                cx.dispatch(COUNT / 16, 1, 1);
                cx.copy_resource(&copy, &output);
                cx.dispatch(1, 1, 1);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(read(h, &copy), expected(h, |n| 2 * (n + 1)), "{how:?}, in between");
            let doubled = |n| 2 * (n + 1) * if n < 16 { 4 } else { 1 };
            assert_eq!(read(h, &output), expected(h, doubled), "{how:?}");
        }
    });
}

/// A command buffer ends at a flush or after enough draws, but the bindings of the context remain.
#[test]
fn unordered_access_views_stay_bound_in_the_next_command_buffer() {
    on_each(&gpu_matrix(), |h| {
        let (count, output) = (shader(h, "count"), zeros(h));
        let (double, view, target) = (shader(h, "double"), uav(h, &output), Target::new(&h.device, 4, 4));
        let quad = Quad::new(&h.device);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.cs_set_unordered_access_views(5, &view);
                cx.cs_set_shader(&count);
                target.bind(cx);
                (0..600).for_each(|_| quad.draw(cx, [1.0; 4]));
                cx.dispatch(COUNT / 16, 1, 1);
            });
            assert_eq!(read(h, &output), expected(h, |n| n + 1), "{how:?}");
        }
        h.immediate.cs_set_unordered_access_views(5, &view);
        h.immediate.cs_set_shader(&double);
        h.immediate.flush();
        h.immediate.dispatch(COUNT / 16, 1, 1);
        assert_eq!(read(h, &output), expected(h, |n| 2 * (n + 1)), "after a flush");
        h.immediate.clear_state();
    });
}

#[test]
fn groups_are_counted_in_three_dimensions() {
    on_each(&gpu_matrix(), |h| {
        let (groups, output) = (shader(h, "groups"), zeros(h));
        let view = uav(h, &output);
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&groups);
            cx.cs_set_unordered_access_views(5, &view);
            cx.dispatch(4, 3, 5);
            cx.dispatch(0, 3, 5);
            cx.dispatch(4, 0, 5);
            cx.dispatch(4, 3, 0);
        });
        let found = |n| if n < 60 { (n % 4) | ((n / 4 % 3) << 8) | ((n / 12) << 16) } else { 0 };
        assert_eq!(read(h, &output), expected(h, found));
    });
}

#[test]
fn each_binding_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet, MessageId::DrawShaderResourceNotSet]);
        let (count, double) = (shader(h, "count"), shader(h, "double"));
        let main = shader(h, "main");
        let constants = |scale: u32, offset: u32| {
            let block = [scale, offset, 0, 0, 0, 0, 0, 0];
            h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &block).unwrap()
        };
        let (one, other) = (constants(1, 0), constants(0, 5));
        let (ones, twos) = (buffer(h, &[1; COUNT as usize]), buffer(h, &[2; COUNT as usize]));
        let inputs = [srv(h, &ones), srv(h, &twos)];
        let outputs: Vec<_> = (0..5).map(|_| zeros(h)).collect();
        let views: Vec<_> = outputs.iter().map(|output| uav(h, output)).collect();
        h.record(CommandPath::Deferred, |cx| {
            cx.cs_set_shader(&main);
            cx.cs_set_constant_buffers(1, &one);
            cx.cs_set_shader_resources(2, &inputs[0]);
            cx.cs_set_unordered_access_views(5, &views[0]);
            cx.dispatch(COUNT / 16, 1, 1);
            cx.cs_set_unordered_access_views(5, &views[1]);
            cx.dispatch(COUNT / 16, 1, 1);
            cx.cs_set_shader_resources(2, &inputs[1]);
            cx.cs_set_unordered_access_views(5, &views[2]);
            cx.dispatch(COUNT / 16, 1, 1);
            cx.cs_set_constant_buffers(1, &other);
            cx.dispatch(1, 1, 1);
            cx.cs_set_unordered_access_views(5, &views[3]);
            cx.dispatch(COUNT / 16, 1, 1);
            cx.cs_set_shader(&count);
            cx.cs_set_unordered_access_views(5, &views[4]);
            cx.dispatch(COUNT / 16, 1, 1);
            cx.cs_set_shader(&double);
            cx.dispatch(COUNT / 16, 1, 1);
        });
        let found: Vec<_> = outputs.iter().map(|output| read(h, output)).collect();
        assert_eq!(found[0], expected(h, |_| 1));
        assert_eq!(found[1], expected(h, |_| 1), "another output");
        assert_eq!(found[2], expected(h, |n| if n < 16 { 5 } else { 2 }), "other input, other constants");
        assert_eq!(found[3], expected(h, |_| 5), "another output");
        assert_eq!(found[4], expected(h, |n| 2 * (n + 1)), "other shaders");
    });
}

/// wgpu requires an aligned offset and at least the size of the shader's type, but Direct3D 11 views need
/// neither.
#[test]
fn a_view_may_begin_anywhere_and_be_short() {
    on_each(&gpu_matrix(), |h| {
        let count = shader(h, "count");
        let whole = "
            @group(3) @binding(5) var<storage, read_write> output: array<u32, 64>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_id) id: vec3u) {
                output[id.x] = output[id.x] + 100u;
            }";
        let whole = h.device.create_compute_shader(ShaderSource::wgsl(whole, "main")).unwrap();
        for (first, length) in [(0, 64), (1, 16), (3, 7), (17, 32), (63, 1)] {
            let output = buffer(h, &[9; COUNT as usize]);
            let view = uav_of(h, &output, first, length);
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&count);
                cx.cs_set_unordered_access_views(5, &view);
                cx.dispatch(COUNT / 16, 1, 1);
                cx.cs_set_shader(&whole);
                cx.dispatch(1, 1, 1);
            });
            let inside = |n: u32| n.checked_sub(first).filter(|n| *n < length);
            let found = read(h, &output);
            for (n, found) in (0..).zip(found) {
                let expected = inside(n).map_or(9, |n| n + 101);
                assert_eq!(found, expected, "element {n} of {first} + {length}");
            }
        }
    });
}

#[test]
fn the_first_element_of_a_view_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        let count = shader(h, "count");
        for how in CommandPath::ALL {
            let output = buffer(h, &[0; 2 * COUNT as usize]);
            let views = [0, COUNT].map(|first| uav_of(h, &output, first, COUNT));
            h.record(how, |cx| {
                cx.cs_set_shader(&count);
                for view in &views {
                    cx.cs_set_unordered_access_views(5, view);
                    cx.dispatch(COUNT / 16, 1, 1);
                }
            });
            let expected: Vec<_> = (0..2 * COUNT).map(|n| n % COUNT + 1).collect();
            assert_eq!(read(h, &output), expected, "{how:?}");
        }
    });
}

/// Each discard gives a dynamic buffer new memory, and the bound view must show the new contents.
#[test]
fn a_view_shows_the_contents_after_a_discard() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet, MessageId::DrawShaderResourceNotSet]);
        let main = shader(h, "main");
        let desc = BufferDesc {
            misc_flags: MiscFlags::BUFFER_STRUCTURED,
            structure_byte_stride: 4,
            ..BufferDesc::dynamic(4 * COUNT, BindFlags::SHADER_RESOURCE)
        };
        let input = h.device.create_buffer(&desc, None).unwrap();
        let seen = srv(h, &input);
        let block = [1_u32, 0, 0, 0, 0, 0, 0, 0];
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &block).unwrap();
        let fill = |cx: &mut DeviceContext, value: u32| {
            cx.map(&input, 0, MapType::WriteDiscard).unwrap().write(0, &[value; COUNT as usize]);
        };
        for how in CommandPath::ALL {
            let outputs: Vec<_> = (0..3).map(|_| zeros(h)).collect();
            let views: Vec<_> = outputs.iter().map(|output| uav(h, output)).collect();
            h.record(how, |cx| {
                cx.cs_set_shader(&main);
                cx.cs_set_constant_buffers(1, &constants);
                fill(cx, 10);
                cx.cs_set_shader_resources(2, &seen);
                for (n, view) in (11..).zip(&views) {
                    cx.cs_set_unordered_access_views(5, view);
                    cx.dispatch(COUNT / 16, 1, 1);
                    fill(cx, n);
                }
            });
            for (n, output) in (10..).zip(&outputs) {
                assert_eq!(read(h, output), expected(h, |_| n), "{how:?}");
            }
        }
        // A list that does not discard the buffer reads its contents at the time of execution.
        let output = zeros(h);
        let view = uav(h, &output);
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.cs_set_shader(&main);
        deferred.cs_set_constant_buffers(1, &constants);
        deferred.cs_set_shader_resources(2, &seen);
        deferred.cs_set_unordered_access_views(5, &view);
        deferred.dispatch(COUNT / 16, 1, 1);
        let list = deferred.finish_command_list(false).unwrap();
        for n in 20..24 {
            fill(&mut h.immediate, n);
            h.immediate.execute_command_list(&list, false);
            assert_eq!(read(h, &output), expected(h, |_| n), "a list");
        }
    });
}

#[test]
fn a_draw_reads_what_a_dispatch_wrote() {
    on_each(&gpu_matrix(), |h| {
        let count = shader(h, "count");
        let text = "
            @group(1) @binding(0) var<storage> numbers: array<u32>;
            @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
            }
            @fragment fn ps(@builtin(position) at: vec4f) -> @location(0) vec4f {
                return vec4f(f32(numbers[u32(at.x) + 8u * u32(at.y)]) / 255.0, 0.0, 0.0, 1.0);
            }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8);
        for how in CommandPath::ALL {
            let target = h.device.create_texture_2d(&desc, None).unwrap();
            let rtv = h.device.create_render_target_view(&target, None).unwrap();
            let numbers = zeros(h);
            let (written, seen) = (uav(h, &numbers), srv(h, &numbers));
            h.record(how, |cx| {
                cx.om_set_render_targets(&rtv, None);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.cs_set_shader(&count);
                cx.cs_set_unordered_access_views(5, &written);
                cx.dispatch(COUNT / 16, 1, 1);
                cx.cs_set_unordered_access_views(5, None);
                cx.ps_set_shader_resources(0, &seen);
                cx.draw(3, 0);
            });
            let texels = h.read_u32(&target, 0);
            let found: Vec<_> = texels.iter().map(|texel| texel & 0xff).collect();
            assert_eq!(found, expected(h, |n| n + 1), "{how:?}");
        }
    });
}

/// The target is unbound before the dispatch, but only draws resolve the bound targets.
#[test]
fn a_dispatch_reads_the_target_of_the_last_draw() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            @group(1) @binding(3) var image: texture_2d<f32>;
            @group(3) @binding(5) var<storage, read_write> numbers: array<u32>;
            @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
                numbers[id.x + 8u * id.y] = u32(round(255.0 * textureLoad(image, id.xy, 0).x));
            }";
        let copy = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        let seen = h.device.create_shader_resource_view(&target.texture, None).unwrap();
        for how in CommandPath::ALL {
            let numbers = buffer(h, &[0; 64]);
            let written = uav(h, &numbers);
            h.record(how, |cx| {
                target.bind(cx);
                quad.draw(cx, [1.0, 0.0, 0.0, 1.0]);
                cx.om_set_render_targets(None::<&RenderTargetView>, None);
                cx.cs_set_shader(&copy);
                cx.cs_set_shader_resources(3, &seen);
                cx.cs_set_unordered_access_views(5, &written);
                cx.dispatch(1, 1, 1);
                cx.cs_set_shader_resources(3, None);
            });
            assert_eq!(read(h, &numbers), [255; 64], "{how:?}");
        }
    });
}

#[test]
fn invalid_dispatches_report_the_reason() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (count, output) = (shader(h, "count"), zeros(h));
        let view = uav(h, &output);
        h.immediate.dispatch(1, 1, 1);
        h.assert_reported(MessageId::DispatchNoComputeShader);
        h.immediate.cs_set_shader(&count);
        h.immediate.dispatch(1, 1, 1);
        h.assert_reported(MessageId::DispatchUnorderedAccessNotSet);
        h.immediate.dispatch(1, 65_536, 1);
        h.assert_reported(MessageId::DispatchTooLarge);
        h.immediate.cs_set_unordered_access_views(8, &view);
        h.assert_reported(MessageId::SetUnorderedAccessViewsInvalid);
        h.immediate.cs_set_unordered_access_views(3, [&view, &view]);
        h.assert_reported(MessageId::SetUnorderedAccessViewsInvalid);
        assert_eq!(h.immediate.cs_get_unordered_access_views(0, 8), vec![None; 8]);
        h.immediate.cs_set_unordered_access_views(5, &view);
        h.immediate.dispatch(4, 1, 1);
        h.assert_silent();
        assert_eq!(h.immediate.cs_get_unordered_access_views(4, 9), [None, Some(view), None, None]);
        assert_eq!(h.immediate.cs_get_shader(), Some(count));
    });
}

#[test]
fn outputs_and_inputs_of_one_buffer_exclude_each_other() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (numbers, other) = (zeros(h), zeros(h));
        let (seen, halves) = (srv(h, &numbers), [uav_of(h, &numbers, 0, 32), uav_of(h, &numbers, 32, 32)]);
        let cx = &mut h.immediate;
        // Binding a buffer as an output unbinds it as an input of every stage.
        cx.vs_set_shader_resources(3, &seen);
        cx.cs_set_shader_resources(4, &seen);
        cx.cs_set_unordered_access_views(0, &halves[0]);
        h.assert_reported(MessageId::SetUnorderedAccessViewsHazard);
        assert_eq!(h.immediate.vs_get_shader_resources(3, 1), [None]);
        assert_eq!(h.immediate.cs_get_shader_resources(4, 1), [None]);
        // A buffer that is bound as an output cannot be bound as an input of any stage.
        h.immediate.ps_set_shader_resources(1, &seen);
        h.assert_reported(MessageId::SetShaderResourcesHazard);
        assert_eq!(h.immediate.ps_get_shader_resources(1, 1), [None]);
        // A view of the other half does not conflict, but a view of a part of the first half unbinds the
        // first half's view.
        h.immediate.cs_set_unordered_access_views(1, &halves[1]);
        h.assert_silent();
        let same = uav_of(h, &numbers, 8, 4);
        h.immediate.cs_set_unordered_access_views(2, &same);
        h.assert_reported(MessageId::SetUnorderedAccessViewsHazard);
        let bound = h.immediate.cs_get_unordered_access_views(0, 4);
        assert_eq!(bound, [None, Some(halves[1].clone()), Some(same), None]);
        // A view of another buffer does not conflict.
        let seen = srv(h, &other);
        h.immediate.cs_set_shader_resources(0, &seen);
        assert_eq!(h.immediate.cs_get_shader_resources(0, 1), [Some(seen)]);
        h.assert_silent();
    });
}

#[test]
fn stages_of_tessellation_need_their_feature() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let source = ShaderSource::wgsl(SHADER, "main");
        let refused = [
            ("hull", h.device.create_hull_shader(source).unwrap_err()),
            ("domain", h.device.create_domain_shader(source).unwrap_err()),
        ];
        for (stage, refused) in refused {
            // A device with the feature refuses the source, because WGSL has no such stages.
            let is_right = match &refused {
                onze::Error::Unsupported(text) => {
                    text.contains("TESSELLATION") && !h.has_feature(Features::TESSELLATION)
                }
                other => other.to_string().contains(&format!("`ShaderSource::wgsl_{stage}`")),
            };
            assert!(is_right, "{refused}");
        }
        h.take_errors();
        // Contexts have slots for these stages, even if no shader of these stages can be created.
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[0_u32; 4]).unwrap();
        h.immediate.hs_set_constant_buffers(2, &constants);
        h.immediate.gs_set_constant_buffers(3, &constants);
        assert_eq!(h.immediate.hs_get_constant_buffers(2, 1), [Some(constants.clone())]);
        assert_eq!(h.immediate.ds_get_constant_buffers(2, 1), [None]);
        h.immediate.clear_state();
        assert_eq!(h.immediate.gs_get_constant_buffers(3, 1), [None]);
    });
}

#[test]
fn a_dispatch_with_a_mapped_buffer_is_skipped() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = BufferDesc {
            misc_flags: MiscFlags::BUFFER_STRUCTURED,
            structure_byte_stride: 4,
            ..BufferDesc::dynamic(64, BindFlags::SHADER_RESOURCE)
        };
        let input = h.device.create_buffer(&desc, None).unwrap();
        let (count, seen) = (shader(h, "count"), srv(h, &input));
        let output = zeros(h);
        let view = uav(h, &output);
        let cx = &mut h.immediate;
        cx.cs_set_shader(&count);
        cx.cs_set_shader_resources(0, &seen);
        cx.cs_set_unordered_access_views(5, &view);
        let token = cx.map_owned(&input, 0, MapType::WriteDiscard).unwrap();
        cx.dispatch(1, 1, 1);
        h.assert_reported(MessageId::DispatchMapped);
        h.immediate.unmap(token);
        h.immediate.dispatch(1, 1, 1);
        h.assert_silent();
    });
}
