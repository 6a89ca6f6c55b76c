//! Lists of names in messages.

/// Joins the names of flags for a message, as in `COPY_DST and STORAGE_BINDING`. Flags provide their names
/// with `iter_names`.
pub(crate) fn joined<T>(flags: impl Iterator<Item = (&'static str, T)>) -> String {
    flags.map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}
