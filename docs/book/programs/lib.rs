//! The programs of the book.
//!
//! The ten programs of the chapter *Start* are binaries of this package. The programs in the text of the
//! chapters are documentation tests: `cargo test -p onze-book --doc` compiles them, and runs those that need
//! neither a window nor a GPU.
#![forbid(unsafe_code)]

/// Includes each chapter as the documentation of an item, so that rustdoc finds the programs in the chapter.
#[cfg(doctest)]
macro_rules! chapters {
    ($($name:ident)*) => {$(
        #[doc = include_str!(concat!("../src/", stringify!($name), ".md"))]
        mod $name {}
    )*};
}

#[cfg(doctest)]
chapters!(
    introduction start from_d3d11 hlsl geometry tessellation stream_output from_wgpu how_it_works threads
    performance writing_a_driver web troubleshooting messages
);
