//! The constant buffers, with the same layout as in the shaders, and with sizes that a test compares.

use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Mat4, Vec3};

use crate::plan::{Frame, Pass};
use crate::scene::camera::TO_SUN;
use crate::scene::{LAMPS, Object};
use onze_examples::content::{AlphaMode, Material, TextureRole};

/// `b0`: an object's matrices and colour, written for every draw by `Map(WRITE_DISCARD)`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ObjectConstants {
    world: [[f32; 4]; 4],
    /// The columns of a 3x3 matrix, each padded to 16 bytes as HLSL and WGSL lay out matrices.
    normal: [[f32; 4]; 3],
    color: [f32; 4],
}

impl ObjectConstants {
    pub(crate) fn new(object: &Object, time: f32) -> Self {
        let world = object.world(time);
        let linear = Mat3::from_mat4(world);
        // A matrix that flattens the object has no inverse, but its faces cannot be lit correctly in any
        // case.
        let normal = match linear.determinant() {
            0.0 => Mat3::IDENTITY,
            _ => linear.inverse().transpose(),
        };
        Self {
            world: world.to_cols_array_2d(),
            normal: [normal.x_axis, normal.y_axis, normal.z_axis].map(|column| column.extend(0.0).to_array()),
            color: object.color,
        }
    }
}

/// `b1`: the camera of a pass, written once by each context that records part of the pass.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PassConstants {
    view_projection: [[f32; 4]; 4],
    directions: [[f32; 4]; 4],
    eye: [f32; 4],
}

impl PassConstants {
    pub(crate) fn new(frame: &Frame, pass: Pass) -> Self {
        let view = frame.view(pass);
        Self {
            view_projection: view.view_projection.to_cols_array_2d(),
            directions: view.directions.to_cols_array_2d(),
            eye: view.eye.extend(frame.time).to_array(),
        }
    }
}

/// `b2`: the factors and texture transforms of a material, in one immutable buffer per material.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MaterialConstants {
    base_color: [f32; 4],
    emissive: [f32; 3],
    alpha_cutoff: f32,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    has_normal_texture: u32,
    unlit: u32,
    keeps_alpha: u32,
    padding: u32,
    /// Two rows per texture role: a 2x3 transform of texture coordinates, where the first row's `w` selects
    /// the vertex's set of texture coordinates.
    texcoords: [[f32; 4]; 10],
}

impl MaterialConstants {
    pub(crate) fn new(material: &Material) -> Self {
        let mut texcoords = [[0.0; 4]; 10];
        for role in TextureRole::ALL {
            let slot = role as usize;
            let Some(texture) = material.textures[slot] else {
                continue;
            };
            let [[a, b, c], [d, e, f]] = texture.transform;
            texcoords[slot * 2] = [a, b, c, texture.texcoord as f32];
            texcoords[slot * 2 + 1] = [d, e, f, 0.0];
        }
        Self {
            base_color: material.base_color,
            emissive: material.emissive,
            alpha_cutoff: match material.alpha {
                AlphaMode::Mask(cutoff) => cutoff,
                // Opaque and blended materials discard no pixels, because no alpha is below -1.
                AlphaMode::Opaque | AlphaMode::Blend => -1.0,
            },
            metallic: material.metallic,
            roughness: material.roughness,
            normal_scale: material.normal_scale,
            occlusion_strength: material.occlusion_strength,
            has_normal_texture: material.textures[TextureRole::Normal as usize].is_some().into(),
            unlit: material.unlit.into(),
            keeps_alpha: (material.alpha == AlphaMode::Blend).into(),
            padding: 0,
            texcoords,
        }
    }
}

/// `b3`: the sun, the sun's shadow matrix and the lamps, written once per frame.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LightConstants {
    shadow: [[f32; 4]; 4],
    /// Direction to the sun in `xyz`, and the reciprocal of the shadow map's extent in `w`.
    to_sun: [f32; 4],
    sun_color: [f32; 4],
    lamps: [LampConstants; 3],
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct LampConstants {
    position: [f32; 4],
    color: [f32; 4],
}

impl LightConstants {
    /// Computes the lights of a frame, for a shadow map with `shadow_extent` pixels along each edge.
    pub(crate) fn new(frame: &Frame, shadow_extent: u32) -> Self {
        // Converts clip space, where y points up, to texture coordinates, where v points down.
        let to_texture =
            Mat4::from_translation(Vec3::new(0.5, 0.5, 0.0)) * Mat4::from_scale(Vec3::new(0.5, -0.5, 1.0));
        let sun = frame.view(Pass::Shadow);
        Self {
            shadow: (to_texture * sun.view_projection).to_cols_array_2d(),
            to_sun: TO_SUN.normalize().extend((shadow_extent as f32).recip()).to_array(),
            sun_color: [4.3, 3.2, 2.05, 0.0],
            lamps: LAMPS.map(|lamp| LampConstants {
                position: lamp.position(frame.time).extend(1.0).to_array(),
                color: Vec3::from_array(lamp.color).extend(0.0).to_array(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use glam::Vec4;

    #[test]
    fn normals_stay_perpendicular_under_uneven_scale() {
        let scene = Scene::new(50, &[]);
        for object in &scene.objects {
            let constants = ObjectConstants::new(object, 0.4);
            let world = Mat3::from_mat4(Mat4::from_cols_array_2d(&constants.world));
            let columns = constants.normal.map(|column| Vec4::from_array(column).truncate());
            let normal = Mat3::from_cols_array_2d(&columns.map(|column| column.to_array()));
            let (a, b) = (Vec3::new(1.0, 2.0, 0.5), Vec3::new(-1.0, 0.25, 1.0));
            assert!((world * a).dot(normal * b).abs() < 1e-3);
        }
    }

    #[test]
    fn the_suns_view_is_centred_in_the_shadow_map() {
        let frame = Frame::plan(&Scene::new(100, &[]), 0, 1.0);
        let lights = LightConstants::new(&frame, 2048);
        let place = Mat4::from_cols_array_2d(&lights.shadow).project_point3(Vec3::ZERO);
        assert!(place.truncate().abs_diff_eq(glam::Vec2::splat(0.5), 1e-4), "{place}");
        assert!((0.0..1.0).contains(&place.z));
    }
}
