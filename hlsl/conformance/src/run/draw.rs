use onze::{
    BindFlags, Buffer, BufferDesc, ComparisonFunc, CullMode, DepthStencilDesc, Device, Filter,
    FilterReduction, InputElementDesc, PrimitiveTopology, RasterizerDesc, RenderTargetView, SamplerDesc,
    SamplerState, ShaderResourceView, ShaderSource, TextureAddressMode, UnorderedAccessView,
    VertexBufferBinding, VertexShader, Viewport, bytemuck::cast_slice,
};

use super::{
    Program, Runner,
    objects::{Memory, View, format, texel},
};
use crate::compiler;
use crate::shader_test::{
    Address, Binding, Command, Comparison, Filter as TestFilter, Format, InputElement, Resource, Sampler,
    Stage, Topology,
};

const QUAD: [[f32; 2]; 3] = [[-2.0, -2.0], [-2.0, 4.0], [4.0, -2.0]];

/// The default vertex shader, in WGSL, which passes the position through unchanged.
const PASS: &str =
    "@vertex fn main(@location(0) position: vec4f) -> @builtin(position) vec4f { return position; }";

const OUTPUTS: usize = 8;

fn text(error: onze::Error) -> String {
    format!("onze: {error}")
}

impl Runner<'_> {
    pub(super) fn render(&mut self, command: &Command) -> Result<(), String> {
        match command {
            Command::DrawQuad => {
                self.set_default_target()?;
                self.layout = vec![InputElement {
                    slot: 0,
                    format: Format::R32G32Float,
                    name: "position".to_owned(),
                    index: 0,
                }];
                self.set_resource(&Resource {
                    binding: Binding::VertexBuffer(0),
                    format: Format::R32G32Float,
                    stride: None,
                    size: None,
                    levels: 1,
                    data: cast_slice(&QUAD).to_vec(),
                })?;
                self.draw(PrimitiveTopology::TriangleList, 3, 1)
            }
            Command::Draw { topology, vertices, instances } => {
                self.set_default_target()?;
                let topology = match *topology {
                    Topology::TriangleList => PrimitiveTopology::TriangleList,
                    Topology::TriangleStrip => PrimitiveTopology::TriangleStrip,
                    Topology::PointList => PrimitiveTopology::PointList,
                    Topology::Patches(points) => PrimitiveTopology::patch_list(points)
                        .ok_or_else(|| format!("patches of {points} control points"))?,
                };
                self.draw(topology, *vertices, *instances)
            }
            Command::Dispatch(groups) => self.dispatch(*groups),
            _ => Ok(()),
        }
    }

    fn draw(&mut self, topology: PrimitiveTopology, vertices: u32, instances: u32) -> Result<(), String> {
        let vs = self.vertex_shader()?;
        let pixel = self.program(Stage::Pixel).map_err(|error| format!("ps: {error}"))?;
        let ps = match self.has_other_stages() {
            true => self.hlsl(Stage::Pixel, Device::create_pixel_shader)?,
            false => {
                let source = ShaderSource::naga(&pixel.module, entry(&pixel.module));
                Some(self.device.create_pixel_shader(source).map_err(text)?)
            }
        };
        let hs = self.hlsl(Stage::Hull, Device::create_hull_shader)?;
        let ds = self.hlsl(Stage::Domain, Device::create_domain_shader)?;
        let gs = self.hlsl(Stage::Geometry, Device::create_geometry_shader)?;
        self.context.clear_state();
        self.set_inputs(&vs)?;
        let vs_constants = self.constants_of(Stage::Vertex)?;
        let hs_constants = self.constants_of(Stage::Hull)?;
        let ds_constants = self.constants_of(Stage::Domain)?;
        let gs_constants = self.constants_of(Stage::Geometry)?;
        let ps_constants = self.constants(&pixel.defaults)?;
        let samplers = self.sampler_states()?;
        let views = self.shader_resources();
        let desc = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let rasterizer = self.device.create_rasterizer_state(&desc).map_err(text)?;
        self.set_targets()?;
        let context = &mut self.context;
        context.ia_set_primitive_topology(topology);
        context.rs_set_state(&rasterizer);
        context.om_set_blend_state(None, [1.0; 4], self.sample_mask);
        context.vs_set_shader(&vs);
        context.hs_set_shader(hs.as_ref());
        context.ds_set_shader(ds.as_ref());
        context.gs_set_shader(gs.as_ref());
        context.ps_set_shader(ps.as_ref());
        if let Some(constants) = &vs_constants {
            context.vs_set_constant_buffers(0, constants);
        }
        if let Some(constants) = &hs_constants {
            context.hs_set_constant_buffers(0, constants);
        }
        if let Some(constants) = &ds_constants {
            context.ds_set_constant_buffers(0, constants);
        }
        if let Some(constants) = &gs_constants {
            context.gs_set_constant_buffers(0, constants);
        }
        if let Some(constants) = &ps_constants {
            context.ps_set_constant_buffers(0, constants);
        }
        context.vs_set_samplers(0, &samplers);
        context.hs_set_samplers(0, &samplers);
        context.ds_set_samplers(0, &samplers);
        context.gs_set_samplers(0, &samplers);
        context.ps_set_samplers(0, &samplers);
        context.vs_set_shader_resources(0, &views);
        context.hs_set_shader_resources(0, &views);
        context.ds_set_shader_resources(0, &views);
        context.gs_set_shader_resources(0, &views);
        context.ps_set_shader_resources(0, &views);
        context.draw_instanced(vertices, instances, 0, 0);
        Ok(())
    }

    fn dispatch(&mut self, [x, y, z]: [u32; 3]) -> Result<(), String> {
        let program = self.program(Stage::Compute).map_err(|error| format!("cs: {error}"))?;
        let source = ShaderSource::naga(&program.module, entry(&program.module));
        let cs = self.device.create_compute_shader(source).map_err(text)?;
        self.context.clear_state();
        let constants = self.constants(&program.defaults)?;
        let samplers = self.sampler_states()?;
        let views = self.shader_resources();
        let (outputs, counts) = self.outputs(0);
        let context = &mut self.context;
        context.cs_set_shader(&cs);
        if let Some(constants) = &constants {
            context.cs_set_constant_buffers(0, constants);
        }
        context.cs_set_samplers(0, &samplers);
        context.cs_set_shader_resources(0, &views);
        context.cs_set_unordered_access_views_with_counts(0, &outputs, &counts);
        context.dispatch(x, y, z);
        Ok(())
    }

    /// Returns whether the device compiles all shaders of the test, because a module of naga cannot represent the stages
    /// or system values of one of them.
    fn has_other_stages(&self) -> bool {
        !self.limits.capabilities.is_empty()
            || [Stage::Geometry, Stage::Hull, Stage::Domain].into_iter().any(|stage| self.has(stage))
    }

    /// Creates the shader of a stage from its text, if the test has one.
    fn hlsl<T>(
        &self,
        stage: Stage,
        create: impl FnOnce(&Device, ShaderSource<'_>) -> Result<T, onze::Error>,
    ) -> Result<Option<T>, String> {
        if !self.has(stage) {
            return Ok(None);
        }
        let unit = self.unit(stage)?;
        let created = compiler::with_options(&unit, |options| {
            create(&self.device, ShaderSource::hlsl_with(&unit.source, &unit.entry, options))
        });
        created.map(Some).map_err(|error| format!("{stage:?}: {}", text(error)))
    }

    /// Returns constant buffer 0 of a stage, if the test has a shader for it.
    fn constants_of(&mut self, stage: Stage) -> Result<Option<Buffer>, String> {
        if !self.has(stage) {
            return Ok(None);
        }
        let program = self.program(stage)?;
        self.constants(&program.defaults)
    }

    fn vertex_shader(&mut self) -> Result<VertexShader, String> {
        if !self.has(Stage::Vertex) {
            return self.device.create_vertex_shader(ShaderSource::wgsl(PASS, "main")).map_err(text);
        }
        if self.has_other_stages() {
            let vs = self.hlsl(Stage::Vertex, Device::create_vertex_shader)?;
            return vs.ok_or_else(|| "there is no vertex shader".to_owned());
        }
        let Program { module, .. } = self.program(Stage::Vertex).map_err(|error| format!("vs: {error}"))?;
        self.device.create_vertex_shader(ShaderSource::naga(&module, entry(&module))).map_err(text)
    }

    fn set_inputs(&mut self, vs: &VertexShader) -> Result<(), String> {
        if !self.layout.is_empty() {
            let elements: Vec<_> = self
                .layout
                .iter()
                .map(|element| {
                    let InputElement { slot, format: kind, name, index } = element;
                    InputElementDesc::new(name.clone(), *index, format(*kind)).slot(*slot)
                })
                .collect();
            let layout = self.device.create_input_layout(&elements, vs).map_err(text)?;
            self.context.ia_set_input_layout(&layout);
        }
        for bound in &self.resources {
            let (Binding::VertexBuffer(slot), Memory::Buffer(buffer)) = (bound.binding, &bound.memory) else {
                continue;
            };
            let elements = self.layout.iter().filter(|element| element.slot == slot);
            let stride = elements.map(|element| texel(element.format)).sum();
            let binding = VertexBufferBinding { buffer, stride, offset: 0 };
            self.context.ia_set_vertex_buffers(slot, [Some(binding)]);
        }
        Ok(())
    }

    /// Binds the render targets, viewports of their size, and the unordered access views of pixel shaders.
    fn set_targets(&mut self) -> Result<(), String> {
        let mut targets: Vec<Option<RenderTargetView>> = Vec::new();
        let mut depth = None;
        let mut size = [u32::MAX; 2];
        for bound in &self.resources {
            match (bound.binding, &bound.view) {
                (Binding::RenderTarget(slot), View::Target(view)) => {
                    let slot = slot as usize;
                    if targets.len() <= slot {
                        targets.resize(slot + 1, None);
                    }
                    targets[slot] = Some(view.clone());
                }
                (Binding::DepthStencil, View::Depth(view)) => depth = Some(view.clone()),
                _ => continue,
            }
            size = [size[0].min(bound.size[0]), size[1].min(bound.size[1])];
        }
        if depth.is_some() {
            let desc = DepthStencilDesc { depth_func: comparison(self.depth), ..DepthStencilDesc::default() };
            let state = self.device.create_depth_stencil_state(&desc).map_err(text)?;
            self.context.om_set_depth_stencil_state(&state, 0);
        }
        let first = self.resources.iter().filter_map(|bound| match bound.binding {
            Binding::UnorderedAccess(slot) => Some(slot),
            _ => None,
        });
        let first = first.min();
        // Render targets and unordered access views share slots, and the views take precedence.
        targets.truncate(first.map_or(targets.len(), |first| first as usize));
        match first {
            None => self.context.om_set_render_targets(&targets, &depth),
            Some(first) => {
                let (outputs, counts) = self.outputs(first as usize);
                self.context.om_set_render_targets_and_unordered_access_views(
                    &targets, &depth, first, &outputs, &counts,
                );
            }
        }
        let mut viewports: Vec<_> = self
            .viewports
            .values()
            .map(|[x, y, width, height]| Viewport {
                top_left_x: *x,
                top_left_y: *y,
                ..Viewport::sized(*width, *height)
            })
            .collect();
        if viewports.is_empty() {
            viewports.push(Viewport::sized(size[0] as f32, size[1] as f32));
        }
        self.context.rs_set_viewports(viewports.as_slice());
        Ok(())
    }

    /// Returns the unordered access views from slot `first` on, and the initial values of their counters.
    fn outputs(&mut self, first: usize) -> (Vec<Option<UnorderedAccessView>>, Vec<u32>) {
        let mut views = vec![None; OUTPUTS - first.min(OUTPUTS)];
        let mut counts = vec![u32::MAX; views.len()];
        for bound in &mut self.resources {
            let (Binding::UnorderedAccess(slot), View::Output(view)) = (bound.binding, &bound.view) else {
                continue;
            };
            if let Some(place) = (slot as usize).checked_sub(first).filter(|place| *place < views.len()) {
                views[place] = Some(view.clone());
                counts[place] = bound.count.take().unwrap_or(u32::MAX);
            }
        }
        (views, counts)
    }

    fn shader_resources(&self) -> Vec<Option<ShaderResourceView>> {
        let mut views = Vec::new();
        for bound in &self.resources {
            if let (Binding::ShaderResource(slot), View::Input(view)) = (bound.binding, &bound.view) {
                let slot = slot as usize;
                if views.len() <= slot {
                    views.resize(slot + 1, None);
                }
                views[slot] = Some(view.clone());
            }
        }
        views
    }

    /// Returns constant buffer 0, filled with the uniforms that were set, or the program's default values if
    /// none were set.
    fn constants(&self, defaults: &[u32]) -> Result<Option<Buffer>, String> {
        let words = if self.uniforms.is_empty() { defaults } else { &self.uniforms };
        if words.is_empty() {
            return Ok(None);
        }
        let bytes: &[u8] = cast_slice(words);
        let desc = BufferDesc::new(bytes.len() as u32, BindFlags::CONSTANT_BUFFER);
        self.device.create_buffer(&desc, Some(bytes)).map(Some).map_err(text)
    }

    fn sampler_states(&self) -> Result<Vec<Option<SamplerState>>, String> {
        let mut states = Vec::new();
        for (slot, sampler) in &self.samplers {
            let slot = *slot as usize;
            if states.len() <= slot {
                states.resize(slot + 1, None);
            }
            states[slot] = Some(self.device.create_sampler_state(&sampler_desc(sampler)).map_err(text)?);
        }
        Ok(states)
    }
}

fn entry(module: &naga::Module) -> &str {
    module.entry_points.first().map_or("main", |point| point.name.as_str())
}

fn comparison(comparison: Comparison) -> ComparisonFunc {
    match comparison {
        Comparison::Never => ComparisonFunc::Never,
        Comparison::Less => ComparisonFunc::Less,
        Comparison::Equal => ComparisonFunc::Equal,
        Comparison::LessEqual => ComparisonFunc::LessEqual,
        Comparison::Greater => ComparisonFunc::Greater,
        Comparison::NotEqual => ComparisonFunc::NotEqual,
        Comparison::GreaterEqual => ComparisonFunc::GreaterEqual,
        Comparison::Always => ComparisonFunc::Always,
    }
}

fn sampler_desc(sampler: &Sampler) -> SamplerDesc {
    let [min_linear, mag_linear, mip_linear] = sampler.filter.map(|filter| filter == TestFilter::Linear);
    let reduction = match sampler.comparison {
        Some(_) => FilterReduction::Comparison,
        None => FilterReduction::Standard,
    };
    let [address_u, address_v, address_w] = sampler.address.map(|address| match address {
        Address::Clamp => TextureAddressMode::Clamp,
        Address::Wrap => TextureAddressMode::Wrap,
        Address::Mirror => TextureAddressMode::Mirror,
        Address::MirrorOnce => TextureAddressMode::MirrorOnce,
        Address::Border => TextureAddressMode::Border,
    });
    SamplerDesc {
        filter: Filter { min_linear, mag_linear, mip_linear, anisotropic: false, reduction },
        address_u,
        address_v,
        address_w,
        comparison_func: sampler.comparison.map_or(ComparisonFunc::Never, comparison),
        border_color: [0.0; 4],
        min_lod: 0.0,
        ..SamplerDesc::default()
    }
}
