// What our passes at the start of the pipeline write into the marks of a loop.
#pragma once
#include "llvm/IR/Metadata.h"

namespace lw {

inline const char OpenMp[] = "laneweaver.openmp";
inline const char Kept[] = "laneweaver.kept";
inline const char Nontemporal[] = "laneweaver.nontemporal";
// Sums may be computed in another order.
inline const char Reorder[] = "laneweaver.reorder";
// The mark was a call, not a pragma.
inline const char Called[] = "laneweaver.called";

inline llvm::Metadata *flag(llvm::LLVMContext &context, llvm::StringRef name) {
  return llvm::MDNode::get(context, llvm::MDString::get(context, name));
}

} // namespace lw
