//! Instructions.

use super::function::{Draft, Operand};
use super::lexer::Token;
use super::{Parser, Result};
use crate::entities::{Block, Origin};
use crate::flags::Flags;
use crate::infer;
use crate::inst::{
    Access, AllocaInfo, CallInfo, CmpXchgInfo, Effects, InsertAt, InstData, LandingPadInfo, Op,
    OpaqueInfo, SyncScope,
};
use crate::ops::{BinOp, CastOp, FloatPred, Horizontal, IntPred, Ordering, RmwOp, TailKind};
use crate::types::{CompoundData, Scalar, Type};

/// What was read of an instruction.
struct Parsed {
    op: Op,
    ty: Type,
    args: Vec<Operand>,
    targets: Vec<Block>,
}

impl Parsed {
    fn new(op: Op, ty: Type, args: Vec<Operand>) -> Parsed {
        Parsed { op, ty, args, targets: Vec::new() }
    }

    fn terminator(op: Op, args: Vec<Operand>, targets: Vec<Block>) -> Parsed {
        Parsed { op, ty: Type::Void, args, targets }
    }
}

/// A typed operand.
type Typed = (Type, Operand);

impl Parser<'_> {
    /// `[%x =] [total] op …  [!N]`, appended to `block`.
    pub(super) fn instruction(&mut self, draft: &mut Draft, block: Block) -> Result<()> {
        let pos = self.pos;
        let mut name = None;
        if let Token::Local(_) = self.token {
            let Token::Local(ident) = self.bump()? else { unreachable!("just looked at") };
            name = Some(ident);
            self.mark("=")?;
        }
        let total = self.eat_word("total")?;
        let tail = match self.token {
            Token::Word("tail" | "musttail" | "notail") => {
                self.keyword("a call", TailKind::from_name)?
            }
            _ => TailKind::None,
        };
        let start = self.pos;
        let Token::Word(word) = self.token else { return self.expected("an instruction") };
        self.bump()?;
        let mut flags = Flags::NONE;
        while let Token::Word(word) = self.token
            && let Some(flag) = Flags::from_name(word)
        {
            flags |= flag;
            self.bump()?;
        }
        let parsed = match self.operation(draft, word, tail)? {
            Some(parsed) => parsed,
            None => return Err(self.error_at(start, format!("there is no instruction `{word}`"))),
        };
        let mut data = InstData::new(parsed.op, parsed.ty, &[]).with_flags(flags);
        data.total = total;
        data.targets = parsed.targets.into();
        if self.token == Token::Word("from") {
            self.bump()?;
            data.derived = true;
            if !matches!(self.token, Token::Origin(_)) {
                return self.expected("the origin of the instruction");
            }
        }
        if let Token::Origin(index) = self.token {
            if index == u32::MAX {
                return Err(self.error_at(self.pos, "origins are numbers below 4294967295"));
            }
            self.bump()?;
            data.origin = Some(Origin::from_u32(index)).into();
        }
        let inst = draft.function.insert(InsertAt::End(block), data);
        draft.set_args(inst, parsed.args);
        match (name, draft.function[inst].result.expand()) {
            (Some(name), Some(value)) if !draft.define(name.clone(), value) => {
                let name = super::lexer::describe_ident(&name);
                Err(self.error_at(pos, format!("the value %{name} is already defined")))
            }
            (Some(_), None) => Err(self.error_at(pos, "this instruction yields no value to name")),
            _ => Ok(()),
        }
    }

    fn operation(
        &mut self,
        draft: &mut Draft,
        word: &str,
        tail: TailKind,
    ) -> Result<Option<Parsed>> {
        if tail != TailKind::None && word != "call" {
            return self.expected("`call`");
        }
        if let Some(op) = BinOp::from_name(word) {
            let (ty, args) = self.same_typed(draft)?;
            return Ok(Some(Parsed::new(Op::Binary(op), ty, args)));
        }
        if let Some(op) = CastOp::from_name(word) {
            let (_, x) = self.typed(draft)?;
            self.word("to")?;
            let ty = self.ty(&mut draft.function.types)?;
            return Ok(Some(Parsed::new(Op::Cast(op), ty, vec![x])));
        }
        if let Some(op) = Horizontal::from_name(word) {
            let ty = self.ty(&mut draft.function.types)?;
            self.mark("(")?;
            let args = self.list(")", |p| Ok(p.typed(draft)?.1))?;
            return Ok(Some(Parsed::new(Op::Horizontal(op), ty, args)));
        }
        if let Some(parsed) = self.memory(draft, word)? {
            return Ok(Some(parsed));
        }
        if let Some(parsed) = self.terminator(draft, word)? {
            return Ok(Some(parsed));
        }
        self.other(draft, word, tail)
    }

    fn other(&mut self, draft: &mut Draft, word: &str, tail: TailKind) -> Result<Option<Parsed>> {
        Ok(Some(match word {
            "fneg" | "freeze" => {
                let (ty, x) = self.typed(draft)?;
                let op = if word == "fneg" { Op::FNeg } else { Op::Freeze };
                Parsed::new(op, ty, vec![x])
            }
            "icmp" => {
                let pred = self.keyword("a comparison", IntPred::from_name)?;
                let (ty, args) = self.same_typed(draft)?;
                Parsed::new(Op::ICmp(pred), infer::comparison(ty), args)
            }
            "fcmp" => {
                let pred = self.keyword("a comparison", FloatPred::from_name)?;
                let (ty, args) = self.same_typed(draft)?;
                Parsed::new(Op::FCmp(pred), infer::comparison(ty), args)
            }
            "select" => {
                let list = self.commas(draft, 3)?;
                let ty = list[1].0;
                Parsed::new(Op::Select, ty, operands(list))
            }
            "phi" => self.phi(draft)?,
            "mask" => Parsed::new(Op::Mask, Type::I1, Vec::new()),
            "call" => self.call(draft, tail)?,
            "extractelement" => {
                let list = self.commas(draft, 2)?;
                let Some(elem) = list[0].0.scalar() else {
                    return self.error("only a vector has elements to extract");
                };
                Parsed::new(Op::ExtractElement, Type::Scalar(elem), operands(list))
            }
            "insertelement" => {
                let list = self.commas(draft, 3)?;
                Parsed::new(Op::InsertElement, list[0].0, operands(list))
            }
            "shufflevector" => {
                let list = self.commas(draft, 2)?;
                self.mark(",")?;
                self.mark("[")?;
                let mask: Vec<i32> = self.list("]", |p| p.number("a lane"))?;
                let Some(ty) = infer::shuffle(list[0].0, mask.len()) else {
                    return self.error("only vectors can be shuffled");
                };
                Parsed::new(Op::ShuffleVector(mask.into()), ty, operands(list))
            }
            "extractvalue" => {
                let (aggregate, x) = self.typed(draft)?;
                let path = self.path()?;
                let Some(ty) = infer::member(&draft.function.types, aggregate, &path) else {
                    return self.error("there is nothing at the end of this path");
                };
                Parsed::new(Op::ExtractValue(path), ty, vec![x])
            }
            "insertvalue" => {
                let list = self.commas(draft, 2)?;
                let path = self.path()?;
                Parsed::new(Op::InsertValue(path), list[0].0, operands(list))
            }
            "getelementptr" => {
                let elem = self.ty(&mut draft.function.types)?;
                self.mark(",")?;
                let mut list = vec![self.typed(draft)?];
                while self.eat_mark(",")? {
                    list.push(self.typed(draft)?);
                }
                let kinds: Vec<Type> = list.iter().map(|(ty, _)| *ty).collect();
                Parsed::new(Op::Gep(elem), infer::address(&kinds), operands(list))
            }
            "va_arg" => {
                let (_, x) = self.typed(draft)?;
                self.mark(",")?;
                let ty = self.ty(&mut draft.function.types)?;
                Parsed::new(Op::VaArg, ty, vec![x])
            }
            "landingpad" => {
                let ty = self.ty(&mut draft.function.types)?;
                let cleanup = self.eat_word("cleanup")?;
                let (mut args, mut filters) = (Vec::new(), Vec::new());
                loop {
                    let filter = self.eat_word("filter")?;
                    if !filter && !self.eat_word("catch")? {
                        break;
                    }
                    filters.push(filter);
                    args.push(self.typed(draft)?.1);
                }
                let info = LandingPadInfo { cleanup, filters: filters.into() };
                Parsed::new(Op::LandingPad(Box::new(info)), ty, args)
            }
            "opaque" => self.opaque(draft)?,
            _ => return Ok(None),
        }))
    }

    fn typed(&mut self, draft: &mut Draft) -> Result<Typed> {
        let ty = self.ty(&mut draft.function.types)?;
        Ok((ty, self.value(draft, ty)?))
    }

    /// `T a, b`.
    fn same_typed(&mut self, draft: &mut Draft) -> Result<(Type, Vec<Operand>)> {
        let (ty, lhs) = self.typed(draft)?;
        self.mark(",")?;
        Ok((ty, vec![lhs, self.value(draft, ty)?]))
    }

    /// `T a, U b, …`, so many.
    fn commas(&mut self, draft: &mut Draft, count: usize) -> Result<Vec<Typed>> {
        let mut list = vec![self.typed(draft)?];
        while list.len() < count {
            self.mark(",")?;
            list.push(self.typed(draft)?);
        }
        Ok(list)
    }

    fn path(&mut self) -> Result<Box<[u32]>> {
        let mut path = Vec::new();
        while self.eat_mark(",")? {
            path.push(self.number("an index")?);
        }
        Ok(path.into())
    }

    fn target(&mut self, draft: &mut Draft) -> Result<Block> {
        self.word("label")?;
        self.block_name(draft)
    }

    fn block_name(&mut self, draft: &mut Draft) -> Result<Block> {
        let pos = self.pos;
        match self.bump()? {
            Token::Local(name) => Ok(draft.block_named(name, pos)),
            other => {
                Err(self.error_at(pos, format!("expected a block, found {}", other.describe())))
            }
        }
    }

    fn phi(&mut self, draft: &mut Draft) -> Result<Parsed> {
        let ty = self.ty(&mut draft.function.types)?;
        let mut parsed = Parsed::new(Op::Phi, ty, Vec::new());
        if self.at_mark("[") {
            loop {
                self.mark("[")?;
                parsed.args.push(self.value(draft, ty)?);
                self.mark(",")?;
                parsed.targets.push(self.block_name(draft)?);
                self.mark("]")?;
                if !self.eat_mark(",")? {
                    break;
                }
            }
        }
        if self.eat_word("shadow")? {
            parsed.args.push(self.value(draft, ty)?);
        }
        Ok(parsed)
    }

    fn memory(&mut self, draft: &mut Draft, word: &str) -> Result<Option<Parsed>> {
        Ok(Some(match word {
            "alloca" => {
                let inalloca = self.eat_word("inalloca")?;
                let swifterror = self.eat_word("swifterror")?;
                let ty = self.ty(&mut draft.function.types)?;
                self.mark(",")?;
                let (_, count) = self.typed(draft)?;
                self.mark(",")?;
                let align_log2 = self.align()?;
                let space = if self.eat_mark(",")? { self.address_space()? } else { 0 };
                let info = AllocaInfo { ty, align_log2, inalloca, swifterror };
                let result = Type::Scalar(Scalar::Ptr(space));
                Parsed::new(Op::Alloca(Box::new(info)), result, vec![count])
            }
            "load" => {
                let volatile = self.eat_word("volatile")?;
                let ty = self.ty(&mut draft.function.types)?;
                self.mark(",")?;
                let (_, pointer) = self.typed(draft)?;
                let (access, _) = self.access(draft, volatile, false)?;
                Parsed::new(Op::Load(access), ty, vec![pointer])
            }
            "store" => {
                let volatile = self.eat_word("volatile")?;
                let list = self.commas(draft, 2)?;
                let (access, _) = self.access(draft, volatile, false)?;
                Parsed::new(Op::Store(access), Type::Void, operands(list))
            }
            "atomicrmw" => {
                let volatile = self.eat_word("volatile")?;
                let op = self.keyword("an operation", RmwOp::from_name)?;
                let list = self.commas(draft, 2)?;
                let ty = list[1].0;
                let (access, _) = self.access(draft, volatile, false)?;
                Parsed::new(Op::AtomicRmw(op, access), ty, operands(list))
            }
            "cmpxchg" => {
                let weak = self.eat_word("weak")?;
                let volatile = self.eat_word("volatile")?;
                let list = self.commas(draft, 3)?;
                let ty = draft.function.types.structure(&[list[1].0, Type::I1]);
                let (access, failure) = self.access(draft, volatile, true)?;
                let info = CmpXchgInfo { access, failure, weak };
                Parsed::new(Op::CmpXchg(Box::new(info)), ty, operands(list))
            }
            "fence" => {
                let scope = self.sync_scope(draft)?;
                let ordering = self.keyword("an ordering", Ordering::from_name)?;
                let access = Access { scope, ordering, ..Access::aligned(1) };
                Parsed::new(Op::Fence(access), Type::Void, Vec::new())
            }
            _ => return Ok(None),
        }))
    }

    fn sync_scope(&mut self, draft: &mut Draft) -> Result<SyncScope> {
        if !self.eat_word("syncscope")? {
            return Ok(SyncScope::SYSTEM);
        }
        self.mark("(")?;
        let name = self.text("the name of a scope")?;
        self.mark(")")?;
        if name == b"singlethread" {
            return Ok(SyncScope::SINGLE_THREAD);
        }
        let scopes = &mut draft.function.sync_scopes;
        let index = scopes.iter().position(|s| s.as_bytes() == name).unwrap_or_else(|| {
            scopes.push(name.into());
            scopes.len() - 1
        });
        match u8::try_from(index + 2) {
            Ok(scope) => Ok(SyncScope(scope)),
            Err(_) => self.error("too many synchronization scopes"),
        }
    }

    /// `[[syncscope("…")] ordering [ordering]], align N`.
    fn access(
        &mut self,
        draft: &mut Draft,
        volatile: bool,
        two: bool,
    ) -> Result<(Access, Ordering)> {
        let (mut ordering, mut failure) = (Ordering::NotAtomic, Ordering::NotAtomic);
        let mut scope = SyncScope::SYSTEM;
        if !self.at_mark(",") {
            scope = self.sync_scope(draft)?;
            ordering = self.keyword("an ordering", Ordering::from_name)?;
            if two {
                failure = self.keyword("an ordering", Ordering::from_name)?;
            }
        }
        self.mark(",")?;
        let align_log2 = self.align()?;
        Ok((Access { align_log2, volatile, ordering, scope }, failure))
    }

    /// `[cc N] ret (params) callee(args) [bundles] attrs(…)`.
    fn call(&mut self, draft: &mut Draft, tail: TailKind) -> Result<Parsed> {
        let convention = if self.eat_word("cc")? { self.number("a convention")? } else { 0 };
        let signature = self.signature(&mut draft.function.types)?;
        let ret = signature.ret;
        let ty = draft.function.types.intern(CompoundData::Function(signature));
        let mut args = vec![self.callee(draft)?];
        self.mark("(")?;
        args.extend(self.list(")", |p| Ok(p.typed(draft)?.1))?);
        let mut bundles = Vec::new();
        if self.eat_mark("[")? {
            bundles = self.list("]", |p| {
                let tag = p.text("the tag of a bundle")?;
                p.mark("(")?;
                let operands = p.list(")", |p| Ok(p.typed(draft)?.1))?;
                let count = operands.len() as u32;
                args.extend(operands);
                Ok((tag.into(), count))
            })?;
        }
        let attrs = self.attrs(&mut draft.function.types)?;
        let attrs = draft.function.attr_lists.intern(attrs);
        let info = CallInfo { ty, attrs, convention, tail, bundles: bundles.into() };
        Ok(Parsed::new(Op::Call(Box::new(info)), ret, args))
    }

    /// The callee: a pointer into the address space of functions, which `addrspace(N)` names if it is not 0.
    fn callee(&mut self, draft: &mut Draft) -> Result<Operand> {
        let space = self.address_space()?;
        self.value(draft, Type::Scalar(Scalar::Ptr(space)))
    }

    fn opaque(&mut self, draft: &mut Draft) -> Result<Parsed> {
        let opcode = self.text("the name of an instruction")?;
        let pos = self.pos;
        let letters = String::from_utf8_lossy(&self.text("effects")?).into_owned();
        let Some(effects) = Effects::from_letters(&letters) else {
            return Err(self.error_at(pos, "effects are letters of `rwtc2`"));
        };
        let ty = self.ty(&mut draft.function.types)?;
        self.mark("(")?;
        let args = self.list(")", |p| Ok(p.typed(draft)?.1))?;
        let terminator = self.eat_word("to")?;
        let mut targets = Vec::new();
        if terminator {
            self.mark("[")?;
            targets = self.list("]", |p| p.target(draft))?;
        }
        let opcode = String::from_utf8_lossy(&opcode).into();
        let info = OpaqueInfo { opcode, terminator, effects };
        Ok(Parsed { op: Op::Opaque(Box::new(info)), ty, args, targets })
    }

    fn terminator(&mut self, draft: &mut Draft, word: &str) -> Result<Option<Parsed>> {
        Ok(Some(match word {
            "br" if self.at_word("label") => {
                let target = self.target(draft)?;
                Parsed::terminator(Op::Br, Vec::new(), vec![target])
            }
            "br" => {
                let (_, condition) = self.typed(draft)?;
                self.mark(",")?;
                let then = self.target(draft)?;
                self.mark(",")?;
                let otherwise = self.target(draft)?;
                Parsed::terminator(Op::CondBr, vec![condition], vec![then, otherwise])
            }
            "switch" => {
                let (ty, value) = self.typed(draft)?;
                self.mark(",")?;
                let mut args = vec![value];
                let mut targets = vec![self.target(draft)?];
                self.mark("[")?;
                self.list("]", |p| {
                    args.push(p.value(draft, ty)?);
                    p.mark(":")?;
                    targets.push(p.target(draft)?);
                    Ok(())
                })?;
                Parsed::terminator(Op::Switch, args, targets)
            }
            "indirectbr" => {
                let (_, address) = self.typed(draft)?;
                self.mark(",")?;
                self.mark("[")?;
                let targets = self.list("]", |p| p.target(draft))?;
                Parsed::terminator(Op::IndirectBr, vec![address], targets)
            }
            "ret" if self.eat_word("void")? => Parsed::terminator(Op::Ret, Vec::new(), Vec::new()),
            "ret" => {
                let (_, value) = self.typed(draft)?;
                Parsed::terminator(Op::Ret, vec![value], Vec::new())
            }
            "unreachable" => Parsed::terminator(Op::Unreachable, Vec::new(), Vec::new()),
            "resume" => {
                let (_, value) = self.typed(draft)?;
                Parsed::terminator(Op::Resume, vec![value], Vec::new())
            }
            "invoke" => {
                let mut parsed = self.call(draft, TailKind::None)?;
                let Op::Call(info) = parsed.op else { unreachable!("a call was read") };
                parsed.op = Op::Invoke(info);
                self.word("to")?;
                parsed.targets.push(self.target(draft)?);
                self.word("unwind")?;
                parsed.targets.push(self.target(draft)?);
                parsed
            }
            _ => return Ok(None),
        }))
    }
}

fn operands(list: Vec<Typed>) -> Vec<Operand> {
    list.into_iter().map(|(_, operand)| operand).collect()
}
