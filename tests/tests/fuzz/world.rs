//! The objects of a random program, and functions that create more objects with plausible and with unusual
//! arguments.

use onze::*;
use onze_tests::Random;

use crate::{compute::Compute, indirect::Indirect, shapes::Shaped, tessellation::Tessellation};

/// Maximum number of objects of each type, after which a new object replaces another object.
const MOST: usize = 24;

/// A pool of objects of each type. Some objects belong to another device (`foreign`). The first
/// `plain_textures` textures have valid descriptors. `twins` are views of one texture in two formats, `uncut`
/// is a rasterizer state without culling, and `fed` contains vertex shaders with matching layouts.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) device: Device,
    pub(crate) foreign: Option<Device>,
    /// Limits the program to calls with results that Direct3D 11 defines, so that results can be compared.
    pub(crate) defined: bool,
    /// Limits the program to calls with the same effect on a deferred context, and therefore without maps of
    /// staging resources.
    pub(crate) deferrable: bool,
    pub(crate) trace: bool,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) textures: Vec<Texture2d>,
    pub(crate) shapes: Vec<Shaped>,
    pub(crate) plain_textures: usize,
    pub(crate) resources: Vec<ShaderResourceView>,
    pub(crate) targets: Vec<RenderTargetView>,
    pub(crate) twins: Vec<[RenderTargetView; 2]>,
    pub(crate) depths: Vec<DepthStencilView>,
    pub(crate) samplers: Vec<SamplerState>,
    pub(crate) blends: Vec<BlendState>,
    pub(crate) depth_states: Vec<DepthStencilState>,
    pub(crate) rasterizers: Vec<RasterizerState>,
    pub(crate) uncut: Option<RasterizerState>,
    pub(crate) vertex: Vec<VertexShader>,
    pub(crate) pixel: Vec<PixelShader>,
    pub(crate) geometry: Vec<(GeometryShader, InputPrimitive)>,
    pub(crate) patches: Tessellation,
    pub(crate) layouts: Vec<InputLayout>,
    pub(crate) fed: Vec<(VertexShader, Option<InputLayout>)>,
    pub(crate) compute: Compute,
    pub(crate) queries: Vec<Query>,
    pub(crate) lists: Vec<CommandList>,
    pub(crate) indirect: Indirect,
}

pub(crate) fn any<'a, T>(r: &mut Random, items: &'a [T]) -> Option<&'a T> {
    (!items.is_empty()).then(|| r.pick(items))
}

pub(crate) fn maybe<'a, T>(r: &mut Random, items: &'a [T]) -> Option<&'a T> {
    if r.one_in(5) { None } else { any(r, items) }
}

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

pub(crate) fn flags(r: &mut Random, bits: u32) -> u32 {
    if r.one_in(200) { r.bits() as u32 } else { bits }
}

pub(crate) fn usage(r: &mut Random) -> (Usage, CpuAccessFlags) {
    let (read, write) = (CpuAccessFlags::READ, CpuAccessFlags::WRITE);
    match r.below(8) {
        0 => (Usage::Immutable, CpuAccessFlags::empty()),
        1 | 2 => (Usage::Dynamic, write),
        3 => (Usage::Staging, *r.pick(&[read, write, read | write])),
        _ => (Usage::Default, CpuAccessFlags::empty()),
    }
}

/// Returns a random query description, occasionally of a type that no device supports.
pub(crate) fn query_desc(r: &mut Random) -> QueryDesc {
    let kinds = if r.one_in(8) { 16 } else { 6 };
    let query = QueryType::ALL[r.below(kinds) as usize];
    let is_hint = r.one_in(if query.is_predicate() { 3 } else { 20 });
    let misc_flags = if is_hint { QueryMiscFlags::PREDICATEHINT } else { QueryMiscFlags::empty() };
    let context_type = *r.pick(&[ContextType::All, ContextType::ThreeD, ContextType::Copy]);
    QueryDesc { query, misc_flags, context_type }
}

impl World {
    pub(crate) fn new(device: &Device, foreign: Option<Device>, defined: bool, trace: bool) -> Self {
        Self {
            device: device.clone(),
            foreign,
            defined,
            deferrable: false,
            trace,
            buffers: Vec::new(),
            textures: Vec::new(),
            shapes: Vec::new(),
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
            geometry: Vec::new(),
            patches: Tessellation::default(),
            layouts: Vec::new(),
            fed: Vec::new(),
            compute: Compute::default(),
            queries: Vec::new(),
            lists: Vec::new(),
            indirect: Indirect::default(),
        }
    }

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

    pub(crate) fn populate(&mut self, r: &mut Random) {
        self.indirect = Indirect::new(&self.device, r);
        self.populate_plainly(r);
        self.populate_samples(r);
        self.populate_members(r);
        self.populate_shapes(r);
        self.populate_compute(r);
        self.populate_tessellation(r);
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
            self.create_geometry_shader(r);
        }
        for _ in 0..8 {
            self.create_view(r);
            self.create_layout(r);
        }
    }

    fn populate_plainly(&mut self, r: &mut Random) {
        let device = self.device.clone();
        let uncut = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        self.uncut = device.create_rasterizer_state(&uncut).ok();
        let kinds = [QueryType::OcclusionPredicate, QueryType::Occlusion, QueryType::PipelineStatistics];
        self.queries.extend(kinds.into_iter().filter_map(|kind| device.create_query(kind).ok()));
        // The last two are smaller than the constant buffers that some shaders declare.
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

    pub(crate) fn create(&mut self, r: &mut Random) {
        match r.below(19) {
            0 | 1 => self.create_buffer(r),
            2 | 3 => self.create_texture(r),
            4..=6 => self.create_view(r),
            7 | 8 => self.create_state(r),
            9 => self.create_vertex_shader(r),
            10 => self.create_pixel_shader(r),
            11 => self.create_layout(r),
            17 => self.create_geometry_shader(r),
            18 => self.create_tessellation_shader(r),
            12 => self.create_shape(r),
            13 | 14 => self.create_shape_view(r),
            _ => self.create_compute(r),
        }
    }

    pub(crate) fn add_list(&mut self, r: &mut Random, list: CommandList) {
        keep(r, &mut self.lists, Some(list));
    }

    pub(crate) fn drop_one(&mut self, r: &mut Random) {
        self.say(format_args!("drop one"));
        match r.below(20) {
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
            15 => lose(r, &mut self.shapes),
            16 => lose(r, &mut self.geometry),
            17 => lose(r, &mut self.patches.hull),
            18 => lose(r, &mut self.patches.domain),
            _ => lose(r, &mut self.lists),
        }
    }

    fn create_buffer(&mut self, r: &mut Random) {
        let binds = [0x1, 0x2, 0x4, 0x4, 0x4, 0x3, 0, 0x1, 0x8, 0x11];
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
}

fn floats(r: &mut Random, size: u32) -> Vec<u8> {
    let values: Vec<f32> = (0..size.div_ceil(4)).map(|_| r.below(200) as f32 / 100.0 - 1.0).collect();
    bytemuck::cast_slice(&values)[..size as usize].to_vec()
}
