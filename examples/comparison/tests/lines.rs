//! Checks that the book's table of line counts matches the programs, and that the README contains the example
//! `triangle_window`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(file: &str) -> usize {
    text(file).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn sum(files: &[&str]) -> usize {
    files.iter().map(|file| lines(file)).sum()
}

#[test]
fn the_book_has_the_line_counts_of_the_programs() {
    const WINDOW: &str = "comparison/src/window.rs";
    const CUBE: &str = "src/bin/textured_cube.wgsl";
    const SPRITES: &str = "src/bin/sprite_batch.wgsl";
    let rows = [
        (
            "triangle_window",
            sum(&["src/bin/triangle_window.rs"]),
            sum(&[WINDOW, "comparison/src/bin/wgpu_triangle.rs"]),
            sum(&["comparison/src/bin/macroquad_triangle.rs"]),
        ),
        (
            "textured_cube",
            sum(&["src/bin/textured_cube.rs", CUBE]),
            sum(&[WINDOW, "comparison/src/bin/wgpu_cube.rs", CUBE]),
            sum(&["comparison/src/bin/macroquad_cube.rs"]),
        ),
        (
            "sprite_batch",
            sum(&["src/bin/sprite_batch.rs", SPRITES]),
            sum(&[WINDOW, "comparison/src/bin/wgpu_sprites.rs", SPRITES]),
            sum(&["comparison/src/bin/macroquad_sprites.rs"]),
        ),
    ];
    let chapter = text("../docs/book/src/from_wgpu.md");
    for (name, onze, wgpu, macroquad) in rows {
        let row = format!("| `{name}` | {onze} | {wgpu} | {macroquad} |");
        assert!(chapter.lines().any(|line| line == row), "the chapter lacks the row {row}");
    }
    assert!(lines("src/bin/triangle_window.rs") <= 40, "a triangle in a window takes at most forty lines");
}

#[test]
fn the_readme_shows_the_example_triangle_window() {
    let readme = text("../README.md");
    let (_, rest) = readme.split_once("```rust,no_run\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    let example = text("src/bin/triangle_window.rs");
    let (_, code) = example.split_once("\n\n").unwrap();
    assert_eq!(program, code.replace(".with_args()", ""));
}
