//! `tfxio index`: writes an index beside each file.

use tfxio::tfrecord_io::Index;
use tfxio::{RecordOptions, is_url};

use super::for_each_file;
use crate::Done;
use crate::args;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{Table, count};

pub(crate) fn run(args: &args::Index) -> Done {
    let mut table = Table::new(["index", "records", "payload bytes", "CRC-32", "index bytes"]);
    let mut any = false;
    let done = for_each_file(&args.files, &RecordOptions::default(), |path| {
        if is_url(&path) {
            return Err(Failure::Usage(format!(
                "{path}: an index is written beside its file, and nothing is written to object stores; index the file \
                 before it is copied there, and copy the index with it"
            )));
        }
        // A directory is refused in the words of all commands.
        if std::fs::metadata(&*path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(Failure::Usage(format!(
                "{path}: an index is written beside its file, and this is a pipe or a device; write it to a file first, and \
                 index that"
            )));
        }
        let index = Index::build(&*path)?;
        let beside = index.write_beside(&*path)?;
        let size = std::fs::metadata(&beside).map_or(0, |found| found.len());
        table.push(vec![
            beside.display().to_string(),
            count(index.len()),
            count(index.payload_bytes()),
            index.crc32_of_payloads().map_or(String::new(), |crc| format!("{crc:08x}")),
            count(size),
        ]);
        any = true;
        Ok::<(), Failure>(())
    });
    if any {
        let mut out = Output::new();
        table.write_fitting(&mut out, "index")?;
        out.finish()?;
    }
    done
}
