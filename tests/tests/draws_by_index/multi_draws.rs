//! Consecutive draws that become one indirect command, and commands between them.

use onze::{DepthStencilOpDesc, Rect};

use super::*;

/// Meshes of one vertex and one index buffer, placed and coloured by constants.
const MESHES: &str = "
    struct Place { rect: vec4<f32> }
    struct Paint { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> place: Place;
    @group(0) @binding(0) var<uniform> paint: Paint;
    @vertex fn vs_main(@location(0) corner: vec2<f32>) -> @builtin(position) vec4<f32> {
        return vec4<f32>(mix(place.rect.xy, place.rect.zw, corner), 0.5, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4<f32> { return paint.color; }
";

/// Triangles that cover different halves of a rectangle.
const CORNERS: [[f32; 2]; 8] =
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0], [1.0, 0.5], [0.5, 1.0], [0.0, 0.5]];

pub(crate) struct Meshes {
    shaders: Shaders,
    layout: InputLayout,
    pub(crate) vertices: Buffer,
    /// The indices with 16 bits.
    pub(crate) indices: Buffer,
    /// The indices with 32 bits.
    pub(crate) wide: Buffer,
    /// The rectangle, and the colour.
    pub(crate) constants: [Buffer; 2],
}

impl Meshes {
    pub(crate) fn new(device: &Device) -> Self {
        let shaders = Shaders::new(device, MESHES);
        let elements = [InputElementDesc::new("corner", 0, Format::R32G32_FLOAT)];
        let indices: [u16; 12] = [0, 1, 2, 3, 2, 1, 4, 5, 6, 6, 7, 4];
        let wide = indices.map(u32::from);
        Self {
            layout: device.create_input_layout(&elements, &shaders.vs).unwrap(),
            shaders,
            vertices: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &CORNERS).unwrap(),
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &indices).unwrap(),
            wide: device.create_buffer_with(BindFlags::INDEX_BUFFER, &wide).unwrap(),
            constants: [16; 2].map(|size| dynamic(device, size)),
        }
    }

    pub(crate) fn bind(&self, cx: &mut DeviceContext) {
        self.shaders.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 8));
        cx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        cx.vs_set_constant_buffers(0, &self.constants[0]);
        cx.ps_set_constant_buffers(0, &self.constants[1]);
    }

    /// Replaces the rectangle of each draw, and the colour of every third draw.
    fn place(&self, cx: &mut DeviceContext, n: u32) {
        discard(cx, &self.constants[0], &rect(n));
        if n.is_multiple_of(3) {
            discard(cx, &self.constants[1], &color(n));
        }
    }

    /// Draws one of several meshes, with and without a base vertex, which may be negative.
    fn draw(cx: &mut DeviceContext, n: u32) {
        match n % 5 {
            0 => cx.draw_indexed(3, 0, 0),
            1 => cx.draw_indexed(6, 0, 2),
            2 => cx.draw_indexed(6, 6, -4),
            3 => cx.draw_indexed(3, 3, 1),
            _ => cx.draw_indexed(6, 6, 0),
        }
    }
}

/// Asserts that at least `least_draws` draws with `DrawsByIndex::Always` were made by multi-draws of at most
/// `most_length` draws. With `On`, a pass needs more draws for its first multi-draw.
fn assert_multi_draws(drawn: Option<&[Drawn; 2]>, least_draws: u64, most_length: u64) {
    let Some([Drawn { statistics, .. }, _]) = drawn else { return };
    let Statistics { multi_draws, draws_in_multi_draws, draws_by_index, .. } = *statistics;
    assert!(multi_draws > 0 && draws_in_multi_draws <= draws_by_index, "{statistics:?}");
    assert!(draws_in_multi_draws >= least_draws, "{statistics:?}");
    assert!(draws_in_multi_draws <= multi_draws * most_length, "{statistics:?}");
}

#[test]
fn meshes_of_one_buffer_become_multi_draws() {
    let drawn = compare(Meshes::new, |meshes, cx, _| {
        meshes.bind(cx);
        for n in 0..300 {
            meshes.place(cx, n);
            Meshes::draw(cx, n);
        }
    });
    assert_multi_draws(drawn.as_ref(), 600, 300);
    if let Some([_, on]) = drawn {
        assert!(on.statistics.multi_draws > 0, "{:?}", on.statistics);
    }
}

#[test]
fn draws_with_and_without_indices_alternate() {
    let drawn = compare(Meshes::new, |meshes, cx, _| {
        meshes.bind(cx);
        for n in 0..300 {
            meshes.place(cx, n);
            if n % 20 < 10 {
                Meshes::draw(cx, n);
            } else {
                cx.draw(3, n % 5);
            }
        }
    });
    assert_multi_draws(drawn.as_ref(), 500, 10);
}

#[test]
fn state_between_draws_ends_a_multi_draw() {
    let drawn = compare(
        |device| {
            // A draw is visible where its reference is at least that of the draws before it.
            let stencil = DepthStencilOpDesc {
                stencil_pass_op: StencilOp::Replace,
                ..DepthStencilOpDesc::test(ComparisonFunc::GreaterEqual)
            };
            let texture = Texture2dDesc::depth_stencil(Format::D24_UNORM_S8_UINT, SIZE, SIZE);
            let texture = device.create_texture_2d(&texture, None).unwrap();
            let depth = DepthStencilDesc {
                depth_enable: false,
                stencil_enable: true,
                front_face: stencil,
                back_face: stencil,
                ..DepthStencilDesc::default()
            };
            let scissor = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
            let mut blend = BlendDesc::default();
            blend.render_target[0] = RenderTargetBlendDesc {
                blend_enable: true,
                src_blend: Blend::BlendFactor,
                dest_blend: Blend::InvBlendFactor,
                ..RenderTargetBlendDesc::default()
            };
            (
                Meshes::new(device),
                device.create_depth_stencil_view(&texture, None).unwrap(),
                device.create_depth_stencil_state(&depth).unwrap(),
                device.create_rasterizer_state(&scissor).unwrap(),
                device.create_blend_state(&blend).unwrap(),
                device.create_query(QueryType::Occlusion).unwrap(),
            )
        },
        |(meshes, view, depth, scissor, blend, query), cx, target| {
            cx.clear_depth_stencil_view(view, ClearFlags::DEPTH | ClearFlags::STENCIL, 1.0, 0);
            cx.om_set_render_targets(&target.view, view);
            meshes.bind(cx);
            cx.rs_set_state(scissor);
            let size = SIZE as i32;
            cx.rs_set_scissor_rects(Rect { left: 0, top: 0, right: size, bottom: size });
            for n in 0..300 {
                meshes.place(cx, n);
                let change = if n % 12 == 11 { n / 12 % 6 } else { 6 };
                match change {
                    0 => cx.om_set_depth_stencil_state(depth, n % 7),
                    1 => cx.om_set_blend_state(blend, [0.25, 0.5, 0.75, n as f32 / 300.0], u32::MAX),
                    2 => {
                        let left = (n % 24) as i32;
                        cx.rs_set_scissor_rects(Rect { left, top: 0, right: size, bottom: size - left });
                    }
                    3 => cx.begin(query),
                    4 => cx.end(query),
                    5 => {
                        let (indices, format) = match n % 8 < 4 {
                            true => (&meshes.wide, Format::R32_UINT),
                            false => (&meshes.indices, Format::R16_UINT),
                        };
                        cx.ia_set_index_buffer(indices, format, 0);
                    }
                    _ => {}
                }
                Meshes::draw(cx, n);
            }
        },
    );
    assert_multi_draws(drawn.as_ref(), 500, 24);
}

#[test]
fn more_draws_than_a_buffer_of_arguments_contains() {
    let drawn = compare(Meshes::new, |meshes, cx, _| {
        meshes.bind(cx);
        for n in 0..3500 {
            let [x, y, ..] = rect(n);
            discard(cx, &meshes.constants[0], &[x, y, x + 0.04, y + 0.04]);
            if n % 3 == 0 {
                discard(cx, &meshes.constants[1], &color(n));
            }
            Meshes::draw(cx, n);
        }
    });
    assert_multi_draws(drawn.as_ref(), 3500, 3276);
}
