//! Clears: each one waits until a pass begins with its view, or until another command uses the texture.

use onze_ddi::ClearFlags;

use crate::{
    encode::{
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        parts::{
            accesses::{AccessKind, AccessRange},
            clears::{PendingClear, can_load, is_exact, operations},
        },
    },
    objects::view::View,
};

impl<'r> Encoder<'r> {
    pub(super) fn clear_render_target(&mut self, view: &'r View, color: [f32; 4]) {
        let color = clear_color(view.format, shown(view.hidden, color));
        self.clear(PendingClear { view, color: Some(color), depth: None, stencil: None });
    }

    pub(super) fn clear_depth_stencil(&mut self, view: &'r View, flags: u8, depth: f32, stencil: u8) {
        let flags = ClearFlags::from_bits_truncate(flags.into());
        let depth = (flags.contains(ClearFlags::DEPTH) && view.format.has_depth_aspect())
            .then(|| if depth.is_nan() { 0.0 } else { depth.clamp(0.0, 1.0) });
        let stencil =
            (flags.contains(ClearFlags::STENCIL) && view.format.has_stencil_aspect()).then(|| stencil.into());
        if depth.is_some() || stencil.is_some() {
            self.clear(PendingClear { view, color: None, depth, stencil });
        }
    }

    fn clear(&mut self, mut new: PendingClear<'r>) {
        let part = AccessRange::seen(new.view);
        if self.pass.is_render() && self.targets.conflicts(&part, AccessKind::Write) {
            self.end_pass();
        }
        if let Some(old) = self.clears.take_exact(new.view) {
            new = PendingClear {
                view: new.view,
                color: new.color.or(old.color),
                depth: new.depth.or(old.depth),
                stencil: new.stencil.or(old.stencil),
            };
        }
        self.flush_clears(&part);
        if new.view.attachments().len() == 1 {
            self.clears.add(new);
            // A shader may read the view, so the next draw and the next dispatch must check their resources.
            self.bindings.change_resources();
        } else {
            // The load operation of a pass would clear only the first slice.
            self.clear_now(&new);
        }
    }

    /// Executes the pending clears that overlap a range of a texture, each in its own passes.
    pub(super) fn flush_clears(&mut self, part: &AccessRange) {
        while let Some(clear) = self.clears.take(|clear| AccessRange::seen(clear.view).overlaps(part)) {
            self.clear_now(&clear);
        }
    }

    /// Executes all pending clears, each in its own passes.
    pub(super) fn flush_all_clears(&mut self) {
        while let Some(clear) = self.clears.take(|_| true) {
            self.clear_now(&clear);
        }
    }

    /// Executes the pending clears that overlap `view` but cannot be load operations of the pass that begins
    /// next.
    pub(super) fn flush_clears_beside(&mut self, view: &View) {
        if self.clears.is_empty() {
            return;
        }
        let part = AccessRange::seen(view);
        let hits = |clear: &PendingClear<'_>| {
            AccessRange::seen(clear.view).overlaps(&part)
                && !(is_exact(clear.view, view) && can_load(clear, view))
        };
        while let Some(clear) = self.clears.take(hits) {
            self.clear_now(&clear);
        }
    }

    /// Encodes passes that do nothing but clear, one for each slice of the view.
    fn clear_now(&mut self, clear: &PendingClear<'r>) {
        self.end_pass();
        self.adds_write(AccessRange::seen(clear.view));
        self.clears_members(clear);
        self.events.leave_encoder(&mut self.encoder);
        self.used = true;
        for (view, depth_slice) in clear.view.attachments() {
            self.stats.passes += 1;
            let color = clear.color.map(|color| wgpu::RenderPassColorAttachment {
                view,
                depth_slice,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(color), store: wgpu::StoreOp::Store },
            });
            let depth_stencil = clear.color.is_none().then(|| wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops: clear.view.format.has_depth_aspect().then(|| operations(clear.depth)),
                stencil_ops: clear.view.format.has_stencil_aspect().then(|| operations(clear.stencil)),
            });
            drop(self.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("clear"),
                color_attachments: if color.is_some() { std::slice::from_ref(&color) } else { &[] },
                depth_stencil_attachment: depth_stencil,
                ..wgpu::RenderPassDescriptor::default()
            }));
        }
    }
}

/// Replaces components that the format lacks by the values that shaders read: 0 for colour and 1 for alpha.
fn shown(hidden: wgpu::ColorWrites, [r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let [r, g, b] = if hidden.contains(wgpu::ColorWrites::COLOR) { [0.0; 3] } else { [r, g, b] };
    [r, g, b, if hidden.contains(wgpu::ColorWrites::ALPHA) { 1.0 } else { a }]
}

/// Converts a colour for wgpu, according to the functional specification where adapters differ.
///
/// Values for integer formats are truncated to whole numbers and clamped to the format's range. Values for
/// normalised formats are clamped, and NaN becomes 0 (3.2.3). Floats with fewer bits are rounded towards zero
/// (3.2.2).
fn clear_color(format: wgpu::TextureFormat, color: [f32; 4]) -> wgpu::Color {
    use wgpu::TextureFormat as T;

    let bits = format.block_copy_size(None).unwrap_or(4) * 8 / u32::from(format.components()).max(1);
    let (least, most) = match format.sample_type(None, None) {
        Some(wgpu::TextureSampleType::Uint) => (0.0, 2f64.powi(bits as i32) - 1.0),
        Some(wgpu::TextureSampleType::Sint) => {
            (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1) - 1.0)
        }
        _ => {
            let [r, g, b, a] = color;
            let [r, g, b, a] = match format {
                T::R16Float | T::Rg16Float | T::Rgba16Float => color.map(|value| rounded(value, 10)),
                T::Rg11b10Ufloat => [unsigned(r, 6), unsigned(g, 6), unsigned(b, 5), a],
                T::R32Float | T::Rg32Float | T::Rgba32Float => color,
                _ => {
                    let least = if is_snorm(format) { -1.0 } else { 0.0 };
                    color.map(|value| if value.is_nan() { 0.0 } else { value.clamp(least, 1.0) })
                }
            };
            return wgpu::Color { r: r.into(), g: g.into(), b: b.into(), a: a.into() };
        }
    };
    let whole = |n: f32, most: f64| if n.is_nan() { 0.0 } else { f64::from(n).trunc().clamp(least, most) };
    let [r, g, b, a] = color;
    if format == wgpu::TextureFormat::Rgb10a2Uint {
        let color =
            wgpu::Color { r: whole(r, 1023.0), g: whole(g, 1023.0), b: whole(b, 1023.0), a: whole(a, 3.0) };
        return color;
    }
    wgpu::Color { r: whole(r, most), g: whole(g, most), b: whole(b, most), a: whole(a, most) }
}

const fn is_snorm(format: wgpu::TextureFormat) -> bool {
    use wgpu::TextureFormat as T;

    matches!(format, T::R8Snorm | T::Rg8Snorm | T::Rgba8Snorm | T::R16Snorm | T::Rg16Snorm | T::Rgba16Snorm)
}

/// Rounds a float towards zero to 5 exponent bits and `mantissa` mantissa bits. Infinity and NaN stay
/// unchanged, and other values become at most the largest finite number.
fn rounded(value: f32, mantissa: i32) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let largest = (2.0 - (-f64::from(mantissa)).exp2()) * 32768.0;
    // Subnormal numbers have the same step as numbers with the smallest exponent.
    let exponent = (value.to_bits() >> 23 & 0xff).cast_signed() - 127;
    let step = f64::from(exponent.max(-14) - mantissa).exp2();
    let exact = (f64::from(value.abs()) / step).trunc() * step;
    (exact.min(largest) as f32).copysign(value)
}

/// Rounds a float to a format without a sign, in which negative numbers, including negative infinity, become
/// 0.
fn unsigned(value: f32, mantissa: i32) -> f32 {
    if value < 0.0 { 0.0 } else { rounded(value, mantissa) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_clears_are_truncated_and_clamped() {
        let color = |format, color| {
            let c = clear_color(format, color);
            [c.r, c.g, c.b, c.a]
        };
        use wgpu::TextureFormat as T;
        assert_eq!(color(T::Rgba8Uint, [1.9, -3.0, 300.0, f32::NAN]), [1.0, 0.0, 255.0, 0.0]);
        assert_eq!(color(T::Rgba8Sint, [-1.9, -200.0, 200.0, 0.0]), [-1.0, -128.0, 127.0, 0.0]);
        assert_eq!(color(T::R32Uint, [5e9, 0.0, 0.0, 0.0])[0], 4_294_967_295.0);
        assert_eq!(color(T::Rgb10a2Uint, [2000.0, 1.0, 2.0, 9.0]), [1023.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn clear_values_are_converted_to_the_format() {
        use wgpu::TextureFormat as T;
        const INF: f32 = f32::INFINITY;
        let rows = [
            (T::Rgba8Unorm, [0.25, f32::NAN, 2.0, -1.0], [0.25, 0.0, 1.0, 0.0]),
            (T::Rgba8UnormSrgb, [INF, -INF, -f32::NAN, 1e-40], [1.0, 0.0, 0.0, f64::from(1e-40_f32)]),
            (T::Rgba16Snorm, [f32::NAN, -INF, INF, -0.5], [0.0, -1.0, 1.0, -0.5]),
            (T::R8Snorm, [-f32::NAN, -1.5, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]),
            // Rounding is towards zero for both signs, and also below the smallest exponent.
            (
                T::Rgba16Float,
                [1.0 + 1.5 / 1024.0, -1.0 - 1.5 / 1024.0, 1e6, -1e6],
                [1.0 + 1.0 / 1024.0, -1.0 - 1.0 / 1024.0, 65504.0, -65504.0],
            ),
            (
                T::Rgba16Float,
                [INF, -INF, 8.9e-8, 5e-8],
                [f64::INFINITY, f64::NEG_INFINITY, 2_f64.powi(-24), 0.0],
            ),
            (T::Rg11b10Ufloat, [-1.0, 1e9, 1.0 + 1.9 / 32.0, 0.0], [0.0, 65024.0, 1.0 + 1.0 / 32.0, 0.0]),
            (T::Rg11b10Ufloat, [-INF, INF, -0.0, 0.0], [0.0, f64::INFINITY, 0.0, 0.0]),
            (
                T::Rgba32Float,
                [1e-40, -INF, 1e38, -0.0],
                [f64::from(1e-40_f32), f64::NEG_INFINITY, f64::from(1e38_f32), 0.0],
            ),
        ];
        for (format, given, expected) in rows {
            let c = clear_color(format, given);
            assert_eq!([c.r, c.g, c.b, c.a], expected, "{format:?}: {given:?}");
        }
        for format in [T::R16Float, T::Rg11b10Ufloat, T::R32Float] {
            assert!(clear_color(format, [f32::NAN; 4]).r.is_nan(), "{format:?}");
        }
    }
}
