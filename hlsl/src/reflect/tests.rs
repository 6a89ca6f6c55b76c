//! Reflection of small programs.
