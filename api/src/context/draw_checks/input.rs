//! Checks whether vertex and index buffers are large enough for a draw.

use onze_ddi::{
    ElementDesc, Format, IndexBufferBinding, InputClassification, Key, PrimitiveTopology, ShaderReflection,
    ShaderStage, VertexBufferBinding,
};

use crate::{
    context::{
        DeviceContext,
        bound::VERTEX_BUFFER_SLOTS,
        draw::{reflection, terms},
    },
    device_core::{HandleState, ObjectData},
    report::MessageId,
    shader::SourceLanguage,
};

/// The minimum range that a draw reads, given by the ends of the ranges of vertices, instances and indices.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct DrawRange {
    /// For indexed draws this is the minimum, because the index values are unknown.
    pub(crate) vertices: u64,
    pub(crate) instances: Instances,
    pub(crate) indices: u64,
    /// Number of vertices in each instance of the draw.
    pub(crate) count: u32,
}

#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Instances {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

impl Instances {
    /// Returns the first element of per-instance data that the draw does not read. Data with step rate `n`
    /// advances once every `n` instances, counted from the start instance, and data with step rate 0 does not
    /// advance.
    const fn end(self, step_rate: u32) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let steps = match step_rate {
            0 => 1,
            rate => self.count.div_ceil(rate),
        };
        self.start as u64 + steps as u64
    }
}

/// Limits that the bound buffers set for draws, so that a draw within the limits costs only a few
/// comparisons.
#[derive(Copy, Clone, Debug)]
pub(crate) struct DrawLimits {
    vertices: u64,
    /// Limit for instances, from buffers with step rate 1.
    instances: u64,
    /// Limit for instances, from buffers with other step rates, which the fast comparison treats as 1. A draw
    /// beyond the limit is compared again for each slot.
    stepped: u64,
    indices: u64,
    /// Maximum number of vertices of a draw, or 1 if all vertices would be equal.
    count: u32,
}

impl DrawLimits {
    /// The absence of limits, for draws that read no buffers. A field is also reset to this value once its
    /// limit has been reported.
    pub(crate) const NONE: Self = Self {
        vertices: u64::MAX,
        instances: u64::MAX,
        stepped: u64::MAX,
        indices: u64::MAX,
        count: u32::MAX,
    };

    #[inline]
    pub(crate) const fn allow(&self, range: &DrawRange) -> bool {
        range.vertices <= self.vertices
            && range.instances.end(1) <= self.instances
            && range.instances.end(1) <= self.stepped
            && range.indices <= self.indices
            && range.count <= self.count
    }
}

/// A vertex buffer slot that the vertex shader reads through the input layout.
#[derive(Copy, Clone, Debug)]
struct ReadSlot {
    slot: u32,
    class: InputClassification,
    step_rate: u32,
    /// End of the last element, in bytes from the start of a vertex.
    end: u32,
    /// The location of one element in the slot. The next field is the location of the last element.
    location: u32,
    last: u32,
}

/// Returns the slots that a shader reads through a layout.
fn read_slots(elements: &[ElementDesc], shader: &ShaderReflection) -> impl Iterator<Item = ReadSlot> {
    let mut slots = [None::<ReadSlot>; VERTEX_BUFFER_SLOTS];
    for element in elements.iter().filter(|e| shader.input(e.location).is_some()) {
        let Some(place) = slots.get_mut(element.input_slot as usize) else { continue };
        let end = element.offset.saturating_add(element.format.bytes_per_block());
        let ElementDesc { input_slot: slot, class, step_rate, location, .. } = *element;
        let read = place.get_or_insert(ReadSlot { slot, class, step_rate, end, location, last: location });
        if end > read.end {
            (read.end, read.last) = (end, location);
        }
    }
    slots.into_iter().flatten()
}

/// Returns the number of vertices or instances that are completely within a buffer.
fn whole_vertices(binding: &VertexBufferBinding, byte_width: u32, end: u32) -> u64 {
    let first_end = u64::from(binding.offset) + u64::from(end);
    match u64::from(byte_width).checked_sub(first_end) {
        None => 0,
        Some(_) if binding.stride == 0 => u64::MAX,
        Some(rest) => rest / u64::from(binding.stride) + 1,
    }
}

const fn index_size(format: Format) -> u64 {
    if matches!(format, Format::R16_UINT) { 2 } else { 4 }
}

/// Returns the number of indices of `size` bytes that are completely within a buffer.
const fn whole_indices(byte_width: u32, offset: u32, size: u64) -> u64 {
    byte_width.saturating_sub(offset) as u64 / size
}

impl DeviceContext {
    /// Reports slots without a buffer, and returns the limits of the bound buffers.
    pub(super) fn check_input(&self) -> DrawLimits {
        let mut limits = DrawLimits::NONE;
        let index_buffer = self.core.rt.bound.index_buffer;
        if let Some(width) = self.byte_width(index_buffer.buffer) {
            limits.indices = whole_indices(width, index_buffer.offset, index_size(index_buffer.format));
        }
        let Some((elements, shader)) = self.layout_and_shader() else { return limits };
        // True if vertices can differ from each other, by their index or by the data that they read.
        let mut differ = shader.uses_vertex_index;
        let mut reads_vertices = false;
        for read in read_slots(elements, shader) {
            let binding = self.core.rt.bound.vertex_buffers.at(read.slot as usize);
            let per_vertex = read.class == InputClassification::PerVertexData;
            reads_vertices |= per_vertex;
            let Some(width) = self.byte_width(binding.buffer) else {
                self.report_empty_slot(read, shader);
                differ = true;
                continue;
            };
            let whole = whole_vertices(&binding, width, read.end);
            let limit = match (read.class, read.step_rate) {
                (InputClassification::PerVertexData, _) => &mut limits.vertices,
                (InputClassification::PerInstanceData, 1) => &mut limits.instances,
                (InputClassification::PerInstanceData, _) => &mut limits.stepped,
            };
            *limit = (*limit).min(whole);
            differ |= per_vertex && binding.stride != 0;
            if binding.stride != 0 && binding.stride < read.end {
                self.report_short_stride(read, binding.stride, shader);
            }
        }
        if reads_vertices && !differ && self.core.rt.bound.primitive_topology != PrimitiveTopology::PointList
        {
            limits.count = 1;
        }
        limits
    }

    fn report_empty_slot(&self, read: ReadSlot, shader: &ShaderReflection) {
        let text = format_args!(
            "slot {} is empty, and the input layout feeds {} from it; bind a buffer with `ia_set_vertex_buffers`",
            read.slot,
            self.vertex_input(shader, read.location)
        );
        self.report_about(MessageId::DrawVertexBufferNotSet, self.input_keys(), text);
    }

    fn report_short_stride(&self, read: ReadSlot, stride: u32, shader: &ShaderReflection) {
        let text = format_args!(
            "the stride of the vertex buffer in slot {} is {stride} bytes, and its element for {} ends at byte {} of a \
             vertex; give `VertexBufferBinding` the size of a whole vertex",
            read.slot,
            self.vertex_input(shader, read.last),
            read.end
        );
        self.report_about(MessageId::DrawVertexStrideTooShort, self.input_keys(), text);
    }

    /// Returns the keys of the layout and the vertex shader, for messages about inputs.
    fn input_keys(&self) -> [Option<Key>; 2] {
        let bound = &self.core.rt.bound;
        let shader = bound.stages[ShaderStage::Vertex].shader.map(|h| h.key());
        [bound.input_layout.map(|h| h.key()), shader]
    }

    /// Describes an input of the bound vertex shader in the terms of its language.
    fn vertex_input(&self, shader: &ShaderReflection, location: u32) -> String {
        let language = self.stage_shader(ShaderStage::Vertex).and_then(terms);
        let language = language.map_or(SourceLanguage::Wgsl, |terms| terms.language);
        shader.input(location).map(|input| language.vertex_input(input)).unwrap_or_default()
    }

    /// Returns the elements of the bound layout, and the reflection of the vertex shader.
    fn layout_and_shader(&self) -> Option<(&[ElementDesc], &ShaderReflection)> {
        let shader = self.stage_shader(ShaderStage::Vertex).and_then(reflection)?;
        let layout = self.core.shared(self.core.rt.bound.input_layout?.key())?;
        match &layout.data {
            ObjectData::InputLayout(layout) => Some((&layout.elements, shader)),
            _ => None,
        }
    }

    fn byte_width(&self, buffer: Option<onze_ddi::ResourceHandle>) -> Option<u32> {
        Some(self.core.handles.runtime::<HandleState>(buffer?.key())?.byte_width)
    }

    /// Reports reads of a draw outside the bound buffers. A limit that was reported is reported again only
    /// after one of the buffers has changed, because a single buffer may be too small for many draws.
    #[cold]
    #[inline(never)]
    pub(in crate::context) fn report_range(&mut self, range: DrawRange) {
        let limits = self.core.rt.draw.limits();
        let mut unreported = limits;
        if range.indices > limits.indices {
            self.report_indices(range.indices);
            unreported.indices = u64::MAX;
        }
        if range.vertices > limits.vertices
            && self.report_vertices(&range, |read| read.class == InputClassification::PerVertexData)
        {
            unreported.vertices = u64::MAX;
        }
        let is_instance = |read: &ReadSlot| read.class == InputClassification::PerInstanceData;
        if range.instances.end(1) > limits.instances
            && self.report_vertices(&range, |read| is_instance(read) && read.step_rate == 1)
        {
            unreported.instances = u64::MAX;
        }
        if range.instances.end(1) > limits.stepped
            && self.report_vertices(&range, |read| is_instance(read) && read.step_rate != 1)
        {
            unreported.stepped = u64::MAX;
        }
        if range.count > limits.count {
            let text = format_args!(
                "a draw of {} vertices reads the same one for all of them; give `VertexBufferBinding` the bytes from one \
                 vertex to the next",
                range.count
            );
            self.report(MessageId::DrawVertexStrideZero, text);
            unreported.count = u32::MAX;
        }
        self.core.rt.draw.set_limits(unreported);
    }

    /// Reports the slots accepted by `has` that are too small for a draw, and returns whether there are any.
    fn report_vertices(&self, range: &DrawRange, has: impl Fn(&ReadSlot) -> bool) -> bool {
        let Some((elements, shader)) = self.layout_and_shader() else { return false };
        let mut found = false;
        for read in read_slots(elements, shader).filter(has) {
            let (needed, what) = match read.class {
                InputClassification::PerVertexData => (range.vertices, "vertex"),
                InputClassification::PerInstanceData => (range.instances.end(read.step_rate), "instance"),
            };
            let binding = self.core.rt.bound.vertex_buffers.at(read.slot as usize);
            let Some(width) = self.byte_width(binding.buffer) else { continue };
            let whole = whole_vertices(&binding, width, read.end);
            if whole >= needed {
                continue;
            }
            let VertexBufferBinding { buffer, stride, offset } = binding;
            let bytes = u64::from(offset) + (needed - 1) * u64::from(stride) + u64::from(read.end);
            let text = format_args!(
                "{} in slot {} has {width} bytes, and the draw reads up to {what} {} there, which takes {bytes} bytes \
                 with offset {offset} and stride {stride}; draw at most {whole}, or make the buffer larger",
                self.name_of(buffer.map(|h| h.key())),
                read.slot,
                needed - 1
            );
            self.report_about(MessageId::DrawVertexBufferTooSmall, buffer, text);
            found = true;
        }
        found
    }

    fn report_indices(&self, needed: u64) {
        let IndexBufferBinding { buffer, format, offset } = self.core.rt.bound.index_buffer;
        let Some(width) = self.byte_width(buffer) else { return };
        let whole = whole_indices(width, offset, index_size(format));
        let fits_as_short = format == Format::R32_UINT && whole_indices(width, offset, 2) >= needed;
        let cure = if fits_as_short {
            "if its indices have 16 bits, bind it with Format::R16_UINT"
        } else {
            "draw fewer indices, or make the buffer larger"
        };
        let text = format_args!(
            "{} has {width} bytes, which are {whole} indices of {format:?} from offset {offset} on, and the draw reads \
             {needed}; {cure}",
            self.name_of(buffer.map(|h| h.key()))
        );
        self.report_about(MessageId::DrawIndexBufferTooSmall, buffer, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_vertices_are_counted() {
        let binding = |stride, offset| VertexBufferBinding { buffer: None, stride, offset };
        for (stride, offset, width, end, expected) in [
            (12, 0, 36, 12, 3),
            (12, 0, 35, 12, 2),
            (12, 12, 36, 12, 2),
            // The last vertex needs no padding after its elements.
            (16, 0, 44, 12, 3),
            (12, 0, 11, 12, 0),
            (0, 0, 12, 12, u64::MAX),
            (0, 4, 12, 12, 0),
            (12, u32::MAX, 36, 12, 0),
        ] {
            assert_eq!(
                whole_vertices(&binding(stride, offset), width, end),
                expected,
                "{stride} {offset} {width}"
            );
        }
    }

    #[test]
    fn step_rates_divide_the_instances_but_not_the_start() {
        for (start, count, rate, expected) in [
            (0, 6, 1, 6),
            (0, 6, 3, 2),
            (0, 7, 3, 3),
            (5, 6, 3, 7),
            (5, 1, 3, 6),
            (5, 6, 0, 6),
            (5, 0, 0, 0),
            (5, 0, 1, 0),
            (u32::MAX, u32::MAX, 1, 2 * u64::from(u32::MAX)),
            (0, u32::MAX, u32::MAX, 1),
        ] {
            assert_eq!(Instances { start, count }.end(rate), expected, "{start} {count} {rate}");
        }
    }

    #[test]
    fn indices_are_counted_after_the_offset() {
        for (width, offset, size, expected) in [(6, 0, 2, 3), (6, 2, 2, 2), (6, 0, 4, 1), (6, 8, 2, 0)] {
            assert_eq!(whole_indices(width, offset, size), expected);
        }
    }
}
