//! A table of rows of different lengths in two flat arrays (compressed sparse rows).

/// `row(i)` is a slice; all rows lie in one allocation, in row order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<T> {
    start: Vec<u32>,
    items: Vec<T>,
}

/// No rows, and none can be added.
impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { start: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Rows<T> {
    /// Groups `(row, item)` pairs by row in linear time. Within a row the items keep the order of
    /// `pairs`.
    pub fn group<I>(row_count: usize, pairs: I) -> Self
    where
        I: Iterator<Item = (usize, T)> + Clone,
    {
        let mut rows = Rows::default();
        rows.regroup(row_count, pairs);
        rows
    }

    /// The same, in the memory of what was there.
    pub fn regroup<I>(&mut self, row_count: usize, pairs: I)
    where
        I: Iterator<Item = (usize, T)> + Clone,
    {
        self.begin_counting(row_count);
        pairs.clone().for_each(|(row, _)| self.count(row));
        self.fill(pairs);
    }

    /// Forgets all. Then items of so many rows are [counted](Rows::count) one by one, and [filled in](Rows::fill).
    pub fn begin_counting(&mut self, row_count: usize) {
        self.start.clear();
        self.start.resize(row_count + 2, 0);
    }

    /// A row will have one more item.
    #[inline]
    pub fn count(&mut self, row: usize) {
        self.start[row + 2] += 1;
    }

    /// Puts the items that were counted into their rows. Within a row they keep the order of `pairs`.
    pub fn fill(&mut self, mut pairs: impl Iterator<Item = (usize, T)>) {
        let Rows { start, items } = self;
        items.clear();
        let mut sum = 0;
        for count in start.iter_mut() {
            sum += *count;
            *count = sum;
        }
        // Now `start[row + 1]` is where `row` begins. It moves on with each item, and is where the next row begins when
        // all are in.
        if let Some(first) = pairs.next() {
            items.resize(sum as usize, first.1);
            let mut put = |(row, item): (usize, T)| {
                let next = &mut start[row + 1];
                items[*next as usize] = item;
                *next += 1;
            };
            put(first);
            pairs.for_each(put);
        }
        start.pop();
    }

    /// Where the rows end, from a zero on, and all items: to be filled in another way, and put [together](Rows::from_parts) again.
    pub fn into_parts(self) -> (Vec<u32>, Vec<T>) {
        (self.start, self.items)
    }

    /// Rows that end at these items.
    ///
    /// # Panics
    /// If the ends do not begin with zero, or the last is not that of the items.
    pub fn from_parts(ends: Vec<u32>, items: Vec<T>) -> Self {
        assert_eq!((ends.first(), ends.last()), (Some(&0), Some(&(items.len() as u32))));
        Rows { start: ends, items }
    }

    /// No rows yet, with room for so many.
    pub fn with_capacity(rows: usize, items: usize) -> Self {
        let mut start = Vec::with_capacity(rows + 1);
        start.push(0);
        Rows { start, items: Vec::with_capacity(items) }
    }

    /// No rows yet, with room for so many, in the memory of what was there.
    pub fn begin(&mut self, rows: usize, items: usize) {
        self.start.clear();
        self.start.reserve(rows + 1);
        self.start.push(0);
        self.items.clear();
        self.items.reserve(items);
    }

    /// Adds an item to the row that is being written.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds an item to the row that is being written, if it is to be kept, without a branch.
    #[inline]
    pub fn push_if(&mut self, item: T, keep: bool) {
        self.items.push(item);
        self.items.truncate(self.items.len() - usize::from(!keep));
    }

    /// Adds items to the row that is being written.
    #[inline]
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
    }

    /// Ends the row that is being written.
    #[inline]
    pub fn end_row(&mut self) {
        self.start.push(self.items.len() as u32);
    }

    /// Ends the row that is being written, if it is to be kept, without a branch; else nothing must have been added to it.
    #[inline]
    pub fn end_row_if(&mut self, keep: bool) {
        self.end_row();
        self.start.truncate(self.start.len() - usize::from(!keep));
    }

    /// Rows of the same lengths with other items, row after row. More can be added.
    pub(crate) fn with_items<U>(&self, items: Vec<U>) -> Rows<U> {
        debug_assert_eq!(self.items.len(), items.len());
        Rows { start: self.start.clone(), items }
    }

    /// Puts the number of the row beside each item, in the memory of what was there.
    pub fn number(&self, rows: &mut Vec<u32>) {
        rows.clear();
        rows.resize(self.items.len() + 1, 0);
        for &start in self.start.iter().skip(1) {
            rows[start as usize] += 1;
        }
        let mut row = 0;
        for begun in rows.iter_mut() {
            row += *begun;
            *begun = row;
        }
        rows.pop();
    }

    /// How many rows there are, empty ones included.
    pub fn row_count(&self) -> usize {
        self.start.len() - 1
    }

    /// The items of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }

    /// The items of one row, to be sorted in place.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let range = self.range(row);
        &mut self.items[range]
    }

    /// Where the row lies in [`Rows::items`].
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// Where consecutive rows lie in [`Rows::items`] together.
    #[inline]
    pub fn span(&self, rows: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.start[rows.start] as usize..self.start[rows.end] as usize
    }

    /// Where some rows lie in [`Rows::items`], one after the other.
    #[inline]
    pub fn ranges(
        &self,
        rows: std::ops::Range<usize>,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let bounds = self.start.get(rows.start..=rows.end).unwrap_or_default();
        bounds.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }

    /// All items, row after row.
    #[inline]
    pub fn items(&self) -> &[T] {
        &self.items
    }
}
