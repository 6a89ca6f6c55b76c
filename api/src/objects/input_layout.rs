//! Input layouts, which map vertex buffers to the inputs of a vertex shader (D3D11: `ID3D11InputLayout`).

use onze_ddi::{InputElementDesc, ObjectDesc, ShaderReflection};

use super::{Device, VertexShader, object, sealed::Sealed as _};
use crate::{
    device_core::{FedSemantic, InputLayoutData, ObjectData},
    report::{Error, MessageId},
    shader::{ShaderTerms, find_input},
    validate,
};

object! {
    /// Maps vertex buffers to the inputs of a vertex shader (D3D11: `ID3D11InputLayout`).
    #[doc(alias = "ID3D11InputLayout")]
    InputLayout
}

impl Device {
    /// Creates an input layout for a vertex shader and for all shaders with the same inputs (D3D11:
    /// `ID3D11Device::CreateInputLayout`).
    ///
    /// In HLSL, an element supplies the input with the same semantic: `TEXCOORD` 1 supplies `float2 uv :
    /// TEXCOORD1`. In WGSL and GLSL, the input's name is its semantic, and digits at the end of the name are
    /// the index: `TEXCOORD` 1 supplies `texcoord1`. In SPIR-V, the semantic is the name of the variable
    /// without DXC's prefix `in.var.`. Semantics are not case-sensitive. To select an input by location
    /// instead, use [`InputElementDesc::at_location`] (`@location(1)` in WGSL, `layout(location = 1)` in
    /// GLSL).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if an input of the shader has no element, if a format does not match its input,
    /// or if an element is invalid; [`Error::Unsupported`] if the adapter lacks a feature. The error names
    /// the feature.
    #[doc(alias = "CreateInputLayout")]
    pub fn create_input_layout(
        &self,
        elements: &[InputElementDesc],
        shader: &VertexShader,
    ) -> Result<InputLayout, Error> {
        let core = &self.core;
        let result = self.own(&shader.owner().shared).and_then(|()| {
            let ObjectData::Shader(code) = &shader.owner().shared.data else {
                return Err(Error::InvalidArg("the shader has no reflection".to_owned()));
            };
            let ShaderTerms { language, code: reflection, .. } = code.terms();
            let semantics = fed_semantics(elements, reflection);
            let elements = validate::input_layout(elements, reflection, language, &core.caps)?;
            validate::element_formats(&elements, |format| self.check_format_support(format))?;
            let args = ObjectDesc::ElementLayout { elements: &elements };
            let data = ObjectData::InputLayout(InputLayoutData { elements: elements.clone(), semantics });
            self.here().create_object(&args, data, self.new_name(), None)
        });
        let result = result.map_err(|error| self.named(error));
        Ok(InputLayout::from_shared(&core.reject(MessageId::CreateInputLayoutInvalid, result)?.shared))
    }
}

/// Returns the semantics of the elements that supply an input of the shader.
fn fed_semantics(elements: &[InputElementDesc], shader: &ShaderReflection) -> Vec<FedSemantic> {
    let by_semantic = elements.iter().filter(|element| element.location.is_none());
    let fed = by_semantic.filter_map(|element| {
        let location = find_input(shader, element)?.location;
        Some(FedSemantic { location, name: element.semantic_name.to_string(), index: element.semantic_index })
    });
    fed.collect()
}
