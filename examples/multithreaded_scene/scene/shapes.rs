//! The procedural meshes, which fit into the cube from -1 to 1 and have counter-clockwise triangles.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

use onze_examples::content::{Mesh, Vertex};

pub(super) fn cube() -> Mesh {
    let mut mesh = named("box");
    for normal in [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z] {
        // Any right-handed frame around the normal works, but this frame keeps the texture upright on the
        // sides.
        let up = if normal.y == 0.0 { Vec3::Y } else { -Vec3::Z * normal.y };
        let right = up.cross(normal);
        quad(&mut mesh, normal, right, up, Vec2::ONE);
    }
    mesh
}

/// Returns a horizontal square from -1 to 1 at height 0 that faces up, with a texture that repeats `tiles`
/// times along each edge.
pub(super) fn plane(tiles: f32) -> Mesh {
    let mut mesh = named("plane");
    let (right, up) = (Vec3::X, -Vec3::Z);
    quad(&mut mesh, Vec3::Y, right, up, Vec2::splat(tiles));
    for vertex in &mut mesh.vertices {
        vertex.position[1] = 0.0;
    }
    mesh
}

pub(super) fn disc(segments: u32) -> Mesh {
    let mut mesh = named("disc");
    mesh.vertices.push(Vertex::new(Vec3::ZERO, Vec3::Y, [0.5; 2]));
    add_fan(&mut mesh, Vec3::Y, 0.0, segments);
    mesh
}

pub(super) fn sphere(segments: u32, rings: u32) -> Mesh {
    let point = |u: f32, v: f32| {
        let (sin, cos) = (v * PI).sin_cos();
        let direction = Vec3::new((u * TAU).sin() * sin, cos, (u * TAU).cos() * sin);
        (direction, direction)
    };
    surface("sphere", segments, rings, Vec2::new(4.0, 2.0), point)
}

/// Returns a torus around the vertical axis, with an outer radius of 1 and a tube of radius `tube`.
pub(super) fn torus(segments: u32, rings: u32, tube: f32) -> Mesh {
    let ring = 1.0 - tube;
    let point = |u: f32, v: f32| {
        let outward = Vec3::new((u * TAU).sin(), 0.0, (u * TAU).cos());
        // The tube's cross section runs from the inside over the top, so that its texture faces outwards.
        let (sin, cos) = (v * TAU).sin_cos();
        let normal = outward * -cos + Vec3::Y * sin;
        (outward * ring + normal * tube, normal)
    };
    let tiles = Vec2::new(6.0, (6.0 * tube / ring).max(1.0).round());
    surface("torus", segments, rings, tiles, point)
}

pub(super) fn cylinder(segments: u32) -> Mesh {
    frustum("cylinder", segments, 1.0)
}

pub(super) fn cone(segments: u32) -> Mesh {
    frustum("cone", segments, 0.0)
}

/// Returns a cylinder or cone with radius 1 at the bottom and radius `top` at the top.
fn frustum(name: &str, segments: u32, top: f32) -> Mesh {
    let slope = (1.0 - top) / 2.0;
    let point = |u: f32, v: f32| {
        let outward = Vec3::new((u * TAU).sin(), 0.0, (u * TAU).cos());
        let radius = top + (1.0 - top) * v;
        let position = outward * radius + Vec3::Y * (1.0 - 2.0 * v);
        (position, (outward + Vec3::Y * slope).normalize())
    };
    // A cone needs several rows, because a single row of long triangles would shear the texture.
    let rows = if top > 0.0 { 1 } else { 4 };
    let mut mesh = surface(name, segments, rows, Vec2::new(4.0, 1.0), point);
    for (normal, radius) in [(Vec3::Y, top), (-Vec3::Y, 1.0)] {
        if radius > 0.0 {
            mesh.vertices.push(Vertex::new(normal, normal, [0.5; 2]));
            add_fan(&mut mesh, normal, normal.y, segments);
        }
    }
    mesh
}

fn named(name: &str) -> Mesh {
    Mesh { name: name.to_owned(), ..Mesh::default() }
}

fn quad(mesh: &mut Mesh, normal: Vec3, right: Vec3, up: Vec3, tiles: Vec2) {
    let base = mesh.vertices.len() as u32;
    for (x, y) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
        let position = normal + right * (x * 2.0 - 1.0) + up * (y * 2.0 - 1.0);
        let texcoord = [x * tiles.x, (1.0 - y) * tiles.y];
        mesh.vertices.push(Vertex::new(position, normal, texcoord));
    }
    mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| base + corner));
}

/// Adds a disc around the most recently added vertex, facing `normal`.
fn add_fan(mesh: &mut Mesh, normal: Vec3, height: f32, segments: u32) {
    let middle = mesh.vertices.len() as u32 - 1;
    for segment in 0..=segments {
        let (sin, cos) = (TAU * segment as f32 / segments as f32).sin_cos();
        let texcoord = [0.5 + 0.5 * sin, 0.5 + 0.5 * cos * normal.y];
        let position = Vec3::new(sin, height, cos);
        mesh.vertices.push(Vertex::new(position, normal, texcoord));
    }
    for segment in 1..=segments {
        let (a, b) = (middle + segment, middle + segment + 1);
        let triangle = if normal.y > 0.0 { [middle, a, b] } else { [middle, b, a] };
        mesh.indices.extend(triangle);
    }
}

/// Builds a surface as a grid over `u` and `v`, both from 0 to 1. As seen from outside, `u` runs to the right
/// and `v` runs downwards.
fn surface(
    name: &str,
    columns: u32,
    rows: u32,
    tiles: Vec2,
    point: impl Fn(f32, f32) -> (Vec3, Vec3),
) -> Mesh {
    let mut mesh = named(name);
    for row in 0..=rows {
        for column in 0..=columns {
            let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
            let (position, normal) = point(u, v);
            let texcoord = [u * tiles.x, v * tiles.y];
            mesh.vertices.push(Vertex::new(position, normal, texcoord));
        }
    }
    let stride = columns + 1;
    for row in 0..rows {
        for column in 0..columns {
            let a = row * stride + column;
            let corners = [a, a + stride, a + stride + 1, a, a + stride + 1, a + 1];
            for &[x, y, z] in corners.as_chunks::<3>().0 {
                // At a pole or an apex, two corners coincide, and the triangle would have no area.
                let at = |index: u32| Vec3::from_array(mesh.vertices[index as usize].position);
                let (edge, other) = (at(y) - at(x), at(z) - at(x));
                if edge.cross(other).length_squared() > 1e-12 {
                    mesh.indices.extend([x, y, z]);
                }
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Mesh> {
        vec![cube(), plane(3.0), disc(24), sphere(24, 16), torus(24, 12, 0.3), cylinder(20), cone(20)]
    }

    #[test]
    fn triangles_wind_counter_clockwise_and_normals_are_unit() {
        for mesh in all() {
            assert!(!mesh.indices.is_empty() && mesh.indices.len().is_multiple_of(3));
            for &triangle in mesh.indices.as_chunks::<3>().0 {
                let corners = triangle.map(|index| mesh.vertices[index as usize]);
                let [a, b, c] = corners.map(|corner| Vec3::from_array(corner.position));
                let face = (b - a).cross(c - a);
                assert!(face.length() > 1e-6, "{} has an empty triangle", mesh.name);
                for corner in corners {
                    let normal = Vec3::from_array(corner.normal);
                    assert!((normal.length() - 1.0).abs() < 1e-5, "{}", mesh.name);
                    assert!(face.dot(normal) > 0.0, "{} {a} {b} {c}", mesh.name);
                }
            }
        }
    }

    #[test]
    fn shapes_fit_the_unit_cube_and_reach_it() {
        for mesh in all() {
            let positions = mesh.vertices.iter().map(|v| Vec3::from_array(v.position).abs());
            let reach = positions.reduce(Vec3::max).unwrap_or_default();
            assert!(reach.max_element() <= 1.0 + 1e-5, "{} {reach}", mesh.name);
            assert!(reach.x > 0.99 && reach.z > 0.99, "{} {reach}", mesh.name);
        }
    }

    #[test]
    fn textures_are_not_mirrored() {
        for mesh in all() {
            for &triangle in mesh.indices.as_chunks::<3>().0 {
                let corners = triangle.map(|index| mesh.vertices[index as usize]);
                let [a, b, c] = corners.map(|corner| Vec2::from_array(corner.texcoord[0]));
                // v points down, so a counter-clockwise triangle is clockwise in texture space.
                assert!((b - a).perp_dot(c - a) < 1e-6, "{}", mesh.name);
            }
        }
    }
}
