//! Random schemas and data: the columns hold what they must.

use apache_avro::Schema as ApacheSchema;
use apache_avro::writer::datum::GenericDatumWriter;
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Resolution};
use proptest::prelude::*;
use tfxio_core::Origin;

use crate::records::choices::Choices;
use crate::records::data::{Type, random_record, random_type, random_value, schema};
use crate::records::evolved::evolved;
use crate::records::expected::expected;
use crate::records::render;

fn options(is_plain: bool, is_large: bool) -> RecordOptions {
    let layout = if is_plain { Layout::Plain } else { Layout::Structured };
    RecordOptions::default().layout(layout).large_offsets(is_large)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn columns_hold_what_the_data_hold(
        choices in prop::collection::vec(any::<u16>(), 0..400),
        is_plain in any::<bool>(),
        is_large in any::<bool>(),
        is_record in any::<bool>(),
        block_size in prop_oneof![Just(None), Just(Some(1)), Just(Some(6))],
    ) {
        let choices = &mut Choices(choices.iter());
        let names = &mut 0;
        let root = match is_record {
            true => random_record(choices, names, 4),
            false => random_type(choices, names, 4),
        };
        let json = schema(&root).to_string();
        let apache = ApacheSchema::parse_str(&json).unwrap();
        // In blocks with and without their size.
        let writer =
            GenericDatumWriter::builder(&apache).maybe_target_block_size(block_size).build().unwrap();
        let data = (0..5).map(|_| random_value(choices, &root)).collect::<Vec<_>>();

        let options = options(is_plain, is_large);
        let plan = RecordPlan::builder(&AvroSchema::parse(&json).unwrap()).options(options.clone()).build()
            .unwrap_or_else(|error| panic!("{error}\n{json}"));
        let mut decoder = plan.decoder();
        let mut rows = Vec::new();
        // Two batches, so that the second begins in what the first has left.
        for half in data.chunks(3) {
            for (row, datum) in half.iter().enumerate() {
                let mut bytes = Vec::new();
                writer.write_value_ref(&mut bytes, datum).unwrap();
                let length = bytes.len();
                bytes.push(7);
                let origin = Origin::record(row as u64);
                prop_assert_eq!(decoder.push_first(&bytes, origin).unwrap(), length);
                // What is cut leaves nothing.
                if length > 0 {
                    decoder.push(&bytes[..length - 1], origin).unwrap_err();
                }
            }
            let batch = decoder.flush().unwrap();
            prop_assert_eq!(batch.schema(), plan.arrow_schema());
            rows.extend(render::rows(&batch));
        }
        let is_record = json.starts_with('{') && matches!(root, Type::Record(..));
        for (row, datum) in rows.iter().zip(&data) {
            let expected = expected(&root, datum, options.layout, !is_record);
            let found = if is_record { row } else { &row["value"] };
            prop_assert_eq!(found, &expected, "{}", json);
        }
        prop_assert_eq!(rows.len(), data.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn what_is_resolved_on_the_way_is_what_would_have_been_written(
        choices in prop::collection::vec(any::<u16>(), 0..400),
        is_plain in any::<bool>(),
    ) {
        let choices = &mut Choices(choices.iter());
        let names = &mut 0;
        let root = random_record(choices, names, 4);
        let json = schema(&root);
        let mut other = json.clone();
        evolved(choices, &mut other);
        let (writer, reader) = (AvroSchema::parse(&json.to_string()).unwrap(), AvroSchema::parse(&other.to_string()).unwrap());
        let options = options(is_plain, true);
        let resolution = Resolution::new(&writer, &reader);
        let plan = RecordPlan::builder(&reader).writer(&writer).options(options.clone()).build();
        prop_assert_eq!(resolution.is_ok(), plan.is_ok());
        let (Ok(resolution), Ok(plan)) = (resolution, plan) else { return Ok(()) };
        prop_assert_eq!(plan.arrow_schema(), RecordPlan::builder(&reader).options(options.clone()).build().unwrap().arrow_schema());

        let apache = ApacheSchema::parse_str(&json.to_string()).unwrap();
        let apache = GenericDatumWriter::builder(&apache).build().unwrap();
        let mut resolving = plan.decoder();
        let mut reading = RecordPlan::builder(&reader).options(options.clone()).build().unwrap().decoder();
        for row in 0..4 {
            let mut bytes = Vec::new();
            apache.write_value_ref(&mut bytes, &random_value(choices, &root)).unwrap();
            let mut rewritten = Vec::new();
            let result = resolution.apply(&mut avro_path::datum::DatumReader::new(&bytes), &mut rewritten);
            let pushed = resolving.push(&bytes, Origin::record(row));
            prop_assert_eq!(result.is_ok(), pushed.is_ok(), "{} {}", json, other);
            match (result, pushed) {
                (Ok(()), _) => reading.push(&rewritten, Origin::record(row)).unwrap(),
                // Of several fields that cannot be read one goes by the reader's order, the other by the writer's.
                (Err(resolved), Err(pushed)) => prop_assert_eq!(resolved.detail::<avro_path::Kind>(), pushed.detail()),
                _ => {}
            }
        }
        let (resolved, read) = (resolving.flush().unwrap(), reading.flush().unwrap());
        render::rows(&resolved);
        prop_assert_eq!(resolved, read);
    }
}
