//! The records of all lanes as vectors, one behind the other: what is loaded from them, and what is stored.

use super::Widener;
use super::records::{Group, Leaf};
use super::rep::Rep;
use lw_ir::constant::Constant;
use lw_ir::inst::Access;
use lw_ir::types::{Scalar, Type};
use lw_ir::{ConstantKind, InstData, Op, Value};

impl Widener<'_> {
    /// What lanes load of a number, if it is a field of a group.
    pub(super) fn field(&mut self, leaf: Leaf, access: Access) -> Option<Value> {
        let group = self.records.group_of(leaf)?;
        if !self.fields.contains_key(&leaf) {
            let group = group.clone();
            self.made_from_address(&group, |this| this.read_records(&group, access));
        }
        self.fields.get(&leaf).copied()
    }

    /// Stores a number of all lanes, if it is a field of a group: when all of them are known.
    pub(super) fn set_field(&mut self, leaf: Leaf, value: Value, access: Access) -> bool {
        let Some(group) = self.records.group_of(leaf) else { return false };
        self.fields.insert(leaf, value);
        if group.fields.iter().all(|field| self.fields.contains_key(&field.leaf)) {
            let group = group.clone();
            self.made_from_address(&group, |this| this.write_records(&group, access));
        }
        true
    }

    /// The address of the access where a group is.
    fn pointer_of(&self, group: &Group) -> Value {
        self.src[group.place].args[usize::from(group.stores)]
    }

    /// Instructions that access several fields are made from the address: what is known of an access of one of them does not hold of
    /// theirs.
    fn made_from_address(&mut self, group: &Group, access: impl FnOnce(&mut Self)) {
        let from = self.from;
        if group.fields.len() > 1 {
            self.from = self.src.def_inst(self.pointer_of(group));
        }
        access(self);
        self.from = from;
    }

    /// The address of the first field, computed from that of the access where the group is.
    fn first_field(&mut self, group: &Group) -> Value {
        let pointer = self.pointer_of(group);
        let Rep::Strided(base, _) = self.rep(pointer) else {
            unreachable!("its address is strided")
        };
        let space = self.src.ty(pointer);
        self.offset(base, space, group.start() - group.anchor)
    }

    /// The lanes of a row that may be accessed; `None` if all may.
    fn row_mask(&mut self, group: &Group, start: usize) -> Option<Value> {
        let width = self.region.width as usize;
        let owners = group.owners(start, width);
        let ty = Type::vector(Scalar::Int(1), self.region.width);
        match self.mask {
            Some(mask) => {
                let none = self.out.constant(Constant::int(ty, 0));
                let lane = |owner: &Option<(usize, usize)>| owner.map_or(width, |(lane, _)| lane);
                let from = owners.iter().map(|owner| lane(owner) as i32).collect();
                Some(self.op(Op::ShuffleVector(from), ty, &[mask, none]))
            }
            None if group.stores && owners.contains(&None) => {
                let all = owners.iter().map(|owner| Constant::bool(owner.is_some())).collect();
                Some(self.out.constant(Constant { ty, kind: ConstantKind::Aggregate(all) }))
            }
            None => None,
        }
    }

    /// How the row is aligned that begins with this element, if the access where the group is has this alignment.
    fn row_align(&self, group: &Group, access: Access, start: usize) -> u64 {
        let bytes = group.start() + start as i64 * group.size - group.anchor;
        let align = 1u64 << access.align_log2;
        match bytes {
            0 => align,
            _ => align.min(1 << bytes.trailing_zeros()),
        }
    }

    fn read_records(&mut self, group: &Group, access: Access) {
        self.counts.interleaved += group.fields.len();
        let width = self.region.width as usize;
        let first = self.first_field(group);
        let space = self.out.ty(first);
        let vector = self.vector(group.ty);
        let starts = group.rows(width);
        let mut rows = Vec::new();
        for &start in &starts {
            let pointer = self.offset(first, space, start as i64 * group.size);
            let align = self.row_align(group, access, start);
            rows.push(match self.row_mask(group, start) {
                None => self.op(Op::Load(Access::aligned(align)), vector, &[pointer]),
                Some(mask) => self.masked_load(vector, pointer, mask, align),
            });
        }
        for field in &group.fields {
            let element = |lane: usize| lane * group.step() + group.element(field);
            // Each lane comes from the last row that has it.
            let row_of = |lane: usize| {
                starts.iter().rposition(|&start| start <= element(lane)).expect("the first is 0")
            };
            let mut lanes = rows[0];
            let mut fresh = true;
            for row in 1..rows.len() {
                let pick = |lane: usize| match row_of(lane) {
                    from if from == row => (width + element(lane) - starts[row]) as i32,
                    from if from > row => -1,
                    _ if fresh => element(lane) as i32,
                    _ => lane as i32,
                };
                let from = (0..width).map(pick).collect();
                lanes = self.op(Op::ShuffleVector(from), vector, &[lanes, rows[row]]);
                fresh = false;
            }
            self.fields.insert(field.leaf, lanes);
        }
    }

    fn write_records(&mut self, group: &Group, access: Access) {
        self.counts.interleaved += group.fields.len();
        let width = self.region.width as usize;
        let first = self.first_field(group);
        let space = self.out.ty(first);
        let vector = self.vector(group.ty);
        let values: Vec<Value> = group.fields.iter().map(|f| self.fields[&f.leaf]).collect();
        for start in group.rows(width) {
            let owners = group.owners(start, width);
            let mut row = values[0];
            for other in 1..values.len().max(2) {
                let pick = |(i, owner): (usize, &Option<(usize, usize)>)| match *owner {
                    Some((lane, field)) if field == other => (width + lane) as i32,
                    Some((lane, 0)) if other == 1 => lane as i32,
                    Some((_, field)) if field < other => i as i32,
                    _ => -1,
                };
                let from = owners.iter().enumerate().map(pick).collect();
                let with = match values.get(other) {
                    Some(&value) => value,
                    None => self.poison(vector),
                };
                row = self.op(Op::ShuffleVector(from), vector, &[row, with]);
            }
            let pointer = self.offset(first, space, start as i64 * group.size);
            let align = self.row_align(group, access, start);
            match self.row_mask(group, start) {
                None => {
                    let op = Op::Store(Access::aligned(align));
                    self.push(InstData::new(op, Type::Void, &[row, pointer]));
                }
                Some(mask) => self.masked_store(row, pointer, mask, align),
            }
        }
    }
}
