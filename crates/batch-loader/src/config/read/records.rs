//! Keys of records: the filter, and the schema they are compared with.

use tfxio_core::Predicate;

use crate::config::{OnLeave, SchemaSource, Validate};
use crate::json::{Keys, Node};
use crate::{Kind, Result};

/// `filter`.
pub(super) fn filter(node: &Node<'_>) -> Result<Predicate> {
    let text = node.string().map_err(|error| error.help("give a predicate such as \"label >= 5\""))?;
    text.parse().map_err(|error: crate::Error| {
        let refused = node.error(Kind::InvalidValue, error.what());
        match error.hint() {
            Some(hint) => refused.help(hint.to_owned()),
            None => refused,
        }
    })
}

/// `validate`.
pub(super) fn validate(node: &Node<'_>) -> Result<Validate> {
    let keys = ["schema_file", "schema", "on_leave", "environment"];
    let object = node.object(Keys::new("validation", &[], &keys))?;
    let file = object.read("schema_file", Node::name)?;
    let schema = match (file, object.read("schema", Node::string)?) {
        (Some(file), None) => SchemaSource::File(file.into()),
        (None, Some(text)) => SchemaSource::Text(text.to_owned()),
        (None, None) => {
            let error = node.error(Kind::MissingArgument, "the key \"schema_file\" is missing");
            return Err(error.help("name the file of a schema, or give its text as \"schema\""));
        }
        (Some(_), Some(_)) => {
            let error = node.error(Kind::InvalidValue, "there are two schemas: `schema_file` and `schema`");
            return Err(error.help("remove one of them"));
        }
    };
    let mut validate = Validate::of(schema);
    let words = [("stop", OnLeave::Stop), ("warn", OnLeave::Warn)];
    let on_leave = object.read("on_leave", |node| node.word("way to go on", &words))?;
    validate.on_leave = on_leave.unwrap_or_default();
    validate.environment = object.read("environment", Node::name)?.map(str::to_owned);
    Ok(validate)
}
