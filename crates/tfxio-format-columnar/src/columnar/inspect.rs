//! Inspection of files with footers.

use std::collections::BTreeSet;
use std::sync::Arc;

use tfxio_core::{
    Count, Error, ErrorKind, FactValue, FileReport, FileState, Files, FormatOptions, Input, Inspect,
    LostRange, Projection, Result, ScanRequest, Total,
};
use tfxio_store::payload_totals::add_checksum;

use super::dataset::{ColumnarFiles, Inner};
use super::known_file::KnownFile;
use super::{Columnar, Group, GroupReader};

impl Inspect for Columnar {
    /// Decodes every group of rows.
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = self.checked(options)?;
        Ok(files.names().iter().map(|file| inspect(*self, files, file, &options)).collect())
    }
}

fn inspect(format: Columnar, files: &Files, file: &Arc<str>, options: &FormatOptions) -> FileReport {
    let mut report = FileReport::new(&**file);
    let mut groups = match Groups::open(format, files, file, options) {
        Ok(groups) => groups,
        Err(error) => {
            report.state = FileState::NotRead;
            report.errors.push(error);
            return report;
        }
    };
    let footer = Arc::clone(&groups.file.footer);
    let mut rows = 0u64;
    for (number, group) in footer.groups().iter().enumerate() {
        match groups.read(number, *group) {
            Ok(read) => rows = rows.saturating_add(read),
            Err(error) if error.kind() != ErrorKind::Malformed => {
                report.state = FileState::NotRead;
                report.errors.push(error);
                break;
            }
            Err(error) if report.errors.is_empty() => {
                report.state = FileState::Damaged;
                report.errors.push(error);
            }
            Err(error) => {
                let mut lost =
                    LostRange::new(group.start, group.start.saturating_add(group.bytes), format.group);
                (lost.records_before, lost.records) = (rows, group.rows);
                lost.detail = Some(error.what().into());
                report.lost.push(lost);
            }
        }
    }
    let columns = footer.schema().fields().iter();
    let columns = columns.map(|field| (field.name().clone(), field.data_type().to_string().into_bytes()));
    let compressions = groups.compressions.into_iter().collect::<Vec<_>>().join(", ");
    let bytes = footer.groups().iter().map(|group| group.bytes).fold(0, u64::saturating_add);
    // What was read in sequence is one group, whatever is in it.
    let counted = |report: FileReport, key, count| match footer.is_sequential() {
        true => report.fact(key, FactValue::Unknown),
        false => report.count(key, count, Total::Sum),
    };
    report = report
        .fact("format", format.name)
        .fact("compression", Some(compressions).filter(|names| !names.is_empty()));
    report = counted(report, format.groups, footer.groups().len() as u64);
    report = report.count("rows", rows, Total::Sum);
    report = counted(report, "bytes", bytes).fact("columns", FactValue::Entries(columns.collect()));
    add_checksum(&mut report, files, file, &options.request);
    report
}

/// Reads the groups of a file.
struct Groups {
    data: Arc<Inner>,
    file: Arc<KnownFile>,
    request: ScanRequest,
    /// Reads heads of groups.
    heads: Box<dyn Input>,
    compressions: BTreeSet<String>,
    /// Nothing before the first group and after a damaged one.
    reader: Option<Box<dyn GroupReader>>,
}

impl Groups {
    fn open(format: Columnar, files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<Self> {
        let mut request = options.request.clone();
        request.filter = None;
        let only = Files::new([Arc::clone(file)], Arc::clone(files.store()));
        let ColumnarFiles(data) = ColumnarFiles::open_whole(format, only, options)?;
        let known = data.known(file, &request.cancel)?;
        let heads = data.input(file, 0, 0, &request.cancel)?;
        Ok(Self { data, file: known, request, heads, compressions: BTreeSet::new(), reader: None })
    }

    /// Decodes a group and returns the number of its rows.
    fn read(&mut self, number: usize, group: Group) -> Result<u64> {
        self.request.cancel.check()?;
        self.decode(number, group).map_err(|mut error| {
            self.reader = None;
            error.position_mut().byte.get_or_insert(group.start);
            let what = format!("{} {number}: {}", self.data.format.group, error.what());
            error.saying(what)
        })
    }

    fn decode(&mut self, number: usize, group: Group) -> Result<u64> {
        let Self { data, file, request, heads, compressions, reader } = self;
        let (format, footer) = (data.format, &file.footer);
        if reader.is_none() {
            let input = data.input(&file.name, group.start, u64::MAX, &request.cancel)?;
            let all = Projection::new(footer.schema(), &ScanRequest::new())?;
            let open = || Arc::clone(footer).reader(input, &all, request, request.batch_rows);
            let opened = reader.insert(format.guarded(&file.name, open)?);
            opened.compare_statistics();
        }
        let Some(reader) = reader else { return Ok(0) };
        let rows = format.guarded(&file.name, || {
            footer.compressions(number, &mut **heads, compressions)?;
            reader.enter(number, 0..u64::MAX)?;
            let mut rows = 0u64;
            while let Some(batch) = reader.next()? {
                rows = rows.saturating_add(batch.num_rows() as u64);
            }
            Ok(rows)
        })?;
        match group.rows {
            Some(said) if said != rows => {
                let rows = Count::of(rows, "row");
                let were = rows.verb("was", "were");
                let what = format!("{rows} {were} read, and the footer says {said}");
                Err(Error::new(ErrorKind::Malformed, what).in_file(Arc::clone(&file.name)))
            }
            _ => Ok(rows),
        }
    }
}
