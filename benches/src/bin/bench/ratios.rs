//! The ratios between measured figures, and the project's goals for them.

use std::collections::BTreeMap;

use onze_benches::workload::Variant;

use crate::pieces::Piece;
use crate::rows::{Row, SMALL};

/// Identifiers and descriptions of the goals, in the order of the tables.
pub(crate) const GOALS: [(&str, &str); 14] = [
    ("P3", "CPU time of all threads, immediate context, over raw wgpu on one thread"),
    ("P13", "instructions of all threads, immediate context without encoding threads, over raw wgpu"),
    ("P1", "application's thread, immediate context, over raw wgpu (v5: over v1)"),
    ("P2", "wall until submitted, immediate context, over raw wgpu on one thread"),
    ("P12", "wall until submitted of small frames, immediate context, over raw wgpu"),
    ("P14", "creating and dropping a texture with a view, over wgpu"),
    ("P4", "recording on several deferred contexts over recording on one"),
    ("P5", "execute_command_list of 10,000 draws over 100 draws, on the application's thread"),
    ("P6", "executing and submitting a list for the second to tenth time over the first time"),
    ("P7", "Map(WRITE_DISCARD), write, unmap of 256 bytes, in nanoseconds over the copy itself"),
    ("P8", "creating and dropping a buffer on several threads over wgpu's create_buffer on one"),
    ("P9", "a frame beside very many living objects over one beside 1,000"),
    (
        "P10",
        "recorded bytes per draw (a test of onze-ddi limits an object in a deferred context to 128 bytes)",
    ),
    ("P11", "a frame until it is drawn, immediate context, over raw wgpu"),
];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// Identifier of the goal, such as `P1`.
    pub(crate) id: &'static str,
    /// Name of the ratio, unique within its goal.
    pub(crate) key: String,
    pub(crate) value: f64,
    /// The ratio of the tenth percentiles, if known. A busy machine affects it less than `value`.
    pub(crate) of_p10: Option<f64>,
    /// Maximum value that meets the goal, or `None` if the ratio is only informative.
    pub(crate) goal: Option<f64>,
}

impl Ratio {
    /// Whether the goal is met, or `None` for a ratio without a goal.
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.goal.map(|goal| self.value <= goal)
    }

    pub(crate) fn verdict(&self) -> &'static str {
        match self.is_met() {
            Some(true) => "met",
            Some(false) => "missed",
            None => "no goal",
        }
    }
}

/// Maximum ratio between the costs of `execute_command_list` for a long list and for a short list. Up to this
/// ratio, the cost is considered independent of the length.
const INDEPENDENT: f64 = 1.25;

/// Computes all ratios for which figures exist. For each missing ratio, adds a sentence to `missing`.
pub(crate) fn all(
    backend: &'static str,
    rows: &[Row],
    pieces: &[Piece],
    missing: &mut Vec<String>,
) -> Vec<Ratio> {
    let figures = Figures { rows, pieces };
    let mut ratios = figures.over_wgpu();
    ratios.extend(figures.small_frames());
    ratios.extend(figures.instructions());
    ratios.extend(figures.threads());
    ratios.extend(figures.lists());
    ratios.extend(figures.calls());
    ratios.extend(figures.frames());
    ratios.extend(figures.bytes());
    // The goals are for the noop backend, except that P11 is for a real adapter.
    for ratio in &mut ratios {
        let its_backend = if ratio.id == "P11" { "default" } else { "noop" };
        ratio.goal = ratio.goal.filter(|_| backend == its_backend);
    }
    let order = |ratio: &Ratio| GOALS.iter().position(|(id, _)| *id == ratio.id);
    ratios.sort_by_key(order);
    for (id, what) in GOALS {
        if !ratios.iter().any(|ratio| ratio.id == id) {
            missing.push(format!("{id} ({what}): {}", why_missing(id)));
        }
    }
    ratios
}

fn why_missing(id: &str) -> &'static str {
    match id {
        "P11" => "it needs --backend default with a GPU, or with --visible",
        "P13" => "it needs --instructions or --publish, and valgrind",
        _ => "its rows were not measured in this run",
    }
}

/// A variant's goals on the immediate context, as ratios to raw wgpu in
/// [`Form::Draws`](onze_benches::wgpu_side::Form::Draws).
#[derive(Debug, Default)]
struct Goals {
    cpu: Option<f64>,
    app: Option<f64>,
    wall: Option<f64>,
}

/// Returns the goals of a variant. They hold for adapters without binding arrays.
fn goals(variant: Variant) -> Goals {
    let all = |cpu, app, wall| Goals { cpu: Some(cpu), app: Some(app), wall: Some(wall) };
    match variant {
        Variant::V0 => all(0.35, 0.13, 0.25),
        Variant::V1 | Variant::V4 => all(0.4, 0.15, 0.25),
        Variant::Boxes => all(0.5, 0.2, 0.3),
        Variant::BoxesSorted => all(0.5, 0.25, 0.3),
        Variant::Scene => all(0.8, 0.2, 0.5),
        Variant::V2 => all(1.1, 0.15, 0.7),
        Variant::V2Sorted => all(0.6, 0.18, 0.4),
        Variant::V3 => all(1.25, 0.18, 0.8),
        Variant::V6 => Goals { app: Some(0.3), wall: Some(1.0), cpu: None },
        Variant::V7 => all(0.7, 0.25, 0.6),
        // The goal of this variant is relative to v1 instead of wgpu.
        Variant::V5 => Goals::default(),
    }
}

/// Returns the goal of a small frame's wall time.
const fn small_goal(variant: &str, draws: u32) -> Option<f64> {
    match (variant.as_bytes(), draws) {
        (b"v1" | b"boxes", 100) => Some(1.0),
        (b"v1" | b"boxes", 1000) => Some(0.7),
        _ => None,
    }
}

struct Figures<'a> {
    rows: &'a [Row],
    pieces: &'a [Piece],
}

impl Figures<'_> {
    fn row(&self, side: &str, context: &str, threads: usize, variant: &str) -> Option<&Row> {
        let is_it = |row: &&Row| {
            !SMALL.contains(&row.draws)
                && (row.side, row.context, row.threads, row.variant) == (side, context, threads, variant)
        };
        self.rows.iter().find(is_it)
    }

    fn piece(&self, name: &str) -> Option<f64> {
        self.pieces.iter().find(|piece| piece.name == name).map(|piece| piece.value)
    }

    /// Returns the ratios for P1, P2 and P3, which compare Onze with wgpu.
    fn over_wgpu(&self) -> Vec<Ratio> {
        let mut ratios = Vec::new();
        for (variant, goals) in Variant::ALL.map(|variant| (variant.name(), goals(variant))) {
            let Some(onze) = self.row("onze", "immediate", 1, variant) else { continue };
            if variant == "v5" {
                let v1 = self.row("onze", "immediate", 1, "v1");
                ratios.extend(v1.map(|v1| app_ratio("P1", "v5 over v1", onze, v1, Some(1.2))));
            }
            let Some(wgpu) = self.row("wgpu", "immediate", 1, variant) else { continue };
            let wall = onze.wall_ns_per_draw / wgpu.wall_ns_per_draw;
            let cpu = onze.cpu_ns_per_draw / wgpu.cpu_ns_per_draw;
            ratios.push(app_ratio("P1", variant, onze, wgpu, goals.app));
            let of_p10 = Some(onze.wall_p10 / wgpu.wall_p10);
            ratios.push(Ratio { of_p10, ..ratio("P2", variant, wall, goals.wall) });
            ratios.push(ratio("P3", variant, cpu, goals.cpu));
        }
        ratios
    }

    /// Returns the ratios for P12, which concern frames of few draws.
    fn small_frames(&self) -> Vec<Ratio> {
        let small = self.rows.iter().filter(|row| row.side == "onze" && SMALL.contains(&row.draws));
        let over_wgpu = |onze: &Row| {
            let is_wgpu =
                |row: &&Row| (row.side, row.variant, row.draws) == ("wgpu", onze.variant, onze.draws);
            let wgpu = self.rows.iter().find(is_wgpu)?;
            let key = format!("{}, {} draws", onze.variant, onze.draws);
            let value = onze.wall_ns_per_draw / wgpu.wall_ns_per_draw;
            let of_p10 = Some(onze.wall_p10 / wgpu.wall_p10);
            Some(Ratio { of_p10, ..ratio("P12", &key, value, small_goal(onze.variant, onze.draws)) })
        };
        small.filter_map(over_wgpu).collect()
    }

    /// Returns the ratios for P13.
    fn instructions(&self) -> Vec<Ratio> {
        let of = |variant: Variant| {
            let count = |side| self.piece(&format!("instructions/{}/{side}", variant.name()));
            Some(ratio("P13", variant.name(), count("onze")? / count("wgpu")?, None))
        };
        Variant::ALL.into_iter().filter_map(of).collect()
    }

    /// Returns the ratios for P4, which compare several threads with one thread.
    fn threads(&self) -> Vec<Ratio> {
        let several =
            self.rows.iter().filter(|row| (row.side, row.context) == ("onze", "deferred") && row.threads > 1);
        let over_one = |row: &Row| {
            let one = self.row("onze", "deferred", 1, row.variant)?;
            let key = format!("{}, {} threads", row.variant, row.threads);
            Some(app_ratio("P4", &key, row, one, Some(1.1 / row.threads as f64)))
        };
        several.filter_map(over_one).collect()
    }

    /// Returns the ratios for P5 and P6, which concern command lists.
    fn lists(&self) -> Vec<Ratio> {
        let pair = |id, variant: Variant, group: &str, above: &str, below: &str, goal| {
            let name = |which| format!("{group}/{}/{which}", variant.name());
            let value = self.piece(&name(above))? / self.piece(&name(below))?;
            Some(ratio(id, variant.name(), value, Some(goal)))
        };
        let lengths = |variant| pair("P5", variant, "execute", "10000", "100", INDEPENDENT);
        let turns = |variant| pair("P6", variant, "again", "later", "first", 0.6);
        Variant::ALL
            .into_iter()
            .filter_map(lengths)
            .chain(Variant::ALL.into_iter().filter_map(turns))
            .collect()
    }

    /// Returns the ratios for P7, P8, P9 and P14.
    fn calls(&self) -> Vec<Ratio> {
        let mut ratios = Vec::new();
        if let (Some(map), Some(copy)) = (self.piece("map/256"), self.piece("map/copy")) {
            ratios.push(ratio("P7", "ns", map - copy, Some(20.0)));
        }
        if let Some(wgpu) = self.piece("create/wgpu/1") {
            for piece in self.pieces {
                let Some(rest) = piece.name.strip_prefix("create/onze/") else { continue };
                let (threads, flush) = rest.split_once('/').unwrap_or((rest, ""));
                let Ok(count) = threads.parse::<f64>() else { continue };
                let goal = flush.is_empty().then_some(1.3 / count);
                let with = if flush.is_empty() { "" } else { " and the flush" };
                ratios.push(ratio("P8", &format!("{threads} threads{with}"), piece.value / wgpu, goal));
            }
        }
        if let (Some(onze), Some(wgpu)) = (self.piece("texture/onze"), self.piece("texture/wgpu")) {
            ratios.push(ratio("P14", "texture and view", onze / wgpu, None));
        }
        for part in ["app", "wall"] {
            let of = |name| self.piece(&format!("live/{name}/{part}"));
            if let (Some(many), Some(few)) = (of("many"), of("few")) {
                ratios.push(ratio("P9", part, many / few, Some(1.1)));
            }
        }
        ratios
    }

    fn frames(&self) -> Vec<Ratio> {
        let of = |variant: Variant| {
            let onze = self.row("onze", "immediate", 1, variant.name())?.drawn_ns_per_draw?;
            let wgpu = self.row("wgpu", "immediate", 1, variant.name())?.drawn_ns_per_draw?;
            Some(ratio("P11", variant.name(), onze / wgpu, Some(1.0)))
        };
        Variant::ALL.into_iter().filter_map(of).collect()
    }
}

impl Figures<'_> {
    fn bytes(&self) -> Option<Ratio> {
        let bytes = self.row("onze", "immediate", 1, "v3")?.bytes_per_draw?;
        Some(ratio("P10", "v3, bytes per draw", bytes, Some(64.0)))
    }
}

fn ratio(id: &'static str, key: &str, value: f64, goal: Option<f64>) -> Ratio {
    Ratio { id, key: key.to_owned(), value, of_p10: None, goal }
}

/// Returns the ratio of two rows' times on the application's thread.
fn app_ratio(id: &'static str, key: &str, above: &Row, below: &Row, goal: Option<f64>) -> Ratio {
    let of_p10 = Some(above.app_p10 / below.app_p10);
    Ratio { of_p10, ..ratio(id, key, above.app_ns_per_draw / below.app_ns_per_draw, goal) }
}

/// Groups the ratios by goal, for the report.
pub(crate) fn by_goal(ratios: &[Ratio]) -> BTreeMap<&'static str, BTreeMap<String, f64>> {
    let mut map: BTreeMap<&'static str, BTreeMap<String, f64>> = BTreeMap::new();
    for ratio in ratios {
        map.entry(ratio.id).or_default().insert(ratio.key.clone(), ratio.value);
    }
    map
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Creates a row. `app` is the time on the application's thread, and the other times are two and three
    /// times `app`.
    pub(crate) fn row(
        side: &'static str,
        context: &'static str,
        threads: usize,
        variant: &'static str,
        app: f64,
    ) -> Row {
        Row {
            bench: "record",
            backend: "noop",
            side,
            context,
            threads,
            workers: 1,
            variant,
            draws: 10_000,
            app_ns_per_draw: app,
            app_p10: app / 2.0,
            app_p90: app * 2.0,
            wall_ns_per_draw: app * 2.0,
            cpu_ns_per_draw: app * 3.0,
            floor_ns_per_draw: 1.0,
            bytes_per_draw: None,
            wall_p10: app,
            drawn_ns_per_draw: None,
        }
    }

    fn piece(name: &str, value: f64) -> Piece {
        Piece { name: name.to_owned(), value, what: String::new() }
    }

    fn found(ratios: &[Ratio], id: &str, key: &str) -> (f64, Option<bool>) {
        let ratio = ratios.iter().find(|ratio| (ratio.id, ratio.key.as_str()) == (id, key)).unwrap();
        (ratio.value, ratio.is_met())
    }

    #[test]
    fn ratios_compare_the_rows_that_their_goals_name() {
        let rows = [
            row("onze", "immediate", 1, "v1", 10.0),
            row("wgpu", "immediate", 1, "v1", 100.0),
            row("onze", "immediate", 1, "v5", 15.0),
            row("onze", "immediate", 1, "v6", 31.0),
            row("wgpu", "immediate", 1, "v6", 100.0),
            row("onze", "deferred", 1, "v1", 12.0),
            row("onze", "deferred", 4, "v1", 3.0),
            row("wgpu", "deferred", 4, "v1", 1.0),
        ];
        let ratios = all("noop", &rows, &[], &mut Vec::new());
        assert_eq!(found(&ratios, "P1", "v1"), (0.1, Some(true)));
        assert_eq!(found(&ratios, "P1", "v5 over v1"), (1.5, Some(false)));
        assert_eq!(found(&ratios, "P2", "v1"), (0.1, Some(true)));
        assert_eq!(found(&ratios, "P1", "v6"), (0.31, Some(false)));
        assert_eq!(ratios[0].id, "P3", "CPU time comes first");
        assert_eq!(found(&ratios, "P2", "v6"), (0.31, Some(true)));
        assert_eq!(found(&ratios, "P3", "v1"), (0.1, Some(true)));
        assert_eq!(found(&ratios, "P4", "v1, 4 threads"), (0.25, Some(true)));
        assert_eq!(ratios.len(), 8);
    }

    #[test]
    fn ratios_of_pieces_have_their_goals() {
        let pieces = [
            piece("execute/v0/100", 100.0),
            piece("execute/v0/10000", 150.0),
            piece("again/v2/first", 10.0),
            piece("again/v2/later", 5.0),
            piece("map/256", 60.0),
            piece("map/copy", 35.0),
            piece("create/onze/2", 50.0),
            piece("create/onze/2/flush", 90.0),
            piece("create/wgpu/1", 100.0),
            piece("live/few/app", 10.0),
            piece("live/many/app", 20.0),
        ];
        let ratios = all("noop", &[], &pieces, &mut Vec::new());
        assert_eq!(found(&ratios, "P5", "v0"), (1.5, Some(false)));
        assert_eq!(found(&ratios, "P6", "v2"), (0.5, Some(true)));
        assert_eq!(found(&ratios, "P7", "ns"), (25.0, Some(false)));
        assert_eq!(found(&ratios, "P8", "2 threads"), (0.5, Some(true)));
        assert_eq!(found(&ratios, "P8", "2 threads and the flush"), (0.9, None));
        assert_eq!(found(&ratios, "P9", "app"), (2.0, Some(false)));
    }

    #[test]
    fn a_missing_measurement_is_reported() {
        let mut missing = Vec::new();
        all("noop", &[], &[], &mut missing);
        assert_eq!(missing.len(), GOALS.len());
        for ((id, _), sentence) in GOALS.iter().zip(&missing) {
            assert!(sentence.starts_with(&format!("{id} (")), "{sentence}");
        }
    }

    #[test]
    fn the_null_driver_has_no_ratio_to_wgpu() {
        let mut missing = Vec::new();
        let ratios = all("null", &[row("onze", "immediate", 1, "v0", 10.0)], &[], &mut missing);
        assert!(ratios.is_empty() && missing.len() == GOALS.len());
    }

    #[test]
    fn goals_are_those_of_the_backend_without_a_gpu() {
        let pieces = [piece("execute/v0/100", 100.0), piece("execute/v0/10000", 150.0)];
        let verdict = |backend| all(backend, &[], &pieces, &mut Vec::new())[0].verdict();
        assert_eq!((verdict("noop"), verdict("null"), verdict("default")), ("missed", "no goal", "no goal"));
    }
}
