//! Validation of input layouts, and matching of their elements with a vertex shader's inputs.

use onze_ddi::{
    ComponentKind, ElementDesc, Features, Format, FormatSupport, InputClassification, InputElementDesc,
    PipelineCaps, ScalarKind, ShaderInput, ShaderReflection,
};

use crate::{
    report::Error,
    shader::{SourceLanguage, find_input},
};

/// Number of vertex buffer slots (D3D11: `D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT`).
const SLOTS: usize = 32;
/// Maximum number of elements in a layout (D3D11: `D3D11_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT`).
const MAX_ELEMENTS: usize = 32;
/// Maximum vertex stride in bytes, beyond which no element may end.
const MAX_STRIDE: u32 = 2048;

/// The state of a slot after the elements that have been processed so far.
#[derive(Copy, Clone, Default)]
struct LayoutSlot {
    /// The class and step rate of the elements in this slot, if there are any.
    class: Option<(InputClassification, u32)>,
    /// End of the previous element, in bytes. An appended element begins at or after it, at a multiple of the
    /// appended element's alignment.
    end: u32,
}

/// Matches the elements to the inputs of a vertex shader and resolves their offsets.
///
/// Returns the elements that the shader reads, in the order of declaration, although all other elements are
/// also checked and occupy space in their slots. Errors name the shader's inputs in the terms of `language`.
pub(crate) fn input_layout(
    elements: &[InputElementDesc],
    vertex_shader: &ShaderReflection,
    language: SourceLanguage,
    caps: &PipelineCaps,
) -> Result<Vec<ElementDesc>, Error> {
    if elements.len() > MAX_ELEMENTS {
        return invalid!("an input layout has at most {MAX_ELEMENTS} elements, found {}", elements.len());
    }
    let mut slots = [LayoutSlot::default(); SLOTS];
    let mut matched = Vec::with_capacity(elements.len());
    for (i, element) in elements.iter().enumerate() {
        let about = |e: Error| e.about(format_args!("input layout, element {i} ({})", name(element)));
        let offset = place(element, &mut slots).map_err(about)?;
        if let Some(twin) = elements[..i].iter().find(|other| is_same(element, other)) {
            return invalid!(
                "the input layout has two elements {}; remove one, or give it another index",
                name(twin)
            );
        }
        let Some(input) = find_input(vertex_shader, element) else { continue };
        fits(element, input, language).map_err(about)?;
        if matched.iter().any(|other: &ElementDesc| other.location == input.location) {
            return invalid!(
                "the input layout has two elements for the vertex shader's input {}",
                language.semantic_input(input)
            );
        }
        matched.push(ElementDesc {
            location: input.location,
            format: element.format,
            input_slot: element.input_slot,
            offset,
            class: element.input_slot_class,
            step_rate: element.instance_data_step_rate,
        });
    }
    if let Some(input) =
        vertex_shader.inputs.iter().find(|input| !matched.iter().any(|e| e.location == input.location))
    {
        let name = language.semantic_input(input);
        // HLSL inputs always have a semantic, so they need no location.
        let or_location = if language == SourceLanguage::Hlsl { "" } else { ", or one with `at_location`" };
        return invalid!(
            "the vertex shader's input {name} has no element in the input layout; add one of that semantic{or_location}"
        );
    }
    within_limits(&matched, caps)?;
    Ok(matched)
}

/// Checks that the device supports the elements' formats in vertex buffers. `support` returns the device's
/// support of a format and is called for each element up to the first unsupported one.
pub(crate) fn element_formats(
    elements: &[ElementDesc],
    support: impl Fn(Format) -> FormatSupport,
) -> Result<(), Error> {
    match elements.iter().find(|e| !support(e.format).contains(FormatSupport::IA_VERTEX_BUFFER)) {
        Some(element) => unsupported!("this device has no {:?} in vertex buffers", element.format),
        None => Ok(()),
    }
}

/// Returns the semantic, such as `TEXCOORD1`, or the `at_location` call that replaces it.
fn name(element: &InputElementDesc) -> String {
    match element.location {
        Some(location) => format!("`at_location({location})`"),
        None => format!("{}{}", element.semantic_name, element.semantic_index),
    }
}

/// Whether two elements have the same semantic or location.
fn is_same(a: &InputElementDesc, b: &InputElementDesc) -> bool {
    match (a.location, b.location) {
        (None, None) => {
            let upper = |name: &str| name.to_uppercase();
            a.semantic_index == b.semantic_index && upper(&a.semantic_name) == upper(&b.semantic_name)
        }
        (a, b) => a == b,
    }
}

/// Checks an element against its slot and returns its offset.
fn place(element: &InputElementDesc, slots: &mut [LayoutSlot; SLOTS]) -> Result<u32, Error> {
    let InputElementDesc {
        format, input_slot, input_slot_class: class, instance_data_step_rate: rate, ..
    } = *element;
    if element.location.is_none() && element.semantic_name.is_empty() {
        return invalid!("the semantic has no name");
    }
    if !format.is_vertex_element() {
        return invalid!("{format:?} is not a vertex buffer format; use one such as R32G32B32_FLOAT");
    }
    let Some(slot) = slots.get_mut(input_slot as usize) else {
        return invalid!("input_slot is 0 to {}, found {input_slot}", SLOTS - 1);
    };
    if class == InputClassification::PerVertexData && rate != 0 {
        return invalid!("instance_data_step_rate must be 0 for per-vertex data, found {rate}");
    }
    match slot.class {
        Some((other, _)) if other != class => {
            return invalid!(
                "slot {input_slot} has per-vertex and per-instance elements; use a slot for each class"
            );
        }
        Some((_, other)) if other != rate => {
            return invalid!(
                "instance_data_step_rate is {rate}, but {other} in another element of slot {input_slot}; all elements of \
                 a slot have the same rate"
            );
        }
        Some(_) | None => slot.class = Some((class, rate)),
    }
    let alignment = format.element_alignment();
    let offset = match element.aligned_byte_offset {
        InputElementDesc::APPEND_ALIGNED_ELEMENT => slot.end.next_multiple_of(alignment),
        offset if !offset.is_multiple_of(alignment) => {
            return invalid!(
                "aligned_byte_offset is {offset}, but {format:?} needs a multiple of {alignment} bytes"
            );
        }
        offset => offset,
    };
    let end = offset.saturating_add(format.bytes_per_block());
    if end > MAX_STRIDE {
        return invalid!("the element ends at byte {end}, but a vertex has at most {MAX_STRIDE} bytes");
    }
    slot.end = end;
    Ok(offset)
}

/// Checks that the element's format converts to the scalar type of the shader's input.
fn fits(element: &InputElementDesc, input: &ShaderInput, language: SourceLanguage) -> Result<(), Error> {
    let kind = match element.format.component_kind() {
        ComponentKind::Float | ComponentKind::Unorm | ComponentKind::Snorm => Some(ScalarKind::Float),
        ComponentKind::Uint => Some(ScalarKind::Uint),
        ComponentKind::Sint => Some(ScalarKind::Sint),
        ComponentKind::Unknown | ComponentKind::Typeless | ComponentKind::Depth => None,
    };
    if kind == Some(input.kind) {
        return Ok(());
    }
    let (format, wanted) = (element.format, language.semantic_input(input));
    let takes = language.value_type(input.kind, input.components);
    invalid!(
        "{format:?} does not convert to {takes}, the type of the vertex shader's input {wanted}; use a format of that \
         type, or change the shader's type"
    )
}

fn within_limits(elements: &[ElementDesc], caps: &PipelineCaps) -> Result<(), Error> {
    if elements.len() > caps.max_input_elements as usize {
        let most = caps.max_input_elements;
        return unsupported!(
            "the input layout has {} elements; this device has at most {most}",
            elements.len()
        );
    }
    let steps = |e: &&ElementDesc| e.class == InputClassification::PerInstanceData && e.step_rate != 1;
    if let Some(element) = elements.iter().find(steps)
        && !caps.features.contains(Features::INSTANCE_STEP_RATE)
    {
        let rate = element.step_rate;
        return unsupported!(
            "instance_data_step_rate {rate} needs `Features::INSTANCE_STEP_RATE`, which this device lacks; 1 works"
        );
    }
    let mut slots: Vec<_> = elements.iter().map(|e| e.input_slot).collect();
    slots.sort_unstable();
    slots.dedup();
    if slots.len() > caps.max_vertex_buffers as usize {
        let most = caps.max_vertex_buffers;
        return unsupported!(
            "the input layout reads {} vertex buffers; this device has at most {most}",
            slots.len()
        );
    }
    Ok(())
}
