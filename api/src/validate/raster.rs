//! Validation of viewports and scissor rectangles before they are set.

use onze_ddi::{Rect, Viewport};

/// Maximum number of viewports, and also of scissor rectangles (D3D11:
/// `D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE`).
pub(crate) const VIEWPORT_SLOTS: usize = 16;
/// Bounds of viewports, in pixels (D3D11: `D3D11_VIEWPORT_BOUNDS_MIN` and `D3D11_VIEWPORT_BOUNDS_MAX`).
const BOUNDS: std::ops::RangeInclusive<f32> = -32768.0..=32767.0;

/// Checks the viewports of a call, because one invalid viewport makes the whole call invalid.
pub(crate) fn viewports(viewports: &[Viewport]) -> Result<(), String> {
    if viewports.len() > VIEWPORT_SLOTS {
        return Err(format!("{} viewports; there are at most {VIEWPORT_SLOTS}", viewports.len()));
    }
    for (i, v) in viewports.iter().enumerate() {
        // NaN fails all of these comparisons, so it is refused as well.
        let sizes = v.width >= 0.0 && v.height >= 0.0;
        let within = |start: f32, size: f32| BOUNDS.contains(&start) && BOUNDS.contains(&(start + size));
        let bounds = within(v.top_left_x, v.width) && within(v.top_left_y, v.height);
        let depth = 0.0 <= v.min_depth && v.min_depth <= v.max_depth && v.max_depth <= 1.0;
        if !(sizes && bounds && depth) {
            let rule = if !sizes {
                "width and height must be at least 0"
            } else if !bounds {
                "its edges must be within -32768 to 32767 pixels"
            } else {
                "its depths must satisfy 0 <= min_depth <= max_depth <= 1"
            };
            let Viewport { top_left_x: x, top_left_y: y, width, height, min_depth, max_depth } = v;
            return Err(format!(
                "viewport {i} is {width} x {height} pixels at ({x}, {y}), with depths from {min_depth} to {max_depth}; \
                 {rule}"
            ));
        }
    }
    Ok(())
}

/// Checks scissor rectangles, whose number alone is limited.
pub(crate) fn scissor_rects(rects: &[Rect]) -> Result<(), String> {
    match rects.len() {
        0..=VIEWPORT_SLOTS => Ok(()),
        more => Err(format!("{more} rectangles; there are at most {VIEWPORT_SLOTS}")),
    }
}
