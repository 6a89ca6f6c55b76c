//! Shader objects. D3D11: `ID3D11VertexShader`, `ID3D11PixelShader`.

use std::sync::Arc;

use onze_ddi::{
    Features, ObjectDesc, ResourceKind, ShaderReflection, ShaderStage, TextureDimension,
    naga::valid::Capabilities,
};

use crate::{
    Device, Error, ShaderSource,
    message::MessageId,
    object::{ObjectData, Owner, object, sealed::Sealed as _},
    shader,
};

object! {
    /// A program for vertices. D3D11: `ID3D11VertexShader`.
    VertexShader
}
object! {
    /// A program for pixels. D3D11: `ID3D11PixelShader`.
    PixelShader
}

fn reflection(owner: &Owner) -> Option<&ShaderReflection> {
    match &owner.shared.data {
        ObjectData::Shader(code) => Some(&code.reflection),
        _ => None,
    }
}

/// Whether the device has everything that a shader binds.
fn check_features(shader: &ShaderReflection, features: Features) -> Result<(), Error> {
    for resource in &shader.resources {
        let needed = match resource.kind {
            ResourceKind::Buffer { .. } => Features::BUFFER_VIEWS,
            ResourceKind::Texture { multisampled: true, .. } => Features::MULTISAMPLING,
            ResourceKind::Texture { dimension: TextureDimension::D1 | TextureDimension::D3, .. } => {
                Features::TEXTURE_1D_3D
            }
            ResourceKind::Texture { .. } => Features::empty(),
        };
        if !features.contains(needed) {
            let (name, slot) = (&resource.name, resource.slot);
            return Err(Error::Unsupported(format!("`{name}` (t{slot}) needs the feature {needed:?}")));
        }
    }
    Ok(())
}

impl VertexShader {
    /// What the shader binds, reads and writes. D3D11: `ID3D11ShaderReflection`.
    pub fn reflection(&self) -> Option<&ShaderReflection> {
        reflection(&self.owner)
    }
}

impl PixelShader {
    /// What the shader binds, reads and writes. D3D11: `ID3D11ShaderReflection`.
    pub fn reflection(&self) -> Option<&ShaderReflection> {
        reflection(&self.owner)
    }
}

impl Device {
    /// Makes a vertex shader. D3D11: `ID3D11Device::CreateVertexShader`.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] with the compiler's words when the source does not compile, or breaks the
    /// binding convention.
    pub fn create_vertex_shader(&self, source: ShaderSource<'_>) -> Result<VertexShader, Error> {
        Ok(VertexShader::from_shared(&self.create_shader(source, ShaderStage::Vertex)?.shared))
    }

    /// Makes a pixel shader. D3D11: `ID3D11Device::CreatePixelShader`.
    ///
    /// # Errors
    /// As [`Device::create_vertex_shader`].
    pub fn create_pixel_shader(&self, source: ShaderSource<'_>) -> Result<PixelShader, Error> {
        Ok(PixelShader::from_shared(&self.create_shader(source, ShaderStage::Pixel)?.shared))
    }

    fn create_shader(&self, source: ShaderSource<'_>, stage: ShaderStage) -> Result<Arc<Owner>, Error> {
        let core = &self.core;
        let mut capabilities = shader::BASE_CAPABILITIES;
        capabilities.set(
            Capabilities::DUAL_SOURCE_BLENDING,
            core.caps.features.contains(Features::DUAL_SOURCE_BLEND),
        );
        capabilities
            .set(Capabilities::CUBE_ARRAY_TEXTURES, core.caps.features.contains(Features::CUBE_ARRAYS));
        let result =
            shader::compile_with(source, stage, capabilities).map_err(Error::from).and_then(|code| {
                check_features(&code.reflection, core.caps.features)?;
                let (code, label) = (Arc::new(code), source.entry_point());
                let args = ObjectDesc::Shader { code: &code, label };
                self.here().create_object(&args, ObjectData::Shader(code.clone()), label, None)
            });
        core.reject(MessageId::CreateShaderInvalid, result)
    }
}
