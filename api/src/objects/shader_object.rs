//! Shader objects. D3D11: `ID3D11VertexShader` and its kin.

use std::sync::Arc;

use onze_ddi::{
    Features, ObjectDesc, ResourceKind, ShaderReflection, ShaderStage, TextureDimension, UnorderedAccessKind,
    naga::valid::Capabilities,
};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, Owner},
    report::{Error, MessageId},
    shader::{self, ConstantFields, DeclaredConstant, ShaderSource},
};

fn reflection(owner: &Owner) -> Option<&ShaderReflection> {
    match &owner.shared.data {
        ObjectData::Shader(shader) => Some(&shader.code.reflection),
        _ => None,
    }
}

#[cfg(feature = "hlsl")]
fn hlsl_reflection(owner: &Owner) -> Option<&onze_hlsl::reflection::Reflection> {
    match &owner.shared.data {
        ObjectData::Shader(shader) => shader.hlsl.as_deref(),
        _ => None,
    }
}

/// The variables of the constant buffer in a slot.
fn declared_constants(owner: &Owner, slot: u32) -> Option<Vec<DeclaredConstant>> {
    let ObjectData::Shader(shader) = &owner.shared.data else { return None };
    #[cfg(feature = "hlsl")]
    if let Some(reflection) = &shader.hlsl {
        return shader::of_hlsl::declared_constants(reflection, slot);
    }
    shader::declared_constants(&shader.code, slot)
}

fn check_constants<T: ConstantFields>(owner: &Owner, slot: u32) -> Result<(), Error> {
    let reflected = reflection(owner).map(|shader| shader.constant_buffers.as_slice()).unwrap_or_default();
    let Some(declared) = declared_constants(owner, slot) else {
        let has: Vec<_> =
            reflected.iter().map(|buffer| format!("`{}` (b{})", buffer.name, buffer.slot)).collect();
        let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
        return Err(Error::InvalidArg(format!(
            "{} reads no constant buffer in b{slot}; its constant buffers are: {has}",
            owner.shared.name()
        )));
    };
    let mismatches = shader::constant_mismatches(T::FIELDS, size_of::<T>() as u32, &declared);
    if mismatches.is_empty() {
        return Ok(());
    }
    let (of, name) = (std::any::type_name::<T>(), owner.shared.name());
    Err(Error::InvalidArg(format!("b{slot} of {name} and `{of}` differ: {}", mismatches.join("; "))))
}

/// Whether the device has everything that a shader binds.
fn check_features(shader: &ShaderReflection, features: Features) -> Result<(), Error> {
    if shader.stage == ShaderStage::Pixel
        && !features.contains(Features::UNORDERED_ACCESS)
        && shader.writes_views()
    {
        let needed = Features::UNORDERED_ACCESS;
        return Err(Error::Unsupported(format!(
            "the pixel shader writes through unordered-access views, which needs the feature {needed:?}"
        )));
    }
    // What is declared as a 1D texture is one, or a typed buffer.
    let has_1d = features.contains(Features::TEXTURE_1D_3D);
    let of_1d = if has_1d { Features::empty() } else { Features::BUFFER_VIEWS };
    for resource in &shader.resources {
        let needed = match resource.kind {
            ResourceKind::Buffer { .. } => Features::STRUCTURED_BUFFERS,
            ResourceKind::Texture { multisampled: true, .. } => Features::MULTISAMPLING,
            ResourceKind::Texture { dimension: TextureDimension::D1, .. } => of_1d,
            ResourceKind::Texture { dimension: TextureDimension::D3, .. } => Features::TEXTURE_1D_3D,
            ResourceKind::Texture { .. } => Features::empty(),
        };
        if !features.contains(needed) {
            let (name, slot) = (&resource.name, resource.slot);
            return Err(Error::Unsupported(format!("`{name}` (t{slot}) needs the feature {needed:?}")));
        }
    }
    for written in &shader.unordered_access {
        let needed = match written.kind {
            UnorderedAccessKind::Buffer { .. } => Features::empty(),
            UnorderedAccessKind::TypedBuffer { .. } => of_1d,
            UnorderedAccessKind::Texture { dimension: TextureDimension::D3, .. } => Features::TEXTURE_1D_3D,
            UnorderedAccessKind::Texture { .. } => Features::UNORDERED_ACCESS,
        };
        if !features.contains(needed) {
            let (name, slot) = (&written.name, written.slot);
            return Err(Error::Unsupported(format!("`{name}` (u{slot}) needs the feature {needed:?}")));
        }
    }
    Ok(())
}

/// The object of a stage, its getter, and the call that makes it.
macro_rules! shader {
    ($stage:ident $object:ident $interface:literal $create:ident $d3d11:literal $what:literal) => {
        object! {
            #[doc = concat!("A program for ", $what, ". D3D11: `", $interface, "`.")]
            #[doc(alias = $interface)]
            $object
        }

        impl $object {
            /// What the shader binds, reads and writes. D3D11: `ID3D11ShaderReflection` of `D3DReflect`.
            #[doc(alias = "ID3D11ShaderReflection")]
            #[doc(alias = "D3DReflect")]
            pub fn reflection(&self) -> Option<&ShaderReflection> {
                reflection(&self.owner)
            }

            /// Of a shader in HLSL, what the program declares: signatures with semantics, constant buffers with their
            /// variables, types and default values, registers. Of other shaders `None`.
            ///
            /// D3D11: `ID3D11ShaderReflection` of `D3DReflect`, with `D3D11_SIGNATURE_PARAMETER_DESC`,
            /// `D3D11_SHADER_BUFFER_DESC`, `D3D11_SHADER_VARIABLE_DESC`, `D3D11_SHADER_TYPE_DESC` and
            /// `D3D11_SHADER_INPUT_BIND_DESC`.
            #[doc(alias = "ID3D11ShaderReflection")]
            #[doc(alias = "D3DReflect")]
            #[cfg(feature = "hlsl")]
            #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
            pub fn hlsl_reflection(&self) -> Option<&onze_hlsl::reflection::Reflection> {
                hlsl_reflection(&self.owner)
            }

            /// Compares a structure with the constant buffer that the shader declares in a slot: the offset and the size
            /// of each field. No D3D11 counterpart.
            ///
            /// Call it once, after the shader was created: [`ConstantFields`](trait@crate::ConstantFields) has an example.
            ///
            /// # Errors
            /// [`Error::InvalidArg`] names each field that differs, with its offset in the structure and in the shader and
            /// the padding to add or remove; and if the shader has no constant buffer in the slot, the buffers that it
            /// has.
            pub fn check_constant_buffer<T: ConstantFields>(&self, slot: u32) -> Result<(), Error> {
                check_constants::<T>(&self.owner, slot)
            }
        }

        impl Device {
            #[doc = concat!("Makes a shader for ", $what, ". D3D11: `ID3D11Device::", $d3d11, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidArg`] with the compiler's words when the source does not compile, or breaks the
            /// binding convention. [`Error::Unsupported`] names what the device lacks: the stage, or what the
            /// shader binds.
            #[doc(alias = $d3d11)]
            pub fn $create(&self, source: ShaderSource<'_>) -> Result<$object, Error> {
                Ok($object::from_shared(&self.create_shader(source, ShaderStage::$stage)?.shared))
            }
        }
    };
}
shader!(Vertex VertexShader "ID3D11VertexShader" create_vertex_shader "CreateVertexShader"
    "vertices");
shader!(Hull HullShader "ID3D11HullShader" create_hull_shader "CreateHullShader"
    "the control points of patches");
shader!(Domain DomainShader "ID3D11DomainShader" create_domain_shader "CreateDomainShader"
    "the points of tessellated patches");
shader!(Geometry GeometryShader "ID3D11GeometryShader" create_geometry_shader "CreateGeometryShader"
    "whole primitives");
shader!(Pixel PixelShader "ID3D11PixelShader" create_pixel_shader "CreatePixelShader"
    "pixels");
shader!(Compute ComputeShader "ID3D11ComputeShader" create_compute_shader "CreateComputeShader"
    "groups of threads");

/// The feature that a stage needs, if not every device has the stage.
const fn stage_feature(stage: ShaderStage) -> Features {
    match stage {
        ShaderStage::Vertex | ShaderStage::Pixel => Features::empty(),
        ShaderStage::Hull | ShaderStage::Domain => Features::TESSELLATION,
        ShaderStage::Geometry => Features::GEOMETRY_SHADERS,
        ShaderStage::Compute => Features::COMPUTE,
    }
}

/// Whether the device has a stage: the one place that refuses what it does not have.
fn check_stage(stage: ShaderStage, features: Features) -> Result<(), Error> {
    let needed = stage_feature(stage);
    if features.contains(needed) {
        Ok(())
    } else {
        let name = stage.name();
        Err(Error::Unsupported(format!(
            "{name} shaders need the feature {needed:?}, which this device lacks"
        )))
    }
}

impl Device {
    fn create_shader(&self, source: ShaderSource<'_>, stage: ShaderStage) -> Result<Arc<Owner>, Error> {
        let core = &self.core;
        let mut capabilities = shader::BASE_CAPABILITIES;
        capabilities.set(
            Capabilities::DUAL_SOURCE_BLENDING,
            core.caps.features.contains(Features::DUAL_SOURCE_BLEND),
        );
        capabilities
            .set(Capabilities::EARLY_DEPTH_TEST, core.caps.features.contains(Features::EARLY_DEPTH_STENCIL));
        capabilities.set(Capabilities::CLIP_DISTANCES, core.caps.features.contains(Features::CLIP_DISTANCES));
        capabilities
            .set(Capabilities::CUBE_ARRAY_TEXTURES, core.caps.features.contains(Features::CUBE_ARRAYS));
        // Of typed buffers, which shaders declare as 1D textures. Their formats are those of the views.
        let of_typed_buffers =
            Capabilities::TEXTURE_ATOMIC.union(Capabilities::STORAGE_TEXTURE_16BIT_NORM_FORMATS);
        capabilities.set(of_typed_buffers, core.caps.features.contains(Features::BUFFER_VIEWS));
        let mut warn = |warning| core.info().report(MessageId::ShaderCompilerWarning, warning);
        let result = check_stage(stage, core.caps.features)
            .and_then(|()| Ok(shader::compile_with(source, stage, capabilities, &mut warn)?))
            .and_then(|shader| {
                let code = &shader.code;
                check_features(&code.reflection, core.caps.features)?;
                let label = if self.new_name().is_empty() { &code.entry_point } else { self.new_name() };
                let args = ObjectDesc::Shader { code, label };
                self.here().create_object(&args, ObjectData::Shader(shader.clone()), label, None)
            });
        core.reject(MessageId::CreateShaderInvalid, result)
    }
}
