//! The fixed-function tessellator, as WGSL functions.
//!
//! The text has no variables and no entry points. Its functions:
//!
//! | function | result |
//! | --- | --- |
//! | `process_factors(edges: vec4<f32>, inside: vec2<f32>) -> Factors` | the rounded factors of a patch, given the factors of the hull shader |
//! | `point_count(factors: Factors) -> u32` | the number of points |
//! | `point(factors: Factors, number: u32) -> vec2<u32>` | u and v of a point, in units of 1/65536 |
//! | `corner_count(factors: Factors) -> u32` | the number of indices: three for a triangle, two for a line, one for a point |
//! | `corner(factors: Factors, n: u32) -> u32` | the point with the n-th index |
//! | `write_corners(factors: Factors, thread: u32, threads: u32)` | calls `store_corner(n: u32, point: u32)` for the thread's share of all indices |
//!
//! The user of the text adds `store_corner`. `Factors` is stored once for each patch. It consists of eight words with
//! the padding, and `factors.edges.x` is 0 if the patch is culled.
//!
//! Points and indices have the order of Microsoft's reference tessellator, but each of them is computed from its
//! number alone. No function walks through a patch, so any thread can compute any vertex.

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

/// Returns the functions for points alone, for a domain and a partitioning.
pub(super) fn points_text(domain: TessellatorDomain, partitioning: TessellatorPartitioning) -> String {
    constants(partitioning, TessellatorOutput::Point)
        + include_str!("tessellator/edges.wgsl")
        + points(domain)
}

/// Returns the functions for a domain, a partitioning and an output primitive.
///
/// A combination that no hull shader can have is treated as a similar one: isolines have lines instead of triangles,
/// and other domains have points instead of lines.
pub(crate) fn text(
    domain: TessellatorDomain,
    partitioning: TessellatorPartitioning,
    output: TessellatorOutput,
) -> String {
    use TessellatorDomain as D;
    use TessellatorOutput as O;
    let is_point = output == O::Point || (output == O::Line && domain != D::Isoline);
    let primitives = match domain {
        _ if is_point => include_str!("tessellator/points.wgsl"),
        D::Isoline => include_str!("tessellator/lines.wgsl"),
        D::Triangle => {
            concat!(include_str!("tessellator/rows.wgsl"), include_str!("tessellator/triangle_rows.wgsl"))
        }
        D::Quad => concat!(include_str!("tessellator/rows.wgsl"), include_str!("tessellator/quad_rows.wgsl")),
    };
    let edges = include_str!("tessellator/edges.wgsl");
    constants(partitioning, output) + edges + points(domain) + primitives
}

const fn points(domain: TessellatorDomain) -> &'static str {
    match domain {
        TessellatorDomain::Isoline => include_str!("tessellator/isoline.wgsl"),
        TessellatorDomain::Triangle => include_str!("tessellator/triangle.wgsl"),
        TessellatorDomain::Quad => include_str!("tessellator/quad.wgsl"),
    }
}

/// Returns the constants of the text. The limits of factors are the bits of floats.
fn constants(partitioning: TessellatorPartitioning, output: TessellatorOutput) -> String {
    use TessellatorPartitioning as P;
    let is_integer = matches!(partitioning, P::Integer | P::Pow2);
    let is_odd = partitioning == P::FractionalOdd;
    let lowest: f32 = if partitioning == P::FractionalEven { 2.0 } else { 1.0 };
    let highest: f32 = if is_odd { 63.0 } else { 64.0 };
    let is_counterclockwise = output == TessellatorOutput::TriangleCcw;
    format!(
        "const IS_INTEGER = {is_integer};
const IS_ODD = {is_odd};
const LOWEST_FACTOR = {}u;
const HIGHEST_FACTOR = {}u;
const IS_COUNTERCLOCKWISE = {is_counterclockwise};
",
        lowest.to_bits(),
        highest.to_bits(),
    )
}

#[cfg(test)]
mod tests;
