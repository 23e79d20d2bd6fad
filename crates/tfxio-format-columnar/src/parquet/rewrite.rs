//! Footers as the reader of the crate `parquet` wants them: fields of another kind than the format's are left out, as Thrift reads them,
//! and fields that old writers have left out are filled in.
//!
//! See the [format](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift). `ColumnMetaData` and all structs
//! below it have the names of the format.

use super::elements::{self, Bare};
use super::thrift::{Kind, Walk, write_field, write_integer, write_list};

/// Structs and lists within each other.
const NESTING: u32 = 32;
/// Codes of kinds of values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const BYTES: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// Field of `ColumnMetaData` with the physical type of the values.
const TYPE: i64 = 1;

/// Kind of the value of a field.
#[derive(Clone, Copy, Debug)]
enum Of {
    Bool,
    Plain(u8),
    /// A struct of these fields.
    Struct(Fields),
    /// A struct of which all is kept.
    Any,
    List(&'static Of),
    /// The elements of the schema.
    Schema,
    /// The type of the values of a column.
    Type,
}

/// Fields of a struct, each with its number.
type Fields = &'static [(i64, Of)];

const KEY_VALUE: Fields = &[(1, Of::Plain(BYTES)), (2, Of::Plain(BYTES))];
const STATISTICS: Fields = &[
    (1, Of::Plain(BYTES)),
    (2, Of::Plain(BYTES)),
    (3, Of::Plain(I64)),
    (4, Of::Plain(I64)),
    (5, Of::Plain(BYTES)),
    (6, Of::Plain(BYTES)),
    (7, Of::Bool),
    (8, Of::Bool),
];
const PAGE_ENCODING: Fields = &[(1, Of::Plain(I32)), (2, Of::Plain(I32)), (3, Of::Plain(I32))];
const SIZES: Fields = &[(1, Of::Plain(I64)), (2, Of::List(&Of::Plain(I64))), (3, Of::List(&Of::Plain(I64)))];
const COLUMN: Fields = &[
    (TYPE, Of::Type),
    (2, Of::List(&Of::Plain(I32))),
    (3, Of::List(&Of::Plain(BYTES))),
    (4, Of::Plain(I32)),
    (5, Of::Plain(I64)),
    (6, Of::Plain(I64)),
    (7, Of::Plain(I64)),
    (8, Of::List(&Of::Struct(KEY_VALUE))),
    (9, Of::Plain(I64)),
    (10, Of::Plain(I64)),
    (11, Of::Plain(I64)),
    (12, Of::Struct(STATISTICS)),
    (13, Of::List(&Of::Struct(PAGE_ENCODING))),
    (14, Of::Plain(I64)),
    (15, Of::Plain(I32)),
    (16, Of::Struct(SIZES)),
    (17, Of::Any),
];
const CHUNK: Fields = &[
    (1, Of::Plain(BYTES)),
    (2, Of::Plain(I64)),
    (3, Of::Struct(COLUMN)),
    (4, Of::Plain(I64)),
    (5, Of::Plain(I32)),
    (6, Of::Plain(I64)),
    (7, Of::Plain(I32)),
    (8, Of::Any),
    (9, Of::Plain(BYTES)),
];
const SORTING: Fields = &[(1, Of::Plain(I32)), (2, Of::Bool), (3, Of::Bool)];
const GROUP: Fields = &[
    (1, Of::List(&Of::Struct(CHUNK))),
    (2, Of::Plain(I64)),
    (3, Of::Plain(I64)),
    (4, Of::List(&Of::Struct(SORTING))),
    (5, Of::Plain(I64)),
    (6, Of::Plain(I64)),
    (7, Of::Plain(I16)),
];
const FILE: Fields = &[
    (1, Of::Plain(I32)),
    (2, Of::Schema),
    (3, Of::Plain(I64)),
    (4, Of::List(&Of::Struct(GROUP))),
    (5, Of::List(&Of::Struct(KEY_VALUE))),
    (6, Of::Plain(BYTES)),
    (7, Of::List(&Of::Any)),
    (8, Of::Any),
    (9, Of::Plain(BYTES)),
];

impl Of {
    /// Returns the code of the kind.
    fn code(self) -> u8 {
        match self {
            // The value stands in it.
            Self::Bool => TRUE,
            Self::Plain(code) => code,
            Self::Type => I32,
            Self::Struct(_) | Self::Any => STRUCT,
            Self::List(_) | Self::Schema => LIST,
        }
    }
}

/// Returns the metadata of a file, rewritten; nothing where they are not a struct. `bare` decides whether types are left out.
pub(super) fn rewritten(metadata: &[u8], bare: Bare) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(metadata.len());
    copy_struct(&mut Walk::new(metadata), FILE, bare, &mut out)?;
    Some(out)
}

fn copy_struct(walk: &mut Walk<'_>, fields: Fields, bare: Bare, out: &mut Vec<u8>) -> Option<()> {
    let (mut read, mut written) = (0, 0);
    while let Some(code) = walk.field(&mut read)? {
        let of = fields.iter().find(|(number, _)| *number == read).map(|(_, of)| *of);
        let is_bool = matches!(code, TRUE | FALSE);
        let kind = Kind::of(code)?;
        let fits = of.is_some_and(|of| match of {
            Of::Bool => is_bool,
            // Integers of all widths are stored alike.
            of => Kind::of(of.code()) == Some(kind),
        });
        let Some(of) = of.filter(|_| fits) else {
            if !is_bool {
                walk.skip(kind, NESTING)?;
            }
            continue;
        };
        write_field(read, &mut written, if is_bool { code } else { of.code() }, out);
        if !is_bool {
            copy(walk, of, bare, out)?;
        }
    }
    out.push(0);
    Some(())
}

/// Copies a value.
fn copy(walk: &mut Walk<'_>, of: Of, bare: Bare, out: &mut Vec<u8>) -> Option<()> {
    match of {
        Of::Struct(fields) => copy_struct(walk, fields, bare, out),
        Of::Schema => elements::copy(walk, bare, out),
        Of::Type => {
            write_integer(bare.stored(walk.integer()?), out);
            Some(())
        }
        Of::List(of) => {
            let (count, kind) = walk.list()?;
            let fits = count == 0 || Kind::of(of.code()) == Some(kind);
            write_list(if fits { count } else { 0 }, of.code(), out);
            (0..count)
                .try_for_each(|_| if fits { copy(walk, *of, bare, out) } else { walk.skip(kind, NESTING) })
        }
        Of::Bool | Of::Any | Of::Plain(_) => {
            let before = walk.rest();
            walk.skip(Kind::of(of.code())?, NESTING)?;
            out.extend_from_slice(before.get(..before.len().saturating_sub(walk.left()))?);
            Some(())
        }
    }
}
