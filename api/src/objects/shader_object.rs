//! Shader objects of all stages (D3D11: `ID3D11VertexShader` and related interfaces).

use std::sync::Arc;

use onze_ddi::{
    Features, ObjectDesc, OutputValue, ResourceKind, ShaderReflection, ShaderStage, SlotClass, SystemOutput,
    TextureDimension, UnorderedAccessKind,
    naga::{Binding, BuiltIn, Module, StructMember, TypeInner, valid::Capabilities},
};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, Owner},
    report::{Error, MessageId, Subject},
    shader::{
        self, ConstantFields, DeclaredConstant, Shader, ShaderError, ShaderSource, ShaderTerms,
        SourceLanguage,
    },
    validate::feature_names,
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

/// Returns the variables of the constant buffer in a slot.
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

/// Returns whether a geometry or domain shader writes clip distances. naga finds those of vertex shaders.
fn clips(shader: &ShaderReflection, module: &Module) -> bool {
    let is_clip = |output: &SystemOutput| matches!(output.value, OutputValue::ClipDistance(_));
    let is_built_in =
        |member: &StructMember| matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::ClipDistances)));
    // The module of a geometry shader has them among its ordinary outputs.
    shader.system_outputs.iter().any(is_clip)
        || module.types.iter().any(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, .. } => members.iter().any(is_built_in),
            _ => false,
        })
}

/// Checks that the device has the features that a shader's bindings need.
fn check_features(terms: ShaderTerms<'_>, module: &Module, features: Features) -> Result<(), Error> {
    let shader = terms.code;
    if shader.stage == ShaderStage::Pixel
        && !features.contains(Features::UNORDERED_ACCESS)
        && shader.writes_views()
    {
        let needed = Features::UNORDERED_ACCESS;
        return Err(Error::Unsupported(format!(
            "the pixel shader writes through unordered-access views, which needs {}",
            feature_names(needed)
        )));
    }
    if !features.contains(Features::CLIP_DISTANCES) && clips(shader, module) {
        let (stage, needed) = (shader.stage.name(), feature_names(Features::CLIP_DISTANCES));
        return Err(Error::Unsupported(format!(
            "the {stage} shader writes clip distances, which needs {needed}"
        )));
    }
    let selects = |output: &&SystemOutput| {
        let value = output.value;
        matches!(value, OutputValue::CullDistance(_))
            || value == OutputValue::RenderTargetArrayIndex
            || value == OutputValue::ViewportArrayIndex
    };
    let is_vertex = matches!(shader.stage, ShaderStage::Vertex | ShaderStage::Domain);
    let selected = shader.system_outputs.iter().find(selects).filter(|_| is_vertex);
    if let Some(output) = selected.filter(|_| !features.contains(Features::GEOMETRY_SHADERS)) {
        let name = match output.value {
            OutputValue::CullDistance(_) => "cull distances",
            OutputValue::RenderTargetArrayIndex => "SV_RenderTargetArrayIndex",
            _ => "SV_ViewportArrayIndex",
        };
        let needed = feature_names(Features::GEOMETRY_SHADERS);
        let stage = shader.stage.name();
        return Err(Error::Unsupported(format!("the {stage} shader writes {name}, which needs {needed}")));
    }
    // A shader declares both 1D textures and typed buffers as 1D textures.
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
            let (slot, lacking) = (resource.slot, feature_names(needed.difference(features)));
            let name = terms.variable(SlotClass::ShaderResource, slot, &resource.name);
            return Err(Error::Unsupported(format!("`{name}` (t{slot}) needs {lacking}")));
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
            let (slot, lacking) = (written.slot, feature_names(needed.difference(features)));
            let name = terms.variable(SlotClass::UnorderedAccess, slot, &written.name);
            return Err(Error::Unsupported(format!("`{name}` (u{slot}) needs {lacking}")));
        }
    }
    Ok(())
}

/// Defines the object of a stage, its getters, and the call that creates it.
macro_rules! shader {
    ($stage:ident $object:ident $interface:literal $create:ident $d3d11:literal $what:literal) => {
        object! {
            #[doc = concat!("A shader for ", $what, ". D3D11: `", $interface, "`.")]
            #[doc(alias = $interface)]
            $object
        }

        impl $object {
            /// Returns the inputs, outputs and bindings of the shader (D3D11: `ID3D11ShaderReflection` of
            /// `D3DReflect`).
            #[doc(alias = "ID3D11ShaderReflection")]
            #[doc(alias = "D3DReflect")]
            pub fn reflection(&self) -> Option<&ShaderReflection> {
                reflection(&self.owner)
            }

            /// Returns the declarations of an HLSL shader: signatures with semantics, constant buffers with
            /// their variables, types and default values, and registers, or `None` for shaders in other
            /// languages.
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

            /// Compares the offset and the size of each field of a struct with the constant buffer that the
            /// shader declares in a slot. No D3D11 counterpart.
            ///
            /// Call it once after the creation of the shader. See
            /// [`ConstantFields`](trait@crate::ConstantFields) for an example.
            ///
            /// # Errors
            /// [`Error::InvalidArg`] if a field differs. The error lists each such field with its offsets in
            /// the struct and in the shader, and the padding to add or remove. If the shader has no constant
            /// buffer in the slot, the error lists the constant buffers of the shader.
            pub fn check_constant_buffer<T: ConstantFields>(&self, slot: u32) -> Result<(), Error> {
                check_constants::<T>(&self.owner, slot)
            }
        }

        impl Device {
            #[doc = concat!("Creates a shader for ", $what, ". D3D11: `ID3D11Device::", $d3d11, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidArg`] with the compiler's message if the source does not compile or breaks the binding
            /// convention; [`Error::Unsupported`] if the device lacks the stage, or a feature that the shader's
            /// bindings need.
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

/// Returns the feature that a stage needs, empty if every device has the stage.
const fn stage_feature(stage: ShaderStage) -> Features {
    match stage {
        ShaderStage::Vertex | ShaderStage::Pixel => Features::empty(),
        ShaderStage::Hull | ShaderStage::Domain => Features::TESSELLATION,
        ShaderStage::Geometry => Features::GEOMETRY_SHADERS,
        ShaderStage::Compute => Features::COMPUTE,
    }
}

/// Checks that the device has a stage, because missing stages are refused only here.
fn check_stage(stage: ShaderStage, features: Features) -> Result<(), Error> {
    let needed = stage_feature(stage);
    if features.contains(needed) {
        Ok(())
    } else {
        let name = stage.name();
        Err(Error::Unsupported(format!(
            "{name} shaders need {}, which this device lacks",
            feature_names(needed)
        )))
    }
}

/// Features that extend shaders, with the corresponding capabilities of naga's validator.
const SHADER_FEATURES: [(Features, Capabilities); 6] = [
    (Features::DUAL_SOURCE_BLEND, Capabilities::DUAL_SOURCE_BLENDING),
    (Features::EARLY_DEPTH_STENCIL, Capabilities::EARLY_DEPTH_TEST),
    (Features::CLIP_DISTANCES, Capabilities::CLIP_DISTANCES),
    (Features::PRIMITIVE_ID, Capabilities::PRIMITIVE_INDEX),
    (Features::CUBE_ARRAYS, Capabilities::CUBE_ARRAY_TEXTURES),
    // Shaders declare typed buffers as 1D textures with the formats of the views.
    (
        Features::BUFFER_VIEWS,
        Capabilities::TEXTURE_ATOMIC.union(Capabilities::STORAGE_TEXTURE_16BIT_NORM_FORMATS),
    ),
];

/// Returns the capabilities of naga's validator for a device with these features.
fn capabilities(features: Features) -> Capabilities {
    let mut capabilities = shader::BASE_CAPABILITIES;
    for (feature, needed) in SHADER_FEATURES {
        capabilities.set(needed, features.contains(feature));
    }
    capabilities
}

/// Converts a shader error to the error of a create call, in the terms of the shader's source language. If
/// one of naga's capabilities is missing, the error names the corresponding feature.
fn creation_error(error: &ShaderError, language: SourceLanguage, features: Features) -> Error {
    let message = error.message(language);
    let missing = SHADER_FEATURES.iter().find(|(feature, capability)| {
        matches!(error, ShaderError::Invalid { .. })
            && !features.contains(*feature)
            && capability.iter_names().any(|(name, _)| message.contains(name))
    });
    match missing.and_then(|(feature, _)| feature.iter_names().next()) {
        Some((name, _)) => Error::Unsupported(format!(
            "the shader needs Features::{name}, which this device lacks: {message}"
        )),
        None => Error::InvalidArg(message),
    }
}

impl Device {
    fn create_shader(&self, source: ShaderSource<'_>, stage: ShaderStage) -> Result<Arc<Owner>, Error> {
        let result = self.compile_shader(source, stage).and_then(|shader| self.create_shader_object(shader));
        self.core.reject(MessageId::CreateShaderInvalid, result)
    }

    /// Compiles a shader for a stage of the device, and reports the compiler's warnings.
    pub(super) fn compile_shader(
        &self,
        source: ShaderSource<'_>,
        stage: ShaderStage,
    ) -> Result<Shader, Error> {
        let core = &self.core;
        let capabilities = capabilities(core.caps.features);
        // Two sources may cause the same message, so the subject distinguishes them and both messages appear
        // in the log.
        let subject = || Subject::of((format!("{source:?}"), stage.name()));
        let mut warn =
            |warning| core.info().report_about(MessageId::ShaderCompilerWarning, subject(), warning);
        check_stage(stage, core.caps.features)?;
        shader::compile_with(source, stage, capabilities, &mut warn)
            .map_err(|error| creation_error(&error, source.language(), core.caps.features))
    }

    /// Creates the object of a compiled shader.
    pub(super) fn create_shader_object(&self, shader: Shader) -> Result<Arc<Owner>, Error> {
        let code = shader.code.clone();
        check_features(shader.terms(), &shader.code.module, self.core.caps.features)?;
        let label = if self.new_name().is_empty() { code.program.name() } else { self.new_name() };
        let stream_output = shader.stream_output.clone();
        let args = ObjectDesc::Shader { code: &code, stream_output: stream_output.as_ref(), label };
        self.here().create_object(&args, ObjectData::Shader(shader), label, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_shader_feature_is_refused_by_name() {
        let rows = [
            (
                Features::DUAL_SOURCE_BLEND,
                "enable dual_source_blending;
                struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
                @fragment fn main() -> Out { return Out(); }",
            ),
            (Features::EARLY_DEPTH_STENCIL, "@early_depth_test(force) @fragment fn main() {}"),
            (
                Features::PRIMITIVE_ID,
                "enable primitive_index;
                @fragment fn main(@builtin(primitive_index) i: u32) -> @location(0) u32 { return i; }",
            ),
            (
                Features::CUBE_ARRAYS,
                "@group(1) @binding(0) var t: texture_cube_array<f32>;
                @fragment fn main() -> @location(0) u32 { return textureNumLayers(t); }",
            ),
            (
                Features::BUFFER_VIEWS,
                "@group(3) @binding(0) var t: texture_storage_1d<r32uint, atomic>;
                @fragment fn main() { textureAtomicAdd(t, 0, 1u); }",
            ),
        ];
        for (feature, text) in rows {
            let create = |features: Features| {
                let source = ShaderSource::wgsl(text, "main");
                let shader =
                    shader::compile_with(source, ShaderStage::Pixel, capabilities(features), &mut |_| {});
                shader.map_err(|error| creation_error(&error, SourceLanguage::Wgsl, features).to_string())
            };
            let error = create(Features::all().difference(feature)).unwrap_err();
            let (name, _) = feature.iter_names().next().unwrap();
            assert!(error.contains(&format!("needs Features::{name},")), "{error}");
            assert!(create(feature).is_ok(), "{name}");
        }
    }
}
