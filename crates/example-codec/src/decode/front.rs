//! The public face of a decoder, which is the same for both messages.

/// Defines a decoder, which hides the width of its offsets, with the documentation of the type and of `push`.
macro_rules! decoder {
    ($(#[$about:meta])* $name:ident of $builder:ident, $(#[$push:meta])* push) => {
        $(#[$about])*
        pub struct $name(Box<dyn RecordDecoder + Send + Sync>);

        impl $name {
            /// Returns a builder with the defaults.
            #[must_use]
            pub fn builder() -> $builder {
                $builder::default()
            }

            /// Returns the schema of every batch, or `None` without a schema of features: each batch then has its own
            /// columns.
            #[must_use]
            pub fn schema(&self) -> Option<SchemaRef> {
                self.0.schema()
            }

            $(#[$push])*
            #[inline]
            pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
                self.0.push(record, origin)
            }

            /// Returns the number of rows since the last flush.
            #[must_use]
            pub fn rows(&self) -> usize {
                self.0.rows()
            }

            /// Returns the rows since the last flush as a batch, which may have none.
            ///
            /// # Errors
            /// `Arrow` when Arrow refuses the columns; the rows are then gone.
            pub fn flush(&mut self) -> Result<RecordBatch, Error> {
                self.0.flush()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("schema", &self.schema())
                    .field("rows", &self.rows())
                    .finish_non_exhaustive()
            }
        }

        impl RecordDecoder for $name {
            fn schema(&self) -> Option<SchemaRef> {
                self.schema()
            }

            #[inline]
            fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
                self.push(record, origin)
            }

            fn rows(&self) -> usize {
                self.rows()
            }

            fn flush(&mut self) -> Result<RecordBatch, Error> {
                self.flush()
            }
        }
    };
}

pub(super) use decoder;
