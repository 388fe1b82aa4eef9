//! Attributes.

use super::Importer;
use crate::ffi::{self, AttrDesc, AttrKind};
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::bits::Bits;
use lw_ir::entities::AttrList;
use std::ffi::c_void;
use std::sync::Arc;

impl Importer<'_, '_, '_> {
    /// The interned list that `raw`, an attribute list of LLVM, is.
    pub(super) fn attr_list(&mut self, raw: *mut c_void) -> AttrList {
        if let Some(&known) = self.attrs.get(&raw) {
            return known;
        }
        let data = self.attributes(raw);
        let list = self.function.attr_lists.intern(data);
        self.attrs.insert(raw, list);
        list
    }

    /// The content of an attribute list of LLVM, shared by all functions of the module unless it mentions types.
    pub(super) fn shared_attributes(&mut self, raw: *mut c_void) -> Arc<AttrListData> {
        if let Some(known) = self.bridge.tables.attrs.get(&raw) {
            return Arc::clone(known);
        }
        let data = Arc::new(self.attributes(raw));
        if !data.mentions_types() {
            self.bridge.tables.attrs.insert(raw, Arc::clone(&data));
        }
        data
    }

    /// The content of an attribute list of LLVM.
    pub(super) fn attributes(&mut self, raw: *mut c_void) -> AttrListData {
        let mut list = std::ptr::null();
        // SAFETY: `raw` is a list of the living context; the descriptions are copied before the scratch is used again.
        let descs: Vec<AttrDesc<'static>> = unsafe {
            let count = ffi::lw_describe_attributes(raw, self.bridge.scratch.raw(), &mut list);
            ffi::slice(list, count).to_vec()
        };
        let mut data = AttrListData::default();
        for desc in descs {
            let attr = self.attribute(&desc);
            match desc.index {
                0 => data.ret.push(attr),
                u32::MAX => data.function.push(attr),
                index => data.params.add(index - 1, attr),
            }
        }
        data
    }

    fn attribute(&mut self, desc: &AttrDesc<'static>) -> Attr {
        // SAFETY: names and words lie in the context or the scratch, which has not been used since.
        let (name, value, words) = unsafe {
            (desc.name.bytes(), desc.value.bytes(), ffi::slice(desc.words, desc.num_words))
        };
        let known = || -> Box<str> { String::from_utf8_lossy(name).into() };
        match desc.kind {
            AttrKind::Flag => Attr::Flag(known()),
            AttrKind::Int => Attr::Int(known(), desc.number),
            AttrKind::Type => Attr::Type(known(), self.ty(desc.ty)),
            AttrKind::Ranges => {
                let size = desc.bits.div_ceil(64) as usize;
                let bits = |part: &[u64]| Bits::from_words(desc.bits, part);
                let ranges = words.chunks(2 * size).map(|c| (bits(&c[..size]), bits(&c[size..])));
                Attr::Ranges(known(), desc.bits, ranges.collect())
            }
            AttrKind::Text => Attr::Text(name.into(), value.into()),
        }
    }
}
