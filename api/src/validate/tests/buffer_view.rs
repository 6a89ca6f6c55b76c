//! Tests of views of buffers, with the values that Wine's `test_create_shader_resource_view` and
//! `test_create_buffer` assert.

use onze_ddi::{
    BindFlags, BufferDesc, Features, Format, FormatSupport, MiscFlags, PipelineCaps, ResourceDesc, ViewDesc,
};

use super::{
    view::{REST, part, plain, render_target_view, shader_resource_view},
    *,
};
use crate::validate::{
    self, BufferExSrvFlags, BufferUavFlags, ShaderResourceViewDesc, ShaderResourceViewDimension,
    UnorderedAccessViewDesc, UnorderedAccessViewDimension, ViewKind, unordered_access_view,
};

fn structured(bind_flags: BindFlags) -> ResourceDesc {
    ResourceDesc::Buffer(BufferDesc {
        misc_flags: MiscFlags::BUFFER_STRUCTURED,
        structure_byte_stride: 12,
        ..BufferDesc::new(1000, bind_flags)
    })
}

#[test]
fn invalid_buffer_views_are_reported_before_missing_features() {
    let bind_flags = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS;
    let plain = ResourceDesc::Buffer(BufferDesc::new(1024, bind_flags));
    assert_eq!(verdict(&shader_resource_view(&plain, None)), Verdict::Invalid);
    assert_eq!(verdict(&unordered_access_view(&plain, None)), Verdict::Invalid);
    let typed = UnorderedAccessViewDesc { format: Format::R32_UINT, ..UnorderedAccessViewDesc::buffer(0, 4) };
    let view = unordered_access_view(&plain, Some(&typed)).ok().and_then(|view| view.buffer().copied());
    let view = view.expect("a typed view");
    let supported = |caps: &PipelineCaps, support| {
        validate::buffer_view_support(ViewKind::UnorderedAccess, &view, caps, support)
    };
    let both = FormatSupport::BUFFER | FormatSupport::TYPED_UNORDERED_ACCESS_VIEW;
    assert!(supported(&full(), both).is_ok());
    let refused = supported(&without(Features::BUFFER_VIEWS), both);
    assert_eq!(verdict(&refused), Verdict::Unsupported);
    assert!(reason(refused).contains("BUFFER_VIEWS"));
    for lacking in [FormatSupport::BUFFER, FormatSupport::TYPED_UNORDERED_ACCESS_VIEW] {
        assert_eq!(verdict(&supported(&full(), lacking)), Verdict::Unsupported, "{lacking:?} alone");
    }
    assert!(
        validate::buffer_view_support(ViewKind::ShaderResource, &view, &full(), FormatSupport::BUFFER)
            .is_ok()
    );
    let wrong = UnorderedAccessViewDesc { format: Format::R32_UINT, ..Default::default() };
    assert_eq!(verdict(&unordered_access_view(&plain, Some(&wrong))), Verdict::Invalid);
    assert_eq!(verdict(&render_target_view(&plain, None)), Verdict::Unsupported);
    let structured = structured(bind_flags);
    let wrong = ShaderResourceViewDesc::texture_2d(Format::R32_FLOAT, 0, 1);
    assert_eq!(verdict(&shader_resource_view(&structured, Some(&wrong))), Verdict::Invalid);
    assert_eq!(verdict(&unordered_access_view(&structured, Some(&typed))), Verdict::Invalid);
    let elements = ShaderResourceViewDesc::buffer(0, 1);
    assert_eq!(verdict(&shader_resource_view(&self::plain(1, 1), Some(&elements))), Verdict::Invalid);
    let unbound = self::structured(BindFlags::SHADER_RESOURCE);
    assert_eq!(verdict(&unordered_access_view(&unbound, None)), Verdict::Invalid);
}

#[test]
fn views_of_structured_buffers_are_whole_elements_inside() {
    let resource = structured(BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS);
    // 1,000 bytes are 83 elements of 12 bytes and a remainder.
    for first in [0, 1, 82, 83, 84, REST] {
        for count in [0, 1, 2, 82, 83, 84, REST] {
            let expected = part(first, count, 83);
            let read = validate::shader_resource_view(
                &resource,
                Some(&ShaderResourceViewDesc::buffer(first, count)),
            );
            let written =
                unordered_access_view(&resource, Some(&UnorderedAccessViewDesc::buffer(first, count)));
            for found in [read, written] {
                let found = found.ok().and_then(|view| view.buffer().copied());
                assert_eq!(found.map(|v| (v.first_element, v.elements)), expected, "{first} {count}");
                assert!(found.is_none_or(|v| v.stride == 12));
            }
        }
    }
    let whole = unordered_access_view(&resource, None).ok().and_then(|view| view.buffer().copied());
    assert_eq!(whole.map(|v| (v.offset(), v.size())), Some((0, 996)));
}

/// Checks every format with every remainder of the buffer size.
#[test]
fn typed_views_are_whole_elements_inside() {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let resource = ResourceDesc::Buffer(BufferDesc::new(103, flags));
    for format in [Format::UNKNOWN].iter().chain(Format::ALL).copied() {
        let total = 103 / format.bytes_per_block().max(1);
        for first in [0, 1, 5, 6, 7, 102, 103, REST] {
            for count in [0, 1, 6, total, total + 1, REST] {
                let read = ShaderResourceViewDesc::typed_buffer(format, first, count);
                let written = UnorderedAccessViewDesc::typed_buffer(format, first, count);
                let views = [
                    validate::shader_resource_view(&resource, Some(&read)),
                    unordered_access_view(&resource, Some(&written)),
                ];
                let expected = part(first, count, total).filter(|_| format.is_buffer_element());
                for found in views {
                    let found = found.map(|view| *view.buffer().expect("a view of a buffer"));
                    let place = found.as_ref().ok().map(|view| (view.first_element, view.elements));
                    assert_eq!(place, expected, "{format:?} {first} {count}");
                    match found {
                        Ok(view) => {
                            assert_eq!((view.typed(), view.raw), (Some(format), false));
                            assert_eq!(view.stride, format.bytes_per_block());
                        }
                        Err(_) => assert_eq!(verdict(&found), Verdict::Invalid),
                    }
                }
            }
        }
    }
}

/// Raw views are exempt from the limit.
#[test]
fn typed_and_structured_views_have_at_most_2_to_27_elements() {
    let most = 1 << 27;
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let plain = BufferDesc::new(u32::MAX, flags);
    let of_stride =
        |stride, misc_flags| BufferDesc { misc_flags, structure_byte_stride: stride, ..plain.clone() };
    let structured = of_stride(4, MiscFlags::BUFFER_STRUCTURED);
    let raw = of_stride(0, MiscFlags::BUFFER_ALLOW_RAW_VIEWS);
    for (resource, format, limited) in [
        (plain.clone(), Format::R8_UNORM, true),
        (plain, Format::R32_UINT, true),
        (structured, Format::UNKNOWN, true),
        (raw, Format::R32_TYPELESS, false),
    ] {
        let resource = ResourceDesc::Buffer(resource);
        for (count, valid) in [(most - 1, true), (most, true), (most + 1, !limited), (REST, !limited)] {
            let [read, written] = if limited {
                [
                    validate::shader_resource_view(
                        &resource,
                        Some(&ShaderResourceViewDesc::typed_buffer(format, 4, count)),
                    ),
                    unordered_access_view(
                        &resource,
                        Some(&UnorderedAccessViewDesc::typed_buffer(format, 4, count)),
                    ),
                ]
            } else {
                raw_views(&resource, 4, count)
            };
            for found in [read, written] {
                assert_eq!(found.is_ok(), valid, "{format:?} {count}: {found:?}");
                if !valid {
                    assert!(reason(found).contains("use fewer"), "{format:?} {count}");
                }
            }
        }
    }
    // The same limit applies to a view of a complete structured buffer.
    for (elements, valid) in [(most, true), (most + 1, false)] {
        let desc = BufferDesc::structured(4, elements, flags);
        let resource = ResourceDesc::Buffer(desc);
        assert_eq!(unordered_access_view(&resource, None).is_ok(), valid, "{elements}");
        assert_eq!(validate::shader_resource_view(&resource, None).is_ok(), valid, "{elements}");
    }
}

fn raw(bind_flags: BindFlags) -> ResourceDesc {
    ResourceDesc::Buffer(BufferDesc::raw(103, bind_flags))
}

/// Creates both kinds of raw views with the same range.
fn raw_views(resource: &ResourceDesc, first: u32, count: u32) -> [Result<ViewDesc, Error>; 2] {
    let read = ShaderResourceViewDesc::raw_buffer(first, count);
    let written = UnorderedAccessViewDesc::raw_buffer(first, count);
    [validate::shader_resource_view(resource, Some(&read)), unordered_access_view(resource, Some(&written))]
}

#[test]
fn raw_views_begin_at_16_bytes_and_are_whole_words_inside() {
    let resource = raw(BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS);
    // 103 bytes are 25 words and a remainder.
    for first in [0, 1, 2, 3, 4, 8, 20, 24, 25, 28, REST, REST - 3] {
        for count in [0, 1, 5, 17, 21, 25, 26, REST] {
            let expected = part(first, count, 25).filter(|_| first % 4 == 0);
            for found in raw_views(&resource, first, count) {
                let found = found.map(|view| *view.buffer().expect("a view of a buffer"));
                assert_eq!(
                    found.as_ref().ok().map(|v| (v.first_element, v.elements)),
                    expected,
                    "{first} {count}"
                );
                match found {
                    Ok(view) => assert!(view.raw && view.stride == 4, "{view:?}"),
                    Err(_) => assert_eq!(verdict(&found), Verdict::Invalid),
                }
            }
        }
    }
}

#[test]
fn a_raw_view_needs_the_flag_of_its_buffer_and_r32_typeless() {
    let both = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    for resource in [structured(both), ResourceDesc::Buffer(BufferDesc::new(1024, both))] {
        for found in raw_views(&resource, 0, 4) {
            assert_eq!(verdict(&found), Verdict::Invalid);
            assert!(reason(found).contains("BUFFER_ALLOW_RAW_VIEWS"), "{resource:?}");
        }
    }
    for bind in [BindFlags::SHADER_RESOURCE, BindFlags::UNORDERED_ACCESS] {
        let [read, written] = raw_views(&raw(bind), 0, 4);
        assert_eq!(read.is_ok(), bind == BindFlags::SHADER_RESOURCE);
        assert_eq!(written.is_ok(), bind == BindFlags::UNORDERED_ACCESS);
    }
    for &format in [Format::UNKNOWN].iter().chain(Format::ALL) {
        let read = ShaderResourceViewDesc { format, ..ShaderResourceViewDesc::raw_buffer(0, 4) };
        let written = UnorderedAccessViewDesc { format, ..UnorderedAccessViewDesc::raw_buffer(0, 4) };
        let expected = if format == Format::R32_TYPELESS { Verdict::Valid } else { Verdict::Invalid };
        assert_eq!(verdict(&validate::shader_resource_view(&raw(both), Some(&read))), expected, "{format:?}");
        assert_eq!(verdict(&unordered_access_view(&raw(both), Some(&written))), expected, "{format:?}");
    }
}

#[test]
fn a_buffer_for_raw_views_has_no_others() {
    let resource = raw(BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS);
    assert_eq!(verdict(&validate::shader_resource_view(&resource, None)), Verdict::Invalid);
    let plain = ShaderResourceViewDesc::buffer(0, 4);
    // A buffer has no format that the view could use as its default.
    assert_eq!(verdict(&validate::shader_resource_view(&resource, Some(&plain))), Verdict::Invalid);
    let typed = ShaderResourceViewDesc::typed_buffer(Format::R16_UINT, 1, 4);
    assert_eq!(verdict(&validate::shader_resource_view(&resource, Some(&typed))), Verdict::Valid);
    let texture = ShaderResourceViewDesc::texture_2d(Format::R32_TYPELESS, 0, 1);
    assert_ne!(verdict(&validate::shader_resource_view(&resource, Some(&texture))), Verdict::Valid);
    let of_a_texture = ShaderResourceViewDesc::raw_buffer(0, 4);
    assert_eq!(verdict(&shader_resource_view(&self::plain(1, 1), Some(&of_a_texture))), Verdict::Invalid);
}

#[test]
fn flags_of_buffer_views_are_known_ones() {
    let both = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    for bits in 0..16 {
        let read = ShaderResourceViewDimension::BufferEx {
            first_element: 0,
            num_elements: 4,
            flags: BufferExSrvFlags::from_bits_retain(bits),
        };
        let written = UnorderedAccessViewDimension::Buffer {
            first_element: 0,
            num_elements: 4,
            flags: BufferUavFlags::from_bits_retain(bits),
        };
        let written = UnorderedAccessViewDesc { dimension: Some(written), ..Default::default() };
        let read =
            validate::shader_resource_view(&structured(both), Some(&ShaderResourceViewDesc::dimension(read)));
        assert_eq!(verdict(&read), if bits == 0 { Verdict::Valid } else { Verdict::Invalid }, "{bits}");
        // On a structured buffer, the valid combinations are no flag, only APPEND, and only COUNTER.
        let expected = if matches!(bits, 0 | 2 | 4) { Verdict::Valid } else { Verdict::Invalid };
        let found = unordered_access_view(&structured(both), Some(&written));
        assert_eq!(verdict(&found), expected, "{bits}");
        if let Ok(view) = found {
            assert_eq!(view.buffer().map(|view| view.counter), Some(bits != 0), "{bits}");
        }
        // Only views of structured buffers can have a counter.
        for resource in [raw(both), ResourceDesc::Buffer(BufferDesc::new(64, both))] {
            let typed = UnorderedAccessViewDesc { format: Format::R32_UINT, ..written };
            let expected = if bits == 0 { Verdict::Valid } else { Verdict::Invalid };
            assert_eq!(verdict(&unordered_access_view(&resource, Some(&typed))), expected, "{bits}");
            let found = unordered_access_view(&resource, Some(&written));
            assert_eq!(verdict(&found), Verdict::Invalid, "{bits}: it has no format");
        }
    }
}

#[test]
fn counters_need_their_feature() {
    let desc = UnorderedAccessViewDesc::counted_buffer(1, 3);
    let counted = unordered_access_view(&structured(BindFlags::UNORDERED_ACCESS), Some(&desc));
    let plain = unordered_access_view(&structured(BindFlags::UNORDERED_ACCESS), None);
    let (counted, plain) = (counted.expect("valid"), plain.expect("valid"));
    let (counted, plain) = (counted.buffer().expect("a buffer"), plain.buffer().expect("a buffer"));
    assert_eq!((counted.first_element, counted.elements, counted.counter), (1, 3, true));
    assert!(
        validate::buffer_view_support(ViewKind::UnorderedAccess, counted, &full(), FormatSupport::empty())
            .is_ok()
    );
    assert!(
        validate::buffer_view_support(
            ViewKind::UnorderedAccess,
            plain,
            &without(Features::COUNTERS),
            FormatSupport::empty()
        )
        .is_ok()
    );
    let refused = validate::buffer_view_support(
        ViewKind::UnorderedAccess,
        counted,
        &without(Features::COUNTERS),
        FormatSupport::empty(),
    );
    assert!(reason(refused).contains("`Features::COUNTERS`"));
}
