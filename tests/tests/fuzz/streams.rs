//! Stream output of random programs: shaders, targets, and draws of the vertices in a target.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, bindable, maybe, odd};

/// Returns a random entry, which most shaders of random programs can capture.
fn entry(r: &mut Random) -> SoDeclarationEntry {
    let entry = match r.below(6) {
        0 => SoDeclarationEntry::gap(1 + r.below(3) as u8),
        1 => SoDeclarationEntry::at_location(r.below(3), 1 + r.below(2) as u8),
        2 => SoDeclarationEntry::new("color", 0, 1 + r.below(5) as u8),
        _ => SoDeclarationEntry::new("SV_Position", 0, 1 + r.below(4) as u8),
    };
    let entry = if r.one_in(4) { entry.slot(r.below(5) as u8) } else { entry };
    let entry = if r.one_in(8) { entry.start_component(r.below(5) as u8) } else { entry };
    if r.one_in(12) { entry.stream(odd(r, 4)) } else { entry }
}

/// Creates a stream-output shader from a vertex, domain or geometry shader and binds it. Many declarations are invalid.
fn bind_shader(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let entries: Vec<_> = (0..1 + r.below(3)).map(|_| entry(r)).collect();
    let strides: Vec<_> =
        if r.one_in(2) { Vec::new() } else { (0..1 + r.below(4)).map(|_| odd(r, 64) & !3).collect() };
    let rasterized = if r.one_in(2) { None } else { Some(if r.one_in(8) { odd(r, 3) } else { 0 }) };
    w.say(format_args!("stream output {entries:?} {strides:?} {rasterized:?}"));
    let (vertex, domain) = (cx.vs_get_shader(), cx.ds_get_shader());
    let geometry = any(r, &w.geometry).filter(|_| r.one_in(2)).map(|(shader, _)| shader);
    let source: StreamOutputSource<'_> = match (geometry, &domain, &vertex) {
        (Some(shader), ..) => shader.into(),
        (None, Some(shader), _) => shader.into(),
        (None, None, Some(shader)) => shader.into(),
        (None, None, None) => return,
    };
    let made = w.device.create_geometry_shader_with_stream_output(source, &entries, &strides, rasterized);
    if let Ok(shader) = made {
        cx.gs_set_shader(&shader);
    }
}

fn offset(r: &mut Random) -> u32 {
    match r.below(6) {
        0 | 1 => StreamOutputBinding::APPEND,
        2 => odd(r, 64),
        _ => 4 * r.below(12),
    }
}

/// Binds a stream-output shader and its targets.
pub(crate) fn bind(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if r.one_in(2) {
        bind_shader(w, r, cx);
    }
    let buffers = bindable(r, &w.buffers, BindFlags::STREAM_OUTPUT);
    let count = if r.one_in(30) { r.below(7) } else { r.below(3) };
    let targets: Vec<_> = (0..count)
        .map(|_| {
            let buffer = maybe(r, &buffers)?;
            Some(StreamOutputBinding::new(buffer, offset(r)))
        })
        .collect();
    w.say(format_args!("so_set_targets {targets:?}"));
    cx.so_set_targets(&targets[..]);
    if r.one_in(8) {
        let bound = cx.so_get_targets();
        cx.so_set_targets(&bound);
    }
}

/// Draws the vertices of a target, which usually becomes the vertex buffer first.
pub(crate) fn draw(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let buffers = bindable(r, &w.buffers, BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER);
    if let Some(buffer) = any(r, &buffers).filter(|_| !r.one_in(6)) {
        if !r.one_in(6) {
            cx.so_set_targets(None);
        }
        let (stride, offset) = (4 * r.below(12), 4 * r.below(4));
        cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer, stride, offset });
    }
    w.say(format_args!("draw_auto"));
    cx.draw_auto();
}

impl World {
    /// Whether the device has stream output. Results of random programs are compared only without stream output.
    pub(crate) fn has_streams(&self) -> bool {
        !self.defined && self.device.check_feature_support().features.contains(Features::STREAM_OUTPUT)
    }
}
