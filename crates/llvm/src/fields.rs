//! What the fields of structures are called in the source.

use crate::bridge::Bridge;
use crate::ffi::{self, ScratchImpl, Text};
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;
use std::ffi::c_void;

/// The names of fields, by structure and offset.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    structures: FxHashMap<String, Vec<(u64, String)>>,
}

impl Fields {
    /// The field of a structure that begins so many bytes behind its start. The structure is called as in the module:
    /// `struct.pair`, with or without a number behind it.
    pub fn name(&self, structure: &str, offset: u64) -> Option<&str> {
        let name = structure.strip_prefix("struct.").or(structure.strip_prefix("class."))?;
        let fields = self.structures.get(name).or_else(|| {
            let (name, number) = name.rsplit_once('.')?;
            number.parse::<u64>().ok().and_then(|_| self.structures.get(name))
        })?;
        fields.iter().find(|(at, _)| *at == offset).map(|(_, name)| name.as_str())
    }
}

/// `LwMember`.
#[repr(C)]
struct MemberDesc {
    structure: Text<'static>,
    name: Text<'static>,
    offset: u64,
    identity: *const c_void,
}

unsafe extern "C" {
    fn lw_members(
        module: LLVMModuleRef,
        scratch: *mut ScratchImpl,
        out: *mut *const MemberDesc,
    ) -> usize;
}

impl Bridge<'_, '_> {
    /// What the fields of structures are called. Different structures of the same name are left out.
    pub fn fields(&mut self) -> Fields {
        let mut found: FxHashMap<(String, usize), Vec<(u64, String)>> = FxHashMap::default();
        let mut list = std::ptr::null();
        // SAFETY: the module is alive; the list lies in the scratch until the next call and is copied before.
        unsafe {
            let count = lw_members(self.module.raw(), self.scratch.raw(), &mut list);
            for member in ffi::slice(list, count) {
                let text = |text: Text<'static>| String::from_utf8_lossy(text.bytes()).into_owned();
                let key = (text(member.structure), member.identity as usize);
                found.entry(key).or_default().push((member.offset / 8, text(member.name)));
            }
        }
        let mut structures: FxHashMap<String, Vec<(u64, String)>> = FxHashMap::default();
        let mut different = Vec::new();
        for ((name, _), fields) in found {
            match structures.get(&name) {
                Some(known) if *known != fields => different.push(name),
                _ => drop(structures.insert(name, fields)),
            }
        }
        different.iter().for_each(|name| drop(structures.remove(name)));
        Fields { structures }
    }
}

#[cfg(test)]
mod tests {
    use crate::module::Context;

    const TEXT: &str = r#"
%struct.pair = type { i32, ptr }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, retainedTypes: !3)
!1 = !DIFile(filename: "f.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{!4, !10, !12}
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !1, line: 1, size: 128, elements: !5)
!5 = !{!6, !7}
!6 = !DIDerivedType(tag: DW_TAG_member, name: "count", scope: !4, file: !1, baseType: !8, size: 32)
!7 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !4, file: !1, baseType: !9, size: 64, offset: 64)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!10 = !DIDerivedType(tag: DW_TAG_typedef, name: "alias", file: !1, baseType: !11)
!11 = distinct !DICompositeType(tag: DW_TAG_structure_type, file: !1, line: 1, size: 32, elements: !13)
!12 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !1, line: 9, size: 128, elements: !5)
!13 = !{!14}
!14 = !DIDerivedType(tag: DW_TAG_member, name: "only", scope: !11, file: !1, baseType: !8, size: 32)
"#;

    #[test]
    fn fields_are_found_by_offset() {
        let context = Context::new();
        let mut module = context.parse_module(TEXT.as_bytes(), "fields").unwrap();
        let fields = module.bridge().unwrap().fields();
        assert_eq!(fields.name("struct.pair", 8), Some("next"));
        assert_eq!(fields.name("struct.pair.17", 0), Some("count"));
        assert_eq!(fields.name("struct.alias", 0), Some("only"));
        assert_eq!(fields.name("struct.pair", 4), None);
        assert_eq!(fields.name("struct.other", 0), None);
    }

    #[test]
    fn different_structures_of_one_name_are_left_out() {
        let text =
            TEXT.replace("line: 9, size: 128, elements: !5", "line: 9, size: 32, elements: !13");
        let context = Context::new();
        let mut module = context.parse_module(text.as_bytes(), "fields").unwrap();
        let fields = module.bridge().unwrap().fields();
        assert_eq!(fields.name("struct.pair", 8), None);
        assert_eq!(fields.name("struct.alias", 0), Some("only"));
    }
}
