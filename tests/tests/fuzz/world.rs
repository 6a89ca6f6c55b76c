//! What a random program has made so far, and how it makes more: with plausible and with odd arguments.

use onze::*;
use onze_tests::Random;

use crate::{compute::Compute, indirect::Indirect, shaders};

/// Objects of one kind that are kept; a further one replaces one of them.
const MOST: usize = 24;

/// A pool of objects of each kind.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) device: Device,
    /// Another device, whose objects get mixed in.
    pub(crate) foreign: Option<Device>,
    /// Only calls whose results Direct3D 11 defines: what is drawn can be compared.
    pub(crate) defined: bool,
    /// Only calls that do the same on a deferred context: no maps of staging resources.
    pub(crate) deferrable: bool,
    pub(crate) trace: bool,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) textures: Vec<Texture2d>,
    /// How many of the first of them nothing is odd about.
    pub(crate) plain_textures: usize,
    pub(crate) resources: Vec<ShaderResourceView>,
    pub(crate) targets: Vec<RenderTargetView>,
    /// Views of one texture each, in different formats.
    pub(crate) twins: Vec<[RenderTargetView; 2]>,
    pub(crate) depths: Vec<DepthStencilView>,
    pub(crate) samplers: Vec<SamplerState>,
    pub(crate) blends: Vec<BlendState>,
    pub(crate) depth_states: Vec<DepthStencilState>,
    pub(crate) rasterizers: Vec<RasterizerState>,
    /// One that culls nothing.
    pub(crate) uncut: Option<RasterizerState>,
    pub(crate) vertex: Vec<VertexShader>,
    pub(crate) pixel: Vec<PixelShader>,
    pub(crate) layouts: Vec<InputLayout>,
    /// Vertex shaders with layouts that feed them.
    pub(crate) fed: Vec<(VertexShader, Option<InputLayout>)>,
    pub(crate) compute: Compute,
    pub(crate) queries: Vec<Query>,
    pub(crate) lists: Vec<CommandList>,
    pub(crate) indirect: Indirect,
}

/// One of the items, if there are any.
pub(crate) fn any<'a, T>(r: &mut Random, items: &'a [T]) -> Option<&'a T> {
    (!items.is_empty()).then(|| r.pick(items))
}

/// One of the items, or sometimes none.
pub(crate) fn maybe<'a, T>(r: &mut Random, items: &'a [T]) -> Option<&'a T> {
    if r.one_in(5) { None } else { any(r, items) }
}

/// Buffers that can be bound as told, as a rule.
pub(crate) fn bindable(r: &mut Random, buffers: &[Buffer], bind: BindFlags) -> Vec<Buffer> {
    let all = r.one_in(20);
    buffers.iter().filter(|buffer| all || buffer.desc().bind_flags.contains(bind)).cloned().collect()
}

pub(crate) fn keep<T>(r: &mut Random, pool: &mut Vec<T>, item: Option<T>) {
    let Some(item) = item else { return };
    if pool.len() < MOST {
        pool.push(item);
    } else {
        let at = r.below(pool.len() as u32) as usize;
        pool[at] = item;
    }
}

fn lose<T>(r: &mut Random, pool: &mut Vec<T>) {
    if !pool.is_empty() {
        pool.swap_remove(r.below(pool.len() as u32) as usize);
    }
}

/// A small number, now and then one that nobody expects.
pub(crate) fn odd(r: &mut Random, most: u32) -> u32 {
    if r.one_in(12) {
        *r.pick(&[
            0,
            1,
            3,
            255,
            2048,
            2049,
            4096,
            65535,
            65536,
            1 << 31,
            u32::MAX - 15,
            u32::MAX - 1,
            u32::MAX,
        ])
    } else {
        r.below(most + 1)
    }
}

/// A number, now and then one that nobody expects.
pub(crate) fn number(r: &mut Random) -> f32 {
    if r.one_in(10) {
        *r.pick(&[
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN,
            -0.0,
            1e9,
            -1e9,
            f32::MIN_POSITIVE,
        ])
    } else {
        r.below(400) as f32 / 100.0 - 1.0
    }
}

/// Formats of which most textures are.
const USUAL: &[Format] = &[
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_TYPELESS,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::B8G8R8A8_UNORM,
    Format::R8G8B8A8_UINT,
    Format::R8G8B8A8_SINT,
    Format::R32_FLOAT,
    Format::R32_UINT,
    Format::R16G16B16A16_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::R10G10B10A2_UNORM,
    Format::R11G11B10_FLOAT,
    Format::R8_UNORM,
    Format::BC1_UNORM,
    Format::BC3_TYPELESS,
];

const DEPTHS: &[Format] = &[
    Format::D32_FLOAT,
    Format::R32_TYPELESS,
    Format::D24_UNORM_S8_UINT,
    Format::R24G8_TYPELESS,
    Format::D16_UNORM,
    Format::R16_TYPELESS,
    Format::D32_FLOAT_S8X24_UINT,
    Format::R32G8X24_TYPELESS,
];

fn format(r: &mut Random) -> Format {
    if r.one_in(5) { *r.pick(Format::ALL) } else { *r.pick(USUAL) }
}

fn flags(r: &mut Random, bits: u32) -> u32 {
    if r.one_in(200) { r.bits() as u32 } else { bits }
}

fn usage(r: &mut Random) -> (Usage, CpuAccessFlags) {
    let (read, write) = (CpuAccessFlags::READ, CpuAccessFlags::WRITE);
    match r.below(8) {
        0 => (Usage::Immutable, CpuAccessFlags::empty()),
        1 | 2 => (Usage::Dynamic, write),
        3 => (Usage::Staging, *r.pick(&[read, write, read | write])),
        _ => (Usage::Default, CpuAccessFlags::empty()),
    }
}

/// Any query, now and then one that does not exist.
fn query_desc(r: &mut Random) -> QueryDesc {
    let kinds = if r.one_in(8) { 16 } else { 6 };
    let query = QueryType::ALL[r.below(kinds) as usize];
    let is_hint = r.one_in(if query.is_predicate() { 3 } else { 20 });
    let misc_flags = if is_hint { QueryMiscFlags::PREDICATEHINT } else { QueryMiscFlags::empty() };
    QueryDesc { query, misc_flags }
}

impl World {
    /// Nothing yet.
    pub(crate) fn new(device: &Device, foreign: Option<Device>, defined: bool, trace: bool) -> Self {
        Self {
            device: device.clone(),
            foreign,
            defined,
            deferrable: false,
            trace,
            buffers: Vec::new(),
            textures: Vec::new(),
            plain_textures: 0,
            resources: Vec::new(),
            targets: Vec::new(),
            twins: Vec::new(),
            depths: Vec::new(),
            samplers: Vec::new(),
            blends: Vec::new(),
            depth_states: Vec::new(),
            rasterizers: Vec::new(),
            uncut: None,
            vertex: Vec::new(),
            pixel: Vec::new(),
            layouts: Vec::new(),
            fed: Vec::new(),
            compute: Compute::default(),
            queries: Vec::new(),
            lists: Vec::new(),
            indirect: Indirect::default(),
        }
    }

    /// Prints what is going to be done, where that was asked for.
    pub(crate) fn say(&self, what: std::fmt::Arguments<'_>) {
        if self.trace {
            eprintln!("{what}");
        }
    }

    pub(crate) fn maker(&self, r: &mut Random) -> Device {
        match &self.foreign {
            Some(foreign) if r.one_in(40) => foreign.clone(),
            _ => self.device.clone(),
        }
    }

    /// Makes some of everything.
    pub(crate) fn populate(&mut self, r: &mut Random) {
        self.indirect = Indirect::new(&self.device, r);
        self.populate_plainly(r);
        self.populate_samples(r);
        self.populate_compute(r);
        self.plain_textures = self.textures.len();
        for _ in 0..12 {
            self.create_buffer(r);
            self.create_texture(r);
            self.create_view(r);
        }
        for _ in 0..8 {
            self.create_state(r);
            self.create_vertex_shader(r);
            self.create_pixel_shader(r);
        }
        for _ in 0..8 {
            self.create_view(r);
            self.create_layout(r);
        }
    }

    /// Makes what nothing is odd about, so that something is drawn.
    fn populate_plainly(&mut self, r: &mut Random) {
        let device = self.device.clone();
        let uncut = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        self.uncut = device.create_rasterizer_state(&uncut).ok();
        let kinds = [QueryType::OcclusionPredicate, QueryType::Occlusion, QueryType::PipelineStatistics];
        self.queries.extend(kinds.into_iter().filter_map(|kind| device.create_query(kind).ok()));
        // The last two are smaller than what some shaders declare.
        for (bind, size) in
            [(0x1, 600), (0x1, 4096), (0x2, 128), (0x4, 512), (0x4, 256), (0x4, 32), (0x4, 16)]
        {
            let bind = BindFlags::from_bits_retain(bind);
            let contents = if bind == BindFlags::INDEX_BUFFER {
                r.bytes(size)
                    .into_iter()
                    .enumerate()
                    .map(|(i, b)| if i % 2 == 0 { b % 8 } else { 0 })
                    .collect()
            } else {
                floats(r, size as u32)
            };
            for desc in [BufferDesc::new(size as u32, bind), BufferDesc::dynamic(size as u32, bind)] {
                self.buffers.extend(device.create_buffer(&desc, Some(&contents)).ok());
            }
        }
        for format in [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM, Format::R16G16B16A16_FLOAT] {
            let desc = Texture2dDesc {
                mip_levels: 0,
                misc_flags: MiscFlags::GENERATE_MIPS | MiscFlags::RESOURCE_CLAMP,
                ..Texture2dDesc::render_target(format, 16, 16)
            };
            let Ok(texture) = device.create_texture_2d(&desc, None) else { continue };
            for mip in [0, 0, 1, 2] {
                let desc = RenderTargetViewDesc::texture_2d(format, mip);
                self.targets.extend(device.create_render_target_view(&texture, Some(&desc)).ok());
                let desc = ShaderResourceViewDesc::texture_2d(format, mip, 1 + mip);
                self.resources.extend(device.create_shader_resource_view(&texture, Some(&desc)).ok());
            }
            self.textures.push(texture);
        }
        self.populate_twins();
        for format in [Format::R32_TYPELESS, Format::R24G8_TYPELESS] {
            let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE;
            let desc = Texture2dDesc { bind_flags, ..Texture2dDesc::depth_stencil(format, 16, 16) };
            let Ok(texture) = device.create_texture_2d(&desc, None) else { continue };
            let desc = DepthStencilViewDesc::format(format.depth_stencil_format().unwrap_or_default());
            self.depths.extend(device.create_depth_stencil_view(&texture, Some(&desc)).ok());
            let desc = desc.read_only(DsvFlags::all());
            self.depths.extend(device.create_depth_stencil_view(&texture, Some(&desc)).ok());
            let read = if format == Format::R32_TYPELESS {
                Format::R32_FLOAT
            } else {
                Format::R24_UNORM_X8_TYPELESS
            };
            let desc = ShaderResourceViewDesc::format(read);
            self.resources.extend(device.create_shader_resource_view(&texture, Some(&desc)).ok());
            self.textures.push(texture);
        }
    }

    /// Makes textures that are drawn to in either of two formats.
    fn populate_twins(&mut self) {
        for (format, views) in [
            (Format::R8G8B8A8_TYPELESS, [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB]),
            (Format::B8G8R8A8_TYPELESS, [Format::B8G8R8A8_UNORM_SRGB, Format::B8G8R8A8_UNORM]),
        ] {
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::render_target(format, 16, 16) };
            let Ok(texture) = self.device.create_texture_2d(&desc, None) else { continue };
            let view = |format| {
                let desc = RenderTargetViewDesc::texture_2d(format, 0);
                self.device.create_render_target_view(&texture, Some(&desc)).ok()
            };
            if let [Some(first), Some(second)] = views.map(view) {
                self.twins.push([first, second]);
                self.textures.push(texture);
            }
        }
    }

    /// Makes something.
    pub(crate) fn create(&mut self, r: &mut Random) {
        match r.below(14) {
            0 | 1 => self.create_buffer(r),
            2 | 3 => self.create_texture(r),
            4..=6 => self.create_view(r),
            7 | 8 => self.create_state(r),
            9 => self.create_vertex_shader(r),
            10 => self.create_pixel_shader(r),
            11 => self.create_layout(r),
            _ => self.create_compute(r),
        }
    }

    /// Keeps a command list.
    pub(crate) fn add_list(&mut self, r: &mut Random, list: CommandList) {
        keep(r, &mut self.lists, Some(list));
    }

    /// Drops something.
    pub(crate) fn drop_one(&mut self, r: &mut Random) {
        self.say(format_args!("drop one"));
        match r.below(16) {
            0 => lose(r, &mut self.buffers),
            1 => lose(r, &mut self.textures),
            2 => lose(r, &mut self.resources),
            3 => lose(r, &mut self.targets),
            4 => lose(r, &mut self.depths),
            5 => lose(r, &mut self.samplers),
            6 => lose(r, &mut self.blends),
            7 => lose(r, &mut self.depth_states),
            8 => lose(r, &mut self.rasterizers),
            9 if r.one_in(2) => lose(r, &mut self.fed),
            9 => lose(r, &mut self.vertex),
            10 => lose(r, &mut self.pixel),
            11 => lose(r, &mut self.layouts),
            12 => lose(r, &mut self.queries),
            13 => lose(r, &mut self.compute.views),
            14 => lose(r, &mut self.compute.shaders),
            _ => lose(r, &mut self.lists),
        }
    }

    fn create_buffer(&mut self, r: &mut Random) {
        let binds = [0x1, 0x2, 0x4, 0x4, 0x4, 0x3, 0, 0x1, 0x8];
        let bind = *r.pick(&binds);
        let (usage, cpu) = usage(r);
        let bind = if usage == Usage::Staging && !r.one_in(20) { 0 } else { bind };
        let size = match r.below(12) {
            0 => odd(r, 70_000).min(1 << 20),
            1 => r.range(60..70) * 1024,
            2 => r.range(1..20) * 4096,
            _ => r.range(1..64) * *r.pick(&[1, 4, 16, 16, 16, 256]),
        };
        let size = if bind == 4 && !r.one_in(20) { size.next_multiple_of(16) } else { size };
        let desc = BufferDesc {
            byte_width: size,
            usage,
            bind_flags: BindFlags::from_bits_retain(flags(r, bind)),
            cpu_access_flags: cpu,
            misc_flags: MiscFlags::from_bits_retain(flags(r, 0)),
            structure_byte_stride: if r.one_in(10) { odd(r, 64) } else { 0 },
            label: None,
        };
        let bytes = match r.below(3) {
            0 => Some(floats(r, size)),
            1 => {
                let more = r.below(3);
                Some(r.bytes((size + more) as usize))
            }
            _ if usage == Usage::Immutable && !r.one_in(10) => Some(r.bytes(size as usize)),
            _ => None,
        };
        self.say(format_args!("buffer {desc:?} contents {}", bytes.is_some()));
        let made = self.maker(r).create_buffer(&desc, bytes.as_deref()).ok();
        keep(r, &mut self.buffers, made);
    }

    fn create_texture(&mut self, r: &mut Random) {
        let desc = texture_desc(r);
        let block = desc.format.block_size().0.max(1);
        let mips = if desc.sample_count > 1 { 1 } else { desc.resolved_mip_levels().min(16) };
        let given = desc.usage == Usage::Immutable || r.one_in(3);
        let pitch = |mip: u32| desc.format.row_pitch(desc.mip_size(mip).0.max(block)) + 4 * (mip % 2);
        let rows: Vec<Vec<u8>> = (0..mips * desc.array_size.min(64))
            .map(|at| {
                let (_, height) = desc.mip_size(at % mips);
                r.bytes((pitch(at % mips) * desc.format.rows(height)) as usize)
            })
            .collect();
        let data: Vec<_> = (0..)
            .zip(&rows)
            .map(|(at, bytes)| SubresourceData { bytes, row_pitch: pitch(at % mips), depth_pitch: 0 })
            .collect();
        self.say(format_args!("texture {desc:?} contents {given}"));
        let made = self.maker(r).create_texture_2d(&desc, given.then_some(&data[..])).ok();
        keep(r, &mut self.textures, made);
    }

    fn create_view(&mut self, r: &mut Random) {
        if r.one_in(30)
            && let Some(buffer) = any(r, &self.buffers)
        {
            let _ = self.device.create_shader_resource_view(buffer, None);
            let _ = self.device.create_render_target_view(buffer, None);
            return;
        }
        let Some(texture) = any(r, &self.textures).cloned() else { return };
        let binds = texture.desc().bind_flags;
        match r.below(3) {
            0 if binds.contains(BindFlags::RENDER_TARGET) || r.one_in(10) => self.create_target(r, &texture),
            0 | 1 if binds.contains(BindFlags::DEPTH_STENCIL) || r.one_in(10) => {
                self.create_depth(r, &texture);
            }
            _ => self.create_resource_view(r, &texture),
        }
    }

    fn create_target(&mut self, r: &mut Random, texture: &Texture2d) {
        let dimension = (!r.one_in(3)).then(|| target_dimension(r, &texture.desc()));
        let desc = RenderTargetViewDesc { format: view_format(r, texture.desc().format), dimension };
        self.say(format_args!("target view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_render_target_view(texture, Some(&desc)).ok();
        keep(r, &mut self.targets, made);
    }

    fn create_depth(&mut self, r: &mut Random, texture: &Texture2d) {
        let format = texture.desc().format;
        let depth = format.depth_stencil_format().unwrap_or(format);
        let desc = DepthStencilViewDesc {
            format: if r.one_in(10) { view_format(r, format) } else { depth },
            dimension: (!r.one_in(3)).then(|| target_dimension(r, &texture.desc())),
            flags: if r.one_in(3) { DsvFlags::from_bits_truncate(r.below(4)) } else { DsvFlags::empty() },
        };
        self.say(format_args!("depth view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_depth_stencil_view(texture, Some(&desc)).ok();
        keep(r, &mut self.depths, made);
    }

    fn create_resource_view(&mut self, r: &mut Random, texture: &Texture2d) {
        let desc = ShaderResourceViewDesc {
            format: view_format(r, texture.desc().format),
            dimension: (!r.one_in(3)).then(|| resource_dimension(r, &texture.desc())),
        };
        self.say(format_args!("resource view {desc:?} of {:?}", texture.desc()));
        let made = self.maker(r).create_shader_resource_view(texture, Some(&desc)).ok();
        keep(r, &mut self.resources, made);
    }

    fn create_vertex_shader(&mut self, r: &mut Random) {
        let source = ShaderSource::wgsl(r.pick::<&str>(shaders::VERTEX), "main");
        self.say(format_args!("vertex shader {source:?}"));
        let made = self.maker(r).create_vertex_shader(source).ok();
        let needs =
            made.as_ref().and_then(VertexShader::reflection).is_some_and(|shader| !shader.inputs.is_empty());
        if !needs {
            keep(r, &mut self.fed, made.clone().map(|shader| (shader, None)));
        }
        keep(r, &mut self.vertex, made);
    }

    fn create_pixel_shader(&mut self, r: &mut Random) {
        let source = ShaderSource::wgsl(r.pick::<&str>(shaders::PIXEL), "main");
        self.say(format_args!("pixel shader {source:?}"));
        let made = self.maker(r).create_pixel_shader(source).ok();
        keep(r, &mut self.pixel, made);
    }

    fn create_layout(&mut self, r: &mut Random) {
        let Some(shader) = any(r, &self.vertex).cloned() else { return };
        let elements = elements(r, &shader);
        self.say(format_args!("layout {elements:?}"));
        let made = self.maker(r).create_input_layout(&elements, &shader).ok();
        keep(r, &mut self.fed, made.clone().map(|layout| (shader, Some(layout))));
        keep(r, &mut self.layouts, made);
        if r.one_in(4) {
            let desc = query_desc(r);
            let query = self.maker(r).create_query(desc).ok();
            keep(r, &mut self.queries, query);
        }
    }

    fn create_state(&mut self, r: &mut Random) {
        let device = self.maker(r);
        let sampler = sampler_desc(r);
        let blend = blend_desc(r);
        let depth = depth_desc(r);
        let rasterizer = RasterizerDesc {
            fill_mode: if r.one_in(8) { FillMode::Wireframe } else { FillMode::Solid },
            cull_mode: *r.pick(&[CullMode::None, CullMode::None, CullMode::Front, CullMode::Back]),
            front_counter_clockwise: r.one_in(2),
            depth_bias: if r.one_in(4) { odd(r, 100) as i32 } else { 0 },
            depth_bias_clamp: if r.one_in(4) { number(r) } else { 0.0 },
            slope_scaled_depth_bias: if r.one_in(4) { number(r) } else { 0.0 },
            depth_clip_enable: !r.one_in(4),
            scissor_enable: r.one_in(4),
            multisample_enable: r.one_in(4),
            antialiased_line_enable: r.one_in(20),
        };
        self.say(format_args!("states {sampler:?} {blend:?} {depth:?} {rasterizer:?}"));
        keep(r, &mut self.samplers, device.create_sampler_state(&sampler).ok());
        keep(r, &mut self.blends, device.create_blend_state(&blend).ok());
        keep(r, &mut self.depth_states, device.create_depth_stencil_state(&depth).ok());
        keep(r, &mut self.rasterizers, device.create_rasterizer_state(&rasterizer).ok());
    }
}

/// So many bytes that are small numbers.
fn floats(r: &mut Random, size: u32) -> Vec<u8> {
    let values: Vec<f32> = (0..size.div_ceil(4)).map(|_| r.below(200) as f32 / 100.0 - 1.0).collect();
    bytemuck::cast_slice(&values)[..size as usize].to_vec()
}

fn texture_desc(r: &mut Random) -> Texture2dDesc {
    let depth = r.one_in(4);
    let format = if depth { *r.pick(DEPTHS) } else { format(r) };
    let (usage, cpu) = usage(r);
    let inputs = if r.one_in(3) || format.is_depth_stencil() { 0 } else { 0x8 };
    let bind = match usage {
        Usage::Staging => 0,
        Usage::Immutable | Usage::Dynamic => 0x8,
        Usage::Default if depth => 0x40 | inputs,
        Usage::Default => *r.pick(&[0x28, 0x28, 0x20, 0x8, 0]),
    };
    let (block, _) = format.block_size();
    let side = |r: &mut Random| match r.below(12) {
        0 => odd(r, 300).min(1000),
        1 => r.range(1..40),
        _ => (*r.pick(&[1, 4, 8, 16, 16, 16, 32]) as u32).next_multiple_of(block),
    };
    let (width, height) = (side(r), side(r));
    let square = r.one_in(6);
    let array_size = if square { *r.pick(&[6, 7, 12]) } else { *r.pick(&[1, 1, 1, 2, 4]) };
    let misc = if square { 0x4 } else { 0 } | if bind == 0x28 && r.one_in(2) { 0x1 } else { 0 };
    let samples = if bind & 0x60 != 0 && r.one_in(6) { *r.pick(&[2, 4, 4, 4, 8, 16]) } else { 1 };
    let single = samples > 1 || usage == Usage::Dynamic;
    Texture2dDesc {
        width,
        height: if square { width } else { height },
        mip_levels: if single && !r.one_in(20) { 1 } else { *r.pick(&[0, 0, 1, 1, 2, 3, 4]) },
        array_size: if usage == Usage::Dynamic && !r.one_in(20) { 1 } else { array_size },
        format,
        sample_count: if r.one_in(60) { odd(r, 40) } else { samples },
        sample_quality: if r.one_in(60) { odd(r, 3) } else { 0 },
        usage,
        bind_flags: BindFlags::from_bits_retain(flags(r, bind)),
        cpu_access_flags: cpu,
        misc_flags: MiscFlags::from_bits_retain(flags(r, misc)),
        label: None,
    }
}

/// A format for a view: of the same family as a rule.
fn view_format(r: &mut Random, of: Format) -> Format {
    if !of.is_typeless() {
        return if r.one_in(20) { format(r) } else { Format::UNKNOWN };
    }
    let family: Vec<_> =
        Format::ALL.iter().filter(|f| f.family() == of && !f.is_typeless()).copied().collect();
    any(r, &family).copied().unwrap_or_default()
}

fn part(r: &mut Random, total: u32) -> (u32, u32) {
    let (beyond, further) = (u32::from(r.one_in(20)), u32::from(r.one_in(20)));
    let first = r.below(total + beyond);
    let rest = total.saturating_sub(first);
    let count = if r.one_in(3) { u32::MAX } else { 1 + r.below(rest + further) };
    (first, count)
}

fn target_dimension(r: &mut Random, desc: &Texture2dDesc) -> RenderTargetViewDimension {
    use RenderTargetViewDimension as D;
    let (mip_slice, _) = part(r, desc.mip_levels);
    let (first_array_slice, array_size) = part(r, desc.array_size);
    match (desc.sample_count > 1) != r.one_in(20) {
        true if r.one_in(2) => D::Texture2dMs,
        true => D::Texture2dMsArray { first_array_slice, array_size },
        false if r.one_in(2) => D::Texture2d { mip_slice },
        false => D::Texture2dArray { mip_slice, first_array_slice, array_size },
    }
}

fn resource_dimension(r: &mut Random, desc: &Texture2dDesc) -> ShaderResourceViewDimension {
    use ShaderResourceViewDimension as D;
    let (most_detailed_mip, mip_levels) = part(r, desc.mip_levels);
    let (first_array_slice, array_size) = part(r, desc.array_size);
    if (desc.sample_count > 1) != r.one_in(20) {
        return match r.below(2) {
            0 => D::Texture2dMs,
            _ => D::Texture2dMsArray { first_array_slice, array_size },
        };
    }
    let cube = desc.misc_flags.contains(MiscFlags::TEXTURECUBE);
    match r.below(4) {
        0 if cube => D::TextureCube { most_detailed_mip, mip_levels },
        1 if cube => {
            let (first_2d_array_face, num_cubes) = (r.below(desc.array_size), *r.pick(&[1, 2, u32::MAX]));
            D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face, num_cubes }
        }
        0..=2 => D::Texture2d { most_detailed_mip, mip_levels },
        _ => D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice, array_size },
    }
}

/// Elements that feed a shader, in some formats and slots.
fn elements(r: &mut Random, shader: &VertexShader) -> Vec<InputElementDesc> {
    let float = [
        Format::R32G32B32A32_FLOAT,
        Format::R32G32B32_FLOAT,
        Format::R32G32_FLOAT,
        Format::R16G16_FLOAT,
        Format::R8G8B8A8_UNORM,
        Format::R16_FLOAT,
        Format::R8_UNORM,
        Format::R10G10B10A2_UNORM,
        Format::R16G16_SNORM,
        Format::R11G11B10_FLOAT,
        Format::B5G6R5_UNORM,
    ];
    let uint = [Format::R8G8B8A8_UINT, Format::R32G32B32A32_UINT, Format::R16_UINT, Format::R10G10B10A2_UINT];
    let sint = [Format::R8G8_SINT, Format::R32G32_SINT, Format::R16G16B16A16_SINT];
    let Some(reflection) = shader.reflection() else { return Vec::new() };
    let mut list = Vec::new();
    let rate = if r.one_in(3) { *r.pick(&[0, 2, 3, 1 << 31]) } else { 1 };
    for input in &reflection.inputs {
        let formats: &[Format] = match format!("{:?}", input.kind).as_str() {
            "Uint" => &uint,
            "Sint" => &sint,
            _ => &float,
        };
        let format = if r.one_in(30) { *r.pick(Format::ALL) } else { *r.pick(formats) };
        let mut element = InputElementDesc::new("x", 0, format).at_location(input.location);
        element.input_slot = if r.one_in(60) { odd(r, 40) } else { r.below(3) };
        if r.one_in(5) {
            element.aligned_byte_offset = r.below(20) * if r.one_in(10) { 1 } else { 4 };
        }
        if element.input_slot == 2 {
            // One rate for all elements of the slot, now and then another one.
            element = element.step_rate(if r.one_in(9) { r.below(4) } else { rate });
        }
        list.push(element);
    }
    if r.one_in(5) {
        list.push(InputElementDesc::new("UNUSED", r.below(3), *r.pick(&float)).slot(r.below(4)));
    }
    list
}

fn comparison(r: &mut Random) -> ComparisonFunc {
    use ComparisonFunc as C;
    *r.pick(&[
        C::Never,
        C::Less,
        C::Equal,
        C::LessEqual,
        C::Greater,
        C::NotEqual,
        C::GreaterEqual,
        C::Always,
        C::Always,
    ])
}

fn sampler_desc(r: &mut Random) -> SamplerDesc {
    use TextureAddressMode as A;
    let address = [A::Wrap, A::Mirror, A::Clamp, A::Border, A::MirrorOnce];
    SamplerDesc {
        filter: Filter {
            min_linear: r.one_in(2),
            mag_linear: r.one_in(2),
            mip_linear: r.one_in(2),
            anisotropic: r.one_in(6),
            reduction: match r.below(12) {
                0..4 => FilterReduction::Comparison,
                4 => FilterReduction::Minimum,
                5 => FilterReduction::Maximum,
                _ => FilterReduction::Standard,
            },
        },
        address_u: if r.one_in(4) { *r.pick(&address) } else { address[r.below(3) as usize] },
        address_v: if r.one_in(4) { *r.pick(&address) } else { address[r.below(3) as usize] },
        address_w: if r.one_in(10) { *r.pick(&address) } else { A::Wrap },
        mip_lod_bias: if r.one_in(4) { number(r) } else { 0.0 },
        max_anisotropy: odd(r, 17),
        comparison_func: comparison(r),
        border_color: match r.below(4) {
            0 => [1.0; 4],
            1 => [0.25, 2.0, -1.0, 0.5],
            _ => [0.0, 0.0, 0.0, r.below(2) as f32],
        },
        min_lod: if r.one_in(3) { number(r) } else { f32::MIN },
        max_lod: if r.one_in(3) { number(r) } else { f32::MAX },
    }
}

fn blend_desc(r: &mut Random) -> BlendDesc {
    use Blend as B;
    let colors = [
        B::Zero,
        B::One,
        B::SrcColor,
        B::InvSrcColor,
        B::SrcAlpha,
        B::InvSrcAlpha,
        B::DestAlpha,
        B::DestColor,
        B::SrcAlphaSat,
        B::BlendFactor,
        B::InvBlendFactor,
        B::Src1Color,
    ];
    let alphas = [B::Zero, B::One, B::SrcAlpha, B::InvDestAlpha, B::BlendFactor, B::SrcAlphaSat];
    let ops = [BlendOp::Add, BlendOp::Subtract, BlendOp::RevSubtract, BlendOp::Min, BlendOp::Max];
    let mut desc = BlendDesc {
        alpha_to_coverage_enable: r.one_in(5),
        independent_blend_enable: r.one_in(3),
        ..BlendDesc::default()
    };
    for target in &mut desc.render_target {
        let end = if r.one_in(8) { colors.len() } else { colors.len() - 1 };
        *target = RenderTargetBlendDesc {
            blend_enable: r.one_in(2),
            src_blend: *r.pick(&colors[..end]),
            dest_blend: *r.pick(&colors[..end]),
            blend_op: *r.pick(&ops),
            src_blend_alpha: *r.pick(&alphas),
            dest_blend_alpha: *r.pick(&alphas),
            blend_op_alpha: *r.pick(&ops),
            render_target_write_mask: if r.one_in(3) {
                ColorWrite::from_bits_truncate(r.bits() as u8)
            } else {
                ColorWrite::ALL
            },
        };
    }
    desc
}

fn depth_desc(r: &mut Random) -> DepthStencilDesc {
    use StencilOp as S;
    let ops = [S::Keep, S::Zero, S::Replace, S::IncrSat, S::DecrSat, S::Invert, S::Incr, S::Decr];
    let face = |r: &mut Random| DepthStencilOpDesc {
        stencil_fail_op: *r.pick(&ops),
        stencil_depth_fail_op: *r.pick(&ops),
        stencil_pass_op: *r.pick(&ops),
        stencil_func: comparison(r),
    };
    DepthStencilDesc {
        depth_enable: !r.one_in(4),
        depth_write: !r.one_in(4),
        depth_func: comparison(r),
        stencil_enable: r.one_in(2),
        stencil_read_mask: r.bits() as u8,
        stencil_write_mask: r.bits() as u8,
        front_face: face(r),
        back_face: face(r),
    }
}
