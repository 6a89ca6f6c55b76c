//! The frames with Onze, which use geometry shaders.

use onze::{AdapterInfo, StoredGeometry, prelude::*};
use onze_benches::backend::Backend;

use super::{CUBE_DRAWS, DISC_VERTICES, DISCS, DRAWS, FACES, POINTS, Point, Result, SIZE, WRITTEN, points};

/// The draws of a frame.
#[derive(Copy, Clone, Debug)]
pub(crate) enum OnzeWay {
    /// One draw, with a quad for each point.
    Quads,
    /// The same, with a geometry shader that could end a strip anywhere.
    CutQuads,
    /// A draw for each of the first points.
    ManyQuads,
    /// One draw, with a strip of many vertices for each of the first points.
    Discs,
    /// Draws whose primitives go to all faces of a cube.
    Faces,
    /// One draw that writes the results of its vertex shader to a buffer.
    Stream,
}

const SHADERS: &str = "
    struct V { @location(0) point_at: vec4f }
    struct VertexOutput { @builtin(position) position: vec4f, @location(0) point_at: vec4f }
    struct O { @builtin(position) position: vec4f, @location(0) color: vec2f }
    @vertex fn vs_main(@location(0) point_at: vec4f) -> VertexOutput { return VertexOutput(vec4f(), point_at); }
    fn corner(v: V, k: u32) -> O {
        let to_corner = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
        return O(vec4f(v.point_at.xy + to_corner * 0.01, 0.5, 1.0), v.point_at.zw);
    }
    @fragment fn ps_main(o: O) -> @location(0) vec4f { return vec4f(o.color, 0.5, 1.0); }";

const MOVED: &str = "
    struct Moved { @builtin(position) position: vec4f, @location(0) moved: vec4f }
    @vertex fn main(@location(0) point_at: vec4f) -> Moved { return Moved(vec4f(), point_at * 2.0 + 1.0); }";

const QUADS: &str = "
    fn append0(vertex: O) {}
    fn main(v: array<V, 1>) {
        for (var k = 0u; k < 4u; k++) { append0(corner(v[0], k)); }
    }";

const CUT_QUADS: &str = "
    fn append0(vertex: O) {}
    fn restart0() {}
    fn main(v: array<V, 1>) {
        for (var k = 0u; k < 4u; k++) {
            append0(corner(v[0], k));
            if v[0].point_at.z > 2.0 { restart0(); }
        }
    }";

/// The vertices of the strip alternate between both sides of a disc.
const DISC: &str = "
    fn append0(vertex: O) {}
    fn main(v: array<V, 1>) {
        for (var k = 0u; k < 64u; k++) {
            let angle = f32(k / 2u + 1u) * 0.098 * select(1.0, -1.0, k % 2u == 1u);
            let to_corner = vec2f(cos(angle), sin(angle)) * 0.02;
            append0(O(vec4f(v[0].point_at.xy + to_corner, 0.5, 1.0), v[0].point_at.zw));
        }
    }";

const TO_FACES: &str = "
    struct F {
        @builtin(position) position: vec4f,
        @location(0) color: vec2f,
        @location(1) @interpolate(flat) layer: u32,
    }
    fn append0(vertex: F) {}
    fn main(v: array<V, 1>, primitive: u32, face: u32) {
        for (var k = 0u; k < 4u; k++) {
            let o = corner(v[0], k);
            append0(F(o.position, o.color, face));
        }
    }";

pub(crate) struct OnzeSide {
    device: Device,
    context: ImmediateContext,
    vs: VertexShader,
    quads: GeometryShader,
    cut_quads: GeometryShader,
    discs: GeometryShader,
    faces: GeometryShader,
    ps: PixelShader,
    layout: InputLayout,
    points: Buffer,
    both_sides: RasterizerState,
    target: Texture2d,
    view: RenderTargetView,
    cube_view: RenderTargetView,
    moved: VertexShader,
    stream: GeometryShader,
    many_points: Buffer,
    written: Buffer,
    done: Fence,
    frames: u64,
}

impl OnzeSide {
    pub(crate) fn new(backend: Backend, stored_geometry: StoredGeometry) -> Result<Self> {
        let desc = DeviceDesc { stored_geometry, ..DeviceDesc::default() };
        let (device, context) = backend.onze_device_with(desc)?;
        let geometry = |text, vertices, instances| {
            let desc =
                GeometryShaderDesc::new(InputPrimitive::Point, vertices, &[StreamTopology::TriangleStrips]);
            let text = format!("{SHADERS}{text}");
            let desc = desc.with_instances(instances);
            device.create_geometry_shader(ShaderSource::wgsl_geometry(&text, "main", &desc))
        };
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADERS, "vs_main"))?;
        let layout = [InputElementDesc::new("POINT", 0, Format::R32G32B32A32_FLOAT).at_location(0)];
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
        let cube = Texture2dDesc { array_size: FACES, ..target.clone() };
        let target = device.create_texture_2d(&target, None)?;
        let cube = device.create_texture_2d(&cube, None)?;
        let moved = device.create_vertex_shader(ShaderSource::wgsl(MOVED, "main"))?;
        let entries = [SoDeclarationEntry::at_location(0, 4)];
        let written = size_of::<Point>() as u32 * WRITTEN;
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        Ok(Self {
            quads: geometry(QUADS, 4, 1)?,
            cut_quads: geometry(CUT_QUADS, 4, 1)?,
            discs: geometry(DISC, DISC_VERTICES, 1)?,
            faces: geometry(TO_FACES, 4, FACES)?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADERS, "ps_main"))?,
            layout: device.create_input_layout(&layout, &vs)?,
            points: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &points(POINTS))?,
            stream: device.create_geometry_shader_with_stream_output(&moved, &entries, &[], None)?,
            many_points: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &points(WRITTEN))?,
            written: device.create_buffer(&BufferDesc::new(written, BindFlags::STREAM_OUTPUT), None)?,
            moved,
            both_sides: device.create_rasterizer_state(&both)?,
            view: device.create_render_target_view(&target, None)?,
            cube_view: device.create_render_target_view(&cube, None)?,
            done: device.create_fence(0),
            frames: 0,
            target,
            vs,
            device,
            context,
        })
    }

    pub(crate) fn adapter(&self) -> AdapterInfo {
        self.device.adapter().clone()
    }

    /// Draws a frame, and waits until the GPU has drawn it.
    pub(crate) fn frame(&mut self, way: OnzeWay) -> Result<()> {
        let context = &mut self.context;
        let (shader, view) = match way {
            OnzeWay::Quads | OnzeWay::ManyQuads => (&self.quads, &self.view),
            OnzeWay::CutQuads => (&self.cut_quads, &self.view),
            OnzeWay::Discs => (&self.discs, &self.view),
            OnzeWay::Faces => (&self.faces, &self.cube_view),
            OnzeWay::Stream => (&self.stream, &self.view),
        };
        context.clear_render_target_view(view, [0.0, 0.0, 0.0, 1.0]);
        context.om_set_render_targets(view, None);
        context.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
        context.rs_set_state(&self.both_sides);
        context.ia_set_primitive_topology(PrimitiveTopology::PointList);
        context.ia_set_input_layout(&self.layout);
        let (points, vs) = match way {
            OnzeWay::Stream => (&self.many_points, &self.moved),
            _ => (&self.points, &self.vs),
        };
        context.ia_set_vertex_buffers(0, &[(Some(points.clone()), size_of::<Point>() as u32, 0)][..]);
        context.vs_set_shader(vs);
        context.gs_set_shader(shader);
        context.ps_set_shader(&self.ps);
        match way {
            OnzeWay::Quads | OnzeWay::CutQuads => context.draw(POINTS, 0),
            OnzeWay::Discs => context.draw(DISCS, 0),
            OnzeWay::ManyQuads => (0..DRAWS).for_each(|n| context.draw(1, n)),
            OnzeWay::Faces => (0..CUBE_DRAWS).for_each(|n| context.draw(1, n)),
            OnzeWay::Stream => {
                context.so_set_targets(StreamOutputBinding::new(&self.written, 0));
                context.draw(WRITTEN, 0);
                context.so_set_targets(None);
            }
        }
        self.frames += 1;
        context.signal(&self.done, self.frames)?;
        // The thread sleeps, so its wait takes no CPU time.
        self.done.wait_for_value(self.frames, None)?;
        Ok(())
    }

    /// Returns the texels of the target, or the bytes of the buffer.
    pub(crate) fn result(&mut self, way: OnzeWay) -> Result<Vec<u8>> {
        Ok(match way {
            OnzeWay::Stream => self.context.read_buffer(&self.written)?,
            _ => self.context.read_texture_2d(&self.target, 0)?,
        })
    }
}
