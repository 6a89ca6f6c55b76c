//! `cargo xtask gallery`: draws the examples' pictures and writes the document that shows them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::command::{self, cargo, workspace_root};
use crate::error::Error;
use crate::examples::{Example, GROUPS};
use crate::gpu;

const COLUMNS: usize = 3;

/// Draws missing and outdated pictures, and writes the document.
pub(crate) fn run() -> Result<(), Error> {
    gpu::ensure_adapter()?;
    let root = workspace_root();
    // The tests contain the options of each picture, and they determine whether two pictures are equal.
    let mut draw = cargo();
    draw.args(["test", "--package", "onze-examples", "--test", "games"]);
    draw.args(["--package", "onze-example-ui", "--test", "picture", "--", "draw"]);
    command::run(draw.env("ONZE_UPDATE_REFERENCES", "1").current_dir(&root))?;
    let page = page_path(&root);
    std::fs::write(&page, self::page(&root)).map_err(|source| Error::Write { path: page.clone(), source })?;
    println!("gallery: wrote {}", page.display());
    Ok(())
}

fn page_path(root: &Path) -> PathBuf {
    root.join("examples/README.md")
}

/// Returns the document, which has a table of pictures for each group.
fn page(root: &Path) -> String {
    let mut text = "# The gallery\n\n<!-- written by `cargo xtask gallery` -->\n\n\
        Each program runs in a window with `cargo run --bin NAME`, and in a browser with\n\
        `cargo xtask web NAME --serve`. With `-- --out FILE.png` it draws a picture without a window, and `-- --help`\n\
        lists its options. Two more programs are [`triangle`](src/bin/triangle.rs), which needs no window at all, and\n\
        the demo, [`multithreaded_scene`](multithreaded_scene/main.rs), which `cargo xtask demo` runs.\n"
        .to_owned();
    for group in GROUPS {
        let columns = COLUMNS.min(group.examples.len());
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        // The result can be ignored, because writing to a string cannot fail.
        let _ = write!(text, "\n## {}\n\n", group.title);
        text += &row(vec![String::new(); columns]).replace("  ", " ");
        text += &row(vec!["---".to_owned(); columns]);
        for examples in group.examples.chunks(columns) {
            let mut cells: Vec<_> = examples.iter().map(|example| cell(root, example)).collect();
            cells.resize(columns, String::new());
            text += &row(cells);
        }
    }
    text
}

fn cell(root: &Path, example: &Example) -> String {
    let Example { name, about, .. } = example;
    let files = example.files(root);
    let source = files.first().and_then(|file| file.strip_prefix(root.join("examples")).ok());
    let source = source.unwrap_or(Path::new("")).display();
    format!("![{name}](references/{name}.png)<br>[`{name}`]({source})<br>{about}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_every_example() {
        let root = workspace_root();
        let written = std::fs::read_to_string(page_path(&root)).unwrap();
        assert_eq!(written, page(&root), "run `cargo xtask gallery`");
    }
}
