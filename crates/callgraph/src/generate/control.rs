//! Branches, switches and loops, where φs choose functions.

use super::Gen;

/// How deeply branches nest.
const NESTED: usize = 2;

impl Gen {
    pub(super) fn body(&mut self) {
        for _ in 0..4 + self.rng.below(14) {
            self.statement();
        }
    }

    pub(super) fn control(&mut self) {
        if self.depth == NESTED {
            return self.statement();
        }
        self.depth += 1;
        match self.rng.below(3) {
            0 => self.diamond(),
            1 => self.switch(),
            _ => self.repeat(),
        }
        self.depth -= 1;
    }

    /// A part of a branch; what it defines nobody else sees. Yields a function, and the block it ends in.
    fn arm(&mut self, label: &str, join: &str) -> (String, String) {
        let before = self.at.clone();
        self.label(label);
        for _ in 0..self.rng.below(4) {
            self.statement();
        }
        let function = self.function();
        self.put(&format!("br label %{join}"));
        self.at = before;
        (function, self.block.clone())
    }

    fn joined(&mut self, join: &str, arms: &[(String, String)]) {
        self.label(join);
        let all: Vec<String> =
            arms.iter().map(|(value, block)| format!("[ {value}, %{block} ]")).collect();
        let phi = self.line(&format!("phi ptr {}", all.join(", ")));
        self.at.functions.push(phi);
    }

    fn labels<const N: usize>(&mut self, names: [&str; N]) -> [String; N] {
        self.next += 1;
        names.map(|name| format!("{name}{}", self.next))
    }

    fn diamond(&mut self) {
        let [yes, no, join] = self.labels(["yes", "no", "join"]);
        let test = self.condition();
        self.put(&format!("br i1 {test}, label %{yes}, label %{no}"));
        let arms = [yes, no].map(|label| self.arm(&label, &join));
        self.joined(&join, &arms);
    }

    fn switch(&mut self) {
        let [other, one, two, join] = self.labels(["other", "one", "two", "join"]);
        self.put(&format!("switch i64 %n, label %{other} [1: label %{one}, 4: label %{two}]"));
        let arms = [other, one, two].map(|label| self.arm(&label, &join));
        self.joined(&join, &arms);
    }

    /// A loop that runs a few times; each time it calls what the last time left.
    fn repeat(&mut self) {
        let [head, done] = self.labels(["head", "done"]);
        let (first, before) = (self.function(), self.block.clone());
        self.put(&format!("br label %{head}"));
        self.label(&head);
        let (count, f) = (self.fresh(), self.fresh());
        let phis = self.out.len();
        let _ = self.line(&format!("call i64 (i64) {f}(i64 {count})"));
        for _ in 0..self.rng.below(4) {
            self.statement();
        }
        let (next, block) = (self.function(), self.block.clone());
        let more = self.line(&format!("add i64 {count}, 1"));
        let test = self.line(&format!("icmp ult i64 {more}, 3"));
        self.put(&format!("br i1 {test}, label %{head}, label %{done}"));
        let lines = format!(
            "  {count} = phi i64 [ 0, %{before} ], [ {more}, %{block} ]\n  {f} = phi ptr [ {first}, %{before} ], [ {next}, %{block} ]\n"
        );
        self.out.insert_str(phis, &lines);
        self.label(&done);
        self.at.functions.push(f);
    }
}
