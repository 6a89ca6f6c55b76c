//! Tests of the model of the tessellator.

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::{
    tables::{self, TablePatch},
    tessellator::{Tessellation, tessellate},
};

fn check_all(patches: Vec<TablePatch>) {
    for patch in patches {
        let (domain, partitioning, output) = patch.mode;
        patch.check(&tessellate(domain, partitioning, output, &patch.edges, &patch.inside));
    }
}

#[test]
fn the_model_gives_the_results_of_the_reference() {
    check_all(tables::committed());
}

#[test]
fn the_model_gives_all_results_of_the_complete_tables() {
    check_all(tables::complete().unwrap_or_default());
}

fn triangle(partitioning: TessellatorPartitioning, factor: f32) -> Tessellation {
    let output = TessellatorOutput::TriangleCw;
    tessellate(TessellatorDomain::Triangle, partitioning, output, &[factor; 3], &[factor])
}

#[test]
fn factors_outside_the_limits_are_clamped() {
    use TessellatorPartitioning as P;
    for (partitioning, lowest, highest) in
        [(P::Integer, 1.0, 64.0), (P::FractionalOdd, 1.0, 63.0), (P::FractionalEven, 2.0, 64.0)]
    {
        assert_eq!(triangle(partitioning, f32::MIN_POSITIVE), triangle(partitioning, lowest));
        assert_eq!(triangle(partitioning, f32::INFINITY), triangle(partitioning, highest));
    }
}
