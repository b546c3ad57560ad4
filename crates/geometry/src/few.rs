//! A short list without heap memory.

/// Up to `N` values.
pub(crate) struct Few<T, const N: usize> {
    values: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        Self {
            values: [T::default(); N],
            len: 0,
        }
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If the list is full.
    pub(crate) fn push(&mut self, value: T) {
        self.values[self.len] = value;
        self.len += 1;
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.values[..self.len]
    }
}
