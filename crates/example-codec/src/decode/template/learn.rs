//! Construction of the steps of a template.

use super::Templates;
use super::stage::Stage;
use super::step::{Form, TemplateStep};
use crate::FeatureKind;
use crate::decode::column::Column;
use crate::decode::names::Names;
use crate::decode::store::Offset;
use crate::decode::walk::Walk;

/// Bytes of an entry, or less.
const SHORT_ENTRY: usize = 16;
/// Maximum number of times that the entries required to remake the steps double.
const MOST_DOUBLED: u32 = 6;
/// One in this many names may be long.
const FEW_LONG: usize = 8;

impl Templates {
    /// Forgets all steps: names or columns have got other numbers.
    pub(in crate::decode) fn forget(&mut self) {
        self.steps.clear();
        self.version = None;
        self.is_staged = false;
        self.made = 0;
    }

    /// Learns from a record that the two passes have decoded. Nothing must be staged.
    #[inline(always)]
    pub(in crate::decode) fn learn<O: Offset>(&mut self, walk: &Walk, columns: &[Column<O>], record: &[u8]) {
        self.is_stale = true;
        if self.version != Some(walk.names.version()) {
            self.credit += record.len() / SHORT_ENTRY;
            self.learn_steps(walk, columns);
        }
    }

    /// Makes the steps anew. A step takes about as long as decoding an entry, so it is done when there were twice as many
    /// entries as there are steps, and each time twice as many more.
    #[inline(never)]
    fn learn_steps<O: Offset>(&mut self, walk: &Walk, columns: &[Column<O>]) {
        let count = walk.names.known_names().count();
        if self.credit < (2 * count) << self.made.min(MOST_DOUBLED) {
            return;
        }
        self.made += 1;
        self.credit = 0;
        self.version = Some(walk.names.version());
        self.steps.clear();
        self.required.clear();
        if self.stage.columns() != count {
            self.stage = Stage::new(count);
        }
        for (number, (id, column_number)) in walk.names.known_names().enumerate() {
            let column = columns.get(column_number as usize);
            if column.is_some_and(|column| column.required) {
                self.required.push(number as u32);
            }
            let prefix = walk.names.prefix(id).unwrap_or_default();
            let staged = self.stage.column(number);
            self.steps.push(TemplateStep::new(prefix, form_of(column), column_number, id, staged));
        }
        let wanted = |steps: &[TemplateStep]| steps.iter().filter(|step| step.form != Form::Ignored).count();
        self.in_all = wanted(&self.steps);
        self.in_order = wanted(self.steps.get(..walk.names.order().len()).unwrap_or_default());
        // Long names are compared more slowly than by the walk, and a record without a feature that it must have is not
        // for the steps to refuse.
        let long = self.steps.iter().filter(|step| step.is_long()).count();
        if long * FEW_LONG > count
            || self.required.len() != columns.iter().filter(|column| column.required).count()
        {
            self.steps.clear();
        }
        self.lookup.set(&self.steps, &walk.names);
    }

    /// Adapts the steps to columns that have changed.
    #[inline(never)]
    pub(super) fn refresh<O: Offset>(&mut self, walk: &Walk, columns: &[Column<O>]) {
        self.is_stale = false;
        for step in &mut self.steps {
            if let Some(column) = columns.get(step.column as usize)
                && (step.kind != column.kind() || column.has_lists())
            {
                adapt(step, &walk.names, column);
            }
        }
    }
}

/// Adapts a step to its column, for which nothing is staged.
pub(super) fn adapt<O: Offset>(step: &mut TemplateStep, names: &Names, column: &Column<O>) {
    let form = form_of(Some(column));
    // Lists of one batch are expected in the next as well.
    let is_list = step.form == Form::List && step.kind == form.1;
    if (step.form, step.kind) != form && !is_list && step.form != Form::Other {
        let prefix = names.prefix(step.id).unwrap_or_default();
        *step = TemplateStep::new(prefix, form, step.column, step.id, step.staged);
    }
}

/// Returns the form in which entries of a column are expected; those without a column are passed over.
fn form_of<O: Offset>(column: Option<&Column<O>>) -> (Form, Option<FeatureKind>) {
    let Some(column) = column else { return (Form::Ignored, None) };
    let kind = column.kind();
    let form = match kind {
        _ if column.is_fixed() => Form::Feature,
        Some(_) if column.has_lists() => Form::List,
        Some(FeatureKind::Int64) => Form::Int,
        Some(FeatureKind::Float) => Form::Float,
        Some(FeatureKind::Bytes) => Form::Bytes,
        None => Form::Feature,
    };
    (form, kind)
}
