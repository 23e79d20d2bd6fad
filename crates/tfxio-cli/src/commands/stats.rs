//! `tfxio stats`: statistics of columns, what differs from others, and what a schema does not allow.
//!
//! [`measure`] reads data or statistics, [`files`] are files of statistics, [`table`] and [`json`] show them.

mod files;
mod json;
mod measure;
mod table;

use std::io::{self, IsTerminal as _, Write as _};

use tfxio::tensor_repr::Schema;
use tfxio::tfxio_stats::{
    Anomalies, DriftOptions, DriftReport, InferOptions, Page, StatisticsList, ValidateOptions, drift,
    infer_schema, validate,
};

use self::files::Written;
use crate::Done;
use crate::args::{Stats, StatsFormat};
use crate::context::Context;
use crate::failure::{DATA, Failure};
use crate::output::Output;

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
    match &found.anomalies {
        Some(anomalies) if anomalies.has_errors() => Err(Failure::Reported(DATA)),
        _ => Ok(()),
    }
}

/// What was found beside the statistics.
struct Found {
    other: Option<StatisticsList>,
    drift: Option<DriftReport>,
    anomalies: Option<Anomalies>,
}

impl Found {
    fn new(
        args: &Stats,
        list: &StatisticsList,
        schema: Option<&Schema>,
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
                Some(drift(other, list, &options)?)
            }
        };
        let anomalies = match schema {
            None => None,
            Some(schema) => {
                let options = ValidateOptions::default()
                    .environment(args.environment.as_deref())
                    .previous(other.as_ref());
                Some(validate(list, schema, &options)?)
            }
        };
        Ok(Self { other, drift, anomalies })
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
                for anomaly in self.anomalies.iter().flat_map(Anomalies::iter) {
                    crate::failure::say(format_args!(
                        "{}: {}",
                        table::shown_path(anomaly.path()),
                        anomaly.text()
                    ));
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
