//! Tests of size queries and of the starts of indirect draws.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderStage;

use super::languages::{has_block, specialized};
use crate::{
    objects::shader::{CountedBinding, CountedResource, DriverBlock, Specialization, counts},
    testing::shader_code,
};

/// Shaders with all kinds of size queries.
const ASKING: [(ShaderStage, &str); 3] = [
    (
        ShaderStage::Pixel,
        "
        @group(1) @binding(0) var plain: texture_2d<f32>;
        @group(1) @binding(1) var layers: texture_2d_array<f32>;
        @group(1) @binding(2) var cube: texture_cube<f32>;
        @group(1) @binding(3) var samples: texture_multisampled_2d<f32>;
        @group(1) @binding(4) var volume: texture_3d<u32>;
        @group(1) @binding(5) var shadow: texture_depth_2d;
        struct Out { @location(1) color: vec4f, @builtin(frag_depth) depth: f32 }
        fn level(image: texture_2d<f32>, level: u32) -> vec2u {
            var size = vec2u(0u);
            loop {
                if level > 3u { break; }
                size += textureDimensions(image, level);
                continuing { break if size.x > 7u; }
            }
            return size;
        }
        @fragment fn main(@builtin(position) at: vec4f) -> Out {
            var sum = textureDimensions(plain) + textureDimensions(layers, 1) + level(plain, u32(at.x));
            switch textureNumLevels(plain) {
                case 0u: { sum += textureDimensions(cube); }
                default: { sum += textureDimensions(samples) * textureNumSamples(samples); }
            }
            let deep = textureDimensions(volume);
            sum += deep.xy + deep.zz + textureDimensions(shadow);
            sum.x += textureNumLayers(layers);
            return Out(vec4f(vec2f(sum), 0.0, 1.0), 0.5);
        }",
    ),
    (
        ShaderStage::Vertex,
        "
        struct Tail { first: vec4f, rest: array<vec4f> }
        @group(1) @binding(1) var<storage> tail: Tail;
        @group(1) @binding(9) var<storage> plain: array<f32>;
        @vertex fn main() -> @builtin(position) vec4f {
            return vec4f(f32(arrayLength(&tail.rest)), f32(arrayLength(&plain)), plain[1], 1.0);
        }",
    ),
    (
        ShaderStage::Compute,
        "
        @group(1) @binding(0) var<storage> input: array<u32>;
        @group(3) @binding(7) var<storage, read_write> output: array<u32>;
        fn length() -> u32 { return arrayLength(&output); }
        fn twice() -> u32 { let once = length(); return once + length(); }
        @compute @workgroup_size(1) fn main() {
            if arrayLength(&input) > 1u { output[0] = twice(); } else { output[1] = input[0]; }
        }",
    ),
];

#[test]
fn a_size_query_reads_the_driver_constants() {
    for (stage, source) in ASKING {
        let code = shader_code(stage, source, Vec::new());
        for block in [None, Some(DriverBlock::Counts), Some(DriverBlock::CountsAndStarts)] {
            let exact_counts = block.is_some();
            for depth_location in [None, Some(0)] {
                let module = specialized(
                    &code,
                    &Specialization { block, depth_location, ..Specialization::default() },
                );
                assert_eq!(has_block(&module), exact_counts, "{stage:?}");
                let asks = |function: &naga::Function| {
                    function.expressions.iter().any(|(_, expression)| {
                        matches!(
                            expression,
                            naga::Expression::ImageQuery { .. } | naga::Expression::ArrayLength(_)
                        )
                    })
                };
                assert_ne!(asks(&module.entry_points[0].function), exact_counts, "{stage:?}");
                let text = format!("{module:?}");
                let has_depth = text.contains("FragDepth");
                assert_eq!(has_depth, stage == ShaderStage::Pixel && depth_location.is_none(), "{stage:?}");
            }
        }
    }
}

/// Vertex shaders that read the indices of vertices and instances in different ways.
const NUMBERING: [&str; 3] = [
    "@vertex fn main(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f { return vec4f(f32(vertex)); }",
    "
    struct In { @location(3) at: vec2f, @builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32 }
    struct Out { @builtin(position) at: vec4f, @location(0) @interpolate(flat) instance: u32 }
    @group(1) @binding(0) var<storage> offsets: array<u32>;
    fn place(in: In) -> vec4f { return vec4f(in.at, f32(in.vertex), f32(arrayLength(&offsets))); }
    @vertex fn main(in: In) -> Out { return Out(place(in), in.instance + offsets[in.vertex]); }",
    "
    @group(1) @binding(0) var<storage> offsets: array<u32>;
    fn length() -> u32 { return arrayLength(&offsets); }
    @vertex fn main(
        @location(0) at: vec2f, @builtin(instance_index) instance: u32, @builtin(vertex_index) vertex: u32
    ) -> @builtin(position) vec4f {
        var index = vertex;
        index += length();
        return vec4f(at, f32(index), f32(instance));
    }",
];

#[test]
fn the_indices_of_an_indirect_draw_exclude_its_starts() {
    for source in NUMBERING {
        let code = shader_code(ShaderStage::Vertex, source, Vec::new());
        for block in [None, Some(DriverBlock::Counts), Some(DriverBlock::CountsAndStarts)] {
            let module = specialized(&code, &Specialization { block, ..Specialization::default() });
            let entry_point = &module.entry_points[0].function;
            let subtracts = |(_, expression): &(_, &naga::Expression)| {
                matches!(expression, naga::Expression::Binary { op: naga::BinaryOperator::Subtract, .. })
            };
            let found = entry_point.expressions.iter().filter(subtracts).count();
            let numbers = source.matches("@builtin(vertex_index)").count()
                + source.matches("@builtin(instance_index)").count();
            let starts = block == Some(DriverBlock::CountsAndStarts);
            assert_eq!(found, if starts { numbers } else { 0 }, "{source}");
            let entry_points = module.entry_points.len();
            assert_eq!((entry_points, has_block(&module)), (1, block.is_some()), "{source}");
        }
    }
}

#[test]
fn each_queried_resource_is_counted_once() {
    let counted = |(stage, source)| counts::counted(&shader_code(stage, source, Vec::new()));
    let [pixel, vertex, compute] = ASKING.map(counted);
    let textures: Vec<_> = (0..6).map(|slot| CountedResource::Texture { slot }).collect();
    let mut found: Vec<_> = pixel.iter().map(|counted| counted.of).collect();
    found.sort_by_key(|of| textures.iter().position(|texture| texture == of));
    assert_eq!(found, textures);
    let lengths = |counted: &[CountedBinding], size| -> Vec<_> {
        let mut lengths: Vec<_> = counted
            .iter()
            .map(|counted| match counted.of {
                CountedResource::Texture { slot } => panic!("t{slot} is no buffer"),
                CountedResource::Buffer { slot, elements } => (slot, elements.in_bytes(size)),
                CountedResource::WrittenBuffer { slot, elements } => (slot + 1000, elements.in_bytes(size)),
            })
            .collect();
        lengths.sort_unstable();
        lengths
    };
    assert_eq!(lengths(&vertex, 40), [(1, 1), (9, 10)]);
    assert_eq!(lengths(&vertex, 8), [(1, 0), (9, 2)]);
    assert_eq!(lengths(&compute, 12), [(0, 3), (1007, 3)]);
}

/// If callers pass several textures to a function, its query keeps wgpu's answer.
#[test]
fn a_size_query_of_several_textures_keeps_the_answer_of_wgpu() {
    let source = "
        @group(1) @binding(0) var one: texture_2d<f32>;
        @group(1) @binding(1) var other: texture_2d<f32>;
        fn size(image: texture_2d<f32>) -> vec2u { return textureDimensions(image); }
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(vec2f(size(one) + textureDimensions(other)), vec2f(size(other)));
        }";
    let code = shader_code(ShaderStage::Pixel, source, Vec::new());
    let [counted] = counts::counted(&code)[..] else { panic!("it asks for one by itself") };
    assert_eq!(counted.of, CountedResource::Texture { slot: 1 });
    let module =
        specialized(&code, &Specialization { block: Some(DriverBlock::Counts), ..Specialization::default() });
    let questions = format!("{module:?}").matches("ImageQuery").count();
    assert_eq!(questions, 2, "that of the function, and that of the answer");
}
