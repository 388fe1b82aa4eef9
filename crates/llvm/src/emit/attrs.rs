//! Attributes.

use super::Emitter;
use crate::error::Result;
use crate::ffi::{self, AttrDesc, AttrKind, Text};
use lw_ir::attrs::{Attr, AttrListData};
use lw_ir::entities::AttrList;
use std::ffi::c_void;
use std::ptr::null_mut;

impl Emitter<'_, '_, '_> {
    /// The attribute list of LLVM for an interned one.
    pub(super) fn attr_list(&mut self, id: AttrList) -> Result<*mut c_void> {
        if let Some(known) = self.attrs[id] {
            return Ok(known);
        }
        let function = self.function;
        let raw = self.attributes(function.attr_lists.get(id))?;
        self.attrs[id] = Some(raw);
        Ok(raw)
    }

    pub(super) fn attributes(&mut self, data: &AttrListData) -> Result<*mut c_void> {
        let mut list = Vec::new();
        let function = data.function.iter().map(|attr| (u32::MAX, attr));
        let ret = data.ret.iter().map(|attr| (0, attr));
        let params = data
            .params
            .iter()
            .flat_map(|(index, attrs)| attrs.iter().map(move |attr| (index + 1, attr)));
        // Words of ranges, kept in place while LLVM reads them.
        let mut ranges: Vec<Vec<u64>> = Vec::new();
        for (index, attr) in function.chain(ret).chain(params) {
            list.push((index, attr));
            if let Attr::Ranges(_, _, pairs) = attr {
                let words = pairs.iter().flat_map(|(low, high)| [low.words(), high.words()]);
                ranges.push(words.flatten().copied().collect());
            }
        }
        let mut next_range = ranges.iter();
        let mut descs = Vec::with_capacity(list.len());
        for &(index, attr) in &list {
            descs.push(self.attribute(index, attr, &mut next_range)?);
        }
        let (mut raw, mut bad) = (null_mut(), 0);
        // SAFETY: the descriptions and what they point to live for the call.
        let built = unsafe {
            ffi::lw_build_attributes(
                self.context(),
                descs.as_ptr(),
                descs.len(),
                &mut raw,
                &mut bad,
            )
        };
        if !built {
            let name = list[bad].1.name().unwrap_or_default();
            return self.error(format!("LLVM has no attribute `{name}` of this form"));
        }
        Ok(raw)
    }

    fn attribute<'a>(
        &mut self,
        index: u32,
        attr: &'a Attr,
        ranges: &mut std::slice::Iter<'a, Vec<u64>>,
    ) -> Result<AttrDesc<'a>> {
        let mut desc = AttrDesc {
            index,
            kind: AttrKind::Flag,
            name: Text::new(attr.name().unwrap_or_default().as_bytes()),
            value: Text::default(),
            number: 0,
            ty: null_mut(),
            bits: 0,
            words: std::ptr::null(),
            num_words: 0,
        };
        match attr {
            Attr::Flag(_) => {}
            Attr::Int(_, number) => {
                desc.kind = AttrKind::Int;
                desc.number = *number;
            }
            Attr::Type(_, ty) => {
                desc.kind = AttrKind::Type;
                desc.ty = self.ty(*ty)?;
            }
            Attr::Ranges(_, bits, _) => {
                let words = ranges.next().expect("one entry for each range attribute");
                desc.kind = AttrKind::Ranges;
                desc.bits = *bits;
                desc.words = words.as_ptr();
                desc.num_words = words.len();
            }
            Attr::Text(key, value) => {
                desc.kind = AttrKind::Text;
                desc.name = Text::new(key);
                desc.value = Text::new(value);
            }
        }
        Ok(desc)
    }
}
