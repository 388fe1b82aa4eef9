// Asks LLVM's UniformityInfo what is divergent on a GPU, and how long it takes to find out; and how LLVM prints values.
#include "shim.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <set>
#include <sstream>

using namespace llvm;
using Clock = std::chrono::steady_clock;

static uint64_t nanoseconds(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// What UniformityInfo is computed from, as a pass would get it.
struct Inputs {
  FunctionAnalysisManager functions;

  explicit Inputs(TargetMachine *machine) {
    functions.registerPass([] { return PassInstrumentationAnalysis(); });
    functions.registerPass([] { return DominatorTreeAnalysis(); });
    functions.registerPass([] { return CycleAnalysis(); });
    functions.registerPass([machine] { return machine->getTargetIRAnalysis(); });
  }
};

// The least of several times for each function that has a body: of the analysis itself, of the dominator tree, of the
// cycles. Returns the number of functions.
extern "C" size_t lw_uniformity_times(Module *module, TargetMachine *machine, uint32_t repeat,
                                      LwUniformityTime *out, size_t size) {
  Inputs inputs(machine);
  size_t done = 0;
  for (Function &function : *module) {
    if (function.isDeclaration() || done == size)
      continue;
    LwUniformityTime least = {function.getInstructionCount(), ~0ull, ~0ull, ~0ull};
    for (uint32_t i = 0; i < std::max(repeat, 1u); ++i) {
      auto start = Clock::now();
      inputs.functions.getResult<DominatorTreeAnalysis>(function);
      least.dominators = std::min(least.dominators, nanoseconds(start));
      start = Clock::now();
      inputs.functions.getResult<CycleAnalysis>(function);
      least.cycles = std::min(least.cycles, nanoseconds(start));
      inputs.functions.getResult<TargetIRAnalysis>(function);
      start = Clock::now();
      UniformityInfo uniformity = UniformityInfoAnalysis().run(function, inputs.functions);
      least.nanoseconds = std::min(least.nanoseconds, nanoseconds(start));
      inputs.functions.clear(function, function.getName());
    }
    out[done++] = least;
  }
  return done;
}

struct LwUniformity {
  std::vector<uint8_t> divergent;
  std::vector<LwDivergentCycle> cycles;
  std::vector<LwUniformityOf> functions;
  std::string text;
};

// The lines below a heading that are indented.
static std::set<std::string> section(const std::string &text, const char *heading) {
  std::set<std::string> lines;
  std::istringstream in(text);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && line.rfind("  ", 0) != 0)
      break;
    if (inside)
      lines.insert(line.substr(2));
    inside = inside || line == heading;
  }
  return lines;
}

static void collect(const Cycle *cycle, const CycleInfo &cycles, const DenseMap<const BasicBlock *, uint32_t> &numbers,
                    const std::set<std::string> &left, const std::set<std::string> &assumed,
                    std::vector<LwDivergentCycle> &out) {
  std::string name;
  raw_string_ostream(name) << cycle->print(cycles.getSSAContext());
  LwDivergentCycle found = {numbers.lookup(cycle->getHeader()), left.count(name) != 0, assumed.count(name) != 0};
  out.push_back(found);
  for (const Cycle *child : cycle->children())
    collect(child, cycles, numbers, left, assumed, out);
}

// The verdicts on parameters, instructions (results, and terminators by themselves) and cycles, and the text LLVM prints.
extern "C" LwUniformity *lw_uniformity(Module *module, TargetMachine *machine) {
  auto *result = new LwUniformity;
  Inputs inputs(machine);
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    CycleInfo &cycles = inputs.functions.getResult<CycleAnalysis>(function);
    UniformityInfo uniformity = UniformityInfoAnalysis().run(function, inputs.functions);
    LwUniformityOf of = {};
    size_t before = result->divergent.size();
    for (Argument &argument : function.args())
      result->divergent.push_back(uniformity.isDivergent(&argument));
    DenseMap<const BasicBlock *, uint32_t> numbers;
    for (BasicBlock &block : function) {
      numbers.insert({&block, numbers.size()});
      for (Instruction &inst : block) {
        bool divergent = inst.isTerminator() ? uniformity.hasDivergentTerminator(block)
                                             : uniformity.isDivergent(static_cast<const Value *>(&inst));
        result->divergent.push_back(divergent);
      }
    }
    of.divergent = result->divergent.size() - before;
    std::string text;
    raw_string_ostream stream(text);
    uniformity.print(stream);
    stream.flush();
    before = result->cycles.size();
    auto left = section(text, "CYCLES WITH DIVERGENT EXIT:"), assumed = section(text, "CYCLES ASSUMED DIVERGENT:");
    for (const Cycle *cycle : cycles.toplevel_cycles())
      collect(cycle, cycles, numbers, left, assumed, result->cycles);
    of.cycles = result->cycles.size() - before;
    of.text = text.size();
    result->text += text;
    result->functions.push_back(of);
  }
  return result;
}

extern "C" size_t lw_uniformity_divergent(const LwUniformity *all, const uint8_t **out) {
  *out = all->divergent.data();
  return all->divergent.size();
}

extern "C" size_t lw_uniformity_cycles(const LwUniformity *all, const LwDivergentCycle **out) {
  *out = all->cycles.data();
  return all->cycles.size();
}

extern "C" size_t lw_uniformity_functions(const LwUniformity *all, const LwUniformityOf **out) {
  *out = all->functions.data();
  return all->functions.size();
}

extern "C" size_t lw_uniformity_text(const LwUniformity *all, const uint8_t **out) {
  *out = reinterpret_cast<const uint8_t *>(all->text.data());
  return all->text.size();
}

extern "C" void lw_uniformity_free(LwUniformity *all) { delete all; }

struct LwTexts {
  std::string text;
  std::vector<uint64_t> lengths;
  std::vector<uint64_t> counts;
};

// How LLVM prints each function that has a body in analyses: its name, its parameters, then the name and the instructions of
// each block. `counts` has, for each function, the number of parameters and of blocks, then of the instructions of each.
extern "C" LwTexts *lw_texts(Module *module) {
  auto *texts = new LwTexts;
  ModuleSlotTracker slots(module);
  raw_string_ostream out(texts->text);
  uint64_t before = 0;
  auto end = [&] {
    uint64_t now = texts->text.size();
    texts->lengths.push_back(now - before);
    before = now;
  };
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    slots.incorporateFunction(function);
    texts->counts.push_back(function.arg_size());
    texts->counts.push_back(function.size());
    out << function.getName();
    end();
    for (Argument &argument : function.args()) {
      argument.print(out, slots, true);
      end();
    }
    for (BasicBlock &block : function) {
      texts->counts.push_back(block.size());
      if (block.hasName())
        out << block.getName();
      else
        out << slots.getLocalSlot(&block);
      end();
      for (Instruction &inst : block) {
        inst.print(out, slots, true);
        end();
      }
    }
  }
  return texts;
}

extern "C" size_t lw_texts_text(const LwTexts *texts, const uint8_t **out) {
  *out = reinterpret_cast<const uint8_t *>(texts->text.data());
  return texts->text.size();
}

extern "C" size_t lw_texts_lengths(const LwTexts *texts, const uint64_t **out) {
  *out = texts->lengths.data();
  return texts->lengths.size();
}

extern "C" size_t lw_texts_counts(const LwTexts *texts, const uint64_t **out) {
  *out = texts->counts.data();
  return texts->counts.size();
}

extern "C" void lw_texts_free(LwTexts *texts) { delete texts; }
