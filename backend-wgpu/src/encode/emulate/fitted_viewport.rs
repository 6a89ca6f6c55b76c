//! Viewports that exceed wgpu's limits.
//!
//! Direct3D 11's viewports reach from -32768 to 32767. wgpu's viewports are at most as wide and high as the
//! adapter's largest texture, and their edges are within twice that size. A larger viewport is replaced by
//! one around the pixels that the draw can reach, and the vertex shader transforms its positions so that they
//! reach the same pixels (`objects/shader/passes/fitted_viewport.rs`). The scissor rectangle already contains the
//! bounds of the original viewport.
//!
//! The origin of the replacement is whole, and its width and height are powers of two, unless the draw
//! reaches more pixels than the largest power of two within the limit. With powers of two, the scale and the
//! offset are exact for an original viewport of whole numbers. Positions then differ from those in the
//! original viewport only by the rounding of two multiplications and one addition, and Direct3D 11 rounds
//! more coarsely, to 1/256 pixel.

use onze_ddi::Viewport;

use crate::{
    encode::{emulate_hooks::ViewportFitting, encoder::Encoder, parts::vertex_end::ClipTransform},
    objects::shader::VERTEX_END_GROUP,
};

/// Maximum number of bind groups that a thread keeps, which is more than a draw to all slices needs.
const MOST_VERTEX_ENDS: usize = 256;

/// One axis of a viewport: its first pixel and its extent.
type ViewportAxis = (f32, f32);

/// Returns whether wgpu accepts an axis of a viewport if the largest texture has `most` texels per side.
fn is_within((first, extent): ViewportAxis, most: f32) -> bool {
    extent <= most && first >= -2.0 * most && first + extent <= 2.0 * most - 1.0
}

/// Returns the axis of a replacement that contains `count` pixels from `start` on.
fn replacement(start: u32, count: u32, most: u32) -> ViewportAxis {
    let power = 1 << most.max(1).ilog2();
    (start as f32, if count <= power { power } else { most } as f32)
}

/// Returns the scale and the offset that move positions from one axis to another, computed in 64 bits and
/// rounded once.
fn scale_and_offset(from: ViewportAxis, to: ViewportAxis) -> (f32, f32) {
    let [first, extent, to_first, to_extent] = [from.0, from.1, to.0, to.1].map(f64::from);
    let scale = extent / to_extent;
    let offset = (extent + 2.0 * (first - to_first)) / to_extent - 1.0;
    (scale as f32, offset as f32)
}

/// Returns the replacement of a viewport that wgpu refuses, and the transformation of positions. `scissor` is
/// the x, y, width and height of the pixels that the draw can reach.
fn fitted(viewport: &Viewport, scissor: [u32; 4], most: u32) -> Option<(Viewport, ClipTransform)> {
    let Viewport { top_left_x, top_left_y, width, height, .. } = *viewport;
    let (x_axis, y_axis) = ((top_left_x, width), (top_left_y, height));
    if is_within(x_axis, most as f32) && is_within(y_axis, most as f32) {
        return None;
    }
    let [x, y, columns, rows] = scissor;
    let (new_x, new_y) = (replacement(x, columns, most), replacement(y, rows, most));
    let (x_scale, x_offset) = scale_and_offset(x_axis, new_x);
    let (y_scale, y_offset) = scale_and_offset(y_axis, new_y);
    let by = ClipTransform { x_scale, x_offset, y_scale, y_offset: -y_offset };
    let new =
        Viewport { top_left_x: new_x.0, top_left_y: new_y.0, width: new_x.1, height: new_y.1, ..*viewport };
    Some((new, by))
}

impl<'r> ViewportFitting for Encoder<'r> {
    fn fit_viewport(&mut self, viewport: Viewport, scissor: [u32; 4]) -> Viewport {
        let found = fitted(&viewport, scissor, self.gpu.limits.max_texture_dimension_2d);
        if found.is_some() != self.vertex_end.fit.is_some() {
            self.state.dirty_setting();
        }
        self.vertex_end.fit = found.map(|(_, by)| by);
        found.map_or(viewport, |(viewport, _)| viewport)
    }

    fn bind_vertex_end(&mut self) {
        let numbers = self.vertex_end;
        if !numbers.end().has_group() {
            return;
        }
        let gpu = self.gpu;
        let known = self.caches.vertex_ends.iter().find(|(known, _)| *known == numbers);
        let group = match known {
            Some((_, group)) => group.clone(),
            None => {
                let group = numbers.group(&gpu.device, |words| self.parameters(words));
                if self.caches.vertex_ends.len() >= MOST_VERTEX_ENDS {
                    self.caches.vertex_ends.clear();
                }
                self.caches.vertex_ends.push((numbers, group.clone()));
                group
            }
        };
        if let Some(open) = self.pass.render() {
            open.pass().set_bind_group(VERTEX_END_GROUP as u32, &group, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const MOST: u32 = 16384;

    fn viewport(x: ViewportAxis, y: ViewportAxis) -> Viewport {
        Viewport { top_left_x: x.0, top_left_y: y.0, ..Viewport::sized(x.1, y.1) }
    }

    #[test]
    fn viewports_within_the_limits_are_not_replaced() {
        for axis in [(0.0, 16384.0), (-32768.0, 16384.0), (16383.0, 16384.0), (-0.5, 8.25), (3.0, 0.0)] {
            assert_eq!(fitted(&viewport(axis, axis), [0, 0, 8, 8], MOST), None, "{axis:?}");
        }
        for axis in [(0.0, 16384.5), (-32768.0, 65535.0), (16383.5, 16384.0), (0.0, 32767.0)] {
            assert!(fitted(&viewport(axis, (0.0, 8.0)), [0, 0, 8, 8], MOST).is_some(), "x {axis:?}");
            assert!(fitted(&viewport((0.0, 8.0), axis), [0, 0, 8, 8], MOST).is_some(), "y {axis:?}");
        }
    }

    /// Returns the pixel of a position in a viewport, as in Direct3D 11's functional specification, 15.6.
    fn pixel((x, y): (f64, f64), viewport: &Viewport) -> (f64, f64) {
        let axis = |at: f64, first: f32, extent: f32| (at + 1.0) * f64::from(extent) * 0.5 + f64::from(first);
        (axis(x, viewport.top_left_x, viewport.width), axis(-y, viewport.top_left_y, viewport.height))
    }

    #[test]
    fn fitted_positions_reach_the_same_pixels() {
        let axes = [(-32768.0, 65535.0), (0.0, 32767.0), (-20000.0, 40000.0), (-0.25, 20000.5), (7.0, 9.0)];
        for (x, y) in axes.into_iter().flat_map(|x| axes.map(|y| (x, y))) {
            let scissor = [3, 16000, 100, 384];
            let old = viewport(x, y);
            let Some((new, by)) = fitted(&old, scissor, MOST) else { continue };
            assert!(new.width <= MOST as f32 && new.height <= MOST as f32, "{new:?}");
            assert!(new.top_left_x <= 3.0 && new.top_left_x + new.width >= 103.0, "{new:?}");
            assert!(new.top_left_y <= 16000.0 && new.top_left_y + new.height >= 16384.0, "{new:?}");
            for (px, py) in [(3.0, 16000.0), (103.0, 16384.0), (50.5, 16200.25)] {
                let clip =
                    |at: f64, axis: ViewportAxis| (at - f64::from(axis.0)) * 2.0 / f64::from(axis.1) - 1.0;
                let (x, y) = (clip(px, x), -clip(py, y));
                let [x_scale, x_offset, y_scale, y_offset] =
                    [by.x_scale, by.x_offset, by.y_scale, by.y_offset].map(f64::from);
                let moved = pixel((x * x_scale + x_offset, y * y_scale + y_offset), &new);
                assert!((moved.0 - px).abs() < 1e-3 && (moved.1 - py).abs() < 1e-3, "{moved:?}, {old:?}");
            }
        }
    }

    #[test]
    fn a_maximum_need_not_be_a_power_of_two() {
        let (new, _) = fitted(&viewport((0.0, 20000.0), (0.0, 8.0)), [0, 0, 9000, 8], 10000).unwrap();
        assert_eq!((new.width, new.height), (10000.0, 8192.0));
    }
}
