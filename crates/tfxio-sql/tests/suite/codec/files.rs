//! Files that are others where a plan is run, and stores that stay where they are.

use std::fs;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use datafusion::physical_plan::collect;
use tfxio_core::{Cancel, Input, LocalStore, Result, Store};
use tfxio_formats::OpenOptions;
use tfxio_sql::TfxioCodec;

use crate::codec::{decode, encode, fixtures, plan, text, with_table, worker};

#[tokio::test]
async fn a_file_that_changed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("digits.tfrecord");
    let shard = fs::read(fixtures().join("digits/digits-00000-of-00003.tfrecord")).unwrap();
    fs::write(&file, &shard).unwrap();
    let context = with_table(tfxio_formats::open(&file).unwrap(), 2);
    let before = plan(&context, "select id from t").await;
    let (checks, none) = (TfxioCodec::new(), TfxioCodec::new().check_files(false));
    let (checked, unchecked) = (encode(&checks, &before).unwrap(), encode(&none, &before).unwrap());
    // A record less, which nothing else would notice.
    fs::write(&file, &shard[..shard.len() - 332]).unwrap();
    let run = async |bytes: &[u8]| collect(decode(&checks, bytes).unwrap(), worker().task_ctx()).await;
    let error = run(&checked).await.unwrap_err();
    assert_eq!(
        text(&error),
        format!(
            "{}: the file has 198536 bytes here, and had 198868 where the plan was made; let all machines see the same \
             files, and run the statement again",
            file.display()
        )
    );
    assert!(run(&unchecked).await.is_ok());
    fs::remove_file(&file).unwrap();
    assert!(text(&run(&checked).await.unwrap_err()).contains("no such file"));
    assert!(
        text(&encode(&checks, &before).unwrap_err())
            .contains("give the codec the options that opened the files")
    );
}

/// Local files with versions, and a secret to open them.
#[derive(Debug)]
struct Versions {
    secret: &'static str,
    version: Mutex<String>,
}

impl Store for Versions {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        assert_eq!(self.secret, "hunter2");
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        LocalStore.open(name, range, cancel)
    }

    fn version(&self, _: &str) -> Result<Option<String>> {
        Ok(Some(self.version.lock().unwrap().clone()))
    }
}

#[tokio::test]
async fn stores_stay_where_they_are_and_versions_are_compared() {
    let store = Arc::new(Versions { secret: "hunter2", version: Mutex::new("\"abc\"".to_owned()) });
    let options = OpenOptions::new().store(Arc::clone(&store) as _);
    let dataset = options.open(fixtures().join("digits/digits-00000-of-00003.tfrecord").to_str().unwrap());
    let context = with_table(dataset.unwrap(), 1);
    let codec = TfxioCodec::new().options(options);
    let bytes = encode(&codec, &plan(&context, "select id from t").await).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    assert!(String::from_utf8_lossy(&bytes).contains("abc"));
    let after = decode(&codec, &bytes).unwrap();
    assert_eq!(collect(after, worker().task_ctx()).await.unwrap().len(), 6);
    *store.version.lock().unwrap() = "\"abd\"".to_owned();
    let error = collect(decode(&codec, &bytes).unwrap(), worker().task_ctx()).await.unwrap_err();
    assert!(
        text(&error).contains(r#"the file is version "abd" here, and was "abc" where the plan was made"#),
        "{error}"
    );
}

/// Files as of an object store, which counts what it is asked.
#[derive(Debug, Default)]
struct Asked(Mutex<Vec<String>>);

impl Asked {
    fn ask(&self, what: &str, name: &str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        self.0.lock().unwrap().push(format!("{what} {name}"));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Store for Asked {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.ask("list", pattern);
        let files =
            fs::read_dir(pattern).unwrap().map(|entry| entry.unwrap().path().to_str().unwrap().into());
        let mut files = files.collect::<Vec<_>>();
        files.sort();
        Ok(files)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.ask("size", name);
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        self.ask("open", name);
        LocalStore.open(name, range, cancel)
    }

    fn version(&self, name: &str) -> Result<Option<String>> {
        self.ask("version", name);
        Ok(Some("\"abc\"".to_owned()))
    }
}

/// A worker that runs one partition of many does not ask for the files of the others.
#[tokio::test]
async fn a_plan_of_many_files_is_decoded_without_asking_for_them() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        let from = fixtures().join("digits/digits-00000-of-00003.tfrecord");
        fs::copy(from, folder.path().join(format!("{number:02}.tfrecord"))).unwrap();
    }
    let store = Arc::new(Asked::default());
    let options = OpenOptions::new().store(Arc::clone(&store) as _);
    let dataset = options.clone().format("tfrecord").open(folder.path().to_str().unwrap()).unwrap();
    let context = with_table(dataset, 20);
    let codec = TfxioCodec::new().options(options);
    let bytes = encode(&codec, &plan(&context, "select id from t").await).unwrap();
    store.take();
    let decoded = decode(&codec, &bytes).unwrap();
    assert_eq!(store.take(), Vec::<String>::new());
    let one = decoded.execute(7, worker().task_ctx()).unwrap();
    let batches = datafusion::physical_plan::common::collect(one).await.unwrap();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 599);
    let asked = store.take();
    assert!(asked.iter().all(|asked| asked.contains(" 07.tfrecord")), "{asked:?}");
}
