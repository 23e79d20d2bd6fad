//! Files that are being written when a signal ends the process.

/// Removes the temporary files of all outputs that this process is writing, of every format: for the end of the process,
/// when a signal asks for it.
///
/// From then on every thread that begins, finishes or drops an output waits for the process to end, so that nothing is left
/// and nothing is complained of meanwhile. Call it from a thread of its own, not from a signal handler.
///
/// ```no_run
/// // A thread that has been told to end the process:
/// tfxio_formats::remove_unfinished();
/// std::process::exit(130);
/// ```
pub fn remove_unfinished() {
    tfrecord_io::remove_unfinished();
    #[cfg(feature = "avro")]
    avro_path::container::remove_unfinished();
}
