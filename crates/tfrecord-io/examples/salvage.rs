//! Copies the good records of a damaged file to another. `cargo run -p tfrecord-io --example salvage -- FROM TO`
use tfrecord_io::FileWriter;
use tfrecord_io::salvage::SalvageReader;

fn main() -> tfrecord_io::Result<()> {
    let (Some(from), Some(to)) = (std::env::args().nth(1), std::env::args().nth(2)) else {
        println!("usage: salvage FROM TO");
        return Ok(());
    };
    let mut reader = SalvageReader::open(from)?;
    let mut writer = FileWriter::create(to)?; // a name that ends with .gz is gzip
    while let Some(record) = reader.next_record()? {
        writer.write(record.data)?;
    }
    writer.finish()?; // the file appears now, and whole
    println!("{}", reader.report());
    Ok(())
}
