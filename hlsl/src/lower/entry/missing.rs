//! System values of Direct3D 11 that naga lacks.

/// Returns the name of an unsupported input or output, with a suggestion if there is an alternative.
pub(super) fn feature(direction: &str, name: &str) -> String {
    let advice = match name.to_ascii_uppercase().as_str() {
        "SV_STENCILREF" => "; draw once for each reference value, and discard the pixels of the others",
        "SV_INNERCOVERAGE" => "; compare SV_Coverage with the mask of all samples",
        _ => "",
    };
    format!("the {direction} {name}{advice}")
}
