// Puts our pass into LLVM's pipelines. What it does is written in Rust.
#include "llvm-c/Types.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

// Mirrors `Settings` of host.rs.
struct LwSettings {
  bool all_legal;
  uint8_t remainder; // 0: as the target has it, 1: masked, 2: scalar
  uint8_t boscc; // 0: where they are worth it, 1: always, 2: never
  uint8_t math; // 0: scalar functions, 1: libmvec (`-fveclib=libmvec`), 2: SLEEF
  bool force;
  uint32_t width; // 0: as the target has it
};

// They return whether the module was changed.
extern "C" bool lw_plugin_keep(LLVMModuleRef module, bool all_legal);
extern "C" bool lw_plugin_run(LLVMModuleRef module, FunctionAnalysisManager *analyses, LwSettings settings);
extern "C" bool lw_plugin_finish(LLVMModuleRef module);

namespace {

cl::opt<bool> AllLegal("laneweaver-all-legal", cl::desc("Vectorize every loop that may be, whatever it costs"));
cl::opt<cl::boolOrDefault>
    MaskedRemainder("laneweaver-masked-remainder",
                    cl::desc("Iterations that do not fill a vector are done by a masked one, or one by one"));
cl::opt<cl::boolOrDefault> Boscc("laneweaver-boscc",
                                 cl::desc("Branch around code that no lane is active in: wherever possible, or nowhere"));
cl::opt<bool> Force("laneweaver-force", cl::desc("Vectorize what is marked, whatever it costs"));
enum class MathLibrary : uint8_t { None, Libmvec, Sleef };
cl::opt<MathLibrary> Math("laneweaver-math", cl::desc("Where vector forms of mathematical functions come from"),
                          cl::init(MathLibrary::None),
                          cl::values(clEnumValN(MathLibrary::Libmvec, "libmvec", "The C library: errors of up to 4 ULP"),
                                     clEnumValN(MathLibrary::Sleef, "sleef", "SLEEF: errors of about 1 ULP")));
cl::opt<unsigned> Width("laneweaver-width", cl::desc("Lanes of loops that do not say how many"));

bool wantsLibmvec(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module)
    if (!function.isDeclaration()) {
      auto &library = functions.getResult<TargetLibraryAnalysis>(function);
      return library.getVectorizedFunction("sinf", ElementCount::getFixed(4), false) == "_ZGVbN4v_sinf";
    }
  return false;
}

// At the start: what other passes would lose.
struct LaneweaverStart : PassInfoMixin<LaneweaverStart> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    return lw_plugin_keep(wrap(&module), AllLegal) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct Laneweaver : PassInfoMixin<Laneweaver> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    auto remainder = static_cast<uint8_t>(MaskedRemainder.getValue());
    auto boscc = static_cast<uint8_t>(Boscc.getValue());
    MathLibrary math = Math;
    if (math == MathLibrary::None && wantsLibmvec(module, analyses))
      math = MathLibrary::Libmvec;
    LwSettings settings = {AllLegal, remainder, boscc, static_cast<uint8_t>(math), Force, Width};
    auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    return lw_plugin_run(wrap(&module), &functions, settings) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// At the end: what the code generator would get wrong.
struct LaneweaverEnd : PassInfoMixin<LaneweaverEnd> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    return lw_plugin_finish(wrap(&module)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

} // namespace

extern "C" void lw_plugin_register(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "laneweaver-start")
          manager.addPass(LaneweaverStart());
        else if (name == "laneweaver")
          manager.addPass(Laneweaver());
        else if (name == "laneweaver-end")
          manager.addPass(LaneweaverEnd());
        else
          return false;
        return true;
      });
  builder.registerPipelineStartEPCallback([](ModulePassManager &manager, OptimizationLevel level) {
    if (level != OptimizationLevel::O0)
      manager.addPass(LaneweaverStart());
  });
  builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &manager, OptimizationLevel, ThinOrFullLTOPhase) { manager.addPass(Laneweaver()); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &manager, OptimizationLevel, ThinOrFullLTOPhase) { manager.addPass(LaneweaverEnd()); });
}
