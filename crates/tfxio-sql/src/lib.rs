//! Data sets as DataFusion tables.
