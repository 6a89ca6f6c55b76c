//! Mistakes that make a picture black or wrong.

use onze::prelude::*;

use super::{
    Mistake, Outcome, row,
    scene::{EXTENT, STRIDE, Scene},
};

/// Draws with the correct state, changes it with `change`, and draws again.
pub(super) fn draw(s: &mut Scene, change: fn(&mut Scene) -> Outcome) -> Outcome {
    s.bind();
    // The first draw validates the whole state, so the second draw must detect the change.
    s.context.draw(3, 0);
    change(s)?;
    s.context.draw(3, 0);
    Ok(())
}

pub(super) fn fresh_depth(s: &Scene) -> Result<DepthStencilView, onze::Error> {
    let desc = Texture2dDesc::depth_stencil(Format::D24_UNORM_S8_UINT, EXTENT, EXTENT).label("fresh depth");
    s.device.create_texture_2d(&desc, None)?.create_depth_stencil_view()
}

pub(super) fn bind_fresh_depth(s: &mut Scene, depth_func: ComparisonFunc) -> Outcome {
    let state = DepthStencilDesc { depth_func, ..DepthStencilDesc::default() };
    s.context.om_set_depth_stencil_state(&s.device.create_depth_stencil_state(&state)?, 0);
    let depth = fresh_depth(s)?;
    s.context.om_set_render_targets(&s.target, &depth);
    Ok(())
}

pub(super) fn draw_indexed(s: &mut Scene, change: fn(&mut Scene) -> Outcome) -> Outcome {
    s.bind();
    s.context.draw_indexed(3, 0, 0);
    change(s)?;
    s.context.draw_indexed(3, 0, 0);
    Ok(())
}

pub(super) fn masked(device: &Device) -> Result<BlendState, onze::Error> {
    let none = RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
    device.create_blend_state(&BlendDesc::all(none))
}

pub(super) fn stencil(device: &Device) -> Result<DepthStencilState, onze::Error> {
    let desc = DepthStencilDesc { stencil_enable: true, ..DepthStencilDesc::default() };
    device.labelled("outline").create_depth_stencil_state(&desc)
}

fn dual_source(device: &Device) -> Result<BlendState, onze::Error> {
    let target = RenderTargetBlendDesc {
        blend_enable: true,
        src_blend: Blend::One,
        dest_blend: Blend::Src1Color,
        ..Default::default()
    };
    device.labelled("glass").create_blend_state(&BlendDesc::all(target))
}

pub(super) fn second_target(s: &Scene, format: Format) -> Result<RenderTargetView, onze::Error> {
    let desc = Texture2dDesc::render_target(format, EXTENT, EXTENT).label("normals");
    s.device.create_render_target_view(&s.device.create_texture_2d(&desc, None)?, None)
}

/// Draws with two HLSL shaders, a vertex shader that writes the fields `written` and a pixel shader that
/// reads all fields of `read`.
pub(super) fn link(s: &mut Scene, written: &str, read: &str) -> Outcome {
    s.bind();
    let vs = format!("struct Out {{ float4 p : SV_Position; {written} }}; Out main() {{ return (Out)0; }}");
    let ps = format!(
        "struct In {{ float4 p : SV_Position; {read} }}; float4 main(In i) : SV_Target {{ In all = i; return 1; }}"
    );
    let vs = s.device.labelled("writer").create_vertex_shader(ShaderSource::hlsl(&vs, "main"))?;
    let ps = s.device.labelled("reader").create_pixel_shader(ShaderSource::hlsl(&ps, "main"))?;
    s.context.vs_set_shader(&vs);
    s.context.ps_set_shader(&ps);
    s.context.draw(3, 0);
    Ok(())
}

/// Draws instances at the given step rate, with 8 bytes of data per element in slot 1.
pub(super) fn draw_stepped(s: &mut Scene, rate: u32, elements: u32, (count, start): (u32, u32)) -> Outcome {
    if rate != 1 && !s.device.check_feature_support().features.contains(Features::INSTANCE_STEP_RATE) {
        return Ok(());
    }
    s.bind();
    let layout = [
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT).slot(1).per_instance().step_rate(rate),
    ];
    s.context.ia_set_input_layout(&s.device.create_input_layout(&layout, &s.vs)?);
    let instances = s.buffer(BufferDesc::new(8 * elements, BindFlags::VERTEX_BUFFER), "instances");
    s.context.ia_set_vertex_buffers(1, VertexBufferBinding::new(&instances, 8));
    s.context.draw_instanced(3, count, 0, start);
    Ok(())
}

pub(super) fn scissor(s: &mut Scene, rect: Option<onze::Rect>) -> Outcome {
    let desc = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
    s.context.rs_set_state(&s.device.create_rasterizer_state(&desc)?);
    s.context.rs_set_scissor_rects(rect.as_slice());
    Ok(())
}

pub(crate) const MISTAKES: &[Mistake] = &[
    row("no viewport", &["no viewport", "`rs_set_viewports`"], |s| {
        draw(s, |s| {
            s.context.rs_set_viewports(&[] as &[Viewport]);
            Ok(())
        })
    }),
    row(
        "viewport of no size",
        &["viewport 0", "0 x 16", "texture \"picture\"", "16 x 16", "covers the target"],
        |s| {
            draw(s, |s| {
                s.context.rs_set_viewports(Viewport::sized(0.0, 16.0));
                Ok(())
            })
        },
    ),
    row(
        "viewport beside the target",
        &["viewport 0", "(16, 0)", "texture \"picture\"", "covers the target"],
        |s| {
            draw(s, |s| {
                s.context
                    .rs_set_viewports(Viewport { top_left_x: EXTENT as f32, ..Viewport::sized(16.0, 16.0) });
                Ok(())
            })
        },
    ),
    row("no topology", &["topology is undefined", "`ia_set_primitive_topology`"], |s| {
        draw(s, |s| {
            s.context.ia_set_primitive_topology(PrimitiveTopology::Undefined);
            Ok(())
        })
    }),
    row("no vertex shader", &["no vertex shader", "`vs_set_shader`"], |s| {
        draw(s, |s| {
            s.context.vs_set_shader(None);
            Ok(())
        })
    }),
    row(
        "no pixel shader",
        &["no pixel shader", "texture \"picture\"", "slot 0", "`ps_set_shader`", "depth alone"],
        |s| {
            s.bind_all_but_the_pixel_shader();
            s.context.draw(3, 0);
            Ok(())
        },
    ),
    row(
        "no pixel shader and no depth",
        &["no pixel shader", "texture \"picture\"", "slot 0", "`ps_set_shader`"],
        |s| {
            draw(s, |s| {
                s.context.om_set_render_targets(&s.target, None);
                s.context.ps_set_shader(None);
                Ok(())
            })
        },
    ),
    row(
        "no input layout",
        &["vertex shader \"vs_main\"", "`position` (@location(0)), `texcoord`", "`ia_set_input_layout`"],
        |s| {
            draw(s, |s| {
                s.context.ia_set_input_layout(None);
                Ok(())
            })
        },
    ),
    row("no targets", &["no target", "`om_set_render_targets`"], |s| {
        draw(s, |s| {
            s.context.om_set_render_targets(None, None);
            Ok(())
        })
    }),
    row("no vertex buffer", &["slot 0", "`position` (@location(0))", "`ia_set_vertex_buffers`"], |s| {
        draw(s, |s| {
            s.context.ia_set_vertex_buffers(0, None::<VertexBufferBinding<'_>>);
            Ok(())
        })
    }),
    row("vertex buffer in another slot", &["slot 0 is empty", "`ia_set_vertex_buffers`"], |s| {
        draw(s, |s| {
            s.context.ia_set_vertex_buffers(0, [None, Some(VertexBufferBinding::new(&s.vertices, STRIDE))]);
            Ok(())
        })
    }),
    row(
        "more vertices than there are",
        &["buffer \"vertices\"", "slot 0", "60 bytes", "vertex 5", "120 bytes", "at most 3"],
        |s| {
            s.bind();
            s.context.draw(6, 0);
            Ok(())
        },
    ),
    row("first vertex behind the buffer", &["buffer \"vertices\"", "vertex 4", "at most 3"], |s| {
        s.bind();
        s.context.draw(3, 2);
        Ok(())
    }),
    row("base vertex behind the buffer", &["buffer \"vertices\"", "vertex 3", "at most 3"], |s| {
        s.bind();
        s.context.draw_indexed(3, 0, 3);
        Ok(())
    }),
    row("stride of 0", &["strides of their buffers are 0", "3 vertices", "`VertexBufferBinding`"], |s| {
        draw(s, |s| {
            s.context.ia_set_vertex_buffers(0, VertexBufferBinding::new(&s.vertices, 0));
            Ok(())
        })
    }),
    row(
        "stride that is too short",
        &["slot 0 is 12 bytes", "`texcoord` (@location(1))", "byte 20", "size of a whole vertex"],
        |s| {
            draw(s, |s| {
                s.context.ia_set_vertex_buffers(0, VertexBufferBinding::new(&s.vertices, 12));
                Ok(())
            })
        },
    ),
    row("no index buffer", &["no index buffer", "`ia_set_index_buffer`"], |s| {
        draw_indexed(s, |s| {
            s.context.ia_set_index_buffer(None, Format::R16_UINT, 0);
            Ok(())
        })
    }),
    row(
        "16-bit indices as 32-bit ones",
        &["buffer \"indices\"", "2 indices of R32_UINT", "reads 3", "Format::R16_UINT"],
        |s| {
            draw_indexed(s, |s| {
                s.context.ia_set_index_buffer(&s.indices, Format::R32_UINT, 0);
                Ok(())
            })
        },
    ),
    row(
        "more indices than there are",
        &["buffer \"indices\"", "4 indices of R16_UINT", "reads 6", "fewer indices"],
        |s| {
            s.bind();
            s.context.draw_indexed(6, 0, 0);
            Ok(())
        },
    ),
    row(
        "more instances than there are",
        &["buffer \"instances\"", "slot 1", "instance 3", "at most 2"],
        |s| {
            s.bind();
            let elements = [
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
                InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT).slot(1).per_instance(),
            ];
            s.context.ia_set_input_layout(&s.device.create_input_layout(&elements, &s.vs)?);
            let instances = s.buffer(BufferDesc::new(16, BindFlags::VERTEX_BUFFER), "instances");
            s.context.ia_set_vertex_buffers(1, VertexBufferBinding::new(&instances, 8));
            s.context.draw_instanced(3, 4, 0, 0);
            Ok(())
        },
    ),
    row(
        "more instances of step rate 3 than there are",
        &["buffer \"instances\"", "slot 1", "instance 2", "at most 2"],
        |s| draw_stepped(s, 3, 2, (7, 0)),
    ),
    row(
        "start instance beyond data of step rate 0",
        &["buffer \"instances\"", "slot 1", "instance 1", "at most 1"],
        |s| draw_stepped(s, 0, 1, (1, 1)),
    ),
    row(
        "no constant buffer",
        &[
            "b0 of the vertex stage",
            "vertex shader \"vs_main\"",
            "`camera`",
            "64 bytes",
            "`vs_set_constant_buffers`",
        ],
        |s| {
            draw(s, |s| {
                s.context.vs_set_constant_buffers(0, None);
                Ok(())
            })
        },
    ),
    row(
        "constant buffer that is too small",
        &["buffer \"half\"", "shows 32 bytes", "`camera`", "64 bytes", "at least as large"],
        |s| {
            draw(s, |s| {
                let half = s.buffer(BufferDesc::new(32, BindFlags::CONSTANT_BUFFER), "half");
                s.context.vs_set_constant_buffers(0, &half);
                Ok(())
            })
        },
    ),
    row(
        "no texture",
        &["t0 of the pixel stage", "pixel shader \"ps_main\"", "`albedo`", "`ps_set_shader_resources`"],
        |s| {
            draw(s, |s| {
                s.context.ps_set_shader_resources(0, None);
                Ok(())
            })
        },
    ),
    row(
        "texture array for a texture",
        &["texture \"layers\"", "Texture2dArray", "`texture_2d<f32>`", "bind a view of that kind"],
        |s| {
            draw(s, |s| {
                let desc =
                    Texture2dDesc { array_size: 2, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
                let layers = s.device.create_texture_2d(&desc.label("layers"), None)?;
                s.context.ps_set_shader_resources(0, &s.device.create_shader_resource_view(&layers, None)?);
                Ok(())
            })
        },
    ),
    row("no sampler", &["s0 of the pixel stage", "`smooth_sampler`", "`ps_set_samplers`"], |s| {
        draw(s, |s| {
            s.context.ps_set_samplers(0, None);
            Ok(())
        })
    }),
    row(
        "sampler that compares",
        &["s0 of the pixel stage", "compares", "`smooth_sampler`", "a filter without comparison"],
        |s| {
            draw(s, |s| {
                let desc =
                    SamplerDesc::comparison(Filter::COMPARISON_MIN_MAG_MIP_LINEAR, ComparisonFunc::Less);
                s.context.ps_set_samplers(0, &s.device.create_sampler_state(&desc)?);
                Ok(())
            })
        },
    ),
    row(
        "scissor without a rectangle",
        &["no scissor rectangle", "`rs_set_scissor_rects`", "`scissor_enable`"],
        |s| draw(s, |s| scissor(s, None)),
    ),
    row(
        "empty scissor rectangle",
        &["scissor rectangle 0", "(4, 4) to (4, 8)", "texture \"picture\"", "`rs_set_scissor_rects`"],
        |s| draw(s, |s| scissor(s, Some(onze::Rect { left: 4, top: 4, right: 4, bottom: 8 }))),
    ),
    row(
        "depth buffer that was never cleared",
        &["texture \"fresh depth\" holds 0", "never cleared", "`clear_depth_stencil`"],
        |s| draw(s, |s| bind_fresh_depth(s, ComparisonFunc::Less)),
    ),
    row(
        "depth buffer that kept its zeros in a draw with LessEqual",
        &["texture \"fresh depth\" holds 0", "never cleared", "`clear_depth_stencil`"],
        |s| {
            draw(s, |s| {
                bind_fresh_depth(s, ComparisonFunc::LessEqual)?;
                s.context.draw(3, 0);
                s.context.om_set_depth_stencil_state(None, 0);
                Ok(())
            })
        },
    ),
    row(
        "depth buffer of which only the stencil was cleared",
        &["texture \"fresh depth\" holds 0", "never cleared", "`clear_depth_stencil`"],
        |s| {
            draw(s, |s| {
                let depth = fresh_depth(s)?;
                s.context.clear_depth_stencil_view(&depth, ClearFlags::STENCIL, 1.0, 0);
                s.context.om_set_render_targets(&s.target, &depth);
                Ok(())
            })
        },
    ),
    row(
        "colour for a slot without a target",
        &[
            "pixel shader \"ps_two\"",
            "a colour for slot 1",
            "`om_set_render_targets`",
            "render_target_write_mask",
        ],
        |s| {
            draw(s, |s| {
                let shader = s.pixel_shader("ps_two");
                s.context.ps_set_shader(&shader);
                Ok(())
            })
        },
    ),
    row(
        "stencil test without a stencil",
        &["depth-stencil state \"outline\"", "texture \"depth\"", "D32_FLOAT", "D24_UNORM_S8_UINT"],
        |s| {
            draw(s, |s| {
                s.context.om_set_depth_stencil_state(&stencil(&s.device)?, 1);
                Ok(())
            })
        },
    ),
    row(
        "second source that the shader does not write",
        &["blend state \"glass\"", "second output", "pixel shader \"ps_main\"", "Src1Color"],
        |s| {
            draw(s, |s| {
                s.context.om_set_blend_state(&dual_source(&s.device)?, [1.0; 4], u32::MAX);
                Ok(())
            })
        },
    ),
    row(
        "second source beside a second target",
        &["blend state \"glass\"", "texture \"normals\" is bound in slot 1", "unbind it"],
        |s| {
            draw(s, |s| {
                let shader = s.pixel_shader("ps_two");
                s.context.ps_set_shader(&shader);
                let normals = second_target(s, Format::R8G8B8A8_UNORM)?;
                s.context.om_set_render_targets([Some(&s.target), Some(&normals)], None);
                s.context.om_set_blend_state(&dual_source(&s.device)?, [1.0; 4], u32::MAX);
                Ok(())
            })
        },
    ),
    row(
        "swapped semantics",
        &[
            "vertex shader \"writer\"",
            "pixel shader \"reader\"",
            "reads `NORMAL0` from register 1",
            "writes `TEXCOORD0` there",
            "reads `TEXCOORD0` from register 2",
            "writes `NORMAL0` there",
            "same order",
        ],
        |s| {
            link(
                s,
                "float3 uv : TEXCOORD0; float3 normal : NORMAL;",
                "float3 normal : NORMAL; float3 uv : TEXCOORD0;",
            )
        },
    ),
    row(
        "another semantic",
        &[
            "vertex shader \"writer\"",
            "pixel shader \"reader\"",
            "`TEXCOORD0`",
            "register 1",
            "writes `UV0` there",
        ],
        |s| link(s, "float2 uv : UV;", "float2 uv : TEXCOORD;"),
    ),
    row("sample mask of 0", &["sample mask is 0x0", "u32::MAX", "`om_set_blend_state`"], |s| {
        draw(s, |s| {
            s.context.om_set_blend_state(None, [1.0; 4], 0);
            Ok(())
        })
    }),
    row("write mask of 0", &["render_target_write_mask", "texture \"picture\"", "ColorWrite::ALL"], |s| {
        draw(s, |s| {
            s.context.om_set_render_targets(&s.target, None);
            s.context.om_set_blend_state(&masked(&s.device)?, [1.0; 4], u32::MAX);
            Ok(())
        })
    }),
    row(
        "colour for another target",
        &[
            "pixel shader \"ps_elsewhere\"",
            "@location(0)",
            "texture \"picture\"",
            "slot that the shader writes",
        ],
        |s| {
            draw(s, |s| {
                s.context.om_set_render_targets(&s.target, None);
                let shader = s.pixel_shader("ps_elsewhere");
                s.context.ps_set_shader(&shader);
                Ok(())
            })
        },
    ),
    row(
        "integers for a float target",
        &["pixel shader \"ps_integers\"", "vec4<u32>", "texture \"picture\"", "vec4<f32>"],
        |s| {
            draw(s, |s| {
                let shader = s.pixel_shader("ps_integers");
                s.context.ps_set_shader(&shader);
                Ok(())
            })
        },
    ),
    row(
        "shaders that do not fit",
        &[
            "pixel shader \"ps_normals\"",
            "vertex shader \"vs_main\"",
            "`normal` at location 3",
            "needs an output there",
        ],
        |s| {
            draw(s, |s| {
                let shader = s.pixel_shader("ps_normals");
                s.context.ps_set_shader(&shader);
                Ok(())
            })
        },
    ),
    row("draw with a mapped buffer", &["buffer \"camera\"", "mapped", "Unmap it first"], |s| {
        s.bind();
        let token = s.context.map_owned(&s.camera, 0, MapType::WriteDiscard)?;
        s.context.draw(3, 0);
        s.context.unmap(token);
        Ok(())
    }),
];
