//! Uses of textures with several [members](crate::objects::family).

use std::sync::{Arc, Weak};

use onze_ddi::SubresourceRange;

use crate::objects::{
    cast_log::CastLog,
    family::{Member, Members},
    texture::TextureMemory,
    view::View,
};

/// The uses of a texture with several members by a run.
#[derive(Debug)]
pub(crate) struct CastUse {
    pub(crate) memory: Arc<TextureMemory>,
    /// The members that must be up to date before the run.
    pub(crate) needs: Members,
    pub(crate) log: CastLog,
}

/// The textures with several members that a run uses, which are few.
#[derive(Debug, Default)]
pub(crate) struct RunCasts {
    uses: Vec<CastUse>,
    /// The reads since the last call of [`RunCasts::notes`], while a bundle is recorded.
    notes: Option<Vec<CastRead>>,
}

#[derive(Debug)]
pub(crate) struct CastRead {
    pub(crate) memory: Weak<TextureMemory>,
    pub(crate) member: Member,
    pub(crate) range: SubresourceRange,
}

impl RunCasts {
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    pub(crate) fn finish(self) -> Vec<CastUse> {
        self.uses
    }

    /// Starts recording reads, which [`RunCasts::notes`] returns.
    pub(crate) fn take_notes(&mut self) {
        self.notes = Some(Vec::new());
    }

    /// Returns the reads since the call of [`RunCasts::take_notes`] or the last call of this function.
    pub(crate) fn notes(&mut self) -> Vec<CastRead> {
        self.notes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Stops the recording that [`RunCasts::take_notes`] started.
    pub(crate) fn drop_notes(&mut self) {
        self.notes = None;
    }

    pub(crate) fn note(&mut self, view: &View) {
        if let Some(notes) = &mut self.notes {
            let (memory, member, range) = (Arc::downgrade(&view.memory), view.member, view.desc.range);
            if !notes.iter().any(|n| (n.member, n.range) == (member, range) && n.memory.ptr_eq(&memory)) {
                notes.push(CastRead { memory, member, range });
            }
        }
    }

    pub(crate) fn find(&mut self, memory: &Arc<TextureMemory>) -> &mut CastUse {
        let at = self.uses.iter().position(|used| used.memory.id == memory.id).unwrap_or_else(|| {
            let (needs, log) = (Members::default(), CastLog::default());
            self.uses.push(CastUse { memory: memory.clone(), needs, log });
            self.uses.len() - 1
        });
        &mut self.uses[at]
    }
}
