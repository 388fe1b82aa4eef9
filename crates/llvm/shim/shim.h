// The C interface between Rust and what LLVM's C API lacks: instructions, constants and attributes are described as plain
// structs and built from the same structs, without folding. Files that ask LLVM's own analyses (dependences, peers, uniformity) add
// what it takes to ask them, and no transform.
//
// Pointers in a description that is handed out stay valid until the next call with the same scratch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llvm {
class Value;
class Type;
class BasicBlock;
class Instruction;
class Function;
class Module;
class LLVMContext;
} // namespace llvm

// Mirrors `ffi::Code` in ffi.rs: what an instruction or constant expression does.
enum LwCode : uint32_t {
  LW_FNEG,
  LW_BINARY,
  LW_CAST,
  LW_ICMP,
  LW_FCMP,
  LW_SELECT,
  LW_FREEZE,
  LW_PHI,
  LW_EXTRACT_ELEMENT,
  LW_INSERT_ELEMENT,
  LW_SHUFFLE_VECTOR,
  LW_EXTRACT_VALUE,
  LW_INSERT_VALUE,
  LW_ALLOCA,
  LW_LOAD,
  LW_STORE,
  LW_GEP,
  LW_ATOMIC_RMW,
  LW_CMPXCHG,
  LW_FENCE,
  LW_VA_ARG,
  LW_CALL,
  LW_BR,
  LW_COND_BR,
  LW_SWITCH,
  LW_INDIRECT_BR,
  LW_RET,
  LW_UNREACHABLE,
  LW_INVOKE,
  LW_RESUME,
  LW_LANDING_PAD,
  LW_OPAQUE,
};

// Bits of LwInst::bits.
enum LwBits : uint8_t {
  LW_VOLATILE = 1,
  LW_WEAK = 2,
  LW_INALLOCA = 4,
  LW_SWIFTERROR = 8,
  LW_CLEANUP = 16,
  LW_TERMINATOR = 32,
};

// Bits of LwInst::effects, in the order of `ir::inst::Effects`.
enum LwEffects : uint8_t { LW_READS = 1, LW_WRITES = 2, LW_TRAPS = 4, LW_CONVERGENT = 8, LW_RETURNS_TWICE = 16 };

struct LwText {
  const char *data;
  size_t size;
};

struct LwBundle {
  LwText tag;
  uint32_t operands;
};

// One instruction. `kind` is the operator, predicate or tail kind in the order of the Rust enums.
struct LwInst {
  LwCode code;
  uint32_t kind;
  uint32_t convention;
  uint16_t flags; // in the order of `ir::Flags`
  uint8_t bits;
  uint8_t effects;
  uint8_t align_log2;
  uint8_t ordering; // in the order of `ir::ops::Ordering`
  uint8_t failure;
  uint8_t scope; // LLVM's number
  llvm::Type *type;
  llvm::Type *extra; // element, allocated or function type
  void *attrs;       // an AttributeList
  LwText opcode;     // of an opaque instruction
  LwText name;       // of the result
  llvm::Value **args;
  size_t num_args;
  llvm::BasicBlock **targets;
  size_t num_targets;
  const int32_t *indices; // shuffle mask, path, or 0/1 for the clauses of a landing pad
  size_t num_indices;
  LwBundle *bundles;
  size_t num_bundles;
};

// Mirrors `ffi::ConstKind`.
enum LwConstKind : uint32_t {
  LW_CONST_INT,
  LW_CONST_FLOAT,
  LW_CONST_ZERO,
  LW_CONST_UNDEF,
  LW_CONST_POISON,
  LW_CONST_GLOBAL,
  LW_CONST_BLOCK_ADDRESS,
  LW_CONST_AGGREGATE,
  LW_CONST_DATA,
  LW_CONST_EXPR,
  LW_CONST_FOREIGN,
};

struct LwConst {
  LwConstKind kind;
  llvm::Type *type;
  const uint64_t *words; // of a number, or the two ends of `inrange`
  size_t num_words;
  LwText bytes;
  llvm::Function *function; // of a block address
  llvm::BasicBlock *block;
  LwInst expr;
  uint32_t inrange_bits; // the width of `inrange`, 0 where there is none
};

// Mirrors `ffi::AttrKind`.
enum LwAttrKind : uint32_t { LW_ATTR_FLAG, LW_ATTR_INT, LW_ATTR_TYPE, LW_ATTR_RANGES, LW_ATTR_TEXT };

struct LwAttr {
  uint32_t index; // 0 the result, ~0 the function, else 1 + the parameter
  LwAttrKind kind;
  LwText name;
  LwText value;
  uint64_t number;
  llvm::Type *type;
  uint32_t bits;         // width of the ranges
  const uint64_t *words; // low and high of each range
  size_t num_words;
};

// How much there is in a module.
struct LwCounts {
  uint64_t functions;
  uint64_t blocks;
  uint64_t instructions;
  uint64_t calls;
  uint64_t debug_locations;
  uint64_t debug_records;
};

// Mirrors `ffi::UseRangeDesc`: what LazyValueInfo says at a use. Position of the block in its function, of the instruction
// in its block, index of the operand as `describe` has it; `[lower, upper)` as LLVM's ConstantRange has it.
struct LwUseRange {
  uint32_t block;
  uint32_t inst;
  uint32_t arg;
  uint32_t bits;
  uint64_t lower[2];
  uint64_t upper[2];
};

// Mirrors `ffi::PeerTime`: how much an analysis of LLVM did for a function, and the nanoseconds it took.
struct LwPeerTime {
  uint64_t count;
  uint64_t nanoseconds;
  uint64_t extra;
};

// Mirrors `ffi::UniformityTime`: the nanoseconds of UniformityInfo for a function, and of what it is given.
struct LwUniformityTime {
  uint64_t instructions;
  uint64_t nanoseconds;
  uint64_t dominators;
  uint64_t cycles;
};

// Mirrors `ffi::DivergentCycle`: the number of its header, whether threads leave it in different iterations, and whether
// everything in it is assumed to be divergent.
struct LwDivergentCycle {
  uint32_t header;
  bool left;
  bool assumed;
};

// Mirrors `ffi::UniformityOf`: how much of each table belongs to a function.
struct LwUniformityOf {
  uint64_t divergent;
  uint64_t cycles;
  uint64_t text;
};

// A place in a source file; line 0 stands for none.
struct LwLocation {
  LwText directory;
  LwText file;
  uint32_t line;
  uint32_t column;
  bool inlined;
};

// Mirrors `source::Holds`.
enum LwHolds : uint32_t { LW_HOLDS_VALUE, LW_HOLDS_ADDRESS, LW_HOLDS_CONSTANT };

// What a debug record says of a variable of the source.
struct LwVariable {
  LwText name;
  const void *identity; // of the variable: names may repeat
  LwHolds holds;
  uint32_t line; // of its declaration
  llvm::Value *value;
  int64_t constant; // an integer, sign-extended
};

// A member of a structure of the source.
struct LwMember {
  LwText structure;
  LwText name;
  uint64_t offset; // in bits
  const void *identity; // of the structure: names may repeat
};

// A loop by the terminator of its latch, and what its marks say.
struct LwLoopMark {
  llvm::Instruction *terminator;
  uint32_t width; // 0 if none was asked for
  uint32_t iterations; // 0 if nobody knows how many
  uint32_t flags; // 1: accesses are parallel, 2: of OpenMP
};

struct LwScratch;
