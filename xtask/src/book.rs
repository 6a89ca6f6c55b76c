//! `cargo xtask book`: builds the book in `docs/book` as web pages.

mod links;

use mdbook_driver::MDBook;

use crate::command::workspace_root;
use crate::error::Error;

/// Builds the book, or returns an error if it contains a broken link.
pub(crate) fn run() -> Result<(), Error> {
    let root = workspace_root();
    let folder = root.join("target/book");
    let failed = |error| Error::Book(format!("the book cannot be built: {error:#}"));
    let mut book = MDBook::load(root.join("docs/book")).map_err(failed)?;
    book.config.build.build_dir.clone_from(&folder);
    book.build().map_err(failed)?;
    let checked = links::check(&folder)?;
    println!("book: wrote {}; all {checked} links are valid", folder.join("index.html").display());
    Ok(())
}
