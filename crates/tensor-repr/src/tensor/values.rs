//! The values of a tensor: a dtype and shared buffers.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_schema::DataType;
use tfxio_core::{Count, DType};

use super::element::{Element, dtype_of, with_element, with_primitive};
use super::strings::Strings;
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Elements of one dtype in shared Arrow buffers, without nulls.
///
/// Elements of fixed width are contiguous in native byte order, bools as one byte each (0 or 1). Strings are [`Strings`].
/// Two `Values` are equal when they hold the same bits.
///
/// ```
/// use tensor_repr::Values;
///
/// let values = Values::from_vec(vec![1i64, 2, 3]);
/// assert_eq!(values.as_slice::<i64>(), Some([1, 2, 3].as_slice()));
/// assert_eq!(values.as_slice::<f32>(), None);
///
/// let strings = Values::from_strings(["a", "bc"]);
/// assert_eq!(strings.as_strings().and_then(|strings| strings.get(1)), Some(b"bc".as_slice()));
/// ```
#[derive(Clone)]
pub struct Values(Repr);

#[derive(Clone, PartialEq)]
enum Repr {
    Plain { dtype: DType, buffer: Buffer },
    Strings(Strings),
}

impl Values {
    /// Elements of fixed width in a buffer that holds nothing else.
    ///
    /// # Errors
    /// `InvalidTensor` for strings, for a length that is not a multiple of the element, for a buffer that
    /// is not aligned to it, and for bools that are neither 0 nor 1.
    pub fn try_new(dtype: DType, buffer: Buffer) -> Result<Self, Error> {
        let bad = |message: String| Err(Error::new(Kind::InvalidTensor, message));
        let Some(width) = dtype.width() else {
            return bad(format!("a buffer alone holds no {dtype}s; build them with `Values::from_strings`"));
        };
        if !buffer.len().is_multiple_of(width) {
            let bytes = Count::of(buffer.len(), "byte");
            let (are, width) = (bytes.verb("is", "are"), Count::of(width, "byte"));
            return bad(format!("{bytes} {are} no multiple of the {width} of a {dtype}"));
        }
        if buffer.as_ptr().align_offset(width) != 0 {
            return bad(format!(
                "the buffer is not aligned to the {} of a {dtype}",
                Count::of(width, "byte")
            ));
        }
        if dtype == DType::Bool && buffer.as_slice().iter().fold(0, |all, &byte| all | byte) > 1 {
            return bad("a bool is neither 0 nor 1".to_owned());
        }
        Ok(Self(Repr::Plain { dtype, buffer }))
    }

    /// Returns a buffer of elements of this crate's own making.
    pub(crate) fn plain(dtype: DType, buffer: Buffer) -> Self {
        debug_assert!(dtype.width().is_some_and(|width| buffer.len().is_multiple_of(width)));
        Self(Repr::Plain { dtype, buffer })
    }

    /// Returns the elements of a vector, which is not copied.
    #[must_use]
    pub fn from_vec<T: Element>(values: Vec<T>) -> Self {
        let buffer = Buffer::from_vec(bytemuck::cast_vec::<T, T::Native>(values));
        Self(Repr::Plain { dtype: T::DTYPE, buffer })
    }

    /// Returns bools, a byte each.
    #[must_use]
    pub fn from_bools<I: IntoIterator<Item = bool>>(values: I) -> Self {
        let bytes = values.into_iter().map(u8::from).collect::<Vec<_>>();
        Self(Repr::Plain { dtype: DType::Bool, buffer: Buffer::from_vec(bytes) })
    }

    /// Copies of strings, with 64-bit offsets.
    #[must_use]
    pub fn from_strings<I>(strings: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        Self(Repr::Strings(strings.into_iter().collect()))
    }

    /// Returns the values of an array of a primitive or string type. Only bools are copied; strings of one size get
    /// offsets.
    ///
    /// # Errors
    /// `NullValue`, naming the row, if a slot is null; `TypeMismatch` if the type has no dtype.
    pub fn from_array(array: &dyn Array) -> Result<Self, Error> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(row) = nulls.and_then(|nulls| nulls.iter().position(|valid| !valid)) {
            return Err(Error::new(Kind::NullValue, "the value is null").in_row(row));
        }
        Self::of_slots(array).ok_or_else(|| {
            let message = format!("values of the Arrow type {} have no dtype", array.data_type());
            Error::new(Kind::TypeMismatch, message)
        })
    }

    /// Returns the values in the slots of an array, null or not; `None` if its type has no dtype.
    pub(crate) fn of_slots(array: &dyn Array) -> Option<Self> {
        Some(with_primitive! { DataType, array.data_type(),
            T => Self::plain(dtype_of::<T>(), array.as_primitive::<T>().values().inner().clone()),
            DataType::Boolean => Self::from_bools(array.as_boolean().values().iter()),
            DataType::Binary => Self::from(Strings::small(array.as_binary::<i32>().clone())),
            DataType::LargeBinary => Self::from(Strings::large(array.as_binary::<i64>().clone())),
            DataType::Utf8 => Self::from(Strings::small(array.as_string::<i32>().clone().into())),
            DataType::LargeUtf8 => Self::from(Strings::large(array.as_string::<i64>().clone().into())),
            DataType::FixedSizeBinary(_) => Self::from(Strings::of_fixed_size(array.as_fixed_size_binary())?),
            _ => return None,
        })
    }

    /// Returns the dtype that values of an Arrow type have, if they have one.
    #[must_use]
    pub fn dtype_of(data_type: &DataType) -> Option<DType> {
        Some(with_primitive! { DataType, data_type,
            T => dtype_of::<T>(),
            DataType::Boolean => DType::Bool,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::FixedSizeBinary(_)
            | DataType::Utf8
            | DataType::LargeUtf8 => DType::String,
            _ => return None,
        })
    }

    /// Returns the dtype of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Repr::Plain { dtype, .. } => *dtype,
            Repr::Strings(_) => DType::String,
        }
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Plain { dtype, buffer } => buffer.len() / dtype.width().unwrap_or(1),
            Repr::Strings(strings) => strings.len(),
        }
    }

    /// Returns whether there are zero elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements, if `T` is the type of this dtype.
    #[must_use]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        match &self.0 {
            Repr::Plain { dtype, buffer } if *dtype == T::DTYPE => {
                bytemuck::try_cast_slice(buffer.as_slice()).ok()
            }
            _ => None,
        }
    }

    /// Returns the elements as a vector: the memory itself where nobody else holds it and it is as long as the elements, a copy otherwise.
    /// Values of another dtype come back as they were.
    ///
    /// ```
    /// use tensor_repr::Values;
    ///
    /// let values = Values::from_vec(vec![1.5_f32, 2.5]);
    /// let memory = values.as_slice::<f32>().map(<[f32]>::as_ptr);
    /// let vector = values.try_into_vec::<f32>().map_err(|values| values.dtype()).unwrap_or_default();
    /// assert_eq!((vector.as_slice(), Some(vector.as_ptr())), (&[1.5, 2.5][..], memory));
    /// ```
    ///
    /// # Errors
    /// The values, if they are not of the dtype of `T`.
    #[allow(clippy::result_large_err, reason = "the values come back, as of `Arc::try_unwrap`")]
    pub fn try_into_vec<T: Element>(self) -> Result<Vec<T>, Self> {
        match self.0 {
            Repr::Plain { dtype, buffer } if dtype == T::DTYPE => {
                let copied = |buffer: Buffer| bytemuck::pod_collect_to_vec(buffer.as_slice());
                Ok(match buffer.into_vec::<T::Native>() {
                    Ok(native) => bytemuck::try_cast_vec(native)
                        .unwrap_or_else(|(_, native)| bytemuck::pod_collect_to_vec(&native)),
                    Err(buffer) => copied(buffer),
                })
            }
            other => Err(Self(other)),
        }
    }

    /// Returns the bools, a byte each: 0 or 1. `None` for every other dtype.
    #[must_use]
    pub fn as_bools(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Plain { dtype: DType::Bool, buffer } => Some(buffer.as_slice()),
            _ => None,
        }
    }

    /// Returns the strings. `None` for every other dtype.
    #[must_use]
    pub fn as_strings(&self) -> Option<&Strings> {
        match &self.0 {
            Repr::Strings(strings) => Some(strings),
            Repr::Plain { .. } => None,
        }
    }

    /// Returns the buffer that holds exactly the elements. `None` for strings.
    #[must_use]
    pub fn buffer(&self) -> Option<&Buffer> {
        match &self.0 {
            Repr::Plain { buffer, .. } => Some(buffer),
            Repr::Strings(_) => None,
        }
    }

    /// Returns `count` elements from `start` on, shared; `None` if there are fewer.
    #[must_use]
    pub fn slice(&self, start: usize, count: usize) -> Option<Self> {
        if start.checked_add(count)? > self.len() {
            return None;
        }
        Some(Self(match &self.0 {
            Repr::Plain { dtype, buffer } => {
                let width = dtype.width()?;
                Repr::Plain { dtype: *dtype, buffer: buffer.slice_with_length(start * width, count * width) }
            }
            Repr::Strings(strings) => Repr::Strings(strings.slice(start, count)?),
        }))
    }

    /// Returns the elements as an Arrow array, shared but for bools. Strings become `Binary` or `LargeBinary`.
    ///
    /// # Errors
    /// `Unsupported` for bfloat16, which Arrow does not have.
    pub fn to_array(&self) -> Result<ArrayRef, Error> {
        let (dtype, buffer) = match &self.0 {
            Repr::Strings(strings) => return Ok(strings.to_array()),
            Repr::Plain { dtype, buffer } => (*dtype, buffer),
        };
        Ok(with_primitive! { DType, dtype,
            T => Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(buffer.clone()), None)),
            DType::Bool => {
                let bits = BooleanBuffer::collect_bool(buffer.len(), |at| {
                    buffer.as_slice().get(at).is_some_and(|&byte| byte != 0)
                });
                Arc::new(BooleanArray::new(bits, None))
            }
            other => return Err(Error::new(Kind::Unsupported, format!("Arrow has no {other}"))),
        })
    }
}

impl From<Strings> for Values {
    fn from(strings: Strings) -> Self {
        Self(Repr::Strings(strings))
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Strings(strings) => strings.fmt(f),
            Repr::Plain { dtype, buffer } => {
                write!(f, "{dtype} ")?;
                with_element!(*dtype, T => {
                    f.debug_list().entries(self.as_slice::<T>().unwrap_or_default()).finish()
                }, _ => f.debug_list().entries(buffer.as_slice().iter().map(|&byte| byte != 0)).finish())
            }
        }
    }
}
