// Arrays on the stack that only one marked loop uses, whose iterations are independent: each iteration has its own. Clang says so by
// the life of those that are declared in the loop, not of those that a `private` clause names; here they get such a life, before LLVM
// makes several loops of one and nobody knows any more that they belong to each alone.
#include "marks.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace lw;

// Where an object is used.
struct Users {
  // The innermost loop with all of them; none if there is no such loop, or an address is kept in memory.
  Loop *around = nullptr;
  SmallVector<Instruction *, 4> lifetimes;

  Users(Value *object, const LoopInfo &loops) {
    SmallVector<Value *, 8> addresses = {object};
    bool first = true;
    while (!addresses.empty()) {
      for (Use &use : addresses.pop_back_val()->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        if (user->isLifetimeStartOrEnd()) {
          lifetimes.push_back(user);
          continue;
        }
        auto *store = dyn_cast<StoreInst>(user);
        bool accesses = isa<LoadInst, CallInst>(user) || (store && store->getValueOperand() != use.get());
        Loop *loop = loops.getLoopFor(user->getParent());
        around = first ? loop : around;
        first = false;
        while (around && !(loop && around->contains(loop)))
          around = around->getParentLoop();
        if (isa<GetElementPtrInst>(user))
          addresses.push_back(user);
        else if (!accesses)
          around = nullptr;
        if (!around)
          return;
      }
    }
  }
};

// Where an iteration begins: in front of what follows the test whether there is one.
static Instruction *firstOf(const Loop *loop) {
  BasicBlock *header = loop->getHeader();
  if (!loop->isLoopExiting(header))
    return &*header->getFirstInsertionPt();
  for (BasicBlock *next : successors(header))
    if (loop->contains(next) && next->getSinglePredecessor())
      return &*next->getFirstInsertionPt();
  return nullptr;
}

bool lw::limitLives(Function &function, const LoopInfo &loops, const SmallPtrSetImpl<const BasicBlock *> &parallel) {
  bool changed = false;
  for (Instruction &inst : function.getEntryBlock()) {
    auto *object = dyn_cast<AllocaInst>(&inst);
    if (!object || !object->isStaticAlloca() || isAllocaPromotable(object))
      continue;
    Users users(object, loops);
    Loop *loop = users.around;
    while (loop && !parallel.contains(loop->getLoopLatch()))
      loop = loop->getParentLoop();
    Instruction *first = loop ? firstOf(loop) : nullptr;
    auto isInside = [&](const Instruction *lifetime) { return loop->contains(lifetime); };
    auto isInHeader = [&](const User *user) { return cast<Instruction>(user)->getParent() == loop->getHeader(); };
    if (!first || any_of(users.lifetimes, isInside) ||
        (first->getParent() != loop->getHeader() && any_of(object->users(), isInHeader)))
      continue;
    for (Instruction *lifetime : users.lifetimes)
      lifetime->eraseFromParent();
    IRBuilder<>(first).CreateLifetimeStart(object);
    IRBuilder<>(loop->getLoopLatch()->getTerminator()).CreateLifetimeEnd(object);
    changed = true;
  }
  return changed;
}
