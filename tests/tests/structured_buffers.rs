//! Structured buffers, whose contents, views and slots change individually between draws and dispatches.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use std::fmt::Write;

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Random, Target, gpu_matrix, on_each};

/// The size of each buffer in words. The fourth buffer is larger than a slice of an upload block, and the
/// last is not dynamic.
const BUFFERS: [u32; 5] = [4, 64, 200, 5000, 300];
/// The buffer that is not dynamic.
const STATIC: usize = 4;

/// The buffer, first word and number of words of each view, in some cases with offsets that wgpu cannot bind.
const VIEWS: [(usize, u32, u32); 12] = [
    (0, 0, 4),
    (1, 0, 64),
    (2, 0, 200),
    (2, 64, 64),
    (2, 128, 64),
    (2, 3, 20),
    (3, 0, 5000),
    (3, 64, 32),
    (4, 0, 300),
    (4, 64, 32),
    (4, 128, 32),
    (4, 10, 32),
];

/// The slots that the shader of each stage reads, except a second pixel shader, which reads only the slots in
/// [`FEWER`].
const SLOTS: [&[u32]; 3] = [&[0, 2, 3, 7, 9, 10], &[1, 2, 4, 5], &[0, 1, 6]];
/// The slots that the second pixel shader reads.
const FEWER: &[u32] = &[2, 5];
const VERTEX: usize = 0;
const PIXEL: usize = 1;
const COMPUTE: usize = 2;

/// Number of result cells, so that each draw and each dispatch writes to its own cell.
const CELLS: u32 = 48;

#[derive(Clone, Debug)]
enum Step {
    /// Replaces a buffer's contents with values that are derived from one number.
    Fill(usize, u32),
    /// Writes one word of a dynamic buffer that was filled just before.
    Write(usize, u32, u32),
    /// Updates words of the default buffer, beginning at a given word, with values that are derived from one
    /// number.
    Update(u32, u32),
    /// Selects the pixel shader that reads fewer slots, or the standard one.
    Fewer(bool),
    /// Binds a view to a slot of a stage, or empties the slot.
    Bind(usize, u32, Option<usize>),
    Draw(u32),
    Dispatch(u32),
}

fn words(buffer: usize, number: u32) -> Vec<u32> {
    (0..BUFFERS[buffer]).map(|at| number.wrapping_mul(at * 2 + 1)).collect()
}

fn updated(number: u32) -> [u32; 32] {
    std::array::from_fn(|at| number.wrapping_mul(at as u32 + 100))
}

fn steps(random: &mut Random) -> Vec<Step> {
    let mut steps: Vec<_> = (0..BUFFERS.len()).map(|buffer| Step::Fill(buffer, random.below(1000))).collect();
    let stages = [VERTEX, PIXEL, COMPUTE];
    for stage in stages {
        steps.extend(
            SLOTS[stage].iter().map(|slot| Step::Bind(stage, *slot, Some(random.below(12) as usize))),
        );
    }
    for cell in 0..CELLS {
        let stage = *random.pick(&stages);
        // One or two changes precede each draw and each dispatch.
        for _ in 0..random.range(1..3) {
            steps.push(match random.below(11) {
                0..5 => Step::Fill(random.below(5) as usize, random.below(1000)),
                5 => Step::Update(*random.pick(&[64, 128]), random.below(1000)),
                6 => Step::Fewer(random.one_in(2)),
                7 if random.one_in(3) => Step::Bind(stage, *random.pick(SLOTS[stage]), None),
                _ => Step::Bind(stage, *random.pick(SLOTS[stage]), Some(random.below(12) as usize)),
            });
            // Words that no draw has read may be written without another discard.
            if let Some(Step::Fill(buffer, _)) = steps.last().filter(|_| random.one_in(4))
                && *buffer != STATIC
            {
                steps.push(Step::Write(*buffer, random.below(BUFFERS[*buffer]), random.below(1000)));
            }
        }
        steps.push(if random.one_in(4) { Step::Dispatch(cell) } else { Step::Draw(cell) });
    }
    steps
}

fn shaders() -> String {
    let mut text = "
        struct Out { @builtin(position) at: vec4f, @location(0) @interpolate(flat) sum: u32 }
        @group(3) @binding(0) var<storage, read_write> output: array<u32>;
        @group(0) @binding(0) var<uniform> cell: vec4u;"
        .to_owned();
    for slot in 0..=10 {
        writeln!(text, "@group(1) @binding({slot}) var<storage> t{slot}: array<u32>;").unwrap();
    }
    let names = ["vertex", "pixel", "compute", "fewer"];
    for (name, slots) in names.iter().zip(SLOTS.into_iter().chain([FEWER])) {
        writeln!(text, "fn {name}_sum() -> u32 {{ var sum = 0u;").unwrap();
        for slot in slots {
            writeln!(text, "sum = sum * 31u + t{slot}[0]; sum = sum * 31u + t{slot}[5];").unwrap();
            if asks(*slot) {
                writeln!(text, "sum = sum * 31u + arrayLength(&t{slot});").unwrap();
            }
        }
        text += "return sum; }\n";
    }
    text + "
        @vertex fn vertex_main(@builtin(vertex_index) index: u32) -> Out {
            let at = vec2f(vec2u(index >> 1u, index & 1u) * 4u) - 1.0;
            return Out(vec4f(at, 0.0, 1.0), vertex_sum());
        }
        @fragment fn pixel_main(in: Out) -> @location(0) u32 { return in.sum * 17u + pixel_sum(); }
        @fragment fn fewer_main(in: Out) -> @location(0) u32 { return in.sum * 17u + fewer_sum(); }
        @compute @workgroup_size(1) fn compute_main() { output[cell.x] = compute_sum(); }"
}

fn asks(slot: u32) -> bool {
    slot % 2 == 1
}

struct Model {
    contents: Vec<Vec<u32>>,
    bound: [[Option<usize>; 11]; 3],
    fewer: bool,
    /// The results of draws and the results of dispatches, each in the cell that it writes.
    cells: [Vec<u32>; 2],
}

impl Model {
    fn new() -> Self {
        let contents = (0..BUFFERS.len()).map(|buffer| words(buffer, 0)).collect();
        let cells = [vec![0; CELLS as usize], vec![0; CELLS as usize]];
        Self { contents, bound: [[None; 11]; 3], fewer: false, cells }
    }

    fn sum(&self, stage: usize) -> u32 {
        let mut sum = 0u32;
        let mut add = |word: u32| sum = sum.wrapping_mul(31).wrapping_add(word);
        for slot in if stage == PIXEL && self.fewer { FEWER } else { SLOTS[stage] } {
            let seen = self.bound[stage][*slot as usize].map_or(&[][..], |view| {
                let (buffer, first, count) = VIEWS[view];
                &self.contents[buffer][first as usize..][..count as usize]
            });
            add(seen.first().copied().unwrap_or(0));
            add(seen.get(5).copied().unwrap_or(0));
            if asks(*slot) {
                add(seen.len() as u32);
            }
        }
        sum
    }

    fn run(&mut self, steps: &[Step]) {
        (self.bound, self.fewer) = ([[None; 11]; 3], false);
        for step in steps {
            match *step {
                Step::Fill(buffer, number) => self.contents[buffer] = words(buffer, number),
                Step::Write(buffer, at, word) => self.contents[buffer][at as usize] = word,
                Step::Update(first, number) => {
                    self.contents[STATIC][first as usize..][..32].copy_from_slice(&updated(number));
                }
                Step::Fewer(fewer) => self.fewer = fewer,
                Step::Bind(stage, slot, view) => self.bound[stage][slot as usize] = view,
                Step::Draw(cell) => {
                    let sum = self.sum(VERTEX).wrapping_mul(17).wrapping_add(self.sum(PIXEL));
                    self.cells[0][cell as usize] = sum;
                }
                Step::Dispatch(cell) => self.cells[1][cell as usize] = self.sum(COMPUTE),
            }
        }
    }
}

struct Scene {
    vs: VertexShader,
    ps: PixelShader,
    ps_fewer: PixelShader,
    cs: ComputeShader,
    buffers: Vec<Buffer>,
    views: Vec<ShaderResourceView>,
    target: Target,
    cell: Buffer,
    output: Buffer,
    written: UnorderedAccessView,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let (d, text) = (&h.device, shaders());
        let buffers: Vec<_> = (0..BUFFERS.len())
            .map(|buffer| {
                let usage = if buffer == STATIC { Usage::Default } else { Usage::Dynamic };
                let access = if buffer == STATIC { CpuAccessFlags::empty() } else { CpuAccessFlags::WRITE };
                let desc = BufferDesc::structured(4, BUFFERS[buffer], BindFlags::SHADER_RESOURCE);
                let desc = BufferDesc { usage, cpu_access_flags: access, ..desc };
                d.create_buffer(&desc, Some(bytemuck::cast_slice(&words(buffer, 0)))).unwrap()
            })
            .collect();
        let view = |&(buffer, first, count): &(usize, u32, u32)| {
            let desc = ShaderResourceViewDesc::buffer(first, count);
            d.create_shader_resource_view(&buffers[buffer], Some(&desc)).unwrap()
        };
        let output = BufferDesc::structured(4, CELLS, BindFlags::UNORDERED_ACCESS);
        let output = d.create_buffer(&output, None).unwrap();
        Self {
            vs: d.create_vertex_shader(ShaderSource::wgsl(&text, "vertex_main")).unwrap(),
            ps: d.create_pixel_shader(ShaderSource::wgsl(&text, "pixel_main")).unwrap(),
            ps_fewer: d.create_pixel_shader(ShaderSource::wgsl(&text, "fewer_main")).unwrap(),
            cs: d.create_compute_shader(ShaderSource::wgsl(&text, "compute_main")).unwrap(),
            views: VIEWS.iter().map(view).collect(),
            target: Target::with_format(d, Format::R32_UINT, CELLS, 1),
            cell: d.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None).unwrap(),
            written: d.create_unordered_access_view(&output, None).unwrap(),
            buffers,
            output,
        }
    }

    fn record(&self, cx: &mut DeviceContext, steps: &[Step]) {
        self.target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.cs_set_shader(&self.cs);
        cx.cs_set_constant_buffers(0, &self.cell);
        cx.cs_set_unordered_access_views(0, &self.written);
        for step in steps {
            match *step {
                Step::Fill(buffer, number) => {
                    cx.update(&self.buffers[buffer], &words(buffer, number)[..]).unwrap();
                }
                Step::Write(buffer, at, word) => {
                    let mut map = cx.map(&self.buffers[buffer], 0, MapType::WriteNoOverwrite).unwrap();
                    map.write(4 * at as usize, &word);
                }
                Step::Update(first, number) => {
                    let range = Box3d::bytes(4 * first..4 * first + 128);
                    cx.update_subresource(&self.buffers[STATIC], 0, Some(range), &updated(number), 0, 0);
                }
                Step::Fewer(fewer) => cx.ps_set_shader(if fewer { &self.ps_fewer } else { &self.ps }),
                Step::Bind(stage, slot, view) => {
                    let view = view.map(|view| &self.views[view]);
                    match stage {
                        VERTEX => cx.vs_set_shader_resources(slot, view),
                        PIXEL => cx.ps_set_shader_resources(slot, view),
                        _ => cx.cs_set_shader_resources(slot, view),
                    }
                }
                Step::Draw(cell) => {
                    let viewport = Viewport { top_left_x: cell as f32, ..Viewport::sized(1.0, 1.0) };
                    cx.rs_set_viewports(viewport);
                    cx.draw(3, 0);
                }
                Step::Dispatch(cell) => {
                    cx.update(&self.cell, &[cell, 0, 0, 0]).unwrap();
                    cx.dispatch(1, 1, 1);
                }
            }
        }
    }

    fn check(&self, h: &mut Harness, model: &Model, what: &str) {
        let found = [h.read_u32(&self.target.texture, 0), h.immediate.read_buffer(&self.output).unwrap()];
        for (found, cells) in found.iter().zip(&model.cells) {
            assert_eq!(found, cells, "{what}");
        }
    }
}

#[test]
fn draws_and_dispatches_read_the_views_bound_at_the_call() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let (scene, mut model) = (Scene::new(h), Model::new());
            h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
            for how in CommandPath::ALL {
                let steps = steps(&mut random);
                h.record(how, |cx| scene.record(cx, &steps));
                model.run(&steps);
                scene.check(h, &model, &format!("seed {seed}, {how:?}"));
            }
        }
    });
}

/// If a list does not fill a buffer, it reads the contents that the buffer has when the list is executed.
#[test]
fn a_replayed_list_reads_the_contents_at_its_execution() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        for seed in 0..2 {
            let mut random = Random::new(100 + seed);
            let (scene, mut model) = (Scene::new(h), Model::new());
            h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
            let mut steps = steps(&mut random);
            // The list fills three of the buffers, and the other two are filled before each execution.
            steps.retain(|step| !matches!(step, Step::Fill(1 | 4, _) | Step::Write(1, ..)));
            let mut deferred = h.device.create_deferred_context().unwrap();
            scene.record(&mut deferred, &steps);
            let list = deferred.finish_command_list(false).unwrap();
            for time in 0..4 {
                let number = random.below(1000);
                let outside = [Step::Fill(1, number), Step::Fill(if time == 2 { 1 } else { 4 }, number + 1)];
                scene.record(&mut h.immediate, &outside);
                h.immediate.execute_command_list(&list, false);
                model.run(&outside);
                model.run(&steps);
                scene.check(h, &model, &format!("seed {seed}, execution {time}"));
            }
        }
    });
}

/// A buffer that was bound in an earlier recording of the same context is not bound in the next recording.
#[test]
fn a_recording_begins_with_nothing_bound() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let (scene, mut model) = (Scene::new(h), Model::new());
        h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let bind = |slot, cell| {
            vec![
                Step::Bind(PIXEL, slot, Some(2)),
                Step::Fill(2, 7 + cell),
                Step::Draw(cell),
                Step::Dispatch(cell),
            ]
        };
        for (slot, cell) in [(1, 0), (4, 1), (5, 2)] {
            let steps = bind(slot, cell);
            scene.record(&mut deferred, &steps);
            let list = deferred.finish_command_list(false).unwrap();
            h.immediate.execute_command_list(&list, false);
            model.run(&steps);
        }
        for (slot, cell) in [(1, 3), (4, 4)] {
            let steps = bind(slot, cell);
            h.immediate.clear_state();
            scene.record(&mut h.immediate, &steps);
            model.run(&steps);
        }
        scene.check(h, &model, "after all");
    });
}

/// Draws with different views of a buffer must read the contents from before a later update.
#[test]
fn an_update_does_not_affect_earlier_draws() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let (scene, mut model) = (Scene::new(h), Model::new());
        h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
        for (how, number) in CommandPath::ALL.into_iter().zip(5..) {
            let steps = [
                Step::Bind(PIXEL, 1, Some(9)),
                Step::Draw(0),
                Step::Bind(PIXEL, 1, Some(10)),
                Step::Draw(1),
                Step::Update(128, number),
                Step::Draw(2),
            ];
            h.record(how, |cx| scene.record(cx, &steps));
            model.run(&steps);
            scene.check(h, &model, &format!("{how:?}"));
        }
    });
}
