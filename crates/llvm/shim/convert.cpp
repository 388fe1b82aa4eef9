#include "convert.h"

using namespace llvm;

namespace lw {

const Instruction::BinaryOps binaryOps[18] = {
    Instruction::Add,  Instruction::Sub,  Instruction::Mul,  Instruction::UDiv, Instruction::SDiv, Instruction::URem,
    Instruction::SRem, Instruction::Shl,  Instruction::LShr, Instruction::AShr, Instruction::And,  Instruction::Or,
    Instruction::Xor,  Instruction::FAdd, Instruction::FSub, Instruction::FMul, Instruction::FDiv, Instruction::FRem,
};

const Instruction::CastOps castOps[14] = {
    Instruction::Trunc,   Instruction::ZExt,     Instruction::SExt,      Instruction::FPTrunc,  Instruction::FPExt,
    Instruction::FPToUI,  Instruction::FPToSI,   Instruction::UIToFP,    Instruction::SIToFP,   Instruction::PtrToInt,
    Instruction::PtrToAddr, Instruction::IntToPtr, Instruction::BitCast, Instruction::AddrSpaceCast,
};

const CmpInst::Predicate intPredicates[10] = {
    CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_UGT, CmpInst::ICMP_UGE, CmpInst::ICMP_ULT,
    CmpInst::ICMP_ULE, CmpInst::ICMP_SGT, CmpInst::ICMP_SGE, CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,
};

const AtomicOrdering orderings[7] = {
    AtomicOrdering::NotAtomic, AtomicOrdering::Unordered,      AtomicOrdering::Monotonic,
    AtomicOrdering::Acquire,   AtomicOrdering::Release,        AtomicOrdering::AcquireRelease,
    AtomicOrdering::SequentiallyConsistent,
};

template <typename T, size_t N> static uint32_t indexIn(const T (&table)[N], unsigned wanted) {
  for (size_t i = 0; i < N; ++i)
    if (static_cast<unsigned>(table[i]) == wanted)
      return i;
  return ~0u;
}

uint32_t binaryIndex(unsigned opcode) { return indexIn(binaryOps, opcode); }
uint32_t castIndex(unsigned opcode) { return indexIn(castOps, opcode); }
uint8_t orderingIndex(AtomicOrdering ordering) { return indexIn(orderings, static_cast<unsigned>(ordering)); }

uint16_t flagsOf(const User &user) {
  uint16_t flags = 0;
  auto add = [&](bool set, uint16_t flag) { flags |= set ? flag : 0; };
  if (auto *op = dyn_cast<OverflowingBinaryOperator>(&user)) {
    add(op->hasNoUnsignedWrap(), NUW);
    add(op->hasNoSignedWrap(), NSW);
  }
  if (auto *op = dyn_cast<TruncInst>(&user)) {
    add(op->hasNoUnsignedWrap(), NUW);
    add(op->hasNoSignedWrap(), NSW);
  }
  if (auto *op = dyn_cast<PossiblyExactOperator>(&user))
    add(op->isExact(), EXACT);
  if (auto *op = dyn_cast<PossiblyDisjointInst>(&user))
    add(op->isDisjoint(), DISJOINT);
  if (auto *op = dyn_cast<PossiblyNonNegInst>(&user))
    add(op->hasNonNeg(), NNEG);
  if (auto *op = dyn_cast<ICmpInst>(&user))
    add(op->hasSameSign(), SAMESIGN);
  if (auto *op = dyn_cast<GEPOperator>(&user)) {
    GEPNoWrapFlags gep = op->getNoWrapFlags();
    add(gep.isInBounds(), INBOUNDS);
    add(gep.hasNoUnsignedSignedWrap() && !gep.isInBounds(), NUSW);
    add(gep.hasNoUnsignedWrap(), NUW);
  }
  if (auto *op = dyn_cast<FPMathOperator>(&user)) {
    FastMathFlags fmf = op->getFastMathFlags();
    add(fmf.allowReassoc(), REASSOC);
    add(fmf.noNaNs(), NNAN);
    add(fmf.noInfs(), NINF);
    add(fmf.noSignedZeros(), NSZ);
    add(fmf.allowReciprocal(), ARCP);
    add(fmf.allowContract(), CONTRACT);
    add(fmf.approxFunc(), AFN);
  }
  return flags;
}

GEPNoWrapFlags gepFlags(uint16_t flags) {
  GEPNoWrapFlags gep = GEPNoWrapFlags::none();
  if (flags & INBOUNDS)
    gep |= GEPNoWrapFlags::inBounds();
  if (flags & NUSW)
    gep |= GEPNoWrapFlags::noUnsignedSignedWrap();
  if (flags & NUW)
    gep |= GEPNoWrapFlags::noUnsignedWrap();
  return gep;
}

void setFlags(Instruction &inst, uint16_t flags) {
  if (flags == 0)
    return;
  if (isa<OverflowingBinaryOperator, TruncInst>(inst)) {
    inst.setHasNoUnsignedWrap(flags & NUW);
    inst.setHasNoSignedWrap(flags & NSW);
  }
  if (isa<PossiblyExactOperator>(inst))
    inst.setIsExact(flags & EXACT);
  if (auto *op = dyn_cast<PossiblyDisjointInst>(&inst))
    op->setIsDisjoint(flags & DISJOINT);
  if (isa<PossiblyNonNegInst>(inst))
    inst.setNonNeg(flags & NNEG);
  if (auto *op = dyn_cast<ICmpInst>(&inst))
    op->setSameSign(flags & SAMESIGN);
  if (isa<FPMathOperator>(inst)) {
    FastMathFlags fmf;
    fmf.setAllowReassoc(flags & REASSOC);
    fmf.setNoNaNs(flags & NNAN);
    fmf.setNoInfs(flags & NINF);
    fmf.setNoSignedZeros(flags & NSZ);
    fmf.setAllowReciprocal(flags & ARCP);
    fmf.setAllowContract(flags & CONTRACT);
    fmf.setApproxFunc(flags & AFN);
    inst.setFastMathFlags(fmf);
  }
}

} // namespace lw

extern "C" LwScratch *lw_scratch_new() { return new LwScratch; }
extern "C" void lw_scratch_free(LwScratch *scratch) { delete scratch; }
