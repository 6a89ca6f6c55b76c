//! Compute: structured and typed buffers with their views, dispatches, and clears of the views.

use onze::*;
use onze_tests::Random;

use crate::{
    shaders,
    world::{World, any, bindable, keep, maybe, number, odd},
};

/// The formats of most typed views, as declared in the shaders.
const TYPED: &[Format] = &[
    Format::R32_UINT,
    Format::R8_UINT,
    Format::R8G8B8A8_UNORM,
    Format::R16_FLOAT,
    Format::R32_UINT,
    Format::R8_SNORM,
    Format::R16G16_UINT,
    Format::R32G32B32A32_FLOAT,
];

#[derive(Clone, Default)]
pub(crate) struct Compute {
    pub(crate) shaders: Vec<ComputeShader>,
    pub(crate) views: Vec<UnorderedAccessView>,
}

impl World {
    pub(crate) fn populate_compute(&mut self, r: &mut Random) {
        let device = self.device.clone();
        let made = shaders::COMPUTE
            .iter()
            .filter_map(|text| device.create_compute_shader(ShaderSource::wgsl(text, "main")).ok());
        self.compute.shaders.extend(made);
        for stride in [4, 8, 16] {
            let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
            let desc = BufferDesc::structured(stride, 24, flags);
            let Ok(buffer) = device.create_buffer(&desc, Some(&r.bytes(24 * stride as usize))) else {
                continue;
            };
            let counted = (stride == 8).then_some(UnorderedAccessViewDesc::counted_buffer(0, u32::MAX));
            let view = device.create_unordered_access_view(&buffer, counted.as_ref()).ok();
            self.compute.views.extend(view);
            self.resources.extend(device.create_shader_resource_view(&buffer, None).ok());
            self.buffers.push(buffer);
        }
        let desc = BufferDesc::new(150, BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS);
        let Ok(buffer) = device.create_buffer(&desc, Some(&r.bytes(150))) else { return };
        for format in TYPED.iter().take(4) {
            let (first, count) = (r.below(4), 3 + r.below(20));
            self.typed_views(r, &buffer, *format, first, count);
        }
        self.buffers.push(buffer);
    }

    fn typed_views(&mut self, r: &mut Random, buffer: &Buffer, format: Format, first: u32, count: u32) {
        self.say(format_args!("{format:?} views of {count} elements from {first} of {:?}", buffer.desc()));
        let desc = ShaderResourceViewDesc::typed_buffer(format, first, count);
        let view = self.device.create_shader_resource_view(buffer, Some(&desc)).ok();
        keep(r, &mut self.resources, view);
        let desc = UnorderedAccessViewDesc::typed_buffer(format, first, count);
        let view = self.device.create_unordered_access_view(buffer, Some(&desc)).ok();
        keep(r, &mut self.compute.views, view);
    }

    fn create_typed(&mut self, r: &mut Random) {
        let binds = if r.one_in(20) { r.below(256) } else { *r.pick(&[0x88, 0x88, 0x89, 0x80, 0x8]) };
        let size = if r.one_in(12) { odd(r, 70_000).min(1 << 20) } else { r.range(1..400) };
        let desc = BufferDesc::new(size, BindFlags::from_bits_retain(binds));
        let bytes = r.one_in(2).then(|| r.bytes(size as usize));
        self.say(format_args!("buffer for typed views {desc:?} contents {}", bytes.is_some()));
        let Ok(buffer) = self.maker(r).create_buffer(&desc, bytes.as_deref()) else { return };
        for _ in 0..1 + r.below(4) {
            let format = if r.one_in(8) { *r.pick(Format::ALL) } else { *r.pick(TYPED) };
            let elements = size / format.bytes_per_block().max(1);
            let first = if r.one_in(16) { odd(r, 40) } else { r.below(elements.min(12)) };
            let rest = elements.saturating_sub(first);
            let count = if r.one_in(16) { odd(r, 40) } else { 1 + r.below(rest.min(60)) };
            self.typed_views(r, &buffer, format, first, count);
        }
        keep(r, &mut self.buffers, Some(buffer));
    }

    pub(crate) fn create_compute(&mut self, r: &mut Random) {
        if r.one_in(5) {
            let source = ShaderSource::wgsl(r.pick::<&str>(shaders::COMPUTE), "main");
            self.say(format_args!("compute shader {source:?}"));
            let made = self.maker(r).create_compute_shader(source).ok();
            keep(r, &mut self.compute.shaders, made);
            return;
        }
        if r.one_in(3) {
            self.create_typed(r);
            return;
        }
        let stride = if r.one_in(20) { odd(r, 64) } else { 4 * r.range(1..12) };
        let (size, flags) = (stride.saturating_mul(1 + r.below(40)), *r.pick(&[0x88, 0x88, 0x80, 0x8]));
        let desc = BufferDesc {
            byte_width: size.min(1 << 20),
            usage: if flags == 0x8 && r.one_in(2) { Usage::Dynamic } else { Usage::Default },
            bind_flags: BindFlags::from_bits_retain(flags),
            misc_flags: MiscFlags::BUFFER_STRUCTURED,
            structure_byte_stride: stride,
            ..BufferDesc::default()
        };
        let cpu_access_flags =
            if desc.usage == Usage::Dynamic { CpuAccessFlags::WRITE } else { CpuAccessFlags::empty() };
        let desc = BufferDesc { cpu_access_flags, ..desc };
        let bytes = r.one_in(2).then(|| r.bytes(desc.byte_width as usize));
        self.say(format_args!("structured buffer {desc:?} contents {}", bytes.is_some()));
        let Ok(buffer) = self.maker(r).create_buffer(&desc, bytes.as_deref()) else { return };
        for _ in 0..1 + r.below(3) {
            let (first, count) = match r.below(4) {
                0 | 1 => (0, u32::MAX),
                2 => (r.below(8), 1 + r.below(8)),
                _ => (odd(r, 8), odd(r, 40)),
            };
            self.say(format_args!("views of {count} elements from {first} of {desc:?}"));
            let resource = ShaderResourceViewDesc::buffer(first, count);
            let resource = self.device.create_shader_resource_view(&buffer, Some(&resource)).ok();
            keep(r, &mut self.resources, resource);
            let flags = if r.one_in(12) { *r.pick(&[1, 6, 8]) } else { *r.pick(&[0, 0, 2, 4]) };
            let flags = BufferUavFlags::from_bits_retain(flags);
            let dimension =
                UnorderedAccessViewDimension::Buffer { first_element: first, num_elements: count, flags };
            let unordered = UnorderedAccessViewDesc {
                format: Format::UNKNOWN,
                dimension: Some(dimension),
                ..Default::default()
            };
            let unordered = self.device.create_unordered_access_view(&buffer, Some(&unordered)).ok();
            keep(r, &mut self.compute.views, unordered);
        }
        keep(r, &mut self.buffers, Some(buffer));
    }
}

pub(crate) fn command(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    match r.below(11) {
        0 => {
            let shader = maybe(r, &w.compute.shaders);
            set_shader(w, cx, shader);
        }
        1 => unordered(w, r, cx),
        2 => {
            let views: Vec<_> = (0..1 + r.below(3)).map(|_| maybe(r, &w.resources)).collect();
            let start = if r.one_in(20) { odd(r, 140) } else { r.below(3) };
            w.say(format_args!(
                "compute resources {start} {:?}",
                views.iter().map(|v| v.map(|v| v.desc())).collect::<Vec<_>>()
            ));
            cx.cs_set_shader_resources(start, &views[..]);
        }
        3 => {
            let buffers = bindable(r, &w.buffers, BindFlags::CONSTANT_BUFFER);
            cx.cs_set_constant_buffers(r.below(2), maybe(r, &buffers));
        }
        4 => cx.cs_set_samplers(r.below(2), maybe(r, &w.samplers)),
        5 | 6 => {
            if let Some(view) = any(r, &w.compute.views) {
                let values = [r.bits() as u32 * r.below(2), 1, 2, 3];
                w.say(format_args!("clear {:?} {values:?}", view.desc()));
                cx.clear_unordered_access_view_uint(view, values);
                if r.one_in(4) {
                    let values: [f32; 4] = std::array::from_fn(|_| number(r));
                    w.say(format_args!("clear {:?} {values:?}", view.desc()));
                    cx.clear_unordered_access_view_float(view, values);
                }
            }
        }
        7 => copy_count(w, r, cx),
        _ => {
            if r.one_in(2) {
                let shader = any(r, &w.compute.shaders);
                set_shader(w, cx, shader);
                unordered(w, r, cx);
            }
            dispatch(w, r, cx);
        }
    }
}

fn set_shader(w: &World, cx: &mut DeviceContext, shader: Option<&ComputeShader>) {
    w.say(format_args!("compute shader {:?}", shader.and_then(ComputeShader::reflection)));
    cx.cs_set_shader(shader);
}

fn unordered(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let views: Vec<_> = (0..1 + r.below(4)).map(|_| maybe(r, &w.compute.views)).collect();
    let start = if r.one_in(20) { odd(r, 10) } else { r.below(2) };
    w.say(format_args!(
        "unordered {start} {:?}",
        views.iter().map(|view| view.map(|view| (view.label(), view.desc()))).collect::<Vec<_>>()
    ));
    if r.one_in(3) {
        let mut counts: Vec<_> =
            views.iter().map(|_| if r.one_in(3) { u32::MAX } else { r.below(40) }).collect();
        if r.one_in(20) {
            counts.push(3);
        }
        w.say(format_args!("initial counts {counts:?}"));
        cx.cs_set_unordered_access_views_with_counts(start, &views[..], &counts);
    } else {
        cx.cs_set_unordered_access_views(start, &views[..]);
    }
}

/// Copies a counter, usually into a buffer with unordered access.
fn copy_count(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let counted: Vec<_> = w.compute.views.iter().filter(|view| has_counter(view) || r.one_in(20)).collect();
    let Some(view) = any(r, &counted) else { return };
    let buffers = bindable(r, &w.buffers, BindFlags::UNORDERED_ACCESS);
    let Some(buffer) = any(r, &buffers) else { return };
    let offset = if r.one_in(12) { odd(r, 200) } else { 4 * r.below(24) };
    w.say(format_args!("counter of {:?} to {offset} of {:?}", view.desc(), buffer.desc()));
    cx.copy_structure_count(buffer, offset, view);
}

fn has_counter(view: &UnorderedAccessView) -> bool {
    view.desc().and_then(ViewDesc::buffer).is_some_and(|view| view.counter)
}

impl Compute {
    pub(crate) fn read_counters(&self, device: &Device, cx: &mut ImmediateContext) -> Vec<u8> {
        let counted: Vec<_> = self.views.iter().filter(|view| has_counter(view)).collect();
        let size = 4 * counted.len().max(1) as u32;
        let Ok(copies) = device.create_buffer(&BufferDesc::new(size, BindFlags::VERTEX_BUFFER), None) else {
            return Vec::new();
        };
        for (at, view) in (0..).zip(counted) {
            cx.copy_structure_count(&copies, 4 * at, view);
        }
        cx.read_buffer(&copies).unwrap_or_default()
    }
}

fn dispatch(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    if cx.cs_get_unordered_access_views(0, 1).iter().flatten().any(|view| w.indirect.is_seen_by(view)) {
        cx.cs_set_unordered_access_views(0, None);
    }
    let x = if r.one_in(20) { odd(r, 20) } else { r.below(5) };
    // Only one dimension may have many groups, because the dispatch would otherwise take a very long time.
    let (y, z) = if x < 20 { (r.below(3), r.below(3)) } else { (1, 1) };
    w.say(format_args!("dispatch {x} {y} {z}"));
    cx.dispatch(x, y, z);
}
