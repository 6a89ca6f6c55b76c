//! Tests that record pages by hand, and encode and draw them on the available adapter.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod binding;
mod changing;
mod clearing;
mod compiling;
mod copying;
mod destroying;
mod drawing;
mod exhausting;
mod prologue;
mod queries;
mod replaying;
mod replicas;
mod scene;
