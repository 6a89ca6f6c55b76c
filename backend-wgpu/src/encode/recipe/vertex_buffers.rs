//! Vertex buffers of a pipeline, with the checks that wgpu would make.

use onze_ddi::{ScalarKind, ShaderReflection};

use crate::{
    encode::parts::{
        pipelines::FetchSlot,
        ranges::{EMPTY_SLOT, VERTEX_SLOTS},
    },
    objects::{
        shader::Shader,
        state::{ElementLayout, VertexElement},
    },
    services::gpu::Gpu,
};

/// The layout of a vertex buffer, limited to the elements that the shader reads.
pub(super) struct BufferLayout {
    stride: u64,
    attributes: Vec<wgpu::VertexAttribute>,
    pub(crate) fetch: FetchSlot,
}

impl BufferLayout {
    pub(crate) fn layout(&self) -> wgpu::VertexBufferLayout<'_> {
        wgpu::VertexBufferLayout {
            array_stride: self.stride,
            step_mode: if self.fetch.per_instance {
                wgpu::VertexStepMode::Instance
            } else {
                wgpu::VertexStepMode::Vertex
            },
            attributes: &self.attributes,
        }
    }
}

/// Returns the attribute of an input that reads the null buffer. It has four components, because Direct3D 11
/// reads 0 for every component if no buffer is bound, even for those that the element's format lacks.
pub(super) fn zeros(inputs: &ShaderReflection, location: u32) -> wgpu::VertexAttribute {
    let format = match inputs.input(location).map(|input| input.kind) {
        Some(ScalarKind::Uint) => wgpu::VertexFormat::Uint32x4,
        Some(ScalarKind::Sint) => wgpu::VertexFormat::Sint32x4,
        Some(ScalarKind::Float) | None => wgpu::VertexFormat::Float32x4,
    };
    wgpu::VertexAttribute { format, offset: 0, shader_location: location }
}

pub(super) fn vertex_buffers(
    gpu: &Gpu,
    layout: Option<&ElementLayout>,
    vertex: &Shader,
    strides: &[u16; VERTEX_SLOTS],
) -> Result<Vec<BufferLayout>, String> {
    let inputs = &vertex.code.reflection;
    let mut buffers = Vec::new();
    for slot in layout.iter().flat_map(|layout| &layout.slots) {
        let is_read = |element: &&VertexElement| inputs.input(element.location).is_some();
        let mut attributes = Vec::new();
        for element in slot.elements.iter().filter(is_read) {
            let VertexElement { location, format, offset, .. } = *element;
            let fetched =
                element.fetched.ok_or_else(|| format!("wgpu has no vertex elements of {format:?}"))?;
            let offset = offset.into();
            attributes.push(wgpu::VertexAttribute { format: fetched, offset, shader_location: location });
        }
        let mut stride = strides.get(slot.slot as usize).copied().unwrap_or(EMPTY_SLOT);
        if stride == EMPTY_SLOT {
            // With a stride of 0, every vertex reads the same zeros from the null buffer.
            stride = 0;
            attributes.iter_mut().for_each(|a| *a = zeros(inputs, a.shader_location));
        }
        let Some(last) = attributes.iter().max_by_key(|a| a.offset + a.format.size()) else { continue };
        let end = last.offset + last.format.size();
        let stride = u64::from(stride);
        check_stride(gpu, slot.slot, stride, last, inputs)?;
        let per_instance = slot.step.is_per_instance();
        buffers.push(BufferLayout {
            stride,
            attributes,
            fetch: FetchSlot { slot: slot.slot as usize, per_instance, end },
        });
    }
    Ok(buffers)
}

/// Checks that wgpu supports a stride, in bytes, for a slot with this last element.
pub(super) fn check_stride(
    gpu: &Gpu,
    slot: u32,
    stride: u64,
    last: &wgpu::VertexAttribute,
    inputs: &ShaderReflection,
) -> Result<(), String> {
    let most = gpu.limits.max_vertex_buffer_array_stride;
    let (start, end) = (last.offset, last.offset + last.format.size());
    if !stride.is_multiple_of(wgpu::VERTEX_ALIGNMENT) {
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and wgpu takes multiples of {}; pad the \
             vertices",
            wgpu::VERTEX_ALIGNMENT
        ));
    }
    if stride != 0 && end > stride {
        let location = last.shader_location;
        // The driver does not know the shader's language, in which the name may be a semantic, as in HLSL.
        let name = match inputs.input(location) {
            Some(input) if !input.name.is_empty() => format!("`{}`", input.name),
            _ => format!("input {location}"),
        };
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and its element for {name} takes bytes \
             {start} to {end} of a vertex; give `VertexBufferBinding` the size of a whole vertex"
        ));
    }
    if stride > u64::from(most) {
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and the adapter has at most {most}"
        ));
    }
    Ok(())
}
