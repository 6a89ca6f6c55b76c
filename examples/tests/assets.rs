//! Generates the model `examples/assets/pawn.glb`, and checks that the stored file is identical.
//!
//! `ONZE_UPDATE_REFERENCES=1 cargo test --package onze-examples --test assets` rewrites the stored file.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

const SIDES: u32 = 36;

/// The outline of a pawn, as pairs of distance from the axis and height, with a new list at each sharp edge
/// of the surface.
const BASE: [&[[f64; 2]]; 4] = [
    &[[0.0, 0.0], [0.40, 0.0]],
    &[[0.40, 0.0], [0.425, 0.03], [0.43, 0.07], [0.42, 0.11], [0.385, 0.14]],
    &[[0.385, 0.14], [0.365, 0.155], [0.36, 0.18]],
    &[[0.36, 0.18], [0.345, 0.215], [0.30, 0.245], [0.24, 0.27]],
];
const STEM: [&[[f64; 2]]; 1] = [&[
    [0.24, 0.27],
    [0.205, 0.32],
    [0.172, 0.42],
    [0.148, 0.54],
    [0.132, 0.66],
    [0.128, 0.76],
    [0.14, 0.82],
]];
const COLLAR: [&[[f64; 2]]; 1] = [&[
    [0.14, 0.82],
    [0.20, 0.832],
    [0.232, 0.846],
    [0.243, 0.866],
    [0.232, 0.886],
    [0.195, 0.90],
    [0.15, 0.908],
]];
const HEAD: [&[[f64; 2]]; 1] = [&[
    [0.15, 0.908],
    [0.19, 0.945],
    [0.213, 0.99],
    [0.22, 1.045],
    [0.212, 1.10],
    [0.19, 1.15],
    [0.155, 1.195],
    [0.105, 1.23],
    [0.05, 1.248],
    [0.0, 1.252],
]];

#[derive(Default)]
struct Shape {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
    indices: Vec<u16>,
}

/// Rounds a number, because the last bits of a sine may differ between machines.
fn rounded(value: f64) -> f32 {
    ((value * 65536.0).round() / 65536.0) as f32
}

fn unit(x: f64, y: f64) -> [f64; 2] {
    let length = x.hypot(y);
    [x / length, y / length]
}

impl Shape {
    fn corner(&mut self, position: [f64; 3], normal: [f64; 3], texcoord: [f64; 2]) {
        self.positions.push(position.map(rounded));
        self.normals.push(normal.map(rounded));
        self.texcoords.push(texcoord.map(rounded));
    }

    /// Creates a surface of revolution by rotating outlines around the vertical axis, with normals that are
    /// smooth within each outline.
    fn turned(outlines: &[&[[f64; 2]]]) -> Self {
        let mut shape = Self::default();
        for outline in outlines {
            let outline = refined(outline);
            let first = shape.positions.len() as u32;
            for side in 0..=SIDES {
                let part = f64::from(side) / f64::from(SIDES);
                // The last column has the same positions as the first, but different texture coordinates.
                let (sin, cos) = (TAU * f64::from(side % SIDES) / f64::from(SIDES)).sin_cos();
                for (n, [radius, height]) in outline.iter().enumerate() {
                    let before = outline[n.saturating_sub(1)];
                    let after = outline[(n + 1).min(outline.len() - 1)];
                    // The outline runs upwards, so its right side is outside.
                    let [out, up] = unit(after[1] - before[1], before[0] - after[0]);
                    shape.corner(
                        [cos * radius, *height, -sin * radius],
                        [cos * out, up, -sin * out],
                        [part, *height],
                    );
                }
            }
            let rows = outline.len() as u32;
            for (side, row) in (0..SIDES).flat_map(|side| (0..rows - 1).map(move |row| (side, row))) {
                let here = first + side * rows + row;
                let next = here + rows;
                let mut triangle = |corners: [u32; 3]| shape.indices.extend(corners.map(|n| n as u16));
                if outline[row as usize][0] > 0.0 {
                    triangle([here, next, here + 1]);
                }
                if outline[row as usize + 1][0] > 0.0 {
                    triangle([next, next + 1, here + 1]);
                }
            }
        }
        shape
    }

    /// Adds one side of a box, where `right` and `up` are vectors of half an edge length.
    fn side(&mut self, middle: [f64; 3], right: [f64; 3], up: [f64; 3], scale: [f64; 2]) {
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let normal = cross(right, up);
        let length = normal.iter().map(|part| part * part).sum::<f64>().sqrt();
        let first = self.positions.len() as u16;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let position = std::array::from_fn(|n| middle[n] + right[n] * x + up[n] * y);
            let texcoord = [(x + 1.0) * 0.5 * scale[0], (1.0 - y) * 0.5 * scale[1]];
            self.corner(position, normal.map(|part| part / length), texcoord);
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }

    fn block(&mut self, middle: [f64; 3], [x, y, z]: [f64; 3]) {
        let [a, b, c] = middle;
        let (wide, deep) = ([x / y, 1.0], [z / y, 1.0]);
        self.side([a, b, c + z], [x, 0.0, 0.0], [0.0, y, 0.0], wide);
        self.side([a, b, c - z], [-x, 0.0, 0.0], [0.0, y, 0.0], wide);
        self.side([a + x, b, c], [0.0, 0.0, -z], [0.0, y, 0.0], deep);
        self.side([a - x, b, c], [0.0, 0.0, z], [0.0, y, 0.0], deep);
        self.side([a, b + y, c], [x, 0.0, 0.0], [0.0, 0.0, -z], [1.0, z / x]);
    }
}

/// Inserts points on a Catmull-Rom curve through the outline's points, except that an outline of two points
/// is a straight line and is not refined.
fn refined(outline: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if outline.len() == 2 {
        return outline.to_vec();
    }
    let at = |n: usize| outline[n.min(outline.len() - 1)];
    let mut points = Vec::new();
    for n in 0..outline.len() - 1 {
        let [a, b, c, d] = [at(n.saturating_sub(1)), at(n), at(n + 1), at(n + 2)];
        for step in 0..2 {
            let t = f64::from(step) / 2.0;
            points.push(std::array::from_fn(|k| {
                0.5 * (2.0 * b[k]
                    + (c[k] - a[k]) * t
                    + (2.0 * a[k] - 5.0 * b[k] + 4.0 * c[k] - d[k]) * t * t
                    + (3.0 * b[k] - a[k] - 3.0 * c[k] + d[k]) * t * t * t)
            }));
        }
    }
    points.push(at(outline.len() - 1));
    points
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
}

impl File {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    fn accessor<T: bytemuck::NoUninit>(&mut self, kind: &str, component: u32, values: &[T]) -> usize {
        let view = self.view(bytemuck::cast_slice(values));
        let accessor =
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": values.len() });
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds a shape's accessors, and returns its glTF primitive, without a material.
    fn primitive(&mut self, shape: &Shape) -> Value {
        let least = |n: usize| shape.positions.iter().map(|p| p[n]).fold(f32::INFINITY, f32::min);
        let most = |n: usize| shape.positions.iter().map(|p| p[n]).fold(f32::NEG_INFINITY, f32::max);
        let position = self.accessor("VEC3", 5126, &shape.positions);
        self.accessors[position]["min"] = json!([least(0), least(1), least(2)]);
        self.accessors[position]["max"] = json!([most(0), most(1), most(2)]);
        let normal = self.accessor("VEC3", 5126, &shape.normals);
        let texcoord = self.accessor("VEC2", 5126, &shape.texcoords);
        let indices = self.accessor("SCALAR", 5123, &shape.indices);
        json!({
            "attributes": { "POSITION": position, "NORMAL": normal, "TEXCOORD_0": texcoord },
            "indices": indices,
        })
    }

    fn mesh(&mut self, name: &str, parts: &[(&Value, usize)]) -> usize {
        let with_material = |(part, material): &(&Value, usize)| {
            let mut part = (*part).clone();
            part["material"] = json!(material);
            part
        };
        let parts: Vec<Value> = parts.iter().map(with_material).collect();
        self.meshes.push(json!({ "name": name, "primitives": parts }));
        self.meshes.len() - 1
    }
}

/// Returns a model of two pawns on a board of nine squares, on top of a crate.
fn pawns() -> Vec<u8> {
    let mut file = File::default();
    let image = file.view(&std::fs::read(asset("crate.png")).unwrap());
    let mut body = |outlines: &[&[&[[f64; 2]]]]| file.primitive(&Shape::turned(&outlines.concat()));
    let (wood, collar) = (body(&[&BASE, &STEM, &HEAD]), body(&[&COLLAR]));
    let (mut light, mut dark, mut rim, mut crate_sides) =
        (Shape::default(), Shape::default(), Shape::default(), Shape::default());
    for (x, z) in (-1..=1).flat_map(|x| (-1..=1).map(move |z| (x, z))) {
        let squares = if (x + z) % 2 == 0 { &mut dark } else { &mut light };
        let middle = [f64::from(x) * 0.9, 0.0, f64::from(z) * 0.9];
        squares.side(middle, [0.45, 0.0, 0.0], [0.0, 0.0, -0.45], [1.0, 1.0]);
    }
    for (x, z, long, deep) in
        [(0.0, 1.43, 1.51, 0.08), (0.0, -1.43, 1.51, 0.08), (1.43, 0.0, 0.08, 1.35), (-1.43, 0.0, 0.08, 1.35)]
    {
        rim.block([x, -0.04, z], [long, 0.07, deep]);
    }
    crate_sides.block([0.0, -0.5, 0.0], [1.4, 0.4, 1.4]);
    let [light, dark, rim, crate_sides] = [light, dark, rim, crate_sides].map(|shape| file.primitive(&shape));
    let ivory_pawn = file.mesh("ivory pawn", &[(&wood, 0), (&collar, 2)]);
    let ebony_pawn = file.mesh("ebony pawn", &[(&wood, 1), (&collar, 2)]);
    let board = file.mesh("board", &[(&light, 3), (&dark, 4), (&rim, 5), (&crate_sides, 6)]);

    let plain = |name: &str, color: [f32; 3], metallic: f32, roughness: f32| {
        let [r, g, b] = color;
        json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": metallic, "roughnessFactor": roughness,
            },
        })
    };
    let mut planks = plain("crate", [1.0, 1.0, 1.0], 0.0, 0.75);
    planks["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": 0 });
    let document = json!({
        "asset": { "version": "2.0", "generator": "Onze: examples/tests/assets.rs" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1, 2] }],
        "nodes": [
            { "mesh": board },
            { "mesh": ivory_pawn, "translation": [0.9, 0.0, 0.9] },
            { "mesh": ebony_pawn, "translation": [-0.9, 0.0, -0.9] },
        ],
        "meshes": file.meshes,
        "materials": [
            plain("ivory", [0.62, 0.52, 0.36], 0.0, 0.26),
            plain("ebony", [0.035, 0.028, 0.026], 0.0, 0.22),
            plain("brass", [0.91, 0.70, 0.34], 1.0, 0.2),
            plain("maple", [0.46, 0.29, 0.14], 0.0, 0.45),
            plain("walnut", [0.055, 0.022, 0.011], 0.0, 0.45),
            plain("steel", [0.56, 0.57, 0.58], 1.0, 0.38),
            planks,
        ],
        "textures": [{ "source": 0 }],
        "images": [{ "name": "crate", "bufferView": image, "mimeType": "image/png" }],
        "bufferViews": file.views,
        "accessors": file.accessors,
        "buffers": [{ "byteLength": file.bytes.len() }],
    });
    glb(&document, &file.bytes)
}

/// Returns the GLB container: a header, the JSON chunk and the binary chunk (glTF 2.0, section 4.4).
fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(document).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut bytes = Vec::from(*b"glTF");
    bytes.extend([word(2), word(28 + json.len() + binary.len()), word(json.len())].concat());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend(word(binary.len()));
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

fn asset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

#[test]
fn the_pawns_are_what_this_program_makes() {
    let made = pawns();
    assert!(made.len() < 200 << 10, "{} bytes", made.len());
    let path = asset("pawn.glb");
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        std::fs::read(&path).unwrap() == made,
        "{} differs from the generated file: see the top of this test",
        path.display()
    );
}

#[test]
fn the_pawns_face_outwards() {
    let model = onze_examples::model::Model::from_slice(&pawns(), Path::new("pawn.glb")).unwrap();
    for mesh in &model.meshes {
        for corners in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|n| mesh.vertices[corners[n] as usize]);
            let position = |v: onze_examples::content::Vertex| glam::Vec3::from(v.position);
            let face = (position(b) - position(a)).cross(position(c) - position(a));
            let normal = glam::Vec3::from(a.normal) + glam::Vec3::from(b.normal) + glam::Vec3::from(c.normal);
            assert!(face.dot(normal) >= 0.0, "{}: {corners:?}", mesh.name);
        }
    }
}
