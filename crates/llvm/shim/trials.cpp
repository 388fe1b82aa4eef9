// What code that is tried at run time needs of its module: variables, and nobody who takes it for code without effects.
#include "convert.h"
#include "shim.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lw;

// A variable that only this module sees, zero at first.
extern "C" void lw_add_variable(Module *module, LwText name, uint64_t bytes) {
  auto *type = ArrayType::get(Type::getInt8Ty(module->getContext()), bytes);
  auto *variable = new GlobalVariable(*module, type, false, GlobalValue::InternalLinkage,
                                      Constant::getNullValue(type), str(name));
  variable->setAlignment(Align(16));
}

// A function reads and writes variables of ours now: what is known of its effects, and of those of its callers, is no longer so.
extern "C" void lw_forget_effects(Function *function) {
  SmallVector<Function *, 8> work = {function};
  SmallPtrSet<Function *, 8> seen = {function};
  while (!work.empty()) {
    Function *one = work.pop_back_val();
    one->removeFnAttr(Attribute::Memory);
    for (User *user : one->users())
      if (auto *call = dyn_cast<CallBase>(user)) {
        call->removeFnAttr(Attribute::Memory);
        if (seen.insert(call->getFunction()).second)
          work.push_back(call->getFunction());
      }
  }
}
