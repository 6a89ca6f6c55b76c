//! The figures as Markdown, for the documents in the repository.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use onze_benches::error::Error;

use crate::plot;
use crate::ratios::GOALS;
use crate::report::{Report, aligned};
use crate::rows::{ALONE, Row, SMALL};

/// The line before the published figures. Authors write the text outside the two marks.
const BEGIN: &str = "<!-- figures: written by `cargo xtask bench --publish` -->";
/// The line after the published figures.
const END: &str = "<!-- end of figures -->";

/// The chapter of the book that contains the short table.
const CHAPTER: &str = "docs/book/src/performance.md";

/// Builds the error for a file that could not be read or written.
pub(crate) fn file_error(path: &Path, reason: impl ToString) -> Error {
    Error::File { path: path.display().to_string(), reason: reason.to_string() }
}

/// Writes a file. Creates its folder if necessary.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
    }
    fs::write(path, text).map_err(|error| file_error(path, error))
}

/// Writes the figures into the documents of the repository in the current folder.
pub(crate) fn publish(report: &Report) -> Result<(), Error> {
    replace(Path::new(CHAPTER), &short(report))?;
    replace(Path::new("benches/RESULTS.md"), &document(report))?;
    plot::write(report, Path::new("docs/record.svg"))
}

fn replace(path: &Path, figures: &str) -> Result<(), Error> {
    let text = fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    let text =
        between(&text, figures).ok_or_else(|| file_error(path, format!("it lacks the line {BEGIN}")))?;
    write(path, &text)
}

/// Returns `text` with the figures inserted between its two marks, or `None` if a mark is missing.
fn between(text: &str, figures: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", figures.trim()))
}

/// Rows of the chapter's table: a variant, and the state that changes between two draws.
const SHORT: [(&str, &str); 12] = [
    (
        "scene",
        "a game's scene: mesh, three textures, constants of both stages, and states for a tenth of the draws",
    ),
    ("v0", "nothing, one mesh again and again: the best case"),
    ("v1", "64 bytes of constants, by `Map` with DISCARD"),
    ("v5", "the same by `update_subresource`"),
    ("v4", "the offset into one large constant buffer"),
    ("v2", "constants, and one of 64 textures in turn"),
    ("v2-sorted", "the same, sorted by texture"),
    ("v3", "constants, texture, and one of 16 combinations of shaders and states"),
    ("boxes", "one of 8 meshes in any order, constants of both stages"),
    ("boxes-sorted", "the same, sorted by mesh"),
    ("v7", "64 bytes of a structured buffer"),
    ("v6", "a dispatch with 64 bytes of constants"),
];

/// Returns the chapter's table, which compares the immediate context with raw wgpu on one thread.
pub(crate) fn short(report: &Report) -> String {
    let machine = &report.machine;
    let mut text = String::new();
    let load = machine.load_average.map_or_else(String::new, |load| format!(", load average {load:.1}"));
    let _ = writeln!(
        text,
        "Instructions and nanoseconds per draw, Onze over wgpu: medians of {} frames of 10,000 draws, measured on {} on \
         an {} ({} cores{load}) with wgpu's `noop` backend.\n",
        machine.frames, machine.date, machine.processor, machine.cores
    );
    text += "| changed between two draws | instructions of all threads | CPU time of all threads | CPU time without encoding \
         threads | application's thread | until submitted |\n";
    text += "| --- | --: | --: | --: | --: | --: |\n";
    let find = |side, variant| {
        let wanted = (side, "immediate", 1, variant);
        let is_wanted = |row: &&Row| (row.side, row.context, row.threads, row.variant) == wanted;
        report.rows.iter().filter(|row| !SMALL.contains(&row.draws)).find(is_wanted)
    };
    for (variant, changes) in SHORT {
        let (Some(wgpu), Some(onze)) = (find("wgpu", variant), find("onze", variant)) else { continue };
        let cell = |onze: f64, wgpu: f64| format!("{onze:.0} / {wgpu:.0} = {:.2}", onze / wgpu);
        let counted = |side| {
            let name = format!("instructions/{variant}/{side}");
            report.pieces.iter().find(|piece| piece.name == name).map(|piece| piece.value)
        };
        let instructions = counted("onze").zip(counted("wgpu"));
        let _ = writeln!(
            text,
            "| {changes} | {} | {} | {} | {} | {} |",
            instructions.map_or_else(String::new, |(onze, wgpu)| cell(onze, wgpu)),
            cell(onze.cpu_ns_per_draw, wgpu.cpu_ns_per_draw),
            find(ALONE, variant)
                .map_or_else(String::new, |alone| cell(alone.cpu_ns_per_draw, wgpu.cpu_ns_per_draw)),
            cell(onze.app_ns_per_draw, wgpu.app_ns_per_draw),
            cell(onze.wall_ns_per_draw, wgpu.wall_ns_per_draw),
        );
    }
    if let Some(best) = find("best", "boxes") {
        let _ = writeln!(
            text,
            "\n*wgpu at best* takes {:.0} ns of CPU time for one of the boxes, {:.0} on the application's thread and {:.0} \
             until submitted.",
            best.cpu_ns_per_draw, best.app_ns_per_draw, best.wall_ns_per_draw
        );
    }
    text
}

pub(crate) fn document(report: &Report) -> String {
    let machine = &report.machine;
    let mut text = String::new();
    let _ = writeln!(text, "* Machine: {}", machine.line());
    let _ = writeln!(text, "* Command: `{}`, {} frames per row", machine.command, machine.frames);
    let _ = writeln!(text, "* Date: {}", machine.date);
    if machine.debug_build || report.quick {
        text += "* A short run or a debug build: good for a look, not for a claim.\n";
    }
    section(
        &mut text,
        "Goals",
        "A goal is met if `ratio` is no larger than `at most`. The \
         list below the table gives the two figures of each ratio.",
        &report.ratio_cells(),
        2,
    );
    for (id, words) in GOALS {
        let _ = writeln!(text, "* {id}: {words}");
    }
    let missed: Vec<_> = report.ratios.iter().filter(|ratio| ratio.is_met() == Some(false)).collect();
    let with_goal = report.ratios.iter().filter(|ratio| ratio.goal.is_some()).count();
    let _ = writeln!(text, "\nOf {with_goal} ratios with a goal, {} are met.", with_goal - missed.len());
    if !missed.is_empty() {
        text += "Missed: ";
        let words = missed.iter().map(|ratio| format!("{} of {} ({:.2})", ratio.id, ratio.key, ratio.value));
        text += &words.collect::<Vec<_>>().join("; ");
        text += ".\n";
    }
    section(
        &mut text,
        "Nanoseconds per draw, medians",
        "For the cost of a draw, compare the `onze` and the `wgpu` row of one context and variant, \
         first in `CPU`, the time of all threads, then in `app`, the application's thread, and in `wall`.",
        &report.row_cells(),
        3,
    );
    section(
        &mut text,
        "Single calls: nanoseconds, medians",
        "The table has the cost of single calls. The list below it explains the names.",
        &report.piece_cells(),
        1,
    );
    for piece in &report.pieces {
        let _ = writeln!(text, "* `{}`: {}", piece.name, piece.what);
    }
    if !report.missing.is_empty() {
        text += "\n## Not measured\n\n";
        for missing in &report.missing {
            let _ = writeln!(text, "* {missing}");
        }
    }
    text
}

/// Appends a table with a title and a sentence that explains how to read it.
fn section(text: &mut String, title: &str, sentence: &str, lines: &[Vec<String>], left: usize) {
    if lines.len() > 1 {
        let _ = writeln!(text, "\n## {title}\n\n{sentence}\n\n```text\n{}```\n", aligned(lines, left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::Piece;
    use crate::report::tests::report;

    #[test]
    fn the_chapter_gets_a_row_for_each_measured_variant() {
        let text = short(&report());
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(rows.len(), 3, "{text}");
        assert!(
            rows[0].starts_with("| changed between two draws | instructions of all threads | CPU time of")
        );
        let nothing = "| nothing, one mesh again and again: the best case |  \
            | 15 / 150 = 0.10 |  | 5 / 50 = 0.10 | 10 / 100 = 0.10 |";
        assert_eq!(rows[2], nothing);
    }

    #[test]
    fn the_chapter_shows_the_instructions_of_both_sides() {
        let mut report = report();
        for (name, value) in [("instructions/v0/onze", 30.0), ("instructions/v0/wgpu", 40.0)] {
            report.pieces.push(Piece { name: name.to_owned(), value, what: String::new() });
        }
        assert!(short(&report).contains("the best case | 30 / 40 = 0.75 | 15 / 150 = 0.10 |"));
    }

    #[test]
    fn each_table_of_the_results_says_how_to_read_it() {
        let text = document(&report());
        assert_eq!(text.matches("```text").count(), 2, "{text}");
        for sentence in ["A goal is met if", "For the cost of a draw, compare"] {
            assert!(text.contains(&format!("\n\n{sentence}")), "{text}");
        }
    }

    #[test]
    fn figures_replace_the_text_between_the_marks() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = between(&text, "new\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(between(&new, "new").unwrap(), new);
        assert_eq!(between("no marks", "new"), None);
    }

    #[test]
    fn the_files_of_the_repository_have_the_marks() {
        for text in
            [include_str!("../../../../docs/book/src/performance.md"), include_str!("../../../RESULTS.md")]
        {
            assert!(between(text, "").is_some());
        }
    }
}
