//! Multisampled textures that are drawn to, read by shaders and resolved.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, odd};

const FORMATS: [Format; 3] =
    [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB, Format::R16G16B16A16_FLOAT];

impl World {
    pub(crate) fn populate_samples(&mut self, r: &mut Random) {
        let device = self.device.clone();
        for (format, array_size) in FORMATS.into_iter().zip([1, 2, 1]) {
            let plain = Texture2dDesc { array_size, ..Texture2dDesc::render_target(format, 16, 16) };
            let desc = Texture2dDesc { sample_count: if r.one_in(4) { 2 } else { 4 }, ..plain };
            let Ok(texture) = device.create_texture_2d(&desc, None) else { continue };
            for first_array_slice in 0..array_size {
                let slice = RenderTargetViewDimension::Texture2dMsArray { first_array_slice, array_size: 1 };
                let desc = RenderTargetViewDesc { format, dimension: Some(slice), ..Default::default() };
                self.targets.extend(device.create_render_target_view(&texture, Some(&desc)).ok());
            }
            self.resources.extend(device.create_shader_resource_view(&texture, None).ok());
            self.textures.push(texture);
        }
        let desc = Texture2dDesc {
            sample_count: 4,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, 16, 16)
        };
        let Ok(texture) = device.create_texture_2d(&desc, None) else { return };
        let desc = DepthStencilViewDesc::format(Format::D32_FLOAT);
        self.depths.extend(device.create_depth_stencil_view(&texture, Some(&desc)).ok());
        let desc = ShaderResourceViewDesc::format(Format::R32_FLOAT);
        self.resources.extend(device.create_shader_resource_view(&texture, Some(&desc)).ok());
        self.textures.push(texture);
    }
}

pub(crate) fn resolve(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let is_odd = r.one_in(10);
    let several: Vec<_> = w.textures.iter().filter(|t| is_odd || t.desc().sample_count > 1).collect();
    let Some(from) = any(r, &several) else { return };
    let desc = from.desc();
    let fits = |t: &&Texture2d| {
        let to = t.desc();
        is_odd || to.sample_count == 1 && to.format.family() == desc.format.family()
    };
    let one: Vec<_> = w.textures.iter().filter(fits).collect();
    let Some(to) = any(r, &one) else { return };
    let sub = |r: &mut Random, t: &Texture2d| {
        if r.one_in(20) { odd(r, 9) } else { r.below(t.desc().subresources()) }
    };
    let format = *r.pick(&[desc.format, desc.format, to.desc().format, Format::R8G8B8A8_UNORM]);
    let (to_sub, from_sub) = (if r.one_in(2) { 0 } else { sub(r, to) }, sub(r, from));
    w.say(format_args!("resolve {:?} {to_sub} {desc:?} {from_sub} {format:?}", to.desc()));
    cx.resolve_subresource(to, to_sub, from, from_sub, format);
}
