//! The manifest that the schema of a data set amounts to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use tensor_repr::Values;
use tfxio_core::{ColumnPath, DType};

use super::{Compression, Deserialize, Feature, Manifest};

/// Manifest of a data set, derived from its schema.
#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) manifest: Manifest,
    /// Columns that cannot be loaded, and why.
    pub(crate) refused: Vec<(Arc<str>, String)>,
    /// The column of each feature of the manifest.
    columns: Vec<ColumnPath>,
    /// Position of each feature in the manifest.
    by_name: HashMap<Arc<str>, usize>,
}

impl Derived {
    /// Returns the column of a feature.
    pub(crate) fn column(&self, name: &str) -> Option<ColumnPath> {
        self.columns.get(*self.by_name.get(name)?).cloned()
    }

    /// Returns whether there is a feature.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns the columns of these features.
    pub(crate) fn columns<'a>(&self, names: impl Iterator<Item = &'a Arc<str>>) -> Vec<ColumnPath> {
        let mut known = HashSet::new();
        let columns = names.filter_map(|name| self.columns.get(*self.by_name.get(name)?));
        columns.filter(|column| known.insert(*column)).cloned().collect()
    }
}

/// Returns the manifest of a schema: a feature for each column, and for each field of a struct (the feature lists of a
/// tf.SequenceExample), by the names of the fields.
///
/// | Arrow type | tensor of a record |
/// | --- | --- |
/// | a number, a boolean, a string, binary, or a dictionary of these | a scalar |
/// | `FixedSizeList<T, n>`, nested or not | of shape `[n]`, `[n, m]`, … |
/// | a list of any length of such as above | of shape `[?, …]` |
pub(crate) fn derive(schema: &Schema) -> Derived {
    let manifest = Manifest { compression: Compression::None, allow_var_len: true, features: Vec::new() };
    let mut derived = Derived { manifest, refused: Vec::new(), columns: Vec::new(), by_name: HashMap::new() };
    for field in schema.fields() {
        let column = || ColumnPath::from(field.name().as_str());
        match field.data_type() {
            DataType::Struct(fields) => {
                for inner in fields {
                    let column = ColumnPath::new([field.name().as_str(), inner.name()]);
                    derived.add(inner, column);
                }
            }
            _ => derived.add(field, column()),
        }
    }
    derived
}

impl Derived {
    /// Adds a field.
    fn add(&mut self, field: &Field, column: ColumnPath) {
        let name: Arc<str> = field.name().as_str().into();
        if self.has(&name) {
            return;
        }
        let (var_len, mut inner) = match values_of(field) {
            DataType::List(item) | DataType::LargeList(item) => (true, values_of(item)),
            other => (false, other),
        };
        let mut shape = Vec::new();
        while let DataType::FixedSizeList(item, size) = inner {
            shape.push(usize::try_from(*size).unwrap_or_default());
            inner = values_of(item);
        }
        let deserialize = match Values::dtype_of(inner) {
            Some(DType::String) => Deserialize::String,
            Some(DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64) => Deserialize::Float,
            Some(_) => Deserialize::Int,
            None => {
                self.refused.push((name, field.data_type().to_string()));
                return;
            }
        };
        let dtype = Values::dtype_of(inner).unwrap_or(DType::String);
        self.by_name.insert(Arc::clone(&name), self.manifest.features.len());
        self.manifest.features.push(Feature { name, dtype, shape, var_len, deserialize });
        self.columns.push(column);
    }
}

/// Returns the type of the values of a field: of a dictionary, that of its values.
fn values_of(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{DataType, Field, Schema};

    use super::derive;

    fn list(item: DataType) -> DataType {
        DataType::LargeList(Arc::new(Field::new("item", item, true)))
    }

    fn fixed(item: DataType, size: i32) -> DataType {
        DataType::FixedSizeList(Arc::new(Field::new("item", item, true)), size)
    }

    #[test]
    fn columns_become_features_of_the_shapes_that_their_types_say() {
        let fields = [
            ("scalar", DataType::Int16),
            ("name", DataType::Utf8),
            ("word", DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))),
            ("image", fixed(fixed(DataType::Float32, 8), 4)),
            ("ages", list(DataType::UInt8)),
            ("boxes", list(fixed(DataType::Float64, 4))),
            (
                "words",
                list(fixed(DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)), 2)),
            ),
            ("deep", list(list(DataType::Int64))),
            ("nothing", DataType::Null),
        ];
        let sequences = vec![Field::new("clicks", list(fixed(DataType::Int64, 1)), true)];
        let fields = fields.map(|(name, data_type)| Field::new(name, data_type, true)).into_iter();
        let all = fields.chain([Field::new("##SEQUENCE##", DataType::Struct(sequences.into()), true)]);
        let derived = derive(&Schema::new(all.collect::<Vec<_>>()));
        let features = derived.manifest.features.iter();
        let text = features.map(|of| format!("{} {} {:?} {}", of.name, of.dtype, of.shape, of.var_len));
        assert_eq!(
            text.collect::<Vec<_>>(),
            [
                "scalar int16 [] false",
                "name string [] false",
                "word string [] false",
                "image float32 [4, 8] false",
                "ages uint8 [] true",
                "boxes float64 [4] true",
                "words string [2] true",
                "clicks int64 [1] true"
            ]
        );
        let names = ["clicks", "image", "clicks"].map(Arc::from);
        let columns = derived.columns(names.iter());
        assert_eq!(
            columns.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["##SEQUENCE##.clicks", "image"]
        );
        let refused = derived.refused.iter().map(|(name, data_type)| format!("{name}: {data_type}"));
        assert_eq!(refused.collect::<Vec<_>>(), ["deep: LargeList(LargeList(Int64))", "nothing: Null"]);
    }
}
