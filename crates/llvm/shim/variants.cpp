// What vector variants of functions need: their names, their linkage, and remarks about them.
#include "convert.h"
#include "shim.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Comdat.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lw;

// The attributes of a function that are names of vector variants without a body, each followed by NUL.
extern "C" LwText lw_variant_names(Function *function) {
  std::string all;
  for (Attribute attribute : function->getAttributes().getFnAttrs()) {
    if (!attribute.isStringAttribute() || !attribute.getKindAsString().starts_with("_ZGV"))
      continue;
    Function *known = function->getParent()->getFunction(attribute.getKindAsString());
    if (known && !known->isDeclaration())
      continue;
    all += attribute.getKindAsString();
    all += '\0';
  }
  return give(all);
}

// Lets a function be linked as another one is.
extern "C" void lw_link_like(Function *to, Function *like) {
  to->setLinkage(like->getLinkage());
  to->setVisibility(like->getVisibility());
  to->setDLLStorageClass(like->getDLLStorageClass());
  to->setDSOLocal(like->isDSOLocal());
  to->setUnnamedAddr(like->getUnnamedAddr());
  if (like->hasComdat())
    to->setComdat(to->getParent()->getOrInsertComdat(to->getName()));
}

// Whether the body of a function is the one that will be called, and may be looked at.
extern "C" bool lw_is_definitive(Function *function) {
  return !function->isDeclaration() && !function->isInterposable() && !function->hasFnAttribute(Attribute::Naked) &&
         !function->isPresplitCoroutine();
}

// Lets other modules see a function that was made from another one.
extern "C" void lw_export(Function *to, Function *from) {
  to->setLinkage(GlobalValue::ExternalLinkage);
  to->setDSOLocal(from->isDSOLocal() && !from->hasLocalLinkage());
}

// Emits a remark about a function: passed, missed or analysis.
extern "C" void lw_remark(Function *function, uint32_t kind, LwText name, LwText message) {
  OptimizationRemarkEmitter emitter(function);
  std::string remark = str(name).str();
  auto fill = [&](auto about) {
    about << str(message);
    emitter.emit(about);
  };
  if (kind == 0)
    fill(OptimizationRemark("laneweaver", remark, function));
  else if (kind == 1)
    fill(OptimizationRemarkMissed("laneweaver", remark, function->getSubprogram(), &function->getEntryBlock()));
  else
    fill(OptimizationRemarkAnalysis("laneweaver", remark, function));
}
