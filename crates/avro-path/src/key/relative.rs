//! Keys that begin at the record or the array of another key.

use super::{Key, KeyStep, Segment, resolve};
use crate::Result;
use crate::schema::{AvroSchema, Type};

impl Key {
    /// Returns the key of a path `below` the values of this key: in the record there, or, if the values are arrays or
    /// maps, in each record within them, as if `[*]` were between. A key that begins with brackets selects the elements
    /// itself, and one that begins with `@` stays as it is: both are as in [`join`](Self::join).
    ///
    /// ```
    /// use avro_path::{Key, AvroSchema};
    ///
    /// let schema = AvroSchema::parse(
    ///     r#"{"type": "record", "name": "r", "fields": [{"name": "cars", "type": {"type": "array", "items":
    ///         {"type": "record", "name": "car", "fields": [{"name": "id", "type": "long"}]}}}]}"#,
    /// )?;
    /// let cars = Key::parse("cars")?;
    /// assert_eq!(cars.join_within(&schema, &Key::parse("id")?)?.to_string(), "cars[*].id");
    /// assert_eq!(cars.join_within(&schema, &Key::parse("[0].id")?)?.to_string(), "cars[0].id");
    /// assert_eq!(cars.join_within(&schema, &Key::parse("@id")?)?.to_string(), "@id");
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// Of kind [`KeyType`](crate::Kind::KeyType) when this key does not fit the schema; of kind
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) when the result is longer than a key may be. Whether the
    /// result fits the schema is not checked.
    pub fn join_within(&self, schema: &AvroSchema, below: &Self) -> Result<Self> {
        let is_field = matches!(below.segments.first(), Some(Segment { step: KeyStep::Field(_), .. }));
        if below.from_root || !is_field {
            return self.join(below);
        }
        let mut within = self.to_string();
        let mut at = resolve::end(schema, self)?;
        // Into the one branch that a union has beside null; any other type is itself.
        let present = |at| schema.only_value(at).map_or(at, |(_, only)| only);
        while let Type::Array(items) | Type::Map(items) = schema.get(present(at)) {
            within.push_str("[*]");
            at = *items;
        }
        Self::parse(&within)?.join(below)
    }
}
