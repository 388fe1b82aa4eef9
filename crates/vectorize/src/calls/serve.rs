//! Vector functions that calls ask for.

use super::Calls;
use super::requests::{is_for_caller, requests, shapes};
use crate::abi::VariantName;
use crate::pipeline::vectorize;
use crate::region::Region;
use crate::target;
use lw_ir::attrs::AttrListData;
use lw_ir::constant::{Constant, ConstantKind};
use lw_ir::inst::CallInfo;
use lw_ir::symbols::SymbolKind;
use lw_ir::types::Type;
use lw_ir::{DataLayout, Function, InsertAt, InstData, Op, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// So many functions are vectorized for the calls of one region; what is wanted beyond that is called lane by lane.
const LIMIT: usize = 100;

/// Functions with more instructions are called lane by lane.
const SIZE: usize = 5000;

/// A vector function that a call asked for.
#[derive(Clone, Debug)]
pub struct Callee {
    /// The scalar function.
    pub scalar: String,
    /// The vector function, by the name it is called.
    pub vector: Function,
    /// Whether it is what the scalar function is, vectorized, and not a call for each lane.
    pub vectorized: bool,
}

/// Makes all vector functions that a function asks for, and those that they ask for. A function that calls itself asks once, so this
/// ends. What `is_there` knows already is left out; `import` gives the bodies of scalar functions.
pub fn vectorize_callees(
    function: &Function,
    calls: &Calls,
    layout: &DataLayout,
    mut is_there: impl FnMut(&str) -> bool,
    mut import: impl FnMut(&str) -> Option<Function>,
) -> Vec<Callee> {
    let mut made: Vec<Callee> = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut wanted = requests(function);
    while let Some((name, variant)) = wanted.pop() {
        if is_there(&name) || !seen.insert(name.clone()) {
            continue;
        }
        let Some(mut scalar) = import(&variant.base) else { continue };
        if is_for_caller(&name) {
            target::move_to(&mut scalar.attrs, &function.attrs);
        }
        let room = made.len() < LIMIT && scalar.inst_count() <= SIZE;
        let done = if room { attempt(&scalar, &variant, calls, layout) } else { None };
        let vectorized = done.is_some();
        let mut vector = done.unwrap_or_else(|| {
            let each = Calls { isa: calls.isa, ..Calls::default() };
            let passed = attempt(&pass_on(&scalar), &variant, &each, layout);
            passed.expect("a call is vectorized for any arguments")
        });
        super::results::pass(&mut vector);
        vector.name = name.as_str().into();
        vector.convention = 0;
        if let Some(isa) = calls.isa {
            target::add_features(&mut vector.attrs, isa);
        }
        let widest = passed(&vector);
        target::allow_vectors(&mut vector.attrs, widest);
        wanted.extend(requests(&vector));
        made.push(Callee { scalar: variant.base.clone(), vector, vectorized });
    }
    made
}

/// The bits of the largest vector that a function takes or returns.
fn passed(function: &Function) -> u32 {
    let types = function.signature.params.iter().copied().chain([function.signature.ret]);
    types.map(|ty| target::widest(&function.types, ty)).max().unwrap_or(0)
}

fn attempt(
    scalar: &Function,
    variant: &VariantName,
    calls: &Calls,
    layout: &DataLayout,
) -> Option<Function> {
    let region = Region {
        params: shapes(scalar, variant, layout),
        masked: variant.masked,
        calls: Arc::new(calls.clone()),
        ..Region::new(variant.lanes?, layout.clone())
    };
    Some(vectorize(scalar, &region).ok()?.0)
}

/// A function that calls another one with its parameters.
pub(crate) fn pass_on(function: &Function) -> Function {
    let mut out =
        Function::new(function.name.clone(), function.signature.clone(), function.types.clone());
    out.symbols = function.symbols.clone();
    let kept = function.attrs.function.iter().filter(|attr| target::decides_passing(attr));
    let attrs = kept.cloned().collect();
    out.attrs = AttrListData { function: attrs, ..AttrListData::default() };
    let entry = out.add_named_block("entry");
    let signature = &function.signature;
    let ty = out.types.function(signature.ret, &signature.params, false);
    let kind = || SymbolKind::Function { ty, attrs: Default::default() };
    let symbol = out.symbols.intern(function.name.clone(), kind);
    let callee = out.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) });
    let mut args: Vec<Value> = vec![callee];
    args.extend(out.params());
    // How arguments are extended is part of the call.
    let params = function.attrs.params.clone();
    let ret = function.attrs.ret.clone();
    let attrs = out.attr_lists.intern(AttrListData { function: Vec::new(), ret, params });
    let info = CallInfo { convention: function.convention, ..CallInfo::new(ty, attrs) };
    let call = InstData::new(Op::Call(Box::new(info)), signature.ret, &args);
    let call = out.insert(InsertAt::End(entry), call);
    let result: Vec<Value> = out[call].result.expand().into_iter().collect();
    out.insert(InsertAt::End(entry), InstData::new(Op::Ret, Type::Void, &result));
    out
}
