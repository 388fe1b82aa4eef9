//! Memory: addresses, loads and stores, atomic updates, copies.

use super::body::{Body, Cell, Class};
use super::palette::MIXED_BYTES;
use crate::constant::{Constant, ConstantExpr, ConstantKind};
use crate::entities::Value;
use crate::flags::Flags;
use crate::inst::{Access, CmpXchgInfo, InstData, Op, SyncScope};
use crate::ops::{BinOp, CastOp, IntPred, Ordering, RmwOp};
use crate::symbols::SymbolKind;
use crate::types::{CompoundData, FloatKind, Scalar, Type};

/// An array in memory, and how the address of an element is computed.
#[derive(Clone)]
pub(super) struct Array {
    pub(super) base: Value,
    /// The type the address computation is about.
    pub(super) source: Type,
    /// The indices before that of the element.
    pub(super) leading: Vec<(Type, i128)>,
    pub(super) len: u64,
    pub(super) cell: Cell,
}

impl Body<'_> {
    fn own_is_packed(&self) -> bool {
        matches!(
            self.palette.types.compound(self.palette.own),
            Some(CompoundData::Struct { packed: true, .. })
        )
    }

    /// A field of the private memory with elements of some kind: its number, element type and length.
    pub(super) fn field(&mut self, wanted: impl Fn(Type) -> bool) -> Option<(usize, Type, u64)> {
        let fields = self.palette.fields.iter().enumerate();
        let all: Vec<(usize, Type, u64)> =
            fields.filter(|(_, (ty, _))| wanted(*ty)).map(|(i, &(ty, len))| (i, ty, len)).collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len())])
    }

    pub(super) fn global(&mut self, name: &str, ty: Type, constant: bool) -> Value {
        let symbol = self.f.symbols.intern(name.into(), || SymbolKind::Variable { ty, constant });
        self.f.constant(Constant { ty: Type::PTR, kind: ConstantKind::Symbol(symbol) })
    }

    /// All arrays that may be written, or only read.
    pub(super) fn arrays(&mut self, write: bool) -> Vec<Array> {
        let mut all = Vec::new();
        let packed = self.own_is_packed();
        if let Some(own) = self.own {
            for (i, &(ty, len)) in self.palette.fields.iter().enumerate() {
                let leading = vec![(Type::I64, 0), (Type::I32, i as i128)];
                let cell = self.cell(ty, Class::Variable, packed);
                all.push(Array { base: own, source: self.palette.own, leading, len, cell });
            }
        }
        if let Some(table) = self.table
            && !write
        {
            let (ty, len) = self.palette.table;
            let cell = self.cell(ty, Class::Constant, false);
            all.push(Array { base: table, source: ty, leading: Vec::new(), len, cell });
        }
        for shape in self.palette.globals.clone() {
            if write && shape.constant {
                continue;
            }
            let base = self.global(&shape.name, shape.ty, shape.constant);
            let class = if shape.constant { Class::Constant } else { Class::Variable };
            let cell = self.cell(shape.elem, class, false);
            let leading = vec![(Type::I64, 0)];
            all.push(Array { base, source: shape.ty, leading, len: shape.len, cell });
        }
        all
    }

    fn address(&mut self, array: &Array) -> Value {
        let mut args = vec![array.base];
        for &(ty, index) in &array.leading {
            args.push(self.int(ty, index));
        }
        let index = if array.len == 1 {
            self.int(Type::I64, 0)
        } else if self.rng.one_in(3) {
            let index = self.rng.below(array.len as usize) as i128;
            self.int(Type::I64, index)
        } else {
            self.small(array.len.trailing_zeros())
        };
        args.push(index);
        let constant = (args.iter()).all(|&arg| self.f.as_constant(arg).is_some());
        let flags = match self.rng.below(4) {
            0 => Flags::NONE,
            1 => Flags::NUSW,
            2 => Flags::INBOUNDS | Flags::NUW,
            _ => Flags::INBOUNDS,
        };
        let nonzero = self.f.as_constant(index).and_then(Constant::as_u128).is_some_and(|i| i > 0);
        if constant && nonzero && self.rng.one_in(2) {
            let args = args.iter().filter_map(|&arg| self.f.as_constant(arg).cloned()).collect();
            let flags = if flags == Flags::NUSW { Flags::INBOUNDS } else { flags };
            let expr = ConstantExpr { op: Op::Gep(array.source), flags, args, inrange: None };
            let kind = ConstantKind::Expr(Box::new(expr));
            return self.f.constant(Constant { ty: Type::PTR, kind });
        }
        let inst =
            self.push(InstData::new(Op::Gep(array.source), Type::PTR, &args).with_flags(flags));
        let value = self.f.result(inst);
        self.know(value, Some(array.cell));
        value
    }

    /// A pointer to memory that may be written, or only read, and holds values of some kind.
    fn place(&mut self, write: bool, wanted: impl Fn(Cell) -> bool) -> Option<(Value, Cell)> {
        let fits = |cell: Cell| wanted(cell) && (!write || cell.class != Class::Constant);
        let known = self.scope_of(|k| k.cell.is_some_and(fits));
        if !known.is_empty() && self.rng.one_in(2) {
            let known = known[self.rng.below(known.len())];
            return Some((known.value, known.cell?));
        }
        let arrays: Vec<Array> = self.arrays(write).into_iter().filter(|a| fits(a.cell)).collect();
        if arrays.is_empty() {
            return None;
        }
        let array = arrays[self.rng.below(arrays.len())].clone();
        Some((self.address(&array), array.cell))
    }

    fn access(&mut self, cell: Cell) -> Access {
        let natural = match cell.packed {
            true => 1,
            false => self.module.layout.align(&self.f.types, cell.ty).unwrap_or(1),
        };
        let mut access = Access::aligned(natural);
        if self.rng.one_in(4) {
            access.align_log2 = self.rng.below(access.align_log2 as usize + 1) as u8;
        }
        access.volatile = self.options.atomics && self.rng.one_in(10);
        access
    }

    fn is_atomic(&self, cell: Cell) -> bool {
        let fits = match cell.ty {
            Type::Scalar(Scalar::Int(bits)) => matches!(bits, 8 | 16 | 32 | 64),
            Type::Scalar(Scalar::Float(kind)) => {
                matches!(kind, FloatKind::Float | FloatKind::Double)
            }
            _ => false,
        };
        fits && !cell.packed
    }

    fn ordered(&mut self, cell: Cell, orderings: &[Ordering]) -> Access {
        let mut access = self.access(cell);
        let size = self.module.layout.store_size(&self.f.types, cell.ty).unwrap_or(1);
        access.align_log2 = size.trailing_zeros() as u8;
        access.ordering = orderings[self.rng.below(orderings.len())];
        access.scope =
            if self.rng.one_in(4) { SyncScope::SINGLE_THREAD } else { SyncScope::SYSTEM };
        access
    }

    pub(super) fn memory_inst(&mut self) {
        if self.options.records && self.rng.one_in(4) {
            return self.address_inst();
        }
        match self.rng.below(20) {
            0..=6 => self.load(),
            7..=12 => self.store(),
            13..=14 => self.mixed(),
            15..=16 if self.options.atomics => self.atomic(),
            17 => self.copy(),
            18 => self.pointer_inst(),
            19 if self.options.intrinsics && self.options.vectors => self.masked(),
            _ => self.stack_memory(),
        }
    }

    /// An access right behind the private memory of all threads or beyond, if the program ever gets there.
    fn beyond(&mut self) {
        let arrays = self.arrays(false);
        let whole = |a: &&Array| a.leading.len() < 2 && a.cell.ty.int_bits().is_some();
        let Some(array) = arrays.iter().rfind(whole).cloned() else { return };
        let mut args = vec![array.base];
        for &(ty, index) in &array.leading {
            args.push(self.int(ty, index));
        }
        let end = self.int(Type::I64, array.len.into());
        args.push(end);
        let inst = self.push(InstData::new(Op::Gep(array.source), Type::PTR, &args));
        let place = self.f.result(inst);
        let ty = array.cell.ty;
        self.emit(Op::Load(Access::aligned(1)), ty, &[place], Flags::NONE, true);
    }

    fn load(&mut self) {
        if self.risky() && self.rng.one_in(8) {
            return self.beyond();
        }
        let Some((place, cell)) = self.place(false, |_| true) else { return };
        self.load_from(place, cell);
    }

    pub(super) fn load_from(&mut self, place: Value, cell: Cell) {
        let access = if self.options.atomics && self.is_atomic(cell) && self.rng.one_in(6) {
            use Ordering::*;
            self.ordered(cell, &[Unordered, Monotonic, Acquire, SeqCst])
        } else {
            self.access(cell)
        };
        let wild = cell.class == Class::Wild;
        self.emit(Op::Load(access), cell.ty, &[place], Flags::NONE, wild);
    }

    fn store(&mut self) {
        let Some((place, cell)) = self.place(true, |_| true) else { return };
        self.store_to(place, cell);
    }

    pub(super) fn store_to(&mut self, place: Value, cell: Cell) {
        let access = if self.options.atomics && self.is_atomic(cell) && self.rng.one_in(6) {
            use Ordering::*;
            self.ordered(cell, &[Unordered, Monotonic, Release, SeqCst])
        } else {
            self.access(cell)
        };
        let value = self.stored(cell);
        self.push(InstData::new(Op::Store(access), Type::Void, &[value, place]));
    }

    /// A value that memory of this class may hold.
    pub(super) fn stored(&mut self, cell: Cell) -> Value {
        match cell.class {
            Class::Wild => self.pick(cell.ty),
            _ => self.pick_safe(cell.ty),
        }
    }

    /// Integers of any size at any offset of the same bytes.
    fn mixed(&mut self) {
        let Some(own) = self.own else { return };
        let sizes: Vec<Type> = (self.palette.ints.iter().copied())
            .filter(|ty| ty.int_bits().is_some_and(|bits| bits % 8 == 0 && bits <= 128))
            .collect();
        let ty = sizes[self.rng.below(sizes.len())];
        let (place, align) = self.mixed_place(own, 4);
        let access = Access { align_log2: align, ..Access::aligned(1) };
        if self.rng.one_in(2) {
            self.emit(Op::Load(access), ty, &[place], Flags::NONE, false);
        } else {
            let value = self.pick_safe(ty);
            self.push(InstData::new(Op::Store(access), Type::Void, &[value, place]));
        }
    }

    /// An address in the bytes of mixed use with 16 bytes behind it, and the logarithm of its alignment.
    fn mixed_place(&mut self, own: Value, bits: u32) -> (Value, u8) {
        debug_assert!((1 << bits) + 16 <= MIXED_BYTES);
        let offset = self.small(bits);
        let field = self.palette.fields.len() as i128;
        let (zero, field) = (self.int(Type::I64, 0), self.int(Type::I32, field));
        let data = InstData::new(Op::Gep(self.palette.own), Type::PTR, &[own, zero, field, offset])
            .with_flags(Flags::INBOUNDS);
        let inst = self.push(data);
        (self.f.result(inst), 0)
    }

    fn atomic(&mut self) {
        use Ordering::*;
        if self.rng.one_in(8) {
            let mut access = Access::aligned(1);
            access.ordering = [Acquire, Release, AcqRel, SeqCst][self.rng.below(4)];
            if self.rng.one_in(3) {
                access.scope = SyncScope::SINGLE_THREAD;
            }
            self.push(InstData::new(Op::Fence(access), Type::Void, &[]));
            return;
        }
        let packed = self.own_is_packed();
        let atomic = |cell: Cell| {
            let fits = match cell.ty {
                Type::Scalar(Scalar::Int(bits)) => matches!(bits, 8 | 16 | 32 | 64),
                Type::Scalar(Scalar::Float(kind)) => {
                    matches!(kind, FloatKind::Float | FloatKind::Double)
                }
                _ => false,
            };
            fits && !cell.packed && cell.class == Class::Variable
        };
        let _ = packed;
        let Some((place, cell)) = self.place(true, atomic) else { return };
        let value = self.pick_safe(cell.ty);
        if cell.ty.int_bits().is_some() && self.rng.one_in(3) {
            let access = self.ordered(cell, &[Monotonic, Acquire, Release, AcqRel, SeqCst]);
            let failure = [Monotonic, Acquire, SeqCst][self.rng.below(3)];
            let info = CmpXchgInfo { access, failure, weak: self.rng.one_in(3) };
            // What is there, often: else it never succeeds.
            let expected = if self.rng.one_in(2) {
                let access = self.access(cell);
                self.emit(Op::Load(access), cell.ty, &[place], Flags::NONE, false)
            } else {
                self.pick_safe(cell.ty)
            };
            let ty = self.f.types.structure(&[cell.ty, Type::I1]);
            let args = [place, expected, value];
            let inst = self.push(InstData::new(Op::CmpXchg(Box::new(info)), ty, &args));
            let pair = self.f.result(inst);
            for (i, part) in [cell.ty, Type::I1].into_iter().enumerate() {
                let path = [i as u32].as_slice().into();
                self.emit(Op::ExtractValue(path), part, &[pair], Flags::NONE, false);
            }
            return;
        }
        let access = self.ordered(cell, &[Monotonic, Acquire, Release, AcqRel, SeqCst]);
        let op = if cell.ty.int_bits().is_some() {
            use RmwOp::*;
            let all = [
                Xchg, Add, Sub, And, Nand, Or, Xor, Max, Min, UMax, UMin, UIncWrap, UDecWrap,
                USubCond, USubSat,
            ];
            all[self.rng.below(all.len())]
        } else {
            [RmwOp::Xchg, RmwOp::FAdd, RmwOp::FSub][self.rng.below(3)]
        };
        let args = [place, value];
        self.emit(Op::AtomicRmw(op, access), cell.ty, &args, Flags::NONE, false);
    }

    /// Copies and fills, by intrinsics.
    fn copy(&mut self) {
        if !self.options.intrinsics {
            return self.load();
        }
        let Some(own) = self.own else { return };
        let not_volatile = self.int(Type::I1, 0);
        if self.rng.one_in(3) {
            let (place, _) = self.mixed_place(own, 4);
            let byte = self.pick_safe(Type::I8);
            let size = self.rng.below(17) as i128;
            let size = self.int(Type::I64, size);
            let args = [place, byte, size, not_volatile];
            self.call_intrinsic("llvm.memset.p0.i64", Type::Void, &args);
            return;
        }
        if self.rng.one_in(2) {
            // Overlapping, perhaps.
            let (to, _) = self.mixed_place(own, 4);
            let (from, _) = self.mixed_place(own, 4);
            let size = self.rng.below(17) as i128;
            let size = self.int(Type::I64, size);
            let args = [to, from, size, not_volatile];
            self.call_intrinsic("llvm.memmove.p0.p0.i64", Type::Void, &args);
            return;
        }
        let Some((to, cell)) = self.place(true, |_| true) else { return };
        let from = self.place(false, |c| {
            c.ty == cell.ty && (c.class != Class::Wild || cell.class == Class::Wild)
        });
        let Some((from, source)) = from else { return };
        let size = self.module.layout.alloc_size(&self.f.types, cell.ty).unwrap_or(0);
        let size = self.int(Type::I64, size.into());
        let args = [to, from, size, not_volatile];
        // The same cell or another: only what is packed may be a part of one.
        let packed = cell.packed || source.packed;
        let name = if packed { "llvm.memmove.p0.p0.i64" } else { "llvm.memcpy.p0.p0.i64" };
        self.call_intrinsic(name, Type::Void, &args);
    }

    /// Pointers as numbers: the way there and back, distances, comparisons.
    fn pointer_inst(&mut self) {
        let arrays = self.arrays(false);
        if arrays.is_empty() {
            return;
        }
        let array = arrays[self.rng.below(arrays.len())].clone();
        let (a, b) = (self.address(&array), self.address(&array));
        match self.rng.below(5) {
            0 => {
                let pred = IntPred::ALL[self.rng.below(10)];
                self.emit(Op::ICmp(pred), Type::I1, &[a, b], Flags::NONE, false);
            }
            4 => {
                // A pointer or null, and which of them.
                let null = self.f.constant(Constant::zero(Type::PTR));
                let args = [self.pick(Type::I1), a, null];
                let tainted = self.is_tainted(args[0]);
                let inst = self.push(InstData::new(Op::Select, Type::PTR, &args));
                let either = self.f.result(inst);
                let pred = if self.rng.one_in(2) { IntPred::Eq } else { IntPred::Ne };
                self.emit(Op::ICmp(pred), Type::I1, &[either, null], Flags::NONE, tainted);
            }
            1 => {
                let op = if self.rng.one_in(3) { CastOp::PtrToAddr } else { CastOp::PtrToInt };
                let mut number = |value: Value| {
                    let inst = self.push(InstData::new(Op::Cast(op), Type::I64, &[value]));
                    self.f.result(inst)
                };
                let args = [number(a), number(b)];
                self.emit(Op::Binary(BinOp::Sub), Type::I64, &args, Flags::NONE, false);
            }
            2 => {
                let op = Op::Cast(CastOp::PtrToInt);
                let inst = self.push(InstData::new(op, Type::I64, &[a]));
                let number = self.f.result(inst);
                let op = Op::Cast(CastOp::IntToPtr);
                let inst = self.push(InstData::new(op, Type::PTR, &[number]));
                let value = self.f.result(inst);
                self.know(value, Some(array.cell));
            }
            _ => {
                // There and back by bytes.
                let bytes = self.rng.below(8) as i128 - 4;
                let mut place = a;
                for step in [bytes, -bytes] {
                    let step = self.int(Type::I64, step);
                    let op = Op::Gep(Type::I8);
                    let inst = self.push(InstData::new(op, Type::PTR, &[place, step]));
                    place = self.f.result(inst);
                }
                self.know(place, Some(array.cell));
            }
        }
    }
}
