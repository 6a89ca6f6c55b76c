//! Converts any triangle topology to a checked triangle list, and computes missing normals.

use glam::Vec3;
use gltf::json::mesh::Mode;

use crate::content::Vertex;

/// Checks `indices` against `vertices` and converts strips and fans to a list.
///
/// Returns `None` for points and lines. Drops incomplete and degenerate triangles. The winding alternates in
/// a strip but not in a fan (glTF 2.0, section 3.7.2.1).
pub(super) fn to_list(mode: Mode, indices: &[u32], vertices: usize) -> Result<Option<Vec<u32>>, String> {
    if let Some(&index) = indices.iter().find(|&&index| index as usize >= vertices) {
        return Err(format!("has index {index} but only {vertices} vertices"));
    }
    let mut list = Vec::with_capacity(indices.len());
    let mut push = |triangle: [u32; 3]| {
        let [a, b, c] = triangle;
        if a != b && b != c && c != a {
            list.extend(triangle);
        }
    };
    match mode {
        Mode::Triangles => {
            indices.as_chunks().0.iter().for_each(|&triangle| push(triangle));
        }
        Mode::TriangleStrip => {
            for (number, window) in indices.windows(3).enumerate() {
                if let &[a, b, c] = window {
                    push(if number % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
        Mode::TriangleFan => {
            if let Some((&first, rest)) = indices.split_first() {
                for window in rest.windows(2) {
                    if let &[b, c] = window {
                        push([first, b, c]);
                    }
                }
            }
        }
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => return Ok(None),
    }
    Ok(Some(list))
}

/// Gives every triangle its own vertices with the face's normal, because glTF requires flat shading for
/// primitives without normals.
pub(super) fn flat_shade(vertices: &[Vertex], indices: &[u32]) -> (Vec<Vertex>, Vec<u32>) {
    let mut flat = Vec::with_capacity(indices.len());
    for &triangle in indices.as_chunks::<3>().0 {
        let corners = triangle.map(|index| vertices[index as usize]);
        let [a, b, c] = corners.map(|vertex| Vec3::from_array(vertex.position));
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Y).to_array();
        // Tangents must be ignored if there are no normals (glTF 2.0, section 3.7.2.1).
        flat.extend(corners.map(|vertex| Vertex { normal, tangent: [0.0; 4], ..vertex }));
    }
    let indices = (0..flat.len() as u32).collect();
    (flat, indices)
}
