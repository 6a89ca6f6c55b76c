//! Names for groups of commands, shown by graphics debuggers. D3D11: `ID3DUserDefinedAnnotation`.

use super::DeviceContext;
use crate::report::MessageId;

impl DeviceContext {
    /// Opens a named group. D3D11: `ID3DUserDefinedAnnotation::BeginEvent` and `BeginEventInt`.
    #[doc(alias = "BeginEvent")]
    #[doc(alias = "BeginEventInt")]
    pub fn begin_event(&mut self, name: &str) {
        self.core.rt.open_events += 1;
        self.core.with(move |f, cx| f.begin_event(cx.entry(), name));
    }

    /// Closes the innermost group. D3D11: `ID3DUserDefinedAnnotation::EndEvent`.
    ///
    /// Without one nothing happens and [`MessageId::EndEventWithoutBegin`] is reported.
    #[doc(alias = "EndEvent")]
    pub fn end_event(&mut self) {
        if self.core.rt.open_events == 0 {
            self.report(MessageId::EndEventWithoutBegin, "`end_event` was called while no event is open");
        } else {
            self.core.rt.open_events -= 1;
            self.core.with(move |f, cx| f.end_event(cx.entry()));
        }
    }

    /// Marks a point. D3D11: `ID3DUserDefinedAnnotation::SetMarker` and `SetMarkerInt`.
    #[doc(alias = "SetMarker")]
    #[doc(alias = "SetMarkerInt")]
    pub fn set_marker(&mut self, name: &str) {
        self.core.with(move |f, cx| f.set_marker(cx.entry(), name));
    }
}
