//! Invalid arguments are reported even if a feature is missing: a call with an invalid argument fails with
//! `InvalidArg` on a device with every feature and on a device without any.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::Arc;

use onze::{Error, InputElementDesc, prelude::*};
use onze_tests::{Faults, Watch, assert_error, watched_device};

/// The name of a mistake in a descriptor, and the change that causes the mistake.
type Mistake<D> = (&'static str, fn(&mut D));

type Create = Box<dyn Fn(&Device) -> Result<(), Error>>;

#[derive(Default)]
struct Calls(Vec<(String, Create)>);

impl Calls {
    fn add<T>(&mut self, name: impl Into<String>, create: impl Fn(&Device) -> Result<T, Error> + 'static) {
        self.0.push((name.into(), Box::new(move |device| create(device).map(drop))));
    }
}

/// Creates a null device with all optional features except `missing`.
fn device(missing: Features) -> (Watch, Device, ImmediateContext) {
    let faults = Faults::default();
    faults.take_away(missing);
    let driver = faults.driver(Arc::new(onze_null::NullDriver::default()));
    let desc = DeviceDesc { driver_type: DriverType::Custom(driver), ..Default::default() };
    watched_device(&desc).unwrap()
}

const VB: BindFlags = BindFlags::VERTEX_BUFFER;
const SRV: BindFlags = BindFlags::SHADER_RESOURCE;
const UAV: BindFlags = BindFlags::UNORDERED_ACCESS;
const RTV: BindFlags = BindFlags::RENDER_TARGET;
const DSV: BindFlags = BindFlags::DEPTH_STENCIL;

/// Returns valid buffer descriptors. The first descriptor works on every device, the last one needs a higher
/// size limit, and all other descriptors need an optional feature.
fn buffers() -> Vec<BufferDesc> {
    vec![
        BufferDesc::new(64, VB),
        BufferDesc::new(64, VB | BindFlags::STREAM_OUTPUT),
        BufferDesc::new(64, SRV | UAV),
        BufferDesc::structured(16, 4, SRV | UAV),
        BufferDesc::raw(64, SRV | UAV),
        BufferDesc::indirect(64, UAV),
        BufferDesc { byte_width: u32::MAX - 15, ..BufferDesc::new(64, VB) },
    ]
}

fn buffer_mistakes(calls: &mut Calls) {
    let mistakes: [Mistake<BufferDesc>; 9] = [
        ("byte_width 0", |d| d.byte_width = 0),
        ("unknown bind flags", |d| d.bind_flags |= BindFlags::from_bits_retain(1 << 20)),
        ("unknown misc flags", |d| d.misc_flags |= MiscFlags::from_bits_retain(1 << 20)),
        ("CPU access", |d| d.cpu_access_flags = CpuAccessFlags::READ),
        ("immutable without contents", |d| {
            d.usage = Usage::Immutable;
            d.bind_flags &= VB | SRV;
        }),
        ("dynamic without access", |d| d.usage = Usage::Dynamic),
        ("staging that is bound", |d| d.usage = Usage::Staging),
        ("constants and others", |d| d.bind_flags |= BindFlags::CONSTANT_BUFFER | VB),
        ("flags of textures", |d| d.misc_flags |= MiscFlags::GENERATE_MIPS),
    ];
    for (at, valid) in buffers().into_iter().enumerate() {
        for (what, mistake) in mistakes {
            let mut desc = valid.clone();
            mistake(&mut desc);
            calls.add(format!("buffer {at}, {what}"), move |device| device.create_buffer(&desc, None));
        }
        if valid.byte_width == 64 {
            calls.add(format!("buffer {at}, short contents"), move |device| {
                device.create_buffer(&valid, Some(&[0; 63]))
            });
        }
    }
    for stride in [0, 3, 6, 2052, u32::MAX] {
        let desc = BufferDesc { structure_byte_stride: stride, ..BufferDesc::structured(16, 4, SRV | UAV) };
        calls.add(format!("structures of {stride} bytes"), move |device| device.create_buffer(&desc, None));
    }
    let raw = BufferDesc { bind_flags: VB, ..BufferDesc::raw(64, SRV) };
    calls.add("raw without views", move |device| device.create_buffer(&raw, None));
}

/// Returns valid texture descriptors, all except the first and the last dependent on an optional feature.
fn textures() -> Vec<Texture2dDesc> {
    let new = |format, bind_flags| Texture2dDesc { bind_flags, ..Texture2dDesc::new(format, 16, 16) };
    vec![
        new(Format::R8G8B8A8_UNORM, SRV),
        new(Format::BC7_UNORM, SRV),
        new(Format::R32_UINT, UAV),
        Texture2dDesc { sample_count: 4, mip_levels: 1, ..new(Format::R8G8B8A8_UNORM, RTV) },
        Texture2dDesc {
            array_size: 12,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..new(Format::R8G8B8A8_UNORM, SRV)
        },
    ]
}

fn texture_mistakes(calls: &mut Calls) {
    let mistakes: [Mistake<Texture2dDesc>; 15] = [
        ("no format", |d| d.format = Format::UNKNOWN),
        ("a format of views", |d| d.format = Format::R24_UNORM_X8_TYPELESS),
        ("width 0", |d| d.width = 0),
        ("width above every limit", |d| d.width = 16388),
        ("height 0", |d| d.height = 0),
        ("no slices", |d| d.array_size = 0),
        ("slices above every limit", |d| d.array_size = 2049),
        ("mip levels above every limit", |d| d.mip_levels = 99),
        ("no samples", |d| d.sample_count = 0),
        ("15 samples", |d| {
            (d.sample_count, d.mip_levels, d.bind_flags, d.misc_flags) = (15, 1, RTV, MiscFlags::empty());
        }),
        ("33 samples", |d| d.sample_count = 33),
        ("samples and mip levels", |d| (d.sample_count, d.mip_levels) = (4, 2)),
        ("flags of buffers", |d| d.bind_flags |= BindFlags::INDEX_BUFFER),
        ("targets of both kinds", |d| d.bind_flags |= RTV | DSV),
        ("structures", |d| d.misc_flags |= MiscFlags::BUFFER_STRUCTURED),
    ];
    for (at, valid) in textures().into_iter().enumerate() {
        for (what, mistake) in mistakes {
            let mut desc = valid.clone();
            mistake(&mut desc);
            calls.add(format!("texture {at}, {what}"), move |device| device.create_texture_2d(&desc, None));
        }
        if valid.sample_count > 1 {
            continue;
        }
        let desc = valid.clone();
        calls.add(format!("texture {at}, contents of one subresource"), move |device| {
            let data = SubresourceData { bytes: &[0; 4096], row_pitch: 256, depth_pitch: 0 };
            device.create_texture_2d(&desc, Some(&[data]))
        });
        for row_pitch in [0, 1, 3] {
            let desc = Texture2dDesc {
                mip_levels: 1,
                array_size: 1,
                misc_flags: MiscFlags::empty(),
                ..valid.clone()
            };
            calls.add(format!("texture {at}, row pitch {row_pitch}"), move |device| {
                let data = SubresourceData { bytes: &[0; 4096], row_pitch, depth_pitch: 0 };
                device.create_texture_2d(&desc, Some(&[data]))
            });
        }
        let desc = Texture2dDesc { mip_levels: 1, array_size: 1, misc_flags: MiscFlags::empty(), ..valid };
        calls.add(format!("texture {at}, short contents"), move |device| {
            let data = SubresourceData { bytes: &[0; 63], row_pitch: 64, depth_pitch: 0 };
            device.create_texture_2d(&desc, Some(&[data]))
        });
    }
    for (width, height) in [(15, 16), (16, 2)] {
        let desc = Texture2dDesc::new(Format::BC1_UNORM, width, height);
        calls.add(format!("blocks in {width} x {height}"), move |device| {
            device.create_texture_2d(&desc, None)
        });
    }
    for (size, slices) in [((16, 16), 5), ((16, 8), 6)] {
        let desc = Texture2dDesc {
            array_size: slices,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::new(Format::BC1_UNORM, size.0, size.1)
        };
        calls.add(format!("a cube of {slices} of {size:?}"), move |device| {
            device.create_texture_2d(&desc, None)
        });
    }
}

fn state_mistakes(calls: &mut Calls) {
    let dual = RenderTargetBlendDesc { src_blend: Blend::Src1Color, ..RenderTargetBlendDesc::alpha() };
    for wrong in [
        RenderTargetBlendDesc { src_blend_alpha: Blend::SrcColor, ..dual },
        RenderTargetBlendDesc { dest_blend_alpha: Blend::InvDestColor, ..dual },
        RenderTargetBlendDesc { render_target_write_mask: ColorWrite::from_bits_retain(0x1f), ..dual },
        RenderTargetBlendDesc { logic_op_enable: true, ..dual },
        RenderTargetBlendDesc { logic_op_enable: true, ..RenderTargetBlendDesc::default() },
    ] {
        for slot in [0, 1, 7] {
            let mut desc = BlendDesc { independent_blend_enable: true, ..BlendDesc::all(dual) };
            desc.render_target[slot] = wrong;
            calls.add(format!("blend, target {slot}, {wrong:?}"), move |device| {
                device.create_blend_state(&desc)
            });
        }
    }
    let rasterizer = RasterizerDesc {
        fill_mode: FillMode::Wireframe,
        depth_clip_enable: false,
        antialiased_line_enable: true,
        ..RasterizerDesc::default()
    };
    for desc in [
        RasterizerDesc { depth_bias_clamp: f32::NAN, ..rasterizer },
        RasterizerDesc { slope_scaled_depth_bias: f32::NAN, ..rasterizer },
        RasterizerDesc { forced_sample_count: 3, ..rasterizer },
        RasterizerDesc { forced_sample_count: 32, ..rasterizer },
        RasterizerDesc { conservative_raster: ConservativeRasterizationMode::On, ..rasterizer },
    ] {
        calls.add(format!("{desc:?}"), move |device| device.create_rasterizer_state(&desc));
    }
    let mistakes: [fn(&mut SamplerDesc); 11] = [
        |d| d.mip_lod_bias = 16.0,
        |d| d.mip_lod_bias = -16.01,
        |d| d.mip_lod_bias = f32::NAN,
        |d| d.mip_lod_bias = f32::INFINITY,
        |d| (d.filter, d.max_anisotropy) = (Filter::ANISOTROPIC, 0),
        |d| (d.filter, d.max_anisotropy) = (Filter::ANISOTROPIC, 17),
        |d| (d.filter, d.max_anisotropy) = (Filter::ANISOTROPIC, u32::MAX),
        |d| d.min_lod = f32::NAN,
        |d| d.max_lod = f32::NAN,
        |d| d.border_color[0] = f32::NAN,
        |d| d.border_color[3] = f32::NAN,
    ];
    for mode in [TextureAddressMode::Clamp, TextureAddressMode::MirrorOnce, TextureAddressMode::Border] {
        for mistake in mistakes {
            let mut desc = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, mode);
            desc.border_color = [0.1, 0.2, 0.3, 0.4];
            mistake(&mut desc);
            calls.add(format!("{desc:?}"), move |device| device.create_sampler_state(&desc));
        }
    }
}

fn input_layout_mistakes(calls: &mut Calls) {
    const WGSL: &str = "
        @vertex fn vs(@location(0) a: vec4f, @location(1) b: vec4f) -> @builtin(position) vec4f { return a + b; }";
    let element = |name: &'static str| InputElementDesc::new(name, 0, Format::R32G32B32A32_FLOAT);
    let mistakes: [(&str, InputElementDesc); 6] = [
        ("slot 32", InputElementDesc { input_slot: 32, ..element("B") }),
        ("no format", InputElementDesc { format: Format::UNKNOWN, ..element("B") }),
        ("an offset of 2", InputElementDesc { aligned_byte_offset: 2, ..element("B") }),
        ("no name", element("")),
        ("an input that is not there", element("C")),
        ("a step rate for per-vertex data", InputElementDesc { instance_data_step_rate: 2, ..element("B") }),
    ];
    for (what, wrong) in mistakes {
        let elements = [element("A"), wrong];
        calls.add(format!("input layout, {what}"), move |device| {
            let vs = device.create_vertex_shader(ShaderSource::wgsl(WGSL, "vs")).unwrap();
            device.create_input_layout(&elements, &vs)
        });
    }
}

fn view_mistakes(calls: &mut Calls) {
    let texture = |device: &Device| {
        let desc = Texture2dDesc {
            mip_levels: 2,
            array_size: 12,
            bind_flags: SRV | RTV,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::new(Format::R8G8B8A8_TYPELESS, 16, 16)
        };
        device.create_texture_2d(&desc, None).unwrap()
    };
    let rgba = Format::R8G8B8A8_UNORM;
    let cubes = |first_2d_array_face, num_cubes, most_detailed_mip| ShaderResourceViewDesc {
        format: rgba,
        dimension: Some(ShaderResourceViewDimension::TextureCubeArray {
            most_detailed_mip,
            mip_levels: 1,
            first_2d_array_face,
            num_cubes,
        }),
        ..Default::default()
    };
    for desc in [
        ShaderResourceViewDesc::format(Format::UNKNOWN),
        ShaderResourceViewDesc::format(Format::R32_FLOAT),
        ShaderResourceViewDesc::format(Format::R8G8B8A8_TYPELESS),
        ShaderResourceViewDesc::texture_2d(rgba, 2, 1),
        ShaderResourceViewDesc::texture_2d(rgba, 1, 2),
        ShaderResourceViewDesc::texture_2d(rgba, 0, 0),
        ShaderResourceViewDesc::texture_2d_array(rgba, 12, 1),
        ShaderResourceViewDesc::texture_2d_array(rgba, 0, 0),
        ShaderResourceViewDesc::dimension(ShaderResourceViewDimension::Texture2dMs),
        ShaderResourceViewDesc::buffer(0, 1),
        cubes(0, 3, 0),
        cubes(7, 1, 0),
        cubes(0, 1, 2),
        cubes(0, 0, 0),
    ] {
        calls.add(format!("{desc:?}"), move |device| {
            device.create_shader_resource_view(&texture(device), &desc)
        });
    }
    for desc in [
        RenderTargetViewDesc::format(Format::R8G8B8A8_TYPELESS),
        RenderTargetViewDesc::texture_2d(rgba, 2),
        RenderTargetViewDesc::texture_2d_array(rgba, 0, 11, 2),
        RenderTargetViewDesc::texture_2d_array(rgba, 0, 0, 0),
    ] {
        calls.add(format!("{desc:?}"), move |device| {
            device.create_render_target_view(&texture(device), &desc)
        });
    }
    calls.add("a depth view of colours", move |device| {
        device.create_depth_stencil_view(&texture(device), None)
    });
    calls.add("a view without its bind flag", move |device| {
        device.create_unordered_access_view(&texture(device), None)
    });
    calls.add("a view of vertices", |device| {
        device
            .create_shader_resource_view(&device.create_buffer(&BufferDesc::new(64, VB), None).unwrap(), None)
    });
}

#[test]
fn invalid_arguments_are_reported_before_missing_features() {
    let mut calls = Calls::default();
    buffer_mistakes(&mut calls);
    texture_mistakes(&mut calls);
    state_mistakes(&mut calls);
    input_layout_mistakes(&mut calls);
    view_mistakes(&mut calls);
    assert!(calls.0.len() > 200, "{}", calls.0.len());
    for missing in [Features::empty(), Features::all()] {
        let (watch, device, _immediate) = device(missing);
        watch.expect(&[
            MessageId::CreateBufferInvalid,
            MessageId::CreateDepthStencilViewInvalid,
            MessageId::CreateInputLayoutInvalid,
            MessageId::CreateRenderTargetViewInvalid,
            MessageId::CreateShaderResourceViewInvalid,
            MessageId::CreateStateInvalid,
            MessageId::CreateTexture2dInvalid,
            MessageId::CreateUnorderedAccessViewInvalid,
        ]);
        for (what, create) in &calls.0 {
            assert_error!(create(&device), InvalidArg, "{what}, without {missing:?}");
        }
    }
}

/// Passes valid descriptors to a device without optional features, to show which of them need a feature.
#[test]
fn valid_arguments_are_refused_without_the_feature() {
    let (watch, device, _immediate) = device(Features::all());
    watch.expect(&[MessageId::CreateBufferInvalid, MessageId::CreateTexture2dInvalid]);
    for desc in buffers().iter().skip(1) {
        assert_error!(device.create_buffer(desc, None), Unsupported, "{desc:?}");
    }
    for (desc, is_feature) in textures().iter().zip([false, true, true, true, false]) {
        let made = device.create_texture_2d(desc, None);
        assert_eq!(matches!(made, Err(Error::Unsupported(_))), is_feature, "{desc:?}");
    }
}

#[test]
fn clip_distances_need_their_feature() {
    let hlsl = "
        struct V { float4 at : SV_Position; float clip : SV_ClipDistance; };
        V vs_main() { return (V)0; }
        struct P { float4 at : P; };
        [maxvertexcount(1)] void gs_main(point P p[1], inout PointStream<V> to) { to.Append((V)0); }
        struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        [domain(\"tri\")] V ds_main(C c, const OutputPatch<P, 3> p) { return (V)0; }";
    let wgsl = "
        enable clip_distances;
        struct V { @builtin(position) at: vec4f, @builtin(clip_distances) clip: array<f32, 1> }
        @vertex fn vs_main() -> V { return V(); }
        fn ds_main() -> V { return V(); }";
    for missing in [Features::CLIP_DISTANCES, Features::empty()] {
        let (watch, device, _immediate) = device(missing);
        let domain = TessellatorDomain::Triangle;
        let created = [
            device.create_vertex_shader(ShaderSource::hlsl(hlsl, "vs_main")).err(),
            device.create_geometry_shader(ShaderSource::hlsl(hlsl, "gs_main")).err(),
            device.create_domain_shader(ShaderSource::hlsl(hlsl, "ds_main")).err(),
            device.create_vertex_shader(ShaderSource::wgsl(wgsl, "vs_main")).err(),
            device.create_domain_shader(ShaderSource::wgsl_domain(wgsl, "ds_main", domain)).err(),
        ];
        for error in created {
            match error {
                None => assert!(missing.is_empty()),
                Some(Error::Unsupported(text)) => {
                    assert!(text.contains("Features::CLIP_DISTANCES"), "{text}");
                }
                Some(error) => panic!("{error}"),
            }
        }
        if !missing.is_empty() {
            watch.expect(&[MessageId::CreateShaderInvalid]);
        }
    }
}

#[test]
fn sample_counts_that_no_adapter_has_have_no_quality_levels() {
    let (_watch, device, _immediate) = device(Features::empty());
    let rgba = Format::R8G8B8A8_UNORM;
    assert_eq!(device.check_multisample_quality_levels(rgba, 1), 1);
    for (format, count) in
        [(Format::UNKNOWN, 1), (Format::UNKNOWN, 4), (rgba, 0), (rgba, 33), (rgba, u32::MAX)]
    {
        assert_eq!(device.check_multisample_quality_levels(format, count), 0, "{format:?}, {count}");
    }
}
