//! The report, as JSON and as tables for the terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use onze_benches::error::Error;
use onze_benches::workload::Variant;
use serde::Serialize;

use crate::args::Args;
use crate::machine::Machine;
use crate::pieces::Piece;
use crate::ratios::{self, GOALS, Ratio};
use crate::results;
use crate::rows::{Measured, Row};

/// The complete result of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Row>,
    #[serde(rename = "ratios")]
    by_goal: BTreeMap<&'static str, BTreeMap<String, f64>>,
    /// Figures of single calls. Some ratios are computed from them.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) missing: Vec<String>,
    #[serde(skip)]
    pub(crate) ratios: Vec<Ratio>,
    #[serde(skip)]
    pub(crate) quick: bool,
}

impl Report {
    pub(crate) fn new(
        args: &Args,
        measured: Measured,
        pieces: Vec<Piece>,
        ratios: Vec<Ratio>,
        mut missing: Vec<String>,
    ) -> Self {
        if measured.rows.iter().any(|row| row.side == "onze" && row.bytes_per_draw.is_none()) {
            missing.push("bytes_per_draw: this driver does not count recorded bytes".to_owned());
        }
        if let Some(word) = &args.filter {
            missing
                .push(format!("rows and single calls without `{word}` in their names, because of --filter"));
        }
        let Measured { machine, rows } = measured;
        let by_goal = ratios::by_goal(&ratios);
        Self { machine, rows, by_goal, pieces, missing, ratios, quick: args.quick }
    }

    pub(crate) fn write_json(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| results::file_error(path, error))?;
        results::write(path, &(text + "\n"))
    }

    /// Returns all tables as text for the terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("\n{}\n", self.machine.line());
        if self.machine.debug_build {
            text += "This is a debug build: its figures say nothing about a release.\n";
        }
        if !self.rows.is_empty() {
            text += "\nNanoseconds per draw, medians:\n\n";
            text += &aligned(&self.row_cells(), 3);
            text.push('\n');
            for variant in Variant::ALL {
                let _ = writeln!(text, "{}: {}", variant.name(), variant.words());
            }
        }
        if !self.pieces.is_empty() {
            text += "\nSingle calls, medians in nanoseconds, and instructions per draw:\n\n";
            text += &aligned(&self.piece_cells(), 1);
        }
        if !self.ratios.is_empty() {
            text += "\nRatios and goals:\n\n";
            text += &aligned(&self.ratio_cells(), 2);
            text.push('\n');
            for (id, words) in GOALS.iter().filter(|(id, _)| self.ratios.iter().any(|ratio| ratio.id == *id))
            {
                let _ = writeln!(text, "{id}: {words}");
            }
        }
        if !self.missing.is_empty() {
            text += "\nNot measured:\n\n";
            for missing in &self.missing {
                let _ = writeln!(text, "* {missing}");
            }
        }
        text
    }

    pub(crate) fn row_cells(&self) -> Vec<Vec<String>> {
        let head = ["context", "variant", "impl", "workers", "CPU", "app", "p10", "p90", "wall", "floor"];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        lines.extend(self.rows.iter().map(|row| {
            let name = row.name();
            let (context, variant) = name.split_once('/').unwrap_or((&name, ""));
            let mut cells = vec![context.to_owned(), variant.to_owned(), row.side.to_owned()];
            cells.push(row.workers.to_string());
            cells.extend(
                [
                    row.cpu_ns_per_draw,
                    row.app_ns_per_draw,
                    row.app_p10,
                    row.app_p90,
                    row.wall_ns_per_draw,
                    row.floor_ns_per_draw,
                ]
                .map(|value| format!("{value:.1}")),
            );
            cells
        }));
        lines
    }

    pub(crate) fn piece_cells(&self) -> Vec<Vec<String>> {
        let mut lines = vec![["name", "value"].map(str::to_owned).to_vec()];
        let cells = |piece: &Piece| vec![piece.name.clone(), format!("{:.1}", piece.value)];
        lines.extend(self.pieces.iter().map(cells));
        lines
    }

    /// Returns the table of ratios and goals. The first row contains the headings.
    pub(crate) fn ratio_cells(&self) -> Vec<Vec<String>> {
        let mut lines = vec![["goal", "of", "ratio", "by p10", "at most", ""].map(str::to_owned).to_vec()];
        lines.extend(self.ratios.iter().map(|ratio| {
            let of_p10 = ratio.of_p10.map_or_else(String::new, |value| format!("{value:.2}"));
            let goal = ratio.goal.map_or_else(String::new, |goal| format!("{goal:.2}"));
            let value = format!("{:.2}", ratio.value);
            vec![ratio.id.to_owned(), ratio.key.clone(), value, of_p10, goal, ratio.verdict().to_owned()]
        }));
        lines
    }
}

/// Aligns the cells of lines in columns. The first `left` columns are left-aligned, and the other columns are
/// right-aligned.
pub(crate) fn aligned(lines: &[Vec<String>], left: usize) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ =
                if column < left { write!(row, "{cell:<width$}  ") } else { write!(row, "{cell:>width$}  ") };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ratios::tests::row;

    pub(crate) fn report() -> Report {
        let args = Args::parse_line(["bench".into(), "--quick".into()]).unwrap();
        let rows = vec![row("onze", "immediate", 1, "v0", 5.0), row("wgpu", "immediate", 1, "v0", 50.0)];
        let ratios = ratios::all("noop", &rows, &[], &mut Vec::new());
        let measured = Measured { machine: Machine::look(&args, "an adapter"), rows };
        Report::new(&args, measured, Vec::new(), ratios, vec!["P7: something".to_owned()])
    }

    #[test]
    fn the_json_has_the_fields_that_readers_of_reports_know() {
        let json: serde_json::Value =
            serde_json::from_str(&serde_json::to_string(&report()).unwrap()).unwrap();
        let mut fields: Vec<_> = json["rows"][1].as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let expected = [
            "app_ns_per_draw",
            "app_p10",
            "app_p90",
            "backend",
            "bench",
            "bytes_per_draw",
            "context",
            "cpu_ns_per_draw",
            "draws",
            "floor_ns_per_draw",
            "impl",
            "threads",
            "variant",
            "wall_ns_per_draw",
            "workers",
        ];
        assert_eq!(fields, expected);
        assert_eq!(json["rows"][1]["impl"], "wgpu");
        assert_eq!(json["ratios"]["P1"]["v0"], 0.1);
        assert_eq!(json["machine"]["adapter"], "an adapter");
    }

    #[test]
    fn the_text_has_rows_ratios_verdicts_and_what_is_missing() {
        let text = report().text();
        for words in
            ["immediate  v0       onze", "P1    v0", "met", "* P7: something", "v0: draws with nothing"]
        {
            assert!(text.contains(words), "{words} is not in\n{text}");
        }
    }

    #[test]
    fn cells_stand_below_each_other() {
        let lines = [vec!["a".to_owned(), "10".to_owned()], vec!["bcd".to_owned(), "5".to_owned()]];
        assert_eq!(aligned(&lines, 1), "a    10\nbcd   5\n");
    }
}
