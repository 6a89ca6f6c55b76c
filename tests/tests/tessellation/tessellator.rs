//! A slow model of the fixed-function tessellator: it walks through a patch from the edges to the centre.
//!
//! The model keeps lists of points and triangles. The driver computes each of them from its number, so the two can
//! disagree. All coordinates are in units of 1/65536.

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

/// The points and the primitives of a patch. Both are empty if the patch is culled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tessellation {
    /// u and v of each point.
    pub(crate) points: Vec<[u32; 2]>,
    /// Numbers of points: three for a triangle, two for a line, one for a point.
    pub(crate) indices: Vec<u32>,
}

const ONE: u32 = 65_536;

/// Divides a patch. `edges` and `inside` are the factors of the hull shader, as many as the domain has.
///
/// A combination that no hull shader can have is treated as a similar one: isolines have lines instead of triangles,
/// and other domains have points instead of lines.
pub(crate) fn tessellate(
    domain: TessellatorDomain,
    partitioning: TessellatorPartitioning,
    output: TessellatorOutput,
    edges: &[f32],
    inside: &[f32],
) -> Tessellation {
    // A factor that is not a number is not above zero.
    if edges.iter().any(|factor| factor.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater)) {
        return Tessellation::default();
    }
    let mode = Mode(partitioning);
    let mut patch = Patch::default();
    match domain {
        TessellatorDomain::Isoline => patch.add_lines(mode, edges),
        TessellatorDomain::Triangle => patch.add_triangle(mode, edges, inside),
        TessellatorDomain::Quad => patch.add_quad(mode, edges, inside),
    }
    let indices = match (domain, output) {
        (_, TessellatorOutput::Point) => (0..patch.points.len() as u32).collect(),
        (TessellatorDomain::Isoline, _) => patch.lines.concat(),
        (_, TessellatorOutput::Line) => (0..patch.points.len() as u32).collect(),
        (_, TessellatorOutput::TriangleCw) => patch.triangles.concat(),
        (_, TessellatorOutput::TriangleCcw) => {
            patch.triangles.iter().flat_map(|&[a, b, c]| [a, c, b]).collect()
        }
    };
    Tessellation { points: patch.points, indices }
}

/// The rules of a partitioning.
#[derive(Copy, Clone)]
struct Mode(TessellatorPartitioning);

impl Mode {
    fn is_integer(self) -> bool {
        matches!(self.0, TessellatorPartitioning::Integer | TessellatorPartitioning::Pow2)
    }

    fn is_even(self) -> bool {
        self.0 == TessellatorPartitioning::FractionalEven
    }

    fn is_odd(self) -> bool {
        self.0 == TessellatorPartitioning::FractionalOdd
    }

    /// Returns a factor within the limits of the mode, in fixed point.
    fn factor(self, factor: f32) -> u32 {
        let lowest = if self.is_even() { 2.0 } else { 1.0 };
        let highest = if self.is_odd() { 63.0 } else { 64.0 };
        // `max` returns the other number if one is not a number.
        let limited = f64::from(factor.max(lowest).min(highest));
        let rounded = if self.is_integer() { limited.ceil() } else { limited };
        (rounded * f64::from(ONE)).round_ties_even() as u32
    }

    fn outside(self, factor: u32) -> Edge {
        Edge::new(factor, if self.is_integer() { (factor / ONE) % 2 == 1 } else { self.is_odd() })
    }

    /// Returns an edge of the inside, which has at least two segments.
    fn inside(self, factor: u32) -> Edge {
        match self.is_integer() && factor == ONE {
            true => Edge::new(2 * ONE, false),
            false => self.outside(factor),
        }
    }

    /// Returns the edges of the inside, or `None` if all factors are 1.
    fn insides(self, edges: &[u32], inside: &[f32]) -> Option<Vec<Edge>> {
        let mut inside: Vec<u32> = inside.iter().map(|&factor| self.factor(factor)).collect();
        if edges.iter().chain(&inside).all(|&factor| factor == ONE) {
            return None;
        }
        if self.is_odd() {
            // The edges need a ring inside.
            inside.iter_mut().for_each(|factor| *factor = (*factor).max(ONE + 1));
        }
        Some(inside.into_iter().map(|factor| self.inside(factor)).collect())
    }
}

/// Returns the positions that half an edge gives to new points, in the order of insertion. Each new level of
/// points halves the distances.
fn ruler() -> impl Iterator<Item = u32> {
    [32, 16, 8, 4, 2, 1].into_iter().flat_map(|distance| (distance..64).step_by(2 * distance as usize))
}

/// An edge that its factor divides.
struct Edge {
    /// The coordinates of all points, from 0 to 1.
    places: Vec<u32>,
    /// The positions on the ruler of those points of the first half after which the edge has a segment in this half.
    ruler: Vec<u32>,
    has_middle_segment: bool,
}

impl Edge {
    fn new(factor: u32, is_odd: bool) -> Self {
        let half = factor.div_ceil(2) + if is_odd { ONE / 2 } else { 0 };
        let (whole, fraction) = (half / ONE, half % ONE);
        let ruler = Self::half_ruler(half.div_ceil(ONE), is_odd);
        let mut first: Vec<u32> = ruler.clone();
        if is_odd {
            // The segment in the middle begins with a point that is never split off from others.
            first.push(64);
        }
        let fewer = Self::half_ruler(whole, is_odd);
        let reciprocal = |half: u32| {
            let segments = 2 * half - u32::from(is_odd);
            (f64::from(ONE) / f64::from(segments)).round() as u32
        };
        let mut places: Vec<u32> = Vec::new();
        for (number, position) in first.iter().enumerate() {
            // A new point starts at the next one.
            let start = match position {
                64 => fewer.len(),
                _ => fewer.iter().filter(|old| *old < position).count(),
            };
            let start = start as u64 * u64::from(reciprocal(whole));
            let end = number as u64 * u64::from(reciprocal(half.div_ceil(ONE)));
            let sum = start * u64::from(ONE - fraction) + end * u64::from(fraction);
            places.push(((sum + 0x8000) >> 16) as u32);
        }
        let mirrored: Vec<u32> = places.iter().rev().map(|place| ONE - place).collect();
        if !is_odd {
            places.push(ONE / 2);
        }
        places.extend(mirrored);
        Self { places, ruler, has_middle_segment: is_odd }
    }

    /// Returns the sorted positions of the first half's points for a whole half factor.
    fn half_ruler(half: u32, is_odd: bool) -> Vec<u32> {
        let segments = half - u32::from(is_odd);
        let mut positions: Vec<u32> = [0].into_iter().chain(ruler()).take(segments as usize).collect();
        positions.sort_unstable();
        positions
    }

    fn segments(&self) -> usize {
        self.places.len() - 1
    }
}

/// A ring: for each edge the numbers of its points, with both ends.
type Ring = Vec<Vec<u32>>;

/// A patch that is being divided.
#[derive(Default)]
struct Patch {
    points: Vec<[u32; 2]>,
    lines: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Patch {
    fn add_point(&mut self, u: u32, v: u32) -> u32 {
        self.points.push([u, v]);
        self.points.len() as u32 - 1
    }

    fn add_lines(&mut self, mode: Mode, edges: &[f32]) {
        let density = Mode(TessellatorPartitioning::Integer);
        let density = density.outside(density.factor(edges[0]));
        let detail = mode.outside(mode.factor(edges[1]));
        for &v in &density.places[..density.segments()] {
            let points: Vec<u32> = detail.places.iter().map(|&u| self.add_point(u, v)).collect();
            self.lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
        }
    }

    fn add_triangle(&mut self, mode: Mode, edges: &[f32], inside: &[f32]) {
        let edges: Vec<u32> = edges.iter().map(|&factor| mode.factor(factor)).collect();
        let Some(inside) = mode.insides(&edges, inside) else {
            self.points = vec![[0, ONE], [0, 0], [ONE, 0]];
            self.triangles = vec![[0, 1, 2]];
            return;
        };
        let inside = &inside[0];
        let edges: Vec<Edge> = edges.into_iter().map(|factor| mode.outside(factor)).collect();
        let mut sides = vec![];
        for (edge, side) in edges.iter().enumerate() {
            sides.push(Side { places: &side.places, across: 0, edge });
        }
        let mut ring = self.add_ring(&sides, triangle_point);
        for number in 1..=inside.segments() / 2 {
            let places = &inside.places[number..inside.places.len() - number];
            let across = (inside.places[number] * 0xaaaa + 0x8000) >> 16;
            let next = match places {
                [_] => {
                    let centre = self.add_point(0x5555, 0x5555);
                    vec![vec![centre]; 3]
                }
                _ => self.add_ring(&[0, 1, 2].map(|edge| Side { places, across, edge }), triangle_point),
            };
            for edge in 0..3 {
                match number {
                    1 => self.join_edges(&ring[edge], &next[edge], &edges[edge], inside),
                    _ => self.join_rings(&ring[edge], &next[edge]),
                }
            }
            ring = next;
        }
        if inside.has_middle_segment {
            self.triangles.push([ring[0][0], ring[1][0], ring[2][0]]);
        }
    }

    fn add_quad(&mut self, mode: Mode, edges: &[f32], inside: &[f32]) {
        let edges: Vec<u32> = edges.iter().map(|&factor| mode.factor(factor)).collect();
        let Some(inside) = mode.insides(&edges, inside) else {
            self.points = vec![[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]];
            self.triangles = vec![[0, 1, 3], [1, 2, 3]];
            return;
        };
        let edges: Vec<Edge> = edges.into_iter().map(|factor| mode.outside(factor)).collect();
        let mut sides = vec![];
        for (edge, side) in edges.iter().enumerate() {
            sides.push(Side { places: &side.places, across: if edge < 2 { 0 } else { ONE }, edge });
        }
        let mut ring = self.add_ring(&sides, quad_point);
        let [u, v] = [&inside[0], &inside[1]];
        for number in 1..=u.segments().min(v.segments()) / 2 {
            let [us, vs] = [u, v].map(|edge| &edge.places[number..edge.places.len() - number]);
            let next = match (us, vs) {
                ([u], _) => {
                    let row: Vec<u32> = vs.iter().rev().map(|&v| self.add_point(*u, v)).collect();
                    let back = row.iter().rev().copied().collect();
                    vec![row.clone(), vec![row[row.len() - 1]], back, vec![row[0]]]
                }
                (_, [v]) => {
                    let row: Vec<u32> = us.iter().map(|&u| self.add_point(u, *v)).collect();
                    let back = row.iter().rev().copied().collect();
                    vec![vec![row[0]], row.clone(), vec![row[row.len() - 1]], back]
                }
                _ => {
                    let ends = [us[0], vs[0], us[us.len() - 1], vs[vs.len() - 1]];
                    let side = |edge: usize| Side {
                        places: if edge % 2 == 1 { us } else { vs },
                        across: ends[edge],
                        edge,
                    };
                    self.add_ring(&[0, 1, 2, 3].map(side), quad_point)
                }
            };
            for edge in 0..4 {
                let along = if edge % 2 == 1 { u } else { v };
                match number {
                    1 => self.join_edges(&ring[edge], &next[edge], &edges[edge], along),
                    _ => self.join_rings(&ring[edge], &next[edge]),
                }
            }
            ring = next;
        }
        let is_along_u = u.segments() > v.segments();
        let (longer, shorter) = if is_along_u { (u, v) } else { (v, u) };
        if shorter.has_middle_segment {
            let differs_in_middle = !is_along_u && longer.has_middle_segment;
            self.fill_strip(&ring, usize::from(is_along_u), differs_in_middle);
        }
    }

    /// Adds the points of a ring, clockwise.
    fn add_ring(&mut self, sides: &[Side<'_>], point: fn(usize, u32, u32) -> [u32; 2]) -> Ring {
        let mut ring = Ring::new();
        for side in sides {
            let mut places = side.places.to_vec();
            let is_ascending = side.edge == 1 || (side.edge == 2 && sides.len() == 4);
            if !is_ascending {
                places.reverse();
            }
            // The next edge adds the last point.
            places.pop();
            let points = places.iter().map(|&place| point(side.edge, place, side.across));
            ring.push(points.map(|[u, v]| self.add_point(u, v)).collect());
        }
        for edge in 0..ring.len() {
            let end = ring[(edge + 1) % ring.len()][0];
            ring[edge].push(end);
        }
        ring
    }

    /// Joins an edge of the patch with an edge of the first ring.
    fn join_edges(&mut self, outer: &[u32], inner: &[u32], outside: &Edge, inside: &Edge) {
        // The first corner of the outer edge has no counterpart on the inner one.
        let mut steps: Vec<(u32, Step)> = outside.ruler.iter().map(|&at| (at, Step::Outer)).collect();
        steps.extend(inside.ruler.iter().skip(1).map(|&at| (at, Step::Inner)));
        steps.sort_unstable();
        let first: Vec<Step> = steps.into_iter().map(|(_, step)| step).collect();
        let middle = [
            inside.has_middle_segment.then_some(Step::Inner),
            outside.has_middle_segment.then_some(Step::MiddleOuter),
        ];
        let second: Vec<Step> = first.iter().rev().copied().collect();
        let (mut o, mut i) = (0, 0);
        for step in first.into_iter().chain(middle.into_iter().flatten()).chain(second) {
            match step {
                Step::Inner => {
                    self.triangles.push([inner[i], outer[o], inner[i + 1]]);
                    i += 1;
                }
                Step::Outer => {
                    self.triangles.push([outer[o], outer[o + 1], inner[i]]);
                    o += 1;
                }
                Step::MiddleOuter => {
                    self.triangles.push([inner[i], outer[o], outer[o + 1]]);
                    o += 1;
                }
            }
        }
        assert_eq!([o + 1, i + 1], [outer.len(), inner.len()], "the row ends at the corners");
    }

    /// Joins edges of two rings of the inside. The outer one has two segments more.
    fn join_rings(&mut self, outer: &[u32], inner: &[u32]) {
        assert_eq!(outer.len(), inner.len() + 2);
        let corner = |o: usize, i: usize| [outer[o], outer[o + 1], inner[i]];
        self.triangles.push(corner(0, 0));
        for i in 0..inner.len() - 1 {
            let (o0, o1, i0, i1) = (outer[i + 1], outer[i + 2], inner[i], inner[i + 1]);
            let quad = match i < inner.len() / 2 {
                true => [[o0, i1, i0], [o0, o1, i1]],
                false => [[i0, o0, o1], [i0, o1, i1]],
            };
            self.triangles.extend(quad);
        }
        self.triangles.push(corner(outer.len() - 2, inner.len() - 1));
    }

    /// Fills the innermost ring of a quad, which is one segment wide, along edge `edge`.
    fn fill_strip(&mut self, ring: &Ring, edge: usize, differs_in_middle: bool) {
        let near = &ring[edge];
        let far: Vec<u32> = ring[edge + 2].iter().rev().copied().collect();
        let segments = near.len() - 1;
        for n in 0..segments {
            let (o0, o1, i0, i1) = (near[n], near[n + 1], far[n], far[n + 1]);
            let quad = match differs_in_middle {
                true if 2 * n + 1 == segments => [[o0, i1, i0], [o0, o1, i1]],
                true => [[o0, o1, i0], [i0, o1, i1]],
                false => [[i0, o0, o1], [i0, o1, i1]],
            };
            self.triangles.extend(quad);
        }
    }
}

/// The next point that a row of triangles reaches. The order is that at equal positions of the ruler.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Inner,
    Outer,
    MiddleOuter,
}

/// An edge of a ring that is being added.
struct Side<'a> {
    /// Coordinates of the points along the edge, ascending.
    places: &'a [u32],
    /// The coordinate that all points of the edge have in common.
    across: u32,
    edge: usize,
}

fn triangle_point(edge: usize, place: u32, across: u32) -> [u32; 2] {
    let along = place - across.div_ceil(2);
    match edge {
        0 => [across, along],
        1 => [along, across],
        _ => [along, ONE - along - across],
    }
}

fn quad_point(edge: usize, place: u32, across: u32) -> [u32; 2] {
    if edge % 2 == 1 { [place, across] } else { [across, place] }
}
