//! The commands of `[test]` blocks, one per line.

use super::{
    ParseError,
    condition::Condition,
    cursor::Cursor,
    resource::{Binding, Comparison, comparison},
};
use crate::shown::Shown;

/// A line of a `[test]` block: a command and its conditions.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The line number in the file, counted from 1, for the reports of failures.
    pub line: u32,
    /// The step is expected to fail if one of these conditions holds, because drivers or vkd3d's compiler do
    /// not support it.
    pub expected_failures: Vec<Condition>,
    /// The step runs only if all of these conditions hold, and is otherwise skipped.
    pub only_if: Vec<Condition>,
    /// The command.
    pub command: Command,
}

/// The primitive topology of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Separate triangles of three vertices each (`trianglelist` in Direct3D).
    TriangleList,
    /// Connected triangles, each formed by a vertex and the two preceding vertices.
    TriangleStrip,
    /// Points of one vertex each, drawn as single pixels.
    PointList,
    /// Patches with this number of control points, for tessellation.
    Patches(u32),
}

/// The texels that a probe reads: a rectangle in an array layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// The first column, in texels from the left edge.
    pub left: u32,
    /// The first row, in texels from the top edge.
    pub top: u32,
    /// The end of the columns, so that `right - left` is the width in texels.
    pub right: u32,
    /// The end of the rows, so that `bottom - top` is the height in texels.
    pub bottom: u32,
    /// The array layer, or 0 if the texture is not an array.
    pub layer: u32,
}

impl Area {
    fn texel(x: u32, y: u32, layer: u32) -> Area {
        Area { left: x, top: y, right: x.saturating_add(1), bottom: y.saturating_add(1), layer }
    }
}

/// The value that a probe expects in each texel, in variants for the types of the components.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of the types")]
pub enum Expected {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    /// The record that a `SHOW` in a program of this project writes for its line.
    Shown(Shown),
}

/// A parsed command of a `[test]` block.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Sets words of constant buffer 0, which later draws and dispatches read as uniforms.
    Uniform {
        /// The index of the first 32-bit word to set.
        offset: u32,
        /// The bits of the words, two for a double or a 64-bit integer.
        words: Vec<u32>,
    },
    /// Clears a render target to a color (Direct3D: `ClearRenderTargetView`).
    ClearRenderTarget {
        /// The slot of the render target, which must be bound.
        slot: u32,
        /// The color as red, green, blue and alpha.
        color: [f32; 4],
    },
    /// Clears the depth buffer to this depth (Direct3D: `ClearDepthStencilView`).
    ClearDepth(f32),
    /// Sets the comparison function of the depth test for later draws.
    Depth(Comparison),
    /// Sets the mask of samples that later draws write.
    SampleMask(u32),
    /// Sets a viewport for later draws (default: one that covers the render target).
    Viewport {
        /// The index of the viewport, as in `SV_ViewportArrayIndex`.
        index: u32,
        /// The x and y position, the width and the height in pixels.
        rectangle: [f32; 4],
    },
    /// Draws a triangle that covers the render target, with a default vertex shader that passes the position
    /// through.
    DrawQuad,
    /// Draws vertices from the bound vertex buffers with the current shaders.
    Draw {
        /// The primitive topology of the vertices.
        topology: Topology,
        /// The number of vertices in each instance.
        vertices: u32,
        /// The number of instances, which all use the same vertices.
        instances: u32,
    },
    /// Dispatches thread groups of the compute shader, given their number along x, y and z.
    Dispatch([u32; 3]),
    /// Copies the contents of one resource to another (Direct3D: `CopyResource`).
    Copy {
        /// The source, which an earlier block must have created.
        from: Binding,
        /// The destination, which an earlier block must have created.
        to: Binding,
    },
    /// Compares each texel or element in an area with an expected value.
    Probe {
        /// The resource to read, which may be a render target or a buffer.
        from: Binding,
        /// The texels to compare.
        area: Area,
        /// The expected value of all texels in the area.
        expected: Expected,
        /// Maximum difference of floats in units in the last place, or 0 if the values must be equal.
        ulps: u32,
    },
    /// Sets a state that only Direct3D 9 or Direct3D 12 has, such as the alpha test, with these arguments.
    Other(String),
}

/// States that Direct3D 11 does not have.
const OTHERS: [&str; 8] = [
    "alpha test",
    "shade mode",
    "clip-plane",
    "point-size",
    "point-sprite",
    "fog",
    "fog-colour",
    "depth-bounds",
];

impl Step {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Step, ParseError> {
        let (mut expected_failures, mut only_if) = (Vec::new(), Vec::new());
        loop {
            if cursor.word("todo") || cursor.word("bug") {
                expected_failures.push(Condition::parse(cursor)?);
            } else if cursor.word("if") {
                only_if.push(Condition::parse(cursor)?);
            } else {
                break;
            }
        }
        let line = cursor.line();
        Ok(Step { line, expected_failures, only_if, command: Command::parse(cursor)? })
    }
}

impl Command {
    fn parse(cursor: &mut Cursor<'_>) -> Result<Command, ParseError> {
        let text = cursor.rest().to_owned();
        if OTHERS.iter().any(|other| cursor.word(other)) {
            return Ok(Command::Other(text));
        }
        if cursor.word("uniform") {
            return uniform(cursor);
        }
        if cursor.word("clear rtv") {
            return Ok(Command::ClearRenderTarget { slot: cursor.number()?, color: floats(cursor)? });
        }
        if cursor.word("clear dsv") {
            return Ok(Command::ClearDepth(cursor.float()? as f32));
        }
        if cursor.word("depth") {
            return Ok(Command::Depth(comparison(cursor)?));
        }
        if cursor.word("sample mask") {
            return Ok(Command::SampleMask(cursor.number()?));
        }
        if cursor.word("viewport") {
            let index = cursor.number()?;
            let list = list(cursor, |cursor| Ok(cursor.float()? as f32))?;
            let rectangle = list.try_into().map_err(|_| cursor.error("expected four numbers"))?;
            return Ok(Command::Viewport { index, rectangle });
        }
        if cursor.word("draw quad") {
            return Ok(Command::DrawQuad);
        }
        if cursor.word("draw") {
            let topology = topology(cursor)?;
            let vertices = cursor.number()?;
            let instances = if cursor.is_empty() { 1 } else { cursor.number()? };
            return Ok(Command::Draw { topology, vertices, instances });
        }
        if cursor.word("dispatch") {
            return Ok(Command::Dispatch([cursor.number()?, cursor.number()?, cursor.number()?]));
        }
        if cursor.word("copy") {
            return Ok(Command::Copy { from: Binding::parse(cursor)?, to: Binding::parse(cursor)? });
        }
        if cursor.word("probe") {
            return probe(cursor);
        }
        Err(cursor.error("unknown test command"))
    }
}

fn topology(cursor: &mut Cursor<'_>) -> Result<Topology, ParseError> {
    let topologies = [
        ("triangle list", Topology::TriangleList),
        ("triangle strip", Topology::TriangleStrip),
        ("point list", Topology::PointList),
    ];
    if let Some((_, topology)) = topologies.into_iter().find(|(word, _)| cursor.word(word)) {
        return Ok(topology);
    }
    let points = cursor.number()?;
    cursor.expect("control point patch list")?;
    Ok(Topology::Patches(points))
}

/// Parses `uniform 4 float4 1 2 3 4`, or `uniform 0 count 64` in programs of this project, where `count` sets
/// each word to its index.
fn uniform(cursor: &mut Cursor<'_>) -> Result<Command, ParseError> {
    let offset: u32 = cursor.number()?;
    let split = |value: u64| [value as u32, (value >> 32) as u32];
    let mut words = Vec::new();
    if cursor.word("count") {
        words.extend((0..cursor.number::<u16>()?).map(|word| offset.wrapping_add(word.into())));
    } else if cursor.word("float4") {
        words.extend(floats::<4>(cursor)?.map(f32::to_bits));
    } else if cursor.word("float") {
        words.extend(floats::<1>(cursor)?.map(f32::to_bits));
    } else if cursor.word("double2") {
        for _ in 0..2 {
            words.extend(split(cursor.float()?.to_bits()));
        }
    } else if cursor.word("int64_t2") {
        for _ in 0..2 {
            words.extend(split(cursor.number::<i64>()? as u64));
        }
    } else if cursor.word("uint64_t2") {
        for _ in 0..2 {
            words.extend(split(cursor.number()?));
        }
    } else {
        let types = [("int4", (4, true)), ("uint4", (4, false)), ("int", (1, true)), ("uint", (1, false))];
        let (count, signed) = cursor.one_of("type", &types)?;
        // Values at the end may be omitted, and are then 0.
        for _ in 0..count {
            words.push(match cursor.is_empty() {
                true => 0,
                false if signed => cursor.number::<i32>()? as u32,
                false => cursor.number()?,
            });
        }
    }
    Ok(Command::Uniform { offset, words })
}

fn floats<const COUNT: usize>(cursor: &mut Cursor<'_>) -> Result<[f32; COUNT], ParseError> {
    let mut values = [0.0; COUNT];
    for value in &mut values {
        *value = cursor.float()? as f32;
    }
    Ok(values)
}

fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    read: impl Fn(&mut Cursor<'a>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    cursor.expect("(")?;
    let mut values = vec![read(cursor)?];
    while cursor.symbol(",") {
        values.push(read(cursor)?);
    }
    cursor.expect(")")?;
    Ok(values)
}

fn probe(cursor: &mut Cursor<'_>) -> Result<Command, ParseError> {
    let from =
        if cursor.rest().starts_with('(') { Binding::RenderTarget(0) } else { Binding::parse(cursor)? };
    let area = match list(cursor, Cursor::number)?.as_slice() {
        [x] => Area::texel(*x, 0, 0),
        [x, y] => Area::texel(*x, *y, 0),
        [x, y, layer] => Area::texel(*x, *y, *layer),
        &[left, top, right, bottom] => Area { left, top, right, bottom, layer: 0 },
        _ => return Err(cursor.error("expected one to four numbers")),
    };
    let expected = if cursor.word("rgba") || cursor.word("f32") {
        Expected::F32(list(cursor, |cursor| Ok(cursor.float()? as f32))?)
    } else if cursor.word("f64") {
        Expected::F64(list(cursor, Cursor::float)?)
    } else if cursor.word("i32") {
        Expected::I32(list(cursor, Cursor::number)?)
    } else if cursor.word("u32") {
        Expected::U32(list(cursor, |cursor| Ok(cursor.number::<i64>()? as u32))?)
    } else if cursor.word("i64") {
        Expected::I64(list(cursor, Cursor::number)?)
    } else if cursor.word("u64") {
        Expected::U64(list(cursor, |cursor| Ok(cursor.number::<i128>()? as u64))?)
    } else {
        return Err(cursor.error("unknown probe type"));
    };
    // Text after the values is a comment unless it begins with a number.
    let ulps = cursor.integer().and_then(|ulps| u32::try_from(ulps).ok()).unwrap_or(0);
    Ok(Command::Probe { from, area, expected, ulps })
}
