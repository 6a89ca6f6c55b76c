//! The book's list of messages, `src/messages.md`, is what the debug layer can say. `ONZE_UPDATE_REFERENCES` has it written
//! again.
//!
//! What a message says in every case is in the library's table. Where causes differ, the library names the cause and the
//! cure with the details of the call; [`CAUSES`] has the usual ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;

use onze::{Category, MessageId, Severity};

/// The groups of the page, in the order of the page.
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

/// The usual causes of a message, each with its cure. Every message without advice of its own has a row.
const CAUSES: &[(MessageId, &str)] = &[
    (MessageId::ApplicationMessage, "The program has called `InfoQueue::add_application_message`."),
    (
        MessageId::SoftwareAdapter,
        "There is no GPU, or no driver for it: install one. A program that is meant to run so asks for \
         `DriverType::Software`.",
    ),
    (
        MessageId::CreateDeferredContextInvalid,
        "The device was made with `DeviceDesc::single_threaded`, or is removed. Leave the flag off.",
    ),
    (
        MessageId::CreateBufferInvalid,
        "The size is 0, or that of a constant buffer no multiple of 16; usage and CPU access do not fit together; \
         contents are missing for an immutable buffer, or have another length; a bind flag is not supported. \
         `BufferDesc::dynamic`, `immutable`, `staging` and `structured` set what belongs together.",
    ),
    (
        MessageId::CreateTexture1dInvalid,
        "The width is 0 or above 16384; there are more than 2048 slices, or more mip levels than the width has; the format \
         has blocks, or cannot be bound as asked, or the adapter lacks it; contents have another number of subresources or \
         are too short.",
    ),
    (
        MessageId::CreateTexture2dInvalid,
        "The size is 0 or too large; there are more mip levels than the size has; the format cannot be bound as asked, \
         or the adapter lacks it; contents have another number of subresources or are too short; the file is broken, or \
         the feature of the crate that reads it is off.",
    ),
    (
        MessageId::CreateTexture3dInvalid,
        "A side is 0 or above 2048; there are more mip levels than the size has; a 3D texture cannot hold depth or stencil; \
         the format cannot be bound as asked, or the adapter lacks it; contents have another number of mip levels, or are \
         too short for their two pitches.",
    ),
    (
        MessageId::CreateShaderResourceViewInvalid,
        "The resource was made without `BindFlags::SHADER_RESOURCE`; mips, slices or elements are out of range; the \
         format is not of the texture's family; a structured buffer has no stride.",
    ),
    (
        MessageId::CreateRenderTargetViewInvalid,
        "The texture was made without `BindFlags::RENDER_TARGET`; mip or slices are out of range; the format cannot be \
         drawn to, or is not of the texture's family.",
    ),
    (
        MessageId::CreateDepthStencilViewInvalid,
        "The texture was made without `BindFlags::DEPTH_STENCIL`; mip or slices are out of range; the format is no depth \
         format. A texture that is read as well is typeless, and `create_depth_target` makes both views.",
    ),
    (
        MessageId::CreateUnorderedAccessViewInvalid,
        "The resource was made without `BindFlags::UNORDERED_ACCESS`; elements or slices are out of range; shaders cannot \
         write the format; a raw view needs `MiscFlags::BUFFER_ALLOW_RAW_VIEWS`.",
    ),
    (
        MessageId::CreateInputLayoutInvalid,
        "An input of the vertex shader has no element: give the element the input's name as its semantic, or the \
         field of the `Vertex`. Or an element's format does not fit the input's type, or there are two of one semantic.",
    ),
    (
        MessageId::CreateShaderInvalid,
        "The source does not compile, and the details have the line; it is in another language than the constructor \
         takes; there is no entry point of that name and stage; in WGSL, a `@group` is none of 0 to 4, or a \
         `@binding` is beyond its class's slots; the shader needs what the device lacks.",
    ),
    (
        MessageId::ShaderCompilerWarning,
        "A program in HLSL is compiled, but may not be what its author meant: the details have the line and FXC's number. \
         `#pragma warning(disable: 3206)` switches one off.",
    ),
    (
        MessageId::CreateStateInvalid,
        "A number is out of range, such as an anisotropy above 16; a feature is missing, which the details name.",
    ),
    (MessageId::CreateQueryInvalid, "The device is removed, or memory is spent."),
    (
        MessageId::CreateSwapChainInvalid,
        "A size of 0: wait until the window has one. A format that cannot be presented, a number of buffers or frames out \
         of range, or an adapter that cannot present to the window: give the window to `DeviceDesc::window`.",
    ),
    (
        MessageId::ResizeBuffersInvalid,
        "A size of 0, as a minimised window has: wait. Or views or bindings of the back buffer are still there: drop \
         clones of its texture and views; `SwapChain::render_target_view` borrows, so that there are none.",
    ),
    (
        MessageId::SetConstantBuffersInvalid,
        "A slot beyond b13, or a buffer that was made without `BindFlags::CONSTANT_BUFFER`. The call changes \
         nothing.",
    ),
    (
        MessageId::SetConstantBuffers1Invalid,
        "As `SetConstantBuffersInvalid`; or there are more ranges than buffers, or fewer; or an offset or a \
         number of constants is no multiple of 16 constants, which are 256 bytes, or is beyond 4096 of them.",
    ),
    (MessageId::SetShaderResourcesInvalid, "A slot beyond t127."),
    (MessageId::SetSamplersInvalid, "A slot beyond s15."),
    (
        MessageId::SetVertexBuffersInvalid,
        "A slot beyond the last one, a stride beyond 2048 bytes, or a buffer that was made without \
         `BindFlags::VERTEX_BUFFER`.",
    ),
    (
        MessageId::SetIndexBufferInvalid,
        "A format that is neither `R16_UINT` nor `R32_UINT`, an offset that is no multiple of its size, or a \
         buffer that was made without `BindFlags::INDEX_BUFFER`.",
    ),
    (
        MessageId::SetRenderTargetsInvalid,
        "More than 8 targets, a subresource in two slots, targets of different sizes, slices or samples, a \
         depth-stencil view that is smaller, or unordered-access views in slots of targets.",
    ),
    (
        MessageId::SetUnorderedAccessViewsInvalid,
        "A slot beyond u7, one that a render target has, or two views of the same part of a resource.",
    ),
    (
        MessageId::SetViewportsInvalid,
        "More than 16, a negative size, depths outside of 0 to 1, or numbers that are not finite.",
    ),
    (MessageId::SetScissorRectsInvalid, "More than 16, or a side that lies before its opposite."),
    (
        MessageId::DrawNoVertexShader,
        "`vs_set_shader` was not called in this context, or `clear_state`, `finish()` or \
         `execute(list)` has unbound all. Lists begin with nothing bound.",
    ),
    (
        MessageId::DrawNoInputLayout,
        "Set a layout with `ia_set_input_layout`. A vertex shader that uses `SV_VertexID`, in WGSL `vertex_index`, \
         alone needs none.",
    ),
    (
        MessageId::DrawLinkage,
        "An input of the pixel shader has no output of the vertex shader in its register or at its location, or one \
         of another type. One struct for both, in one source, cannot differ.",
    ),
    (
        MessageId::DrawLinkageSemantics,
        "Two shaders in HLSL, or an input layout and a vertex shader in HLSL, whose semantics, registers or types differ. The \
         details list each input that differs with its register. Stages in WGSL are linked by location and have no \
         semantics.",
    ),
    (MessageId::DrawTopologyUndefined, "Set it with `ia_set_primitive_topology`: there is no default."),
    (
        MessageId::DrawNoHullShader,
        "Onze has no hull shaders yet. Set a topology of points, lines or triangles with `ia_set_primitive_topology`.",
    ),
    (
        MessageId::DrawNoTargets,
        "Bind a render target, a depth-stencil view or both with `om_set_render_targets`. While an occlusion query or one of \
         pipeline statistics is begun, the draw counts there, and there is no message.",
    ),
    (
        MessageId::DrawBackBufferUnbound,
        "A present unbinds the back buffer. Bind `SwapChain::render_target_view` in each frame; \
         `Frame::begin` does.",
    ),
    (
        MessageId::DrawDepthNotCleared,
        "A new depth buffer holds 0, which is the nearest depth. Clear it with `clear_depth_stencil` in each \
         frame.",
    ),
    (
        MessageId::DrawIndexedNoIndexBuffer,
        "Bind one with `ia_set_indices` or `ia_set_index_buffer`, or use `draw`.",
    ),
    (
        MessageId::DrawIndirectInvalid,
        "The buffer was made without `MiscFlags::DRAWINDIRECT_ARGS`, the offset is no multiple of 4, or the arguments end \
         beyond the buffer.",
    ),
    (MessageId::DispatchNoComputeShader, "Bind one with `cs_set_shader`."),
    (
        MessageId::DispatchTooLarge,
        "More than 65,535 groups in a dimension: use a second dimension, or larger groups.",
    ),
    (MessageId::DispatchIndirectInvalid, "As `DrawIndirectInvalid`, for three numbers."),
    (
        MessageId::DispatchUnorderedAccessMismatch,
        "The view has elements of another size, another kind or format than the shader declares, or has no counter where \
         the shader counts: make it with `BufferUavFlags::COUNTER` or `APPEND`.",
    ),
    (
        MessageId::DrawUnsupported,
        "The adapter, or Onze, lacks something that the draw needs, and the details name it: several sizes of targets, \
         strides that are no multiples of 4, a feature. `Device::check_feature_support` lists features.",
    ),
    (
        MessageId::DrawsAlone,
        "Draws in a row differ in constants, and something keeps them from being made by index. The details say what; \
         [How it works](how_it_works.md#draws-by-index) what that is. The picture is right.",
    ),
    (
        MessageId::DrawVertexStrideZero,
        "Give `VertexBufferBinding` the bytes from one vertex to the next, or bind a typed `VertexBuffer`.",
    ),
    (
        MessageId::DrawVertexStrideTooShort,
        "Give `VertexBufferBinding` the size of a whole vertex, or bind a typed `VertexBuffer`.",
    ),
    (
        MessageId::DrawShaderResourceMismatch,
        "For example a cube where the shader has `Texture2D` (WGSL: `texture_2d`), an integer format where it has \
         `float` (`f32`), a colour where it compares, or a buffer with another stride. The message names the \
         declaration in the shader's language. Bind a view of that kind, or change the declaration. A texture or \
          typed buffer of another kind of numbers is read as the bits of its components, unless a sampler reads it or \
          it is a depth; everything else reads as zero.",
    ),
    (
        MessageId::DrawSamplerMismatch,
        "`SamplerComparisonState` (WGSL: `sampler_comparison`) needs `SamplerDesc::comparison`, and `SamplerState` \
         (`sampler`) one without comparison.",
    ),
    (
        MessageId::DrawRenderTargetMismatch,
        "For example a `float4` (WGSL: `vec4f`) into a target in `R32_UINT`. Give the colour in the target's type.",
    ),
    (
        MessageId::DrawRenderTargetNotSet,
        "Bind a target in that slot, or leave the output out of the shader. A draw with no render target at all, and slots \
         whose write mask is empty, are not reported.",
    ),
    (
        MessageId::DrawDualSourceInvalid,
        "A factor such as `Blend::Src1Color` takes a second output of the pixel shader and exactly one render target. Give the \
         shader that output, unbind the other targets, or use another factor.",
    ),
    (
        MessageId::DrawStencilNotSet,
        "The depth-stencil state has `stencil_enable`, and the format of the depth-stencil view has no stencil. Make the \
         texture in `D24_UNORM_S8_UINT` or `D32_FLOAT_S8X24_UINT`.",
    ),
    (MessageId::DrawViewportNotSet, "Set one with `rs_set_viewports`; `Frame::begin` does."),
    (
        MessageId::DrawViewportEmpty,
        "The viewport has no size, or lies beside the target: set one that covers it.",
    ),
    (
        MessageId::DrawScissorEmpty,
        "The rasterizer state has `scissor_enable`, and no rectangle is set, or one that lies beside the target.",
    ),
    (MessageId::DrawNoPixelShader, "Set one with `ps_set_shader`. To draw depth alone, pass it `None`."),
    (
        MessageId::DrawNothingWritten,
        "The pixel shader gives nothing at the `SV_Target` (WGSL: `@location`) of the target, the blend state's \
         write mask is empty, or the sample mask is 0: pass `u32::MAX` to `om_set_blend_state`.",
    ),
    (MessageId::ClearDepthStencilViewInvalid, "The depth is not a number (NaN): pass 0.0 to 1.0."),
    (
        MessageId::CopyResourceInvalid,
        "Source and destination differ in size, mips or slices, or their formats cannot be copied to each other; the \
         destination is immutable; one of them is mapped; or both are the same.",
    ),
    (
        MessageId::CopySubresourceRegionInvalid,
        "A subresource or the box is out of range, the box is not whole blocks of a compressed format, formats cannot be \
         copied to each other, or a depth texture is copied in part.",
    ),
    (
        MessageId::ClearUnorderedAccessViewInvalid,
        "Floats for an integer format, a structured or a raw buffer: use the other function.",
    ),
    (
        MessageId::ClearViewInvalid,
        "The view is of a structured or raw buffer, which has no format, or of depth with stencil.",
    ),
    (MessageId::DiscardInvalid, "Only resources of default and dynamic usage are discarded."),
    (
        MessageId::CopyStructureCountInvalid,
        "The view has no counter, the offset is no multiple of 4, or four bytes from it on end beyond the buffer.",
    ),
    (
        MessageId::ResolveSubresourceInvalid,
        "The source has one sample or the destination several, the subresources differ in size, the destination is not of \
         default usage, or the format is not that of both textures, or is one of integers or of depth.",
    ),
    (
        MessageId::UpdateSubresourceInvalid,
        "The resource is dynamic (map it), immutable or a staging one; the box is out of range; the data is too short for \
         its pitch; or a part of a constant buffer is written, for which there is \
         `update_subresource1`.",
    ),
    (
        MessageId::GenerateMipsInvalid,
        "The texture was made without `MiscFlags::GENERATE_MIPS`, or without one of the bind flags `RENDER_TARGET` and \
         `SHADER_RESOURCE`, or the format cannot be filtered.",
    ),
    (
        MessageId::MapInvalid,
        "Default and immutable resources cannot be mapped. Dynamic ones take `WriteDiscard`, buffers `WriteNoOverwrite`, \
         too; staging ones `Read` and `Write` as their CPU access says, on the immediate context. Or it is mapped already.",
    ),
    (
        MessageId::MapOutOfRange,
        "A write ends beyond the mapped bytes, or a slice is of a type that does not divide them. Textures have a row \
         pitch: write row by row.",
    ),
    (MessageId::MapReadOnlyWritten, "Map with `ReadWrite`, or borrow the bytes without `mut`."),
    (
        MessageId::UnmapInvalid,
        "The token of `map_owned` is of another context, or was unmapped, or its recording has ended.",
    ),
    (
        MessageId::LiveObjectSummary,
        "The program has called `Device::report_live_device_objects`: how many objects there are of each kind.",
    ),
    (
        MessageId::LiveObject,
        "The program has called `Device::report_live_device_objects`. The message says who holds the object: clones of \
         the program's, or other objects, contexts and command lists. What was dropped goes with the next flush.",
    ),
    (MessageId::BeginInvalid, "An event query only ends: call `end` where the GPU is to be asked for."),
    (
        MessageId::EndInvalid,
        "Commands depend on the query: call `set_predication` with `None` before it is ended again.",
    ),
    (
        MessageId::SetPredicationInvalid,
        "The query is no predicate, or it is begun and not ended: end it first.",
    ),
    (
        MessageId::GetDataInvalid,
        "The query was never ended, is begun and not ended, or is of another device. Call `end` first.",
    ),
    (
        MessageId::PresentInvalid,
        "The sync interval is above 4, the context is another device's, or a resize before has failed: resize \
         again.",
    ),
];

#[test]
fn every_message_has_a_cure_and_the_page_has_every_message() {
    let page = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/messages.md");
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{} is old: set ONZE_UPDATE_REFERENCES, and run this test", path.display());
}

/// The page.
fn page() -> String {
    let mut page = String::from(
        "# Messages\n\n\
         What the debug layer can say: each `MessageId`, what has happened, and what to do. A message in a log has the \
         details, too: the call, the objects by their labels, and the numbers.\n\n\
         * An **error** is a call that was ignored or rejected.\n\
         * A **warning** is legal, and probably not what was meant.\n\
         * An **info** may be useful.\n\
         * **Corruption** is a mistake of the driver, not of the program.\n\n\
         If a call returns an `Error`, the message with the same text is stored in the info queue, but it is neither printed \
         nor sent to `tracing`, because the program prints the error itself.\n",
    );
    let mut count = 0;
    for (title, categories) in GROUPS {
        write!(page, "\n## {title}\n").unwrap();
        for &id in MessageId::ALL.iter().filter(|id| categories.contains(&id.category())) {
            write!(page, "\n### {id:?}\n\n{}: {}.\n\n{}\n", severity(id), id.what(), cure(id)).unwrap();
            count += 1;
        }
    }
    assert_eq!(count, MessageId::ALL.len(), "a category is in no group, or in two");
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

/// The library's advice, and the usual causes.
fn cure(id: MessageId) -> String {
    let causes = CAUSES.iter().find(|row| row.0 == id).map_or("", |row| row.1);
    assert!(!id.advice().is_empty() || !causes.is_empty(), "{id:?} has no advice: CAUSES needs a row");
    [id.advice(), causes].join(" ").trim().to_owned()
}
