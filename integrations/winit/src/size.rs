//! Parser for sizes in command-line options and web addresses.

/// Parses a width and height such as `640x480`.
///
/// # Errors
/// Returns a description of the expected form if the string has another form or a side is 0.
pub(crate) fn parse(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parsed
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or_else(|| "expected WxH, such as 640x480".to_owned())
}
