//! What the driver says about the libraries of a kernel.

use crate::Built;
use crate::compilers::Column;
use lw_kernels::{Cell, Compiler, Driver, Kernel, Verdict};
use std::path::PathBuf;

/// A kernel and one of its inputs.
pub(crate) struct Row {
    pub(crate) kernel: String,
    /// The name of the kernel's file, which its variants share.
    pub(crate) file: String,
    pub(crate) input: String,
    /// How often each library ran.
    pub(crate) runs: u32,
    /// For each compiler; `None` if it has nothing to do with this kernel.
    pub(crate) cells: Vec<Option<Cell>>,
    /// The place of `lw cc` among them.
    pub(crate) own: usize,
    /// What `lw cc` said about the kernel.
    pub(crate) remarks: Vec<String>,
}

impl Row {
    /// CPU seconds with the first compiler, scalar clang.
    pub(crate) fn scalar(&self) -> f64 {
        self.cells[0].as_ref().map_or(f64::NAN, |cell| cell.seconds)
    }

    /// How much faster than the first compiler the one of this number is.
    pub(crate) fn speed_up(&self, number: usize) -> Option<f64> {
        self.cells[number].as_ref().map(|cell| self.scalar() / cell.seconds)
    }

    /// How much faster than the first compiler `lw cc` is.
    pub(crate) fn ours(&self) -> f64 {
        self.speed_up(self.own).unwrap_or(f64::NAN)
    }

    /// Whether `lw cc` says that it vectorized a loop.
    pub(crate) fn is_vectorized(&self) -> bool {
        self.remarks.iter().any(|remark| remark.contains("vectorized loop, "))
    }

    /// Whether the results of ours are those of the first, or as close as the kernel allows.
    pub(crate) fn is_right(&self) -> bool {
        let mut ours = self.cells[self.own..].iter().flatten();
        ours.all(|cell| cell.verdict != Verdict::Different)
    }
}

/// Runs the libraries by turns.
pub(crate) fn measure(
    driver: &Driver,
    kernel: &Kernel,
    columns: &[Column],
    built: &Built,
    seconds: f64,
) -> Result<Vec<Row>, String> {
    let libraries: Vec<PathBuf> = built.libraries.iter().flatten().cloned().collect();
    let inputs = driver
        .measure(&libraries, seconds, None)
        .map_err(|error| format!("{}: {error}", kernel.name))?;
    let is_own = |column: &Column| matches!(column.compiler, Compiler::Lw { flag: None, .. });
    let own = columns.iter().position(is_own).ok_or("`lw cc` does not take part")?;
    let row = |input: lw_kernels::Input| {
        let mut cells = input.cells.into_iter();
        let of = |library: &Option<PathBuf>| library.as_ref().and_then(|_| cells.next());
        Row {
            kernel: kernel.name.clone(),
            file: kernel.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            input: input.name,
            runs: input.runs,
            cells: built.libraries.iter().map(of).collect(),
            own,
            remarks: built.remarks.clone(),
        }
    };
    Ok(inputs.into_iter().map(row).collect())
}
