//! Rules of stream-output declarations, with rows that are valid and invalid in Direct3D 11.

use naga::valid::Capabilities;
use onze_ddi::{
    InputPrimitive, OutputRegister, ShaderStage, StreamOutputDesc, StreamOutputEntry, StreamTopology,
};

use super::{Verdict, reason, verdict};
use crate::{
    report::Error,
    shader::{BASE_CAPABILITIES, GeometryShaderDesc, ShaderSource, compile_with},
    validate::{SoDeclarationEntry, StreamShader, stream_output},
};

fn outputs(source: ShaderSource<'_>, stage: ShaderStage) -> StreamShader {
    let capabilities = BASE_CAPABILITIES | Capabilities::CLIP_DISTANCES;
    let shader = compile_with(source, stage, capabilities, &mut |_| {}).unwrap();
    StreamShader { elements: shader.stream_elements(), geometry_streams: shader.geometry_streams() }
}

/// A vertex shader with the outputs SV_Position, NORMAL0 (3 components), TEXCOORD1 (2) and ID0 (1).
fn vertex() -> StreamShader {
    let text = "
        struct V {
            @builtin(position) place: vec4f,
            @location(0) normal: vec3f,
            @location(4) texcoord1: vec2f,
            @location(5) @interpolate(flat) id: u32,
        }
        @vertex fn main() -> V { return V(); }";
    outputs(ShaderSource::wgsl(text, "main"), ShaderStage::Vertex)
}

/// A geometry shader with two streams of points. The first has SV_Position and A0, the second has A0 (4 components).
fn geometry() -> StreamShader {
    let text = "
        struct V { @location(0) v: f32 }
        struct A { @builtin(position) place: vec4f, @location(0) a: f32 }
        struct B { @location(0) a: vec4f }
        fn append0(v: A) {} fn append1(v: B) {}
        fn main(v: array<V, 1>) { append0(A(vec4f(), v[0].v)); append1(B()); }";
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 2, &[StreamTopology::Points; 2]);
    outputs(ShaderSource::wgsl_geometry(text, "main", &desc), ShaderStage::Geometry)
}

fn entry(name: &'static str, index: u32, start: u8, count: u8) -> SoDeclarationEntry {
    SoDeclarationEntry::new(name, index, count).start_component(start)
}

fn position() -> SoDeclarationEntry {
    SoDeclarationEntry::new("SV_Position", 0, 4)
}

fn check(entries: &[SoDeclarationEntry]) -> Result<StreamOutputDesc, Error> {
    stream_output(entries, &[], Some(0), &vertex())
}

fn captured(
    slot: u32,
    register: OutputRegister,
    first_component: u32,
    component_count: u32,
    offset: u32,
) -> StreamOutputEntry {
    StreamOutputEntry { stream: 0, slot, register, first_component, component_count, offset }
}

#[test]
fn entries_are_packed_in_their_slots_in_order() {
    use OutputRegister::{Location, Position};
    let entries = [
        entry("id", 0, 0, 1).slot(1),
        position(),
        SoDeclarationEntry::gap(2),
        entry("Normal", 0, 1, 2),
        SoDeclarationEntry::gap(1).slot(1),
        entry("TEXCOORD", 1, 0, 2).slot(1),
    ];
    let desc = check(&entries).unwrap();
    let expected = [
        captured(1, Location(5), 0, 1, 0),
        captured(0, Position, 0, 4, 0),
        captured(0, Location(0), 1, 2, 24),
        captured(1, Location(4), 0, 2, 8),
    ];
    assert_eq!(desc.entries, expected);
    assert_eq!((desc.strides, desc.rasterized_stream), ([32, 16, 0, 0], Some(0)));
}

#[test]
fn outputs_are_found_by_semantic_or_location() {
    let rows = [
        (entry("sv_pOsItIoN", 0, 0, 4), true),
        (entry("SV_Position", 1, 0, 4), false),
        (entry("TEXCOORD", 1, 0, 2), true),
        (entry("TEXCOORD", 0, 0, 2), false),
        (entry("TEXCOORD1", 0, 0, 2), false),
        (entry("", 0, 0, 1), false),
        (entry("COLOR", 0, 0, 1), false),
        (SoDeclarationEntry::at_location(4, 2), true),
        (SoDeclarationEntry::at_location(1, 1), false),
    ];
    for (entry, is_valid) in rows {
        let result = check(std::slice::from_ref(&entry));
        assert_eq!(result.is_ok(), is_valid, "{entry:?}: {result:?}");
        if !is_valid {
            let text = reason(result);
            assert!(
                text.contains("its outputs are: SV_Position0, NORMAL0 (@location(0)), TEXCOORD1"),
                "{text}"
            );
        }
    }
}

#[test]
fn components_exist_in_the_output() {
    for (name, size) in [("SV_Position", 4), ("NORMAL", 3), ("ID", 1)] {
        for start in 0..=5 {
            for count in 0..=6 {
                let result = check(&[entry(name, 0, start, count)]);
                let is_valid = count > 0 && start + count <= size;
                assert_eq!(result.is_ok(), is_valid, "{name} {start} {count}: {result:?}");
            }
        }
    }
}

#[test]
fn a_component_is_written_once() {
    let rows = [
        ([entry("NORMAL", 0, 0, 1), entry("NORMAL", 0, 1, 2)], true),
        ([entry("NORMAL", 0, 0, 2), entry("normal", 0, 1, 2)], false),
        ([entry("NORMAL", 0, 0, 2), entry("NORMAL", 0, 0, 2).slot(1)], false),
        ([entry("NORMAL", 0, 0, 2), SoDeclarationEntry::at_location(0, 1)], false),
        ([position(), entry("NORMAL", 0, 0, 3)], true),
    ];
    for (entries, is_valid) in rows {
        let result = check(&entries);
        assert_eq!(result.is_ok(), is_valid, "{entries:?}: {result:?}");
    }
    let entries = [SoDeclarationEntry::gap(1), position(), entry("SV_POSITION", 0, 3, 1)];
    assert_eq!(
        reason(check(&entries)),
        "stream output, entry 2 (SV_POSITION0): a component is already written by the entry SV_Position0; \
         write each component of a stream once"
    );
}

#[test]
fn gaps_have_neither_index_nor_first_component() {
    let gap = SoDeclarationEntry::gap;
    let rows = [
        (gap(1), true),
        (gap(64), true),
        (gap(0), false),
        (gap(1).start_component(1), false),
        (SoDeclarationEntry { semantic_index: 1, ..gap(1) }, false),
    ];
    for (gap, is_valid) in rows {
        let result = check(&[position(), gap.clone()]);
        assert_eq!(result.is_ok(), is_valid, "{gap:?}: {result:?}");
    }
    assert!(check(&[gap(4)]).is_err(), "a slot has not only gaps");
    assert!(check(&[position(), gap(4).slot(1)]).is_err(), "a slot has not only gaps");
}

#[test]
fn a_stream_has_at_most_128_components() {
    for (gap, is_valid) in [(124, true), (125, false)] {
        let result = check(&[position(), SoDeclarationEntry::gap(gap)]);
        assert_eq!(result.is_ok(), is_valid, "{gap}: {result:?}");
    }
}

#[test]
fn a_declaration_has_at_most_512_entries() {
    assert_eq!(verdict(&check(&[])), Verdict::Invalid);
    let empty = stream_output(&[], &[64], Some(1), &geometry()).unwrap();
    assert_eq!((empty.entries.len(), empty.strides, empty.rasterized_stream), (0, [0; 4], Some(1)));
    let text = reason(check(&vec![position(); 513]));
    assert!(text.contains("at most 512 entries"), "{text}");
}

#[test]
fn slots_are_0_to_3_and_belong_to_one_stream() {
    for slot in 0..=5 {
        assert_eq!(check(&[position().slot(slot)]).is_ok(), slot < 4, "{slot}");
    }
    let two = |slot| [position(), entry("A", 0, 0, 4).stream(1).slot(slot)];
    for slot in 0..2 {
        let result = stream_output(&two(slot), &[], Some(0), &geometry());
        assert_eq!(result.is_ok(), slot == 1, "{slot}: {result:?}");
    }
}

#[test]
fn each_stream_has_its_own_outputs() {
    let shader = geometry();
    let check = |entry: SoDeclarationEntry| stream_output(&[entry], &[], None, &shader);
    let rows = [
        (position(), true),
        (position().stream(1), false),
        (entry("A", 0, 0, 1), true),
        (entry("A", 0, 0, 2), false),
        (entry("A", 0, 0, 4).stream(1), true),
        (entry("A", 0, 0, 1).stream(2), false),
        (entry("A", 0, 0, 1).stream(4), false),
    ];
    for (entry, is_valid) in rows {
        let result = check(entry.clone());
        assert_eq!(result.is_ok(), is_valid, "{entry:?}: {result:?}");
    }
}

#[test]
fn a_stream_that_the_shader_lacks_is_not_rasterized() {
    for (stream, of_vertex, of_geometry) in [
        (None, None, None),
        (Some(0), Some(0), Some(0)),
        (Some(1), None, Some(1)),
        (Some(2), None, None),
        (Some(3), None, None),
    ] {
        for (shader, expected) in [(vertex(), of_vertex), (geometry(), of_geometry)] {
            let result = stream_output(&[position()], &[], stream, &shader);
            assert_eq!(result.map(|desc| desc.rasterized_stream).unwrap(), expected, "{stream:?}");
        }
    }
    for stream in [4, u32::MAX] {
        assert!(stream_output(&[position()], &[], Some(stream), &geometry()).is_err(), "{stream}");
    }
}

#[test]
fn strides_cover_the_entries_of_each_slot_in_use() {
    let both = [position(), entry("NORMAL", 0, 0, 3).slot(2)];
    let rows: [(&[SoDeclarationEntry], &[u32], bool); 13] = [
        (&both[..1], &[], true),
        (&both[..1], &[16], true),
        (&both[..1], &[12], false),
        (&both[..1], &[0], false),
        (&both[..1], &[18], false),
        (&both[..1], &[2048], true),
        (&both[..1], &[2052], false),
        (&both[..1], &[16, 0, 0, 0], true),
        (&both[..1], &[16, 0, 0, 0, 0], false),
        (&both, &[], true),
        (&both, &[16], false),
        (&both, &[16, 0, 12], true),
        (&both, &[16, 12], false),
    ];
    for (entries, strides, is_valid) in rows {
        let result = stream_output(entries, strides, Some(0), &vertex());
        assert_eq!(result.is_ok(), is_valid, "{strides:?}: {result:?}");
    }
    let desc = stream_output(&both, &[20, 8, 12], Some(0), &vertex()).unwrap();
    assert_eq!(desc.strides, [20, 0, 12, 0], "slots without entries have no stride");
}

#[test]
fn a_wgsl_stream_without_vertices_has_no_outputs() {
    let text = "
        struct V { @location(0) v: f32 }
        struct A { @builtin(position) place: vec4f }
        fn append0(v: A) {}
        fn main(v: array<V, 1>) { }";
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 2, &[StreamTopology::Points]);
    let shader = outputs(ShaderSource::wgsl_geometry(text, "main", &desc), ShaderStage::Geometry);
    assert!(stream_output(&[position()], &[], Some(0), &shader).is_err());
}

#[cfg(feature = "hlsl")]
mod hlsl {
    use super::*;

    /// A vertex shader whose outputs share registers.
    fn packed() -> StreamShader {
        let text = "
            struct V {
                float4 place : SV_Position;
                float2 a : A; float b : B; float c : TEXCOORD7;
                float2 clip : SV_ClipDistance;
                uint id : ID2;
            };
            V main() { return (V)1; }";
        outputs(ShaderSource::hlsl(text, "main"), ShaderStage::Vertex)
    }

    #[test]
    fn packed_outputs_have_their_components_of_the_register() {
        use OutputRegister::Location;
        let rows = [
            (entry("A", 0, 0, 2), captured(0, Location(1), 0, 2, 0)),
            (entry("A", 0, 1, 1), captured(0, Location(1), 1, 1, 0)),
            (entry("b", 0, 0, 1), captured(0, Location(1), 2, 1, 0)),
            (entry("TexCoord", 7, 0, 1), captured(0, Location(1), 3, 1, 0)),
            (SoDeclarationEntry::at_location(1, 4), captured(0, Location(1), 0, 4, 0)),
            (position(), captured(0, OutputRegister::Position, 0, 4, 0)),
        ];
        let shader = packed();
        for (entry, expected) in rows {
            let desc = stream_output(std::slice::from_ref(&entry), &[], None, &shader).unwrap();
            assert_eq!(desc.entries, [expected], "{entry:?}");
        }
        let b = stream_output(&[entry("B", 0, 0, 2)], &[], None, &shader);
        assert_eq!(verdict(&b), Verdict::Invalid, "the register has more components, but the output has one");
        let both = [entry("A", 0, 0, 2), SoDeclarationEntry::at_location(1, 1)];
        assert!(stream_output(&both, &[], None, &shader).is_err(), "both write x");
        let clip = stream_output(&[entry("SV_ClipDistance", 0, 0, 1)], &[], None, &shader).unwrap();
        assert_eq!(clip.entries, [captured(0, Location(2), 0, 1, 0)]);
    }

    #[test]
    fn system_values_of_geometry_shaders_can_be_captured() {
        let text = "
            struct V { float4 p : P; };
            struct O {
                float4 place : SV_Position; uint slice : SV_RenderTargetArrayIndex; float clip : SV_ClipDistance1;
            };
            struct Q { float4 q : Q; };
            [maxvertexcount(1)] void main(point V v[1], inout PointStream<O> a, inout PointStream<Q> b) {
                O o = { v[0].p, 3, 1.0 };
                a.Append(o);
            }";
        let shader = outputs(ShaderSource::hlsl(text, "main"), ShaderStage::Geometry);
        let entries =
            [position(), entry("SV_RenderTargetArrayIndex", 0, 0, 1), entry("SV_ClipDistance", 1, 0, 1)];
        let desc = stream_output(&entries, &[], Some(0), &shader).unwrap();
        assert_eq!(desc.entries.len(), 3);
        assert!(desc.entries.iter().skip(1).all(|entry| entry.register != OutputRegister::Position));
        // The shader declares the second stream, but appends no vertex to it.
        let second = [position(), entry("Q", 0, 0, 4).stream(1).slot(1)];
        let desc = stream_output(&second, &[], Some(0), &shader).unwrap();
        assert_eq!((desc.entries.len(), desc.strides), (1, [16, 16, 0, 0]));
    }
}
