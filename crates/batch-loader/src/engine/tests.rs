//! Threads that meet at places where they seldom would by themselves.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;

use super::{Engine, Setup, Shared, Start, Worker};
use crate::config::{LoaderConfig, Shuffle};
use crate::item::Chunk;
use crate::source::{Cost, PartReader, Parts, Place, Raw, RawRecords, Run};
use crate::stats::Counters;
use crate::{Error, ErrorKind, Result};

