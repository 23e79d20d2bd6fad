//! Structs as tf.Examples and tf.SequenceExamples: what `#[derive(ToExample, FromExample)]` implements, and what its code calls.
//!
//! [`ToExample`] and [`FromExample`] are for records, [`ToFeature`] and [`FromFeature`] for the values of one feature. The
//! features of a struct are written in the order of its fields, straight into the bytes of the record, after all lengths
//! were computed. Reading finds the field of each feature by its name, and nothing of the other features is looked at.
//!
//! | type of a field | feature |
//! | --- | --- |
//! | `i8` to `i64`, `u8` to `u64`, `isize`, `usize`, `bool` | `int64_list` of one value, which must fit the type |
//! | `f32` | `float_list` of one value |
//! | `f64`, with `#[example(lossy)]` | the same, rounded |
//! | `String`, `&str`, `Cow<str>` | `bytes_list` of one value, which must be UTF-8 |
//! | `Vec<u8>`, `&[u8]`, `[u8; N]`, `Cow<[u8]>` | `bytes_list` of one value |
//! | `Vec<T>`, `[T; N]` of these types, but `u8` | the list of all values |
//! | `Option<T>` | the feature, or none |
//! | [`Feature`](crate::Feature) | any feature; `Unset` is an absent one |
//!
//! Borrowed types are read without a copy.
//!
//! [`ToSequenceExample`] and [`FromSequenceExample`] do the same for tf.SequenceExamples. Fields with `#[example(steps)]` are
//! their feature lists: a `Vec` of these types, one of each step, or an `Option` of it; so `Vec<Vec<i64>>` has any number of
//! integers in each step. The other fields are features of the context.

mod item;
mod read;
mod record;
mod sequence;
mod slots;
mod value;
mod write;

pub use self::item::Item;
pub use self::read::{FromFeature, FromItem};
pub use self::record::FromExample;
#[doc(hidden)]
pub use self::record::Record;
pub use self::sequence::{FromSequenceExample, FromSteps, ListWriter, ToSequenceExample, ToSteps};
#[doc(hidden)]
pub use self::slots::{Names, Slot, Slots, table};
pub use self::write::{FeatureWriter, ToExample, ToFeature};
