//! Where groups wait between the steps of a kernel.
#![allow(
    unsafe_code,
    reason = "memory that is not written before it is needed: clearing it costs as much as a group"
)]

use core::mem::MaybeUninit;

/// Up to `N` values, one after the other; what is not there costs nothing.
pub(crate) struct Stage<T, const N: usize> {
    items: [MaybeUninit<T>; N],
    count: usize,
}

impl<T: Copy, const N: usize> Stage<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { items: [const { MaybeUninit::uninit() }; N], count: 0 }
    }

    /// How many are there.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One more; callers leave a full stage alone.
    #[inline(always)]
    pub(crate) fn push(&mut self, item: T) {
        debug_assert!(self.count < N, "a stage of {N} is full");
        if let Some(place) = self.items.get_mut(self.count) {
            place.write(item);
            self.count += 1;
        }
    }

    /// None are there any more.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    /// All that are there.
    #[inline(always)]
    pub(crate) fn items(&mut self) -> &mut [T] {
        // SAFETY: the first `count` have been written, `count` is at most `N`, and `MaybeUninit<T>` is laid out as `T`.
        unsafe { core::slice::from_raw_parts_mut(self.items.as_mut_ptr().cast(), self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn what_was_pushed_is_there_in_order_and_no_more_than_fits() {
        let mut stage = Stage::<u64, 3>::new();
        assert!(stage.items().is_empty());
        for value in 5..8 {
            stage.push(value);
        }
        assert_eq!((stage.count(), &*stage.items()), (3, &[5, 6, 7][..]));
        stage.items()[1] = 60;
        assert_eq!(stage.items(), [5, 60, 7]);
        stage.clear();
        assert_eq!((stage.count(), stage.items().len()), (0, 0));
        stage.push(1);
        assert_eq!(stage.items(), [1]);
    }
}
