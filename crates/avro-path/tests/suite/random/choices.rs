//! Choices of random tests.

/// Numbers that decide everything; without any left, the simplest is chosen.
pub struct Choices<'a>(pub std::slice::Iter<'a, u16>);

impl Choices<'_> {
    pub fn below(&mut self, most: usize) -> usize {
        self.0.next().map_or(0, |&choice| usize::from(choice) % most)
    }
}
