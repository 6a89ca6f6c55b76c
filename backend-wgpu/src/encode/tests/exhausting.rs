//! Draws for whose vertices or patches the GPU has no memory.

use std::sync::Arc;

use onze_ddi::{
    DomainProgram, Format, OutputRegister, PrimitiveTopology, ShaderCode, ShaderProgram, ShaderStage,
    StreamOutputDesc, StreamOutputEntry, TessellatorDomain,
};

use crate::{
    encode::{failure, run::EncodeStats},
    objects::shader::Shader,
    record::{command::Bind, object_table::PageObject},
    services::policy::{Policy, StoredGeometryPolicy, tests::with_policy},
    testing::{hull_code, noop},
};

use super::{
    destroying::geometry,
    scene::{Bench, Recording, WHITE, code},
};

const VERTEX: &str = "
    struct Vertex { @builtin(position) position: vec4f, @location(0) value: f32 }
    @vertex fn main(@builtin(vertex_index) n: u32) -> Vertex { return Vertex(vec4f(), f32(n)); }";

const DOMAIN: &str = "
    struct Vertex { @builtin(position) position: vec4f }
    fn domain(location: vec3f, primitive: u32) -> Vertex { return Vertex(vec4f(location, 1.0)); }
    @compute @workgroup_size(1) fn main() { let vertex = domain(vec3f(), 0u); }";

/// Encodes three draws with shaders of other stages, and returns the statistics and the messages.
fn draw(
    bench: &mut Bench,
    topology: PrimitiveTopology,
    vertices: u32,
    shaders: &[Arc<Shader>],
) -> (EncodeStats, Vec<String>) {
    let rtv = bench.rtv(&bench.target(Format::R8G8B8A8_UNORM, 4, 4), Format::R8G8B8A8_UNORM);
    let (vs, ps) = (bench.vertex(VERTEX), bench.pixel(WHITE));
    let mut page = Recording::default();
    page.clear(&rtv, [0.0; 4]).targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps));
    page.push(Bind::Topology(topology));
    for shader in shaders {
        let object = page.object(PageObject::Shader(shader.clone()));
        page.push(Bind::Shader { stage: shader.code.reflection.stage, object });
    }
    for _ in 0..3 {
        page.draw(vertices, 0);
    }
    let stats = bench.run(vec![page]);
    (stats, std::mem::take(&mut *bench.runtime.unsupported.lock().unwrap()))
}

#[test]
fn draws_run_their_shaders_inline_without_memory_to_store() {
    let policy = StoredGeometryPolicy { gain: 0, cost: 0, bytes: 64 << 20 };
    with_policy(Policy { stored_geometry: Some(policy), ..Policy::default() }, || {
        for is_exhausted in [false, true] {
            let mut bench = Bench::noop();
            bench.caches.arena.memory.is_exhausted = is_exhausted;
            let shaders = [geometry(&bench, None)];
            let (stats, messages) = draw(&mut bench, PrimitiveTopology::TriangleList, 3, &shaders);
            assert_eq!(stats.stored_draws, if is_exhausted { 0 } else { 3 });
            assert_eq!(stats.ways.iter().sum::<u32>(), 3);
            assert_eq!(messages, Vec::<String>::new());
        }
    });
}

#[test]
fn draws_write_no_streams_without_memory_to_count() {
    let position = StreamOutputEntry {
        stream: 0,
        register: OutputRegister::Position,
        first_component: 0,
        component_count: 4,
        slot: 0,
        offset: 0,
    };
    let stream_output =
        StreamOutputDesc { entries: vec![position], strides: [16, 0, 0, 0], rasterized_stream: Some(0) };
    for is_exhausted in [false, true] {
        let mut bench = Bench::noop();
        bench.caches.arena.memory.is_exhausted = is_exhausted;
        let shaders = [geometry(&bench, Some(stream_output.clone()))];
        let (stats, messages) = draw(&mut bench, PrimitiveTopology::TriangleList, 3, &shaders);
        assert_eq!(stats.ways.iter().sum::<u32>(), 3);
        let message = "draws write no streams: the GPU is out of memory";
        assert_eq!(messages, if is_exhausted { vec![message.to_owned()] } else { Vec::new() });
    }
}

#[test]
fn draws_of_patches_are_skipped_without_memory() {
    let code = Arc::unwrap_or_clone(code(ShaderStage::Domain, DOMAIN));
    let mut functions = code.module.functions.iter();
    let function = functions.find(|(_, function)| function.name.as_deref() == Some("domain")).unwrap().0;
    let program = DomainProgram {
        name: "main".into(),
        domain: TessellatorDomain::Triangle,
        points: None,
        function,
        point: None,
        constants: None,
        patch_inputs: Vec::new(),
        has_position: true,
    };
    drop(functions);
    let domain = Arc::new(ShaderCode { program: ShaderProgram::Domain(program), ..code });
    for is_exhausted in [false, true] {
        let mut bench = Bench::noop();
        bench.caches.arena.memory.is_exhausted = is_exhausted;
        let shaders = [hull_code("input_point(n).value"), domain.clone()]
            .map(|code| Shader::new(&bench.device.gpu, &code, None, "test").unwrap());
        let (stats, messages) = draw(&mut bench, PrimitiveTopology::PatchList4, 8, &shaders);
        assert_eq!(stats.patch_batches > 0, !is_exhausted);
        assert_eq!(stats.ways.iter().sum::<u32>(), if is_exhausted { 0 } else { 3 });
        let message = "draws of patches are skipped: the GPU is out of memory";
        assert_eq!(messages, if is_exhausted { vec![message.to_owned()] } else { Vec::new() });
    }
}

#[test]
fn a_run_without_memory_removes_the_device_and_is_no_bug() {
    let (device, runtime) = noop();
    let error = |source: &str| wgpu::Error::OutOfMemory { source: source.into() };
    assert!(!failure(&device.gpu, &error("a buffer")).is_empty());
    assert_eq!(*runtime.removed.lock().unwrap(), ["the GPU is out of memory"]);
    assert_eq!(*runtime.bugs.lock().unwrap(), Vec::<String>::new());
}
