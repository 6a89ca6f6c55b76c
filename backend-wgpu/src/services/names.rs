//! Lists of names for error messages, such as the names of wgpu's flags.

/// Joins the names of flags, as returned by `iter_names`, for a message such as `COPY_DST and
/// STORAGE_BINDING`.
pub(crate) fn joined<T>(flags: impl Iterator<Item = (&'static str, T)>) -> String {
    flags.map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}
