//! Statistics as tables with small histograms.

use std::io::Write as _;

use tfxio::ColumnPath;
use tfxio::stats::{
    Correlation, DriftReport, FeatureDrift, FeatureSummary, ImageSummary, NumberSummary, StatisticsList,
    StatisticsOptions, TextSummary,
};

use super::Found;
use crate::output::Output;
use crate::rows::printable;
use crate::table::{Table, count, counted, cut_right};
use crate::{Done, escape};

/// Characters of a value.
const VALUE: usize = 24;
/// Most frequent values that make a histogram.
const RANKS: usize = 10;
/// Correlations that are listed.
const PAIRS: usize = 20;
/// Formats and sizes of images that are listed.
const SIZES: usize = 3;
/// Parts of a bar, from low to high.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) fn write(found: &Found, list: &StatisticsList, out: &mut Output) -> Done {
    let names = list.names().collect::<Vec<_>>();
    for (number, name) in names.iter().enumerate() {
        let features = list.summaries(number);
        if number > 0 {
            writeln!(out)?;
        }
        let examples = counted(list.num_examples(number).unwrap_or_default(), "record");
        let columns = counted(features.len() as u64, "column");
        let weighted = if features.iter().any(|feature| feature.is_weighted) { ", weighted" } else { "" };
        if names.len() > 1 {
            writeln!(out, "{}: {examples}, {columns}{weighted}", escape::line(name))?;
        } else {
            writeln!(out, "{examples}, {columns}{weighted}")?;
        }
        let (numbers, others): (Vec<_>, Vec<_>) =
            features.iter().partition(|feature| feature.numbers.is_some());
        if !numbers.is_empty() {
            writeln!(out)?;
            numeric(&numbers).write_fitting(out, "column")?;
        }
        if !others.is_empty() {
            writeln!(out)?;
            other(&others).write_fitting(out, "column")?;
        }
        if features.iter().any(|feature| feature.images.is_some()) {
            writeln!(out)?;
            images(&features).write_fitting(out, "column")?;
        }
        let pairs = list.correlations(number);
        if !pairs.is_empty() {
            writeln!(out)?;
            correlations(&pairs, out)?;
        } else if number == 0 && found.wants_pairs {
            writeln!(out, "\nno correlations: no two columns have one number in the same rows")?;
        }
        let (most, numeric) = (StatisticsOptions::default().correlated_columns, numbers.len());
        if number == 0 && found.wants_pairs && numeric > most {
            writeln!(out, "correlations are those of the first {most} of {numeric} columns of numbers")?;
        }
    }
    if names.is_empty() {
        writeln!(out, "no statistics")?;
    }
    compared(found, out)?;
    checked(found, out)
}

fn numeric(features: &[&FeatureSummary]) -> Table {
    let mut names = vec![
        "column",
        "type",
        "missing",
        "a row",
        "mean",
        "std dev",
        "zeros",
        "min",
        "median",
        "max",
        "histogram",
    ];
    let empty = NumberSummary::default();
    // Of most data there are none.
    let has_nan = features.iter().any(|feature| feature.numbers.as_ref().is_some_and(|stats| stats.nan > 0));
    if has_nan {
        names.insert(7, "NaN");
    }
    let columns = names.len();
    let mut table = Table::new(names);
    for feature in features {
        let stats = feature.numbers.as_ref().unwrap_or(&empty);
        let mut row = first_cells(feature);
        if feature.values == 0 {
            row.resize(columns, String::new());
        } else {
            // Of values that are all NaN, nothing else is known.
            let short =
                |number: f64| if stats.nan >= feature.values { "NaN".to_owned() } else { short(number) };
            row.extend([
                short(stats.mean),
                short(stats.std_dev),
                count(stats.zeros),
                short(stats.min),
                short(stats.median),
                short(stats.max),
                bars(stats.histogram.iter().map(|(_, _, count)| *count)),
            ]);
            if has_nan {
                row.insert(7, count(stats.nan));
            }
        }
        table.push(row);
    }
    table
}

fn other(features: &[&FeatureSummary]) -> Table {
    let mut table = Table::new([
        "column",
        "type",
        "missing",
        "a row",
        "distinct",
        "length",
        "most frequent",
        "times",
        "histogram",
    ]);
    let empty = TextSummary::default();
    for feature in features {
        let stats = feature.texts.as_ref().unwrap_or(&empty);
        let mut row = first_cells(feature);
        if let Some(what) = &feature.only_counted {
            row.extend([String::new(), String::new(), format!("only counted: {}", escape::line(what))]);
            row.resize(9, String::new());
        } else if feature.values == 0 || feature.texts.is_none() {
            row.resize(9, String::new());
        } else {
            let top = stats.top_values.first();
            row.extend([
                estimate(count(stats.distinct), stats.distinct_error),
                short(stats.mean_length),
                top.map_or_else(String::new, |(value, _)| cut_right(&escape::line(value), VALUE)),
                top.map_or_else(String::new, |(_, count)| estimate(short(*count), stats.count_error)),
                bars(stats.top_values.iter().take(RANKS).map(|(_, count)| *count)),
            ]);
        }
        table.push(row);
    }
    table
}

/// Returns a number, and of an estimate how far it may be off.
fn estimate(number: String, error: f64) -> String {
    if error > 0.0 { format!("≈{number} ±{}", short(error.ceil())) } else { number }
}

/// The columns of images: formats and sizes, the most frequent first.
fn images(features: &[FeatureSummary]) -> Table {
    let mut table = Table::new(["column", "formats", "width", "height", "sizes"]);
    let counts = |counts: &[(String, f64)]| {
        let shown = counts.iter().take(SIZES);
        let shown = shown.map(|(name, count)| format!("{} {}", escape::line(name), short(*count)));
        let more = if counts.len() > SIZES { ", …" } else { "" };
        format!("{}{more}", shown.collect::<Vec<_>>().join(", "))
    };
    let extent = |extent: Option<[f64; 3]>| match extent {
        None => String::new(),
        Some([min, _, max]) if min == max => short(min),
        Some([min, mean, max]) => format!("{} to {}, mean {}", short(min), short(max), short(mean)),
    };
    for feature in features {
        let Some(ImageSummary { formats, width, height, sizes, .. }) = &feature.images else { continue };
        table.push(vec![
            printable(&feature.path.to_string()),
            counts(formats),
            extent(*width),
            extent(*height),
            counts(sizes),
        ]);
    }
    table
}

/// Writes the correlations of pairs of columns, the strongest first.
fn correlations(pairs: &[Correlation], out: &mut Output) -> Done {
    let mut table = Table::new(["column", "with", "correlation", "covariance", "rows with both"]);
    for pair in pairs.iter().take(PAIRS) {
        table.push(vec![
            printable(&pair.x.to_string()),
            printable(&pair.y.to_string()),
            short(pair.correlation),
            short(pair.covariance),
            count(pair.rows),
        ]);
    }
    table.write_fitting(out, "pair")?;
    let more = pairs.len().saturating_sub(PAIRS) as u64;
    if more > 0 {
        writeln!(out, "and {} that are weaker; --format json has all", counted(more, "pair"))?;
    }
    Ok(())
}

/// The cells that all columns have: name, type, missing rows, values a row.
fn first_cells(feature: &FeatureSummary) -> Vec<String> {
    let values = match (feature.min_values, feature.max_values) {
        _ if feature.present == 0 => String::new(),
        (min, max) if min == max => count(min),
        (min, max) => format!("{} to {}", count(min), count(max)),
    };
    vec![
        printable(&feature.path.to_string()),
        feature.type_name.to_lowercase(),
        count(feature.missing),
        values,
    ]
}

/// Writes the distances of columns from the columns of the other data set.
fn compared(found: &Found, out: &mut Output) -> Done {
    let Some(report) = &found.drift else { return Ok(()) };
    writeln!(out)?;
    let mut table = Table::new(["column", "L-infinity", "Jensen-Shannon", "most different", "state"]);
    let distance = |distance: Option<f64>| distance.map_or_else(String::new, short);
    for feature in &report.features {
        table.push(vec![
            printable(&feature.path.to_string()),
            distance(feature.l_infinity),
            distance(feature.jensen_shannon),
            feature
                .most_different
                .as_deref()
                .map_or_else(String::new, |value| cut_right(&escape::line(value), VALUE)),
            drift_state(feature).to_owned(),
        ]);
    }
    for (paths, state) in [(&report.only_before, "gone"), (&report.only_after, "new")] {
        for path in paths {
            let mut row = vec![printable(&path.to_string())];
            row.resize(4, String::new());
            row.push(state.to_owned());
            table.push(row);
        }
    }
    table.write_fitting(out, "column")?;
    Ok(())
}

/// Returns the columns that drifted, are gone or are new, each with that state.
pub(super) fn drifted(report: &DriftReport) -> Vec<(&ColumnPath, &'static str)> {
    let drifted = report.features.iter().filter(|feature| feature.is_drifted());
    let drifted = drifted.map(|feature| (&feature.path, drift_state(feature)));
    let gone = report.only_before.iter().map(|path| (path, "gone"));
    let new = report.only_after.iter().map(|path| (path, "new"));
    drifted.chain(gone).chain(new).collect()
}

fn drift_state(feature: &FeatureDrift) -> &'static str {
    match feature {
        feature if feature.is_type_changed => "other type",
        feature if feature.is_drifted() => "drift",
        _ => "ok",
    }
}

/// Writes the anomalies by the schema.
fn checked(found: &Found, out: &mut Output) -> Done {
    let Some(anomalies) = &found.anomalies else { return Ok(()) };
    writeln!(out)?;
    if anomalies.is_data_missing() {
        writeln!(out, "there are no records, so that nothing can be compared with the schema")?;
    } else if anomalies.is_empty() {
        writeln!(out, "the statistics satisfy the schema")?;
    } else {
        writeln!(out, "{}", counted(anomalies.len() as u64, "anomaly"))?;
        for anomaly in anomalies.iter() {
            let (path, severity) = (shown_path(anomaly.path()), anomaly.severity().name().to_lowercase());
            writeln!(out, "{severity}: {}: {}", escape::line(&path), escape::line(anomaly.text()))?;
        }
    }
    Ok(())
}

/// Returns what a path is called, the one of the data set as a whole too.
pub(super) fn shown_path(path: &ColumnPath) -> String {
    if path.is_empty() { "the data set".to_owned() } else { printable(&path.to_string()) }
}

/// Returns a bar for each count; one that is not 0 can be seen.
fn bars(counts: impl Iterator<Item = f64> + Clone) -> String {
    let most = counts.clone().fold(0.0, f64::max);
    let bar = |count: f64| {
        if !(count > 0.0 && most > 0.0) {
            return ' ';
        }
        // From 0 to 7, as counts are at most `most`.
        let height = (count / most * 8.0).ceil().clamp(1.0, 8.0) as usize;
        BARS.get(height - 1).copied().unwrap_or(' ')
    };
    counts.map(bar).collect()
}

/// Returns a number in about five digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .to_owned();
    }
    if value.fract() == 0.0 && size < 1e15 {
        let text = count(size as u64);
        return if value < 0.0 { format!("-{text}") } else { text };
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = (4.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_what_is_there() {
        assert_eq!(bars([800.0, 400.0, 100.0, 1.0, 0.0, 450.0].into_iter()), "█▄▁▁ ▅");
        assert_eq!(bars([0.0, f64::NAN].into_iter()), "  ");
        assert_eq!(bars([].into_iter()), "");
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, -1234.0, 4.884_165, 0.000_012, f64::NEG_INFINITY, 123_456.7, 1e18].map(short);
        assert_eq!(shown, ["0", "-1,234", "4.8842", "1.200e-5", "-inf", "123457", "1.000e18"]);
    }
}
