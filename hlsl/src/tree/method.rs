//! The methods of textures, buffers and streams.

macro_rules! methods {
    ($($(#[$attribute:meta])* $name:ident $text:literal,)*) => {
        /// A method of an object. The object's type tells textures' and buffers' methods of one name apart.
        ///
        /// Arguments in the tree are converted, in the order in which they are written. Those that may be left out at the
        /// end are left out. Numbers are `float`s, or `int`s for places and offsets, as Microsoft's reference has them.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Method {
            $($(#[$attribute])* $name,)*
        }

        impl Method {
            /// All of them.
            pub(crate) const ALL: &[Method] = &[$(Method::$name,)*];

            /// The one of a name.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Method::$name),)*
                    _ => None,
                }
            }

            /// Its name.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Method::$name => $text,)*
                }
            }
        }
    };
}

methods! {
    /// `Append(value)` of a buffer or a stream.
    Append "Append",
    CalculateLevelOfDetail "CalculateLevelOfDetail",
    CalculateLevelOfDetailUnclamped "CalculateLevelOfDetailUnclamped",
    Consume "Consume",
    DecrementCounter "DecrementCounter",
    /// `Gather(sampler, place, [offset], [out status])`.
    Gather "Gather",
    GatherAlpha "GatherAlpha",
    GatherBlue "GatherBlue",
    /// `GatherCmp(sampler, place, value, [offset], [out status])`.
    GatherCmp "GatherCmp",
    GatherCmpAlpha "GatherCmpAlpha",
    GatherCmpBlue "GatherCmpBlue",
    GatherCmpGreen "GatherCmpGreen",
    GatherCmpRed "GatherCmpRed",
    GatherGreen "GatherGreen",
    /// `GatherRed(sampler, place, [offset | offset × 4], [out status])`.
    GatherRed "GatherRed",
    /// `GetDimensions([level], out …)`: `out` arguments are any `uint`s, `int`s or `float`s.
    GetDimensions "GetDimensions",
    GetSamplePosition "GetSamplePosition",
    IncrementCounter "IncrementCounter",
    /// Of a `RWByteAddressBuffer`: `InterlockedAdd(address, value, [out before])`. Values are `uint`s; those of
    /// `InterlockedMax` and `InterlockedMin` are `int`s where these are compared.
    InterlockedAdd "InterlockedAdd",
    InterlockedAnd "InterlockedAnd",
    InterlockedCompareExchange "InterlockedCompareExchange",
    InterlockedCompareStore "InterlockedCompareStore",
    InterlockedExchange "InterlockedExchange",
    InterlockedMax "InterlockedMax",
    InterlockedMin "InterlockedMin",
    InterlockedOr "InterlockedOr",
    InterlockedXor "InterlockedXor",
    /// The property `texture.Length`: the size, and the number of slices behind it. No arguments.
    Length "Length",
    /// `Load(place, [sample], [offset], [out status])`: the last component of a texture's place is the mip level, but not of
    /// multisampled and of written textures.
    Load "Load",
    Load2 "Load2",
    Load3 "Load3",
    Load4 "Load4",
    RestartStrip "RestartStrip",
    /// `Sample(sampler, place, [offset], [clamp], [out status])`.
    Sample "Sample",
    /// `SampleBias(sampler, place, bias, [offset], [clamp], [out status])`.
    SampleBias "SampleBias",
    /// `SampleCmp(sampler, place, value, [offset], [clamp], [out status])`.
    SampleCmp "SampleCmp",
    SampleCmpLevelZero "SampleCmpLevelZero",
    /// `SampleGrad(sampler, place, ddx, ddy, [offset], [clamp], [out status])`.
    SampleGrad "SampleGrad",
    /// `SampleLevel(sampler, place, level, [offset], [out status])`.
    SampleLevel "SampleLevel",
    Store "Store",
    Store2 "Store2",
    Store3 "Store3",
    Store4 "Store4",
}
