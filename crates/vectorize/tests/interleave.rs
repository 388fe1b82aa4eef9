//! Stack objects as structures of arrays: which, and that threads find their own.

use lw_ir::Module;
use lw_ir::interp::{Machine, Run, Val};
use lw_vectorize::{Pipeline, Region, Stage, Statistics};

const WIDTH: u32 = 4;

/// Runs a function of one number, for four numbers: alone, after the stage, and widened. All must agree.
fn checked(body: &str) -> (Module, Statistics) {
    let text = format!("func @f(i32 %x) -> i32 {{\n{body}\n}}");
    let mut module = lw_ir::parse_module(&text).unwrap();
    let region = Region::new(WIDTH, module.layout.clone());
    let mut pipeline = Pipeline::new(&module.functions[0], &region).unwrap();
    let numbers = [5, 0, 3, 6];
    let args: Vec<Vec<Val>> = numbers.iter().map(|&x| vec![Val::i32(x)]).collect();
    let run = Run { threads: WIDTH as usize, ..Run::default() };
    let wanted = Machine::new(&module).run("f", &args, &run).unwrap().values();
    for stage in Stage::ALL {
        pipeline.run(stage).unwrap();
        module.functions[0] = pipeline.function.clone();
        if stage == Stage::Interleave {
            assert_eq!(Machine::new(&module).run("f", &args, &run).unwrap().values(), wanted);
        }
    }
    let all = vec![vec![Val::elems(numbers.iter().map(|&x| Val::i32(x)))]];
    let seen = Machine::new(&module).run("f", &all, &Run::default()).unwrap().values();
    assert_eq!(seen, [Val::elems(wanted)], "{}", module.functions[0]);
    (module, pipeline.statistics)
}

/// Eight powers of each thread's number are written, and then read at an index.
fn powers(index: &str) -> String {
    format!(
        "entry:
           %own = alloca [8 x i32], i32 1, align 16
           br label %write
         write:
           %i = phi i64 [ 0, %entry ], [ %j, %write ]
           %p = phi i32 [ 1, %entry ], [ %q, %write ]
           %at = getelementptr inbounds [8 x i32], ptr %own, i64 0, i64 %i
           store i32 %p, ptr %at, align 4
           %q = mul i32 %p, %x
           %j = add i64 %i, 1
           %more = icmp ult i64 %j, 8
           br i1 %more, label %write, label %read
         read:
           %y = sext i32 %x to i64
           %where = getelementptr inbounds i32, ptr %own, i64 {index}
           %r = load i32, ptr %where, align 4
           ret i32 %r"
    )
}

#[test]
fn a_uniform_index_is_a_vector() {
    let (module, done) = checked(&powers("5"));
    assert_eq!(done.interleaved, 1);
    assert_eq!((done.widened.contiguous, done.widened.gathers), (2, 0));
    let text = module.functions[0].to_string();
    assert!(text.contains("alloca [128 x i8], i32 1, align 16"), "{text}");
}

#[test]
fn an_index_of_each_thread_is_a_gather() {
    let (_, done) = checked(&powers("%y"));
    assert_eq!(done.interleaved, 1);
    assert_eq!((done.widened.contiguous, done.widened.gathers), (1, 1));
}

/// A pointer that runs through the object is a φ.
#[test]
fn pointers_that_move_stay_strided() {
    let (_, done) = checked(
        "entry:
           %own = alloca i32, i32 8, align 4
           %end = getelementptr inbounds i32, ptr %own, i64 8
           br label %write
         write:
           %to = phi ptr [ %own, %entry ], [ %next, %write ]
           %p = phi i32 [ 1, %entry ], [ %q, %write ]
           %i = phi i32 [ 0, %entry ], [ %j, %write ]
           store i32 %p, ptr %to, align 4
           %q = add i32 %p, %x
           %next = getelementptr inbounds i32, ptr %to, i64 1
           %j = add i32 %i, 1
           %more = icmp ult i32 %j, 8
           br i1 %more, label %write, label %read
         read:
           %last = getelementptr inbounds i32, ptr %end, i64 -2
           %r = load i32, ptr %last, align 4
           ret i32 %r",
    );
    assert_eq!(done.interleaved, 1);
    assert_eq!((done.widened.contiguous, done.widened.gathers), (2, 0));
}

/// Fields of structs in an array, all of one size, and an address that is that of one object or of another: both are laid out alike,
/// or, where one of them is the same on all threads and need not be, neither is.
#[test]
fn objects_that_meet_go_together() {
    let body = |second: &str| {
        format!(
            "entry:
               %a = alloca [2 x {{ i32, i32 }}], i32 1, align 8
               %b = alloca i32, i32 4, align 4
               %a3 = getelementptr [2 x {{ i32, i32 }}], ptr %a, i64 0, i64 1, i32 1
               %b3 = getelementptr i32, ptr %b, i32 3
               store i32 %x, ptr %a3, align 4
               store i32 {second}, ptr %b3, align 4
               %c = icmp sgt i32 %x, 3
               %base = select i1 %c, ptr %a, ptr %b
               %at = getelementptr i8, ptr %base, i64 12
               %r = load i32, ptr %at, align 4
               ret i32 %r"
        )
    };
    assert_eq!(checked(&body("%x")).1.interleaved, 2);
    assert_eq!(checked(&body("77")).1.interleaved, 0);
}

#[test]
fn what_does_not_fit_stays() {
    let accesses_of_two_sizes = "
        %y = zext i32 %x to i64
        store i64 %y, ptr %own, align 8
        %high = getelementptr i8, ptr %own, i64 4
        store i32 9, ptr %high, align 4
        %r = load i32, ptr %own, align 8";
    let offsets_that_are_no_multiples = "
        %mid = getelementptr i8, ptr %own, i64 2
        store i32 %x, ptr %mid, align 2
        %r = load i32, ptr %mid, align 2";
    let an_address_that_is_looked_at = "
        store i32 %x, ptr %own, align 4
        %n = ptrtoint ptr %own to i64
        %p = inttoptr i64 %n to ptr
        %r = load i32, ptr %p, align 4";
    for body in [accesses_of_two_sizes, offsets_that_are_no_multiples, an_address_that_is_looked_at]
    {
        let body = format!("entry:\n%own = alloca i64, i32 1, align 8{body}\nret i32 %r");
        assert_eq!(checked(&body).1.interleaved, 0, "{body}");
    }
}
