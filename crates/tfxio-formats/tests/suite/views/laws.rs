//! Views on views: reading, counting, taking and partitions give the rows that a list in memory has.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use proptest::prelude::*;
use tempfile::TempDir;
use tfxio_convert::{BatchOutput, CastType};
use tfxio_formats::tfxio_core::{Batch, Dataset, Partition, RecordRun, Scan, ScanRequest, Seek};
use tfxio_formats::{DatasetExt as _, OpenOptions};

/// A row, and which record it is.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    file: String,
    record: u64,
    /// `a` and `b` of the first data set, with the values of others beside them.
    values: Vec<i64>,
}

/// View of a data set.
#[derive(Clone, Debug)]
enum Step {
    /// Rows whose `a` has this rest.
    Filter(i64),
    Rows(u64, u64),
    Shard(u64, u64),
    /// Rows of another format after them.
    Concat(usize),
    Zip(usize),
    /// `b` before `a`.
    Select,
    /// `b` as floats.
    Cast,
    /// Other values of `a`, by a function of `b` and `a`.
    Map(i64),
    /// Rows of which a function of `a` is true.
    FilterBatches(i64),
}

const ENDINGS: [&str; 5] = ["jsonl", "csv", "parquet", "avro", "tfrecord"];
const PARQUET: usize = 2;
const FILES: u64 = 3;

struct Made {
    dataset: Arc<dyn Dataset>,
    rows: Vec<Row>,
    names: Vec<&'static str>,
}

/// Writes three files of some records, and returns their data set and its rows.
fn base(folder: &Path, kind: usize, records: [u64; 3], names: [&'static str; 2]) -> Made {
    // Others say their columns by their records.
    let kind = if records.iter().sum::<u64>() == 0 { PARQUET } else { kind };
    let ending = ENDINGS[kind];
    let (mut paths, mut rows) = (Vec::new(), Vec::new());
    let mut number = 0i64;
    for file in 0..FILES {
        let path = folder.join(format!("{kind}{}{file}.{ending}", names[0])).display().to_string();
        let numbers = number..number + records[file as usize] as i64;
        number = numbers.end;
        let columns = [numbers.clone().collect::<Vec<_>>(), numbers.map(|a| a * a % 1000).collect()];
        rows.extend((0..records[file as usize]).map(|record| {
            let values = columns.iter().map(|column| column[record as usize]).collect();
            Row { file: path.clone(), record, values }
        }));
        let columns = columns.map(|column| Arc::new(Int64Array::from(column)) as ArrayRef);
        let batch = RecordBatch::try_from_iter(names.into_iter().zip(columns)).unwrap();
        let (schema, mut batches) = (batch.schema(), vec![batch].into_iter());
        let output = BatchOutput::new(&path).output_format(ending);
        output.write(&schema, move || Ok(batches.next().map(Into::into))).unwrap();
        paths.push(path);
    }
    let options = OpenOptions::new().scalars(true);
    let dataset = options.open(&paths).unwrap();
    Made { dataset, rows, names: names.to_vec() }
}

impl Made {
    fn with(mut self, step: &Step, folder: &Path) -> Self {
        let dataset = &self.dataset;
        match step {
            Step::Filter(rest) => {
                // Of columns that are cast, too.
                let values = (0..2000).filter(|value| value % 3 == *rest).map(|value: i64| value.to_string());
                let condition = format!("a in ({})", values.collect::<Vec<_>>().join(", "));
                self.dataset = dataset.filter(condition.parse().unwrap()).unwrap();
                let at = self.names.iter().position(|name| *name == "a").unwrap();
                self.rows.retain(|row| row.values[at] % 3 == *rest);
            }
            Step::Rows(first, end) => {
                self.dataset = dataset.rows(*first..*end);
                let end = (*end).min(self.rows.len() as u64) as usize;
                self.rows = self.rows.get(*first as usize..end).unwrap_or_default().to_vec();
            }
            Step::Shard(index, count) => {
                let all = self.rows.len() as u64;
                self.dataset = dataset.shard(*index, *count);
                let border = |index: u64| (all * index / count) as usize;
                self.rows = self.rows[border(*index)..border(index + 1)].to_vec();
            }
            Step::Concat(kind) => {
                if self.names.len() > 2 {
                    return self;
                }
                let other = base(folder, *kind, [2, 0, 5], ["a", "b"]);
                self.dataset = dataset.concat([other.dataset]).unwrap();
                let is_swapped = self.names[0] == "b";
                self.rows.extend(other.rows.into_iter().map(|mut row| {
                    if is_swapped {
                        row.values.swap(0, 1);
                    }
                    row
                }));
            }
            Step::Zip(kind) => {
                if self.names.len() > 2 {
                    return self;
                }
                let all = self.rows.len() as u64;
                let cut = all / 3;
                let other = base(folder, *kind, [cut, all - cut - all / 4, all / 4], ["c", "d"]);
                self.dataset = dataset.zip(&other.dataset).unwrap();
                self.names.extend(["c", "d"]);
                for (row, other) in self.rows.iter_mut().zip(other.rows) {
                    row.values.extend(other.values);
                }
            }
            Step::Select => {
                let names = self.names.iter().rev().copied().collect::<Vec<_>>();
                self.dataset = dataset.select(names.iter().map(|name| (*name, *name))).unwrap();
                self.rows.iter_mut().for_each(|row| row.values.reverse());
                self.names = names;
            }
            Step::Cast => self.dataset = dataset.cast([("b", CastType::Float64)]).unwrap(),
            Step::Map(factor) => {
                let factor = *factor;
                let makes = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, false)]));
                let schema = Arc::clone(&makes);
                let function = move |batch: &Batch| {
                    assert_eq!((batch.columns().num_columns(), batch.num_rows() > 0), (2, true));
                    let values = (0..batch.num_rows()).map(|row| Self::value(batch, 1, row) * factor);
                    let a = Arc::new(Int64Array::from_iter_values(values)) as ArrayRef;
                    Ok(RecordBatch::try_new(Arc::clone(&schema), vec![a])?)
                };
                self.dataset = dataset.map_batches(["b", "a"], makes, function).unwrap();
                let at = self.names.iter().position(|name| *name == "a").unwrap();
                self.rows.iter_mut().for_each(|row| row.values[at] *= factor);
            }
            Step::FilterBatches(rest) => {
                let rest = *rest;
                let function = move |batch: &Batch| {
                    let rows = 0..batch.num_rows();
                    // Null leaves a row out as false does.
                    Ok(rows.map(|row| (Self::value(batch, 0, row) % 3 == rest).then_some(true)).collect())
                };
                self.dataset = dataset.filter_batches(["a"], function).unwrap();
                let at = self.names.iter().position(|name| *name == "a").unwrap();
                self.rows.retain(|row| row.values[at] % 3 == rest);
            }
        }
        self
    }

    fn value(batch: &Batch, column: usize, row: usize) -> i64 {
        let array = batch.columns().column(column);
        assert!(array.is_valid(row));
        match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().value(row),
            DataType::Float64 => array.as_primitive::<Float64Type>().value(row) as i64,
            other => panic!("a column of {other}"),
        }
    }

    /// Returns the rows of a batch, of which some columns were read.
    fn rows_of(batch: &Batch) -> Vec<Row> {
        let row = |row: usize| {
            let origin = batch.origins().get(row).expect("an origin");
            let values =
                (0..batch.columns().num_columns()).map(|column| Self::value(batch, column, row)).collect();
            Row { file: origin.file.to_string(), record: origin.record, values }
        };
        (0..batch.num_rows()).map(row).collect()
    }

    fn all(scan: &mut dyn Scan) -> Vec<Row> {
        let mut all = Vec::new();
        while let Some(batch) = scan.next_batch().unwrap() {
            assert!(batch.num_rows() > 0);
            all.extend(Self::rows_of(&batch));
        }
        all
    }

    fn check(&self, seed: u64) {
        let mut state = seed;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most.max(1)
        };
        let all = self.rows.len() as u64;
        let request = ScanRequest::new().batch_rows(1 + below(40) as usize).threads(1 + below(3) as usize);
        let read = |batches: tfxio_formats::Batches| Self::all(&mut { batches });
        assert_eq!(read(self.dataset.read(request.clone()).unwrap()), self.rows);
        assert_eq!(self.dataset.count().unwrap(), all);
        // Some columns, and a condition.
        let at = below(self.names.len() as u64) as usize;
        let of_column = |rows: &[Row]| {
            rows.iter().map(|row| Row { values: vec![row.values[at]], ..row.clone() }).collect::<Vec<_>>()
        };
        let column = request.clone().columns([self.names[at]]);
        assert_eq!(read(self.dataset.read(column.clone()).unwrap()), of_column(&self.rows));
        let position = self.names.iter().position(|name| *name == "b").unwrap();
        let border = below(1000) as i64;
        let kept = self.rows.iter().filter(|row| row.values[position] < border).cloned().collect::<Vec<_>>();
        let most = below(30);
        let filtered = column.clone().filter(format!("b < {border}").parse().unwrap());
        assert_eq!(read(self.dataset.read(filtered.clone()).unwrap()), of_column(&kept));
        let limited = of_column(&kept[..kept.len().min(most as usize)]);
        assert_eq!(read(self.dataset.read(filtered.limit(most)).unwrap()), limited);
        let after = below(all + 3);
        let rest = self.rows.get(after as usize..).unwrap_or_default();
        assert_eq!(read(self.dataset.read_after(after, request.clone()).unwrap()), rest);
        assert_eq!(
            read(self.dataset.read(request.clone().limit(after)).unwrap()),
            &self.rows[..after.min(all) as usize]
        );
        let last = &self.rows[all.saturating_sub(after) as usize..];
        assert_eq!(read(self.dataset.tail(after, request.clone()).unwrap()), last);
        let sample = read(self.dataset.sample(after, seed, request.clone()).unwrap());
        assert_eq!(sample.len() as u64, after.min(all));
        assert!(sample.iter().all(|row| self.rows.contains(row)));
        let nothing = self.dataset.read(ScanRequest::new().columns([""; 0])).unwrap();
        assert_eq!(read(nothing).len() as u64, all);
        if all > 0 {
            let number = below(all);
            let record = read(self.dataset.record(number, request.clone()).unwrap());
            assert_eq!(record, [self.rows[number as usize].clone()]);
        }
        assert!(self.dataset.record(all, ScanRequest::new()).is_err());
        self.check_partitions(&request, 1 + below(400));
    }

    /// Stops after a batch and goes on with what is left, of which another half may have been given away.
    fn check_rest(&self, partition: &Partition, request: &ScanRequest, rows: &[Row]) {
        let mut scan = self.dataset.scan(partition, request).unwrap();
        let mut seen = scan.next_batch().unwrap().map(|batch| Self::rows_of(&batch)).unwrap_or_default();
        let tail = scan.try_split(0.5).unwrap();
        match scan.remaining() {
            Some(rest) => seen.extend(Self::all(&mut *self.dataset.scan(&rest, request).unwrap())),
            None => seen.extend(Self::all(&mut *scan)),
        }
        if let Some(tail) = tail {
            seen.extend(Self::all(&mut *self.dataset.scan(&tail, request).unwrap()));
        }
        let values = |rows: &[Row]| rows.iter().map(|row| row.values.clone()).collect::<Vec<_>>();
        assert_eq!(values(&seen), values(rows));
    }

    fn check_partitions(&self, request: &ScanRequest, target: u64) {
        let (mut seen, mut first) = (Vec::new(), 0);
        for partition in self.dataset.partitions(target).unwrap() {
            let shipped = serde_json::from_str(&serde_json::to_string(&partition).unwrap()).unwrap();
            let rows = Self::all(&mut *self.dataset.scan(&shipped, request).unwrap());
            assert_eq!(self.dataset.count_rows(&shipped, request).unwrap(), rows.len() as u64);
            self.check_rest(&shipped, request, &rows);
            seen.extend(rows.into_iter().map(|row| row.values));
        }
        let values = self.rows.iter().map(|row| row.values.clone()).collect::<Vec<_>>();
        assert_eq!(seen, values);
        for partition in self.dataset.partitions(u64::MAX).unwrap() {
            let rows = Self::all(&mut *self.dataset.scan(&partition, request).unwrap());
            assert_eq!(rows, &self.rows[first..first + rows.len()]);
            first += rows.len();
            let records = self.dataset.count_records(&partition, request).unwrap();
            assert!(rows.iter().all(|row| row.record < records));
            self.dataset.entries(&partition, records).unwrap();
            let Some(middle) = rows.get(rows.len() / 2) else { continue };
            // A scan goes on from a record.
            let mut scan = self.dataset.scan(&partition, request).unwrap();
            if scan.seek(middle.record).unwrap() != Seek::NotOffered {
                assert_eq!(Self::all(&mut *scan), &rows[rows.len() / 2..]);
            }
            let runs = [rows.len() - 1, rows.len() / 2]
                .map(|at| RecordRun::new(&*rows[at].file, rows[at].record, 1));
            match self.dataset.take_in_file(&partition, &runs, request) {
                Ok(mut scan) => {
                    assert_eq!(Self::all(&mut *scan), [rows[rows.len() - 1].clone(), middle.clone()]);
                }
                Err(error) => {
                    assert!(error.to_string().contains("not taken by number"), "{error}");
                    assert!(self.dataset.leaves_out());
                }
            }
        }
        assert_eq!(first, self.rows.len());
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..3i64).prop_map(Step::Filter),
        (0..60u64, 0..90u64).prop_map(|(first, rows)| Step::Rows(first, first + rows)),
        (0..60u64).prop_map(|first| Step::Rows(first, u64::MAX)),
        (0..4u64, 0..4u64).prop_map(|(index, more)| Step::Shard(index, index + 1 + more)),
        (0..ENDINGS.len()).prop_map(Step::Concat),
        (0..ENDINGS.len()).prop_map(Step::Zip),
        Just(Step::Select),
        Just(Step::Cast),
        (0..4i64).prop_map(Step::Map),
        (0..3i64).prop_map(Step::FilterBatches),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_are_those_of_a_list_in_memory(
        kind in 0..ENDINGS.len(),
        counts in prop::array::uniform3(0..50u64),
        steps in prop::collection::vec(step(), 0..5),
        seed in any::<u64>(),
    ) {
        let folder = TempDir::new().unwrap();
        let mut made = base(folder.path(), kind, counts, ["a", "b"]);
        for (at, step) in steps.iter().enumerate() {
            let own = folder.path().join(at.to_string());
            std::fs::create_dir(&own).unwrap();
            made = made.with(step, &own);
        }
        made.check(seed);
    }
}

/// A batch of all rows.
fn whole(dataset: &Arc<dyn Dataset>) -> RecordBatch {
    let batches = dataset.read(ScanRequest::new()).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    concat_batches(&batches[0].schema(), &batches).unwrap()
}

#[test]
fn columns_of_data_sets_that_follow_each_other_are_matched_by_names() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        OpenOptions::new().scalars(true).open([path.to_str().unwrap()]).unwrap()
    };
    let first = write("a.csv", "id,name\n1,x\n2,y\n");
    let second = write("b.jsonl", "{\"name\": \"z\", \"id\": 2.5}\n");
    let both = first.concat([second]).unwrap();
    let all = whole(&both);
    let ids = all.column_by_name("id").unwrap().as_primitive::<Float64Type>().values().to_vec();
    assert_eq!(ids, [1.0, 2.0, 2.5]);
    assert_eq!(all.schema().field(0).name(), "id");
}

/// The last file is not counted, so that an input that can be read once only has ranges, and no file is read twice for one.
#[test]
fn a_range_of_the_last_file_is_not_counted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let lines = (0..20).map(|number| format!("{{\"a\": {number}}}\n")).collect::<String>();
    std::fs::write(&path, lines).unwrap();
    let file = OpenOptions::new().scalars(true).open([path.to_str().unwrap()]).unwrap();
    let mut read = 0;
    for (range, expected) in [(0..5, 5), (5..500, 15), (18..u64::MAX, 2), (20..30, 0), (0..u64::MAX, 20)] {
        let rows = file.rows(range.clone());
        let all = whole_or_empty(&rows);
        assert_eq!((all, rows.count().unwrap()), (expected, expected as u64), "{range:?}");
        let partitions = rows.partitions(u64::MAX).unwrap();
        let records =
            partitions.iter().map(|partition| rows.count_records(partition, &ScanRequest::new()).unwrap());
        assert!(records.sum::<u64>() <= 20, "{range:?}");
        read += all;
    }
    assert_eq!(read, 42);
}

fn whole_or_empty(dataset: &Arc<dyn Dataset>) -> usize {
    let batches = dataset.read(ScanRequest::new()).unwrap();
    batches.map(|batch| batch.unwrap().num_rows()).sum()
}
