//! Names of dtypes, as TensorFlow has them.

use tfxio_core::DType;

use super::node::{Node, meant};
use crate::Result;

/// Names beside [`DType::name`].
const ALIASES: [(&str, DType); 3] =
    [("half", DType::Float16), ("float", DType::Float32), ("double", DType::Float64)];

/// The dtype of a name or an alias.
pub(crate) fn dtype_named(name: &str) -> Option<DType> {
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, dtype)| *dtype);
    DType::from_name(name).or_else(alias)
}

/// A value that names a dtype.
pub(crate) fn dtype(node: &Node<'_>) -> Result<DType> {
    let name = node.string()?;
    dtype_named(name).ok_or_else(|| {
        let names = DType::ALL.map(DType::name);
        let aliases = ALIASES.map(|(alias, _)| alias);
        let allowed = format!("{}, or {}", names.join(", "), aliases.join(", "));
        let known = names.into_iter().chain(aliases);
        node.invalid_value("is no dtype", meant(name, known, "one of", &allowed))
    })
}
