//! Tests of open constant buffers, and of modules with more rows than declared.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderStage;

use crate::{
    objects::shader::{
        BoundRows, ByIndex, IndexedSlot, SeenBindings, Specialization,
        passes::tests::languages::{specialized, validate},
        specialization::constant_rows::{OpenConstants, open_constants},
    },
    testing::shader_code,
};

/// Buffers with indices that vary, buffers with constant indices, and buffers with more than an array of
/// rows.
const BUFFERS: &str = "
    struct Rows { rows: array<vec4f, 4> }
    struct Two { first: vec4f, rows: array<vec4f, 4> }
    struct Words { rows: array<vec4u, 4> }
    @group(0) @binding(0) var<uniform> indexed: Rows;
    @group(0) @binding(1) var<uniform> known: Rows;
    @group(0) @binding(2) var<uniform> two: Two;
    @group(0) @binding(3) var<uniform> words: Words;
    @group(0) @binding(4) var<uniform> copied: Rows;
    @group(0) @binding(5) var<uniform> component: Rows;
    fn row(n: i32) -> vec4f { return indexed.rows[n]; }
    @fragment fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
        let n = i32(position.x);
        var copy = copied.rows;
        return row(n - 1) + known.rows[3] + two.rows[n] + vec4f(words.rows[n]) + copy[n] + copied.rows[n]
            + component.rows[n + 2][n];
    }";

#[test]
fn an_indexed_buffer_of_rows_is_open() {
    let code = shader_code(ShaderStage::Pixel, BUFFERS, Vec::new());
    let open = [0, 5].map(|slot| OpenConstants { slot, rows: 4 });
    assert_eq!(*open_constants(&code), open);
}

/// Returns the WGSL of the shader with more rows in two slots.
fn text(by_index: Option<ByIndex>) -> String {
    let code = shader_code(ShaderStage::Pixel, BUFFERS, Vec::new());
    let rows = [(0, 9), (5, 4096)].map(|(slot, rows)| BoundRows { slot, rows });
    let seen = SeenBindings { rows: Some(rows.into()), ..SeenBindings::default() };
    let module = specialized(&code, &Specialization { seen, by_index, ..Specialization::default() });
    let info = validate(&module).unwrap();
    naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}

#[test]
fn an_array_of_rows_gets_the_bound_length() {
    let text = text(None);
    for part in ["array<vec4<f32>, 9>", "array<vec4<f32>, 4096>", "< 9u", "< 4096u", "< 4u"] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

/// The pass `ranges` compares with the rows of the draw's buffer before `by_index` selects the window's
/// element.
#[test]
fn a_row_of_a_window_is_compared_with_the_bound_rows() {
    let slots = vec![IndexedSlot { slot: 0, field: 0, step: 0 }];
    let text = text(Some(ByIndex { slots, location: Some(3) }));
    assert!(text.contains("< 9u"), "{text}");
    // Nine rows are 144 bytes, so a window holds 256 elements of 256 bytes.
    assert!(text.contains("array<Element, 256>"), "{text}");
}
