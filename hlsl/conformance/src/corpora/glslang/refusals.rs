//! glslang tests that must fail here although glslang compiles them, each with the number of the first error
//! and a reason.
//!
//! Shaders that FXC refuses must fail with FXC's number, but shaders that FXC accepts but naga or wgpu cannot
//! support must fail with X9004.

use crate::unit::Refusal;

/// An error number, a reason, and the file names without the prefix `hlsl.`.
type Group = (u16, &'static str, &'static [&'static str]);

pub(super) fn refusal(file: &str) -> Option<Refusal> {
    let file = file.strip_prefix("hlsl.")?;
    let (code, reason, _) = GROUPS.iter().find(|(_, _, files)| files.contains(&file))?;
    Some(Refusal { code: *code, reason })
}

/// Returns whether the rest of a file can be repaired and compiled, unlike the listed files, which use
/// unsupported features throughout.
pub(super) fn has_rest(file: &str) -> bool {
    const WITHOUT: &[&str] = &[
        "attributeC11.frag",
        "constantbuffer.frag",
        "entry-out.frag",
        "flatten.return.frag",
        "hull.2.tesc",
        "hull.3.tesc",
        "if.frag",
        "init.frag",
        "init2.frag",
        "inoutquals.frag",
        "intrinsics.comp",
        "intrinsics.double.frag",
        "intrinsics.negative.comp",
        "intrinsics.vert",
        "multiView.frag",
        "numericsuffixes.frag",
        "partialInit.frag",
        "string.frag",
        "struct.frag",
        "structIoFourWay.frag",
        "switch.frag",
        "wavequery.frag",
    ];
    !file.strip_prefix("hlsl.").is_some_and(|file| WITHOUT.contains(&file))
}

/// Returns whether glslang refuses a valid HLSL file only because its implementation is incomplete.
pub(super) fn is_right(file: &str) -> bool {
    file == "hlsl.hull.5.tesc"
}

const GROUPS: &[Group] = &[
    (
        3000,
        "attributes of Vulkan: [[vk::binding(0)]]",
        &[
            "PointSize.geom",
            "PointSize.vert",
            "attributeC11.frag",
            "attributeGlobalBuffer.frag",
            "buffer_ref_parameter.comp",
            "format.rwtexture.frag",
            "specConstant.frag",
        ],
    ),
    (
        3000,
        "layouts of GLSL: layout(set=0)",
        &["layout.frag", "layoutOverride.vert", "pp.line2.frag", "pp.line4.frag", "subpass.frag"],
    ),
    (
        3000,
        "types of shader model 5.1 and 6: ConstantBuffer, uint64_t",
        &["constantbuffer.frag", "texturebuffer.frag", "wavevote.comp"],
    ),
    (3000, "binary numbers: 0b0101u", &["conditional.frag", "numericsuffixes.frag"]),
    (3000, "an attribute without a name", &["attribute.frag"]),
    (3000, "a variable in the condition of an if", &["if.frag"]),
    (3000, "const after the type", &["init2.frag"]),
    (3000, "a template in an annotation", &["string.frag"]),
    (3000, "a structure with neither a name nor variables", &["struct.frag"]),
    (3003, "two members with the same name", &["semantic.geom"]),
    (
        3004,
        "functions of shader model 6: WaveActiveSum",
        &[
            "wavebroadcast.comp",
            "waveprefix.comp",
            "wavequad.comp",
            "wavequery.comp",
            "wavequery.frag",
            "wavereduction.comp",
        ],
    ),
    (3013, "atomic functions of floats and of vectors", &["intrinsics.comp"]),
    (
        3014,
        "a vector constructed from one number: float4(1.0)",
        &["entry-out.frag", "flattenSubset.frag", "rw.bracket.frag", "swizzle.frag", "typedef.frag"],
    ),
    (3017, "initializers with too few values", &["partialInit.frag"]),
    (3037, "a constructor of a structure", &["flatten.return.frag", "init.frag"]),
    (3067, "calls that are ambiguous in FXC", &["overload.frag"]),
    (
        3072,
        "a member that is an array without a size",
        &["nested-runtimeArray.frag", "structcopy.comp", "structcopylogical.comp"],
    ),
    (3075, "a switch without a case", &["switch.frag"]),
    (
        3076,
        "a void entry point with a semantic",
        &["discard.frag", "matrixSwizzle.vert", "scope.frag", "spv.1.6.discard.frag", "void.frag"],
    ),
    (
        3084,
        "no numthreads",
        &[
            "basic.comp",
            "buffer-offsets.comp",
            "cbuffer-offsets.comp",
            "intrinsics.barriers.comp",
            "structbuffer.rwbyte2.comp",
            "swizzle.vec1.comp",
        ],
    ),
    (3091, "packoffset outside of a constant buffer", &["float4.frag", "structIoFourWay.frag"]),
    (
        3501,
        "the listed entry point does not exist",
        &[
            "array.implicit-size.frag",
            "float1.frag",
            "intrinsic.frexp.vert",
            "intrinsics.vert",
            "matType.frag",
            "round.dx10.frag",
            "round.dx9.frag",
            "shapeConv.frag",
        ],
    ),
    (
        3502,
        "inputs without semantics",
        &[
            "assoc.frag",
            "cast.frag",
            "doLoop.frag",
            "entry-in.frag",
            "intrinsics.double.frag",
            "intrinsics.evalfns.frag",
            "intrinsics.lit.frag",
            "intrinsics.negative.comp",
            "intrinsics.negative.vert",
            "max.frag",
            "precedence.frag",
            "precedence2.frag",
            "shapeConvRet.frag",
            "sin.frag",
            "struct.split.assign.frag",
            "ternary.conversion.frag",
            "ternary.simple.frag",
        ],
    ),
    (
        3503,
        "a result without a semantic",
        &["structStructName.frag", "templatetypes.frag", "typeGraphCopy.vert"],
    ),
    (3507, "ends without return", &["forLoop.frag", "whileLoop.frag"]),
    (4019, "packoffset of two variables that overlap", &["buffer.frag"]),
    (3508, "an output that nothing is assigned to", &["inoutquals.frag"]),
    (
        4502,
        "semantics that the stage does not support",
        &[
            "flattenOpaqueInit.vert",
            "flattenOpaqueInitMix.vert",
            "flattenSubset2.frag",
            "hull.2.tesc",
            "hull.3.tesc",
            "multiView.frag",
            "singleArgIntPromo.vert",
        ],
    ),
    (
        4582,
        "samples of integer textures",
        &[
            "sample.array.dx10.frag",
            "sample.basic.dx10.frag",
            "sample.offset.dx10.frag",
            "sample.offsetarray.dx10.frag",
            "samplebias.array.dx10.frag",
            "samplebias.basic.dx10.frag",
            "samplebias.offset.dx10.frag",
            "samplebias.offsetarray.dx10.frag",
            "samplecmp.array.dx10.frag",
            "samplecmp.basic.dx10.frag",
            "samplecmp.offset.dx10.frag",
            "samplecmp.offsetarray.dx10.frag",
            "samplecmplevelzero.array.dx10.frag",
            "samplecmplevelzero.basic.dx10.frag",
            "samplecmplevelzero.offset.dx10.frag",
            "samplecmplevelzero.offsetarray.dx10.frag",
            "samplegrad.array.dx10.frag",
            "samplegrad.basic.dx10.frag",
            "samplegrad.basic.dx10.vert",
            "samplegrad.offset.dx10.frag",
            "samplegrad.offsetarray.dx10.frag",
            "samplelevel.array.dx10.frag",
            "samplelevel.basic.dx10.frag",
            "samplelevel.basic.dx10.vert",
            "samplelevel.offset.dx10.frag",
            "samplelevel.offsetarray.dx10.frag",
            "texture.struct.frag",
        ],
    ),
    (
        9004,
        "atomic functions of texels that give the value before",
        &["earlydepthstencil.frag", "rw.atomics.frag"],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use onze_hlsl::Code;

    use super::*;

    #[test]
    fn a_file_has_one_refusal_with_a_number_of_the_compiler() {
        let mut seen = HashSet::new();
        for (number, _, files) in GROUPS {
            assert!(Code::ALL.iter().any(|code| code.number() == *number), "X{number}");
            assert!(files.is_sorted(), "{files:?}");
            for file in *files {
                assert!(seen.insert(file), "{file}");
            }
        }
        assert_eq!(refusal("hlsl.sin.frag").map(|refusal| refusal.code), Some(3502));
        assert_eq!(refusal("hlsl.reflection.frag"), None);
    }
}
