//! All samplers of Direct3D 11, compared with a CPU sampler ([`reference`]).
//!
//! wgpu supports some of the samplers, and the driver emulates all other samplers in shader code. Both types
//! must match the reference within 8 bits of subtexel and level precision, for texels between 0 and 1.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "samplers/min_lods.rs"]
mod min_lods;
#[path = "samplers/reference.rs"]
mod reference;
#[path = "samplers/scene.rs"]
mod scene;
#[path = "samplers/stages.rs"]
mod stages;

use onze::prelude::*;
use onze_tests::{Config, gpu_matrix, on_each, shapes::COMPARISONS};

use reference::{Lod, Sample};
use scene::{SampleInstruction, SampledTexture, Scene, compare};

use TextureAddressMode::{Border, Clamp, Mirror, MirrorOnce, Wrap};

const MODES: [TextureAddressMode; 5] = [Wrap, Mirror, Clamp, Border, MirrorOnce];

const GREY: [f32; 4] = [0.25, 0.5, 0.75, 0.3];

fn desc(filter: Filter, address: [TextureAddressMode; 3]) -> SamplerDesc {
    let [address_u, address_v, address_w] = address;
    SamplerDesc {
        address_u,
        address_v,
        address_w,
        border_color: GREY,
        max_anisotropy: 4,
        ..SamplerDesc::new(filter, Clamp)
    }
}

#[test]
fn each_pair_of_address_modes_selects_the_right_texels() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Color);
        for (u, v) in MODES.iter().flat_map(|u| MODES.map(|v| (*u, v))) {
            for filter in [Filter::MIN_MAG_MIP_POINT, Filter::MIN_MAG_MIP_LINEAR] {
                compare(h, &mut scene, &desc(filter, [u, v, Wrap]), SampleInstruction::Level);
            }
        }
    });
}

#[test]
fn each_filter_combines_its_texels() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Color);
        for filter in Filter::ALL.into_iter().filter(|filter| !filter.is_comparison()) {
            for address in [Clamp, MirrorOnce, Border] {
                // wgpu leaves the result of an anisotropic filter to the adapter, so samplers without
                // emulation are skipped.
                if filter == Filter::ANISOTROPIC && address == Clamp {
                    continue;
                }
                compare(h, &mut scene, &desc(filter, [address; 3]), SampleInstruction::Level);
            }
        }
    });
}

#[test]
fn border_colours_are_clamped_to_the_range_of_the_format() {
    on_each(&[Config::GPU], |h| {
        let colors =
            [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4], GREY, [0.0, 0.0, 1.0, 0.0], [-2.0, 0.5, 3.0, 1e30]];
        for kind in [SampledTexture::Color, SampledTexture::OneComponent, SampledTexture::Signed] {
            let mut scene = Scene::new(h, kind);
            for border_color in colors {
                for filter in [Filter::MIN_MAG_MIP_POINT, Filter::MIN_MAG_MIP_LINEAR] {
                    for address in [[Border; 3], [Border, Wrap, Wrap], [Mirror, Border, Wrap]] {
                        let desc = SamplerDesc { border_color, ..desc(filter, address) };
                        compare(h, &mut scene, &desc, SampleInstruction::Level);
                    }
                }
            }
        }
    });
}

/// Tests LOD biases and limits with a sampler of wgpu and with an emulated sampler.
#[test]
fn the_level_is_biased_and_then_clamped() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Color);
        let limits = [
            (f32::MIN, f32::MAX),
            (0.0, 1.25),
            (1.25, 8.0),
            (2.0, 1.0),
            (-3.0, -1.0),
            (0.75, 0.75),
            (f32::MAX, f32::MIN),
        ];
        for (min_lod, max_lod) in limits {
            for mip_lod_bias in [0.0, 1.0, -0.75, 15.99, -16.0] {
                for address in [Wrap, MirrorOnce] {
                    for filter in [Filter::MIN_MAG_POINT_MIP_LINEAR, Filter::MIN_POINT_MAG_LINEAR_MIP_POINT] {
                        let desc =
                            SamplerDesc { min_lod, max_lod, mip_lod_bias, ..desc(filter, [address; 3]) };
                        compare(h, &mut scene, &desc, SampleInstruction::Level);
                    }
                }
            }
        }
    });
}

#[test]
fn each_instruction_samples_with_each_sampler() {
    on_each(&gpu_matrix(), |h| {
        for kind in [SampledTexture::Color, SampledTexture::Slices] {
            let mut scene = Scene::new(h, kind);
            for way in SampleInstruction::ALL {
                for (address, mip_lod_bias, filter) in [
                    (Wrap, 0.0, Filter::MIN_MAG_MIP_LINEAR),
                    (Mirror, 1.0, Filter::MIN_MAG_MIP_LINEAR),
                    (Clamp, -1.0, Filter::MIN_MAG_MIP_POINT),
                    (MirrorOnce, 0.0, Filter::MIN_MAG_MIP_LINEAR),
                    (Border, 1.0, Filter::MIN_MAG_MIP_POINT),
                    (Border, 0.0, Filter::MAXIMUM_MIN_MAG_MIP_LINEAR),
                ] {
                    let desc = SamplerDesc { mip_lod_bias, ..desc(filter, [address; 3]) };
                    compare(h, &mut scene, &desc, way);
                }
            }
        }
    });
}

/// wgpu leaves the result for stretched areas to the adapter, so only emulated samplers are tested.
#[test]
fn an_anisotropic_filter_samples_along_the_long_side() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Color);
        for filter in [Filter::ANISOTROPIC, Filter::MINIMUM_ANISOTROPIC, Filter::MAXIMUM_ANISOTROPIC] {
            for (address, max_anisotropy) in [(MirrorOnce, 1), (Border, 2), (MirrorOnce, 16), (Border, 3)] {
                for mip_lod_bias in [0.0, 0.5] {
                    let desc = SamplerDesc { max_anisotropy, mip_lod_bias, ..desc(filter, [address; 3]) };
                    for way in
                        [SampleInstruction::Stretched, SampleInstruction::Skewed, SampleInstruction::Level]
                    {
                        compare(h, &mut scene, &desc, way);
                    }
                }
            }
        }
    });
}

#[test]
fn comparisons_are_applied_before_the_filter() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Depth);
        for comparison_func in COMPARISONS {
            for border_color in [[0.0; 4], [1.0; 4], [0.5, 0.0, 1.0, 1.0], [0.3; 4]] {
                for filter in
                    [Filter::COMPARISON_MIN_MAG_MIP_POINT, Filter::COMPARISON_MIN_MAG_LINEAR_MIP_POINT]
                {
                    let desc = SamplerDesc { comparison_func, border_color, ..desc(filter, [Border; 3]) };
                    for way in [SampleInstruction::Zero, SampleInstruction::Auto, SampleInstruction::Gather] {
                        compare(h, &mut scene, &desc, way);
                    }
                }
            }
        }
    });
}

#[test]
fn comparison_samplers_support_every_mode_filter_and_bias() {
    on_each(&[Config::GPU], |h| {
        let mut scene = Scene::new(h, SampledTexture::Depth);
        for filter in Filter::ALL.into_iter().filter(|filter| filter.is_comparison()) {
            for address in MODES {
                for mip_lod_bias in [0.0, 1.0, 1.25] {
                    // wgpu leaves the result of an anisotropic filter to the adapter, so samplers without
                    // emulation are skipped.
                    if filter.anisotropic && mip_lod_bias == 0.0 && address != MirrorOnce {
                        continue;
                    }
                    let comparison_func = ComparisonFunc::LessEqual;
                    let desc = SamplerDesc { comparison_func, mip_lod_bias, ..desc(filter, [address; 3]) };
                    for way in [SampleInstruction::Zero, SampleInstruction::Auto] {
                        compare(h, &mut scene, &desc, way);
                    }
                }
            }
        }
    });
}
