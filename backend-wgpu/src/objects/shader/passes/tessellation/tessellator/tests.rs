//! The functions of the tessellator on the adapter, compared with tables of the reference and with a slow model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod gpu;
mod properties;

// The model and the tables also serve the tests of complete draws, which are in another package.
#[path = "../../../../../../../tests/tests/tessellation/tables.rs"]
mod tables;
#[path = "../../../../../../../tests/tests/tessellation/tessellator.rs"]
mod tessellator;

use std::collections::BTreeMap;

use onze_ddi::{ShaderStage, TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use self::{
    gpu::{Mode, RawFactors, TessellatorGpu},
    tables::TablePatch,
    tessellator::{Tessellation, tessellate},
};
use super::text;
use crate::{objects::shader::passes::tests::languages::write_in_all_languages, testing::shader_code};

const PARTITIONINGS: [TessellatorPartitioning; 4] = [
    TessellatorPartitioning::Integer,
    TessellatorPartitioning::Pow2,
    TessellatorPartitioning::FractionalOdd,
    TessellatorPartitioning::FractionalEven,
];

fn raw(edges: &[f32], inside: &[f32]) -> RawFactors {
    let mut raw = [0.0; 6];
    raw[..edges.len()].copy_from_slice(edges);
    raw[4..][..inside.len()].copy_from_slice(inside);
    raw
}

fn check_all(patches: Vec<TablePatch>) {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let mut modes: BTreeMap<_, Vec<TablePatch>> = BTreeMap::new();
    for patch in patches {
        let (domain, partitioning, output) = patch.mode;
        modes.entry((domain as u8, partitioning as u8, output as u8)).or_default().push(patch);
    }
    for patches in modes.into_values() {
        let factors: Vec<RawFactors> = patches.iter().map(|patch| raw(&patch.edges, &patch.inside)).collect();
        let results = gpu.tessellate(patches[0].mode, &factors);
        patches.iter().zip(results).for_each(|(patch, result)| patch.check(&result));
    }
}

#[test]
fn the_functions_give_the_results_of_the_reference() {
    check_all(tables::committed());
}

#[test]
fn the_functions_give_all_results_of_the_complete_tables() {
    check_all(tables::complete().unwrap_or_default());
}

/// Returns all modes that a hull shader can have.
fn modes() -> Vec<Mode> {
    use TessellatorDomain as D;
    use TessellatorOutput as O;
    let of_surfaces = [O::Point, O::TriangleCw, O::TriangleCcw];
    let domains = [(D::Isoline, vec![O::Point, O::Line]), (D::Triangle, of_surfaces.to_vec())];
    let domains = domains.into_iter().chain([(D::Quad, of_surfaces.to_vec())]);
    domains
        .flat_map(|(domain, outputs)| {
            outputs.into_iter().flat_map(move |output| PARTITIONINGS.map(|of| (domain, of, output)))
        })
        .collect()
}

#[test]
fn the_text_is_valid_in_every_language() {
    use TessellatorDomain as D;
    use TessellatorOutput as O;
    let outputs = [O::Point, O::Line, O::TriangleCw, O::TriangleCcw];
    let domains = [D::Isoline, D::Triangle, D::Quad];
    let pairs = domains.into_iter().flat_map(|domain| outputs.map(|output| (domain, output)));
    for mode in pairs.flat_map(|(domain, output)| PARTITIONINGS.map(|of| (domain, of, output))) {
        let code = shader_code(ShaderStage::Compute, &gpu::source(mode), vec![]);
        assert_eq!(write_in_all_languages(&code, &code.module), [true; 5], "{mode:?}");
    }
}

#[test]
fn random_patches_are_those_of_the_model() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let mut random = Random(1);
    for mode in modes() {
        let factors: Vec<RawFactors> = (0..40).map(|_| std::array::from_fn(|_| random.factor())).collect();
        check_against_model(&gpu, mode, &factors);
    }
}

/// In integer mode, divides a square for each pair of an edge and an inside.
#[test]
fn all_rows_at_the_edges_are_those_of_the_model() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let whole = 1..=64_u8;
    let mut factors: Vec<RawFactors> = vec![];
    for inside in whole.clone() {
        for edge in whole.clone().step_by(4) {
            let edges = [edge, edge + 1, edge + 2, edge + 3].map(f32::from);
            factors.push(raw(&edges, &[f32::from(inside); 2]));
        }
    }
    let (domain, partitioning) = (TessellatorDomain::Quad, TessellatorPartitioning::Integer);
    check_against_model(&gpu, (domain, partitioning, TessellatorOutput::TriangleCw), &factors);
}

#[test]
fn patches_with_some_factors_of_one_are_those_of_the_model() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    // The second is the next number in fixed point.
    let values = [1.0, 1.0 + 1.0 / 65_536.0, 2.5];
    let patches = 0..values.len().pow(6);
    let factors: Vec<RawFactors> = patches
        .map(|patch| {
            std::array::from_fn(|factor| values[patch / values.len().pow(factor as u32) % values.len()])
        })
        .collect();
    for domain in [TessellatorDomain::Isoline, TessellatorDomain::Triangle, TessellatorDomain::Quad] {
        for partitioning in PARTITIONINGS {
            check_against_model(&gpu, (domain, partitioning, TessellatorOutput::TriangleCw), &factors);
        }
    }
}

/// Divisions and square roots may have errors of a few units in the last place on other adapters.
#[test]
fn errors_of_float_operations_change_no_result() {
    let Some(gpu) = TessellatorGpu::new() else { return };
    let mut random = Random(3);
    let is_chosen = |&(_, partitioning, output): &Mode| {
        partitioning == TessellatorPartitioning::FractionalOdd
            && matches!(output, TessellatorOutput::Line | TessellatorOutput::TriangleCw)
    };
    for mode in modes().into_iter().filter(is_chosen) {
        let factors: Vec<RawFactors> = (0..60).map(|_| std::array::from_fn(|_| random.factor())).collect();
        for error in ["0.999999", "1.000001"] {
            let source = gpu::source(mode).replace("sqrt(", "inexact_root(").replace("/ f32(", "* inverse(");
            let inexact = format!(
                "fn inexact_root(x: f32) -> f32 {{ return sqrt(x) * {error}; }}
                fn inverse(x: u32) -> f32 {{ return {error} / f32(x); }}"
            );
            let results = gpu.tessellate_with(&(source + &inexact), &factors);
            compare_with_model(mode, &factors, &results);
        }
    }
}

fn check_against_model(gpu: &TessellatorGpu, mode: Mode, factors: &[RawFactors]) {
    compare_with_model(mode, factors, &gpu.tessellate(mode, factors));
}

fn compare_with_model(mode: Mode, factors: &[RawFactors], results: &[Tessellation]) {
    let (domain, partitioning, output) = mode;
    for (raw, result) in factors.iter().zip(results) {
        let edges = &raw[..domain.edge_factors() as usize];
        let inside = &raw[4..][..domain.inside_factors() as usize];
        let expected = tessellate(domain, partitioning, output, edges, inside);
        assert!(*result == expected, "{mode:?} {raw:?} has the result {result:?}");
    }
}

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }

    /// Returns a factor, often near a whole number, and sometimes outside the limits.
    fn factor(&mut self) -> f32 {
        let whole = self.below(64) as f32 + 1.0;
        match self.below(12) {
            0 => whole,
            1 => whole.next_up(),
            2 => whole.next_down(),
            3 => whole + [1, 2, 3, 5][self.below(4) as usize] as f32 / 131_072.0,
            4 => 1.0,
            5 => [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30, 1e-30, 64.5, 0.5][self.below(8) as usize],
            6 | 7 => self.below(4 << 20) as f32 / (1 << 20) as f32 + 0.5,
            _ => self.below(64 << 20) as f32 / (1 << 20) as f32 + 0.5,
        }
    }
}
