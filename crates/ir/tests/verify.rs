//! The verifier: one program for each rule, and the message it gets.

use lw_ir::{Constant, Function, Type, parse_function, verify};

#[track_caller]
fn broken(text: &str, message: &str) {
    let function = parse_function(text).unwrap_or_else(|e| panic!("{e}"));
    rejected(&function, message);
}

#[track_caller]
fn rejected(function: &Function, message: &str) {
    match verify(function) {
        Ok(()) => panic!("was accepted: {function}"),
        Err(errors) => {
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert!(all.iter().any(|e| e == message), "expected {message}, found {all:#?}");
        }
    }
}

/// A function of two blocks with this body in the first.
fn with_body(body: &str) -> String {
    format!(
        "declare @g : i32 (i32)\n@v = external global i32\n\
         func @f(i32 %x, i64 %w, float %y, ptr %p, i1 %c, <4 x i32> %v) -> i32 {{\n\
         entry:\n{body}\n  br label %end\nend:\n  ret i32 0\n}}"
    )
}

#[track_caller]
fn body(line: &str, message: &str) {
    broken(&with_body(&format!("  {line}")), &format!("@f, block %entry, `{line}`: {message}"));
}

#[test]
fn blocks_and_terminators() {
    broken(
        "func @f() -> void {\na:\n  %x = add i32 1, 2\n}",
        "@f, block %a, `%x = add i32 1, 2`: a block ends in a terminator",
    );
    broken(
        "func @f() -> void {\na:\n  ret void\n  ret void\n}",
        "@f, block %a, `ret void`: a terminator stands only at the end of a block",
    );
    broken(
        "func @f() -> void {\na:\nb:\n  ret void\n}",
        "@f, block %a: a block ends in a terminator; this one is empty",
    );
    broken(
        "func @f() -> void {\na:\n  br label %a\n}",
        "@f, block %a: the entry block has no predecessors",
    );
}

#[test]
fn phis() {
    broken(
        "func @f(i1 %c) -> i32 {\na:\n  br i1 %c, label %b, label %d\nb:\n  br label %d\nd:\n  %x = phi i32 [ 1, %a ]\n  ret i32 %x\n}",
        "@f, block %d, `%x = phi i32 [ 1, %a ]`: a φ has one entry for each edge into its block",
    );
    broken(
        "func @f(i32 %n) -> i32 {\na:\n  switch i32 %n, label %d [1: label %d]\nd:\n  %x = phi i32 [ 1, %a ], [ 2, %a ]\n  ret i32 %x\n}",
        "@f, block %d, `%x = phi i32 [ 1, %a ], [ 2, %a ]`: parallel edges into a φ bring the same value",
    );
    broken(
        "func @f() -> i32 {\na:\n  br label %d\nd:\n  %y = add i32 1, 1\n  %x = phi i32 [ 1, %a ]\n  ret i32 %x\n}",
        "@f, block %d, `%x = phi i32 [ 1, %a ]`: φs stand before all other instructions",
    );
}

#[test]
fn types_of_operands() {
    body("%a = fadd i32 %x, %x", "computes on floats");
    body("%a = xor float %y, %y", "computes on integers");
    body("%a = trunc i32 %x to i64", "does not convert between these types");
    body("%a = bitcast ptr %p to i64", "does not convert between these types");
    body("%a = sext i32 %x to <4 x i64>", "keeps the number of lanes");
    body("%a = icmp eq float %y, %y", "compares integers or pointers");
    body("%a = fcmp oeq i32 %x, %x", "compares floats");
    body("%a = select i32 %x, i32 %x, i32 %x", "chooses by an i1 or one for each lane");
    body("%a = select i1 %c, i32 %x, i64 %w", "chooses between values of its type");
    body("%a = load i32, i64 %w, align 4", "loads through a pointer");
    body("store i32 %x, i64 %w, align 4", "stores through a pointer");
    body("%a = load i32, ptr %p release, align 4", "loads do not release");
    body("%a = atomicrmw add ptr %p, i32 %x, align 4", "is ordered");
    body("fence monotonic", "a fence orders");
    body("%a = getelementptr i32, i64 %w, i64 %w", "computes on a pointer");
    body("%a = getelementptr i32, ptr %p, float %y", "indices are integers");
    body("%a = getelementptr i32, ptr %p, i64 %w, i64 0", "an index leads nowhere");
    body("%a = getelementptr { i32, i8 }, ptr %p, i64 %w, i32 %x", "an index leads nowhere");
    body("%a = getelementptr { i32, i8 }, ptr %p, i64 %w, i32 2", "an index leads nowhere");
    body("%a = load i32, ptr %p, align 8589934592", "is aligned to at most 2^32");
    body("%a = load metadata, ptr %p, align 8", "what is loaded has a size");
    body("%a = alloca token, i32 1, align 8", "what is allocated has a size");
    body("store token none, ptr %p, align 1", "what is stored has a size");
    body("%a = extractelement i32 %x, i64 0", "takes a vector and an index");
    body(
        "%a = shufflevector <4 x i32> %v, <4 x i32> %v, [8]",
        "the mask names lanes of the operands",
    );
    body("%a = alloca i32, float %y, align 4", "the count is an integer");
    body("%a = call i64 (i32) @g(i64 %w)", "arguments have the types of the parameters");
    body(
        "%a = call i32 (i32) @g()",
        "passes as many arguments as the function type has parameters",
    );
    body("%a = call i32 (i32) @v(i32 %x)", "calls a function, not a variable (001 Def. 11.2)");
    broken(
        "func @f() -> i32 {\na:\n  ret void\n}",
        "@f, block %a, `ret void`: returns the type of the function",
    );
    broken(
        "func @f(i32 %x) -> void {\na:\n  switch i32 %x, label %b [1: label %b, 1: label %b]\nb:\n  ret void\n}",
        "@f, block %a, `switch i32 %x, label %b [1: label %b, 1: label %b]`: no case comes twice",
    );
}

#[test]
fn types_and_constants() {
    let symbol = "@f, block %entry, `%a = ptrtoint ptr mul (i64 1, i64 2) to i64`: `mul` is not an operation on constants";
    broken(&with_body("  %a = ptrtoint ptr mul (i64 1, i64 2) to i64"), symbol);
    body("%a = add i64 ptrtoint (i64 1 to i64), 2", "does not convert between these types");
    body(
        "%a = ptrtoint ptr getelementptr (i32, ptr @v, i64 0, i64 1) to i64",
        "an index leads nowhere",
    );
    broken("func @f([4 x void] %x) -> void {\na:\n  ret void\n}", "@f: arrays hold values");
    broken(
        "func @f({ token } %x) -> void {\na:\n  ret void\n}",
        "@f: fields of structs are values",
    );
    broken("func @f(void %x) -> void {\na:\n  ret void\n}", "@f: parameters are values");
}

#[test]
fn lock_step_operations() {
    body("%a = any i32 (i32 %x)", "takes and yields an i1");
    body("%a = ballot float (i1 %c)", "yields an integer");
    body("%a = reduce_fadd i32 (i32 %x)", "combines numbers of its kind");
    body("%a = shuffle i32 (i32 %x, float %y)", "the lane is an integer");
    body("%a = total mask", "terminators, φs and `mask` cannot be total");
    body("%a = add inbounds i32 %x, %x", "`inbounds` has no meaning here");
}

#[test]
fn dominance() {
    broken(
        "func @f(i1 %c) -> i32 {\na:\n  br i1 %c, label %b, label %d\nb:\n  %x = add i32 1, 1\n  br label %d\nd:\n  ret i32 %x\n}",
        "@f, block %d, `ret i32 %x`: %x does not dominate this use",
    );
    broken(
        "func @f() -> i32 {\na:\n  %y = add i32 %x, 1\n  %x = add i32 1, 1\n  ret i32 %y\n}",
        "@f, block %a, `%y = add i32 %x, 1`: %x does not dominate this use",
    );
    broken(
        "func @f(i1 %c) -> i32 {\na:\n  br i1 %c, label %b, label %d\nb:\n  %x = add i32 1, 1\n  br label %e\nd:\n  br label %e\ne:\n  %r = phi i32 [ 1, %b ], [ %x, %d ]\n  ret i32 %r\n}",
        "@f, block %e, `%r = phi i32 [ 1, %b ], [ %x, %d ]`: %x does not dominate this use",
    );
    // In blocks that are never reached anything goes, as in LLVM.
    let unreachable = "func @f() -> i32 {\na:\n  ret i32 0\nb:\n  %y = add i32 %x, 1\n  %x = add i32 1, 1\n  ret i32 %y\n}";
    verify(&parse_function(unreachable).unwrap()).unwrap();
}

#[test]
fn erased_and_missing_things() {
    let text = "func @f(i32 %x) -> i32 {\na:\n  %y = add i32 %x, 1\n  ret i32 %y\n}";
    let mut function = parse_function(text).unwrap();
    let [add, ret] = function.insts(function.entry().unwrap()) else { panic!() };
    let (add, ret) = (*add, *ret);
    function.erase(add);
    let message = verify(&function).unwrap_err()[0].to_string();
    assert!(message.ends_with("an operand is the result of an erased instruction"), "{message}");
    let one = function.constant(Constant::int(Type::I32, 1));
    function[ret].args[0] = one;
    verify(&function).unwrap();
    function[ret].args.push(one);
    rejected(&function, "@f, block %a: `ret`: returns at most one value");
}

#[test]
fn globals() {
    let rejects = |text: &str, message: &str| {
        let module = lw_ir::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(lw_ir::verify_module(&module).unwrap_err()[0].to_string(), message);
    };
    rejects("@g = external global token", "module: @g: a global has a size");
    rejects("@g = global i8 1, align 8589934592", "module: @g: is aligned to at most 2^32");
    rejects(
        "@g = global i64 mul (i64 1, i64 2)",
        "module: @g: `mul` is not an operation on constants",
    );
    rejects("@g = alias i8, i64 1", "module: @g: an alias is an address");
}
