// Loops of languages without pragmas: an iteration begins with a call of an empty function, `__laneweaver_loop_w8_f1` somewhere in its
// mangled name, which says how many iterations are wanted at a time and what is promised. At the start of the pipeline the calls
// become the marks that clang gives loops with a pragma.
#include "marks.h"
#include "convert.h"
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace lw;

static const char Name[] = "__laneweaver_loop_w";

// What the bits of `f` mean.
static const unsigned IsIndependent = 1, MayReorder = 2;

namespace {
struct Wanted {
  unsigned width = 0, promises = 0;
};
} // namespace

static std::optional<Wanted> wanted(StringRef name) {
  auto [before, rest] = name.split(Name);
  Wanted found;
  if (rest.consumeInteger(10, found.width) || !rest.consume_front("_f"))
    return std::nullopt;
  // In a mangled name more digits may follow.
  if (rest.empty() || !isDigit(rest[0]))
    return std::nullopt;
  found.promises = rest[0] - '0';
  return found;
}

static Metadata *pair(LLVMContext &context, StringRef name, Constant *value) {
  return MDNode::get(context, {MDString::get(context, name), ConstantAsMetadata::get(value)});
}

static void mark(Loop *loop, const Wanted &wanted, DebugLoc location) {
  LLVMContext &context = loop->getHeader()->getContext();
  SmallVector<Metadata *, 8> all = {nullptr};
  if (location)
    all.push_back(location.get());
  all.push_back(pair(context, "llvm.loop.vectorize.enable", ConstantInt::getTrue(context)));
  if (wanted.width)
    all.push_back(pair(context, "llvm.loop.vectorize.width", ConstantInt::get(Type::getInt32Ty(context), wanted.width)));
  all.push_back(flag(context, Called));
  if (wanted.promises & MayReorder)
    all.push_back(flag(context, Reorder));
  if (wanted.promises & IsIndependent) {
    MDNode *group = MDNode::getDistinct(context, {});
    for (BasicBlock *block : loop->blocks())
      for (Instruction &inst : *block)
        if (inst.mayReadOrWriteMemory())
          inst.setMetadata(LLVMContext::MD_access_group,
                           uniteAccessGroups(inst.getMetadata(LLVMContext::MD_access_group), group));
    all.push_back(MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), group}));
  }
  MDNode *marks = MDNode::getDistinct(context, all);
  marks->replaceOperandWith(0, marks);
  SmallVector<BasicBlock *, 4> latches;
  loop->getLoopLatches(latches);
  for (BasicBlock *latch : latches)
    latch->getTerminator()->setMetadata(LLVMContext::MD_loop, marks);
}

// Rust names the processor of a function and leaves its features to LLVM; our passes read features.
static void spellFeatures(Module *module) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module->getTargetTriple(), error);
  if (!target)
    return;
  StringMap<std::string> known;
  for (Function &function : *module) {
    if (!function.hasFnAttribute("target-cpu"))
      continue;
    StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
    StringRef given = function.getFnAttribute("target-features").getValueAsString();
    std::string &features = known[(cpu + " " + given).str()];
    if (features.empty()) {
      std::unique_ptr<MCSubtargetInfo> machine(target->createMCSubtargetInfo(module->getTargetTriple(), cpu, given));
      if (!machine)
        return;
      features = given.str();
      for (const SubtargetFeatureKV &feature : machine->getEnabledProcessorFeatures())
        features += (features.empty() ? "+" : ",+") + std::string(feature.Key);
    }
    function.addFnAttr("target-features", features);
  }
}

// Whether there were such calls.
extern "C" bool lw_take_loop_calls(Module *module) {
  SmallVector<std::pair<Function *, Wanted>, 4> markers;
  for (Function &function : *module)
    if (auto found = wanted(function.getName()))
      markers.push_back({&function, *found});
  MapVector<Function *, SmallVector<std::pair<CallBase *, Wanted>, 4>> calls;
  for (auto [marker, what] : markers)
    for (User *user : marker->users())
      if (auto *call = dyn_cast<CallBase>(user))
        if (call->getCalledFunction() == marker)
          calls[call->getFunction()].push_back({call, what});
  for (auto &[function, list] : calls) {
    // In a caller that cleans up, what never returns would leave the loop for that.
    if (!function->hasFnAttribute(Attribute::AlwaysInline))
      function->addFnAttr(Attribute::NoInline);
    DominatorTree dominators(*function);
    LoopInfo loops(dominators);
    for (auto [call, what] : list)
      if (Loop *loop = loops.getLoopFor(call->getParent()))
        mark(loop, what, call->getDebugLoc());
    for (auto [call, what] : list) {
      if (auto *invoke = dyn_cast<InvokeInst>(call))
        call = changeToCall(invoke);
      call->eraseFromParent();
    }
  }
  for (auto [marker, what] : markers)
    if (marker->use_empty())
      marker->eraseFromParent();
  if (!markers.empty())
    spellFeatures(module);
  return !markers.empty();
}
