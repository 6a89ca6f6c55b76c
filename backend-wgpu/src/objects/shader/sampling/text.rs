//! The functions of sampled pairs, in WGSL.
//!
//! The sections are those of the Direct3D 11.3 functional specification.

use naga::{ImageClass, ImageDimension, ScalarKind, SwizzleComponent};
use onze_ddi::{ComparisonFunc, FilterReduction, SampledPair, TextureAddressMode};

use super::{Sampling, SamplingVariant, ValueRange};
use crate::objects::shader::driver_constants::{self, SamplerConstants, texture_lod};

/// A texture as WGSL declares it.
#[derive(Clone, Debug)]
pub(in crate::objects::shader) struct ImageText {
    /// Of the variable.
    pub(in crate::objects::shader) name: String,
    pub(in crate::objects::shader) dim: ImageDimension,
    pub(in crate::objects::shader) arrayed: bool,
    pub(in crate::objects::shader) class: ImageClass,
}

impl ImageText {
    fn axes(&self) -> usize {
        match self.dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 => 2,
            ImageDimension::D3 | ImageDimension::Cube => 3,
        }
    }

    pub(super) fn is_depth(&self) -> bool {
        matches!(self.class, ImageClass::Depth { .. })
    }

    fn scalar(&self) -> &'static str {
        match self.class {
            ImageClass::Sampled { kind: ScalarKind::Sint, .. } => "i32",
            ImageClass::Sampled { kind: ScalarKind::Uint, .. } => "u32",
            _ => "f32",
        }
    }

    /// Its type.
    pub(in crate::objects::shader) fn ty(&self) -> String {
        let dimension = match self.dim {
            ImageDimension::D1 => "1d",
            ImageDimension::D2 => "2d",
            ImageDimension::D3 => "3d",
            ImageDimension::Cube => "cube",
        };
        let array = if self.arrayed { "_array" } else { "" };
        if self.is_depth() {
            format!("texture_depth_{dimension}{array}")
        } else {
            format!("texture_{dimension}{array}<{}>", self.scalar())
        }
    }

    /// The type of what a load or a sample gives.
    pub(in crate::objects::shader) fn value(&self) -> String {
        if self.is_depth() { "f32".into() } else { format!("vec4<{}>", self.scalar()) }
    }

    /// The type of coordinates.
    pub(in crate::objects::shader) fn vector(&self, scalar: &str) -> String {
        vector(self.axes(), scalar)
    }

    /// What is read out of bounds: 0, but for an alpha that the format lacks.
    pub(in crate::objects::shader) fn missing(&self, components: u8) -> String {
        let value = self.value();
        if self.is_depth() || components & 0x8 != 0 {
            return format!("{value}()");
        }
        format!("{value}(0, 0, 0, 1)")
    }
}

/// A pair that is rewritten.
#[derive(Debug)]
pub(super) struct PairText {
    pub(super) slots: SampledPair,
    pub(super) image: ImageText,
    pub(super) comparison: bool,
    pub(super) sampling: Sampling,
}

/// How an expression says the level, and what it wants.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum LevelArgument {
    Auto,
    Bias,
    Exact,
    Gradient,
    Zero,
    /// A component of four texels.
    Gather(SwizzleComponent),
}

/// What a shader does with a pair.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct SamplingOperation {
    /// Which of the pairs.
    pub(super) pair: usize,
    pub(super) level: LevelArgument,
    pub(super) offset: [i32; 3],
}

/// The name of the function of an operation.
pub(super) fn name(operation: usize) -> String {
    format!("sample_{operation}")
}

/// All functions.
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

const AXES: [&str; 3] = ["x", "y", "z"];

impl PairText {
    /// The name of the sampler's variable.
    pub(super) fn sampler(&self) -> String {
        format!("sampler_{}", self.slots.sampler)
    }

    /// Before the names of its functions.
    fn prefix(&self) -> String {
        format!("pair_{}_{}", self.slots.resource, self.slots.sampler)
    }

    /// A value of the sampler in the driver constants.
    fn constant(&self, constant: SamplerConstants) -> String {
        let (vector, component) = constant.place(self.slots.sampler);
        format!("driver_constants.samplers[{vector}].{}", AXES.get(component).unwrap_or(&"w"))
    }

    /// The function of an operation.
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

    /// wgpu's sample, with a bias.
    fn biased(&self, operation: &SamplingOperation) -> String {
        let (image, sampler, bias) =
            (&self.image.name, self.sampler(), self.constant(SamplerConstants::Bias));
        // Integers of either sign become this one.
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
            // Of the first level, whatever the bias is.
            LevelArgument::Gather(component) => {
                format!("textureGather({}, {place}{offset})", component as u32)
            }
        }
    }
}

fn vector(size: usize, scalar: &str) -> String {
    if size == 1 { scalar.into() } else { format!("vec{size}<{scalar}>") }
}

/// 1 if a reference passes against a texel, else 0.
fn compared(comparison: ComparisonFunc, reference: &str, texel: &str) -> String {
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

/// The functions of a pair that is sampled by the driver's code.
struct PairFunctions<'a> {
    pair: &'a PairText,
    computed: &'a SamplingVariant,
}

impl PairFunctions<'_> {
    /// For each axis.
    fn each(&self, of: impl Fn(&str) -> String) -> Vec<String> {
        AXES.iter().take(self.pair.image.axes()).map(|axis| of(axis)).collect()
    }

    /// A component of a vector, which is a scalar in 1D.
    fn part(&self, of: &str, axis: &str) -> String {
        if self.pair.image.axes() == 1 { of.into() } else { format!("{of}.{axis}") }
    }

    fn text(&self) -> String {
        let parts = [
            self.addresses(),
            self.layer(),
            self.texel(),
            self.at_level(),
            self.at_lod(),
            self.by_gradient(),
        ];
        parts.concat()
    }

    /// Section 7.18.6, range reduction, and 7.18.9, texture address processing, where -1 stands for the border.
    fn addresses(&self) -> String {
        let prefix = self.pair.prefix();
        let one = |axis: &str, mode: TextureAddressMode| {
            let reduced = match mode {
                TextureAddressMode::Wrap => "u - floor(u)",
                TextureAddressMode::Mirror => "(u * 0.5 - trunc(u * 0.5)) * 2.0",
                TextureAddressMode::Clamp | TextureAddressMode::Border | TextureAddressMode::MirrorOnce => {
                    "clamp(u, -10.0, 10.0)"
                }
            };
            let found = match mode {
                TextureAddressMode::Wrap => "let r = i % n; return select(r, r + n, r < 0);",
                TextureAddressMode::Mirror => {
                    "let r = select(i, -i - 1, i < 0) % (2 * n); return select(r, 2 * n - 1 - r, r >= n);"
                }
                TextureAddressMode::Clamp => "return clamp(i, 0, n - 1);",
                TextureAddressMode::MirrorOnce => "return min(select(i, -i - 1, i < 0), n - 1);",
                TextureAddressMode::Border => "return select(-1, i, i >= 0 && i < n);",
            };
            format!(
                "
                fn {prefix}_reduce_{axis}(u: f32) -> f32 {{ return {reduced}; }}
                fn {prefix}_address_{axis}(i: i32, n: i32) -> i32 {{ {found} }}"
            )
        };
        AXES.iter()
            .zip(self.computed.address)
            .take(self.pair.image.axes())
            .map(|(axis, mode)| one(axis, mode))
            .collect()
    }

    fn layer(&self) -> String {
        if !self.pair.image.arrayed {
            return String::new();
        }
        let (prefix, image) = (self.pair.prefix(), &self.pair.image.name);
        format!(
            "
            fn {prefix}_layer(layer: f32) -> i32 {{
                return i32(clamp(layer, 0.0, f32(textureNumLayers({image})) - 1.0));
            }}"
        )
    }

    /// A texel or the border colour; with a comparison its result.
    fn texel(&self) -> String {
        let (pair, prefix) = (self.pair, self.pair.prefix());
        let value = pair.image.value();
        let place = if pair.image.axes() == 1 {
            "x".to_owned()
        } else {
            format!("vec{}<i32>({})", pair.image.axes(), self.each(str::to_owned).join(", "))
        };
        let layer = if pair.image.arrayed { ", layer" } else { "" };
        let load = format!("textureLoad({}, {place}{layer}, level)", pair.image.name);
        let is_beyond = self.each(|axis| format!("{axis} < 0")).join(" || ");
        let has_border = self.computed.address.contains(&TextureAddressMode::Border);
        let texel = if has_border {
            format!("var texel = {}; if !({is_beyond}) {{ texel = {load}; }}", self.border())
        } else {
            format!("let texel = {load};")
        };
        let result = if pair.comparison { self.compared("texel") } else { "texel".into() };
        format!(
            "
            fn {prefix}_texel(x: i32, y: i32, z: i32, layer: i32, level: i32, reference: f32) -> {value} {{
                {texel}
                return {result};
            }}"
        )
    }

    /// Section 7.18.9.1: the components of the format, in its range; all others are 0, 0, 0, 1.
    fn border(&self) -> String {
        let texels = self.computed.texels;
        let (scalar, least_and_most) = match texels.numbers {
            ValueRange::Unorm(_) => ("f32", Some(("0.0".to_owned(), "1.0".to_owned()))),
            ValueRange::Snorm => ("f32", Some(("-1.0".into(), "1.0".into()))),
            ValueRange::Positive => ("f32", Some(("0.0".into(), "0x1.fffffep+127f".into()))),
            ValueRange::Any => ("f32", None),
            ValueRange::Integer(least, most) => {
                (self.pair.image.scalar(), Some((format!("{least}.0"), format!("{most}.0"))))
            }
        };
        let component = |n: usize| {
            if texels.components & (1 << n) == 0 {
                return format!("{scalar}({})", u32::from(n == 3));
            }
            let color = self.pair.constant(SamplerConstants::Border(n));
            match &least_and_most {
                Some((least, most)) => format!("{scalar}(clamp({color}, {least}, {most}))"),
                None => color,
            }
        };
        if self.pair.image.is_depth() {
            return component(0);
        }
        format!("vec4<{scalar}>({})", [0, 1, 2, 3].map(component).join(", "))
    }

    /// Section 22.4.19: the reference is compared in the precision of the format.
    fn compared(&self, texel: &str) -> String {
        match self.computed.texels.numbers {
            ValueRange::Unorm(bits @ 1..) => {
                let most = (1u32 << bits.min(24)) - 1;
                let reference = format!("round(clamp(reference, 0.0, 1.0) * {most}.0)");
                compared(self.computed.comparison, &reference, &format!("round({texel} * {most}.0)"))
            }
            _ => compared(self.computed.comparison, "reference", texel),
        }
    }

    /// Joins what was read with another value that has a weight more than 0.
    fn extreme(&self) -> Option<&'static str> {
        match self.computed.filter.reduction {
            FilterReduction::Minimum => Some("min"),
            FilterReduction::Maximum => Some("max"),
            FilterReduction::Standard | FilterReduction::Comparison => None,
        }
    }

    /// The size of a level, `n_x` and so on, and the coordinates in texels, `u_x` and so on. The size is not asked for by
    /// level: lavapipe takes the level of one pixel for several (`lp_build_size_query_soa` of Mesa 26).
    fn scaled(&self) -> String {
        let prefix = self.pair.prefix();
        let size = format!("let size = textureDimensions({}, 0);", self.pair.image.name);
        let axes = self.each(|axis| {
            let (size, at) = (self.part("size", axis), self.part("at", axis));
            format!(
                "let n_{axis} = max(i32({size}) >> u32(level), 1); let u_{axis} = {prefix}_reduce_{axis}({at}) * f32(n_{axis});"
            )
        });
        size + &axes.concat()
    }

    /// Section 7.18.8: the addresses of the lower and the upper texels, `a_x` and `b_x`, and the weights of the upper ones,
    /// `w_x`, of which the specification wants eight bits.
    fn two_of_each(&self) -> String {
        let prefix = self.pair.prefix();
        let axes = self.each(|axis| {
            format!(
                "let q_{axis} = round((u_{axis} - 0.5) * 256.0) / 256.0;
                let w_{axis} = q_{axis} - floor(q_{axis});
                let i_{axis} = i32(floor(q_{axis})) + offset.{axis};
                let a_{axis} = {prefix}_address_{axis}(i_{axis}, n_{axis});
                let b_{axis} = {prefix}_address_{axis}(i_{axis} + 1, n_{axis});"
            )
        });
        axes.concat()
    }

    /// The texel at addresses.
    fn texel_at(&self, addresses: &[String]) -> String {
        let mut addresses = addresses.to_vec();
        addresses.resize(3, "0".into());
        format!("{}_texel({}, layer, level, reference)", self.pair.prefix(), addresses.join(", "))
    }

    /// One level, filtered: sections 7.18.7 and 7.18.8.
    fn at_level(&self) -> String {
        let (pair, prefix) = (self.pair, self.pair.prefix());
        let nearest = self
            .each(|axis| format!("{prefix}_address_{axis}(i32(floor(u_{axis})) + offset.{axis}, n_{axis})"));
        let corners = (1..1usize << pair.image.axes()).map(|corner| {
            let is_upper = |n: usize| corner & (1 << n) != 0;
            let axes = || AXES.iter().take(pair.image.axes()).enumerate();
            let texel: Vec<_> =
                axes().map(|(n, axis)| format!("{}_{axis}", if is_upper(n) { "b" } else { "a" })).collect();
            let texel = self.texel_at(&texel);
            match self.extreme() {
                Some(extreme) => {
                    let weights: Vec<_> = axes()
                        .filter(|(n, _)| is_upper(*n))
                        .map(|(_, axis)| format!("w_{axis} > 0.0"))
                        .collect();
                    format!("if {} {{ sum = {extreme}(sum, {texel}); }}", weights.join(" && "))
                }
                None => {
                    let weights: Vec<_> = axes()
                        .map(
                            |(n, axis)| {
                                if is_upper(n) { format!("w_{axis}") } else { format!("(1.0 - w_{axis})") }
                            },
                        )
                        .collect();
                    format!("sum += {texel} * ({});", weights.join(" * "))
                }
            }
        });
        let first = self.texel_at(&self.each(|axis| format!("a_{axis}")));
        let weight = match self.extreme() {
            Some(_) => String::new(),
            None => format!(" * ({})", self.each(|axis| format!("(1.0 - w_{axis})")).join(" * ")),
        };
        // Integers are gathered only.
        let filtered = if pair.image.scalar() == "f32" {
            format!(
                "{} var sum = {first}{weight}; {} return sum;",
                self.two_of_each(),
                corners.collect::<String>()
            )
        } else {
            format!("return {}();", pair.image.value())
        };
        format!(
            "
            fn {prefix}_level(
                at: {}, layer: i32, level: i32, linear: bool, offset: vec3<i32>, reference: f32
            ) -> {} {{
                {}
                if !linear {{ return {}; }}
                {filtered}
            }}",
            pair.image.vector("f32"),
            pair.image.value(),
            self.scaled(),
            self.texel_at(&nearest),
        )
    }

    /// The levels of detail: sections 7.18.10 and 7.18.11.
    fn at_lod(&self) -> String {
        let (pair, prefix) = (self.pair, self.pair.prefix());
        let filter = self.computed.filter;
        let [mag, min, mip] = [filter.mag_linear, filter.min_linear, filter.mip_linear]
            .map(|linear| linear || filter.anisotropic);
        let level = |level: &str, linear: bool| {
            format!("{prefix}_level(at, layer, {level}, {linear}, offset, reference)")
        };
        let minified = match (mip && pair.image.scalar() == "f32", self.extreme()) {
            (false, _) => format!("return {};", level("clamp(i32(floor(lod + 0.5)), 0, last)", min)),
            (true, extreme) => {
                let (fine, coarse) = (level("fine", min), level("min(fine + 1, last)", min));
                let joined = extreme.map_or_else(
                    || format!("{fine} * (1.0 - weight) + {coarse} * weight"),
                    |extreme| format!("{extreme}({fine}, {coarse})"),
                );
                format!(
                    "let rounded = round(lod * 256.0) / 256.0;
                    let fine = clamp(i32(floor(rounded)), 0, last);
                    let weight = rounded - floor(rounded);
                    if weight == 0.0 {{ return {fine}; }}
                    return {joined};"
                )
            }
        };
        let texture = if self.computed.clamped {
            format!("max(clamped, {})", texture_lod(pair.slots.resource))
        } else {
            "clamped".to_owned()
        };
        format!(
            "
            fn {prefix}_clamped(lod: f32) -> f32 {{
                let clamped = clamp(max({}, min({}, lod + {})), -64.0, 64.0);
                return {texture};
            }}
            fn {prefix}_lod(at: {}, layer: i32, lod: f32, offset: vec3<i32>, reference: f32) -> {} {{
                let last = i32(textureNumLevels({})) - 1;
                if lod <= 0.0 {{ return {}; }}
                {minified}
            }}",
            pair.constant(SamplerConstants::MinLod),
            pair.constant(SamplerConstants::MaxLod),
            pair.constant(SamplerConstants::Bias),
            pair.image.vector("f32"),
            pair.image.value(),
            pair.image.name,
            level("0", mag),
        )
    }

    /// By the change of the coordinates from pixel to pixel: section 7.18.11. The level is 0 or less where they do not
    /// change.
    fn by_gradient(&self) -> String {
        let (pair, prefix) = (self.pair, self.pair.prefix());
        if pair.image.scalar() != "f32" {
            return String::new();
        }
        let (axes, coordinates) = (pair.image.axes(), pair.image.vector("f32"));
        let body = if self.computed.filter.anisotropic {
            self.anisotropic()
        } else {
            format!(
                "let lod = log2(max(max(length(x), length(y)), 0x1p-60f)) + bias;
                return {prefix}_lod(at, layer, {prefix}_clamped(lod), offset, reference);"
            )
        };
        format!(
            "
            fn {prefix}_gradient(
                at: {coordinates}, layer: i32, dx: {coordinates}, dy: {coordinates}, bias: f32, offset: vec3<i32>,
                reference: f32
            ) -> {} {{
                let size = {}(textureDimensions({}, 0));
                let x = dx * size;
                let y = dy * size;
                {body}
            }}",
            pair.image.value(),
            vector(axes, "f32"),
            pair.image.name,
        )
    }

    /// Samples along the line of anisotropy.
    fn anisotropic(&self) -> String {
        let prefix = self.pair.prefix();
        let sample = |at: &str| format!("{prefix}_lod({at}, layer, lod, offset, reference)");
        let (first, next) = (sample("at + line * place"), sample("at + line * (place + step * f32(i))"));
        let (joined, result) = match self.extreme() {
            Some(extreme) => (format!("sum = {extreme}(sum, {next});"), "sum"),
            None => (format!("sum += {next};"), "sum * step"),
        };
        format!(
            "let long = max(dot(x, x), dot(y, y));
            let area = abs(x.x * y.y - x.y * y.x);
            let most = {};
            var ratio = most;
            var short = sqrt(long) / most;
            if long <= most * area && area > 0.0 {{
                ratio = long / area;
                short = area / sqrt(long);
            }}
            if short < 1.0 {{ ratio = max(1.0, ratio * short); }}
            let lod = {prefix}_clamped(log2(max(short, 0x1p-60f)) + bias);
            let samples = clamp(i32(ceil(ratio - 0.001)), 1, 16);
            let step = 1.0 / f32(samples);
            let line = select(dy, dx, dot(x, x) > dot(y, y));
            let place = 0.5 * step - 0.5;
            var sum = {first};
            for (var i = 1; i < samples; i++) {{ {joined} }}
            return {result};",
            self.pair.constant(SamplerConstants::Anisotropy),
        )
    }

    /// The call that does an operation.
    fn call(&self, operation: &SamplingOperation) -> String {
        let prefix = self.pair.prefix();
        let layer = if self.pair.image.arrayed { format!("{prefix}_layer(layer)") } else { "0".into() };
        let reference = if self.pair.comparison { "reference" } else { "0.0" };
        let [x, y, z] = operation.offset;
        let offset = format!("vec3<i32>({x}, {y}, {z})");
        let by_gradient = |dx: &str, dy: &str, bias: &str| {
            format!("{prefix}_gradient(at, {layer}, {dx}, {dy}, {bias}, {offset}, {reference})")
        };
        let at_lod =
            |lod: &str| format!("{prefix}_lod(at, {layer}, {prefix}_clamped({lod}), {offset}, {reference})");
        match operation.level {
            LevelArgument::Auto => by_gradient("dpdx(at)", "dpdy(at)", "0.0"),
            LevelArgument::Bias => by_gradient("dpdx(at)", "dpdy(at)", "level"),
            LevelArgument::Gradient => by_gradient("dx", "dy", "0.0"),
            LevelArgument::Exact => at_lod("level"),
            LevelArgument::Zero => at_lod("0.0"),
            LevelArgument::Gather(component) => self.gathered(component, operation.offset, &layer, reference),
        }
    }

    /// The four texels of the first level that a linear filter would read, from the lower left one on, counter-clockwise
    /// (section 22.4.2).
    fn gathered(
        &self,
        component: SwizzleComponent,
        offset: [i32; 3],
        layer: &str,
        reference: &str,
    ) -> String {
        let (prefix, size) = (self.pair.prefix(), format!("textureDimensions({}, 0)", self.pair.image.name));
        let component =
            if self.pair.image.is_depth() { "" } else { [".x", ".y", ".z", ".w"][component as usize] };
        let address = |axis: &str, upper: i32, offset: i32| {
            let n = self.part(&size, axis);
            let place = format!("{prefix}_reduce_{axis}({}) * f32({n})", self.part("at", axis));
            let low = format!("i32(floor(round(({place} - 0.5) * 256.0) / 256.0))");
            format!("{prefix}_address_{axis}({low} + {}, i32({n}))", upper + offset)
        };
        let texel = |(x, y): (i32, i32)| {
            let (x, y) = (address("x", x, offset[0]), address("y", y, offset[1]));
            format!("{prefix}_texel({x}, {y}, 0, {layer}, 0, {reference}){component}")
        };
        let texels = [(0, 1), (1, 1), (1, 0), (0, 0)].map(texel);
        let scalar = self.pair.image.scalar();
        let gathered = format!("vec4<{scalar}>({})", texels.join(", "));
        if !self.computed.clamped {
            return gathered;
        }
        let missing = if self.pair.comparison {
            self.compared("0.0")
        } else if self.pair.image.is_depth() {
            "0.0".to_owned()
        } else {
            format!("{}{component}", self.pair.image.missing(self.computed.texels.components))
        };
        let lod = texture_lod(self.pair.slots.resource);
        format!("select({gathered}, vec4<{scalar}>({missing}), {lod} >= 1.0)")
    }
}
