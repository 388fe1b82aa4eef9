// Loops that the user marked: what the marks say, and remarks about them.
#include "convert.h"
#include "marks.h"
#include "shim.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace lw;

static bool isOurs(StringRef name) { return name.starts_with("laneweaver."); }

static StringRef nameOf(const MDOperand &operand) {
  auto *node = dyn_cast<MDNode>(operand);
  if (!node || node->getNumOperands() == 0)
    return {};
  auto *name = dyn_cast<MDString>(node->getOperand(0));
  return name ? name->getString() : StringRef();
}

MDNode *lw::marksOf(const Instruction *terminator) {
  return terminator ? terminator->getMetadata(LLVMContext::MD_loop) : nullptr;
}

const MDNode *lw::findMark(const MDNode *marks, StringRef name) {
  for (unsigned i = 1; i < marks->getNumOperands(); ++i)
    if (nameOf(marks->getOperand(i)) == name)
      return cast<MDNode>(marks->getOperand(i));
  return nullptr;
}

static std::optional<uint64_t> number(const MDNode *marks, StringRef name) {
  const MDNode *node = findMark(marks, name);
  if (!node || node->getNumOperands() < 2)
    return std::nullopt;
  auto *value = mdconst::dyn_extract<ConstantInt>(node->getOperand(1));
  return value ? std::optional<uint64_t>(value->getZExtValue()) : std::nullopt;
}

bool lw::wantsVectors(const MDNode *marks) { return number(marks, "llvm.loop.vectorize.enable") == 1; }

// The marks without some, and with others.
static void remark(Instruction *terminator, function_ref<bool(StringRef)> goes, ArrayRef<Metadata *> more) {
  LLVMContext &context = terminator->getContext();
  MDNode *old = marksOf(terminator);
  SmallVector<Metadata *, 8> all = {nullptr};
  for (unsigned i = 1; i < old->getNumOperands(); ++i)
    if (!goes(nameOf(old->getOperand(i))))
      all.push_back(old->getOperand(i));
  all.append(more.begin(), more.end());
  MDNode *marks = MDNode::getDistinct(context, all);
  marks->replaceOperandWith(0, marks);
  terminator->setMetadata(LLVMContext::MD_loop, marks);
}

// Whether a block begins as clang lets iterations of OpenMP begin: the number of the iteration is multiplied by the step, even if that is
// one, or divided if loops are collapsed, and the variable of the loop is set to the first value and that.
static bool beginsWith(const Value *counter, BasicBlock &body) {
  bool multiplied = false;
  for (Instruction &inst : make_range(body.getFirstNonPHIIt(), body.end())) {
    if (auto *store = dyn_cast<StoreInst>(&inst))
      return multiplied && isa<AllocaInst>(store->getPointerOperand());
    // Iterators are copied, and an operator is called.
    if (isa<MemCpyInst>(inst))
      continue;
    if (isa<CallBase>(inst))
      return multiplied;
    if (!isa<LoadInst, CastInst, BinaryOperator, GetElementPtrInst>(inst))
      return false;
    Value *number = inst.getNumOperands() > 0 ? inst.getOperand(0) : nullptr;
    while (auto *cast = dyn_cast_or_null<CastInst>(number))
      number = cast->getOperand(0);
    auto *load = dyn_cast_or_null<LoadInst>(number);
    unsigned opcode = inst.getOpcode();
    bool scales = opcode == Instruction::Mul || opcode == Instruction::SDiv || opcode == Instruction::UDiv;
    multiplied = multiplied || (scales && load && load->getPointerOperand() == counter);
  }
  return false;
}

// The variable with the number of the iteration, if the loop that a block goes back to looks like one of OpenMP: the latch adds one to it.
static Value *openMpCounter(BasicBlock *latch) {
  using namespace PatternMatch;
  for (Instruction &inst : *latch) {
    auto *store = dyn_cast<StoreInst>(&inst);
    Value *slot = store ? store->getPointerOperand() : nullptr;
    if (!slot || !isa<AllocaInst>(slot) || !match(store->getValueOperand(), m_Add(m_Load(m_Specific(slot)), m_One())))
      continue;
    for (BasicBlock *header : successors(latch))
      for (BasicBlock *body : successors(header))
        if (beginsWith(slot, *body))
          return slot;
  }
  return nullptr;
}

// Whether some loop of a function is marked.
extern "C" bool lw_has_marked_loops(Function *function) {
  if (function->hasOptNone())
    return false;
  for (BasicBlock &block : *function)
    if (MDNode *marks = marksOf(block.getTerminator()))
      if (wantsVectors(marks))
        return true;
  return false;
}

// The latches of loops with a `nontemporal` clause. Clang marks by it the reads of the pointers, not what is read or written through
// them.
static SmallPtrSet<const BasicBlock *, 4> withNontemporal(Function &function, const LoopInfo &loops) {
  SmallPtrSet<const BasicBlock *, 4> latches;
  for (BasicBlock &block : function)
    for (Instruction &inst : block)
      if (auto *load = dyn_cast<LoadInst>(&inst))
        if (load->getType()->isPointerTy() && load->hasMetadata(LLVMContext::MD_nontemporal))
          for (Loop *loop = loops.getLoopFor(&block); loop; loop = loop->getParentLoop())
            latches.insert(loop->getLoopLatch());
  return latches;
}

// Whether the marks say that iterations are independent: all accesses belong to groups that they name. As LLVM has it
// (`isAnnotatedParallel`), but for intrinsics that access nothing: inlining puts `noalias.scope.decl` into loops, in no group.
static bool saysParallel(const Loop *loop, const MDNode *marks) {
  SmallPtrSet<const Metadata *, 4> groups;
  for (unsigned i = 1; i < marks->getNumOperands(); ++i)
    if (nameOf(marks->getOperand(i)) == "llvm.loop.parallel_accesses")
      for (const MDOperand &group : drop_begin(cast<MDNode>(marks->getOperand(i))->operands()))
        groups.insert(group.get());
  auto isIn = [&](const MDNode *of) {
    // A group has no operands; several are a list.
    if (of->getNumOperands() == 0)
      return groups.contains(of);
    return any_of(of->operands(), [&](const MDOperand &one) { return groups.contains(one.get()); });
  };
  for (const BasicBlock *block : loop->blocks())
    for (const Instruction &inst : *block) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      if (!inst.mayReadOrWriteMemory() || (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
        continue;
      // Clang's own variables, which say where a `break` leads to, are in no group.
      auto *variable = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&inst));
      if (variable && isAllocaPromotable(variable))
        continue;
      const MDNode *of = inst.getMetadata(LLVMContext::MD_access_group);
      if (!of || !isIn(of))
        return false;
    }
  return true;
}

// The latches of marked loops whose iterations are independent.
static SmallPtrSet<const BasicBlock *, 4> thatAreParallel(const LoopInfo &loops) {
  SmallPtrSet<const BasicBlock *, 4> latches;
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (const BasicBlock *latch = loop->getLoopLatch())
      if (const MDNode *marks = marksOf(latch->getTerminator());
          marks && wantsVectors(marks) && saysParallel(loop, marks))
        latches.insert(latch);
  return latches;
}

// Lets marked loops go back from one block. Of a `while` with `continue` LLVM would make two loops, one in the other.
static void joinLatches(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> latches;
    loop->getLoopLatches(latches);
    auto isMarked = [](const BasicBlock *latch) {
      const MDNode *marks = marksOf(latch->getTerminator());
      return marks && wantsVectors(marks);
    };
    auto *marked = find_if(latches, isMarked);
    if (latches.size() < 2 || marked == latches.end())
      continue;
    Instruction *terminator = (*marked)->getTerminator();
    MDNode *marks = marksOf(terminator);
    BasicBlock *joined = SplitBlockPredecessors(loop->getHeader(), latches, "", &dominators, &loops);
    if (!joined)
      continue;
    for (BasicBlock *latch : latches)
      latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    Instruction *back = joined->getTerminator();
    back->setDebugLoc(terminator->getDebugLoc());
    back->setMetadata(LLVMContext::MD_loop, marks);
    remark(back, [](StringRef) { return false; }, {flag(function.getContext(), Joined)});
  }
}

// Lets a loop go back from several blocks again, if LLVM left nothing to do in the one that was put between.
static void partLatches(BasicBlock *joined) {
  auto *back = dyn_cast<BranchInst>(joined->getTerminator());
  auto isMarked = [](const BasicBlock *block) { return marksOf(block->getTerminator()); };
  SmallVector<BasicBlock *, 4> latches(predecessors(joined));
  if (!back || back->isConditional() || &*joined->getFirstNonPHIOrDbg() != back || any_of(latches, isMarked))
    return;
  MDNode *marks = marksOf(back);
  back->setMetadata(LLVMContext::MD_loop, nullptr);
  if (TryToSimplifyUncondBranchFromEmptyBlock(joined)) {
    for (BasicBlock *latch : latches)
      latch->getTerminator()->setMetadata(LLVMContext::MD_loop, marks);
  } else {
    back->setMetadata(LLVMContext::MD_loop, marks);
  }
}

// The marked loops of OpenMP.
static Counters openMpCounters(Function &function) {
  Counters counters;
  for (BasicBlock &block : function)
    if (const MDNode *marks = marksOf(block.getTerminator());
        marks && wantsVectors(marks) && !findMark(marks, "llvm.loop.mustprogress"))
      if (Value *counter = openMpCounter(&block))
        counters[&block] = counter;
  return counters;
}

// At the start of the pipeline: notes which marked loops are those of OpenMP and which have independent iterations, of which LLVM's
// passes forget some accesses when they change them. Keeps them, or all, from being unrolled.
extern "C" bool lw_keep_loops(Module *module, bool all) {
  bool changed = false;
  LLVMContext &context = module->getContext();
  for (Function &function : *module) {
    bool marked = !function.isDeclaration() && lw_has_marked_loops(&function);
    SmallPtrSet<const BasicBlock *, 4> nontemporal, parallel;
    Counters counters;
    LimitedLives limited;
    SmallDenseMap<const BasicBlock *, MDNode *, 4> around;
    if (marked) {
      joinLatches(function);
      counters = openMpCounters(function);
      DominatorTree dominators(function);
      LoopInfo loops(dominators);
      nontemporal = withNontemporal(function, loops);
      parallel = thatAreParallel(loops);
      limited = limitLives(function, loops, dominators, parallel, counters);
      for (auto [latch, counter] : counters)
        around[latch] = markAround(counter);
    }
    for (BasicBlock &block : function) {
      Instruction *terminator = block.getTerminator();
      MDNode *marks = marksOf(terminator);
      if (!marks || !(all || wantsVectors(marks)) || findMark(marks, Kept))
        continue;
      SmallVector<Metadata *, 2> more = {flag(context, Kept)};
      if (counters.contains(&block))
        more.push_back(flag(context, OpenMp));
      if (nontemporal.contains(&block))
        more.push_back(flag(context, Nontemporal));
      if (parallel.contains(&block))
        more.push_back(flag(context, Parallel));
      if (MDNode *objects = around.lookup(&block))
        more.push_back(objects);
      if (MDNode *lives = limited.lookup(&block))
        more.push_back(MDNode::get(context, {MDString::get(context, Lives), lives}));
      bool unrolls = false;
      for (unsigned i = 1; i < marks->getNumOperands(); ++i)
        unrolls = unrolls || nameOf(marks->getOperand(i)).starts_with("llvm.loop.unroll.");
      if (!unrolls)
        more.push_back(flag(context, "llvm.loop.unroll.disable"));
      else
        more[0] = MDNode::get(context, {MDString::get(context, Kept), MDString::get(context, "unroll")});
      remark(terminator, [](StringRef) { return false; }, more);
      changed = true;
    }
  }
  return changed;
}

// How likely a conditional branch goes to its first target; negative if nobody says.
extern "C" double lw_branch_likelihood(Instruction *inst) {
  uint64_t taken, not_taken;
  auto *branch = dyn_cast<BranchInst>(inst);
  if (!branch || !branch->isConditional() || !extractBranchWeights(*branch, taken, not_taken) || taken + not_taken == 0)
    return -1;
  return static_cast<double>(taken) / static_cast<double>(taken + not_taken);
}

// Whether an instruction loads a number that is 0 or 1, as clang says of `bool`.
extern "C" bool lw_loads_truth(Instruction *inst) {
  const MDNode *range = isa<LoadInst>(inst) ? inst->getMetadata(LLVMContext::MD_range) : nullptr;
  return range && getConstantRangeFromMetadata(*range).getUnsignedMax().ule(1);
}

// What became of a loop, as Rust has it.
enum Fate : uint32_t { Unchanged, Doubted, Slower, Rest, Alternative };

// Whether our first pass did something of which a mark of this name tells `lw_restore_loops`.
static bool isToRestore(StringRef name) { return name == Joined || name == Lives; }

// The loop has the marks again that the user gave it, but for what clang says of its accesses, if that is doubted.
static void release(Instruction *terminator, bool doubted) {
  MDNode *marks = marksOf(terminator);
  const MDNode *kept = marks ? findMark(marks, Kept) : nullptr;
  if (!kept)
    return;
  bool ours = kept->getNumOperands() == 1;
  // LLVM's vectorizer warns of marked loops that it leaves as they are; there is a remark with the reason already.
  bool called = findMark(marks, Called);
  remark(
      terminator,
      [&](StringRef name) {
        return (isOurs(name) && !isToRestore(name)) || (ours && name == "llvm.loop.unroll.disable") ||
               (called && name.starts_with("llvm.loop.vectorize.")) ||
               (doubted && name == "llvm.loop.parallel_accesses");
      },
      {});
}

// The loop is not to be vectorized by others, nor unrolled if it only does the rest.
static void exclude(Instruction *terminator, Fate fate) {
  LLVMContext &context = terminator->getContext();
  auto *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
  SmallVector<Metadata *, 2> more = {MDNode::get(context, {MDString::get(context, "llvm.loop.isvectorized"), one})};
  if (fate == Rest)
    more.push_back(flag(context, "llvm.loop.unroll.disable"));
  if (!marksOf(terminator))
    terminator->setMetadata(LLVMContext::MD_loop, MDNode::getDistinct(context, {nullptr}));
  remark(
      terminator,
      [&](StringRef name) {
        return name.starts_with("llvm.loop.vectorize.") || name.starts_with("llvm.loop.unroll.") ||
               name.starts_with("llvm.loop.interleave.") || name == "llvm.loop.parallel_accesses" ||
               (isOurs(name) && !(fate == Slower && isToRestore(name)));
      },
      more);
}

// Says what became of a loop.
extern "C" void lw_settle_loop(Instruction *terminator, Fate fate) {
  if (fate == Unchanged || fate == Doubted)
    release(terminator, fate == Doubted);
  else
    exclude(terminator, fate);
}

// Takes back what `lw_keep_loops` did to the loops of a function that were not vectorized. Of those that LLVM made something else of
// before anybody could look, marks are all that is left.
extern "C" void lw_restore_loops(Function *function) {
  SmallPtrSet<const Metadata *, 4> lives;
  SmallVector<BasicBlock *, 4> joined;
  for (BasicBlock &block : *function) {
    Instruction *terminator = block.getTerminator();
    release(terminator, false);
    MDNode *marks = marksOf(terminator);
    if (!marks)
      continue;
    const MDNode *limited = findMark(marks, Lives);
    if (limited)
      lives.insert(limited->getOperand(1).get());
    if (findMark(marks, Joined))
      joined.push_back(&block);
    else if (!limited)
      continue;
    remark(terminator, isToRestore, {});
  }
  restoreLives(*function, lives);
  for (BasicBlock *block : joined)
    partLatches(block);
}

static const uint32_t IsParallel = 1, IsOpenMp = 2, WantsNontemporal = 4, MayPanic = 8, MayEnd = 16, MayThrow = 32,
                      MayHaveClauses = 64, IsCounted = 128, IsCalled = 256;

// Whether clang counts in a loop how often control comes where (`-fprofile-instr-generate`, coverage), in variables that all iterations share.
static bool isCounted(const Loop *loop) {
  auto counts = [](const Instruction &inst) {
    auto *store = dyn_cast<StoreInst>(&inst);
    const Value *object = store ? getUnderlyingObject(store->getPointerOperand()) : nullptr;
    return object && (object->getName().starts_with("__profc_") || object->getName().starts_with("__llvm_gcov_ctr"));
  };
  return any_of(loop->blocks(), [&](const BasicBlock *block) { return any_of(*block, counts); });
}

// Whether an exception may leave the function from an iteration.
static bool mayThrow(const Loop *loop) {
  auto throws = [](const Instruction &inst) { return isa<CallInst>(inst) && inst.mayThrow(); };
  return !loop->getHeader()->getParent()->doesNotThrow() &&
         any_of(loop->blocks(), [&](const BasicBlock *block) { return any_of(*block, throws); });
}

// Whether control may leave a loop from several places. Nobody comes to what is unreachable (a `match` of Rust that has all cases).
static bool leavesEarly(const Loop *loop) {
  SmallVector<Loop::Edge, 4> exits;
  loop->getExitEdges(exits);
  SmallPtrSet<const BasicBlock *, 2> from;
  for (auto [inside, outside] : exits)
    if (!isa<UnreachableInst>(outside->front()))
      from.insert(inside);
  return from.size() > 1;
}

// How many iterations a loop has, if that is always the same; else 0.
static uint32_t iterations(const Loop *loop, DominatorTree &dominators, LoopInfo &loops) {
  Function &function = *loop->getHeader()->getParent();
  TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
  TargetLibraryInfo known(library);
  AssumptionCache assumptions(function);
  return ScalarEvolution(function, known, assumptions, dominators, loops).getSmallConstantTripCount(loop);
}

// The marked loops of a function, or all loops, each by the terminator of its latch; outer ones first.
extern "C" size_t lw_loops(Function *function, bool all, LwScratch *scratch, LwLoopMark **out) {
  scratch->loops.clear();
  DominatorTree dominators(*function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (function->hasOptNone())
      break;
    BasicBlock *latch = loop->getLoopLatch();
    if (!latch)
      continue;
    LwLoopMark mark = {latch->getTerminator(), 0, 0, 0};
    MDNode *marks = marksOf(latch->getTerminator());
    bool wanted = marks && wantsVectors(marks);
    if (!wanted && !all)
      continue;
    if (!wanted && marks &&
        (findMark(marks, "llvm.loop.isvectorized") || findMark(marks, "llvm.loop.vectorize.enable") ||
         number(marks, "llvm.loop.vectorize.width") == 1))
      continue;
    if (marks) {
      mark.width = number(marks, "llvm.loop.vectorize.width").value_or(0);
      bool openmp = findMark(marks, OpenMp);
      // Only a finite `safelen` keeps clang from saying that accesses are parallel; it is the width then.
      if (findMark(marks, Parallel) || saysParallel(loop, marks) || (openmp && mark.width))
        mark.flags |= IsParallel;
      if (openmp || findMark(marks, Reorder))
        mark.flags |= IsOpenMp;
      // Clang says of other loops that they must progress.
      if (openmp || !(findMark(marks, "llvm.loop.mustprogress") || findMark(marks, Called)))
        mark.flags |= MayHaveClauses;
      if (findMark(marks, Nontemporal))
        mark.flags |= WantsNontemporal;
      // LLVM takes for granted that no iteration follows one that panicked, and leaves out what only such an iteration would need.
      if (findMark(marks, Called) && leavesEarly(loop))
        mark.flags |= MayPanic;
      else if (wanted && mayEnd(loop))
        mark.flags |= MayEnd;
      if (wanted && mayThrow(loop))
        mark.flags |= MayThrow;
      if (wanted && isCounted(loop))
        mark.flags |= IsCounted;
      if (findMark(marks, Called))
        mark.flags |= IsCalled;
      if (wanted && !mark.width)
        mark.iterations = iterations(loop, dominators, loops);
    }
    scratch->loops.push_back(mark);
  }
  *out = scratch->loops.data();
  return scratch->loops.size();
}

// Emits a remark about a loop, by the terminator of its latch, or about an instruction in it.
extern "C" void lw_remark_at(Instruction *inst, bool whole, uint32_t kind, LwText name, LwText message) {
  Function *function = inst->getFunction();
  OptimizationRemarkEmitter emitter(function);
  DebugLoc location = inst->getDebugLoc();
  if (MDNode *marks = whole ? marksOf(inst) : nullptr)
    for (unsigned i = 1; i < marks->getNumOperands(); ++i)
      if (auto *start = dyn_cast<DILocation>(marks->getOperand(i))) {
        location = start;
        break;
      }
  std::string remark = str(name).str();
  auto fill = [&](auto about) {
    about << str(message);
    emitter.emit(about);
  };
  if (kind == 0)
    fill(OptimizationRemark("laneweaver", remark, location, inst->getParent()));
  else if (kind == 1)
    fill(OptimizationRemarkMissed("laneweaver", remark, location, inst->getParent()));
  else
    fill(OptimizationRemarkAnalysis("laneweaver", remark, location, inst->getParent()));
}
