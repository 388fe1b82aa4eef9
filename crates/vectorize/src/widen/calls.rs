//! Calls: of intrinsics that work on vectors, else one for each active lane.

use super::kinds::Kind;
use super::rep::Rep;
use super::{Widener, intrinsics, types};
use crate::callee;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::inst::CallInfo;
use lw_ir::symbols::SymbolKind;
use lw_ir::types::Type;
use lw_ir::{Inst, InstData, Op, Symbol, Value};

impl Widener<'_> {
    /// An intrinsic of the widened program, overloaded for `types`.
    pub(super) fn declare(
        &mut self,
        name: &str,
        overloads: &[Type],
        ret: Type,
        args: &[Value],
    ) -> (Symbol, Type, Value) {
        let mut full = name.to_string();
        for &ty in overloads {
            full.push('.');
            full.push_str(&types::mangled(ty).expect("intrinsics work on numbers and vectors"));
        }
        let params: Vec<Type> = args.iter().map(|&arg| self.out.ty(arg)).collect();
        let ty = self.out.types.function(ret, &params, false);
        let kind = || SymbolKind::Function { ty, attrs: Default::default() };
        let symbol = self.out.symbols.intern(full.as_str().into(), kind);
        let constant = Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) };
        (symbol, ty, self.out.constant(constant))
    }

    /// A call of an intrinsic that yields a value.
    pub(super) fn intrinsic(
        &mut self,
        name: &str,
        overloads: &[Type],
        ret: Type,
        args: &[Value],
    ) -> Value {
        let (_, ty, callee) = self.declare(name, overloads, ret, args);
        let attrs = self.out.attr_lists.empty();
        let mut all = vec![callee];
        all.extend(args);
        let data = InstData::new(Op::Call(Box::new(CallInfo::new(ty, attrs))), ret, &all);
        self.push(data).expect("it has a type")
    }

    /// Whether one call does for all lanes: the arguments are the same, and the result is, or the call writes the same to the same place.
    fn is_once(&self, inst: Inst, name: &str, reps: &[Rep]) -> bool {
        let writes = (name.starts_with("llvm.memset.") || name.starts_with("llvm.memcpy."))
            && self.src[inst].args.last().and_then(|&v| self.src.as_constant(v)?.as_u128())
                == Some(0);
        let one = |result: Value| self.kinds.of(result) == Kind::Uniform;
        let result = self.src[inst].result.expand();
        reps.iter().all(|rep| matches!(rep, Rep::Uniform(_)))
            && crate::callee::name(self.src, inst).is_some()
            && !intrinsics::is_lanewise(name)
            && (writes || result.is_some_and(one))
    }

    /// A scalar call if a lane is active.
    fn call_once(&mut self, inst: Inst, reps: &[Rep]) -> Option<Rep> {
        let scalar = |rep: &Rep| if let Rep::Uniform(value) = rep { Some(*value) } else { None };
        let args: Vec<Value> = reps.iter().filter_map(scalar).collect();
        self.counts.uniform += 1;
        let ty = self.src[inst].ty;
        self.if_any(ty, |this| this.scalar_call(inst, &args)).map(Rep::Uniform)
    }

    fn scalar_call(&mut self, inst: Inst, args: &[Value]) -> Option<Value> {
        let data = self.src[inst].clone();
        let Rep::Uniform(callee) = self.rep(data.args[0]) else { unreachable!("it is a name") };
        let mut all = vec![callee];
        all.extend(args);
        let Op::Call(info) = &data.op else { unreachable!("it is a call") };
        // What is called sees the stack of this function.
        let info = CallInfo { tail: lw_ir::ops::TailKind::None, ..(**info).clone() };
        let new = InstData::new(Op::Call(Box::new(info)), data.ty, &all).with_flags(data.flags);
        self.push(new)
    }

    pub(super) fn call(&mut self, inst: Inst) -> Option<Rep> {
        let data = self.src[inst].clone();
        if data.ty == Type::Void && callee::is_dropped(self.src, inst) {
            return None;
        }
        let name = callee::name(self.src, inst).unwrap_or_default().to_string();
        if intrinsics::copies_first(&name) {
            return Some(self.rep(data.args[1]));
        }
        let reps: Vec<Rep> = data.args[1..].iter().map(|&arg| self.rep(arg)).collect();
        if self.is_once(inst, &name, &reps) {
            return self.call_once(inst, &reps);
        }
        if let Some(done) = self.call_together(inst, &reps) {
            return done;
        }
        if !intrinsics::is_lanewise(&name) {
            return self.each_lane(inst);
        }
        let uniform: Option<Vec<Value>> = reps
            .iter()
            .map(|rep| if let Rep::Uniform(value) = rep { Some(*value) } else { None })
            .collect();
        if let Some(args) = uniform {
            return self.scalar_call(inst, &args).map(Rep::Uniform);
        }
        let first = self.src.ty(data.args[1]);
        let Type::Scalar(_) = first else { return self.each_lane(inst) };
        let args: Vec<Value> = reps
            .iter()
            .enumerate()
            .map(|(i, rep)| match rep {
                Rep::Uniform(value) if intrinsics::is_immediate(&name, i) => *value,
                other => self.lanes(other),
            })
            .collect();
        let base = intrinsics::base(&name).expect("it is an intrinsic").to_string();
        let vector = self.vector(first);
        let ret = types::widened(&mut self.out, data.ty, self.region.width);
        let (_, ty, callee) = self.declare(&format!("llvm.{base}"), &[vector], ret, &args);
        let attrs = self.out.attr_lists.empty();
        let mut all = vec![callee];
        all.extend(args);
        let call = Op::Call(Box::new(CallInfo::new(ty, attrs)));
        let new = InstData::new(call, ret, &all).with_flags(data.flags);
        let value = self.push(new).expect("it has a type");
        Some(self.unpacked(value, data.ty))
    }
}
