//! Conversions from the driver's view descriptors to the descriptors that would create the same views again.

use onze_ddi::{SubresourceRange, TextureViewDesc, ViewDesc, ViewDimension};

use super::{
    BufferExSrvFlags, BufferUavFlags, DepthStencilViewDesc, RenderTargetViewDesc, RenderTargetViewDimension,
    ShaderResourceViewDesc, ShaderResourceViewDimension, UnorderedAccessViewDesc,
    UnorderedAccessViewDimension,
};

impl From<&ViewDesc> for ShaderResourceViewDesc {
    fn from(view: &ViewDesc) -> Self {
        use ShaderResourceViewDimension as D;
        let (format, dimension) = match view {
            ViewDesc::Buffer(view) => {
                let (first_element, num_elements) = (view.first_element, view.elements);
                let dimension = if view.raw {
                    D::BufferEx { first_element, num_elements, flags: BufferExSrvFlags::RAW }
                } else {
                    D::Buffer { first_element, num_elements }
                };
                (view.format, dimension)
            }
            ViewDesc::Texture(view) => {
                let SubresourceRange { first_mip, mips, first_slice, slices, .. } = view.range;
                let (most_detailed_mip, mip_levels) = (first_mip, mips);
                let (first_array_slice, array_size) = (first_slice, slices);
                let dimension = match view.dimension {
                    ViewDimension::Texture2d => D::Texture2d { most_detailed_mip, mip_levels },
                    ViewDimension::Texture2dArray => {
                        D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice, array_size }
                    }
                    ViewDimension::Texture2dMs => D::Texture2dMs,
                    ViewDimension::Texture2dMsArray => D::Texture2dMsArray { first_array_slice, array_size },
                    ViewDimension::TextureCube => D::TextureCube { most_detailed_mip, mip_levels },
                    ViewDimension::TextureCubeArray => D::TextureCubeArray {
                        most_detailed_mip,
                        mip_levels,
                        first_2d_array_face: first_slice,
                        num_cubes: slices / 6,
                    },
                    ViewDimension::Texture1d => D::Texture1d { most_detailed_mip, mip_levels },
                    ViewDimension::Texture1dArray => {
                        D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice, array_size }
                    }
                    ViewDimension::Texture3d => D::Texture3d { most_detailed_mip, mip_levels },
                };
                (view.format, dimension)
            }
        };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }
}

impl From<&ViewDesc> for UnorderedAccessViewDesc {
    fn from(view: &ViewDesc) -> Self {
        use UnorderedAccessViewDimension as D;
        let (format, dimension) = match view {
            ViewDesc::Buffer(view) => {
                let mut flags = BufferUavFlags::empty();
                flags.set(BufferUavFlags::RAW, view.raw);
                flags.set(BufferUavFlags::APPEND, view.append);
                flags.set(BufferUavFlags::COUNTER, view.counter && !view.append);
                let (first_element, num_elements) = (view.first_element, view.elements);
                (view.format, D::Buffer { first_element, num_elements, flags })
            }
            ViewDesc::Texture(view) => {
                let SubresourceRange { first_mip: mip_slice, first_w: first_w_slice, w_size, .. } =
                    view.range;
                let (first_array_slice, array_size) = (view.range.first_slice, view.range.slices);
                let dimension = match view.dimension {
                    ViewDimension::Texture1d => D::Texture1d { mip_slice },
                    ViewDimension::Texture1dArray => {
                        D::Texture1dArray { mip_slice, first_array_slice, array_size }
                    }
                    ViewDimension::Texture3d => D::Texture3d { mip_slice, first_w_slice, w_size },
                    ViewDimension::Texture2d => D::Texture2d { mip_slice },
                    _ => D::Texture2dArray { mip_slice, first_array_slice, array_size },
                };
                (view.format, dimension)
            }
        };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }
}

impl From<&ViewDesc> for RenderTargetViewDesc {
    fn from(view: &ViewDesc) -> Self {
        let Some(view) = view.texture() else { return Self::default() };
        Self { format: view.format, dimension: Some(target_dimension(view)), plane_slice: 0 }
    }
}

impl From<&ViewDesc> for DepthStencilViewDesc {
    fn from(view: &ViewDesc) -> Self {
        let Some(view) = view.texture() else { return Self::default() };
        Self { format: view.format, dimension: Some(target_dimension(view)), flags: view.flags }
    }
}

fn target_dimension(view: &TextureViewDesc) -> RenderTargetViewDimension {
    use RenderTargetViewDimension as D;
    let SubresourceRange { first_mip: mip_slice, first_w: first_w_slice, w_size, .. } = view.range;
    let (first_array_slice, array_size) = (view.range.first_slice, view.range.slices);
    match view.dimension {
        ViewDimension::Texture2d => D::Texture2d { mip_slice },
        ViewDimension::Texture2dMs => D::Texture2dMs,
        ViewDimension::Texture2dMsArray => D::Texture2dMsArray { first_array_slice, array_size },
        ViewDimension::Texture2dArray | ViewDimension::TextureCube | ViewDimension::TextureCubeArray => {
            D::Texture2dArray { mip_slice, first_array_slice, array_size }
        }
        ViewDimension::Texture1d => D::Texture1d { mip_slice },
        ViewDimension::Texture1dArray => D::Texture1dArray { mip_slice, first_array_slice, array_size },
        ViewDimension::Texture3d => D::Texture3d { mip_slice, first_w_slice, w_size },
    }
}
