//! The frames with Onze, which tessellate patches.

use onze::{AdapterInfo, prelude::*};
use onze_benches::backend::Backend;

use super::{DomainPoint, Frame, Patch, Result, SIDE, SIZE, patches};

const SHADERS: &str = "
    struct VertexOutput { @builtin(position) position: vec4f, @location(0) cell: vec4f }
    struct P { @location(0) cell: vec4f }
    struct C { tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>, @location(0) unused: f32 }
    struct O { @builtin(position) position: vec4f, @location(0) color: vec2f, @location(1) uv: vec2f }
    @vertex fn vs_main(@location(0) cell: vec4f) -> VertexOutput { return VertexOutput(vec4f(), cell); }
    fn constants(v: array<P, 1>) -> C {
        return C(array(FACTOR, FACTOR, FACTOR, FACTOR), array(FACTOR, FACTOR), v[0].cell.x);
    }
    fn ds_main(c: C, points: array<P, 1>, uv: vec3f) -> O {
        let cell = points[0].cell;
        return O(vec4f(cell.xy + uv.xy * SIDE, 0.5, 1.0), cell.zw * uv.x, uv.xy);
    }
    @vertex fn plain(@location(0) cell: vec4f) -> O {
        return O(vec4f(cell.xy, 0.5, 1.0), cell.zw, vec2f());
    }
    @fragment fn ps_main(o: O) -> @location(0) vec4f { return vec4f(o.color, 0.5, 1.0); }";

pub(crate) struct OnzeSide {
    frame: Frame,
    device: Device,
    context: ImmediateContext,
    vs: VertexShader,
    plain: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    ps: PixelShader,
    layout: InputLayout,
    patches: Buffer,
    both_sides: RasterizerState,
    target: Texture2d,
    view: RenderTargetView,
    done: Fence,
    frames: u64,
}

impl OnzeSide {
    pub(crate) fn new(backend: Backend, frame: Frame) -> Result<Self> {
        let desc = DeviceDesc { geometry_memory: frame.memory, ..DeviceDesc::default() };
        let (device, context) = backend.onze_device_with(desc)?;
        let text = SHADERS.replace("FACTOR", &format!("{:?}", frame.factor as f32));
        let text = text.replace("SIDE", &format!("{SIDE:?}"));
        let wgsl = |name| ShaderSource::wgsl(&text, name);
        let vs = device.create_vertex_shader(wgsl("vs_main"))?;
        let hull = HullShaderDesc::new(TessellatorDomain::Quad, 1);
        let layout = [InputElementDesc::new("CELL", 0, Format::R32G32B32A32_FLOAT).at_location(0)];
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
        let target = device.create_texture_2d(&target, None)?;
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let all = patches(frame.patches * frame.draws);
        Ok(Self {
            hs: device.create_hull_shader(ShaderSource::wgsl_hull(&text, "constants", &hull))?,
            ds: device.create_domain_shader(ShaderSource::wgsl_domain(&text, "ds_main", hull.domain))?,
            plain: device.create_vertex_shader(wgsl("plain"))?,
            ps: device.create_pixel_shader(wgsl("ps_main"))?,
            layout: device.create_input_layout(&layout, &vs)?,
            patches: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &all)?,
            both_sides: device.create_rasterizer_state(&both)?,
            view: device.create_render_target_view(&target, None)?,
            done: device.create_fence(0),
            frames: 0,
            frame,
            target,
            vs,
            device,
            context,
        })
    }

    pub(crate) fn adapter(&self) -> AdapterInfo {
        self.device.adapter().clone()
    }

    fn bind(&mut self) {
        let context = &mut self.context;
        context.clear_render_target_view(&self.view, [0.0, 0.0, 0.0, 1.0]);
        context.om_set_render_targets(&self.view, None);
        // Outside of the target, nothing is visible.
        let left = if self.frame.is_hidden { 2.0 * SIZE as f32 } else { 0.0 };
        context.rs_set_viewports(Viewport { top_left_x: left, ..Viewport::sized(SIZE as f32, SIZE as f32) });
        context.rs_set_state(&self.both_sides);
        context.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &[(Some(self.patches.clone()), size_of::<Patch>() as u32, 0)][..]);
        context.vs_set_shader(&self.vs);
        context.hs_set_shader(&self.hs);
        context.ds_set_shader(&self.ds);
        context.ps_set_shader(&self.ps);
    }

    /// Draws a frame, and waits until the GPU has drawn it.
    pub(crate) fn frame(&mut self) -> Result<()> {
        self.bind();
        let Frame { patches, draws, .. } = self.frame;
        (0..draws).for_each(|n| self.context.draw(patches, n * patches));
        self.wait()
    }

    /// Draws a triangle without tessellation.
    pub(crate) fn plain_frame(&mut self) -> Result<()> {
        self.bind();
        self.context.vs_set_shader(&self.plain);
        self.context.hs_set_shader(None);
        self.context.ds_set_shader(None);
        self.context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        self.context.draw(3, 0);
        self.wait()
    }

    fn wait(&mut self) -> Result<()> {
        self.frames += 1;
        self.context.signal(&self.done, self.frames)?;
        // The thread sleeps, so its wait takes no CPU time.
        self.done.wait_for_value(self.frames, None)?;
        Ok(())
    }

    /// Returns the domain points of the corners of a patch.
    pub(crate) fn mesh(&mut self) -> Result<Vec<DomainPoint>> {
        let entries = [SoDeclarationEntry::at_location(1, 2)];
        let stream = self.device.create_geometry_shader_with_stream_output(&self.ds, &entries, &[], None)?;
        let corners = 6 * self.frame.factor * self.frame.factor;
        let bytes = corners * size_of::<DomainPoint>() as u32;
        let written = self.device.create_buffer(&BufferDesc::new(bytes, BindFlags::STREAM_OUTPUT), None)?;
        self.bind();
        self.context.gs_set_shader(&stream);
        self.context.so_set_targets(StreamOutputBinding::new(&written, 0));
        self.context.draw(1, 0);
        self.context.so_set_targets(None);
        self.context.gs_set_shader(None);
        Ok(self.context.read_buffer(&written)?)
    }

    /// Returns the texels of the target.
    pub(crate) fn result(&mut self) -> Result<Vec<u8>> {
        Ok(self.context.read_texture_2d(&self.target, 0)?)
    }
}
