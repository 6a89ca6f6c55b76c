//! A model of textures of all shapes, which applies calls to bytes texel by texel.

use onze::prelude::*;
use onze::{MappedSubresource, TextureDesc, TextureShape};
use onze_tests::{Harness, Random};

pub(crate) enum Any {
    D1(Texture1d),
    D2(Texture2d),
    D3(Texture3d),
}

macro_rules! each {
    ($any:expr, $texture:ident => $with:expr) => {
        match $any {
            Any::D1($texture) => $with,
            Any::D2($texture) => $with,
            Any::D3($texture) => $with,
        }
    };
}
pub(crate) use each;

/// Returns descriptors of R8_UINT textures of each shape, most with all their mip levels.
pub(crate) fn shapes() -> Vec<TextureDesc> {
    let format = Format::R8_UINT;
    vec![
        Texture1dDesc::new(format, 13).into(),
        Texture1dDesc { array_size: 4, ..Texture1dDesc::new(format, 8) }.into(),
        Texture2dDesc { array_size: 3, ..Texture2dDesc::new(format, 9, 6) }.into(),
        Texture3dDesc::new(format, 7, 5, 9).into(),
        Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(format, 4, 8, 3) }.into(),
    ]
}

#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) desc: TextureDesc,
    /// The contents, or an empty list for a texture that is created without contents.
    pub(crate) subresources: Vec<Vec<u8>>,
}

impl Model {
    pub(crate) fn random(desc: TextureDesc, r: &mut Random) -> Self {
        let subresources = (0..desc.subresources())
            .map(|at| r.bytes(desc.mip_bytes(desc.mip_and_slice(at).0) as usize))
            .collect();
        Self { desc, subresources }
    }

    /// Creates the texture with its contents, and with padding between rows and depth slices.
    pub(crate) fn create(&self, device: &Device, padding: u32) -> Any {
        let padded: Vec<_> =
            (0..).zip(&self.subresources).map(|(at, bytes)| self.padded(at, bytes, padding)).collect();
        let data: Vec<_> = padded
            .iter()
            .map(|(bytes, row_pitch, depth_pitch)| SubresourceData {
                bytes,
                row_pitch: *row_pitch,
                depth_pitch: *depth_pitch,
            })
            .collect();
        let data = (!data.is_empty()).then_some(&data[..]);
        let desc = &self.desc;
        match desc.shape {
            TextureShape::D1 => Any::D1(device.create_texture_1d(&desc.into(), data).unwrap()),
            TextureShape::D2 => Any::D2(device.create_texture_2d(&desc.into(), data).unwrap()),
            TextureShape::D3 => Any::D3(device.create_texture_3d(&desc.into(), data).unwrap()),
        }
    }

    fn padded(&self, at: u32, bytes: &[u8], padding: u32) -> (Vec<u8>, u32, u32) {
        let (width, height, depth) = self.extent(at);
        let row_pitch = width + padding;
        let depth_pitch = row_pitch * height + 2 * padding;
        let mut padded = vec![0xee; (depth_pitch * depth) as usize];
        for z in 0..depth {
            for y in 0..height {
                let (to, from) = ((z * depth_pitch + y * row_pitch) as usize, self.index(at, 0, y, z));
                padded[to..to + width as usize].copy_from_slice(&bytes[from..from + width as usize]);
            }
        }
        (padded, row_pitch, depth_pitch)
    }

    pub(crate) fn extent(&self, at: u32) -> (u32, u32, u32) {
        self.desc.mip_extent(self.desc.mip_and_slice(at).0)
    }

    pub(crate) fn index(&self, at: u32, x: u32, y: u32, z: u32) -> usize {
        let (width, height, _) = self.extent(at);
        ((z * height + y) * width + x) as usize
    }

    pub(crate) fn texel(&mut self, at: u32, x: u32, y: u32, z: u32) -> &mut u8 {
        let index = self.index(at, x, y, z);
        &mut self.subresources[at as usize][index]
    }

    pub(crate) fn whole(&self, at: u32) -> Box3d {
        let (right, bottom, back) = self.extent(at);
        Box3d { left: 0, top: 0, front: 0, right, bottom, back }
    }

    pub(crate) fn holds(&self, at: u32, b: Box3d) -> bool {
        let (width, height, depth) = self.extent(at);
        !b.is_empty() && b.right <= width && b.bottom <= height && b.back <= depth
    }

    /// Returns a random box, usually inside the subresource.
    pub(crate) fn some_box(&self, at: u32, r: &mut Random) -> Box3d {
        let (width, height, depth) = self.extent(at);
        let mut side = |size: u32| {
            let start = r.below(size);
            let end = if r.one_in(20) { start } else { r.range(start..size) + 1 };
            (start, end + u32::from(r.one_in(25)))
        };
        let ((left, right), (top, bottom), (front, back)) = (side(width), side(height), side(depth));
        Box3d { left, top, front, right, bottom, back }
    }

    pub(crate) fn write(&self, at: u32, mapped: &mut MappedSubresource<'_>) {
        let (row, slice) = (mapped.row_pitch() as usize, mapped.depth_pitch() as usize);
        let (width, height, depth) = self.extent(at);
        for z in 0..depth {
            for y in 0..height {
                let from = self.index(at, 0, y, z);
                let texels = &self.subresources[at as usize][from..from + width as usize];
                mapped.write_slice(z as usize * slice + y as usize * row, texels);
            }
        }
    }

    #[track_caller]
    pub(crate) fn assert(&self, h: &mut Harness, texture: &Any, row: &str) {
        for (at, expected) in (0..).zip(&self.subresources) {
            let found = match texture {
                Any::D1(texture) => h.immediate.read_texture_1d(texture, at),
                Any::D2(texture) => h.immediate.read_texture_2d(texture, at),
                Any::D3(texture) => h.immediate.read_texture_3d(texture, at),
            };
            let shape = self.desc.shape;
            assert_eq!(found.as_ref().ok(), Some(expected), "{shape:?}, subresource {at}: {row}");
        }
    }
}
