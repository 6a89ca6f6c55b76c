//! Shader inputs other than constants (vertex and instance indices, derivatives), and discarded pixels.

use super::*;
use onze_tests::shapes;

/// Returns a shader for a rectangle whose colour also depends on the expression `number`.
fn numbered(arguments: &str, number: &str) -> String {
    format!(
        "
        struct Constants {{ rect: vec4<f32>, color: vec4<f32> }}
        @group(0) @binding(0) var<uniform> c: Constants;
        struct Corner {{ @builtin(position) position: vec4<f32>, @location(3) number: f32 }}
        struct Input {{ @builtin(vertex_index) index: u32, {arguments} }}
        @vertex fn vs_main(in: Input) -> Corner {{
            let r = c.rect;
            let corner = in.index % 4u;
            let x = select(r.x, r.z, (corner & 2u) != 0u);
            return Corner(vec4<f32>(x, select(r.y, r.w, (corner & 1u) != 0u), 0.5, 1.0), f32({number}));
        }}
        @fragment fn ps_main(corner: Corner) -> @location(0) vec4<f32> {{
            let step = fwidth(corner.number) + dpdx(c.color.x * corner.position.x);
            if corner.number + c.color.y * 4.0 > 11.5 {{ discard; }}
            return vec4<f32>(c.color.xy, corner.number / 16.0, 1.0) + step * 0.125;
        }}
    "
    )
}

#[test]
fn vertex_and_instance_numbers_begin_at_zero() {
    let source = numbered("@builtin(instance_index) instance: u32", "in.index + 4u * in.instance");
    let make = |device: &Device| {
        let indices: Vec<u32> = (0..16).collect();
        let indices = shapes::indices_of(device, Format::R16_UINT, &indices);
        (Shaders::new(device, &source), dynamic(device, 32), indices)
    };
    let drawn = compare(make, |(shaders, buffer, indices), cx, _| {
        shaders.bind(cx);
        cx.ia_set_index_buffer(indices, Format::R16_UINT, 0);
        cx.vs_set_constant_buffers(0, buffer);
        cx.ps_set_constant_buffers(0, buffer);
        for n in 0..200 {
            discard(cx, buffer, &[rect(n), color(n)]);
            match n / 10 % 5 {
                0 => cx.draw(4, n % 5),
                1 => cx.draw_indexed(4, n % 9, n as i32 % 7),
                2 => cx.draw_instanced(4, 1, n % 5, n % 3),
                3 => cx.draw_indexed_instanced(4, 1, 4, 0, n % 3),
                _ => cx.draw_instanced(4, n % 4, 0, n % 3),
            }
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0 && statistics.draws_alone_instanced > 0, "{statistics:?}");
    }
}

#[test]
fn equal_draws_are_merged_unless_they_read_instance_ids() {
    for (arguments, number) in [("", "0u"), ("@builtin(instance_index) instance: u32,", "in.instance")] {
        let source = numbered(arguments, number);
        let make = |device: &Device| {
            let add = RenderTargetBlendDesc {
                blend_enable: true,
                src_blend: Blend::BlendFactor,
                dest_blend: Blend::One,
                ..RenderTargetBlendDesc::default()
            };
            let blend = device.create_blend_state(&BlendDesc::all(add)).unwrap();
            (Shaders::new(device, &source), dynamic(device, 32), blend)
        };
        let drawn = compare(make, |(shaders, buffer, blend), cx, _| {
            shaders.bind(cx);
            cx.om_set_blend_state(blend, [1.0 / 64.0; 4], u32::MAX);
            cx.vs_set_constant_buffers(0, buffer);
            cx.ps_set_constant_buffers(0, buffer);
            discard(cx, buffer, &[rect(3), color(3)]);
            for n in 0..40 {
                cx.draw(if n == 20 { 3 } else { 4 }, 0);
            }
        });
        // With `DrawsByIndex::On`, the device merges these equal draws unless the shader reads the instance
        // index.
        let Some([_, Drawn { statistics, .. }]) = drawn else { return };
        assert_eq!(statistics.draws_merged > 0, arguments.is_empty(), "{statistics:?}");
    }
}

#[test]
fn data_by_instance_is_read_draw_by_draw() {
    const SOURCE: &str = "
        struct Constants { rect: vec4<f32>, color: vec4<f32> }
        @group(0) @binding(0) var<uniform> c: Constants;
        @vertex fn vs_main(@builtin(vertex_index) index: u32, @location(0) shift: vec2<f32>)
            -> @builtin(position) vec4<f32> {
            let r = c.rect;
            let at = vec2<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u));
            return vec4<f32>(at + shift, 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return c.color; }
    ";
    let make = |device: &Device| {
        let shaders = Shaders::new(device, SOURCE);
        let layout = [false, true].map(|by_instance| {
            let element = InputElementDesc::new("SHIFT", 0, Format::R32G32_FLOAT);
            let element = if by_instance { element.per_instance() } else { element };
            device.create_input_layout(&[element], &shaders.vs).unwrap()
        });
        let shifts = shapes::vertices(device, &[[0.0_f32, 0.0], [0.2, 0.1], [0.1, 0.3], [0.3, 0.0]]);
        // Ends within the first element, so a draw reads a copy that is padded with zeros.
        let short = shapes::vertices(device, &[0.25_f32]);
        // Contains no second instance, so a draw that was merged by mistake would read past the end.
        let one = shapes::vertices(device, &[[0.25_f32, 0.1]]);
        (shaders, layout, [shifts, short, one], dynamic(device, 32))
    };
    let drawn = compare_reported(
        &[MessageId::DrawVertexBufferTooSmall],
        make,
        |(shaders, layouts, [shifts, short, one], buffer), cx, _| {
            shaders.bind(cx);
            cx.vs_set_constant_buffers(0, buffer);
            cx.ps_set_constant_buffers(0, buffer);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(shifts, 8));
            for n in 0..120 {
                cx.ia_set_input_layout(&layouts[n as usize / 20 % 2]);
                discard(cx, buffer, &[rect(n), color(n)]);
                cx.draw_instanced(4, 1, 0, n % 4);
            }
            for n in 0..5 {
                let beyond = VertexBufferBinding { offset: 64, ..VertexBufferBinding::new(shifts, 8) };
                let short = VertexBufferBinding::new(short, 8);
                let (whole, one) = (VertexBufferBinding::new(shifts, 8), VertexBufferBinding::new(one, 8));
                for (layout, vertices, start) in
                    [(0, whole, 0), (1, short, 0), (0, whole, 0), (1, beyond, 0), (0, whole, 0), (1, one, 4)]
                {
                    cx.ia_set_input_layout(&layouts[layout]);
                    cx.ia_set_vertex_buffers(0, vertices);
                    discard(cx, buffer, &[rect(n), color(n)]);
                    (0..4).for_each(|_| cx.draw(4, start));
                }
            }
        },
    );
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0, "{statistics:?}");
        assert!(statistics.draws_alone_per_instance_data > 0, "{statistics:?}");
    }
}

/// Number of vertex inputs that leaves no location for the index. Some adapters have 32 locations.
const LOCATIONS: u32 = 27;

#[test]
fn shaders_without_a_free_location_bind_their_constants() {
    let locations: String = (0..LOCATIONS).map(|n| format!("@location({n}) v{n}: f32, ")).collect();
    let sum: Vec<_> = (0..LOCATIONS).map(|n| format!("corner.v{n}")).collect();
    let source = format!(
        "
        struct Constants {{ rect: vec4<f32>, color: vec4<f32> }}
        @group(0) @binding(0) var<uniform> c: Constants;
        struct Corner {{ @builtin(position) position: vec4<f32>, {locations} }}
        @vertex fn vs_main(@builtin(vertex_index) index: u32) -> Corner {{
            let r = c.rect;
            var corner: Corner;
            let x = select(r.x, r.z, (index & 2u) != 0u);
            corner.position = vec4<f32>(x, select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
            corner.v7 = f32(index);
            return corner;
        }}
        @fragment fn ps_main(corner: Corner) -> @location(0) vec4<f32> {{
            return c.color * 0.5 + ({}) * 0.1;
        }}",
        sum.join(" + ")
    );
    let make = |device: &Device| (Shaders::new(device, &source), dynamic(device, 32));
    let drawn = compare(make, |(shaders, buffer), cx, _| {
        shaders.bind(cx);
        cx.vs_set_constant_buffers(0, buffer);
        cx.ps_set_constant_buffers(0, buffer);
        for n in 0..80 {
            discard(cx, buffer, &[rect(n), color(n)]);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, messages, .. } in drawn.into_iter().flatten() {
        assert_eq!(statistics.draws_by_index, 0, "{statistics:?}");
        assert!(statistics.draws_alone_no_location > 0, "{statistics:?}");
        assert!(messages.iter().any(|message| message.id == MessageId::DrawsAlone), "{messages:?}");
    }
}

#[test]
fn shaders_with_the_same_constants_may_alternate() {
    let sources = ["c.color", "c.color * 0.5 + textureLoad(image, vec2<i32>(0, 0), 0) * 0.5"].map(|value| {
        format!(
            "
            struct Constants {{ rect: vec4<f32>, color: vec4<f32> }}
            @group(0) @binding(0) var<uniform> c: Constants;
            @group(1) @binding(0) var image: texture_2d<f32>;
            @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {{
                let x = select(c.rect.x, c.rect.z, (index & 2u) != 0u);
                return vec4<f32>(x, select(c.rect.y, c.rect.w, (index & 1u) != 0u), 0.5, 1.0);
            }}
            @fragment fn ps_main() -> @location(0) vec4<f32> {{ return {value}; }}"
        )
    });
    let make = |device: &Device| {
        let texel = SubresourceData { bytes: &[9, 200, 50, 255], row_pitch: 4, depth_pitch: 0 };
        let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1);
        let image = device.create_texture_2d(&desc, Some(&[texel]));
        let view = device.create_shader_resource_view(&image.unwrap(), None).unwrap();
        let shaders = [0, 1].map(|n| Shaders::new(device, &sources[n]));
        (shaders, view, dynamic(device, 32))
    };
    let drawn = compare(make, |(shaders, view, buffer), cx, _| {
        cx.ps_set_shader_resources(0, view);
        cx.vs_set_constant_buffers(0, buffer);
        cx.ps_set_constant_buffers(0, buffer);
        for n in 0..120 {
            shaders[n as usize / 3 % 2].bind(cx);
            discard(cx, buffer, &[rect(n), color(n)]);
            cx.draw(4, 0);
        }
    });
    for Drawn { statistics, .. } in drawn.into_iter().flatten() {
        assert!(statistics.draws_by_index > 0, "{statistics:?}");
    }
}

#[test]
fn new_shaders_take_turns_with_known_shaders() {
    let config = Config { draws_by_index: DrawsByIndex::On, ..Config::GPU };
    let Some(mut h) = Harness::start(config) else { return };
    {
        let other = RECTANGLES.replace("return paint.color", "return paint.color.bgra");
        let both = [RECTANGLES, &other].map(|source| Shaders::new(&h.device, source));
        let (place, paint) = (dynamic(&h.device, 16), dynamic(&h.device, 16));
        let target = Target::new(&h.device, SIZE, SIZE);
        let mut frame = |shaders: &[Shaders]| {
            let before = h.device.statistics();
            target.bind(&mut h.immediate);
            h.immediate.vs_set_constant_buffers(0, &place);
            h.immediate.ps_set_constant_buffers(0, &paint);
            for n in 0..200 {
                shaders[n as usize % shaders.len()].bind(&mut h.immediate);
                discard(&mut h.immediate, &place, &rect(n));
                discard(&mut h.immediate, &paint, &color(n));
                h.immediate.draw(4, 0);
            }
            h.wait();
            wait_for_pipelines(&h.device);
            let Statistics { draws, draws_by_index, .. } = h.device.statistics() - before;
            assert_eq!(draws, 200);
            draws_by_index
        };
        // Each encoding worker switches to draws by index separately, and any worker may encode a frame.
        for shaders in [&both[..1], &both] {
            let is_learned = (0..64).any(|_| frame(shaders) > 190);
            assert!(is_learned, "draws that take turns with {} shaders are not made by index", shaders.len());
        }
    }
    h.finish();
}
