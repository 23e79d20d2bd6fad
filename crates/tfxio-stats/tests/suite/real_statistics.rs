//! Statistics that TensorFlow Data Validation wrote, and the schema that it inferred of an earlier version of the same data.
//!
//! Run where `TFXIO_REALDATA_DIR` names a folder with both files.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use tensor_repr::TfmdSchema;
use tfxio_stats::{
    DriftOptions, InferOptions, StatisticsList, ValidateOptions, drift, infer_schema,
    propose_representations, validate,
};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TFXIO_REALDATA_DIR").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("left out: TFXIO_REALDATA_DIR is not set");
    }
    folder
}

/// Returns the statistics, and the schema.
fn pair() -> Option<(StatisticsList, TfmdSchema)> {
    let folder = folder()?;
    let file = fs::read(folder.join("tfx-stats-train.tfrecord")).unwrap();
    // One record: its length in 8 bytes, their checksum in 4, and the record.
    let length = usize::try_from(u64::from_le_bytes(file[..8].try_into().unwrap())).unwrap();
    let statistics = StatisticsList::from_bytes(&file[12..12 + length]).unwrap();
    let schema = fs::read_to_string(folder.join("tfx-taxi-schema.pbtxt")).unwrap();
    Some((statistics, TfmdSchema::from_text(&schema).unwrap()))
}

/// Returns the blocks of features and domains of a schema, by name, each as its text.
fn blocks(schema: &TfmdSchema, kind: &str) -> BTreeMap<String, String> {
    let text = schema.to_text();
    let blocks = text.split("\n}\n").filter_map(|block| block.strip_prefix(&format!("{kind} {{\n")));
    let name = |block: &str| {
        let line = block.lines().find_map(|line| line.trim().strip_prefix("name: \""));
        line.and_then(|rest| rest.strip_suffix('"')).unwrap().to_owned()
    };
    blocks.map(|block| (name(block), block.to_owned())).collect()
}

#[test]
fn the_inferred_schema_is_the_published_one() {
    let Some((statistics, published)) = pair() else { return };
    let options = InferOptions::default().feature_shape(false);
    let inferred = infer_schema(&statistics, &options).unwrap();
    let (ours, theirs) = (blocks(&inferred, "feature"), blocks(&published, "feature"));
    assert_eq!(ours.keys().collect::<BTreeSet<_>>(), theirs.keys().collect::<BTreeSet<_>>());
    let equal: Vec<&str> =
        ours.iter().filter(|(name, block)| theirs[*name] == **block).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        equal,
        [
            "fare",
            "payment_type",
            "tips",
            "trip_miles",
            "trip_start_day",
            "trip_start_hour",
            "trip_start_month",
            "trip_start_timestamp"
        ]
    );
    // The others were empty lists in the data of the published schema, and are absent in that of the statistics: it has them
    // in every example with any number of values, and not one value in some examples.
    for (name, block) in ours.iter().filter(|(name, _)| !equal.contains(&name.as_str())) {
        let without = |block: &str| {
            let lines = block.lines().map(str::trim);
            let lines = lines.filter(|line| !line.contains("min_fraction") && !line.contains("max: 1"));
            lines.collect::<Vec<_>>().join(" ").replace("value_count { min: 1 } ", "")
        };
        assert_eq!(without(block), without(&theirs[name]), "{name}");
    }
    // Values that the published domains have and the statistics do not were written by hand, or are of the rest of the data.
    let values = |block: &str| -> BTreeSet<String> {
        block.lines().filter_map(|line| line.trim().strip_prefix("value: ")).map(str::to_owned).collect()
    };
    let (ours, theirs) = (blocks(&inferred, "string_domain"), blocks(&published, "string_domain"));
    let extra: BTreeMap<&str, (usize, usize)> = ours
        .iter()
        .map(|(name, block)| {
            let (ours, theirs) = (values(block), values(&theirs[name]));
            (name.as_str(), (ours.difference(&theirs).count(), theirs.difference(&ours).count()))
        })
        .collect();
    assert_eq!(extra["payment_type"], (0, 1));
    assert_eq!(extra["company"].0, 0);
}

#[test]
fn a_schema_holds_for_its_own_statistics() {
    let Some((statistics, published)) = pair() else { return };
    for schema in [
        infer_schema(&statistics, &InferOptions::default()).unwrap(),
        infer_schema(&statistics, &InferOptions::default().feature_shape(false)).unwrap(),
        propose_representations(&statistics, &InferOptions::default()).unwrap(),
    ] {
        let found = validate(&statistics, &schema, &ValidateOptions::default()).unwrap();
        assert!(found.is_empty(), "{found}");
    }
    let found = validate(&statistics, &published, &ValidateOptions::default()).unwrap();
    let shown: Vec<String> = found.iter().map(|found| format!("{} {}", found.path(), found.kind())).collect();
    let expected = [
        "company",
        "dropoff_census_tract",
        "dropoff_community_area",
        "dropoff_latitude",
        "dropoff_longitude",
        "pickup_census_tract",
        "trip_seconds",
    ];
    assert_eq!(shown, expected.map(|name| format!("{name} FEATURE_TYPE_LOW_FRACTION_PRESENT")));
    let report = drift(&statistics, &statistics, &DriftOptions::default()).unwrap();
    assert_eq!((report.features.len(), report.is_drifted()), (18, false));
    assert!(report.features.iter().all(|feature| feature.distance() == Some(0.0)), "{report}");
}
