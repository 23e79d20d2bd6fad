//! Filters leave out row groups and pages, and no row that satisfies them.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use proptest::prelude::*;
use tfxio_core::{
    Comparison, Dataset, FileFormat as _, Files, FormatOptions, Literal, Partition, Predicate, Scan as _,
    ScanRequest, Seek as Sought,
};
use tfxio_formats::{DatasetExt as _, ParquetFormat};

use crate::counting::Counting;
use crate::mixed::{Layout, table, write_parquet};
use crate::test_files::{numbers, write};

fn layouts() -> impl Strategy<Value = Layout> {
    (0..120_usize, any::<u64>(), 1..70_usize, 1..20_usize, 1..12_usize, any::<u8>()).prop_map(
        |(rows, seed, group_rows, page_rows, bound_bytes, statistics)| Layout {
            rows,
            seed,
            group_rows,
            page_rows,
            bound_bytes,
            statistics,
        },
    )
}

/// Numbers that no float is, near values and bounds of the columns.
const DECIMALS: [&str; 8] = [
    "1e39",
    "-1e39",
    "1e400",
    "1e-60",
    "-1e-400",
    "2.50000000000000000001",
    "0.99999999999999999999",
    "-0.0e0",
];

fn leaf() -> impl Strategy<Value = Predicate> {
    let integer = (-30..60_i64).prop_map(Literal::from);
    let unsigned = (0..60_u32).prop_map(|near| Literal::from(near.wrapping_mul(1 << 26)));
    let float = prop_oneof![
        (-20..40_i64).prop_map(|half| Literal::from(half as f64 / 2.0)),
        Just(Literal::from(-0.0)),
        Just(Literal::from(f64::NAN)),
        Just(Literal::from(f64::INFINITY)),
        prop::sample::select(&DECIMALS[..]).prop_map(|text| Literal::Decimal(text.into())),
    ];
    let number = prop_oneof![integer, unsigned, float].boxed();
    let text = (0..4_usize, 0..60_u8).prop_map(|(stem, near)| {
        let stem = ["", "ä", "long and equal at the beginning ", "\u{10ffff}"][stem];
        Literal::from(format!("{stem}{near:03}"))
    });
    let column = prop_oneof![
        3 => (prop_oneof![
            Just("small"), Just("unsigned"), Just("double"), Just("single"), Just("lists"), Just("n"),
            Just("of.x"), Just("of.floats")
        ], prop::collection::vec(number, 0..4)),
        2 => (prop_oneof![Just("text"), Just("words"), Just("bytes")], prop::collection::vec(text, 0..4)),
        1 => (Just("flag"), prop::collection::vec(any::<bool>().prop_map(Literal::from), 0..3)),
        1 => (Just("of"), Just(Vec::new())),
    ];
    let comparisons = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    (column, 0..9_usize).prop_map(move |((column, values), comparison)| {
        let path = column.split('.').map(String::from).collect::<Vec<_>>();
        let path = tfxio_core::ColumnPath::new(path);
        match (values.first(), comparisons.get(comparison)) {
            (Some(value), Some(comparison)) => Predicate::compare(path, *comparison, value.clone()),
            (_, Some(_)) if column == "of" => Predicate::is_null(path),
            (_, Some(_)) => Predicate::is_in(path, values),
            (_, None) => Predicate::is_null(path),
        }
    })
}

fn predicates() -> impl Strategy<Value = Predicate> {
    leaf().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(Predicate::And),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Predicate::Or),
            inner.prop_map(Predicate::not),
        ]
    })
}

/// The same rows as a Parquet file and as an Arrow file, of which nothing is left out.
fn both(layout: &Layout) -> (tempfile::TempDir, Arc<dyn Dataset>, Arc<dyn Dataset>) {
    let folder = tempfile::tempdir().unwrap();
    let batch = table(layout);
    write_parquet(&folder.path().join("a.parquet"), &batch, layout);
    write(&folder.path().join("a.arrow"), &[batch]);
    let open = |name: &str| tfxio_formats::open(folder.path().join(name).to_str().unwrap()).unwrap();
    let (parquet, arrow) = (open("a.parquet"), open("a.arrow"));
    (folder, parquet, arrow)
}

fn read(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> Vec<i64> {
    let mut rows = Vec::new();
    let mut batches = dataset.read(request).unwrap();
    while let Some(batch) = batches.next_batch().unwrap() {
        let of_batch = numbers(&batch);
        for (row, n) in of_batch.iter().enumerate() {
            assert_eq!(batch.origins().get(row).unwrap().record as i64, *n);
        }
        rows.extend(of_batch);
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_lost(
        layout in layouts(), predicate in predicates(), batch_rows in 1..60_usize, limit in prop::option::of(0..40_u64),
    ) {
        let (_folder, parquet, arrow) = both(&layout);
        let threads = 1 + layout.seed as usize % 3;
        let mut request = ScanRequest::new().filter(predicate.clone()).batch_rows(batch_rows).threads(threads);
        request.limit = limit;
        let expected = read(&arrow, request.clone());
        prop_assert_eq!(&read(&parquet, request.clone()), &expected, "{}", predicate);
        // Without the columns of the filter, and with whatever of structs it reads.
        prop_assert_eq!(&read(&parquet, request.clone().columns(["n"])), &expected, "{}", predicate);
        let values = |dataset: &Arc<dyn Dataset>| {
            let batches = dataset.read(request.clone().columns(["text", "of", "lists"])).unwrap();
            let batches = batches.collect::<Result<Vec<_>, _>>().unwrap();
            batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| batch.slice(row, 1))).collect::<Vec<_>>()
        };
        prop_assert_eq!(values(&parquet), values(&arrow), "{}", predicate);
    }

    #[test]
    fn scans_with_filters_are_cut_and_go_on(
        layout in layouts(), predicate in predicates(), batch_rows in 1..30_usize, target in 1..30_000_u64,
        steps in prop::collection::vec(0..4_u8, 1..12), skip in 0..60_u64, records in prop::option::of(0..120_u64),
    ) {
        let (_folder, parquet, arrow) = both(&layout);
        let request = ScanRequest::new().filter(predicate.clone()).batch_rows(batch_rows);
        let mut expected = read(&arrow, request.clone());
        let mut queue = if let Some(records) = records {
            let range = skip as i64..(skip + records) as i64;
            expected.retain(|n| range.contains(n));
            vec![parquet.partitions(u64::MAX).unwrap().remove(0).skip(skip).records(records)]
        } else {
            parquet.partitions(target).unwrap()
        };
        let mut steps = steps.iter().cycle();
        let mut seen = Vec::new();
        while let Some(partition) = queue.pop() {
            let mut scan = parquet.scan(&partition, &request).unwrap();
            loop {
                if steps.next() == Some(&0) {
                    queue.extend(scan.try_split(0.5).unwrap());
                }
                let Some(batch) = scan.next_batch().unwrap() else { break };
                for (row, n) in numbers(&batch).into_iter().enumerate() {
                    prop_assert_eq!(batch.origins().get(row).unwrap().record as i64, n);
                    seen.push(n);
                }
                if steps.next() == Some(&1) {
                    queue.extend(scan.remaining());
                    break;
                }
            }
        }
        seen.sort_unstable();
        prop_assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "each once: {seen:?}");
        if let Some(records) = records {
            prop_assert!(seen.iter().all(|n| (skip..skip + records).contains(&(*n as u64))));
        }
        prop_assert!(expected.iter().all(|n| seen.binary_search(n).is_ok()), "{expected:?} of {seen:?}");
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn statistics_are_true(layout in layouts(), target in 1..30_000_u64, skip in 0..20_u64) {
        use tfxio_core::Estimate;
        let (_folder, parquet, _) = both(&layout);
        for (at, partition) in parquet.partitions(target).unwrap().into_iter().enumerate() {
            let partition = if at == 0 { partition.skip(skip) } else { partition };
            let statistics = parquet.statistics(&partition).unwrap();
            let mut scan = parquet.scan(&partition, &ScanRequest::new().batch_rows(1000)).unwrap();
            let batch = scan.next_batch().unwrap();
            let rows = batch.as_ref().map_or(0, |batch| batch.num_rows());
            prop_assert_eq!(statistics.rows, Estimate::Exact(rows as u64));
            let Some(batch) = batch else { continue };
            for (path, of) in &statistics.columns {
                let count = |predicate: Predicate| {
                    let holds = |n: &i64| {
                        numbers(&batch).contains(n)
                    };
                    read(&parquet, ScanRequest::new().filter(predicate)).iter().filter(|n| holds(n)).count() as u64
                };
                let bound = |comparison, value: &Literal| Predicate::compare(path.clone(), comparison, value.clone());
                match &of.min {
                    Estimate::Exact(value) => {
                        prop_assert_eq!(count(bound(Comparison::Less, value)), 0, "{} {:?}", path, of);
                        prop_assert!(count(bound(Comparison::Equal, value)) > 0, "{} {:?}", path, of);
                    }
                    Estimate::Bound(value) => prop_assert_eq!(count(bound(Comparison::Less, value)), 0, "{} {:?}", path, of),
                    Estimate::Unknown => {}
                }
                match &of.max {
                    Estimate::Exact(value) => {
                        prop_assert_eq!(count(bound(Comparison::Greater, value)), 0, "{} {:?}", path, of);
                        prop_assert!(count(bound(Comparison::Equal, value)) > 0, "{} {:?}", path, of);
                    }
                    Estimate::Bound(value) => prop_assert_eq!(count(bound(Comparison::Greater, value)), 0, "{} {:?}", path, of),
                    Estimate::Unknown => {}
                }
                match of.nulls {
                    Estimate::Exact(nulls) => prop_assert_eq!(count(Predicate::is_null(path.clone())), nulls, "{}", path),
                    Estimate::Bound(most) => prop_assert!(count(Predicate::is_null(path.clone())) <= most, "{path}"),
                    Estimate::Unknown => {}
                }
            }
        }
    }
}

#[test]
fn only_pages_that_may_hold_rows_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let layout =
        Layout { rows: 40_000, seed: 1, group_rows: 10_000, page_rows: 500, bound_bytes: 64, statistics: 2 };
    let batch = table(&layout);
    write_parquet(&path, &batch, &layout);
    let size = std::fs::metadata(&path).unwrap().len();
    let store = Counting::default();
    let counts = Arc::clone(&store.0);
    let files = Files::new([Arc::from(path.to_str().unwrap())], Arc::new(store));
    let dataset = ParquetFormat.open(files, &FormatOptions::default()).unwrap();
    let footer = counts.take().bytes;
    let partition = Partition::whole(path.to_str().unwrap());
    let scan = |request: ScanRequest| {
        counts.take();
        let mut scan = dataset.scan(&partition, &request).unwrap();
        let mut rows = 0;
        while let Some(batch) = scan.next_batch().unwrap() {
            rows += batch.num_rows();
        }
        (rows, counts.take().bytes)
    };
    let (rows, all) = scan(ScanRequest::new());
    assert_eq!(rows, 40_000);
    assert!(all > size / 2 && footer < size / 10, "{all} of {size}, {footer} for the footer");
    // A group of the four, by the footer: no other byte of the others.
    let (rows, of_group) = scan(ScanRequest::new().filter("n >= 30000".parse().unwrap()));
    assert_eq!(rows, 10_000);
    assert!(of_group < all / 3, "{of_group} of {all}");
    // A page of the twenty of a group, the indexes of the pages, and dictionaries.
    let (rows, of_page) = scan(ScanRequest::new().filter("n = 12345".parse().unwrap()));
    assert_eq!(rows, 500);
    assert!(of_page < all / 5 && of_page < of_group * 3 / 4, "{of_page} of {all}");
    let (rows, of_column) =
        scan(ScanRequest::new().filter("n = 12345".parse().unwrap()).columns(["n", "small"]));
    assert_eq!(rows, 500);
    assert!(of_column < of_page / 2, "{of_column} of {of_page}");
    // Nothing but the footer, which is kept.
    assert_eq!(scan(ScanRequest::new().filter("n >= 40000 or n in (-1, 50000)".parse().unwrap())), (0, 0));
    assert_eq!(scan(ScanRequest::new().columns([""; 0])), (40_000, 0));
    // One leaf of a struct.
    let (_, of_struct) = scan(ScanRequest::new().columns(["of"]));
    let (_, of_leaf) = scan(ScanRequest::new().columns([tfxio_core::ColumnPath::new(["of", "x"])]));
    let (_, of_other) = scan(ScanRequest::new().columns([tfxio_core::ColumnPath::new(["of", "floats"])]));
    // Each leaf by itself, and nothing of the other.
    assert!(of_leaf + of_other <= of_struct + size / 10, "{of_leaf} and {of_other} of {of_struct}");
    assert!(of_leaf.max(of_other) < of_struct * 3 / 5, "{of_leaf} and {of_other} of {of_struct}");
}

#[test]
fn a_scan_seeks_to_a_row_that_its_filter_leaves() {
    let layout = Layout { rows: 400, seed: 3, group_rows: 100, page_rows: 10, bound_bytes: 8, statistics: 2 };
    let (_folder, parquet, _) = both(&layout);
    let request = ScanRequest::new().filter("n >= 250 or n = 7".parse().unwrap()).batch_rows(7);
    let mut scan = parquet.scan(&parquet.partitions(u64::MAX).unwrap()[0], &request).unwrap();
    for (sought, first) in [(0, 0), (9, 9), (10, 250), (251, 251), (7, 7), (399, 399)] {
        assert_eq!(scan.seek(sought).unwrap(), Sought::Exact);
        let batch = scan.next_batch().unwrap().unwrap();
        assert_eq!(batch.columns()["n"].as_primitive::<Int64Type>().value(0), first);
        assert_eq!(batch.origins().get(0).unwrap().record as i64, first);
    }
    assert!(scan.next_batch().unwrap().is_none());
}
