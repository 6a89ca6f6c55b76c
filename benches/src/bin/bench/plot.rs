//! The picture: nanoseconds per draw for each implementation, and the scaling of recording with threads.

use std::path::Path;

use onze_benches::error::Error;
use onze_benches::workload::Variant;
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::Report;
use crate::results;
use crate::rows::{Row, SMALL};

const SIZE: (u32, u32) = (1080, 440);

const SCALING: Variant = Variant::V2;

const COLORS: [RGBColor; 6] = [
    RGBColor(110, 118, 129),
    RGBColor(31, 119, 180),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(255, 127, 14),
    RGBColor(23, 160, 170),
];

const GRID: RGBColor = RGBColor(225, 228, 232);

/// The bars of an implementation, with a value for each variant.
struct Bars {
    name: String,
    values: Vec<Option<f64>>,
}

pub(crate) fn write(report: &Report, path: &Path) -> Result<(), Error> {
    results::write(path, &svg(report)?)
}

fn svg(report: &Report) -> Result<String, Error> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawn = draw(report, &area);
        drawn
            .and_then(|()| area.present().map_err(Into::into))
            .map_err(|error| Error::Plot(error.to_string()))?;
    }
    Ok(text + "\n")
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(report: &Report, area: &Area<'_>) -> Drawn {
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(SIZE.0 * 6 / 10);
    bars(&implementations(&report.rows), &left)?;
    lines(&report.rows, &right)
}

/// Returns the bars of every implementation.
fn implementations(rows: &[Row]) -> Vec<Bars> {
    let mut threads: Vec<_> = rows.iter().map(|row| row.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let of = |name: String, side: &str, context: &str, threads: usize| {
        let is_it = |row: &&Row, variant: Variant| {
            let is_large = !SMALL.contains(&row.draws);
            is_large
                && (row.side, row.context, row.threads, row.variant)
                    == (side, context, threads, variant.name())
        };
        let value = |variant| rows.iter().find(|row| is_it(row, variant)).map(|row| row.app_ns_per_draw);
        Bars { name, values: Variant::ALL.into_iter().map(value).collect() }
    };
    let mut all = vec![
        of("raw wgpu".to_owned(), "wgpu", "immediate", 1),
        of("Onze, immediate".to_owned(), "onze", "immediate", 1),
    ];
    for threads in threads {
        all.push(of(
            format!("wgpu, {threads} threads").replace("1 threads", "1 thread"),
            "wgpu",
            "deferred",
            threads,
        ));
        all.push(of(format!("Onze, {threads} deferred"), "onze", "deferred", threads));
    }
    // Drop wgpu on one thread, because its bars are the same as for the immediate context.
    all.retain(|bars| bars.name != "wgpu, 1 thread" && bars.values.iter().any(Option::is_some));
    all
}

fn bars(all: &[Bars], area: &Area<'_>) -> Drawn {
    let highest = all.iter().flat_map(|bars| &bars.values).flatten().fold(1.0, |a: f64, b| a.max(*b));
    let mut chart = ChartBuilder::on(area)
        .caption("recording, ns per draw", ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(28)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..Variant::ALL.len() as f64, 0.0..highest * 1.15)?;
    let name =
        |place: &f64| Variant::ALL.get(*place as usize).map_or_else(String::new, |v| v.name().to_owned());
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .y_label_formatter(&|value| format!("{value:.0}"))
        .x_labels(Variant::ALL.len() + 1)
        .x_label_offset((SIZE.0 * 6 / 10 / 14) as i32)
        .x_label_formatter(&name)
        .draw()?;
    let width = 0.84 / all.len().max(1) as f64;
    for (number, bars) in all.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let boxes = bars.values.iter().enumerate().filter_map(|(variant, value)| {
            let left = variant as f64 + 0.08 + number as f64 * width;
            value.map(|value| Rectangle::new([(left, 0.0), (left + width * 0.94, value)], color.filled()))
        });
        chart
            .draw_series(boxes)?
            .label(&bars.name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled()));
    }
    legend(&mut chart)
}

fn lines(rows: &[Row], area: &Area<'_>) -> Drawn {
    let of = |side: &str| -> Vec<(f64, f64)> {
        let rows = rows
            .iter()
            .filter(|row| (row.side, row.context, row.variant) == (side, "deferred", SCALING.name()));
        rows.map(|row| (row.threads as f64, row.app_ns_per_draw)).collect()
    };
    let all = [
        ("wgpu, an encoder per thread", of("wgpu"), COLORS[0]),
        ("Onze, deferred contexts", of("onze"), COLORS[1]),
    ];
    let points = || all.iter().flat_map(|(_, points, _)| points);
    let most = points().fold(2.0, |a: f64, point| a.max(point.0));
    let highest = points().fold(1.0, |a: f64, point| a.max(point.1));
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{} by threads, ns per draw", SCALING.name()), ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(28)
        .y_label_area_size(44)
        .build_cartesian_2d(0.5..most + 0.5, 0.0..highest * 1.25)?;
    let whole = |place: &f64| if place.fract() == 0.0 { format!("{place:.0}") } else { String::new() };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .y_label_formatter(&|value| format!("{value:.0}"))
        .x_label_formatter(&whole)
        .x_desc("recording threads")
        .draw()?;
    for (name, points, color) in all {
        if points.is_empty() {
            continue;
        }
        let line = LineSeries::new(points.iter().copied(), color.filled().stroke_width(2)).point_size(4);
        chart
            .draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 12, y)], color.stroke_width(2)));
    }
    legend(&mut chart)
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>) -> Drawn {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(TRANSPARENT)
        .label_font(("sans-serif", 12))
        .draw()?;
    Ok(())
}
