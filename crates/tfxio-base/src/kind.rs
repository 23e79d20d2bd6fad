//! The coarse kind of an error.

/// Coarse kind of an error, to branch on. A crate's finer kind is read with [`Error::detail`](crate::Error::detail).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or an object store failed or refused.
    Io,
    /// A file, an object or a folder does not exist.
    NotFound,
    /// The user may not read or write a file.
    PermissionDenied,
    /// A path names a directory where a file is required.
    IsDirectory,
    /// The device has no space left.
    StorageFull,
    /// The output exists, and overwriting was not requested.
    AlreadyExists,
    /// Bytes that do not follow their format.
    Malformed,
    /// Data that its format allows and its schema, or the data before it, does not.
    SchemaMismatch,
    /// A request that needs a schema, where none is known.
    SchemaRequired,
    /// A bound of [`Limits`](crate::Limits), or another documented bound, was reached.
    LimitExceeded,
    /// A request that cannot be met: an unknown column, an option out of range.
    InvalidArgument,
    /// Something that this version, or this build, does not do.
    Unsupported,
    /// The operation was cancelled by its caller.
    Cancelled,
    /// An error of another library that fits none of the above.
    Other,
}

/// Remedy that a user has for an error, for programs that word it themselves, as a command does by its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// State the format of the files.
    StateFormat,
    /// State the format of the records.
    StateRecords,
    /// Set the depth to which records that contain themselves are read.
    BoundDepth,
    /// Give a schema that fits all files.
    GiveSchema,
    /// Use a build that reads from object stores.
    ReadObjects,
    /// Allow more bytes to be kept of what can be read once only.
    KeepMore,
    /// Leave the column out, or cast it.
    CastColumn,
    /// Skip damaged records.
    SkipDamage,
}

impl ErrorKind {
    /// Returns whether reading or writing failed, whatever the data hold.
    #[must_use]
    pub const fn is_io(self) -> bool {
        matches!(
            self,
            Self::Io
                | Self::NotFound
                | Self::PermissionDenied
                | Self::IsDirectory
                | Self::StorageFull
                | Self::AlreadyExists
        )
    }
}
