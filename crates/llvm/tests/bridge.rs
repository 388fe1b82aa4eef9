//! Import and emit: new functions, changed bodies, and requests that cannot be carried out.

use lw_ir::ops::BinOp;
use lw_ir::{Constant, InsertAt, InstData, Op, Type};
use lw_llvm::{Context, Error};

const DEBUG: &str = r#"
define i32 @f(i32 %x) !dbg !5 {
entry:
  %slot = alloca i32, align 4
    #dbg_declare(ptr %slot, !9, !DIExpression(), !11)
  store i32 %x, ptr %slot, align 4, !dbg !11
  br label %loop, !dbg !11
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
    #dbg_value(i32 %i, !9, !DIExpression(), !12)
  %n = add nsw i32 %i, %x, !dbg !12
  %c = icmp slt i32 %n, 10, !dbg !12
  br i1 %c, label %loop, label %end, !dbg !12, !llvm.loop !13
end:
  ret i32 %n, !dbg !12
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "test", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "t.c", directory: "/")
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{!8, !8}
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DILocalVariable(name: "x", scope: !10, file: !1, line: 1, type: !8)
!10 = distinct !DILexicalBlock(scope: !5, file: !1, line: 1)
!11 = !DILocation(line: 1, column: 11, scope: !10)
!12 = !DILocation(line: 2, column: 3, scope: !10)
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.unroll.disable"}
"#;

#[test]
fn a_new_function_has_debug_information_of_its_own() {
    let context = Context::new();
    let mut module = context.parse_module(DEBUG.as_bytes(), "debug").unwrap();
    let mut bridge = module.bridge().unwrap();
    let f = bridge.find("f").unwrap();
    let imported = bridge.import(f);
    let mut copy = imported.function.clone();
    copy.name = "copy".into();
    bridge.add_function(&copy, Some(&imported.origins)).unwrap();
    module.verify().unwrap();
    let counts = module.counts();
    assert_eq!((counts.functions, counts.debug_locations, counts.debug_records), (2, 12, 4));
    let text = module.to_text();
    assert_eq!(text.matches("distinct !DISubprogram").count(), 2, "{text}");
    assert_eq!(text.matches("distinct !DILexicalBlock").count(), 2, "{text}");
    assert_eq!(text.matches("distinct !DICompileUnit").count(), 1, "{text}");
    assert_eq!(text.matches("llvm.loop.unroll.disable").count(), 1, "{text}");
}

#[test]
fn a_changed_body_keeps_what_still_applies() {
    let context = Context::new();
    let mut module = context.parse_module(DEBUG.as_bytes(), "debug").unwrap();
    let mut bridge = module.bridge().unwrap();
    let f = bridge.find("f").unwrap();
    let mut imported = bridge.import(f);
    let function = &mut imported.function;
    // %n = add %i, %x becomes (%i + %x) * 2: the add keeps its location, its users use the product.
    let (_, add) = function
        .all_insts()
        .find(|&(_, inst)| function[inst].op == Op::Binary(BinOp::Add))
        .unwrap();
    let sum = function.result(add);
    let two = function.constant(Constant::int(Type::I32, 2));
    let product = InstData::new(Op::Binary(BinOp::Mul), Type::I32, &[two, two]);
    let product = function.insert(InsertAt::After(add), product);
    let value = function.result(product);
    function.replace_uses(sum, value);
    function[product].args[0] = sum;
    bridge.replace_body(&imported.function, &imported.origins).unwrap();
    module.verify().unwrap();
    let text = module.to_text();
    assert!(text.contains("%n = add nsw i32 %i, %x, !dbg"), "{text}");
    assert!(text.contains("mul i32 %n, 2\n"), "{text}");
    assert_eq!(module.counts().debug_records, 2);
}

#[test]
fn origins_belong_to_one_bridge_and_one_body() {
    let context = Context::new();
    let mut first = context.parse_module(DEBUG.as_bytes(), "first").unwrap();
    let mut second = context.parse_module(DEBUG.as_bytes(), "second").unwrap();
    let mut bridge = first.bridge().unwrap();
    let f = bridge.find("f").unwrap();
    let imported = bridge.import(f);
    let elsewhere = second.bridge().unwrap().replace_body(&imported.function, &imported.origins);
    assert!(matches!(elsewhere, Err(Error::StaleOrigins)));
    bridge.replace_body(&imported.function, &imported.origins).unwrap();
    let again = bridge.replace_body(&imported.function, &imported.origins);
    assert!(matches!(again, Err(Error::StaleOrigins)));
}

/// A block whose address is taken cannot be left out; the module is then as it was.
#[test]
fn a_block_whose_address_is_taken_stays() {
    let text = "@ways = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
        define i32 @f(ptr %way) {
          indirectbr ptr %way, [label %one, label %two]
        one:
          br label %two
        two:
          ret i32 1
        }";
    let context = Context::new();
    let mut module = context.parse_module(text.as_bytes(), "t").unwrap();
    let before = module.to_text();
    let mut bridge = module.bridge().unwrap();
    let f = bridge.find("f").unwrap();
    let mut imported = bridge.import(f);
    let two = imported.function.blocks()[2];
    let ret = imported.function.terminator(two).unwrap();
    imported.function[ret].origin = None.into();
    let gone = bridge.replace_body(&imported.function, &imported.origins);
    assert!(matches!(gone, Err(Error::Emit { .. })), "{gone:?}");
    assert_eq!(module.to_text(), before);
}

#[test]
fn what_llvm_cannot_express_leaves_the_module_as_it_was() {
    let context = Context::new();
    let mut module = context.parse_module(DEBUG.as_bytes(), "debug").unwrap();
    let before = module.to_text();
    let mut bridge = module.bridge().unwrap();
    let f = bridge.find("f").unwrap();
    let imported = bridge.import(f);
    let refused = |change: &dyn Fn(&mut lw_ir::Function), bridge: &mut lw_llvm::Bridge<'_, '_>| {
        let mut function = imported.function.clone();
        change(&mut function);
        bridge.replace_body(&function, &imported.origins).unwrap_err().to_string()
    };
    let predicate = refused(
        &|f| {
            let condition = f.constant(Constant::bool(true));
            let block = f.blocks()[1];
            f.set_predicate(block, Some(condition));
        },
        &mut bridge,
    );
    assert!(predicate.contains("block %loop has a predicate"), "{predicate}");
    let total = refused(
        &|f| {
            let add = f.all_insts().find(|&(_, i)| f[i].op == Op::Binary(BinOp::Add)).unwrap().1;
            f[add].total = true;
        },
        &mut bridge,
    );
    assert!(total.contains("is `total`"), "{total}");
    let foreign = refused(
        &|f| {
            let add = f.all_insts().find(|&(_, i)| f[i].op == Op::Binary(BinOp::Add)).unwrap().1;
            let kind = lw_ir::ConstantKind::Foreign(99);
            f[add].args[0] = f.constant(Constant { ty: Type::I32, kind });
        },
        &mut bridge,
    );
    assert!(foreign.contains("the origin of `foreign 99` is unknown"), "{foreign}");
    let broken = refused(
        &|f| {
            let add = f.all_insts().find(|&(_, i)| f[i].op == Op::Binary(BinOp::Add)).unwrap().1;
            f[add].args.pop();
        },
        &mut bridge,
    );
    assert!(broken.contains("takes 2 operands, has 1"), "{broken}");
    assert_eq!(module.to_text(), before);
}

#[test]
fn a_module_without_llvm_origin_is_emitted() {
    let source = lw_ir::parse_module(
        "layout \"e-m:e-i64:64-n8:16:32:64-S128\"
declare @sqrtf : float (float)
@table = constant [3 x i32] [i32 1, i32 2, i32 3], align 16
@0 = global ptr @table
func @f(i64 %i) -> float {
entry:
  %p = load ptr, ptr @0, align 8
  %e = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %e, align 4
  %x = sitofp i32 %v to float
  %r = call float (float) @sqrtf(float %x)
  ret float %r
}",
    )
    .unwrap();
    let context = Context::new();
    let mut module = context.emit_module("made", &source).unwrap();
    let text = module.to_text();
    assert!(text.contains("@table = constant [3 x i32] [i32 1, i32 2, i32 3], align 16"), "{text}");
    assert!(text.contains("@0 = global ptr @table"), "{text}");
    assert!(text.contains("%p = load ptr, ptr @0, align 8"), "{text}");
    let back = module.import().unwrap();
    assert_eq!(back.functions[0].inst_count(), 6);
}

#[test]
fn aliases_are_emitted() {
    let source = lw_ir::parse_module(
        "@table = global [2 x i32] [i32 1, i32 2]
@second = alias i32, ptr getelementptr ([2 x i32], ptr @table, i64 0, i64 1)
@also = alias fn i32 (), ptr @f
func @f() -> i32 {
entry:
  %x = load i32, ptr @second, align 4
  ret i32 %x
}
func @g() -> i32 {
entry:
  %x = call i32 () @also()
  ret i32 %x
}",
    )
    .unwrap();
    let context = Context::new();
    let text = context.emit_module("aliases", &source).unwrap().to_text();
    assert!(text.contains("@second = alias i32, getelementptr"), "{text}");
    assert!(text.contains("@also = alias i32 (), ptr @f"), "{text}");
    assert!(text.contains("call i32 @also()"), "{text}");
    assert!(!text.contains("declare"), "{text}");
}

#[test]
fn a_layout_that_llvm_rejects_is_an_error() {
    let source = lw_ir::parse_module("layout \"e-m:32e\"").unwrap();
    let context = Context::new();
    let error = context.emit_module("layout", &source).err().unwrap().to_string();
    assert!(error.contains("bad data layout `e-m:32e`"), "{error}");
}

#[test]
fn a_new_intrinsic_gets_the_attributes_of_llvm() {
    let text = "declare @llvm.bswap.i16 : i16 (i16)
func @f(i16 %x) -> i16 {
entry:
  %y = call i16 (i16) @llvm.bswap.i16(i16 %x)
  ret i16 0
}
";
    let module = lw_ir::parse_module(text).unwrap();
    let context = Context::new();
    let mut llvm = context.emit_module("intrinsic", &module).unwrap();
    llvm.run_passes("function(instcombine)", None).unwrap();
    assert!(!llvm.to_text().contains("call i16"), "{}", llvm.to_text());
}
