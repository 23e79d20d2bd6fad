//! The messages of this crate against those that TensorFlow Metadata publishes.

use std::collections::BTreeSet;
use std::path::Path;

use super::descriptor::{ENUMS, Kind, MESSAGES};

/// Field numbers from here on are ours.
const OURS: u32 = 50_000;

/// The lines of the recorded listing, in its form.
fn ours() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut shared, mut own) = (BTreeSet::new(), BTreeSet::new());
    for message in MESSAGES {
        if message.fields.is_empty() {
            shared.insert(format!("message {}", message.name));
        }
        for field in message.fields {
            let kind = match field.kind {
                Kind::Message(at) => MESSAGES[at].name.to_owned(),
                Kind::Enum(at) => ENUMS[at].name.to_owned(),
                other => format!("{other:?}").to_lowercase(),
            };
            let label = if field.repeated { "many" } else { "one" };
            let oneof = field.oneof.unwrap_or("-");
            let line =
                format!("field {} {} {} {label} {kind} {oneof}", message.name, field.name, field.number);
            if field.number >= OURS {
                own.insert(line)
            } else {
                shared.insert(line)
            };
        }
    }
    for item in ENUMS {
        shared
            .extend(item.values.iter().map(|(name, number)| format!("value {} {name} {number}", item.name)));
    }
    (shared, own)
}

#[test]
fn the_messages_are_those_that_are_published_and_two_more() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tfmd/published-1.21.0.txt");
    let published = std::fs::read_to_string(&file).unwrap();
    let published: BTreeSet<String> = published.lines().map(str::to_owned).collect();
    let (shared, own) = ours();
    let more: Vec<_> = shared.difference(&published).collect();
    const NEW: &str = "field tensorflow.metadata.v0.TensorRepresentation";
    assert_eq!(
        more,
        [
            &format!("{NEW}.StructuredTensor column 1 many tensorflow.metadata.v0.Path -"),
            &format!("{NEW}.VarLenRaggedTensor column 1 one tensorflow.metadata.v0.Path -"),
        ]
    );
    let missing: Vec<_> = published.difference(&shared).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let own: Vec<_> = own.iter().map(String::as_str).collect();
    assert_eq!(
        own,
        [
            "field tensorflow.metadata.v0.Schema generate_legacy_feature_spec 50000 one bool -",
            "field tensorflow.metadata.v0.TensorRepresentation structured_tensor 50000 one \
             tensorflow.metadata.v0.TensorRepresentation.StructuredTensor kind",
            "field tensorflow.metadata.v0.TensorRepresentation varlen_ragged_tensor 50001 one \
             tensorflow.metadata.v0.TensorRepresentation.VarLenRaggedTensor kind",
        ]
    );
}
