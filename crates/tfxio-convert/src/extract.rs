//! Payloads to files: the values of a column of bytes, or whole records, each a file.

mod names;
mod values;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Schema};
use tfxio_base::OutputFile;
use tfxio_core::{Batch, ColumnPath, Dataset, Error, ErrorKind, Result, Scan as _, ScanRequest, suggest};
use tfxio_scan::DatasetExt as _;

use self::names::Names;

/// Writes each value of a column of bytes to a file of its own.
///
/// A file is named after the record, or after the value of another column, with an extension for its content: `.png`, `.txt` for UTF-8,
/// `.bin` otherwise. Whatever the name in the data, files are created directly in the folder: separators, control characters and names that
/// systems reserve are replaced, long names cut, and names that exist already numbered; [`Extracted`] counts these. A symbolic link of the
/// name, wherever it leads, is an error, even where files are replaced.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_convert::extract::Extraction;
/// use tfxio_formats::tfxio_core::ScanRequest;
/// use tfxio_formats::OpenOptions;
///
/// let folder = tempfile::tempdir()?;
/// let records = OpenOptions::new().format("raw").open(pattern)?;
/// let done = Extraction::builder(records, folder.path()).request(ScanRequest::new().limit(3)).build()?.run()?;
/// assert_eq!(done.files, 3);
/// assert!(folder.path().join("digits-00000-of-00003-000002.bin").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Extraction {
    dataset: Arc<dyn Dataset>,
    folder: PathBuf,
    column: ColumnPath,
    name_by: Option<ColumnPath>,
    request: ScanRequest,
    overwrite: bool,
}

/// Settings of an [`Extraction`].
#[derive(Debug)]
pub struct ExtractionBuilder {
    dataset: Arc<dyn Dataset>,
    folder: PathBuf,
    column: Option<ColumnPath>,
    name_by: Option<ColumnPath>,
    request: ScanRequest,
    overwrite: bool,
}

/// Result of an extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extracted {
    /// Number of files.
    pub files: u64,
    /// Number of bytes in them.
    pub bytes: u64,
    /// Number of records without a value.
    pub without_value: u64,
    /// Number of files whose name differs from the name in the data.
    pub renamed: u64,
    /// The first of these: the name in the data, and the name of the file.
    pub examples: Vec<(String, String)>,
}

/// Maximum number of examples.
const EXAMPLES: usize = 3;

impl Extraction {
    /// Begins to extract from a data set to a folder, which is created.
    pub fn builder(dataset: Arc<dyn Dataset>, folder: impl Into<PathBuf>) -> ExtractionBuilder {
        ExtractionBuilder {
            dataset,
            folder: folder.into(),
            column: None,
            name_by: None,
            request: ScanRequest::new(),
            overwrite: false,
        }
    }

    /// Writes the files. Those that were written before an error stay.
    ///
    /// # Errors
    /// When the data cannot be read, a file cannot be written, or one of its name exists and is not to be overwritten
    /// ([`ErrorKind::AlreadyExists`]).
    pub fn run(&self) -> Result<Extracted> {
        std::fs::create_dir_all(&self.folder).map_err(|error| {
            let error = match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    let what = "creating the folder failed: a file has this name";
                    Error::new(ErrorKind::Io, what).help("give another folder")
                }
                _ => Error::io(error, "creating the folder"),
            };
            error.in_file(&*self.folder.to_string_lossy())
        })?;
        let name_by = self.name_by.as_ref().filter(|name_by| **name_by != self.column);
        let columns = [Some(&self.column), name_by];
        let request = self.request.clone().columns(columns.into_iter().flatten().cloned());
        let mut batches = self.dataset.read(request)?;
        let mut run =
            ExtractionRun { extraction: self, names: Names::default(), done: Extracted::default(), row: 0 };
        while let Some(batch) = batches.next_batch()? {
            run.push(&batch)?;
        }
        Ok(run.done)
    }
}

impl ExtractionBuilder {
    /// Sets the column whose values are extracted. Default: the only one that holds bytes.
    #[must_use]
    pub fn column(mut self, column: impl Into<ColumnPath>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// Sets the column after whose values the files are called: text or integers. Default: file and number of the record.
    #[must_use]
    pub fn name_by(mut self, column: impl Into<ColumnPath>) -> Self {
        self.name_by = Some(column.into());
        self
    }

    /// Sets how the data set is read: filter, limit, what is done about damage. Its columns are not used.
    #[must_use]
    pub fn request(mut self, request: ScanRequest) -> Self {
        self.request = request;
        self
    }

    /// Sets whether files of the same names are replaced. Default: no.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Checks the columns.
    ///
    /// # Errors
    /// `InvalidArgument` where a column does not exist, holds other values, or none is named and there are several.
    pub fn build(self) -> Result<Extraction> {
        let schema = self.dataset.schema();
        let column = match self.column {
            Some(column) => column,
            None => only_bytes(schema)?,
        };
        check(schema, &column, values::holds_bytes, "bytes or text")?;
        if let Some(name_by) = &self.name_by {
            check(schema, name_by, values::holds_names, "text or integers, by which files can be called")?;
        }
        let Self { dataset, folder, name_by, request, overwrite, .. } = self;
        Ok(Extraction { dataset, folder, column, name_by, request, overwrite })
    }
}

/// Returns the only column that holds bytes.
fn only_bytes(schema: &Schema) -> Result<ColumnPath> {
    let names = |holds: fn(&DataType) -> bool| {
        let fields = schema.fields().iter().filter(|field| holds(field.data_type()));
        fields.map(|field| field.name().as_str()).collect::<Vec<_>>()
    };
    let binary = names(values::holds_binary);
    match (binary.as_slice(), names(values::holds_bytes).as_slice()) {
        ([only], _) | ([], [only]) => Ok(ColumnPath::from(*only)),
        ([], []) => Err(Error::new(ErrorKind::InvalidArgument, "no column holds bytes or text")),
        ([], several) | (several, _) => {
            let several = several.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            let what = format!("several columns hold bytes: {several}");
            Err(Error::new(ErrorKind::InvalidArgument, what).help("name the one to extract"))
        }
    }
}

fn check(schema: &Schema, path: &ColumnPath, holds: fn(&DataType) -> bool, what: &str) -> Result<()> {
    let Some(found) = values::type_of(schema, path) else {
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let hint = suggest::hint(&path.to_string(), names, "columns");
        let what = format!("there is no column {:?}", path.to_string());
        return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
    };
    if holds(&found) {
        return Ok(());
    }
    let what = format!("the column {:?} has Arrow type {found}, which holds no {what}", path.to_string());
    Err(Error::new(ErrorKind::InvalidArgument, what))
}

/// An extraction under way.
struct ExtractionRun<'a> {
    extraction: &'a Extraction,
    names: Names,
    done: Extracted,
    row: u64,
}

impl ExtractionRun<'_> {
    fn push(&mut self, batch: &Batch) -> Result<()> {
        let Extraction { column, name_by, .. } = self.extraction;
        let array = |path: &ColumnPath| column_of(batch, path);
        let payloads = array(column)?;
        let names = name_by.as_ref().map(array).transpose()?;
        for row in 0..batch.num_rows() {
            let named = names.as_ref().and_then(|names| values::name(names, row));
            let asked = match (&named, batch.origins().get(row)) {
                (Some(name), _) => name.clone(),
                (None, Some(origin)) => format!("{}-{:06}", names::stem(&origin.file), origin.record),
                (None, None) => format!("{:06}", self.row),
            };
            let mut found = Vec::new();
            values::each(&payloads, row, &mut |bytes| found.push(bytes.to_vec()));
            if found.is_empty() {
                self.done.without_value += 1;
            }
            // What a name says is absent is called by its number, which is said.
            let is_asked = names.is_none() || named.is_some();
            for (item, bytes) in found.iter().enumerate() {
                let asked = if found.len() > 1 { format!("{asked}-{item}") } else { asked.clone() };
                self.write(&asked, is_asked, bytes)?;
            }
            self.row += 1;
        }
        Ok(())
    }

    fn write(&mut self, asked: &str, is_asked: bool, bytes: &[u8]) -> Result<()> {
        let (name, is_same) = self.names.name(asked, names::ending(bytes));
        if !(is_same && is_asked) {
            self.done.renamed += 1;
            if self.done.examples.len() < EXAMPLES {
                let asked = if is_asked { asked.chars().take(80).collect() } else { String::new() };
                self.done.examples.push((asked, name.clone()));
            }
        }
        let path: &Path = &self.extraction.folder.join(&name);
        refuse_link(path)?;
        let failed = |error| Error::io(error, "writing").in_file(&*path.to_string_lossy());
        let mut file = OutputFile::create(path, self.extraction.overwrite)?.sync(false);
        file.write_all(bytes).map_err(failed)?;
        file.finish()?;
        self.done.files += 1;
        self.done.bytes = self.done.bytes.saturating_add(bytes.len() as u64);
        Ok(())
    }
}

/// Refuses a name that is a symbolic link, which may lead out of the folder.
fn refuse_link(path: &Path) -> Result<()> {
    if !std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Ok(());
    }
    let what = "a symbolic link has the name of the file, and files are written to the folder itself";
    let error =
        Error::new(ErrorKind::AlreadyExists, what).help("remove the link, or extract to another folder");
    Err(error.in_file(&*path.to_string_lossy()))
}

/// Returns the column of a path.
fn column_of(batch: &Batch, path: &ColumnPath) -> Result<ArrayRef> {
    values::innermost(batch.columns(), path).ok_or_else(|| {
        let what = format!("the batches have no column {:?}", path.to_string());
        Error::new(ErrorKind::SchemaMismatch, what)
    })
}
