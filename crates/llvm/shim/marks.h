// What our passes at the start of the pipeline write into the marks of a loop.
#pragma once
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Metadata.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class Value;
}

// Whether some loop of a function is marked.
extern "C" bool lw_has_marked_loops(llvm::Function *function);

namespace lw {

inline const char OpenMp[] = "laneweaver.openmp";
// Iterations are independent.
inline const char Parallel[] = "laneweaver.parallel";
inline const char Kept[] = "laneweaver.kept";
inline const char Nontemporal[] = "laneweaver.nontemporal";
// Sums may be computed in another order.
inline const char Reorder[] = "laneweaver.reorder";
// The mark was a call, not a pragma.
inline const char Called[] = "laneweaver.called";
// The loop went back from several blocks.
inline const char Joined[] = "laneweaver.joined";
// Objects have other lives for the sake of the loop. They, and what begins and ends these lives, have the same mark.
inline const char Lives[] = "laneweaver.lives";

// Objects on the stack that were there before the loop of OpenMP began, and are no copies that clang made for its clauses. Each has a mark of its own.
inline const char Around[] = "laneweaver.around", Object[] = "laneweaver.object";

// How functions that end the program are called while that is hidden, with their names behind it: the second may throw.
inline const llvm::StringRef Ends = "laneweaver.ends.", Throws = "laneweaver.throws.";

inline llvm::Metadata *flag(llvm::LLVMContext &context, llvm::StringRef name) {
  return llvm::MDNode::get(context, llvm::MDString::get(context, name));
}

// The mark of this name.
const llvm::MDNode *findMark(const llvm::MDNode *marks, llvm::StringRef name);

// Whether the user wants the loop to be vectorized.
bool wantsVectors(const llvm::MDNode *marks);

// The variables with the number of the iteration, by the latches of loops of OpenMP.
using Counters = llvm::SmallDenseMap<const llvm::BasicBlock *, llvm::Value *, 4>;

// What the lives that were limited for a loop are marked with, by its latch.
using LimitedLives = llvm::SmallDenseMap<const llvm::BasicBlock *, llvm::MDNode *, 4>;

// Gives each iteration its own of the arrays that only it uses. Loops with independent iterations are named by their latches.
LimitedLives limitLives(llvm::Function &function, const llvm::LoopInfo &loops, const llvm::DominatorTree &dominators,
                        const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &parallel, const Counters &counters);

// Takes that back for the loops with these marks, and forgets those of all others.
void restoreLives(llvm::Function &function, const llvm::SmallPtrSetImpl<const llvm::Metadata *> &marks);

// The mark of a loop of OpenMP that names the objects around it; null if there are none. It is known by its counter.
llvm::MDNode *markAround(llvm::Value *counter);

// The marks of a loop, at the terminator of its latch.
llvm::MDNode *marksOf(const llvm::Instruction *terminator);

// Whether an iteration of the loop may end the program, and LLVM knows it.
bool mayEnd(const llvm::Loop *loop);

} // namespace lw
