macro_rules! methods {
    ($($(#[$attribute:meta])* $name:ident $text:literal,)*) => {
        /// A method of an object, with one variant for all methods of different textures and buffers that
        /// have the same name.
        ///
        /// In the tree, arguments are converted and in source order, and optional arguments at the end may be
        /// missing. Numbers are of type `float`, but locations and offsets are of type `int`, as in
        /// Microsoft's reference.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Method {
            $($(#[$attribute])* $name,)*
        }

        impl Method {
            pub(crate) const ALL: &[Method] = &[$(Method::$name,)*];

            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Method::$name),)*
                    _ => None,
                }
            }

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Method::$name => $text,)*
                }
            }
        }
    };
}

methods! {
    Append "Append",
    CalculateLevelOfDetail "CalculateLevelOfDetail",
    CalculateLevelOfDetailUnclamped "CalculateLevelOfDetailUnclamped",
    Consume "Consume",
    DecrementCounter "DecrementCounter",
    /// `Gather(sampler, place, [offset], [out status])`, which returns one component of each of four texels.
    Gather "Gather",
    GatherAlpha "GatherAlpha",
    GatherBlue "GatherBlue",
    /// `GatherCmp(sampler, place, value, [offset], [out status])`, which compares four texels with a value.
    GatherCmp "GatherCmp",
    GatherCmpAlpha "GatherCmpAlpha",
    GatherCmpBlue "GatherCmpBlue",
    GatherCmpGreen "GatherCmpGreen",
    GatherCmpRed "GatherCmpRed",
    GatherGreen "GatherGreen",
    /// `GatherRed(sampler, place, [offset | offset × 4], [out status])`, which takes one offset for all
    /// texels or one per texel.
    GatherRed "GatherRed",
    /// `GetDimensions([level], out …)`, in which each `out` argument may be a `uint`, an `int` or a `float`.
    GetDimensions "GetDimensions",
    GetSamplePosition "GetSamplePosition",
    IncrementCounter "IncrementCounter",
    /// A method of `RWByteAddressBuffer`, for example `InterlockedAdd(address, value, [out before])`. Values
    /// are of type `uint`, but `InterlockedMax` and `InterlockedMin` also accept `int` for a signed
    /// comparison.
    InterlockedAdd "InterlockedAdd",
    InterlockedAnd "InterlockedAnd",
    InterlockedCompareExchange "InterlockedCompareExchange",
    InterlockedCompareStore "InterlockedCompareStore",
    InterlockedExchange "InterlockedExchange",
    InterlockedMax "InterlockedMax",
    InterlockedMin "InterlockedMin",
    InterlockedOr "InterlockedOr",
    InterlockedXor "InterlockedXor",
    /// The property `texture.Length`, which has no arguments and returns the size followed by the number of
    /// array slices.
    Length "Length",
    /// `Load(place, [sample], [offset], [out status])`, where the last component of `place` is the mip level,
    /// unless the texture is multisampled or writable.
    Load "Load",
    Load2 "Load2",
    Load3 "Load3",
    Load4 "Load4",
    RestartStrip "RestartStrip",
    /// `Sample(sampler, place, [offset], [clamp], [out status])`, which selects the mip level from the
    /// derivatives of `place`.
    Sample "Sample",
    /// `SampleBias(sampler, place, bias, [offset], [clamp], [out status])`, which adds a bias to the mip
    /// level.
    SampleBias "SampleBias",
    /// `SampleCmp(sampler, place, value, [offset], [clamp], [out status])`, which compares texels with a
    /// value.
    SampleCmp "SampleCmp",
    SampleCmpLevelZero "SampleCmpLevelZero",
    /// `SampleGrad(sampler, place, ddx, ddy, [offset], [clamp], [out status])`, which takes explicit
    /// derivatives of `place`.
    SampleGrad "SampleGrad",
    /// `SampleLevel(sampler, place, level, [offset], [out status])`, which reads an explicit mip level.
    SampleLevel "SampleLevel",
    Store "Store",
    Store2 "Store2",
    Store3 "Store3",
    Store4 "Store4",
}
