//! Building an adapter.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_base::Limits;

use super::dictionaries::Dictionaries;
use super::recycle::Recycler;
use super::route::SchemaColumns;
use super::{Adapter, AdapterPlan, Compiled};
use crate::kind::Locate as _;
use crate::{Error, Kind, Representation, TensorSpec};

/// Builds an [`Adapter`].
#[derive(Clone, Debug)]
pub struct AdapterBuilder {
    schema: SchemaRef,
    representations: Vec<(Arc<str>, Representation)>,
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
    limits: Limits,
}

impl AdapterBuilder {
    pub(super) fn new<I, N>(schema: SchemaRef, representations: I) -> Self
    where
        I: IntoIterator<Item = (N, Representation)>,
        N: Into<Arc<str>>,
    {
        let representations =
            representations.into_iter().map(|(name, representation)| (name.into(), representation)).collect();
        Self { schema, representations, original_specs: None, limits: Limits::default() }
    }

    /// Sets the limits. `batch_bytes` bounds what is written for one tensor: padding can make it many times what
    /// is in the batch. Default 8 GiB.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the specs of the data set of which the adapter makes a part: after a projection, the specs of the tensors
    /// before it. Default: the specs of the adapter.
    #[must_use]
    pub fn original_specs(mut self, specs: Vec<(Arc<str>, TensorSpec)>) -> Self {
        self.original_specs = Some(specs);
        self
    }

    /// Checks the representations against the schema and returns the adapter.
    ///
    /// # Errors
    /// Each names the tensor and, where it is about one, the column:
    /// - `MissingColumn` if a column, or a field on a path, is not in the schema;
    /// - `TypeMismatch` if a column has another type than its representation needs or declares;
    /// - `InvalidRepresentation` if a default does not fit the dtype or the shape, or sizes and index columns are
    ///   not equally many;
    /// - `InvalidArgument` if two tensors have one name, or a tensor is not among the original specs with the same
    ///   spec.
    pub fn build(self) -> Result<Adapter, Error> {
        let named = self.representations.iter().map(|(name, of)| of.clone().of_tensor(name));
        let used = named.flat_map(|of| of.source_columns()).collect::<Vec<_>>();
        let dictionaries = Dictionaries::new(&self.schema, &used);
        let columns = SchemaColumns::new(dictionaries.as_ref().map_or(&*self.schema, Dictionaries::schema));
        let (mut specs, mut tensors) = (Vec::new(), Vec::new());
        let mut by_name = HashMap::with_capacity(self.representations.len());
        for (name, representation) in &self.representations {
            let (plan, spec) = AdapterPlan::of(&columns, &representation.clone().of_tensor(name))
                .map_err(|error| error.in_tensor(name))?;
            if by_name.insert(Arc::clone(name), tensors.len()).is_some() {
                let error = Error::new(Kind::InvalidArgument, "two representations have this name");
                return Err(error.in_tensor(name));
            }
            specs.push((Arc::clone(name), spec));
            tensors.push(Compiled { plan, recycler: Recycler::default() });
        }
        if let Some(original) = &self.original_specs {
            check_original(&specs, original)?;
        }
        let (original_specs, limits) = (self.original_specs, self.limits);
        Ok(Adapter {
            schema: self.schema,
            specs,
            original_specs,
            dictionaries,
            tensors,
            by_name: Arc::new(by_name),
            limits,
        })
    }
}

fn check_original(
    specs: &[(Arc<str>, TensorSpec)],
    original: &[(Arc<str>, TensorSpec)],
) -> Result<(), Error> {
    let by_name: HashMap<&str, &TensorSpec> = original.iter().map(|(name, spec)| (&**name, spec)).collect();
    for (name, spec) in specs {
        let message = match by_name.get(&**name) {
            Some(other) if *other == spec => continue,
            Some(other) => format!("the original spec is {other}, the adapter's {spec}"),
            None => "there is no original spec of this tensor".to_owned(),
        };
        return Err(Error::new(Kind::InvalidArgument, message).in_tensor(name));
    }
    Ok(())
}
