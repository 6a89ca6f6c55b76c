//! The textures of egui's meshes: egui's own textures and those that the application has registered.

use std::collections::HashMap;

use egui::{
    TextureFilter, TextureId, TextureOptions, TextureWrapMode,
    epaint::{ImageData, ImageDelta},
};
use onze::{
    Box3d, Device, DeviceContext, Error, Filter, Format, MiscFlags, SamplerDesc, SamplerState,
    ShaderResourceView, Texture2d, Texture2dDesc, TextureAddressMode,
};

use crate::is_linear;

/// egui's colours are sRGB-encoded, and they are read without decoding.
const FORMAT: Format = Format::R8G8B8A8_UNORM;

/// A texture, with the sampler and the options for its draws.
#[derive(Debug)]
pub(crate) struct Texture {
    pub(crate) view: ShaderResourceView,
    pub(crate) sampler: SamplerState,
    pub(crate) linear: bool,
    options: TextureOptions,
}

#[derive(Debug, Default)]
pub(crate) struct Textures {
    by_id: HashMap<TextureId, Texture>,
    /// Number of ids that were returned to the application.
    registered: u64,
}

impl Textures {
    pub(crate) fn get(&self, id: TextureId) -> Option<&Texture> {
        self.by_id.get(&id)
    }

    pub(crate) fn free(&mut self, id: TextureId) {
        self.by_id.remove(&id);
    }

    /// Returns a new id for one of the application's views.
    pub(crate) fn register(
        &mut self,
        device: &Device,
        view: &ShaderResourceView,
        options: TextureOptions,
    ) -> Result<TextureId, Error> {
        let id = TextureId::User(self.registered);
        self.insert(device, id, view.clone(), options)?;
        self.registered += 1;
        Ok(id)
    }

    pub(crate) fn insert(
        &mut self,
        device: &Device,
        id: TextureId,
        view: ShaderResourceView,
        options: TextureOptions,
    ) -> Result<(), Error> {
        let Some(desc) = view.desc().and_then(|desc| desc.texture()) else {
            return Err(Error::InvalidArg(
                "a user interface shows views of textures, not of buffers".to_owned(),
            ));
        };
        let sampler = device.create_sampler_state(&sampler_desc(options))?;
        let linear = is_linear(desc.format);
        self.by_id.insert(id, Texture { view, sampler, linear, options });
        Ok(())
    }

    /// Writes one of egui's textures, either completely or in a rectangle.
    pub(crate) fn set(
        &mut self,
        device: &Device,
        context: &mut DeviceContext,
        id: TextureId,
        delta: &ImageDelta,
    ) -> Result<(), Error> {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size.map(|texels| texels as u32);
        let texels = image.pixels.as_slice();
        if texels.is_empty() {
            return Ok(());
        }
        let old = self.by_id.get(&id).and_then(|old| Some((old, old.view.texture_2d()?)));
        let written = match (delta.pos, old) {
            (Some([x, y]), Some((old, texture))) => {
                let (left, top) = (x as u32, y as u32);
                let part = Box3d { left, top, front: 0, right: left + width, bottom: top + height, back: 1 };
                write(context, &texture, &old.view, Some(part), texels, width);
                Some(old)
            }
            (Some(_), None) => {
                return Err(Error::NotFound(format!(
                    "egui updates a part of {}, but this painter has never received the whole texture: pass it \
                     every `TexturesDelta` in order, starting with the first",
                    name(id)
                )));
            }
            // An image that changes in every frame keeps its texture.
            (None, Some((old, texture))) if is_as(&texture.desc(), width, height, delta.options) => {
                write(context, &texture, &old.view, None, texels, width);
                Some(old)
            }
            (None, _) => None,
        };
        let view = match written {
            Some(old) if old.options == delta.options => return Ok(()),
            Some(old) => old.view.clone(),
            None if has_mips(delta.options) => device
                .create_texture_2d_with_mips(context, FORMAT, width, height, texels)?
                .create_shader_resource_view()?,
            None => {
                device.create_texture_2d_with(FORMAT, width, height, texels)?.create_shader_resource_view()?
            }
        };
        self.insert(device, id, view, delta.options)
    }
}

/// Writes a texture or a box of it, then generates the mip levels if the texture has any.
fn write(
    context: &mut DeviceContext,
    texture: &Texture2d,
    view: &ShaderResourceView,
    part: Option<Box3d>,
    texels: &[egui::Color32],
    width: u32,
) {
    context.update_subresource(texture, 0, part, texels, FORMAT.row_pitch(width), 0);
    if texture.desc().misc_flags.contains(MiscFlags::GENERATE_MIPS) {
        context.generate_mips(view);
    }
}

fn has_mips(options: TextureOptions) -> bool {
    options.mipmap_mode.is_some()
}

/// Returns whether a texture has the size that an image needs, and has mip levels if and only if `options`
/// need them.
fn is_as(desc: &Texture2dDesc, width: u32, height: u32, options: TextureOptions) -> bool {
    (desc.width, desc.height) == (width, height)
        && desc.misc_flags.contains(MiscFlags::GENERATE_MIPS) == has_mips(options)
}

fn sampler_desc(options: TextureOptions) -> SamplerDesc {
    let is_linear = |filter| filter == TextureFilter::Linear;
    let filter = Filter {
        min_linear: is_linear(options.minification),
        mag_linear: is_linear(options.magnification),
        mip_linear: options.mipmap_mode.is_some_and(is_linear),
        ..Filter::MIN_MAG_MIP_POINT
    };
    let address = match options.wrap_mode {
        TextureWrapMode::ClampToEdge => TextureAddressMode::Clamp,
        TextureWrapMode::Repeat => TextureAddressMode::Wrap,
        TextureWrapMode::MirroredRepeat => TextureAddressMode::Mirror,
    };
    // Without a mip mode, only the first level is read. The limit is above 0, because a limit of 0 would make
    // every sample use the magnification filter.
    let max_lod = if has_mips(options) { f32::MAX } else { 0.25 };
    SamplerDesc { max_lod, ..SamplerDesc::new(filter, address) }
}

/// Returns a name for one of egui's textures or a registered texture, for use in messages.
pub(crate) fn name(id: TextureId) -> String {
    match id {
        TextureId::Managed(number) => format!("egui's texture {number}"),
        TextureId::User(number) => format!("the registered texture {number}"),
    }
}
