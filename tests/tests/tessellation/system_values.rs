//! System values of stages that other stages follow. They have no effect on the rasterizer, so shaders read them like all
//! other elements.

use onze::{Features, prelude::*};
use onze_tests::{CommandPath, Target, on_each};

use super::stages::{FORMS, Stages};

/// Every stage but the last writes values that would hide a primitive, and every stage but the first checks them.
/// `hull` is the control-point function.
fn text(has_geometry_shader: bool, hull: &str) -> String {
    let [domain_output, domain, geometry] = match has_geometry_shader {
        false => ["R", "R r = { is_hidden(v[2].h) && is_hidden(c.h) ? 1 : 2, at(v, uvw) };", ""],
        true => [
            "V",
            "V r = { at(v, uvw), is_hidden(v[2].h) && is_hidden(c.h) ? hidden() : (H)0 };",
            "[maxvertexcount(3)] void gs_main(triangle V v[3], inout TriangleStream<R> s) {
                for (uint k = 0; k < 3; k++) {
                    R r = { is_hidden(v[k].h) ? 1 : 2, v[k].place };
                    s.Append(r);
                }
            }",
        ],
    };
    format!(
        "struct H {{
            float2 cull : SV_CullDistance; float clip : SV_ClipDistance; uint slice : SV_RenderTargetArrayIndex;
            uint viewport : SV_ViewportArrayIndex;
        }};
        struct V {{ float4 place : SV_Position; H h; }};
        struct R {{ nointerpolation uint r : RESULT; float4 place : SV_Position; }};
        struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; H h; }};
        H hidden() {{ H h = {{ -1, -2, -3, 4, 5 }}; return h; }}
        bool is_hidden(H h) {{
            return h.cull.x == -1 && h.cull.y == -2 && h.clip == -3 && h.slice == 4 && h.viewport == 5;
        }}
        V vs_main(uint n : SV_VertexID) {{
            V v = {{ n == 1 ? 3 : -1, n == 2 ? -3 : 1, 0.5, 1, hidden() }};
            return v;
        }}
        C constants(InputPatch<V, 3> v) {{
            C c;
            c.e[0] = c.e[1] = c.e[2] = c.i = is_hidden(v[0].h) ? 2 : 0;
            c.h = hidden();
            return c;
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"constants\")] {hull}
        float4 at(OutputPatch<V, 3> v, float3 uvw) {{
            return v[0].place * uvw.x + v[1].place * uvw.y + v[2].place * uvw.z;
        }}
        [domain(\"tri\")] {domain_output} ds_main(C c, OutputPatch<V, 3> v, float3 uvw : SV_DomainLocation) {{
            {domain}
            return r;
        }}
        {geometry}
        uint ps_main(R r) : SV_Target {{ return r.r; }}"
    )
}

#[test]
fn system_values_of_earlier_stages_hide_nothing() {
    let hulls = [
        "V hs_main(InputPatch<V, 3> v, uint k : SV_OutputControlPointID) { return v[k]; }",
        "void hs_main(InputPatch<V, 3> v) {}",
    ];
    on_each(&FORMS, |h| {
        if !h.has_feature(Features::CLIP_DISTANCES) {
            return;
        }
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        for (hull, has_geometry_shader) in hulls.into_iter().flat_map(|hull| [(hull, false), (hull, true)]) {
            let what = format!("{hull}, geometry shader {has_geometry_shader}");
            let stages = Stages::new(&device, &text(has_geometry_shader, hull));
            let draw = |cx: &mut DeviceContext| {
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
                cx.draw(3, 0);
            };
            // A patch with factors of 2 has six triangles.
            let found = stages.capture(h, &[SoDeclarationEntry::new("RESULT", 0, 1)], draw);
            assert_eq!(found, [1; 18], "{what}");
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                target.bind(cx);
                stages.bind(cx);
                draw(cx);
            });
            assert_eq!(target.read(h), [1; 16], "{what}");
        }
    });
}
