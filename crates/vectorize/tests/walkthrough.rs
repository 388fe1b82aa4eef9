//! Figures of 001 chapter 3, which walks through the vectorizer, and those of chapters 8 and 9 that whole programs show.

use lw_ir::interp::{Machine, Run, Semantics, Val};
use lw_ir::{Module, Op, parse_module};
use lw_vectorize::loops::{LoopOptions, vectorize_loop};
use lw_vectorize::{Boscc, Pipeline, Region, Stage, Statistics, vectorize};

/// Vectorizes the loop `%loop` of `@f` for four lanes, runs both functions on the same memory for some `n`; the text, and what was done.
fn four_lanes(text: &str) -> (String, Statistics) {
    let scalar = parse_module(text).unwrap();
    let f = &scalar.functions[0];
    let named = |&&b: &&lw_ir::Block| f.block_name(b).and_then(|n| n.as_str()) == Some("loop");
    let header = *f.blocks().iter().find(named).unwrap();
    let options = LoopOptions::new(4, scalar.layout.clone());
    let (function, statistics) = vectorize_loop(f, header, &options).unwrap();
    let mut vector = scalar.clone();
    vector.functions[0] = function;
    let data: Vec<u8> = (0..128u32).flat_map(|i| f64::from(i * 37 % 19).to_le_bytes()).collect();
    let run = |module: &Module, n: i64| {
        let mut machine = Machine::new(module);
        let memory = machine.alloc_buffer(&data).unwrap();
        machine.run("f", &[vec![Val::Ptr(memory), Val::i64(n)]], &Run::default()).unwrap();
        machine.read_bytes(memory, data.len() as u64).unwrap()
    };
    for n in [0, 1, 4, 5, 18, 31] {
        assert_eq!(run(&vector, n), run(&scalar, n), "n = {n}");
    }
    (vector.functions[0].to_string(), statistics)
}

/// Vectorizes `@f`. After linearization, threads that forget what they do not take part in compute what threads on their own do.
fn lanes(text: &str, shapes: &str, args: &[Vec<Val>], boscc: bool) -> (Pipeline, Statistics) {
    let mut module = parse_module(text).unwrap();
    let region = Region::new(args.len() as u32, module.layout.clone());
    let mut region = region.read_shapes(&module.functions[0], shapes).unwrap();
    region.boscc = if boscc { Boscc::Always } else { Boscc::Never };
    let (_, statistics) = vectorize(&module.functions[0], &region).unwrap();
    let mut pipeline = Pipeline::new(&module.functions[0], &region).unwrap();
    let wanted = threads(&module, args, Semantics::default());
    for stage in Stage::ALL.into_iter().take_while(|&stage| stage <= Stage::Linearize) {
        pipeline.run(stage).unwrap();
    }
    module.functions[0] = pipeline.function.clone();
    assert_eq!(threads(&module, args, Semantics::Oblivious), wanted);
    (pipeline, statistics)
}

fn threads(module: &Module, args: &[Vec<Val>], semantics: Semantics) -> Vec<Val> {
    let run = Run { threads: args.len(), semantics, ..Run::default() };
    Machine::new(module).run("f", args, &run).unwrap().values()
}

fn count(pipeline: &Pipeline, what: impl Fn(&lw_ir::InstData) -> bool) -> usize {
    let f = &pipeline.function;
    f.all_insts().filter(|&(_, inst)| what(&f[inst])).count()
}

#[test]
fn fig_3_1_widening_a_loop_of_four_iterations() {
    let (text, statistics) = four_lanes(
        "func @f(ptr %A, i64 %n) -> void {
         entry:
           %B = getelementptr double, ptr %A, i64 40
           %C = getelementptr double, ptr %A, i64 80
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %loop ]
           %pb = getelementptr double, ptr %B, i64 %i
           %b = load double, ptr %pb, align 8
           %pc = getelementptr double, ptr %C, i64 %i
           %c = load double, ptr %pc, align 8
           %a = fadd double %b, %c
           %pa = getelementptr double, ptr %A, i64 %i
           store double %a, ptr %pa, align 8
           %next = add i64 %i, 1
           %more = icmp slt i64 %next, 4
           br i1 %more, label %loop, label %end
         end:
           ret void
         }",
    );
    assert_eq!((statistics.widened.contiguous, statistics.widened.gathers), (3, 0));
    assert_eq!(text.matches("load <4 x double>").count(), 2, "{text}");
    assert_eq!(text.matches("fadd <4 x double>").count(), 1, "{text}");
    assert_eq!(text.matches("store <4 x double>").count(), 1, "{text}");
}

#[test]
fn fig_3_2_strip_mining() {
    let (text, statistics) = four_lanes(
        "func @f(ptr %A, i64 %n) -> void {
         entry:
           %B = getelementptr double, ptr %A, i64 80
           %m = and i64 %n, 3
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %out ]
           %more = icmp slt i64 %i, %n
           br i1 %more, label %body, label %end
         body:
           br label %inner
         inner:
           %j = phi i64 [ 0, %body ], [ %jn, %add ]
           %a = phi double [ 0.0, %body ], [ %t, %add ]
           %go = icmp slt i64 %j, %m
           br i1 %go, label %add, label %out
         add:
           %row = mul i64 %j, %m
           %at = add i64 %row, %i
           %p = getelementptr double, ptr %A, i64 %at
           %v = load double, ptr %p, align 8
           %t = fadd double %a, %v
           %jn = add i64 %j, 1
           br label %inner
         out:
           %q = getelementptr double, ptr %B, i64 %i
           store double %a, ptr %q, align 8
           %next = add i64 %i, 1
           br label %loop
         end:
           ret void
         }",
    );
    // The loop over j and its counter stay as they are.
    assert_eq!((statistics.divergent_loops, statistics.folded_branches), (0, 0));
    assert_eq!((statistics.widened.contiguous, statistics.widened.gathers), (2, 0));
    assert!(text.contains("phi <4 x double>"), "{text}");
    assert!(!text.contains("icmp slt <4 x i64>"), "{text}");
    // The remainder loop.
    assert!(text.contains("load double, ptr"), "{text}");
}

#[test]
fn fig_3_4_uniform_branches_stay() {
    let (text, statistics) = four_lanes(
        "func @f(ptr %A, i64 %n) -> void {
         entry:
           %B = getelementptr double, ptr %A, i64 8
           %C = getelementptr double, ptr %A, i64 40
           br label %loop
         loop:
           %i = phi i64 [ 0, %entry ], [ %next, %out ]
           br label %inner
         inner:
           %k = phi i64 [ 0, %loop ], [ %kn, %again ]
           %a = phi double [ 0.0, %loop ], [ %a2, %again ]
           %go = icmp slt i64 %k, 5
           br i1 %go, label %test, label %out
         test:
           %pb = getelementptr double, ptr %B, i64 %k
           %b = load double, ptr %pb, align 8
           %p = fcmp ogt double %b, 9.0
           br i1 %p, label %then, label %again
         then:
           %row = mul i64 %k, 4
           %at = add i64 %row, %i
           %pc = getelementptr double, ptr %C, i64 %at
           %d = load double, ptr %pc, align 8
           %sum = fadd double %a, %d
           br label %again
         again:
           %a2 = phi double [ %a, %test ], [ %sum, %then ]
           %kn = add i64 %k, 1
           br label %inner
         out:
           %pa = getelementptr double, ptr %A, i64 %i
           store double %a, ptr %pa, align 8
           %next = add i64 %i, 1
           %more = icmp slt i64 %next, 4
           br i1 %more, label %loop, label %end
         end:
           ret void
         }",
    );
    assert_eq!(statistics.folded_branches, 0);
    assert_eq!((statistics.widened.uniform, statistics.widened.contiguous), (1, 2), "{text}");
    assert!(!text.contains("llvm.masked"), "{text}");
}

#[test]
fn fig_3_5_a_branch_stays_if_it_is_uniform() {
    let text = "func @f(i32 %x, i1 %p) -> i32 {
        A:
          br i1 %p, label %B, label %C
        B:
          %b = add i32 %x, 1
          br label %end
        C:
          %c = mul i32 %x, 3
          br label %end
        end:
          %r = phi i32 [ %b, %B ], [ %c, %C ]
          ret i32 %r
        }";
    let args = |p: [bool; 4]| -> Vec<Vec<Val>> {
        p.iter().zip(5..).map(|(&p, x)| vec![Val::i32(x), Val::bool(p)]).collect()
    };
    let (_, same) = lanes(text, "v, u -> v", &args([true; 4]), false);
    assert_eq!((same.kept_branches, same.folded_branches), (1, 0));
    let (_, varying) = lanes(text, "v, v -> v", &args([true, false, false, true]), false);
    assert_eq!((varying.kept_branches, varying.folded_branches), (0, 1));
}

const MY_POW: &str = "func @f(float %x, i32 %y) -> float {
    entry:
      %negative = icmp slt i32 %y, 0
      %minus = sub i32 0, %y
      %start = select i1 %negative, i32 %minus, i32 %y
      br label %loop
    loop:
      %abs = phi i32 [ %start, %entry ], [ %less, %body ]
      %accu = phi float [ 1.0, %entry ], [ %product, %body ]
      %more = icmp sgt i32 %abs, 1
      br i1 %more, label %body, label %behind
    body:
      %product = fmul float %accu, %x
      %less = sub i32 %abs, 1
      br label %loop
    behind:
      br i1 %negative, label %invert, label %end
    invert:
      %inverse = fdiv float 1.0, %accu
      br label %end
    end:
      %result = phi float [ %accu, %behind ], [ %inverse, %invert ]
      ret float %result
    }";

#[test]
fn fig_3_8_a_function_with_a_uniform_argument() {
    let module = parse_module(MY_POW).unwrap();
    let region = Region::new(4, module.layout.clone());
    let region = region.read_shapes(&module.functions[0], "v, u -> v").unwrap();
    let (vector, statistics) = vectorize(&module.functions[0], &region).unwrap();
    assert_eq!((statistics.kept_branches, statistics.folded_branches), (2, 0));
    assert_eq!(statistics.divergent_loops, 0);
    let text = vector.to_string();
    assert!(text.contains("(<4 x float> %x, i32 %y) -> <4 x float>"), "{text}");
    assert!(text.contains("fmul <4 x float>") && text.contains("fdiv <4 x float>"), "{text}");
    for y in [-3, 0, 1, 4] {
        let args: Vec<Vec<Val>> =
            [1.5, -2.0, 0.25, 3.0].iter().map(|&x| vec![Val::f32(x), Val::i32(y)]).collect();
        lanes(MY_POW, "v, u -> v", &args, false);
    }
}

#[test]
fn fig_3_14_only_the_divergent_branch_is_folded() {
    let text = "func @f(i1 %p, i1 %q) -> i32 {
        A:
          br i1 %p, label %B, label %D
        B:
          br i1 %q, label %C, label %D
        C:
          br label %D
        D:
          %x = phi i32 [ 1, %A ], [ 2, %B ], [ 3, %C ]
          ret i32 %x
        }";
    for p in [false, true] {
        let args: Vec<Vec<Val>> =
            [true, false].iter().map(|&q| vec![Val::bool(p), Val::bool(q)]).collect();
        let (pipeline, statistics) = lanes(text, "u, v -> v", &args, false);
        assert_eq!((statistics.kept_branches, statistics.folded_branches), (1, 1));
        // All that comes to the φ is uniform, and it is not: q has become its operand.
        assert_eq!(count(&pipeline, |data| data.op == Op::Select), 1);
    }
}

#[test]
fn fig_3_15_masks_are_computed_by_total_instructions() {
    let text = "func @f(i1 %p, i1 %q) -> i32 {
        A:
          br i1 %p, label %C, label %B
        B:
          br i1 %q, label %C, label %D
        C:
          br label %D
        D:
          %x = phi i32 [ 1, %B ], [ 2, %C ]
          ret i32 %x
        }";
    let args: Vec<Vec<Val>> = [(true, true), (true, false), (false, true), (false, false)]
        .iter()
        .map(|&(p, q)| vec![Val::bool(p), Val::bool(q)])
        .collect();
    let (pipeline, statistics) = lanes(text, "v, v -> v", &args, false);
    assert_eq!((statistics.kept_branches, statistics.folded_branches), (0, 2));
    let f = &pipeline.function;
    let predicates = f.blocks().iter().filter_map(|&b| f.predicate(b));
    for predicate in predicates {
        if let Some(inst) = f.def_inst(predicate) {
            assert!(f[inst].total, "{}", f.display_inst(inst));
        }
    }
    // Not p, the edge from B to C, and the mask of C.
    assert!(count(&pipeline, |data| data.total) >= 3, "{f}");
}

fn square_root(guard: &str, skip: &str) -> String {
    format!(
        "func @f(float %d0) -> float {{
         A:
           %negative = fcmp olt float %d0, 0.0
           %nan = fdiv float 0.0, 0.0
           %d = select i1 %negative, float %nan, float %d0
           %up = fcmp olt float %d, 0x3B50000000000000
           %down = fcmp ogt float %d, 0x43F0000000000000
           {guard}
         B:
           br i1 %up, label %C, label %D
         C:
           %dup = fmul float %d, 0x4490000000000000
           br label %D
         D:
           %d1 = phi float [ %d, %B ], [ %dup, %C ]
           %q1 = phi float [ 1.0, %B ], [ 0x3DA0000000000000, %C ]
           br i1 %down, label %E, label %F
         E:
           %ddown = fmul float %d1, 0x3BF0000000000000
           br label %F
         F:
           %d2 = phi float {skip}[ %d1, %D ], [ %ddown, %E ]
           %q2 = phi float {skip_q}[ %q1, %D ], [ 0x41F0000000000000, %E ]
           %r = fmul float %d2, %q2
           ret float %r
         }}",
        skip_q = skip.replace("%d", "1.0"),
    )
}

/// Figs 3.17 to 3.19: both cases of rescaling are executed for all; with `any` they are skipped if no lane needs them, and the branch on it
/// is kept.
#[test]
fn fig_3_18_any_skips_what_no_lane_needs() {
    let always = square_root("br label %B", "");
    let guarded = square_root(
        "%either = or i1 %up, %down\n %some = any i1 (i1 %either)\n br i1 %some, label %B, label %F",
        "[ %d, %A ], ",
    );
    for inputs in [[16.0, 1e20], [1e-30, 9.0], [2.0, 3.0], [-1.0, 1e30]] {
        let args: Vec<Vec<Val>> = inputs.iter().map(|&d| vec![Val::f32(d)]).collect();
        let (_, plain) = lanes(&always, "v -> v", &args, false);
        assert_eq!((plain.kept_branches, plain.folded_branches), (0, 2));
        let (_, with_any) = lanes(&guarded, "v -> v", &args, false);
        assert_eq!((with_any.kept_branches, with_any.folded_branches), (1, 2));
        let values = |text: &str| {
            let module = parse_module(text).unwrap();
            threads(&module, &args, Semantics::default()).iter().map(|v| format!("{v:?}")).collect()
        };
        let (one, other): (Vec<String>, Vec<String>) = (values(&always), values(&guarded));
        assert_eq!(one, other);
    }
}

/// Fig. 8.4: a φ of three values becomes two selects; with a shadow, three.
#[test]
fn fig_8_4_phis_become_selects() {
    let program = |shadow: &str| {
        format!(
            "func @f(i32 %x) -> i32 {{
             O:
               %some = icmp ne i32 %x, 3
               br i1 %some, label %S, label %end
             S:
               %first = icmp eq i32 %x, 1
               br i1 %first, label %B, label %T
             T:
               %second = icmp eq i32 %x, 2
               br i1 %second, label %C, label %A
             A:
               br label %Z
             B:
               br label %Z
             C:
               br label %Z
             Z:
               %v = phi i32 [ 10, %A ], [ 20, %B ], [ 30, %C ]{shadow}
               br label %end
             end:
               %r = phi i32 [ 0, %O ], [ %v, %Z ]
               ret i32 %r
             }}"
        )
    };
    let args: Vec<Vec<Val>> = [0, 1, 2, 3].map(|x| vec![Val::i32(x)]).to_vec();
    for (shadow, selects) in [("", 2), (" shadow 7", 3)] {
        let mut module = parse_module(&program(shadow)).unwrap();
        let wanted = threads(&module, &args, Semantics::default());
        let region = Region::new(4, module.layout.clone());
        let mut pipeline = Pipeline::new(&module.functions[0], &region).unwrap();
        pipeline.run(Stage::Linearize).unwrap();
        let of_numbers =
            |data: &lw_ir::InstData| data.op == Op::Select && data.ty == lw_ir::Type::I32;
        // One more is the φ at the end.
        assert_eq!(count(&pipeline, of_numbers), selects + 1, "{}", pipeline.function);
        module.functions[0] = pipeline.function;
        assert_eq!(threads(&module, &args, Semantics::Oblivious), wanted);
    }
}

/// Fig. 9.1: a loop with one exit that threads leave in different iterations; the transform makes it uniform.
#[test]
fn fig_9_1_a_divergent_loop_with_one_exit() {
    let text = "func @f(i32 %v) -> i32 {
        P:
          br label %H
        H:
          %x = phi i32 [ 0, %P ], [ %xn, %H ]
          %xn = add i32 %x, 2
          %stay = icmp slt i32 %xn, %v
          br i1 %stay, label %H, label %X
        X:
          %lcssa = phi i32 [ %xn, %H ]
          ret i32 %lcssa
        }";
    let module = parse_module(text).unwrap();
    let region = Region::new(4, module.layout.clone());
    let mut pipeline = Pipeline::new(&module.functions[0], &region).unwrap();
    pipeline.run(Stage::Canonicalize).unwrap();
    assert_eq!(pipeline.analyze().divergent_loops().count(), 1);
    pipeline.run(Stage::DivergentLoops).unwrap();
    assert_eq!(pipeline.analyze().divergent_loops().count(), 0);
    let args: Vec<Vec<Val>> = [9, -1, 2, 3].map(|v| vec![Val::i32(v)]).to_vec();
    let (_, statistics) = lanes(text, "v -> v", &args, false);
    assert_eq!(statistics.divergent_loops, 1);
}

/// Figs 9.4 and 9.6: the cascade of the hot loop of nab. With gadgets, three branches on `any` are left, each of which skips the rest.
#[test]
fn fig_9_6_nested_gadgets() {
    let text = "func @f(float %dij, float %ri, float %sj) -> float {
        A:
          %far = fmul float %sj, 4.0
          %c1 = fcmp ogt float %dij, %far
          br i1 %c1, label %one, label %B
        one:
          %r1 = fmul float %dij, %ri
          br label %end
        B:
          %sum = fadd float %ri, %sj
          %c2 = fcmp ogt float %dij, %sum
          br i1 %c2, label %two, label %C
        two:
          %r2 = fadd float %dij, %ri
          br label %end
        C:
          %difference = fsub float %ri, %sj
          %c3 = fcmp ogt float %dij, %difference
          br i1 %c3, label %three, label %D
        three:
          %r3 = fsub float %dij, %ri
          br label %end
        D:
          %r4 = fdiv float %dij, %ri
          br label %end
        end:
          %r = phi float [ %r1, %one ], [ %r2, %two ], [ %r3, %three ], [ %r4, %D ]
          ret float %r
        }";
    for dij in [[50.0, 60.0, 70.0, 80.0], [50.0, 5.0, 2.0, -9.0], [0.5, 1.0, 1.5, -3.0]] {
        let args: Vec<Vec<Val>> =
            dij.iter().map(|&d| vec![Val::f32(d), Val::f32(2.0), Val::f32(1.0)]).collect();
        let (_, without) = lanes(text, "v, v, v -> v", &args, false);
        assert_eq!((without.boscc, without.kept_branches), (0, 0));
        let (_, with) = lanes(text, "v, v, v -> v", &args, true);
        assert_eq!((with.boscc, with.kept_branches), (3, 3));
    }
}
