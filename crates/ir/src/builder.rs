//! Building functions: a block to append to, and one method for each kind of instruction.

use crate::constant::Constant;
use crate::entities::{Block, Inst, Symbol, Value};
use crate::flags::Flags;
use crate::function::Function;
use crate::infer;
use crate::inst::{Access, AllocaInfo, CallInfo, InsertAt, InstData, Op};
use crate::ops::{BinOp, CastOp, FloatPred, Horizontal, IntPred};
use crate::symbols::SymbolKind;
use crate::types::Type;

/// Appends instructions to blocks of a function.
///
/// ```
/// use lw_ir::{Builder, Function, ops::BinOp, types::{Signature, Type, Types}};
///
/// let signature = Signature { ret: Type::I32, params: [Type::I32].into(), varargs: false };
/// let mut function = Function::new("twice", signature, Types::default());
/// let mut b = Builder::new(&mut function);
/// let x = b.function.params()[0];
/// let sum = b.binary(BinOp::Add, x, x);
/// b.ret(Some(sum));
/// assert_eq!(function.inst_count(), 2);
/// ```
pub struct Builder<'f> {
    /// The function that is built.
    pub function: &'f mut Function,
    block: Block,
    total: bool,
}

impl<'f> Builder<'f> {
    /// A builder at the end of the last block; a function without blocks gets an entry.
    pub fn new(function: &'f mut Function) -> Builder<'f> {
        let block = function.blocks().last().copied().unwrap_or_else(|| function.add_block());
        Builder { function, block, total: false }
    }

    /// The block that is appended to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Appends to `block` from now on.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// Whether the instructions added from now on are `total`.
    pub fn set_total(&mut self, total: bool) {
        self.total = total;
    }

    /// Appends an instruction.
    pub fn push(&mut self, mut data: InstData) -> Inst {
        data.total = self.total && !data.op.is_terminator() && data.op != Op::Phi;
        self.function.insert(InsertAt::End(self.block), data)
    }

    fn value(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        let inst = self.push(InstData::new(op, ty, args));
        self.function.result(inst)
    }

    /// The integer `value` of type `ty`, on every lane if `ty` is a vector.
    pub fn int(&mut self, ty: Type, value: i128) -> Value {
        self.function.constant(Constant::int(ty, value))
    }

    /// A constant.
    pub fn constant(&mut self, constant: Constant) -> Value {
        self.function.constant(constant)
    }

    /// A binary operator.
    pub fn binary(&mut self, op: BinOp, lhs: Value, rhs: Value) -> Value {
        let ty = self.function.ty(lhs);
        self.value(Op::Binary(op), ty, &[lhs, rhs])
    }

    /// A binary operator with flags.
    pub fn binary_with(&mut self, op: BinOp, flags: Flags, lhs: Value, rhs: Value) -> Value {
        let ty = self.function.ty(lhs);
        let inst = self.push(InstData::new(Op::Binary(op), ty, &[lhs, rhs]).with_flags(flags));
        self.function.result(inst)
    }

    /// Floating-point negation.
    pub fn fneg(&mut self, x: Value) -> Value {
        let ty = self.function.ty(x);
        self.value(Op::FNeg, ty, &[x])
    }

    /// A conversion to `ty`.
    pub fn cast(&mut self, op: CastOp, x: Value, ty: Type) -> Value {
        self.value(Op::Cast(op), ty, &[x])
    }

    /// A comparison of integers or pointers.
    pub fn icmp(&mut self, pred: IntPred, lhs: Value, rhs: Value) -> Value {
        let ty = infer::comparison(self.function.ty(lhs));
        self.value(Op::ICmp(pred), ty, &[lhs, rhs])
    }

    /// A comparison of floats.
    pub fn fcmp(&mut self, pred: FloatPred, lhs: Value, rhs: Value) -> Value {
        let ty = infer::comparison(self.function.ty(lhs));
        self.value(Op::FCmp(pred), ty, &[lhs, rhs])
    }

    /// `then` where `condition`, else `otherwise`.
    pub fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        let ty = self.function.ty(then);
        self.value(Op::Select, ty, &[condition, then, otherwise])
    }

    /// Fixes an undefined value.
    pub fn freeze(&mut self, x: Value) -> Value {
        let ty = self.function.ty(x);
        self.value(Op::Freeze, ty, &[x])
    }

    /// A φ over the incoming edges. Call it before other instructions of the block.
    pub fn phi(&mut self, ty: Type, incoming: &[(Value, Block)]) -> Value {
        let (values, blocks): (Vec<_>, Vec<_>) = incoming.iter().copied().unzip();
        let inst = self.push(InstData::new(Op::Phi, ty, &values).with_targets(&blocks));
        self.function.result(inst)
    }

    /// A φ that passive threads resolve to `shadow` (001 §4.8).
    pub fn shadow_phi(&mut self, ty: Type, incoming: &[(Value, Block)], shadow: Value) -> Value {
        let phi = self.phi(ty, incoming);
        let inst = self.function.def_inst(phi).expect("a φ is an instruction");
        self.function[inst].args.push(shadow);
        phi
    }

    /// Adds an incoming edge to a φ that has no shadow.
    pub fn add_incoming(&mut self, phi: Value, value: Value, block: Block) {
        let inst = self.function.def_inst(phi).expect("a φ is an instruction");
        self.function[inst].args.push(value);
        self.function[inst].targets.push(block);
    }

    /// Stack memory for one value of `ty`.
    pub fn alloca(&mut self, ty: Type, align: u64) -> Value {
        let one = self.int(Type::I32, 1);
        let align_log2 = align.trailing_zeros() as u8;
        let info = AllocaInfo { ty, align_log2, inalloca: false, swifterror: false };
        self.value(Op::Alloca(Box::new(info)), Type::PTR, &[one])
    }

    /// Reads a value of `ty`.
    pub fn load(&mut self, ty: Type, pointer: Value, access: Access) -> Value {
        self.value(Op::Load(access), ty, &[pointer])
    }

    /// Writes `value`.
    pub fn store(&mut self, value: Value, pointer: Value, access: Access) -> Inst {
        self.push(InstData::new(Op::Store(access), Type::Void, &[value, pointer]))
    }

    /// An address computation.
    pub fn gep(&mut self, elem: Type, flags: Flags, pointer: Value, indices: &[Value]) -> Value {
        let args: Vec<Value> = std::iter::once(pointer).chain(indices.iter().copied()).collect();
        let kinds: Vec<Type> = args.iter().map(|&a| self.function.ty(a)).collect();
        let ty = infer::address(&kinds);
        let inst = self.push(InstData::new(Op::Gep(elem), ty, &args).with_flags(flags));
        self.function.result(inst)
    }

    /// A call of `callee`, of function type `ty`. Its result is `None` if it yields none.
    ///
    /// # Panics
    /// If `ty` is not a function type.
    pub fn call(&mut self, ty: Type, callee: Value, args: &[Value]) -> Option<Value> {
        let ret = self.function.types.signature(ty).expect("a call needs a function type").ret;
        let attrs = self.function.attr_lists.empty();
        let all: Vec<Value> = std::iter::once(callee).chain(args.iter().copied()).collect();
        let inst =
            self.push(InstData::new(Op::Call(Box::new(CallInfo::new(ty, attrs))), ret, &all));
        self.function[inst].result.expand()
    }

    /// The function `name` of type `(params) -> ret`, as a symbol and its address, to be called.
    pub fn declare(&mut self, name: &str, ret: Type, params: &[Type]) -> (Symbol, Type, Value) {
        let ty = self.function.types.function(ret, params, false);
        let symbol = self
            .function
            .symbols
            .intern(name.into(), || SymbolKind::Function { ty, attrs: Default::default() });
        let kind = crate::constant::ConstantKind::Symbol(symbol);
        (symbol, ty, self.function.constant(Constant { ty: Type::PTR, kind }))
    }

    /// The activation of the block.
    pub fn mask(&mut self) -> Value {
        self.value(Op::Mask, Type::I1, &[])
    }

    /// An operation across threads, with a result of type `ty`.
    pub fn horizontal(&mut self, op: Horizontal, ty: Type, args: &[Value]) -> Value {
        self.value(Op::Horizontal(op), ty, args)
    }

    fn terminate(&mut self, op: Op, args: &[Value], targets: &[Block]) -> Inst {
        self.push(InstData::new(op, Type::Void, args).with_targets(targets))
    }

    /// A jump.
    pub fn br(&mut self, to: Block) -> Inst {
        self.terminate(Op::Br, &[], &[to])
    }

    /// A branch to `then` if `condition`, else to `otherwise`.
    pub fn cond_br(&mut self, condition: Value, then: Block, otherwise: Block) -> Inst {
        self.terminate(Op::CondBr, &[condition], &[then, otherwise])
    }

    /// A multi-way branch. The cases are constants.
    pub fn switch(&mut self, value: Value, default: Block, cases: &[(Value, Block)]) -> Inst {
        let args: Vec<_> = std::iter::once(value).chain(cases.iter().map(|c| c.0)).collect();
        let targets: Vec<_> = std::iter::once(default).chain(cases.iter().map(|c| c.1)).collect();
        self.terminate(Op::Switch, &args, &targets)
    }

    /// Ends the thread.
    pub fn ret(&mut self, value: Option<Value>) -> Inst {
        self.terminate(Op::Ret, value.as_slice(), &[])
    }

    /// Says that this is never reached.
    pub fn unreachable(&mut self) -> Inst {
        self.terminate(Op::Unreachable, &[], &[])
    }
}
