//! The WGSL functions that expand a draw: they find the vertices of an input primitive, and choose a vertex of
//! those that the geometry shader appends.

use onze_ddi::{GeometryProgram, InputPrimitive, PrimitiveTopology};

use crate::objects::shader::specialization::{
    geometry::{Assembly, Expansion, ExpansionForm, GeometryStage, PulledIndices, selects},
    pull::VertexPull,
};

/// Returns the functions for a geometry shader. The pass replaces the bodies of `load_vertex` and
/// `run_geometry`.
pub(super) fn text(program: &GeometryProgram, stage: &GeometryStage, pull: &VertexPull) -> String {
    let (assembly, reflection) = (&stage.assembly, &stage.code.reflection);
    let Expansion { form, corners, instances, .. } = stage.expansion;
    let of_invocation = stage.expansion.invocation_vertices();
    let (indices, is_missing) = (index_function(assembly), is_missing(assembly));
    let selection = if selects(reflection) { SELECTION } else { KEEPS_ALL };
    let (wanted, takes) = match form {
        ExpansionForm::List => (WANTED_IN_LIST, TAKES_IN_LIST),
        ExpansionForm::Pattern => (WANTED_IN_PATTERN, TAKES_IN_PATTERN),
    };
    format!(
        "
        {pulled}
        const NO_INDEX = 0xffffffffu;
        const MOST_VERTICES = {most}u;
        const CORNERS = {corners}u;
        const EXPANDED_VERTICES = {of_invocation}u;

        // The number of the wanted output primitive, and the number of the wanted vertex in it.
        var<private> wanted: u32;
        var<private> wanted_corner: u32;
        // The number of vertices appended so far, in all streams and in the current strip.
        var<private> appended: u32;
        var<private> in_strip: u32;
        // The number of whole output primitives before the current strip.
        var<private> before_strip: u32;
        // Whether all vertices of the wanted primitive were appended.
        var<private> is_found: bool;
        // The cull distances that are negative at all vertices of the wanted primitive so far.
        var<private> culled: u32;
        // The slice of the targets and the viewport, which the first vertex of a primitive selects.
        var<private> wanted_slice: u32;
        var<private> wanted_viewport: u32;

        {indices}

        // Returns the position of a vertex of an input primitive in the draw.
        fn position(primitive: u32, vertex: u32) -> u32 {{
            {position}
        }}

        {selection}

        {PRIMITIVE_ID}
        fn load_vertex(at: u32, number: u32, instance: u32) {{}}
        fn run_geometry(primitive: u32, instance: u32) {{}}

        // Runs the shaders for an expanded vertex, and returns whether its output primitive exists.
        fn expand(vertex: u32, instance: u32) -> bool {{
            let invocation = vertex / EXPANDED_VERTICES;
            let of_invocation = vertex % EXPANDED_VERTICES;
            {wanted}
            let primitive = invocation / {instances}u + pulled.starts.w;
            if primitive >= pulled.starts.z || {is_missing} {{ return false; }}
            {load}
            run_geometry(primitive_id(primitive, position(primitive, 0u)), invocation % {instances}u);
            return is_found && culled == 0u && is_selected(wanted_slice, wanted_viewport);
        }}

        // Counts a vertex of another stream.
        fn skip_vertex() {{ appended += 1u; }}

        // Counts a vertex, and returns whether it may be the wanted one. `negative` has a bit for each cull
        // distance that is negative.
        fn takes_vertex(negative: u32, slice: u32, viewport: u32) -> bool {{
            if appended >= MOST_VERTICES {{ return false; }}
            appended += 1u;
            let at = in_strip;
            in_strip += 1u;
            {takes}
        }}

        fn restart_strip() {{
            before_strip += max(in_strip, CORNERS - 1u) - (CORNERS - 1u);
            in_strip = 0u;
        }}
        ",
        pulled = pull.space.declaration(pull.slots.len()),
        load = load_primitive(program.input),
        most = program.max_vertex_count,
        position = position(assembly.topology, program.input),
    )
}

/// The function that returns the `SV_PrimitiveID` of a primitive, given the position of its first vertex.
pub(in crate::objects::shader::passes) const PRIMITIVE_ID: &str =
    "fn primitive_id(primitive: u32, first: u32) -> u32 { return primitive; }";

/// Maximum number of vertices of a primitive that are loaded without a loop.
const MOST_UNROLLED: u32 = 6;

/// Returns the statements that load all vertices of `primitive`. Without a loop, compilers know the indices of the
/// vertices and keep them in registers.
pub(in crate::objects::shader::passes) fn load_primitive(input: InputPrimitive) -> String {
    let vertices = input.vertex_count();
    let load = |at: &str| format!("load_vertex({at}, number(position(primitive, {at})), instance);\n");
    if vertices <= MOST_UNROLLED {
        return (0..vertices).map(|at| load(&format!("{at}u"))).collect();
    }
    format!("for (var at = 0u; at < {vertices}u; at += 1u) {{ {} }}", load("at"))
}

/// Returns the function that converts a position in the draw to the number of a vertex.
pub(in crate::objects::shader::passes) fn index_function(assembly: &Assembly) -> String {
    match assembly.indices {
        Some(indices) => indices.text(),
        // If the draw is tessellated, another function replaces this one.
        None => "fn number(at: u32) -> u32 { return at; }".into(),
    }
}

/// Returns the condition that an input primitive does not exist.
pub(in crate::objects::shader::passes) const fn is_missing(assembly: &Assembly) -> &'static str {
    match assembly.indices {
        Some(PulledIndices { are_gathered: true, .. }) => "number(position(primitive, 0u)) == NO_INDEX",
        _ => "false",
    }
}

const WANTED_IN_LIST: &str = "
    wanted = of_invocation / CORNERS;
    wanted_corner = of_invocation % CORNERS;";

/// Keeps one vertex of one primitive of a list.
const TAKES_IN_LIST: &str = "
    if is_found { return false; }
    // The wanted primitive's number in this strip, and the position of the wanted vertex in it. Odd triangles
    // have their last two vertices in reverse order.
    let primitive = wanted - before_strip;
    if at == primitive {
        culled = negative;
        wanted_slice = slice;
        wanted_viewport = viewport;
    }
    culled &= negative;
    let is_reversed = CORNERS == 3u && primitive % 2u == 1u && wanted_corner != 0u;
    let place = select(wanted_corner, CORNERS - wanted_corner, is_reversed);
    is_found = at == primitive + CORNERS - 1u;
    return at == primitive + place;";

const WANTED_IN_PATTERN: &str = "wanted = of_invocation;";

/// Keeps one vertex of a strip, or the last one if the strip ends before it.
const TAKES_IN_PATTERN: &str = "
    is_found = in_strip >= CORNERS;
    return at <= wanted;";

/// The function that keeps all primitives.
const KEEPS_ALL: &str = "fn is_selected(slice: u32, viewport: u32) -> bool { return true; }";

/// The function that compares the slice and the viewport of a primitive with those of the draw.
pub(super) const SELECTION: &str = "
    // The slice, the number of slices, and the viewport.
    @group(0) @binding(1) var<uniform> selection: vec4<u32>;
    fn is_selected(slice: u32, viewport: u32) -> bool {
        return select(slice, 0u, slice >= selection.y) == selection.x
            && select(viewport, 0u, viewport >= 16u) == selection.z;
    }";

impl PulledIndices {
    /// Returns the function that reads an index of the draw, which is 0 outside of the buffer.
    fn text(self) -> String {
        let Self { slot, buffer, wide, .. } = self;
        let (bytes, mask) = if wide { (4, "NO_INDEX") } else { (2, "0xffffu") };
        format!(
            "
            @group(0) @binding({binding}) var<storage> buffer{buffer}: array<u32>;
            fn number(at: u32) -> u32 {{
                let slot = pulled.slots[{slot}];
                let index = slot.z + at;
                if index < at || index >= slot.y / {bytes}u {{ return 0u; }}
                let first = slot.x + index * {bytes}u;
                let low = buffer{buffer}[first / 4u];
                let shift = first % 4u * 8u;
                if shift == 0u {{ return low & {mask}; }}
                return ((low >> shift) | (buffer{buffer}[first / 4u + 1u] << (32u - shift))) & {mask};
            }}
            ",
            binding = buffer + 2,
        )
    }
}

/// Returns the statements that return the position of `vertex` of `primitive` (Direct3D 11.3 functional
/// specification, 8.10 to 8.15). The first vertex that is not an adjacent one is always the leading vertex.
pub(in crate::objects::shader::passes) fn position(
    topology: PrimitiveTopology,
    input: InputPrimitive,
) -> String {
    use PrimitiveTopology as T;
    let is_plain = matches!(input, InputPrimitive::Line | InputPrimitive::Triangle);
    match topology {
        T::LineStrip => "return primitive + vertex;".into(),
        T::LineStripAdj if is_plain => "return primitive + 1u + vertex;".into(),
        T::LineStripAdj => "return primitive + vertex;".into(),
        T::LineListAdj if is_plain => "return 4u * primitive + 1u + vertex;".into(),
        T::TriangleListAdj if is_plain => "return 6u * primitive + 2u * vertex;".into(),
        T::TriangleStrip => "
            let is_reversed = primitive % 2u == 1u && vertex != 0u;
            return primitive + select(vertex, 3u - vertex, is_reversed);"
            .into(),
        T::TriangleStripAdj => {
            let vertex = if is_plain { "2u * vertex" } else { "vertex" };
            format!(
                "
                let first = 2u * primitive;
                let is_last = primitive + 1u == pulled.starts.z;
                let after = select(first + 6u, first + 5u, is_last);
                var even = array<u32, 6>(first, first - 2u, first + 2u, after, first + 4u, first + 3u);
                if primitive == 0u {{ even[1] = 1u; }}
                var odd = array<u32, 6>(first, first + 3u, first + 4u, after, first + 2u, first - 2u);
                if primitive % 2u == 1u {{ return odd[{vertex}]; }}
                return even[{vertex}];"
            )
        }
        _ => format!("return {}u * primitive + vertex;", input.vertex_count()),
    }
}
