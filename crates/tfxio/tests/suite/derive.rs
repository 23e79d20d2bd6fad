//! Structs as records, for programs that depend on `tfxio` alone.
#![cfg(feature = "derive")]

use tfxio::prelude::*;
use tfxio::tfrecord_io::{FileWriter, Reader};

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Digit {
    id: String,
    image: [f32; 64],
    label: i64,
}

fn digits(shard: usize) -> String {
    format!("{}/../../fixtures/digits/digits-0000{shard}-of-00003.tfrecord", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_digits_are_read_and_written_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("digits.tfrecord");
    for shard in 0..3 {
        let mut writer = FileWriter::create(&path).unwrap();
        for digit in tfxio::examples::<Digit, _>(Reader::open(digits(shard)).unwrap()) {
            writer.write(&digit.unwrap().to_example_bytes().unwrap()).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(digits(shard)).unwrap());
    }
}

#[test]
fn a_record_that_does_not_fit_is_one_error() {
    #[derive(Debug, FromExample)]
    struct Small {
        label: Label,
    }
    #[derive(Debug)]
    struct Label(i64);
    impl<'r> tfxio::example_codec::typed::FromFeature<'r> for Label {
        fn from_feature(feature: &tfxio::example_codec::FeatureView<'r>) -> tfxio::Result<Self> {
            let label = <i64 as tfxio::example_codec::typed::FromFeature<'r>>::from_feature(feature)?;
            if label < 9 {
                Ok(Self(label))
            } else {
                Err(tfxio::Error::new(tfxio::ErrorKind::SchemaMismatch, "a nine"))
            }
        }
    }
    let rows = tfxio::examples::<Small, _>(Reader::open(digits(0)).unwrap()).collect::<Vec<_>>();
    assert_eq!(rows.len(), 599);
    let (good, bad): (Vec<_>, Vec<_>) = rows.into_iter().partition(Result::is_ok);
    assert!(good.iter().flatten().all(|row| row.label.0 < 9));
    let error = bad.into_iter().next().unwrap().unwrap_err();
    assert_eq!(error.position().record, Some(9));
    assert_eq!(error.position().file.as_deref(), Some(&*digits(0)));
}

#[test]
fn damage_ends_the_rows() {
    let file = std::fs::read(digits(0)).unwrap();
    let mut rows = tfxio::examples::<Digit, _>(Reader::new(&file[..1000]));
    assert_eq!(rows.by_ref().take(2).filter_map(Result::ok).count(), 2);
    let error = rows.find_map(Result::err).unwrap();
    assert_eq!((error.kind(), error.position().record), (tfxio::ErrorKind::Malformed, Some(3)));
    assert!(rows.next().is_none());

    #[derive(FromExample)]
    struct Nothing {}
    assert_eq!(tfxio::examples::<Nothing, _>(Reader::new(&file[..])).filter(Result::is_ok).count(), 599);
}
