//! Random programs that use typed views of buffers, with a model that predicts the contents of each buffer.
//!
//! Dispatches read and write elements in changing formats. Clears and copies write to the same bytes and next
//! to them, and lists are executed again with other contents. The model makes the same changes to bytes on
//! the CPU.
//!
//! Shaders replace NaN and 32-bit denormals with 0, because GPUs may change their bits. In all other numbers,
//! they keep 13 bits of the fraction. That is more than 16-bit and smaller floats have, but few enough for
//! GPUs to multiply exactly when they convert to UNORM and SNORM of up to 10 bits.

use onze::{ddi::ComponentKind, *};
use onze_tests::{
    Harness, Random,
    texels::{self, Bits},
};

use crate::{Run, check};

/// A shader's component type and a storage format for it.
const KINDS: [(&str, &str); 3] = [("u32", "rgba32uint"), ("i32", "rgba32sint"), ("f32", "rgba32float")];

const FORMATS: [&[Format]; 3] = [
    &[
        Format::R32_UINT,
        Format::R8_UINT,
        Format::R16_UINT,
        Format::R8G8B8A8_UINT,
        Format::R16G16B16A16_UINT,
        Format::R10G10B10A2_UINT,
    ],
    &[Format::R32_SINT, Format::R8_SINT, Format::R8G8_SINT, Format::R16G16_SINT],
    &[
        Format::R32_FLOAT,
        Format::R16_FLOAT,
        Format::R16G16B16A16_FLOAT,
        Format::R11G11B10_FLOAT,
        Format::R8G8B8A8_UNORM,
        Format::R8_UNORM,
        Format::R8_SNORM,
        Format::R10G10B10A2_UNORM,
        Format::R32G32B32A32_FLOAT,
    ],
];

/// Number of threads in a dispatch, more than the elements of some views and fewer than those of others.
const THREADS: usize = 64;

/// The operation of a dispatch on each element. `Add` adds the input's element with the same index, and
/// `Reverse` writes the input in reverse order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Work {
    Add,
    Reverse,
}

fn shader_text(kind: usize, work: Work) -> String {
    let (kind, storage) = KINDS[kind];
    let clean = if kind == "f32" {
        "let bits = bitcast<vec4u>(value) & vec4u(0x7fffffffu);
        let kept = bitcast<vec4f>(bitcast<vec4u>(value) & vec4u(0xfffffc00u));
        return select(vec4f(), kept, (bits >= vec4u(0x00800000u)) & (bits <= vec4u(0x7f800000u)));"
    } else {
        "return value;"
    };
    let value = match work {
        Work::Add => "clean(textureLoad(output, at)) + clean(textureLoad(input, at, 0))",
        Work::Reverse => "textureLoad(input, i32(textureDimensions(input)) - 1 - i32(at), 0)",
    };
    format!(
        "@group(1) @binding(2) var input: texture_1d<{kind}>;
        @group(3) @binding(0) var output: texture_storage_1d<{storage}, read_write>;
        @group(3) @binding(1) var second: texture_storage_1d<{storage}, write>;
        fn clean(value: vec4<{kind}>) -> vec4<{kind}> {{ {clean} }}
        @compute @workgroup_size({}) fn main(@builtin(global_invocation_id) id: vec3u) {{
            let at = id.x;
            let value = clean({value});
            textureStore(output, at, value);
            textureStore(second, at, value);
        }}",
        THREADS / 2
    )
}

const RAW: &str = "
    @group(3) @binding(0) var<storage, read_write> items: array<u32>;
    @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&items) { items[id.x] += 1u; }
    }";

fn atomic_text(kind: &str, storage: &str) -> String {
    format!(
        "@group(3) @binding(0) var counts: texture_storage_1d<{storage}, atomic>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {{
            textureAtomicAdd(counts, id.x / 3u, {kind}(id.x));
            textureAtomicMax(counts, id.x / 5u + 64u, {kind}(id.x) * 1000);
        }}"
    )
}

/// A range of a buffer, viewed in a format, or raw without a format.
#[derive(Copy, Clone, Debug)]
struct Seen {
    buffer: usize,
    format: Option<Format>,
    first: u32,
    count: u32,
}

impl Seen {
    fn size(&self) -> usize {
        self.format.map_or(4, |format| format.bytes_per_block() as usize)
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize * self.size()..(self.first + self.count) as usize * self.size()
    }

    /// Returns a view of the same bytes in another format with the same component type, if there is one.
    fn twin(&self, r: &mut Random) -> Option<Self> {
        let fits = |format: &&Format| {
            format.bytes_per_block() as usize == self.size() && Some(**format) != self.format
        };
        let formats: Vec<_> = FORMATS[self.kind()?].iter().filter(fits).collect();
        (!formats.is_empty()).then(|| Self { format: Some(**r.pick(&formats)), ..*self })
    }

    fn is_twin(&self, other: &Self) -> bool {
        let is_same = self.buffer == other.buffer && self.range() == other.range();
        is_same && self.kind() == other.kind() && self.format != other.format
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.range(), other.range());
        self.buffer == other.buffer && a.start < b.end && b.start < a.end
    }

    /// Returns whether the rules define every bit of a component for a shader with this component type.
    /// Conversions of small floats may change a NaN's payload, and shaders with integer components see the
    /// change.
    fn has_exact_bits(&self, kind: usize) -> bool {
        let is_small_float = matches!(
            self.format,
            Some(Format::R16_FLOAT | Format::R16G16B16A16_FLOAT | Format::R11G11B10_FLOAT)
        );
        self.kind() == Some(kind) || !is_small_float
    }

    fn kind(&self) -> Option<usize> {
        FORMATS.iter().position(|formats| self.format.is_some_and(|format| formats.contains(&format)))
    }
}

/// A command, with its views as indices into the lists of the scene.
#[derive(Clone, Debug)]
enum Op {
    Dispatch { kind: usize, work: Work, input: Option<usize>, output: usize, second: Option<usize> },
    Atomics { kind: usize, view: usize },
    Raw { view: usize },
    ClearUint { view: usize, values: Bits },
    ClearFloat { view: usize, values: [f32; 4] },
    Copy { from: usize, part: std::ops::Range<usize>, to: usize, at: usize },
    Update { to: usize, at: usize, bytes: Vec<u8> },
    Discard { bytes: Vec<u8> },
}

struct Scene {
    shaders: Vec<ComputeShader>,
    atomics: [ComputeShader; 2],
    raw: ComputeShader,
    buffers: Vec<Buffer>,
    contents: Vec<Vec<u8>>,
    inputs: Vec<(Seen, ShaderResourceView)>,
    outputs: Vec<(Seen, UnorderedAccessView)>,
}

/// The index of the dynamic buffer, which shaders only read.
const DYNAMIC: usize = 0;

impl Scene {
    fn new(device: &Device, r: &mut Random) -> Self {
        let shader = |text: &str| device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let works = (0..3).flat_map(|kind| [Work::Add, Work::Reverse].map(|work| shader_text(kind, work)));
        let shaders = works.map(|text| shader(&text)).collect();
        let atomics = [("u32", "r32uint"), ("i32", "r32sint")];
        let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let descs = [
            BufferDesc::dynamic(128, BindFlags::SHADER_RESOURCE),
            BufferDesc::raw(256, flags),
            BufferDesc::new(97, flags),
            BufferDesc::new(1024, flags),
        ];
        let contents: Vec<_> = descs.iter().map(|desc| r.bytes(desc.byte_width as usize)).collect();
        let made = descs.iter().zip(&contents);
        let mut scene = Self {
            shaders,
            atomics: atomics.map(|(kind, storage)| shader(&atomic_text(kind, storage))),
            raw: shader(RAW),
            buffers: made.map(|(desc, bytes)| device.create_buffer(desc, Some(bytes)).unwrap()).collect(),
            contents,
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        for kind in [0, 0, 0, 1, 1, 2, 2, 2, 2, 2] {
            let seen = scene.part(r, 0, FORMATS[kind]);
            for seen in [Some(seen), seen.twin(r)].into_iter().flatten() {
                let (format, buffer) = (seen.format.unwrap(), &scene.buffers[seen.buffer]);
                let desc = ShaderResourceViewDesc::typed_buffer(format, seen.first, seen.count);
                let view = device.create_shader_resource_view(buffer, Some(&desc)).unwrap();
                scene.inputs.push((seen, view));
            }
            let seen = scene.part(r, 1, FORMATS[kind]);
            let of_words = scene.part(r, 1, &FORMATS[kind][..1]);
            for seen in [Some(seen), seen.twin(r), Some(of_words)].into_iter().flatten() {
                let (format, buffer) = (seen.format.unwrap(), &scene.buffers[seen.buffer]);
                let desc = UnorderedAccessViewDesc::typed_buffer(format, seen.first, seen.count);
                let view = device.create_unordered_access_view(buffer, Some(&desc)).unwrap();
                scene.outputs.push((seen, view));
            }
        }
        for (first, count) in [(0, 64), (4, 7), (20, 30)] {
            let desc = UnorderedAccessViewDesc::raw_buffer(first, count);
            let view = device.create_unordered_access_view(&scene.buffers[1], Some(&desc)).unwrap();
            scene.outputs.push((Seen { buffer: 1, format: None, first, count }, view));
        }
        scene
    }

    fn part(&self, r: &mut Random, from: usize, formats: &[Format]) -> Seen {
        let buffer = from + r.below((self.buffers.len() - from) as u32) as usize;
        let format = *r.pick(formats);
        let elements = self.contents[buffer].len() as u32 / format.bytes_per_block();
        let first = r.below(elements.min(40));
        let most = if r.one_in(3) { 8 } else { 100 };
        let count = 1 + r.below((elements - first).min(most));
        Seen { buffer, format: Some(format), first, count }
    }

    fn changed(&self, r: &mut Random, op: &Op) -> Option<Op> {
        let mut op = op.clone();
        let Op::Dispatch { input, output, .. } = &mut op else { return None };
        let change = if r.one_in(2) { input.as_mut() } else { None };
        if let Some(input) = change {
            let seen = self.inputs[*input].0;
            *input = self.inputs.iter().position(|(other, _)| seen.is_twin(other))?;
        } else {
            let seen = self.outputs[*output].0;
            *output = self.outputs.iter().position(|(other, _)| seen.is_twin(other))?;
        }
        Some(op)
    }

    fn op(&self, r: &mut Random) -> Op {
        let view = r.below(self.outputs.len() as u32) as usize;
        let seen = self.outputs[view].0;
        match r.below(16) {
            0 => {
                let number = |r: &mut Random| *r.pick(&[0.0, -0.0, 1.0, -1.0, 0.3, 65519.0, 1e30, -7e-6]);
                let values = std::array::from_fn(|_| number(r));
                if seen.kind() == Some(2) {
                    return Op::ClearFloat { view, values };
                }
                Op::ClearUint { view, values: values.map(f32::to_bits) }
            }
            1 => {
                let values = std::array::from_fn(|_| r.bits() as u32 * r.below(2));
                Op::ClearUint { view, values }
            }
            2 => {
                let to = 1 + r.below(3) as usize;
                let at = r.below(self.contents[to].len() as u32) as usize;
                let most = self.contents[to].len() - at;
                let count = 1 + r.below(most.min(50) as u32) as usize;
                Op::Update { to, at, bytes: r.bytes(count) }
            }
            3 | 4 => {
                let (from, to) = (r.below(4) as usize, 1 + r.below(3) as usize);
                let to = if from == to { 1 + to % 3 } else { to };
                let (first, at) = (r.below(40) as usize, r.below(40) as usize);
                let most = (self.contents[from].len() - first).min(self.contents[to].len() - at);
                let count = 1 + r.below(most.min(60) as u32) as usize;
                Op::Copy { from, part: first..first + count, to, at }
            }
            5 => Op::Discard { bytes: r.bytes(self.contents[DYNAMIC].len()) },
            _ => self.dispatch(r, view),
        }
    }

    fn dispatch(&self, r: &mut Random, output: usize) -> Op {
        let seen = self.outputs[output].0;
        let Some(kind) = seen.kind() else { return Op::Raw { view: output } };
        if matches!(seen.format, Some(Format::R32_UINT | Format::R32_SINT)) && r.one_in(2) {
            return Op::Atomics { kind, view: output };
        }
        // The views of a dispatch must not overlap, because the runtime would unbind one of them.
        let second = r.below(self.outputs.len() as u32) as usize;
        let second = (!self.outputs[second].0.overlaps(&seen) && !r.one_in(3)).then_some(second);
        let second = second.filter(|second| self.outputs[*second].0.has_exact_bits(kind));
        let input = r.below(self.inputs.len() as u32) as usize;
        let apart = |other: &Seen| !self.inputs[input].0.overlaps(other);
        let is_apart = apart(&seen) && second.is_none_or(|second| apart(&self.outputs[second].0));
        let input = (is_apart && !r.one_in(8)).then_some(input);
        let input = input.filter(|input| self.inputs[*input].0.has_exact_bits(kind));
        let work = if r.one_in(2) { Work::Add } else { Work::Reverse };
        Op::Dispatch { kind, work, input, output, second }
    }

    fn record(&self, cx: &mut DeviceContext, op: &Op) {
        match op {
            Op::Dispatch { kind, work, input, output, second } => {
                cx.cs_set_shader(&self.shaders[kind * 2 + usize::from(*work == Work::Reverse)]);
                let output = &self.outputs[*output].1;
                let second = second.map(|at| &self.outputs[at].1);
                cx.cs_set_unordered_access_views(0, [Some(output), second]);
                cx.cs_set_shader_resources(2, input.map(|at| &self.inputs[at].1));
                cx.dispatch(2, 1, 1);
            }
            Op::Atomics { kind, view } => {
                cx.cs_set_shader(&self.atomics[*kind]);
                cx.cs_set_unordered_access_views(0, &self.outputs[*view].1);
                cx.dispatch(2, 1, 1);
            }
            Op::Raw { view } => {
                cx.cs_set_shader(&self.raw);
                cx.cs_set_unordered_access_views(0, &self.outputs[*view].1);
                cx.dispatch(2, 1, 1);
            }
            Op::ClearUint { view, values } => {
                cx.clear_unordered_access_view_uint(&self.outputs[*view].1, *values);
            }
            Op::ClearFloat { view, values } => {
                cx.clear_unordered_access_view_float(&self.outputs[*view].1, *values);
            }
            Op::Copy { from, part, to, at } => {
                let (left, right) = (part.start as u32, part.end as u32);
                let part = Box3d { left, top: 0, front: 0, right, bottom: 1, back: 1 };
                let (from, to) = (&self.buffers[*from], &self.buffers[*to]);
                cx.copy_subresource_region(to, 0, [*at as u32, 0, 0], from, 0, Some(part));
            }
            Op::Update { to, at, bytes } => {
                let (left, right) = (*at as u32, (at + bytes.len()) as u32);
                let part = Box3d { left, top: 0, front: 0, right, bottom: 1, back: 1 };
                cx.update_subresource(&self.buffers[*to], 0, Some(part), bytes, 0, 0);
            }
            Op::Discard { bytes } => {
                let mut mapped = cx.map(&self.buffers[DYNAMIC], 0, MapType::WriteDiscard).unwrap();
                mapped.slice_mut(0..bytes.len()).copy_from_slice(bytes);
            }
        }
    }

    /// Returns the bytes of a view's element, or `None` if the index is out of range.
    fn element(&mut self, seen: &Seen, at: usize) -> Option<&mut [u8]> {
        if at >= seen.count as usize {
            return None;
        }
        let start = seen.range().start + at * seen.size();
        self.contents[seen.buffer].get_mut(start..start + seen.size())
    }

    /// Loads the components of an element as bits, which are the same for a shader with another component
    /// type.
    fn load(&mut self, seen: Option<Seen>, at: usize) -> Bits {
        let format = seen.and_then(|seen| seen.format);
        let element = seen.and_then(|seen| self.element(&seen, at));
        element.zip(format).map_or([0; 4], |(element, format)| texels::load(format, element))
    }

    /// Stores the components of an element, whose bits are interpreted in the view's component type even if
    /// the shader has another one.
    fn store(&mut self, seen: Option<Seen>, at: usize, value: Bits) {
        let Some((seen, format)) = seen.and_then(|seen| Some((seen, seen.format?))) else { return };
        if let Some(element) = self.element(&seen, at) {
            element.copy_from_slice(&texels::store(format, value));
        }
    }

    fn model(&mut self, op: &Op) {
        match op {
            Op::Dispatch { kind, work, input, output, second } => {
                let input = input.map(|at| self.inputs[at].0);
                let length = input.filter(|seen| seen.format.is_some()).map_or(0, |seen| seen.count as usize);
                let (output, second) = (self.outputs[*output].0, second.map(|at| self.outputs[at].0));
                for at in 0..THREADS {
                    let value = match work {
                        Work::Add => {
                            let (a, b) = (self.load(Some(output), at), self.load(input, at));
                            sum(*kind, a, b)
                        }
                        Work::Reverse => self.load(input, length.wrapping_sub(1 + at)),
                    };
                    let value = clean(*kind, value);
                    self.store(Some(output), at, value);
                    self.store(second, at, value);
                }
            }
            Op::Atomics { kind, view } => {
                let seen = self.outputs[*view].0;
                let mut change = |at: usize, new: &dyn Fn(u32) -> u32| {
                    if let Some(element) = self.element(&seen, at) {
                        let old = u32::from_le_bytes(element.try_into().unwrap());
                        element.copy_from_slice(&new(old).to_le_bytes());
                    }
                };
                // The order of the threads does not matter, because each element receives only one of the two
                // operations.
                for thread in 0..THREADS as u32 {
                    let (sum, most) = (thread as usize / 3, thread as usize / 5 + 64);
                    change(sum, &|old| old.wrapping_add(thread));
                    change(most, &|old| match kind {
                        0 => old.max(thread * 1000),
                        _ => (old as i32).max(thread as i32 * 1000) as u32,
                    });
                }
            }
            Op::Raw { view } => {
                let seen = self.outputs[*view].0;
                for at in 0..THREADS {
                    if let Some(element) = self.element(&seen, at) {
                        let word = u32::from_le_bytes(element.try_into().unwrap()).wrapping_add(1);
                        element.copy_from_slice(&word.to_le_bytes());
                    }
                }
            }
            Op::ClearUint { view, values } => {
                let seen = self.outputs[*view].0;
                for at in 0..seen.count as usize {
                    let new = packed(seen.format, *values);
                    let Some(element) = self.element(&seen, at) else { continue };
                    element.copy_from_slice(&new[..element.len()]);
                }
            }
            Op::ClearFloat { view, values } => {
                let seen = self.outputs[*view].0;
                for at in 0..seen.count as usize {
                    self.store(Some(seen), at, values.map(f32::to_bits));
                }
            }
            Op::Copy { from, part, to, at } => {
                let bytes = self.contents[*from][part.clone()].to_vec();
                self.contents[*to][*at..at + bytes.len()].copy_from_slice(&bytes);
            }
            Op::Update { to, at, bytes } => {
                self.contents[*to][*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Op::Discard { bytes } => self.contents[DYNAMIC].clone_from(bytes),
        }
    }
}

/// Replaces a number in the same way as the shaders do before they use it.
fn clean(kind: usize, value: Bits) -> Bits {
    value.map(|bits| match bits & 0x7fff_ffff {
        _ if kind != 2 => bits,
        0x0080_0000..=0x7f80_0000 => bits & 0xffff_fc00,
        _ => 0,
    })
}

fn sum(kind: usize, a: Bits, b: Bits) -> Bits {
    let (a, b) = (clean(kind, a), clean(kind, b));
    std::array::from_fn(|n| match kind {
        2 => (f32::from_bits(a[n]) + f32::from_bits(b[n])).to_bits(),
        _ => a[n].wrapping_add(b[n]),
    })
}

/// Returns the lowest bits of each value, packed as a clear with integers writes them.
fn packed(format: Option<Format>, values: Bits) -> [u8; 16] {
    let mut element = 0_u128;
    for (component, first, bits) in texels::channels(format.unwrap_or(Format::R32_UINT)) {
        element |= (u128::from(values[component]) & ((1 << bits) - 1)) << first;
    }
    element.to_le_bytes()
}

fn compare(run: &Run, scene: &Scene, immediate: &mut ImmediateContext, after: usize) {
    for (at, (buffer, expected)) in scene.buffers.iter().zip(&scene.contents).enumerate() {
        let found: Vec<u8> = immediate.read_buffer(buffer).unwrap();
        let wrong: Vec<_> = (0..found.len()).filter(|byte| found[*byte] != expected[*byte]).collect();
        assert!(
            wrong.is_empty(),
            "bytes {wrong:?} of buffer {at} after part {after} of {run:?}:\n{found:x?}, not\n{expected:x?}"
        );
    }
}

/// Runs a program, or returns false if [`Harness::start_with`] returns no device.
pub(crate) fn execute(run: &Run) -> bool {
    let mut r = Random::new(run.seed);
    let started = Harness::start_with(run.config, &run.desc());
    let Some(Harness { watch, device, mut immediate, .. }) = started else { return false };
    watch.allow_all();
    let trace = std::env::var_os("ONZE_FUZZ_TRACE").is_some();
    let mut scene = Scene::new(&device, &mut r);
    let mut lists: Vec<(CommandList, Vec<Op>)> = Vec::new();
    let parts = run.steps as usize / 3;
    for part in 0..parts {
        let mut ops = Vec::new();
        for _ in 0..1 + r.below(6) {
            let op = scene.op(&mut r);
            let changed = if r.one_in(3) { scene.changed(&mut r, &op) } else { None };
            ops.push(op);
            ops.extend(changed);
        }
        if trace {
            eprintln!("-- part {part}");
        }
        match r.below(4) {
            0 | 1 => ops.iter().for_each(|op| {
                if trace {
                    eprintln!("{op:?}");
                }
                scene.record(&mut immediate, op);
                scene.model(op);
            }),
            2 => {
                let mut deferred = device.create_deferred_context().unwrap();
                let mut all = Vec::new();
                if let Some((list, inner)) = (!lists.is_empty() && r.one_in(2)).then(|| r.pick(&lists)) {
                    deferred.execute_command_list(list, r.one_in(2));
                    all.extend(inner.clone());
                }
                ops.iter().for_each(|op| scene.record(&mut deferred, op));
                all.extend(ops);
                // Longer lists are not kept, because lists are recorded into other lists and would grow
                // without bound.
                if all.len() < 40 {
                    lists.push((deferred.finish_command_list(false).unwrap(), all));
                }
            }
            _ if lists.is_empty() => {}
            _ => {
                let (list, ops) = r.pick(&lists).clone();
                let restore = r.one_in(2);
                immediate.execute_command_list(&list, restore);
                for op in &ops {
                    if trace {
                        eprintln!("in a list: {op:?}");
                    }
                    scene.model(op);
                }
            }
        }
        if device.adapter().kind != AdapterKind::Null && (r.one_in(6) || part + 1 == parts) {
            compare(run, &scene, &mut immediate, part);
        }
        run.step_done();
    }
    immediate.clear_state();
    drop((scene, lists, immediate));
    check(run, &device);
    true
}

/// Each format's component type matches its list in the model, and each format can be written.
#[test]
fn formats_of_random_programs_match_their_kinds() {
    for (kind, formats) in FORMATS.iter().enumerate() {
        for format in *formats {
            let of = match format.component_kind() {
                ComponentKind::Uint => 0,
                ComponentKind::Sint => 1,
                _ => 2,
            };
            assert!(of == kind && format.is_written_buffer_element(), "{format:?}");
        }
    }
}
