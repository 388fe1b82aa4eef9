//! What a machine that runs the kernels does: the GPU, or the CPU in its place.

use super::Error;
use super::state::State;

/// A kernel; the names are those of `kernels.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Conditionals,
    Maps,
    Loads,
    Stores,
    Outside,
    Calls0,
    Calls1,
    Calls2,
    Calls3,
    Calls4,
    CallsMany,
    CallsSpread,
    Unpartitioned,
    Flow,
    Commit,
    Tick,
}

impl Kernel {
    #[cfg(kernels)]
    pub(super) const ALL: [Kernel; 16] = [
        Kernel::Conditionals,
        Kernel::Maps,
        Kernel::Loads,
        Kernel::Stores,
        Kernel::Outside,
        Kernel::Calls0,
        Kernel::Calls1,
        Kernel::Calls2,
        Kernel::Calls3,
        Kernel::Calls4,
        Kernel::CallsMany,
        Kernel::CallsSpread,
        Kernel::Unpartitioned,
        Kernel::Flow,
        Kernel::Commit,
        Kernel::Tick,
    ];

    /// Its name in `kernels.cu`.
    #[cfg(kernels)]
    pub(super) fn name(self) -> &'static str {
        match self {
            Kernel::Conditionals => "conditionals",
            Kernel::Maps => "maps",
            Kernel::Loads => "loads",
            Kernel::Stores => "stores",
            Kernel::Outside => "outside",
            Kernel::Calls0 => "calls_0",
            Kernel::Calls1 => "calls_1",
            Kernel::Calls2 => "calls_2",
            Kernel::Calls3 => "calls_3",
            Kernel::Calls4 => "calls_4",
            Kernel::CallsMany => "calls_many",
            Kernel::CallsSpread => "calls_spread",
            Kernel::Unpartitioned => "unpartitioned",
            Kernel::Flow => "flow",
            Kernel::Commit => "commit",
            Kernel::Tick => "tick",
        }
    }
}

/// Memory and kernels. Addresses are only good between `allocate` and the next `allocate`.
pub(super) trait Machine {
    /// How many bytes may be allocated.
    fn memory(&mut self) -> Result<u64, Error>;
    /// Makes this the memory, in place of any before. Yields its address.
    fn allocate(&mut self, bytes: u64) -> Result<u64, Error>;
    fn zero(&mut self, at: u64, bytes: u64) -> Result<(), Error>;
    fn write(&mut self, at: u64, words: &[u32]) -> Result<(), Error>;
    fn read(&mut self, at: u64, words: &mut [u32]) -> Result<(), Error>;
    /// Runs rounds: the kernels of `forms`, in any order or at once, then `Flow`, then `Commit`; after the last, `Tick`.
    fn rounds(&mut self, state: &State, forms: &[Kernel], count: u32) -> Result<(), Error>;
}
