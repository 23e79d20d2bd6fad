//! The traits and shared types through which the layers of tfxio compose.
