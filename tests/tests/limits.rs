//! The limits of Direct3D 11. At a limit, an object works, or its creation fails and the error names the
//! adapter's lower limit. Above the limit, the creation is refused and the error names the limit.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "limits/bindings.rs"]
mod bindings;
#[path = "limits/calls.rs"]
mod calls;
#[path = "limits/objects.rs"]
mod objects;
#[path = "limits/stages.rs"]
mod stages;

use onze::prelude::*;
use onze_tests::Harness;

#[derive(Copy, Clone, Debug)]
enum Outcome {
    Works,
    /// The object works, or its creation fails because the adapter supports less, in which case the error
    /// names the adapter or the device and contains this text.
    WorksIfAdapterHas(&'static str),
    /// The draw is valid in Direct3D 11, but its combination of objects may exceed an adapter's limit, in
    /// which case the draw is skipped with a message that contains this text.
    Skipped(&'static str),
    /// The object exceeds a limit of Direct3D 11, and the error contains this text.
    Refused(&'static str),
}

/// Descriptions of the rows that failed, which [`Rows::finish`] prints at the end of a test.
#[derive(Debug, Default)]
struct Rows(Vec<String>);

impl Rows {
    /// Compares a result with the row's outcome, and checks that no other error was reported. The result is
    /// the value that the GPU computed or the error of a creation.
    fn check<T: PartialEq + std::fmt::Debug>(
        &mut self,
        h: &Harness,
        row: &str,
        outcome: Outcome,
        result: Result<T, onze::Error>,
        expected: &T,
    ) {
        let says = |words: &[&str], error: &onze::Error| {
            let text = error.to_string();
            words.iter().all(|word| text.contains(word)) && !text.contains("wgpu")
        };
        let messages = h.device.info_queue().take();
        let is_skipped = |words: &str| messages.iter().any(|message| message.description.contains(words));
        let is_right = match (outcome, &result) {
            (Outcome::Skipped(words), Ok(found)) => found == expected || is_skipped(words),
            (Outcome::Skipped(_), Err(_)) => false,
            (Outcome::Works | Outcome::WorksIfAdapterHas(_), Ok(found)) => found == expected,
            (Outcome::WorksIfAdapterHas(words), Err(error)) => {
                says(&[words, "adapter"], error) || says(&[words, "this device"], error)
            }
            (Outcome::Refused(words), Err(error)) => says(&[words], error),
            (Outcome::Works, Err(_)) | (Outcome::Refused(_), Ok(_)) => false,
        };
        if !is_right {
            self.0.push(format!("{row}: {result:?}, expected {outcome:?} with {expected:?}"));
        }
        let is_bad = |message: &Message| {
            let is_refusal = format!("{:?}", message.id).starts_with("Create");
            let is_expected =
                matches!(outcome, Outcome::Skipped(words) if message.description.contains(words));
            message.severity <= Severity::Error && !is_refusal && !is_expected
        };
        for message in messages.iter().filter(|message| is_bad(message)) {
            self.0.push(format!("{row}: {}", message.description));
        }
    }

    fn finish(self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

fn first_float(h: &mut Harness, texture: &Texture2d) -> f32 {
    f32::from_bits(h.read_u32(texture, 0)[0])
}
