//! Draws that change the pixel shader and state objects.

use onze::{BlendDesc, DepthStencilOpDesc, Rect, RenderTargetBlendDesc};

use super::{
    materials::{Materials, always_by_index},
    *,
};

/// State objects with different effects on the pipeline and on the state of the pass.
pub(crate) struct States {
    blends: [BlendState; 2],
    /// The second one has a scissor rectangle.
    rasterizers: [RasterizerState; 3],
    /// The second one replaces the stencil, and the third one draws only where the stencil is the reference.
    depth_stencils: [DepthStencilState; 3],
}

impl States {
    pub(crate) fn new(device: &Device) -> Self {
        let blends = [RenderTargetBlendDesc::default(), RenderTargetBlendDesc::alpha()];
        let rasterizers = [(CullMode::None, false), (CullMode::None, true), (CullMode::Front, true)];
        let rasterizer = |(cull_mode, scissor_enable)| {
            let desc = RasterizerDesc { cull_mode, scissor_enable, ..RasterizerDesc::default() };
            device.create_rasterizer_state(&desc).unwrap()
        };
        let stencil = |func, stencil_pass_op, stencil_enable| {
            let face = DepthStencilOpDesc { stencil_func: func, stencil_pass_op, ..Default::default() };
            let desc = DepthStencilDesc {
                depth_enable: false,
                stencil_enable,
                front_face: face,
                back_face: face,
                ..DepthStencilDesc::default()
            };
            device.create_depth_stencil_state(&desc).unwrap()
        };
        Self {
            blends: blends.map(|target| device.create_blend_state(&BlendDesc::all(target)).unwrap()),
            rasterizers: rasterizers.map(rasterizer),
            depth_stencils: [
                stencil(ComparisonFunc::Always, StencilOp::Keep, false),
                stencil(ComparisonFunc::Always, StencilOp::Replace, true),
                stencil(ComparisonFunc::Equal, StencilOp::Keep, true),
            ],
        }
    }

    /// Binds a state object that depends on `n`.
    pub(crate) fn change(&self, cx: &mut DeviceContext, n: u32) {
        let at = n as usize / 3;
        match n % 3 {
            0 => cx.om_set_blend_state(self.blends.get(at % 3), [0.5; 4], u32::MAX),
            1 => cx.rs_set_state(self.rasterizers.get(at % 4)),
            _ => cx.om_set_depth_stencil_state(self.depth_stencils.get(at % 3), n % 2 + 1),
        }
    }
}

fn make(device: &Device) -> (Materials, States) {
    (Materials::new(device), States::new(device))
}

const REPORTED: [MessageId; 1] = [MessageId::DrawShaderResourceNotSet];

#[test]
fn pixel_shaders_change_from_draw_to_draw() {
    let drawn = compare_reported(&REPORTED, make, |(scene, _), cx, _| {
        scene.bind(cx);
        for n in 0..300 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader(scene.pixel_shader(n % 2));
            cx.ps_set_shader_resources(0, scene.view(n * n / 3));
            if n % 5 == 2 {
                // The last shader counts.
                cx.ps_set_shader(scene.pixel_shader(n / 5 % 2));
            }
            if n % 4 == 1 {
                // The texture is bound for the next shader.
                cx.ps_set_shader_resources(2, scene.view(n));
                cx.ps_set_shader(scene.pixel_shader(1));
            }
            cx.draw_indexed(6, 0, 0);
        }
    });
    always_by_index(drawn, 3000);
}

/// Some of the shaders have other constants, textures or buffers, so their bind groups have other layouts.
#[test]
fn pixel_shaders_with_other_bindings_take_turns() {
    compare(make, |(scene, _), cx, _| {
        scene.bind(cx);
        for n in 0..300 {
            discard(cx, &scene.place, &rect(n));
            discard(cx, &scene.paint, &color(n));
            if n % 3 != 1 {
                cx.ps_set_shader(scene.pixel_shader(n * n % 5));
            }
            cx.ps_set_shader_resources(1, scene.view(n));
            cx.draw_indexed(6, 0, 0);
            if n % 7 == 3 {
                // No draw is made with this shader.
                cx.ps_set_shader(scene.pixel_shader(n / 7 % 5));
                cx.ps_set_shader(scene.pixel_shader(0));
            }
        }
    });
}

#[test]
fn state_objects_change_from_draw_to_draw() {
    let make = |device: &Device| {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::DEPTH_STENCIL,
            ..Texture2dDesc::new(Format::D24_UNORM_S8_UINT, SIZE, SIZE)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let depth = device.create_depth_stencil_view(&texture, None).unwrap();
        (Materials::new(device), States::new(device), depth)
    };
    let drawn = compare_reported(&REPORTED, make, |(scene, states, depth), cx, target| {
        cx.clear_depth_stencil_view(depth, ClearFlags::DEPTH | ClearFlags::STENCIL, 1.0, 0);
        cx.om_set_render_targets(&target.view, depth);
        cx.rs_set_scissor_rects(Rect { left: 5, top: 3, right: 50, bottom: 55 });
        scene.bind(cx);
        for n in 0..400 {
            discard(cx, &scene.place, &rect(n));
            states.change(cx, n * n / 5);
            if n % 3 == 1 {
                cx.ps_set_shader(scene.pixel_shader(n / 3 % 2));
                cx.ps_set_shader_resources(2, scene.view(n));
            }
            cx.draw_indexed(6, 0, 0);
        }
        cx.rs_set_state(None);
        cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
        cx.om_set_depth_stencil_state(None, 0);
    });
    always_by_index(drawn, 3000);
}

/// The first draw with each state object has a new pipeline.
#[test]
fn a_state_object_may_be_created_and_destroyed_between_draws() {
    let make = |device: &Device| (Materials::new(device), device.clone());
    compare(make, |(scene, device), cx, _| {
        scene.bind(cx);
        for n in 0..60 {
            discard(cx, &scene.place, &rect(n));
            if n % 5 == 3 {
                let desc = RasterizerDesc {
                    cull_mode: CullMode::None,
                    depth_bias: n as i32 % 15,
                    ..RasterizerDesc::default()
                };
                cx.rs_set_state(&device.create_rasterizer_state(&desc).unwrap());
            }
            cx.draw_indexed(6, 0, 0);
        }
        cx.rs_set_state(None);
    });
}

/// The texture is bound while no shader reads its slot.
#[test]
fn a_texture_that_is_written_is_not_read_by_the_next_shader() {
    let make = |device: &Device| {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::new(Format::R24G8_TYPELESS, SIZE, SIZE)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let view = DepthStencilViewDesc::texture_2d(Format::D24_UNORM_S8_UINT, 0);
        let view = view.read_only(DsvFlags::READ_ONLY_DEPTH);
        let seen = ShaderResourceViewDesc::texture_2d(Format::R24_UNORM_X8_TYPELESS, 0, 1);
        (
            make(device),
            device.create_depth_stencil_view(&texture, Some(&view)).unwrap(),
            device.create_shader_resource_view(&texture, Some(&seen)).unwrap(),
        )
    };
    compare(make, |((scene, states), depth, seen), cx, target| {
        cx.clear_depth_stencil_view(depth, ClearFlags::STENCIL, 1.0, 0);
        scene.bind(cx);
        cx.om_set_render_targets(&target.view, depth);
        cx.om_set_depth_stencil_state(&states.depth_stencils[1], 7);
        cx.ps_set_shader_resources(1, seen);
        for n in 0..100 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader(scene.pixel_shader(if n % 9 == 5 { 3 } else { n % 2 }));
            cx.draw_indexed(6, 0, 0);
        }
        cx.ps_set_shader_resources(1, None);
        cx.om_set_depth_stencil_state(None, 0);
    });
}

/// With the second shader, both stages read the same element of one buffer. With the first one, each stage has its own
/// element, because its first draw has two buffers.
#[test]
fn shaders_may_share_elements_between_stages_or_not() {
    const IN_ONE: &str = "
        struct Both { rect: vec4<f32>, color: vec4<f32> }
        @group(0) @binding(0) var<uniform> both: Both;
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
            let r = both.rect;
            return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return both.color; }
        @fragment fn ps_other() -> @location(0) vec4<f32> { return both.color.bgra; }
    ";
    let make = |device: &Device| {
        let other = device.create_pixel_shader(ShaderSource::wgsl(IN_ONE, "ps_other")).unwrap();
        (Shaders::new(device, IN_ONE), other, [dynamic(device, 32), dynamic(device, 32)])
    };
    let drawn = compare(make, |(shaders, other, buffers), cx, _| {
        shaders.bind(cx);
        let bind = |cx: &mut DeviceContext, [vertex, pixel]: [&Buffer; 2]| {
            cx.vs_set_constant_buffers(0, vertex);
            cx.ps_set_constant_buffers(0, pixel);
        };
        let fill = |cx: &mut DeviceContext, buffer, n| discard(cx, buffer, &[rect(n), color(n)]);
        let [first, second] = buffers;
        fill(cx, first, 1);
        fill(cx, second, 2);
        bind(cx, [first, second]);
        cx.draw(4, 0);
        bind(cx, [first, first]);
        cx.ps_set_shader(other);
        for n in 0..200 {
            fill(cx, first, n);
            cx.draw(4, 0);
            if n % 5 == 3 {
                cx.ps_set_shader(if n % 2 == 0 { &shaders.ps } else { other });
            }
        }
    });
    always_by_index(drawn, 1000);
}

/// The second shader indexes its constants at run time, so it reads all rows of the bound buffer.
#[test]
fn a_shader_may_read_beyond_its_constants_after_another_one() {
    const INDEXED: &str = "
        cbuffer Place : register(b0) { float4 rect; };
        cbuffer Paint : register(b1) { float4 colors[4]; };
        float4 vs_main(uint index : SV_VertexID) : SV_Position {
            return float4(index & 2 ? rect.z : rect.x, index & 1 ? rect.w : rect.y, 0.5, 1);
        }
        float4 ps_main() : SV_Target { return colors[0]; }
        float4 ps_indexed(float4 at : SV_Position) : SV_Target { return colors[6 + int(at.x / 1000)]; }
    ";
    let make = |device: &Device| {
        let vs = device.create_vertex_shader(ShaderSource::hlsl(INDEXED, "vs_main")).unwrap();
        let shader = |entry| device.create_pixel_shader(ShaderSource::hlsl(INDEXED, entry)).unwrap();
        (vs, ["ps_main", "ps_indexed"].map(shader), [16, 64, 128].map(|size| dynamic(device, size)))
    };
    compare(make, |(vs, pixel_shaders, [place, small, large]), cx, _| {
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        cx.vs_set_shader(vs);
        cx.vs_set_constant_buffers(0, place);
        for n in 0..120 {
            discard(cx, place, &rect(n));
            let buffer = if n % 7 < 4 { small } else { large };
            let rows = if n % 7 < 4 { 4 } else { 8 };
            discard(cx, buffer, &(0..rows).map(|row| color(n + row)).collect::<Vec<_>>());
            cx.ps_set_constant_buffers(1, buffer);
            cx.ps_set_shader(&pixel_shaders[usize::from(n % 3 == 0)]);
            cx.draw(4, 0);
        }
    });
}

/// Without the debug layer, such a draw reaches the driver, which refuses its pipeline.
#[test]
fn a_draw_whose_pipeline_is_refused_draws_nothing() {
    let picture = |draws_by_index| {
        let config = Config { draws_by_index, ..Config::GPU };
        let mut h = Harness::start_with(config, &DeviceDesc { debug: false, ..config.desc() })?;
        h.watch.allow_all();
        let (scene, target) = (Materials::new(&h.device), Target::new(&h.device, SIZE, SIZE));
        let dual = RenderTargetBlendDesc { dest_blend: Blend::Src1Color, ..RenderTargetBlendDesc::alpha() };
        let dual = h.device.create_blend_state(&BlendDesc::all(dual)).unwrap();
        let mut pictures = Vec::new();
        for _ in 0..FRAMES {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [0.1, 0.2, 0.3, 1.0]);
                target.bind(cx);
                scene.bind(cx);
                for n in 0..100 {
                    discard(cx, &scene.place, &rect(n));
                    cx.om_set_blend_state((n % 7 == 5).then_some(&dual), [1.0; 4], u32::MAX);
                    cx.draw_indexed(6, 0, 0);
                }
            });
            pictures.push(target.read(&mut h));
        }
        drop((scene, target, dual));
        h.finish();
        Some(pictures)
    };
    let modes = [DrawsByIndex::Off, DrawsByIndex::Always, DrawsByIndex::On];
    let [Some(alone), Some(always), Some(on)] = modes.map(picture) else { return };
    assert!(alone.iter().chain(&always).chain(&on).all(|picture| *picture == alone[0]));
}
