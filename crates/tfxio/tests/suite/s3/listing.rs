//! Objects that a pattern means, of very many.

use s3_bed::{Fault, Request};
use tfxio::{FileStore, Store as _};

use crate::s3::Bed;

#[test]
fn ten_thousand_objects_come_once_each_and_in_order() {
    let Some(bed) = Bed::start() else { return };
    let count = 10_000;
    for i in 0..count {
        bed.server.put(&format!("many/part-{i:05}.tfrecord"), "");
    }
    bed.server.put("many/_SUCCESS", "");
    let names = |bed: &Bed| FileStore::new(bed.stores()).list("s3://bucket/many/*.tfrecord").unwrap();
    let found = names(&bed);
    let expected = (0..count).map(|i| format!("s3://bucket/many/part-{i:05}.tfrecord"));
    assert!(found.iter().map(|name| &**name).eq(expected));
    let lists = bed.proxy.requests().into_iter().filter(Request::is_list).count();
    assert!(lists >= 10, "{lists} pages");

    // Pages that fail are asked for again, and not those before them.
    let mut pages = 0;
    bed.proxy.set_rule(move |request| {
        pages += u32::from(request.is_list());
        if request.is_list() && pages % 3 == 0 { Fault::Status(503) } else { Fault::None }
    });
    assert!(names(&bed) == found);
    let lists = bed.proxy.requests().into_iter().filter(Request::is_list).count();
    assert!(lists < 20, "{lists} pages");
}
