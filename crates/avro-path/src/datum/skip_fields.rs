//! Skipping of adjacent fields, all of them at once.

use std::sync::Arc;

use super::{At, SkipPlan, SkipRun};
use crate::schema::TypeId;
use crate::{Error, Result};

/// Plan to skip adjacent fields of a record, or one value.
#[derive(Debug)]
pub(crate) struct SkipFields {
    run: SkipRun,
    /// Fields one by one, to name the damaged one in errors.
    fields: Box<[(Arc<str>, SkipRun)]>,
}

impl SkipFields {
    /// Returns the plan for fields of these names and types.
    pub(crate) fn new(plan: &Arc<SkipPlan>, fields: &[(Arc<str>, TypeId)]) -> Self {
        let run = SkipRun::new(plan, fields.iter().map(|(_, id)| *id));
        let each = fields.iter().map(|(name, id)| (Arc::clone(name), SkipRun::new(plan, [*id])));
        Self { run, fields: each.collect() }
    }

    /// Returns the plan for a value that is not a field.
    pub(crate) fn value(plan: &Arc<SkipPlan>, id: TypeId) -> Self {
        Self { run: SkipRun::new(plan, [id]), fields: Box::default() }
    }

    /// Skips them from an offset on, and returns the offset of their end.
    ///
    /// # Errors
    /// As [`SkipPlan::skip`], with the name of the field.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip(&self, bytes: At<'_>, at: usize) -> Result<usize> {
        self.run.skip(bytes, at).map_err(|error| self.which(bytes, at, error))
    }

    /// Returns the error with the name of the field that it is in.
    #[cold]
    fn which(&self, bytes: At<'_>, mut at: usize, error: Error) -> Error {
        for (name, run) in &self.fields {
            match run.skip(bytes, at) {
                Ok(end) => at = end,
                Err(error) => return error.within(name),
            }
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{At, SkipFields, SkipPlan};
    use crate::datum::write;
    use crate::schema::{AvroSchema, Type};

    /// Asserts that two neighbours give the same end, or the same error, skipped together and one by one.
    fn check(fields: &SkipFields, each: &[SkipFields], bytes: &[u8]) {
        let together = fields.skip(At(bytes), 0).map_err(|error| error.to_string());
        let one_by_one = each.iter().try_fold(0, |at, field| field.skip(At(bytes), at));
        assert_eq!(together, one_by_one.map_err(|error| error.to_string()), "{bytes:?}");
    }

    #[test]
    fn a_map_before_an_optional_value_is_passed_over_as_alone() {
        let json = r#"{"type": "record", "name": "R", "fields": [
            {"name": "map", "type": {"type": "map", "values": "double"}},
            {"name": "option", "type": ["null", "double"]}]}"#;
        let schema = AvroSchema::parse(json).unwrap();
        let plan = Arc::new(SkipPlan::new(&schema));
        let Type::Record(record) = schema.get(schema.root()) else { panic!() };
        let fields = record.fields().iter().map(|field| (Arc::from(field.name()), field.type_id()));
        let fields = fields.collect::<Vec<_>>();
        let each = fields.iter().map(|field| SkipFields::new(&plan, std::slice::from_ref(field)));
        let each = each.collect::<Vec<_>>();
        let both = SkipFields::new(&plan, &fields);
        for (counts, is_there) in [(&[][..], true), (&[1], false), (&[3, 2], true), (&[12, -2], false)] {
            let mut bytes = Vec::new();
            for &count in counts {
                let mut items = Vec::new();
                for _ in 0..i64::abs(count) {
                    write::string(&mut items, "key");
                    items.extend([7; 8]);
                }
                write::long(&mut bytes, count);
                if count < 0 {
                    write::long(&mut bytes, items.len() as i64);
                }
                bytes.extend(items);
            }
            bytes.push(0);
            bytes.extend(if is_there { &[2, 1, 2, 3, 4, 5, 6, 7, 8][..] } else { &[0] });
            assert_eq!(both.skip(At(&bytes), 0).unwrap(), bytes.len());
            for cut in 0..=bytes.len() {
                check(&both, &each, &bytes[..cut]);
            }
            for at in 0..bytes.len() {
                for byte in [0, 1, 2, 3, 4, 0x7f, 0x80, 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] = byte;
                    check(&both, &each, &changed);
                }
            }
            // A number of items that cannot be true.
            check(
                &both,
                &each,
                &[&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1][..], &bytes].concat(),
            );
        }
    }
}
