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

    fn is_ranges(&self) -> bool {
        matches!(self, Attr::Ranges(..))
    }

    /// The type it mentions.
    pub(crate) fn type_mut(&mut self) -> Option<&mut Type> {
        match self {
            Attr::Type(_, ty) => Some(ty),
            _ => None,
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
    /// Of the parameters.
    pub params: ParamAttrs,
}

/// The attributes of those parameters that have some, by position.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ParamAttrs {
    lists: Vec<(u32, Vec<Attr>)>,
    /// Whether there are ranges among them: few have some, and the lists lie far apart.
    ranges: bool,
}

impl ParamAttrs {
    /// Adds a parameter that has these.
    pub fn push(&mut self, (index, attrs): (u32, Vec<Attr>)) {
        self.ranges |= attrs.iter().any(Attr::is_ranges);
        self.lists.push((index, attrs));
    }

    /// Adds one to a parameter, the last so far or another.
    pub fn add(&mut self, index: u32, attr: Attr) {
        self.ranges |= attr.is_ranges();
        match self.lists.last_mut() {
            Some((last, attrs)) if *last == index => attrs.push(attr),
            _ => self.lists.push((index, vec![attr])),
        }
    }

    /// Takes all away.
    pub fn clear(&mut self) {
        *self = ParamAttrs::default();
    }

    /// Whether no parameter has any.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The parameters that have some.
    pub fn iter(&self) -> std::slice::Iter<'_, (u32, Vec<Attr>)> {
        self.lists.iter()
    }

    /// The types they mention.
    pub(crate) fn types_mut(&mut self) -> impl Iterator<Item = &mut Type> {
        self.lists.iter_mut().flat_map(|(_, attrs)| attrs).filter_map(Attr::type_mut)
    }

    /// Whether there are [ranges](Attr::Ranges) among them.
    #[inline]
    pub fn have_ranges(&self) -> bool {
        self.ranges
    }
}

impl FromIterator<(u32, Vec<Attr>)> for ParamAttrs {
    fn from_iter<I: IntoIterator<Item = (u32, Vec<Attr>)>>(params: I) -> Self {
        let mut all = ParamAttrs::default();
        params.into_iter().for_each(|param| all.push(param));
        all
    }
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
        self.ret.iter().any(Attr::is_ranges)
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
    /// Whether any has: then it need not be known which list a call has.
    any_returns_range: bool,
    index: FxHashMap<AttrListData, AttrList>,
}

impl Attrs {
    /// The list with this content, entered if it is new.
    pub fn intern(&mut self, data: AttrListData) -> AttrList {
        if let Some(&known) = self.index.get(&data) {
            return known;
        }
        self.returns_range.push(data.returns_range());
        self.any_returns_range |= data.returns_range();
        let id = self.data.push(data.clone());
        self.index.insert(data, id);
        id
    }

    /// The list without attributes.
    pub fn empty(&mut self) -> AttrList {
        self.intern(AttrListData::default())
    }

    /// Whether some list has [ranges](AttrListData::returns_range) of the result.
    #[inline]
    pub fn any_returns_range(&self) -> bool {
        self.any_returns_range
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_parameters_are_known_however_they_come() {
        let flag = || Attr::Flag("noundef".into());
        let range = || Attr::Ranges("range".into(), 8, [].into());
        let mut params = ParamAttrs::default();
        params.add(0, flag());
        params.add(2, flag());
        assert!(!params.have_ranges());
        params.add(2, range());
        assert!(params.have_ranges());
        let lists = [(0, vec![flag()]), (2, vec![flag(), range()])];
        assert_eq!(params, lists.into_iter().collect());
        params.clear();
        assert!(params.is_empty() && !params.have_ranges());
    }
}
