//! A slow interpreter of draws with a hull and a domain shader: the shaders of [`super::chain_shaders`], with the
//! [model of the tessellator](super::tessellator) between them.

use onze::InputPrimitive;
use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};
use onze_tests::Random;

use super::{scenes::Scene, tessellator::tessellate};
use crate::geometry::{
    model::{self, Arguments, Program, list, mix, run_geometry_shader, run_vertex_shader},
    random::STREAMS,
};

/// The vertex, hull, domain and geometry shaders of random draws.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) domain: TessellatorDomain,
    pub(crate) partitioning: TessellatorPartitioning,
    pub(crate) output: TessellatorOutput,
    /// The attribute `maxtessfactor`, if there is one.
    pub(crate) max_factor: Option<f32>,
    /// Numbers of control points.
    pub(crate) inputs: u32,
    pub(crate) outputs: u32,
    /// The hull shader has no function of control points.
    pub(crate) passes_through: bool,
    /// The shaders read the numbers of vertices, instances and patches.
    pub(crate) reads_numbers: bool,
    /// The pixel shader reads `SV_PrimitiveID`.
    pub(crate) pixel_reads_number: bool,
    pub(crate) geometry: Option<Program>,
}

impl Chain {
    pub(crate) fn new(random: &mut Random, round: u64) -> Self {
        use TessellatorDomain as D;
        use TessellatorOutput as O;
        use TessellatorPartitioning as P;
        let domain = [D::Quad, D::Triangle, D::Isoline][(round % 3) as usize];
        let output = match domain {
            D::Isoline => *random.pick(&[O::Point, O::Line, O::Line]),
            _ => *random.pick(&[O::Point, O::TriangleCw, O::TriangleCcw, O::TriangleCcw]),
        };
        let inputs = *random.pick(&[1, 2, 3, 4, 5, 16, 32]);
        let passes_through = random.one_in(4);
        let outputs = *random.pick(&[0, 1, 2, 3, 4, 7, 16, 32]);
        let reads_numbers = random.one_in(2);
        let input = match output {
            O::Point => InputPrimitive::Point,
            O::Line => InputPrimitive::Line,
            O::TriangleCw | O::TriangleCcw => InputPrimitive::Triangle,
        };
        let geometry = random.one_in(3).then(|| Program {
            input,
            stream: *random.pick(&STREAMS),
            max_vertex_count: random.range(1..7),
            instance_count: if random.one_in(3) { random.range(2..4) } else { 1 },
            reads_numbers,
            cuts: random.one_in(2),
        });
        Self {
            domain,
            partitioning: *random.pick(&[P::Integer, P::Pow2, P::FractionalOdd, P::FractionalEven]),
            output,
            max_factor: *random.pick(&[None, None, Some(1.0), Some(2.5), Some(8.0), Some(64.0)]),
            inputs,
            outputs: if passes_through { inputs } else { outputs },
            passes_through,
            reads_numbers,
            pixel_reads_number: random.one_in(2),
            geometry,
        }
    }

    /// Returns the number of corners of a primitive that the last stage outputs.
    pub(crate) fn corners(&self) -> u32 {
        use onze::StreamTopology as S;
        match self.geometry.map(|program| program.stream) {
            Some(S::Points) => 1,
            Some(S::LineStrips) => 2,
            Some(S::TriangleStrips) => 3,
            None => self.corners_of_domain(),
        }
    }

    fn corners_of_domain(&self) -> u32 {
        match self.output {
            TessellatorOutput::Point => 1,
            TessellatorOutput::Line => 2,
            TessellatorOutput::TriangleCw | TessellatorOutput::TriangleCcw => 3,
        }
    }
}

/// A vertex of the last stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 4],
    pub(crate) color: u32,
    pub(crate) shade: f32,
    /// The value of `SV_PrimitiveID` in the pixel shader.
    pub(crate) number: u32,
    /// Fixed-point coordinates and the number of the patch. Geometry shaders output none.
    data: Option<[u32; 4]>,
}

impl Vertex {
    /// Returns all words in the order of the outputs.
    pub(crate) fn words(&self) -> Vec<u32> {
        let position = self.position.iter().map(|component| component.to_bits());
        let words = position.chain([self.color, self.shade.to_bits()]);
        words.chain(self.data.into_iter().flatten()).collect()
    }
}

/// The results of a draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) patches: u64,
    pub(crate) domain_points: u64,
    pub(crate) domain_primitives: u64,
    /// The corners of all primitives of the last stage.
    pub(crate) vertices: Vec<Vertex>,
}

/// The results of a hull shader for a patch.
struct Patch {
    number: u32,
    keys: Vec<u32>,
    hash: u32,
    edges: Vec<f32>,
    inside: Vec<f32>,
}

impl Patch {
    fn new(chain: &Chain, scene: &Scene, number: u32, vertices: &[u32]) -> Self {
        let shown = if chain.reads_numbers { number } else { 7 };
        let count = vertices.len();
        let key = |index: u32| {
            if chain.passes_through {
                return vertices[index as usize];
            }
            let [a, b] = [index as usize % count, (index as usize * 7 + 3) % count].map(|at| vertices[at]);
            mix(mix(a, b), mix(index, shown))
        };
        let keys: Vec<u32> = (0..chain.outputs).map(key).collect();
        let mut hash = mix(scene.seed, shown);
        for vertex in vertices {
            hash = mix(hash, *vertex);
        }
        for (index, key) in (0..).zip(&keys) {
            hash = mix(mix(hash, *key), if chain.passes_through { 0 } else { index + shown });
        }
        let first = if scene.factors_of_patch { hash } else { 0 };
        let factor = |at: u32| {
            let factor = f32::from_bits(scene.factors[(first.wrapping_add(at) % 32) as usize]);
            let most = chain.max_factor.unwrap_or(64.0);
            if factor > most { most } else { factor }
        };
        Self {
            number,
            hash,
            edges: (0..chain.domain.edge_factors()).map(|edge| factor(5 * edge)).collect(),
            inside: (0..chain.domain.inside_factors()).map(|axis| factor(21 + axis)).collect(),
            keys,
        }
    }

    fn vertex(&self, chain: &Chain, scene: &Scene, [u, v]: [u32; 2]) -> Vertex {
        let shown = if chain.reads_numbers { self.number } else { 7 };
        let w = match chain.domain {
            TessellatorDomain::Triangle => 65536_u32.wrapping_sub(u).wrapping_sub(v),
            _ => 0,
        };
        let mut key = mix(mix(mix(self.hash, u), mix(v, w)), mix(scene.seed ^ 0x5555, shown));
        if chain.outputs > 0 {
            key = mix(key, self.keys[(u.wrapping_add(3 * v) % chain.outputs) as usize]);
        }
        for edge in &self.edges {
            key = mix(key, edge.to_bits());
        }
        for inside in &self.inside {
            key = mix(key, if *inside >= 0.0 { inside.to_bits() } else { 5 });
        }
        let place = |at: u32, shift: u32| {
            (at as f32 - 32768.0) / 32768.0 + (((self.hash >> shift) % 9) as f32 - 4.0) / 8.0
        };
        Vertex {
            position: [place(u, 0), place(v, 4), ((key >> 17) % 9) as f32 / 8.0, 1.0],
            color: key,
            shade: (key >> 24) as f32,
            number: self.number,
            data: Some([u, v, w, shown]),
        }
    }
}

/// Returns the results of a draw.
pub(crate) fn draw(chain: &Chain, scene: &Scene, arguments: &Arguments) -> Drawn {
    let topology = onze::PrimitiveTopology::patch_list(chain.inputs).unwrap();
    let indices = scene.indices.as_ref();
    let primitives = model::primitives(topology, indices, arguments);
    // Of the program, the vertex shader depends only on this.
    let program = Program {
        input: InputPrimitive::Patch(chain.inputs),
        stream: onze::StreamTopology::Points,
        max_vertex_count: 1,
        instance_count: 1,
        reads_numbers: chain.reads_numbers,
        cuts: false,
    };
    let mut drawn = Drawn::default();
    for instance in 0..arguments.instances {
        for (number, vertices) in (0..).zip(&primitives) {
            let run = |vertex: &u32| {
                let numbers = [*vertex, instance];
                run_vertex_shader(&program, &scene.inputs, indices.is_some(), arguments, numbers)
            };
            let vertices: Vec<u32> = vertices.iter().map(run).collect();
            let patch = Patch::new(chain, scene, number, &vertices);
            let Chain { domain, partitioning, output, .. } = *chain;
            let division = tessellate(domain, partitioning, output, &patch.edges, &patch.inside);
            let points: Vec<Vertex> =
                division.points.iter().map(|point| patch.vertex(chain, scene, *point)).collect();
            drawn.patches += 1;
            drawn.domain_points += points.len() as u64;
            drawn.domain_primitives += division.indices.len() as u64 / u64::from(chain.corners_of_domain());
            let corners = division.indices.iter().map(|index| points[*index as usize]);
            let Some(program) = &chain.geometry else {
                drawn.vertices.extend(corners);
                continue;
            };
            let corners: Vec<u32> = corners.map(|corner| corner.color).collect();
            for keys in corners.chunks_exact(chain.corners_of_domain() as usize) {
                for invocation in 0..program.instance_count {
                    let numbers = [number, invocation];
                    let events = run_geometry_shader(program, scene.seed, &scene.table, keys, numbers);
                    let list = list(program.stream, events);
                    drawn.vertices.extend(list.into_iter().map(|vertex| Vertex {
                        position: vertex.position,
                        color: vertex.color,
                        shade: vertex.shade,
                        number: 0,
                        data: None,
                    }));
                }
            }
        }
    }
    drawn
}
