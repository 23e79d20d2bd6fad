//! `tfxio stats`: statistics of columns, what differs from others, and what a schema does not allow.
//!
//! [`measure`] reads data or statistics, [`files`] are files of statistics, [`table`] and [`json`] show them.

mod files;
mod json;
mod measure;
mod table;

use std::io::{self, IsTerminal as _, Write as _};

use tfxio::stats::{
    Anomalies, DriftOptions, DriftReport, InferOptions, Page, StatisticsList, ValidateOptions, drift,
    infer_schema, validate,
};
use tfxio::tensor_repr::TfmdSchema;
use tfxio::{ColumnPath, NamePattern};

use self::files::Written;
use crate::args::{Stats, StatsFormat};
use crate::context::Context;
use crate::failure::{DATA, Failure};
use crate::output::Output;
use crate::{Done, escape};

pub(crate) fn run(args: &Stats, context: &Context) -> Done {
    if args.format == StatsFormat::Proto && io::stdout().is_terminal() {
        let text =
            "--format proto writes bytes, which a terminal does not show; write them to a file with -o FILE";
        return Err(Failure::Usage(text.to_owned()));
    }
    // What cannot be written is said before anything is read.
    let page = args.html.as_deref().map(|path| Written::create(path, args.force)).transpose()?;
    let output = args.output.as_deref().map(|path| Written::create(path, args.force)).transpose()?;
    let inferred = args.infer_schema.as_deref().map(|path| Written::create(path, args.force)).transpose()?;
    let schema = args.schema.as_deref().map(tfxio::schema::read).transpose()?;

    let list = measure::measure(&args.files, args, context)?;
    let found = Found::new(args, &list, schema.as_ref(), context)?;
    if let Some(output) = output {
        output.statistics(&list)?;
    }
    if let Some(inferred) = inferred {
        let schema = infer_schema(&list, &InferOptions::default())?;
        inferred.text(&schema.to_text())?;
    }
    if let Some(page) = page {
        page.text(&found.page(args, &list).to_html())?;
    }
    found.show(args, &list)?;
    if found.is_as_it_should_be() { Ok(()) } else { Err(Failure::Reported(DATA)) }
}

/// Returns whether a column, or a struct that contains it, is among the named ones.
fn is_asked(path: &ColumnPath, columns: &[String]) -> bool {
    let names = (1..=path.len()).map(|steps| path.prefix(steps).to_string()).collect::<Vec<_>>();
    columns.iter().any(|column| {
        let pattern = NamePattern::new(column);
        names.iter().any(|name| name == column || pattern.is_pattern() && pattern.fits(name))
    })
}

/// Comparisons beside the statistics.
struct Found {
    other: Option<StatisticsList>,
    drift: Option<DriftReport>,
    anomalies: Option<Anomalies>,
    /// Whether correlations were asked for.
    wants_pairs: bool,
}

impl Found {
    fn new(
        args: &Stats,
        list: &StatisticsList,
        schema: Option<&TfmdSchema>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let other = match args.compare.as_slice() {
            [] => None,
            files => Some(measure::measure(files, args, context)?),
        };
        let drift = match &other {
            None => None,
            Some(other) => {
                let mut options = DriftOptions::default().schema(schema);
                options.l_infinity = args.l_infinity.unwrap_or(options.l_infinity);
                options.jensen_shannon = args.jensen_shannon.unwrap_or(options.jensen_shannon);
                let mut report = drift(other, list, &options)?;
                if let Some(columns) = &args.columns {
                    // Statistics have all columns, and those that were not asked for are not gone.
                    report.only_before.retain(|path| is_asked(path, columns));
                    report.only_after.retain(|path| is_asked(path, columns));
                }
                Some(report)
            }
        };
        let anomalies = match schema {
            None => None,
            Some(schema) => {
                let options = ValidateOptions::default()
                    .environment(args.environment.as_deref())
                    .previous(other.as_ref());
                let mut anomalies = validate(list, schema, &options)?;
                if let Some(columns) = &args.columns {
                    // What the schema says of others is not looked at.
                    anomalies
                        .retain(|anomaly| anomaly.path().is_empty() || is_asked(anomaly.path(), columns));
                }
                Some(anomalies)
            }
        };
        Ok(Self { other, drift, anomalies, wants_pairs: args.correlations })
    }

    /// Returns whether nothing drifted and no anomaly is an error, which decides the exit code.
    fn is_as_it_should_be(&self) -> bool {
        let drifted = self.drift.as_ref().is_some_and(DriftReport::is_drifted);
        let has_errors = self.anomalies.as_ref().is_some_and(Anomalies::has_errors);
        !drifted && !has_errors
    }

    fn page<'a>(&'a self, args: &Stats, list: &'a StatisticsList) -> Page<'a> {
        let mut page = Page::new(list).title(args.files.join(", "));
        if let Some(other) = &self.other {
            let (ours, theirs) = (args.files.join(", "), args.compare.join(", "));
            page = page.other(other, [&ours, &theirs]);
        }
        for anomaly in self.anomalies.iter().flat_map(Anomalies::iter) {
            page = page.anomaly(&anomaly.path().to_string(), anomaly.severity().name(), anomaly.text());
        }
        for feature in self.drift.iter().flat_map(|report| &report.features) {
            if let Some(distance) = feature.distance() {
                page = page.drift(&feature.path.to_string(), distance, feature.is_drifted());
            }
        }
        page
    }

    fn show(&self, args: &Stats, list: &StatisticsList) -> Done {
        match args.format {
            StatsFormat::Proto => {
                let mut out = io::stdout().lock();
                out.write_all(&list.to_bytes())?;
                out.flush()?;
                // Standard output is of the statistics alone.
                for (path, state) in self.drift.iter().flat_map(table::drifted) {
                    let path = table::shown_path(path);
                    crate::failure::say(format_args!("{}: {state}", escape::line(&path)));
                }
                for anomaly in self.anomalies.iter().flat_map(Anomalies::iter) {
                    let (path, text) = (table::shown_path(anomaly.path()), anomaly.text());
                    crate::failure::say(format_args!("{}: {}", escape::line(&path), escape::line(text)));
                }
            }
            StatsFormat::Json => {
                let mut out = Output::new();
                json::write(self, list, &mut out)?;
                out.finish()?;
            }
            StatsFormat::Table => {
                let mut out = Output::new();
                table::write(self, list, &mut out)?;
                out.finish()?;
            }
        }
        Ok(())
    }
}
