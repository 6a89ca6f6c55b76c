//! Thread groups: system values, and shared memory (HLSL's `groupshared` and WGSL's `var<workgroup>`).
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::Error;
use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, on_each};

const WORDS: u32 = 8192;

/// Number of groups, larger than the number of groups that run at the same time.
const GROUPS: u32 = 64;

fn shader(h: &Harness, text: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap()
}

fn words(h: &Harness, contents: &[u32]) -> (Buffer, UnorderedAccessView) {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let desc = BufferDesc::structured(4, contents.len() as u32, flags);
    let buffer = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(contents))).unwrap();
    let view = buffer.create_unordered_access_view().unwrap();
    (buffer, view)
}

/// Returns a shader that fills the whole shared memory with non-zero words, and counts these words.
fn dirtying() -> String {
    format!(
        "@group(3) @binding(0) var<storage, read_write> seen: array<u32>;
        var<workgroup> memory: array<u32, {WORDS}>;
        @compute @workgroup_size(64) fn main(
            @builtin(local_invocation_index) n: u32, @builtin(workgroup_id) group: vec3u
        ) {{
            for (var i = n; i < {WORDS}u; i += 64u) {{ memory[i] = 0xdddd0000u + i; }}
            workgroupBarrier();
            var sum = 0u;
            for (var i = n; i < {WORDS}u; i += 64u) {{ sum += u32(memory[{WORDS}u - 1u - i] >= 0xdddd0000u); }}
            if n == 0u {{ seen[group.x] = sum; }}
        }}"
    )
}

/// naga zeroes group-shared memory for each group, although Direct3D 11 leaves it undefined. The memory is
/// also zero after another shader has written all of it, and after other groups of the same dispatch.
#[test]
fn group_shared_memory_is_zero_at_first() {
    // Declarations, an expression that returns the number of set bits in word `i`, and a statement that sets
    // bits of word `i`.
    let kinds = [
        (
            format!("var<workgroup> memory: array<u32, {WORDS}>;"),
            "countOneBits(memory[i])",
            "memory[i] = 0xffffffffu;",
        ),
        (
            format!("var<workgroup> memory: array<atomic<i32>, {WORDS}>;"),
            "u32(countOneBits(atomicLoad(&memory[i])))",
            "atomicStore(&memory[i], -1);",
        ),
        (
            format!(
                "struct Pair {{ a: f32, b: vec3u }}
                var<workgroup> first: array<Pair, {}>;
                var<workgroup> flags: array<bool, 64>;",
                WORDS / 8 - 8
            ),
            "countOneBits(bitcast<u32>(first[i % 1016u].a)) + countOneBits(first[i % 1016u].b.z) + u32(flags[i % 64u])",
            "first[i % 1016u] = Pair(-1.0, vec3u(7u)); flags[i % 64u] = true;",
        ),
    ];
    on_each(&gpu_matrix(), |h| {
        let dirtying = shader(h, &dirtying());
        for (declarations, bits, dirty) in &kinds {
            let cs = shader(
                h,
                &format!(
                    "@group(3) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;
                    {declarations}
                    @compute @workgroup_size(32) fn main(
                        @builtin(local_invocation_index) n: u32, @builtin(workgroup_id) group: vec3u
                    ) {{
                        var sum = 0u;
                        for (var i = n; i < {WORDS}u; i += 32u) {{ sum += {bits}; }}
                        workgroupBarrier();
                        for (var i = n; i < {WORDS}u; i += 32u) {{ {dirty} }}
                        workgroupBarrier();
                        // Reads the words back, so that the writes are not optimised away.
                        for (var i = n; i < {WORDS}u; i += 32u) {{ sum += u32({bits} == 0u) << 16u; }}
                        atomicAdd(&seen[group.x], sum);
                        atomicAdd(&seen[{GROUPS}u + group.x], 1u);
                    }}"
                ),
            );
            for how in CommandPath::ALL {
                let ((first, first_view), (second, second_view)) =
                    (words(h, &[77; GROUPS as usize]), words(h, &[0; 2 * GROUPS as usize]));
                h.record(how, |cx| {
                    cx.cs_set_shader(&dirtying);
                    cx.cs_set_unordered_access_views(0, &first_view);
                    cx.dispatch(GROUPS, 1, 1);
                    cx.cs_set_shader(&cs);
                    cx.cs_set_unordered_access_views(0, &second_view);
                    cx.dispatch(GROUPS, 1, 1);
                });
                let first: Vec<u32> = h.immediate.read_buffer(&first).unwrap();
                assert_eq!(first, [WORDS / 64; GROUPS as usize], "{declarations}, {how:?}");
                let second: Vec<u32> = h.immediate.read_buffer(&second).unwrap();
                let expected = [[0; GROUPS as usize], [32; GROUPS as usize]].concat();
                assert_eq!(second, expected, "{declarations}, {how:?}");
            }
        }
    });
}

/// Each group has its own memory, and after a barrier the group's threads see each other's writes.
#[test]
fn threads_see_what_their_group_wrote_before_a_barrier() {
    on_each(&gpu_matrix(), |h| {
        for [x, y, z] in [[1, 1, 1], [5, 3, 2], [64, 1, 1], [1, 1, 64], [8, 8, 4], [1024, 1, 1], [1, 1024, 1]]
        {
            let threads = x * y * z;
            let cs = shader(
                h,
                &format!(
                    "@group(3) @binding(0) var<storage, read_write> sums: array<u32>;
                    var<workgroup> numbers: array<u32, {threads}>;
                    @compute @workgroup_size({x}, {y}, {z}) fn main(
                        @builtin(local_invocation_id) at: vec3u,
                        @builtin(local_invocation_index) n: u32,
                        @builtin(workgroup_id) group: vec3u
                    ) {{
                        // SV_GroupIndex.
                        let index = (at.z * {y}u + at.y) * {x}u + at.x;
                        numbers[index] = 1000u * group.x + index;
                        // Computes the prefix sums.
                        for (var step = 1u; step < {threads}u; step *= 2u) {{
                            workgroupBarrier();
                            let before = select(0u, numbers[max(n, step) - step], n >= step);
                            workgroupBarrier();
                            numbers[n] += before;
                        }}
                        workgroupBarrier();
                        sums[group.x * {threads}u + n] = numbers[{threads}u - 1u - n];
                    }}"
                ),
            );
            let (sums, view) = words(h, &vec![0; (3 * threads) as usize]);
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(3, 1, 1);
            });
            let sum = |group: u32, last: u32| (0..=last).map(|n| 1000 * group + n).sum::<u32>();
            let expected = (0..3).flat_map(|group| (0..threads).map(move |n| sum(group, threads - 1 - n)));
            let found: Vec<u32> = h.immediate.read_buffer(&sums).unwrap();
            assert!(found.into_iter().eq(expected), "{x} {y} {z}");
        }
    });
}

/// Tests SV_GroupID, SV_GroupThreadID, SV_DispatchThreadID and SV_GroupIndex.
#[test]
fn each_thread_has_its_own_system_values() {
    on_each(&gpu_matrix(), |h| {
        for ([x, y, z], [groups_x, groups_y, groups_z]) in
            [([3, 4, 5], [2, 1, 3]), ([1, 1, 1], [4, 3, 2]), ([32, 2, 1], [1, 5, 1]), ([1, 1, 64], [2, 2, 2])]
        {
            let threads = x * y * z;
            let cs = shader(
                h,
                &format!(
                    "struct Numbers {{ group: vec3u, index: u32, of_group: vec3u, groups: u32, of_all: vec3u, count: atomic<u32> }}
                    @group(3) @binding(0) var<storage, read_write> numbers: array<Numbers>;
                    @compute @workgroup_size({x}, {y}, {z}) fn main(
                        @builtin(workgroup_id) group: vec3u,
                        @builtin(num_workgroups) groups: vec3u,
                        @builtin(local_invocation_id) of_group: vec3u,
                        @builtin(local_invocation_index) index: u32,
                        @builtin(global_invocation_id) of_all: vec3u
                    ) {{
                        let at = ((group.z * groups.y + group.y) * groups.x + group.x) * {threads}u + index;
                        numbers[at].group = group;
                        numbers[at].index = index;
                        numbers[at].of_group = of_group;
                        numbers[at].groups = groups.x * groups.y * groups.z;
                        numbers[at].of_all = of_all;
                        atomicAdd(&numbers[at].count, 1u);
                    }}"
                ),
            );
            let groups = groups_x * groups_y * groups_z;
            let flags = BindFlags::UNORDERED_ACCESS;
            let desc = BufferDesc::structured(48, groups * threads, flags);
            let numbers = h.device.create_buffer(&desc, None).unwrap();
            let view = numbers.create_unordered_access_view().unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(groups_x, groups_y, groups_z);
            });
            let found: Vec<[u32; 12]> = h.immediate.read_buffer(&numbers).unwrap();
            for (at, found) in (0..).zip(found) {
                let (group, n) = (at / threads, at % threads);
                let group = [group % groups_x, group / groups_x % groups_y, group / groups_x / groups_y];
                let thread = [n % x, n / x % y, n / x / y];
                let all = [0, 1, 2].map(|i| group[i] * [x, y, z][i] + thread[i]);
                let expected = [&group[..], &[n], &thread, &[groups], &all, &[1]].concat();
                assert_eq!(found[..], expected, "{x} {y} {z}, {groups_x} {groups_y} {groups_z}");
            }
        }
    });
}

/// wgpu does not check the size of group-shared memory, so the library must refuse a shader that uses too
/// much.
#[test]
fn groups_that_are_too_large_are_refused_by_name() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let create = |text: String| h.device.create_compute_shader(ShaderSource::wgsl(&text, "main"));
        let sized = |size: &str| format!("@compute @workgroup_size({size}) fn main() {{}}");
        let sharing = |words: u32| {
            format!(
                "var<workgroup> tile: array<u32, {words}>;
                @compute @workgroup_size(1) fn main() {{ tile[0] = 1u; }}"
            )
        };
        for right in [sized("1024"), sized("16, 1, 64"), sized("1, 1024"), sharing(WORDS)] {
            assert!(create(right.clone()).is_ok(), "{right}");
        }
        h.assert_silent();
        for (wrong, words) in [
            (sized("1025"), ["1025 x 1 x 1 threads", "@workgroup_size smaller"]),
            (sized("33, 32"), ["33 x 32 x 1 threads", "1024 in total"]),
            (sized("1, 1, 65"), ["1 x 1 x 65 threads", "1024 x 1024 x 64"]),
            (sharing(WORDS + 1), ["32772 bytes", "at most 32768"]),
        ] {
            let refused = create(wrong.clone());
            assert!(
                matches!(&refused, Err(Error::InvalidArg(text)) if words.iter().all(|word| text.contains(word))),
                "{wrong}: {refused:?}"
            );
            h.assert_reported(MessageId::CreateShaderInvalid);
        }
    });
}
