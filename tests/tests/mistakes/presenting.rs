//! Mistakes with swap chains: wrong descriptors, resizes and presents, and draws that do not reach the back
//! buffer.

use std::sync::Arc;

use onze::prelude::*;
use onze_tests::NoWindow;

use super::{
    Mistake, Outcome, RightProgram, row,
    scene::{EXTENT, SHADER, Scene},
};

/// A swap-chain descriptor that a new user might write.
fn screen() -> SwapChainDesc {
    SwapChainDesc {
        format: Format::R8G8B8A8_UNORM,
        label: Some("screen".into()),
        ..SwapChainDesc::new(EXTENT, EXTENT)
    }
}

fn create(s: &mut Scene, desc: &SwapChainDesc) -> Result<SwapChain, onze::Error> {
    s.context.create_swap_chain(Arc::new(NoWindow), desc)
}

fn frame(s: &mut Scene, chain: &mut SwapChain) -> Outcome {
    s.bind();
    s.context.om_set_render_targets(chain.render_target_view()?, &s.depth);
    s.context.draw(3, 0);
    chain.present(&mut s.context, 1).map(drop)
}

fn record(s: &Scene, chain: &SwapChain) -> Result<DeferredContext, onze::Error> {
    let mut deferred = s.device.create_deferred_context()?;
    deferred.clear_render_target_view(chain.render_target_view()?, [0.0; 4]);
    Ok(deferred)
}

fn resize(s: &mut Scene, chain: &mut SwapChain) -> Outcome {
    chain.resize_buffers(&mut s.context, 2 * EXTENT, 2 * EXTENT)
}

/// Defines a row's function that creates a swap chain with invalid fields, which must be refused.
macro_rules! refused {
    ($($field:ident: $value:expr),+) => {
        |s| create(s, &SwapChainDesc { $($field: $value,)+ ..screen() }).map(drop)
    };
}

pub(crate) const MISTAKES: &[Mistake] = &[
    row(
        "resize while the application has the texture",
        &[
            "swap chain \"screen\"",
            "the application has texture \"screen\"",
            "`get_buffer`",
            "Drop this before",
        ],
        |s| {
            let mut chain = create(s, &screen())?;
            let _texture = chain.get_buffer()?;
            resize(s, &mut chain)
        },
    ),
    row(
        "resize while the application has a clone of the view",
        &[
            "the application has the render-target view of texture \"screen\"",
            "Drop this before",
            "in each frame",
        ],
        |s| {
            let mut chain = create(s, &screen())?;
            let _view = chain.render_target_view()?.clone();
            resize(s, &mut chain)
        },
    ),
    row(
        "resize while a command list uses the view",
        &["a command list uses the render-target view of texture \"screen\"", "Drop this before"],
        |s| {
            let mut chain = create(s, &screen())?;
            let _list = record(s, &chain)?.finish_command_list(false)?;
            resize(s, &mut chain)
        },
    ),
    row(
        "resize while a deferred context uses the view",
        &["a deferred context or", "uses the render-target view of texture \"screen\"", "Drop this before"],
        |s| {
            let mut chain = create(s, &screen())?;
            let _deferred = record(s, &chain)?;
            resize(s, &mut chain)
        },
    ),
    row(
        "resize to a size of 0",
        &["swap chain \"screen\"", "0 x 16 pixels", "at least 1", "minimised", "skip its frames"],
        |s| create(s, &screen())?.resize_buffers(&mut s.context, 0, EXTENT),
    ),
    row(
        "swap chain of a size of 0",
        &["swap chain \"screen\"", "16 x 0 pixels", "at least 1", "minimised", "skip its frames"],
        refused!(height: 0),
    ),
    row(
        "swap chain that is too large",
        &["swap chain \"screen\"", "1048576 x 16 pixels", "at most", "the window's size in pixels"],
        refused!(width: 1 << 20),
    ),
    row(
        "swap chain of a depth format",
        &[
            "swap chain \"screen\"",
            "D32_FLOAT",
            "cannot be shown",
            "Format::UNKNOWN",
            "FormatSupport::DISPLAY",
        ],
        refused!(format: Format::D32_FLOAT),
    ),
    row(
        "flip model with one back buffer",
        &[
            "swap chain \"screen\"",
            "SwapEffect::FlipDiscard",
            "2 to 16",
            "found 1",
            "SwapChainDesc::buffer_count",
        ],
        refused!(buffer_count: 1),
    ),
    row(
        "too many back buffers",
        &[
            "swap chain \"screen\"",
            "SwapEffect::Discard",
            "1 to 16",
            "found 17",
            "SwapChainDesc::buffer_count",
        ],
        refused!(buffer_count: 17, swap_effect: SwapEffect::Discard),
    ),
    row(
        "back buffer for unordered access",
        &["swap chain \"screen\"", "SwapChainDesc::buffer_usage", "UNORDERED_ACCESS", "RENDER_TARGET, and"],
        refused!(buffer_usage: BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS),
    ),
    row(
        "no frame may wait",
        &["swap chain \"screen\"", "SwapChainDesc::maximum_frame_latency", "is 0", "1 to 16"],
        refused!(maximum_frame_latency: 0),
    ),
    row("sync interval of 5", &["swap chain \"screen\"", "sync interval is 5", "at most 4", "pass 1"], |s| {
        let mut chain = create(s, &screen())?;
        chain.present(&mut s.context, 5).map(drop)
    }),
    row(
        "present with a context of another device",
        &[
            "swap chain \"screen\"",
            "does not belong to the context's device",
            "pass the immediate context that made it",
        ],
        |s| {
            let mut chain = create(s, &screen())?;
            let (_watch, _other, mut context) = s.other_device();
            chain.present(&mut context, 1).map(drop)
        },
    ),
    row(
        "resize with a context of another device",
        &[
            "swap chain \"screen\"",
            "does not belong to the context's device",
            "pass the immediate context that made it",
        ],
        |s| {
            let mut chain = create(s, &screen())?;
            let (_watch, _other, mut context) = s.other_device();
            chain.resize_buffers(&mut context, EXTENT, EXTENT)
        },
    ),
    row(
        "back buffer that is not bound again",
        &["there is no target", "texture \"screen\"", "a present", "flip model", "in each frame"],
        |s| {
            let mut chain = create(s, &screen())?;
            s.bind();
            s.context.om_set_render_targets(chain.render_target_view()?, None);
            s.context.draw(3, 0);
            chain.present(&mut s.context, 1)?;
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "depth that stays bound without the back buffer",
        &["no colour was drawn", "texture \"screen\"", "a present", "flip model", "in each frame"],
        |s| {
            let mut chain =
                create(s, &SwapChainDesc { swap_effect: SwapEffect::FlipSequential, ..screen() })?;
            frame(s, &mut chain)?;
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "back buffer that is not in a restored state",
        &["no colour was drawn", "texture \"screen\"", "a present", "flip model", "in each frame"],
        |s| {
            let mut chain = create(s, &screen())?;
            frame(s, &mut chain)?;
            let list = s.device.create_deferred_context()?.finish_command_list(false)?;
            s.context.execute_command_list(&list, true);
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "no target after a state that the application cleared",
        &["there is no target", "bind a render target, a depth-stencil view or both"],
        |s| {
            let mut chain = create(s, &screen())?;
            frame(s, &mut chain)?;
            s.context.clear_state();
            s.context.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
            s.context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            s.context.vs_set_shader(&s.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_plain"))?);
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "back buffer that shaders read",
        &["shader-resource view of texture \"screen\"", "SHADER_RESOURCE", "`SwapChainDesc::buffer_usage`"],
        |s| {
            let chain = create(s, &screen())?;
            chain.get_buffer()?.create_shader_resource_view().map(drop)
        },
    ),
    row(
        "back buffer as a depth-stencil target",
        &["depth-stencil view of texture \"screen\"", "back buffer", "make a texture"],
        |s| {
            let chain = create(s, &screen())?;
            s.device.create_depth_stencil_view(&chain.get_buffer()?, None).map(drop)
        },
    ),
];

pub(crate) const RIGHT: &[RightProgram] = &[
    ("a back buffer that is bound in each frame", |s| {
        let mut chain = create(s, &screen())?;
        (0..3).try_for_each(|_| frame(s, &mut chain))
    }),
    ("depth alone after a present", |s| {
        let mut chain = create(s, &screen())?;
        frame(s, &mut chain)?;
        s.context.om_set_render_targets(None, &s.depth);
        s.context.draw(3, 0);
        frame(s, &mut chain)
    }),
    ("depth alone before and after a present", |s| {
        let mut chain = create(s, &screen())?;
        s.bind();
        s.context.om_set_render_targets(None, &s.depth);
        s.context.draw(3, 0);
        chain.present(&mut s.context, 1)?;
        s.context.rs_set_viewports(Viewport::sized(8.0, 8.0));
        s.context.draw(3, 0);
        Ok(())
    }),
    ("a back buffer that a present leaves bound", |s| {
        let mut chain = create(s, &SwapChainDesc { swap_effect: SwapEffect::Discard, ..screen() })?;
        frame(s, &mut chain)?;
        s.context.draw(3, 0);
        chain.present(&mut s.context, 0).map(drop)
    }),
    ("a target that is not the back buffer stays bound", |s| {
        let mut chain = create(s, &screen())?;
        s.bind();
        chain.present(&mut s.context, 1)?;
        s.context.draw(3, 0);
        Ok(())
    }),
    ("depth alone in a restored state after a present", |s| {
        let mut chain = create(s, &screen())?;
        let list = s.device.create_deferred_context()?.finish_command_list(false)?;
        frame(s, &mut chain)?;
        s.context.execute_command_list(&list, false);
        s.bind();
        s.context.om_set_render_targets(None, &s.depth);
        s.context.execute_command_list(&list, true);
        s.context.draw(3, 0);
        Ok(())
    }),
    ("a resize after all was dropped", |s| {
        let mut chain = create(s, &screen())?;
        let list = record(s, &chain)?.finish_command_list(false)?;
        s.context.execute_command_list(&list, false);
        drop(list);
        frame(s, &mut chain)?;
        resize(s, &mut chain)?;
        chain.resize_buffers(&mut s.context, EXTENT, EXTENT)?;
        frame(s, &mut chain)
    }),
    ("a back buffer that shaders may read", |s| {
        let buffer_usage = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
        let chain = create(s, &SwapChainDesc { buffer_usage, ..screen() })?;
        chain.get_buffer()?.create_shader_resource_view().map(drop)
    }),
];
