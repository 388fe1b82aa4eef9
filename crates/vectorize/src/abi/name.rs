//! Mangled names of vector variants: `_ZGV` isa mask lanes parameters `_` name.

use super::registers::register_bits;
use lw_ir::DataLayout;
use lw_ir::types::{Scalar, Signature, Type};
use std::fmt;

/// The registers a variant is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Isa {
    /// x86: 128 bits.
    Sse,
    /// x86: 128 bits for integers, 256 for floats.
    Avx,
    /// x86: 256 bits.
    Avx2,
    /// x86: 512 bits.
    Avx512,
    /// AArch64: 128 bits.
    Neon,
    /// AArch64: scalable.
    Sve,
}

impl Isa {
    const LETTERS: [(char, Isa); 6] = [
        ('b', Isa::Sse),
        ('c', Isa::Avx),
        ('d', Isa::Avx2),
        ('e', Isa::Avx512),
        ('n', Isa::Neon),
        ('s', Isa::Sve),
    ];

    fn is_x86(self) -> bool {
        !matches!(self, Isa::Neon | Isa::Sve)
    }

    fn letter(self) -> char {
        Isa::LETTERS.iter().find(|&&(_, isa)| isa == self).map_or('?', |&(letter, _)| letter)
    }

    /// The features of LLVM's target that code of the variant may use.
    pub fn features(self) -> &'static str {
        match self {
            Isa::Sse => "+sse2",
            Isa::Avx => "+avx",
            Isa::Avx2 => "+avx2",
            Isa::Avx512 => "+avx512f",
            Isa::Neon => "+neon",
            Isa::Sve => "+sve",
        }
    }
}

impl Isa {
    /// LLVM's number for the calling convention: AArch64's variants keep more vector registers than other functions.
    pub fn convention(self) -> u32 {
        match self {
            Isa::Neon => 97,
            Isa::Sve => 98,
            _ => 0,
        }
    }
}

/// By how much a linear parameter grows from lane to lane. Of pointers, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// By a constant.
    Constant(i64),
    /// By the value of the uniform parameter at this position.
    Param(u32),
}

/// What a variant knows of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamKind {
    /// Nothing: it differs from lane to lane.
    Vector,
    /// It is the same on all lanes.
    Uniform,
    /// It grows from lane to lane.
    Linear(Step),
    /// A reference, of which something grows; the letter of the ABI: `R` the address, `L` what it refers to, `U` likewise, where the
    /// address is the same on all lanes.
    LinearReference(char, Step),
}

impl ParamKind {
    /// By how much a number or address that is passed for the first lane grows.
    pub(crate) fn step(self) -> Option<Step> {
        match self {
            ParamKind::Linear(step) | ParamKind::LinearReference('R', step) => Some(step),
            _ => None,
        }
    }

    /// Whether a value is passed for each lane.
    pub(crate) fn is_vector(self) -> bool {
        matches!(self, ParamKind::Vector | ParamKind::LinearReference('L', _))
    }
}

/// A mangled name.
///
/// ```
/// use lw_vectorize::abi::{Isa, ParamKind, Step, VariantName};
///
/// let name: VariantName = "_ZGVdM8ul4va32_my_function".parse().unwrap();
/// assert_eq!((name.isa, name.masked, name.lanes), (Isa::Avx2, true, Some(8)));
/// let kinds = [ParamKind::Uniform, ParamKind::Linear(Step::Constant(4)), ParamKind::Vector];
/// assert!(name.params.iter().map(|&(kind, _)| kind).eq(kinds));
/// assert_eq!(name.to_string(), "_ZGVdM8ul4va32_my_function");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VariantName {
    /// Its registers.
    pub isa: Isa,
    /// Whether it takes a mask.
    pub masked: bool,
    /// How many lanes it has; `None`: as many as the machine.
    pub lanes: Option<u32>,
    /// Its parameters, with the alignment that is promised, if one is.
    pub params: Vec<(ParamKind, Option<u64>)>,
    /// The name of the scalar function.
    pub base: String,
}

impl VariantName {
    /// The *characteristic type* of the ABI, which decides how many lanes there are and what masks look like: that of the result, else
    /// of the first parameter that is a vector, else `int`.
    pub(super) fn characteristic(&self, signature: &Signature) -> Type {
        let varying = self.params.iter().position(|&(kind, _)| kind == ParamKind::Vector);
        match (signature.ret, varying) {
            (Type::Void, Some(i)) => signature.params.get(i).copied().unwrap_or(Type::I32),
            (Type::Void, None) => Type::I32,
            (ret, _) => ret,
        }
    }

    /// The narrowest type of which vectors are passed or returned, else `int`. The ABI of AArch64 gives masks its size.
    pub(super) fn narrowest(&self, signature: &Signature, layout: &DataLayout) -> Type {
        let vectors =
            signature.params.iter().zip(&self.params).filter(|(_, (kind, _))| kind.is_vector());
        let types = vectors.map(|(&ty, _)| ty).chain([signature.ret]);
        let sized = types.filter_map(|ty| match ty {
            Type::Scalar(scalar) => Some((layout.scalar_bits(scalar), ty)),
            _ => None,
        });
        sized.min_by_key(|&(bits, _)| bits).map_or(Type::I32, |(_, ty)| ty)
    }

    /// The name that gcc gives to a variant that clang names differently: an AVX variant whose characteristic type is no float has
    /// registers of 128 bits, of which clang takes no notice.
    pub fn for_gcc(&self, signature: &Signature, layout: &DataLayout) -> Option<VariantName> {
        let bits = match self.characteristic(signature) {
            Type::Scalar(Scalar::Float(_)) => return None,
            // A truth value takes a byte.
            Type::Scalar(scalar) => layout.scalar_bits(scalar).max(8),
            _ => return None,
        };
        let lanes = self.lanes.filter(|&lanes| self.isa == Isa::Avx && lanes * bits == 256)?;
        Some(VariantName { lanes: Some(lanes / 2), ..self.clone() })
    }

    /// The name for a static member function of a class: clang counts `this`, which such a function does not have.
    pub fn without_this(&self, signature: &Signature, layout: &DataLayout) -> Option<VariantName> {
        let counted = self.params.len() == signature.params.len() + 1 && !signature.varargs;
        let this = self.params.first() == Some(&(ParamKind::Vector, None));
        if !counted || !this || !self.base.starts_with("_ZN") {
            return None;
        }
        let shifted = |step| match step {
            Step::Param(position) => Step::Param(position.saturating_sub(1)),
            constant => constant,
        };
        let params = self.params[1..].iter().map(|&(kind, align)| match kind {
            ParamKind::Linear(step) => (ParamKind::Linear(shifted(step)), align),
            ParamKind::LinearReference(letter, step) => {
                (ParamKind::LinearReference(letter, shifted(step)), align)
            }
            kind => (kind, align),
        });
        let mut name = VariantName { params: params.collect(), ..self.clone() };
        // Without a result, `this` also decided how many lanes there are.
        let pointers = register_bits(self.isa, true) / 64;
        if signature.ret == Type::Void && self.lanes == Some(pointers) && self.isa.is_x86() {
            let Type::Scalar(scalar) = name.characteristic(signature) else { return None };
            let float = matches!(scalar, Scalar::Float(_));
            let bits = layout.scalar_bits(scalar).max(8);
            name.lanes = Some(register_bits(self.isa, float) / bits);
        }
        Some(name)
    }

    /// The name that gcc gives to a variant with `aligned(p)`: it takes no notice of a clause without a number, where clang takes the
    /// alignment of the target's vectors.
    pub fn without_alignment(&self, default: u64) -> Option<VariantName> {
        let kept = |&(kind, align): &(ParamKind, Option<u64>)| {
            (kind, align.filter(|&align| align != default))
        };
        let name = VariantName { params: self.params.iter().map(kept).collect(), ..self.clone() };
        (name != *self).then_some(name)
    }

    /// The names that gcc gives to a variant with constant steps of numbers narrower than 64 bits: it takes a step as a number of the
    /// parameter's type (`l255` or `ln1` for a byte), clang as it is written. LLVM's types do not tell numbers with a sign from others, so
    /// these are the names for both, without this one.
    pub fn with_steps_of_gcc(&self, signature: &Signature) -> Vec<VariantName> {
        let mut all = vec![self.clone()];
        for (i, &(kind, align)) in self.params.iter().enumerate() {
            let bits = signature.params.get(i).and_then(|ty| ty.int_bits()).unwrap_or(64);
            let ParamKind::Linear(Step::Constant(step)) = kind else { continue };
            if !(8..64).contains(&bits) {
                continue;
            }
            let unsigned = step & ((1 << bits) - 1);
            let signed = step << (64 - bits) >> (64 - bits);
            let both = [Some(unsigned), Some(signed).filter(|&signed| signed != unsigned)];
            let others: Vec<VariantName> = both
                .into_iter()
                .flatten()
                .filter(|&other| other != step && other != 0)
                .flat_map(|step| {
                    all.iter().map(move |name| {
                        let mut name = name.clone();
                        name.params[i] = (ParamKind::Linear(Step::Constant(step)), align);
                        name
                    })
                })
                .collect();
            all.extend(others);
        }
        all.split_off(1)
    }

    /// The variant to call whoever made it, of those that clang names for a function: where it takes no notice of the size of
    /// registers, and `simdlen` does not say how many lanes there are, that of gcc.
    pub fn to_call(
        &self,
        named: &[VariantName],
        signature: &Signature,
        layout: &DataLayout,
    ) -> VariantName {
        // With `simdlen` there are as many lanes for each kind of register.
        let for_sse = VariantName { isa: Isa::Sse, ..self.clone() };
        match self.for_gcc(signature, layout) {
            Some(theirs) if !named.contains(&for_sse) => theirs,
            _ => self.clone(),
        }
    }
}

impl std::str::FromStr for VariantName {
    type Err = String;

    fn from_str(text: &str) -> Result<VariantName, String> {
        let wrong = || format!("`{text}` is not the name of a vector variant");
        let rest = text.strip_prefix("_ZGV").ok_or_else(wrong)?;
        let (signature, base) = rest.split_once('_').ok_or_else(wrong)?;
        let mut letters = Letters { text: signature };
        let isa = letters.next().and_then(|c| Isa::LETTERS.iter().find(|&&(l, _)| l == c));
        let &(_, isa) = isa.ok_or_else(wrong)?;
        let masked = match letters.next() {
            Some('M') => true,
            Some('N') => false,
            _ => return Err(wrong()),
        };
        let lanes = match letters.number() {
            Some(lanes) => Some(u32::try_from(lanes).ok().filter(|&n| n > 0).ok_or_else(wrong)?),
            None if letters.take('x') => None,
            None => return Err(wrong()),
        };
        let mut params = Vec::new();
        while let Some(letter) = letters.next() {
            let kind = match letter {
                'v' => ParamKind::Vector,
                'u' => ParamKind::Uniform,
                'l' => ParamKind::Linear(letters.step().ok_or_else(wrong)?),
                'R' | 'L' | 'U' => {
                    ParamKind::LinearReference(letter, letters.step().ok_or_else(wrong)?)
                }
                _ => return Err(wrong()),
            };
            let align = match letters.take('a') {
                true => Some(letters.number().filter(|n| n.is_power_of_two()).ok_or_else(wrong)?),
                false => None,
            };
            params.push((kind, align));
        }
        if base.is_empty() {
            return Err(wrong());
        }
        Ok(VariantName { isa, masked, lanes, params, base: base.into() })
    }
}

impl fmt::Display for VariantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "_ZGV{}{}", self.isa.letter(), if self.masked { 'M' } else { 'N' })?;
        match self.lanes {
            Some(lanes) => write!(f, "{lanes}")?,
            None => write!(f, "x")?,
        }
        for &(kind, align) in &self.params {
            let (letter, step) = match kind {
                ParamKind::Vector => ('v', Step::Constant(1)),
                ParamKind::Uniform => ('u', Step::Constant(1)),
                ParamKind::Linear(step) => ('l', step),
                ParamKind::LinearReference(letter, step) => (letter, step),
            };
            write!(f, "{letter}")?;
            match step {
                Step::Constant(1) => {}
                Step::Constant(step) if step < 0 => write!(f, "n{}", step.unsigned_abs())?,
                Step::Constant(step) => write!(f, "{step}")?,
                Step::Param(position) => write!(f, "s{position}")?,
            }
            if let Some(align) = align {
                write!(f, "a{align}")?;
            }
        }
        write!(f, "_{}", self.base)
    }
}

/// What is left to read.
struct Letters<'a> {
    text: &'a str,
}

impl Letters<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.text.chars().next()?;
        self.text = &self.text[letter.len_utf8()..];
        Some(letter)
    }

    fn take(&mut self, letter: char) -> bool {
        let rest = self.text.strip_prefix(letter);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn number(&mut self) -> Option<u64> {
        let end = self.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.text.len());
        let number = self.text[..end].parse().ok()?;
        self.text = &self.text[end..];
        Some(number)
    }

    fn step(&mut self) -> Option<Step> {
        if self.take('s') {
            return Some(Step::Param(u32::try_from(self.number()?).ok()?));
        }
        let negative = self.take('n');
        match self.number() {
            Some(step) if negative => 0i64.checked_sub_unsigned(step).map(Step::Constant),
            Some(step) => i64::try_from(step).ok().map(Step::Constant),
            None if negative => None,
            None => Some(Step::Constant(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_and_write() {
        for text in [
            "_ZGVbN4vv_f",
            "_ZGVcM4ua32lv_g",
            "_ZGVeM8ls1uv_h",
            "_ZGVdN8ln4R8L2Uuv_with_underscores",
            "_ZGVsMxv_scalable",
            "_ZGVnN2v_neon",
            "_ZGVbN4_nothing",
            "_ZGVbN4ln9223372036854775808_as_far_as_it_goes",
        ] {
            let name: VariantName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn static_member_functions_have_no_this() {
        let named = |name: &str, signature: Signature| {
            let name: VariantName = name.parse().unwrap();
            name.without_this(&signature, &DataLayout::default()).map(|name| name.to_string())
        };
        let of = |ret, params: &[Type]| Signature { ret, params: params.into(), varargs: false };
        let int = of(Type::I32, &[Type::I32]);
        assert_eq!(named("_ZGVbN4vv__ZN1C1hEi", int.clone()).unwrap(), "_ZGVbN4v__ZN1C1hEi");
        assert_eq!(named("_ZGVbN4v__ZN1C1hEi", int.clone()), None);
        assert_eq!(named("_ZGVbN4vv_h", int), None);
        let store = of(Type::Void, &[Type::I32, Type::I32]);
        let stepped = named("_ZGVdN4vls2u__ZN1C1hEii", store.clone()).unwrap();
        assert_eq!(stepped, "_ZGVdN8ls1u__ZN1C1hEii");
        assert_eq!(named("_ZGVcM4vvu__ZN1C1hEii", store).unwrap(), "_ZGVcM4vu__ZN1C1hEii");
    }

    #[test]
    fn gcc_takes_no_notice_of_alignments_without_a_number() {
        let name: VariantName = "_ZGVbN4va16ua32v_f".parse().unwrap();
        assert_eq!(name.without_alignment(16).unwrap().to_string(), "_ZGVbN4vua32v_f");
        assert_eq!(name.without_alignment(64), None);
    }

    #[test]
    fn gcc_takes_steps_as_numbers_of_the_type() {
        let named = |name: &str, params: &[Type]| -> Vec<String> {
            let name: VariantName = name.parse().unwrap();
            let signature = Signature { ret: Type::I32, params: params.into(), varargs: false };
            name.with_steps_of_gcc(&signature).iter().map(VariantName::to_string).collect()
        };
        assert_eq!(named("_ZGVbN4ln1v_f", &[Type::I8, Type::I32]), ["_ZGVbN4l255v_f"]);
        assert_eq!(named("_ZGVbN4ln3_f", &[Type::I32]), ["_ZGVbN4l4294967293_f"]);
        assert_eq!(named("_ZGVbN4l200_f", &[Type::I8]), ["_ZGVbN4ln56_f"]);
        assert_eq!(named("_ZGVbN4l300_f", &[Type::I8]), ["_ZGVbN4l44_f"]);
        assert_eq!(
            named("_ZGVbN4ln1ln2_f", &[Type::I8, Type::I16]),
            ["_ZGVbN4l255ln2_f", "_ZGVbN4ln1l65534_f", "_ZGVbN4l255l65534_f"]
        );
        let own = [Type::I32, Type::I64, Type::PTR, Type::I32];
        assert!(named("_ZGVbN4l3ln1ln4ls1_f", &own).is_empty());
        assert!(named("_ZGVbN4l256_f", &[Type::I8]).is_empty());
    }

    #[test]
    fn what_is_no_name_is_an_error() {
        for text in [
            "f",
            "_ZGV",
            "_ZGVb",
            "_ZGVbN",
            "_ZGVbN4",
            "_ZGVbN4v",
            "_ZGVbN4v_",
            "_ZGVzN4v_f",
            "_ZGVbX4v_f",
            "_ZGVbN0v_f",
            "_ZGVbN4w_f",
            "_ZGVbN4va3_f",
            "_ZGVbN4va_f",
            "_ZGVbN4ln_f",
            "_ZGVbN4ls_f",
            "_ZGVbN99999999999v_f",
            "_ZGVbN4l9223372036854775808_f",
            "_ZGVbN4ln9223372036854775809_f",
        ] {
            assert!(text.parse::<VariantName>().is_err(), "{text}");
        }
    }
}
