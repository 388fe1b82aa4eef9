// Iterations that may end the program: a failed assertion. LLVM takes for granted that no iteration follows one that did, and leaves out
// tests that only such an iteration would fail; but lanes beside it are on their way already. So at the start of the pipeline what
// never returns is called by another name, and seems to go on with the next iteration; behind our second pass it is what it was.
//
// An exception ends the program too where nobody catches it: clang has it so in the body of a loop of OpenMP, for what the body calls (`at()` of
// a container).
#include "marks.h"
#include "shim.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace lw;

static const StringRef Gives = "laneweaver.gives.";

// Whether a call throws an exception that somebody may catch. Exceptions that an `invoke` catches do not leave the function.
static bool throws(const CallBase *call) {
  return !call->doesNotThrow() && (isa<InvokeInst>(call) || !call->getFunction()->doesNotThrow());
}

// Whether an exception ends the program here: all are caught, and nothing else is done.
static bool terminates(const BasicBlock *pad) {
  const LandingPadInst *caught = pad->getLandingPadInst();
  auto catchesAll = [&](unsigned clause) {
    return caught->isCatch(clause) && isa<ConstantPointerNull>(caught->getClause(clause));
  };
  if (!caught || none_of(seq(0u, caught->getNumClauses()), catchesAll) || !isa<UnreachableInst>(pad->getTerminator()))
    return false;
  auto *call = dyn_cast_or_null<CallInst>(pad->getTerminator()->getPrevNode());
  const Function *end = call ? call->getCalledFunction() : nullptr;
  return end && (end->getName() == "__clang_call_terminate" || end->getName() == "_ZSt9terminatev");
}

// The call that a block ends with, or is the normal way behind, if the program ends by it. If an exception that nobody catches does that too
// (`uncaught`), it may be one that throws.
static CallBase *lastCall(BasicBlock &block, bool uncaught) {
  if (block.isLandingPad() || !isa<UnreachableInst>(block.getTerminator()))
    return nullptr;
  auto *call = dyn_cast_or_null<CallBase>(block.getTerminator()->getPrevNode());
  if (&block.front() == block.getTerminator() && block.getSinglePredecessor()) {
    auto *invoke = dyn_cast<InvokeInst>(block.getSinglePredecessor()->getTerminator());
    uncaught = invoke && terminates(invoke->getUnwindDest());
    call = uncaught ? invoke : nullptr;
  }
  bool ends = call && call->getCalledFunction() && call->doesNotReturn() && (uncaught || !throws(call));
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

// Whether a function only throws an exception of the C++ library (`std::__throw_out_of_range`), and writes nothing else.
static bool onlyThrows(StringRef name) { return name.starts_with("_ZSt") && name.contains("__throw_"); }

// The function by another name. Who never comes back has written nothing that somebody could read, unless an exception comes back.
static Function *hidden(Function *function, bool throws) {
  Module *module = function->getParent();
  std::string name = ((throws ? Throws : Ends) + function->getName()).str();
  if (Function *known = module->getFunction(name))
    return known;
  Function *other = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  other->setCallingConv(function->getCallingConv());
  if (!throws)
    other->setDoesNotThrow();
  if (!throws || onlyThrows(function->getName()))
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

static void hide(CallBase *call) {
  call->setCalledFunction(hidden(call->getCalledFunction(), throws(call)));
  call->removeFnAttr(Attribute::NoReturn);
}

// Whether control returns, or comes back to the loop (if there is one), from a block behind it. Whether it may meet a call that does not return.
static bool goesOn(const BasicBlock *exit, const Loop *loop, bool &calls) {
  SmallSetVector<const BasicBlock *, 8> behind;
  behind.insert(exit);
  for (unsigned i = 0; i < behind.size(); ++i) {
    const Instruction *terminator = behind[i]->getTerminator();
    if ((loop && loop->contains(behind[i])) || (succ_empty(behind[i]) && !isa<UnreachableInst>(terminator)))
      return true;
    for (const Instruction &inst : *behind[i])
      if (auto *call = dyn_cast<CallBase>(&inst))
        calls = calls || call->doesNotReturn();
    behind.insert_range(successors(behind[i]));
  }
  return false;
}

// The way out of a loop where it is tested whether there is another iteration. Whether control goes on behind it, or the program ends in any case.
static std::optional<Loop::Edge> lastWay(const Loop *loop, const DominatorTree &dominators, bool &goes) {
  SmallVector<Loop::Edge, 4> exits;
  loop->getExitEdges(exits);
  bool calls = false;
  auto leads = [&](const Loop::Edge &exit) { return goesOn(exit.second, loop, calls); };
  goes = any_of(exits, leads);
  if (goes)
    erase_if(exits, [&](const Loop::Edge &exit) { return !leads(exit); });
  std::optional<Loop::Edge> found;
  for (const Loop::Edge &exit : exits) {
    bool first = all_of(exits, [&](const Loop::Edge &other) { return dominators.dominates(exit.first, other.first); });
    if (exit.first == loop->getLoopLatch() || (first && !found))
      found = exit;
  }
  return found;
}

using IsMarked = function_ref<bool(const Loop *)>;

// The innermost marked loop whose iterations control comes from over some edges: it comes there from nowhere else, and not only
// behind the last iteration.
static Loop *loopOf(ArrayRef<Loop::Edge> edges, const LoopInfo &loops, const DominatorTree &dominators, IsMarked isMarked) {
  Loop *found = nullptr;
  bool within = false;
  SmallSetVector<Loop::Edge, 8> work(edges.begin(), edges.end());
  for (unsigned i = 0; i < work.size(); ++i) {
    auto [from, to] = work[i];
    Loop *loop = loops.getLoopFor(from);
    while (loop && !isMarked(loop))
      loop = loop->getParentLoop();
    if (loop) {
      bool goes = false;
      bool last = lastWay(loop, dominators, goes) == Loop::Edge(from, to);
      if ((found && found != loop) || (last && !goes))
        return nullptr;
      found = loop;
      within |= !last;
    } else if (pred_empty(from)) {
      return nullptr;
    } else {
      for (BasicBlock *before : predecessors(from))
        work.insert({before, from});
    }
  }
  return within ? found : nullptr;
}

// The same, for all edges to a block.
static Loop *loopOf(BasicBlock *end, const LoopInfo &loops, const DominatorTree &dominators, IsMarked isMarked) {
  SmallVector<Loop::Edge, 4> edges;
  for (BasicBlock *from : predecessors(end))
    edges.push_back({from, end});
  return loopOf(edges, loops, dominators, isMarked);
}

// Where control comes from a block without another one.
static SmallSetVector<const BasicBlock *, 16> behind(const BasicBlock *block, const BasicBlock *without) {
  SmallSetVector<const BasicBlock *, 16> all;
  all.insert(block);
  for (unsigned i = 0; i < all.size(); ++i)
    for (const BasicBlock *next : successors(all[i]))
      if (next != without)
        all.insert(next);
  return all;
}

// Whether control may come to a block, which `above` dominates, from there on other ways than it does: nothing that is used in it, or behind it, is
// computed only on those.
static bool mayJump(const BasicBlock *above, const BasicBlock *to, const DominatorTree &dominators) {
  for (auto *node = dominators.getNode(to)->getIDom(); node->getBlock() != above; node = node->getIDom()) {
    const BasicBlock *block = node->getBlock();
    SmallSetVector<const BasicBlock *, 16> after;
    for (const Instruction &inst : *block)
      for (const Use &use : inst.uses()) {
        const BasicBlock *where = cast<Instruction>(use.getUser())->getParent();
        if (auto *phi = dyn_cast<PHINode>(use.getUser()))
          where = phi->getIncomingBlock(use);
        if (where != block && after.empty())
          after = behind(to, block);
        if (after.contains(where))
          return false;
      }
  }
  return true;
}

using Blocks = SmallSetVector<BasicBlock *, 4>;

// Whether control may come from a block to one of some others in the same iteration.
static bool reaches(BasicBlock *block, const Blocks &others, const BasicBlock *header) {
  SmallSetVector<BasicBlock *, 16> seen;
  seen.insert(block);
  for (unsigned i = 0; i < seen.size(); ++i) {
    if (others.contains(seen[i]))
      return true;
    for (BasicBlock *next : successors(seen[i]))
      if (next != header)
        seen.insert(next);
  }
  return false;
}

// Where an iteration may go on that leaves the loop from these blocks, to end the program: as far behind as possible.
static BasicBlock *wayOn(const Blocks &befores, const Loop *loop, const LoopInfo &loops, const DominatorTree &dominators) {
  BasicBlock *latch = loop->getLoopLatch(), *above = latch;
  if (!latch)
    return nullptr;
  for (BasicBlock *before : befores)
    above = dominators.findNearestCommonDominator(above, before);
  for (auto *node = dominators.getNode(latch); node->getBlock() != above; node = node->getIDom()) {
    BasicBlock *block = node->getBlock();
    if (loops.getLoopFor(block) == loop && mayJump(above, block, dominators) && !reaches(block, befores, loop->getHeader()))
      return block;
  }
  return nullptr;
}

// Gives each marked loop dead ends of its own: `goto fail;`, and what clang makes of `-ftrapv`, may lead to one from within a loop and from elsewhere,
// and from several places in it behind which nothing is computed that all of them could go on with. Whether there were some.
static bool separateEnds(Function &function, const LoopInfo &loops, const DominatorTree &dominators, IsMarked isMarked) {
  SmallVector<std::pair<BasicBlock *, Blocks>, 4> shared;
  for (BasicBlock &block : function) {
    CallBase *call = lastCall(block, false);
    if (!call || call->getParent() != &block || !block.phis().empty() || !dominators.isReachableFromEntry(&block))
      continue;
    SmallMapVector<Loop *, Blocks, 4> from;
    for (BasicBlock *before : predecessors(&block))
      if (isa<BranchInst, SwitchInst>(before->getTerminator()))
        from[loopOf(Loop::Edge(before, &block), loops, dominators, isMarked)].insert(before);
      else
        from[nullptr].insert(before);
    for (auto &[loop, befores] : from) {
      if (!loop || (from.size() == 1 && befores.size() == 1))
        continue;
      if (wayOn(befores, loop, loops, dominators)) {
        if (from.size() > 1)
          shared.push_back({&block, befores});
        continue;
      }
      for (BasicBlock *before : befores) {
        Blocks alone;
        alone.insert(before);
        shared.push_back({&block, alone});
      }
    }
  }
  for (auto &[block, befores] : shared) {
    ValueToValueMapTy map;
    BasicBlock *copy = CloneBasicBlock(block, map, "", &function);
    remapInstructionsInBlocks({copy}, map);
    for (BasicBlock *before : befores)
      before->getTerminator()->replaceSuccessorWith(block, copy);
  }
  return !shared.empty();
}

// Lets an iteration go on instead of ending the program.
static bool goOn(CallBase *call, BasicBlock *end, Loop *loop, const LoopInfo &loops, DominatorTree &dominators) {
  Blocks befores;
  befores.insert_range(predecessors(end));
  BasicBlock *next = wayOn(befores, loop, loops, dominators);
  if (!next)
    return false;
  hide(call);
  end->getTerminator()->eraseFromParent();
  BranchInst::Create(next, end)->setDebugLoc(call->getDebugLoc());
  for (PHINode &phi : next->phis())
    phi.addIncoming(PoisonValue::get(phi.getType()), end);
  dominators.insertEdge(end, next);
  return true;
}

// The other side of the last choice on the way to a dead end, where control goes that does not end here.
static std::optional<Loop::Edge> otherSide(BasicBlock *end) {
  SmallPtrSet<BasicBlock *, 8> seen;
  for (BasicBlock *block = end; seen.insert(block).second;) {
    BasicBlock *from = block->getSinglePredecessor();
    if (!from)
      break;
    bool calls = false;
    if (isa<BranchInst, SwitchInst>(from->getTerminator()))
      for (BasicBlock *side : successors(from))
        if (side != block && goesOn(side, nullptr, calls))
          return Loop::Edge(from, side);
    block = from;
  }
  return std::nullopt;
}

// Something that a function may give back, of which LLVM knows no more.
static Value *anything(Function &function, BasicBlock *end) {
  Type *type = function.getReturnType();
  if (!type->isIntegerTy() && !type->isFloatingPointTy() && !type->isPointerTy())
    return Constant::getNullValue(type);
  LLVMContext &context = function.getContext();
  auto *source = Function::Create(FunctionType::get(type, false), GlobalValue::ExternalLinkage, Gives + function.getName(), function.getParent());
  source->setAttributes(AttributeList().addRetAttributes(context, AttrBuilder(context, function.getAttributes().getRetAttrs())));
  source->setDoesNotThrow();
  source->setDoesNotAccessMemory();
  source->setWillReturn();
  return CallInst::Create(source, "", end);
}

// Lets a function go on as if it did not end here. What returns nothing, or has no other side, returns: no zero, since LLVM knows that nobody reads
// through a null pointer, divides by zero or gives back nothing by reference, so that this would be a dead end as well.
static void giveBack(CallBase *call, BasicBlock *end, std::optional<Loop::Edge> other) {
  hide(call);
  end->getTerminator()->eraseFromParent();
  Function &function = *end->getParent();
  Instruction *next = nullptr;
  if (function.getReturnType()->isVoidTy()) {
    next = ReturnInst::Create(end->getContext(), end);
  } else if (other) {
    next = BranchInst::Create(other->second, end);
    for (PHINode &phi : other->second->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(other->first), end);
  } else {
    next = ReturnInst::Create(end->getContext(), anything(function, end), end);
  }
  next->setDebugLoc(call->getDebugLoc());
}

// What loops call. Of some functions nobody catches the exceptions; others may be called both ways.
struct Callees {
  SmallSetVector<Function *, 16> all, uncaught;

  // What a block calls, from where exceptions end the program or not.
  void add(BasicBlock &block, bool ends) {
    for (Instruction &inst : block)
      if (auto *call = dyn_cast<CallBase>(&inst))
        if (Function *callee = call->getCalledFunction())
          if (!callee->isDeclaration() && !callee->doesNotReturn() && !callee->hasOptNone()) {
            auto *invoke = dyn_cast<InvokeInst>(call);
            bool here = invoke ? terminates(invoke->getUnwindDest()) : ends;
            (here ? uncaught : all).insert(callee);
          }
  }

  // What these functions call.
  void close() {
    for (unsigned i = 0, k = 0; i < uncaught.size() || k < all.size();) {
      bool ends = i < uncaught.size();
      for (BasicBlock &block : ends ? *uncaught[i] : *all[k])
        add(block, ends);
      ++(ends ? i : k);
    }
  }
};

// Hides the dead ends of marked loops. Calls that they contain are gathered.
static bool hideInLoops(Function &function, Callees &callees) {
  bool changed = endBlocks(function);
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  auto isMarked = [](const Loop *loop) {
    const MDNode *marks = loop->getLoopID();
    return marks && wantsVectors(marks) && !findMark(marks, Called);
  };
  if (separateEnds(function, loops, dominators, isMarked)) {
    dominators.recalculate(function);
    changed = true;
  }
  SmallVector<std::tuple<CallBase *, BasicBlock *, Loop *>, 4> ends;
  for (BasicBlock &block : function)
    if (CallBase *call = lastCall(block, false); call && dominators.isReachableFromEntry(&block))
      if (Loop *loop = loopOf(&block, loops, dominators, isMarked)) {
        ends.push_back({call, &block, loop});
        callees.add(block, false);
      }
  for (auto [call, end, loop] : ends)
    changed |= goOn(call, end, loop, loops, dominators);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isMarked(loop))
      for (BasicBlock *block : loop->blocks())
        callees.add(*block, false);
  return changed;
}

// Lets a function that a loop calls return where it would end the program.
static bool hideInCallee(Function &function, bool uncaught) {
  bool changed = endBlocks(function);
  SmallVector<std::tuple<CallBase *, BasicBlock *, std::optional<Loop::Edge>>, 4> ends;
  for (BasicBlock &block : function)
    if (CallBase *call = lastCall(block, uncaught))
      ends.push_back({call, &block, otherSide(&block)});
  for (auto [call, end, other] : ends)
    giveBack(call, end, other);
  return changed || !ends.empty();
}

// At the start of the pipeline.
extern "C" bool lw_hide_dead_ends(Module *module) {
  bool changed = false;
  Callees callees;
  for (Function &function : *module)
    if (!function.isDeclaration() && lw_has_marked_loops(&function))
      changed |= hideInLoops(function, callees);
  callees.close();
  for (Function *callee : callees.uncaught)
    changed |= hideInCallee(*callee, true);
  for (Function *callee : callees.all)
    changed |= hideInCallee(*callee, false);
  return changed;
}

// A call does not return.
static void endBehind(CallBase *call) {
  auto *invoke = dyn_cast<InvokeInst>(call);
  if (!invoke)
    return (void)changeToUnreachable(call->getNextNode());
  LLVMContext &context = call->getContext();
  BasicBlock *block = BasicBlock::Create(context, "unreachable", call->getFunction());
  new UnreachableInst(context, block);
  invoke->getNormalDest()->removePredecessor(invoke->getParent());
  invoke->setNormalDest(block);
}

// Behind our second pass.
extern "C" bool lw_show_dead_ends(Module *module) {
  SmallVector<std::pair<Function *, StringRef>, 4> others;
  SmallVector<Function *, 4> sources;
  for (Function &function : *module) {
    for (StringRef prefix : {Ends, Throws})
      if (StringRef name = function.getName(); name.consume_front(prefix))
        others.push_back({&function, name});
    if (function.getName().starts_with(Gives))
      sources.push_back(&function);
  }
  for (auto [other, name] : others) {
    // Intrinsics are not kept.
    FunctionCallee callee = module->getOrInsertFunction(name, other->getFunctionType());
    auto *function = cast<Function>(callee.getCallee());
    // What comes behind a call that does not return goes, perhaps another one.
    SmallVector<WeakVH, 4> calls;
    for (User *user : other->users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == other)
        calls.push_back(call);
    for (WeakVH &handle : calls) {
      if (!handle)
        continue;
      auto *call = cast<CallBase>(handle);
      call->setCalledFunction(function);
      call->setDoesNotReturn();
      endBehind(call);
    }
    if (other->hasFnAttribute(Kept))
      removeFromUsedLists(*module, [&](Constant *used) { return used->stripPointerCasts() == function; });
    other->replaceAllUsesWith(function);
    other->eraseFromParent();
  }
  // Nobody comes to where something was given back.
  for (Function *source : sources) {
    for (User *user : make_early_inc_range(source->users())) {
      auto *call = cast<CallBase>(user);
      call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    source->eraseFromParent();
  }
  return !others.empty() || !sources.empty();
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
