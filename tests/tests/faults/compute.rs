//! A scene with dispatches: a clear of a view, dispatches, and a draw that reads their results.

use onze::prelude::*;
use onze_tests::{Backend, Target};

use super::{Reports, Step, drop_objects, end_event, execute_list, finish_list, wait_for_event};

/// Shaders. `add` adds 1 to the first number, 2 to the second number and so on, and the pixel shader writes
/// the number of each column as red.
const SHADER: &str = "
    @group(1) @binding(0) var<storage> numbers: array<u32>;
    @group(3) @binding(0) var<storage, read_write> written: array<u32>;
    @compute @workgroup_size(4)
    fn add(@builtin(global_invocation_id) id: vec3u) { written[id.x] += id.x + 1; }
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
        return vec4f(f32(index >> 1) * 4.0 - 1.0, f32(index & 1) * 4.0 - 1.0, 0.0, 1.0);
    }
    @fragment fn ps_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
        return vec4f(f32(numbers[u32(position.x)]) / 255.0, 0.0, 0.0, 1.0);
    }";

/// Number of elements in the buffer and of columns in the target.
const COUNT: u32 = 8;

const CLEARED: u32 = 10;

#[derive(Clone)]
pub(super) struct Compute {
    numbers: Buffer,
    read: ShaderResourceView,
    write: UnorderedAccessView,
    arguments: Buffer,
    add: ComputeShader,
    vs: VertexShader,
    ps: PixelShader,
}

impl Compute {
    pub(super) fn new(device: &Device) -> Result<Self, onze::Error> {
        let numbers = device.create_buffer(&numbers_desc(), None)?;
        let arguments = BufferDesc {
            misc_flags: MiscFlags::DRAWINDIRECT_ARGS,
            ..BufferDesc::new(12, BindFlags::empty())
        };
        Ok(Self {
            read: numbers.create_shader_resource_view()?,
            write: numbers.create_unordered_access_view()?,
            arguments: device.create_buffer(&arguments, Some(bytemuck::cast_slice(&[1_u32; 3])))?,
            add: device.create_compute_shader(ShaderSource::wgsl(SHADER, "add"))?,
            vs: device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            numbers,
        })
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.cs_set_shader(&self.add);
        cx.cs_set_unordered_access_views(0, &self.write);
    }

    fn draw(&self, cx: &mut DeviceContext) {
        cx.cs_set_unordered_access_views(0, None);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.ia_set_input_layout(None);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ps_set_shader_resources(0, &self.read);
        cx.draw(3, 0);
        cx.ps_set_shader_resources(0, None);
    }

    pub(super) fn run(&self, cx: &mut DeviceContext) {
        cx.clear_unordered_access_view_uint(&self.write, [CLEARED; 4]);
        self.bind(cx);
        cx.dispatch(COUNT / 4, 1, 1);
        cx.dispatch_indirect(&self.arguments, 0);
        self.draw(cx);
    }
}

fn numbers_desc() -> BufferDesc {
    BufferDesc::structured(4, COUNT, BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS)
}

/// Returns the numbers after a clear, a dispatch over all numbers, and a dispatch over the first half.
fn expected(draws: bool) -> Vec<u32> {
    let number = |n: u32| CLEARED + (n + 1) * if n < COUNT / 2 { 2 } else { 1 };
    (0..COUNT).map(|n| if draws { number(n) } else { 0 }).collect()
}

fn first_row(picture: &[u8]) -> Vec<u32> {
    picture.chunks_exact(4).take(COUNT as usize).map(|texel| texel[0].into()).collect()
}

/// Every call that takes part in computing, in the form of [`super::SCENE`].
pub(super) const SCENE: &[Step] = &[
    ("create a structured buffer", Reports::Removed, |w| {
        let buffer = w.device.create_buffer(&numbers_desc(), None);
        w.keep(buffer)
    }),
    ("create an unordered-access view", Reports::Removed, |w| {
        let view = w.device.create_unordered_access_view(&w.compute.numbers, None);
        w.keep(view)
    }),
    ("create a view of a structured buffer", Reports::Removed, |w| {
        let view = w.device.create_shader_resource_view(&w.compute.numbers, None);
        w.keep(view)
    }),
    ("create a compute shader", Reports::Removed, |w| {
        let source = ShaderSource::wgsl("@compute @workgroup_size(1) fn main() {}", "main");
        let shader = w.device.create_compute_shader(source);
        w.keep(shader)
    }),
    ("clear an unordered-access view", Reports::Nothing, |w| {
        w.immediate.clear_unordered_access_view_uint(&w.compute.write, [CLEARED; 4]);
        Ok(())
    }),
    ("bind for dispatches", Reports::Nothing, |w| {
        w.target.bind(&mut w.immediate);
        w.compute.bind(&mut w.immediate);
        Ok(())
    }),
    ("dispatch", Reports::Nothing, |w| {
        w.immediate.dispatch(COUNT / 4, 1, 1);
        Ok(())
    }),
    ("dispatch indirectly", Reports::Nothing, |w| {
        w.immediate.dispatch_indirect(&w.compute.arguments, 0);
        Ok(())
    }),
    ("read what was computed", Reports::Removed, |w| {
        let numbers: Vec<u32> = w.immediate.read_buffer(&w.compute.numbers)?;
        assert_eq!(numbers, expected(w.draws), "immediate");
        Ok(())
    }),
    ("draw what was computed", Reports::Nothing, |w| {
        w.compute.draw(&mut w.immediate);
        Ok(())
    }),
    ("read what was drawn", Reports::Removed, |w| {
        let picture = w.immediate.read_texture_2d(&w.target.texture, 0)?;
        assert_eq!(first_row(&picture), expected(w.draws), "immediate");
        Ok(())
    }),
    ("clear what was computed and drawn", Reports::Nothing, |w| {
        w.immediate.clear_unordered_access_view_uint(&w.compute.write, [77; 4]);
        w.immediate.clear_render_target_view(&w.target.view, [0.0; 4]);
        Ok(())
    }),
    ("record dispatches", Reports::Nothing, |w| {
        let (target, compute) = (w.target.clone(), w.compute.clone());
        let Some(cx) = w.deferred() else { return Ok(()) };
        target.bind(cx);
        compute.run(cx);
        Ok(())
    }),
    ("finish dispatches", Reports::Removed, finish_list),
    ("execute dispatches", Reports::Nothing, execute_list),
    ("end an event after dispatches", Reports::Nothing, end_event),
    ("wait for the dispatches", Reports::Removed, wait_for_event),
    ("read what a list has computed", Reports::Removed, |w| {
        let numbers: Vec<u32> = w.immediate.read_buffer(&w.compute.numbers)?;
        assert_eq!(numbers, expected(w.draws), "a list");
        Ok(())
    }),
    ("drop", Reports::Nothing, drop_objects),
    ("read what a list has drawn", Reports::Removed, |w| {
        let picture = w.immediate.read_texture_2d(&w.target.texture, 0)?;
        assert_eq!(first_row(&picture), expected(w.draws), "a list");
        Ok(())
    }),
];

/// Runs a scene on the immediate context and then in a list, while the test makes its allocations fail.
pub(super) fn allocate_and_run(
    backend: Backend,
    device: &Device,
    cx: &mut ImmediateContext,
) -> Result<(), onze::Error> {
    let expected = expected(backend == Backend::Gpu);
    for is_list in [false, true] {
        let compute = Compute::new(device)?;
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, COUNT, COUNT)?;
        let run = |cx: &mut DeviceContext| {
            cx.om_set_render_targets(&target.render_target_view, None);
            cx.rs_set_viewports(Viewport::sized(COUNT as f32, COUNT as f32));
            compute.run(cx);
        };
        if is_list {
            let mut deferred = device.create_deferred_context()?;
            run(&mut deferred);
            cx.execute_command_list(&deferred.finish_command_list(false)?, false);
        } else {
            run(cx);
            cx.clear_state();
        }
        assert_eq!(cx.read_buffer::<u32>(&compute.numbers)?, expected, "a list: {is_list}");
        let picture = cx.read_texture_2d(&target.texture, 0)?;
        assert_eq!(first_row(&picture), expected, "a list: {is_list}");
    }
    Ok(())
}

pub(super) fn target(device: &Device) -> Target {
    Target::new(device, COUNT, COUNT)
}
