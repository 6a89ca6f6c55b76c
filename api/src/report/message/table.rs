//! The table of messages: what the debug layer can say.

/// How bad it is. D3D11: `D3D11_MESSAGE_SEVERITY`, with its values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Severity {
    /// A contract was broken below the application: nothing can be relied on.
    Corruption = 0,
    /// A call was ignored or rejected.
    Error = 1,
    /// Legal, and probably not what was meant.
    Warning = 2,
    /// Worth knowing.
    Info = 3,
    /// What the application itself had to say.
    Message = 4,
}

impl Severity {
    /// Every severity, worst first.
    pub const ALL: [Self; 5] = [Self::Corruption, Self::Error, Self::Warning, Self::Info, Self::Message];

    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What it is about. D3D11: `D3D11_MESSAGE_CATEGORY`, with its values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// From the application itself.
    ApplicationDefined = 0,
    /// Anything else.
    Miscellaneous = 1,
    /// Creating devices.
    Initialization = 2,
    /// Destroying objects and devices.
    Cleanup = 3,
    /// Compiling shaders.
    Compilation = 4,
    /// Creating objects.
    StateCreation = 5,
    /// Binding objects and setting state.
    StateSetting = 6,
    /// Reading state back.
    StateGetting = 7,
    /// Copies, updates and maps.
    ResourceManipulation = 8,
    /// Draws, clears, lists and queries.
    Execution = 9,
    /// Linking and binding shaders.
    Shader = 10,
}

/// One row of the table.
pub(super) struct Row {
    pub(super) severity: Severity,
    pub(super) category: Category,
    /// What happened: a clause without a full stop, followed by the details.
    pub(super) what: &'static str,
    /// What to do: a whole sentence.
    pub(super) advice: &'static str,
}

macro_rules! messages {
    ($($id:ident, $severity:ident, $category:ident, $what:literal, $advice:literal;)*) => {
        /// Which message it is. D3D11: `D3D11_MESSAGE_ID`, by kind of call instead of by cause.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum MessageId {
            $(
                #[doc = concat!(stringify!($severity), ": ", $what, ". ", $advice)]
                $id,
            )*
        }

        impl MessageId {
            /// Every id.
            pub const ALL: &'static [Self] = &[$(Self::$id),*];
        }

        /// The table of messages, in the order of their ids.
        pub(super) const TABLE: &[Row] = &[$(
            Row {
                severity: Severity::$severity,
                category: Category::$category,
                what: $what,
                advice: $advice,
            },
        )*];
    };
}

messages! {
    ApplicationMessage, Message, ApplicationDefined,
        "the application says",
        "Added with `add_application_message`.";

    // Creating devices and objects.
    CreateDeferredContextInvalid, Error, Initialization,
        "the deferred context was not created",
        "A device with the single-threaded flag has no deferred contexts.";
    CreateBufferInvalid, Error, StateCreation,
        "the buffer was not created",
        "Check usage, bind, processor access and miscellaneous flags together, and the size.";
    CreateTexture2dInvalid, Error, StateCreation,
        "the texture was not created",
        "Check the format against the bind flags, and the size, mip levels and slices against the limits.";
    CreateShaderResourceViewInvalid, Error, StateCreation,
        "the shader-resource view was not created",
        "The resource needs SHADER_RESOURCE, the format must belong to it, and the range must lie inside.";
    CreateRenderTargetViewInvalid, Error, StateCreation,
        "the render-target view was not created",
        "The resource needs RENDER_TARGET, the format must belong to it, and the range must lie inside.";
    CreateDepthStencilViewInvalid, Error, StateCreation,
        "the depth-stencil view was not created",
        "The resource needs DEPTH_STENCIL, the format must be a depth format of its family, and the \
         range must lie inside.";
    CreateUnorderedAccessViewInvalid, Error, StateCreation,
        "the unordered-access view was not created",
        "The resource needs UNORDERED_ACCESS, a buffer must be structured, and the elements must lie inside.";
    CreateInputLayoutInvalid, Error, StateCreation,
        "the input layout was not created",
        "Every input of the vertex shader needs an element with its semantic and a format of its type.";
    CreateShaderInvalid, Error, Compilation,
        "the shader was not created",
        "The reason has the line of the source.";
    CreateStateInvalid, Error, StateCreation,
        "the state object was not created",
        "Alpha factors may not be colours, anisotropy is 1 to 16, and no value may be NaN.";
    CreateQueryInvalid, Error, StateCreation,
        "the query was not created",
        "Check what kinds of queries the device has.";
    CreateSwapChainInvalid, Error, Initialization,
        "the swap chain was not created",
        "The default of `SwapChainDesc::new` suits every window.";
    ResizeBuffersInvalid, Error, Miscellaneous,
        "the swap chain was not resized",
        "It can be resized again.";

    // Binding.
    ForeignObject, Error, StateSetting,
        "an object of another device was used, and the call was ignored",
        "Objects belong to the device that created them.";
    SetConstantBuffersInvalid, Error, StateSetting,
        "constant buffers were not set",
        "Slots are 0 to 13, and each buffer needs CONSTANT_BUFFER.";
    SetConstantBuffers1Invalid, Error, StateSetting,
        "constant buffers with offsets were not set",
        "First constant and number of constants are multiples of 16 and the number is at most 4096; \
         give both for every buffer or for none.";
    SetShaderResourcesInvalid, Error, StateSetting,
        "shader resources were not set",
        "Slots are 0 to 127.";
    SetShaderResourcesHazard, Warning, StateSetting,
        "a shader-resource slot was left empty, for its resource is bound as an output",
        "Unbind the output first; for depth, a read-only view allows both.";
    SetSamplersInvalid, Error, StateSetting,
        "samplers were not set",
        "Slots are 0 to 15.";
    SetVertexBuffersInvalid, Error, StateSetting,
        "vertex buffers were not set",
        "Slots are 0 to 31, each buffer needs VERTEX_BUFFER, and strides are at most 2048.";
    SetIndexBufferInvalid, Error, StateSetting,
        "the index buffer was not set",
        "The buffer needs INDEX_BUFFER, and the format is R16_UINT or R32_UINT.";
    SetRenderTargetsInvalid, Error, StateSetting,
        "render targets were not set",
        "At most 8 targets of equal size, slices and samples, no subresource twice, and a depth-stencil view \
         that is at least as large.";
    SetRenderTargetsHazard, Warning, StateSetting,
        "what sees a new target was unbound elsewhere",
        "Unbind shader resources and unordered-access views before what they see becomes a target.";
    SetUnorderedAccessViewsInvalid, Error, StateSetting,
        "no unordered-access view was bound",
        "There are 8 slots, and no part of a resource may be bound for writing twice.";
    SetUnorderedAccessViewsHazard, Warning, StateSetting,
        "what a new unordered-access view sees was unbound elsewhere",
        "Unbind it before a shader may write it.";
    SetViewportsInvalid, Error, StateSetting,
        "viewports were not set",
        "At most 16, within -32768 to 32767, sizes not negative, 0 <= min depth <= max depth <= 1.";
    SetScissorRectsInvalid, Error, StateSetting,
        "scissor rectangles were not set",
        "At most 16.";

    // Drawing.
    DrawNoVertexShader, Error, Execution,
        "nothing was drawn, for there is no vertex shader",
        "Set one with `vs_set_shader`.";
    DrawNoInputLayout, Error, Execution,
        "nothing was drawn, for the vertex shader has inputs and there is no input layout",
        "Set one with `ia_set_input_layout`.";
    DrawInputLayoutMismatch, Error, Execution,
        "nothing was drawn, for the input layout does not feed the vertex shader",
        "Create the layout with this vertex shader, or with one of the same inputs.";
    DrawLinkage, Error, Shader,
        "nothing was drawn, for vertex and pixel shader do not fit together",
        "Every input of the pixel shader needs an output of the vertex shader at its location and of its type.";
    DrawTopologyUndefined, Error, Execution,
        "nothing was drawn, for the primitive topology is undefined",
        "Set one with `ia_set_primitive_topology`.";
    DrawNoTargets, Warning, Execution,
        "nothing was drawn, for there is neither a render target nor a depth-stencil view",
        "Set them with `om_set_render_targets`.";
    DrawIndexedNoIndexBuffer, Error, Execution,
        "nothing was drawn, for there is no index buffer",
        "Set one with `ia_set_index_buffer`.";
    DrawMapped, Error, Execution,
        "nothing was drawn, for a bound resource is mapped",
        "Unmap it first.";
    DispatchNoComputeShader, Error, Execution,
        "nothing was run, for there is no compute shader",
        "Set one with `cs_set_shader`.";
    DispatchTooLarge, Error, Execution,
        "nothing was run, for there are too many groups",
        "Dispatch at most 65,535 groups in each dimension.";
    DispatchMapped, Error, Execution,
        "nothing was run, for a bound resource is mapped",
        "Unmap it first.";
    DispatchUnorderedAccessNotSet, Warning, Execution,
        "an unordered-access view that the shader uses is not set",
        "It reads as zero, and what is written to it is lost.";
    DispatchUnorderedAccessMismatch, Warning, Execution,
        "an unordered-access view is not what the shader declares",
        "Give the buffer the stride of the shader's elements.";
    DrawUnsupported, Error, Execution,
        "a draw or copy was ignored, for the device cannot do it",
        "The reason names what is missing.";
    DrawVertexBufferNotSet, Warning, Execution,
        "a vertex buffer that the input layout reads is not set, or too small for the draw",
        "Its elements read as zero.";
    DrawConstantBufferNotSet, Warning, Execution,
        "a constant buffer that the shader reads is not set",
        "It reads as zero.";
    DrawConstantBufferTooSmall, Warning, Execution,
        "a constant buffer is smaller than the shader's block",
        "What lies beyond its end reads as zero.";
    DrawShaderResourceNotSet, Warning, Execution,
        "a shader resource that the shader reads is not set",
        "It reads as zero.";
    DrawShaderResourceMismatch, Error, Execution,
        "a shader resource is not of the kind that the shader declares, and reads as zero",
        "Make a view of the shader's dimension, and of a format of its type.";
    DrawSamplerNotSet, Warning, Execution,
        "a sampler that the shader uses is not set",
        "The default sampler is used.";
    DrawSamplerMismatch, Error, Execution,
        "a sampler compares and the shader's does not, or the other way round",
        "Set a sampler of the shader's kind.";
    DrawRenderTargetMismatch, Error, Execution,
        "the pixel shader's output is not of the type of the render target",
        "Float outputs go to float and normalised formats, integers to integer formats of the same sign.";
    DrawViewportNotSet, Warning, Execution,
        "nothing was drawn, for there is no viewport",
        "Set one with `rs_set_viewports`.";

    // Clears, copies, maps.
    ClearDepthStencilViewInvalid, Error, Execution,
        "the depth-stencil view was not cleared",
        "The flags name at least one plane, and depth is a number, 0 to 1.";
    CopyResourceInvalid, Error, ResourceManipulation,
        "the resource was not copied",
        "Both need the same kind, size, mip levels, slices and samples, and formats of one family.";
    CopySubresourceRegionInvalid, Error, ResourceManipulation,
        "the region was not copied",
        "The box must lie inside the source, and its image inside the destination.";
    UpdateSubresourceInvalid, Error, ResourceManipulation,
        "the subresource was not updated",
        "The destination needs default usage, the box must lie inside, and the data must be long enough.";
    GenerateMipsInvalid, Error, ResourceManipulation,
        "mip levels were not generated",
        "The texture needs GENERATE_MIPS, and a format that can be filtered and rendered to.";
    MapInvalid, Error, ResourceManipulation,
        "the resource was not mapped",
        "Read and write are for staging resources, discard and no-overwrite for dynamic ones.";
    UnmapInvalid, Error, ResourceManipulation,
        "the resource was not unmapped",
        "Unmap on the context that mapped it.";

    // Queries, lists, events.
    BeginInvalid, Error, Execution,
        "the query was not begun",
        "Event queries only end.";
    BeginDuplicate, Warning, Execution,
        "a query that was begun has begun again, and what it had seen is forgotten",
        "End it first.";
    GetDataInvalid, Error, Execution,
        "the query has no answer",
        "End the query first, and ask the immediate context.";
    FinishCommandListOpenQuery, Warning, Execution,
        "a query was ended with the recording in which it was begun",
        "Begin and end queries within one recording.";
    ExecuteCommandListMappedResource, Error, Execution,
        "the command list was not executed, for a resource that it uses is mapped",
        "Unmap it first.";
    ExecuteCommandListBegunQuery, Error, Execution,
        "the command list was not executed, for a query that it uses is begun",
        "End it first.";
    EndEventWithoutBegin, Warning, Execution,
        "an event was ended that was not begun",
        "Begin and end events in pairs, within one recording.";

    // What comes from below.
    PresentInvalid, Error, Execution,
        "nothing was presented",
        "The swap chain must be of the context's device, and the sync interval 0 to 4.";
    DeviceRemoved, Error, Execution,
        "the device was removed",
        "Create a new device; nothing of the old one works any more.";
    RecordingOutOfMemory, Error, Execution,
        "the recording ran out of memory and is lost",
        "`finish_command_list` will say so; afterwards the context can be used again.";
    DriverBug, Corruption, Miscellaneous,
        "the driver broke its contract",
        "This is a mistake of the driver's, not of the application's: please report it.";
    DriverApplicationError, Error, Execution,
        "the driver blames the application",
        "The call was ignored.";
}

impl MessageId {
    pub(super) fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        self.row().severity
    }

    /// What it is about.
    pub fn category(self) -> Category {
        self.row().category
    }

    /// What happened, without details.
    pub fn what(self) -> &'static str {
        self.row().what
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        self.row().advice
    }
}
