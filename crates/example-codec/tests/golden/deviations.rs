//! Cases in which ours is not what was recorded, on purpose.
//!
//! `deviations.jsonl` holds one JSON object a line: `id`, `reason`, `rule` (a line of this repository's
//! `docs/encodings.md`, which must stand there), `result` (what follows from that rule, in the form of
//! `expected`), and `ground`: `mark` for a case that is marked as not to be taken literally, or `rule`
//! for one that the rule contradicts.

use serde_json::Value;

use super::cases::{Case, repository};

pub(super) struct Deviation {
    id: String,
    pub(super) reason: String,
    rule: String,
    ground: String,
    pub(super) result: Value,
}

pub(super) struct Deviations(Vec<Deviation>);

impl Deviations {
    pub(super) fn load() -> Self {
        Self::parse(include_str!("deviations.jsonl"))
    }

    fn parse(text: &str) -> Self {
        let list = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
            let value: Value = serde_json::from_str(line).expect("deviations.jsonl");
            let text = |member: &str| value[member].as_str().unwrap_or_default().to_owned();
            Deviation {
                id: text("id"),
                reason: text("reason"),
                rule: text("rule"),
                ground: text("ground"),
                result: value["result"].clone(),
            }
        });
        Self(list.collect())
    }

    /// The deviation of a case.
    pub(super) fn of(&self, case: &Case) -> Option<&Deviation> {
        self.0.iter().find(|deviation| deviation.id == case.id)
    }

    /// What is wrong with the list itself. A case that is in no folder is no fault of the repository's own
    /// list when the further folder is not there.
    pub(super) fn faults(&self, cases: &[Case]) -> Vec<String> {
        let docs = repository().join("docs").join("encodings.md");
        let docs = std::fs::read_to_string(&docs).unwrap_or_default();
        let all_folders = std::env::var_os("TFXIO_GOLDEN_DIR").is_some_and(|folder| !folder.is_empty());
        let mut faults = Vec::new();
        for (at, deviation) in self.0.iter().enumerate() {
            let mut fault = |what: &str| faults.push(format!("deviation {}: {what}", deviation.id));
            if self.0.iter().take(at).any(|other| other.id == deviation.id) {
                fault("stands there twice");
            }
            if deviation.reason.is_empty() || deviation.result.is_null() {
                fault("needs a reason and a result");
            }
            if deviation.rule.is_empty() || !docs.contains(&deviation.rule) {
                fault("its rule is not in docs/encodings.md");
            }
            match cases.iter().find(|case| case.id == deviation.id) {
                None if all_folders || deviation.id.starts_with("own/") => fault("points to no case"),
                None => {}
                Some(case) => match deviation.ground.as_str() {
                    "mark" if case.marks.is_empty() => fault("its case is not marked"),
                    "mark" | "rule" => {}
                    _ => fault("has no ground"),
                },
            }
        }
        faults
    }
}

#[test]
fn a_deviation_needs_a_case_a_ground_and_a_rule() {
    let case = |id: &str, marks: &[&str]| Case {
        kind: "decode_examples".to_owned(),
        id: id.to_owned(),
        inputs: Value::Null,
        expected: Value::Null,
        marks: marks.iter().map(|mark| (*mark).to_owned()).collect(),
    };
    let cases = [case("own/marked", &["note"]), case("own/plain", &[])];
    let faults = |id: &str, ground: &str, rule: &str| {
        let line = serde_json::json!({"id": id, "ground": ground, "rule": rule, "reason": "r", "result": {}});
        Deviations::parse(&line.to_string()).faults(&cases)
    };
    let rule = "A name keeps every character that it has";
    assert_eq!(faults("own/marked", "mark", rule), [""; 0]);
    assert_eq!(faults("own/plain", "rule", rule), [""; 0]);
    assert_eq!(faults("own/plain", "mark", rule), ["deviation own/plain: its case is not marked"]);
    assert_eq!(faults("own/plain", "", rule), ["deviation own/plain: has no ground"]);
    assert_eq!(faults("own/gone", "mark", rule), ["deviation own/gone: points to no case"]);
    let no_rule = ["deviation own/marked: its rule is not in docs/encodings.md"];
    assert_eq!(faults("own/marked", "mark", "Because."), no_rule);
    let twice = "{\"id\": \"own/marked\"}\n{\"id\": \"own/marked\"}";
    let faults = Deviations::parse(twice).faults(&cases);
    assert!(faults.contains(&"deviation own/marked: stands there twice".to_owned()), "{faults:?}");
    assert!(faults.contains(&"deviation own/marked: needs a reason and a result".to_owned()), "{faults:?}");
}
