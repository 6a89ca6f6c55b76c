//! Pages that tests write by hand, encoded and drawn on the adapter at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod binding;
mod changing;
mod clearing;
mod compiling;
mod copying;
mod drawing;
mod queries;
mod replaying;
mod replicas;
mod scene;
