//! A compute shader around the functions of the tessellator.

use std::sync::Arc;

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};
use wgpu::util::DeviceExt;

use super::tessellator::Tessellation;
use crate::{
    device::Device,
    objects::shader::TessellatorPart,
    testing::{self, FakeRuntime},
};

pub(super) type Mode = (TessellatorDomain, TessellatorPartitioning, TessellatorOutput);

/// Factors of a hull shader: four for the edges and two for the inside.
pub(super) type RawFactors = [f32; 6];

/// A patch's numbers of points and corners, or the first of both in the buffers.
type Sizes = [u32; 2];

/// One thread for each patch counts, then a workgroup for each patch writes.
const ENTRY_POINTS: &str = "
// Factors of the hull shader, each patch with two words of padding.
@group(0) @binding(0) var<storage> raw: array<f32>;
@group(0) @binding(1) var<storage, read_write> factors: array<Factors>;
@group(0) @binding(2) var<storage, read_write> sizes: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> points: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> corners: array<u32>;
@group(0) @binding(5) var<storage, read_write> written: array<u32>;

var<private> counted: u32;
var<private> first_corner: u32;

fn raw_factor(number: u32) -> f32 {
    return raw[8u * counted + select(number, 4u + number - EDGES, number >= EDGES)];
}

fn word(number: u32) -> u32 {
    if number < 4u { return factors[counted].edges[number]; }
    return factors[counted].inside[number - 4u];
}

fn set_word(number: u32, word: u32) {
    if number < 4u {
        factors[counted].edges[number] = word;
    } else {
        factors[counted].inside[number - 4u] = word;
    }
}

fn store_corner(n: u32, point: u32) {
    written[first_corner + n] = point;
}

@compute @workgroup_size(64)
fn write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let processed = factors[group.x];
    let first = sizes[group.x];
    for (var number = thread; number < point_count(processed); number += 64u) {
        points[first.x + number] = point(processed, number);
    }
    for (var n = thread; n < corner_count(processed); n += 64u) {
        corners[first.y + n] = corner(processed, n);
    }
    first_corner = first.y;
    write_corners(processed, thread, 64u);
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    counted = id.x;
    if 8u * counted >= arrayLength(&raw) {
        return;
    }
    process_factors(FACTORS);
    let processed = factors[counted];
    sizes[counted] = vec2(point_count(processed), corner_count(processed));
}
";

/// Returns the source of a module with the entry points.
pub(super) fn source(mode: Mode) -> String {
    let (domain, partitioning, output) = mode;
    let parts = [TessellatorPart::Factors, TessellatorPart::Points, TessellatorPart::Corners];
    let factors = domain.edge_factors() + domain.inside_factors();
    let text = super::text(domain, partitioning, output, &parts);
    format!("{text}const FACTORS = {factors}u;\n{ENTRY_POINTS}")
}

/// A device that divides patches.
pub(super) struct TessellatorGpu {
    device: Arc<Device>,
    runtime: Arc<FakeRuntime>,
}

impl TessellatorGpu {
    pub(super) fn new() -> Option<Self> {
        testing::gpu().map(|(device, runtime)| Self { device, runtime })
    }

    fn buffer(&self, bytes: &[u8]) -> wgpu::Buffer {
        // A binding has at least one element.
        let padded = if bytes.is_empty() { &[0; 32] } else { bytes };
        self.device.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: padded,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        })
    }

    fn read(&self, buffer: &wgpu::Buffer, size: usize) -> Vec<u32> {
        let bytes = testing::read_buffer(&self.device, buffer, 0, 4 * size as u64);
        bytemuck::pod_collect_to_vec(&bytes)
    }

    pub(super) fn tessellate(&self, mode: Mode, raw: &[RawFactors]) -> Vec<Tessellation> {
        self.tessellate_with(&source(mode), raw)
    }

    /// Divides patches with a source. `corner` and `write_corners` must agree.
    pub(super) fn tessellate_with(&self, source: &str, raw: &[RawFactors]) -> Vec<Tessellation> {
        let padded: Vec<[f32; 8]> =
            raw.iter().map(|&[a, b, c, d, e, f]| [a, b, c, d, e, f, 0.0, 0.0]).collect();
        let raw_buffer = self.buffer(bytemuck::cast_slice(&padded));
        let factors = self.buffer(&vec![0; 32 * raw.len()]);
        let sizes = self.buffer(&vec![0; 8 * raw.len()]);
        let none = self.buffer(&[]);
        let groups = raw.len().div_ceil(64) as u32;
        self.run(source, "count", [&raw_buffer, &factors, &sizes, &none, &none, &none], groups);
        let sizes: Vec<Sizes> = bytemuck::cast_slice(&self.read(&sizes, 2 * raw.len())).to_vec();

        let mut end = [0; 2];
        let mut starts: Vec<Sizes> = vec![];
        for [points, corners] in &sizes {
            starts.push(end);
            end = [end[0] + points, end[1] + corners];
        }
        let points = self.buffer(&vec![0; 8 * end[0] as usize]);
        let [corners, written] = [(); 2].map(|()| self.buffer(&vec![0xff; 4 * end[1] as usize]));
        let starts_buffer = self.buffer(bytemuck::cast_slice(&starts));
        let buffers = [&raw_buffer, &factors, &starts_buffer, &points, &corners, &written];
        self.run(source, "write", buffers, raw.len() as u32);
        let points = self.read(&points, 2 * end[0] as usize);
        let points: &[[u32; 2]] = bytemuck::cast_slice(&points);
        let [corners, written] = [corners, written].map(|of| self.read(&of, end[1] as usize));
        assert!(corners == written, "`corner` and `write_corners` agree");
        let part = |(start, size): (&Sizes, &Sizes)| Tessellation {
            points: points[start[0] as usize..][..size[0] as usize].to_vec(),
            indices: corners[start[1] as usize..][..size[1] as usize].to_vec(),
        };
        starts.iter().zip(&sizes).map(part).collect()
    }

    fn run(&self, source: &str, entry_point: &str, buffers: [&wgpu::Buffer; 6], groups: u32) {
        let device = &self.device.gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        // The layout has those bindings that the entry point reads.
        let bindings: &[u32] = if entry_point == "count" { &[0, 1, 2] } else { &[1, 2, 3, 4, 5] };
        let entries: Vec<wgpu::BindGroupEntry<'_>> = bindings
            .iter()
            .map(|&binding| wgpu::BindGroupEntry {
                binding,
                resource: buffers[binding as usize].as_entire_binding(),
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        self.device.gpu.queue.submit([encoder.finish()]);
        self.runtime.assert_clean();
    }
}
