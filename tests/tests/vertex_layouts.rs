//! Random input layouts, compared with a model of the vertex fetch. Formats, offsets, strides, step rates,
//! buffer sizes and draw ranges vary. wgpu fetches the vertices in some cases, and the shader fetches them in
//! the other cases. The vertices are drawn as points, with a geometry shader, or as patches.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "vertex_layouts/model.rs"]
mod model;

use onze::{FormatSupport, ddi::ComponentKind, prelude::*};
use onze_tests::{CommandPath, Harness, Random, Target, gpu_matrix, on_each};

/// Width of the target, where the vertex selects the column and the instance selects the row.
const WIDTH: u32 = 16;
/// Height of the target.
const HEIGHT: u32 = 8;

const NOTHING: [u32; 4] = [7; 4];

/// The slot that contains only the positions of vertices.
const PLACE: u32 = 31;
/// The slot that contains only the rows of instances.
const ROW: u32 = 30;

/// An element, and the number of components that the shader reads from it.
#[derive(Clone, Debug)]
struct Element {
    format: Format,
    slot: u32,
    offset: u32,
    components: u32,
}

#[derive(Clone, Debug)]
struct Slot {
    slot: u32,
    /// The step rate in instances, or `None` if the slot has data per vertex.
    rate: Option<u32>,
    stride: u32,
    offset: u32,
    /// The contents of the slot's buffer, or `None` if the slot is empty.
    bytes: Option<Vec<u8>>,
    dynamic: bool,
}

#[derive(Copy, Clone, Debug)]
struct Call {
    indexed: bool,
    instanced: bool,
    indirect: bool,
    count: u32,
    instances: u32,
    start: u32,
    base: i32,
    start_instance: u32,
}

/// The stages between the vertex shader and the rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Middle {
    None,
    Geometry,
    /// Hull and domain shaders, and perhaps a geometry shader.
    Patches {
        has_geometry: bool,
    },
}

/// Shaders that pass each vertex on.
const MIDDLE: &str = "
    fn append0(point: Point) {}
    fn gs_main(points: array<Point, 1>) { append0(points[0]); }
    struct Constants { tess_factor: array<f32, 2> }
    fn hs_main(points: array<Point, 1>) -> Constants { return Constants(array(1.0, 1.0)); }
    fn ds_main(constants: Constants, points: array<Point, 1>) -> Point { return points[0]; }";

struct Case {
    middle: Middle,
    /// Whether wgpu can usually fetch the vertices of this layout.
    is_ordinary: bool,
    elements: Vec<Element>,
    slots: Vec<Slot>,
    /// Whether the shader computes positions from SV_VertexID and SV_InstanceID instead of reading them from
    /// vertex data.
    is_numbered: bool,
    indices: Vec<u32>,
    wide: bool,
    calls: Vec<Call>,
}

fn kind(format: Format) -> &'static str {
    match format.component_kind() {
        ComponentKind::Uint => "u32",
        ComponentKind::Sint => "i32",
        _ => "f32",
    }
}

impl Case {
    fn new(random: &mut Random, formats: &[Format], is_ordinary: bool) -> Self {
        let numbers = [0, 1, 2, 3, 7, 12, 29];
        let mut slots = Vec::new();
        for slot in numbers.iter().copied().take(random.range(1..5) as usize) {
            let size = random.range(1..160);
            let word = |n: u32| if is_ordinary { n.next_multiple_of(4) } else { n };
            slots.push(Slot {
                slot,
                rate: match random.below(3) {
                    0 if is_ordinary => Some(1),
                    0 => Some(*random.pick(&[0, 1, 1, 2, 3, 5, 1 << 31, u32::MAX])),
                    _ => None,
                },
                stride: if random.one_in(9) { 0 } else { word(random.range(1..70)) },
                offset: if random.one_in(9) { random.range(150..300) } else { word(random.below(21)) },
                bytes: (!random.one_in(8)).then(|| random.bytes(size as usize)),
                dynamic: random.one_in(3),
            });
        }
        let mut elements = Vec::new();
        for _ in 0..random.range(1..6) {
            let format = *random.pick(formats);
            let slot = random.pick(&slots);
            let room = if is_ordinary { slot.stride.saturating_sub(format.bytes_per_block()) } else { 100 };
            let offset = random.below(room + 1);
            let offset = offset / format.element_alignment() * format.element_alignment();
            let components = random.range(1..5);
            elements.push(Element { format, slot: slot.slot, offset, components });
        }
        let wide = random.one_in(2);
        let indices = (0..random.range(1..24)).map(|_| random.below(WIDTH)).collect();
        let is_numbered = random.one_in(2);
        let calls = (0..random.range(1..4)).map(|_| Call::new(random, is_numbered)).collect();
        let middle = *random.pick(&[
            Middle::None,
            Middle::None,
            Middle::Geometry,
            Middle::Patches { has_geometry: false },
            Middle::Patches { has_geometry: true },
        ]);
        Self { middle, is_ordinary, elements, slots, is_numbered, indices, wide, calls }
    }

    fn shader(&self) -> String {
        let declare = |(at, element): (usize, &Element)| {
            let kind = kind(element.format);
            match element.components {
                1 => format!("@location({at}) e{at}: {kind}, "),
                n => format!("@location({at}) e{at}: vec{n}<{kind}>, "),
            }
        };
        let inputs: String = self.elements.iter().enumerate().map(declare).collect();
        let show = |(at, element): (usize, &Element)| {
            let parts: Vec<_> = (0..4)
                .map(|n| match (element.components, n) {
                    (1, 0) => format!("bitcast<u32>(e{at})"),
                    (count, n) if n < count => format!("bitcast<u32>(e{at}[{n}])"),
                    _ => "0u".to_owned(),
                })
                .collect();
            format!("case {at}: {{ data = vec4u({}); }}\n", parts.join(", "))
        };
        let cases: String = self.elements.iter().enumerate().map(show).collect();
        let last = self.elements.len();
        let (numbers, place) = if self.is_numbered {
            (
                "@builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32".to_owned(),
                "vec2u(vertex, instance)",
            )
        } else {
            (format!("@location({last}) place: u32, @location({}) row: u32", last + 1), "vec2u(place, row)")
        };
        format!(
            "struct Which {{ element: i32 }}
            @group(0) @binding(0) var<uniform> which: Which;
            struct Point {{ @builtin(position) position: vec4f, @location(0) @interpolate(flat) data: vec4u }}
            @vertex fn vs_main({inputs}{numbers}) -> Point {{
                var data = vec4u();
                switch which.element {{ {cases} default: {{}} }}
                let at = (vec2f({place}) + 0.5) / vec2f({WIDTH}.0, {HEIGHT}.0) * 2.0 - 1.0;
                return Point(vec4f(at.x, -at.y, 0.0, 1.0), data);
            }}
            @fragment fn ps_main(point: Point) -> @location(0) vec4u {{ return point.data; }}
            {MIDDLE}"
        )
    }

    fn layout(&self) -> Vec<InputElementDesc> {
        let by_slot = |desc: InputElementDesc, rate: Option<u32>| match rate {
            Some(rate) => desc.step_rate(rate),
            None => desc,
        };
        let element = |(at, element): (u32, &Element)| {
            let slot = self.slots.iter().find(|slot| slot.slot == element.slot).unwrap();
            let desc = InputElementDesc::new("", 0, element.format).at_location(at).slot(element.slot);
            by_slot(desc.offset(element.offset), slot.rate)
        };
        let mut all: Vec<_> = (0..).zip(&self.elements).map(element).collect();
        if !self.is_numbered {
            let last = all.len() as u32;
            let place = |at, slot| InputElementDesc::new("", 0, Format::R32_UINT).at_location(at).slot(slot);
            all.extend([place(last, PLACE), place(last + 1, ROW).per_instance()]);
        }
        all
    }

    /// Returns the values of an element that the rules allow for each texel, or an empty list if any value is
    /// allowed.
    fn picture(&self, at: usize) -> Vec<Vec<[u32; 4]>> {
        let mut picture = vec![vec![NOTHING]; (WIDTH * HEIGHT) as usize];
        for call in &self.calls {
            for instance in 0..call.instances {
                for n in 0..call.count {
                    let (number, vertex) = call.vertex(n, &self.indices);
                    let placed = [vertex, call.start_instance.wrapping_add(instance)];
                    let [x, y] = if self.is_numbered { [number, instance] } else { placed };
                    if x < WIDTH && y < HEIGHT {
                        picture[(y * WIDTH + x) as usize] = self.read(at, vertex, call, instance);
                    }
                }
            }
        }
        picture
    }

    /// Returns the allowed values of an element. If the element extends past its buffer, the missing bytes or
    /// the whole element may be zero, because Direct3D 11 allows both.
    fn read(&self, at: usize, vertex: u32, call: &Call, instance: u32) -> Vec<[u32; 4]> {
        let element = &self.elements[at];
        let slot = self.slots.iter().find(|slot| slot.slot == element.slot).unwrap();
        let Some(bytes) = &slot.bytes else { return vec![[0; 4]] };
        let number = match slot.rate {
            None => vertex,
            Some(0) => call.start_instance,
            Some(rate) => call.start_instance.wrapping_add(instance / rate),
        };
        let seen = bytes.get(slot.offset as usize..).unwrap_or_default();
        let first = model::address(number, slot.stride, element.offset) as usize;
        let size = element.format.bytes_per_block() as usize;
        let mut padded = seen.get(first..).unwrap_or_default().to_vec();
        padded.resize(size, 0);
        let whole = seen.get(first..first.saturating_add(size));
        if whole.is_none() && self.is_ordinary && self.middle == Middle::None && call.indexed {
            // If wgpu fetches indexed vertices, the adapter determines out-of-range values.
            return Vec::new();
        }
        let value = |bytes| {
            let mut value = model::element(element.format, bytes);
            value[element.components as usize..].fill(0);
            value
        };
        [whole, Some(&padded)].into_iter().map(value).collect()
    }
}

impl Call {
    fn new(random: &mut Random, is_numbered: bool) -> Self {
        let (indexed, indirect) = (random.one_in(2), random.one_in(3));
        let instanced = indirect || random.one_in(2);
        let base = match (indexed, is_numbered) {
            (false, _) => 0,
            (true, true) => random.below(9) as i32 - 3,
            (true, false) => random.below(3) as i32,
        };
        Self {
            indexed,
            instanced,
            indirect,
            count: random.range(0..WIDTH),
            instances: if instanced { random.below(HEIGHT) } else { 1 },
            start: random.below(6),
            base,
            start_instance: if instanced { random.below(5) } else { 0 },
        }
    }

    /// Returns SV_VertexID, and the index of the vertex in its buffers.
    fn vertex(&self, n: u32, indices: &[u32]) -> (u32, u32) {
        if !self.indexed {
            return (n, self.start + n);
        }
        let index = indices.get((self.start + n) as usize).copied().unwrap_or(0);
        (index, index.wrapping_add_signed(self.base))
    }

    fn words(&self) -> Vec<u32> {
        let Self { count, instances, start, base, start_instance, .. } = *self;
        if self.indexed {
            vec![count, instances, start, base as u32, start_instance]
        } else {
            vec![count, instances, start, start_instance]
        }
    }

    fn draw(&self, cx: &mut DeviceContext, arguments: &Buffer) {
        let Self { count, instances, start, base, start_instance, .. } = *self;
        match (self.indexed, self.instanced, self.indirect) {
            (false, _, true) => cx.draw_instanced_indirect(arguments, 0),
            (true, _, true) => cx.draw_indexed_instanced_indirect(arguments, 0),
            (false, true, false) => cx.draw_instanced(count, instances, start, start_instance),
            (true, true, false) => cx.draw_indexed_instanced(count, instances, start, base, start_instance),
            (false, false, false) => cx.draw(count, start),
            (true, false, false) => cx.draw_indexed(count, start, base),
        }
    }
}

struct Scene {
    vs: VertexShader,
    hs: Option<HullShader>,
    ds: Option<DomainShader>,
    gs: Option<GeometryShader>,
    ps: PixelShader,
    layout: InputLayout,
    buffers: Vec<Option<(Buffer, Vec<u8>)>>,
    places: Buffer,
    indices: Buffer,
    arguments: Vec<Buffer>,
    which: ConstantBuffer<[i32; 4]>,
}

impl Scene {
    fn new(h: &Harness, case: &Case) -> Self {
        let d = &h.device;
        let source = case.shader();
        let vs = d.create_vertex_shader(ShaderSource::wgsl(&source, "vs_main")).unwrap();
        let is_patch = matches!(case.middle, Middle::Patches { .. });
        let patches =
            HullShaderDesc::new(TessellatorDomain::Isoline, 1).with_output(TessellatorOutput::Point);
        let hs = ShaderSource::wgsl_hull(&source, "hs_main", &patches);
        let ds = ShaderSource::wgsl_domain(&source, "ds_main", TessellatorDomain::Isoline);
        let has_geometry = matches!(case.middle, Middle::Geometry | Middle::Patches { has_geometry: true });
        let points = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
        let gs = ShaderSource::wgsl_geometry(&source, "gs_main", &points);
        let buffer = |slot: &Slot| {
            let bytes = slot.bytes.clone()?;
            let size = bytes.len() as u32;
            let made = if slot.dynamic {
                d.create_buffer(&BufferDesc::dynamic(size, BindFlags::VERTEX_BUFFER), None).unwrap()
            } else {
                d.create_buffer_with(BindFlags::VERTEX_BUFFER, &bytes).unwrap()
            };
            Some((made, bytes))
        };
        let numbers: Vec<u32> = (0..64).collect();
        let indices = if case.wide {
            d.create_buffer_with(BindFlags::INDEX_BUFFER, &case.indices).unwrap()
        } else {
            let narrow: Vec<_> = case.indices.iter().map(|index| *index as u16).collect();
            d.create_buffer_with(BindFlags::INDEX_BUFFER, &narrow).unwrap()
        };
        let arguments = |call: &Call| {
            let words = call.words();
            let desc = BufferDesc::indirect(4 * words.len() as u32, BindFlags::empty());
            d.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap()
        };
        Self {
            hs: is_patch.then(|| d.create_hull_shader(hs).unwrap()),
            ds: is_patch.then(|| d.create_domain_shader(ds).unwrap()),
            gs: has_geometry.then(|| d.create_geometry_shader(gs).unwrap()),
            ps: d.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap(),
            layout: d.create_input_layout(&case.layout(), &vs).unwrap(),
            vs,
            buffers: case.slots.iter().map(buffer).collect(),
            places: d.create_buffer_with(BindFlags::VERTEX_BUFFER, &numbers).unwrap(),
            indices,
            arguments: case.calls.iter().map(arguments).collect(),
            which: d.create_constant_buffer(&[0; 4]).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext, case: &Case) {
        cx.vs_set_shader(&self.vs);
        cx.hs_set_shader(self.hs.as_ref());
        cx.ds_set_shader(self.ds.as_ref());
        cx.gs_set_shader(self.gs.as_ref());
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_primitive_topology(match self.hs {
            Some(_) => PrimitiveTopology::PatchList1,
            None => PrimitiveTopology::PointList,
        });
        cx.vs_set_constant_buffers(0, &self.which);
        cx.ia_set_index_buffer(&self.indices, if case.wide { Format::R32_UINT } else { Format::R16_UINT }, 0);
        cx.ia_set_vertex_buffers(ROW, [VertexBufferBinding::new(&self.places, 4); 2]);
        for (slot, buffer) in case.slots.iter().zip(&self.buffers) {
            let Slot { stride, offset, .. } = *slot;
            if slot.dynamic
                && let Some((buffer, bytes)) = buffer
            {
                cx.map(buffer, 0, MapType::WriteDiscard).unwrap().copy_from_slice(bytes);
            }
            let binding = buffer.as_ref().map(|(buffer, _)| VertexBufferBinding { buffer, stride, offset });
            cx.ia_set_vertex_buffers(slot.slot, binding);
        }
    }
}

fn check(h: &mut Harness, case: &Case, how: CommandPath, what: &str) {
    let scene = Scene::new(h, case);
    let targets: Vec<_> = case
        .elements
        .iter()
        .map(|_| Target::with_format(&h.device, Format::R32G32B32A32_UINT, WIDTH, HEIGHT))
        .collect();
    h.record(how, |cx| {
        scene.bind(cx, case);
        for (at, target) in targets.iter().enumerate() {
            cx.clear_render_target_view(&target.view, [7.0; 4]);
            target.bind(cx);
            cx.update(&scene.which, &[at as i32; 4]).unwrap();
            for (call, arguments) in case.calls.iter().zip(&scene.arguments) {
                call.draw(cx, arguments);
            }
        }
    });
    for (at, (element, target)) in case.elements.iter().zip(&targets).enumerate() {
        let found: Vec<[u32; 4]> = bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0));
        let expected = case.picture(at);
        for (n, (found, expected)) in (0..).zip(found.iter().zip(&expected)) {
            let is_same = |(found, expected): (&u32, &u32)| model::is_same(element.format, *found, *expected);
            let is_one = |expected: &[u32; 4]| found.iter().zip(expected).all(is_same);
            if !expected.is_empty() && !expected.iter().any(is_one) {
                let (x, y) = (n % WIDTH, n / WIDTH);
                panic!(
                    "{what}, {how:?}: element {at} at ({x}, {y}) is {found:x?}, not {expected:x?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
                    case.middle, case.elements, case.slots, case.calls, case.indices
                );
            }
        }
    }
    h.device.info_queue().clear();
}

/// Limits the indices of indirect draws to the index buffer, because otherwise wgpu would reject the
/// arguments and draw nothing.
fn keep_indices_within(case: &mut Case) {
    let count = case.indices.len() as u32;
    for call in case.calls.iter_mut().filter(|call| call.indexed && call.indirect) {
        call.start = call.start.min(count);
        call.count = call.count.min(count - call.start);
    }
}

#[test]
fn random_layouts_match_the_model() {
    let formats: Vec<_> = Format::ALL.iter().copied().filter(|format| format.is_vertex_element()).collect();
    for format in &formats {
        assert!(format.bytes_per_block() > 0, "{format:?}");
    }
    let first = std::env::var("ONZE_LAYOUT_SEED").ok().and_then(|seed| seed.parse().ok());
    let count = std::env::var("ONZE_LAYOUT_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(32);
    let seeds = std::cell::Cell::new(first.unwrap_or(0u64));
    on_each(&gpu_matrix(), |h| {
        h.watch.allow(&[
            MessageId::DrawIndexBufferTooSmall,
            MessageId::DrawVertexBufferNotSet,
            MessageId::DrawVertexBufferTooSmall,
            MessageId::DrawVertexStrideTooShort,
        ]);
        for format in &formats {
            assert!(h.has_format(*format, FormatSupport::IA_VERTEX_BUFFER), "{format:?}");
        }
        for _ in 0..count {
            let seed = seeds.replace(seeds.get() + 1);
            let mut random = Random::new(seed);
            let is_ordinary = random.one_in(4);
            let mut case = Case::new(&mut random, &formats, is_ordinary);
            keep_indices_within(&mut case);
            let how = *random.pick(&CommandPath::ALL);
            check(h, &case, how, &format!("ONZE_LAYOUT_SEED={seed} ONZE_LAYOUT_CASES=1"));
        }
    });
}
