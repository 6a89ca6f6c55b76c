//! Tests of the validation of viewports and scissor rectangles.

use onze_ddi::{Rect, Viewport};

use crate::validate::{scissor_rects, viewports};

#[test]
fn viewports_lie_between_minus_32768_and_32767() {
    let ok = [
        (0.0, 640.0),
        (-32768.0, 0.0),
        (-32768.0, 65535.0),
        (32767.0, 0.0),
        (0.0, 32767.0),
        (-1.0, 641.0),
        (0.25, 0.0),
    ];
    let bad = [
        (-32769.0, 10.0),
        (32768.0, 0.0),
        (0.0, 32768.0),
        (1.0, 32767.0),
        (0.0, -1.0),
        (f32::NAN, 1.0),
        (0.0, f32::NAN),
        (0.0, f32::INFINITY),
        (f32::NEG_INFINITY, 1.0),
        (f32::NEG_INFINITY, f32::INFINITY),
    ];
    for (rows, expected) in [(&ok[..], true), (&bad[..], false)] {
        for &(start, size) in rows {
            let good = Viewport::sized(16.0, 16.0);
            for bent in [
                Viewport { top_left_x: start, width: size, ..good },
                Viewport { top_left_y: start, height: size, ..good },
            ] {
                let result = viewports(&[good, bent]);
                assert_eq!(result.is_ok(), expected, "{bent:?}: {result:?}");
                if let Err(reason) = result {
                    assert!(reason.contains("viewport 1"), "{reason}");
                }
            }
        }
    }
}

#[test]
fn depth_ranges_are_within_0_to_1_and_not_inverted() {
    let values = [-0.1, 0.0, 0.4, 0.6, 1.0, 1.1, f32::NAN];
    for min_depth in values {
        for max_depth in values {
            let within = |d: f32| (0.0..=1.0).contains(&d);
            let expected = within(min_depth) && within(max_depth) && min_depth <= max_depth;
            let viewport = Viewport { min_depth, max_depth, ..Viewport::sized(8.0, 8.0) };
            assert_eq!(viewports(&[viewport]).is_ok(), expected, "{viewport:?}");
        }
    }
}

#[test]
fn there_are_at_most_16_viewports_and_scissor_rectangles() {
    for count in 0..20 {
        assert_eq!(viewports(&vec![Viewport::sized(1.0, 1.0); count]).is_ok(), count <= 16, "{count}");
        assert_eq!(scissor_rects(&vec![Rect::default(); count]).is_ok(), count <= 16, "{count}");
    }
}

#[test]
fn scissor_rectangles_may_be_negative_and_inverted() {
    let rect = Rect { left: 10, top: i32::MIN, right: -10, bottom: i32::MAX };
    assert_eq!(scissor_rects(&[rect]), Ok(()));
}
