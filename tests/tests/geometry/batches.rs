//! Small draws with stored vertices, which share their dispatches.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Random, Target, on_each, wait_for};

/// Cells of the target in each direction, and their width in texels.
const CELLS: u32 = 8;
const CELL: u32 = 4;

/// The configurations that store vertices in different ways: not at all, all of them, and as many as fit.
const STORED: Config = Config::GPU.with_stored_geometry();
const FORMS: [Config; 4] = [
    Config { stored_geometry: StoredGeometry::Off, ..Config::GPU },
    STORED,
    Config { geometry_memory: Some(16 << 10), ..STORED },
    Config { workers: 0, page_draws: Some(1), ..STORED },
];

/// Both invocations for a point cover the cell with the number of the point, one half each. Its texels contain that
/// number, those of the vertex and of the primitive, and a constant of the pixel shader.
const TEXT: &str = "
    cbuffer Vertex : register(b0) { uint raised; };
    cbuffer Geometry : register(b1) { uint moved; };
    cbuffer Pixel : register(b2) { uint added; };
    cbuffer Dynamic : register(b3) { uint dynamic; };
    cbuffer Copied : register(b4) { uint copied; };
    StructuredBuffer<uint> shifts : register(t0);
    StructuredBuffer<uint> table : register(t1);
    struct Point { uint number : NUMBER; uint vertex : VERTEX; };
    Point vs_main(uint number : NUMBER, uint element : ELEMENT, uint vertex : SV_VertexID, uint instance : SV_InstanceID) {
        Point p = { number + element + raised, vertex + 16 * instance };
        return p;
    }
    struct Vertex { float4 position : SV_Position; nointerpolation uint2 value : VALUE; };
    [maxvertexcount(4)] [instance(2)]
    void gs_main(point Point p[1], uint id : SV_PrimitiveID, uint half : SV_GSInstanceID, inout TriangleStream<Vertex> to) {
        uint n = (p[0].number + moved + dynamic + copied + shifts[0] + table[0]) % 64;
        for (uint k = 0; k < 4; k++) {
            float2 at = (float2(n % 8, n / 8) + float2(half + k % 2, k / 2 * 2) / 2) / 4 - 1;
            Vertex v = { float4(at.x, -at.y, 0.5, 1), uint2(n, p[0].vertex + 64 * id) };
            to.Append(v);
        }
        END
    }
    uint ps_main(Vertex v) : SV_Target { return 0x80000000 + v.value.x + 0x100 * v.value.y + 0x1000000 * added; }";

/// A draw of consecutive points.
#[derive(Clone, Copy, Debug)]
struct CellDraw {
    start: u32,
    count: u32,
    instances: u32,
    /// The draw has indices of points, with a base vertex.
    base: Option<i32>,
    /// The constants of the shaders.
    raised: u32,
    moved: u32,
    added: u32,
    /// The value that the geometry shader reads from a view, and the first number in the vertex buffer.
    shift: u32,
    first: u32,
    /// An input of all further draws is written before the draw.
    written: Option<(Input, u32)>,
}

/// An input that is added to the numbers of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The element of the first instance in a vertex buffer.
    Element,
    /// A constant, in a dynamic buffer or in another one.
    Dynamic,
    Copied,
    /// An element of a view.
    Table,
}

impl Input {
    const ALL: [Self; 4] = [Self::Element, Self::Dynamic, Self::Copied, Self::Table];
}

const PLAIN: CellDraw = CellDraw {
    start: 0,
    count: 1,
    instances: 1,
    base: None,
    raised: 0,
    moved: 0,
    added: 0,
    shift: 0,
    first: 0,
    written: None,
};

impl CellDraw {
    fn random(random: &mut Random, kinds: u32) -> Self {
        // The bound pattern is too small for some draws.
        let is_large = random.one_in(12);
        Self {
            start: random.below(if is_large { 16 } else { 48 }),
            count: if is_large { 40 } else { 1 + random.below(4) },
            instances: if random.one_in(8) { 2 } else { 1 },
            base: random.one_in(4).then(|| random.below(8) as i32),
            raised: if random.one_in(4) { random.below(kinds) } else { 0 },
            moved: random.below(kinds),
            added: random.below(kinds),
            shift: random.below(kinds),
            first: random.below(kinds),
            written: (kinds > 1 && random.one_in(4)).then(|| (*random.pick(&Input::ALL), random.below(8))),
        }
    }
}

/// The index at a place of the index buffer.
const fn index(place: u32) -> u32 {
    place * 5 % 48
}

/// Returns the texels of all cells after some draws.
fn expected(draws: &[CellDraw]) -> Vec<u32> {
    let mut cells = vec![0; 64];
    let mut inputs = [0; 4];
    for draw in draws {
        if let Some((input, value)) = draw.written {
            inputs[input as usize] = value;
        }
        let points = (0..draw.instances).flat_map(|instance| (0..draw.count).map(move |at| (instance, at)));
        for (instance, at) in points {
            // The buffer has an element for the first instance only.
            let read = if instance == 0 { &inputs } else { &inputs[1..] };
            let (number, vertex) = match draw.base {
                Some(base) => (base as u32 + index(draw.start + at), index(draw.start + at)),
                None => (draw.start + at, at),
            };
            let number = if number < 64 { draw.first + number } else { 0 };
            let added = read.iter().sum::<u32>() + draw.raised + draw.moved + draw.shift;
            let cell = (number + added) % 64;
            let value = vertex + 16 * instance + 64 * at;
            cells[cell as usize] = 0x8000_0000 + cell + 0x100 * value + 0x100_0000 * draw.added;
        }
    }
    cells
}

/// The objects of the draws.
struct Board {
    target: Target,
    vs: VertexShader,
    gs: GeometryShader,
    ps: PixelShader,
    layout: InputLayout,
    numbers: Vec<Buffer>,
    /// The buffers of the inputs, and the view of the last one.
    inputs: [Buffer; 4],
    table: ShaderResourceView,
    shifts: Vec<ShaderResourceView>,
    cells: Vec<Buffer>,
    indices: Buffer,
    both_sides: RasterizerState,
}

impl Board {
    /// Creates the objects. `ends` are the last statements of the geometry shader.
    fn new(h: &Harness, ends: &str) -> Self {
        // The second instance has no element.
        h.watch.allow(&[MessageId::DrawVertexBufferTooSmall]);
        let device = &h.device;
        let text = TEXT.replace("END", ends);
        let hlsl = |entry| ShaderSource::hlsl(text.as_str(), entry);
        let vs = device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let number = InputElementDesc::new("NUMBER", 0, Format::R32_UINT);
        let element = InputElementDesc::new("ELEMENT", 0, Format::R32_UINT).slot(1).per_instance();
        let buffer = |flags, words: Vec<u32>| {
            let desc = BufferDesc::new(4 * words.len() as u32, flags);
            device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap()
        };
        let table = |n: u32| {
            let desc = BufferDesc::structured(4, 1, BindFlags::SHADER_RESOURCE);
            device.create_buffer(&desc, Some(bytemuck::cast_slice(&[n]))).unwrap()
        };
        let shifts = (0..4).map(|n| table(n).create_shader_resource_view().unwrap()).collect();
        let dynamic = BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER);
        let inputs = [
            buffer(BindFlags::VERTEX_BUFFER, vec![0]),
            device.create_buffer(&dynamic, Some(bytemuck::cast_slice(&[0_u32; 4]))).unwrap(),
            buffer(BindFlags::CONSTANT_BUFFER, vec![0; 4]),
            table(0),
        ];
        let both_sides = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        Self {
            target: Target::with_format(device, Format::R32_UINT, CELLS * CELL, CELLS * CELL),
            layout: device.create_input_layout(&[number, element], &vs).unwrap(),
            gs: device.create_geometry_shader(hlsl("gs_main")).unwrap(),
            ps: device.create_pixel_shader(hlsl("ps_main")).unwrap(),
            numbers: (0..4).map(|n| buffer(BindFlags::CONSTANT_BUFFER, vec![n, 0, 0, 0])).collect(),
            table: inputs[3].create_shader_resource_view().unwrap(),
            inputs,
            shifts,
            cells: (0..4)
                .map(|first| buffer(BindFlags::VERTEX_BUFFER, (first..first + 64).collect()))
                .collect(),
            indices: buffer(BindFlags::INDEX_BUFFER, (0..64).map(index).collect()),
            both_sides: device.create_rasterizer_state(&both_sides).unwrap(),
            vs,
        }
    }

    fn begin(&self, cx: &mut DeviceContext) {
        self.target.bind(cx);
        cx.clear_render_target_view(&self.target.view, [0.0; 4]);
        cx.vs_set_shader(&self.vs);
        cx.gs_set_shader(&self.gs);
        cx.ps_set_shader(&self.ps);
        cx.rs_set_state(&self.both_sides);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(1, VertexBufferBinding::new(&self.inputs[0], 4));
        cx.ia_set_index_buffer(&self.indices, Format::R32_UINT, 0);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.gs_set_constant_buffers(3, &self.inputs[1]);
        cx.gs_set_constant_buffers(4, &self.inputs[2]);
        cx.gs_set_shader_resources(1, &self.table);
        Input::ALL.iter().for_each(|input| self.write(cx, *input, 0));
    }

    fn write(&self, cx: &mut DeviceContext, input: Input, value: u32) {
        let buffer = &self.inputs[input as usize];
        match input {
            Input::Dynamic => cx.map(buffer, 0, MapType::WriteDiscard).unwrap().write(0, &[value; 4]),
            Input::Copied => cx.update_subresource(buffer, 0, None, &[value; 4], 0, 0),
            Input::Element | Input::Table => cx.update_subresource(buffer, 0, None, &[value], 0, 0),
        }
    }

    /// Makes draws. Only changes of the state are set.
    fn draw(&self, cx: &mut DeviceContext, draws: &[CellDraw]) {
        let mut last = None;
        for draw in draws {
            let has = |part: fn(&CellDraw) -> u32| last.as_ref().is_some_and(|last| part(last) == part(draw));
            if let Some((input, value)) = draw.written {
                self.write(cx, input, value);
            }
            if !has(|draw| draw.raised) {
                cx.vs_set_constant_buffers(0, &self.numbers[draw.raised as usize]);
            }
            if !has(|draw| draw.moved) {
                cx.gs_set_constant_buffers(1, &self.numbers[draw.moved as usize]);
            }
            if !has(|draw| draw.added) {
                cx.ps_set_constant_buffers(2, &self.numbers[draw.added as usize]);
            }
            if !has(|draw| draw.shift) {
                cx.gs_set_shader_resources(0, &self.shifts[draw.shift as usize]);
            }
            if !has(|draw| draw.first) {
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.cells[draw.first as usize], 4));
            }
            match draw.base {
                Some(base) => cx.draw_indexed_instanced(draw.count, draw.instances, draw.start, base, 0),
                None => cx.draw_instanced(draw.count, draw.instances, draw.start, 0),
            }
            last = Some(*draw);
        }
    }

    /// Returns the texels of all cells.
    fn texels(&self, h: &mut Harness) -> Vec<u32> {
        let texels = self.target.read(h);
        h.assert_silent();
        let cell = |n: u32| {
            let of_cell = (0..CELL * CELL).map(|at| {
                let (x, y) = (n % CELLS * CELL + at % CELL, n / CELLS * CELL + at / CELL);
                texels[(y * CELLS * CELL + x) as usize]
            });
            let of_cell: Vec<_> = of_cell.collect();
            assert!(of_cell.iter().all(|texel| *texel == of_cell[0]), "cell {n}: {of_cell:x?}");
            of_cell[0]
        };
        (0..64).map(cell).collect()
    }
}

/// Makes draws, and returns the texels of all cells.
fn found(h: &mut Harness, board: &Board, how: CommandPath, draws: &[CellDraw]) -> Vec<u32> {
    h.record(how, |cx| {
        board.begin(cx);
        board.draw(cx, draws);
    });
    board.texels(h)
}

#[test]
fn small_draws_keep_their_order_and_their_numbers() {
    on_each(&FORMS, |h| {
        let mut random = Random::new(1);
        // The second shader may end strips anywhere, so its triangles share no vertices.
        for ends in ["", "to.RestartStrip();"] {
            let board = Board::new(h, ends);
            for kinds in [1, 2, 4] {
                let draws: Vec<_> = (0..120).map(|_| CellDraw::random(&mut random, kinds)).collect();
                for how in CommandPath::ALL {
                    let found = found(h, &board, how, &draws);
                    assert_eq!(found, expected(&draws), "{kinds} {how:?} {ends}");
                }
            }
        }
    });
}

#[test]
fn draws_that_differ_in_arguments_share_a_dispatch() {
    const DRAWS: u32 = 128;
    let batches = |change: fn(&mut CellDraw, u32)| {
        let mut h = Harness::start(STORED)?;
        let draw = |n| {
            let mut draw = CellDraw { start: n % 48, count: 1 + n % 2, ..PLAIN };
            change(&mut draw, n);
            draw
        };
        let draws: Vec<_> = (0..DRAWS).map(draw).collect();
        let board = Board::new(&h, "");
        assert_eq!(found(&mut h, &board, CommandPath::Immediate, &draws), expected(&draws));
        drop(board);
        let statistics = h.device.statistics();
        assert_eq!(statistics.draws_stored, DRAWS.into());
        h.finish();
        Some(statistics.vertex_batches)
    };
    // Each batch has room for about twice as many draws as the one before.
    let doubling = 6..=9;
    let Some(alike) = batches(|_, _| ()) else { return };
    assert!(doubling.contains(&alike), "{alike}");
    // Each draw has its own constants.
    assert_eq!(batches(|draw, n| draw.added = n % 4), Some(alike));
    assert_eq!(batches(|draw, n| draw.moved = n % 4), Some(alike));
    assert_eq!(batches(|draw, n| draw.moved = n / 4 % 4), Some(alike));
    assert_eq!(batches(|draw, n| draw.raised = n % 4), Some(alike));
    assert_eq!(batches(|draw, n| draw.written = Some((Input::Dynamic, n % 4))), Some(alike));
    assert_eq!(batches(|draw, n| draw.written = Some((Input::Copied, n % 4))), Some(alike));
    // Other views, buffers and instances are bound or stored in another way.
    let changes: [fn(&mut CellDraw, u32); 4] = [
        |draw, n| draw.shift = n % 2,
        |draw, n| draw.first = n % 2,
        |draw, n| draw.instances = 1 + n % 2,
        |draw, n| draw.base = (n % 2 == 0).then_some(3),
    ];
    for change in changes {
        let of_two = batches(change).unwrap();
        assert!((alike + 1..=2 * alike).contains(&of_two), "{of_two}");
    }
    // A write to an input ends the batches.
    let writes: [fn(&mut CellDraw, u32); 2] = [
        |draw, n| draw.written = (n % 4 == 0).then_some((Input::Element, n / 4 % 2)),
        |draw, n| draw.written = (n % 4 == 0).then_some((Input::Table, n / 4 % 2)),
    ];
    for write in writes {
        let written = batches(write).unwrap();
        assert!(written >= u64::from(DRAWS / 4), "{written}");
    }
}

#[test]
fn large_draws_have_vertices_and_patterns_of_their_own() {
    on_each(&FORMS, |h| {
        let board = Board::new(h, "");
        let small = |n: u32| CellDraw { start: n % 48, ..PLAIN };
        // After that many small draws, a batch has room for a draw that needs a larger pattern.
        let mut draws: Vec<_> = (0..150).map(small).collect();
        draws.push(CellDraw { count: 40, ..PLAIN });
        assert_eq!(found(h, &board, CommandPath::Immediate, &draws), expected(&draws));
        // The vertices of each draw take more than half of a chunk of the arena.
        let draws = [1, 2].map(|moved| CellDraw { count: 16_000, moved, ..PLAIN });
        assert_eq!(found(h, &board, CommandPath::Immediate, &draws), expected(&draws));
    });
}

#[test]
fn draws_in_batches_are_measured_alone() {
    on_each(&FORMS, |h| {
        let board = Board::new(h, "");
        let device = h.device.clone();
        let draws: Vec<_> = (0..24).map(|n| CellDraw { start: 2 * n, count: 2, ..PLAIN }).collect();
        for how in CommandPath::ALL {
            let samples = device.create_occlusion_query().unwrap();
            let statistics = device.create_pipeline_statistics_query().unwrap();
            h.record(how, |cx| {
                board.begin(cx);
                board.draw(cx, &draws[..8]);
                cx.begin(&samples);
                board.draw(cx, &draws);
                cx.end(&samples);
                cx.begin(&statistics);
                board.draw(cx, &draws[..3]);
                cx.end(&statistics);
                board.draw(cx, &draws[..8]);
            });
            let samples = wait_for("the samples", || h.immediate.get_data(&samples, false).unwrap());
            assert_eq!(samples, u64::from(48 * CELL * CELL), "{how:?}");
            let found = wait_for("the statistics", || h.immediate.get_data(&statistics, false).unwrap());
            assert_eq!(
                (found.ia_primitives, found.gs_invocations, found.gs_primitives),
                (6, 12, 24),
                "{how:?}"
            );
            assert_eq!((found.vs_invocations, found.cs_invocations), (6, 0), "{how:?}");
            assert_eq!(board.texels(h), expected(&draws));
        }
    });
}
