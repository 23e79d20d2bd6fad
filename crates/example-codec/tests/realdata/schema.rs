//! The features of a TensorFlow Metadata schema in text form.

use example_codec::{ExampleSchema, FeatureKind, FeatureSpec};

/// Reads `feature { name: "x" type: INT … }`; everything else is passed over.
pub(super) fn parse(text: &str) -> ExampleSchema {
    let mut path: Vec<String> = Vec::new();
    let (mut name, mut kind) = (None, None);
    let mut features = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(message) = line.strip_suffix('{') {
            path.push(message.trim().trim_end_matches(':').to_owned());
        } else if line == "}" {
            if path.len() == 1 && path[0] == "feature" {
                features.push(FeatureSpec::new(name.take().unwrap_or_default(), kind.take().unwrap()));
            }
            path.pop();
        } else if path == ["feature"] {
            match line.split_once(':').map(|(key, value)| (key, value.trim())) {
                Some(("name", value)) => name = Some(value.trim_matches('"').to_owned()),
                Some(("type", "INT")) => kind = Some(FeatureKind::Int64),
                Some(("type", "FLOAT")) => kind = Some(FeatureKind::Float),
                Some(("type", "BYTES")) => kind = Some(FeatureKind::Bytes),
                _ => {}
            }
        }
    }
    ExampleSchema::new(features).unwrap()
}
