//! Typeless families: textures that are viewed in formats between which wgpu cannot reinterpret.
//!
//! wgpu views a texture only in its own format, with or without sRGB, whereas Direct3D 11 views a texture of
//! a typeless format in every format of the family. Such a texture therefore has several *members* with the
//! same bits: the *primary*, which every texture has, and a *shadow* for each other format that a view uses.
//! A write to one member is copied to another member when that member is used next. [`super::cast_log`]
//! tracks the pending copies.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

use onze_ddi::{CreateError, DsvFlags, Format, SubresourceRange};

use crate::services::{convert, gpu::Gpu, names::joined};

use super::texture::{TextureMemory, zero};

/// A member's number in its texture, where 0 is the primary and the shadows follow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Member(u8);

impl Member {
    pub(crate) const PRIMARY: Self = Self(0);
    /// The stencil plane of a depth-stencil texture, in a format that shaders can read.
    pub(crate) const STENCIL: Self = Self(1);

    /// A copy of a depth-stencil texture, so that shaders can read depth from it while draws write the
    /// stencil of the primary.
    pub(crate) const DEPTH: Self = Self(2);

    const fn shadow(at: usize) -> Self {
        Self(at as u8 + 1)
    }

    /// Returns the member's index among the shadows, or `None` for the primary.
    fn place(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members(u8);

impl Members {
    pub(crate) const fn one(member: Member) -> Self {
        Self(1 << member.0)
    }

    pub(crate) const fn has(self, member: Member) -> bool {
        self.0 & Self::one(member).0 != 0
    }

    pub(crate) const fn keep(&mut self, other: Self) {
        self.0 &= other.0;
    }

    pub(crate) const fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Member> {
        (0..u8::BITS as u8).map(Member).filter(move |member| self.has(*member))
    }
}

/// A texture of another format with the same bits. Its memory is not counted against the budget, because the
/// runtime counts only the memory of objects, and a shadow outlives the view that required it.
#[derive(Debug)]
struct Shadow {
    texture: wgpu::Texture,
    twin: Option<wgpu::TextureFormat>,
}

impl Drop for Shadow {
    fn drop(&mut self) {
        self.texture.destroy();
    }
}

#[derive(Debug)]
pub(crate) struct Family {
    /// The formats of the shadows, whose textures are created when they are first needed.
    shadows: Box<[(wgpu::TextureFormat, OnceLock<Shadow>)]>,
    any: AtomicBool,
}

/// Format of the stencil plane's shadow, with the stencil in `y` and `x` unused as in Direct3D 11.
const STENCIL_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg8Uint;

impl Family {
    /// Creates the family of a texture whose format is `primary`, or returns `None` if the texture needs no
    /// other formats.
    pub(crate) fn new(format: Format, primary: wgpu::TextureFormat) -> Option<Box<Self>> {
        if !format.is_typeless() {
            return None;
        }
        let mut formats = Vec::new();
        if primary.has_stencil_aspect() {
            formats.extend([STENCIL_FORMAT, primary]);
        } else {
            let typed = Format::ALL.iter().filter(|member| member.family() == format);
            let known = typed.filter_map(|member| convert::texture_format(*member));
            for member in known.map(|member| member.remove_srgb_suffix()) {
                let is_primary = member == primary.remove_srgb_suffix();
                if !is_primary && !member.is_depth_stencil_format() && !formats.contains(&member) {
                    formats.push(member);
                }
            }
        }
        let shadows: Box<[_]> = formats.into_iter().map(|format| (format, OnceLock::new())).collect();
        (!shadows.is_empty()).then(|| Box::new(Self { shadows, any: AtomicBool::new(false) }))
    }

    /// Whether any shadow exists. When a command is encoded, the result includes every shadow that was
    /// created before the command was recorded.
    pub(crate) fn has_shadows(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }
}

impl TextureMemory {
    #[inline]
    pub(crate) fn has_shadows(&self) -> bool {
        self.family.as_ref().is_some_and(|family| family.has_shadows())
    }

    pub(crate) fn whole(&self) -> SubresourceRange {
        let (mips, slices) = (self.texture.mip_level_count(), self.texture.depth_or_array_layers());
        self.subresources(&SubresourceRange { mips, slices, ..SubresourceRange::FIRST })
    }

    /// Extends a range to whole subresources, which include the full depth of a 3D texture.
    pub(crate) fn subresources(&self, part: &SubresourceRange) -> SubresourceRange {
        let SubresourceRange { first_mip, mips, first_slice, slices, .. } = *part;
        match self.texture.dimension() {
            wgpu::TextureDimension::D3 => SubresourceRange { first_mip, mips, ..SubresourceRange::FIRST },
            wgpu::TextureDimension::D1 | wgpu::TextureDimension::D2 => {
                SubresourceRange { first_mip, mips, first_slice, slices, ..SubresourceRange::FIRST }
            }
        }
    }

    /// Returns the texture of a member, or the primary's texture if the member has not been created.
    pub(crate) fn member(&self, member: Member) -> &wgpu::Texture {
        let shadow = member.place().and_then(|at| self.family.as_ref()?.shadows.get(at)?.1.get());
        shadow.map_or(&self.texture, |shadow| &shadow.texture)
    }

    /// Whether the format has both a depth plane and a stencil plane.
    fn has_planes(&self) -> bool {
        self.format.has_stencil_aspect()
    }

    /// Whether a member is the shadow that contains only the stencil plane.
    pub(crate) fn is_stencil(&self, member: Member) -> bool {
        member == Member::STENCIL && self.has_planes()
    }

    /// Whether a member is the shadow from which shaders read depth.
    pub(crate) fn is_depth(&self, member: Member) -> bool {
        member == Member::DEPTH && self.has_planes()
    }

    /// Returns the members that stay up to date when a depth-stencil target with these flags is written.
    pub(crate) fn untouched(&self, flags: DsvFlags) -> Members {
        let mut members = Members::default();
        if self.has_planes() {
            for (flag, member) in
                [(DsvFlags::READ_ONLY_STENCIL, Member::STENCIL), (DsvFlags::READ_ONLY_DEPTH, Member::DEPTH)]
            {
                if flags.contains(flag) {
                    members.add(Members::one(member));
                }
            }
        }
        members
    }

    /// Creates the shadow that keeps depth readable while draws write the stencil, or returns the same errors
    /// as [`TextureMemory::member_of`].
    pub(crate) fn make_depth_member(&self, gpu: &Gpu) -> Result<(), CreateError> {
        match &self.family {
            Some(family) if self.has_planes() => self.make_shadow(gpu, family, 1).map(drop),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether a member has been created, which is always true of the primary.
    pub(crate) fn has_member(&self, member: Member) -> bool {
        let shadow = |at: usize| self.family.as_ref()?.shadows.get(at)?.1.get();
        member.place().is_none_or(|at| shadow(at).is_some())
    }

    /// Returns the shadow of the stencil plane, which the first call creates, or the same errors as
    /// [`TextureMemory::member_of`].
    pub(crate) fn stencil_member(&self, gpu: &Gpu) -> Result<(Member, wgpu::TextureFormat), CreateError> {
        match &self.family {
            Some(family) if self.format.has_stencil_aspect() => {
                self.make_shadow(gpu, family, 0).map(|_| (Member::STENCIL, STENCIL_FORMAT))
            }
            Some(_) | None => Err(CreateError::Application("the texture has no stencil to read".into())),
        }
    }

    /// Returns the member that can be viewed in a format: the primary, or a shadow that the first call
    /// creates. Returns `None` if the format does not belong to the family.
    ///
    /// # Errors
    /// Returns an error if memory is exhausted, or if the adapter or wgpu does not support the shadow's
    /// format.
    pub(crate) fn member_of(
        &self,
        gpu: &Gpu,
        format: wgpu::TextureFormat,
    ) -> Result<Option<Member>, CreateError> {
        if format == self.format || self.twin == Some(format) {
            return Ok(Some(Member::PRIMARY));
        }
        let Some(family) = &self.family else { return Ok(None) };
        let plain = format.remove_srgb_suffix();
        let Some(at) = family.shadows.iter().position(|(of, _)| *of == plain) else { return Ok(None) };
        let shadow = self.make_shadow(gpu, family, at)?;
        let is_seen = format == plain || shadow.twin == Some(format);
        Ok(is_seen.then_some(Member::shadow(at)))
    }

    fn make_shadow<'a>(&self, gpu: &Gpu, family: &'a Family, at: usize) -> Result<&'a Shadow, CreateError> {
        let Some((format, place)) = family.shadows.get(at) else {
            return Err(CreateError::Application("there is no such member".into()));
        };
        let shadow = match place.get() {
            Some(shadow) => shadow,
            None => {
                let shadow = self.new_shadow(gpu, *format)?;
                // If two threads arrive here at the same time, one of them drops the texture that it created.
                place.get_or_init(|| shadow)
            }
        };
        family.any.store(true, Ordering::Release);
        Ok(shadow)
    }

    fn new_shadow(&self, gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Shadow, CreateError> {
        if self.samples > 1 {
            let words = "wgpu cannot copy a multisampled texture into one of another format";
            return Err(CreateError::Application(words.into()));
        }
        let missing = format.required_features() - gpu.features;
        if !missing.is_empty() {
            let words = format!("textures of {format:?} need the adapter's {}", joined(missing.iter_names()));
            return Err(CreateError::Application(words.into()));
        }
        let twin = convert::srgb_twin(format).filter(|_| self.twin.is_some());
        let allowed = gpu.format_features(format).allowed_usages;
        let mut wanted = self.texture.usage();
        // A draw copies the stencil plane into its shadow, so that shadow must be a render target.
        let is_target = self.has_planes() || wanted.contains(wgpu::TextureUsages::RENDER_ATTACHMENT);
        wanted.set(wgpu::TextureUsages::RENDER_ATTACHMENT, is_target && format != self.format);
        let counts = matches!(format, wgpu::TextureFormat::R32Uint | wgpu::TextureFormat::R32Sint)
            && wanted.contains(wgpu::TextureUsages::STORAGE_BINDING)
            && gpu.features.contains(wgpu::Features::TEXTURE_ATOMIC);
        wanted.set(wgpu::TextureUsages::STORAGE_ATOMIC, counts);
        let texture = gpu.guarded(|| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("shadow"),
                size: self.texture.size(),
                mip_level_count: self.texture.mip_level_count(),
                sample_count: 1,
                dimension: self.texture.dimension(),
                format,
                usage: wanted & allowed,
                view_formats: twin.as_slice(),
            });
            if self.depth.is_some() {
                zero(&gpu.queue, &texture, format);
            }
            texture
        })?;
        Ok(Shadow { texture, twin })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use wgpu::TextureFormat as T;

    use super::*;

    fn formats(format: Format, primary: T) -> Vec<T> {
        let family = Family::new(format, primary);
        family.iter().flat_map(|family| family.shadows.iter().map(|(format, _)| *format)).collect()
    }

    #[test]
    fn a_family_has_a_shadow_for_each_incompatible_format() {
        for (format, primary, expected) in [
            (Format::R8G8B8A8_TYPELESS, T::Rgba8Unorm, &[T::Rgba8Uint, T::Rgba8Snorm, T::Rgba8Sint][..]),
            (Format::R32_TYPELESS, T::R32Float, &[T::R32Uint, T::R32Sint]),
            (Format::R32_TYPELESS, T::Depth32Float, &[T::R32Float, T::R32Uint, T::R32Sint]),
            (Format::R10G10B10A2_TYPELESS, T::Rgb10a2Unorm, &[T::Rgb10a2Uint]),
            (Format::R24G8_TYPELESS, T::Depth24PlusStencil8, &[T::Rg8Uint, T::Depth24PlusStencil8]),
            (Format::BC4_TYPELESS, T::Bc4RUnorm, &[T::Bc4RSnorm]),
            (Format::BC1_TYPELESS, T::Bc1RgbaUnorm, &[]),
            (Format::B8G8R8A8_TYPELESS, T::Bgra8Unorm, &[]),
            (Format::R8G8B8A8_UNORM, T::Rgba8Unorm, &[]),
        ] {
            assert_eq!(formats(format, primary), expected, "{format:?}");
        }
    }

    #[test]
    fn members_fit_into_their_bits() {
        for format in Format::ALL.iter().filter(|format| format.is_typeless()) {
            for flags in [onze_ddi::BindFlags::empty(), onze_ddi::BindFlags::DEPTH_STENCIL] {
                let Some(primary) = convert::physical_format(*format, flags) else { continue };
                assert!(formats(*format, primary).len() < u8::BITS as usize, "{format:?}");
            }
        }
        let mut members = Members::one(Member::PRIMARY);
        members.add(Members::one(Member::shadow(3)));
        assert!(
            members.has(Member::PRIMARY) && members.has(Member::shadow(3)) && !members.has(Member::STENCIL)
        );
        assert_eq!(members.iter().count(), 2);
    }
}
