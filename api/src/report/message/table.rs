//! The messages of the debug layer: one table row for each message identifier.

/// The severity of a message (D3D11: `D3D11_MESSAGE_SEVERITY`, with the same values).
#[doc(alias = "D3D11_MESSAGE_SEVERITY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Severity {
    /// The driver broke its contract, so later results are unreliable.
    Corruption = 0,
    /// A call was ignored or rejected.
    Error = 1,
    /// A call is legal but probably a mistake.
    Warning = 2,
    /// Information that does not indicate a mistake.
    Info = 3,
    /// A message of the application itself.
    Message = 4,
}

impl Severity {
    /// All severities, most severe first.
    pub const ALL: [Self; 5] = [Self::Corruption, Self::Error, Self::Warning, Self::Info, Self::Message];

    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The category of a message (D3D11: `D3D11_MESSAGE_CATEGORY`, with the same values).
#[doc(alias = "D3D11_MESSAGE_CATEGORY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// Messages of the application itself.
    ApplicationDefined = 0,
    /// Messages that fit no other category.
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

impl Category {
    pub(super) const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// One row of the table.
pub(super) struct MessageRow {
    pub(super) severity: Severity,
    pub(super) category: Category,
    /// The event, as a clause without a full stop, followed by the details.
    pub(super) what: &'static str,
    /// The effect or the fix, in complete sentences, if it is the same for every cause, or empty, in which
    /// case the details end with the fix.
    pub(super) advice: &'static str,
}

macro_rules! messages {
    ($(
        $id:ident, $severity:ident, $category:ident, $what:literal, $advice:literal
        $(, [$($d3d11:literal),+ $(,)?])?;
    )*) => {
        /// Identifies a message (D3D11: `D3D11_MESSAGE_ID`). Each kind of call has one identifier for invalid
        /// arguments, whatever their cause.
        ///
        /// The documentation of an identifier lists the Direct3D 11 identifiers with the same cause, if there
        /// are any.
        #[doc(alias = "D3D11_MESSAGE_ID")]
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum MessageId {
            $(
                #[doc = concat!(stringify!($severity), ": ", $what, ". ", $advice)]
                $(
                    #[doc = concat!("\n\nD3D11:" $(, " `", $d3d11, "`")+)]
                    $(#[doc(alias = $d3d11)])+
                )?
                $id,
            )*
        }

        impl MessageId {
            /// All identifiers, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$id),*];
        }

        /// The table of messages, in the order of their identifiers.
        pub(super) const TABLE: &[MessageRow] = &[$(
            MessageRow {
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
        "",
        ["D3D11_MESSAGE_ID_STRING_FROM_APPLICATION"];

    // Creating devices and objects.
    SoftwareAdapter, Warning, Initialization,
        "rendering falls back to the CPU, because the driver found no usable GPU",
        "";
    CreateDeferredContextInvalid, Error, Initialization,
        "the deferred context was not created",
        "";
    CreateBufferInvalid, Error, StateCreation,
        "the buffer was not created",
        "";
    CreateTexture1dInvalid, Error, StateCreation,
        "the 1D texture was not created",
        "";
    CreateTexture2dInvalid, Error, StateCreation,
        "the texture was not created",
        "";
    CreateTexture3dInvalid, Error, StateCreation,
        "the 3D texture was not created",
        "";
    CreateShaderResourceViewInvalid, Error, StateCreation,
        "the shader-resource view was not created",
        "";
    CreateRenderTargetViewInvalid, Error, StateCreation,
        "the render-target view was not created",
        "";
    CreateDepthStencilViewInvalid, Error, StateCreation,
        "the depth-stencil view was not created",
        "";
    CreateUnorderedAccessViewInvalid, Error, StateCreation,
        "the unordered-access view was not created",
        "";
    CreateInputLayoutInvalid, Error, StateCreation,
        "the input layout was not created",
        "";
    CreateShaderInvalid, Error, Compilation,
        "the shader was not created",
        "";
    ShaderCompilerWarning, Warning, Compilation,
        "the compiler warns about the shader",
        "";
    CreateStateInvalid, Error, StateCreation,
        "the state object was not created",
        "";
    CreateQueryInvalid, Error, StateCreation,
        "the query was not created",
        "";
    CreateSwapChainInvalid, Error, Initialization,
        "the swap chain was not created",
        "";
    ResizeBuffersInvalid, Error, Initialization,
        "the back buffers of the swap chain were not resized",
        "";

    // Binding.
    ForeignObject, Error, StateSetting,
        "an object of another device was used, and the call was ignored",
        "Objects belong to the device that created them: make this one with the context's device.";
    SetConstantBuffersInvalid, Error, StateSetting,
        "constant buffers were not set",
        "";
    SetConstantBuffers1Invalid, Error, StateSetting,
        "constant buffers with offsets were not set",
        "";
    SetShaderResourcesInvalid, Error, StateSetting,
        "shader resources were not set",
        "";
    SetShaderResourcesHazard, Warning, StateSetting,
        "a shader-resource slot was left empty, because its resource is bound as an output",
        "Unbind the output first. A depth texture can be bound for both through a read-only depth-stencil view.",
        [
            "D3D11_MESSAGE_ID_DEVICE_VSSETSHADERRESOURCES_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_HSSETSHADERRESOURCES_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_DSSETSHADERRESOURCES_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_GSSETSHADERRESOURCES_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_PSSETSHADERRESOURCES_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_CSSETSHADERRESOURCES_HAZARD",
        ];
    SetSamplersInvalid, Error, StateSetting,
        "samplers were not set",
        "";
    SetVertexBuffersInvalid, Error, StateSetting,
        "vertex buffers were not set",
        "";
    SetVertexBuffersHazard, Warning, StateSetting,
        "a vertex buffer was not set, because it is bound as an output",
        "Unbind the output before its buffer is read.",
        ["D3D11_MESSAGE_ID_DEVICE_IASETVERTEXBUFFERS_HAZARD"];
    SetIndexBufferInvalid, Error, StateSetting,
        "the index buffer was not set",
        "";
    SetIndexBufferHazard, Warning, StateSetting,
        "the index buffer was not set, because it is bound as an output",
        "Unbind the output before its buffer is read.",
        ["D3D11_MESSAGE_ID_DEVICE_IASETINDEXBUFFER_HAZARD"];
    SetRenderTargetsInvalid, Error, StateSetting,
        "render targets were not set",
        "";
    SetRenderTargetsHazard, Warning, StateSetting,
        "views of a new render target's resource were unbound from other slots",
        "Unbind them before you bind their resource as a target.",
        ["D3D11_MESSAGE_ID_DEVICE_OMSETRENDERTARGETS_HAZARD"];
    SetUnorderedAccessViewsInvalid, Error, StateSetting,
        "unordered-access views were not set",
        "";
    SetUnorderedAccessViewsHazard, Warning, StateSetting,
        "views of a new unordered-access view's resource were unbound from other slots",
        "Unbind them before you bind their resource for writing.",
        [
            "D3D11_MESSAGE_ID_DEVICE_CSSETUNORDEREDACCESSVIEWS_HAZARD",
            "D3D11_MESSAGE_ID_DEVICE_OMSETRENDERTARGETSANDUNORDEREDACCESSVIEWS_HAZARD",
        ];
    SetStreamTargetsInvalid, Error, StateSetting,
        "stream-output targets were not set",
        "";
    SetStreamTargetsHazard, Warning, StateSetting,
        "the buffer of a new stream-output target was unbound from other slots",
        "Unbind the buffer before you bind it as a target.",
        ["D3D11_MESSAGE_ID_DEVICE_SOSETTARGETS_HAZARD"];
    SetViewportsInvalid, Error, StateSetting,
        "viewports were not set",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_RSSETVIEWPORTS_INVALIDVIEWPORT"];
    SetScissorRectsInvalid, Error, StateSetting,
        "scissor rectangles were not set",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_RSSETSCISSORRECTS_INVALIDSCISSOR"];

    // Drawing.
    DrawNoVertexShader, Error, Execution,
        "nothing was drawn, because there is no vertex shader",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_VERTEX_SHADER_NOT_SET"];
    DrawNoInputLayout, Error, Execution,
        "nothing was drawn, because the vertex shader has inputs and there is no input layout",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_INPUTLAYOUT_NOT_SET"];
    DrawInputLayoutMismatch, Error, Execution,
        "nothing was drawn, because the input layout does not feed the vertex shader",
        "Create the layout with this vertex shader, or with one of the same inputs.";
    DrawLinkage, Error, Shader,
        "nothing was drawn, because a shader's inputs do not match the outputs of the shader before it",
        "Give both the same declarations.";
    DrawLinkageSemantics, Error, Shader,
        "a stage reads values that the previous stage does not write",
        "Stages are connected by register. Declare the same semantics in the same order, ideally as one structure that both \
         shaders use, and write every component that the next stage reads.",
        [
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_SEMANTICNAME_NOT_FOUND",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_REGISTERINDEX",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_COMPONENTTYPE",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_REGISTERMASK",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_SYSTEMVALUE",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_NEVERWRITTEN_ALWAYSREADS",
            "D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_MINPRECISION",
        ];
    DrawTopologyUndefined, Error, Execution,
        "nothing was drawn, because the primitive topology is undefined",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_INVALID_PRIMITIVETOPOLOGY"];
    DrawNoHullShader, Error, Execution,
        "nothing was drawn, because no bound shader reads patches",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_RASTERIZING_CONTROL_POINTS"];
    DrawHullXorDomainShader, Error, Execution,
        "nothing was drawn, because the hull or the domain shader is missing",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_HS_XOR_DS_MISMATCH"];
    DrawHullTopologyMismatch, Error, Execution,
        "nothing was drawn, because the topology has no patches for the hull shader",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_HULL_SHADER_INPUT_TOPOLOGY_MISMATCH"];
    DrawTessellatorDomainMismatch, Error, Execution,
        "nothing was drawn, because the hull and the domain shader have different domains",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_HS_DS_TESSELLATOR_DOMAIN_MISMATCH"];
    DrawControlPointCountMismatch, Error, Execution,
        "nothing was drawn, because the hull and the domain shader have different numbers of control points",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_HS_DS_CONTROL_POINT_COUNT_MISMATCH"];
    DrawHullDomainLinkage, Error, Shader,
        "nothing was drawn, because the domain shader's inputs do not match the hull shader's outputs",
        "Declare the same control points and patch constants in both, ideally as structures that both shaders use.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_HS_DS_SIGNATURE_MISMATCH"];
    DrawGeometryInputMismatch, Error, Execution,
        "nothing was drawn, because the geometry shader processes other primitives",
        "Set a topology of its primitives with `ia_set_primitive_topology`, or bind another shader with `gs_set_shader`.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_GS_INPUT_PRIMITIVE_MISMATCH"];
    DrawNoPosition, Error, Execution,
        "nothing was drawn, because a geometry or domain shader gives its vertices no position",
        "Write `SV_Position` (`@builtin(position)` in WGSL) in the vertices that are rasterized.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_POSITION_NOT_PRESENT"];
    DrawStreamOutputMismatch, Error, Execution,
        "nothing was drawn, because the last shader lacks outputs that stream output writes to buffers",
        "Bind the vertex or domain shader from which the stream-output shader was created, or one with the same outputs.";
    DrawStreamTargetNotSet, Warning, Execution,
        "a draw writes no vertices to buffers, because one of its buffers is not bound",
        "";
    DrawAutoInvalid, Error, Execution,
        "nothing was drawn, because vertex buffer 0 cannot tell its number of vertices",
        "";
    DrawNoTargets, Warning, Execution,
        "nothing was drawn, because there is no target",
        "";
    DrawBackBufferUnbound, Warning, Execution,
        "no colour was drawn, because the back buffer is not bound",
        "";
    DrawDepthNotCleared, Warning, Execution,
        "the depth buffer hides what is drawn, because it was never cleared",
        "";
    DrawIndexedNoIndexBuffer, Error, Execution,
        "nothing was drawn, because there is no index buffer",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_INDEX_BUFFER_NOT_SET"];
    DrawMapped, Error, Execution,
        "nothing was drawn, because a bound resource is mapped",
        "Unmap it first.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_BOUND_RESOURCE_MAPPED"];
    DrawIndirectInvalid, Error, Execution,
        "nothing was drawn, because the arguments cannot be read",
        "",
        [
            "D3D11_MESSAGE_ID_DEVICE_DRAWINDIRECT_INVALID_ARG_BUFFER",
            "D3D11_MESSAGE_ID_DEVICE_DRAWINDIRECT_OFFSET_UNALIGNED",
            "D3D11_MESSAGE_ID_DEVICE_DRAWINDIRECT_OFFSET_OVERFLOW",
        ];
    DispatchNoComputeShader, Error, Execution,
        "nothing was run, because there is no compute shader",
        "";
    DispatchTooLarge, Error, Execution,
        "nothing was run, because there are too many groups",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DISPATCH_THREADGROUPCOUNT_OVERFLOW"];
    DispatchIndirectInvalid, Error, Execution,
        "nothing was run, because the arguments cannot be read",
        "",
        [
            "D3D11_MESSAGE_ID_DEVICE_DISPATCHINDIRECT_INVALID_ARG_BUFFER",
            "D3D11_MESSAGE_ID_DEVICE_DISPATCHINDIRECT_OFFSET_UNALIGNED",
            "D3D11_MESSAGE_ID_DEVICE_DISPATCHINDIRECT_OFFSET_OVERFLOW",
        ];
    DispatchMapped, Error, Execution,
        "nothing was run, because a bound resource is mapped",
        "Unmap it first.",
        ["D3D11_MESSAGE_ID_DEVICE_DISPATCH_BOUND_RESOURCE_MAPPED"];
    DispatchUnorderedAccessNotSet, Warning, Execution,
        "an unordered-access view that the shader uses is not set",
        "Reads return zero, and writes are lost.",
        ["D3D11_MESSAGE_ID_DEVICE_UNORDEREDACCESSVIEW_NOT_SET"];
    DispatchUnorderedAccessMismatch, Warning, Execution,
        "an unordered-access view does not match the shader's declaration",
        "";
    DrawUnsupported, Error, Execution,
        "a draw or copy was skipped or is inexact, because the device does not support it",
        "";
    DrawsAlone, Info, Execution,
        "draws that differ only in their constants could be cheaper",
        "";
    DrawVertexBufferNotSet, Warning, Execution,
        "a vertex buffer that the input layout reads is not set",
        "Its elements read as zero.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_VERTEX_BUFFER_NOT_SET"];
    DrawVertexBufferTooSmall, Warning, Execution,
        "a vertex buffer is too small for the draw",
        "Reads past its end return zero.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_VERTEX_BUFFER_TOO_SMALL"];
    DrawVertexStrideZero, Warning, Execution,
        "all vertices of the draw are identical, because the strides of their buffers are 0",
        "";
    DrawVertexStrideTooShort, Warning, Execution,
        "a vertex element extends past the stride of its buffer",
        "The element includes bytes of the next vertex.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_VERTEX_BUFFER_STRIDE_TOO_SMALL"];
    DrawIndexBufferTooSmall, Warning, Execution,
        "the index buffer is too small for the draw",
        "Indices past its end are 0.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_INDEX_BUFFER_TOO_SMALL"];
    DrawConstantBufferNotSet, Warning, Execution,
        "a constant buffer that the shader reads is not set",
        "It reads as zero.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_CONSTANT_BUFFER_NOT_SET"];
    DrawConstantBufferTooSmall, Warning, Execution,
        "a constant buffer is smaller than the shader's block",
        "Reads past its end return zero.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_CONSTANT_BUFFER_TOO_SMALL"];
    DrawShaderResourceNotSet, Warning, Execution,
        "a shader resource that the shader reads is not set",
        "It reads as zero.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_SHADERRESOURCEVIEW_NOT_SET"];
    DrawShaderResourceMismatch, Error, Execution,
        "a shader resource does not have the type that the shader declares",
        "",
        [
            "D3D11_MESSAGE_ID_DEVICE_DRAW_VIEW_DIMENSION_MISMATCH",
            "D3D11_MESSAGE_ID_DEVICE_DRAW_RESOURCE_RETURN_TYPE_MISMATCH",
        ];
    DrawSamplerNotSet, Warning, Execution,
        "a sampler that the shader uses is not set",
        "The default sampler is used.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_SAMPLER_NOT_SET"];
    DrawSamplerMismatch, Error, Execution,
        "either the bound sampler or the shader's declaration is a comparison sampler, but not both",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_SAMPLER_MISMATCH"];
    DrawRenderTargetMismatch, Warning, Execution,
        "the pixel shader's output does not have the type of the render target",
        "The output's bits are stored unconverted.",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_PS_OUTPUT_TYPE_MISMATCH"];
    DrawRenderTargetNotSet, Warning, Execution,
        "an output of the pixel shader is lost, because no render target is bound in its slot",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_RENDERTARGETVIEW_NOT_SET"];
    DrawDualSourceInvalid, Error, Execution,
        "nothing was drawn, because dual-source blending is not possible",
        "";
    DrawStencilNotSet, Warning, Execution,
        "the stencil test passes everywhere, because no stencil is bound",
        "";
    DrawViewportNotSet, Warning, Execution,
        "nothing was drawn, because there is no viewport",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_DRAW_VIEWPORT_NOT_SET"];
    DrawViewportEmpty, Warning, Execution,
        "nothing was drawn, because the viewport covers no pixel of the target",
        "";
    DrawScissorEmpty, Warning, Execution,
        "nothing was drawn, because the scissor rectangle covers no pixel of the target",
        "";
    DrawNoPixelShader, Warning, Execution,
        "no colour was drawn, because there is no pixel shader",
        "";
    DrawNothingWritten, Warning, Execution,
        "nothing was drawn, because the state disables writes to every target",
        "";

    // Clears, copies, maps.
    ClearDepthStencilViewInvalid, Error, Execution,
        "the depth-stencil view was not cleared",
        "",
        ["D3D11_MESSAGE_ID_CLEARDEPTHSTENCILVIEW_INVALID"];
    CopyResourceInvalid, Error, ResourceManipulation,
        "the resource was not copied",
        "";
    CopySubresourceRegionInvalid, Error, ResourceManipulation,
        "the region was not copied",
        "";
    ClearUnorderedAccessViewInvalid, Error, ResourceManipulation,
        "the unordered-access view was not cleared",
        "",
        ["D3D11_MESSAGE_ID_CLEARUNORDEREDACCESSVIEWFLOAT_INVALIDFORMAT"];
    ClearViewInvalid, Error, ResourceManipulation,
        "the view was not cleared",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_CLEARVIEW_INVALIDVIEW"];
    DiscardInvalid, Error, ResourceManipulation,
        "the resource was not discarded",
        "";
    CopyStructureCountInvalid, Error, ResourceManipulation,
        "the counter was not copied",
        "",
        [
            "D3D11_MESSAGE_ID_COPYSTRUCTURECOUNT_INVALIDOFFSET",
            "D3D11_MESSAGE_ID_COPYSTRUCTURECOUNT_INVALIDDESTINATIONSTATE",
            "D3D11_MESSAGE_ID_COPYSTRUCTURECOUNT_INVALIDSOURCESTATE",
        ];
    ResolveSubresourceInvalid, Error, ResourceManipulation,
        "the subresource was not resolved",
        "",
        [
            "D3D11_MESSAGE_ID_DEVICE_RESOLVESUBRESOURCE_SOURCE_INVALID",
            "D3D11_MESSAGE_ID_DEVICE_RESOLVESUBRESOURCE_DESTINATION_INVALID",
            "D3D11_MESSAGE_ID_DEVICE_RESOLVESUBRESOURCE_FORMAT_INVALID",
        ];
    UpdateSubresourceInvalid, Error, ResourceManipulation,
        "the subresource was not updated",
        "";
    UpdateSubresourceRowsOverlap, Warning, ResourceManipulation,
        "the rows of an update overlap in memory",
        "Pass the distance in bytes from one row to the next.";
    GenerateMipsInvalid, Error, ResourceManipulation,
        "mip levels were not generated",
        "",
        ["D3D11_MESSAGE_ID_DEVICE_GENERATEMIPS_RESOURCE_INVALID"];
    SetResourceMinLodInvalid, Error, ResourceManipulation,
        "the minimum LOD of a texture was not set",
        "Create the texture with `MiscFlags::RESOURCE_CLAMP`, and pass a finite number.",
        [
            "D3D11_MESSAGE_ID_DEVICE_SETRESOURCEMINLOD_INVALIDMINLOD",
            "D3D11_MESSAGE_ID_DEVICE_SETRESOURCEMINLOD_INVALIDRESOURCE",
        ];
    MapInvalid, Error, ResourceManipulation,
        "the resource was not mapped",
        "";
    MapOutOfRange, Error, ResourceManipulation,
        "an access to mapped memory was ignored",
        "";
    MapReadOnlyWritten, Warning, ResourceManipulation,
        "memory that is mapped for reading was borrowed for writing",
        "";
    UnmapInvalid, Error, ResourceManipulation,
        "this context has no map for that token",
        "";

    // Queries, lists, events.
    BeginInvalid, Error, Execution,
        "the query was not begun",
        "";
    EndInvalid, Error, Execution,
        "the query was not ended",
        "";
    SetPredicationInvalid, Error, Execution,
        "the predicate was not set",
        "";
    BeginDuplicate, Warning, Execution,
        "a query was begun twice, so its first result is lost",
        "End it first.",
        ["D3D11_MESSAGE_ID_QUERY_BEGIN_DUPLICATE"];
    EndWithoutBegin, Warning, Execution,
        "a query was ended without a begin, so its result is empty",
        "Call `begin` on the same context, before the commands to measure.",
        ["D3D11_MESSAGE_ID_QUERY_END_DUPLICATE"];
    TimestampOutsideDisjoint, Warning, Execution,
        "a timestamp was taken outside any disjoint query",
        "Begin a `QueryType::TimestampDisjoint` query before the timestamps and end it after them. Its result has the ticks \
         per second, and says whether the clock was stable.";
    GetDataInvalid, Error, Execution,
        "the query's result was not returned",
        "",
        ["D3D11_MESSAGE_ID_QUERY_GETDATA_INVALID_CALL"];
    FinishCommandListOpenQuery, Warning, Execution,
        "an open query was ended by the end of its recording",
        "Begin and end queries within one recording.";
    ExecuteCommandListMappedResource, Error, Execution,
        "the command list was not executed, because a resource that it uses is mapped",
        "Unmap it first.";
    ExecuteCommandListBegunQuery, Error, Execution,
        "the command list was not executed, because a query that it uses is begun",
        "End it first.";
    EndEventWithoutBegin, Warning, Execution,
        "an event was ended without a begin",
        "Begin and end events in pairs, within one recording.";

    // Reports that the application requests.
    LiveObjectSummary, Warning, StateCreation,
        "the device's live objects were counted",
        "",
        ["D3D11_MESSAGE_ID_LIVE_OBJECT_SUMMARY"];
    LiveObject, Warning, StateCreation,
        "an object of the device is alive",
        "";

    // Events of the driver and the device.
    PresentInvalid, Error, Execution,
        "nothing was presented",
        "";
    DeviceRemoved, Error, Execution,
        "the device was removed",
        "Create a new device, because no object of the old one works.";
    RecordingOutOfMemory, Error, Execution,
        "the recording ran out of memory and is lost",
        "`finish` returns this as an error, and the context can then be used again.";
    DriverBug, Corruption, Miscellaneous,
        "the driver broke its contract",
        "This is a bug in the driver, not in the application. Please report it.";
    DriverApplicationError, Error, Execution,
        "the driver rejected a call",
        "The call was ignored.";
}

impl MessageId {
    pub(super) fn row(self) -> &'static MessageRow {
        &TABLE[self as usize]
    }

    /// The severity of messages with this identifier, unless the application adds one with another severity.
    pub fn severity(self) -> Severity {
        self.row().severity
    }

    /// The category of messages with this identifier, unless the application adds one with another category.
    pub fn category(self) -> Category {
        self.row().category
    }

    /// The event, as a clause without the details.
    pub fn what(self) -> &'static str {
        self.row().what
    }

    /// The effect or the fix, if it is the same for every cause, or empty, in which case the message's
    /// description ends with the fix.
    pub fn advice(self) -> &'static str {
        self.row().advice
    }
}
