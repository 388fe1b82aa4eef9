//! Loops of which nothing is promised: whether their iterations touch the same memory is for the compiler to find out.

use super::generate::Writer;

/// What is done to an element: `T` is the array that is written, `S` the one that is read, `X`, `Y` and `Z` are places.
const STATEMENTS: &[&str] = &[
    "T[X] += in->u[i];",
    "T[X] = S[Y] + in->u[i];",
    "T[X] = T[Y] * 3u + in->b[i];",
    "T[X] ^= S[Y] * 5u;",
    "if (in->u[i] & 4) T[X] = S[Y] + 1u;",
    "if (in->s[i] > 0) T[X] += T[Y] + 7u;",
    "{ unsigned t = S[Y]; T[X] = t * 3 + in->s[i]; }",
    "{ T[X] = in->u[i]; T[Y] = S[Z] + 1u; }",
    "for (unsigned j = 0; j < 6; j++) T[X] += in->u[i] + j;",
    "for (unsigned j = 0; j < 1u + (i & 3u); j++) T[X] = S[Y] + in->b[i];",
];

/// The arrays, and the bytes of one of them.
const ARRAYS: &[&str] =
    &["out->u", "out->u", "out->b", "out->b", "out->s", "out->l", "((byte *)out->u)"];

impl Writer {
    /// A function with a loop that iterations may depend on each other in.
    pub(super) fn checked(&mut self, number: usize) {
        self.open(&format!("NOINLINE static void f{number}(int n, const struct in *restrict in, struct out *restrict out)"));
        let width = ["", "", " vectorize_width(4)", " vectorize_width(16)"][self.rng.below(4)];
        self.line(&format!("#pragma clang loop vectorize(enable){width}"));
        let heads = [
            "for (int i = 0; i < n; i++)",
            "for (int i = n - 1; i >= 0; i--)",
            "for (long i = 0; i < n; i += 2)",
            "for (unsigned i = 0; i < (unsigned)n; i++)",
        ];
        let head = heads[self.rng.below(heads.len())];
        self.open(head);
        for _ in 0..1 + self.rng.below(2) {
            let statement = STATEMENTS[self.rng.below(STATEMENTS.len())];
            let inner = statement.contains("unsigned j");
            let [to, from] = [(); 2].map(|()| ARRAYS[self.rng.below(ARRAYS.len())]);
            let from = if self.rng.one_in(2) { to } else { from };
            let mut text =
                statement.replace("T[", &format!("{to}[")).replace("S[", &format!("{from}["));
            for place in ["X", "Y", "Z"] {
                let other = self.place(inner);
                text = text.replace(&format!("[{place}]"), &format!("[{other}]"));
            }
            self.line(&text);
        }
        self.close();
        self.close();
    }

    /// A number below 128, if the counter is below 63.
    fn place(&mut self, inner: bool) -> String {
        let mask = (2 << self.rng.below(7)) - 1;
        let by = [1, 2, 3, 5, 16, 64, 85, 255][self.rng.below(8)];
        let less = self.rng.below(64);
        match self.rng.below(if inner { 15 } else { 12 }) {
            0 | 1 => "i".into(),
            2 => format!("i + {}", less / 8),
            3 => format!("i + {less}"),
            4 => format!("2 * i + {}", self.rng.below(2)),
            5 => format!("127 - i - {less} / 2"),
            6 => format!("i & {mask}"),
            7 => format!("(i * {by} + {less}) & {mask}"),
            8 => format!("(byte)(i * {by} + {less}) & 127"),
            9 => format!("i / {by}"),
            10 => format!("(unsigned)i % {by}u"),
            11 => format!("in->b[i] & {mask}"),
            12 => "j".into(),
            13 => "i + j".into(),
            _ => format!("(i * {by} + j) & {mask}"),
        }
    }
}
