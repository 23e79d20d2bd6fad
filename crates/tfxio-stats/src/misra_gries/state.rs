//! The state of a Misra-Gries sketch as bytes.

use prost::Message as _;
use tfxio_base::{Error, Result};

use super::builder::{LargeStrings, Options};
use super::counters::Counters;
use super::{MisraGries, OrderOnTie};
use crate::kind::check_buckets;
use crate::proto::sketches;
use crate::proto::sketches::misra_gries::OrderOnTie as ProtoOrder;
use crate::{Kind, ValueType, value_text};

impl MisraGries {
    /// Returns the state in the form in which tfx-bsl stores and pickles its own. Items are in ascending order: the same
    /// state is the same bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut counts: Vec<_> = self.counters.counts().collect();
        counts.sort_unstable_by_key(|(item, _)| *item);
        let large = self.options.large_strings.as_ref();
        // Checked when the sketch was made.
        let number = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let proto = sketches::MisraGries {
            num_buckets: number(self.counters.buckets()),
            items: counts.iter().map(|(item, _)| item.to_vec()).collect(),
            weights: counts.iter().map(|(_, count)| *count).collect(),
            extra_items: self.counters.extras().into_iter().map(<[u8]>::to_vec).collect(),
            delta: self.counters.delta(),
            replace_invalid_utf8_values: self.options.invalid_utf8_placeholder.is_some(),
            invalid_utf8_placeholder: self.options.invalid_utf8_placeholder.clone().unwrap_or_default(),
            large_string_threshold: large.map_or(-1, |large| number(large.threshold)),
            large_string_placeholder: large.map(|large| large.placeholder.clone()).unwrap_or_default(),
            input_type: ValueType::to_proto(self.value_type).into(),
            order_on_tie: match self.options.order_on_tie {
                OrderOnTie::Lexicographical => ProtoOrder::Lexicographical,
                OrderOnTie::ReverseLexicographical => ProtoOrder::ReverseLexicographical,
            }
            .into(),
        };
        proto.encode_to_vec()
    }

    /// Returns the sketch of a state, ours or of tfx-bsl.
    ///
    /// # Errors
    ///
    /// If the bytes are not the state of such a sketch, or contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::parse(bytes).map_err(|what| {
            Error::new(Kind::MalformedMisraGries, format!("not a Misra-Gries sketch: {what}"))
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let proto = sketches::MisraGries::decode(bytes).map_err(|error| error.to_string())?;
        let buckets = usize::try_from(proto.num_buckets).unwrap_or(0);
        check_buckets(buckets).map_err(|_| format!("it has {} buckets", proto.num_buckets))?;
        let value_type = ValueType::from_proto(proto.input_type)
            .ok_or_else(|| format!("there is no type of values {}", proto.input_type))?;
        if proto.items.len() != proto.weights.len() {
            return Err(format!("{} counts of {} items", proto.weights.len(), proto.items.len()));
        }
        if proto.items.len() > buckets {
            return Err(format!("{} items in {buckets} buckets", proto.items.len()));
        }
        if let Some(count) = proto.weights.iter().chain([&proto.delta]).find(|count| !count.is_finite()) {
            return Err(format!("a count of {count}"));
        }
        let mut items = proto.items.iter().chain(&proto.extra_items);
        if value_type == Some(ValueType::Float) && !items.all(|item| value_text::parse_float(item).is_some())
        {
            return Err("an item is not a float".to_owned());
        }
        let (items, extras) = (&proto.items, &proto.extra_items);
        let counters = Counters::from_parts(buckets, items, &proto.weights, extras, proto.delta)
            .ok_or("an item has two counts")?;
        let options = Options {
            invalid_utf8_placeholder: proto
                .replace_invalid_utf8_values
                .then_some(proto.invalid_utf8_placeholder),
            large_strings: usize::try_from(proto.large_string_threshold)
                .ok()
                .map(|threshold| LargeStrings { threshold, placeholder: proto.large_string_placeholder }),
            order_on_tie: match ProtoOrder::try_from(proto.order_on_tie) {
                Ok(ProtoOrder::Default | ProtoOrder::Lexicographical) => OrderOnTie::Lexicographical,
                Ok(ProtoOrder::ReverseLexicographical) => OrderOnTie::ReverseLexicographical,
                Err(_) => return Err(format!("there is no order of ties {}", proto.order_on_tie)),
            },
        };
        Ok(Self { counters, value_type, options })
    }
}
