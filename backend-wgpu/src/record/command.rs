//! Commands, the contents of a page. A command is a plain value of 16 bytes and usually records one call.
//!
//! A command refers to objects by their index in an object table ([`ObjectIndex`]). Arguments that do not fit
//! into 16 bytes are stored in one of the page's side arrays, and the command contains their index.

use std::fmt;

use onze_ddi::{Format, PrimitiveTopology, ShaderStage};

use super::page::Page;

/// Index into an object table, or [`NO_OBJECT`] for an empty slot.
pub(crate) type ObjectIndex = u16;

pub(crate) const NO_OBJECT: ObjectIndex = ObjectIndex::MAX;

/// Consecutive elements of a side array of a page.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SideRange {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl SideRange {
    /// Appends values to a side array, and returns their range.
    pub(crate) fn append<T: Copy>(all: &mut Vec<T>, values: &[T]) -> Self {
        let range = Self { first: all.len() as u32, count: values.len() as u32 };
        all.extend_from_slice(values);
        range
    }

    /// Returns the elements of the range, or none if the range is not within the array.
    pub(crate) fn of<T>(self, all: &[T]) -> &[T] {
        let first = self.first as usize;
        all.get(first..first + self.count as usize).unwrap_or_default()
    }
}

/// Defines [`Command`], an enum for each class of commands, and [`CommandClass`] from one list.
macro_rules! commands {
    ($(
        $(#[$class_doc:meta])*
        $class:ident($name:ident, $handle:ident) {
            $($(#[$doc:meta])* $variant:ident
                $({ $($field:ident: $field_type:ty),* $(,)? })? $(($value:ident: $value_type:ty))?,)*
        }
    )*) => {
        #[derive(Copy, Clone, Debug, PartialEq)]
        pub(crate) enum Command {
            $($($(#[$doc])* $variant $({ $($field: $field_type),* })? $(($value_type))?,)*)*
        }

        $(
            $(#[$class_doc])*
            #[derive(Copy, Clone, Debug, PartialEq)]
            #[allow(clippy::enum_variant_names, reason = "a command has the same name in both enums")]
            pub(crate) enum $name {
                $($(#[$doc])* $variant $({ $($field: $field_type),* })? $(($value_type))?,)*
            }
        )*

        /// Handles commands by their class.
        pub(crate) trait HandleCommand {
            $($(#[$class_doc])* fn $handle(&mut self, command: $name);)*
        }

        /// A command in its class. Functions that handle one class take the class's own enum.
        #[derive(Copy, Clone, Debug, PartialEq)]
        pub(crate) enum CommandClass {
            $($(#[$class_doc])* $class($name),)*
        }

        impl Command {
            /// Calls the method of the command's class. Where the method is inlined, each command has an arm of
            /// its own and its class is not matched again.
            #[inline(always)]
            pub(crate) fn handle(self, handler: &mut impl HandleCommand) {
                match self {
                    $($(Self::$variant $({ $($field),* })? $(($value))? => {
                        handler.$handle($name::$variant $({ $($field),* })? $(($value))?);
                    })*)*
                }
            }

            /// Returns the command in its class, so that a match needs no arms for other classes.
            #[inline(always)]
            pub(crate) const fn class(self) -> CommandClass {
                match self {
                    $($(Self::$variant $({ $($field),* })? $(($value))? => {
                        CommandClass::$class($name::$variant $({ $($field),* })? $(($value))?)
                    })*)*
                }
            }
        }
    };
}

commands! {
    /// The frequent binds, which change only what shaders read.
    Bind(BindCommand, bind) {
        Binds(binds: Binds),
        /// `size` is the number of bytes that the shader sees, clamped to the buffer, and `stages` has a bit for
        /// each stage that uses the slot; see [`stage_bit`].
        SetConstantBuffer {
            stages: u8,
            slot: u8,
            object: ObjectIndex,
            offset: u32,
            size: u32,
        },
        /// Binds a range of a buffer to a `t` slot, with the offset counted as for vertex buffers.
        SetResourceBuffer {
            stage: ShaderStage,
            slot: u8,
            format: ViewFormat,
            object: ObjectIndex,
            offset: u32,
            size: u32,
        },
    }
    /// All other state.
    State(StateCommand, state) {
        /// If `object` is a buffer, `offset` counts from the start of its wgpu buffer. If it is an import,
        /// `offset` counts from the start of the identity that the import resolves to. `size` is the number of
        /// bytes from the offset to the buffer's end.
        SetVertexBuffer {
            slot: u8,
            object: ObjectIndex,
            stride: u16,
            offset: u32,
            size: u32,
        },
        /// The indices have 32 bits if `wide` is set, and 16 bits otherwise.
        SetIndexBuffer {
            wide: bool,
            object: ObjectIndex,
            offset: u32,
            size: u32,
        },
        /// Binds a range of a buffer to a `u` slot, or empties the slot, with `counter` as the storage of the
        /// view's hidden counter, if it has one.
        SetUnorderedBuffer {
            stage: ShaderStage,
            slot: u8,
            format: ViewFormat,
            object: ObjectIndex,
            counter: ObjectIndex,
            offset: u32,
            size: u32,
        },
        SetUnorderedTexture {
            stage: ShaderStage,
            slot: u8,
            object: ObjectIndex,
        },
        SetBlendFactor(at: u32),
        /// All viewports, in `page.viewports`. Each call of the entry records 0 to 16 viewports.
        SetViewports(range: SideRange),
        /// All scissor rectangles, in `page.rects`.
        SetScissorRects(range: SideRange),
        SetTargets(at: u32),
        /// The buffers of stream output, in `page.stream_targets`.
        SetStreamTargets(at: u32),
    }
    /// Draws whose arguments are in the page. Bundles can contain them.
    Draw(DrawCommand, draw) {
        Draw {
            vertex_count: u32,
            start_vertex: u32,
        },
        /// Consecutive draws: `count` elements of `page.plain_draws`, starting at `first`.
        Draws {
            first: u32,
            count: u32,
        },
        DrawIndexed {
            index_count: u32,
            start_index: u32,
            base_vertex: i32,
        },
        /// Consecutive draws: `count` elements of `page.indexed_draws`, starting at `first`.
        DrawsIndexed {
            first: u32,
            count: u32,
        },
        /// One or more consecutive draws: `count` elements of `page.instanced_draws`, starting at `first`.
        DrawsInstanced {
            first: u32,
            count: u32,
        },
        /// One or more consecutive draws: `count` elements of `page.instanced_draws`, starting at `first`.
        DrawsIndexedInstanced {
            first: u32,
            count: u32,
        },
    }
    /// Everything that is executed at its place among the draws.
    Work(WorkCommand, work) {
        /// A draw whose arguments are in a buffer, with the offset counted as for vertex buffers.
        DrawIndirect {
            indexed: bool,
            object: ObjectIndex,
            offset: u32,
        },
        /// A draw of the vertices that stream output has written. `object` is the storage of the buffer's filled size,
        /// and `offset` and `stride` are those of its binding as a vertex buffer.
        DrawAuto {
            object: ObjectIndex,
            stride: u16,
            offset: u32,
        },
        Dispatch(groups: [u16; 3]),
        /// A dispatch whose arguments are in a buffer, with the offset counted as for vertex buffers.
        DispatchIndirect {
            object: ObjectIndex,
            offset: u32,
        },
        ClearRenderTarget {
            object: ObjectIndex,
            color: u32,
        },
        ClearDepthStencil {
            object: ObjectIndex,
            flags: u8,
            stencil: u8,
            depth: f32,
        },
        Copy(at: u32),
        GenerateMips(object: ObjectIndex),
        BeginQuery(at: u32),
        EndQuery(at: u32),
        BeginEvent(name: u32),
        EndEvent,
        SetMarker(name: u32),
        /// Compiles the pipeline that a draw would use, without drawing.
        PrepareDraw,
    }
}

impl Command {
    /// The bound objects that a wgpu bundle would reference: buffers, and views that shaders read.
    pub(crate) fn bundled(self) -> impl Iterator<Item = ObjectIndex> {
        let (buffer, binds) = match self.class() {
            CommandClass::Bind(
                BindCommand::SetConstantBuffer { object, .. } | BindCommand::SetResourceBuffer { object, .. },
            )
            | CommandClass::State(
                StateCommand::SetVertexBuffer { object, .. }
                | StateCommand::SetIndexBuffer { object, .. }
                | StateCommand::SetUnorderedBuffer { object, .. }
                | StateCommand::SetUnorderedTexture { object, .. },
            ) => (Some(object), None),
            CommandClass::Bind(BindCommand::Binds(binds)) => (None, Some(binds)),
            CommandClass::State(
                StateCommand::SetBlendFactor(_)
                | StateCommand::SetViewports(_)
                | StateCommand::SetScissorRects(_)
                | StateCommand::SetTargets(_)
                | StateCommand::SetStreamTargets(_),
            )
            | CommandClass::Draw(_)
            | CommandClass::Work(_) => (None, None),
        };
        let view = |bind: PackedBind| match bind.unpack() {
            Bind::ShaderResource { object, .. } => Some(object),
            Bind::InputLayout(_)
            | Bind::Topology(_)
            | Bind::Shader { .. }
            | Bind::Sampler { .. }
            | Bind::RasterizerState(_)
            | Bind::BlendState(_)
            | Bind::DepthStencilState { .. } => None,
        };
        let views = binds.into_iter().flat_map(|Binds { count, binds }| binds.into_iter().take(count.into()));
        buffer.into_iter().chain(views.filter_map(view))
    }

    /// Whether the command is a draw that wgpu's bundles can contain, which excludes indirect draws.
    pub(crate) const fn is_draw(self) -> bool {
        matches!(self.class(), CommandClass::Draw(_))
    }
}

impl WorkCommand {
    /// Returns whether predication skips the command. A copy is skipped unless the page lists it as unconditional.
    pub(crate) fn is_predicated(self, page: &Page) -> bool {
        match self {
            Self::Copy(at) => !page.unconditional.contains(&at),
            Self::DrawIndirect { .. }
            | Self::DrawAuto { .. }
            | Self::Dispatch(_)
            | Self::DispatchIndirect { .. }
            | Self::ClearRenderTarget { .. }
            | Self::ClearDepthStencil { .. }
            | Self::GenerateMips(_) => true,
            Self::BeginQuery(_)
            | Self::EndQuery(_)
            | Self::BeginEvent(_)
            | Self::EndEvent
            | Self::SetMarker(_)
            | Self::PrepareDraw => false,
        }
    }
}

/// A bind that is so small that three binds can be packed in one command; see [`PackedBind`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    /// The object is a [`crate::record::object_table::PageObject::ElementLayout`] that the input assembler
    /// uses.
    InputLayout(ObjectIndex),
    Topology(PrimitiveTopology),
    Shader {
        stage: ShaderStage,
        object: ObjectIndex,
    },
    ShaderResource {
        stage: ShaderStage,
        slot: u8,
        object: ObjectIndex,
    },
    Sampler {
        stage: ShaderStage,
        slot: u8,
        object: ObjectIndex,
    },
    RasterizerState(ObjectIndex),
    BlendState(ObjectIndex),
    DepthStencilState {
        stencil_ref: u8,
        object: ObjectIndex,
    },
}

#[derive(Copy, Clone)]
#[repr(u16)]
enum BindKind {
    InputLayout,
    Topology,
    Shader,
    ShaderResource,
    Sampler,
    RasterizerState,
    BlendState,
    DepthStencilState,
}

/// A [`Bind`] in four bytes. The upper two store the bind kind, the stage, and a slot or value; the lower two
/// store the object.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct PackedBind {
    what: u16,
    object: ObjectIndex,
}

impl PackedBind {
    const KIND: u32 = 12;
    const STAGE: u32 = 8;

    #[inline(always)]
    const fn new(kind: BindKind, stage: ShaderStage, value: u8, object: ObjectIndex) -> Self {
        Self { what: (kind as u16) << Self::KIND | (stage as u16) << Self::STAGE | value as u16, object }
    }

    #[inline]
    const fn stage(self) -> ShaderStage {
        match self.what >> Self::STAGE & 7 {
            0 => ShaderStage::Vertex,
            1 => ShaderStage::Hull,
            2 => ShaderStage::Domain,
            3 => ShaderStage::Geometry,
            4 => ShaderStage::Pixel,
            _ => ShaderStage::Compute,
        }
    }

    #[inline]
    pub(crate) const fn unpack(self) -> Bind {
        const INPUT_LAYOUT: u16 = BindKind::InputLayout as u16;
        const TOPOLOGY: u16 = BindKind::Topology as u16;
        const SHADER: u16 = BindKind::Shader as u16;
        const SHADER_RESOURCE: u16 = BindKind::ShaderResource as u16;
        const SAMPLER: u16 = BindKind::Sampler as u16;
        const RASTERIZER_STATE: u16 = BindKind::RasterizerState as u16;
        const BLEND_STATE: u16 = BindKind::BlendState as u16;
        let (object, value) = (self.object, self.what as u8);
        match self.what >> Self::KIND {
            INPUT_LAYOUT => Bind::InputLayout(object),
            TOPOLOGY => Bind::Topology(topology(value)),
            SHADER => Bind::Shader { stage: self.stage(), object },
            SHADER_RESOURCE => Bind::ShaderResource { stage: self.stage(), slot: value, object },
            SAMPLER => Bind::Sampler { stage: self.stage(), slot: value, object },
            RASTERIZER_STATE => Bind::RasterizerState(object),
            BLEND_STATE => Bind::BlendState(object),
            _ => Bind::DepthStencilState { stencil_ref: value, object },
        }
    }
}

impl From<Bind> for PackedBind {
    #[inline(always)]
    fn from(bind: Bind) -> Self {
        // Most bind kinds have no stage, so their stage bits are those of the vertex stage.
        let plain = |kind, value, object| Self::new(kind, ShaderStage::Vertex, value, object);
        match bind {
            Bind::InputLayout(object) => plain(BindKind::InputLayout, 0, object),
            Bind::Topology(topology) => plain(BindKind::Topology, topology as u8, NO_OBJECT),
            Bind::Shader { stage, object } => Self::new(BindKind::Shader, stage, 0, object),
            Bind::ShaderResource { stage, slot, object } => {
                Self::new(BindKind::ShaderResource, stage, slot, object)
            }
            Bind::Sampler { stage, slot, object } => Self::new(BindKind::Sampler, stage, slot, object),
            Bind::RasterizerState(object) => plain(BindKind::RasterizerState, 0, object),
            Bind::BlendState(object) => plain(BindKind::BlendState, 0, object),
            Bind::DepthStencilState { stencil_ref, object } => {
                plain(BindKind::DepthStencilState, stencil_ref, object)
            }
        }
    }
}

impl fmt::Debug for PackedBind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

const fn topology(number: u8) -> PrimitiveTopology {
    match PrimitiveTopology::from_u32(number as u32) {
        Some(topology) => topology,
        None => PrimitiveTopology::Undefined,
    }
}

/// Up to three [`Bind`]s in one command, in call order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binds {
    count: u8,
    /// Only the first `count` elements are valid, while the remaining elements repeat the first bind.
    binds: [PackedBind; 3],
}

impl Binds {
    #[inline]
    pub(crate) fn new(bind: Bind) -> Self {
        Self { count: 1, binds: [bind.into(); 3] }
    }

    /// Adds a bind, or returns false if the command is full.
    #[inline]
    pub(crate) fn add(&mut self, bind: Bind) -> bool {
        let Some(place) = self.binds.get_mut(usize::from(self.count)) else { return false };
        *place = bind.into();
        self.count += 1;
        true
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Bind> {
        self.binds.get(..self.count.into()).unwrap_or_default().iter().map(|bind| bind.unpack())
    }
}

/// The element format of a typed view in one byte, or 0 if the view is not typed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ViewFormat(u8);

impl ViewFormat {
    pub(crate) fn new(format: Option<Format>) -> Self {
        // Format numbers end at 115, so each fits into a byte.
        Self(format.map_or(0, |format| format as u8))
    }

    pub(crate) fn get(self) -> Option<Format> {
        Format::from_u32(self.0.into()).filter(|format| *format != Format::UNKNOWN)
    }
}

pub(crate) const fn stage_bit(stage: ShaderStage) -> u8 {
    1 << stage.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A draw's memory use and bandwidth depend on these sizes.
    #[test]
    fn recorded_values_keep_their_chosen_sizes() {
        use crate::record::object_table::PageObject;
        use crate::record::page::{BlendFactor, IndexedDraw, InstancedDraw, PlainDraw};
        let commands = [size_of::<Command>(), size_of::<Binds>(), size_of::<PackedBind>()];
        assert_eq!(commands, [16, 14, 4]);
        let draws = [size_of::<PlainDraw>(), size_of::<IndexedDraw>(), size_of::<InstancedDraw>()];
        assert_eq!(draws, [8, 12, 20]);
        assert_eq!([size_of::<PageObject>(), size_of::<BlendFactor>()], [16, 20]);
    }

    #[test]
    fn three_binds_fit_into_a_command_and_keep_their_order() {
        let all = [
            Bind::InputLayout(7),
            Bind::ShaderResource { stage: ShaderStage::Compute, slot: 127, object: NO_OBJECT },
            Bind::Sampler { stage: ShaderStage::Vertex, slot: 15, object: 3 },
        ];
        let mut binds = Binds::new(all[0]);
        assert!(binds.add(all[1]) && binds.iter().eq(all[..2].iter().copied()));
        assert!(binds.add(all[2]) && binds.iter().eq(all));
        assert!(!binds.add(all[0]) && binds.iter().eq(all));
    }

    /// A bundle is rebuilt only if one of these objects has changed.
    #[test]
    fn a_command_lists_the_buffers_and_views_that_it_binds() {
        let (stage, slot, format) = (ShaderStage::Pixel, 0, ViewFormat::default());
        let (object, offset, size) = (7, 0, 16);
        for command in [
            Command::SetConstantBuffer { stages: stage_bit(stage), slot, object, offset, size },
            Command::SetResourceBuffer { stage, slot, format, object, offset, size },
            Command::SetVertexBuffer { slot, object, stride: 4, offset, size },
            Command::SetIndexBuffer { wide: false, object, offset, size },
            Command::SetUnorderedBuffer { stage, slot, format, object, counter: NO_OBJECT, offset, size },
            Command::SetUnorderedTexture { stage, slot, object },
            Command::Binds(Binds::new(Bind::ShaderResource { stage, slot, object })),
        ] {
            assert!(command.bundled().eq([object]), "{command:?}");
        }
        assert_eq!(Command::Binds(Binds::new(Bind::Sampler { stage, slot, object })).bundled().count(), 0);
    }

    #[test]
    fn every_bind_is_unpacked_as_it_was_packed() {
        let mut all = vec![
            Bind::InputLayout(1),
            Bind::RasterizerState(NO_OBJECT),
            Bind::BlendState(2),
            Bind::DepthStencilState { stencil_ref: 255, object: 3 },
        ];
        for number in 0..=64 {
            assert_eq!(
                topology(number).to_u32(),
                PrimitiveTopology::from_u32(number.into()).map_or(0, |t| t.to_u32())
            );
            all.push(Bind::Topology(topology(number)));
        }
        for stage in ShaderStage::ALL {
            all.push(Bind::Shader { stage, object: 4 });
            for slot in [0, 1, 15, 127] {
                all.push(Bind::ShaderResource { stage, slot, object: 5 });
                all.push(Bind::Sampler { stage, slot, object: 6 });
            }
        }
        for bind in all {
            assert_eq!(PackedBind::from(bind).unpack(), bind);
        }
    }
}
