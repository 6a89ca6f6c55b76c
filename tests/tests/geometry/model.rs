//! A slow interpreter of draws with a geometry shader: input assembly, the shaders of [`super::shaders`], and
//! the primitives of a stream (Direct3D 11.3 functional specification, 8.10 to 8.15 and 13).

use bytemuck::{Pod, Zeroable};
use onze::{InputPrimitive, PrimitiveTopology, StreamTopology};

use PrimitiveTopology as T;

/// The arguments of a draw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments {
    /// Number of vertices, or of indices.
    pub(crate) count: u32,
    /// The first vertex, or the first index.
    pub(crate) start: u32,
    pub(crate) base_vertex: i32,
    pub(crate) instances: u32,
    pub(crate) start_instance: u32,
}

/// The indices of a draw, as the index buffer contains them.
#[derive(Clone, Debug)]
pub(crate) struct Indices {
    pub(crate) values: Vec<u32>,
    pub(crate) wide: bool,
}

/// A buffer of vertex elements.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(crate) words: Vec<u32>,
    /// Byte offset of the buffer's binding.
    pub(crate) offset: u32,
    /// Bytes from one element to the next.
    pub(crate) stride: u32,
}

impl Elements {
    /// Returns a word of an element, which is 0 if the element is not entirely within the buffer.
    fn word(&self, element: u32, word: u32, words: u32) -> u32 {
        let first = self.offset / 4 + element.wrapping_mul(self.stride) / 4;
        let has_all = u64::from(first) + u64::from(words) <= self.words.len() as u64;
        if has_all { self.words[(first + word) as usize] } else { 0 }
    }
}

/// The inputs of the vertex shader: an element for each vertex, and one for each instance.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub(crate) vertices: Elements,
    pub(crate) instances: Elements,
    /// Number of instances that read the same element, or 0 if all do.
    pub(crate) step_rate: u32,
}

/// A geometry shader of [`super::shaders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) input: InputPrimitive,
    pub(crate) stream: StreamTopology,
    pub(crate) max_vertex_count: u32,
    pub(crate) instance_count: u32,
    /// The vertex shader reads the numbers of the vertex and of the instance, and the geometry shader that of
    /// the primitive.
    pub(crate) reads_numbers: bool,
    /// The geometry shader ends strips.
    pub(crate) cuts: bool,
}

/// A vertex that the geometry shader appends.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 4],
    pub(crate) color: u32,
    pub(crate) shade: f32,
}

pub(crate) const fn mix(a: u32, b: u32) -> u32 {
    let mixed = (a ^ b).wrapping_mul(0x9e37_79b1);
    mixed ^ (mixed >> 15)
}

/// Returns the vertices of a draw's instance in order, with `None` for cuts.
fn vertices(topology: T, indices: Option<&Indices>, draw: &Arguments) -> Vec<Option<u32>> {
    let Some(indices) = indices else { return (0..draw.count).map(Some).collect() };
    let cut = if indices.wide { u32::MAX } else { 0xffff };
    let index = |at: u32| {
        let index = draw.start.checked_add(at).and_then(|at| indices.values.get(at as usize));
        let index = index.copied().unwrap_or(0);
        (!topology.is_strip() || index != cut).then_some(index)
    };
    (0..draw.count).map(index).collect()
}

/// Returns the vertices of each primitive of a strip without cuts, or of a list.
fn primitives_of(topology: T, vertices: &[u32]) -> Vec<Vec<u32>> {
    let v = vertices;
    let lists = |size: usize| v.chunks_exact(size).map(<[u32]>::to_vec).collect();
    let runs = |size: usize| v.windows(size).map(<[u32]>::to_vec).collect();
    match topology {
        T::PointList => lists(1),
        T::LineList => lists(2),
        T::TriangleList => lists(3),
        T::LineListAdj => lists(4),
        T::TriangleListAdj => lists(6),
        T::LineStrip => runs(2),
        T::LineStripAdj => runs(4),
        T::TriangleStrip => {
            let mut all: Vec<Vec<u32>> = runs(3);
            all.iter_mut().skip(1).step_by(2).for_each(|triangle| triangle.swap(1, 2));
            all
        }
        T::TriangleStripAdj => {
            let count = if v.len() < 6 { 0 } else { (v.len() - 4) / 2 };
            let triangle = |p: usize| {
                let first = 2 * p;
                let before = if p == 0 { v[1] } else { v[first - 2] };
                let after = if p + 1 == count { v[first + 5] } else { v[first + 6] };
                match p % 2 {
                    0 => vec![v[first], before, v[first + 2], after, v[first + 4], v[first + 3]],
                    _ => vec![v[first], v[first + 3], v[first + 4], after, v[first + 2], before],
                }
            };
            (0..count).map(triangle).collect()
        }
        patches => lists(patches.control_points().unwrap() as usize),
    }
}

/// Returns the vertices of each primitive of a draw's instance.
pub(crate) fn primitives(topology: T, indices: Option<&Indices>, draw: &Arguments) -> Vec<Vec<u32>> {
    let vertices = vertices(topology, indices, draw);
    let pieces = vertices.split(Option::is_none);
    pieces
        .flat_map(|piece| primitives_of(topology, &piece.iter().flatten().copied().collect::<Vec<_>>()))
        .collect()
}

/// Removes the adjacent vertices of a primitive that a shader does not read.
fn read_vertices(input: InputPrimitive, primitive: Vec<u32>) -> Vec<u32> {
    match (input, &*primitive) {
        (InputPrimitive::Line, [_, a, b, _]) => vec![*a, *b],
        (InputPrimitive::Triangle, [a, _, b, _, c, _]) => vec![*a, *b, *c],
        _ => primitive,
    }
}

/// Returns the result of the vertex shader.
pub(crate) fn run_vertex_shader(
    program: &Program,
    inputs: &Inputs,
    indexed: bool,
    draw: &Arguments,
    [vertex, instance]: [u32; 2],
) -> u32 {
    let first = if indexed { draw.base_vertex as u32 } else { draw.start };
    let element = vertex.wrapping_add(first);
    let step = instance.checked_div(inputs.step_rate).unwrap_or(0);
    let each = inputs.instances.word(step + draw.start_instance, 0, 1);
    let [x, y] = [0, 1].map(|word| inputs.vertices.word(element, word, 2));
    let numbers = if program.reads_numbers { &[vertex, instance][..] } else { &[] };
    [y, each].iter().chain(numbers).fold(x, |hash, value| mix(hash, *value))
}

/// An action of the geometry shader.
pub(crate) enum Event {
    Append(Vertex),
    Restart,
}

/// Runs the geometry shader once.
pub(crate) fn run_geometry_shader(
    program: &Program,
    seed: u32,
    table: &[u32],
    primitive: &[u32],
    numbers: [u32; 2],
) -> Vec<Event> {
    let numbers = if program.reads_numbers { &numbers[..] } else { &numbers[1..] };
    let hash = primitive.iter().chain(numbers).fold(seed, |hash, key| mix(hash, *key));
    let count = hash % (program.max_vertex_count + 3);
    let mut events = Vec::new();
    let mut appended = 0;
    for number in 0..count {
        let hash = mix(hash, number);
        if program.cuts && hash.is_multiple_of(5) {
            events.push(Event::Restart);
        }
        let coordinate = |shift: u32| ((hash >> shift) % 17) as f32 / 8.0 - 1.0;
        let vertex = Vertex {
            position: [coordinate(3), coordinate(9), ((hash >> 17) % 9) as f32 / 8.0, 1.0],
            color: mix(hash, table[(hash % 16) as usize]),
            shade: (hash >> 24) as f32,
        };
        if appended < program.max_vertex_count {
            events.push(Event::Append(vertex));
            appended += 1;
        }
    }
    events
}

/// Returns the primitives of a stream, as a list.
pub(crate) fn list(topology: StreamTopology, events: Vec<Event>) -> Vec<Vertex> {
    let mut strips = vec![Vec::new()];
    for event in events {
        match event {
            Event::Append(vertex) => strips.last_mut().unwrap().push(vertex),
            Event::Restart => strips.push(Vec::new()),
        }
    }
    let of_strip = |strip: Vec<Vertex>| -> Vec<Vertex> {
        match topology {
            StreamTopology::Points => strip,
            StreamTopology::LineStrips => strip.windows(2).flatten().copied().collect(),
            StreamTopology::TriangleStrips => {
                let order = |(at, v): (usize, &[Vertex])| match at % 2 {
                    0 => [v[0], v[1], v[2]],
                    _ => [v[0], v[2], v[1]],
                };
                strip.windows(3).enumerate().flat_map(order).collect()
            }
        }
    };
    strips.into_iter().flat_map(of_strip).collect()
}

/// Returns the results of the vertex shader for all vertices of all primitives, without adjacent vertices that the
/// program does not read.
pub(crate) fn keys(
    program: &Program,
    topology: T,
    indices: Option<&Indices>,
    inputs: &Inputs,
    draw: &Arguments,
) -> Vec<u32> {
    let primitives = primitives(topology, indices, draw);
    let read = primitives.into_iter().map(|primitive| read_vertices(program.input, primitive));
    let vertices: Vec<_> = read.flatten().collect();
    let run = |instance| {
        let vertices = vertices.iter();
        vertices.map(move |vertex| {
            run_vertex_shader(program, inputs, indices.is_some(), draw, [*vertex, instance])
        })
    };
    (0..draw.instances).flat_map(run).collect()
}

/// Returns the list of all vertices that a draw rasterizes.
pub(crate) fn draw(
    program: &Program,
    topology: T,
    indices: Option<&Indices>,
    inputs: &Inputs,
    draw: &Arguments,
    seed: u32,
    table: &[u32],
) -> Vec<Vertex> {
    let primitives = primitives(topology, indices, draw);
    let mut all = Vec::new();
    for instance in 0..draw.instances {
        for (number, vertices) in (0..).zip(&primitives) {
            let vertices = read_vertices(program.input, vertices.clone());
            let run = |vertex: &u32| {
                run_vertex_shader(program, inputs, indices.is_some(), draw, [*vertex, instance])
            };
            let vertices: Vec<_> = vertices.iter().map(run).collect();
            for invocation in 0..program.instance_count {
                let events = run_geometry_shader(program, seed, table, &vertices, [number, invocation]);
                all.extend(list(program.stream, events));
            }
        }
    }
    all
}
