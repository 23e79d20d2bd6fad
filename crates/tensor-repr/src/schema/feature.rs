//! Features of a schema, for readers of records.

use arrow_schema::DataType;

use super::TfmdSchema;
use crate::infer::is_used;
use crate::proto::metadata::v0::feature::{DomainInfo, ShapeType};
use crate::proto::metadata::v0::{self as tfmd};

/// The type of a feature's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureType {
    /// Strings of bytes.
    Bytes,
    /// Integers of 64 bits.
    Int,
    /// Floats of 32 bits.
    Float,
    /// Structs with features of their own.
    Struct,
}

impl FeatureType {
    pub(crate) fn of(proto: tfmd::FeatureType) -> Option<Self> {
        Some(match proto {
            tfmd::FeatureType::TypeUnknown => return None,
            tfmd::FeatureType::Bytes => Self::Bytes,
            tfmd::FeatureType::Int => Self::Int,
            tfmd::FeatureType::Float => Self::Float,
            tfmd::FeatureType::Struct => Self::Struct,
        })
    }

    /// Returns the type of the feature that values of an Arrow type make, if there is one.
    pub(crate) fn of_arrow(values: &DataType) -> Option<Self> {
        Some(match values {
            DataType::Struct(_) => Self::Struct,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View => Self::Bytes,
            DataType::Boolean => Self::Int,
            other if other.is_integer() => Self::Int,
            other if other.is_floating() => Self::Float,
            _ => return None,
        })
    }

    pub(crate) fn proto(self) -> tfmd::FeatureType {
        match self {
            Self::Bytes => tfmd::FeatureType::Bytes,
            Self::Int => tfmd::FeatureType::Int,
            Self::Float => tfmd::FeatureType::Float,
            Self::Struct => tfmd::FeatureType::Struct,
        }
    }
}

/// A feature of a [`TfmdSchema`].
#[derive(Clone, Copy, Debug)]
pub struct SchemaFeature<'a>(&'a tfmd::Feature);

impl<'a> SchemaFeature<'a> {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.0.name.as_deref().unwrap_or_default()
    }

    /// Returns the type of the values, if the schema declares it.
    #[must_use]
    pub fn feature_type(&self) -> Option<FeatureType> {
        FeatureType::of(self.0.r#type())
    }

    /// Returns whether the feature is in use: not deprecated, and not in a stage such as `PLANNED` or `DEBUG_ONLY`. One
    /// that is not has no tensor, and need not have a type.
    #[must_use]
    pub fn is_used(&self) -> bool {
        is_used(self.0)
    }

    /// Returns the number of values of every row, where a `shape` or a `value_count` fixes it to one that a column of
    /// lists of one size can have.
    #[must_use]
    pub fn fixed_len(&self) -> Option<u32> {
        let values = match self.0.shape_type.as_ref()? {
            ShapeType::Shape(shape) => {
                let mut sizes = shape.dim.iter().map(|dim| dim.size.filter(|size| *size > 0));
                sizes.try_fold(1i64, |product, size| product.checked_mul(size?))?
            }
            ShapeType::ValueCount(count) => count.min.filter(|min| count.max == Some(*min))?,
            ShapeType::ValueCounts(_) => return None,
        };
        u32::try_from(values).ok().filter(|values| *values > 0 && i32::try_from(*values).is_ok())
    }

    /// Returns whether every row that has the feature has exactly one value, if a `shape` or a `value_count` determines it.
    /// `None` for a shape with a dimension of unknown size, and for a `value_count` from none to one, where the data
    /// decide.
    ///
    /// ```
    /// use tensor_repr::TfmdSchema;
    ///
    /// let schema = TfmdSchema::from_text(
    ///     r#"feature { name: "label" type: INT shape { dim { size: 1 } } }
    ///        feature { name: "words" type: BYTES value_count { min: 1 } }
    ///        feature { name: "city" type: BYTES }"#,
    /// )?;
    /// assert!(schema.features().map(|feature| feature.is_single()).eq([Some(true), Some(false), None]));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    #[must_use]
    pub fn is_single(&self) -> Option<bool> {
        match self.0.shape_type.as_ref()? {
            ShapeType::Shape(shape) => {
                let sizes = shape.dim.iter().map(|dim| dim.size.filter(|size| *size > 0));
                let sizes = sizes.collect::<Option<Vec<_>>>()?;
                Some(sizes.into_iter().all(|size| size == 1))
            }
            ShapeType::ValueCount(count) => match (count.min, count.max) {
                (Some(1), Some(1)) => Some(true),
                (_, Some(1)) => None,
                _ => Some(false),
            },
            ShapeType::ValueCounts(_) => Some(false),
        }
    }

    /// Returns the features in a struct.
    pub fn children(&self) -> impl Iterator<Item = SchemaFeature<'a>> + Clone + use<'a> {
        let children = match &self.0.domain_info {
            Some(DomainInfo::StructDomain(domain)) => domain.feature.as_slice(),
            _ => &[],
        };
        children.iter().map(SchemaFeature)
    }
}

impl TfmdSchema {
    /// Returns the features, in the order of the schema. Those in structs are their
    /// [`children`](SchemaFeature::children).
    ///
    /// ```
    /// use tensor_repr::{FeatureType, TfmdSchema};
    ///
    /// let schema = TfmdSchema::from_text(r#"feature { name: "age" type: INT shape { dim { size: 2 } } }"#)?;
    /// let age = schema.features().next().expect("there is a feature");
    /// assert_eq!((age.name(), age.feature_type(), age.fixed_len()), ("age", Some(FeatureType::Int), Some(2)));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    pub fn features(&self) -> impl Iterator<Item = SchemaFeature<'_>> + Clone {
        self.proto.feature.iter().map(SchemaFeature)
    }
}
