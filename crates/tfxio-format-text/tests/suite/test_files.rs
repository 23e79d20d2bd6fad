//! Files that tests make, and what scans give of them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use flate2::Compression;
use flate2::write::GzEncoder;
use tfxio_formats::OpenOptions;
use tfxio_formats::tfxio_core::{Batch, Dataset};

/// Layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLayout {
    /// Cells have line breaks.
    Csv,
    /// None does, and the reader knows it.
    CsvLines,
    CsvGzip,
    Json,
    JsonGzip,
}

impl FileLayout {
    pub const ALL: [Self; 5] = [Self::Csv, Self::CsvLines, Self::CsvGzip, Self::Json, Self::JsonGzip];

    pub fn is_gzip(self) -> bool {
        matches!(self, Self::CsvGzip | Self::JsonGzip)
    }

    fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonGzip)
    }

    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv | Self::CsvLines => "csv",
            Self::CsvGzip => "csv.gz",
            Self::Json => "jsonl",
            Self::JsonGzip => "ndjson.gz",
        }
    }

    pub fn header(self) -> &'static str {
        if self.is_json() { "" } else { "n,text\r\n" }
    }

    /// Returns the text of a record.
    pub fn text(self, number: u64) -> String {
        let line = if self == Self::CsvLines { " " } else { "\n" };
        match number % 4 {
            0 => format!("row {number}"),
            1 => format!("{number}, \"quoted\"{line}{}", "x".repeat((number * 7 % 123) as usize)),
            2 => String::new(),
            _ => format!("{line}\"{line}"),
        }
    }

    /// Returns a record as it is in a file.
    pub fn row(self, number: u64) -> String {
        let ending = if number.is_multiple_of(3) { "\r\n" } else { "\n" };
        let text = self.text(number);
        if self.is_json() {
            return format!(
                "{{\"n\": {number}, \"text\": {}}}{ending}",
                serde_json::to_string(&text).unwrap()
            );
        }
        let text = if number.is_multiple_of(4) { text } else { format!("\"{}\"", text.replace('"', "\"\"")) };
        format!("{number},{text}{ending}")
    }
}

/// Writes bytes to a file, compressed if its name ends with `gz`.
pub fn write_bytes(path: &Path, bytes: &[u8]) {
    if path.extension().is_some_and(|ending| ending == "gz") {
        let mut file = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
        file.write_all(bytes).unwrap();
        file.finish().unwrap();
    } else {
        std::fs::write(path, bytes).unwrap();
    }
}

/// Writes a file of records `0..records`.
pub fn write(folder: &Path, name: &str, layout: FileLayout, records: u64) -> PathBuf {
    let path = folder.join(format!("{name}.{}", layout.ending()));
    let mut text = layout.header().to_owned();
    (0..records).for_each(|number| text.push_str(&layout.row(number)));
    write_bytes(&path, text.as_bytes());
    path
}

/// Opens files.
pub fn open(layout: FileLayout, paths: &[PathBuf]) -> Arc<dyn Dataset> {
    let names = paths.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>();
    let options = OpenOptions::new().set("layout", "plain").unwrap();
    let options = match layout {
        FileLayout::CsvLines => options.set("quoted_newlines", false).unwrap(),
        _ => options,
    };
    options.open(names).unwrap()
}

/// Returns the file and the number of each record of a batch; checks that cells and origins agree.
pub fn numbers(layout: FileLayout, batch: &Batch) -> Vec<(String, u64)> {
    let columns = batch.columns();
    let (numbers, texts) = (columns["n"].as_primitive::<Int64Type>(), columns["text"].as_string::<i64>());
    assert_eq!(batch.origins().len(), numbers.len());
    let number = |row: usize| {
        let number = numbers.value(row) as u64;
        assert_eq!(texts.value(row), layout.text(number));
        let origin = batch.origins().get(row).expect("an origin");
        let before = (0..number).map(|number| layout.row(number).len() as u64).sum::<u64>();
        assert_eq!(origin.byte, Some(layout.header().len() as u64 + before), "record {number}");
        (origin.file.to_string(), number)
    };
    (0..numbers.len()).map(number).collect()
}
