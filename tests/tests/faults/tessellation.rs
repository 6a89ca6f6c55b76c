//! A scene with tessellation: patches that become columns of the target, drawn with and without a geometry shader, and
//! written to a buffer.

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::Backend;

use super::{Reports, Step, drop_objects, end_event, execute_list, finish_list, wait_for_event};

/// Each patch is a column with its number, and the factors of one patch cull it. The geometry shader adds 10.
const SHADER: &str = "
    struct V { @builtin(position) at: vec4f, @location(0) @interpolate(flat) number: u32 }
    struct P { @location(0) number: u32 }
    struct C { tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>, @location(0) number: u32 }
    @group(1) @binding(0) var<storage> factors: array<f32>;
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> V { return V(vec4f(), index); }
    fn points(v: array<V, 1>, point: u32) -> P { return P(v[0].number * 2u + point); }
    fn constants(points: array<P, 2>, patch_id: u32) -> C {
        let factor = factors[patch_id];
        return C(array(factor, factor, factor, factor), array(factor, factor), points[1].number - points[0].number);
    }
    fn place(c: C, points: array<P, 2>, uv: vec3f) -> V {
        let number = points[0].number / 2u;
        return V(vec4f((f32(number) + uv.x) / 4.0 - 1.0, uv.y * 2.0 - 1.0, 0.0, 1.0), number + c.number);
    }
    fn append0(vertex: V) {}
    fn expand(v: array<V, 3>) {
        for (var k = 0u; k < 3u; k++) { append0(V(v[k].at, v[k].number + 10u)); }
    }
    @fragment fn ps_main(v: V) -> @location(0) vec4f { return vec4f(f32(v.number) / 255.0, 0.0, 0.0, 1.0); }";

/// Number of patches and of columns in the target.
const COUNT: u32 = 8;

/// The patch whose factors are 0.
const CULLED: u32 = 3;

/// The features of the scene.
pub(super) const FEATURES: Features = Features::TESSELLATION.union(Features::STREAM_OUTPUT);

/// Words of the buffer, three for each of the two triangles of a patch.
const WORDS: usize = (6 * (COUNT - 1)) as usize;

#[derive(Clone)]
pub(super) struct Patches {
    factors: ShaderResourceView,
    arguments: Buffer,
    written: Buffer,
    vs: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    gs: GeometryShader,
    so: GeometryShader,
    ps: PixelShader,
    uncut: RasterizerState,
}

fn create_hull_shader(device: &Device) -> Result<HullShader, onze::Error> {
    let desc = HullShaderDesc::new(TessellatorDomain::Quad, 1).with_control_points("points", 2);
    device.create_hull_shader(ShaderSource::wgsl_hull(SHADER, "constants", &desc))
}

fn create_domain_shader(device: &Device) -> Result<DomainShader, onze::Error> {
    device.create_domain_shader(ShaderSource::wgsl_domain(SHADER, "place", TessellatorDomain::Quad))
}

fn create_stream_shader(device: &Device, shader: &DomainShader) -> Result<GeometryShader, onze::Error> {
    let entries = [SoDeclarationEntry::at_location(0, 1)];
    device.create_geometry_shader_with_stream_output(shader, &entries, &[], None)
}

impl Patches {
    pub(super) fn new(device: &Device) -> Result<Self, onze::Error> {
        let factors: Vec<f32> = (0..COUNT).map(|n| if n == CULLED { 0.0 } else { 1.0 }).collect();
        let desc = BufferDesc::structured(4, COUNT, BindFlags::SHADER_RESOURCE);
        let factors = device.create_buffer(&desc, Some(bytemuck::cast_slice(&factors)))?;
        let arguments = BufferDesc::indirect(16, BindFlags::empty());
        let ds = create_domain_shader(device)?;
        let triangles = [StreamTopology::TriangleStrips];
        let geometry = GeometryShaderDesc::new(InputPrimitive::Triangle, 3, &triangles);
        let uncut = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        Ok(Self {
            factors: factors.create_shader_resource_view()?,
            arguments: device.create_buffer(&arguments, Some(bytemuck::cast_slice(&[COUNT, 1_u32, 0, 0])))?,
            written: device
                .create_buffer(&BufferDesc::new(4 * WORDS as u32, BindFlags::STREAM_OUTPUT), None)?,
            vs: device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?,
            hs: create_hull_shader(device)?,
            so: create_stream_shader(device, &ds)?,
            ds,
            gs: device.create_geometry_shader(ShaderSource::wgsl_geometry(SHADER, "expand", &geometry))?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            uncut: device.create_rasterizer_state(&uncut)?,
        })
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.hs_set_shader(&self.hs);
        cx.ds_set_shader(&self.ds);
        cx.gs_set_shader(None);
        cx.ps_set_shader(&self.ps);
        cx.hs_set_shader_resources(0, &self.factors);
        cx.rs_set_state(&self.uncut);
        cx.ia_set_input_layout(None);
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
    }

    fn write(&self, cx: &mut DeviceContext) {
        cx.gs_set_shader(&self.so);
        cx.so_set_targets(StreamOutputBinding::new(&self.written, 0));
        cx.draw(COUNT, 0);
        cx.so_set_targets(None);
    }

    fn clear_written(&self, cx: &mut DeviceContext) {
        cx.update_subresource(&self.written, 0, None, &[77_u32; WORDS], 0, 0);
    }

    /// Writes to the buffer, then draws all columns, and half of them again with the geometry shader.
    pub(super) fn run(&self, cx: &mut DeviceContext) {
        self.clear_written(cx);
        self.bind(cx);
        cx.prepare_draw();
        self.write(cx);
        cx.gs_set_shader(None);
        cx.draw_instanced_indirect(&self.arguments, 0);
        cx.gs_set_shader(&self.gs);
        cx.draw_instanced(COUNT / 2, 2, 0, 0);
        cx.gs_set_shader(None);
        cx.hs_set_shader(None);
        cx.ds_set_shader(None);
    }
}

/// Returns the numbers of the columns, where the first ones have been drawn with the geometry shader.
fn columns(draws: bool, expanded: u32) -> Vec<u32> {
    let column = |n: u32| if n < expanded { n + 11 } else { n + 1 };
    (0..COUNT).map(|n| if draws && n != CULLED { column(n) } else { 0 }).collect()
}

/// Returns the expected words of the buffer. The null driver only makes the update.
fn words(draws: bool) -> Vec<u32> {
    if !draws {
        return vec![77; WORDS];
    }
    (0..COUNT).filter(|n| *n != CULLED).flat_map(|n| [n + 1; 6]).collect()
}

fn first_row(picture: &[u8]) -> Vec<u32> {
    picture.chunks_exact(4).take(COUNT as usize).map(|texel| texel[0].into()).collect()
}

/// Calls a function with the immediate context and the patches.
fn with(w: &mut super::World, call: impl FnOnce(&mut ImmediateContext, &Patches)) -> Result<(), onze::Error> {
    if let Some(patches) = &w.patches {
        call(&mut w.immediate, patches);
    }
    Ok(())
}

fn expect_columns(w: &mut super::World, expanded: u32) -> Result<(), onze::Error> {
    let picture = w.immediate.read_texture_2d(&w.target.texture, 0)?;
    assert_eq!(first_row(&picture), columns(w.draws, expanded));
    Ok(())
}

fn expect_words(w: &mut super::World) -> Result<(), onze::Error> {
    let Some(patches) = &w.patches else { return Ok(()) };
    let found: Vec<u32> = w.immediate.read_buffer(&patches.written)?;
    assert_eq!(found, words(w.draws));
    Ok(())
}

/// Every call that takes part in tessellation, in the form of [`super::SCENE`].
pub(super) const SCENE: &[Step] = &[
    ("create a hull shader", Reports::Removed, |w| {
        let shader = create_hull_shader(&w.device);
        w.keep(shader)
    }),
    ("create a domain shader", Reports::Removed, |w| {
        let shader = create_domain_shader(&w.device);
        w.keep(shader)
    }),
    ("create a stream-output shader from a domain shader", Reports::Removed, |w| {
        let Some(patches) = &w.patches else { return Ok(()) };
        let shader = create_stream_shader(&w.device, &patches.ds);
        w.keep(shader)
    }),
    ("bind for patches", Reports::Nothing, |w| {
        w.target.bind(&mut w.immediate);
        w.immediate.clear_render_target_view(&w.target.view, [0.0; 4]);
        with(w, |cx, patches| patches.bind(cx))
    }),
    ("prepare a draw of patches", Reports::Nothing, |w| {
        w.immediate.prepare_draw();
        Ok(())
    }),
    ("draw patches", Reports::Nothing, |w| {
        w.immediate.draw(COUNT, 0);
        Ok(())
    }),
    ("read drawn patches", Reports::Removed, |w| expect_columns(w, 0)),
    ("prepare a draw with a geometry shader", Reports::Nothing, |w| {
        with(w, |cx, patches| {
            cx.gs_set_shader(&patches.gs);
            cx.prepare_draw();
        })
    }),
    ("draw patches with a geometry shader", Reports::Nothing, |w| {
        with(w, |cx, patches| cx.draw_instanced_indirect(&patches.arguments, 0))
    }),
    ("read expanded patches", Reports::Removed, |w| expect_columns(w, COUNT)),
    ("write patches to a buffer", Reports::Nothing, |w| {
        with(w, |cx, patches| {
            patches.clear_written(cx);
            patches.write(cx);
        })
    }),
    ("read written patches", Reports::Removed, expect_words),
    ("record patches", Reports::Nothing, |w| {
        let (target, patches) = (w.target.clone(), w.patches.clone());
        let (Some(cx), Some(patches)) = (w.deferred(), patches) else { return Ok(()) };
        target.bind(cx);
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        patches.run(cx);
        Ok(())
    }),
    ("finish patches", Reports::Removed, finish_list),
    ("execute patches", Reports::Nothing, execute_list),
    ("end an event after patches", Reports::Nothing, end_event),
    ("wait for the patches", Reports::Removed, wait_for_event),
    ("read patches that a list has written", Reports::Removed, expect_words),
    ("drop", Reports::Nothing, drop_objects),
    ("read patches that a list has drawn", Reports::Removed, |w| expect_columns(w, COUNT / 2)),
];

/// Runs a scene on the immediate context and then in a list, while the test makes its allocations fail.
pub(super) fn allocate_and_run(
    backend: Backend,
    device: &Device,
    cx: &mut ImmediateContext,
) -> Result<(), onze::Error> {
    let draws = backend == Backend::Gpu;
    for is_list in [false, true] {
        let patches = Patches::new(device)?;
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, COUNT, COUNT)?;
        let run = |cx: &mut DeviceContext| {
            cx.om_set_render_targets(&target.render_target_view, None);
            cx.rs_set_viewports(Viewport::sized(COUNT as f32, COUNT as f32));
            cx.clear_render_target_view(&target.render_target_view, [0.0; 4]);
            patches.run(cx);
        };
        if is_list {
            let mut deferred = device.create_deferred_context()?;
            run(&mut deferred);
            cx.execute_command_list(&deferred.finish_command_list(false)?, false);
        } else {
            run(cx);
            cx.clear_state();
        }
        assert_eq!(cx.read_buffer::<u32>(&patches.written)?, words(draws), "a list: {is_list}");
        let picture = cx.read_texture_2d(&target.texture, 0)?;
        assert_eq!(first_row(&picture), columns(draws, COUNT / 2), "a list: {is_list}");
    }
    Ok(())
}
