//! Reads values of nested records as columns. `cargo run -p avro-path --example keys -- FILE KEY…`
use avro_path::Reader;

fn main() -> Result<(), avro_path::Error> {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        println!("usage: keys FILE KEY…, such as keys people.avro name.first 'friends[*].age'");
        return Ok(());
    };
    for batch in Reader::open(path)?.batch_rows(4096).keys(args)? {
        println!("{:?}", batch?);
    }
    Ok(())
}
