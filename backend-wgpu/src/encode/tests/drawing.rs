use onze_ddi::{
    BlendDesc, ColorWrite, CullMode, DsvFlags, Format, InputClassification, PrimitiveTopology,
    RasterizerDesc, Rect, RenderTargetBlendDesc, ShaderStage, Viewport,
};

use crate::{
    objects::state::{BlendState, RasterizerState},
    record::{
        command::{Bind, Command, NO_OBJECT, SideRange},
        object_table::PageObject,
        page::{BlendFactor, BoundTargets, InstancedDraw},
    },
};

use super::scene::{Bench, COVER, Recording, TINT, WHITE, color};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

/// A triangle over the whole target, with a colour from per-instance data whose green increases with the
/// instance number.
const INSTANCE: &str = "
    struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
    @vertex fn main(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32, @location(0) color: vec4f) -> Out {
        let at = vec4f(f32(i & 1u) * 4.0 - 1.0, 1.0 - f32(i >> 1u) * 4.0, 0.5, 1.0);
        return Out(at, color + vec4f(0.0, f32(n), 0.0, 0.0));
    }";

/// Returns the interpolated colour.
const COLOR: &str = "@fragment fn main(@location(0) color: vec4f) -> @location(0) vec4f { return color; }";

/// A triangle with positions from a buffer, which is blue if vertex numbers begin at 0.
const POSITION: &str = "
    struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
    @vertex fn main(@builtin(vertex_index) i: u32, @location(0) position: vec2f) -> Out {
        return Out(vec4f(position, 0.5, 1.0), vec4f(0.0, 0.0, f32(i < 3u), 1.0));
    }";

/// The corners of a triangle that covers the whole target.
const CORNERS: [[f32; 2]; 3] = [[-1.0, 1.0], [3.0, 1.0], [-1.0, -3.0]];

fn instanced(page: &mut Recording, indexed: bool, args: InstancedDraw) {
    page.page.instanced_draws.push(args);
    let first = page.page.instanced_draws.len() as u32 - 1;
    page.push(if indexed {
        Command::DrawsIndexedInstanced { first, count: 1 }
    } else {
        Command::DrawsInstanced { first, count: 1 }
    });
}

fn instance(start_instance: u32) -> InstancedDraw {
    InstancedDraw { count: 3, instance_count: 1, start: 0, base_vertex: 0, start_instance }
}

fn rasterizer(page: &mut Recording, bench: &Bench, desc: &RasterizerDesc) {
    let object =
        page.object(PageObject::RasterizerState(RasterizerState::new(&bench.device.gpu, desc).unwrap()));
    page.push(Bind::RasterizerState(object));
}

#[test]
fn pages_with_the_same_targets_share_one_pass() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let constants = bench.buffer(&color([1.0; 4]));
    let page = |x: f32| {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).constants(
            ShaderStage::Pixel,
            &constants,
            0,
            16,
        );
        page.viewport(Viewport { top_left_x: x, ..Viewport::sized(1.0, 4.0) }).draw(3, 0);
        page
    };
    let stats = bench.run(vec![page(0.0), page(3.0)]);
    assert_eq!((stats.passes, stats.draws, stats.pipeline_compilations), (1, 2, 1));
    let texels = bench.texels(&target, 0, 0);
    assert_eq!([0, 4, 8, 12].map(|at| texels[at]), [255, 0, 0, 255]);
}

#[test]
fn instance_ids_begin_at_0_and_data_at_the_start_instance() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(INSTANCE), bench.pixel(COLOR));
    let layout = bench.layout(Format::R32G32B32A32_FLOAT, InputClassification::PerInstanceData);
    let colors = bench.buffer(&[color([1.0, 0.0, 0.0, 1.0]), color([0.0, 0.0, 1.0, 1.0])].concat());
    // The third instance is beyond the buffer, and so is the second one if the buffer's range has only one.
    for (start, size, expected) in
        [(0, 32, [255, 0, 0, 255]), (1, 32, [0, 0, 255, 255]), (2, 32, [0; 4]), (1, 16, [0; 4])]
    {
        let mut page = Recording::default();
        page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout);
        page.vertices(&colors, 16, 0, size);
        instanced(&mut page, false, instance(start));
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected, "instance {start} of {size} bytes");
    }
}

/// The second draw is made without changes to the pass, if the bound buffers contain everything that it
/// reads.
#[test]
fn a_second_draw_numbers_its_own_vertices_and_instances() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (of_instance, of_vertex, ps) = (bench.vertex(INSTANCE), bench.vertex(POSITION), bench.pixel(COLOR));
    let uncounted = INSTANCE.replace("@builtin(instance_index) n: u32, ", "").replace("f32(n)", "0.0");
    let uncounted = bench.vertex(&uncounted);
    let [per_instance, per_vertex] = [
        (Format::R32G32B32A32_FLOAT, InputClassification::PerInstanceData),
        (Format::R32G32_FLOAT, InputClassification::PerVertexData),
    ]
    .map(|(format, class)| bench.layout(format, class));
    let colors = bench.buffer(&[color([1.0, 0.0, 0.0, 1.0]), color([0.0, 0.0, 1.0, 1.0])].concat());
    // A triangle that covers nothing, then one that covers the whole target.
    let mut corners = vec![[9.0f32; 2]; 3];
    corners.extend(CORNERS);
    let vertices = bench.buffer(bytemuck::cast_slice(&corners));
    let indices = bench.buffer(bytemuck::cast_slice(&[0u16, 1, 2]));
    let draw = |start_vertex| Command::Draw { vertex_count: 3, start_vertex };
    let indexed = |base_vertex| Command::DrawIndexed { index_count: 3, start_index: 0, base_vertex };
    // With per-instance data, the second instance is blue and the third is beyond the buffer.
    for (instances, start, expected) in [
        (Some(&of_instance), 1, [0, 0, 255, 255]),
        (Some(&of_instance), 2, [0; 4]),
        (Some(&uncounted), 1, [0, 0, 255, 255]),
        (Some(&uncounted), 2, [0; 4]),
        (None, 3, [0, 0, 255, 255]),
    ] {
        for is_indexed in [false, true] {
            let mut page = Recording::default();
            page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).indices(&indices, false, 0, 6);
            if let Some(vs) = instances {
                page.shaders(vs, Some(&ps)).layout(&per_instance).vertices(&colors, 16, 0, 32);
                instanced(&mut page, is_indexed, instance(0));
                instanced(&mut page, is_indexed, instance(start));
            } else {
                page.shaders(&of_vertex, Some(&ps)).layout(&per_vertex).vertices(&vertices, 8, 0, 48);
                for start in [0, start] {
                    page.push(if is_indexed { indexed(start as i32) } else { draw(start) });
                }
            }
            bench.run(vec![page]);
            assert_eq!(bench.corner(&target), expected, "{}, {is_indexed}, {start}", instances.is_some());
        }
    }
}

#[test]
fn an_empty_vertex_slot_reads_as_zero() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(INSTANCE), bench.pixel(COLOR));
    let layout = bench.layout(Format::R32G32B32A32_FLOAT, InputClassification::PerInstanceData);
    let mut page = Recording::default();
    page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout);
    instanced(&mut page, false, instance(5));
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0; 4]);
}

#[test]
fn an_emptied_vertex_slot_reads_as_zero_for_any_draw() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    // The shader does not read SV_VertexID, because the buffers would then be shifted instead.
    let position = "@vertex fn main(@location(0) position: vec2f) -> @builtin(position) vec4f {
        return vec4f(position, 0.5, 1.0);
    }";
    let (vs, ps) = (bench.vertex(position), bench.pixel(WHITE));
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let vertices = bench.buffer(bytemuck::cast_slice(&CORNERS));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout);
    page.vertices(&vertices, 8, 0, 24).draw(3, 0).clear(&rtv, [0.0; 4]);
    let (slot, object, stride, offset, size) = (0, NO_OBJECT, 8, 0, 0);
    page.push(Command::SetVertexBuffer { slot, object, stride, offset, size }).draw(3, 100_000);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0; 4], "three times the same corner");
}

/// Only the target changes between the draws, while the viewport stays the same.
#[test]
fn a_target_change_alone_updates_the_clipped_area() {
    let Some(mut bench) = Bench::new() else { return };
    let targets = [4, 2, 8].map(|side| bench.target(RGBA8, side, side));
    let views = targets.each_ref().map(|target| bench.rtv(target, RGBA8));
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let mut page = Recording::default();
    views.iter().for_each(|view| _ = page.clear(view, [0.0; 4]));
    page.targets(&[Some(&views[0])], None).shaders(&vs, Some(&ps)).viewport(Viewport::sized(6.0, 6.0));
    page.draw(3, 0);
    for view in &views[1..] {
        let mut color = [NO_OBJECT; 8];
        color[0] = page.view(view);
        page.page.targets.push(BoundTargets { color, depth_stencil: NO_OBJECT });
        let at = page.page.targets.len() as u32 - 1;
        page.push(Command::SetTargets(at)).draw(3, 0);
    }
    bench.run(vec![page]);
    let drawn = targets
        .each_ref()
        .map(|target| bench.texels(target, 0, 0).chunks(4).filter(|texel| *texel == [255; 4]).count());
    assert_eq!(drawn, [16, 4, 36]);
}

#[test]
fn vertex_ids_begin_at_0_and_data_at_the_start_vertex() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(POSITION), bench.pixel(COLOR));
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let mut corners = vec![[9.0f32; 2]; 5];
    corners.extend(CORNERS);
    let vertices = bench.buffer(bytemuck::cast_slice(&corners));
    let indices = bench.buffer(bytemuck::cast_slice(&[9u16, 0, 1, 2, 5, 6, 7, 0]));
    for (what, command) in [
        ("a plain draw", Command::Draw { vertex_count: 3, start_vertex: 5 }),
        ("an indexed draw", Command::DrawIndexed { index_count: 3, start_index: 1, base_vertex: 5 }),
    ] {
        let mut page = Recording::default();
        page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout);
        page.vertices(&vertices, 8, 0, 64).indices(&indices, false, 0, 16).push(command);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), [0, 0, 255, 255], "{what}");
    }
    // With a negative base vertex, index 5 selects vertex 0 of the bound range.
    let mut page = Recording::default();
    page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout);
    page.vertices(&vertices, 8, 40, 24).indices(&indices, false, 0, 16);
    page.push(Command::DrawIndexed { index_count: 3, start_index: 4, base_vertex: -5 });
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 0, 0, 255]);
}

#[test]
fn vertices_beyond_the_buffer_are_zero() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(POSITION), bench.pixel(COLOR));
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    // The third corner is beyond the buffer and reads as the centre, so the triangle covers the upper part.
    let vertices = bench.buffer(bytemuck::cast_slice(&[[-1.0f32, 1.0], [1.0, 1.0], [9.0, 9.0]]));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None)
        .shaders(&vs, Some(&ps))
        .layout(&layout)
        .vertices(&vertices, 8, 0, 16)
        .draw(3, 0);
    bench.run(vec![page]);
    let texels = bench.texels(&target, 0, 0);
    assert_eq!((&texels[4..8], &texels[48..52]), (&[0, 0, 255, 255][..], &[0; 4][..]));
}

#[test]
fn indices_beyond_the_buffer_are_zero_and_odd_offsets_work() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(POSITION), bench.pixel(COLOR));
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let vertices = bench.buffer(bytemuck::cast_slice(&CORNERS));
    // The indices are 1 and 2, and then 0 from beyond the buffer, at an offset that is not a multiple of 4
    // bytes.
    let indices = bench.buffer(bytemuck::cast_slice(&[7u16, 1, 0, 2, 0]));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).layout(&layout).vertices(&vertices, 8, 0, 24);
    page.indices(&indices, true, 2, 8).push(Command::DrawIndexed {
        index_count: 3,
        start_index: 0,
        base_vertex: 0,
    });
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 0, 255, 255]);
}

#[test]
fn undrawable_draws_are_skipped_before_wgpu_sees_them() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let fetching = bench.vertex(POSITION);
    let layout = bench.layout(Format::R32G32_FLOAT, InputClassification::PerVertexData);
    let vertices = bench.buffer(bytemuck::cast_slice(&CORNERS));
    let small = bench.depth(Format::R32_TYPELESS, 8, 8);
    let larger_depth = bench.dsv(&small, Format::D32_FLOAT, DsvFlags::empty());
    type Change<'a> = &'a dyn Fn(&mut Recording);
    let changes: [(&str, Change<'_>); 8] = [
        ("no viewport", &|p| {
            p.push(Command::SetViewports(SideRange::default()));
        }),
        ("no vertex shader", &|p| {
            p.push(Bind::Shader { stage: ShaderStage::Vertex, object: NO_OBJECT });
        }),
        ("no topology", &|p| {
            p.push(Bind::Topology(PrimitiveTopology::Undefined));
        }),
        ("no targets", &|p| {
            p.targets(&[], None);
        }),
        ("an empty viewport", &|p| {
            p.viewport(Viewport::sized(0.0, 4.0));
        }),
        ("a viewport elsewhere", &|p| {
            p.viewport(Viewport { top_left_x: -9.0, ..Viewport::sized(4.0, 4.0) });
        }),
        ("no layout for inputs", &|p| {
            p.shaders(&fetching, Some(&ps));
        }),
        ("depth of another size", &|p| {
            p.targets(&[Some(&rtv)], Some(&larger_depth));
        }),
    ];
    for (what, change) in changes {
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        change(&mut page);
        page.draw(3, 0);
        let stats = bench.run(vec![page]);
        assert_eq!((bench.corner(&target), stats.draws), ([0; 4], 1), "{what}");
    }
    // wgpu does not support these strides: one is unaligned and the other is shorter than a vertex.
    for stride in [6, 4] {
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&fetching, Some(&ps)).layout(&layout);
        page.vertices(&vertices, stride, 0, 24).draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), [0; 4], "stride {stride}");
    }
}

#[test]
fn scissors_clip_only_when_enabled() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let rect = Rect { left: -3, top: 0, right: 2, bottom: 9 };
    for (enable, rect, expected) in
        [(false, Some(rect), [255, 255]), (true, Some(rect), [255, 0]), (true, None, [0, 0])]
    {
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        rasterizer(
            &mut page,
            &bench,
            &RasterizerDesc { scissor_enable: enable, ..RasterizerDesc::default() },
        );
        let range = SideRange::append(&mut page.page.rects, rect.as_slice());
        page.push(Command::SetScissorRects(range)).draw(3, 0);
        bench.run(vec![page]);
        let texels = bench.texels(&target, 0, 0);
        assert_eq!([texels[0], texels[12]], expected, "{enable} {rect:?}");
    }
}

#[test]
fn clockwise_triangles_face_the_viewer_by_default() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    // The triangle of `COVER` is clockwise on the screen.
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    for (cull_mode, front_counter_clockwise, expected) in [
        (CullMode::Back, false, 255),
        (CullMode::Front, false, 0),
        (CullMode::None, false, 255),
        (CullMode::Back, true, 0),
        (CullMode::Front, true, 255),
    ] {
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        let desc = RasterizerDesc { cull_mode, front_counter_clockwise, ..RasterizerDesc::default() };
        rasterizer(&mut page, &bench, &desc);
        page.draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target)[0], expected, "{cull_mode:?} {front_counter_clockwise}");
    }
}

#[test]
fn unwritten_targets_and_empty_slots_stay_unchanged() {
    let Some(mut bench) = Bench::new() else { return };
    let targets = [0, 1, 2].map(|_| bench.target(RGBA8, 4, 4));
    let views: Vec<_> = targets.iter().map(|t| bench.rtv(t, RGBA8)).collect();
    let two = "
        struct Out { @location(0) a: vec4f, @location(1) b: vec4f }
        @fragment fn main() -> Out { return Out(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, 1.0, 0.0, 1.0)); }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(two));
    let mut page = Recording::default();
    for view in &views {
        page.clear(view, [0.0, 0.0, 1.0, 1.0]);
    }
    // Slot 0 is empty, and the shader writes slot 1 but not slot 2.
    page.targets(&[None, Some(&views[1]), Some(&views[2])], None).shaders(&vs, Some(&ps)).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(
        [0, 1, 2].map(|at| bench.corner(&targets[at])),
        [[0, 0, 255, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
    );
}

#[test]
fn draws_without_a_pixel_shader_write_only_depth() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let depth = bench.depth(Format::R32_TYPELESS, 4, 4);
    let dsv = bench.dsv(&depth, Format::D32_FLOAT, DsvFlags::empty());
    let vs = bench.vertex(COVER);
    let mut page = Recording::default();
    page.clear(&rtv, [0.0, 1.0, 0.0, 1.0]).clear_depth(&dsv, 1, 1.0, 0);
    page.targets(&[Some(&rtv)], Some(&dsv)).shaders(&vs, None).draw(3, 0);
    assert_eq!(bench.run(vec![page]).passes, 1);
    assert_eq!(bench.corner(&target), [0, 255, 0, 255]);
    assert_eq!(bench.texels(&depth, 0, 0)[..4], 0.5f32.to_le_bytes());
}

#[test]
fn depth_defaults_to_less_and_read_only_views_stay_unwritten() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let depth = bench.depth(Format::R24G8_TYPELESS, 4, 4);
    let format = Format::D24_UNORM_S8_UINT;
    let writable = bench.dsv(&depth, format, DsvFlags::empty());
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    // Each case clears to another stencil value, so a value of an earlier case would be noticed.
    for (cleared_to, (flags, cleared, drawn, after)) in (5..).zip([
        (DsvFlags::empty(), 0.75, 255, 0.5),
        (DsvFlags::empty(), 0.25, 0, 0.25),
        (DsvFlags::READ_ONLY_DEPTH, 0.75, 255, 0.75),
        (DsvFlags::READ_ONLY_STENCIL, 0.75, 255, 0.5),
        (DsvFlags::READ_ONLY_DEPTH | DsvFlags::READ_ONLY_STENCIL, 0.25, 0, 0.25),
    ]) {
        let dsv = bench.dsv(&depth, format, flags);
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).clear_depth(&writable, 3, cleared, cleared_to);
        page.targets(&[Some(&rtv)], Some(&dsv)).shaders(&vs, Some(&ps)).draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target)[0], drawn, "{flags:?} {cleared}");
        let (found, stencil) = super::copying::depth_texel(&mut bench, &depth);
        let is_right = (found - after).abs() < 1e-6 && stencil == cleared_to;
        assert!(is_right, "{flags:?} {cleared}: {found} {stencil}");
    }
}

#[test]
fn blending_uses_the_factor_write_mask_and_sample_mask() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let desc = BlendDesc::all(RenderTargetBlendDesc {
        blend_enable: true,
        src_blend: onze_ddi::Blend::BlendFactor,
        render_target_write_mask: ColorWrite::RED | ColorWrite::GREEN,
        ..RenderTargetBlendDesc::default()
    });
    for (sample_mask, expected) in [(u32::MAX, [51, 102, 0, 0]), (!1, [0; 4])] {
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        let state = page.object(PageObject::BlendState(BlendState::new(&bench.device.gpu, &desc).unwrap()));
        page.page.blend_factors.push(BlendFactor { factor: [0.2, 0.4, 0.6, 0.8], sample_mask });
        page.push(Bind::BlendState(state)).push(Command::SetBlendFactor(0)).draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected, "{sample_mask:#x}");
    }
}

#[test]
fn an_integer_target_stores_float_bits_and_never_blends() {
    let Some(mut bench) = Bench::new() else { return };
    let format = Format::R8G8B8A8_UINT;
    let target = bench.target(format, 4, 4);
    let rtv = bench.rtv(&target, format);
    let integers = "@fragment fn main() -> @location(0) vec4u { return vec4u(1, 2, 3, 4); }";
    let fewer = "@fragment fn main() -> @location(0) vec2u { return vec2u(1, 2); }";
    let vs = bench.vertex(COVER);
    // The bits of 1.0 are a larger number than a byte can store, so the texel is clamped.
    for (ps, expected) in [(integers, [1, 2, 3, 4]), (WHITE, [255; 4]), (fewer, [1, 2, 0, 1])] {
        let ps = bench.pixel(ps);
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        let desc = BlendDesc::all(RenderTargetBlendDesc::additive());
        let state = page.object(PageObject::BlendState(BlendState::new(&bench.device.gpu, &desc).unwrap()));
        page.push(Bind::BlendState(state)).draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected);
    }
}

#[test]
fn debug_groups_may_span_passes_and_copies_and_stay_open() {
    let Some(mut bench) = Bench::new() else { return };
    let targets = [bench.target(RGBA8, 4, 4), bench.target(RGBA8, 4, 4)];
    let views = [bench.rtv(&targets[0], RGBA8), bench.rtv(&targets[1], RGBA8)];
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let bytes = bench.buffer(&[1; 32]);
    let mut page = Recording::default();
    page.page.names = ["outer".into(), "inner".into(), "marker".into()].into();
    let src = crate::record::page::BufferPlace { object: page.buffer(&bytes), offset: 0 };
    let dst = crate::record::page::BufferPlace { offset: 16, ..src };
    page.page.copies.push(crate::record::page::CopyCommand::BufferToBuffer { src, dst, size: 16 });
    page.push(Command::EndEvent).push(Command::SetMarker(2)).push(Command::BeginEvent(0));
    page.shaders(&vs, Some(&ps)).targets(&[Some(&views[0])], None).draw(3, 0).push(Command::BeginEvent(1));
    page.push(Command::Copy(0)).push(Command::SetMarker(2)).targets(&[Some(&views[1])], None).draw(3, 0);
    page.push(Command::SetMarker(2)).push(Command::EndEvent).draw(3, 0).push(Command::BeginEvent(1));
    assert_eq!(bench.run(vec![page]).passes, 2);
    assert_eq!(bench.corner(&targets[1]), [255; 4]);
}

/// Both draws have the same pipeline, so only the topology tells that the second one has adjacent vertices.
#[test]
fn a_topology_with_adjacency_changes_the_next_draw() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(Format::R8G8B8A8_UNORM, 4, 4);
    let rtv = bench.rtv(&target, Format::R8G8B8A8_UNORM);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    // The two triangles of a list have no area. With adjacency, there is one triangle of the vertices 0, 1, 2.
    let indices = bench.buffer(bytemuck::cast_slice(&[0u16, 0, 1, 0, 2, 0]));
    let draw = Command::DrawIndexed { index_count: 6, start_index: 0, base_vertex: 0 };
    for (has_adjacency, expected) in [(false, [0; 4]), (true, [255; 4])] {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).indices(&indices, false, 0, 12);
        page.push(draw);
        if has_adjacency {
            page.push(Bind::Topology(PrimitiveTopology::TriangleListAdj)).push(draw);
        }
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected, "adjacency: {has_adjacency}");
    }
}
