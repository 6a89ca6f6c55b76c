//! The numbers of messages, generated from the single list below.

macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident = $number:literal,)*) => {
        /// The number of a message, the same as FXC's if FXC has the message, while numbers from 9000 on are
        /// specific to this compiler.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$attribute])* $name = $number,)*
        }

        impl Code {
            /// All message numbers in ascending order, warnings and errors together.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// Returns the number without its X, such as 3000 for `X3000`.
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
    /// A string is not closed before the end of the source, although it may extend over several lines.
    StringEof = 1006,
    /// The syntax of a preprocessor directive is wrong, as for a `#define` without a name.
    PreprocessorSyntax = 1500,
    /// Warning: tokens follow a directive that takes no more of them, and are ignored.
    UnexpectedTokens = 1501,
    /// Warning: the file ends within `#if`, because an `#endif` is missing at its end.
    UnexpectedEof = 1502,
    /// Warning: the expression of an `#if` or `#elif` divides by zero, which is treated as a division by 1.
    DivisionByZero = 1503,
    /// Warning: the preprocessor does not have this directive, and ignores it.
    UnknownDirective = 1504,
    /// The source uses `#include`, although the compilation has no include handler that could find the file.
    NoIncludeHandler = 1505,
    /// Included files are nested too deeply, as they are if a file includes itself.
    TooManyIncludes = 1506,
    /// An included file does not exist, or the include handler refuses it.
    IncludeNotFound = 1507,
    /// Warning: an `#elif` is used without an `#if` before it in the same file.
    UnexpectedElif = 1508,
    /// Warning: an `#else` is used without an `#if` before it in the same file.
    UnexpectedElse = 1509,
    /// Warning: an `#endif` is used without an `#if` before it in the same file.
    UnexpectedEndif = 1510,
    /// Warning: two parameters of a macro have the same name, and only the first one is replaced.
    DuplicateParameter = 1511,
    /// Warning: an `#elif` follows the `#else` of the same conditional.
    ElifAfterElse = 1513,
    /// Warning: a conditional has a second `#else` after its first one.
    ElseAfterElse = 1514,
    /// Warning: the source ends within the arguments of a macro, so the macro is not expanded.
    MacroEof = 1515,
    /// Warning: a macro is used with too few or too many arguments, so it is not expanded.
    MacroArguments = 1516,
    /// The expression of an `#if` or `#elif` is not an integer expression.
    InvalidExpression = 1518,
    /// Warning: a macro is redefined with another meaning, which replaces the earlier one.
    MacroRedefinition = 1519,
    /// The source does not follow the grammar of the language at this token.
    SyntaxError = 3000,
    /// A name is declared twice for the same kind of thing in one scope.
    Redefinition = 3003,
    /// A name is not declared, or is declared only after its use.
    UndeclaredIdentifier = 3004,
    /// A function or type name is used in the place of a variable.
    NotAVariable = 3005,
    /// A declaration is `extern`, although it is a local variable, a parameter, a member or a function.
    CannotBeExtern = 3006,
    /// A variable is both `static` and `uniform` or `extern`, which exclude each other.
    CannotBeStatic = 3007,
    /// A variable or a member is `volatile`, which has no meaning in this place.
    CannotBeVolatile = 3008,
    /// A variable or a member cannot be `groupshared` in this place or with its other modifiers.
    CannotBeGroupshared = 3010,
    /// The default value of a uniform variable is not known at compile time.
    InitialValueNotLiteral = 3011,
    /// A constant has no value, although nothing can assign one to it later.
    MissingInitialValue = 3012,
    /// No function of this name accepts this number of arguments of these types.
    NoMatchingFunction = 3013,
    /// A constructor has too many or too few components for its type.
    ConstructorArguments = 3014,
    /// A value cannot be converted to the type that its place requires.
    CannotConvert = 3017,
    /// A component, member or method does not exist in a value of this type.
    InvalidSubscript = 3018,
    /// A condition is not a scalar, so no branch can depend on it.
    ScalarCondition = 3019,
    /// An operation or a function does not accept values of these types.
    TypeMismatch = 3020,
    /// An operand must be a scalar, a vector or a matrix, but has another type.
    NumericExpected = 3022,
    /// The target of an assignment cannot be assigned to, for example because it is constant.
    ConstantLvalue = 3025,
    /// A declaration cannot be `const`, because it is a member of a structure.
    CannotBeConst = 3035,
    /// A constructor has a type that is not numeric, such as a structure.
    ConstructorType = 3037,
    /// A variable or a parameter cannot have this type, such as `void`.
    InvalidType = 3038,
    /// A local variable has a semantic, although only values of the interface can have one.
    LocalSemantic = 3043,
    /// A parameter without a default value follows one that has a default value.
    MissingDefault = 3044,
    /// An `out` parameter has a default value, although it takes no value from the caller.
    OutputDefault = 3045,
    /// A variable, a member or a function cannot be `uniform`.
    CannotBeUniform = 3047,
    /// A declaration cannot have this modifier, or two modifiers contradict each other.
    InvalidModifier = 3048,
    /// A vector has no components, or more than the maximum of four.
    VectorDimension = 3052,
    /// A matrix has no rows or columns, or more than four of them.
    MatrixDimension = 3053,
    /// A declaration is `shared`, which only a variable outside functions can be.
    CannotBeShared = 3054,
    /// The size of an array is unknown at compile time or out of range.
    ArrayDimension = 3058,
    /// An array has no elements, or more than the maximum number.
    InvalidArrayDimension = 3059,
    /// Several functions match a call equally well, so that none can be chosen.
    AmbiguousCall = 3067,
    /// An array has the size `[]` where the size must be given.
    ArrayDimensionMissing = 3072,
    /// An array has the size `[]` for a dimension other than the first.
    SecondaryDimensionMissing = 3073,
    /// An array has the size `[]`, although its variable has no value that gives the size.
    ImplicitArrayWithoutValue = 3074,
    /// A `switch` has no `case`, or the value of a `case` is not known at compile time.
    InvalidCase = 3075,
    /// A function without a result has a semantic for its result, which does not exist.
    VoidSemantic = 3076,
    /// A type that is not a matrix is `row_major` or `column_major`.
    NoMatrix = 3077,
    /// Warning: a variable of a `for` hides another one, which is an error in strict mode.
    LoopVariableConflict = 3078,
    /// A `return` has a value, although the function has no result.
    VoidReturn = 3079,
    /// A `return` has no value, although the function has a result.
    InvalidReturn = 3080,
    /// An operand must be an integer, but has another type.
    IntegerRequired = 3082,
    /// An attribute that the stage requires is missing, or its argument is wrong.
    InvalidAttribute = 3084,
    /// A type cannot be `unsigned`, `unorm` or `snorm`, because of its components.
    InvalidTypeModifier = 3085,
    /// A variable outside all constant buffers has a `packoffset`, which has no meaning there.
    PackOffsetOutside = 3091,
    /// The base of a structure is not a structure but a type such as `float4`.
    InvalidBase = 3094,
    /// An index is a vector or another value that is not a scalar.
    ScalarIndex = 3120,
    /// An object does not accept an index of this type.
    InvalidIndex = 3121,
    /// The element type of a vector is not a scalar, as in `vector<float2, 2>`.
    VectorElement = 3122,
    /// The element type of a matrix is not a scalar, as in `matrix<float2, 2, 2>`.
    MatrixElement = 3123,
    /// The elements of an object contain objects, which cannot be stored there.
    ObjectElement = 3124,
    /// Warning: an implicit conversion to a smaller type loses components, which a cast would make explicit.
    ImplicitTruncation = 3206,
    /// A function calls itself, or a store chooses a component of a vector by an index that is not known at
    /// compile time.
    NotAddressable = 3500,
    /// The source has no function with the name of the entry point.
    EntryPointNotFound = 3501,
    /// A parameter of an entry point has no semantic, so it has no place in the signature.
    MissingSemantic = 3502,
    /// The result of an entry point has no semantic, so it has no place in the signature.
    MissingResultSemantic = 3503,
    /// An index that is known at compile time is outside the array.
    IndexOutOfBounds = 3504,
    /// A function with a result can end without a `return`, so the result would be undefined.
    MissingReturn = 3507,
    /// An `out` parameter, or a component of it, is never assigned.
    OutputNotInitialized = 3508,
    /// A loop that must be unrolled has too many iterations, or their number is not known.
    CannotUnroll = 3511,
    /// The index of a texture, buffer or sampler in an array is not known at compile time.
    IndexNotLiteral = 3512,
    /// A `break` is outside a loop and a `switch`, so there is nothing to leave.
    BreakOutside = 3518,
    /// A `continue` is outside a loop, so there is no iteration to continue with.
    ContinueOutside = 3519,
    /// Attributes of one statement contradict each other, such as `loop` and `unroll`.
    LoopAttributes = 3524,
    /// A function or a statement has the same attribute twice.
    RepeatedAttribute = 3525,
    /// The `register` of a declaration does not exist, or its `packoffset` is invalid.
    InvalidRegister = 3530,
    /// A loop with the attribute `loop` must be unrolled to compile.
    LoopForced = 3531,
    /// Two `case` labels of a `switch` have the same value, so the second one could never be chosen.
    DuplicateCase = 3532,
    /// A `case` with statements falls through into the next one, which HLSL does not allow.
    CaseFallsThrough = 3533,
    /// Warning: the compiler does not have this attribute, and ignores it.
    UnknownAttribute = 3554,
    /// Warning: the compiler does not have this `#pragma`, and ignores it.
    UnknownPragma = 3568,
    /// Warning: a derivative is in a loop that pixels leave at different times.
    GradientInLoop = 3570,
    /// Warning: the base of a power may be negative, for which the result is not a number.
    NegativePower = 3571,
    /// A declaration names a register of a class that it cannot have, in Shader Model 5.1.
    RegisterClass = 3591,
    /// The `T` of a `ConstantBuffer<T>` or `TextureBuffer<T>` is not a structure.
    BufferElement = 3594,
    /// A uniform variable is a `half`, which needs the compatibility mode, unlike a `float`.
    UniformHalf = 3650,
    /// The arguments of `numthreads` are out of range, one by one or multiplied.
    ThreadCount = 3655,
    /// Only some threads of a group reach a barrier that synchronises all of them.
    SyncInVaryingFlow = 3663,
    /// A Direct3D 9 function such as `tex2D` is used, which needs the compatibility mode.
    LegacyIntrinsic = 3664,
    /// The operator `%` is used with operands of type `double`, which must be cast to `float`.
    DoubleModulo = 3684,
    /// A loop never ends, because its condition stays true and nothing in it can leave it.
    InfiniteLoop = 3696,
    /// Signed integers with fewer than 32 bits are divided, which needs a cast to `int`.
    MinimumPrecisionDivision = 3706,
    /// A `continue` is within a `switch`, which is not supported.
    ContinueInSwitch = 3708,
    /// A variable is used before a value is assigned to it, which is an error for objects and a warning for
    /// numbers.
    Uninitialized = 4000,
    /// An integer is divided by a constant that is zero, as a divisor or in a component of one.
    IntegerDivisionByZero = 4010,
    /// Two variables overlap in a constant buffer, because of the places that they name.
    OverlappingVariables = 4019,
    /// Two declarations have the same register, or one declaration has two registers for one profile.
    OverlappingRegisters = 4500,
    /// The stage does not have this semantic at this point of its signature.
    InvalidSemantic = 4502,
    /// Two values of an entry point have the same semantic in the same direction.
    DuplicateSemantic = 4503,
    /// An entry point has more inputs than the limit of its profile.
    MostInputs = 4506,
    /// The profile does not have this texture, buffer or sampler register.
    RegisterOutOfRange = 4509,
    /// The profile does not have enough registers for the textures, buffers or samplers.
    MostRegisters = 4510,
    /// The stage or the shader model does not have this function or method.
    NotInProfile = 4532,
    /// A texel offset is not known at compile time, or is outside the range from -8 to 7.
    InvalidOffset = 4566,
    /// The profile does not have enough registers for the constant buffers.
    MostConstantBuffers = 4567,
    /// An entry point has more outputs than the limit of its profile.
    MostOutputs = 4571,
    /// A texture of integers is sampled, although integers cannot be filtered, so it must be loaded instead.
    SampleOfIntegers = 4582,
    /// The `groupshared` variables of the program exceed the memory of a thread group in this profile.
    SharedMemoryTooLarge = 4586,
    /// A store writes only a part of an element of a typed buffer or a texture.
    PartialTypedStore = 4596,
    /// An element of a structured buffer exceeds the maximum size, which is 2,048 bytes.
    ElementTooLarge = 4599,
    /// A constant buffer exceeds the maximum size, which is 64 KiB or 4096 registers.
    ConstantBufferTooLarge = 4601,
    /// The program exceeds a limit of the compiler: nesting, size, or length of loops.
    LimitExceeded = 9000,
    /// The text of an `#error` directive, which makes the compilation fail.
    ErrorDirective = 9001,
    /// Warning: the text of a `#pragma message`, which changes nothing in the program.
    PragmaMessage = 9002,
    /// Warning: a technique, a pass or effect states are skipped, because only effects use them.
    EffectSkipped = 9003,
    /// Direct3D 11 has this part of the language, but the compiler does not support it.
    Unsupported = 9004,
    /// A known texel offset is out of the range that its method accepts.
    OffsetRange = 9011,
    /// The entry point breaks a rule of its stage about primitives, streams, patches or attributes.
    StageRule = 9012,
    /// A value of an entry point has a type that is not allowed there.
    InvalidEntryType = 9013,
    /// The compiler itself has a bug, such as a module that naga refuses, which the message describes.
    Internal = 9099,
}
