//! Tables of the reference tessellator's results.
//!
//! A part is in the repository. The environment variable `ONZE_TESSELLATOR` names a folder with the complete tables.

use std::{env, path::Path, process::Command};

use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::tessellator::Tessellation;

/// A patch of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TablePatch {
    pub(crate) mode: (TessellatorDomain, TessellatorPartitioning, TessellatorOutput),
    pub(crate) edges: Vec<f32>,
    pub(crate) inside: Vec<f32>,
    pub(crate) expected: Expected,
}

/// The expected result: all of it, or its size and hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Whole(Tessellation),
    Hashes { points: usize, indices: usize, hash_of_points: u64, hash_of_indices: u64 },
}

impl TablePatch {
    /// Fails the test if the result is not the expected one.
    pub(crate) fn check(&self, result: &Tessellation) {
        let is_equal = match &self.expected {
            Expected::Whole(whole) => result == whole,
            hashes => *hashes == hashes_of(result),
        };
        assert!(is_equal, "{self:?} has the result {result:?}");
    }
}

fn hashes_of(result: &Tessellation) -> Expected {
    let coordinates = result.points.iter().flatten();
    let floats = coordinates.flat_map(|&coordinate| (coordinate as f32 / 65_536.0).to_le_bytes());
    let hash_of_points = fnv(floats);
    let hash_of_indices = fnv(result.indices.iter().flat_map(|index| index.to_le_bytes()));
    Expected::Hashes {
        points: result.points.len(),
        indices: result.indices.len(),
        hash_of_points,
        hash_of_indices,
    }
}

/// FNV-1a with 64 bits.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns the patches of the table in the repository.
pub(crate) fn committed() -> Vec<TablePatch> {
    parse(include_str!("tessellator.tsv"))
}

/// Returns the patches of the complete tables, or `None` if their folder is not known.
pub(crate) fn complete() -> Option<Vec<TablePatch>> {
    let Some(folder) = env::var_os("ONZE_TESSELLATOR") else {
        println!("not run: ONZE_TESSELLATOR names no folder");
        return None;
    };
    let tables = ["counts.tsv.gz", "detail.tsv.gz"];
    Some(tables.iter().flat_map(|name| parse(&decompressed(&Path::new(&folder).join(name)))).collect())
}

fn decompressed(file: &Path) -> String {
    let output = Command::new("gzip").arg("-dc").arg(file).output().unwrap();
    assert!(output.status.success(), "gzip cannot read {}", file.display());
    String::from_utf8(output.stdout).unwrap()
}

/// Reads a table without its header. Rows with hashes have nine columns, those with complete results have seven.
fn parse(table: &str) -> Vec<TablePatch> {
    let patches: Vec<TablePatch> = table.lines().skip(1).map(patch).collect();
    assert!(!patches.is_empty(), "the table has rows");
    patches
}

fn patch(line: &str) -> TablePatch {
    let columns: Vec<&str> = line.split('\t').collect();
    let hash = |column: usize| u64::from_str_radix(columns[column], 16).unwrap();
    let size = |column: usize| columns[column].parse().unwrap();
    let expected = match columns.len() {
        9 => Expected::Hashes {
            points: size(5),
            indices: size(6),
            hash_of_points: hash(7),
            hash_of_indices: hash(8),
        },
        _ => Expected::Whole(Tessellation {
            points: columns[5].split_whitespace().map(point).collect(),
            indices: columns[6].split_whitespace().map(|index| index.parse().unwrap()).collect(),
        }),
    };
    TablePatch {
        mode: (domain(columns[0]), partitioning(columns[1]), output(columns[2])),
        edges: factors(columns[3]),
        inside: factors(columns[4]),
        expected,
    }
}

fn point(text: &str) -> [u32; 2] {
    let (u, v) = text.split_once(',').unwrap();
    [u, v].map(|coordinate| coordinate.parse().unwrap())
}

fn factors(text: &str) -> Vec<f32> {
    text.split(',').filter(|factor| !factor.is_empty()).map(|factor| factor.parse().unwrap()).collect()
}

fn domain(text: &str) -> TessellatorDomain {
    match text {
        "isoline" => TessellatorDomain::Isoline,
        "tri" => TessellatorDomain::Triangle,
        "quad" => TessellatorDomain::Quad,
        _ => panic!("{text} is not a domain"),
    }
}

fn partitioning(text: &str) -> TessellatorPartitioning {
    match text {
        "integer" => TessellatorPartitioning::Integer,
        "pow2" => TessellatorPartitioning::Pow2,
        "frac_odd" => TessellatorPartitioning::FractionalOdd,
        "frac_even" => TessellatorPartitioning::FractionalEven,
        _ => panic!("{text} is not a partitioning"),
    }
}

fn output(text: &str) -> TessellatorOutput {
    match text {
        "point" => TessellatorOutput::Point,
        "line" => TessellatorOutput::Line,
        "tri_cw" => TessellatorOutput::TriangleCw,
        "tri_ccw" => TessellatorOutput::TriangleCcw,
        _ => panic!("{text} is not an output primitive"),
    }
}
