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
    /// The columns of the features, beside the manifest.
    pub(crate) columns: FeatureColumns,
    /// Columns that cannot be loaded, and why.
    pub(crate) refused: Vec<(Arc<str>, String)>,
    /// Names that a feature of the context has, and one of sequences: names by which they are told apart.
    pub(crate) shared: HashMap<Arc<str>, [Arc<str>; 2]>,
    /// Position of each feature in the manifest, by its names.
    by_name: HashMap<Arc<str>, usize>,
}

/// The columns of features, by their names in a manifest.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureColumns(HashMap<Arc<str>, SourceColumn>);

/// The column of a feature.
#[derive(Clone, Debug)]
pub(crate) struct SourceColumn {
    pub(crate) path: ColumnPath,
    /// Whether each of its steps is a list of any number of values.
    pub(crate) has_lists: bool,
}

impl FeatureColumns {
    /// Returns the column of a feature, where it is not one of its name.
    pub(crate) fn of(&self, feature: &str) -> Option<&SourceColumn> {
        self.0.get(feature)
    }
}

impl Derived {
    /// Returns the name in the manifest of a feature that goes by this one, too.
    pub(crate) fn known(&self, name: &str) -> Option<&Arc<str>> {
        self.manifest.features.get(*self.by_name.get(name)?).map(|feature| &feature.name)
    }

    /// Returns the column of a feature.
    pub(crate) fn column(&self, name: &str) -> Option<ColumnPath> {
        self.columns.of(self.known(name)?).map(|column| column.path.clone())
    }

    /// Returns the columns of these features.
    pub(crate) fn columns_of<'a>(&self, names: impl Iterator<Item = &'a Arc<str>>) -> Vec<ColumnPath> {
        let mut known = HashSet::new();
        let columns = names.filter_map(|name| self.column(name));
        columns.filter(|column| known.insert(column.clone())).collect()
    }
}

/// Returns the manifest of a schema: a feature for each column, and for each field of a struct (the feature lists of a
/// tf.SequenceExample), by the names of the fields. Where another feature has that name, and always as well, a field goes by its
/// path, such as `##SEQUENCE##.clicks`.
///
/// | Arrow type | tensor of a record |
/// | --- | --- |
/// | a number, a boolean, a string, binary, or a dictionary of these | a scalar |
/// | `FixedSizeList<T, n>`, nested or not | of shape `[n]`, `[n, m]`, … |
/// | a list of any length of such as above | of shape `[?, …]` |
/// | a list of any length of lists of any length | of shape `[?, ?]` |
pub(crate) fn derive(schema: &Schema) -> Derived {
    let manifest = Manifest { compression: Compression::None, allow_var_len: true, features: Vec::new() };
    let mut derived = Derived {
        manifest,
        columns: FeatureColumns::default(),
        refused: Vec::new(),
        shared: HashMap::new(),
        by_name: HashMap::new(),
    };
    let is_column = |name: &str| schema.field_with_name(name).is_ok_and(|field| !is_struct(field));
    let mut sequences = HashSet::new();
    for field in schema.fields() {
        let DataType::Struct(fields) = field.data_type() else { continue };
        // Fields that are lists, all of them, are sequences: those of other structs are known to be of their column.
        if fields.iter().all(|inner| is_list(inner)) {
            sequences.extend(fields.iter().map(|inner| inner.name().as_str()).filter(|name| is_column(name)));
        }
    }
    for field in schema.fields() {
        let (name, column) = (field.name().as_str(), || ColumnPath::from(field.name().as_str()));
        match field.data_type() {
            DataType::Struct(fields) => {
                for inner in fields {
                    let path = ColumnPath::new([name, inner.name()]);
                    let full: Arc<str> = format!("{name}.{}", inner.name()).into();
                    let is_taken =
                        is_column(inner.name()) || derived.by_name.contains_key(inner.name().as_str());
                    let own = if is_taken { Arc::clone(&full) } else { inner.name().as_str().into() };
                    if is_taken && sequences.contains(inner.name().as_str()) && is_list(inner) {
                        let context = of_context(inner.name());
                        derived
                            .shared
                            .entry(inner.name().as_str().into())
                            .or_insert([context, Arc::clone(&full)]);
                    }
                    derived.add(inner, own, path, Some(full));
                }
            }
            _ if sequences.contains(name) => derived.add(field, of_context(name), column(), None),
            _ => derived.add(field, name.into(), column(), None),
        }
    }
    derived
}

/// Returns the name of a feature of the context, where one of sequences has its name.
fn of_context(name: &str) -> Arc<str> {
    format!("##CONTEXT##.{name}").into()
}

fn is_struct(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Struct(_))
}

fn is_list(field: &Field) -> bool {
    matches!(values_of(field), DataType::List(_) | DataType::LargeList(_))
}

impl Derived {
    /// Adds a field.
    fn add(&mut self, field: &Field, name: Arc<str>, path: ColumnPath, also: Option<Arc<str>>) {
        if self.by_name.contains_key(&name) {
            return;
        }
        let list = |data_type: &'_ DataType| matches!(data_type, DataType::List(_) | DataType::LargeList(_));
        let (var_len, mut inner) = match values_of(field) {
            DataType::List(item) | DataType::LargeList(item) => (true, values_of(item)),
            other => (false, other),
        };
        let has_lists = var_len && list(inner);
        if let DataType::List(item) | DataType::LargeList(item) = inner
            && has_lists
        {
            inner = values_of(item);
        }
        let mut shape = Vec::new();
        while let DataType::FixedSizeList(item, size) = inner
            && !has_lists
        {
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
        for name in [Some(&name), also.as_ref()].into_iter().flatten() {
            self.by_name.entry(Arc::clone(name)).or_insert(self.manifest.features.len());
        }
        self.columns.0.insert(Arc::clone(&name), SourceColumn { path, has_lists });
        self.manifest.features.push(Feature { name, dtype, shape, var_len, deserialize });
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
            ("lists", list(list(DataType::Int64))),
            ("deep", list(list(list(DataType::Int64)))),
            ("lists of pairs", list(list(fixed(DataType::Int64, 2)))),
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
                "lists int64 [] true",
                "clicks int64 [1] true"
            ]
        );
        assert!(
            derived.columns.of("lists").unwrap().has_lists && !derived.columns.of("ages").unwrap().has_lists
        );
        let names = ["clicks", "image", "clicks", "##SEQUENCE##.clicks"].map(Arc::from);
        let columns = derived.columns_of(names.iter());
        assert_eq!(
            columns.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["##SEQUENCE##.clicks", "image"]
        );
        let refused = derived.refused.iter().map(|(name, data_type)| format!("{name}: {data_type}"));
        let deep = "deep: LargeList(LargeList(LargeList(Int64)))";
        let fixed = "lists of pairs: LargeList(LargeList(FixedSizeList(2 x Int64)))";
        assert_eq!(refused.collect::<Vec<_>>(), [deep, fixed, "nothing: Null"]);
    }

    #[test]
    fn names_that_two_columns_have_are_told_apart_by_paths() {
        let field = |name: &str, data_type| Field::new(name, data_type, true);
        let of = |name: &str, fields: Vec<Field>| Field::new(name, DataType::Struct(fields.into()), false);
        let deep = || list(list(DataType::Int64));
        let schema = Schema::new(vec![
            field("a", list(DataType::Int64)),
            of("user", vec![field("id", DataType::Int64), field("name", DataType::Utf8)]),
            field("id", DataType::Int64),
            of("##SEQUENCE##", vec![field("a", deep()), field("b", deep()), field("name", deep())]),
        ]);
        let derived = derive(&schema);
        let features = derived.manifest.features.iter();
        let columns = features.map(|of| format!("{} {}", of.name, derived.column(&of.name).unwrap()));
        assert_eq!(
            columns.collect::<Vec<_>>(),
            [
                "##CONTEXT##.a a",
                "user.id user.id",
                "name user.name",
                "id id",
                "##SEQUENCE##.a ##SEQUENCE##.a",
                "b ##SEQUENCE##.b",
                "##SEQUENCE##.name ##SEQUENCE##.name"
            ]
        );
        let names = ["##CONTEXT##.a", "##SEQUENCE##.a"].map(Arc::from);
        assert_eq!(derived.shared, [(Arc::from("a"), names)].into());
        assert_eq!(derived.known("##SEQUENCE##.b").map(|name| &**name), Some("b"));
        assert_eq!(derived.known("a"), None);
    }
}
