//! A value with its place in a file.

use lk_diag::Span;

/// A value and where it stands. Two are equal when their values are, wherever they stand.
#[derive(Clone, Copy, Default, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place in the file.
    pub place: Span,
}

impl<T> Placed<T> {
    /// A value at a place.
    #[must_use]
    pub const fn new(value: T, place: Span) -> Self {
        Self { value, place }
    }
}

impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Placed<T> {}
