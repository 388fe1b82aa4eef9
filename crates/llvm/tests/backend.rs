//! Passes, targets, objects and the JIT.

use lw_llvm::{Context, Error, FileKind, Host, Jit, OptLevel, TargetMachine};

const SUM: &str = "
define void @sum(ptr %p) {
  %slot = alloca i32
  %a = load i32, ptr %p
  store i32 %a, ptr %slot
  %q = getelementptr i32, ptr %p, i64 1
  %b = load i32, ptr %q
  %a2 = load i32, ptr %slot
  %s = add i32 %a2, %b
  %r = getelementptr i32, ptr %p, i64 2
  store i32 %s, ptr %r
  ret void
}
define double @uses_libm(double %x) { %y = call double @sin(double %x) ret double %y }
declare double @sin(double)
";

#[test]
fn passes_run_by_text() {
    let context = Context::new();
    let mut module = context.parse_module(SUM.as_bytes(), "sum").unwrap();
    module.run_passes("function(mem2reg)", None).unwrap();
    assert!(!module.to_text().contains("alloca"));
    let error = module.run_passes("no-such-pass", None).unwrap_err();
    assert!(matches!(&error, Error::Llvm(m) if m.contains("no-such-pass")), "{error}");
}

#[test]
fn code_is_generated_for_other_machines() {
    let context = Context::new();
    for (triple, cpu, sign) in [
        ("aarch64-linux-gnu", "", "ldp\tw"),
        ("x86_64-linux-gnu", "x86-64-v3", "addl"),
        ("nvptx64-nvidia-cuda", "sm_70", ".visible .func sum"),
    ] {
        let mut module = context.parse_module(SUM.as_bytes(), "sum").unwrap();
        let target = TargetMachine::new(triple, cpu, "", OptLevel::Default).unwrap();
        module.run_passes("default<O2>", Some(&target)).unwrap();
        let text =
            String::from_utf8(target.generate(&mut module, FileKind::Assembly).unwrap()).unwrap();
        assert!(text.contains(sign), "{triple}: {text}");
    }
    let error = TargetMachine::new("nowhere-none", "", "", OptLevel::None).err().unwrap();
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[test]
fn code_runs_here() {
    let context = Context::new();
    let mut module = context.parse_module(SUM.as_bytes(), "sum").unwrap();
    let target = TargetMachine::host(OptLevel::Default).unwrap();
    let mut jit = Jit::new().unwrap();
    jit.add(&mut module, &target).unwrap();
    let mut memory: Vec<u8> = [40i32, 2, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    // SAFETY: `sum` is `void (ptr)` and touches three integers.
    unsafe { jit.call_packed("sum", &mut memory).unwrap() };
    assert_eq!(memory[8..], 42i32.to_le_bytes());
    assert_ne!(jit.address("uses_libm").unwrap(), 0);
    assert!(jit.address("absent").unwrap_err().to_string().contains("absent"));
    assert!(!Host::detect().cpu.is_empty());
}
