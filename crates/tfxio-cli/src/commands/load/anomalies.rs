//! Violations of the configuration's schema by records.

use tfxio::batch_loader::Anomaly;

use crate::escape;
use crate::json::Object;

/// Prints them, one a line.
pub(super) fn say(anomalies: &[Anomaly]) {
    for anomaly in anomalies {
        crate::failure::say(format_args!("warning: {}", escape::line(&anomaly.to_string())));
    }
}

/// Appends a list of them in JSON, with the members that a state has of them.
pub(super) fn list(out: &mut String, anomalies: &[Anomaly]) {
    out.push('[');
    for (index, anomaly) in anomalies.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        let mut object = Object::new(out);
        object.text("feature", Some(&anomaly.feature));
        object.text("kind", Some(anomaly.kind.name()));
        object.text("expected", Some(&anomaly.expected));
        object.text("found", Some(&anomaly.found));
        object.number("count", anomaly.count);
        if !anomaly.file.is_empty() {
            object.text("file", Some(&anomaly.file));
        }
        object.number("record", anomaly.record);
        if let Some(byte) = anomaly.byte {
            object.number("byte", byte);
        }
        object.finish();
    }
    out.push(']');
}

/// Returns an object with nothing else, where an error comes instead of the figures.
pub(super) fn alone_in_json(anomalies: &[Anomaly]) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    list(object.key("anomalies"), anomalies);
    object.finish();
    line
}
