//! The outputs of a shader that stream output can write to buffers.

use onze_ddi::{GeometryStream, OutputRegister, ShaderOutput, ShaderProgram};

use super::{Shader, SourceLanguage};

/// An output of a shader: in HLSL a parameter of the output signature, and the output at each location in any language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamElement {
    pub(crate) stream: u32,
    pub(crate) semantic_name: String,
    pub(crate) semantic_index: u32,
    /// The output that contains the element.
    pub(crate) register: OutputRegister,
    /// The first component of the register that belongs to the element.
    pub(crate) first_component: u32,
    pub(crate) components: u32,
    /// Whether the element can be selected by location, which needs no semantic.
    pub(crate) is_whole: bool,
    /// Whether the shader appends vertices to the stream. It is true for a vertex or domain shader.
    pub(crate) is_written: bool,
    language: SourceLanguage,
}

impl StreamElement {
    /// Whether the element has a semantic, ignoring the case of the name.
    pub(crate) fn has_semantic(&self, name: &str, index: u32) -> bool {
        self.is_named() && self.semantic_index == index && self.semantic_name.eq_ignore_ascii_case(name)
    }

    pub(crate) fn is_named(&self) -> bool {
        !self.semantic_name.is_empty()
    }

    /// Returns the semantic for messages, together with the location if it can be selected by location.
    pub(crate) fn name(&self) -> String {
        let Self { semantic_name: name, semantic_index: index, .. } = self;
        match self.register {
            OutputRegister::Location(location) if self.is_whole => {
                format!("{name}{index} ({})", self.language.location(location))
            }
            _ => format!("{name}{index}"),
        }
    }

    fn position(stream: u32, is_written: bool, language: SourceLanguage) -> Self {
        Self {
            stream,
            semantic_name: "SV_Position".to_owned(),
            semantic_index: 0,
            register: OutputRegister::Position,
            first_component: 0,
            components: 4,
            is_whole: false,
            is_written,
            language,
        }
    }

    fn at_location(stream: u32, output: &ShaderOutput, language: SourceLanguage) -> Self {
        // In HLSL, a location may contain several parameters of the signature, and each has its own semantic.
        let semantic_name = match language {
            SourceLanguage::Hlsl => String::new(),
            _ => output.semantic_name.clone(),
        };
        Self {
            stream,
            semantic_name,
            semantic_index: output.semantic_index,
            register: OutputRegister::Location(output.location),
            first_component: 0,
            components: output.components.into(),
            is_whole: true,
            is_written: true,
            language,
        }
    }
}

impl Shader {
    fn streams(&self) -> &[GeometryStream] {
        match &self.code.program {
            ShaderProgram::Geometry(program) => &program.streams,
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => &[],
        }
    }

    /// Returns the number of streams, which is 1 for a vertex or domain shader.
    fn stream_count(&self) -> usize {
        self.streams().len().max(1)
    }

    /// Returns the number of streams of a geometry shader, or `None` for a vertex or domain shader.
    pub(crate) fn geometry_streams(&self) -> Option<usize> {
        matches!(self.code.program, ShaderProgram::Geometry(_)).then(|| self.stream_count())
    }

    /// Returns the outputs of a stream at user-defined locations.
    pub(crate) fn outputs_of(&self, stream: u32) -> &[ShaderOutput] {
        match &self.code.program {
            ShaderProgram::Geometry(program) => program
                .streams
                .get(stream as usize)
                .map(|stream| stream.outputs.as_slice())
                .unwrap_or_default(),
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => {
                &self.code.reflection.outputs
            }
        }
    }

    /// Returns whether the shader appends vertices to a stream. It is true for a vertex or domain shader.
    fn writes_stream(&self, stream: u32) -> bool {
        match &self.code.program {
            ShaderProgram::Geometry(program) => {
                program.streams.get(stream as usize).is_some_and(|stream| stream.append.is_some())
            }
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => true,
        }
    }

    /// Returns the outputs of all streams.
    pub(crate) fn stream_elements(&self) -> Vec<StreamElement> {
        let language = self.language;
        let mut elements = self.signature_elements();
        let has_signature = !elements.is_empty();
        for stream in 0..self.stream_count() as u32 {
            let has_position =
                self.streams().get(stream as usize).map_or(self.has_position(), |stream| stream.has_position);
            if has_position && !has_signature {
                elements.push(StreamElement::position(stream, self.writes_stream(stream), language));
            }
            let outputs = self.outputs_of(stream).iter();
            elements.extend(outputs.map(|output| StreamElement::at_location(stream, output, language)));
        }
        elements
    }

    #[cfg(not(feature = "hlsl"))]
    fn signature_elements(&self) -> Vec<StreamElement> {
        Vec::new()
    }

    /// Returns the output signature of an HLSL shader, and nothing for shaders in other languages.
    #[cfg(feature = "hlsl")]
    fn signature_elements(&self) -> Vec<StreamElement> {
        use onze_hlsl::reflection::{SignatureParameter, SystemValue};

        let element = |parameter: &SignatureParameter| {
            let register = match parameter.system_value {
                SystemValue::Position => OutputRegister::Position,
                _ => OutputRegister::Location(parameter.register?),
            };
            Some(StreamElement {
                stream: parameter.stream,
                semantic_name: parameter.semantic_name.clone(),
                semantic_index: parameter.semantic_index,
                register,
                first_component: parameter.mask.trailing_zeros(),
                components: parameter.mask.count_ones(),
                is_whole: false,
                is_written: self.writes_stream(parameter.stream),
                language: self.language,
            })
        };
        self.hlsl.iter().flat_map(|hlsl| &hlsl.outputs).filter_map(element).collect()
    }
}
