//! Types.

use super::Emitter;
use crate::error::Result;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use lw_ir::types::{CompoundData, FloatKind, Scalar, Signature, Type};
use std::ffi::CString;

impl Emitter<'_, '_, '_> {
    pub(super) fn ty(&mut self, ty: Type) -> Result<LLVMTypeRef> {
        let context = self.context();
        // SAFETY: creates types in the living context.
        Ok(unsafe {
            match ty {
                Type::Void => LLVMVoidTypeInContext(context),
                Type::Token => LLVMTokenTypeInContext(context),
                Type::Metadata => LLVMMetadataTypeInContext(context),
                Type::Scalar(scalar) => scalar_type(context, scalar),
                Type::Vector(elem, lanes) if lanes.scalable => {
                    LLVMScalableVectorType(scalar_type(context, elem), lanes.count)
                }
                Type::Vector(elem, lanes) => {
                    LLVMVectorType(scalar_type(context, elem), lanes.count)
                }
                Type::Compound(id) => {
                    if let Some(known) = self.types[id] {
                        return Ok(known);
                    }
                    let raw = self.compound(self.function.types.get(id))?;
                    self.types[id] = Some(raw);
                    raw
                }
            }
        })
    }

    fn types(&mut self, list: &[Type]) -> Result<Vec<LLVMTypeRef>> {
        list.iter().map(|&ty| self.ty(ty)).collect()
    }

    pub(super) fn signature(&mut self, signature: &Signature) -> Result<LLVMTypeRef> {
        let ret = self.ty(signature.ret)?;
        let mut params = self.types(&signature.params)?;
        let varargs = signature.varargs.into();
        // SAFETY: all types belong to the living context.
        Ok(unsafe { LLVMFunctionType(ret, params.as_mut_ptr(), params.len() as u32, varargs) })
    }

    fn compound(&mut self, data: &CompoundData) -> Result<LLVMTypeRef> {
        let context = self.context();
        match data {
            CompoundData::Array { elem, len } => {
                let elem = self.ty(*elem)?;
                // SAFETY: the element type belongs to the living context.
                Ok(unsafe { LLVMArrayType2(elem, *len) })
            }
            CompoundData::Function(signature) => self.signature(signature),
            CompoundData::Struct { name: None, fields, packed } => {
                let mut fields = self.types(fields.as_deref().unwrap_or_default())?;
                let (data, count) = (fields.as_mut_ptr(), fields.len() as u32);
                // SAFETY: all types belong to the living context.
                Ok(unsafe { LLVMStructTypeInContext(context, data, count, (*packed).into()) })
            }
            CompoundData::Struct { name: Some(name), fields, packed } => {
                if let Some(&known) = self.bridge.tables.anonymous_types.get(name) {
                    return Ok(known);
                }
                let text = CString::new(name.as_bytes());
                let Ok(text) = text else { return self.error("a struct name contains NUL") };
                let mut fields = fields.as_deref().map(|f| self.types(f)).transpose()?;
                // SAFETY: the name is copied and all types belong to the living context.
                unsafe {
                    let known = LLVMGetTypeByName2(context, text.as_ptr());
                    if !known.is_null() {
                        return Ok(known);
                    }
                    let raw = LLVMStructCreateNamed(context, text.as_ptr());
                    if let Some(fields) = &mut fields {
                        let (data, count) = (fields.as_mut_ptr(), fields.len() as u32);
                        LLVMStructSetBody(raw, data, count, (*packed).into());
                    }
                    Ok(raw)
                }
            }
            CompoundData::Target { name, types, ints } => {
                let mut types = self.types(types)?;
                let mut ints = ints.to_vec();
                let text = CString::new(name.as_bytes());
                let Ok(text) = text else { return self.error("a type name contains NUL") };
                // SAFETY: the name is copied and all types belong to the living context.
                Ok(unsafe {
                    LLVMTargetExtTypeInContext(
                        context,
                        text.as_ptr(),
                        types.as_mut_ptr(),
                        types.len() as u32,
                        ints.as_mut_ptr(),
                        ints.len() as u32,
                    )
                })
            }
        }
    }
}

unsafe fn scalar_type(context: LLVMContextRef, scalar: Scalar) -> LLVMTypeRef {
    // SAFETY: the caller vouches for the context.
    unsafe {
        match scalar {
            Scalar::Int(bits) => LLVMIntTypeInContext(context, bits),
            Scalar::Ptr(space) => LLVMPointerTypeInContext(context, space),
            Scalar::Float(FloatKind::Half) => LLVMHalfTypeInContext(context),
            Scalar::Float(FloatKind::BFloat) => LLVMBFloatTypeInContext(context),
            Scalar::Float(FloatKind::Float) => LLVMFloatTypeInContext(context),
            Scalar::Float(FloatKind::Double) => LLVMDoubleTypeInContext(context),
            Scalar::Float(FloatKind::X86Fp80) => LLVMX86FP80TypeInContext(context),
            Scalar::Float(FloatKind::Fp128) => LLVMFP128TypeInContext(context),
            Scalar::Float(FloatKind::PpcFp128) => LLVMPPCFP128TypeInContext(context),
        }
    }
}
