//! Observers of scans.

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{Error, ErrorKind, Scan};

use super::*;

/// Two files of which none can be opened, alone or together.
#[derive(Debug)]
struct Broken {
    schema: SchemaRef,
    together: bool,
}

fn broken() -> Error {
    Error::new(ErrorKind::Malformed, "the file is damaged")
}

impl Dataset for Broken {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(["a", "b"].map(Partition::whole).into())
    }

    fn scan_all(&self, _: &[Partition], _: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        if self.together { Err(broken()) } else { Ok(None) }
    }

    fn scan(&self, _: &Partition, _: &ScanRequest) -> Result<Box<dyn Scan>> {
        Err(broken())
    }
}

struct Changed;

impl ScanWatch for Changed {
    fn opening(&mut self, partitions: &[Partition]) -> Result<()> {
        let names = partitions.iter().map(|partition| &*partition.file).collect::<Vec<_>>().join(", ");
        Err(Error::new(ErrorKind::SchemaMismatch, format!("{names} changed")))
    }
}

#[test]
fn an_observer_explains_files_that_cannot_be_opened() {
    for (together, expected) in [(true, "a, b changed"), (false, "a changed")] {
        let dataset: Arc<dyn Dataset> = Arc::new(Broken { schema: Arc::new(Schema::empty()), together });
        let read = |dataset| Batches::builder(dataset, ScanRequest::new());
        let error = read(Arc::clone(&dataset)).watch(Changed).build().unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(read(dataset).build().unwrap_err().to_string(), "the file is damaged");
    }
}
