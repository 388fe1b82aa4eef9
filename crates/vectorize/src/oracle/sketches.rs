//! Small programs around rules that programs made at random do not put to the test, or seldom: their loops end whatever happens, and
//! what threads have of memory is not as small as a record.

use lw_ir::generate::{self, Inputs, Param, Program, Rng};
use lw_ir::interp::Val;
use lw_ir::{DataLayout, Type, parse_module};

/// For how many threads there are arguments.
const THREADS: usize = 16;

/// A loop in a block that few threads enter, or none, as often as a number says that is read there: if no thread is there, nobody
/// has read it.
pub(super) fn seldom_entered(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x736b_6574);
    let (few, at) = (1 + rng.below(3), rng.below(16));
    let op = ["add", "xor", "mul", "sub"][rng.below(4)];
    let (test, first, second) = match rng.below(4) {
        0 => ("ne", "L", "X"),
        1 => ("ult", "L", "X"),
        2 => ("uge", "X", "L"),
        _ => ("eq", "X", "L"),
    };
    let text = format!(
        "func @f(ptr %t, i8 %a, i8 %b) -> i8 {{
        A:
          %c = icmp ult i8 %a, {few}
          br i1 %c, label %P, label %E
        P:
          %p = getelementptr i8, ptr %t, i64 {at}
          %n = load i8, ptr %p, align 1
          %m = and i8 %n, 3
          %last = add i8 %m, 1
          br label %L
        L:
          %i = phi i8 [ 0, %P ], [ %j, %L ]
          %s = phi i8 [ %b, %P ], [ %u, %L ]
          %u = {op} i8 %s, %a
          %j = add i8 %i, 1
          %go = icmp {test} i8 %j, %last
          br i1 %go, label %{first}, label %{second}
        X:
          %v = phi i8 [ %u, %L ]
          br label %E
        E:
          %r = phi i8 [ %b, %A ], [ %v, %X ]
          ret i8 %r
        }}"
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.layout = DataLayout::parse(generate::X86_64).expect("a data layout");
    let mut byte = || Val::Int(rng.below(8) as u128);
    let params = vec![
        Param::Table,
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
    ];
    let table = (0..16).map(|_| rng.below(256) as u8).collect();
    let inputs = Inputs { params, memory: vec![0; 256], part: 16, table, threads: THREADS };
    Program { seed, module, entry: "f".into(), inputs, defined: true }
}

/// Threads that read and write fields of their records, one after the other, some of it under a condition.
pub(super) fn fields(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x6669_656c);
    let size = [1, 2, 4, 8][rng.below(4)];
    let ty = format!("i{}", 8 * size);
    let count = 2 + rng.below(8);
    let mut text = format!(
        "func @f(ptr %m, i64 %t, {ty} %a) -> {ty} {{\nA:\n  %p = getelementptr [{} x i8], ptr %m, i64 %t\n",
        size * count
    );
    for field in 0..count {
        text += &format!("  %f{field} = getelementptr i8, ptr %p, i64 {}\n", field * size);
    }
    let mut values = vec!["%a".to_string()];
    let accesses = |text: &mut String, values: &mut Vec<String>, rng: &mut Rng| {
        for _ in 0..3 + rng.below(8) {
            let field = rng.below(count);
            let value = &values[rng.below(values.len())];
            match rng.below(8) {
                0..4 => {
                    let new = format!("%v{}", text.len());
                    *text += &format!("  {new} = load {ty}, ptr %f{field}, align {size}\n");
                    values.push(new);
                }
                4 if size > 1 => {
                    let (at, byte) = (rng.below(size), rng.below(128));
                    let new = format!("%q{}", text.len());
                    *text += &format!("  {new} = getelementptr i8, ptr %f{field}, i64 {at}\n");
                    *text += &format!("  store i8 {byte}, ptr {new}, align 1\n");
                }
                5 => {
                    let new = format!("%v{}", text.len());
                    *text += &format!("  {new} = add {ty} {value}, {}\n", 1 + rng.below(100));
                    values.push(new);
                }
                _ => *text += &format!("  store {ty} {value}, ptr %f{field}, align {size}\n"),
            }
        }
    };
    accesses(&mut text, &mut values, &mut rng);
    let test = rng.below(8);
    text += &format!("  %c = icmp ult {ty} %a, {test}\n  br i1 %c, label %P, label %E\nP:\n");
    accesses(&mut text, &mut values.clone(), &mut rng);
    text += "  br label %E\nE:\n";
    accesses(&mut text, &mut values, &mut rng);
    text += &format!("  ret {ty} {}\n}}", values[rng.below(values.len())]);
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.layout = DataLayout::parse(generate::X86_64).expect("a data layout");
    let numbers = (0..THREADS).map(|_| Val::Int(rng.below(8) as u128)).collect();
    let params =
        vec![Param::Memory, Param::Thread, Param::Varying(Type::int(8 * size as u32), numbers)];
    let part = size * count;
    let memory = (0..THREADS * part).map(|_| rng.below(256) as u8).collect();
    let inputs = Inputs { params, memory, part, table: vec![0; 16], threads: THREADS };
    Program { seed, module, entry: "f".into(), inputs, defined: true }
}

/// What is done first.
#[derive(Clone, Copy)]
enum First {
    Empty,
    /// One half is stored anew, the other is loaded.
    Half,
    Load,
}

impl First {
    const ANY: [First; 3] = [First::Empty, First::Half, First::Load];
}

/// What threads do to the parts `%X` and `%Y` of a stack object.
struct Deeds {
    names: usize,
}

impl Deeds {
    fn store(rng: &mut Rng, part: &str) -> String {
        let stored = ["%i".to_string(), rng.below(100).to_string()][rng.below(2)].clone();
        format!("  store i8 {stored}, ptr {part}, align 1\n")
    }

    /// Adds to a sum.
    fn load(&mut self, part: &str, sum: &mut String) -> String {
        self.names += 1;
        let n = self.names;
        let before = std::mem::replace(sum, format!("%s{n}"));
        format!(
            "  %v{n} = load i8, ptr {part}, align 1
  %w{n} = mul i8 {before}, 3
  %s{n} = add i8 %w{n}, %v{n}
"
        )
    }

    fn empty(rng: &mut Rng) -> String {
        let (x, y) = (Self::store(rng, "%X"), Self::store(rng, "%Y"));
        format!("  call void (ptr) @llvm.lifetime.start.p0(ptr %X)\n{x}{y}")
    }

    /// A few deeds, and the sum afterwards.
    fn some(&mut self, rng: &mut Rng, mut sum: String, quiet: bool) -> (String, String) {
        let mut text = String::new();
        let only_loads = quiet || rng.one_in(2);
        for _ in 0..rng.below(4) {
            let part = ["%X", "%Y"][rng.below(2)];
            text += &match rng.below(if only_loads { 2 } else { 5 }) {
                0 | 1 => self.load(part, &mut sum),
                2 | 3 => Self::store(rng, part),
                _ => Self::empty(rng),
            };
        }
        (text, sum)
    }

    /// The same behind one of these.
    fn anew(&mut self, rng: &mut Rng, mut sum: String, first: [First; 3]) -> (String, String) {
        let first = match first[rng.below(3)] {
            First::Empty => Self::empty(rng),
            First::Half => Self::store(rng, "%X") + &self.load("%Y", &mut sum),
            First::Load => self.load("%X", &mut sum),
        };
        let (rest, sum) = self.some(rng, sum, false);
        (first + &rest, sum)
    }
}

/// A stack object of two parts that all threads do the same to, but not all of them everywhere: some load it where others store to it,
/// some leave a loop early, by the same exit as others or by one behind which they do something else, and now and then it is emptied
/// and begun anew.
pub(super) fn lives(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x6c69_7665);
    let mut deeds = Deeds { names: 0 };
    let quiet = rng.one_in(3);
    let (head, in_head) = deeds.some(&mut rng, "%s".into(), quiet);
    let (left, in_left) = deeds.some(&mut rng, in_head.clone(), quiet);
    let (right, in_right) = deeds.some(&mut rng, in_head.clone(), quiet);
    let (meet, in_meet) = match quiet {
        true => deeds.some(&mut rng, "%m".into(), quiet),
        false => deeds.anew(&mut rng, "%m".into(), First::ANY),
    };
    // Behind a loop that only reads, some begin the object anew while others still need it.
    let (at_end, at_early) = match quiet {
        true => ([First::Load; 3], [First::Empty; 3]),
        false => (First::ANY, First::ANY),
    };
    let (end, in_end) = deeds.anew(&mut rng, "%e".into(), at_end);
    let (early, in_early) = deeds.anew(&mut rng, in_left.clone(), at_early);
    let [few, leaving] = [1 + rng.below(7), rng.below(8)];
    let (leave, left_early, left_alone) = match rng.below(4) {
        0 if !quiet => {
            ("br i1 %d, label %E, label %M", format!(", [ {in_left}, %P ]"), String::new())
        }
        1 if !quiet => ("br label %M", String::new(), String::new()),
        _ => ("br i1 %d, label %F, label %M", String::new(), format!(", [ {in_early}, %F ]")),
    };
    let early = match left_alone.is_empty() {
        true => String::new(),
        false => format!("F:\n{early}  br label %R"),
    };
    let (at_top, at_bottom, left_last) = match quiet || rng.one_in(2) {
        true => ("br i1 %more, label %B, label %E", "br label %H", format!("[ {in_head}, %H ]")),
        false => ("br label %B", "br i1 %go, label %H, label %E", format!("[ {in_meet}, %M ]")),
    };
    let text = format!(
        "declare @llvm.lifetime.start.p0 : void (ptr)
        func @f(i8 %a, i8 %b) -> i8 {{
        A:
          %X = alloca [2 x i8], i32 1, align 1
          %Y = getelementptr i8, ptr %X, i64 1
          store i8 7, ptr %X, align 1
          store i8 8, ptr %Y, align 1
          br label %H
        H:
          %i = phi i8 [ 0, %A ], [ %j, %M ]
          %s = phi i8 [ 0, %A ], [ {in_meet}, %M ]
          {head}
          %more = icmp ult i8 %i, 3
          {at_top}
        B:
          %c = icmp ult i8 %a, {few}
          %d = icmp eq i8 %b, {leaving}
          br i1 %c, label %P, label %Q
        P:
          {left}
          {leave}
        Q:
          {right}
          br label %M
        M:
          %m = phi i8 [ {in_left}, %P ], [ {in_right}, %Q ]
          {meet}
          %j = add i8 %i, 1
          %go = icmp ult i8 %j, 3
          {at_bottom}
        E:
          %e = phi i8 {left_last}{left_early}
          {end}
          br label %R
        {early}
        R:
          %r = phi i8 [ {in_end}, %E ]{left_alone}
          ret i8 %r
        }}"
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.layout = DataLayout::parse(generate::X86_64).expect("a data layout");
    let mut byte = || Val::Int(rng.below(8) as u128);
    let params = vec![
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
        Param::Varying(Type::I8, (0..THREADS).map(|_| byte()).collect()),
    ];
    let inputs =
        Inputs { params, memory: vec![0; 256], part: 16, table: vec![0; 16], threads: THREADS };
    Program { seed, module, entry: "f".into(), inputs, defined: true }
}
