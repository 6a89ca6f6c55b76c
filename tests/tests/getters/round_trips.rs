//! Setters accept the results of getters, and restore the state with them.

use std::collections::BTreeSet;

use onze::prelude::*;
use onze_tests::{Config, matrix, on_each, state::Everything};

use super::on_both_contexts;

/// A getter, and a function that saves its result, clears the state and restores the state with the setter.
struct RoundTrip {
    getter: &'static str,
    /// Whether an object is bound, which is false for hull, domain and geometry shaders because not every device
    /// creates them. `tests/tessellation_draws.rs` and `tests/geometry_draws.rs` bind them.
    is_bound: bool,
    run: fn(&mut DeviceContext, is_bound: bool),
}

/// Creates a row from a getter with its arguments and a setter call with the getter's result.
macro_rules! round_trip {
    ($getter:ident($($argument:expr),*), $is_bound:literal, |$cx:ident, $saved:ident| $set:expr) => {
        RoundTrip {
            getter: stringify!($getter),
            is_bound: $is_bound,
            run: |$cx, is_bound| {
                let $saved = $cx.$getter($($argument),*);
                $cx.clear_state();
                let cleared = $cx.$getter($($argument),*);
                assert_eq!($saved != cleared, is_bound, "{}", stringify!($getter));
                $set;
                assert_eq!($cx.$getter($($argument),*), $saved, "{}", stringify!($getter));
            },
        }
    };
}

macro_rules! stage_round_trips {
    ($has_shader:literal, $get_shader:ident $set_shader:ident $get_cb:ident $set_cb:ident $get_cb1:ident $set_cb1:ident
        $get_srv:ident $set_srv:ident $get_samplers:ident $set_samplers:ident) => {
        [
            round_trip!($get_shader(), $has_shader, |cx, saved| cx.$set_shader(&saved)),
            round_trip!($get_cb(1, 12), true, |cx, saved| cx.$set_cb(1, &saved)),
            round_trip!($get_cb1(0, 14), true, |cx, saved| cx.$set_cb1(0, &saved.0, &saved.1)),
            round_trip!($get_srv(0, 128), true, |cx, saved| cx.$set_srv(0, &saved)),
            round_trip!($get_samplers(0, 16), true, |cx, saved| cx.$set_samplers(0, &saved)),
        ]
    };
}

fn round_trips() -> Vec<RoundTrip> {
    let mut rows = vec![
        round_trip!(ia_get_input_layout(), true, |cx, saved| cx.ia_set_input_layout(&saved)),
        round_trip!(ia_get_vertex_buffers(3, 29), true, |cx, saved| cx.ia_set_vertex_buffers(3, &saved)),
        round_trip!(ia_get_index_buffer(), true, |cx, saved| {
            cx.ia_set_index_buffer(&saved.0, saved.1, saved.2);
        }),
        round_trip!(ia_get_primitive_topology(), true, |cx, saved| cx.ia_set_primitive_topology(saved)),
        round_trip!(rs_get_state(), true, |cx, saved| cx.rs_set_state(&saved)),
        round_trip!(rs_get_viewports(), true, |cx, saved| cx.rs_set_viewports(&saved)),
        round_trip!(rs_get_scissor_rects(), true, |cx, saved| cx.rs_set_scissor_rects(&saved)),
        round_trip!(om_get_blend_state(), true, |cx, saved| cx
            .om_set_blend_state(&saved.0, saved.1, saved.2)),
        round_trip!(om_get_depth_stencil_state(), true, |cx, saved| {
            cx.om_set_depth_stencil_state(&saved.0, saved.1);
        }),
        round_trip!(om_get_render_targets(), true, |cx, saved| cx.om_set_render_targets(&saved.0, &saved.1)),
        round_trip!(om_get_render_targets_and_unordered_access_views(2, 6), true, |cx, saved| {
            cx.om_set_render_targets_and_unordered_access_views(&saved.0, &saved.1, 2, &saved.2, &[]);
        }),
        round_trip!(cs_get_unordered_access_views(0, 8), true, |cx, saved| {
            cx.cs_set_unordered_access_views(0, &saved);
        }),
        // Not every device has stream output, so nothing is bound here; `tests/stream_output.rs` has bound targets.
        round_trip!(so_get_targets(), false, |cx, saved| cx.so_set_targets(&saved)),
        round_trip!(get_predication(), true, |cx, saved| cx.set_predication(&saved.0, saved.1)),
    ];
    rows.extend(
        stage_round_trips!(true, vs_get_shader vs_set_shader vs_get_constant_buffers vs_set_constant_buffers
        vs_get_constant_buffers1 vs_set_constant_buffers1 vs_get_shader_resources vs_set_shader_resources
        vs_get_samplers vs_set_samplers),
    );
    rows.extend(
        stage_round_trips!(false, hs_get_shader hs_set_shader hs_get_constant_buffers hs_set_constant_buffers
        hs_get_constant_buffers1 hs_set_constant_buffers1 hs_get_shader_resources hs_set_shader_resources
        hs_get_samplers hs_set_samplers),
    );
    rows.extend(
        stage_round_trips!(false, ds_get_shader ds_set_shader ds_get_constant_buffers ds_set_constant_buffers
        ds_get_constant_buffers1 ds_set_constant_buffers1 ds_get_shader_resources ds_set_shader_resources
        ds_get_samplers ds_set_samplers),
    );
    rows.extend(
        stage_round_trips!(false, gs_get_shader gs_set_shader gs_get_constant_buffers gs_set_constant_buffers
        gs_get_constant_buffers1 gs_set_constant_buffers1 gs_get_shader_resources gs_set_shader_resources
        gs_get_samplers gs_set_samplers),
    );
    rows.extend(
        stage_round_trips!(true, ps_get_shader ps_set_shader ps_get_constant_buffers ps_set_constant_buffers
        ps_get_constant_buffers1 ps_set_constant_buffers1 ps_get_shader_resources ps_set_shader_resources
        ps_get_samplers ps_set_samplers),
    );
    rows.extend(
        stage_round_trips!(true, cs_get_shader cs_set_shader cs_get_constant_buffers cs_set_constant_buffers
        cs_get_constant_buffers1 cs_set_constant_buffers1 cs_get_shader_resources cs_set_shader_resources
        cs_get_samplers cs_set_samplers),
    );
    rows
}

const COMPUTE: &str = "@compute @workgroup_size(1) fn main() {}";

struct Rest {
    constants: Buffer,
    view: ShaderResourceView,
    sampler: SamplerState,
    compute: ComputeShader,
    written: [UnorderedAccessView; 2],
    target: RenderTargetView,
}

impl Rest {
    fn new(device: &Device) -> Self {
        let texture =
            device.create_texture_2d(&Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4), None).unwrap();
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8);
        let target = device.create_texture_2d(&target, None).unwrap();
        let written = || {
            let desc = BufferDesc::structured(16, 4, BindFlags::UNORDERED_ACCESS);
            let buffer = device.create_buffer(&desc, None).unwrap();
            device.create_unordered_access_view(&buffer, None).unwrap()
        };
        let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Border);
        Self {
            constants: device
                .create_buffer(&BufferDesc::new(1024, BindFlags::CONSTANT_BUFFER), None)
                .unwrap(),
            view: device.create_shader_resource_view(&texture, None).unwrap(),
            sampler: device.create_sampler_state(&sampler).unwrap(),
            compute: device.create_compute_shader(ShaderSource::wgsl(COMPUTE, "main")).unwrap(),
            written: [written(), written()],
            target: device.create_render_target_view(&target, None).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        let part = [ConstantRange { first_constant: 16, num_constants: 32 }; 2];
        macro_rules! bind_stage {
            ($set_cb1:ident $set_srv:ident $set_samplers:ident) => {
                cx.$set_cb1(3, [&self.constants, &self.constants], &part);
                cx.$set_srv(100, &self.view);
                cx.$set_samplers(15, &self.sampler);
            };
        }
        bind_stage!(hs_set_constant_buffers1 hs_set_shader_resources hs_set_samplers);
        bind_stage!(ds_set_constant_buffers1 ds_set_shader_resources ds_set_samplers);
        bind_stage!(gs_set_constant_buffers1 gs_set_shader_resources gs_set_samplers);
        bind_stage!(cs_set_constant_buffers1 cs_set_shader_resources cs_set_samplers);
        cx.cs_set_shader(&self.compute);
        cx.cs_set_unordered_access_views(5, &self.written[0]);
    }

    /// Binds a target and unordered-access views in shared slots, replacing the targets of [`Everything`]
    /// because they fill all slots.
    fn bind_written_targets(&self, cx: &mut DeviceContext) {
        let written = &self.written[1];
        cx.om_set_render_targets_and_unordered_access_views(&self.target, None, 3, written, &[]);
    }
}

#[test]
fn setters_take_the_results_of_all_getters() {
    on_each(&matrix(), |h| {
        let (everything, rest) = (Everything::new(&h.device, 1), Rest::new(&h.device));
        on_both_contexts(h, |_, cx| {
            for row in round_trips() {
                everything.bind(cx);
                rest.bind(cx);
                if row.getter.contains("unordered_access") {
                    rest.bind_written_targets(cx);
                }
                (row.run)(cx, row.is_bound);
            }
        });
        h.assert_silent();
    });
}

/// The table must contain every getter of bound state that occurs in the sources of the contexts.
#[test]
fn every_getter_of_state_has_a_round_trip() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../api/src/context");
    let mut getters = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let is_getter = |word: &&str| {
                let (stage, rest) = word.split_at_checked(2).unwrap_or_default();
                let is_stage = stage.chars().all(|c| c.is_ascii_lowercase()) && !stage.is_empty();
                *word == "get_predication" || (is_stage && rest.starts_with("_get_"))
            };
            getters.extend(words.filter(is_getter).map(str::to_owned));
        }
    }
    let rows: BTreeSet<_> = round_trips().iter().map(|row| row.getter.to_owned()).collect();
    assert_eq!(getters, rows);
    assert!(rows.len() > 40, "{}", rows.len());
}

/// The setters accept parts of a saved range and different collections of bindings.
#[test]
fn setters_take_parts_of_the_results_of_getters() {
    on_each(&[Config::NULL], |h| {
        let everything = Everything::new(&h.device, 0);
        on_both_contexts(h, |_, cx| {
            everything.bind(cx);
            let saved = cx.ia_get_vertex_buffers(0, 32);
            cx.clear_state();
            cx.ia_set_vertex_buffers(4, &saved[4..6]);
            let found = cx.ia_get_vertex_buffers(0, 32);
            assert_eq!(found[4..6], saved[4..6]);
            assert!(
                found
                    .iter()
                    .enumerate()
                    .all(|(slot, (buffer, ..))| buffer.is_some() == (4..6).contains(&slot))
            );
            let mut holes = saved.clone();
            holes[5] = (None, 0, 0);
            cx.ia_set_vertex_buffers(0, &holes);
            assert_eq!(cx.ia_get_vertex_buffers(0, 32), holes);
            let bindings: Vec<_> = saved[..2]
                .iter()
                .map(|(buffer, stride, _)| VertexBufferBinding::new(buffer.as_ref().unwrap(), *stride))
                .collect();
            cx.ia_set_vertex_buffers(0, &bindings);
            let optional: Vec<_> = bindings.iter().copied().map(Some).chain([None]).collect();
            cx.ia_set_vertex_buffers(1, &optional);
            assert_eq!(cx.ia_get_vertex_buffers(1, 1)[0].0, saved[0].0);
        });
        h.assert_silent();
    });
}
