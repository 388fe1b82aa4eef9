// Whether iterations of a loop may be done together: what they touch in memory, by LLVM's dependence analysis, and tests in
// front of the loop that what it cannot tell apart is apart.
#include "convert.h"
#include "marks.h"
#include "shim.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace lw;

namespace {

// So many accesses of a loop are compared with each other, and so many pairs of objects at run time.
constexpr size_t MaxAccesses = 400, MaxTests = 12;

// After how many iterations what never comes back to the same value does so.
constexpr uint64_t Never = std::numeric_limits<uint64_t>::max();

// LLVM's analyses of a function.
struct Analyses {
  PassBuilder builder;
  LoopAnalysisManager loopManager;
  FunctionAnalysisManager manager;
  CGSCCAnalysisManager cgscc;
  ModuleAnalysisManager modules;

  Analyses() {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(cgscc);
    builder.registerFunctionAnalyses(manager);
    builder.registerLoopAnalyses(loopManager);
    builder.crossRegisterProxies(loopManager, manager, cgscc, modules);
  }
};

// Where an instruction comes from; by the name of the file too, if that is not the file of the function.
std::string place(const Instruction *inst) {
  const DebugLoc &location = inst->getDebugLoc();
  if (!location || location.getLine() == 0)
    return "";
  std::string line = " in line " + std::to_string(location.getLine());
  const DISubprogram *function = inst->getFunction()->getSubprogram();
  bool elsewhere = function && function->getFilename() != location->getFilename();
  return elsewhere ? line + " of `" + sys::path::filename(location->getFilename()).str() + "`" : line;
}

// How a function is called in the source, also while it is hidden that it ends the program.
StringRef nameOf(const Function &function) {
  StringRef name = function.getName();
  return name.consume_front(Ends) || name.consume_front(Throws) ? name : function.getName();
}

std::string describe(const Instruction *inst) {
  std::string kind = isa<LoadInst>(inst) ? "a read" : isa<StoreInst>(inst) ? "a write" : "a call";
  if (auto *call = dyn_cast<CallBase>(inst))
    if (Function *callee = call->getCalledFunction())
      kind += " of `" + nameOf(*callee).str() + "`";
  return kind + place(inst);
}

// How a loop uses an object on the stack. As `loops/private.rs` of the vectorizer has it, which gives each lane its own.
struct Uses {
  bool inside = false, outside = false, carried = false, begins = false;

  // Whether each iteration has its own, whatever is promised of iterations. What the last one left may be used behind the loop.
  bool arePrivate() const { return !carried && begins; }
};

using Objects = SmallPtrSet<const Value *, 8>;

void addUses(const Value *pointer, const Loop *loop, Uses &uses) {
  for (const User *user : pointer->users()) {
    auto *inst = dyn_cast<Instruction>(user);
    bool inside = inst && loop->contains(inst);
    if (auto *marker = dyn_cast<LifetimeIntrinsic>(user)) {
      uses.begins |= inside && marker->getIntrinsicID() == Intrinsic::lifetime_start;
    } else if (isa<GetElementPtrInst>(user) || (inst && !inside && isa<CastInst, CmpInst, SelectInst, BinaryOperator>(inst))) {
      // What is computed before the loop is computed in it again.
      addUses(user, loop, uses);
    } else {
      uses.inside |= inside;
      uses.outside |= !inside;
      uses.carried |= inside && isa<PHINode>(user) && inst->getParent() == loop->getHeader();
    }
  }
}

// Whether a parameter is the address of a variable of the function: one that it returns, or was passed by value. LLVM may forget `sret`
// but keeps what clang says beside it.
bool isVariable(const Argument &parameter) {
  return parameter.hasStructRetAttr() || parameter.hasByValAttr() || parameter.hasAttribute(Attribute::DeadOnUnwind);
}

// The objects on the stack, also on that of the caller, that iterations share with each other and with what is around the loop.
Objects sharedObjects(const Function &function, const Loop *loop) {
  Objects objects;
  for (const Argument &parameter : function.args())
    if (isVariable(parameter)) {
      Uses uses;
      addUses(&parameter, loop, uses);
      if (uses.inside)
        objects.insert(&parameter);
    }
  for (const BasicBlock &block : function)
    for (const Instruction &inst : block)
      if (isa<AllocaInst>(inst) && !loop->contains(&inst)) {
        Uses uses;
        addUses(&inst, loop, uses);
        if (uses.inside && (uses.outside || uses.carried) && !uses.arePrivate())
          objects.insert(&inst);
      }
  return objects;
}

// An object that each iteration has for itself.
bool isPrivate(const Value *pointer, const Loop *loop) {
  auto *object = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
  Uses uses;
  if (object)
    addUses(object, loop, uses);
  return object && uses.arePrivate();
}

// Memory between two addresses, the second excluded.
struct Range {
  const SCEV *low, *high;
};

// What a loop touches, and what has to be tested before it is entered.
class Memory {
public:
  Memory(Analyses &analyses, Function &function, Loop *loop, unsigned width)
      : loop(loop), width(width), layout(function.getDataLayout()),
        dependences(analyses.manager.getResult<DependenceAnalysis>(function)),
        evolution(analyses.manager.getResult<ScalarEvolutionAnalysis>(function)),
        alias(analyses.manager.getResult<AAManager>(function)),
        dominators(analyses.manager.getResult<DominatorTreeAnalysis>(function)),
        loops(analyses.manager.getResult<LoopAnalysis>(function)), scopes(scopesAround(loop, dominators)) {}

  // Why iterations cannot be done together: empty if they can, once the tests have been made.
  std::string conflict() {
    std::string reason = collect();
    return reason.empty() ? compareAll() : reason;
  }

  // The same, of these objects alone, or of what all iterations find at one place in them; in which of them.
  std::string conflictIn(const Objects &objects, bool fixed, const Value *&in) {
    std::string reason = collectIn(objects, fixed, in);
    if (!reason.empty())
      return reason;
    Instruction *access = nullptr;
    reason = compareAll(&access);
    if (access)
      for (const Value *operand : access->operands())
        if (const Value *found = operand->getType()->isPointerTy() ? oneOf(objects, operand) : nullptr)
          in = found;
    return reason;
  }

  bool needsTests() const { return !tests.empty(); }

  // Computes before the loop whether what has to be apart is: null if that is known.
  Instruction *test() {
    SCEVExpander expander(evolution, "apart");
    Instruction *end = gate();
    IRBuilder<> builder(end);
    Value *all = nullptr;
    for (auto &[first, second] : tests) {
      const Range a = *rangeOf(first), b = *rangeOf(second);
      auto address = [&](const SCEV *it) { return expander.expandCodeFor(it, it->getType(), end); };
      Value *aLow = address(a.low), *aHigh = address(a.high), *bLow = address(b.low), *bHigh = address(b.high);
      Value *apart = builder.CreateOr(builder.CreateICmpULE(aHigh, bLow), builder.CreateICmpULE(bHigh, aLow));
      // Addresses that wrap around are between nothing.
      apart = builder.CreateAnd(apart, builder.CreateICmpULE(aLow, aHigh));
      apart = builder.CreateAnd(apart, builder.CreateICmpULE(bLow, bHigh));
      // A pointer that the loop does not use may be poison, which says nothing about the others.
      apart = builder.CreateFreeze(apart);
      all = all ? builder.CreateAnd(all, apart) : apart;
    }
    return dyn_cast_or_null<Instruction>(all);
  }

private:
  // Why two of the accesses that were listed cannot be done together; one of them.
  std::string compareAll(Instruction **access = nullptr) {
    for (size_t i = 0; i < accesses.size(); ++i)
      for (size_t j = i; j < accesses.size(); ++j)
        if (accesses[i]->mayWriteToMemory() || accesses[j]->mayWriteToMemory())
          if (std::string reason = compare(accesses[i], accesses[j]); !reason.empty()) {
            if (access)
              *access = accesses[i];
            return reason;
          }
    return "";
  }

  // Whether a pointer has the same values in each iteration: one, or those that inner loops give it.
  bool isFixed(const Value *pointer) const {
    auto changes = [&](const SCEV *it) {
      if (auto *steps = dyn_cast<SCEVAddRecExpr>(it))
        return steps->getLoop() == loop;
      auto *unknown = dyn_cast<SCEVUnknown>(it);
      return unknown && !loop->isLoopInvariant(unknown->getValue());
    };
    return !SCEVExprContains(evolution.getSCEV(const_cast<Value *>(pointer)), changes);
  }

  // The one of these objects that a pointer may lead to.
  static const Value *oneOf(const Objects &objects, const Value *pointer) {
    SmallVector<const Value *, 4> found;
    getUnderlyingObjects(pointer, found);
    for (const Value *object : found)
      if (objects.contains(object))
        return object;
    return nullptr;
  }

  // Another object on the stack whose address lies in the one that a pointer points to: a lambda holds what it captured.
  static bool holdsAddress(const Value *pointer) {
    auto *object = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
    SmallVector<const Value *, 8> addresses(1, object);
    while (object && !addresses.empty())
      for (const User *user : addresses.pop_back_val()->users()) {
        auto *store = dyn_cast<StoreInst>(user);
        if (isa<GetElementPtrInst>(user))
          addresses.push_back(user);
        else if (store && store->getValueOperand()->getType()->isPointerTy() &&
                 isa<AllocaInst>(getUnderlyingObject(store->getValueOperand())))
          return true;
      }
    return false;
  }

  // Whether the loop uses an object nowhere else than in a call that lanes make one after the other, at most once in an iteration: they do so in the
  // order of iterations. Functions of the module may be vectorized.
  bool isOnlyUse(const Value *object, const CallBase *call) const {
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->isDeclaration())
      return false;
    SmallVector<const Value *, 4> addresses(1, object);
    while (!addresses.empty())
      for (const User *user : addresses.pop_back_val()->users()) {
        auto *inst = dyn_cast<Instruction>(user);
        if (isa<GetElementPtrInst>(user))
          addresses.push_back(user);
        else if (inst && inst != call && loop->contains(inst) && !inst->isLifetimeStartOrEnd())
          return false;
      }
    return once(call);
  }

  // Lists what touches one of these objects; or what may do anything to it, and to which.
  std::string collectIn(const Objects &objects, bool fixed, const Value *&in) {
    auto isOne = [&](const Value *pointer) {
      return oneOf(objects, pointer) != nullptr && (!fixed || isFixed(pointer));
    };
    for (BasicBlock *block : loop->blocks())
      for (Instruction &inst : *block) {
        auto *call = dyn_cast<CallBase>(&inst);
        auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
        if (intrinsic && intrinsic->isAssumeLikeIntrinsic())
          continue;
        bool simple = isa<LoadInst>(inst) || isa<StoreInst>(inst);
        if (simple ? isOne(getLoadStorePointerOperand(&inst)) : isa<MemIntrinsic>(inst) && any_of(call->args(), isOne))
          accesses.push_back(&inst);
        else if (!simple && !isa<MemIntrinsic, AtomicRMWInst, AtomicCmpXchgInst>(inst) && inst.mayWriteToMemory() &&
                 !(call && call->hasFnAttr("vector-function-abi-variant")))
          for (const Use &use : inst.operands())
            if (use->getType()->isPointerTy() && isOne(use))
              if (!isOnlyUse(oneOf(objects, use), call) &&
                  (!call || !call->isArgOperand(&use) || !call->onlyReadsMemory(call->getArgOperandNo(&use)) ||
                   (fixed && !call->onlyReadsMemory() && holdsAddress(use)))) {
                in = oneOf(objects, use);
                return describe(&inst) + " may write what other iterations read";
              }
      }
    return accesses.size() > MaxAccesses ? "it has too many accesses to compare them all" : "";
  }

  // Whether control goes on behind a call, unless it stays there for good.
  static bool goesOn(const CallBase *call) { return !call->mayThrow() && !call->doesNotReturn(); }

  // Whether a call has no effect but on `errno`, which no iteration reads.
  static bool isPure(const CallBase *call) {
    MemoryEffects others = call->getMemoryEffects().getWithoutLoc(IRMemLocation::ErrnoMem);
    return others.doesNotAccessMemory() && goesOn(call);
  }

  // Lists what touches memory; or what may do anything.
  std::string collect() {
    SmallVector<Instruction *, 4> readers;
    bool writes = false;
    for (BasicBlock *block : loop->blocks()) {
      for (Instruction &inst : *block) {
        auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
        if (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == Intrinsic::prefetch))
          continue;
        auto *call = dyn_cast<CallBase>(&inst);
        if (call ? isPure(call) : !inst.mayReadOrWriteMemory())
          continue;
        auto *load = dyn_cast<LoadInst>(&inst);
        auto *store = dyn_cast<StoreInst>(&inst);
        auto *fill = dyn_cast<MemIntrinsic>(&inst);
        if ((load && load->isSimple()) || (store && store->isSimple())) {
          if (isPrivate(getLoadStorePointerOperand(&inst), loop))
            continue;
          // Nobody writes to a table of constants.
          if (load && !isModSet(alias.getModRefInfoMask(MemoryLocation::get(load))))
            continue;
          writes = writes || store;
          accesses.push_back(&inst);
          continue;
        }
        if (fill && !fill->isVolatile()) {
          writes = true;
          accesses.push_back(&inst);
          continue;
        }
        if (call && call->onlyReadsMemory() && goesOn(call))
          readers.push_back(call);
        else
          return describe(&inst) + " may do anything";
      }
    }
    if (writes && !readers.empty())
      return describe(readers[0]) + " may read what the loop writes";
    if (accesses.size() > MaxAccesses)
      return "it has too many accesses to compare them all";
    return "";
  }

  // The last instruction that control always passes before it enters the loop, in no other loop, which may be vectorized too.
  Instruction *gate() const {
    DomTreeNode *before = dominators.getNode(loop->getHeader())->getIDom();
    auto around = [&](const Loop *other) { return !other || other->contains(loop); };
    while (!around(loops.getLoopFor(before->getBlock())))
      before = before->getIDom();
    return before->getBlock()->getTerminator();
  }

  // Whether an instruction is executed at most once in an iteration.
  bool once(const Instruction *inst) const { return loops.getLoopFor(inst->getParent()) == loop; }

  // Whether all lanes have done `a` before any does `b` in the same group of iterations.
  bool before(const Instruction *a, const Instruction *b) const {
    return once(a) && once(b) && a != b && dominators.dominates(a, b);
  }

  std::string compare(Instruction *a, Instruction *b) {
    // Lanes write one number in order, as iterations do; of structs and short vectors one number after the other.
    if (a == b && once(a) && (isa<MemIntrinsic>(a) || getLoadStoreType(a)->isIntOrPtrTy() || getLoadStoreType(a)->isFloatingPointTy()))
      return "";
    std::string who = describe(a) + " and " + (a == b ? "the same in another iteration" : describe(b));
    if (isa<MemIntrinsic>(a) || isa<MemIntrinsic>(b))
      return needTest(a, b) ? "" : who + " may touch the same memory";
    if (inStep(a, b) || areOthers(a, b, false))
      return "";
    auto dependence = dependences.depends(a, b);
    unsigned level = loop->getLoopDepth();
    bool known = dependence && !dependence->isConfused() && dependence->getLevels() >= level;
    // LLVM takes numbers for such that never wrap around, steps for such that are not zero, and what is apart in one iteration for apart in all.
    uint64_t again = std::min(comesBack(a), comesBack(b));
    bool far = again == Never || meetsNoOther(a, b) || (known && isFar(dependence->getDistance(level), again));
    bool asIfNever = far && moves(a) && moves(b) && !areOthers(a, b, true);
    if (!dependence && asIfNever)
      return "";
    if (!known || !asIfNever)
      return needTest(a, b) ? "" : who + " may touch the same memory";
    for (unsigned outer = 1; outer < level; ++outer)
      if (!(dependence->getDirection(outer) & Dependence::DVEntry::EQ))
        return "";
    unsigned direction = dependence->getDirection(level);
    bool later = direction & Dependence::DVEntry::LT, earlier = direction & Dependence::DVEntry::GT;
    if ((!later || before(a, b)) && (!earlier || before(b, a)))
      return "";
    auto *distance = dyn_cast_or_null<SCEVConstant>(dependence->getDistance(level));
    if (distance && distance->getAPInt().abs().uge(width))
      return "";
    return who + " touch the same memory in different iterations";
  }

  // Whether two accesses are of different objects in all iterations, or of types that are never the same memory. With `inOne`, what `restrict` says
  // of one iteration counts, too.
  bool areOthers(Instruction *a, Instruction *b, bool inOne) const {
    auto counts = [&](const MDNode *list) {
      return list && (inOne || all_of(list->operands(), [&](const MDOperand &it) { return scopes.contains(it); }));
    };
    auto anywhere = [&](Instruction *inst) {
      AAMDNodes tags = inst->getAAMetadata();
      tags.Scope = counts(tags.Scope) ? tags.Scope : nullptr;
      tags.NoAlias = counts(tags.NoAlias) ? tags.NoAlias : nullptr;
      return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(inst), tags);
    };
    BatchAAResults inAll(alias);
    inAll.enableCrossIterationMode();
    return inAll.isNoAlias(anywhere(a), anywhere(b));
  }

  // Scopes of `restrict` that begin before the loop, and hold for all iterations: not those of functions that were inlined in it, whose beginning may
  // be gone.
  static SmallPtrSet<const Metadata *, 4> scopesAround(const Loop *loop, const DominatorTree &dominators) {
    SmallPtrSet<const Metadata *, 4> scopes;
    for (const BasicBlock &block : *loop->getHeader()->getParent())
      if (!loop->contains(&block) && dominators.dominates(&block, loop->getHeader()))
        for (const Instruction &inst : block)
          if (auto *begin = dyn_cast<NoAliasScopeDeclInst>(&inst))
            for (const MDOperand &scope : begin->getScopeList()->operands())
              scopes.insert(scope);
    return scopes;
  }

  // Whether all that moves an address in the loop is known to do so, and not as far as to go around all memory in the iterations of a group.
  bool moves(Instruction *access) const {
    auto stays = [&](const SCEV *it) {
      auto *grows = dyn_cast<SCEVAddRecExpr>(it);
      if (!grows || !loop->contains(grows->getLoop()))
        return false;
      const SCEV *step = grows->getStepRecurrence(evolution);
      auto *constant = dyn_cast<SCEVConstant>(step);
      bool wide = evolution.getTypeSizeInBits(it->getType()) >= layout.getIndexSizeInBits(0);
      bool small = !wide || !constant || constant->getAPInt().abs().getActiveBits() <= layout.getIndexSizeInBits(0) / 2;
      return !small || !evolution.isKnownNonZero(step);
    };
    return none_of(touched(access), [&](auto &part) { return SCEVExprContains(part.first, stays); });
  }

  // After how many iterations a number that is extended comes back to the same value: `i & 3`, which LLVM extends from two bits, after four. In
  // inner loops narrow ones may do so in each iteration.
  uint64_t comesBack(Instruction *access) const {
    uint64_t least = Never;
    unsigned bits = 0;
    auto steps = [&](const SCEV *it) {
      auto *grows = dyn_cast<SCEVAddRecExpr>(it);
      if (!grows || !loop->contains(grows->getLoop()))
        return false;
      auto *step = dyn_cast<SCEVConstant>(grows->getStepRecurrence(evolution));
      unsigned zeros = step ? std::min(step->getAPInt().countr_zero(), bits) : bits;
      least = std::min(least, grows->getLoop() == loop || bits >= 32 ? uint64_t(1) << (bits - zeros) : 0);
      return false;
    };
    auto extends = [&](const SCEV *it) {
      auto *cast = dyn_cast<SCEVIntegralCastExpr>(it);
      bits = cast ? evolution.getTypeSizeInBits(cast->getOperand()->getType()) : 64;
      return bits < 64 && SCEVExprContains(cast->getOperand(), steps);
    };
    for (auto [pointer, _] : touched(access))
      SCEVExprContains(pointer, extends);
    return least;
  }

  // Whether iterations that are so far apart are not those of one group, nor after they came back to the same value.
  bool isFar(const SCEV *distance, uint64_t again) const {
    auto *far = dyn_cast_or_null<SCEVConstant>(distance);
    return far && far->getAPInt().abs().ule(again) && far->getAPInt().abs().getZExtValue() + width <= again;
  }

  // An address that is a number which grows, extended and times `size`, behind one that does not change.
  struct Extended {
    const SCEV *behind;
    const SCEVIntegralCastExpr *cast;
    const SCEVAddRecExpr *grows;
    uint64_t size;
  };

  std::optional<Extended> extended(const SCEV *pointer) const {
    auto *sum = dyn_cast<SCEVAddExpr>(pointer);
    if (!sum)
      return std::nullopt;
    Extended found = {nullptr, nullptr, nullptr, 1};
    SmallVector<const SCEV *, 4> others;
    for (const SCEV *part : sum->operands()) {
      auto *product = dyn_cast<SCEVMulExpr>(part);
      auto *times = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
      auto *cast = dyn_cast<SCEVIntegralCastExpr>(times ? product->getOperand(1) : part);
      auto *grows = cast ? dyn_cast<SCEVAddRecExpr>(cast->getOperand()) : nullptr;
      bool whole = !product || (times && product->getNumOperands() == 2 && times->getAPInt().isStrictlyPositive());
      if (!grows || !whole || found.cast || grows->getLoop() != loop || !grows->isAffine()) {
        others.push_back(part);
        continue;
      }
      found.cast = cast;
      found.grows = grows;
      found.size = times ? times->getAPInt().getLimitedValue() : 1;
    }
    if (!found.cast || others.empty())
      return std::nullopt;
    found.behind = evolution.getAddExpr(others);
    return evolution.isLoopInvariant(found.behind, loop) ? std::optional(found) : std::nullopt;
  }

  // Whether lanes of a group only meet in the same iteration, if two accesses only differ in where a number that is extended begins.
  bool meetsNoOther(Instruction *a, Instruction *b) const {
    auto first = touched(a), second = touched(b);
    if (first.size() != 1 || second.size() != 1)
      return false;
    auto one = extended(first[0].first), other = extended(second[0].first);
    if (!one || !other || one->behind != other->behind || one->size != other->size ||
        one->cast->getSCEVType() != other->cast->getSCEVType() || one->grows->getType() != other->grows->getType())
      return false;
    for (auto [_, bytes] : {first[0], second[0]}) {
      auto *size = dyn_cast<SCEVConstant>(bytes);
      if (!size || size->getAPInt().ugt(one->size))
        return false;
    }
    auto *step = dyn_cast<SCEVConstant>(one->grows->getStepRecurrence(evolution));
    auto *between = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(other->grows->getStart(), one->grows->getStart()));
    if (!step || !between || other->grows->getStepRecurrence(evolution) != step)
      return false;
    APInt way = step->getAPInt();
    for (unsigned apart = 1; apart < width; ++apart, way += step->getAPInt())
      if (way == between->getAPInt() || -way == between->getAPInt())
        return false;
    return true;
  }

  // Whether two accesses move by the same distance in each iteration, so that they only meet in the same one if at all: those to
  // fields of the elements of an array.
  bool inStep(Instruction *a, Instruction *b) const {
    auto first = touched(a), second = touched(b);
    if (first.size() != 1 || second.size() != 1)
      return false;
    auto *pointer = dyn_cast<SCEVAddRecExpr>(first[0].first), *other = dyn_cast<SCEVAddRecExpr>(second[0].first);
    auto *size = dyn_cast<SCEVConstant>(first[0].second), *otherSize = dyn_cast<SCEVConstant>(second[0].second);
    if (!pointer || !other || !size || !otherSize || pointer->getLoop() != loop || other->getLoop() != loop ||
        !pointer->isAffine() || !other->isAffine() || pointer->getType() != other->getType())
      return false;
    auto *step = dyn_cast<SCEVConstant>(pointer->getStepRecurrence(evolution));
    auto *between = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(other->getStart(), pointer->getStart()));
    if (!step || !between || step != other->getStepRecurrence(evolution) || step->isZero())
      return false;
    // The first lies in [0, size), the other in [d, d + size) of the same element, which is `stride` long; both within one stride.
    APInt stride = step->getAPInt().abs(), d = between->getAPInt();
    uint64_t one = size->getAPInt().getZExtValue(), two = otherSize->getAPInt().getZExtValue();
    if (d.isNegative()) {
      d = -d;
      std::swap(one, two);
    }
    return stride.ule(1 << 16) && d.ule(1 << 16) && one <= stride.getZExtValue() &&
           d.getZExtValue() + two <= stride.getZExtValue();
  }

  // What an instruction touches in one iteration, as pointer and size, for each of its pointers.
  SmallVector<std::pair<const SCEV *, const SCEV *>, 2> touched(Instruction *inst) const {
    auto *index = layout.getIndexType(inst->getFunction()->getContext(), 0);
    if (auto *fill = dyn_cast<MemIntrinsic>(inst)) {
      const SCEV *size = evolution.getTruncateOrZeroExtend(evolution.getSCEV(fill->getLength()), index);
      SmallVector<std::pair<const SCEV *, const SCEV *>, 2> all = {{evolution.getSCEV(fill->getRawDest()), size}};
      if (auto *copy = dyn_cast<MemTransferInst>(fill))
        all.push_back({evolution.getSCEV(copy->getRawSource()), size});
      return all;
    }
    TypeSize size = layout.getTypeStoreSize(getLoadStoreType(inst));
    if (size.isScalable())
      return {};
    Value *pointer = getLoadStorePointerOperand(inst);
    return {{evolution.getSCEV(pointer), evolution.getConstant(index, size.getFixedValue())}};
  }

  // Whether a test can say that two instructions touch different objects. Then it will be made.
  bool needTest(Instruction *a, Instruction *b) {
    for (auto [pointer, _] : touched(a)) {
      for (auto [other, _] : touched(b)) {
        const SCEV *first = evolution.getPointerBase(pointer), *second = evolution.getPointerBase(other);
        if (areApart(first, second))
          continue;
        if (pointer->getType() != other->getType() || first == second || !rangeOf(first) || !rangeOf(second))
          return false;
        auto pair = std::minmax(first, second);
        if (!is_contained(tests, std::pair<const SCEV *, const SCEV *>(pair)))
          tests.push_back(pair);
      }
    }
    return tests.size() <= MaxTests;
  }

  // Whether two pointers that the loop does not change are known to lead to different objects.
  bool areApart(const SCEV *first, const SCEV *second) {
    auto *a = dyn_cast<SCEVUnknown>(first), *b = dyn_cast<SCEVUnknown>(second);
    if (!a || !b || !loop->isLoopInvariant(a->getValue()) || !loop->isLoopInvariant(b->getValue()))
      return false;
    return alias.isNoAlias(MemoryLocation::getBeforeOrAfter(getUnderlyingObject(a->getValue())),
                           MemoryLocation::getBeforeOrAfter(getUnderlyingObject(b->getValue())));
  }

  // All that the loop touches with pointers computed from this one, if that is known before it.
  std::optional<Range> rangeOf(const SCEV *base) {
    auto known = ranges.find(base);
    if (known != ranges.end())
      return known->second;
    std::optional<Range> all;
    bool good = evolution.isLoopInvariant(base, loop);
    for (Instruction *inst : accesses) {
      for (auto [pointer, size] : touched(inst)) {
        if (!good || evolution.getPointerBase(pointer) != base)
          continue;
        std::optional<Range> range = span(pointer, dominators.dominates(inst->getParent(), loop->getLoopLatch()));
        good = range && evolution.isLoopInvariant(size, loop);
        if (!good)
          continue;
        range->high = evolution.getAddExpr(range->high, size);
        if (all)
          range = {evolution.getUMinExpr(all->low, range->low), evolution.getUMaxExpr(all->high, range->high)};
        all = range;
      }
    }
    Instruction *end = gate();
    SCEVExpander expander(evolution, "apart");
    good = good && all && expander.isSafeToExpandAt(all->low, end) && expander.isSafeToExpandAt(all->high, end);
    return ranges[base] = good ? all : std::nullopt;
  }

  // The least and the greatest value that an expression has in the loop.
  std::optional<Range> span(const SCEV *it, bool always) {
    if (evolution.isLoopInvariant(it, loop))
      return Range{it, it};
    if (auto *sum = dyn_cast<SCEVAddExpr>(it)) {
      SmallVector<const SCEV *, 4> low, high;
      for (const SCEV *part : sum->operands()) {
        std::optional<Range> range = span(part, always);
        if (!range)
          return std::nullopt;
        low.push_back(range->low);
        high.push_back(range->high);
      }
      return Range{evolution.getAddExpr(low), evolution.getAddExpr(high)};
    }
    // What grows does so divided (`a[i / 2]`), and several times as far.
    if (auto *quotient = dyn_cast<SCEVUDivExpr>(it)) {
      auto *grows = dyn_cast<SCEVAddRecExpr>(quotient->getLHS());
      const SCEV *by = quotient->getRHS();
      std::optional<Range> range = grows && grows->hasNoUnsignedWrap() ? span(grows, always) : std::nullopt;
      if (!range || !isa<SCEVConstant>(by))
        return std::nullopt;
      return Range{evolution.getUDivExpr(range->low, by), evolution.getUDivExpr(range->high, by)};
    }
    if (auto *product = dyn_cast<SCEVMulExpr>(it)) {
      auto *times = dyn_cast<SCEVConstant>(product->getOperand(0));
      if (!times || product->getNumOperands() != 2 || times->getAPInt().ugt(1 << 16))
        return std::nullopt;
      std::optional<Range> range = span(product->getOperand(1), always);
      if (!range)
        return std::nullopt;
      return Range{evolution.getMulExpr(times, range->low), evolution.getMulExpr(times, range->high)};
    }
    auto *steps = dyn_cast<SCEVAddRecExpr>(it);
    if (!steps || !steps->isAffine() || !loop->contains(steps->getLoop()))
      return std::nullopt;
    const SCEV *count = evolution.getBackedgeTakenCount(steps->getLoop());
    const SCEV *step = steps->getStepRecurrence(evolution);
    std::optional<Range> start = span(steps->getStart(), always);
    if (!start || isa<SCEVCouldNotCompute>(count) || !evolution.isLoopInvariant(count, loop) ||
        !evolution.isLoopInvariant(step, loop))
      return std::nullopt;
    // Addresses go around all memory only in loops that nobody sees the end of, if the step is small, and not at all if each is used.
    auto *constant = dyn_cast<SCEVConstant>(step);
    if (constant ? constant->getAPInt().abs().ugt(1 << 16) : !always)
      return std::nullopt;
    count = evolution.getTruncateOrZeroExtend(count, step->getType());
    const SCEV *way = evolution.getMulExpr(count, step);
    const SCEV *lowEnd = evolution.getAddExpr(start->low, way), *highEnd = evolution.getAddExpr(start->high, way);
    if (evolution.isKnownNonNegative(step))
      return Range{start->low, highEnd};
    if (evolution.isKnownNonPositive(step))
      return Range{lowEnd, start->high};
    if (!it->getType()->isPointerTy())
      return std::nullopt;
    return Range{evolution.getUMinExpr(start->low, lowEnd), evolution.getUMaxExpr(start->high, highEnd)};
  }

  Loop *loop;
  unsigned width;
  const DataLayout &layout;
  DependenceInfo &dependences;
  ScalarEvolution &evolution;
  AAResults &alias;
  DominatorTree &dominators;
  LoopInfo &loops;
  SmallPtrSet<const Metadata *, 4> scopes;
  SmallVector<Instruction *, 16> accesses;
  SmallVector<std::pair<const SCEV *, const SCEV *>, 4> tests;
  DenseMap<const SCEV *, std::optional<Range>> ranges;
};

Loop *findLoop(Analyses &analyses, Instruction *terminator) {
  LoopInfo &loops = analyses.manager.getResult<LoopAnalysis>(*terminator->getFunction());
  Loop *loop = loops.getLoopFor(terminator->getParent());
  while (loop && loop->getLoopLatch() != terminator->getParent())
    loop = loop->getParentLoop();
  return loop;
}

} // namespace

// Why iterations of a loop cannot share what is on the stack, or what lies there at a `fixed` place, but for some objects: empty if
// they can. The object that it is about.
extern "C" LwText lw_loop_conflict_on_stack(Instruction *terminator, uint32_t width, bool fixed, Instruction *const *except,
                                            size_t count, const Value **in) {
  Analyses analyses;
  Function &function = *terminator->getFunction();
  Loop *loop = findLoop(analyses, terminator);
  Objects objects = loop ? sharedObjects(function, loop) : Objects();
  for (size_t i = 0; i < count; ++i)
    objects.erase(except[i]);
  *in = nullptr;
  // What was there before a loop of OpenMP is no copy of a clause: of its elements the user says that iterations do not share them.
  const MDNode *marks = loop ? marksOf(terminator) : nullptr;
  const MDNode *named = marks ? findMark(marks, Around) : nullptr;
  auto isAround = [&](const Value *object) {
    auto *inst = dyn_cast<AllocaInst>(object);
    const Metadata *mark = inst ? inst->getMetadata(Object) : nullptr;
    return named && mark && is_contained(named->operands(), mark);
  };
  Objects around;
  for (const Value *object : objects)
    if (isAround(object))
      around.insert(object);
  for (const Value *object : around)
    objects.erase(object);
  for (auto [group, atFixed] : {std::pair(&objects, fixed), std::pair(&around, true)})
    if (!group->empty())
      if (std::string reason = Memory(analyses, function, loop, width).conflictIn(*group, atFixed, *in); !reason.empty())
        return give(reason);
  return give("");
}

// Why iterations of a loop cannot be executed `width` at a time: empty if they can. Whether memory has to be tested first.
extern "C" LwText lw_loop_conflict(Instruction *terminator, uint32_t width, bool *tested) {
  Analyses analyses;
  *tested = false;
  Loop *loop = findLoop(analyses, terminator);
  if (!loop)
    return give("it is no loop");
  Memory memory(analyses, *terminator->getFunction(), loop, width);
  std::string reason = memory.conflict();
  *tested = reason.empty() && memory.needsTests();
  return give(reason);
}

// Computes before a loop whether the objects that it must not find overlapping are apart; null if there is nothing to compute.
extern "C" Instruction *lw_test_apart(Instruction *terminator, uint32_t width) {
  Analyses analyses;
  Loop *loop = findLoop(analyses, terminator);
  if (!loop)
    return nullptr;
  Memory memory(analyses, *terminator->getFunction(), loop, width);
  if (!memory.conflict().empty() || !memory.needsTests())
    return nullptr;
  return memory.test();
}
