//! The records of a TFRecord file as structs.

use std::fmt;
use std::io::Read;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::sync::Arc;

use example_codec::FromExample;
use tfrecord_io::Reader;
use tfxio_core::{Origin, Result};

/// Reads the records of a TFRecord file as structs, one after the other: of a type with `#[derive(FromExample)]` (feature
/// `derive` of `tfxio`) that owns its values. To borrow from the record, call
/// [`from_example`](FromExample::from_example) on what the reader lends.
///
/// ```
/// use tfxio_formats::example_codec::{Example, FromExample};
/// use tfxio_formats::tfrecord_io::{Reader, Writer};
///
/// #[derive(FromExample)]
/// struct Row {
///     label: u8,
/// }
///
/// let mut writer = Writer::builder(Vec::new()).build()?;
/// writer.write(&Example::new().int64("label", [5]).to_vec())?;
/// writer.write(&Example::new().int64("label", [300]).to_vec())?;
/// let file = writer.finish()?;
///
/// let mut rows = tfxio_formats::examples::<Row, _>(Reader::builder(&file[..]).name("train.tfrecord").build());
/// assert_eq!(rows.next().unwrap()?.label, 5);
/// assert_eq!(
///     rows.next().unwrap().err().unwrap().to_string(),
///     "train.tfrecord, byte 34, record 1, column \"label\": the value 300 does not fit `u8`"
/// );
/// assert!(rows.next().is_none());
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
pub fn examples<T, R>(reader: Reader<R>) -> Examples<T, R>
where
    T: for<'r> FromExample<'r>,
    R: Read,
{
    Examples { file: reader.file_name().cloned(), reader, is_done: false, rows: PhantomData }
}

/// The records of a TFRecord file as structs, of [`examples`].
///
/// A record that does not fit the struct is an error with its file, byte and number, after which the next record comes; after
/// an error of the file itself nothing comes.
pub struct Examples<T, R> {
    reader: Reader<R>,
    file: Option<Arc<str>>,
    is_done: bool,
    rows: PhantomData<fn() -> T>,
}

impl<T, R: Read> Iterator for Examples<T, R>
where
    T: for<'r> FromExample<'r>,
{
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        match self.reader.next_record() {
            Ok(Some(record)) => {
                let mut origin = Origin::record(record.index);
                (origin.file, origin.offset) = (self.file.as_deref(), record.offset);
                Some(T::from_example_at(record.data, origin))
            }
            end => {
                self.is_done = true;
                end.err().map(Err)
            }
        }
    }
}

impl<T, R: Read> FusedIterator for Examples<T, R> where T: for<'r> FromExample<'r> {}

impl<T, R> fmt::Debug for Examples<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Examples").field("file", &self.file).finish_non_exhaustive()
    }
}
