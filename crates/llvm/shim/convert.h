// What describing and building share: the flags of instructions and the scratch memory.
#pragma once

#include "shim.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <cstdlib>
#include <cstring>
#include <string>

struct LwScratch {
  llvm::SmallVector<llvm::Value *, 16> args;
  llvm::SmallVector<llvm::BasicBlock *, 16> targets;
  llvm::SmallVector<int32_t, 16> indices;
  llvm::SmallVector<LwBundle, 4> bundles;
  llvm::SmallVector<uint64_t, 8> words;
  llvm::SmallVector<LwAttr, 32> attrs;
  std::vector<LwVariable> variables;
  std::vector<LwMember> members;
  std::vector<LwLoopMark> loops;
  // Words of the ranges of all attributes; a deque-like list of lists keeps them in place.
  std::vector<std::vector<uint64_t>> ranges;
};

namespace lw {

inline LwText text(llvm::StringRef s) { return {s.data(), s.size()}; }
inline llvm::StringRef str(LwText t) { return {t.data, t.size}; }

// Text that is handed to Rust, freed by lw_text_free.
inline LwText give(const std::string &s) {
  char *copy = static_cast<char *>(malloc(s.size() ? s.size() : 1));
  memcpy(copy, s.data(), s.size());
  return {copy, s.size()};
}

// Bits of LwInst::flags, in the order of `ir::Flags`.
enum Flag : uint16_t {
  NUW = 1 << 0,
  NSW = 1 << 1,
  EXACT = 1 << 2,
  DISJOINT = 1 << 3,
  NNEG = 1 << 4,
  SAMESIGN = 1 << 5,
  INBOUNDS = 1 << 6,
  NUSW = 1 << 7,
  REASSOC = 1 << 8,
  NNAN = 1 << 9,
  NINF = 1 << 10,
  NSZ = 1 << 11,
  ARCP = 1 << 12,
  CONTRACT = 1 << 13,
  AFN = 1 << 14,
};

uint16_t flagsOf(const llvm::User &user);
void setFlags(llvm::Instruction &inst, uint16_t flags);
llvm::GEPNoWrapFlags gepFlags(uint16_t flags);

// The operators in the order of the Rust enums `BinOp` and `CastOp`.
extern const llvm::Instruction::BinaryOps binaryOps[18];
extern const llvm::Instruction::CastOps castOps[14];
uint32_t binaryIndex(unsigned opcode);
uint32_t castIndex(unsigned opcode);

// The predicates in the order of the Rust enum `IntPred`; those of floats have LLVM's own order.
extern const llvm::CmpInst::Predicate intPredicates[10];
// The orderings in the order of the Rust enum `Ordering`.
extern const llvm::AtomicOrdering orderings[7];
uint8_t orderingIndex(llvm::AtomicOrdering ordering);

// An attribute list is one pointer to memory of its context; LLVM gives it out but has no public way back.
void *rawAttributes(llvm::AttributeList list);
llvm::AttributeList attributesFromRaw(void *raw);

inline bool isLocal(const llvm::Value *v) { return llvm::isa<llvm::Instruction, llvm::Argument>(v); }

} // namespace lw
