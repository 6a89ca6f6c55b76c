//! Mismatches between shader declarations and bound views, where every declaration is combined with every
//! type of view in each stage.

use onze::prelude::*;
use onze_tests::{Config, Harness, on_each};

const BOTH: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

/// The resource that is bound through a view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Seen {
    Structured(u32),
    Raw,
    Typed(Format),
    Texture(Format),
    Array(Format),
    Cube(Format),
    Depth,
    Nothing,
}

/// A shader declaration in WGSL.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Declared {
    /// Elements of a buffer: the WGSL element type and its size in bytes.
    Elements(&'static str, u32),
    /// Any other resource: its WGSL type and the corresponding type in Direct3D 11.
    Image(&'static str, ImageKind),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ImageKind {
    /// A typed buffer, with the letter of its component type.
    Typed(char),
    Texture(char),
    Array(char),
    Cube(char),
    Depth,
    AtomicTyped(char),
    AtomicTexture(char),
}

/// Returns the letter of a format's component type: `f`, `u` or `i`.
fn letter(format: Format) -> char {
    let name = format!("{format:?}");
    if name.ends_with("UINT") {
        'u'
    } else if name.ends_with("SINT") {
        'i'
    } else {
        'f'
    }
}

fn agree(declared: Declared, seen: Seen) -> bool {
    let is_r32 = |format| matches!(format, Format::R32_UINT | Format::R32_SINT);
    match (declared, seen) {
        (Declared::Elements(_, size), Seen::Structured(stride)) => size == stride,
        (Declared::Elements(_, size), Seen::Raw) => size == 4,
        (Declared::Elements("atomic<i32>", _), Seen::Typed(format)) => format == Format::R32_SINT,
        (Declared::Elements("atomic<u32>", _), Seen::Typed(format)) => format == Format::R32_UINT,
        (Declared::Image(_, ImageKind::Typed(kind)), Seen::Typed(format))
        | (Declared::Image(_, ImageKind::Texture(kind)), Seen::Texture(format))
        | (Declared::Image(_, ImageKind::Array(kind)), Seen::Array(format))
        | (Declared::Image(_, ImageKind::Cube(kind)), Seen::Cube(format)) => kind == letter(format),
        (Declared::Image(_, ImageKind::AtomicTyped(kind)), Seen::Typed(format))
        | (Declared::Image(_, ImageKind::AtomicTexture(kind)), Seen::Texture(format)) => {
            kind == letter(format) && is_r32(format)
        }
        (Declared::Image(_, ImageKind::Texture('f') | ImageKind::Depth), Seen::Depth) => true,
        _ => false,
    }
}

/// Returns a description of the view that its messages must contain.
fn words_of(seen: Seen) -> String {
    match seen {
        Seen::Structured(stride) => format!("a buffer of elements of {stride} bytes"),
        Seen::Raw => "a raw buffer, of words of 4 bytes".to_owned(),
        Seen::Typed(format) => format!("a typed buffer of {format:?}"),
        Seen::Texture(format) => format!("a Texture2d of {format:?}"),
        Seen::Array(format) => format!("a Texture2dArray of {format:?}"),
        Seen::Cube(format) => format!("a TextureCube of {format:?}"),
        Seen::Depth => "a Texture2d of R32_FLOAT".to_owned(),
        Seen::Nothing => "is empty".to_owned(),
    }
}

/// Returns the name that the message must contain: the label of the resource, or `shader` if no view is
/// bound.
fn name_of(seen: Seen) -> String {
    if seen == Seen::Nothing { "shader".to_owned() } else { "\"seen\"".to_owned() }
}

/// Returns whether the shader accesses a buffer's bytes, even if its structures have another size.
fn is_bytes(declared: Declared, seen: Seen) -> bool {
    matches!((declared, seen), (Declared::Elements(..), Seen::Structured(_) | Seen::Raw))
}

/// Returns whether the shader accesses the bits of components that have another type.
fn is_bits(declared: Declared, seen: Seen) -> bool {
    let is_word = |format| matches!(format, Format::R32_UINT | Format::R32_SINT);
    let has_shape = match (declared, seen) {
        (Declared::Image(_, ImageKind::Typed(_)), Seen::Typed(_))
        | (Declared::Image(_, ImageKind::Texture(_)), Seen::Texture(_))
        | (Declared::Image(_, ImageKind::Array(_)), Seen::Array(_)) => true,
        (Declared::Image(_, ImageKind::AtomicTyped(_)), Seen::Typed(format)) => is_word(format),
        (Declared::Elements("atomic<i32>" | "atomic<u32>", _), Seen::Typed(format)) => is_word(format),
        _ => false,
    };
    has_shape && !agree(declared, seen)
}

fn is_used(declared: Declared, seen: Seen) -> bool {
    agree(declared, seen) || is_bytes(declared, seen) || is_bits(declared, seen)
}

/// A resource that is filled with bytes of value 1, with 4 by 4 texels if it is a texture.
enum Made {
    Buffer(Buffer),
    Texture(Texture2d),
}

impl Made {
    fn read(&self, h: &mut Harness) -> Vec<u8> {
        match self {
            Self::Buffer(buffer) => h.immediate.read_buffer(buffer).unwrap(),
            Self::Texture(texture) => h.read(texture, 0),
        }
    }
}

fn make(h: &Harness, seen: Seen, bind_flags: BindFlags) -> Option<Made> {
    let buffer = |desc: BufferDesc| {
        let ones = vec![1_u8; desc.byte_width as usize];
        Some(Made::Buffer(h.device.create_buffer(&desc.label("seen"), Some(&ones)).unwrap()))
    };
    let texture = |format, array_size, misc_flags| {
        let bind_flags = if seen == Seen::Depth { BindFlags::SHADER_RESOURCE } else { bind_flags };
        let depth = if seen == Seen::Depth { BindFlags::DEPTH_STENCIL } else { BindFlags::empty() };
        let desc = Texture2dDesc {
            mip_levels: 1,
            array_size,
            misc_flags,
            bind_flags: bind_flags | depth,
            ..Texture2dDesc::new(format, 4, 4)
        };
        let bytes = vec![1; 4 * format.row_pitch(4) as usize];
        let data = SubresourceData { bytes: &bytes, row_pitch: format.row_pitch(4), depth_pitch: 0 };
        let data = vec![data; array_size as usize];
        // Depth textures are created without contents, because they are cleared instead.
        let data = (seen != Seen::Depth).then_some(&data[..]);
        Some(Made::Texture(h.device.create_texture_2d(&desc.label("seen"), data).unwrap()))
    };
    match seen {
        Seen::Structured(stride) => buffer(BufferDesc::structured(stride, 16, bind_flags)),
        Seen::Raw => buffer(BufferDesc::raw(64, bind_flags)),
        Seen::Typed(_) => buffer(BufferDesc::new(64, bind_flags)),
        Seen::Texture(format) => texture(format, 1, MiscFlags::empty()),
        Seen::Array(format) => texture(format, 2, MiscFlags::empty()),
        Seen::Cube(format) => texture(format, 6, MiscFlags::TEXTURECUBE),
        Seen::Depth => texture(Format::R32_TYPELESS, 1, MiscFlags::empty()),
        Seen::Nothing => None,
    }
}

fn read_view(h: &mut Harness, seen: Seen) -> Option<ShaderResourceView> {
    let made = make(h, seen, BindFlags::SHADER_RESOURCE)?;
    if let (Seen::Depth, Made::Texture(texture)) = (seen, &made) {
        let desc = DepthStencilViewDesc { format: Format::D32_FLOAT, ..DepthStencilViewDesc::default() };
        let target = h.device.create_depth_stencil_view(texture, Some(&desc)).unwrap();
        h.immediate.clear_depth_stencil_view(&target, ClearFlags::DEPTH, 1.0, 0);
    }
    let desc = match seen {
        Seen::Raw => Some(ShaderResourceViewDesc::raw_buffer(0, 16)),
        Seen::Typed(format) => Some(ShaderResourceViewDesc::typed_buffer(format, 0, u32::MAX)),
        Seen::Depth => Some(ShaderResourceViewDesc::format(Format::R32_FLOAT)),
        _ => None,
    };
    Some(match &made {
        Made::Buffer(buffer) => h.device.create_shader_resource_view(buffer, desc.as_ref()).unwrap(),
        Made::Texture(texture) => h.device.create_shader_resource_view(texture, desc.as_ref()).unwrap(),
    })
}

fn written_view(h: &Harness, seen: Seen) -> Option<(Made, UnorderedAccessView)> {
    let made = make(h, seen, BOTH)?;
    let desc = match seen {
        Seen::Raw => Some(UnorderedAccessViewDesc::raw_buffer(0, 16)),
        Seen::Typed(format) => Some(UnorderedAccessViewDesc::typed_buffer(format, 0, u32::MAX)),
        _ => None,
    };
    let view = match &made {
        Made::Buffer(buffer) => h.device.create_unordered_access_view(buffer, desc.as_ref()).unwrap(),
        Made::Texture(texture) => h.device.create_unordered_access_view(texture, desc.as_ref()).unwrap(),
    };
    Some((made, view))
}

/// Runs a shader in one stage with the view that `bind` binds, and returns the debug layer's messages.
struct Runner {
    target: RenderTargetView,
}

const VERTICES: &str = "@vertex fn vertices() -> @builtin(position) vec4f { return vec4f(); }
    @fragment fn pixels() -> @location(0) vec4f { return vec4f(); }";

impl Runner {
    fn new(h: &Harness) -> Self {
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let target = h.device.create_texture_2d(&desc, None).unwrap();
        Self { target: target.create_render_target_view().unwrap() }
    }

    fn run(
        &self,
        h: &mut Harness,
        stage: &str,
        (declaration, body): (&str, &str),
        bind: impl FnOnce(&mut DeviceContext, &RenderTargetView),
    ) -> Vec<(MessageId, String)> {
        let (declaration, body) = (declaration.to_owned(), body.to_owned());
        let d = &h.device;
        let text = match stage {
            "compute" => format!("{declaration} @compute @workgroup_size(1) fn main() {{ {body} }}"),
            "pixel" => {
                format!(
                    "{declaration} @fragment fn main() -> @location(0) vec4f {{ {body} return vec4f(); }}"
                )
            }
            _ => format!(
                "{declaration} @vertex fn main() -> @builtin(position) vec4f {{ {body} return vec4f(); }}"
            ),
        };
        let source = ShaderSource::wgsl(&text, "main");
        let shown = |entry_point| ShaderSource::wgsl(VERTICES, entry_point);
        h.immediate.clear_state();
        let cx = &mut h.immediate;
        if stage == "compute" {
            cx.cs_set_shader(&d.create_compute_shader(source).unwrap());
        } else {
            let is_pixel = stage == "pixel";
            let (vertex, pixel) =
                if is_pixel { (shown("vertices"), source) } else { (source, shown("pixels")) };
            cx.vs_set_shader(&d.create_vertex_shader(vertex).unwrap());
            cx.ps_set_shader(&d.create_pixel_shader(pixel).unwrap());
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
            cx.om_set_render_targets(&self.target, None);
        }
        bind(cx, &self.target);
        if stage == "compute" {
            cx.dispatch(1, 1, 1);
        } else {
            cx.draw(3, 0);
        }
        h.wait();
        h.immediate.clear_state();
        let said = h.device.info_queue().take().into_iter();
        said.map(|message| (message.id, message.to_string())).collect()
    }
}

/// Asserts that exactly the expected mistake was reported, and that its text names the view, the slot and a
/// fix.
fn judge(row: &str, said: &[(MessageId, String)], expected: Option<(MessageId, Vec<String>)>) {
    match (said, expected) {
        ([], None) => {}
        ([(id, text)], Some((expected, words))) => {
            assert_eq!(*id, expected, "{row}: {text}");
            let missing: Vec<_> = words.iter().filter(|word| !text.contains(*word)).collect();
            assert!(missing.is_empty(), "{row}: {missing:?} is missing in: {text}");
            // Each message separates the fix with a semicolon.
            assert!(text.contains("; "), "{row}: no fix in: {text}");
        }
        (said, expected) => panic!("{row}: {said:#?} instead of {expected:?}"),
    }
}

#[test]
fn a_mismatched_read_view_is_reported_in_each_stage() {
    use Format as F;
    let views = [
        Seen::Structured(4),
        Seen::Structured(8),
        Seen::Structured(12),
        Seen::Structured(16),
        Seen::Raw,
        Seen::Typed(F::R32_UINT),
        Seen::Typed(F::R16_SINT),
        Seen::Typed(F::R32_FLOAT),
        Seen::Typed(F::R8G8B8A8_UNORM),
        Seen::Texture(F::R8G8B8A8_UNORM),
        Seen::Texture(F::R32_UINT),
        Seen::Texture(F::R8_SINT),
        Seen::Array(F::R8G8B8A8_UNORM),
        Seen::Array(F::R32_UINT),
        Seen::Cube(F::R8G8B8A8_UNORM),
        Seen::Depth,
        Seen::Nothing,
    ];
    let declarations = [
        (Declared::Elements("u32", 4), "input[0] != 0u"),
        (Declared::Elements("vec2f", 8), "any(input[0] != vec2f())"),
        (Declared::Elements("vec4i", 16), "any(input[0] != vec4i())"),
        (
            Declared::Image("texture_1d<f32>", ImageKind::Typed('f')),
            "any(textureLoad(input, 0, 0) != vec4f())",
        ),
        (
            Declared::Image("texture_1d<u32>", ImageKind::Typed('u')),
            "any(textureLoad(input, 0, 0) != vec4u())",
        ),
        (
            Declared::Image("texture_1d<i32>", ImageKind::Typed('i')),
            "any(textureLoad(input, 0, 0) != vec4i())",
        ),
        (
            Declared::Image("texture_2d<f32>", ImageKind::Texture('f')),
            "any(textureLoad(input, vec2u(), 0) != vec4f())",
        ),
        (
            Declared::Image("texture_2d<u32>", ImageKind::Texture('u')),
            "any(textureLoad(input, vec2u(), 0) != vec4u())",
        ),
        (
            Declared::Image("texture_2d<i32>", ImageKind::Texture('i')),
            "any(textureLoad(input, vec2u(), 0) != vec4i())",
        ),
        (
            Declared::Image("texture_2d_array<u32>", ImageKind::Array('u')),
            "any(textureLoad(input, vec2u(), 0, 0) != vec4u())",
        ),
        (Declared::Image("texture_cube<f32>", ImageKind::Cube('f')), "textureNumLevels(input) != 0u"),
        (Declared::Image("texture_depth_2d", ImageKind::Depth), "textureLoad(input, vec2u(), 0) != 0.0"),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceMismatch, MessageId::DrawShaderResourceNotSet]);
        let runner = Runner::new(h);
        let bound: Vec<_> = views.iter().map(|seen| (*seen, read_view(h, *seen))).collect();
        let found = h.device.create_buffer(&BufferDesc::structured(4, 1, BOTH), None).unwrap();
        let found_view = found.create_unordered_access_view().unwrap();
        for (declared, is_set) in declarations {
            let declaration = match declared {
                Declared::Elements(element, _) => {
                    format!("@group(1) @binding(3) var<storage> input: array<{element}>;")
                }
                Declared::Image(image, _) => format!("@group(1) @binding(3) var input: {image};"),
            };
            let shown = format!("{declaration} @group(3) @binding(0) var<storage, read_write> found: u32;");
            let (show, look) = (format!("found = u32({is_set});"), format!("let x = {is_set};"));
            for stage in ["compute", "pixel", "vertex"] {
                for (seen, view) in &bound {
                    let text: (&str, &str) =
                        if stage == "compute" { (&shown, &show) } else { (&declaration, &look) };
                    let said = runner.run(h, stage, text, |cx, _| match stage {
                        "compute" => {
                            cx.cs_set_unordered_access_views(0, &found_view);
                            cx.cs_set_shader_resources(3, view.as_ref());
                        }
                        "pixel" => cx.ps_set_shader_resources(3, view.as_ref()),
                        _ => cx.vs_set_shader_resources(3, view.as_ref()),
                    });
                    let id = match seen {
                        Seen::Nothing => MessageId::DrawShaderResourceNotSet,
                        _ => MessageId::DrawShaderResourceMismatch,
                    };
                    let place = format!("slot t3 of the {stage} stage");
                    let mut words = vec![words_of(*seen), place, "`input`".to_owned(), name_of(*seen)];
                    if *seen != Seen::Nothing {
                        let effect = if is_bits(declared, *seen) {
                            "the bits of its components as they are"
                        } else if is_used(declared, *seen) {
                            "its bytes as they are"
                        } else {
                            "as zero"
                        };
                        words.push(format!("which reads {effect}"));
                    }
                    let expected = (!agree(declared, *seen)).then_some((id, words));
                    let row = format!("{stage}: {declared:?}, {seen:?}");
                    judge(&row, &said, expected);
                    if stage == "compute" && h.draws() {
                        let found = h.immediate.read_buffer::<u32>(&found).unwrap();
                        assert_eq!(found, [u32::from(is_used(declared, *seen))], "{row}: the value read");
                    }
                }
            }
        }
    });
}

#[test]
fn a_mismatched_written_view_is_reported_in_both_stages() {
    use Format as F;
    let views = [
        Seen::Structured(4),
        Seen::Structured(8),
        Seen::Structured(16),
        Seen::Raw,
        Seen::Typed(F::R32_UINT),
        Seen::Typed(F::R32_SINT),
        Seen::Typed(F::R32_FLOAT),
        Seen::Typed(F::R16_UINT),
        Seen::Typed(F::R8G8B8A8_UNORM),
        Seen::Texture(F::R32_UINT),
        Seen::Texture(F::R32_SINT),
        Seen::Texture(F::R32_FLOAT),
        Seen::Texture(F::R8G8B8A8_UINT),
        Seen::Texture(F::R8G8B8A8_UNORM),
        Seen::Array(F::R32_UINT),
        Seen::Nothing,
    ];
    let declarations = [
        (Declared::Elements("u32", 4), "output[0] += 1u;"),
        (Declared::Elements("atomic<i32>", 4), "atomicAdd(&output[0], 1);"),
        (Declared::Elements("atomic<u32>", 4), "atomicAdd(&output[0], 1u);"),
        (Declared::Elements("vec2f", 8), "output[0] += vec2f(1.0);"),
        (
            Declared::Image("texture_storage_1d<r32uint, read_write>", ImageKind::Typed('u')),
            "textureStore(output, 0u, textureLoad(output, 0u) + vec4u(1));",
        ),
        (
            Declared::Image("texture_storage_1d<r32sint, read_write>", ImageKind::Typed('i')),
            "textureStore(output, 0u, textureLoad(output, 0u) + vec4i(1));",
        ),
        (
            Declared::Image("texture_storage_1d<r32float, read_write>", ImageKind::Typed('f')),
            "textureStore(output, 0u, textureLoad(output, 0u) + vec4f(1));",
        ),
        (
            Declared::Image("texture_storage_1d<r32uint, atomic>", ImageKind::AtomicTyped('u')),
            "textureAtomicAdd(output, 0u, 1u);",
        ),
        (
            Declared::Image("texture_storage_2d<rgba8unorm, write>", ImageKind::Texture('f')),
            "textureStore(output, vec2u(), vec4f(STEP));",
        ),
        (
            Declared::Image("texture_storage_2d<r32uint, read_write>", ImageKind::Texture('u')),
            "textureStore(output, vec2u(), textureLoad(output, vec2u()) + vec4u(1));",
        ),
        (
            Declared::Image("texture_storage_2d<r32sint, read_write>", ImageKind::Texture('i')),
            "textureStore(output, vec2u(), textureLoad(output, vec2u()) + vec4i(1));",
        ),
        (
            Declared::Image("texture_storage_2d_array<r32uint, read_write>", ImageKind::Array('u')),
            "textureStore(output, vec2u(), 0, textureLoad(output, vec2u(), 0) + vec4u(1));",
        ),
        (
            Declared::Image("texture_storage_2d<r32sint, atomic>", ImageKind::AtomicTexture('i')),
            "textureAtomicAdd(output, vec2u(), 1);",
        ),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch
            .expect(&[MessageId::DispatchUnorderedAccessMismatch, MessageId::DispatchUnorderedAccessNotSet]);
        let runner = Runner::new(h);
        let mut step = 0;
        for (declared, body) in declarations {
            // Each declaration gets new resources, because an addition might not change the reinterpreted
            // bits of an old result.
            let bound: Vec<_> = views.iter().map(|seen| (*seen, written_view(h, *seen))).collect();
            let declaration = match declared {
                Declared::Elements(element, _) => {
                    format!("@group(3) @binding(2) var<storage, read_write> output: array<{element}>;")
                }
                Declared::Image(image, _) => format!("@group(3) @binding(2) var output: {image};"),
            };
            for stage in ["compute", "pixel"] {
                for (seen, bound) in &bound {
                    let before = bound.as_ref().map(|(made, _)| made.read(h));
                    let view = bound.as_ref().map(|(_, view)| view);
                    // Each step adds a different number.
                    step += 1;
                    let body = body.replace("STEP", &format!("{:?}", f64::from(step % 100) / 100.0));
                    let said = runner.run(h, stage, (&declaration, &body), |cx, target| match stage {
                        "compute" => cx.cs_set_unordered_access_views(2, view),
                        _ => {
                            cx.om_set_render_targets_and_unordered_access_views(target, None, 2, view, &[]);
                        }
                    });
                    let id = match seen {
                        Seen::Nothing => MessageId::DispatchUnorderedAccessNotSet,
                        _ => MessageId::DispatchUnorderedAccessMismatch,
                    };
                    let place = format!("slot u2 of the {stage} stage");
                    let words = vec![words_of(*seen), place, "`output`".to_owned(), name_of(*seen)];
                    let expected = (!agree(declared, *seen)).then_some((id, words));
                    let row = format!("{stage}: {declared:?}, {seen:?}");
                    judge(&row, &said, expected);
                    let after = bound.as_ref().map(|(made, _)| made.read(h));
                    // In the pixel stage, all vertices are at one point, so no pixel is drawn and nothing is
                    // written.
                    let is_written = stage == "compute" && h.draws() && is_used(declared, *seen);
                    // A store of reinterpreted bits may leave the bytes unchanged, so the result is not
                    // compared.
                    if !is_written || !is_bits(declared, *seen) {
                        assert_eq!(before != after, is_written, "{row}: whether the resource was written");
                    }
                }
            }
        }
    });
}
