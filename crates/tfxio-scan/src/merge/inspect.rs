//! A look at the columns of the files of a set.

use std::sync::{Mutex, PoisonError};

use tfxio_core::Files;

/// Number of files of a store that are looked at at a time: most of it is waiting.
const AT_A_TIME: usize = 16;

/// Calls a function for each file but the first, and returns what it found, in order. Nothing is found of files that can be read
/// once only. Of a set of more than 1,000 files the others are looked at when they are read.
pub fn find_in_files<T: Send>(files: &Files, find: impl Fn(usize) -> Option<T> + Sync) -> Vec<(usize, T)> {
    let store = files.store();
    let others = files.names().iter().enumerate().take(Files::LOOKED_AT).skip(1);
    let others = others.filter(|(_, file)| store.size(file).is_ok_and(|size| size.is_some()));
    let (local, remote): (Vec<_>, Vec<_>) = others.partition(|(_, file)| store.local_path(file).is_some());
    let indices = |files: Vec<(usize, _)>| files.into_iter().map(|(index, _)| index).collect::<Vec<_>>();
    let (local, remote) = (indices(local), indices(remote));
    let find = |index: usize| find(index).map(|found| (index, found));
    let mut found = local.into_iter().filter_map(find).collect::<Vec<_>>();
    if !remote.is_empty() {
        let left = Mutex::new(remote.into_iter());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let by_others = Mutex::new(Vec::new());
        let work = || {
            while let Some(index) = next() {
                if let Some(found) = find(index) {
                    by_others.lock().unwrap_or_else(PoisonError::into_inner).push(found);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..AT_A_TIME {
                scope.spawn(work);
            }
            work();
        });
        found.extend(by_others.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    found.sort_by_key(|(index, _)| *index);
    found
}
