//! The kernels on the CPU, one thread after the other: to check them where there is no GPU.

use super::Error;
use super::machine::{Kernel, Machine};
use super::state::State;

type Run = unsafe extern "C" fn(*const State, u32, u32, u32);

unsafe extern "C" {
    fn lw_cfa_conditionals(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_maps(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_loads(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_stores(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_outside(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_0(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_1(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_2(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_3(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_4(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_many(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_calls_spread(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_unpartitioned(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_flow(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_commit(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_tick(state: *const State, offset: u32, threads: u32, step: u32);
    fn lw_cfa_state_size() -> u32;
}

/// The memory, and in which order threads run.
pub(super) struct Emulator {
    /// Quads, so that it is aligned as the kernels want it.
    memory: Vec<u128>,
    /// A multiple of the threads that share an operation times the shards of lists.
    pub(super) threads: u32,
    /// Coprime to the number of threads.
    pub(super) step: u32,
}

impl Emulator {
    pub(super) fn new(threads: u32, step: u32) -> Emulator {
        // SAFETY: the function only returns a constant.
        let size = unsafe { lw_cfa_state_size() };
        assert_eq!(size as usize, size_of::<State>(), "state.rs and state.h differ");
        Emulator { memory: Vec::new(), threads, step }
    }

    fn place(&mut self, at: u64, bytes: u64) -> std::ops::Range<usize> {
        let start = (at - self.memory.as_ptr() as u64) as usize;
        start..start + bytes as usize
    }

    fn bytes(&mut self) -> &mut [u8] {
        let bytes = self.memory.len() * 16;
        // SAFETY: any bytes are a number, and there are 16 to each.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), bytes) }
    }
}

fn function(kernel: Kernel) -> Run {
    match kernel {
        Kernel::Conditionals => lw_cfa_conditionals,
        Kernel::Maps => lw_cfa_maps,
        Kernel::Loads => lw_cfa_loads,
        Kernel::Stores => lw_cfa_stores,
        Kernel::Outside => lw_cfa_outside,
        Kernel::Calls0 => lw_cfa_calls_0,
        Kernel::Calls1 => lw_cfa_calls_1,
        Kernel::Calls2 => lw_cfa_calls_2,
        Kernel::Calls3 => lw_cfa_calls_3,
        Kernel::Calls4 => lw_cfa_calls_4,
        Kernel::CallsMany => lw_cfa_calls_many,
        Kernel::CallsSpread => lw_cfa_calls_spread,
        Kernel::Unpartitioned => lw_cfa_unpartitioned,
        Kernel::Flow => lw_cfa_flow,
        Kernel::Commit => lw_cfa_commit,
        Kernel::Tick => lw_cfa_tick,
    }
}

impl Machine for Emulator {
    fn memory(&mut self) -> Result<u64, Error> {
        Ok(1 << 32)
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, Error> {
        // What kernels must not rely on is not zero.
        self.memory = vec![0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a; bytes.div_ceil(16) as usize];
        Ok(self.memory.as_ptr() as u64)
    }

    fn zero(&mut self, at: u64, bytes: u64) -> Result<(), Error> {
        let place = self.place(at, bytes);
        self.bytes()[place].fill(0);
        Ok(())
    }

    fn write(&mut self, at: u64, words: &[u32]) -> Result<(), Error> {
        let place = self.place(at, words.len() as u64 * 4);
        let bytes = self.bytes()[place].chunks_exact_mut(4);
        bytes.zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
        Ok(())
    }

    fn read(&mut self, at: u64, words: &mut [u32]) -> Result<(), Error> {
        let place = self.place(at, words.len() as u64 * 4);
        for (word, from) in words.iter_mut().zip(self.bytes()[place].chunks_exact(4)) {
            *word = u32::from_ne_bytes([from[0], from[1], from[2], from[3]]);
        }
        Ok(())
    }

    fn rounds(&mut self, state: &State, forms: &[Kernel], count: u32) -> Result<(), Error> {
        let (threads, step) = (self.threads, self.step);
        let run = |kernel: Kernel, offset: u32| {
            // SAFETY: the addresses of the state are in `memory`, which nothing else uses meanwhile.
            unsafe { function(kernel)(state, offset, threads, step) }
        };
        for offset in 0..count {
            // The forms may run in any order.
            if step % 3 == 0 {
                forms.iter().rev().for_each(|form| run(*form, offset));
            } else {
                forms.iter().for_each(|form| run(*form, offset));
            }
            run(Kernel::Flow, offset);
            run(Kernel::Commit, offset);
        }
        run(Kernel::Tick, count);
        Ok(())
    }
}
