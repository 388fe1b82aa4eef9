// Instructions and constants from plain structs. Nothing is folded.
#include "convert.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lw;

static SmallVector<unsigned, 8> path(const LwInst &d) { return {d.indices, d.indices + d.num_indices}; }

static SmallVector<OperandBundleDef, 2> bundles(const LwInst &d) {
  SmallVector<OperandBundleDef, 2> result;
  size_t total = 0;
  for (size_t i = 0; i < d.num_bundles; ++i)
    total += d.bundles[i].operands;
  Value **at = d.args + d.num_args - total;
  for (size_t i = 0; i < d.num_bundles; ++i) {
    result.emplace_back(str(d.bundles[i].tag).str(), ArrayRef<Value *>(at, d.bundles[i].operands));
    at += d.bundles[i].operands;
  }
  return result;
}

static ArrayRef<Value *> callArguments(const LwInst &d) {
  size_t total = 1;
  for (size_t i = 0; i < d.num_bundles; ++i)
    total += d.bundles[i].operands;
  return {d.args + 1, d.num_args - total};
}

static void finishCall(CallBase &call, const LwInst &d) {
  call.setCallingConv(d.convention);
  call.setAttributes(attributesFromRaw(d.attrs));
}

static Instruction *make(const LwInst &d) {
  Value **a = d.args;
  ArrayRef<Value *> rest(a + (d.num_args ? 1 : 0), d.num_args ? d.num_args - 1 : 0);
  bool isVolatile = d.bits & LW_VOLATILE;
  Align align(uint64_t(1) << d.align_log2);
  AtomicOrdering ordering = orderings[d.ordering];
  SyncScope::ID scope = d.scope;
  switch (d.code) {
  case LW_FNEG:
    return UnaryOperator::Create(Instruction::FNeg, a[0]);
  case LW_BINARY:
    return BinaryOperator::Create(binaryOps[d.kind], a[0], a[1]);
  case LW_CAST:
    return CastInst::Create(castOps[d.kind], a[0], d.type);
  case LW_ICMP:
    return new ICmpInst(intPredicates[d.kind], a[0], a[1]);
  case LW_FCMP:
    return new FCmpInst(static_cast<CmpInst::Predicate>(d.kind), a[0], a[1]);
  case LW_SELECT:
    return SelectInst::Create(a[0], a[1], a[2]);
  case LW_FREEZE:
    return new FreezeInst(a[0]);
  case LW_PHI:
    return PHINode::Create(d.type, d.num_targets);
  case LW_EXTRACT_ELEMENT:
    return ExtractElementInst::Create(a[0], a[1]);
  case LW_INSERT_ELEMENT:
    return InsertElementInst::Create(a[0], a[1], a[2]);
  case LW_SHUFFLE_VECTOR:
    return new ShuffleVectorInst(a[0], a[1], ArrayRef<int>(d.indices, d.num_indices));
  case LW_EXTRACT_VALUE:
    return ExtractValueInst::Create(a[0], path(d));
  case LW_INSERT_VALUE:
    return InsertValueInst::Create(a[0], a[1], path(d));
  case LW_ALLOCA: {
    auto *result = new AllocaInst(d.extra, d.type->getPointerAddressSpace(), a[0], align);
    result->setUsedWithInAlloca(d.bits & LW_INALLOCA);
    result->setSwiftError(d.bits & LW_SWIFTERROR);
    return result;
  }
  case LW_LOAD:
    return new LoadInst(d.type, a[0], "", isVolatile, align, ordering, scope);
  case LW_STORE:
    return new StoreInst(a[0], a[1], isVolatile, align, ordering, scope);
  case LW_GEP:
    return GetElementPtrInst::Create(d.extra, a[0], rest, gepFlags(d.flags));
  case LW_ATOMIC_RMW: {
    auto *result =
        new AtomicRMWInst(static_cast<AtomicRMWInst::BinOp>(d.kind), a[0], a[1], align, ordering, scope);
    result->setVolatile(isVolatile);
    return result;
  }
  case LW_CMPXCHG: {
    auto *result = new AtomicCmpXchgInst(a[0], a[1], a[2], align, ordering, orderings[d.failure], scope);
    result->setVolatile(isVolatile);
    result->setWeak(d.bits & LW_WEAK);
    return result;
  }
  case LW_FENCE:
    return new FenceInst(d.type->getContext(), ordering, scope);
  case LW_VA_ARG:
    return new VAArgInst(a[0], d.type);
  case LW_CALL: {
    auto *call = CallInst::Create(cast<FunctionType>(d.extra), a[0], callArguments(d), bundles(d));
    call->setTailCallKind(static_cast<CallInst::TailCallKind>(d.kind));
    finishCall(*call, d);
    return call;
  }
  case LW_INVOKE: {
    auto *call = InvokeInst::Create(cast<FunctionType>(d.extra), a[0], d.targets[0], d.targets[1],
                                    callArguments(d), bundles(d));
    finishCall(*call, d);
    return call;
  }
  case LW_BR:
    return BranchInst::Create(d.targets[0]);
  case LW_COND_BR:
    return BranchInst::Create(d.targets[0], d.targets[1], a[0]);
  case LW_SWITCH: {
    auto *result = SwitchInst::Create(a[0], d.targets[0], d.num_targets - 1);
    for (size_t i = 1; i < d.num_targets; ++i)
      result->addCase(cast<ConstantInt>(a[i]), d.targets[i]);
    return result;
  }
  case LW_INDIRECT_BR: {
    auto *result = IndirectBrInst::Create(a[0], d.num_targets);
    for (size_t i = 0; i < d.num_targets; ++i)
      result->addDestination(d.targets[i]);
    return result;
  }
  case LW_RET:
    return ReturnInst::Create(d.type->getContext(), d.num_args ? a[0] : nullptr);
  case LW_UNREACHABLE:
    return new UnreachableInst(d.type->getContext());
  case LW_RESUME:
    return ResumeInst::Create(a[0]);
  case LW_LANDING_PAD: {
    auto *result = LandingPadInst::Create(d.type, d.num_args);
    result->setCleanup(d.bits & LW_CLEANUP);
    for (size_t i = 0; i < d.num_args; ++i)
      result->addClause(cast<Constant>(a[i]));
    return result;
  }
  case LW_OPAQUE:
    break;
  }
  return nullptr;
}

// Appends the instruction that `d` describes to `block`; φs get their operands later by lw_add_incoming. Operands that do
// not exist yet are null: poison stands for them until lw_set_arg.
extern "C" Instruction *lw_build(BasicBlock *block, const LwInst *d) {
  Instruction *inst = make(*d);
  setFlags(*inst, d->flags);
  inst->insertInto(block, block->end());
  return inst;
}

extern "C" Value *lw_poison(Type *type) { return PoisonValue::get(type); }

extern "C" void lw_add_incoming(PHINode *phi, Value *value, BasicBlock *block) { phi->addIncoming(value, block); }

// Sets operand `index`, counted as in the IR: the callee of a call comes first there, last in LLVM.
extern "C" void lw_set_arg(Instruction *inst, unsigned index, Value *value) {
  if (auto *call = dyn_cast<CallBase>(inst)) {
    if (index == 0)
      call->setCalledOperand(value);
    else
      call->setOperand(index - 1, value);
    return;
  }
  inst->setOperand(index, value);
}

// Appends a copy of `origin` to `block` with these local operands and targets, in the order lw_describe lists them.
// Operands that do not exist yet are null and keep the old value until lw_set_opaque_arg.
extern "C" Instruction *lw_build_opaque(BasicBlock *block, Instruction *origin, Value **args, BasicBlock **targets) {
  Instruction *inst = origin->clone();
  for (Use &operand : inst->operands()) {
    if (isLocal(operand.get())) {
      if (Value *arg = *args++)
        operand.set(arg);
    } else if (isa<BasicBlock>(operand.get())) {
      operand.set(*targets++);
    }
  }
  inst->insertInto(block, block->end());
  return inst;
}

extern "C" void lw_set_opaque_arg(Instruction *inst, Instruction *origin, unsigned index, Value *value) {
  unsigned local = 0;
  for (unsigned i = 0, e = origin->getNumOperands(); i != e; ++i)
    if (isLocal(origin->getOperand(i)) && local++ == index)
      inst->setOperand(i, value);
}

extern "C" Constant *lw_build_constant(const LwConst *d) {
  Type *type = d->type;
  auto number = [&](unsigned width) { return APInt(width, ArrayRef(d->words, d->num_words)); };
  const LwInst &expr = d->expr;
  SmallVector<Constant *, 8> args;
  for (size_t i = 0; i < expr.num_args; ++i)
    args.push_back(cast<Constant>(expr.args[i]));
  switch (d->kind) {
  case LW_CONST_INT:
    return ConstantInt::get(type->getContext(), number(type->getIntegerBitWidth()));
  case LW_CONST_FLOAT:
    return ConstantFP::get(type->getContext(), APFloat(type->getFltSemantics(), number(type->getPrimitiveSizeInBits())));
  case LW_CONST_ZERO:
    return type->isTokenTy() ? static_cast<Constant *>(ConstantTokenNone::get(type->getContext()))
                             : Constant::getNullValue(type);
  case LW_CONST_UNDEF:
    return UndefValue::get(type);
  case LW_CONST_POISON:
    return PoisonValue::get(type);
  case LW_CONST_BLOCK_ADDRESS:
    return BlockAddress::get(d->block);
  case LW_CONST_AGGREGATE:
    if (auto *structure = dyn_cast<StructType>(type))
      return ConstantStruct::get(structure, args);
    if (auto *array = dyn_cast<ArrayType>(type))
      return ConstantArray::get(array, args);
    return ConstantVector::get(args);
  case LW_CONST_DATA: {
    if (auto *array = dyn_cast<ArrayType>(type))
      return ConstantDataArray::getRaw(str(d->bytes), array->getNumElements(), array->getElementType());
    auto *vector = cast<FixedVectorType>(type);
    return ConstantDataVector::getRaw(str(d->bytes), vector->getNumElements(), vector->getElementType());
  }
  case LW_CONST_EXPR:
    break;
  case LW_CONST_GLOBAL:
  case LW_CONST_FOREIGN:
    return nullptr;
  }
  switch (expr.code) {
  case LW_CAST:
    return ConstantExpr::getCast(castOps[expr.kind], args[0], type);
  case LW_BINARY: {
    unsigned flags = 0;
    if (expr.flags & NUW)
      flags |= OverflowingBinaryOperator::NoUnsignedWrap;
    if (expr.flags & NSW)
      flags |= OverflowingBinaryOperator::NoSignedWrap;
    return ConstantExpr::get(binaryOps[expr.kind], args[0], args[1], flags);
  }
  case LW_GEP: {
    std::optional<ConstantRange> range;
    if (d->inrange_bits) {
      ArrayRef<uint64_t> words(d->words, d->num_words);
      range = ConstantRange(APInt(d->inrange_bits, words.take_front(d->num_words / 2)),
                            APInt(d->inrange_bits, words.take_back(d->num_words / 2)));
    }
    return ConstantExpr::getGetElementPtr(expr.extra, args[0], ArrayRef<Constant *>(args).drop_front(),
                                          gepFlags(expr.flags), range);
  }
  case LW_EXTRACT_ELEMENT:
    return ConstantExpr::getExtractElement(args[0], args[1]);
  case LW_INSERT_ELEMENT:
    return ConstantExpr::getInsertElement(args[0], args[1], args[2]);
  case LW_SHUFFLE_VECTOR:
    return ConstantExpr::getShuffleVector(args[0], args[1], ArrayRef<int>(expr.indices, expr.num_indices));
  default:
    return nullptr;
  }
}
