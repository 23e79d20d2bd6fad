//! Which records are read.

use tfxio_core::Predicate;

use crate::json::Node;
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
