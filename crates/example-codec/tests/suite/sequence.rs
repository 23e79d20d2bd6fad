//! tf.SequenceExample to Arrow and back.

use crate::damage;
use crate::model;
use crate::wire;

mod decode;
mod encode;
mod errors;
mod infer;
mod oracle;
mod robustness;
mod rows;
mod short_steps;
mod single_steps;
