//! A program as `matrix` and `cuda` read it: arrays of numbers, the matrices of 004 §6.
//!
//! What is known beforehand is resolved here: a call of a known lambda expression is copies and a jump, a test of a constant
//! is a jump. Operations are sorted by form. One more expression, the last, stands for what holds from the start.

use super::flatten::Flatten;
use super::{Op, Program, Rest, Value};
use crate::prims::Class;
use rustc_hash::FxHashMap;

/// No variable, value, record type.
pub(super) const NONE: u32 = u32::MAX;
/// In an atomic expression: it is a value. In a source of what flows: only what is new.
pub(super) const FLAG: u32 = 0x8000_0000;
/// Up to so many parameters are in tables of their own, the matrices Var_i of 004; calls with fewer arguments than this have a
/// form for each number.
pub(super) const DENSE: usize = 5;

/// The forms, by which operations are partitioned.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Copy,
    Put,
    If,
    Map,
    Load,
    Store,
    Expose,
    Call,
    CallMany = Form::Call as isize + DENSE as isize,
    CallSpread,
}

pub(super) const FORMS: usize = Form::CallSpread as usize + 1;

/// Lists of lists: where each starts, and all of them one after the other.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) starts: Vec<u32>,
    pub(super) all: Vec<u32>,
}

impl Lists {
    /// One of the lists.
    pub(super) fn of(&self, at: u32) -> &[u32] {
        &self.all[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }

    fn new(lists: &[Vec<u32>]) -> Lists {
        let mut out = Lists { starts: vec![0], all: Vec::new() };
        for list in lists {
            out.all.extend(list);
            out.starts.push(out.all.len() as u32);
        }
        out
    }
}

/// The arrays. Operations have three operands each:
///
/// | form | | | |
/// | --- | --- | --- | --- |
/// | copy | to | from | |
/// | put | to | value | |
/// | if | test | yes | no |
/// | map | source | to | table |
/// | load | object | to | field |
/// | store | object | what | field |
/// | expose | what code outside sees | | |
/// | call | operator | where its arguments start in `args`, after which the list of more follows | how many |
#[derive(Default)]
pub(super) struct Image {
    pub(super) vars: u32,
    pub(super) values: u32,
    /// One more than the program has.
    pub(super) exprs: u32,
    pub(super) ops: [Vec<u32>; 3],
    pub(super) form_start: Vec<u32>,
    pub(super) expr_ops: Lists,
    pub(super) gotos: Lists,
    pub(super) readers: Lists,
    pub(super) field_kind: Vec<u32>,
    pub(super) kind_readers: Lists,
    pub(super) args: Vec<u32>,
    pub(super) body: Vec<u32>,
    pub(super) var: [Vec<u32>; DENSE],
    pub(super) params: Lists,
    pub(super) rest: [Vec<u32>; 3],
    pub(super) object: [Vec<u32>; 3],
    pub(super) value_class: Vec<u32>,
    pub(super) value_record: Vec<u32>,
    pub(super) field_of_kind: Vec<u32>,
    pub(super) field_index: Vec<u32>,
    pub(super) plain: Vec<u32>,
    pub(super) restful: Vec<u32>,
    pub(super) lambdas: Vec<u32>,
    pub(super) tables: Vec<u32>,
    pub(super) basic: Vec<u32>,
    pub(super) unknown: u32,
    pub(super) falsy: u32,
    pub(super) null: u32,
    pub(super) escape: u32,
}

/// The words of a row over so many values; rows are made of quads.
pub(super) fn row_words(values: u32) -> u32 {
    values.div_ceil(128) * 4
}

impl Image {
    pub(super) fn new(program: &Program) -> Image {
        let exprs = program.exprs();
        let mut flatten = Flatten {
            program,
            flat: Vec::new(),
            gotos: vec![Vec::new(); exprs as usize + 1],
            args: Vec::new(),
            groups: FxHashMap::default(),
            expr: exprs,
        };
        flatten.initially();
        for expr in 0..exprs {
            flatten.expr = expr;
            program.ops[program.ops_of(expr)].iter().for_each(|op| flatten.op(op));
        }
        let constant = |class| program.basic(class).unwrap_or(NONE);
        let mut image = Image {
            vars: program.vars,
            values: program.values.len() as u32,
            exprs: exprs + 1,
            gotos: Lists::new(&flatten.gotos),
            unknown: constant(Class::Unknown),
            falsy: constant(Class::False),
            null: constant(Class::Null),
            escape: program.escape.unwrap_or(NONE),
            basic: Class::ALL.iter().map(|class| constant(*class)).collect(),
            ..Image::default()
        };
        image.objects(program, &flatten.groups);
        image.operations(program, flatten);
        image.lambdas(program);
        image.tables(program);
        image
    }

    /// How many operations of a form there are.
    pub(super) fn count(&self, form: usize) -> u32 {
        self.form_start[form + 1] - self.form_start[form]
    }

    /// Whether code outside of the program may have a part at all: the unknown value is somewhere, or something may get
    /// outside.
    pub(super) fn has_outside(&self) -> bool {
        let ops = |form: Form| {
            self.form_start[form as usize] as usize..self.form_start[form as usize + 1] as usize
        };
        let put = ops(Form::Put).any(|op| self.ops[1][op] == self.unknown);
        let node = self.unknown | FLAG;
        let passed =
            ops(Form::Store).any(|op| self.ops[1][op] == node) || self.args.contains(&node);
        let mapped = self.tables.iter().any(|image| image >> Class::Unknown as u32 & 1 == 1);
        let written =
            |form: Form, operand: usize| ops(form).any(|op| self.ops[operand][op] == self.escape);
        put || passed
            || mapped
            || [Form::Copy, Form::Put].into_iter().any(|form| written(form, 0))
            || [Form::Map, Form::Load].into_iter().any(|form| written(form, 1))
            || self.params.all.contains(&self.escape)
            || self.rest[0].contains(&self.escape)
            || self.field_kind.get(self.escape as usize).is_some_and(|kind| *kind != NONE)
    }

    fn operations(&mut self, program: &Program, mut flatten: Flatten) {
        flatten.flat.sort_by_key(|op| op.form);
        let mut starts = vec![0; FORMS + 1];
        flatten.flat.iter().for_each(|op| starts[op.form + 1] += 1);
        for form in 0..FORMS {
            starts[form + 1] += starts[form];
        }
        self.form_start = starts;
        let mut expr_ops = vec![Vec::new(); self.exprs as usize];
        let mut readers = vec![Vec::new(); self.vars as usize];
        let mut kind_readers = vec![Vec::new(); self.field_of_kind.len()];
        for (at, op) in flatten.flat.iter().enumerate() {
            let at = at as u32;
            expr_ops[op.expr as usize].push(at);
            (0..3).for_each(|i| self.ops[i].push(op.operands[i]));
            for var in &op.reads {
                if readers[*var as usize].last() != Some(&at) {
                    readers[*var as usize].push(at);
                }
            }
            match (op.group, op.form == Form::Expose as usize) {
                (Some(group), _) => kind_readers[group as usize].push(at),
                (None, true) => kind_readers.iter_mut().for_each(|readers| readers.push(at)),
                _ => {}
            }
        }
        self.fields(program, &flatten.groups, &kind_readers, &mut readers);
        self.expr_ops = Lists::new(&expr_ops);
        self.readers = Lists::new(&readers);
        self.kind_readers = Lists::new(&kind_readers);
        self.args = flatten.args;
    }

    /// Which field each variable is. Should one be several, the readers of the others become its own.
    fn fields(
        &mut self,
        program: &Program,
        groups: &FxHashMap<(Class, u32, u32), u32>,
        kind_readers: &[Vec<u32>],
        readers: &mut [Vec<u32>],
    ) {
        self.field_kind = vec![NONE; self.vars as usize];
        let mut by_kind: FxHashMap<(Class, u32), Vec<(u32, u32)>> = FxHashMap::default();
        for ((class, record, index), group) in groups {
            by_kind.entry((*class, *record)).or_default().push((*index, *group));
        }
        for value in &program.values {
            let Value::Object { class, record, field, fields } = value else { continue };
            let groups = by_kind.get(&(*class, *record)).into_iter().flatten();
            for (index, group) in groups.filter(|(index, _)| index < fields) {
                let kind = &mut self.field_kind[(field + index) as usize];
                if *kind == NONE || *kind == *group {
                    *kind = *group;
                } else {
                    readers[(field + index) as usize].extend(&kind_readers[*group as usize]);
                }
            }
        }
    }

    fn objects(&mut self, program: &Program, groups: &FxHashMap<(Class, u32, u32), u32>) {
        let mut kinds: FxHashMap<(Class, u32), u32> = FxHashMap::default();
        let mut kind = |class: Class, record: u32| {
            let next = kinds.len() as u32;
            *kinds.entry((class, record)).or_insert(next)
        };
        self.field_of_kind = vec![NONE; groups.len()];
        self.field_index = vec![0; groups.len()];
        for ((class, record, index), group) in groups {
            self.field_of_kind[*group as usize] = kind(*class, *record);
            self.field_index[*group as usize] = *index;
        }
        for value in &program.values {
            let (class, record, object) = match value {
                Value::Lambda(_) => (Class::Procedure, NONE, [NONE, 0, 0]),
                Value::Basic(class) => (*class, NONE, [NONE, 0, 0]),
                Value::Object { class, record, field, fields } => {
                    let is_record = *class == Class::Record;
                    let object = [kind(*class, *record), *field, *fields];
                    (*class, if is_record { *record } else { NONE }, object)
                }
            };
            self.value_class.push(class as u32);
            self.value_record.push(record);
            (0..3).for_each(|i| self.object[i].push(object[i]));
        }
    }

    fn lambdas(&mut self, program: &Program) {
        let words = row_words(self.values) as usize;
        let arities = program.ops.iter().map(|op| match op {
            Op::Call { args, .. } => args.len(),
            _ => 0,
        });
        let arities = arities.max().unwrap_or(0) + 1;
        self.plain = vec![0; words * arities];
        self.restful = vec![0; words];
        self.lambdas = vec![0; words];
        let mut params = Vec::new();
        for (value, lambda) in (0..self.values).map(|value| (value, program.lambda(value))) {
            let (word, bit) = (value as usize / 32, 1 << (value % 32));
            let wanted = lambda.map_or(0, |lambda| lambda.params.len());
            self.body.push(lambda.map_or(NONE, |lambda| lambda.body));
            params.push(lambda.map_or(Vec::new(), |lambda| lambda.params.clone()));
            for (i, table) in self.var.iter_mut().enumerate() {
                table.push(params[value as usize].get(i).copied().unwrap_or(NONE));
            }
            let mut rest = [NONE; 3];
            if let Some(lambda) = lambda {
                self.lambdas[word] |= bit;
                match lambda.rest {
                    Rest::None if wanted < arities => self.plain[words * wanted + word] |= bit,
                    Rest::None => {}
                    Rest::Ignored => self.restful[word] |= bit,
                    Rest::List(var, pair) => {
                        self.restful[word] |= bit;
                        let car = match program.values[pair as usize] {
                            Value::Object { field, .. } => field,
                            _ => NONE,
                        };
                        rest = [var, pair, car];
                    }
                }
            }
            (0..3).for_each(|i| self.rest[i].push(rest[i]));
        }
        self.params = Lists::new(&params);
    }

    fn tables(&mut self, program: &Program) {
        for table in &program.tables {
            self.tables.extend(table.classes.iter().map(|classes| classes.0));
            let (record, other) =
                table.other_record.map_or((NONE, 0), |(record, classes)| (record, classes.0));
            self.tables.extend([record, other]);
        }
    }
}
