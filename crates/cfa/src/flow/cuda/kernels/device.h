// What the kernels need of their machine: thread numbers, atomic operations, vectors of words. The same sources compile for
// the GPU, as CUDA, and for the CPU, as C++, where one thread after the other runs.
#pragma once

typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned long long u64;
typedef u32 Quad __attribute__((ext_vector_type(4)));

// The number of a round, for stamps, and its phase: the same modulo 6, but known without reading memory.
struct Round {
    u32 number, phase;
};

#ifdef __CUDA__

#define DEVICE static __attribute__((device)) inline
#define MEMBER __attribute__((device))
// What happens seldom, lest it take registers from the rest.
#define RARE static __attribute__((device, noinline))
DEVICE u32 thread_index() {
    return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
DEVICE u32 thread_count() { return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }

// A kernel: what each thread does with the state in a round.
#define KERNEL(name, state, round)                                                                                        \
    DEVICE void name##_thread(const State &state, Round round);                                                             \
    extern "C" __attribute__((global, launch_bounds(256, 2))) void name(const __attribute__((grid_constant)) State s,     \
                                                                        u32 offset) {                                     \
        name##_thread(s, Round{*s.round + offset, offset + 1});                                                           \
    }                                                                                                                     \
    DEVICE void name##_thread(const State &state, Round round)

#else

#define DEVICE static inline
#define MEMBER
#define RARE static
static __thread u32 current_thread, all_threads;
DEVICE u32 thread_index() { return current_thread; }
DEVICE u32 thread_count() { return all_threads; }

// Threads run in the order 0, step, 2 step, … modulo their number, to which `step` is coprime: nothing may depend on it.
#define KERNEL(name, state, round)                                                                                        \
    DEVICE void name##_thread(const State &state, Round round);                                                             \
    extern "C" void lw_cfa_##name(const State *s, u32 offset, u32 threads, u32 step) {                                    \
        all_threads = threads;                                                                                            \
        Round number = {*s->round + offset, offset + 1};                                                                  \
        for (u32 i = 0; i < threads; i++) {                                                                               \
            current_thread = (u64)i * step % threads;                                                                     \
            name##_thread(*s, number);                                                                                    \
        }                                                                                                                 \
    }                                                                                                                     \
    DEVICE void name##_thread(const State &state, Round round)

#endif

// Within a kernel nothing orders threads: all that is shared is a set that grows, a counter, or a stamp.
DEVICE u32 load(const u32 *p) { return __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE u64 load(const u64 *p) { return __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE void fetch_or(u64 *p, u64 v) { __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE void fetch_max(u32 *p, u32 v) { __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE u32 fetch_add(u32 *p, u32 v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE void add(u64 *p, u64 v) { __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE u32 exchange(u32 *p, u32 v) { return __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }

// Sets a stamp; whether this thread is the first to set it to this value.
DEVICE bool first_to_stamp(u32 *stamp, u32 value) { return load(stamp) != value && exchange(stamp, value) != value; }
