// Attribute lists as plain structs and back.
#include "convert.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/ConstantRangeList.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include <cstring>

using namespace llvm;
using namespace lw;

static_assert(sizeof(AttributeList) == sizeof(void *), "an attribute list is one pointer");

void *lw::rawAttributes(AttributeList list) { return list.getRawPointer(); }

AttributeList lw::attributesFromRaw(void *raw) {
  AttributeList list;
  std::memcpy(static_cast<void *>(&list), &raw, sizeof raw);
  return list;
}

static void addRange(std::vector<uint64_t> &words, const ConstantRange &range) {
  for (const APInt &end : {range.getLower(), range.getUpper()})
    words.insert(words.end(), end.getRawData(), end.getRawData() + end.getNumWords());
}

static LwAttr describe(unsigned index, Attribute attribute, LwScratch &s) {
  LwAttr out = {};
  out.index = index;
  if (attribute.isStringAttribute()) {
    out.kind = LW_ATTR_TEXT;
    out.name = text(attribute.getKindAsString());
    out.value = text(attribute.getValueAsString());
    return out;
  }
  out.name = text(Attribute::getNameFromAttrKind(attribute.getKindAsEnum()));
  if (attribute.isTypeAttribute()) {
    out.kind = LW_ATTR_TYPE;
    out.type = attribute.getValueAsType();
  } else if (attribute.isIntAttribute()) {
    out.kind = LW_ATTR_INT;
    out.number = attribute.getValueAsInt();
  } else if (attribute.isConstantRangeAttribute() || attribute.isConstantRangeListAttribute()) {
    out.kind = LW_ATTR_RANGES;
    std::vector<uint64_t> words;
    if (attribute.isConstantRangeAttribute()) {
      out.bits = attribute.getRange().getBitWidth();
      addRange(words, attribute.getRange());
    } else {
      for (const ConstantRange &range : attribute.getValueAsConstantRangeList()) {
        out.bits = range.getBitWidth();
        addRange(words, range);
      }
    }
    s.ranges.push_back(std::move(words));
    out.words = s.ranges.back().data();
    out.num_words = s.ranges.back().size();
  } else {
    out.kind = LW_ATTR_FLAG;
  }
  return out;
}

// The attributes of a list. Returns how many, in `*out`.
extern "C" size_t lw_describe_attributes(void *raw, LwScratch *scratch, LwAttr **out) {
  scratch->attrs.clear();
  scratch->ranges.clear();
  AttributeList list = attributesFromRaw(raw);
  for (unsigned index : list.indexes())
    for (Attribute attribute : list.getAttributes(index))
      scratch->attrs.push_back(describe(index, attribute, *scratch));
  *out = scratch->attrs.data();
  return scratch->attrs.size();
}

static ConstantRange range(const LwAttr &d, size_t at, size_t words) {
  return ConstantRange(APInt(d.bits, ArrayRef(d.words + at, words)), APInt(d.bits, ArrayRef(d.words + at + words, words)));
}

// The list of these attributes, or null with `*bad` set to the position of one LLVM does not know.
extern "C" bool lw_build_attributes(LLVMContext *context, const LwAttr *attrs, size_t count, void **out, size_t *bad) {
  AttributeList list;
  for (size_t i = 0; i < count; ++i) {
    const LwAttr &d = attrs[i];
    AttrBuilder builder(*context);
    Attribute::AttrKind kind = Attribute::None;
    if (d.kind == LW_ATTR_TEXT) {
      builder.addAttribute(str(d.name), str(d.value));
    } else {
      kind = Attribute::getAttrKindFromName(str(d.name));
      *bad = i;
      bool fits = kind != Attribute::None && (d.kind != LW_ATTR_FLAG || Attribute::isEnumAttrKind(kind)) &&
                  (d.kind != LW_ATTR_INT || Attribute::isIntAttrKind(kind)) &&
                  (d.kind != LW_ATTR_TYPE || Attribute::isTypeAttrKind(kind)) &&
                  (d.kind != LW_ATTR_RANGES || Attribute::isConstantRangeAttrKind(kind) ||
                   Attribute::isConstantRangeListAttrKind(kind));
      if (!fits)
        return false;
    }
    size_t words = (d.bits + 63) / 64;
    switch (d.kind) {
    case LW_ATTR_TEXT:
      break;
    case LW_ATTR_FLAG:
      builder.addAttribute(kind);
      break;
    case LW_ATTR_INT:
      builder.addRawIntAttr(kind, d.number);
      break;
    case LW_ATTR_TYPE:
      builder.addTypeAttr(kind, d.type);
      break;
    case LW_ATTR_RANGES:
      if (Attribute::isConstantRangeAttrKind(kind)) {
        builder.addConstantRangeAttr(kind, range(d, 0, words));
      } else {
        SmallVector<ConstantRange, 2> ranges;
        for (size_t at = 0; at + 2 * words <= d.num_words; at += 2 * words)
          ranges.push_back(range(d, at, words));
        builder.addConstantRangeListAttr(kind, ranges);
      }
      break;
    }
    list = list.addAttributesAtIndex(*context, d.index, builder);
  }
  *out = list.getRawPointer();
  return true;
}

extern "C" void *lw_function_attributes(Function *function) { return function->getAttributes().getRawPointer(); }

extern "C" void lw_set_function_attributes(Function *function, void *raw) {
  function->setAttributes(attributesFromRaw(raw));
}

// Gives an intrinsic the attributes that LLVM's own reader gives it; does nothing to other functions.
extern "C" void lw_set_intrinsic_attributes(Function *function) {
  if (Intrinsic::ID id = function->getIntrinsicID())
    function->setAttributes(Intrinsic::getAttributes(function->getContext(), id, function->getFunctionType()));
}
