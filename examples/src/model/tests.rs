//! Tests the loader with small files that the tests write, and with real models in the folder given by the
//! environment variable `ONZE_MODELS`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use serde_json::{Value, json};

use super::*;
use crate::content::{AlphaMode, MipFilter, TextureRole, Wrap};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("onze-model-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn load(&self, file: &File) -> Result<Model, ModelError> {
        Model::load(&self.write("model.gltf", file.gltf()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A glTF file under construction: one buffer, and JSON that a test may change before it writes the file.
struct File {
    json: Value,
    bytes: Vec<u8>,
}

impl File {
    fn new() -> Self {
        Self {
            json: json!({
                "asset": { "version": "2.0" },
                "scene": 0,
                "scenes": [{ "nodes": [0] }],
                "nodes": [{ "mesh": 0 }],
                "meshes": [{ "primitives": [{ "attributes": {} }] }],
                "accessors": [],
                "bufferViews": [],
            }),
            bytes: Vec::new(),
        }
    }

    /// A square from 0 to 1 in the xy plane, made of two triangles with normals.
    fn square() -> Self {
        let mut file = Self::new();
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f32]];
        file.attribute("POSITION", &corners);
        file.attribute("NORMAL", &[[0.0, 0.0, 2.0f32]; 4]);
        let indices = file.accessor(bytemuck::bytes_of(&[0u16, 1, 2, 0, 2, 3]), 5123, "SCALAR", 6);
        file.primitive()["indices"] = indices.into();
        file
    }

    fn primitive(&mut self) -> &mut Value {
        &mut self.json["meshes"][0]["primitives"][0]
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        let list = &mut self.json[name];
        if list.is_null() {
            *list = json!([]);
        }
        list.as_array_mut().unwrap()
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        self.bytes.extend_from_slice(bytes);
        self.list("bufferViews").push(view);
        self.list("bufferViews").len() - 1
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.list("accessors").push(json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
            "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 1.0],
        }));
        self.list("accessors").len() - 1
    }

    fn attribute<const N: usize>(&mut self, semantic: &str, values: &[[f32; N]]) -> usize {
        let kind = format!("VEC{N}");
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, 5126, &kind, values.len());
        self.primitive()["attributes"][semantic] = accessor.into();
        accessor
    }

    fn gltf(&self) -> String {
        let mut json = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bytes));
        json["buffers"] = json!([{ "byteLength": self.bytes.len(), "uri": uri }]);
        json.to_string()
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let word = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
        let mut glb = b"glTF".to_vec();
        glb.extend(word(2));
        glb.extend(word(28 + text.len() + bytes.len()));
        glb.extend(word(text.len()));
        glb.extend(b"JSON");
        glb.extend(text);
        glb.extend(word(bytes.len()));
        glb.extend(b"BIN\0");
        glb.extend(bytes);
        glb
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut group = [0; 4];
        group[1..=chunk.len()].copy_from_slice(chunk);
        let group = u32::from_be_bytes(group);
        for digit in 0..4 {
            let value = (group >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { DIGITS[value].into() } else { '=' });
        }
    }
    text
}

/// A 2x1 image with one red pixel and one half-transparent blue pixel.
fn picture(format: ::image::ImageFormat) -> Vec<u8> {
    let pixels = ::image::RgbaImage::from_raw(2, 1, vec![255, 0, 0, 255, 0, 0, 255, 128]).unwrap();
    let mut picture = ::image::DynamicImage::ImageRgba8(pixels);
    if format == ::image::ImageFormat::Jpeg {
        picture = picture.into_rgb8().into();
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn sentence(result: Result<Model, ModelError>) -> String {
    let text = result.unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn a_square_loads_the_same_from_json_and_from_binary() {
    let folder = Folder::new();
    let file = File::square();
    let model = folder.load(&file).unwrap();
    let binary = Model::load(&folder.write("model.glb", file.glb())).unwrap();
    assert_eq!(model.meshes, binary.meshes);
    assert_eq!(model.instances, binary.instances);
    let mesh = &model.meshes[0];
    assert_eq!(mesh.indices, [0, 1, 2, 0, 2, 3]);
    assert_eq!(mesh.vertices[2].position, [1.0, 1.0, 0.0]);
    assert_eq!(mesh.vertices[2].normal, [0.0, 0.0, 1.0]);
    assert_eq!(mesh.vertices[2].color, [u16::MAX; 4]);
    assert_eq!(model.bounds.size(), Vec3::new(1.0, 1.0, 0.0));
    // The default material is metallic because glTF's default metallic factor is 1.
    assert!((model.materials[model.instances[0].material].metallic - 1.0).abs() < 1e-6);
}

#[test]
fn a_separate_buffer_is_found_beside_the_file() {
    let folder = Folder::new();
    let mut file = File::square();
    folder.write("with space.bin", &file.bytes);
    file.json["buffers"] = json!([{ "byteLength": file.bytes.len(), "uri": "with%20space.bin" }]);
    let path = folder.write("separate.gltf", file.json.to_string());
    assert_eq!(Model::load(&path).unwrap().meshes[0].vertices.len(), 4);
    std::fs::remove_file(folder.0.join("with space.bin")).unwrap();
    let text = sentence(Model::load(&path));
    assert!(text.starts_with("cannot read buffer") && text.contains("with space.bin"), "{text}");
}

#[test]
fn every_triangle_topology_becomes_a_list() {
    let folder = Folder::new();
    for (mode, expected) in [
        (4, Some(vec![0, 1, 2])),
        (5, Some(vec![0, 1, 2, 2, 1, 3])),
        (6, Some(vec![0, 1, 2, 0, 2, 3])),
        (0, None),
        (1, None),
        (3, None),
    ] {
        let mut file = File::square();
        let attributes = file.primitive()["attributes"].clone();
        *file.primitive() = json!({ "attributes": attributes, "mode": mode });
        match (folder.load(&file), expected) {
            (Ok(model), Some(expected)) => assert_eq!(model.meshes[0].indices, expected, "{mode}"),
            (Err(ModelError::Empty { .. }), None) => {}
            (result, _) => panic!("mode {mode}: {result:?}"),
        }
    }
}

#[test]
fn missing_normals_become_those_of_the_faces() {
    let folder = Folder::new();
    let mut file = File::square();
    file.primitive()["attributes"].as_object_mut().unwrap().remove("NORMAL");
    let mesh = &folder.load(&file).unwrap().meshes[0];
    assert_eq!((mesh.vertices.len(), mesh.indices.len()), (6, 6));
    assert!(mesh.vertices.iter().all(|vertex| vertex.normal == [0.0, 0.0, 1.0]));
}

#[test]
fn vertex_attributes_are_read_in_every_encoding() {
    let folder = Folder::new();
    let mut file = File::square();
    let tangent = [0.0, 3.0, 0.0, -1.0f32];
    file.attribute("TANGENT", &[tangent, tangent, [0.0; 4], tangent]);
    let bytes = [0u8, 255, 128, 0, 255, 255, 0, 0];
    let first = file.accessor(&bytes, 5121, "VEC2", 4);
    let words: Vec<u8> = [0u16, 65535, 0, 0, 0, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let second = file.accessor(&words, 5123, "VEC2", 4);
    let colors = file.accessor(&[255, 0, 51, 0].repeat(4), 5121, "VEC3", 4);
    for (accessor, stride) in [(first, None), (second, None), (colors, Some(4))] {
        file.json["accessors"][accessor]["normalized"] = true.into();
        if let Some(stride) = stride {
            file.json["bufferViews"][accessor]["byteStride"] = stride.into();
        }
    }
    for (semantic, accessor) in [("TEXCOORD_0", first), ("TEXCOORD_1", second), ("COLOR_0", colors)] {
        file.primitive()["attributes"][semantic] = accessor.into();
    }
    file.primitive()["attributes"]["_CUSTOM"] = first.into();
    let vertices = &folder.load(&file).unwrap().meshes[0].vertices;
    assert_eq!(vertices[0].texcoord, [[0.0, 1.0], [0.0, 1.0]]);
    assert!((vertices[1].texcoord[0][0] - 128.0 / 255.0).abs() < 1e-6);
    assert_eq!(vertices[3].color, [65535, 0, 13107, 65535]);
    assert_eq!(vertices[0].tangent, [0.0, 1.0, 0.0, -1.0]);
    assert_eq!(vertices[2].tangent, [0.0; 4]);
}

#[test]
fn quantised_positions_are_scaled_by_their_node() {
    let folder = Folder::new();
    let mut file = File::square();
    let corners: [i8; 16] = [0, 0, 0, 0, 127, 0, 0, 0, 127, 127, 0, 0, -128, 127, 0, 0];
    let accessor = file.accessor(bytemuck::bytes_of(&corners), 5120, "VEC3", 4);
    file.json["bufferViews"][accessor]["byteStride"] = 4.into();
    file.json["accessors"][accessor]["normalized"] = true.into();
    file.primitive()["attributes"]["POSITION"] = accessor.into();
    file.json["nodes"][0]["scale"] = json!([2.0, 2.0, 2.0]);
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    let model = folder.load(&file).unwrap();
    assert_eq!(model.meshes[0].vertices[3].position, [-1.0, 1.0, 0.0]);
    assert_eq!(model.bounds.max, Vec3::new(2.0, 2.0, 0.0));
}

#[test]
fn sparse_elements_replace_those_of_the_accessor_or_zeros() {
    let folder = Folder::new();
    let mut file = File::square();
    let indices = file.view(&[2, 0]);
    let values = file.view(bytemuck::bytes_of(&[5.0f32, 6.0, 7.0]));
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": indices, "componentType": 5121 },
        "values": { "bufferView": values },
    });
    file.json["accessors"][0]["sparse"] = sparse.clone();
    let positions = |file: &File| {
        let model = folder.load(file).unwrap();
        model.meshes[0].vertices.iter().map(|vertex| vertex.position).collect::<Vec<_>>()
    };
    assert_eq!(positions(&file)[1..3], [[1.0, 0.0, 0.0], [5.0, 6.0, 7.0]]);
    file.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert_eq!(positions(&file)[1..3], [[0.0, 0.0, 0.0], [5.0, 6.0, 7.0]]);
    file.json["accessors"][0]["sparse"]["indices"]["byteOffset"] = 1.into();
    assert_eq!(positions(&file)[0], [5.0, 6.0, 7.0]);
    file.bytes[..].fill(0xff);
    let text = sentence(folder.load(&file));
    assert!(text.contains("element 255"), "{text}");
}

#[test]
fn node_transforms_multiply_down_the_tree() {
    let folder = Folder::new();
    let mut file = File::square();
    file.json["nodes"] = json!([
        { "translation": [10.0, 0.0, 0.0], "children": [1, 2] },
        { "mesh": 0, "rotation": [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2] },
        { "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 5, 0, 1] },
    ]);
    let model = folder.load(&file).unwrap();
    let corner = |instance: usize| model.instances[instance].transform.transform_point3(Vec3::X);
    assert!(corner(0).abs_diff_eq(Vec3::new(10.0, 1.0, 0.0), 1e-5));
    assert!(corner(1).abs_diff_eq(Vec3::new(9.0, 5.0, 0.0), 1e-5));
    assert_eq!(model.meshes.len(), 1);
    // Without a scene, every node that is not a child of another node is a root.
    let root = file.json.as_object_mut().unwrap();
    root.remove("scene");
    root.remove("scenes");
    assert_eq!(folder.load(&file).unwrap().instances, model.instances);
    file.json["nodes"][1]["children"] = json!([0]);
    file.json["scenes"] = json!([{ "nodes": [0] }]);
    let text = sentence(folder.load(&file));
    assert!(text.contains("must form a tree"), "{text}");
}

#[test]
fn materials_keep_what_the_file_says() {
    let folder = Folder::new();
    let mut file = File::square();
    let png = file.view(&picture(::image::ImageFormat::Png));
    folder.write("photo.jpg", picture(::image::ImageFormat::Jpeg));
    let inline = base64(&picture(::image::ImageFormat::Png));
    file.json["images"] = json!([
        { "bufferView": png, "mimeType": "image/png" },
        { "uri": "photo.jpg" },
        { "uri": format!("data:image/png;base64,{inline}") },
    ]);
    file.json["samplers"] = json!([{ "magFilter": 9728, "minFilter": 9985, "wrapS": 33071, "wrapT": 33648 }]);
    file.json["textures"] = json!([{ "source": 0, "sampler": 0 }, { "source": 1 }, { "source": 2 }]);
    let transform = json!({ "KHR_texture_transform": { "offset": [0.5, 0.25], "scale": [2.0, 4.0], "rotation": FRAC_PI_2 } });
    file.json["materials"] = json!([{
        "name": "cut",
        "alphaMode": "MASK",
        "alphaCutoff": 0.25,
        "doubleSided": true,
        "emissiveFactor": [0.5, 0.0, 1.0],
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.1, 0.2, 0.3, 0.4],
            "baseColorTexture": { "index": 0, "texCoord": 1, "extensions": transform },
            "metallicRoughnessTexture": { "index": 1 },
            "metallicFactor": 0.75,
        },
        "normalTexture": { "index": 2, "scale": 0.5, "extensions": transform },
        "occlusionTexture": { "index": 1, "strength": 0.6 },
        "extensions": { "KHR_materials_emissive_strength": { "emissiveStrength": 4.0 } },
    }, { "alphaMode": "BLEND", "extensions": { "KHR_materials_unlit": {} } }]);
    file.json["extensionsRequired"] =
        json!(["KHR_texture_transform", "KHR_materials_unlit", "KHR_materials_emissive_strength",]);
    file.json["extensionsUsed"] = file.json["extensionsRequired"].clone();
    file.primitive()["material"] = 0.into();
    let model = folder.load(&file).unwrap();
    let material = &model.materials[model.instances[0].material];
    assert_eq!((material.name.as_str(), material.alpha), ("cut", AlphaMode::Mask(0.25)));
    assert!(material.double_sided && !material.unlit);
    assert_eq!(material.base_color, [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(material.emissive, [2.0, 0.0, 4.0]);
    assert_eq!((material.metallic, material.roughness), (0.75, 1.0));
    assert_eq!((material.normal_scale, material.occlusion_strength), (0.5, 0.6));
    let texture = |role: TextureRole| material.textures[role as usize].unwrap();
    let base = texture(TextureRole::BaseColor);
    assert_eq!((base.image, base.texcoord), (0, 1));
    assert!(!base.sampler.mag_linear && base.sampler.min_linear);
    assert_eq!(base.sampler.mip, MipFilter::Nearest);
    assert_eq!(base.sampler.wrap, [Wrap::Clamp, Wrap::Mirror]);
    let expected = [[0.0, 4.0, 0.5], [-2.0, 0.0, 0.25]];
    for role in [TextureRole::BaseColor, TextureRole::Normal] {
        let rows = texture(role).transform;
        for (row, expected) in rows.iter().zip(&expected) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{rows:?}");
        }
    }
    assert_eq!(texture(TextureRole::MetallicRoughness).image, 1);
    assert!(material.textures[TextureRole::Emissive as usize].is_none());
    assert_eq!(model.images[0].pixels, [255, 0, 0, 255, 0, 0, 255, 128]);
    assert_eq!(model.images[0].pixels, model.images[2].pixels);
    assert_eq!((model.images[1].width, model.images[1].height), (2, 1));
    assert!(model.materials[1].unlit && model.materials[1].alpha == AlphaMode::Blend);
}

#[test]
fn unsupported_extensions_are_refused_by_name_first() {
    let folder = Folder::new();
    let mut file = File::square();
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_draco_mesh_compression"]);
    // An extension may change the rest of the file in ways that the parser does not support.
    file.json["textures"] = json!([{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }]);
    let text = sentence(folder.load(&file));
    assert!(text.contains("requires the glTF extension KHR_draco_mesh_compression"), "{text}");
    assert!(text.contains("model.gltf"), "{text}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let text = sentence(Model::load(&folder.0.join("absent.glb")));
    assert!(text.starts_with("cannot read model") && text.contains("absent.glb"), "{text}");
    let mut file = File::square();
    file.json["images"] = json!([{ "uri": "absent.png" }]);
    let text = sentence(folder.load(&file));
    assert!(text.starts_with("cannot read image") && text.contains("absent.png"), "{text}");
    let mut png = picture(::image::ImageFormat::Png);
    png.truncate(png.len() / 2);
    folder.write("absent.png", &png);
    let text = sentence(folder.load(&file));
    assert!(text.starts_with("cannot decode image") && text.contains("absent.png"), "{text}");
    folder.write("absent.png", b"no picture at all");
    assert!(sentence(folder.load(&file)).contains("absent.png"));
}

#[test]
fn a_file_cut_off_anywhere_is_an_error() {
    let folder = Folder::new();
    let glb = File::square().glb();
    for length in 0..glb.len() {
        let path = folder.write("cut.glb", &glb[..length]);
        let text = sentence(Model::load(&path));
        assert!(text.contains("cut.glb"), "{text}");
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let folder = Folder::new();
    let mut file = File::square();
    let png = file.view(&picture(::image::ImageFormat::Png));
    file.json["images"] = json!([{ "bufferView": png, "mimeType": "image/png" }]);
    let glb = file.glb();
    for position in 0..glb.len() {
        for change in [0x00, 0x20, 0x39, 0xff] {
            let mut damaged = glb.clone();
            damaged[position] = change;
            // Ignore the result, because many of these files are still valid and the test only checks that
            // loading does not panic.
            let _ = Model::load(&folder.write("damaged.glb", &damaged));
        }
    }
}

#[track_caller]
fn refused(pointer: &str, value: Value, words: &str) {
    let folder = Folder::new();
    let mut file = File::square();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    file.json.pointer_mut(parent).unwrap()[field] = value;
    let text = sentence(folder.load(&file));
    assert!(text.contains(words), "{pointer}: {text}");
}

#[test]
fn references_that_lead_nowhere_are_errors() {
    refused("/asset/version", json!("1.0"), "version is \"1.0\"");
    refused("/bufferViews/0/byteLength", json!(20), "past the end of its buffer view");
    refused("/bufferViews/0/byteOffset", json!(1 << 20), "outside its buffer");
    refused("/bufferViews/0/byteOffset", json!(u64::MAX), "outside its buffer");
    refused("/bufferViews/0/buffer", json!(7), "not a valid glTF file");
    refused("/accessors/0/byteOffset", json!(u64::MAX), "past the end of its buffer view");
    refused("/accessors/0/count", json!(5), "past the end of its buffer view");
    refused("/accessors/0/count", json!(u64::MAX), "more than");
    refused("/accessors/0/type", json!("VEC2"), "2 components");
    refused("/accessors/1/count", json!(3), "3 elements for 4 vertices");
    refused("/accessors/2/componentType", json!(5122), "indices");
    refused("/accessors/0/min", json!(["a", 0, 0]), "not a valid glTF file");
    refused("/meshes/0/primitives/0/attributes/POSITION", json!(99), "accessor 99");
    refused("/meshes/0/primitives/0/attributes/NORMAL", json!(99), "accessor 99");
    refused("/meshes/0/primitives/0/indices", json!(99), "not a valid glTF file");
    refused("/meshes/0/primitives/0/material", json!(99), "not a valid glTF file");
    refused("/meshes/0/primitives/0/attributes", json!({}), "no triangles");
    refused("/nodes/0/mesh", json!(99), "not a valid glTF file");
    refused("/nodes/0/children", json!([99]), "not a valid glTF file");
    refused("/nodes/0/scale", json!([1e39, 1.0, 1.0]), "not finite");
    refused("/scenes/0/nodes", json!([]), "no triangles");
}

#[test]
fn bad_vertices_and_indices_out_of_range_are_errors() {
    let folder = Folder::new();
    let mut file = File::square();
    file.bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let text = sentence(folder.load(&file));
    assert!(text.contains("not a finite number"), "{text}");
    let mut file = File::square();
    let offset = file.json["bufferViews"][2]["byteOffset"].as_u64().unwrap() as usize;
    file.bytes[offset] = 4;
    let text = sentence(folder.load(&file));
    assert!(text.contains("index 4 but only 4 vertices"), "{text}");
}

#[test]
fn real_models_load() {
    let Some(folder) = std::env::var_os("ONZE_MODELS") else {
        println!("not run: ONZE_MODELS names no folder");
        return;
    };
    for (file, images, blended) in [
        ("FlightHelmet/FlightHelmet.gltf", 15, 1),
        ("kenney/alien.glb", 0, 0),
        ("kenney/cakeBirthday.glb", 0, 0),
    ] {
        let path = Path::new(&folder).join(file);
        if !path.exists() {
            println!("not run: {} does not exist", path.display());
            continue;
        }
        let model = Model::load(&path).unwrap();
        assert_eq!(model.images.len(), images, "{file}");
        let is_blended = |material: &&Material| material.alpha == AlphaMode::Blend;
        assert_eq!(model.materials.iter().filter(is_blended).count(), blended, "{file}");
        let size = model.bounds.size();
        assert!(size.min_element() > 0.0 && size.max_element() < 100.0, "{file} {size}");
        assert!(model.meshes.iter().all(|mesh| !mesh.indices.is_empty()));
    }
}
