//! States of statistics as bytes.

mod messages;
mod values;

use std::sync::Arc;

use prost::Message as _;
use tfxio_base::{Error, ErrorKind, Result};

use self::messages::{
    Column as ColumnState, Field, Level as LevelState, Node as NodeState, Pair as PairState, Slice, State,
};
use super::column::Column;
use super::column_tree::{ColumnNode, Leaf};
use super::level::Level;
use super::pairs::{Pair, Pairs};
use super::slices::Slices;
use super::{Statistics, StatisticsOptions};
use crate::Kind;

/// The form of states. One that cannot be read as before has another number.
const VERSION: u32 = 2;

fn refused(what: impl std::fmt::Display) -> Error {
    Error::new(Kind::MalformedState, format!("not a state of statistics: {what}"))
}

/// Returns the options that statistics must have in common to be merged, but for numbers, as one text.
fn columns_named(options: &StatisticsOptions) -> String {
    format!("{:?} {:?} {:?}", options.weight, options.by, options.categorical)
}

/// Checks that statistics were made with the same options, as far as these decide what is kept.
pub(super) fn check_options(ours: &StatisticsOptions, theirs: &StatisticsOptions) -> Result<()> {
    let is_same = ours.epsilon == theirs.epsilon
        && ours.exact_values == theirs.exact_values
        && columns_named(ours) == columns_named(theirs);
    if is_same { Ok(()) } else { Err(other_options()) }
}

fn other_options() -> Error {
    let what = "statistics that were made with other options cannot be merged";
    Error::new(ErrorKind::InvalidArgument, what)
        .help("give both the same weight, by, categorical, epsilon and exact_values")
}

impl Statistics {
    /// Returns the state, from which [`from_bytes`](Self::from_bytes) of the same version of this crate goes on, also in another
    /// process.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let slices =
            self.slices.iter().map(|(value, rows, weight)| Slice { value: value.to_vec(), rows, weight });
        let columns = self.columns.iter().map(|column| ColumnState {
            name: column.name().to_string(),
            nodes: column.nodes().iter().map(node).collect(),
        });
        let state = State {
            version: VERSION,
            epsilon: self.options.epsilon,
            exact_values: self.options.exact_values as u64,
            columns_named: columns_named(&self.options),
            slices: slices.collect(),
            columns: columns.collect(),
            pairs: self.pairs.0.iter().map(pair).collect(),
        };
        state.encode_to_vec()
    }

    /// Returns the statistics of a state, with the options that it was made with; options that only control the
    /// presentation may differ.
    ///
    /// # Errors
    /// `Malformed` when the bytes are not a state, or contradict themselves; `InvalidArgument` when it was made with other options.
    pub fn from_bytes(bytes: &[u8], options: StatisticsOptions) -> Result<Self> {
        let state = State::decode(bytes).map_err(refused)?;
        if state.version != VERSION {
            return Err(refused(format!("it has the version {}, not {VERSION}", state.version)));
        }
        if state.epsilon.to_bits() != options.epsilon.to_bits()
            || state.exact_values != options.exact_values as u64
            || state.columns_named != columns_named(&options)
        {
            return Err(other_options());
        }
        let slices = state.slices.into_iter().map(|slice| (slice.value, slice.rows, slice.weight));
        let slices =
            Slices::from_parts(slices).ok_or_else(|| refused("a slice occurs twice, or there is none"))?;
        let mut statistics = Self::builder(&arrow_schema::Schema::empty()).options(options).build();
        for column in state.columns {
            let nodes: Vec<ColumnNode> = column
                .nodes
                .into_iter()
                .map(|node| read_node(node, &statistics.options))
                .collect::<Result<_>>()?;
            if nodes.is_empty() || nodes.len() > slices.len() {
                return Err(refused(format!("the column {:?} is in another number of slices", column.name)));
            }
            let name: Arc<str> = column.name.into();
            if statistics.names.insert(Arc::clone(&name), statistics.columns.len()).is_some() {
                return Err(refused(format!("the column {name:?} occurs twice")));
            }
            statistics.columns.push(Column::from_nodes(name, nodes));
        }
        statistics.slices = slices;
        statistics.pairs = Pairs(state.pairs.into_iter().map(read_pair).collect::<Result<_>>()?);
        Ok(statistics)
    }
}

fn pair(((x, y), pair): (&Names, &Pair)) -> PairState {
    let (means, squares) = (pair.means, pair.squares);
    let sums = vec![pair.count, means[0], means[1], squares[0], squares[1], pair.products];
    PairState { x: x.to_string(), y: y.to_string(), sums }
}

/// The names of the columns of a pair.
type Names = (Arc<str>, Arc<str>);

fn read_pair(state: PairState) -> Result<(Names, Pair)> {
    let [count, x, y, of_x, of_y, products] = state.sums[..] else {
        return Err(refused(format!("the pair of {:?} and {:?} has other sums", state.x, state.y)));
    };
    let pair = Pair { count, means: [x, y], squares: [of_x, of_y], products };
    Ok(((state.x.into(), state.y.into()), pair))
}

fn node(node: &ColumnNode) -> NodeState {
    let mut state = NodeState {
        levels: node.levels.iter().map(level).collect(),
        null_values: node.null_values,
        rows: node.rows,
        ..NodeState::default()
    };
    match &node.leaf {
        Leaf::Unknown => {}
        Leaf::Numbers(numbers) => state.numbers = Some(values::numbers(numbers)),
        Leaf::Categories(kind, strings) => {
            (state.categories, state.texts) =
                (Some(values::kind(*kind)), Some(values::byte_strings(strings)));
        }
        Leaf::ByteStrings(strings) => state.texts = Some(values::byte_strings(strings)),
        Leaf::Struct => state.is_struct = true,
        Leaf::Other(name) => state.other = Some(name.clone()),
    }
    let field = |(name, field): &(Arc<str>, ColumnNode)| Field {
        name: name.to_string(),
        node: Some(self::node(field)),
    };
    state.fields = node.fields.iter().map(field).collect();
    state
}

fn read_node(state: NodeState, options: &StatisticsOptions) -> Result<ColumnNode> {
    let leaf = match (state.numbers, state.texts, state.categories, state.is_struct, state.other) {
        (None, None, None, false, None) => Leaf::Unknown,
        (Some(numbers), None, None, false, None) => {
            Leaf::Numbers(Box::new(values::read_numbers(numbers, options)?))
        }
        (None, Some(strings), None, false, None) => {
            Leaf::ByteStrings(Box::new(values::read_byte_strings(strings, options)?))
        }
        (None, Some(strings), Some(kind), false, None) => {
            Leaf::Categories(values::read_kind(kind)?, Box::new(values::read_byte_strings(strings, options)?))
        }
        (None, None, None, true, None) => Leaf::Struct,
        (None, None, None, false, Some(name)) => Leaf::Other(name),
        _ => return Err(refused("a column has values of several types")),
    };
    let fields = state.fields.into_iter().map(|field| {
        let node = field.node.ok_or_else(|| refused(format!("the field {:?} is empty", field.name)))?;
        Ok((Arc::from(field.name), read_node(node, options)?))
    });
    Ok(ColumnNode {
        levels: state.levels.into_iter().map(|level| read_level(level, options)).collect::<Result<_>>()?,
        leaf,
        fields: fields.collect::<Result<_>>()?,
        null_values: state.null_values,
        rows: state.rows,
    })
}

fn level(level: &Level) -> LevelState {
    LevelState {
        non_missing: level.non_missing,
        values: level.values,
        lengths: Some(values::lengths(&level.lengths)),
        own_lengths: level.own_lengths.as_deref().map(values::lengths),
        weighted_non_missing: level.weighted_non_missing,
        weighted_values: level.weighted_values,
    }
}

fn read_level(state: LevelState, options: &StatisticsOptions) -> Result<Level> {
    let own_lengths = state.own_lengths.map(|lengths| values::read_lengths(lengths, options).map(Box::new));
    Ok(Level {
        non_missing: state.non_missing,
        values: state.values,
        lengths: values::read_lengths(state.lengths.unwrap_or_default(), options)?,
        own_lengths: own_lengths.transpose()?,
        weighted_non_missing: state.weighted_non_missing,
        weighted_values: state.weighted_values,
    })
}
