//! Instructions, without their operands.

use super::Importer;
use crate::ffi::{self, Code, InstDesc, bits};
use lw_ir::inst::{
    Access, AllocaInfo, CallInfo, CmpXchgInfo, Effects, LandingPadInfo, OpaqueInfo, SyncScope,
};
use lw_ir::ops::{BinOp, CastOp, FloatPred, IntPred, Ordering, RmwOp, TailKind};
use lw_ir::{Flags, InstData, Op};

impl Importer<'_, '_, '_> {
    /// The instruction that `desc` describes, without operands and targets.
    pub(super) fn describe(&mut self, desc: &InstDesc) -> InstData {
        // SAFETY: the indices lie in the scratch, and nothing was described since.
        let indices = unsafe { ffi::slice(desc.indices, desc.num_indices) };
        let kind = desc.kind as usize;
        let path = || indices.iter().map(|&i| i as u32).collect();
        let op = match desc.code {
            Code::FNeg => Op::FNeg,
            Code::Binary => Op::Binary(BinOp::ALL[kind]),
            Code::Cast => Op::Cast(CastOp::ALL[kind]),
            Code::ICmp => Op::ICmp(IntPred::ALL[kind]),
            Code::FCmp => Op::FCmp(FloatPred::ALL[kind]),
            Code::Select => Op::Select,
            Code::Freeze => Op::Freeze,
            Code::Phi => Op::Phi,
            Code::ExtractElement => Op::ExtractElement,
            Code::InsertElement => Op::InsertElement,
            Code::ShuffleVector => Op::ShuffleVector(indices.into()),
            Code::ExtractValue => Op::ExtractValue(path()),
            Code::InsertValue => Op::InsertValue(path()),
            Code::Alloca => Op::Alloca(Box::new(AllocaInfo {
                ty: self.ty(desc.extra),
                align_log2: desc.align_log2,
                inalloca: desc.bits & bits::INALLOCA != 0,
                swifterror: desc.bits & bits::SWIFTERROR != 0,
            })),
            Code::Load => Op::Load(access(desc)),
            Code::Store => Op::Store(access(desc)),
            Code::Gep => Op::Gep(self.ty(desc.extra)),
            Code::AtomicRmw => Op::AtomicRmw(RmwOp::ALL[kind], access(desc)),
            Code::CmpXchg => Op::CmpXchg(Box::new(CmpXchgInfo {
                access: access(desc),
                failure: Ordering::ALL[desc.failure as usize],
                weak: desc.bits & bits::WEAK != 0,
            })),
            Code::Fence => Op::Fence(access(desc)),
            Code::VaArg => Op::VaArg,
            Code::Call => Op::Call(Box::new(self.call(desc))),
            Code::Br => Op::Br,
            Code::CondBr => Op::CondBr,
            Code::Switch => Op::Switch,
            Code::IndirectBr => Op::IndirectBr,
            Code::Ret => Op::Ret,
            Code::Unreachable => Op::Unreachable,
            Code::Invoke => Op::Invoke(Box::new(self.call(desc))),
            Code::Resume => Op::Resume,
            Code::LandingPad => Op::LandingPad(Box::new(LandingPadInfo {
                cleanup: desc.bits & bits::CLEANUP != 0,
                filters: indices.iter().map(|&i| i != 0).collect(),
            })),
            Code::Opaque => Op::Opaque(Box::new(opaque(desc))),
        };
        let ty = self.ty(desc.ty);
        InstData::new(op, ty, &[]).with_flags(Flags::from_bits(desc.flags))
    }

    fn call(&mut self, desc: &InstDesc) -> CallInfo {
        // SAFETY: tags lie in the context, bundles in the scratch, and nothing was described since.
        let bundles = unsafe {
            let bundles = ffi::slice(desc.bundles, desc.num_bundles);
            bundles.iter().map(|b| (b.tag.bytes().into(), b.operands)).collect()
        };
        let ty = self.ty(desc.extra);
        let attrs = self.attr_list(desc.attrs);
        let tail = TailKind::ALL[desc.kind as usize];
        CallInfo { ty, attrs, convention: desc.convention, tail, bundles }
    }
}

fn access(desc: &InstDesc) -> Access {
    Access {
        align_log2: desc.align_log2,
        volatile: desc.bits & bits::VOLATILE != 0,
        ordering: Ordering::ALL[desc.ordering as usize],
        scope: SyncScope(desc.scope),
    }
}

fn opaque(desc: &InstDesc) -> OpaqueInfo {
    let effect = |bit: u8| desc.effects & bit != 0;
    // SAFETY: the names of opcodes are static.
    let opcode = unsafe { desc.opcode.bytes() };
    OpaqueInfo {
        opcode: String::from_utf8_lossy(opcode).into(),
        terminator: desc.bits & bits::TERMINATOR != 0,
        effects: Effects {
            reads: effect(1),
            writes: effect(2),
            traps: effect(4),
            convergent: effect(8),
            returns_twice: effect(16),
        },
    }
}
