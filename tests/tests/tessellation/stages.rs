//! The shaders of a hand-written draw of patches.

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness};

/// The configurations that tessellate in different ways: with indices, in parts, and one patch at a time.
pub(super) const FORMS: [Config; 4] = [
    Config::GPU,
    Config { geometry_memory: Some(64 << 10), ..Config::GPU },
    Config { geometry_memory: Some(0), ..Config::GPU },
    Config { workers: 0, page_draws: Some(1), ..Config::GPU },
];

/// A word of a buffer that no draw writes.
const UNTOUCHED: u32 = 0xdead_beef;

/// The shaders `vs_main`, `hs_main` and `ds_main` of a source in HLSL and, if there are any, `gs_main` and `ps_main`.
pub(super) struct Stages {
    text: String,
    pub(super) vs: VertexShader,
    pub(super) hs: HullShader,
    pub(super) ds: DomainShader,
    pub(super) gs: Option<GeometryShader>,
    pub(super) ps: Option<PixelShader>,
}

impl Stages {
    pub(super) fn new(device: &Device, text: &str) -> Self {
        let source = |name| ShaderSource::hlsl(text, name);
        let has = |name| text.contains(name);
        Self {
            vs: device.create_vertex_shader(source("vs_main")).unwrap(),
            hs: device.create_hull_shader(source("hs_main")).unwrap(),
            ds: device.create_domain_shader(source("ds_main")).unwrap(),
            gs: has("gs_main").then(|| device.create_geometry_shader(source("gs_main")).unwrap()),
            ps: has("ps_main").then(|| device.create_pixel_shader(source("ps_main")).unwrap()),
            text: text.to_owned(),
        }
    }

    pub(super) fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.hs_set_shader(&self.hs);
        cx.ds_set_shader(&self.ds);
        cx.gs_set_shader(self.gs.as_ref());
        cx.ps_set_shader(self.ps.as_ref());
    }

    /// Returns a shader that writes outputs of the last stage to a buffer.
    pub(super) fn capturing(
        &self,
        device: &Device,
        entries: &[SoDeclarationEntry],
        rasterized: Option<u32>,
    ) -> GeometryShader {
        let created = match &self.gs {
            None => device.create_geometry_shader_with_stream_output(&self.ds, entries, &[], rasterized),
            Some(_) => {
                let source = ShaderSource::hlsl(self.text.as_str(), "gs_main");
                device.create_geometry_shader_with_stream_output(source, entries, &[], rasterized)
            }
        };
        created.unwrap()
    }

    /// Returns the words that draws write, and asserts that all command paths have the same result.
    pub(super) fn capture(
        &self,
        h: &mut Harness,
        entries: &[SoDeclarationEntry],
        draw: impl Fn(&mut DeviceContext),
    ) -> Vec<u32> {
        let device = h.device.clone();
        let so = self.capturing(&device, entries, None);
        let query = device.create_so_statistics_query(Some(0)).unwrap();
        let size: u32 = entries.iter().map(|entry| u32::from(entry.component_count)).sum();
        let mut all: Vec<Vec<u32>> = Vec::new();
        for how in CommandPath::ALL {
            let contents = [UNTOUCHED; 4096];
            let desc = BufferDesc::new(size_of_val(&contents) as u32, BindFlags::STREAM_OUTPUT);
            let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))).unwrap();
            h.record(how, |cx| {
                self.bind(cx);
                cx.gs_set_shader(&so);
                cx.ps_set_shader(None);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                cx.begin(&query);
                draw(cx);
                cx.end(&query);
            });
            let statistics =
                onze_tests::wait_for("the statistics", || h.immediate.get_data(&query, false).unwrap());
            assert_eq!(statistics.num_primitives_written, statistics.primitives_storage_needed);
            let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
            let words = found.iter().rposition(|word| *word != UNTOUCHED).map_or(0, |last| last + 1);
            assert!(words.is_multiple_of(size as usize), "{words} words of {size}");
            all.push(found[..words].to_vec());
        }
        assert!(all.iter().all(|words| *words == all[0]), "{all:x?}");
        h.assert_silent();
        all.remove(0)
    }
}

/// Creates a constant buffer.
pub(super) fn constants<T: Pod>(device: &Device, data: &[T]) -> Buffer {
    let desc = BufferDesc::immutable(size_of_val(data) as u32, BindFlags::CONSTANT_BUFFER);
    device.create_buffer(&desc, Some(bytemuck::cast_slice(data))).unwrap()
}

/// Creates a view of a buffer with elements of one word.
pub(super) fn table<T: Pod>(device: &Device, data: &[T]) -> ShaderResourceView {
    let desc = BufferDesc {
        usage: Usage::Immutable,
        ..BufferDesc::structured(4, data.len() as u32, BindFlags::SHADER_RESOURCE)
    };
    let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(data))).unwrap();
    buffer.create_shader_resource_view().unwrap()
}
