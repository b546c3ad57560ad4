//! Iterators with the methods and bounds of rayon's that run in order on the calling thread.
//!
//! [`Ordered`] is no `Iterator`, as some methods of rayon have the names of `Iterator`'s and other arguments.

use std::iter;

/// The items of an iterator, in order.
#[derive(Clone, Debug)]
pub struct Ordered<I>(I);

/// Iterators whose items are independent of each other.
pub trait ParallelIterator: Sized {
    /// The type of its items.
    type Item: Send;
    /// The iterator that yields the items in order.
    type Inner: Iterator<Item = Self::Item>;

    /// The iterator that yields the items in order.
    fn ordered(self) -> Self::Inner;

    /// The images of all items.
    fn map<F, R>(self, f: F) -> Ordered<iter::Map<Self::Inner, F>>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Ordered(self.ordered().map(f))
    }

    /// The images of all items, computed with a workspace from `init`.
    fn map_init<S, F, T, R>(self, init: S, f: F) -> Ordered<impl Iterator<Item = R>>
    where
        S: Fn() -> T + Sync + Send,
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        R: Send,
    {
        let mut workspace = init();
        Ordered(self.ordered().map(move |item| f(&mut workspace, item)))
    }

    /// The items that `f` holds for.
    fn filter<F>(self, f: F) -> Ordered<iter::Filter<Self::Inner, F>>
    where
        F: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Ordered(self.ordered().filter(f))
    }

    /// The images of the items that have one.
    fn filter_map<F, R>(self, f: F) -> Ordered<iter::FilterMap<Self::Inner, F>>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        Ordered(self.ordered().filter_map(f))
    }

    /// The items of the images, one image after the other.
    fn flat_map_iter<F, R>(self, f: F) -> Ordered<iter::FlatMap<Self::Inner, R, F>>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: IntoIterator<Item: Send>,
    {
        Ordered(self.ordered().flat_map(f))
    }

    /// The items of the items.
    fn flatten_iter(self) -> Ordered<iter::Flatten<Self::Inner>>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        Ordered(self.ordered().flatten())
    }

    /// Copies of the items.
    fn copied<'a, T>(self) -> Ordered<iter::Copied<Self::Inner>>
    where
        Self: ParallelIterator<Item = &'a T>,
        T: Copy + Send + Sync + 'a,
        Self::Inner: Iterator<Item = &'a T>,
    {
        Ordered(self.ordered().copied())
    }

    /// Calls `f` with every item.
    fn for_each<F>(self, f: F)
    where
        F: Fn(Self::Item) + Sync + Send,
    {
        self.ordered().for_each(f);
    }

    /// Whether `f` holds for all items.
    fn all<F>(self, f: F) -> bool
    where
        F: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.ordered().all(f)
    }

    /// Whether `f` holds for some item.
    fn any<F>(self, f: F) -> bool
    where
        F: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.ordered().any(f)
    }

    /// Number of items.
    fn count(self) -> usize {
        self.ordered().count()
    }

    /// The first image.
    fn find_map_first<F, R>(self, f: F) -> Option<R>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.ordered().find_map(f)
    }

    /// All items by `op` in one, from `identity`.
    fn reduce<S, F>(self, identity: S, op: F) -> Self::Item
    where
        S: Fn() -> Self::Item + Sync + Send,
        F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        self.ordered().fold(identity(), op)
    }

    /// All items by `op` in one; `None` if there are none.
    fn reduce_with<F>(self, op: F) -> Option<Self::Item>
    where
        F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        self.ordered().reduce(op)
    }

    /// The items as a collection.
    fn collect<C>(self) -> C
    where
        C: FromIterator<Self::Item>,
    {
        self.ordered().collect()
    }

    /// The halves of the items as two collections.
    fn unzip<A, B, C, D>(self) -> (C, D)
    where
        Self: ParallelIterator<Item = (A, B)>,
        Self::Inner: Iterator<Item = (A, B)>,
        C: Default + Extend<A>,
        D: Default + Extend<B>,
    {
        self.ordered().unzip()
    }
}

/// Iterators that know the number of their items.
pub trait IndexedParallelIterator: ParallelIterator {
    /// Fewest items of a task; there is one task.
    #[must_use]
    fn with_min_len(self, _least: usize) -> Self {
        self
    }

    /// Most items of a task; there is one task.
    #[must_use]
    fn with_max_len(self, _most: usize) -> Self {
        self
    }

    /// The items with their numbers.
    fn enumerate(self) -> Ordered<iter::Enumerate<Self::Inner>> {
        Ordered(self.ordered().enumerate())
    }

    /// The items with those of `other`.
    fn zip<O>(self, other: O) -> Ordered<iter::Zip<Self::Inner, O::Inner>>
    where
        O: IntoParallelIterator,
    {
        Ordered(self.ordered().zip(other.into_par_iter().ordered()))
    }

    /// The number of the first item that `f` holds for.
    fn position_first<F>(self, f: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.ordered().position(f)
    }

    /// Replaces the content of `target` by the items.
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        target.extend(self.ordered());
    }
}

impl<I: Iterator<Item: Send>> ParallelIterator for Ordered<I> {
    type Item = I::Item;
    type Inner = I;

    fn ordered(self) -> I {
        self.0
    }
}

impl<I: Iterator<Item: Send>> IndexedParallelIterator for Ordered<I> {}

/// Collections that can be iterated by value.
pub trait IntoParallelIterator {
    /// The type of the items.
    type Item: Send;
    /// The iterator that yields the items in order.
    type Inner: Iterator<Item = Self::Item>;

    /// Its items.
    fn into_par_iter(self) -> Ordered<Self::Inner>;
}

impl<T: IntoIterator<Item: Send>> IntoParallelIterator for T {
    type Item = T::Item;
    type Inner = T::IntoIter;

    fn into_par_iter(self) -> Ordered<T::IntoIter> {
        Ordered(self.into_iter())
    }
}

/// An iterator yields its own items, so that it can be zipped with another.
impl<I: Iterator<Item: Send>> IntoIterator for Ordered<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }
}

/// Collections that can be iterated by reference.
pub trait IntoParallelRefIterator<'a> {
    /// The type of the items.
    type Item: Send + 'a;
    /// The iterator that yields the items in order.
    type Inner: Iterator<Item = Self::Item>;

    /// References to its items.
    fn par_iter(&'a self) -> Ordered<Self::Inner>;
}

impl<'a, T: 'a + ?Sized> IntoParallelRefIterator<'a> for T
where
    &'a T: IntoIterator<Item: Send>,
{
    type Item = <&'a T as IntoIterator>::Item;
    type Inner = <&'a T as IntoIterator>::IntoIter;

    fn par_iter(&'a self) -> Ordered<Self::Inner> {
        Ordered(self.into_iter())
    }
}

/// Collections that can be iterated by mutable reference.
pub trait IntoParallelRefMutIterator<'a> {
    /// The type of the items.
    type Item: Send + 'a;
    /// The iterator that yields the items in order.
    type Inner: Iterator<Item = Self::Item>;

    /// Mutable references to its items.
    fn par_iter_mut(&'a mut self) -> Ordered<Self::Inner>;
}

impl<'a, T: 'a + ?Sized> IntoParallelRefMutIterator<'a> for T
where
    &'a mut T: IntoIterator<Item: Send>,
{
    type Item = <&'a mut T as IntoIterator>::Item;
    type Inner = <&'a mut T as IntoIterator>::IntoIter;

    fn par_iter_mut(&'a mut self) -> Ordered<Self::Inner> {
        Ordered(self.into_iter())
    }
}

/// Slices in pieces.
pub trait ParallelSlice<T: Sync> {
    /// Pieces of `size` items; the last may be shorter.
    fn par_chunks(&self, size: usize) -> Ordered<std::slice::Chunks<'_, T>>;
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn par_chunks(&self, size: usize) -> Ordered<std::slice::Chunks<'_, T>> {
        Ordered(self.chunks(size))
    }
}

/// Mutable slices in pieces, and sorted.
pub trait ParallelSliceMut<T: Send> {
    /// Pieces of `size` items; the last may be shorter.
    fn par_chunks_mut(&mut self, size: usize) -> Ordered<std::slice::ChunksMut<'_, T>>;

    /// Pieces of `size` items; a shorter rest is left out.
    fn par_chunks_exact_mut(&mut self, size: usize) -> Ordered<std::slice::ChunksExactMut<'_, T>>;

    /// Sorts the items; the order of equal ones is not kept.
    fn par_sort_unstable(&mut self)
    where
        T: Ord;

    /// Sorts the items by `compare`; the order of equal ones is not kept.
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> std::cmp::Ordering + Sync;
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn par_chunks_mut(&mut self, size: usize) -> Ordered<std::slice::ChunksMut<'_, T>> {
        Ordered(self.chunks_mut(size))
    }

    fn par_chunks_exact_mut(&mut self, size: usize) -> Ordered<std::slice::ChunksExactMut<'_, T>> {
        Ordered(self.chunks_exact_mut(size))
    }

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        self.sort_unstable();
    }

    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> std::cmp::Ordering + Sync,
    {
        self.sort_unstable_by(compare);
    }
}

/// Collections that can take the items of an iterator.
pub trait ParallelExtend<T: Send> {
    /// Appends the items.
    fn par_extend<I>(&mut self, items: I)
    where
        I: IntoParallelIterator<Item = T>;
}

impl<T: Send, C: Extend<T>> ParallelExtend<T> for C {
    fn par_extend<I>(&mut self, items: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        self.extend(items.into_par_iter().ordered());
    }
}
