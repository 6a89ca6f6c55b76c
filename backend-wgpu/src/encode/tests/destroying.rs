use std::sync::Arc;

use onze_ddi::{
    Format, GeometryProgram, GeometryStream, InputClassification, InputPrimitive, ShaderCode, ShaderProgram,
    ShaderStage, StreamOutputDesc, StreamTopology,
};

use crate::{
    encode::caches::{INVALIDATION_RUNS, UNUSED_RUNS},
    objects::{allocator::Storage, resource::Resource, shader::Shader, state::ElementLayout},
    record::{command::Bind, object_table::PageObject},
};

use super::scene::{Bench, Recording, WHITE, code};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

const POSITION: &str =
    "@vertex fn main(@location(0) position: vec4f) -> @builtin(position) vec4f { return position; }";

/// A geometry shader that appends a triangle over the whole target.
const COVER: &str = "
    struct Vertex { @builtin(position) position: vec4f }
    fn append(vertex: Vertex) {}
    fn geometry(primitive: u32, invocation: u32) {
        for (var i = 0u; i < 3u; i++) {
            append(Vertex(vec4f(f32(i & 1u) * 4.0 - 1.0, 1.0 - f32(i >> 1u) * 4.0, 0.5, 1.0)));
        }
    }
    @compute @workgroup_size(1) fn main() { geometry(0u, 0u); }";

/// Number of shaders or layouts that a test creates and destroys.
const OBJECTS: u64 = 100;

pub(super) fn geometry(bench: &Bench, stream_output: Option<StreamOutputDesc>) -> Arc<Shader> {
    let code = Arc::unwrap_or_clone(code(ShaderStage::Geometry, COVER));
    let find = |name: &str| {
        let mut functions = code.module.functions.iter();
        functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
    };
    let program = GeometryProgram {
        name: "main".into(),
        input: InputPrimitive::Triangle,
        max_vertex_count: 3,
        instance_count: 1,
        function: find("geometry").unwrap(),
        vertex: None,
        streams: vec![GeometryStream {
            topology: StreamTopology::TriangleStrips,
            append: find("append"),
            restart: None,
            has_position: true,
            outputs: Vec::new(),
        }],
    };
    let code = ShaderCode { program: ShaderProgram::Geometry(program), ..code };
    let stream_output = stream_output.map(Arc::new);
    Shader::new(&bench.device.gpu, &Arc::new(code), stream_output.as_ref(), "test").unwrap()
}

fn layout(bench: &Bench) -> Arc<ElementLayout> {
    bench.layout(Format::R32G32B32A32_FLOAT, InputClassification::PerVertexData)
}

/// The objects of draws that differ in their geometry shader or input layout.
struct Scene {
    bench: Bench,
    vs: Arc<Shader>,
    ps: Arc<Shader>,
    target: Arc<Resource>,
    vertices: Arc<Storage>,
}

impl Scene {
    fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let (vs, ps) = (bench.vertex(POSITION), bench.pixel(WHITE));
        let target = bench.target(RGBA8, 4, 4);
        let corners = [[-1.0f32, 1.0, 0.5, 1.0], [3.0, 1.0, 0.5, 1.0], [-1.0, -3.0, 0.5, 1.0]];
        let vertices = bench.buffer(bytemuck::cast_slice(&corners));
        Some(Self { bench, vs, ps, target, vertices })
    }

    /// Draws in a run of its own, and returns the number of compiled pipelines.
    fn draw(&mut self, geometry: Option<Arc<Shader>>, layout: &Arc<ElementLayout>) -> u32 {
        let Self { bench, vs, ps, target, vertices } = self;
        let rtv = bench.rtv(target, RGBA8);
        let mut page = Recording::default();
        page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(vs, Some(ps)).layout(layout);
        if let Some(geometry) = geometry {
            let object = page.object(PageObject::Shader(geometry));
            page.push(Bind::Shader { stage: ShaderStage::Geometry, object });
        }
        page.vertices(vertices, 16, 0, 48).draw(3, 0);
        let compilations = bench.run(vec![page]).pipeline_compilations;
        assert_eq!(bench.corner(target), [255; 4]);
        compilations
    }

    fn assert_destroyed_pipelines_are_dropped(&self) {
        let caches = &self.bench.caches;
        assert!(caches.lengths().1 as u64 <= INVALIDATION_RUNS, "{} pipelines", caches.lengths().1);
        assert_eq!(caches.shared.pipelines.len(), 1);
    }
}

#[test]
fn pipelines_of_destroyed_geometry_shaders_are_dropped() {
    let Some(mut scene) = Scene::new() else { return };
    let layout = layout(&scene.bench);
    for _ in 0..OBJECTS {
        let geometry = geometry(&scene.bench, None);
        assert_eq!(scene.draw(Some(geometry), &layout), 1);
        scene.assert_destroyed_pipelines_are_dropped();
        assert_eq!(scene.vs.modules.len(), 1);
    }
}

#[test]
fn pipelines_of_destroyed_input_layouts_are_dropped() {
    let Some(mut scene) = Scene::new() else { return };
    for _ in 0..OBJECTS {
        let layout = layout(&scene.bench);
        assert_eq!(scene.draw(None, &layout), 1);
        scene.assert_destroyed_pipelines_are_dropped();
    }
}

#[test]
fn a_pipeline_in_use_is_cached_once() {
    let Some(mut scene) = Scene::new() else { return };
    let layout = layout(&scene.bench);
    for run in 0..UNUSED_RUNS {
        assert_eq!(scene.draw(None, &layout), u32::from(run == 0));
    }
    assert_eq!(scene.bench.caches.lengths().1, 1);
}
