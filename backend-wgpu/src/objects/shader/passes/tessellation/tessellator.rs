//! placeholder
pub(crate) fn text(
    _: onze_ddi::TessellatorDomain,
    _: onze_ddi::TessellatorPartitioning,
    _: onze_ddi::TessellatorOutput,
) -> String {
    String::new()
}
