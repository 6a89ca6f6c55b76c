//! Helpers that fill every state slot of a context with an object and compare the results of every getter.

use onze::*;

use crate::drawing::QUAD;

/// The results of all getters of a context, which together describe its state.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The result of `ia_get_input_layout` (default: `None`).
    pub input_layout: Option<InputLayout>,
    /// Results of `ia_get_vertex_buffers` for all 32 slots, with strides and offsets in bytes.
    pub vertex_buffers: Vec<(Option<Buffer>, u32, u32)>,
    /// Results of `ia_get_index_buffer`: the buffer, its format and the offset in bytes.
    pub index_buffer: (Option<Buffer>, Format, u32),
    /// The result of `ia_get_primitive_topology` (default: undefined).
    pub topology: PrimitiveTopology,
    /// The result of `vs_get_shader` (default: `None`).
    pub vertex_shader: Option<VertexShader>,
    /// The result of `ps_get_shader` (default: `None`).
    pub pixel_shader: Option<PixelShader>,
    /// The results of the resource getters, first for the vertex stage and then for the pixel stage.
    pub stages: [Stage; 2],
    /// The result of `rs_get_state` (default: `None`).
    pub rasterizer: Option<RasterizerState>,
    /// Results of `rs_get_viewports` (default: empty).
    pub viewports: Vec<Viewport>,
    /// Results of `rs_get_scissor_rects` (default: empty).
    pub scissor_rects: Vec<Rect>,
    /// Results of `om_get_blend_state`: the state, the blend factor and the sample mask.
    pub blend: (Option<BlendState>, [f32; 4], u32),
    /// Results of `om_get_depth_stencil_state`: the state and the stencil reference.
    pub depth_stencil: (Option<DepthStencilState>, u32),
    /// Results of `om_get_render_targets`: the colour targets of all slots and the depth-stencil target.
    pub targets: (Vec<Option<RenderTargetView>>, Option<DepthStencilView>),
    /// Results of `get_predication`: the query, and the value that its result is compared with.
    pub predication: (Option<Query>, bool),
}

/// The results of one shader stage's getters for constants, views and samplers.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Results of `*_get_constant_buffers1` for all 14 slots: the buffers, and the range of constants that
    /// each slot shows.
    pub constant_buffers: (Vec<Option<Buffer>>, Vec<ConstantRange>),
    /// Results of `*_get_shader_resources` for all 128 slots, in slot order.
    pub resources: Vec<Option<ShaderResourceView>>,
    /// Results of `*_get_samplers` for all 16 slots, in slot order.
    pub samplers: Vec<Option<SamplerState>>,
}

impl Stage {
    fn unbound() -> Self {
        Self {
            constant_buffers: (
                vec![None; 14],
                vec![ConstantRange { first_constant: 0, num_constants: 4096 }; 14],
            ),
            resources: vec![None; 128],
            samplers: vec![None; 16],
        }
    }
}

impl Snapshot {
    /// Calls every getter with ranges that extend past the last slot, so the getters must clip them.
    pub fn of(context: &DeviceContext) -> Self {
        let vertex = Stage {
            constant_buffers: context.vs_get_constant_buffers1(0, 15),
            resources: context.vs_get_shader_resources(0, 200),
            samplers: context.vs_get_samplers(0, u32::MAX),
        };
        let pixel = Stage {
            constant_buffers: context.ps_get_constant_buffers1(0, 15),
            resources: context.ps_get_shader_resources(0, 200),
            samplers: context.ps_get_samplers(0, u32::MAX),
        };
        Self {
            input_layout: context.ia_get_input_layout(),
            vertex_buffers: context.ia_get_vertex_buffers(0, 40),
            index_buffer: context.ia_get_index_buffer(),
            topology: context.ia_get_primitive_topology(),
            vertex_shader: context.vs_get_shader(),
            pixel_shader: context.ps_get_shader(),
            stages: [vertex, pixel],
            rasterizer: context.rs_get_state(),
            viewports: context.rs_get_viewports(),
            scissor_rects: context.rs_get_scissor_rects(),
            blend: context.om_get_blend_state(),
            depth_stencil: context.om_get_depth_stencil_state(),
            targets: context.om_get_render_targets(),
            predication: context.get_predication(),
        }
    }

    /// Returns Direct3D 11's default state: nothing is bound, the blend factor is 1 and all samples are
    /// written.
    pub fn default_state() -> Self {
        Self {
            input_layout: None,
            vertex_buffers: vec![(None, 0, 0); 32],
            index_buffer: (None, Format::UNKNOWN, 0),
            topology: PrimitiveTopology::Undefined,
            vertex_shader: None,
            pixel_shader: None,
            stages: [Stage::unbound(), Stage::unbound()],
            rasterizer: None,
            viewports: Vec::new(),
            scissor_rects: Vec::new(),
            blend: (None, [1.0; 4], u32::MAX),
            depth_stencil: (None, 0),
            targets: (vec![None; 8], None),
            predication: (None, false),
        }
    }
}

/// A set of objects that fills every slot of a context.
#[derive(Debug)]
pub struct Everything {
    layout: InputLayout,
    vertices: [Buffer; 2],
    indices: Buffer,
    vs: VertexShader,
    ps: PixelShader,
    constants: [Buffer; 2],
    views: [ShaderResourceView; 2],
    samplers: [SamplerState; 2],
    rasterizer: RasterizerState,
    blend: BlendState,
    depth_stencil: DepthStencilState,
    targets: Vec<RenderTargetView>,
    depth: DepthStencilView,
    /// A query that has counted no sample, bound with the value `true` so that commands are executed.
    predicate: Query,
    variant: u32,
}

const WITH_INPUT: &str = "
    @vertex
    fn vs_main(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> { return position; }
";

impl Everything {
    /// Creates the objects, where `variant` changes which object and which numbers [`Everything::bind`] uses
    /// for a slot.
    pub fn new(device: &Device, variant: u32) -> Self {
        let pair = |flags: BindFlags, size: u32| {
            [0, 1].map(|_| device.create_buffer(&BufferDesc::new(size, flags), None).unwrap())
        };
        let vs = device.create_vertex_shader(ShaderSource::wgsl(WITH_INPUT, "vs_main")).unwrap();
        let elements = [InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT)];
        let texture = |index: u32| {
            let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4 + index, 4);
            let texture = device.create_texture_2d(&desc, None).unwrap();
            device.create_shader_resource_view(&texture, None).unwrap()
        };
        let target = |_: u32| {
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16, 16);
            let texture = device.create_texture_2d(&desc, None).unwrap();
            device.create_render_target_view(&texture, None).unwrap()
        };
        let depth = device.create_texture_2d(&Texture2dDesc::depth_stencil(Format::D32_FLOAT, 16, 16), None);
        let sampler = |address| {
            device.create_sampler_state(&SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, address)).unwrap()
        };
        let target_blend = RenderTargetBlendDesc::alpha();
        Self {
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(QUAD, "ps_main")).unwrap(),
            vs,
            vertices: pair(BindFlags::VERTEX_BUFFER, 64),
            indices: device.create_buffer(&BufferDesc::new(64, BindFlags::INDEX_BUFFER), None).unwrap(),
            constants: pair(BindFlags::CONSTANT_BUFFER, 1024),
            views: [0, 1].map(texture),
            samplers: [TextureAddressMode::Wrap, TextureAddressMode::Mirror].map(sampler),
            rasterizer: device
                .create_rasterizer_state(&RasterizerDesc { cull_mode: CullMode::None, ..Default::default() })
                .unwrap(),
            blend: device.create_blend_state(&BlendDesc::all(target_blend)).unwrap(),
            depth_stencil: device
                .create_depth_stencil_state(&DepthStencilDesc { depth_write: false, ..Default::default() })
                .unwrap(),
            targets: (0..8).map(target).collect(),
            depth: device.create_depth_stencil_view(&depth.unwrap(), None).unwrap(),
            predicate: device.create_predicate(QueryType::OcclusionPredicate).unwrap(),
            variant,
        }
    }

    fn alternate<'a, T>(&self, pair: &'a [T; 2], count: usize) -> Vec<&'a T> {
        (0..count).map(|i| &pair[(i + self.variant as usize) % 2]).collect()
    }

    fn range(&self, slot: u32) -> ConstantRange {
        ConstantRange {
            first_constant: 16 * ((slot + self.variant) % 3),
            num_constants: 16 + 16 * (slot % 2),
        }
    }

    fn viewports(&self) -> [Viewport; 16] {
        let v = self.variant as f32;
        std::array::from_fn(|i| {
            let start = i as f32;
            Viewport { top_left_x: start, min_depth: start / 32.0, ..Viewport::sized(16.0 + v, 8.0) }
        })
    }

    fn rects(&self) -> [Rect; 16] {
        let v = self.variant as i32;
        std::array::from_fn(|i| Rect { left: -(i as i32), top: v, right: 10 + i as i32, bottom: 12 + v })
    }

    fn factor(&self) -> [f32; 4] {
        [0.25, 0.5, self.variant as f32, 1.0]
    }

    /// Binds the objects to every slot of the context, with the variant's numbers.
    pub fn bind(&self, context: &mut DeviceContext) {
        let v = self.variant;
        context.ia_set_input_layout(&self.layout);
        let buffers: Vec<_> = self.alternate(&self.vertices, 32);
        let buffers: Vec<_> = (0..32)
            .zip(buffers)
            .map(|(i, buffer)| VertexBufferBinding { buffer, stride: 16 + i + v, offset: 4 * i })
            .collect();
        context.ia_set_vertex_buffers(0, &buffers[..]);
        context.ia_set_index_buffer(&self.indices, Format::R16_UINT, 2 + 2 * v);
        context.ia_set_primitive_topology(PrimitiveTopology::LineStrip);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        let constants = self.alternate(&self.constants, 14);
        let ranges: Vec<_> = (0..14).map(|slot| self.range(slot)).collect();
        context.vs_set_constant_buffers1(0, &constants[..], &ranges);
        context.ps_set_constant_buffers(0, &constants[..]);
        let views = self.alternate(&self.views, 128);
        context.vs_set_shader_resources(0, &views[..]);
        context.ps_set_shader_resources(0, &views[..]);
        let samplers = self.alternate(&self.samplers, 16);
        context.vs_set_samplers(0, &samplers[..]);
        context.ps_set_samplers(0, &samplers[..]);
        context.rs_set_state(&self.rasterizer);
        context.rs_set_viewports(self.viewports());
        context.rs_set_scissor_rects(self.rects());
        context.om_set_blend_state(&self.blend, self.factor(), 0x55 + v);
        context.om_set_depth_stencil_state(&self.depth_stencil, 0x80 + v);
        context.om_set_render_targets(&self.targets, &self.depth);
        context.set_predication(&self.predicate, true);
    }

    /// Returns the snapshot of a context right after [`Everything::bind`].
    pub fn snapshot(&self) -> Snapshot {
        let v = self.variant;
        let whole = ConstantRange { first_constant: 0, num_constants: 4096 };
        let constants: Vec<_> = self.alternate(&self.constants, 14).into_iter().cloned().map(Some).collect();
        let some = |items: Vec<&SamplerState>| items.into_iter().cloned().map(Some).collect::<Vec<_>>();
        let resources: Vec<_> = self.alternate(&self.views, 128).into_iter().cloned().map(Some).collect();
        let samplers = some(self.alternate(&self.samplers, 16));
        let stage = |range: &dyn Fn(u32) -> ConstantRange| Stage {
            constant_buffers: (constants.clone(), (0..14).map(range).collect()),
            resources: resources.clone(),
            samplers: samplers.clone(),
        };
        let vertices = self.alternate(&self.vertices, 32).into_iter().cloned();
        Snapshot {
            input_layout: Some(self.layout.clone()),
            vertex_buffers: vertices.zip(0..).map(|(b, i)| (Some(b), 16 + i + v, 4 * i)).collect(),
            index_buffer: (Some(self.indices.clone()), Format::R16_UINT, 2 + 2 * v),
            topology: PrimitiveTopology::LineStrip,
            vertex_shader: Some(self.vs.clone()),
            pixel_shader: Some(self.ps.clone()),
            stages: [stage(&|slot| self.range(slot)), stage(&|_| whole)],
            rasterizer: Some(self.rasterizer.clone()),
            viewports: self.viewports().to_vec(),
            scissor_rects: self.rects().to_vec(),
            blend: (Some(self.blend.clone()), self.factor(), 0x55 + v),
            depth_stencil: (Some(self.depth_stencil.clone()), 0x80 + v),
            targets: (self.targets.iter().cloned().map(Some).collect(), Some(self.depth.clone())),
            predication: (Some(self.predicate.clone()), true),
        }
    }
}
