//! Cases in which our answer differs from the recorded one, on purpose.
//!
//! `tests/golden/deviations/KIND.jsonl` of a crate holds one JSON object a line: `id`, `reason`, `doc` (a file of this
//! repository) and `rule` (a sentence of that file), `result` (the consequence of that rule, in the form of
//! `expected`), and `ground`: `mark` for a case that is marked as not to be taken literally, or `rule` for one that the
//! rule contradicts. A kind without deviations needs no file.

use std::path::Path;

use serde_json::Value;

use crate::case::{Case, further, repository};

pub(crate) struct Deviation {
    id: String,
    pub(crate) reason: String,
    doc: String,
    rule: String,
    ground: String,
    pub(crate) result: Value,
}

pub(crate) struct Deviations {
    kind: String,
    list: Vec<Deviation>,
}

impl Deviations {
    /// Loads the deviations of a kind from the folder.
    pub(crate) fn load(kind: &str, folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(format!("{kind}.jsonl"))).unwrap_or_default();
        Self::parse(kind, &text)
    }

    pub(crate) fn parse(kind: &str, text: &str) -> Self {
        let list = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{kind}: {e}: {line}"));
            let text = |member: &str| value[member].as_str().unwrap_or_default().to_owned();
            Deviation {
                id: text("id"),
                reason: text("reason"),
                doc: text("doc"),
                rule: text("rule"),
                ground: text("ground"),
                result: value["result"].clone(),
            }
        });
        Self { kind: kind.to_owned(), list: list.collect() }
    }

    /// Returns the deviation of a case.
    pub(crate) fn of(&self, case: &Case) -> Option<&Deviation> {
        self.list.iter().find(|deviation| deviation.id == case.id)
    }

    /// Returns the faults of the list itself. A case that is in no folder is not a fault if the further folder does not
    /// exist.
    pub(crate) fn faults(&self, cases: &[Case]) -> Vec<String> {
        let mut faults = Vec::new();
        for (at, deviation) in self.list.iter().enumerate() {
            let mut fault = |what: &str| faults.push(format!("deviation {}: {what}", deviation.id));
            if self.list.iter().take(at).any(|other| other.id == deviation.id) {
                fault("stands there twice");
            }
            if deviation.reason.is_empty() || deviation.result.is_null() {
                fault("needs a reason and a result");
            }
            if deviation.rule.is_empty() || !says(&deviation.doc, &deviation.rule) {
                fault("its rule is not in its doc");
            }
            match cases.iter().find(|case| case.id == deviation.id) {
                None if further().is_some() || deviation.id.starts_with("own/") => fault("points to no case"),
                None => {}
                Some(case) if case.kind != self.kind => fault("its case is of another kind"),
                Some(case) => match deviation.ground.as_str() {
                    "mark" if !case.marked => fault("its case is not marked"),
                    "mark" | "rule" => {}
                    _ => fault("has no ground"),
                },
            }
        }
        faults
    }
}

/// Returns whether a file of the repository holds a sentence, however its lines are broken.
fn says(doc: &str, sentence: &str) -> bool {
    let text = std::fs::read_to_string(repository().join(doc)).unwrap_or_default();
    let words = |text: &str| {
        let words = text.split_whitespace().filter(|word| *word != "//!" && *word != "///");
        words.collect::<Vec<_>>().join(" ")
    };
    words(&text).contains(&words(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_needs_a_case_a_ground_and_a_rule() {
        let case = |id: &str, marked: bool| Case {
            kind: "decode_examples".to_owned(),
            id: id.to_owned(),
            inputs: Value::Null,
            expected: Value::Null,
            marked,
        };
        let cases = [case("own/marked", true), case("own/plain", false)];
        let faults = |id: &str, ground: &str, rule: &str| {
            let line = serde_json::json!({
                "id": id, "ground": ground, "rule": rule, "doc": "docs/encodings.md", "reason": "r", "result": {},
            });
            Deviations::parse("decode_examples", &line.to_string()).faults(&cases)
        };
        let rule = "A name keeps every character that it has";
        assert_eq!(faults("own/marked", "mark", rule), [""; 0]);
        assert_eq!(faults("own/plain", "rule", rule), [""; 0]);
        assert_eq!(faults("own/plain", "mark", rule), ["deviation own/plain: its case is not marked"]);
        assert_eq!(faults("own/plain", "", rule), ["deviation own/plain: has no ground"]);
        assert_eq!(faults("own/gone", "mark", rule), ["deviation own/gone: points to no case"]);
        let no_rule = ["deviation own/marked: its rule is not in its doc"];
        assert_eq!(faults("own/marked", "mark", "Because."), no_rule);
        let twice = "{\"id\": \"own/marked\"}\n{\"id\": \"own/marked\"}";
        let faults = Deviations::parse("encode_examples", twice).faults(&cases);
        for fault in ["stands there twice", "needs a reason and a result", "its case is of another kind"] {
            assert!(faults.contains(&format!("deviation own/marked: {fault}")), "{faults:?}");
        }
    }
}
