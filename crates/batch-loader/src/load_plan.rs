//! Decisions that a loader makes when it is built.

use std::fmt;

use serde::Serialize;
use tfxio_core::Count;

/// Decisions that a loader made when it was built: [`BatchLoader::plan`](crate::BatchLoader::plan).
///
/// ```
/// use batch_loader::config::{LoaderConfig, Shuffle};
/// use batch_loader::{BatchLoader, ExampleOrder};
///
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
/// let mut config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// config.shuffle = Shuffle::Blocks { bytes: 64 << 20, streams: None };
/// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]).base_dir(folder);
/// let loader = builder.build()?;
/// let ExampleOrder::Blocks { examples, streams, .. } = loader.plan().orders[0] else { panic!() };
/// assert_eq!((examples, streams), (1797, 1));
/// println!("{}", loader.plan());
/// # Ok::<(), batch_loader::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadPlan {
    /// The order of the examples of each data set.
    pub orders: Vec<ExampleOrder>,
    /// The number of files.
    pub files: usize,
    /// Examples a batch, or rows where several share one.
    pub batch_size: usize,
    /// Threads that read, parse and make batches, beside the one that asks for them.
    pub threads: usize,
    /// Batches that are made ahead.
    pub prefetch: usize,
}

/// Reads of a record an epoch from which a global shuffle is warned of.
const MANY: f64 = 2.0;

impl LoadPlan {
    /// Returns what costs more than a user may expect, in sentences without full stops.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let of_order = |order: &ExampleOrder| match order {
            ExampleOrder::Global { reads, .. } if *reads >= MANY => Some(format!(
                "a global shuffle decompresses each record about {reads:.0} times an epoch; give \"shuffle\": \"blocks\", \
                 which decompresses it once"
            )),
            _ => None,
        };
        self.orders.iter().filter_map(of_order).collect()
    }

    /// Returns the plan as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The order of the examples of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "shuffle", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ExampleOrder {
    /// File after file.
    #[serde(rename = "none")]
    Files,
    /// Through a buffer.
    Buffer {
        /// Examples in the buffer.
        elements: usize,
    },
    /// A permutation of all examples.
    Global {
        /// Examples of an epoch.
        examples: u64,
        /// About how often each record is read or decompressed in an epoch: 1 where records can be entered one by one.
        reads: f64,
    },
    /// Blocks of records, mixed within windows.
    Blocks {
        /// Examples of an epoch.
        examples: u64,
        /// Blocks of the files, each of which is read once an epoch.
        blocks: u64,
        /// Parts of the order among which batches and hosts take turns.
        streams: u64,
        /// The most examples of a stream that are mixed.
        window: u64,
        /// About the bytes of tensors of an example.
        example_bytes: u64,
    },
}

impl fmt::Display for LoadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { orders, files, batch_size, threads, prefetch } = self;
        for order in orders {
            writeln!(f, "order     {order}")?;
        }
        writeln!(f, "files     {files}")?;
        write!(f, "batches   {} each, ", Count::of(*batch_size, "example"))?;
        // One thread is the one that asks for batches.
        match *threads {
            0 | 1 => f.write_str("made when they are asked for, on 1 thread"),
            threads => write!(f, "{prefetch} made ahead on {}", Count::of(threads, "thread")),
        }
    }
}

impl fmt::Display for ExampleOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files => f.write_str("file after file"),
            Self::Buffer { elements } => write!(f, "through a buffer of {}", Count::of(*elements, "example")),
            Self::Global { examples, reads } if *reads < 1.5 => {
                write!(f, "one permutation of {}", Count::of(*examples, "example"))
            }
            Self::Global { examples, reads } => write!(
                f,
                "one permutation of {}, each record decompressed about {reads:.0} times an epoch",
                Count::of(*examples, "example")
            ),
            Self::Blocks { examples, blocks, streams, window, example_bytes } => write!(
                f,
                "{} in {}, each read once an epoch; {} with windows of {}, about {} each",
                Count::of(*examples, "example"),
                Count::of(*blocks, "block"),
                Count::of(*streams, "stream"),
                Count::of(*window, "example"),
                Count::of(*example_bytes, "byte")
            ),
        }
    }
}
