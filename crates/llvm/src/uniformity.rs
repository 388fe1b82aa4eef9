//! What LLVM's UniformityInfo says of a module on a GPU, and how long it takes, to compare ours with.

use crate::ffi;
use crate::module::Module;
use crate::target::TargetMachine;
use std::time::Duration;

/// How long UniformityInfo takes for a function.
#[derive(Clone, Copy, Debug)]
pub struct UniformityTime {
    /// The instructions of the function.
    pub instructions: u64,
    /// The analysis itself, given the others.
    pub took: Duration,
    /// The dominator tree.
    pub dominators: Duration,
    /// The cycles.
    pub cycles: Duration,
}

/// What UniformityInfo says of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleVerdict {
    /// The position of its header in the function.
    pub header: u32,
    /// Threads leave it in different iterations.
    pub left: bool,
    /// All in it is taken to be divergent: an irreducible cycle that threads enter differently.
    pub assumed: bool,
}

/// What UniformityInfo says of a function.
#[derive(Clone, Debug)]
pub struct Uniformity {
    /// Whether a parameter is divergent; then, block by block, whether the result of an instruction is, or, if it is the
    /// terminator, whether threads part there.
    pub divergent: Vec<bool>,
    /// The cycles.
    pub cycles: Vec<CycleVerdict>,
    /// What `print<uniformity>` prints below the name of the function.
    pub text: String,
}

/// How LLVM prints what a function consists of, in its analyses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionTexts {
    /// Its name.
    pub name: String,
    /// Its parameters: `i32 %n`.
    pub params: Vec<String>,
    /// The name or number of each block, and its instructions as LLVM indents them.
    pub blocks: Vec<(String, Vec<String>)>,
}

impl Module<'_> {
    /// How LLVM prints each function that has a body, piece by piece, in order.
    pub fn function_texts(&self) -> Vec<FunctionTexts> {
        let (mut text, mut lengths, mut counts) =
            (std::ptr::null(), std::ptr::null(), std::ptr::null());
        // SAFETY: the module is alive; the answers are copied before they are freed, once.
        unsafe {
            let texts = ffi::lw_texts(self.raw());
            let count = ffi::lw_texts_text(texts, &mut text);
            let mut text = ffi::slice(text, count);
            let count = ffi::lw_texts_lengths(texts, &mut lengths);
            let mut lengths = ffi::slice(lengths, count).iter();
            let count = ffi::lw_texts_counts(texts, &mut counts);
            let mut counts = ffi::slice(counts, count).iter().map(|&count| count as usize);
            let mut piece = || {
                let length = lengths.next().map_or(0, |&length| length as usize);
                let (own, rest) = text.split_at(length.min(text.len()));
                text = rest;
                String::from_utf8_lossy(own).into_owned()
            };
            let mut functions = Vec::new();
            while let Some(params) = counts.next() {
                let blocks = counts.next().unwrap_or(0);
                functions.push(FunctionTexts {
                    name: piece(),
                    params: (0..params).map(|_| piece()).collect(),
                    blocks: (0..blocks)
                        .map(|_| {
                            let insts = counts.next().unwrap_or(0);
                            (piece(), (0..insts).map(|_| piece()).collect())
                        })
                        .collect(),
                });
            }
            ffi::lw_texts_free(texts);
            functions
        }
    }

    /// Runs UniformityInfo for each function that has a body, in order, `repeat` times; the least times count.
    pub fn uniformity_times(&self, machine: &TargetMachine, repeat: u32) -> Vec<UniformityTime> {
        let mut times = vec![ffi::UniformityTime::default(); self.raw_functions().len()];
        // SAFETY: module and target are alive; the table is as long as we say.
        let count = unsafe {
            let (out, size) = (times.as_mut_ptr(), times.len());
            ffi::lw_uniformity_times(self.raw(), machine.raw(), repeat, out, size)
        };
        times.truncate(count);
        let time = |time: &ffi::UniformityTime| UniformityTime {
            instructions: time.instructions,
            took: Duration::from_nanos(time.nanoseconds),
            dominators: Duration::from_nanos(time.dominators),
            cycles: Duration::from_nanos(time.cycles),
        };
        times.iter().map(time).collect()
    }

    /// Asks UniformityInfo about each function that has a body, in order.
    pub fn uniformity(&self, machine: &TargetMachine) -> Vec<Uniformity> {
        let (mut divergent, mut cycles) = (std::ptr::null(), std::ptr::null());
        let (mut functions, mut text) = (std::ptr::null(), std::ptr::null());
        // SAFETY: module and target are alive; the answers are copied before they are freed, once.
        unsafe {
            let all = ffi::lw_uniformity(self.raw(), machine.raw());
            let count = ffi::lw_uniformity_divergent(all, &mut divergent);
            let mut divergent = ffi::slice(divergent, count).iter().map(|&byte| byte != 0);
            let count = ffi::lw_uniformity_cycles(all, &mut cycles);
            let mut cycles = ffi::slice(cycles, count).iter().map(|cycle| CycleVerdict {
                header: cycle.header,
                left: cycle.left,
                assumed: cycle.assumed,
            });
            let count = ffi::lw_uniformity_text(all, &mut text);
            let mut text = ffi::slice(text, count);
            let count = ffi::lw_uniformity_functions(all, &mut functions);
            let functions = ffi::slice(functions, count).iter().map(|of| {
                let (own, rest) = text.split_at(of.text as usize);
                text = rest;
                Uniformity {
                    divergent: divergent.by_ref().take(of.divergent as usize).collect(),
                    cycles: cycles.by_ref().take(of.cycles as usize).collect(),
                    text: String::from_utf8_lossy(own).into_owned(),
                }
            });
            let answer = functions.collect();
            ffi::lw_uniformity_free(all);
            answer
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, OptLevel, TargetMachine};

    #[test]
    fn a_loop_left_by_thread_number() {
        let text = b"define ptx_kernel i32 @f(i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %tid
  br i1 %c, label %loop, label %end
end:
  ret i32 %n
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()";
        let context = Context::new();
        let module = context.parse_module(text, "test").expect("it is well-formed");
        let machine = TargetMachine::new("nvptx64-nvidia-cuda", "", "", OptLevel::Default)
            .expect("LLVM has the target");
        let verdicts = module.uniformity(&machine);
        assert_eq!(verdicts.len(), 1);
        // n; tid, br; i, next, c, br; ret.
        let expected = [false, true, false, false, false, true, true, false];
        assert_eq!(verdicts[0].divergent, expected);
        assert_eq!(verdicts[0].cycles.len(), 1);
        assert!(verdicts[0].cycles[0].left && verdicts[0].cycles[0].header == 1);
        assert!(verdicts[0].text.contains("CYCLES WITH DIVERGENT EXIT"));
        let texts = module.function_texts();
        assert_eq!((texts.len(), texts[0].name.as_str()), (1, "f"));
        assert_eq!(texts[0].params, ["i32 %n"]);
        assert_eq!(texts[0].blocks[1].0, "loop");
        assert_eq!(texts[0].blocks[1].1[1], "  %next = add i32 %i, 1");
        let times = module.uniformity_times(&machine, 2);
        assert_eq!((times.len(), times[0].instructions), (1, 7));
    }
}
