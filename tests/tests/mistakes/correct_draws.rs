//! Correct programs that resemble the mistakes of draws.

use onze::prelude::*;

use super::{
    RightProgram,
    drawing::{
        bind_fresh_depth, draw, draw_indexed, draw_stepped, fresh_depth, link, masked, scissor,
        second_target, stencil,
    },
    scene::EXTENT,
};

/// Creates a blend state that masks all channels of the second target.
fn second_masked(device: &Device) -> Result<BlendState, onze::Error> {
    let mut desc = BlendDesc { independent_blend_enable: true, ..BlendDesc::default() };
    desc.render_target[1].render_target_write_mask = ColorWrite::empty();
    device.create_blend_state(&desc)
}

pub(crate) const RIGHT: &[RightProgram] = &[
    ("a draw", |s| draw(s, |_| Ok(()))),
    ("an indexed draw", |s| draw_indexed(s, |_| Ok(()))),
    ("one draw after the other", |s| {
        s.bind();
        for _ in 0..3 {
            s.context.draw(3, 0);
            s.context.draw_indexed(3, 1, 0);
            s.context.draw_instanced(3, 100, 0, 7);
        }
        Ok(())
    }),
    ("instances of step rate 3", |s| draw_stepped(s, 3, 2, (6, 0))),
    ("instances of step rate 3 from the second element on", |s| draw_stepped(s, 3, 3, (6, 1))),
    ("instances of step rate 0", |s| draw_stepped(s, 0, 1, (100, 0))),
    ("instances of step rate 0 from the third element on", |s| draw_stepped(s, 0, 3, (100, 2))),
    ("instances of step rate 1", |s| draw_stepped(s, 1, 6, (4, 2))),
    ("integers for a float target that is masked", |s| {
        draw(s, |s| {
            let shader = s.pixel_shader("ps_integers_elsewhere");
            s.context.ps_set_shader(&shader);
            let second = second_target(s, Format::R8G8B8A8_UNORM)?;
            s.context.om_set_render_targets([Some(&s.target), Some(&second)], None);
            s.context.om_set_blend_state(&second_masked(&s.device)?, [1.0; 4], u32::MAX);
            Ok(())
        })
    }),
    ("a masked colour for a slot without a target", |s| {
        draw(s, |s| {
            let shader = s.pixel_shader("ps_two");
            s.context.ps_set_shader(&shader);
            s.context.om_set_blend_state(&second_masked(&s.device)?, [1.0; 4], u32::MAX);
            Ok(())
        })
    }),
    ("depth alone, with a pixel shader that writes colours", |s| {
        draw(s, |s| {
            s.context.om_set_render_targets(None, &s.depth);
            Ok(())
        })
    }),
    ("a stencil test with a stencil", |s| {
        draw(s, |s| {
            let depth = fresh_depth(s)?;
            s.context.clear_depth_stencil(&depth);
            s.context.om_set_render_targets(&s.target, &depth);
            s.context.om_set_depth_stencil_state(&stencil(&s.device)?, 1);
            Ok(())
        })
    }),
    ("LessEqual passes a depth of zero in a fresh depth buffer", |s| {
        draw(s, |s| bind_fresh_depth(s, ComparisonFunc::LessEqual))
    }),
    ("Equal passes a depth of zero in a fresh depth buffer", |s| {
        draw(s, |s| bind_fresh_depth(s, ComparisonFunc::Equal))
    }),
    ("the same semantics", |s| link(s, "float2 uv : TEXCOORD;", "float2 uv : texcoord0;")),
    ("a timestamp within a disjoint query", |s| {
        let disjoint = s.device.create_query(QueryType::TimestampDisjoint)?;
        s.context.begin(&disjoint);
        s.context.end(&s.device.create_query(QueryType::Timestamp)?);
        s.context.end(&disjoint);
        Ok(())
    }),
    ("draws of nothing", |s| {
        s.bind();
        s.context.draw(0, 100);
        s.context.draw_indexed(0, 100, 100);
        s.context.draw_instanced(3, 0, 100, 100);
        s.context.draw_indexed_instanced(3, 0, 100, 100, 100);
        Ok(())
    }),
    ("a negative base vertex", |s| {
        s.bind();
        s.context.draw_indexed(1, 1, -1);
        Ok(())
    }),
    ("depth alone, without a pixel shader", |s| {
        draw(s, |s| {
            s.context.om_set_render_targets(None, &s.depth);
            s.context.ps_set_shader(None);
            Ok(())
        })
    }),
    ("depth alone, with masked colours", |s| {
        draw(s, |s| {
            s.context.om_set_blend_state(&masked(&s.device)?, [1.0; 4], u32::MAX);
            Ok(())
        })
    }),
    ("depth alone, with masked colours and no pixel shader", |s| {
        draw(s, |s| {
            s.context.om_set_blend_state(&masked(&s.device)?, [1.0; 4], u32::MAX);
            s.context.ps_set_shader(None);
            Ok(())
        })
    }),
    ("depth alone, where the pixel shader is set to none", |s| {
        draw(s, |s| {
            s.context.ps_set_shader(None);
            Ok(())
        })
    }),
    ("a query that counts what is not drawn", |s| {
        s.bind();
        let query = s.device.create_query(QueryType::OcclusionPredicate)?;
        let desc = DepthStencilDesc { depth_write: false, ..DepthStencilDesc::default() };
        s.context.om_set_depth_stencil_state(&s.device.create_depth_stencil_state(&desc)?, 0);
        s.context.om_set_blend_state(&masked(&s.device)?, [1.0; 4], u32::MAX);
        s.context.begin(&query);
        s.context.draw(3, 0);
        s.context.ps_set_shader(None);
        s.context.draw(3, 0);
        s.context.end(&query);
        Ok(())
    }),
    ("no depth target under the default test", |s| {
        draw(s, |s| {
            s.context.om_set_render_targets(&s.target, None);
            Ok(())
        })
    }),
    ("a depth buffer without contents under a reversed test", |s| {
        draw(s, |s| bind_fresh_depth(s, ComparisonFunc::Greater))
    }),
    ("a depth buffer that a draw has filled", |s| {
        draw(s, |s| {
            bind_fresh_depth(s, ComparisonFunc::Always)?;
            s.context.draw(3, 0);
            s.context.om_set_depth_stencil_state(None, 0);
            Ok(())
        })
    }),
    ("a depth buffer that a list clears", |s| {
        draw(s, |s| {
            let depth = fresh_depth(s)?;
            let mut deferred = s.device.create_deferred_context()?;
            deferred.clear_depth_stencil(&depth);
            s.context.execute_command_list(&deferred.finish_command_list(false)?, true);
            s.context.om_set_render_targets(&s.target, &depth);
            Ok(())
        })
    }),
    ("a depth buffer that is a copy", |s| {
        draw(s, |s| {
            let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, EXTENT, EXTENT);
            let copy = s.device.create_texture_2d(&desc, None)?;
            s.context.copy_resource(&copy, &s.device.create_texture_2d(&desc, None)?);
            s.context.om_set_render_targets(&s.target, &copy.create_depth_stencil_view()?);
            Ok(())
        })
    }),
    ("a depth buffer of zeros that the program has given", |s| {
        draw(s, |s| {
            let desc = Texture2dDesc::depth_stencil(Format::D16_UNORM, EXTENT, EXTENT);
            let bytes = [0; (EXTENT * EXTENT * 2) as usize];
            let zeros = [SubresourceData { bytes: &bytes, row_pitch: EXTENT * 2, depth_pitch: 0 }];
            let depth = s.device.create_texture_2d(&desc, Some(&zeros))?;
            s.context.om_set_render_targets(&s.target, &depth.create_depth_stencil_view()?);
            Ok(())
        })
    }),
    ("one sample of a mask", |s| {
        draw(s, |s| {
            s.context.om_set_blend_state(None, [0.0; 4], 1);
            Ok(())
        })
    }),
    ("a scissor rectangle across the edge", |s| {
        draw(s, |s| scissor(s, Some(onze::Rect { left: -5, top: 8, right: 4, bottom: 800 })))
    }),
    ("a viewport across the edge", |s| {
        draw(s, |s| {
            s.context.rs_set_viewports(Viewport { top_left_x: -8.0, ..Viewport::sized(64.0, 64.0) });
            Ok(())
        })
    }),
    ("a vertex shader without inputs", |s| {
        draw(s, |s| {
            let source = ShaderSource::wgsl(super::scene::SHADER, "vs_plain");
            s.context.vs_set_shader(&s.device.create_vertex_shader(source)?);
            s.context.ia_set_input_layout(None);
            s.context.ia_set_vertex_buffers(0, None::<VertexBufferBinding<'_>>);
            s.context.draw(100, 100);
            Ok(())
        })
    }),
    ("an attribute that is the same for all vertices", |s| {
        s.bind();
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
            InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT).slot(1),
        ];
        s.context.ia_set_input_layout(&s.device.create_input_layout(&elements, &s.vs)?);
        let same = s.buffer(BufferDesc::new(8, BindFlags::VERTEX_BUFFER), "same");
        s.context.ia_set_vertex_buffers(1, VertexBufferBinding::new(&same, 0));
        s.context.draw(3, 0);
        Ok(())
    }),
    ("depth alone, after a list", |s| {
        draw(s, |s| {
            s.context.ps_set_shader(None);
            let list = s.device.create_deferred_context()?.finish_command_list(false)?;
            s.context.execute_command_list(&list, true);
            Ok(())
        })
    }),
    ("a list whose depth buffer is cleared before it is executed", |s| {
        s.bind();
        let depth = fresh_depth(s)?;
        let mut deferred = s.device.create_deferred_context()?;
        deferred.om_set_render_targets(&s.target, &depth);
        deferred.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
        deferred.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        deferred.vs_set_shader(&s.device.create_vertex_shader(ShaderSource::wgsl(
            "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }",
            "vs",
        ))?);
        deferred.ps_set_shader(&s.device.create_pixel_shader(ShaderSource::wgsl(
            "@fragment fn ps() -> @location(0) vec4f { return vec4f(1.0); }",
            "ps",
        ))?);
        deferred.draw(3, 0);
        let list = deferred.finish_command_list(false)?;
        s.context.clear_depth_stencil(&depth);
        s.context.execute_command_list(&list, true);
        Ok(())
    }),
    ("a list of a deferred context", |s| {
        s.bind();
        let mut deferred = s.device.create_deferred_context()?;
        deferred.clear_render_target_view(&s.target, [1.0; 4]);
        let list = deferred.finish_command_list(false)?;
        s.context.execute_command_list(&list, true);
        s.context.draw(3, 0);
        Ok(())
    }),
];
