//! The fixed-function tessellator, as WGSL functions.
//!
//! A text has no variables and no entry points. It has the functions of some parts ([`TessellatorPart`]):
//!
//! | part | function | result |
//! | --- | --- | --- |
//! | all | `point_count(factors: Factors) -> u32` | the number of points |
//! | all | `corner_count(factors: Factors) -> u32` | the number of indices: three for a triangle, two for a line, one for a point |
//! | `Factors` | `process_factors(count: u32)` | converts the factors of the hull shader, whose number is `count` |
//! | `Points` | `point(factors: Factors, number: u32) -> vec2<u32>` | u and v of a point, in units of 1/65536 |
//! | `Corners` | `corner(factors: Factors, n: u32) -> u32` | the point with the n-th index |
//! | `Corners` | `write_corners(factors: Factors, thread: u32, threads: u32)` | calls `store_corner` for the thread's share of all indices |
//!
//! The user of the text adds the functions that access memory:
//!
//! * For `Factors`, `raw_factor(number: u32) -> f32` returns a factor of the hull shader. `set_word(number: u32, word: u32)`
//!   and `word(number: u32) -> u32` access the words of the patch: 0 to 3 are `Factors::edges`, 4 and 5 are
//!   `Factors::inside`.
//! * For `Corners`, `store_corner(n: u32, point: u32)` stores the n-th index.
//!
//! `Factors` is stored once for each patch. `factors.edges.x` is 0 if the patch is culled.
//!
//! Points and indices have the order of Microsoft's reference tessellator, but each of them is computed from its
//! number alone. No function walks through a patch, so any thread can compute any vertex.

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

/// A part of the tessellator's functions. Each shader contains only the parts that it needs, because parsing and
/// compiling take time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TessellatorPart {
    /// The conversion of factors.
    Factors,
    /// The domain points.
    Points,
    /// The indices.
    Corners,
}

/// Returns some parts of the functions for a domain, a partitioning and an output primitive.
///
/// A combination that no hull shader can have is treated as a similar one: isolines have lines instead of triangles,
/// and other domains have points instead of lines.
pub(crate) fn text(
    domain: TessellatorDomain,
    partitioning: TessellatorPartitioning,
    output: TessellatorOutput,
    parts: &[TessellatorPart],
) -> String {
    use TessellatorDomain as D;
    use TessellatorOutput as O;
    let is_point = output == O::Point || (output == O::Line && domain != D::Isoline);
    let mut text = constants(domain, partitioning, output);
    text += include_str!("tessellator/edges.wgsl");
    text += match domain {
        D::Isoline => include_str!("tessellator/isoline.wgsl"),
        D::Triangle => include_str!("tessellator/triangle.wgsl"),
        D::Quad => include_str!("tessellator/quad.wgsl"),
    };
    let corner_count = match domain {
        _ if is_point => "point_count(factors)",
        D::Isoline => "2u * segments_of(factors.edges.x) * segments_of(factors.edges.y)",
        D::Triangle | D::Quad => "3u * triangle_count(factors)",
    };
    text += &format!("fn corner_count(factors: Factors) -> u32 {{ return {corner_count}; }}\n");
    let sources = parts.iter().map(|part| match (part, domain) {
        (TessellatorPart::Factors, D::Isoline) => {
            [include_str!("tessellator/factors.wgsl"), include_str!("tessellator/isoline_factors.wgsl")]
        }
        (TessellatorPart::Factors, D::Triangle | D::Quad) => {
            [include_str!("tessellator/factors.wgsl"), include_str!("tessellator/surface_factors.wgsl")]
        }
        (TessellatorPart::Points, D::Isoline) => {
            [include_str!("tessellator/places.wgsl"), include_str!("tessellator/isoline_points.wgsl")]
        }
        (TessellatorPart::Points, D::Triangle) => {
            [include_str!("tessellator/places.wgsl"), include_str!("tessellator/triangle_points.wgsl")]
        }
        (TessellatorPart::Points, D::Quad) => {
            [include_str!("tessellator/places.wgsl"), include_str!("tessellator/quad_points.wgsl")]
        }
        (TessellatorPart::Corners, _) if is_point => ["", include_str!("tessellator/points.wgsl")],
        (TessellatorPart::Corners, D::Isoline) => ["", include_str!("tessellator/lines.wgsl")],
        (TessellatorPart::Corners, D::Triangle) => {
            [include_str!("tessellator/rows.wgsl"), include_str!("tessellator/triangle_rows.wgsl")]
        }
        (TessellatorPart::Corners, D::Quad) => {
            [include_str!("tessellator/rows.wgsl"), include_str!("tessellator/quad_rows.wgsl")]
        }
    });
    text.extend(sources.flatten());
    text
}

/// Returns the constants of the text. The limits of factors are the bits of floats.
fn constants(
    domain: TessellatorDomain,
    partitioning: TessellatorPartitioning,
    output: TessellatorOutput,
) -> String {
    use TessellatorPartitioning as P;
    let is_integer = matches!(partitioning, P::Integer | P::Pow2);
    let is_odd = partitioning == P::FractionalOdd;
    let lowest: f32 = if partitioning == P::FractionalEven { 2.0 } else { 1.0 };
    let highest: f32 = if is_odd { 63.0 } else { 64.0 };
    let is_counterclockwise = output == TessellatorOutput::TriangleCcw;
    format!(
        "const EDGES = {}u;
const IS_INTEGER = {is_integer};
const IS_ODD = {is_odd};
const LOWEST_FACTOR = {}u;
const HIGHEST_FACTOR = {}u;
const IS_COUNTERCLOCKWISE = {is_counterclockwise};
",
        domain.edge_factors(),
        lowest.to_bits(),
        highest.to_bits(),
    )
}

#[cfg(test)]
mod tests;
