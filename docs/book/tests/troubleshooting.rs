//! Checks that the book's list of messages, `src/messages.md`, matches the debug layer. If
//! `ONZE_UPDATE_REFERENCES` is set, the test writes the file.
//!
//! The library's message table has the text that is common to all causes of a message. If a message has
//! several causes, its details name the actual cause and the fix, and [`CAUSES`] lists the usual causes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;

use onze::{Category, MessageId, Severity};

/// The sections of the chapter, in order, with the categories of their messages.
const GROUPS: [(&str, &[Category]); 5] = [
    (
        "Creating devices and objects",
        &[Category::Initialization, Category::StateCreation, Category::Compilation],
    ),
    ("Binding", &[Category::StateSetting]),
    ("Draws, dispatches, lists and queries", &[Category::Execution, Category::Shader]),
    ("Copies, updates and maps", &[Category::ResourceManipulation]),
    (
        "Others",
        &[Category::ApplicationDefined, Category::Miscellaneous, Category::Cleanup, Category::StateGetting],
    ),
];

/// The usual causes of messages, with their fixes. Every message without advice in the library's table needs
/// a row.
const CAUSES: &[(MessageId, &str)] = &[
    (MessageId::ApplicationMessage, "The program called `InfoQueue::add_application_message`."),
    (
        MessageId::SoftwareAdapter,
        "The machine has no GPU, or the GPU's driver is not installed. A program that is meant to run on the CPU \
         requests `DriverType::Software`.",
    ),
    (
        MessageId::CreateDeferredContextInvalid,
        "The device was removed, or it was created with `DeviceDesc::single_threaded`: clear this flag.",
    ),
    (
        MessageId::CreateBufferInvalid,
        "The size is 0, or the size of a constant buffer is not a multiple of 16; the usage does not allow the CPU \
         access; an immutable buffer has no contents; the contents are shorter than the buffer; or the device does \
         not support a bind flag. `BufferDesc::dynamic`, `immutable`, `staging` and `structured` create descriptors \
         with compatible fields.",
    ),
    (
        MessageId::CreateTexture1dInvalid,
        "The width is 0 or above 16384; there are more than 2048 slices, or more mip levels than the width allows; \
         the format is compressed, cannot be bound as requested or is missing on the adapter; or contents are too \
         short or missing for some subresources.",
    ),
    (
        MessageId::CreateTexture2dInvalid,
        "The size is 0 or too large; there are more mip levels than the size allows; the format cannot be bound as \
         requested or is missing on the adapter; contents are too short or missing for some subresources; or the \
         file is damaged, or the crate's feature for its file format is off.",
    ),
    (
        MessageId::CreateTexture3dInvalid,
        "A side is 0 or above 2048; there are more mip levels than the size allows; the format has depth or stencil; \
         the format cannot be bound as requested or is missing on the adapter; or contents are missing for some mip \
         levels or too short for their two pitches.",
    ),
    (
        MessageId::CreateShaderResourceViewInvalid,
        "The resource was created without `BindFlags::SHADER_RESOURCE`; mips, slices or elements are out of range; \
         the format does not belong to the texture's family; or a structured buffer has no stride.",
    ),
    (
        MessageId::CreateRenderTargetViewInvalid,
        "The texture was created without `BindFlags::RENDER_TARGET`; the mip or the slices are out of range; or the \
         format cannot be a render target or does not belong to the texture's family.",
    ),
    (
        MessageId::CreateDepthStencilViewInvalid,
        "The texture was created without `BindFlags::DEPTH_STENCIL`; the mip or the slices are out of range; or the \
         format is not a depth format. A texture that shaders also read needs a typeless format. \
         `create_depth_target` creates such a texture with both views.",
    ),
    (
        MessageId::CreateUnorderedAccessViewInvalid,
        "The resource was created without `BindFlags::UNORDERED_ACCESS`; elements or slices are out of range; \
         shaders cannot write the format; or a raw view lacks `MiscFlags::BUFFER_ALLOW_RAW_VIEWS` on its buffer.",
    ),
    (
        MessageId::CreateInputLayoutInvalid,
        "An input of the vertex shader has no element: name an element, or a field of the `Vertex`, after the input. \
         Otherwise, an element's format does not convert to the input's type, or two elements have the same \
         semantic.",
    ),
    (
        MessageId::CreateShaderInvalid,
        "The source does not compile, and the details contain the line; its language is not the one that the \
         constructor expects; no entry point has that name and stage; in WGSL, a `@group` is not 0 to 4 or a \
         `@binding` is not a slot of its class; or the shader needs a feature that the device lacks.",
    ),
    (
        MessageId::ShaderCompilerWarning,
        "An HLSL program compiled, but probably does not do what its author intended. The details contain the line \
         and FXC's number. `#pragma warning(disable: 3206)` switches that warning off.",
    ),
    (
        MessageId::CreateStateInvalid,
        "A number is out of range, such as an anisotropy above 16, or the device lacks the feature that the details \
         name.",
    ),
    (MessageId::CreateQueryInvalid, "The device was removed, or memory is exhausted."),
    (
        MessageId::CreateSwapChainInvalid,
        "The size is 0, so wait until the window has a size; the format cannot be presented; the number of buffers \
         or frames is out of range; or the adapter cannot present to the window, so pass the window as \
         `DeviceDesc::window`.",
    ),
    (
        MessageId::ResizeBuffersInvalid,
        "The size is 0 because the window is minimised: wait until the window is restored. Otherwise, the back \
         buffer still has views or bindings: drop all clones of its texture and views. The view that \
         `SwapChain::render_target_view` returns is only borrowed, so it does not block a resize.",
    ),
    (
        MessageId::SetConstantBuffersInvalid,
        "A slot is above b13, or a buffer was created without `BindFlags::CONSTANT_BUFFER`. The call has no effect.",
    ),
    (
        MessageId::SetConstantBuffers1Invalid,
        "A cause of `SetConstantBuffersInvalid` applies; the number of ranges differs from the number of buffers; an \
         offset or count is not a multiple of 16 constants (256 bytes); or a count is above 4096.",
    ),
    (MessageId::SetShaderResourcesInvalid, "A slot is above t127."),
    (MessageId::SetSamplersInvalid, "A slot is above s15."),
    (
        MessageId::SetVertexBuffersInvalid,
        "A slot is above 31, a stride is above 2048 bytes, or a buffer was created without \
         `BindFlags::VERTEX_BUFFER`.",
    ),
    (
        MessageId::SetIndexBufferInvalid,
        "The format is neither `R16_UINT` nor `R32_UINT`, the offset is not a multiple of the format's size, or the \
         buffer was created without `BindFlags::INDEX_BUFFER`.",
    ),
    (
        MessageId::SetRenderTargetsInvalid,
        "There are more than 8 targets; two slots have the same subresource; targets differ in size, slices or \
         sample count; the depth-stencil view is smaller than the targets; or unordered-access views use slots of \
         targets.",
    ),
    (
        MessageId::SetUnorderedAccessViewsInvalid,
        "A slot is above u7, a render target has the slot, or two views overlap in a resource.",
    ),
    (
        MessageId::SetViewportsInvalid,
        "There are more than 16 viewports, a size is negative, a depth is not within 0 to 1, or a number is not \
         finite.",
    ),
    (
        MessageId::SetScissorRectsInvalid,
        "There are more than 16 rectangles, or the right or bottom side is before the left or top side.",
    ),
    (
        MessageId::DrawNoVertexShader,
        "`vs_set_shader` was not called on this context, or `clear_state`, `finish()` or `execute(list)` has unbound \
         everything since. A recording starts with nothing bound.",
    ),
    (
        MessageId::DrawNoInputLayout,
        "Set a layout with `ia_set_input_layout`. Only a vertex shader whose single input is `SV_VertexID` (WGSL: \
         `vertex_index`) needs no layout.",
    ),
    (
        MessageId::DrawLinkage,
        "For an input of the later shader, the shader before it has no output in the same register or location, or an \
         output of another type. This cannot happen if both shaders share one structure.",
    ),
    (
        MessageId::DrawLinkageSemantics,
        "Two HLSL shaders, or an input layout and an HLSL vertex shader, differ in semantics, registers or types. \
         The details list each input that differs, with its register. WGSL stages are linked by location and have \
         no semantics.",
    ),
    (
        MessageId::DrawTopologyUndefined,
        "Set a topology with `ia_set_primitive_topology`, because there is no default.",
    ),
    (
        MessageId::SetStreamTargetsInvalid,
        "There are more than 4 targets; a buffer lacks `BindFlags::STREAM_OUTPUT`; an offset is neither a multiple of 4 \
         nor `StreamOutputBinding::APPEND`; or a buffer is in two slots.",
    ),
    (
        MessageId::DrawStreamTargetNotSet,
        "The shader at the geometry stage writes vertices to a slot without a buffer. Bind a buffer for each slot of \
         its declaration with `so_set_targets`.",
    ),
    (
        MessageId::DrawAutoInvalid,
        "`draw_auto` needs a buffer with `BindFlags::STREAM_OUTPUT` and `BindFlags::VERTEX_BUFFER` in vertex buffer \
         slot 0.",
    ),
    (
        MessageId::DrawNoHullShader,
        "Bind a hull shader with `hs_set_shader` and a domain shader with `ds_set_shader`, bind a geometry shader whose \
         input is a patch of this size, or set a topology of points, lines or triangles with \
         `ia_set_primitive_topology`.",
    ),
    (
        MessageId::DrawHullXorDomainShader,
        "The tessellator needs both. Bind the other one with `hs_set_shader` or `ds_set_shader`, or unbind the one that \
         is bound to draw without tessellation.",
    ),
    (
        MessageId::DrawHullTopologyMismatch,
        "Set the patch list with the hull shader's number of input control points with `ia_set_primitive_topology`, or \
         unbind the hull and the domain shader to draw points, lines or triangles.",
    ),
    (
        MessageId::DrawTessellatorDomainMismatch,
        "Declare the same shape in both: `[domain(\"tri\")]`, `[domain(\"quad\")]` or `[domain(\"isoline\")]` in HLSL, a \
         `TessellatorDomain` for WGSL.",
    ),
    (
        MessageId::DrawControlPointCountMismatch,
        "`outputcontrolpoints` of the hull shader and the size of the domain shader's `OutputPatch` (in WGSL, \
         `output_control_points` and the length of the array) must be equal.",
    ),
    (MessageId::DrawHullDomainLinkage, "The details name the value, and whether it is a patch constant."),
    (
        MessageId::DrawGeometryInputMismatch,
        "After a domain shader, the geometry shader processes the points, lines or triangles that the tessellator \
         generates, which the hull shader chooses.",
    ),
    (
        MessageId::DrawNoTargets,
        "Bind a render target, a depth-stencil view or both with `om_set_render_targets`. There is no message while \
         an occlusion or pipeline-statistics query is open, because the draw counts for the query.",
    ),
    (
        MessageId::DrawBackBufferUnbound,
        "A present unbinds the back buffer. Bind `SwapChain::render_target_view` in each frame, as `Frame::begin` \
         does.",
    ),
    (
        MessageId::DrawDepthNotCleared,
        "A new depth buffer contains 0, the nearest depth. Clear it with `clear_depth_stencil` in each frame.",
    ),
    (
        MessageId::DrawIndexedNoIndexBuffer,
        "Bind an index buffer with `ia_set_indices` or `ia_set_index_buffer`, or call `draw`.",
    ),
    (
        MessageId::DrawIndirectInvalid,
        "The buffer was created without `MiscFlags::DRAWINDIRECT_ARGS`, the offset is not a multiple of 4, or the \
         arguments extend past the buffer.",
    ),
    (MessageId::DispatchNoComputeShader, "Bind a compute shader with `cs_set_shader`."),
    (
        MessageId::DispatchTooLarge,
        "A dimension has more than 65,535 groups: use a second dimension, or larger groups.",
    ),
    (
        MessageId::DispatchIndirectInvalid,
        "The causes are the same as for `DrawIndirectInvalid`, but the arguments are three numbers.",
    ),
    (
        MessageId::DispatchUnorderedAccessMismatch,
        "The elements of the view differ from the shader's declaration in size, type or format, or the view lacks \
         the counter that the shader uses: create it with `BufferUavFlags::COUNTER` or `APPEND`.",
    ),
    (
        MessageId::DrawUnsupported,
        "The adapter or Onze does not support a property of the call, such as targets of different sizes, strides \
         that are not multiples of 4, or a feature. The details name the property, and \
         `Device::check_feature_support` lists the missing features.",
    ),
    (
        MessageId::DrawsAlone,
        "Successive draws differ only in their constants, but cannot be made by index. The details name the reason, \
         and [How it works](how_it_works.md#draws-by-index) explains draws by index. The picture is correct.",
    ),
    (
        MessageId::DrawVertexStrideZero,
        "Set the stride of `VertexBufferBinding` to the number of bytes from one vertex to the next, or bind a typed \
         `VertexBuffer`.",
    ),
    (
        MessageId::DrawVertexStrideTooShort,
        "Set the stride of `VertexBufferBinding` to the size of a complete vertex, or bind a typed `VertexBuffer`.",
    ),
    (
        MessageId::DrawShaderResourceMismatch,
        "Examples: a cube map where the shader declares `Texture2D` (WGSL: `texture_2d`), an integer format for \
         `float` (`f32`), a colour format for a comparison, or a buffer with another stride. The message names the \
         declaration in the shader's language. Bind a view that matches, or change the declaration. If only the \
         component types differ, a texture or typed buffer is read as the bits of its components, unless it is \
         sampled or has a depth format. In all other cases, the resource reads as zero.",
    ),
    (
        MessageId::DrawSamplerMismatch,
        "`SamplerComparisonState` (WGSL: `sampler_comparison`) needs a sampler from `SamplerDesc::comparison`, and \
         `SamplerState` (`sampler`) needs a sampler without comparison.",
    ),
    (
        MessageId::DrawRenderTargetMismatch,
        "An example is a `float4` output (WGSL: `vec4f`) for a target in `R32_UINT`. Declare the output with the \
         target's type.",
    ),
    (
        MessageId::DrawRenderTargetNotSet,
        "Bind a target in that slot, or remove the output from the shader. A draw without any render target, and \
         slots with an empty write mask, are not reported.",
    ),
    (
        MessageId::DrawDualSourceInvalid,
        "A factor such as `Blend::Src1Color` needs a second output of the pixel shader and exactly one render \
         target. Add the output to the shader, unbind the other targets, or use another factor.",
    ),
    (
        MessageId::DrawStencilNotSet,
        "The depth-stencil state has `stencil_enable`, but the format of the depth-stencil view has no stencil. \
         Create the texture with `D24_UNORM_S8_UINT` or `D32_FLOAT_S8X24_UINT`.",
    ),
    (MessageId::DrawViewportNotSet, "Set a viewport with `rs_set_viewports`, as `Frame::begin` does."),
    (
        MessageId::DrawViewportEmpty,
        "The viewport has no area or is outside the target: set a viewport that covers the target.",
    ),
    (
        MessageId::DrawScissorEmpty,
        "The rasterizer state has `scissor_enable`, but no rectangle is set or the rectangle is outside the target.",
    ),
    (
        MessageId::DrawNoPixelShader,
        "Set a pixel shader with `ps_set_shader`. To draw only depth, pass `None`.",
    ),
    (
        MessageId::DrawNothingWritten,
        "The pixel shader has no output for the target's `SV_Target` (WGSL: `@location`), the blend state's write \
         mask is empty, or the sample mask is 0: pass `u32::MAX` to `om_set_blend_state`.",
    ),
    (MessageId::ClearDepthStencilViewInvalid, "The depth is NaN: pass 0.0 to 1.0."),
    (
        MessageId::CopyResourceInvalid,
        "Source and destination differ in size, mips or slices; their formats cannot be copied to each other; the \
         destination is immutable; one of them is mapped; or both are the same resource.",
    ),
    (
        MessageId::CopySubresourceRegionInvalid,
        "A subresource or the box is out of range; the box does not consist of complete blocks of a compressed \
         format; the formats cannot be copied to each other; or only a part of a depth texture is copied.",
    ),
    (
        MessageId::ClearUnorderedAccessViewInvalid,
        "Floats were passed for an integer format or for a structured or raw buffer: use \
         `clear_unordered_access_view_uint`.",
    ),
    (
        MessageId::ClearViewInvalid,
        "The view belongs to a structured or raw buffer, which has no format, or it contains both depth and stencil.",
    ),
    (MessageId::DiscardInvalid, "Only resources of default and dynamic usage can be discarded."),
    (
        MessageId::CopyStructureCountInvalid,
        "The view has no counter, the offset is not a multiple of 4, or the four bytes at the offset extend past the \
         end of the buffer.",
    ),
    (
        MessageId::ResolveSubresourceInvalid,
        "The source is not multisampled, or the destination is; the subresources differ in size; the destination \
         does not have default usage; or the passed format differs from the textures' format, or is an integer or \
         depth format.",
    ),
    (
        MessageId::UpdateSubresourceInvalid,
        "The resource is dynamic (map it), immutable or staging; the box is out of range; the data is too short for \
         its pitch; or the box covers only a part of a constant buffer: use `update_subresource1`.",
    ),
    (
        MessageId::GenerateMipsInvalid,
        "The texture was created without `MiscFlags::GENERATE_MIPS` or without one of the bind flags \
         `RENDER_TARGET` and `SHADER_RESOURCE`, or the format cannot be filtered.",
    ),
    (
        MessageId::MapInvalid,
        "Default and immutable resources cannot be mapped. Dynamic resources allow `WriteDiscard`, and dynamic \
         buffers also `WriteNoOverwrite`. Staging resources allow `Read` and `Write` according to their CPU access, \
         on the immediate context only. A resource that is already mapped cannot be mapped again.",
    ),
    (
        MessageId::MapOutOfRange,
        "A write extends past the mapped bytes, or their number is not a multiple of the size of a slice's element. \
         Textures have a row pitch, so write row by row.",
    ),
    (MessageId::MapReadOnlyWritten, "Map with `ReadWrite`, or borrow the bytes without `mut`."),
    (
        MessageId::UnmapInvalid,
        "The token of `map_owned` belongs to another context, was already unmapped, or its recording has ended.",
    ),
    (
        MessageId::LiveObjectSummary,
        "The program called `Device::report_live_device_objects`. The details count the live objects of each type.",
    ),
    (
        MessageId::LiveObject,
        "The program called `Device::report_live_device_objects`. The details name the owners of the object: clones \
         in the program, other objects, contexts and command lists. The next flush destroys objects that were \
         dropped.",
    ),
    (MessageId::BeginInvalid, "An event query has no begin: call only `end`, at the point to wait for."),
    (
        MessageId::EndInvalid,
        "The query predicates commands: call `set_predication` with `None` before you end the query again.",
    ),
    (
        MessageId::SetPredicationInvalid,
        "The query cannot predicate commands, or it is still open: end the query first.",
    ),
    (
        MessageId::GetDataInvalid,
        "The query was never ended, is still open, or belongs to another device. Call `end` first.",
    ),
    (
        MessageId::PresentInvalid,
        "The sync interval is above 4, the context belongs to another device, or the last resize failed: resize \
         again.",
    ),
];

#[test]
fn the_chapter_has_every_message_with_a_fix() {
    let page = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/messages.md");
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is out of date; run this test with ONZE_UPDATE_REFERENCES=1",
        path.display()
    );
}

/// Builds the text of the chapter.
fn page() -> String {
    let mut page = String::from(
        "# Messages\n\n\
         This chapter lists the messages of the debug layer by `MessageId`. Each entry has the event, its usual \
         causes and the fix. In a log, a message also contains the details: the call, the labels of the objects, and \
         the values.\n\n\
         * An **error** reports a call that was ignored or rejected.\n\
         * A **warning** reports a legal call that is probably a mistake.\n\
         * An **info** reports a fact that may be useful.\n\
         * **Corruption** reports a bug in the driver, not in the program.\n\n\
         If a call returns an `Error`, a message with the same text is stored in the info queue but not logged, \
         because the program handles or prints the error itself.\n",
    );
    let mut count = 0;
    for (title, categories) in GROUPS {
        write!(page, "\n## {title}\n").unwrap();
        for &id in MessageId::ALL.iter().filter(|id| categories.contains(&id.category())) {
            write!(page, "\n### {id:?}\n\n{}: {}.\n\n{}\n", severity(id), id.what(), cure(id)).unwrap();
            count += 1;
        }
    }
    assert_eq!(count, MessageId::ALL.len(), "each category must be in exactly one section");
    page
}

fn severity(id: MessageId) -> &'static str {
    match id.severity() {
        Severity::Corruption => "Corruption",
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Info",
        Severity::Message => "Message",
    }
}

/// Returns the library's advice, followed by the usual causes.
fn cure(id: MessageId) -> String {
    let causes = CAUSES.iter().find(|row| row.0 == id).map_or("", |row| row.1);
    assert!(!id.advice().is_empty() || !causes.is_empty(), "{id:?} has no advice; add a row to CAUSES");
    [id.advice(), causes].join(" ").trim().to_owned()
}
