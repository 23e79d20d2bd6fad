//! The columns of a batch into columns of tensors, by the representations that a manifest amounts to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Schema};
use tensor_repr::{
    Adapter, ColumnPath, DefaultValue, DenseRepresentation, Endian as Order, RawBytes, Representation,
    RowSplits, ScalarValue, Tensor, Values, VarLenRaggedRepresentation,
};
use tfxio_core::{DType, Limits};

use crate::by_name::ByName;
use crate::column::{Column, RowError, RowShape, packed};
use crate::error::Locate as _;
use crate::manifest::{Deserialize, Endian, Feature};
use crate::pipeline::Primary;
use crate::shape::is_of_lists;
use crate::{Error, Kind, Result};

/// Makes columns of tensors. One a thread; what it checked of a schema stays.
#[derive(Debug)]
pub(crate) struct Importer {
    /// With the column of each feature.
    adapter: Option<(Adapter, Vec<ColumnPath>)>,
    limits: Limits,
}

impl Importer {
    /// Returns one that has not seen a batch.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { adapter: None, limits }
    }

    /// Returns the column of each feature.
    ///
    /// # Errors
    /// `Record`, with the row if it is not all of them that do not fit.
    pub(super) fn columns(
        &mut self,
        primary: &[Primary],
        batch: &RecordBatch,
    ) -> Result<Vec<Column>, RowError> {
        let known = match self.adapter.take() {
            Some(known) if known.0.schema() == batch.schema_ref() => known,
            _ => {
                let paths = paths(primary, batch.schema_ref());
                let adapter = adapter(primary, &paths, batch.schema_ref(), self.limits);
                (adapter.map_err(|error| row_error(primary, error))?, paths)
            }
        };
        let (adapter, paths) = self.adapter.insert(known);
        let tensors = adapter.tensors(batch);
        let tensors = tensors.map_err(|error| row_error(primary, error))?;
        let looks = |primary: &Primary| primary.default.is_some() || is_of_lists(&primary.info.shape);
        let mut columns = primary.iter().any(looks).then(|| ByName::new(batch));
        let column = |(primary, path): (&Primary, &ColumnPath)| {
            let tensor = tensors.get(&entry(primary)).map_err(|error| explained(&primary.feature, error))?;
            let other = || {
                Error::new(Kind::Source, "a tensor of another kind was made")
                    .of_tensor(primary.feature.name.clone())
            };
            let column = column(tensor, batch.num_rows()).ok_or_else(other)?;
            let valid = looks(primary).then(|| valid(columns.as_mut()?, path)).flatten();
            match (&primary.default, valid) {
                (Some(row), Some(valid)) => Ok(column.filled(&valid, row).ok_or_else(other)?),
                // Of lists of lists an absent one is empty.
                (None, Some(valid)) => {
                    let row = valid.iter().position(|is_valid| !is_valid);
                    Err(RowError { row, error: absent().of_tensor(primary.feature.name.clone()) })
                }
                _ => Ok(column),
            }
        };
        primary.iter().zip(&*paths).map(column).collect()
    }
}

/// Returns what makes tensors of batches of a schema.
fn adapter(
    primary: &[Primary],
    paths: &[ColumnPath],
    schema: &Arc<Schema>,
    limits: Limits,
) -> Result<Adapter> {
    // Of columns with the same name the first.
    let fields = schema.fields().iter().rev().map(|field| (field.name().as_str(), field.data_type()));
    let fields = fields.collect::<HashMap<_, _>>();
    let mut names = HashSet::new();
    let primary = primary.iter().zip(paths).filter(|(primary, _)| names.insert(entry(primary)));
    let made = primary.map(|(primary, path)| {
        let path = path.clone();
        let representation = match is_of_lists(&primary.info.shape) {
            // Absent ones are looked for afterwards.
            true => VarLenRaggedRepresentation::default().into(),
            false => representation(&primary.feature),
        };
        let representation = match &primary.default {
            Some(_) => optional(representation, &primary.feature, leaf(&fields, &path)),
            None => representation,
        };
        (entry(primary), representation.column(path))
    });
    Adapter::builder(Arc::clone(schema), made).limits(limits).build()
}

/// Returns the column of each feature: at the top, or a field of a struct of sequences, the first that has one of this name.
fn paths(primary: &[Primary], schema: &Schema) -> Vec<ColumnPath> {
    let mut at_top = HashSet::new();
    let mut within = HashMap::new();
    for field in schema.fields() {
        match field.data_type() {
            DataType::Struct(fields) => {
                for inner in fields {
                    within.entry(inner.name().as_str()).or_insert_with(|| field.name().as_str());
                }
            }
            _ => {
                at_top.insert(field.name().as_str());
            }
        }
    }
    let path = |primary: &Primary| {
        if let Some(column) = &primary.column {
            return column.clone();
        }
        let name = &*primary.feature.name;
        match within.get(name).filter(|_| !at_top.contains(name)) {
            Some(of) => ColumnPath::new([*of, name]),
            None => ColumnPath::from(name),
        }
    };
    primary.iter().map(path).collect()
}

/// Returns how the column of a feature becomes a tensor.
fn representation(feature: &Feature) -> Representation {
    let dense = |shape: &[usize]| -> Representation {
        DenseRepresentation::default().shape(shape.iter().copied().map(Some).collect()).flat(true).into()
    };
    let shape = feature.shape.iter().copied();
    match feature.deserialize {
        Deserialize::Int | Deserialize::Float if feature.var_len => {
            Representation::sequence(shape).cast(feature.dtype)
        }
        Deserialize::Int | Deserialize::Float => dense(&feature.shape).cast(feature.dtype),
        Deserialize::String if feature.var_len => Representation::sequence(shape).of_dtype(DType::String),
        Deserialize::String => dense(&feature.shape).of_dtype(DType::String),
        Deserialize::Raw { endian, len } => {
            let endian = if endian == Endian::Little { Order::Little } else { Order::Big };
            let raw = RawBytes::new(feature.dtype).endian(endian).shape(feature.shape.clone());
            match (feature.var_len, len) {
                (true, _) => Representation::sequence([]).raw(raw),
                (false, 2..) => dense(&[len]).raw(raw),
                (false, _) => dense(&[]).raw(raw),
            }
        }
    }
}

/// Returns the name by which the tensor of a feature is asked for: one that may lack it is another than one that may not.
fn entry(primary: &Primary) -> Arc<str> {
    let name = &primary.feature.name;
    if primary.default.is_some() { format!("{name}, or a default").into() } else { Arc::clone(name) }
}

/// Returns a representation that takes records without the feature, whose values are replaced afterwards.
fn optional(representation: Representation, feature: &Feature, leaf: Option<DType>) -> Representation {
    match representation {
        Representation::Dense(dense) => {
            let value = match (leaf, feature.deserialize) {
                (Some(DType::String), Deserialize::Raw { .. }) => {
                    let cells = feature.shape.iter().product::<usize>();
                    ScalarValue::Bytes(vec![0; cells.saturating_mul(feature.dtype.width().unwrap_or(1))])
                }
                (Some(DType::String), _) => ScalarValue::Bytes(Vec::new()),
                (Some(DType::Bool), _) => ScalarValue::Bool(false),
                (Some(DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64), _) => {
                    ScalarValue::Float(0.0)
                }
                _ => ScalarValue::Int(0),
            };
            dense.default_value(DefaultValue::Scalar(value)).into()
        }
        Representation::Sequence(sequence) => sequence.optional(true).into(),
        Representation::Converted(mut converted) => {
            converted.of = Box::new(optional(*converted.of, feature, leaf));
            Representation::Converted(converted)
        }
        other => other,
    }
}

/// Returns the dtype of the values of a column.
fn leaf(columns: &HashMap<&str, &DataType>, path: &ColumnPath) -> Option<DType> {
    let mut steps = path.steps().iter();
    let mut data_type = *columns.get(&**steps.next()?)?;
    loop {
        data_type = match data_type {
            DataType::Struct(fields) => fields.find(steps.next()?)?.1.data_type(),
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                item.data_type()
            }
            DataType::Dictionary(_, values) => values,
            other => return Values::dtype_of(other),
        };
    }
}

/// Returns which rows have a column, unless all have.
fn valid(columns: &mut ByName<'_>, path: &ColumnPath) -> Option<NullBuffer> {
    let nulls = columns.steps(path)?.into_iter().fold(None, |nulls: Option<NullBuffer>, column| {
        NullBuffer::union(nulls.as_ref(), column.logical_nulls().as_ref())
    });
    nulls.filter(|nulls| nulls.null_count() > 0)
}

/// Returns the tensors of all rows in one column.
fn column(tensor: &Tensor, rows: usize) -> Option<Column> {
    match tensor {
        Tensor::Dense(dense) => {
            let shape = RowShape::Fixed(dense.shape().get(1..)?.to_vec());
            Some(Column { rows, shape, values: dense.values().clone() })
        }
        Tensor::Ragged(ragged) => {
            let offsets =
                |splits: &RowSplits| splits.iter().map(usize::try_from).collect::<Result<Vec<_>, _>>().ok();
            let (offsets, inner, values) = match ragged.row_splits() {
                [splits] => (offsets(splits)?, ragged.inner_shape().to_vec(), ragged.values().clone()),
                // Steps that are lists of any number of values.
                [splits, lists] => (offsets(splits)?, Vec::new(), packed(ragged.values(), &offsets(lists)?)?),
                _ => return None,
            };
            Some(Column { rows, shape: RowShape::Leading { offsets, inner }, values })
        }
        _ => None,
    }
}

/// Adds the row to an error.
#[cold]
fn row_error(primary: &[Primary], error: Error) -> RowError {
    let row = error.position().row.and_then(|row| usize::try_from(row).ok());
    let name = error.position().tensor.clone();
    let primary = primary.iter().find(|primary| Some(&entry(primary)) == name.as_ref());
    let feature = primary.map(|primary| &primary.feature);
    RowError {
        row,
        error: match feature {
            Some(feature) => explained(feature, error),
            None => error,
        },
    }
}

/// Returns the error of a record without a feature.
#[cold]
fn absent() -> Error {
    Error::new(Kind::Record, "the record lacks the feature")
        .help("every record needs each feature that is read, or set `defaults`")
}

/// Returns an error of the adapter in terms of the manifest.
#[cold]
fn explained(feature: &Feature, error: Error) -> Error {
    use tensor_repr::Kind as Of;

    let (what, mut kind) = (error.what().to_owned(), Kind::Record);
    let mut hint = error.hint().map(str::to_owned);
    match error.detail() {
        Some(Of::Overflow) => kind = Kind::LimitExceeded,
        Some(Of::AbsentValue) => return absent().of_tensor(feature.name.clone()).because(error),
        Some(Of::NullValue) => hint = Some("fill it in, or leave the record out".to_owned()),
        Some(Of::ShapeMismatch) => {
            hint = Some("correct the record, or what the manifest says of the feature".to_owned());
        }
        _ => {}
    }
    let explained = Error::new(kind, what).of_tensor(feature.name.clone());
    let explained = if let Some(hint) = hint { explained.help(hint) } else { explained };
    explained.because(error)
}
