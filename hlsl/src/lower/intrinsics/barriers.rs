//! Barriers.

use naga::{Barrier, Statement};

use crate::{check::tree::Intrinsic, lower::builder::Builder};

impl Builder<'_, '_> {
    /// Adds a memory barrier, or a barrier where all threads of a group also wait for each other.
    ///
    /// naga has barriers only in compute shaders. In other stages, the memory accesses of a single thread are
    /// already ordered.
    pub(super) fn barrier(&mut self, which: Intrinsic) {
        use Intrinsic as I;

        if !self.lowerer.computes {
            return;
        }

        let device = Barrier::STORAGE | Barrier::TEXTURE;
        let memory = match which {
            I::AllMemoryBarrier | I::AllMemoryBarrierWithGroupSync => device | Barrier::WORK_GROUP,
            I::DeviceMemoryBarrier | I::DeviceMemoryBarrierWithGroupSync => device,
            _ => Barrier::WORK_GROUP,
        };
        let waits = matches!(
            which,
            I::AllMemoryBarrierWithGroupSync
                | I::DeviceMemoryBarrierWithGroupSync
                | I::GroupMemoryBarrierWithGroupSync
        );
        self.push(if waits { Statement::ControlBarrier(memory) } else { Statement::MemoryBarrier(memory) });
    }
}
