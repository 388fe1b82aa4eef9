//! The types of a program and what its memory holds.

use super::constants;
use super::{Options, Rng};
use crate::constant::{Constant, ConstantKind};
use crate::layout::DataLayout;
use crate::module::{Global, Module};
use crate::types::{CompoundData, Scalar, Type, Types};

/// The few types a program is made of, so that values find each other.
pub(super) struct Palette {
    /// The table that every function of the program begins with.
    pub(super) types: Types,
    pub(super) ints: Vec<Type>,
    pub(super) floats: Vec<Type>,
    pub(super) vectors: Vec<Type>,
    pub(super) aggregates: Vec<Type>,
    /// The private memory of a thread: a struct of arrays, with the bytes that are only written as last field.
    pub(super) own: Type,
    /// The element type and length of each field of `own` but the last two.
    pub(super) fields: Vec<(Type, u64)>,
    /// The read-only memory that threads share: an array of this.
    pub(super) table: (Type, u64),
    pub(super) globals: Vec<GlobalShape>,
    /// The name that globals begin with.
    pub(super) name: String,
    /// Whether there is a global that all threads update.
    shared_atomic: bool,
}

/// A global variable.
#[derive(Clone)]
pub(super) struct GlobalShape {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) elem: Type,
    pub(super) len: u64,
    pub(super) constant: bool,
}

/// Bytes of `own` that are accessed by integers of any size at any offset.
pub(super) const MIXED_BYTES: u64 = 32;
/// Bytes of `own` that are written and never read.
pub(super) const OUT_BYTES: u64 = 128;

impl Palette {
    pub(super) fn new(rng: &mut Rng, options: &Options, layout: &DataLayout) -> Palette {
        let mut types = Types::default();
        let mut widths = vec![1, 32];
        for width in [8, 16, 64] {
            if rng.one_in(2) {
                widths.push(width);
            }
        }
        for _ in 0..rng.below(3) {
            if !options.wide_ints.is_empty() {
                widths.push(options.wide_ints[rng.below(options.wide_ints.len())]);
            }
        }
        widths.sort();
        widths.dedup();
        let ints: Vec<Type> = widths.iter().map(|&w| Type::int(w)).collect();
        let mut floats: Vec<Type> = Vec::new();
        for _ in 0..2 {
            if !options.floats.is_empty() {
                // The first formats are the usual ones.
                let range = if rng.one_in(2) { 2 } else { options.floats.len() };
                let kind = options.floats[rng.below(range.min(options.floats.len()))];
                floats.push(Type::Scalar(Scalar::Float(kind)));
            }
        }
        floats.dedup();
        let mut vectors = Vec::new();
        if options.vectors {
            for _ in 0..1 + rng.below(3) {
                let pool = if rng.one_in(3) && !floats.is_empty() { &floats } else { &ints };
                let elem = pool[rng.below(pool.len())];
                let lanes = [2, 4, 4, 8, 3, 5, 1][rng.below(7)];
                // LLVM's code generator stumbles over <1 x i1>, and vectors of x87 numbers are nothing programs have.
                let Type::Scalar(scalar) = elem else { continue };
                let bits = layout.scalar_bits(scalar);
                if bits <= 64 && (lanes > 1 || bits >= 8 && bits.is_power_of_two()) {
                    vectors.push(Type::vector(scalar, lanes));
                }
            }
        }
        vectors.sort();
        vectors.dedup();
        let mut aggregates = Vec::new();
        let passable = |ty: &Type| can_be_passed(layout, *ty);
        let parts: Vec<Type> =
            ints.iter().chain(&floats).chain(&vectors).copied().filter(passable).collect();
        let values: Vec<Type> = ints.iter().chain(&floats).chain(&vectors).copied().collect();
        if options.aggregates {
            for i in 0..1 + rng.below(2) {
                let pick = |rng: &mut Rng| parts[rng.below(parts.len())];
                let mut fields: Vec<Type> = (0..1 + rng.below(3)).map(|_| pick(rng)).collect();
                if rng.one_in(3) {
                    fields.push(types.array(pick(rng), 1 + rng.below(3) as u64));
                }
                if rng.one_in(4) {
                    let inner = [pick(rng), pick(rng)];
                    fields.push(types.structure(&inner));
                }
                let name = rng.one_in(3).then(|| format!("{}.s{i}", options.name).into());
                let packed = rng.one_in(4);
                let fields = Some(fields.into());
                aggregates.push(types.intern(CompoundData::Struct { name, fields, packed }));
            }
            if rng.one_in(3) {
                let elem = pick_of(rng, &parts);
                aggregates.push(types.array(elem, 2 + rng.below(2) as u64));
            }
        }
        let mut fields = vec![(Type::I32, 8)];
        for _ in 0..rng.below(4) {
            let pool = if rng.one_in(4) && !aggregates.is_empty() { &aggregates } else { &values };
            fields.push((pick_of(rng, pool), 1 << rng.below(4)));
        }
        if options.atomics {
            fields.push((Type::I64, 4));
        }
        let mut parts: Vec<Type> = fields.iter().map(|&(ty, len)| types.array(ty, len)).collect();
        parts.push(types.array(Type::I8, MIXED_BYTES));
        parts.push(types.array(Type::I8, OUT_BYTES));
        let packed = rng.one_in(6);
        let own =
            types.intern(CompoundData::Struct { name: None, fields: Some(parts.into()), packed });
        let mut globals = Vec::new();
        for i in 0..rng.below(4) {
            let pool = if rng.one_in(4) && !aggregates.is_empty() { &aggregates } else { &values };
            let elem = pick_of(rng, pool);
            let len = 1 << rng.below(4);
            let constant = !options.shared_writes || rng.one_in(2);
            let name = format!("{}.g{i}", options.name);
            globals.push(GlobalShape { name, ty: types.array(elem, len), elem, len, constant });
        }
        let table = (pick_of(rng, &values), 16);
        let name = options.name.clone();
        let shared_atomic = options.shared_atomic;
        Palette {
            types,
            ints,
            floats,
            vectors,
            aggregates,
            own,
            fields,
            table,
            globals,
            name,
            shared_atomic,
        }
    }

    /// The types that values of a program have, but for pointers.
    pub(super) fn value(&self, rng: &mut Rng) -> Type {
        let pool = match rng.below(12) {
            0..=1 if !self.floats.is_empty() => &self.floats,
            2 if !self.vectors.is_empty() => &self.vectors,
            3 if !self.aggregates.is_empty() => &self.aggregates,
            _ => &self.ints,
        };
        pick_of(rng, pool)
    }

    /// The types that parameters and results of functions have.
    pub(super) fn passed(&self, rng: &mut Rng, layout: &DataLayout) -> Type {
        let ty = self.value(rng);
        if can_be_passed(layout, ty) { ty } else { pick_of(rng, &self.ints) }
    }

    /// A number, or a vector of numbers.
    pub(super) fn number(&self, rng: &mut Rng) -> Type {
        let pool = match rng.below(10) {
            0..=1 if !self.floats.is_empty() => &self.floats,
            2..=3 if !self.vectors.is_empty() => &self.vectors,
            _ => &self.ints,
        };
        pick_of(rng, pool)
    }

    /// An integer, or a vector of integers.
    pub(super) fn int(&self, rng: &mut Rng) -> Type {
        let vectors: Vec<Type> =
            self.vectors.iter().copied().filter(|ty| ty.int_bits().is_some()).collect();
        if rng.one_in(4) && !vectors.is_empty() {
            return pick_of(rng, &vectors);
        }
        pick_of(rng, &self.ints)
    }

    /// A float, or a vector of floats, if there is one.
    pub(super) fn float(&self, rng: &mut Rng) -> Option<Type> {
        let all: Vec<Type> = (self.floats.iter().chain(&self.vectors).copied())
            .filter(|ty| ty.float_kind().is_some())
            .collect();
        (!all.is_empty()).then(|| pick_of(rng, &all))
    }

    pub(super) fn add_globals(&self, rng: &mut Rng, module: &mut Module) {
        for shape in &self.globals {
            let elements: Vec<Constant> =
                (0..shape.len).map(|_| constants::random(rng, &self.types, shape.elem)).collect();
            let init = match rng.below(4) {
                0 => Constant { ty: shape.ty, kind: ConstantKind::Zero },
                _ => constants::aggregate(&self.types, shape.ty, elements),
            };
            let natural = module.layout.align(&self.types, shape.ty).unwrap_or(1);
            let align = natural.trailing_zeros() as u8 + rng.below(3) as u8;
            module.globals.push(Global {
                name: shape.name.as_str().into(),
                ty: shape.ty,
                address_space: 0,
                constant: shape.constant,
                align_log2: Some(align),
                init: Some(init),
            });
        }
        if !self.shared_atomic {
            return;
        }
        let counter = Constant::int(Type::I32, 5);
        module.globals.push(Global {
            name: self.counter().as_str().into(),
            ty: Type::I32,
            address_space: 0,
            constant: false,
            align_log2: Some(2),
            init: Some(counter),
        });
    }

    /// The global that all threads may update.
    pub(super) fn counter(&self) -> String {
        format!("{}.counter", self.name)
    }
}

pub(super) fn pick_of<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.below(list.len())]
}

/// Whether values of a type may be arguments and results: LLVM 22 cannot pass all vectors of odd integers.
fn can_be_passed(layout: &DataLayout, ty: Type) -> bool {
    match ty {
        Type::Vector(elem, _) => {
            let bits = layout.scalar_bits(elem);
            bits >= 8 && bits.is_power_of_two()
        }
        _ => true,
    }
}
