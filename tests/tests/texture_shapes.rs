//! 1D textures, 1D arrays, 2D arrays and 3D textures: their creation and all transfers of texels, compared
//! with a model.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "texture_shapes/model.rs"]
mod model;
#[path = "texture_shapes/views.rs"]
mod views;

use onze::prelude::*;
use onze::{Error, TextureDesc, TextureShape};
use onze_tests::{CommandPath, Config, Random, matrix, on_each};

use self::model::{Any, Model, each};

#[test]
fn descriptors_of_each_shape_have_their_limits() {
    let r8 = Format::R8_UNORM;
    let row = || Texture1dDesc { mip_levels: 1, ..Texture1dDesc::new(r8, 8) };
    let block = || Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(r8, 8, 4, 2) };
    let dynamic = (Usage::Dynamic, CpuAccessFlags::WRITE);
    let rows = [
        (row(), true),
        (Texture1dDesc { width: 16384, ..row() }, true),
        (Texture1dDesc { width: 16385, ..row() }, false),
        (Texture1dDesc { width: 0, ..row() }, false),
        (Texture1dDesc { array_size: 0, ..row() }, false),
        (Texture1dDesc { array_size: 2049, ..row() }, false),
        (Texture1dDesc { mip_levels: 4, ..row() }, true),
        (Texture1dDesc { mip_levels: 5, ..row() }, false),
        (Texture1dDesc { misc_flags: MiscFlags::TEXTURECUBE, array_size: 6, ..row() }, false),
        (Texture1dDesc { format: Format::BC1_UNORM, ..row() }, false),
        (Texture1dDesc { bind_flags: BindFlags::VERTEX_BUFFER, ..row() }, false),
        (Texture1dDesc { format: Format::D32_FLOAT, bind_flags: BindFlags::DEPTH_STENCIL, ..row() }, true),
        (Texture1dDesc { usage: dynamic.0, cpu_access_flags: dynamic.1, ..row() }, true),
        (Texture1dDesc { usage: dynamic.0, cpu_access_flags: dynamic.1, array_size: 2, ..row() }, false),
        (Texture1dDesc { usage: Usage::Immutable, ..row() }, false),
    ];
    let blocks = [
        (block(), true),
        (Texture3dDesc { width: 2048, height: 1, ..block() }, true),
        (Texture3dDesc { width: 2049, ..block() }, false),
        (Texture3dDesc { height: 2049, ..block() }, false),
        (Texture3dDesc { depth: 2049, ..block() }, false),
        (Texture3dDesc { depth: 0, ..block() }, false),
        (Texture3dDesc { mip_levels: 4, ..block() }, true),
        (Texture3dDesc { mip_levels: 5, ..block() }, false),
        (Texture3dDesc { depth: 16, mip_levels: 5, ..block() }, true),
        (Texture3dDesc { misc_flags: MiscFlags::TEXTURECUBE, ..block() }, false),
        (Texture3dDesc { format: Format::D32_FLOAT, bind_flags: BindFlags::empty(), ..block() }, false),
        (
            Texture3dDesc { format: Format::R32_TYPELESS, bind_flags: BindFlags::DEPTH_STENCIL, ..block() },
            false,
        ),
        (Texture3dDesc { usage: dynamic.0, cpu_access_flags: dynamic.1, ..block() }, true),
        (Texture3dDesc { usage: dynamic.0, cpu_access_flags: dynamic.1, mip_levels: 2, ..block() }, false),
        (Texture3dDesc { usage: Usage::Immutable, ..block() }, false),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        for (desc, valid) in &rows {
            let made = h.device.create_texture_1d(desc, None);
            assert_eq!(made.as_ref().map(Texture1d::desc).ok(), valid.then(|| desc.clone()), "{desc:?}");
            if !valid {
                assert!(matches!(made, Err(Error::InvalidArg(_))), "{desc:?}: {made:?}");
                h.assert_reported(MessageId::CreateTexture1dInvalid);
            }
        }
        for (desc, valid) in &blocks {
            let made = h.device.create_texture_3d(desc, None);
            assert_eq!(made.as_ref().map(Texture3d::desc).ok(), valid.then(|| desc.clone()), "{desc:?}");
            if !valid {
                assert!(matches!(made, Err(Error::InvalidArg(_))), "{desc:?}: {made:?}");
                h.assert_reported(MessageId::CreateTexture3dInvalid);
            }
        }
        let chain = h.device.create_texture_3d(&Texture3dDesc { mip_levels: 0, depth: 64, ..block() }, None);
        assert_eq!(chain.unwrap().desc().mip_levels, 7);
        // The depth pitch is smaller than a slice, or the last byte is missing.
        for (bytes, depth_pitch) in [(64, 31), (63, 32)] {
            let data = SubresourceData { bytes: &vec![0; bytes], row_pitch: 8, depth_pitch };
            assert!(h.device.create_texture_3d(&block(), Some(&[data])).is_err());
            h.assert_reported(MessageId::CreateTexture3dInvalid);
        }
        assert!(h.device.create_texture_3d_with(r8, 2, 2, 2, &[0_u8; 7]).is_err());
        h.assert_reported(MessageId::CreateTexture3dInvalid);
        assert!(h.device.create_texture_1d_with(r8, 2, &[0_u8; 3]).is_err());
        h.assert_reported(MessageId::CreateTexture1dInvalid);
    });
}

/// Covers all usages, with and without padding between rows and depth slices.
#[test]
fn initial_data_of_each_shape_is_read_back() {
    on_each(&matrix(), |h| {
        let mut r = Random::new(3);
        for usage in [Usage::Default, Usage::Immutable, Usage::Staging, Usage::Dynamic] {
            for mut desc in model::shapes() {
                (desc.bind_flags, desc.cpu_access_flags) = match usage {
                    Usage::Staging => (BindFlags::empty(), CpuAccessFlags::READ),
                    Usage::Dynamic => (BindFlags::SHADER_RESOURCE, CpuAccessFlags::WRITE),
                    _ => (BindFlags::SHADER_RESOURCE, CpuAccessFlags::empty()),
                };
                if usage == Usage::Dynamic {
                    (desc.mip_levels, desc.array_size) = (1, 1);
                }
                desc.usage = usage;
                let model = Model::random(desc, &mut r);
                for padding in [0, 5] {
                    let texture = model.create(&h.device, padding);
                    model.assert(h, &texture, &format!("{usage:?} {padding}"));
                }
            }
        }
    });
}

/// Tries random boxes in random subresources with random pitches, where empty boxes and boxes that are out of
/// range change nothing.
#[test]
fn updates_by_boxes_follow_the_model() {
    on_each(&matrix(), |h| {
        let mut r = Random::new(4);
        for desc in model::shapes() {
            let mut model = Model::random(desc, &mut r);
            let texture = model.create(&h.device, 0);
            for round in 0..12 {
                let how = *r.pick(&CommandPath::ALL);
                let at = r.below(model.desc.subresources());
                let part = (!r.one_in(6)).then(|| model.some_box(at, &mut r));
                let whole = model.whole(at);
                let b = part.unwrap_or(whole);
                let row_pitch = b.right.saturating_sub(b.left) + r.below(4);
                let depth_pitch = row_pitch * b.bottom.saturating_sub(b.top) + r.below(7);
                let bytes = r.bytes((depth_pitch * b.back.saturating_sub(b.front) + 64) as usize);
                h.record(how, |cx| {
                    each!(&texture, t => cx.update_subresource(t, at, part, &bytes, row_pitch, depth_pitch));
                });
                if model.holds(at, b) {
                    for z in b.front..b.back {
                        for y in b.top..b.bottom {
                            for x in b.left..b.right {
                                let from =
                                    (z - b.front) * depth_pitch + (y - b.top) * row_pitch + (x - b.left);
                                *model.texel(at, x, y, z) = bytes[from as usize];
                            }
                        }
                    }
                } else if !b.is_empty() {
                    h.assert_reported(MessageId::UpdateSubresourceInvalid);
                }
                model.assert(h, &texture, &format!("round {round} {how:?} {part:?} of {at}"));
            }
        }
    });
}

/// Tries copies between all shapes, copies within one texture, and copies to and from staging textures.
#[test]
fn copies_by_boxes_follow_the_model() {
    on_each(&matrix(), |h| {
        let mut r = Random::new(5);
        let mut models = Vec::new();
        for staging in [false, true] {
            for mut desc in model::shapes() {
                if staging {
                    (desc.usage, desc.bind_flags) = (Usage::Staging, BindFlags::empty());
                    desc.cpu_access_flags = CpuAccessFlags::READ;
                }
                let model = Model::random(desc, &mut r);
                let texture = model.create(&h.device, 0);
                models.push((model, texture));
            }
        }
        for round in 0..80 {
            let how = *r.pick(&CommandPath::ALL);
            let (to, from) = (r.below(models.len() as u32) as usize, r.below(models.len() as u32) as usize);
            let (dst, src) =
                (r.below(models[to].0.desc.subresources()), r.below(models[from].0.desc.subresources()));
            let part = (!r.one_in(6)).then(|| models[from].0.some_box(src, &mut r));
            let b = part.unwrap_or(models[from].0.whole(src));
            let (width, height, depth) = models[to].0.extent(dst);
            let mut at = |size: u32, end: u32, start: u32| {
                let beyond = u32::from(r.one_in(10));
                r.below(size.saturating_sub(end.saturating_sub(start)) + 1 + beyond)
            };
            let at = [at(width, b.right, b.left), at(height, b.bottom, b.top), at(depth, b.back, b.front)];
            h.record(how, |cx| {
                each!(&models[to].1, to => each!(&models[from].1, from => {
                    cx.copy_subresource_region(to, dst, at, from, src, part);
                }));
            });
            let end = Box3d {
                left: at[0],
                top: at[1],
                front: at[2],
                right: at[0] + b.right.saturating_sub(b.left),
                bottom: at[1] + b.bottom.saturating_sub(b.top),
                back: at[2] + b.back.saturating_sub(b.front),
            };
            if models[from].0.holds(src, b) && models[to].0.holds(dst, end) {
                let before = models[from].0.clone();
                for z in 0..b.back - b.front {
                    for y in 0..b.bottom - b.top {
                        for x in 0..b.right - b.left {
                            let texel = before.subresources[src as usize]
                                [before.index(src, b.left + x, b.top + y, b.front + z)];
                            *models[to].0.texel(dst, at[0] + x, at[1] + y, at[2] + z) = texel;
                        }
                    }
                }
            } else if !b.is_empty() {
                h.assert_reported(MessageId::CopySubresourceRegionInvalid);
            }
            let (model, texture) = &models[to];
            model.assert(
                h,
                texture,
                &format!("round {round} {how:?}: {part:?} of {from}/{src} to {at:?} of {to}/{dst}"),
            );
        }
    });
}

/// Copies of whole resources require equal shapes and sizes, so textures of another shape are not copied.
#[test]
fn whole_copies_need_one_shape() {
    on_each(&matrix(), |h| {
        let mut r = Random::new(6);
        for desc in model::shapes() {
            for how in CommandPath::ALL {
                let (from, to) = (Model::random(desc.clone(), &mut r), Model::random(desc.clone(), &mut r));
                let (src, dst) = (from.create(&h.device, 0), to.create(&h.device, 0));
                h.record(how, |cx| {
                    each!(&dst, dst => each!(&src, src => cx.copy_resource(dst, src)));
                });
                from.assert(h, &dst, &format!("{how:?}"));
            }
        }
        let flat = h.device.create_texture_2d_with(Format::R8_UINT, 4, 1, &[1_u8, 2, 3, 4]).unwrap();
        let row = h.device.create_texture_1d_with(Format::R8_UINT, 4, &[5_u8; 4]).unwrap();
        let block = h.device.create_texture_3d_with(Format::R8_UINT, 4, 1, 1, &[6_u8; 4]).unwrap();
        h.immediate.copy_resource(&row, &flat);
        h.immediate.copy_resource(&flat, &block);
        h.immediate.copy_resource(&block, &row);
        assert_eq!(h.immediate.read_texture_1d(&row, 0).unwrap(), [5; 4]);
        assert_eq!(h.immediate.read_texture_2d(&flat, 0).unwrap(), [1, 2, 3, 4]);
        assert_eq!(h.immediate.read_texture_3d(&block, 0).unwrap(), [6; 4]);
        h.assert_reported(MessageId::CopyResourceInvalid);
    });
}

/// Writes and reads staging textures with both pitches, and discards dynamic textures.
#[test]
fn maps_of_each_shape_have_two_pitches() {
    on_each(&matrix(), |h| {
        let mut r = Random::new(7);
        for desc in model::shapes() {
            let access = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
            let staging = TextureDesc {
                usage: Usage::Staging,
                bind_flags: BindFlags::empty(),
                cpu_access_flags: access,
                ..desc.clone()
            };
            let model = Model::random(staging, &mut r);
            let texture = Model { subresources: Vec::new(), ..model.clone() }.create(&h.device, 0);
            for at in 0..model.desc.subresources() {
                let mut mapped = each!(&texture, t => h.immediate.map(t, at, MapType::Write)).unwrap();
                model.write(at, &mut mapped);
            }
            model.assert(h, &texture, "staging");
            let dynamic = TextureDesc {
                usage: Usage::Dynamic,
                cpu_access_flags: CpuAccessFlags::WRITE,
                mip_levels: 1,
                array_size: 1,
                ..desc
            };
            for how in CommandPath::ALL {
                let model = Model::random(dynamic.clone(), &mut r);
                let texture = Model { subresources: Vec::new(), ..model.clone() }.create(&h.device, 0);
                h.record(how, |cx| {
                    let mut mapped = each!(&texture, t => cx.map(t, 0, MapType::WriteDiscard)).unwrap();
                    model.write(0, &mut mapped);
                });
                model.assert(h, &texture, &format!("dynamic {how:?}"));
                let next = Model::random(dynamic.clone(), &mut r);
                h.record(how, |cx| {
                    each!(&texture, t => cx.update(t, &next.subresources[0][..])).unwrap();
                });
                next.assert(h, &texture, &format!("updated {how:?}"));
            }
        }
    });
}

/// A map of a 4 x 3 x 5 texture covers five slices of three rows.
#[test]
fn a_depth_pitch_is_that_of_a_slice() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = Texture3dDesc::staging(Format::R8_UINT, 4, 3, 5, CpuAccessFlags::READ);
        let texture = h.device.create_texture_3d(&desc, None).unwrap();
        let mapped = h.immediate.map(&texture, 0, MapType::Read).unwrap();
        let (row, slice) = (mapped.row_pitch(), mapped.depth_pitch());
        assert!(row >= 4 && slice >= 3 * row && mapped.len() as u32 >= 4 * slice + 2 * row + 4);
    });
}

#[test]
fn views_return_the_texture_of_their_own_shape() {
    on_each(&[Config::NULL], |h| {
        let row = h.device.create_texture_1d_with(Format::R8_UINT, 4, &[5_u8; 4]).unwrap();
        let view = row.create_shader_resource_view().unwrap();
        assert_eq!(
            (view.texture_1d(), view.texture_2d(), view.texture_3d()),
            (Some(row.clone()), None, None)
        );
        let block = h.device.create_texture_3d_with(Format::R8_UINT, 4, 1, 1, &[6_u8; 4]).unwrap();
        let view = block.create_shader_resource_view().unwrap();
        assert_eq!(
            (view.texture_1d(), view.texture_2d(), view.texture_3d()),
            (None, None, Some(block.clone()))
        );
        for (resource, expected) in [
            (onze::Resource::resource_desc(&row), TextureShape::D1),
            (onze::Resource::resource_desc(&block), TextureShape::D3),
        ] {
            assert!(
                matches!(resource, ResourceDesc::Texture(TextureDesc { shape, .. }) if shape == expected)
            );
        }
    });
}
