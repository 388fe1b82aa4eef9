// Instructions and constants as plain structs.
#include "convert.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace lw;

// The attributes and the callee first, then arguments and bundle operands, as `ir::Op::Call` wants them.
static void describeCall(const CallBase &call, LwScratch &s, LwInst &out) {
  out.convention = call.getCallingConv();
  out.extra = call.getFunctionType();
  out.attrs = rawAttributes(call.getAttributes());
  s.args.push_back(call.getCalledOperand());
  for (const Use &arg : call.args())
    s.args.push_back(arg.get());
  for (unsigned i = 0, e = call.getNumOperandBundles(); i != e; ++i) {
    OperandBundleUse bundle = call.getOperandBundleAt(i);
    s.bundles.push_back({text(bundle.getTagName()), static_cast<uint32_t>(bundle.Inputs.size())});
    for (const Use &input : bundle.Inputs)
      s.args.push_back(input.get());
  }
}

static void describeOpaque(Instruction &inst, LwScratch &s, LwInst &out) {
  out.code = LW_OPAQUE;
  out.opcode = text(inst.getOpcodeName());
  s.args.clear();
  s.bundles.clear();
  s.targets.clear();
  for (Value *operand : inst.operand_values()) {
    if (isLocal(operand))
      s.args.push_back(operand);
    else if (auto *block = dyn_cast<BasicBlock>(operand))
      s.targets.push_back(block);
  }
  out.bits = inst.isTerminator() ? LW_TERMINATOR : 0;
  out.effects = (inst.mayReadFromMemory() ? LW_READS : 0) | (inst.mayWriteToMemory() ? LW_WRITES : 0) |
                (inst.mayThrow() || !inst.willReturn() ? LW_TRAPS : 0);
  if (auto *call = dyn_cast<CallBase>(&inst))
    out.effects |= (call->isConvergent() ? LW_CONVERGENT : 0) | (call->hasFnAttr(Attribute::ReturnsTwice) ? LW_RETURNS_TWICE : 0);
}

static void describeAccess(LwInst &out, Align align, bool isVolatile, AtomicOrdering ordering, SyncScope::ID scope) {
  out.align_log2 = Log2(align);
  out.bits = isVolatile ? LW_VOLATILE : 0;
  out.ordering = orderingIndex(ordering);
  out.scope = scope;
}

static void operandsInOrder(const User &user, LwScratch &s) {
  for (const Use &operand : user.operands())
    s.args.push_back(operand.get());
}

static void finish(LwScratch &s, LwInst &out) {
  out.args = s.args.data();
  out.num_args = s.args.size();
  out.targets = s.targets.data();
  out.num_targets = s.targets.size();
  out.indices = s.indices.data();
  out.num_indices = s.indices.size();
  out.bundles = s.bundles.data();
  out.num_bundles = s.bundles.size();
}

static void reset(LwScratch &s, LwInst &out, Type *type) {
  s.args.clear();
  s.targets.clear();
  s.indices.clear();
  s.bundles.clear();
  out = {};
  out.type = type;
}

extern "C" void lw_describe(Instruction *instruction, LwScratch *scratch, LwInst *result) {
  Instruction &inst = *instruction;
  LwScratch &s = *scratch;
  LwInst &out = *result;
  reset(s, out, inst.getType());
  out.flags = flagsOf(inst);
  out.name = inst.hasName() ? text(inst.getName()) : LwText{};
  switch (inst.getOpcode()) {
  case Instruction::FNeg:
    out.code = LW_FNEG;
    operandsInOrder(inst, s);
    break;
  case Instruction::ICmp: {
    out.code = LW_ICMP;
    unsigned predicate = cast<ICmpInst>(inst).getPredicate();
    for (unsigned i = 0; i < 10; ++i)
      if (intPredicates[i] == predicate)
        out.kind = i;
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::FCmp:
    out.code = LW_FCMP;
    out.kind = cast<FCmpInst>(inst).getPredicate();
    operandsInOrder(inst, s);
    break;
  case Instruction::Select:
    out.code = LW_SELECT;
    operandsInOrder(inst, s);
    break;
  case Instruction::Freeze:
    out.code = LW_FREEZE;
    operandsInOrder(inst, s);
    break;
  case Instruction::PHI: {
    auto &phi = cast<PHINode>(inst);
    out.code = LW_PHI;
    operandsInOrder(inst, s);
    s.targets.append(phi.blocks().begin(), phi.blocks().end());
    break;
  }
  case Instruction::ExtractElement:
    out.code = LW_EXTRACT_ELEMENT;
    operandsInOrder(inst, s);
    break;
  case Instruction::InsertElement:
    out.code = LW_INSERT_ELEMENT;
    operandsInOrder(inst, s);
    break;
  case Instruction::ShuffleVector: {
    out.code = LW_SHUFFLE_VECTOR;
    ArrayRef<int> mask = cast<ShuffleVectorInst>(inst).getShuffleMask();
    s.indices.append(mask.begin(), mask.end());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::ExtractValue: {
    out.code = LW_EXTRACT_VALUE;
    ArrayRef<unsigned> path = cast<ExtractValueInst>(inst).getIndices();
    s.indices.append(path.begin(), path.end());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::InsertValue: {
    out.code = LW_INSERT_VALUE;
    ArrayRef<unsigned> path = cast<InsertValueInst>(inst).getIndices();
    s.indices.append(path.begin(), path.end());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::Alloca: {
    auto &alloca = cast<AllocaInst>(inst);
    out.code = LW_ALLOCA;
    out.extra = alloca.getAllocatedType();
    out.align_log2 = Log2(alloca.getAlign());
    out.bits = (alloca.isUsedWithInAlloca() ? LW_INALLOCA : 0) | (alloca.isSwiftError() ? LW_SWIFTERROR : 0);
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::Load: {
    auto &load = cast<LoadInst>(inst);
    out.code = LW_LOAD;
    describeAccess(out, load.getAlign(), load.isVolatile(), load.getOrdering(), load.getSyncScopeID());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::Store: {
    auto &store = cast<StoreInst>(inst);
    out.code = LW_STORE;
    describeAccess(out, store.getAlign(), store.isVolatile(), store.getOrdering(), store.getSyncScopeID());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::GetElementPtr:
    out.code = LW_GEP;
    out.extra = cast<GetElementPtrInst>(inst).getSourceElementType();
    operandsInOrder(inst, s);
    break;
  case Instruction::AtomicRMW: {
    auto &rmw = cast<AtomicRMWInst>(inst);
    out.code = LW_ATOMIC_RMW;
    out.kind = rmw.getOperation();
    describeAccess(out, rmw.getAlign(), rmw.isVolatile(), rmw.getOrdering(), rmw.getSyncScopeID());
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::AtomicCmpXchg: {
    auto &cmp = cast<AtomicCmpXchgInst>(inst);
    out.code = LW_CMPXCHG;
    describeAccess(out, cmp.getAlign(), cmp.isVolatile(), cmp.getSuccessOrdering(), cmp.getSyncScopeID());
    out.failure = orderingIndex(cmp.getFailureOrdering());
    out.bits |= cmp.isWeak() ? LW_WEAK : 0;
    operandsInOrder(inst, s);
    break;
  }
  case Instruction::Fence: {
    auto &fence = cast<FenceInst>(inst);
    out.code = LW_FENCE;
    describeAccess(out, Align(1), false, fence.getOrdering(), fence.getSyncScopeID());
    break;
  }
  case Instruction::VAArg:
    out.code = LW_VA_ARG;
    operandsInOrder(inst, s);
    break;
  case Instruction::Call: {
    auto &call = cast<CallInst>(inst);
    if (call.isInlineAsm()) {
      describeOpaque(inst, s, out);
      break;
    }
    out.code = LW_CALL;
    out.kind = call.getTailCallKind();
    describeCall(call, s, out);
    break;
  }
  case Instruction::Invoke: {
    auto &invoke = cast<InvokeInst>(inst);
    if (invoke.isInlineAsm()) {
      describeOpaque(inst, s, out);
      break;
    }
    out.code = LW_INVOKE;
    describeCall(invoke, s, out);
    s.targets = {invoke.getNormalDest(), invoke.getUnwindDest()};
    break;
  }
  case Instruction::Br: {
    auto &br = cast<BranchInst>(inst);
    out.code = br.isConditional() ? LW_COND_BR : LW_BR;
    if (br.isConditional())
      s.args.push_back(br.getCondition());
    for (unsigned i = 0, e = br.getNumSuccessors(); i != e; ++i)
      s.targets.push_back(br.getSuccessor(i)); // operands are stored in reverse
    break;
  }
  case Instruction::Switch: {
    auto &sw = cast<SwitchInst>(inst);
    out.code = LW_SWITCH;
    s.args.push_back(sw.getCondition());
    s.targets.push_back(sw.getDefaultDest());
    for (auto &branch : sw.cases()) {
      s.args.push_back(branch.getCaseValue());
      s.targets.push_back(branch.getCaseSuccessor());
    }
    break;
  }
  case Instruction::IndirectBr: {
    auto &br = cast<IndirectBrInst>(inst);
    out.code = LW_INDIRECT_BR;
    s.args.push_back(br.getAddress());
    for (BasicBlock *target : br.successors())
      s.targets.push_back(target);
    break;
  }
  case Instruction::Ret:
    out.code = LW_RET;
    operandsInOrder(inst, s);
    break;
  case Instruction::Unreachable:
    out.code = LW_UNREACHABLE;
    break;
  case Instruction::Resume:
    out.code = LW_RESUME;
    operandsInOrder(inst, s);
    break;
  case Instruction::LandingPad: {
    auto &pad = cast<LandingPadInst>(inst);
    out.code = LW_LANDING_PAD;
    out.bits = pad.isCleanup() ? LW_CLEANUP : 0;
    for (unsigned i = 0, e = pad.getNumClauses(); i != e; ++i)
      s.indices.push_back(pad.isFilter(i));
    operandsInOrder(inst, s);
    break;
  }
  default:
    if (isa<BinaryOperator>(inst)) {
      out.code = LW_BINARY;
      out.kind = binaryIndex(inst.getOpcode());
      operandsInOrder(inst, s);
    } else if (isa<CastInst>(inst)) {
      out.code = LW_CAST;
      out.kind = castIndex(inst.getOpcode());
      operandsInOrder(inst, s);
    } else {
      describeOpaque(inst, s, out);
    }
  }
  finish(s, out);
}

static void setWords(LwScratch &s, LwConst &out, ArrayRef<uint64_t> words) {
  s.words.append(words.begin(), words.end());
  out.words = s.words.data();
  out.num_words = s.words.size();
}

static void describeExpr(const ConstantExpr &expr, LwScratch &s, LwConst &out) {
  out.kind = LW_CONST_EXPR;
  reset(s, out.expr, expr.getType());
  out.expr.flags = flagsOf(expr);
  operandsInOrder(expr, s);
  unsigned opcode = expr.getOpcode();
  if (Instruction::isCast(opcode)) {
    out.expr.code = LW_CAST;
    out.expr.kind = castIndex(opcode);
  } else if (Instruction::isBinaryOp(opcode)) {
    out.expr.code = LW_BINARY;
    out.expr.kind = binaryIndex(opcode);
  } else if (auto *gep = dyn_cast<GEPOperator>(&expr)) {
    out.expr.code = LW_GEP;
    out.expr.extra = gep->getSourceElementType();
    if (auto range = gep->getInRange()) {
      out.inrange_bits = range->getBitWidth();
      setWords(s, out, ArrayRef(range->getLower().getRawData(), range->getLower().getNumWords()));
      setWords(s, out, ArrayRef(range->getUpper().getRawData(), range->getUpper().getNumWords()));
    }
  } else if (opcode == Instruction::ExtractElement) {
    out.expr.code = LW_EXTRACT_ELEMENT;
  } else if (opcode == Instruction::InsertElement) {
    out.expr.code = LW_INSERT_ELEMENT;
  } else if (opcode == Instruction::ShuffleVector) {
    out.expr.code = LW_SHUFFLE_VECTOR;
    ArrayRef<int> mask = expr.getShuffleMask();
    s.indices.append(mask.begin(), mask.end());
  } else {
    out.kind = LW_CONST_FOREIGN;
  }
  finish(s, out.expr);
}

extern "C" void lw_describe_constant(Value *value, LwScratch *scratch, LwConst *result) {
  LwScratch &s = *scratch;
  LwConst &out = *result;
  out = {};
  out.type = value->getType();
  out.kind = LW_CONST_FOREIGN;
  s.words.clear();
  if (isa<GlobalValue>(value)) {
    out.kind = LW_CONST_GLOBAL;
  } else if (auto *number = dyn_cast<ConstantInt>(value)) {
    if (number->getType()->isVectorTy())
      return;
    out.kind = LW_CONST_INT;
    setWords(s, out, ArrayRef(number->getValue().getRawData(), number->getValue().getNumWords()));
  } else if (auto *number = dyn_cast<ConstantFP>(value)) {
    if (number->getType()->isVectorTy())
      return;
    out.kind = LW_CONST_FLOAT;
    APInt bits = number->getValueAPF().bitcastToAPInt();
    setWords(s, out, ArrayRef(bits.getRawData(), bits.getNumWords()));
  } else if (isa<PoisonValue>(value)) {
    out.kind = LW_CONST_POISON;
  } else if (isa<UndefValue>(value)) {
    out.kind = LW_CONST_UNDEF;
  } else if (isa<ConstantAggregateZero, ConstantPointerNull, ConstantTokenNone>(value)) {
    out.kind = LW_CONST_ZERO;
  } else if (auto *data = dyn_cast<ConstantDataSequential>(value)) {
    out.kind = LW_CONST_DATA;
    out.bytes = text(data->getRawDataValues());
  } else if (auto *aggregate = dyn_cast<ConstantAggregate>(value)) {
    out.kind = LW_CONST_AGGREGATE;
    reset(s, out.expr, value->getType());
    operandsInOrder(*aggregate, s);
    finish(s, out.expr);
  } else if (auto *address = dyn_cast<BlockAddress>(value)) {
    out.kind = LW_CONST_BLOCK_ADDRESS;
    out.function = address->getFunction();
    out.block = address->getBasicBlock();
  } else if (auto *expr = dyn_cast<ConstantExpr>(value)) {
    describeExpr(*expr, s, out);
  }
}
