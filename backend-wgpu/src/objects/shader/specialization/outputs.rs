//! Changes to a pixel shader's outputs that the bound targets and states require.

use onze_ddi::ScalarKind;

/// Changes to a pixel shader's outputs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Outputs {
    /// One bit for each location whose colour is extended to four components.
    pub(crate) widened: u8,
    /// The scalar kind for each location whose bits are reinterpreted.
    pub(crate) recast: [Option<ScalarKind>; 8],
    /// The use of the first colour's alpha.
    pub(crate) alpha: AlphaUse,
    /// Whether a pixel is discarded if bit 0 of its sample mask is not set.
    pub(crate) mask_kills: bool,
    /// Whether the colours at locations 0 and 1 are the two sources of blending. Other colours are then
    /// removed.
    pub(crate) are_sources: bool,
}

/// The use of the first colour's alpha, besides its output.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum AlphaUse {
    /// No further use.
    #[default]
    Plain,
    /// A value below one half discards the pixel.
    Kills,
    /// The value selects the number of written samples, out of this many.
    Covers(u8),
}
