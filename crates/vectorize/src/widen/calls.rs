//! Calls: of intrinsics that work on vectors, else one for each active lane.

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

    pub(super) fn call(&mut self, inst: Inst) -> Option<Rep> {
        let data = self.src[inst].clone();
        if data.ty == Type::Void && callee::is_dropped(self.src, inst) {
            return None;
        }
        let name = callee::name(self.src, inst).unwrap_or_default().to_string();
        if intrinsics::copies_first(&name) {
            return Some(self.rep(data.args[1]));
        }
        if !intrinsics::is_lanewise(&name) {
            return self.each_lane(inst);
        }
        let reps: Vec<Rep> = data.args[1..].iter().map(|&arg| self.rep(arg)).collect();
        let uniform: Option<Vec<Value>> = reps
            .iter()
            .map(|rep| if let Rep::Uniform(value) = rep { Some(*value) } else { None })
            .collect();
        if let Some(args) = uniform {
            let callee = self.rep(data.args[0]);
            let Rep::Uniform(callee) = callee else { unreachable!("it is a name") };
            let mut all = vec![callee];
            all.extend(args);
            let new = InstData::new(data.op.clone(), data.ty, &all).with_flags(data.flags);
            return self.push(new).map(Rep::Uniform);
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
