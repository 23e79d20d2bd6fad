//! Schemas made in code.

use std::collections::HashSet;

use arrow_schema::{DataType, Field, Schema as ArrowSchema};

use super::{FeatureType, TfmdSchema};
use crate::proto::metadata::v0 as tfmd;
use crate::{Error, Kind};

/// A schema in the making: see [`TfmdSchema::builder`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct SchemaBuilder {
    features: Vec<FeatureDefinition>,
}

/// A feature of a [`SchemaBuilder`]: its name and type, and what is known of its values.
///
/// ```
/// use tensor_repr::{FeatureDefinition, FeatureType};
///
/// let age = FeatureDefinition::new("age", FeatureType::Int).shape([]).presence(1.0).int_domain(0, 130);
/// # let _ = age;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct FeatureDefinition {
    feature: tfmd::Feature,
    children: Vec<Self>,
    /// The first thing that does not fit.
    fault: Option<String>,
}

impl TfmdSchema {
    /// Begins a schema in code.
    ///
    /// ```
    /// use tensor_repr::{FeatureDefinition, FeatureType, TfmdSchema};
    ///
    /// let schema = TfmdSchema::builder()
    ///     .feature(FeatureDefinition::new("age", FeatureType::Int).shape([]).presence(1.0))
    ///     .feature(FeatureDefinition::new("words", FeatureType::Bytes).value_count(1, None))
    ///     .build()?;
    /// let same = TfmdSchema::from_text(
    ///     r#"feature { name: "age" type: INT shape { } presence { min_fraction: 1 } }
    ///        feature { name: "words" type: BYTES value_count { min: 1 } }"#,
    /// )?;
    /// assert_eq!(schema.to_text(), same.to_text());
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    pub fn builder() -> SchemaBuilder {
        SchemaBuilder::default()
    }
}

impl SchemaBuilder {
    /// Appends a feature.
    pub fn feature(mut self, feature: FeatureDefinition) -> Self {
        self.features.push(feature);
        self
    }

    /// Appends features.
    pub fn features(mut self, features: impl IntoIterator<Item = FeatureDefinition>) -> Self {
        self.features.extend(features);
        self
    }

    /// Returns the schema.
    ///
    /// # Errors
    /// [`Kind::InvalidSchema`], with the feature, for two features of one name and for a constraint that the type of the feature does not
    /// have or that no value satisfies.
    pub fn build(self) -> Result<TfmdSchema, Error> {
        let feature = messages(self.features)?;
        Ok(TfmdSchema::of(tfmd::Schema { feature, ..tfmd::Schema::default() }))
    }
}

/// Returns the messages of features beside each other.
fn messages(features: Vec<FeatureDefinition>) -> Result<Vec<tfmd::Feature>, Error> {
    let mut names = HashSet::new();
    features
        .into_iter()
        .map(|FeatureDefinition { mut feature, children, fault }| {
            let name = feature.name().to_owned();
            let wrong =
                |what: String| Error::new(Kind::InvalidSchema, format!("the feature {name:?}: {what}"));
            if !names.insert(name.clone()) {
                return Err(wrong("another has the same name".to_owned()).help("give one another name"));
            }
            if let Some(fault) = fault {
                return Err(wrong(fault));
            }
            if feature.r#type() == tfmd::FeatureType::Struct {
                let domain =
                    tfmd::StructDomain { feature: messages(children)?, ..tfmd::StructDomain::default() };
                feature.domain_info = Some(tfmd::feature::DomainInfo::StructDomain(domain));
            }
            Ok(feature)
        })
        .collect()
}

impl FeatureDefinition {
    /// Returns a feature of a name and a type, with values in any number.
    pub fn new(name: impl Into<String>, feature_type: FeatureType) -> Self {
        let feature = tfmd::Feature {
            name: Some(name.into()),
            r#type: Some(feature_type.proto() as i32),
            ..tfmd::Feature::default()
        };
        Self { feature, children: Vec::new(), fault: None }
    }

    /// Returns a feature of type `STRUCT` with features of its own.
    pub fn group(name: impl Into<String>, children: impl IntoIterator<Item = Self>) -> Self {
        Self { children: children.into_iter().collect(), ..Self::new(name, FeatureType::Struct) }
    }

    /// Sets the shape of the values of each record: none for one value, `[64]` for 64. Replaces a number of values.
    pub fn shape(mut self, sizes: impl IntoIterator<Item = u32>) -> Self {
        let dim =
            sizes.into_iter().map(|size| tfmd::fixed_shape::Dim { size: Some(size.into()), name: None });
        let shape = tfmd::FixedShape { dim: dim.collect() };
        self.feature.shape_type = Some(tfmd::feature::ShapeType::Shape(shape));
        self
    }

    /// Sets the least and the largest number of values of a record; `None` for any. Replaces a shape.
    pub fn value_count(mut self, min: u32, max: impl Into<Option<u32>>) -> Self {
        let max = max.into();
        if max.is_some_and(|max| max < min) {
            self.fault.get_or_insert(format!(
                "no number of values is {min} or more and {} or less",
                max.unwrap_or(0)
            ));
        }
        let count = tfmd::ValueCount { min: Some(min.into()), max: max.map(i64::from) };
        self.feature.shape_type = Some(tfmd::feature::ShapeType::ValueCount(count));
        self
    }

    /// Sets the least fraction of records that have the feature, from 0 to 1.
    pub fn presence(mut self, min_fraction: f64) -> Self {
        if !(0.0..=1.0).contains(&min_fraction) {
            self.fault.get_or_insert(format!("the fraction {min_fraction} is not from 0 to 1"));
        }
        let presence = tfmd::FeaturePresence { min_fraction: Some(min_fraction), min_count: None };
        self.feature.presence_constraints = Some(tfmd::feature::PresenceConstraints::Presence(presence));
        self
    }

    /// Sets the least and the largest value of integers; `None` for any.
    pub fn int_domain(mut self, min: impl Into<Option<i64>>, max: impl Into<Option<i64>>) -> Self {
        let (min, max) = (min.into(), max.into());
        self.needs(FeatureType::Int, min.zip(max).is_some_and(|(min, max)| min > max));
        let domain = tfmd::IntDomain { min, max, ..tfmd::IntDomain::default() };
        self.feature.domain_info = Some(tfmd::feature::DomainInfo::IntDomain(domain));
        self
    }

    /// Sets the least and the largest value of floats; `None` for any.
    pub fn float_domain(mut self, min: impl Into<Option<f32>>, max: impl Into<Option<f32>>) -> Self {
        let (min, max) = (min.into(), max.into());
        let is_nan = min.into_iter().chain(max).any(f32::is_nan);
        self.needs(FeatureType::Float, is_nan || min.zip(max).is_some_and(|(min, max)| min > max));
        let domain = tfmd::FloatDomain { min, max, ..tfmd::FloatDomain::default() };
        self.feature.domain_info = Some(tfmd::feature::DomainInfo::FloatDomain(domain));
        self
    }

    /// Sets the strings that values may be.
    pub fn string_domain<S: Into<String>>(mut self, values: impl IntoIterator<Item = S>) -> Self {
        self.needs(FeatureType::Bytes, false);
        let value = values.into_iter().map(Into::into).collect();
        let domain = tfmd::StringDomain { value, ..tfmd::StringDomain::default() };
        self.feature.domain_info = Some(tfmd::feature::DomainInfo::StringDomain(domain));
        self
    }

    /// Notes a domain of another type, or one without values.
    fn needs(&mut self, feature_type: FeatureType, is_empty: bool) {
        let found = self.feature.r#type().as_str_name();
        if self.feature.r#type != Some(feature_type.proto() as i32) {
            let needed = feature_type.proto().as_str_name();
            self.fault.get_or_insert(format!("a domain of {needed} for the type {found}"));
        } else if is_empty {
            self.fault.get_or_insert("no value is within its domain".to_owned());
        }
    }
}

/// The features that a tf.Example has of columns: `INT` of integers and booleans, `FLOAT` of floats, `BYTES` of strings and binary, `STRUCT` of
/// structs; a dictionary is its values. A column that is never null is in every record: one of scalars has the shape of one value, a
/// `FixedSizeList` its length. A shape is only for such columns; where there may be nulls, the number of values is a value count.
///
/// ```
/// use arrow_schema::{DataType, Field, Schema as Columns};
/// use tensor_repr::TfmdSchema;
///
/// let columns = Columns::new(vec![Field::new("id", DataType::Int32, false), Field::new("name", DataType::Utf8, true)]);
/// let same = TfmdSchema::from_text(
///     r#"feature { name: "id" type: INT presence { min_fraction: 1 } shape { } }
///        feature { name: "name" type: BYTES value_count { min: 1 max: 1 } }"#,
/// )?;
/// assert_eq!(TfmdSchema::try_from(&columns)?.to_text(), same.to_text());
/// # Ok::<(), tensor_repr::Error>(())
/// ```
impl TryFrom<&ArrowSchema> for TfmdSchema {
    type Error = Error;

    /// # Errors
    /// [`Kind::Unsupported`] for a column of a type that no feature has, with its name; [`Kind::InvalidSchema`] for two of one name.
    fn try_from(schema: &ArrowSchema) -> Result<Self, Error> {
        let features =
            schema.fields().iter().map(|field| definition(field)).collect::<Result<Vec<_>, _>>()?;
        Self::builder().features(features).build()
    }
}

/// Returns the feature of a column or of a field of one.
fn definition(field: &Field) -> Result<FeatureDefinition, Error> {
    let mut data_type = field.data_type();
    let (mut lists, mut shape) = (0, Vec::new());
    loop {
        data_type = match data_type {
            DataType::List(item) | DataType::LargeList(item) => item.data_type(),
            DataType::FixedSizeList(item, size) => {
                shape.extend(u32::try_from(*size).ok());
                item.data_type()
            }
            DataType::Dictionary(_, values) => {
                data_type = values;
                break;
            }
            _ => break,
        };
        lists += 1;
    }
    let name = field.name().as_str();
    let unsupported = || {
        let what = format!("the column {name:?} has the type {}, which no feature has", field.data_type());
        Error::new(Kind::Unsupported, what).help("cast it, or leave it out")
    };
    let mut feature = match (FeatureType::of_arrow(data_type), data_type) {
        (None, _) => return Err(unsupported()),
        (_, DataType::Struct(fields)) => {
            let children = fields.iter().map(|field| definition(field));
            FeatureDefinition::group(name, children.collect::<Result<Vec<_>, _>>()?)
        }
        (Some(feature_type), _) => FeatureDefinition::new(name, feature_type),
    };
    let is_struct = matches!(data_type, DataType::Struct(_));
    // The size of each level is known, or there is none.
    let has_sizes = shape.len() == lists && !is_struct;
    if !field.is_nullable() {
        feature = feature.presence(1.0);
        return Ok(if has_sizes { feature.shape(shape) } else { feature });
    }
    match shape.as_slice() {
        [] if has_sizes => feature = feature.value_count(1, 1),
        [size] if has_sizes => feature = feature.value_count(*size, *size),
        _ => {}
    }
    Ok(feature)
}
