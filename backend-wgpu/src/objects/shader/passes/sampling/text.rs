//! The WGSL functions of a shader's sampling operations.

use crate::objects::shader::{
    driver_constants::SamplerConstants, passes::driver_constants, specialization::sampling::Sampling,
};

use super::{
    functions::PairFunctions,
    pair::{LevelArgument, PairText, SamplingOperation, compared},
};

/// Returns the name of an operation's function.
pub(super) fn name(operation: usize) -> String {
    format!("sample_{operation}")
}

/// Returns all functions.
pub(super) fn text(pairs: &[&PairText], operations: &[SamplingOperation]) -> String {
    let mut text = driver_constants::text();
    let mut declared = Vec::new();
    for (at, pair) in (0u32..).zip(pairs) {
        let sampler = if pair.comparison { "sampler_comparison" } else { "sampler" };
        for (binding, name, ty) in [
            (2 * at + 1, pair.image.name.clone(), pair.image.ty()),
            (2 * at + 2, pair.sampler(), sampler.to_owned()),
        ] {
            if !declared.contains(&name) {
                text += &format!("@group(0) @binding({binding}) var {name}: {ty};\n");
                declared.push(name);
            }
        }
        if let Sampling::Computed(computed) = &pair.sampling {
            text += &PairFunctions { pair, computed }.text();
        }
    }
    for (at, operation) in operations.iter().enumerate() {
        let Some(pair) = pairs.get(operation.pair) else { continue };
        text += &pair.operation(&name(at), operation);
    }
    text
}

impl PairText {
    /// Returns the function of an operation.
    fn operation(&self, name: &str, operation: &SamplingOperation) -> String {
        let coordinates = self.image.vector("f32");
        let mut arguments = vec![format!("at: {coordinates}")];
        arguments.extend(self.image.arrayed.then(|| "layer: f32".to_owned()));
        match operation.level {
            LevelArgument::Bias | LevelArgument::Exact => arguments.push("level: f32".into()),
            LevelArgument::Gradient => {
                arguments.extend([format!("dx: {coordinates}"), format!("dy: {coordinates}")]);
            }
            LevelArgument::Auto | LevelArgument::Zero | LevelArgument::Gather(_) => {}
        }
        arguments.extend(self.comparison.then(|| "reference: f32".to_owned()));
        let gathers = matches!(operation.level, LevelArgument::Gather(_));
        let value = if gathers { format!("vec4<{}>", self.image.scalar()) } else { self.image.value() };
        let body = match &self.sampling {
            Sampling::Nothing => format!("{value}()"),
            Sampling::Empty { components, comparison } => {
                let texel = self.image.missing(*components);
                let texel = if gathers { self.image.missing(0xf) } else { texel };
                if self.comparison {
                    format!("{value}({})", compared(*comparison, "reference", "0.0"))
                } else {
                    texel
                }
            }
            Sampling::Biased => self.biased(operation),
            Sampling::Computed(computed) => PairFunctions { pair: self, computed }.call(operation),
        };
        format!("fn {name}({}) -> {value} {{ return {body}; }}\n", arguments.join(", "))
    }

    /// Returns wgpu's sampling expression with a bias.
    fn biased(&self, operation: &SamplingOperation) -> String {
        let (image, sampler, bias) =
            (&self.image.name, self.sampler(), self.constant(SamplerConstants::Bias));
        // A signed integer type holds the range of both layer types.
        let layer = if self.image.arrayed { ", i32(clamp(layer, -1.0, 65535.0))" } else { "" };
        let offset = match operation.offset {
            [0, 0, 0] => String::new(),
            [x, y, _] if self.image.axes() == 2 => format!(", vec2<i32>({x}, {y})"),
            [x, y, z] => format!(", vec3<i32>({x}, {y}, {z})"),
        };
        let place = format!("{image}, {sampler}, at{layer}");
        match operation.level {
            LevelArgument::Auto => format!("textureSampleBias({place}, {bias}{offset})"),
            LevelArgument::Bias => format!("textureSampleBias({place}, level + {bias}{offset})"),
            LevelArgument::Exact => format!("textureSampleLevel({place}, level + {bias}{offset})"),
            LevelArgument::Zero => format!("textureSampleLevel({place}, {bias}{offset})"),
            LevelArgument::Gradient => {
                format!("textureSampleGrad({place}, dx * exp2({bias}), dy * exp2({bias}){offset})")
            }
            // A gather reads the first level, regardless of the bias.
            LevelArgument::Gather(component) => {
                format!("textureGather({}, {place}{offset})", component as u32)
            }
        }
    }
}
