//! The figures as Markdown, for the repository.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use onze_benches::error::Error;

use crate::plot;
use crate::ratios::GOALS;
use crate::report::{Report, aligned};
use crate::rows::Row;

/// Published text stands between these lines; what is around it is written by hand.
const BEGIN: &str = "<!-- figures: written by `cargo xtask bench --publish` -->";
const END: &str = "<!-- end of figures -->";

/// A failure to read or write a file.
pub(crate) fn file_error(path: &Path, reason: impl ToString) -> Error {
    Error::File { path: path.display().to_string(), reason: reason.to_string() }
}

/// Writes a file, and the folder that it is in.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
    }
    fs::write(path, text).map_err(|error| file_error(path, error))
}

/// Puts the figures into the files of the repository in the current folder.
pub(crate) fn publish(report: &Report) -> Result<(), Error> {
    replace(Path::new("README.md"), &short(report))?;
    replace(Path::new("benches/RESULTS.md"), &document(report))?;
    plot::write(report, Path::new("docs/record.svg"))
}

fn replace(path: &Path, figures: &str) -> Result<(), Error> {
    let text = fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    let text =
        between(&text, figures).ok_or_else(|| file_error(path, format!("it lacks the line {BEGIN}")))?;
    write(path, &text)
}

/// The text with the figures between its two marks; `None` if it has none.
fn between(text: &str, figures: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", figures.trim()))
}

/// A table of what matters most, for the README.
pub(crate) fn short(report: &Report) -> String {
    let mut text = String::new();
    let frames = report.machine.frames;
    let _ = writeln!(
        text,
        "Nanoseconds per draw on {} ({} cores), medians of {frames} frames of 10,000 draws on wgpu's backend \
         without a GPU; `app` is the application's thread, `wall` until everything is submitted, `CPU` the \
         processor time of all threads:\n",
        report.machine.processor, report.machine.cores
    );
    let row = |side: &str, context: &str, threads: usize, variant: &str| {
        let is_it = |row: &&Row| {
            (row.side, row.context, row.threads, row.variant) == (side, context, threads, variant)
        };
        report.rows.iter().find(is_it)
    };
    let head = ["variant", "wgpu app", "Onze app", "ratio", "wgpu wall", "Onze wall", "wgpu CPU", "Onze CPU"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for variant in ["v0", "v1", "v2", "v3", "v4", "v5"] {
        let of = |side| row(side, "immediate", 1, variant);
        let (Some(wgpu), Some(onze)) = (of("wgpu"), of("onze")) else { continue };
        let number = |value: f64| format!("{value:.0}");
        lines.push(vec![
            variant.to_owned(),
            number(wgpu.app_ns_per_draw),
            number(onze.app_ns_per_draw),
            format!("{:.2}", onze.app_ns_per_draw / wgpu.app_ns_per_draw),
            number(wgpu.wall_ns_per_draw),
            number(onze.wall_ns_per_draw),
            number(wgpu.cpu_ns_per_draw),
            number(onze.cpu_ns_per_draw),
        ]);
    }
    let _ = writeln!(text, "```text\n{}```", aligned(&lines, 1));
    text
}

/// Everything, for `RESULTS.md`.
pub(crate) fn document(report: &Report) -> String {
    let machine = &report.machine;
    let mut text = String::new();
    let _ = writeln!(text, "* Machine: {}", machine.line());
    let _ = writeln!(text, "* Command: `{}`, {} frames per row", machine.command, machine.frames);
    let _ = writeln!(text, "* Date: {}", machine.date);
    if machine.debug_build || report.quick {
        text += "* A short run or a debug build: good for a look, not for a claim.\n";
    }
    section(&mut text, "Goals", &report.ratio_cells(), 2);
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
    section(&mut text, "Rows: nanoseconds per draw, medians", &report.row_cells(), 3);
    section(&mut text, "Pieces: nanoseconds, medians", &report.piece_cells(), 1);
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

fn section(text: &mut String, title: &str, lines: &[Vec<String>], left: usize) {
    if lines.len() > 1 {
        let _ = writeln!(text, "\n## {title}\n\n```text\n{}```\n", aligned(lines, left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_replace_what_is_between_the_marks() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = between(&text, "new\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(between(&new, "new").unwrap(), new);
        assert_eq!(between("no marks", "new"), None);
    }

    #[test]
    fn the_files_of_the_repository_have_the_marks() {
        for text in [include_str!("../../../../README.md"), include_str!("../../../RESULTS.md")] {
            assert!(between(text, "").is_some());
        }
    }
}
