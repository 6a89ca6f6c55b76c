//! Lists of names for error messages, such as those of wgpu's flags.

/// Joins the names of flags, which `iter_names` provides, for a message such as `COPY_DST and
/// STORAGE_BINDING`.
pub(crate) fn joined<T>(flags: impl Iterator<Item = (&'static str, T)>) -> String {
    flags.map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}
