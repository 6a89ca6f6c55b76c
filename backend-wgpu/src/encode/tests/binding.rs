use std::sync::Arc;

use onze_ddi::{
    CullMode, DsvFlags, Filter, Format, HandleType, PrimitiveTopology, RasterizerDesc, Rect, SamplerDesc,
    ShaderStage, TextureAddressMode,
};

use crate::{
    objects::{
        allocator::{LARGEST_CLASS, Storage},
        shader::Shader,
        state::{RasterizerState, Sampler},
    },
    record::{
        command::{Bind, Command, NO_OBJECT, SideRange, ViewFormat, stage_bit},
        object_table::PageObject,
        upload::Uploads,
    },
};

use super::scene::{Bench, COVER, Recording, TINT, color};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

fn texture(page: &mut Recording, slot: u32, view: &Arc<crate::objects::view::View>) {
    let object = page.view(view);
    page.push(Bind::ShaderResource { stage: ShaderStage::Pixel, slot: slot as u8, object });
}

#[test]
fn constant_offsets_share_a_bind_group() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let mut bytes = vec![0; 512];
    bytes[..16].copy_from_slice(&color([1.0, 0.0, 0.0, 1.0]));
    bytes[256..272].copy_from_slice(&color([0.0, 1.0, 0.0, 1.0]));
    let constants = bench.buffer(&bytes);
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.constants(ShaderStage::Pixel, &constants, 0, 256).draw(3, 0);
    page.viewport(onze_ddi::Viewport::sized(2.0, 4.0));
    page.constants(ShaderStage::Pixel, &constants, 256, 16).draw(3, 0);
    let stats = bench.run(vec![page]);
    assert_eq!((stats.bind_group_misses, stats.pipeline_compilations, stats.passes), (1, 1, 1));
    let texels = bench.texels(&target, 0, 0);
    assert_eq!((&texels[..4], &texels[12..16]), (&[0, 255, 0, 255][..], &[255, 0, 0, 255][..]));
}

/// A draw resolves only the state that changed since the previous draw. The third draw also changes another
/// resource of the group, so the group is looked up again.
#[test]
fn offsets_of_structured_buffers_share_a_bind_group() {
    const READ: &str = "
        @group(1) @binding(2) var<storage> colors: array<vec4f>;
        @fragment fn main() -> @location(0) vec4f { return colors[0]; }";
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(READ));
    let mut bytes = vec![0; 768];
    for (offset, channels) in
        [(0, [1.0, 0.0, 0.0, 1.0]), (256, [0.0, 1.0, 0.0, 1.0]), (512, [0.0, 0.0, 1.0, 1.0])]
    {
        bytes[offset..offset + 16].copy_from_slice(&color(channels));
    }
    let colors = bench.buffer(&bytes);
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    for (offset, width) in [(0, 4.0), (256, 3.0), (512, 1.0)] {
        let object = page.buffer(&colors);
        let (stage, format) = (ShaderStage::Pixel, ViewFormat::default());
        page.push(Command::SetResourceBuffer { stage, slot: 2, format, object, offset, size: 16 });
        if offset == 512 {
            page.push(Bind::ShaderResource { stage, slot: 9, object: NO_OBJECT });
        }
        page.viewport(onze_ddi::Viewport::sized(width, 4.0)).draw(3, 0);
    }
    let stats = bench.run(vec![page]);
    assert_eq!((stats.bind_group_misses, stats.pipeline_compilations, stats.passes), (1, 1, 1));
    let texels = bench.texels(&target, 0, 0);
    let red_green_blue = [&texels[12..16], &texels[4..8], &texels[..4]];
    assert_eq!(red_green_blue, [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]);
}

/// Binds a part of a buffer to `t2` of the pixel stage.
fn part(page: &mut Recording, storage: &Arc<Storage>, size: u32) {
    let (stage, format, object) = (ShaderStage::Pixel, ViewFormat::default(), page.buffer(storage));
    page.push(Command::SetResourceBuffer { stage, slot: 2, format, object, offset: 0, size });
}

#[test]
fn a_longer_part_of_the_same_buffer_is_read() {
    const SECOND: &str = "
        @group(1) @binding(2) var<storage> colors: array<vec4f>;
        @fragment fn main() -> @location(0) vec4f { return colors[1]; }";
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(SECOND));
    let colors = bench.buffer(&[color([1.0, 0.0, 0.0, 1.0]), color([0.0, 1.0, 0.0, 1.0])].concat());
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    for size in [16, 32] {
        part(&mut page, &colors, size);
        page.draw(3, 0);
    }
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 255, 0, 255]);
}

#[test]
fn a_texture_replaces_the_buffer_in_its_slot() {
    const FIRST: &str = "
        @group(1) @binding(2) var<storage> colors: array<vec4f>;
        @fragment fn main() -> @location(0) vec4f { return colors[0]; }";
    let Some(mut bench) = Bench::new() else { return };
    let (target, image) = (bench.target(RGBA8, 4, 4), bench.target(RGBA8, 4, 4));
    let (rtv, srv) = (bench.rtv(&target, RGBA8), bench.srv(&image, RGBA8));
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(FIRST));
    let colors = bench.buffer(&color([1.0; 4]));
    for (replaced, expected) in [(false, [255; 4]), (true, [0; 4])] {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        part(&mut page, &colors, 16);
        page.draw(3, 0);
        if replaced {
            texture(&mut page, 2, &srv);
            page.draw(3, 0);
        }
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected, "replaced: {replaced}");
    }
}

#[test]
fn a_draw_sees_every_change_since_the_previous_draw() {
    let Some(mut bench) = Bench::new() else { return };
    let vs = bench.vertex(COVER);
    let tint = bench.pixel(TINT);
    let turned = bench.pixel(&TINT.replace("return tint", "return tint.yxzw"));
    let second = bench.pixel(&TINT.replace("binding(0)", "binding(1)"));
    let image = bench.pixel(
        "@group(1) @binding(0) var image: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2i(0), 0); }",
    );
    let red = bench.buffer(&color([1.0, 0.0, 0.0, 1.0]));
    let blue = bench.buffer(&color([0.0, 0.0, 1.0, 1.0]));
    let (target, other) = (bench.target(RGBA8, 4, 4), bench.target(RGBA8, 4, 4));
    let [rtv, other_rtv] = [&target, &other].map(|texture| bench.rtv(texture, RGBA8));
    let [srv, other_srv] = [&target, &other].map(|texture| bench.srv(texture, RGBA8));
    let device = bench.device.clone();
    let rasterizer = |page: &mut Recording, desc: RasterizerDesc| {
        let state = RasterizerState::new(&device.gpu, &desc).unwrap();
        let object = page.object(PageObject::RasterizerState(state));
        page.push(Bind::RasterizerState(object));
    };
    let pixel = |page: &mut Recording, shader: &Arc<Shader>| {
        let object = page.object(PageObject::Shader(shader.clone()));
        page.push(Bind::Shader { stage: ShaderStage::Pixel, object });
    };
    type Change<'a> = &'a dyn Fn(&mut Recording);
    let changes: [(&str, Change<'_>, [u8; 4]); 10] = [
        ("nothing", &|_| (), [255, 0, 0, 255]),
        ("a shader that declares the same constants", &|page| pixel(page, &turned), [0, 255, 0, 255]),
        (
            "such a shader, and the constants",
            &|page| {
                page.constants(ShaderStage::Pixel, &blue, 0, 16);
                pixel(page, &turned);
            },
            [0, 0, 255, 255],
        ),
        (
            "a shader with other constants",
            &|page| {
                pixel(page, &second);
                let object = page.buffer(&blue);
                let stages = stage_bit(ShaderStage::Pixel);
                page.push(Command::SetConstantBuffer { stages, slot: 1, object, offset: 0, size: 16 });
            },
            [0, 0, 255, 255],
        ),
        (
            "no shader",
            &|page| _ = page.push(Bind::Shader { stage: ShaderStage::Pixel, object: NO_OBJECT }),
            [255, 0, 0, 255],
        ),
        (
            "a texture that waits for its clear",
            &|page| {
                pixel(page, &image);
                page.clear(&other_rtv, [1.0, 1.0, 0.0, 1.0]);
                texture(page, 0, &other_srv);
            },
            [255, 255, 0, 255],
        ),
        (
            "the target as a texture, which reads as nothing",
            &|page| {
                pixel(page, &image);
                texture(page, 0, &srv);
            },
            [0; 4],
        ),
        (
            "what is culled",
            &|page| {
                pixel(page, &turned);
                rasterizer(page, RasterizerDesc { cull_mode: CullMode::Front, ..RasterizerDesc::default() });
            },
            [255, 0, 0, 255],
        ),
        (
            "what a rectangle that now counts leaves out",
            &|page| {
                pixel(page, &turned);
                rasterizer(page, RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() });
            },
            [255, 0, 0, 255],
        ),
        (
            "a topology of which nothing is drawn",
            &|page| {
                pixel(page, &turned);
                page.push(Bind::Topology(PrimitiveTopology::Undefined));
            },
            [255, 0, 0, 255],
        ),
    ];
    for (what, change, expected) in changes {
        let mut page = Recording::default();
        page.page.rects.push(Rect { left: 2, top: 2, right: 4, bottom: 4 });
        page.push(Command::SetScissorRects(SideRange { first: 0, count: 1 }));
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&tint));
        page.constants(ShaderStage::Pixel, &red, 0, 16).draw(3, 0);
        change(&mut page);
        // Each change is followed by two draws, and the second one changes nothing.
        page.draw(3, 0).draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(bench.corner(&target), expected, "{what}");
    }
}

#[test]
fn short_or_missing_constants_read_as_zero() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let two = "
        struct Two { a: vec4f, b: vec4f }
        @group(0) @binding(0) var<uniform> two: Two;
        @group(0) @binding(5) var<uniform> none: vec4f;
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(two.a.x, two.b.x, none.x, two.a.w + two.b.w + none.w);
        }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(two));
    let constants = bench.buffer(&color([1.0; 4]).repeat(2));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.constants(ShaderStage::Pixel, &constants, 0, 16).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [255, 0, 0, 255]);
}

#[test]
fn a_padded_copy_follows_its_original() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let two = "
        @group(0) @binding(0) var<uniform> two: array<vec4f, 2>;
        @fragment fn main() -> @location(0) vec4f { return two[0] + two[1]; }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(two));
    let (constants, other) = (bench.buffer(&color([1.0; 4])), bench.buffer(&color([0.0, 1.0, 0.0, 1.0])));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.constants(ShaderStage::Pixel, &constants, 0, 16).draw(3, 0);
    let src = crate::record::page::BufferPlace { object: page.buffer(&other), offset: 0 };
    let dst = crate::record::page::BufferPlace { object: page.buffer(&constants), offset: 0 };
    page.page.copies.push(crate::record::page::CopyCommand::BufferToBuffer { src, dst, size: 16 });
    page.push(Command::Copy(0)).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 255, 0, 255]);
}

#[test]
fn an_empty_slot_reads_as_zero_through_any_sampler() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let sample = "
        @group(1) @binding(0) var image: texture_2d<f32>;
        @group(1) @binding(1) var cube: texture_cube<f32>;
        @group(1) @binding(2) var integers: texture_2d_array<u32>;
        @group(2) @binding(0) var image_sampler: sampler;
        @fragment fn main() -> @location(0) vec4f {
            let a = textureSampleLevel(image, image_sampler, vec2f(0.5), 0.0);
            let b = textureSampleLevel(cube, image_sampler, vec3f(1.0), 0.0);
            let c = textureLoad(integers, vec2u(0), 0, 0).x;
            return vec4f(a.x + a.w, b.x + b.w, f32(c), 1.0);
        }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(sample));
    let mut page = Recording::default();
    page.clear(&rtv, [1.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).draw(3, 0);
    // An integer texture in a slot for floats is treated as missing.
    let wrong = bench.target(Format::R32_UINT, 4, 4);
    let wrong = bench.srv(&wrong, Format::R32_UINT);
    texture(&mut page, 0, &wrong);
    page.draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 0, 0, 255]);
}

#[test]
fn depth_is_read_as_floats_through_a_filtering_sampler() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let depth = bench.depth(Format::R32_TYPELESS, 4, 4);
    let dsv = bench.dsv(&depth, Format::D32_FLOAT, DsvFlags::empty());
    let srv = bench.srv(&depth, Format::R32_FLOAT);
    let sample = "
        @group(1) @binding(0) var image: texture_2d<f32>;
        @group(2) @binding(0) var image_sampler: sampler;
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(textureSampleLevel(image, image_sampler, vec2f(0.5), 0.0).x, 0.0, 0.0, 1.0);
        }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(sample));
    let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Wrap);
    let sampler = Sampler::new(&bench.device.gpu, &sampler).unwrap();
    let mut page = Recording::default();
    page.clear_depth(&dsv, 1, 1.0, 0).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    texture(&mut page, 0, &srv);
    page.draw(3, 0);
    let object = page.object(PageObject::Sampler(sampler));
    page.push(Bind::Sampler { stage: ShaderStage::Pixel, slot: 0, object }).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [255, 0, 0, 255]);
}

#[test]
fn read_only_depth_is_sampled_and_tested_at_once() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let depth = bench.depth(Format::R32_TYPELESS, 4, 4);
    let srv = bench.srv(&depth, Format::R32_FLOAT);
    let read = "
        @group(1) @binding(0) var image: texture_depth_2d;
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(textureLoad(image, vec2u(0), 0), 0.0, 0.0, 1.0);
        }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(read));
    let writable = bench.dsv(&depth, Format::D32_FLOAT, DsvFlags::empty());
    for (flags, expected) in [(DsvFlags::READ_ONLY_DEPTH, 255), (DsvFlags::empty(), 0)] {
        let dsv = bench.dsv(&depth, Format::D32_FLOAT, flags);
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).clear_depth(&writable, 1, 1.0, 0);
        page.targets(&[Some(&rtv)], Some(&dsv)).shaders(&vs, Some(&ps));
        texture(&mut page, 0, &srv);
        page.draw(3, 0);
        bench.run(vec![page]);
        assert_eq!(
            bench.corner(&target),
            [expected, 0, 0, 255],
            "{flags:?}: a written texture reads as empty"
        );
    }
}

#[test]
fn another_mip_of_the_target_can_be_read() {
    let Some(mut bench) = Bench::new() else { return };
    let texture_2 = bench.mipped(RGBA8, 4, 4);
    let whole = |first_mip| onze_ddi::TextureViewDesc {
        format: RGBA8,
        dimension: onze_ddi::ViewDimension::Texture2d,
        range: onze_ddi::SubresourceRange { first_mip, ..onze_ddi::SubresourceRange::FIRST },
        flags: DsvFlags::empty(),
    };
    let below = bench.view(HandleType::RenderTargetView, &texture_2, &whole(1));
    let above = bench.view(HandleType::ShaderResourceView, &texture_2, &whole(0));
    let top = bench.view(HandleType::RenderTargetView, &texture_2, &whole(0));
    let load = "
        @group(1) @binding(0) var image: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2u(0), 0); }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(load));
    let mut page = Recording::default();
    page.clear(&top, [0.0, 0.0, 1.0, 1.0]).targets(&[Some(&below)], None).shaders(&vs, Some(&ps));
    texture(&mut page, 0, &above);
    page.draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.texels(&texture_2, 1, 0)[..4], [0, 0, 255, 255]);
}

#[test]
fn unused_groups_leave_the_cache() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let mut page = Recording::default();
    let constants = bench.buffer(&color([1.0; 4]));
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.constants(ShaderStage::Pixel, &constants, 0, 16).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.caches.groups.len(), 1);
    for _ in 0..2 * crate::encode::caches::UNUSED_RUNS {
        bench.run(vec![Recording::default()]);
    }
    assert_eq!(bench.caches.groups.len(), 0);
}

/// Encodes empty runs until the caches have checked for destroyed objects.
fn run_for_a_while(bench: &mut Bench) {
    for _ in 0..crate::encode::caches::INVALIDATION_RUNS {
        bench.run(vec![Recording::default()]);
    }
}

#[test]
fn cache_entries_are_dropped_with_their_objects() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let load = "
        @group(1) @binding(0) var image: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2u(0), 0); }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(load));
    let seen = bench.target(RGBA8, 4, 4);
    let [first, second] = [bench.srv(&seen, RGBA8), bench.srv(&seen, RGBA8)];
    let page = |view: &Arc<crate::objects::view::View>| {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        texture(&mut page, 0, view);
        page.draw(3, 0);
        page
    };
    bench.run(vec![page(&first), page(&second)]);
    run_for_a_while(&mut bench);
    assert_eq!(bench.caches.lengths(), (2, 1));
    drop(first);
    run_for_a_while(&mut bench);
    assert_eq!(bench.caches.lengths(), (1, 1));
    // The remaining entries are still used, so nothing is made again.
    let stats = bench.run(vec![page(&second)]);
    assert_eq!((stats.bind_group_misses, stats.pipeline_compilations), (0, 0));
    drop((vs, ps));
    run_for_a_while(&mut bench);
    assert_eq!(bench.caches.lengths(), (1, 0), "the group knows no shader");
}

#[test]
fn freed_constant_memory_drops_its_bind_groups() {
    let Some(mut bench) = Bench::new() else { return };
    let device = bench.device.clone();
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let mut uploads = Uploads::new(&device.gpu);
    let slice = uploads.slice(256).unwrap();
    let of_page = uploads.identity(slice, 256).unwrap().storage;
    let allocate = |size| device.objects.allocator.allocate_here(size).unwrap();
    let (large, small, neighbour) = (allocate(LARGEST_CLASS + 1), allocate(256), allocate(256));
    assert_eq!(small.buffer_id, neighbour.buffer_id);
    let pages = [&of_page, &large, &small, &neighbour].map(|storage| {
        let mut page = Recording::default();
        page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
        page.constants(ShaderStage::Pixel, storage, storage.offset as u32, 256).draw(3, 0);
        page
    });
    bench.run(pages.into());
    let groups = |bench: &mut Bench| {
        run_for_a_while(bench);
        bench.caches.lengths().0
    };
    assert_eq!(groups(&mut bench), 3, "two are in one chunk");
    drop(large);
    assert_eq!(groups(&mut bench), 2);
    drop(small);
    device.objects.allocator.trim();
    assert_eq!(groups(&mut bench), 2, "the chunk has another buffer");
    drop(neighbour);
    assert_eq!(groups(&mut bench), 2, "the chunk waits for another buffer");
    device.objects.allocator.trim();
    assert_eq!(groups(&mut bench), 1);
    drop(of_page);
    assert_eq!(groups(&mut bench), 1, "the page waits to be used again");
    uploads.trim();
    assert_eq!(groups(&mut bench), 0);
}

#[test]
fn a_padded_copy_is_kept_for_one_run() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let constants = bench.buffer(&color([1.0; 4]));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.constants(ShaderStage::Pixel, &constants, 0, 8).draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.caches.groups.len(), 1);
    bench.run(vec![Recording::default()]);
    assert_eq!(bench.caches.groups.len(), 0);
}
