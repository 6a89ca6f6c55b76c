//! Recording: contexts write commands into pages, and the pages are submitted or become command lists.
//!
//! A recorder depends only on GPU objects and services. Its [`recorder::PageSink`] receives full pages, and
//! the encoder stores its data about a page in an [`encode_slot::EncodeSlot`].

pub(crate) mod command;
pub(crate) mod command_list;
pub(crate) mod deferred;
pub(crate) mod encode_slot;
pub(crate) mod graveyard;
pub(crate) mod min_lods;
pub(crate) mod object_table;
pub(crate) mod page;
pub(crate) mod recorder;
pub(crate) mod recycle;
pub(crate) mod run_page;
pub(crate) mod upload;
