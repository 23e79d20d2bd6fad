//! Whole records as columns: every type in both layouts, what is chosen and left out, resolution, damage, and random
//! schemas and data beside a plain account of what their columns must hold.

use crate::random::choices;
mod damage;
use crate::random::data;
use crate::random::evolved;
mod expected;
mod layouts;
mod limits;
mod logical;
mod numbers;
mod oracle;
mod projection;
mod recursion;
mod render;
mod resolved;
