//! 2D textures and their views, with plausible and with unusual arguments.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, flags, keep, odd, usage};

const USUAL: &[Format] = &[
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_TYPELESS,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::B8G8R8A8_UNORM,
    Format::R8G8B8A8_UINT,
    Format::R8G8B8A8_SINT,
    Format::R32_FLOAT,
    Format::R32_UINT,
    Format::R16G16B16A16_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::R10G10B10A2_UNORM,
    Format::R11G11B10_FLOAT,
    Format::R8_UNORM,
    Format::BC1_UNORM,
    Format::BC3_TYPELESS,
    Format::B5G6R5_UNORM,
    Format::B5G5R5A1_UNORM,
    Format::B4G4R4A4_UNORM,
    Format::R9G9B9E5_SHAREDEXP,
    Format::R8G8_B8G8_UNORM,
    Format::R32_TYPELESS,
    Format::R16G16_TYPELESS,
    Format::R10G10B10A2_TYPELESS,
];

const DEPTHS: &[Format] = &[
    Format::D32_FLOAT,
    Format::R32_TYPELESS,
    Format::D24_UNORM_S8_UINT,
    Format::R24G8_TYPELESS,
    Format::D16_UNORM,
    Format::R16_TYPELESS,
    Format::D32_FLOAT_S8X24_UINT,
    Format::R32G8X24_TYPELESS,
];

impl World {
    /// Creates typeless textures with two target views each, in two formats.
    pub(crate) fn populate_twins(&mut self) {
        for (format, views) in [
            (Format::R8G8B8A8_TYPELESS, [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB]),
            (Format::B8G8R8A8_TYPELESS, [Format::B8G8R8A8_UNORM_SRGB, Format::B8G8R8A8_UNORM]),
        ] {
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::render_target(format, 16, 16) };
            let Ok(texture) = self.device.create_texture_2d(&desc, None) else { continue };
            let view = |format| {
                let desc = RenderTargetViewDesc::texture_2d(format, 0);
                self.device.create_render_target_view(&texture, Some(&desc)).ok()
            };
            if let [Some(first), Some(second)] = views.map(view) {
                self.twins.push([first, second]);
                self.textures.push(texture);
            }
        }
    }

    pub(crate) fn create_texture(&mut self, r: &mut Random) {
        let desc = texture_desc(r);
        let block = desc.format.block_size().0.max(1);
        let mips = if desc.sample_count > 1 { 1 } else { desc.resolved_mip_levels().min(16) };
        let given = desc.usage == Usage::Immutable || r.one_in(3);
        let pitch = |mip: u32| desc.format.row_pitch(desc.mip_size(mip).0.max(block)) + 4 * (mip % 2);
        let rows: Vec<Vec<u8>> = (0..mips * desc.array_size.min(64))
            .map(|at| {
                let (_, height) = desc.mip_size(at % mips);
                r.bytes((pitch(at % mips) * desc.format.rows(height)) as usize)
            })
            .collect();
        let data: Vec<_> = (0..)
            .zip(&rows)
            .map(|(at, bytes)| SubresourceData { bytes, row_pitch: pitch(at % mips), depth_pitch: 0 })
            .collect();
        self.say(format_args!("texture {desc:?} contents {given}"));
        let made = self.maker(r).create_texture_2d(&desc, given.then_some(&data[..])).ok();
        keep(r, &mut self.textures, made);
    }

    pub(crate) fn create_view(&mut self, r: &mut Random) {
        if r.one_in(30)
            && let Some(buffer) = any(r, &self.buffers)
        {
            let _ = self.device.create_shader_resource_view(buffer, None);
            let _ = self.device.create_render_target_view(buffer, None);
            return;
        }
        let Some(texture) = any(r, &self.textures).cloned() else { return };
        let binds = texture.desc().bind_flags;
        match r.below(3) {
            0 if binds.contains(BindFlags::RENDER_TARGET) || r.one_in(10) => self.create_target(r, &texture),
            0 | 1 if binds.contains(BindFlags::DEPTH_STENCIL) || r.one_in(10) => {
                self.create_depth(r, &texture);
            }
            _ => self.create_resource_view(r, &texture),
        }
    }

    pub(crate) fn create_target(&mut self, r: &mut Random, texture: &Texture2d) {
        let dimension = (!r.one_in(3)).then(|| target_dimension(r, &texture.desc()));
        let desc = RenderTargetViewDesc {
            format: view_format(r, texture.desc().format),
            dimension,
            ..Default::default()
        };
        self.say(format_args!("target view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_render_target_view(texture, Some(&desc)).ok();
        keep(r, &mut self.targets, made);
    }

    pub(crate) fn create_depth(&mut self, r: &mut Random, texture: &Texture2d) {
        let format = texture.desc().format;
        let depth = format.depth_stencil_format().unwrap_or(format);
        let desc = DepthStencilViewDesc {
            format: if r.one_in(10) { view_format(r, format) } else { depth },
            dimension: (!r.one_in(3)).then(|| target_dimension(r, &texture.desc())),
            flags: if r.one_in(3) { DsvFlags::from_bits_truncate(r.below(4)) } else { DsvFlags::empty() },
        };
        self.say(format_args!("depth view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_depth_stencil_view(texture, Some(&desc)).ok();
        keep(r, &mut self.depths, made);
    }

    pub(crate) fn create_resource_view(&mut self, r: &mut Random, texture: &Texture2d) {
        let desc = ShaderResourceViewDesc {
            format: view_format(r, texture.desc().format),
            dimension: (!r.one_in(3)).then(|| resource_dimension(r, &texture.desc())),
            ..Default::default()
        };
        self.say(format_args!("resource view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_shader_resource_view(texture, Some(&desc)).ok();
        keep(r, &mut self.resources, made);
    }
}

pub(crate) fn format(r: &mut Random) -> Format {
    if r.one_in(5) { *r.pick(Format::ALL) } else { *r.pick(USUAL) }
}

fn texture_desc(r: &mut Random) -> Texture2dDesc {
    let depth = r.one_in(4);
    let format = if depth { *r.pick(DEPTHS) } else { format(r) };
    let (usage, cpu) = usage(r);
    let inputs = if r.one_in(3) || format.is_depth_stencil() { 0 } else { 0x8 };
    let bind = match usage {
        Usage::Staging => 0,
        Usage::Immutable | Usage::Dynamic => 0x8,
        Usage::Default if depth => 0x40 | inputs,
        Usage::Default => *r.pick(&[0x28, 0x28, 0x20, 0x8, 0]),
    };
    let (block, _) = format.block_size();
    let side = |r: &mut Random| match r.below(12) {
        0 => odd(r, 300).min(1000),
        1 => r.range(1..40),
        _ => (*r.pick(&[1, 4, 8, 16, 16, 16, 32]) as u32).next_multiple_of(block),
    };
    let (width, height) = (side(r), side(r));
    let square = r.one_in(6);
    let array_size = if square { *r.pick(&[6, 7, 12]) } else { *r.pick(&[1, 1, 1, 2, 4]) };
    let misc = if square { 0x4 } else { 0 } | if bind == 0x28 && r.one_in(2) { 0x1 } else { 0 };
    let samples = if bind & 0x60 != 0 && r.one_in(6) { *r.pick(&[2, 4, 4, 4, 8, 16]) } else { 1 };
    let single = samples > 1 || usage == Usage::Dynamic;
    Texture2dDesc {
        width,
        height: if square { width } else { height },
        mip_levels: if single && !r.one_in(20) { 1 } else { *r.pick(&[0, 0, 1, 1, 2, 3, 4]) },
        array_size: if usage == Usage::Dynamic && !r.one_in(20) { 1 } else { array_size },
        format,
        sample_count: if r.one_in(60) { odd(r, 40) } else { samples },
        sample_quality: if r.one_in(60) { odd(r, 3) } else { 0 },
        usage,
        bind_flags: BindFlags::from_bits_retain(flags(r, bind)),
        cpu_access_flags: cpu,
        misc_flags: MiscFlags::from_bits_retain(flags(r, misc)),
        texture_layout: if r.one_in(60) { TextureLayout::RowMajor } else { TextureLayout::Undefined },
        label: None,
    }
}

/// Returns a format for a view, usually of the same family as the texture's format.
pub(crate) fn view_format(r: &mut Random, of: Format) -> Format {
    if !of.is_typeless() {
        return if r.one_in(20) { format(r) } else { Format::UNKNOWN };
    }
    let family: Vec<_> =
        Format::ALL.iter().filter(|f| f.family() == of && !f.is_typeless()).copied().collect();
    any(r, &family).copied().unwrap_or_default()
}

pub(crate) fn part(r: &mut Random, total: u32) -> (u32, u32) {
    let (beyond, further) = (u32::from(r.one_in(20)), u32::from(r.one_in(20)));
    let first = r.below(total + beyond);
    let rest = total.saturating_sub(first);
    let count = if r.one_in(3) { u32::MAX } else { 1 + r.below(rest + further) };
    (first, count)
}

fn target_dimension(r: &mut Random, desc: &Texture2dDesc) -> RenderTargetViewDimension {
    use RenderTargetViewDimension as D;
    let (mip_slice, _) = part(r, desc.mip_levels);
    let (first_array_slice, array_size) = part(r, desc.array_size);
    match (desc.sample_count > 1) != r.one_in(20) {
        true if r.one_in(2) => D::Texture2dMs,
        true => D::Texture2dMsArray { first_array_slice, array_size },
        false if r.one_in(2) => D::Texture2d { mip_slice },
        false => D::Texture2dArray { mip_slice, first_array_slice, array_size },
    }
}

fn resource_dimension(r: &mut Random, desc: &Texture2dDesc) -> ShaderResourceViewDimension {
    use ShaderResourceViewDimension as D;
    let (most_detailed_mip, mip_levels) = part(r, desc.mip_levels);
    let (first_array_slice, array_size) = part(r, desc.array_size);
    if (desc.sample_count > 1) != r.one_in(20) {
        return match r.below(2) {
            0 => D::Texture2dMs,
            _ => D::Texture2dMsArray { first_array_slice, array_size },
        };
    }
    let cube = desc.misc_flags.contains(MiscFlags::TEXTURECUBE);
    match r.below(4) {
        0 if cube => D::TextureCube { most_detailed_mip, mip_levels },
        1 if cube => {
            let (first_2d_array_face, num_cubes) = (r.below(desc.array_size), *r.pick(&[1, 2, u32::MAX]));
            D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face, num_cubes }
        }
        0..=2 => D::Texture2d { most_detailed_mip, mip_levels },
        _ => D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice, array_size },
    }
}

/// Replaces the tiny values of a texture of 32-bit floats with zeros. Direct3D 11 leaves open whether blending
/// flushes denormals, and llvmpipe with several threads does so for some pixels only. A large blend factor turns
/// a denormal into a value of up to 1e-28.
pub(crate) fn without_tiny(format: Format, mut bytes: Vec<u8>) -> Vec<u8> {
    let is_float = matches!(
        format,
        Format::R32_FLOAT | Format::R32G32_FLOAT | Format::R32G32B32_FLOAT | Format::R32G32B32A32_FLOAT
    );
    if is_float {
        for word in bytes.as_chunks_mut::<4>().0 {
            if f32::from_le_bytes(*word).abs() < 1e-28 {
                *word = [0; 4];
            }
        }
    }
    bytes
}
