//! The WGSL functions that read and filter the texels of a pair.
//!
//! The sections are those of the Direct3D 11.3 functional specification.

use naga::SwizzleComponent;
use onze_ddi::{FilterReduction, TextureAddressMode};

use crate::objects::shader::{
    driver_constants::SamplerConstants,
    passes::{driver_constants::texture_lod, wgsl::images::vector},
    specialization::sampling::{SamplingVariant, ValueRange},
};

use super::pair::{AXES, LevelArgument, PairText, SamplingOperation, compared};

/// The functions of a pair whose texels the shader filters.
pub(super) struct PairFunctions<'a> {
    pub(super) pair: &'a PairText,
    pub(super) computed: &'a SamplingVariant,
}

impl PairFunctions<'_> {
    /// Applies a function to each axis.
    fn each(&self, of: impl Fn(&str) -> String) -> Vec<String> {
        AXES.iter().take(self.pair.image.axes()).map(|axis| of(axis)).collect()
    }

    /// Returns a component of a vector, or the scalar itself in 1D.
    fn part(&self, of: &str, axis: &str) -> String {
        if self.pair.image.axes() == 1 { of.into() } else { format!("{of}.{axis}") }
    }

    pub(super) fn text(&self) -> String {
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

    /// Sections 7.18.6 (range reduction) and 7.18.9 (texture address processing). The address -1 is the
    /// border.
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

    /// Returns a texel or the border colour, or the result of its comparison.
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

    /// Section 7.18.9.1: the border colour within the format's range. Missing components are 0, 0, 0, 1.
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

    /// Section 22.4.19: the comparison has the precision of the format.
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

    /// Returns the function that combines texels whose weight exceeds 0.
    fn extreme(&self) -> Option<&'static str> {
        match self.computed.filter.reduction {
            FilterReduction::Minimum => Some("min"),
            FilterReduction::Maximum => Some("max"),
            FilterReduction::Standard | FilterReduction::Comparison => None,
        }
    }

    /// Declares the size of a level (`n_x` and so on) and the coordinates in texels (`u_x` and so on). The
    /// code avoids size queries with a level, because lavapipe uses the level of one pixel for several
    /// (`lp_build_size_query_soa` of Mesa 26).
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

    /// Section 7.18.8: declares the addresses of the lower and upper texels (`a_x` and `b_x`), and the
    /// weights of the upper ones (`w_x`), which have eight bits.
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

    /// Returns the texel at the given addresses.
    fn texel_at(&self, addresses: &[String]) -> String {
        let mut addresses = addresses.to_vec();
        addresses.resize(3, "0".into());
        format!("{}_texel({}, layer, level, reference)", self.pair.prefix(), addresses.join(", "))
    }

    /// Sections 7.18.7 and 7.18.8: filters one level.
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
        // Integer textures only support gathers.
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

    /// Sections 7.18.10 and 7.18.11: filters between levels.
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

    /// Section 7.18.11: derives the level from the derivatives of the coordinates. The level is at most 0 if
    /// the derivatives are zero.
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

    /// Returns the call that performs an operation.
    pub(super) fn call(&self, operation: &SamplingOperation) -> String {
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

    /// Section 22.4.2: gathers the four texels of the first level that a linear filter would read,
    /// counter-clockwise from the lower left one.
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
