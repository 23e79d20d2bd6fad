//! `--as struct`: tf.Examples to structs and back, by the derived code of example-codec, or by prost.
//!
//! Records and structs are in memory before the clock starts. Ours writes into a buffer that is used again, prost into
//! one of the right size for each record.

use std::hint::black_box;

use anyhow::{Context as _, Result};
use example_codec::{FromExample as _, ToExample as _};

use super::figure::Figure;
use super::framed::Framed;
use super::{Options, Task};
use crate::clicks::Click;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let framed = Framed::read(&options.file)?;
    let done = Framed::done(&framed.payloads);
    let records = framed.payloads.iter().map(|payload| framed.payload(payload)).collect::<Vec<_>>();
    match (options.task, options.prost) {
        (Task::Encode, false) => {
            let clicks = clicks(&records)?;
            let mut out = Vec::new();
            Figure::time(options, || {
                for click in &clicks {
                    out.clear();
                    click.append_example(&mut out)?;
                    black_box(&out);
                }
                Ok(done)
            })
        }
        (Task::Encode, true) => {
            let clicks = clicks(&records)?;
            Figure::time(options, || {
                for click in &clicks {
                    drop(black_box(click.to_prost()));
                }
                Ok(done)
            })
        }
        (_, false) => Figure::time(options, || {
            for record in &records {
                drop(black_box(Click::from_example(record)?));
            }
            Ok(done)
        }),
        (_, true) => Figure::time(options, || {
            for record in &records {
                drop(black_box(Click::from_prost(record).context("the record is not a click")?));
            }
            Ok(done)
        }),
    }
}

fn clicks(records: &[&[u8]]) -> Result<Vec<Click>> {
    Ok(records.iter().map(|record| Click::from_example(record)).collect::<Result<Vec<_>, _>>()?)
}
