//! Random draws of patches, with everything that they read and write.

use std::fmt;

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::Random;

use super::{
    chain_shaders::{ChainShaders, OtherShaders},
    chains::{Chain, Drawn, draw},
};
use crate::geometry::{
    model::{Arguments, Elements, Indices, Inputs},
    shaders::STEP_RATES,
    streams::{Declaration, TargetDesc, UNTOUCHED},
};

/// The properties of a scene that select pipelines of the driver. Several scenes share a shape.
pub(crate) struct Shape {
    wide: Option<bool>,
    stride: u32,
    step_rate: u32,
    is_indirect: bool,
}

impl Shape {
    pub(crate) fn new(random: &mut Random) -> Self {
        Self {
            wide: random.one_in(2).then(|| random.one_in(2)),
            stride: *random.pick(&[0, 4, 8, 12, 20]),
            step_rate: *random.pick(&STEP_RATES),
            is_indirect: random.one_in(3),
        }
    }
}

/// Random draws of one chain.
pub(crate) struct Scene {
    pub(crate) indices: Option<Indices>,
    index_offset: u32,
    pub(crate) inputs: Inputs,
    pub(crate) draws: Vec<Arguments>,
    pub(crate) seed: u32,
    /// The table of the geometry shader.
    pub(crate) table: Vec<u32>,
    /// The bits of the tessellation factors.
    pub(crate) factors: Vec<u32>,
    /// The factors depend on the patch.
    pub(crate) factors_of_patch: bool,
    pub(crate) cull: CullMode,
    pub(crate) fill: FillMode,
    is_indirect: bool,
    pub(crate) has_statistics: bool,
    pub(crate) targets: Vec<Option<TargetDesc>>,
    binds_again: bool,
}

/// Returns the bits of random tessellation factors.
fn factors(random: &mut Random, most_kinds: u32) -> Vec<u32> {
    let kind = random.below(most_kinds);
    let special = [
        0.0,
        -1.0,
        f32::NAN,
        1.0e-7,
        1.0,
        1.0 + 1.0 / 131_072.0,
        1.0 + 1.0 / 65_536.0,
        1.000_03,
        2.0,
        2.5,
        3.0,
        3.000_01,
        5.5,
        7.999_9,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1.0e30,
        63.5,
        64.5,
    ];
    let ones = random.one_in(2);
    let factor = |random: &mut Random| match kind {
        0 => 0.5 + random.below(1 << 16) as f32 / 16384.0,
        1 => random.range(1..7) as f32,
        2 if random.one_in(2) => special[random.below(14) as usize],
        3 if random.one_in(5) => *random.pick(&special),
        3 if ones => 1.0,
        4 => random.below(64 << 8) as f32 / 256.0,
        5 => 64.0,
        _ => 1.0 + random.below(1 << 10) as f32 / 512.0,
    };
    (0..32).map(|_| factor(random).to_bits()).collect()
}

impl Scene {
    fn random(random: &mut Random, shape: &Shape, chain: &Chain, attempt: u32) -> Self {
        let Shape { wide, stride, step_rate, is_indirect } = *shape;
        let words = |random: &mut Random, count| (0..count).map(|_| random.bits() as u32).collect::<Vec<_>>();
        let vertices = Elements { words: words(random, 64), offset: 4 * random.below(4), stride };
        let instances = Elements { words: words(random, 8), offset: 0, stride: 4 };
        let most_patches = match attempt {
            0 if random.one_in(50) => 400,
            0 if random.one_in(8) => 40,
            0..4 => 7,
            _ => 2,
        };
        let arguments = |random: &mut Random| Arguments {
            count: random.below(most_patches) * chain.inputs + random.below(chain.inputs + 1),
            start: random.below(6),
            base_vertex: random.below(12) as i32 - 4,
            instances: if random.one_in(3) { random.below(4) } else { 1 },
            start_instance: random.below(3),
        };
        let mut draws = vec![arguments(random)];
        for _ in 0..random.below(3) {
            let other = arguments(random);
            draws.push(if random.one_in(3) { other } else { Arguments { start: other.start, ..draws[0] } });
        }
        let indices = wide.map(|wide| {
            let special = if wide { u32::MAX } else { 0xffff };
            let value = |random: &mut Random| if random.one_in(20) { special } else { random.below(20) };
            let count = if random.one_in(4) { random.range(8..48) } else { most_patches * chain.inputs + 8 };
            Indices { values: (0..count).map(|_| value(random)).collect(), wide }
        });
        if indices.is_none() {
            draws.iter_mut().for_each(|draw| draw.base_vertex = 0);
        }
        Self {
            indices,
            index_offset: random.below(3),
            inputs: Inputs { vertices, instances, step_rate },
            draws,
            seed: random.bits() as u32,
            table: words(random, 16),
            factors: factors(random, if attempt < 4 { 6 } else { 2 }),
            factors_of_patch: random.one_in(2),
            cull: *random.pick(&[CullMode::None, CullMode::None, CullMode::Back, CullMode::Front]),
            fill: if random.one_in(4) { FillMode::Wireframe } else { FillMode::Solid },
            is_indirect,
            has_statistics: random.one_in(2),
            targets: Vec::new(),
            binds_again: random.one_in(3),
        }
    }

    /// Returns a random scene with the expected results of its draws.
    pub(crate) fn new(
        random: &mut Random,
        shape: &Shape,
        chain: &Chain,
        declaration: Option<&Declaration>,
    ) -> (Self, Vec<Drawn>) {
        let most = if random.one_in(10) { 30_000 } else { 3000 };
        let most = most / chain.geometry.map_or(1, |program| u64::from(2 * program.max_vertex_count));
        for attempt in 0.. {
            let mut scene = Self::random(random, shape, chain, attempt);
            let mut results: Vec<Drawn> = Vec::new();
            for arguments in &scene.draws {
                let corners: u64 = results.iter().map(|drawn| 3 * drawn.domain_primitives).sum();
                if corners <= most {
                    results.push(draw(chain, &scene, arguments));
                }
            }
            let corners: u64 = results.iter().map(|drawn| 3 * drawn.domain_primitives).sum();
            if corners > most {
                continue;
            }
            let vertices: usize = results.iter().map(|drawn| drawn.vertices.len()).sum();
            let mut target = |stride: u32| {
                if stride == 0 || random.one_in(12) {
                    return None;
                }
                let all = vertices as u32 * stride / 4;
                let offset = random.one_in(2).then(|| 4 * random.below(8));
                let room = match random.below(6) {
                    0 => random.below(all + 2),
                    // A few primitives do not fit.
                    1 | 2 => all.saturating_sub(random.below(12 * stride / 4)),
                    _ => all + random.below(9),
                };
                Some(TargetDesc { words: (room + offset.unwrap_or(0) / 4).max(1), offset })
            };
            let strides = declaration.map_or(Vec::new(), Declaration::strides);
            scene.targets = strides.into_iter().map(&mut target).collect();
            return (scene, results);
        }
        unreachable!("two patches with small factors are few enough");
    }

    pub(crate) fn create_targets(&self, device: &Device) -> Vec<Option<Buffer>> {
        let create = |desc: &Option<TargetDesc>| {
            let words = (*desc)?.words;
            let contents = vec![UNTOUCHED; words as usize];
            let desc = BufferDesc::new(4 * words, BindFlags::STREAM_OUTPUT);
            Some(device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap())
        };
        self.targets.iter().map(create).collect()
    }

    fn bind_targets(&self, cx: &mut DeviceContext, buffers: &[Option<Buffer>], is_first: bool) {
        let binding = |(buffer, desc): (&Option<Buffer>, &Option<TargetDesc>)| {
            let offset = desc.and_then(|desc| desc.offset).filter(|_| is_first);
            let offset = offset.unwrap_or(StreamOutputBinding::APPEND);
            buffer.as_ref().map(|buffer| (buffer.clone(), offset))
        };
        let all: Vec<_> = buffers.iter().zip(&self.targets).map(binding).collect();
        let all: Vec<_> = all
            .iter()
            .map(|bound| bound.as_ref().map(|(buffer, offset)| StreamOutputBinding::new(buffer, *offset)))
            .collect();
        cx.so_set_targets(&all);
    }

    /// Returns whether the driver can draw all patches indirectly, given its memory. It has room for all patches of an
    /// instance within the bound buffers, and for those that a quarter of the memory can contain.
    fn fits(&self, chain: &Chain, arguments: &Arguments, memory: Option<u64>) -> bool {
        let patches = arguments.count / chain.inputs;
        let bound = match &self.indices {
            Some(indices) => indices.values.len() as u32,
            None => {
                let Elements { words, offset, stride } = &self.inputs.vertices;
                (4 * words.len() as u32 - offset).checked_div(*stride).unwrap_or(0)
            }
        };
        let all = u64::from(patches * arguments.instances);
        let size = 16 * u64::from(chain.outputs) + 128;
        memory.is_none_or(|bytes| all <= u64::from(bound / chain.inputs) || all * size <= bytes / 4)
    }

    /// Draws the scene with all shaders of the chain. `memory` is that of the driver for patches.
    pub(crate) fn draw(
        &self,
        device: &Device,
        cx: &mut DeviceContext,
        (chain, shaders, others): (&Chain, &ChainShaders, &OtherShaders),
        buffers: &[Option<Buffer>],
        memory: Option<u64>,
    ) {
        let Inputs { vertices, instances, step_rate } = &self.inputs;
        let rate = STEP_RATES.iter().position(|rate| rate == step_rate).unwrap();
        let buffer = |flags, words: &[u32]| {
            let desc = BufferDesc::immutable(4 * words.len() as u32, flags);
            device.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap()
        };
        let table = |words: &[u32]| {
            let desc = BufferDesc {
                usage: Usage::Immutable,
                ..BufferDesc::structured(4, words.len() as u32, BindFlags::SHADER_RESOURCE)
            };
            let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap();
            buffer.create_shader_resource_view().unwrap()
        };
        cx.vs_set_shader(&others.vertex.vs[usize::from(chain.reads_numbers)]);
        cx.hs_set_shader(&shaders.hs);
        cx.ds_set_shader(&shaders.ds);
        cx.gs_set_shader(shaders.gs.as_ref());
        cx.ia_set_input_layout(&others.vertex.layouts[rate]);
        cx.ia_set_vertex_buffers(
            0,
            &[
                (Some(buffer(BindFlags::VERTEX_BUFFER, &vertices.words)), vertices.stride, vertices.offset),
                (
                    Some(buffer(BindFlags::VERTEX_BUFFER, &instances.words)),
                    instances.stride,
                    instances.offset,
                ),
            ][..],
        );
        cx.ia_set_primitive_topology(PrimitiveTopology::patch_list(chain.inputs).unwrap());
        let of_patch = u32::from(self.factors_of_patch);
        let constants = |words: [u32; 4]| buffer(BindFlags::CONSTANT_BUFFER, &words);
        cx.hs_set_constant_buffers(0, &constants([self.seed, of_patch, 0, 0]));
        cx.ds_set_constant_buffers(0, &constants([self.seed ^ 0x5555, 0, 0, 0]));
        cx.gs_set_constant_buffers(0, &constants([self.seed, 0, 0, 0]));
        cx.hs_set_shader_resources(0, &table(&self.factors));
        cx.gs_set_shader_resources(0, &table(&self.table));
        if let Some(indices) = &self.indices {
            let narrow = indices.values.iter().map(|index| *index as u16);
            let mut bytes: Vec<u8> = match indices.wide {
                true => bytemuck::cast_slice(&indices.values).to_vec(),
                false => bytemuck::pod_collect_to_vec(&narrow.collect::<Vec<_>>()),
            };
            let width = if indices.wide { 4 } else { 2 };
            let offset = self.index_offset * width;
            bytes.splice(0..0, vec![7; offset as usize]);
            let desc = BufferDesc::immutable(bytes.len() as u32, BindFlags::INDEX_BUFFER);
            let buffer = device.create_buffer(&desc, Some(&bytes)).unwrap();
            let format = if indices.wide { Format::R32_UINT } else { Format::R16_UINT };
            cx.ia_set_index_buffer(&buffer, format, offset);
        }
        if !buffers.is_empty() {
            self.bind_targets(cx, buffers, true);
        }
        for arguments in &self.draws {
            let is_indirect = self.is_indirect && self.fits(chain, arguments, memory);
            self.draw_once(device, cx, arguments, is_indirect);
            if self.binds_again && !buffers.is_empty() {
                cx.so_set_targets(None);
                self.bind_targets(cx, buffers, false);
            }
        }
    }

    fn draw_once(&self, device: &Device, cx: &mut DeviceContext, arguments: &Arguments, is_indirect: bool) {
        let Arguments { count, start, base_vertex, instances, start_instance } = *arguments;
        match (&self.indices, is_indirect) {
            (None, false) => cx.draw_instanced(count, instances, start, start_instance),
            (Some(_), false) => {
                cx.draw_indexed_instanced(count, instances, start, base_vertex, start_instance);
            }
            (indices, true) => {
                let mut words = vec![count, instances, start];
                words.extend(indices.as_ref().map(|_| base_vertex as u32));
                words.push(start_instance);
                let desc = BufferDesc::indirect(4 * words.len() as u32, BindFlags::empty());
                let arguments = device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
                match indices {
                    None => cx.draw_instanced_indirect(&arguments, 0),
                    Some(_) => cx.draw_indexed_instanced_indirect(&arguments, 0),
                }
            }
        }
    }

    /// Draws the primitives that the model expects.
    pub(crate) fn draw_expected(
        &self,
        device: &Device,
        cx: &mut DeviceContext,
        (chain, others): (&Chain, &OtherShaders),
        results: &[Drawn],
    ) {
        let vertices = results.iter().flat_map(|drawn| &drawn.vertices);
        let words: Vec<u32> = vertices
            .flat_map(|vertex| {
                let [x, y, z, w] = vertex.position.map(f32::to_bits);
                [x, y, z, w, vertex.color, vertex.shade.to_bits(), vertex.number]
            })
            .collect();
        if words.is_empty() {
            return;
        }
        let desc = BufferDesc::immutable(4 * words.len() as u32, BindFlags::VERTEX_BUFFER);
        let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
        cx.vs_set_shader(&others.expected_vs);
        cx.ia_set_input_layout(&others.expected_layout);
        cx.ia_set_vertex_buffers(0, &[(Some(buffer), 28, 0)][..]);
        cx.ia_set_primitive_topology(match chain.corners() {
            1 => PrimitiveTopology::PointList,
            2 => PrimitiveTopology::LineList,
            _ => PrimitiveTopology::TriangleList,
        });
        cx.draw(words.len() as u32 / 7, 0);
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { draws, inputs, indices, factors, factors_of_patch, .. } = self;
        let factors: Vec<f32> = factors.iter().map(|bits| f32::from_bits(*bits)).collect();
        write!(f, "{draws:?} {:?} {:?} indirect {} ", self.cull, self.fill, self.is_indirect)?;
        write!(
            f,
            "statistics {} targets {:?} again {} ",
            self.has_statistics, self.targets, self.binds_again
        )?;
        write!(f, "factors of patch {factors_of_patch} {factors:?} rate {}", inputs.step_rate)?;
        write!(f, " vertices at {} by {}", inputs.vertices.offset, inputs.vertices.stride)?;
        match indices {
            Some(indices) => write!(f, " {} indices, wide {}", indices.values.len(), indices.wide),
            None => Ok(()),
        }
    }
}
