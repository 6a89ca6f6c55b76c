//! Small draws of patches, which share their dispatches.

use onze::{PipelineStatistics, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, Target, on_each};

use super::stages::{FORMS, Stages, constants, table};

/// Cells of the target in each direction, and their width in texels.
const CELLS: u32 = 8;
const CELL: u32 = 4;

/// A patch covers the cell with the number of its control point. Its texels contain that number, the number of the patch
/// in two stages, and a constant of the pixel shader. Each eleventh cell is culled.
const TEXT: &str = "
    cbuffer Hull : register(b0) { uint moved; };
    cbuffer Pixel : register(b1) { uint added; };
    StructuredBuffer<uint> shifts : register(t0);
    struct Cell { uint number : NUMBER; };
    Cell vs_main(uint number : NUMBER, uint element : ELEMENT) { Cell c = { number + element }; return c; }
    struct Factors { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; uint patch : PATCH; };
    Factors constants(InputPatch<Cell, 1> cells, uint patch : SV_PrimitiveID) {
        uint cell = (cells[0].number + moved + shifts[0]) % 64;
        Factors f;
        f.e[0] = f.e[1] = f.e[2] = f.e[3] = f.i[0] = f.i[1] = cell % 11 == 10 ? 0 : 1 + cell % 5;
        f.patch = patch;
        return f;
    }
    [domain(\"quad\")] [partitioning(\"fractional_even\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
    [patchconstantfunc(\"constants\")]
    Cell hs_main(InputPatch<Cell, 1> cells) { Cell c = { (cells[0].number + moved + shifts[0]) % 64 }; return c; }
    struct Vertex { float4 position : SV_Position; nointerpolation uint2 value : VALUE; };
    [domain(\"quad\")]
    Vertex ds_main(Factors f, float2 uv : SV_DomainLocation, uint id : SV_PrimitiveID, const OutputPatch<Cell, 1> cells) {
        uint n = cells[0].number;
        float2 at = (float2(n % 8, n / 8) + uv) / 4 - 1;
        Vertex v = { float4(at.x, -at.y, 0.5, 1), uint2(n, f.patch + 16 * id) };
        return v;
    }
    uint ps_main(Vertex v) : SV_Target { return 0x1000000 + v.value.x + 0x100 * v.value.y + 0x10000 * added; }";

/// A draw of consecutive cells.
#[derive(Clone, Copy, Debug)]
struct CellDraw {
    start: u32,
    count: u32,
    instances: u32,
    /// The constants of the hull shader and of the pixel shader.
    moved: u32,
    added: u32,
    /// The value that the hull shader reads from a view, and the first number in the vertex buffer.
    shift: u32,
    first: u32,
    /// The vertex buffer is written before the draw.
    written: Option<u32>,
}

const PLAIN: CellDraw =
    CellDraw { start: 0, count: 1, instances: 1, moved: 0, added: 0, shift: 0, first: 0, written: None };

impl CellDraw {
    fn random(random: &mut Random, kinds: u32) -> Self {
        Self {
            start: random.below(64),
            count: 1 + random.below(4),
            instances: if random.one_in(8) { 2 } else { 1 },
            moved: random.below(kinds),
            added: random.below(kinds),
            shift: random.below(kinds),
            first: random.below(kinds),
            written: (kinds > 1 && random.one_in(6)).then(|| random.below(8)),
        }
    }
}

/// Returns the texels of all cells after some draws.
fn expected(draws: &[CellDraw]) -> Vec<u32> {
    let mut cells = vec![0; 64];
    let mut element = 0;
    for draw in draws {
        element = draw.written.unwrap_or(element);
        // The buffer has an element for the first instance only.
        let patches =
            (0..draw.instances).flat_map(|instance| (0..draw.count).map(move |patch| (instance, patch)));
        for (instance, patch) in patches {
            let element = if instance == 0 { element } else { 0 };
            let cell = (draw.first + draw.start + patch + element + draw.moved + draw.shift) % 64;
            if cell % 11 != 10 {
                cells[cell as usize] = 0x100_0000 + cell + 0x1100 * patch + 0x1_0000 * draw.added;
            }
        }
    }
    cells
}

/// The objects of the draws.
struct Board {
    target: Target,
    stages: Stages,
    layout: InputLayout,
    numbers: Vec<Buffer>,
    shifts: Vec<ShaderResourceView>,
    cells: Vec<Buffer>,
    elements: Buffer,
}

impl Board {
    fn new(h: &Harness) -> Self {
        // The second instance has no element.
        h.watch.allow(&[MessageId::DrawVertexBufferTooSmall]);
        let device = &h.device;
        let stages = Stages::new(device, TEXT);
        let number = InputElementDesc::new("NUMBER", 0, Format::R32_UINT);
        let element = InputElementDesc::new("ELEMENT", 0, Format::R32_UINT).slot(1).per_instance();
        let cells = |first: u32| (first..first + 68).map(u32::to_le_bytes).collect::<Vec<_>>().concat();
        let buffer = |bytes: &[u8]| {
            let desc = BufferDesc::new(bytes.len() as u32, BindFlags::VERTEX_BUFFER);
            device.create_buffer(&desc, Some(bytes)).unwrap()
        };
        Self {
            target: Target::with_format(device, Format::R32_UINT, CELLS * CELL, CELLS * CELL),
            layout: device.create_input_layout(&[number, element], &stages.vs).unwrap(),
            numbers: (0..4_u32).map(|n| constants(device, &[n, 0, 0, 0])).collect(),
            shifts: (0..4_u32).map(|n| table(device, &[n])).collect(),
            cells: (0..4).map(|first| buffer(&cells(first))).collect(),
            elements: buffer(&[0; 4]),
            stages,
        }
    }

    fn begin(&self, cx: &mut DeviceContext) {
        self.target.bind(cx);
        cx.clear_render_target_view(&self.target.view, [0.0; 4]);
        self.stages.bind(cx);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(1, VertexBufferBinding::new(&self.elements, 4));
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
    }

    fn draw(&self, cx: &mut DeviceContext, draws: &[CellDraw]) {
        for draw in draws {
            if let Some(element) = draw.written {
                cx.update_subresource(&self.elements, 0, None, &[element], 0, 0);
            }
            cx.hs_set_constant_buffers(0, &self.numbers[draw.moved as usize]);
            cx.ps_set_constant_buffers(1, &self.numbers[draw.added as usize]);
            cx.hs_set_shader_resources(0, &self.shifts[draw.shift as usize]);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.cells[draw.first as usize], 4));
            cx.draw_instanced(draw.count, draw.instances, draw.start, 0);
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
fn found(h: &mut Harness, how: CommandPath, draws: &[CellDraw]) -> Vec<u32> {
    let board = Board::new(h);
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
        for kinds in [1, 2, 4] {
            let draws: Vec<_> = (0..120).map(|_| CellDraw::random(&mut random, kinds)).collect();
            for how in CommandPath::ALL {
                assert_eq!(found(h, how, &draws), expected(&draws), "{kinds} {how:?}");
            }
        }
    });
}

#[test]
fn draws_that_differ_in_arguments_share_dispatches() {
    const DRAWS: u32 = 128;
    let batches = |change: fn(&mut CellDraw, u32)| {
        let mut h = Harness::start(Config::GPU)?;
        let draw = |n| {
            let mut draw = CellDraw { start: n % 64, count: 1 + n % 2, ..PLAIN };
            change(&mut draw, n);
            draw
        };
        let draws: Vec<_> = (0..DRAWS).map(draw).collect();
        assert_eq!(found(&mut h, CommandPath::Immediate, &draws), expected(&draws));
        let batches = h.device.statistics().patch_batches;
        h.finish();
        Some(batches)
    };
    // Each batch has room for about twice as many draws as the one before.
    let doubling = 6..=9;
    let Some(alike) = batches(|_, _| ()) else { return };
    assert!(doubling.contains(&alike), "{alike}");
    // Each draw has its own constants.
    assert_eq!(batches(|draw, n| draw.added = n % 4), Some(alike));
    assert_eq!(batches(|draw, n| draw.moved = n % 4), Some(alike));
    // Other views and buffers are bound in another way.
    for of_two in [batches(|draw, n| draw.shift = n % 2), batches(|draw, n| draw.first = n % 2)] {
        assert!(of_two.is_some_and(|of_two| (alike + 1..=2 * alike).contains(&of_two)), "{of_two:?}");
    }
    // Draws of several instances have another pipeline, so both kinds of draws have batches of their own.
    let of_two = batches(|draw, n| draw.instances = 1 + n % 2).unwrap();
    assert!((alike + 1..=2 * alike).contains(&of_two), "{of_two}");
    // A write to an input ends the batches.
    let written = batches(|draw, n| draw.written = (n % 4 == 0).then_some(n / 4 % 2)).unwrap();
    assert!(written >= u64::from(DRAWS / 4), "{written}");
}

#[test]
fn draws_in_batches_are_measured_alone() {
    on_each(&FORMS, |h| {
        let board = Board::new(h);
        let device = h.device.clone();
        let draws: Vec<_> = (0..30).map(|n| CellDraw { start: 2 * n, count: 2, ..PLAIN }).collect();
        let drawn = expected(&draws).iter().filter(|texel| **texel != 0).count();
        for how in CommandPath::ALL {
            let samples = device.create_occlusion_query().unwrap();
            let statistics = device.create_pipeline_statistics_query().unwrap();
            h.record(how, |cx| {
                board.begin(cx);
                cx.begin(&samples);
                board.draw(cx, &draws);
                cx.end(&samples);
                cx.begin(&statistics);
                board.draw(cx, &draws[..1]);
                cx.end(&statistics);
            });
            let samples =
                onze_tests::wait_for("the samples", || h.immediate.get_data(&samples, false).unwrap());
            assert_eq!(samples, drawn as u64 * u64::from(CELL * CELL), "{how:?}");
            let statistics =
                onze_tests::wait_for("the statistics", || h.immediate.get_data(&statistics, false).unwrap());
            assert_eq!((statistics.ia_primitives, statistics.hs_invocations), (2, 2), "{how:?}");
            assert_eq!(board.texels(h), expected(&draws));
        }
    });
}

#[test]
fn batches_that_end_during_a_query_are_not_measured() {
    // Each of the drawn cells has a factor of 2.
    let cell = |start| CellDraw { start, ..PLAIN };
    let before = [cell(6), cell(16), cell(26)];
    let after = [CellDraw { start: 31, written: Some(5), ..PLAIN }, cell(36), cell(1)];
    let all = [&before[..], &after].concat();
    on_each(&FORMS, |h| {
        let board = Board::new(h);
        let expect = |h: &mut Harness, statistics: &TypedQuery<PipelineStatistics>, what: &str| {
            let found =
                onze_tests::wait_for("the statistics", || h.immediate.get_data(statistics, false).unwrap());
            assert_eq!((found.hs_invocations, found.ds_invocations), (3, 3 * 9), "{what}");
            assert_eq!((found.c_invocations, found.c_primitives), (3 * 8, 3 * 8), "{what}");
            assert_eq!(board.texels(h), expected(&all), "{what}");
        };
        for how in CommandPath::ALL {
            let statistics = h.device.create_pipeline_statistics_query().unwrap();
            h.record(how, |cx| {
                board.begin(cx);
                cx.update_subresource(&board.elements, 0, None, &[0_u32], 0, 0);
                board.draw(cx, &before);
                cx.begin(&statistics);
                // The second draw begins a section, because its input was written before the open pass.
                board.draw(cx, &after);
                cx.end(&statistics);
            });
            expect(h, &statistics, &format!("{how:?}, a section"));
        }
        let statistics = h.device.create_pipeline_statistics_query().unwrap();
        let cx = &mut h.immediate;
        board.begin(cx);
        cx.update_subresource(&board.elements, 0, None, &[0_u32], 0, 0);
        board.draw(cx, &before);
        cx.begin(&statistics);
        cx.flush();
        board.draw(cx, &after);
        cx.end(&statistics);
        cx.clear_state();
        expect(h, &statistics, "a submission");
    });
}
