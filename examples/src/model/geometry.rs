//! Converts glTF primitives to meshes, and the node hierarchy to placed meshes.

use glam::{Mat4, Quat, Vec3};
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::scene::Node;
use gltf::json::validation::Checked;

use super::Instance;
use super::accessor::Data;
use super::triangles;
use crate::content::{Mesh, Vertex};

const MAX_VERTICES: usize = 1 << 24;
const MAX_INDICES: usize = 1 << 26;

/// The meshes of a file, grouped by the glTF mesh that they come from.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) meshes: Vec<Mesh>,
    /// For each glTF mesh, one pair of mesh index and material index per converted primitive.
    pub(super) groups: Vec<Vec<(usize, usize)>>,
}

/// Converts every primitive, where a primitive without a material gets `default_material`.
pub(super) fn convert_meshes(data: &Data<'_>, default_material: usize) -> Result<Geometry, String> {
    let mut geometry = Geometry::default();
    let (mut vertices, mut indices) = (0, 0);
    for (number, source) in data.root.meshes.iter().enumerate() {
        let name = source.name.clone().unwrap_or_default();
        let mut group = Vec::new();
        for (part, primitive) in source.primitives.iter().enumerate() {
            let mesh = convert_primitive(data, primitive)
                .map_err(|reason| format!("primitive {part} of mesh {number} {reason}"))?;
            let Some((mesh_vertices, mesh_indices)) = mesh else {
                continue;
            };
            vertices += mesh_vertices.len();
            indices += mesh_indices.len();
            if vertices > MAX_VERTICES || indices > MAX_INDICES {
                return Err(format!(
                    "the model has more than {MAX_VERTICES} vertices or {MAX_INDICES} indices"
                ));
            }
            let material = primitive.material.map_or(default_material, |m| m.value());
            group.push((geometry.meshes.len(), material));
            geometry.meshes.push(Mesh {
                name: format!("{name}.{part}"),
                vertices: mesh_vertices,
                indices: mesh_indices,
            });
        }
        geometry.groups.push(group);
    }
    Ok(geometry)
}

type Triangles = (Vec<Vertex>, Vec<u32>);

/// Converts a primitive to a triangle list, or returns `None` if it has no triangles.
fn convert_primitive(data: &Data<'_>, primitive: &Primitive) -> Result<Option<Triangles>, String> {
    let accessor = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let reading = |reason| format!("cannot be read: {reason}");
    let Some(positions) = accessor(Semantic::Positions) else {
        return Ok(None);
    };
    let positions = data.vectors::<3>(positions).map_err(reading)?;
    if positions.iter().flatten().any(|value| !value.is_finite()) {
        return Err("has a position that is not a finite number".to_owned());
    }
    let indices = match primitive.indices {
        Some(indices) => data.indices(indices).map_err(reading)?,
        None => (0..positions.len() as u32).collect(),
    };
    let Checked::Valid(mode) = primitive.mode else {
        return Ok(None);
    };
    let indices = match triangles::to_list(mode, &indices, positions.len())? {
        Some(indices) if !indices.is_empty() => indices,
        _ => return Ok(None),
    };
    let mut vertices: Vec<Vertex> = positions
        .iter()
        .map(|&position| Vertex::new(Vec3::from_array(position), Vec3::Y, [0.0; 2]))
        .collect();
    let normals = accessor(Semantic::Normals);
    if let Some(normals) = normals {
        let normals = data.vectors::<3>(normals).map_err(reading)?;
        fill(&mut vertices, &normals, |vertex, &normal| {
            vertex.normal = Vec3::from_array(normal).normalize_or(Vec3::Y).to_array();
        })?;
    }
    if let Some(tangents) = accessor(Semantic::Tangents) {
        let tangents = data.vectors::<4>(tangents).map_err(reading)?;
        fill(&mut vertices, &tangents, |vertex, &[x, y, z, w]| {
            let tangent = Vec3::new(x, y, z).normalize_or_zero();
            let sign = if w < 0.0 { -1.0 } else { 1.0 };
            // A zero tangent makes the shader derive the tangent frame.
            let sign = if tangent == Vec3::ZERO { 0.0 } else { sign };
            vertex.tangent = tangent.extend(sign).to_array();
        })?;
    }
    for set in 0..2 {
        if let Some(texcoords) = accessor(Semantic::TexCoords(set as u32)) {
            let texcoords = data.vectors::<2>(texcoords).map_err(reading)?;
            fill(&mut vertices, &texcoords, |vertex, &texcoord| {
                vertex.texcoord[set] = texcoord.map(finite);
            })?;
        }
    }
    if let Some(colors) = accessor(Semantic::Colors(0)) {
        let (colors, components) = data.floats(colors, &[3, 4]).map_err(reading)?;
        let colors: Vec<_> = colors.chunks_exact(components).collect();
        fill(&mut vertices, &colors, |vertex, color| {
            for (channel, &value) in vertex.color.iter_mut().zip(*color) {
                *channel = (finite(value).clamp(0.0, 1.0) * 65535.0).round() as u16;
            }
        })?;
    }
    if normals.is_none() {
        return Ok(Some(triangles::flat_shade(&vertices, &indices)));
    }
    Ok(Some((vertices, indices)))
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// Sets one attribute of every vertex, or fails unless `values` has one element per vertex.
fn fill<T>(vertices: &mut [Vertex], values: &[T], set: impl Fn(&mut Vertex, &T)) -> Result<(), String> {
    if values.len() != vertices.len() {
        return Err(format!("has an attribute of {} elements for {} vertices", values.len(), vertices.len()));
    }
    for (vertex, value) in vertices.iter_mut().zip(values) {
        set(vertex, value);
    }
    Ok(())
}

/// Places the meshes at the nodes of the file's scene.
///
/// If the file has no scene, every node that is not a child of another node is a root. Skins and morph
/// targets are ignored, so such meshes appear in their base shape at their node's transform.
pub(super) fn place(data: &Data<'_>, geometry: &Geometry) -> Result<Vec<Instance>, String> {
    let nodes = &data.root.nodes;
    let scene = data.root.scene.map_or(0, |scene| scene.value());
    let roots: Vec<usize> = match data.root.scenes.get(scene) {
        Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
        None => {
            let mut is_child = vec![false; nodes.len()];
            for child in nodes.iter().filter_map(|node| node.children.as_ref()).flatten() {
                if let Some(flag) = is_child.get_mut(child.value()) {
                    *flag = true;
                }
            }
            (0..nodes.len()).filter(|&node| !is_child[node]).collect()
        }
    };
    let mut instances = Vec::new();
    let mut visited = vec![false; nodes.len()];
    // An explicit stack, because recursion would overflow the thread's stack in a deep hierarchy.
    let mut stack: Vec<_> = roots.into_iter().rev().map(|node| (node, Mat4::IDENTITY)).collect();
    while let Some((number, parent)) = stack.pop() {
        let (Some(node), Some(seen)) = (nodes.get(number), visited.get_mut(number)) else {
            return Err(format!("node {number} does not exist"));
        };
        if std::mem::replace(seen, true) {
            return Err(format!("node {number} is reached twice; nodes must form a tree"));
        }
        let world = parent * local_transform(node);
        if !world.is_finite() {
            return Err(format!("node {number} has a transform that is not finite"));
        }
        if let Some(mesh) = node.mesh {
            let group = geometry.groups.get(mesh.value()).map_or(&[][..], Vec::as_slice);
            instances.extend(group.iter().map(|&(mesh, material)| Instance {
                mesh,
                material,
                transform: world,
            }));
        }
        let children = node.children.iter().flatten().rev();
        stack.extend(children.map(|child| (child.value(), world)));
    }
    Ok(instances)
}

fn local_transform(node: &Node) -> Mat4 {
    if let Some(matrix) = &node.matrix {
        return Mat4::from_cols_array(matrix);
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, |rotation| {
        let quaternion = Quat::from_array(rotation.0);
        // Many files contain rotations whose length is not exactly 1.
        if quaternion.length_squared() > 0.0 { quaternion.normalize() } else { Quat::IDENTITY }
    });
    Mat4::from_scale_rotation_translation(
        node.scale.map_or(Vec3::ONE, Vec3::from_array),
        rotation,
        node.translation.map_or(Vec3::ZERO, Vec3::from_array),
    )
}
