//! The numbers of messages.

macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident = $number:literal,)*) => {
        /// The number of a message, the same as FXC's if FXC has the message.
        ///
        /// Numbers from 9000 on are specific to this compiler.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$attribute])* $name = $number,)*
        }

        impl Code {
            /// All message numbers.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// Returns the number without its X.
            pub fn number(self) -> u16 {
                self as u16
            }
        }
    };
}

codes! {
    /// Warning: a comment is not closed.
    CommentEof = 1001,
    /// Warning: a hexadecimal number has more than 32 bits.
    HexTruncated = 1002,
    /// Warning: an octal number has more than 32 bits.
    OctalTruncated = 1003,
    /// Warning: a decimal number has more than 32 bits.
    DecimalTruncated = 1004,
    /// A string is not closed.
    StringEof = 1006,
    /// The syntax of a preprocessor directive is wrong.
    PreprocessorSyntax = 1500,
    /// Warning: tokens follow a directive that takes no more of them.
    UnexpectedTokens = 1501,
    /// Warning: the file ends within `#if`.
    UnexpectedEof = 1502,
    /// Warning: an expression of `#if` divides by zero.
    DivisionByZero = 1503,
    /// Warning: the preprocessor does not have this directive.
    UnknownDirective = 1504,
    /// `#include` is used in a compilation without an include handler.
    NoIncludeHandler = 1505,
    /// `#include` directives are nested too deeply.
    TooManyIncludes = 1506,
    /// An included file does not exist.
    IncludeNotFound = 1507,
    /// Warning: `#elif` is used without `#if`.
    UnexpectedElif = 1508,
    /// Warning: `#else` is used without `#if`.
    UnexpectedElse = 1509,
    /// Warning: `#endif` is used without `#if`.
    UnexpectedEndif = 1510,
    /// Warning: two parameters of a macro have the same name.
    DuplicateParameter = 1511,
    /// Warning: `#elif` follows `#else`.
    ElifAfterElse = 1513,
    /// Warning: a conditional has a second `#else`.
    ElseAfterElse = 1514,
    /// Warning: the source ends within the arguments of a macro.
    MacroEof = 1515,
    /// Warning: a macro is used with too few or too many arguments.
    MacroArguments = 1516,
    /// The expression of `#if` is not an integer expression.
    InvalidExpression = 1518,
    /// Warning: a macro is redefined with another meaning.
    MacroRedefinition = 1519,
    /// The source does not follow the grammar.
    SyntaxError = 3000,
    /// A name is declared twice.
    Redefinition = 3003,
    /// A name is not declared.
    UndeclaredIdentifier = 3004,
    /// A function or type name is used as a variable.
    NotAVariable = 3005,
    /// A variable, a member or a function cannot be `extern`.
    CannotBeExtern = 3006,
    /// A `uniform` or `extern` variable cannot also be `static`.
    CannotBeStatic = 3007,
    /// A variable or a member cannot be `volatile`.
    CannotBeVolatile = 3008,
    /// A variable or a member cannot be `groupshared`.
    CannotBeGroupshared = 3010,
    /// The default value of a uniform variable is not known at compile time.
    InitialValueNotLiteral = 3011,
    /// A constant has no value.
    MissingInitialValue = 3012,
    /// No function of this name accepts these arguments.
    NoMatchingFunction = 3013,
    /// A constructor has too many or too few components.
    ConstructorArguments = 3014,
    /// A value cannot be converted to a type.
    CannotConvert = 3017,
    /// A component, member or method does not exist.
    InvalidSubscript = 3018,
    /// A condition is not a scalar.
    ScalarCondition = 3019,
    /// An operation does not accept a type.
    TypeMismatch = 3020,
    /// An operand is not a scalar, vector or matrix.
    NumericExpected = 3022,
    /// The target of an assignment cannot be assigned to.
    ConstantLvalue = 3025,
    /// A declaration cannot be `const`.
    CannotBeConst = 3035,
    /// A constructor has a type that is not numeric.
    ConstructorType = 3037,
    /// A variable or a parameter cannot have this type.
    InvalidType = 3038,
    /// A local variable has a semantic.
    LocalSemantic = 3043,
    /// A parameter without a default value follows one that has a default value.
    MissingDefault = 3044,
    /// An `out` parameter has a default value.
    OutputDefault = 3045,
    /// A variable, a member or a function cannot be `uniform`.
    CannotBeUniform = 3047,
    /// A declaration cannot have this modifier, or two modifiers contradict each other.
    InvalidModifier = 3048,
    /// A vector has no components or more than four.
    VectorDimension = 3052,
    /// A matrix has no rows or columns, or more than four of them.
    MatrixDimension = 3053,
    /// A local variable cannot be `shared`.
    CannotBeShared = 3054,
    /// The size of an array is unknown or out of range.
    ArrayDimension = 3058,
    /// An array has no elements or too many.
    InvalidArrayDimension = 3059,
    /// Several functions match a call equally well.
    AmbiguousCall = 3067,
    /// `[]` is used where the size must be given.
    ArrayDimensionMissing = 3072,
    /// `[]` is used for a dimension other than the first.
    SecondaryDimensionMissing = 3073,
    /// `[]` is used for a variable without a value.
    ImplicitArrayWithoutValue = 3074,
    /// A `switch` has no `case`, or the value of a `case` is not known at compile time.
    InvalidCase = 3075,
    /// A function without a result has a semantic.
    VoidSemantic = 3076,
    /// `row_major` or `column_major` is used with a type that is not a matrix.
    NoMatrix = 3077,
    /// Warning: a variable of a `for` hides another one.
    LoopVariableConflict = 3078,
    /// A `return` has a value, although the function has no result.
    VoidReturn = 3079,
    /// A `return` has no value, although the function has a result.
    InvalidReturn = 3080,
    /// An operand is not an integer.
    IntegerRequired = 3082,
    /// A required attribute is missing, or its argument is wrong.
    InvalidAttribute = 3084,
    /// A type cannot be `unsigned`, `unorm` or `snorm`.
    InvalidTypeModifier = 3085,
    /// `packoffset` is used outside a constant buffer.
    PackOffsetOutside = 3091,
    /// A base is not a structure.
    InvalidBase = 3094,
    /// An index is not a scalar.
    ScalarIndex = 3120,
    /// An object does not accept an index of this type.
    InvalidIndex = 3121,
    /// The element type of a vector is not a scalar.
    VectorElement = 3122,
    /// The element type of a matrix is not a scalar.
    MatrixElement = 3123,
    /// The elements of an object are objects.
    ObjectElement = 3124,
    /// Warning: a conversion loses components.
    ImplicitTruncation = 3206,
    /// A function calls itself, or a store chooses a component of a vector by an index that is not known at compile
    /// time.
    NotAddressable = 3500,
    /// The entry point does not exist.
    EntryPointNotFound = 3501,
    /// A parameter of an entry point has no semantic.
    MissingSemantic = 3502,
    /// The result of an entry point has no semantic.
    MissingResultSemantic = 3503,
    /// A known index is outside the array.
    IndexOutOfBounds = 3504,
    /// A function with a result can end without `return`.
    MissingReturn = 3507,
    /// An output is never assigned.
    OutputNotInitialized = 3508,
    /// A loop that must be unrolled has too many iterations, or their number is not known.
    CannotUnroll = 3511,
    /// The index of a texture, buffer or sampler in an array is not known at compile time.
    IndexNotLiteral = 3512,
    /// A `break` is outside a loop and a `switch`.
    BreakOutside = 3518,
    /// A `continue` is outside a loop.
    ContinueOutside = 3519,
    /// Attributes of a statement contradict each other.
    LoopAttributes = 3524,
    /// An attribute is repeated.
    RepeatedAttribute = 3525,
    /// `register` names an invalid register, or `packoffset` an invalid place.
    InvalidRegister = 3530,
    /// A loop with the attribute `loop` must be unrolled.
    LoopForced = 3531,
    /// Two `case` labels have the same value.
    DuplicateCase = 3532,
    /// A `case` with statements falls through into the next one.
    CaseFallsThrough = 3533,
    /// Warning: the compiler does not have this attribute.
    UnknownAttribute = 3554,
    /// Warning: the compiler does not have this `#pragma`.
    UnknownPragma = 3568,
    /// Warning: a derivative is in a loop that pixels leave at different times.
    GradientInLoop = 3570,
    /// Warning: the base of a power may be negative.
    NegativePower = 3571,
    /// A declaration cannot have a register of this class, in Shader Model 5.1.
    RegisterClass = 3591,
    /// The `T` of a `ConstantBuffer<T>` or `TextureBuffer<T>` is not a structure.
    BufferElement = 3594,
    /// A uniform variable is a `half`, without the compatibility mode.
    UniformHalf = 3650,
    /// The arguments of `numthreads` are out of range.
    ThreadCount = 3655,
    /// Only some threads of a group reach a barrier that synchronises all of them.
    SyncInVaryingFlow = 3663,
    /// A Direct3D 9 function is used without the compatibility mode.
    LegacyIntrinsic = 3664,
    /// `%` is used with operands of type `double`.
    DoubleModulo = 3684,
    /// A loop never ends.
    InfiniteLoop = 3696,
    /// Integers with fewer than 32 bits are divided.
    MinimumPrecisionDivision = 3706,
    /// A `continue` is within a `switch`.
    ContinueInSwitch = 3708,
    /// A variable is used before a value is assigned to it. This is an error for objects and a warning for numbers.
    Uninitialized = 4000,
    /// An integer is divided by a constant zero.
    IntegerDivisionByZero = 4010,
    /// Two variables overlap in a constant buffer.
    OverlappingVariables = 4019,
    /// Two declarations have the same register.
    OverlappingRegisters = 4500,
    /// The stage does not have this semantic.
    InvalidSemantic = 4502,
    /// Two values of an entry point have the same semantic.
    DuplicateSemantic = 4503,
    /// An entry point has too many inputs.
    MostInputs = 4506,
    /// The profile does not have this texture, buffer or sampler register.
    RegisterOutOfRange = 4509,
    /// The profile does not have enough registers for the textures, buffers or samplers.
    MostRegisters = 4510,
    /// The stage or the shader model does not have this function.
    NotInProfile = 4532,
    /// A texel offset is not known at compile time, or outside -8 to 7.
    InvalidOffset = 4566,
    /// The profile does not have enough registers for the constant buffers.
    MostConstantBuffers = 4567,
    /// An entry point has too many outputs.
    MostOutputs = 4571,
    /// A texture of integers is sampled.
    SampleOfIntegers = 4582,
    /// The memory shared by a thread group exceeds the profile's maximum.
    SharedMemoryTooLarge = 4586,
    /// A store writes only a part of an element of a typed buffer or a texture.
    PartialTypedStore = 4596,
    /// An element of a structured buffer exceeds 2,048 bytes.
    ElementTooLarge = 4599,
    /// A constant buffer exceeds 64 KiB.
    ConstantBufferTooLarge = 4601,
    /// The program exceeds a limit of the compiler: nesting, size, or length of loops.
    LimitExceeded = 9000,
    /// The message of an `#error` directive.
    ErrorDirective = 9001,
    /// Warning: the message of a `#pragma message`.
    PragmaMessage = 9002,
    /// Warning: a technique, a pass or effect states are skipped.
    EffectSkipped = 9003,
    /// The compiler does not support this part of the language.
    Unsupported = 9004,
    /// A texture offset is out of range.
    OffsetRange = 9011,
    /// The entry point breaks a rule of its stage about primitives, streams, patches or attributes.
    StageRule = 9012,
    /// A value of an entry point has a type that is not allowed there.
    InvalidEntryType = 9013,
    /// The compiler itself has a bug.
    Internal = 9099,
}
