//! Geometry shaders that write vertices to buffers.

use std::sync::Arc;

use onze_ddi::{Features, InputElementDesc, ShaderStage};

use super::{Device, DomainShader, GeometryShader, Vertex, VertexShader, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, ObjectShared},
    report::{Error, MessageId},
    shader::{Shader, ShaderSource},
    validate::{self, SoDeclarationEntry, StreamShader, feature_names},
};

/// The shader whose vertices [`Device::create_geometry_shader_with_stream_output`] writes to buffers (D3D11:
/// `pShaderBytecode`).
///
/// A [`ShaderSource`], a `&GeometryShader`, a `&VertexShader` and a `&DomainShader` convert into a source.
#[doc(alias = "pShaderBytecode")]
#[non_exhaustive]
#[derive(Copy, Clone, Debug)]
pub enum StreamOutputSource<'a> {
    /// The source of a geometry, vertex or domain shader. A source in HLSL is a shader of the first of these stages for
    /// which it compiles. A source from [`ShaderSource::wgsl_geometry`] or [`ShaderSource::wgsl_domain`] has that stage,
    /// and other sources are vertex shaders.
    Source(ShaderSource<'a>),
    /// A geometry shader with or without stream output, which stays as it is.
    GeometryShader(&'a GeometryShader),
    /// A vertex shader, whose outputs are written as they are.
    VertexShader(&'a VertexShader),
    /// A domain shader, whose outputs are written as they are.
    DomainShader(&'a DomainShader),
}

impl<'a> From<ShaderSource<'a>> for StreamOutputSource<'a> {
    fn from(source: ShaderSource<'a>) -> Self {
        Self::Source(source)
    }
}

impl<'a> From<&'a GeometryShader> for StreamOutputSource<'a> {
    fn from(shader: &'a GeometryShader) -> Self {
        Self::GeometryShader(shader)
    }
}

impl<'a> From<&'a VertexShader> for StreamOutputSource<'a> {
    fn from(shader: &'a VertexShader) -> Self {
        Self::VertexShader(shader)
    }
}

impl<'a> From<&'a DomainShader> for StreamOutputSource<'a> {
    fn from(shader: &'a DomainShader) -> Self {
        Self::DomainShader(shader)
    }
}

impl SoDeclarationEntry {
    /// Describes all fields of a vertex type, in stream 0 and slot 0, for a buffer that is also a vertex buffer of this
    /// type. Padding and skipped fields become gaps, so the stride is the size of the type.
    ///
    /// ```
    /// use onze::{SoDeclarationEntry, Vertex, bytemuck};
    ///
    /// #[derive(Clone, Copy, bytemuck::NoUninit, Vertex)]
    /// #[repr(C)]
    /// struct Particle {
    ///     position: [f32; 3],
    ///     #[vertex(skip)]
    ///     seed: u32,
    ///     velocity: [f32; 2],
    /// }
    ///
    /// # fn main() -> Result<(), onze::Error> {
    /// let entries = [
    ///     SoDeclarationEntry::new("POSITION", 0, 3),
    ///     SoDeclarationEntry::gap(1),
    ///     SoDeclarationEntry::new("VELOCITY", 0, 2),
    /// ];
    /// assert_eq!(SoDeclarationEntry::of::<Particle>()?, entries);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if a field has a format other than one to four floats or integers of 32 bits, because
    /// stream output does not convert components, or if its offset or the size of the type is not a multiple of 4.
    pub fn of<V: Vertex>() -> Result<Vec<Self>, Error> {
        let mut elements: Vec<_> = V::ELEMENTS.iter().collect();
        elements.sort_by_key(|element| element.aligned_byte_offset);
        let (mut entries, mut end) = (Vec::with_capacity(elements.len()), 0);
        let gap_to = |offset: u32, end: u32, entries: &mut Vec<Self>| {
            let words = offset.saturating_sub(end) / 4;
            let most = u32::from(u8::MAX);
            entries.extend((0..words.div_ceil(most)).map(|n| Self::gap((words - n * most).min(most) as u8)));
        };
        for element in elements {
            let InputElementDesc { semantic_name, semantic_index, format, location, .. } = element;
            let offset = element.aligned_byte_offset;
            if !format.is_stream_element() || !offset.is_multiple_of(4) {
                return Err(Error::InvalidArg(format!(
                    "the field {semantic_name}{semantic_index} is {format:?} at offset {offset}; stream output writes \
                     floats and integers of 32 bits at multiples of 4"
                )));
            }
            gap_to(offset, end, &mut entries);
            let count = format.component_count() as u8;
            entries.push(match location {
                Some(location) => Self::at_location(*location, count),
                None => Self::new(semantic_name.clone(), *semantic_index, count),
            });
            end = offset + format.bytes_per_block();
        }
        let size = size_of::<V>();
        if !size.is_multiple_of(4) {
            return Err(Error::InvalidArg(format!(
                "a vertex takes {size} bytes; stream output needs a multiple of 4, so add padding"
            )));
        }
        gap_to(size as u32, end, &mut entries);
        Ok(entries)
    }
}

impl Device {
    /// Creates a geometry shader that writes its vertices to the buffers bound with
    /// [`so_set_targets`](crate::DeviceContext::so_set_targets) (D3D11:
    /// `ID3D11Device::CreateGeometryShaderWithStreamOutput`).
    ///
    /// The source is a geometry shader, or a vertex or domain shader whose outputs are written as they are. The object is
    /// bound with [`gs_set_shader`](crate::DeviceContext::gs_set_shader) in all cases. If it comes from a vertex or domain
    /// shader, the outputs are those of the bound domain shader, or of the bound vertex shader if there is none, and the
    /// captured ones must exist there. Usually the same shader is bound. Such an object has one stream, and the resources
    /// of the geometry stage are not used.
    ///
    /// Each entry selects components of an output. It finds the output by its semantic, ignoring case: in HLSL the
    /// semantic of the declaration, in other languages the name of the output, with digits at the end as the index.
    /// The position is `SV_Position` in every language. [`SoDeclarationEntry::at_location`] selects an output by
    /// location instead.
    ///
    /// `strides` has the distance between vertices in bytes for each slot up to the last one in use, with any value for
    /// slots that are not in use. If it is empty, the vertices have no padding. Primitives of `rasterized_stream`, which
    /// is 0 to 3, are also rasterized. With `None`, nothing is (D3D11: `D3D11_SO_NO_RASTERIZED_STREAM`). Strips are
    /// written as lists.
    ///
    /// * A vertex or domain shader has at least one entry. A geometry shader without entries writes nothing.
    /// * At most 512 entries, and at most 128 components in a stream, including gaps.
    /// * An entry writes 1 to 4 components that the output has. Each component is written once.
    /// * Slots are 0 to 3. The entries of a slot belong to one stream, and at least one of them is not a gap.
    /// * A stride is a multiple of 4, at most 2048, and at least the size of the slot's entries.
    ///
    /// ```
    /// # fn main() -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// # let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
    /// # let (device, mut context) = create_device(&desc)?;
    /// let text = "
    ///     struct Particle { @builtin(position) position: vec4f, @location(0) velocity: vec3f }
    ///     @vertex fn main(@builtin(vertex_index) i: u32) -> Particle {
    ///         return Particle(vec4f(f32(i)), vec3f(1.0, 0.0, 0.0));
    ///     }";
    /// let vs = device.create_vertex_shader(ShaderSource::wgsl(text, "main"))?;
    /// let entries = [SoDeclarationEntry::new("SV_Position", 0, 4), SoDeclarationEntry::new("VELOCITY", 0, 3)];
    /// let so = device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None)?;
    ///
    /// let flags = BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER;
    /// let particles = device.create_buffer(&BufferDesc::new(28 * 100, flags), None)?;
    /// context.vs_set_shader(&vs);
    /// context.gs_set_shader(&so);
    /// context.so_set_targets(StreamOutputBinding::new(&particles, 0));
    /// context.ia_set_primitive_topology(PrimitiveTopology::PointList);
    /// context.draw(100, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] with the entry and the broken rule, or with the compiler's message;
    /// [`Error::Unsupported`] if the device lacks [`Features::STREAM_OUTPUT`] or a feature that the shader needs.
    #[doc(alias = "CreateGeometryShaderWithStreamOutput")]
    #[doc(alias = "D3D11_SO_NO_RASTERIZED_STREAM")]
    pub fn create_geometry_shader_with_stream_output<'a>(
        &self,
        source: impl Into<StreamOutputSource<'a>>,
        entries: &[SoDeclarationEntry],
        strides: &[u32],
        rasterized_stream: Option<u32>,
    ) -> Result<GeometryShader, Error> {
        let core = &self.core;
        let result = check_feature(core.caps.features)
            .and_then(|()| self.stream_shader(source.into()))
            .and_then(|mut shader| {
                let outputs = StreamShader {
                    elements: shader.stream_elements(),
                    geometry_streams: shader.geometry_streams(),
                };
                let desc = validate::stream_output(entries, strides, rasterized_stream, &outputs)?;
                shader.stream_output = Some(Arc::new(desc));
                self.create_shader_object(shader)
            });
        let result = result.map_err(|error| self.named(error));
        Ok(GeometryShader::from_shared(&core.reject(MessageId::CreateShaderInvalid, result)?.shared))
    }

    /// Returns the compiled shader of a source.
    fn stream_shader(&self, source: StreamOutputSource<'_>) -> Result<Shader, Error> {
        match source {
            StreamOutputSource::Source(source) => {
                let mut stages = source.captured_stages().iter();
                let first = stages.next().copied().unwrap_or(ShaderStage::Geometry);
                let mut compiled = self.compile_shader(source, first);
                for stage in stages {
                    compiled =
                        compiled.or_else(|error| self.compile_shader(source, *stage).map_err(|_| error));
                }
                compiled
            }
            StreamOutputSource::GeometryShader(shader) => self.compiled(&shader.owner().shared),
            StreamOutputSource::VertexShader(shader) => self.compiled(&shader.owner().shared),
            StreamOutputSource::DomainShader(shader) => self.compiled(&shader.owner().shared),
        }
    }

    fn compiled(&self, shared: &Arc<ObjectShared>) -> Result<Shader, Error> {
        self.own(shared)?;
        match &shared.data {
            ObjectData::Shader(shader) => Ok(shader.clone()),
            _ => Err(Error::InvalidArg("the shader has no reflection".to_owned())),
        }
    }
}

fn check_feature(features: Features) -> Result<(), Error> {
    if features.contains(Features::STREAM_OUTPUT) {
        return Ok(());
    }
    let needed = feature_names(Features::STREAM_OUTPUT);
    Err(Error::Unsupported(format!("stream output needs {needed}, which this device lacks")))
}
