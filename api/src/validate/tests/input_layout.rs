//! Tests of input layouts, with shader reflections that are built directly instead of compiled from shaders.

use onze_ddi::{
    ElementDesc, Format, FormatSupport, InputClassification, InputElementDesc, ScalarKind, ShaderInput,
    ShaderReflection, ShaderStage,
};

use super::*;
use crate::{
    shader::SourceLanguage,
    validate::{element_formats, input_layout},
};

fn input(location: u32, semantic_name: &str, semantic_index: u32, kind: ScalarKind) -> ShaderInput {
    ShaderInput {
        location,
        name: semantic_name.to_lowercase(),
        semantic_name: semantic_name.to_owned(),
        semantic_index,
        kind,
        components: 4,
        component_kinds: kind.of_components(4),
        interpolation: None,
        sampling: None,
    }
}

/// Returns the reflection of a vertex shader with these inputs.
fn shader(inputs: Vec<ShaderInput>) -> ShaderReflection {
    ShaderReflection {
        stage: ShaderStage::Vertex,
        constant_buffers: Vec::new(),
        resources: Vec::new(),
        samplers: Vec::new(),
        unordered_access: Vec::new(),
        counters: Vec::new(),
        workgroup_size: [0; 3],
        sampled_pairs: Vec::new(),
        inputs,
        outputs: Vec::new(),
        uses_vertex_index: false,
        uses_instance_index: false,
        uses_position: false,
        uses_front_facing: false,
        runs_per_sample: false,
        uses_sample_mask: false,
        writes_depth: false,
        writes_sample_mask: false,
        dual_source: false,
        system_outputs: Vec::new(),
        discards: false,
    }
}

fn one(kind: ScalarKind) -> ShaderReflection {
    shader(vec![input(3, "POSITION", 0, kind)])
}

fn position(format: Format) -> InputElementDesc {
    InputElementDesc::new("Position", 0, format)
}

/// A shader with float inputs N0, N1 ... at locations 0, 1 ...
fn numbered(count: u32) -> ShaderReflection {
    shader((0..count).map(|i| input(i, "N", i, ScalarKind::Float)).collect())
}

fn element(i: u32, format: Format) -> InputElementDesc {
    InputElementDesc::new("N", i, format)
}

#[test]
fn elements_match_by_name_and_index_whatever_the_case() {
    let shader = shader(vec![
        input(0, "POSITION", 0, ScalarKind::Float),
        input(1, "TEXCOORD", 1, ScalarKind::Float),
        input(2, "TEXCOORD", 0, ScalarKind::Float),
    ]);
    let elements = [
        InputElementDesc::new("texCoord", 0, Format::R32G32_FLOAT),
        InputElementDesc::new("position", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 1, Format::R16G16_UNORM).slot(4),
    ];
    let found = input_layout(&elements, &shader, SourceLanguage::Wgsl, &full()).expect("all match");
    let places: Vec<_> = found.iter().map(|e| (e.location, e.input_slot, e.offset)).collect();
    assert_eq!(places, [(2, 0, 0), (0, 0, 8), (1, 4, 0)]);
}

#[test]
fn every_input_needs_an_element_and_the_error_names_it() {
    let shader =
        shader(vec![input(0, "POSITION", 0, ScalarKind::Float), input(7, "TEXCOORD", 3, ScalarKind::Float)]);
    let position = position(Format::R32G32B32_FLOAT);
    let near = InputElementDesc::new("TEXCOORD", 2, Format::R32G32_FLOAT);
    let text = reason(input_layout(&[position.clone(), near], &shader, SourceLanguage::Wgsl, &full()));
    assert!(text.contains("TEXCOORD3") && text.contains('7'), "{text}");
    let by_location = InputElementDesc::new("", 0, Format::R32G32_FLOAT).at_location(7);
    assert!(input_layout(&[position, by_location], &shader, SourceLanguage::Wgsl, &full()).is_ok());
    assert!(
        input_layout(&[], &super::input_layout::shader(Vec::new()), SourceLanguage::Wgsl, &full()).is_ok(),
        "no inputs, no elements"
    );
}

#[test]
fn elements_that_no_input_reads_take_room_and_are_left_out() {
    let elements = [
        InputElementDesc::new("UNUSED", 0, Format::R32G32B32_FLOAT),
        position(Format::R32_FLOAT),
        InputElementDesc::new("UNUSED", 1, Format::R32_FLOAT),
    ];
    let found = input_layout(&elements, &one(ScalarKind::Float), SourceLanguage::Wgsl, &full());
    let expected = ElementDesc {
        location: 3,
        format: Format::R32_FLOAT,
        input_slot: 0,
        offset: 12,
        class: InputClassification::PerVertexData,
        step_rate: 0,
    };
    assert_eq!(found, Ok(vec![expected]));
}

#[test]
fn appended_elements_follow_each_other_aligned_in_each_slot() {
    let formats = [
        (Format::R8_UNORM, 1, 1),
        (Format::R8G8_UNORM, 2, 2),
        (Format::R8G8B8A8_UNORM, 4, 4),
        (Format::R32G32B32_FLOAT, 12, 4),
        (Format::R16G16B16A16_FLOAT, 8, 4),
    ];
    // All sequences of four formats, alternating between two slots.
    for sequence in 0..5usize.pow(4) {
        let rows: Vec<_> = (0..4).map(|i| formats[sequence / 5usize.pow(i) % 5]).collect();
        let elements: Vec<_> = (0..4).map(|i| element(i, rows[i as usize].0).slot(i % 2)).collect();
        let found = input_layout(&elements, &numbered(4), SourceLanguage::Wgsl, &full()).expect("valid");
        let mut ends = [0u32; 2];
        for (i, (found, (_, bytes, alignment))) in found.iter().zip(&rows).enumerate() {
            let end = &mut ends[i % 2];
            while *end % alignment != 0 {
                *end += 1;
            }
            assert_eq!(found.offset, *end, "element {i} of {rows:?}");
            *end += bytes;
        }
    }
}

#[test]
fn an_explicit_offset_moves_where_the_next_element_is_appended() {
    let elements = [
        element(0, Format::R32_FLOAT).offset(64),
        element(1, Format::R8_UNORM),
        element(2, Format::R32_FLOAT).offset(0),
        element(3, Format::R32_FLOAT),
    ];
    let found = input_layout(&elements, &numbered(4), SourceLanguage::Wgsl, &full()).expect("valid");
    assert_eq!(found.iter().map(|e| e.offset).collect::<Vec<_>>(), [64, 68, 0, 4]);
}

#[test]
fn explicit_offsets_are_aligned_and_within_the_largest_stride() {
    for (format, bytes, alignment) in
        [(Format::R8_UNORM, 1, 1), (Format::R16_FLOAT, 2, 2), (Format::R32G32B32_FLOAT, 12, 4)]
    {
        for offset in (0..20).chain(2030..2060).chain([u32::MAX - 1, u32::MAX - 3]) {
            let result = input_layout(
                &[element(0, format).offset(offset)],
                &numbered(1),
                SourceLanguage::Wgsl,
                &full(),
            );
            let expected = offset % alignment == 0 && u64::from(offset) + bytes <= 2048;
            assert_eq!(result.is_ok(), expected, "{format:?} at {offset}: {result:?}");
        }
    }
}

#[test]
fn the_format_gives_the_type_that_the_shader_takes() {
    for &format in Format::ALL {
        for kind in [ScalarKind::Float, ScalarKind::Uint, ScalarKind::Sint] {
            let name = format!("{format:?}");
            let plain = !name.starts_with("BC")
                && !name.starts_with('D')
                && (!name.contains("X8") || name == "B8G8R8X8_UNORM")
                && !name.contains("_G8")
                && !name.contains("_B8G8")
                && !name.contains("XR_BIAS")
                && !["R9G9B9E5_SHAREDEXP", "B4G4R4A4_UNORM"].contains(&&*name);
            let gives = match name.rsplit('_').next() {
                Some("FLOAT" | "UNORM" | "SNORM") if plain => Some(ScalarKind::Float),
                Some("UINT") if plain => Some(ScalarKind::Uint),
                Some("SINT") if plain => Some(ScalarKind::Sint),
                _ => None,
            };
            let result = input_layout(&[position(format)], &one(kind), SourceLanguage::Wgsl, &full());
            assert_eq!(result.is_ok(), gives == Some(kind), "{format:?} as {kind:?}: {result:?}");
            if let Err(error) = result {
                assert_eq!(verdict::<()>(&Err(error.clone())), Verdict::Invalid);
                assert!(error.to_string().contains(&name), "{error}");
            }
        }
    }
}

#[test]
fn duplicates_are_refused() {
    let twice =
        [position(Format::R32_FLOAT), InputElementDesc::new("POSITION", 0, Format::R32_FLOAT).slot(1)];
    let by_both =
        [position(Format::R32_FLOAT), InputElementDesc::new("X", 0, Format::R32_FLOAT).at_location(3)];
    let unread = [
        position(Format::R32_FLOAT),
        InputElementDesc::new("X", 1, Format::R32_FLOAT),
        InputElementDesc::new("x", 1, Format::R32_FLOAT),
    ];
    for elements in [&twice[..], &by_both[..], &unread[..]] {
        let result = input_layout(elements, &one(ScalarKind::Float), SourceLanguage::Wgsl, &full());
        assert_eq!(verdict(&result), Verdict::Invalid, "{elements:?}");
        assert!(reason(result).contains("two elements"));
    }
}

#[test]
fn slots_and_numbers_of_elements_have_limits() {
    for slot in [0, 31, 32, u32::MAX] {
        let result = input_layout(
            &[element(0, Format::R32_FLOAT).slot(slot)],
            &numbered(1),
            SourceLanguage::Wgsl,
            &full(),
        );
        assert_eq!(verdict(&result), if slot < 32 { Verdict::Valid } else { Verdict::Invalid }, "{slot}");
    }
    for count in 30..36 {
        let elements: Vec<_> = (0..count).map(|i| element(i, Format::R32_FLOAT)).collect();
        let result = input_layout(&elements, &numbered(count), SourceLanguage::Wgsl, &full());
        assert_eq!(verdict(&result), if count <= 32 { Verdict::Valid } else { Verdict::Invalid }, "{count}");
        let caps = PipelineCaps { max_input_elements: 31, ..full() };
        let result = input_layout(
            &elements[..count.min(32) as usize],
            &numbered(count.min(32)),
            SourceLanguage::Wgsl,
            &caps,
        );
        assert_eq!(
            verdict(&result),
            if count <= 31 { Verdict::Valid } else { Verdict::Unsupported },
            "{count}"
        );
        let spread: Vec<_> = (0..32).map(|i| element(i, Format::R32_FLOAT).slot(i % count.min(32))).collect();
        let caps = PipelineCaps { max_vertex_buffers: 31, ..full() };
        let result = input_layout(&spread, &numbered(32), SourceLanguage::Wgsl, &caps);
        assert_eq!(
            verdict(&result),
            if count <= 31 { Verdict::Valid } else { Verdict::Unsupported },
            "{count}"
        );
    }
}

#[test]
fn step_rates_and_classes() {
    use InputClassification as C;
    for class in [C::PerVertexData, C::PerInstanceData] {
        for rate in 0..4 {
            let element = InputElementDesc {
                input_slot_class: class,
                instance_data_step_rate: rate,
                ..element(0, Format::R32_FLOAT)
            };
            let without = PipelineCaps { features: !Features::INSTANCE_STEP_RATE, ..full() };
            for (caps, has_rates) in [(full(), true), (without, false)] {
                let result =
                    input_layout(std::slice::from_ref(&element), &numbered(1), SourceLanguage::Wgsl, &caps);
                let expected = match (class, rate) {
                    (C::PerVertexData, 0) | (C::PerInstanceData, 1) => Verdict::Valid,
                    (C::PerVertexData, _) => Verdict::Invalid,
                    (C::PerInstanceData, _) if has_rates => Verdict::Valid,
                    (C::PerInstanceData, _) => Verdict::Unsupported,
                };
                assert_eq!(verdict(&result), expected, "{class:?} {rate}");
                match result {
                    Ok(found) => assert_eq!(found[0].step_rate, rate),
                    Err(_) if expected == Verdict::Unsupported => {
                        assert!(reason(result).contains("INSTANCE_STEP_RATE"));
                    }
                    Err(_) => {}
                }
            }
        }
    }
    for (slot, valid) in [(0, false), (1, true)] {
        let rates = [element(0, Format::R32_FLOAT).step_rate(2), element(1, Format::R32_FLOAT).step_rate(3)];
        let [first, second] = rates;
        let result = input_layout(&[first, second.slot(slot)], &numbered(2), SourceLanguage::Wgsl, &full());
        assert_eq!(verdict(&result), if valid { Verdict::Valid } else { Verdict::Invalid }, "slot {slot}");
    }
    for slot in [0, 1] {
        let elements =
            [element(0, Format::R32_FLOAT), element(1, Format::R32_FLOAT).slot(slot).per_instance()];
        let result = input_layout(&elements, &numbered(2), SourceLanguage::Wgsl, &full());
        assert_eq!(
            verdict(&result),
            if slot == 1 { Verdict::Valid } else { Verdict::Invalid },
            "slot {slot}"
        );
    }
}

#[test]
fn formats_that_the_device_lacks_are_refused_by_name() {
    let elements = input_layout(
        &[element(0, Format::R32_FLOAT), element(1, Format::R11G11B10_FLOAT)],
        &numbered(2),
        SourceLanguage::Wgsl,
        &full(),
    )
    .expect("valid");
    let support = |lacks: Format| {
        move |format| if format == lacks { FormatSupport::TEXTURE2D } else { FormatSupport::IA_VERTEX_BUFFER }
    };
    assert!(element_formats(&elements, support(Format::R8_UINT)).is_ok());
    let refused = element_formats(&elements, support(Format::R11G11B10_FLOAT));
    assert_eq!(verdict(&refused), Verdict::Unsupported);
    assert!(reason(refused).contains("R11G11B10_FLOAT"));
}

#[test]
fn a_semantic_has_a_name_unless_there_is_a_location() {
    let nameless = InputElementDesc::new("", 0, Format::R32_FLOAT);
    assert_eq!(
        verdict(&input_layout(
            std::slice::from_ref(&nameless),
            &one(ScalarKind::Float),
            SourceLanguage::Wgsl,
            &full()
        )),
        Verdict::Invalid
    );
    assert!(
        input_layout(&[nameless.at_location(3)], &one(ScalarKind::Float), SourceLanguage::Wgsl, &full())
            .is_ok()
    );
}
