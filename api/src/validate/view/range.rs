//! The dimension and the range of subresources of a view of a texture.

use onze_ddi::{MiscFlags, SubresourceRange, TextureDesc, TextureShape, ViewDimension};

use crate::{
    report::Error,
    validate::{RenderTargetViewDimension, ShaderResourceViewDimension},
};

/// The count that selects all remaining elements, mip levels or slices (D3D11: `-1`).
pub(super) const REST: u32 = u32::MAX;

/// Number of array slices in a cube, one for each face.
const FACES: u32 = 6;

/// The dimension of a shader-resource view whose descriptor specifies none.
pub(super) fn whole_resource(texture: &TextureDesc) -> ShaderResourceViewDimension {
    use ShaderResourceViewDimension as D;
    let (most_detailed_mip, mip_levels, array_size) = (0, REST, texture.array_size);
    let is_cube = texture.misc_flags.contains(MiscFlags::TEXTURECUBE);
    match texture.shape {
        TextureShape::D1 if array_size == 1 => return D::Texture1d { most_detailed_mip, mip_levels },
        TextureShape::D1 => {
            return D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice: 0, array_size };
        }
        TextureShape::D3 => return D::Texture3d { most_detailed_mip, mip_levels },
        TextureShape::D2 => {}
    }
    match (texture.sample_count > 1, is_cube, array_size) {
        (true, _, 1) => D::Texture2dMs,
        (true, ..) => D::Texture2dMsArray { first_array_slice: 0, array_size },
        (false, true, slices) if slices >= 2 * FACES => {
            D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face: 0, num_cubes: REST }
        }
        (false, true, _) => D::TextureCube { most_detailed_mip, mip_levels },
        (false, false, 1) => D::Texture2d { most_detailed_mip, mip_levels },
        (false, false, _) => {
            D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice: 0, array_size }
        }
    }
}

/// Resolves the dimension and the range of a shader-resource view.
pub(super) fn resource_range(
    texture: &TextureDesc,
    dimension: ShaderResourceViewDimension,
) -> Result<(ViewDimension, SubresourceRange), Error> {
    use ShaderResourceViewDimension as D;
    let levels = texture.mip_levels;
    let mips = |first, count| part("mip levels", first, count, levels);
    let slices = |first, count| part("slices", first, count, texture.array_size);
    let (dimension, (first_mip, mips), (first_slice, slices)) = match dimension {
        D::Texture1d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture1d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice, array_size } => (
            ViewDimension::Texture1dArray,
            mips(most_detailed_mip, mip_levels)?,
            slices(first_array_slice, array_size)?,
        ),
        D::Texture3d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture3d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture2d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture2d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice, array_size } => (
            ViewDimension::Texture2dArray,
            mips(most_detailed_mip, mip_levels)?,
            slices(first_array_slice, array_size)?,
        ),
        // The caller has rejected dimensions of buffers before.
        D::Buffer { .. } | D::BufferEx { .. } => {
            return invalid!("the dimension is that of a buffer, but the resource is a texture");
        }
        D::Texture2dMs => (ViewDimension::Texture2dMs, (0, 1), (0, 1)),
        D::Texture2dMsArray { first_array_slice, array_size } => {
            (ViewDimension::Texture2dMsArray, (0, 1), slices(first_array_slice, array_size)?)
        }
        D::TextureCube { most_detailed_mip, mip_levels } => {
            (ViewDimension::TextureCube, mips(most_detailed_mip, mip_levels)?, cubes(texture, 0, 1)?)
        }
        D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face, num_cubes } => (
            ViewDimension::TextureCubeArray,
            mips(most_detailed_mip, mip_levels)?,
            cubes(texture, first_2d_array_face, num_cubes)?,
        ),
    };
    fits_shape(texture, dimension)?;
    fits_samples(texture, dimension)?;
    // A shader-resource view always includes all depth slices.
    let w_size = texture.mip_depth(first_mip);
    Ok((dimension, SubresourceRange { first_mip, mips, first_slice, slices, first_w: 0, w_size }))
}

/// Resolves the dimension and the range of a view other than a shader-resource view, with a default range of
/// all slices of mip 0.
pub(super) fn target_range(
    texture: &TextureDesc,
    dimension: Option<RenderTargetViewDimension>,
) -> Result<(ViewDimension, SubresourceRange), Error> {
    use RenderTargetViewDimension as D;
    let dimension = dimension.unwrap_or(whole_target(texture));
    let slices = |first, count| part("slices", first, count, texture.array_size);
    let mip = |mip| part("mip levels", mip, 1, texture.mip_levels).map(|(mip, _)| mip);
    // The range of array slices, followed by the range of depth slices.
    let one = (0, 1);
    let (dimension, first_mip, (first_slice, slices), (first_w, w_size)) = match dimension {
        D::Texture1d { mip_slice } => (ViewDimension::Texture1d, mip(mip_slice)?, one, one),
        D::Texture1dArray { mip_slice, first_array_slice, array_size } => {
            let slices = slices(first_array_slice, array_size)?;
            (ViewDimension::Texture1dArray, mip(mip_slice)?, slices, one)
        }
        D::Texture2d { mip_slice } => (ViewDimension::Texture2d, mip(mip_slice)?, one, one),
        D::Texture2dArray { mip_slice, first_array_slice, array_size } => {
            let slices = slices(first_array_slice, array_size)?;
            (ViewDimension::Texture2dArray, mip(mip_slice)?, slices, one)
        }
        D::Texture2dMs => (ViewDimension::Texture2dMs, 0, one, one),
        D::Texture2dMsArray { first_array_slice, array_size } => {
            (ViewDimension::Texture2dMsArray, 0, slices(first_array_slice, array_size)?, one)
        }
        D::Texture3d { mip_slice, first_w_slice, w_size } => {
            let mip = mip(mip_slice)?;
            let slices =
                part("depth slices in this mip level", first_w_slice, w_size, texture.mip_depth(mip))?;
            (ViewDimension::Texture3d, mip, one, slices)
        }
    };
    fits_shape(texture, dimension)?;
    fits_samples(texture, dimension)?;
    Ok((dimension, SubresourceRange { first_mip, mips: 1, first_slice, slices, first_w, w_size }))
}

/// The dimension of a target view whose descriptor specifies none, for a view of all slices of mip 0.
fn whole_target(texture: &TextureDesc) -> RenderTargetViewDimension {
    use RenderTargetViewDimension as D;
    let array_size = texture.array_size;
    match (texture.shape, texture.sample_count > 1) {
        (TextureShape::D1, _) if array_size == 1 => D::Texture1d { mip_slice: 0 },
        (TextureShape::D1, _) => D::Texture1dArray { mip_slice: 0, first_array_slice: 0, array_size },
        (TextureShape::D3, _) => D::Texture3d { mip_slice: 0, first_w_slice: 0, w_size: REST },
        (TextureShape::D2, false) if array_size == 1 => D::Texture2d { mip_slice: 0 },
        (TextureShape::D2, false) => D::Texture2dArray { mip_slice: 0, first_array_slice: 0, array_size },
        (TextureShape::D2, true) if array_size == 1 => D::Texture2dMs,
        (TextureShape::D2, true) => D::Texture2dMsArray { first_array_slice: 0, array_size },
    }
}

/// Checks that a view and its texture are both 1D, both 2D or both 3D.
fn fits_shape(texture: &TextureDesc, dimension: ViewDimension) -> Result<(), Error> {
    let shape = match dimension {
        ViewDimension::Texture1d | ViewDimension::Texture1dArray => TextureShape::D1,
        ViewDimension::Texture3d => TextureShape::D3,
        ViewDimension::Texture2d
        | ViewDimension::Texture2dArray
        | ViewDimension::Texture2dMs
        | ViewDimension::Texture2dMsArray
        | ViewDimension::TextureCube
        | ViewDimension::TextureCubeArray => TextureShape::D2,
    };
    if texture.shape == shape {
        return Ok(());
    }
    let words = |shape| match shape {
        TextureShape::D1 => "1D",
        TextureShape::D2 => "2D",
        TextureShape::D3 => "3D",
    };
    invalid!(
        "the dimension is that of a {} texture, but the resource is a {} texture; name a dimension for it",
        words(shape),
        words(texture.shape)
    )
}

/// Checks that the view of a multisampled texture has a multisampled dimension, whereas the view of a texture
/// with one sample may have either dimension.
fn fits_samples(texture: &TextureDesc, dimension: ViewDimension) -> Result<(), Error> {
    let samples = matches!(dimension, ViewDimension::Texture2dMs | ViewDimension::Texture2dMsArray);
    if texture.sample_count > 1 && !samples {
        return invalid!(
            "a texture with {} samples cannot have a view as {dimension:?}; use Texture2dMs or Texture2dMsArray, or resolve \
             it into a texture with one sample",
            texture.sample_count
        );
    }
    Ok(())
}

/// Checks a range within `0..total`, resolves [`REST`], and returns the first index and the count.
pub(super) fn part(what: &str, first: u32, count: u32, total: u32) -> Result<(u32, u32), Error> {
    let rest = total.saturating_sub(first);
    let count = if count == REST { rest } else { count };
    if count == 0 || count > rest {
        return invalid!(
            "the resource has {total} {what}, but the view has {count} starting at number {first}; stay within them"
        );
    }
    Ok((first, count))
}

/// Checks a range of cubes, resolves [`REST`], and returns the first slice and the number of slices.
fn cubes(texture: &TextureDesc, first_face: u32, num_cubes: u32) -> Result<(u32, u32), Error> {
    if !texture.misc_flags.contains(MiscFlags::TEXTURECUBE) {
        return invalid!(
            "a texture without TEXTURECUBE cannot have a cube view; add the flag to its descriptor"
        );
    }
    let most = texture.array_size.saturating_sub(first_face) / FACES;
    let num_cubes = if num_cubes == REST { most } else { num_cubes };
    if num_cubes == 0 || num_cubes > most {
        let slices = texture.array_size;
        return invalid!(
            "{slices} slices have {most} cubes starting at slice {first_face}, but the view has {num_cubes}"
        );
    }
    Ok((first_face, num_cubes * FACES))
}
