//! Comparison of the messages of this crate with the published ones of TensorFlow Metadata.

use std::collections::BTreeSet;
use std::path::Path;

use prost_reflect::Kind;

use super::descriptors::pool;

/// Field numbers from here on are ours.
const OURS: u32 = 50_000;

/// Returns the lines of the recorded listing, in its form.
fn ours() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut shared, mut own) = (BTreeSet::new(), BTreeSet::new());
    let of_a_schema = |name: &str| name.starts_with("tensorflow.metadata.") || name.starts_with("google.");
    for message in pool().all_messages().filter(|message| of_a_schema(message.full_name())) {
        if message.fields().len() == 0 {
            shared.insert(format!("message {}", message.full_name()));
        }
        for field in message.fields() {
            let kind = match field.kind() {
                Kind::Message(inner) => inner.full_name().to_owned(),
                Kind::Enum(inner) => inner.full_name().to_owned(),
                other => format!("{other:?}").to_lowercase(),
            };
            let label = if field.is_list() || field.is_map() { "many" } else { "one" };
            let oneof = field.containing_oneof().map_or("-".to_owned(), |oneof| oneof.name().to_owned());
            let (name, number) = (field.name(), field.number());
            let line = format!("field {} {name} {number} {label} {kind} {oneof}", message.full_name());
            if number >= OURS {
                own.insert(line)
            } else {
                shared.insert(line)
            };
        }
    }
    for item in pool().all_enums().filter(|item| of_a_schema(item.full_name())) {
        let values = item
            .values()
            .map(|value| format!("value {} {} {}", item.full_name(), value.name(), value.number()));
        shared.extend(values.collect::<Vec<_>>());
    }
    (shared, own)
}

#[test]
fn the_messages_are_those_that_are_published_and_two_more() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tfmd/published-1.21.0.txt");
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

/// The text form knows no other types: it takes the numbers of all others for plain varints.
#[test]
fn a_schema_has_only_types_that_its_text_form_knows() {
    for field in pool().all_messages().flat_map(|message| message.fields().collect::<Vec<_>>()) {
        let is_known = matches!(
            field.kind(),
            Kind::Bool
                | Kind::Int64
                | Kind::Uint32
                | Kind::Uint64
                | Kind::Float
                | Kind::Double
                | Kind::String
                | Kind::Bytes
                | Kind::Enum(_)
                | Kind::Message(_)
        );
        assert!(is_known && !field.is_group(), "{field:?}");
    }
}
