//! The table of lines in the README has the lines of the programs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

/// The lines of a file of `examples` that hold code: neither comments nor empty ones.
fn lines(file: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn sum(files: &[&str]) -> usize {
    files.iter().map(|file| lines(file)).sum()
}

#[test]
fn the_readme_has_the_lines_of_the_programs() {
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
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    for (name, onze, wgpu, macroquad) in rows {
        let row = format!("| `{name}` | {onze} | {wgpu} | {macroquad} |");
        assert!(readme.lines().any(|line| line == row), "the README lacks the row {row}");
    }
    assert!(lines("src/bin/triangle_window.rs") <= 40, "a triangle in a window takes at most forty lines");
}
