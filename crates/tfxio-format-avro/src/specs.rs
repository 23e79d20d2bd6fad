//! Feature specs over the records of Avro files.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use avro_path::AvroSchema;
use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use tensor_repr::{Adapter, FeatureSpec, Representation, feature_specs_from_json, json};
use tfxio_core::shared_options::REPRESENTATIONS;
use tfxio_core::{Error, OptionValue, Position, Result};

use super::columns::ColumnMapping;

/// Feature specs bound to a schema: the columns that they need, each once, and how these become tensors.
pub(super) struct Bound {
    pub(super) columns: KeyColumns,
    /// The schema of the columns.
    pub(super) arrow: SchemaRef,
    pub(super) representations: BTreeMap<String, Representation>,
}

impl Bound {
    /// Binds specs by name.
    ///
    /// A key is an expression from the root of the record. Those of a sparse feature are relative to the record, or to each
    /// record of the array, at the key of the feature, unless they begin with `@`.
    pub(super) fn new(
        schema: &AvroSchema,
        specs: &BTreeMap<String, FeatureSpec>,
        options: KeyOptions,
    ) -> Result<Self> {
        let mut columns = KeyColumns::new(schema);
        let mut numbers = Vec::with_capacity(specs.len());
        for (name, spec) in specs {
            let keys = spec.keys(name);
            let read_as = keys.keys.iter().map(String::as_str).zip(keys.dtypes.iter().copied());
            let added = columns.add_as(keys.base.as_deref(), read_as);
            let in_tensor = |error: Error| error.or_at(&Position::new().tensor(name.as_str()));
            numbers.push(added.map_err(in_tensor)?);
        }
        let arrow = columns.program(options)?.arrow_schema();
        let mut representations = BTreeMap::new();
        for ((name, spec), numbers) in specs.iter().zip(&numbers) {
            let fields = numbers.iter().map(|&number| arrow.field(number)).collect::<Vec<_>>();
            representations.insert(name.clone(), spec.representation_of(name, &fields)?);
        }
        Ok(Self { columns, arrow, representations })
    }
}

/// Binds feature specs to a schema: returns the columns that they need, and the option that defines the tensors of these.
pub(super) fn bind(
    schema: &AvroSchema,
    specs: &str,
    options: KeyOptions,
) -> Result<(ColumnMapping, (String, OptionValue))> {
    let Bound { columns, arrow, representations } =
        Bound::new(schema, &feature_specs_from_json(specs)?, options)?;
    Adapter::builder(Arc::clone(&arrow), representations.clone()).build()?;
    let names = arrow.fields().iter().map(|field| Arc::from(field.name().as_str()));
    let keys = names.zip(columns.keys().iter().cloned()).collect();
    let text = json::representations_to_json(&representations);
    Ok((ColumnMapping::Keys(keys, options), (REPRESENTATIONS.to_owned(), OptionValue::Text(text))))
}
