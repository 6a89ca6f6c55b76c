//! Tests of buffers, with the values that Wine's `test_create_buffer` and `test_resource_access` assert.

use onze_ddi::{BindFlags, BufferDesc, CpuAccessFlags, Features, MiscFlags, Usage};

use super::*;
use crate::validate::buffer;

const DATA: [u8; 1024] = [0; 1024];

/// Describes a buffer of 1,024 bytes with default usage and the given flags.
fn desc(bind_flags: BindFlags, misc_flags: MiscFlags, structure_byte_stride: u32) -> BufferDesc {
    BufferDesc { misc_flags, structure_byte_stride, ..BufferDesc::new(1024, bind_flags) }
}

#[test]
fn usage_bind_flags_and_cpu_access_go_together() {
    let mut valid = 0;
    for usage in USAGES {
        for bind_flags in all_bind_flags() {
            for cpu_access_flags in all_cpu_flags() {
                let desc = BufferDesc { usage, cpu_access_flags, ..desc(bind_flags, MiscFlags::empty(), 0) };
                let constants = BindFlags::CONSTANT_BUFFER;
                let alone = !bind_flags.contains(constants) || bind_flags == constants;
                let expected = usage_oracle(usage, bind_flags, cpu_access_flags) && alone;
                let result = buffer(&desc, Some(&DATA), &full());
                // RENDER_TARGET is valid in Direct3D 11 but not supported by this library.
                let is_target = bind_flags.contains(BindFlags::RENDER_TARGET);
                let wanted = match (expected, is_target) {
                    (true, true) => Verdict::Unsupported,
                    (true, false) => Verdict::Valid,
                    (false, _) => Verdict::Invalid,
                };
                assert_eq!(verdict(&result), wanted, "{desc:?}: {result:?}");
                valid += u32::from(expected);
            }
        }
    }
    // Default usage allows 128 combinations without CONSTANT_BUFFER, and CONSTANT_BUFFER alone. Immutable and
    // dynamic usage allow 7 combinations of the other input flags, and CONSTANT_BUFFER alone. Staging usage
    // allows 3 kinds of CPU access.
    assert_eq!(valid, 129 + 8 + 8 + 3);
}

#[test]
fn an_immutable_buffer_needs_its_contents_and_no_other_does() {
    for (usage, cpu_access_flags, bind_flags) in [
        (Usage::Default, CpuAccessFlags::empty(), BindFlags::VERTEX_BUFFER),
        (Usage::Immutable, CpuAccessFlags::empty(), BindFlags::VERTEX_BUFFER),
        (Usage::Dynamic, CpuAccessFlags::WRITE, BindFlags::VERTEX_BUFFER),
        (Usage::Staging, CpuAccessFlags::READ, BindFlags::empty()),
    ] {
        let desc = BufferDesc { usage, cpu_access_flags, ..desc(bind_flags, MiscFlags::empty(), 0) };
        assert!(buffer(&desc, Some(&DATA), &full()).is_ok(), "{desc:?}");
        assert_eq!(buffer(&desc, None, &full()).is_ok(), usage != Usage::Immutable, "{desc:?}");
    }
}

#[test]
fn constant_buffers_are_multiples_of_16_bytes_others_not_empty() {
    for size in 0..=64 {
        for bind in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
            let expected = size != 0 && (bind == BindFlags::VERTEX_BUFFER || size % 16 == 0);
            let result = buffer(&BufferDesc::new(size, bind), None, &full());
            assert_eq!(result.is_ok(), expected, "{size} bytes of {bind:?}: {result:?}");
        }
    }
    let large = BufferDesc::new(1 << 20, BindFlags::CONSTANT_BUFFER);
    assert!(buffer(&large, None, &full()).is_ok(), "more than a shader sees at once is allowed");
}

#[test]
fn contents_must_not_be_shorter_than_the_buffer() {
    for length in 0..40 {
        let result = buffer(&BufferDesc::new(32, BindFlags::INDEX_BUFFER), Some(&DATA[..length]), &full());
        assert_eq!(result.is_ok(), length >= 32, "{length}: {result:?}");
    }
}

#[test]
fn structures_are_4_to_2048_bytes_in_steps_of_4() {
    let misc = MiscFlags::BUFFER_STRUCTURED;
    for bind in [BindFlags::SHADER_RESOURCE, BindFlags::empty()] {
        for stride in (0..3000).chain([u32::MAX, u32::MAX - 3]) {
            let expected = (4..=2048).contains(&stride) && stride % 4 == 0;
            let result = buffer(&desc(bind, misc, stride), None, &full());
            assert_eq!(result.is_ok(), expected, "stride {stride}: {result:?}");
        }
    }
}

#[test]
fn the_stride_is_reported_as_0_unless_the_buffer_is_structured() {
    for stride in [0, 1, 3, 4, 513, u32::MAX] {
        let plain = buffer(&desc(BindFlags::VERTEX_BUFFER, MiscFlags::empty(), stride), None, &full());
        assert_eq!(plain.map(|d| d.structure_byte_stride), Ok(0), "{stride}");
    }
    let structured = desc(BindFlags::SHADER_RESOURCE, MiscFlags::BUFFER_STRUCTURED, 12);
    assert_eq!(buffer(&structured, None, &full()), Ok(structured));
}

#[test]
fn miscellaneous_flags_of_buffers() {
    for bind in all_bind_flags().filter(|b| b.bits().count_ones() <= 1) {
        for misc in all_misc_flags() {
            let has = |flag| misc.contains(flag);
            let raw_bind = bind == BindFlags::SHADER_RESOURCE || bind == BindFlags::UNORDERED_ACCESS;
            let invalid = has(MiscFlags::GENERATE_MIPS)
                || has(MiscFlags::RESOURCE_CLAMP)
                || has(MiscFlags::TEXTURECUBE)
                || (has(MiscFlags::BUFFER_ALLOW_RAW_VIEWS) && !raw_bind)
                || (has(MiscFlags::BUFFER_STRUCTURED) && has(MiscFlags::BUFFER_ALLOW_RAW_VIEWS))
                || (has(MiscFlags::BUFFER_STRUCTURED) && has(MiscFlags::DRAWINDIRECT_ARGS))
                || (bind == BindFlags::CONSTANT_BUFFER && has(MiscFlags::DRAWINDIRECT_ARGS));
            let expected = match (invalid, has(MiscFlags::SHARED)) {
                (true, _) => Verdict::Invalid,
                (false, true) => Verdict::NotImplemented,
                (false, false) if bind == BindFlags::RENDER_TARGET => Verdict::Unsupported,
                (false, false) => Verdict::Valid,
            };
            let result = buffer(&desc(bind, misc, 4), None, &full());
            assert_eq!(verdict(&result), expected, "{bind:?} {misc:?}: {result:?}");
        }
    }
}

#[test]
fn arguments_of_indirect_draws_are_of_default_usage() {
    for usage in USAGES {
        for bind in [BindFlags::empty(), BindFlags::VERTEX_BUFFER] {
            for cpu_access_flags in all_cpu_flags() {
                let plain = BufferDesc { usage, cpu_access_flags, ..desc(bind, MiscFlags::empty(), 0) };
                let arguments = BufferDesc { misc_flags: MiscFlags::DRAWINDIRECT_ARGS, ..plain.clone() };
                let expected = usage == Usage::Default && buffer(&plain, Some(&DATA), &full()).is_ok();
                let result = buffer(&arguments, Some(&DATA), &full());
                assert_eq!(result.is_ok(), expected, "{arguments:?}: {result:?}");
            }
        }
    }
}

#[test]
fn missing_features_are_refused_by_name_if_all_else_is_valid() {
    let (none, raw) = (MiscFlags::empty(), MiscFlags::BUFFER_ALLOW_RAW_VIEWS);
    for (bind, misc, stride, feature) in [
        (BindFlags::STREAM_OUTPUT, none, 0, Features::STREAM_OUTPUT),
        (BindFlags::UNORDERED_ACCESS, none, 0, Features::COMPUTE),
        (BindFlags::SHADER_RESOURCE, none, 0, Features::BUFFER_VIEWS),
        (BindFlags::SHADER_RESOURCE, raw, 0, Features::RAW_BUFFERS),
        (BindFlags::UNORDERED_ACCESS, raw, 0, Features::RAW_BUFFERS),
        (BindFlags::empty(), MiscFlags::BUFFER_STRUCTURED, 8, Features::STRUCTURED_BUFFERS),
        (BindFlags::SHADER_RESOURCE, MiscFlags::BUFFER_STRUCTURED, 8, Features::STRUCTURED_BUFFERS),
        (BindFlags::UNORDERED_ACCESS, none, 0, Features::BUFFER_VIEWS),
        (BindFlags::UNORDERED_ACCESS, MiscFlags::BUFFER_STRUCTURED, 8, Features::STRUCTURED_BUFFERS),
        (BindFlags::empty(), MiscFlags::DRAWINDIRECT_ARGS, 0, Features::INDIRECT_DRAWS),
    ] {
        let desc = desc(bind, misc, stride);
        assert!(buffer(&desc, None, &full()).is_ok(), "{desc:?}");
        let refused = buffer(&desc, None, &without(feature));
        assert_eq!(verdict(&refused), Verdict::Unsupported, "{desc:?}");
        let (name, _) = feature.iter_names().next().expect("one feature");
        assert!(reason(refused).contains(name), "{desc:?}");
        let empty = BufferDesc { byte_width: 0, ..desc };
        assert_eq!(verdict(&buffer(&empty, None, &without(feature))), Verdict::Invalid, "{empty:?}");
    }
}

#[test]
fn the_largest_buffer_is_the_devices() {
    let caps = PipelineCaps { max_buffer: 100, ..full() };
    for size in 99..=101 {
        let result = buffer(&BufferDesc::new(size, BindFlags::VERTEX_BUFFER), None, &caps);
        assert_eq!(
            verdict(&result),
            if size <= 100 { Verdict::Valid } else { Verdict::Unsupported },
            "{size}"
        );
    }
}

#[test]
fn unknown_bits_are_refused() {
    for desc in [
        BufferDesc {
            bind_flags: BindFlags::from_bits_retain(0x100),
            ..BufferDesc::new(16, BindFlags::empty())
        },
        BufferDesc {
            cpu_access_flags: CpuAccessFlags::from_bits_retain(1),
            ..BufferDesc::staging(16, CpuAccessFlags::READ)
        },
        desc(BindFlags::VERTEX_BUFFER, MiscFlags::from_bits_retain(0x8000), 0),
    ] {
        assert_eq!(verdict(&buffer(&desc, None, &full())), Verdict::Invalid, "{desc:?}");
    }
}

#[test]
fn an_error_names_the_buffer() {
    let desc = BufferDesc::new(20, BindFlags::CONSTANT_BUFFER).label("camera");
    let reason = reason(buffer(&desc, None, &full()));
    assert!(reason.contains("\"camera\"") && reason.contains("20"), "{reason}");
}
