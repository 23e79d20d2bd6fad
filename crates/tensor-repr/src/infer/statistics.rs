//! Statistics of one feature.

use tfxio_core::Count;

use super::SchemaInferenceOptions;
use super::strings::SmallSet;
use super::walk::{Column, ColumnType, Values};
use crate::array::ByteRows;
use crate::kind::Locate as _;
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::{DomainInfo, PresenceConstraints, ShapeType};
use crate::{
    ColumnPath, DefaultValue, DenseRepresentation, Error, Kind, RaggedRepresentation, Representation,
    ScalarValue,
};

/// Statistics of one feature.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    pub(super) path: ColumnPath,
    /// The type, and the row in which it was first seen. `None` before the first value.
    feature_type: Option<(FeatureType, u64)>,
    /// Slots that could have it.
    slots: u64,
    /// Slots that have it.
    present: u64,
    /// The fewest and the most elements of a list, for each level; `None` before the first list.
    levels: Vec<Option<(usize, usize)>>,
    values: u64,
    strings: SmallSet,
}

impl Statistics {
    /// Returns statistics where nothing was seen in the first `slots` slots.
    pub(super) fn new(path: ColumnPath, slots: u64, options: &SchemaInferenceOptions) -> Self {
        let strings = SmallSet::new(options.max_domain_values, options.max_domain_value_bytes);
        Self { path, feature_type: None, slots, present: 0, levels: Vec::new(), values: 0, strings }
    }

    /// Checks that a column, whose first row has that number, is as the feature was before.
    pub(super) fn agrees(&self, column: &ColumnType, row: u64) -> Result<(), Error> {
        let fault = |text: String| Error::new(Kind::TypeMismatch, text).in_column(&column.path);
        let found = match &column.kind {
            Values::Nothing => return Ok(()),
            Values::Other(data_type) => {
                let text =
                    format!("no feature is of the type {data_type}: features are integers, floats or bytes");
                return Err(Error::new(Kind::Unsupported, text).in_column(&column.path));
            }
            Values::Of(found) => *found,
        };
        let Some((known, known_row)) = self.feature_type else { return Ok(()) };
        if known != found {
            let (known, found) = (known.as_str_name(), found.as_str_name());
            return Err(fault(format!("{found} from row {row} on, {known} from row {known_row} on")));
        }
        if self.levels.len() != column.levels {
            return Err(fault(format!(
                "{} of lists from row {row} on, {} from row {known_row} on",
                Count::of(column.levels, "level"),
                self.levels.len()
            )));
        }
        Ok(())
    }

    /// Takes a column in, with which the feature [`agrees`](Self::agrees).
    pub(super) fn add(&mut self, column: &Column<'_>) {
        self.slots += column.rows.len() as u64;
        self.present += column.present_slots().count() as u64;
        let Values::Of(feature_type) = column.kind else { return };
        if self.feature_type.is_none() {
            self.feature_type = Some((feature_type, column.rows.first().copied().unwrap_or_default()));
            self.levels = vec![None; column.levels.len()];
        }
        for (depth, (bounds, level)) in self.levels.iter_mut().zip(&column.levels).enumerate() {
            for (&length, &owner) in level.lengths.iter().zip(&level.owners) {
                if depth > 0 || column.present[owner] {
                    let (low, high) = bounds.unwrap_or((length, length));
                    *bounds = Some((low.min(length), high.max(length)));
                }
            }
        }
        self.values += column.owners.len() as u64;
        if feature_type == FeatureType::Bytes && self.strings.is_open() {
            self.add_strings(column);
        }
    }

    fn add_strings(&mut self, column: &Column<'_>) {
        // Strings are among the types that have bytes.
        let Ok(rows) = ByteRows::of(&column.values) else { return };
        for value in (0..rows.len()).filter_map(|at| rows.get(at)) {
            self.strings.add(value);
            if !self.strings.is_open() {
                return;
            }
        }
    }

    /// Slots went by without the column.
    pub(super) fn skip(&mut self, slots: u64) {
        self.slots += slots;
    }

    /// Returns the feature, without the features in it; and the domain to which it refers.
    pub(super) fn feature(
        &self,
        options: &SchemaInferenceOptions,
    ) -> (tfmd::Feature, Option<tfmd::StringDomain>) {
        let name = self.path.steps().last().map(|step| step.to_string()).unwrap_or_default();
        let mut feature = tfmd::Feature { name: Some(name), ..tfmd::Feature::default() };
        let Some((feature_type, _)) = self.feature_type else {
            // There are no values that a tensor could be made of.
            feature.lifecycle_stage = Some(tfmd::LifecycleStage::Planned.into());
            return (feature, None);
        };
        feature.r#type = Some(feature_type.into());
        let always = self.is_always();
        let in_struct = self.path.len() > 1;
        feature.presence_constraints = match (in_struct, always) {
            (true, true) => Some(PresenceConstraints::GroupPresence(tfmd::FeaturePresenceWithinGroup {
                required: Some(true),
            })),
            (true, false) => None,
            (false, _) if self.present == 0 => None,
            (false, always) => Some(PresenceConstraints::Presence(tfmd::FeaturePresence {
                min_fraction: always.then_some(1.0),
                min_count: Some(1),
            })),
        };
        feature.shape_type = self.shape(always && !in_struct, feature_type);
        let domain = self.domain(options);
        if let Some(domain) = &domain {
            feature.domain_info = Some(DomainInfo::Domain(domain.name().to_owned()));
        }
        (feature, domain)
    }

    /// Returns a shape if every row has it and is of it, otherwise what the lists have in common.
    fn shape(&self, always: bool, feature_type: FeatureType) -> Option<ShapeType> {
        let sizes: Option<Vec<i64>> = self.levels.iter().map(|bounds| fixed(*bounds)).collect();
        if let Some(sizes) = sizes.filter(|_| always && feature_type != FeatureType::Struct) {
            let dim = |size| tfmd::fixed_shape::Dim { size: Some(size), name: None };
            return Some(ShapeType::Shape(tfmd::FixedShape { dim: sizes.into_iter().map(dim).collect() }));
        }
        let mut counts: Vec<_> = self.levels.iter().map(|bounds| value_count(*bounds)).collect();
        match counts.len() {
            0 => None,
            1 => counts.pop().map(ShapeType::ValueCount),
            _ => Some(ShapeType::ValueCounts(tfmd::ValueCountList { value_count: counts })),
        }
    }

    /// Returns the domain of a feature of few strings, each of which comes again and again.
    fn domain(&self, options: &SchemaInferenceOptions) -> Option<tfmd::StringDomain> {
        let strings = self.strings.strings().filter(|strings| !strings.is_empty())?;
        let enough = (strings.len() as u64).saturating_mul(options.min_domain_repeats);
        (self.values >= enough).then(|| tfmd::StringDomain {
            name: Some(self.path.to_string()),
            value: strings.iter().cloned().collect(),
            ..tfmd::StringDomain::default()
        })
    }

    /// Returns the representation of a feature for which [`TfmdSchema::infer_representations`](crate::TfmdSchema) has none: one in
    /// structs, or one of bare values that some rows do not have. `lists` is the number of levels of lists around the
    /// structs.
    pub(super) fn representation(&self, lists: usize) -> Option<Representation> {
        let (feature_type, _) = self.feature_type.filter(|(found, _)| *found != FeatureType::Struct)?;
        let column = self.path.clone();
        if self.path.len() > 1 {
            // The proto has no dense tensor of a field.
            let is_list = lists + self.levels.len() > 0;
            return is_list.then(|| RaggedRepresentation { column, ..Default::default() }.into());
        }
        if !self.levels.is_empty() || self.is_always() {
            return None;
        }
        let default = match feature_type {
            FeatureType::Bytes => ScalarValue::Bytes(Vec::new()),
            FeatureType::Float => ScalarValue::Float(-1.0),
            _ => ScalarValue::Int(-1),
        };
        let default = Some(DefaultValue::Scalar(default));
        Some(DenseRepresentation { column, default, ..Default::default() }.into())
    }

    /// Returns whether there were slots, and all had the feature.
    fn is_always(&self) -> bool {
        self.present == self.slots && self.present > 0
    }

    /// Returns the number of levels of lists.
    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }
}

/// Returns the number that all lists have, if it is one number and not 0.
fn fixed(bounds: Option<(usize, usize)>) -> Option<i64> {
    let (low, high) = bounds?;
    (low == high && low > 0).then(|| i64::try_from(low).ok()).flatten()
}

/// Returns the bounds that data to come may be held to: an exact number, or whether there is a value, and one alone.
fn value_count(bounds: Option<(usize, usize)>) -> tfmd::ValueCount {
    let (low, high) = bounds.unwrap_or_default();
    match fixed(bounds) {
        Some(size) => tfmd::ValueCount { min: Some(size), max: Some(size) },
        None => tfmd::ValueCount { min: Some(i64::from(low > 0)), max: (high == 1).then_some(1) },
    }
}
