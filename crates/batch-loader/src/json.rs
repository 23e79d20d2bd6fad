//! JSON with places: what manifests and configurations are read through.
