//! Typeless textures with views in several formats of their family, drawn to in one format, and read and
//! written in other formats of the family.

use onze::*;
use onze_tests::Random;

use crate::world::World;

/// Typeless formats, each with the formats that views use.
const FAMILIES: [(Format, &[Format]); 4] = [
    (
        Format::R8G8B8A8_TYPELESS,
        &[
            Format::R8G8B8A8_UNORM,
            Format::R8G8B8A8_UNORM_SRGB,
            Format::R8G8B8A8_UINT,
            Format::R8G8B8A8_SNORM,
            Format::R8G8B8A8_SINT,
        ],
    ),
    (Format::R32_TYPELESS, &[Format::R32_UINT, Format::R32_FLOAT, Format::R32_SINT]),
    (Format::R16G16_TYPELESS, &[Format::R16G16_UNORM, Format::R16G16_UINT, Format::R16G16_SNORM]),
    (Format::R10G10B10A2_TYPELESS, &[Format::R10G10B10A2_UNORM, Format::R10G10B10A2_UINT]),
];

impl World {
    /// Creates typeless textures, each with two views for each purpose in random formats.
    pub(crate) fn populate_members(&mut self, r: &mut Random) {
        let device = self.device.clone();
        for (format, members) in FAMILIES {
            let bind_flags =
                BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
            let (mip_levels, array_size) = *r.pick(&[(1, 1), (1, 1), (2, 1), (1, 2)]);
            let desc = Texture2dDesc {
                bind_flags,
                mip_levels,
                array_size,
                ..Texture2dDesc::render_target(format, 16, 16)
            };
            self.say(format_args!("texture {desc:?}"));
            let Ok(texture) = device.create_texture_2d(&desc, None) else { continue };
            for _ in 0..2 {
                let mip = r.below(mip_levels);
                let desc = RenderTargetViewDesc::texture_2d(*r.pick(members), mip);
                self.targets.extend(device.create_render_target_view(&texture, Some(&desc)).ok());
                let desc = ShaderResourceViewDesc::texture_2d(*r.pick(members), 0, mip_levels);
                self.resources.extend(device.create_shader_resource_view(&texture, Some(&desc)).ok());
                let desc = UnorderedAccessViewDesc::texture_2d(*r.pick(members), mip);
                self.compute.views.extend(device.create_unordered_access_view(&texture, Some(&desc)).ok());
            }
            self.textures.push(texture);
        }
    }
}
