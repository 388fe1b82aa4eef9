// Replacing the body of a function, and carrying metadata and debug records over to the new one.
#include "convert.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Old local values that metadata mentions, with what stands for them in the new body.
struct LwRemap {
  DenseMap<Value *, Value *> values;
  // New instructions whose debug records or metadata operands mention old values.
  std::vector<Instruction *> pending;
};

extern "C" LwRemap *lw_remap_new() { return new LwRemap; }
extern "C" void lw_remap_free(LwRemap *remap) { delete remap; }

static bool hasLocalMetadata(const Instruction &inst) {
  for (const Value *operand : inst.operand_values())
    if (auto *wrapped = dyn_cast<MetadataAsValue>(operand))
      if (isa<LocalAsMetadata, DIArgList>(wrapped->getMetadata()))
        return true;
  return false;
}

// Gives `inst` the metadata, debug location and debug records of `origin`.
extern "C" void lw_attach(Instruction *inst, Instruction *origin, LwRemap *remap) {
  inst->copyMetadata(*origin); // the debug location is among it
  if (origin->isUsedByMetadata())
    remap->values[origin] = inst;
  bool mentions = hasLocalMetadata(*inst);
  if (origin->hasDbgRecords()) {
    inst->cloneDebugInfoFrom(origin);
    mentions = true;
  }
  if (mentions)
    remap->pending.push_back(inst);
}

// The type of a number that `inst` reads or writes once for each lane; null if it is no access.
static Type *accessed(const Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return load->getType()->getScalarType();
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return store->getValueOperand()->getType()->getScalarType();
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    return call->getType()->getScalarType();
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return call->getArgOperand(0)->getType()->getScalarType();
  default:
    return nullptr;
  }
}

// Gives `inst`, which was made from `origin` and is another instruction, what holds of both: the debug location, and of accesses to
// numbers of the same type that they do not alias those of other types. Nothing else that is said about `origin` need be true.
extern "C" void lw_attach_place(Instruction *inst, Instruction *origin) {
  inst->setDebugLoc(origin->getDebugLoc());
  Type *from = isa<LoadInst, StoreInst>(origin) ? getLoadStoreType(origin) : nullptr;
  if (from && !from->isVectorTy() && from == accessed(*inst))
    inst->setMetadata(LLVMContext::MD_tbaa, origin->getMetadata(LLVMContext::MD_tbaa));
}

// What `metadata` says with the new values for the old ones; null if it mentions none.
static Metadata *rebound(LLVMContext &context, Metadata *metadata, const DenseMap<Value *, Value *> &values) {
  if (auto *local = dyn_cast<LocalAsMetadata>(metadata)) {
    auto found = values.find(local->getValue());
    Value *value = found != values.end() ? found->second : nullptr;
    if (!value && isa<Instruction>(local->getValue()))
      value = PoisonValue::get(local->getType());
    return value ? ValueAsMetadata::get(value) : nullptr;
  }
  if (auto *list = dyn_cast<DIArgList>(metadata)) {
    SmallVector<ValueAsMetadata *, 4> args;
    for (ValueAsMetadata *arg : list->getArgs()) {
      Metadata *mapped = rebound(context, arg, values);
      args.push_back(mapped ? cast<ValueAsMetadata>(mapped) : arg);
    }
    return DIArgList::get(context, args);
  }
  return nullptr;
}

// Rebinds debug records and metadata operands of the new body, which must be complete.
extern "C" void lw_rebind_metadata(LwRemap *remap) {
  for (Instruction *inst : remap->pending) {
    for (DbgVariableRecord &record : filterDbgVars(inst->getDbgRecordRange())) {
      if (Metadata *mapped = rebound(inst->getContext(), record.getRawLocation(), remap->values))
        record.setRawLocation(mapped);
      if (record.isDbgAssign())
        if (Metadata *mapped = rebound(inst->getContext(), record.getRawAddress(), remap->values))
          record.setAddress(cast<ValueAsMetadata>(mapped)->getValue());
    }
    for (Use &operand : inst->operands())
      if (auto *wrapped = dyn_cast<MetadataAsValue>(operand.get()))
        if (Metadata *mapped = rebound(inst->getContext(), wrapped->getMetadata(), remap->values))
          operand.set(MetadataAsValue::get(inst->getContext(), mapped));
  }
}

extern "C" bool lw_has_address_taken(BasicBlock *block) { return block->hasAddressTaken(); }

// Makes addresses of `from` addresses of `to`.
extern "C" void lw_move_block_address(BasicBlock *from, BasicBlock *to) {
  BlockAddress *old = BlockAddress::lookup(from);
  old->replaceAllUsesWith(BlockAddress::get(to));
  old->destroyConstant();
}

// Deletes the blocks from the first up to `end`, not included.
extern "C" void lw_delete_blocks_before(BasicBlock *end) {
  Function *function = end->getParent();
  for (auto block = function->begin(); &*block != end; ++block)
    block->dropAllReferences();
  while (&function->front() != end)
    function->front().eraseFromParent();
}

// Deletes `first` and all blocks behind it: an emission that failed leaves nothing behind.
extern "C" void lw_delete_blocks_from(BasicBlock *first) {
  Function *function = first->getParent();
  for (auto block = first->getIterator(); block != function->end(); ++block)
    block->dropAllReferences();
  while (&function->back() != first)
    function->back().eraseFromParent();
  first->eraseFromParent();
}

// Gives `to`, which was made from `from`, what belongs to the function as a whole, with debug information of its own: the
// subprogram, lexical blocks, variables and loop ids are cloned, everything the module shares stays shared. Attributes and calling
// convention are those of `to`, whose signature may be another.
extern "C" void lw_adopt_function(Function *to, Function *from, LwRemap *remap) {
  AttributeList attributes = to->getAttributes();
  CallingConv::ID convention = to->getCallingConv();
  to->copyAttributesFrom(from);
  to->setAttributes(attributes);
  to->setCallingConv(convention);
  to->setLinkage(GlobalValue::InternalLinkage);
  to->setVisibility(GlobalValue::DefaultVisibility);
  to->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  DISubprogram *old = from->getSubprogram();
  ValueToValueMapTy map;
  for (auto &entry : remap->values)
    map[entry.first] = entry.second;
  for (Argument &arg : from->args()) {
    bool same = arg.getArgNo() < to->arg_size() && to->getArg(arg.getArgNo())->getType() == arg.getType();
    map[&arg] = same ? static_cast<Value *>(to->getArg(arg.getArgNo())) : PoisonValue::get(arg.getType());
  }
  if (old) {
    DISubprogram *clone = MDNode::replaceWithDistinct(old->clone());
    clone->replaceLinkageName(MDString::get(to->getContext(), to->getName()));
    // These are variables of `from`.
    clone->replaceRetainedNodes(MDTuple::get(to->getContext(), {}));
    map.MD()[old].reset(clone);
    to->setSubprogram(clone);
  }
  MetadataPredicate shared = [old](const Metadata *md) {
    if (auto *scope = dyn_cast<DISubprogram>(md))
      return scope != old;
    return isa<DICompileUnit, DIType, DIFile, DIGlobalVariable>(md);
  };
  for (BasicBlock &block : *to)
    for (Instruction &inst : block) {
      RemapInstruction(&inst, map, RF_IgnoreMissingLocals, nullptr, nullptr, &shared);
      RemapDbgRecordRange(to->getParent(), inst.getDbgRecordRange(), map, RF_IgnoreMissingLocals, nullptr, nullptr,
                          &shared);
      // LLVM asks for the location of a call that may be inlined.
      if (isa<CallBase>(inst) && !inst.getDebugLoc() && to->getSubprogram())
        inst.setDebugLoc(DILocation::get(to->getContext(), 0, 0, to->getSubprogram()));
    }
}
