//! Input layouts: how vertex buffers become the inputs of a vertex shader. D3D11: `ID3D11InputLayout`.

use onze_ddi::{InputElementDesc, ObjectDesc};

use super::{Device, VertexShader, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    shader::Terms,
    validate,
};

object! {
    /// How vertex buffers become the inputs of a vertex shader. D3D11: `ID3D11InputLayout`.
    #[doc(alias = "ID3D11InputLayout")]
    InputLayout
}

impl Device {
    /// Makes an input layout for a vertex shader, and for all that have the same inputs.
    /// D3D11: `ID3D11Device::CreateInputLayout`.
    ///
    /// In HLSL an element feeds the input that has its semantic: `TEXCOORD` 1 feeds `float2 uv : TEXCOORD1`. In WGSL and
    /// GLSL an input's name is its semantic, and digits at its end are the index: `TEXCOORD` 1 feeds `texcoord1`. In
    /// SPIR-V the name is that of the variable, without DXC's prefix `in.var.`. Case does not matter.
    /// [`InputElementDesc::at_location`] names a location instead: `@location(1)` in WGSL, `layout(location = 1)` in GLSL.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] when an input of the shader has no element, a format does not fit, or the
    /// elements break a rule; [`Error::Unsupported`] names what the adapter lacks.
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
            let Terms { language, code: reflection, .. } = code.terms();
            let elements = validate::input_layout(elements, reflection, language, &core.caps)?;
            validate::element_formats(&elements, |format| self.check_format_support(format))?;
            let args = ObjectDesc::ElementLayout { elements: &elements };
            self.here().create_object(&args, ObjectData::InputLayout(elements.clone()), self.new_name(), None)
        });
        Ok(InputLayout::from_shared(&core.reject(MessageId::CreateInputLayoutInvalid, result)?.shared))
    }
}
