macro_rules! methods {
    ($($(#[$attribute:meta])* $name:ident $text:literal,)*) => {
        /// A method of an object, where methods of textures and buffers with the same name differ only by the
        /// object's type.
        ///
        /// Arguments in the tree are converted and in the order in which they are written, and optional
        /// arguments at the end may be missing. Numbers are `float`s, or `int`s for places and offsets, as in
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
    /// `GatherRed(sampler, place, [offset | offset × 4], [out status])`, which takes one offset or one for
    /// each texel.
    GatherRed "GatherRed",
    /// `GetDimensions([level], out …)`, whose `out` arguments are any `uint`s, `int`s or `float`s.
    GetDimensions "GetDimensions",
    GetSamplePosition "GetSamplePosition",
    IncrementCounter "IncrementCounter",
    /// A method of `RWByteAddressBuffer`, called as `InterlockedAdd(address, value, [out before])`. Values
    /// are `uint`s, except that `InterlockedMax` and `InterlockedMin` take `int`s for a signed comparison.
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
    /// slices.
    Length "Length",
    /// `Load(place, [sample], [offset], [out status])`, where the last component of the place is the mip
    /// level, except for multisampled and writable textures.
    Load "Load",
    Load2 "Load2",
    Load3 "Load3",
    Load4 "Load4",
    RestartStrip "RestartStrip",
    /// `Sample(sampler, place, [offset], [clamp], [out status])`, which finds the mip level from derivatives
    /// of the place.
    Sample "Sample",
    /// `SampleBias(sampler, place, bias, [offset], [clamp], [out status])`, which adds a bias to the mip
    /// level.
    SampleBias "SampleBias",
    /// `SampleCmp(sampler, place, value, [offset], [clamp], [out status])`, which compares texels with a
    /// value.
    SampleCmp "SampleCmp",
    SampleCmpLevelZero "SampleCmpLevelZero",
    /// `SampleGrad(sampler, place, ddx, ddy, [offset], [clamp], [out status])`, which takes the derivatives
    /// of the place.
    SampleGrad "SampleGrad",
    /// `SampleLevel(sampler, place, level, [offset], [out status])`, which reads a given mip level.
    SampleLevel "SampleLevel",
    Store "Store",
    Store2 "Store2",
    Store3 "Store3",
    Store4 "Store4",
}
