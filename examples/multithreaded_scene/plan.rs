//! The ordered draws of each pass, and their distribution over recording threads.

use std::ops::Range;

use glam::Vec3;

use crate::scene::camera::{self, View};
use crate::scene::{Object, Scene};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Renders the scene's depth as seen from the sun into the shadow map, which the other passes read.
    Shadow,
    /// Renders the scene mirrored at the water's surface, limited by the stencil test to the water's pixels.
    Mirror,
    Main,
}

impl Pass {
    pub(crate) const ALL: [Self; 3] = [Self::Shadow, Self::Mirror, Self::Main];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow map",
            Self::Mirror => "mirrored scene",
            Self::Main => "scene",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sets the stencil where the water is visible, so that the mirrored pass draws only there.
    MarkWater,
    Water,
    /// Fills the pixels where nothing was drawn, because drawing the sky last avoids shading it behind
    /// objects.
    Sky,
    Object(usize),
}

/// A frame: its views, and the ordered draw calls of each pass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    pub(crate) time: f32,
    pub(crate) views: [View; 3],
    pub(crate) steps: [Vec<Step>; 3],
}

impl Frame {
    /// Plans the frame with the given number, where `aspect` is the picture's width divided by its height.
    pub(crate) fn plan(scene: &Scene, number: u32, aspect: f32) -> Self {
        let time = camera::time(number);
        let view = camera::camera(time, aspect);
        let blended = blended_back_to_front(scene, time, view.eye);
        let solid = || {
            let objects = scene.objects.iter().enumerate();
            objects.filter(|(_, object)| !scene.is_blended(object))
        };
        let step = |(index, _): (usize, &Object)| Step::Object(index);
        let upright = |(_, object): &(usize, &Object)| !object.is_ground;
        let mut mirror = vec![Step::MarkWater];
        mirror.extend(solid().filter(upright).map(step));
        mirror.push(Step::Sky);
        mirror.extend(&blended);
        let mut main = vec![Step::Water];
        main.extend(solid().map(step));
        main.push(Step::Sky);
        main.extend(&blended);
        Self {
            time,
            views: [camera::sun(scene.shadow_radius), camera::mirrored(&view), view],
            steps: [solid().filter(upright).map(step).collect(), mirror, main],
        }
    }

    pub(crate) fn view(&self, pass: Pass) -> &View {
        &self.views[pass as usize]
    }

    pub(crate) fn steps(&self, pass: Pass) -> &[Step] {
        &self.steps[pass as usize]
    }

    pub(crate) fn draws(&self) -> u64 {
        self.steps.iter().map(|steps| steps.len() as u64).sum()
    }
}

/// Returns the blended objects from the farthest to the nearest, with equally distant objects in the scene's
/// order so that all modes draw the same picture.
fn blended_back_to_front(scene: &Scene, time: f32, eye: Vec3) -> Vec<Step> {
    let mut blended: Vec<_> = scene
        .objects
        .iter()
        .enumerate()
        .filter(|(_, object)| scene.is_blended(object))
        .map(|(index, object)| {
            let distance = object.world(time).w_axis.truncate().distance_squared(eye);
            (distance, Step::Object(index))
        })
        .collect();
    blended.sort_by(|a, b| b.0.total_cmp(&a.0));
    blended.into_iter().map(|(_, step)| step).collect()
}

/// Splits `count` draw calls into at most `parts` consecutive ranges whose sizes differ by at most one.
/// Returns at least one range, which may be empty, because a pass without draw calls still clears.
pub(crate) fn split(count: usize, parts: usize) -> Vec<Range<usize>> {
    let parts = parts.clamp(1, count.max(1));
    (0..parts).map(|part| part * count / parts..(part + 1) * count / parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_everything_once_in_order() {
        for count in [0, 1, 2, 7, 100, 4103] {
            for parts in [1, 2, 3, 8, 200] {
                let ranges = split(count, parts);
                let joined: Vec<_> = ranges.iter().cloned().flatten().collect();
                assert_eq!(joined, (0..count).collect::<Vec<_>>());
                assert!(!ranges.is_empty() && ranges.len() <= parts);
                let longest = ranges.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
                assert!(ranges.iter().all(|range| range.len() + 1 >= longest));
            }
        }
    }

    #[test]
    fn passes_draw_what_they_should() {
        let scene = Scene::new(300, &[]);
        let frame = Frame::plan(&scene, 3, 1.5);
        let blended = scene.objects.iter().filter(|object| scene.is_blended(object)).count();
        let ground = scene.objects.iter().filter(|object| object.is_ground).count();
        assert!(blended > 0 && ground == 1);
        let all = scene.objects.len();
        assert_eq!(frame.steps(Pass::Shadow).len(), all - 1 - blended);
        assert_eq!(frame.steps(Pass::Mirror).len(), all + 1);
        assert_eq!(frame.steps(Pass::Main).len(), all + 2);
        assert_eq!(frame.steps(Pass::Mirror)[0], Step::MarkWater);
        assert_eq!(frame.steps(Pass::Main)[0], Step::Water);
        let sky = frame.steps(Pass::Main).iter().position(|step| *step == Step::Sky);
        assert_eq!(sky, Some(all + 1 - blended));
        assert_eq!(frame.draws(), (3 * all + 2 - blended) as u64);
    }

    #[test]
    fn blended_objects_come_from_back_to_front() {
        let scene = Scene::new(2000, &[]);
        let frame = Frame::plan(&scene, 0, 1.5);
        let eye = frame.view(Pass::Main).eye;
        let distances: Vec<_> = blended_back_to_front(&scene, frame.time, eye)
            .iter()
            .filter_map(|step| match step {
                Step::Object(index) => Some(scene.objects[*index].world(0.0).w_axis.truncate().distance(eye)),
                _ => None,
            })
            .collect();
        assert!(distances.len() > 10 && distances.is_sorted_by(|a, b| a >= b));
    }
}
