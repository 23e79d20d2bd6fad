//! Lists whose steps have a few values, against prost.

use golden_cases::proto::tensorflow::SequenceExample;
use prost::Message as _;

use super::single_steps::assert_is_what_prost_reads;
use super::wire::{bytes, floats, ints, sequence_example};

/// Steps of each kind: of one number of values, and of any.
fn lists() -> [Vec<Vec<u8>>; 5] {
    let int = |index: usize| [5, 300, 70_000, 1 << 27, 1 << 28, 1 << 40, 1 << 55, -1][index % 8];
    let counts = || [2, 1, 8, 3, 0, 5, 9, 4, 12, 7, 40].into_iter().cycle().take(40);
    let string = |index: usize, length: usize| vec![b'a' + (index % 20) as u8; length];
    let strings = |count: usize, length: &dyn Fn(usize) -> usize| {
        let all = (0..count).map(|index| string(index, length(index))).collect::<Vec<_>>();
        bytes(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    [
        counts().map(|count| ints(&(0..count).map(|index| int(index % 4)).collect::<Vec<_>>())).collect(),
        counts().map(|count| ints(&(0..count).map(int).collect::<Vec<_>>())).collect(),
        counts().map(|count| floats(&(0..count).map(|index| index as f32).collect::<Vec<_>>())).collect(),
        counts().enumerate().map(|(step, count)| strings(count, &|_| step % 19)).collect(),
        counts().map(|count| strings(count, &|index| [5, 5, 0, 16, 17, 130][index % 6])).collect(),
    ]
}

#[test]
fn any_number_of_values() {
    for steps in lists() {
        let lists = (0..steps.len()).map(|start| sequence_example(&[], &[("tokens", &steps[start..])]));
        let alike = steps.iter().map(|step| sequence_example(&[], &[("tokens", &vec![step.clone(); 30])]));
        let more = vec![steps.clone(); 20].concat();
        let long = [sequence_example(&[("a", ints(&[1]))], &[("tokens", &more), ("z", &steps)])];
        assert_is_what_prost_reads(&lists.chain(alike).chain(long).collect::<Vec<_>>());
    }
}

#[test]
fn any_byte_changed() {
    let of_each_kind = [
        (30, ints(&[5, 6, 7])),
        (30, ints(&[300, 70_000])),
        (30, ints(&[300, 1 << 40])),
        (30, floats(&[1.5, 2.5])),
        (30, bytes(&[b"abcde", b"fghij"])),
        (30, bytes(&[b"", b"", b""])),
        (6, bytes(&[&b"abcdefgh"[..]; 7])),
    ];
    for (count, step) in of_each_kind {
        let intact = sequence_example(&[], &[("tokens", &vec![step.clone(); count])]);
        let first = intact.windows(step.len()).position(|window| window == step).unwrap() - 2;
        let mut records = vec![intact.clone()];
        // In the midst of a list, and where it and the record end.
        let of_step = step.len() + 2;
        let ranges = [first + of_step..first + 2 * of_step, intact.len() - of_step..intact.len()];
        for at in ranges.into_iter().flatten() {
            for value in 0..=u8::MAX {
                let mut changed = intact.clone();
                changed[at] = value;
                // A known field of another wire type is an error for prost, and an unknown field for protobuf
                // and here.
                let decoded = SequenceExample::decode(&*changed);
                if !decoded.is_err_and(|error| error.to_string().contains("wire type")) {
                    records.push(changed);
                }
            }
        }
        assert_is_what_prost_reads(&records);
    }
}
