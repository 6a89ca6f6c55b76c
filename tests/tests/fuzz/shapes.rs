//! 1D textures, 1D texture arrays and 3D textures, which are updated, copied by boxes, mapped, and viewed by
//! ranges of mip levels, array slices and depth slices.

use onze::*;
use onze_tests::Random;

use crate::{
    Contents,
    commands::{map_type, region},
    textures::{format, part, view_format, without_tiny},
    world::{World, any, flags, keep, odd, usage},
};

#[derive(Clone, Debug)]
pub(crate) enum Shaped {
    D1(Texture1d),
    D3(Texture3d),
}

/// Evaluates an expression with the inner texture of any dimension.
macro_rules! each {
    ($shaped:expr, $texture:ident => $with:expr) => {
        match $shaped {
            Shaped::D1($texture) => $with,
            Shaped::D3($texture) => $with,
        }
    };
}

impl Shaped {
    fn desc(&self) -> TextureDesc {
        each!(self, texture => texture.desc().into())
    }

    fn is_deep(&self) -> bool {
        matches!(self, Self::D3(_))
    }

    /// Creates a shader resource view of the inner texture.
    fn resource_view(
        &self,
        device: &Device,
        desc: Option<&ShaderResourceViewDesc>,
    ) -> Option<ShaderResourceView> {
        each!(self, texture => device.create_shader_resource_view(texture, desc)).ok()
    }

    fn target(&self, device: &Device, desc: Option<&RenderTargetViewDesc>) -> Option<RenderTargetView> {
        each!(self, texture => device.create_render_target_view(texture, desc)).ok()
    }

    fn written(
        &self,
        device: &Device,
        desc: Option<&UnorderedAccessViewDesc>,
    ) -> Option<UnorderedAccessView> {
        each!(self, texture => device.create_unordered_access_view(texture, desc)).ok()
    }
}

fn make(device: &Device, desc: &TextureDesc, data: Option<&[SubresourceData<'_>]>) -> Option<Shaped> {
    match desc.shape {
        TextureShape::D3 => device.create_texture_3d(&desc.into(), data).ok().map(Shaped::D3),
        _ => device.create_texture_1d(&desc.into(), data).ok().map(Shaped::D1),
    }
}

const PLAIN: BindFlags =
    BindFlags::RENDER_TARGET.union(BindFlags::SHADER_RESOURCE).union(BindFlags::UNORDERED_ACCESS);

impl World {
    pub(crate) fn populate_shapes(&mut self, r: &mut Random) {
        let misc_flags = MiscFlags::GENERATE_MIPS | MiscFlags::RESOURCE_CLAMP;
        let rows = |format, array_size| {
            let desc = Texture1dDesc::new(format, 16);
            Texture1dDesc { bind_flags: PLAIN, misc_flags, array_size, ..desc }.into()
        };
        let blocks = |format, misc_flags| {
            let desc = Texture3dDesc::new(format, 16, 16, 4);
            Texture3dDesc { bind_flags: PLAIN, misc_flags, ..desc }.into()
        };
        let descs: [TextureDesc; 5] = [
            rows(Format::R8G8B8A8_UNORM, 1),
            rows(Format::R32_FLOAT, 3),
            blocks(Format::R8G8B8A8_UNORM, misc_flags),
            blocks(Format::R8G8B8A8_TYPELESS, MiscFlags::empty()),
            blocks(Format::R32_UINT, MiscFlags::empty()),
        ];
        for desc in descs {
            let Some(shaped) = make(&self.device, &desc, None) else { continue };
            for _ in 0..3 {
                self.view_of_shape(r, &shaped, false);
            }
            self.shapes.push(shaped);
        }
    }

    pub(crate) fn create_shape(&mut self, r: &mut Random) {
        let desc = shape_desc(r);
        let given = desc.usage == Usage::Immutable || r.one_in(3);
        let mips = desc.mip_levels.min(16);
        let pitches = |mip: u32| {
            let (width, height, _) = desc.mip_extent(mip);
            let row = desc.format.row_pitch(width) + 4 * (mip % 2);
            (row, row * desc.format.rows(height) + 4 * (mip % 3))
        };
        let bytes: Vec<_> = (0..mips * desc.array_size.min(16))
            .map(|at| r.bytes((pitches(at % mips).1 * desc.mip_extent(at % mips).2.min(64)) as usize))
            .collect();
        let data: Vec<_> = (0..)
            .zip(&bytes)
            .map(|(at, bytes)| {
                let (row_pitch, depth_pitch) = pitches(at % mips);
                SubresourceData { bytes, row_pitch, depth_pitch }
            })
            .collect();
        self.say(format_args!("texture {desc:?} contents {given}"));
        let made = make(&self.maker(r), &desc, given.then_some(&data[..]));
        keep(r, &mut self.shapes, made);
    }

    pub(crate) fn create_shape_view(&mut self, r: &mut Random) {
        if let Some(shaped) = any(r, &self.shapes).cloned() {
            let is_odd = r.one_in(4);
            self.view_of_shape(r, &shaped, is_odd);
        }
    }

    fn view_of_shape(&mut self, r: &mut Random, shaped: &Shaped, is_odd: bool) {
        let (desc, device) = (shaped.desc(), self.maker(r));
        let format = view_format(r, desc.format);
        let binds = desc.bind_flags;
        match r.below(3) {
            0 if binds.contains(BindFlags::RENDER_TARGET) || is_odd => {
                let dimension = (!r.one_in(4)).then(|| target_dimension(r, &desc, is_odd));
                let view = RenderTargetViewDesc { format, dimension, ..Default::default() };
                self.say(format_args!("target view {view:?} of {desc:?}"));
                keep(r, &mut self.targets, shaped.target(&device, Some(&view)));
            }
            1 if binds.contains(BindFlags::UNORDERED_ACCESS) || is_odd => {
                let dimension = (!r.one_in(4)).then(|| written_dimension(r, &desc, is_odd));
                let view = UnorderedAccessViewDesc { format, dimension, ..Default::default() };
                self.say(format_args!("unordered view {view:?} of {desc:?}"));
                keep(r, &mut self.compute.views, shaped.written(&device, Some(&view)));
            }
            _ => {
                let dimension = (!r.one_in(4)).then(|| resource_dimension(r, &desc, is_odd));
                let view = ShaderResourceViewDesc { format, dimension, ..Default::default() };
                self.say(format_args!("resource view {view:?} of {desc:?}"));
                keep(r, &mut self.resources, shaped.resource_view(&device, Some(&view)));
            }
        }
    }
}

fn shape_desc(r: &mut Random) -> TextureDesc {
    let (usage, cpu_access_flags) = usage(r);
    let bind = match usage {
        Usage::Staging => 0,
        Usage::Immutable | Usage::Dynamic => 0x8,
        Usage::Default => *r.pick(&[0x28, 0xa8, 0x88, 0x8, 0]),
    };
    let side = |r: &mut Random| if r.one_in(12) { odd(r, 60).min(600) } else { *r.pick(&[1, 3, 4, 8, 16]) };
    let is_deep = r.one_in(2);
    let misc = if bind & 0x28 == 0x28 && r.one_in(3) { 0x1 } else { 0 };
    let slices = if usage == Usage::Dynamic { 1 } else { *r.pick(&[1, 1, 2, 5]) };
    TextureDesc {
        shape: if is_deep { TextureShape::D3 } else { TextureShape::D1 },
        width: side(r),
        height: if is_deep { side(r) } else { 1 },
        depth: if is_deep { side(r) } else { 1 },
        mip_levels: if usage == Usage::Dynamic { 1 } else { *r.pick(&[1, 1, 2, 3]) },
        array_size: if is_deep { 1 } else { slices },
        format: format(r),
        sample_count: 1,
        sample_quality: 0,
        usage,
        bind_flags: BindFlags::from_bits_retain(flags(r, bind)),
        cpu_access_flags,
        misc_flags: MiscFlags::from_bits_retain(flags(r, misc)),
        label: None,
    }
}

/// Defines a function that returns a random dimension for an output view: a mip level with a range of slices
/// or depth slices. Occasionally, the dimension is that of a texture with another shape.
macro_rules! output_dimension {
    ($name:ident $dimension:ident) => {
        fn $name(r: &mut Random, desc: &TextureDesc, is_odd: bool) -> $dimension {
            use $dimension as D;
            let (mip_slice, _) = part(r, desc.mip_levels);
            let is_deep = (desc.shape == TextureShape::D3) != (is_odd && r.one_in(4));
            if is_deep {
                let (first_w_slice, w_size) = part(r, desc.mip_depth(mip_slice.min(20)));
                return D::Texture3d { mip_slice, first_w_slice, w_size };
            }
            let (first_array_slice, array_size) = part(r, desc.array_size);
            match r.below(2) {
                0 => D::Texture1d { mip_slice },
                _ => D::Texture1dArray { mip_slice, first_array_slice, array_size },
            }
        }
    };
}
output_dimension!(target_dimension RenderTargetViewDimension);
output_dimension!(written_dimension UnorderedAccessViewDimension);

fn resource_dimension(r: &mut Random, desc: &TextureDesc, is_odd: bool) -> ShaderResourceViewDimension {
    use ShaderResourceViewDimension as D;
    let (most_detailed_mip, mip_levels) = part(r, desc.mip_levels);
    let (first_array_slice, array_size) = part(r, desc.array_size);
    match r.below(2) {
        _ if (desc.shape == TextureShape::D3) != (is_odd && r.one_in(4)) => {
            D::Texture3d { most_detailed_mip, mip_levels }
        }
        0 => D::Texture1d { most_detailed_mip, mip_levels },
        _ => D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice, array_size },
    }
}

pub(crate) fn command(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let Some(shaped) = any(r, &w.shapes) else { return };
    match r.below(8) {
        0..3 => update(w, r, cx, shaped),
        3 => map(w, r, cx, shaped),
        4 => {
            let to = other(w, r, shaped);
            w.say(format_args!("copy {:?} {:?}", to.desc(), shaped.desc()));
            each!(to, to => each!(shaped, from => cx.copy_resource(to, from)));
        }
        5 => copy_between_shapes(w, r, cx, shaped),
        _ => copy(w, r, cx, shaped),
    }
}

fn other<'a>(w: &'a World, r: &mut Random, from: &'a Shaped) -> &'a Shaped {
    let is_odd = r.one_in(8);
    let fits = |to: &&Shaped| {
        is_odd || to.is_deep() == from.is_deep() && to.desc().format.family() == from.desc().format.family()
    };
    let fitting: Vec<_> = w.shapes.iter().filter(fits).collect();
    any(r, &fitting).copied().unwrap_or(from)
}

fn subresource(r: &mut Random, desc: &TextureDesc) -> u32 {
    if r.one_in(12) { odd(r, 9) } else { r.below(desc.subresources()) }
}

fn part_of(r: &mut Random, desc: &TextureDesc, subresource: u32) -> Option<Box3d> {
    let (width, height, depth) = desc.mip_extent(desc.mip_and_slice(subresource).0.min(20));
    let part = region(r, width, height)?;
    let (front, count) = self::part(r, depth);
    Some(Box3d { front, back: front.saturating_add(count).min(depth + u32::from(r.one_in(20))), ..part })
}

fn update(w: &World, r: &mut Random, cx: &mut DeviceContext, shaped: &Shaped) {
    let desc = shaped.desc();
    let at = subresource(r, &desc);
    let (width, height, depth) = desc.mip_extent(desc.mip_and_slice(at).0.min(20));
    let row_pitch = desc.format.row_pitch(width) + *r.pick(&[0, 0, 4, 9]);
    let depth_pitch = row_pitch * desc.format.rows(height) + *r.pick(&[0, 0, 8]);
    let bytes = r.bytes((depth_pitch * depth) as usize);
    let part = part_of(r, &desc, at);
    w.say(format_args!("update {desc:?} {at} {part:?} {row_pitch} {depth_pitch}"));
    each!(shaped, texture => cx.update_subresource(texture, at, part, &bytes, row_pitch, depth_pitch));
}

fn map(w: &World, r: &mut Random, cx: &mut DeviceContext, shaped: &Shaped) {
    let desc = shaped.desc();
    if w.deferrable && desc.usage == Usage::Staging {
        return;
    }
    let (at, map_type) = (subresource(r, &desc), map_type(w, r, desc.usage, false));
    w.say(format_args!("map {at} {map_type:?} {desc:?}"));
    let value = (r.below(200) as f32 / 100.0 - 1.0).to_le_bytes();
    let Ok(mut mapped) = each!(shaped, texture => cx.map(texture, at, map_type)) else { return };
    // Each write begins at the start of a row, because the row pitch differs between drivers.
    let (row, depth) = (mapped.row_pitch().max(1) as usize, mapped.depth_pitch().max(1) as usize);
    for slice in mapped.chunks_mut(depth) {
        for row in slice.chunks_mut(row) {
            row.iter_mut().zip(value.into_iter().cycle()).for_each(|(byte, new)| *byte = new);
        }
    }
}

fn place(r: &mut Random, of: Format) -> [u32; 3] {
    let grid = of.block_size().0.max(1);
    let mut side = |grid| if r.one_in(3) { odd(r, 8) / grid * grid } else { 0 };
    [side(grid), side(grid), side(1)]
}

fn copy(w: &World, r: &mut Random, cx: &mut DeviceContext, from: &Shaped) {
    let to = other(w, r, from);
    let (source, target) = (from.desc(), to.desc());
    let (from_sub, to_sub) = (subresource(r, &source), subresource(r, &target));
    let (part, at) = (part_of(r, &source, from_sub), place(r, target.format));
    w.say(format_args!("copy region {target:?} {to_sub} {at:?} {source:?} {from_sub} {part:?}"));
    each!(to, to => each!(from, from => cx.copy_subresource_region(to, to_sub, at, from, from_sub, part)));
}

fn copy_between_shapes(w: &World, r: &mut Random, cx: &mut DeviceContext, shaped: &Shaped) {
    let is_odd = r.one_in(8);
    let desc = shaped.desc();
    let fits = |flat: &&Texture2d| is_odd || flat.desc().format.family() == desc.format.family();
    let flats: Vec<_> = w.textures.iter().filter(fits).collect();
    let Some(flat) = any(r, &flats) else { return };
    let flat_desc = TextureDesc::from(flat.desc());
    let (sub, flat_sub) = (subresource(r, &desc), subresource(r, &flat_desc));
    if r.one_in(2) {
        let (part, at) = (part_of(r, &desc, sub), place(r, flat_desc.format));
        w.say(format_args!("copy region {flat_desc:?} {flat_sub} {at:?} {desc:?} {sub} {part:?}"));
        each!(shaped, from => cx.copy_subresource_region(*flat, flat_sub, at, from, sub, part));
    } else {
        let (part, at) = (part_of(r, &flat_desc, flat_sub), place(r, desc.format));
        w.say(format_args!("copy region {desc:?} {sub} {at:?} {flat_desc:?} {flat_sub} {part:?}"));
        each!(shaped, to => cx.copy_subresource_region(to, sub, at, *flat, flat_sub, part));
    }
}

pub(crate) fn contents(w: &World, cx: &mut ImmediateContext) -> Contents {
    let mut all = Contents::new();
    for shaped in &w.shapes {
        let desc = shaped.desc();
        for at in 0..desc.subresources() {
            let bytes = match shaped {
                Shaped::D1(texture) => cx.read_texture_1d(texture, at),
                Shaped::D3(texture) => cx.read_texture_3d(texture, at),
            };
            all.extend(
                bytes.ok().map(|bytes| (format!("{at} of {desc:?}"), without_tiny(desc.format, bytes))),
            );
        }
    }
    all
}
