//! Creation of buffers and textures: the descriptors that are refused, and the contents of new resources.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, FormatSupport, prelude::*};
use onze_tests::{Config, Random, assert_error, matrix, on_each};

const USAGES: [Usage; 4] = [Usage::Default, Usage::Immutable, Usage::Dynamic, Usage::Staging];
const CPU: [u32; 4] = [0, 0x10000, 0x20000, 0x30000];

/// Returns whether usage, bind flags and CPU access may be combined (see Wine 10.0, d3d11 tests, line 15404).
fn usage_is_valid(usage: Usage, bind: BindFlags, cpu: CpuAccessFlags, data: bool) -> bool {
    let inputs = BindFlags::VERTEX_BUFFER
        | BindFlags::INDEX_BUFFER
        | BindFlags::CONSTANT_BUFFER
        | BindFlags::SHADER_RESOURCE;
    let only_inputs = !bind.is_empty() && inputs.contains(bind);
    match usage {
        Usage::Default => cpu.is_empty(),
        Usage::Immutable => only_inputs && cpu.is_empty() && data,
        Usage::Dynamic => only_inputs && cpu == CpuAccessFlags::WRITE,
        Usage::Staging => bind.is_empty() && !cpu.is_empty(),
    }
}

/// Creates buffers with every usage, all bind flags and every CPU access, with and without data: 8192
/// combinations.
#[test]
fn the_usage_rule_decides_which_buffers_are_created() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let missing = h.device.check_feature_support().missing;
        let mut created = 0;
        for bind in (0..256).map(BindFlags::from_bits_retain) {
            for usage in USAGES {
                for cpu in CPU.map(CpuAccessFlags::from_bits_retain) {
                    for data in [false, true] {
                        let desc = BufferDesc { usage, cpu_access_flags: cpu, ..BufferDesc::new(64, bind) };
                        let constants = bind.contains(BindFlags::CONSTANT_BUFFER);
                        let valid = usage_is_valid(usage, bind, cpu, data)
                            && (!constants || bind == BindFlags::CONSTANT_BUFFER);
                        let needed = [
                            (BindFlags::STREAM_OUTPUT, Features::STREAM_OUTPUT),
                            (BindFlags::UNORDERED_ACCESS, Features::COMPUTE | Features::BUFFER_VIEWS),
                            (BindFlags::SHADER_RESOURCE, Features::BUFFER_VIEWS),
                        ];
                        let is_target = bind.contains(BindFlags::RENDER_TARGET);
                        let here = !is_target
                            && !needed.iter().any(|(b, f)| bind.contains(*b) && missing.intersects(*f));
                        let result = h.device.create_buffer(&desc, data.then_some(&[7; 64]));
                        let row = format!("{usage:?} {bind:?} {cpu:?} data {data}");
                        match (valid, here) {
                            (true, true) => {
                                assert_eq!(*result.expect(&row).desc(), desc, "{row}");
                                created += 1;
                                h.assert_silent();
                            }
                            (true, false) => {
                                assert_error!(result, Unsupported, "{row}");
                                h.assert_reported(MessageId::CreateBufferInvalid);
                            }
                            (false, _) => {
                                assert_error!(result, InvalidArg, "{row}");
                                h.assert_reported(MessageId::CreateBufferInvalid);
                            }
                        }
                    }
                }
            }
        }
        assert!(created >= 28, "only {created} buffers could be created");
    });
}

/// See Wine 10.0, d3d11 tests, line 3824.
#[test]
fn a_constant_buffer_has_a_multiple_of_16_bytes() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        for bytes in (0..=64).chain([65_520, 65_535, 65_536, 65_537, 65_552, 1 << 20]) {
            let result = h.device.create_buffer(&BufferDesc::new(bytes, BindFlags::CONSTANT_BUFFER), None);
            if bytes > 0 && bytes % 16 == 0 {
                assert_eq!(result.unwrap().desc().byte_width, bytes);
            } else {
                assert_error!(result, InvalidArg, "{bytes} bytes");
                h.assert_reported(MessageId::CreateBufferInvalid);
            }
            let result = h.device.create_buffer(&BufferDesc::new(bytes, BindFlags::VERTEX_BUFFER), None);
            assert_eq!(result.is_ok(), bytes > 0, "{bytes} bytes of vertices");
        }
        h.take_errors();
        let padded = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[1.0_f32; 5]).unwrap();
        assert_eq!(padded.desc().byte_width, 32);
        let read: Vec<f32> = h.immediate.read_buffer(&padded).unwrap();
        assert_eq!(read, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    });
}

/// The asynchronous reads that browsers need return the same results and errors as the synchronous reads.
#[test]
fn asynchronous_reads_equal_synchronous_reads() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let buffer = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[1_u32, 2, 3]).unwrap();
        let words = pollster::block_on(h.immediate.read_buffer_async::<u32>(&buffer));
        assert_eq!(words, h.immediate.read_buffer(&buffer));
        assert_eq!(words.unwrap()[..3], [1, 2, 3]);
        let desc = Texture2dDesc { mip_levels: 2, ..Texture2dDesc::new(Format::R8_UNORM, 5, 2) };
        let mips = [(&[7_u8; 10][..], 5), (&[9; 2][..], 2)].map(|(bytes, row_pitch)| SubresourceData {
            bytes,
            row_pitch,
            depth_pitch: 0,
        });
        let texture = h.device.create_texture_2d(&desc, Some(&mips)).unwrap();
        for (subresource, expected) in [(0, vec![7; 10]), (1, vec![9; 2])] {
            let texels = pollster::block_on(h.immediate.read_texture_2d_async(&texture, subresource));
            assert_eq!(texels, h.immediate.read_texture_2d(&texture, subresource));
            assert_eq!(texels.unwrap(), expected);
        }
        let beyond = pollster::block_on(h.immediate.read_texture_2d_async(&texture, 2));
        assert_error!(beyond, InvalidArg);
    });
}

/// See Wine 10.0, d3d11 tests, line 3557.
#[test]
fn structured_and_raw_buffers_are_checked_before_refusal() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let views = !h.device.check_feature_support().missing.contains(Features::STRUCTURED_BUFFERS);
        let (structured, raw) = (MiscFlags::BUFFER_STRUCTURED, MiscFlags::BUFFER_ALLOW_RAW_VIEWS);
        let indirect = MiscFlags::DRAWINDIRECT_ARGS;
        let create = |misc_flags, structure_byte_stride, bind| {
            let desc = BufferDesc { misc_flags, structure_byte_stride, ..BufferDesc::new(1024, bind) };
            h.device.create_buffer(&desc, None)
        };
        let none = BindFlags::empty();
        for stride in 0..=2064 {
            let valid = (4..=2048).contains(&stride) && stride % 4 == 0;
            for bind in [none, BindFlags::VERTEX_BUFFER, BindFlags::SHADER_RESOURCE] {
                match create(structured, stride, bind) {
                    Ok(buffer) => {
                        assert!(valid && views, "stride {stride}");
                        assert_eq!(buffer.desc().structure_byte_stride, stride);
                    }
                    Err(onze::Error::Unsupported(text)) => {
                        assert!(valid && !views, "stride {stride}: {text}");
                    }
                    Err(onze::Error::InvalidArg(text)) => assert!(!valid, "stride {stride}: {text}"),
                    Err(other) => panic!("{other}"),
                }
            }
            // Without `BUFFER_STRUCTURED`, any stride is accepted and reported as 0.
            let plain = create(MiscFlags::empty(), stride, BindFlags::VERTEX_BUFFER).unwrap();
            assert_eq!(plain.desc().structure_byte_stride, 0);
        }
        assert_error!(create(structured, u32::MAX, none), InvalidArg);
        assert_error!(create(structured | raw, 16, BindFlags::SHADER_RESOURCE), InvalidArg);
        assert_error!(create(structured | indirect, 16, none), InvalidArg);
        for bind in [0x1, 0x2, 0x4, 0x10, 0x20, 0].map(BindFlags::from_bits_retain) {
            assert_error!(create(raw, 0, bind), InvalidArg, "raw with {bind:?}");
        }
        for bind in [BindFlags::SHADER_RESOURCE, BindFlags::UNORDERED_ACCESS] {
            assert!(!matches!(create(raw, 0, bind), Err(onze::Error::InvalidArg(_))), "raw with {bind:?}");
        }
        for misc in [MiscFlags::GENERATE_MIPS, MiscFlags::TEXTURECUBE] {
            assert_error!(create(misc, 0, BindFlags::VERTEX_BUFFER), InvalidArg, "{misc:?}");
        }
        assert_error!(create(MiscFlags::SHARED, 0, BindFlags::VERTEX_BUFFER), NotImplemented);
        h.take_errors();
    });
}

#[test]
fn creation_errors_contain_the_label_and_the_reason() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = BufferDesc::new(20, BindFlags::CONSTANT_BUFFER).label("camera");
        let text = h.device.create_buffer(&desc, None).unwrap_err().to_string();
        assert!(text.contains("camera") && text.contains("16") && text.contains("20"), "{text}");
        let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 0, 4).label("albedo");
        let text = h.device.create_texture_2d(&desc, None).unwrap_err().to_string();
        assert!(text.contains("albedo") && text.contains("width"), "{text}");
        h.take_errors();
        let buffer =
            h.device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER).label("a"), None).unwrap();
        assert_eq!(buffer.label(), "a");
        assert!(format!("{buffer:?}").contains("\"a\""));
    });
}

#[test]
fn contents_must_be_as_long_as_the_resource_and_may_be_longer() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = BufferDesc::immutable(16, BindFlags::VERTEX_BUFFER);
        for length in 0..16 {
            assert_error!(
                h.device.create_buffer(&desc, Some(&vec![1; length])),
                InvalidArg,
                "{length} bytes"
            );
        }
        let longer = h.device.create_buffer(&desc, Some(&[1; 20])).unwrap();
        assert_eq!(h.immediate.read_buffer::<u8>(&longer).unwrap(), [1; 16]);

        let desc = Texture2dDesc { mip_levels: 2, ..Texture2dDesc::new(Format::R8_UNORM, 4, 2) };
        let data =
            |length, row_pitch| SubresourceData { bytes: &[1; 64][..length], row_pitch, depth_pitch: 0 };
        let valid: [&[SubresourceData<'_>]; 3] =
            [&[data(8, 4), data(2, 2)], &[data(11, 7), data(2, 0)], &[data(64, 4), data(64, 60)]];
        for contents in valid {
            let texture = h.device.create_texture_2d(&desc, Some(contents)).unwrap();
            assert_eq!((h.read(&texture, 0), h.read(&texture, 1)), (vec![1; 8], vec![1; 2]));
        }
        let invalid: [&[SubresourceData<'_>]; 6] = [
            &[],
            &[data(8, 4)],
            &[data(8, 4), data(2, 2), data(2, 2)],
            &[data(7, 4), data(2, 2)],
            &[data(8, 3), data(2, 2)],
            &[data(10, 7), data(2, 2)],
        ];
        h.take_errors();
        for contents in invalid {
            assert_error!(h.device.create_texture_2d(&desc, Some(contents)), InvalidArg, "{contents:?}");
            h.assert_reported(MessageId::CreateTexture2dInvalid);
        }
    });
}

#[test]
fn resources_without_contents_read_as_zeros_in_reused_memory() {
    on_each(&matrix(), |h| {
        for size in [4, 20, 256, 1000, 70_000] {
            for flags in [BindFlags::VERTEX_BUFFER, BindFlags::INDEX_BUFFER] {
                // Fills the memory with values that must not be seen later.
                let before =
                    h.device.create_buffer(&BufferDesc::new(size, flags), Some(&vec![0xaa; size as usize]));
                h.immediate.update_subresource(
                    &before.unwrap(),
                    0,
                    None,
                    &vec![0xbb_u8; size as usize],
                    0,
                    0,
                );
                h.immediate.flush();
                h.wait();
                h.immediate.flush();
                for desc in [BufferDesc::new(size, flags), BufferDesc::dynamic(size, flags)] {
                    let buffer = h.device.create_buffer(&desc, None).unwrap();
                    let read: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                    assert!(read.iter().all(|b| *b == 0) && read.len() == size as usize, "{desc:?}");
                }
                let cpu = CpuAccessFlags::READ;
                let staging = h.device.create_buffer(&BufferDesc::staging(size, cpu), None).unwrap();
                assert!(h.immediate.map(&staging, 0, MapType::Read).unwrap().iter().all(|b| *b == 0));
            }
        }
        let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 9, 5) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        for subresource in 0..texture.desc().subresources() {
            assert!(h.read(&texture, subresource).iter().all(|b| *b == 0), "subresource {subresource}");
        }
    });
}

/// Constant buffers are suballocated, and reused memory must be zeroed.
#[test]
fn new_constant_buffers_read_as_zeros_in_reused_memory() {
    on_each(&matrix(), |h| {
        let desc = BufferDesc::new(256, BindFlags::CONSTANT_BUFFER);
        let zeros = h.device.create_buffer(&desc, None).unwrap();
        let scratch = h.device.create_buffer(&desc, None).unwrap();
        for round in 0..4_u8 {
            // Fills many buffers with values that must not be seen later, through initial contents and
            // through a command list.
            let ones = h.device.create_buffer(&desc, Some(&[0x11; 256])).unwrap();
            let before: Vec<_> = (0..100)
                .map(|n| h.device.create_buffer(&desc, (n % 2 == 0).then_some(&[0xaa; 256])).unwrap())
                .collect();
            let mut deferred = h.device.create_deferred_context().unwrap();
            before.iter().for_each(|buffer| deferred.copy_resource(buffer, &ones));
            let written = deferred.finish_command_list(false).unwrap();
            h.immediate.execute_command_list(&written, false);
            if round % 2 == 0 {
                h.immediate.flush();
            }
            drop((before, written, ones));
            h.immediate.flush();
            // These buffers are dropped before a submission can zero them, and other buffers are then created
            // with and without contents.
            drop((0..30).map(|_| h.device.create_buffer(&desc, None).unwrap()).collect::<Vec<_>>());
            let filled: Vec<_> =
                (0..20).map(|n| h.device.create_buffer(&desc, Some(&[n + 1; 256])).unwrap()).collect();
            let empty: Vec<_> = (0..40).map(|_| h.device.create_buffer(&desc, None).unwrap()).collect();
            // The list is recorded before the submission that zeroes the buffers. It reads each buffer and
            // writes a part of it.
            let mut deferred = h.device.create_deferred_context().unwrap();
            let seen: Vec<_> = empty
                .iter()
                .map(|buffer| {
                    let seen = h
                        .device
                        .create_buffer(&BufferDesc::new(256, BindFlags::VERTEX_BUFFER), None)
                        .unwrap();
                    deferred.copy_resource(&seen, buffer);
                    deferred.copy_subresource_region(
                        buffer,
                        0,
                        [16, 0, 0],
                        &filled[usize::from(round)],
                        0,
                        Some(Box3d::bytes(0..16)),
                    );
                    seen
                })
                .collect();
            let list = deferred.finish_command_list(false).unwrap();
            if round >= 2 {
                // The buffers are zeroed by a submission that does not contain the list.
                h.immediate.copy_resource(&scratch, &zeros);
                h.immediate.flush();
            }
            h.immediate.execute_command_list(&list, false);
            for (n, (seen, buffer)) in seen.iter().zip(&empty).enumerate() {
                let read: Vec<u8> = h.immediate.read_buffer(seen).unwrap();
                assert_eq!(read, [0; 256], "{n} in round {round}, before the list wrote to it");
                let mut expected = [0; 256];
                expected[16..32].fill(round + 1);
                let read: Vec<u8> = h.immediate.read_buffer(buffer).unwrap();
                assert_eq!(read, expected, "{n} in round {round}");
            }
            for (n, buffer) in filled.iter().enumerate() {
                let read: Vec<u8> = h.immediate.read_buffer(buffer).unwrap();
                assert_eq!(read, [n as u8 + 1; 256], "contents of {n} in round {round}");
            }
        }
    });
}

#[test]
fn every_subresource_has_its_initial_contents() {
    on_each(&matrix(), |h| {
        let mut random = Random::new(25);
        for format in
            [Format::R8G8B8A8_UNORM, Format::R8_UNORM, Format::R16G16_UINT, Format::R32G32B32A32_FLOAT]
        {
            for (width, height) in [(1, 1), (5, 3), (64, 2), (7, 16)] {
                let desc = Texture2dDesc { array_size: 3, ..Texture2dDesc::new(format, width, height) };
                let mut rows = Vec::new();
                for index in 0..desc.subresources() {
                    let (w, h) = desc.mip_size(index % desc.resolved_mip_levels());
                    let (row, pad) = (format.row_pitch(w), random.below(9));
                    let pitch = row + pad;
                    rows.push((row, pitch, h, random.bytes((pitch * h) as usize)));
                }
                let data: Vec<_> = rows
                    .iter()
                    .map(|(_, pitch, _, bytes)| SubresourceData { bytes, row_pitch: *pitch, depth_pitch: 0 })
                    .collect();
                let immutable = Texture2dDesc { usage: Usage::Immutable, ..desc.clone() };
                for desc in [desc, immutable] {
                    let texture = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
                    for (index, (row, pitch, _, bytes)) in (0..).zip(&rows) {
                        let expected: Vec<u8> = bytes
                            .chunks(*pitch as usize)
                            .flat_map(|line| &line[..*row as usize])
                            .copied()
                            .collect();
                        assert_eq!(h.read(&texture, index), expected, "{desc:?}, subresource {index}");
                    }
                }
            }
        }
    });
}

/// Creates colour and depth textures with every usage, all bind flags and every CPU access (see Wine 10.0,
/// d3d11 tests, line 15404).
#[test]
fn the_usage_rule_decides_which_textures_are_created() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let missing = h.device.check_feature_support().missing;
        let mut created = 0;
        for format in [Format::R8G8B8A8_UNORM, Format::D16_UNORM] {
            let depth = format == Format::D16_UNORM;
            let support = h.device.check_format_support(format);
            for bind in (0..256).map(BindFlags::from_bits_retain) {
                let for_buffers = bind.bits() & 0x17 != 0;
                let exclusive = bind.contains(BindFlags::DEPTH_STENCIL)
                    && bind.intersects(BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS);
                let wrong_kind = match depth {
                    true => bind.bits() & 0xa8 != 0,
                    false => bind.contains(BindFlags::DEPTH_STENCIL),
                };
                let bind_valid = !for_buffers && !exclusive && !wrong_kind;
                for usage in USAGES {
                    for cpu in CPU.map(CpuAccessFlags::from_bits_retain) {
                        for data in [false, true] {
                            let desc = Texture2dDesc {
                                mip_levels: 1,
                                usage,
                                bind_flags: bind,
                                cpu_access_flags: cpu,
                                ..Texture2dDesc::new(format, 4, 4)
                            };
                            let valid = bind_valid && usage_is_valid(usage, bind, cpu, data);
                            let here = !(bind.contains(BindFlags::UNORDERED_ACCESS)
                                && missing.contains(Features::UNORDERED_ACCESS))
                                && (cpu.is_empty() || support.contains(FormatSupport::CPU_LOCKABLE));
                            let contents = SubresourceData { bytes: &[0; 64], row_pitch: 16, depth_pitch: 0 };
                            let contents = data.then_some([contents]);
                            let result = h.device.create_texture_2d(&desc, contents.as_ref().map(|c| &c[..]));
                            let row = format!("{format:?} {usage:?} {bind:?} {cpu:?} data {data}");
                            match (valid, here) {
                                (true, true) => {
                                    assert_eq!(result.expect(&row).desc(), desc, "{row}");
                                    created += 1;
                                    h.assert_silent();
                                }
                                (true, false) => {
                                    assert_error!(result, Unsupported, "{row}");
                                    h.assert_reported(MessageId::CreateTexture2dInvalid);
                                }
                                (false, _) => {
                                    assert_error!(result, InvalidArg, "{row}");
                                    h.assert_reported(MessageId::CreateTexture2dInvalid);
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(created >= 15, "only {created} textures could be created");
    });
}

/// See Wine 10.0, d3d11 tests, lines 2898 to 2984.
#[test]
fn formats_can_be_bound_as_direct3d_says() {
    use Format as F;
    let targets = [
        F::R32G32B32A32_TYPELESS,
        F::R32G32B32A32_UINT,
        F::R32G32B32A32_SINT,
        F::R16G16B16A16_TYPELESS,
        F::R10G10B10A2_TYPELESS,
        F::R16G16_UNORM,
        F::R16G16_SNORM,
        F::R32_TYPELESS,
        F::R8G8_TYPELESS,
        F::R8G8_UNORM,
        F::R8G8_SNORM,
        F::R16_TYPELESS,
        F::R16_UINT,
        F::R16_SINT,
        F::R8G8B8A8_UNORM,
        F::R8G8B8A8_UINT,
        F::R8G8B8A8_SNORM,
        F::R8G8B8A8_SINT,
    ];
    let (depth, read) = (BindFlags::DEPTH_STENCIL, BindFlags::SHADER_RESOURCE);
    let (target, unordered) = (BindFlags::RENDER_TARGET, BindFlags::UNORDERED_ACCESS);
    let valid = targets.map(|f| (f, target)).into_iter().chain([
        (F::R32G8X24_TYPELESS, depth),
        (F::R32_TYPELESS, depth | read),
        (F::R24G8_TYPELESS, depth),
        (F::R16_TYPELESS, depth),
        (F::D32_FLOAT, depth),
        (F::R9G9B9E5_SHAREDEXP, read),
    ]);
    let mut invalid = vec![
        (F::R32G32B32A32_TYPELESS, depth),
        (F::R8G8B8A8_UNORM, depth),
        (F::D32_FLOAT, read | depth),
        (F::R9G9B9E5_SHAREDEXP, target),
        (F::R9G9B9E5_SHAREDEXP, depth),
        (F::R8G8B8A8_UNORM, target | depth),
        (F::R32_TYPELESS, target | depth),
        (F::R32_TYPELESS, unordered | depth),
        (F::UNKNOWN, read),
    ];
    for format in [F::D24_UNORM_S8_UINT, F::D32_FLOAT] {
        invalid.extend([(format, target), (format, read)]);
    }
    for format in
        [F::R32G8X24_TYPELESS, F::X32_TYPELESS_G8X24_UINT, F::R24G8_TYPELESS, F::X24_TYPELESS_G8_UINT]
    {
        invalid.push((format, unordered));
    }
    for bind in [BindFlags::VERTEX_BUFFER, BindFlags::INDEX_BUFFER, BindFlags::CONSTANT_BUFFER] {
        invalid.extend([(F::R8G8B8A8_UNORM, bind), (F::R8G8B8A8_UNORM, bind | read)]);
    }
    on_each(&[Config::NULL, Config::GPU], |h| {
        let create = |format, bind_flags| {
            let desc = Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, 16, 16) };
            h.device.create_texture_2d(&desc, None)
        };
        for (format, bind) in valid.clone() {
            match create(format, bind) {
                // If a device lacks a format, the error message names the format.
                Err(onze::Error::Unsupported(text)) => {
                    assert!(text.contains(&format!("{format:?}")), "{text}");
                }
                result => assert!(result.is_ok(), "{format:?} {bind:?}: {result:?}"),
            }
        }
        for (format, bind) in &invalid {
            assert_error!(create(*format, *bind), InvalidArg, "{format:?} {bind:?}");
        }
        h.take_errors();
    });
}

#[test]
fn exactly_the_supported_formats_can_be_created() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        use Format as F;
        let of_views = [
            F::R32_FLOAT_X8X24_TYPELESS,
            F::X32_TYPELESS_G8X24_UINT,
            F::R24_UNORM_X8_TYPELESS,
            F::X24_TYPELESS_G8_UINT,
        ];
        for format in Format::ALL.iter().copied() {
            let support = h.device.check_format_support(format);
            let (width, height) = format.block_size();
            let desc = Texture2dDesc {
                mip_levels: 1,
                bind_flags: BindFlags::empty(),
                ..Texture2dDesc::new(format, width * 4, height * 4)
            };
            let rows = [
                (BindFlags::empty(), FormatSupport::TEXTURE2D),
                (BindFlags::RENDER_TARGET, FormatSupport::RENDER_TARGET),
                (BindFlags::DEPTH_STENCIL, FormatSupport::DEPTH_STENCIL),
            ];
            for (bind_flags, needed) in rows {
                let result = h.device.create_texture_2d(&Texture2dDesc { bind_flags, ..desc.clone() }, None);
                if of_views.contains(&format) {
                    assert_error!(result, InvalidArg, "{format:?} {bind_flags:?}");
                } else if support.contains(FormatSupport::TEXTURE2D | needed) {
                    assert!(result.is_ok(), "{format:?} {bind_flags:?}: {result:?}");
                } else if !format.is_typeless() {
                    assert!(result.is_err(), "{format:?} {bind_flags:?}");
                }
            }
        }
        h.take_errors();
    });
}

#[test]
fn sizes_and_mip_levels_have_limits() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let create = |width, height, mip_levels, array_size| {
            let desc = Texture2dDesc {
                mip_levels,
                array_size,
                ..Texture2dDesc::new(Format::R8_UNORM, width, height)
            };
            h.device.create_texture_2d(&desc, None)
        };
        for width in [1, 2, 3, 4, 5, 7, 8, 16, 17] {
            for height in [1, 2, 3, 9, 16] {
                let chain = u32::max(width, height).ilog2() + 1;
                assert_eq!(
                    create(width, height, 0, 1).unwrap().desc().mip_levels,
                    chain,
                    "{width} x {height}"
                );
                for mips in 1..=chain {
                    assert_eq!(create(width, height, mips, 2).unwrap().desc().mip_levels, mips);
                }
                for mips in [chain + 1, 20, 32, u32::MAX] {
                    assert_error!(
                        create(width, height, mips, 1),
                        InvalidArg,
                        "{width} x {height}, {mips} mips"
                    );
                }
            }
        }
        for (width, height, slices) in [
            (0, 1, 1),
            (1, 0, 1),
            (1, 1, 0),
            (16385, 1, 1),
            (1, 16385, 1),
            (1, 1, 2049),
            (u32::MAX, 1, 1),
            (1, u32::MAX, 1),
            (1, 1, u32::MAX),
        ] {
            assert_error!(create(width, height, 1, slices), InvalidArg, "{width} x {height} x {slices}");
        }
        // A texture with the maximum size, mip levels and slices is too large for any device.
        let too_much = create(16384, 16384, 0, 2048);
        assert!(
            matches!(too_much, Err(onze::Error::OutOfMemory(_) | onze::Error::Unsupported(_))),
            "{too_much:?}"
        );
        h.take_errors();
    });
}

#[test]
fn special_kinds_of_textures_obey_their_own_rules() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let create = |desc: Texture2dDesc| h.device.create_texture_2d(&desc, None);
        let base = || Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8) };
        let dynamic =
            || Texture2dDesc { usage: Usage::Dynamic, cpu_access_flags: CpuAccessFlags::WRITE, ..base() };
        assert!(create(dynamic()).is_ok());
        assert_error!(create(Texture2dDesc { mip_levels: 2, ..dynamic() }), InvalidArg);
        assert_error!(create(Texture2dDesc { mip_levels: 0, ..dynamic() }), InvalidArg);
        assert_error!(create(Texture2dDesc { array_size: 2, ..dynamic() }), InvalidArg);

        let cube = |array_size| Texture2dDesc { array_size, misc_flags: MiscFlags::TEXTURECUBE, ..base() };
        for slices in 1..=14 {
            let result = create(cube(slices));
            if slices < 6 {
                assert_error!(result, InvalidArg, "{slices} slices");
            } else {
                assert_eq!(result.unwrap().desc().array_size, slices);
            }
        }
        assert_error!(create(Texture2dDesc { height: 4, ..cube(6) }), InvalidArg, "not square");

        let samples = |sample_count| Texture2dDesc {
            sample_count,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8)
        };
        assert_error!(create(samples(0)), InvalidArg);
        assert_error!(create(samples(33)), InvalidArg);
        assert_error!(create(Texture2dDesc { mip_levels: 2, ..samples(4) }), InvalidArg);
        assert_error!(
            create(Texture2dDesc { bind_flags: BindFlags::SHADER_RESOURCE, ..samples(4) }),
            InvalidArg
        );
        if h.device.check_feature_support().missing.contains(Features::MULTISAMPLING) {
            assert_error!(create(samples(4)), Unsupported);
        } else {
            assert_eq!(create(Texture2dDesc { mip_levels: 0, ..samples(4) }).unwrap().desc().mip_levels, 1);
        }

        let mips = |bind_flags| Texture2dDesc { bind_flags, misc_flags: MiscFlags::GENERATE_MIPS, ..base() };
        let both = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
        assert!(create(mips(both)).is_ok());
        for bind in [BindFlags::RENDER_TARGET, BindFlags::SHADER_RESOURCE, BindFlags::empty()] {
            assert_error!(create(mips(bind)), InvalidArg, "GENERATE_MIPS with {bind:?}");
        }
        assert_error!(create(Texture2dDesc { misc_flags: MiscFlags::SHARED, ..base() }), NotImplemented);

        let compressed = |width, height| Texture2dDesc::new(Format::BC1_UNORM, width, height);
        for size in 1..=9 {
            let result = create(compressed(size, 8));
            if size % 4 == 0 {
                assert!(matches!(result, Ok(_) | Err(onze::Error::Unsupported(_))), "{size}: {result:?}");
            } else {
                assert_error!(result, InvalidArg, "width {size}");
                assert_error!(create(compressed(8, size)), InvalidArg, "height {size}");
            }
        }
        h.take_errors();
    });
}

#[test]
fn compile_errors_name_the_unknown_identifier() {
    on_each(&[Config::NULL], |h| {
        let broken = "@vertex fn vs_main() -> @builtin(position) vec4<f32> {\n  return vec4<f32>(oops);\n}";
        let result = h.device.create_vertex_shader(ShaderSource::wgsl(broken, "vs_main"));
        assert!(matches!(&result, Err(onze::Error::InvalidArg(text)) if text.contains("oops")), "{result:?}");
        h.assert_reported(MessageId::CreateShaderInvalid);
        let good = "@vertex fn vs_main() -> @builtin(position) vec4<f32> { return vec4<f32>(); }";
        assert_error!(h.device.create_vertex_shader(ShaderSource::wgsl(good, "main")), InvalidArg);
        assert_error!(h.device.create_pixel_shader(ShaderSource::wgsl(good, "vs_main")), InvalidArg);
        assert_error!(h.device.create_pixel_shader(ShaderSource::wgsl("", "ps_main")), InvalidArg);
        h.assert_reported(MessageId::CreateShaderInvalid);
        h.device.create_vertex_shader(ShaderSource::wgsl(good, "vs_main")).unwrap();
    });
}

#[test]
fn an_input_layout_feeds_every_input_of_the_vertex_shader() {
    const SHADER: &str = "
        @vertex
        fn vs_main(@location(3) position: vec3<f32>, @location(1) texcoord1: vec2<f32>, @location(0) id: vec2<u32>)
            -> @builtin(position) vec4<f32> {
            return vec4<f32>(position + vec3<f32>(texcoord1, f32(id.x)), 1.0);
        }
    ";
    on_each(&[Config::NULL, Config::GPU], |h| {
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main")).unwrap();
        let position = || InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT);
        let texcoord = || InputElementDesc::new("TexCoord", 1, Format::R16G16_UNORM);
        let id = || InputElementDesc::new("ID", 0, Format::R16G16_UINT);
        let create = |elements: &[InputElementDesc]| h.device.create_input_layout(elements, &vs);
        create(&[position(), texcoord(), id()]).unwrap();
        create(&[id().slot(31), position().slot(2).offset(8), texcoord()]).unwrap();
        // The layout may have more elements than the shader reads, because elements are matched by location.
        create(&[position(), texcoord(), id(), InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM)])
            .unwrap();
        let at = InputElementDesc::new("ANYTHING", 7, Format::R32G32_UINT).at_location(0);
        create(&[position(), texcoord(), at]).unwrap();
        h.assert_silent();
        let wrong: [&[InputElementDesc]; 8] = [
            &[],
            &[position(), texcoord()],
            &[position(), InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT), id()],
            &[position(), texcoord(), InputElementDesc::new("ID", 0, Format::R32G32_FLOAT)],
            &[InputElementDesc::new("POSITION", 0, Format::R32G32B32_UINT), texcoord(), id()],
            &[position(), texcoord(), id().slot(32)],
            &[position(), position(), texcoord(), id()],
            // One slot cannot have elements per vertex and elements per instance.
            &[position(), texcoord().per_instance(), id()],
        ];
        for elements in wrong {
            assert_error!(create(elements), InvalidArg, "{elements:?}");
            h.assert_reported(MessageId::CreateInputLayoutInvalid);
        }
        let rate = InputElementDesc { instance_data_step_rate: 2, ..id().slot(1).per_instance() };
        if h.device.check_feature_support().missing.contains(Features::INSTANCE_STEP_RATE) {
            assert_error!(create(&[position(), texcoord(), rate]), Unsupported);
            h.assert_reported(MessageId::CreateInputLayoutInvalid);
        }
    });
}
