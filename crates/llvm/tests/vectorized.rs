//! The vectorized Mandelbrot function as machine code, against the scalar one.

use lw_llvm::{Context, Jit, OptLevel, TargetMachine};
use lw_vectorize::{Region, vectorize};
use std::fmt::Write;

/// Calls the vector function once and the scalar one for each lane: `width` floats, `width` more, then the two lists of results.
fn caller(width: u32) -> String {
    let w = width;
    let mut text = format!(
        "declare @escape : i32 (float, float, i32)\n\
         declare @escape_v : <{w} x i32> (<{w} x float>, <{w} x float>, i32)\n\
         func @run(ptr %p) -> void {{\nentry:\n\
         %x = load <{w} x float>, ptr %p, align 4\n\
         %py = getelementptr i8, ptr %p, i64 {}\n\
         %y = load <{w} x float>, ptr %py, align 4\n\
         %r = call <{w} x i32> (<{w} x float>, <{w} x float>, i32) @escape_v(<{w} x float> %x, <{w} x float> %y, i32 300)\n\
         %pr = getelementptr i8, ptr %p, i64 {}\n\
         store <{w} x i32> %r, ptr %pr, align 4\n",
        4 * w,
        8 * w
    );
    for lane in 0..w {
        let at = 12 * w + 4 * lane;
        write!(
            text,
            "%x{lane} = extractelement <{w} x float> %x, i64 {lane}\n\
             %y{lane} = extractelement <{w} x float> %y, i64 {lane}\n\
             %r{lane} = call i32 (float, float, i32) @escape(float %x{lane}, float %y{lane}, i32 300)\n\
             %p{lane} = getelementptr i8, ptr %p, i64 {at}\n\
             store i32 %r{lane}, ptr %p{lane}, align 4\n",
        )
        .unwrap();
    }
    text + "ret void\n}\n"
}

#[test]
fn mandelbrot_is_the_same_in_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectorize/mandelbrot.ll");
    let source = std::fs::read(path).unwrap();
    for (width, level) in [(3, OptLevel::None), (8, OptLevel::Default), (16, OptLevel::Default)] {
        let context = Context::new();
        let mut module = context.parse_module(&source, "mandelbrot").unwrap().import().unwrap();
        let scalar = module.function("escape").unwrap().clone();
        let region = Region::new(width, module.layout.clone());
        let region = region.read_shapes(&scalar, "v, v, u -> v").unwrap();
        let (mut vector, statistics) = vectorize(&scalar, &region).unwrap();
        assert_eq!((statistics.divergent_loops, statistics.widened.each_lane), (1, 0));
        vector.name = "escape_v".into();
        module.functions.push(vector);
        module.functions.extend(lw_ir::parse_module(&caller(width)).unwrap().functions);
        let mut llvm = context.emit_module("mandelbrot", &module).unwrap();
        llvm.verify().unwrap();
        let target = TargetMachine::host(level).unwrap();
        if level == OptLevel::Default {
            llvm.run_passes("default<O2>", Some(&target)).unwrap();
        }
        let mut jit = Jit::new().unwrap();
        jit.add(&mut llvm, &target).unwrap();
        let (w, mut escaped) = (width as usize, 0);
        for row in 0..40 {
            for group in 0..60 / w {
                let mut buffer = vec![0u8; 16 * w];
                for lane in 0..w {
                    let (x, y) = ((group * w + lane) as f32 / 20.0 - 2.0, row as f32 / 20.0 - 1.0);
                    buffer[4 * lane..4 * lane + 4].copy_from_slice(&x.to_le_bytes());
                    let at = 4 * (w + lane);
                    buffer[at..at + 4].copy_from_slice(&y.to_le_bytes());
                }
                // SAFETY: `run` is `void (ptr)` and stays within the 16 bytes for each lane.
                unsafe { jit.call_packed("run", &mut buffer).unwrap() };
                let (vector, scalar) = (&buffer[8 * w..12 * w], &buffer[12 * w..]);
                assert_eq!(vector, scalar, "width {width}, row {row}, group {group}");
                escaped += scalar.chunks(4).filter(|n| **n != 300u32.to_le_bytes()).count();
            }
        }
        assert!(escaped > 100, "{escaped} points escape");
    }
}
