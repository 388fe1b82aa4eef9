//! Calls of other generated functions, of intrinsics and of the C library.

use super::body::Body;
use super::palette::Palette;
use super::{Options, Rng};
use crate::attrs::{Attr, AttrListData};
use crate::constant::{Constant, ConstantKind};
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::{CallInfo, InstData, Op};
use crate::layout::DataLayout;
use crate::ops::{BinOp, TailKind};
use crate::symbols::SymbolKind;
use crate::types::{FloatKind, Scalar, Signature, Type};

/// A generated function that others call. Its parameters are how deep it may call itself, the private and the shared
/// memory, and some values.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) ret: Type,
    pub(super) convention: u32,
}

impl Callee {
    pub(super) fn random(
        rng: &mut Rng,
        options: &Options,
        palette: &Palette,
        layout: &DataLayout,
        number: usize,
        others: &[Callee],
    ) -> Callee {
        let name = format!("{}.h{number}", options.name);
        if let Some(other) = others.last()
            && rng.one_in(2)
        {
            // The same type, so that a pointer may be either.
            return Callee { name, ..other.clone() };
        }
        let params = (0..rng.below(3)).map(|_| palette.passed(rng, layout)).collect();
        let ret = if rng.one_in(5) { Type::Void } else { palette.passed(rng, layout) };
        let convention = if rng.one_in(4) { 8 } else { 0 };
        Callee { name, params, ret, convention }
    }

    pub(super) fn signature(&self) -> Signature {
        let mut params = vec![Type::I32, Type::PTR, Type::PTR];
        params.extend(&self.params);
        Signature { ret: self.ret, params: params.into(), varargs: false }
    }
}

/// Attributes that promise nothing a random program might break.
pub(super) fn function_attrs(rng: &mut Rng) -> AttrListData {
    let mut attrs = AttrListData::default();
    for name in ["noinline", "nounwind", "cold"] {
        if rng.one_in(6) {
            attrs.function.push(Attr::Flag(name.into()));
        }
    }
    // In the order in which LLVM lists them.
    attrs.function.sort_by_key(|attr| attr.name() != Some("cold"));
    if rng.one_in(8) {
        attrs.function.push(Attr::Text((*b"a-key").into(), (*b"value").into()));
    }
    if rng.one_in(8) {
        attrs.params.push((1, vec![Attr::Int("align".into(), 1)]));
    }
    attrs
}

impl Body<'_> {
    fn symbol(&mut self, name: &str, ty: Type) -> Value {
        let kind = || SymbolKind::Function { ty, attrs: Default::default() };
        let symbol = self.f.symbols.intern(name.into(), kind);
        self.f.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) })
    }

    /// A call of a generated function, this one included.
    pub(super) fn call(&mut self) {
        if self.options.libm && self.rng.one_in(3) {
            return self.libm();
        }
        // Nested loops of calls take their time.
        if self.loop_depth() > 1 {
            return self.int_binary();
        }
        let again = self.this.filter(|_| !self.called_itself && self.loop_depth() == 0);
        let (callee, fuel) = match (again, self.callees) {
            (Some(this), _) if self.rng.one_in(2) && !self.is_entry() => {
                self.called_itself = true;
                let minus = self.int(Type::I32, -1);
                let args = [self.f.params()[0], minus];
                let op = Op::Binary(BinOp::Add);
                (this, self.emit(op, Type::I32, &args, Flags::NONE, false))
            }
            (_, []) => return self.int_binary(),
            (_, callees) => {
                let callee = &callees[self.rng.below(callees.len())];
                let fuel = self.rng.below(3) as i128;
                (callee, self.int(Type::I32, fuel))
            }
        };
        let (Some(own), Some(table)) = (self.own, self.table) else { return };
        let callee = callee.clone();
        let signature = callee.signature();
        let ty = self.f.types.function(signature.ret, &signature.params, false);
        let mut target = self.symbol(&callee.name, ty);
        let alike = self.callees.iter().find(|other| {
            other.name != callee.name
                && other.params == callee.params
                && other.ret == callee.ret
                && other.convention == callee.convention
        });
        if let Some(other) = alike.cloned()
            && self.rng.one_in(2)
            && self.this.is_none_or(|this| this.name != callee.name)
        {
            let other = self.symbol(&other.name, ty);
            let condition = self.pick_safe(Type::I1);
            let args = [condition, target, other];
            let inst = self.push(InstData::new(Op::Select, Type::PTR, &args));
            target = self.f.result(inst);
        }
        let mut args = vec![target, fuel, own, table];
        for &param in &callee.params {
            // What is undefined here could decide about a branch there.
            args.push(self.pick_safe(param));
        }
        let attrs = self.random_attrs();
        let attrs = self.f.attr_lists.intern(attrs);
        let mut info = CallInfo::new(ty, attrs);
        info.convention = callee.convention;
        info.tail =
            [TailKind::None, TailKind::None, TailKind::Tail, TailKind::NoTail][self.rng.below(4)];
        let inst = self.push(InstData::new(Op::Call(Box::new(info)), callee.ret, &args));
        if let Some(value) = self.f[inst].result.expand() {
            // A function may return what is undefined.
            self.set_tainted(value, self.options.undefined > 0);
            self.know(value, None);
        }
    }

    fn random_attrs(&mut self) -> AttrListData {
        let mut attrs = AttrListData::default();
        if self.rng.one_in(6) {
            attrs.function.push(Attr::Flag("nounwind".into()));
        }
        if self.rng.one_in(10) {
            attrs.function.push(Attr::Text((*b"key").into(), (*b"a value").into()));
        }
        if self.rng.one_in(10) {
            attrs.params.push((1, vec![Attr::Int("align".into(), 1)]));
        }
        attrs
    }

    /// A call of a function that the module does not define. The caller says whether the result may be undefined.
    pub(super) fn call_intrinsic(
        &mut self,
        name: &str,
        ret: Type,
        args: &[Value],
    ) -> Option<Value> {
        self.call_with(name, ret, args, Flags::NONE, AttrListData::default())
    }

    pub(super) fn call_with(
        &mut self,
        name: &str,
        ret: Type,
        args: &[Value],
        flags: Flags,
        attrs: AttrListData,
    ) -> Option<Value> {
        let params: Vec<Type> = args.iter().map(|&arg| self.f.ty(arg)).collect();
        let ty = self.f.types.function(ret, &params, false);
        let target = self.symbol(name, ty);
        let tainted = args.iter().any(|&arg| self.is_tainted(arg)) || !flags.is_empty();
        let attrs = self.f.attr_lists.intern(attrs);
        let mut all = vec![target];
        all.extend_from_slice(args);
        let op = Op::Call(Box::new(CallInfo::new(ty, attrs)));
        let inst = self.push(InstData::new(op, ret, &all).with_flags(flags));
        let value = self.f[inst].result.expand()?;
        self.set_tainted(value, tainted);
        self.know(value, None);
        Some(value)
    }

    /// A function of the C library.
    fn libm(&mut self) {
        let single = Type::Scalar(Scalar::Float(FloatKind::Float));
        let double = Type::Scalar(Scalar::Float(FloatKind::Double));
        let has = |ty: Type| self.palette.floats.contains(&ty);
        let ty = match (has(single), has(double)) {
            (true, false) => single,
            (false, true) => double,
            (true, true) if self.rng.one_in(2) => single,
            (true, true) => double,
            (false, false) => return self.int_binary(),
        };
        let one = ["sin", "cos", "exp", "log", "tanh", "cbrt", "exp2", "log10"];
        let two = ["pow", "atan2", "fmod", "hypot"];
        let binary = self.rng.one_in(3);
        let base =
            if binary { two[self.rng.below(two.len())] } else { one[self.rng.below(one.len())] };
        let name = if ty == single { format!("{base}f") } else { base.to_string() };
        let mut args = vec![self.pick_safe(ty)];
        if binary {
            args.push(self.pick_safe(ty));
        }
        self.call_intrinsic(&name, ty, &args);
    }
}
