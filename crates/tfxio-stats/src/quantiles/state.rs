//! The state of a sketch of quantiles as bytes.

use prost::Message as _;
use tfxio_base::{Error, Result};

use super::Quantiles;
use super::plan::BlockPlan;
use super::stream::Stream;
use super::summary::{Entry, Summary};
use crate::Kind;
use crate::proto::sketches::Quantiles as Proto;
use crate::proto::sketches::quantiles::Stream as StreamProto;
use crate::proto::sketches::quantiles::stream::{Buffer as BufferProto, Summary as SummaryProto};

impl Quantiles {
    /// Returns the state in the form in which tfx-bsl pickles its own: the same bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let stream = |stream: &Stream| {
            let (value, weight) = stream.buffer().iter().copied().unzip();
            // After the levels there is the summary under construction, which is empty.
            let summaries = stream.levels().iter().map(summary_proto).chain([SummaryProto::default()]);
            StreamProto {
                summaries: summaries.collect(),
                buffer: Some(BufferProto { value, weight }),
                eps: self.plan.eps,
                max_num_elements: self.plan.max_elements,
                compacted: self.is_compacted,
            }
        };
        Proto { streams: self.streams.iter().map(stream).collect() }.encode_to_vec()
    }

    /// Returns the sketch of a state, ours or of tfx-bsl.
    ///
    /// # Errors
    ///
    /// If the bytes are not the state of such a sketch, or contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::parse(bytes).map_err(|what| {
            Error::new(Kind::MalformedQuantiles, format!("not a sketch of quantiles: {what}"))
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let proto = Proto::decode(bytes).map_err(|error| error.to_string())?;
        let first = proto.streams.first().ok_or("it has no streams")?;
        let (eps, max_elements, is_compacted) = (first.eps, first.max_num_elements, first.compacted);
        if !(eps > 0.0 && eps.is_finite()) {
            return Err(format!("its error bound is {eps}"));
        }
        if max_elements < 1 {
            return Err(format!("it expects {max_elements} values"));
        }
        let plan = BlockPlan::new(eps, max_elements);
        let streams = proto.streams.into_iter().map(|stream| {
            if (stream.eps, stream.max_num_elements, stream.compacted) != (eps, max_elements, is_compacted) {
                return Err("its streams differ in their parameters".to_owned());
            }
            parse_stream(&plan, stream)
        });
        Ok(Self { plan, streams: streams.collect::<Result<_, _>>()?, is_compacted })
    }
}

fn summary_proto(summary: &Summary) -> SummaryProto {
    let of = |part: fn(&Entry) -> f64| summary.entries().iter().map(part).collect();
    SummaryProto {
        value: of(|entry| entry.value),
        weight: of(|entry| entry.weight),
        min_rank: of(|entry| entry.min_rank),
        max_rank: of(|entry| entry.max_rank),
    }
}

fn parse_stream(plan: &BlockPlan, proto: StreamProto) -> Result<Stream, String> {
    let mut levels = proto.summaries.into_iter().map(parse_summary).collect::<Result<Vec<_>, _>>()?;
    if levels.pop().is_some_and(|last| !last.is_empty()) {
        return Err("the summary after its levels is not empty".to_owned());
    }
    let mut stream = Stream::from_levels(levels);
    let buffer = proto.buffer.unwrap_or_default();
    if buffer.value.len() != buffer.weight.len() {
        return Err(format!("{} weights of {} values", buffer.weight.len(), buffer.value.len()));
    }
    for (value, weight) in buffer.value.into_iter().zip(buffer.weight) {
        if value.is_nan() || !(weight > 0.0 && weight.is_finite()) {
            return Err(format!("a value of {value} with a weight of {weight}"));
        }
        stream.push(plan, value, weight);
    }
    Ok(stream)
}

fn parse_summary(proto: SummaryProto) -> Result<Summary, String> {
    let SummaryProto { value, weight, min_rank, max_rank } = proto;
    let lengths = [weight.len(), min_rank.len(), max_rank.len()];
    if lengths.iter().any(|length| *length != value.len()) {
        return Err(format!("{lengths:?} weights and ranks of {} values", value.len()));
    }
    let ranks = min_rank.into_iter().zip(max_rank);
    let entries: Vec<Entry> = value
        .into_iter()
        .zip(weight)
        .zip(ranks)
        .map(|((value, weight), (min_rank, max_rank))| Entry { value, weight, min_rank, max_rank })
        .collect();
    let is_finite =
        |entry: &Entry| [entry.weight, entry.min_rank, entry.max_rank].iter().all(|part| part.is_finite());
    if !entries.iter().all(is_finite) {
        return Err("a weight or a rank is not a finite number".to_owned());
    }
    // False for NaN.
    let ascends = |pair: &[Entry]| pair[0].value < pair[1].value;
    if entries.iter().any(|entry| entry.value.is_nan()) || !entries.windows(2).all(ascends) {
        return Err("the values of a summary do not ascend".to_owned());
    }
    Ok(Summary::of_entries(entries))
}
