//! The bugs.

use super::Bug;

const fn bug(
    room: &'static str,
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    target: &'static str,
) -> Bug {
    Bug { name, room, file, from, to, target }
}

const IMPORT: &str = "import";
const EMIT: &str = "emit";
const INTERPRETER: &str = "interpreter";
const TEXT: &str = "text";
const SPARSE: &str = "sparse";

const DESCRIBE: &str = "crates/llvm/shim/describe.cpp";
const CONVERT: &str = "crates/llvm/shim/convert.cpp";
const BUILD: &str = "crates/llvm/shim/build.cpp";
const IMPORT_INST: &str = "crates/llvm/src/import/inst.rs";
const IMPORT_CONST: &str = "crates/llvm/src/import/constants.rs";
const EMIT_INST: &str = "crates/llvm/src/emit/inst.rs";
const INT: &str = "crates/ir/src/interp/eval_int.rs";
const CAST: &str = "crates/ir/src/interp/eval_cast.rs";
const STEP: &str = "crates/ir/src/interp/step.rs";
const COMPUTE: &str = "crates/ir/src/interp/compute.rs";
const MEM: &str = "crates/ir/src/interp/eval_mem.rs";
const VECTOR: &str = "crates/ir/src/interp/eval_vector.rs";
const FLOAT: &str = "crates/ir/src/interp/eval_float.rs";
const MEMORY: &str = "crates/ir/src/interp/memory.rs";
const BYTES: &str = "crates/ir/src/interp/bytes.rs";
const HORIZONTAL: &str = "crates/ir/src/interp/horizontal.rs";
const HOST_INT: &str = "crates/ir/src/interp/host/int.rs";
const HOST_FLOAT: &str = "crates/ir/src/interp/host/float.rs";
const HOST_MEM: &str = "crates/ir/src/interp/host/mem.rs";
const BITS: &str = "crates/sparse/src/analyses/bits.rs";
const DEMANDED: &str = "crates/sparse/src/analyses/demanded.rs";
const CONSTANTS: &str = "crates/sparse/src/analyses/constants.rs";
const NULL: &str = "crates/sparse/src/analyses/null.rs";
const SPLIT: &str = "crates/sparse/src/split.rs";
const ANALYSIS: &str = "crates/sparse/src/analysis.rs";
const FORWARD: &str = "crates/sparse/src/engine/forward.rs";
const CODE: &str = "crates/sparse/src/code/read.rs";
const IN_BLOCK: &str = "crates/sparse/src/in_block.rs";
const SETTLED: &str = "crates/sparse/src/settled.rs";

const JIT: &str = "interp-vs-jit";
const LOCKSTEP: &str = "lockstep";
const ROUNDTRIP: &str = "roundtrip";
const PARSER: &str = "parser";
const ANALYSES: &str = "sparse";

/// All of them.
#[rustfmt::skip]
pub(super) const BUGS: &[Bug] = &[
    // ---- import ----
    bug(IMPORT, "targets of a branch swapped", DESCRIBE,
        "s.targets.push_back(br.getSuccessor(i));", "s.targets.push_back(br.getSuccessor(e - 1 - i));", ROUNDTRIP),
    bug(IMPORT, "a case goes to the default", DESCRIBE,
        "s.targets.push_back(branch.getCaseSuccessor());", "s.targets.push_back(sw.getDefaultDest());", ROUNDTRIP),
    bug(IMPORT, "cases in reverse order", DESCRIBE,
        "s.args.push_back(branch.getCaseValue());", "s.args.insert(s.args.begin() + 1, branch.getCaseValue());", JIT),
    bug(IMPORT, "volatile lost", DESCRIBE,
        "out.bits = isVolatile ? LW_VOLATILE : 0;", "out.bits = 0;", ROUNDTRIP),
    bug(IMPORT, "alignment lost", DESCRIBE,
        "out.align_log2 = Log2(align);", "out.align_log2 = 0;", ROUNDTRIP),
    bug(IMPORT, "unsigned comparison becomes signed", DESCRIBE,
        "cast<ICmpInst>(inst).getPredicate();", "cast<ICmpInst>(inst).getSignedPredicate();", JIT),
    bug(IMPORT, "comparison of floats mirrored", DESCRIBE,
        "cast<FCmpInst>(inst).getPredicate();", "cast<FCmpInst>(inst).getSwappedPredicate();", JIT),
    bug(IMPORT, "edges of a phi in reverse", DESCRIBE,
        "s.targets.append(phi.blocks().begin(), phi.blocks().end());",
        "for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)\n      s.targets.push_back(phi.getIncomingBlock(i));", JIT),
    bug(IMPORT, "exact lost", CONVERT,
        "add(op->isExact(), EXACT);", "add(false, EXACT);", ROUNDTRIP),
    bug(IMPORT, "inbounds lost", CONVERT,
        "add(gep.isInBounds(), INBOUNDS);", "add(false, INBOUNDS);", ROUNDTRIP),
    bug(IMPORT, "samesign lost", CONVERT,
        "add(op->hasSameSign(), SAMESIGN);", "add(false, SAMESIGN);", ROUNDTRIP),
    bug(IMPORT, "nsz read as arcp", CONVERT,
        "add(fmf.noSignedZeros(), NSZ);", "add(fmf.noSignedZeros(), ARCP);", ROUNDTRIP),
    bug(IMPORT, "constants cut to 64 bits", IMPORT_CONST,
        "ConstantKind::Int(Bits::from_words(ty.int_bits().unwrap_or(64), &words))",
        "ConstantKind::Int(Bits::from_words(ty.int_bits().unwrap_or(64), &words[..1]))", ROUNDTRIP),
    bug(IMPORT, "elements of a constant in reverse", IMPORT_CONST,
        "ConstantKind::Aggregate(args.iter().map(|&arg| self.constant(arg)).collect())",
        "ConstantKind::Aggregate(args.iter().rev().map(|&arg| self.constant(arg)).collect())", ROUNDTRIP),
    bug(IMPORT, "order on failure is that on success", IMPORT_INST,
        "failure: Ordering::ALL[desc.failure as usize]", "failure: Ordering::ALL[desc.ordering as usize]", ROUNDTRIP),
    bug(IMPORT, "calling convention lost", IMPORT_INST,
        "convention: desc.convention", "convention: 0", ROUNDTRIP),
    bug(IMPORT, "scope of an atomic access lost", IMPORT_INST,
        "scope: SyncScope(desc.scope)", "scope: SyncScope::SYSTEM", ROUNDTRIP),
    bug(IMPORT, "an ashr is taken for a lshr", IMPORT_INST,
        "Op::Binary(BinOp::ALL[kind])", "Op::Binary(if kind == 9 { BinOp::LShr } else { BinOp::ALL[kind] })", JIT),
    bug(IMPORT, "a packed struct is taken for another", "crates/llvm/src/import/types.rs",
        "let packed = LLVMIsPackedStruct(raw) != 0;", "let packed = false;", JIT),

    // ---- emit ----
    bug(EMIT, "operands of operators swapped", BUILD,
        "BinaryOperator::Create(binaryOps[d.kind], a[0], a[1])", "BinaryOperator::Create(binaryOps[d.kind], a[1], a[0])", JIT),
    bug(EMIT, "sides of a select swapped", BUILD,
        "SelectInst::Create(a[0], a[1], a[2])", "SelectInst::Create(a[0], a[2], a[1])", JIT),
    bug(EMIT, "targets of a branch swapped", BUILD,
        "BranchInst::Create(d.targets[0], d.targets[1], a[0])", "BranchInst::Create(d.targets[1], d.targets[0], a[0])", JIT),
    bug(EMIT, "cases shifted by one", BUILD,
        "result->addCase(cast<ConstantInt>(a[i]), d.targets[i]);",
        "result->addCase(cast<ConstantInt>(a[i]), d.targets[i - 1]);", JIT),
    bug(EMIT, "volatile lost", BUILD,
        "bool isVolatile = d.bits & LW_VOLATILE;", "bool isVolatile = false;", ROUNDTRIP),
    bug(EMIT, "alignment lost", BUILD,
        "Align align(uint64_t(1) << d.align_log2);", "Align align(uint64_t(1));", ROUNDTRIP),
    bug(EMIT, "promises of addresses lost", BUILD,
        "GetElementPtrInst::Create(d.extra, a[0], rest, gepFlags(d.flags))",
        "GetElementPtrInst::Create(d.extra, a[0], rest, GEPNoWrapFlags::none())", ROUNDTRIP),
    bug(EMIT, "lshr and ashr confused, both ways", CONVERT,
        "Instruction::Shl,  Instruction::LShr, Instruction::AShr,", "Instruction::Shl,  Instruction::AShr, Instruction::LShr,", JIT),
    bug(EMIT, "slt and sle confused, both ways", CONVERT,
        "CmpInst::ICMP_SLT, CmpInst::ICMP_SLE,", "CmpInst::ICMP_SLE, CmpInst::ICMP_SLT,", JIT),
    bug(EMIT, "zext and sext confused, both ways", CONVERT,
        "Instruction::ZExt,     Instruction::SExt,", "Instruction::SExt,     Instruction::ZExt,", JIT),
    bug(EMIT, "vectors of a shuffle swapped", BUILD,
        "new ShuffleVectorInst(a[0], a[1],", "new ShuffleVectorInst(a[1], a[0],", JIT),
    bug(EMIT, "cmpxchg: expected and new swapped", BUILD,
        "new AtomicCmpXchgInst(a[0], a[1], a[2],", "new AtomicCmpXchgInst(a[0], a[2], a[1],", JIT),
    bug(EMIT, "operation of an atomic update off by one", EMIT_INST,
        "Op::AtomicRmw(op, access) => {\n                desc.kind = *op as u32;",
        "Op::AtomicRmw(op, access) => {\n                desc.kind = (*op as u32).saturating_sub(1);", JIT),
    bug(EMIT, "exact never set", CONVERT,
        "inst.setIsExact(flags & EXACT);", "inst.setIsExact(false);", ROUNDTRIP),
    bug(EMIT, "constants cut to 64 bits", "crates/llvm/src/emit/constants.rs",
        "desc.kind = ConstKind::Int;\n                words.extend_from_slice(bits.words());",
        "desc.kind = ConstKind::Int;\n                words.push(bits.words()[0]);", JIT),
    bug(EMIT, "a packed struct is built as another", "crates/llvm/src/emit/types.rs",
        "LLVMStructTypeInContext(context, data, count, (*packed).into())", "LLVMStructTypeInContext(context, data, count, 0)", JIT),
    bug(EMIT, "globals are never constant", "crates/llvm/src/emit/module.rs",
        "LLVMSetGlobalConstant(raw, global.constant.into());", "LLVMSetGlobalConstant(raw, 0);", ROUNDTRIP),
    bug(EMIT, "the calling convention of calls lost", BUILD,
        "call.setCallingConv(d.convention);", "call.setCallingConv(0);", ROUNDTRIP),
    bug(EMIT, "values of a phi come over the first edge", "crates/llvm/src/emit/mod.rs",
        "self.block(self.function[inst].targets[index])", "self.block(self.function[inst].targets[index.min(1)])", JIT),

    // ---- interpreter, one thread ----
    bug(INTERPRETER, "a shift by the width is a number", INT,
        "if y >= width.into() => return Ok(Val::Poison)", "if y > width.into() => return Ok(Val::Poison)", JIT),
    bug(INTERPRETER, "sext extends by zeros", CAST,
        "Ok(Val::int(to, signed(from, *v)))", "Ok(Val::Int(*v))", JIT),
    bug(INTERPRETER, "slt compares without sign", INT,
        "IntPred::Slt => by_sign.is_lt()", "IntPred::Slt => unsigned.is_lt()", JIT),
    bug(INTERPRETER, "phis are assigned one after the other", STEP,
        "copies.push((function.result(phi), t, value));",
        "copies.push((function.result(phi), t, value.clone()));\n                    frame.env.set(&code, function.result(phi), t, value);", JIT),
    bug(INTERPRETER, "nsw is not checked", INT,
        "|| flags.contains(Flags::NSW) && exact.is_none_or(|r| !fits(width, r))", "|| false && exact.is_none_or(|r| !fits(width, r))", JIT),
    bug(INTERPRETER, "bytes of a store in reverse", MEM,
        "copy_from_slice(&word.to_le_bytes()[..size as usize]);", "copy_from_slice(&word.to_be_bytes()[16 - size as usize..]);", JIT),
    bug(INTERPRETER, "loads of more than 8 bytes lose the rest", BYTES,
        "let word = u128::from_le_bytes(bytes);", "let word = u128::from_le_bytes(bytes) & mask(64);", JIT),
    bug(INTERPRETER, "min of a NaN and a number is the NaN", HOST_FLOAT,
        "(true, false) => y,", "(true, false) => x,", JIT),
    bug(INTERPRETER, "a switch takes the case before", STEP,
        "return target(i);", "return target(i - 1);", JIT),
    bug(INTERPRETER, "sides of a select swapped", VECTOR,
        "Val::Int(0) => otherwise.clone(),\n        Val::Int(_) => then.clone(),", "Val::Int(0) => then.clone(),\n        Val::Int(_) => otherwise.clone(),", JIT),
    bug(INTERPRETER, "array elements without their padding", MEM,
        "steps.push(Step::Scaled(i, sizes.alloc_size(*elem)?));", "steps.push(Step::Scaled(i, sizes.store_size(*elem)?));", JIT),
    bug(INTERPRETER, "lanes of the first vector of a shuffle only", VECTOR,
        "Ok(i) if i < count => a.element(i).clone(),", "Ok(i) if i < count => b.element(i).clone(),", JIT),
    bug(INTERPRETER, "urem divides by sign", INT,
        "BinOp::URem => (x % y, false)", "BinOp::URem => (sx.wrapping_rem(sy) as u128, false)", JIT),
    bug(INTERPRETER, "saturation at the wrong end", HOST_INT,
        "(true, _) if negative => 1 << (width - 1)", "(true, _) if negative => mask(width - 1)", JIT),
    bug(INTERPRETER, "cmpxchg always stores", MEM,
        "    if same {\n        store", "    if same || !same {\n        store", JIT),
    bug(INTERPRETER, "uinc_wrap wraps one later", MEM,
        "RmwOp::UIncWrap if below(IntPred::Uge)?", "RmwOp::UIncWrap if below(IntPred::Ugt)?", JIT),
    bug(INTERPRETER, "ueq of a NaN is false", FLOAT,
        "FloatPred::Ueq => unordered || is(|o| o.is_eq())", "FloatPred::Ueq => is(|o| o.is_eq())", JIT),
    bug(INTERPRETER, "one byte behind an allocation may be read", MEMORY,
        "size > room - offset", "size > room - offset + 1", JIT),
    bug(INTERPRETER, "memmove of overlapping bytes refused", HOST_MEM,
        "if !may_overlap && distance < size", "if distance < size", JIT),
    bug(INTERPRETER, "memset fills one byte less", MEMORY,
        "alloc.bytes[start..start + size as usize].fill(byte);", "alloc.bytes[start..start + size as usize - 1].fill(byte);", JIT),

    // ---- interpreter, W threads ----
    bug(INTERPRETER, "passive threads store too", COMPUTE,
        "if mask[t] {", "if mask[t] || matches!(data.op, Op::Store(_)) {", LOCKSTEP),
    bug(INTERPRETER, "threads in reverse order", COMPUTE,
        "for t in 0..mask.len() {", "for t in (0..mask.len()).rev() {", LOCKSTEP),
    bug(INTERPRETER, "a phi forgets its value on passive threads", STEP,
        "(None, Semantics::Freezing) => Ok(None),", "(None, Semantics::Freezing) => Ok(Some(Val::Passive)),", LOCKSTEP),
    bug(INTERPRETER, "passive threads move on", "crates/ir/src/interp/control.rs",
        "if !cmask {", "if !cmask && matches!(successor, Successor::Any) && self.is_done() {", LOCKSTEP),
    bug(INTERPRETER, "all threads take part in a call", "crates/ir/src/interp/exec.rs",
        "if active { Control::start(code.entry) }", "if active || !active { Control::start(code.entry) }", LOCKSTEP),
    bug(INTERPRETER, "broadcast takes the last thread", HORIZONTAL,
        "same(taking_part().next().map_or(", "same(taking_part().last().map_or(", LOCKSTEP),
    bug(INTERPRETER, "a reduction counts passive threads", HORIZONTAL,
        "for t in taking_part() {", "for t in 0..threads {", LOCKSTEP),
    bug(INTERPRETER, "predicates are ignored", STEP,
        "let Some(predicate) = frame.code.function.predicate(scheduled) else {",
        "let Some(predicate) = frame.code.function.predicate(scheduled).filter(|_| false) else {", LOCKSTEP),

    // ---- text ----
    bug(TEXT, "signs of constants lost", "crates/ir/src/print/constant.rs",
        "Some(value) => write!(f, \"{value}\"),", "Some(value) => write!(f, \"{}\", value.unsigned_abs()),", ROUNDTRIP),
    bug(TEXT, "exponents of floats cut", "crates/ir/src/print/constant.rs",
        "write!(f, \"{:?}\", f32::from_bits(raw as u32))", "write!(f, \"{:.3}\", f32::from_bits(raw as u32))", ROUNDTRIP),
    bug(TEXT, "a quote is written as it is", "crates/ir/src/name.rs",
        "b'\"' | b'\\\\' => write!(f, \"\\\\{b:02X}\")?,", "b'\\\\' => write!(f, \"\\\\{b:02X}\")?,", PARSER),

    // ---- sparse analyses ----
    bug(SPARSE, "and knows the ones of either operand", BITS,
        "zeros: a.zeros | b.zeros, ones: a.ones & b.ones }", "zeros: a.zeros | b.zeros, ones: a.ones | b.ones & !a.zeros }", ANALYSES),
    bug(SPARSE, "ashr fills with zeros", BITS,
        "Known { bits, zeros: extend(a.zeros), ones: extend(a.ones) }", "Known { bits, zeros: extend(a.zeros) | fill, ones: a.ones >> by }", ANALYSES),
    bug(SPARSE, "a carry is forgotten", BITS,
        "& carries & m;", "& m;", ANALYSES),
    bug(SPARSE, "zext keeps the sign", BITS,
        "zeros: self.zeros | high, ones: self.ones }", "zeros: extend(self.zeros), ones: extend(self.ones) }", ANALYSES),
    bug(SPARSE, "a sum needs only its own bits", DEMANDED,
        "=> fill(result) & all,", "=> result & all,", ANALYSES),
    bug(SPARSE, "shl needs the bits above", DEMANDED,
        "=> result >> by,", "=> result << by & all,", ANALYSES),
    bug(SPARSE, "ashr does not need the sign", DEMANDED,
        "let sign = if result & high != 0 { 1 << (bits - 1) } else { 0 };", "let sign = if result & high != 0 { 0 } else { 0 };", ANALYSES),
    bug(SPARSE, "the first of two constants wins", CONSTANTS,
        "        (a, b) if a == b => a,\n        _ => Constant::Bottom,", "        (Constant::Int(a), Constant::Int(_)) => Constant::Int(a),\n        _ => Constant::Bottom,", ANALYSES),
    bug(SPARSE, "a select takes the other side", CONSTANTS,
        "Constant::Int(0) => of(b),\n                Constant::Int(_) => of(a),", "Constant::Int(0) => of(a),\n                Constant::Int(_) => of(b),", ANALYSES),
    bug(SPARSE, "null on the edge where it is not", NULL,
        "(IntPred::Eq, Nullness::Maybe) => Nullness::Null,\n                        (IntPred::Ne, Nullness::Maybe) => Nullness::NonNull,",
        "(IntPred::Ne, Nullness::Maybe) => Nullness::Null,\n                        (IntPred::Eq, Nullness::Maybe) => Nullness::NonNull,", ANALYSES),
    bug(SPARSE, "any use shows that a pointer is not null", NULL,
        "(_, true) => Nullness::NonNull,\n                    (value, false) => value,", "(_, true) => Nullness::NonNull,\n                    (Nullness::Maybe, false) => Nullness::NonNull,\n                    (value, false) => value,", ANALYSES),
    bug(SPARSE, "what a branch knows does not meet again", SPLIT,
        "self.down.push(Place::Edge(edge));\n                }\n            }\n            if self.down.len() > before {", "}\n            }\n            if live.leaves(code, block) {", ANALYSES),
    bug(SPARSE, "definitions do not meet", SPLIT,
        "if !alone {\n                self.down.push(Place::Node(block));\n            }\n            if strategy.contains(Strategy::DEFS_UP)", "if strategy.contains(Strategy::DEFS_UP)", ANALYSES),
    bug(SPARSE, "no forks for what flows backward", SPLIT,
        "collisions.forks(code, &self.up, early.then_some(live), &mut self.sigmas);", "collisions.forks(code, &[], early.then_some(live), &mut self.sigmas);", ANALYSES),
    bug(SPARSE, "a φ does not take a variable out of its block", CODE,
        "home[var.index()] |= LEAVES;", "home[var.index()] |= 0;", ANALYSES),
    bug(SPARSE, "a copy is read where it is made", IN_BLOCK,
        "|&(_, copied)| copied < pos", "|&(_, copied)| copied <= pos", ANALYSES),
    bug(SPARSE, "no copy behind the use that settles a variable", IN_BLOCK,
        "rposition(settled).unwrap_or(0)", "rposition(settled).map_or(0, |at| at + 1)", ANALYSES),
    bug(SPARSE, "a use settles blocks before its own", SETTLED,
        "settled = code.body_range(block).start..user;", "settled = 0..user;", ANALYSES),
    bug(SPARSE, "only the last use of all must settle a variable", SETTLED,
        "uses.peek().is_none_or(|&next| block(next) != block(at))", "uses.peek().is_none()", ANALYSES),
    bug(SPARSE, "a fork sees what it tests first in place of all", ANALYSIS,
        "Some(at) => versions[at],", "Some(_) => versions[0],", ANALYSES),
    bug(SPARSE, "a fork that splits nothing takes all edges", FORWARD,
        "taken: !A::CONDITIONAL, split: &[]", "taken: true, split: &[]", ANALYSES),
    bug(SPARSE, "what loops carry wakes no φ", FORWARD,
        "if !A::CONDITIONAL && !code.is_acyclic() {", "if A::CONDITIONAL && !code.is_acyclic() {", ANALYSES),
];
