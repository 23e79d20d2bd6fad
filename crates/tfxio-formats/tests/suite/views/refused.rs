//! Data sets that do not fit together are refused when they are put together.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tempfile::TempDir;
use tfxio_convert::CastType;
use tfxio_formats::tfxio_core::{
    Batch, Dataset, Error, ErrorKind, MapError, Partition, Position, ScanRequest,
};
use tfxio_formats::{DatasetExt as _, OpenOptions};

struct Files(TempDir);

impl Files {
    fn open(&self, name: &str, text: &str) -> Arc<dyn Dataset> {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        OpenOptions::new().scalars(true).text(true).open([path.to_str().unwrap()]).unwrap()
    }

    fn text(&self, error: &Error) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn failed<T>(result: Result<T, Error>) -> Error {
    result.err().expect("an error")
}

fn numbers_of(values: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}

fn read(dataset: &Arc<dyn Dataset>) -> Error {
    let batches = dataset.read(ScanRequest::new());
    failed(batches.and_then(|batches| batches.collect::<Result<Vec<_>, _>>()))
}

#[test]
fn what_does_not_fit_together_is_said() {
    let files = Files(TempDir::new().unwrap());
    let numbers = files.open("numbers.csv", "id,value\n1,2\n3,4\n");
    let others = files.open("others.jsonl", "{\"id\": \"x\", \"value\": 1}\n");
    let one = files.open("one.csv", "id\n7\n");
    let three = files.open("three.csv", "x\n1\n2\n3\n");
    let table = [
        failed(numbers.filter("vlaue > 3".parse().unwrap())),
        failed(numbers.filter("value > 'x'".parse().unwrap())),
        failed(numbers.concat([Arc::clone(&others)])),
        failed(numbers.concat([Arc::clone(&one)])),
        failed(one.concat([Arc::clone(&numbers)])),
        failed(numbers.zip(&others)),
        read(&numbers.zip(&three).unwrap()),
        read(&three.zip(&numbers).unwrap()),
        failed(numbers.cast([("vlaue", CastType::Float32)])),
        read(&others.cast([("id", CastType::Int64)]).unwrap()),
        failed(numbers.rows(1..2).scan(&Partition::whole("a").extra("records", "x"), &ScanRequest::new())),
        failed(numbers.zip(&three).unwrap().scan(&Partition::whole("a"), &ScanRequest::new())),
        failed(numbers.concat([]).unwrap().scan(&Partition::whole("a"), &ScanRequest::new())),
    ];
    let texts = table.iter().map(|error| files.text(error)).collect::<Vec<_>>();
    let planned = "take the partition as it was planned";
    let names = "select columns that all data sets have";
    let equally = "take equally many rows of both before they are put together";
    let expected = [
        "the filter names the column \"vlaue\", which does not exist; did you mean \"value\"?".to_owned(),
        "column \"value\": the column has Arrow type Int64, which cannot be compared with 'x'; compare numbers with numbers and text \
         with 'text'"
            .to_owned(),
        "data set 1, column \"id\": the column is LargeUtf8 in this data set, and Int64 in data set 0; cast the column of one of the \
         data sets, or select others"
            .to_owned(),
        format!("data set 1, column \"value\": the data set has no column of this name, and data set 0 has one; {names}"),
        format!("data set 1, column \"value\": the data set has the column, and data set 0 has none of this name; {names}"),
        "both data sets have columns \"id\", \"value\"; rename them in one of the data sets, or select the others".to_owned(),
        format!("the second data set has more rows than the first; {equally}"),
        format!("the second data set has fewer rows than the first; {equally}"),
        "there is no column \"vlaue\" to cast; did you mean \"value\"?".to_owned(),
        "others.jsonl, byte 0, record 0, column \"id\": \"x\" is not such a number; leave the column out, or cast it to another type"
            .to_owned(),
        format!("a: the partition says records=\"x\", which is not a range; {planned}"),
        format!("a: the partition does not say the number of its first row; {planned}"),
        format!("a: the partition does not say which of the data sets it is of; {planned}"),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn errors_of_functions_name_the_record() {
    let files = Files(TempDir::new().unwrap());
    let numbers = files.open("numbers.csv", "id,value\n1,2\n3,4\n");
    let makes = || Arc::new(Schema::new(vec![Field::new("half", DataType::Int64, false)]));
    let mapped = |function: fn(&Batch) -> Result<RecordBatch, MapError>| {
        numbers.map_batches(["value"], makes(), function).unwrap()
    };
    let table = [
        failed(numbers.map_batches(["vlaue"], makes(), |_| Err("never".into()))),
        failed(numbers.filter_batches(["vlaue"], |_| Err("never".into()))),
        read(&mapped(|_| Err("no half".into()))),
        read(&mapped(|_| panic!("no half"))),
        read(&mapped(|_| {
            let error = Error::new(ErrorKind::InvalidArgument, "no half of 3").at(Position::new().row(1));
            Err(error.into())
        })),
        read(&mapped(|_| Ok(RecordBatch::try_from_iter([("half", numbers_of(vec![1]))])?))),
        read(&mapped(|_| Ok(RecordBatch::try_from_iter([("other", numbers_of(vec![1, 2]))])?))),
        read(&numbers.filter_batches(["id"], |_| Ok(vec![true].into())).unwrap()),
    ];
    let texts = table.iter().map(|error| files.text(error)).collect::<Vec<_>>();
    let expected = [
        "there is no column \"vlaue\"; did you mean \"value\"?",
        "there is no column \"vlaue\"; did you mean \"value\"?",
        "numbers.csv, byte 9, record 0: the function given to map_batches fails: no half",
        "numbers.csv, byte 9, record 0: the function given to map_batches fails: it panicked: no half",
        "numbers.csv, byte 13, record 1: no half of 3",
        "numbers.csv, byte 9, record 0: the function given to map_batches returns 1 row for 2 rows; return a value for each row; leave \
         rows out by a filter",
        "numbers.csv, byte 9, record 0: the function given to map_batches returns \"other\" (Int64), and was to return \
         \"half\" (Int64); return the columns of the schema that map_batches was given, in their order and types",
        "numbers.csv, byte 9, record 0: the function given to filter_batches returns 1 row for 2 rows; return a value for each row; \
         leave rows out by a filter",
    ];
    assert_eq!(texts, expected);
}
