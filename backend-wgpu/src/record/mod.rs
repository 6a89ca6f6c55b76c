//! Recording: contexts write commands into pages, and pages become command lists.
//!
//! A recorder depends on GPU objects and services only. Its [`recorder::PageSink`] takes full pages, and the
//! encoder keeps its data about a page in an [`encode_slot::EncodeSlot`].

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
