//! Fields of records that lie one behind the other: `p[i].x`, `p[i].y`, `a[3 * i + 1]`.
//!
//! The lanes of an access to a field are `step` elements apart. Instead of gathering each field, the records of all lanes are read as
//! vectors, and fields are put together from them by shuffles; to write, the other way round:
//!
//! ```text
//! memory   x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3       4 lanes, step 3
//! x        from the first two vectors, then with the third: x0 x1 x2 x3
//! ```
//!
//! Accesses of one block that belong together are a group. Its loads are moved to the first of them, its stores to the last; so nothing
//! in between may write what they read, or access what they write. What lies between fields may be read, if no sanitizer watches, but
//! not what lies before the first or behind the last. It is never written. Here groups are found; [`rows`](super::rows) accesses them.

use super::kinds::{Kind, Kinds};
use super::{intrinsics, types};
use crate::address::{Offset, offsets};
use lw_ir::attrs::Attr;
use lw_ir::ops::{BinOp, CastOp};
use lw_ir::types::Type;
use lw_ir::{Block, DataLayout, Flags, Function, Inst, Op, Value};
use rustc_hash::FxHashMap;

/// Records of more elements are gathered.
const LONGEST: i64 = 8;

/// More groups do not wait for fields at once: their vectors would not stay in registers until then.
const MOST: usize = 64;

/// A number of a load or store: the leaf of its type.
pub(super) type Leaf = (Inst, usize);

/// A field of the records of a group.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) leaf: Leaf,
    /// The bytes from the address of the group's root.
    at: i64,
}

/// What addresses are computed from by adding constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Root {
    base: Value,
    /// An index, and how many bytes it counts.
    index: Option<(Value, i64)>,
}

/// Accesses of fields of the same records.
#[derive(Clone, Debug)]
pub(super) struct Group {
    root: Root,
    pub(super) stores: bool,
    pub(super) ty: Type,
    pub(super) size: i64,
    stride: i64,
    pub(super) fields: Vec<Field>,
    /// The first load or the last store.
    pub(super) place: Inst,
    /// The bytes from the address of the root to that of this access.
    pub(super) anchor: i64,
    /// What is stored into other fields behind the first load, also because it waits: where, and how many bytes.
    passed: Vec<(i64, i64)>,
}

impl Group {
    /// Where the first field lies.
    pub(super) fn start(&self) -> i64 {
        self.fields.iter().map(|field| field.at).min().unwrap_or(0)
    }

    /// Elements from one record to the next.
    pub(super) fn step(&self) -> usize {
        (self.stride / self.size) as usize
    }

    /// The place of a field among the elements of a record, as far as it is accessed.
    pub(super) fn element(&self, field: &Field) -> usize {
        ((field.at - self.start()) / self.size) as usize
    }

    /// The elements of a record from the first field to the last.
    fn span(&self) -> usize {
        self.fields.iter().map(|field| self.element(field)).max().unwrap_or(0) + 1
    }

    /// Whether a number may be a field of the same records.
    fn fits(&self, at: i64) -> bool {
        let lowest = self.start().min(at);
        let highest = self.fields.iter().map(|field| field.at).max().unwrap_or(at).max(at);
        highest - lowest + self.size <= self.stride && (at - self.start()) % self.size == 0
    }

    /// Whether numbers at these places, so many bytes large, do not overlap in any record.
    fn are_apart(&self, (a, a_size): (i64, i64), (b, b_size): (i64, i64)) -> bool {
        let behind = (b - a).rem_euclid(self.stride);
        behind >= a_size && behind + b_size <= self.stride
    }

    /// Whether a number does not overlap with any field of any lane.
    fn is_apart(&self, root: Root, stride: i64, number: (i64, i64)) -> bool {
        let mut fields = self.fields.iter().map(|field| (field.at, self.size));
        let all_apart = fields.all(|field| self.are_apart(field, number));
        (root, stride) == (self.root, self.stride) && all_apart
    }

    /// Whether the group may have this field: it is not accessed yet, and nothing was stored there since.
    fn takes(&self, at: i64) -> bool {
        self.fits(at)
            && self.fields.iter().all(|field| field.at != at)
            && self.passed.iter().all(|&passed| self.are_apart((at, self.size), passed))
    }

    /// Where the vectors begin that are accessed, in elements. The last ends with the last field.
    pub(super) fn rows(&self, width: usize) -> Vec<usize> {
        let all = (width - 1) * self.step() + self.span();
        let last = all - width;
        (0..last).step_by(width).chain([last]).collect()
    }

    /// The elements of the row that begins with this one: the lane and the number of the field that each is, if it is one.
    pub(super) fn owners(&self, start: usize, width: usize) -> Vec<Option<(usize, usize)>> {
        let owner = |element: usize| {
            let (lane, within) = (element / self.step(), element % self.step());
            let known = self.fields.iter().position(|field| self.element(field) == within);
            known.map(|field| (lane, field))
        };
        (start..start + width).map(owner).collect()
    }

    /// Whether that takes less than one access for each lane and field.
    fn is_worthwhile(&self, width: usize) -> bool {
        let rows = self.rows(width).len();
        let shuffles = match self.stores {
            true => rows * (self.fields.len() - 1).max(1),
            false => self.fields.len() * (rows - 1),
        };
        rows + shuffles <= self.fields.len() * width
    }
}

/// The groups of a function.
#[derive(Default)]
pub(super) struct Records {
    groups: Vec<Group>,
    of: FxHashMap<Leaf, usize>,
}

impl Records {
    pub(super) fn find(
        function: &Function,
        kinds: &Kinds<'_>,
        layout: &DataLayout,
        width: u32,
    ) -> Records {
        let watched = function
            .attrs
            .function
            .iter()
            .any(|attr: &Attr| attr.name().is_some_and(|name| name.starts_with("sanitize_")));
        let mut records = Records::default();
        for &b in function.blocks() {
            let search = Search { function, kinds, layout };
            for group in search.block(b) {
                let gaps = (0..group.step())
                    .any(|e| group.fields.iter().all(|field| group.element(field) != e));
                if group.is_worthwhile(width as usize) && !(watched && gaps) {
                    let number = records.groups.len();
                    let leaves = group.fields.iter().map(|field| (field.leaf, number));
                    records.of.extend(leaves);
                    records.groups.push(group);
                }
            }
        }
        records
    }

    /// The group of a number, if it is a field.
    pub(super) fn group_of(&self, leaf: Leaf) -> Option<&Group> {
        self.of.get(&leaf).map(|&number| &self.groups[number])
    }
}

struct Search<'a> {
    function: &'a Function,
    kinds: &'a Kinds<'a>,
    layout: &'a DataLayout,
}

impl Search<'_> {
    /// The groups of a block.
    fn block(&self, b: Block) -> Vec<Group> {
        let mut done = Vec::new();
        let mut open: Vec<Group> = Vec::new();
        let predicate = self.function.predicate(b).and_then(|p| self.function.def_inst(p));
        for &inst in self.function.insts(b) {
            let data = &self.function[inst];
            match &data.op {
                Op::Load(access) if access.is_simple() => {
                    self.access(inst, data.args[0], data.ty, &mut open, &mut done);
                }
                Op::Store(access) if access.is_simple() => {
                    let ty = self.function.ty(data.args[0]);
                    self.access(inst, data.args[1], ty, &mut open, &mut done);
                }
                Op::Call(_) => {
                    let name = crate::callee::name(self.function, inst).unwrap_or_default();
                    if !intrinsics::is_lanewise(name) {
                        done.append(&mut open);
                    }
                }
                Op::Load(_) | Op::Store(_) | Op::Fence(_) | Op::AtomicRmw(..) | Op::CmpXchg(_) => {
                    done.append(&mut open);
                }
                _ => {}
            }
            // From here on there is another mask.
            if predicate == Some(inst) {
                done.append(&mut open);
            }
        }
        done.append(&mut open);
        done
    }

    /// An access joins groups, begins some, and ends those whose other accesses cannot pass it.
    fn access(
        &self,
        inst: Inst,
        pointer: Value,
        ty: Type,
        open: &mut Vec<Group>,
        done: &mut Vec<Group>,
    ) {
        let stores = matches!(self.function[inst].op, Op::Store(_));
        let (root, anchor) = self.root(pointer);
        let numbers = types::leaves(self.layout, self.function, ty);
        let stride = match self.kinds.of(pointer) {
            Kind::Strided(stride) if stride > 0 => Some(stride),
            _ => None,
        };
        let numbers: Option<Vec<(i64, Type, i64)>> = numbers.and_then(|numbers| {
            let size = |&(offset, ty): &(u64, Type)| {
                let size = types::packed_size(self.layout, self.function, ty)?;
                Some((anchor + offset as i64, ty, size))
            };
            numbers.iter().map(size).collect()
        });
        let (Some(stride), Some(numbers)) = (stride, numbers) else {
            let passes = |group: &Group| !stores && !group.stores;
            done.extend(extract(open, |group| !passes(group)));
            return;
        };
        let collides = |group: &Group| {
            (stores || group.stores)
                && !numbers.iter().all(|&(at, _, size)| group.is_apart(root, stride, (at, size)))
        };
        done.extend(extract(open, collides));
        if stores {
            for group in open.iter_mut().filter(|group| !group.stores) {
                group.passed.extend(numbers.iter().map(|&(at, _, size)| (at, size)));
            }
        }
        for (i, (at, ty, size)) in numbers.into_iter().enumerate() {
            let elements = stride / size;
            if stride % size != 0 || !(2..=LONGEST).contains(&elements) || size > 8 {
                continue;
            }
            let leaf = (inst, i);
            let known = open.iter_mut().find(|group| {
                (group.root, group.stride, group.stores, group.ty) == (root, stride, stores, ty)
                    && group.takes(at)
            });
            match known {
                Some(group) => {
                    group.fields.push(Field { leaf, at });
                    if stores {
                        (group.place, group.anchor) = (inst, anchor);
                    }
                }
                None => {
                    if open.len() == MOST {
                        done.push(open.remove(0));
                    }
                    let waiting = open.iter().filter(|group| group.stores && !stores);
                    let passed = waiting
                        .flat_map(|group| group.fields.iter().map(|field| (field.at, group.size)));
                    let passed = passed.collect();
                    open.push(Group {
                        root,
                        stores,
                        ty,
                        size,
                        stride,
                        fields: vec![Field { leaf, at }],
                        place: inst,
                        anchor,
                        passed,
                    });
                }
            }
        }
    }

    /// An address without the constants that are added to it, and their sum.
    fn root(&self, pointer: Value) -> (Root, i64) {
        let mut root = Root { base: pointer, index: None };
        let mut sum: i64 = 0;
        while let Some(gep) = self.function.def_inst(root.base) {
            if !matches!(self.function[gep].op, Op::Gep(_)) {
                break;
            }
            let (mut index, mut bytes) = (root.index, 0i64);
            for offset in offsets(self.layout, self.function, gep) {
                match offset {
                    Some(Offset::Fixed(fixed)) => bytes = bytes.wrapping_add(fixed),
                    Some(Offset::Index(value, scale)) if index.is_none() => {
                        let (value, more) = self.index(value);
                        index = Some((value, scale));
                        bytes = bytes.wrapping_add(more.wrapping_mul(scale));
                    }
                    _ => return (root, sum),
                }
            }
            sum = sum.wrapping_add(bytes);
            root = Root { base: self.function[gep].args[0], index };
        }
        (root, sum)
    }

    /// An index without the constants that are added to it, also before it is extended, and their sum.
    fn index(&self, mut value: Value) -> (Value, i64) {
        let constant = |v: Value| {
            let constant = self.function.as_constant(v)?;
            i64::try_from(constant.as_i128()?).ok()
        };
        let mut sum: i64 = 0;
        while let Some(inst) = self.function.def_inst(value) {
            let data = &self.function[inst];
            let wide = data.ty == Type::I64;
            let added = match data.op {
                Op::Binary(BinOp::Add) if wide => Some((BinOp::Add, data.args[0], data.args[1])),
                _ => self.kinds.in_integers(value),
            };
            match (added, &data.op) {
                (Some((BinOp::Add, rest, by)), _) if constant(by).is_some() => {
                    sum = sum.wrapping_add(constant(by).unwrap_or(0));
                    value = rest;
                }
                (None, Op::Cast(CastOp::SExt)) if wide => value = data.args[0],
                (None, Op::Cast(CastOp::ZExt)) if wide && data.flags.contains(Flags::NNEG) => {
                    value = data.args[0];
                }
                _ => break,
            }
        }
        (value, sum)
    }
}

/// Takes out of a list what fulfils a condition.
fn extract(list: &mut Vec<Group>, goes: impl Fn(&Group) -> bool) -> Vec<Group> {
    let (gone, kept) = std::mem::take(list).into_iter().partition(|group| goes(group));
    *list = kept;
    gone
}
