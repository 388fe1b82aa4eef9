//! Instructions.

use super::Emitter;
use crate::error::Result;
use crate::ffi::{self, Bundle, Code, InstDesc, Text, bits};
use llvm_sys::prelude::*;
use lw_ir::inst::{Access, CallInfo, SyncScope};
use lw_ir::ops::Ordering;
use lw_ir::{Inst, Op, Type};
use smallvec::SmallVec;
use std::ptr::null_mut;

impl Emitter<'_, '_, '_> {
    /// Appends `inst` to a block of LLVM.
    pub(super) fn instruction(&mut self, into: LLVMBasicBlockRef, inst: Inst) -> Result<()> {
        let function = self.function;
        let data = &function[inst];
        let phi = data.op == Op::Phi;
        let mut args: SmallVec<[LLVMValueRef; 8]> = SmallVec::new();
        let mut missing: SmallVec<[usize; 2]> = SmallVec::new();
        for (index, &arg) in data.args.iter().enumerate() {
            let raw = if phi { null_mut() } else { self.operand(arg)? };
            args.push(raw);
            if raw.is_null() {
                missing.push(index);
            }
        }
        let mut targets: SmallVec<[LLVMBasicBlockRef; 8]> =
            data.targets.iter().map(|&target| self.block(target)).collect();
        let raw = if let (Op::Opaque(_), Some(origin)) = (&data.op, self.origin(inst)) {
            // SAFETY: the origin has as many local operands and targets as the IR lists (checked on entry).
            unsafe { ffi::lw_build_opaque(into, origin, args.as_ptr(), targets.as_ptr()) }
        } else {
            for &index in missing.iter().filter(|_| !phi) {
                let ty = self.ty(function.ty(data.args[index]))?;
                // SAFETY: the type belongs to the living context.
                args[index] = unsafe { ffi::lw_poison(ty) };
            }
            let mut desc =
                InstDesc { ty: self.ty(data.ty)?, flags: data.flags.bits(), ..InstDesc::default() };
            let bundles = self.operation(&data.op, &mut desc)?;
            desc.bundles = bundles.as_ptr();
            desc.num_bundles = bundles.len();
            desc.args = args.as_mut_ptr();
            desc.num_args = args.len();
            desc.targets = targets.as_mut_ptr();
            desc.num_targets = targets.len();
            let filters: SmallVec<[i32; 4]> = match &data.op {
                Op::LandingPad(info) => info.filters.iter().map(|&f| f.into()).collect(),
                _ => SmallVec::new(),
            };
            if !filters.is_empty() {
                desc.indices = filters.as_ptr();
                desc.num_indices = filters.len();
            }
            // SAFETY: the function was verified, so the description is well formed; it lives for the call.
            unsafe { ffi::lw_build(into, &desc) }
        };
        for index in missing {
            self.later.push((inst, raw, index, data.args[index]));
        }
        if let Some(result) = data.result.expand() {
            self.values[result] = Some(raw);
        }
        self.insts.push((inst, raw));
        Ok(())
    }

    /// Describes what an operation does, without operands. Returns the bundles the description should point to.
    pub(super) fn operation(
        &mut self,
        op: &Op,
        desc: &mut InstDesc,
    ) -> Result<SmallVec<[Bundle; 2]>> {
        let mut bundles = SmallVec::new();
        desc.code = match op {
            Op::FNeg => Code::FNeg,
            Op::Binary(op) => kind(desc, Code::Binary, *op as u32),
            Op::Cast(op) => kind(desc, Code::Cast, *op as u32),
            Op::ICmp(pred) => kind(desc, Code::ICmp, *pred as u32),
            Op::FCmp(pred) => kind(desc, Code::FCmp, *pred as u32),
            Op::Select => Code::Select,
            Op::Freeze => Code::Freeze,
            Op::Phi => Code::Phi,
            Op::ExtractElement => Code::ExtractElement,
            Op::InsertElement => Code::InsertElement,
            Op::ShuffleVector(mask) => {
                indices(desc, Code::ShuffleVector, mask.as_ptr(), mask.len())
            }
            Op::ExtractValue(path) => {
                indices(desc, Code::ExtractValue, path.as_ptr().cast(), path.len())
            }
            Op::InsertValue(path) => {
                indices(desc, Code::InsertValue, path.as_ptr().cast(), path.len())
            }
            Op::Alloca(info) => {
                desc.extra = self.ty(info.ty)?;
                desc.align_log2 = info.align_log2;
                desc.bits = if info.inalloca { bits::INALLOCA } else { 0 }
                    | if info.swifterror { bits::SWIFTERROR } else { 0 };
                Code::Alloca
            }
            Op::Load(access) => self.access(desc, Code::Load, access),
            Op::Store(access) => self.access(desc, Code::Store, access),
            Op::Gep(elem) => {
                desc.extra = self.ty(*elem)?;
                Code::Gep
            }
            Op::AtomicRmw(op, access) => {
                desc.kind = *op as u32;
                self.access(desc, Code::AtomicRmw, access)
            }
            Op::CmpXchg(info) => {
                self.access(desc, Code::CmpXchg, &info.access);
                desc.failure = info.failure as u8;
                desc.bits |= if info.weak { bits::WEAK } else { 0 };
                Code::CmpXchg
            }
            Op::Fence(access) => self.access(desc, Code::Fence, access),
            Op::VaArg => Code::VaArg,
            Op::Call(info) => {
                bundles = self.call(desc, info)?;
                Code::Call
            }
            Op::Br => Code::Br,
            Op::CondBr => Code::CondBr,
            Op::Switch => Code::Switch,
            Op::IndirectBr => Code::IndirectBr,
            Op::Ret => Code::Ret,
            Op::Unreachable => Code::Unreachable,
            Op::Invoke(info) => {
                bundles = self.call(desc, info)?;
                Code::Invoke
            }
            Op::Resume => Code::Resume,
            Op::LandingPad(info) => {
                desc.bits = if info.cleanup { bits::CLEANUP } else { 0 };
                Code::LandingPad
            }
            Op::Mask | Op::Horizontal(_) | Op::Opaque(_) => {
                return self.error(format!("`{}` has no counterpart in LLVM", op.mnemonic()));
            }
        };
        if desc.ty.is_null() {
            desc.ty = self.ty(Type::Void)?;
        }
        Ok(bundles)
    }

    fn call(&mut self, desc: &mut InstDesc, info: &CallInfo) -> Result<SmallVec<[Bundle; 2]>> {
        desc.extra = self.ty(info.ty)?;
        desc.attrs = self.attr_list(info.attrs)?;
        desc.convention = info.convention;
        desc.kind = info.tail as u32;
        let bundle = |(tag, operands): &(lw_ir::Name, u32)| {
            let tag = Text::new(tag.as_bytes());
            // SAFETY (lifetime): the tag outlives the description, which lives for one call.
            let tag = unsafe { std::mem::transmute::<Text<'_>, Text<'static>>(tag) };
            Bundle { tag, operands: *operands }
        };
        Ok(info.bundles.iter().map(bundle).collect())
    }

    fn access(&self, desc: &mut InstDesc, code: Code, access: &Access) -> Code {
        desc.align_log2 = access.align_log2;
        desc.bits = if access.volatile { bits::VOLATILE } else { 0 };
        desc.ordering = access.ordering as u8;
        desc.scope = match access.scope {
            SyncScope(n) if n < 2 || access.ordering == Ordering::NotAtomic => access.scope.0,
            SyncScope(n) => {
                let name = Text::new(self.function.sync_scopes[n as usize - 2].as_bytes());
                // SAFETY: the context is alive and copies the name.
                unsafe { ffi::lw_sync_scope(self.context(), name) }
            }
        };
        code
    }
}

fn kind(desc: &mut InstDesc, code: Code, kind: u32) -> Code {
    desc.kind = kind;
    code
}

fn indices(desc: &mut InstDesc, code: Code, data: *const i32, count: usize) -> Code {
    desc.indices = data;
    desc.num_indices = count;
    code
}
