//! Lists of names in messages.

/// Names, joined for a message: `COPY_DST and STORAGE_BINDING`. Flags give theirs with `iter_names`.
pub(crate) fn joined<T>(flags: impl Iterator<Item = (&'static str, T)>) -> String {
    flags.map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}
