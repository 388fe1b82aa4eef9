// Arrays on the stack that only one marked loop uses, whose iterations are independent: each iteration has its own. Clang says so by
// the life of those that are declared in the loop, not of those that a `private` clause names; here they get such a life, before LLVM
// makes several loops of one and nobody knows any more that they belong to each alone. Those of `lastprivate` clauses get a life that
// begins in each iteration, and ends behind the loop.
#include "marks.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
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

// Whether an object is the array that a loop of OpenMP has for a `lastprivate` clause. Its life begins behind the start of the counter,
// where users declare nothing; first the loop uses it, then what comes behind.
static bool isLastPrivate(AllocaInst *object, const Loop *loop, const DominatorTree &dominators, Value *counter) {
  Instruction *begin = nullptr;
  bool used = false;
  SmallVector<Value *, 8> addresses = {object};
  SmallPtrSet<Value *, 8> seen = {object};
  while (!addresses.empty()) {
    for (User *user : addresses.pop_back_val()->users()) {
      auto *inst = cast<Instruction>(user);
      bool inside = loop->contains(inst);
      if (auto *marker = dyn_cast<LifetimeIntrinsic>(inst)) {
        bool starts = marker->getIntrinsicID() == Intrinsic::lifetime_start;
        if (inside || (starts && begin))
          return false;
        begin = starts ? inst : begin;
        continue;
      }
      if (!inside && !dominators.dominates(loop->getHeader(), inst->getParent()))
        return false;
      used = used || inside;
      if (isa<GetElementPtrInst, PHINode, SelectInst>(inst) && seen.insert(inst).second)
        addresses.push_back(inst);
    }
  }
  auto startsBefore = [&](const User *user) {
    auto *store = dyn_cast<StoreInst>(user);
    return store && !loop->contains(store) && dominators.dominates(store, begin);
  };
  return used && begin && any_of(counter->users(), startsBefore);
}

static AllocaInst *resize(AllocaInst *object, Type *type) {
  auto *other = new AllocaInst(type, object->getAddressSpace(), object->getArraySize(), object->getAlign(), "", object->getIterator());
  other->takeName(object);
  other->setDebugLoc(object->getDebugLoc());
  object->replaceAllUsesWith(other);
  object->eraseFromParent();
  return other;
}

// Makes an object larger than what is copied from it. LLVM would make one of it and the one it is copied to, whose life is another.
static AllocaInst *enlarge(AllocaInst *object) {
  Type *type = object->getAllocatedType();
  if (auto *array = dyn_cast<ArrayType>(type))
    return resize(object, ArrayType::get(array->getElementType(), array->getNumElements() + 1));
  return resize(object, StructType::get(type, Type::getInt8Ty(object->getContext())));
}

// The type of an object before it was enlarged.
static Type *typeBefore(Type *type) {
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(array->getElementType(), array->getNumElements() - 1);
  return type->getStructElementType(0);
}

// The mark of the lives that are limited for a loop.
static MDNode *markOf(const Loop *loop, LimitedLives &limited) {
  MDNode *&mark = limited[loop->getLoopLatch()];
  if (!mark)
    mark = MDNode::getDistinct(loop->getHeader()->getContext(), {});
  return mark;
}

// Lets the lives of `lastprivate` arrays begin in each iteration.
static void beginLives(AllocaInst *object, const LoopInfo &loops, const DominatorTree &dominators,
                       const SmallPtrSetImpl<const BasicBlock *> &parallel, const Counters &counters, LimitedLives &limited) {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    const BasicBlock *latch = loop->getLoopLatch();
    Value *counter = parallel.contains(latch) ? counters.lookup(latch) : nullptr;
    if (!counter || !isLastPrivate(object, loop, dominators, counter))
      continue;
    if (Instruction *first = firstOf(loop)) {
      AllocaInst *larger = enlarge(object);
      for (Instruction *changed : {cast<Instruction>(larger), cast<Instruction>(IRBuilder<>(first).CreateLifetimeStart(larger))})
        changed->setMetadata(Lives, markOf(loop, limited));
      return;
    }
  }
}

// The innermost marked loop around an instruction.
static Loop *markedAround(const Instruction *inst, const LoopInfo &loops) {
  Loop *loop = loops.getLoopFor(inst->getParent());
  for (; loop; loop = loop->getParentLoop())
    if (BasicBlock *latch = loop->getLoopLatch())
      if (const MDNode *marks = marksOf(latch->getTerminator()); marks && wantsVectors(marks))
        return loop;
  return nullptr;
}

// Lets variables of the body begin with nothing. LLVM would let those that are not set on all ways begin with what they had in the iteration before.
static void forgetAtStart(AllocaInst *object, const LoopInfo &loops, LimitedLives &limited) {
  if (!object->getAllocatedType()->isSingleValueType())
    return;
  SmallVector<Instruction *, 2> starts;
  for (User *user : object->users())
    if (auto *marker = dyn_cast<LifetimeIntrinsic>(user); marker && marker->getIntrinsicID() == Intrinsic::lifetime_start)
      starts.push_back(marker);
  for (Instruction *start : starts)
    if (Loop *loop = markedAround(start, loops)) {
      IRBuilder<> builder(start->getNextNode());
      Instruction *nothing = builder.CreateStore(UndefValue::get(object->getAllocatedType()), object);
      nothing->setMetadata(Lives, markOf(loop, limited));
      if (MDNode *group = start->getMetadata(LLVMContext::MD_access_group))
        nothing->setMetadata(LLVMContext::MD_access_group, group);
    }
}

LimitedLives lw::limitLives(Function &function, const LoopInfo &loops, const DominatorTree &dominators,
                            const SmallPtrSetImpl<const BasicBlock *> &parallel, const Counters &counters) {
  LimitedLives limited;
  for (Instruction &inst : make_early_inc_range(function.getEntryBlock())) {
    auto *object = dyn_cast<AllocaInst>(&inst);
    if (!object || !object->isStaticAlloca())
      continue;
    forgetAtStart(object, loops, limited);
    if (isAllocaPromotable(object))
      continue;
    Users users(object, loops);
    Loop *loop = users.around;
    while (loop && !parallel.contains(loop->getLoopLatch()))
      loop = loop->getParentLoop();
    if (!loop) {
      beginLives(object, loops, dominators, parallel, counters, limited);
      continue;
    }
    Instruction *first = firstOf(loop);
    auto isInside = [&](const Instruction *lifetime) { return loop->contains(lifetime); };
    auto isInHeader = [&](const User *user) { return cast<Instruction>(user)->getParent() == loop->getHeader(); };
    if (!first || any_of(users.lifetimes, isInside) ||
        (first->getParent() != loop->getHeader() && any_of(object->users(), isInHeader)))
      continue;
    for (Instruction *changed : {IRBuilder<>(first).CreateLifetimeStart(object),
                                 IRBuilder<>(loop->getLoopLatch()->getTerminator()).CreateLifetimeEnd(object)})
      changed->setMetadata(Lives, markOf(loop, limited));
  }
  return limited;
}

MDNode *lw::markAround(Value *counter) {
  auto *first = cast<AllocaInst>(counter);
  LLVMContext &context = first->getContext();
  SmallVector<Metadata *, 4> all = {MDString::get(context, Around)};
  // Clang allocates what belongs to clauses and to the body behind the counter.
  for (Instruction &inst : make_range(first->getParent()->begin(), first->getIterator())) {
    auto *object = dyn_cast<AllocaInst>(&inst);
    if (!object || isAllocaPromotable(object))
      continue;
    MDNode *mark = object->getMetadata(Object);
    if (!mark)
      mark = MDNode::getDistinct(context, {});
    object->setMetadata(Object, mark);
    all.push_back(mark);
  }
  return all.size() > 1 ? MDNode::get(context, all) : nullptr;
}

void lw::restoreLives(Function &function, const SmallPtrSetImpl<const Metadata *> &marks) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    inst.setMetadata(Object, nullptr);
    const MDNode *mark = inst.getMetadata(Lives);
    if (!mark)
      continue;
    inst.setMetadata(Lives, nullptr);
    if (!marks.contains(mark))
      continue;
    if (auto *object = dyn_cast<AllocaInst>(&inst))
      resize(object, typeBefore(object->getAllocatedType()));
    else
      inst.eraseFromParent();
  }
}
