use crate::{
    session::names::{Names, Symbol},
    syntax::builtin::{self, Object, Scalar, Shape},
};

macro_rules! keywords {
    ($($name:ident $($text:literal)+,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Keyword {
            $($name,)*
        }

        pub(super) const KEYWORDS: &[&str] = &[$($($text,)+)*];

        fn keyword(name: &str) -> Option<Keyword> {
            match name {
                $($($text)|+ => Some(Keyword::$name),)*
                _ => None,
            }
        }
    };
}

keywords! {
    Asm "asm" "asm_fragment",
    Break "break",
    Case "case",
    Cbuffer "cbuffer",
    Center "center",
    Centroid "centroid",
    Class "class",
    ColumnMajor "column_major",
    Const "const",
    Continue "continue",
    Default "default",
    Discard "discard",
    Do "do",
    Else "else",
    Export "export",
    Extern "extern",
    False "false",
    For "for",
    FxGroup "fxgroup",
    GloballyCoherent "globallycoherent",
    Groupshared "groupshared",
    If "if",
    In "in",
    Inline "inline",
    InOut "inout",
    Interface "interface",
    Line "line",
    LineAdjacency "lineadj",
    Linear "linear",
    Matrix "matrix",
    Namespace "namespace",
    NoInterpolation "nointerpolation",
    NoPerspective "noperspective",
    Null "NULL",
    Out "out",
    PackOffset "packoffset",
    Point "point",
    Precise "precise",
    Register "register",
    Return "return",
    RowMajor "row_major",
    Sample "sample",
    SamplerStates "sampler_state",
    Shared "shared",
    Snorm "snorm",
    StateBlock "stateblock_state",
    Static "static",
    Struct "struct",
    Switch "switch",
    Tbuffer "tbuffer",
    Technique "technique" "technique10" "technique11",
    Triangle "triangle",
    TriangleAdjacency "triangleadj",
    True "true",
    Typedef "typedef",
    Uniform "uniform",
    Unorm "unorm",
    Unsigned "unsigned",
    Vector "vector",
    Void "void",
    Volatile "volatile",
    While "while",
}

impl Keyword {
    /// Returns whether the keyword may also be the name of a variable, because existing programs use it as
    /// one.
    ///
    /// FXC refuses some of these names, but accepting them is harmless because they are modifiers only before
    /// a type.
    pub(crate) fn is_soft(self) -> bool {
        use Keyword::{
            Asm, Center, Export, FxGroup, Line, LineAdjacency, Linear, Matrix, Null, Point, Precise, Sample,
            Shared, Technique, Triangle, TriangleAdjacency, Vector,
        };
        matches!(
            self,
            Asm | Center
                | Export
                | FxGroup
                | Line
                | LineAdjacency
                | Linear
                | Null
                | Point
                | Precise
                | Sample
                | Shared
                | Technique
                | Triangle
                | TriangleAdjacency
                | Matrix
                | Vector
        )
    }
}

/// Returns the lower-case name if FXC ignores the case of this name, or otherwise the name unchanged.
fn fold(name: &str) -> &str {
    const IN_ANY_CASE: [&str; 10] = [
        "dword",
        "matrix",
        "pixelshader",
        "string",
        "technique",
        "technique10",
        "technique11",
        "texture",
        "vector",
        "vertexshader",
    ];
    IN_ANY_CASE.into_iter().find(|word| word.eq_ignore_ascii_case(name)).unwrap_or(name)
}

/// Returns whether the name of an object is a type only before `<` and only in Shader Model 5.1. Programs for
/// earlier models use such names for their own buffers and structures.
pub(super) fn is_contextual(object: Object) -> bool {
    matches!(object, Object::ConstantBuffer | Object::TextureBuffer)
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Word {
    Plain,
    Keyword(Keyword),
    Numeric(Scalar, Shape),
    Object(Object),
}

pub(crate) struct WordMeanings(Vec<Word>);

impl WordMeanings {
    pub(crate) fn new(names: &Names) -> WordMeanings {
        let word = |name: &str| {
            keyword(fold(name))
                .map(Word::Keyword)
                .or_else(|| builtin::numeric(fold(name)).map(|(scalar, shape)| Word::Numeric(scalar, shape)))
                .or_else(|| {
                    builtin::object(fold(name)).filter(|object| !is_contextual(*object)).map(Word::Object)
                })
                .unwrap_or(Word::Plain)
        };
        WordMeanings(names.iter().map(word).collect())
    }

    pub(crate) fn get(&self, symbol: Symbol) -> Word {
        self.0.get(symbol.index()).copied().unwrap_or(Word::Plain)
    }
}
