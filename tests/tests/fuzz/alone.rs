//! Sequences of commands without reads in between: draws with exactly one change between them, consecutive
//! clears, and repeated execution of a list.

use onze::*;
use onze_tests::Random;

use crate::{
    commands::{DrawCall, ready},
    world::{World, any, bindable, maybe, number, odd},
};

pub(crate) fn commands(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    match r.below(8) {
        0..5 => {
            ready(w, r, cx);
            if !r.one_in(3) {
                plain(w, r, cx);
            }
            draws(w, r, cx);
        }
        5 | 6 => clears(w, r, cx),
        _ => executions(w, r, cx),
    }
}

fn plain(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let topology = *r.pick(&[PrimitiveTopology::TriangleList, PrimitiveTopology::TriangleStrip]);
    if cx.hs_get_shader().is_none() {
        cx.ia_set_primitive_topology(topology);
    }
    cx.rs_set_state(w.uncut.as_ref());
    if !r.one_in(3) {
        cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
    }
    if !r.one_in(3) {
        let (colors, _) = cx.om_get_render_targets();
        let colors: Vec<_> = colors.iter().map(Option::as_ref).collect();
        cx.om_set_render_targets(&colors[..], None);
    }
}

fn draws(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let call = if r.one_in(4) { DrawCall::new(r) } else { DrawCall::usual(r) };
    // Occasionally makes as many draws as a list keeps in a bundle.
    let times = if r.one_in(4) { 18 } else { 1 + r.below(2) };
    w.say(format_args!("{times} times {call:?}"));
    (0..times).for_each(|_| call.make(cx));
    for _ in 0..1 + r.below(4) {
        change(w, r, cx);
        (0..times).for_each(|_| call.make(cx));
    }
}

fn change(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    match r.below(8) {
        0 => vertex_buffer(w, r, cx),
        1 => index_buffer(w, r, cx),
        2 => constants(w, r, cx),
        3 => discard_bound(w, r, cx),
        4 => area(w, r, cx),
        5 => output(w, r, cx),
        6 => state(w, r, cx),
        _ => shader_input(w, r, cx),
    }
}

fn other(w: &World, r: &mut Random, bind: BindFlags) -> Option<Buffer> {
    let buffers = bindable(r, &w.buffers, bind);
    any(r, &buffers).cloned()
}

fn vertex_buffer(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let slot = r.below(3);
    let Some((Some(mut buffer), mut stride, mut offset)) = cx.ia_get_vertex_buffers(slot, 1).pop() else {
        return;
    };
    match r.below(3) {
        0 => stride = *r.pick(&[0, 4, 8, 12, 16, 24, 32, 36, 64]),
        1 => offset = 4 * r.below(8),
        _ => buffer = other(w, r, BindFlags::VERTEX_BUFFER).unwrap_or(buffer),
    }
    w.say(format_args!("alone: vertex buffer {slot}, stride {stride}, offset {offset}"));
    cx.ia_set_vertex_buffers(slot, VertexBufferBinding { buffer: &buffer, stride, offset });
}

fn index_buffer(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let (Some(mut buffer), mut format, mut offset) = cx.ia_get_index_buffer() else { return };
    match r.below(3) {
        0 if format == Format::R16_UINT => format = Format::R32_UINT,
        0 => format = Format::R16_UINT,
        1 => offset = 4 * r.below(5),
        _ => buffer = other(w, r, BindFlags::INDEX_BUFFER).unwrap_or(buffer),
    }
    w.say(format_args!("alone: index buffer, {format:?}, offset {offset}"));
    cx.ia_set_index_buffer(&buffer, format, offset);
}

/// Changes the range of a bound constant buffer, or binds another buffer.
fn constants(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let (stage, slot) = (r.below(6), *r.pick(&[0, 3, 13]));
    let bound = match stage {
        0 => cx.hs_get_constant_buffers1(1, 1),
        1 => cx.ds_get_constant_buffers1(1, 1),
        2 | 3 => cx.vs_get_constant_buffers1(slot, 1),
        _ => cx.ps_get_constant_buffers1(slot, 1),
    };
    let (Some(Some(mut buffer)), Some(mut range)) = (bound.0.into_iter().next(), bound.1.into_iter().next())
    else {
        return;
    };
    match r.below(3) {
        0 => range.first_constant = 16 * r.below(4),
        1 => range.num_constants = 16 * r.below(5),
        _ => buffer = other(w, r, BindFlags::CONSTANT_BUFFER).unwrap_or(buffer),
    }
    w.say(format_args!("alone: constants {slot}, {range:?}"));
    match stage {
        0 => cx.hs_set_constant_buffers1(1, &buffer, &[range]),
        1 => cx.ds_set_constant_buffers1(1, &buffer, &[range]),
        2 | 3 => cx.vs_set_constant_buffers1(slot, &buffer, &[range]),
        _ => cx.ps_set_constant_buffers1(slot, &buffer, &[range]),
    }
}

fn discard_bound(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let mut bound: Vec<Buffer> = cx.ia_get_vertex_buffers(0, 3).into_iter().filter_map(|(b, ..)| b).collect();
    bound.extend(cx.ia_get_index_buffer().0);
    bound.extend(cx.vs_get_constant_buffers(0, 4).into_iter().flatten());
    bound.extend(cx.hs_get_constant_buffers(1, 1).into_iter().flatten());
    bound.extend(cx.ds_get_constant_buffers(1, 1).into_iter().flatten());
    bound.extend(cx.ps_get_constant_buffers(0, 14).into_iter().flatten());
    bound.retain(|buffer| buffer.desc().usage == Usage::Dynamic);
    if let Some(buffer) = any(r, &bound) {
        w.say(format_args!("alone: discard {:?}", buffer.desc()));
        discard(r, cx, buffer);
    }
}

pub(crate) fn discard_any(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let dynamic: Vec<_> = w.buffers.iter().filter(|b| b.desc().usage == Usage::Dynamic).collect();
    if let Some(buffer) = any(r, &dynamic) {
        w.say(format_args!("alone: discard {:?}", buffer.desc()));
        discard(r, cx, buffer);
    }
}

/// Replaces the contents of a buffer with small numbers or small indices.
fn discard(r: &mut Random, cx: &mut DeviceContext, buffer: &Buffer) {
    let is_index = buffer.desc().bind_flags.contains(BindFlags::INDEX_BUFFER);
    let first = r.below(8) as usize;
    let value = (r.below(200) as f32 / 100.0 - 1.0).to_le_bytes();
    let Ok(mut mapped) = cx.map(buffer, 0, MapType::WriteDiscard) else { return };
    for (at, byte) in mapped.iter_mut().enumerate() {
        *byte = match at % 4 {
            0 if is_index => ((first + at / 4) % 8) as u8,
            _ if is_index => 0,
            n => value[n],
        };
    }
}

/// Changes one field of the viewport or the scissor rectangle.
fn area(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let Some(mut viewport) = cx.rs_get_viewports().first().copied() else { return };
    let mut rect =
        cx.rs_get_scissor_rects().first().copied().unwrap_or(Rect { left: 0, top: 0, right: 16, bottom: 16 });
    match r.below(8) {
        0 => viewport.top_left_x = r.below(8) as f32,
        1 => viewport.top_left_y = r.below(8) as f32,
        2 => viewport.width = r.below(17) as f32,
        3 => viewport.height = r.below(17) as f32,
        4 => viewport.max_depth = *r.pick(&[0.25, 0.5, 1.0]),
        5 => rect.left = r.below(8) as i32,
        6 => rect.bottom = r.below(17) as i32,
        _ => rect.right = r.below(17) as i32,
    }
    viewport.min_depth = viewport.min_depth.min(viewport.max_depth);
    w.say(format_args!("alone: {viewport:?} {rect:?}"));
    cx.rs_set_viewports(viewport);
    cx.rs_set_scissor_rects(rect);
}

/// Changes a target or the state that controls writes to targets.
fn output(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let (mut colors, mut depth) = cx.om_get_render_targets();
    let (blend, mut factor, mut mask) = cx.om_get_blend_state();
    let (state, _) = cx.om_get_depth_stencil_state();
    match r.below(5) {
        0 => depth = maybe(r, &w.depths).cloned(),
        1 => {
            let at = r.below(2) as usize;
            if let Some(place) = colors.get_mut(at) {
                *place = maybe(r, &w.targets).cloned();
            }
        }
        2 => factor[r.below(4) as usize] = r.below(5) as f32 / 4.0,
        3 => mask = *r.pick(&[0, 1, u32::MAX]),
        _ => {
            let stencil_ref = odd(r, 1000);
            w.say(format_args!("alone: stencil reference {stencil_ref}"));
            return cx.om_set_depth_stencil_state(state.as_ref(), stencil_ref);
        }
    }
    w.say(format_args!(
        "alone: targets, depth {:?}, {factor:?}, {mask:#x}",
        depth.as_ref().and_then(|d| d.desc())
    ));
    cx.om_set_blend_state(blend.as_ref(), factor, mask);
    let colors: Vec<_> = colors.iter().map(Option::as_ref).collect();
    cx.om_set_render_targets(&colors[..], depth.as_ref());
}

fn state(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let (_, factor, mask) = cx.om_get_blend_state();
    let (_, stencil_ref) = cx.om_get_depth_stencil_state();
    w.say(format_args!("alone: a state"));
    use PrimitiveTopology as T;
    match r.below(4) {
        0 => cx.rs_set_state(maybe(r, &w.rasterizers)),
        1 => cx.om_set_blend_state(maybe(r, &w.blends), factor, mask),
        2 => cx.om_set_depth_stencil_state(maybe(r, &w.depth_states), stencil_ref),
        _ => cx.ia_set_primitive_topology(*r.pick(&[T::TriangleList, T::TriangleStrip, T::LineStrip])),
    }
}

fn shader_input(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    w.say(format_args!("alone: a shader, a texture or a sampler"));
    match r.below(6) {
        4 => cx.hs_set_shader_resources(*r.pick(&[1, 2]), maybe(r, &w.resources)),
        5 => cx.ds_set_samplers(0, maybe(r, &w.samplers)),
        0 => cx.ps_set_samplers(r.below(2), maybe(r, &w.samplers)),
        1 => cx.ps_set_shader_resources(r.below(3), maybe(r, &w.resources)),
        2 => cx.ps_set_shader(any(r, &w.pixel)),
        _ => cx.vs_set_shader_resources(*r.pick(&[0, 5]), maybe(r, &w.resources)),
    }
}

/// Clears planes of a depth texture and views of a colour texture in two formats, then draws, usually into
/// the same textures.
fn clears(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    ready(w, r, cx);
    let depth = any(r, &w.depths);
    let twins = any(r, &w.twins);
    for _ in 0..2 + r.below(3) {
        if let Some(view) = depth.filter(|_| r.one_in(2)) {
            let flags = *r.pick(&[ClearFlags::DEPTH, ClearFlags::STENCIL, ClearFlags::all()]);
            let (value, stencil) = (r.below(5) as f32 / 4.0, r.below(4) as u8);
            w.say(format_args!("alone: clear {:?} {flags:?} {value} {stencil}", view.desc()));
            cx.clear_depth_stencil_view(view, flags, value, stencil);
        } else if let Some(views) = twins {
            let view = r.pick(views);
            w.say(format_args!("alone: clear {:?}", view.desc()));
            cx.clear_render_target_view(view, std::array::from_fn(|_| number(r)));
        }
    }
    let color = match twins {
        Some(views) if !r.one_in(3) => Some(r.pick(views)),
        _ => any(r, &w.targets),
    };
    cx.om_set_render_targets(color, depth.filter(|_| !r.one_in(3)));
    // The draws cover only one part, so that the other part shows the clears.
    cx.rs_set_viewports(Viewport::sized(8.0, 16.0));
    draws(w, r, cx);
}

/// Executes a list several times, possibly with discards of a dynamic buffer between executions.
fn executions(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let Some(list) = any(r, &w.lists) else { return };
    for _ in 0..2 + r.below(4) {
        if r.one_in(2) {
            discard_any(w, r, cx);
        }
        w.say(format_args!("alone: execute"));
        cx.execute_command_list(list, r.one_in(2));
    }
}
