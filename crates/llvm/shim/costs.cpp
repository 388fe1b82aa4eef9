// What instructions cost, by LLVM's tables of the target.
#include "shim.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

// LLVM's analyses for a target, where no compiler lends us its own.
struct LwTables {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;

  explicit LwTables(TargetMachine *machine) {
    PassBuilder builder(machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

extern "C" LwTables *lw_tables(TargetMachine *machine) { return new LwTables(machine); }
extern "C" FunctionAnalysisManager *lw_tables_analyses(LwTables *tables) { return &tables->functions; }
extern "C" void lw_tables_free(LwTables *tables) { delete tables; }

// What an instruction costs: its reciprocal throughput. Two entries of the tables are made to fit the others: `getInstructionCost`
// takes calls for simple instructions, as only those who know better ask about them; and divisions of integers cost next to nothing
// alone and much in vectors, though the same instructions do both.
static InstructionCost costOf(const TargetTransformInfo &tables, const Instruction *inst) {
  constexpr auto Kind = TargetTransformInfo::TCK_RecipThroughput;
  InstructionCost cost = tables.getInstructionCost(inst, Kind);
  auto *call = dyn_cast<CallBase>(inst);
  if (call && !isa<IntrinsicInst>(call) && !call->isInlineAsm()) {
    SmallVector<Type *, 8> types;
    for (const Use &arg : call->args())
      types.push_back(arg->getType());
    return std::max(cost, tables.getCallInstrCost(call->getCalledFunction(), call->getType(), types, Kind));
  }
  if (inst->isIntDivRem() && !inst->getType()->isVectorTy() && !isa<Constant>(inst->getOperand(1))) {
    constexpr unsigned Lanes = 4;
    auto *vector = FixedVectorType::get(inst->getType(), Lanes);
    return std::max(cost, tables.getArithmeticInstrCost(inst->getOpcode(), vector, Kind) / Lanes);
  }
  return cost;
}

// What an instruction costs if it is done for so many lanes at once, each with its own values.
static InstructionCost costOfLanes(const TargetTransformInfo &tables, const Instruction *inst, unsigned lanes) {
  constexpr auto Kind = TargetTransformInfo::TCK_RecipThroughput;
  auto wide = [&](Type *type) -> Type * {
    return VectorType::isValidElementType(type) ? FixedVectorType::get(type, lanes) : nullptr;
  };
  Type *result = wide(inst->getType());
  Type *operand = inst->getNumOperands() ? wide(inst->getOperand(0)->getType()) : nullptr;
  unsigned opcode = inst->getOpcode();
  if (isa<PHINode, GetElementPtrInst, FreezeInst>(inst) || inst->isTerminator())
    return 0;
  if (result && (isa<BinaryOperator>(inst) || isa<UnaryOperator>(inst)))
    return tables.getArithmeticInstrCost(opcode, result, Kind);
  if (result && operand && isa<CastInst>(inst))
    return tables.getCastInstrCost(opcode, result, operand, TargetTransformInfo::CastContextHint::None, Kind);
  if (auto *compare = dyn_cast<CmpInst>(inst); compare && result && operand)
    return tables.getCmpSelInstrCost(opcode, operand, result, compare->getPredicate(), Kind);
  if (result && operand && isa<SelectInst>(inst))
    return tables.getCmpSelInstrCost(opcode, result, operand, CmpInst::BAD_ICMP_PREDICATE, Kind);
  if (Type *accessed = isa<LoadInst>(inst) ? result : isa<StoreInst>(inst) ? operand : nullptr)
    return tables.getMemoryOpCost(opcode, accessed, getLoadStoreAlignment(inst), getLoadStoreAddressSpace(inst), Kind);
  if (auto *call = dyn_cast<IntrinsicInst>(inst); call && result) {
    SmallVector<Type *, 4> types;
    for (const Use &arg : call->args())
      types.push_back(wide(arg->getType()));
    if (!is_contained(types, nullptr))
      return tables.getIntrinsicInstrCost(IntrinsicCostAttributes(call->getIntrinsicID(), result, types), Kind);
  }
  return costOf(tables, inst) * lanes;
}

// The cost of each instruction of a function, if it is done for so many lanes at once; negative where the target cannot do it.
extern "C" void lw_costs(FunctionAnalysisManager *analyses, Function *function, Instruction *const *insts, size_t count,
                         unsigned lanes, double *out) {
  TargetTransformInfo &tables = analyses->getResult<TargetIRAnalysis>(*function);
  for (size_t i = 0; i < count; ++i) {
    InstructionCost cost = lanes == 1 ? costOf(tables, insts[i]) : costOfLanes(tables, insts[i], lanes);
    out[i] = cost.isValid() ? static_cast<double>(cost.getValue()) : -1;
  }
}

// Simplifies a function as the passes behind ours will, as far as they are quick and say nothing.
extern "C" void lw_simplify(FunctionAnalysisManager *analyses, Function *function) {
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass());
  PreservedAnalyses left = passes.run(*function, *analyses);
  analyses->invalidate(*function, left);
}

// How likely a conditional branch goes to its first target.
extern "C" void lw_set_likelihood(Instruction *inst, double likely) {
  auto *branch = dyn_cast<BranchInst>(inst);
  if (!branch || !branch->isConditional())
    return;
  auto weight = static_cast<uint32_t>(likely * 1e6);
  MDBuilder builder(inst->getContext());
  inst->setMetadata(LLVMContext::MD_prof, builder.createBranchWeights(weight, 1000000 - weight));
}

// Deletes a function, if there is one, and the declarations that were added behind the function that was the last one.
extern "C" void lw_drop_scratch(FunctionAnalysisManager *analyses, Module *module, Function *scratch, Function *last) {
  if (scratch) {
    analyses->clear(*scratch, scratch->getName());
    scratch->eraseFromParent();
  }
  auto next = last ? std::next(last->getIterator()) : module->begin();
  while (next != module->end()) {
    Function &added = *next++;
    if (added.isDeclaration() && added.use_empty())
      added.eraseFromParent();
  }
}
