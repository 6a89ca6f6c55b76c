//! Names of GLSL and WGSL, for hints to authors who know those languages.

enum ForeignHint {
    Name(&'static str),
    /// HLSL has no single name for it, so the string describes a replacement.
    Advice(&'static str),
}

use ForeignHint::{Advice, Name};

/// Returns the end of a message about an unknown name, for example `; in HLSL it is 'lerp'`, or `None` if
/// this file does not contain the name.
pub(crate) fn foreign_hint(name: &str) -> Option<String> {
    if let Some(ty) = vector(name).or_else(|| matrix(name)) {
        return Some(format!("; in HLSL it is '{ty}'"));
    }
    Some(match hint(name)? {
        Name(name) => format!("; in HLSL it is '{name}'"),
        Advice(advice) => format!("; {advice}"),
    })
}

fn vector(name: &str) -> Option<String> {
    let (prefix, rest) = name.split_once("vec")?;
    let (size, suffix) = rest.split_at_checked(1)?;
    let scalar = match (prefix, suffix) {
        ("", "" | "f") => "float",
        ("i", "") | ("", "i") => "int",
        ("u", "") | ("", "u") => "uint",
        ("b", "") => "bool",
        ("d", "") => "double",
        ("", "h") => "min16float",
        _ => return None,
    };
    matches!(size, "2" | "3" | "4").then(|| format!("{scalar}{size}"))
}

/// Returns the HLSL type for names such as `mat4`, `mat4x3` and `mat4x3f`, with the two sizes swapped because
/// GLSL and WGSL name the columns first and HLSL names the rows first.
fn matrix(name: &str) -> Option<String> {
    let sizes = name.strip_prefix("mat")?;
    let sizes = sizes.strip_suffix('f').unwrap_or(sizes);
    let is_size = |size: &str| matches!(size, "2" | "3" | "4");
    let (columns, rows) = sizes.split_once('x').unwrap_or((sizes, sizes));
    (is_size(columns) && is_size(rows)).then(|| format!("float{rows}x{columns}"))
}

fn hint(name: &str) -> Option<ForeignHint> {
    function(name).or_else(|| texture_function(name)).or_else(|| variable(name)).or_else(|| word(name))
}

fn function(name: &str) -> Option<ForeignHint> {
    Some(match name {
        "mix" => Name("lerp"),
        "fract" => Name("frac"),
        "inversesqrt" | "inverseSqrt" => Name("rsqrt"),
        "mod" => Advice("HLSL has 'fmod', whose result has the sign of x; GLSL's is x - y * floor(x / y)"),
        "dFdx" | "dpdx" => Name("ddx"),
        "dFdy" | "dpdy" => Name("ddy"),
        "dFdxFine" | "dpdxFine" => Name("ddx_fine"),
        "dFdyFine" | "dpdyFine" => Name("ddy_fine"),
        "dFdxCoarse" | "dpdxCoarse" => Name("ddx_coarse"),
        "dFdyCoarse" | "dpdyCoarse" => Name("ddy_coarse"),
        "faceForward" => Name("faceforward"),
        "roundEven" => Name("round"),
        "floatBitsToInt" => Name("asint"),
        "floatBitsToUint" => Name("asuint"),
        "intBitsToFloat" | "uintBitsToFloat" => Name("asfloat"),
        "bitcast" => Advice("HLSL has 'asfloat', 'asint' and 'asuint'"),
        "bitCount" | "countOneBits" => Name("countbits"),
        "bitfieldReverse" | "reverseBits" => Name("reversebits"),
        "findLSB" | "firstTrailingBit" => Name("firstbitlow"),
        "findMSB" | "firstLeadingBit" => Name("firstbithigh"),
        "lessThan" => Advice("in HLSL write a < b, which compares each component"),
        "lessThanEqual" => Advice("in HLSL write a <= b, which compares each component"),
        "greaterThan" => Advice("in HLSL write a > b, which compares each component"),
        "greaterThanEqual" => Advice("in HLSL write a >= b, which compares each component"),
        "equal" => Advice("in HLSL write a == b, which compares each component"),
        "notEqual" => Advice("in HLSL write a != b, which compares each component"),
        "not" => Advice("in HLSL write !a"),
        "matrixCompMult" => Advice("in HLSL write a * b, which multiplies each component"),
        "outerProduct" => Advice("HLSL has no such function; multiply a by each component of b"),
        "inverse" => {
            Advice("HLSL has no such function; compute the inverse on the CPU and pass it to the shader")
        }
        "atomicAdd" => Name("InterlockedAdd"),
        "atomicSub" => Advice("in HLSL it is 'InterlockedAdd' of the negative value"),
        "atomicMin" => Name("InterlockedMin"),
        "atomicMax" => Name("InterlockedMax"),
        "atomicAnd" => Name("InterlockedAnd"),
        "atomicOr" => Name("InterlockedOr"),
        "atomicXor" => Name("InterlockedXor"),
        "atomicExchange" => Name("InterlockedExchange"),
        "atomicCompSwap" | "atomicCompareExchangeWeak" => Name("InterlockedCompareExchange"),
        "barrier" | "workgroupBarrier" => Name("GroupMemoryBarrierWithGroupSync"),
        "memoryBarrier" | "groupMemoryBarrier" => Name("AllMemoryBarrier"),
        "memoryBarrierShared" => Name("GroupMemoryBarrier"),
        "memoryBarrierBuffer" | "memoryBarrierImage" => Name("DeviceMemoryBarrier"),
        "storageBarrier" | "textureBarrier" => Name("DeviceMemoryBarrierWithGroupSync"),
        "arrayLength" => Advice("in HLSL call the buffer's method 'GetDimensions'"),
        _ => return None,
    })
}

fn texture_function(name: &str) -> Option<ForeignHint> {
    Some(match name {
        "textureSample" | "texture2D" | "textureCube" | "texture3D" => {
            Advice("in HLSL call the texture's method: t.Sample(s, location)")
        }
        "textureLod" | "textureSampleLevel" | "texture2DLod" => {
            Advice("in HLSL call the texture's method: t.SampleLevel(s, location, level)")
        }
        "textureSampleBias" => Advice("in HLSL call the texture's method: t.SampleBias(s, location, bias)"),
        "textureGrad" | "textureSampleGrad" => {
            Advice("in HLSL call the texture's method: t.SampleGrad(s, location, ddx, ddy)")
        }
        "textureSampleCompare" => {
            Advice("in HLSL call the texture's method: t.SampleCmp(s, location, value)")
        }
        "textureSampleCompareLevel" => {
            Advice("in HLSL call the texture's method: t.SampleCmpLevelZero(s, location, value)")
        }
        "textureGather" => Advice("in HLSL call the texture's method: t.Gather(s, location)"),
        "texelFetch" | "textureLoad" => Advice(
            "in HLSL call t.Load(location); the last coordinate is the mip level, except in an RWTexture",
        ),
        "imageLoad" => Advice("in HLSL read an element of an RWTexture: t[location]"),
        "textureStore" | "imageStore" => {
            Advice("in HLSL assign to an element of an RWTexture: t[location] = value")
        }
        "textureSize" | "textureDimensions" | "imageSize" | "textureNumLevels" | "textureQueryLevels" => {
            Advice("in HLSL call the texture's method 'GetDimensions'")
        }
        "textureQueryLod" => Advice("in HLSL call the texture's method 'CalculateLevelOfDetail'"),
        _ => return None,
    })
}

fn variable(name: &str) -> Option<ForeignHint> {
    Some(match name {
        "gl_Position" => Advice("in HLSL return the position with the semantic SV_Position"),
        "gl_FragColor" | "gl_FragData" => Advice("in HLSL return the color with the semantic SV_Target"),
        "gl_FragDepth" => Advice("in HLSL it is an output with the semantic SV_Depth"),
        "gl_FragCoord" => Advice("in HLSL it is an input with the semantic SV_Position"),
        "gl_VertexID" | "gl_VertexIndex" => Advice("in HLSL it is an input with the semantic SV_VertexID"),
        "gl_InstanceID" | "gl_InstanceIndex" => {
            Advice("in HLSL it is an input with the semantic SV_InstanceID")
        }
        "gl_FrontFacing" => Advice("in HLSL it is an input with the semantic SV_IsFrontFace"),
        "gl_PrimitiveID" => Advice("in HLSL it is an input with the semantic SV_PrimitiveID"),
        "gl_SampleID" => Advice("in HLSL it is an input with the semantic SV_SampleIndex"),
        "gl_SampleMask" | "gl_SampleMaskIn" => Advice("in HLSL it has the semantic SV_Coverage"),
        "gl_Layer" => Advice("in HLSL it has the semantic SV_RenderTargetArrayIndex"),
        "gl_ViewportIndex" => Advice("in HLSL it has the semantic SV_ViewportArrayIndex"),
        "gl_ClipDistance" => Advice("in HLSL it has the semantic SV_ClipDistance0"),
        "gl_CullDistance" => Advice("in HLSL it has the semantic SV_CullDistance0"),
        "gl_GlobalInvocationID" => Advice("in HLSL it is an input with the semantic SV_DispatchThreadID"),
        "gl_LocalInvocationID" => Advice("in HLSL it is an input with the semantic SV_GroupThreadID"),
        "gl_LocalInvocationIndex" => Advice("in HLSL it is an input with the semantic SV_GroupIndex"),
        "gl_WorkGroupID" => Advice("in HLSL it is an input with the semantic SV_GroupID"),
        "gl_PointSize" => Advice("Direct3D 11 has no point size: draw quads instead"),
        _ => return None,
    })
}

fn word(name: &str) -> Option<ForeignHint> {
    Some(match name {
        "f32" => Name("float"),
        "i32" => Name("int"),
        "u32" => Name("uint"),
        "f16" => Name("min16float"),
        "let" | "var" => Advice("in HLSL a declaration begins with the type: float x = 1;"),
        "fn" => {
            Advice("in HLSL a function begins with the type of its result: float f(float x) { return x; }")
        }
        "layout" => Advice(
            "in HLSL write a semantic or a register after the name: float3 p : POSITION; Texture2D t : register(t0);",
        ),
        "attribute" | "varying" => {
            Advice("in HLSL it is a parameter of the entry point with a semantic: float3 p : POSITION")
        }
        "precision" | "highp" | "mediump" | "lowp" => {
            Advice("HLSL has no precision qualifiers; for lower precision use the type 'min16float'")
        }
        "texture_1d" | "texture_storage_1d" => Advice("in HLSL it is 'Texture1D' or 'RWTexture1D'"),
        "texture_2d" | "texture_depth_2d" => Name("Texture2D"),
        "texture_2d_array" | "texture_depth_2d_array" => Name("Texture2DArray"),
        "texture_3d" => Name("Texture3D"),
        "texture_cube" | "texture_depth_cube" => Name("TextureCube"),
        "texture_multisampled_2d" | "texture_depth_multisampled_2d" => Name("Texture2DMS"),
        "texture_storage_2d" | "image2D" | "iimage2D" | "uimage2D" => Name("RWTexture2D"),
        "texture_storage_3d" | "image3D" => Name("RWTexture3D"),
        "sampler_comparison" => Name("SamplerComparisonState"),
        "sampler2DShadow" => Advice("in HLSL it is a 'Texture2D' and a 'SamplerComparisonState'"),
        "sampler2DArray" => Advice("in HLSL it is a 'Texture2DArray' and a 'SamplerState'"),
        "array" => Advice("in HLSL the size of an array follows the name: float a[4]"),
        "atomic" => {
            Advice("HLSL has no atomic types: its atomic functions take plain 'int' and 'uint' variables")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_name_has_a_hint() {
        for (name, expected) in [
            ("vec3", "; in HLSL it is 'float3'"),
            ("ivec2", "; in HLSL it is 'int2'"),
            ("vec4u", "; in HLSL it is 'uint4'"),
            ("mat4", "; in HLSL it is 'float4x4'"),
            ("mat4x3", "; in HLSL it is 'float3x4'"),
            ("mat3x3f", "; in HLSL it is 'float3x3'"),
            ("mix", "; in HLSL it is 'lerp'"),
            ("gl_FragCoord", "; in HLSL it is an input with the semantic SV_Position"),
        ] {
            assert_eq!(foreign_hint(name).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_names_have_no_hint() {
        for name in
            ["vec", "vec5", "xvec3", "vec3x", "vector", "mat", "mat5", "material", "mat4x", "lerp", "color"]
        {
            assert_eq!(foreign_hint(name), None, "{name}");
        }
    }
}
