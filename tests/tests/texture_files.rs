//! Textures from image, DDS and KTX2 files, and textures that are saved as PNG files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{io::Cursor, path::PathBuf};

use ddsfile::{
    AlphaMode, Caps2, D3D10ResourceDimension, D3DFormat, Dds, DxgiFormat, NewD3dParams, NewDxgiParams,
};
use image::{DynamicImage, ImageFormat, RgbaImage};
use onze::{TextureFileDesc, prelude::*};
use onze_tests::{
    Config, Harness, Random,
    drawing::{assert_all, is_close},
    gpu_matrix, matrix, on_each,
};

fn encoded(width: u32, height: u32, texel: impl Fn(u32, u32) -> [u8; 4], format: ImageFormat) -> Vec<u8> {
    let picture = DynamicImage::from(RgbaImage::from_fn(width, height, |x, y| image::Rgba(texel(x, y))));
    let picture = if format == ImageFormat::Jpeg { DynamicImage::from(picture.into_rgb8()) } else { picture };
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Creates a DDS file whose data consists of consecutive byte values.
fn dds(format: DxgiFormat, size: (u32, u32), mips: u32, slices: u32, is_cube: bool) -> Vec<u8> {
    let mut file = Dds::new_dxgi(NewDxgiParams {
        width: size.0,
        height: size.1,
        depth: None,
        format,
        mipmap_levels: Some(mips),
        array_layers: Some(slices),
        caps2: None,
        is_cubemap: is_cube,
        resource_dimension: D3D10ResourceDimension::Texture2D,
        alpha_mode: AlphaMode::Straight,
    })
    .unwrap();
    (0..).zip(&mut file.data).for_each(|(i, byte)| *byte = (i % 251) as u8);
    written(&file)
}

fn legacy(format: D3DFormat, caps2: Option<Caps2>) -> Dds {
    let params = NewD3dParams { width: 4, height: 4, depth: None, format, mipmap_levels: None, caps2 };
    Dds::new_d3d(params).unwrap()
}

fn written(file: &Dds) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(&mut bytes).unwrap();
    bytes
}

#[derive(Copy, Clone)]
struct Ktx2 {
    format: u32,
    size: (u32, u32, u32),
    layers: u32,
    faces: u32,
    levels: u32,
    scheme: u32,
}

const R8G8B8A8_UNORM: u32 = 37;

impl Ktx2 {
    const PLAIN: Self =
        Self { format: R8G8B8A8_UNORM, size: (4, 2, 0), layers: 0, faces: 1, levels: 1, scheme: 0 };

    /// Returns the file with the given texels for each mip level, beginning with the largest.
    fn bytes(&self, levels: &[&[u8]]) -> Vec<u8> {
        let descriptor: [u32; 7] = [28, 0, 2 | 24 << 16, 1 | 1 << 8 | 1 << 16, 0, 0, 0];
        let descriptor_at = 80 + 24 * levels.len() as u32;
        let mut file = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        let (width, height, depth) = self.size;
        let header =
            [self.format, 1, width, height, depth, self.layers, self.faces, self.levels, self.scheme];
        let index = [descriptor_at, 28, 0, 0, 0, 0, 0, 0];
        header.iter().chain(&index).for_each(|word| file.extend(word.to_le_bytes()));
        let mut at = u64::from(descriptor_at) + 28;
        for level in levels {
            let len = level.len() as u64;
            [at, len, len].iter().for_each(|word| file.extend(word.to_le_bytes()));
            at += len;
        }
        descriptor.iter().for_each(|word| file.extend(word.to_le_bytes()));
        levels.iter().for_each(|level| file.extend(*level));
        file
    }
}

/// A folder for the files of one test, removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onze-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(h: &mut Harness, bytes: &[u8]) -> Result<Texture2d, onze::Error> {
    h.device.create_texture_from_memory(&mut h.immediate, bytes)
}

#[test]
fn a_picture_has_all_mip_levels_and_is_srgb() {
    on_each(&gpu_matrix(), |h| {
        let checkers = |x: u32, y: u32| [[0, 0, 0, 255], [255; 4]][((x + y) % 2) as usize];
        let png = encoded(8, 4, checkers, ImageFormat::Png);
        let folder = Folder::new("picture");
        // The contents of a file determine its type, so the file name has no effect.
        let path = folder.0.join("checkers.dat");
        std::fs::write(&path, &png).unwrap();
        let texture = h.device.create_texture_from_file(&mut h.immediate, &path).unwrap();
        let desc = texture.desc();
        assert_eq!((desc.format, desc.mip_levels), (Format::R8G8B8A8_UNORM_SRGB, 4));
        assert_eq!((desc.width, desc.height), (8, 4));
        assert_eq!(texture.label(), "checkers.dat");
        let texels = h.read(&texture, 0);
        assert_eq!((&texels[..8], &texels[32..36]), (&[0, 0, 0, 255, 255, 255, 255, 255][..], &[255; 4][..]));
        // The average is computed in linear space.
        assert_all(&h.read_u32(&texture, 3), 0xffbc_bcbc, "the last level");

        let linear = TextureFileDesc::linear();
        let named = h.device.labelled("normals");
        let texture = named.create_texture_from_file_with(&mut h.immediate, &path, &linear).unwrap();
        assert_eq!((texture.desc().format, texture.label().as_str()), (Format::R8G8B8A8_UNORM, "normals"));
        assert_all(&h.read_u32(&texture, 3), 0xff7f_7f7f, "the last level of numbers");

        let one = TextureFileDesc { generate_mips: false, ..Default::default() };
        let texture = h.device.create_texture_from_memory_with(&mut h.immediate, &png, &one).unwrap();
        assert_eq!(texture.desc().mip_levels, 1);
        assert_eq!(h.read(&texture, 0), texels);

        let jpeg = encoded(8, 8, |_, _| [200, 100, 50, 255], ImageFormat::Jpeg);
        let texture = load(h, &jpeg).unwrap();
        assert!(is_close(h.read_u32(&texture, 0)[9], 0xff32_64c8, 3));
        h.assert_silent();
    });
}

#[test]
fn a_dds_file_gives_all_its_subresources() {
    on_each(&gpu_matrix(), |h| {
        for (format, expected, slices, is_cube) in [
            (DxgiFormat::R8G8B8A8_UNorm_sRGB, Format::R8G8B8A8_UNORM_SRGB, 1, false),
            (DxgiFormat::R16G16_Float, Format::R16G16_FLOAT, 3, false),
            (DxgiFormat::R8_UNorm, Format::R8_UNORM, 6, true),
        ] {
            let file = dds(format, (4, 4), 3, slices, is_cube);
            let texture = load(h, &file).unwrap();
            let desc = texture.desc();
            assert_eq!((desc.format, desc.mip_levels, desc.array_size), (expected, 3, slices));
            assert_eq!(desc.misc_flags.contains(MiscFlags::TEXTURECUBE), is_cube);
            let all: Vec<u8> =
                (0..3 * slices).flat_map(|subresource| h.read(&texture, subresource)).collect();
            assert_eq!(all, file[148..], "{format:?}");
        }
        h.assert_silent();
    });
}

#[test]
fn legacy_dds_formats_are_those_of_dxgi() {
    on_each(&[Config::NULL], |h| {
        let rows = [
            (D3DFormat::A8B8G8R8, Format::R8G8B8A8_UNORM),
            (D3DFormat::A8R8G8B8, Format::B8G8R8A8_UNORM),
            (D3DFormat::DXT1, Format::BC1_UNORM),
            (D3DFormat::DXT5, Format::BC3_UNORM),
        ];
        for (format, expected) in rows {
            match load(h, &written(&legacy(format, None))) {
                Ok(texture) => assert_eq!(texture.desc().format, expected, "{format:?}"),
                // A device may lack a format, and the error then names the format.
                Err(onze::Error::Unsupported(text)) => {
                    assert!(text.contains(&format!("{expected:?}")), "{format:?}: {text}");
                    h.assert_reported(MessageId::CreateTexture2dInvalid);
                }
                Err(error) => panic!("{format:?}: {error}"),
            }
        }
        // These rows contain flags, four-character codes, bit counts and masks that other tools write and
        // `ddsfile` does not.
        for (words, expected) in [
            ([4, 113, 0, 0, 0, 0, 0], Format::R16G16B16A16_FLOAT),
            ([4, 114, 0, 0, 0, 0, 0], Format::R32_FLOAT),
            ([0x20000, 0, 8, 0xff, 0, 0, 0], Format::R8_UNORM),
            ([0x20000, 0, 16, 0xffff, 0, 0, 0], Format::R16_UNORM),
            ([0x20001, 0, 16, 0xff, 0, 0, 0xff00], Format::R8G8_UNORM),
            ([0x40, 0, 32, 0xffff, 0xffff_0000, 0, 0], Format::R16G16_UNORM),
            ([0x41, 0, 32, 0x3ff, 0xf_fc00, 0x3ff0_0000, 0xc000_0000], Format::R10G10B10A2_UNORM),
        ] {
            let mut file = written(&legacy(D3DFormat::A8R8G8B8, None));
            file.resize(256, 0);
            let pixel_format = file[80..108].chunks_exact_mut(4);
            pixel_format.zip(words).for_each(|(at, word)| at.copy_from_slice(&u32::to_le_bytes(word)));
            assert_eq!(load(h, &file).unwrap().desc().format, expected, "{words:x?}");
        }
        let error = load(h, &written(&legacy(D3DFormat::R8G8B8, None))).unwrap_err();
        assert!(error.to_string().contains("R8G8B8, which Direct3D 11 does not have: convert"), "{error}");
        let some_faces = Some(Caps2::CUBEMAP | Caps2::CUBEMAP_POSITIVEX);
        let volume = Some(Caps2::VOLUME);
        let whole = written(&legacy(D3DFormat::A8R8G8B8, None));
        for (file, text) in [
            (&written(&legacy(D3DFormat::A8R8G8B8, some_faces))[..], "without all six faces"),
            (&written(&legacy(D3DFormat::A8R8G8B8, volume)), "use `create_texture_3d_from_file`"),
            (&whole[..whole.len() - 1], "1 slices of 1 mip levels need 64 bytes, found 63"),
        ] {
            let error = load(h, file).unwrap_err();
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

fn counted(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// Reads 3D textures and 1D arrays with all mip levels from both container formats, with the expected bytes
/// in the order of the DDS file.
#[test]
fn rows_and_volumes_are_read_with_all_their_levels() {
    on_each(&matrix(), |h| {
        let linear = TextureFileDesc::linear();
        // The levels have 4 x 2 x 4, 2 x 1 x 2 and 1 x 1 x 1 texels.
        let sizes = [128, 16, 4];
        let params = |dimension, size: (u32, u32, u32), layers| NewDxgiParams {
            width: size.0,
            height: size.1,
            depth: (size.2 > 1).then_some(size.2),
            format: DxgiFormat::R8G8B8A8_UNorm,
            mipmap_levels: Some(3),
            array_layers: Some(layers),
            caps2: None,
            is_cubemap: false,
            resource_dimension: dimension,
            alpha_mode: AlphaMode::Straight,
        };
        let all = counted(sizes.iter().sum());
        let levels: Vec<&[u8]> = vec![&all[..128], &all[128..144], &all[144..]];
        let mut volume = Dds::new_dxgi(params(D3D10ResourceDimension::Texture3D, (4, 2, 4), 1)).unwrap();
        volume.data.clone_from(&all);
        let volume_ktx2 = Ktx2 { size: (4, 2, 4), levels: 3, ..Ktx2::PLAIN };
        for file in [written(&volume), volume_ktx2.bytes(&levels)] {
            let texture = h.device.create_texture_3d_from_memory(&file, &linear).unwrap();
            let desc = texture.desc();
            assert_eq!((desc.width, desc.height, desc.depth, desc.mip_levels), (4, 2, 4, 3));
            for (mip, expected) in (0..).zip(&levels) {
                assert_eq!(&h.immediate.read_texture_3d(&texture, mip).unwrap(), expected, "mip {mip}");
            }
            let error = h.device.create_texture_1d_from_memory(&file, &linear).unwrap_err();
            assert!(
                error.to_string().contains("it contains a 3D texture, but the call creates a 1D texture"),
                "{error}"
            );
            h.assert_reported(MessageId::CreateTexture1dInvalid);
        }
        // The levels of each of the two slices have 4, 2 and 1 texels. A DDS file stores all levels of a
        // slice together, and a KTX2 file stores all slices of a level together.
        let mut row = Dds::new_dxgi(params(D3D10ResourceDimension::Texture1D, (4, 1, 1), 2)).unwrap();
        let all = counted(2 * 28);
        row.data.clone_from(&all);
        let (first, second) = all.split_at(28);
        let of = |bytes: &[u8]| [bytes[..16].to_vec(), bytes[16..24].to_vec(), bytes[24..].to_vec()];
        let slices = [of(first), of(second)];
        let joined: Vec<Vec<u8>> =
            (0..3).map(|mip| [&slices[0][mip][..], &slices[1][mip]].concat()).collect();
        let joined: Vec<&[u8]> = joined.iter().map(Vec::as_slice).collect();
        let row_ktx2 = Ktx2 { size: (4, 0, 0), layers: 2, levels: 3, ..Ktx2::PLAIN };
        for file in [written(&row), row_ktx2.bytes(&joined)] {
            let texture = h.device.create_texture_1d_from_memory(&file, &linear).unwrap();
            let desc = texture.desc();
            assert_eq!((desc.width, desc.array_size, desc.mip_levels), (4, 2, 3));
            for (index, expected) in (0..).zip(slices.as_flattened()) {
                assert_eq!(&h.immediate.read_texture_1d(&texture, index).unwrap(), expected, "{index}");
            }
        }
        // The texture is loaded from a path, and the file name becomes its label.
        let folder = Folder::new("volumes");
        std::fs::write(folder.0.join("grading.dds"), written(&volume)).unwrap();
        let texture = h.device.create_texture_3d_from_file(folder.0.join("grading.dds"), &linear).unwrap();
        assert_eq!(texture.label(), "grading.dds");
        let error = h.device.create_texture_1d_from_file(folder.0.join("none.dds"), &linear).unwrap_err();
        assert!(matches!(error, onze::Error::NotFound(_)), "{error}");
        h.take_errors();
    });
}

#[test]
fn the_caller_can_choose_srgb_for_any_file() {
    on_each(&[Config::NULL], |h| {
        let file = dds(DxgiFormat::R8G8B8A8_UNorm, (4, 4), 1, 1, false);
        for (srgb, expected) in [
            (None, Format::R8G8B8A8_UNORM),
            (Some(false), Format::R8G8B8A8_UNORM),
            (Some(true), Format::R8G8B8A8_UNORM_SRGB),
        ] {
            let desc = TextureFileDesc { srgb, ..Default::default() };
            let texture = h.device.create_texture_from_memory_with(&mut h.immediate, &file, &desc).unwrap();
            assert_eq!((texture.desc().format, texture.desc().mip_levels), (expected, 1));
        }
    });
}

#[test]
fn a_ktx2_file_gives_all_its_subresources() {
    on_each(&gpu_matrix(), |h| {
        let bytes: Vec<u8> = (0..240).collect();
        // Each of the two layers has levels of 4 x 2 and 2 x 1 texels, and the file stores both layers of a
        // level together.
        let file = Ktx2 { layers: 2, levels: 2, ..Ktx2::PLAIN };
        let texture = load(h, &file.bytes(&[&bytes[..64], &bytes[64..80]])).unwrap();
        assert_eq!((texture.desc().array_size, texture.desc().mip_levels), (2, 2));
        for (subresource, range) in [(0, 0..32), (1, 64..72), (2, 32..64), (3, 72..80)] {
            assert_eq!(h.read(&texture, subresource), bytes[range], "{subresource}");
        }
        let cube = Ktx2 { size: (2, 2, 0), faces: 6, ..Ktx2::PLAIN };
        let texture = load(h, &cube.bytes(&[&bytes[..96]])).unwrap();
        assert!(texture.desc().misc_flags.contains(MiscFlags::TEXTURECUBE));
        assert_eq!(h.read(&texture, 5), bytes[80..96]);

        let asks_for_mips = Ktx2 { levels: 0, ..Ktx2::PLAIN };
        let texture = load(h, &asks_for_mips.bytes(&[&[0x40; 32]])).unwrap();
        assert_eq!(texture.desc().mip_levels, 3);
        assert_all(&h.read_u32(&texture, 2), 0x4040_4040, "generated");
        h.assert_silent();
    });
}

#[test]
fn unsupported_ktx2_files_are_refused_by_name() {
    on_each(&[Config::NULL], |h| {
        let plain = Ktx2::PLAIN;
        let texels: &[u8] = &[0; 32];
        for (file, level, text) in [
            (
                Ktx2 { format: 0, ..plain },
                texels,
                "universal format (Basis Universal), which must be transcoded",
            ),
            (Ktx2 { scheme: 1, ..plain }, texels, "BasisLZ"),
            (Ktx2 { scheme: 2, ..plain }, texels, "Zstandard"),
            (Ktx2 { format: 23, ..plain }, texels, "R8G8B8_UNORM, which Direct3D 11 does not have"),
            (Ktx2 { format: 157, ..plain }, texels, "ASTC"),
            (Ktx2 { size: (4, 2, 1), ..plain }, texels, "use `create_texture_3d_from_file`"),
            (Ktx2 { size: (4, 2, 2), layers: 2, ..plain }, texels, "3D texture of 2 slices"),
            (Ktx2 { size: (4, 0, 2), ..plain }, texels, "a depth and no height"),
            (Ktx2 { size: (4, 0, 0), ..plain }, texels, "use `create_texture_1d_from_file`"),
            (Ktx2 { faces: 2, ..plain }, texels, "2 faces"),
            (Ktx2 { layers: 4000, ..plain }, texels, "at most 15 and 2048"),
            (Ktx2 { layers: 2, ..plain }, texels, "mip level 0 has 32 bytes, not 64"),
            (plain, &texels[1..], "mip level 0 has 31 bytes, not 32"),
            (Ktx2 { size: (u32::MAX, u32::MAX, 0), ..plain }, texels, "cut off"),
        ] {
            let error = load(h, &file.bytes(&[level])).unwrap_err();
            assert!(error.to_string().contains(text), "{text}: {error}");
            h.assert_reported(MessageId::CreateTexture2dInvalid);
        }
    });
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    on_each(&[Config::NULL], |h| {
        let folder = Folder::new("unreadable");
        let path = folder.0.join("missing.png");
        let error = h.device.create_texture_from_file(&mut h.immediate, &path).unwrap_err();
        assert!(matches!(&error, onze::Error::NotFound(text) if text.contains("missing.png")), "{error}");
        let error = h.device.create_texture_from_file(&mut h.immediate, &folder.0).unwrap_err();
        assert!(matches!(&error, onze::Error::Fail(text) if text.contains("cannot be read")), "{error}");
        std::fs::write(&path, b"something else").unwrap();
        let error = h.device.create_texture_from_file(&mut h.immediate, &path).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("missing.png") && text.contains("neither PNG, JPEG, DDS nor KTX2"), "{text}");
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

/// No file may cause a panic or break the device, whatever is missing or wrong in it.
#[test]
fn broken_files_are_errors() {
    on_each(&[Config::NULL], |h| {
        let files = [
            encoded(5, 3, |x, y| [x as u8, y as u8, 7, 255], ImageFormat::Png),
            encoded(5, 3, |x, y| [x as u8, y as u8, 7, 255], ImageFormat::Jpeg),
            dds(DxgiFormat::R8G8B8A8_UNorm, (4, 4), 2, 2, false),
            written(&legacy(D3DFormat::DXT5, None)),
            Ktx2 { layers: 2, ..Ktx2::PLAIN }.bytes(&[&[1; 64]]),
        ];
        let mut random = Random::new(5);
        for file in &files {
            let _ = load(h, file);
            for len in (0..file.len()).step_by(file.len().div_ceil(200)) {
                let _ = load(h, &file[..len]);
            }
            for _ in 0..400 {
                let mut broken = file.clone();
                for _ in 0..1 + random.below(4) {
                    // Changes are limited to the first bytes, because numbers in headers can overflow.
                    let at = random.below(broken.len().min(160) as u32) as usize;
                    broken[at] = [0, 1, 0x7f, 0xff, random.below(256) as u8][random.below(5) as usize];
                }
                let _ = load(h, &broken);
            }
        }
        h.take_errors();
        h.device.get_device_removed_reason().unwrap();
    });
}

#[test]
fn block_compressed_files_load_where_the_device_has_the_format() {
    on_each(&matrix(), |h| {
        let file = dds(DxgiFormat::BC1_UNorm_sRGB, (8, 8), 4, 1, false);
        match load(h, &file) {
            Ok(texture) => {
                assert_eq!((texture.desc().format, texture.desc().mip_levels), (Format::BC1_UNORM_SRGB, 4));
                if h.draws() {
                    assert_eq!(h.read(&texture, 0), file[148..180]);
                    assert_eq!(h.read(&texture, 3), file[file.len() - 8..]);
                }
                h.assert_silent();
            }
            Err(error) => {
                assert!(error.to_string().contains("BC1_UNORM_SRGB"), "{error}");
                h.assert_reported(MessageId::CreateTexture2dInvalid);
            }
        }
    });
}

struct SavedFile(PathBuf);

impl Drop for SavedFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A texel in each format, and the first texel of the PNG file that is saved from it.
const PNG_FORMS: &[(Format, &[u8], [u16; 4])] = &[
    (Format::R8G8B8A8_UNORM, &[1, 2, 3, 4], [0x101, 0x202, 0x303, 0x404]),
    (Format::R8G8B8A8_UNORM_SRGB, &[1, 2, 3, 4], [0x101, 0x202, 0x303, 0x404]),
    (Format::B8G8R8A8_UNORM, &[3, 2, 1, 4], [0x101, 0x202, 0x303, 0x404]),
    (Format::B8G8R8A8_UNORM_SRGB, &[3, 2, 1, 4], [0x101, 0x202, 0x303, 0x404]),
    (Format::B8G8R8X8_UNORM, &[3, 2, 1, 9], [0x101, 0x202, 0x303, 0xffff]),
    (Format::R8_UNORM, &[7], [0x707, 0x707, 0x707, 0xffff]),
    (Format::R8G8_UNORM, &[7, 8], [0x707, 0x808, 0, 0xffff]),
    (Format::R16_UNORM, &[0x34, 0x12], [0x1234, 0x1234, 0x1234, 0xffff]),
    (Format::R16G16_UNORM, &[0x34, 0x12, 0x78, 0x56], [0x1234, 0x5678, 0, 0xffff]),
    (Format::R16G16B16A16_UNORM, &[1, 2, 3, 4, 5, 6, 7, 8], [0x201, 0x403, 0x605, 0x807]),
    // The components are red 1023, green 512, blue 0 and alpha 2 of 3.
    (Format::R10G10B10A2_UNORM, &[0xff, 0x03, 0x08, 0x80], [0xffff, 0x8020, 0, 0xaaaa]),
    // The components are red 31, green 32 and blue 1.
    (Format::B5G6R5_UNORM, &[0x01, 0xfc], [0xffff, 0x8282, 0x0808, 0xffff]),
    (Format::B5G5R5A1_UNORM, &[0x1f, 0x80], [0, 0, 0xffff, 0xffff]),
    (Format::B4G4R4A4_UNORM, &[0x21, 0x43], [0x3333, 0x2222, 0x1111, 0x4444]),
];

#[test]
fn a_texture_is_saved_as_a_png_file() {
    on_each(&[Config::GPU], |h| {
        let name = format!("onze-save-png-{}.png", std::process::id());
        let file = SavedFile(std::env::temp_dir().join(name));
        for (format, texel, expected) in PNG_FORMS {
            if !h.has_format(*format, FormatSupport::TEXTURE2D) {
                continue;
            }
            // Mip level 1 has 3 x 2 texels, which are all zero except the first.
            let texture = h.device.create_texture_2d(&Texture2dDesc::new(*format, 6, 4), None).unwrap();
            let mut texels = vec![0; 6 * texel.len()];
            texels[..texel.len()].copy_from_slice(texel);
            h.immediate.update_region(&texture, 1, None, &texels[..]).unwrap();
            h.immediate.save_png(&texture, 1, &file.0).unwrap();
            let picture = image::open(&file.0).unwrap().into_rgba16();
            assert_eq!(picture.dimensions(), (3, 2), "{format:?}");
            assert_eq!(picture.get_pixel(0, 0).0, *expected, "{format:?}");
            assert_eq!(picture.get_pixel(2, 1).0[..3], [0; 3], "{format:?}");
        }
    });
}

#[test]
fn a_texture_without_a_png_form_is_refused() {
    on_each(&[Config::GPU], |h| {
        let path = std::env::temp_dir().join("onze-save-png-refused.png");
        for format in
            [Format::R16G16B16A16_FLOAT, Format::R8G8B8A8_SNORM, Format::R32_UINT, Format::D32_FLOAT]
        {
            let bind_flags = if format == Format::D32_FLOAT {
                BindFlags::DEPTH_STENCIL
            } else {
                BindFlags::SHADER_RESOURCE
            };
            let desc = Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, 4, 4) };
            let texture = h.device.labelled("scene").create_texture_2d(&desc, None).unwrap();
            let words = h.immediate.save_png(&texture, 0, &path).unwrap_err().to_string();
            assert!(words.contains(&format!("a PNG file cannot hold {format:?}")), "{words}");
            assert!(words.contains("\"scene\"") && words.contains("R8G8B8A8_UNORM_SRGB"), "{words}");
        }
        let samples = h.device.create_render_target_with_samples(Format::R8G8B8A8_UNORM, 4, 4, 4).unwrap();
        let words = h.immediate.save_png(&samples.texture, 0, &path).unwrap_err().to_string();
        assert!(words.contains("it has 4 samples; resolve it"), "{words}");
        let plain = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        assert!(h.immediate.save_png(&plain.texture, 1, &path).is_err(), "there is no mip level 1");
        let nowhere = path.join("no folder/picture.png");
        let words = h.immediate.save_png(&plain.texture, 0, &nowhere).unwrap_err().to_string();
        assert!(words.contains("no folder"), "{words}");
        assert!(!path.exists());
        h.take_errors();
    });
}

#[test]
fn a_slice_of_an_array_is_saved_in_its_own_size() {
    on_each(&[Config::GPU], |h| {
        let name = format!("onze-save-slice-{}.png", std::process::id());
        let file = SavedFile(std::env::temp_dir().join(name));
        let desc = Texture2dDesc {
            mip_levels: 2,
            array_size: 2,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 6, 4)
        };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        for (mip, slice, (width, height)) in [(0, 1, (6, 4)), (1, 1, (3, 2)), (1, 0, (3, 2))] {
            let subresource = texture.subresource(mip, slice);
            let texels = vec![0xff00_0010 + subresource; (width * height) as usize];
            h.immediate.update_region(&texture, subresource, None, &texels[..]).unwrap();
            h.immediate.save_png(&texture, subresource, &file.0).unwrap();
            let picture = image::open(&file.0).unwrap().into_rgba8();
            assert_eq!(picture.dimensions(), (width, height), "mip {mip} of slice {slice}");
            assert!(picture.pixels().all(|pixel| u32::from(pixel.0[0]) == 0x10 + subresource));
        }
    });
}
