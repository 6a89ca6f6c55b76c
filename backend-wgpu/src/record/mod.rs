//! Recording: contexts write commands into pages, and pages become command lists.

pub(crate) mod command;
pub(crate) mod command_list;
pub(crate) mod deferred;
pub(crate) mod encode_slot;
pub(crate) mod graveyard;
pub(crate) mod object_table;
pub(crate) mod page;
pub(crate) mod recorder;
pub(crate) mod recycle;
pub(crate) mod run_page;
pub(crate) mod upload;
