//! Specs whose columns are found by key expressions.

use arrow_schema::{DataType, Field};
use tfxio_core::{Count, DType};

use super::build::sizes;
use super::{FeatureSpec, FixedLen, FixedLenSequence, Lengths, RaggedFeature, SparseFeature, VarLen};
use crate::kind::Locate as _;
use crate::{ColumnPath, Error, Kind, RaggedPartition, Representation};

/// The keys by which a spec names its columns, for sources in which a key is an expression that makes a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureKeys {
    /// The key of the record or the array at which keys begin that do not begin at the root explicitly; `None` if all keys
    /// begin at the root anyway.
    pub base: Option<String>,
    /// The keys. Of a sparse feature first the index keys, then the value key; of a ragged one first the value key, then
    /// the keys of the row lengths.
    pub keys: Vec<String>,
    /// The dtype that the column of each key must have, for sources that can choose among the types of its values; `None`
    /// for indices and for lengths, for which the spec has none.
    pub dtypes: Vec<Option<DType>>,
}

impl FeatureSpec {
    /// Returns the keys of the columns that the tensor of that name is made of.
    ///
    /// ```
    /// use tensor_repr::FeatureSpec;
    ///
    /// let spec = FeatureSpec::from_json(
    ///     r#"{"kind": "Sparse", "index_key": "id", "value_key": "power", "dtype": "float32", "size": 100}"#,
    /// )?;
    /// let keys = spec.keys("cars[*].engine");
    /// assert_eq!(keys.base.as_deref(), Some("cars[*].engine"));
    /// assert_eq!(keys.keys, ["id", "power"]);
    /// assert_eq!(keys.dtypes, [None, Some(tfxio_core::DType::Float32)]);
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    #[must_use]
    pub fn keys(&self, name: &str) -> FeatureKeys {
        let or_name =
            |key: &Option<ColumnPath>| key.as_ref().map_or_else(|| name.to_owned(), ToString::to_string);
        let whole = |key: &Option<ColumnPath>, dtype: Option<DType>| FeatureKeys {
            base: None,
            keys: vec![or_name(key)],
            dtypes: vec![dtype],
        };
        match self {
            Self::FixedLen(spec) => whole(&spec.key, Some(spec.dtype)),
            Self::VarLen(spec) => whole(&spec.key, Some(spec.dtype)),
            Self::FixedLenSequence(spec) => whole(&spec.key, Some(spec.dtype)),
            Self::Lengths(spec) => whole(&spec.key, None),
            Self::Sparse(spec) => {
                let mut dtypes = vec![None; spec.index_keys.len()];
                dtypes.push(Some(spec.dtype));
                FeatureKeys {
                    base: Some(or_name(&spec.key)),
                    keys: spec.index_keys.iter().chain([&spec.value_key]).map(ToString::to_string).collect(),
                    dtypes,
                }
            }
            Self::Ragged(spec) => {
                let mut keys = whole(&spec.value_key, Some(spec.dtype));
                keys.keys.extend(spec.partitions.iter().filter_map(|partition| match partition {
                    RaggedPartition::RowLengths(key) => Some(key.to_string()),
                    RaggedPartition::UniformRowLength(_) => None,
                }));
                keys.dtypes.resize(keys.keys.len(), None);
                keys
            }
        }
    }

    /// Returns the representation that makes the tensor of that name from the columns of [`keys`](Self::keys), in their
    /// order.
    ///
    /// ```
    /// use arrow_schema::{DataType, Field};
    /// use tensor_repr::{FeatureSpec, FixedLen};
    /// use tfxio_core::DType;
    ///
    /// let spec = FeatureSpec::FixedLen(FixedLen::new(vec![], DType::Int64));
    /// let age = Field::new("age", DataType::Int64, true);
    /// assert_eq!(spec.representation_of("age", &[&age])?, spec.representation("age")?);
    ///
    /// let spec = FeatureSpec::FixedLen(FixedLen::new(vec![Some(2)], DType::Int64));
    /// let error = spec.representation_of("age", &[&age]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "tensor \"age\", column \"age\": the key names one value a record, the shape is [2]; \
    ///      take the shape [], or a key with [*]"
    /// );
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`representation`](Self::representation), and:
    /// - `InvalidArgument` if there are more or fewer columns than keys;
    /// - `TypeMismatch` if the feature needs lists and its column has single values.
    pub fn representation_of(&self, name: &str, columns: &[&Field]) -> Result<Representation, Error> {
        let keys = self.keys(name).keys.len();
        let (first, rest) = match columns.split_first() {
            Some((first, rest)) if columns.len() == keys => (first, rest),
            _ => {
                let (columns, keys) = (Count::of(columns.len(), "column"), Count::of(keys, "key"));
                let message = format!("there {} {columns} for {keys}", columns.verb("is", "are"));
                return Err(Error::new(Kind::InvalidArgument, message).in_tensor(name));
            }
        };
        if let Self::FixedLenSequence(spec) = self {
            let (lists, _) = levels(first.data_type());
            // The outermost list is the sequence already.
            if lists >= 2 && lists == spec.shape.len() {
                return Ok(spec.dense(path(first), spec.shape.iter().copied().map(Some).collect()));
            }
        }
        self.of_columns(first, rest).map_err(|error| error.in_tensor(name))?.representation(name)
    }

    /// Returns the same spec with the names of columns as its keys.
    fn of_columns(&self, first: &Field, rest: &[&Field]) -> Result<Self, Error> {
        let (lists, value) = levels(first.data_type());
        let is_null = value == &DataType::Null;
        let needs_lists = |what: &str| {
            let message = format!("the key names one value a record, a {what} feature needs lists");
            let error = || Error::new(Kind::TypeMismatch, message + "; take a key with [*] or a filter");
            if lists == 0 { Err(error().in_column(first.name())) } else { Ok(()) }
        };
        Ok(match self.clone() {
            Self::FixedLen(spec) => {
                if lists == 0 && !spec.shape.is_empty() && !is_null {
                    let message = format!(
                        "the key names one value a record, the shape is {}; take the shape [], or a key with [*]",
                        sizes(&spec.shape)
                    );
                    return Err(Error::new(Kind::TypeMismatch, message).in_column(first.name()));
                }
                Self::FixedLen(FixedLen { key: Some(path(first)), ..spec })
            }
            Self::FixedLenSequence(spec) => {
                needs_lists("FixedLenSequence")?;
                Self::FixedLenSequence(FixedLenSequence { key: Some(path(first)), ..spec })
            }
            Self::VarLen(spec) => {
                needs_lists("VarLen")?;
                Self::VarLen(VarLen { key: Some(path(first)), ..spec })
            }
            Self::Lengths(spec) => {
                needs_lists("Lengths")?;
                Self::Lengths(Lengths { key: Some(path(first)), ..spec })
            }
            Self::Sparse(spec) => {
                let mut index_keys =
                    [first].into_iter().chain(rest.iter().copied()).map(path).collect::<Vec<_>>();
                let value_key = index_keys.pop().unwrap_or_default();
                Self::Sparse(SparseFeature { index_keys, value_key, ..spec })
            }
            Self::Ragged(mut spec) => {
                needs_lists("Ragged")?;
                let mut lengths = rest.iter();
                for partition in &mut spec.partitions {
                    if let RaggedPartition::RowLengths(key) = partition
                        && let Some(field) = lengths.next()
                    {
                        *key = field.name().as_str().into();
                    }
                }
                Self::Ragged(RaggedFeature { value_key: Some(path(first)), ..spec })
            }
        })
    }
}

fn path(column: &Field) -> ColumnPath {
    ColumnPath::new([column.name().as_str()])
}

/// Returns the number of list levels around the values, and the values' type.
fn levels(mut data_type: &DataType) -> (usize, &DataType) {
    let mut lists = 0;
    while let DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) = data_type
    {
        lists += 1;
        data_type = item.data_type();
    }
    (lists, data_type)
}
