// Where code stands in the source, and what its variables are called there.
#include "convert.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lw;

static void place(const DIScope &scope, LwLocation *out) {
  out->directory = text(scope.getDirectory());
  out->file = text(scope.getFilename());
}

// Where an instruction comes from; of inlined code, where it was written.
extern "C" void lw_inst_location(Instruction *inst, LwLocation *out) {
  *out = {};
  const DILocation *location = inst->getDebugLoc().get();
  if (!location)
    return;
  place(*location->getScope(), out);
  out->line = location->getLine();
  out->column = location->getColumn();
  out->inlined = location->getInlinedAt() != nullptr;
}

// Where a function begins.
extern "C" void lw_function_location(Function *function, LwLocation *out) {
  *out = {};
  const DISubprogram *subprogram = function->getSubprogram();
  if (!subprogram)
    return;
  place(*subprogram, out);
  out->line = subprogram->getLine();
}

static void add(std::vector<LwVariable> &list, DbgVariableRecord &record) {
  // Only what is the whole variable, unchanged.
  if (record.hasArgList() || record.getNumVariableLocationOps() != 1 || record.isKillLocation() ||
      record.getExpression()->getNumElements() != 0)
    return;
  const DILocalVariable *variable = record.getVariable();
  Value *value = record.getVariableLocationOp(0);
  LwVariable out{text(variable->getName()), variable, LW_HOLDS_VALUE, variable->getLine(), value, 0};
  if (auto *constant = dyn_cast<ConstantInt>(value)) {
    if (constant->getBitWidth() > 64)
      return;
    out.holds = LW_HOLDS_CONSTANT;
    out.constant = constant->getSExtValue();
  } else if (record.isDbgDeclare()) {
    out.holds = LW_HOLDS_ADDRESS;
  } else if (!isLocal(value)) {
    return;
  }
  list.push_back(out);
}

// What debug records say of variables, in order.
extern "C" size_t lw_variables(Function *function, LwScratch *scratch, const LwVariable **out) {
  scratch->variables.clear();
  for (BasicBlock &block : *function)
    for (Instruction &inst : block)
      for (DbgVariableRecord &record : filterDbgVars(inst.getDbgRecordRange()))
        add(scratch->variables, record);
  *out = scratch->variables.data();
  return scratch->variables.size();
}

static void addMembers(std::vector<LwMember> &list, StringRef name, const DICompositeType &type) {
  if (name.empty() || (type.getTag() != dwarf::DW_TAG_structure_type && type.getTag() != dwarf::DW_TAG_class_type))
    return;
  for (const DINode *element : type.getElements()) {
    auto *member = dyn_cast_or_null<DIDerivedType>(element);
    if (member && member->getTag() == dwarf::DW_TAG_member && !member->isStaticMember() && !member->isBitField())
      list.push_back({text(name), text(member->getName()), member->getOffsetInBits(), &type});
  }
}

// The members of structures that have a name, their own or that of a typedef.
extern "C" size_t lw_members(Module *module, LwScratch *scratch, const LwMember **out) {
  scratch->members.clear();
  DebugInfoFinder finder;
  finder.processModule(*module);
  for (const DIType *type : finder.types()) {
    if (auto *composite = dyn_cast<DICompositeType>(type)) {
      addMembers(scratch->members, composite->getName(), *composite);
    } else if (type->getTag() == dwarf::DW_TAG_typedef) {
      auto *composite = dyn_cast_or_null<DICompositeType>(cast<DIDerivedType>(type)->getBaseType());
      if (composite && composite->getName().empty())
        addMembers(scratch->members, type->getName(), *composite);
    }
  }
  *out = scratch->members.data();
  return scratch->members.size();
}
