//! Names for groups of commands, shown by graphics debuggers (D3D11: `ID3DUserDefinedAnnotation`).

use std::borrow::Cow;

use super::DeviceContext;
use crate::report::MessageId;

/// Placeholder for the number in a group's or marker's name.
const NUMBER: &str = "#d";

/// Replaces every placeholder in a name with the number.
fn numbered(name: &str, data: i32) -> Cow<'_, str> {
    if name.contains(NUMBER) { name.replace(NUMBER, &data.to_string()).into() } else { name.into() }
}

impl DeviceContext {
    /// Returns whether annotations are recorded, which is always true because a graphics debugger may be
    /// attached later (D3D11: `ID3D11DeviceContext2::IsAnnotationEnabled`,
    /// `ID3DUserDefinedAnnotation::GetStatus`).
    #[doc(alias = "IsAnnotationEnabled")]
    #[doc(alias = "GetStatus")]
    pub fn is_annotation_enabled(&self) -> bool {
        true
    }

    /// Opens a named group of commands (D3D11: `ID3DUserDefinedAnnotation::BeginEvent`).
    #[doc(alias = "BeginEvent")]
    pub fn begin_event(&mut self, name: &str) {
        self.core.rt.open_events += 1;
        self.core.with(move |f, cx| f.begin_event(cx.entry(), name));
    }

    /// Opens a named group of commands, with `#d` in the name replaced by `data` (D3D11:
    /// `ID3D11DeviceContext2::BeginEventInt`).
    #[doc(alias = "BeginEventInt")]
    pub fn begin_event_int(&mut self, name: &str, data: i32) {
        self.begin_event(&numbered(name, data));
    }

    /// Closes the innermost open group (D3D11: `ID3DUserDefinedAnnotation::EndEvent`).
    ///
    /// If no group is open, the call is skipped and reported as [`MessageId::EndEventWithoutBegin`].
    #[doc(alias = "EndEvent")]
    pub fn end_event(&mut self) {
        if self.core.rt.open_events == 0 {
            self.report(MessageId::EndEventWithoutBegin, "`end_event` was called while no event is open");
        } else {
            self.core.rt.open_events -= 1;
            self.core.with(move |f, cx| f.end_event(cx.entry()));
        }
    }

    /// Marks a point in the commands with a name (D3D11: `ID3DUserDefinedAnnotation::SetMarker`).
    #[doc(alias = "SetMarker")]
    pub fn set_marker(&mut self, name: &str) {
        self.core.with(move |f, cx| f.set_marker(cx.entry(), name));
    }

    /// Marks a point in the commands, with `#d` in the name replaced by `data` (D3D11:
    /// `ID3D11DeviceContext2::SetMarkerInt`).
    #[doc(alias = "SetMarkerInt")]
    pub fn set_marker_int(&mut self, name: &str, data: i32) {
        self.set_marker(&numbered(name, data));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_replaces_every_placeholder() {
        assert_eq!(numbered("cascade #d", 3), "cascade 3");
        assert_eq!(numbered("#d of #d", -1), "-1 of -1");
        assert_eq!(numbered("100 % done", 5), "100 % done");
    }
}
