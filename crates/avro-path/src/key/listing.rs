//! All keys of a schema.

use arrow_schema::DataType;

use super::leaf::Leaf;
use super::parse::{LONGEST, STEPS};
use super::print::Name;
use crate::program::{ColumnValues, KeyOptions};
use crate::schema::{AvroSchema, Type, TypeId};

/// Types that a listing looks at, whatever comes out: a schema can name a record in several fields of each record above.
const LOOKED_AT: usize = 100_000;
/// Keys of a listing.
const LISTED: usize = 10_000;

/// A key that fits a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedKey {
    /// The expression, with `[*]` for the elements of arrays and maps.
    pub key: String,
    /// Avro type at its end, in words.
    pub avro: String,
    /// Type of its column. `None` if the listing stops at a record, whose fields have keys of their own.
    pub data_type: Option<DataType>,
}

/// The keys of a schema, as [`list`] finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyList {
    /// The keys, in the order of the fields.
    pub keys: Vec<ListedKey>,
    /// Whether there are more of them than a listing has at most (10,000), or longer ones than a key may be.
    pub is_cut: bool,
}

/// Lists the keys of a schema with the types of their columns as the options make them, those with `depth` names of fields at most. Without a depth
/// all of them, but a record within itself is not gone into again.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::key::list;
/// use avro_path::program::KeyOptions;
///
/// let schema = AvroSchema::parse(
///     r#"{"type": "record", "name": "person", "fields": [
///         {"name": "age", "type": ["null", "int"]},
///         {"name": "cars", "type": {"type": "map", "values": "string"}},
///         {"name": "friends", "type": {"type": "array", "items": "person"}}]}"#,
/// )?;
/// let keys = list(&schema, None, KeyOptions::default()).keys;
/// let texts = keys.iter().map(|key| key.key.as_str()).collect::<Vec<_>>();
/// assert_eq!(texts, ["age", "cars[*]~", "cars[*]", "friends[*]"]);
/// assert_eq!(keys[0].data_type, Some(arrow_schema::DataType::Int32));
/// assert_eq!((keys[3].avro.as_str(), &keys[3].data_type), ("record person", &None));
/// assert_eq!(list(&schema, Some(2), KeyOptions::default()).keys[3].key, "friends[*].age");
/// # Ok::<(), avro_path::Error>(())
/// ```
#[must_use]
pub fn list(schema: &AvroSchema, depth: Option<usize>, options: KeyOptions) -> KeyList {
    let mut lister =
        Lister { schema, depth, options, above: Vec::new(), looked_at: 0, list: KeyList::default() };
    let at = String::new();
    lister.go(schema.root(), at, 0, 0);
    lister.list
}

struct Lister<'s> {
    schema: &'s AvroSchema,
    depth: Option<usize>,
    options: KeyOptions,
    /// Records that enclose the current type.
    above: Vec<TypeId>,
    looked_at: usize,
    list: KeyList,
}

impl Lister<'_> {
    /// Lists the keys that begin with `key`, which has `names` names and `rank` dimensions.
    fn go(&mut self, id: TypeId, key: String, names: usize, rank: usize) {
        self.looked_at += 1;
        // What is longer is not a key. Each step takes stack space here, too.
        let is_too_long = key.len() > LONGEST || names + rank >= STEPS;
        if is_too_long || self.looked_at > LOOKED_AT || self.list.keys.len() >= LISTED {
            self.list.is_cut = true;
            return;
        }
        let ty = self.schema.get(id);
        if let Some(leaf) = Leaf::of(ty) {
            return self.push(key, id, Some((self.values(leaf, &[id]), rank)));
        }
        match ty {
            Type::Record(record) => {
                let is_too_deep = match self.depth {
                    Some(depth) => names >= depth,
                    None => self.above.contains(&id),
                };
                if is_too_deep {
                    return self.push(key, id, None);
                }
                self.above.push(id);
                for field in record.fields() {
                    let dot = if key.is_empty() { "" } else { "." };
                    let key = format!("{key}{dot}{}", Name(field.name()));
                    self.go(field.type_id(), key, names + 1, rank);
                }
                self.above.pop();
            }
            Type::Array(items) => self.go(*items, key + "[*]", names, rank + 1),
            Type::Map(values) => {
                self.push(format!("{key}[*]~"), id, Some((ColumnValues::keys(self.options), rank + 1)));
                self.go(*values, key + "[*]", names, rank + 1);
            }
            Type::Union(branches) => {
                let values = self.schema.values(branches).collect::<Vec<_>>();
                match (values.as_slice(), Leaf::of_all(self.schema, &values)) {
                    ([(_, only)], _) => self.go(*only, key, names, rank),
                    (_, Some(leaf)) => {
                        let types = values.iter().map(|&(_, id)| id).collect::<Vec<_>>();
                        self.push(key, id, Some((self.values(leaf, &types), rank)));
                    }
                    // No branch of the root can be named.
                    _ if key.is_empty() => self.push(key, id, None),
                    _ => {
                        for (_, id) in values {
                            let key = format!("{key}:{}", Name(self.schema.branch_name(id)));
                            self.go(id, key, names, rank);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn values(&self, leaf: Leaf, types: &[TypeId]) -> ColumnValues {
        ColumnValues::of(self.schema, leaf, types, self.options)
    }

    fn push(&mut self, key: String, id: TypeId, column: Option<(ColumnValues, usize)>) {
        let key = if key.is_empty() { "@".to_owned() } else { key };
        let data_type = column.map(|(values, rank)| values.data_type(rank, self.options.large_offsets));
        let avro = if key.ends_with('~') { "string".to_owned() } else { self.schema.describe(id) };
        self.list.keys.push(ListedKey { key, avro, data_type });
    }
}
