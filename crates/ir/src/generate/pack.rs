//! A program behind one door: a function `void (ptr)` that finds arguments and memory in one buffer and leaves the result
//! there. Whoever can call it, interpreter or machine code, shows what the program did by the bytes of the buffer.

use super::inputs::{Inputs, Param};
use crate::builder::Builder;
use crate::flags::Flags;
use crate::function::Function;
use crate::inst::{Access, CallInfo, InstData, Op};
use crate::interp::{Machine, Run, RunError, Val};
use crate::module::Module;
use crate::types::{Signature, Type};

/// The function, and where in its buffer everything lies.
#[derive(Clone, Debug)]
pub struct Pack {
    /// `void (ptr)`; it calls the entry function of the program.
    pub function: Function,
    /// The size of the buffer.
    pub size: usize,
    /// Where each argument lies; for addresses, what they point to.
    args: Vec<usize>,
    /// The type of each argument that is a value.
    types: Vec<Type>,
}

const ALIGN: u64 = 64;

impl Pack {
    /// The function for the entry `entry` of a module; `None` if there is no such function.
    pub fn new(module: &Module, entry: &str, inputs: &Inputs) -> Option<Pack> {
        let callee = module.function(entry)?;
        let types = inputs.types();
        let layout = &module.layout;
        let mut size = 0u64;
        let mut reserve = |bytes: u64| {
            let at = size;
            size = (size + bytes).next_multiple_of(ALIGN);
            at as usize
        };
        let mut args = Vec::new();
        for (param, &ty) in inputs.params.iter().zip(&types) {
            args.push(match param {
                Param::Memory => reserve(inputs.memory.len() as u64),
                Param::Table => reserve(inputs.table.len() as u64),
                _ => reserve(layout.alloc_size(&callee.types, ty)?),
            });
        }
        let ret = callee.signature.ret;
        let result = match ret {
            Type::Void => 0,
            ty => reserve(layout.alloc_size(&callee.types, ty)?),
        };
        let signature = Signature { ret: Type::Void, params: [Type::PTR].into(), varargs: false };
        let name = format!("run.{entry}");
        let mut function = Function::new(name.as_str(), signature, callee.types.clone());
        let mut b = Builder::new(&mut function);
        let buffer = b.function.params()[0];
        let mut values = Vec::new();
        for ((param, &ty), &at) in inputs.params.iter().zip(&types).zip(&args) {
            let offset = b.int(Type::I64, at as i128);
            let place = b.gep(Type::I8, Flags::INBOUNDS, buffer, &[offset]);
            values.push(match param {
                Param::Memory | Param::Table => place,
                _ => {
                    let align = layout.align(&callee.types, ty)?.min(ALIGN);
                    b.load(ty, place, Access::aligned(align))
                }
            });
        }
        let params: Vec<Type> = types.clone();
        let (_, ty, target) = b.declare(entry, ret, &params);
        let attrs = b.function.attr_lists.empty();
        let mut info = CallInfo::new(ty, attrs);
        info.convention = callee.convention;
        values.insert(0, target);
        let inst = b.push(InstData::new(Op::Call(Box::new(info)), ret, &values));
        if let Some(value) = b.function[inst].result.expand() {
            let offset = b.int(Type::I64, result as i128);
            let place = b.gep(Type::I8, Flags::INBOUNDS, buffer, &[offset]);
            let align = layout.align(&callee.types, ret)?.min(ALIGN);
            b.store(value, place, Access::aligned(align));
        }
        b.ret(None);
        Some(Pack { function, size: size as usize, args, types })
    }

    /// The buffer for a thread, before the call.
    pub fn buffer(&self, module: &Module, inputs: &Inputs, thread: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.size];
        let zero = Val::address(0).as_ptr().expect("an address");
        let values = inputs.arguments(thread, zero, zero);
        for (i, param) in inputs.params.iter().enumerate() {
            let encoded;
            let content: &[u8] = match param {
                Param::Memory => &inputs.memory,
                Param::Table => &inputs.table,
                _ => {
                    let types = &self.function.types;
                    encoded = Inputs::encode(types, &module.layout, self.types[i], &values[i]);
                    &encoded
                }
            };
            bytes[self.args[i]..self.args[i] + content.len()].copy_from_slice(content);
        }
        bytes
    }

    /// What the interpreter leaves in the buffer: for each byte its value if the program says it. Also whether the
    /// program left something open, and how many instructions it took.
    ///
    /// # Errors
    /// As [`Machine::run`].
    pub fn interpret(
        &self,
        module: &Module,
        buffer: &[u8],
        run: &Run,
    ) -> Result<(Vec<Option<u8>>, bool, u64), RunError> {
        let mut machine = Machine::new(module);
        let fail = |kind| RunError::at_function(kind, self.function.name.to_string());
        let memory = machine.alloc_buffer(buffer).map_err(fail)?;
        let name = self.function.name.as_str().unwrap_or_default();
        let outcome = machine.run(name, &[vec![Val::Ptr(memory)]], run)?;
        let bytes = machine.read_bytes(memory, buffer.len() as u64).map_err(fail)?;
        Ok((bytes, outcome.nondeterminism_used, outcome.steps))
    }
}
