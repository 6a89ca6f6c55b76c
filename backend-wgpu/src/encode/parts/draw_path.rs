//! The paths that a draw can take: by index, or with the primary layout for one of several reasons.

use crate::encode::parts::hash::SlabIndex;

/// The path of a draw, which also gives the reason if the draw is not made by index.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DrawPath {
    /// The draw uses the primary layout, because its constants do not change between draws or this is not
    /// known yet.
    #[default]
    Alone,
    ByIndex,
    Instanced,
    PerInstanceData,
    /// The pixel shader of the draw writes through views.
    Writes,
    Indirect,
    /// More constant-buffer slots change than an index has fields.
    TooManySlots,
    /// The shaders have no free location to pass the index to the pixel shader.
    NoLocation,
    /// No window contains the draw's constants as an element.
    NoWindow,
    /// The policy of the device switches draws by index off, or a pipeline was refused.
    SwitchedOff,
}

pub(crate) const WAYS: usize = DrawPath::SwitchedOff as usize + 1;

impl DrawPath {
    /// Returns a message for the debug layer about how the application can enable draws by index.
    pub(crate) const fn hint(self) -> Option<&'static str> {
        match self {
            Self::Alone | Self::ByIndex | Self::Instanced | Self::Indirect | Self::SwitchedOff => None,
            Self::PerInstanceData => Some(
                "draws that differ in their constants are not made by index, as they read a vertex buffer by instance",
            ),
            Self::Writes => Some(
                "draws that differ in their constants are not made by index, as the pixel shader writes through \
                 unordered-access views",
            ),
            Self::TooManySlots => Some(
                "draws that differ in their constants are not made by index, as more than three constant buffers change; \
                 put what changes together into fewer buffers",
            ),
            Self::NoLocation => Some(
                "draws that differ in their constants are not made by index, as the shaders use all registers between \
                 them; pack what the vertex shader gives",
            ),
            Self::NoWindow => Some(
                "draws that differ in their constants are not made by index, as a constant buffer is shorter than the \
                 shader's, or a large one has offsets that are no multiples of its size in the shader",
            ),
        }
    }
}

/// The path of the next draws, and whether the encoder observes them to learn which constants change.
#[derive(Debug, Default)]
pub(crate) struct PathChoice {
    path: DrawPath,
    /// The reason for keeping draws on the primary layout, if there is one.
    kept_alone: Option<DrawPath>,
    /// Draws with the primary layout are observed to detect which constants change.
    learns: bool,
    /// The layout of the previous draw, if that draw was observed.
    learned_from: Option<SlabIndex>,
}

impl PathChoice {
    #[inline]
    pub(crate) const fn current(&self) -> DrawPath {
        self.path
    }

    pub(crate) const fn set_path(&mut self, path: DrawPath) {
        self.path = path;
    }

    /// Returns the reason for keeping draws on the primary layout, if there is one.
    pub(crate) const fn kept_alone(&self) -> Option<DrawPath> {
        self.kept_alone
    }

    /// Keeps draws on the primary layout, and returns whether they were not kept there before.
    pub(crate) fn keep_alone(&mut self, reason: DrawPath) -> bool {
        self.path = reason;
        let is_new = self.kept_alone.is_none();
        self.kept_alone.get_or_insert(reason);
        is_new
    }

    /// Allows draws by index again, because other shaders are bound or a page begins.
    pub(crate) const fn release(&mut self) {
        self.kept_alone = None;
    }

    #[inline]
    pub(crate) const fn learns(&self) -> bool {
        self.learns
    }

    pub(crate) const fn set_learns(&mut self, learns: bool) {
        self.learns = learns;
    }

    /// Notes a draw that is observed, and returns whether the previous one was observed too and had the same
    /// layout.
    pub(crate) fn observe(&mut self, layout: Option<SlabIndex>) -> bool {
        std::mem::replace(&mut self.learned_from, layout) == layout
    }

    /// Notes that constants were bound again, so that the next draw does not follow an observed one.
    pub(crate) const fn forget_observed(&mut self) {
        self.learned_from = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::parts::hash::NO_INDEX;

    #[test]
    fn a_draw_follows_another_one_with_the_same_layout() {
        let mut path = PathChoice::default();
        assert!(!path.observe(Some(NO_INDEX)), "the first draw");
        assert!(path.observe(Some(NO_INDEX)));
        path.forget_observed();
        assert!(!path.observe(Some(NO_INDEX)), "constants were bound in between");
        assert!(!path.observe(None), "another layout");
    }
}
