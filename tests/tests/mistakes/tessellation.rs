//! Mistakes with hull and domain shaders, on devices that have them.

use onze::prelude::*;

use super::{Mistake, Outcome, row, scene::Scene};

/// The right hull and domain shaders. Both structures of points and of constants have one member.
const RIGHT: &str = "
    struct Point { @location(0) uv: vec2f }
    struct Constants { tess_factor: array<f32, 3>, inside_tess_factor: f32, @location(0) tint: vec4f }
    struct Varyings { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    fn points(v: array<Point, 3>, point: u32) -> Point { return v[point]; }
    fn constants() -> Constants { return Constants(array(1.0, 1.0, 1.0), 1.0, vec4f()); }
    fn place(c: Constants, p: array<Point, 3>, at: vec3f) -> Varyings {
        return Varyings(vec4f(at, c.tint.x), p[0].uv);
    }";

fn hull(device: &Device, text: &str, desc: &HullShaderDesc<'_>) -> Result<HullShader, onze::Error> {
    device.labelled("divide").create_hull_shader(ShaderSource::wgsl_hull(text, "constants", desc))
}

fn domain(device: &Device, text: &str, domain: TessellatorDomain) -> Result<DomainShader, onze::Error> {
    device.labelled("place").create_domain_shader(ShaderSource::wgsl_domain(text, "place", domain))
}

const fn desc() -> HullShaderDesc<'static> {
    HullShaderDesc::new(TessellatorDomain::Triangle, 3).with_control_points("points", 3)
}

/// Draws patches with the right shaders, changes a binding with `change`, and draws again.
fn draw(s: &mut Scene, change: fn(&mut Scene) -> Outcome) -> Outcome {
    s.bind();
    s.context.hs_set_shader(&hull(&s.device, RIGHT, &desc())?);
    s.context.ds_set_shader(&domain(&s.device, RIGHT, TessellatorDomain::Triangle)?);
    s.context.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
    s.context.draw(3, 0);
    change(s)?;
    s.context.draw(3, 0);
    Ok(())
}

/// Replaces the domain shader by one of another text.
fn draw_with_domain(s: &mut Scene, from: &str, to: &str) -> Outcome {
    let text = RIGHT.replace(from, to);
    assert_ne!(text, RIGHT);
    s.context.ds_set_shader(&domain(&s.device, &text, TessellatorDomain::Triangle)?);
    Ok(())
}

pub(crate) const MISTAKES: &[Mistake] = &[
    row("hull shader from plain WGSL", &["use `ShaderSource::wgsl_hull`", "no hull stage"], |s| {
        s.device.create_hull_shader(ShaderSource::wgsl("", "main")).map(drop)
    }),
    row("domain shader from plain WGSL", &["use `ShaderSource::wgsl_domain`", "no domain stage"], |s| {
        s.device.create_domain_shader(ShaderSource::wgsl("", "main")).map(drop)
    }),
    row(
        "pixel shader in HLSL as a hull shader",
        &["`main` looks like a pixel shader", "`create_pixel_shader`"],
        |s| {
            let text = "float4 main() : SV_Target { return 1; }";
            s.device.create_hull_shader(ShaderSource::hlsl(text, "main")).map(drop)
        },
    ),
    row(
        "patch constants without factors",
        &["`Constants` must have the member `tess_factor: array<f32, 3>`", "TessellatorDomain::Triangle"],
        |s| {
            let text = RIGHT.replace("tess_factor: array<f32, 3>, inside", "inside");
            hull(&s.device, &text.replace("array(1.0, 1.0, 1.0), ", ""), &desc()).map(drop)
        },
    ),
    row(
        "control points of another number without a function",
        &[
            "output_control_points is 4 and input_control_points is 3",
            "`HullShaderDesc::with_control_points`",
        ],
        |s| {
            let mut desc = HullShaderDesc::new(TessellatorDomain::Triangle, 3);
            desc.output_control_points = 4;
            hull(&s.device, RIGHT, &desc).map(drop)
        },
    ),
    row(
        "hull shader without a domain shader",
        &["hull shader \"divide\"", "without a domain shader", "`ds_set_shader`"],
        |s| {
            draw(s, |s| {
                s.context.ds_set_shader(None);
                Ok(())
            })
        },
    ),
    row(
        "domain shader without a hull shader",
        &["domain shader \"place\"", "without a hull shader", "`hs_set_shader`"],
        |s| {
            draw(s, |s| {
                s.context.hs_set_shader(None);
                Ok(())
            })
        },
    ),
    row(
        "triangles for a hull shader",
        &[
            "hull shader \"divide\"",
            "patches of 3 control points",
            "PrimitiveTopology::TriangleList",
            "`ia_set_primitive_topology`",
        ],
        |s| {
            draw(s, |s| {
                s.context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                Ok(())
            })
        },
    ),
    row(
        "patches without a hull shader",
        &[
            "PrimitiveTopology::PatchList3",
            "`hs_set_shader`",
            "`ds_set_shader`",
            "`ia_set_primitive_topology`",
        ],
        |s| {
            draw(s, |s| {
                s.context.hs_set_shader(None);
                s.context.ds_set_shader(None);
                Ok(())
            })
        },
    ),
    row(
        "domain shader for another domain",
        &["\"divide\"", "\"place\"", "TessellatorDomain::Quad", "the same domain in both"],
        |s| {
            draw(s, |s| {
                let text = RIGHT.replace("array<f32, 3>, inside_tess_factor: f32", "array<f32, 4>");
                let text = text.replace("1.0, 1.0, 1.0), 1.0", "1.0, 1.0, 1.0, 1.0)");
                s.context.ds_set_shader(&domain(&s.device, &text, TessellatorDomain::Quad)?);
                Ok(())
            })
        },
    ),
    row(
        "domain shader for another number of control points",
        &[
            "\"divide\"",
            "\"place\"",
            "patches of 3 control points",
            "patches of 4",
            "the same number in both",
        ],
        |s| draw(s, |s| draw_with_domain(s, "p: array<Point, 3>", "p: array<Point, 4>")),
    ),
    row(
        "patch constant that no hull shader writes",
        &[
            "\"divide\"",
            "\"place\"",
            "patch constants",
            "`tint` at location 1",
            "not written by the hull shader",
        ],
        |s| draw(s, |s| draw_with_domain(s, "@location(0) tint", "@location(1) tint")),
    ),
    row(
        "control point that no hull shader writes",
        &["\"divide\"", "\"place\"", "`uv` at location 2", "not written by the hull shader"],
        |s| {
            draw(s, |s| {
                draw_with_domain(s, "struct Point { @location(0) uv", "struct Point { @location(2) uv")
            })
        },
    ),
    row(
        "domain shader without a position",
        &["domain shader \"place\"", "without a position", "SV_Position"],
        |s| {
            draw(s, |s| {
                let text = RIGHT.replace("@builtin(position) position: vec4f, ", "");
                let text = text.replace("vec4f(at, c.tint.x), ", "");
                s.context.ds_set_shader(&domain(&s.device, &text, TessellatorDomain::Triangle)?);
                Ok(())
            })
        },
    ),
    row(
        "geometry shader for other primitives than those of the tessellator",
        &["geometry shader \"sprites\"", "processes points", "hull shader \"divide\"", "triangles"],
        |s| {
            draw(s, |s| {
                let text = "struct V { @location(0) uv: vec2f }
                    struct O { @builtin(position) position: vec4f, @location(0) uv: vec2f }
                    fn append0(v: O) {}
                    fn main(v: array<V, 1>) { append0(O(vec4f(), v[0].uv)); }";
                let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
                let source = ShaderSource::wgsl_geometry(text, "main", &desc);
                s.context.gs_set_shader(&s.device.labelled("sprites").create_geometry_shader(source)?);
                Ok(())
            })
        },
    ),
];
