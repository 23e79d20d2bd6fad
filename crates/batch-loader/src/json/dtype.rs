//! Names of dtypes, as TensorFlow has them.

use tfxio_core::DType;

use super::node::Node;
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
    let (names, aliases) = (DType::ALL.map(DType::name), ALIASES.map(|(alias, _)| alias));
    let allowed = format!("{}, or {}", names.join(", "), aliases.join(", "));
    node.one_of("dtype", &allowed, names.into_iter().chain(aliases), dtype_named)
}
