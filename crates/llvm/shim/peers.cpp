// Asks LLVM's own analyses what they know and how long they take: LazyValueInfo and PredicateInfo.
#include "shim.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PredicateInfo.h"
#include <chrono>

using namespace llvm;
using Clock = std::chrono::steady_clock;

// LLVM's analyses as a pass would get them.
struct Managers {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;

  Managers() {
    PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

static uint64_t nanoseconds(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// The index Rust gives to an operand: `describe` puts what is called first.
static uint32_t argumentIndex(const Instruction &inst, unsigned operand) {
  auto *call = dyn_cast<CallBase>(&inst);
  return call && !call->isInlineAsm() ? operand + 1 : operand;
}

static void words(const APInt &value, uint64_t out[2]) {
  out[0] = value.getRawData()[0];
  out[1] = value.getNumWords() > 1 ? value.getRawData()[1] : 0;
}

// An operand of a φ is used on its edge; asked for the block of the φ, which it need not dominate, LLVM would crash.
static ConstantRange ask(LazyValueInfo &lazy, const Use &use) {
  auto *phi = dyn_cast<PHINode>(use.getUser());
  if (!phi)
    return lazy.getConstantRangeAtUse(use, /*UndefAllowed=*/false);
  BasicBlock *from = phi->getIncomingBlock(use);
  return lazy.getConstantRangeOnEdge(use.get(), from, phi->getParent(), from->getTerminator());
}

// Whether it is a use of an integer of at most 128 bits that is no constant.
static bool isAsked(const Use &use) {
  auto *type = dyn_cast<IntegerType>(use->getType());
  return type && type->getBitWidth() <= 128 && !isa<Constant>(use.get());
}

struct LwLazyRanges {
  std::vector<LwUseRange> uses;
  std::vector<LwPeerTime> functions;
};

// What LazyValueInfo says at each use that is asked about, function by function. Only the questions are timed.
extern "C" LwLazyRanges *lw_lazy_ranges(Module *module) {
  auto *result = new LwLazyRanges;
  Managers managers;
  std::vector<const Use *> asked;
  std::vector<ConstantRange> answers;
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    asked.clear();
    answers.clear();
    size_t first = result->uses.size();
    uint32_t blockNumber = 0;
    for (BasicBlock &block : function) {
      uint32_t instNumber = 0;
      for (Instruction &inst : block) {
        for (Use &use : inst.operands()) {
          if (!isAsked(use))
            continue;
          LwUseRange range = {};
          range.block = blockNumber;
          range.inst = instNumber;
          range.arg = argumentIndex(inst, use.getOperandNo());
          range.bits = use->getType()->getIntegerBitWidth();
          result->uses.push_back(range);
          asked.push_back(&use);
        }
        ++instNumber;
      }
      ++blockNumber;
    }
    answers.reserve(asked.size());
    managers.functions.getResult<AssumptionAnalysis>(function);
    managers.functions.getResult<DominatorTreeAnalysis>(function);
    auto &lazy = managers.functions.getResult<LazyValueAnalysis>(function);
    auto start = Clock::now();
    for (const Use *use : asked)
      answers.push_back(ask(lazy, *use));
    uint64_t took = nanoseconds(start);
    for (size_t i = 0; i != answers.size(); ++i) {
      words(answers[i].getLower(), result->uses[first + i].lower);
      words(answers[i].getUpper(), result->uses[first + i].upper);
    }
    result->functions.push_back({asked.size(), took, 0});
    managers.functions.clear(function, function.getName());
  }
  return result;
}

// How many nanoseconds it takes to ask LazyValueInfo for all of that, from the functions of the module to the last answer: the
// analyses that it asks for itself and what is freed between functions included. Nothing is read before. `out` is at how many uses it
// knows something.
extern "C" uint64_t lw_lazy_whole(Module *module, size_t *out) {
  Managers managers;
  size_t known = 0;
  auto start = Clock::now();
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    auto &lazy = managers.functions.getResult<LazyValueAnalysis>(function);
    for (Instruction &inst : instructions(function))
      for (Use &use : inst.operands())
        if (isAsked(use))
          known += !ask(lazy, use).isFullSet();
    managers.functions.clear(function, function.getName());
  }
  uint64_t took = nanoseconds(start);
  *out = known;
  return took;
}

extern "C" size_t lw_lazy_uses(const LwLazyRanges *ranges, const LwUseRange **out) {
  *out = ranges->uses.data();
  return ranges->uses.size();
}

extern "C" size_t lw_lazy_functions(const LwLazyRanges *ranges, const LwPeerTime **out) {
  *out = ranges->functions.data();
  return ranges->functions.size();
}

extern "C" void lw_lazy_free(LwLazyRanges *ranges) { delete ranges; }

// How long PredicateInfo takes to be built for each function that has a body, on a copy of the module. `extra` is the time
// of the dominator tree, which it is given; `count` the number of copies it inserts. Returns the number of functions.
extern "C" size_t lw_predicate_info(Module *module, LwPeerTime *out, size_t size) {
  std::unique_ptr<Module> copy = CloneModule(*module);
  size_t done = 0;
  for (Function &function : *copy) {
    if (function.isDeclaration() || done == size)
      continue;
    AssumptionCache assumptions(function);
    (void)assumptions.assumptions();
    auto start = Clock::now();
    DominatorTree dominators(function);
    uint64_t forTree = nanoseconds(start);
    size_t before = function.getInstructionCount();
    start = Clock::now();
    {
      BumpPtrAllocator allocator;
      PredicateInfo info(function, dominators, assumptions, allocator);
    }
    uint64_t took = nanoseconds(start);
    out[done++] = {function.getInstructionCount() - before, took, forTree};
  }
  return done;
}
