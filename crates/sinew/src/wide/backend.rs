//! Which kernels run.

use core::fmt;

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
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => true,
            #[cfg(target_arch = "x86_64")]
            // Every processor with AVX2 has the others; a virtual machine may hide them.
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("popcnt")
                    && std::arch::is_x86_feature_detected!("bmi1")
                    && std::arch::is_x86_feature_detected!("bmi2")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Sse2 | Self::Avx2 => false,
        }
    }

    /// The fastest this processor can run. The answer is looked up once and kept.
    #[must_use]
    pub fn best() -> Self {
        if Self::Avx2.is_available() {
            Self::Avx2
        } else if Self::Sse2.is_available() {
            Self::Sse2
        } else {
            Self::Scalar
        }
    }

    /// This backend where the processor has it, else the next slower one that it has.
    #[must_use]
    pub fn or_available(self) -> Self {
        if self.is_available() { self } else { Self::best().min(self) }
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
