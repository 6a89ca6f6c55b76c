//! Out-of-range indices before and after a view, including indices whose byte offset wraps at 32 bits.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, on_each};

use super::{bytes, formats, plain, shader, srv, uav, words};

/// Out-of-range indices, including -1 and -2 just before the view. Other indices wrap to small offsets when
/// they are multiplied by an element size of 1 to 16 bytes.
const BEYOND: &str = "array<u32, 8>(0xffffffffu, 0xfffffffeu, 0x80000000u, 0x40000000u, 0x20000000u, 0x10000000u, \
    0x10000001u, 5u)";

#[test]
fn stores_and_loads_beyond_a_view_reach_no_element() {
    on_each(&[Config::GPU], |h| {
        for format in formats().filter(|format| format.is_written_buffer_element()) {
            let size = format.bytes_per_block() as usize;
            let (kind, storage) = words(format);
            let cs = shader(
                h,
                &format!(
                    "@group(1) @binding(0) var input: texture_1d<{kind}>;
                    @group(3) @binding(0) var output: texture_storage_1d<{storage}, read_write>;
                    @group(3) @binding(1) var<storage, read_write> found: array<u32, 2>;
                    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) n: u32) {{
                        var beyond = {BEYOND};
                        let zero = vec4<{kind}>();
                        if any(textureLoad(input, beyond[n], 0) != zero) {{ found[0] = beyond[n]; }}
                        if any(textureLoad(output, beyond[n]) != zero) {{ found[1] = beyond[n]; }}
                        textureStore(output, beyond[n], vec4<{kind}>(1));
                        textureStore(output, bitcast<i32>(beyond[n]), vec4<{kind}>(1));
                    }}"
                ),
            );
            let before = bytes(16 * size);
            let (read, written) = (plain(h, &before), plain(h, &before));
            let (read, view) = (srv(h, &read, format, 3, 5), uav(h, &written, format, 3, 5));
            let results = super::results(h, 2);
            let found = h.device.create_unordered_access_view(&results, None).unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &read);
                cx.cs_set_unordered_access_views(0, [&view, &found]);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(h.immediate.read_buffer::<u32>(&results).unwrap(), [0; 2], "{format:?}");
            assert_eq!(h.immediate.read_buffer::<u8>(&written).unwrap(), before, "{format:?}");
        }
    });
}

#[test]
fn atomics_beyond_a_view_reach_no_element() {
    on_each(&[Config::GPU], |h| {
        for (kind, storage, format) in
            [("u32", "r32uint", Format::R32_UINT), ("i32", "r32sint", Format::R32_SINT)]
        {
            for name in ["Add", "Min", "Max", "And", "Or", "Xor"] {
                let cs = shader(
                    h,
                    &format!(
                        "@group(3) @binding(0) var counts: texture_storage_1d<{storage}, atomic>;
                        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) n: u32) {{
                            var beyond = {BEYOND};
                            textureAtomic{name}(counts, beyond[n], {kind}(3u << n));
                            textureAtomic{name}(counts, bitcast<i32>(beyond[n]), {kind}(6));
                        }}"
                    ),
                );
                let before = [5_u32; 16];
                let buffer = plain(h, bytemuck::cast_slice(&before));
                let view = uav(h, &buffer, format, 3, 5);
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&cs);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(1, 1, 1);
                });
                assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), before, "{format:?} {name}");
            }
        }
    });
}
