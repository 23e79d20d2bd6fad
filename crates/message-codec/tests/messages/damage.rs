//! Damaged records and descriptors: errors, and never a panic.

use message_codec::{DescriptorSet, Limits, MessagePlan, Origin};
use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::DescriptorPool;

use crate::generate::{self, Random};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_refused_or_read(seed: u64) {
        let mut random = Random(seed);
        let set = generate::descriptors(&mut random);
        let pool = DescriptorPool::from_file_descriptor_set(set.clone()).unwrap();
        let descriptor = pool.get_message_by_name("p.M0").unwrap();
        let mut bytes = set.encode_to_vec();
        let ours = DescriptorSet::parse(&bytes).unwrap();
        let builder = MessagePlan::builder(ours.message("p.M0").unwrap()).limits(Limits::default().columns(500));
        if let Ok(plan) = builder.unknown_fields("rest").max_depth(1).build() {
            let mut decoder = plan.decoder();
            let mut rows = 0;
            for index in 0..20 {
                let mut record = generate::bytes(&mut random, &descriptor, 0);
                for _ in 0..1 + random.below(3) {
                    let at = random.below(record.len() as u64 + 1) as usize;
                    match random.below(3) {
                        0 => record.truncate(at),
                        1 => record.insert(at, random.below(256) as u8),
                        _ => record.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
                    }
                }
                rows += usize::from(decoder.push(&record, Origin::record(index)).is_ok());
            }
            prop_assert_eq!(decoder.flush().unwrap().num_rows(), rows);
        }
        for _ in 0..10 {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random.below(8);
            if let Ok(set) = DescriptorSet::parse(&bytes) {
                for message in set.messages() {
                    let _ = MessagePlan::builder(message).limits(Limits::default().columns(500)).build();
                }
            }
        }
    }
}
