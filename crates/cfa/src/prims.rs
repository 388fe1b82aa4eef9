//! The primitive operations: what they take and what they may yield.
//!
//! A primitive maps the flow sets of its arguments to a flow set (004's δ̂). What procedures, pairs and records are made of is
//! known by *class*; pairs, vectors, tables and records are told apart by the place that made them. The procedures that
//! call others, or that build more than one object, are written in Scheme: `prelude.scm`.

use crate::signs::{Arith, Order};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

macro_rules! classes {
    ($($name:ident $doc:literal),* $(,)?) => {
        /// What an abstract value is, but for procedures and objects of one place.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class { $(#[doc = $doc] $name),* }

        impl Class {
            /// All classes but those of records.
            pub const ALL: &'static [Class] = &[$(Class::$name),*];
        }
    };
}

classes! {
    False "`#f`", True "`#t`", Null "The empty list.", Void "The unspecified value.", Eof "The end of file.",
    Int "An exact integer, whatever its sign.", Ratio "An exact fraction, whatever its sign.",
    Real "An inexact real number, whatever its sign.", Complex "A complex number that is not real.",
    NegInt "An exact integer below zero.", ZeroInt "The exact zero.", PosInt "An exact integer above zero.",
    NegRatio "An exact fraction below zero.", PosRatio "An exact fraction above zero.",
    NegReal "An inexact number below zero.", ZeroReal "An inexact zero.", PosReal "An inexact number above zero.",
    Nan "An inexact number that is no number.", Char "A character.",
    Str "A string.", Symbol "A symbol.", Bytes "A bytevector.", Port "A port.",
    Failure "What a primitive raises.", Other "Environments and other values of the implementation.",
    Unknown "Anything that code outside of the program may make.",
    Procedure "A procedure.", Pair "A pair.", Vector "A vector.", Table "A hash table.",
    Condition "An error object.", Record "A record.",
}

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Classes(pub u32);

impl Classes {
    /// Those given.
    pub const fn of(classes: &[Class]) -> Classes {
        let (mut bits, mut at) = (0, 0);
        while at < classes.len() {
            bits |= 1 << classes[at] as u32;
            at += 1;
        }
        Classes(bits)
    }

    /// Whether a class is among them.
    pub const fn has(self, class: Class) -> bool {
        self.0 >> class as u32 & 1 == 1
    }

    /// Both.
    pub const fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// These, and with the numbers of a type those of its signs.
    pub const fn closed(self) -> Classes {
        let mut all = self;
        if self.has(Class::Int) {
            all = all.and(Classes::of(&[Class::NegInt, Class::ZeroInt, Class::PosInt]));
        }
        if self.has(Class::Ratio) {
            all = all.and(Classes::of(&[Class::NegRatio, Class::PosRatio]));
        }
        if self.has(Class::Real) {
            let signs = [Class::NegReal, Class::ZeroReal, Class::PosReal, Class::Nan];
            all = all.and(Classes::of(&signs));
        }
        all
    }

    /// The classes, in order.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.iter().copied().filter(move |class| self.has(*class))
    }
}

/// A primitive of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prim(pub u16);

/// What a primitive expression does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// One of the table.
    Prim(Prim),
    /// `(f a … list)`: a call whose last argument is a list of arguments.
    Apply,
    /// Calls its argument with the current continuation.
    CallCc,
    /// Returns several values.
    Values,
    /// Makes a record of a type from all its fields.
    MakeRecord(u32),
    /// A field of a record.
    RecordRef(u32, u32),
    /// Changes a field of a record.
    RecordSet(u32, u32),
    /// Whether a value is a record of a type.
    IsRecord(u32),
}

/// What a primitive may do and yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Yields values of these classes.
    Yields(Classes),
    /// Does not return.
    Halts,
    /// Makes an object; argument `i` goes to field `fields[i]`, the last field takes further ones.
    Makes(Class, &'static [u32]),
    /// Yields a field of the first argument.
    Loads(Class, u32),
    /// Yields a field of the first argument, or the value of another argument.
    LoadsOr(Class, u32, usize),
    /// Puts arguments into fields of the first argument: (field, argument).
    Stores(Class, &'static [(u32, usize)]),
    /// Whether the argument is of one of these classes.
    Tests(Classes),
    /// Whether the argument, a number, is of one of these classes.
    Signs(Classes),
    /// A number computed from numbers; integers yield these classes as well.
    Number(Arith, Classes),
    /// How numbers lie to one another.
    Compares(Order),
}

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The fewest arguments.
    pub min: usize,
    /// The most arguments; `None` if there is no limit.
    pub max: Option<usize>,
    /// What it does.
    pub effect: Effect,
}

use Class::*;
const fn yields(classes: &[Class]) -> Effect {
    Effect::Yields(Classes::of(classes).closed())
}
const BOOLEAN: Effect = yields(&[False, True]);
const INTEGER: Effect = yields(&[Int]);
/// How many there are of something.
const COUNT: Effect = yields(&[ZeroInt, PosInt]);
const NUMBER: Effect = yields(&[Int, Ratio, Real, Complex]);
const VOID: Effect = yields(&[Void]);
const STRING: Effect = yields(&[Str]);
const UNKNOWN: Effect = yields(&[Unknown]);

const fn number(rule: Arith) -> Effect {
    Effect::Number(rule, Classes::of(&[]))
}
const fn signs(classes: &[Class]) -> Effect {
    Effect::Signs(Classes::of(classes))
}
const fn tests(classes: &[Class]) -> Effect {
    Effect::Tests(Classes::of(classes).closed())
}

/// Names with their numbers of arguments: `n`, `n-m` or `n+`.
#[rustfmt::skip]
const TABLE: &[(Effect, &str)] = &[
    (BOOLEAN, "eq?/2 eqv?/2 equal?/2 odd?/1 even?/1 exact?/1 inexact?/1 \
        exact-integer?/1 finite?/1 infinite?/1 nan?/1 integer?/1 char=?/1+ char<?/1+ char>?/1+ char<=?/1+ char>=?/1+ char-ci=?/1+ char-ci<?/1+ \
        char-ci>?/1+ char-ci<=?/1+ char-ci>=?/1+ char-alphabetic?/1 char-numeric?/1 char-whitespace?/1 char-upper-case?/1 char-lower-case?/1 \
        string=?/1+ string<?/1+ string>?/1+ string<=?/1+ string>=?/1+ string-ci=?/1+ string-ci<?/1+ string-ci>?/1+ string-ci<=?/1+ \
        string-ci>=?/1+ symbol=?/1+ boolean=?/1+ char-ready?/0-1 u8-ready?/0-1 input-port?/1 output-port?/1 textual-port?/1 binary-port?/1 \
        input-port-open?/1 output-port-open?/1 file-exists?/1 %table-has?/2 hash-table-empty?/1 %may-fail/0 string-null?/1 \
        file-error?/1 read-error?/1"),
    (tests(&[False]), "not/1"),
    (tests(&[Null]), "null?/1"),
    (tests(&[Pair]), "pair?/1"),
    (tests(&[Vector]), "vector?/1"),
    (tests(&[Procedure]), "procedure?/1"),
    (tests(&[False, True]), "boolean?/1"),
    (tests(&[Int, Ratio, Real, Complex]), "number?/1 complex?/1"),
    (signs(&[ZeroInt, ZeroReal]), "zero?/1"),
    (signs(&[PosInt, PosRatio, PosReal]), "positive?/1"),
    (signs(&[NegInt, NegRatio, NegReal]), "negative?/1"),
    (Effect::Compares(Order::Less), "</1+"),
    (Effect::Compares(Order::LessOrEqual), "<=/1+"),
    (Effect::Compares(Order::Equal), "=/1+"),
    (Effect::Compares(Order::GreaterOrEqual), ">=/1+"),
    (Effect::Compares(Order::Greater), ">/1+"),
    (tests(&[Char]), "char?/1"),
    (tests(&[Str]), "string?/1"),
    (tests(&[Symbol]), "symbol?/1"),
    (tests(&[Bytes]), "bytevector?/1"),
    (tests(&[Port]), "port?/1"),
    (tests(&[Eof]), "eof-object?/1"),
    (tests(&[Table]), "hash-table?/1"),
    (tests(&[Condition, Failure]), "error-object?/1 condition?/1 error?/1"),
    (BOOLEAN, "list?/1 real?/1 rational?/1"),
    (number(Arith::Sum), "+/0+"),
    (number(Arith::Product), "*/0+"),
    (number(Arith::Difference), "-/1+"),
    (Effect::Number(Arith::Ratio, Classes::of(&[Ratio])), "//1+"),
    (number(Arith::Max), "max/1+"),
    (number(Arith::Min), "min/1+"),
    (number(Arith::Gcd), "gcd/0+"),
    (number(Arith::Lcm), "lcm/0+"),
    (number(Arith::Quotient), "quotient/2 truncate-quotient/2"),
    (number(Arith::Remainder), "remainder/2 truncate-remainder/2"),
    (number(Arith::FloorQuotient), "floor-quotient/2"),
    (number(Arith::Modulo), "modulo/2 floor-remainder/2"),
    (number(Arith::Abs), "abs/1 magnitude/1"),
    (number(Arith::Square), "square/1"),
    (number(Arith::Floor), "floor/1"),
    (number(Arith::Ceiling), "ceiling/1"),
    (number(Arith::Truncate), "truncate/1 round/1"),
    (number(Arith::Numerator), "numerator/1"),
    (number(Arith::Denominator), "denominator/1"),
    (number(Arith::Successor), "1+/1"),
    (number(Arith::Predecessor), "-1+/1 1-/1"),
    (Effect::Number(Arith::Any, Classes::of(&[Ratio])), "rationalize/2"),
    (NUMBER, "expt/2 exact/1 inexact->exact/1 sqrt/1 exp/1 log/1-2 sin/1 cos/1 tan/1 asin/1 acos/1 atan/1-2 real-part/1 imag-part/1 angle/1 random/1-2 \
        make-rectangular/2 make-polar/2"),
    (yields(&[Real, Complex]), "inexact/1 exact->inexact/1"),
    (yields(&[Real]), "current-second/0"),
    (yields(&[Int, Ratio, Real, Complex, False]), "string->number/1-2"),
    (COUNT, "length/1 string-length/1 vector-length/1 bytevector-length/1 bytevector-u8-ref/2 char->integer/1 hash-table-count/1 hash-table-size/1 \
        exact-integer-sqrt-floor/1"),
    (yields(&[ZeroInt, PosInt, False]), "digit-value/1"),
    (INTEGER, "current-jiffy/0 jiffies-per-second/0 string-hash/1-2 string-ci-hash/1-2 hash-by-identity/1-2 hash/1-2 bitwise-and/0+ bitwise-or/0+ bitwise-ior/0+ bitwise-xor/0+ \
        bitwise-not/1 arithmetic-shift/2 runtime/0 real-time/0"),
    (yields(&[ZeroInt, PosInt, False]), "%string-index/2 string-search-forward/3 string-search/2"),
    (yields(&[ZeroInt, PosInt, Eof]), "read-u8/0-1 peek-u8/0-1"),
    (STRING, "number->string/1-2 symbol->string/1 string-append/0+ substring/3 string-copy/1-3 make-string/1-2 string/0+ list->string/1 vector->string/1-3 \
        string-upcase/1 string-downcase/1 string-foldcase/1 utf8->string/1-3 get-output-string/1 %condition-message/1 string-pad-left/2-3 \
        string-pad-right/2-3 string-join/1-2"),
    (yields(&[Symbol]), "string->symbol/1 string->uninterned-symbol/1 generate-uninterned-symbol/0-1 gensym/0-1 symbol-append/0+"),
    (yields(&[Char]), "string-ref/2 integer->char/1 char-upcase/1 char-downcase/1 char-foldcase/1"),
    (yields(&[Char, Eof]), "read-char/0-1 peek-char/0-1"),
    (yields(&[Str, Eof]), "read-line/0-1 read-string/1-2"),
    (yields(&[Str, False]), "get-environment-variable/1"),
    (yields(&[Bytes]), "bytevector/0+ make-bytevector/1-2 bytevector-copy/1-3 bytevector-append/0+ string->utf8/1-3 get-output-bytevector/1"),
    (yields(&[Bytes, Eof]), "read-bytevector/1-2"),
    (yields(&[Eof]), "eof-object/0"),
    (yields(&[Port]), "current-input-port/0 current-output-port/0 current-error-port/0 open-input-file/1 open-output-file/1 open-binary-input-file/1 \
        open-binary-output-file/1 open-input-string/1 open-output-string/0 open-input-bytevector/1 open-output-bytevector/0"),
    (VOID, "%void/0 newline/0-1 display/1-2 write/1-2 write-shared/1-2 write-simple/1-2 write-char/1-2 write-string/1-4 write-u8/1-2 write-bytevector/1-4 \
        flush-output-port/0-1 flush-output/0-1 close-port/1 close-input-port/1 close-output-port/1 string-set!/3 string-fill!/2-4 string-copy!/3-5 \
        bytevector-u8-set!/3 bytevector-copy!/3-5 bytevector-fill!/2-4 delete-file/1 %table-delete!/2 hash-table-clear!/1 pp/1-2 void/0+ \
        read-bytevector!/1-4"),
    (yields(&[Other]), "interaction-environment/0 scheme-report-environment/0-1 null-environment/0-1 environment/0+ system-global-environment/0"),
    (yields(&[Failure]), "%failure/0"),
    // What these yield is not in the program.
    (UNKNOWN, "read/0-1 eval/1-2 load/1-2 features/0 command-line/0 get-environment-variables/0 %unknown/0"),
    (Effect::Halts, "exit/0-1 emergency-exit/0-1 %exit/0+"),
    (Effect::Makes(Pair, &[0, 1]), "cons/2"),
    (Effect::Makes(Vector, &[0]), "vector/0+"),
    (Effect::Makes(Vector, &[NOWHERE, 0]), "%make-vector/2"),
    (Effect::Makes(Table, &[NOWHERE]), "%make-table/0"),
    (Effect::Makes(Condition, &[0, 1]), "%make-condition/2"),
    (Effect::Loads(Pair, 0), "car/1"),
    (Effect::Loads(Pair, 1), "cdr/1"),
    (Effect::Loads(Vector, 0), "vector-ref/2"),
    (Effect::Loads(Condition, 0), "%condition-payload/1"),
    (Effect::Loads(Condition, 1), "%condition-irritants/1"),
    (Effect::LoadsOr(Table, 1, 2), "%table-ref/3"),
    (Effect::Loads(Table, 0), "%table-some-key/2"),
    (Effect::Loads(Table, 2), "%table-some-probe/1"),
    (Effect::Loads(Table, 3), "%table-function/1"),
    (Effect::Stores(Pair, &[(0, 1)]), "set-car!/2"),
    (Effect::Stores(Pair, &[(1, 1)]), "set-cdr!/2"),
    (Effect::Stores(Vector, &[(0, 2)]), "vector-set!/3"),
    (Effect::Stores(Table, &[(0, 1), (1, 2)]), "hash-table-set!/3"),
    // Keys that are looked up, and procedures that a table is made with.
    (Effect::Stores(Table, &[(2, 1)]), "%table-probe!/2"),
    (Effect::Stores(Table, &[(3, 1)]), "%table-function!/2"),
];

/// The field of an argument that is not kept.
pub const NOWHERE: u32 = u32::MAX;

struct Names {
    entries: Vec<Entry>,
    by_name: FxHashMap<&'static str, Prim>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut entries = Vec::new();
        for (effect, names) in TABLE {
            for word in names.split_whitespace() {
                let Some((name, count)) = word.rsplit_once('/') else { continue };
                let number = |text: &str| text.parse().unwrap_or(0);
                let (min, max) = match (count.strip_suffix('+'), count.split_once('-')) {
                    (Some(min), _) => (number(min), None),
                    (_, Some((min, max))) => (number(min), Some(number(max))),
                    _ => (number(count), Some(number(count))),
                };
                entries.push(Entry { name, min, max, effect: *effect });
            }
        }
        let by_name = entries.iter().enumerate().map(|(at, entry)| (entry.name, Prim(at as u16)));
        Names { by_name: by_name.collect(), entries }
    })
}

/// All primitives.
pub fn all() -> &'static [Entry] {
    &names().entries
}

/// The primitive with a name.
pub fn find(name: &str) -> Option<Prim> {
    names().by_name.get(name).copied()
}

impl Prim {
    /// Its entry in the table.
    pub fn entry(self) -> &'static Entry {
        &names().entries[self.0 as usize]
    }
}

/// How many fields objects of a class have; records know their own number.
pub fn fields(class: Class) -> u32 {
    match class {
        Pair | Condition => 2,
        Vector => 1,
        Table => 4,
        _ => 0,
    }
}
