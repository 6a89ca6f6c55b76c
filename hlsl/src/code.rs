//! The numbers of messages.

macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident = $number:literal,)*) => {
        /// The number of a message, the same as FXC's where FXC has the message.
        ///
        /// Those from 9000 on are this compiler's own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$attribute])* $name = $number,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The number, without its X.
            pub fn number(self) -> u16 {
                self as u16
            }
        }
    };
}

codes! {
    /// A comment that is not closed. A warning.
    CommentEof = 1001,
    /// A hexadecimal number of more than 32 bits. A warning.
    HexTruncated = 1002,
    /// An octal number of more than 32 bits. A warning.
    OctalTruncated = 1003,
    /// A decimal number of more than 32 bits. A warning.
    DecimalTruncated = 1004,
    /// A string that is not closed.
    StringEof = 1006,
    /// A preprocessor directive is not written as it must be.
    PreprocessorSyntax = 1500,
    /// Tokens behind a directive that takes no more. A warning.
    UnexpectedTokens = 1501,
    /// The end of a file within `#if`. A warning.
    UnexpectedEof = 1502,
    /// A division by zero in `#if`. A warning.
    DivisionByZero = 1503,
    /// A directive that the preprocessor does not have. A warning.
    UnknownDirective = 1504,
    /// `#include` in a compilation without an include handler.
    NoIncludeHandler = 1505,
    /// `#include` within too many others.
    TooManyIncludes = 1506,
    /// A file that is included is not there.
    IncludeNotFound = 1507,
    /// `#elif` without `#if`. A warning.
    UnexpectedElif = 1508,
    /// `#else` without `#if`. A warning.
    UnexpectedElse = 1509,
    /// `#endif` without `#if`. A warning.
    UnexpectedEndif = 1510,
    /// A macro has two parameters of one name. A warning.
    DuplicateParameter = 1511,
    /// `#elif` behind `#else`. A warning.
    ElifAfterElse = 1513,
    /// A second `#else`. A warning.
    ElseAfterElse = 1514,
    /// The end of the text within the arguments of a macro. A warning.
    MacroEof = 1515,
    /// A macro is used with too few or too many arguments. A warning.
    MacroArguments = 1516,
    /// The expression of `#if` is not one of integers.
    InvalidExpression = 1518,
    /// A macro that is defined already gets another meaning. A warning.
    MacroRedefinition = 1519,
    /// The text does not follow the grammar.
    SyntaxError = 3000,
    /// A name is declared twice.
    Redefinition = 3003,
    /// A name that nothing declares.
    UndeclaredIdentifier = 3004,
    /// A name of a function or a type stands where a variable does.
    NotAVariable = 3005,
    /// A variable, a member or a function that cannot be `extern`.
    CannotBeExtern = 3006,
    /// A variable that is `uniform` or `extern` and `static`.
    CannotBeStatic = 3007,
    /// A variable or a member that cannot be `volatile`.
    CannotBeVolatile = 3008,
    /// A variable or a member that cannot be `groupshared`.
    CannotBeGroupshared = 3010,
    /// A uniform variable's default value is not known to the compiler.
    InitialValueNotLiteral = 3011,
    /// A constant without a value.
    MissingInitialValue = 3012,
    /// No function of this name takes these arguments.
    NoMatchingFunction = 3013,
    /// A constructor has too many or too few components.
    ConstructorArguments = 3014,
    /// A value does not convert to a type.
    CannotConvert = 3017,
    /// There is no such component, member or method.
    InvalidSubscript = 3018,
    /// A condition is no scalar.
    ScalarCondition = 3019,
    /// A type that an operation does not take.
    TypeMismatch = 3020,
    /// An operand is no scalar, vector or matrix.
    NumericExpected = 3022,
    /// What is assigned to cannot be assigned to.
    ConstantLvalue = 3025,
    /// A declaration that cannot be `const`.
    CannotBeConst = 3035,
    /// A constructor of a type that is not numeric.
    ConstructorType = 3037,
    /// A variable or a parameter has a type that it cannot have.
    InvalidType = 3038,
    /// A local variable with a semantic.
    LocalSemantic = 3043,
    /// A parameter without a default value behind one with one.
    MissingDefault = 3044,
    /// An `out` parameter with a default value.
    OutputDefault = 3045,
    /// A variable, a member or a function that cannot be `uniform`.
    CannotBeUniform = 3047,
    /// A modifier that the declaration cannot have, or two that contradict each other.
    InvalidModifier = 3048,
    /// A vector has no components or more than four.
    VectorDimension = 3052,
    /// A matrix has no rows or columns, or more than four.
    MatrixDimension = 3053,
    /// A local variable that cannot be `shared`.
    CannotBeShared = 3054,
    /// The size of an array is not known, or out of bounds.
    ArrayDimension = 3058,
    /// An array has no elements or too many.
    InvalidArrayDimension = 3059,
    /// Several functions fit a call equally well.
    AmbiguousCall = 3067,
    /// `[]` where the size must be said.
    ArrayDimensionMissing = 3072,
    /// `[]` behind another dimension.
    SecondaryDimensionMissing = 3073,
    /// `[]` of a variable without a value.
    ImplicitArrayWithoutValue = 3074,
    /// A `switch` without a `case`, or a value of `case` that is not known to the compiler.
    InvalidCase = 3075,
    /// A function without a result has a semantic.
    VoidSemantic = 3076,
    /// `row_major` or `column_major` of what is no matrix.
    NoMatrix = 3077,
    /// A variable of a `for` hides another one. A warning.
    LoopVariableConflict = 3078,
    /// A `return` with a value in a function without a result.
    VoidReturn = 3079,
    /// A `return` without a value in a function with a result.
    InvalidReturn = 3080,
    /// An operand is no integer.
    IntegerRequired = 3082,
    /// An attribute that must be there is missing, or its argument is wrong.
    InvalidAttribute = 3084,
    /// `unsigned`, `unorm` or `snorm` of a type that cannot be it.
    InvalidTypeModifier = 3085,
    /// `packoffset` outside of a constant buffer.
    PackOffsetOutside = 3091,
    /// A base is no structure.
    InvalidBase = 3094,
    /// An index is no scalar.
    ScalarIndex = 3120,
    /// An index that an object does not take.
    InvalidIndex = 3121,
    /// A vector of what is no scalar.
    VectorElement = 3122,
    /// A matrix of what is no scalar.
    MatrixElement = 3123,
    /// An object whose elements are objects.
    ObjectElement = 3124,
    /// A conversion loses components. A warning.
    ImplicitTruncation = 3206,
    /// A function calls itself, or a component of a vector is stored to by an index that the program cannot know.
    NotAddressable = 3500,
    /// The entry point is not there.
    EntryPointNotFound = 3501,
    /// A parameter of an entry point has no semantic.
    MissingSemantic = 3502,
    /// The result of an entry point has no semantic.
    MissingResultSemantic = 3503,
    /// An index that is known is outside of the array.
    IndexOutOfBounds = 3504,
    /// A function with a result has an end without `return`.
    MissingReturn = 3507,
    /// An output that nothing is assigned to.
    OutputNotInitialized = 3508,
    /// A loop that must be unrolled has too many iterations, or nobody knows how many.
    CannotUnroll = 3511,
    /// The number of a texture, a buffer or a sampler in an array is not known.
    IndexNotLiteral = 3512,
    /// A `break` outside of a loop and of a `switch`.
    BreakOutside = 3518,
    /// A `continue` outside of a loop.
    ContinueOutside = 3519,
    /// Attributes of a statement that contradict each other.
    LoopAttributes = 3524,
    /// An attribute twice.
    RepeatedAttribute = 3525,
    /// `register` names none, or `packoffset` a place that cannot be.
    InvalidRegister = 3530,
    /// A loop with the attribute `loop` must be unrolled.
    LoopForced = 3531,
    /// A value of `case` that another one has, too.
    DuplicateCase = 3532,
    /// A `case` with statements falls into the next one.
    CaseFallsThrough = 3533,
    /// An attribute that the compiler does not have. A warning.
    UnknownAttribute = 3554,
    /// A `#pragma` that the compiler does not have. A warning.
    UnknownPragma = 3568,
    /// A derivative in a loop that pixels leave at different times. A warning.
    GradientInLoop = 3570,
    /// A power whose base may be negative. A warning.
    NegativePower = 3571,
    /// A register of a class that the declaration cannot have, in Shader Model 5.1.
    RegisterClass = 3591,
    /// `ConstantBuffer<T>` or `TextureBuffer<T>` whose `T` is not a structure.
    BufferElement = 3594,
    /// A uniform variable of `half` without the compatibility mode.
    UniformHalf = 3650,
    /// The numbers of `numthreads` are not allowed.
    ThreadCount = 3655,
    /// A barrier for all threads of a group that only some of them reach.
    SyncInVaryingFlow = 3663,
    /// A function of Direct3D 9 without the compatibility mode.
    LegacyIntrinsic = 3664,
    /// The remainder of a division of `double`s.
    DoubleModulo = 3684,
    /// A loop that never ends.
    InfiniteLoop = 3696,
    /// Integers of less than 32 bits are divided.
    MinimumPrecisionDivision = 3706,
    /// A `continue` within a `switch`.
    ContinueInSwitch = 3708,
    /// A variable is used that no value is assigned to: of an object, an error; of numbers, a warning.
    Uninitialized = 4000,
    /// An integer is divided by a zero that is known.
    IntegerDivisionByZero = 4010,
    /// Two variables have one place in a constant buffer.
    OverlappingVariables = 4019,
    /// Two things have one register.
    OverlappingRegisters = 4500,
    /// A semantic that the stage does not have.
    InvalidSemantic = 4502,
    /// Two values of an entry point have one semantic.
    DuplicateSemantic = 4503,
    /// An entry point takes too many values.
    MostInputs = 4506,
    /// A register of a texture, a buffer or a sampler that the profile does not have.
    RegisterOutOfRange = 4509,
    /// More textures, buffers or samplers than the profile has registers for.
    MostRegisters = 4510,
    /// A function that the stage or the shader model does not have.
    NotInProfile = 4532,
    /// An offset of a sample that is not known, or is beyond -8 to 7.
    InvalidOffset = 4566,
    /// More constant buffers than the profile has registers for.
    MostConstantBuffers = 4567,
    /// An entry point gives too many values.
    MostOutputs = 4571,
    /// A texture of integers is sampled.
    SampleOfIntegers = 4582,
    /// More memory that a thread group shares than the profile has.
    SharedMemoryTooLarge = 4586,
    /// A part of an element of a typed buffer or a texture is stored.
    PartialTypedStore = 4596,
    /// An element of a structured buffer of more than 2,048 bytes.
    ElementTooLarge = 4599,
    /// A constant buffer of more than 64 KiB.
    ConstantBufferTooLarge = 4601,
    /// The program exceeds a limit of the compiler: nesting, size, or length of loops.
    LimitExceeded = 9000,
    /// `#error`.
    ErrorDirective = 9001,
    /// `#pragma message`. A warning.
    PragmaMessage = 9002,
    /// A technique, a pass or states of an effect. A warning.
    EffectSkipped = 9003,
    /// The compiler cannot do this part of the language.
    Unsupported = 9004,
    /// An offset of a texture is out of range.
    OffsetRange = 9011,
    /// The entry point does not follow a rule of its stage about primitives, streams, patches or attributes.
    StageRule = 9012,
    /// A value of an entry point has a type that it cannot have.
    InvalidEntryType = 9013,
    /// A fault of the compiler itself.
    Internal = 9099,
}
