//! Records whose entries come in any order.

use tfxio_core::{Origin, RecordDecoder as _};

use super::{compare, in_order, single, univalent};
use crate::Example;
use crate::decode::core::Core;
use crate::decode::options::ExampleDecoderBuilder;

#[test]
fn records_in_many_orders_are_taken() {
    let order = |row: u64| (0..40).map(move |name| (name * 7 + row * 3) % 40);
    let records = (0..100).map(|row| univalent(row, order(row))).collect::<Vec<_>>();
    let (taken, _) = compare(&ExampleDecoderBuilder::default(), &records);
    assert!((90..100).contains(&taken), "{taken}");
    // Some names are passed over, and some have lists.
    let builder = ExampleDecoderBuilder::default().projection((0..20).map(|name| format!("n{name}")));
    let (taken, _) = compare(&builder, &records);
    assert!((80..100).contains(&taken), "{taken}");
    let list = |name: u64, row: u64| Example::new().int64(format!("l{name}"), 0..(row % 30) as i64 - 1);
    let record = |row: u64| {
        let lists = (0..9).map(|name| (name + row) % 9).map(|name| list(name, row * name));
        in_order(order(row).map(|name| single(row, name)).chain(lists))
    };
    let records = (0..100).map(record).collect::<Vec<_>>();
    let (taken, _) = compare(&ExampleDecoderBuilder::default(), &records);
    assert!((60..100).contains(&taken), "{taken}");
}

#[test]
fn names_of_one_hash_are_told_apart() {
    let name = |name| if name < 12 { format!("feature{name:02}_end") } else { format!("other_{name}") };
    let names = (0..30).map(name).collect::<Vec<_>>();
    let record = |row: usize| {
        let order = (0..30).map(|name| (name * 7 + row * 11) % 30);
        in_order(order.map(|name| Example::new().int64(&*names[name], [(row * name) as i64])))
    };
    let records = (0..60).map(record).collect::<Vec<_>>();
    let (taken, _) = compare(&ExampleDecoderBuilder::default(), &records);
    assert!((50..60).contains(&taken), "{taken}");
}

/// The order of the entries changes in the middle, from any to one.
#[test]
fn an_order_is_learned_again() {
    let order =
        |row: u64| (0..20).map(move |name| if row < 2000 { (name * 7 + row * 3) % 20 } else { 19 - name });
    let mut core = Core::<i64>::new(ExampleDecoderBuilder::default()).unwrap();
    let mut by_order = 0;
    for row in 0..6000 {
        let looked_up = core.templates.looked_up;
        let walked = core.walk.stamp;
        core.push(&univalent(row, order(row)), Origin::record(0)).unwrap();
        by_order += u32::from(core.templates.looked_up == looked_up && core.walk.stamp == walked);
    }
    assert!((3000..4100).contains(&by_order), "{by_order}");
}
