//! Attributes of functions, parameters, results and call sites, as plain data.
//!
//! The IR keeps all of them, and understands a few: [`AttrListData::has`] and [`MemoryEffects`] are how analyses ask.

use crate::bits::Bits;
use crate::entities::AttrList;
use crate::types::Type;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// The free-form attribute of a call from which no exception goes any further. Its value is the function that ends the program then.
pub const TERMINATES: &str = "laneweaver-terminates";

/// One attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// A known attribute without a value: `nounwind`.
    Flag(Box<str>),
    /// A known attribute with a number, in LLVM's encoding: `align(16)`, `memory(…)`.
    Int(Box<str>, u64),
    /// A known attribute with a type: `sret(T)`.
    Type(Box<str>, Type),
    /// A known attribute with ranges `[lo, hi)` of so many bits: `range`, `initializes`.
    Ranges(Box<str>, u32, Box<[(Bits, Bits)]>),
    /// A free-form pair: `"key"="value"`.
    Text(Box<[u8]>, Box<[u8]>),
}

impl Attr {
    /// The name of a known attribute.
    pub fn name(&self) -> Option<&str> {
        match self {
            Attr::Flag(name)
            | Attr::Int(name, _)
            | Attr::Type(name, _)
            | Attr::Ranges(name, _, _) => Some(name),
            Attr::Text(..) => None,
        }
    }
}

/// The attributes of a function or call: of the whole, of its result, and of each parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct AttrListData {
    /// Of the function or call itself.
    pub function: Vec<Attr>,
    /// Of the result.
    pub ret: Vec<Attr>,
    /// Of the parameters that have some, by position.
    pub params: Vec<(u32, Vec<Attr>)>,
}

impl AttrListData {
    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty() && self.ret.is_empty() && self.params.is_empty()
    }

    /// Whether one of them names a type, which belongs to the table of a function.
    pub fn mentions_types(&self) -> bool {
        let params = self.params.iter().flat_map(|(_, list)| list);
        let mut all = self.function.iter().chain(&self.ret).chain(params);
        all.any(|attr| matches!(attr, Attr::Type(..)))
    }

    /// Whether the function or call has the attribute `name`.
    pub fn has(&self, name: &str) -> bool {
        self.function.iter().any(|a| a.name() == Some(name))
    }

    /// The attributes of parameter `index`.
    pub fn param(&self, index: usize) -> &[Attr] {
        self.params.iter().find(|(i, _)| *i as usize == index).map_or(&[], |(_, attrs)| attrs)
    }

    /// Whether an attribute of the result has ranges.
    pub fn returns_range(&self) -> bool {
        self.ret.iter().any(|attr| matches!(attr, Attr::Ranges(..)))
    }

    /// What the function or call may do to memory; everything where nothing is said.
    pub fn memory(&self) -> MemoryEffects {
        let encoded = self.function.iter().find_map(|a| match a {
            Attr::Int(name, value) if &**name == "memory" => Some(*value),
            _ => None,
        });
        encoded.map_or(MemoryEffects::ANY, MemoryEffects::from_encoding)
    }
}

/// Whether memory may be read and written, over all locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryEffects {
    /// Some memory may be read.
    pub reads: bool,
    /// Some memory may be written.
    pub writes: bool,
}

impl MemoryEffects {
    /// Anything may happen.
    pub const ANY: MemoryEffects = MemoryEffects { reads: true, writes: true };

    /// Reads LLVM's encoding: two bits (read, write) for each kind of location.
    pub fn from_encoding(bits: u64) -> MemoryEffects {
        let any = |mask: u64| bits & mask != 0;
        MemoryEffects { reads: any(0x5555_5555_5555_5555), writes: any(0xaaaa_aaaa_aaaa_aaaa) }
    }
}

/// The interned attribute lists of a function.
#[derive(Clone, Default, Debug)]
pub struct Attrs {
    data: PrimaryMap<AttrList, AttrListData>,
    /// Whether the lists have ranges of the result: few do, and this takes little memory.
    returns_range: PrimaryMap<AttrList, bool>,
    index: FxHashMap<AttrListData, AttrList>,
}

impl Attrs {
    /// The list with this content, entered if it is new.
    pub fn intern(&mut self, data: AttrListData) -> AttrList {
        if let Some(&known) = self.index.get(&data) {
            return known;
        }
        self.returns_range.push(data.returns_range());
        let id = self.data.push(data.clone());
        self.index.insert(data, id);
        id
    }

    /// The list without attributes.
    pub fn empty(&mut self) -> AttrList {
        self.intern(AttrListData::default())
    }

    /// Whether a list has [ranges](AttrListData::returns_range) of the result.
    #[inline]
    pub fn returns_range(&self, id: AttrList) -> bool {
        self.returns_range[id]
    }

    /// The content of a list.
    pub fn get(&self, id: AttrList) -> &AttrListData {
        &self.data[id]
    }
}
