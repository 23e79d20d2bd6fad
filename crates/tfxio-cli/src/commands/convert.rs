//! `tfxio convert`: between TFRecord, Avro, Parquet and Arrow.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use tfxio::avro_path::Key;
use tfxio::avro_path::container::Codec;
use tfxio::avro_path::record::{Layout, RecordOptions as RecordLayout};
use tfxio::convert::{self, Conversion, Format, Phase};
use tfxio::tfrecord_io::WriterBuilder;
use tfxio::tfrecord_io::shards::ShardSpec;
use tfxio::{ErrorKind, Sample, is_url};

use crate::args::{AvroCodec, AvroLayout, Convert, ParquetCompression};
use crate::failure::{Failure, at_character, paragraph, say};
use crate::progress::{self, Progress};
use crate::table::count;
use crate::{Done, on_error};

pub(crate) fn run(args: &Convert) -> Done {
    let (inputs, output) = names(args)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(processors.min(8), usize::from);
    let mut writer = WriterBuilder::default();
    if args.single_member {
        writer = writer.single_member();
    }
    let skip = args.on_damage.skip()?;
    let options = on_error::options(args.indexes.options().with_threads(threads), skip.as_ref());
    let mut conversion = Conversion::open(inputs, output, options)?
        .parquet_compression(match args.parquet_compression {
            ParquetCompression::None => convert::ParquetCompression::None,
            ParquetCompression::Snappy => convert::ParquetCompression::Snappy,
            ParquetCompression::Gzip => convert::ParquetCompression::Gzip,
            ParquetCompression::Zstd => convert::ParquetCompression::Zstd,
        })
        .writer(writer);
    if skip.is_some() && !matches!(conversion.from(), Format::TfRecord | Format::Avro) {
        let text = format!(
            "--on-error skip is for TFRecord and Avro files, and the input is {}; leave it out",
            conversion.from()
        );
        return Err(Failure::Usage(text));
    }
    conversion = of_avro(conversion, args)?;
    conversion = conversion.sequence_column(args.records.sequence_column.as_str());
    if let Some(message) = args.records.message() {
        conversion = conversion.message(message);
    }
    if let Some(columns) = &args.columns {
        conversion = conversion.columns(columns.iter().map(String::as_str));
    }
    if let Some(records) = args.infer_records {
        conversion = conversion.infer_schema(Sample::First(records));
    }

    let may_leave_out = matches!(conversion.to(), Format::TfRecord | Format::Parquet);
    let begin = Instant::now();
    let progress = Progress::new(conversion.bytes_in(), "converting");
    let phase = Cell::new(Phase::Records);
    let done = conversion.run(|at| {
        if at.phase != phase.replace(at.phase) {
            progress.restart(if at.phase == Phase::Schema { "inferring the schema" } else { "converting" });
        }
        progress.set(at.bytes_read, at.records);
    });
    progress.finish();
    on_error::report(skip.as_ref());
    let summary = done.map_err(|error| {
        let is_column = error.kind() == ErrorKind::Unsupported && error.position().column.is_some();
        let list = format!("{}.", args.records.sequence_column);
        let mut names = args.columns.iter().flatten();
        if error.kind() == ErrorKind::InvalidArgument
            && let Some(name) =
                names.find(|name| name.starts_with(&list) && error.to_string().contains(name.as_str()))
        {
            let column = &args.records.sequence_column;
            return Failure::Usage(format!(
                "there is no column {name:?}; feature lists are converted together, as the column {column:?}"
            ));
        }
        match may_leave_out && is_column {
            true => Failure::Usage(format!(
                "{}. To leave the column out, name the others: --columns A,B",
                paragraph(&error)
            )),
            false => error.into(),
        }
    })?;
    if progress::is_shown() {
        let seconds = begin.elapsed().as_secs_f64();
        say(format_args!(
            "{} records, {} bytes to {} bytes in {seconds:.1} s",
            count(summary.records),
            count(summary.bytes_in),
            count(summary.bytes_out)
        ));
    }
    Ok(())
}

/// The inputs and the output.
fn names(args: &Convert) -> Result<(Vec<&str>, &Path), Failure> {
    let Some((output, inputs)) = args.files.split_last().filter(|(_, inputs)| !inputs.is_empty()) else {
        let text =
            "there is one name, and convert needs two: an input, and last the output; for more, try '--help'";
        return Err(Failure::Usage(text.to_owned()));
    };
    let mut names = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Some(name) = input.to_str() else {
            let text = format!("{}: the name of an input is not Unicode; rename the file", input.display());
            return Err(Failure::Usage(text));
        };
        names.push(name);
    }
    refuse_pattern(output)?;
    Ok((names, output))
}

/// Refuses an output that would be one file with the name of a pattern.
fn refuse_pattern(output: &Path) -> Done {
    let Some(name) = output.file_name().map(|name| name.to_string_lossy()) else { return Ok(()) };
    if is_url(&output.to_string_lossy()) {
        return Ok(());
    }
    let is_records = matches!(Format::of_name(output), Ok(Format::TfRecord));
    let text = if name.contains(['*', '?']) {
        "the output is a pattern, and only inputs may be patterns; give the name of one file, or of a number of TFRecord \
         shards, such as train@16.tfrecord"
    } else if !is_records && matches!(ShardSpec::parse(&name), Ok(Some(_))) {
        "the output is a set of shards, and only TFRecord is written in shards; give the name of one file without the @, \
         or end it with .tfrecord"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(format!("{}: {text}", output.display())))
}

/// Sets what is for Avro files only.
fn of_avro(mut conversion: Conversion, args: &Convert) -> Result<Conversion, Failure> {
    if conversion.from() != Format::Avro {
        on_error::refuse_reader_schema(&args.reader_schema)?;
    }
    let is_asked = !args.keys.is_empty() || args.max_depth.is_some() || args.layout.is_some();
    if is_asked && conversion.from() != Format::Avro {
        let text = format!(
            "--key, --max-depth and --layout are for Avro files, and the input is {}; leave them out",
            conversion.from()
        );
        return Err(Failure::Usage(text));
    }
    if let Some(schema) = args.reader_schema.read()? {
        conversion = conversion.reader_schema(schema);
    }
    if !args.keys.is_empty() {
        for key in &args.keys {
            Key::parse(key).map_err(|error| at_character(error, None))?;
        }
        conversion = conversion.keys(args.keys.iter().map(String::as_str));
    }
    if args.max_depth.is_some() || args.layout.is_some() {
        let layout = match (args.layout, conversion.to()) {
            (Some(AvroLayout::Lists), _) | (None, Format::TfRecord) => Layout::Structured,
            _ => Layout::Plain,
        };
        let mut options = RecordLayout::default().with_layout(layout);
        options.max_depth = args.max_depth;
        conversion = conversion.record_layout(options);
    }
    Ok(conversion.avro_codec(match args.avro_codec {
        AvroCodec::Null => Codec::Null,
        AvroCodec::Deflate => Codec::Deflate,
        AvroCodec::Snappy => Codec::Snappy,
        AvroCodec::Bzip2 => Codec::Bzip2,
        AvroCodec::Xz => Codec::Xz,
        AvroCodec::Zstandard => Codec::Zstandard,
    }))
}
