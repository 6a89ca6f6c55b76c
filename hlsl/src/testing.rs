use crate::{CompileOptions, Diagnostics, compile};

pub(crate) fn found(text: &str, profile: &str) -> Diagnostics {
    let profile = profile.parse().expect("the profile is known");
    match compile(text, "a", "main", profile, &CompileOptions::default()) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => errors,
    }
}

pub(crate) fn codes(text: &str, profile: &str) -> Vec<u16> {
    found(text, profile).iter().map(|message| message.code.number()).collect()
}
