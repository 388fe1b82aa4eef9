//! Stack objects, loads and stores.
//!
//! | address | access |
//! | --- | --- |
//! | uniform | one, scalar; to memory that nobody reads if no lane is active |
//! | neighbours, in order | a vector |
//! | neighbours, backwards | a vector, reversed |
//! | fields of records, one behind the other | vectors and [shuffles](super::records) |
//! | others | gather or scatter, in the order of lanes |
//! | atomic, volatile, elements that share bytes | one lane after the other |

use super::kinds::Kind;
use super::rep::Rep;
use super::{Widener, types};
use crate::target::has_masked_access;
use lw_divergence::Stride;
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::constant::Constant;
use lw_ir::inst::{Access, AllocaInfo, CallInfo};
use lw_ir::types::{Scalar, Type};
use lw_ir::{InsertAt, Inst, InstData, Op, Value};

/// How the lanes of an access lie in memory.
enum Pattern {
    /// From this address on; backwards if the lanes count down.
    Row { first: Value, reversed: bool, align: u64 },
    /// Each at its own.
    Apart { pointers: Value, align: u64 },
}

impl Widener<'_> {
    pub(super) fn alloca(&mut self, inst: Inst) -> Rep {
        let data = &self.src[inst];
        let Op::Alloca(info) = &data.op else { unreachable!("it is an alloca") };
        let value = self.src.result(inst);
        if self.kinds.of(value) == Kind::Uniform {
            let Rep::Uniform(count) = self.rep(data.args[0]) else {
                unreachable!("the number is constant")
            };
            return Rep::Uniform(self.op(data.op.clone(), data.ty, &[count]));
        }
        let slot = self.kinds.slot(inst);
        let info = AllocaInfo { ty: Type::I8, ..(**info).clone() };
        let count = self.int(Type::I64, i128::from(slot) * i128::from(self.region.width));
        Rep::Strided(self.op(Op::Alloca(Box::new(info)), data.ty, &[count]), slot)
    }

    /// Stack memory of a type that nobody else looks at.
    fn nowhere(&mut self, ty: Type, align: u64) -> Value {
        if let Some(&known) = self.nowhere.get(&ty) {
            return known;
        }
        let entry = self.out.entry().expect("there is an entry");
        let natural = self.region.layout.align(&self.out.types, ty).unwrap_or(16);
        let align = natural.max(align).max(64);
        let align_log2 = align.trailing_zeros() as u8;
        let info = AllocaInfo { ty, align_log2, inalloca: false, swifterror: false };
        let one = self.int(Type::I32, 1);
        let data = InstData::new(Op::Alloca(Box::new(info)), Type::PTR, &[one]);
        let inst = self.out.insert(InsertAt::Start(entry), data);
        let value = self.out.result(inst);
        self.nowhere.insert(ty, value);
        value
    }

    /// The address, or one where it does no harm if no lane is active.
    fn guarded(&mut self, pointer: Value, ty: Type, align: u64) -> Value {
        let plain = self.out.ty(pointer) == Type::PTR;
        if self.mask.is_none() || !plain {
            return pointer;
        }
        let nowhere = self.nowhere(ty, align);
        let any = self.any_active();
        self.op(Op::Select, Type::PTR, &[any, pointer, nowhere])
    }

    pub(super) fn load(&mut self, inst: Inst) -> Rep {
        let data = self.src[inst].clone();
        let Op::Load(access) = data.op else { unreachable!("it is a load") };
        let pointer = self.rep(data.args[0]);
        let one = self.kinds.of(self.src.result(inst)) == Kind::Uniform;
        if let (true, Rep::Uniform(pointer)) = (one && access.is_simple(), &pointer)
            && (self.mask.is_none() || self.out.ty(*pointer) == Type::PTR)
        {
            self.counts.uniform += 1;
            let pointer = self.guarded(*pointer, data.ty, 1 << access.align_log2);
            return Rep::Uniform(self.op(data.op.clone(), data.ty, &[pointer]));
        }
        let leaves = types::leaves(&self.region.layout, &self.out, data.ty);
        let (true, Some(leaves)) = (access.is_simple(), leaves) else {
            return self.each_lane(inst).expect("it has a result");
        };
        let mut all = Vec::new();
        for (i, (offset, ty)) in leaves.into_iter().enumerate() {
            if let Some(field) = self.field((inst, i), access) {
                all.push(Rep::Lanes(field));
                continue;
            }
            let pattern = self.pattern(&pointer, data.args[0], access, offset, ty);
            all.push(Rep::Lanes(self.read(&pattern, ty)));
        }
        self.shaped(data.ty, &mut all.into_iter())
    }

    /// Leaves in the shape of a type.
    fn shaped(&mut self, ty: Type, leaves: &mut dyn Iterator<Item = Rep>) -> Rep {
        if let Type::Scalar(_) = ty {
            return leaves.next().expect("there is one for each number");
        }
        let elements = types::elements(&self.out, ty);
        Rep::Parts(elements.into_iter().map(|elem| self.shaped(elem, leaves)).collect())
    }

    pub(super) fn store(&mut self, inst: Inst) {
        let data = self.src[inst].clone();
        let Op::Store(access) = data.op else { unreachable!("it is a store") };
        let (value, pointer) = (self.rep(data.args[0]), self.rep(data.args[1]));
        let ty = self.src.ty(data.args[0]);
        if let (true, Rep::Uniform(value), Rep::Uniform(pointer)) =
            (access.is_simple(), &value, &pointer)
            && (self.mask.is_none() || self.out.ty(*pointer) == Type::PTR)
        {
            self.counts.uniform += 1;
            let pointer = self.guarded(*pointer, ty, 1 << access.align_log2);
            self.push(InstData::new(data.op.clone(), Type::Void, &[*value, pointer]));
            return;
        }
        let leaves = types::leaves(&self.region.layout, &self.out, ty);
        let (true, Some(leaves)) = (access.is_simple(), leaves) else {
            self.each_lane(inst);
            return;
        };
        let mut values = Vec::new();
        self.leaves(&value, ty, &mut values);
        for (i, ((offset, ty), value)) in leaves.into_iter().zip(values).enumerate() {
            if self.set_field((inst, i), value, access) {
                continue;
            }
            let pattern = self.pattern(&pointer, data.args[1], access, offset, ty);
            self.write(&pattern, value);
        }
    }

    /// How the lanes of an access to a number lie in memory.
    fn pattern(
        &mut self,
        pointer: &Rep,
        src: Value,
        access: Access,
        offset: u64,
        ty: Type,
    ) -> Pattern {
        let mut align = 1u64 << access.align_log2;
        if offset != 0 {
            align = align.min(1 << offset.trailing_zeros());
        }
        let space = self.src.ty(src);
        let size = types::packed_size(&self.region.layout, &self.out, ty);
        if let (Rep::Strided(base, stride), Some(size)) = (pointer, size)
            && size.abs() == stride.abs()
            && size != 0
        {
            self.counts.contiguous += 1;
            let reversed = *stride < 0;
            let back = if reversed { size * (i64::from(self.region.width) - 1) } else { 0 };
            let first = self.offset(*base, space, offset as i64 - back);
            if let (Stride::Strided { align: known, .. }, false) =
                (self.divergence.shape(src), reversed)
                && offset == 0
                && known != 0
            {
                let known = (known & known.wrapping_neg()).min(4096) as u64;
                align = align.max(known);
            }
            return Pattern::Row { first, reversed, align };
        }
        self.counts.gathers += 1;
        let pointers = self.lanes(pointer);
        let pointers = match offset {
            0 => pointers,
            _ => {
                let bytes = self.int(Type::I64, offset.into());
                let ty = self.out.ty(pointers);
                self.op(Op::Gep(Type::I8), ty, &[pointers, bytes])
            }
        };
        Pattern::Apart { pointers, align }
    }

    pub(super) fn offset(&mut self, pointer: Value, ty: Type, bytes: i64) -> Value {
        if bytes == 0 {
            return pointer;
        }
        let bytes = self.int(Type::I64, bytes.into());
        self.op(Op::Gep(Type::I8), ty, &[pointer, bytes])
    }

    fn reverse(&mut self, vector: Value) -> Value {
        let ty = self.out.ty(vector);
        let backwards = (0..self.region.width as i32).rev().collect();
        let poison = self.poison(ty);
        self.op(Op::ShuffleVector(backwards), ty, &[vector, poison])
    }

    fn read(&mut self, pattern: &Pattern, ty: Type) -> Value {
        let vector = self.vector(ty);
        match *pattern {
            Pattern::Row { first, reversed, align } => {
                let value = match self.mask {
                    None => {
                        let op = Op::Load(Access::aligned(align));
                        self.op(op, vector, &[first])
                    }
                    Some(mask) => {
                        let mask = if reversed { self.reverse(mask) } else { mask };
                        self.masked_load(vector, first, mask, align)
                    }
                };
                if reversed { self.reverse(value) } else { value }
            }
            Pattern::Apart { pointers, align } => {
                let (mask, poison) = (self.whole_mask(), self.poison(vector));
                let args = [pointers, mask, poison];
                self.access("llvm.masked.gather", vector, vector, &args, 0, align)
                    .expect("it has a result")
            }
        }
    }

    fn write(&mut self, pattern: &Pattern, value: Value) {
        let vector = self.out.ty(value);
        match *pattern {
            Pattern::Row { first, reversed, align } => {
                let value = if reversed { self.reverse(value) } else { value };
                match self.mask {
                    None => {
                        let op = Op::Store(Access::aligned(align));
                        self.push(InstData::new(op, Type::Void, &[value, first]));
                    }
                    Some(mask) => {
                        let mask = if reversed { self.reverse(mask) } else { mask };
                        self.masked_store(value, first, mask, align);
                    }
                }
            }
            Pattern::Apart { pointers, align } => {
                let mask = self.whole_mask();
                let args = [value, pointers, mask];
                self.access("llvm.masked.scatter", vector, Type::Void, &args, 1, align);
            }
        }
    }

    /// A row of numbers, where the mask holds.
    pub(super) fn masked_load(
        &mut self,
        vector: Type,
        first: Value,
        mask: Value,
        align: u64,
    ) -> Value {
        let poison = self.poison(vector);
        let (name, from, align) = match self.one_by_one(vector, first, align) {
            Some((pointers, align)) => ("llvm.masked.gather", pointers, align),
            None => ("llvm.masked.load", first, align),
        };
        let args = [from, mask, poison];
        self.access(name, vector, vector, &args, 0, align).expect("it has a result")
    }

    /// Stores a row of numbers where the mask holds.
    pub(super) fn masked_store(&mut self, row: Value, first: Value, mask: Value, align: u64) {
        let vector = self.out.ty(row);
        let (name, to, align) = match self.one_by_one(vector, first, align) {
            Some((pointers, align)) => ("llvm.masked.scatter", pointers, align),
            None => ("llvm.masked.store", first, align),
        };
        self.access(name, vector, Type::Void, &[row, to, mask], 1, align);
    }

    /// The addresses of a row of pointers, and their alignment, if they are accessed one after the other. Where no instruction accesses those of a
    /// mask, LLVM 22 takes each pointer of a row to be aligned as the row is.
    fn one_by_one(&mut self, row: Type, first: Value, align: u64) -> Option<(Value, u64)> {
        let Type::Vector(Scalar::Ptr(space), lanes) = row else { return None };
        let bytes = self.region.layout.pointer_bits(space) / 8;
        let (Type::Scalar(pointer), false) = (self.out.ty(first), has_masked_access(&self.out))
        else {
            return None;
        };
        let offsets = self.multiples(lanes.count, 64, bytes.into());
        let ty = Type::vector(pointer, lanes.count);
        let pointers = self.op(Op::Gep(Type::I8), ty, &[first, offsets]);
        Some((pointers, align.min(bytes.into())))
    }

    /// The mask, all lanes if there is none.
    pub(super) fn whole_mask(&mut self) -> Value {
        match self.mask {
            Some(mask) => mask,
            None => {
                let ty = Type::vector(Scalar::Int(1), self.region.width);
                self.out.constant(Constant::int(ty, 1))
            }
        }
    }

    /// A masked access: `vector` is the type in memory; the alignment is an attribute of the pointer.
    fn access(
        &mut self,
        name: &str,
        vector: Type,
        ret: Type,
        args: &[Value],
        pointer: usize,
        align: u64,
    ) -> Option<Value> {
        let pointers = self.out.ty(args[pointer]);
        let (_, ty, callee) = self.declare(name, &[vector, pointers], ret, args);
        let attrs = AttrListData {
            params: [(pointer as u32, vec![Attr::Int("align".into(), align)])]
                .into_iter()
                .collect(),
            ..AttrListData::default()
        };
        let attrs = self.out.attr_lists.intern(attrs);
        let mut all = vec![callee];
        all.extend(args);
        self.push(InstData::new(Op::Call(Box::new(CallInfo::new(ty, attrs))), ret, &all))
    }
}
