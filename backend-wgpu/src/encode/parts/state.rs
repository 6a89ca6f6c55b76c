//! The bound state, as the commands of the page set it, with resolved objects. Setters write here and mark
//! the changes, and a draw or a dispatch reads the marks.

use onze_ddi::{PrimitiveTopology, Rect, Viewport};

use crate::{
    encode::parts::{
        pulled::GeometrySetting,
        ranges::{IndexSlot, TARGETS, VERTEX_SLOTS, VertexSlot},
        streams::StreamTargets,
    },
    objects::{
        shader::Shader,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState},
        view::View,
    },
};

#[derive(Clone, Debug)]
pub(crate) struct DrawState<'r> {
    pub(crate) layout: Option<&'r ElementLayout>,
    pub(crate) vertex: [VertexSlot<'r>; VERTEX_SLOTS],
    pub(crate) index: IndexSlot<'r>,
    pub(crate) topology: PrimitiveTopology,
    /// How the last draw with a geometry shader was executed.
    pub(crate) geometry: Option<GeometrySetting>,
    pub(crate) rasterizer: Option<&'r RasterizerState>,
    pub(crate) blend: Option<&'r BlendState>,
    pub(crate) blend_factor: [f32; 4],
    pub(crate) sample_mask: u32,
    pub(crate) depth_stencil: Option<&'r DepthStencilState>,
    pub(crate) stencil_ref: u8,
    /// The viewports. Only geometry shaders can select others than the first.
    pub(crate) viewports: &'r [Viewport],
    /// The scissor rectangle of each viewport.
    pub(crate) scissors: &'r [Rect],
    pub(crate) color_targets: [Option<&'r View>; TARGETS],
    pub(crate) depth_target: Option<&'r View>,
    /// The geometry shader is the driver's own, because the vertex shader needs one.
    pub(crate) passes_through: bool,
    /// The shader whose streams draws write to buffers. A geometry shader is also bound to its stage.
    pub(crate) stream_shader: Option<&'r Shader>,
    pub(crate) stream_targets: StreamTargets<'r>,
    pub(crate) pipeline_dirty: bool,
    /// A part of the pipeline key other than shaders and state objects has changed.
    pub(crate) setting_dirty: bool,
    /// Vertex buffers, or the elements that are read from them, have changed.
    pub(crate) vertex_dirty: bool,
    /// The vertex shader of the next draw pulls its elements, even if wgpu could fetch them.
    pub(crate) pulls_vertices: bool,
    /// The pipeline depends on the vertex slots that share a wgpu buffer.
    pub(crate) pull_follows_buffers: bool,
    pub(crate) targets_dirty: bool,
    /// The viewport, the scissor, its enable state or the size of the targets has changed.
    pub(crate) area_dirty: bool,
}

impl Default for DrawState<'_> {
    /// Returns Direct3D 11's default state, with everything marked as changed.
    fn default() -> Self {
        Self {
            layout: None,
            vertex: Default::default(),
            index: IndexSlot::default(),
            topology: PrimitiveTopology::Undefined,
            geometry: None,
            rasterizer: None,
            blend: None,
            blend_factor: [1.0; 4],
            sample_mask: u32::MAX,
            depth_stencil: None,
            stencil_ref: 0,
            viewports: &[],
            scissors: &[],
            color_targets: [None; TARGETS],
            depth_target: None,
            passes_through: false,
            stream_shader: None,
            stream_targets: Default::default(),
            pipeline_dirty: true,
            setting_dirty: true,
            vertex_dirty: true,
            pulls_vertices: false,
            pull_follows_buffers: false,
            targets_dirty: true,
            area_dirty: true,
        }
    }
}

impl<'r> DrawState<'r> {
    /// Marks a change of the pipeline key other than shaders and state objects.
    pub(crate) fn dirty_setting(&mut self) {
        self.pipeline_dirty = true;
        self.setting_dirty = true;
    }

    /// Marks everything that the next draw resolves as changed, except the targets.
    pub(crate) fn dirty_all(&mut self) {
        self.dirty_setting();
        self.vertex_dirty = true;
        self.area_dirty = true;
    }

    /// Returns whether each draw gets indices of its own, because the adjacent vertices are removed.
    pub(crate) const fn draws_have_own_indices(&self) -> bool {
        self.topology.has_adjacency()
    }

    pub(crate) fn set_vertex_buffer(&mut self, slot: u8, new: VertexSlot<'r>) {
        if let Some(old) = self.vertex.get_mut(usize::from(slot)) {
            // The pipeline depends on whether a slot is empty, because it then reads one vertex repeatedly,
            // and on whether the slot's vertices are pulled.
            if old.key_stride() != new.key_stride()
                || old.is_aligned() != new.is_aligned()
                || self.pull_follows_buffers
            {
                (self.pipeline_dirty, self.setting_dirty) = (true, true);
            }
            self.vertex_dirty = true;
            *old = new;
        }
    }

    pub(crate) fn set_index_buffer(&mut self, new: IndexSlot<'r>) {
        // The pipeline key of strips contains the width, because strips restart at an index whose bits are all
        // ones.
        if self.index.wide != new.wide {
            self.dirty_setting();
        }
        self.index = new;
    }

    pub(crate) fn set_targets(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) {
        self.color_targets = color;
        self.depth_target = depth;
        self.targets_dirty = true;
    }
}
