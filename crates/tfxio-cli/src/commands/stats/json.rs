//! Statistics as JSON, with what was compared and checked.

use std::io::Write as _;

use tfxio::ColumnPath;
use tfxio::stats::{Anomalies, DriftReport, StatisticsList};

use super::Found;
use crate::Done;
use crate::json::{Object, double, string};
use crate::output::Output;

pub(super) fn write(found: &Found, statistics: &StatisticsList, out: &mut Output) -> Done {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.key("statistics").push_str(&statistics.to_json());
    if let Some(report) = &found.drift {
        drift(object.key("drift"), report);
    }
    if let Some(anomalies) = &found.anomalies {
        anomaly_list(object.key("anomalies"), anomalies);
    }
    object.finish();
    writeln!(out, "{line}")?;
    Ok(())
}

fn drift(out: &mut String, report: &DriftReport) {
    let mut object = Object::new(out);
    list(object.key("features"), report.features.iter(), |out, feature| {
        let mut object = Object::new(out);
        path(object.key("path"), &feature.path);
        for (key, value) in [("l_infinity", feature.l_infinity), ("jensen_shannon", feature.jensen_shannon)] {
            match value {
                None => object.text(key, None),
                Some(value) => double(object.key(key), value),
            }
        }
        object.text("most_different", feature.most_different.as_deref());
        object.key("is_drifted").push_str(if feature.is_drifted() { "true" } else { "false" });
        object.finish();
    });
    list(object.key("only_before"), report.only_before.iter(), path);
    list(object.key("only_after"), report.only_after.iter(), path);
    object.finish();
}

fn anomaly_list(out: &mut String, anomalies: &Anomalies) {
    list(out, anomalies.iter(), |out, anomaly| {
        let mut object = Object::new(out);
        path(object.key("path"), anomaly.path());
        object.text("kind", Some(anomaly.kind()));
        object.text("severity", Some(anomaly.severity().name()));
        object.text("text", Some(anomaly.text()));
        object.finish();
    });
}

fn path(out: &mut String, path: &ColumnPath) {
    list(out, path.steps().iter(), |out, step| string(out, step));
}

fn list<T>(out: &mut String, items: impl Iterator<Item = T>, mut item: impl FnMut(&mut String, T)) {
    out.push('[');
    for (index, value) in items.enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        item(out, value);
    }
    out.push(']');
}
