//! The layout of stack objects that threads have for themselves: structure of arrays.
//!
//! If the copies of an object lie one behind the other, threads that access the same element of it are as far apart as the object
//! is large. Here element k of all W threads lies together, that of thread t at `e · (W · k + t)` for elements of e bytes: an
//! access by a uniform index is one vector.
//!
//! This stage says so in the program of each thread: the object is W times as large, addresses begin t elements behind its start,
//! and offsets are multiplied by W. Since no two threads use the same byte then, widening lets them share one object.
//!
//! It is done to objects whose address stays in sight and which are accessed element by element: all accesses have one size,
//! and all offsets are multiples of it.

use crate::address::{Offset, offsets};
use crate::callee;
use crate::edit;
use crate::region::Region;
use lw_divergence::{Divergence, Stride};
use lw_ir::constant::Constant;
use lw_ir::inst::AllocaInfo;
use lw_ir::ops::Horizontal;
use lw_ir::types::Type;
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Objects are at least so much aligned, in bytes, if a row of their elements is.
const ALIGN: u64 = 64;

/// What there is of an object.
struct Object {
    alloca: Inst,
    /// The size of what all accesses access, in bytes.
    element: u64,
    /// The size in bytes.
    size: u64,
    /// Its address, and all that is computed from it.
    pointers: FxHashSet<Value>,
    /// What computes them.
    steps: Vec<Inst>,
    accesses: Vec<Inst>,
    /// What only says when it lives.
    markers: Vec<Inst>,
}

/// Interleaves the stack objects that differ between threads, where that can be done; returns their `alloca`s.
pub fn interleave(
    function: &mut Function,
    divergence: &Divergence<Stride>,
    region: &Region,
) -> FxHashSet<Inst> {
    let mut objects = candidates(function, divergence, region);
    drop_mixed(function, &mut objects);
    // An address may be that of one object or of another.
    let mut done = FxHashSet::default();
    let mut new = New::default();
    for object in &objects {
        for &step in &object.steps {
            if matches!(function[step].op, Op::Gep(_)) && done.insert(step) {
                let offsets = known_offsets(function, region, step).expect("it was looked at");
                multiply(function, step, &offsets, region.width, &mut new);
            }
        }
        for &access in &object.accesses {
            if let Op::Load(access) | Op::Store(access) = &mut function[access].op {
                access.align_log2 = access.align_log2.min(object.element.trailing_zeros() as u8);
            }
        }
    }
    function.place_all(&new.places);
    edit::replace_all(function, &new.replaced);
    let mut new = New::default();
    for object in &objects {
        enlarge(function, object, region.width, &mut new);
    }
    // What is computed from the start of an object begins where a thread does.
    edit::replace_all(function, &new.replaced);
    function.place_all(&new.places);
    let all: FxHashSet<Inst> = objects.iter().flat_map(|o| o.markers.iter().copied()).collect();
    let mut markers: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
    for marker in all {
        let home = function.block_of(marker).expect("a marker stands in a block");
        markers.entry(home).or_default().push(marker);
    }
    markers.iter().for_each(|(&home, gone)| function.erase_all(home, gone));
    edit::remove_unused(function);
    objects.into_iter().map(|object| object.alloca).collect()
}

fn candidates(
    function: &Function,
    divergence: &Divergence<Stride>,
    region: &Region,
) -> Vec<Object> {
    let own = |&(_, inst): &(lw_ir::Block, Inst)| {
        matches!(function[inst].op, Op::Alloca(_)) && !divergence.is_uniform_object(inst)
    };
    let allocas: Vec<Inst> = function.all_insts().filter(own).map(|(_, inst)| inst).collect();
    if allocas.is_empty() {
        return Vec::new();
    }
    let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    for (_, inst) in function.all_insts() {
        for &arg in &function[inst].args {
            users.entry(arg).or_default().push(inst);
        }
    }
    allocas.into_iter().filter_map(|alloca| follow(function, region, &users, alloca)).collect()
}

/// Follows the address of an object; `None` if it gets out of sight or accesses differ.
fn follow(
    function: &Function,
    region: &Region,
    users: &FxHashMap<Value, Vec<Inst>>,
    alloca: Inst,
) -> Option<Object> {
    let start = function.result(alloca);
    let (mut steps, mut accesses, mut markers) = (Vec::new(), Vec::new(), Vec::new());
    let mut pointers = FxHashSet::from_iter([start]);
    let mut todo = vec![start];
    if function.ty(start) != Type::PTR {
        return None;
    }
    while let Some(pointer) = todo.pop() {
        for &user in users.get(&pointer).map_or(&[][..], Vec::as_slice) {
            let data = &function[user];
            match &data.op {
                Op::Load(_) => accesses.push(user),
                Op::Store(_) if data.args[0] != pointer => accesses.push(user),
                Op::Gep(_) | Op::Phi | Op::Select => {
                    let result = function.result(user);
                    if function.ty(result) != Type::PTR {
                        return None;
                    }
                    if pointers.insert(result) {
                        steps.push(user);
                        todo.push(result);
                    }
                }
                Op::Call(_) if callee::is_dropped(function, user) => markers.push(user),
                _ => return None,
            }
        }
    }
    let element = element(function, region, &accesses)?;
    let multiple = |step: Inst| match function[step].op {
        Op::Gep(_) => known_offsets(function, region, step)
            .is_some_and(|all| all.iter().all(|o| o.unit() % element as i64 == 0)),
        _ => true,
    };
    if !steps.iter().all(|&step| multiple(step)) {
        return None;
    }
    let size = size(function, region, alloca)?;
    Some(Object { alloca, element, size, pointers, steps, accesses, markers })
}

/// The size of all accesses, if it is one that vectors have elements of.
fn element(function: &Function, region: &Region, accesses: &[Inst]) -> Option<u64> {
    let mut size = None;
    for &access in accesses {
        let data = &function[access];
        let ty = match data.op {
            Op::Store(_) => function.ty(data.args[0]),
            _ => data.ty,
        };
        let this = crate::widen::packed_size(&region.layout, function, ty)? as u64;
        if !this.is_power_of_two() || size.replace(this).is_some_and(|other| other != this) {
            return None;
        }
    }
    size
}

fn size(function: &Function, region: &Region, alloca: Inst) -> Option<u64> {
    let Op::Alloca(info) = &function[alloca].op else { return None };
    let count = function.as_constant(function[alloca].args[0]).and_then(Constant::as_u128)?;
    let each = region.layout.alloc_size(&function.types, info.ty)?;
    let size = each.checked_mul(u64::try_from(count).ok()?)?;
    (size.checked_mul(region.width.into())? < 1 << 31).then_some(size)
}

/// Drops objects whose address meets that of something else that is not laid out like this.
fn drop_mixed(function: &Function, objects: &mut Vec<Object>) {
    loop {
        let mut element: FxHashMap<Value, u64> = FxHashMap::default();
        for object in &*objects {
            element.extend(object.pointers.iter().map(|&pointer| (pointer, object.element)));
        }
        let before = objects.len();
        objects.retain(|object| {
            let fits = |&value: &Value| {
                element.get(&value) == Some(&object.element) || edit::is_poison(function, value)
            };
            object.steps.iter().all(|&step| match function[step].op {
                Op::Phi => function[step].args.iter().all(fits),
                Op::Select => function[step].args[1..].iter().all(fits),
                _ => true,
            })
        });
        if objects.len() == before {
            return;
        }
    }
}

/// What an address computation adds, if all of it is known.
fn known_offsets(function: &Function, region: &Region, gep: Inst) -> Option<Vec<Offset>> {
    offsets(&region.layout, function, gep).into_iter().collect()
}

/// Instructions that are on their way into the function.
#[derive(Default)]
struct New {
    places: Vec<(InsertAt, Inst)>,
    /// What takes the place of values.
    replaced: FxHashMap<Value, Value>,
}

/// Computes the address at W times the offset.
fn multiply(function: &mut Function, gep: Inst, offsets: &[Offset], width: u32, new: &mut New) {
    let mut pointer = function[gep].args[0];
    let mut fixed = 0i64;
    for &offset in offsets {
        match offset {
            Offset::Fixed(bytes) => fixed = fixed.wrapping_add(bytes),
            Offset::Index(index, bytes) => {
                let bytes = bytes.unsigned_abs() * u64::from(width);
                pointer = step(function, gep, pointer, index, bytes, new);
            }
        }
    }
    let bytes = i128::from(fixed.wrapping_mul(width.into()));
    if bytes != 0 {
        let bytes = function.constant(Constant::int(Type::I64, bytes));
        pointer = step(function, gep, pointer, bytes, 1, new);
    }
    new.replaced.insert(function.result(gep), pointer);
}

/// An address so many times `scale` bytes further on.
fn step(
    function: &mut Function,
    before: Inst,
    from: Value,
    index: Value,
    scale: u64,
    new: &mut New,
) -> Value {
    let elem = match scale {
        1 => Type::I8,
        _ => function.types.array(Type::I8, scale),
    };
    let data = InstData::new(Op::Gep(elem), Type::PTR, &[from, index]);
    let mut data = data.made_from(&function[before]);
    data.total = function[before].total;
    let inst = function.make(data);
    new.places.push((InsertAt::Before(before), inst));
    function.result(inst)
}

/// Makes an object W times as large, and lets each thread begin at its own element.
fn enlarge(function: &mut Function, object: &Object, width: u32, new: &mut New) {
    let Object { alloca, element, size, .. } = *object;
    let Op::Alloca(info) = &function[alloca].op else { unreachable!("it is an alloca") };
    let row = (element * u64::from(width)).next_power_of_two().min(ALIGN);
    let align_log2 = info.align_log2.max(row.trailing_zeros() as u8);
    let ty = function.types.array(Type::I8, size * u64::from(width));
    let info = AllocaInfo { ty, align_log2, inalloca: false, swifterror: false };
    let one = function.constant(Constant::int(Type::I32, 1));
    function[alloca].op = Op::Alloca(Box::new(info));
    function[alloca].args[0] = one;
    let start = function.result(alloca);
    let lane = function.make(InstData::new(Op::Horizontal(Horizontal::Lane), Type::I64, &[]));
    let elem = function.types.array(Type::I8, element);
    let data = InstData::new(Op::Gep(elem), Type::PTR, &[start, function.result(lane)]);
    let own = function.make(data);
    new.places.extend([lane, own].map(|inst| (InsertAt::After(alloca), inst)));
    new.replaced.insert(start, function.result(own));
}
