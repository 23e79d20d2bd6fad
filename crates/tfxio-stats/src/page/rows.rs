//! The tables of the page, which also show where no script runs.

use std::fmt::Write as _;

use super::feature::{Feature, Section};
use super::text::{counted, cut, html, integer, number, percent};
use super::{Drift, Page};
use crate::ImageSummary;
use crate::feature::{ranked, shared, type_name};
use crate::proto::tfmd;
use crate::row_counts;
use crate::summary::{count_error, distinct_error, of_images};
use tfmd::cross_feature_statistics::CrossStats;
use tfmd::feature_name_statistics::Stats;

/// Placeholder for a missing number.
const NONE: &str = "–";
/// The part of examples without a feature from which on the number is marked.
const MUCH_MISSING: f64 = 0.5;
/// Correlations that are listed, at most.
const MOST_PAIRS: usize = 50;
/// Characters of a value in a cell.
const VALUE: usize = 40;

/// A column: its head, and how it is sorted.
type Column = (&'static str, Sorted);

#[derive(Clone, Copy, PartialEq)]
enum Sorted {
    Text,
    Number,
    No,
}

const NUMERIC: &[Column] = &[
    ("Missing", Sorted::Number),
    ("Mean", Sorted::Number),
    ("Std dev", Sorted::Number),
    ("Zeros", Sorted::Number),
    ("Min", Sorted::Number),
    ("Median", Sorted::Number),
    ("Max", Sorted::Number),
];
const OTHER: &[Column] = &[
    ("Missing", Sorted::Number),
    ("Distinct", Sorted::Number),
    ("Most frequent", Sorted::Text),
    ("Count", Sorted::Number),
    ("Mean length", Sorted::Number),
];

impl Page<'_> {
    /// Writes a data set or slice.
    pub(super) fn section(
        &self,
        out: &mut String,
        at: usize,
        section: &Section<'_>,
        is_named: bool,
        number: &mut usize,
    ) {
        let _ = writeln!(out, "<section class=\"slice\" id=\"s{at}\">");
        if is_named {
            let _ = writeln!(out, "<h2><bdi>{}</bdi></h2>", html(section.shown_name()));
        }
        for (side, dataset) in section.datasets.iter().enumerate() {
            let is_shown = side == 0 || self.other.is_some();
            let text = match dataset {
                Some(dataset) if dataset.num_examples == 0 => {
                    "has no examples: there is nothing to show of its values"
                }
                None if is_shown => "does not have this slice",
                _ => continue,
            };
            let name = if self.other.is_some() { html(&self.names[side]) } else { "The data set".to_owned() };
            let _ = writeln!(out, "<p class=\"faint\"><bdi>{name}</bdi> {text}.</p>");
        }
        let (numeric, other) = section.features.split_at(section.numeric);
        for (kind, features, columns) in
            [("Numeric features", numeric, NUMERIC), ("Other features", other, OTHER)]
        {
            self.table(out, section, (kind, at), features, columns, number);
        }
        self.pairs(out, section);
        out.push_str("</section>\n");
    }

    fn table(
        &self,
        out: &mut String,
        section: &Section<'_>,
        (kind, at): (&str, usize),
        features: &[Feature<'_>],
        columns: &[Column],
        number: &mut usize,
    ) {
        let id = format!("{}{at}", if kind.starts_with('N') { "numeric" } else { "other" });
        let _ = write!(
            out,
            "<h3 id=\"{id}\">{kind} <small>{}</small></h3>\n<div class=\"scroll\">\n<table class=\"features\" aria-labelledby=\"{id}\">\n<thead><tr>",
            integer(features.len() as u64)
        );
        let head = self.columns(columns);
        for (title, sorted) in &head {
            let (class, sort) = match sorted {
                Sorted::Text => (" class=\"text\"", " data-sort=\"text\""),
                Sorted::Number => ("", " data-sort=\"number\""),
                Sorted::No => (" class=\"text\"", ""),
            };
            let _ = write!(out, "<th scope=\"col\"{class}{sort}>{title}</th>");
        }
        out.push_str("</tr></thead>\n");
        let span = head.len();
        if features.is_empty() {
            let _ = writeln!(
                out,
                "<tbody><tr class=\"empty\"><td colspan=\"{span}\">There are no {}.</td></tr></tbody>",
                kind.to_lowercase()
            );
        } else {
            let _ = writeln!(
                out,
                "<tbody class=\"empty\" hidden><tr><td colspan=\"{span}\">None of the {} matches.</td></tr></tbody>",
                kind.to_lowercase()
            );
        }
        for feature in features {
            self.feature(out, section, feature, kind.starts_with('N'), *number);
            *number += 1;
        }
        out.push_str("</table>\n</div>\n");
    }

    fn columns(&self, columns: &[Column]) -> Vec<Column> {
        let mut out = vec![("Feature", Sorted::Text), ("Distribution", Sorted::No)];
        if !self.drift.is_empty() {
            out.push(("Drift", Sorted::Number));
        }
        if self.other.is_some() {
            out.push(("Data", Sorted::No));
        }
        out.push(("Type", Sorted::Text));
        out.extend(columns);
        out
    }

    /// Writes the rows of a feature: one a side.
    fn feature(
        &self,
        out: &mut String,
        section: &Section<'_>,
        feature: &Feature<'_>,
        is_numeric: bool,
        number: usize,
    ) {
        let drift = self.drift.get(&feature.name);
        let anomalies =
            self.anomalies.iter().filter(|anomaly| anomaly.path == feature.name).collect::<Vec<_>>();
        let is_missing = |feature: &tfmd::FeatureNameStatistics| row_counts::of(feature).1 > 0;
        let mut flags = String::new();
        for (flag, is_set) in [
            ('m', feature.sides.iter().flatten().any(|side| is_missing(side))),
            ('a', !anomalies.is_empty()),
            ('d', drift.is_some_and(|drift| drift.is_over)),
        ] {
            if is_set {
                flags.push(flag);
            }
        }
        let _ = write!(
            out,
            "<tbody id=\"f{number}\" data-f=\"{number}\" data-type=\"{}\" data-flags=\"{flags}\">",
            feature.type_name()
        );
        let span = if self.other.is_some() { " rowspan=\"2\"" } else { "" };
        let sides = if self.other.is_some() { 2 } else { 1 };
        for (side, statistics) in feature.sides.iter().enumerate().take(sides) {
            out.push_str("<tr>");
            if side == 0 {
                let _ =
                    write!(out, "<th scope=\"row\" class=\"name\"{span}><bdi>{}</bdi>", html(&feature.name));
                if !anomalies.is_empty() {
                    out.push_str("<ul class=\"notes\">");
                    for anomaly in anomalies.iter() {
                        let _ = write!(out, "<li>{}</li>", html(&anomaly.text));
                    }
                    out.push_str("</ul>");
                }
                out.push_str("</th>");
                let _ = write!(out, "<td class=\"text\"{span}><div class=\"chart\"></div></td>");
                if !self.drift.is_empty() {
                    drift_cell(out, drift, span);
                }
            }
            if self.other.is_some() {
                let class = if side == 0 { "key" } else { "key other" };
                let name = html(&self.names[side]);
                let _ = write!(
                    out,
                    "<th scope=\"row\" class=\"text\"><i class=\"{class}\"></i><bdi>{name}</bdi></th>"
                );
            }
            let examples = section.datasets[side].map_or(0, |dataset| dataset.num_examples);
            cells(out, *statistics, is_numeric, examples);
            out.push_str("</tr>");
        }
        out.push_str("</tbody>\n");
    }

    /// Writes the strongest correlations of pairs of numbers.
    fn pairs(&self, out: &mut String, section: &Section<'_>) {
        for (side, dataset) in section.datasets.iter().enumerate() {
            let Some(dataset) = dataset else { continue };
            let mut pairs = dataset
                .cross_features
                .iter()
                .filter_map(|pair| match pair.cross_stats.as_ref()? {
                    CrossStats::NumCrossStats(stats) => Some((pair, stats.correlation)),
                    CrossStats::CategoricalCrossStats(_) => None,
                })
                .collect::<Vec<_>>();
            if pairs.is_empty() {
                continue;
            }
            pairs.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
            let all = pairs.len();
            let name = if self.other.is_some() {
                format!(" of <bdi>{}</bdi>", html(&self.names[side]))
            } else {
                String::new()
            };
            let most =
                if all > MOST_PAIRS { format!("the strongest {MOST_PAIRS} of ") } else { String::new() };
            let _ = write!(
                out,
                "<h3>Correlations{name} <small>{most}{}</small></h3>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">Feature</th>\
                 <th scope=\"col\" class=\"text\">With</th><th scope=\"col\">Correlation</th><th scope=\"col\">Examples with both</th></tr></thead>\n<tbody>",
                counted(all as u64, "pair")
            );
            let steps = |path: &Option<tfmd::Path>| {
                html(&path.as_ref().map_or(String::new(), |path| path.step.join(".")))
            };
            for (pair, correlation) in pairs.into_iter().take(MOST_PAIRS) {
                let _ = writeln!(
                    out,
                    "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"text\"><bdi>{}</bdi></td><td>{}</td><td>{}</td></tr>",
                    steps(&pair.path_x),
                    steps(&pair.path_y),
                    number(f64::from(correlation)),
                    integer(pair.count)
                );
            }
            out.push_str("</tbody>\n</table>\n</div>\n");
        }
    }
}

fn drift_cell(out: &mut String, drift: Option<&Drift>, span: &str) {
    let _ = match drift {
        None => write!(out, "<td{span}>{NONE}</td>"),
        Some(Drift { distance, is_over: false }) => write!(out, "<td{span}>{}</td>", number(*distance)),
        Some(Drift { distance, is_over: true }) => {
            write!(out, "<td class=\"much\"{span}>{} <small>too far</small></td>", number(*distance))
        }
    };
}

/// Writes the cells of one side, from the type on.
fn cells(out: &mut String, feature: Option<&tfmd::FeatureNameStatistics>, is_numeric: bool, examples: u64) {
    let columns = if is_numeric { NUMERIC.len() } else { OTHER.len() };
    let Some(feature) = feature else {
        let _ = write!(out, "<td class=\"text faint\" colspan=\"{}\">not in this data set</td>", columns + 1);
        return;
    };
    let _ = write!(out, "<td class=\"text\">{}</td>", type_name(feature));
    missing(out, feature, examples);
    if is_numeric {
        match &feature.stats {
            Some(Stats::NumStats(stats)) => numbers(out, stats),
            _ => out.push_str(&format!("<td>{NONE}</td>").repeat(columns - 1)),
        }
    } else {
        let (custom, images) = (&feature.custom_stats, of_images(&feature.custom_stats));
        values(out, feature.stats.as_ref(), custom, images.as_ref());
    }
}

fn missing(out: &mut String, feature: &tfmd::FeatureNameStatistics, examples: u64) {
    if shared(feature).is_none() {
        let _ = write!(out, "<td>{NONE}</td>");
        return;
    }
    let (present, missing) = row_counts::of(feature);
    // Of fields in statistics of other programs, the structs.
    let whole = match present.saturating_add(missing) {
        0 => examples,
        whole => whole,
    };
    if missing == 0 {
        out.push_str("<td>0</td>");
        return;
    }
    let is_much = missing as f64 >= MUCH_MISSING * whole as f64;
    let class = if is_much { " class=\"much\"" } else { "" };
    let share = percent(missing as f64, whole as f64).replace('<', "&lt;");
    let _ = write!(out, "<td{class}>{} <small>{share}</small></td>", integer(missing));
}

fn numbers(out: &mut String, stats: &tfmd::NumericStatistics) {
    let values = stats.common_stats.as_ref().map_or(0, |stats| stats.tot_num_values);
    if values == 0 {
        out.push_str(&format!("<td>{NONE}</td>").repeat(NUMERIC.len() - 1));
        return;
    }
    let zeros = match stats.num_zeros {
        0 => "0".to_owned(),
        zeros => {
            let share = percent(zeros as f64, values as f64).replace('<', "&lt;");
            format!("{} <small>{share}</small>", integer(zeros))
        }
    };
    for cell in [
        number(stats.mean),
        number(stats.std_dev),
        zeros,
        number(stats.min),
        number(stats.median),
        number(stats.max),
    ] {
        let _ = write!(out, "<td>{cell}</td>");
    }
}

fn values(
    out: &mut String,
    stats: Option<&Stats>,
    custom: &[tfmd::CustomStatistic],
    images: Option<&ImageSummary>,
) {
    let none = || NONE.to_owned();
    let distinct = |unique: u64| estimate(integer(unique), distinct_error(custom, unique));
    let (distinct, value, count, length) = match stats {
        Some(Stats::StringStats(stats)) => {
            let ranked = ranked(stats);
            let values = stats.common_stats.as_ref().map_or(0, |stats| stats.tot_num_values);
            let top = ranked.first();
            let count = |count: f64| {
                let share = percent(count, values as f64).replace('<', "&lt;");
                format!("{} <small>{share}</small>", estimate(number(count), count_error(custom)))
            };
            let length = if values == 0 { none() } else { number(f64::from(stats.avg_length)) };
            (
                distinct(stats.unique),
                top.map_or_else(none, |(value, _)| format!("<bdi>{}</bdi>", html(&cut(value, VALUE)))),
                top.map_or_else(none, |(_, number)| count(*number)),
                length,
            )
        }
        Some(Stats::BytesStats(stats)) => {
            let values = stats.common_stats.as_ref().map_or(0, |stats| stats.tot_num_values);
            let format = images.and_then(|images| images.formats.first());
            let size = images.and_then(|images| images.sizes.first());
            let what = format.map_or_else(none, |(format, _)| match size {
                Some((size, _)) => {
                    format!("{} <small>mostly {}</small>", html(&cut(format, VALUE)), html(&cut(size, VALUE)))
                }
                None => html(&cut(format, VALUE)),
            });
            let count = format.map_or_else(none, |(_, count)| {
                let share = percent(*count, values as f64).replace('<', "&lt;");
                format!("{} <small>{share}</small>", number(*count))
            });
            (distinct(stats.unique), what, count, number(f64::from(stats.avg_num_bytes)))
        }
        _ => (none(), none(), none(), none()),
    };
    let _ = write!(
        out,
        "<td>{distinct}</td><td class=\"text value\">{value}</td><td>{count}</td><td>{length}</td>"
    );
}

/// Returns a number, and of an estimate how far it may be off.
pub(super) fn estimate(number: String, error: f64) -> String {
    if error > 0.0 { format!("≈{number} ±{}", self::number(error.ceil())) } else { number }
}
