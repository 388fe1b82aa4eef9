//! The linear encoding of 004 §6: vectors, matrices, and the matrices of a program.
//!
//! Every matrix of a program's syntax has at most one entry in a row, so it is kept as the column of each row; the store is
//! rows of bits. An atomic expression is a vector over variables, then values (𝐀); multiplied with the store, whose lower part is
//! the identity, it yields its values (𝐕).

use super::{Node, Op, Program, Rest, Solution, Value, ValueId};

/// A boolean vector.
pub type Vector = Vec<bool>;

/// A matrix with at most one entry in each row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The column of the entry of each row.
    pub column: Vec<Option<u32>>,
    /// How many columns there are.
    pub columns: u32,
}

impl Selection {
    fn new(rows: usize, columns: u32) -> Selection {
        Selection { column: vec![None; rows], columns }
    }

    /// The product of a vector and this matrix.
    pub fn times(&self, vector: &[bool]) -> Vector {
        let mut product = vec![false; self.columns as usize];
        for (row, column) in self.column.iter().enumerate() {
            if let (true, Some(column)) = (vector[row], column) {
                product[*column as usize] = true;
            }
        }
        product
    }
}

/// The matrices of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrices {
    /// **Fun**: 𝐒 → 𝐀, what is called.
    pub fun: Selection,
    /// **Argᵢ**: 𝐒 → 𝐀, the arguments of calls.
    pub args: Vec<Selection>,
    /// **Varᵢ**: 𝐕 → 𝐀, the parameters of lambda expressions.
    pub vars: Vec<Selection>,
    /// **Body**: 𝐕 → 𝐒.
    pub body: Selection,
    /// **CondTrue**: 𝐒 → 𝐒.
    pub cond_true: Selection,
    /// **CondFalse**: 𝐒 → 𝐒.
    pub cond_false: Selection,
    /// How many parameters lambda expressions have, and whether they take more: the mask of 𝐯_f that 004 leaves out.
    pub arity: Vec<Option<(usize, bool)>>,
}

impl Matrices {
    /// The matrices of a program.
    pub fn of(program: &Program) -> Matrices {
        let (exprs, values) = (program.exprs() as usize, program.values.len());
        let atoms = program.vars + values as u32;
        let index = |node: Node| atom_index(program, node);
        let mut matrices = Matrices {
            fun: Selection::new(exprs, atoms),
            body: Selection::new(values, exprs as u32),
            cond_true: Selection::new(exprs, exprs as u32),
            cond_false: Selection::new(exprs, exprs as u32),
            arity: vec![None; values],
            ..Matrices::default()
        };
        for expr in 0..exprs {
            for op in &program.ops[program.ops_of(expr as u32)] {
                match op {
                    Op::Call { f, args, .. } => {
                        matrices.fun.column[expr] = Some(index(*f));
                        for (at, arg) in args.iter().enumerate() {
                            grown(&mut matrices.args, at, exprs, atoms).column[expr] =
                                Some(index(*arg));
                        }
                    }
                    Op::If { yes, no, .. } => {
                        matrices.cond_true.column[expr] = Some(*yes);
                        matrices.cond_false.column[expr] = Some(*no);
                    }
                    _ => {}
                }
            }
        }
        for (at, value) in program.values.iter().enumerate() {
            let Value::Lambda(lambda) = value else { continue };
            matrices.body.column[at] = Some(lambda.body);
            matrices.arity[at] = Some((lambda.params.len(), lambda.rest != Rest::None));
            for (param, var) in lambda.params.iter().enumerate() {
                grown(&mut matrices.vars, param, values, atoms).column[at] = Some(*var);
            }
        }
        matrices
    }

    /// 𝐯_f without lambda expressions that do not accept this many arguments.
    pub fn accepting(&self, values: &[bool], count: usize) -> Vector {
        let accepts = |at: usize| {
            self.arity[at].is_some_and(|(wanted, more)| count == wanted || (more && count > wanted))
        };
        values.iter().enumerate().map(|(at, value)| *value && accepts(at)).collect()
    }
}

fn grown(all: &mut Vec<Selection>, at: usize, rows: usize, columns: u32) -> &mut Selection {
    while all.len() <= at {
        all.push(Selection::new(rows, columns));
    }
    &mut all[at]
}

/// The place of an atomic expression in 𝐀.
pub fn atom_index(program: &Program, node: Node) -> u32 {
    match node {
        Node::Var(var) => var,
        Node::Value(value) => program.vars + value,
    }
}

/// A vector with one entry.
pub fn unit(size: usize, at: u32) -> Vector {
    (0..size as u32).map(|index| index == at).collect()
}

/// The store as a matrix 𝐀 → 𝐕: the rows of the variables, and the identity for the values.
pub fn store_matrix(program: &Program, solution: &Solution) -> Vec<Vector> {
    let values = program.values.len();
    let rows = solution
        .store
        .iter()
        .map(|set| (0..values as ValueId).map(|value| set.contains(value)).collect());
    rows.chain((0..values as u32).map(|value| unit(values, value))).collect()
}

/// The product of a vector and a matrix.
pub fn times(vector: &[bool], matrix: &[Vector]) -> Vector {
    let columns = matrix.first().map_or(0, Vec::len);
    (0..columns)
        .map(|column| vector.iter().zip(matrix).any(|(entry, row)| *entry && row[column]))
        .collect()
}

/// The outer product 𝐚 ⊗ 𝐯.
pub fn outer(a: &[bool], v: &[bool]) -> Vec<Vector> {
    a.iter().map(|row| v.iter().map(|column| *row && *column).collect()).collect()
}

/// The element-wise sum.
pub fn plus(a: &[Vector], b: &[Vector]) -> Vec<Vector> {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| *a || *b).collect()).collect()
}
