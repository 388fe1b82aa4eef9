// Puts our pass into LLVM's pipelines. What it does is written in Rust.
#include "llvm-c/Types.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

// Returns whether the module was changed.
// `libmvec`: the user wants its functions (`-fveclib=libmvec`).
extern "C" bool lw_plugin_run(LLVMModuleRef module, bool libmvec);

namespace {

bool wantsLibmvec(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module)
    if (!function.isDeclaration()) {
      auto &library = functions.getResult<TargetLibraryAnalysis>(function);
      return library.getVectorizedFunction("sinf", ElementCount::getFixed(4), false) == "_ZGVbN4v_sinf";
    }
  return false;
}

struct Laneweaver : PassInfoMixin<Laneweaver> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    return lw_plugin_run(wrap(&module), wantsLibmvec(module, analyses)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
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
      [](ModulePassManager &manager, OptimizationLevel, ThinOrFullLTOPhase) { manager.addPass(Laneweaver()); });
}
