//! Numbers with a stride stay so through extensions, whatever lane 0 does.

use lw_ir::interp::{Machine, Run, Val};
use lw_vectorize::{Region, vectorize};

const WIDTH: i64 = 4;

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A function that extends what it computes from `i` and `u` in eight bits, on lanes that `c` says.
fn program(random: &mut Random) -> String {
    let mut text = String::from(
        "func @f(i8 %i, i8 %u, i1 %c) -> i64 {\nentry:\n  br i1 %c, label %then, label %end\nthen:\n",
    );
    let mut now = "%i".to_string();
    for step in 0..1 + random.below(3) {
        let constant = [1, -1, 2, 3, 60, -100, 127, -128][random.below(8) as usize];
        let (left, right) = match random.below(4) {
            0 => ("%u".to_string(), now.clone()),
            1 => (now.clone(), "%u".to_string()),
            2 => (constant.to_string(), now.clone()),
            _ => (now.clone(), constant.to_string()),
        };
        let line = match random.below(4) {
            0 => format!("sub nsw i8 {left}, {right}"),
            1 => format!("mul nsw i8 {now}, {constant}"),
            _ => format!("add nsw i8 {left}, {right}"),
        };
        text += &format!("  %x{step} = {line}\n");
        now = format!("%x{step}");
    }
    let extend = random.pick(&["sext", "sext", "zext nneg"]);
    text += &format!("  %wide = {extend} i8 {now} to i64\n  br label %end\n");
    text + "end:\n  %r = phi i64 [ %wide, %then ], [ 0, %entry ]\n  ret i64 %r\n}"
}

fn run(machine: &mut Machine<'_>, args: Vec<Val>) -> Val {
    let outcome = machine.run("f", &[args], &Run::default()).expect("it runs");
    outcome.values()[0].clone()
}

#[test]
fn extensions_of_what_does_not_wrap_have_a_stride() {
    let mut random = Random(7);
    let mut poison = 0;
    for _ in 0..60 {
        let text = program(&mut random);
        let module = lw_ir::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let stride = [1, -1, 2, 3, -3][random.below(5) as usize];
        let shapes = format!("s{stride}, u, v -> v");
        let region = Region::new(WIDTH as u32, module.layout.clone());
        let region = region.read_shapes(&module.functions[0], &shapes).unwrap();
        let (vector, _) = vectorize(&module.functions[0], &region).unwrap();
        assert!(!vector.to_string().contains("ext <4 x i8>"), "{text}\n{vector}");
        let mut wide = module.clone();
        wide.functions[0] = vector.clone();
        let mut scalar = Machine::new(&module);
        let mut widened = Machine::new(&wide);
        for first in -128..128 {
            // No lane wraps around.
            if !(-128..128).contains(&(first + stride * (WIDTH - 1))) {
                continue;
            }
            let u = Val::i8(random.below(256) as u8 as i8);
            let on: Vec<bool> = (0..WIDTH).map(|_| random.below(4) != 0).collect();
            let mask = Val::elems(on.iter().map(|&on| Val::bool(on)));
            let seen = run(&mut widened, vec![Val::i8(first as i8), u.clone(), mask]);
            let Val::Elems(seen) = seen else { panic!("{seen} is no vector") };
            for t in 0..WIDTH {
                let i = Val::i8((first + stride * t) as i8);
                let wanted = run(&mut scalar, vec![i, u.clone(), Val::bool(on[t as usize])]);
                poison += u32::from(wanted == Val::Poison);
                let seen = &seen[t as usize];
                assert!(
                    wanted.refined_by(seen),
                    "lane {t} from {first} with {stride}: {wanted}, not {seen}\n{text}\n{vector}"
                );
            }
        }
    }
    assert!(poison > 1000, "few lanes overflow: {poison}");
}
