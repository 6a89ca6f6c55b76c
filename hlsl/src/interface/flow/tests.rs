//! Tests of the control flow analyses, with programs that are refused and programs that are accepted.

mod assigned;
mod barriers;
mod derivatives;
mod kept_loops;
mod loops;
mod powers;
mod unset;
mod values_of_calls;

use crate::testing::codes;
