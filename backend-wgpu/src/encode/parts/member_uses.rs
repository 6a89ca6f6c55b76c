//! Uses of textures with several [members](crate::objects::family).

use std::sync::{Arc, Weak};

use onze_ddi::SubresourceRange;

use crate::objects::{
    cast_log::CastLog,
    family::{Member, Members},
    texture::TextureMemory,
    view::View,
};

/// How a run uses a texture of several members.
#[derive(Debug)]
pub(crate) struct CastUse {
    pub(crate) memory: Arc<TextureMemory>,
    /// The members that must lack nothing before the run.
    pub(crate) needs: Members,
    /// What the run writes.
    pub(crate) log: CastLog,
}

/// The textures of several members that a run uses. Few runs use any.
#[derive(Debug, Default)]
pub(in crate::encode) struct RunCasts {
    uses: Vec<CastUse>,
    /// What was read since it was asked for last, while a bundle is recorded.
    notes: Option<Vec<CastRead>>,
}

/// A read of a bundle's.
#[derive(Debug)]
pub(in crate::encode) struct CastRead {
    pub(in crate::encode) memory: Weak<TextureMemory>,
    pub(in crate::encode) member: Member,
    pub(in crate::encode) range: SubresourceRange,
}

impl RunCasts {
    pub(in crate::encode) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    pub(in crate::encode) fn finish(self) -> Vec<CastUse> {
        self.uses
    }

    /// From now on notes what is read.
    pub(in crate::encode) fn take_notes(&mut self) {
        self.notes = Some(Vec::new());
    }

    /// What was read since [`RunCasts::take_notes`] or the last call.
    pub(in crate::encode) fn notes(&mut self) -> Vec<CastRead> {
        self.notes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Ends what [`RunCasts::take_notes`] began.
    pub(in crate::encode) fn drop_notes(&mut self) {
        self.notes = None;
    }

    pub(in crate::encode) fn note(&mut self, view: &View) {
        if let Some(notes) = &mut self.notes {
            let (memory, member, range) = (Arc::downgrade(&view.memory), view.member, view.desc.range);
            if !notes.iter().any(|n| (n.member, n.range) == (member, range) && n.memory.ptr_eq(&memory)) {
                notes.push(CastRead { memory, member, range });
            }
        }
    }

    pub(in crate::encode) fn find(&mut self, memory: &Arc<TextureMemory>) -> &mut CastUse {
        let at = self.uses.iter().position(|used| used.memory.id == memory.id).unwrap_or_else(|| {
            let (needs, log) = (Members::default(), CastLog::default());
            self.uses.push(CastUse { memory: memory.clone(), needs, log });
            self.uses.len() - 1
        });
        &mut self.uses[at]
    }
}
