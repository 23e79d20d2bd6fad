//! An entry that is not as its step expects it.

use super::pass::{Cold, MOST_MISSING, Pass};
use super::step::TemplateStep;
use crate::decode::feature::{Span, reaching};
use crate::decode::store::Offset;

/// Maximum number of steps jumped over to reach an entry that is looked up.
const MOST_JUMPED: usize = 64;

impl<O: Offset> Pass<'_, O> {
    /// Decodes the entry at the start of `bytes`, of which the last `slack` are not the record's, in any form that is
    /// one key and one value; returns what follows it.
    #[inline(never)]
    pub(super) fn other_entry<'b>(&mut self, bytes: &'b [u8], slack: usize) -> Option<&'b [u8]> {
        let (body, end) = entry(bytes)?;
        let after = bytes.get(end..).filter(|after| after.len() >= slack)?;
        let (index, prefix) = self.find_step(bytes.get(body..end)?)?;
        self.next = index + 1;
        let step = self.steps.get_mut(index)?;
        // The value must be the rest of the entry, also of one that is passed over: after it another key may follow,
        // which would be the one that counts.
        let start = reaching(bytes, body + prefix, end)?;
        let Self { walk, stage, columns, lists, row, .. } = self;
        let mut cold = Cold { names: &walk.names, columns, lists, row: *row };
        self.values += cold.feature(step, stage.staged(), bytes, Span { start, end })?;
        Some(after)
    }

    /// Finds the step of the entry with that content; returns it, and the length of what the entry begins with.
    fn find_step(&self, content: &[u8]) -> Option<(usize, usize)> {
        let is_it = |step: &TemplateStep| {
            let prefix = self.walk.names.prefix(step.id)?;
            content.starts_with(prefix).then_some(prefix.len())
        };
        let mut steps = self.steps.iter().enumerate().skip(self.next);
        let near = steps.clone().take(MOST_MISSING + 1);
        if let Some(found) = near.into_iter().find_map(|(index, step)| Some((index, is_it(step)?))) {
            return Some(found);
        }
        let id = self.walk.names.find_prefix(content)?;
        let (index, step) = steps.by_ref().take(MOST_JUMPED).find(|(_, step)| step.id == id)?;
        Some((index, is_it(step)?))
    }
}

/// Returns where the content of the entry at the start of `bytes` begins and ends.
pub(crate) fn entry(bytes: &[u8]) -> Option<(usize, usize)> {
    let [tag, digits @ ..] = bytes.first_chunk::<5>()?;
    let mut length = 0;
    for (index, digit) in digits.iter().enumerate() {
        length |= usize::from(digit & 0x7f) << (7 * index);
        if *digit < 0x80 {
            let body = index + 2;
            return (*tag == 0x0a).then_some((body, body + length));
        }
    }
    None
}
