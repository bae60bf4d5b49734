//! How much memory and work one file may ask for.
//!
//! Every count in a glTF file is a claim: an accessor without bytes may claim four billion elements, a
//! thousand meshes may claim the same ones. Each claim is charged before it is paid for.

use std::collections::BTreeSet;

use super::fault::Fault;
use crate::error::{Place, ProblemCode};

/// What is left of the memory and the work that a file may ask for.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: u64,
    bytes: u64,
    work_limit: u64,
    work: u64,
    /// Whether the caller set the limit, which nothing raises then.
    fixed: bool,
    /// Files beside this one that have raised the limit.
    grown: BTreeSet<String>,
}

impl Budget {
    /// Bytes that any file may ask for, however small.
    const FLOOR: u64 = 4 << 20;
    /// Bytes of memory for each byte of the file.
    const EXPANSION: u64 = 64;
    /// Numbers looked at for each byte that may be allocated.
    const WORK: u64 = 4;

    /// A budget for `size` bytes read, or the caller's own limit.
    pub(crate) fn new(size: u64, limit: Option<u64>) -> Self {
        let fixed = limit.is_some();
        let limit = limit.unwrap_or_else(|| Self::FLOOR.saturating_add(size.saturating_mul(Self::EXPANSION)));
        Self {
            limit,
            bytes: 0,
            work_limit: limit.saturating_mul(Self::WORK),
            work: 0,
            fixed,
            grown: BTreeSet::new(),
        }
    }

    /// More bytes have arrived with a file beside this one: they may ask for memory as well, once a file however
    /// often it is named.
    pub(crate) fn grow(&mut self, file: &str, size: u64) {
        if self.fixed || !self.grown.insert(file.to_owned()) {
            return;
        }
        self.limit = self.limit.saturating_add(size.saturating_mul(Self::EXPANSION));
        self.work_limit = self.limit.saturating_mul(Self::WORK);
    }

    /// How much of a file beside this one is worth reading: where the caller set a limit, one byte more than is
    /// left of it, so that the charge that follows fails.
    pub(crate) fn readable(&self, wanted: u64) -> u64 {
        if self.fixed { wanted.min((self.limit - self.bytes).saturating_add(1)) } else { wanted }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Charges `count` things of `size` bytes.
    pub(crate) fn charge(
        &mut self,
        count: u64,
        size: usize,
        place: impl FnOnce() -> Place,
    ) -> Result<(), Fault> {
        let needed = count.saturating_mul(size as u64).saturating_add(self.bytes);
        if needed > self.limit {
            let expected = format!("a file of this size to need at most {} bytes of memory", self.limit);
            return Err(Fault::new(ProblemCode::Limit, place(), expected, format!("a need for {needed}")));
        }
        self.bytes = needed;
        Ok(())
    }

    /// Charges `count` numbers to be looked at again, without memory.
    pub(crate) fn work(&mut self, count: u64, place: impl FnOnce() -> Place) -> Result<(), Fault> {
        let needed = count.saturating_add(self.work);
        if needed > self.work_limit {
            let expected = format!("a file of this size to refer to at most {} numbers", self.work_limit);
            return Err(Fault::new(ProblemCode::Limit, place(), expected, needed.to_string()));
        }
        self.work = needed;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_beyond_the_file_is_refused_before_it_is_paid() {
        let mut budget = Budget::new(1000, None);
        let place = || Place::Pointer("/accessors/0".into());
        let fault = budget.charge(u64::MAX, 16, place).unwrap_err();
        assert_eq!(fault.code, ProblemCode::Limit);
        assert!(budget.charge(1000, 16, place).is_ok());
        assert!(Budget::new(0, Some(10)).charge(11, 1, place).is_err());
    }
}
