//! Values in Thrift's [compact protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md),
//! gone over without allocating what their lengths claim, and written.

/// The code of a struct.
const STRUCT: u8 = 12;

/// Kind of a value, as far as its length depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Byte,
    Integer,
    Double,
    Bytes,
    List,
    Map,
    Struct,
    Uuid,
}

impl Kind {
    pub(super) fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 | 2 => Self::Bool,
            3 => Self::Byte,
            4..=6 => Self::Integer,
            7 => Self::Double,
            8 => Self::Bytes,
            9 | 10 => Self::List,
            11 => Self::Map,
            STRUCT => Self::Struct,
            13 => Self::Uuid,
            _ => return None,
        })
    }
}

/// Goes over values without keeping them. Every step is `None` where the bytes end before the value.
pub(super) struct Walk<'a> {
    left: &'a [u8],
}

/// Goes over the value of a field, whose number and kind are given.
type Visit<'v, 'a> = &'v mut dyn FnMut(&mut Walk<'a>, i64, Kind) -> Option<()>;

impl<'a> Walk<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.left.len()
    }

    /// Returns the bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.left
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, left) = self.left.split_first()?;
        self.left = left;
        Some(*first)
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    /// Returns a number that is not negative, of as many bytes as it needs.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn integer(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The number of elements of a list, each of which takes a byte at least, and what they are.
    pub(super) fn list(&mut self) -> Option<(u64, Kind)> {
        let head = self.byte()?;
        // Some writers give an empty list no kind.
        if head == 0 {
            return Some((0, Kind::Byte));
        }
        let count = match head >> 4 {
            15 => self.number()?,
            count => u64::from(count),
        };
        (count <= self.left.len() as u64).then_some((count, Kind::of(head & 0x0f)?))
    }

    /// Calls a function at each struct of a list, which has to pass its fields; a list of something else is an error.
    pub(super) fn structs(&mut self, visit: &mut dyn FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        let (count, of) = self.list()?;
        if of != Kind::Struct && count > 0 {
            return None;
        }
        (0..usize::try_from(count).ok()?).try_for_each(|number| visit(self, number))
    }

    /// Calls a function at each element of a list of a kind, which has to pass it; another kind is an error.
    pub(super) fn list_of(
        &mut self,
        kind: Kind,
        visit: &mut dyn FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let (count, of) = self.list()?;
        if of != kind && count > 0 {
            return None;
        }
        (0..count).try_for_each(|_| visit(self))
    }

    /// Returns bytes after their length.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let bytes = usize::try_from(self.number()?).ok()?;
        let (found, left) = self.left.split_at_checked(bytes)?;
        self.left = left;
        Some(found)
    }

    /// Returns the code of the kind of the next field of a struct, and nothing after the last. `field` is the number of the field before,
    /// and then of this one.
    pub(super) fn field(&mut self, field: &mut i64) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head & 0x0f == 0 {
            return Some(None);
        }
        *field = match head >> 4 {
            0 => self.integer()?,
            more => field.checked_add(i64::from(more))?,
        };
        Some(Some(head & 0x0f))
    }

    /// Calls a function at each field of a struct, which has to pass its value.
    pub(super) fn fields(&mut self, visit: Visit<'_, 'a>) -> Option<()> {
        let mut field = 0i64;
        while let Some(code) = self.field(&mut field)? {
            match Kind::of(code)? {
                // The value stands in the kind.
                Kind::Bool => {}
                kind => visit(self, field, kind)?,
            }
        }
        Some(())
    }

    /// Passes a value that is in a list, or a field other than a bool.
    pub(super) fn skip(&mut self, kind: Kind, nesting: u32) -> Option<()> {
        let nesting = nesting.checked_sub(1)?;
        match kind {
            Kind::Bool | Kind::Byte => self.pass(1),
            Kind::Integer => self.number().map(drop),
            Kind::Double => self.pass(8),
            Kind::Uuid => self.pass(16),
            Kind::Bytes => {
                let bytes = self.number()?;
                self.pass(bytes)
            }
            Kind::List => {
                let (count, of) = self.list()?;
                (0..count).try_for_each(|_| self.skip(of, nesting))
            }
            Kind::Map => {
                let count = self.number()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 0x0f)?);
                (0..count).try_for_each(|_| {
                    self.skip(key, nesting)?;
                    self.skip(value, nesting)
                })
            }
            Kind::Struct => self.fields(&mut |walk, _, kind| walk.skip(kind, nesting)),
        }
    }
}

/// Appends a number that is not negative.
pub(super) fn write_number(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7f {
        to.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends an integer.
pub(super) fn write_integer(integer: i64, to: &mut Vec<u8>) {
    write_number(((integer << 1) ^ (integer >> 63)).cast_unsigned(), to);
}

/// Appends what a list of this number of structs begins with.
pub(super) fn write_structs(count: u64, to: &mut Vec<u8>) {
    write_list(count, STRUCT, to);
}

/// Appends what a field begins with, after the one that was written last.
pub(super) fn write_field(number: i64, last: &mut i64, code: u8, to: &mut Vec<u8>) {
    match u8::try_from(number.saturating_sub(*last)) {
        Ok(more @ 1..=15) => to.push(more << 4 | code),
        _ => {
            to.push(code);
            write_integer(number, to);
        }
    }
    *last = number;
}

/// Appends what a list begins with.
pub(super) fn write_list(count: u64, code: u8, to: &mut Vec<u8>) {
    match count {
        0..15 => to.push((count as u8) << 4 | code),
        _ => {
            to.push(0xf0 | code);
            write_number(count, to);
        }
    }
}
