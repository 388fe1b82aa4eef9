//! Instructions in text.

use super::names::Names;
use super::{Scope, Ty, write_attrs, write_constant, write_scope, write_signature};
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, ValueDef};
use crate::inst::{Access, CallInfo, InstData, Op};
use crate::name::write_quoted;
use crate::ops::{Horizontal, Ordering, TailKind};
use crate::types::{Scalar, Type};
use std::fmt::{self, Write};

/// The keyword of an operation.
pub(crate) fn mnemonic(op: &Op) -> &'static str {
    match op {
        Op::FNeg => "fneg",
        Op::Binary(op) => op.name(),
        Op::Cast(op) => op.name(),
        Op::ICmp(_) => "icmp",
        Op::FCmp(_) => "fcmp",
        Op::Select => "select",
        Op::Freeze => "freeze",
        Op::Phi => "phi",
        Op::ExtractElement => "extractelement",
        Op::InsertElement => "insertelement",
        Op::ShuffleVector(_) => "shufflevector",
        Op::ExtractValue(_) => "extractvalue",
        Op::InsertValue(_) => "insertvalue",
        Op::Alloca(_) => "alloca",
        Op::Load(_) => "load",
        Op::Store(_) => "store",
        Op::Gep(_) => "getelementptr",
        Op::AtomicRmw(..) => "atomicrmw",
        Op::CmpXchg(_) => "cmpxchg",
        Op::Fence(_) => "fence",
        Op::VaArg => "va_arg",
        Op::Call(_) => "call",
        Op::Br | Op::CondBr => "br",
        Op::Switch => "switch",
        Op::IndirectBr => "indirectbr",
        Op::Ret => "ret",
        Op::Unreachable => "unreachable",
        Op::Invoke(_) => "invoke",
        Op::Resume => "resume",
        Op::LandingPad(_) => "landingpad",
        Op::Mask => "mask",
        Op::Horizontal(op) => op.name(),
        Op::Opaque(_) => "opaque",
    }
}

impl Op {
    /// The keyword of the operation in the text form.
    pub fn mnemonic(&self) -> &'static str {
        mnemonic(self)
    }
}

/// Another text for a value where an instruction mentions it; of a φ, for the operand from this block.
pub(crate) type Rename<'a> = &'a dyn Fn(Value, Option<Block>) -> Option<String>;

pub(crate) struct InstPrinter<'a> {
    function: &'a Function,
    names: &'a Names<'a>,
    scope: Scope<'a>,
    rename: Option<Rename<'a>>,
}

impl<'a> InstPrinter<'a> {
    pub(crate) fn new(function: &'a Function, names: &'a Names<'a>) -> InstPrinter<'a> {
        debug_assert!(std::ptr::eq(function, names.function()));
        let scope =
            Scope { types: &function.types, symbols: &function.symbols, names: Some(names) };
        InstPrinter { function, names, scope, rename: None }
    }

    pub(crate) fn renaming(self, rename: Rename<'a>) -> InstPrinter<'a> {
        InstPrinter { rename: Some(rename), ..self }
    }

    fn ty(&self, ty: Type) -> Ty<'a> {
        Ty(&self.function.types, ty)
    }

    /// Writes a value without its type.
    pub(crate) fn write_value(&self, f: &mut impl Write, value: Value) -> fmt::Result {
        self.value_from(f, value, None)
    }

    fn value_from(&self, f: &mut impl Write, value: Value, from: Option<Block>) -> fmt::Result {
        match self.function.def(value) {
            ValueDef::Const(constant) => write_constant(f, &self.scope, constant),
            _ => match self.rename.and_then(|rename| rename(value, from)) {
                Some(name) => f.write_str(&name),
                None => f.write_str(&self.names.value(value)),
            },
        }
    }

    /// Writes a value behind its type.
    fn typed(&self, f: &mut impl Write, value: Value) -> fmt::Result {
        write!(f, "{} ", self.ty(self.function.ty(value)))?;
        self.write_value(f, value)
    }

    fn list(&self, f: &mut impl Write, values: &[Value]) -> fmt::Result {
        for (i, &value) in values.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.typed(f, value)?;
        }
        Ok(())
    }

    fn label(&self, f: &mut impl Write, block: Block) -> fmt::Result {
        write!(f, "label {}", self.names.block(block))
    }

    fn labels(&self, f: &mut impl Write, blocks: &[Block]) -> fmt::Result {
        for (i, &block) in blocks.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.label(f, block)?;
        }
        Ok(())
    }

    /// Writes an instruction without line break.
    pub(crate) fn write(&self, f: &mut impl Write, inst: Inst) -> fmt::Result {
        let data = &self.function[inst];
        if let Some(result) = data.result.expand() {
            self.write_value(f, result)?;
            f.write_str(" = ")?;
        }
        if data.total {
            f.write_str("total ")?;
        }
        if let Some(call) = data.op.call()
            && call.tail != TailKind::None
        {
            write!(f, "{} ", call.tail.name())?;
        }
        f.write_str(mnemonic(&data.op))?;
        if let Op::Horizontal(Horizontal::Reduce(op)) = data.op {
            f.write_str(op.name())?;
        }
        if !data.flags.is_empty() {
            write!(f, " {}", data.flags.to_string().trim_end())?;
        }
        self.body(f, data)?;
        match data.origin.expand() {
            Some(origin) if data.derived => write!(f, " from !{}", origin.as_u32()),
            Some(origin) => write!(f, " !{}", origin.as_u32()),
            None => Ok(()),
        }
    }

    fn body(&self, f: &mut impl Write, data: &InstData) -> fmt::Result {
        let args = &data.args;
        match &data.op {
            Op::Binary(_) => self.same_typed(f, "", args),
            Op::ICmp(pred) => self.same_typed(f, pred.name(), args),
            Op::FCmp(pred) => self.same_typed(f, pred.name(), args),
            Op::FNeg
            | Op::Freeze
            | Op::Select
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Resume => {
                f.write_char(' ')?;
                self.list(f, args)
            }
            Op::Cast(_) => {
                f.write_char(' ')?;
                self.typed(f, args[0])?;
                write!(f, " to {}", self.ty(data.ty))
            }
            Op::Phi => self.phi(f, data),
            Op::ShuffleVector(mask) => {
                f.write_char(' ')?;
                self.list(f, args)?;
                write!(f, ", {mask:?}")
            }
            Op::ExtractValue(path) | Op::InsertValue(path) => {
                f.write_char(' ')?;
                self.list(f, args)?;
                path.iter().try_for_each(|index| write!(f, ", {index}"))
            }
            Op::Gep(elem) => {
                write!(f, " {}, ", self.ty(*elem))?;
                self.list(f, args)
            }
            Op::VaArg => {
                f.write_char(' ')?;
                self.list(f, args)?;
                write!(f, ", {}", self.ty(data.ty))
            }
            Op::Alloca(_)
            | Op::Load(_)
            | Op::Store(_)
            | Op::AtomicRmw(..)
            | Op::CmpXchg(_)
            | Op::Fence(_) => self.memory(f, data),
            Op::Call(info) | Op::Invoke(info) => self.call(f, data, info),
            Op::Mask => Ok(()),
            Op::Horizontal(_) => {
                write!(f, " {} (", self.ty(data.ty))?;
                self.list(f, args)?;
                f.write_char(')')
            }
            Op::Opaque(info) => {
                f.write_char(' ')?;
                write_quoted(f, info.opcode.as_bytes())?;
                write!(f, " \"{}\"", info.effects.letters())?;
                write!(f, " {} (", self.ty(data.ty))?;
                self.list(f, args)?;
                f.write_char(')')?;
                if info.terminator {
                    f.write_str(" to [")?;
                    self.labels(f, &data.targets)?;
                    f.write_char(']')?;
                }
                Ok(())
            }
            Op::LandingPad(info) => {
                write!(f, " {}", self.ty(data.ty))?;
                f.write_str(if info.cleanup { " cleanup" } else { "" })?;
                for (&arg, &filter) in args.iter().zip(&info.filters) {
                    f.write_str(if filter { " filter " } else { " catch " })?;
                    self.typed(f, arg)?;
                }
                Ok(())
            }
            Op::Br | Op::CondBr | Op::Switch | Op::IndirectBr | Op::Ret | Op::Unreachable => {
                self.terminator(f, data)
            }
        }
    }

    fn same_typed(&self, f: &mut impl Write, pred: &str, args: &[Value]) -> fmt::Result {
        let space = if pred.is_empty() { "" } else { " " };
        write!(f, "{space}{pred} {} ", self.ty(self.function.ty(args[0])))?;
        self.write_value(f, args[0])?;
        f.write_str(", ")?;
        self.write_value(f, args[1])
    }

    fn phi(&self, f: &mut impl Write, data: &InstData) -> fmt::Result {
        write!(f, " {}", self.ty(data.ty))?;
        for (i, (value, block)) in data.incoming().enumerate() {
            f.write_str(if i == 0 { " [ " } else { ", [ " })?;
            self.value_from(f, value, Some(block))?;
            write!(f, ", {} ]", self.names.block(block))?;
        }
        if let Some(shadow) = data.shadow() {
            f.write_str(" shadow ")?;
            self.write_value(f, shadow)?;
        }
        Ok(())
    }

    fn memory(&self, f: &mut impl Write, data: &InstData) -> fmt::Result {
        let volatile = |access: &Access| if access.volatile { " volatile" } else { "" };
        match &data.op {
            Op::Alloca(info) => {
                f.write_str(if info.inalloca { " inalloca" } else { "" })?;
                f.write_str(if info.swifterror { " swifterror" } else { "" })?;
                write!(f, " {}, ", self.ty(info.ty))?;
                self.list(f, &data.args)?;
                write!(f, ", align {}", 1u64 << info.align_log2)?;
                match data.ty {
                    Type::Scalar(Scalar::Ptr(space)) if space != 0 => {
                        write!(f, ", addrspace({space})")
                    }
                    _ => Ok(()),
                }
            }
            Op::Load(access) => {
                write!(f, "{} {}, ", volatile(access), self.ty(data.ty))?;
                self.list(f, &data.args)?;
                self.access(f, access, None)
            }
            Op::Store(access) => {
                write!(f, "{} ", volatile(access))?;
                self.list(f, &data.args)?;
                self.access(f, access, None)
            }
            Op::AtomicRmw(op, access) => {
                write!(f, "{} {} ", volatile(access), op.name())?;
                self.list(f, &data.args)?;
                self.access(f, access, None)
            }
            Op::CmpXchg(info) => {
                f.write_str(if info.weak { " weak" } else { "" })?;
                write!(f, "{} ", volatile(&info.access))?;
                self.list(f, &data.args)?;
                self.access(f, &info.access, Some(info.failure))
            }
            Op::Fence(access) => {
                f.write_char(' ')?;
                write_scope(f, self.function, access.scope)?;
                f.write_str(access.ordering.name())
            }
            _ => unreachable!("not a memory operation"),
        }
    }

    fn access(&self, f: &mut impl Write, a: &Access, failure: Option<Ordering>) -> fmt::Result {
        if a.ordering != Ordering::NotAtomic {
            f.write_char(' ')?;
            write_scope(f, self.function, a.scope)?;
            f.write_str(a.ordering.name())?;
        }
        if let Some(failure) = failure {
            write!(f, " {}", failure.name())?;
        }
        write!(f, ", align {}", 1u64 << a.align_log2)
    }

    fn call(&self, f: &mut impl Write, data: &InstData, info: &CallInfo) -> fmt::Result {
        if info.convention != 0 {
            write!(f, " cc {}", info.convention)?;
        }
        f.write_char(' ')?;
        let signature = self.function.types.signature(info.ty).expect("calls have function types");
        write_signature(f, &self.function.types, signature)?;
        f.write_char(' ')?;
        if let Type::Scalar(Scalar::Ptr(space)) = self.function.ty(data.args[0])
            && space != 0
        {
            write!(f, "addrspace({space}) ")?;
        }
        self.write_value(f, data.args[0])?;
        f.write_char('(')?;
        let end = data.args.len() - info.bundle_operands();
        self.list(f, &data.args[1..end])?;
        f.write_char(')')?;
        if !info.bundles.is_empty() {
            f.write_str(" [")?;
            let mut at = end;
            for (i, (tag, count)) in info.bundles.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write_quoted(f, tag.as_bytes())?;
                f.write_char('(')?;
                self.list(f, &data.args[at..at + *count as usize])?;
                f.write_char(')')?;
                at += *count as usize;
            }
            f.write_char(']')?;
        }
        write_attrs(f, &self.function.types, self.function.call_attrs(info.attrs))?;
        if let Op::Invoke(_) = data.op {
            f.write_str(" to ")?;
            self.label(f, data.targets[0])?;
            f.write_str(" unwind ")?;
            self.label(f, data.targets[1])?;
        }
        Ok(())
    }

    fn terminator(&self, f: &mut impl Write, data: &InstData) -> fmt::Result {
        f.write_str(if data.op == Op::Unreachable { "" } else { " " })?;
        match &data.op {
            Op::Br => self.label(f, data.targets[0]),
            Op::CondBr => {
                self.typed(f, data.args[0])?;
                f.write_str(", ")?;
                self.labels(f, &data.targets)
            }
            Op::Switch => {
                self.typed(f, data.args[0])?;
                f.write_str(", ")?;
                self.label(f, data.targets[0])?;
                f.write_str(" [")?;
                for (i, (&case, &target)) in data.args.iter().zip(&data.targets).enumerate().skip(1)
                {
                    f.write_str(if i == 1 { "" } else { ", " })?;
                    self.write_value(f, case)?;
                    f.write_str(": ")?;
                    self.label(f, target)?;
                }
                f.write_char(']')
            }
            Op::IndirectBr => {
                self.typed(f, data.args[0])?;
                f.write_str(", [")?;
                self.labels(f, &data.targets)?;
                f.write_char(']')
            }
            Op::Ret if data.args.is_empty() => f.write_str("void"),
            Op::Ret => self.typed(f, data.args[0]),
            _ => Ok(()),
        }
    }
}
