//! Statements over data sets on several machines: an engine that is there already, `datafusion-distributed`, runs the plans of
//! `tfxio-sql`. An example to start from; what is particular to tfxio are [`coordinator::session`] and the codec in
//! [`worker::serve`].

pub mod coordinator;
mod named;
mod watched;
pub mod worker;
