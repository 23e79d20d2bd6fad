//! Types of Parquet that its reader maps with a loss: intervals, and times of 96 bits.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    IntervalMonthDayNano, IntervalMonthDayNanoType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use parquet::data_type::{FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use tfxio_core::{ErrorKind, FileState, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

fn write(path: &Path, schema: &str, has_dictionary: bool, write: impl Fn(&mut SerializedColumnWriter<'_>)) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_dictionary_enabled(has_dictionary).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    // Twice, so that rows are counted over row groups.
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            write(&mut column);
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn read(path: &Path, unit: Option<&str>) -> Result<Vec<RecordBatch>> {
    let mut options = OpenOptions::new();
    if let Some(unit) = unit {
        options = options.set("int96", unit)?;
    }
    options.open(path.to_str().unwrap())?.read(ScanRequest::new().batch_rows(2))?.collect()
}

#[test]
fn intervals_have_their_months() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = "message m { optional fixed_len_byte_array(12) i (INTERVAL); repeated fixed_len_byte_array(12) l (INTERVAL); \
                  required fixed_len_byte_array(12) b; }";
    let parts = [[14u32, 0, 0], [0, 3, 0], [1, 2, 3000], [0, 0, 90_000_000]];
    let values = parts.map(|parts| {
        FixedLenByteArray::from(parts.iter().flat_map(|part| part.to_le_bytes()).collect::<Vec<_>>())
    });
    for has_dictionary in [false, true] {
        write(&path, schema, has_dictionary, |column| {
            let column = column.typed::<FixedLenByteArrayType>();
            if column.get_descriptor().max_def_level() == 0 {
                column.write_batch(&[&values[..], &values[..1]].concat(), None, None).unwrap();
            } else {
                // One is null.
                column.write_batch(&values, Some(&[1, 1, 0, 1, 1]), Some(&[0; 5])).unwrap();
            }
        });
        let batches = read(&path, None).unwrap();
        let schema = batches[0].schema();
        let interval = DataType::Interval(IntervalUnit::MonthDayNano);
        assert_eq!(schema.field(0).data_type(), &interval);
        let DataType::List(item) = schema.field(1).data_type() else { panic!("{schema:?}") };
        assert_eq!(item.data_type(), &interval);
        assert_eq!(schema.field(2).data_type(), &DataType::FixedSizeBinary(12), "bytes stay so");
        let found = batches.iter().flat_map(|batch| {
            batch.column(0).as_primitive::<IntervalMonthDayNanoType>().iter().collect::<Vec<_>>()
        });
        let expected = [
            Some(IntervalMonthDayNano::new(14, 0, 0)),
            Some(IntervalMonthDayNano::new(0, 3, 0)),
            None,
            Some(IntervalMonthDayNano::new(1, 2, 3_000_000_000)),
            Some(IntervalMonthDayNano::new(0, 0, 90_000_000_000_000)),
        ];
        assert_eq!(found.collect::<Vec<_>>(), [expected, expected].concat());
    }
}

/// A time: nanoseconds of a day, and days after 1970-01-01.
fn time(nanos: i64, days: i64) -> Int96 {
    let julian = u32::try_from(days + 2_440_588).unwrap();
    let mut time = Int96::new();
    time.set_data(nanos as u32, (nanos >> 32) as u32, julian);
    time
}

#[test]
fn times_outside_of_nanoseconds_are_said_or_read_in_microseconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = "message m { optional int96 t; optional group g { optional int96 u; } }";
    let last = 86_399_999_999_999;
    let within = [time(1, 0), time(last, 106_750), time(0, -106_751), time(123_456_789, 17_000)];
    for has_dictionary in [false, true] {
        let write_times = |times: &[Int96]| {
            write(&path, schema, has_dictionary, |column| {
                let column = column.typed::<Int96Type>();
                let levels = |level| vec![level; times.len()];
                // The second column is in a group.
                let level = column.get_descriptor().max_def_level();
                column.write_batch(times, Some(&levels(level)), None).unwrap();
            });
        };
        write_times(&within);
        let batches = read(&path, None).unwrap();
        assert_eq!(
            batches[0].schema().field(0).data_type(),
            &DataType::Timestamp(TimeUnit::Nanosecond, None)
        );
        let nanos = |column: &dyn arrow_array::Array| {
            column.as_primitive::<TimestampNanosecondType>().values().to_vec()
        };
        assert_eq!(nanos(batches[0].column(0)), [1, 106_750 * 86_400_000_000_000 + last]);
        assert_eq!(
            nanos(batches[1].column(1).as_struct().column(0)),
            [-106_751 * 86_400_000_000_000, 17_000 * 86_400_000_000_000 + 123_456_789]
        );
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 8);

        // 0001-01-01, 9999-12-31, and the first that does not fit at either end.
        for wide in
            [time(0, -719_162), time(last, 2_932_896), time(0, -106_752), time(85_700_000_000_000, 106_751)]
        {
            write_times(&[within[0], within[1], wide, within[2]]);
            let error = read(&path, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
            let text = error.to_string();
            assert!(
                text.contains("column \"t\", row 2: ") && text.contains("set the option int96 to us"),
                "{text}"
            );
            let batches = read(&path, Some("us")).unwrap();
            let micros = batches[1].column(0).as_primitive::<TimestampMicrosecondType>().value(0);
            let days = micros.div_euclid(86_400_000_000);
            assert_eq!(
                batches[1].schema().field(0).data_type(),
                &DataType::Timestamp(TimeUnit::Microsecond, None)
            );
            assert!([-719_162, 2_932_896, -106_752, 106_751].contains(&days), "{days}");
            let report =
                OpenOptions::new().set("int96", "us").unwrap().verify(path.to_str().unwrap()).unwrap();
            assert_eq!(report.state, FileState::Whole, "{:?}", report.errors);
        }
    }
}
