//! Stacks for statements that are nested deep: parsing, planning, running and dropping them takes stack for each level.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

/// Bytes of a stack for statements that are long. Memory is taken as far as it is used.
const STACK: usize = 256 << 20;

/// Runs something on a stack that is large enough.
pub(crate) fn run<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK / 2, STACK, work)
}

/// A future or a stream that is polled and dropped on a stack that is large enough.
pub(crate) struct Deep<T>(Option<Pin<Box<T>>>);

impl<T> Deep<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self(Some(Box::pin(inner)))
    }
}

impl<T: Future> Future for Deep<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T::Output> {
        match &mut self.0 {
            Some(inner) => run(|| inner.as_mut().poll(context)),
            None => Poll::Pending,
        }
    }
}

impl<T: Stream> Stream for Deep<T> {
    type Item = T::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T::Item>> {
        match &mut self.0 {
            Some(inner) => run(|| inner.as_mut().poll_next(context)),
            None => Poll::Ready(None),
        }
    }
}

impl<T> Drop for Deep<T> {
    fn drop(&mut self) {
        run(|| drop(self.0.take()));
    }
}

impl<T> fmt::Debug for Deep<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deep")
    }
}
