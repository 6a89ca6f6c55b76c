//! A sampled pair of a texture and a sampler, and the operations on it.

use naga::SwizzleComponent;
use onze_ddi::{ComparisonFunc, SampledPair};

use crate::objects::shader::{
    driver_constants::SamplerConstants, passes::wgsl::images::ImageText, specialization::sampling::Sampling,
};

/// A rewritten pair.
#[derive(Debug)]
pub(super) struct PairText {
    pub(super) slots: SampledPair,
    pub(super) image: ImageText,
    pub(super) comparison: bool,
    pub(super) sampling: Sampling,
}

impl PairText {
    /// Returns the name of the sampler's variable.
    pub(super) fn sampler(&self) -> String {
        format!("sampler_{}", self.slots.sampler)
    }

    /// Returns the prefix of the names of the pair's functions.
    pub(super) fn prefix(&self) -> String {
        format!("pair_{}_{}", self.slots.resource, self.slots.sampler)
    }

    /// Returns the WGSL expression of a sampler's number in the driver constants.
    pub(super) fn constant(&self, constant: SamplerConstants) -> String {
        let (vector, component) = constant.place(self.slots.sampler);
        format!("driver_constants.samplers[{vector}].{}", AXES.get(component).unwrap_or(&"w"))
    }
}

/// The level argument of a sampling expression.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum LevelArgument {
    Auto,
    Bias,
    Exact,
    Gradient,
    Zero,
    /// A gather of one component of four texels.
    Gather(SwizzleComponent),
}

/// A kind of sampling expression. Equal operations share a function.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct SamplingOperation {
    /// Index of the pair.
    pub(super) pair: usize,
    pub(super) level: LevelArgument,
    pub(super) offset: [i32; 3],
}

pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Returns an expression that is 1 if the reference passes the comparison with the texel, otherwise 0.
pub(super) fn compared(comparison: ComparisonFunc, reference: &str, texel: &str) -> String {
    let comparison = match comparison {
        ComparisonFunc::Never => return "0.0".into(),
        ComparisonFunc::Always => return "1.0".into(),
        ComparisonFunc::Less => "<",
        ComparisonFunc::Equal => "==",
        ComparisonFunc::LessEqual => "<=",
        ComparisonFunc::Greater => ">",
        ComparisonFunc::NotEqual => "!=",
        ComparisonFunc::GreaterEqual => ">=",
    };
    format!("select(0.0, 1.0, {reference} {comparison} {texel})")
}
