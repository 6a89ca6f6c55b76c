//! Patterns: the index buffers of draws whose geometry shader appends triangle strips without cuts.
//!
//! The expanded vertices of a strip are shared by its triangles. A pattern has the indices of many strips, so draws with the
//! same number of triangles in a strip use the same one.

use wgpu::util::DeviceExt;

use crate::{
    encode::{encoder::Encoder, parts::expanded_draws::Pattern},
    objects::shader::{Expansion, ExpansionForm},
};

/// Maximum number of indices of a pattern, which take 1 MiB.
const MOST_PATTERN_INDICES: u32 = 1 << 18;

/// Minimum number of invocations in a pattern, unless the maximum is smaller.
const MIN_PATTERN_INVOCATIONS: u32 = 64;

/// Maximum number of patterns that a thread keeps.
const MOST_PATTERNS: usize = 16;

/// Returns the number of indices of one invocation in a pattern.
pub(super) const fn pattern_indices(expansion: &Expansion) -> u32 {
    3 * expansion.primitives
}

/// Returns the maximum number of invocations in a pattern.
pub(super) const fn most_pattern_invocations(expansion: &Expansion) -> u32 {
    let most = MOST_PATTERN_INDICES / pattern_indices(expansion);
    if most == 0 { 1 } else { most }
}

/// Returns the indices of a pattern: the triangles of one strip for each invocation.
fn pattern(expansion: &Expansion, invocations: u32) -> Vec<u32> {
    let strip = |invocation: u32| {
        let first = invocation * expansion.invocation_vertices();
        (0..expansion.primitives).flat_map(move |triangle| {
            let at = first + triangle;
            if triangle % 2 == 0 { [at, at + 1, at + 2] } else { [at, at + 2, at + 1] }
        })
    };
    (0..invocations).flat_map(strip).collect()
}

impl Encoder<'_> {
    /// Returns the index buffer of a pattern of at least `invocations`, or as many as a pattern can have.
    pub(super) fn pattern(&mut self, expansion: &Expansion, invocations: u32) -> wgpu::Buffer {
        let most = most_pattern_invocations(expansion);
        let needed = invocations.min(most);
        let is_enough =
            |known: &Pattern| known.primitives == expansion.primitives && known.invocations >= needed;
        if let Some(known) = self.caches.patterns.iter().find(|known| is_enough(known)) {
            return known.indices.clone();
        }
        let invocations = needed.next_power_of_two().clamp(MIN_PATTERN_INVOCATIONS.min(most), most);
        let indices = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("pattern"),
            contents: bytemuck::cast_slice(&pattern(expansion, invocations)),
            usage: wgpu::BufferUsages::INDEX,
        });
        let patterns = &mut self.caches.patterns;
        patterns.retain(|known| known.primitives != expansion.primitives);
        if patterns.len() >= MOST_PATTERNS {
            patterns.remove(0);
        }
        let primitives = expansion.primitives;
        patterns.push(Pattern { primitives, invocations, indices: indices.clone() });
        indices
    }

    /// Returns the number of primitives that a draw with the bound index buffer can have.
    pub(super) fn most_primitives(&self, expansion: &Expansion) -> u32 {
        let known = self.caches.patterns.iter().find(|known| known.primitives == expansion.primitives);
        let is_complete = |known: &Pattern| known.invocations == most_pattern_invocations(expansion);
        match (expansion.form, known) {
            (ExpansionForm::Pattern, Some(known)) if !is_complete(known) => {
                known.invocations / expansion.instances
            }
            (ExpansionForm::Pattern, None) => 0,
            _ => u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_repeats_the_triangles_of_a_strip() {
        let expansion = Expansion {
            form: ExpansionForm::Pattern,
            corners: 3,
            primitives: 3,
            instances: 1,
            is_stored: false,
        };
        let indices = pattern(&expansion, 3);
        assert_eq!(indices[..12], [0, 1, 2, 1, 3, 2, 2, 3, 4, 5, 6, 7]);
        assert_eq!(indices.len(), 27);
        let large = Expansion { primitives: 1022, ..expansion };
        assert_eq!(most_pattern_invocations(&large), 85);
    }
}
