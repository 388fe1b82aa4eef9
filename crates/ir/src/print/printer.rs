//! Parts of a function in text. Names are found once, so that printing all parts takes linear time.

use super::inst::InstPrinter;
use super::names::Names;
use crate::entities::{Block, Inst, Value};
use crate::function::Function;

/// Prints parts of a function as they stand in the text form.
///
/// ```
/// let f = lw_ir::parse_function("func @f(i32 %x) -> i32 {\nb:\n  %y = add i32 %x, 1\n  ret i32 %y\n}").unwrap();
/// let printer = lw_ir::Printer::new(&f);
/// let (_, add) = f.all_insts().next().unwrap();
/// assert_eq!(printer.inst(add), "%y = add i32 %x, 1");
/// let renamed = printer.inst_with(add, &|value, _| Some(format!("{}.7", printer.value(value))));
/// assert_eq!(renamed, "%y.7 = add i32 %x.7, 1");
/// ```
pub struct Printer<'f> {
    function: &'f Function,
    names: Names<'f>,
}

impl<'f> Printer<'f> {
    /// Finds the names of a function.
    pub fn new(function: &'f Function) -> Printer<'f> {
        Printer { function, names: Names::new(function) }
    }

    fn write(
        &self,
        write: impl FnOnce(InstPrinter<'_>, &mut String) -> std::fmt::Result,
    ) -> String {
        let mut text = String::new();
        write(InstPrinter::new(self.function, &self.names), &mut text)
            .expect("writing to a string does not fail");
        text
    }

    /// An instruction.
    pub fn inst(&self, inst: Inst) -> String {
        self.write(|printer, text| printer.write(text, inst))
    }

    /// An instruction in which values have other names. `rename` is asked for each value that is no constant, and for an
    /// operand of a φ with the block it comes from; `None` leaves the name as it is.
    pub fn inst_with(
        &self,
        inst: Inst,
        rename: &dyn Fn(Value, Option<Block>) -> Option<String>,
    ) -> String {
        self.write(|printer, text| printer.renaming(rename).write(text, inst))
    }

    /// A value as an operand, without its type.
    pub fn value(&self, value: Value) -> String {
        self.write(|printer, text| printer.write_value(text, value))
    }

    /// A block as an operand: `%name`.
    pub fn block(&self, block: Block) -> String {
        self.names.block(block)
    }

    /// A block as it is labelled: `name`.
    pub fn label(&self, block: Block) -> String {
        self.names.label(block)
    }
}
