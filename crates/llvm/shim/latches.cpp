// The last block of marked loops, which LLVM would do twice where something that the loop found out is tested behind it: of `if (bad)
// return -1;` it makes one loop for while nothing bad was found, and another one. A call in that block keeps it from doing so, from the
// start of the pipeline to our second pass.
#include "marks.h"
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lw;

static const char Name[] = "laneweaver.latch";

// A function that must not be called on other ways than it is. LLVM keeps the calls since it touches memory, though none that the program sees.
static Function *marker(Module *module) {
  if (Function *known = module->getFunction(Name))
    return known;
  auto *type = FunctionType::get(Type::getVoidTy(module->getContext()), false);
  Function *function = Function::Create(type, GlobalValue::ExternalLinkage, Name, module);
  function->setDoesNotThrow();
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (Attribute::AttrKind kind : {Attribute::Convergent, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                                   Attribute::NoRecurse, Attribute::NoCallback})
    function->addFnAttr(kind);
  return function;
}

// Keeps the last blocks of marked loops as they are. Whether there are some.
extern "C" bool lw_hold_latches(Module *module) {
  bool changed = false;
  for (Function &function : *module) {
    if (function.isDeclaration() || !lw_has_marked_loops(&function))
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (const Loop *loop : loops.getLoopsInPreorder()) {
      BasicBlock *latch = loop->getLoopLatch();
      MDNode *marks = latch ? marksOf(latch->getTerminator()) : nullptr;
      if (!marks || !wantsVectors(marks))
        continue;
      IRBuilder<> builder(latch->getTerminator());
      CallInst *call = builder.CreateCall(marker(module));
      call->addFnAttr(Attribute::Convergent);
      changed = true;
    }
  }
  return changed;
}

// Whether an instruction touches memory that the program does not see.
static bool touchesInaccessible(const Instruction &inst) {
  auto *call = dyn_cast<CallBase>(&inst);
  return call ? call->getMemoryEffects().getModRef(IRMemLocation::InaccessibleMem) != ModRefInfo::NoModRef : inst.isFenceLike();
}

// Forgets what LLVM concluded from our calls about functions, those that call them included.
static void forgetEffects(Module *module) {
  for (bool again = true; again;) {
    again = false;
    for (Function &function : *module) {
      MemoryEffects effects = function.getMemoryEffects(), others = effects.getWithoutLoc(IRMemLocation::InaccessibleMem);
      bool says = function.hasFnAttribute(Attribute::Memory) && effects != others;
      if (function.isDeclaration() || !says || any_of(instructions(function), touchesInaccessible))
        continue;
      function.setMemoryEffects(others);
      again = true;
    }
  }
}

// Takes that back. Whether there was something.
extern "C" bool lw_release_latches(Module *module) {
  Function *function = module->getFunction(Name);
  if (!function)
    return false;
  for (User *user : make_early_inc_range(function->users()))
    if (auto *call = dyn_cast<CallInst>(user))
      call->eraseFromParent();
  if (function->use_empty())
    function->eraseFromParent();
  forgetEffects(module);
  return true;
}
