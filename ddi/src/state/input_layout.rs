//! Elements of input layouts, as an application describes them and as a driver receives them.

use std::borrow::Cow;

use crate::Format;

/// Whether an element of an input layout advances per vertex or per instance (D3D11:
/// `D3D11_INPUT_CLASSIFICATION`).
#[doc(alias = "D3D11_INPUT_CLASSIFICATION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum InputClassification {
    /// The element advances with each vertex, so all instances read the same data.
    #[default]
    PerVertexData,
    /// The element advances every n instances, for a step rate of n.
    PerInstanceData,
}

/// One element of an input layout, as the application describes it (D3D11: `D3D11_INPUT_ELEMENT_DESC`).
#[doc(alias = "D3D11_INPUT_ELEMENT_DESC")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElementDesc {
    /// The case-insensitive name of the semantic in the shader's input.
    pub semantic_name: Cow<'static, str>,
    /// The index of the semantic, which distinguishes inputs with the same name.
    pub semantic_index: u32,
    /// The format of the element in the vertex buffer.
    pub format: Format,
    /// The slot of the vertex buffer that contains the element.
    pub input_slot: u32,
    /// Bytes from the start of a vertex to the element, or [`InputElementDesc::APPEND_ALIGNED_ELEMENT`].
    pub aligned_byte_offset: u32,
    /// Whether the element advances per vertex or per instance.
    pub input_slot_class: InputClassification,
    /// Step rate in instances. With a rate of `n`, the element advances every `n` instances, and with 0, it
    /// does not advance. All elements of a slot have the same rate, which is 0 for per-vertex data.
    pub instance_data_step_rate: u32,
    /// If given, matches an input by its location instead of its semantic: `@location` in WGSL, or
    /// `layout(location)` in GLSL, but not in HLSL, whose inputs have only semantics.
    pub location: Option<u32>,
}

impl InputElementDesc {
    /// Places the element after the previous element of the same slot, with the alignment of its format
    /// (D3D11: `D3D11_APPEND_ALIGNED_ELEMENT`).
    #[doc(alias = "D3D11_APPEND_ALIGNED_ELEMENT")]
    pub const APPEND_ALIGNED_ELEMENT: u32 = u32::MAX;

    /// Describes a per-vertex element in slot 0, after the previous element.
    pub fn new(semantic_name: impl Into<Cow<'static, str>>, semantic_index: u32, format: Format) -> Self {
        Self {
            semantic_name: semantic_name.into(),
            semantic_index,
            format,
            input_slot: 0,
            aligned_byte_offset: Self::APPEND_ALIGNED_ELEMENT,
            input_slot_class: InputClassification::PerVertexData,
            instance_data_step_rate: 0,
            location: None,
        }
    }

    /// Sets the slot of the vertex buffer that contains the element.
    pub fn slot(mut self, input_slot: u32) -> Self {
        self.input_slot = input_slot;
        self
    }

    /// Sets the byte offset of the element from the start of a vertex.
    pub fn offset(mut self, aligned_byte_offset: u32) -> Self {
        self.aligned_byte_offset = aligned_byte_offset;
        self
    }

    /// Makes the element advance by one with each instance.
    pub fn per_instance(mut self) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = 1;
        self
    }

    /// Makes the element advance every `rate` instances. With a rate of 0, the element does not advance, so
    /// all instances read the same data. Rates other than 1 need
    /// [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub fn step_rate(mut self, rate: u32) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = rate;
        self
    }

    /// Matches the input at the given location, whatever its name: `@location(location)` in WGSL.
    pub fn at_location(mut self, location: u32) -> Self {
        self.location = Some(location);
        self
    }
}

/// One element of an input layout as the driver receives it, with its location and offset resolved.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementDesc {
    /// The location of the shader's input: `@location` in WGSL.
    pub location: u32,
    /// The format of the element in the vertex buffer.
    pub format: Format,
    /// The slot of the vertex buffer that contains the element.
    pub input_slot: u32,
    /// Bytes from the start of a vertex to the element.
    pub offset: u32,
    /// Whether the element advances per vertex or per instance.
    pub class: InputClassification,
    /// Step rate in instances, counted from the start instance, or 0 if all instances read the same data.
    /// Rates other than 1 need [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE). All
    /// elements of a slot have the same rate, which is 0 for per-vertex data.
    pub step_rate: u32,
}
