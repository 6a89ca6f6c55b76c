//! The numbers of messages, generated from the single list below.

macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident = $number:literal,)*) => {
        /// The number of a message.
        ///
        /// If FXC has the same message, the number is FXC's, but numbers from 9000 on are specific to this
        /// compiler.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$attribute])* $name = $number,)*
        }

        impl Code {
            /// All message numbers in ascending order, warnings and errors together.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// Returns the number without the X, for example 3000 for `X3000`.
            pub fn number(self) -> u16 {
                self as u16
            }
        }
    };
}

codes! {
    /// Warning: a comment is not closed before the end of its file.
    CommentEof = 1001,
    /// Warning: a hexadecimal number has more than 32 bits, so its upper bits are lost.
    HexTruncated = 1002,
    /// Warning: an octal number has more than 32 bits, so its upper bits are lost.
    OctalTruncated = 1003,
    /// Warning: a decimal number has more than 32 bits, so its upper bits are lost.
    DecimalTruncated = 1004,
    /// A string is not closed before the end of the source, although strings may extend over several lines.
    StringEof = 1006,
    /// The syntax of a preprocessor directive is wrong, for example in a `#define` without a name.
    PreprocessorSyntax = 1500,
    /// Warning: a directive is followed by extra tokens, which are ignored.
    UnexpectedTokens = 1501,
    /// Warning: the file ends inside an `#if`, because an `#endif` is missing.
    UnexpectedEof = 1502,
    /// Warning: the expression of an `#if` or `#elif` divides by zero, so the divisor is replaced by 1.
    DivisionByZero = 1503,
    /// Warning: the preprocessor does not know this directive, and ignores it.
    UnknownDirective = 1504,
    /// The source uses `#include`, but the compilation lacks an include handler.
    NoIncludeHandler = 1505,
    /// Included files are nested too deeply, usually because a file includes itself.
    TooManyIncludes = 1506,
    /// An included file does not exist, or the include handler refuses it.
    IncludeNotFound = 1507,
    /// Warning: an `#elif` lacks a matching `#if` before it in the same file.
    UnexpectedElif = 1508,
    /// Warning: an `#else` lacks a matching `#if` before it in the same file.
    UnexpectedElse = 1509,
    /// Warning: an `#endif` lacks a matching `#if` before it in the same file.
    UnexpectedEndif = 1510,
    /// Warning: two parameters of a macro have the same name, so only the first parameter is replaced.
    DuplicateParameter = 1511,
    /// Warning: an `#elif` follows the `#else` of the same conditional.
    ElifAfterElse = 1513,
    /// Warning: a conditional has a second `#else`.
    ElseAfterElse = 1514,
    /// Warning: the source ends inside the arguments of a macro, so the macro is not expanded.
    MacroEof = 1515,
    /// Warning: a macro is used with too few or too many arguments, so it is not expanded.
    MacroArguments = 1516,
    /// The expression of an `#if` or `#elif` is not an integer expression.
    InvalidExpression = 1518,
    /// Warning: a macro is redefined with different contents, and the new definition replaces the old one.
    MacroRedefinition = 1519,
    /// The source does not follow the grammar of the language at the reported token.
    SyntaxError = 3000,
    /// A name is declared twice in one scope, both times as a variable, a type or a similar item.
    Redefinition = 3003,
    /// A name is not declared, or is declared only after its use.
    UndeclaredIdentifier = 3004,
    /// The name of a function or a type is used where a variable is required.
    NotAVariable = 3005,
    /// A local variable, a parameter, a member or a function is declared `extern`.
    CannotBeExtern = 3006,
    /// A variable is `static` and also `uniform` or `extern`, but these modifiers exclude each other.
    CannotBeStatic = 3007,
    /// A variable or a member is `volatile` in a declaration that does not allow this modifier.
    CannotBeVolatile = 3008,
    /// A variable or a member is `groupshared` in a declaration or with other modifiers that do not allow it.
    CannotBeGroupshared = 3010,
    /// The default value of a uniform variable is not known at compile time.
    InitialValueNotLiteral = 3011,
    /// A constant is declared without a value, and no value can be assigned to it later.
    MissingInitialValue = 3012,
    /// No function with this name accepts the given number and types of arguments.
    NoMatchingFunction = 3013,
    /// A constructor has too many or too few components for its type.
    ConstructorArguments = 3014,
    /// A value cannot be converted to the required type.
    CannotConvert = 3017,
    /// A value of this type lacks this component, member or method.
    InvalidSubscript = 3018,
    /// A condition is not a scalar.
    ScalarCondition = 3019,
    /// An operation or a function does not accept values of these types.
    TypeMismatch = 3020,
    /// An operand must be a scalar, a vector or a matrix, but has another type.
    NumericExpected = 3022,
    /// The target of an assignment is not assignable, for example because it is constant.
    ConstantLvalue = 3025,
    /// A member of a structure is declared `const`, which is not allowed.
    CannotBeConst = 3035,
    /// A constructor has a type that is not numeric, such as a structure.
    ConstructorType = 3037,
    /// A variable or a parameter has a type that is not allowed for it, such as `void`.
    InvalidType = 3038,
    /// A local variable has a semantic, but only values of the shader's interface can have one.
    LocalSemantic = 3043,
    /// A parameter without a default value follows a parameter with one.
    MissingDefault = 3044,
    /// An `out` parameter has a default value, but the caller passes no value to it.
    OutputDefault = 3045,
    /// A variable, a member or a function is `uniform` where this modifier is not allowed.
    CannotBeUniform = 3047,
    /// A declaration has a modifier that it cannot have, or two modifiers contradict each other.
    InvalidModifier = 3048,
    /// A vector has no components, or more than four.
    VectorDimension = 3052,
    /// A matrix has no rows or columns, or more than four.
    MatrixDimension = 3053,
    /// A declaration other than a variable outside functions is `shared`.
    CannotBeShared = 3054,
    /// The size of an array is unknown at compile time or out of range.
    ArrayDimension = 3058,
    /// An array has no elements, or more than the maximum number.
    InvalidArrayDimension = 3059,
    /// Several functions match a call equally well.
    AmbiguousCall = 3067,
    /// An array is declared with `[]` where the size is required.
    ArrayDimensionMissing = 3072,
    /// An array has `[]` for a dimension other than the first.
    SecondaryDimensionMissing = 3073,
    /// An array is declared with `[]`, but lacks an initializer that determines its size.
    ImplicitArrayWithoutValue = 3074,
    /// A `switch` has no `case`, or the value of a `case` is not known at compile time.
    InvalidCase = 3075,
    /// A function has a semantic for its result, but its result type is `void`.
    VoidSemantic = 3076,
    /// A type that is not a matrix is declared `row_major` or `column_major`.
    NoMatrix = 3077,
    /// Warning: a variable of a `for` hides another variable, which is an error in strict mode.
    LoopVariableConflict = 3078,
    /// A `return` has a value, but the result type of the function is `void`.
    VoidReturn = 3079,
    /// A `return` lacks a value, but the function must return one.
    InvalidReturn = 3080,
    /// An operand must be an integer, but has another type.
    IntegerRequired = 3082,
    /// An attribute that the stage requires is missing, or its argument is wrong.
    InvalidAttribute = 3084,
    /// A type cannot be `unsigned`, `unorm` or `snorm` because of the type of its components.
    InvalidTypeModifier = 3085,
    /// A variable outside all constant buffers has a `packoffset`.
    PackOffsetOutside = 3091,
    /// The base of a structure is a type other than a structure, such as `float4`.
    InvalidBase = 3094,
    /// An index is not a scalar.
    ScalarIndex = 3120,
    /// An object does not accept an index of this type.
    InvalidIndex = 3121,
    /// The element type of a vector is not a scalar, as in `vector<float2, 2>`.
    VectorElement = 3122,
    /// The element type of a matrix is not a scalar, as in `matrix<float2, 2, 2>`.
    MatrixElement = 3123,
    /// The element type of an object contains objects.
    ObjectElement = 3124,
    /// Warning: an implicit conversion to a smaller type drops components. A cast avoids the warning.
    ImplicitTruncation = 3206,
    /// A function calls itself, or a store chooses a component of a vector by an index that is not known at
    /// compile time.
    NotAddressable = 3500,
    /// The source lacks a function with the name of the entry point.
    EntryPointNotFound = 3501,
    /// A parameter of an entry point lacks a semantic, so it cannot be part of the signature.
    MissingSemantic = 3502,
    /// The result of an entry point lacks a semantic, so it cannot be part of the signature.
    MissingResultSemantic = 3503,
    /// An index that is known at compile time is outside the array.
    IndexOutOfBounds = 3504,
    /// A function with a result can end without a `return`, so its result would be undefined.
    MissingReturn = 3507,
    /// An `out` parameter, or one of its components, is never assigned.
    OutputNotInitialized = 3508,
    /// A loop that must be unrolled has too many iterations, or their number is not known at compile time.
    CannotUnroll = 3511,
    /// An index that selects a texture, a buffer or a sampler is not known at compile time.
    IndexNotLiteral = 3512,
    /// A `break` is outside a loop and outside a `switch`.
    BreakOutside = 3518,
    /// A `continue` is outside a loop.
    ContinueOutside = 3519,
    /// The attributes of a statement contradict each other, for example `loop` and `unroll`.
    LoopAttributes = 3524,
    /// A function or a statement has the same attribute twice.
    RepeatedAttribute = 3525,
    /// A `register` names a register that does not exist, or a `packoffset` is invalid.
    InvalidRegister = 3530,
    /// A loop has the attribute `loop`, but it must be unrolled to compile.
    LoopForced = 3531,
    /// Two `case` labels of a `switch` have the same value.
    DuplicateCase = 3532,
    /// A `case` with statements falls through into the next one, although HLSL does not allow this.
    CaseFallsThrough = 3533,
    /// Warning: the compiler does not know this attribute, and ignores it.
    UnknownAttribute = 3554,
    /// Warning: the compiler does not know this `#pragma`, and ignores it.
    UnknownPragma = 3568,
    /// Warning: a derivative is computed in a loop that pixels leave at different times.
    GradientInLoop = 3570,
    /// Warning: the base of a power may be negative, and then the result is not a number.
    NegativePower = 3571,
    /// In Shader Model 5.1, a declaration names a register of a class that it cannot have.
    RegisterClass = 3591,
    /// The `T` of a `ConstantBuffer<T>` or `TextureBuffer<T>` is not a structure.
    BufferElement = 3594,
    /// A uniform variable is a `half`, which is only allowed in backwards-compatible mode.
    UniformHalf = 3650,
    /// An argument of `numthreads` or the product of its arguments is out of range.
    ThreadCount = 3655,
    /// A barrier that synchronises all threads of a group is reached by only some of them.
    SyncInVaryingFlow = 3663,
    /// A Direct3D 9 function such as `tex2D` is used without backwards-compatible mode.
    LegacyIntrinsic = 3664,
    /// The operator `%` has operands of type `double`, which must be cast to `float`.
    DoubleModulo = 3684,
    /// A loop never ends, because its condition is always true and no statement in it leaves the loop.
    InfiniteLoop = 3696,
    /// Signed integers with fewer than 32 bits are divided without a cast to `int`.
    MinimumPrecisionDivision = 3706,
    /// A `continue` is inside a `switch`, which is not supported.
    ContinueInSwitch = 3708,
    /// A variable is used before a value is assigned to it, which is an error for objects and a warning for
    /// numbers.
    Uninitialized = 4000,
    /// An integer is divided by a constant that is zero or has a zero component.
    IntegerDivisionByZero = 4010,
    /// Two variables in a constant buffer overlap because of their `packoffset` or `register`.
    OverlappingVariables = 4019,
    /// Two declarations have the same register, or one declaration has two registers for one profile.
    OverlappingRegisters = 4500,
    /// The stage does not have this semantic for this input or output.
    InvalidSemantic = 4502,
    /// Two inputs or two outputs of an entry point have the same semantic.
    DuplicateSemantic = 4503,
    /// An entry point has more inputs than its profile allows.
    MostInputs = 4506,
    /// The profile does not have the texture, buffer or sampler register that a declaration names.
    RegisterOutOfRange = 4509,
    /// The profile does not have enough registers for the textures, buffers or samplers.
    MostRegisters = 4510,
    /// The stage or the shader model does not have this function or method.
    NotInProfile = 4532,
    /// A texel offset is not known at compile time, or is outside the range -8 to 7.
    InvalidOffset = 4566,
    /// The profile does not have enough registers for the constant buffers.
    MostConstantBuffers = 4567,
    /// An entry point has more outputs than its profile allows.
    MostOutputs = 4571,
    /// An integer texture is sampled, but integers cannot be filtered and must be read with `Load`.
    SampleOfIntegers = 4582,
    /// The `groupshared` variables of the program exceed the group memory of this profile.
    SharedMemoryTooLarge = 4586,
    /// A store writes only some components of an element of a typed buffer or a texture.
    PartialTypedStore = 4596,
    /// An element of a structured buffer exceeds the maximum size of 2,048 bytes.
    ElementTooLarge = 4599,
    /// A constant buffer exceeds the maximum size of 64 KiB, which is 4,096 registers.
    ConstantBufferTooLarge = 4601,
    /// The program exceeds a limit of the compiler, such as nesting depth, program size or loop length.
    LimitExceeded = 9000,
    /// The source contains an `#error` directive, whose text is the message.
    ErrorDirective = 9001,
    /// Warning: the text of a `#pragma message`.
    PragmaMessage = 9002,
    /// Warning: a technique, a pass or effect states are skipped, because they have a meaning only in
    /// effects.
    EffectSkipped = 9003,
    /// The program uses a Direct3D 11 feature that the compiler does not support.
    Unsupported = 9004,
    /// A known texel offset is outside the range that its method accepts.
    OffsetRange = 9011,
    /// The entry point breaks a rule of its stage about primitives, streams, patches or attributes.
    StageRule = 9012,
    /// A value of an entry point has a type that is not allowed there.
    InvalidEntryType = 9013,
    /// The compiler has a bug, for example because naga refuses the generated module. The message describes
    /// the problem.
    Internal = 9099,
}
