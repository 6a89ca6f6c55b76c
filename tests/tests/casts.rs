//! Typeless textures that are viewed in every format of their family, so that bits that are written through
//! one view are read through another.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze::{FormatSupport, FormatSupport2, ShaderResourceViewDimension, ddi::ComponentKind};
use onze_tests::{CommandPath, Harness, Random, gpu_matrix, on_each, texels};

const SIZE: (u32, u32) = (3, 2);

/// Creates a typeless texture with every bind flag that the formats of its family allow.
fn texture(h: &Harness, format: Format, flags: BindFlags, mips: u32, slices: u32) -> Option<Texture2d> {
    let desc = Texture2dDesc {
        width: SIZE.0,
        height: SIZE.1,
        array_size: slices,
        mip_levels: mips,
        format,
        bind_flags: flags,
        ..Texture2dDesc::default()
    };
    h.device.create_texture_2d(&desc, None).ok()
}

/// Draws a view's raw bits into a texture of the same size.
struct Reader {
    vs: VertexShader,
    float: PixelShader,
    uint: PixelShader,
    sint: PixelShader,
}

struct Found {
    texture: Texture2d,
    target: RenderTargetView,
}

impl Reader {
    /// Creates the shaders, where `slice` is the additional argument after the coordinates that texture loads
    /// need.
    fn new(device: &Device, texture: &str, slice: &str) -> Self {
        let ps = |of: &str| {
            let text = format!(
                "@group(1) @binding(0) var t: {texture}<{of}>;
                @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4u {{
                    return bitcast<vec4u>(textureLoad(t, vec2u(at.xy){slice}, 0));
                }}"
            );
            device.create_pixel_shader(ShaderSource::wgsl(&text, "main")).unwrap()
        };
        let vs = "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
            return vec4f(f32(n & 1u) * 4.0 - 1.0, 1.0 - f32(n >> 1u) * 4.0, 0.0, 1.0);
        }";
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(vs, "main")).unwrap(),
            float: ps("f32"),
            uint: ps("u32"),
            sint: ps("i32"),
        }
    }

    fn found(device: &Device) -> Found {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::RENDER_TARGET,
            ..Texture2dDesc::new(Format::R32G32B32A32_UINT, SIZE.0, SIZE.1)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let target = device.create_render_target_view(&texture, None).unwrap();
        Found { texture, target }
    }

    fn bind(&self, cx: &mut DeviceContext, format: Format, view: &ShaderResourceView) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(match format.component_kind() {
            ComponentKind::Uint => &self.uint,
            ComponentKind::Sint => &self.sint,
            _ => &self.float,
        });
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports([Viewport::sized(SIZE.0 as f32, SIZE.1 as f32)]);
        cx.ps_set_shader_resources(0, view);
    }

    fn draw(cx: &mut DeviceContext, to: &Found) {
        cx.om_set_render_targets([&to.target], None);
        cx.draw(3, 0);
    }
}

fn expected(format: Format, bytes: &[u8]) -> Vec<texels::Bits> {
    bytes.chunks(format.bytes_per_block() as usize).map(|texel| texels::load(format, texel)).collect()
}

#[track_caller]
fn assert_read(h: &mut Harness, format: Format, bytes: &[u8], found: &Found, what: &str) {
    let found: Vec<texels::Bits> = bytemuck::pod_collect_to_vec(&h.read(&found.texture, 0));
    for (expected, found) in expected(format, bytes).iter().zip(&found) {
        let near = |a: u32, b: u32| {
            !format.is_integer()
                && (f32::from_bits(a) - f32::from_bits(b)).abs() <= f32::from_bits(a).abs() * 1e-6
        };
        let is_same =
            expected.iter().zip(found).all(|(a, b)| texels::is_same(format, *a, *b) || near(*a, *b));
        assert!(is_same, "{what}: {found:x?} of {bytes:x?} as {format:?}, not {expected:x?}");
    }
}

/// Returns each family of colour formats with the members that shaders can read.
fn families(h: &Harness) -> Vec<(Format, Vec<Format>)> {
    let is_read = |format: &Format| {
        let support = h.device.check_format_support(*format);
        // The model does not support sRGB.
        support.contains(FormatSupport::SHADER_LOAD | FormatSupport::BUFFER) && !format.is_srgb()
    };
    let is_made = |format: &Format| format.is_typeless() && h.has_format(*format, FormatSupport::TEXTURE2D);
    let typeless = Format::ALL.iter().copied().filter(is_made);
    let with_members = typeless.map(|family| {
        let members = Format::ALL.iter().copied().filter(|format| format.family() == family);
        (family, members.filter(is_read).collect::<Vec<_>>())
    });
    with_members.filter(|(_, members)| members.len() > 1).collect()
}

/// Returns bytes that encode finite numbers in every member of the family.
fn texels(random: &mut Random, format: Format) -> Vec<u8> {
    let count = SIZE.0 * SIZE.1 * format.bytes_per_block();
    (0..count).map(|_| random.below(0x70) as u8).collect()
}

/// Covers every ordered pair of formats in every family. A clear writes through one format, an update and a
/// copy write the texture, and draws in between read through the other format.
#[test]
fn every_member_of_a_family_reads_every_others_writes() {
    on_each(&gpu_matrix(), |h| {
        let (reader, mut random, mut pairs) = (Reader::new(&h.device, "texture_2d", ""), Random::new(7), 0);
        for (family, members) in families(h) {
            for (written, read) in members.iter().flat_map(|a| members.iter().map(move |b| (*a, *b))) {
                let can_write =
                    h.device.check_format_support2(written).contains(FormatSupport2::UAV_TYPED_STORE);
                let flags = BindFlags::SHADER_RESOURCE
                    | if can_write { BindFlags::UNORDERED_ACCESS } else { BindFlags::empty() };
                for how in CommandPath::ALL {
                    let Some(image) = texture(h, family, flags, 1, 1) else { continue };
                    let srv = ShaderResourceViewDesc::texture_2d(read, 0, 1);
                    let srv = h.device.create_shader_resource_view(&image, Some(&srv)).unwrap();
                    let uav = can_write.then(|| {
                        let uav = UnorderedAccessViewDesc::texture_2d(written, 0);
                        h.device.create_unordered_access_view(&image, Some(&uav)).unwrap()
                    });
                    let bytes = [(); 2].map(|()| texels(&mut random, family));
                    let values = [1, 2, 3, 1].map(|n| n + random.below(2));
                    let (found, copy) = (
                        [(); 3].map(|()| Reader::found(&h.device)),
                        texture(h, family, flags, 1, 1).unwrap(),
                    );
                    h.record(how, |cx| {
                        cx.update_subresource(&image, 0, None, &bytes[0], bytes[0].len() as u32 / SIZE.1, 0);
                        reader.bind(cx, read, &srv);
                        Reader::draw(cx, &found[0]);
                        // The next draw reads the new contents without any new binding.
                        cx.update_subresource(&image, 0, None, &bytes[1], bytes[1].len() as u32 / SIZE.1, 0);
                        cx.draw(3, 0);
                        Reader::draw(cx, &found[1]);
                        if let Some(uav) = &uav {
                            cx.clear_unordered_access_view_uint(uav, values);
                            Reader::draw(cx, &found[2]);
                        }
                        cx.copy_resource(&copy, &image);
                    });
                    let what = format!("{written:?} as {read:?}, {how:?}");
                    assert_read(h, read, &bytes[1], &found[0], &format!("{what}, both updates"));
                    assert_read(h, read, &bytes[1], &found[1], &what);
                    let left = h.read(&image, 0);
                    assert_eq!(left, h.read(&copy, 0), "{what}: the copy");
                    if uav.is_some() {
                        let texel = texels::store(written, bits_of(written, values));
                        assert_eq!(left, texel.repeat((SIZE.0 * SIZE.1) as usize), "{what}: the clear");
                        assert_read(h, read, &left, &found[2], &format!("{what}, the clear"));
                    } else {
                        assert_eq!(left, bytes[1], "{what}");
                    }
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 200, "{pairs} pairs");
    });
}

/// Returns the value that a shader must store to produce these bits.
fn bits_of(format: Format, values: [u32; 4]) -> texels::Bits {
    let mut element = [0_u8; 16];
    for (component, first, bits) in texels::channels(format) {
        let value = u128::from(values[component]) & ((1 << bits) - 1);
        let all = u128::from_le_bytes(element) | value << first;
        element = all.to_le_bytes();
    }
    texels::load(format, &element[..format.bytes_per_block() as usize])
}

/// Returns the value that a step of a random program writes, and its bytes, with the same number in all
/// components.
fn number(format: Format, n: u32) -> (texels::Bits, Vec<u8>) {
    let bits = match format.component_kind() {
        ComponentKind::Uint | ComponentKind::Sint => n,
        ComponentKind::Unorm => (n as f32 / 255.0).to_bits(),
        ComponentKind::Snorm => (n as f32 / 127.0).to_bits(),
        _ => (n as f32).to_bits(),
    };
    ([bits; 4], texels::store(format, [bits; 4]))
}

struct Writer {
    vs: VertexShader,
    ps: [PixelShader; 3],
    cs: [ComputeShader; 3],
    constants: Buffer,
}

impl Writer {
    fn new(h: &Harness) -> Self {
        let kinds = [("f32", "rgba32float"), ("u32", "rgba32uint"), ("i32", "rgba32sint")];
        let ps = kinds.map(|(kind, _)| {
            let text = format!(
                "@group(0) @binding(0) var<uniform> value: vec4u;
                @fragment fn main() -> @location(0) vec4<{kind}> {{ return bitcast<vec4<{kind}>>(value); }}"
            );
            h.device.create_pixel_shader(ShaderSource::wgsl(&text, "main")).unwrap()
        });
        let cs = kinds.map(|(kind, declared)| {
            let text = format!(
                "@group(0) @binding(0) var<uniform> value: vec4u;
                @group(3) @binding(0) var image: texture_storage_2d_array<{declared}, write>;
                @compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3u) {{
                    textureStore(image, id.xy, 0u, bitcast<vec4<{kind}>>(value));
                }}"
            );
            h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap()
        });
        let vs = "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
            return vec4f(f32(n & 1u) * 4.0 - 1.0, 1.0 - f32(n >> 1u) * 4.0, 0.0, 1.0);
        }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(vs, "main")).unwrap();
        let constants =
            h.device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        Self { vs, ps, cs, constants }
    }

    const fn kind(format: Format) -> usize {
        match format.component_kind() {
            ComponentKind::Uint => 1,
            ComponentKind::Sint => 2,
            _ => 0,
        }
    }
}

struct Program {
    device: Device,
    image: Texture2d,
    other: Texture2d,
    family: Format,
    members: Vec<Format>,
    bytes: [Vec<Vec<u8>>; 2],
    reads: Vec<(Format, Found, Vec<u8>)>,
}

const MIPS: u32 = 2;
const SLICES: u32 = 2;

impl Program {
    fn size(&self, at: u32) -> (u32, u32, u32) {
        let (width, height) = ((SIZE.0 >> (at % MIPS)).max(1), (SIZE.1 >> (at % MIPS)).max(1));
        (width, height, width * self.family.bytes_per_block())
    }

    fn supports(&self, member: Format, target: bool) -> bool {
        match target {
            true => self.device.check_format_support(member).contains(FormatSupport::RENDER_TARGET),
            false => self.device.check_format_support2(member).contains(FormatSupport2::UAV_TYPED_STORE),
        }
    }

    fn fill(&mut self, at: u32, (width, height): (u32, u32), texel: &[u8]) {
        let (_, _, pitch) = self.size(at);
        for row in self.bytes[0][at as usize].chunks_mut(pitch as usize).take(height as usize) {
            for place in row.chunks_mut(texel.len()).take(width as usize) {
                place.copy_from_slice(texel);
            }
        }
    }

    fn step(&mut self, cx: &mut DeviceContext, random: &mut Random, reader: &Reader, writer: &Writer) {
        let at = random.below(MIPS * SLICES);
        let (mip, slice) = (at % MIPS, at / MIPS);
        let (width, height, pitch) = self.size(at);
        let member = *random.pick(&self.members);
        let (value, texel) = number(member, 1 + random.below(100));
        let device = self.device.clone();
        match random.below(8) {
            0 | 1 if self.supports(member, true) => {
                let desc = RenderTargetViewDesc::texture_2d_array(member, mip, slice, 1);
                let view = device.create_render_target_view(&self.image, Some(&desc)).unwrap();
                if random.one_in(2) {
                    let color = value.map(|n| if member.is_integer() { n as f32 } else { f32::from_bits(n) });
                    cx.clear_render_target_view(&view, color);
                    self.fill(at, (width, height), &texel);
                } else {
                    cx.update_subresource(&writer.constants, 0, None, &value, 0, 0);
                    cx.vs_set_shader(&writer.vs);
                    cx.ps_set_shader(&writer.ps[Writer::kind(member)]);
                    cx.ps_set_constant_buffers(0, &writer.constants);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.rs_set_viewports([Viewport::sized(1.0, height as f32)]);
                    cx.om_set_render_targets([&view], None);
                    cx.draw(3, 0);
                    self.fill(at, (1, height), &texel);
                }
            }
            2 | 3 if self.supports(member, false) => {
                let desc = UnorderedAccessViewDesc::texture_2d_array(member, mip, slice, 1);
                let view = device.create_unordered_access_view(&self.image, Some(&desc)).unwrap();
                if random.one_in(2) {
                    let values = [random.below(100); 4];
                    cx.clear_unordered_access_view_uint(&view, values);
                    self.fill(at, (width, height), &texels::store(member, bits_of(member, values)));
                } else {
                    cx.update_subresource(&writer.constants, 0, None, &value, 0, 0);
                    cx.cs_set_shader(&writer.cs[Writer::kind(member)]);
                    cx.cs_set_constant_buffers(0, &writer.constants);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(1, 1, 1);
                    cx.cs_set_unordered_access_views(0, None);
                    self.fill(at, (2, 1), &texel);
                }
            }
            4 => {
                let (_, texel) = number(member, random.below(100));
                cx.update_subresource(&self.image, at, Some(Box3d::rect(0, 0, 1, 1)), &texel, pitch, 0);
                self.fill(at, (1, 1), &texel);
            }
            5 => {
                let from = slice + 10 * random.below(2);
                let (to_other, from) = (from > 9, (1 - slice) * MIPS + mip);
                let (a, b) = (usize::from(to_other), usize::from(!to_other));
                let textures = [&self.image, &self.other];
                cx.copy_subresource_region(textures[a], at, [0; 3], textures[b], from, None);
                self.bytes[a][at as usize] = self.bytes[b][from as usize].clone();
            }
            _ => {
                let (found, view) = (Reader::found(&self.device), {
                    let dimension = ShaderResourceViewDimension::Texture2dArray {
                        most_detailed_mip: mip,
                        mip_levels: 1,
                        first_array_slice: slice,
                        array_size: 1,
                    };
                    let desc = ShaderResourceViewDesc {
                        format: member,
                        dimension: Some(dimension),
                        ..Default::default()
                    };
                    device.create_shader_resource_view(&self.image, Some(&desc)).unwrap()
                });
                // A resource cannot be read while it is bound as an output, so another target replaces it.
                cx.om_set_render_targets([&found.target], None);
                reader.bind(cx, member, &view);
                Reader::draw(cx, &found);
                self.reads.push((member, found, self.bytes[0][at as usize].clone()));
            }
        }
    }
}

/// Random programs of clears, draws, dispatches, updates and copies that use views of all formats on several
/// subresources.
#[test]
fn members_agree_in_random_programs() {
    on_each(&gpu_matrix(), |h| {
        h.watch.allow(&[MessageId::SetRenderTargetsHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let (reader, writer) = (Reader::new(&h.device, "texture_2d_array", ", 0"), Writer::new(h));
        let (mut random, mut reads, all) = (Random::new(11), 0, families(h));
        for round in 0..24 {
            let (family, mut members) = random.pick(&all).clone();
            let stores =
                |m: &Format| h.device.check_format_support2(*m).contains(FormatSupport2::UAV_TYPED_STORE);
            let can_store = members.iter().all(stores);
            let mut flags = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET;
            flags.set(BindFlags::UNORDERED_ACCESS, can_store);
            if !can_store {
                members.retain(|m| h.has_format(*m, FormatSupport::RENDER_TARGET));
            }
            let textures = [(); 2].map(|()| texture(h, family, flags, MIPS, SLICES));
            let [Some(image), Some(other)] = textures else { continue };
            let mut program = Program {
                device: h.device.clone(),
                image,
                other,
                family,
                members,
                bytes: [Vec::new(), Vec::new()],
                reads: Vec::new(),
            };
            let empty = |at: u32| vec![0; (program.size(at).1 * program.size(at).2) as usize];
            program.bytes = [(); 2].map(|()| (0..MIPS * SLICES).map(empty).collect());
            // All lists and direct commands continue with the same textures.
            for how in
                [CommandPath::Immediate, CommandPath::Deferred, CommandPath::Nested, CommandPath::Immediate]
            {
                h.record(how, |cx| {
                    (0..15).for_each(|_| program.step(cx, &mut random, &reader, &writer));
                });
                if random.one_in(2) {
                    h.immediate.flush();
                }
            }
            let what = format!("{family:?}, round {round}");
            for (n, (format, found, bytes)) in program.reads.iter().enumerate() {
                assert_read(h, *format, bytes, found, &format!("{what}, read {n}"));
                reads += 1;
            }
            for (texture, bytes) in [&program.image, &program.other].into_iter().zip(&program.bytes) {
                for (at, bytes) in (0..).zip(bytes) {
                    assert_eq!(&h.read(texture, at), bytes, "{what}, subresource {at}");
                }
            }
        }
        assert!(reads > 100, "{reads} reads");
    });
}

/// The view stays bound, and nothing is bound again between the dispatches.
#[test]
fn a_bound_view_sees_writes_through_views_of_other_formats() {
    on_each(&gpu_matrix(), |h| {
        let cs = "@group(1) @binding(0) var t: texture_2d<u32>;
            @group(3) @binding(0) var<storage, read_write> found: array<u32>;
            @compute @workgroup_size(1) fn main() {
                found[0] = found[0] * 256u + textureLoad(t, vec2u(0u), 0).x;
            }";
        let cs = h.device.create_compute_shader(ShaderSource::wgsl(cs, "main")).unwrap();
        for how in CommandPath::ALL {
            let flags = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET;
            let image = texture(h, Format::R8G8B8A8_TYPELESS, flags, 1, 1).unwrap();
            let desc = RenderTargetViewDesc::texture_2d(Format::R8G8B8A8_UNORM, 0);
            let target = h.device.create_render_target_view(&image, &desc).unwrap();
            let desc = ShaderResourceViewDesc::texture_2d(Format::R8G8B8A8_UINT, 0, 1);
            let read = h.device.create_shader_resource_view(&image, &desc).unwrap();
            let desc = BufferDesc::structured(4, 1, BindFlags::UNORDERED_ACCESS);
            let found = h.device.create_buffer(&desc, None).unwrap();
            let view = h.device.create_unordered_access_view(&found, None).unwrap();
            let texel = Box3d { left: 0, top: 0, front: 0, right: 1, bottom: 1, back: 1 };
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &read);
                cx.cs_set_unordered_access_views(0, &view);
                cx.clear_render_target_view(&target, [1.0 / 255.0; 4]);
                cx.dispatch(1, 1, 1);
                cx.clear_render_target_view(&target, [2.0 / 255.0; 4]);
                cx.dispatch(1, 1, 1);
                cx.update_subresource(&image, 0, Some(texel), &[3_u8; 4], 4, 0);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(h.immediate.read_buffer::<u32>(&found).unwrap(), [0x1_02_03], "{how:?}");
        }
    });
}
