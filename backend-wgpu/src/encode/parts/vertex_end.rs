//! The numbers that change the results of the vertex stage, and their bind group.

use std::num::NonZeroU64;

/// A transformation of positions in clip space, from a viewport that wgpu refuses to one that it accepts:
/// `x * x_scale + w * x_offset`, and the same for `y`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct ClipTransform {
    pub(crate) x_scale: f32,
    pub(crate) x_offset: f32,
    pub(crate) y_scale: f32,
    pub(crate) y_offset: f32,
}

impl ClipTransform {
    const fn words(&self) -> [u32; 4] {
        [self.x_scale.to_bits(), self.x_offset.to_bits(), self.y_scale.to_bits(), self.y_offset.to_bits()]
    }
}

/// The primitives of a geometry shader that a draw of wgpu keeps, because they select its slice of the targets
/// and its viewport.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrimitiveSelection {
    pub(crate) slice: u32,
    /// Number of slices. Primitives that select none of them are drawn to the first slice.
    pub(crate) slices: u32,
    pub(crate) viewport: u32,
}

impl PrimitiveSelection {
    const fn words(self) -> [u32; 4] {
        [self.slice, self.slices, self.viewport, 0]
    }
}

/// Which numbers a pipeline has.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct VertexEnd {
    /// Positions are transformed ([`ClipTransform`]).
    pub(crate) is_fitted: bool,
    /// Primitives are selected ([`PrimitiveSelection`]).
    pub(crate) selects: bool,
}

impl VertexEnd {
    /// Returns whether a pipeline needs the bind group.
    pub(crate) const fn has_group(self) -> bool {
        self.is_fitted || self.selects
    }

    /// Returns the bindings of the numbers.
    fn bindings(self) -> impl Iterator<Item = u32> {
        [(0, self.is_fitted), (1, self.selects)]
            .into_iter()
            .filter(|(_, is_bound)| *is_bound)
            .map(|(at, _)| at)
    }

    /// Creates the layout of the bind group. wgpu merges equal layouts, so it may be created repeatedly.
    pub(crate) fn group_layout(self, device: &wgpu::Device) -> wgpu::BindGroupLayout {
        let entry = |binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: NonZeroU64::new(size_of::<[u32; 4]>() as u64),
            },
            count: None,
        };
        let entries: Vec<_> = self.bindings().map(entry).collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("end of the vertex stage"),
            entries: &entries,
        })
    }
}

/// The numbers of the next draws.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct VertexEndNumbers {
    pub(crate) fit: Option<ClipTransform>,
    pub(crate) selection: Option<PrimitiveSelection>,
}

impl VertexEndNumbers {
    pub(crate) const fn end(&self) -> VertexEnd {
        VertexEnd { is_fitted: self.fit.is_some(), selects: self.selection.is_some() }
    }

    /// Creates the bind group. `buffer` creates a uniform buffer.
    pub(crate) fn group(
        &self,
        device: &wgpu::Device,
        buffer: impl Fn(&[u32; 4]) -> wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let words =
            [self.fit.as_ref().map(ClipTransform::words), self.selection.map(PrimitiveSelection::words)];
        let buffers: Vec<_> = words.iter().flatten().map(buffer).collect();
        let entries = self.end().bindings().zip(&buffers);
        let entries: Vec<_> = entries
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("end of the vertex stage"),
            layout: &self.end().group_layout(device),
            entries: &entries,
        })
    }
}
