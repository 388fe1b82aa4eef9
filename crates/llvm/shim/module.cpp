// Modules: reading, checking, counting, names.
#include "convert.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lw;

extern "C" void lw_text_free(LwText t) { free(const_cast<char *>(t.data)); }

// Keeps what LLVM has to say instead of printing it or, on errors, ending the process.
struct Collector final : DiagnosticHandler {
  std::string text;
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream out(text);
    DiagnosticPrinterRawOStream printer(out);
    if (!text.empty())
      out << "; ";
    info.print(printer);
    return true;
  }
};

extern "C" void lw_collect_diagnostics(LLVMContext *context) {
  context->setDiagnosticHandler(std::make_unique<Collector>());
}

// The errors since the last call.
extern "C" LwText lw_take_diagnostics(LLVMContext *context) {
  auto *collector = static_cast<Collector *>(const_cast<DiagnosticHandler *>(context->getDiagHandlerPtr()));
  std::string text;
  std::swap(text, collector->text);
  return give(text);
}

// Reads text or bitcode. On failure returns null and says where and why; line 0 stands for bitcode.
extern "C" Module *lw_parse_ir(LLVMContext *context, LwText data, LwText name, uint32_t *line, uint32_t *column,
                               LwText *message) {
  SMDiagnostic diagnostic;
  std::string file = str(name).str();
  std::unique_ptr<Module> module = parseIR(MemoryBufferRef(str(data), file), diagnostic, *context);
  if (module)
    return module.release();
  *line = diagnostic.getLineNo() > 0 ? diagnostic.getLineNo() : 0;
  *column = diagnostic.getColumnNo() >= 0 ? diagnostic.getColumnNo() + 1 : 0;
  *message = give(diagnostic.getMessage().str());
  return nullptr;
}

// What the verifier finds wrong, empty if nothing.
extern "C" LwText lw_verify_module(Module *module) {
  std::string text;
  raw_string_ostream out(text);
  bool brokenDebugInfo = false;
  bool broken = verifyModule(*module, &out, &brokenDebugInfo);
  return give(broken || brokenDebugInfo ? (text.empty() ? std::string("the module is broken") : text) : std::string());
}

// Sets the data layout. Returns why not, empty if it was set.
extern "C" LwText lw_set_layout(Module *module, LwText layout) {
  Expected<DataLayout> parsed = DataLayout::parse(str(layout));
  if (!parsed)
    return give(toString(parsed.takeError()));
  module->setDataLayout(*parsed);
  return give(std::string());
}

extern "C" void lw_count(Module *module, LwCounts *counts) {
  *counts = {};
  for (Function &function : *module) {
    counts->functions += !function.isDeclaration();
    for (BasicBlock &block : function) {
      counts->blocks += 1;
      for (Instruction &inst : block) {
        counts->instructions += 1;
        counts->calls += isa<CallBase>(inst);
        counts->debug_locations += static_cast<bool>(inst.getDebugLoc());
        for (DbgRecord &record : inst.getDbgRecordRange()) {
          (void)record;
          counts->debug_records += 1;
        }
      }
    }
  }
}

// The globals without a name in the order they are numbered: variables, aliases, ifuncs, functions.
extern "C" size_t lw_unnamed_globals(Module *module, LwScratch *scratch, Value ***out) {
  scratch->args.clear();
  auto add = [&](auto &&range) {
    for (GlobalValue &global : range)
      if (!global.hasName())
        scratch->args.push_back(&global);
  };
  add(module->globals());
  add(module->aliases());
  add(module->ifuncs());
  add(module->functions());
  *out = scratch->args.data();
  return scratch->args.size();
}

extern "C" Value *lw_named_global(Module *module, LwText name) { return module->getNamedValue(str(name)); }

// Removes a declaration that nobody uses.
extern "C" void lw_erase_declaration(GlobalValue *global) { global->eraseFromParent(); }

extern "C" LwText lw_value_name(Value *value) { return text(value->getName()); }

extern "C" void lw_set_value_name(Value *value, LwText name) { value->setName(str(name)); }

// The names of the synchronization scopes, by number, each followed by NUL.
extern "C" LwText lw_sync_scopes(LLVMContext *context) {
  SmallVector<StringRef, 8> names;
  context->getSyncScopeNames(names);
  std::string all;
  for (StringRef name : names) {
    all += name;
    all += '\0';
  }
  return give(all);
}

extern "C" uint8_t lw_sync_scope(LLVMContext *context, LwText name) {
  return context->getOrInsertSyncScopeID(str(name));
}

// 0 for a function, 1 for a variable, 2 for a constant variable, 3 for an alias or ifunc; `*type` is its value type.
extern "C" uint32_t lw_global_kind(GlobalValue *global, Type **type) {
  *type = global->getValueType();
  if (isa<Function>(global))
    return 0;
  if (auto *variable = dyn_cast<GlobalVariable>(global))
    return variable->isConstant() ? 2 : 1;
  return 3;
}

// The text of the module.
extern "C" LwText lw_print_module(Module *module) {
  std::string text;
  raw_string_ostream out(text);
  module->print(out, nullptr);
  out.flush();
  return give(text);
}
