//! tf.Example to Apache Arrow and back, straight from the wire bytes.
