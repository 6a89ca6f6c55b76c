//! Checks of behaviour that is different in browsers: devices are created asynchronously, no call may wait,
//! and there is only one thread. The same checks also run on desktops, although some calls may wait there.
//!
//! `cargo xtask web --test` opens this program in Chromium, so that the page shows [`PASSED`] or the failure.

use onze::prelude::*;
use onze::{Error, create_device_async};

/// The text that is shown when all checks have passed.
const PASSED: &str = "all checks passed";

/// Whether calls may wait for the GPU.
const CAN_WAIT: bool = cfg!(not(target_arch = "wasm32"));

const SHADER: &str = "
    @group(0) @binding(0) var<uniform> color: vec4f;
    @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(array(vec2f(-1.0, 1.0), vec2f(3.0, 1.0), vec2f(-1.0, -3.0))[i], 0.0, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4f { return color; }

    @group(1) @binding(0) var<storage, read> numbers: array<u32>;
    @group(3) @binding(0) var<storage, read_write> squares: array<u32>;
    @compute @workgroup_size(64) fn cs_main(@builtin(global_invocation_id) id: vec3u) {
        squares[id.x] = numbers[id.x] * numbers[id.x];
    }";

/// HLSL with a derivative in non-uniform control flow, which Direct3D allows and WGSL rejects.
const HLSL: &str = "
    float4 vs_main(uint i : SV_VertexID) : SV_Position {
        return float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0, 1);
    }
    float4 ps_main(float4 position : SV_Position) : SV_Target {
        if (position.x < 4)
            return float4(1, 0, 0, 1);
        return float4(0, ddx(position.x), 0, 1);
    }";

const EXTENT: u32 = 8;

/// The result of a check, with an error that describes the failure.
type Checked = Result<(), Box<dyn std::error::Error>>;

macro_rules! check {
    ($condition:expr, $($words:tt)+) => {
        if !$condition {
            return Err(format!($($words)+).into());
        }
    };
}

async fn run() -> Checked {
    let (device, mut context) = create_device_async(&DeviceDesc::default()).await?;
    draws_from_command_lists(&device, &mut context).await?;
    takes_derivatives_in_branches(&device, &mut context).await?;
    computes_and_reads(&device, &mut context).await?;
    waits_nowhere(&device, &mut context).await?;
    answers_queries_later(&device, &mut context).await?;
    Ok(device.get_device_removed_reason()?)
}

/// Records a list that draws a red left half and a list that draws a green right half, and executes both
/// twice.
async fn draws_from_command_lists(device: &Device, context: &mut ImmediateContext) -> Checked {
    let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
    let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
    let target = device.create_render_target(Format::R8G8B8A8_UNORM, EXTENT, EXTENT)?;
    let half = EXTENT as f32 / 2.0;
    let mut lists = Vec::new();
    for (left, color) in [(0.0, [1.0_f32, 0.0, 0.0, 1.0]), (half, [0.0, 1.0, 0.0, 1.0])] {
        let constants = device.create_constant_buffer(&color)?;
        let mut deferred = device.create_deferred_context()?;
        deferred.om_set_render_targets(&target.render_target_view, None);
        deferred.rs_set_viewports(Viewport {
            top_left_x: left,
            width: half,
            ..Viewport::sized(0.0, EXTENT as f32)
        });
        deferred.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        deferred.vs_set_shader(&vs);
        deferred.ps_set_shader(&ps);
        deferred.ps_set_constant_buffers(0, &constants);
        deferred.draw(3, 0);
        lists.push(deferred.finish_command_list(false)?);
    }
    for _ in 0..2 {
        context.clear_render_target_view(&target.render_target_view, [0.0, 0.0, 1.0, 1.0]);
        for list in &lists {
            context.execute_command_list(list, true);
        }
        is_red_and_green(context, &target).await?;
    }
    Ok(())
}

/// Checks that the left half of a target is red and the right half is green.
async fn is_red_and_green(context: &mut ImmediateContext, target: &RenderTarget) -> Checked {
    let texels = context.read_texture_2d_async(&target.texture, 0).await?;
    for (n, texel) in texels.chunks_exact(4).enumerate() {
        let is_left = n % (EXTENT as usize) < EXTENT as usize / 2;
        let expected = if is_left { [255, 0, 0, 255] } else { [0, 255, 0, 255] };
        check!(texel == expected, "texel {n} is {texel:?}, not {expected:?}");
    }
    check!(texels.len() == (EXTENT * EXTENT * 4) as usize, "there are {} bytes", texels.len());
    Ok(())
}

/// Draws with an HLSL shader that cannot be written in WGSL, because WGSL rejects derivatives in such
/// branches.
async fn takes_derivatives_in_branches(device: &Device, context: &mut ImmediateContext) -> Checked {
    let vs = device.create_vertex_shader(ShaderSource::hlsl(HLSL, "vs_main"))?;
    let ps = device.create_pixel_shader(ShaderSource::hlsl(HLSL, "ps_main"))?;
    let target = device.create_render_target(Format::R8G8B8A8_UNORM, EXTENT, EXTENT)?;
    context.clear_render_target_view(&target.render_target_view, [0.0, 0.0, 1.0, 1.0]);
    context.om_set_render_targets(&target.render_target_view, None);
    context.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    context.vs_set_shader(&vs);
    context.ps_set_shader(&ps);
    context.draw(3, 0);
    is_red_and_green(context, &target).await
}

/// Dispatches after each of two updates, and reads the results back.
async fn computes_and_reads(device: &Device, context: &mut ImmediateContext) -> Checked {
    let cs = device.create_compute_shader(ShaderSource::wgsl(SHADER, "cs_main"))?;
    let structured = |flags| device.create_buffer(&BufferDesc::structured(4, 64, flags), None);
    let numbers = structured(BindFlags::SHADER_RESOURCE)?;
    let squares = structured(BindFlags::UNORDERED_ACCESS)?;
    let (read, write) = (numbers.create_shader_resource_view()?, squares.create_unordered_access_view()?);
    for first in [1, 1000] {
        let values: Vec<u32> = (first..first + 64).collect();
        context.update(&numbers, values.as_slice())?;
        context.cs_set_shader(&cs);
        context.cs_set_shader_resources(0, &read);
        context.cs_set_unordered_access_views(0, &write);
        context.dispatch(1, 1, 1);
        let squared: Vec<u32> = context.read_buffer_async(&squares).await?;
        let expected: Vec<u32> = values.iter().map(|value| value * value).collect();
        check!(squared == expected, "the squares are {squared:?}");
    }
    Ok(())
}

/// Checks that, in a browser, a blocking map fails and the error of a blocking read names the asynchronous
/// form, but that both calls succeed on a desktop.
async fn waits_nowhere(device: &Device, context: &mut ImmediateContext) -> Checked {
    let source = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[7.0_f32; 64])?;
    let staging = device.create_buffer(&BufferDesc::staging(256, CpuAccessFlags::READ), None)?;
    context.copy_resource(&staging, &source);
    let read = context.read_buffer::<f32>(&source);
    if CAN_WAIT {
        check!(read? == [7.0; 64], "the buffer has other numbers");
        check!(context.map(&staging, 0, MapType::Read)?.len() >= 256, "the map has another size");
        return Ok(());
    }
    let refused = read.map_or_else(|error| error.to_string(), |_| "nothing".to_owned());
    check!(refused.contains("asynchronous form"), "`read_buffer` says: {refused}");
    let mapped = context.map(&staging, 0, MapType::Read).map(drop);
    check!(mapped == Err(Error::WasStillDrawing), "a map right after the copy says {mapped:?}");
    // This returns control to the browser, so that the copy can finish.
    let read: Vec<f32> = context.read_buffer_async(&source).await?;
    check!(read == [7.0; 64], "the buffer has {read:?}");
    let mapped = context.map(&staging, 0, MapType::Read)?;
    check!(mapped[..256] == *[7.0_f32; 64].map(f32::to_le_bytes).as_flattened(), "the map has other bytes");
    Ok(())
}

/// Checks that an event is complete once later work has completed.
async fn answers_queries_later(device: &Device, context: &mut ImmediateContext) -> Checked {
    let event = device.create_query(QueryType::Event)?;
    context.end(&event);
    let buffer = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[1_u32, 2, 3])?;
    let read: Vec<u32> = context.read_buffer_async(&buffer).await?;
    check!(read == [1, 2, 3], "the buffer has {read:?}");
    let data = context.get_data(&event, true)?;
    check!(data == Some(QueryData::Event(true)), "the event says {data:?}");
    Ok(())
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> Checked {
    pollster::block_on(run())?;
    println!("{PASSED}");
    Ok(())
}

#[cfg(target_arch = "wasm32")]
fn main() {
    std::panic::set_hook(Box::new(console_error_panic_hook::hook));
    wasm_bindgen_futures::spawn_local(async {
        let found = run().await;
        let body =
            web_sys::window().and_then(|window| window.document()).and_then(|document| document.body());
        if let Some(body) = body {
            let text = found.map_or_else(|wrong| wrong.to_string(), |()| PASSED.to_owned());
            body.set_text_content(Some(&text));
        }
    });
}
