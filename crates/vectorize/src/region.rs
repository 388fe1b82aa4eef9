//! What is vectorized, and for which threads.

use crate::calls::Calls;
use crate::decline::Declined;
use crate::worth::{Boscc, Likelihoods, Times};
use lw_divergence::{Options, Sources, Stride};
use lw_ir::types::{Scalar, Type};
use lw_ir::{DataLayout, Function};
use std::sync::Arc;

/// A single-entry set of blocks, the shapes of its inputs, and the number W of threads.
///
/// Today the blocks are those of a whole function. Its parameters are the inputs; a parameter that is uniform or strided stays
/// scalar (the value of thread 0), others become vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// The number W of threads, which become the lanes of vectors.
    pub width: u32,
    /// The shapes of the parameters; those that are missing are varying.
    pub params: Vec<Stride>,
    /// Whether the result must be the same on all threads and stays scalar.
    pub uniform_result: bool,
    /// Whether the vector function takes a mask of the threads that take part, as its last parameter.
    pub masked: bool,
    /// Where BOSCC gadgets are put (001 §9.2).
    pub boscc: Boscc,
    /// What is known of branches.
    pub likelihoods: Likelihoods,
    /// How long instructions take all lanes together, as far as that is known.
    pub times: Times,
    /// What calls become.
    pub calls: Arc<Calls>,
    /// Sizes and alignments.
    pub layout: DataLayout,
}

impl Region {
    /// All parameters varying.
    pub fn new(width: u32, layout: DataLayout) -> Region {
        Region {
            width,
            params: Vec::new(),
            uniform_result: false,
            masked: false,
            boscc: Boscc::Never,
            likelihoods: Likelihoods::default(),
            times: Times::default(),
            calls: Arc::default(),
            layout,
        }
    }

    /// The shape of a parameter.
    pub fn param(&self, position: usize) -> Stride {
        self.params.get(position).copied().unwrap_or(Stride::varying_aligned(1))
    }

    /// Where divergence starts.
    pub fn sources(&self) -> Sources<Stride> {
        Sources::params(self.params.iter().copied())
    }

    /// How the region is analysed.
    pub fn options(&self) -> Options {
        Options {
            threads: Some(self.width),
            layout: Some(self.layout.clone()),
            // What an equality says is lost when its branch is folded.
            equalities: false,
            // Nobody asks why.
            causes: false,
            ..Options::default()
        }
    }

    /// Reads shapes: `u` uniform, `v` varying, `s2` with a stride of two (no integer wraps around, as a signed number), `c` with a stride of one (of the size in bytes of `pointee`
    /// where it is a pointer), `a32` behind any of them for the alignment of the first thread's value in bytes, and behind `->` the
    /// result.
    ///
    /// # Errors
    /// A message that names the shape.
    pub fn read_shapes(mut self, function: &Function, text: &str) -> Result<Region, String> {
        let (params, result) = match text.split_once("->") {
            Some((params, result)) => (params, Some(result.trim())),
            None => (text, None),
        };
        let words: Vec<&str> = params.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
        let types = &function.signature.params;
        if words.len() != types.len() {
            let (have, want) = (words.len(), types.len());
            return Err(format!("{have} shapes for the {want} parameters of {}", function.name));
        }
        self.params = words
            .iter()
            .zip(types.iter())
            .map(|(word, &ty)| self.read_shape(word, ty))
            .collect::<Result<_, _>>()?;
        self.uniform_result = match result {
            None | Some("v") => false,
            Some("u") => true,
            Some(other) => return Err(format!("the result is `u` or `v`, not `{other}`")),
        };
        Ok(self)
    }

    fn read_shape(&self, word: &str, ty: Type) -> Result<Stride, String> {
        let wrong = |why: &str| Err(format!("the shape `{word}`: {why}"));
        let (kind, align) = match word.split_once('a') {
            Some((kind, align)) if align.bytes().all(|b| b.is_ascii_digit()) => {
                match align.parse::<u64>() {
                    Ok(align) if align.is_power_of_two() => (kind, align),
                    _ => return wrong("an alignment is a power of two"),
                }
            }
            _ => (word, 1),
        };
        let bits = match ty {
            Type::Scalar(Scalar::Int(bits)) if bits <= 64 => Some(bits),
            Type::Scalar(Scalar::Ptr(space)) => Some(self.layout.pointer_bits(space)),
            _ => None,
        };
        let stride = match kind {
            "u" => 0,
            "v" => return Ok(Stride::varying_aligned(align)),
            "" if word.starts_with('a') => 0,
            "c" => 1,
            _ => match kind.strip_prefix('s').map(str::parse::<i64>) {
                Some(Ok(stride)) => stride,
                _ => return wrong("shapes are u, v, c, sN and aN"),
            },
        };
        // Lanes that are further apart than the type has values would meet.
        let span = u128::from(stride.unsigned_abs()) * u128::from(self.width.saturating_sub(1));
        if let Some(bits) = bits.filter(|&bits| span >> bits != 0) {
            let width = self.width;
            return wrong(&format!("{width} lanes with this stride do not fit {bits} bits"));
        }
        match bits {
            _ if stride == 0 => Ok(Stride::uniform_aligned(align)),
            Some(bits) if ty.is_ptr() => Ok(Stride::strided(bits, stride, align, Some(self.width))),
            Some(bits) => Ok(Stride::exact(bits, stride, align)),
            None => wrong("only integers of at most 64 bits and pointers have a stride"),
        }
    }
}

/// Whether the region promises something its code does not keep.
pub(crate) fn check_width(region: &Region) -> Result<(), Declined> {
    match region.width {
        1..=4096 => Ok(()),
        width => {
            Err(Declined::region(format!("a width of {width}"), "widths are between 1 and 4096"))
        }
    }
}
