use super::super::expressions::tests::{check_program, program_codes};

/// Returns a program whose last statement is an expression that may use the object `o` and variables named
/// after their types.
fn program(object: &str, text: &str) -> String {
    format!(
        "struct S {{ float4 a; int b; }}; {object} o; SamplerState s; SamplerComparisonState c;
         void main(float f, float2 f2, float3 f3, float4 f4, int i, int2 i2, int3 i3, int4 i4, uint u, uint2 u2, uint3 u3,
                   uint4 u4, S v) {{ {text}; }}"
    )
}

fn tree(object: &str, text: &str) -> String {
    let (tree, messages) = check_program(&program(object, text));
    assert!(messages.is_empty(), "{object}: {text}: {messages:?}");
    tree
}

fn codes(object: &str, text: &str) -> Vec<String> {
    program_codes(&program(object, text))
}

fn takes(objects: &[&str], text: &str, result: &str) {
    for object in objects {
        let tree = tree(object, text);
        assert!(tree.ends_with(&format!(" : {result})")), "{object}: {text}: {tree}");
    }
}

#[test]
fn locations_need_the_dimensions_of_the_texture() {
    assert_eq!(tree("Texture2D", "o.Sample(s, f2)"), "(o.Sample s f2 : float4)");
    assert_eq!(tree("Texture2D<float2>", "o.Sample(s, i2)"), "(o.Sample s float2(i2) : float2)");
    takes(&["Texture1D"], "o.Sample(s, f)", "float4");
    takes(&["Texture1DArray", "Texture2D"], "o.Sample(s, f2)", "float4");
    takes(&["Texture2DArray", "Texture3D", "TextureCube"], "o.Sample(s, f3)", "float4");
    takes(&["TextureCubeArray"], "o.Sample(s, f4)", "float4");
    assert_eq!(codes("Texture2D", "o.Sample(s, f3)"), ["X3206"]);
    assert_eq!(codes("Texture2DArray", "o.Sample(s, f2)"), ["X3017"]);
}

#[test]
fn samples_take_an_optional_offset_clamp_and_status() {
    takes(&["Texture2D"], "o.Sample(s, f2, int2(1, 2), f, u)", "float4");
    takes(&["TextureCube"], "o.Sample(s, f3, f, u)", "float4");
    takes(&["Texture2D"], "o.SampleBias(s, f2, f, int2(1, 2), f, u)", "float4");
    takes(&["Texture2DArray"], "o.SampleGrad(s, f3, f2, f2, int2(1, 2), f, u)", "float4");
    takes(&["Texture3D"], "o.SampleLevel(s, f3, f, int3(1, 2, 3), u)", "float4");
    assert_eq!(codes("TextureCube", "o.Sample(s, f3, f, u, u)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.SampleLevel(s, f2, f, i2, f, u)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.Sample(s)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.Sample(s, f2, int2(8, 0))"), ["X9011"]);
    assert!(codes("Texture2D", "o.Sample(s, f2, int2(-8, 7))").is_empty());
    assert_eq!(codes("Texture2D", "o.Sample(s, f2, int2(0, 0), f, 1)"), ["X3025"]);
}

#[test]
fn comparisons_need_a_comparison_sampler() {
    takes(&["Texture2D", "Texture1DArray"], "o.SampleCmp(c, f2, f)", "float");
    takes(&["Texture2DArray", "TextureCube"], "o.SampleCmpLevelZero(c, f3, f)", "float");
    assert_eq!(codes("Texture2D", "o.SampleCmp(s, f2, f)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.Sample(c, f2)"), ["X3013"]);
    assert_eq!(codes("Texture3D", "o.SampleCmp(c, f3, f)"), ["X3018"]);
    assert_eq!(codes("Texture2D<uint4>", "o.Sample(s, f2)"), ["X4582"]);
}

#[test]
fn gathers_return_four_components() {
    takes(&["Texture2D", "Texture2D<float>"], "o.Gather(s, f2)", "float4");
    takes(&["Texture2DArray<uint4>", "TextureCube<uint>"], "o.GatherRed(s, f3)", "uint4");
    takes(&["Texture2D"], "o.GatherBlue(s, f2, i2, i2, i2, i2, u)", "float4");
    takes(&["Texture2D"], "o.GatherGreen(s, f2, i2, u)", "float4");
    takes(&["Texture2D"], "o.GatherCmpRed(c, f2, f, i2)", "float4");
    takes(&["TextureCubeArray"], "o.GatherCmp(c, f4, f, u)", "float4");
    assert_eq!(codes("Texture2D<float2>", "o.GatherBlue(s, f2)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.Gather(s, f2, i2, i2, i2, i2)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.GatherRed(s, f2, i2, i2, i2)"), ["X3013"]);
    assert_eq!(codes("Texture1D", "o.Gather(s, f)"), ["X3018"]);
    assert_eq!(codes("Texture3D", "o.GatherRed(s, f3)"), ["X3018"]);
}

#[test]
fn loads_take_a_level_or_a_sample() {
    assert_eq!(tree("Texture2D<int2>", "o.Load(u3)"), "(o.Load int3(u3) : int2)");
    takes(&["Texture2DArray"], "o.Load(i4, int2(1, 1), u)", "float4");
    takes(&["Texture2DMS<float2>"], "o.Load(i2, i, int2(1, 1), u)", "float2");
    takes(&["Texture2DMSArray<float2, 4>"], "o.Load(i3, i)", "float2");
    takes(&["RWTexture2D<float2>"], "o.Load(i2, u)", "float2");
    takes(&["Buffer<int3>", "RWBuffer<int3>"], "o.Load(i, u)", "int3");
    takes(&["StructuredBuffer<S>", "RWStructuredBuffer<S>"], "o.Load(i)", "S");
    assert_eq!(codes("Texture2D", "o.Load(i2)"), ["X3017"]);
    assert_eq!(codes("Texture2DMS<float>", "o.Load(i2)"), ["X3013"]);
    assert_eq!(codes("TextureCube", "o.Load(i4)"), ["X3018"]);
    assert_eq!(codes("RWTexture2D<float>", "o.Load(i2, i2, u)"), ["X3013"]);
}

#[test]
fn dimensions_are_written_to_variables() {
    takes(&["Texture1D", "Buffer<float>", "ByteAddressBuffer"], "o.GetDimensions(u)", "void");
    takes(&["Texture2D", "TextureCube", "StructuredBuffer<S>"], "o.GetDimensions(u, f)", "void");
    takes(&["Texture1D"], "o.GetDimensions(i, u, u)", "void");
    takes(&["Texture2D", "Texture1DArray", "TextureCube"], "o.GetDimensions(0, f, f, f)", "void");
    takes(&["Texture3D", "Texture2DArray", "TextureCubeArray"], "o.GetDimensions(0, u, u, i, f)", "void");
    takes(&["Texture2DMS<float>", "RWTexture3D<float>"], "o.GetDimensions(u, u, u)", "void");
    takes(&["Texture2DMSArray<float>"], "o.GetDimensions(u, u, u, u)", "void");
    assert_eq!(codes("Texture2D", "o.GetDimensions(u)"), ["X3013"]);
    assert_eq!(codes("RWTexture2D<float>", "o.GetDimensions(0, u, u, u)"), ["X3013"]);
    assert_eq!(codes("Texture2D", "o.GetDimensions(u, u2)"), ["X3017"]);
    assert_eq!(codes("Texture2D", "o.GetDimensions(u, 1)"), ["X3025"]);
}

#[test]
fn array_length_is_a_property() {
    assert_eq!(tree("Texture2D", "o.Length"), "(o.Length  : uint2)");
    takes(&["Texture2DArray", "RWTexture3D<float>"], "o.Length", "uint3");
    takes(&["Texture1D", "RWBuffer<float4>", "StructuredBuffer<S>"], "o.Length", "uint");
    assert_eq!(codes("TextureCube", "o.Length"), ["X3018"]);
    assert_eq!(codes("Texture2D", "o.Length()"), ["X3018"]);
    assert_eq!(codes("ByteAddressBuffer", "o.Length"), ["X3018"]);
}

#[test]
fn textures_report_levels_of_detail_and_sample_positions() {
    takes(&["Texture2D", "Texture2DArray"], "o.CalculateLevelOfDetail(s, f2)", "float");
    takes(&["TextureCubeArray"], "o.CalculateLevelOfDetailUnclamped(s, f3)", "float");
    takes(&["Texture2DMS<float>"], "o.GetSamplePosition(i)", "float2");
    assert_eq!(codes("Texture2D", "o.GetSamplePosition(i)"), ["X3018"]);
}

#[test]
fn byte_address_buffers_load_and_store_words() {
    let both = ["ByteAddressBuffer", "RWByteAddressBuffer"];
    takes(&both, "o.Load(u)", "uint");
    takes(&both, "o.Load3(i, u)", "uint3");
    assert_eq!(tree(both[1], "o.Store2(i, f2)"), "(o.Store2 uint(i) uint2(f2) : void)");
    assert_eq!(tree(both[1], "o.InterlockedMax(u, i, u)"), "(o.InterlockedMax u i u : void)");
    assert_eq!(tree(both[1], "o.InterlockedMax(u, u)"), "(o.InterlockedMax u u : void)");
    assert_eq!(tree(both[1], "o.InterlockedAdd(u, i)"), "(o.InterlockedAdd u uint(i) : void)");
    takes(&both[1..], "o.InterlockedCompareExchange(u, u, u, i)", "void");
    takes(&both[1..], "o.InterlockedCompareStore(u, u, u)", "void");
    takes(&both[1..], "o.InterlockedExchange(u, u, u)", "void");
    assert_eq!(codes(both[0], "o.Store(u, u)"), ["X3018"]);
    assert_eq!(codes(both[0], "o.InterlockedAdd(u, u)"), ["X3018"]);
    assert_eq!(codes(both[1], "o.InterlockedExchange(u, u)"), ["X3013"]);
    assert_eq!(codes(both[1], "o.Store4(u, u3)"), ["X3017"]);
    assert_eq!(codes(both[1], "o[0]"), ["X3121"]);
}

#[test]
fn counters_and_append_buffers_are_checked() {
    takes(&["AppendStructuredBuffer<S>"], "o.Append(v)", "void");
    takes(&["ConsumeStructuredBuffer<S>"], "o.Consume()", "S");
    takes(&["RWStructuredBuffer<S>"], "o.IncrementCounter()", "uint");
    takes(&["RWStructuredBuffer<S>"], "o.DecrementCounter()", "uint");
    assert_eq!(codes("AppendStructuredBuffer<S>", "o.Append(f)"), ["X3017"]);
    assert_eq!(codes("AppendStructuredBuffer<S>", "o.Consume()"), ["X3018"]);
    assert_eq!(codes("StructuredBuffer<S>", "o.IncrementCounter()"), ["X3018"]);
    assert_eq!(codes("ConsumeStructuredBuffer<S>", "o[0]"), ["X3121"]);
}

#[test]
fn streams_append_vertices() {
    let text = |call| {
        format!("struct V {{ float4 a : A; }}; void main(inout TriangleStream<V> o, V v) {{ {call}; }}")
    };
    assert_eq!(check_program(&text("o.Append(v)")).0, "(o.Append v : void)");
    assert_eq!(check_program(&text("o.RestartStrip()")).0, "(o.RestartStrip  : void)");
    assert_eq!(program_codes(&text("o.Append(1.0f)")), ["X3017"]);
    assert_eq!(program_codes(&text("o.Consume()")), ["X3018"]);
}

#[test]
fn elements_are_indexed_by_location() {
    assert_eq!(tree("Texture2D<int2>", "i2 = o[u2]"), "(= i2 o[u2])");
    assert_eq!(tree("Texture2D", "f4 = o[i2]"), "(= f4 o[uint2(i2)])");
    assert_eq!(tree("RWTexture2DArray<float>", "o[u3] = f"), "(= o[u3] f)");
    assert_eq!(tree("RWBuffer<float4>", "o[i] = f4"), "(= o[uint(i)] f4)");
    assert_eq!(tree("RWStructuredBuffer<S>", "o[u].a.xy = f2"), "(= o[u].<0>.01 f2)");
    assert_eq!(tree("Texture2DArray", "f4 = o.mips[i][u3]"), "(= f4 o[uint(i)][u3])");
    assert_eq!(tree("Texture2DMS<float4>", "f4 = o.sample[u][u2]"), "(= f4 o[u][u2])");
    for (object, text) in [("Texture2D", "o[u]"), ("Texture2D", "o[u3]"), ("Buffer<float>", "o[u2]")] {
        assert_eq!(codes(object, text), ["X3120"], "{object} {text}");
    }
    assert_eq!(codes("TextureCube", "o[u3]"), ["X3121"]);
    for (object, text) in
        [("Texture2D", "o[u2] = f4"), ("Buffer<float>", "o[0] = f"), ("StructuredBuffer<S>", "o[0].b = 1")]
    {
        assert_eq!(codes(object, text), ["X3025"], "{object} {text}");
    }
}

#[test]
fn an_unknown_method_is_reported_at_its_name() {
    let (_, messages) = check_program("Texture2D t; void main() { t.Fetch(1); }");
    assert_eq!(messages, ["a(1,30-34): error X3018: invalid subscript 'Fetch'"]);
    assert_eq!(codes("SamplerState", "o.Sample(s, f2)"), ["X3018"]);
    // An invalid argument is reported only once.
    assert_eq!(codes("Texture2D", "o.Sample(s, nothing)"), ["X3004"]);
}
