//! One entry of a template: the bytes before the value, compared at once.

use super::WINDOW;
use super::block::{BLOCK, Shape, block};
use super::stage::{SHORT, StagedColumn, Staging};
use crate::FeatureKind;
use crate::decode::names::Names;

/// Expected bytes before a value.
///
/// They are constant but for a few lengths, each of which is a constant plus the length of the value; and that length is
/// the last of them.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub(crate) struct TemplateStep {
    /// The bytes before an empty value, if they fit in a block.
    bytes: [u8; BLOCK],
    /// Shape of these bytes.
    shape: Shape,
    /// Offset of the last byte before the value.
    last: u8,
    /// The longest value with which all lengths are a byte each.
    longest: u8,
    pub(crate) form: Form,
    pub(crate) kind: Option<FeatureKind>,
    /// The shortest value that is staged, and how much longer the longest is.
    shortest: u8,
    more: u8,
    /// Number of values that an entry counts as: 0 if it is passed over, else 1.
    pub(super) counts: u8,
    pub(crate) column: u32,
    /// Number of the name.
    pub(crate) id: u32,
    pub(super) staged: StagedColumn,
}

/// Form of an entry's value, which determines how it is appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// One value: all of a packed run, or the only byte string.
    Int,
    Float,
    Bytes,
    /// A list message.
    List,
    /// A feature in any form.
    Feature,
    /// A feature, which is passed over.
    Ignored,
    /// None of these: never compared.
    Other,
}

impl Form {
    /// Returns the shortest and the longest value that is staged.
    fn staged_lengths(self) -> Option<(u8, u8)> {
        match self {
            Self::Int => Some((1, 8)),
            Self::Float => Some((4, 4)),
            Self::Bytes => Some((0, SHORT as u8)),
            Self::Ignored => Some((0, u8::MAX)),
            Self::List | Self::Feature | Self::Other => None,
        }
    }

    /// Returns the staging of single values.
    #[inline(always)]
    pub(super) fn staging(self) -> &'static Staging {
        const ALL: &[Staging; 8] = &Staging::ALL;
        &ALL[self as usize % 8]
    }
}

impl TemplateStep {
    /// Makes the step of a name, given by its prefix of an entry: tag and length of the key, the key, and the tag of the
    /// value.
    pub(crate) fn new(
        prefix: &[u8],
        form: (Form, Option<FeatureKind>),
        column: u32,
        id: u32,
        staged: StagedColumn,
    ) -> Self {
        let (form, kind) = form;
        let mut bytes = [0; BLOCK];
        bytes[0] = 1;
        let counts = u8::from(form != Form::Ignored);
        let (shape, none) = (Shape::NEVER, (u8::MAX, 0));
        let (shortest, more) = none;
        let mut step = Self {
            bytes,
            shape,
            last: 0,
            longest: 0,
            form,
            kind,
            shortest,
            more,
            counts,
            column,
            id,
            staged,
        };
        if step.set(prefix).is_none() {
            step.form = Form::Other;
        }
        step
    }

    /// Sets the expected bytes, if they fit.
    fn set(&mut self, prefix: &[u8]) -> Option<()> {
        let after = self.after()?;
        let entry = u8::try_from(prefix.len() + after.len()).ok()?;
        let bytes = [&[0x0a, entry], prefix, &after].concat();
        self.longest = 127_u8.checked_sub(entry)?;
        if let Some((shortest, longest)) = self.form.staged_lengths()
            && let Some(more) = longest.min(self.longest).checked_sub(shortest)
        {
            (self.shortest, self.more) = (shortest, more);
        }
        if let Some(to) = self.bytes.get_mut(..bytes.len()) {
            to.copy_from_slice(&bytes);
            self.shape = Shape::of(after.len(), bytes.len())?;
            self.last = bytes.len() as u8 - 1;
        }
        Some(())
    }

    /// Returns the bytes between name and value if that is empty: lengths and tags by turns.
    fn after(&self) -> Option<Vec<u8>> {
        let kind = || self.kind.map(|kind| (kind.field() as u8) << 3 | 2);
        Some(match self.form {
            Form::Feature | Form::Ignored => vec![0],
            Form::List => vec![2, kind()?, 0],
            Form::Int | Form::Float | Form::Bytes => vec![4, kind()?, 2, 0x0a, 0],
            Form::Other => return None,
        })
    }

    /// Returns the offset and the length of the value, if the entry in the window is one of this step.
    ///
    /// The lengths are then true, but the entry may be longer than the window. The offset is at most 32.
    #[inline(always)]
    pub(crate) fn value(
        &self,
        window: &[u8; WINDOW],
        is_equal: impl Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool,
    ) -> Option<(usize, usize)> {
        let last = usize::from(self.last) % BLOCK;
        let length = window[last];
        if length > self.longest || !is_equal(block(window, 0), &self.bytes, self.shape, length) {
            return None;
        }
        Some((last + 1, usize::from(length)))
    }

    /// Does the same as [`value`](Self::value) for values that can be staged.
    #[inline(always)]
    pub(super) fn short_value(
        &self,
        window: &[u8; WINDOW],
        is_equal: impl Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool,
    ) -> Option<(usize, u8)> {
        let last = usize::from(self.last) % BLOCK;
        let length = window[last];
        let is_short = length.wrapping_sub(self.shortest) <= self.more;
        (is_short && is_equal(block(window, 0), &self.bytes, self.shape, length))
            .then_some((last + 1, length))
    }

    /// Returns whether more bytes than a block are before the value.
    #[inline(always)]
    pub(super) fn is_long(&self) -> bool {
        self.shape == Shape::NEVER && self.form != Form::Other
    }

    /// Does the same as [`value`](Self::value) if [it is long](Self::is_long).
    #[inline(never)]
    pub(super) fn long_value(&self, bytes: &[u8], names: &Names) -> Option<(usize, usize)> {
        let prefix = names.prefix(self.id)?;
        let kind = self.kind.map_or(0, |kind| (kind.field() as u8) << 3 | 2);
        let (_, rest) =
            bytes.get(2..)?.split_at_checked(prefix.len()).filter(|(start, _)| *start == prefix)?;
        let (after, length) = match (self.form, rest) {
            (Form::Feature | Form::Ignored, [feature, ..]) => (1, *feature),
            (Form::List, [feature, tag, list, ..]) if *tag == kind && *feature == list.wrapping_add(2) => {
                (3, *list)
            }
            (Form::Int | Form::Float | Form::Bytes, [feature, tag, list, 0x0a, value, ..])
                if *tag == kind && *feature == value.wrapping_add(4) && *list == value.wrapping_add(2) =>
            {
                (5, *value)
            }
            _ => return None,
        };
        let entry = prefix.len() + after + usize::from(length);
        (entry < 128 && *bytes.first_chunk()? == [0x0a, entry as u8])
            .then_some((2 + prefix.len() + after, usize::from(length)))
    }
}
