// Iterations that may end the program: a failed assertion. LLVM takes for granted that no iteration follows one that did, and leaves out
// tests that only such an iteration would fail; but lanes beside it are on their way already. So at the start of the pipeline what
// never returns is called by another name, and seems to go on with the next iteration; behind our second pass it is what it was.
#include "marks.h"
#include "shim.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace lw;

static const char Prefix[] = "laneweaver.ends.";

// The call that a block ends with, if it ends the program by it. An exception that does says nothing of the iterations behind it.
static CallInst *lastCall(BasicBlock &block) {
  if (block.isLandingPad())
    return nullptr;
  auto *end = dyn_cast<UnreachableInst>(block.getTerminator());
  auto *call = end ? dyn_cast_or_null<CallInst>(end->getPrevNode()) : nullptr;
  bool throws = call && !call->doesNotThrow() && !block.getParent()->doesNotThrow();
  bool ends = call && call->getCalledFunction() && call->doesNotReturn() && !throws;
  return ends && !call->isMustTailCall() ? call : nullptr;
}

// Lets blocks end with what never returns. Clang has code behind traps. Whether it did.
static bool endBlocks(Function &function) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &inst : block)
      if (auto *call = dyn_cast<CallInst>(&inst); call && call->doesNotReturn() && !call->isMustTailCall()) {
        if (!isa<UnreachableInst>(call->getNextNode())) {
          changeToUnreachable(call->getNextNode());
          changed = true;
        }
        break;
      }
  return changed;
}

// The function by another name. Who never comes back has written nothing that somebody could read.
static Function *hidden(Function *function) {
  Module *module = function->getParent();
  std::string name = (Prefix + function->getName()).str();
  if (Function *known = module->getFunction(name))
    return known;
  Function *other = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  other->setCallingConv(function->getCallingConv());
  other->setDoesNotThrow();
  other->setMemoryEffects(MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly());
  other->addFnAttr(Attribute::Cold);
  SmallVector<GlobalValue *, 8> used;
  collectUsedGlobalVariables(*module, used, true);
  if (!function->isIntrinsic() && !is_contained(used, function)) {
    appendToCompilerUsed(*module, {function});
    other->addFnAttr(Kept);
  }
  return other;
}

static void hide(CallInst *call) {
  call->setCalledFunction(hidden(call->getCalledFunction()));
  call->removeFnAttr(Attribute::NoReturn);
}

// Whether control returns, or comes back to the loop, from a block behind it. Whether it may meet a call that does not return.
static bool goesOn(const BasicBlock *exit, const Loop *loop, bool &calls) {
  SmallSetVector<const BasicBlock *, 8> behind;
  behind.insert(exit);
  for (unsigned i = 0; i < behind.size(); ++i) {
    const Instruction *terminator = behind[i]->getTerminator();
    if (loop->contains(behind[i]) || (succ_empty(behind[i]) && !isa<UnreachableInst>(terminator)))
      return true;
    for (const Instruction &inst : *behind[i])
      if (auto *call = dyn_cast<CallBase>(&inst))
        calls = calls || call->doesNotReturn();
    behind.insert_range(successors(behind[i]));
  }
  return false;
}

// The way out of a loop behind which the program ends in any case: where it is tested whether there is another iteration.
static std::optional<Loop::Edge> wayToEnd(const Loop *loop, const DominatorTree &dominators) {
  SmallVector<Loop::Edge, 4> exits;
  loop->getExitEdges(exits);
  std::optional<Loop::Edge> found;
  for (const Loop::Edge &exit : exits) {
    bool calls = false;
    if (goesOn(exit.second, loop, calls))
      return std::nullopt;
    bool first = all_of(exits, [&](const Loop::Edge &other) { return dominators.dominates(exit.first, other.first); });
    if (exit.first == loop->getLoopLatch() || (first && !found))
      found = exit;
  }
  return found;
}

// The innermost marked loop that a dead end belongs to: control comes to it from nowhere else.
static Loop *loopOf(BasicBlock *end, const LoopInfo &loops, const DominatorTree &dominators, function_ref<bool(const Loop *)> isMarked) {
  Loop *found = nullptr;
  SmallSetVector<BasicBlock *, 8> outside;
  outside.insert(end);
  for (unsigned i = 0; i < outside.size(); ++i) {
    if (pred_empty(outside[i]))
      return nullptr;
    for (BasicBlock *from : predecessors(outside[i])) {
      Loop *loop = loops.getLoopFor(from);
      while (loop && !isMarked(loop))
        loop = loop->getParentLoop();
      if (!loop)
        outside.insert(from);
      else if (found && found != loop)
        return nullptr;
      else if (wayToEnd(loop, dominators) == Loop::Edge(from, outside[i]))
        return nullptr;
      else
        found = loop;
    }
  }
  return found;
}

// Whether a block may go to the latch: nothing that is used there, or behind it, is computed only on the other ways to it.
static bool mayJump(BasicBlock *from, BasicBlock *latch, const DominatorTree &dominators) {
  const BasicBlock *common = dominators.findNearestCommonDominator(from, latch);
  for (auto *node = dominators.getNode(latch)->getIDom(); node && node->getBlock() != common; node = node->getIDom())
    for (const Instruction &inst : *node->getBlock())
      for (const Use &use : inst.uses()) {
        const BasicBlock *where = cast<Instruction>(use.getUser())->getParent();
        if (auto *phi = dyn_cast<PHINode>(use.getUser()))
          where = phi->getIncomingBlock(use);
        if (dominators.dominates(latch, where))
          return false;
      }
  return true;
}

// Lets an iteration go on with the next instead of ending the program.
static bool goOn(CallInst *call, Loop *loop, DominatorTree &dominators) {
  BasicBlock *end = call->getParent(), *latch = loop->getLoopLatch();
  if (!latch || !mayJump(end, latch, dominators))
    return false;
  hide(call);
  end->getTerminator()->eraseFromParent();
  BranchInst::Create(latch, end)->setDebugLoc(call->getDebugLoc());
  for (PHINode &phi : latch->phis())
    phi.addIncoming(PoisonValue::get(phi.getType()), end);
  dominators.insertEdge(end, latch);
  return true;
}

// Lets a function return instead.
static void giveBack(CallInst *call) {
  hide(call);
  BasicBlock *end = call->getParent();
  end->getTerminator()->eraseFromParent();
  Type *type = end->getParent()->getReturnType();
  Value *result = type->isVoidTy() ? nullptr : Constant::getNullValue(type);
  ReturnInst::Create(end->getContext(), result, end)->setDebugLoc(call->getDebugLoc());
}

static void addCallees(BasicBlock &block, SmallSetVector<Function *, 16> &callees) {
  for (Instruction &inst : block)
    if (auto *call = dyn_cast<CallBase>(&inst))
      if (Function *callee = call->getCalledFunction())
        if (!callee->isDeclaration() && !callee->doesNotReturn() && !callee->hasOptNone())
          callees.insert(callee);
}

// Hides the dead ends of marked loops. Calls that they contain are gathered.
static bool hideInLoops(Function &function, SmallSetVector<Function *, 16> &callees) {
  bool changed = endBlocks(function);
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  auto isMarked = [](const Loop *loop) {
    const MDNode *marks = loop->getLoopID();
    return marks && wantsVectors(marks) && !findMark(marks, Called);
  };
  SmallVector<std::pair<CallInst *, Loop *>, 4> ends;
  for (BasicBlock &block : function)
    if (CallInst *call = lastCall(block); call && dominators.isReachableFromEntry(&block))
      if (Loop *loop = loopOf(&block, loops, dominators, isMarked)) {
        ends.push_back({call, loop});
        addCallees(block, callees);
      }
  for (auto [call, loop] : ends)
    changed |= goOn(call, loop, dominators);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isMarked(loop))
      for (BasicBlock *block : loop->blocks())
        addCallees(*block, callees);
  return changed;
}

// At the start of the pipeline.
extern "C" bool lw_hide_dead_ends(Module *module) {
  bool changed = false;
  SmallSetVector<Function *, 16> callees;
  for (Function &function : *module)
    if (!function.isDeclaration() && lw_has_marked_loops(&function))
      changed |= hideInLoops(function, callees);
  for (unsigned i = 0; i < callees.size(); ++i) {
    changed |= endBlocks(*callees[i]);
    for (BasicBlock &block : *callees[i]) {
      addCallees(block, callees);
      if (CallInst *call = lastCall(block)) {
        giveBack(call);
        changed = true;
      }
    }
  }
  return changed;
}

// Behind our second pass.
extern "C" bool lw_show_dead_ends(Module *module) {
  SmallVector<Function *, 4> others;
  for (Function &function : *module)
    if (function.getName().starts_with(Prefix))
      others.push_back(&function);
  for (Function *other : others) {
    // Intrinsics are not kept.
    FunctionCallee callee = module->getOrInsertFunction(other->getName().drop_front(strlen(Prefix)), other->getFunctionType());
    auto *function = cast<Function>(callee.getCallee());
    // What comes behind a call that does not return goes, perhaps another one.
    SmallVector<WeakVH, 4> calls;
    for (User *user : other->users())
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == other)
        calls.push_back(call);
    for (WeakVH &handle : calls) {
      if (!handle)
        continue;
      auto *call = cast<CallInst>(handle);
      call->setCalledFunction(function);
      call->setDoesNotReturn();
      changeToUnreachable(call->getNextNode());
    }
    if (other->hasFnAttribute(Kept))
      removeFromUsedLists(*module, [&](Constant *used) { return used->stripPointerCasts() == function; });
    other->replaceAllUsesWith(function);
    other->eraseFromParent();
  }
  return !others.empty();
}

// Whether an iteration of a loop may end the program, and LLVM knows it. Where there is one way out, it is that of the last iteration.
bool lw::mayEnd(const Loop *loop) {
  SmallVector<Loop::Edge, 4> exits;
  loop->getExitEdges(exits);
  erase_if(exits, [](const Loop::Edge &exit) { return exit.second->isLandingPad(); });
  return exits.size() > 1 && any_of(exits, [&](const Loop::Edge &exit) {
    bool calls = false;
    return !goesOn(exit.second, loop, calls) && calls;
  });
}
