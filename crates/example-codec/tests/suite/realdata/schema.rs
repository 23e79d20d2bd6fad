//! The features of a TensorFlow Metadata schema in text form.

use example_codec::{ExampleSchema, FeatureField, FeatureKind, SequenceExampleSchema};

/// Reads `feature { name: "x" type: INT … }`, and the features of a struct as sequence features; everything else is passed
/// over.
pub(super) fn parse(text: &str) -> SequenceExampleSchema {
    let mut path: Vec<String> = Vec::new();
    // Name and kind of the feature of each level.
    let mut open: Vec<(String, Option<FeatureKind>)> = Vec::new();
    let (mut context, mut sequence) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(message) = line.strip_suffix('{') {
            path.push(message.trim().trim_end_matches(':').to_owned());
            if path.last().is_some_and(|message| message == "feature") {
                open.push((String::new(), None));
            }
        } else if line == "}" {
            if path.pop().is_some_and(|message| message == "feature") {
                let (name, kind) = open.pop().unwrap();
                // A struct has no kind of values.
                if let Some(kind) = kind {
                    let features = if open.is_empty() { &mut context } else { &mut sequence };
                    features.push(FeatureField::new(name, kind));
                }
            }
        } else if let (Some("feature"), Some((name, kind)), Some((key, value))) =
            (path.last().map(String::as_str), open.last_mut(), line.split_once(':'))
        {
            match (key, value.trim()) {
                ("name", value) => *name = value.trim_matches('"').to_owned(),
                ("type", "INT") => *kind = Some(FeatureKind::Int64),
                ("type", "FLOAT") => *kind = Some(FeatureKind::Float),
                ("type", "BYTES") => *kind = Some(FeatureKind::Bytes),
                _ => {}
            }
        }
    }
    SequenceExampleSchema::new(ExampleSchema::new(context).unwrap(), ExampleSchema::new(sequence).unwrap())
}
