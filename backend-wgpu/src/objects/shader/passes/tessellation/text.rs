//! The WGSL functions that find domain points and the parts of their patches.

use onze_ddi::TessellatorDomain;

use crate::objects::shader::specialization::{
    pull::VertexPull,
    streams::StreamOutput,
    tessellation::{DIVISION_WORDS, DomainStage, HeaderWord, NUMBERS_OF_PATCH},
};

use super::tessellator::{self, TessellatorPart};

/// Returns the functions for the patches of a hull shader, with those for corners if `finds_corners`.
pub(super) fn text(stage: &DomainStage, pull: &VertexPull, finds_corners: bool) -> String {
    let program = &stage.program;
    let (parts, corners) = match finds_corners {
        true => (&[TessellatorPart::Points, TessellatorPart::Corners][..], corner_functions()),
        false => (&[TessellatorPart::Points][..], String::new()),
    };
    let tessellator = tessellator::text(program.domain, program.partitioning, program.output, parts);
    let third = match program.domain {
        TessellatorDomain::Triangle => "65536.0 - uv.x - uv.y",
        TessellatorDomain::Isoline | TessellatorDomain::Quad => "0.0",
    };
    format!(
        "
        {tessellator}

        {pulled}
        @group(0) @binding(1) var<storage> patches: array<u32>;

        // The number of the patch, of all that are stored.
        var<private> patch_number: u32;

        // Returns the position of the header.
        fn header() -> u32 {{ return pulled.slots[0].x / 4u; }}

        // Returns the position of the division of a patch.
        fn division(number: u32) -> u32 {{
            return header() + patches[header() + {divisions}u] + number * {division_words}u;
        }}

        fn factors_of(number: u32) -> Factors {{
            let at = division(number);
            return Factors(
                vec4(patches[at], patches[at + 1u], patches[at + 2u], patches[at + 3u]),
                vec2(patches[at + 4u], patches[at + 5u])
            );
        }}

        // Returns the number of the patch in the instance of the draw.
        fn patch_id() -> u32 {{
            return patches[division(patch_number) + 7u];
        }}

        {corners}

        // Returns the location of a domain point.
        fn locate(number: u32) -> vec3<f32> {{
            patch_number = number / {numbers}u;
            let uv = vec2<f32>(point(factors_of(patch_number), number % {numbers}u));
            return vec3(uv, {third}) / 65536.0;
        }}

        fn word_of_point(index: u32) -> u32 {{
            let number = patch_number * {points}u + min(index, {last_point}u);
            return header() + patches[header() + {points_at}u] + number * {point_words}u;
        }}

        fn word_of_constants() -> u32 {{
            return header() + patches[header() + {constants_at}u] + patch_number * {constant_words}u;
        }}
        ",
        pulled = pull.space.declaration(pull.slots.len()),
        numbers = NUMBERS_OF_PATCH,
        division_words = DIVISION_WORDS,
        points_at = HeaderWord::Points as u32,
        constants_at = HeaderWord::Constants as u32,
        divisions = HeaderWord::Divisions as u32,
        points = program.output_points,
        last_point = program.output_points.max(1) - 1,
        point_words = stage.points.as_ref().map_or(0, StreamOutput::vertex_words),
        constant_words = stage.constants.vertex_words(),
    )
}

/// Returns the functions that find the patch and the domain point of a corner.
fn corner_functions() -> String {
    format!(
        "
        fn store_corner(n: u32, point: u32) {{}}

        // Finds the patch of a corner: the last one that does not begin after it.
        fn find_patch(corner: u32) {{
            var first = 0u;
            var end = patches[header() + {patches}u];
            loop {{
                if end - first <= 1u {{ break; }}
                let middle = (first + end) / 2u;
                if patches[division(middle) + 6u] <= corner {{ first = middle; }} else {{ end = middle; }}
            }}
            patch_number = first;
        }}

        fn corner_number(at: u32) -> u32 {{
            find_patch(at);
            let n = at - patches[division(patch_number) + 6u];
            return patch_number * {numbers}u + corner(factors_of(patch_number), n);
        }}

        fn patch_of_corner(at: u32) -> u32 {{
            find_patch(at);
            return patch_id();
        }}
        ",
        numbers = NUMBERS_OF_PATCH,
        patches = HeaderWord::Patches as u32,
    )
}
