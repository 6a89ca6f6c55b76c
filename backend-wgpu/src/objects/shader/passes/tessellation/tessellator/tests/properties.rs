//! Properties that the divisions of all patches have.

use std::collections::HashSet;

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::{
    PARTITIONINGS, Random,
    gpu::{RawFactors, TessellatorGpu},
    tessellator::Tessellation,
};

const ONE: u32 = 65_536;
const SURFACES: [TessellatorDomain; 2] = [TessellatorDomain::Triangle, TessellatorDomain::Quad];

/// Divides random patches of all surfaces, with triangles.
fn for_random_surfaces(
    output: TessellatorOutput,
    adapt: impl Fn(RawFactors) -> RawFactors,
    check: impl Fn(TessellatorDomain, &Tessellation),
) {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let mut random = Random(2);
    for domain in SURFACES {
        for partitioning in PARTITIONINGS {
            let factors: Vec<RawFactors> =
                (0..60).map(|_| adapt(std::array::from_fn(|_| random.factor()))).collect();
            let results = gpu.tessellate((domain, partitioning, output), &factors);
            results.iter().for_each(|result| check(domain, result));
            assert!(results.iter().any(|result| !result.points.is_empty()));
        }
    }
}

/// Returns twice the area of a triangle in units of 2^-32, positive if the triangle is clockwise with v pointing down.
fn doubled_area(points: &[[u32; 2]], triangle: &[u32]) -> i64 {
    let [a, b, c] = [0, 1, 2].map(|corner| points[triangle[corner] as usize].map(i64::from));
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn whole_area(domain: TessellatorDomain) -> i64 {
    if domain == TessellatorDomain::Quad { 2 << 32 } else { 1 << 32 }
}

#[test]
fn triangles_cover_the_patch_with_one_winding() {
    for (output, sign) in [(TessellatorOutput::TriangleCw, 1), (TessellatorOutput::TriangleCcw, -1)] {
        for_random_surfaces(
            output,
            |raw| raw,
            |domain, result| {
                let areas =
                    result.indices.chunks(3).map(|triangle| sign * doubled_area(&result.points, triangle));
                let areas: Vec<i64> = areas.collect();
                let lowest = areas.iter().min().copied().unwrap_or_default();
                // Coordinates are rounded to a unit, which can turn a triangle that has almost no width.
                assert!(lowest > -i64::from(ONE), "a triangle has the area {lowest}");
                let sum: i64 = areas.iter().sum();
                assert!(areas.is_empty() || sum == whole_area(domain), "the sum is {sum}");
            },
        );
    }
}

/// Returns the points of the patch's edges, clockwise from the corner of u = 0 and v = 1.
///
/// Fails unless each side of a triangle is shared by two triangles, or is a side of the outline, which connects the
/// first points in their order.
fn outline(result: &Tessellation) -> Vec<[u32; 2]> {
    let mut sides: HashSet<(u32, u32)> = HashSet::new();
    for triangle in result.indices.chunks(3) {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            assert!(sides.insert((triangle[from], triangle[to])), "a side is used once in each direction");
        }
    }
    let mut single: Vec<_> = sides.iter().filter(|&&(from, to)| !sides.contains(&(to, from))).collect();
    single.sort_unstable();
    let count = single.len() as u32;
    let expected: Vec<_> = (0..count).map(|point| (point, (point + 1) % count)).collect();
    assert_eq!(single, expected.iter().collect::<Vec<_>>(), "the outline has the first points");
    let mut points = result.points[..count as usize].to_vec();
    let start = points.iter().position(|point| *point == [0, ONE]);
    points.rotate_left(start.unwrap_or_default());
    points
}

#[test]
fn triangles_share_all_sides_but_the_outline() {
    for_random_surfaces(
        TessellatorOutput::TriangleCw,
        |raw| raw,
        |domain, result| {
            for [u, v] in outline(result) {
                let is_on_last = match domain {
                    TessellatorDomain::Quad => u == ONE || v == ONE,
                    _ => u + v == ONE,
                };
                assert!(u == 0 || v == 0 || is_on_last, "{u} {v} is on an edge");
            }
        },
    );
}

#[test]
fn edges_with_equal_factors_have_equal_and_mirrored_points() {
    let with_equal_edges = |raw: RawFactors| {
        let [edge, .., u, v] = raw;
        [edge, edge, edge, edge, u, v]
    };
    for_random_surfaces(TessellatorOutput::TriangleCw, with_equal_edges, |domain, result| {
        let points = outline(result);
        let segments = points.len() / domain.edge_factors() as usize;
        let mut first = None;
        for (edge, points) in points.chunks(segments.max(1)).enumerate() {
            let along: Vec<u32> = points
                .iter()
                .map(|&[u, v]| match (domain, edge) {
                    (_, 0) => ONE - v,
                    (_, 1) => u,
                    (TessellatorDomain::Quad, 2) => v,
                    _ => ONE - u,
                })
                .collect();
            let backward = along[1..].iter().rev().map(|place| ONE - place);
            assert!(along[1..].iter().copied().eq(backward), "{along:?} is its mirror image");
            assert_eq!(*first.get_or_insert_with(|| along.clone()), along, "edge {edge}");
        }
    });
}

/// Divides two patches for each surface and partitioning, which must have the same result.
fn assert_equal(patches: &[(RawFactors, RawFactors)]) {
    let Some(gpu) = TessellatorGpu::new() else { return };
    for domain in [TessellatorDomain::Isoline, TessellatorDomain::Triangle, TessellatorDomain::Quad] {
        for partitioning in PARTITIONINGS {
            let factors: Vec<RawFactors> = patches.iter().flat_map(|&(a, b)| [a, b]).collect();
            let results = gpu.tessellate((domain, partitioning, TessellatorOutput::TriangleCw), &factors);
            for (results, (a, b)) in results.chunks(2).zip(patches) {
                assert!(results[0] == results[1], "{domain:?} {partitioning:?}: {a:?} is like {b:?}");
            }
        }
    }
}

#[test]
fn a_factor_of_an_edge_that_is_not_above_zero_culls() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let invalid = [f32::NAN, -f32::NAN, 0.0, -0.0, -1.0, f32::NEG_INFINITY, -f32::MIN_POSITIVE];
    for domain in [TessellatorDomain::Isoline, TessellatorDomain::Triangle, TessellatorDomain::Quad] {
        for partitioning in PARTITIONINGS {
            let edges = 0..domain.edge_factors() as usize;
            let factors: Vec<RawFactors> =
                edges.flat_map(|edge| invalid.map(|factor| with_factor([5.0; 6], edge, factor))).collect();
            let results = gpu.tessellate((domain, partitioning, TessellatorOutput::TriangleCw), &factors);
            for (raw, result) in factors.iter().zip(results) {
                assert_eq!(result, Tessellation::default(), "{domain:?} {partitioning:?} {raw:?}");
            }
        }
    }
}

fn with_factor(mut raw: RawFactors, number: usize, factor: f32) -> RawFactors {
    raw[number] = factor;
    raw
}

#[test]
fn factors_outside_the_limits_become_limits() {
    let highest = |factor| ([factor; 6], [64.0; 6]);
    let lowest = |factor| ([factor; 6], [1.0; 6]);
    let inside = |factor| ([3.5, 3.5, 3.5, 3.5, factor, 7.0], [3.5, 3.5, 3.5, 3.5, 1.0, 7.0]);
    assert_equal(&[
        highest(f32::INFINITY),
        highest(f32::MAX),
        highest(64.0_f32.next_up()),
        lowest(f32::MIN_POSITIVE),
        lowest(1.0_f32.next_down()),
        inside(f32::NAN),
        inside(-f32::NAN),
        inside(0.0),
        inside(-0.0),
        inside(-5.0),
        inside(f32::NEG_INFINITY),
    ]);
}

#[test]
fn half_a_unit_of_a_factor_is_rounded_to_even() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let after = |whole: f32, halves: u16| [whole + f32::from(halves) / 131_072.0; 6];
    for domain in SURFACES {
        for partitioning in [TessellatorPartitioning::FractionalOdd, TessellatorPartitioning::FractionalEven]
        {
            let wholes = [1.0, 3.0, 4.0, 30.0, 31.0];
            let down = wholes.iter().flat_map(|&whole| [after(whole, 1), after(whole, 0)]);
            let up = wholes.iter().flat_map(|&whole| [after(whole, 3), after(whole, 4)]);
            let factors: Vec<RawFactors> = down.chain(up).collect();
            let results = gpu.tessellate((domain, partitioning, TessellatorOutput::TriangleCw), &factors);
            assert!(results.chunks(2).all(|pair| pair[0] == pair[1]));
        }
    }
}
