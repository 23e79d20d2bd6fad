//! Paths of features: of the messages, and as text from which they can be read again.

use tfxio_core::ColumnPath;

use crate::proto::tfmd;
use crate::proto::tfmd::feature_name_statistics::FieldId;

/// Returns the steps with dots between them. A step is in single quotes, and quotes in it are doubled, where it could be taken
/// for something else: without characters, or with dots, quotes or parentheses, but for one pair around all of it.
pub(crate) fn path_text(path: &ColumnPath) -> String {
    let mut out = String::new();
    for (at, step) in path.steps().iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        if is_plain(step) {
            out.push_str(step);
        } else {
            out.push('\'');
            out.push_str(&step.replace('\'', "''"));
            out.push('\'');
        }
    }
    out
}

fn is_plain(step: &str) -> bool {
    if let Some(inner) = step.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return !inner.contains(['(', ')']);
    }
    !step.is_empty() && !step.contains(['(', ')', '.', '\''])
}

/// Returns the steps of a feature's path: its name alone, where that is what it has, and none where it has neither.
pub(crate) fn steps(feature: &tfmd::FeatureNameStatistics) -> Vec<&str> {
    match &feature.field_id {
        Some(FieldId::Name(name)) => vec![name],
        Some(FieldId::Path(path)) => path_steps(path),
        None => Vec::new(),
    }
}

/// Returns the steps of a path.
pub(crate) fn path_steps(path: &tfmd::Path) -> Vec<&str> {
    path.step.iter().map(String::as_str).collect()
}

/// Returns a path as a message.
pub(crate) fn path_message(path: &ColumnPath) -> tfmd::Path {
    tfmd::Path { step: path.steps().iter().map(ToString::to_string).collect() }
}

#[cfg(test)]
mod tests {
    use tfxio_core::ColumnPath;

    use super::path_text;

    #[test]
    fn a_step_is_quoted_where_it_must_be() {
        for (steps, text) in [
            (vec!["a", "b c"], "a.b c"),
            (vec!["a.b"], "'a.b'"),
            (vec!["", "x"], "''.x"),
            (vec!["it's"], "'it''s'"),
            (vec!["(ext.name)", "(a"], "(ext.name).'(a'"),
            (vec!["((a))"], "'((a))'"),
        ] {
            assert_eq!(path_text(&ColumnPath::new(steps)), text);
        }
    }
}
