//! Typed vertices, constants and indices, updates from values, and labels in errors and messages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "typed/constants.rs"]
mod constants;
#[path = "typed/objects.rs"]
mod objects;
#[path = "typed/queries.rs"]
mod queries;
#[path = "typed/regions.rs"]
mod regions;

use onze::prelude::*;
use onze_tests::{
    Config, Harness, Target, assert_error,
    drawing::{assert_all, assert_texel},
    gpu_matrix, matrix, on_each, watched_device,
};

/// A vertex with every type of field, whose derives must work even if the application does not depend on
/// `bytemuck`.
#[derive(Copy, Clone, Debug, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Everything {
    position: [f32; 3],
    #[vertex(skip)]
    _padding: f32,
    texcoord12: [f32; 2],
    color: [u8; 4],
    #[vertex(semantic = "blendIndices", format = R8G8B8A8_UINT)]
    joints: [u8; 4],
    #[vertex(index = 3)]
    tangent: [i16; 4],
    #[vertex(semantic = "TEXCOORD", index = 4, format = R16G16_FLOAT)]
    small: [u16; 2],
    #[vertex(location = 7)]
    id: u32,
    #[vertex(format = R32G32_FLOAT)]
    cut: [f32; 4],
    r#type: i32,
    weight99999999999: f32,
    glam: glam::Vec2,
}

#[test]
fn a_derived_vertex_has_elements_at_its_offsets() {
    use Format as F;
    let rows = [
        ("POSITION", 0, F::R32G32B32_FLOAT, 0),
        ("TEXCOORD", 12, F::R32G32_FLOAT, 16),
        ("COLOR", 0, F::R8G8B8A8_UNORM, 24),
        ("BLENDINDICES", 0, F::R8G8B8A8_UINT, 28),
        ("TANGENT", 3, F::R16G16B16A16_SNORM, 32),
        ("TEXCOORD", 4, F::R16G16_FLOAT, 40),
        ("ID", 0, F::R32_UINT, 44),
        ("CUT", 0, F::R32G32_FLOAT, 48),
        ("TYPE", 0, F::R32_SINT, 64),
        ("WEIGHT99999999999", 0, F::R32_FLOAT, 68),
        ("GLAM", 0, F::R32G32_FLOAT, 72),
    ];
    assert_eq!(Everything::ELEMENTS.len(), rows.len());
    for ((name, index, format, offset), element) in rows.into_iter().zip(Everything::ELEMENTS) {
        let expected = InputElementDesc {
            location: (name == "ID").then_some(7),
            ..InputElementDesc::new(name, index, format).offset(offset)
        };
        assert_eq!(*element, expected);
    }
    assert_eq!(VertexBuffer::<Everything>::STRIDE, 80);
}

/// A field and a shader input with the same name have the same semantic.
#[test]
fn a_derived_layout_matches_shader_inputs_by_field_name() {
    on_each(&[Config::NULL], |h| {
        let shader = "@vertex fn vs_main(
            @location(3) position: vec3f, @location(1) TexCoord12: vec2f, @location(2) weight99999999999: f32,
            @location(0) tangent3: vec4f, @location(4) blendindices: vec4u, @location(7) another: u32,
        ) -> @builtin(position) vec4f {
            return vec4f(position, 1.0) + tangent3 + TexCoord12.x + weight99999999999 + vec4f(blendindices)
                + f32(another);
        }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(shader, "vs_main")).unwrap();
        h.device.create_input_layout_of::<Everything>(&vs).unwrap();
        h.assert_silent();

        let shader = shader.replace("tangent3", "normal");
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(&shader, "vs_main")).unwrap();
        assert_error!(h.device.create_input_layout_of::<Everything>(&vs), InvalidArg);
        h.assert_reported(MessageId::CreateInputLayoutInvalid);
    });
}

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    corner: [f32; 2],
}

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Instance {
    place: [f32; 2],
    color: [u8; 4],
}

#[derive(Copy, Clone, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    tint: [f32; 4],
    scale: f32,
}

const SHADER: &str = "
    struct Constants { tint: vec4f, scale: f32 }
    @group(0) @binding(0) var<uniform> constants: Constants;
    struct Varying { @builtin(position) position: vec4f, @location(0) color: vec4f }
    @vertex fn vs_main(@location(0) corner: vec2f, @location(1) place: vec2f, @location(2) color: vec4f) -> Varying {
        return Varying(vec4f(corner * constants.scale + place, 0.0, 1.0), color * constants.tint);
    }
    @fragment fn ps_main(in: Varying) -> @location(0) vec4f { return in.color; }";

/// Instanced squares, each instance covering a quarter of the target.
struct Squares {
    corners: VertexBuffer<Corner>,
    instances: VertexBuffer<Instance>,
    constants: ConstantBuffer<Constants>,
    target: Target,
}

const SCALE: f32 = 1.0;

impl Squares {
    fn bind(h: &mut Harness) -> Self {
        let device = h.device.clone();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main")).unwrap();
        let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|corner| Corner { corner });
        let instances = [
            Instance { place: [-1.0, 0.0], color: [255, 0, 0, 255] },
            Instance { place: [0.0, -1.0], color: [0, 255, 0, 255] },
        ];
        let this = Self {
            corners: device.create_vertex_buffer(&corners).unwrap(),
            instances: device.create_vertex_buffer(&instances).unwrap(),
            constants: device.create_constant_buffer(&Constants { tint: [1.0; 4], scale: SCALE }).unwrap(),
            target: Target::new(&device, 4, 4),
        };
        let cx = &mut h.immediate;
        this.target.bind(cx);
        cx.clear_render_target_view(&this.target.view, [0.0, 0.0, 0.0, 1.0]);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        cx.ia_set_input_layout(&device.create_input_layout_of::<(Corner, Instance)>(&vs).unwrap());
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        cx.ia_set_vertex_buffers(0, (&this.corners, &this.instances));
        cx.vs_set_constant_buffers(0, &this.constants);
        this
    }
}

#[test]
fn a_pair_of_vertex_types_draws_instances() {
    on_each(&gpu_matrix(), |h| {
        let squares = Squares::bind(h);
        h.immediate.draw_instanced(squares.corners.len(), squares.instances.len(), 0, 0);
        let texels = squares.target.read(h);
        for (at, expected) in
            [((0, 0), 0xff00_00ff), ((3, 0), 0xff00_0000), ((0, 3), 0xff00_0000), ((3, 3), 0xff00_ff00)]
        {
            assert_texel(&squares.target, &texels, at, expected, "instances");
        }
        h.assert_silent();
    });
}

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance, step_rate = 2)]
#[repr(C)]
struct Pair {
    color: [u8; 4],
}

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Place {
    place: [f32; 2],
}

#[test]
fn a_derived_step_rate_shares_an_element_among_instances() {
    on_each(&[Config::GPU], |h| {
        let squares = Squares::bind(h);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main")).unwrap();
        let layout = h.device.create_input_layout_of::<((Corner, Place), Pair)>(&vs).unwrap();
        let places = [[-1.0, 0.0], [0.0, 0.0], [-1.0, -1.0], [0.0, -1.0]].map(|place| Place { place });
        let places = h.device.create_vertex_buffer(&places).unwrap();
        let pairs = [Pair { color: [255, 0, 0, 255] }, Pair { color: [0, 255, 0, 255] }];
        let pairs = h.device.create_vertex_buffer(&pairs).unwrap();
        h.immediate.ia_set_input_layout(&layout);
        h.immediate.ia_set_vertex_buffers(0, ((&squares.corners, &places), &pairs));
        h.immediate.draw_instanced(4, 4, 0, 0);
        let texels = squares.target.read(h);
        for (at, expected) in
            [((0, 0), 0xff00_00ff), ((3, 0), 0xff00_00ff), ((0, 3), 0xff00_ff00), ((3, 3), 0xff00_ff00)]
        {
            assert_texel(&squares.target, &texels, at, expected, "pairs of instances");
        }
        assert_eq!(Pair::ELEMENTS[0].instance_data_step_rate, 2);
        assert_eq!(Place::ELEMENTS[0].instance_data_step_rate, 1);
        h.assert_silent();
    });
}

#[test]
fn a_derived_step_rate_of_zero_is_still_per_instance() {
    #[derive(Copy, Clone, NoUninit, Vertex)]
    #[bytemuck(crate = "onze::bytemuck")]
    #[vertex(step_rate = 0, per_instance)]
    #[repr(C)]
    struct Shared {
        color: [u8; 4],
    }
    let [element] = Shared::ELEMENTS else { panic!("{:?}", Shared::ELEMENTS) };
    assert_eq!(element.input_slot_class, InputClassification::PerInstanceData);
    assert_eq!(element.instance_data_step_rate, 0);
    assert_eq!(Corner::ELEMENTS[0].input_slot_class, InputClassification::PerVertexData);
}

#[test]
fn each_draw_sees_the_constants_updated_before_it() {
    on_each(&gpu_matrix(), |h| {
        let squares = Squares::bind(h);
        let cx = &mut h.immediate;
        for (instance, tint) in [(0, [0.4, 1.0, 1.0, 1.0]), (1, [1.0, 0.2, 1.0, 1.0])] {
            cx.update(&squares.constants, &Constants { tint, scale: SCALE }).unwrap();
            cx.draw_instanced(4, 1, 0, instance);
        }
        // Both draws come before this update, so they must not see it.
        cx.update(&squares.constants, &Constants { tint: [0.0; 4], scale: 0.0 }).unwrap();
        let texels = squares.target.read(h);
        assert_texel(&squares.target, &texels, (0, 0), 0xff00_0066, "the first draw");
        assert_texel(&squares.target, &texels, (3, 3), 0xff00_3300, "the second draw");
        h.assert_silent();
    });
}

#[test]
fn constants_are_padded_to_whole_registers_with_zeros() {
    on_each(&matrix(), |h| {
        let buffer = h.device.create_constant_buffer(&[1_u32, 2, 3, 4, 5]).unwrap();
        assert_eq!(buffer.desc().byte_width, 32);
        assert_eq!(
            (buffer.desc().usage, buffer.desc().bind_flags),
            (Usage::Dynamic, BindFlags::CONSTANT_BUFFER)
        );
        if h.draws() {
            assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), [1, 2, 3, 4, 5, 0, 0, 0]);
            h.immediate.update(&buffer, &[6, 7, 8, 9, 10]).unwrap();
            assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), [6, 7, 8, 9, 10, 0, 0, 0]);
        }
        assert_error!(h.device.create_constant_buffer(&[0_u32; 0]), InvalidArg);
        h.assert_reported(MessageId::CreateBufferInvalid);
    });
}

#[test]
fn an_index_buffer_has_the_format_of_its_type() {
    on_each(&matrix(), |h| {
        let short = h.device.create_index_buffer(&[0_u16, 1, 2, 3]).unwrap();
        let long = h.device.create_index_buffer(&[0_u32, 1, 2]).unwrap();
        let dynamic = h.device.create_dynamic_index_buffer::<u16>(6).unwrap();
        assert_eq!((short.len(), long.len(), dynamic.len()), (4, 3, 6));
        assert_eq!(dynamic.desc().usage, Usage::Dynamic);
        let cx = &mut h.immediate;
        cx.ia_set_indices(&short);
        assert_eq!(cx.ia_get_index_buffer(), (Some(short.buffer().clone()), Format::R16_UINT, 0));
        cx.ia_set_indices(&long);
        assert_eq!(cx.ia_get_index_buffer(), (Some(long.buffer().clone()), Format::R32_UINT, 0));
        cx.ia_set_indices::<u32>(None);
        assert_eq!(cx.ia_get_index_buffer().0, None);
        h.assert_silent();
    });
}

#[test]
fn vertex_buffers_are_bound_with_the_strides_of_their_types() {
    on_each(&[Config::NULL], |h| {
        let a = h.device.create_vertex_buffer(&[[0_u32; 3]; 2]).unwrap();
        let b = h.device.create_dynamic_vertex_buffer::<[u32; 5]>(7).unwrap();
        let c = VertexBuffer::<u32>::new(a.buffer().clone());
        assert_eq!((a.len(), b.len(), c.len()), (2, 7, 6));
        assert!(!a.is_empty());
        let cx = &mut h.immediate;
        cx.ia_set_vertex_buffers(1, ((&a, &b), &c));
        let bound = cx.ia_get_vertex_buffers(0, 5);
        let expected = [
            (None, 0, 0),
            (Some(a.buffer().clone()), 12, 0),
            (Some(b.buffer().clone()), 20, 0),
            (Some(a.buffer().clone()), 4, 0),
            (None, 0, 0),
        ];
        assert_eq!(bound, expected);
        assert_error!(h.device.create_vertex_buffer::<[f32; 3]>(&[]), InvalidArg);
        h.assert_reported(MessageId::CreateBufferInvalid);
        assert_error!(h.device.create_dynamic_vertex_buffer::<[f32; 3]>(usize::MAX), InvalidArg);
    });
}

#[test]
fn an_update_writes_from_the_start_of_a_buffer() {
    on_each(&gpu_matrix(), |h| {
        let (device, cx) = (&h.device, &mut h.immediate);
        let old = [9_u32, 9, 9, 9];
        let usual = device.create_vertex_buffer(&old).unwrap();
        let dynamic = device.create_dynamic_vertex_buffer::<u32>(4).unwrap();
        let constants = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &old).unwrap();
        cx.update(&dynamic, &old).unwrap();
        let contents = |cx: &mut ImmediateContext| {
            [usual.buffer(), dynamic.buffer(), &constants]
                .map(|buffer| cx.read_buffer::<u32>(buffer).unwrap())
        };

        cx.update(&usual, &vec![1, 2]).unwrap();
        cx.update(&dynamic, &vec![1, 2]).unwrap();
        cx.update(&constants, &[1_u32, 2]).unwrap();
        assert_eq!(contents(cx), [vec![1, 2, 9, 9], vec![1, 2, 0, 0], vec![1, 2, 0, 0]], "a part");

        cx.update(&usual, &[5, 6, 7, 8]).unwrap();
        cx.update(dynamic.buffer(), &[5_u32, 6, 7, 8][..]).unwrap();
        cx.update(&constants, &[5_u32, 6, 7, 8]).unwrap();
        assert_eq!(contents(cx), [[5, 6, 7, 8]; 3].map(Vec::from), "all");

        cx.update(usual.buffer(), &3_u32).unwrap();
        assert_eq!(contents(cx)[0], [3, 6, 7, 8], "one value");
        h.assert_silent();
    });
}

#[test]
fn an_invalid_update_is_an_error_and_a_message() {
    on_each(&matrix(), |h| {
        let device = h.device.clone();
        let staging = BufferDesc::staging(16, CpuAccessFlags::WRITE);
        let staging = device.create_buffer(&staging, None).unwrap();
        let immutable = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &[1_u32; 4]).unwrap();
        let short = device.create_vertex_buffer(&[7_u32; 3]).unwrap();
        for (buffer, word) in
            [(&staging, "map it"), (&immutable, "another usage"), (short.buffer(), "16 bytes")]
        {
            let result = h.immediate.update(buffer, &[2_u32; 4]);
            assert!(
                matches!(&result, Err(onze::Error::InvalidArg(text)) if text.contains(word)),
                "{result:?}"
            );
            h.assert_reported(MessageId::UpdateSubresourceInvalid);
        }
        if h.draws() {
            assert_eq!(h.immediate.read_buffer::<u32>(&short).unwrap(), [7; 3]);
        }
        let texture = device.create_texture_2d_with(Format::R32_UINT, 2, 2, &[1_u32; 4]).unwrap();
        let result = h.immediate.update(&texture, &[0_u32; 3]);
        assert!(matches!(&result, Err(onze::Error::InvalidArg(text)) if text.contains("16 bytes, found 12")));
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        // The resource belongs to another device, so the update is refused.
        let null = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (_watch, other, _other_context) = watched_device(&null).unwrap();
        let plain = BufferDesc::new(16, BindFlags::VERTEX_BUFFER).label("stranger");
        let plain = other.create_buffer(&plain, None).unwrap();
        let texture = other.labelled("stranger").create_texture_2d_with(Format::R32_UINT, 2, 2, &[1_u32; 4]);
        let texture = texture.unwrap();
        let updates = [h.immediate.update(&plain, &[2_u32; 4]), h.immediate.update(&texture, &[2_u32; 4])];
        for result in updates {
            let is_foreign = matches!(&result, Err(onze::Error::InvalidArg(text))
                if text.contains("\"stranger\" was made by another device"));
            assert!(is_foreign, "{result:?}");
        }
        h.assert_reported(MessageId::UpdateSubresourceInvalid);
        // A buffer cannot be updated while it is mapped by a token.
        let constants = device.create_constant_buffer(&[0_u32; 4]).unwrap();
        let token = h.immediate.map_owned(&constants, 0, MapType::WriteDiscard).unwrap();
        assert!(h.immediate.update(&constants, &[1; 4]).is_err());
        h.immediate.unmap(token);
        h.take_errors();
    });
}

#[test]
fn an_update_of_a_texture_takes_rows_without_padding() {
    on_each(&gpu_matrix(), |h| {
        let texels: Vec<u32> = (0..15).collect();
        let dynamic = Texture2dDesc {
            mip_levels: 1,
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Texture2dDesc::new(Format::R32_UINT, 5, 3)
        };
        let dynamic = h.device.create_texture_2d(&dynamic, None).unwrap();
        let usual = h.device.create_texture_2d_with(Format::R32_UINT, 5, 3, &[0_u32; 15]).unwrap();
        for texture in [&dynamic, &usual] {
            h.immediate.update(texture, &texels[..]).unwrap();
            assert_eq!(h.read_u32(texture, 0), texels);
        }
        // The contents are longer than the subresource, and the excess is ignored.
        h.immediate.update(&dynamic, &[1_u32; 40]).unwrap();
        assert_all(&h.read_u32(&dynamic, 0), 1, "longer");
        h.assert_silent();
    });
}

#[test]
fn a_labelled_device_names_the_objects_it_creates() {
    on_each(&matrix(), |h| {
        let device = h.device.labelled("door");
        assert_eq!(device, h.device);
        let wgsl = "@vertex fn vs_main(@location(0) a: vec4f) -> @builtin(position) vec4f { return a; }
                    @fragment fn ps_main() -> @location(0) vec4f { return vec4f(); }";
        let vs = device.create_vertex_shader(ShaderSource::wgsl(wgsl, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::wgsl(wgsl, "ps_main")).unwrap();
        let element = InputElementDesc::new("A", 0, Format::R32G32B32A32_FLOAT);
        let layout = device.create_input_layout(&[element], &vs).unwrap();
        let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
        let buffer = device.create_buffer(&desc, None).unwrap();
        let own = device.create_buffer(&desc.label("its own"), None).unwrap();
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let blend = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive())).unwrap();
        let query = device.create_query(QueryType::Event).unwrap();
        let typed = device.create_constant_buffer(&[0_u32; 4]).unwrap();
        for (what, label) in [
            ("vertex shader", vs.label()),
            ("pixel shader", ps.label()),
            ("input layout", layout.label()),
            ("buffer", buffer.label()),
            ("texture", target.texture.label()),
            ("view", target.render_target_view.label()),
            ("state", blend.label()),
            ("query", query.label()),
            ("constants", typed.label()),
        ] {
            assert_eq!(label, "door", "{what}");
        }
        assert_eq!(own.label(), "its own");
        assert_eq!(h.device.create_query(QueryType::Event).unwrap().label(), "");
        // Errors and messages contain the label.
        let error = device.create_constant_buffer(&[0_u32; 0]).unwrap_err();
        assert!(error.to_string().contains("\"door\""), "{error}");
        h.assert_reported(MessageId::CreateBufferInvalid);
        h.immediate.update(typed.buffer(), &[0_u32; 5]).unwrap_err();
        assert!(h.take_errors()[0].to_string().contains("\"door\""));
    });
}
