//! `#[loops]`: marks the outermost loops of a function.

use crate::options::Options;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Error, Expr, Item, ItemFn, Result};

pub(crate) fn loops(options: TokenStream, function: TokenStream) -> Result<TokenStream> {
    let options = Options::read(options, &["width", "independent", "reorder"])?;
    let mut function: ItemFn = syn::parse2(function)?;
    let mut marker = Marker { options: &options, found: false };
    marker.visit_block_mut(&mut function.block);
    if !marker.found {
        return Err(Error::new(function.sig.ident.span(), "there is no loop in this function"));
    }
    if !function.attrs.iter().any(|attr| attr.path().is_ident("inline")) {
        // Inside of a caller that has something to drop, a panic does not end the loop's part of the program.
        function.attrs.push(syn::parse_quote!(#[inline(never)]));
    }
    Ok(function.into_token_stream())
}

struct Marker<'a> {
    options: &'a Options,
    found: bool,
}

impl Marker<'_> {
    fn mark(&mut self, body: &mut Block, at: Span) {
        body.stmts.insert(0, self.options.mark(at));
        self.found = true;
    }
}

impl VisitMut for Marker<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // Loops inside of these are part of an iteration.
        match expr {
            Expr::ForLoop(it) => self.mark(&mut it.body, it.for_token.span),
            Expr::While(it) => self.mark(&mut it.body, it.while_token.span),
            Expr::Loop(it) => self.mark(&mut it.body, it.loop_token.span),
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    /// Other functions have loops of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn marked(options: TokenStream, function: TokenStream) -> String {
        match loops(options, function) {
            Ok(tokens) => tokens.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn outermost_loops_are_marked() {
        let text = marked(
            quote!(width = 4, reorder),
            quote! {
                fn f(n: u32) {
                    for i in 0..n { while i > 3 {} }
                    let g = |m| loop { break m };
                    fn other() { loop {} }
                }
            },
        );
        // A definition and a call each.
        assert_eq!(text.matches("__laneweaver_loop_w4_f2").count(), 4, "{text}");
        assert!(
            text.contains("while i > 3 { }") && text.contains("fn other () { loop { } }"),
            "{text}"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let empty = quote!(
            fn f() {}
        );
        assert!(marked(quote!(), empty.clone()).contains("no loop"));
        assert!(
            marked(quote!(widht = 4), empty.clone()).contains("no option `widht`; there are width")
        );
        assert!(marked(quote!(uniform(x)), empty.clone()).contains("no option `uniform`"));
        assert!(marked(quote!(width = 1), empty).contains("from 2 to 1024"));
    }
}
