//! A function of naga in the making.
