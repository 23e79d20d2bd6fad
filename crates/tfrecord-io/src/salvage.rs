//! Recovery of the good records of damaged files, with a report of the losses.
//!
//! ```
//! use tfrecord_io::{frame, salvage::{Reason, SalvageReader}};
//!
//! let mut file = Vec::new();
//! for payload in ["one", "two", "three", "four"] {
//!     frame::append(&mut file, payload.as_bytes());
//! }
//! file[19 + 13] ^= 1; // a bit of "two"
//! file[59] ^= 1; // a bit of the length of "four"
//!
//! let mut reader = SalvageReader::new(&file[..]);
//! let mut good = Vec::new();
//! while let Some(record) = reader.next_record()? {
//!     good.push(record.data.to_vec());
//! }
//! assert_eq!(good, [&b"one"[..], b"three"]);
//!
//! let report = reader.report();
//! assert_eq!(report.damages.len(), 2);
//! assert_eq!((report.damages[0].start, report.damages[0].end), (19, 38));
//! assert_eq!(report.damages[0].reason, Reason::PayloadCrc);
//! assert_eq!(report.damages[1].reason, Reason::HeaderCrc);
//! println!("{report}");
//! # Ok::<(), tfrecord_io::Error>(())
//! ```
//!
//! # Behaviour at damage
//!
//! - **The payload's checksum does not fit, and a record or the end of the file follows where it should.** One record is
//!   lost.
//! - **The length's checksum does not fit.** The next record is searched ([`crate::scan`]). The bytes up to a candidate
//!   are tried as the payload of the damaged record: if the four bytes before the candidate are their checksum, it is
//!   the next record for certain (2⁻³²), whatever TFRecord data the payload holds. If the payload is damaged as well,
//!   the first candidate counts whose own payload fits.
//! - **The payload does not fit, and no record follows where it should.** The file was cut off inside a record and
//!   written on, or two neighbours are damaged. The next record is searched from the payload's start; a chain of records
//!   counts only if it leads beyond where the damaged record claims to end, so that the contents of a payload are not
//!   taken for records.
//! - **The file ends inside a record.** The same, except that a chain must reach the end of the file exactly. (So a file
//!   that is cut inside a record that holds TFRecord data, right between two records of that data, deceives it.)
//! - **A gzip stream is corrupt.** What came out before is read; then the search goes on at the next gzip member, if
//!   there is one: files that this crate wrote have a member for each mebibyte. A single member, or zlib, is lost from
//!   the damage to the end.
//!
//! Every step moves forward, so that any input ends. Memory: the longest record or
//! [`lookahead_bytes`](SalvageBuilder::lookahead_bytes), whichever is more, whatever the size of the file.

mod engine;
mod gzip;
mod input;
mod reader;
mod report;
mod stream;

pub use reader::{SalvageBuilder, SalvageReader};
pub use report::{Reason, Report};
pub use tfxio_base::LostRange;
