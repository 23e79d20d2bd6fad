//! An error held against a recorded one: by its category, and by when it comes.

use batch_loader::Kind;
use serde_json::Value;

use super::run::Failure;

/// Whether an error of ours, after some batches, is the one expected, after its batches.
pub(super) fn same(ours: &Failure, (batches, expected): (usize, usize), error: &Value) -> Result<(), String> {
    let Some(&kind) = ours.error.detail() else {
        return Err(format!("an error without a kind: {}", ours.error));
    };
    let category = error["category"].as_str().unwrap_or_default();
    if !is_of(category, kind, ours.on_construction) {
        return Err(format!("{kind:?} instead of {category}: {}", ours.error));
    }
    let phase = error["phase"].as_str().unwrap_or_default();
    if batches != expected || (phase == "construct" && !ours.on_construction) {
        return Err(format!("error after {batches} batches, not at {phase}: {}", ours.error));
    }
    let names_argument = matches!(category, "missing_argument" | "invalid_type" | "unexpected_argument");
    let message = error["message"].as_str().unwrap_or_default();
    match message.split('`').nth(1) {
        Some(argument) if names_argument && !ours.error.to_string().contains(argument) => {
            Err(format!("{argument} is not in: {}", ours.error))
        }
        _ => Ok(()),
    }
}

fn is_of(category: &str, kind: Kind, on_construction: bool) -> bool {
    use Kind as K;

    match category {
        "missing_argument" => kind == K::MissingArgument,
        "unexpected_argument" => kind == K::UnexpectedArgument,
        "invalid_type" => kind == K::InvalidType,
        "invalid_json" => kind == K::InvalidJson,
        "not_found" => kind == K::NotFound,
        // What TensorFlow says of shapes when it builds its graph shows in ours at the first record at the latest.
        "invalid_value" => kind == K::InvalidValue || (kind == K::Record && !on_construction),
        // A status of TensorFlow at run time; what the data does not cause comes at construction.
        "data" if on_construction => matches!(kind, K::InvalidValue | K::NotFound),
        "data" => matches!(kind, K::Corrupt | K::Record | K::NotFound | K::Io),
        // The recorded program stumbled; any error will do.
        "crash" | "not_implemented" | "any" => true,
        _ => false,
    }
}
