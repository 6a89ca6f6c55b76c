use onze_ddi::{
    DsvFlags, Format, HandleType, SubresourceRange, Texture2dDesc, TextureViewDesc, ViewDimension,
};

use super::scene::{Bench, COVER, Recording, TINT, WHITE, color};
use onze_ddi::ShaderStage;

const RGBA8: Format = Format::R8G8B8A8_UNORM;

#[test]
fn a_clear_shares_a_pass_with_the_draws_after_it() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
    let blue = bench.buffer(&color([0.0, 0.0, 1.0, 1.0]));
    let mut page = Recording::default();
    page.clear(&rtv, [1.0, 0.0, 0.0, 1.0]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.viewport(onze_ddi::Viewport::sized(2.0, 4.0)).constants(ShaderStage::Pixel, &blue, 0, 16).draw(3, 0);
    let stats = bench.run(vec![page]);
    assert_eq!((stats.passes, stats.draws), (1, 1));
    let texels = bench.texels(&target, 0, 0);
    assert_eq!(texels[..4], [0, 0, 255, 255], "drawn");
    assert_eq!(texels[12..16], [255, 0, 0, 255], "cleared");
}

#[test]
fn the_last_clear_runs_without_a_draw() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let mut page = Recording::default();
    page.clear(&rtv, [1.0, 0.0, 0.0, 1.0]).clear(&rtv, [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(bench.run(vec![page]).passes, 1);
    assert_eq!(bench.corner(&target), [0, 255, 0, 255]);
}

#[test]
fn a_clear_between_draws_keeps_its_order() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(RGBA8, 4, 4);
    let rtv = bench.rtv(&target, RGBA8);
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).draw(3, 0).clear(&rtv, [0.0; 4]);
    page.viewport(onze_ddi::Viewport::sized(2.0, 4.0)).draw(3, 0);
    assert_eq!(bench.run(vec![page]).passes, 2);
    let texels = bench.texels(&target, 0, 0);
    assert_eq!((&texels[..4], &texels[12..16]), (&[255; 4][..], &[0; 4][..]));
}

#[test]
fn a_clear_of_an_array_view_clears_only_its_slices() {
    let Some(mut bench) = Bench::new() else { return };
    let desc = Texture2dDesc { array_size: 4, ..Texture2dDesc::render_target(RGBA8, 4, 4) };
    let target = bench.texture(desc);
    let desc = TextureViewDesc {
        format: RGBA8,
        dimension: ViewDimension::Texture2dArray,
        range: SubresourceRange { first_slice: 1, slices: 2, ..SubresourceRange::FIRST },
        flags: DsvFlags::empty(),
    };
    let rtv = bench.view(HandleType::RenderTargetView, &target, &desc);
    let mut page = Recording::default();
    page.clear(&rtv, [1.0; 4]);
    bench.run(vec![page]);
    for (slice, expected) in [(0, 0), (1, 255), (2, 255), (3, 0)] {
        assert_eq!(bench.texels(&target, 0, slice)[0], expected, "slice {slice}");
    }
}

#[test]
fn clearing_one_aspect_keeps_the_other() {
    let Some(mut bench) = Bench::new() else { return };
    let depth = bench.depth(Format::R24G8_TYPELESS, 4, 4);
    let dsv = bench.dsv(&depth, Format::D24_UNORM_S8_UINT, DsvFlags::empty());
    for (flags, depth_value, stencil, expected) in
        [(3, 0.5, 7, (0.5, 7)), (1, 0.25, 9, (0.25, 7)), (2, 0.75, 9, (0.25, 9))]
    {
        let mut page = Recording::default();
        page.clear_depth(&dsv, flags, depth_value, stencil);
        bench.run(vec![page]);
        let found = super::copying::depth_texel(&mut bench, &depth);
        assert!(
            (found.0 - expected.0).abs() < 1e-6 && found.1 == expected.1,
            "{flags}: {found:?}, {expected:?}"
        );
    }
}

/// No command is between the two clears, so one pass does both.
#[test]
fn consecutive_clears_of_both_aspects_are_combined() {
    let Some(mut bench) = Bench::new() else { return };
    let depth = bench.depth(Format::R24G8_TYPELESS, 4, 4);
    let dsv = bench.dsv(&depth, Format::D24_UNORM_S8_UINT, DsvFlags::empty());
    for (first, then) in
        [((1, 0.25, 1), (2, 0.75, 9)), ((2, 0.75, 9), (1, 0.25, 1)), ((3, 0.5, 9), (1, 0.25, 1))]
    {
        let mut page = Recording::default();
        page.clear_depth(&dsv, 3, 1.0, 5);
        bench.run(vec![page]);
        let mut page = Recording::default();
        for (flags, value, stencil) in [first, then] {
            page.clear_depth(&dsv, flags, value, stencil);
        }
        assert_eq!(bench.run(vec![page]).passes, 1);
        let (value, stencil) = super::copying::depth_texel(&mut bench, &depth);
        assert!((value - 0.25).abs() < 1e-6 && stencil == 9, "{first:?}, {then:?}: {value}, {stencil}");
    }
}

/// A load operation in the format of the drawn view would write other bits.
#[test]
fn a_clear_uses_the_format_of_its_own_view() {
    const SRGB: Format = Format::R8G8B8A8_UNORM_SRGB;
    let Some(mut bench) = Bench::new() else { return };
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(WHITE));
    let target = bench.target(Format::R8G8B8A8_TYPELESS, 4, 4);
    for (cleared, drawn, expected) in [(RGBA8, SRGB, 128), (SRGB, RGBA8, 188), (SRGB, SRGB, 188)] {
        let (cleared, drawn) = (bench.rtv(&target, cleared), bench.rtv(&target, drawn));
        let mut page = Recording::default();
        page.clear(&cleared, [0.5; 4]).targets(&[Some(&drawn)], None).shaders(&vs, Some(&ps));
        page.viewport(onze_ddi::Viewport::sized(2.0, 4.0)).draw(3, 0);
        bench.run(vec![page]);
        let texels = bench.texels(&target, 0, 0);
        assert_eq!((texels[0], texels[12]), (255, expected), "{:?} in {:?}", cleared.format, drawn.format);
    }
}

#[test]
fn an_integer_target_is_cleared_to_whole_numbers() {
    let Some(mut bench) = Bench::new() else { return };
    let target = bench.target(Format::R8G8B8A8_UINT, 4, 4);
    let rtv = bench.rtv(&target, Format::R8G8B8A8_UINT);
    let mut page = Recording::default();
    page.clear(&rtv, [1.9, 300.0, -4.0, 7.0]);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [1, 255, 0, 7]);
}

#[test]
fn a_pending_clear_runs_before_the_texture_is_sampled() {
    let Some(mut bench) = Bench::new() else { return };
    let (source, target) = (bench.target(RGBA8, 4, 4), bench.target(RGBA8, 4, 4));
    let (source_rtv, source_srv) = (bench.rtv(&source, RGBA8), bench.srv(&source, RGBA8));
    let rtv = bench.rtv(&target, RGBA8);
    let load = "
        @group(1) @binding(2) var image: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(image, vec2u(0, 0), 0); }";
    let (vs, ps) = (bench.vertex(COVER), bench.pixel(load));
    let mut page = Recording::default();
    page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    let object = page.view(&source_srv);
    page.push(crate::record::command::Bind::ShaderResource { stage: ShaderStage::Pixel, slot: 2, object });
    // The first clear is before the first draw, and the second one is in the middle of the pass that samples.
    page.clear(&source_rtv, [1.0, 0.0, 0.0, 1.0])
        .draw(3, 0)
        .clear(&source_rtv, [0.0, 1.0, 0.0, 1.0])
        .draw(3, 0);
    bench.run(vec![page]);
    assert_eq!(bench.corner(&target), [0, 255, 0, 255]);
}
