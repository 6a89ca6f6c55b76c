//! Sizes as words of an option.

/// The width and height of a text such as `640x480`.
///
/// # Errors
/// It is another text, or a side is 0; the words say what is expected.
pub(crate) fn parse(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parsed
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or_else(|| "expected WxH, such as 640x480".to_owned())
}
