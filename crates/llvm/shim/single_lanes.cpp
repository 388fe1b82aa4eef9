// Masked stores of one lane that is known, the last of 17 iterations, become stores of a number. LLVM 22 makes one of them anyway, but where the
// vector is narrowed before, it stores the wide number on AVX-512: what lies behind it is overwritten (LLVM's issue 179489).
#include "shim.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// The only lane that a constant mask has; none if there are others, or it is not known.
static std::optional<unsigned> onlyLane(const Value *mask) {
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  auto *constant = dyn_cast<Constant>(mask);
  std::optional<unsigned> only;
  for (unsigned lane = 0; type && constant && lane < type->getNumElements(); ++lane) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && only))
      return std::nullopt;
    if (bit->isOne())
      only = lane;
  }
  return only;
}

// Behind all other passes. Whether there was such a store.
extern "C" bool lw_store_single_lanes(Module *module) {
  const DataLayout &layout = module->getDataLayout();
  bool changed = false;
  for (Function &function : *module)
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      auto *store = dyn_cast<IntrinsicInst>(&inst);
      if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      Value *numbers = store->getArgOperand(0);
      Type *type = numbers->getType()->getScalarType();
      std::optional<unsigned> lane = onlyLane(store->getArgOperand(2));
      if (!lane || !layout.typeSizeEqualsStoreSize(type))
        continue;
      IRBuilder<> builder(store);
      Value *number = builder.CreateExtractElement(numbers, *lane);
      uint64_t offset = *lane * layout.getTypeStoreSize(type);
      Value *pointer = builder.CreatePtrAdd(store->getArgOperand(1), builder.getInt64(offset));
      Align align = commonAlignment(store->getParamAlign(1).valueOrOne(), offset);
      builder.CreateAlignedStore(number, pointer, align)->copyMetadata(*store);
      store->eraseFromParent();
      changed = true;
    }
  return changed;
}
