//! Types.

use crate::bridge::Tables;
use crate::ffi;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::Name;
use lw_ir::types::{CompoundData, FloatKind, Lanes, Scalar, Signature, Type, Types};
use rustc_hash::FxHashMap;
use std::ffi::CStr;

/// The type of `table` that `raw` is; `known` remembers those already met.
pub(super) fn import(
    tables: &mut Tables,
    known: &mut FxHashMap<LLVMTypeRef, Type>,
    table: &mut Types,
    raw: LLVMTypeRef,
) -> Type {
    if let Some(&ty) = known.get(&raw) {
        return ty;
    }
    let mut all = |list: Vec<LLVMTypeRef>| -> Box<[Type]> {
        list.into_iter().map(|t| import(tables, known, table, t)).collect()
    };
    // SAFETY: `raw` belongs to the living context; each query fits the kind.
    let ty = unsafe {
        match LLVMGetTypeKind(raw) {
            LLVMTypeKind::LLVMVoidTypeKind => Type::Void,
            LLVMTypeKind::LLVMTokenTypeKind => Type::Token,
            LLVMTypeKind::LLVMMetadataTypeKind => Type::Metadata,
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                let scalable = LLVMGetTypeKind(raw) == LLVMTypeKind::LLVMScalableVectorTypeKind;
                let lanes = Lanes { count: LLVMGetVectorSize(raw), scalable };
                Type::Vector(scalar(LLVMGetElementType(raw)).unwrap_or(Scalar::Int(1)), lanes)
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                let elem = all(vec![LLVMGetElementType(raw)])[0];
                table.array(elem, LLVMGetArrayLength2(raw))
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                let fields = (LLVMIsOpaqueStruct(raw) == 0).then(|| all(struct_fields(raw)));
                let packed = LLVMIsPackedStruct(raw) != 0;
                let name = struct_name(tables, raw);
                table.intern(CompoundData::Struct { name, fields, packed })
            }
            LLVMTypeKind::LLVMFunctionTypeKind => {
                let ret = all(vec![LLVMGetReturnType(raw)])[0];
                let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(raw) as usize];
                LLVMGetParamTypes(raw, params.as_mut_ptr());
                let params = all(params);
                let varargs = LLVMIsFunctionVarArg(raw) != 0;
                table.intern(CompoundData::Function(Signature { ret, params, varargs }))
            }
            LLVMTypeKind::LLVMTargetExtTypeKind => {
                let name = CStr::from_ptr(LLVMGetTargetExtTypeName(raw)).to_bytes().into();
                let params = (0..LLVMGetTargetExtTypeNumTypeParams(raw))
                    .map(|i| LLVMGetTargetExtTypeTypeParam(raw, i));
                let types = all(params.collect());
                let ints = (0..LLVMGetTargetExtTypeNumIntParams(raw))
                    .map(|i| LLVMGetTargetExtTypeIntParam(raw, i));
                table.intern(CompoundData::Target { name, types, ints: ints.collect() })
            }
            _ => match scalar(raw) {
                Some(scalar) => Type::Scalar(scalar),
                // Labels and x86_amx; neither is the type of an operand the IR models.
                None => table.intern(CompoundData::Target {
                    name: "lw.unmodelled".into(),
                    types: Box::default(),
                    ints: Box::default(),
                }),
            },
        }
    };
    known.insert(raw, ty);
    ty
}

/// The number or pointer that `raw` is.
unsafe fn scalar(raw: LLVMTypeRef) -> Option<Scalar> {
    // SAFETY: `raw` belongs to the living context; each query fits the kind.
    unsafe {
        Some(match LLVMGetTypeKind(raw) {
            LLVMTypeKind::LLVMIntegerTypeKind => Scalar::Int(LLVMGetIntTypeWidth(raw)),
            LLVMTypeKind::LLVMPointerTypeKind => Scalar::Ptr(LLVMGetPointerAddressSpace(raw)),
            LLVMTypeKind::LLVMHalfTypeKind => Scalar::Float(FloatKind::Half),
            LLVMTypeKind::LLVMBFloatTypeKind => Scalar::Float(FloatKind::BFloat),
            LLVMTypeKind::LLVMFloatTypeKind => Scalar::Float(FloatKind::Float),
            LLVMTypeKind::LLVMDoubleTypeKind => Scalar::Float(FloatKind::Double),
            LLVMTypeKind::LLVMX86_FP80TypeKind => Scalar::Float(FloatKind::X86Fp80),
            LLVMTypeKind::LLVMFP128TypeKind => Scalar::Float(FloatKind::Fp128),
            LLVMTypeKind::LLVMPPC_FP128TypeKind => Scalar::Float(FloatKind::PpcFp128),
            _ => return None,
        })
    }
}

unsafe fn struct_fields(raw: LLVMTypeRef) -> Vec<LLVMTypeRef> {
    // SAFETY: `raw` is a struct with a body, and the buffer fits its fields.
    unsafe {
        let mut fields = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(raw) as usize];
        LLVMGetStructElementTypes(raw, fields.as_mut_ptr());
        fields
    }
}

/// The name of an identified struct; one is made up where LLVM has none.
unsafe fn struct_name(tables: &mut Tables, raw: LLVMTypeRef) -> Option<Name> {
    // SAFETY: `raw` is a struct of the living context.
    unsafe {
        if LLVMIsLiteralStruct(raw) != 0 {
            return None;
        }
        let name = LLVMGetStructName(raw);
        if !name.is_null() {
            return Some(CStr::from_ptr(name).to_bytes().into());
        }
    }
    if let Some(name) = tables.anonymous.get(&raw) {
        return Some(name.clone());
    }
    let name = Name::from(format!("lw.unnamed.{}", tables.anonymous.len()));
    tables.anonymous.insert(raw, name.clone());
    tables.anonymous_types.insert(name.clone(), raw);
    Some(name)
}

/// What a global is and the type of its content.
pub(super) fn global_kind(raw: LLVMValueRef) -> (u32, LLVMTypeRef) {
    let mut ty = std::ptr::null_mut();
    // SAFETY: `raw` is a global of the living module.
    let kind = unsafe { ffi::lw_global_kind(raw, &mut ty) };
    (kind, ty)
}
