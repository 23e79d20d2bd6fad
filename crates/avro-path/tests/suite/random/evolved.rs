//! Schemas that differ from those with which data were written.

use serde_json::Value as Json;

use crate::random::choices::Choices;

/// Changes a schema into another that can read, or cannot, data of the first.
pub fn evolved(choices: &mut Choices<'_>, json: &mut Json) {
    match json {
        Json::String(name) => {
            let wider = match name.as_str() {
                "int" => ["int", "long", "float", "double"][choices.below(4)],
                "long" => ["long", "float", "double", "int"][choices.below(4)],
                "float" => ["float", "double"][choices.below(2)],
                "string" => ["string", "bytes"][choices.below(2)],
                _ => return,
            };
            *name = wider.to_owned();
            if choices.below(4) == 1 {
                *json = serde_json::json!(["null", wider]);
            }
        }
        Json::Array(branches) => {
            // Duplicate branches are no union: only records change.
            branches
                .iter_mut()
                .filter(|branch| branch.is_object())
                .for_each(|branch| evolved(choices, branch));
            if choices.below(3) == 1 {
                branches.reverse();
            }
        }
        Json::Object(object) => {
            for inner in ["items", "values"] {
                if let Some(inner) = object.get_mut(inner) {
                    evolved(choices, inner);
                }
            }
            if let Some(Json::Array(symbols)) = object.get_mut("symbols") {
                match choices.below(3) {
                    1 => symbols.reverse(),
                    2 => {
                        symbols.truncate(1);
                        object.insert("default".to_owned(), "a".into());
                    }
                    _ => {}
                }
            }
            if let Some(Json::Array(fields)) = object.get_mut("fields") {
                fields.iter_mut().for_each(|field| evolved(choices, &mut field["type"]));
                match choices.below(5) {
                    1 => fields.reverse(),
                    2 => {
                        fields.remove(0);
                    }
                    3 => {
                        let added = r#"{"name": "added", "type": {"type": "array", "items": ["null", "string"]},
                            "default": [null, "x"]}"#;
                        fields.insert(0, serde_json::from_str(added).unwrap());
                    }
                    4 => {
                        let twice = fields[0].clone();
                        let mut copy = twice.clone();
                        copy["name"] = "again".into();
                        copy["aliases"] = serde_json::json!([twice["name"]]);
                        // A name is defined once.
                        if !copy["type"].to_string().contains("\"name\"") {
                            fields.push(copy);
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
