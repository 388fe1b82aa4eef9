//! The types of functions and calls, and which of them fit together.

use lw_ir::Type;
use lw_ir::types::{CompoundData, Signature, Types};
use rustc_hash::FxHashMap;

use crate::build::SiteData;
use crate::world::{FuncId, World};

/// The types of functions, numbered alike over all modules.
pub(crate) struct Signatures {
    types: Types,
    numbers: FxHashMap<Type, u32>,
    /// By number.
    signatures: Vec<Signature>,
    /// By function; those outside have none.
    pub(crate) functions: Vec<Option<u32>>,
}

impl Signatures {
    pub(crate) fn new(world: &World<'_>) -> Signatures {
        let mut all = Signatures {
            types: Types::default(),
            numbers: FxHashMap::default(),
            signatures: Vec::new(),
            functions: Vec::new(),
        };
        for at in 0..world.functions.len() {
            let number = world.body(FuncId(at as u32)).map(|(_, function)| {
                let import = |all: &mut Signatures, ty| all.types.import(&function.types, ty);
                let Signature { ret, params, varargs } = &function.signature;
                let params = params.iter().map(|ty| import(&mut all, *ty)).collect();
                let ret = import(&mut all, *ret);
                all.number(Signature { ret, params, varargs: *varargs })
            });
            all.functions.push(number);
        }
        all
    }

    fn number(&mut self, signature: Signature) -> u32 {
        let ty = self.types.intern(CompoundData::Function(signature.clone()));
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(ty).or_insert(next);
        if number == next {
            self.signatures.push(signature);
        }
        number
    }

    /// The type that a call assumes.
    pub(crate) fn of_call(&mut self, world: &World<'_>, site: &SiteData) -> Option<u32> {
        let (_, function) = world.body(site.function)?;
        let ty = self.types.import(&function.types, function[site.inst].op.call()?.ty);
        let signature = self.types.signature(ty)?.clone();
        Some(self.number(signature))
    }

    /// Whether a call of one type may call a function of another: parameters agree, and a result may be dropped. All else has no
    /// meaning in C and none in LLVM. Of a function outside nothing is known.
    pub(crate) fn fit(&self, call: Option<u32>, function: Option<u32>) -> bool {
        let (Some(call), Some(function)) = (call, function) else { return true };
        if call == function {
            return true;
        }
        let (call, function) =
            (&self.signatures[call as usize], &self.signatures[function as usize]);
        // Without a prototype, arguments are passed as variable ones are.
        let loose = call.varargs || function.varargs;
        let count = call.params.len() == function.params.len() || loose;
        let params = call.params.iter().zip(&function.params).all(|(a, b)| a == b);
        count && params && (call.ret == Type::Void || call.ret == function.ret)
    }
}
