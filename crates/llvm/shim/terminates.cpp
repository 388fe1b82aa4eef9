// Calls from which no exception goes any further: the IR has an attribute for them, LLVM an `invoke` and a landing pad.
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static const char Terminates[] = "laneweaver-terminates";

// How functions of the module look for handlers. A new function does as those it was made from.
static Constant *personalityOf(Function *function) {
  if (function->hasPersonalityFn())
    return function->getPersonalityFn();
  for (Function &other : *function->getParent())
    if (other.hasPersonalityFn())
      return other.getPersonalityFn();
  return nullptr;
}

// A block that catches everything and ends the program.
static BasicBlock *makePad(Function *function, Function *end) {
  LLVMContext &context = function->getContext();
  BasicBlock *pad = BasicBlock::Create(context, "terminate", function);
  IRBuilder<> builder(pad);
  auto *type = StructType::get(PointerType::getUnqual(context), Type::getInt32Ty(context));
  LandingPadInst *caught = builder.CreateLandingPad(type, 1);
  caught->addClause(ConstantPointerNull::get(PointerType::getUnqual(context)));
  SmallVector<Value *, 1> arguments;
  if (end->arg_size() == 1)
    arguments.push_back(builder.CreateExtractValue(caught, 0));
  CallInst *call = builder.CreateCall(end, arguments);
  call->setDoesNotReturn();
  call->setDoesNotThrow();
  builder.CreateUnreachable();
  return pad;
}

extern "C" void lw_make_invokes(Function *function) {
  SmallVector<CallInst *, 8> calls;
  for (BasicBlock &block : *function)
    for (Instruction &inst : block)
      if (auto *call = dyn_cast<CallInst>(&inst); call && call->hasFnAttr(Terminates))
        calls.push_back(call);
  StringMap<BasicBlock *> pads;
  for (CallInst *call : calls) {
    StringRef name = call->getFnAttr(Terminates).getValueAsString();
    Function *end = function->getParent()->getFunction(name);
    Constant *personality = personalityOf(function);
    BasicBlock *&pad = pads[name];
    bool throws = !call->doesNotThrow();
    call->removeFnAttr(Terminates);
    if (!throws || !end || !personality)
      continue;
    function->setPersonalityFn(personality);
    if (!pad)
      pad = makePad(function, end);
    changeToInvokeAndSplitBasicBlock(call, pad);
  }
}
