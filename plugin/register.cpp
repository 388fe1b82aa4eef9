// Puts our pass into LLVM's pipelines. What it does is written in Rust.
#include "llvm-c/Types.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

// Returns whether the module was changed.
extern "C" bool lw_plugin_run(LLVMModuleRef module);

namespace {

struct Laneweaver : PassInfoMixin<Laneweaver> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    return lw_plugin_run(wrap(&module)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

} // namespace

extern "C" void lw_plugin_register(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "laneweaver")
          return false;
        manager.addPass(Laneweaver());
        return true;
      });
  builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &manager, OptimizationLevel level, ThinOrFullLTOPhase) {
        if (level != OptimizationLevel::O0)
          manager.addPass(Laneweaver());
      });
}
