//! Tests of the accesses that become calls, and of the called functions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderStage;

use crate::{
    objects::shader::{
        Specialization,
        passes::tests::languages::{specialized, validate},
    },
    testing::shader_code,
};

/// Every kind of access, with indices into every kind of array.
const REACHING: &str = "
    struct Light { color: vec3f, radii: array<vec2f, 4>, turn: mat2x2f }
    struct Lights { count: u32, all: array<Light> }
    @group(1) @binding(0) var<storage> lights: Lights;
    @group(3) @binding(0) var<storage, read_write> words: array<u32>;
    @group(3) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;
    @group(3) @binding(2) var<storage, read_write> fixed: array<atomic<u32>, 8>;
    fn far(light: i32, radius: u32, component: i32) -> f32 {
        let one = &lights.all[light];
        return (*one).radii[radius][component] + (*one).turn[radius][component] + (*one).turn[1].x + (*one).color.y;
    }
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        var sum = lights.count + words[0];
        loop {
            sum += words[i + sum];
            words[i] = sum;
            words[3] += 1u;
            continuing { break if words[sum] > 7u; }
        }
        let whole = lights.all[i];
        words[i + 1u] = bitcast<u32>(far(i32(i) - 1, i, 1) + whole.color.x);
        atomicAdd(&counts[i], 1);
        atomicStore(&counts[i + 1u], atomicLoad(&counts[i + 2u]) - atomicMax(&counts[i], 5));
        let old = atomicExchange(&counts[i], -1);
        let result = atomicCompareExchangeWeak(&counts[i], old, 3);
        if result.exchanged { words[i] = u32(result.old_value); }
        let other = atomicCompareExchangeWeak(&fixed[i], 1u, 3u);
        words[other.old_value] = atomicSub(&fixed[7], 1u);
    }";

/// Returns the module's WGSL.
fn wgsl(module: &naga::Module) -> String {
    let info = validate(module).unwrap();
    naga::back::wgsl::write_string(module, &info, naga::back::wgsl::WriterFlags::empty()).unwrap()
}

/// Each access with an index that may be too large is in a function that compares the index first.
#[test]
fn every_index_without_a_known_bound_is_compared() {
    let code = shader_code(ShaderStage::Compute, REACHING, Vec::new());
    let module = specialized(&code, &Specialization::default());
    let text = wgsl(&module);
    let (checking, shader): (Vec<_>, Vec<_>) =
        text.split("\nfn ").skip(1).partition(|function| function.starts_with("in_range"));
    // Only accesses that are always in range remain in the shader's functions.
    let shader = shader.join("");
    for (reached, times) in [("words[", 1), ("lights.", 2), ("&counts", 0), ("&fixed[", 1)] {
        assert_eq!(shader.matches(reached).count(), times, "{reached} in {shader}");
    }
    let functions: Vec<_> = checking.iter().map(|function| simplified(function)).collect();
    let expected = [
        "a < arrayLength(lights.all) && b < 4u ? lights.all[a].radii[b][c] : f32()",
        "a < arrayLength(lights.all) ? lights.all[a].turn[b][c] : f32()",
        "a < arrayLength(lights.all) ? lights.all[a].turn[1][0] : f32()",
        "a < arrayLength(lights.all) ? lights.all[a].color.y : f32()",
        "a < arrayLength(words) ? words[a] : u32()",
        "3u < arrayLength(words) ? words[3] : u32()",
        "a < arrayLength(lights.all) ? lights.all[a] : Light()",
        "a < arrayLength(counts) ? atomicLoad(counts[a]) : i32()",
        "a < arrayLength(words) ? words[a] = b : ",
        "3u < arrayLength(words) ? words[3] = a : ",
        "a < arrayLength(counts) ? atomicAdd(counts[a], b) : i32()",
        "a < arrayLength(counts) ? atomicMax(counts[a], b) : i32()",
        "a < arrayLength(counts) ? atomicStore(counts[a], b) : ",
        "a < arrayLength(counts) ? atomicExchange(counts[a], b) : i32()",
        "a < arrayLength(counts) ? Exchanged(atomicCompareExchangeWeak(counts[a], c, b)) : Exchanged(i32(), (c == i32()))",
        "a < 8u ? Exchanged_1(atomicCompareExchangeWeak(fixed[a], c, b)) : Exchanged_1(u32(), (c == u32()))",
    ];
    assert_eq!(functions, expected, "{text}");
}

/// Results of exchanges are also stored in local variables, next to results from group-shared memory.
#[test]
fn all_compared_exchanges_return_the_same_type() {
    let source = "
        var<workgroup> shared_count: atomic<u32>;
        @group(3) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            var result = atomicCompareExchangeWeak(&counts[id.x], 1u, 2u);
            if !result.exchanged { result = atomicCompareExchangeWeak(&shared_count, result.old_value, 2u); }
            if !result.exchanged { result = atomicCompareExchangeWeak(&counts[0], result.old_value, 2u); }
            atomicStore(&counts[1], result.old_value);
        }";
    let code = shader_code(ShaderStage::Compute, source, Vec::new());
    let text = wgsl(&specialized(&code, &Specialization::default()));
    assert_eq!(text.matches("var result: Exchanged;").count(), 1, "{text}");
    assert_eq!(text.matches("-> Exchanged {").count(), 3, "{text}");
}

/// Summarises a checking function: the condition, the access, and the result if the condition fails. The
/// arguments are renamed to a, b and c.
fn simplified(function: &str) -> String {
    let (head, rest) = function.split_once("if (").unwrap();
    let (condition, rest) = rest.split_once(" {\n").unwrap();
    let (within, beyond) = rest.split_once('}').unwrap();
    let lines: Vec<_> = within.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let value =
        |line: &str| line.split_once(" = ").map_or(String::new(), |(_, value)| value.replace(';', ""));
    let done = match lines[..] {
        [line] => line.replace(';', ""),
        [line, returned] => match returned.strip_prefix("return ").unwrap().split_once('(') {
            Some((ty, members)) if members.contains("old_value, ") => format!("{ty}({})", value(line)),
            _ => value(line),
        },
        _ => panic!("{function}"),
    };
    let given = beyond.split_once("return").unwrap().1.split(';').next().unwrap().trim();
    let condition = condition.strip_suffix(')').unwrap();
    let mut text = format!("{condition} ? {done} : {given}");
    let names = head.split_once('(').unwrap().1.split([',', ')']).filter_map(|part| part.split_once(':'));
    let mut names: Vec<_> = names.map(|(name, _)| name.trim()).zip(["a", "b", "c"]).collect();
    // Longer names come first, because a name may begin with another name.
    names.reverse();
    for (name, letter) in names {
        text = text.replace(name, letter);
    }
    // Removes the parentheses that naga writes around pointers and operands.
    text = text
        .replace("(&lights.all)", "lights.all")
        .replace("(&words)", "words")
        .replace("(&counts)", "counts");
    for (buffer, index) in [("counts", "a"), ("fixed", "a")] {
        text = text.replace(&format!("(&{buffer}[{index}])"), &format!("{buffer}[{index}]"));
    }
    text.replace("(a < arrayLength(lights.all)) && (b < 4u)", "a < arrayLength(lights.all) && b < 4u")
}
