//! CSV files whose headers have other names, or the same in another order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::{Fields, Schema, SchemaRef};
use tfxio_core::{
    Dataset, DatasetSpec, Error, ErrorKind, Files, FormatOptions, Loss, Partition, PartitionStatistics,
    RecordRun, Result, Scan, ScanRequest, take_in_file_by_seeking,
};
use tfxio_scan::merge::{self, Fitting, Merged, UNION_BY_NAME};

use super::format::{names_of, open};
use super::settings::Settings;
use crate::lines::TextFiles;

type Names = Arc<[String]>;

/// CSV files of several headers. A file is read with its own columns, which become the columns of the set.
#[derive(Debug)]
pub(super) struct MixedFiles {
    files: Files,
    /// Files as they are read that have the names of the set, in its order.
    first: Arc<TextFiles>,
    names: Names,
    merged: Merged,
    settings: Settings,
    options: FormatOptions,
    /// Notes of opening the set, of all headers.
    notes: Vec<String>,
    losses: Vec<Loss>,
    headers: Mutex<HeaderCache>,
}

/// Known facts about files.
#[derive(Debug, Default)]
struct HeaderCache {
    by_file: HashMap<Arc<str>, Names>,
    others: HashMap<Names, Arc<TextFiles>>,
}

/// Opens files whose headers may differ.
pub(super) fn open_set(files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
    let can_be_looked_at = |name: &Arc<str>| files.store().size(name).is_ok_and(|size| size.is_some());
    let several =
        |name: &&Arc<str>| files.names().len() > 1 || options.schema.is_some() && can_be_looked_at(name);
    let Some(name) = files.names().first().filter(several).cloned() else {
        return Ok(Arc::new(open(files.clone(), &files, options)?));
    };
    let settings = Settings::new(options, Some(&name))?;
    if !settings.has_header || settings.column_names.is_some() {
        return Ok(Arc::new(open(files.clone(), &files, options)?));
    }
    if options.schema.is_some() {
        let first = open(files.clone(), &files, options)?;
        let merged = Merged::given(name, Arc::clone(first.schema()), options.flag(UNION_BY_NAME.key));
        return Ok(Arc::new(MixedFiles::new(files, first, merged, settings, options)));
    }
    let header = |index: usize| header(&files, files.names().get(index)?, &settings, options);
    let headers = merge::find_in_files(&files, header);
    options.request.cancel.check()?;
    let own_header = self::header(&files, &name, &settings, options);
    // Files without a header that can be read, such as empty ones, say nothing against that of the first.
    let mut groups: Vec<(Option<Names>, Vec<Arc<str>>)> = vec![(own_header.clone(), Vec::new())];
    let found = headers.iter().cloned().collect::<HashMap<_, _>>();
    for (index, file) in files.names().iter().enumerate() {
        let header = found.get(&index);
        let first = groups.first_mut();
        if let (Some(header), Some((own @ None, _))) = (header, first) {
            *own = Some(Arc::clone(header));
        }
        let of =
            |(names, _): &&mut (Option<Names>, _)| header.is_none_or(|header| names.as_ref() == Some(header));
        match groups.iter_mut().find(of) {
            Some((_, files)) => files.push(Arc::clone(file)),
            None => groups.push((header.cloned(), vec![Arc::clone(file)])),
        }
    }
    if groups.len() == 1 {
        return Ok(Arc::new(open(files.clone(), &files, options)?));
    }
    let mut groups = groups.into_iter().map(|(_, names)| {
        let first = names.first().cloned();
        (first, Files::new(names, Arc::clone(files.store())))
    });
    let Some((_, of_first)) = groups.next() else {
        return Err(Error::new(ErrorKind::InvalidArgument, "no file is named"));
    };
    let first = open(of_first, &files, options)?;
    let is_union = options.flag(UNION_BY_NAME.key);
    let mut merged = Merged::new(name, Arc::clone(first.schema()), is_union)
        .advising("read the column as text with the option text_columns, or leave the column out");
    let (mut notes, mut losses) = (first.notes(), first.losses());
    for (file, of_header) in groups {
        let Some(file) = file else { continue };
        let other = open(of_header, &files, options)?;
        merged.add(&file, other.schema());
        notes.extend(other.notes());
        let is_new = |loss: &Loss| !losses.contains(loss);
        losses.extend(other.losses().into_iter().filter(is_new).collect::<Vec<_>>());
    }
    let mut set = MixedFiles::new(files, first, merged, settings, options);
    (set.notes, set.losses) = (notes, losses);
    // So that no header is read again, which a pipe could not give.
    let own = own_header.map(|names| (0, names));
    for (index, names) in headers.into_iter().chain(own) {
        if let Some(file) = set.files.names().get(index) {
            set.headers().by_file.insert(Arc::clone(file), names);
        }
    }
    Ok(Arc::new(set))
}

/// Returns the names in the header of a file; nothing where it cannot be read, which reading its rows reports.
fn header(files: &Files, file: &Arc<str>, settings: &Settings, options: &FormatOptions) -> Option<Names> {
    let only = Files::new([Arc::clone(file)], Arc::clone(files.store()));
    names_of(&only, settings, options).ok()?.map(|(_, names)| names.into())
}

impl MixedFiles {
    fn new(
        files: Files,
        first: TextFiles,
        merged: Merged,
        settings: Settings,
        options: &FormatOptions,
    ) -> Self {
        let names = first.schema().fields().iter().map(|field| field.name().clone());
        let names = names.filter(|name| settings.raw_record.as_deref() != Some(name)).collect();
        Self {
            files,
            first: Arc::new(first),
            names,
            merged,
            settings,
            options: options.clone(),
            notes: Vec::new(),
            losses: Vec::new(),
            headers: Mutex::default(),
        }
    }

    fn headers(&self) -> MutexGuard<'_, HeaderCache> {
        // Entries are whole at every moment.
        self.headers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what reads a file.
    fn of_file(&self, file: &Arc<str>) -> Result<Arc<TextFiles>> {
        let known = self.headers().by_file.get(file).cloned();
        let names = match known {
            Some(names) => names,
            None => {
                // What can be read once only is not read for its header.
                let can_be_looked_at = self.files.store().size(file).is_ok_and(|size| size.is_some());
                let names = match can_be_looked_at {
                    true => header(&self.files, file, &self.settings, &self.options),
                    false => None,
                };
                let names = names.unwrap_or_else(|| Arc::clone(&self.names));
                self.headers().by_file.insert(Arc::clone(file), Arc::clone(&names));
                names
            }
        };
        if names == self.names && self.first.schema().fields() == self.merged.schema().fields() {
            return Ok(Arc::clone(&self.first));
        }
        if let Some(other) = self.headers().others.get(&names) {
            return Ok(Arc::clone(other));
        }
        // In the types of the set, where it has the columns; others are texts, which no request can name.
        let of_set = self.merged.schema();
        let all = names.iter().map(String::as_str).chain(self.settings.raw_record.as_deref());
        let fields = all.map(|name| match of_set.fields().find(name) {
            Some((_, field)) => Arc::clone(field),
            None => Arc::new(arrow_schema::Field::new(name, arrow_schema::DataType::LargeUtf8, true)),
        });
        let schema = Schema::new_with_metadata(fields.collect::<Fields>(), of_set.metadata().clone());
        let mut options = self.options.clone();
        options.schema = Some(Arc::new(schema));
        let only = Files::new([Arc::clone(file)], Arc::clone(self.files.store()));
        let other = Arc::new(open(only, &self.files, &options)?);
        self.headers().others.insert(names, Arc::clone(&other));
        Ok(other)
    }
}

impl Dataset for MixedFiles {
    fn schema(&self) -> &SchemaRef {
        self.merged.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let mut partitions = Vec::new();
        for file in self.files.names() {
            self.of_file(file)?.cut(file, target_bytes.max(1), &mut partitions)?;
        }
        Ok(partitions)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let files = self.of_file(&partition.file)?;
        match self.merged.fitting(&partition.file, files.schema(), request)? {
            Some(Fitting { request, schema }) => Ok(merge::fitted(files.scan(partition, &request)?, schema)),
            None => files.scan(partition, request),
        }
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        self.merged.projected(request)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn losses(&self) -> Vec<Loss> {
        self.losses.clone()
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        take_in_file_by_seeking(self, file, runs, request)
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        self.of_file(&partition.file)?.statistics(partition)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.of_file(&partition.file)?.count_rows(partition, request)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        let spec = DatasetSpec::new("csv", self.files.names().to_vec(), Arc::clone(self.schema()));
        Ok(spec.options(self.first.spec()?.options))
    }
}
