//! Tests of devices and contexts: state, command lists, lifetimes, queries, faults, limits and messages.

#[path = "../tests/arguments.rs"]
mod arguments;
#[path = "../tests/children.rs"]
mod children;
#[path = "../tests/context_states.rs"]
mod context_states;
#[path = "../tests/contexts.rs"]
mod contexts;
#[path = "../tests/device.rs"]
mod device;
#[path = "../tests/faults.rs"]
mod faults;
#[path = "../tests/fences.rs"]
mod fences;
#[path = "../tests/getters.rs"]
mod getters;
#[path = "../tests/hazards.rs"]
mod hazards;
#[path = "../tests/interop.rs"]
mod interop;
#[path = "../tests/late_identity.rs"]
mod late_identity;
#[path = "../tests/lifetime.rs"]
mod lifetime;
#[path = "../tests/limits.rs"]
mod limits;
#[path = "../tests/long_lists.rs"]
mod long_lists;
#[path = "../tests/measures.rs"]
mod measures;
#[path = "../tests/memory.rs"]
mod memory;
#[path = "../tests/mistakes.rs"]
mod mistakes;
#[path = "../tests/programs.rs"]
mod programs;
#[path = "../tests/queries.rs"]
mod queries;
#[path = "../tests/replay.rs"]
mod replay;
#[path = "../tests/statistics.rs"]
mod statistics;
#[path = "../tests/stream_output.rs"]
mod stream_output;
