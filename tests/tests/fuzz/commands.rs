//! One random command on an immediate or deferred context.

use onze::*;
use onze_tests::Random;

use crate::{
    alone, compute, geometry, indirect, samples, shapes, streams, tessellation,
    world::{World, any, bindable, maybe, number, odd},
    written,
};

/// Picks one item or several, because setters accept both.
fn several<'a, T>(r: &mut Random, items: &'a [T]) -> Vec<Option<&'a T>> {
    let count = if r.one_in(30) { r.below(140) } else { 1 + r.below(3) };
    (0..count).map(|_| maybe(r, items)).collect()
}

pub(crate) fn command(w: &World, r: &mut Random, cx: &mut DeviceContext, tokens: &mut Vec<MapToken>) {
    match r.below(122) {
        0..26 => bind(w, r, cx),
        26..30 => ready(w, r, cx),
        30..56 => draw(w, r, cx),
        56..62 => alone::commands(w, r, cx),
        62..70 => clear(w, r, cx),
        70..78 => map(w, r, cx),
        78..80 => map_owned(w, r, cx, tokens),
        80..84 => update(w, r, cx),
        84..91 => copy(w, r, cx),
        91..93 => other(r, cx),
        93..96 => query(w, r, cx),
        96..104 => compute::command(w, r, cx),
        104..108 => written::command(w, r, cx),
        108..118 => shapes::command(w, r, cx),
        _ => execute(w, r, cx),
    }
}

fn slot(r: &mut Random, most: u32) -> u32 {
    if r.one_in(20) { odd(r, 140) } else { r.below(most) }
}

fn bind(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    match r.below(16) {
        0 | 4 | 5 if !r.one_in(8) => feed(w, r, cx),
        0 => cx.ia_set_input_layout(maybe(r, &w.layouts)),
        1 => vertex_buffers(w, r, cx),
        2 => index_buffer(w, r, cx),
        3 => topology(w, r, cx),
        4 => cx.vs_set_shader(maybe(r, &w.vertex)),
        5 => cx.ps_set_shader(maybe(r, &w.pixel)),
        6 | 7 => constants(w, r, cx),
        8 | 9 => resources(w, r, cx),
        10 => samplers(w, r, cx),
        11 => cx.rs_set_state(maybe(r, &w.rasterizers)),
        12 => area(w, r, cx),
        13 => {
            let factor = std::array::from_fn(|_| number(r));
            let mask = if r.one_in(6) { r.below(4) } else { u32::MAX };
            cx.om_set_blend_state(maybe(r, &w.blends), factor, mask);
        }
        14 if w.has_streams() && r.one_in(2) => streams::bind(w, r, cx),
        14 => cx.om_set_depth_stencil_state(maybe(r, &w.depth_states), odd(r, 255)),
        _ => targets(w, r, cx),
    }
}

fn vertex_buffers(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let buffers = bindable(r, &w.buffers, BindFlags::VERTEX_BUFFER);
    let list: Vec<_> = several(r, &buffers)
        .into_iter()
        .map(|buffer| {
            let stride = match r.below(8) {
                0 => 0,
                1 => odd(r, 64),
                _ => 4 * r.below(9),
            };
            let offset = if r.one_in(6) { odd(r, 100) } else { 4 * r.below(8) };
            buffer.map(|buffer| VertexBufferBinding { buffer, stride, offset })
        })
        .collect();
    let start = slot(r, 3);
    w.say(format_args!("ia_set_vertex_buffers {start} {list:?}"));
    cx.ia_set_vertex_buffers(start, &list[..]);
}

fn index_buffer(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let formats = [Format::R16_UINT, Format::R32_UINT, Format::R32_FLOAT];
    let format = if r.one_in(20) { *r.pick(&formats) } else { *r.pick(&formats[..2]) };
    let offset = if r.one_in(6) { odd(r, 100) } else { 4 * r.below(5) };
    let buffers = bindable(r, &w.buffers, BindFlags::INDEX_BUFFER);
    let buffer = if r.one_in(12) { None } else { any(r, &buffers) };
    w.say(format_args!("ia_set_index_buffer {:?} {format:?} {offset}", buffer.map(Buffer::desc)));
    cx.ia_set_index_buffer(buffer, format, offset);
}

fn topology(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    use PrimitiveTopology as T;
    let topology = match r.below(20) {
        0 => T::Undefined,
        1 => T::patch_list(r.range(1..33)).unwrap_or_default(),
        2..5 => *r.pick(&[T::LineListAdj, T::LineStripAdj, T::TriangleListAdj, T::TriangleStripAdj]),
        _ => *r.pick(&[T::PointList, T::LineList, T::LineStrip, T::TriangleList, T::TriangleStrip]),
    };
    w.say(format_args!("topology {topology:?}"));
    cx.ia_set_primitive_topology(topology);
}

fn constants(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let buffers = bindable(r, &w.buffers, BindFlags::CONSTANT_BUFFER);
    let buffers = several(r, &buffers);
    let start = slot(r, 4);
    let ranges: Vec<_> = buffers
        .iter()
        .map(|_| ConstantRange {
            first_constant: if r.one_in(8) { odd(r, 4096) & !15 } else { 16 * r.below(4) },
            num_constants: if r.one_in(8) { odd(r, 4096) } else { 16 * r.below(5) },
        })
        .collect();
    match r.below(8) {
        0 => cx.vs_set_constant_buffers(start, &buffers[..]),
        1 => cx.ps_set_constant_buffers(start, &buffers[..]),
        2 => cx.hs_set_constant_buffers(start, &buffers[..]),
        3 => cx.ds_set_constant_buffers(start, &buffers[..]),
        which => {
            w.say(format_args!("constant buffers {start} {ranges:?}"));
            match which {
                4 => cx.hs_set_constant_buffers1(start, &buffers[..], &ranges),
                5 => cx.ds_set_constant_buffers1(start, &buffers[..], &ranges),
                6 => cx.vs_set_constant_buffers1(start, &buffers[..], &ranges),
                _ => cx.ps_set_constant_buffers1(start, &buffers[..], &ranges),
            }
        }
    }
}

fn resources(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let views = several(r, &w.resources);
    let start = if r.one_in(10) { 126 + r.below(3) } else { slot(r, 4) };
    w.say(format_args!("shader resources {start} {}", views.len()));
    match r.below(6) {
        0 => cx.vs_set_shader_resources(start, &views[..]),
        1 => cx.hs_set_shader_resources(start, &views[..]),
        2 => cx.ds_set_shader_resources(start, &views[..]),
        _ => cx.ps_set_shader_resources(start, &views[..]),
    }
}

fn samplers(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let samplers = several(r, &w.samplers);
    let start = if r.one_in(10) { 15 } else { slot(r, 2) };
    w.say(format_args!("samplers {start} {}", samplers.len()));
    match r.below(6) {
        0 => cx.vs_set_samplers(start, &samplers[..]),
        1 => cx.hs_set_samplers(start, &samplers[..]),
        2 => cx.ds_set_samplers(start, &samplers[..]),
        _ => cx.ps_set_samplers(start, &samplers[..]),
    }
}

fn viewport(r: &mut Random) -> Viewport {
    if r.one_in(6) {
        let any = |r: &mut Random| if r.one_in(3) { odd(r, 60000) as f32 - 30000.0 } else { number(r) };
        Viewport {
            top_left_x: any(r),
            top_left_y: any(r),
            width: any(r),
            height: any(r),
            min_depth: any(r),
            max_depth: any(r),
        }
    } else {
        let (min_depth, max_depth) = *r.pick(&[(0.0, 1.0), (0.25, 0.5), (0.5, 0.5)]);
        Viewport {
            top_left_x: r.below(9) as f32 - 4.5,
            top_left_y: r.below(9) as f32 - 4.0,
            width: *r.pick(&[0.0, 0.5, 1.0, 16.0, 16.0, 300.0, 17000.0, 32767.0 - 8.0]),
            height: *r.pick(&[0.0, 0.25, 16.0, 16.0, 33.3, 20000.0]),
            min_depth,
            max_depth,
        }
    }
}

fn area(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let count = if r.one_in(10) { r.below(18) } else { 1 };
    if r.one_in(2) {
        let viewports: Vec<_> = (0..count).map(|_| viewport(r)).collect();
        w.say(format_args!("viewports {viewports:?}"));
        cx.rs_set_viewports(&viewports[..]);
    } else {
        let side = |r: &mut Random| if r.one_in(8) { odd(r, 9) as i32 } else { r.below(40) as i32 - 8 };
        let rects: Vec<_> = (0..count)
            .map(|_| Rect { left: side(r), top: side(r), right: side(r), bottom: side(r) })
            .collect();
        w.say(format_args!("scissors {rects:?}"));
        cx.rs_set_scissor_rects(&rects[..]);
    }
}

fn targets(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let count = if r.one_in(4) { r.below(10) } else { 1 };
    let views: Vec<_> = (0..count).map(|_| maybe(r, &w.targets)).collect();
    let depth = if r.one_in(2) { maybe(r, &w.depths) } else { None };
    let shown: Vec<_> = views.iter().map(|v| v.and_then(RenderTargetView::desc)).collect();
    w.say(format_args!("targets {shown:?} {:?}", depth.and_then(DepthStencilView::desc)));
    cx.om_set_render_targets(&views[..], depth);
}

/// Binds a vertex shader, its layout and a pixel shader, which usually match.
fn feed(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if let Some((vertex, layout)) = any(r, &w.fed) {
        cx.vs_set_shader(vertex);
        cx.ia_set_input_layout(layout);
        let outputs = vertex.reflection().map_or(&[][..], |shader| &shader.outputs);
        let (domain, tessellated) = tessellation::bind(w, r, cx).unzip();
        let of_domain = domain.as_ref().and_then(DomainShader::reflection);
        let outputs = of_domain.map_or(outputs, |shader| &shader.outputs);
        let geometry = geometry::bind(w, r, cx, tessellated);
        let appended = geometry.as_ref().and_then(GeometryShader::reflection);
        let outputs = appended.map_or(outputs, |shader| &shader.outputs);
        let fits = |pixel: &&PixelShader| {
            pixel.reflection().is_some_and(|pixel| {
                pixel
                    .inputs
                    .iter()
                    .all(|i| outputs.iter().any(|o| o.location == i.location && o.kind == i.kind))
            })
        };
        let fitting: Vec<_> = w.pixel.iter().filter(fits).collect();
        cx.ps_set_shader(if r.one_in(12) { maybe(r, &w.pixel) } else { any(r, &fitting).copied() });
    }
}

pub(crate) fn ready(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    w.say(format_args!("ready"));
    use PrimitiveTopology as T;
    let some = [T::TriangleList, T::TriangleStrip, T::LineStrip, T::PointList, T::TriangleStripAdj];
    let topology = *r.pick(&some);
    cx.ia_set_primitive_topology(topology);
    let Some(target) = any(r, &w.targets) else { return };
    feed(w, r, cx);
    let mask = if r.one_in(6) { r.below(16) } else { u32::MAX };
    cx.om_set_blend_state(maybe(r, &w.blends), [0.5; 4], mask);
    cx.om_set_depth_stencil_state(maybe(r, &w.depth_states), 1);
    cx.rs_set_state(maybe(r, &w.rasterizers));
    let depth = if r.one_in(3) { any(r, &w.depths) } else { None };
    w.say(format_args!("target {:?} {:?}", target.desc(), depth.and_then(DepthStencilView::desc)));
    cx.om_set_render_targets(target, depth);
    // A depth view with another sample count makes the call invalid, so the target is usually bound again
    // without depth.
    if depth.is_some() && cx.om_get_render_targets().0[0].is_none() && !r.one_in(8) {
        cx.om_set_render_targets(target, None);
    }
    cx.rs_set_viewports(Viewport::sized(*r.pick(&[16.0, 32.0]), 16.0));
    let vertices = bindable(r, &w.buffers, BindFlags::VERTEX_BUFFER);
    for at in 0..3 {
        if let Some(buffer) = any(r, &vertices) {
            let stride = *r.pick(&[0, 4, 12, 16, 24, 32, 36, 64, 7, 18]);
            let offset = if r.one_in(8) { r.below(16) } else { 4 * r.below(4) };
            cx.ia_set_vertex_buffers(at, VertexBufferBinding { buffer, stride, offset });
        }
    }
    for buffer in &w.buffers {
        if buffer.desc().bind_flags == BindFlags::CONSTANT_BUFFER && r.one_in(3) {
            cx.vs_set_constant_buffers(*r.pick(&[0, 3]), buffer);
            cx.ps_set_constant_buffers(*r.pick(&[0, 13]), buffer);
        }
    }
    index_buffer(w, r, cx);
    let views = several(r, &w.resources);
    cx.ps_set_shader_resources(0, &views[..]);
    samplers(w, r, cx);
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct DrawCall {
    kind: u32,
    count: u32,
    instances: u32,
    start: u32,
    base: i32,
    first: u32,
}

impl DrawCall {
    pub(crate) fn new(r: &mut Random) -> Self {
        Self {
            count: if r.one_in(20) { odd(r, 3000).min(1 << 20) } else { r.below(14) },
            instances: if r.one_in(20) { odd(r, 50).min(300) } else { r.below(4) },
            start: if r.one_in(16) { odd(r, 5000) } else { r.below(6) },
            base: if r.one_in(12) { odd(r, 5000) as i32 } else { r.below(5) as i32 - 2 },
            first: if r.one_in(8) { odd(r, 500) } else { r.below(3) },
            kind: r.below(4),
        }
    }

    pub(crate) fn usual(r: &mut Random) -> Self {
        let (count, instances) = (3 + r.below(11), 1 + r.below(2));
        Self { count, instances, start: r.below(3), base: r.below(2) as i32, first: 0, kind: r.below(4) }
    }

    pub(crate) fn make(&self, cx: &mut DeviceContext) {
        let Self { kind, start, base, first, .. } = *self;
        let (count, instances) = tessellation::limit(cx, self.count, self.instances);
        match kind {
            0 => cx.draw(count, start),
            1 => cx.draw_indexed(count, start, base),
            2 => cx.draw_instanced(count.min(4096), instances, start, first),
            _ => cx.draw_indexed_instanced(count.min(4096), instances, start, base, first),
        }
    }
}

fn draw(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if !r.one_in(3) {
        ready(w, r, cx);
    }
    if r.one_in(6) {
        indirect::command(w, r, cx);
        return;
    }
    if w.has_streams() && r.one_in(12) {
        streams::draw(w, r, cx);
        return;
    }
    if r.one_in(12) {
        w.say(format_args!("prepare_draw"));
        cx.prepare_draw();
    }
    let call = DrawCall::new(r);
    w.say(format_args!("{call:?}"));
    call.make(cx);
}

/// Returns rectangles inside, outside and across the edges of the view.
fn rects(r: &mut Random) -> Vec<Rect> {
    let side = |r: &mut Random| if r.one_in(8) { odd(r, 9) as i32 } else { r.below(24) as i32 - 4 };
    (0..r.below(4)).map(|_| Rect { left: side(r), top: side(r), right: side(r), bottom: side(r) }).collect()
}

fn clear_view(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let view = match r.below(3) {
        0 => any(r, &w.targets).map(OutputView::from),
        1 => any(r, &w.depths).map(OutputView::from),
        _ => any(r, &w.compute.views).map(OutputView::from),
    };
    let Some(view) = view else { return };
    let (color, rects): ([f32; 4], _) = (std::array::from_fn(|_| number(r)), rects(r));
    let desc = match view {
        OutputView::RenderTarget(view) => view.desc(),
        OutputView::DepthStencil(view) => view.desc(),
        OutputView::UnorderedAccess(view) => view.desc(),
    };
    // Contents are undefined after a discard, so programs with defined results only clear.
    if !w.defined && r.one_in(3) {
        w.say(format_args!("discard {desc:?} {rects:?}"));
        cx.discard_view1(view, &rects);
    } else {
        w.say(format_args!("clear {desc:?} {color:?} {rects:?}"));
        cx.clear_view(view, color, &rects);
    }
}

fn clear(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if r.one_in(3) {
        clear_view(w, r, cx);
        return;
    }
    match r.below(5) {
        0 | 1 => {
            if let Some(view) = any(r, &w.targets) {
                let color: [f32; 4] = std::array::from_fn(|_| number(r));
                w.say(format_args!("clear {:?} {color:?}", view.desc()));
                cx.clear_render_target_view(view, color);
            }
        }
        2 | 3 => {
            if let Some(view) = any(r, &w.depths) {
                let flags = ClearFlags::from_bits_truncate(r.below(4));
                let (depth, stencil) = (number(r), r.bits() as u8);
                w.say(format_args!("clear {:?} {flags:?} {depth} {stencil}", view.desc()));
                cx.clear_depth_stencil_view(view, flags, depth, stencil);
            }
        }
        _ if r.one_in(3) => {
            if let Some(texture) = any(r, &w.textures) {
                let min_lod = if r.one_in(4) { number(r) } else { r.below(5) as f32 * 0.5 };
                w.say(format_args!("set_resource_min_lod {:?} {min_lod}", texture.desc()));
                cx.set_resource_min_lod(texture, min_lod);
            }
        }
        _ => {
            if let Some(view) = any(r, &w.resources) {
                w.say(format_args!("generate_mips {:?}", view.desc()));
                cx.generate_mips(view);
            }
        }
    }
}

const MAPS: [MapType; 5] =
    [MapType::Read, MapType::Write, MapType::ReadWrite, MapType::WriteDiscard, MapType::WriteNoOverwrite];

/// Returns a map type that usually suits the resource.
pub(crate) fn map_type(w: &World, r: &mut Random, usage: Usage, buffer: bool) -> MapType {
    let chosen = match usage {
        _ if r.one_in(8) => *r.pick(&MAPS),
        Usage::Staging => *r.pick(&MAPS[..3]),
        _ if buffer && r.one_in(2) => MapType::WriteNoOverwrite,
        _ => MapType::WriteDiscard,
    };
    let undefined = w.defined && chosen == MapType::WriteNoOverwrite;
    if undefined { MapType::WriteDiscard } else { chosen }
}

fn map(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let flags = if r.one_in(6) && !w.defined { MapFlags::DO_NOT_WAIT } else { MapFlags::empty() };
    if r.one_in(10) && !w.defined {
        if let (Some(buffer), Some(texture)) = (any(r, &w.buffers), any(r, &w.textures)) {
            w.say(format_args!("map_many {:?} {:?}", buffer.desc(), texture.desc()));
            let maps: [(&dyn MapTarget, u32, MapType); 2] = [
                (buffer, 0, map_type(w, r, buffer.desc().usage, true)),
                (texture, 0, map_type(w, r, texture.desc().usage, false)),
            ];
            if let Ok(mut mapped) = cx.map_many(maps) {
                mapped.bytes_mut(1).fill(r.bits() as u8);
            }
        }
        return;
    }
    let subresource = if r.one_in(10) { odd(r, 9) } else { 0 };
    let mapped = if r.one_in(3) {
        let Some(texture) = any(r, &w.textures) else { return };
        if w.deferrable && texture.desc().usage == Usage::Staging {
            return;
        }
        let map_type = map_type(w, r, texture.desc().usage, false);
        w.say(format_args!("map {subresource} {map_type:?} {:?}", texture.desc()));
        cx.map_with_flags(texture, subresource, map_type, flags)
    } else {
        let Some(buffer) = any(r, &w.buffers) else { return };
        if w.deferrable && buffer.desc().usage == Usage::Staging {
            return;
        }
        let map_type = map_type(w, r, buffer.desc().usage, true);
        w.say(format_args!("map {subresource} {map_type:?} {:?}", buffer.desc()));
        cx.map_with_flags(buffer, subresource, map_type, flags)
    };
    let Ok(mut mapped) = mapped else { return };
    let length = mapped.len();
    match r.below(4) {
        0 if !w.defined => {
            let start = r.below(length as u32 + 4) as usize;
            mapped.slice_mut(start..start + r.below(40) as usize).fill(3);
        }
        1 if !w.defined => mapped.write(odd(r, 100) as usize, &[1.0f32, 0.5, 0.25, 1.0]),
        2 if !w.defined => {}
        _ => {
            // Each write begins at the start of a row, because the row pitch differs between drivers.
            let value = (r.below(200) as f32 / 100.0 - 1.0).to_le_bytes();
            let pitch = mapped.row_pitch().max(1) as usize;
            for row in mapped.chunks_mut(pitch) {
                row.iter_mut().zip(value.into_iter().cycle()).for_each(|(byte, new)| *byte = new);
            }
        }
    }
}

fn map_owned(w: &World, r: &mut Random, cx: &mut DeviceContext, tokens: &mut Vec<MapToken>) {
    if let Some(buffer) = any(r, &w.buffers) {
        if w.deferrable && buffer.desc().usage == Usage::Staging {
            return;
        }
        let map_type = map_type(w, r, buffer.desc().usage, true);
        w.say(format_args!("map_owned {map_type:?} {:?}", buffer.desc()));
        if let Ok(token) = cx.map_owned(buffer, 0, map_type) {
            let fill = r.bits() as u8;
            cx.bytes_mut(&token).fill(fill);
            tokens.push(token);
        }
    }
}

/// Unmaps a random token on `cx` or drops the token, although `cx` is not always the context that mapped it.
pub(crate) fn end_map(w: &World, r: &mut Random, cx: &mut DeviceContext, tokens: &mut Vec<MapToken>) {
    if tokens.is_empty() {
        return;
    }
    let token = tokens.swap_remove(r.below(tokens.len() as u32) as usize);
    w.say(format_args!("end of map"));
    match r.below(3) {
        0 => drop(token),
        _ => cx.unmap(token),
    }
}

pub(crate) fn region(r: &mut Random, width: u32, height: u32) -> Option<Box3d> {
    if r.one_in(4) {
        return None;
    }
    let span = |r: &mut Random, most: u32| {
        let start = odd(r, most);
        let rest = most.saturating_sub(start);
        let grid = *r.pick(&[1, 1, 4]);
        (start / grid * grid, start.saturating_add(odd(r, rest)).next_multiple_of_or(grid))
    };
    let ((left, right), (top, bottom)) = (span(r, width), span(r, height));
    let (front, back) = if r.one_in(20) { (odd(r, 2), odd(r, 2)) } else { (0, 1) };
    Some(Box3d { left, top, front, right, bottom, back })
}

/// Rounds up like `next_multiple_of`, but never panics.
trait Multiple {
    fn next_multiple_of_or(self, grid: u32) -> u32;
}

impl Multiple for u32 {
    fn next_multiple_of_or(self, grid: u32) -> u32 {
        self.checked_next_multiple_of(grid).unwrap_or(self)
    }
}

fn update(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if r.one_in(2) {
        let Some(buffer) = any(r, &w.buffers) else { return };
        let width = buffer.desc().byte_width;
        let is_constant = buffer.desc().bind_flags.contains(BindFlags::CONSTANT_BUFFER);
        if is_constant && r.one_in(2) {
            let (a, b) = (16 * r.below(width / 16 + 1), 16 * r.below(width / 16 + 1));
            let part = Box3d::bytes(a.min(b)..if r.one_in(10) { odd(r, width) } else { a.max(b) });
            let flags = CopyFlags::from_bits_truncate(r.below(4));
            let bytes = r.bytes(width as usize);
            w.say(format_args!("update {:?} {part:?} {flags:?}", buffer.desc()));
            cx.update_subresource1(buffer, 0, Some(part), &bytes, 0, 0, flags);
            return;
        }
        let part = if is_constant && !r.one_in(8) { None } else { region(r, width, 1) };
        let part = part.map(|b| Box3d { top: 0, bottom: 1, ..b });
        let more = r.below(3);
        let bytes = r.bytes((width + more) as usize);
        w.say(format_args!("update {:?} {part:?}", buffer.desc()));
        cx.update_subresource(buffer, 0, part, &bytes, 0, 0);
    } else {
        let Some(texture) = any(r, &w.textures) else { return };
        let desc = texture.desc();
        let subresource = if r.one_in(10) { odd(r, 9) } else { r.below(desc.subresources()) };
        let (width, height) = desc.mip_size(subresource % desc.mip_levels);
        let row = desc.format.row_pitch(width);
        // Rows may overlap in memory if the pitch is smaller than a row.
        let pitch = if r.one_in(8) { r.below(row) } else { row + *r.pick(&[0, 0, 1, 4, 100]) };
        let bytes = r.bytes((pitch.max(row) * desc.format.rows(height)) as usize);
        let part = region(r, width, height);
        w.say(format_args!("update {desc:?} {subresource} {part:?} {pitch}"));
        cx.update_subresource(texture, subresource, part, &bytes, pitch, odd(r, 9));
    }
}

fn copy(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    match r.below(6) {
        0 => samples::resolve(w, r, cx),
        5 => {
            if let (Some(to), Some(from)) = (any(r, &w.buffers), any(r, &w.buffers)) {
                w.say(format_args!("copy {:?} {:?}", to.desc(), from.desc()));
                cx.copy_resource(to, from);
            }
        }
        1 | 2 => {
            if let Some((to, from)) = alike(w, r) {
                w.say(format_args!("copy {:?} {:?}", to.desc(), from.desc()));
                cx.copy_resource(to, from);
            }
        }
        3 => {
            if let (Some(to), Some(from)) = (any(r, &w.buffers), any(r, &w.buffers)) {
                let part = region(r, from.desc().byte_width, 1).map(|b| Box3d { top: 0, bottom: 1, ..b });
                let rest = part.map_or(0, |b| b.right.saturating_sub(b.left));
                let at = odd(r, to.desc().byte_width.saturating_sub(rest));
                w.say(format_args!("copy region {:?} {at} {:?} {part:?}", to.desc(), from.desc()));
                cx.copy_subresource_region(to, 0, [at, 0, 0], from, 0, part);
            }
        }
        _ => copy_texels(w, r, cx),
    }
}

/// Returns two textures, usually of the same format family, so that they can be copied to each other.
fn alike<'a>(w: &'a World, r: &mut Random) -> Option<(&'a Texture2d, &'a Texture2d)> {
    let from = any(r, &w.textures)?;
    let same = |t: &&Texture2d| t.desc().format.family() == from.desc().format.family();
    let twins: Vec<_> = w.textures.iter().filter(same).collect();
    let to = if r.one_in(10) { any(r, &w.textures)? } else { any(r, &twins)? };
    Some((to, from))
}

fn copy_texels(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let Some((to, from)) = alike(w, r) else { return };
    let sub = |r: &mut Random, t: &Texture2d| {
        if r.one_in(10) { odd(r, 9) } else { r.below(t.desc().subresources()) }
    };
    let (to_sub, from_sub) = (sub(r, to), sub(r, from));
    let (width, height) = from.desc().mip_size(from_sub % from.desc().mip_levels);
    let part = region(r, width, height);
    let grid = to.desc().format.block_size().0.max(1);
    let place = |r: &mut Random| if r.one_in(3) { odd(r, 12) / grid * grid } else { 0 };
    let at = [place(r), place(r), if r.one_in(20) { odd(r, 2) } else { 0 }];
    w.say(format_args!("copy region {:?} {to_sub} {at:?} {:?} {from_sub} {part:?}", to.desc(), from.desc()));
    cx.copy_subresource_region(to, to_sub, at, from, from_sub, part);
}

fn other(r: &mut Random, cx: &mut DeviceContext) {
    match r.below(5) {
        0 => cx.clear_state(),
        1 => cx.begin_event("group"),
        2 => cx.end_event(),
        3 => cx.set_marker("mark"),
        _ => ask(r, cx),
    }
}

fn query(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if r.one_in(3) {
        // Whether the GPU obeys a predication hint depends on timing.
        let is_kept =
            |query: &&Query| !w.defined || !query.desc().misc_flags.contains(QueryMiscFlags::PREDICATEHINT);
        let (predicate, value) = (maybe(r, &w.queries).filter(is_kept), r.one_in(2));
        w.say(format_args!("predicate {:?}, {value}", predicate.map(Query::query_type)));
        cx.set_predication(predicate, value);
        return;
    }
    let begins = r.one_in(2);
    if let Some(query) = any(r, &w.queries) {
        w.say(format_args!("query {:?}, begins {begins}", query.query_type()));
        if begins {
            cx.begin(query);
        } else {
            cx.end(query);
        }
    }
}

fn ask(r: &mut Random, cx: &DeviceContext) {
    let (start, count) = (odd(r, 20), odd(r, 20));
    cx.ia_get_vertex_buffers(start, count);
    cx.vs_get_constant_buffers(start, count);
    cx.hs_get_constant_buffers1(start, count);
    cx.ds_get_shader_resources(start, count);
    cx.hs_get_samplers(start, count);
    cx.ds_get_shader();
    cx.ps_get_constant_buffers1(start, count);
    cx.ps_get_shader_resources(start, count);
    cx.vs_get_samplers(start, count);
    cx.om_get_render_targets();
    cx.cs_get_unordered_access_views(start, count);
    cx.cs_get_shader();
    cx.om_get_blend_state();
    cx.ia_get_index_buffer();
    cx.rs_get_state();
}

fn execute(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if let Some(list) = any(r, &w.lists) {
        let restore = !r.one_in(3);
        w.say(format_args!("execute, restore {restore}"));
        cx.execute_command_list(list, restore);
    }
}
