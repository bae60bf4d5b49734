//! Which kernels run.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

/// The answer of [`look_up`], one more than its position; 0 before the first time. Whoever comes first, it is the same.
static BEST: AtomicU8 = AtomicU8::new(0);

#[cold]
fn look_up() -> Backend {
    #[cfg(target_arch = "x86_64")]
    // Every processor with AVX2 has the others; a virtual machine may hide them.
    let best = if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
    {
        Backend::Avx2
    } else {
        Backend::Sse2
    };
    #[cfg(not(target_arch = "x86_64"))]
    let best = Backend::Scalar;
    BEST.store(best as u8 + 1, Ordering::Relaxed);
    best
}

/// The instructions that kernels use. All backends give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Plain Rust; runs everywhere.
    Scalar,
    /// Two registers of four lanes; every x86-64 processor has it.
    Sse2,
    /// One register of eight lanes.
    Avx2,
}

impl Backend {
    /// All there are, slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Sse2, Self::Avx2];

    /// Whether this processor can run it.
    #[must_use]
    #[inline]
    pub fn is_available(self) -> bool {
        self <= Self::best()
    }

    /// The fastest this processor can run. The answer is looked up once and kept.
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        match BEST.load(Ordering::Relaxed) {
            3 => Self::Avx2,
            2 => Self::Sse2,
            1 => Self::Scalar,
            _ => look_up(),
        }
    }

    /// This backend where the processor has it, else the next slower one that it has.
    #[must_use]
    #[inline]
    pub fn or_available(self) -> Self {
        self.min(Self::best())
    }
}

impl Default for Backend {
    fn default() -> Self {
        Self::best()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scalar => "scalar",
            Self::Sse2 => "SSE2",
            Self::Avx2 => "AVX2",
        })
    }
}

/// Runs a kernel `fn kernel<S: Simd>(simd: S, args...) -> R`, which must be `#[inline(always)]`, on a backend:
/// `dispatch!(backend, kernel(a: A, b: B) -> R)` expands to the call. The kernel is compiled once a backend as
/// a whole, never operation by operation. A backend that the processor lacks falls back to the next slower one.
macro_rules! dispatch {
    ($backend:expr, $kernel:ident $(::<$($g:tt),*>)? ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
        #[allow(unsafe_code, reason = "makes the AVX2 token where the feature is on")]
        unsafe fn run_avx2($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: this function is only called where AVX2 was found.
            let simd = unsafe { $crate::wide::avx2::Avx2::new() };
            $kernel $(::<_, $($g),*>)? (simd, $($arg),*)
        }
        match $backend.or_available() {
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code, reason = "the processor was asked for AVX2")]
            // SAFETY: `or_available` says AVX2 only where the processor has it.
            $crate::wide::Backend::Avx2 => unsafe { run_avx2($($arg),*) },
            #[cfg(target_arch = "x86_64")]
            $crate::wide::Backend::Sse2 => $kernel $(::<_, $($g),*>)? ($crate::wide::sse2::Sse2::new(), $($arg),*),
            _ => $kernel $(::<_, $($g),*>)? ($crate::wide::scalar::Scalar, $($arg),*),
        }
    }};
}
pub(crate) use dispatch;
