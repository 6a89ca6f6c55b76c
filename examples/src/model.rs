//! Loads static glTF 2.0 models (`.gltf` and `.glb`, with PNG and JPEG images).
//!
//! The loader supports the core of the format for static models: every triangle topology, sparse and
//! normalised accessors, data URIs, embedded and separate buffers, node transforms, both texture coordinate
//! sets, vertex colours and the metallic-roughness material. The supported extensions are texture transforms,
//! quantised meshes, unlit materials and emissive strength. A file is validated while it is read, and every
//! problem is reported as a [`ModelError`].

mod accessor;
mod error;
mod geometry;
mod image;
mod material;
#[cfg(test)]
mod tests;
mod triangles;

use std::path::Path;

use glam::Mat4;
use gltf::json::Root;
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use gltf::{Document, Gltf};
use serde::Deserialize;

use self::accessor::Data;
pub use self::error::ModelError;
use crate::content::{Bounds, Image, Material, Mesh};

const SUPPORTED_EXTENSIONS: [&str; 4] = [
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
];

/// A mesh with the material and transform that a node of the scene gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Index into [`Model::meshes`], because several instances may share a mesh.
    pub mesh: usize,
    /// Index into [`Model::materials`], whose last material is the default.
    pub material: usize,
    /// The matrix from the mesh's local space to the model's space, including the transforms of all parent
    /// nodes.
    pub transform: Mat4,
}

/// A loaded model in CPU memory, independent of any device.
#[derive(Debug, Clone)]
pub struct Model {
    /// The meshes, one for each glTF primitive that has triangles.
    pub meshes: Vec<Mesh>,
    /// The materials, whose textures refer to [`Model::images`] by index.
    pub materials: Vec<Material>,
    /// The images, decoded to RGBA, in the order of the file.
    pub images: Vec<Image>,
    /// The placed meshes, at least one because loading an empty model fails.
    pub instances: Vec<Instance>,
    /// The bounding box of all instances in the model's space, for scaling the model or placing a camera.
    pub bounds: Bounds,
}

/// The fields that determine whether the loader supports the file, parsed first because a required extension
/// may change the rest of the file so that the parser fails.
#[derive(Debug, Default, Deserialize)]
struct Preamble {
    #[serde(default)]
    asset: Asset,
    #[serde(default, rename = "extensionsRequired")]
    extensions_required: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Asset {
    #[serde(default)]
    version: String,
}

impl Model {
    /// Loads the model at `path`, and all files that it refers to.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, is damaged, or requires an unsupported extension.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Read {
            what: "model",
            path: path.to_owned(),
            source,
        })?;
        Self::from_slice(&bytes, path)
    }

    /// Loads a model from the bytes of a file, where `path` appears in error messages, and URIs in the model
    /// are relative to its folder.
    ///
    /// # Errors
    /// Returns the same errors as [`Model::load`], except for reading the model's file itself.
    pub fn from_slice(bytes: &[u8], path: &Path) -> Result<Self, ModelError> {
        let malformed = |reason| ModelError::Malformed { path: path.to_owned(), reason };
        let (root, blob) = parse(bytes, path)?;
        let data = Data { buffers: load_buffers(&root, blob, path)?, root: &root };
        let materials = material::convert_materials(&root);
        let default_material = materials.len().saturating_sub(1);
        let geometry = geometry::convert_meshes(&data, default_material).map_err(malformed)?;
        let instances = geometry::place(&data, &geometry).map_err(malformed)?;
        let mut bounds = Bounds::EMPTY;
        for instance in &instances {
            bounds.add_mesh(&geometry.meshes[instance.mesh], instance.transform);
        }
        if instances.is_empty() || !bounds.is_valid() {
            return Err(ModelError::Empty { path: path.to_owned() });
        }
        Ok(Self {
            images: image::load_images(&data, path)?,
            meshes: geometry.meshes,
            materials,
            instances,
            bounds,
        })
    }
}

/// Parses and validates the file, and for a `.glb` also returns the binary chunk.
fn parse(bytes: &[u8], path: &Path) -> Result<(Root, Option<Vec<u8>>), ModelError> {
    let malformed = |reason| ModelError::Malformed { path: path.to_owned(), reason };
    let json = json_part(bytes).map_err(malformed)?;
    let preamble: Preamble = serde_json::from_slice(json).map_err(|error| malformed(error.to_string()))?;
    if !preamble.asset.version.starts_with("2.") {
        let version = preamble.asset.version;
        return Err(malformed(format!("its version is {version:?}, not 2.0")));
    }
    let unsupported = |name: &&String| !SUPPORTED_EXTENSIONS.contains(&name.as_str());
    if let Some(extension) = preamble.extensions_required.iter().find(unsupported) {
        return Err(ModelError::UnsupportedExtension { path: path.to_owned(), extension: extension.clone() });
    }
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(|error| malformed(error.to_string()))?;
    let mut root = gltf.document.into_json();
    // The loader has already checked this list, and the validator would reject extensions that it does not
    // support.
    root.extensions_required.clear();
    let accessors = root.accessors.len();
    for (number, mesh) in root.meshes.iter_mut().enumerate() {
        mesh.primitives.retain_mut(|primitive| {
            // The validator rejects application-specific attributes although they are valid, so remove them.
            // Primitives without positions must be skipped (glTF 2.0, section 3.7.2.1).
            primitive.attributes.retain(|semantic, _| matches!(semantic, Checked::Valid(_)));
            primitive.attributes.contains_key(&Checked::Valid(Semantic::Positions))
        });
        // The validator uses these indices unchecked, so check them first.
        let mut indices = mesh.primitives.iter().flat_map(|part| part.attributes.values());
        if let Some(index) = indices.find(|index| index.value() >= accessors) {
            let index = index.value();
            return Err(malformed(format!("mesh {number} uses accessor {index}, which does not exist")));
        }
    }
    let document = Document::from_json(root).map_err(|error| malformed(first_finding(error)))?;
    Ok((document.into_json(), gltf.blob))
}

fn json_part(bytes: &[u8]) -> Result<&[u8], String> {
    if !bytes.starts_with(b"glTF") {
        return Ok(bytes);
    }
    let word = |offset: usize| {
        let word = bytes.get(offset..)?.first_chunk::<4>()?;
        usize::try_from(u32::from_le_bytes(*word)).ok()
    };
    let (Some(version), Some(total), Some(length)) = (word(4), word(8), word(12)) else {
        return Err("the file ends within its header".to_owned());
    };
    if version != 2 {
        return Err(format!("its container version is {version}, not 2"));
    }
    if total > bytes.len() {
        return Err(format!("the file is truncated: {} of {total} bytes are there", bytes.len()));
    }
    if total < 20 {
        return Err(format!("its header states a length of {total} bytes"));
    }
    length
        .checked_add(20)
        .and_then(|end| bytes.get(20..end))
        .ok_or_else(|| "its JSON part reaches past the end of the file".to_owned())
}

fn first_finding(error: gltf::Error) -> String {
    match error {
        gltf::Error::Validation(findings) => match findings.first() {
            Some((path, finding)) => format!("{path}: {finding}"),
            None => "it failed validation".to_owned(),
        },
        other => other.to_string(),
    }
}

/// Loads the bytes of every buffer, or fails if a buffer is shorter than the file states.
fn load_buffers(root: &Root, blob: Option<Vec<u8>>, path: &Path) -> Result<Vec<Vec<u8>>, ModelError> {
    let malformed = |reason| ModelError::Malformed { path: path.to_owned(), reason };
    let mut blob = blob;
    let mut buffers = Vec::with_capacity(root.buffers.len());
    for (number, buffer) in root.buffers.iter().enumerate() {
        let bytes = match &buffer.uri {
            Some(uri) => image::read_uri(uri, path, "buffer")?,
            None => blob
                .take()
                .filter(|_| number == 0)
                .ok_or_else(|| malformed(format!("buffer {number} has no data")))?,
        };
        if (bytes.len() as u64) < buffer.byte_length.0 {
            return Err(malformed(format!(
                "buffer {number} has {} bytes instead of {}",
                bytes.len(),
                buffer.byte_length.0
            )));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}
